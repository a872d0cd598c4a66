//! Conditional spans: packets that skip the dwords after them, and the end of such a span.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::memory::address;
use crate::cp::state::place::Place;
use crate::cp::state::queue::{Frame, QueueState, Span};
use crate::packet::Packet;
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;

/// How a conditional span continues in the following words.
enum Following {
    /// It ends between two packets, or nothing is known about its end.
    Whole,
    /// It continues in the next piece of the stream.
    Open(Span),
    /// It ends within a packet, or the buffer ends before it; the text describes which.
    Broken(String),
}

/// What follows the words of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// The next piece of the stream, to be fed later.
    Piece,
    /// Unknown: the words are a part of a longer stream.
    Unseen,
}

impl After {
    fn of(frame: &Frame<'_>, partial: bool) -> Self {
        match (frame.open, partial && !frame.sized) {
            (true, _) => Self::Piece,
            (false, true) => Self::Unseen,
            (false, false) => Self::Nothing,
        }
    }
}

fn follow(span: Span, rest: &[u32], after: After) -> Following {
    let Span { dwords, fed, mut at, .. } = span;
    while at < dwords {
        let Some(header) = rest.get(at - fed) else { break };
        at += crate::packet::Header(*header).dwords();
    }
    decide(Span { at, ..span }, fed + rest.len(), after)
}

/// Decides how a span continues after the available words.
fn decide(span: Span, there: usize, after: After) -> Following {
    let Span { dwords, at, .. } = span;
    if at == dwords && dwords <= there {
        Following::Whole
    } else if dwords <= there {
        Following::Broken(format!(
            "the packet skips {}, and the skip ends inside another packet (which ends {} after the start of the skip): the engine would execute data as packets",
            counted(dwords, "dword"),
            counted(at, "dword")
        ))
    } else {
        match after {
            After::Piece => Following::Open(Span { fed: there, ..span }),
            After::Unseen => Following::Whole,
            After::Nothing => Following::Broken(format!(
                "the packet skips {}, but the buffer has only {} left: what follows the buffer is skipped, or executed out of sync",
                counted(dwords, "dword"),
                counted(there, "dword")
            )),
        }
    }
}

impl<'a> Engine<'_, 'a> {
    /// COND_EXEC: skips the following dwords if the value is 0.
    pub fn cond_exec(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[lo, hi, _, count] = packet.body else { return Flow::Next };
        let dwords = (count & 0x3FFF) as usize;
        self.check_span(queue, place, packet, dwords);
        match self.read_dword(queue, place, packet, address(lo, hi)) {
            Some(0) => return Flow::Skip(dwords),
            None if dwords > 0 => {
                if let Some(frame) = queue.frames.last_mut() {
                    frame.doubts.push(frame.offset + packet.dwords() + dwords);
                }
            }
            _ => {}
        }
        Flow::Next
    }

    /// PRED_EXEC: the following dwords are for some devices only; the model is device 0.
    pub fn pred_exec(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[word] = packet.body else { return Flow::Next };
        let dwords = (word & 0x3FFF) as usize;
        self.check_span(queue, place, packet, dwords);
        // A ring ignores it (IB-08).
        if word >> 24 & 1 == 0 && !queue.in_ring() { Flow::Skip(dwords) } else { Flow::Next }
    }

    /// Checks that the dwords of a conditional span are whole packets of the same buffer. A ring wraps around, and newer packets may cover the end of a span.
    fn check_span(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, dwords: usize) {
        if queue.in_ring() {
            return;
        }
        let Some(frame) = queue.frames.last_mut() else { return };
        let start = frame.offset + packet.dwords();
        frame.spans_end = frame.spans_end.max(start + dwords);
        // If words are unknown, so are the packets of the span.
        if self.memory.unknown.contains_key(&frame.buffer) {
            return;
        }
        let span = Span { place, packet: packet.name(self.gfx), dwords, fed: 0, at: frame.span_end(start, dwords) };
        let after = After::of(frame, self.options.partial);
        match decide(span, frame.words.as_slice().len().saturating_sub(start), after) {
            Following::Whole => {}
            Following::Open(span) => queue.spans.push(span),
            Following::Broken(text) => self.bad_span(queue, span, text),
        }
    }

    /// Follows spans of earlier pieces into the next piece of a stream.
    pub fn follow_spans(&mut self, queue: &mut QueueState<'a>, piece: &Frame<'a>) {
        for span in core::mem::take(&mut queue.spans) {
            if span.place.buffer != piece.buffer {
                queue.spans.push(span);
                continue;
            }
            match follow(span, piece.rest(), After::of(piece, self.options.partial)) {
                Following::Whole => {}
                Following::Open(span) => queue.spans.push(span),
                Following::Broken(text) => self.bad_span(queue, span, text),
            }
        }
    }

    fn bad_span(&mut self, queue: &QueueState<'a>, span: Span, text: String) {
        let verdict = Verdict::new(text).field("exec_count").help("set exec_count to the sum of the dwords of the packets that it covers");
        self.report(queue, span.place, span.packet, &rules::BAD_SPAN, verdict);
    }
}
