//! Tessellation: the merged program of vertex and control shader (LS-HS), and how patches share workgroups.
//!
//! Rules: Mesa 25.0.7 ac_get_hs_info, ac_compute_num_tess_patches, radv_emit_patch_control_points, radv_emit_tess_domain_origin, radv_shader.c; captures of four
//! boards agree.

use crate::chip::Gfx;
use crate::draw::desc::program::Program;
use crate::draw::desc::raster::Winding;
use crate::draw::desc::topology::Class;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Tessellation: vertex and control shader, and the division of patches.
///
/// The draw's [topology](crate::draw::Topology) is then `PatchList`, and its [`VertexStage`](crate::draw::VertexStage) is the evaluation shader.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PatchDomain, PatchSpacing, PipelineDesc, Tessellation, Topology};
/// // Rectangles of four control points.
/// let tessellation = Some(Tessellation { input_points: 4, output_points: 4, domain: PatchDomain::Quads, spacing: PatchSpacing::FractionalOdd, ..Tessellation::default() });
/// let draw = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
/// assert_eq!(draw.resolve(Chip::Navi31)?.image.get(0x28B6C).map(|word| (word & 3, word >> 2 & 7)), Some((2, 2))); // VGT_TF_PARAM.TYPE and PARTITIONING
/// assert!(DrawDesc { pipeline: PipelineDesc { tessellation: None, ..draw.pipeline }, ..draw }.resolve(Chip::Navi31).is_err());
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tessellation {
    /// The merged program of vertex shader and control shader. Its `lds_bytes` is the LDS of a workgroup without that of patches.
    pub program: Program,
    /// Whether the vertex shader reads the instance index.
    pub reads_instance_id: bool,
    /// Control points per input patch: 1 to 32. Dynamic state may change the number.
    pub input_points: u32,
    /// Control points per patch that the control shader makes: 1 to 32.
    pub output_points: u32,
    /// LDS per input control point in bytes. One patch with all its points and the program's own LDS must fit into 65536 bytes.
    pub lds_bytes_per_point: u32,
    /// LDS of a patch in bytes, without its input points.
    pub lds_bytes_per_patch: u32,
    /// Off-chip memory per patch in bytes, up to 32768, which the evaluation shader reads.
    pub offchip_bytes_per_patch: u32,
    /// The shape of a patch.
    pub domain: PatchDomain,
    /// The division of a patch's edges.
    pub spacing: PatchSpacing,
    /// Winding of the tessellator's triangles, as the shader declares it.
    pub winding: Winding,
    /// Whether the tessellator makes only points.
    pub point_mode: bool,
    /// Whether the domain's origin is its lower left corner, which reverses the triangles.
    pub lower_left_origin: bool,
    /// Whether the control shader reads the patch index.
    pub reads_patch_id: bool,
    /// Whether the evaluation shader reads the patch index.
    pub evaluation_reads_patch_id: bool,
}

impl Default for Tessellation {
    /// Returns tessellation of triangles with three points, one vec4 each, which the control shader passes on.
    fn default() -> Self {
        Self {
            program: Program::default(),
            reads_instance_id: false,
            input_points: 3,
            output_points: 3,
            lds_bytes_per_point: 16,
            lds_bytes_per_patch: 16,
            offchip_bytes_per_patch: 64,
            domain: PatchDomain::Triangles,
            spacing: PatchSpacing::Equal,
            winding: Winding::Clockwise,
            point_mode: false,
            lower_left_origin: false,
            reads_patch_id: false,
            evaluation_reads_patch_id: false,
        }
    }
}

/// The domain of a patch. The values are those of VGT_TF_PARAM.TYPE.
///
/// For an example see [`Tessellation`](crate::draw::Tessellation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PatchDomain {
    /// Lines.
    Isolines = 0,
    /// A triangle.
    #[default]
    Triangles = 1,
    /// A rectangle.
    Quads = 2,
}

