//! Runs dispatches lane by lane, to show what the compute programs of this crate do with memory.
//!
//! The runner is an observer of the model. At a dispatch it reads registers, program and descriptors as the hardware would, runs each wave to its end, and
//! writes memory in the model's turn, so that rules see what shaders wrote. It supports the instructions that [`crate::isa`] encodes and that a compute program
//! can contain. Other words end the dispatch with a [`DispatchProblem`], because their effect is not known.

use super::lane_memory::{Images, load_buffer, store_buffer};
use super::lanes::Lanes;
use crate::chip::Chip;
use crate::cp::{DrawView, Interest, ModelAccess, Observer, WorkCall};
use crate::isa::ShaderCode;
use alloc::string::String;
use alloc::vec::Vec;

/// Why a dispatch did not run to its end.
///
/// For an example see [`DispatchRunner`](crate::waves::DispatchRunner).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchProblem {
    /// The model does not know a register or a number of the dispatch.
    #[error("the dispatch has no known {what}")]
    Unknown {
        /// The unknown value.
        what: &'static str,
    },
    /// An instruction that the runner cannot execute.
    #[error("instruction {at} (`{text}`) is not executed: {why}")]
    Instruction {
        /// Its number in the program.
        at: usize,
        /// Its text.
        text: String,
        /// Why the runner cannot execute it.
        why: &'static str,
    },
    /// The dispatch read memory that the model does not know.
    #[error("memory at {addr:#x} is read and not known")]
    Memory {
        /// Its address.
        addr: u64,
    },
}

/// Maximum number of instructions per wave, which ends programs that loop for ever.
const MOST_INSTRUCTIONS: usize = 100_000;

/// Maximum number of dwords read for a program.
const MOST_DWORDS: u64 = 4096;

/// The state of a dispatch at its start.
pub(super) struct Job {
    pub chip: Chip,
    pub program: u64,
    pub user: Vec<u32>,
    /// Which workgroup ids are loaded.
    pub ids: [bool; 3],
    /// Threads of a workgroup, and of the last workgroup in each direction.
    pub full: [u32; 3],
    pub last: [u32; 3],
    pub start: [u32; 3],
    pub end: [u32; 3],
    pub lanes: usize,
}

fn job(view: &DrawView<'_>) -> Result<Job, DispatchProblem> {
    let unknown = |what| DispatchProblem::Unknown { what };
    let field = |register: &str, field: &str| view.field(register, field).map(|state| state.value());
    let word = |register: &str| view.register(register).and_then(|register| view.value(register.addr()));
    let program = word("COMPUTE_PGM_LO").zip(word("COMPUTE_PGM_HI")).ok_or(unknown("program"))?;
    let user = field("COMPUTE_PGM_RSRC2", "USER_SGPR").ok_or(unknown("number of user SGPRs"))?;
    let user = (0..user).map(|number| view.user_data("COMPUTE_USER_DATA_0", number).ok_or(unknown("user data"))).collect::<Result<Vec<u32>, _>>()?;
    let ids = ["TGID_X_EN", "TGID_Y_EN", "TGID_Z_EN"].map(|name| field("COMPUTE_PGM_RSRC2", name) == Some(1));
    let initiator = view.packet().field(view.gfx(), view.queue(), "dispatch_initiator").ok_or(unknown("initiator"))? as u32;
    let initiator = crate::packet::layouts::DispatchInitiator::from(initiator);
    let names = ["COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y", "COMPUTE_NUM_THREAD_Z"];
    let threads = |part: &'static str| names.map(|name| field(name, part));
    let three = |values: [Option<u32>; 3], what| match values {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(unknown(what)),
    };
    let full = three(threads("NUM_THREAD_FULL"), "size of workgroups")?;
    let last = if initiator.partial_tg_en() { three(threads("NUM_THREAD_PARTIAL"), "size of the last workgroups")? } else { full };
    let start = match initiator.force_start_at_000() {
        true => [0; 3],
        false => three(["COMPUTE_START_X", "COMPUTE_START_Y", "COMPUTE_START_Z"].map(word), "first workgroup")?,
    };
    let Some(WorkCall::Groups(end)) = view.call(0) else { return Err(unknown("workgroups")) };
    let lanes = if view.gfx().major() >= 10 && initiator.cs_w32_en() { 32 } else { 64 };
    let program = u64::from(program.1 & 0xFF) << 40 | u64::from(program.0) << 8;
    Ok(Job { chip: view.chip(), program, user, ids, full, last, start, end: three(end, "workgroups")?, lanes })
}

