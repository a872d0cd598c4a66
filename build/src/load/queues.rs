//! Reads `regdb/queues/` into the model: one file per family of packets.

use crate::diag::{Diagnostic, Result, Source, Span};
use crate::input::{self, Node, Table};
use crate::model::queues::*;

/// The most versions of a family: one bit each in a u16.
const MOST_VERSIONS: usize = 16;
/// The longest packet in dwords, without data that it counts.
const LONGEST: u32 = 1024;

pub fn load(files: &[Source]) -> (Vec<Family>, Vec<Box<Diagnostic>>) {
    let mut families = Vec::new();
    let mut errors = Vec::new();
    for (file, source) in files.iter().enumerate() {
        if !source.name.strip_prefix("regdb/").unwrap_or(&source.name).starts_with("queues/") {
            continue;
        }
        match input::parse(file, source).and_then(|parsed| load_family(&input::root(file, &parsed), source, &mut errors)) {
            Ok(family) => families.push(family),
            Err(e) => errors.push(e),
        }
    }
    (families, errors)
}

fn load_family(root: &Table<'_>, source: &Source, errors: &mut Vec<Box<Diagnostic>>) -> Result<Family> {
    root.only(&["family", "packet"])?;
    let head = root.need("family")?.table()?;
    head.only(&["name", "versions", "op", "sub_op"])?;
    let versions = head.strings("versions")?;
    if versions.is_empty() || versions.len() > MOST_VERSIONS {
        return Err(Diagnostic::new(head.span_of("versions", &head.span), format!("a family has 1 to {MOST_VERSIONS} versions")));
    }
    let op = head.need("op")?.bits()?;
    let sub_op = head.get("sub_op").map(|node| node.bits()).transpose()?;
    let mut family = Family { name: head.need_string("name")?, versions, op, sub_op, packets: Vec::new() };
    for (name, node) in root.need("packet")?.table()?.entries() {
        match load_packet(name, &node, &family, source) {
            Ok(packet) => family.packets.push(packet),
            Err(e) => errors.push(e),
        }
    }
    Ok(family)
}

fn load_packet(name: &str, node: &Node<'_>, family: &Family, source: &Source) -> Result<Packet> {
    let table = node.table()?;
    table.only(&["op", "sub_op", "when", "versions", "dwords", "more", "count", "doc", "effects", "fields"])?;
    let names = &family.versions;
    let all = match table.get("versions") {
        Some(node) => versions(&node.string()?, names).map_err(|why| Diagnostic::new(node.span(), why))?,
        None => every(names),
    };
    let numbers = |key: &str| -> Result<Vec<(Versions, u32)>> {
        input::each(&table.need(key)?.items(), &|node| {
            if node.is_integer() {
                return Ok((all, node.number()?));
            }
            let text = node.string()?;
            let bad = || Diagnostic::new(node.span(), format!("`{text}` is not a number with its versions: write \"7 @ 4.0..4.4\""));
            let (number, of) = text.split_once(" @ ").ok_or_else(bad)?;
            let of = versions(of, names).map_err(|why| Diagnostic::new(node.span(), why))?;
            Ok((of, number.trim().parse().map_err(|_| bad())?))
        })
    };
    let dwords = numbers("dwords")?;
    if let Some((_, most)) = dwords.iter().find(|(_, dwords)| !(1..=LONGEST).contains(dwords)) {
        return Err(Diagnostic::new(table.span_of("dwords", &table.span), format!("{most} dwords: a packet has 1 to {LONGEST}")));
    }
    let more = input::each(&table.items("more"), &|node| {
        let text = node.string()?;
        let bad = || Diagnostic::new(node.span(), format!("`{text}` does not say how a bit makes a packet longer: write \"bit 19: 3 @ 5.0..6.1\""));
        let (bit, rest) = text.strip_prefix("bit ").and_then(|rest| rest.split_once(": ")).ok_or_else(bad)?;
        let (number, of) = rest.split_once(" @ ").ok_or_else(bad)?;
        let of = versions(of, names).map_err(|why| Diagnostic::new(node.span(), why))?;
        let bit = bit.parse().ok().filter(|bit| *bit < 32).ok_or_else(bad)?;
        Ok((of, bit, number.parse().ok().filter(|number| *number <= LONGEST).ok_or_else(bad)?))
    })?;
    let when = match table.get("when") {
        Some(node) => {
            let text = node.string()?;
            let read = text.split_once(" = ").and_then(|(bit, value)| Some((bit.parse().ok().filter(|bit| *bit < 32)?, value)));
            match read {
                Some((bit, "0")) => Some((bit, false)),
                Some((bit, "1")) => Some((bit, true)),
                _ => return Err(Diagnostic::new(node.span(), format!("`{text}` is not a bit of the header with its value: write \"27 = 0\""))),
            }
        }
        None => None,
    };
    let count = match table.get("count") {
        Some(node) => Some(place(&node.string()?).filter(|place| place.hi < 32).ok_or_else(|| no_place(node.span(), &node.string().unwrap_or_default()))?),
        None => None,
    };
    let sub_ops = input::each(&table.items("sub_op"), &|node| node.number())?;
    let fields = load_fields(&table.need("fields")?, all, names, source)?;
    Ok(Packet {
        name: name.to_owned(),
        at: node.key.clone(),
        doc: table.need_string("doc")?,
        versions: all,
        ops: numbers("op")?,
        sub_ops,
        when,
        dwords,
        more,
        count,
        effects: input::each(&table.items("effects"), &|node| effect(&node.string()?).ok_or_else(|| no_effect(node)))?,
        fields,
    })
}

