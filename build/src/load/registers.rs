//! Reads register description files into the model. Errors within one line are found here; errors between lines are found in `check`.

use crate::diag::{Diagnostic, Result, Source, Span};
use crate::gfx::GfxSet;
use crate::input::{self, Node, Table, Text, each};
use crate::model::registers::*;

/// Loads all register files; collects all mistakes and loads the rest.
pub fn load(files: &[Source]) -> (Database, Vec<Box<Diagnostic>>) {
    let mut database = Database::default();
    let mut errors = Vec::new();
    for (file, source) in files.iter().enumerate() {
        if is_register_file(source) {
            match input::parse(file, source) {
                Ok(parsed) => load_blocks(&input::root(file, &parsed), &mut database, &mut errors),
                Err(e) => errors.push(e),
            }
        } else if source.name.ends_with("sources.toml") {
            errors.extend(load_lineages(file, source, &mut database).err());
        }
    }
    database.registers.sort_by_key(|r| (r.at.first().map_or(0, |p| p.addr), r.name.text.clone()));
    database.enums.sort_by(|a, b| (&a.name.text, a.gfx).cmp(&(&b.name.text, b.gfx)));
    (database, errors)
}

fn load_blocks(root: &Table<'_>, database: &mut Database, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in root.entries() {
        let result = if name == "enum" {
            node.table().map(|enums| load_enums(&enums, database, errors))
        } else {
            load_register(name, &node).map(|register| database.registers.push(register))
        };
        errors.extend(result.err());
    }
}

pub fn load_enums(table: &Table<'_>, database: &mut Database, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in table.entries() {
        for item in node.items() {
            match load_enum(name, &item) {
                Ok(e) => database.enums.push(e),
                Err(e) => errors.push(e),
            }
        }
    }
}

fn load_lineages(file: usize, source: &Source, database: &mut Database) -> Result<()> {
    let parsed = input::parse(file, source)?;
    let root = input::root(file, &parsed);
    root.only(&["lineage"])?;
    let list = root.need("lineage")?;
    let mut seen = GfxSet::NONE;
    let mut lineages = Vec::new();
    for item in list.array()? {
        let lineage = load_lineage(&item)?;
        if !seen.and(lineage.gfx).is_empty() {
            return Err(Diagnostic::new(item.span(), format!("GFX{} has two lineages", seen.and(lineage.gfx))));
        }
        seen = seen.or(lineage.gfx);
        lineages.push(lineage);
    }
    let without = GfxSet::ALL.minus(seen);
    if !without.is_empty() {
        return Err(Diagnostic::new(list.key, format!("no source is given for the registers of GFX{without}")));
    }
    database.lineage = lineages;
    Ok(())
}

fn load_lineage(node: &Node<'_>) -> Result<Lineage> {
    let table = node.table()?;
    table.only(&["gfx", "usual", "mesa", "linux", "pal", "clear_state", "chips"])?;
    let mut texts = Vec::new();
    for name in Sources::NAMES {
        if let Some(text) = table.string(name)? {
            texts.push((name.to_owned(), text));
        }
    }
    let usual_node = table.need("usual")?;
    let usual = sources(&usual_node)?;
    for (bit, name) in Sources::NAMES.iter().enumerate() {
        if usual.0 >> bit & 1 == 1 && table.get(name).is_none() {
            return Err(Diagnostic::new(usual_node.span(), format!("`{name}` is named here, but no line describes it"))
                .help(format!("add {name} = \"title and version\"")));
        }
    }
    let chips = table.strings("chips")?;
    Ok(Lineage { gfx: table.need("gfx")?.gfx()?, usual, clear_state: table.flag("clear_state")?, texts, chips })
}

/// Parses `"mesa+linux"`.
fn sources(node: &Node<'_>) -> Result<Sources> {
    let text = node.string()?;
    let mut set = 0;
    for part in text.split('+') {
        let bit = Sources::NAMES.iter().position(|name| *name == part).ok_or_else(|| unknown_source(node, part))?;
        if set >> bit & 1 == 1 {
            return Err(Diagnostic::new(node.span(), format!("`{part}` is named twice")));
        }
        set |= 1 << bit;
    }
    Ok(Sources(set))
}

