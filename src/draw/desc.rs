//! The description of a draw in API terms; nothing here is a register.

use crate::chip::Chip;
use crate::draw::compression::ColorCompression;
use crate::draw::exports::PixelExports;
use crate::draw::fixed::{Blend, DepthTest, LogicOp, Occlusion, Raster, Rect, SampleLocations, Surface, Viewport, equal_by_bits};
use crate::draw::hierarchical::{DepthClear, HiSurface, Htile};
use crate::draw::passes::TargetPass;
use crate::draw::rate_image::RateImage;
use crate::draw::stage::{Board, GeometryStage, MeshStage, PixelInputs, Program, ScratchRing, Tessellation, VertexStage};
use alloc::vec::Vec;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// One draw, complete. `Default` is one sample, no interlock, one rgba8 target, no depth, three vertices.
///
/// ```
/// use pm4::draw::{DrawDesc, Interlock};
/// let draw = DrawDesc { interlock: Interlock::SampleOrdered, samples: 4, ..DrawDesc::default() };
/// assert_eq!(draw.color.len(), 1);
/// ```
///
/// For equality and hashing, here and in its parts, floats count by their bits: 0 and -0 differ, and NaN equals itself. So a description can be the key of a
/// cache.
#[derive(Debug, Clone)]
pub struct DrawDesc {
    /// What the pixel shader does; None for a draw without one (depth only).
    pub shader: Option<PixelShader>,
    /// What makes the vertices that are rasterized: the program of the last stage before, and what it exports.
    pub vertex: VertexStage,
    /// Vertex and control shader of a draw that tessellates; `vertex` is then the evaluation shader.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader, merged with the program in `vertex`.
    pub geometry: Option<GeometryStage>,
    /// The mesh shader, whose program is in `vertex`, in place of all vertex work (GFX10.3 and later).
    pub mesh: Option<MeshStage>,
    /// Scratch memory, where a program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: the board of the captures, where there is one for the chip.
    pub board: Option<Board>,
    /// The fragment shader interlock mode that the shader declares.
    pub interlock: Interlock,
    /// Rasterization (coverage) samples: 1, 2, 4 or 8, and up to GFX10.3 16, where no target has more than 8 ([`ColorTarget::samples`], [`DepthTarget`]).
    /// The shader sees as many bits of sample mask.
    pub samples: u32,
    /// Colour targets, at most 8.
    pub color: Vec<ColorTarget>,
    /// Depth and stencil target.
    pub depth: Option<DepthTarget>,
    /// The order in which overlapping primitives may be rasterized.
    pub order: RasterizationOrder,
    /// The requested shading rate.
    pub rate: ShadingRate,
    /// How that rate combines with the one that vertex work exports.
    pub rate_combiner: RateCombiner,
    /// How the rate of the targets, by an image or in HTILE, combines with what the others give.
    pub rate_image_combiner: RateCombiner,
    /// An image of shading rates (GFX11 and later).
    pub rate_image: Option<RateImage>,
    /// A rate that replaces all others, as a decision of the driver. Not allowed with an interlock mode.
    pub rate_override: Option<ShadingRate>,
    /// POPS_DRAIN_PS_ON_OVERLAP.
    pub drain: Drain,
    /// Width and height of the targets in pixels: 1 to 16384.
    pub extent: (u32, u32),
    /// Viewports, at most 16; none stands for one over the whole extent.
    pub viewports: Vec<Viewport>,
    /// Scissors, as many as viewports; where there are fewer, the extent is the scissor.
    pub scissors: Vec<Rect>,
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
    /// Constant of blending: red, green, blue, alpha.
    pub blend_constants: [f32; 4],
    /// Logic operation in place of blending.
    pub logic_op: Option<LogicOp>,
    /// Counting of samples that pass.
    pub occlusion: Occlusion,
    /// A pass over targets instead of an ordinary draw.
    pub pass: Option<TargetPass>,
    /// Options that no driver uses.
    pub expert: ExpertOptions,
    /// Primitives made of the vertices.
    pub topology: Topology,
    /// An index of all ones starts a strip again.
    pub primitive_restart: bool,
    /// Vertices of the non-indexed draw.
    pub vertices: u32,
    /// Instances, at least 1.
    pub instances: u32,
}

