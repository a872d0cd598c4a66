//! The preamble of a command buffer.

use crate::draw::check::rings::Rings;
use crate::draw::decide::preamble;
use crate::draw::desc::board::check_gpu;
use crate::draw::desc::{ClearMethod, DrawError, QueueMemory};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::Buffer;

impl<B: Buffer> Recorder<B> {
    /// Writes the preamble: CONTEXT_CONTROL, CLEAR_STATE if the generation has it ([`clear_method`](Self::clear_method)), and the registers that no draw
    /// changes, up to GFX10.3 also DB_DFSM_CONTROL: on most chips its reset value turns DFSM and the POPS drain on. The rings that draws of GFX11 and later use
    /// are assumed to be set elsewhere, in another command buffer or by the kernel: [`begin_with`](Self::begin_with) sets them here.
    ///
    /// # Errors
    /// [`RecordError::Begun`] after an earlier preamble, [`RecordError::ComputeQueue`] on a compute queue, [`RecordError::OtherStream`] for a stream of another
    /// generation, [`RecordError::Draw`] for registers in place of CLEAR_STATE before GFX11 and for numbers of the board or of render backends that are not 1
    /// to 32, [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn begin(&mut self) -> Result<(), RecordError> {
        self.begin_in(&QueueMemory::default())?;
        self.begun = Some(Rings::ALL);
        Ok(())
    }

    /// Writes the preamble as [`begin`](Self::begin) does, and sets the memory that all draws share. A draw that needs a missing ring is refused.
    ///
    /// # Errors
    /// The errors of [`begin`](Self::begin), and [`RecordError::Draw`] for memory that hardware cannot accept.
    pub fn begin_with(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        self.begin_in(memory)?;
        self.begun = Some(Rings::of(memory));
        Ok(())
    }

    fn begin_in(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        self.fits()?;
        self.is_for_draws()?;
        self.may_begin(self.preambles[0], "begin")?;
        memory.check(self.chip.gfx())?;
        check_gpu(&self.gpu)?;
        let (chip, clear_method, gpu) = (self.chip, self.clear_method, self.gpu);
        if clear_method == ClearMethod::Registers && chip.gfx().major() < 11 {
            let absent = DrawError::OptionAbsent { option: "a preamble of registers instead of CLEAR_STATE", chip, limit: "GFX11 and later have it" };
            return Err(absent.into());
        }
        let preamble = preamble::image(chip, &gpu, memory, clear_method);
        self.all_or_nothing(|recorder| {
            // Because of CLEAR_STATE and the loads that CONTEXT_CONTROL turns off, earlier register contents are no longer valid.
            recorder.bound.forget_registers();
            recorder.held.forget();
            recorder.with_registers(&preamble, |recorder, differing| {
                recorder.writer.load_and_shadow_nothing()?;
                if preamble::sends_clear_state(chip.gfx(), clear_method) {
                    recorder.writer.clear_state()?;
                }
                memory.events(chip.gfx()).iter().try_for_each(|event| recorder.writer.event(*event))?;
                if let Some(wait) = memory.wait(chip) {
                    recorder.write_plan(&wait)?;
                }
                recorder.registers(&preamble, differing)?;
                preamble::sample_counters(chip.gfx(), &gpu).map_or(Ok(()), |counters| Ok(recorder.writer.emit(&counters)?))
            })
        })?;
        self.preambles[0] = true;
        Ok(())
    }
}
