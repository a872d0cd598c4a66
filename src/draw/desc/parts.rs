//! The parts of a draw that change at different times: a pipeline, targets, and state that changes between draws.

use crate::draw::check::TargetPass;
use crate::draw::decide::{ColorCompression, RateImage};
use crate::draw::desc::board::Board;
use crate::draw::desc::geometry::GeometryStage;
use crate::draw::desc::mesh::MeshStage;
use crate::draw::desc::pipeline::{
    Binning, ColorFormat, DepthTarget, Drain, ExpertOptions, Interlock, PixelShader, RasterizationOrder, RateCombiner, ShadingRate, Topology,
};
use crate::draw::desc::program::Stage;
use crate::draw::desc::raster::{
    Blend, DepthBias, DepthTest, LogicOp, Occlusion, Raster, Rect, SampleLocations, StencilFace, Surface, Viewport, equal_by_bits,
};
use crate::draw::desc::scratch::ScratchRing;
use crate::draw::desc::tessellation::Tessellation;
use crate::draw::desc::vertex::VertexStage;
use alloc::vec::Vec;

/// What is the same for all draws of a pipeline: programs, rasterization, tests and blending.
///
/// Numbers that [`DynamicState`] has too (depth bias, depth bounds, stencil references and masks, width of lines, shading rate, primitive restart, control points
/// of a patch, sample positions) hold where the dynamic state does not say them. User SGPRs with [`UserData::Word`](crate::draw::UserData::Word) are constants of the
/// pipeline; those with [`UserData::Keep`](crate::draw::UserData::Keep) hold the user data of the dynamic state.
///
/// ```
/// use pm4::draw::{Cull, PipelineDesc, Raster};
/// let opaque = PipelineDesc { samples: 4, raster: Raster { cull: Cull::Back, ..Raster::default() }, ..PipelineDesc::default() };
/// assert_eq!(opaque.blends.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PipelineDesc {
    /// What the pixel shader does; None for draws without one (depth only).
    pub shader: Option<PixelShader>,
    /// What makes the vertices that are rasterized: the program of the last stage before, and what it exports.
    pub vertex: VertexStage,
    /// Vertex and control shader where draws tessellate; `vertex` is then the evaluation shader.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader, merged with the program in `vertex`.
    pub geometry: Option<GeometryStage>,
    /// The mesh shader, whose program is in `vertex`, in place of all vertex work (GFX10.3 and later).
    pub mesh: Option<MeshStage>,
    /// Scratch memory, where a program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: [`Board::recorded`], where there is one for the chip.
    pub board: Option<Board>,
    /// The fragment shader interlock mode that the shader declares.
    pub interlock: Interlock,
    /// Rasterization (coverage) samples: 1, 2, 4 or 8, and up to GFX10.3 16, where no target has more than 8 ([`TargetImage::samples`], [`DepthTarget`]).
    /// The shader sees as many bits of sample mask.
    pub samples: u32,
    /// Blending and channels of the colour targets, in their order. A target without an entry is not written.
    pub blends: Vec<TargetBlend>,
    /// The order in which overlapping primitives may be rasterized.
    pub order: RasterizationOrder,
    /// Shading rate.
    pub rate: ShadingRate,
    /// How that rate combines with the one that vertex work exports.
    pub rate_combiner: RateCombiner,
    /// How the rate of the targets, by an image or in HTILE, combines with what the others give. Targets without rates have 1x1: with MIN and REPLACE the draw
    /// then is at 1x1.
    pub rate_image_combiner: RateCombiner,
    /// A rate that replaces all others, as a decision of the driver. Not allowed with an interlock mode.
    pub rate_override: Option<ShadingRate>,
    /// POPS_DRAIN_PS_ON_OVERLAP.
    pub drain: Drain,
    /// Rasterization.
    pub raster: Raster,
    /// Binning of primitives; None turns it off.
    pub binning: Option<Binning>,
    /// Depth and stencil tests.
    pub depth_test: DepthTest,
    /// Alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha counts as 1 afterwards. No register does that: the program exports 1 as the alpha of its targets, and with `alpha_to_coverage` the alpha itself beside depth
    /// ([`PixelExports::depth`](crate::draw::PixelExports::depth)).
    pub alpha_to_one: bool,
    /// Coverage samples that may be written, bit 0 the first.
    pub sample_mask: u16,
    /// Positions of the samples; None for the standard ones.
    pub sample_locations: Option<SampleLocations>,
    /// Logic operation in place of blending.
    pub logic_op: Option<LogicOp>,
    /// A pass over targets instead of ordinary draws.
    pub pass: Option<TargetPass>,
    /// Options that no driver uses.
    pub expert: ExpertOptions,
    /// Primitives made of the vertices.
    pub topology: Topology,
    /// An index of all ones starts a strip again.
    pub primitive_restart: bool,
}

