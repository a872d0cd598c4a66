//! Appending packets to a buffer.

use crate::chip::Gfx;
use crate::packet::encode::encoder;
use crate::packet::formats::format::split;
use crate::packet::formats::format::{Form, Format};
use crate::packet::read::effect::{Action, Selection};
use crate::packet::read::effects::skipped;
use crate::packet::read::packet::packet_at;
use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::check::check;
use crate::packet::rules::firmware::check_firmware;
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::tables::lookup;
use crate::packet::typed::packet_fields::{Emit, Members, PacketFields, Values};
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::scope::Scope;
use crate::packet::wire::windows::is_broadcast;
use crate::packet::write::accepted::{AcceptedPackets, AcceptedWords, Surroundings};
use crate::packet::write::buffer::{Buffer, FixedBuffer};
use crate::packet::write::levels::BufferLevel;
use crate::packet::write::position::{OpenRun, Span, StateVersion};
use crate::packet::write::writer_options::WriterOptions;
use alloc::vec::Vec;
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A stream in growing memory.
pub type Stream = Writer<Vec<u32>>;

/// A writer of packets.
///
/// Register writes to consecutive addresses of one window become one SET packet, whose header is patched as long as nothing else is written. A failed write
/// changes nothing.
///
/// Every way to author packets (methods by name, [`emit`](Self::emit) with all fields, [`packet`](Self::packet) with plain words)
/// goes through the same checks: each dword against the fields of the packet, the packet against generation, queue, firmware and the rules of the hardware,
/// the stream against what a chain or a skipped range allows. Only [`raw`](Self::raw) checks nothing.
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
    pub(in crate::packet) buffer: B,
    gfx: Gfx,
    queue: Queue,
    level: BufferLevel,
    pub(in crate::packet) run: Option<OpenRun>,
    pub(in crate::packet) predicate: bool,
    pub(in crate::packet) chained: bool,
    /// Ranges that may be skipped, the inner ones last.
    pub(in crate::packet) spans: Vec<Span>,
    /// The end of the innermost range, beyond which no packet may extend.
    pub(in crate::packet) end: usize,
    /// Whether register writes reach only one instance of the hardware.
    banked: bool,
    /// Offset of the last packet.
    last: Option<usize>,
    options: WriterOptions,
    /// The version to which a prepared state is bound.
    state: StateVersion,
    accepted: AcceptedPackets,
}

/// A saved position of a writer.
#[derive(Debug)]
pub(crate) struct Mark {
    len: usize,
    header: Option<(OpenRun, u32)>,
    last: Option<usize>,
    chained: bool,
    banked: bool,
    predicate: bool,
    options: WriterOptions,
    spans: Vec<Span>,
    end: usize,
}

/// Effects that matter to later packets.
const FOLLOWED: EffectKinds = EffectKinds::RUNS.or(EffectKinds::REGISTERS);

/// The number of the next writer.
static WRITERS: AtomicUsize = AtomicUsize::new(0);

impl Stream {
    /// Creates a stream in growing memory.
    #[must_use]
    pub fn growable(gfx: Gfx, queue: Queue) -> Self {
        Self::new(gfx, queue, Vec::new())
    }
}

impl<'a> Writer<FixedBuffer<'a>> {
    /// Creates a stream in the caller's memory.
    #[must_use]
    pub fn fixed(gfx: Gfx, queue: Queue, memory: &'a mut [u32]) -> Self {
        Self::new(gfx, queue, FixedBuffer::new(memory))
    }
}

impl<B: Buffer> Writer<B> {
    /// Creates a stream that continues after the contents of `buffer`.
    #[must_use]
    pub fn new(gfx: Gfx, queue: Queue, buffer: B) -> Self {
        Self {
            buffer,
            gfx,
            queue,
            level: BufferLevel::Primary,
            run: None,
            predicate: false,
            chained: false,
            spans: Vec::new(),
            end: usize::MAX,
            banked: false,
            last: None,
            options: WriterOptions::default(),
            state: StateVersion { writer: WRITERS.fetch_add(1, Ordering::Relaxed), registers: 0, state: 0 },
            accepted: AcceptedPackets::none(),
        }
    }

