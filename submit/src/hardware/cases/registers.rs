//! Registers: writes a value and reads it back with COPY_DATA. No source of this crate states what user mode may read, so a difference shows what the hardware
//! hides.

use super::streams::stream;
use crate::hardware::case::part::OUT;
use crate::hardware::case::{Case, Expected, Machine, Refusal, Work};
use crate::hardware::packets::{self, From};
use crate::submission::Queue::{self, Compute, Graphics};

pub const CASES: &[Case] = &[
    Case { name: "user-data", about: "SH registers, written and read back", queue: Graphics, make: |m| read_back(m, Graphics, "COMPUTE_USER_DATA_0") },
    Case { name: "user-data-compute", about: "the same on a compute queue", queue: Compute, make: |m| read_back(m, Compute, "COMPUTE_USER_DATA_0") },
    Case { name: "context-registers", about: "blend constants, written and read back", queue: Graphics, make: |m| read_back(m, Graphics, "CB_BLEND_RED") },
    Case {
        name: "uconfig-registers",
        about: "a UCONFIG register, written and read back",
        queue: Graphics,
        make: |m| read_back(m, Graphics, "VGT_NUM_INSTANCES"),
    },
    Case { name: "address-config", about: "GB_ADDR_CONFIG as the command processor reads it: shown", queue: Graphics, make: address_config },
];

fn register(machine: &Machine<'_>, name: &str) -> Result<u32, Refusal> {
    let found = pm4::regs::find(machine.gpu.chip.gfx(), name);
    Ok(found.ok_or_else(|| format!("{} has no {name}", machine.gpu.chip.gfx()))?.addr())
}

fn read_back(machine: &Machine<'_>, queue: Queue, name: &str) -> Result<Work, Refusal> {
    let addr = register(machine, name)?;
    stream(machine, queue, |stream| {
        for (number, at) in [(1, OUT), (0x3F00_0000, OUT + 4)] {
            stream.set_reg(addr, number)?;
            packets::copy(stream, From::Register(addr), machine.at(at), false)?;
        }
        Ok(())
    })
}

fn address_config(machine: &Machine<'_>) -> Result<Work, Refusal> {
    let addr = register(machine, "GB_ADDR_CONFIG")?;
    let reads = stream(machine, Graphics, |stream| packets::copy(stream, From::Register(addr), machine.at(OUT), false))?;
    Ok(reads.expect(OUT, Expected::Shown))
}
