//! Fixed-function parts of a draw description: viewports, rasterization, depth test, blending, counting.

pub use crate::descriptors::Compare;
use crate::draw::decide::ClipPlanes;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A number by its bits, for comparison and hashing.
pub(crate) trait Bits {
    type Of: Eq + core::hash::Hash;

    fn bits(&self) -> Self::Of;
}

impl Bits for f32 {
    type Of = u32;

    fn bits(&self) -> u32 {
        self.to_bits()
    }
}

impl<const N: usize> Bits for [f32; N] {
    type Of = [u32; N];

    fn bits(&self) -> [u32; N] {
        self.map(f32::to_bits)
    }
}

impl Bits for Option<f32> {
    type Of = Option<u32>;

    fn bits(&self) -> Self::Of {
        self.map(f32::to_bits)
    }
}

impl Bits for Option<(f32, f32)> {
    type Of = Option<(u32, u32)>;

    fn bits(&self) -> Self::Of {
        self.map(|(a, b)| (a.to_bits(), b.to_bits()))
    }
}

/// PartialEq, Eq and Hash of a struct some of whose fields are floats, which count by their bits: 0 and -0 differ, and NaN equals itself. A field that is not
/// named does not compile.
macro_rules! equal_by_bits {
    ($name:ident { $($plain:ident,)* } floats { $($float:ident,)* }) => {
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                use $crate::draw::desc::raster::Bits;
                let Self { $($plain,)* $($float,)* } = self;
                true $(&& *$plain == other.$plain)* $(&& $float.bits() == other.$float.bits())*
            }
        }

        impl Eq for $name {}

        impl core::hash::Hash for $name {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                use $crate::draw::desc::raster::Bits;
                let Self { $($plain,)* $($float,)* } = self;
                $($plain.hash(state);)*
                $($float.bits().hash(state);)*
            }
        }
    };
}

pub(crate) use equal_by_bits;

/// A rectangle of pixels: inclusive left and top, exclusive right and bottom. Any numbers are allowed: what is outside of the targets counts as their edge.
///
/// For an example see [`DynamicState`](crate::draw::DynamicState).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A viewport in pixels; height may be negative, which flips y. Each number is finite and from -32768 to 32768. Equal viewports have numbers of equal bits.
///
/// For an example see [`DynamicState`](crate::draw::DynamicState).
#[derive(Debug, Clone, Copy)]
pub struct Viewport {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels; below 0 y is flipped.
    pub height: f32,
    /// Depth at clip z = 0.
    pub min_depth: f32,
    /// Depth at clip z = w.
    pub max_depth: f32,
}

equal_by_bits!(Viewport {} floats { x, y, width, height, min_depth, max_depth, });

impl Viewport {
    /// A viewport over the whole of a target, depth 0 to 1.
    pub fn covering((width, height): (u32, u32)) -> Self {
        Self { x: 0.0, y: 0.0, width: width as f32, height: height as f32, min_depth: 0.0, max_depth: 1.0 }
    }
}

/// Positions of samples in the pixels of a quad, in place of the standard ones.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, SampleLocations};
/// let sample_locations = Some(SampleLocations::in_all_pixels(&[(-4, -4), (4, 4)]));
/// let draw = DrawDesc::from(PipelineDesc { samples: 2, sample_locations, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// assert_eq!(draw.image.get(0x2_8BF8), Some(0x44CC)); // PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SampleLocations {
    /// In the upper left, upper right, lower left and lower right pixel of a quad: x and y of each sample in 1/16 pixel from the pixel's centre, -8 to 7.
    /// Samples that the draw does not have do not count.
    pub pixels: [[(i8, i8); 16]; 4],
}

impl SampleLocations {
    /// The same positions in all pixels; samples after the last one are in the centre, those after the sixteenth do not count.
    pub fn in_all_pixels(positions: &[(i8, i8)]) -> Self {
        let mut pixel = [(0, 0); 16];
        pixel.iter_mut().zip(positions).for_each(|(to, from)| *to = *from);
        Self { pixels: [pixel; 4] }
    }
}

