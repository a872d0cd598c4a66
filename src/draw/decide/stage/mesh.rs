//! Registers of mesh shaders (GFX10.3 and later).
//!
//! Rules: Mesa 25.0.7 radv_emit_hw_ngg, radv_emit_mesh_shader; captures of two boards agree.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// SPI_SHADER_GS_MESHLET_DIM and EXP_ALLOC (GFX11 and later): threads of a workgroup, and what it exports at most.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let Some(mesh) = &inputs.desc.mesh else { return };
    let ([x, y, z], all) = (mesh.workgroup.map(|n| n.saturating_sub(1)), mesh.threads().saturating_sub(1));
    let (threads, exports) = ("threads of a workgroup minus 1", "maximum exports of a workgroup");
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
