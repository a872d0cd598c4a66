//! The check of every dword of a packet against its fields.

use crate::packet::formats::field::{Bits, bits};
use crate::packet::read::fields::{FieldValue, Fields, addresses};
use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::generated::MAX_FIXED;
use crate::packet::wire::opcode::Opcode;

impl Candidate<'_> {
    /// Values have a meaning, addresses are such, and bits that belong to no field, or to the kernel's, are 0.
    pub(super) fn words(&self) -> Result<(), WriteError> {
        let view = self.view();
        let all = || Fields::of(self.form, view, self.gfx, self.fixed);
        self.addresses()?;
        let mut named = [0u32; MAX_FIXED];
        for value in all() {
            self.value(&value)?;
            if let Some(mask) = value.dword.checked_sub(1).and_then(|i| named.get_mut(i)) {
                *mask |= u32::MAX >> (31 - (value.field.hi - value.field.lo)) << value.field.lo;
            }
        }
        // Index bits are not an error in a packet without an index field: drivers write them in SET_CONTEXT_REG and SET_SH_REG on every generation.
        if self.header.opcode() == Opcode::SET_CONTEXT_REG || self.header.opcode() == Opcode::SET_SH_REG {
            named[0] |= 0xF << 28;
        }
        for (at, (word, mask)) in self.fixed.iter().zip(named).enumerate() {
            let bits = word & !mask;
            if bits != 0 {
                return Err(self.stray_bits(at + 1, *word, bits, all()));
            }
        }
        self.groups()
    }

    /// Checks the reserved bits of the repeated dwords after the fixed fields. A single dword is a value of 32 bits.
    fn groups(&self) -> Result<(), WriteError> {
        let Some(repeat) = self.form.repeat.filter(|r| r.len > 1) else { return Ok(()) };
        let view = self.view();
        let mask = |dword: u8| {
            let here = self.form.fields.iter().filter(|f| f.dword == dword && f.scope.intersects(view));
            here.fold(0, |mask, f| mask | u32::MAX >> (31 - (f.hi - f.lo)) << f.lo)
        };
        let stray = |(at, (word, dword)): (usize, (&u32, u8))| Some((at, word & !mask(dword))).filter(|(_, bits)| *bits != 0);
        let group = (repeat.from..repeat.from.saturating_add(repeat.len)).cycle();
        match self.tail.iter().zip(group).enumerate().find_map(stray) {
            Some((at, bits)) => Err(WriteError::ReservedBits { packet: self.format.name, dword: usize::from(repeat.from) + at, bits }),
            None => Ok(()),
        }
    }

    fn value(&self, value: &FieldValue) -> Result<(), WriteError> {
        let (packet, field) = (self.format.name, value.name);
        if value.field.kernel && value.value != 0 {
            return Err(WriteError::Rule {
                packet,
                field,
                value: value.value,
                rule: "belongs to the kernel: must be 0 from user mode",
                source_of_rule: "PAL gfx9CmdUtil.cpp",
            });
        }
        let lacks = |b: &&Bits| b.gfx & self.gfx.bit() == 0 && bits(value.value as u32, b.lo, b.hi) != 0;
        if let Some(layout) = value.field.layout
            && let Some(lacking) = layout.bits.iter().filter(lacks).find(|b| !layout.has(self.gfx, b.lo))
        {
            return Err(WriteError::NoSuchBits { packet, field, bits: lacking.name, gfx: self.gfx });
        }
        if value.field.values.is_some() && value.symbol().is_none() {
            return Err(WriteError::UnknownValue { packet, field, value: value.value as u32, gfx: self.gfx });
        }
        Ok(())
    }

    /// Addresses have 48 bits, some fewer, and their alignment.
    fn addresses(&self) -> Result<(), WriteError> {
        let packet = self.format.name;
        addresses(self.form, self.view(), self.gfx, self.fixed, self.tail).try_for_each(|address| {
            let (field, addr, align) = (address.name, address.value, address.align);
            if !address.is_canonical() {
                return Err(WriteError::AddressTooWide { packet, field, addr, bits: address.bits });
            }
            if addr.is_multiple_of(align) { Ok(()) } else { Err(WriteError::FieldMisaligned { packet, field, addr, align }) }
        })
    }

    /// Bits of no field: the low bits of an aligned address, or reserved ones.
    fn stray_bits(&self, dword: usize, word: u32, bits: u32, mut all: Fields<'_>) -> WriteError {
        let packet = self.format.name;
        match all.find(|f| f.dword == dword && f.field.in_place && bits >> f.field.lo == 0) {
            Some(f) => WriteError::FieldMisaligned { packet, field: f.name, addr: word.into(), align: 1 << f.field.lo },
            None => WriteError::ReservedBits { packet, dword, bits },
        }
    }
}
