//! A packet that is about to be written, and access to its values by name.

use crate::chip::Gfx;
use crate::packet::formats::field::bits;
use crate::packet::formats::format::{Form, Format};
use crate::packet::rules::firmware::Firmware;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::Queue;
use crate::packet::wire::scope::Scope;
use core::cell::Cell;

/// A packet that is about to be written.
pub(in crate::packet) struct Candidate<'a> {
    pub format: &'static Format,
    pub form: &'static Form,
    pub header: Header,
    /// The dwords that every packet of the form has, without the header.
    pub fixed: &'a [u32],
    /// The dwords after `fixed`.
    pub tail: &'a [u32],
    pub gfx: Gfx,
    pub queue: Queue,
    /// Whether the command buffer is called by another one: then its INDIRECT_BUFFER packets cannot call a buffer.
    pub secondary: bool,
    pub firmware: Firmware,
    /// The previous packet: [`before`](Self::before).
    pub last: &'a [u32],
    /// Whether a rule has asked for the previous packet, which a repeated packet may not have.
    pub asked_before: Cell<bool>,
    /// Whether register writes reach only one instance of the hardware.
    pub banked: bool,
    /// Whether writes of a part of a group are refused.
    pub whole_groups: bool,
}

impl Candidate<'_> {
    /// Returns the previous packet.
    pub fn before(&self) -> &[u32] {
        self.asked_before.set(true);
        self.last
    }

    /// Returns the engines that read the packet.
    pub fn view(&self) -> Scope {
        self.form.scope.and(Scope::queue(self.gfx, self.queue))
    }

    /// Returns the value of a field that has a meaning in this packet.
    pub fn field(&self, name: &str) -> Option<u64> {
        let view = self.view();
        let field = self.form.fields.iter().find(|f| f.name == name && f.scope.intersects(view) && f.when.iter().all(|c| c.holds(self.fixed)))?;
        let word = usize::from(field.dword).checked_sub(1).and_then(|i| self.fixed.get(i))?;
        Some(field.get(*word).into())
    }

    /// Returns a value that is in one field or in two.
    pub fn value_of(&self, name: &str) -> u64 {
        let view = self.view();
        let half = |entries: &[u8]| entries.iter().filter_map(|&i| self.form.fields.get(usize::from(i))).find_map(|field| self.field(field.name)).unwrap_or(0);
        let whole = self.form.split_values.iter().find(|whole| whole.name == name && whole.scope.intersects(view));
        self.field(name).or(whole.map(|whole| half(whole.hi) << whole.shift | half(whole.lo))).unwrap_or(0)
    }

    pub fn get(&self, name: &str) -> u64 {
        self.field(name).unwrap_or(0)
    }

    /// Returns a bit range, by name, of a field that is laid out like a register.
    pub fn inner(&self, field: &str, name: &str) -> u64 {
        let layout = self.form.fields.iter().find(|f| f.name == field).and_then(|f| f.layout);
        let range = layout.and_then(|l| l.bits.iter().find(|b| b.name == name && b.gfx & self.gfx.bit() != 0));
        range.map_or(0, |b| bits(self.get(field) as u32, b.lo, b.hi).into())
    }

    pub fn broken(&self, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        Err(WriteError::Rule { packet: self.format.name, field, value: self.get(field), rule, source_of_rule: source })
    }

    pub fn demand(&self, holds: bool, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        if holds { Ok(()) } else { self.broken(field, rule, source) }
    }
}
