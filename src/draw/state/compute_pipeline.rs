//! Compute pipelines: a program and its workgroup, resolved once.

use crate::chip::Chip;
use crate::draw::decide::ResolvedDispatch;
use crate::draw::desc::{DispatchDesc, DrawError, Grid, UserData};
use alloc::sync::Arc;

/// A compute pipeline for a chip: a program and its workgroup, checked and resolved. To clone it costs nothing.
///
/// User SGPRs with [`UserData::Word`] are constants of the pipeline; those with [`UserData::Keep`] hold what [`Recorder::set_compute_data`] gives.
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
#[derive(Debug, Clone)]
pub struct ComputePipeline(pub(crate) Arc<Parts>);

impl ComputePipeline {
    /// Checks and resolves a pipeline. The grid of the description does not count: each dispatch has its own.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(chip: Chip, desc: DispatchDesc) -> Result<Self, DrawError> {
        let desc = DispatchDesc { grid: Grid::Groups([1; 3]), ..desc };
        let resolved = desc.resolve(chip)?;
        let keeps = desc.program.user_data.iter().zip(0..32u32).filter(|(data, _)| **data == UserData::Keep);
        let free = keeps.fold(0, |free, (_, bit)| free | 1 << bit);
        Ok(Self(Arc::new(Parts { desc, resolved, free })))
    }

    /// What it was made from, with a grid of one workgroup.
    pub fn desc(&self) -> &DispatchDesc {
        &self.0.desc
    }

    /// The chip that it was made for.
    pub fn chip(&self) -> Chip {
        self.0.resolved.chip
    }
}

impl PartialEq for ComputePipeline {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.chip() == other.chip() && self.0.desc == other.0.desc
    }
}

impl Eq for ComputePipeline {}

impl core::hash::Hash for ComputePipeline {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.chip(), &self.0.desc).hash(state);
    }
}

#[derive(Debug)]
pub(crate) struct Parts {
    pub desc: DispatchDesc,
    pub resolved: ResolvedDispatch,
    /// User SGPRs that hold what is given to dispatches: one bit each.
    pub free: u32,
}
