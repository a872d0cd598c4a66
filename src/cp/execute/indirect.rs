//! Draw arguments in memory, and the index buffer.

use crate::cp::execute::engine::Engine;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::canonical;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::packet::{Action, Effect, EffectKinds, Opcode, Packet, Timing};
use alloc::format;

impl<'a> Engine<'_, 'a> {
    /// Reads the arguments of a draw from memory before the draw is delivered.
    pub fn draw_arguments(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        if opcode.effect_kinds(self.gfx).intersects(EffectKinds::READS) {
            let (gfx, kind) = (self.gfx, queue.queue);
            packet.visit_effects(gfx, kind, &mut |effect| {
                if let Effect { timing: Timing::Issue, uncertain: false, action: Action::Read { at, bytes }, .. } = effect
                    && let Some(addr) = self.memory_address(queue, at)
                {
                    self.arguments(queue, place, packet, addr, bytes);
                    self.early_arguments(queue, place, packet, addr, bytes);
                }
            });
        }
        if opcode == Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE {
            self.task_count(queue, place, packet);
        }
        self.index_buffer(queue, place, packet, opcode);
    }

    /// Checks the number of task dispatches in memory, if known: some firmware hangs when it is 0.
    fn task_count(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let rule = &rules::ZERO_COUNT;
        let &[_, _, _, flags, _, _, lo, hi, ..] = packet.body else { return };
        let in_memory = flags >> 1 & 1 == 1;
        if in_memory
            && rule.scope.contains(self.chip)
            && queue.pipe.known(self.memory, canonical(u64::from(hi) << 32 | u64::from(lo))) == Some(0)
            && let Some(mut verdict) = rules::hangs_from_zero(self.options, "the count in memory is 0")
        {
            // Shaders of GPU-driven renderers write the count.
            if self.memory.shaders && rule.severity_of(&verdict) == Severity::Error {
                verdict = verdict.severity(Severity::Warning).note("unless a shader has counted since: the model does not run shaders", None);
            }
            self.report(queue, place, packet.name(self.gfx), rule, verdict);
        }
    }

    /// Reports arguments that a shader writes and that nothing has waited for.
    fn early_arguments(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u64, bytes: u64) {
        let Some((at, writer)) = queue.history.shader_writes.first(canonical(addr), bytes) else { return };
        let verdict = Verdict::new(format!("the packet reads its arguments at 0x{at:012x}, which a shader writes; nothing has waited for it"))
            .note(format!("a shader of this packet writes 0x{at:012x}"), Some(writer))
            .help("wait for the shader: CS_PARTIAL_FLUSH or PS_PARTIAL_FLUSH, on the graphics queue with PFP_SYNC_ME after it, or a fence");
        self.report(queue, place, packet.name(self.gfx), &rules::EARLY_ARGUMENTS, verdict);
        queue.history.shader_writes.clear();
    }

    fn arguments(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u64, bytes: u64) {
        let mapped = self.memory.mapped(addr, bytes);
        if mapped > 0 && mapped < bytes {
            let name = packet.name(self.gfx);
            // If the count is in memory, the packet's count is only the maximum.
            let at_most = packet.field(self.gfx, queue.queue, "count_indirect_enable").is_some_and(|enable| enable != 0);
            let (take, severity) = if at_most { ("may take", Severity::Warning) } else { ("take", Severity::Error) };
            let verdict = Verdict::new(format!("the arguments at 0x{addr:012x} {take} {bytes} bytes, but only {mapped} bytes are mapped there"))
                .severity(severity)
                .help("make the buffer of the arguments large enough for all of them");
            self.report(queue, place, name, &rules::UNMAPPED, verdict);
        } else if mapped == 0 {
            self.read_dword(queue, place, packet, addr);
        }
    }

    /// Reports an indexed draw that reads beyond its index buffer: the hardware clamps, so the draw is not the intended one.
    fn index_buffer(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let (base, first, count, max) = match (opcode, packet.body) {
            (Opcode::DRAW_INDEX_2, &[max, lo, hi, count, _]) => (Some(u64::from(hi) << 32 | u64::from(lo)), 0, count, max),
            (Opcode::DRAW_INDEX_OFFSET_2, &[max, offset, count, _]) => (None, offset, count, max),
            _ => return,
        };
        let name = packet.name(self.gfx);
        let end = u64::from(first) + u64::from(count);
        if count > 0 && end > u64::from(max) {
            let last = end - 1;
            let holds = if max == 0 { "no index".into() } else { format!("{max} indices") };
            let verdict = Verdict::new(format!(
                "the draw reads indices {first} to {last}, but the index buffer holds {holds}: the fetcher returns 0 for the indices after its end"
            ))
            .help("set max_size to the number of indices in the buffer, and draw no more of them");
            self.report(queue, place, name, &rules::INDEX_BOUNDS, verdict);
        }
        let Some(base) = base else { return };
        // VGT_INDEX_TYPE: 0 is 16 bits, 1 is 32 bits, 2 is 8 bits.
        let size = match queue.registers.value(0x3090C).map(|word| word & 3) {
            Some(0) => 2,
            Some(1) => 4,
            Some(2) => 1,
            _ => return,
        };
        let read = count.min(max);
        let bytes = u64::from(read) * size;
        let mapped = self.memory.mapped(base, bytes.next_multiple_of(4));
        if mapped > 0 && mapped < bytes {
            let take = if read == 1 { "index of the index buffer takes" } else { "indices of the index buffer take" };
            let verdict = Verdict::new(format!("{read} {take} {bytes} bytes at 0x{:012x}, but only {mapped} bytes are mapped there", canonical(base)))
                .severity(Severity::Error)
                .help("check max_size and the address of the index buffer");
            self.report(queue, place, name, &rules::UNMAPPED, verdict);
        }
    }
}
