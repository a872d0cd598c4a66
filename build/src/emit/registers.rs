//! Emits the register tables: every register, field and enum, shared between the generations that agree.

use crate::gfx::{GENERATIONS, GfxSet};
use crate::lists::{concat, names, texts};
use crate::model::registers::*;
use crate::sorted::{SortedMap, sort};
use std::fmt::Write;

/// Items in the order of their first use, each once.
pub struct Pool<T = String> {
    pub items: Vec<T>,
    places: SortedMap<T, usize>,
}

impl<T: Ord + Clone> Pool<T> {
    pub fn new() -> Self {
        Self { items: Vec::new(), places: SortedMap::new() }
    }

    pub fn add(&mut self, item: T) -> usize {
        let new = self.items.len();
        let place = *self.places.or_insert(item.clone(), new);
        if place == new {
            self.items.push(item);
        }
        place
    }
}

/// A number of two bytes. What reads the rows refuses lists that are so long that a number is cut.
pub fn half(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes()
}

/// Bytes as a literal. For the compiler it is one expression, where a list of numbers is one for each number.
pub fn literal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut literal = String::from("b\"");
    for &byte in bytes {
        match byte {
            b'\t' => literal.push_str("\\t"),
            b'\r' => literal.push_str("\\r"),
            b'\n' => literal.push_str("\\n"),
            b'\'' | b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(byte));
            }
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                literal.push_str("\\x");
                literal.push(char::from(DIGITS[usize::from(byte >> 4)]));
                literal.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }
    literal.push('"');
    literal
}

fn halves(numbers: &[usize]) -> String {
    let mut all = Vec::new();
    for number in numbers {
        all.extend_from_slice(&half(*number));
    }
    literal(&all)
}

/// What rows of registers and fields name by number.
struct Parts {
    texts: Pool,
    enums: Pool,
    /// Rows of fields.
    layouts: Pool<Vec<u8>>,
    /// Rows.
    registers: Pool<Vec<u8>>,
    index_seen: Pool,
    bits_seen: Pool,
    aliases: Pool,
}

impl Parts {
    fn new() -> Self {
        let [mut texts, enums, index_seen, bits_seen, aliases] = std::array::from_fn(|_| Pool::new());
        texts.add(String::new()); // number 0
        Self { texts, enums, layouts: Pool::new(), registers: Pool::new(), index_seen, bits_seen, aliases }
    }

    fn text(&mut self, text: &str) -> [u8; 2] {
        if text.is_empty() {
            return half(0);
        }
        half(self.texts.add(text.to_owned()))
    }
}

/// The number of an item in a pool, from 1; 0 for none.
fn or_none(pool: &mut Pool, item: Option<String>) -> [u8; 2] {
    match item {
        Some(item) => half(pool.add(item) + 1),
        None => half(0),
    }
}

/// The text of `registers.rs`. Registers and fields are rows of bytes, which `src/regs/register_rows.rs` reads when the crate is compiled.
pub fn registers(database: &Database, enabled: GfxSet) -> String {
    let mut parts = Parts::new();
    let mut tables = String::new();
    for gfx in enabled.indices() {
        tables += &table(database, gfx, &mut parts);
    }
    let mut out = String::from("// Generated from regdb/ by build.rs.\n");
    let mut push = |name: &str, kind: &str, items: &[String]| {
        writeln!(out, "pub(super) static {name}: [{kind}; {}] = [{}];", items.len(), items.join(",")).unwrap_or_default();
    };
    push("TEXTS", "&str", &texts(&parts.texts.items, &|text| format!("{text:?}")));
    push("ENUMS", "EnumInfo", &parts.enums.items);
    push("INDEX_SEEN", "(u8, &str)", &parts.index_seen.items);
    push("BITS_SEEN", "(u32, &str)", &parts.bits_seen.items);
    push("ALIASES", "&[&str]", &parts.aliases.items);
    let layouts = &parts.layouts.items;
    let (mut lengths, mut count) = (Vec::new(), 0);
    for fields in layouts {
        lengths.push(u8::try_from(fields.len() / FIELD_BYTES).unwrap_or(u8::MAX));
        count += fields.len() / FIELD_BYTES;
    }
    writeln!(
        out,
        "pub(super) static FIELDS: [FieldInfo; {count}] = register_rows::fields({});\n\
         pub(super) static LAYOUTS: [&[FieldInfo]; {}] = lists(&FIELDS, {});\n\
         pub(super) static REGISTERS: [RegisterInfo; {}] = register_rows::registers({});",
        literal(&layouts.concat()),
        layouts.len(),
        literal(&lengths),
        parts.registers.items.len(),
        literal(&parts.registers.items.concat())
    )
    .unwrap_or_default();
    out.push_str(&tables);
    let mut arms = String::new();
    for gfx in enabled.indices() {
        write!(arms, "Gfx::{} => &{},", GENERATIONS[gfx].variant, GENERATIONS[gfx].id.to_uppercase()).unwrap_or_default();
    }
    writeln!(out, "pub(crate) const fn tables(gfx: Gfx) -> &'static Tables {{ match gfx {{ {arms} }} }}").unwrap_or_default();
    out
}

