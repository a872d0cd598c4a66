//! Dispatches recorded into packets.

use crate::draw::record::{RecordError, Recorder};
use crate::draw::stage::{ResolvedDispatch, ResolvedGrid, compute_queue};
use crate::packet::{Buffer, Header, Opcode, Queue, ShaderType};

/// BASE_INDEX of SET_BASE: the table that indirect packets of the graphics queue count from.
const PATCH_TABLE: u32 = 1;

impl<B: Buffer> Recorder<B> {
    /// Writes what a queue must hold before its first dispatch ([`compute_queue`]).
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn begin_compute(&mut self) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| recorder.registers(&compute_queue(recorder.chip, None)))
    }

    /// Writes all registers of a dispatch, then the dispatch.
    ///
    /// # Errors
    /// When the dispatch is of another chip or the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DispatchDesc, Recorder};
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// recorder.dispatch(&DispatchDesc::default().resolve(Chip::Navi31)?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dispatch(&mut self, dispatch: &ResolvedDispatch) -> Result<(), RecordError> {
        if dispatch.chip != self.chip {
            return Err(RecordError::OtherChip { resolved: dispatch.chip, recorder: self.chip });
        }
        self.all_or_nothing(|recorder| recorder.dispatch_parts(dispatch))
    }

    fn dispatch_parts(&mut self, dispatch: &ResolvedDispatch) -> Result<(), RecordError> {
        self.registers(&dispatch.image)?;
        let writer = &mut self.writer;
        let compute = |opcode, body: &[u32]| Header::type3(opcode, body.len()).with_shader_type(ShaderType::Compute);
        match dispatch.grid {
            ResolvedGrid::Direct([x, y, z]) => {
                let body = [x, y, z, dispatch.initiator];
                writer.packet_with(compute(Opcode::DISPATCH_DIRECT, &body), &body)?;
            }
            ResolvedGrid::Indirect(address) => {
                let (lo, hi) = (address as u32, (address >> 32) as u32);
                // The graphics queue counts from an 8-aligned base, a compute queue has the address in the packet.
                if writer.queue() == Queue::Graphics {
                    let body = [PATCH_TABLE, lo & !7, hi];
                    writer.packet_with(compute(Opcode::SET_BASE, &body), &body)?;
                    let body = [lo & 7, dispatch.initiator];
                    writer.packet_with(compute(Opcode::DISPATCH_INDIRECT, &body), &body)?;
                } else {
                    let body = [lo, hi, dispatch.initiator];
                    writer.packet_with(compute(Opcode::DISPATCH_INDIRECT, &body), &body)?;
                }
            }
        }
        Ok(())
    }
}
