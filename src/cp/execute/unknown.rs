//! Packets with unknown words, which an input lacks.

use crate::cp::execute::engine::{Engine, Step};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::state::registers::Bank;
use crate::packet::{Header, Opcode, Packet, Work};
use crate::regs::Space;

/// Windows of the SET packets, whose registers begin at an offset.
const SETS: [(Opcode, Space); 4] = [
    (Opcode::SET_CONTEXT_REG, Space::Context),
    (Opcode::SET_SH_REG, Space::Sh),
    (Opcode::SET_UCONFIG_REG, Space::Uconfig),
    (Opcode::SET_CONFIG_REG, Space::Config),
];

impl<'a> Engine<'_, 'a> {
    /// Skips the next packet if some of its words are unknown: no rule judges it, and everything that it may modify becomes unknown. Returns None if all words
    /// are known.
    pub fn pass_unknown(&mut self, queue: &mut QueueState<'a>) -> Option<Step> {
        if self.memory.unknown.is_empty() || queue.skip > 0 {
            return None;
        }
        let frame = queue.frames.last()?;
        let (place, words) = (frame.place(frame.offset), frame.words.clone());
        let rest = words.as_slice().get(frame.offset..)?;
        let header = Header(*rest.first()?);
        let (unknown, end) = self.unknown_after(place)?;
        let known = unknown.saturating_sub(place.dword as usize);
        if known >= header.dwords() {
            return None;
        }
        let dwords = if known == 0 { end - place.dword as usize } else { header.dwords() }.min(rest.len());
        if let Some(body) = rest.get(1..known) {
            let packet = Packet { offset: place.dword as usize, header, body };
            self.observer.packet(queue.queue, place, &packet);
            self.may_have_run(queue, place, packet.opcode());
        } else {
            self.lose_everything(queue, place);
        }
        if let Some(frame) = queue.frames.last_mut() {
            frame.offset += dwords;
        }
        queue.turns_off += 1;
        self.passed(queue, 1, dwords as u64);
        Some(Step::Ran(1))
    }

    /// Returns the next range of unknown dwords in a buffer: the first dword and the one after the last.
    fn unknown_after(&self, place: Place) -> Option<(usize, usize)> {
        let ranges = self.memory.unknown.get(&place.buffer)?;
        let next = ranges.partition_point(|range| range.end <= place.dword as usize);
        ranges.get(next).map(|range| (range.start, range.end))
    }

    /// Applies what a packet with unknown words may have done.
    fn may_have_run(&mut self, queue: &mut QueueState<'a>, place: Place, opcode: Option<Opcode>) {
        let work = opcode.and_then(|opcode| opcode.work(self.gfx));
        match work {
            Some(Work::Draw) => self.summary.draws += 1,
            Some(Work::Dispatch) => self.summary.dispatches += 1,
            None => {}
        }
        let set = SETS.iter().find(|(set, _)| Some(*set) == opcode);
        if let Some((_, space)) = set {
            self.lose_registers(queue, Bank::of_space(*space), queue.origin(place));
        } else if opcode == Some(Opcode::DISPATCH_DIRECT) {
            self.memory.shaders = true;
        } else {
            self.lose_everything(queue, place);
        }
    }
}
