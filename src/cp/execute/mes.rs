//! The MES ring: request frames, and the fences with which MES answers.
//!
//! The model answers each frame at once, as if it had succeeded: memory does not show whether MES can do it.

use crate::cp::execute::engine::{Engine, Step};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::finding::Severity;
use crate::cp::state::place::Place;
use crate::cp::state::queue::{Frame, QueueState};
use crate::queues::{Damage, DamageKind, QueuePacket, QueueReader, Version};
use alloc::format;
use alloc::string::ToString;

impl<'a> Engine<'_, 'a> {
    /// Executes the next frame of the MES ring.
    pub fn step_mes(&mut self, queue: &mut QueueState<'a>, version: Version) -> Step {
        let Some(frame) = queue.frames.last_mut() else {
            let Some(next) = queue.pending.pop_front() else { return Step::Done };
            queue.frames.push(Frame { ring: true, ..next });
            return Step::Ran(1);
        };
        if frame.is_done() {
            queue.frames.pop();
            return Step::Ran(1);
        }
        let words = frame.words.clone();
        let (offset, place) = (frame.offset, frame.place(frame.offset));
        let dwords = match QueueReader::new(version, words.as_slice().get(offset..).unwrap_or_default()).next() {
            None => 0,
            Some(Err(damage)) => {
                self.unread_frame(queue, place, &damage);
                damage.dwords
            }
            Some(Ok(packet)) => {
                for (rule, judge) in rules::MES_JUDGES {
                    if let Some(verdict) = judge(&packet) {
                        self.report_once(queue, place, Some(packet.name()), rule, verdict);
                    }
                }
                (self.by_pfp, self.atomic) = (false, false);
                self.answer(queue, place, &packet);
                packet.words.len()
            }
        };
        queue.turns_off += 1;
        if let Some(frame) = queue.frames.last_mut() {
            frame.offset += dwords;
        }
        self.passed(queue, 1, dwords as u64);
        Step::Ran(1)
    }

    fn unread_frame(&mut self, queue: &QueueState<'a>, place: Place, damage: &Damage) {
        let verdict = Verdict::new(damage.to_string());
        let (rule, verdict) = match damage.kind {
            DamageKind::NoPacket { .. } => (&rules::UNKNOWN_OPCODE, verdict.help("check the opcode, bits 11:4 of the header, and the version of MES")),
            DamageKind::Truncated { .. } => {
                (&rules::TRUNCATED, if self.options.partial { verdict.severity(Severity::Warning) } else { verdict }.help("give whole frames of 256 bytes"))
            }
        };
        self.report(queue, place, None, rule, verdict);
        self.memory.lose_all();
    }

    /// Writes the results of a frame: its fence, and memory that no source describes in full.
    fn answer(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        for (addr, bytes) in [("suspend_fence_addr", 8), ("tf_addr", 8), ("doorbell_offset_addr", 4096)] {
            if value(addr) != 0 {
                self.memory.lose(value(addr), bytes);
            }
        }
        // READ_REG of MISC.
        if packet.name() == "MISC" && packet.all("opcode").get(1) == Some(&3) {
            self.memory.lose(value("read_reg.buffer_addr"), 8);
        }
        let (fence, done) = (value("api_status.api_completion_fence_addr"), value("api_status.api_completion_fence_value"));
        if fence != 0 {
            self.write_dwords(queue, place, Some(packet.name()), fence, [Some(done as u32), Some((done >> 32) as u32)]);
        }
        if !fence.is_multiple_of(8) {
            let verdict = Verdict::new(format!("the fence is at 0x{fence:012x}, which is no multiple of 8")).severity(Severity::Warning);
            self.report(queue, place, Some(packet.name()), &rules::MISALIGNED, verdict.help("align it to 8 bytes: 64 bits are written"));
        }
    }
}
