//! The description of a draw in API terms; nothing here is a register.

use crate::chip::Chip;
use crate::draw::check::PixelExports;
use crate::draw::decide::{DepthClear, HiSurface, Htile};
use crate::draw::desc::parts::{DynamicState, PipelineDesc, TargetBlend, TargetImage, TargetsDesc};
use crate::draw::desc::pixel_inputs::PixelInputs;
use crate::draw::desc::program::Program;
use crate::draw::desc::raster::Surface;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

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

/// The shader of a draw that has none.
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

/// Formats of colour targets. Names: channels with their bits, then the kind of number: f float, ui unsigned, i signed, Srgb, Snorm, else unorm. Packed formats
/// of 16 bits are named from the top bit, as Vulkan, those of 32 bits from the lowest.
///
/// For an example see [`Surface`](crate::draw::Surface).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
#[allow(missing_docs)] // the names say it
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
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DepthClear, DepthFormat, DepthTarget, DrawDesc, HiSurface, Htile, Surface, TargetsDesc};
/// let surface = Surface { address: 0x100_0000, swizzle: 24, ..Surface::default() };
/// let htile = Htile { address: 0x200_0000, pipe_aligned: true, compressed: true, ..Htile::default() };
/// let plain = DepthTarget { surface, ..DepthTarget::new(DepthFormat::D32, 1) };
/// let targets = |depth| TargetsDesc { depth: Some(depth), ..TargetsDesc::default() };
/// let cleared = DepthTarget { htile: Some(htile), clear: Some(DepthClear { depth: 1.0, stencil: 0 }), ..plain };
/// DrawDesc { targets: targets(cleared), ..DrawDesc::default() }.resolve(Chip::Navi31)?;
/// // GFX12 has a surface of its own in place of HTILE.
/// let hiz = HiSurface { address: 0x200_0000, swizzle: 1, format: false, extent: (32, 16) };
/// let surface = Surface { swizzle: 3, ..surface };
/// DrawDesc { targets: targets(DepthTarget { surface, hiz: Some(hiz), ..plain }), ..DrawDesc::default() }.resolve(Chip::Gfx1201)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
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
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum DepthFormat {
    /// 16-bit unorm.
    D16,
    /// 24-bit unorm (GFX9 to GFX11.5). No Vulkan driver offers it; radeonsi's command buffers have it on Vega10 and Navi31.
    D24,
    /// 32-bit float.
    D32,
    /// Only 8-bit stencil.
    S8,
    /// 24-bit unorm and 8-bit stencil (GFX9 to GFX11.5).
    D24s8,
    /// 32-bit float and 8-bit stencil.
    D32s8,
}

impl DepthFormat {
    /// Whether depth is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::D32 | Self::D32s8)
    }

    /// Whether there is 8-bit stencil.
    pub const fn has_stencil(self) -> bool {
        matches!(self, Self::S8 | Self::D24s8 | Self::D32s8)
    }

    /// Whether depth has 24 bits.
    pub(crate) const fn is_of_24_bits(self) -> bool {
        matches!(self, Self::D24 | Self::D24s8)
    }

    /// Bits that a unit of depth bias counts, as the hardware takes them: those of the number, or of a float's mantissa (Mesa 25.0.7; 24 bits in command
    /// buffers of radeonsi).
    pub(crate) const fn bias_bits(self) -> i32 {
        match self {
            Self::D32 | Self::D32s8 => 23,
            Self::D24 | Self::D24s8 => 24,
            Self::D16 | Self::S8 => 16,
        }
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

/// The pixels that one invocation of the shader covers.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, RateCombiner, RateImage, ShadingRate, TargetsDesc};
/// // Two by two pixels, or what an image says: the coarser one.
/// let pipeline = PipelineDesc { rate: ShadingRate::R2x2, rate_image_combiner: RateCombiner::Max, ..PipelineDesc::default() };
/// let rate_image = Some(RateImage { address: 0x100_0000, swizzle: 0, extent: (32, 16) }); // a texel for 8 x 8 pixels
/// let targets = TargetsDesc { extent: (256, 128), rate_image, ..TargetsDesc::default() };
/// DrawDesc { targets, ..DrawDesc::from(pipeline) }.resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
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
/// For an example see [`ShadingRate`](crate::draw::ShadingRate).
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

/// How POPS_DRAIN_PS_ON_OVERLAP of DB_DFSM_CONTROL (GFX9 to GFX10.3) is decided. From GFX11 on the register does not exist, and everything but `Auto` is refused.
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
    /// Load the intrawave collision word beside the collision wave id (GFX9 to GFX10.3).
    pub intrawave_collision: bool,
    /// Do not allocate export space for a shader that writes nothing. Refused for an ordered section, which cannot do without.
    pub no_null_export: bool,
}

/// Primitives.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, Topology};
/// let pipeline = PipelineDesc { topology: Topology::TriangleStrip, primitive_restart: true, ..PipelineDesc::default() };
/// let draw = DrawDesc::from(pipeline).resolve(Chip::Navi31)?;
/// assert_eq!(draw.image.get(0x3_0908), Some(6)); // VGT_PRIMITIVE_TYPE
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
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

    /// Vertices of a primitive, those for adjacency among them. For patches 1: [`Tessellation`](crate::draw::Tessellation) has the number of control points.
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

impl From<PipelineDesc> for DrawDesc {
    /// A draw with this pipeline; all else is as in `Default`.
    fn from(pipeline: PipelineDesc) -> Self {
        Self { pipeline, ..Self::default() }
    }
}

impl DrawDesc {
    /// The same draw to these colour targets: each an image, and how the pipeline writes it.
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

    /// The shader runs an ordered section on this chip: what drives registers, SGPRs and exports.
    pub fn uses_pops(&self) -> bool {
        self.parts().uses_pops()
    }

    /// Resolves the draw for a chip; the same as [`resolve`](crate::draw::resolve).
    ///
    /// # Errors
    /// A [`DrawError`](crate::draw::DrawError) names the input that the chip does not support.
    pub fn resolve(&self, chip: Chip) -> Result<crate::draw::state::Resolved, crate::draw::desc::error::DrawError> {
        crate::draw::state::resolve(self, chip)
    }

    /// Why each field of the draw's registers has its value; the same as [`explain`](crate::draw::explain).
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve).
    pub fn explain(&self, chip: Chip) -> Result<crate::draw::sheet::Reasons, crate::draw::desc::error::DrawError> {
        crate::draw::state::explain(self, chip)
    }
}
