//! Calls that are recorded as a whole or not at all.

use crate::draw::image::RegisterImage;
use crate::draw::record::bound::Pending;
use crate::draw::record::call_state::CallState;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::record::registers::Slots;
use crate::draw::sync::SyncState;
use crate::packet::{Buffer, Mark, WriteError};

/// The state of a recorder before a call. [`Held`](crate::draw::record::held::Held) saves the contents of registers if the call changes them.
struct Checkpoint {
    writer: Mark,
    sync: SyncState,
    calls: CallState,
    pending: Pending,
}

impl<B: Buffer> Recorder<B> {
    /// Runs a call as one transaction: if it is refused, the stream and the known state are as before. A call that no longer fits is written into other memory,
    /// if the buffer has any. Nested calls are part of the transaction.
    pub(super) fn all_or_nothing<T>(&mut self, mut call: impl FnMut(&mut Self) -> Result<T, RecordError>) -> Result<T, RecordError> {
        self.fits()?;
        if self.in_transaction {
            return call(self);
        }
        loop {
            let checkpoint = self.begin_transaction();
            let error = match call(self) {
                Ok(done) => {
                    self.in_transaction = false;
                    self.held.commit();
                    return Ok(done);
                }
                Err(error) => error,
            };
            self.roll_back(checkpoint);
            let full = matches!(error, RecordError::Write(WriteError::Full { .. })) && !self.writer.is_empty();
            // Packets written since the last draw are in the previous chunk.
            let rolled = full && self.rolled();
            if !full || !self.writer.continue_elsewhere()? {
                return Err(error);
            }
            self.calls.continue_elsewhere(rolled);
            self.bound.follow_no_plain_draw();
        }
    }

    fn begin_transaction(&mut self) -> Checkpoint {
        self.in_transaction = true;
        self.held.begin();
        Checkpoint { writer: self.writer.mark(), sync: self.sync.clone(), calls: self.calls.clone(), pending: self.bound.pending() }
    }

    fn roll_back(&mut self, checkpoint: Checkpoint) {
        let Checkpoint { writer, sync, calls, pending } = checkpoint;
        self.in_transaction = false;
        self.writer.return_to(writer);
        self.held.roll_back();
        (self.sync, self.calls) = (sync, calls);
        self.bound.set_pending(pending);
    }

    /// Runs a call that sets the registers of an image: `call` writes the registers that differ, and all of them hold their values once the whole call is
    /// written.
    pub(super) fn with_registers<T>(
        &mut self,
        image: &RegisterImage,
        mut call: impl FnMut(&mut Self, &Slots) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let (certain, differing) = (self.writer.is_certain(), self.held.differing(image));
        let done = self.all_or_nothing(|recorder| call(recorder, &differing))?;
        if certain {
            self.held.record(image, &differing)
        } else {
            self.forget()
        }
        Ok(done)
    }
}