fn unknown_source(node: &Node<'_>, name: &str) -> Box<Diagnostic> {
    Diagnostic::new(node.span(), format!("`{name}` is not a source; the sources are mesa, linux and pal"))
}

/// Parses the name of one source.
fn source(node: &Node<'_>) -> Result<String> {
    let name = node.string()?;
    if Sources::NAMES.contains(&&*name) { Ok(name.into_owned()) } else { Err(unknown_source(node, &name)) }
}

/// Parses `[{ gfx = "9", are = "linux" }]` for something that exists on the generations `whole`.
fn sources_by_gfx(table: &Table<'_>, whole: GfxSet, why: &str) -> Result<Vec<(GfxSet, Sources)>> {
    let mut list: Vec<(GfxSet, Sources)> = Vec::new();
    for item in table.items("sources") {
        let table = item.table()?;
        table.only(&["gfx", "are"])?;
        let at = table.need("gfx")?;
        let gfx = within(&table, whole, why)?;
        if let Some((other, _)) = list.iter().find(|(other, _)| !other.and(gfx).is_empty()) {
            return Err(Diagnostic::new(at.span(), format!("the sources of GFX{} are given twice here", other.and(gfx))));
        }
        list.push((gfx, sources(&table.need("are")?)?));
    }
    Ok(list)
}

const REGISTER_KEYS: [&str; 16] = [
    "doc",
    "at",
    "array",
    "typed",
    "fields",
    "aliases",
    "sources",
    "unplaced",
    "note",
    "clear",
    "clear_unknown",
    "index",
    "index_seen",
    "bits_seen",
    "group",
    "rolls",
];

/// Larger than in any array of registers; keeps element numbers small.
const LARGEST_FIRST: u32 = 999;

/// The reason why a part of a register or value list cannot have more generations.
const NO_ADDRESS: &str = "the register has no address";
const NO_ENUM: &str = "the enum does not exist";

fn load_register(name: &str, node: &Node<'_>) -> Result<Register> {
    let table = node.table()?;
    table.only(&REGISTER_KEYS)?;
    let at_node = table.need("at")?;
    let at = each(&at_node.items(), &load_place)?;
    if at.is_empty() {
        return Err(Diagnostic::new(at_node.span(), format!("{name} has no address on any generation")));
    }
    let gfx = gfx_of(&at);
    let mut fields = Vec::new();
    for (name, node) in table.need("fields")?.table()?.entries() {
        // The first line of a field that moves documents all of them.
        let mut doc = None;
        let items = node.items();
        if items.is_empty() {
            return Err(Diagnostic::new(node.span(), format!("the field {name} has no bits on any generation")));
        }
        for item in items {
            let mut field = load_field(name, &node, &item, gfx, NO_ADDRESS, &["float"])?;
            doc = field.doc.take().or(doc);
            field.doc.clone_from(&doc);
            fields.push(field);
        }
    }
    Ok(Register {
        name: Text { text: name.to_owned(), span: node.key.clone() },
        doc: table.string("doc")?,
        array: each(&table.items("array"), &|node| load_naming(node, gfx))?,
        typed: load_typed(table.get("typed"))?,
        aliases: load_aliases(&table, gfx)?,
        sources: sources_by_gfx(&table, gfx, NO_ADDRESS)?,
        unplaced: load_unplaced(&table, gfx)?,
        note: table.string("note")?,
        clear: load_clear(&table, &at)?,
        clear_at: table.get("clear").map(|n| n.span()),
        clear_unknown: load_clear_unknown(&table, &at)?,
        index: load_index(table.get("index"), gfx)?,
        index_seen: load_index_seen(table.get("index_seen"), gfx)?,
        bits_seen: load_bits_seen(table.get("bits_seen"), gfx)?,
        group: load_group(table.get("group"), gfx)?,
        rolls: match table.get("rolls") {
            Some(node) => Some(Part { gfx, value: node.boolean()?, span: node.span() }),
            None => None,
        },
        at,
        fields,
    })
}

