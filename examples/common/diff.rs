//! What differs between the draws of two streams.

use super::report::Format;
use pm4::chip::Gfx;
use pm4::cp::{Bank, DrawView, Observer};
use pm4::regs;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The draws and dispatches of a stream with what was written for them since the one before.
#[derive(Default)]
pub struct Draws {
    draws: Vec<Draw>,
    now: BTreeMap<u32, u32>,
}

struct Draw {
    name: &'static str,
    dword: u32,
    body: Vec<u32>,
    /// Registers that differ from the draw before; None where a register is no longer set.
    changes: Vec<(u32, Option<u32>)>,
}

impl Observer for Draws {
    fn draw(&mut self, view: &DrawView<'_>) {
        let now: BTreeMap<u32, u32> = Bank::ALL.into_iter().flat_map(|bank| view.written(bank)).collect();
        let mut changes: Vec<_> = now.iter().filter(|(addr, value)| self.now.get(addr) != Some(value)).map(|(addr, value)| (*addr, Some(*value))).collect();
        changes.extend(self.now.keys().filter(|addr| !now.contains_key(addr)).map(|addr| (*addr, None)));
        self.draws.push(Draw { name: view.name(), dword: view.place().dword, body: view.packet().body.to_vec(), changes });
        self.now = now;
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw(view);
    }
}

fn apply(state: &mut BTreeMap<u32, u32>, draw: &Draw) {
    for (addr, value) in &draw.changes {
        match value {
            Some(value) => state.insert(*addr, *value),
            None => state.remove(addr),
        };
    }
}

/// Prints what differs, draw by draw; whether anything does.
pub fn print(out: &mut dyn Write, gfx: Gfx, format: Format, a: &Draws, b: &Draws) -> io::Result<bool> {
    let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
    let mut differing = 0u64;
    for (index, (one, other)) in a.draws.iter().zip(&b.draws).enumerate() {
        apply(&mut left, one);
        apply(&mut right, other);
        let addrs: std::collections::BTreeSet<u32> = left.keys().chain(right.keys()).copied().filter(|addr| left.get(addr) != right.get(addr)).collect();
        let packets = one.name != other.name || one.body != other.body;
        if addrs.is_empty() && !packets {
            continue;
        }
        differing += 1;
        let hex = |value: Option<&u32>| value.map(|value| format!("0x{value:08x}"));
        if format == Format::Text {
            writeln!(
                out,
                "draw {index}: {} at dword {} and {} at dword {}{}",
                one.name,
                one.dword,
                other.name,
                other.dword,
                if packets { ", other arguments" } else { "" }
            )?;
        }
        for addr in addrs {
            let name = regs::lookup(gfx, addr).map_or_else(|| format!("0x{addr:05x}"), |register| register.to_string());
            let (l, r) = (hex(left.get(&addr)), hex(right.get(&addr)));
            match format {
                Format::Text => writeln!(
                    out,
                    "  {name:<40} {:>10}  {:>10}{}",
                    l.as_deref().unwrap_or("-"),
                    r.as_deref().unwrap_or("-"),
                    fields(gfx, addr, left.get(&addr), right.get(&addr))
                )?,
                Format::Json => {
                    writeln!(out, "{}", json!({ "type": "difference", "index": index, "register": name, "addr": format!("0x{addr:05x}"), "a": l, "b": r }))?
                }
            }
        }
    }
    let (one, other) = (a.draws.len(), b.draws.len());
    match format {
        Format::Text => writeln!(out, "{differing} of {} draws differ; {one} and {other} draws", one.min(other))?,
        Format::Json => writeln!(out, "{}", json!({ "type": "summary", "differing": differing, "draws_a": one, "draws_b": other }))?,
    }
    Ok(differing > 0 || one != other)
}

/// The fields that differ.
fn fields(gfx: Gfx, addr: u32, left: Option<&u32>, right: Option<&u32>) -> String {
    let (Some(register), Some(left), Some(right)) = (regs::lookup(gfx, addr), left, right) else { return String::new() };
    let list: Vec<String> = register
        .fields()
        .iter()
        .filter(|field| field.get(*left) != field.get(*right))
        .map(|field| format!("{} {} -> {}", field.name, field.get(*left), field.get(*right)))
        .collect();
    if list.is_empty() { String::new() } else { format!("  {}", list.join(", ")) }
}
