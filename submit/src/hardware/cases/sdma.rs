//! SDMA packets.

use crate::hardware::case::part::{IN, OUT};
use crate::hardware::case::{Case, Expected, Machine, Refusal, Work};
use crate::submission::Queue::Sdma;
use pm4::queues::{BuildError, PollCondition, QueueFamily, SdmaWriter, Target};

pub const CASES: &[Case] = &[
    Case { name: "sdma-write", about: "SDMA writes words from the packet", queue: Sdma, make: write },
    Case { name: "sdma-fill", about: "SDMA fills", queue: Sdma, make: fill },
    Case { name: "sdma-copy", about: "SDMA copies, and copies the copy", queue: Sdma, make: copy },
    Case { name: "sdma-fence", about: "SDMA writes a fence and polls for it", queue: Sdma, make: fence },
    Case { name: "sdma-timestamp", about: "a clock that SDMA writes rises", queue: Sdma, make: timestamp },
];

fn sdma(machine: &Machine<'_>, packets: impl FnOnce(&mut SdmaWriter) -> Result<(), BuildError>) -> Result<Work, Refusal> {
    let version = Target::Chip(machine.gpu.chip).version(QueueFamily::Sdma);
    let mut writer = SdmaWriter::new(version.ok_or_else(|| format!("no source states the version of SDMA of {}", machine.gpu.chip))?);
    packets(&mut writer)?;
    Ok(Work::new(Sdma, writer.into_words()))
}

fn write(machine: &Machine<'_>) -> Result<Work, Refusal> {
    sdma(machine, |writer| writer.write(machine.at(OUT), &[1, 2, 3, 4])?.write(machine.at(OUT + 0x100), &[5]).map(|_| ()))
}

fn fill(machine: &Machine<'_>) -> Result<Work, Refusal> {
    sdma(machine, |writer| writer.fill(machine.at(OUT), 0xF1F1_F1F1, 0x400)?.fill(machine.at(OUT + 0x1000), 0, 4).map(|_| ()))
}

fn copy(machine: &Machine<'_>) -> Result<Work, Refusal> {
    sdma(machine, |writer| {
        writer.copy(machine.at(IN), machine.at(OUT), 0x400)?.finish_copies()?;
        writer.copy(machine.at(OUT + 0x100), machine.at(OUT + 0x800), 0x40).map(|_| ())
    })
}

fn fence(machine: &Machine<'_>) -> Result<Work, Refusal> {
    sdma(machine, |writer| {
        writer.fence(machine.at(OUT), 7)?.poll_memory(machine.at(OUT), PollCondition::Equal, 7, u32::MAX)?;
        writer.write(machine.at(OUT + 0x10), &[8]).map(|_| ())
    })
}

fn timestamp(machine: &Machine<'_>) -> Result<Work, Refusal> {
    let clocks = sdma(machine, |writer| writer.timestamp(machine.at(OUT))?.timestamp(machine.at(OUT + 0x40)).map(|_| ()))?;
    Ok(clocks.expect(OUT, Expected::Clock { after: None }).expect(OUT + 0x40, Expected::Clock { after: Some(OUT) }))
}
