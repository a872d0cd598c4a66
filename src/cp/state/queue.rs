//! What a queue carries from packet to packet.

use crate::chip::Chip;
use crate::cp::state::address_ranges::AddressRanges;
use crate::cp::state::aql::AqlState;
use crate::cp::state::block::Block;
use crate::cp::state::history::{Before, DrawState, History};
use crate::cp::state::memory::Words;
use crate::cp::state::pipe::Pipe;
use crate::cp::state::place::{BufferId, Origin, Place, QueueId};
use crate::cp::state::predicate::Predicate;
use crate::cp::state::registers::{RegisterFile, RegisterState};
use crate::cp::state::remembered::{CleanRules, Remembered};
use crate::cp::state::rolls::{Contexts, RollSource};
use crate::packet::{Header, Opcode, Packet, Queue, Reader};
use crate::queues::{QueueFamily, Version};
use crate::regs::Space;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::mem;

/// State of one queue: its registers, and where it is in its buffers.
#[derive(Debug, Clone)]
pub(in crate::cp) struct QueueState<'a> {
    pub id: QueueId,
    pub queue: Queue,
    /// The version of its packets, of a queue of SDMA.
    pub sdma: Option<Version>,
    /// The packet processor, of a queue of AQL: its ring is the lowest frame, and what its packets call runs above it.
    pub aql: Option<AqlState>,
    /// What packets of SDMA have written, as far as nothing has waited for it.
    pub unfinished: AddressRanges,
    /// A packet has waited in this run: for memory, a register, a signal or another engine.
    pub has_waited: bool,
    pub registers: RegisterFile,
    /// Submitted buffers that have not begun.
    pub pending: VecDeque<Frame<'a>>,
    /// The running buffer on top, below it the buffers that called it.
    pub frames: Vec<Frame<'a>>,
    pub packets: u64,
    pub draws: u64,
    pub contexts: Contexts,
    /// What waits for the end of the pipe.
    pub pipe: Pipe,
    /// What the queue waits for.
    pub block: Option<Block>,
    pub predicate: Predicate,
    pub history: History,
    /// What is remembered of the registers of the last draw.
    pub draw_state: DrawState,
    /// The same by what the registers held that it depends on.
    pub draw_states: Remembered<DrawState>,
    /// Where rules on draws have found nothing.
    pub clean: CleanRules,
    /// No rule has found anything in a NOP of one dword, and none would: buffers are padded with them.
    pub clean_padding: bool,
    /// Dwords to skip before the next packet.
    pub skip: usize,
    /// How often the queue continued elsewhere than with the next packet.
    pub turns_off: u64,
    /// WRITE_DATA packets ahead that PFP has executed already, by their numbers in the queue.
    pub written_ahead: BTreeSet<u64>,
    /// Waits of PFP that had ended when PFP ran ahead of them, by number: what it wrote after them cannot hold them up.
    pub waited_ahead: BTreeSet<u64>,
    /// Conditional spans, of a stream in pieces, whose end was not fed yet.
    pub spans: Vec<Span>,
    /// Words of a stream in pieces that are not a whole packet for a queue that is out of sync: they wait for the next piece.
    pub carry: Option<Carry>,
    /// Words of 0 that the queue goes through, up to the end of their buffer or of what was fed of it.
    pub unwritten: Option<Unwritten>,
    /// The chain that left a stream in pieces: later pieces of the stream never run.
    pub left: Option<Left>,
    /// Packets that may not run.
    pub doubt: Doubt,
    /// What may end a loop, so far: jumps to other buffers that a condition might have skipped, and REWIND, which fetches packets again.
    pub guards: u64,
}

/// Packets that run or not by a condition that the model does not know. It executes them: among them their registers hold what they write; after them, what
/// they have changed is unknown.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Doubt {
    /// Unknown conditions on which the last packet depended.
    pub conditions: Conditions,
    /// Ranges that have ended so far.
    pub ended: u64,
    /// The packet before those under the innermost condition.
    pub before: Before,
    /// Registers that packets under the innermost condition have written, by byte address, with what was known before.
    pub registers: BTreeMap<u32, RegisterState>,
    /// Ranges that continue in the next piece of a stream, from its start on.
    pub open: Vec<usize>,
}

