//! From register images to packets, without the registers that the hardware holds already.

use crate::chip::{Chip, Gfx};
use crate::draw::calls::{CallError, DrawCall};
use crate::draw::error::DrawError;
use crate::draw::image::RegisterImage;
use crate::draw::preamble::{self, ClearMethod, QueueMemory, Rings};
use crate::draw::record_bound::Bound;
use crate::draw::record_calls::{CallState, Places, lost_by_rolls};
use crate::draw::record_compute::BoundCompute;
use crate::draw::record_held::{Held, Slots};
use crate::draw::resolve::Resolved;
use crate::draw::stage::{Board, Stage, Units};
use crate::draw::sync::{SyncError, SyncState};
use crate::packet::{
    Action, Buffer, BufferLevel, ChunkSource, Chunks, CommandBuffer, EffectKinds, Emit, FinishedBuffer, IbKind, Queue, Reader, StreamError, WriteError, Writer,
};
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Why a call of the recorder is refused.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, RecordError, Recorder};
/// let draw = DrawDesc::default().resolve(Chip::Navi21)?;
/// assert_eq!(Recorder::new(Chip::Navi21).draw(&draw), Err(RecordError::NotBegun)); // registers have no known values yet
/// let mut other = Recorder::new(Chip::Navi31);
/// other.begin()?;
/// assert_eq!(other.draw(&draw), Err(RecordError::OtherChip { resolved: Chip::Navi21, recorder: Chip::Navi31 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The draw was resolved for another chip.
    #[error("a draw resolved for {resolved} cannot be recorded for {recorder}")]
    OtherChip {
        /// The chip of the draw.
        resolved: Chip,
        /// The chip of the recorder.
        recorder: Chip,
    },
    /// The writer that the recorder was given is for another generation than its chip, or for a queue that it does not record for.
    #[error("a recorder for {recorder} writes streams of {} for the graphics or the compute queue, not of {gfx} for the {queue:?} queue", recorder.gfx())]
    OtherStream {
        /// The generation of the writer.
        gfx: Gfx,
        /// The queue of the writer.
        queue: Queue,
        /// The chip of the recorder.
        recorder: Chip,
    },
    /// A draw or dispatch call that the chip cannot run.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A barrier, fence or wait that the chip cannot have.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// Memory, or another choice of a preamble, that hardware cannot accept.
    #[error(transparent)]
    Memory(DrawError),
    /// A pipeline, targets and dynamic state that the chip cannot have together, or a value that no register holds.
    #[error(transparent)]
    Draw(DrawError),
    /// Targets that a caller has written, in a command buffer that has no caller.
    #[error("inherited targets need a secondary command buffer: bind targets made with Targets::new, or record with Recorder::secondary")]
    Inherited,
    /// A draw without the preamble: registers have no known values.
    #[error("a draw before the preamble: call begin() first, or record a secondary command buffer, which others call after their preamble")]
    NotBegun,
    /// A draw, or the preamble of draws, on a compute queue.
    #[error("a compute queue cannot draw: record draws on the graphics queue. The preamble for dispatches is begin_compute()")]
    ComputeQueue,
    /// A draw that goes through a ring which the preamble did not set.
    #[error("{chip} needs the {what} for this draw: pass it to begin_with(), or call begin() if another command buffer sets it")]
    NoRing {
        /// The ring.
        what: &'static str,
        /// The chip.
        chip: Chip,
    },
    /// A draw that counts on the reset default of DB_DFSM_CONTROL ([`Drain::ResetDefault`](crate::draw::Drain::ResetDefault)) where this recorder has written
    /// the register.
    #[error(
        "the draw has Drain::ResetDefault, but this command buffer has written DB_DFSM_CONTROL: use Drain::Auto, On or Off, or record the draw in a secondary command buffer"
    )]
    DrainWritten,
    /// Streamout that cannot begin or end so.
    #[error("streamout: {why}")]
    Streamout {
        /// What is wrong, and what to do.
        why: &'static str,
    },
    /// Task work that the chip cannot run.
    #[error("task shaders: {why}")]
    Tasks {
        /// What is wrong.
        why: &'static str,
    },
    /// A draw that is not a pass over targets.
    #[error("draw_pass was called with a draw that is not a pass: set `PipelineDesc::pass`")]
    Pass,
    /// A draw or dispatch without something that must be bound.
    #[error("no {what} bound: bind one before the draw or dispatch")]
    NotBound {
        /// What is missing.
        what: &'static str,
    },
    /// User SGPRs that the stage does not have.
    #[error("{} of user data from SGPR {first} on: {}", counted(*words, "word"), user_sgprs(*stage, *limit))]
    UserData {
        /// The stage.
        stage: Stage,
        /// The first user SGPR.
        first: u32,
        /// The words.
        words: usize,
        /// How many user SGPRs the stage has. 0 for compute in [`Recorder::set_user_data`], which [`Recorder::set_compute_data`] serves.
        limit: u32,
    },
    /// A packet cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// How many user SGPRs a stage has, or what to call instead.
