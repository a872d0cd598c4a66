//! Streams and recorders of the cases.

use crate::hardware::case::part::SCRATCH;
use crate::hardware::case::{Machine, Refusal, Work};
use crate::submission::Queue;
use pm4::draw::Recorder;
use pm4::draw::sync::SyncMemory;
use pm4::packet::{self, Stream, WriteError, Writer, WriterOptions};

/// Converts to the queue for which packets are written.
fn of(queue: Queue) -> packet::Queue {
    if queue == Queue::Compute { packet::Queue::Compute } else { packet::Queue::Graphics }
}

/// Creates work from packets only.
pub fn stream(machine: &Machine<'_>, queue: Queue, packets: impl FnOnce(&mut Stream) -> Result<(), WriteError>) -> Result<Work, Refusal> {
    let mut stream = Stream::growable(machine.gpu.chip.gfx(), of(queue));
    stream.set_options(WriterOptions::from(machine.gpu));
    packets(&mut stream)?;
    Ok(Work::new(queue, stream.into_buffer()))
}

/// Creates work from a recorder, after the preamble of its queue.
pub fn recorded(machine: &Machine<'_>, queue: Queue, calls: impl FnOnce(&mut Recorder<Vec<u32>>) -> Result<(), Refusal>) -> Result<Work, Refusal> {
    let mut recorder = Recorder::from_writer(machine.gpu, Writer::growable(machine.gpu.chip.gfx(), of(queue)));
    if queue == Queue::Graphics {
        recorder.set_sync_memory(SyncMemory { fence: Some(machine.at(SCRATCH)), zpass: Some(machine.at(SCRATCH + 0x100)) });
        recorder.begin()?;
    }
    recorder.begin_compute()?;
    calls(&mut recorder)?;
    Ok(Work::new(queue, recorder.finish()?))
}
