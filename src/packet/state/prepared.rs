//! State that is encoded once and bound by copying.

use crate::chip::Gfx;
use crate::packet::read::packet::Packet;
use crate::packet::rules::firmware::Firmware;
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::effect_kinds::is_state;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::windows::GRBM_GFX_INDEX;
use crate::packet::write::buffer::Buffer;
use crate::packet::write::lists::RegisterList;
use crate::packet::write::position::StateVersion;
use crate::packet::write::writer::{Stream, Writer};
use crate::packet::write::writer_options::WriterOptions;
use alloc::vec::Vec;

/// Registers as finished packets. Binding copies them; binding again copies only the packets whose registers changed since, and nothing at all when none did
/// and nothing else touched registers in between.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{PreparedState, Queue, RegisterList, Stream, layouts::DrawInitiator};
/// # #[cfg(feature = "gfx11")] {
/// let mut list: RegisterList = [(0x28000, 1), (0x28004, 2), (0x28100, 3)].into_iter().collect();
/// let mut state = PreparedState::new(Gfx::Gfx11, Queue::Graphics, &mut list)?;
/// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
/// state.bind(&mut stream)?;
/// assert_eq!(stream.len(), 4 + 3);
/// stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?;
/// state.bind(&mut stream)?; // nothing changed
/// assert_eq!(stream.len(), 4 + 3 + 3);
/// state.set(0x28100, 4);
/// state.bind(&mut stream)?; // one packet changed
/// assert_eq!(stream.words()[10..], [0xC001_6900, 0x40, 4]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PreparedState {
    gfx: Gfx,
    queue: Queue,
    words: Vec<u32>,
    runs: Vec<Run>,
    /// Whether some packets are for registers with an index.
    indexed: bool,
    /// One bit per run; the last bit is shared by all later runs.
    dirty: u64,
    bound: Option<StateVersion>,
    /// Whether some registers are also the state of draws and other packets.
    of_draws: bool,
    /// Where the value of GRBM_GFX_INDEX is, if it is among the registers: later writes reach the instances that it selects.
    selects: Option<usize>,
}

/// A packet of a prepared state.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u32,
    dwords: u32,
    /// The byte address of the first register of the packet.
    addr: u32,
}

/// The run whose bit is shared by all later runs.
const LAST_BIT: usize = 63;

impl PreparedState {
    /// Encodes the registers of a list as runs, registers with an index alone.
    ///
    /// # Errors
    /// The errors of [`Writer::set_list`].
    pub fn new(gfx: Gfx, queue: Queue, list: &mut RegisterList) -> Result<Self, WriteError> {
        Self::for_firmware(gfx, queue, Firmware::default(), list)
    }

    /// Encodes the registers for this firmware: old microcode of GFX9 has no packets for registers with an index.
    ///
    /// # Errors
    /// The errors of [`Writer::set_list`].
    pub fn for_firmware(gfx: Gfx, queue: Queue, firmware: Firmware, list: &mut RegisterList) -> Result<Self, WriteError> {
        let mut stream = Stream::growable(gfx, queue);
        stream.set_options(WriterOptions { firmware, ..WriterOptions::runs() });
        stream.set_list(list)?;
        let words = stream.into_buffer();
        let packets = crate::packet::Reader::new(&words).flatten();
        let runs = packets.map(|p| Run { start: p.offset as u32, dwords: p.dwords() as u32, addr: p.writes(gfx).next().map_or(0, |w| w.addr) }).collect();
        let needs_index = |p: Packet<'_>| matches!(p.opcode(), Some(Opcode::SET_UCONFIG_REG_INDEX | Opcode::SET_SH_REG_INDEX));
        let indexed = crate::packet::Reader::new(&words).flatten().any(needs_index);
        let of_draws = crate::packet::Reader::new(&words).flatten().flat_map(|p| p.writes(gfx)).any(|w| is_state(gfx, w.addr));
        let selects = crate::packet::Reader::new(&words).flatten().flat_map(|p| p.writes(gfx)).filter(|w| w.addr == GRBM_GFX_INDEX).map(|w| w.dword).last();
        Ok(Self { gfx, queue, words, runs, indexed, dirty: 0, bound: None, of_draws, selects })
    }

