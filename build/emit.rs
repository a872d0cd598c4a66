//! Emits the register tables: every register, field and enum, shared between the generations that agree.

use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::model::*;
use crate::regdb::sorted::{SortedMap, sort};
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
pub fn bytes(bytes: impl Iterator<Item = u8>) -> String {
    let escaped: String = bytes.flat_map(std::ascii::escape_default).map(char::from).collect();
    format!("b\"{escaped}\"")
}

fn halves(numbers: impl Iterator<Item = usize>) -> String {
    bytes(numbers.flat_map(half))
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
        half(self.texts.add(text.to_owned()))
    }
}

/// The number of an item in a pool, from 1; 0 for none.
fn or_none(pool: &mut Pool, item: Option<String>) -> [u8; 2] {
    half(item.map_or(0, |item| pool.add(item) + 1))
}

/// The text of `registers.rs`. Registers and fields are rows of bytes, which `src/regs/register_rows.rs` reads when the crate is compiled.
pub fn registers(database: &Database, enabled: GfxSet) -> String {
    let mut parts = Parts::new();
    let mut tables = String::new();
    for (gfx, generation) in enabled.indices().map(|gfx| (gfx, &GENERATIONS[gfx])) {
        let enums: Vec<usize> = database.enums.iter().filter(|e| e.gfx.has(gfx)).map(|e| parts.enums.add(enum_info(e, gfx))).collect();
        let mut list = Vec::new();
        let mut slots = Vec::new();
        for register in &database.registers {
            let Some(place) = register.place(gfx) else { continue };
            let row = register_row(database, register, place, gfx, &mut parts);
            let index = parts.registers.add(row);
            list.push((place.addr, index));
            slots.extend(place.addresses().enumerate().map(|(element, addr)| (addr as usize / 4, index, element)));
        }
        sort(&mut list);
        sort(&mut slots);
        let list = halves(list.iter().map(|(_, index)| *index));
        let slots = halves(slots.iter().flat_map(|(dword, index, element)| [*dword, *index, *element]));
        let enums = halves(enums.into_iter());
        let name = generation.id.to_uppercase();
        let lineage = database.lineage.iter().find(|l| l.gfx.has(gfx));
        let texts: String = lineage.map_or(String::new(), |l| l.texts.iter().map(|t| format!("{t:?},")).collect());
        let indexed = indexed(database, gfx);
        let rows = database.group_places(gfx);
        let groups: String = rows.iter().map(|row| format!("Groups{{first:{},bytes:{},count:{}}},", row.first, row.bytes, row.count)).collect();
        let inner = inner(&rows);
        writeln!(
            tables,
            "pub(crate) static {name}: Tables = Tables {{ registers: {list}.as_chunks().0, slots: {slots}.as_chunks().0, enums: {enums}.as_chunks().0, \
             lineage: &[{texts}], {indexed} groups: &[{groups}], inner: {inner:?} }};"
        )
        .unwrap_or_default();
    }
    let mut out = String::from("// Generated from regdb/ by build.rs.\n");
    let mut push = |name: &str, kind: &str, items: &[String]| {
        writeln!(out, "pub(super) static {name}: [{kind}; {}] = [{}];", items.len(), items.join(",")).unwrap_or_default();
    };
    let texts: Vec<String> = parts.texts.items.iter().map(|text| format!("{text:?}")).collect();
    push("TEXTS", "&str", &texts);
    push("ENUMS", "EnumInfo", &parts.enums.items);
    push("INDEX_SEEN", "(u8, &str)", &parts.index_seen.items);
    push("BITS_SEEN", "(u32, &str)", &parts.bits_seen.items);
    push("ALIASES", "&[&str]", &parts.aliases.items);
    let layouts = &parts.layouts.items;
    let lengths = bytes(layouts.iter().map(|fields| u8::try_from(fields.len() / FIELD_BYTES).unwrap_or(u8::MAX)));
    let count = layouts.iter().map(Vec::len).sum::<usize>() / FIELD_BYTES;
    let rows = |rows: &[Vec<u8>]| bytes(rows.iter().flatten().copied());
    writeln!(
        out,
        "pub(super) static FIELDS: [FieldInfo; {count}] = register_rows::fields({});\n\
         pub(super) static LAYOUTS: [&[FieldInfo]; {}] = lists(&FIELDS, {lengths});\n\
         pub(super) static REGISTERS: [RegisterInfo; {}] = register_rows::registers({});",
        rows(layouts),
        layouts.len(),
        parts.registers.items.len(),
        rows(&parts.registers.items)
    )
    .unwrap_or_default();
    out.push_str(&tables);
    let arms: String = enabled.indices().map(|g| format!("Gfx::{} => &{},", GENERATIONS[g].variant, GENERATIONS[g].id.to_uppercase())).collect();
    writeln!(out, "pub(crate) const fn tables(gfx: Gfx) -> &'static Tables {{ match gfx {{ {arms} }} }}").unwrap_or_default();
    out
}

