//! Calls and chains.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::block::Test;
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Found, Words, address, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::predicate::Predicate;
use crate::cp::state::queue::{Frame, Left, QueueState};
use crate::packet::{Packet, Queue};
use crate::plurals::counted;
use alloc::format;

/// The control dword of INDIRECT_BUFFER.
struct Target {
    addr: u64,
    dwords: u32,
    chain: bool,
    /// COND_INDIRECT_BUFFER decides whether it is called.
    conditional: bool,
    /// An earlier packet, or predication, may skip the packet.
    guarded: bool,
}

impl Target {
    fn of(packet: &Packet<'_>) -> Option<Self> {
        let &[lo, hi, control] = packet.body else { return None };
        let addr = canonical(u64::from(hi) << 32 | u64::from(lo));
        Some(Self { addr, dwords: control & 0xF_FFFF, chain: control >> 20 & 1 == 1, conditional: false, guarded: false })
    }

    fn verb(&self) -> &'static str {
        if self.chain { "chains to" } else { "calls" }
    }
}

/// The most packets after a chain to search for anything but padding.
const LOOK: usize = 64;

impl<'a> Engine<'_, 'a> {
    /// INDIRECT_BUFFER: continues in another buffer, and returns unless it is a chain.
    pub fn indirect_buffer(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let Some(mut target) = Target::of(packet) else { return Flow::Next };
        target.guarded = packet.header.is_predicated() && queue.predicate != Predicate::Clear || queue.in_span();
        let name = packet.name(self.gfx);
        let addr = target.addr;
        if target.chain && target.dwords > 0 {
            // If the chain may be skipped, the packets after it are for that case.
            let look = if target.guarded { 0 } else { LOOK };
            self.leave(queue, Left { place, packet: name, addr, look }, packet.dwords());
        }
        self.go(queue, place, packet, &target)
    }

    /// Leaves the buffer at a chain: only padding may follow. For a stream in pieces, the rest is checked when it is fed.
    fn leave(&mut self, queue: &mut QueueState<'a>, left: Left, dwords: usize) {
        let Some(frame) = queue.frames.last_mut() else { return };
        let (padding, open) = (frame.padding_from(frame.offset + dwords, left.look), frame.open);
        if padding.is_none() {
            self.chain_not_last(queue, left);
        }
        if open {
            queue.left = Some(Left { look: padding.unwrap_or(0), ..left });
        }
    }

    fn chain_not_last(&mut self, queue: &QueueState<'a>, left: Left) {
        let addr = left.addr;
        let verdict = Verdict::new(format!("the packet chains to 0x{addr:012x} and does not return, but more packets follow it: they never run"))
            .help("end the buffer here, or clear bit 20 (CHAIN) to make it a call");
        self.report(queue, left.place, left.packet, &rules::CHAIN_NOT_LAST, verdict);
    }

    /// Begins the next buffer of a queue, or the next piece of a stream.
    pub fn begin(&mut self, queue: &mut QueueState<'a>, mut frame: Frame<'a>) {
        // Spans in earlier pieces may cover packets of this one, and so may the rest of the last packet.
        let covered = queue.spans.iter().filter(|span| span.place.buffer == frame.buffer).map(|span| span.dwords - span.fed).max().unwrap_or(0);
        self.follow_spans(queue, &frame);
        let mut carried = 0;
        if let Some(carry) = queue.carry.take_if(|carry| carry.buffer == frame.buffer) {
            carried = carry.words.len();
            let words = [&carry.words, frame.words.as_slice()].concat();
            frame = Frame {
                open: frame.open,
                ring: frame.ring,
                executed: frame.executed,
                ..Frame::new(carry.buffer, carry.base, Words::Shared(words.into()), None)
            };
        }
        self.follow_unwritten(queue, &mut frame);
        match queue.left.filter(|left| left.place.buffer == frame.buffer) {
            Some(left) => {
                let padding = frame.padding_from(0, left.look);
                queue.left = Some(Left { look: padding.unwrap_or(0), ..left });
                if padding.is_none() {
                    self.chain_not_last(queue, left);
                }
            }
            None => {
                frame.entered.values_mut().for_each(|guards| *guards = queue.guards);
                frame.spans_end = if covered > 0 { carried + covered } else { 0 };
                frame.doubts = core::mem::take(&mut queue.doubt.open);
                queue.frames.push(frame);
            }
        }
    }

    /// COND_INDIRECT_BUFFER: calls one of two buffers, depending on a 64-bit comparison with memory.
    pub fn conditional_buffer(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[control, lo, hi, mask_lo, mask_hi, ref_lo, ref_hi, lo1, hi1, size1, lo2, hi2, size2] = packet.body else { return Flow::Next };
        let compare = address(lo, hi);
        let wide = |lo: u32, hi: u32| u64::from(hi) << 32 | u64::from(lo);
        let test = Test { function: control >> 8 & 7, mask: wide(mask_lo, mask_hi), reference: wide(ref_lo, ref_hi), wide: true, signed: false };
        let low = self.read_dword(queue, place, packet, compare);
        let high = self.read_dword(queue, place, packet, compare + 4);
        let call = |lo, hi, size: u32| Target { addr: address(lo, hi), dwords: size & 0xF_FFFF, chain: false, conditional: true, guarded: false };
        let otherwise = control & 3 == 2;
        let value = low.zip(high).map(|(low, high)| wide(low, high));
        match test.answer(value) {
            Some(true) => self.go(queue, place, packet, &call(lo1, hi1, size1)),
            Some(false) if otherwise => self.go(queue, place, packet, &call(lo2, hi2, size2)),
            Some(false) => Flow::Next,
            // The first buffer is the main one; it may be skipped, and then the second one runs.
            None => {
                let flow = self.go(queue, place, packet, &call(lo1, hi1, size1));
                match queue.frames.last_mut().filter(|_| flow == Flow::Jumped) {
                    Some(frame) => {
                        frame.doubts.push(usize::MAX);
                        frame.lost_after |= otherwise;
                    }
                    None if otherwise => self.lose_everything(queue, place),
                    None => {}
                }
                flow
            }
        }
    }

    fn go(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, target: &Target) -> Flow {
        let (name, verb, addr, dwords) = (packet.name(self.gfx), target.verb(), target.addr, target.dwords);
        if dwords == 0 {
            let verdict = Verdict::new(format!("the packet {verb} 0x{addr:012x} with a size of 0 dwords"))
                .help("leave the packet out, or pad the buffer to 8 dwords with NOPs");
            self.report(queue, place, name, &rules::BAD_SIZE, verdict);
            return Flow::Next;
        }
        if let Some(guards) = queue.frames.iter().find_map(|frame| frame.entered.get(&addr)) {
            // PAL implements `while` as a loop with a condition inside it. REWIND fetches the loop again, which may have changed.
            let conditional = target.conditional || target.guarded || *guards < queue.guards;
            let verdict = if conditional {
                Verdict::new(format!("the packet {verb} 0x{addr:012x}, a buffer that is already running: the model does not follow loops"))
                    .severity(Severity::Warning)
            } else {
                Verdict::new(format!("the packet {verb} 0x{addr:012x}, a buffer that is already running: it never ends"))
            };
            let verdict = verdict.help("give the packet a separate buffer; a called buffer must not lead back to its caller");
            self.report(queue, place, name, &rules::TOO_DEEP, verdict);
            self.lose_everything(queue, place);
            return stop(queue, target.chain);
        }
        // The graphics queue and the constant engine have one call level.
        let levels = self.options.max_depth.unwrap_or(u32::from(queue.queue != Queue::Compute));
        // A ring starts command buffers; these are not calls.
        if !target.chain && !queue.in_ring() && queue.depth() >= levels as usize {
            let who = match queue.queue {
                Queue::Graphics => "the graphics queue",
                Queue::Compute => "a compute queue",
                Queue::Constant => "the constant engine",
            };
            let mut verdict = Verdict::new(match levels {
                _ if self.options.max_depth.is_some() => {
                    format!("the packet calls 0x{addr:012x} from call level {levels}, which is the limit that was set (max_depth)")
                }
                0 => format!("the packet calls 0x{addr:012x}, but {who} cannot call buffers"),
                _ => format!("the packet calls 0x{addr:012x} from a called buffer, but {who} has only one level of calls"),
            })
            .note("the model does not follow the call", None)
            .help("make the call the last packet of its buffer and set CHAIN (bit 20), or copy the packets into this buffer");
            if target.conditional {
                verdict = verdict.severity(Severity::Warning);
            }
            self.report(queue, place, name, &rules::TOO_DEEP, verdict);
            self.lose_everything(queue, place);
            return Flow::Next;
        }
        self.pfp_reads(queue, place, packet, addr, dwords.into());
        let Some(found) = self.memory.find(addr, dwords as usize) else {
            // Memory of unknown contents is not a mistake of the stream.
            if self.memory.mapped(addr, 4) > 0 {
                self.lose_everything(queue, place);
                return stop(queue, target.chain);
            }
            self.unmapped(
                queue,
                place,
                name,
                format!("the packet {verb} {} at 0x{addr:012x}, which nothing maps: what would run there is unknown", counted(dwords, "dword")),
            );
            self.lose_everything(queue, place);
            return stop(queue, target.chain);
        };
        let length = found.words.as_slice().len();
        if length < dwords as usize && self.memory.mapped(addr, 4 * u64::from(dwords)) < 4 * u64::from(dwords) {
            let end = addr + 4 * length as u64;
            let text =
                format!("the packet {verb} {} at 0x{addr:012x}, but the mapping there ends at 0x{end:012x}: the rest is unknown", counted(dwords, "dword"));
            self.unmapped(queue, place, name, text);
        }
        jump(queue, packet, target, found);
        if let Some(frame) = queue.frames.last_mut() {
            frame.lost_after |= length < dwords as usize;
        }
        Flow::Jumped
    }

    /// Runs a buffer for a packet of a queue other than PM4, and returns after it.
    pub fn call_buffer(&mut self, queue: &mut QueueState<'a>, place: Place, name: Option<&'static str>, addr: u64, dwords: u64) -> Flow {
        let Some(found) = self.memory.find(addr, dwords as usize) else {
            if self.memory.mapped(addr, 4) == 0 {
                let text = format!("the packet calls {} at 0x{addr:012x}, which nothing maps: what would run there is unknown", counted(dwords, "dword"));
                self.unmapped(queue, place, name, text);
            }
            self.memory.lose_all();
            return Flow::Next;
        };
        let mut frame = Frame::new(found.buffer, found.dword, found.words, Some(addr));
        frame.sized = true;
        queue.frames.push(frame);
        Flow::Jumped
    }

    fn unmapped(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>, text: alloc::string::String) {
        let severity = if self.options.closed_memory { Severity::Error } else { Severity::Info };
        let verdict = Verdict::new(text).severity(severity).help("map the buffer at this address, or check the address");
        self.report(queue, place, name, &rules::UNMAPPED, verdict);
    }
}

