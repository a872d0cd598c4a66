//! Rasterization: viewports and scissors, polygons and lines, sample positions, depth bias, user clip planes.

use crate::draw::desc::bits::Bits;
use crate::draw::desc::bits::equal_by_bits;
use crate::draw::desc::error::DrawError;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

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
    /// Returns a viewport over the whole of a target, depth 0 to 1.
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
    /// Returns the same positions in all pixels; samples after the last one are in the centre, those after the sixteenth do not count.
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

/// Planes in clip space: a vertex (x, y, z, w) is inside where a x + b y + c z + d w is not negative.
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
    /// Up to six planes: a, b, c and d. None for one that does not clip.
    pub planes: [Option<[f32; 4]>; 6],
    /// Planes drop whole primitives outside, and clip none.
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
