//! Mesh shaders (GFX10.3 and later): workgroups that make vertices and primitives on the geometry stage.
//!
//! Rules: Mesa 25.0.7 radv_emit_hw_ngg, radv_emit_mesh_shader; captures of two boards agree.

use crate::chip::{Chip, Gfx};
use crate::draw::desc::Topology;
use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::geometry_shader::{GeometryOutput, NggGroup};
use crate::draw::stage::vertex::VertexPath;

/// A mesh shader. The draw's [`VertexStage`](crate::draw::VertexStage) is then its program and says what its vertices export. The draw's topology says nothing.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, MeshStage, PipelineDesc};
/// let mesh = MeshStage { workgroup: [128, 1, 1], max_vertices: 64, max_primitives: 124, ..MeshStage::default() };
/// let resolved = DrawDesc::from(PipelineDesc { mesh: Some(mesh), ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// assert_eq!(resolved.image.get(0xB2B4), Some(64 | 124 << 9)); // SPI_SHADER_GS_MESHLET_EXP_ALLOC
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeshStage {
    /// Threads of a workgroup in x, y and z: at most 256 together.
    pub workgroup: [u32; 3],
    /// Primitives that it makes.
    pub output: GeometryOutput,
    /// The most vertices that a workgroup makes: 1 to 256.
    pub max_vertices: u32,
    /// The most primitives that a workgroup makes: 1 to 256.
    pub max_primitives: u32,
    /// Each primitive says its layer, viewport or shading rate.
    pub primitive_payload: bool,
    /// Outputs that do not fit into LDS go through a ring of scratch memory.
    pub scratch_ring: bool,
}

impl Default for MeshStage {
    /// One triangle from a workgroup of 32 threads.
    fn default() -> Self {
        Self { workgroup: [32, 1, 1], output: GeometryOutput::Triangles, max_vertices: 3, max_primitives: 1, primitive_payload: false, scratch_ring: false }
    }
}

impl MeshStage {
    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.workgroup.iter().fold(1, |all: u32, n| all.saturating_mul(*n))
    }

    pub(crate) fn group(&self, gfx: Gfx) -> NggGroup {
        // GFX10.3 exports one vertex and one primitive per thread.
        let threads = self.threads().max(self.max_vertices).max(self.max_primitives);
        NggGroup {
            vertices: 1,
            hardware_vertices: 1,
            primitives: 1,
            invocations: 1,
            output_vertices: self.max_vertices,
            amplification: self.max_primitives,
            max_emitted: Some(if gfx.major() == 10 { threads } else { self.max_vertices }),
            one_invocation_each: false,
            lds_bytes: 0,
        }
    }

    pub(crate) fn check(&self, chip: Chip, path: VertexPath, topology: Topology) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        if chip.gfx().version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a mesh shader", chip, limit: "GFX10.3 and later have it" });
        }
        if path != VertexPath::Ngg {
            return Err(DrawError::Stages { what: "a mesh shader", why: "it runs as NGG" });
        }
        if topology == Topology::PatchList {
            return Err(DrawError::Stages { what: "a mesh shader", why: "it takes no patches" });
        }
        if self.workgroup.contains(&0) || self.threads() > 256 {
            return limit("the threads of a mesh shader's workgroup", self.threads(), "1 to 256, in x, y and z together");
        }
        for (what, count) in [("the vertices of a mesh shader", self.max_vertices), ("the primitives of a mesh shader", self.max_primitives)] {
            if !(1..=256).contains(&count) {
                return limit(what, count, "1 to 256");
            }
        }
        Ok(())
    }
}

/// SPI_SHADER_GS_MESHLET_DIM and EXP_ALLOC (GFX11 and later): threads of a workgroup, and what it exports at most.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let Some(mesh) = &inputs.desc.mesh else { return };
    let ([x, y, z], all) = (mesh.workgroup.map(|n| n.saturating_sub(1)), mesh.threads().saturating_sub(1));
    let (threads, exports) = ("threads of a workgroup minus 1", "what a workgroup exports at most");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {},
        Gfx11x | Gfx12 => {
            type Dim = r::SpiShaderGsMeshletDim;
            type Alloc = r::SpiShaderGsMeshletExpAlloc;
            sheet.add(Word::new(On::<Dim, { r::GFX }>::SLOT)
                .set(Dim::MESHLET_NUM_THREAD_X, x, threads)
                .set(Dim::MESHLET_NUM_THREAD_Y, y, threads)
                .set(Dim::MESHLET_NUM_THREAD_Z, z, threads)
                .set(Dim::MESHLET_THREADGROUP_SIZE, all, threads));
            sheet.add(Word::new(On::<Alloc, { r::GFX }>::SLOT)
                .set(Alloc::MAX_EXP_VERTS, mesh.max_vertices, exports)
                .set(Alloc::MAX_EXP_PRIMS, mesh.max_primitives, exports));
        },
    });
}
