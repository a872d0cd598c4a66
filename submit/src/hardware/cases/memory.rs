//! Packets that write and read memory.

use super::streams::{recorded, stream};
use crate::hardware::case::part::{CALLED, IN, OUT};
use crate::hardware::case::{Case, Machine, Refusal, Work};
use crate::hardware::packets::{self, From};
use crate::submission::Queue::{self, Compute, Graphics};
use pm4::draw::sync::{Access, Fence, FenceData, Order};
use pm4::packet::{IbKind, Stream};

pub const CASES: &[Case] = &[
    Case { name: "write-data", about: "WRITE_DATA of one word and of many", queue: Graphics, make: |m| write_data(m, Graphics) },
    Case { name: "write-data-compute", about: "the same on a compute queue", queue: Compute, make: |m| write_data(m, Compute) },
    Case { name: "copy-data", about: "COPY_DATA from memory and from the packet, 32 and 64 bits", queue: Graphics, make: |m| copy_data(m, Graphics) },
    Case { name: "copy-data-compute", about: "the same on a compute queue", queue: Compute, make: |m| copy_data(m, Compute) },
    Case { name: "atomic-mem", about: "ATOMIC_MEM adds, and wraps", queue: Graphics, make: |m| atomic_mem(m, Graphics) },
    Case { name: "atomic-mem-compute", about: "the same on a compute queue", queue: Compute, make: |m| atomic_mem(m, Compute) },
    Case { name: "wait-reg-mem", about: "WAIT_REG_MEM for a word written by WRITE_DATA", queue: Graphics, make: |m| wait_reg_mem(m, Graphics) },
    Case { name: "wait-reg-mem-compute", about: "the same on a compute queue", queue: Compute, make: |m| wait_reg_mem(m, Compute) },
    Case { name: "cond-exec", about: "COND_EXEC runs packets, and skips packets", queue: Graphics, make: |m| cond_exec(m, Graphics) },
    Case { name: "cond-exec-compute", about: "the same on a compute queue", queue: Compute, make: |m| cond_exec(m, Compute) },
    Case { name: "indirect-buffer", about: "INDIRECT_BUFFER calls a buffer and continues after it", queue: Graphics, make: indirect_buffer },
    Case { name: "dma-data", about: "DMA_DATA fills and copies, with the barriers of the recorder", queue: Graphics, make: |m| dma_data(m, Graphics) },
    Case { name: "dma-data-compute", about: "the same on a compute queue", queue: Compute, make: |m| dma_data(m, Compute) },
    Case { name: "release-mem", about: "RELEASE_MEM writes 32 and 64 bits at the end of the pipe", queue: Graphics, make: |m| release_mem(m, Graphics) },
    Case { name: "release-mem-compute", about: "the same on a compute queue", queue: Compute, make: |m| release_mem(m, Compute) },
];

fn write_data(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let many: Vec<u32> = (0..100).map(|n| 0x1111_0000 + n).collect();
    stream(machine, queue, |stream| {
        packets::write(stream, machine.at(OUT), &[0x0123_4567])?;
        packets::write(stream, machine.at(OUT + 0x100), &many)?;
        // The second write counts.
        packets::write(stream, machine.at(OUT + 0x40), &[1, 2, 3])?;
        packets::write(stream, machine.at(OUT + 0x44), &[4])
    })
}

fn copy_data(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    stream(machine, queue, |stream| {
        packets::copy(stream, From::Memory(machine.at(IN)), machine.at(OUT), false)?;
        packets::copy(stream, From::Memory(machine.at(IN + 8)), machine.at(OUT + 8), true)?;
        packets::copy(stream, From::Data(0xABCD_EF01), machine.at(OUT + 0x20), false)?;
        packets::copy(stream, From::Data(0x0102_0304_0506_0708), machine.at(OUT + 0x28), true)
    })
}

fn atomic_mem(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let adds = stream(machine, queue, |stream| {
        [5, 6].into_iter().try_for_each(|number| packets::add(stream, machine.at(OUT), number))?;
        packets::add(stream, machine.at(OUT + 4), 3)
    })?;
    Ok(adds.with(OUT, [100, u32::MAX - 1]))
}

fn wait_reg_mem(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    stream(machine, queue, |stream| {
        packets::write(stream, machine.at(IN), &[7])?;
        packets::wait(stream, machine.at(IN), 7)?;
        packets::write(stream, machine.at(OUT), &[8])
    })
}

fn cond_exec(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let spans = stream(machine, queue, |stream| {
        for (number, at) in [0, 8].into_iter().enumerate() {
            stream.cond_exec(machine.at(IN + at), |stream| packets::write(stream, machine.at(OUT + at), &[number as u32]))?;
        }
        packets::write(stream, machine.at(OUT + 16), &[2])
    })?;
    Ok(spans.with(IN, [0, 0, 1, 0]))
}

fn indirect_buffer(machine: &Machine<'_>) -> Result<Work, Refusal> {
    let called = stream(machine, Graphics, |stream: &mut Stream| {
        packets::write(stream, machine.at(OUT), &[1, 1])?;
        stream.pad(8, 0)
    })?;
    let calls = stream(machine, Graphics, |stream| {
        stream.indirect_buffer(IbKind::Call, machine.at(CALLED), called.words.len() as u32)?;
        packets::write(stream, machine.at(OUT + 4), &[2])
    })?;
    Ok(calls.with(CALLED, called.words))
}

fn dma_data(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    recorded(machine, queue, |recorder| {
        recorder.fill_buffer(machine.at(OUT), 0x200, 0xF1F1_F1F1, Order::between(Access::HostWrite, Access::CopyWrite))?;
        recorder.copy_buffer(machine.at(IN), machine.at(OUT + 0x100), 0x80, Order::between(Access::CopyWrite | Access::HostWrite, Access::HostRead))?;
        Ok(())
    })
}

fn release_mem(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    recorded(machine, queue, |recorder| {
        let fences = [(OUT, FenceData::Dword(0x600D)), (OUT + 8, FenceData::Qword(0x600D_0000_600D))];
        for (at, data) in fences {
            recorder.fence(&Fence { host: true, ..Fence::new(machine.at(at), data) })?;
        }
        Ok(())
    })
}
