//! The first page, the pages of blocks and value lists, the rules, and the search index.

use super::links::Links;
use super::page::{Page, Write, dots, file, generation_heads, generations};
use crate::chip::{Erratum, Gfx};
use crate::cp::rules;
use crate::regs::EnumInfo;
use crate::report::generations::{entries, group, label};
use crate::report::html::register_table::{block, order};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::io;
use strum::IntoEnumIterator;

pub(super) fn all(links: &Links, write: Write<'_>) -> io::Result<()> {
    let mut blocks: BTreeMap<(usize, &str), Vec<&'static str>> = BTreeMap::new();
    for name in links.registers.keys() {
        blocks.entry((order(block(name)), block(name))).or_default().push(name);
    }
    write(Page { path: "index.html".into(), title: "Registers".into(), part: "index.html", body: &|| first(links, &blocks) })?;
    for ((_, name), registers) in &blocks {
        write(Page { path: format!("block/{}", file(name)), title: (*name).into(), part: "index.html", body: &|| block_page(links, name, registers) })?;
    }
    write(Page { path: "values.html".into(), title: "Values".into(), part: "values.html", body: &|| value_lists(links) })?;
    let users = users(links);
    for (name, lists) in &links.values {
        let body = || value_page(links, name, lists, users.get(name));
        write(Page { path: format!("values/{}", file(name)), title: (*name).into(), part: "values.html", body: &body })?;
    }
    write(Page { path: "rules.html".into(), title: "Rules".into(), part: "rules.html", body: &|| rule_page(links) })
}

fn first(links: &Links, blocks: &BTreeMap<(usize, &str), Vec<&'static str>>) -> Markup {
    let settable = |name: &&&'static str| links.registers.get(*name).is_some_and(|seen| seen.iter().any(|seen| seen.info.space().set_packet().is_some()));
    html! {
        h1 { "Registers of AMD GPUs, GFX9 to GFX12" }
        p.lead { (links.registers.len()) " registers, " (links.values.len()) " value lists, " (links.packets.len()) " packets. Type a name, a field or an address above; " kbd { "/" } " goes there." }
        div.scroll { table.fields {
            thead { tr { th { "block" } th.number { "registers" } th.number { "set by packets" } (generation_heads()) th { "some of them" } } }
            tbody { @for ((_, name), registers) in blocks {
                @let on: Vec<Gfx> = generations().filter(|gfx| registers.iter().any(|name| links.registers.get(name).is_some_and(|seen| seen.iter().any(|seen| seen.gfx == *gfx)))).collect();
                tr {
                    td.name { a href={ "block/" (file(name)) } { (name) } }
                    td.number { (registers.len()) }
                    td.number { (registers.iter().filter(settable).count()) }
                    (dots(&on, &generations().collect::<Vec<_>>()))
                    td.about.dim { @for (i, name) in documented(links, registers).iter().enumerate() { @if i > 0 { ", " } (links.text("", name)) } }
                }
            } }
        } }
    }
}

/// Returns the best-documented registers of a block.
fn documented<'r>(links: &Links, registers: &[&'r str]) -> Vec<&'r str> {
    const SHOWN: usize = 4;
    let mut list: Vec<&str> = registers.to_vec();
    list.sort_by_key(|name| {
        let written = links
            .registers
            .get(*name)
            .and_then(|seen| seen.first())
            .map_or(0, |seen| usize::from(!seen.info.doc.is_empty()) + seen.info.fields.iter().filter(|field| !field.doc.is_empty()).count());
        core::cmp::Reverse(written)
    });
    list.truncate(SHOWN);
    list
}

