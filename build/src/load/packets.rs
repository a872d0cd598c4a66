//! Reads packet description files into the model.

use super::{packet_effects, tolerated};
use crate::diag::{Diagnostic, Result, Source, Span};
use crate::gfx::GfxSet;
use crate::input::{self, Node, Table, each};
use crate::load::registers::{inside, within};
use crate::model::packets::*;
use crate::names::amd_name;
use std::collections::BTreeMap;

const PACKET_KEYS: [&str; 23] = [
    "opcode",
    "constant",
    "named",
    "doc",
    "engines",
    "gfx",
    "shader_type",
    "kernel",
    "notes",
    "sources",
    "dwords",
    "repeat",
    "addresses",
    "joined",
    "tolerated",
    "engine",
    "pfp_when",
    "work",
    "firmware",
    "effects",
    "fields",
    "form",
    "enum",
];
const FORM_KEYS: [&str; 6] = ["engines", "gfx", "dwords", "repeat", "internal", "fields"];

/// Returns whether a file describes packets.
pub fn is_packet_file(source: &Source) -> bool {
    source.name.contains("packets/")
}

/// Loads the packet files among `files`; collects all mistakes and loads the rest.
pub fn load(files: &[Source]) -> (Packets, Vec<Box<Diagnostic>>) {
    let mut loader = Loader::default();
    let mut parsed = Vec::new();
    for (file, source) in files.iter().enumerate() {
        if is_packet_file(source) {
            match input::parse(file, source) {
                Ok(root) => parsed.push((file, root)),
                Err(e) => loader.errors.push(e),
            }
        }
    }
    let mut roots = Vec::new();
    for (file, root) in &parsed {
        roots.push(input::root(*file, root));
    }
    // In the order of references: enums, then bit fields, then packets.
    for stage in [Loader::enums, Loader::bitfields, Loader::opcodes, Loader::packets] {
        for root in &roots {
            stage(&mut loader, root);
        }
    }
    (loader.packets, loader.errors)
}

#[derive(Default)]
pub struct Loader {
    packets: Packets,
    shared: BTreeMap<String, usize>,
    pub errors: Vec<Box<Diagnostic>>,
}

