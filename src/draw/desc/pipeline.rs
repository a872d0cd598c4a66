//! Pipelines: pixel shader, interlock, order, binning, and all state that is fixed before a draw.

use crate::draw::desc::blend::{Blend, LogicOp};
use crate::draw::desc::depth_stencil::DepthTest;
use crate::draw::desc::exports::PixelExports;
use crate::draw::desc::geometry::GeometryStage;
use crate::draw::desc::mesh::MeshStage;
use crate::draw::desc::pass::TargetPass;
use crate::draw::desc::pixel_inputs::PixelInputs;
use crate::draw::desc::program::Program;
use crate::draw::desc::raster::{Raster, SampleLocations};
use crate::draw::desc::rates::{RateCombiner, ShadingRate};
use crate::draw::desc::scratch::ScratchRing;
use crate::draw::desc::tessellation::Tessellation;
use crate::draw::desc::topology::Topology;
use crate::draw::desc::vertex::VertexStage;
use crate::gpu::Board;
use alloc::vec::Vec;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A pixel shader, as far as draw state depends on it.
///
/// For an example see [`Program`](crate::draw::Program).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PixelShader {
    /// The program.
    pub program: Program,
    /// Its inputs.
    pub inputs: PixelInputs,
    /// The formats of its exports, as its compiler states them. None: the formats follow from the targets.
    pub exports: Option<PixelExports>,
    /// Whether the shader stores to buffers or images, or uses atomics.
    pub writes_memory: bool,
    /// Whether depth and stencil tests must run before the shader.
    pub early_fragment_tests: bool,
    /// Whether the shader needs coverage after the early tests (GFX10 and later).
    pub post_depth_coverage: bool,
    /// Whether the shader reads inner coverage (whether the primitive covers the whole pixel) in place of the sample mask. Rasterization must overestimate.
    /// Only one source (PAL 04/2025) and no capture shows this.
    pub reads_inner_coverage: bool,
    /// Whether the shader may discard or demote.
    pub can_discard: bool,
    /// Whether the shader writes depth.
    pub writes_depth: bool,
    /// How written depth compares to rasterized depth.
    pub depth_layout: DepthLayout,
    /// Whether the shader writes a stencil reference.
    pub writes_stencil: bool,
    /// Whether the shader writes the sample mask.
    pub writes_sample_mask: bool,
    /// Whether the shader reads the sample mask of rasterization.
    pub reads_sample_mask: bool,
    /// Whether the shader reads the draw's depth target as a texture (a feedback loop). Depth and stencil are then tested late, so that the shader reads
    /// correct values.
    pub reads_depth_target: bool,
    /// Whether the shader runs once per sample.
    pub sample_shading: bool,
    /// Whether the compiler removed the ordered section although an interlock mode is declared.
    pub ordered_section_removed: bool,
}

impl PixelShader {
    /// A shader that does nothing, for draws without a pixel shader.
    const NONE: Self = Self {
        program: Program::SMALL,
        inputs: PixelInputs::NONE,
        exports: None,
        writes_memory: false,
        early_fragment_tests: false,
        post_depth_coverage: false,
        reads_inner_coverage: false,
        can_discard: false,
        writes_depth: false,
        depth_layout: DepthLayout::Any,
        writes_stencil: false,
        writes_sample_mask: false,
        reads_sample_mask: false,
        reads_depth_target: false,
        sample_shading: false,
        ordered_section_removed: false,
    };
}

/// The shader of a draw without a pixel shader.
pub(crate) static NO_SHADER: PixelShader = PixelShader::NONE;

/// Fragment shader interlock. Ordered and unordered never differ in draw state (Mesa 25.0.7, captures).
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Interlock {
    /// No interlock is declared.
    #[default]
    None,
    /// Whole pixels, in primitive order.
    PixelOrdered,
    /// Whole pixels, in any order.
    PixelUnordered,
    /// Samples, in primitive order.
    SampleOrdered,
    /// Samples, in any order.
    SampleUnordered,
}

impl Interlock {
    /// Returns whether an interlock mode is declared.
    pub fn is_declared(self) -> bool {
        self != Self::None
    }