/// Reads a property of a register on its generations: a plain value, or a table or list of tables with the value under `key`, next to `gfx` and `more`. `read`
/// receives the generations, the value, and the table if there is one.
fn load_parts(node: Option<Node<'_>>, register: GfxSet, key: &str, more: &[&str], read: &mut ReadPart<'_>) -> Result<()> {
    let Some(node) = node else { return Ok(()) };
    let items = node.items();
    if items.is_empty() {
        return Err(Diagnostic::new(node.span(), "the list is empty: leave the key out to say nothing"));
    }
    for item in &items {
        if !item.is_table() {
            read(register, item, None)?;
            continue;
        }
        let table = item.table()?;
        table.only(&[&["gfx", key], more].concat())?;
        let value = table.need(key)?;
        read(within(&table, register, NO_ADDRESS)?, &value, Some(&table))?;
    }
    Ok(())
}

type ReadPart<'r> = dyn FnMut(GfxSet, &Node<'_>, Option<&Table<'_>>) -> Result<()> + 'r;

/// Parses `1`, or `[{ gfx = "10..", value = 1 }]`.
fn load_index(node: Option<Node<'_>>, register: GfxSet) -> Result<Vec<Part<u8>>> {
    let mut parts = Vec::new();
    load_parts(node, register, "value", &[], &mut |gfx, value, _| {
        parts.push(Part { gfx, value: index(value)?, span: value.span() });
        Ok(())
    })?;
    Ok(parts)
}

/// Parses `"NAME"`, or `[{ gfx = "10..", name = "NAME" }]`.
fn load_group(node: Option<Node<'_>>, register: GfxSet) -> Result<Vec<Part<String>>> {
    let mut parts = Vec::new();
    load_parts(node, register, "name", &[], &mut |gfx, name, _| {
        parts.push(Part { gfx, value: name.string()?.into_owned(), span: name.span() });
        Ok(())
    })?;
    Ok(parts)
}

/// Reads bits 31:28 of the offset dword; 0 is a plain write.
fn index(node: &Node<'_>) -> Result<u8> {
    let number = node.number()?;
    let index = u8::try_from(number).ok().filter(|index| (1..=15).contains(index));
    index.ok_or_else(|| Diagnostic::new(node.span(), format!("an index is 1 to 15, not {number}: it has 4 bits, and a plain write has 0 there")))
}

/// Parses `[{ gfx = "10..", value = 1, source = "…" }]`.
fn load_index_seen(node: Option<Node<'_>>, register: GfxSet) -> Result<Vec<Part<(u32, String)>>> {
    let mut parts = Vec::new();
    load_parts(node, register, "value", &["source"], &mut |gfx, value, table| {
        let Some(table) = table else { return Err(value.expected("a table with `value` and `source`")) };
        parts.push(Part { gfx, value: (index(value)?.into(), table.need_string("source")?), span: value.span() });
        Ok(())
    })?;
    Ok(parts)
}

/// Parses `[{ gfx = "11", mask = 0x10, source = "…" }]`.
fn load_bits_seen(node: Option<Node<'_>>, register: GfxSet) -> Result<Vec<Part<(u32, String)>>> {
    let mut parts = Vec::new();
    load_parts(node, register, "mask", &["source"], &mut |gfx, mask, table| {
        let Some(table) = table else { return Err(mask.expected("a table with `mask` and `source`")) };
        parts.push(Part { gfx, value: (mask.number()?, table.need_string("source")?), span: mask.span() });
        Ok(())
    })?;
    Ok(parts)
}

/// Parses `[{ gfx = "11", value = 5, source = "…" }]`.
fn load_values_seen(node: Option<Node<'_>>, gfx: GfxSet, entries: &[Entry]) -> Result<Vec<Part<(u32, String)>>> {
    let mut parts = Vec::new();
    load_parts(node, gfx, "value", &["source"], &mut |gfx, value, table| {
        let Some(table) = table else { return Err(value.expected("a table with `value` and `source`")) };
        let number = value.number()?;
        if entries.iter().any(|entry| entry.value == number) {
            return Err(Diagnostic::new(value.span(), "the value has a name"));
        }
        parts.push(Part { gfx, value: (number, table.need_string("source")?), span: value.span() });
        Ok(())
    })?;
    Ok(parts)
}