/// The division of an edge. The values are those of VGT_TF_PARAM.PARTITIONING.
///
/// For an example see [`Tessellation`](crate::draw::Tessellation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PatchSpacing {
    /// A whole number of equal parts.
    #[default]
    Equal = 0,
    /// A power of two of equal parts.
    PowerOfTwo = 1,
    /// An odd number of parts, two of them shorter.
    FractionalOdd = 2,
    /// An even number of parts, two of them shorter.
    FractionalEven = 3,
}

/// How patches share a workgroup of the control shader.
///
/// For an example see [`Tessellation::group`](crate::draw::Tessellation::group).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatchGroup {
    /// Patches of a workgroup, 1 to 64.
    pub patches: u32,
    /// Threads of a workgroup, up to 256: one for each control point.
    pub threads: u32,
    /// LDS of a workgroup in bytes.
    pub lds_bytes: u32,
}

/// Bytes of a block of off-chip memory: 8192 dwords (OFFCHIP_GRANULARITY 0).
pub(crate) const OFFCHIP_BLOCK: u32 = 32 * 1024;
/// LDS that patches of a workgroup share at most (as in drivers), so that two workgroups fit.
const PATCHES_LDS: u32 = 32 * 1024;
/// Threads of a workgroup of the control shader.
const MOST_THREADS: u32 = 256;
/// Patches of a workgroup, beyond which drivers saw no gain.
const MOST_PATCHES: u32 = 64;

impl Tessellation {
    /// How patches share a workgroup (Mesa 25.0.7 ac_compute_num_tess_patches): as many as threads, off-chip memory and LDS take, and no wave that is mostly empty.
    ///
    /// ```
    /// use pm4::draw::{PatchGroup, Tessellation};
    /// let triangles = Tessellation { lds_bytes_per_point: 32, ..Tessellation::default() };
    /// let group = triangles.group();
    /// assert_eq!(group, PatchGroup { patches: 64, threads: 192, lds_bytes: 64 * (3 * 32 + 16) });
    /// ```
    ///
    /// Limits that a draw breaks are errors where it is resolved.
    pub fn group(&self) -> PatchGroup {
        let points = self.input_points.max(self.output_points).max(1);
        let lds = self.lds_of_patch();
        let wave = self.program.wave.lanes();
        let fits = |room: u32, of_patch: u32| room.checked_div(of_patch).unwrap_or(u32::MAX);
        let by_lds = fits(PATCHES_LDS.saturating_sub(self.program.lds_bytes), lds);
        let by_memory = fits(OFFCHIP_BLOCK, self.offchip_bytes_per_patch);
        let all = (MOST_THREADS / points).min(MOST_PATCHES).min(by_lds).min(by_memory).max(1);
        let threads = all * points;
        let empty = wave - threads % wave;
        let patches = if threads > wave && empty >= points.max(8) { (threads - threads % wave) / points } else { all };
        let patches = patches.max(1);
        PatchGroup { patches, threads: patches * points, lds_bytes: (patches.saturating_mul(lds)).saturating_add(self.program.lds_bytes) }
    }

    fn lds_of_patch(&self) -> u32 {
        self.input_points.saturating_mul(self.lds_bytes_per_point).saturating_add(self.lds_bytes_per_patch)
    }

    /// What the tessellator makes.
    pub(crate) fn class(&self) -> Class {
        match self.domain {
            _ if self.point_mode => Class::Points,
            PatchDomain::Isolines => Class::Lines,
            PatchDomain::Triangles | PatchDomain::Quads => Class::Polygons,
        }
    }

    /// Some stage reads the patch's index, or exports it.
    pub(crate) fn uses_patch_id(&self, exported: bool) -> bool {
        self.reads_patch_id || self.evaluation_reads_patch_id || exported
    }

    /// LS_VGPR_COMP_CNT: the last input of a vertex that the vertex shader reads.
    pub(crate) fn vertex_components(&self, gfx: Gfx) -> u32 {
        match (gfx.major(), self.reads_instance_id) {
            (9, instance) => 1 + u32::from(instance),
            (10, false) => 1,
            (10 | 11, true) => 3,
            (_, instance) => u32::from(instance),
        }
    }
}
