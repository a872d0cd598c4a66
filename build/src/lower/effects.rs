//! Lowers effects for one queue of one generation: names become bits and addresses.

use super::conditions::values_of;
use crate::diag::{Diagnostic, Result, Span};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::input::Text;
use crate::model::packets::*;
use crate::model::registers::Database;
use std::vec;

/// The engines of the graphics queue, of compute queues, and of the constant engine.
pub const QUEUES: [u32; 3] = [0b0011, 0b0100, 0b1000];
const PFP: u32 = 0b0001;

/// One layout as one queue of one generation reads it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub packets: &'a Packets,
    pub database: &'a Database,
    pub packet: &'a Packet,
    pub form: &'a Form,
    pub gfx: usize,
    pub scope: Scope,
}

/// Bits of a packet.
#[derive(Clone, Copy)]
pub struct Bits {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
}

impl Bits {
    fn of(field: &Field) -> Self {
        Self { dword: field.dword, lo: field.lo, hi: field.hi }
    }
}

/// A factor of a product.
pub enum Operand {
    Bits(Bits),
    /// The number of bytes of an index.
    IndexBytes,
    RenderBackends,
    /// The number of dwords after the fixed ones.
    Tail,
}

/// Returns the byte address of a named register, which may be an array element.
fn register(database: &Database, gfx: usize, name: &str) -> Option<u32> {
    for register in &database.registers {
        if register.name.text == name
            && let Some(place) = register.place(gfx)
        {
            return Some(place.addr);
        }
    }
    for register in &database.registers {
        let (Some(place), Some(naming)) = (register.place(gfx), register.naming(gfx)) else { continue };
        for index in 0..place.count {
            if naming.pattern.replace("{}", &(naming.first + index).to_string()) == name {
                return Some(place.addr + index * place.stride);
            }
        }
    }
    None
}

/// Returns mistakes for register layouts that exist on none of their generations.
pub fn layouts_of_nothing(packets: &Packets, database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    for bitfield in &packets.bitfields {
        let Some(named) = &bitfield.register else { continue };
        let mut gfx = GfxSet::NONE;
        for field in &bitfield.fields {
            gfx = gfx.or(field.gfx);
        }
        for name in named.text.split('|').map(str::trim) {
            if gfx.indices().all(|gfx| register(database, gfx, name).is_none()) {
                let d = Diagnostic::new(named.span.clone(), format!("the bitfield {} is laid out like {name}, which GFX{gfx} does not have", bitfield.name));
                errors.push(d.help("name a register, or give the bitfield `gfx`"));
            }
        }
    }
    errors
}

/// Returns every layout of a packet that a buffer may contain, by generation and queue. A list, so that code that iterates over it is compiled once.
pub fn seen<'a>(packets: &'a Packets, database: &'a Database, packet: &'a Packet) -> vec::IntoIter<Seen<'a>> {
    let mut all = Vec::new();
    for form in &packet.forms {
        if form.internal {
            continue;
        }
        for gfx in form.scope.gfx().indices() {
            for engines in QUEUES {
                let scope = form.scope.and(Scope(engines << (4 * gfx)));
                if !scope.is_empty() {
                    all.push(Seen { packets, database, packet, form, gfx, scope });
                }
            }
        }
    }
    all.into_iter()
}