/// How primitives become fragments. For equality the width of lines counts by its bits.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ConservativeRaster, Cull, DepthBias, DrawDesc, LineMode, LineStipple, PipelineDesc, PolygonMode, Raster, Topology, Winding};
/// let depth_bias = Some(DepthBias { constant: 4.0, slope: 1.5, clamp: 0.0 });
/// let shadow = Raster { cull: Cull::Front, front: Winding::Clockwise, depth_bias, ..Raster::default() };
/// let wires = Raster { polygon: PolygonMode::Line, line_width: 2.0, ..Raster::default() };
/// let voxels = Raster { conservative: ConservativeRaster::Overestimate, ..Raster::default() };
/// for raster in [shadow, wires, voxels] {
///     DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// }
/// // Dashes of 16 pixels, and gaps as long.
/// let stipple = Some(LineStipple { pattern: 0x00FF, factor: 2 });
/// let dashes = Raster { stipple, line_mode: LineMode::Bresenham, ..Raster::default() };
/// DrawDesc::from(PipelineDesc { raster: dashes, topology: Topology::LineList, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Raster {
    /// Faces that are dropped.
    pub cull: Cull,
    /// Winding of front faces.
    pub front: Winding,
    /// How polygons are filled.
    pub polygon: PolygonMode,
    /// Depth is clamped to the viewport's range instead of clipped. Without it depth is clamped to 0 to 1, also what a shader writes, or to the range of a
    /// viewport that reaches further.
    pub depth_clamp: bool,
    /// Nothing is rasterized.
    pub discard: bool,
    /// Offset added to depth.
    pub depth_bias: Option<DepthBias>,
    /// Width of lines in pixels, above 0 and below 8192.
    pub line_width: f32,
    /// How lines are rasterized.
    pub line_mode: LineMode,
    /// Pattern of lines.
    pub stipple: Option<LineStipple>,
    /// Conservative rasterization.
    pub conservative: ConservativeRaster,
    /// Flat attributes take the value of the last vertex instead of the first.
    pub provoking_vertex_last: bool,
    /// Planes that clip.
    pub clip_planes: Option<ClipPlanes>,
}

equal_by_bits!(Raster {
    cull, front, polygon, depth_clamp, discard, depth_bias, line_mode, stipple, conservative, provoking_vertex_last, clip_planes,
} floats { line_width, });

impl Default for Raster {
    fn default() -> Self {
        Self {
            cull: Cull::None,
            front: Winding::CounterClockwise,
            polygon: PolygonMode::Fill,
            depth_clamp: false,
            discard: false,
            depth_bias: None,
            line_width: 1.0,
            line_mode: LineMode::Default,
            stipple: None,
            conservative: ConservativeRaster::Off,
            provoking_vertex_last: false,
            clip_planes: None,
        }
    }
}

/// A pattern of lines.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineStipple {
    /// 16 pixels, bit 0 the first.
    pub pattern: u16,
    /// How often each bit is used before the next: 1 to 256.
    pub factor: u32,
}

/// Depth bias: `constant` in units of the depth format's resolution, `slope` times the largest slope, limited to `clamp` (0: no limit). All are finite, `slope`
/// is below 2^124 either way. For equality the numbers count by their bits.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // explained above
pub struct DepthBias {
    pub constant: f32,
    pub slope: f32,
    pub clamp: f32,
}

equal_by_bits!(DepthBias {} floats { constant, slope, clamp, });

/// Faces that are dropped.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum Cull {
    #[default]
    None,
    Front,
    Back,
    FrontAndBack,
}

/// Winding of front faces.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum Winding {
    #[default]
    CounterClockwise,
    Clockwise,
}

/// How polygons are filled. The numbers are those of POLYMODE_*_PTYPE.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum PolygonMode {
    #[default]
    Fill,
    Line,
    Point,
}

/// How lines are rasterized. Bresenham lines count as one coverage sample and smooth ones as four, whatever the draw asks for (Mesa 25.0.7 RADV).
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum LineMode {
    #[default]
    Default,
    Bresenham,
    Rectangular,
    RectangularSmooth,
}

/// Conservative rasterization.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ConservativeRaster {
    /// Samples decide.
    #[default]
    Off,
    /// Every pixel that is touched.
    Overestimate,
    /// Only pixels that are covered whole.
    Underestimate,
}

/// What happens to stencil.
///
/// For an example see [`DepthTest`](crate::draw::DepthTest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum StencilAction {
    #[default]
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// Stencil test of one face.
///
/// For an example see [`DepthTest`](crate::draw::DepthTest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// Action where the stencil test fails.
    pub fail: StencilAction,
    /// Action where both tests pass.
    pub pass: StencilAction,
    /// Action where the stencil test passes and the depth test fails.
    pub depth_fail: StencilAction,
    /// Comparison of the reference with stored stencil.
    pub compare: Compare,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
}

