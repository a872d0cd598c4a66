//! Link targets, and which pages name each register.

use super::page::{anchor, file, generations};
use crate::chip::{Chip, Erratum, Gfx};
use crate::cp::rules::{self, ChipScope, Judge};
use crate::packet::{Format, formats};
use crate::regs::{self, EnumInfo, RegisterInfo};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use maud::{Markup, html};
use strum::IntoEnumIterator;

/// A register on one generation.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub gfx: Gfx,
    pub info: &'static RegisterInfo,
}

/// A page that names a register: kind, name, and path within the folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mention {
    pub kind: &'static str,
    pub name: String,
    pub target: String,
    pub about: String,
}

pub(super) struct Links {
    /// Registers by name, each on all its generations.
    pub registers: BTreeMap<&'static str, Vec<Seen>>,
    pub values: BTreeMap<&'static str, Vec<(Gfx, &'static EnumInfo)>>,
    pub packets: BTreeMap<&'static str, Vec<&'static Format>>,
    /// Names of array elements and aliases, and their registers.
    elements: BTreeMap<String, &'static str>,
    /// Field names that belong to a single register: the register, and the anchor on its page.
    fields: BTreeMap<&'static str, (&'static str, String)>,
    mentions: BTreeMap<&'static str, BTreeSet<Mention>>,
}

impl Links {
    pub fn new() -> Self {
        let mut links = Self {
            registers: BTreeMap::new(),
            values: BTreeMap::new(),
            packets: BTreeMap::new(),
            elements: BTreeMap::new(),
            fields: BTreeMap::new(),
            mentions: BTreeMap::new(),
        };
        for gfx in generations() {
            for info in regs::registers(gfx) {
                links.registers.entry(info.name).or_default().push(Seen { gfx, info });
                for alias in info.aliases {
                    links.elements.insert((*alias).to_string(), info.name);
                }
                for element in (1..info.count).filter_map(|i| regs::lookup(gfx, info.addr + i * info.stride)) {
                    links.elements.entry(element.to_string()).or_insert(info.name);
                }
            }
            for values in regs::enums(gfx) {
                links.values.entry(values.name).or_default().push((gfx, values));
            }
        }
        for format in formats() {
            links.packets.entry(format.name).or_default().push(format);
        }
        links.fields = fields_of_one_register(&links.registers);
        links.find_mentions();
        links
    }

    /// Returns the link target of a name, relative to the folder.
    pub fn target(&self, name: &str) -> Option<String> {
        if self.registers.contains_key(name) {
            return Some(format!("register/{}", file(name)));
        }
        if let Some(register) = self.elements.get(name) {
            return Some(format!("register/{}", file(register)));
        }
        if self.packets.contains_key(name) {
            return Some(format!("packet/{}", file(name)));
        }
        if let Some((register, anchor)) = self.fields.get(name) {
            return Some(format!("register/{}#{anchor}", file(register)));
        }
        let rule = rules::find(name).is_some() || rules::not_judged().iter().any(|rule| rule.code == name);
        rule.then(|| format!("rules.html#{name}"))
    }

    /// Returns a text with links on known names. `up` is the path to the folder.
    pub fn text(&self, up: &str, text: &str) -> Markup {
        html! {
            @for part in parts(text) {
                @match self.target(part).filter(|_| part.len() > 3) {
                    Some(target) => a href={ (up) (target) } { (part) },
                    None => (part),
                }
            }
        }
    }

    /// Returns the pages that name a register.
    pub fn mentions(&self, register: &str) -> impl Iterator<Item = &Mention> {
        self.mentions.get(register).into_iter().flatten()
    }

