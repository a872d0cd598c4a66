//! Draw arguments: indirect ones, the SGPRs that they end in, and the index buffer.

use super::engine::Engine;
use super::memory::canonical;
use super::place::Place;
use super::queue::QueueState;
use super::rules::{self, Verdict};
use super::wait::address;
use crate::packet::{Opcode, Packet, Queue};
use crate::regs::Space;
use alloc::format;

/// First byte address of the shader registers: SGPR locations in draw packets count dwords from here.
const SH_START: u32 = 0xB000;

/// SET_BASE index of the indirect arguments.
const PATCH_TABLE: usize = 1;

/// Where a draw packet reads its arguments: bytes from SET_BASE, and bytes that one draw takes.
fn arguments(opcode: Opcode) -> Option<u64> {
    Some(match opcode {
        Opcode::DRAW_INDIRECT | Opcode::DRAW_INDIRECT_MULTI => 16,
        Opcode::DRAW_INDEX_INDIRECT | Opcode::DRAW_INDEX_INDIRECT_MULTI => 20,
        Opcode::DISPATCH_INDIRECT | Opcode::DISPATCH_MESH_INDIRECT_MULTI => 12,
        _ => return None,
    })
}

impl<'a> Engine<'_, 'a> {
    /// Reads what the packet's arguments say, before the draw is delivered.
    pub fn draw_arguments(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        if let Some(bytes) = arguments(opcode) {
            self.indirect_arguments(queue, place, packet, opcode, bytes);
        }
        self.index_buffer(queue, place, packet, opcode);
    }

    fn indirect_arguments(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode, bytes: u64) {
        let Some(&first) = packet.body.first() else { return };
        let direct = opcode == Opcode::DISPATCH_INDIRECT && queue.queue == Queue::Compute;
        let addr = match (direct, packet.body) {
            (true, &[lo, hi, _]) => address(lo, hi),
            _ => match queue.history.bases[PATCH_TABLE] {
                Some(base) => canonical(base).wrapping_add(u64::from(first)),
                None => return,
            },
        };
        self.pfp_reads(queue, place, packet, addr, bytes / 4);
        let mapped = self.memory.mapped(addr, bytes);
        if mapped > 0 && mapped < bytes {
            let name = packet.name(self.gfx);
            let verdict = Verdict::new(format!("the arguments at 0x{addr:012x} take {bytes} bytes, but the memory mapped there ends after {mapped}"))
                .severity(super::Severity::Error)
                .help("let the buffer of the arguments hold all of them");
            self.report(queue, place, name, &rules::UNMAPPED, verdict);
        } else if mapped == 0 {
            self.read_dword(queue, place, packet, addr);
        }
    }

    /// An indexed draw must not read behind its index buffer: the hardware clamps, and the draw is not the one that was meant.
    fn index_buffer(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let (base, first, count, max) = match (opcode, packet.body) {
            (Opcode::DRAW_INDEX_2, &[max, lo, hi, count, _]) => (Some(u64::from(hi) << 32 | u64::from(lo)), 0, count, max),
            (Opcode::DRAW_INDEX_OFFSET_2, &[max, offset, count, _]) => (None, offset, count, max),
            _ => return,
        };
        let name = packet.name(self.gfx);
        if u64::from(first) + u64::from(count) > u64::from(max) && max > 0 {
            let verdict = Verdict::new(format!(
                "the draw reads indices {first} to {}, but the index buffer holds {max}: the fetcher returns 0 for those beyond",
                u64::from(first) + u64::from(count)
            ))
            .help("let max_size be the number of indices in the buffer, and draw no more of them");
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
        let bytes = u64::from(count.min(max)) * size;
        let mapped = self.memory.mapped(base, bytes.next_multiple_of(4));
        if mapped > 0 && mapped < bytes {
            let verdict =
                Verdict::new(format!("{count} indices take {bytes} bytes at 0x{:012x}, but the memory mapped there ends after {mapped}", canonical(base)))
                    .severity(super::Severity::Error)
                    .help("check max_size and the address of the index buffer");
            self.report(queue, place, name, &rules::UNMAPPED, verdict);
        }
    }

    /// An indirect draw puts its vertex and instance offsets into SGPRs: what they held is gone.
    pub fn argument_registers(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let body = packet.body;
        let low = |at: usize| body.get(at).map(|word| word & 0xFFFF);
        let high = |at: usize| body.get(at).map(|word| word >> 16);
        let locations = match opcode {
            Opcode::DRAW_INDIRECT => [low(1), low(2), None],
            Opcode::DRAW_INDEX_INDIRECT => [low(1), low(2), None],
            Opcode::DRAW_INDIRECT_MULTI | Opcode::DRAW_INDEX_INDIRECT_MULTI => {
                [low(1), low(2), low(3).filter(|_| body.get(3).is_some_and(|word| word >> 31 == 1))]
            }
            Opcode::DISPATCH_MESH_INDIRECT_MULTI => [low(1), high(1).filter(|_| body.get(2).is_some_and(|word| word >> 31 == 1)), None],
            Opcode::DISPATCH_TASKMESH_GFX => [low(0), high(0), None],
            _ => return,
        };
        let origin = queue.origin(place);
        for location in locations.into_iter().flatten().filter(|location| *location != 0) {
            let addr = SH_START + location * 4;
            if Space::of(addr) == Some(Space::Sh) {
                queue.registers.overwrite(addr, origin);
            }
        }
    }
}
