//! The pages of packets.

use super::links::Links;
use super::page::{Page, Write, dots, file, generation_heads, generations};
use crate::chip::Gfx;
use crate::packet::{Engine, Field, Form, Format, formats};
use crate::report::generations::{group, label};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use maud::{Markup, html};
use std::io;

pub(super) fn all(links: &Links, write: Write<'_>) -> io::Result<()> {
    write(Page { path: "packets.html".into(), title: "Packets".into(), part: "packets.html", body: &|| list(links) })?;
    for (name, formats) in &links.packets {
        let body = || html! { p.path { "packet" } h1 { (name) } @for format in formats { (page(links, format)) } };
        write(Page { path: format!("packet/{}", file(name)), title: (*name).into(), part: "packets.html", body: &body })?;
    }
    Ok(())
}

fn on(format: &Format) -> Vec<Gfx> {
    generations().filter(|gfx| format.opcode(*gfx).is_some()).collect()
}

fn opcodes(format: &Format) -> String {
    let list = group(generations().filter_map(|gfx| Some((gfx, format.opcode(gfx)?))));
    let several = list.len() > 1;
    let texts: Vec<String> =
        list.iter().map(|(set, opcode)| if several { format!("{:#04x} on {}", opcode.0, label(set)) } else { format!("{:#04x}", opcode.0) }).collect();
    texts.join(", ")
}

fn list(links: &Links) -> Markup {
    let all: Vec<Gfx> = generations().collect();
    html! {
        h1 { "Packets" }
        p.lead { "Packets of type 3, with the generations that have them." }
        div.scroll { table.fields {
            thead { tr { th { "packet" } th { "opcode" } (generation_heads()) th { "what it does" } } }
            tbody { @for format in formats() { tr {
                td.name { a href={ "packet/" (file(format.name)) } { (format.name) } }
                td.mono.nowrap { (opcodes(format)) }
                (dots(&on(format), &all))
                td.about { (links.text("", format.doc)) @if format.kernel { " " span.pill { "kernel" } } }
            } } }
        } }
    }
}

const ENGINES: [(Engine, &str); 4] =
    [(Engine::Pfp, "prefetch parser"), (Engine::Me, "micro-engine"), (Engine::Mec, "compute engine"), (Engine::Ce, "constant engine")];

fn page(links: &Links, format: &Format) -> Markup {
    let set = on(format);
    html! {
        p.lead { (links.text("../", format.doc)) }
        dl.facts {
            dt { "opcode" } dd.mono { (opcodes(format)) }
            dt { "generations" } dd { (label(&set)) }
            dt { "read by" } dd { (engines(format, &set)) }
            @if format.kernel { dt { "for" } dd { "the kernel driver: user mode must not write it" } }
        }
        @if !format.effects.is_empty() { section { h2 { "Effects" } ul { @for effect in format.effects { li { (links.text("../", effect)) } } } } }
        @for form in format.forms.iter().filter(|form| !form.internal) { (layout(links, form, &set)) }
        @if !format.notes.is_empty() { section { h2 { "Notes" } ul { @for note in format.notes { li { (links.text("../", note)) } } } } }
        @if !format.sources.is_empty() { p.dim { "Sources: " (format.sources.join("; ")) } }
    }
}

fn engines(format: &Format, set: &[Gfx]) -> String {
    let readers = |gfx: Gfx| ENGINES.iter().filter(|(engine, _)| format.scope.has(gfx, *engine)).map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    let groups = group(set.iter().map(|gfx| (*gfx, readers(*gfx))));
    let several = groups.len() > 1;
    groups.iter().map(|(set, text)| if several { format!("{} ({})", text, label(set)) } else { text.to_string() }).collect::<Vec<_>>().join("; ")
}

fn layout(links: &Links, form: &Form, set: &[Gfx]) -> Markup {
    let has = |field: &Field, gfx: Gfx| ENGINES.iter().any(|(engine, _)| field.scope.has(gfx, *engine));
    let sizes = group(set.iter().map(|gfx| {
        let sizes: Vec<String> = form.sizes.iter().filter(|size| size.gfx & gfx.bit() != 0).map(|size| size.dwords.to_string()).collect();
        (*gfx, sizes.join(" or "))
    }));
    html! {
        section {
            h2 { "Layout" }
            p.dim {
                @for (i, (on, sizes)) in sizes.iter().filter(|(_, sizes)| !sizes.is_empty()).enumerate() { @if i > 0 { "; " } (sizes) " dwords" @if on.len() < set.len() { " on " (label(on)) } }
                @if let Some(repeat) = form.repeat { "; groups of " (repeat.len) " dwords repeat from dword " (repeat.from) " on" }
            }
            div.scroll { table.fields {
                thead { tr { th.number { "dword" } th.number { "bits" } th { "field" } (generation_heads()) th { "what it holds" } } }
                tbody { @for field in form.fields {
                    @let fields_on: Vec<Gfx> = set.iter().copied().filter(|gfx| has(field, *gfx)).collect();
                    tr.differs[fields_on.len() < set.len()] {
                        td.number { (field.dword) }
                        td.number.mono { @if field.lo == field.hi { (field.lo) } @else { (field.hi) ":" (field.lo) } }
                        td.name { (field.name) }
                        (dots(&fields_on, set))
                        td.about {
                            @if !field.doc.is_empty() { div { (links.text("../", field.doc)) } }
                            @if let Some(values) = field.values {
                                div.values { @for (i, value) in values.values.iter().enumerate() { @if i > 0 { ", " } span.nowrap { span.mono.dim { (value.value) } " " (value.name) } } }
                            }
                            @if let Some(layout) = field.layout {
                                div.values { (layout.name) ": " @for (i, bits) in layout.bits.iter().enumerate() { @if i > 0 { ", " } span.nowrap { span.mono.dim { (bits.hi) ":" (bits.lo) } " " (bits.name) } } }
                            }
                            @if field.kernel { span.pill { "kernel" } }
                        }
                    }
                } }
            } }
        }
    }
}