/// How a pipeline writes one colour target.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TargetBlend {
    /// Blending, or none.
    pub blend: Option<Blend>,
    /// Channels written, bit 0 red to bit 3 alpha.
    pub write_mask: u8,
}

impl Default for TargetBlend {
    fn default() -> Self {
        Self { blend: None, write_mask: 0xF }
    }
}

impl TargetBlend {
    /// A target of which nothing is written.
    pub(crate) const NONE: Self = Self { blend: None, write_mask: 0 };
}

/// The targets of draws: images and their extent.
///
/// ```
/// use pm4::draw::{DepthFormat, DepthTarget, TargetsDesc};
/// let targets = TargetsDesc { extent: (1920, 1080), depth: Some(DepthTarget::new(DepthFormat::D32, 1)), ..TargetsDesc::default() };
/// assert_eq!(targets.color.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetsDesc {
    /// Colour targets, at most 8.
    pub color: Vec<TargetImage>,
    /// Depth and stencil target.
    pub depth: Option<DepthTarget>,
    /// Width and height of mip level 0 of the images, in pixels: 1 to 16384. Registers of the images take their size from it, and so do the window scissor and a
    /// viewport that is not set. A draw to another [level](crate::draw::Surface::level) sets a viewport and a scissor of the size of that level.
    pub extent: (u32, u32),
    /// A shading-rate image (GFX11 and later).
    pub rate_image: Option<RateImage>,
}

/// One colour target as an image.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TargetImage {
    /// Its format.
    pub format: ColorFormat,
    /// Its samples where it has fewer than the pipeline's coverage samples (VK_AMD_mixed_attachment_samples).
    pub samples: Option<u32>,
    /// Its place in memory and its layout.
    pub surface: Surface,
    /// Its metadata.
    pub compression: Option<ColorCompression>,
}

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
    /// A face with these values.
    pub(crate) fn put(self, face: StencilFace) -> StencilFace {
        StencilFace { reference: self.reference, read_mask: self.read_mask, write_mask: self.write_mask, ..face }
    }
}

/// User SGPRs of one stage that were given values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct UserWords {
    pub values: [u32; 32],
    /// One bit per user SGPR: whether it was given a value.
    pub given: u32,
}

impl UserWords {
    /// Gives values to user SGPRs from `first` on; one bit per user SGPR whose value is another now. None where they go beyond the last.
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

/// Values that were given to the user SGPRs of the stages of a draw ([`DynamicState::set_user_data`]).
///
/// ```
/// use pm4::draw::{DynamicState, Stage, UserDataWords};
/// let mut state = DynamicState::default();
/// assert!(state.set_user_data(Stage::Pixel, 2, &[1, 2, 3]));
/// assert_ne!(state.user_data, UserDataWords::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UserDataWords {
    /// Of pixel shaders, of vertex work, and of the merged program of tessellation.
    pub(crate) stages: [UserWords; 3],
}

impl UserDataWords {
    /// Gives values to user SGPRs of a stage from `first` on: which set, and one bit per user SGPR whose value is another now. None where there are none such.
    #[inline(always)]
    pub(crate) fn set(&mut self, stage: Stage, first: u32, words: &[u32]) -> Option<(usize, u32)> {
        let at = user_data_of(stage)?;
        Some((at, self.stages.get_mut(at)?.set(first, words)?))
    }
}

