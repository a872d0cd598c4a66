//! Writes register images as packets, without the registers that the hardware already holds.

use crate::chip::Chip;
use crate::draw::check::rings::Rings;
use crate::draw::desc::ClearMethod;
use crate::draw::image::RegisterImage;
use crate::draw::record::bound::Bound;
use crate::draw::record::bound_compute::BoundCompute;
use crate::draw::record::call_state::{CallState, Places, lost_by_rolls};
use crate::draw::record::error::RecordError;
use crate::draw::record::held::Held;
use crate::draw::record::registers::Slots;
use crate::draw::sync::SyncState;
use crate::gpu::{Board, FirmwareVersions, Gpu};
use crate::packet::{Buffer, BufferLevel, ChunkSource, Chunks, EffectKinds, FixedBuffer, Packet, Queue, Reader, WriteError, Writer, WriterOptions};
use alloc::vec::Vec;
use core::ops::Range;

/// Records draws into a command buffer. A refused call changes nothing: neither packets nor counts.
///
/// A draw writes only the registers that do not hold their values yet: the recorder knows what it wrote, and forgets what other packets may have changed
/// ([`writer`](Self::writer), [`emit`](Self::emit), [`call`](Self::call), [`begin`](Self::begin), draws in a range that may be skipped). A draw that changes no
/// context register rolls no context.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, Recorder};
///
/// let mut recorder = Recorder::new(Chip::Navi31);
/// recorder.begin()?;
/// recorder.draw(&DrawDesc::default().resolve(Chip::Navi31)?)?;
/// let words: Vec<u32> = recorder.finish()?;
/// assert_eq!(words.len() % 8, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A second draw with the same state consists only of the packet that draws:
///
/// ```
/// # use pm4::chip::Chip;
/// # use pm4::draw::{DrawDesc, Recorder};
/// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
/// let mut recorder = Recorder::new(Chip::Navi31);
/// recorder.begin()?;
/// recorder.draw(&draw)?;
/// let before = recorder.words().len();
/// recorder.draw(&draw)?;
/// assert_eq!(recorder.words()[before..], [0xC001_2D00, 3, 2]); // DRAW_INDEX_AUTO
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder<B> {
    pub(super) chip: Chip,
    pub(super) writer: Writer<B>,
    pub(super) sync: SyncState,
    pub(super) calls: CallState,
    /// The known contents of registers.
    pub(super) held: Held,
    /// Slots of the registers that a context roll loses, if it loses any.
    pub(super) lost_by_rolls: Option<Range<usize>>,
    pub(super) places: Places,
    pub(super) bound: Bound,
    pub(super) compute: BoundCompute,
    /// The rings of this or another buffer's preamble; None before the preamble.
    pub(super) begun: Option<Rings>,
    /// Whether dispatches have their preamble, here or in another buffer.
    pub(super) begun_compute: bool,
    /// Whether this command buffer has the preambles of draws and of dispatches.
    pub(super) preambles: [bool; 2],
    /// Whether resolved draws and dispatches may be mixed with bound ones ([`apart`](Recorder::apart)).
    pub(super) is_apart: bool,
    pub(super) clear_method: ClearMethod,
    pub(super) gpu: Gpu,
    /// Chip and board ([`Gpu::key`]).
    machine: u32,
    /// Address of one index (a multiple of 4) that replaces empty index buffers.
    pub(super) spare_index: Option<u64>,
    /// Address of a dword (a multiple of 4) for task dispatches whose number is in memory.
    pub(super) task_count: Option<u64>,
    /// Whether the current call is part of another call.
    pub(super) in_transaction: bool,
}