    /// Returns whether two invocations overlap only where they share a sample.
    pub fn is_per_sample(self) -> bool {
        matches!(self, Self::SampleOrdered | Self::SampleUnordered)
    }

    /// Returns whether the order of primitives counts.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::PixelOrdered | Self::SampleOrdered)
    }
}

/// How the depth that a shader writes compares to rasterized depth.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DepthLayout, DrawDesc, PipelineDesc, PixelShader};
/// let shader = Some(PixelShader { writes_depth: true, depth_layout: DepthLayout::Greater, ..PixelShader::default() });
/// DrawDesc::from(PipelineDesc { shader, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DepthLayout {
    /// Any depth.
    #[default]
    Any,
    /// Less or equal.
    Less,
    /// Greater or equal.
    Greater,
}

/// Rasterization order (VK_AMD_rasterization_order).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, RasterizationOrder};
/// let pipeline = PipelineDesc { order: RasterizationOrder::Relaxed, ..PipelineDesc::default() };
/// let draw = DrawDesc::from(pipeline).resolve(Chip::Vega10)?;
/// assert_eq!(draw.image.get(0x2_8A4C).map(|value| value >> 27 & 1), Some(1)); // PA_SC_MODE_CNTL_1.OUT_OF_ORDER_PRIMITIVE_ENABLE
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RasterizationOrder {
    /// Primitive order.
    #[default]
    Strict,
    /// Any order, if the chip supports it. It also applies to the order of an ordered interlock.
    Relaxed,
}

/// The bins into which primitives are sorted before rasterization. A bin holds one context state and one persistent state.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Binning, DrawDesc, PipelineDesc};
/// let binning = Some(Binning { width: 128, height: 64 });
/// DrawDesc::from(PipelineDesc { binning, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binning {
    /// Width in pixels: 16, 32, 64, 128, 256 or 512, on GFX11 (not GFX11.5) 1024 too; on GFX12 at least 128.
    pub width: u32,
    /// Height in pixels, likewise. From GFX10 on both are 16 or neither is.
    pub height: u32,
}

/// How POPS_DRAIN_PS_ON_OVERLAP of DB_DFSM_CONTROL (GFX9 to GFX10.3) is decided. From GFX11 on the register does not exist, and everything but `Auto` is
/// refused.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Drain, DrawDesc, Interlock, PipelineDesc};
/// let pipeline = PipelineDesc { interlock: Interlock::PixelOrdered, samples: 8, drain: Drain::Off, ..PipelineDesc::default() };
/// let draw = DrawDesc::from(pipeline);
/// assert!(draw.resolve(Chip::Vega10).is_err()); // an erratum needs it on
/// draw.resolve(Chip::Navi21)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Drain {
    /// On if an erratum needs it.
    #[default]
    Auto,
    /// On.
    On,
    /// Off; an error if an erratum needs it on.
    Off,
    /// The register keeps its reset value: the stream neither writes it nor clears state. On most chips, drain is then on. A primary
    /// [`Recorder`](crate::draw::Recorder) refuses such a draw ([`DrainWritten`](crate::draw::RecordError::DrainWritten)), because its preamble writes the
    /// register.
    ResetDefault,
}

/// Options without a known use; all off by default. A generation that lacks one refuses it.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, ExpertOptions, Interlock, PipelineDesc};
/// let expert = ExpertOptions { exec_if_overlapped: true, ..ExpertOptions::default() };
/// let draw = DrawDesc::from(PipelineDesc { interlock: Interlock::PixelOrdered, expert, ..PipelineDesc::default() });
/// draw.resolve(Chip::Vega10)?;
/// assert!(draw.resolve(Chip::Navi31).is_err()); // GFX11 lacks the bit
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExpertOptions {
    /// DB_SHADER_CONTROL.EXEC_IF_OVERLAPPED (GFX9 to GFX10.3). No effect was found on Raven (POPS article).
    pub exec_if_overlapped: bool,
    /// PA_SC_BINNER_CNTL_0.BIN_MAPPING_MODE = BIN_MAP_MODE_POPS (GFX10 to GFX11.5). No effect was found on Navi31 (POPS article).
    pub bin_mapping_pops: bool,
    /// Whether to load the intrawave collision word in addition to the collision wave id (GFX9 to GFX10.3).
    pub intrawave_collision: bool,
    /// Whether to allocate no export space for a shader that writes nothing. Refused for an ordered section, which needs export space.
    pub no_null_export: bool,
}

