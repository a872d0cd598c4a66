//! The page of a register, comparing all generations.

use super::links::{Links, Seen};
use super::page::{Page, Write, anchor, dots, file, generation_heads, generations};
use crate::chip::Gfx;
use crate::packet::register_group;
use crate::regs::{self, EnumInfo, FieldInfo, RegisterInfo, Space};
use crate::report::generations::{entries, group, label, short_label};
use crate::report::html::register_table::block;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use maud::{Markup, html};
use std::io;

/// The relative path to the folder.
const UP: &str = "../";
/// The most values shown next to the field; longer lists only have their own page.
const BESIDE: usize = 24;

pub(super) fn all(links: &Links, write: Write<'_>) -> io::Result<()> {
    for (name, seen) in &links.registers {
        write(Page { path: format!("register/{}", file(name)), title: (*name).into(), part: "index.html", body: &|| page(links, name, seen) })?;
    }
    Ok(())
}

fn page(links: &Links, name: &str, seen: &[Seen]) -> Markup {
    let info = seen.first().map(|seen| seen.info);
    let rows = rows(seen);
    let missing: Vec<Gfx> = generations().filter(|gfx| seen.iter().all(|seen| seen.gfx != *gfx)).collect();
    html! {
        p.path { a href={ (UP) "block/" (file(block(name))) } { (block(name)) } " · " (info.map_or(String::new(), |info| info.space().to_string())) " register"
            @if !missing.is_empty() { " · not on " (label(&missing)) }
        }
        h1 { (name) }
        @for (set, doc) in group(seen.iter().map(|seen| (seen.gfx, seen.info.doc))) {
            @if !doc.is_empty() { p.lead { @if set.len() < seen.len() { span.pill { (label(&set)) } " " } (links.text(UP, doc)) } }
        }
        (addresses(links, seen))
        section {
            h2 { "Bits" }
            div.scroll { (layouts(seen, &rows)) }
        }
        section {
            h2 { "Fields" }
            (fields(links, seen, &rows))
        }
        (facts(links, seen))
        (touched(links, name, seen))
    }
}

/// Returns the addresses on each generation.
fn addresses(links: &Links, seen: &[Seen]) -> Markup {
    let places = group(seen.iter().map(|seen| (seen.gfx, (seen.info.addr, seen.info.count, seen.info.stride))));
    let several = places.len() > 1;
    html! {
        div.scroll { table.addresses {
            tr { th { "generations" } th { "address" } th { "set by" } th { "elements" } }
            @for (set, (addr, count, stride)) in &places {
                tr.differs[several] {
                    td.nowrap { (label(set)) }
                    td.mono { "0x" (format!("{addr:05x}")) }
                    td {
                        @match Space::of(*addr).and_then(Space::set_packet) {
                            Some((packet, start)) => { (links.text(UP, packet)) " offset " span.mono { "0x" (format!("{:03x}", (addr - start) / 4)) } },
                            None => span.dim { "no packet that sets registers reaches it" },
                        }
                    }
                    td {
                        @if *count > 1 {
                            (count) ", one every 0x" (format!("{stride:x}")) " bytes"
                            @if let Some(last) = set.first().and_then(|gfx| regs::lookup(*gfx, addr + (count - 1) * stride)) { ", the last " (last.to_string()) }
                        }
                    }
                }
            }
        } }
    }
}

/// A field at one position, and the generations that have it there.
struct Row {
    name: &'static str,
    lo: u8,
    hi: u8,
    places: Vec<(Gfx, &'static FieldInfo)>,
    /// The other positions of the same field.
    moved: Vec<(Vec<Gfx>, u8, u8)>,
    missing: bool,
}

impl Row {
    fn set(&self) -> Vec<Gfx> {
        self.places.iter().map(|(gfx, _)| *gfx).collect()
    }