/// Unknown conditions on which a packet depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::cp) struct Conditions {
    /// Ranges that may not run, one inside the other.
    pub ranges: usize,
    /// How many ranges have ended so far. Where the number has changed, other ranges are open now.
    pub ended: u64,
    /// The packet has the predicate bit.
    pub predicate: bool,
}

impl Conditions {
    pub fn count(self) -> usize {
        self.ranges + usize::from(self.predicate)
    }
}

/// A buffer that runs, from submission or call to its end, through all its chains.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Frame<'a> {
    pub buffer: BufferId,
    /// Dwords from the start of the buffer to the first of `words`.
    pub base: usize,
    pub words: Words<'a>,
    /// Dwords of `words` that have been read.
    pub offset: usize,
    /// GPU address of the first of `words`.
    pub addr: Option<u64>,
    /// More of the buffer follows in the next frame of the queue.
    pub open: bool,
    /// Its words are to be fetched again, from memory.
    pub stale: bool,
    /// Where packets ahead start, as far as a conditional span has asked for it.
    pub starts: VecDeque<usize>,
    /// It is a ring, or a piece of one: the level from which command buffers are started.
    pub ring: bool,
    /// GPU addresses that chains of this frame have jumped to, and the one it began at, with the `guards` of the queue until then.
    pub entered: BTreeMap<u64, u64>,
    /// Ends of the ranges that may not run, as dwords of `words`, each inside the one before; `usize::MAX` for all of the frame.
    pub doubts: Vec<usize>,
    /// End of the conditional spans so far, as dwords of `words`.
    pub spans_end: usize,
    /// The packet that leads to it says how long it is.
    pub sized: bool,
    /// The caller says that the command processor was given all of its words.
    pub executed: bool,
    /// Dwords of `words` up to the last one that is not 0, once they were searched.
    pub written: Option<usize>,
    /// Beside the frame or after its words something runs that the model does not see.
    pub lost_after: bool,
}

/// A conditional span: the packet that makes it, and the dwords that it covers.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Span {
    pub place: Place,
    pub packet: Option<&'static str>,
    pub dwords: usize,
    /// Those that were fed.
    pub fed: usize,
    /// Those up to the first packet that does not begin among them.
    pub at: usize,
}

/// The end of a piece of a stream.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Carry {
    pub buffer: BufferId,
    /// Dwords from the start of the stream.
    pub base: usize,
    pub words: Vec<u32>,
}

/// Words of 0 up to the end of the known part of a buffer.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Unwritten {
    /// The first of them.
    pub place: Place,
    /// Those before the running words, of a stream in pieces.
    pub before: usize,
    /// They were reported.
    pub reported: bool,
}

/// A stream that was left by a chain.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Left {
    /// Where the chain is.
    pub place: Place,
    pub packet: Option<&'static str>,
    /// Where it goes.
    pub addr: u64,
    /// Packets of padding that it still looks through for others.
    pub look: usize,
}

impl<'a> Frame<'a> {
    pub fn new(buffer: BufferId, base: usize, words: Words<'a>, addr: Option<u64>) -> Self {
        let mut entered = BTreeMap::new();
        entered.extend(addr.map(|addr| (addr, 0)));
        let starts = VecDeque::new();
        Self {
            buffer,
            base,
            words,
            offset: 0,
            addr,
            open: false,
            stale: false,
            starts,
            ring: false,
            entered,
            doubts: Vec::new(),
            spans_end: 0,
            sized: false,
            executed: false,
            written: None,
            lost_after: false,
        }
    }

    /// Returns the place of a dword of the words.
    pub fn place(&self, offset: usize) -> Place {
        Place { buffer: self.buffer, dword: u32::try_from(self.base + offset).unwrap_or(u32::MAX) }
    }

    /// What has not been read.
    pub fn rest(&self) -> &[u32] {
        self.words.as_slice().get(self.offset..).unwrap_or_default()
    }