impl Recorder<Vec<u32>> {
    /// Creates a recorder for a machine, or for the recorded facts of a chip, with a growing buffer.
    ///
    /// ```
    /// # #[cfg(feature = "gfx12")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// use pm4::gpu::Gpu;
    /// let mut recorder = Recorder::new(Gpu { render_backends: Some(16), ..Gpu::from(Chip::Gfx1201) });
    /// recorder.begin()?;
    /// // EVENT_WRITE of PIXEL_PIPE_STAT_CONTROL: counts of 16 backends, 16 bytes apart.
    /// assert!(recorder.words().windows(4).any(|words| words == [0xC002_4600, 0x138, 0x07FF_FC00, 0]));
    /// # }
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    pub fn new(gpu: impl Into<Gpu>) -> Self {
        let gpu = gpu.into();
        Self::from_writer(gpu, Writer::growable(gpu.chip.gfx(), Queue::Graphics))
    }

    /// Creates a recorder of a secondary command buffer with a growing buffer. Other command buffers [call](Self::call) it after their preamble; it has no
    /// preamble itself.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, Recorder};
    /// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
    /// let mut secondary = Recorder::secondary(Chip::Navi31);
    /// secondary.draw(&draw)?;
    /// let callee = secondary.finish()?;
    /// let mut primary = Recorder::new(Chip::Navi31);
    /// primary.begin()?;
    /// primary.draw(&draw)?;
    /// primary.call(0x10_0000, callee.len() as u32)?; // where the callee is
    /// primary.draw(&draw)?; // with all of its registers: the callee may have changed them
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn secondary(gpu: impl Into<Gpu>) -> Self {
        Self::new(gpu).into_secondary()
    }
}

impl<'a> Recorder<FixedBuffer<'a>> {
    /// Creates a recorder that writes into memory of a fixed size.
    pub fn fixed(gpu: impl Into<Gpu>, memory: &'a mut [u32]) -> Self {
        let gpu = gpu.into();
        Self::from_writer(gpu, Writer::fixed(gpu.chip.gfx(), Queue::Graphics, memory))
    }
}

impl<S: ChunkSource> Recorder<Chunks<S>> {
    /// Creates a recorder that writes into chunks of memory: when a chunk is full, the recorder continues in the next one, even in the middle of a frame. A
    /// draw and its state are always in one chunk.
    ///
    /// # Errors
    /// The errors of [`Chunks::new`].
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, Recorder};
    /// let mut next = 0x10_0000;
    /// let memory = |dwords: usize| {
    ///     next += 4 * dwords as u64;
    ///     Some(next - 4 * dwords as u64)
    /// };
    /// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
    /// let mut recorder = Recorder::chunked(Chip::Navi31, 512, memory)?;
    /// recorder.begin()?;
    /// (0..400).try_for_each(|_| recorder.draw(&draw))?;
    /// assert_eq!(recorder.finish_chunks()?.chunks().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunked(gpu: impl Into<Gpu>, chunk_dwords: usize, source: S) -> Result<Self, WriteError> {
        let gpu = gpu.into();
        Ok(Self::from_writer(gpu, Writer::new(gpu.chip.gfx(), Queue::Graphics, Chunks::new(chunk_dwords, source)?)))
    }
}

impl<B: Buffer> Recorder<B> {
    /// Creates a recorder that continues the stream of a writer of the graphics or compute queue, over any buffer. At the start all register values are
    /// unknown. With a writer of another generation than the chip's, all calls return [`RecordError::OtherStream`].
    ///
    /// The writer uses the firmware that the machine states; its other options stay.
    pub fn from_writer(gpu: impl Into<Gpu>, mut writer: Writer<B>) -> Self {
        let gpu = gpu.into();
        let chip = gpu.chip;
        if gpu.firmware != FirmwareVersions::default() {
            writer.set_options(WriterOptions { firmware: gpu.firmware.over(writer.options().firmware), ..*writer.options() });
        }
        Self {
            chip,
            writer,
            sync: SyncState::default(),
            calls: CallState::default(),
            held: Held::new(chip.gfx()),
            places: Places::of(chip),
            lost_by_rolls: lost_by_rolls(chip),
            bound: Bound::default(),
            compute: BoundCompute::default(),
            begun: None,
            begun_compute: false,
            preambles: [false; 2],
            is_apart: false,
            clear_method: ClearMethod::default(),
            gpu,
            machine: Gpu::key(chip, gpu.board()),
            spare_index: None,
            task_count: None,
            in_transaction: false,
        }
    }