/// Reads the value after CLEAR_STATE, which only context registers have.
fn load_clear(table: &Table<'_>, at: &[Place]) -> Result<u32> {
    let Some(node) = table.get("clear") else { return Ok(0) };
    if at.iter().all(|place| Space::of(place.addr) != Some(Space::Context)) {
        return Err(Diagnostic::new(node.span(), "CLEAR_STATE sets only context registers, and this is not one"));
    }
    node.number()
}

/// Reads the generations whose CLEAR_STATE does not list this context register.
fn load_clear_unknown(table: &Table<'_>, at: &[Place]) -> Result<GfxSet> {
    let Some(node) = table.get("clear_unknown") else { return Ok(GfxSet::NONE) };
    let mut context = GfxSet::NONE;
    for place in at {
        if Space::of(place.addr) == Some(Space::Context) {
            context = context.or(place.gfx);
        }
    }
    inside(node.gfx()?, context, &node.span(), "the register has no address among the context registers")
}

/// Reads `true` for a bit-field struct, `"constants"` for a word with field constants.
fn load_typed(node: Option<Node<'_>>) -> Result<Typed> {
    match node {
        None => Ok(Typed::No),
        Some(node) if node.is_string() && node.string()? == "constants" => Ok(Typed::Constants),
        Some(node) if node.is_string() => Err(Diagnostic::new(node.span(), "`typed` is true, false or \"constants\"")),
        Some(node) => Ok(if node.boolean()? { Typed::Struct } else { Typed::No }),
    }
}

fn load_place(node: &Node<'_>) -> Result<Place> {
    let table = node.table()?;
    table.only(&["gfx", "addr", "count", "stride", "chips", "privileged_twin"])?;
    let place = Place {
        gfx: table.gfx(GfxSet::ALL)?,
        addr: table.need("addr")?.number()?,
        count: table.number("count")?.unwrap_or(1),
        stride: table.number("stride")?.unwrap_or(0),
        chips: addresses(table.get("chips"))?,
        privileged_twin: twins(table.get("privileged_twin"))?,
        span: table.span_of("addr", &node.span()),
    };
    let wrong = |key: &str, why: String| Err(Diagnostic::new(table.span_of(key, &place.span), why));
    if place.count == 0 || place.count > 256 {
        return wrong("count", format!("an array has 1 to 256 elements, not {}", place.count));
    }
    if place.count > 1 && (place.stride == 0 || !place.stride.is_multiple_of(4)) {
        return wrong("stride", format!("the elements are {} bytes apart: the stride must be a multiple of 4 and not 0", place.stride));
    }
    if place.count == 1 && place.stride != 0 {
        return wrong("stride", "a single register has no stride; `count` is missing".to_owned());
    }
    if !place.addr.is_multiple_of(4) {
        return wrong("addr", format!("address 0x{:05X} is not a multiple of 4: addresses are in bytes", place.addr));
    }
    let last = u64::from(place.addr) + u64::from(place.count - 1) * u64::from(place.stride);
    let end = u32::try_from(last).ok().and_then(Space::of);
    match Space::of(place.addr) {
        None => wrong("addr", format!("0x{:05X} is in no register space", place.addr)).map_err(spaces),
        space if space != end => wrong("addr", format!("the array leaves the register space: its last element is at 0x{last:05X}")).map_err(spaces),
        _ => Ok(place),
    }
}

fn spaces(d: Box<Diagnostic>) -> Box<Diagnostic> {
    d.help("config is 0x8000 to 0xAFFF, SH 0xB000 to 0xBFFF, context 0x28000 to 0x28FFF, privileged 0x2A000 to 0x2AFFF, uconfig 0x30000 to 0x3FFFF")
}