    fn anchor(&self) -> String {
        anchor(self.name, self.lo)
    }
}

/// Returns the union of the fields of all generations, highest bit first.
fn rows(seen: &[Seen]) -> Vec<Row> {
    let fields: Vec<(Gfx, &'static FieldInfo)> = seen.iter().flat_map(|seen| seen.info.fields.iter().map(|field| (seen.gfx, field))).collect();
    let key = |field: &FieldInfo| (field.hi, field.lo, field.name);
    let mut places = group(fields.iter().map(|(gfx, field)| (*gfx, key(field))));
    places.sort_by_key(|(_, place)| core::cmp::Reverse(*place));
    let row = |(set, (hi, lo, name)): &(Vec<Gfx>, (u8, u8, &'static str))| Row {
        name,
        lo: *lo,
        hi: *hi,
        places: fields.iter().filter(|(_, field)| key(field) == (*hi, *lo, *name)).copied().collect(),
        moved: places.iter().filter(|(_, (h, l, n))| n == name && (h, l) != (hi, lo)).map(|(set, (h, l, _))| (set.clone(), *l, *h)).collect(),
        missing: set.len() < seen.len(),
    };
    places.iter().map(row).collect()
}

fn bits(lo: u8, hi: u8) -> String {
    if lo == hi { lo.to_string() } else { format!("{hi}:{lo}") }
}

/// Returns the bits as boxes: one strip per distinct layout.
fn layouts(seen: &[Seen], rows: &[Row]) -> Markup {
    let layouts = group(seen.iter().map(|seen| (seen.gfx, cells(seen.info.fields))));
    html! {
        div.layouts {
            @for (set, cells) in &layouts {
                span.set { @if layouts.len() > 1 { (label(set)) } }
                div.bits { div.strip {
                    @for bit in (0..32).rev() { div.bit { (bit) } }
                    @for (lo, hi, field) in cells {
                        @match field {
                            Some(name) => {
                                @let row = rows.iter().find(|row| row.name == *name && row.lo == *lo && row.hi == *hi);
                                a.field.changed[row.is_some_and(|row| row.missing)].upright[*hi - *lo < 3 && name.len() > 4 * usize::from(*hi - *lo + 1)] data-bits=(hi - lo + 1)
                                    href={ "#" (row.map_or(String::new(), Row::anchor)) } title={ (bits(*lo, *hi)) " " (name) } { b { (name) } }
                            },
                            None => div.field.none data-bits=(hi - lo + 1) title={ (bits(*lo, *hi)) " no field" } {},
                        }
                    }
                } }
            }
        }
    }
}

/// Returns bit ranges from bit 31 down to bit 0: lowest and highest bit, and the field.
fn cells(fields: &'static [FieldInfo]) -> Vec<(u8, u8, Option<&'static str>)> {
    let mut cells = Vec::new();
    let mut next = 0;
    for field in fields {
        if field.lo > next {
            cells.push((next, field.lo - 1, None));
        }
        cells.push((field.lo, field.hi, Some(field.name)));
        next = field.hi + 1;
    }
    if next < 32 {
        cells.push((next, 31, None));
    }
    cells.reverse();
    cells
}

fn fields(links: &Links, seen: &[Seen], rows: &[Row]) -> Markup {
    let of: Vec<Gfx> = seen.iter().map(|seen| seen.gfx).collect();
    html! {
        div.scroll { table.fields {
            thead { tr { th.number { "bits" } th { "field" } (generation_heads()) th { "what it does" } } }
            tbody {
                @for row in rows {
                    tr.differs[row.missing] id=(row.anchor()) {
                        td.number.mono { (bits(row.lo, row.hi)) }
                        td.name { (row.name) }
                        (dots(&row.set(), &of))
                        td.about { (about(links, row)) }
                    }
                }
            }
        } }
        @if rows.iter().any(|row| row.missing) { p.dim { "Marked: not on every generation that has the register, or not at the same bits." } }
        @if rows.is_empty() { p.dim { "No source names a field." } }
    }
}

/// Returns the documentation of a field: description, other positions, notes, values.
fn about(links: &Links, row: &Row) -> Markup {
    let docs = group(row.places.iter().map(|(gfx, field)| (*gfx, field.doc)));
    let notes = group(row.places.iter().map(|(gfx, field)| (*gfx, field.note)));
    let mut lists: BTreeMap<&str, Vec<(Gfx, &'static EnumInfo)>> = BTreeMap::new();
    for (gfx, field) in &row.places {
        if let Some(values) = field.values {
            lists.entry(values.name).or_default().push((*gfx, values));
        }
    }
    html! {
        @for (_, doc) in &docs { @if !doc.is_empty() { div { (links.text(UP, doc)) } } }
        @if !row.moved.is_empty() {
            div.moved { "→ also at " @for (i, (set, lo, hi)) in row.moved.iter().enumerate() { @if i > 0 { ", " } "bits " (bits(*lo, *hi)) " on " (label(set)) } }
        }
        @for (set, note) in &notes { @if !note.is_empty() { div.note { span.pill { (label(set)) } " " (links.text(UP, note)) } } }
        @for (name, lists) in &lists { (values(row, name, lists)) }
    }
}

fn values(row: &Row, name: &str, lists: &[(Gfx, &'static EnumInfo)]) -> Markup {
    let entries = entries(lists);
    let set: Vec<Gfx> = lists.iter().map(|(gfx, _)| *gfx).collect();
    html! {
        div.values {
            a href={ (UP) "values/" (file(name)) } { (name) }
            @if lists.len() < row.places.len() { " (" (label(&set)) ")" }
            @if lists.iter().any(|(_, values)| values.flags) { ", any sum" }
            ": "
            @if entries.len() > BESIDE { (entries.len()) " values" }
            @else {
                @for (i, (value, entry, on)) in entries.iter().enumerate() {
                    @if i > 0 { ", " }
                    span.nowrap { span.mono.dim { (value) } " " (entry) @if on.len() < lists.len() { span.differs-text { " ≠ " (short_label(on)) } } }
                }
            }
        }
    }
}

/// Returns the facts; facts that are the same on all generations appear once.
fn facts(links: &Links, seen: &[Seen]) -> Markup {
    let fact = |title: &str, value: &dyn Fn(&Seen) -> String| {
        let groups: Vec<_> = group(seen.iter().map(|seen| (seen.gfx, value(seen)))).into_iter().collect();
        let alone = groups.len() == 1;
        html! {
            @if groups.iter().any(|(_, text)| !text.is_empty()) {
                dt { (title) }
                dd { @for (set, text) in &groups { @if !text.is_empty() { div { @if !alone { span.pill { (label(set)) } " " } (links.text(UP, text)) } } } }
            }
        }
    };
    let clear = |info: &RegisterInfo| info.clear.map_or("not known".into(), |clear| format!("0x{clear:08x}"));
    let listed = |seen: &Seen| {
        let names: Vec<&str> = seen.info.sources.names().collect();
        let agree = if seen.info.sources.independent() > 1 { "two independent descriptions agree" } else { "one source, no independent second one" };
        format!("{}: {agree}", names.join(" + "))
    };
    let lineage: Vec<(Gfx, Vec<String>)> = seen
        .iter()
        .map(|seen| {
            let names: Vec<&str> = seen.info.sources.names().collect();
            (seen.gfx, regs::lineage(seen.gfx).iter().filter(|(source, _)| names.contains(source)).map(|(source, text)| format!("{source}: {text}")).collect())
        })
        .collect();
    html! {
        section.columns {
            div.card {
                h3 { "Facts" }
                dl.facts {
                    @if seen.iter().any(|seen| seen.info.clear.is_some()) { (fact("after CLEAR_STATE", &|seen| clear(seen.info))) }
                    (fact("context roll", &|seen| if seen.info.rolls { "a write after a draw rolls the context".into() } else { String::new() }))
                    (fact("written with index", &|seen| seen.info.index.map_or(String::new(), |index| format!("{index}, alone in its packet"))))
                    (fact("index also seen", &|seen| seen.info.index_seen.map_or(String::new(), |(index, source)| format!("{index} ({source})"))))
                    (fact("bits also seen", &|seen| seen.info.bits_seen.map_or(String::new(), |(mask, source)| format!("0x{mask:08x} ({source})"))))
                    (fact("written whole", &|seen| seen.info.group.map_or(String::new(), |group| group_text(seen, group))))
                    (fact("also called", &|seen| seen.info.aliases.join(", ")))
                    (fact("in this crate", &|seen| if seen.info.typed { "a typed register".into() } else { "a table entry".into() }))
                }
            }
            div.card {
                h3 { "Sources and disagreements" }
                dl.facts {
                    (fact("listed by", &listed))
                    (fact("recorded", &|seen| seen.info.note.to_string()))
                }
                details { summary { "descriptions" } ul { @for (gfx, texts) in &lineage { @for text in texts { li { span.pill { (label(&[*gfx])) } " " (text) } } } } }
            }
        }
    }
}

/// Returns the group of a register, with its first and last register.
fn group_text(seen: &Seen, group: &str) -> String {
    let range = register_group(seen.gfx, seen.info.addr).unwrap_or_default();
    let name = |addr: u32| regs::lookup(seen.gfx, addr).map_or(String::new(), |register| register.to_string());
    format!("{group}, {} to {}", name(range.start), name(range.end.saturating_sub(4)))
}

/// The part that names of packets for a register space have in common.
const REACH: [(Space, &str); 4] = [(Space::Context, "CONTEXT_REG"), (Space::Sh, "SH_REG"), (Space::Uconfig, "UCONFIG_REG"), (Space::Config, "CONFIG_REG")];

/// Returns the packets, rules, errata and registers related to a register.
fn touched(links: &Links, name: &str, seen: &[Seen]) -> Markup {
    let spaces: Vec<Space> = group(seen.iter().map(|seen| (seen.gfx, seen.info.space()))).into_iter().map(|(_, space)| space).collect();
    let of_space = |packet: &str| {
        REACH.iter().any(|(space, part)| spaces.contains(space) && packet.contains(part) && (*space != Space::Config || !packet.contains("UCONFIG")))
    };
    let reach: Vec<&str> = links.packets.keys().copied().filter(|packet| of_space(packet)).collect();
    let kind = |kind: &'static str| links.mentions(name).filter(move |mention| mention.kind == kind).collect::<Vec<_>>();
    let list = |title: &str, kind: Vec<&super::links::Mention>| {
        html! {
            @if !kind.is_empty() {
                div.card {
                    h3 { (title) }
                    ul.plain { @for mention in kind { li { a href={ (UP) (mention.target) } { (mention.name) } @if !mention.about.is_empty() { " " span.dim { (mention.about) } } } } }
                }
            }
        }
    };
    html! {
        section.columns {
            (list("Rules that name it", kind("rule")))
            (list("Errata that name it", kind("erratum")))
            (list("Packets that name it", kind("packet")))
            (list("Registers that name it", kind("register")))
            @if !reach.is_empty() {
                div.card { h3 { "Packets that reach it" } p { @for (i, packet) in reach.iter().enumerate() { @if i > 0 { ", " } (links.text(UP, packet)) } } }
            }
        }
    }
}
