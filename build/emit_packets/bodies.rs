//! Emits the typed bodies: one struct per distinct layout of the packets that are marked `typed`.

use super::shapes::{Cells, Modules, Shape, View, names, views};
use super::{camel, rust};
use crate::regdb::packets::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A dword of a body.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// One number: a field of the whole dword, an address in place, or bits that mean different things under different conditions.
    Plain(String, String),
    /// Bit fields: name, and (field, lo, hi).
    Bits(String, Vec<(String, u8, u8)>),
}

/// One struct.
struct Layout {
    words: Vec<Word>,
    open: bool,
    /// Dwords with the header.
    size: u8,
    cells: Cells,
}

impl Shape for Layout {
    fn size(&self) -> u8 {
        self.size
    }

    fn cells(&self) -> &Cells {
        &self.cells
    }
}

/// The module `bodies`.
pub fn bodies(packets: &Packets, sorted: &[&Packet]) -> String {
    let mut out = String::new();
    let mut words = BTreeMap::new();
    let mut modules = Modules::default();
    for packet in sorted.iter().filter(|p| p.typed) {
        let layouts = layouts(packets, packet);
        for layout in &layouts {
            let both = names(packet, layout, &layouts);
            out.push_str(&emit_struct(packet, layout, &both.1, &mut words));
            modules.add(layout, &layouts, &both);
        }
    }
    let modules = modules.emit("The bodies of GFX{}.", "super::");
    format!(
        "pub mod bodies {{\nuse super::{{Body, Opcode, Scope, Word}};\nuse modular_bitfield::prelude::*;\nuse zerocopy::{{FromBytes, Immutable, IntoBytes, KnownLayout}};\n\n{out}{modules}}}\n"
    )
}

/// The distinct layouts of a packet over generations, queues and sizes.
fn layouts(packets: &Packets, packet: &Packet) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for view in views(packet) {
        let words: Vec<Word> = (1..view.size).map(|dword| word(packets, &view, dword)).collect();
        let open = view.form.repeat.is_some();
        match layouts.iter_mut().find(|l| l.words == words && l.open == open) {
            Some(l) => l.cells.push((view.gfx, view.queue)),
            None => layouts.push(Layout { words, open, size: view.size, cells: vec![(view.gfx, view.queue)] }),
        }
    }
    layouts
}

/// One dword as a queue sees it.
fn word(packets: &Packets, view: &View<'_>, dword: u8) -> Word {
    let mut fields: Vec<&Field> = view.fields(packets, view.form).into_iter().map(|(_, field, _)| field).filter(|f| f.dword == dword).collect();
    fields.sort_by_key(|f| f.lo);
    // One field may be several entries, each with the conditions of its generations.
    fields.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let plain = if dword == 1 { "control".to_owned() } else { format!("word{dword}") };
    match fields.as_slice() {
        [] => Word::Plain(format!("reserved{dword}"), "Reserved, zero.".into()),
        [f] if f.hi == 31 && (f.lo == 0 || f.name.ends_with("_lo")) => {
            let doc = if f.lo == 0 { String::new() } else { format!("An address in place: its low {} bits are zero.", f.lo) };
            Word::Plain(f.name.clone(), doc)
        }
        many if many.windows(2).any(|w| w[1].lo <= w[0].hi) => {
            let list: Vec<String> = many.iter().map(|f| format!("`{}` {}:{}", f.name, f.hi, f.lo)).collect();
            Word::Plain(plain, format!("What the bits mean depends on other fields: {}.", list.join(", ")))
        }
        many => {
            // A number with a few flags above it is known by the number.
            let name = if many.len() == 1 || many[0].lo == 0 && many[0].hi >= 15 { many[0].name.clone() } else { plain };
            Word::Bits(name, many.iter().map(|f| (f.name.clone(), f.lo, f.hi)).collect())
        }
    }
}

fn emit_struct(packet: &Packet, layout: &Layout, name: &str, words: &mut BTreeMap<Vec<(String, u8, u8)>, String>) -> String {
    let mut out = String::new();
    let mut fields = String::new();
    for word in &layout.words {
        match word {
            Word::Plain(field, doc) => {
                let doc = if doc.is_empty() { "The whole dword.".to_owned() } else { doc.clone() };
                writeln!(fields, "/// {doc}\npub {}: u32,", rust(field)).unwrap_or_default();
            }
            Word::Bits(field, bits) => {
                let ty = match words.get(bits) {
                    Some(known) => known.clone(),
                    None => {
                        let single = camel(field);
                        let speaks = bits.len() == 1 && field.contains('_') && !words.values().any(|w| *w == single);
                        let ty = if speaks { single } else { format!("{name}{}", camel(field)) };
                        out.push_str(&emit_word(packet, &ty, bits));
                        words.insert(bits.clone(), ty.clone());
                        ty
                    }
                };
                let list: Vec<String> = bits.iter().map(|(f, lo, hi)| format!("`{f}` {hi}:{lo}")).collect();
                writeln!(fields, "/// {}.\npub {}: Word<{ty}>,", list.join(", "), rust(field)).unwrap_or_default();
            }
        }
    }
    let (gfx, scope) = (layout.gfx(), layout.scope(packet).0);
    // Numbers may move between generations, but a typed packet's has to be one constant of the struct.
    let opcode = packet.opcodes.iter().find(|(set, _)| !set.and(gfx).is_empty()).map_or(0, |o| o.1);
    writeln!(
        out,
        "/// {} (GFX{gfx}). {}\n#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]\n#[repr(C)]\npub struct {name} {{\n{fields}}}\nimpl Body for {name} {{\nconst NAME: &'static str = {:?};\nconst OPCODE: Opcode = Opcode({opcode:#x});\nconst SCOPE: Scope = Scope({scope:#x});\nconst OPEN: bool = {};\n}}",
        packet.name, packet.doc, packet.name, layout.open
    )
    .unwrap_or_default();
    out
}

fn emit_word(packet: &Packet, name: &str, bits: &[(String, u8, u8)]) -> String {
    let mut body = String::new();
    let mut at = 0;
    let mut pads = 0;
    let mut pad = |width: u8, body: &mut String| {
        if width > 0 {
            writeln!(body, "#[skip] __pad{pads}: B{width},").unwrap_or_default();
            pads += 1;
        }
    };
    for (field, lo, hi) in bits {
        pad(lo - at, &mut body);
        let width = hi - lo + 1;
        let ty = if width == 1 { "bool".to_owned() } else { format!("B{width}") };
        let place = if width == 1 { lo.to_string() } else { format!("{hi}:{lo}") };
        writeln!(body, "#[doc = \"\\n\\n\"] #[doc = \"Bits {place}.\"] pub {}: {ty},", rust(field)).unwrap_or_default();
        at = hi + 1;
    }
    pad(32 - at, &mut body);
    format!(
        "/// A word of {}.\n#[bitfield(bits = 32)]\n#[repr(u32)]\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub struct {name} {{\n{body}}}\n",
        packet.name
    )
}
