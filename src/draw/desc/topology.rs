//! Topologies, and the primitives that stages take in.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

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

/// What primitives are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Points,
    Lines,
    Polygons,
}

/// A primitive that vertex work takes in: its vertices, and whether some of them are there for adjacency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputPrimitive {
    pub vertices: u32,
    pub adjacency: bool,
}

impl InputPrimitive {
    pub fn of_class(class: Class) -> Self {
        let vertices = match class {
            Class::Points => 1,
            Class::Lines => 2,
            Class::Polygons => 3,
        };
        Self { vertices, adjacency: false }
    }

    pub fn of_topology(topology: Topology) -> Self {
        use Topology::{LineListAdjacency, LineStripAdjacency, TriangleListAdjacency, TriangleStripAdjacency};
        let adjacency = matches!(topology, LineListAdjacency | LineStripAdjacency | TriangleListAdjacency | TriangleStripAdjacency);
        Self { vertices: topology.vertices(), adjacency }
    }

    /// Most vertices of a group (GE_CNTL.VERT_GRP_SIZE of GFX10; Mesa 25.0.7 gfx10_get_ngg_info): 252 for lines, 251 for triangle strips with adjacency; lists
    /// of these have no more by nature.
    pub fn most_grouped(self) -> u32 {
        match (self.vertices, self.adjacency) {
            (2, false) | (4, true) => 252,
            (_, true) => 251,
            (_, false) => 256,
        }
    }

    /// New vertices that a primitive brings at least.
    pub(crate) fn fewest(self) -> u32 {
        self.vertices / if self.adjacency { 2 } else { 1 }
    }
}
