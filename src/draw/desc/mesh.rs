//! Mesh shaders (GFX10.3 and later): workgroups that make vertices and primitives on the geometry stage.
//!
//! Rules: Mesa 25.0.7 radv_emit_hw_ngg, radv_emit_mesh_shader; captures of two boards agree.

use crate::chip::Gfx;
use crate::draw::desc::geometry::{GeometryOutput, NggGroup};

/// A mesh shader. The draw's [`VertexStage`](crate::draw::VertexStage) is then its program and states the exports of its vertices. The draw's topology is
/// ignored.
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
    /// Threads of a workgroup in x, y and z: at most 256 in total.
    pub workgroup: [u32; 3],
    /// Primitives that it makes.
    pub output: GeometryOutput,
    /// Maximum number of vertices that a workgroup makes: 1 to 256.
    pub max_vertices: u32,
    /// Maximum number of primitives that a workgroup makes: 1 to 256.
    pub max_primitives: u32,
    /// Whether primitives carry a layer, viewport or shading rate.
    pub primitive_payload: bool,
    /// Whether outputs that do not fit into LDS go through a ring of scratch memory.
    pub scratch_ring: bool,
}

impl Default for MeshStage {
    /// Returns a shader that makes one triangle with a workgroup of 32 threads.
    fn default() -> Self {
        Self { workgroup: [32, 1, 1], output: GeometryOutput::Triangles, max_vertices: 3, max_primitives: 1, primitive_payload: false, scratch_ring: false }
    }
}

impl MeshStage {
    /// Returns the number of threads of a workgroup.
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
}
