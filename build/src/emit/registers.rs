//! Emits the register tables: every register, field and enum, shared between generations that agree.

use crate::gfx::{GENERATIONS, GfxSet};
use crate::model::registers::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Items without duplicates, in the order of first use.
pub struct Pool<T = String> {
    pub items: Vec<T>,
    places: BTreeMap<T, usize>,
}

impl<T: Ord + Clone> Pool<T> {
    pub fn new() -> Self {
        Self { items: Vec::new(), places: BTreeMap::new() }
    }

    pub fn add(&mut self, item: T) -> usize {
        let new = self.items.len();
        let place = *self.places.entry(item.clone()).or_insert(new);
        if place == new {
            self.items.push(item);
        }
        place
    }
}

/// Parts shared by the tables of generations, without duplicates.
struct Parts {
    enums: Pool,
    /// The field rows of each layout.
    layouts: Pool<Vec<String>>,
    registers: Pool,
    /// The first register with each layout.
    layout_names: Vec<String>,
}

/// Returns the text of `registers.rs`.
pub fn registers(database: &Database, enabled: GfxSet) -> String {
    let mut parts = Parts { enums: Pool::new(), layouts: Pool::new(), registers: Pool::new(), layout_names: Vec::new() };
    let mut tables = String::new();
    for gfx in enabled.indices() {
        tables += &table(database, gfx, &mut parts);
    }
    let mut out = String::new();
    let mut push = |name: &str, ty: &str, items: &[String], comment: &dyn Fn(usize) -> String| {
        writeln!(out, "pub(super) static {name}: [{ty}; {}] = [", items.len()).unwrap_or_default();
        for (number, item) in items.iter().enumerate() {
            writeln!(out, "{item}, // {number}{}", comment(number)).unwrap_or_default();
        }
        out.push_str("];\n");
    };
    push("ENUMS", "EnumInfo", &parts.enums.items, &|_| String::new());
    let layouts: Vec<String> = parts.layouts.items.iter().map(|fields| format!("&[{}]", fields.join(", "))).collect();
    push("LAYOUTS", "&[FieldInfo]", &layouts, &|number| format!(", {}", parts.layout_names[number]));
    push("REGISTERS", "RegisterInfo", &parts.registers.items, &|_| String::new());
    out.push_str(&tables);
    let mut arms = String::new();
    for gfx in enabled.indices() {
        write!(arms, "Gfx::{} => &{},", GENERATIONS[gfx].variant, GENERATIONS[gfx].id.to_uppercase()).unwrap_or_default();
    }
    writeln!(out, "pub(crate) const fn tables(gfx: Gfx) -> &'static Tables {{ match gfx {{ {arms} }} }}").unwrap_or_default();
    out
}

/// Returns the table of a generation, and adds the rows that it refers to to `parts`.
fn table(database: &Database, gfx: usize, parts: &mut Parts) -> String {
    let mut enums = Vec::new();
    let mut places = vec![0; database.enums.len()];
    for (place, e) in database.enums.iter().enumerate() {
        if e.gfx.has(gfx) {
            places[place] = parts.enums.add(enum_info(e, gfx));
            enums.push(places[place]);
        }
    }
    let mut slots = Vec::new();
    for register in &database.registers {
        let Some(place) = register.place(gfx) else { continue };
        let row = register_row(database, register, place, gfx, &places, parts);
        let index = parts.registers.add(row);
        slots.extend(place.addresses().into_iter().map(|addr| (addr / 4, index)));
    }
    slots.sort();
    let rows = slots.iter().map(|(_, index)| format!("{index}, ")).collect::<String>();
    let begins_run = |place: &usize| *place == 0 || slots[place - 1].0 + 1 != slots[*place].0;
    let runs = (0..slots.len()).filter(begins_run).map(|place| format!("({:#x}, {place}),", slots[place].0)).collect::<String>();
    let name = GENERATIONS[gfx].id.to_uppercase();
    let texts = match database.lineage.iter().find(|lineage| lineage.gfx.has(gfx)) {
        Some(lineage) => lineage.texts.iter().map(|text| format!("{text:?},")).collect::<String>(),
        None => String::new(),
    };
    let indexed = indexed(database, gfx);
    let group_places = database.group_places(gfx);
    let groups =
        group_places.iter().map(|row| format!("Groups {{ first: {:#x}, bytes: {}, count: {} }},", row.first, row.bytes, row.count)).collect::<String>();
    let inner = inner(&group_places);
    format!(
        "pub(crate) static {name}: Tables = Tables {{ rows: &[{rows}], runs: &[{runs}], enums: &{enums:?}, lineage: &[{texts}], {indexed} \
         groups: &[{groups}], inner: {inner:?} }};\n"
    )
}

