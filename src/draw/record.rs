//! From register images to packets.

use crate::chip::Chip;
use crate::draw::calls::{CallError, DrawCall};
use crate::draw::error::DrawError;
use crate::draw::image::{Image, RegisterValue};
use crate::draw::preamble::{self, QueueMemory};
use crate::draw::record_calls::CallState;
use crate::draw::resolve::Resolved;
use crate::draw::sync::{SyncError, SyncState};
use crate::packet::{Buffer, Queue, StreamError, WriteError, Writer, register_group, register_index};
use crate::regs::LONGEST_GROUP;
use alloc::vec::Vec;

/// Why a draw cannot be recorded.
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
    /// A draw or dispatch call that the chip cannot run.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A barrier, fence or wait that the chip cannot have.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// Memory that hardware cannot take.
    #[error(transparent)]
    Memory(DrawError),
    /// A packet cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl StreamError for RecordError {
    fn write_error(&self) -> Option<&WriteError> {
        if let Self::Write(error) = self { Some(error) } else { None }
    }
}

/// Records draws into a command buffer. A call that is refused leaves nothing behind: neither packets nor counts.
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
pub struct Recorder<B> {
    pub(super) chip: Chip,
    pub(super) writer: Writer<B>,
    pub(super) sync: SyncState,
    pub(super) calls: CallState,
}

impl Recorder<Vec<u32>> {
    /// A recorder into a buffer that grows.
    pub fn new(chip: Chip) -> Self {
        Self { chip, writer: Writer::growable(chip.gfx(), Queue::Graphics), sync: SyncState::default(), calls: CallState::default() }
    }
}

impl<'a> Recorder<crate::packet::Fixed<'a>> {
    /// A recorder into memory of a fixed size.
    pub fn fixed(chip: Chip, memory: &'a mut [u32]) -> Self {
        Self { chip, writer: Writer::fixed(chip.gfx(), Queue::Graphics, memory), sync: SyncState::default(), calls: CallState::default() }
    }
}

/// Both dwords of CONTEXT_CONTROL with nothing but the update bit: the command processor neither loads nor shadows registers.
const UPDATE_ONLY: u32 = 1 << 31;

/// Command buffers are padded to this many dwords (Mesa 25.0.7 ac_gpu_info.c ib_size_alignment; captures).
const PAD_DWORDS: usize = 8;

impl<B: Buffer> Recorder<B> {
    /// Writes the preamble: CONTEXT_CONTROL, CLEAR_STATE where the generation has it, and the registers that no draw changes, DB_DFSM_CONTROL among them,
    /// whose reset default would force DFSM and the POPS drain on.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn begin(&mut self) -> Result<(), RecordError> {
        self.begin_with(&QueueMemory::default())
    }

    /// The same with memory that all draws share.
    ///
    /// # Errors
    /// [`RecordError::Memory`] for memory that hardware cannot take, [`WriteError`] when the buffer is full.
    pub fn begin_with(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        memory.check().map_err(RecordError::Memory)?;
        self.all_or_nothing(|recorder| {
            recorder.writer.context_control(UPDATE_ONLY, UPDATE_ONLY)?;
            if recorder.chip.gfx().major() < 12 {
                recorder.writer.clear_state()?;
            }
            if let Some(wait) = memory.wait(recorder.chip.gfx()) {
                wait.write(recorder.chip, &mut recorder.writer, &mut recorder.sync)?;
            }
            recorder.registers(&preamble::image(recorder.chip, memory))
        })
    }

    /// A call as one piece: refused, it leaves the stream and all counts as they were.
    pub(super) fn all_or_nothing<T>(&mut self, call: impl FnOnce(&mut Self) -> Result<T, RecordError>) -> Result<T, RecordError> {
        let (mark, sync, calls) = (self.writer.mark(), self.sync.clone(), self.calls.clone());
        call(self).inspect_err(|_| {
            self.writer.return_to(mark);
            (self.sync, self.calls) = (sync, calls);
        })
    }

    /// Writes all registers of a draw, then the draw.
    ///
    /// # Errors
    /// When the draw is of another chip or the buffer is full.
    pub fn draw(&mut self, draw: &Resolved) -> Result<(), RecordError> {
        self.draw_call(draw, &DrawCall::from(draw))
    }

    /// Writes the registers of an image, each in the packet that its generation wants.
    pub(super) fn registers(&mut self, image: &Image) -> Result<(), RecordError> {
        self.in_groups(image.registers())
    }

    /// Writes registers one by one, and those that belong together as one.
    pub(super) fn in_groups(&mut self, mut registers: impl Iterator<Item = RegisterValue> + Clone) -> Result<(), RecordError> {
        while let Some(first) = registers.next() {
            let group = register_group(self.chip.gfx(), first.addr).map_or(1, |group| group.len() / 4);
            let whole = group > 1 && registers.clone().nth(group - 2).is_some_and(|last| last.addr == first.addr + 4 * (group as u32 - 1));
            let mut values = [first.value; LONGEST_GROUP];
            let count = if whole { group } else { 1 };
            for (value, register) in values.iter_mut().skip(1).zip(registers.by_ref().take(count - 1)) {
                *value = register.value;
            }
            match register_index(self.chip.gfx(), first.addr) {
                Some(index) => self.writer.set_reg_indexed(first.addr, first.value, index)?,
                None => self.writer.set_regs(first.addr, values.get(..count).unwrap_or_default())?,
            }
        }
        Ok(())
    }

    /// All dwords recorded so far.
    pub fn words(&self) -> &[u32] {
        self.writer.words()
    }

    /// The packet writer, for packets between draws. The recorder trusts nothing that it remembers of registers and draws afterwards: the next draw writes its
    /// index type again, and what workarounds want after any draw. Pipeline statistics must be started by [`count_statistics`](Self::count_statistics), which
    /// remembers them.
    pub fn writer(&mut self) -> &mut Writer<B> {
        self.calls.forget();
        &mut self.writer
    }

    /// Writes what errata want at the end, pads the buffer to 8 dwords and gives it back.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn finish(mut self) -> Result<B, RecordError> {
        self.end_of_buffer()?;
        self.writer.pad(PAD_DWORDS, 0)?;
        Ok(self.writer.into_buffer())
    }
}
