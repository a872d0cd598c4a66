//! What context and SH registers hold, as far as a stream states.

use crate::chip::Gfx;
use crate::packet::read::effect::{Action, Selection};
use crate::packet::read::packet::Packet;
use crate::packet::state::known::KnownValues;
use crate::packet::wire::opcode::Queue;
use crate::packet::wire::windows;
use crate::packet::wire::windows::is_broadcast;
use crate::regs::Space;

/// Registers of one window.
const WINDOW: usize = 0x400;

/// Words of slots of one window.
const WORDS: usize = WINDOW / 64;

/// The last known value of every context and SH register.
#[derive(Debug)]
pub(in crate::packet) struct Shadow {
    /// The context window, then the SH window: one slot for each dword.
    registers: KnownValues<{ 2 * WINDOW }, { 2 * WORDS }>,
    /// Nothing can be known any more: a branch may or may not have run.
    off: bool,
    /// Writes reach one instance of the hardware only.
    banked: bool,
    /// Dword up to which packets may be skipped.
    skipped_until: usize,
}

impl Shadow {
    /// Nothing is known of a stream in which registers of one instance are written, or packets before a dword may be skipped.
    pub fn new(banked: bool, skipped_until: usize) -> Self {
        Self { registers: KnownValues::new(), off: false, banked, skipped_until }
    }

    /// Where a register is here; uconfig and config registers are never filtered (PAL gfx9Pm4Optimizer.cpp).
    pub const fn slot(addr: u32) -> Option<usize> {
        if addr & 3 == 0 && addr >= windows::CONTEXT.start && addr < windows::CONTEXT.end {
            Some((addr - windows::CONTEXT.start) as usize / 4)
        } else if addr & 3 == 0 && addr >= windows::SH.start && addr < windows::SH.end {
            Some(WINDOW + (addr - windows::SH.start) as usize / 4)
        } else {
            None
        }
    }

    /// Returns whether what is known may keep writes out of a stream whose next dword is `at`.
    pub fn filters(&self, at: usize) -> bool {
        !self.off && !self.banked && at >= self.skipped_until
    }

    /// Returns the value in a slot, if it is known.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<u32> {
        self.registers.get(slot)
    }

    #[inline]
    pub fn set(&mut self, slot: usize, value: u32) {
        self.registers.set(slot, value);
    }

    pub fn unset(&mut self, slot: usize) {
        self.registers.forget(slot);
    }

    fn forget(&mut self, addr: u32) {
        if let Some(slot) = Self::slot(addr) {
            self.unset(slot);
        }
    }

    fn forget_context(&mut self) {
        self.registers.forget_words(0..WORDS);
    }

    fn forget_sh(&mut self) {
        self.registers.forget_words(WORDS..2 * WORDS);
    }

    pub fn forget_all(&mut self) {
        self.registers.forget_all();
    }

    /// Takes in a packet that was written: what it sets, and what it makes unknown, as its effects say.
    pub fn observe(&mut self, packet: &Packet<'_>, gfx: Gfx, queue: Queue) {
        if packet.opcode().is_none() {
            // Type 0 writes registers.
            return if packet.header.packet_type() == 0 {
                self.forget_all()
            };
        }
        let certain = !packet.header.is_predicated() && packet.offset >= self.skipped_until;
        packet.visit_effects(gfx, queue, &mut |effect| {
            let certain = certain && !effect.uncertain;
            if let Some(selection) = effect.selection() {
                // What reaches one instance only filters nothing, and is forgotten when others are chosen. What a called buffer chose before is not known, nor which
                // instances have what was written since. A choice of all may be skipped.
                let all = matches!(selection, Selection::Written(value) if is_broadcast(value));
                self.banked = !all || self.banked && !certain;
                self.forget_all();
            }
            self.apply(packet, effect.action, certain, effect.uncertain);
        });
    }

    fn apply(&mut self, packet: &Packet<'_>, action: Action<'_>, certain: bool, may: bool) {
        match action {
            Action::Set { write, indexed, state } => {
                // What the kernel masks or the CP interprets is not what the register holds.
                match Self::slot(write.addr) {
                    Some(slot) if certain && !indexed && !state => self.set(slot, write.value),
                    _ => self.forget(write.addr),
                }
            }
            Action::Modify { addr, mask, value } => self.read_modify_write(addr, mask, value, certain),
            Action::Unknown { addr, registers, .. } => (0..registers).for_each(|i| self.forget(addr.wrapping_add(4 * i))),
            Action::UnknownWindow(Space::Context) => self.forget_context(),
            Action::UnknownWindow(Space::Sh) => self.forget_sh(),
            Action::Anything => self.forget_all(),
            // One of two buffers ran, or none: what is known from here on depends on the branch.
            Action::Run { .. } if may => self.off = true,
            Action::Run { .. } => self.forget_all(),
            Action::Skip { dwords } => self.skipped_until = self.skipped_until.max(packet.offset + packet.dwords() + dwords as usize),
            Action::UnknownWindow(_) | Action::Read { .. } | Action::Write { .. } | Action::Base { .. } | Action::Rolls | Action::Waits => {}
        }
    }

    fn read_modify_write(&mut self, addr: u32, mask: u32, value: u32, certain: bool) {
        let Some(slot) = Self::slot(addr) else { return };
        match self.get(slot) {
            Some(old) if certain => self.set(slot, old & !mask | value & mask),
            _ if certain && mask == u32::MAX => self.set(slot, value),
            _ => self.forget(addr),
        }
    }
}
