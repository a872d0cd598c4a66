//! Checks between packet descriptions.

use crate::check::packet_names;
use crate::check::rust::{Clash, clash};
use crate::diag::{Diagnostic, Result, Span};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::lower::conditions::{conditions, parts};
use crate::model::packets::*;
use crate::names::RESERVED;
use std::collections::BTreeSet;

/// Returns all mistakes between the files.
pub fn check(packets: &Packets) -> Vec<Box<Diagnostic>> {
    Checker { packets }.all()
}

struct Checker<'a> {
    packets: &'a Packets,
}

impl Checker<'_> {
    fn all(&self) -> Vec<Box<Diagnostic>> {
        let mut errors = Vec::new();
        for packet in &self.packets.packets {
            check_split_values(packet, &mut errors);
            tolerated(packet, &mut errors);
            self.check_registers(packet, &mut errors);
            self.check_firmware(packet, &mut errors);
            self.check_work(packet, &mut errors);
            for (i, form) in packet.forms.iter().enumerate() {
                errors.extend(packet.forms[..i].iter().find_map(|other| check_forms(packet, form, other).err()));
                self.check_form(packet, form, &mut errors);
                check_names(packet, form, &mut errors);
            }
        }
        for bitfield in &self.packets.bitfields {
            for (i, a) in bitfield.fields.iter().enumerate() {
                for b in &bitfield.fields[..i] {
                    if a.lo <= b.hi && b.lo <= a.hi && !a.gfx.and(b.gfx).is_empty() {
                        errors.push(overlap(&a.name, &a.span, &b.name, &b.span, &format!("GFX{}", a.gfx.and(b.gfx))));
                    }
                }
            }
        }
        packet_names::check(self.packets, &mut errors);
        self.check_opcodes(&mut errors);
        errors
    }

    fn check_form(&self, packet: &Packet, form: &Form, errors: &mut Vec<Box<Diagnostic>>) {
        for gfx in form.scope.gfx().indices() {
            if !form.sizes.iter().any(|(set, _)| set.has(gfx)) {
                errors.push(Diagnostic::new(packet.span.clone(), format!("{} has no size for GFX{}", packet.name, GENERATIONS[gfx].name)));
            }
        }
        let end = |gfx: usize| {
            let mut end = 0;
            for (set, size) in &form.sizes {
                if set.has(gfx) {
                    end = end.max(*size);
                }
            }
            form.repeat.map_or(end, |r| end.max(r.from.saturating_add(r.len)))
        };
        for (i, a) in form.fields.iter().enumerate() {
            if a.dword == 0 {
                let d = Diagnostic::new(a.span.clone(), format!("`{}` is in dword 0, which is the header of {}", a.name, packet.name));
                errors.push(d.help("dword 1 is the first one of the body"));
            } else if let Some(gfx) = a.scope.gfx().indices().find(|&gfx| a.dword >= end(gfx)) {
                let d = Diagnostic::new(
                    a.span.clone(),
                    format!("`{}` is in dword {}, but {} ends after {} dwords on GFX{}", a.name, a.dword, packet.name, end(gfx), GENERATIONS[gfx].name),
                );
                errors.push(d.help("dword 0 is the header"));
            }
            self.check_values(a, errors);
            self.check_layout(a, errors);
            if let Some(when) = a.when.iter().find(|when| when.field == a.name) {
                errors.push(Diagnostic::new(when.span.clone(), format!("the condition of `{}` cannot depend on `{0}` itself", a.name)));
            }
            match conditions(self.packets, form, a) {
                Err(e) => errors.push(e),
                Ok(parts) => {
                    for condition in parts.iter().flat_map(|(_, list)| list) {
                        if let Some(v) = condition.values.iter().find(|v| !fits(**v, condition.lo, condition.hi)) {
                            errors.push(Diagnostic::new(a.span.clone(), format!("the condition of `{}` can never hold: {v} does not fit the bits", a.name)));
                        }
                    }
                }
            }
            for b in &form.fields[..i] {
                let shared = a.scope.and(b.scope);
                if a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi && !shared.is_empty() && !a.overlap && !b.overlap && !exclusive(a, b) {
                    let place = format!("dword {} of GFX{}", a.dword, shared.gfx());
                    errors.push(overlap(&a.name, &a.span, &b.name, &b.span, &place).help("give one of them a `when`, or `overlap = true` if both may hold"));
                }
            }
        }
    }

    fn check_values(&self, field: &Field, errors: &mut Vec<Box<Diagnostic>>) {
        let Some(values) = field.values.map(|i| &self.packets.enums[i]) else { return };
        if !values.values.iter().any(|v| v.scope.intersects(field.scope)) {
            let what = format!("the list {} has no value on the generations and engines of `{}`", values.name, field.name);
            errors.push(Diagnostic::new(field.span.clone(), what).related(values.span.clone(), "the values"));
        }
        for value in &values.values {
            if !value.scope.intersects(field.scope) || fits(value.value, field.lo, field.hi) {
                continue;
            }
            let d = Diagnostic::new(value.span.clone(), format!("{} = {} does not fit `{}`", value.name, value.value, field.name));
            errors.push(d.related(field.span.clone(), format!("the field has bits {}:{}", field.hi, field.lo)));
        }
    }

    /// Checks that a layout has as many bits as its field.
    fn check_layout(&self, field: &Field, errors: &mut Vec<Box<Diagnostic>>) {
        let Some(layout) = field.layout.map(|i| &self.packets.bitfields[i]) else { return };
        let beyond = |bits: &&BitfieldField| bits.hi > field.hi - field.lo && !bits.gfx.and(field.scope.gfx()).is_empty();
        if let Some(bits) = layout.fields.iter().find(beyond) {
            let what = format!("`{}` has {} bits, but {} of its layout {} has bit {}", field.name, field.hi - field.lo + 1, bits.name, layout.name, bits.hi);
            errors.push(Diagnostic::new(field.span.clone(), what).related(bits.span.clone(), "the bits of the layout"));
        }
    }

    /// Checks for fields that name registers although effects already say so.
    fn check_registers(&self, packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
        for field in packet.forms.iter().flat_map(|form| &form.fields) {
            if field.register.is_none() {
                continue;
            }
            if let Some(effect) = packet.effects.iter().find(|effect| effect.does.names_register(&field.name).is_some()) {
                let d = Diagnostic::new(field.span.clone(), format!("`{}` names a register twice: an effect says it, and `register`", field.name));
                errors.push(d.related(effect.span.clone(), "the effect").help("leave `register` out"));
            }
        }
    }

    fn check_firmware(&self, packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
        for firmware in &packet.firmware {
            if firmware.scope.is_empty() {
                errors.push(
                    Diagnostic::new(firmware.span.clone(), format!("{} is on no queue whose engine has this firmware", packet.name)).help("give `engines`"),
                );
            }
            for form in &packet.forms {
                errors.extend(parts(self.packets, form, firmware.scope.and(form.scope), &firmware.when).err());
            }
        }
    }

    fn check_work(&self, packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
        for starts in &packet.work {
            for form in &packet.forms {
                errors.extend(parts(self.packets, form, starts.scope.and(form.scope), &starts.when).err());
            }
        }
    }

    /// Checks that two packets with the same number on an engine differ in size, and that an opcode without a layout does not share its number.
    fn check_opcodes(&self, errors: &mut Vec<Box<Diagnostic>>) {
        let all = &self.packets.packets;
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                let same = |gfx: GfxSet| a.opcodes.iter().any(|x| b.opcodes.iter().any(|y| x.1 == y.1 && !x.0.and(y.0).and(gfx).is_empty()));
                let shared = a.scope.and(b.scope);
                if !shared.is_empty() && same(shared.gfx()) && !differ_in_size(a, b) {
                    let d = Diagnostic::new(
                        a.span.clone(),
                        format!("{} and {} have the same opcode on GFX{}, and their sizes do not distinguish them", a.name, b.name, shared.gfx()),
                    );
                    errors.push(d.related(b.span.clone(), "the other packet"));
                }
            }
        }
        let named = &self.packets.opcodes;
        for (i, a) in named.iter().enumerate() {
            let has_layout = |o: &NamedOpcode| all.iter().any(|p| p.constant == o.name);
            for b in &named[..i] {
                let shared = a.gfx.and(b.gfx);
                if a.name == b.name && a.value != b.value && !shared.is_empty() {
                    let d = Diagnostic::new(a.span.clone(), format!("{} is opcode {:#04x} and opcode {:#04x} on GFX{shared}", a.name, b.value, a.value));
                    errors.push(d.related(b.span.clone(), "the other one"));
                }
                if a.value == b.value && !shared.is_empty() && (a.name == b.name || !has_layout(a) || !has_layout(b)) {
                    let d = Diagnostic::new(a.span.clone(), format!("opcode {:#04x} has two names on GFX{}", a.value, shared));
                    errors.push(d.related(b.span.clone(), "the other one"));
                }
            }
        }
    }
}