/// The state that all draws of a pipeline share: programs, rasterization, tests and blending.
///
/// Values that [`DynamicState`](crate::draw::DynamicState) also contains (depth bias, depth bounds, stencil references and masks, line width, shading rate,
/// primitive restart, control points per patch, sample positions) apply if the dynamic state does not set them. User SGPRs with
/// [`UserData::Word`](crate::draw::UserData::Word) are constants of the pipeline; those with [`UserData::Keep`](crate::draw::UserData::Keep) hold the user data
/// of the dynamic state.
///
/// ```
/// use pm4::draw::{Cull, PipelineDesc, Raster};
/// let opaque = PipelineDesc { samples: 4, raster: Raster { cull: Cull::Back, ..Raster::default() }, ..PipelineDesc::default() };
/// assert_eq!(opaque.blends.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PipelineDesc {
    /// The pixel shader; None for draws without one (depth only).
    pub shader: Option<PixelShader>,
    /// The last stage before rasterization: its program and its exports.
    pub vertex: VertexStage,
    /// Vertex and control shader of draws that tessellate; `vertex` is then the evaluation shader.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader, merged with the program in `vertex`.
    pub geometry: Option<GeometryStage>,
    /// The mesh shader, whose program is in `vertex`, in place of all vertex work (GFX10.3 and later).
    pub mesh: Option<MeshStage>,
    /// Scratch memory, if a program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: the board of the machine for which the pipeline is created. A board that differs from the machine's is refused.
    pub board: Option<Board>,
    /// The fragment shader interlock mode that the shader declares.
    pub interlock: Interlock,
    /// Rasterization (coverage) samples: 1, 2, 4 or 8, and up to GFX10.3 16, where no target has more than 8
    /// ([`TargetImage::samples`](crate::draw::TargetImage::samples), [`DepthTarget`](crate::draw::DepthTarget)). The shader sees a sample mask of the same
    /// number of bits.
    pub samples: u32,
    /// Blending and channels of the colour targets, in order. A target without an entry is not written.
    pub blends: Vec<TargetBlend>,
    /// The order in which overlapping primitives may be rasterized.
    pub order: RasterizationOrder,
    /// Shading rate.
    pub rate: ShadingRate,
    /// How that rate combines with the rate that vertex work exports.
    pub rate_combiner: RateCombiner,
    /// How the rate of the targets, from an image or HTILE, combines with the result of the other rates. Targets without rates count as 1x1: with MIN and
    /// REPLACE, the draw then runs at 1x1.
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
    /// Whether alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Whether alpha then counts as 1. No register does that: the program exports 1 as the alpha of its targets, and with `alpha_to_coverage` the alpha itself
    /// in addition to depth ([`PixelExports::depth`](crate::draw::PixelExports::depth)).
    pub alpha_to_one: bool,
    /// Mask of the coverage samples that may be written; bit 0 is the first sample.
    pub sample_mask: u16,
    /// Sample positions; None for the standard positions.
    pub sample_locations: Option<SampleLocations>,
    /// Logic operation in place of blending.
    pub logic_op: Option<LogicOp>,
    /// A pass over targets instead of ordinary draws.
    pub pass: Option<TargetPass>,
    /// Options that no driver uses.
    pub expert: ExpertOptions,
    /// Primitives formed from the vertices.
    pub topology: Topology,
    /// An index of all ones starts a strip again.
    pub primitive_restart: bool,
}

impl Default for PipelineDesc {
    /// Returns a pipeline with one sample, no interlock, one target written without blending, and triangles.
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

/// How a pipeline writes one colour target.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TargetBlend {
    /// Blending, or none.
    pub blend: Option<Blend>,
    /// Mask of the channels written; bit 0 is red, bit 3 is alpha.
    pub write_mask: u8,
}

impl Default for TargetBlend {
    fn default() -> Self {
        Self { blend: None, write_mask: 0xF }
    }
}

impl TargetBlend {
    /// A target that is not written.
    pub(crate) const NONE: Self = Self { blend: None, write_mask: 0 };
}