    fn find_mentions(&mut self) {
        let mut found: Vec<(&'static str, Mention)> = Vec::new();
        for rule in rules::all() {
            let mention = Mention { kind: "rule", name: rule.code.into(), target: format!("rules.html#{}", rule.code), about: rule.title.into() };
            let watched = watched(rule);
            let named = self.named(&[rule.title, rule.explanation]).into_iter().chain(watched);
            found.extend(named.map(|register| (register, mention.clone())));
        }
        for rule in rules::not_judged() {
            let mention = Mention { kind: "rule", name: rule.code.into(), target: format!("rules.html#{}", rule.code), about: rule.title.into() };
            found.extend(self.named(&[rule.title, rule.reason]).into_iter().map(|register| (register, mention.clone())));
        }
        for erratum in Erratum::iter() {
            let name = erratum.to_string();
            let mention = Mention { kind: "erratum", target: format!("rules.html#{name}"), name, about: erratum.doc().into() };
            found.extend(self.named(&[erratum.doc()]).into_iter().map(|register| (register, mention.clone())));
        }
        for (name, formats) in &self.packets {
            let mention = |doc: &str| Mention { kind: "packet", name: (*name).into(), target: format!("packet/{}", file(name)), about: doc.into() };
            for format in formats {
                let texts: Vec<&str> = [format.doc].into_iter().chain(format.notes.iter().copied()).chain(format.effects.iter().copied()).collect();
                found.extend(self.named(&texts).into_iter().map(|register| (register, mention(format.doc))));
            }
        }
        for (name, seen) in &self.registers {
            let mention = Mention { kind: "register", name: (*name).into(), target: format!("register/{}", file(name)), about: String::new() };
            for Seen { info, .. } in seen {
                let texts: Vec<&str> = [info.doc, info.note]
                    .into_iter()
                    .chain(info.fields.iter().flat_map(|field| [field.doc, field.note]))
                    .filter(|text| !text.is_empty())
                    .collect();
                found.extend(self.named(&texts).into_iter().filter(|register| register != name).map(|register| (register, mention.clone())));
            }
        }
        for (register, mention) in found {
            self.mentions.entry(register).or_default().insert(mention);
        }
    }

    /// Returns the registers named in texts.
    fn named(&self, texts: &[&str]) -> BTreeSet<&'static str> {
        texts
            .iter()
            .flat_map(|text| parts(text))
            .filter_map(|part| {
                self.registers
                    .get_key_value(part)
                    .map(|(name, _)| *name)
                    .or_else(|| self.elements.get(part).copied())
                    .or_else(|| self.fields.get(part).map(|(register, _)| *register))
            })
            .collect()
    }
}

/// Returns the fields whose name identifies a register: only one register has the field, and the name is not a common word.
fn fields_of_one_register(registers: &BTreeMap<&'static str, Vec<Seen>>) -> BTreeMap<&'static str, (&'static str, String)> {
    let mut owners: BTreeMap<&'static str, BTreeSet<&'static str>> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (register, seen) in registers {
        for field in seen.iter().flat_map(|seen| seen.info.fields).filter(|field| field.name.contains('_')) {
            owners.entry(field.name).or_default().insert(*register);
            places.insert(field.name, (*register, anchor(field.name, field.lo)));
        }
    }
    places.retain(|name, _| owners.get(name).is_some_and(|owners| owners.len() == 1) && !registers.contains_key(name));
    places
}

/// Returns the registers whose writes a rule judges individually.
fn watched(rule: &rules::Rule) -> Vec<&'static str> {
    let Judge::Write { watch, .. } = rule.judge else { return Vec::new() };
    let hits = |scope: ChipScope, gfx: Gfx| match scope {
        ChipScope::All => true,
        ChipScope::Generations(set) => set & gfx.bit() != 0,
        ChipScope::Erratum(erratum) => erratum.chips().any(|chip| chip.gfx() == gfx),
        ChipScope::Chips(_) => Chip::all().any(|chip| chip.gfx() == gfx && scope.contains(chip)),
    };
    let of = |gfx: Gfx| watch.addresses().filter(move |(scope, ..)| hits(*scope, gfx)).filter_map(move |(_, addr, _)| regs::lookup(gfx, addr));
    generations().filter(|gfx| hits(rule.scope, *gfx)).flat_map(of).map(|register| register.info().name).collect()
}

/// Splits a text at the borders of names; the parts together are the whole text.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut rest = text;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| in_name(c) != in_name(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}