/// Returns the registers with an index, by window and address.
fn indexed(database: &Database, gfx: usize) -> String {
    let mut list: Vec<(u32, u8)> = Vec::new();
    for register in &database.registers {
        let (Some(place), Some(part)) = (register.place(gfx), Part::on(&register.index, gfx)) else { continue };
        for addr in place.addresses() {
            list.push((addr, part.value));
        }
    }
    list.sort();
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

/// Returns one bit per context register, and one for the end of the space: whether it continues a group that an earlier register began.
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
    let entries = e.entries_on(gfx).iter().map(|entry| format!("({:?},{}),", entry.name.text, entry.value)).collect::<String>();
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
        "EnumInfo {{ name: {:?}, flags: {}, entries: &[{entries}], values_seen: &{seen:?}, sources: {sources}, doc: {doc:?}, note: {:?} }}",
        e.name.text,
        e.flags,
        notes.join("; ")
    )
}

/// Returns the sources given for a generation.
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

/// A struct expression with the members that differ from a constant.
struct Row(String);

impl Row {
    fn new(ty: &str) -> Self {
        Self(format!("{ty} {{ "))
    }

    fn add(mut self, differs: bool, member: &str, value: impl FnOnce() -> String) -> Self {
        if differs {
            self.0 += &format!("{member}: {}, ", value());
        }
        self
    }

    fn text(self, member: &str, text: &str) -> Self {
        self.add(!text.is_empty(), member, || format!("{text:?}"))
    }

    fn rest(self, rest: &str) -> String {
        self.0 + ".." + rest + " }"
    }
}

/// Returns the row of a field. `enums` contains the number of each value list of the generation.
fn field_row(database: &Database, field: &Field, gfx: usize, enums: &[usize]) -> String {
    let values = field.values.as_ref().and_then(|name| database.place_of_values(&name.text, gfx));
    let mut notes = Vec::new();
    if let Some(sources) = field.sources {
        notes.push(format!("only {} has it", source_list(sources)));
    }
    if !field.chips.is_empty() {
        notes.push(format!("only in {}", field.chips.iter().map(|group| group.text.as_str()).collect::<Vec<_>>().join(", ")));
    }
    for (name, sources) in &field.alt_names {
        notes.push(format!("called {name} by {}", sources.iter().map(|source| source_title(source)).collect::<Vec<_>>().join(" and ")));
    }
    notes.extend(field.note.clone());
    Row::new("FieldInfo")
        .text("name", &field.name.text)
        .add(true, "lo", || field.lo.to_string())
        .add(true, "hi", || field.hi.to_string())
        .add(values.is_some(), "values", || format!("Some(&ENUMS[{}])", enums[values.unwrap_or_default()]))
        .add(field.float, "float", || "true".to_owned())
        .text("doc", field.doc.as_deref().unwrap_or(""))
        .text("note", &notes.join("; "))
        .rest("FIELD")
}

/// Returns the row of a register, and adds its layout to `parts`.
fn register_row(database: &Database, register: &Register, place: &Place, gfx: usize, enums: &[usize], parts: &mut Parts) -> String {
    let fields = register.layout(gfx).into_iter().map(|field| field_row(database, field, gfx, enums)).collect();
    let layout = parts.layouts.add(fields);
    if layout == parts.layout_names.len() {
        parts.layout_names.push(register.name.text.clone());
    }
    let (pattern, first) = match register.naming(gfx) {
        Some(naming) if place.count > 1 => (naming.pattern.as_str(), naming.first),
        _ => ("", 0),
    };
    let sources = sources_on(&register.sources, gfx).unwrap_or(database.usual_sources(gfx));
    let aliases: Vec<&str> = register.aliases.iter().filter(|alias| alias.gfx.has(gfx)).map(|alias| alias.name.as_str()).collect();
    let mut notes = place.chips.iter().map(|(chips, addr)| format!("0x{addr:05x} on {}", chips.text)).collect::<Vec<_>>();
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
    let index_seen = Part::on(&register.index_seen, gfx).map(|part| &part.value);
    let bits_seen = Part::on(&register.bits_seen, gfx).map(|part| &part.value);
    let group = Part::on(&register.group, gfx).map(|part| &part.value);
    Row::new("RegisterInfo")
        .text("name", &register.name.text)
        .text("pattern", pattern)
        .add(first > 0, "first", || first.to_string())
        .add(true, "addr", || format!("{:#x}", place.addr))
        .add(true, "count", || place.count.to_string())
        .add(place.stride > 0, "stride", || format!("{:#x}", place.stride))
        .add(true, "fields", || format!("LAYOUTS[{layout}]"))
        .add(true, "sources", || format!("Sources({:#b})", sources.0))
        .add(register.typed == Typed::Struct, "typed", || "true".to_owned())
        .add(register.rolls(gfx), "rolls", || "true".to_owned())
        .add(clear.is_some(), "clear", || format!("Some({:#x})", clear.unwrap_or_default()))
        .add(index.is_some(), "index", || format!("{index:?}"))
        .add(index_seen.is_some(), "index_seen", || format!("{index_seen:?}"))
        .add(bits_seen.is_some(), "bits_seen", || format!("{bits_seen:?}"))
        .add(group.is_some(), "group", || format!("{group:?}"))
        .add(!aliases.is_empty(), "aliases", || format!("&{aliases:?}"))
        .text("doc", register.doc.as_deref().unwrap_or(""))
        .text("note", &notes.join("; "))
        .rest("REGISTER")
}
