//! Emits the typed bodies: one struct per distinct layout of the packets that are marked `typed`.

use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::packets::*;
use std::collections::BTreeMap;
use std::fmt::Write;

const PFP: u32 = 0b0001;
const ME: u32 = 0b0010;
const MEC: u32 = 0b0100;

/// A dword of a body.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// One number: a field of the whole dword, an address in place, or bits that mean different things under different conditions.
    Plain(String, String),
    /// Bit fields: name, and (field, lo, hi).
    Bits(String, Vec<(String, u8, u8)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Queue {
    Graphics,
    Compute,
}

/// One struct.
struct Layout {
    words: Vec<Word>,
    open: bool,
    /// Dwords with the header.
    size: u8,
    cells: Vec<(usize, Queue)>,
}

/// The module `bodies`.
pub fn bodies(packets: &Packets, sorted: &[&Packet]) -> String {
    let mut out = String::new();
    let mut words = BTreeMap::new();
    let mut modules: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for packet in sorted.iter().filter(|p| p.typed) {
        let layouts = layouts(packets, packet);
        let smallest = layouts.iter().map(|l| l.size).min().unwrap_or(0);
        for layout in &layouts {
            let (plain, name) = names(packet, layout, &layouts, smallest);
            out.push_str(&emit_struct(packet, layout, &name, &mut words));
            for &(gfx, queue) in &layout.cells {
                let suffix = if queue == Queue::Compute && !layout.cells.contains(&(gfx, Queue::Graphics)) { "Compute" } else { "" };
                let import = (name.clone(), format!("{plain}{suffix}"));
                let list = modules.entry(gfx).or_default();
                if !list.contains(&import) {
                    list.push(import);
                }
            }
        }
    }
    let modules: String = modules
        .iter()
        .map(|(&gfx, list)| {
            let generation = &GENERATIONS[gfx];
            let imports: Vec<String> = list.iter().map(|(name, plain)| if name == plain { name.clone() } else { format!("{name} as {plain}") }).collect();
            format!(
                "/// The bodies of GFX{}.\n#[cfg(feature = {:?})]\npub mod {} {{ pub use super::{{{}}}; }}\n",
                generation.name,
                generation.id,
                generation.id,
                imports.join(", ")
            )
        })
        .collect();
    format!(
        "pub mod bodies {{\nuse super::{{Body, Opcode, Scope, Word}};\nuse modular_bitfield::prelude::*;\nuse zerocopy::{{FromBytes, Immutable, IntoBytes, KnownLayout}};\n\n{out}{modules}}}\n"
    )
}

/// The distinct layouts of a packet over generations, queues and sizes.
fn layouts(packets: &Packets, packet: &Packet) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for form in packet.forms.iter().filter(|f| !f.internal) {
        for gfx in form.scope.gfx().indices() {
            for (queue, engines) in [(Queue::Graphics, PFP | ME), (Queue::Compute, MEC)] {
                let view = form.scope.and(Scope(engines << (4 * gfx)));
                if view.is_empty() {
                    continue;
                }
                for &(_, size) in form.sizes.iter().filter(|(set, _)| set.has(gfx)) {
                    let size = form.repeat.map_or(size, |r| r.from);
                    let words: Vec<Word> = (1..size).map(|dword| word(packets, form, view, gfx, dword)).collect();
                    let open = form.repeat.is_some();
                    match layouts.iter_mut().find(|l| l.words == words && l.open == open) {
                        Some(l) => l.cells.push((gfx, queue)),
                        None => layouts.push(Layout { words, open, size, cells: vec![(gfx, queue)] }),
                    }
                }
            }
        }
    }
    layouts
}

/// One dword as a queue sees it: the fields of the PFP, where it reads the packet, and what the ME adds beside them.
fn word(packets: &Packets, form: &Form, view: Scope, gfx: usize, dword: u8) -> Word {
    let pfp = view.and(Scope(PFP << (4 * gfx)));
    let first = if pfp.is_empty() { view } else { pfp };
    let seen = |f: &&Field, scope: Scope| f.dword == dword && conditions(packets, form, f).unwrap_or_default().iter().any(|(s, _)| s.intersects(scope));
    let mut fields: Vec<&Field> = form.fields.iter().filter(|f| seen(f, first)).collect();
    for other in form.fields.iter().filter(|f| seen(f, view)) {
        if !fields.iter().any(|f| f.lo <= other.hi && other.lo <= f.hi) {
            fields.push(other);
        }
    }
    fields.sort_by_key(|f| f.lo);
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

/// The name within a generation, and the name among all generations.
fn names(packet: &Packet, layout: &Layout, all: &[Layout], smallest: u8) -> (String, String) {
    let mut plain = camel(&packet.name);
    if layout.size != smallest {
        write!(plain, "Dw{}", layout.size).unwrap_or_default();
    }
    let compute_only = |l: &Layout| l.cells.iter().all(|(_, q)| *q == Queue::Compute);
    let rivals = all.iter().filter(|l| l.size == layout.size && compute_only(l) == compute_only(layout)).count();
    let mut name = plain.clone();
    if compute_only(layout) {
        name.push_str("Compute");
    }
    if rivals > 1 {
        // The graphics queue names the layout, where it has it.
        let first = layout.cells.iter().min_by_key(|(gfx, queue)| (*queue, *gfx)).map_or(0, |(gfx, _)| *gfx);
        name.push_str(&camel(GENERATIONS[first].id));
    }
    (plain, name)
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
    let gfx = GfxSet(layout.cells.iter().fold(0, |set, (gfx, _)| set | 1 << gfx));
    let scope = layout.cells.iter().fold(0u32, |set, (gfx, queue)| {
        let engines = if *queue == Queue::Graphics { PFP | ME } else { MEC };
        set | (engines << (4 * gfx)) & packet.scope.0
    });
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

/// `SET_CONTEXT_REG` to `SetContextReg`.
pub fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| part.chars().take(1).flat_map(char::to_uppercase).chain(part.chars().skip(1).flat_map(char::to_lowercase)).collect::<String>())
        .collect()
}

/// A field name as Rust writes it.
pub fn rust(name: &str) -> String {
    match name {
        "type" | "priv" | "move" | "ref" | "match" | "loop" | "in" | "yield" | "mod" | "use" | "where" | "as" => format!("r#{name}"),
        _ => name.to_owned(),
    }
}
