//! Appending packets to a buffer.

use super::author::{self, Closed, Open, PacketFields};
use super::body::{self, Body};
use super::buffer::{Buffer, Fixed};
use super::format::Scope;
use super::header::{Header, ShaderType};
use super::opcode::{Opcode, Queue};
use super::options::{Firmware, Options};
use super::rules;
use super::window::{self, COMPUTE_START, Window};
use super::write_error::WriteError;
use crate::chip::Gfx;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A stream in growing memory.
pub type Stream = Writer<Vec<u32>>;

/// The register writes that stand last in the buffer and can still grow.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Where their header stands.
    header: usize,
    /// Byte address of the register that would continue them.
    next: u32,
    /// Byte address at which they end in any case.
    end: u32,
}

/// Writes packets one after the other.
///
/// Register writes to consecutive addresses of one window become one SET packet: its header is patched as long as nothing else is written. A write that
/// fails changes nothing.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Queue, WriteError, Writer};
/// # #[cfg(feature = "gfx11")] {
/// let mut memory = [0; 4];
/// let mut writer = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
/// writer.set_reg(0x28000, 1)?;
/// writer.set_reg(0x28004, 2)?;
/// assert_eq!(writer.words(), [0xC002_6900, 0, 1, 2]);
/// assert!(matches!(writer.num_instances(1), Err(WriteError::Full { wanted: 2, room: 0, .. })));
/// # }
/// # Ok::<(), WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<B> {
    pub(super) buffer: B,
    gfx: Gfx,
    queue: Queue,
    run: Option<Run>,
    pub(super) predicate: bool,
    pub(super) chained: bool,
    /// Where the last packet starts.
    last: Option<usize>,
    options: Options,
    /// Which writer this is, and how often its registers changed: what a prepared state was bound to.
    state: (usize, u64),
}

/// How a writer stood.
#[derive(Debug)]
pub(super) struct Mark {
    len: usize,
    header: Option<(Run, u32)>,
    last: Option<usize>,
    chained: bool,
}

impl Mark {
    /// Dwords written then.
    pub const fn len(&self) -> usize {
        self.len
    }
}

/// Numbers writers.
static WRITERS: AtomicUsize = AtomicUsize::new(0);

impl Stream {
    /// A stream that grows.
    #[must_use]
    pub fn growable(gfx: Gfx, queue: Queue) -> Self {
        Self::new(gfx, queue, Vec::new())
    }
}

impl<'a> Writer<Fixed<'a>> {
    /// A stream in the caller's memory.
    #[must_use]
    pub fn fixed(gfx: Gfx, queue: Queue, memory: &'a mut [u32]) -> Self {
        Self::new(gfx, queue, Fixed::new(memory))
    }
}

impl<B: Buffer> Writer<B> {
    /// A stream that goes on behind what `buffer` holds.
    #[must_use]
    pub fn new(gfx: Gfx, queue: Queue, buffer: B) -> Self {
        Self {
            buffer,
            gfx,
            queue,
            run: None,
            predicate: false,
            chained: false,
            last: None,
            options: Options::default(),
            state: (WRITERS.fetch_add(1, Ordering::Relaxed), 0),
        }
    }

