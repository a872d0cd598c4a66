//! A draw: pipeline, targets, dynamic state, and what is drawn.

use crate::draw::desc::dynamic::DynamicState;
use crate::draw::desc::pipeline::{PipelineDesc, TargetBlend};
use crate::draw::desc::targets::{TargetImage, TargetsDesc};

/// One draw, complete: a pipeline, targets, the state that changes between draws, and counts. `Default` is one sample, no interlock, one rgba8 target, no
/// depth, three vertices; programs and images have no address (the registers of program addresses are then not written, and the target is at address 0).
///
/// The parts are those that [`Pipeline`](crate::draw::Pipeline), [`Targets`](crate::draw::Targets) and a recorder's dynamic state are made of, and mean the
/// same: what [`resolve`](crate::draw::resolve) makes of a description is what [`Recorder::draw_bound`](crate::draw::Recorder::draw_bound) draws with its parts
/// bound.
///
/// ```
/// use pm4::draw::{DrawDesc, Interlock, PipelineDesc};
/// let pipeline = PipelineDesc { interlock: Interlock::SampleOrdered, samples: 4, ..PipelineDesc::default() };
/// let draw = DrawDesc { vertices: 6, ..DrawDesc::from(pipeline) };
/// assert_eq!(draw.targets.color.len(), 1);
/// ```
///
/// For equality and hashing, here and in its parts, floats count by their bits: 0 and -0 differ, and NaN equals itself. So a description can be the key of a
/// cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DrawDesc {
    /// Programs, rasterization, tests and blending.
    pub pipeline: PipelineDesc,
    /// What is drawn to.
    pub targets: TargetsDesc,
    /// State that changes without another pipeline. Where it says nothing, the pipeline's value holds.
    pub state: DynamicState,
    /// Vertices of the non-indexed draw; a mesh shader has none.
    pub vertices: u32,
    /// Instances, at least 1.
    pub instances: u32,
}

impl Default for DrawDesc {
    fn default() -> Self {
        Self { pipeline: PipelineDesc::default(), targets: TargetsDesc::default(), state: DynamicState::default(), vertices: 3, instances: 1 }
    }
}

impl From<PipelineDesc> for DrawDesc {
    /// Returns a draw with this pipeline; all else is as in `Default`.
    fn from(pipeline: PipelineDesc) -> Self {
        Self { pipeline, ..Self::default() }
    }
}

impl DrawDesc {
    /// Returns the same draw to these colour targets: each an image, and how the pipeline writes it.
    ///
    /// ```
    /// use pm4::draw::{Blend, ColorFormat, DrawDesc, TargetBlend, TargetImage};
    /// let image = TargetImage { format: ColorFormat::Rgba16f, ..TargetImage::default() };
    /// let blend = TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() };
    /// let draw = DrawDesc::default().with_colors([(image, blend); 2]);
    /// assert_eq!((draw.targets.color.len(), draw.pipeline.blends.len()), (2, 2));
    /// ```
    pub fn with_colors(mut self, colors: impl IntoIterator<Item = (TargetImage, TargetBlend)>) -> Self {
        (self.targets.color, self.pipeline.blends) = colors.into_iter().unzip();
        self
    }
}
