//! The parts of a draw that change at different times: a pipeline, targets, and state that changes between draws.

use crate::draw::compression::ColorCompression;
use crate::draw::desc::{
    Binning, ColorFormat, ColorTarget, DepthTarget, Drain, DrawDesc, ExpertOptions, Interlock, PixelShader, RasterizationOrder, RateCombiner, ShadingRate,
    Topology,
};
use crate::draw::fixed::{Blend, DepthBias, DepthTest, LogicOp, Occlusion, Raster, Rect, SampleLocations, StencilFace, Surface, Viewport, equal_by_bits};
use crate::draw::passes::TargetPass;
use crate::draw::rate_image::RateImage;
use crate::draw::stage::{Board, GeometryStage, MeshStage, Program, ScratchRing, Stage, Tessellation, UserData, VertexStage};
use alloc::vec::Vec;

/// What is the same for all draws of a pipeline: programs, rasterization, tests and blending. The fields mean what they mean in [`DrawDesc`].
///
/// Numbers that [`DynamicState`] has too (depth bias, depth bounds, stencil references and masks, width of lines, shading rate, primitive restart, control points
/// of a patch, sample positions) hold where the dynamic state does not say them. User SGPRs with [`UserData::Word`] are constants of the pipeline; those with [`UserData::Keep`] hold the user data of the
/// dynamic state.
///
/// ```
/// use pm4::draw::{Cull, PipelineDesc, Raster};
/// let opaque = PipelineDesc { samples: 4, raster: Raster { cull: Cull::Back, ..Raster::default() }, ..PipelineDesc::default() };
/// assert_eq!(opaque.blends.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PipelineDesc {
    /// What the pixel shader does; None for draws without one.
    pub shader: Option<PixelShader>,
    /// What makes the vertices that are rasterized.
    pub vertex: VertexStage,
    /// Vertex and control shader where draws tessellate.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader.
    pub geometry: Option<GeometryStage>,
    /// The mesh shader.
    pub mesh: Option<MeshStage>,
    /// Scratch memory, where a program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: the board of the captures, where there is one for the chip.
    pub board: Option<Board>,
    /// The fragment shader interlock mode that the shader declares.
    pub interlock: Interlock,
    /// Rasterization (coverage) samples.
    pub samples: u32,
    /// Blending and channels of the colour targets, in their order. A target without an entry is not written.
    pub blends: Vec<TargetBlend>,
    /// The order in which overlapping primitives may be rasterized.
    pub order: RasterizationOrder,
    /// Shading rate.
    pub rate: ShadingRate,
    /// How that rate combines with the one that vertex work exports.
    pub rate_combiner: RateCombiner,
    /// How the rate of the targets combines with what the others give.
    pub rate_image_combiner: RateCombiner,
    /// A rate that replaces all others.
    pub rate_override: Option<ShadingRate>,
    /// POPS_DRAIN_PS_ON_OVERLAP.
    pub drain: Drain,
    /// Rasterization.
    pub raster: Raster,
    /// Primitives sorted into bins; None for none.
    pub binning: Option<Binning>,
    /// Depth and stencil tests.
    pub depth_test: DepthTest,
    /// Alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha counts as 1 afterwards.
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
/// For an example see [`Pipeline`](crate::draw::Pipeline).
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
    const NONE: Self = Self { blend: None, write_mask: 0 };
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
    /// Width and height in pixels: 1 to 16384.
    pub extent: (u32, u32),
    /// An image of shading rates (GFX11 and later).
    pub rate_image: Option<RateImage>,
}

/// One colour target as an image.
///
/// For an example see [`TargetsDesc`](crate::draw::TargetsDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TargetImage {
    /// Its format.
    pub format: ColorFormat,
    /// Its samples where it has fewer than the pipeline's coverage samples.
    pub samples: Option<u32>,
    /// Its place in memory and its layout.
    pub surface: Surface,
    /// Its metadata.
    pub compression: Option<ColorCompression>,
}