    /// All dwords written so far.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        self.buffer.words()
    }

    /// Number of dwords written so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words().len()
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words().is_empty()
    }

    /// The generation that the stream is for.
    #[must_use]
    pub const fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// The queue that the stream is for.
    #[must_use]
    pub const fn queue(&self) -> Queue {
        self.queue
    }

    /// What the writer was told of its surroundings.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Tells the writer of its surroundings.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
        self.run = None;
    }

    /// The firmware that the stream is for.
    pub(super) const fn firmware(&self) -> Firmware {
        self.options.firmware
    }

    /// The packet that was written last, from its header on.
    #[must_use]
    pub fn last_packet(&self) -> &[u32] {
        self.last.and_then(|at| self.words().get(at..)).unwrap_or_default()
    }

    /// Ends the writing.
    #[must_use]
    pub fn into_buffer(self) -> B {
        self.buffer
    }

    /// The next register write starts a packet of its own.
    pub fn break_run(&mut self) {
        self.run = None;
    }

    /// Draws that follow carry the predicate bit, or no longer do.
    ///
    /// # Errors
    /// [`WriteError::NotAvailable`] on compute queues, which have no predication.
    pub fn set_predication(&mut self, on: bool) -> Result<(), WriteError> {
        if on {
            self.check(Opcode::SET_PREDICATION)?;
        }
        self.predicate = on;
        Ok(())
    }

    /// Whether draws that follow carry the predicate bit.
    #[must_use]
    pub const fn predication(&self) -> bool {
        self.predicate
    }

    /// Writes a register, addressed in bytes. The window follows from the address; a write right behind the last one joins its packet.
    ///
    /// Registers of which [`register_index`](super::register_index) knows an index go to [`set_reg_indexed`](Self::set_reg_indexed) instead.
    ///
    /// # Errors
    /// [`MisalignedRegister`](WriteError::MisalignedRegister), [`NoWindow`](WriteError::NoWindow), [`NotAvailable`](WriteError::NotAvailable) (context
    /// registers on a compute queue), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain).
    #[inline]
    pub fn set_reg(&mut self, addr: u32, value: u32) -> Result<(), WriteError> {
        self.set_regs(addr, &[value])
    }

    /// Writes consecutive registers from `addr` (bytes) on.
    ///
    /// # Errors
    /// Those of [`set_reg`](Self::set_reg); all registers are written or none.
    #[inline]
    pub fn set_regs(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        if let Some(run) = self.run
            && run.next == addr
            && (run.end - addr) as usize / 4 >= values.len()
            && self.len() - run.header - 1 + values.len() <= Header::MAX_BODY
        {
            if !self.buffer.push(values) {
                return Err(self.full(window_of(addr)?.set, values.len()));
            }
            if let Some(header) = self.buffer.word_mut(run.header) {
                *header += (values.len() as u32) << 16;
            }
            self.run = Some(Run { next: addr + 4 * values.len() as u32, ..run });
            self.state.1 += 1;
            return Ok(());
        }
        self.start_run(addr, values)
    }

    /// Register writes that need a header of their own, or several.
    fn start_run(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        let Some(last) = values.len().checked_sub(1) else { return Ok(()) };
        let window = window_of(addr)?;
        let last = u32::try_from(last).ok().and_then(|n| n.checked_mul(4)).and_then(|n| addr.checked_add(n)).unwrap_or(!3);
        if last >= window.end {
            return Err(WriteError::NoWindow { addr: last });
        }
        self.check(window.set)?;
        // Graphics and compute registers of the SH window differ in the header, and a packet has at most MAX_BODY dwords.
        let in_one = |addr: u32, left: usize| left.min((run_end(window, addr) - addr) as usize / 4).min(Header::MAX_BODY - 1);
        let (mut wanted, mut at, mut left) = (0, addr, values.len());
        while left > 0 {
            let n = in_one(at, left);
            (wanted, at, left) = (wanted + 2 + n, at + 4 * n as u32, left - n);
        }
        if self.buffer.room() < wanted {
            return Err(self.full(window.set, wanted));
        }
        let (mut at, mut left) = (addr, values);
        while !left.is_empty() {
            let (now, later) = left.split_at(in_one(at, left.len()));
            let header = Header::type3(window.set, 1 + now.len()).with_shader_type(shader_type(window, at));
            let start = self.len();
            self.push(header, &[&[(at - window.start) / 4], now])?;
            let next = at + 4 * now.len() as u32;
            self.run = Some(Run { header: start, next, end: run_end(window, at) });
            (at, left) = (next, later);
        }
        Ok(())
    }

    /// Writes one register with an index in bits 31:28 of the offset, alone in its packet: SET_UCONFIG_REG_INDEX, SET_SH_REG_INDEX, or SET_CONTEXT_REG.
    ///
    /// # Errors
    /// Those of [`set_reg`](Self::set_reg), and [`Index`](WriteError::Index) for an index that is not 1 to 15 or a register of the config window.
    pub fn set_reg_indexed(&mut self, addr: u32, value: u32, index: u8) -> Result<(), WriteError> {
        let window = window_of(addr)?;
        let (Some(set), 1..=15) = (window.set_index, index) else { return Err(WriteError::Index { addr, index }) };
        let header = Header::type3(set, 2).with_shader_type(shader_type(window, addr));
        let offset = (addr - window.start) / 4;
        self.packet_with(header, &[offset | (u32::from(index) << 28), value])
    }

    /// Any packet.
    ///
    /// # Errors
    /// [`NotAvailable`](WriteError::NotAvailable), [`BodySize`](WriteError::BodySize) (only NOP may be without a body), [`Full`](WriteError::Full),
    /// [`AfterChain`](WriteError::AfterChain).
    pub fn packet(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), WriteError> {
        self.packet_with(Header::type3(opcode, body.len()), body)
    }

    /// Any packet with its own header, whose count must fit the body.
    ///
    /// # Errors
    /// Those of [`packet`](Self::packet), and [`HeaderBit`](WriteError::HeaderBit).
    pub fn packet_with(&mut self, header: Header, body: &[u32]) -> Result<(), WriteError> {
        self.packet_parts(header, &[body])
    }

    /// A typed body, and the values that follow it.
    ///
    /// # Errors
    /// Those of [`packet`](Self::packet); [`NotAvailable`](WriteError::NotAvailable) also where the packet has another layout.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream, body::DrawIndexAuto}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.body(&DrawIndexAuto { index_count: 3, draw_initiator: 2 }, &[])?;
    /// assert_eq!(stream.words(), [0xC001_2D00, 3, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn body<T: Body>(&mut self, body: &T, tail: &[u32]) -> Result<(), WriteError> {
        if !T::SCOPE.intersects(Scope::queue(self.gfx, self.queue)) {
            return Err(WriteError::NotAvailable { packet: T::OPCODE, queue: self.queue, gfx: self.gfx });
        }
        let words = body::words(body);
        self.packet_parts(Header::type3(T::OPCODE, words.len() + tail.len()), &[words, tail])
    }

    /// A packet with all its fields, checked: each field against its place, the packet against generation, queue and the rules of the hardware.
    ///
    /// Draws and dispatches carry the predicate bit after [`set_predication`](Self::set_predication). Dispatches are written as compute work.
    ///
    /// # Errors
    /// Those of [`packet`](Self::packet), and what names the field: [`FieldTooLarge`](WriteError::FieldTooLarge),
    /// [`FieldMisaligned`](WriteError::FieldMisaligned), [`AddressTooWide`](WriteError::AddressTooWide), [`UnknownValue`](WriteError::UnknownValue),
    /// [`FieldMissing`](WriteError::FieldMissing), [`FieldUnused`](WriteError::FieldUnused), [`FieldConflict`](WriteError::FieldConflict),
    /// [`Rule`](WriteError::Rule), [`Firmware`](WriteError::Firmware).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream, WriteError, gfx11::{DispatchDirect, IndexBase}}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.emit(&DispatchDirect { dim_x: 8, dim_y: 1, dim_z: 1, dispatch_initiator: 1 })?;
    /// assert_eq!(stream.words(), [0xC003_1502, 8, 1, 1, 1]);
    /// let error = stream.emit(&IndexBase { index_base: 0x1001 }).unwrap_err();
    /// assert_eq!(error.to_string(), "INDEX_BASE: index_base = 0x1001 is not a multiple of 2");
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn emit<T: Closed>(&mut self, packet: &T) -> Result<(), WriteError> {
        self.emit_parts(packet, &[], None)
    }

    /// A packet that goes on behind its fields, with what follows: values, pairs, ranges, data.
    ///
    /// # Errors
    /// Those of [`emit`](Self::emit), and [`Tail`](WriteError::Tail).
    pub fn emit_open<T: Open>(&mut self, packet: &T, tail: &[u32]) -> Result<(), WriteError> {
        self.emit_parts(packet, tail, None)
    }

    /// A packet whose header tells the bank of shader registers or base addresses: SET_BASE, LOAD_SH_REG, SET_SH_REG_OFFSET and others.
    ///
    /// # Errors
    /// Those of [`emit_open`](Self::emit_open).
    pub fn emit_for<T: PacketFields>(&mut self, bank: ShaderType, packet: &T, tail: &[u32]) -> Result<(), WriteError> {
        self.emit_parts(packet, tail, Some(bank))
    }

    fn emit_parts<T: PacketFields>(&mut self, packet: &T, tail: &[u32], bank: Option<ShaderType>) -> Result<(), WriteError> {
        let (format, form) = author::format_of::<T>();
        let (opcode, words) = author::encode(packet, self.gfx, self.queue)?;
        let fixed = words.as_slice();
        match form.repeat {
            Some(repeat) if !tail.len().is_multiple_of(usize::from(repeat.len)) || tail.is_empty() && rules::needs_tail(format) => {
                return Err(WriteError::Tail { packet: format.name, dwords: tail.len(), group: repeat.len.into() });
            }
            None if !tail.is_empty() => return Err(WriteError::Tail { packet: format.name, dwords: tail.len(), group: 0 }),
            _ => {}
        }
        let mut header = author::header(opcode, fixed.len() + tail.len(), format, self.gfx, self.queue);
        if let Some(bank) = bank {
            header = header.with_shader_type(bank);
        }
        let skips = format.name.starts_with("DRAW_") || format.name.starts_with("DISPATCH_");
        header = header.with_predicate(self.predicate && skips && self.queue == Queue::Graphics);
        rules::check(format, form, fixed, tail, self)?;
        self.packet_parts(header, &[fixed, tail])
    }

    fn packet_parts(&mut self, header: Header, parts: &[&[u32]]) -> Result<(), WriteError> {
        let dwords: usize = parts.iter().map(|p| p.len()).sum();
        if header.packet_type() != 3 || header.body_dwords() != dwords || dwords > Header::MAX_BODY {
            return Err(WriteError::BodySize { header, dwords });
        }
        let packet = header.opcode();
        self.check(packet)?;
        let graphics = self.queue == Queue::Graphics;
        let bad_bit = match () {
            () if header.predicate() && !graphics => Some("predicate"),
            () if header.reset_filter_cam() && (!graphics || self.gfx.major() == 9) => Some("reset_filter_cam"),
            () => None,
        };
        if let Some(bit) = bad_bit {
            return Err(WriteError::HeaderBit { packet, header, bit, queue: self.queue, gfx: self.gfx });
        }
        self.push(header, parts)?;
        // A chain is INDIRECT_BUFFER (not the longer COND_INDIRECT_BUFFER) with bit 20.
        let control = parts.iter().flat_map(|p| p.iter()).nth(2);
        self.chained = packet == Opcode::INDIRECT_BUFFER && dwords == 3 && control.is_some_and(|c| c >> 20 & 1 == 1);
        Ok(())
    }

    /// Whether a packet may stand here.
    pub(super) fn check(&self, packet: Opcode) -> Result<(), WriteError> {
        if self.chained {
            return Err(WriteError::AfterChain { packet });
        }
        if !packet.available(self.gfx, self.queue) {
            return Err(WriteError::NotAvailable { packet, queue: self.queue, gfx: self.gfx });
        }
        Ok(())
    }

    fn push(&mut self, header: Header, parts: &[&[u32]]) -> Result<(), WriteError> {
        let wanted = 1 + parts.iter().map(|p| p.len()).sum::<usize>();
        if self.buffer.room() < wanted {
            return Err(self.full(header.opcode(), wanted));
        }
        self.run = None;
        self.last = Some(self.len());
        self.state.1 += u64::from(changes_state(header.opcode()));
        let done = self.buffer.push(&[header.0]) && parts.iter().all(|part| self.buffer.push(part));
        if done { Ok(()) } else { Err(self.full(header.opcode(), wanted)) }
    }

    /// The header of a packet whose body [`raw`](Self::raw) appends; `dwords` counts both.
    pub(super) fn begin_packet(&mut self, header: Header, dwords: usize) -> Result<(), WriteError> {
        self.check(header.opcode())?;
        if self.buffer.room() < dwords {
            return Err(self.full(header.opcode(), dwords));
        }
        self.push(header, &[])
    }

    /// Dwords for which [`begin_packet`](Self::begin_packet) has found room.
    pub(super) fn raw(&mut self, words: &[u32]) {
        self.buffer.push(words);
    }

    /// What [`return_to`](Self::return_to) needs to undo writes.
    pub(super) fn mark(&self) -> Mark {
        Mark { len: self.len(), header: self.run.and_then(|r| Some((r, *self.words().get(r.header)?))), last: self.last, chained: self.chained }
    }

    /// Forgets what was written since the mark; the caller has cut the buffer.
    pub(super) fn return_to(&mut self, mark: Mark) {
        self.run = mark.header.map(|(run, _)| run);
        if let Some((run, header)) = mark.header
            && let Some(word) = self.buffer.word_mut(run.header)
        {
            *word = header;
        }
        (self.last, self.chained) = (mark.last, mark.chained);
        self.state.1 += 1;
    }

    /// The stream goes on in an empty buffer.
    pub(super) fn restart(&mut self) {
        (self.run, self.last, self.chained) = (None, None, false);
    }

    /// COND_EXEC around packets: they run if the dword at `addr` is not 0 then.
    ///
    /// # Errors
    /// [`Misaligned`](WriteError::Misaligned) unless `addr` is a multiple of 4, what `packets` returns (what it wrote stays in the range), and
    /// [`Span`](WriteError::Span) when it wrote more than 16383 dwords.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.cond_exec(0x1000, |w| w.num_instances(2))?;
    /// assert_eq!(stream.words(), [0xC003_2200, 0x1000, 0, 0, 2, 0xC000_2F00, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn cond_exec(&mut self, addr: u64, packets: impl FnOnce(&mut Self) -> Result<(), WriteError>) -> Result<(), WriteError> {
        if !addr.is_multiple_of(4) {
            return Err(WriteError::Misaligned { packet: Opcode::COND_EXEC, addr, align: 4 });
        }
        self.packet(Opcode::COND_EXEC, &[addr as u32, (addr >> 32) as u32, 0, 0])?;
        let start = self.len();
        let result = packets(self);
        self.run = None;
        // What stands in the range may not have run.
        self.state.1 += 1;
        let dwords = self.len() - start;
        match self.buffer.word_mut(start - 1) {
            Some(count) if dwords <= 0x3FFF => *count = dwords as u32,
            _ => return Err(WriteError::Span { packet: "COND_EXEC", dwords }),
        }
        result
    }

    /// Registers may hold anything now: prepared states are bound in full again.
    pub fn invalidate_state(&mut self) {
        self.state.1 += 1;
    }

    /// Appends packets that are complete already, of an opcode that stands for them in errors.
    #[inline]
    pub(super) fn append(&mut self, packets: &[u32], opcode: Opcode) -> Result<(), WriteError> {
        if self.chained {
            return Err(WriteError::AfterChain { packet: opcode });
        }
        if !self.buffer.push(packets) {
            return Err(self.full(opcode, packets.len()));
        }
        self.run = None;
        Ok(())
    }

    /// Notes where the last packet starts.
    #[inline]
    pub(super) fn mark_last(&mut self, dwords: usize) {
        self.last = Some(self.len() - dwords);
    }

    /// What a prepared state that is bound now is bound to.
    #[inline]
    pub(super) const fn state(&self) -> (usize, u64) {
        self.state
    }

    /// Registers changed, by what [`append`](Self::append) wrote.
    #[inline]
    pub(super) fn state_changed(&mut self) -> (usize, u64) {
        self.state.1 += 1;
        self.state
    }

    #[cold]
    pub(super) fn full(&self, packet: Opcode, wanted: usize) -> WriteError {
        WriteError::Full { packet, wanted, room: self.buffer.room() }
    }
}

