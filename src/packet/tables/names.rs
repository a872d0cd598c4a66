//! Opcodes and events by name.

use crate::chip::Gfx;
use crate::packet::formats::number_names::{EventInfo, OpcodeName};
use crate::packet::tables::generated;
use crate::packet::wire::event::Event;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::scope::Scope;
use core::fmt;

impl Opcode {
    /// Returns AMD's name of the opcode on this generation. If packets share an opcode (INDIRECT_BUFFER and COND_INDIRECT_BUFFER), returns the plain name;
    /// [`Packet::name`](crate::packet::Packet::name) distinguishes them by size.
    #[must_use]
    pub fn name(self, gfx: Gfx) -> Option<&'static str> {
        let mut candidates = names_of(self).filter(|n| n.gfx & gfx.bit() != 0).map(|n| n.name);
        let first = candidates.next()?;
        // INDIRECT_BUFFER is contained in COND_INDIRECT_BUFFER, DISPATCH_DRAW in DISPATCH_DRAW_ACE: the shortest name is the plain one.
        Some(candidates.fold(first, |a, b| if b.len() < a.len() { b } else { a }))
    }

    /// Returns the opcode with this name on this generation.
    #[must_use]
    pub fn from_name(gfx: Gfx, name: &str) -> Option<Self> {
        generated::OPCODES.iter().find(|n| n.name == name && n.gfx & gfx.bit() != 0).map(|n| Self(n.value))
    }

    /// Returns whether the opcode has a name on any generation.
    #[must_use]
    pub fn is_known(self) -> bool {
        names_of(self).next().is_some()
    }

    /// Returns whether an engine of the queue executes the packet on this generation. Opcodes without a known layout count as available if they have a name,
    /// unless a source names their engine.
    #[must_use]
    pub fn available(self, gfx: Gfx, queue: Queue) -> bool {
        let scope = Scope(generated::AVAILABLE[usize::from(self.0)]);
        scope.intersects(Scope::queue(gfx, queue)) || (scope == Scope::NONE && self.name(gfx).is_some())
    }
}

/// Returns the names of an opcode; the table is sorted by opcode.
fn names_of(opcode: Opcode) -> impl Iterator<Item = &'static OpcodeName> {
    let start = generated::OPCODES.partition_point(|n| n.value < opcode.0);
    generated::OPCODES[start..].iter().take_while(move |n| n.value == opcode.0)
}

impl fmt::Display for Opcode {
    /// Writes the name that most generations use, or the opcode number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match names_of(*self).max_by_key(|n| (n.gfx.count_ones(), core::cmp::Reverse(n.name.len()))) {
            Some(n) => f.pad(n.name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}

impl Event {
    fn info(self, gfx: Gfx) -> Option<&'static EventInfo> {
        generated::EVENTS.iter().find(|e| e.value == self.0 && e.gfx & gfx.bit() != 0)
    }

    /// Returns AMD's name of the event on this generation.
    #[must_use]
    pub fn name(self, gfx: Gfx) -> Option<&'static str> {
        self.info(gfx).map(|e| e.name)
    }

    /// Returns the index that EVENT_WRITE carries with the event (PAL gfx9CmdUtil.cpp VgtEventIndex); None if no event has this number.
    #[must_use]
    pub fn index(self, gfx: Gfx) -> Option<u8> {
        self.info(gfx).map(|e| e.index)
    }

    /// Returns whether a timestamp event may hang in EVENT_WRITE; RELEASE_MEM accepts it (PAL gfx9CmdUtil.cpp VgtEventHasTs).
    #[must_use]
    pub fn is_timestamp(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.timestamp)
    }

    /// Returns whether the event is a sample event, which writes memory: EVENT_WRITE then has 4 dwords (PAL gfx9CmdUtil.cpp BuildSampleEventWrite).
    #[must_use]
    pub fn is_sample(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.sample)
    }

    /// Returns whether the event reports that earlier shaders are done: PS_DONE and CS_DONE, which RELEASE_MEM accepts with index 6 (PAL gfx9CmdUtil.cpp
    /// BuildReleaseMemInternal).
    #[must_use]
    pub fn is_shader_done(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.shader_done)
    }
}
