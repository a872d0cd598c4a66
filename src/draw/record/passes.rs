//! Passes over targets, with the barriers that they need.

use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::Resolved;
use crate::draw::sync::Access;
use crate::draw::sync::Barrier;
use crate::packet::Buffer;

impl<B: Buffer> Recorder<B> {
    /// Records a pass over targets: waits until earlier drawing to them is in memory, draws, and waits for the pass.
    ///
    /// # Errors
    /// [`RecordError::Pass`] for a draw that is not a pass, [`SyncError`](crate::draw::sync::SyncError) without memory that barriers need, those of
    /// [`draw`](Self::draw).
    pub fn draw_pass(&mut self, draw: &Resolved) -> Result<(), RecordError> {
        let Some(pass) = draw.pass else { return Err(RecordError::Pass) };
        let (writes, reads) = if pass.is_color_pass() { (Access::ColorWrite, Access::PixelRead) } else { (Access::DepthWrite, Access::PixelRead) };
        // Passes work on metadata or bypass it.
        let barrier = Barrier { compressed: true, ..Barrier::new(writes, reads) };
        self.apart(|recorder| {
            recorder.all_or_nothing(|recorder| {
                recorder.barrier(&barrier)?;
                recorder.draw(draw)?;
                recorder.barrier(&barrier)?;
                Ok(())
            })
        })
    }
}
