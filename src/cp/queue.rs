//! What a queue carries from packet to packet.

use super::place::{BufferId, Origin, Place};
use super::registers::RegisterFile;
use crate::chip::Gfx;
use crate::packet::{Opcode, Packet, Queue, Reader};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// State of one queue: its registers, and where it stands in its buffers.
#[derive(Debug)]
pub(super) struct QueueState<'a> {
    pub queue: Queue,
    pub registers: RegisterFile,
    /// Submitted buffers that have not begun.
    pub pending: VecDeque<Frame<'a>>,
    /// The running buffer on top, below it the buffers that called it.
    pub frames: Vec<Frame<'a>>,
    pub packets: u64,
    pub draws: u64,
    pub rolls: ContextRolls,
}

/// A buffer that runs, from submission or call to its end, through all its chains.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub buffer: BufferId,
    /// Dwords from the start of the buffer to the words of the reader.
    pub base: usize,
    pub reader: Reader<'a>,
    /// GPU addresses that chains of this frame have jumped to, and the one it began at.
    pub entered: BTreeSet<u64>,
}

impl<'a> Frame<'a> {
    pub fn new(buffer: BufferId, base: usize, words: &'a [u32], addr: Option<u64>) -> Self {
        Self { buffer, base, reader: Reader::new(words), entered: addr.into_iter().collect() }
    }

    /// The place of a dword of the reader.
    pub fn place(&self, offset: usize) -> Place {
        Place { buffer: self.buffer, dword: u32::try_from(self.base + offset).unwrap_or(u32::MAX) }
    }

    /// Whether all packets have run.
    pub fn is_done(&self) -> bool {
        self.reader.clone().next().is_none()
    }

    /// Whether nothing follows but padding, as far as it looks.
    pub fn at_end(&self) -> bool {
        self.reader.clone().take(64).all(|next| next.is_ok_and(|packet| packet.opcode() == Some(Opcode::NOP)))
    }

    /// The packet with its offset from the start of the buffer.
    pub fn located(&self, packet: Packet<'a>) -> Packet<'a> {
        Packet { offset: self.base + packet.offset, ..packet }
    }
}

impl QueueState<'_> {
    pub fn new(gfx: Gfx, queue: Queue) -> Self {
        Self { queue, registers: RegisterFile::new(gfx), pending: VecDeque::new(), frames: Vec::new(), packets: 0, draws: 0, rolls: ContextRolls::default() }
    }

    /// Where the queue goes on: buffer and dword of the next packet. None when nothing is left.
    pub fn next(&self) -> Option<(BufferId, usize)> {
        let open = self.frames.iter().rev().chain(&self.pending).find(|frame| !frame.is_done())?;
        Some((open.buffer, open.base + open.reader.offset()))
    }

    /// The packet at `place`, which is the one being executed.
    pub fn origin(&self, place: Place) -> Origin {
        Origin { place, packet: self.packets }
    }
}

/// Counts context rolls: the first context write after a draw used the current context takes a new one. A write of the value that is already there rolls
/// too (Mesa 25.0.7 ac_gather_context_rolls.c).
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ContextRolls {
    pub count: u64,
    used: bool,
}

impl ContextRolls {
    pub fn draw(&mut self) {
        self.used = true;
    }

    pub fn write(&mut self) {
        self.count += u64::from(self.used);
        self.used = false;
    }
}