fn no_effect(node: &Node<'_>) -> Box<Diagnostic> {
    let kinds = EFFECTS.map(|(name, _)| name).join(", ");
    Diagnostic::new(node.span(), "this is not an effect: write a kind, and for memory the address and the bytes, as in \"write dst_addr 4*(count+1)\"")
        .help(format!("the kinds are {kinds}; those of memory are the first four"))
}

/// Parses `kind`, or `kind address bytes`.
fn effect(text: &str) -> Option<Effect> {
    let mut words = text.split_whitespace();
    let kind = words.next()?;
    let index = EFFECTS.iter().position(|(name, _)| *name == kind)?;
    let (addr, size) = match (words.next(), words.next(), words.next()) {
        (None, None, None) if index >= 4 => (String::new(), Size::None),
        (Some(addr), Some(size), None) if index < 4 => (addr.to_owned(), bytes(size)?),
        _ => return None,
    };
    Some(Effect { kind: EFFECTS[index].1, addr, size })
}

/// Parses `8`, `count+1`, `4*size`, `4*(count+1)`, `box`.
fn bytes(text: &str) -> Option<Size> {
    if text == "box" {
        return Some(Size::Box);
    }
    if let Ok(bytes) = text.parse() {
        return Some(Size::Bytes(bytes));
    }
    let (times, rest) = match text.split_once('*') {
        Some((times, rest)) => (times.parse().ok()?, rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest)),
        None => (1, text),
    };
    let (name, plus) = match rest.split_once('+') {
        Some((name, plus)) => (name, plus.parse().ok()?),
        None => (rest, 0),
    };
    Some(Size::Field { name: name.to_owned(), plus, times })
}

/// Parses rows of `name place [versions] [; note]`.
fn load_fields(node: &Node<'_>, all: Versions, names: &[String], source: &Source) -> Result<Vec<Field>> {
    let text = node.string()?;
    let whole = node.span();
    // A literal string appears unchanged in the file.
    let start = source.text.get(whole.range.clone()).and_then(|quoted| quoted.find(text.as_ref())).map(|at| whole.range.start + at);
    let mut fields = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = start.map_or(whole.range.clone(), |start| start + at..start + at + line.trim_end().len());
        let span = Span { file: whole.file, range };
        at += line.len();
        let (row, note) = line.split_once(';').unwrap_or((line, ""));
        let mut columns = row.split_whitespace();
        let Some(name) = columns.next() else { continue };
        let written = columns.next().unwrap_or_default();
        let place = place(written).ok_or_else(|| no_place(span.clone(), written))?;
        let of = columns.collect::<Vec<_>>().join(" ");
        let versions = if of.is_empty() { all } else { versions(&of, names).map_err(|why| Diagnostic::new(span.clone(), why))? };
        if versions & !all != 0 {
            return Err(Diagnostic::new(span, format!("the field `{name}` is of versions that the packet lacks")));
        }
        if name.contains(['"', '\\']) {
            return Err(Diagnostic::new(span, format!("`{name}` is not a name")));
        }
        let twice = |other: &&Field| other.place.dword == place.dword && other.place.lo == place.lo && other.name == name && other.versions & versions != 0;
        if fields.iter().any(|other| twice(&other)) {
            return Err(Diagnostic::new(span, format!("the field `{name}` is there twice at the same place")));
        }
        fields.push(Field { name: name.to_owned(), place, versions, note: note.trim().to_owned() });
    }
    Ok(fields)
}

fn no_place(span: Span, text: &str) -> Box<Diagnostic> {
    Diagnostic::new(
        span,
        format!("`{text}` is not the place of a field: write the dword, and its bits where it is not all of them, as in 3, 2.17:16, 4.63:0[5] or 4[]"),
    )
}

/// Parses `dword`, `dword.bit` or `dword.hi:lo`, with `[n]` or `[]` for a list.
fn place(text: &str) -> Option<Place> {
    let (text, list) = match text.strip_suffix(']') {
        Some(text) => {
            let (text, number) = text.split_once('[')?;
            let list = if number.is_empty() { List::Rest } else { List::Of(number.parse().ok().filter(|number| (1..=LONGEST).contains(number))?) };
            (text, list)
        }
        None => (text, List::One),
    };
    let (dword, bits) = text.split_once('.').unwrap_or((text, "31:0"));
    let (hi, lo) = bits.split_once(':').unwrap_or((bits, bits));
    let (hi, lo): (u8, u8) = (hi.parse().ok()?, lo.parse().ok()?);
    let dword = dword.parse().ok().filter(|dword| *dword < LONGEST)?;
    (lo <= hi && lo < 32 && hi < 96 && hi - lo < 64).then_some(Place { dword, lo, hi, list })
}

/// Parses a list of versions and ranges `from..to`.
fn versions(text: &str, names: &[String]) -> std::result::Result<Versions, String> {
    let number =
        |name: &str| names.iter().position(|other| other == name).ok_or_else(|| format!("there is no version `{name}`: known are {}", names.join(", ")));
    let mut all = 0;
    for part in text.split_whitespace() {
        let (from, to) = part.split_once("..").unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to)?);
        for version in from..=to {
            all |= 1 << version;
        }
    }
    if all == 0 { Err("no version is named here".into()) } else { Ok(all) }
}

fn every(names: &[String]) -> Versions {
    names.iter().enumerate().fold(0, |all, (index, _)| all | 1 << index)
}