/// Checks that two layouts of a packet differ in size on every engine that supports both.
fn check_forms(packet: &Packet, form: &Form, other: &Form) -> Result<()> {
    for gfx in form.scope.and(other.scope).gfx().indices() {
        if let Some(dwords) = (1..=u8::MAX).find(|&dwords| form.may_have(gfx, dwords) && other.may_have(gfx, dwords)) {
            let d = Diagnostic::new(form.span.clone(), format!("{} has two forms of {dwords} dwords on GFX{}", packet.name, GENERATIONS[gfx].name));
            return Err(d.related(other.span.clone(), "the other form").help("forms of one size differ in `gfx` or `engines`"));
        }
    }
    Ok(())
}

/// Checks for halves that are not fields, share bits, or belong to two values or none.
fn check_split_values(packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
    let mut halves: Vec<&str> = Vec::new();
    for (i, whole) in packet.split_values.iter().enumerate() {
        for half in whole.halves() {
            halves.push(&half.text);
            if fields(packet, &half.text).is_empty() {
                errors.push(Diagnostic::new(half.span.clone(), format!("{} has no field `{}`", packet.name, half.text)));
            }
            let shares = |w: &SplitValue| w.halves().iter().any(|other| other.text == half.text);
            let other = packet.split_values[..i].iter().find(|w| w.name.text != whole.name.text && shares(w));
            if let Some(other) = other {
                let d = Diagnostic::new(half.span.clone(), format!("`{}` is a half of `{}` and of `{}`", half.text, other.name.text, whole.name.text));
                errors.push(d.related(other.name.span.clone(), "the other value"));
            }
        }
        let Some(hi) = &whole.hi else { continue };
        for lo in &whole.lo {
            for a in fields(packet, &lo.text) {
                for b in fields(packet, &hi.text) {
                    if a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi && a.scope.intersects(b.scope) {
                        let d = Diagnostic::new(whole.name.span.clone(), format!("the halves of `{}` share bits in dword {}", whole.name.text, a.dword));
                        errors.push(d.related(b.span.clone(), "the upper half"));
                    }
                }
            }
        }
    }
    let half = |name: &str| ["_lo", "_hi", "_lo_32b", "_lo_64b"].iter().any(|end| name.ends_with(end));
    for form in &packet.forms {
        for field in &form.fields {
            if !form.internal && half(&field.name) && !halves.contains(&field.name.as_str()) {
                let d = Diagnostic::new(field.span.clone(), format!("`{}` is half of a value that nothing declares", field.name));
                errors.push(d.help("name both halves in `addresses` or `joined`"));
            }
        }
    }
}