fn user_sgprs(stage: Stage, limit: u32) -> String {
    match limit {
        0 if stage == Stage::Compute => "user data of compute is set with set_compute_data".into(),
        _ => format!("{stage} has {limit} user SGPRs"),
    }
}

impl StreamError for RecordError {
    fn write_error(&self) -> Option<&WriteError> {
        if let Self::Write(error) = self { Some(error) } else { None }
    }
}

/// Records draws into a command buffer. A refused call changes nothing: neither packets nor counts.
///
/// A draw writes only the registers that do not hold their values already: the recorder knows what it wrote, and forgets it where something else may have
/// changed it ([`writer`](Self::writer), [`emit`](Self::emit), [`call`](Self::call), [`begin`](Self::begin), draws in a range that may be skipped). A draw
/// that changes no context register rolls no context.
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
/// A second draw with the same state is the packet that draws, and no more:
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
    /// What registers hold. It changes only when a call is written whole.
    pub(super) held: Held,
    /// Slots of the registers that a context roll loses, where it loses any.
    pub(super) lost_by_rolls: Option<Range<usize>>,
    pub(super) places: Places,
    pub(super) bound: Bound,
    pub(super) compute: BoundCompute,
    /// The rings of the preamble, or those of another buffer; None before any.
    begun: Option<Rings>,
    clear_method: ClearMethod,
    pub(super) units: Units,
    /// The calls that run are parts of another one ([`in_one_call`](Self::in_one_call)).
    in_one_call: bool,
}

impl Recorder<Vec<u32>> {
    /// A recorder into a buffer that grows.
    pub fn new(chip: Chip) -> Self {
        Self::from_writer(chip, Writer::growable(chip.gfx(), Queue::Graphics))
    }

    /// A recorder of a secondary command buffer, which grows: one that others [call](Self::call) after their preamble, and that has none itself.
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
    pub fn secondary(chip: Chip) -> Self {
        Self::new(chip).into_secondary()
    }
}

impl<'a> Recorder<crate::packet::FixedBuffer<'a>> {
    /// A recorder into memory of a fixed size.
    pub fn fixed(chip: Chip, memory: &'a mut [u32]) -> Self {
        Self::from_writer(chip, Writer::fixed(chip.gfx(), Queue::Graphics, memory))
    }
}

impl<S: ChunkSource> Recorder<Chunks<S>> {
    /// A recorder into chunks of memory: when a chunk is full, the recorder continues in the next one, even in the middle of a frame. A draw and its state
    /// are always in one chunk.
    ///
    /// # Errors
    /// Those of [`Chunks::new`].
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
    pub fn chunked(chip: Chip, chunk_dwords: usize, source: S) -> Result<Self, WriteError> {
        Ok(Self::from_writer(chip, Writer::new(chip.gfx(), Queue::Graphics, Chunks::new(chunk_dwords, source)?)))
    }

