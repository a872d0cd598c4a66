//! Packet bodies filled by the names of their description, so that bit positions stand in one place for writing and reading.

use crate::chip::Gfx;
use crate::draw::record::RecordError;
use crate::draw::sync::SyncError;
use crate::packet::{Bits, Buffer, Field, Form, Format, Header, Queue, Scope, Writer, formats};
use alloc::vec;
use alloc::vec::Vec;

/// A body under construction. The first name that the generation lacks, or value that does not fit, is kept and ends in an error.
pub(crate) struct Pack {
    packet: &'static str,
    gfx: Gfx,
    scope: Scope,
    found: Option<(&'static Format, &'static Form)>,
    words: Vec<u32>,
    flags: Header,
    wrong: Option<&'static str>,
}

impl Pack {
    /// An all-zero body of the packet in the layout that the queue reads.
    pub fn new(packet: &'static str, gfx: Gfx, queue: Queue) -> Self {
        let scope = Scope::queue(gfx, queue);
        let format = formats().iter().find(|f| f.name == packet);
        let found = format.and_then(|f| Some((f, f.forms.iter().find(|form| !form.internal && form.scope.intersects(scope))?)));
        let dwords = found.and_then(|(_, form)| form.sizes.iter().find(|s| s.gfx & gfx.bit() != 0)).map_or(1, |s| usize::from(s.dwords));
        Self { packet, gfx, scope, found, words: vec![0; dwords.saturating_sub(1)], flags: Header(0), wrong: None }
    }

    /// The predicate bit of the header.
    pub fn predicate(mut self, on: bool) -> Self {
        self.flags = self.flags.with_predicate(on);
        self
    }

    fn field(&self, name: &str) -> Option<&'static Field> {
        self.found?.1.fields.iter().find(|f| f.name == name && f.scope.intersects(self.scope))
    }

    fn put(&mut self, name: &'static str, lo: u8, hi: u8, dword: u8, value: u32) {
        let most = u32::MAX >> (31 - (hi - lo));
        match usize::from(dword).checked_sub(1).and_then(|at| self.words.get_mut(at)) {
            Some(word) if value <= most => *word |= value << lo,
            _ => self.wrong = self.wrong.or(Some(name)),
        }
    }

    /// Sets a field to a number. A field that the generation lacks is an error unless the number is 0.
    pub fn set(mut self, name: &'static str, value: u32) -> Self {
        match self.field(name) {
            Some(field) => self.put(name, field.lo, field.hi, field.dword, value),
            None if value == 0 => {}
            None => self.wrong = self.wrong.or(Some(name)),
        }
        self
    }

    /// Sets a field to a named value.
    pub fn named(mut self, name: &'static str, value: &'static str) -> Self {
        let number = self.field(name).and_then(|f| f.values?.value_of(self.scope, value));
        match number {
            Some(number) => self.set(name, number),
            None => {
                self.wrong = self.wrong.or(Some(value));
                self
            }
        }
    }

    /// Sets all bits of a field.
    pub fn ones(self, name: &'static str) -> Self {
        let most = self.field(name).map_or(0, |f| u32::MAX >> (31 - (f.hi - f.lo)));
        self.set(name, most)
    }

    /// Sets named bits inside a field that is laid out like a register.
    pub fn bits(mut self, name: &'static str, bits: &'static str, value: u32) -> Self {
        let inner = |f: &'static Field| -> Option<&'static Bits> { f.layout?.bits.iter().find(|b| b.name == bits && b.gfx & self.gfx.bit() != 0) };
        match self.field(name).and_then(|f| Some((f, inner(f)?))) {
            Some((field, inner)) => self.put(bits, field.lo + inner.lo, field.lo + inner.hi, field.dword, value),
            None if value == 0 => {}
            None => self.wrong = self.wrong.or(Some(bits)),
        }
        self
    }

    /// Sets an address whose low part keeps its place in the dword.
    pub fn address(mut self, lo: &'static str, hi: &'static str, addr: u64) -> Self {
        match (self.field(lo), self.field(hi)) {
            (Some(low), Some(_)) => {
                self.put(lo, low.lo, low.hi, low.dword, addr as u32 >> low.lo);
                self.set(hi, (addr >> 32) as u32)
            }
            _ => {
                self.wrong = self.wrong.or(Some(lo));
                self
            }
        }
    }

    /// Appends words behind the fixed ones, for packets that end in a list.
    pub fn list(mut self, words: &[u32]) -> Self {
        self.words.extend_from_slice(words);
        self
    }

    /// Writes the packet.
    pub fn write<B: Buffer>(self, writer: &mut Writer<B>) -> Result<(), RecordError> {
        let Self { packet, gfx, found, words, flags, wrong, .. } = self;
        let opcode = found.and_then(|(format, _)| format.opcode(gfx));
        match (opcode, wrong) {
            (Some(opcode), None) => Ok(writer.packet_with(Header(Header::type3(opcode, words.len()).0 | flags.0), &words)?),
            (_, wrong) => Err(SyncError::Absent { packet, part: wrong.unwrap_or(packet), gfx }.into()),
        }
    }
}
