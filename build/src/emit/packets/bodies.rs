//! Emits the typed bodies: one struct per distinct layout of every packet that user mode writes, and one per distinct word of several fields.

use super::shapes::{Cells, Modules, Shape, View, names, views};
use crate::emit::typed::{field_kind, pad};
use crate::gfx::GfxSet;
use crate::model::packets::*;
use crate::names::{camel, field_name};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Name, lowest and highest bit of the fields of a word.
type Bits = Vec<(String, u8, u8)>;

/// A dword of a body.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A single number: a field that begins at bit 0, an address in place, or bits whose meaning depends on conditions.
    Plain(String),
    /// Bit fields.
    Bits(Bits),
}

/// One struct.
struct Layout {
    words: Vec<Word>,
    open: bool,
    /// Dwords including the header.
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

/// The structs of words, by their fields.
#[derive(Default)]
struct Words(BTreeMap<Bits, NamedWord>);

struct NamedWord {
    name: String,
    /// The first packet with this word.
    packet: String,
    /// Whether an enabled body contains it.
    used: bool,
}

impl Words {
    /// Returns the struct name of a word; packets with the same fields at the same bits share one.
    fn name(&mut self, packet: &Packet, wanted: &str, bits: &Bits, used: bool) -> String {
        let free = |name: &String| !self.0.values().any(|taken| taken.name == *name);
        let name = std::iter::once(wanted.to_owned()).chain((2..).map(|n| format!("{wanted}{n}"))).find(free).unwrap_or_default();
        let known = self.0.entry(bits.clone()).or_insert(NamedWord { name, packet: packet.name.clone(), used });
        known.used |= used;
        known.name.clone()
    }

    fn text(&self) -> String {
        self.0.iter().filter(|(_, word)| word.used).map(|(bits, word)| emit_word(word, bits)).collect()
    }
}

/// All bodies: text, names, and imports.
#[derive(Default)]
struct Bodies {
    text: String,
    names: Vec<String>,
    words: Words,
    modules: Modules,
}

/// Names of bodies and their words are computed from all generations, whichever are compiled in.
fn all(packets: &Packets, sorted: &[&Packet], enabled: GfxSet) -> Bodies {
    let mut all = Bodies::default();
    for packet in sorted.iter().filter(|p| !p.kernel) {
        let layouts = layouts(packets, packet);
        for layout in &layouts {
            let both = names(packet, layout, &layouts);
            let used = !layout.gfx().and(enabled).is_empty();
            let text = emit_struct(packet, layout, &both.1, &mut all.words, used);
            if !used {
                continue;
            }
            all.text.push_str(&text);
            all.modules.add(layout, &layouts, &both);
            all.names.push(both.1);
        }
    }
    all
}

/// Returns the module `bodies`.
pub fn bodies(packets: &Packets, sorted: &[&Packet], enabled: GfxSet) -> String {
    let all = all(packets, sorted, enabled);
    let modules = all.modules.emit("The bodies of GFX{}.", "super::");
    format!(
        "#[cfg(feature = \"overlay\")]\npub mod overlay {{\nuse crate::packet::typed::overlay::{{Body, BodyWord, Raw, Word, body}};\nuse super::{{Opcode, Scope}};\n\n\
         /// The words of several fields.\npub mod words {{\nuse crate::packet::typed::overlay::word;\nuse crate::regs::BitField;\nuse crate::regs::bit_struct::bit_struct;\n{}}}\n\n{}{modules}}}\n",
        all.words.text(),
        all.text
    )
}

/// Returns the text of `body_list.rs`, for tests: every body, and every word with the getter, the setter and the name of each field.
pub fn list(packets: &Packets) -> String {
    let all = all(packets, &super::sorted(packets), GfxSet::ALL);
    let mut out = format!("packet_bodies! {{ {} }}\npacket_words! {{\n", all.names.join(" "));
    for (bits, NamedWord { name, .. }) in &all.words.0 {
        let fields: String = bits.iter().map(|(field, ..)| format!("{} with_{field} {field:?},", field_name(field))).collect();
        writeln!(out, "{name} {{ {fields} }}").unwrap_or_default();
    }
    out + "}\n"
}

/// Returns the distinct layouts of a packet over generations, queues and sizes.
fn layouts(packets: &Packets, packet: &Packet) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for view in views(packet) {
        let mut words: Vec<Word> = Vec::new();
        for dword in 1..view.size {
            let mut word = word(packets, &view, dword);
            // Alternatives of a field may be in different dwords.
            if words.iter().any(|w| w.name == word.name) {
                word.name = format!("word{dword}");
            }
            words.push(word);
        }
        let open = view.form.repeat.is_some();
        match layouts.iter_mut().find(|l| l.words == words && l.open == open) {
            Some(l) => l.cells.push((view.gfx, view.queue)),
            None => layouts.push(Layout { words, open, size: view.size, cells: vec![(view.gfx, view.queue)] }),
        }
    }
    layouts
}