/// The table of a generation; adds the rows that it names to `parts`.
fn table(database: &Database, gfx: usize, parts: &mut Parts) -> String {
    let mut enums = Vec::new();
    let mut places = vec![0; database.enums.len()];
    for (place, e) in database.enums.iter().enumerate() {
        if e.gfx.has(gfx) {
            places[place] = parts.enums.add(enum_info(e, gfx));
            enums.push(places[place]);
        }
    }
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    for register in &database.registers {
        let Some(place) = register.place(gfx) else { continue };
        let row = register_row(database, register, place, gfx, &places, parts);
        let index = parts.registers.add(row);
        list.push([place.addr as usize, index]);
        for (element, addr) in place.addresses().into_iter().enumerate() {
            slots.push([addr as usize / 4, index, element]);
        }
    }
    sort(&mut list);
    sort(&mut slots);
    let mut numbers = Vec::new();
    for [_, index] in list {
        numbers.push(index);
    }
    let list = halves(&numbers);
    let slots = halves(slots.as_flattened());
    let enums = halves(&enums);
    let name = GENERATIONS[gfx].id.to_uppercase();
    let texts = match database.lineage.iter().find(|lineage| lineage.gfx.has(gfx)) {
        Some(lineage) => concat(&lineage.texts, &|text| format!("{text:?},")),
        None => String::new(),
    };
    let indexed = indexed(database, gfx);
    let rows = database.group_places(gfx);
    let groups = concat(&rows, &|row| format!("Groups{{first:{},bytes:{},count:{}}},", row.first, row.bytes, row.count));
    let inner = inner(&rows);
    format!(
        "pub(crate) static {name}: Tables = Tables {{ registers: {list}.as_chunks().0, slots: {slots}.as_chunks().0, enums: {enums}.as_chunks().0, \
         lineage: &[{texts}], {indexed} groups: &[{groups}], inner: {inner:?} }};\n"
    )
}

/// The registers with an index, by window and address.
fn indexed(database: &Database, gfx: usize) -> String {
    let mut list: Vec<(u32, u8)> = Vec::new();
    for register in &database.registers {
        let (Some(place), Some(part)) = (register.place(gfx), Part::on(&register.index, gfx)) else { continue };
        for addr in place.addresses() {
            list.push((addr, part.value));
        }
    }
    sort(&mut list);
    let (mut sh, mut context, mut uconfig) = (Vec::new(), Vec::new(), Vec::new());
    for entry in list {
        match Space::of(entry.0) {
            Some(Space::Sh) => sh.push(entry),
            Some(Space::Context) => context.push(entry),
            Some(Space::Uconfig) => uconfig.push(entry),
            _ => {}
        }
    }
    format!("indexed_sh: &{sh:?}, indexed_context: &{context:?}, indexed_uconfig: &{uconfig:?},")
}

/// One bit per context register, and one for the end of the space: it continues a group that an earlier register began.
fn inner(rows: &[Groups]) -> Vec<u64> {
    let (start, length) = CONTEXT;
    let mut bits = vec![0; length / 64 + 1];
    for Groups { first, bytes, count } in rows {
        for offset in (0..bytes * count).step_by(4).filter(|offset| offset % bytes != 0) {
            let slot = (first - start + offset) as usize / 4;
            if let Some(word) = bits.get_mut(slot / 64) {
                *word |= 1 << (slot % 64);
            }
        }
    }
    bits
}

pub fn enum_info(e: &Enum, gfx: usize) -> String {
    let entries = concat(&e.entries_on(gfx), &|entry| format!("({:?},{}),", entry.name.text, entry.value));
    let mut notes = Vec::new();
    for other in &e.disagreements {
        if other.gfx.has(gfx) {
            notes.push(match other.value {
                Some(value) => format!("{} has {} = {value}", source_title(&other.source), other.entry.text),
                None => format!("{} has no {}", source_title(&other.source), other.entry.text),
            });
        }
    }
    let sources = match sources_on(&e.sources, gfx) {
        Some(sources) => format!("Some(Sources({}))", sources.0),
        None => "None".to_owned(),
    };
    let doc = e.doc.as_deref().unwrap_or("");
    let mut seen = Vec::new();
    for part in &e.values_seen {
        if part.gfx.has(gfx) {
            seen.push(&part.value);
        }
    }
    format!(
        "EnumInfo{{name:{:?},flags:{},entries:&[{entries}],values_seen:&{seen:?},sources:{sources},doc:{doc:?},note:{:?}}}",
        e.name.text,
        e.flags,
        notes.join("; ")
    )
}

