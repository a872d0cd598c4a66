//! The constant engine (up to GFX10.3): its own memory, which it fills while the graphics queue runs, and the counters that synchronize the two.
//!
//! The contents of the packets are from PAL gfx9CmdUtil.cpp (04/2024). No source states the exact conditions of the two waits; the model follows their names:
//! WAIT_ON_CE_COUNTER waits until the constant engine has counted further than the draw engine, WAIT_ON_DE_COUNTER_DIFF until it is less than `diff` ahead
//! (unverified).

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::state::block::{Block, Until};
use crate::cp::state::constant_engine::increments_ce;
use crate::cp::state::memory::{address, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::packet::{Opcode, Packet};
use alloc::vec::Vec;

/// The SET_BASE index for addresses of DUMP_CONST_RAM_OFFSET (AMD's packet headers, ce_dst_base_addr).
const DUMP_BASE: u8 = 2;

impl<'a> Engine<'_, 'a> {
    /// Executes packets that only the constant engine supports.
    pub fn perform_constant(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, opcode: Opcode) -> Flow {
        match (opcode, packet.body) {
            (Opcode::LOAD_CONST_RAM, &[lo, hi, dwords, start]) => {
                let from = address(lo, hi);
                *self.dwords += u64::from(dwords & 0x7FFF);
                for i in 0..dwords & 0x7FFF {
                    let value = queue.pipe.known(self.memory, from + 4 * u64::from(i));
                    self.constant.fill((start & 0xFFFF) + 4 * i, value);
                }
                self.read_dword(queue, place, &packet, from);
            }
            (Opcode::WRITE_CONST_RAM, [offset, data @ ..]) => {
                for (value, i) in data.iter().zip(0u32..) {
                    self.constant.fill((offset & 0xFFFF) + 4 * i, Some(*value));
                }
            }
            (Opcode::DUMP_CONST_RAM, &[offset, dwords, lo, hi]) => self.dump(queue, place, &packet, offset, dwords, address(lo, hi)),
            (Opcode::DUMP_CONST_RAM_OFFSET, &[offset, dwords, to]) => match queue.history.base(DUMP_BASE, false) {
                Some(base) => self.dump(queue, place, &packet, offset, dwords, canonical(base.wrapping_add(to.into()))),
                None if dwords & 0x7FFF == 0 => {}
                None => self.memory.lose_all(),
            },
            (Opcode::WAIT_ON_DE_COUNTER_DIFF, &[diff]) => {
                return self.wait(queue, Block { place, packet: "WAIT_ON_DE_COUNTER_DIFF", until: Until::DeCounter { diff }, pfp: false });
            }
            (Opcode::INDIRECT_BUFFER_CNST, [_, _, _]) => return self.indirect_buffer(queue, place, &packet),
            (Opcode::INDIRECT_BUFFER_CNST, body) if body.len() == 13 => return self.conditional_buffer(queue, place, &packet),
            // On the graphics queue it controls loads; here it changes nothing in the model.
            (Opcode::CONTEXT_CONTROL, _) => {}
            (other, _) => self.unperformed(queue, place, &packet, other),
        }
        if increments_ce(&packet) {
            self.constant.ce_counter += 1;
        }
        Flow::Next
    }

    fn dump(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, offset: u32, dwords: u32, to: u64) {
        let name = packet.name(self.gfx);
        let values: Vec<_> = (0..dwords & 0x7FFF).map(|i| self.constant.get((offset & 0xFFFF) + 4 * i)).collect();
        *self.dwords += values.len() as u64;
        self.write_dwords(queue, place, name, to, values);
    }

    /// WAIT_ON_CE_COUNTER: the draw engine waits for the constant engine.
    pub fn wait_on_ce_counter(&mut self, queue: &mut QueueState<'a>, place: Place) -> Flow {
        self.wait(queue, Block { place, packet: "WAIT_ON_CE_COUNTER", until: Until::CeCounter, pfp: false })
    }
}