/// Returns the fields with a name in all forms.
fn fields<'a>(packet: &'a Packet, name: &str) -> Vec<&'a Field> {
    let mut fields = Vec::new();
    for form in &packet.forms {
        fields.extend(form.named(name));
    }
    fields
}

/// Checks for names that a packet struct cannot contain.
fn check_names(packet: &Packet, form: &Form, errors: &mut Vec<Box<Diagnostic>>) {
    if packet.kernel {
        return;
    }
    let mut dwords = BTreeSet::new();
    for field in &form.fields {
        dwords.insert(field.dword);
        if RESERVED.contains(&field.name.as_str()) {
            errors.push(Diagnostic::new(field.span.clone(), format!("{}.{} is a word that Rust reserves", packet.name, field.name)));
        }
    }
    for gfx in form.scope.gfx().indices() {
        for &dword in &dwords {
            let mut word: Vec<&Field> = Vec::new();
            for field in &form.fields {
                if field.dword == dword && field.scope.gfx().has(gfx) && !word.iter().any(|other| other.name == field.name) {
                    word.push(field);
                }
            }
            let getters = word.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
            match clash(&getters) {
                None => {}
                Some(Clash::Every(i)) => {
                    errors.push(Diagnostic::new(word[i].span.clone(), format!("{}.{} is a method that every word struct has", packet.name, word[i].name)));
                    return;
                }
                Some(Clash::Both(i, other, method)) => {
                    let what =
                        format!("{} and {} of {} both make a method `{method}` on GFX{}", word[i].name, word[other].name, packet.name, GENERATIONS[gfx].name);
                    errors.push(Diagnostic::new(word[i].span.clone(), what).related(word[other].span.clone(), "the other field"));
                    return;
                }
            }
        }
    }
}

