//! Fences, which a submission signals when it completes.

use crate::buffer::Buffer;
use crate::device::Shared;
use crate::error::Error;
use crate::submission::{Queue, Submission};
use crate::sys::{self, Work};
use pm4_uapi as u;
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::time::Duration;

/// The most dwords in a command buffer: INDIRECT_BUFFER has a 20-bit size.
const MOST_DWORDS: usize = (1 << 20) - 1;

/// The PM4 NOP of one dword: a type-3 header whose count is all ones.
const PM4_NOP: u32 = 0xFFFF_1000;

/// The SDMA NOP.
const SDMA_NOP: u32 = 0;

/// Submitted work. The fence holds everything that the work needs; if it is dropped before the work completes, its memory is kept until the process ends.
#[derive(Debug)]
pub struct Fence {
    device: Arc<Shared>,
    context: u32,
    syncobj: u32,
    /// The command buffer and the buffers that it may access; None if they must not be freed.
    kept: Option<Vec<Buffer>>,
}

impl Fence {
    pub(crate) fn of(device: &Arc<Shared>, submission: &Submission<'_>) -> Result<Self, Error> {
        let ip = device.queue(submission.queue)?;
        let words = padded(submission, Shared::padding(ip) as usize)?;
        let commands = Buffer::new(device, 4 * words.len() as u64)?;
        commands.write(0, &words);
        let flags = match submission.queue {
            // Makes the GPU see what the CPU has written.
            Queue::Graphics | Queue::Compute => u::ib::EMIT_MEM_SYNC,
            Queue::Sdma => 0,
        };
        let ib = u::ChunkIb { flags, va: commands.address(), bytes: 4 * words.len() as u32, ip: submission.queue.engine(), ..u::ChunkIb::default() };
        let kept: Vec<Buffer> = submission.buffers.iter().cloned().chain([commands]).collect();
        let handles: Vec<u32> = kept.iter().map(Buffer::handle).collect();
        let syncobj = sys::create_syncobj(&device.fd).map_err(|error| device.failed("SYNCOBJ_CREATE", error))?;
        let mut fence = Self { device: Arc::clone(device), context: device.context(), syncobj, kept: None };
        sys::submit(&device.fd, &Work { context: fence.context, ib, buffers: &handles, signals: syncobj }).map_err(|error| device.failed("CS", error))?;
        fence.kept = Some(kept);
        Ok(fence)
    }

    /// Waits until the work completes; its results are then in memory.
    ///
    /// # Errors
    /// [`Error::Timeout`] if it takes longer, in which case `wait` can be called again; [`Error::Reset`] if the device has been reset since; [`Error::Call`].
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        match sys::wait(&self.device.fd, self.syncobj, deadline(timeout)) {
            Ok(()) => {}
            Err(Errno::TIME) => return Err(Error::Timeout { device: self.device.path().to_owned(), after: timeout }),
            Err(error) => return Err(self.device.failed("SYNCOBJ_WAIT", error)),
        }
        // A reset signals the fences of the work that it ended.
        match self.device.reset(self.context)? {
            Some(reset) => Err(Error::Reset { device: self.device.path().to_owned(), guilty: reset.guilty }),
            None => Ok(()),
        }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // Memory that the GPU may still write must not be reused.
        if let Some(kept) = self.kept.take()
            && sys::wait(&self.device.fd, self.syncobj, 0).is_err()
        {
            std::mem::forget(kept);
        }
        let _ = sys::destroy_syncobj(&self.device.fd, self.syncobj);
    }
}

/// Returns the deadline of a wait, as CLOCK_MONOTONIC in nanoseconds.
fn deadline(timeout: Duration) -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    let now = i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec);
    i64::try_from(now + timeout.as_nanos().min(i64::MAX as u128) as i128).unwrap_or(i64::MAX)
}

/// Returns the words, padded with NOPs to a multiple of `align` dwords.
fn padded(submission: &Submission<'_>, align: usize) -> Result<Vec<u32>, Error> {
    let nop = if submission.queue == Queue::Sdma { SDMA_NOP } else { PM4_NOP };
    let dwords = submission.words.len();
    let whole = dwords.next_multiple_of(align);
    if dwords == 0 || whole > MOST_DWORDS {
        return Err(Error::Words { dwords });
    }
    let mut words = submission.words.to_vec();
    words.resize(whole, nop);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pm4::packet::Reader;

    #[test]
    fn buffers_are_padded_with_packets_that_do_nothing() {
        let words = padded(&Submission::new(Queue::Graphics, &[0xC000_2F00, 1, PM4_NOP]), 8).expect("they fit");
        assert!(words.len() == 8 && Reader::new(&words).all(|packet| packet.is_ok()));
        assert_eq!(padded(&Submission::new(Queue::Sdma, &[0; 9]), 8).expect("they fit"), [0; 16]);
        for dwords in [0, MOST_DWORDS] {
            assert!(matches!(padded(&Submission::new(Queue::Compute, &vec![PM4_NOP; dwords]), 8), Err(Error::Words { .. })));
        }
    }

    #[test]
    fn the_longest_wait_does_not_wrap() {
        assert_eq!(deadline(Duration::MAX), i64::MAX);
        assert!(deadline(Duration::from_secs(1)) > deadline(Duration::ZERO));
    }
}