impl<'a> Seen<'a> {
    /// Returns the effects of the packet on this queue and generation.
    pub fn effects(self) -> vec::IntoIter<&'a Effect> {
        self.packet.effects.iter().filter(|effect| effect.scope.intersects(self.scope)).collect::<Vec<_>>().into_iter()
    }

    /// Returns the field with a name; PFP's if it has one.
    pub fn find(&self, name: &str) -> Option<&'a Field> {
        let pfp = self.scope.and(Scope(PFP << (4 * self.gfx)));
        let mut first = None;
        for field in self.form.named(name) {
            if field.scope.intersects(pfp) {
                return Some(field);
            }
            if first.is_none() && field.scope.intersects(self.scope) {
                first = Some(field);
            }
        }
        first
    }

    pub fn bits(&self, name: &str, span: &Span) -> Result<Bits> {
        if let Some(field) = self.find(name) {
            return Ok(Bits::of(field));
        }
        let mut engines = Vec::new();
        for (index, engine) in ENGINES.iter().enumerate() {
            if self.scope.0 >> (4 * self.gfx + index) & 1 == 1 {
                engines.push(*engine);
            }
        }
        let text = format!("{} has no field `{name}` for {} of GFX{}", self.packet.name, engines.join(" and "), GENERATIONS[self.gfx].name);
        Err(Diagnostic::new(span.clone(), text).help("name a field that is there, or give the effect `gfx` or `engines`"))
    }

    pub fn text(&self, name: &Text) -> Result<Bits> {
        self.bits(&name.text, &name.span)
    }

    /// Returns the condition on bits; None if it is never true here.
    pub fn when(&self, when: &[When]) -> Result<Option<Vec<Condition>>> {
        let mut list = Vec::new();
        for one in when {
            let known = self.find(&one.field);
            let any = known.or_else(|| self.packet.forms.iter().find_map(|form| form.named(&one.field).first().copied()));
            let Some(any) = any else { return Err(Diagnostic::new(one.span.clone(), format!("the packet has no field `{}`", one.field))) };
            let values = values_of(self.packets, any, one)?;
            match known {
                Some(field) => list.push(Condition { dword: field.dword, lo: field.lo, hi: field.hi, not: one.not, values }),
                // A missing field reads as 0.
                None if values.contains(&0) != one.not => {}
                None => return Ok(None),
            }
        }
        Ok(Some(list))
    }

    /// Returns the declared address with a name, as in [`Packet::split_values`].
    pub fn address(&self, name: &Text) -> Result<&'a SplitValue> {
        let found = self.packet.split_values.iter().find(|w| w.name.text == name.text && w.address.is_some() && w.hi.is_some());
        found.ok_or_else(|| {
            Diagnostic::new(name.span.clone(), format!("{} declares no address `{}`", self.packet.name, name.text)).help("`addresses` lists them")
        })
    }

    /// Returns the lower and the upper half of a value; of several alternatives, the one with the most bits.
    pub fn halves(&self, whole: &SplitValue) -> Result<(Bits, Option<Bits>)> {
        let mut lows = Vec::new();
        let mut lowest: Option<Bits> = None;
        for name in &whole.lo {
            let Some(field) = self.find(&name.text) else { continue };
            let bits = Bits::of(field);
            lows.push(bits);
            if lowest.is_none_or(|lowest| bits.lo < lowest.lo) {
                lowest = Some(bits);
            }
        }
        let Some(low) = lowest else {
            let missing = whole.lo.first().and_then(|name| self.text(name).err());
            return Err(missing.unwrap_or_else(|| Diagnostic::new(whole.name.span.clone(), "no field")));
        };
        if lows.iter().any(|bits| bits.dword != low.dword) {
            return Err(Diagnostic::new(whole.name.span.clone(), "the lower halves are in different dwords"));
        }
        let high = match &whole.hi {
            Some(name) => Some(self.text(name)?),
            None => None,
        };
        Ok((low, high))
    }

    pub fn product(&self, product: &Product) -> Result<(u32, Vec<Operand>)> {
        let mut operands = Vec::new();
        for name in &product.fields {
            operands.push(match name.as_str() {
                "index_bytes" => Operand::IndexBytes,
                "render_backends" => Operand::RenderBackends,
                "tail" => Operand::Tail,
                field => Operand::Bits(self.bits(field, &product.span)?),
            });
        }
        Ok((product.factor, operands))
    }

    /// Returns the byte address of a named register, which may be an array element.
    pub fn register(&self, name: &Text) -> Result<u32> {
        register(self.database, self.gfx, &name.text).ok_or_else(|| {
            Diagnostic::new(name.span.clone(), format!("GFX{} has no register {}", GENERATIONS[self.gfx].name, name.text)).help("give the effect `gfx`")
        })
    }

    /// Returns whether bits are in the repeating group.
    pub fn repeats(&self, bits: Bits) -> bool {
        self.form.repeat.is_some_and(|r| bits.dword >= r.from)
    }
}