impl Loader {
    /// Returns a value, or records the mistake.
    pub fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                self.errors.push(e);
                None
            }
        }
    }

    /// Returns the tables in one of the file-level sections.
    fn section<'a>(&mut self, root: &Table<'a>, name: &str) -> Vec<(&'a str, Table<'a>)> {
        let mut tables = Vec::new();
        let Some(section) = root.get(name).and_then(|n| self.keep(n.table())) else { return tables };
        for (name, node) in section.entries() {
            if let Some(table) = self.keep(node.table()) {
                tables.push((name, table));
            }
        }
        tables
    }

    fn enums(&mut self, root: &Table<'_>) {
        for (name, table) in self.section(root, "enum") {
            if let Some(index) = self.add_enum(name, &table) {
                // Two lists of the same name are a mistake; the first counts.
                self.shared.entry(name.to_owned()).or_insert(index);
            }
        }
    }

    fn add_enum(&mut self, name: &str, table: &Table<'_>) -> Option<usize> {
        let mut values = Vec::new();
        let mut doc = String::new();
        for (value_name, node) in table.entries() {
            // The doc of an enum is among its values.
            if value_name == "doc" && node.is_string() {
                doc = self.keep(node.string()).unwrap_or_default().into_owned();
                continue;
            }
            for item in node.items() {
                match enum_value(value_name, &item) {
                    Ok(value) => values.push(value),
                    Err(e) => self.errors.push(e),
                }
            }
        }
        self.packets.enums.push(Enum { name: name.to_owned(), span: table.span.clone(), doc, values });
        Some(self.packets.enums.len() - 1)
    }

    fn bitfields(&mut self, root: &Table<'_>) {
        for (name, table) in self.section(root, "bitfield") {
            let known = table.only(&["register", "gfx", "doc", "fields"]);
            self.keep(known);
            let fields = table.need("fields").and_then(|n| n.table());
            let (Some(all), Some(fields)) = (self.keep(table.gfx(GfxSet::ALL)), self.keep(fields)) else { continue };
            let mut list = Vec::new();
            for (field, node) in fields.entries() {
                for item in node.items() {
                    match self.bitfield_field(field, &item, all) {
                        Ok(field) => list.push(field),
                        Err(e) => self.errors.push(e),
                    }
                }
            }
            let text = (table.text("register"), table.string("doc"));
            let (register, doc) = (self.keep(text.0).flatten(), self.keep(text.1).flatten().unwrap_or_default());
            self.packets.bitfields.push(Bitfield { name: name.to_owned(), span: table.span.clone(), register, doc, fields: list });
        }
    }

    fn bitfield_field(&self, name: &str, node: &Node<'_>, all: GfxSet) -> Result<BitfieldField> {
        let table = node.table()?;
        table.only(&["bits", "gfx", "enum", "doc"])?;
        let (lo, hi) = table.need("bits")?.bits()?;
        let values = match table.get("enum") {
            Some(node) => Some(self.shared_enum(&node)?),
            None => None,
        };
        Ok(BitfieldField {
            name: name.to_owned(),
            span: node.key.clone(),
            lo,
            hi,
            gfx: within(&table, all, "the bitfield does not exist")?,
            values,
            doc: table.string("doc")?.unwrap_or_default(),
        })
    }

    fn shared_enum(&self, node: &Node<'_>) -> Result<usize> {
        let name = node.string()?;
        self.shared.get(name.as_ref()).copied().ok_or_else(|| Diagnostic::new(node.span(), format!("there is no enum `{name}`")))
    }

    fn opcodes(&mut self, root: &Table<'_>) {
        for (name, table) in self.section(root, "opcode") {
            let read = self.opcode(name, &table);
            self.keep(read);
        }
    }

    fn opcode(&mut self, name: &str, table: &Table<'_>) -> Result<()> {
        table.only(&["value", "gfx", "engines", "touches", "work", "doc"])?;
        let engines = if table.get("engines").is_some() { Some(scope(table, Scope::ALL)?) } else { None };
        amd_name("the name of a packet or an opcode", name, &table.span)?;
        let values = by_gfx(&table.need("value")?, table.gfx(GfxSet::ALL)?)?;
        let bare = Bare { work: work(table)?, touches: touches(table)?, engines };
        for (gfx, value) in values {
            self.packets.opcodes.push(NamedOpcode { name: name.to_owned(), span: table.span.clone(), gfx, value, bare: Some(bare) });
        }
        Ok(())
    }

    fn packets(&mut self, root: &Table<'_>) {
        for (name, node) in root.entries() {
            if !["enum", "bitfield", "opcode"].contains(&name)
                && let Some(table) = self.keep(node.table())
            {
                let read = self.packet(name, &table);
                self.keep(read);
            }
        }
    }

    fn packet(&mut self, name: &str, table: &Table<'_>) -> Result<()> {
        table.only(&PACKET_KEYS)?;
        amd_name("the name of a packet or an opcode", name, &table.span)?;
        let scope = scope(table, Scope::ALL)?;
        let gfx = scope.gfx();
        let opcodes = by_gfx(&table.need("opcode")?, gfx)?;
        let constant = match table.text("constant")? {
            Some(constant) => amd_name("the name of a packet or an opcode", &constant.text, &constant.span).map(|()| constant.text)?,
            None => name.to_owned(),
        };
        let named = table.get("named").map_or(Ok(gfx), |n| n.gfx())?.or(gfx);
        if let Some(node) = table.get("named").filter(|_| opcodes.len() > 1) {
            let d = Diagnostic::new(node.key, format!("{name} has several opcodes, and `named` does not say which of them has the name elsewhere"));
            return Err(d.help("`[opcode]` holds names of numbers without a packet"));
        }
        for &(set, value) in &opcodes {
            let set = if opcodes.len() == 1 { named } else { set };
            self.packets.opcodes.push(NamedOpcode { name: constant.clone(), span: table.span.clone(), gfx: set, value, bare: None });
        }
        let mut local = BTreeMap::new();
        for (enum_name, table) in self.section(table, "enum") {
            if let Some(index) = self.add_enum(&format!("{name}.{enum_name}"), &table) {
                local.insert(enum_name.to_owned(), index);
            }
        }
        let mut forms = Vec::new();
        match table.get("form") {
            None => forms.push(self.form(name, table, scope, &local)?),
            Some(list) => {
                if let Some(extra) = ["dwords", "repeat", "fields"].into_iter().find_map(|key| table.get(key)) {
                    let d = Diagnostic::new(extra.key, format!("{name} has forms: each form states this key itself"));
                    return Err(d.related(list.key, "the forms").help("move it into the forms that it belongs to"));
                }
                for node in list.array()? {
                    let form = node.table()?;
                    form.only(&FORM_KEYS)?;
                    forms.push(self.form(name, &form, self::scope(&form, scope)?, &local)?);
                }
            }
        }
        let effects = self.effects(table, scope)?;
        let firmware = each(&table.array("firmware")?, &|node| firmware(&node.table()?, scope))?;
        self.packets.packets.push(Packet {
            name: name.to_owned(),
            span: table.span.clone(),
            constant,
            opcodes,
            scope,
            shader_type: table.flag("shader_type")?,
            kernel: table.flag("kernel")?,
            doc: table.string("doc")?.unwrap_or_default(),
            notes: table.strings("notes")?,
            sources: table.strings("sources")?,
            split_values: packet_effects::split_values(table)?,
            tolerated: tolerated::load(&table.array("tolerated")?, scope)?,
            engine: packet_effects::engine_of(table, "engine")?,
            pfp_when: when(table, "pfp_when")?,
            work: starts(table, scope)?,
            firmware,
            effects,
            forms,
        });
        Ok(())
    }

    fn form(&mut self, packet: &str, table: &Table<'_>, scope: Scope, local: &BTreeMap<String, usize>) -> Result<Form> {
        let node = table.need("dwords")?;
        let sizes = match node.array() {
            Ok(list) => each(&list, &|size| Ok((scope.gfx(), byte(size)?)))?,
            Err(_) => by_gfx(&node, scope.gfx())?,
        };
        let repeat = match table.get("repeat") {
            Some(node) => Some(repeat(&node)?),
            None => None,
        };
        if let Some((_, size)) = sizes.iter().find(|(_, size)| *size == 0 || repeat.is_none() && *size > MAX_FIXED + 1) {
            return Err(not_a_size(*size, &node));
        }
        let mut fields = Vec::new();
        if let Some(list) = table.get("fields") {
            for (name, node) in list.table()?.entries() {
                let mut doc = String::new();
                for item in node.items() {
                    let read = self.field(packet, name, &item, scope, local);
                    let Some(mut field) = self.keep(read) else { continue };
                    // As in registers, the doc of the first field applies to all.
                    if field.doc.is_empty() {
                        field.doc.clone_from(&doc);
                    } else if doc.is_empty() {
                        doc.clone_from(&field.doc);
                    }
                    fields.push(field);
                }
            }
        }
        fields.sort_by_key(|f| f.dword);
        let mut by_name: Vec<usize> = (0..fields.len()).collect();
        by_name.sort_by(|a, b| fields[*a].name.cmp(&fields[*b].name));
        Ok(Form { span: table.span.clone(), scope, internal: table.flag("internal")?, sizes, repeat, fields, by_name })
    }

    fn field(&mut self, packet: &str, name: &str, node: &Node<'_>, enclosing: Scope, local: &BTreeMap<String, usize>) -> Result<Field> {
        let table = node.table()?;
        table.only(&["dword", "bits", "gfx", "engines", "when", "overlap", "kernel", "enum", "layout", "register", "everything", "doc"])?;
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Diagnostic::new(node.key.clone(), format!("`{name}` cannot be the name of a field in Rust")));
        }
        let dword = table.need("dword")?;
        let (lo, hi) = table.need("bits")?.bits()?;
        let values = match table.get("enum") {
            None => None,
            Some(node) if node.is_string() => match local.get(node.string()?.as_ref()) {
                Some(&index) => Some(index),
                None => Some(self.shared_enum(&node)?),
            },
            Some(node) => {
                let inner = node.table()?;
                self.add_enum(&format!("{packet}.{name}"), &inner)
            }
        };
        let layout = match table.get("layout") {
            None => None,
            Some(node) => {
                let name = node.string()?;
                let found = self.packets.bitfields.iter().position(|b| b.name == name);
                Some(found.ok_or_else(|| Diagnostic::new(node.span(), format!("there is no bitfield `{name}`")))?)
            }
        };
        one_meaning(&table)?;
        Ok(Field {
            name: name.to_owned(),
            span: node.key.clone(),
            dword: byte(&dword)?,
            lo,
            hi,
            scope: scope(&table, enclosing)?,
            when: when(&table, "when")?,
            overlap: table.flag("overlap")?,
            kernel: table.flag("kernel")?,
            register: match table.get("register") {
                Some(node) => Some(packet_effects::start(&node)?),
                None => None,
            },
            everything: table.flag("everything")?,
            event: values.is_some_and(|i| self.packets.enums[i].name == EVENTS),
            doc: table.string("doc")?.unwrap_or_default(),
            values,
            layout,
        })
    }
}

