//! The registers of a page: names, fields and values, each list without duplicates.

use crate::chip::Gfx;
use crate::regs::{self, EnumInfo, FieldInfo, RegisterInfo};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use serde_json::{Value, json};

/// Hardware blocks in pipeline order; all others follow by name.
const PIPELINE: [&str; 16] = ["VGT", "GE", "IA", "WD", "SPI_SHADER", "SPI", "PA_CL", "PA_SU", "PA_STEREO", "PA_SC", "DB", "CB", "SX", "TA", "COMPUTE", "CP"];
/// Blocks whose names have two parts.
const TWO_PARTS: [&str; 2] = ["PA", "SPI_SHADER"];

/// Returns the hardware block of a register, from its name.
pub(super) fn block(name: &str) -> &str {
    let parts = usize::from(TWO_PARTS.iter().any(|start| name.starts_with(start))) + 1;
    name.match_indices('_').nth(parts - 1).map_or(name, |(at, _)| &name[..at])
}

/// Returns the position of a block on a page.
pub(super) fn order(block: &str) -> usize {
    PIPELINE.iter().position(|known| *known == block).unwrap_or(PIPELINE.len())
}

/// A list without duplicates, by key.
struct Once<K> {
    places: BTreeMap<K, usize>,
    values: Vec<Value>,
}

impl<K: Ord> Once<K> {
    fn new() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }

    fn place(&mut self, key: K, value: impl FnOnce() -> Value) -> usize {
        let values = &mut self.values;
        *self.places.entry(key).or_insert_with(|| {
            values.push(value());
            values.len() - 1
        })
    }
}

/// Returns the registers at these addresses: `registers` are `[address, name, block, layout]`, where block and layout are indices into `blocks` and `layouts`;
/// fields refer to `enums`.
pub(super) fn table(gfx: Gfx, addrs: impl Iterator<Item = u32>) -> Value {
    // Tables are static, so their addresses identify them.
    let (mut layouts, mut enums) = (Once::<*const RegisterInfo>::new(), Once::<*const EnumInfo>::new());
    let mut named: Vec<(u32, String, Option<usize>)> = Vec::new();
    for addr in addrs {
        let register = regs::lookup(gfx, addr);
        let layout = register.map(|register| layouts.place(register.info(), || layout(register.info(), &mut enums)));
        named.push((addr, register.map_or_else(|| format!("0x{addr:05x}"), |register| register.to_string()), layout));
    }
    let mut blocks: Vec<&str> = named.iter().map(|(_, name, layout)| if layout.is_some() { block(name) } else { "unnamed" }).collect();
    blocks.sort_unstable_by_key(|name| (order(name), *name));
    blocks.dedup();
    let place = |name: &str, known: bool| blocks.iter().position(|block| *block == if known { self::block(name) } else { "unnamed" });
    let registers: Vec<Value> = named.iter().map(|(addr, name, layout)| json!([addr, name, place(name, layout.is_some()), layout])).collect();
    json!({ "registers": registers, "blocks": blocks, "layouts": layouts.values, "enums": enums.values })
}

fn layout(info: &RegisterInfo, enums: &mut Once<*const EnumInfo>) -> Value {
    let fields: Vec<Value> = info.fields.iter().map(|field| self::field(field, enums)).collect();
    json!({ "name": info.name, "space": info.space().to_string(), "doc": info.doc, "note": info.note, "fields": fields, "clear": info.clear })
}

fn field(field: &FieldInfo, enums: &mut Once<*const EnumInfo>) -> Value {
    let values = field.values.map(|values| enums.place(values, || json!({ "name": values.name, "flags": values.flags, "entries": values.entries })));
    let mut row = vec![json!(field.name), json!(field.lo), json!(field.hi), json!(values), json!(field.doc), json!(field.note)];
    row.extend(field.float.then_some(json!(true)));
    row.into()
}