impl Default for StencilFace {
    fn default() -> Self {
        let keep = StencilAction::Keep;
        Self { fail: keep, pass: keep, depth_fail: keep, compare: Compare::Always, reference: 0, read_mask: 0xFF, write_mask: 0xFF }
    }
}

/// Depth and stencil tests. They act only with a target that has the aspect. For equality the bounds count by their bits.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Compare, DepthFormat, DepthTarget, DepthTest, DrawDesc, PipelineDesc, StencilAction, StencilFace, TargetsDesc};
/// // Draws where stencil is 1, and in front of what is there.
/// let face = StencilFace { compare: Compare::Equal, reference: 1, pass: StencilAction::IncrementClamp, ..StencilFace::default() };
/// let depth_test = DepthTest { compare: Compare::LessOrEqual, stencil: Some((face, face)), ..DepthTest::default() };
/// let depth = Some(DepthTarget::new(DepthFormat::D32s8, 1));
/// let draw = DrawDesc {
///     targets: TargetsDesc { depth, ..TargetsDesc::default() },
///     ..DrawDesc::from(PipelineDesc { depth_test, ..PipelineDesc::default() })
/// };
/// draw.resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DepthTest {
    /// Depth is compared.
    pub test: bool,
    /// Depth that passes is written.
    pub write: bool,
    /// Comparison of the fragment with stored depth.
    pub compare: Compare,
    /// Minimum and maximum stored depth; where it is outside of them, fragments are dropped. Finite numbers, usually 0 to 1.
    pub bounds: Option<(f32, f32)>,
    /// Stencil test of front and back faces.
    pub stencil: Option<(StencilFace, StencilFace)>,
}

equal_by_bits!(DepthTest { test, write, compare, stencil, } floats { bounds, });

impl Default for DepthTest {
    fn default() -> Self {
        Self { test: true, write: true, compare: Compare::Less, bounds: None, stencil: None }
    }
}

/// Blending of one target. Beside [`BlendFunction::Min`] and [`BlendFunction::Max`] factors mean nothing.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Blend, BlendFactor, BlendFunction, DrawDesc, PipelineDesc, TargetBlend};
/// let added = (BlendFactor::One, BlendFunction::Add, BlendFactor::One);
/// let blends = vec![TargetBlend { blend: Some(Blend { color: added, alpha: added }), ..TargetBlend::default() }];
/// DrawDesc::from(PipelineDesc { blends, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Colour: source factor, function, target factor.
    pub color: (BlendFactor, BlendFunction, BlendFactor),
    /// Alpha: source factor, function, target factor.
    pub alpha: (BlendFactor, BlendFunction, BlendFactor),
}

impl Blend {
    /// Source over target by the source's alpha.
    pub const SOURCE_OVER: Self = Self {
        color: (BlendFactor::SrcAlpha, BlendFunction::Add, BlendFactor::OneMinusSrcAlpha),
        alpha: (BlendFactor::One, BlendFunction::Add, BlendFactor::OneMinusSrcAlpha),
    };

    /// The blending with the factors that act: [`Min`](BlendFunction::Min) and [`Max`](BlendFunction::Max) take both colours whole, which the hardware must be
    /// told (Mesa 25.0.7 radv_normalize_blend_factor, PAL 04/2025 gfx9ColorBlendState.cpp).
    pub(crate) fn acting(self) -> Self {
        let half = |(source, function, target)| match function {
            BlendFunction::Min | BlendFunction::Max => (BlendFactor::One, function, BlendFactor::One),
            BlendFunction::Add | BlendFunction::Subtract | BlendFunction::ReverseSubtract => (source, function, target),
        };
        Self { color: half(self.color), alpha: half(self.alpha) }
    }

    /// A factor of colour reads an alpha that the shader exports. Factors of alpha do not count: where a target has no alpha, they change nothing.
    pub(crate) fn reads_source_alpha(&self) -> bool {
        use BlendFactor as F;
        let reads = |f| matches!(f, F::SrcAlpha | F::OneMinusSrcAlpha | F::SrcAlphaSaturate | F::Src1Alpha | F::OneMinusSrc1Alpha);
        let Self { color, .. } = self.acting();
        reads(color.0) || reads(color.2)
    }