fn enum_value(name: &str, node: &Node<'_>) -> Result<EnumValue> {
    let plain = |value| EnumValue {
        name: name.to_owned(),
        span: node.key.clone(),
        value,
        scope: Scope::ALL,
        also: false,
        index: Vec::new(),
        timestamp: false,
        sample: false,
        shader_done: false,
    };
    if node.is_integer() {
        return Ok(plain(node.number()?));
    }
    let table = node.table()?;
    table.only(&["value", "gfx", "engines", "also", "index", "timestamp", "shader_done", "sample"])?;
    let scope = scope(&table, Scope::ALL)?;
    Ok(EnumValue {
        scope,
        also: table.flag("also")?,
        index: match table.get("index") {
            Some(node) => by_gfx(&node, scope.gfx())?,
            None => Vec::new(),
        },
        timestamp: table.flag("timestamp")?,
        sample: table.flag("sample")?,
        shader_done: table.flag("shader_done")?,
        ..plain(table.need("value")?.number()?)
    })
}

/// Reads an entry of the key `firmware`.
fn firmware(table: &Table<'_>, enclosing: Scope) -> Result<Firmware> {
    table.only(&["of", "from", "maybe_from", "gfx", "engines", "when", "what", "always_satisfied"])?;
    let of = table.need("of")?;
    let text = of.string()?;
    let counter = FIRMWARE.iter().position(|f| *f == text);
    let counter =
        counter.ok_or_else(|| Diagnostic::new(of.span(), format!("`{text}` does not name a firmware")).help(format!("known: {}", FIRMWARE.join(", "))))?;
    // Packets on another engine do not depend on this version.
    let readers = match counter {
        0 | 1 => Scope::product(GfxSet::ALL, 0b0011),
        2 => Scope::product(GfxSet::ALL, 0b0100),
        _ => Scope::ALL,
    };
    let scope = scope(table, enclosing)?;
    let from = table.need("from")?.number()?;
    let maybe_from = match table.get("maybe_from") {
        None => from,
        Some(node) => match node.number()? {
            number if number < from => number,
            _ => return Err(Diagnostic::new(node.span(), "`maybe_from` is not below `from`")),
        },
    };
    Ok(Firmware {
        span: table.span.clone(),
        counter,
        from,
        maybe_from,
        scope: if table.get("engines").is_some() { scope } else { scope.and(readers) },
        when: when(table, "when")?,
        what: table.string("what")?.unwrap_or_default(),
        always_satisfied: table.flag("always_satisfied")?,
    })
}