/// Runs the dispatches of the model lane by lane: an [`Observer`] for tests of compute work and of the methods of a [`Recorder`](crate::draw::Recorder) that
/// dispatch. It supports raw buffers, and images with a layout that [`crate::layout`] supports. Image formats have channels of 8, 16 and 32 bits as integers
/// and floats, or four normalized bytes.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::CommandProcessor;
/// use pm4::descriptors::BufferDesc;
/// use pm4::draw::{DispatchDesc, Grid, Program, Recorder, UserData};
/// use pm4::isa::ShaderCode;
/// use pm4::packet::Queue;
/// use pm4::waves::DispatchRunner;
///
/// let chip = Chip::Navi21;
/// // Each thread of the workgroup stores its number.
/// let text = "v_lshlrev_b32 v1, 2, v0\n buffer_store_dword v0, v1, s[0:3], 0 offen\n s_endpgm";
/// let program = ShaderCode::parse(chip.gfx(), text)?.encode()?;
/// let buffer = BufferDesc::raw(0x2000, 256).words(chip)?;
/// let user_data = buffer.map(UserData::Word).to_vec();
/// let program_desc = Program { address: Some(0x1000), user_data, ..Program::default() };
/// let dispatch = DispatchDesc { program: program_desc, grid: Grid::Groups([1, 1, 1]), ..DispatchDesc::default() };
/// let mut recorder = Recorder::new(chip);
/// recorder.begin()?;
/// recorder.begin_compute()?;
/// recorder.dispatch(&dispatch.resolve(chip)?)?;
/// let words = recorder.finish()?;
/// let mut cp = CommandProcessor::new(chip);
/// cp.map("program", 0x1000, &program);
/// cp.map("buffer", 0x2000, &[0; 64]);
/// cp.submit(Queue::Graphics, "dispatch", &words);
/// let mut runner = DispatchRunner::default();
/// cp.run(&mut runner);
/// assert_eq!((runner.dispatches, runner.problems.len()), (1, 0));
/// assert_eq!(cp.memory(0x2000 + 4 * 63), Some(63));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct DispatchRunner {
    /// Number of dispatches that ran to their end.
    pub dispatches: u64,
    /// Why other dispatches did not, in order.
    pub problems: Vec<DispatchProblem>,
    job: Option<Job>,
}

impl core::fmt::Debug for DispatchRunner {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DispatchRunner").field("dispatches", &self.dispatches).field("problems", &self.problems).finish_non_exhaustive()
    }
}

impl Observer for DispatchRunner {
    fn interest(&self) -> Interest {
        Interest::ACT
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        match job(view) {
            Ok(job) => self.job = Some(job),
            Err(problem) => self.problems.push(problem),
        }
    }

    fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
        let Some(job) = self.job.take() else { return };
        match run(&job, access) {
            Ok(()) => self.dispatches += 1,
            Err(problem) => self.problems.push(problem),
        }
    }
}

/// Reads the program, as far as its memory is known.
fn program(job: &Job, access: &ModelAccess<'_, '_>) -> Result<ShaderCode, DispatchProblem> {
    let words: Vec<u32> = (0..MOST_DWORDS).map_while(|at| access.dword(job.program + 4 * at)).collect();
    if words.is_empty() {
        return Err(DispatchProblem::Memory { addr: job.program });
    }
    Ok(ShaderCode::decode(job.chip.gfx(), &words))
}

fn run(job: &Job, access: &mut ModelAccess<'_, '_>) -> Result<(), DispatchProblem> {
    let code = program(job, access)?;
    let mut images = Images::new(job.chip);
    let [x, y, z] = [0, 1, 2].map(|axis: usize| job.start[axis]..job.end[axis]);
    for group_z in z {
        for group_y in y.clone() {
            for group_x in x.clone() {
                run_group(job, &code, [group_x, group_y, group_z], &mut images, access)?;
            }
        }
    }
    Ok(())
}

fn run_group(job: &Job, code: &ShaderCode, group: [u32; 3], images: &mut Images, access: &mut ModelAccess<'_, '_>) -> Result<(), DispatchProblem> {
    let size = [0, 1, 2].map(|axis: usize| if group[axis] + 1 == job.end[axis] { job.last[axis] } else { job.full[axis] });
    let [width, height, depth] = size;
    let threads: Vec<[u32; 3]> = (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z]))).collect();
    for threads in threads.chunks(job.lanes) {
        let mut lanes = Lanes::new(job, group, threads);
        for _ in 0..MOST_INSTRUCTIONS {
            match lanes.step(code)? {
                super::lanes::Step::On => {}
                super::lanes::Step::End => break,
                super::lanes::Step::Scalar(at, load) => {
                    lanes.load_scalars(&load, |addr| access.dword(addr)).map_err(|problem| problem.at(code, at))?;
                }
                super::lanes::Step::Buffer(at, access_of) => {
                    let moved =
                        if access_of.op.is_store() { store_buffer(&mut lanes, &access_of, access) } else { load_buffer(&mut lanes, &access_of, access) };
                    moved.map_err(|problem| problem.at(code, at))?;
                }
                super::lanes::Step::Image(at, access_of) => images.access(&mut lanes, &access_of, access).map_err(|problem| problem.at(code, at))?,
            }
        }
    }
    Ok(())
}