    /// Dwords from `start`, where a packet begins, to the first one that does not begin among the next `dwords`; to the end of the words where they end before.
    /// Spans that are in each other go through their packets once.
    pub fn span_end(&mut self, start: usize, dwords: usize) -> usize {
        let (words, end) = (self.words.as_slice(), start.saturating_add(dwords));
        while self.starts.front().is_some_and(|at| *at < start) {
            self.starts.pop_front();
        }
        if self.starts.front() != Some(&start) {
            self.starts.clear();
            self.starts.push_back(start);
        }
        while let Some(last) = self.starts.back().copied().filter(|last| *last < end)
            && let Some(header) = words.get(last)
        {
            self.starts.push_back(last + Header(*header).dwords());
        }
        let found = self.starts.get(self.starts.partition_point(|at| *at < end)).or(self.starts.back());
        found.map_or(0, |at| at - start)
    }

    /// Other words are ahead now.
    pub fn forget_words(&mut self) {
        self.starts.clear();
        self.written = None;
    }

    /// Returns whether all words from an offset on are 0: memory that nothing was written to, as in a buffer that was dumped whole.
    pub fn is_unwritten(&mut self, offset: usize) -> bool {
        let words = self.words.as_slice();
        offset >= *self.written.get_or_insert_with(|| words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1))
    }

    /// Returns whether all packets have run.
    pub fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    /// Returns how many of `most` packets were not needed, if the next packets from an offset on, at most `most`, are all padding; otherwise None. Words of 0 up
    /// to the end count as padding.
    pub fn padding_from(&mut self, offset: usize, most: usize) -> Option<usize> {
        // Cheap for the words of a caller; a count for those that the model keeps.
        let words = self.words.clone();
        let mut left = most;
        for next in Reader::new(words.as_slice().get(offset..).unwrap_or_default()).take(most) {
            let at = next.map_or_else(|damage| damage.offset, |packet| packet.offset);
            if self.is_unwritten(offset + at) {
                break;
            }
            if !next.is_ok_and(|packet| is_padding(&packet)) {
                return None;
            }
            left -= 1;
        }
        Some(left)
    }
}

fn is_padding(packet: &Packet<'_>) -> bool {
    packet.opcode() == Some(Opcode::NOP) || packet.header.packet_type() == 2
}

impl<'a> QueueState<'a> {
    /// Rules on draws are judged again at the next draw, whatever the registers hold.
    pub fn judge_all(&mut self) {
        self.registers.watched().touch_all();
        (self.clean, self.draw_states, self.clean_padding) = Default::default();
    }

    /// Takes over the states in which rules have found nothing, from a queue of another model with the same chip, rules and
    /// settings. All rules are asked at the first draw.
    pub fn take_clean(&mut self, other: &mut QueueState<'_>) {
        self.clean = mem::take(&mut other.clean);
        self.draw_states = mem::take(&mut other.draw_states);
        self.clean_padding = other.clean_padding;
        mem::swap(self.registers.watched(), other.registers.watched());
        self.registers.watched().touch_all();
    }

    pub fn new(chip: Chip, id: QueueId, queue: Queue) -> Self {
        Self {
            id,
            queue,
            sdma: None,
            aql: None,
            unfinished: AddressRanges::default(),
            has_waited: false,
            registers: RegisterFile::new(chip),
            pending: VecDeque::new(),
            frames: Vec::new(),
            packets: 0,
            draws: 0,
            contexts: Contexts::default(),
            pipe: Pipe::default(),
            block: None,
            predicate: Predicate::default(),
            history: History::default(),
            draw_state: DrawState::default(),
            draw_states: Remembered::default(),
            clean: CleanRules::default(),
            clean_padding: false,
            skip: 0,
            turns_off: 0,
            written_ahead: BTreeSet::new(),
            waited_ahead: BTreeSet::new(),
            spans: Vec::new(),
            unwritten: None,
            left: None,
            carry: None,
            doubt: Doubt::default(),
            guards: 0,
        }
    }