fn block_page(links: &Links, name: &str, registers: &[&'static str]) -> Markup {
    let mut rows: Vec<_> = registers.iter().filter_map(|name| links.registers.get_key_value(name)).collect();
    rows.sort_unstable_by_key(|(name, seen)| (seen.last().map(|seen| seen.info.addr), **name));
    html! {
        p.path { a href="../index.html" { "registers" } " · block" }
        h1 { (name) }
        div.scroll { table.fields {
            thead { tr { th { "address" } th { "register" } th { "space" } (generation_heads()) th { "what it controls" } } }
            tbody { @for (name, seen) in rows {
                @let on: Vec<Gfx> = seen.iter().map(|seen| seen.gfx).collect();
                @let addrs = group(seen.iter().map(|seen| (seen.gfx, seen.info.addr)));
                tr {
                    td.mono { @for (i, (set, addr)) in addrs.iter().enumerate() { div.nowrap { "0x" (format!("{addr:05x}")) @if addrs.len() > 1 { " " span.differs-text { (label(set)) } } @else if i > 0 { "" } } } }
                    td.name { a href={ "../register/" (file(name)) } { (name) } @if seen.iter().any(|seen| seen.info.count > 1) { span.dim { " × " (seen.iter().map(|seen| seen.info.count).max().unwrap_or(1)) } } }
                    td.dim { (seen.first().map_or(String::new(), |seen| seen.info.space().to_string())) }
                    (dots(&on, &generations().collect::<Vec<_>>()))
                    td.about { (links.text("../", seen.iter().map(|seen| seen.info.doc).find(|doc| !doc.is_empty()).unwrap_or(""))) }
                }
            } }
        } }
    }
}

fn value_lists(links: &Links) -> Markup {
    let all: Vec<Gfx> = generations().collect();
    html! {
        h1 { "Value lists" }
        p.lead { "Names of the values that fields take." }
        div.scroll { table.fields {
            thead { tr { th { "list" } th.number { "values" } (generation_heads()) th { "what it is" } } }
            tbody { @for (name, lists) in &links.values { tr {
                td.name { a href={ "values/" (file(name)) } { (name) } }
                td.number { (entries(lists).len()) }
                (dots(&lists.iter().map(|(gfx, _)| *gfx).collect::<Vec<_>>(), &all))
                td.about { (links.text("", lists.iter().map(|(_, values)| values.doc).find(|doc| !doc.is_empty()).unwrap_or(""))) }
            } } }
        } }
    }
}

/// The fields that use a value list: register and field, with the generations.
type Users = BTreeMap<&'static str, BTreeMap<(&'static str, &'static str), BTreeSet<Gfx>>>;

fn users(links: &Links) -> Users {
    let mut users = Users::new();
    for (name, seen) in &links.registers {
        for seen in seen {
            for (field, values) in seen.info.fields.iter().filter_map(|field| Some((field.name, field.values?))) {
                users.entry(values.name).or_default().entry((*name, field)).or_default().insert(seen.gfx);
            }
        }
    }
    users
}

fn value_page(links: &Links, name: &str, lists: &[(Gfx, &'static EnumInfo)], users: Option<&BTreeMap<(&'static str, &'static str), BTreeSet<Gfx>>>) -> Markup {
    let on: Vec<Gfx> = lists.iter().map(|(gfx, _)| *gfx).collect();
    html! {
        p.path { a href="../values.html" { "value lists" } @if lists.iter().any(|(_, values)| values.flags) { " · flags that can be combined" } }
        h1 { (name) }
        @for (_, doc) in group(lists.iter().map(|(gfx, values)| (*gfx, values.doc))) { @if !doc.is_empty() { p.lead { (links.text("../", doc)) } } }
        div.scroll { table.fields {
            thead { tr { th.number { "value" } th { "name" } (generation_heads()) } }
            tbody { @for (value, entry, set) in entries(lists) { tr.differs[set.len() < lists.len()] {
                td.number.mono { (value) } td.name { (entry) } (dots(&set, &on))
            } } }
        } }
        @for (set, note) in group(lists.iter().map(|(gfx, values)| (*gfx, values.note))) { @if !note.is_empty() { p.note { span.pill { (label(&set)) } " " (links.text("../", note)) } } }
        section {
            h2 { "Used by" }
            @match users {
                Some(users) => ul.plain { @for ((register, field), set) in users { li { a href={ "../register/" (file(register)) } { (register) } "." (field) @if set.len() < lists.len() { " " span.dim { (label(&set.iter().copied().collect::<Vec<_>>())) } } } } },
                None => p.dim { "No field is linked to it." },
            }
        }
    }
}

fn rule_page(links: &Links) -> Markup {
    let mut families: BTreeMap<&str, Vec<&rules::Rule>> = BTreeMap::new();
    for rule in rules::all() {
        families.entry(rule.code.split('-').next().unwrap_or_default()).or_default().push(rule);
    }
    html! {
        h1 { "Rules and errata" }
        p.lead { "What the command-processor model judges in streams, what no stream shows, and the errata of chips." }
        p.path { @for family in families.keys() { a href={ "#" (family) } { (family) } " " } a href="#not-judged" { "not judged" } " " a href="#errata" { "errata" } }
        @for (family, list) in &families {
            section {
                h2 id=(family) { (family) }
                @for rule in list { (one_rule(links, rule.code, rule.title, &rule.severity.to_string(), &rule.scope.describe(), rule.explanation, rule.source)) }
            }
        }
        section {
            h2 #not-judged { "Not judged from a stream" }
            @for rule in rules::not_judged() { (one_rule(links, rule.code, rule.title, &rule.severity.to_string(), "", rule.reason, rule.source)) }
        }
        section {
            h2 #errata { "Errata" }
            @for erratum in Erratum::iter() {
                @let chips: Vec<String> = erratum.chips().map(|chip| chip.to_string()).collect();
                (one_rule(links, &erratum.to_string(), "", "", &chips.join(", "), erratum.doc(), erratum.source()))
            }
        }
    }
}

fn one_rule(links: &Links, code: &str, title: &str, severity: &str, chips: &str, text: &str, source: &str) -> Markup {
    html! {
        article.rule id=(code) {
            h3 { a.mono href={ "#" (code) } { (code) } " " span.title { (links.text("", title)) } }
            p.dim { @if !severity.is_empty() { span class={ "severity " (severity) } { (severity) } } @if !chips.is_empty() { @if !severity.is_empty() { " · " } "chips: " (chips) } }
            p { (links.text("", text)) }
            p.dim { "Source: " (source) }
        }
    }
}

/// Returns the search index: name, kind, place, addresses (first, elements, distance), fields.
pub(super) fn search_list(links: &Links) -> Value {
    let mut list: Vec<Value> = Vec::new();
    for (name, seen) in &links.registers {
        let addrs = group(seen.iter().map(|seen| (seen.gfx, (seen.info.addr, seen.info.count, seen.info.stride))));
        let addrs: Vec<Value> = addrs.iter().map(|(_, (addr, count, stride))| json!([addr, count, stride])).collect();
        let fields: BTreeSet<&str> = seen.iter().flat_map(|seen| seen.info.fields.iter().map(|field| field.name)).collect();
        list.push(json!([name, "register", format!("register/{}", file(name)), addrs, fields]));
    }
    for name in links.packets.keys() {
        list.push(json!([name, "packet", format!("packet/{}", file(name))]));
    }
    for (name, lists) in &links.values {
        let names: BTreeSet<&str> = lists.iter().flat_map(|(_, values)| values.entries.iter().map(|(name, _)| *name)).collect();
        list.push(json!([name, "values", format!("values/{}", file(name)), [], names]));
    }
    for (code, title) in rules::all().map(|rule| (rule.code, rule.title)).chain(rules::not_judged().iter().map(|rule| (rule.code, rule.title))) {
        list.push(json!([code, "rule", format!("rules.html#{code}"), [], [title]]));
    }
    list.into()
}
