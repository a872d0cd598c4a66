//! Plain SET packets and padding, the bulk of most streams, in a loop that only writes registers.

use crate::cp::execute::engine::Engine;
use crate::cp::state::packet_flags;
use crate::cp::state::place::Origin;
use crate::cp::state::queue::QueueState;
use crate::cp::state::registers::RegisterFile;
use crate::cp::state::rolls::RollSource;
use crate::cp::view::interest::Interest;
use crate::packet::{EffectKinds, Header, Opcode, Packet, ShaderType, Window};
use crate::regs::Space;

/// Header bits that are the same in all plain type-3 packets: type, reserved, filter CAM, predicate.
const PLAIN_MASK: u32 = 0xC000_00FD;
const PLAIN: u32 = 0xC000_0000;

/// First byte address of the compute registers.
const COMPUTE_START: u32 = 0xB800;

/// A SET packet with one run of registers.
struct Run<'p> {
    space: Space,
    /// Byte address of the first register.
    addr: u32,
    values: &'p [u32],
    /// Properties of the header and the offset dword, as bits of [`packet_flags`].
    flags: u16,
}

impl<'p> Run<'p> {
    /// Returns None for other packets, and for registers outside the window.
    #[inline]
    fn of(header: Header, body: &'p [u32]) -> Option<Self> {
        let Window { start, end, .. } = Window::set_by(header.opcode())?;
        let space = Space::of(start)?;
        let (offset, values) = body.split_first()?;
        let addr = start + (offset & 0xFFFF) * 4;
        let wrong_shader_type = space == Space::Sh && (addr >= COMPUTE_START) != (header.shader_type() == ShaderType::Compute);
        let bit = |on: bool, bit: u16| if on { bit } else { 0 };
        let flags = packet_flags::ALWAYS
            | bit(header.0 & PLAIN_MASK != PLAIN, packet_flags::HEADER)
            | bit(wrong_shader_type, packet_flags::WRONG_SHADER_TYPE)
            | bit(*offset > 0xFFFF, packet_flags::INDEXED);
        (addr as usize + 4 * values.len() <= end as usize).then_some(Self { space, addr, values, flags })
    }

    #[inline]
    fn is_redundant(&self, registers: &RegisterFile) -> bool {
        !self.values.is_empty() && self.values.iter().zip(0u32..).all(|(value, i)| registers.holds(self.addr + 4 * i, *value))
    }
}

impl<'a> Engine<'_, 'a> {
    /// Returns the properties of a packet for which packet rules ask.
    pub fn flags(&self, queue: &QueueState<'a>, packet: &Packet<'_>, opcode: Opcode) -> u16 {
        let state = queue.history.flags();
        match Run::of(packet.header, packet.body) {
            Some(run) => {
                let redundant = if run.is_redundant(&queue.registers) { packet_flags::REDUNDANT } else { 0 };
                state | run.flags | redundant | self.tables.writes.flags_of(run.addr, run.values)
            }
            None => {
                let header = if packet.header.0 & PLAIN_MASK != PLAIN { packet_flags::HEADER } else { 0 };
                let sets = if opcode.effect_kinds(self.gfx).intersects(EffectKinds::SETS_ONLY) { packet_flags::OF_SETS } else { 0 };
                state | packet_flags::ALWAYS | header | sets
            }
        }
    }

    /// Executes SET packets of one run, and NOPs of one dword, as long as no rule and no part of the model needs more than the written values. Returns the
    /// number of packets. The result is the same as that of [`step`](Self::step) for each of them.
    pub fn plain_sets(&mut self, queue: &mut QueueState<'a>, turns: usize) -> usize {
        // Plain packets touch no memory, send no event and are dropped by nothing.
        let unseen = Interest::MEMORY.or(Interest::EVENTS).or(Interest::DROPPED);
        if !queue.is_plain() || !unseen.has(self.interest) || !self.memory.unknown.is_empty() {
            return 0;
        }
        let QueueState { queue: kind, packets, frames, registers, contexts, history, pipe, skip, clean_padding, .. } = &mut *queue;
        let Some(frame) = frames.last_mut().filter(|_| *skip == 0) else { return 0 };
        let (tables, kind, packets, state) = (self.tables, *kind, *packets, history.flags());
        // The packet that makes the end of the pipe due, or reaches the limit, is the last one.
        let turns = turns.min(usize::try_from(pipe.next_due().saturating_sub(packets)).unwrap_or(usize::MAX));
        let limit = self.options.max_dwords.saturating_sub(*self.dwords);
        // Cheap for the caller's words; a reference count for those that the model owns.
        let words = frame.words.clone();
        let words = words.as_slice();
        let (mut done, mut dwords, mut padding, mut redundant) = (0, 0, 0, None);
        while done < turns && dwords < limit {
            let Some((header, rest)) = words.get(frame.offset..).and_then(<[u32]>::split_first) else { break };
            let header = Header(*header);
            if header == Header::NOP1 && *clean_padding {
                let place = frame.place(frame.offset);
                self.observer.packet(kind, place, &Packet { offset: place.dword as usize, header, body: &[] });
                frame.offset += 1;
                dwords += 1;
                done += 1;
                padding += 1;
                continue;
            }
            let Some(body) = rest.get(..usize::from(header.count()) + 1) else { break };
            let Some(run) = Run::of(header, body) else { break };
            let asked = tables.packets.asked(kind, header.opcode());
            let has = run.flags | state | tables.writes.flags_of(run.addr, run.values);
            if has & (asked | packet_flags::HEADER | packet_flags::INDEXED | packet_flags::SHADOWED | packet_flags::NOTICED | packet_flags::JUDGED) != 0
                || run.values.is_empty()
            {
                break;
            }
            let place = frame.place(frame.offset);
            let packet = Packet { offset: place.dword as usize, header, body };
            self.observer.packet(kind, place, &packet);
            let origin = Origin { place, packet: packets + done as u64 };
            let changed = if run.space == Space::Context {
                contexts.write(RollSource::Write);
                registers.write_run(run.addr, run.values, origin, |addr, changed| contexts.record_write(addr, changed))
            } else {
                registers.write_run(run.addr, run.values, origin, |_, _| ())
            };
            frame.offset += header.dwords();
            dwords += header.dwords() as u64;
            done += 1;
            if changed == 0 && asked & packet_flags::REDUNDANT != 0 {
                redundant = Some((place, packet, header.opcode()));
                break;
            }
        }
        if done > padding {
            history.set_registers();
        }
        if done > 0 {
            self.passed(queue, done as u64, dwords);
        }
        if let Some((place, packet, opcode)) = redundant {
            self.judge_packet(queue, place, packet, opcode, packet_flags::REDUNDANT);
        }
        done
    }
}