    /// Its packets are those of a version of SDMA or AQL. What the registers of a queue of AQL hold at its start, programs do not say.
    pub fn read_as(&mut self, version: Version) {
        match version.family() {
            QueueFamily::Sdma => self.sdma = Some(version),
            _ => {
                self.aql = Some(AqlState::new(version));
                self.registers.forget();
                self.history.forget();
            }
        }
    }

    /// Something that the model has not seen has run on the queue.
    pub fn forget_past(&mut self) {
        self.registers.forget();
        self.history.forget();
        self.predicate = Predicate::Unknown;
    }

    /// Where the queue continues: buffer and dword of the next packet. None when nothing is left.
    pub fn next(&self) -> Option<(BufferId, usize)> {
        let open = self.frames.iter().rev().chain(&self.pending).find(|frame| !frame.is_done())?;
        Some((open.buffer, open.base + open.offset))
    }

    /// Returns the place of the next packet if there is one.
    pub fn place(&self) -> Option<Place> {
        self.next().map(|(buffer, dword)| Place { buffer, dword: u32::try_from(dword).unwrap_or(u32::MAX) })
    }

    /// Returns whether the current packet is in a ring.
    pub fn in_ring(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.ring)
    }

    /// How deep the calls of command buffers are nested at the current packet; what a ring starts is not a call.
    pub fn depth(&self) -> usize {
        let rings = usize::from(self.frames.first().is_some_and(|frame| frame.ring));
        self.frames.len().saturating_sub(1 + rings)
    }

    /// Returns the packet at `place`, which is the one being executed.
    pub fn origin(&self, place: Place) -> Origin {
        Origin { place, packet: self.packets }
    }

    /// A register gets a value that is not known; a context register takes a context like any other write.
    pub fn lose_register(&mut self, addr: u32, origin: Origin) {
        if Space::of(addr) == Some(Space::Context) {
            self.contexts.write(RollSource::Write);
            self.contexts.record_write(addr, true);
        }
        self.registers.load(addr, origin);
    }

    /// Conditions that the model does not know and on which a packet depends, the next one of the running buffer: its ranges, and the predicate.
    pub fn conditions(&mut self, header: Header) -> Conditions {
        let predicate = header.is_predicated() && self.predicate == Predicate::Unknown;
        let Some(frame) = self.frames.last_mut() else { return Conditions { ranges: 0, ended: self.doubt.ended, predicate } };
        let before = frame.doubts.len();
        frame.doubts.retain(|end| *end > frame.offset);
        self.doubt.ended += (before - frame.doubts.len()) as u64;
        Conditions { ranges: frame.doubts.len(), ended: self.doubt.ended, predicate }
    }

    /// Returns whether a conditional span covers the next packet, whatever its condition.
    pub fn in_span(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.offset < frame.spans_end)
    }

    /// Returns whether the current packet may not run: it depends on a condition that the model does not know.
    pub fn may_not_run(&self) -> bool {
        self.doubt.conditions.count() > 0
    }

    /// Returns whether the predicate drops a packet.
    pub fn drops(&self, header: Header) -> bool {
        header.is_predicated() && self.predicate.skips()
    }

    /// Returns whether plain packets may run without a look at conditions.
    pub fn is_plain(&self) -> bool {
        self.doubt.registers.is_empty() && self.frames.last().is_none_or(|frame| frame.doubts.is_empty())
    }

    /// Drops everything that has not run.
    pub fn drop_rest(&mut self) {
        self.pending.clear();
        self.frames.clear();
        self.block = None;
        self.skip = 0;
        self.unwritten = None;
    }

    /// Returns the frames of PM4 that have not run to their end, in the order in which they will.
    pub fn ahead(&self) -> impl Iterator<Item = &Frame<'a>> {
        self.frames.iter().rev().chain(&self.pending).filter(|_| self.is_pm4())
    }

    /// Returns whether its packets are those of PM4.
    pub fn is_pm4(&self) -> bool {
        self.sdma.is_none() && self.aql.is_none()
    }

    /// Returns the version of its packets, where the next one is of AQL and not of the PM4 that a packet has called.
    pub fn next_is_aql(&self) -> Option<Version> {
        self.aql.filter(|_| self.frames.len() <= 1).map(|aql| aql.version)
    }
}