/// State that changes between draws without another pipeline. `None` leaves it to the pipeline.
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
    /// Viewports, at most 16; an empty list means one over the whole extent.
    pub viewports: Vec<Viewport>,
    /// Scissors, as many as viewports; where there are fewer, the extent is the scissor.
    pub scissors: Vec<Rect>,
    /// Constant of blending: red, green, blue, alpha.
    pub blend_constants: [f32; 4],
    /// Reference and masks of front and back faces.
    pub stencil: Option<(StencilValues, StencilValues)>,
    /// Depth bias of pipelines that have one.
    pub depth_bias: Option<DepthBias>,
    /// Depth bounds of pipelines that have them: minimum and maximum, finite numbers.
    pub depth_bounds: Option<(f32, f32)>,
    /// Width of lines in pixels.
    pub line_width: Option<f32>,
    /// Shading rate.
    pub rate: Option<ShadingRate>,
    /// An index of all ones starts a strip again.
    pub primitive_restart: Option<bool>,
    /// Control points of a patch of pipelines that tessellate.
    pub patch_points: Option<u32>,
    /// Positions of the samples.
    pub sample_locations: Option<SampleLocations>,
    /// Counting of samples that pass.
    pub occlusion: Occlusion,
    /// Values of user SGPRs that programs leave free.
    pub user_data: UserDataWords,
}

equal_by_bits!(DynamicState {
    viewports, scissors, stencil, depth_bias, rate, primitive_restart, patch_points, sample_locations, occlusion, user_data,
} floats { blend_constants, depth_bounds, line_width, });

/// The user data of a stage among those of pixel shaders, vertex work and tessellation; None for compute.
pub(crate) fn user_data_of(stage: Stage) -> Option<usize> {
    match stage {
        Stage::Pixel => Some(0),
        Stage::Vertex | Stage::Ngg | Stage::Geometry => Some(1),
        Stage::Hull => Some(2),
        Stage::Compute => None,
    }
}

impl DynamicState {
    /// User SGPRs that were given values: one bit each.
    #[inline(always)]
    pub(crate) fn given(&self) -> [u32; 3] {
        let [pixel, vertices, hull] = &self.user_data.stages;
        [pixel.given, vertices.given, hull.given]
    }

    /// Gives values to user SGPRs of a stage, from the one of number `first` on. Returns false, and sets nothing, if the stage has no such user SGPRs. Vertex work
    /// has one set, on whichever hardware stage it runs.
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> bool {
        self.user_data.set(stage, first, words).is_some()
    }
}

impl Default for PipelineDesc {
    /// One sample, no interlock, one target written without blending, triangles.
    fn default() -> Self {
        Self {
            shader: Some(PixelShader::default()),
            vertex: VertexStage::default(),
            tessellation: None,
            geometry: None,
            mesh: None,
            scratch: None,
            board: None,
            interlock: Interlock::None,
            samples: 1,
            blends: alloc::vec![TargetBlend::default()],
            order: RasterizationOrder::Strict,
            rate: ShadingRate::default(),
            rate_combiner: RateCombiner::default(),
            rate_image_combiner: RateCombiner::default(),
            rate_override: None,
            drain: Drain::Auto,
            raster: Raster::default(),
            binning: None,
            depth_test: DepthTest::default(),
            alpha_to_coverage: false,
            alpha_to_one: false,
            sample_mask: 0xFFFF,
            sample_locations: None,
            logic_op: None,
            pass: None,
            expert: ExpertOptions::default(),
            topology: Topology::TriangleList,
            primitive_restart: false,
        }
    }
}

impl Default for TargetsDesc {
    /// One rgba8 target, no depth.
    fn default() -> Self {
        Self { color: alloc::vec![TargetImage::default()], depth: None, extent: (256, 128), rate_image: None }
    }
}
