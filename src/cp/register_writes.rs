//! The packets that write registers.

use super::engine::{Engine, report};
use super::place::Place;
use super::queue::QueueState;
use super::rules::{self, Scene};
use super::writes::PacketWrites;
use crate::packet::{Packet, RegisterWrite};
use crate::regs::Space;

/// First byte address of the window of a SET or LOAD packet.
const fn start(space: Space) -> u32 {
    match space {
        Space::Config | Space::Privileged => 0x8000,
        Space::Sh => 0xB000,
        Space::Context => 0x28000,
        Space::Uconfig => 0x30000,
    }
}

/// dst_sel of WRITE_DATA and COPY_DATA: 0 is a register, given by its absolute dword address.
fn register_destination(control: u32, dword: u32) -> Option<u32> {
    (control >> 8 & 0xF == 0).then_some((dword & 0x3_FFFF) * 4)
}

impl<'a> Engine<'_, 'a> {
    /// SET packets: all their forms.
    pub fn set_registers(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space) {
        let mut writes = packet.writes(self.gfx).peekable();
        if space == Space::Context && writes.peek().is_some() {
            queue.rolls.write();
        }
        let origin = queue.origin(place);
        let mut judging = self.tables.writes.packet();
        for write in writes {
            if self.judge_write(queue, place, packet, space, write, &mut judging) {
                queue.registers.write(write.addr, write.value, origin);
            }
        }
    }

    /// Asks the rules on writes; false when the write does not reach a register.
    #[inline]
    fn judge_write(
        &mut self,
        queue: &QueueState<'a>,
        place: Place,
        packet: &Packet<'_>,
        space: Space,
        write: RegisterWrite,
        judging: &mut PacketWrites<'_>,
    ) -> bool {
        if !self.tables.writes.wants(space, write.addr) {
            return true;
        }
        let scene = Scene { queue: queue.queue, place, packet: packet.name(self.gfx), draw: None };
        for (rule, verdict) in judging.judge(self.chip, space, write, &queue.registers) {
            report(self.summary, self.observer, rule, scene, verdict);
        }
        !rules::is_outside(self.gfx, space, write.addr)
    }

    /// CONTEXT_REG_RMW: new = (old & !mask) | (data & mask) (PAL gfx9CmdUtil.cpp BuildContextRegRmw).
    pub fn modify_register(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[offset, mask, data] = packet.body else { return };
        queue.rolls.write();
        let addr = start(Space::Context) + (offset & 0xFFFF) * 4;
        let old = queue.registers.value(addr);
        let new = old.or((mask == u32::MAX).then_some(0)).map(|old| old & !mask | data & mask);
        let write = RegisterWrite { addr, value: new.unwrap_or(data & mask), dword: packet.offset + 3 };
        if !self.judge_write(queue, place, packet, Space::Context, write, &mut self.tables.writes.packet()) {
            return;
        }
        let origin = queue.origin(place);
        match new {
            Some(value) => queue.registers.write(addr, value, origin),
            // What the other bits held is unknown, and so is the register now.
            None => queue.registers.load(addr, origin),
        }
    }

    /// LOAD packets: the registers hold what lies in memory, which the model does not follow.
    pub fn load_registers(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space) {
        let origin = queue.origin(place);
        let start = start(space);
        let (ranges, _) = packet.body.get(2..).unwrap_or_default().as_chunks::<2>();
        for [offset, count] in ranges {
            // Bit 31: the memory holds (offset, value) pairs, and only it knows which registers.
            let count = if offset >> 31 == 1 { 0 } else { count & 0x3FFF };
            for addr in (0..count).map(|i| start + ((offset & 0xFFFF) + i) * 4).take_while(|addr| Space::of(*addr) == Some(space)) {
                queue.registers.load(addr, origin);
            }
        }
    }

    /// WRITE_DATA into registers; false when it goes to memory.
    pub fn write_data(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> bool {
        let [control, dword, _, data @ ..] = packet.body else { return false };
        let Some(addr) = register_destination(*control, *dword) else { return false };
        let origin = queue.origin(place);
        let step = if control >> 16 & 1 == 1 { 0 } else { 4 };
        for (value, i) in data.iter().zip(0..) {
            queue.registers.write(addr + i * step, *value, origin);
        }
        true
    }

    /// COPY_DATA into a register, whose value is then unknown unless it is in the packet; false when it goes elsewhere.
    pub fn copy_data(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> bool {
        const IMMEDIATE: u32 = 5;
        let &[control, source, source_hi, dword, _] = packet.body else { return false };
        let Some(addr) = register_destination(control, dword) else { return false };
        let origin = queue.origin(place);
        let values = [source, source_hi];
        for (value, i) in values.iter().zip(0..=(control >> 16 & 1)) {
            if control & 0xF == IMMEDIATE {
                queue.registers.write(addr + i * 4, *value, origin);
            } else {
                queue.registers.load(addr + i * 4, origin);
            }
        }
        true
    }
}
