//! Emits the register tables: every register, field and enum, shared between the generations that agree.

use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::model::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Items in the order of their first use, each once.
pub struct Pool {
    pub items: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Pool {
    pub fn new() -> Self {
        Self { items: Vec::new(), places: BTreeMap::new() }
    }

    pub fn add(&mut self, item: String) -> usize {
        *self.places.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            self.items.len() - 1
        })
    }
}

/// The text of `registers.rs`.
pub fn registers(database: &Database, enabled: GfxSet) -> String {
    let (mut enums, mut layouts, mut registers) = (Pool::new(), Pool::new(), Pool::new());
    let mut tables = String::new();
    for (gfx, generation) in enabled.indices().map(|gfx| (gfx, &GENERATIONS[gfx])) {
        let enum_list: Vec<usize> = database.enums.iter().filter(|e| e.gfx.has(gfx)).map(|e| enums.add(enum_info(e, gfx))).collect();
        let mut list = Vec::new();
        let mut slots = Vec::new();
        for register in &database.registers {
            let Some(place) = register.place(gfx) else { continue };
            let fields: String = register.layout(gfx).into_iter().map(|f| field_info(database, f, gfx, &mut enums)).collect();
            let layout = layouts.add(fields);
            let index = registers.add(register_info(database, register, place, gfx, layout));
            list.push((place.addr, index));
            slots.extend(place.addresses().enumerate().map(|(element, addr)| (addr / 4, index, element)));
        }
        list.sort_unstable();
        slots.sort_unstable();
        let list: String = list.iter().map(|(_, index)| format!("{index},")).collect();
        let slots: String = slots.iter().map(|(dword, index, element)| format!("({dword},{index},{element}),")).collect();
        let enum_list: String = enum_list.iter().map(|i| format!("{i},")).collect();
        let name = generation.id.to_uppercase();
        let lineage = database.lineage.iter().find(|l| l.gfx.has(gfx));
        let texts: String = lineage.map_or(String::new(), |l| l.texts.iter().map(|t| format!("{t:?},")).collect());
        let indexed = indexed(database, gfx);
        let rows = database.group_places(gfx);
        let groups: String = rows.iter().map(|row| format!("Groups{{first:{},bytes:{},count:{}}},", row.first, row.bytes, row.count)).collect();
        let inner = inner(&rows);
        writeln!(
            tables,
            "pub(crate) static {name}: Tables = Tables {{ registers: &[{list}], slots: &[{slots}], enums: &[{enum_list}], lineage: &[{texts}], \
             {indexed} groups: &[{groups}], inner: {inner:?} }};"
        )
        .unwrap_or_default();
    }
    let mut out = String::from("// Generated from regdb/ by build.rs.\n");
    let mut push = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    push(format!("static E: [EnumInfo; {}] = [{}];", enums.items.len(), enums.items.concat()));
    for (i, fields) in layouts.items.iter().enumerate() {
        push(format!("static F{i}: &[FieldInfo] = &[{fields}];"));
    }
    push(format!("const ANY_REGISTER: RegisterInfo = {};", register_literal(&REGISTER_MEMBERS.map(|(_, usual)| usual.to_owned()), false)));
    let mut parts = Vec::new();
    for (i, part) in registers.items.chunks(REGISTERS_TOGETHER).enumerate() {
        push(format!("static R{i}: [RegisterInfo; {}] = [{}];", part.len(), part.concat()));
        parts.push(format!("&R{i},"));
    }
    push(format!("const REGISTERS_TOGETHER: usize = {REGISTERS_TOGETHER};\nstatic R: [&[RegisterInfo]; {}] = [{}];", parts.len(), parts.concat()));
    push(tables);
    let arms: String = enabled.indices().map(|g| format!("Gfx::{} => &{},", GENERATIONS[g].variant, GENERATIONS[g].id.to_uppercase())).collect();
    push(format!("pub(crate) const fn tables(gfx: Gfx) -> &'static Tables {{ match gfx {{ {arms} }} }}"));
    out
}