    /// A factor reads the second colour of the shader. Factors beside [`Min`](BlendFunction::Min) and [`Max`](BlendFunction::Max) do not count, since these
    /// functions ignore them.
    ///
    /// ```
    /// use pm4::draw::{Blend, BlendFactor, BlendFunction};
    /// let blend = |function| (BlendFactor::Src1Color, function, BlendFactor::Zero);
    /// assert!(Blend { color: blend(BlendFunction::Add), alpha: blend(BlendFunction::Add) }.is_dual_source());
    /// assert!(!Blend { color: blend(BlendFunction::Max), alpha: blend(BlendFunction::Min) }.is_dual_source());
    /// ```
    pub fn is_dual_source(&self) -> bool {
        let Self { color, alpha } = self.acting();
        let factors = [color.0, color.2, alpha.0, alpha.2];
        factors.iter().any(|f| matches!(f, BlendFactor::Src1Color | BlendFactor::OneMinusSrc1Color | BlendFactor::Src1Alpha | BlendFactor::OneMinusSrc1Alpha))
    }
}

/// A factor of blending.
///
/// For an example see [`Blend`](crate::draw::Blend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    DstColor,
    OneMinusDstColor,
    SrcAlphaSaturate,
    ConstantColor,
    OneMinusConstantColor,
    ConstantAlpha,
    OneMinusConstantAlpha,
    Src1Color,
    OneMinusSrc1Color,
    Src1Alpha,
    OneMinusSrc1Alpha,
}

/// How the weighted source and target combine. The numbers are those of CombFunc.
///
/// For an example see [`Blend`](crate::draw::Blend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum BlendFunction {
    #[default]
    Add = 0,
    Subtract = 1,
    Min = 2,
    Max = 3,
    ReverseSubtract = 4,
}

/// A logic operation, as the four bits of its truth table: bit 0 for source 0 and target 0, bit 1 for 0 and 1, bit 2 for 1 and 0, bit 3 for both 1. The numbers
/// of VkLogicOp are others: VK_LOGIC_OP_AND is 1 there and `0b1000` here.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, LogicOp, PipelineDesc};
/// let exclusive_or = Some(LogicOp(0b0110)); // 1 where source and target differ
/// DrawDesc::from(PipelineDesc { logic_op: exclusive_or, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogicOp(pub u8);

impl LogicOp {
    /// The source as it is.
    pub const COPY: Self = Self(0b1100);

    /// The raster operation byte of CB_COLOR_CONTROL: the four bits twice, one for each value of an unused pattern.
    pub(crate) fn rop3(self) -> u32 {
        u32::from(self.0 & 0xF) * 0x11
    }
}

/// Counting of samples that pass.
///
/// For an example see [`Recorder::sample_occlusion`](crate::draw::Recorder::sample_occlusion).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Occlusion {
    /// No query is active.
    #[default]
    Off,
    /// Only whether any sample passed.
    Conservative,
    /// The exact number of samples that passed.
    Precise,
}

/// Where an image is in memory and how it is laid out.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ColorFormat, DrawDesc, Surface, TargetBlend, TargetImage};
/// // The third layer of an image of floats, tiled by the swizzle mode 27 of GFX11.
/// let surface = Surface { address: 0x100_0000, swizzle: 27, layers: (2, 2), ..Surface::default() };
/// let image = TargetImage { format: ColorFormat::Rgba16f, surface, ..TargetImage::default() };
/// DrawDesc::default().with_colors([(image, TargetBlend::default())]).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Surface {
    /// Address in bytes, 256-byte aligned, below 2^48.
    pub address: u64,
    /// Address of stencil, 256-byte aligned, below 2^48, for formats that have it beside depth. A target of stencil alone has it here, or with 0 here in
    /// `address`.
    pub stencil_address: u64,
    /// Pitch in pixels; None for the width. GFX9 takes 1 to 65536 for every target. Later generations take one for linear colour targets of one layer
    /// and one mip level: on GFX10.1 the width in rows of a multiple of 256 bytes, from GFX10.3 on also more, up to 16384 (GFX12: 65536, in rows of a multiple
    /// of 128 bytes).
    pub pitch: Option<u32>,
    /// Pitch of stencil in pixels, on GFX9: 1 to 65536; None for `pitch`.
    pub stencil_pitch: Option<u32>,
    /// Swizzle mode, the generation's number: 0 (linear) to 31, on GFX12 0 to 7.
    pub swizzle: u8,
    /// Swizzle mode of stencil; None for `swizzle`.
    pub stencil_swizzle: Option<u8>,
    /// First and last array layer, below 2048.
    pub layers: (u32, u32),
    /// Mip level that is drawn to. [`TargetsDesc::extent`](crate::draw::TargetsDesc::extent) is the size of level 0 nevertheless.
    pub level: u32,
    /// Mip levels of the image, minus 1: at most 14.
    pub last_level: u32,
}