fn overlap(a: &str, at: &Span, b: &str, other: &Span, place: &str) -> Box<Diagnostic> {
    Diagnostic::new(at.clone(), format!("`{a}` and `{b}` share bits in {place}")).related(other.clone(), "the other field")
}

pub fn fits(value: u32, lo: u8, hi: u8) -> bool {
    u64::from(value) >> (hi - lo + 1) == 0
}

/// Returns whether conditions on one field prevent two fields from applying at the same time.
fn exclusive(a: &Field, b: &Field) -> bool {
    a.when.iter().any(|x| {
        b.when.iter().any(|y| {
            x.field == y.field
                && match (x.not, y.not) {
                    (false, false) => x.values.iter().all(|v| !y.values.contains(v)),
                    (true, false) => y.values.iter().all(|v| x.values.contains(v)),
                    (false, true) => x.values.iter().all(|v| y.values.contains(v)),
                    (true, true) => false,
                }
        })
    })
}

fn differ_in_size(a: &Packet, b: &Packet) -> bool {
    matches!((sizes(a), sizes(b)), (Some(a), Some(b)) if a.iter().all(|n| !b.contains(n)))
}

/// Returns the sizes of a packet; None if a group repeats.
fn sizes(packet: &Packet) -> Option<Vec<u8>> {
    let mut sizes = Vec::new();
    for form in &packet.forms {
        if form.internal {
            continue;
        }
        if form.repeat.is_some() {
            return None;
        }
        for (_, size) in &form.sizes {
            sizes.push(*size);
        }
    }
    Some(sizes)
}

/// Checks for useless entries: a size that the packet does not have, or bits that are a field in every layout.
fn tolerated(packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
    for bits in &packet.tolerated {
        let forms = packet.forms.iter().filter(|form| form.scope.intersects(bits.scope)).collect::<Vec<_>>();
        if bits.dword == 0 {
            errors.push(Diagnostic::new(bits.span.clone(), "dword 0 is the header, which has no tolerated bits").help("dword 1 is the first one of the body"));
        }
        let may_have = |dwords: u8| forms.iter().any(|form| form.repeat.is_some() || form.sizes.iter().any(|(_, size)| *size == dwords));
        if let Some(dwords) = bits.dwords.filter(|dwords| !may_have(*dwords)) {
            errors.push(Diagnostic::new(bits.span.clone(), format!("{} never has {dwords} dwords", packet.name)));
        }
        if forms.iter().all(|form| is_field(form, bits)) {
            let d = Diagnostic::new(bits.span.clone(), format!("bits {}:{} of dword {} of {} belong to a field", bits.hi, bits.lo, bits.dword, packet.name));
            errors.push(d.help("name bits that no field has on the generations and engines of the entry"));
        }
    }
}

/// Returns whether a single unconditional field covers all the bits wherever the entry applies.
fn is_field(form: &Form, bits: &Tolerated) -> bool {
    let shared = form.scope.and(bits.scope);
    form.fields
        .iter()
        .any(|field| field.dword == bits.dword && field.lo <= bits.lo && field.hi >= bits.hi && field.when.is_empty() && field.scope.and(shared) == shared)
}