/// Reads the key `work` of a packet: a word, or a list of tables if it depends on a field.
fn starts(table: &Table<'_>, scope: Scope) -> Result<Vec<Starts>> {
    match table.get("work") {
        None => Ok(Vec::new()),
        Some(node) if node.is_string() => Ok(vec![Starts { work: work_of(&node)?, scope, when: Vec::new() }]),
        Some(node) => each(&node.array()?, &|item| {
            let item = item.table()?;
            item.only(&["starts", "gfx", "engines", "when"])?;
            let when = when(&item, "when")?;
            Ok(Starts { work: work_of(&item.need("starts")?)?, scope: self::scope(&item, scope)?, when })
        }),
    }
}

/// Reads the key `work` of an opcode without a layout.
fn work(table: &Table<'_>) -> Result<Work> {
    match table.get("work") {
        Some(node) => work_of(&node),
        None => Ok(Work::None),
    }
}

fn work_of(node: &Node<'_>) -> Result<Work> {
    match node.string()?.as_ref() {
        "draw" => Ok(Work::Draw),
        "indexed_draw" => Ok(Work::IndexedDraw),
        "dispatch" => Ok(Work::Dispatch),
        other => Err(Diagnostic::new(node.span(), format!("`{other}` is not a kind of work that a packet starts"))
            .help("write \"draw\", \"indexed_draw\" or \"dispatch\"")),
    }
}

