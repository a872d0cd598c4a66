//! Rasterization: viewports and scissors, polygons and lines, sample positions, depth bias, user clip planes.

use crate::draw::desc::bits::Bits;
use crate::draw::desc::bits::equal_by_bits;
use crate::draw::desc::error::DrawError;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A rectangle of pixels: inclusive left and top, exclusive right and bottom. Any numbers are allowed; edges outside the targets are clamped to them.
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

/// A viewport in pixels; height may be negative, which flips y. Each number is finite and from -32768 to 32768. Equality compares the bits of the numbers.
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
    /// Height in pixels; a negative height flips y.
    pub height: f32,
    /// Depth at clip z = 0.
    pub min_depth: f32,
    /// Depth at clip z = w.
    pub max_depth: f32,
}

equal_by_bits!(Viewport {} floats { x, y, width, height, min_depth, max_depth, });

impl Viewport {
    /// Returns a viewport over the whole of a target, depth 0 to 1.
    pub fn covering((width, height): (u32, u32)) -> Self {
        Self { x: 0.0, y: 0.0, width: width as f32, height: height as f32, min_depth: 0.0, max_depth: 1.0 }
    }
}

/// Sample positions in the pixels of a quad, in place of the standard positions.
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
    /// Positions of samples that the draw does not have are ignored.
    pub pixels: [[(i8, i8); 16]; 4],
}

impl SampleLocations {
    /// Returns the same positions for all pixels. Samples after the last given position are in the centre; positions after the sixteenth are ignored.
    pub fn in_all_pixels(positions: &[(i8, i8)]) -> Self {
        let mut pixel = [(0, 0); 16];
        pixel.iter_mut().zip(positions).for_each(|(to, from)| *to = *from);
        Self { pixels: [pixel; 4] }
    }
}

/// The conversion of primitives to fragments. Equality compares the bits of the line width.
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
    /// The faces that are culled.
    pub cull: Cull,
    /// Winding of front faces.
    pub front: Winding,
    /// How polygons are filled.
    pub polygon: PolygonMode,
    /// Whether depth is clamped to the viewport's range instead of clipped. If false, depth, including depth that a shader writes, is clamped to 0 to 1, or to
    /// the range of a viewport that extends further.
    pub depth_clamp: bool,
    /// Whether all primitives are discarded before rasterization.
    pub discard: bool,
    /// Offset added to depth.
    pub depth_bias: Option<DepthBias>,
    /// Line width in pixels, above 0 and below 8192.
    pub line_width: f32,
    /// How lines are rasterized.
    pub line_mode: LineMode,
    /// Line stipple pattern.
    pub stipple: Option<LineStipple>,
    /// Conservative rasterization.
    pub conservative: ConservativeRaster,
    /// Whether flat attributes take the value of the last vertex instead of the first.
    pub provoking_vertex_last: bool,
    /// User clip planes.
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

/// A line stipple pattern.
///
/// For an example see [`Raster`](crate::draw::Raster).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineStipple {
    /// Pattern of 16 pixels; bit 0 is the first pixel.
    pub pattern: u16,
    /// How often each bit is repeated: 1 to 256.
    pub factor: u32,
}

/// Depth bias: `constant` in units of the depth format's resolution, `slope` times the largest slope, limited to `clamp` (0: no limit). All numbers are finite,
/// and the magnitude of `slope` is below 2^124. Equality compares the bits of the numbers.
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

/// The faces that are culled.
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

/// How polygons are filled. The values are those of POLYMODE_*_PTYPE.
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

/// How lines are rasterized. Bresenham lines count as one coverage sample and smooth ones as four, regardless of the draw's sample count (Mesa 25.0.7 RADV).
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
    /// Samples decide coverage.
    #[default]
    Off,
    /// Every pixel that the primitive touches is covered.
    Overestimate,
    /// Only pixels that the primitive covers entirely are covered.
    Underestimate,
}

/// Planes in clip space: a vertex (x, y, z, w) is inside if a x + b y + c z + d w is not negative.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ClipPlanes, DrawDesc, PipelineDesc, Raster};
/// let mut planes = [None; 6];
/// planes[0] = Some([1.0, 0.0, 0.0, 0.0]); // what is to the left of the middle goes
/// let raster = Raster { clip_planes: Some(ClipPlanes { planes, cull_only: false }), ..Raster::default() };
/// DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ClipPlanes {
    /// Up to six planes, each a, b, c and d. None for a plane that is off.
    pub planes: [Option<[f32; 4]>; 6],
    /// Whether planes only cull primitives that are entirely outside, without clipping.
    pub cull_only: bool,
}

impl ClipPlanes {
    fn bits(&self) -> ([Option<[u32; 4]>; 6], bool) {
        (self.planes.map(|plane| plane.map(|plane| plane.bits())), self.cull_only)
    }

    pub(crate) fn check(&self) -> Result<(), DrawError> {
        match self.planes.iter().flatten().flatten().find(|number| !number.is_finite()) {
            Some(number) => Err(DrawError::Float { what: "a number of a clip plane", bits: number.to_bits(), limit: "a finite number" }),
            None => Ok(()),
        }
    }
}

impl PartialEq for ClipPlanes {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for ClipPlanes {}

impl core::hash::Hash for ClipPlanes {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}