equal_by_bits!(DrawDesc {
    shader, vertex, tessellation, geometry, mesh, scratch, board, interlock, samples, color, depth, order, rate, rate_combiner, rate_image_combiner, rate_image, rate_override, drain, extent, viewports, scissors,
    raster, binning, depth_test, alpha_to_coverage, alpha_to_one, sample_mask, sample_locations, logic_op, occlusion, pass, expert, topology, primitive_restart, vertices,
    instances,
} floats { blend_constants, });

impl Default for DrawDesc {
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
            color: alloc::vec![ColorTarget::default()],
            depth: None,
            order: RasterizationOrder::Strict,
            rate: ShadingRate::default(),
            rate_combiner: RateCombiner::default(),
            rate_image_combiner: RateCombiner::default(),
            rate_image: None,
            rate_override: None,
            drain: Drain::Auto,
            extent: (256, 128),
            viewports: Vec::new(),
            scissors: Vec::new(),
            raster: Raster::default(),
            binning: None,
            depth_test: DepthTest::default(),
            alpha_to_coverage: false,
            alpha_to_one: false,
            sample_mask: 0xFFFF,
            sample_locations: None,
            blend_constants: [0.0; 4],
            logic_op: None,
            occlusion: Occlusion::Off,
            pass: None,
            expert: ExpertOptions::default(),
            topology: Topology::TriangleList,
            primitive_restart: false,
            vertices: 3,
            instances: 1,
        }
    }
}

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
    /// Runs once for each sample.
    pub sample_shading: bool,
    /// An interlock mode is declared, but the compiler removed the ordered section.
    pub section_unused: bool,
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
        sample_shading: false,
        section_unused: false,
    };
}

/// What stands for the shader of a draw without one.
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
    /// Whether some mode is declared.
    pub fn is_declared(self) -> bool {
        self != Self::None
    }

    /// Whether two invocations overlap only where they share a sample.
    pub fn is_per_sample(self) -> bool {
        matches!(self, Self::SampleOrdered | Self::SampleUnordered)
    }

    /// Whether the order of primitives counts.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::PixelOrdered | Self::SampleOrdered)
    }
}

/// One colour target.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorTarget {
    /// Format of the target.
    pub format: ColorFormat,
    /// Blending, or none.
    pub blend: Option<Blend>,
    /// Channels written, bit 0 red to bit 3 alpha.
    pub write_mask: u8,
    /// Samples of the target where it has fewer than the draw's coverage samples (VK_AMD_mixed_attachment_samples).
    pub samples: Option<u32>,
    /// Its place in memory and its layout.
    pub surface: Surface,
    /// Its metadata.
    pub compression: Option<ColorCompression>,
}

impl Default for ColorTarget {
    fn default() -> Self {
        Self { format: ColorFormat::Rgba8, blend: None, write_mask: 0xF, samples: None, surface: Surface::default(), compression: None }
    }
}