/// Reads the key `touches` of an opcode without a layout.
fn touches(table: &Table<'_>) -> Result<Touches> {
    let node = table.need("touches")?;
    match node.string()?.as_ref() {
        "nothing" => Ok(Touches::Nothing),
        "registers" => Ok(Touches::Registers),
        "memory" => Ok(Touches::Memory),
        "everything" => Ok(Touches::Everything),
        other => Err(Diagnostic::new(node.span(), format!("`{other}` is not a value of `touches`"))
            .help("write \"nothing\", \"registers\", \"memory\" or \"everything\"")),
    }
}

/// The reason why a part of a packet cannot have more generations.
const AROUND: &str = "the packet or form that contains it does not exist";

/// Reads a number up to 255.
pub fn byte(node: &Node<'_>) -> Result<u8> {
    let number = node.number()?;
    u8::try_from(number).map_err(|_| Diagnostic::new(node.span(), format!("{number} is too large, 255 is the limit")))
}

/// Reads a number, or a table of numbers by generation.
fn by_gfx(node: &Node<'_>, all: GfxSet) -> Result<Vec<(GfxSet, u8)>> {
    if node.is_integer() {
        return Ok(vec![(all, byte(node)?)]);
    }
    let mut numbers: Vec<(GfxSet, u8)> = Vec::new();
    for (gfx, value) in node.table()?.entries() {
        let set = GfxSet::parse(gfx).map_err(|why| Diagnostic::new(value.key.clone(), why))?;
        let set = inside(set, all, &value.key, AROUND)?;
        if let Some((other, _)) = numbers.iter().find(|(other, _)| !other.and(set).is_empty()) {
            return Err(Diagnostic::new(value.key.clone(), format!("there are two numbers for GFX{}", other.and(set))));
        }
        numbers.push((set, byte(&value)?));
    }
    Ok(numbers)
}

/// Reads the keys `gfx` and `engines`, within `enclosing`.
pub fn scope(table: &Table<'_>, enclosing: Scope) -> Result<Scope> {
    let gfx = table.gfx(GfxSet::ALL)?;
    let engines = match table.get("engines") {
        None => Scope::ALL,
        Some(node) if node.is_string() => {
            let text = node.string()?;
            let mut bits = 0;
            for name in text.split(',') {
                bits |= engine(name.trim(), &node.span())?;
            }
            Scope::product(GfxSet::ALL, bits)
        }
        Some(node) => {
            let mut set = Scope(0);
            for (name, gfx) in node.table()?.entries() {
                set.0 |= Scope::product(gfx.gfx()?, engine(name, &gfx.key)?).0;
            }
            set
        }
    };
    let scope = Scope::product(gfx, 0xF).and(engines).and(enclosing);
    if scope.is_empty() {
        let at = table.get("engines").or_else(|| table.get("gfx")).map_or(table.span.clone(), |n| n.span());
        return Err(Diagnostic::new(at, "this entry exists on no engine of any generation")
            .help("the packet or form that contains it must have these generations and engines"));
    }
    within_scope(table, enclosing)?;
    Ok(scope)
}

