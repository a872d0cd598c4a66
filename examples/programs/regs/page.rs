//! Prints the page of a register or a value list.

use super::drawing;
use super::select::Hit;
use super::style::{NBSP, Styles, WIDTH, wrap};
use pm4::chip::Gfx;
use pm4::packet::register_group;
use pm4::regs::{self, EnumInfo, FieldInfo, RegisterInfo, Sources, Space};
use pm4::report::generations::{entries, group, label, name, short_label};
use std::collections::BTreeMap;
use std::io::{self, Write};
use strum::IntoEnumIterator;

/// Longer value lists get a page of their own instead of a place below the field.
const SHORT_LIST: usize = 40;
/// The column where texts below a field begin.
const INDENT: usize = 13;

/// A row of the field table: a field at one position, and the generations that have it there.
pub struct Row {
    pub name: &'static str,
    pub lo: u8,
    pub hi: u8,
    /// Replaces the name in the drawing.
    pub letter: String,
    places: Vec<(Gfx, &'static FieldInfo)>,
    /// The other positions of the same field.
    moved: Vec<(Vec<Gfx>, u8, u8)>,
    missing: bool,
}

impl Row {
    /// Returns whether the generations on the page disagree about this field.
    pub fn differs(&self) -> bool {
        self.missing
    }

    fn mark(&self) -> char {
        match (self.moved.is_empty(), self.missing) {
            (false, _) => '→',
            (true, true) => '≠',
            (true, false) => ' ',
        }
    }

