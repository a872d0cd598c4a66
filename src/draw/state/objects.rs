//! Pipelines and targets, resolved once.

use crate::chip::Chip;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::board;
use crate::draw::desc::{DrawError, DynamicState, PipelineDesc, TargetImage, TargetsDesc};
use crate::draw::image::RegisterImage;
use crate::draw::state::object::{Object, object};
use crate::draw::state::resolve;
use crate::gpu::{Board, Gpu};
use alloc::sync::Arc;

object! {
    /// A pipeline for a chip: programs, rasterization, tests and blending, checked. The registers of its programs and samples are complete; registers that also
    /// depend on targets are computed when a draw first uses both ([`PairCache`](crate::draw::PairCache)). A clone is cheap.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{Pipeline, PipelineDesc, Recorder, Targets, TargetsDesc, Vertices};
    ///
    /// let chip = Chip::Navi31;
    /// let pipeline = Pipeline::new(chip, PipelineDesc::default())?;
    /// let targets = Targets::new(chip, TargetsDesc::default())?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.bind_targets(&targets)?;
    /// recorder.bind_pipeline(&pipeline)?;
    /// recorder.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// let before = recorder.words().len();
    /// recorder.draw_vertices(Vertices { first: 0, count: 6 })?;
    /// assert_eq!(recorder.words()[before..], [0xC001_2D00, 6, 2]); // DRAW_INDEX_AUTO
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Pipeline, PipelineDesc, RegisterImage
}

object! {
    /// Colour and depth targets for a chip, checked, with the registers of their images. A clone is cheap. For an example see [`Pipeline`].
    Targets, TargetsDesc, TargetRegisters
}

/// The registers of targets.
#[derive(Debug)]
pub(crate) struct TargetRegisters {
    /// Registers that depend only on the targets, before any workaround.
    image: RegisterImage,
    /// The samples of the pipeline for which these registers are, if a colour target has no sample count.
    samples: u32,
}

impl Pipeline {
    /// Creates a pipeline for a machine, or for the recorded facts of a chip, and checks it. Conditions that involve targets are checked when a draw uses both.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(gpu: impl Into<Gpu>, desc: PipelineDesc) -> Result<Self, DrawError> {
        Self::of(&gpu.into(), desc)
    }

    fn of(gpu: &Gpu, mut desc: PipelineDesc) -> Result<Self, DrawError> {
        let chip = gpu.chip;
        desc.board = board::of_description(desc.board, gpu)?;
        let image = TargetImage { samples: Some(desc.samples.min(8)), ..TargetImage::default() };
        let color = alloc::vec![image; desc.blends.len()];
        let (targets, state) = (TargetsDesc { color, ..TargetsDesc::default() }, DynamicState::default());
        // The current targets say nothing about the next ones.
        let registers = resolve::registers_of_pipeline(&DrawInputs::check_before_exports(&EffectiveDraw::of(&desc, &targets, &state), chip)?);
        let board = desc.board.or_else(|| Board::recorded(chip));
        Ok(Self(Arc::new(Object::new(chip, board, desc, registers))))
    }
}

impl Targets {
    /// Creates targets for a chip and checks them. Conditions that involve pipelines are checked when a draw uses both.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(gpu: impl Into<Gpu>, desc: TargetsDesc) -> Result<Self, DrawError> {
        Self::checked(gpu.into().chip, desc, false)
    }

    /// Creates targets that draws of a secondary command buffer inherit from their caller: they write no registers of the images. Addresses, extent and layers
    /// may be unknown at recording time. Formats, samples, compression, the layout of the depth target and the set of targets must be those of the caller, and
    /// the extent must not be smaller than the caller's. The caller draws to its targets, or [writes](crate::draw::Recorder::write_targets) them, before it
    /// calls.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{Pipeline, PipelineDesc, Recorder, Surface, TargetImage, Targets, TargetsDesc, Vertices};
    ///
    /// let chip = Chip::Navi31;
    /// let pipeline = Pipeline::new(chip, PipelineDesc::default())?;
    /// let mut secondary = Recorder::secondary(chip);
    /// secondary.bind_targets(&Targets::inherited(chip, TargetsDesc { extent: (1920, 1080), ..TargetsDesc::default() })?)?;
    /// secondary.bind_pipeline(&pipeline)?;
    /// secondary.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// let callee = secondary.finish()?;
    ///
    /// let image = TargetImage { surface: Surface { address: 0x100_0000, ..Surface::default() }, ..TargetImage::default() };
    /// let mut primary = Recorder::new(chip);
    /// primary.begin()?;
    /// primary.bind_targets(&Targets::new(chip, TargetsDesc { color: vec![image], extent: (1920, 1080), ..TargetsDesc::default() })?)?;
    /// primary.bind_pipeline(&pipeline)?;
    /// primary.write_targets()?;
    /// primary.call(0x10_0000, callee.len() as u32)?; // where the callee is
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn inherited(gpu: impl Into<Gpu>, desc: TargetsDesc) -> Result<Self, DrawError> {
        Self::checked(gpu.into().chip, desc, true)
    }

    fn checked(chip: Chip, desc: TargetsDesc, inherited: bool) -> Result<Self, DrawError> {
        let most = desc.color.iter().filter_map(|color| color.samples).chain(desc.depth.map(|depth| depth.samples)).max();
        // A target with the samples of the pipeline has several if it has FMASK.
        let several = |color: &TargetImage| color.samples.is_none() && color.compression.is_some_and(|metadata| metadata.fmask.is_some());
        let least = if desc.color.iter().any(several) { 2 } else { 1 };
        let pipeline = PipelineDesc { samples: most.map_or(least, |most| most.max(least)), ..PipelineDesc::default() };
        let image = resolve::registers_of_images(&DrawInputs::check(&EffectiveDraw::of(&pipeline, &desc, &DynamicState::default()), chip)?);
        let resolved = TargetRegisters { image, samples: pipeline.samples };
        Ok(Self(Arc::new(Object { inherited, ..Object::new(chip, None, desc, resolved) })))
    }

    /// Returns the registers of the images for a pipeline with this number of samples, if they are finished.
    pub(crate) fn registers(&self, samples: u32) -> Option<&RegisterImage> {
        let own = |color: &TargetImage| color.samples.is_some();
        let TargetRegisters { image, samples: of_image } = &self.0.resolved;
        (samples == *of_image || self.0.desc.color.iter().all(own)).then_some(image)
    }
}