pub(super) fn window_of(addr: u32) -> Result<Window, WriteError> {
    if addr & 3 != 0 {
        return Err(WriteError::MisalignedRegister { addr });
    }
    Window::of(addr).ok_or(WriteError::NoWindow { addr })
}

/// Whether registers may hold something else after a packet. The list names those that drivers put between draws and that change none.
const fn changes_state(opcode: Opcode) -> bool {
    !matches!(
        opcode,
        Opcode::DRAW_INDEX_2
            | Opcode::DRAW_INDEX_AUTO
            | Opcode::DRAW_INDEX_OFFSET_2
            | Opcode::DISPATCH_DIRECT
            | Opcode::DISPATCH_INDIRECT
            | Opcode::NUM_INSTANCES
            | Opcode::INDEX_BASE
            | Opcode::INDEX_BUFFER_SIZE
            | Opcode::NOP
            | Opcode::EVENT_WRITE
            | Opcode::RELEASE_MEM
            | Opcode::ACQUIRE_MEM
            | Opcode::PFP_SYNC_ME
            | Opcode::SET_BASE
            | Opcode::SET_PREDICATION
    )
}

/// The shader type in the header of a SET packet: compute for the compute registers of the SH window.
fn shader_type(window: Window, addr: u32) -> ShaderType {
    if window == window::SH && addr >= COMPUTE_START { ShaderType::Compute } else { ShaderType::Graphics }
}

/// Where a run of register writes that starts at `addr` ends at the latest.
fn run_end(window: Window, addr: u32) -> u32 {
    if window == window::SH && addr < COMPUTE_START { COMPUTE_START } else { window.end }
}