    /// Returns all dwords written so far; over [`Chunks`](crate::packet::Chunks) those of the current chunk.
    #[must_use]
    #[inline(always)]
    pub fn words(&self) -> &[u32] {
        self.buffer.words()
    }

    /// Returns the number of dwords written so far.
    #[must_use]
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether nothing has been written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the generation of the stream.
    #[must_use]
    #[inline]
    pub const fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Returns the queue of the stream.
    #[must_use]
    #[inline]
    pub const fn queue(&self) -> Queue {
        self.queue
    }

    /// Returns the level of the command buffer. In a secondary command buffer, calls are refused.
    pub(crate) const fn level(&self) -> BufferLevel {
        self.level
    }

    pub(crate) fn set_level(&mut self, level: BufferLevel) {
        self.level = level;
        self.accepted.forget();
    }

    /// Returns the options: firmware and forms of register writes.
    #[must_use]
    pub const fn options(&self) -> &WriterOptions {
        &self.options
    }

    /// Sets the options.
    pub fn set_options(&mut self, options: WriterOptions) {
        self.options = options;
        self.run = None;
        self.accepted.forget();
    }

    /// Returns the last packet written, including its header.
    #[must_use]
    pub fn last_packet(&self) -> &[u32] {
        self.last.and_then(|at| self.words().get(at..)).unwrap_or_default()
    }

    /// Ends writing and returns the buffer.
    #[must_use]
    pub fn into_buffer(self) -> B {
        self.buffer
    }

    /// Sets whether later draws and dispatches carry the predicate bit.
    ///
    /// # Errors
    /// [`WriteError::NotAvailable`] for `true` on compute queues, which have no predication.
    pub fn set_predicated(&mut self, on: bool) -> Result<(), WriteError> {
        if on {
            self.check(Opcode::SET_PREDICATION)?;
        }
        self.predicate = on;
        Ok(())
    }

    /// Returns whether later draws and dispatches carry the predicate bit.
    #[must_use]
    #[inline]
    pub const fn is_predicated(&self) -> bool {
        self.predicate
    }

    /// Writes a packet of plain words, with the header that it needs: see [`emit`](Self::emit).
    ///
    /// # Errors
    /// [`NotAvailable`](WriteError::NotAvailable), [`BodySize`](WriteError::BodySize) (only NOP may be without a body), [`NoForm`](WriteError::NoForm),
    /// [`ReservedBits`](WriteError::ReservedBits), those of [`emit`](Self::emit) that concern its fields, [`Full`](WriteError::Full),
    /// [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Opcode, Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.packet(Opcode::DISPATCH_DIRECT, &[8, 1, 1, 1])?;
    /// assert_eq!(stream.words()[0], 0xC003_1502);
    /// let error = stream.packet(Opcode::DISPATCH_DIRECT, &[8, 1, 1, 0]).unwrap_err();
    /// assert_eq!(error.to_string(), "DISPATCH_DIRECT: dispatch_initiator = 0x0: COMPUTE_SHADER_EN must be set (PAL gfx9CmdUtil.cpp BuildDispatchDirect)");
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn packet(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), WriteError> {
        let (format, form) = self.layout(opcode, body.len())?;
        let (fixed, tail) = split(form, body);
        self.checked(format, form, self.header(format, opcode, body.len()), fixed, tail).map(|_| ())
    }

    /// Writes a packet of plain words with its own header, whose count must fit the body.
    ///
    /// # Errors
    /// The errors of [`packet`](Self::packet), [`HeaderBit`](WriteError::HeaderBit) and [`HeaderBitMissing`](WriteError::HeaderBitMissing).
    pub fn packet_with(&mut self, header: Header, body: &[u32]) -> Result<(), WriteError> {
        if header.packet_type() != 3 || header.body_dwords() != body.len() {
            return Err(WriteError::BodySize { header, dwords: body.len() });
        }
        let (format, form) = self.layout(header.opcode(), body.len())?;
        let (fixed, tail) = split(form, body);
        self.checked(format, form, header, fixed, tail).map(|_| ())
    }