/// Returns a dword as a queue sees it.
fn word(packets: &Packets, view: &View<'_>, dword: u8) -> Word {
    let mut fields: Vec<&Field> = view.fields(packets, view.form).into_iter().map(|(_, field, _)| field).filter(|f| f.dword == dword).collect();
    fields.sort_by_key(|f| f.lo);
    // A field may have several entries, each with the conditions of its generations.
    fields.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let plain = if dword == 1 { "control".to_owned() } else { format!("word{dword}") };
    let (name, kind) = match fields.as_slice() {
        [] => (format!("reserved{dword}"), Kind::Plain("Reserved, zero.".into())),
        [f] if f.lo == 0 => {
            let doc = if f.hi == 31 { "The whole dword.".into() } else { format!("Bits {}:0; the others are reserved.", f.hi) };
            (f.name.clone(), Kind::Plain(doc))
        }
        [f] if f.hi == 31 && f.name.ends_with("_lo") => (f.name.clone(), Kind::Plain(format!("An address in place: its low {} bits are zero.", f.lo))),
        many if many.windows(2).any(|w| w[1].lo <= w[0].hi) => {
            let list: Vec<String> = many.iter().map(|f| format!("`{}` {}:{}", f.name, f.hi, f.lo)).collect();
            (plain, Kind::Plain(format!("What the bits mean depends on other fields: {}.", list.join(", "))))
        }
        many => {
            // A number with a few flags above it gets the name of the number.
            let name = if many.len() == 1 || many[0].lo == 0 && many[0].hi >= 15 { many[0].name.clone() } else { plain };
            (name, Kind::Bits(many.iter().map(|f| (f.name.clone(), f.lo, f.hi)).collect()))
        }
    };
    Word { name, kind }
}

fn emit_struct(packet: &Packet, layout: &Layout, name: &str, words: &mut Words, used: bool) -> String {
    let mut fields = String::new();
    for Word { name: word, kind } in &layout.words {
        match kind {
            Kind::Plain(doc) => writeln!(fields, "{doc:?} {}: u32 = &[],", field_name(word)).unwrap_or_default(),
            Kind::Bits(bits) => {
                let ty = words.name(packet, &format!("{name}{}", camel(word)), bits, used);
                let list: Vec<String> = bits.iter().map(|(f, lo, hi)| format!("`{f}` {hi}:{lo}")).collect();
                writeln!(fields, "\"{}.\" {}: Word<words::{ty}> = words::{ty}::FIELDS,", list.join(", "), field_name(word)).unwrap_or_default();
            }
        }
    }
    let (gfx, scope) = (layout.gfx(), layout.scope(packet).0);
    // Opcodes may differ between generations, but a body needs a single constant.
    let opcode = packet.opcodes.iter().find(|(set, _)| !set.and(gfx).is_empty()).map_or(0, |o| o.1);
    let doc = format!("{} (GFX{gfx}). {}", packet.name, packet.doc);
    format!("body!({doc:?}, {name}, {:?}, {opcode:#x}, {scope:#x}, {}, {{\n{fields}}});\n", packet.name, layout.open)
}

fn emit_word(NamedWord { name, packet, .. }: &NamedWord, bits: &Bits) -> String {
    let (mut members, mut masks, mut methods) = (String::new(), String::new(), String::new());
    let mut at = 0;
    for (field, lo, hi) in bits {
        let width = hi - lo + 1;
        let place = if width == 1 { lo.to_string() } else { format!("{hi}:{lo}") };
        let (getter, mask) = (field_name(field), field.to_ascii_uppercase());
        let kind = field_kind(width);
        members.push_str(&pad(at, *lo));
        write!(members, "(skip(setters)) raw_{field} B{width};").unwrap_or_default();
        write!(masks, "\"Bits {place}.\" {mask} = {field:?} {lo} {width};").unwrap_or_default();
        write!(methods, "\"Bits {place}.\" {getter} raw_{field} with_{field} {mask} {kind};").unwrap_or_default();
        at = hi + 1;
    }
    members.push_str(&pad(at, 32));
    format!("word!(\"A word of {packet}.\", {name}, {{ {members} }}, {{ {masks} }}, {{ {methods} }});\n")
}
