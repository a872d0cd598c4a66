//! Packets that write registers, all through [`Engine::register`] or its loop.

use crate::cp::execute::engine::Engine;
use crate::cp::execute::report::report;
use crate::cp::judge::writes::{Noticed, PacketWrites};
use crate::cp::rule::entry::Scene;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::memory::{address, canonical};
use crate::cp::state::place::{Origin, Place};
use crate::cp::state::queue::QueueState;
use crate::cp::state::registers::{Bank, RegisterState};
use crate::cp::state::rolls::RollSource;
use crate::cp::state::windows::{enable_bit, window_start};
use crate::packet::{Action, EffectKinds, MemoryAddress, Opcode, Packet, RegisterWrite, ShaderType};
use crate::regs::Space;
use alloc::format;

impl<'a> Engine<'_, 'a> {
    /// Executes SET packets in all their forms.
    pub fn set_registers(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let writes = packet.writes(self.gfx);
        let Some(space) = writes.space() else { return };
        let mut writes = writes.peekable();
        if space == Space::Context && writes.peek().is_some() {
            queue.contexts.write(RollSource::Write);
        }
        let origin = queue.origin(place);
        let mut judging = self.tables.writes.packet();
        for write in writes {
            if self.tables.writes.may_judge(space, write.addr, write.value) && !self.judge_write(queue, place, packet, space, write, &mut judging) {
                continue;
            }
            let changed = queue.registers.write(write.addr, write.value, origin);
            if space == Space::Context {
                queue.contexts.record_write(write.addr, changed);
            }
            self.shadow(queue, place, space, write.addr, Some(write.value));
            if self.tables.writes.notices(write.addr) {
                self.notice(queue, place, write.addr, write.value);
            }
        }
    }

    /// SET_SH_REG_OFFSET. Index 0 writes an address within the running buffer into two registers: libdrm tests 2.4.124
    /// (amdgpu_draw_vs_RectPosTexFast_write2hw_gfx11) pass the offset of a descriptor in the buffer itself. The other indices read memory at an address that
    /// only their names indicate.
    pub fn set_sh_reg_offset(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, offset, _] = packet.body else { return };
        if control >> 30 != 0 {
            return self.unperformed(queue, place, packet, Opcode::SET_SH_REG_OFFSET);
        }
        let buffer = queue.frames.last().and_then(|frame| frame.addr);
        // No source states whether the upper register repeats the sign of an address.
        let addr = buffer.map(|buffer| buffer.wrapping_add(offset.into())).filter(|addr| addr >> 47 == 0);
        let (first, origin) = (window_start(Space::Sh) + 4 * (control & 0xFFFF), queue.origin(place));
        let halves = [addr.map(|addr| addr as u32), addr.map(|addr| (addr >> 32) as u32)];
        for (register, half) in [first, first + 4].into_iter().zip(halves).filter(|(register, _)| Space::of(*register) == Some(Space::Sh)) {
            self.register(queue, place, packet, register, half, origin);
        }
    }

    /// Writes a register of any window; `value` is None if the model does not know it. Write rules see the write.
    pub fn register(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u32, value: Option<u32>, origin: Origin) {
        let space = Space::of(addr).unwrap_or(Space::Privileged);
        if space == Space::Context {
            queue.contexts.write(RollSource::Write);
        }
        if let Some(value) = value {
            let write = RegisterWrite { addr, value, dword: packet.offset };
            // Packets with absolute addresses also reach privileged registers, outside all windows.
            if self.tables.writes.may_judge(space, addr, value) && space != Space::Privileged {
                self.judge_write(queue, place, packet, space, write, &mut self.tables.writes.packet());
            }
        }
        self.shadow(queue, place, space, addr, value);
        match value {
            Some(value) => {
                let changed = queue.registers.write(addr, value, origin);
                if space == Space::Context {
                    queue.contexts.record_write(addr, changed);
                }
                self.notice(queue, place, addr, value);
            }
            None => {
                if space == Space::Context {
                    queue.contexts.record_write(addr, true);
                }
                queue.registers.load(addr, origin);
            }
        }
    }

    /// While CONTEXT_CONTROL shadows a window, writes to its registers also go to memory, to the base from which LOAD_*_REG last loaded that window; even a
    /// load of no registers sets the base (AMD's packet headers).
    fn shadow(&mut self, queue: &QueueState<'a>, place: Place, space: Space, addr: u32, value: Option<u32>) {
        let Some(enables) = queue.history.shadowing() else { return };
        let bit = enable_bit(space, (0xB800..0xC000).contains(&addr));
        if enables >> bit & 1 == 1
            && let Some(base) = queue.history.shadow_bases.get(&bit.into())
        {
            // The shadow belongs to the command processor; beyond the limit of the memory it is unknown like everything else.
            let _ = self.memory.write(base + u64::from(addr - window_start(space)), value, Some(place));
        }
    }

    /// Handles registers whose writes have further effects.
    #[cold]
    fn notice(&mut self, queue: &mut QueueState<'a>, place: Place, addr: u32, value: u32) {
        match Noticed::of(addr) {
            Some(Noticed::Selection) => queue.history.not_broadcast = (value >> 29 != 7).then_some(place),
            Some(Noticed::Scissors) => queue.history.scissors_since_roll = true,
            None => {}
        }
    }

    /// Applies the write rules; returns false if the write does not reach a register.
    #[inline(never)]
    fn judge_write(
        &mut self,
        queue: &QueueState<'a>,
        place: Place,
        packet: &Packet<'_>,
        space: Space,
        write: RegisterWrite,
        judging: &mut PacketWrites<'_>,
    ) -> bool {
        let scene = Scene { queue: queue.queue, id: queue.id, place, packet: packet.name(self.gfx), draw: None };
        let reporting = self.reporting();
        let kernels = queue.in_ring() && !self.options.user_queues;
        let found = judging.judge(self.chip, queue.queue, space, write, packet, &queue.registers);
        for (rule, verdict) in found.into_iter().filter(|(rule, _)| !(kernels && rule.not_in_rings)) {
            report(self.summary, self.observer, self.repeats, reporting, rule, scene, queue.qualify(rule, self.chip, place, false, verdict));
        }
        !rules::is_outside(self.gfx, space, write.addr)
    }

    /// CONTEXT_REG_RMW: new = (old & !mask) | (data & mask) (PAL gfx9CmdUtil.cpp BuildContextRegRmw).
    pub fn modify_context(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[offset, mask, data] = packet.body else { return };
        queue.contexts.write(RollSource::Modify);
        let addr = window_start(Space::Context) + (offset & 0xFFFF) * 4;
        if rules::is_outside(self.gfx, Space::Context, addr) {
            let write = RegisterWrite { addr, value: data & mask, dword: packet.offset };
            self.judge_write(queue, place, packet, Space::Context, write, &mut self.tables.writes.packet());
            return;
        }
        self.modify(queue, place, packet, addr, !mask, data & mask);
    }

    /// REG_RMW: new = (old & and_mask) | or_mask, for a register with an absolute address; the masks may be in registers.
    pub fn modify_register(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, and, or] = packet.body else { return };
        let operand = |from_register: bool, word: u32| if from_register { queue.registers.value((word & 0x3_FFFF) * 4) } else { Some(word) };
        let addr = (control & 0x3_FFFF) * 4;
        match (operand(control >> 31 == 1, and), operand(control >> 30 & 1 == 1, or)) {
            (Some(and), Some(or)) => self.modify(queue, place, packet, addr, and, or),
            _ => {
                let origin = queue.origin(place);
                self.register(queue, place, packet, addr, None, origin);
            }
        }
        // If the value also goes to a shadow, the address of the shadow is unknown.
        let mut shadowed = false;
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| shadowed |= matches!(effect.action, Action::Write { at: MemoryAddress::Unknown, .. }));
        if shadowed {
            self.memory.lose_all();
        }
    }

    fn modify(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u32, keep: u32, or: u32) {
        let old = queue.registers.value(addr);
        // Bits that are both kept and set do not depend on the old value.
        let depends = keep & !or;
        // Values that may have been left by this stream or something before it are not the stream's mistake.
        if matches!(queue.registers.state(addr), RegisterState::Unknown | RegisterState::Reset(_)) && depends != 0 {
            let what = crate::regs::lookup(self.gfx, addr).map_or_else(|| format!("0x{addr:05x}"), |register| format!("{register}"));
            let verdict = Verdict::new(format!(
                "bits 0x{depends:08x} of {what} are kept, but nothing has written it and no source states what it holds: the result is unknown"
            ))
            .register(what)
            .help("write the whole register once before it is modified, in the preamble");
            self.report(queue, place, packet.name(self.gfx), &rules::MODIFY_UNKNOWN, verdict);
        }
        let new = old.or((depends == 0).then_some(0)).map(|old| old & keep | or);
        let origin = queue.origin(place);
        self.register(queue, place, packet, addr, new, origin);
    }

    /// Executes packets that load registers from memory.
    pub fn load_registers(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let Some(space) = packet.loads(self.gfx, queue.queue) else { return };
        if opcode.effect_kinds(self.gfx).intersects(EffectKinds::LOADS_IF_ENABLED) {
            self.load_window(queue, place, packet, space);
        } else {
            self.load_registers_index(queue, place, packet, space);
        }
    }

    /// LOAD_*_REG: loads ranges of registers from memory if CONTEXT_CONTROL enables the load.
    fn load_window(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space) {
        let compute = packet.header.shader_type() == ShaderType::Compute;
        let bit = enable_bit(space, compute);
        if let &[lo, hi, ..] = packet.body {
            // Even a load of no registers sets the base of the shadow.
            queue.history.shadow_bases.insert(bit.into(), address(lo, hi));
        }
        match queue.history.loads(bit) {
            Some(true) => {}
            Some(false) => return,
            // An earlier buffer, or the ring, may have enabled it.
            None => return self.lose(queue, place, packet),
        }
        let &[lo, hi, ..] = packet.body else { return };
        let base = address(lo, hi);
        let (ranges, _) = packet.body.get(2..).unwrap_or_default().as_chunks::<2>();
        for [offset, count] in ranges {
            self.load_range(queue, place, packet, space, base + 4 * u64::from(offset & 0xFFFF), *offset, count & 0x3FFF);
        }
    }

    /// LOAD_*_REG_INDEX: loads ranges, or pairs of offset and value, from an address or an offset relative to SET_BASE 4. Drivers use it without enabling loads
    /// in CONTEXT_CONTROL (captures: RADV loads clear colours this way).
    fn load_registers_index(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space) {
        let &[lo, hi, ..] = packet.body else { return };
        const LOAD_REG_INDEX: u8 = 4;
        let base = match lo & 3 {
            0 => Some(address(lo, hi)),
            1 => queue.history.base(LOAD_REG_INDEX, false).map(|base| canonical(base).wrapping_add(u64::from(hi))),
            _ => {
                let at = address(lo, hi);
                let [lo, hi] = [at, at + 4].map(|at| queue.pipe.known(self.memory, at));
                lo.zip(hi).map(|(lo, hi)| address(lo, hi))
            }
        };
        let (ranges, _) = packet.body.get(2..).unwrap_or_default().as_chunks::<2>();
        for [offset, count] in ranges {
            let count = count & 0x3FFF;
            if offset >> 31 == 1 {
                self.load_pairs(queue, place, packet, space, base, count);
            } else {
                self.load_range(queue, place, packet, space, base.unwrap_or(u64::MAX), *offset, count);
            }
        }
    }

    /// Loads pairs of offset and value: only memory determines which registers are written. If it is unknown, any register of the window may have changed.
    fn load_pairs(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space, base: Option<u64>, count: u32) {
        let origin = queue.origin(place);
        for pair in 0..u64::from(count) {
            *self.dwords += 2;
            let [offset, value] = [0, 4].map(|byte| queue.pipe.known(self.memory, base?.wrapping_add(8 * pair + byte)));
            let Some(offset) = offset else {
                if space == Space::Context {
                    queue.contexts.write(RollSource::Load);
                }
                return self.lose_registers(queue, Bank::of_space(space), origin);
            };
            let addr = window_start(space) + (offset & 0xFFFF) * 4;
            if Space::of(addr) == Some(space) {
                self.register(queue, place, packet, addr, value, origin);
            }
        }
    }

    /// Loads registers from consecutive dwords of memory. An address of all ones is unknown.
    #[allow(clippy::too_many_arguments)] // one range of one packet
    fn load_range(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, space: Space, addr: u64, offset: u32, count: u32) {
        if space == Space::Context && count > 0 {
            queue.contexts.write(RollSource::Load);
        }
        if count > 0 && addr != u64::MAX {
            self.pfp_reads(queue, place, packet, addr, count.into());
            self.read_dword(queue, place, packet, addr);
        }
        let origin = queue.origin(place);
        *self.dwords += u64::from(count);
        for i in 0..count {
            let register = window_start(space) + ((offset & 0xFFFF) + i) * 4;
            if Space::of(register) != Some(space) {
                // No source states what happens to a range that leaves its window.
                queue.lose_register(register, origin);
                continue;
            }
            let value = if addr == u64::MAX { None } else { queue.pipe.known(self.memory, addr + 4 * u64::from(i)) };
            self.register(queue, place, packet, register, value, origin);
        }
    }
}