/// Parses `{ Nv2x = 0x9130, Apu103 = 0x31100 }`.
fn addresses(node: Option<Node<'_>>) -> Result<Vec<(Text, u32)>> {
    let mut list = Vec::new();
    let Some(node) = node else { return Ok(list) };
    for (name, n) in node.table()?.entries() {
        let addr = n.number()?;
        if !addr.is_multiple_of(4) {
            return Err(Diagnostic::new(n.span(), format!("address 0x{addr:05X} is not a multiple of 4: addresses are in bytes")));
        }
        if Space::of(addr).is_none() {
            return Err(spaces(Diagnostic::new(n.span(), format!("0x{addr:05X} is in no register space"))));
        }
        list.push((Text { text: name.to_owned(), span: n.key }, addr));
    }
    Ok(list)
}

/// Parses `{ linux = 0x088C8, pal = 0x088C8 }`.
fn twins(node: Option<Node<'_>>) -> Result<Vec<(Text, u32)>> {
    if let Some(node) = &node {
        for (name, entry) in node.table()?.entries() {
            if !Sources::NAMES.contains(&name) {
                return Err(Diagnostic::new(entry.key, format!("`{name}` is not a source; the sources are mesa, linux and pal")));
            }
        }
    }
    addresses(node)
}

fn load_naming(node: &Node<'_>, register: GfxSet) -> Result<Naming> {
    let table = node.table()?;
    table.only(&["gfx", "pattern", "first"])?;
    let pattern = table.need("pattern")?;
    let text = pattern.string()?.into_owned();
    if text.matches("{}").count() != 1 {
        return Err(Diagnostic::new(pattern.span(), format!("`{text}` needs one `{{}}` for the element's number")));
    }
    let first = table.number("first")?.unwrap_or(0);
    if first > LARGEST_FIRST {
        let what = format!("the first element cannot be number {first}: the largest is {LARGEST_FIRST}");
        return Err(Diagnostic::new(table.span_of("first", &pattern.span()), what));
    }
    Ok(Naming { gfx: within(&table, register, NO_ADDRESS)?, pattern: text, first, span: pattern.span() })
}

fn load_aliases(register: &Table<'_>, whole: GfxSet) -> Result<Vec<Alias>> {
    each(&register.items("aliases"), &|item| {
        if item.is_string() {
            return Ok(Alias { gfx: whole, name: item.string()?.into_owned(), span: item.span() });
        }
        let table = item.table()?;
        table.only(&["name", "gfx"])?;
        let name = table.need("name")?;
        let gfx = within(&table, whole, NO_ADDRESS)?;
        Ok(Alias { gfx, name: name.string()?.into_owned(), span: name.span() })
    })
}

fn load_unplaced(register: &Table<'_>, whole: GfxSet) -> Result<Vec<Unplaced>> {
    each(&register.items("unplaced"), &|item| {
        let table = item.table()?;
        table.only(&["gfx", "source", "name", "bits"])?;
        let (lo, hi) = table.need("bits")?.bits()?;
        table.need("gfx")?;
        let gfx = within(&table, whole, NO_ADDRESS)?;
        Ok(Unplaced { gfx, source: source(&table.need("source")?)?, name: table.need_string("name")?, lo, hi })
    })
}

