//! Compute programs, encoded with [`pm4::isa`].

use super::programs::{access, end, wait_for_loads};
use super::streams::recorded;
use crate::hardware::case::part::{CODE, IN, OUT};
use crate::hardware::case::{Case, Expected, Machine, Refusal, Work, fill};
use crate::submission::Queue::{self, Compute, Graphics};
use pm4::descriptors::BufferDesc;
use pm4::draw::sync::{Access, Barrier, Fence, FenceData};
use pm4::draw::{DispatchDesc, Grid, Program, Recorder, UserData};
use pm4::isa::{CodeItem, EncodeError, Op, ShaderCode};

pub const CASES: &[Case] = &[
    Case { name: "dispatch", about: "a program stores the number of each thread", queue: Graphics, make: |m| numbers(m, Graphics) },
    Case { name: "dispatch-compute", about: "the same on a compute queue", queue: Compute, make: |m| numbers(m, Compute) },
    Case { name: "dispatch-copy", about: "a program loads and stores", queue: Graphics, make: |m| copy(m, Graphics) },
    Case { name: "dispatch-copy-compute", about: "the same on a compute queue", queue: Compute, make: |m| copy(m, Compute) },
    Case { name: "statistics", about: "pipeline statistics count the threads of a dispatch", queue: Graphics, make: statistics },
];

/// Threads per workgroup, one element each.
const THREADS: u32 = 64;

/// Offset of the fence after the results of a program.
const FENCE: u64 = 0x3000;

/// Returns one workgroup of a program whose user data are descriptors of results and inputs, with one word per thread.
fn workgroup(machine: &Machine<'_>, groups: u32) -> Result<DispatchDesc, Refusal> {
    let descriptors = [OUT, IN].map(|part| BufferDesc::structured(machine.at(part), 4, THREADS).words(machine.gpu.chip));
    let mut user_data = Vec::new();
    for words in descriptors {
        user_data.extend(words?.map(UserData::Word));
    }
    let program = Program { address: Some(machine.at(CODE)), user_data, vgprs: 8, ..Program::default() };
    Ok(DispatchDesc {
        program,
        group: [THREADS, 1, 1],
        grid: Grid::Groups([groups, 1, 1]),
        thread_ids: 1,
        workgroup_ids: [false; 3],
        ..DispatchDesc::default()
    })
}

/// Records a dispatch between the writes and the reads of the CPU.
fn dispatch(recorder: &mut Recorder<Vec<u32>>, machine: &Machine<'_>, desc: &DispatchDesc) -> Result<(), Refusal> {
    recorder.barrier(&Barrier::new(Access::HostWrite, Access::CodeRead | Access::ConstantRead | Access::ComputeRead))?;
    recorder.dispatch(&desc.resolve(machine.gpu)?)?;
    let fence = Fence::new(machine.at(FENCE), FenceData::Dword(0xD0_4E));
    recorder.fence(&Fence { from: Access::ComputeWrite.into(), host: true, ..fence })?;
    Ok(())
}

fn program(machine: &Machine<'_>, instructions: impl IntoIterator<Item = pm4::isa::Instruction>) -> Result<Vec<u32>, EncodeError> {
    ShaderCode::new(machine.gpu.chip.gfx(), instructions.into_iter().map(CodeItem::from).collect()).encode()
}

/// At the start, v0 holds the thread number: before GFX11 alone, later with those in y and z above it, which are 0.
fn numbers(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let gfx = machine.gpu.chip.gfx();
    let code = program(machine, [access(gfx, Op::BufferStoreDword, 0, 0, 0, Default::default()), end()])?;
    let desc = workgroup(machine, 1)?;
    let work = recorded(machine, queue, |recorder| dispatch(recorder, machine, &desc))?;
    Ok(work.with(CODE, code).shaders_write(OUT, &(0..THREADS).collect::<Vec<u32>>()))
}

fn copy(machine: &Machine<'_>, queue: Queue) -> Result<Work, Refusal> {
    let gfx = machine.gpu.chip.gfx();
    let load = access(gfx, Op::BufferLoadDword, 1, 0, 4, Default::default());
    let store = access(gfx, Op::BufferStoreDword, 1, 0, 0, Default::default());
    let code = program(machine, [load, wait_for_loads(gfx), store, end()])?;
    let desc = workgroup(machine, 1)?;
    let work = recorded(machine, queue, |recorder| dispatch(recorder, machine, &desc))?;
    let loaded: Vec<u32> = (0..THREADS as usize).map(|thread| fill(IN as usize / 4 + thread)).collect();
    Ok(work.with(CODE, code).shaders_write(OUT, &loaded))
}

/// The pipeline-statistics counter of compute shader threads.
const COMPUTE_COUNTER: u64 = 10;

fn statistics(machine: &Machine<'_>) -> Result<Work, Refusal> {
    const GROUPS: u32 = 4;
    const SECOND: u64 = 0x100;
    let counters = if machine.gpu.chip.gfx().major() >= 11 { 14 } else { 11 };
    let code = program(machine, [end()])?;
    let desc = workgroup(machine, GROUPS)?;
    let mut work = recorded(machine, Graphics, |recorder| {
        recorder.count_statistics(true)?;
        recorder.sample_pipeline_statistics(machine.at(OUT))?;
        dispatch(recorder, machine, &desc)?;
        recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::ComputeRead))?;
        recorder.sample_pipeline_statistics(machine.at(OUT + SECOND))?;
        recorder.count_statistics(false)?;
        Ok(())
    })?;
    work.needs_shaders = true;
    for counter in 0..counters {
        // Other programs may draw meanwhile.
        let at = OUT + 8 * counter;
        work = [0, 4, SECOND, SECOND + 4].into_iter().fold(work, |work, half| work.expect(at + half, Expected::Shown));
    }
    let counts = Expected::Counts { since: OUT + 8 * COMPUTE_COUNTER, by: u64::from(GROUPS * THREADS) };
    Ok(work.with(CODE, code).expect(OUT + SECOND + 8 * COMPUTE_COUNTER, counts))
}