/// If a chain cannot be followed, the buffer ends anyway.
fn stop(queue: &mut QueueState<'_>, chain: bool) -> Flow {
    if !chain {
        return Flow::Next;
    }
    queue.frames.pop();
    Flow::Jumped
}

/// The most conditions of a caller to count individually: a chain of buffers would add to them without end.
const MOST_CONDITIONS: usize = 64;

fn jump<'a>(queue: &mut QueueState<'a>, packet: &Packet<'_>, target: &Target, found: Found<'a>) {
    let mut frame = Frame::new(found.buffer, found.dword, found.words, Some(target.addr));
    queue.guards += u64::from(target.conditional || target.guarded);
    frame.sized = true;
    // A buffer runs under the conditions of the packet that starts it.
    frame.doubts = alloc::vec![usize::MAX; queue.doubt.conditions.count().min(MOST_CONDITIONS)];
    if target.chain
        && let Some(left) = queue.frames.pop()
    {
        // If the chain may be skipped, the rest of its buffer runs.
        frame.lost_after = left.lost_after || !frame.doubts.is_empty();
        frame.ring = left.ring;
        frame.entered = left.entered;
    } else if let Some(caller) = queue.frames.last_mut() {
        caller.offset += packet.dwords();
    }
    frame.entered.insert(target.addr, queue.guards);
    queue.frames.push(frame);
}
