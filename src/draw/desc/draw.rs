//! A draw: pipeline, targets, dynamic state and counts.

use crate::draw::desc::dynamic::DynamicState;
use crate::draw::desc::pipeline::{PipelineDesc, TargetBlend};
use crate::draw::desc::targets::{TargetImage, TargetsDesc};

/// One complete draw: a pipeline, targets, the state that changes between draws, and counts. `Default` is one sample, no interlock, one rgba8 target, no
/// depth, three vertices; programs and images have no address (the registers of program addresses are then not written, and the target is at address 0).
///
/// [`Pipeline`](crate::draw::Pipeline), [`Targets`](crate::draw::Targets) and a recorder's dynamic state consist of the same parts:
/// [`resolve`](crate::draw::resolve) of a description gives the same state as [`Recorder::draw_bound`](crate::draw::Recorder::draw_bound) with its parts bound.
///
/// ```
/// use pm4::draw::{DrawDesc, Interlock, PipelineDesc};
/// let pipeline = PipelineDesc { interlock: Interlock::SampleOrdered, samples: 4, ..PipelineDesc::default() };
/// let draw = DrawDesc { vertices: 6, ..DrawDesc::from(pipeline) };
/// assert_eq!(draw.targets.color.len(), 1);
/// ```
///
/// Equality and hashing compare floats by their bits, here and in the parts: 0 and -0 differ, and NaN equals itself. A description can therefore be the key of
/// a cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DrawDesc {
    /// Programs, rasterization, tests and blending.
    pub pipeline: PipelineDesc,
    /// The targets of the draw.
    pub targets: TargetsDesc,
    /// State that changes without a change of pipeline. Where it is not set, the pipeline's value applies.
    pub state: DynamicState,
    /// Number of vertices of the non-indexed draw; a mesh shader has none.
    pub vertices: u32,
    /// Number of instances, at least 1.
    pub instances: u32,
}

impl Default for DrawDesc {
    fn default() -> Self {
        Self { pipeline: PipelineDesc::default(), targets: TargetsDesc::default(), state: DynamicState::default(), vertices: 3, instances: 1 }
    }
}

impl From<PipelineDesc> for DrawDesc {
    /// Returns a draw with this pipeline; everything else is as in `Default`.
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
