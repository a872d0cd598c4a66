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

/// What a pixel shader does, as far as draw state depends on it.
///
/// For an example see [`Program`](crate::draw::Program).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PixelShader {
    /// The program.
    pub program: Program,
    /// Its inputs.
    pub inputs: PixelInputs,
    /// The formats of its exports, as its compiler states them; None: those that follow from the targets.
    pub exports: Option<PixelExports>,
    /// Stores to buffers or images, or does atomics.
    pub writes_memory: bool,
    /// Asks for depth and stencil tests before the shader.
    pub early_fragment_tests: bool,
    /// Asks for coverage after the early tests (GFX10 and later).
    pub post_depth_coverage: bool,
    /// Reads whether the primitive covers the pixel whole (inner coverage), in the place of the sample mask. Rasterization must overestimate. One source
    /// (PAL 04/2025) and no capture shows it.
    pub reads_inner_coverage: bool,
    /// May discard or demote.
    pub can_discard: bool,
    /// Writes depth.
    pub writes_depth: bool,
    /// How written depth compares to the rasterized one.
    pub depth_layout: DepthLayout,
    /// Writes a stencil reference.
    pub writes_stencil: bool,
    /// Writes the sample mask.
    pub writes_sample_mask: bool,
    /// Reads the sample mask that rasterization gives.
    pub reads_sample_mask: bool,
    /// Reads the depth target of the draw as a texture (a feedback loop): depth and stencil are tested late, so that it reads what is right.
    pub reads_depth_target: bool,
    /// Runs once for each sample.
    pub sample_shading: bool,
    /// An interlock mode is declared, but the compiler removed the ordered section.
    pub ordered_section_removed: bool,
}

impl PixelShader {
    /// A shader that does nothing, for draws without one.
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
    /// Returns whether some mode is declared.
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

/// How depth that a shader writes compares to the rasterized one.
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
    /// Any order, if the chip supports it. If it is declared, it also applies to the order of an ordered interlock.
    Relaxed,
}

/// Bins that primitives are sorted into before they are rasterized. A bin holds one context state and one persistent state.
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
    /// On where an erratum needs it.
    #[default]
    Auto,
    /// On.
    On,
    /// Off; an error where an erratum needs it on.
    Off,
    /// The register is left as reset left it: the stream neither writes it nor clears state. Drain is then on, on most chips. A primary
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
    /// Do not allocate export space for a shader that writes nothing. Refused for an ordered section, which cannot do without.
    pub no_null_export: bool,
}

/// What is the same for all draws of a pipeline: programs, rasterization, tests and blending.
///
/// Numbers that [`DynamicState`](crate::draw::DynamicState) has too (depth bias, depth bounds, stencil references and masks, width of lines, shading rate,
/// primitive restart, control points of a patch, sample positions) hold where the dynamic state does not say them. User SGPRs with
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
    /// The board. None: that of the machine that the pipeline is made for. Another one than the machine states is refused.
    pub board: Option<Board>,
    /// The fragment shader interlock mode that the shader declares.
    pub interlock: Interlock,
    /// Rasterization (coverage) samples: 1, 2, 4 or 8, and up to GFX10.3 16, where no target has more than 8
    /// ([`TargetImage::samples`](crate::draw::TargetImage::samples), [`DepthTarget`](crate::draw::DepthTarget)). The shader sees as many bits of sample mask.
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
    /// Alpha counts as 1 afterwards. No register does that: the program exports 1 as the alpha of its targets, and with `alpha_to_coverage` the alpha itself
    /// in addition to depth ([`PixelExports::depth`](crate::draw::PixelExports::depth)).
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