/// Refuses generations and engines in `gfx` and `engines` that the enclosing entry does not have.
fn within_scope(table: &Table<'_>, enclosing: Scope) -> Result<()> {
    if let Some(node) = table.get("gfx") {
        inside(node.gfx()?, enclosing.gfx(), &node.span(), AROUND)?;
    }
    match table.get("engines") {
        None => {}
        Some(node) if node.is_string() => {
            for name in node.string()?.split(',').map(str::trim) {
                if !Scope::product(GfxSet::ALL, engine(name, &node.span())?).intersects(enclosing) {
                    return Err(Diagnostic::new(
                        node.span(),
                        format!("`{name}` is named here, but the packet or form that contains it does not exist on this engine"),
                    ));
                }
            }
        }
        Some(node) => {
            for (_, gfx) in node.table()?.entries() {
                inside(gfx.gfx()?, enclosing.gfx(), &gfx.span(), AROUND)?;
            }
        }
    }
    Ok(())
}

fn engine(name: &str, at: &Span) -> Result<u32> {
    match ENGINES.iter().position(|e| *e == name) {
        Some(bit) => Ok(1 << bit),
        None => Err(Diagnostic::new(at.clone(), format!("`{name}` is not an engine")).help(format!("the engines are {}", ENGINES.join(", ")))),
    }
}

/// Returns the mistake for an impossible packet size.
fn not_a_size(dwords: u8, node: &Node<'_>) -> Box<Diagnostic> {
    let most = MAX_FIXED + 1;
    Diagnostic::new(node.span(), format!("a packet has 1 to {most} dwords, including its header and excluding the repeated group; {dwords} is not allowed"))
}

fn repeat(node: &Node<'_>) -> Result<Repeat> {
    let table = node.table()?;
    table.only(&["from", "len", "kind"])?;
    let len = table.need("len")?;
    let kind = table.need("kind")?;
    let text = kind.string()?;
    let known = GROUPS.iter().position(|k| *k == text);
    let kind =
        known.ok_or_else(|| Diagnostic::new(kind.span(), format!("`{text}` is not a kind of repeated group")).help(format!("kinds: {}", GROUPS.join(", "))))?;
    let repeat = Repeat { from: byte(&table.need("from")?)?, len: byte(&len)?, kind };
    if repeat.from > MAX_FIXED + 1 {
        return Err(not_a_size(repeat.from, &table.need("from")?));
    }
    if repeat.from == 0 {
        return Err(Diagnostic::new(table.need("from")?.span(), "dword 0 is the header: a repeated group must begin after it"));
    }
    if repeat.len == 0 {
        return Err(Diagnostic::new(len.span(), "a repeated group must have at least one dword"));
    }
    Ok(repeat)
}

/// Reads a key with conditions, `"a = x | y, b != 0"`; none if it is missing.
pub fn when(table: &Table<'_>, key: &str) -> Result<Vec<When>> {
    let mut list = Vec::new();
    let Some(node) = table.get(key) else { return Ok(list) };
    for part in node.string()?.split(',') {
        let Some((field, values)) = part.split_once('=') else {
            let d = Diagnostic::new(node.span(), format!("`{}` is not a condition", part.trim()));
            return Err(d.help("write `field = VALUE | VALUE` or `field != VALUE`"));
        };
        let (field, not) = match field.trim().strip_suffix('!') {
            Some(field) => (field.trim(), true),
            None => (field.trim(), false),
        };
        let mut names = Vec::new();
        for value in values.split('|') {
            names.push(value.trim().to_owned());
        }
        list.push(When { span: node.span(), field: field.to_owned(), not, values: names });
    }
    Ok(list)
}

/// Checks that the meaning of a field is stated only once.
fn one_meaning(table: &Table<'_>) -> Result<()> {
    let mut said = Vec::new();
    for key in ["enum", "layout", "register"] {
        if let Some(node) = table.get(key) {
            said.push((key, node));
        }
    }
    match said.as_slice() {
        [(first, one), (second, other), ..] => {
            let d = Diagnostic::new(other.key.clone(), format!("a field has either `{first}` or `{second}`"));
            Err(d.related(one.key.clone(), "the other meaning").help("a number, a layout and the name of a register are different things: keep one of them"))
        }
        _ => Ok(()),
    }
}