    /// Ends the command buffer and gives back its chunks.
    ///
    /// # Errors
    /// When the last packets find no memory, [`SpanOpen`](WriteError::SpanOpen) when a range that may be skipped is not full, and [`RecordError::Streamout`]
    /// where streamout has not ended.
    pub fn finish_chunks(mut self) -> Result<FinishedBuffer, RecordError> {
        self.may_end()?;
        self.all_or_nothing(|recorder| recorder.end_of_buffer())?;
        Ok(CommandBuffer::of(self.writer).finish()?)
    }
}

/// Selects the shader engines, arrays and instances that register writes reach.
const GRBM_GFX_INDEX: u32 = 0x3_0800;

/// Command buffers are padded to this many dwords (Mesa 25.0.7 ac_gpu_info.c ib_size_alignment; captures).
const PAD_DWORDS: usize = 8;

impl<B: Buffer> Recorder<B> {
    /// A recorder that continues after what a writer of the graphics or the compute queue holds, over any buffer. At the start all register values are unknown.
    /// Over a writer of another generation than the chip's, all calls end with [`RecordError::OtherStream`].
    pub fn from_writer(chip: Chip, writer: Writer<B>) -> Self {
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
            clear_method: ClearMethod::default(),
            units: Units::recorded(chip),
            in_one_call: false,
        }
    }

    /// The recorder of a secondary command buffer: others call it after their preamble, and it has none itself.
    #[must_use]
    pub fn into_secondary(mut self) -> Self {
        self.begun = Some(Rings::ALL);
        self.writer.set_level(BufferLevel::Secondary);
        self.calls.follow_caller();
        self
    }

    /// How its preambles clear registers, where the generation leaves a choice; by default CLEAR_STATE.
    #[must_use]
    pub fn clear_method(mut self, clear_method: ClearMethod) -> Self {
        self.clear_method = clear_method;
        self
    }

    /// The board that its preambles are for; without this call [`Board::recorded`], where there is one. Pipelines have a board of their own
    /// ([`PipelineDesc::board`](crate::draw::PipelineDesc::board)). Each of its numbers is 1 to 32; [`begin`](Self::begin) refuses others
    /// ([`RecordError::Memory`]).
    #[must_use]
    pub fn board(mut self, board: Board) -> Self {
        self.units.board = Some(board);
        self
    }

    /// The render backends that the chip has at most, 1 to 32, as the kernel reports it (num_rb_pipes of the device information); without this call those of
    /// the recorded board, for chips that have one ([`Board::recorded`]). Preambles of GFX10 and later choose cache policies by it. On GFX11 and later they
    /// also choose the counters of [`sample_occlusion`](Self::sample_occlusion), unless the number is not known. [`begin`](Self::begin) refuses other numbers
    /// ([`RecordError::Memory`]).
    ///
    /// ```
    /// # #[cfg(feature = "gfx12")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// let mut recorder = Recorder::new(Chip::Gfx1201).render_backends(16);
    /// recorder.begin()?;
    /// // EVENT_WRITE of PIXEL_PIPE_STAT_CONTROL: counts of 16 backends, 16 bytes apart.
    /// assert!(recorder.words().windows(4).any(|words| words == [0xC002_4600, 0x138, 0x07FF_FC00, 0]));
    /// # }
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    #[must_use]
    pub fn render_backends(mut self, count: u32) -> Self {
        self.units.render_backends = Some(count);
        self
    }

    /// Refuses a writer of another generation or queue.
    #[inline]
    fn fits(&self) -> Result<(), RecordError> {
        let (gfx, queue) = (self.writer.gfx(), self.writer.queue());
        if gfx == self.chip.gfx() && queue != Queue::Constant { Ok(()) } else { Err(RecordError::OtherStream { gfx, queue, recorder: self.chip }) }
    }

    /// Refuses an end within streamout, and one within a range that may be skipped: what follows the buffer would be a part of it.
    fn may_end(&self) -> Result<(), RecordError> {
        self.may_end_streaming()?;
        match self.writer.missing_dwords() {
            0 => Ok(()),
            left => Err(WriteError::SpanOpen { left }.into()),
        }
    }

    /// Whether another command buffer calls this one.
    pub(super) fn is_secondary(&self) -> bool {
        self.writer.level() == BufferLevel::Secondary
    }

    /// Refuses draws and their preamble on a compute queue.
    fn is_for_draws(&self) -> Result<(), RecordError> {
        if self.writer.queue() == Queue::Compute { Err(RecordError::ComputeQueue) } else { Ok(()) }
    }

    /// Refuses a draw without the preamble before it, or without rings that it needs.
    pub(super) fn may_draw(&self, needed: Rings) -> Result<(), RecordError> {
        self.fits()?;
        self.is_for_draws()?;
        match self.begun.ok_or(RecordError::NotBegun)?.missing(needed) {
            Some(what) => Err(RecordError::NoRing { what, chip: self.chip }),
            None => Ok(()),
        }
    }

    /// Refuses a draw without DB_DFSM_CONTROL of its own where this recorder has written that register, in its preamble or for another draw.
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

    /// Writes the preamble: CONTEXT_CONTROL, CLEAR_STATE where the generation has it ([`clear_method`](Self::clear_method)), and the registers that no draw
    /// changes, up to GFX10.3 also DB_DFSM_CONTROL: on most chips its reset value turns DFSM and the POPS drain on. The rings that draws of GFX11 and later use
    /// are assumed to be set elsewhere, in another command buffer or by the kernel: [`begin_with`](Self::begin_with) sets them here.
    ///
    /// # Errors
    /// [`RecordError::ComputeQueue`] on a compute queue, [`RecordError::OtherStream`] for a stream of another generation, [`RecordError::Memory`] for registers
    /// in place of CLEAR_STATE before GFX11 and for numbers of the board or of render backends that are not 1 to 32, [`WriteError::Full`] when the buffer is
    /// full.
    pub fn begin(&mut self) -> Result<(), RecordError> {
        self.begin_in(&QueueMemory::default())?;
        self.begun = Some(Rings::ALL);
        Ok(())
    }

    /// Writes the preamble as [`begin`](Self::begin) does, and sets the memory that all draws share. A draw that needs a ring which is not there is refused.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin), and [`RecordError::Memory`] for memory that hardware cannot accept.
    pub fn begin_with(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        self.begin_in(memory)?;
        self.begun = Some(Rings::of(memory));
        Ok(())
    }

    fn begin_in(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        self.fits()?;
        self.is_for_draws()?;
        memory.check(self.chip.gfx()).map_err(RecordError::Memory)?;
        self.units.check().map_err(RecordError::Memory)?;
        let (chip, clear_method, units) = (self.chip, self.clear_method, self.units);
        if clear_method == ClearMethod::Registers && chip.gfx().major() < 11 {
            let absent = DrawError::OptionAbsent { option: "a preamble of registers in place of CLEAR_STATE", chip, limit: "GFX11 and later have it" };
            return Err(RecordError::Memory(absent));
        }
        // CLEAR_STATE and the loads that CONTEXT_CONTROL switches off: what registers held before counts no more.
        let known = self.held.known();
        self.bound.forget_registers();
        self.held.forget();
        let preamble = preamble::image(chip, units, memory, clear_method);
        let written = self.with_registers(&preamble, |recorder, differing| {
            recorder.writer.load_and_shadow_nothing()?;
            if preamble::sends_clear_state(chip.gfx(), clear_method) {
                recorder.writer.clear_state()?;
            }
            memory.events(recorder.chip.gfx()).iter().try_for_each(|event| recorder.writer.event(*event))?;
            if let Some(wait) = memory.wait(recorder.chip.gfx()) {
                wait.write(recorder.chip, &mut recorder.writer, &mut recorder.sync)?;
            }
            recorder.registers(&preamble, differing)?;
            preamble::sample_counters(chip.gfx(), units).map_or(Ok(()), |counters| Ok(recorder.writer.emit(&counters)?))
        });
        written.inspect_err(|_| self.held.know(known))
    }

    /// A call as one piece: if it is refused, the stream and all counts are as they were before. What no longer fits is written into other memory, if the
    /// buffer has any.
    pub(crate) fn all_or_nothing<T>(&mut self, mut call: impl FnMut(&mut Self) -> Result<T, RecordError>) -> Result<T, RecordError> {
        self.fits()?;
        if self.in_one_call {
            return call(self);
        }
        loop {
            let (mark, sync, calls) = (self.writer.mark(), self.sync.clone(), self.calls.clone());
            let error = match call(self) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            self.writer.return_to(mark);
            (self.sync, self.calls) = (sync, calls);
            let full = matches!(error, RecordError::Write(WriteError::Full { .. })) && !self.writer.is_empty();
            // What was written since the last draw is in the memory before.
            let rolled = full && self.rolled();
            if !full || !self.writer.continue_elsewhere()? {
                return Err(error);
            }
            (self.calls.end, self.calls.rolled, self.bound.plain.draws) = (0, rolled, false);
        }
    }

    /// Several calls as one piece: if one of them is refused, nothing of the others is written or known. They are in one chunk.
    pub(super) fn in_one_call<T>(&mut self, mut calls: impl FnMut(&mut Self) -> Result<T, RecordError>) -> Result<T, RecordError> {
        self.all_or_nothing(|recorder| {
            let held = recorder.held.clone();
            recorder.in_one_call = true;
            let done = calls(recorder);
            recorder.in_one_call = false;
            done.inspect_err(|_| {
                recorder.held = held;
                recorder.bound.forget_registers();
            })
        })
    }

    /// Writes the registers of a draw that do not hold their values, then the draw: the vertices and instances of its description, or one workgroup of a mesh
    /// shader, for which these do not count ([`draw_call`](Self::draw_call) with [`DrawCall::Mesh`] draws more).
    ///
    /// A resolved draw has all of its state ([`DrawDesc::state`](crate::draw::DrawDesc::state)): bound objects and the dynamic state of the recorder
    /// ([`set_user_data`](Self::set_user_data) and the like) do not count for it: they count for [`draw_bound`](Self::draw_bound).
    ///
    /// # Errors
    /// Those of [`draw_call`](Self::draw_call).
    pub fn draw(&mut self, draw: &Resolved) -> Result<(), RecordError> {
        self.draw_call(draw, &DrawCall::from(draw))
    }

    /// A call that brings registers to an image: those that differ hold their values once it is written whole.
    pub(super) fn with_registers<T>(
        &mut self,
        image: &RegisterImage,
        mut call: impl FnMut(&mut Self, &Slots) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let (certain, differing) = (self.writer.is_certain(), self.held.differing(image));
        let done = self.all_or_nothing(|recorder| call(recorder, &differing))?;
        if certain {
            self.held.take(image, &differing)
        } else {
            self.forget()
        }
        Ok(done)
    }

    /// Writes these registers of an image, each with the packet that its generation needs.
    pub(super) fn registers(&mut self, image: &RegisterImage, slots: &Slots) -> Result<(), RecordError> {
        self.writer.break_run();
        Ok(self.held.write(image, slots, &mut self.writer)?)
    }

    /// Registers may hold anything, and any draw may have been the last one.
    pub(super) fn forget(&mut self) {
        self.bound.forget_registers();
        self.held.forget();
        self.calls.forget();
    }

    /// All dwords recorded so far; over [`Chunks`] those of the current chunk.
    pub fn words(&self) -> &[u32] {
        self.writer.words()
    }

    /// The packet writer, for packets between draws. The recorder trusts nothing that it remembers of registers and draws afterwards: the next draw writes all
    /// of its registers again, and what workarounds need after any draw; [`emit`](Self::emit) writes a packet without that, [`words`](Self::words) reads.
    /// Pipeline statistics must be started by [`count_statistics`](Self::count_statistics), which remembers them.
    pub fn writer(&mut self) -> &mut Writer<B> {
        self.forget();
        self.writer.invalidate_state();
        &mut self.writer
    }

    /// Writes a packet between draws. What its effects say it may change, the next draw writes again; all else stays known.
    ///
    /// # Errors
    /// Those of [`Writer::emit`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, Recorder};
    /// use pm4::packet::{PacketFields, gfx11::SetContextReg};
    /// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
    /// let mut recorder = Recorder::secondary(Chip::Navi31);
    /// recorder.draw(&draw)?;
    /// recorder.emit(&SetContextReg { reg_offset: 0x203, ..Default::default() }.followed_by(&[0]))?; // DB_SHADER_CONTROL
    /// let before = recorder.words().len();
    /// recorder.draw(&draw)?;
    /// assert_eq!(recorder.words()[before..][..2], [0xC001_6900, 0x203]); // written again, and the number of instances with it
    /// assert_eq!(recorder.words()[before..].len(), 3 + 2 + 3);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn emit<P: Emit>(&mut self, packet: &P) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.emit(packet)?))?;
        // It is last, wherever it was written.
        self.observe(self.writer.len() - self.writer.last_packet().len());
        Ok(())
    }

    /// Calls the buffer of this many dwords at an address. What it changes is unknown: the next draw writes all of its registers.
    ///
    /// # Errors
    /// Those of [`Writer::indirect_buffer`]; [`WriteError::Nesting`] in a secondary command buffer, which calls none itself.
    pub fn call(&mut self, addr: u64, dwords: u32) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.indirect_buffer(IbKind::Call, addr, dwords)?))?;
        self.forget();
        Ok(())
    }

    /// Forgets what packets of the caller's may have changed.
    fn observe(&mut self, from: usize) {
        let (gfx, queue) = (self.writer.gfx(), self.writer.queue());
        self.bound.forget_registers();
        for packet in Reader::new(self.writer.words().get(from..).unwrap_or_default()).flatten() {
            let held = &mut self.held;
            packet.visit_effects(gfx, queue, &mut |effect| match effect.action {
                // GRBM_GFX_INDEX now selects other instances: their values are not known.
                Action::Set { write, .. } if write.addr == GRBM_GFX_INDEX => held.forget(),
                Action::Set { write, .. } => held.set(write.addr, None),
                Action::Modify { addr, .. } => held.set(addr, None),
                Action::Unknown { addr, registers, .. } => (0..registers).for_each(|n| held.set(addr.wrapping_add(4 * n), None)),
                Action::UnknownWindow(_) | Action::Anything | Action::Run { .. } => held.forget(),
                // Draws check themselves whether they may be skipped.
                Action::Skip { .. } => {}
                Action::Read { .. } | Action::Write { .. } | Action::Base { .. } | Action::Rolls | Action::Waits => {}
            });
            match packet.opcode().map(|opcode| opcode.effect_kinds(gfx)) {
                Some(kinds) if !kinds.intersects(EffectKinds::REGISTERS.or(EffectKinds::DRAW).or(EffectKinds::RUNS)) => {
                    if kinds.intersects(EffectKinds::STATE) {
                        self.calls.forget_state();
                    }
                }
                _ => self.calls.forget(),
            }
        }
    }

    /// Writes what errata need at the end, pads the buffer to 8 dwords and returns it. Of a [chunked](Self::chunked) recorder
    /// [`finish_chunks`](Self::finish_chunks) returns what is submitted or called; this gives its [`Chunks`], and
    /// [`into_chunks`](Chunks::into_chunks) of those gives the words.
    ///
    /// # Errors
    /// [`WriteError::Full`] when the buffer is full, [`WriteError::SpanOpen`] when the end of a range that may be skipped is missing, and
    /// [`RecordError::Streamout`] where streamout has not ended.
    pub fn finish(mut self) -> Result<B, RecordError> {
        self.may_end()?;
        self.all_or_nothing(|recorder| recorder.end_of_buffer())?;
        self.all_or_nothing(|recorder| Ok(recorder.writer.pad(PAD_DWORDS, 0)?))?;
        Ok(self.writer.into_buffer())
    }
}
