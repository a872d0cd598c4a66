//! Clocks and counters.

use super::streams::recorded;
use crate::hardware::case::part::OUT;
use crate::hardware::case::{Case, Expected, Machine, Refusal, Work};
use crate::submission::Queue::{self, Compute, Graphics};

pub const CASES: &[Case] = &[
    Case { name: "timestamps", about: "clocks at the top and at the end of the pipe rise", queue: Graphics, make: |m| timestamps(m, Graphics) },
    Case { name: "timestamps-compute", about: "the same on a compute queue", queue: Compute, make: |m| timestamps(m, Compute) },
];

fn timestamps(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let clocks = recorded(machine, queue, |recorder| {
        recorder.write_top_timestamp(machine.at(OUT))?;
        recorder.write_timestamp(machine.at(OUT + 8))?;
        recorder.write_timestamp(machine.at(OUT + 16))?;
        Ok(())
    })?;
    let clocks = clocks.expect(OUT, Expected::Clock { after: None }).expect(OUT + 8, Expected::Clock { after: Some(OUT) });
    Ok(clocks.expect(OUT + 16, Expected::Clock { after: Some(OUT + 8) }))
}
