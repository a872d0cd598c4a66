//! Packets that move data: WRITE_DATA, COPY_DATA, DMA_DATA, ATOMIC_MEM.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::execute::memory_access::me_writes;
use crate::cp::state::block::{Answer, Block, EQUAL, Test, Until};
use crate::cp::state::memory::{Content, address, byte_address, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::packet::{Opcode, Packet, Queue};
use alloc::vec::Vec;

/// The most bytes of one DMA into unmapped memory whose values are kept.
const KEPT: u64 = 1 << 12;

/// Operations of ATOMIC_MEM that do not depend on the old value.
const READ: u32 = 0;
const WRITE: u32 = 32;

/// dst_sel and src_sel of WRITE_DATA and COPY_DATA.
const REGISTER: u32 = 0;
const IMMEDIATE: u32 = 5;
const PREEMPTION_META_MEMORY: u32 = 8;

impl<'a> Engine<'_, 'a> {
    /// Returns the byte address of the register that two dwords name: an 18-bit dword address, 38-bit on GFX12. No window contains registers beyond 18 bits.
    fn register_address(&self, lo: u32, hi: u32) -> Option<u32> {
        match self.gfx.major() {
            12.. if hi & 0x3F != 0 || lo > 0x3_FFFF => None,
            _ => Some((lo & 0x3_FFFF) * 4),
        }
    }

    /// WRITE_DATA: writes registers or memory.
    pub fn write_data(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let [control, lo, hi, data @ ..] = packet.body else { return };
        let step = if control >> 16 & 1 == 1 { 0 } else { 4 };
        match control >> 8 & 0xF {
            REGISTER => {
                let (Some(addr), origin) = (self.register_address(*lo, *hi), queue.origin(place)) else { return };
                for (value, i) in data.iter().zip(0u32..) {
                    self.register(queue, place, packet, addr + i * step, Some(*value), origin);
                }
            }
            1 | 2 | 5 | PREEMPTION_META_MEMORY => {
                let addr = address(*lo, *hi);
                let values = if step == 0 { data.get(data.len().saturating_sub(1)..).unwrap_or_default() } else { data };
                self.transfers(queue, place, packet.name(self.gfx), true, addr, 4 * values.len() as u64);
                self.write_dwords(queue, place, packet.name(self.gfx), addr, values.iter().map(|value| Some(*value)));
                self.fence(queue, place, addr);
            }
            _ => self.lose(queue, place, packet),
        }
    }

    /// COPY_DATA: copies one or two dwords between registers and memory.
    pub fn copy_data(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, src_lo, src_hi, dst_lo, dst_hi] = packet.body else { return };
        let dwords = 1 + (control >> 16 & 1);
        if !matches!(control >> 8 & 0xF, REGISTER | 1 | 2 | 5) {
            return self.lose(queue, place, packet);
        }
        let origin = queue.origin(place);
        let name = packet.name(self.gfx);
        let mut written = [None; 2];
        for (i, written) in (0..dwords).zip(&mut written) {
            let value = match control & 0xF {
                REGISTER => self.register_address(src_lo, src_hi).and_then(|addr| queue.registers.value(addr + 4 * i)),
                1 | 2 => {
                    let addr = address(src_lo, src_hi) + 4 * u64::from(i);
                    self.read_dword(queue, place, packet, addr)
                }
                IMMEDIATE => Some(if i == 0 { src_lo } else { src_hi }),
                _ => None,
            };
            match control >> 8 & 0xF {
                REGISTER => {
                    if let Some(addr) = self.register_address(dst_lo, dst_hi) {
                        self.register(queue, place, packet, addr + 4 * i, value, origin);
                        queue.history.copied(addr + 4 * i, place);
                    }
                }
                _ => *written = value,
            }
        }
        if control >> 8 & 0xF != REGISTER {
            self.write_dwords(queue, place, name, address(dst_lo, dst_hi), written.into_iter().take(dwords as usize));
        }
    }

    /// DMA_DATA: copies or fills memory. Later packets see the data at once; a rule judges the case without CP_SYNC, in which the engine may be slower.
    pub fn dma_data(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, src_lo, src_hi, dst_lo, dst_hi, command] = packet.body else { return };
        let bytes = u64::from(command & 0x3FF_FFFF);
        // The register bits of the command apply only if the address is used as they say (selector 0); selector 3 is memory.
        let memory = |selector: u32, register: u32| selector == 3 || selector == 0 && register & 1 == 0;
        let to_memory = memory(control >> 20 & 3, command >> 27);
        let fill = (control >> 29 & 3 == 2).then_some(src_lo);
        let from_memory = memory(control >> 29 & 3, command >> 26);
        let [src, dst] = [(src_hi, src_lo), (dst_hi, dst_lo)].map(|(hi, lo)| byte_address(u64::from(hi) << 32 | u64::from(lo)));
        // An address may be relative to a SET_BASE base, and is then unknown. It may also stay the same for all data.
        let indirect = |bit: u32| queue.queue == Queue::Graphics && control >> bit & 1 == 1;
        let (from_known, to_known) = (!indirect(1) && command >> 28 & 1 == 0, !indirect(2) && command >> 29 & 1 == 0);
        if from_memory && from_known && bytes > 0 && self.memory.mapped(src, bytes) < bytes && self.memory.read(src) == Content::Unmapped {
            self.unmapped_read(queue, place, packet, src, bytes);
        }
        if control >> 31 == 1 {
            // CP_SYNC: the queue waits for the DMA engine, which works in order.
            queue.history.dma_is_done();
        }
        if !to_memory {
            // DMA to registers is not followed.
            let registers = control >> 20 & 3 == 0;
            return if registers { self.unperformed(queue, place, packet, Opcode::DMA_DATA) } else { self.lose(queue, place, packet) };
        }
        if bytes == 0 {
            return;
        }
        if !to_known {
            return self.lose(queue, place, packet);
        }
        let name = packet.name(self.gfx);
        if fill.is_none() && from_memory && from_known {
            self.transfers(queue, place, name, false, src, bytes);
        }
        self.transfers(queue, place, name, true, dst, bytes);
        me_writes(queue, place, dst, bytes);
        if control >> 31 == 0 {
            queue.history.dma.insert(canonical(dst), bytes, place);
        }
        // Copies that shift bytes within dwords are not followed, nor are large amounts of application memory.
        let shifted = !dst.is_multiple_of(4) || !src.is_multiple_of(4) && fill.is_none();
        // No source states the result of a copy whose destination overlaps its source.
        let overlaps = fill.is_none() && from_memory && src != dst && src.abs_diff(dst) < bytes;
        if shifted || overlaps || bytes - self.memory.mapped(dst, bytes) > KEPT {
            self.unmapped_write(queue, place, name, dst, bytes);
            return self.memory.lose(dst, bytes);
        }
        let values: Vec<Option<u32>> = (0..bytes / 4)
            .map(|i| match fill {
                None if from_memory && from_known => queue.pipe.known(self.memory, src.wrapping_add(4 * i)),
                _ => fill,
            })
            .collect();
        // The dwords count as work, so that the length of a run is bounded regardless of copies.
        *self.dwords += values.len() as u64;
        let rest = (!bytes.is_multiple_of(4)).then_some(None);
        self.store(queue, place, name, dst, values.into_iter().chain(rest));
    }

    /// ATOMIC_MEM (operation numbers: AMD's packet headers, ATOMIC_MEM atomic). With bit 6 the operation does not return the old value; 7 to 27 are 32-bit, 39
    /// to 57 are the same operations in 64 bits.
    pub fn atomic_mem(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[control, lo, hi, _, _, cmp_lo, cmp_hi, _] = packet.body else { return Flow::Next };
        let (kind, wide) = (control & 0x1F, control >> 5 & 1 == 1);
        // With command 1, a comparison repeats until memory contains the compare value.
        if control >> 8 & 0xF == 1 && kind == COMPARE_AND_SWAP {
            let test = if wide {
                Test { function: EQUAL, mask: u64::MAX, reference: u64::from(cmp_hi) << 32 | u64::from(cmp_lo), wide, signed: false }
            } else {
                Test { function: EQUAL, mask: u32::MAX.into(), reference: cmp_lo.into(), wide, signed: false }
            };
            let until = Until::Memory { addr: address(lo, hi), test };
            let block = Block { place, packet: packet.name(self.gfx).unwrap_or("ATOMIC_MEM"), until, pfp: false };
            if self.holds(queue, until) == Answer::No && self.wait(queue, block) == Flow::Blocked {
                return Flow::Blocked;
            }
            self.waited(queue, until, false);
        }
        self.atomic(queue, place, packet);
        Flow::Next
    }

    fn atomic(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, lo, hi, src_lo, src_hi, cmp_lo, cmp_hi, _] = packet.body else { return };
        let (addr, operation) = (address(lo, hi), control & 0x7F);
        let name = packet.name(self.gfx);
        let kind = operation & 0x3F;
        let wide = match operation {
            READ => {
                self.read_dword(queue, place, packet, addr);
                return;
            }
            // More than a dword may be written.
            WRITE => {
                self.lose(queue, place, packet);
                self.write_dwords(queue, place, name, addr, [Some(src_lo)]);
                return self.fence(queue, place, addr);
            }
            7..=27 | 71..=89 => false,
            39..=57 | 103..=121 => true,
            // Nothing happens, or the result is unknown.
            _ => return self.lose(queue, place, packet),
        };
        let (src, compare) = (u64::from(src_hi) << 32 | u64::from(src_lo), u64::from(cmp_hi) << 32 | u64::from(cmp_lo));
        let low = self.read_dword(queue, place, packet, addr);
        let high = if wide { self.read_dword(queue, place, packet, addr + 4) } else { Some(0) };
        let old = low.zip(high).map(|(low, high)| u64::from(high) << 32 | u64::from(low));
        let new = old.and_then(|old| result(if wide { kind - 32 } else { kind }, old, src, compare, wide));
        let halves = [new.map(|value| value as u32), new.map(|value| (value >> 32) as u32)];
        self.write_dwords(queue, place, name, addr, halves.into_iter().take(if wide { 2 } else { 1 }));
        self.fence(queue, place, addr);
    }
}

/// The ATOMIC_MEM operation that writes if memory equals the compare value, without the bits for its width and for the old value.
const COMPARE_AND_SWAP: u32 = 8;

/// Returns the value in memory after an atomic operation.
fn result(kind: u32, old: u64, src: u64, compare: u64, wide: bool) -> Option<u64> {
    let mask = if wide { u64::MAX } else { u64::from(u32::MAX) };
    let (old, src, compare) = (old & mask, src & mask, compare & mask);
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as u32 as i32) };
    Some(
        mask & match kind {
            7 => src,
            COMPARE_AND_SWAP => {
                if old == compare {
                    src
                } else {
                    old
                }
            }
            15 => old.wrapping_add(src),
            16 => old.wrapping_sub(src),
            17 if signed(src) < signed(old) => src,
            18 => old.min(src),
            19 if signed(src) > signed(old) => src,
            17 | 19 => old,
            20 => old.max(src),
            21 => old & src,
            22 => old | src,
            23 => old ^ src,
            24 if old >= src => 0,
            24 => old + 1,
            25 if old == 0 || old > src => src,
            25 => old - 1,
            26 => old.saturating_sub(src),
            27 if old >= src => old - src,
            27 => old,
            _ => return None,
        },
    )
}