/// Reference and masks of the stencil test of one face.
///
/// For an example see [`Pipeline`](crate::draw::Pipeline).
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
    pub(super) fn put(self, face: StencilFace) -> StencilFace {
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

/// State that changes between draws without another pipeline. `None` leaves it to the pipeline.
///
/// For an example see [`Pipeline`](crate::draw::Pipeline).
#[derive(Debug, Clone, Default)]
pub struct DynamicState {
    /// Viewports, at most 16; none stands for one over the whole extent.
    pub viewports: Vec<Viewport>,
    /// Scissors, as many as viewports; where there are fewer, the extent is the scissor.
    pub scissors: Vec<Rect>,
    /// Constant of blending: red, green, blue, alpha.
    pub blend_constants: [f32; 4],
    /// Reference and masks of front and back faces.
    pub stencil: Option<(StencilValues, StencilValues)>,
    /// Depth bias of pipelines that have one.
    pub depth_bias: Option<DepthBias>,
    /// Depth bounds of pipelines that have them.
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
    /// Of pixel shaders, of vertex work, and of the merged program of tessellation.
    pub(crate) user_data: [UserWords; 3],
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
        let [pixel, vertices, hull] = &self.user_data;
        [pixel.given, vertices.given, hull.given]
    }

    /// Gives values to user SGPRs of a stage from the one of number `first` on; whether they exist. Vertex work has one set, on whichever hardware stage it runs.
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> bool {
        user_data_of(stage).and_then(|at| self.user_data.get_mut(at)?.set(first, words)).is_some()
    }
}

/// A program whose free user SGPRs hold these values.
fn with_user_data(program: &Program, words: &UserWords) -> Program {
    let mut program = program.clone();
    for (bit, (data, value)) in program.user_data.iter_mut().zip(words.values).enumerate() {
        if *data == UserData::Keep && words.given >> bit & 1 == 1 {
            *data = UserData::Word(value);
        }
    }
    program
}

impl DrawDesc {
    /// A draw made of parts: what [`Recorder::draw_bound`](crate::draw::Recorder::draw_bound) draws with them. Three vertices, one instance.
    ///
    /// ```
    /// use pm4::draw::{DrawDesc, DynamicState, PipelineDesc, TargetsDesc};
    /// let draw = DrawDesc { samples: 4, ..DrawDesc::default() };
    /// let (pipeline, targets, state) = (PipelineDesc::from(&draw), TargetsDesc::from(&draw), DynamicState::from(&draw));
    /// assert_eq!(DrawDesc::of(&pipeline, &targets, &state), draw);
    /// ```
    pub fn of(pipeline: &PipelineDesc, targets: &TargetsDesc, state: &DynamicState) -> Self {
        let blend = |at| pipeline.blends.get(at).copied().unwrap_or(TargetBlend::NONE);
        let color = |(at, image): (usize, &TargetImage)| ColorTarget {
            format: image.format,
            blend: blend(at).blend,
            write_mask: blend(at).write_mask,
            samples: image.samples,
            surface: image.surface,
            compression: image.compression,
        };
        let faces = |(front, back)| state.stencil.map_or((front, back), |(f, b)| (f.put(front), b.put(back)));
        let [pixel, vertex, hull] = &state.user_data;
        Self {
            shader: pipeline.shader.as_ref().map(|shader| PixelShader { program: with_user_data(&shader.program, pixel), ..shader.clone() }),
            vertex: VertexStage { program: with_user_data(&pipeline.vertex.program, vertex), ..pipeline.vertex.clone() },
            tessellation: pipeline.tessellation.as_ref().map(|patches| Tessellation {
                program: with_user_data(&patches.program, hull),
                input_points: state.patch_points.unwrap_or(patches.input_points),
                ..patches.clone()
            }),
            geometry: pipeline.geometry.clone(),
            mesh: pipeline.mesh,
            scratch: pipeline.scratch,
            board: pipeline.board,
            interlock: pipeline.interlock,
            samples: pipeline.samples,
            color: targets.color.iter().enumerate().map(color).collect(),
            depth: targets.depth,
            order: pipeline.order,
            rate: state.rate.unwrap_or(pipeline.rate),
            rate_combiner: pipeline.rate_combiner,
            rate_image_combiner: pipeline.rate_image_combiner,
            rate_image: targets.rate_image,
            rate_override: pipeline.rate_override,
            drain: pipeline.drain,
            extent: targets.extent,
            viewports: state.viewports.clone(),
            scissors: state.scissors.clone(),
            raster: Raster {
                depth_bias: pipeline.raster.depth_bias.map(|bias| state.depth_bias.unwrap_or(bias)),
                line_width: state.line_width.unwrap_or(pipeline.raster.line_width),
                ..pipeline.raster
            },
            binning: pipeline.binning,
            depth_test: DepthTest {
                bounds: pipeline.depth_test.bounds.map(|bounds| state.depth_bounds.unwrap_or(bounds)),
                stencil: pipeline.depth_test.stencil.map(faces),
                ..pipeline.depth_test
            },
            alpha_to_coverage: pipeline.alpha_to_coverage,
            alpha_to_one: pipeline.alpha_to_one,
            sample_mask: pipeline.sample_mask,
            sample_locations: state.sample_locations.or(pipeline.sample_locations),
            blend_constants: state.blend_constants,
            logic_op: pipeline.logic_op,
            occlusion: state.occlusion,
            pass: pipeline.pass,
            expert: pipeline.expert,
            topology: pipeline.topology,
            primitive_restart: state.primitive_restart.unwrap_or(pipeline.primitive_restart),
            vertices: 3,
            instances: 1,
        }
    }
}