/// Formats of colour targets.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
#[allow(missing_docs)] // channels, bits, and the kind of number: f float, ui unsigned, i signed, srgb, snorm, else unorm; packed ones from the top bit, as Vulkan
pub enum ColorFormat {
    R8,
    #[strum(serialize = "r8-snorm")]
    R8Snorm,
    #[strum(serialize = "r8-srgb")]
    R8Srgb,
    R8ui,
    R8i,
    Rg8,
    #[strum(serialize = "rg8-snorm")]
    Rg8Snorm,
    Rg8ui,
    Rg8i,
    #[default]
    Rgba8,
    #[strum(serialize = "rgba8-snorm")]
    Rgba8Snorm,
    #[strum(serialize = "rgba8-srgb")]
    Rgba8Srgb,
    Rgba8ui,
    Rgba8i,
    Bgra8,
    #[strum(serialize = "bgra8-srgb")]
    Bgra8Srgb,
    R5g6b5,
    B5g6r5,
    Rgb5a1,
    A1rgb5,
    Rgba4,
    Bgra4,
    Argb4,
    Abgr4,
    Rgb10a2,
    #[strum(serialize = "rgb10a2-snorm")]
    Rgb10a2Snorm,
    Rgb10a2ui,
    Bgr10a2,
    R11g11b10f,
    Rgb9e5,
    R16,
    #[strum(serialize = "r16-snorm")]
    R16Snorm,
    R16f,
    R16ui,
    R16i,
    Rg16,
    #[strum(serialize = "rg16-snorm")]
    Rg16Snorm,
    Rg16f,
    Rg16ui,
    Rg16i,
    Rgba16,
    #[strum(serialize = "rgba16-snorm")]
    Rgba16Snorm,
    Rgba16f,
    Rgba16ui,
    Rgba16i,
    R32f,
    R32ui,
    R32i,
    Rg32f,
    Rg32ui,
    Rg32i,
    Rgba32f,
    Rgba32ui,
    Rgba32i,
    R64ui,
    R64i,
}

/// A depth and stencil target.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DepthTarget {
    /// Its format.
    pub format: DepthFormat,
    /// Its samples: 1, 2, 4 or 8.
    pub samples: u32,
    /// Its place in memory and its layout.
    pub surface: Surface,
    /// HTILE (GFX9 to GFX11.5).
    pub htile: Option<Htile>,
    /// HiZ surface (GFX12). The draw then ends with an event that keeps the chip from hanging.
    pub hiz: Option<HiSurface>,
    /// HiS surface (GFX12).
    pub his: Option<HiSurface>,
    /// What cleared tiles hold (GFX9 to GFX11.5).
    pub clear: Option<DepthClear>,
}

impl DepthTarget {
    /// A target of a format and sample count at address 0.
    pub fn new(format: DepthFormat, samples: u32) -> Self {
        Self { format, samples, surface: Surface::default(), htile: None, hiz: None, his: None, clear: None }
    }
}

/// Formats of depth targets.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum DepthFormat {
    /// 16-bit unorm.
    D16,
    /// 32-bit float.
    D32,
    /// 8-bit stencil alone.
    S8,
    /// 32-bit float and 8-bit stencil.
    D32s8,
}

// Depth of 24 bits is left out: RADV offers it on no chip, PAL has none from GFX10 on, GFX12 lacks the number, and no source here states its depth bias.
impl DepthFormat {
    /// Whether depth is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::D32 | Self::D32s8)
    }

    /// Whether there is 8-bit stencil.
    pub const fn has_stencil(self) -> bool {
        matches!(self, Self::S8 | Self::D32s8)
    }
}

/// How depth that a shader writes compares to the rasterized one.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
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
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RasterizationOrder {
    /// Primitive order.
    #[default]
    Strict,
    /// Any order, if the chip supports it. If it is declared, it also applies to the order of an ordered interlock.
    Relaxed,
}

/// The pixels that one invocation of the shader covers.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
pub enum ShadingRate {
    /// One invocation per pixel.
    #[default]
    #[strum(serialize = "1x1")]
    R1x1,
    /// One pixel wide, two high.
    #[strum(serialize = "1x2")]
    R1x2,
    /// Two pixels wide, one high.
    #[strum(serialize = "2x1")]
    R2x1,
    /// Two by two.
    #[strum(serialize = "2x2")]
    R2x2,
}

impl ShadingRate {
    /// Width and height in pixels.
    pub fn size(self) -> (u32, u32) {
        match self {
            Self::R1x1 => (1, 1),
            Self::R1x2 => (1, 2),
            Self::R2x1 => (2, 1),
            Self::R2x2 => (2, 2),
        }
    }

    /// Whether an invocation covers more than one pixel.
    pub fn is_coarse(self) -> bool {
        self != Self::R1x1
    }
}

/// How two shading rates combine. The numbers are those of VRSCombinerModeSC.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RateCombiner {
    /// The first passes.
    #[default]
    Keep = 0,
    /// The second replaces it.
    Replace = 1,
    /// The finer one.
    Min = 2,
    /// The coarser one.
    Max = 3,
    /// Both multiplied, up to the largest.
    Multiply = 4,
}