    /// Changes a register of the state. Returns whether the state has this register. A register with an index keeps it.
    pub fn set(&mut self, addr: u32, value: u32) -> bool {
        let at = self.runs.partition_point(|r| r.addr <= addr);
        let Some((number, run)) = at.checked_sub(1).and_then(|n| Some((n, self.runs.get(n)?))) else { return false };
        let place = (addr - run.addr) as usize / 4;
        if addr & 3 != 0 || place + 2 >= run.dwords as usize {
            return false;
        }
        let Some(word) = self.words.get_mut(run.start as usize + 2 + place) else { return false };
        if *word != value {
            *word = value;
            self.dirty |= 1 << number.min(LAST_BIT);
        }
        true
    }

    /// Returns the packets of the state.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Brings the registers to this state.
    ///
    /// # Errors
    /// [`NotAvailable`](WriteError::NotAvailable) for a stream of another generation or queue, [`MeFeature`](WriteError::MeFeature) for one of older firmware
    /// than the state was encoded for, [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    #[inline]
    pub fn bind<B: Buffer>(&mut self, writer: &mut Writer<B>) -> Result<(), WriteError> {
        if self.bound.is_some_and(|bound| writer.state().still(bound, self.of_draws)) {
            if self.dirty == 0 {
                return Ok(());
            }
            return self.bind_changes(writer);
        }
        if writer.gfx() != self.gfx || writer.queue() != self.queue {
            return Err(WriteError::NotAvailable { packet: self.opcode(), queue: writer.queue(), gfx: writer.gfx() });
        }
        self.runs_on(writer)?;
        if writer.bypasses_filter() {
            return self.bind_to_instances(writer);
        }
        writer.append(&self.words, Opcode::SET_CONTEXT_REG)?;
        self.dirty = 0;
        self.bind_to(writer);
        Ok(())
    }

    /// Writes all packets with the header that register writes to some instances need; later binds write them again.
    #[cold]
    fn bind_to_instances<B: Buffer>(&mut self, writer: &mut Writer<B>) -> Result<(), WriteError> {
        self.bound = None;
        if writer.buffer.room() < self.words.len() {
            return Err(writer.full(self.opcode(), self.words.len()));
        }
        writer.all_or_nothing(|writer| {
            for packet in crate::packet::Reader::new(&self.words).flatten() {
                writer.begin_packet(packet.header.with_reset_filter_cam(true), packet.dwords())?;
                writer.continued(packet.body);
            }
            if let Some(value) = self.selects.and_then(|at| self.words.get(at)) {
                writer.select_instances(*value);
            }
            Ok(())
        })
    }

    /// Writes the packets whose bit is set.
    fn bind_changes<B: Buffer>(&mut self, writer: &mut Writer<B>) -> Result<(), WriteError> {
        let part = |run: &Run| run.start as usize..(run.start + run.dwords) as usize;
        while self.dirty != 0 {
            let bit = self.dirty.trailing_zeros() as usize;
            let Some(run) = self.runs.get(bit) else { break };
            let words = if bit == LAST_BIT { run.start as usize..self.words.len() } else { part(run) };
            if let Err(error) = writer.append(&self.words[words], self.opcode()) {
                // What is written counts, the rest stays marked.
                self.bind_to(writer);
                return Err(error);
            }
            self.dirty &= self.dirty - 1;
        }
        self.bind_to(writer);
        Ok(())
    }

    /// The registers hold the state, unless it is in a range that may be skipped.
    #[inline]
    fn bind_to<B: Buffer>(&mut self, writer: &mut Writer<B>) {
        if let Some(value) = self.selects.and_then(|at| self.words.get(at)) {
            writer.select_instances(*value);
        }
        let state = writer.state_changed();
        self.bound = (!writer.in_span()).then_some(state);
    }

    /// Checks that the firmware of the stream has the packets.
    fn runs_on<B: Buffer>(&self, writer: &Writer<B>) -> Result<(), WriteError> {
        if self.indexed { writer.runs(Opcode::SET_UCONFIG_REG_INDEX) } else { Ok(()) }
    }

    fn opcode(&self) -> Opcode {
        self.words.first().map_or(Opcode::SET_CONTEXT_REG, |h| Header(*h).opcode())
    }
}
