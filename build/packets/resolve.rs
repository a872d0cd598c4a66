//! Effects as one queue of one generation sees them: names become bits and addresses.

use super::conditions::values_of;
use super::model::*;
use crate::regdb::diag::{Diagnostic, Result, Span};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::Text;
use crate::regdb::model::Database;

/// The engines of the graphics queue, of compute queues, of the constant engine.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
}

/// A factor of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Bits(Bits),
    /// Bytes of an index.
    IndexBytes,
    RenderBackends,
    /// Dwords after the fixed ones.
    Tail,
}

/// Byte address of a named register, which may be an element of an array.
fn register(database: &Database, gfx: usize, name: &str) -> Option<u32> {
    let registers = || database.registers.iter().filter_map(|r| Some((r, r.place(gfx)?)));
    let whole = registers().find(|(r, _)| r.name.text == name).map(|(_, place)| place.addr);
    let element = || {
        registers().find_map(|(register, place)| {
            let naming = register.naming(gfx)?;
            let index = (0..place.count).find(|i| naming.pattern.replace("{}", &(naming.first + i).to_string()) == name)?;
            Some(place.addr + index * place.stride)
        })
    };
    whole.or_else(element)
}

/// Layouts of registers that none of their generations has.
pub fn layouts_of_nothing(packets: &Packets, database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    for (bitfield, named) in packets.bitfields.iter().filter_map(|b| Some((b, b.register.as_ref()?))) {
        let gfx = bitfield.fields.iter().fold(GfxSet::NONE, |set, field| set.or(field.gfx));
        for name in named.text.split('|').map(str::trim) {
            if gfx.indices().all(|gfx| register(database, gfx, name).is_none()) {
                let d = Diagnostic::new(named.span.clone(), format!("the bitfield {} is laid out like {name}, which GFX{gfx} does not have", bitfield.name));
                errors.push(d.help("name a register, or give the bitfield `gfx`"));
            }
        }
    }
    errors
}

/// All that a buffer may hold: every layout of a packet, by generation and queue.
pub fn seen<'a>(packets: &'a Packets, database: &'a Database, packet: &'a Packet) -> impl Iterator<Item = Seen<'a>> {
    packet.forms.iter().filter(|form| !form.internal).flat_map(move |form| {
        form.scope.gfx().indices().flat_map(move |gfx| {
            let scopes = QUEUES.map(|engines| form.scope.and(Scope(engines << (4 * gfx))));
            scopes.into_iter().filter(|scope| !scope.is_empty()).map(move |scope| Seen { packets, database, packet, form, gfx, scope })
        })
    })
}

impl<'a> Seen<'a> {
    /// The effects that the packet has here.
    pub fn effects(self) -> impl Iterator<Item = &'a Effect> {
        self.packet.effects.iter().filter(move |effect| effect.scope.intersects(self.scope))
    }

    /// The field of a name: that of PFP where it has one.
    pub fn find(&self, name: &str) -> Option<&'a Field> {
        let form: &'a Form = self.form;
        let named = || form.named(name).filter(|f| f.scope.intersects(self.scope));
        named().find(|f| f.scope.intersects(self.scope.and(Scope(PFP << (4 * self.gfx))))).or_else(|| named().next())
    }

    pub fn bits(&self, name: &str, span: &Span) -> Result<Bits> {
        let found = self.find(name).map(|f| Bits { dword: f.dword, lo: f.lo, hi: f.hi });
        found.ok_or_else(|| {
            let engines: Vec<&str> = ENGINES.iter().enumerate().filter(|(i, _)| self.scope.0 >> (4 * self.gfx + i) & 1 == 1).map(|(_, e)| *e).collect();
            let text = format!("{} has no field `{name}` for {} of GFX{}", self.packet.name, engines.join(" and "), GENERATIONS[self.gfx].name);
            Diagnostic::new(span.clone(), text).help("name a field that is there, or give the effect `gfx` or `engines`")
        })
    }

    pub fn text(&self, name: &Text) -> Result<Bits> {
        self.bits(&name.text, &name.span)
    }

    /// The condition on bits; None where it never holds here.
    pub fn when(&self, when: &[When]) -> Result<Option<Vec<Condition>>> {
        let mut list = Vec::new();
        for one in when {
            let any = self.packet.forms.iter().find_map(|form| form.named(&one.field).next());
            let any = any.ok_or_else(|| Diagnostic::new(one.span.clone(), format!("the packet has no field `{}`", one.field)))?;
            let known = self.find(&one.field);
            let values = values_of(self.packets, known.unwrap_or(any), one)?;
            match known {
                Some(field) => list.push(Condition { dword: field.dword, lo: field.lo, hi: field.hi, not: one.not, values }),
                // A field that is not there reads as 0.
                None if values.contains(&0) != one.not => {}
                None => return Ok(None),
            }
        }
        Ok(Some(list))
    }

    /// The declared address of a name, as places in [`Packet::split_values`].
    pub fn address(&self, name: &Text) -> Result<&'a SplitValue> {
        let found = self.packet.split_values.iter().find(|w| w.name.text == name.text && w.address.is_some() && w.hi.is_some());
        found.ok_or_else(|| {
            Diagnostic::new(name.span.clone(), format!("{} declares no address `{}`", self.packet.name, name.text)).help("`addresses` lists them")
        })
    }

    /// The lower and the upper half of a whole; of alternatives the one with the most bits.
    pub fn halves(&self, whole: &SplitValue) -> Result<(Bits, Option<Bits>)> {
        let lows: Vec<Bits> = whole.lo.iter().filter_map(|name| self.find(&name.text)).map(|f| Bits { dword: f.dword, lo: f.lo, hi: f.hi }).collect();
        let Some(low) = lows.iter().min_by_key(|b| b.lo).copied() else {
            let missing = whole.lo.first().and_then(|name| self.text(name).err());
            return Err(missing.unwrap_or_else(|| Diagnostic::new(whole.name.span.clone(), "no field")));
        };
        if lows.iter().any(|b| b.dword != low.dword) {
            return Err(Diagnostic::new(whole.name.span.clone(), "the lower halves are in different dwords"));
        }
        Ok((low, whole.hi.as_ref().map(|hi| self.text(hi)).transpose()?))
    }

    pub fn product(&self, product: &Product) -> Result<(u32, Vec<Operand>)> {
        let operand = |name: &String| {
            Ok(match name.as_str() {
                "index_bytes" => Operand::IndexBytes,
                "render_backends" => Operand::RenderBackends,
                "tail" => Operand::Tail,
                field => Operand::Bits(self.bits(field, &product.span)?),
            })
        };
        Ok((product.factor, product.fields.iter().map(operand).collect::<Result<_>>()?))
    }

    /// Byte address of a named register, which may be an element of an array.
    pub fn register(&self, name: &Text) -> Result<u32> {
        register(self.database, self.gfx, &name.text).ok_or_else(|| {
            Diagnostic::new(name.span.clone(), format!("GFX{} has no register {}", GENERATIONS[self.gfx].name, name.text)).help("give the effect `gfx`")
        })
    }

    /// Whether bits lie in the group that repeats.
    pub fn repeats(&self, bits: Bits) -> bool {
        self.form.repeat.is_some_and(|r| bits.dword >= r.from)
    }
}