/// Bins that primitives are sorted into before they are rasterized. A bin holds one context state and one persistent state.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binning {
    /// Width in pixels: 16, 32, 64, 128, 256 or 512, from GFX11 on 1024 too; on GFX12 at least 128.
    pub width: u32,
    /// Height in pixels, likewise. From GFX10 on both are 16 or neither is.
    pub height: u32,
}

/// How POPS_DRAIN_PS_ON_OVERLAP of DB_DFSM_CONTROL (GFX9 to GFX10.3) is decided.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
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
    /// The register is left as reset left it: the stream neither writes it nor clears state. Drain is then on, on most chips.
    ResetDefault,
}

/// Options without a known use; all off by default. A generation that lacks one refuses it.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExpertOptions {
    /// DB_SHADER_CONTROL.EXEC_IF_OVERLAPPED (GFX9 to GFX10.3). No effect was found on Raven (POPS article).
    pub exec_if_overlapped: bool,
    /// PA_SC_BINNER_CNTL_0.BIN_MAPPING_MODE = BIN_MAP_MODE_POPS (GFX10 to GFX11.5). No effect was found on Navi31 (POPS article).
    pub bin_mapping_pops: bool,
    /// Load the intrawave collision word beside the collision wave id (GFX9 to GFX10.3).
    pub intrawave_collision: bool,
    /// Do not allocate export space for a shader that writes nothing. Refused for an ordered section, which cannot do without.
    pub no_null_export: bool,
}

/// Primitives.
///
/// For an example see [`DrawDesc`](crate::draw::DrawDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    #[default]
    TriangleList,
    TriangleFan,
    TriangleStrip,
    RectList,
    LineListAdjacency,
    LineStripAdjacency,
    TriangleListAdjacency,
    TriangleStripAdjacency,
    PatchList,
}

/// What primitives are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Points,
    Lines,
    Polygons,
}

impl Topology {
    /// What its primitives are.
    pub(crate) fn class(self) -> Class {
        match self {
            // What patches become is a matter of tessellation, which comes with them.
            Self::PointList | Self::PatchList => Class::Points,
            Self::LineList | Self::LineStrip | Self::LineListAdjacency | Self::LineStripAdjacency => Class::Lines,
            Self::TriangleList | Self::TriangleFan | Self::TriangleStrip | Self::RectList => Class::Polygons,
            Self::TriangleListAdjacency | Self::TriangleStripAdjacency => Class::Polygons,
        }
    }

    /// Vertices of a primitive, its neighbours among them. For patches 1: [`Tessellation`] has the number of control points.
    pub fn vertices(self) -> u32 {
        match self {
            Self::PointList | Self::PatchList => 1,
            Self::LineList | Self::LineStrip => 2,
            Self::TriangleList | Self::TriangleFan | Self::TriangleStrip | Self::RectList => 3,
            Self::LineListAdjacency | Self::LineStripAdjacency => 4,
            Self::TriangleListAdjacency | Self::TriangleStripAdjacency => 6,
        }
    }
}

impl DrawDesc {
    /// The shader runs an ordered section on this chip: what drives registers, SGPRs and exports.
    pub fn uses_pops(&self) -> bool {
        self.interlock.is_declared() && self.shader.as_ref().is_some_and(|s| !s.section_unused)
    }

    /// Resolves the draw for a chip; the same as [`resolve`](crate::draw::resolve).
    ///
    /// # Errors
    /// A [`DrawError`](crate::draw::DrawError) names the input that the chip cannot serve.
    pub fn resolve(&self, chip: Chip) -> Result<crate::draw::Resolved, crate::draw::DrawError> {
        crate::draw::resolve(self, chip)
    }

    /// Why each field of the draw's registers has its value; the same as [`explain`](crate::draw::explain).
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve).
    pub fn explain(&self, chip: Chip) -> Result<crate::draw::Reasons, crate::draw::DrawError> {
        crate::draw::explain(self, chip)
    }
}