/// The registers with an index, by window and address.
fn indexed(database: &Database, gfx: usize) -> String {
    let all = database.registers.iter().filter_map(|register| Some((register.place(gfx)?, Part::on(&register.index, gfx)?)));
    let mut list: Vec<(u32, u8)> = all.flat_map(|(place, part)| place.addresses().map(|addr| (addr, part.value))).collect();
    sort(&mut list);
    let window = |space: Space| -> Vec<(u32, u8)> { list.iter().copied().filter(|(addr, _)| Space::of(*addr) == Some(space)).collect() };
    let (sh, context, uconfig) = (window(Space::Sh), window(Space::Context), window(Space::Uconfig));
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
    let entries: String = e.entries_on(gfx).iter().map(|entry| format!("({:?},{}),", entry.name.text, entry.value)).collect();
    let notes: Vec<String> = e
        .disagreements
        .iter()
        .filter(|d| d.gfx.has(gfx))
        .map(|d| match d.value {
            Some(value) => format!("{} has {} = {value}", source_title(&d.source), d.entry.text),
            None => format!("{} has no {}", source_title(&d.source), d.entry.text),
        })
        .collect();
    let sources = e.sources.iter().find(|(set, _)| set.has(gfx)).map(|(_, s)| s.0);
    let sources = sources.map_or("None".to_owned(), |s| format!("Some(Sources({s}))"));
    let doc = e.doc.as_deref().unwrap_or("");
    let seen: Vec<(u32, &str)> = e.values_seen.iter().filter(|part| part.gfx.has(gfx)).map(|part| (part.value.0, part.value.1.as_str())).collect();
    format!(
        "EnumInfo{{name:{:?},flags:{},entries:&[{entries}],values_seen:&{seen:?},sources:{sources},doc:{doc:?},note:{:?}}}",
        e.name.text,
        e.flags,
        notes.join("; ")
    )
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
    let names: Vec<_> = Sources::NAMES.iter().enumerate().filter(|(i, _)| sources.0 >> i & 1 == 1).map(|(_, n)| source_title(n)).collect();
    names.join(" and ")
}

/// Bytes of a row of a field, in the order in which `src/regs/register_rows.rs` reads them.
const FIELD_BYTES: usize = 11;

fn field_row(database: &Database, field: &Field, gfx: usize, parts: &mut Parts) -> Vec<u8> {
    let values = field.values.as_ref().and_then(|name| database.values(&name.text, gfx));
    let mut notes = Vec::new();
    notes.extend(field.sources.map(|s| format!("only {} has it", source_list(s))));
    if !field.chips.is_empty() {
        notes.push(format!("only in {}", field.chips.iter().map(|group| group.text.as_str()).collect::<Vec<_>>().join(", ")));
    }
    for (name, sources) in &field.alt_names {
        let sources: Vec<_> = sources.iter().map(|s| source_title(s)).collect();
        notes.push(format!("called {name} by {}", sources.join(" and ")));
    }
    notes.extend(field.note.clone());
    let row: [&[u8]; 5] = [
        &parts.text(&field.name.text),
        &[field.lo, field.hi, field.float.into()],
        &or_none(&mut parts.enums, values.map(|e| enum_info(e, gfx))),
        &parts.text(field.doc.as_deref().unwrap_or("")),
        &parts.text(&notes.join("; ")),
    ];
    row.concat()
}

/// The bytes of a row of a register, in the order in which `src/regs/register_rows.rs` reads them.
fn register_row(database: &Database, register: &Register, place: &Place, gfx: usize, parts: &mut Parts) -> Vec<u8> {
    let mut fields = Vec::new();
    for field in register.layout(gfx) {
        fields.extend(field_row(database, field, gfx, parts));
    }
    let naming = register.naming(gfx).filter(|_| place.count > 1);
    let (pattern, first) = naming.map_or(("", 0), |n| (n.pattern.as_str(), n.first));
    let sources = register.sources.iter().find(|(set, _)| set.has(gfx)).map_or(database.usual_sources(gfx), |(_, s)| *s);
    let aliases: Vec<&str> = register.aliases.iter().filter(|a| a.gfx.has(gfx)).map(|a| a.name.as_str()).collect();
    let mut notes: Vec<String> = Vec::new();
    notes.extend(place.chips.iter().map(|(chips, addr)| format!("0x{addr:05x} on {}", chips.text)));
    notes.extend(place.privileged_twin.iter().map(|(source, addr)| format!("{} has a privileged register of this name at 0x{addr:05x}", source_title(source))));
    for u in register.unplaced.iter().filter(|u| u.gfx.has(gfx)) {
        notes.push(format!("{} lists {}[{}:{}] for an unnamed subset of chips", source_title(&u.source), u.name, u.hi, u.lo));
    }
    notes.extend(register.note.clone());
    let clear = database.clear_value(register, gfx);
    let index = Part::on(&register.index, gfx).map(|part| part.value);
    let flags = [register.typed == Typed::Struct, register.rolls(gfx), clear.is_some(), index.is_some()];
    let numbers = [first, place.addr, place.count, place.stride].map(u32::to_le_bytes);
    let flags = flags.iter().enumerate().fold(0, |word, (bit, on)| word | u8::from(*on) << bit);
    let row: [&[u8]; 13] = [
        &parts.text(&register.name.text),
        &parts.text(pattern),
        numbers.as_flattened(),
        &half(parts.layouts.add(fields)),
        &[sources.0, flags],
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