/// The sources that are given for a generation.
fn sources_on(list: &[(GfxSet, Sources)], gfx: usize) -> Option<Sources> {
    for (set, sources) in list {
        if set.has(gfx) {
            return Some(*sources);
        }
    }
    None
}

fn source_title(name: &str) -> &str {
    match name {
        "mesa" => "Mesa",
        "linux" => "Linux",
        "pal" => "PAL",
        other => other,
    }
}

fn source_list(sources: Sources) -> String {
    let mut titles = Vec::new();
    for (bit, name) in Sources::NAMES.iter().enumerate() {
        if sources.0 >> bit & 1 == 1 {
            titles.push(source_title(name));
        }
    }
    titles.join(" and ")
}

/// Bytes of a row of a field, in the order in which `src/regs/register_rows.rs` reads them.
const FIELD_BYTES: usize = 11;

/// The bytes of a row of a field. `enums` has the number of each value list of the generation.
fn field_row(database: &Database, field: &Field, gfx: usize, enums: &[usize], parts: &mut Parts) -> Vec<u8> {
    let values = match field.values.as_ref().and_then(|name| database.place_of_values(&name.text, gfx)) {
        Some(place) => enums[place] + 1,
        None => 0,
    };
    let mut notes = Vec::new();
    if let Some(sources) = field.sources {
        notes.push(format!("only {} has it", source_list(sources)));
    }
    if !field.chips.is_empty() {
        notes.push(format!("only in {}", names(&field.chips, &|group| &group.text).join(", ")));
    }
    for (name, sources) in &field.alt_names {
        notes.push(format!("called {name} by {}", names(sources, &|source| source_title(source)).join(" and ")));
    }
    notes.extend(field.note.clone());
    let row: [&[u8]; 5] = [
        &parts.text(&field.name.text),
        &[field.lo, field.hi, field.float.into()],
        &half(values),
        &parts.text(field.doc.as_deref().unwrap_or("")),
        &parts.text(&notes.join("; ")),
    ];
    row.concat()
}

/// The bytes of a row of a register, in the order in which `src/regs/register_rows.rs` reads them.
fn register_row(database: &Database, register: &Register, place: &Place, gfx: usize, enums: &[usize], parts: &mut Parts) -> Vec<u8> {
    let mut fields = Vec::new();
    for field in register.layout(gfx) {
        fields.extend(field_row(database, field, gfx, enums, parts));
    }
    let (pattern, first) = match register.naming(gfx) {
        Some(naming) if place.count > 1 => (naming.pattern.as_str(), naming.first),
        _ => ("", 0),
    };
    let sources = sources_on(&register.sources, gfx).unwrap_or(database.usual_sources(gfx));
    let mut aliases = Vec::new();
    for alias in &register.aliases {
        if alias.gfx.has(gfx) {
            aliases.push(alias.name.as_str());
        }
    }
    let mut notes = texts(&place.chips, &|(chips, addr)| format!("0x{addr:05x} on {}", chips.text));
    for (source, addr) in &place.privileged_twin {
        notes.push(format!("{} has a privileged register of this name at 0x{addr:05x}", source_title(&source.text)));
    }
    for u in &register.unplaced {
        if u.gfx.has(gfx) {
            notes.push(format!("{} lists {}[{}:{}] for an unnamed subset of chips", source_title(&u.source), u.name, u.hi, u.lo));
        }
    }
    notes.extend(register.note.clone());
    let clear = database.clear_value(register, gfx);
    let index = Part::on(&register.index, gfx).map(|part| part.value);
    let flags = [register.typed == Typed::Struct, register.rolls(gfx), clear.is_some(), index.is_some()];
    let numbers = [first, place.addr, place.count, place.stride].map(u32::to_le_bytes);
    let mut flag_bits = 0;
    for (bit, on) in flags.into_iter().enumerate() {
        flag_bits |= u8::from(on) << bit;
    }
    let row: [&[u8]; 13] = [
        &parts.text(&register.name.text),
        &parts.text(pattern),
        numbers.as_flattened(),
        &half(parts.layouts.add(fields)),
        &[sources.0, flag_bits],
        &clear.unwrap_or_default().to_le_bytes(),
        &[index.unwrap_or_default()],
        &or_none(&mut parts.index_seen, Part::on(&register.index_seen, gfx).map(|part| format!("{:?}", part.value))),
        &or_none(&mut parts.bits_seen, Part::on(&register.bits_seen, gfx).map(|part| format!("{:?}", part.value))),
        &Part::on(&register.group, gfx).map_or([0; 2], |part| parts.text(&part.value)),
        &or_none(&mut parts.aliases, (!aliases.is_empty()).then(|| format!("&{aliases:?}"))),
        &parts.text(register.doc.as_deref().unwrap_or("")),
        &parts.text(&notes.join("; ")),
    ];
    row.concat()
}