    fn has(&self, gfx: Gfx) -> bool {
        self.places.iter().any(|(g, _)| *g == gfx)
    }
}

/// Formats bits: `5:4`, or `16` for a single bit.
pub fn bits(lo: u8, hi: u8) -> String {
    if lo == hi { lo.to_string() } else { format!("{hi}:{lo}") }
}

/// Prints a register on the generations of `hits`, oldest first.
pub fn register(out: &mut impl Write, styles: Styles, hits: &[Hit]) -> io::Result<()> {
    let Some(Hit { info, .. }) = hits.first() else { return Ok(()) };
    let rows = rows(hits);
    title(out, styles, info.name, &format!("{} register", info.space()), info.doc)?;
    addresses(out, styles, hits)?;
    writeln!(out)?;
    drawing::draw(out, styles, hits, &rows)?;
    writeln!(out)?;
    table(out, styles, hits, &rows)?;
    writeln!(out)?;
    facts(out, hits)
}

fn title(out: &mut impl Write, styles: Styles, name: &str, kind: &str, doc: &str) -> io::Result<()> {
    writeln!(out, "{}{name}{:#}{kind:>width$}", styles.title, styles.title, width = WIDTH.saturating_sub(name.len()))?;
    paragraph(out, 0, doc)
}

fn addresses(out: &mut impl Write, styles: Styles, hits: &[Hit]) -> io::Result<()> {
    let places = group(hits.iter().map(|hit| (hit.gfx, (hit.info.addr, hit.info.count, hit.info.stride))));
    let several = places.len() > 1;
    for (set, (addr, count, stride)) in &places {
        let style = if several { styles.differs } else { Default::default() };
        let mark = if several { '≠' } else { ' ' };
        write!(out, "{style}{mark} 0x{addr:05X}  {:<15}{style:#}", label(set))?;
        match set_offset(*addr) {
            Some((packet, offset)) => write!(out, "{packet} offset 0x{offset:03X}")?,
            None => write!(out, "no SET packet reaches it")?,
        }
        if *count > 1 {
            let last = set.first().and_then(|gfx| regs::lookup(*gfx, addr + (count - 1) * stride));
            let last = last.map_or(String::new(), |last| format!(", the last {last}"));
            write!(out, "; {count} elements, one every 0x{stride:X} bytes{last}")?;
        }
        writeln!(out)?;
    }
    let elements = group(hits.iter().filter_map(|hit| Some((hit.gfx, regs::lookup(hit.gfx, hit.info.addr + hit.element? * hit.info.stride)?.addr()))));
    for (set, addr) in elements {
        let element = set.first().and_then(|gfx| regs::lookup(*gfx, addr));
        writeln!(out, "{}  0x{addr:05X}  {:<15}{}{:#}", styles.title, label(&set), element.map_or(String::new(), |e| e.to_string()), styles.title)?;
    }
    Ok(())
}

/// Returns the packet that writes the register, and the offset in it.
fn set_offset(addr: u32) -> Option<(&'static str, u32)> {
    let (packet, start) = Space::of(addr)?.set_packet()?;
    Some((packet, (addr - start) / 4))
}

/// Returns the union of the fields of all generations, lowest bit first.
fn rows(hits: &[Hit]) -> Vec<Row> {
    let fields: Vec<(Gfx, &'static FieldInfo)> = hits.iter().flat_map(|hit| hit.info.fields.iter().map(|field| (hit.gfx, field))).collect();
    let key = |field: &FieldInfo| (field.lo, field.hi, field.name);
    let mut places = group(fields.iter().map(|(gfx, field)| (*gfx, key(field))));
    places.sort_by_key(|(_, place)| *place);
    let mut names: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for (set, (lo, hi, name)) in &places {
        first_time(&mut names, *name);
        let index = names.iter().position(|known| known == name).unwrap_or(0);
        let others = places.iter().filter(|(_, (l, h, n))| n == name && (l, h) != (lo, hi));
        rows.push(Row {
            name,
            lo: *lo,
            hi: *hi,
            letter: letter(index),
            places: fields.iter().filter(|(_, field)| key(field) == (*lo, *hi, *name)).copied().collect(),
            moved: others.map(|(set, (l, h, _))| (set.clone(), *l, *h)).collect(),
            missing: set.len() < hits.len(),
        });
    }
    rows
}

/// Returns A to Z, a to z, then two letters; at most two columns.
fn letter(index: usize) -> String {
    let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').collect();
    let last = alphabet.get(index % alphabet.len()).copied().unwrap_or('?');
    match index.checked_sub(alphabet.len()) {
        None => last.to_string(),
        Some(more) => format!("{}{last}", alphabet.get(more / alphabet.len()).copied().unwrap_or('?')),
    }
}

fn table(out: &mut impl Write, styles: Styles, hits: &[Hit], rows: &[Row]) -> io::Result<()> {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max("field".len()) + 2;
    let columns: Vec<Gfx> = hits.iter().map(|hit| hit.gfx).collect();
    let header: String = columns.iter().map(|gfx| format!("{:<6}", name(*gfx))).collect();
    writeln!(out, "{}     {:>6}  {:<width$}{}{:#}", styles.title, "bits", "field", header.trim_end(), styles.title)?;
    let mut shown = Shown::default();
    for row in rows {
        let style = if row.differs() { styles.differs } else { Default::default() };
        let dots: String = columns.iter().map(|gfx| if row.has(*gfx) { "●     " } else { "·     " }).collect();
        let line = format!("{} {:<2} {:>6}  {:<width$}{}", row.mark(), row.letter, bits(row.lo, row.hi), row.name, dots.trim_end());
        writeln!(out, "{style}{line}{style:#}")?;
        below(out, styles, row, &mut shown)?;
    }
    let mut legend = Vec::new();
    legend.extend(rows.iter().any(|row| row.mark() == '≠').then_some("≠ not on every generation"));
    legend.extend(rows.iter().any(|row| row.mark() == '→').then_some("→ not always at the same bits"));
    if !legend.is_empty() {
        writeln!(out, "{}{}{:#}", styles.faint, legend.join("   "), styles.faint)?;
    }
    Ok(())
}

/// What is already on the page and need not be repeated: the doc of a field that moves, the values of a list that two fields use.
#[derive(Default)]
struct Shown {
    fields: Vec<&'static str>,
    lists: Vec<String>,
}

/// Adds an item to the list; returns whether it is new.
fn first_time<T: PartialEq>(shown: &mut Vec<T>, item: T) -> bool {
    let new = !shown.contains(&item);
    if new {
        shown.push(item);
    }
    new
}

/// Prints the documentation of a field: description, other positions, notes, values.
fn below(out: &mut impl Write, styles: Styles, row: &Row, shown: &mut Shown) -> io::Result<()> {
    if first_time(&mut shown.fields, row.name) {
        indented(out, row.places.iter().map(|(_, field)| field.doc).find(|doc| !doc.is_empty()).unwrap_or(""))?;
    }
    let moved: Vec<String> = row.moved.iter().map(|(set, lo, hi)| format!("{} on {}", bits(*lo, *hi), label(set))).collect();
    if !moved.is_empty() {
        indented(out, &format!("→ bits {}", moved.join(", ")))?;
    }
    for (set, note) in group(row.places.iter().map(|(gfx, field)| (*gfx, field.note))) {
        if !note.is_empty() {
            indented(out, &format!("! {}: {note}", label(&set)))?;
        }
    }
    let mut lists: BTreeMap<&str, Vec<(Gfx, &'static EnumInfo)>> = BTreeMap::new();
    for (gfx, field) in &row.places {
        if let Some(values) = field.values {
            lists.entry(values.name).or_default().push((*gfx, values));
        }
    }
    for (name, lists) in lists {
        short_values(out, styles, row, name, &lists, shown)?;
    }
    Ok(())
}

fn indented(out: &mut impl Write, text: &str) -> io::Result<()> {
    paragraph(out, INDENT, text)
}

fn paragraph(out: &mut impl Write, indent: usize, text: &str) -> io::Result<()> {
    wrap(text, WIDTH - indent).iter().try_for_each(|line| writeln!(out, "{:indent$}{line}", ""))
}

/// Prints the values in one paragraph; values that exist on only some generations are followed by these.
fn short_values(out: &mut impl Write, styles: Styles, row: &Row, name: &str, lists: &[(Gfx, &'static EnumInfo)], shown: &mut Shown) -> io::Result<()> {
    let entries = entries(lists);
    let everywhere = lists.len() == row.places.len();
    let on = if everywhere { String::new() } else { format!(" ({})", label(&lists.iter().map(|(gfx, _)| *gfx).collect::<Vec<_>>())) };
    let flags = if lists.iter().any(|(_, values)| values.flags) { ", flags that can be combined" } else { "" };
    if entries.len() > SHORT_LIST {
        return indented(out, &format!("{name}{on}: {} values{flags}, see the page of {name}", entries.len()));
    }
    let marked = |set: &[Gfx]| if set.len() < lists.len() { format!("{NBSP}[≠{NBSP}{}]", short_label(set)) } else { String::new() };
    let texts: Vec<String> = entries.iter().map(|(value, entry, set)| format!("{value}{NBSP}{entry}{}", marked(set))).collect();
    let paragraph = format!("{name}{on}{flags}: {}", texts.join(", "));
    if !first_time(&mut shown.lists, paragraph.clone()) {
        return indented(out, &format!("{name}{on}: as above"));
    }
    let differ = entries.iter().any(|(_, _, set)| set.len() < lists.len());
    let style = if differ { styles.differs } else { styles.faint };
    write!(out, "{style}")?;
    indented(out, &paragraph)?;
    write!(out, "{style:#}")?;
    notes(out, INDENT, lists)
}

/// Prints how other sources differ for a value list.
fn notes(out: &mut impl Write, indent: usize, lists: &[(Gfx, &'static EnumInfo)]) -> io::Result<()> {
    for (set, note) in group(lists.iter().map(|(gfx, values)| (*gfx, values.note))) {
        if !note.is_empty() {
            paragraph(out, indent, &format!("! {}: {note}", label(&set)))?;
        }
    }
    Ok(())
}

/// Prints clear value, other names, sources, and recorded disagreements.
fn facts(out: &mut impl Write, hits: &[Hit]) -> io::Result<()> {
    if hits.iter().any(|hit| hit.info.clear.is_some()) {
        let value = |info: &RegisterInfo| info.clear.map_or("not known".to_owned(), |clear| format!("0x{clear:08X}"));
        fact(out, "after CLEAR_STATE", hits, |hit| value(hit.info))?;
    }
    fact(out, "written with index", hits, |hit| hit.info.index.map_or(String::new(), |index| format!("{index}, alone in its packet")))?;
    fact(out, "index drivers write", hits, |hit| hit.info.index_seen.map_or(String::new(), |(index, source)| format!("{index} ({source})")))?;
    fact(out, "written whole", hits, |hit| hit.info.group.map_or(String::new(), |group| group_text(hit, group)))?;
    fact(out, "also called", hits, |hit| hit.info.aliases.join(", "))?;
    fact(out, "recorded", hits, |hit| hit.info.note.to_owned())?;
    fact(out, "sources", hits, |hit| source_text(hit.info.sources))?;
    if let [only] = hits {
        for (source, text) in regs::lineage(only.gfx).iter().filter(|(source, _)| only.info.sources.names().any(|n| n == *source)) {
            fact(out, "", hits, |_| format!("{source}: {text}"))?;
        }
    }
    let kind = |hit: &Hit| if hit.info.typed { "a typed register".to_owned() } else { "table entry only".to_owned() };
    fact(out, "in this crate", hits, kind)
}

/// Returns the group of a register, with its first and last register.
fn group_text(hit: &Hit, group: &str) -> String {
    let range = register_group(hit.gfx, hit.info.addr).unwrap_or_default();
    let name = |addr: u32| regs::lookup(hit.gfx, addr).map_or(String::new(), |register| register.to_string());
    format!("{group}, {} to {}", name(range.start), name(range.end.saturating_sub(4)))
}

fn source_text(sources: Sources) -> String {
    let names: Vec<&str> = sources.names().collect();
    let agree = if sources.independent() > 1 { " (two independent descriptions agree)" } else { " (one source, no independent second one)" };
    names.join(" + ") + agree
}

/// Prints `title   value`, with generations if the value differs between them; empty values are skipped.
fn fact(out: &mut impl Write, title: &str, hits: &[Hit], value: impl Fn(&Hit) -> String) -> io::Result<()> {
    let groups = group(hits.iter().map(|hit| (hit.gfx, value(hit))));
    let alone = groups.len() == 1;
    let mut title = title;
    for (set, text) in groups.iter().filter(|(_, text)| !text.is_empty()) {
        let text = if alone { text.clone() } else { format!("{}: {text}", label(set)) };
        for line in wrap(&text, WIDTH - 20) {
            writeln!(out, "{title:<20}{line}")?;
            title = "";
        }
    }
    Ok(())
}

/// Prints a value list on the generations of `lists`.
pub fn values(out: &mut impl Write, styles: Styles, list: &str, lists: &[(Gfx, &'static EnumInfo)]) -> io::Result<()> {
    let Some((_, first)) = lists.first() else { return Ok(()) };
    title(out, styles, list, if first.flags { "flags that can be combined" } else { "value list" }, first.doc)?;
    let entries = entries(lists);
    let width = entries.iter().map(|(_, entry, _)| entry.len()).max().unwrap_or(0).max("name".len()) + 2;
    let header: String = lists.iter().map(|(gfx, _)| format!("{:<6}", name(*gfx))).collect();
    writeln!(out, "\n{}  {:>10}  {:<width$}{}{:#}", styles.title, "value", "name", header.trim_end(), styles.title)?;
    for (value, entry, set) in &entries {
        let differs = set.len() < lists.len();
        let style = if differs { styles.differs } else { Default::default() };
        let dots: String = lists.iter().map(|(gfx, _)| if set.contains(gfx) { "●     " } else { "·     " }).collect();
        writeln!(out, "{style}{} {value:>10}  {entry:<width$}{}{style:#}", if differs { '≠' } else { ' ' }, dots.trim_end())?;
    }
    writeln!(out)?;
    notes(out, 0, lists)?;
    users(out, list, lists)
}

/// Prints the fields that use the list.
fn users(out: &mut impl Write, list: &str, lists: &[(Gfx, &'static EnumInfo)]) -> io::Result<()> {
    let generations = Gfx::iter().filter(|gfx| lists.iter().any(|(g, _)| g == gfx));
    let fields = generations.flat_map(|gfx| regs::registers(gfx).flat_map(move |info| info.fields.iter().map(move |field| (gfx, info, field))));
    let users = fields.filter(|(_, _, field)| field.values.is_some_and(|values| values.name == list));
    let users = group(users.map(|(gfx, info, field)| (gfx, format!("{}.{}", info.name, field.name))));
    let texts: Vec<String> = users.into_iter().map(|(set, user)| if set.len() == lists.len() { user } else { format!("{user} ({})", label(&set)) }).collect();
    let text = if texts.is_empty() { "no field is linked to it".to_owned() } else { format!("used by {}", texts.join(", ")) };
    paragraph(out, 0, &text)
}
