//! Describes an input, for people and as a record.

use super::contents::{Input, InputMessage};
use super::form::InputForm;
use crate::report::shown;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value, json};

impl Input {
    /// Returns lines that describe the input, what it states, and its damage. Complete raw words give no lines.
    pub fn lines(&self) -> Vec<String> {
        if self.is_undamaged_raw() {
            return Vec::new();
        }
        let packed = if self.packed.is_empty() { String::new() } else { format!(", packed with {}", self.packed.join(" and ")) };
        let mut lines = alloc::vec![format!("{}{packed}", self.form.description())];
        let facts: Vec<String> = self.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        lines.extend((!facts.is_empty()).then(|| facts.join(", ")));
        let chip = self.chip.map(|chip| format!("chip {}", chip.info().name)).or(self.gfx.map(|gfx| format!("generation {gfx}")));
        lines.extend(chip);
        lines.extend(self.buffers.iter().filter(|buffer| !buffer.name.is_empty()).map(|buffer| {
            let addr = buffer.addr.map_or_else(String::new, |addr| format!(" at 0x{addr:012x}"));
            let count = buffer.words.len();
            format!("{}: {count} dword{}{addr}", buffer.name, if count == 1 { "" } else { "s" })
        }));
        lines.extend(self.damage.iter().map(|remark| format!("damaged: {remark}")));
        lines.extend(self.remarks.iter().map(ToString::to_string));
        lines.iter().map(|line| shown(line).into_owned()).collect()
    }

    /// Returns lines with the registers of a dump that matter for firmware and page faults, or all registers if the dump has no words.
    pub fn register_lines(&self) -> Vec<String> {
        let all = self.buffers.iter().all(|buffer| buffer.words.is_empty());
        let matters = |name: &str| all || name.starts_with("CP_MES_") || name.ends_with("PROTECTION_FAULT_STATUS") || name.contains("PROTECTION_FAULT_ADDR");
        let blocks = self.hang.iter().flat_map(|hang| &hang.blocks);
        let values = blocks.flat_map(|block| &block.values).filter(|(name, _)| matters(name));
        values.take(256).map(|(name, value)| format!("{name} 0x{value:08x}")).collect()
    }

    /// Returns whether there is nothing to report: raw words that are unpacked and complete.
    pub fn is_undamaged_raw(&self) -> bool {
        self.form == InputForm::Raw && self.packed.is_empty() && self.damage.is_empty()
    }

    /// Returns the JSON record of the input as one line, with `name` as its name; docs/json.md lists the keys.
    pub fn record(&self, name: &str) -> String {
        let mut facts: Map<String, Value> = Map::new();
        // The first of several counts, as in `Input::fact`.
        for (name, value) in &self.facts {
            facts.entry((*name).to_string()).or_insert_with(|| value.clone().into());
        }
        let buffers: Vec<Value> = self.buffers.iter().map(|b| json!({ "name": b.name, "dwords": b.words.len() })).collect();
        let list = |remarks: &[InputMessage]| -> Vec<Value> {
            remarks.iter().map(|remark| json!({ "place": remark.place.to_string(), "message": remark.message })).collect()
        };
        let mut record = json!({
            "type": "input", "file": name, "form": self.form.to_string(), "packed": !self.packed.is_empty(), "facts": facts, "buffers": buffers,
            "damage": list(&self.damage), "remarks": list(&self.remarks),
        });
        if !self.packed.is_empty() {
            record["packing"] = self.packed.clone().into();
        }
        if let Some(chip) = self.chip {
            record["chip"] = chip.info().name.into();
        }
        if let Some(gfx) = self.generation() {
            record["gfx"] = gfx.to_string().into();
        }
        record.to_string()
    }
}