/// Reads a field: `"5:4"`, or a table with more keys; a list of tables for a field that moves. `whole` are the generations of the enclosing entry, `why`
/// explains why there are no others, and `more` are keys that the caller reads.
pub fn load_field(name: &str, key: &Node<'_>, item: &Node<'_>, whole: GfxSet, why: &str, more: &[&str]) -> Result<Field> {
    let mut field = Field {
        name: Text { text: name.to_owned(), span: key.key.clone() },
        gfx: whole,
        lo: 0,
        hi: 0,
        values: None,
        partial: false,
        float: false,
        doc: None,
        sources: None,
        chips: Vec::new(),
        alt_names: Vec::new(),
        note: None,
        span: item.span(),
    };
    if item.is_string() {
        (field.lo, field.hi) = item.bits()?;
        return Ok(field);
    }
    if !item.is_table() {
        return Err(item.expected("a field's place, \"hi:lo\" or \"bit\", or a table with `bits`"));
    }
    let table = item.table()?;
    table.only(&[&["bits", "gfx", "enum", "partial", "doc", "sources", "chips", "alt_names", "note"], more].concat())?;
    let bits = table.need("bits")?;
    (field.lo, field.hi) = bits.bits()?;
    field.span = bits.span();
    field.gfx = within(&table, whole, why)?;
    field.values = table.text("enum")?;
    field.partial = table.flag("partial")?;
    field.float = table.flag("float")?;
    if field.float && (field.lo, field.hi) != (0, 31) {
        return Err(Diagnostic::new(field.span, format!("{name} is a float, which has all 32 bits")).help("write bits = \"31:0\", or leave `float` out"));
    }
    if let Some(values) = field.values.as_ref().filter(|_| field.float) {
        return Err(Diagnostic::new(values.span.clone(), format!("{name} is a float, which has no list of values")));
    }
    field.doc = table.string("doc")?;
    if let Some(node) = table.get("sources") {
        field.sources = Some(sources(&node)?);
    }
    field.chips = table.texts("chips")?;
    field.note = table.string("note")?;
    if let Some(node) = table.get("alt_names") {
        for (name, node) in node.table()?.entries() {
            field.alt_names.push((name.to_owned(), each(&node.items(), &source)?));
        }
    }
    Ok(field)
}

/// Reads the key `gfx` of a part, which must be within the whole.
pub fn within(table: &Table<'_>, whole: GfxSet, why: &str) -> Result<GfxSet> {
    match table.get("gfx") {
        Some(node) => inside(node.gfx()?, whole, &node.span(), why),
        None => Ok(whole),
    }
}

/// Checks that the generations of a part, named at `at`, are within the whole.
pub fn inside(gfx: GfxSet, whole: GfxSet, at: &Span, why: &str) -> Result<GfxSet> {
    let extra = gfx.minus(whole);
    if extra.is_empty() { Ok(gfx) } else { Err(Diagnostic::new(at.clone(), format!("GFX{extra} is named here, but {why} there"))) }
}

/// Loads an enum; one name may have several lists if they have no generation in common.
fn load_enum(name: &str, item: &Node<'_>) -> Result<Enum> {
    let table = item.table()?;
    table.only(&["doc", "gfx", "flags", "values", "values_seen", "sources", "disagreements"])?;
    let gfx = table.gfx(GfxSet::ALL)?;
    let mut entries = Vec::new();
    for (name, node) in table.need("values")?.table()?.entries() {
        for item in node.items() {
            let name = Text { text: name.to_owned(), span: item.key.clone() };
            if item.is_integer() {
                entries.push(Entry { name, gfx, value: item.number()? });
                continue;
            }
            if !item.is_table() {
                return Err(item.expected("a number, or a table with `value`"));
            }
            let table = item.table()?;
            table.only(&["value", "gfx"])?;
            entries.push(Entry { name, gfx: within(&table, gfx, NO_ENUM)?, value: table.need("value")?.number()? });
        }
    }
    let mut disagreements = Vec::new();
    for item in table.items("disagreements") {
        let table = item.table()?;
        table.only(&["gfx", "source", "entry", "value"])?;
        table.need("gfx")?;
        let entry = table.need("entry")?;
        disagreements.push(Disagreement {
            gfx: within(&table, gfx, NO_ENUM)?,
            source: source(&table.need("source")?)?,
            entry: entry.text()?,
            value: table.number("value")?,
        });
    }
    Ok(Enum {
        name: Text { text: name.to_owned(), span: item.key.clone() },
        gfx,
        doc: table.string("doc")?,
        flags: table.flag("flags")?,
        values_seen: load_values_seen(table.get("values_seen"), gfx, &entries)?,
        entries,
        sources: sources_by_gfx(&table, gfx, NO_ENUM)?,
        disagreements,
    })
}