    /// Writes dwords unchecked, for streams from elsewhere or streams that are broken on purpose. Registers count as changed afterwards.
    ///
    /// # Errors
    /// [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    pub fn raw(&mut self, dwords: &[u32]) -> Result<(), WriteError> {
        self.append(dwords, dwords.first().map_or(Opcode::NOP, |&first| Header(first).opcode()))?;
        self.state.unknown();
        Ok(())
    }

    /// Writes a packet with all its fields, after checks: each field against its bits, the packet against generation, queue and the rules of the hardware.
    ///
    /// Draws and dispatches carry the predicate bit after [`set_predicated`](Self::set_predicated). Dispatches are written as compute work. Data after the
    /// fields is given with [`followed_by`](crate::packet::PacketFields::followed_by), the bank of shader registers or base addresses with
    /// [`for_shaders`](crate::packet::PacketFields::for_shaders).
    ///
    /// # Errors
    /// The errors of [`packet`](Self::packet), and errors that name the field: [`FieldTooLarge`](WriteError::FieldTooLarge),
    /// [`FieldMisaligned`](WriteError::FieldMisaligned), [`AddressTooWide`](WriteError::AddressTooWide), [`UnknownValue`](WriteError::UnknownValue),
    /// [`FieldMissing`](WriteError::FieldMissing), [`FieldUnused`](WriteError::FieldUnused), [`FieldConflict`](WriteError::FieldConflict),
    /// [`NoSuchBits`](WriteError::NoSuchBits), [`Rule`](WriteError::Rule), [`Firmware`](WriteError::Firmware), [`Tail`](WriteError::Tail).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream, PacketFields, layouts::DispatchInitiator, gfx11::{DispatchDirect, IndexBase, SetContextReg}}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// let dispatch_initiator = DispatchInitiator::new().with_compute_shader_en(true);
    /// stream.emit(&DispatchDirect { dim_x: 8, dim_y: 1, dim_z: 1, dispatch_initiator })?;
    /// assert_eq!(stream.words(), [0xC003_1502, 8, 1, 1, 1]);
    /// stream.emit(&SetContextReg { reg_offset: 0x203, ..Default::default() }.followed_by(&[0x1_8600]))?;
    /// let error = stream.emit(&IndexBase { index_base: 0x7F_0000_1001 }).unwrap_err();
    /// assert_eq!(error.to_string(), "INDEX_BASE: index_base = 0x7f00001001 is not a multiple of 2");
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    #[inline]
    pub fn emit<P: Emit>(&mut self, packet: &P) -> Result<(), WriteError> {
        let (fields, tail, bank) = packet.parts();
        let mut values = Values::nothing();
        fields.put(&mut values);
        let plain = tail.is_empty() && bank.is_none();
        if plain && let Some(accepted) = self.accepted.find(P::Fields::LAYOUT, &values, self.surroundings()) {
            return self.again(&accepted);
        }
        self.emit_checked::<P::Fields>(&values, tail, bank)
    }

    /// A packet whose fields are others than those of the last ones.
    fn emit_checked<T: PacketFields>(&mut self, values: &Values, tail: &[u32], bank: Option<ShaderType>) -> Result<(), WriteError> {
        let (format, form) = encoder::format_of::<T>();
        let (opcode, words) = encoder::encode_values::<T>(values, self.gfx, self.queue)?;
        let (fixed, surroundings) = (words.as_slice(), self.surroundings());
        let header = self.header(format, opcode, fixed.len() + tail.len());
        let header = bank.map_or(header, |bank| header.with_shader_type(bank));
        let is_alone = self.checked(format, form, header, fixed, tail)?;
        if is_alone && tail.is_empty() && bank.is_none() {
            self.accepted.remember(T::LAYOUT, values, surroundings, header, opcode.effect_kinds(self.gfx), fixed);
        }
        Ok(())
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { predicate: self.predicate, banked: self.banked }
    }

    /// A packet that was accepted before.
    #[inline]
    fn again(&mut self, accepted: &AcceptedWords) -> Result<(), WriteError> {
        let (packet, body, at) = (accepted.header.opcode(), accepted.body(), self.len());
        if self.chained {
            return Err(WriteError::AfterChain { packet });
        }
        self.admit(packet, 1 + body.len())?;
        let Some((first, rest)) = self.buffer.grow(1 + body.len()).and_then(<[u32]>::split_first_mut) else {
            return Err(self.full(packet, 1 + body.len()));
        };
        *first = accepted.header.0;
        rest.iter_mut().zip(body).for_each(|(to, word)| *to = *word);
        (self.run, self.last) = (None, Some(at));
        self.state.touched(accepted.kinds);
        if accepted.kinds.intersects(FOLLOWED) {
            self.follow(packet);
        }
        Ok(())
    }

    /// Returns the header that a packet needs here.
    fn header(&self, format: &Format, opcode: Opcode, body: usize) -> Header {
        let header = encoder::header(opcode, body, format, self.gfx, self.queue);
        let skips = opcode.work(self.gfx).is_some();
        let header = header.with_predicate(self.predicate && skips && self.queue == Queue::Graphics);
        if self.bypasses_filter() && opcode.effect_kinds(self.gfx).intersects(EffectKinds::SETS_ONLY) { header.with_reset_filter_cam(true) } else { header }
    }

    /// Returns whether register writes must bypass the filter, which would drop writes that differ between instances (PAL gfx9CmdUtil.cpp).
    pub(in crate::packet) fn bypasses_filter(&self) -> bool {
        self.banked && self.gfx.major() >= 10 && self.queue == Queue::Graphics
    }

    /// Checks that the firmware of the stream supports a packet, regardless of its contents.
    pub(in crate::packet) fn runs(&self, packet: Opcode) -> Result<(), WriteError> {
        let view = Scope::queue(self.gfx, self.queue);
        lookup::forms(packet, self.gfx, view).try_for_each(|(format, form)| {
            let whole = form.firmware.iter().filter(|need| need.scope.intersects(view) && need.when.is_empty());
            check_firmware(format.name, &self.options.firmware, whole)
        })
    }

    /// Returns the layout of a packet for the engines of the queue.
    fn layout(&self, packet: Opcode, body: usize) -> Result<(&'static Format, &'static Form), WriteError> {
        self.check(packet)?;
        if body > Header::MAX_BODY || body == 0 && packet != Opcode::NOP {
            return Err(WriteError::BodySize { header: Header::type3(packet, body), dwords: body });
        }
        let found = lookup::layout_for(packet, 1 + body, self.gfx, Scope::queue(self.gfx, self.queue));
        found.ok_or(WriteError::NoForm { packet, dwords: 1 + body, queue: self.queue, gfx: self.gfx })
    }

    /// The one way of a packet into the stream: all rules, then the dwords. Whether it is accepted wherever it is, in the same surroundings.
    fn checked(&mut self, format: &'static Format, form: &'static Form, header: Header, fixed: &[u32], tail: &[u32]) -> Result<bool, WriteError> {
        let (packet, dwords) = (header.opcode(), 1 + fixed.len() + tail.len());
        self.check(packet)?;
        if dwords > 1 + Header::MAX_BODY {
            return Err(WriteError::BodySize { header, dwords: dwords - 1 });
        }
        let (gfx, queue, last, banked) = (self.gfx, self.queue, self.last_packet(), self.banked);
        let WriterOptions { firmware, whole_groups, .. } = self.options;
        let secondary = self.level == BufferLevel::Secondary;
        let asked_before = Cell::new(false);
        let candidate = Candidate { format, form, header, fixed, tail, gfx, queue, secondary, firmware, last, asked_before, banked, whole_groups };
        check(&candidate)?;
        let is_alone = !candidate.asked_before.get();
        let span = skipped(gfx, queue, header, fixed);
        self.admit(packet, dwords + span)?;
        self.push(header, &[fixed, tail])?;
        self.open_span(span);
        self.follow(packet);
        Ok(is_alone && span == 0)
    }

    /// Updates the state of the writer for packets after this one.
    fn follow(&mut self, packet: Opcode) {
        if !packet.effect_kinds(self.gfx).intersects(FOLLOWED) {
            return;
        }
        let Some(packet) = self.last.and_then(|at| packet_at(self.words(), at)) else { return };
        let (mut chained, mut selected) = (false, None);
        packet.visit_effects(self.gfx, self.queue, &mut |effect| {
            chained |= matches!(effect.action, Action::Run { last: true, .. });
            selected = effect.selection().or(selected);
        });
        self.chained = chained;
        match selected {
            Some(Selection::Written(value)) => self.select_instances(value),
            Some(Selection::Unknown) => self.banked = true,
            None => {}
        }
    }

    /// Records a write of GRBM_GFX_INDEX. If a selection of all instances may be skipped, the earlier selection stays.
    pub(in crate::packet) fn select_instances(&mut self, value: u32) {
        self.banked = !is_broadcast(value) || self.banked && self.in_span();
    }

    /// Returns whether register writes reach only one instance, and the dword up to which packets may be skipped.
    pub(in crate::packet) fn uncertain(&self) -> (bool, usize) {
        (self.banked, self.spans.iter().map(|span| span.end).max().unwrap_or(0))
    }

    /// Checks that a packet may be written here.
    pub(in crate::packet) fn check(&self, packet: Opcode) -> Result<(), WriteError> {
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
        let at = self.len();
        let Some((first, mut rest)) = self.buffer.grow(wanted).and_then(<[u32]>::split_first_mut) else {
            return Err(self.full(header.opcode(), wanted));
        };
        *first = header.0;
        for part in parts {
            let (to, behind) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = behind;
        }
        self.written(header.opcode(), at);
        Ok(())
    }

    /// Records a packet at `at` that no register write can join.
    pub(in crate::packet) fn written(&mut self, packet: Opcode, at: usize) {
        self.run = None;
        self.last = Some(at);
        self.state.touched(packet.effect_kinds(self.gfx));
    }

    /// Writes the header of a packet whose body [`continued`](Self::continued) appends; `dwords` counts both.
    pub(in crate::packet) fn begin_packet(&mut self, header: Header, dwords: usize) -> Result<(), WriteError> {
        self.check(header.opcode())?;
        self.admit(header.opcode(), dwords)?;
        if self.buffer.room() < dwords {
            return Err(self.full(header.opcode(), dwords));
        }
        self.push(header, &[])
    }

    /// Appends dwords for which [`begin_packet`](Self::begin_packet) has found room.
    pub(in crate::packet) fn continued(&mut self, words: &[u32]) {
        self.buffer.push(words);
    }

    /// Returns a mark with which [`return_to`](Self::return_to) undoes later writes.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            len: self.len(),
            header: self.run.and_then(|r| Some((r, *self.words().get(r.header)?))),
            last: self.last,
            chained: self.chained,
            banked: self.banked,
            predicate: self.predicate,
            options: self.options,
            spans: self.spans.clone(),
            end: self.end,
        }
    }

    /// Drops what was written since the mark.
    pub(crate) fn return_to(&mut self, mark: Mark) {
        self.buffer.truncate(mark.len);
        self.run = mark.header.map(|(run, _)| run);
        if let Some((run, header)) = mark.header
            && let Some(word) = self.buffer.word_mut(run.header)
        {
            *word = header;
        }
        (self.last, self.chained, self.banked) = (mark.last, mark.chained, mark.banked);
        (self.predicate, self.options) = (mark.predicate, mark.options);
        (self.spans, self.end) = (mark.spans, mark.end);
        self.state.unknown();
        self.accepted.forget();
    }

    /// Writes several packets as one transaction: if `packets` returns an error, what it wrote is dropped, and predication, options and ranges that may be
    /// skipped are as before. Changes of `packets` outside the writer are not undone.
    ///
    /// # Errors
    /// The error that `packets` returns.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, WriteError, Writer, layouts::DrawInitiator}};
    /// let mut memory = [0; 4];
    /// let mut writer = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
    /// let result = writer.all_or_nothing(|w| {
    ///     w.num_instances(1)?;
    ///     w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)
    /// });
    /// assert!(matches!(result, Err(WriteError::Full { .. })));
    /// assert!(writer.is_empty());
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn all_or_nothing<T, E>(&mut self, packets: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let mark = self.mark();
        packets(self).inspect_err(|_| self.return_to(mark))
    }

    /// Continues in other memory, if the buffer has any; returns whether it did. Packets written so far are in the previous memory.
    ///
    /// # Errors
    /// [`AfterChain`](WriteError::AfterChain) after a chain of the caller's, [`SpanOpen`](WriteError::SpanOpen) inside a range that may be skipped, and the
    /// buffer's errors about the memory that it received.
    pub(crate) fn continue_elsewhere(&mut self) -> Result<bool, WriteError> {
        if self.chained {
            return Err(WriteError::AfterChain { packet: Opcode::INDIRECT_BUFFER });
        }
        let left = self.missing_dwords();
        if left > 0 {
            return Err(WriteError::SpanOpen { left });
        }
        let went = self.buffer.continue_elsewhere(self.gfx, self.queue)?;
        if went {
            self.close_spans(0);
            (self.run, self.last) = (None, None);
        }
        Ok(went)
    }

    /// Declares that registers may hold anything, so that prepared states are bound in full again.
    pub fn invalidate_state(&mut self) {
        self.state.unknown();
    }

    /// Appends complete packets; errors name `opcode`.
    #[inline]
    pub(in crate::packet) fn append(&mut self, packets: &[u32], opcode: Opcode) -> Result<(), WriteError> {
        if self.chained {
            return Err(WriteError::AfterChain { packet: opcode });
        }
        self.admit(opcode, packets.len())?;
        if !self.buffer.push(packets) {
            return Err(self.full(opcode, packets.len()));
        }
        (self.run, self.last) = (None, None);
        Ok(())
    }

    /// Returns whether this many dwords fit.
    #[inline]
    pub(crate) fn has_room(&self, dwords: usize) -> bool {
        self.buffer.room() >= dwords
    }

    /// Returns whether earlier packets may cause a packet to be refused here or to need another header.
    #[inline]
    pub(crate) fn is_special(&self) -> bool {
        self.chained || self.banked || !self.spans.is_empty()
    }

    /// Records a packet at `at` that sets registers. Prepared states do not notice such a packet; the caller [invalidates](Self::invalidate_state) them before
    /// they are bound.
    #[inline]
    pub(in crate::packet) fn appended(&mut self, at: usize) {
        (self.run, self.last) = (None, Some(at));
    }

    /// Appends complete register packets for a stream of this generation and queue that reaches all instances.
    #[inline]
    pub(crate) fn append_registers(&mut self, packets: &[u32]) -> Result<(), WriteError> {
        self.append(packets, Opcode::SET_CONTEXT_REG)?;
        self.state.unknown();
        Ok(())
    }

    /// Appends packets in two parts, all or nothing, and returns their memory, in which the caller fills in some words. The packets set no registers; the last
    /// one starts at `last`.
    #[inline]
    pub(crate) fn append_packets(&mut self, parts: [&[u32]; 2], last: usize) -> Result<&mut [u32], WriteError> {
        let (at, dwords) = (self.len(), parts[0].len() + parts[1].len());
        let Some(first) = parts.iter().find_map(|part| part.first()) else { return Ok(&mut []) };
        let packet = Header(*first).opcode();
        if self.chained {
            return Err(WriteError::AfterChain { packet });
        }
        self.admit(packet, dwords)?;
        if self.buffer.room() < dwords {
            return Err(self.full(packet, dwords));
        }
        (self.run, self.last) = (None, Some(at + last));
        let words = self.buffer.grow(dwords).unwrap_or_default();
        if let Some((before, after)) = words.split_at_mut_checked(parts[0].len()) {
            before.copy_from_slice(parts[0]);
            after.copy_from_slice(parts[1]);
        }
        Ok(words)
    }

    /// Drops complete packets.
    pub(crate) fn cut(&mut self, dwords: usize) {
        self.buffer.truncate(dwords);
        (self.run, self.last) = (None, None);
    }

    /// Records the position of the last packet.
    #[inline]
    pub(in crate::packet) fn mark_last(&mut self, dwords: usize) {
        self.last = Some(self.len() - dwords);
    }

    /// Records a draw written by [`append`](Self::append), which changes the registers that it uses for its state.
    #[inline]
    pub(in crate::packet) fn drew(&mut self, draw: Opcode) {
        self.state.touched(draw.effect_kinds(self.gfx));
    }

    /// Returns the version to which a prepared state bound now is bound.
    #[inline]
    pub(in crate::packet) const fn state(&self) -> StateVersion {
        self.state
    }

    /// Records that packets written by [`append`](Self::append) changed registers.
    #[inline]
    pub(in crate::packet) fn state_changed(&mut self) -> StateVersion {
        self.state.changed();
        self.state
    }

    #[cold]
    pub(in crate::packet) fn full(&self, packet: Opcode, wanted: usize) -> WriteError {
        WriteError::Full { packet, wanted, room: self.buffer.room() }
    }
}