    /// Converts this recorder to one of a secondary command buffer: others call it after their preamble; it has no preamble itself.
    #[must_use]
    pub fn into_secondary(mut self) -> Self {
        self.writer.set_level(BufferLevel::Secondary);
        self.after_preamble()
    }

    /// Converts this recorder to one of a command buffer that runs after another on its queue. The other command buffer has the preambles of draws and
    /// dispatches; this one has none.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DispatchDesc, RecordError, Recorder};
    /// use pm4::packet::{Queue, Writer};
    /// let dispatch = DispatchDesc::default().resolve(Chip::Navi31)?;
    /// let recorder = || Recorder::from_writer(Chip::Navi31, Writer::growable(Chip::Navi31.gfx(), Queue::Compute));
    /// assert_eq!(recorder().dispatch(&dispatch), Err(RecordError::ComputeNotBegun)); // the masks of CUs may be 0, and nothing would ever run
    /// recorder().after_preamble().dispatch(&dispatch)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after_preamble(mut self) -> Self {
        (self.begun, self.begun_compute) = (Some(Rings::ALL), true);
        self.calls.follow_caller();
        self
    }

    /// Makes calls that carry their whole state ([`draw`](Self::draw), [`draw_call`](Self::draw_call), [`dispatch`](Self::dispatch)) between calls with bound
    /// objects, which stay bound and are ignored. Outside this method, such a call is refused while something is bound or set that it would ignore.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, Pipeline, PipelineDesc, RecordError, Recorder, Targets, TargetsDesc, Vertices};
    /// let chip = Chip::Navi31;
    /// let clear = DrawDesc::default().resolve(chip)?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.bind_targets(&Targets::new(chip, TargetsDesc::default())?)?;
    /// recorder.bind_pipeline(&Pipeline::new(chip, PipelineDesc::default())?)?;
    /// assert!(matches!(recorder.draw(&clear), Err(RecordError::Mixed { .. }))); // draw_bound() is meant, or this:
    /// recorder.apart(|recorder| recorder.draw(&clear))?;
    /// recorder.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apart<T>(&mut self, calls: impl FnOnce(&mut Self) -> T) -> T {
        let before = core::mem::replace(&mut self.is_apart, true);
        let done = calls(self);
        self.is_apart = before;
        done
    }

    /// Sets how preambles clear registers, if the generation offers a choice. Default: CLEAR_STATE.
    #[must_use]
    pub fn clear_method(mut self, clear_method: ClearMethod) -> Self {
        self.clear_method = clear_method;
        self
    }

    /// Returns the machine for which it records.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Refuses a writer of another generation or queue.
    #[inline]
    pub(super) fn fits(&self) -> Result<(), RecordError> {
        let (gfx, queue) = (self.writer.gfx(), self.writer.queue());
        if gfx == self.chip.gfx() && queue != Queue::Constant { Ok(()) } else { Err(RecordError::OtherStream { gfx, queue, recorder: self.chip }) }
    }

    /// Returns whether another command buffer calls this one.
    pub(super) fn is_secondary(&self) -> bool {
        self.writer.level() == BufferLevel::Secondary
    }

    /// Refuses draws and their preamble on a compute queue.
    pub(super) fn is_for_draws(&self) -> Result<(), RecordError> {
        if self.writer.queue() == Queue::Compute { Err(RecordError::ComputeQueue) } else { Ok(()) }
    }

    /// Refuses a draw before the preamble, or without rings that it needs.
    pub(super) fn may_draw(&self, needed: Rings) -> Result<(), RecordError> {
        self.fits()?;
        self.is_for_draws()?;
        match self.begun.ok_or(RecordError::NotBegun)?.missing(needed) {
            Some(what) => Err(RecordError::NoRing { what, chip: self.chip }),
            None => Ok(()),
        }
    }

    /// Refuses a second preamble.
    pub(super) fn may_begin(&self, has: bool, call: &'static str) -> Result<(), RecordError> {
        if has { Err(RecordError::Begun { call }) } else { Ok(()) }
    }

    /// Refuses a dispatch before the preamble.
    pub(super) fn may_dispatch(&self) -> Result<(), RecordError> {
        self.fits()?;
        if self.begun_compute { Ok(()) } else { Err(RecordError::ComputeNotBegun) }
    }

    /// Refuses a barrier or fence before any preamble.
    #[inline]
    pub(super) fn may_sync(&self) -> Result<(), RecordError> {
        self.fits()?;
        match self.writer.queue() {
            _ if self.begun.is_some() || self.begun_compute => Ok(()),
            Queue::Compute => Err(RecordError::ComputeNotBegun),
            Queue::Graphics | Queue::Constant => Err(RecordError::NotBegun),
        }
    }

    /// Refuses a call that ignores the bound state; `bound` is true if something is bound.
    pub(super) fn may_ignore(&self, bound: bool, call: &'static str, instead: &'static str) -> Result<(), RecordError> {
        if bound && !self.is_apart { Err(RecordError::Mixed { call, instead }) } else { Ok(()) }
    }

    /// Refuses a draw that does not write DB_DFSM_CONTROL after this recorder has written that register, in its preamble or for another draw.
    pub(super) fn may_leave_drain(&self, image: &RegisterImage) -> Result<(), RecordError> {
        let register = on_gfx!(self.chip.gfx(), r => {
            Gfx9 | Gfx10 | Gfx103 => Some(r::addr::DB_DFSM_CONTROL),
            Gfx11x | Gfx12 => None,
        });
        let written = |addr| !self.is_secondary() || self.held.get(addr).is_some();
        match register.filter(|addr| image.get(*addr).is_none()) {
            Some(addr) if written(addr) => Err(RecordError::DrainWritten),
            _ => Ok(()),
        }
    }

    /// Writes these registers of an image, each with the packet that its generation needs.
    pub(super) fn registers(&mut self, image: &RegisterImage, slots: &Slots) -> Result<(), RecordError> {
        self.writer.break_run();
        Ok(self.held.write(image, slots, &mut self.writer)?)
    }

    /// Records that registers may hold anything and that any draw may have been the last.
    pub(super) fn forget(&mut self) {
        self.bound.forget_registers();
        self.held.forget();
        self.calls.forget();
    }

    /// Returns all dwords recorded so far; over [`Chunks`] those of the current chunk.
    pub fn words(&self) -> &[u32] {
        self.writer.words()
    }

    /// Returns whether a context register was written since the last draw, for any reason.
    pub(super) fn rolled(&self) -> bool {
        let since = self.writer.words().get(self.calls.end()..).unwrap_or_default();
        let rolls = |packet: Packet<'_>| packet.opcode().is_some_and(|opcode| opcode.effect_kinds(self.chip.gfx()).intersects(EffectKinds::ROLLS));
        self.calls.has_rolled() || Reader::new(since).flatten().any(rolls)
    }

    /// Refuses a pipeline that was created for another chip or board than the recorder's. If either board is unknown, the boards are assumed to be equal.
    #[inline]
    pub(super) fn same_machine(&self, machine: u32, chip: Chip, board: Option<Board>) -> Result<(), RecordError> {
        if machine == self.machine { Ok(()) } else { self.other_machine(chip, board) }
    }

    #[cold]
    pub(super) fn other_machine(&self, chip: Chip, board: Option<Board>) -> Result<(), RecordError> {
        self.same_chip(chip)?;
        match (board, self.gpu.board) {
            (Some(of), Some(recorder)) if of != recorder => Err(RecordError::OtherBoard { of, recorder }),
            _ => Ok(()),
        }
    }

    /// Refuses an object that was created for another chip.
    #[inline]
    pub(super) fn same_chip(&self, resolved: Chip) -> Result<(), RecordError> {
        if resolved == self.chip { Ok(()) } else { Err(RecordError::OtherChip { resolved, recorder: self.chip }) }
    }
}