/// The registers with an index, by window and address.
fn indexed(database: &Database, gfx: usize) -> String {
    let all = database.registers.iter().filter_map(|register| Some((register.place(gfx)?, Part::on(&register.index, gfx)?)));
    let mut list: Vec<(u32, u8)> = all.flat_map(|(place, part)| place.addresses().map(|addr| (addr, part.value))).collect();
    list.sort_unstable();
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
        "EnumInfo{{name:{:?},flags:{},entries:&[{entries}],values_seen:&{seen:?},sources:{sources},doc:{doc:?},note:{:?}}},",
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

fn field_info(database: &Database, field: &Field, gfx: usize, enums: &mut Pool) -> String {
    let values = field.values.as_ref().and_then(|name| database.values(&name.text, gfx));
    let values = values.map_or("None".to_owned(), |e| format!("Some(&E[{}])", enums.add(enum_info(e, gfx))));
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
    let doc = field.doc.as_deref().unwrap_or("");
    // A literal: thousands of calls, even of a const fn, would cost the borrow checker more.
    format!("FieldInfo{{name:{:?},lo:{},hi:{},values:{values},doc:{doc:?},note:{:?}}},", field.name.text, field.lo, field.hi, notes.join("; "))
}

fn register_info(database: &Database, register: &Register, place: &Place, gfx: usize, layout: usize) -> String {
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
    let part = |part: Option<String>| part.unwrap_or_else(|| "None".into());
    let members = [
        format!("{:?}", register.name.text),
        format!("{pattern:?}"),
        first.to_string(),
        place.addr.to_string(),
        place.count.to_string(),
        place.stride.to_string(),
        format!("F{layout}"),
        format!("Sources({})", sources.0),
        (register.typed == Typed::Struct).to_string(),
        format!("{:?}", database.clear_value(register, gfx)),
        part(Part::on(&register.index, gfx).map(|part| format!("Some({:?})", part.value))),
        part(Part::on(&register.index_seen, gfx).map(|part| format!("Some({:?})", part.value))),
        part(Part::on(&register.bits_seen, gfx).map(|part| format!("Some({:?})", part.value))),
        part(Part::on(&register.group, gfx).map(|part| format!("Some({:?})", part.value))),
        register.rolls(gfx).to_string(),
        format!("&{aliases:?}"),
        format!("{:?}", register.doc.as_deref().unwrap_or("")),
        format!("{:?}", notes.join("; ")),
    ];
    register_literal(&members, true) + ","
}

/// The members of a RegisterInfo, and what most registers have there.
const REGISTER_MEMBERS: [(&str, &str); 18] = [
    ("name", "\"\""),
    ("pattern", "\"\""),
    ("first", "0"),
    ("addr", "0"),
    ("count", "1"),
    ("stride", "0"),
    ("fields", "&[]"),
    ("sources", "Sources(0)"),
    ("typed", "false"),
    ("clear", "None"),
    ("index", "None"),
    ("index_seen", "None"),
    ("bits_seen", "None"),
    ("group", "None"),
    ("rolls", "false"),
    ("aliases", "&[]"),
    ("doc", "\"\""),
    ("note", "\"\""),
];

/// Registers in one static array: the compiler's work on an array grows faster than the array.
const REGISTERS_TOGETHER: usize = 64;

/// A RegisterInfo. With `short`, members with the usual value are taken from `ANY_REGISTER`: the compiler needs a tenth of the time for a table of such rows.
fn register_literal(members: &[String; REGISTER_MEMBERS.len()], short: bool) -> String {
    let own = REGISTER_MEMBERS.iter().zip(members).filter(|((_, usual), member)| !short || usual != member);
    let own: String = own.map(|((name, _), member)| format!("{name}:{member},")).collect();
    format!("RegisterInfo{{{own}{}}}", if short { "..ANY_REGISTER" } else { "" })
}
