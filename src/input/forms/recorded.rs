//! Recordings of `pm4 live`, as one list of command buffers. To run them, read them submission by submission ([`Recording`]).

use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace, MAGIC, RecordedEngine, Recording};
use crate::packet::Queue;
use alloc::format;
use alloc::string::ToString;

pub fn is(head: &Head<'_>) -> bool {
    head.bytes.starts_with(MAGIC)
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut recording = match Recording::open(bytes) {
        Ok(recording) => recording,
        Err(error) => return input.damage(InputPlace::Whole, error.to_string()),
    };
    let device = *recording.device();
    (input.chip, input.firmware) = (Some(device.chip), device.firmware);
    let (mut submissions, mut sdma) = (0u64, 0u64);
    for submission in &mut recording {
        let submission = match submission {
            Ok(submission) => submission,
            Err(error) => {
                input.damage(InputPlace::Whole, error.to_string());
                break;
            }
        };
        for buffer in submission.buffers {
            let queue = match buffer.engine {
                RecordedEngine::Graphics => Some(Queue::Graphics),
                RecordedEngine::Compute => Some(Queue::Compute),
                // Buffers of an input hold PM4.
                RecordedEngine::Sdma => {
                    sdma += 1;
                    continue;
                }
            };
            let name = format!("submission {submissions} 0x{:012x}", buffer.addr);
            input.buffers.push(InputBuffer { queue, words: buffer.words, ..InputBuffer::new(name, BufferUse::Submitted) });
        }
        submissions += 1;
    }
    if recording.is_cut_off() {
        input.damage(InputPlace::Byte(bytes.len() as u64), "the recording was cut off here: its last submission is missing".to_string());
    }
    input.facts.push(("submissions", submissions.to_string()));
    if sdma > 0 {
        input.facts.push(("command buffers of SDMA, not listed", sdma.to_string()));
    }
}
