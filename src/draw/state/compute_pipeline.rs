//! Compute pipelines: a program and its workgroup, resolved once.

use crate::draw::decide::ResolvedDispatch;
use crate::draw::desc::board;
use crate::draw::desc::{DispatchDesc, DrawError, Grid, UserData};
use crate::draw::state::object::{Object, object};
use crate::gpu::Gpu;
use alloc::sync::Arc;

object! {
    /// A compute pipeline for a chip: a program and its workgroup, checked and resolved. A clone is cheap. Its description has a grid of one workgroup.
    ///
    /// User SGPRs with [`UserData::Word`] are constants of the pipeline; those with [`UserData::Keep`] have the values set by
    /// [`Recorder::set_compute_data`](crate::draw::Recorder::set_compute_data).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{ComputePipeline, DispatchDesc, Grid, Program, Recorder, UserData};
    ///
    /// let chip = Chip::Navi31;
    /// let program = Program { address: Some(0x10_0000), user_data: vec![UserData::Keep; 4], ..Program::default() };
    /// let pipeline = ComputePipeline::new(chip, DispatchDesc { program, ..DispatchDesc::default() })?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// recorder.bind_compute(&pipeline)?;
    /// recorder.set_compute_data(0, &[1, 2, 3, 4])?;
    /// recorder.dispatch_bound(Grid::Groups([8, 1, 1]))?;
    /// let before = recorder.words().len();
    /// recorder.set_compute_data(2, &[5])?;
    /// recorder.dispatch_bound(Grid::Groups([4, 1, 1]))?;
    /// assert_eq!(recorder.words().len() - before, 3 + 5); // one SGPR, and DISPATCH_DIRECT
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ComputePipeline, DispatchDesc, ComputeRegisters
}

/// What follows from a compute pipeline.
#[derive(Debug)]
pub(crate) struct ComputeRegisters {
    /// A dispatch of one workgroup.
    pub dispatch: ResolvedDispatch,
    /// User SGPRs with values set for dispatches: one bit each.
    pub free: u32,
}

impl ComputePipeline {
    /// Checks and resolves a pipeline. The grid of the description does not count: each dispatch has its own.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(gpu: impl Into<Gpu>, desc: DispatchDesc) -> Result<Self, DrawError> {
        Self::of(gpu.into(), desc)
    }

    fn of(gpu: Gpu, desc: DispatchDesc) -> Result<Self, DrawError> {
        let desc = DispatchDesc { grid: Grid::Groups([1; 3]), board: board::of_description(desc.board, &gpu)?, ..desc };
        let dispatch = desc.resolve(gpu)?;
        let keeps = desc.program.user_data.iter().zip(0..32u32).filter(|(data, _)| **data == UserData::Keep);
        let free = keeps.fold(0, |free, (_, bit)| free | 1 << bit);
        Ok(Self(Arc::new(Object::new(gpu.chip, dispatch.board, desc, ComputeRegisters { dispatch, free }))))
    }
}
