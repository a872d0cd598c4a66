//! What context and SH registers hold, as far as a stream tells.

use crate::chip::Gfx;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::reader::Packet;
use crate::packet::wire::register_writes::RegisterWrites;
use crate::packet::wire::structs;
use crate::packet::wire::windows::{self, COMPUTE_START, GRBM_GFX_INDEX};
use crate::packet::write::runs::is_broadcast;
use alloc::boxed::Box;

/// Registers of one window.
const WINDOW: usize = 0x400;

/// The last known value of every context and SH register.
#[derive(Debug, Clone)]
pub(in crate::packet) struct Shadow {
    values: Box<[u32; 2 * WINDOW]>,
    known: [u64; 2 * WINDOW / 64],
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
        Self { values: Box::new([0; 2 * WINDOW]), known: [0; 2 * WINDOW / 64], off: false, banked, skipped_until }
    }

    /// Where a register stands here; uconfig and config registers are never filtered (PAL gfx9Pm4Optimizer.cpp).
    pub const fn slot(addr: u32) -> Option<usize> {
        if addr & 3 == 0 && addr >= windows::CONTEXT.start && addr < windows::CONTEXT.end {
            Some((addr - windows::CONTEXT.start) as usize / 4)
        } else if addr & 3 == 0 && addr >= windows::SH.start && addr < windows::SH.end {
            Some(WINDOW + (addr - windows::SH.start) as usize / 4)
        } else {
            None
        }
    }

    /// Whether what is known may keep writes out of a stream whose next dword is `at`.
    pub fn filters(&self, at: usize) -> bool {
        !self.off && !self.banked && at >= self.skipped_until
    }

    /// The value in a slot, if it is known.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<u32> {
        (self.known[slot / 64] >> (slot % 64) & 1 == 1).then(|| self.values[slot])
    }

    #[inline]
    pub fn set(&mut self, slot: usize, value: u32) {
        self.values[slot] = value;
        self.known[slot / 64] |= 1 << (slot % 64);
    }

    pub fn unset(&mut self, slot: usize) {
        self.known[slot / 64] &= !(1 << (slot % 64));
    }

    fn forget(&mut self, addr: u32) {
        if let Some(slot) = Self::slot(addr) {
            self.unset(slot);
        }
    }

    fn forget_context(&mut self) {
        self.known[..WINDOW / 64].fill(0);
    }

    fn forget_sh(&mut self, compute: bool) {
        // 0x200 registers each: eight words of bits.
        let half = (COMPUTE_START - windows::SH.start) as usize / 4 / 64;
        let sh = &mut self.known[WINDOW / 64..];
        if compute { sh[half..].fill(0) } else { sh[..half].fill(0) }
    }

    pub fn forget_all(&mut self) {
        self.known.fill(0);
    }

    /// Takes in a packet that was written: what it sets, and what it makes unknown.
    pub fn observe(&mut self, packet: &Packet<'_>, gfx: Gfx) {
        let header = packet.header;
        let word = |n: usize| packet.body.get(n).copied().unwrap_or(0);
        let Some(opcode) = packet.opcode() else {
            // Type 0 writes registers.
            return if header.packet_type() == 0 {
                self.forget_all()
            };
        };
        // What reaches one instance only filters nothing, and is forgotten when others are chosen.
        let certain = !header.predicate() && packet.offset >= self.skipped_until;
        for write in RegisterWrites::new(packet, gfx) {
            if write.addr == GRBM_GFX_INDEX {
                // What a called buffer chose before is not known, nor which instances have what was written since. A choice of all may be skipped.
                self.banked = !is_broadcast(write.value) || self.banked && !certain;
                self.forget_all();
            }
            // What the kernel masks or the CP interprets is not what the register holds.
            let plain = packet.body.first().is_some_and(|w| w >> 28 == 0) || is_list(opcode);
            match Self::slot(write.addr) {
                Some(slot) if certain && plain => self.set(slot, write.value),
                _ => self.forget(write.addr),
            }
        }
        match opcode {
            // 1 pushes and changes nothing.
            Opcode::CLEAR_STATE if word(0) & 0xF != 1 => self.forget_context(),
            Opcode::CONTEXT_CONTROL => self.forget_all(),
            Opcode::LOAD_CONTEXT_REG | Opcode::LOAD_CONTEXT_REG_INDEX => self.forget_context(),
            Opcode::LOAD_SH_REG | Opcode::LOAD_SH_REG_INDEX => {
                self.forget_sh(false);
                self.forget_sh(true);
            }
            Opcode::CONTEXT_REG_RMW => self.read_modify_write(packet, certain),
            Opcode::SET_SH_REG_OFFSET => {
                let addr = windows::SH.start + 4 * (word(0) & 0xFFFF);
                self.forget(addr);
                self.forget(addr + 4);
            }
            // 14 dwords are COND_INDIRECT_BUFFER: one of two buffers ran, or none.
            Opcode::INDIRECT_BUFFER if packet.body.len() > 3 => self.off = true,
            Opcode::INDIRECT_BUFFER => self.forget_all(),
            Opcode::COND_EXEC => self.skip(packet, word(3) & 0x3FFF),
            Opcode::PRED_EXEC => self.skip(packet, word(0) & 0x3FFF),
            // Their arguments come into SGPRs.
            Opcode::DRAW_INDIRECT
            | Opcode::DRAW_INDEX_INDIRECT
            | Opcode::DRAW_INDIRECT_MULTI
            | Opcode::DRAW_INDEX_INDIRECT_MULTI
            | Opcode::DISPATCH_MESH_INDIRECT_MULTI
            | Opcode::DISPATCH_TASKMESH_GFX
            | Opcode::DISPATCH_MESH_DIRECT => self.forget_sh(false),
            Opcode::DISPATCH_TASKMESH_DIRECT_ACE | Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE | Opcode::DISPATCH_DRAW | Opcode::DISPATCH_DRAW_PREAMBLE => {
                self.forget_sh(false);
                self.forget_sh(true);
            }
            Opcode::EXECUTE_INDIRECT | Opcode::EXECUTE_INDIRECT_V2 | Opcode::REWIND => self.forget_all(),
            // Register destinations: 0 is a register in all of them, 4 and 6 are registers by another path.
            Opcode::WRITE_DATA | Opcode::COPY_DATA if matches!(word(0) >> 8 & 0xF, 0 | 4 | 6 | 11) => self.forget_all(),
            Opcode::COND_WRITE if word(0) >> 8 & 3 == 0 => self.forget_all(),
            // DAS in register space, or an indirect destination.
            Opcode::DMA_DATA if word(5) >> 27 & 1 == 1 => self.forget_all(),
            // Write a register, wait on another.
            Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64 if word(0) >> 6 & 3 == 1 => self.forget_all(),
            opcode if !opcode.is_known() => self.forget_all(),
            _ => {}
        }
    }

    fn read_modify_write(&mut self, packet: &Packet<'_>, certain: bool) {
        let &[offset, mask, data] = packet.body else { return self.forget_context() };
        let addr = windows::CONTEXT.start + 4 * (offset & 0xFFFF);
        let Some(slot) = Self::slot(addr) else { return };
        match self.get(slot) {
            Some(old) if certain => self.set(slot, old & !mask | data & mask),
            _ if certain && mask == u32::MAX => self.set(slot, data),
            _ => self.forget(addr),
        }
    }

    fn skip(&mut self, packet: &Packet<'_>, dwords: u32) {
        self.skipped_until = self.skipped_until.max(packet.offset + packet.dwords() + dwords as usize);
    }
}

/// Lists of pairs: their first dword is no offset, or none with an index.
fn is_list(opcode: Opcode) -> bool {
    structs::is_register_list(opcode)
}

/// The packet that starts at `offset` of `words`.
pub(in crate::packet) fn packet_at(words: &[u32], offset: usize) -> Option<Packet<'_>> {
    let (&header, body) = words.get(offset..)?.split_first()?;
    let header = Header(header);
    Some(Packet { offset, header, body: body.get(..header.body_dwords())? })
}