impl From<&DrawDesc> for PipelineDesc {
    /// What of a draw its pipeline says.
    fn from(desc: &DrawDesc) -> Self {
        Self {
            shader: desc.shader.clone(),
            vertex: desc.vertex.clone(),
            tessellation: desc.tessellation.clone(),
            geometry: desc.geometry.clone(),
            mesh: desc.mesh,
            scratch: desc.scratch,
            board: desc.board,
            interlock: desc.interlock,
            samples: desc.samples,
            blends: desc.color.iter().map(|target| TargetBlend { blend: target.blend, write_mask: target.write_mask }).collect(),
            order: desc.order,
            rate: desc.rate,
            rate_combiner: desc.rate_combiner,
            rate_image_combiner: desc.rate_image_combiner,
            rate_override: desc.rate_override,
            drain: desc.drain,
            raster: desc.raster,
            binning: desc.binning,
            depth_test: desc.depth_test,
            alpha_to_coverage: desc.alpha_to_coverage,
            alpha_to_one: desc.alpha_to_one,
            sample_mask: desc.sample_mask,
            sample_locations: desc.sample_locations,
            logic_op: desc.logic_op,
            pass: desc.pass,
            expert: desc.expert,
            topology: desc.topology,
            primitive_restart: desc.primitive_restart,
        }
    }
}

impl Default for PipelineDesc {
    /// That of the default draw: one sample, no interlock, one target written without blending.
    fn default() -> Self {
        Self::from(&DrawDesc::default())
    }
}

impl From<&DrawDesc> for TargetsDesc {
    /// What a draw is drawn to.
    fn from(desc: &DrawDesc) -> Self {
        let image =
            |target: &ColorTarget| TargetImage { format: target.format, samples: target.samples, surface: target.surface, compression: target.compression };
        Self { color: desc.color.iter().map(image).collect(), depth: desc.depth, extent: desc.extent, rate_image: desc.rate_image }
    }
}

impl Default for TargetsDesc {
    /// Those of the default draw: one rgba8 target, no depth.
    fn default() -> Self {
        Self::from(&DrawDesc::default())
    }
}

impl From<&DrawDesc> for DynamicState {
    /// What of a draw changes without another pipeline; what its pipeline says already is left to it.
    fn from(desc: &DrawDesc) -> Self {
        Self {
            viewports: desc.viewports.clone(),
            scissors: desc.scissors.clone(),
            blend_constants: desc.blend_constants,
            occlusion: desc.occlusion,
            ..Self::default()
        }
    }
}
