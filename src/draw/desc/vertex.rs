//! The description of vertex work.

use crate::chip::{Chip, Gfx};
use crate::draw::desc::error::DrawError;
use crate::draw::desc::program::Program;
use crate::draw::desc::streamout::Streamout;
use crate::draw::desc::topology::InputPrimitive;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Vertex work: the program that makes the vertices which are rasterized, and what it reads and exports. `Default` exports a position and nothing else.
///
/// It is the vertex shader; with tessellation the evaluation shader; with a geometry shader that one, merged with the stage before it; or the mesh shader.
///
/// For an example see [`StageLink`](crate::draw::StageLink).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct VertexStage {
    /// The program.
    pub program: Program,
    /// The path of vertex work. None: the legacy pipe on GFX9, and on GFX10.1 and GFX10.3 for streamout; NGG otherwise.
    pub path: Option<VertexPath>,
    /// Reads the instance's index.
    pub reads_instance_id: bool,
    /// Exports the primitive's index as a parameter.
    pub exports_primitive_id: bool,
    /// Parameters exported for the pixel shader, 0 to 32.
    pub parameters: u32,
    /// Exports besides the position.
    pub outputs: VertexOutputs,
    /// NGG: the program culls primitives, so the hardware must not pass them through.
    pub culling: bool,
    /// NGG: what a subgroup holds. With a geometry or mesh shader it follows from these.
    pub subgroup: Subgroup,
    /// What the program streams out.
    pub streamout: Option<Streamout>,
}

/// Which hardware stages do vertex work.
///
/// For an example see [`VertexStage::from_words`](crate::draw::VertexStage::from_words).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum VertexPath {
    /// The legacy pipe, whose last stage is the hardware VS (GFX9 to GFX10.3).
    Legacy,
    /// Next-generation geometry: the geometry stage does all vertex work, with or without a geometry or mesh shader (GFX10 and later).
    Ngg,
}

/// The exports of vertex work besides the position.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, Subgroup, VertexOutputs, VertexStage};
/// let outputs = VertexOutputs { layer: true, clip_distances: 0b11, ..VertexOutputs::default() };
/// let subgroup = Subgroup { vertices: 252, primitives: 126 };
/// let vertex = VertexStage { parameters: 4, outputs, subgroup, ..VertexStage::default() };
/// DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VertexOutputs {
    /// Size of points.
    pub point_size: bool,
    /// Edge flag.
    pub edge_flag: bool,
    /// Index of the render target layer.
    pub layer: bool,
    /// Index of the viewport.
    pub viewport: bool,
    /// Shading rate of the vertex (GFX10.3 and later).
    pub shading_rate: bool,
    /// Clip distances, one bit each, bit 0 the first; 8 together with cull distances.
    pub clip_distances: u8,
    /// Cull distances, one bit each, after the clip distances. A bit may be in both masks, as radeonsi sets them: the distance then clips and culls.
    pub cull_distances: u8,
}

impl VertexOutputs {
    /// Returns whether the vector with point size, edge flag, layer, viewport, rate is exported.
    pub(crate) fn misc(self) -> bool {
        self.point_size || self.edge_flag || self.layer || self.viewport || self.shading_rate
    }

    pub(crate) fn distances(self) -> u8 {
        self.clip_distances | self.cull_distances
    }

    /// Position exports: the position, then the misc vector and up to two vectors of distances.
    pub(crate) fn positions(self) -> u32 {
        1 + u32::from(self.misc()) + u32::from(self.distances() & 0x0F != 0) + u32::from(self.distances() & 0xF0 != 0)
    }
}

/// What an NGG subgroup holds at most.
///
/// For an example see [`VertexOutputs`](crate::draw::VertexOutputs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subgroup {
    /// Vertices, up to 256. At least 26 on GFX10.1 (with adjacency up to 3 more), 29 on GFX10.3, and those of one primitive later.
    pub vertices: u32,
    /// Primitives, 1 to 256.
    pub primitives: u32,
}

impl Default for Subgroup {
    /// 128 of each, as RADV without a geometry shader.
    fn default() -> Self {
        Self { vertices: 128, primitives: 128 }
    }
}

impl Subgroup {
    /// Returns the limit of vertices in the registers of the geometry engine: GFX10.1 checks only after a full primitive, which must still fit
    /// (Mesa 25.0.7 radv_shader_info.c gfx10_get_ngg_info). It leaves room for a triangle even where primitives are smaller (captures with lines).
    pub(crate) fn hardware_vertices(self, gfx: Gfx, input: InputPrimitive) -> u32 {
        if gfx.version() == (10, 1) { self.vertices.saturating_sub(input.vertices.max(3) - 1) } else { self.vertices }
    }

    /// Returns the smallest vertex group that does not hang: 24 (GFX10.1), 29 (GFX10.3) (PAL 04/2025 CalcGeCntl).
    pub(crate) fn least_group(gfx: Gfx) -> u32 {
        if gfx.version() == (10, 1) { 24 } else { 29 }
    }

    /// Fewest vertices that hardware takes: 24 (GFX10.1, as hardware counts them), 29 (GFX10.3), those of a primitive later (Mesa 25.0.7, PAL 04/2025).
    pub(crate) fn least_vertices(gfx: Gfx, input: InputPrimitive) -> u32 {
        match gfx.version() {
            (10, 1) => Self::least_group(gfx) + input.vertices.max(3) - 1,
            (10, _) => Self::least_group(gfx),
            _ => input.vertices,
        }
    }
}

impl VertexStage {
    /// Returns the path of vertex work on a chip.
    ///
    /// # Errors
    /// [`DrawError::OptionAbsent`] where the chip lacks the path that is asked for.
    pub fn vertex_path(&self, chip: Chip) -> Result<VertexPath, DrawError> {
        let major = chip.gfx().major();
        match self.path {
            None if major == 9 || major == 10 && self.streamout.is_some() => Ok(VertexPath::Legacy),
            None => Ok(VertexPath::Ngg),
            Some(VertexPath::Legacy) if major >= 11 => Err(DrawError::OptionAbsent { option: "the legacy pipe", chip, limit: "GFX9 to GFX10.3 have it" }),
            Some(VertexPath::Ngg) if major == 9 => Err(DrawError::OptionAbsent { option: "NGG", chip, limit: "GFX10 and later have it" }),
            Some(path) => Ok(path),
        }
    }

    /// VGPR_COMP_CNT or ES_VGPR_COMP_CNT: the last input of a vertex that is wanted (Mesa 25.0.7 radv_shader.c).
    pub(crate) fn vertex_components(&self, path: VertexPath, gfx: Gfx) -> u32 {
        match (path, gfx.major()) {
            (VertexPath::Legacy, 10) if self.reads_instance_id => 3,
            (VertexPath::Legacy, _) if self.exports_primitive_id => 2,
            (VertexPath::Legacy, _) => u32::from(self.reads_instance_id),
            (VertexPath::Ngg, 12) => u32::from(self.reads_instance_id),
            (VertexPath::Ngg, _) => 3 * u32::from(self.reads_instance_id),
        }
    }
}
