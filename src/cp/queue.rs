//! What a queue carries from packet to packet.

use super::ahead::Ahead;
use super::history::History;
use super::memory::Words;
use super::pipe::Pipe;
use super::place::{BufferId, Origin, Place, QueueId};
use super::predicate::Predicate;
use super::registers::RegisterFile;
use super::rolls::Contexts;
use super::wait::Block;
use crate::chip::Chip;
use crate::packet::{Opcode, Queue, Reader};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// State of one queue: its registers, and where it stands in its buffers.
#[derive(Debug)]
pub(super) struct QueueState<'a> {
    pub id: QueueId,
    pub queue: Queue,
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
    /// Dwords to skip before the next packet.
    pub skip: usize,
    /// How often the queue went on elsewhere than with the next packet.
    pub turns_off: u64,
    /// What stands ahead, since somebody asked.
    pub ahead: Option<Ahead>,
    /// Conditional spans of a stream that comes in pieces whose end has not come.
    pub spans: Vec<Span>,
    /// Words of a stream that comes in pieces which are no whole packet for a queue that is out of step: they wait for the next piece.
    pub carry: Option<Carry>,
    /// The chain with which a stream that comes in pieces was left: what comes of it never runs.
    pub left: Option<Left>,
}

/// A buffer that runs, from submission or call to its end, through all its chains.
#[derive(Debug)]
pub(super) struct Frame<'a> {
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
    /// It is a ring, or a piece of one: the level from which command buffers are started.
    pub ring: bool,
    /// GPU addresses that chains of this frame have jumped to, and the one it began at.
    pub entered: BTreeSet<u64>,
}

/// A conditional span: the packet that makes it, and the dwords that it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub place: Place,
    pub packet: Option<&'static str>,
    pub dwords: usize,
    /// Those that have come.
    pub come: usize,
    /// Those up to the first packet that does not begin among them.
    pub at: usize,
}

/// The end of a piece of a stream.
#[derive(Debug, Clone)]
pub(super) struct Carry {
    pub buffer: BufferId,
    /// Dwords from the start of the stream.
    pub base: usize,
    pub words: Vec<u32>,
}

/// A stream that was left by a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    /// Where the chain stands.
    pub place: Place,
    pub packet: Option<&'static str>,
    /// Where it goes.
    pub addr: u64,
    /// Packets of padding that it still looks through for others.
    pub look: usize,
}

impl<'a> Frame<'a> {
    pub fn new(buffer: BufferId, base: usize, words: Words<'a>, addr: Option<u64>) -> Self {
        Self { buffer, base, words, offset: 0, addr, open: false, stale: false, ring: false, entered: addr.into_iter().collect() }
    }

    /// The place of a dword of the words.
    pub fn place(&self, offset: usize) -> Place {
        Place { buffer: self.buffer, dword: u32::try_from(self.base + offset).unwrap_or(u32::MAX) }
    }

    /// What has not been read.
    pub fn rest(&self) -> &[u32] {
        self.words.as_slice().get(self.offset..).unwrap_or_default()
    }

    /// Whether all packets have run.
    pub fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    /// Whether nothing stands at and behind an offset but padding, as far as it looks: then how many packets of the look are left.
    pub fn padding_from(&self, offset: usize, look: usize) -> Option<usize> {
        let rest = self.words.as_slice().get(offset..).unwrap_or_default();
        Reader::new(rest).take(look).try_fold(look, |left, next| next.is_ok_and(|packet| packet.opcode() == Some(Opcode::NOP)).then(|| left - 1))
    }
}

impl<'a> QueueState<'a> {
    pub fn new(chip: Chip, id: QueueId, queue: Queue) -> Self {
        Self {
            id,
            queue,
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
            skip: 0,
            turns_off: 0,
            ahead: None,
            spans: Vec::new(),
            left: None,
            carry: None,
        }
    }

    /// Where the queue goes on: buffer and dword of the next packet. None when nothing is left.
    pub fn next(&self) -> Option<(BufferId, usize)> {
        let open = self.frames.iter().rev().chain(&self.pending).find(|frame| !frame.is_done())?;
        Some((open.buffer, open.base + open.offset))
    }

    /// Whether the packet at hand stands in a ring.
    pub fn in_ring(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.ring)
    }

    /// How deep the calls of command buffers are nested at the packet at hand; what a ring starts is no call.
    pub fn depth(&self) -> usize {
        let rings = usize::from(self.frames.first().is_some_and(|frame| frame.ring));
        self.frames.len().saturating_sub(1 + rings)
    }

    /// The packet at `place`, which is the one being executed.
    pub fn origin(&self, place: Place) -> Origin {
        Origin { place, packet: self.packets }
    }

    /// Drops everything that has not run.
    pub fn drop_rest(&mut self) {
        self.pending.clear();
        self.frames.clear();
        self.block = None;
        self.skip = 0;
    }

    /// The frames that have not run to their end, in the order in which they will.
    pub fn ahead(&self) -> impl Iterator<Item = &Frame<'a>> {
        self.frames.iter().rev().chain(&self.pending)
    }
}
