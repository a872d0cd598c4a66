//! State that changes between draws without a change of pipeline, and user data.

use crate::draw::desc::bits::equal_by_bits;
use crate::draw::desc::depth_stencil::{Occlusion, StencilFace};
use crate::draw::desc::program::Stage;
use crate::draw::desc::raster::{DepthBias, Rect, SampleLocations, Viewport};
use crate::draw::desc::rates::ShadingRate;
use alloc::vec::Vec;

/// Reference and masks of the stencil test of one face.
///
/// For an example see [`DynamicState`](crate::draw::DynamicState).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StencilValues {
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
}

impl Default for StencilValues {
    fn default() -> Self {
        Self { reference: 0, read_mask: 0xFF, write_mask: 0xFF }
    }
}

impl StencilValues {
    /// Returns a face with these values.
    fn apply_to(self, face: StencilFace) -> StencilFace {
        StencilFace { reference: self.reference, read_mask: self.read_mask, write_mask: self.write_mask, ..face }
    }
}

/// Values for user SGPRs of one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct UserWords {
    pub values: [u32; 32],
    /// One bit per user SGPR with a value.
    pub given: u32,
}

impl UserWords {
    /// Sets user SGPRs from `first` on. Returns one bit per user SGPR whose value has changed; None if they extend beyond the last user SGPR.
    #[inline(always)]
    pub fn set(&mut self, first: u32, words: &[u32]) -> Option<u32> {
        let places = self.values.get_mut(first as usize..)?.get_mut(..words.len())?;
        // At most 32: the bits from `first` on fit.
        let named = (((1u64 << words.len()) - 1) << first) as u32;
        let mut changed = named & !self.given;
        for at in 0..words.len() {
            changed |= u32::from(places[at] != words[at]) << (first + at as u32);
            places[at] = words[at];
        }
        self.given |= named;
        Some(changed)
    }
}

/// Values for the user SGPRs of the stages of a draw ([`DynamicState::set_user_data`]).
///
/// ```
/// use pm4::draw::{DynamicState, Stage, UserDataWords};
/// let mut state = DynamicState::default();
/// assert!(state.set_user_data(Stage::Pixel, 2, &[1, 2, 3]));
/// assert_ne!(state.user_data, UserDataWords::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UserDataWords {
    /// For pixel shaders, for vertex work, and for the merged program of tessellation.
    pub(crate) stages: [UserWords; 3],
}

impl UserDataWords {
    /// Sets user SGPRs of a stage from `first` on. Returns the index of the stage and one bit per user SGPR whose value has changed; None if the stage has no
    /// such user SGPRs.
    #[inline(always)]
    pub(crate) fn set(&mut self, stage: Stage, first: u32, words: &[u32]) -> Option<(usize, u32)> {
        let at = user_data_of(stage)?;
        Some((at, self.stages.get_mut(at)?.set(first, words)?))
    }
}

/// State that changes between draws without a change of pipeline. `None` leaves a value to the pipeline.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, DynamicState, Rect, ShadingRate, StencilValues, Viewport};
/// // The left half of the target, and half its depth.
/// let viewport = Viewport { width: 128.0, max_depth: 0.5, ..Viewport::covering((256, 128)) };
/// let scissor = Rect { x: 0, y: 0, width: 128, height: 128 };
/// let stencil = StencilValues { reference: 1, ..StencilValues::default() };
/// let state = DynamicState {
///     viewports: vec![viewport],
///     scissors: vec![scissor],
///     stencil: Some((stencil, stencil)),
///     rate: Some(ShadingRate::R2x1),
///     ..DynamicState::default()
/// };
/// DrawDesc { state, ..DrawDesc::default() }.resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct DynamicState {
    /// Viewports, at most 16; an empty list stands for one viewport over the whole extent.
    pub viewports: Vec<Viewport>,
    /// Scissors, one per viewport; for a viewport without one, the extent is the scissor.
    pub scissors: Vec<Rect>,
    /// Blend constant: red, green, blue, alpha.
    pub blend_constants: [f32; 4],
    /// Reference and masks of front and back faces.
    pub stencil: Option<(StencilValues, StencilValues)>,
    /// Depth bias, for pipelines with depth bias.
    pub depth_bias: Option<DepthBias>,
    /// Depth bounds, for pipelines with depth bounds: minimum and maximum, finite numbers.
    pub depth_bounds: Option<(f32, f32)>,
    /// Line width in pixels.
    pub line_width: Option<f32>,
    /// Shading rate.
    pub rate: Option<ShadingRate>,
    /// Whether an index of all ones restarts a strip.
    pub primitive_restart: Option<bool>,
    /// Control points per patch, for pipelines that tessellate.
    pub patch_points: Option<u32>,
    /// Positions of the samples.
    pub sample_locations: Option<SampleLocations>,
    /// Counting of samples that pass.
    pub occlusion: Occlusion,
    /// Values for user SGPRs that programs leave free.
    pub user_data: UserDataWords,
}

equal_by_bits!(DynamicState {
    viewports, scissors, stencil, depth_bias, rate, primitive_restart, patch_points, sample_locations, occlusion, user_data,
} floats { blend_constants, depth_bounds, line_width, });

impl DynamicState {
    /// Returns the stencil faces of a pipeline with the values of this state.
    #[inline]
    pub(crate) fn stencil_of(&self, faces: Option<(StencilFace, StencilFace)>) -> Option<(StencilFace, StencilFace)> {
        faces.map(|(front, back)| self.stencil.map_or((front, back), |(f, b)| (f.apply_to(front), b.apply_to(back))))
    }

    /// Returns the pipeline's depth bias, if it has one, or the depth bias of this state in its place.
    #[inline]
    pub(crate) fn depth_bias_of(&self, bias: Option<DepthBias>) -> Option<DepthBias> {
        bias.map(|bias| self.depth_bias.unwrap_or(bias))
    }

    /// Returns the pipeline's depth bounds, if it has them, or the depth bounds of this state in their place.
    #[inline]
    pub(crate) fn depth_bounds_of(&self, bounds: Option<(f32, f32)>) -> Option<(f32, f32)> {
        bounds.map(|bounds| self.depth_bounds.unwrap_or(bounds))
    }

    /// Returns the user SGPRs with values, one bit each.
    #[inline(always)]
    pub(crate) fn given(&self) -> [u32; 3] {
        let [pixel, vertices, hull] = &self.user_data.stages;
        [pixel.given, vertices.given, hull.given]
    }

    /// Sets user SGPRs of a stage, starting with number `first`. Returns false, and sets nothing, if the stage has no such user SGPRs. Vertex work has one set
    /// of user SGPRs, regardless of its hardware stage.
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> bool {
        self.user_data.set(stage, first, words).is_some()
    }
}

/// Returns the index of a stage's user data among pixel shaders, vertex work and tessellation; None for compute.
pub(crate) fn user_data_of(stage: Stage) -> Option<usize> {
    match stage {
        Stage::Pixel => Some(0),
        Stage::Vertex | Stage::Ngg | Stage::Geometry => Some(1),
        Stage::Hull => Some(2),
        Stage::Compute => None,
    }
}
