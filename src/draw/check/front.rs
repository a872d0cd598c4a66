//! The stages before rasterization together: the allowed combinations, and their result on a chip.

use crate::chip::{Chip, Gfx};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::topology::InputPrimitive;
use crate::draw::desc::{DrawError, LegacyGroup, NggGroup, Program, Stage, Topology, UserData, VertexPath, resource_units};

/// The result of the stages before rasterization on a chip.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Front {
    /// The hardware stage of vertex work.
    pub path: VertexPath,
    /// The hardware stage of the program of vertex work.
    pub stage: Stage,
    /// The input primitive of vertex work, after tessellation if there is any.
    pub input: InputPrimitive,
    /// The size of an NGG subgroup; meaningless without NGG.
    pub group: NggGroup,
    /// The size of a group of a geometry shader without NGG.
    pub legacy: Option<LegacyGroup>,
}

impl Front {
    pub fn check(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<Self, DrawError> {
        let (gfx, path) = (chip.gfx(), desc.vertex.vertex_path(chip)?);
        let stage = vertex_program_stage(desc, path);
        desc.vertex.check(chip, stage)?;
        together(desc, path)?;
        desc.vertex.streamout.map_or(Ok(()), |streamout| streamout.check(desc, chip, path))?;
        let input = InputPrimitive::of_draw(desc);
        let subgroup = desc.vertex.subgroup;
        let mut front = Self {
            path,
            stage,
            input,
            group: NggGroup {
                vertices: subgroup.vertices,
                hardware_vertices: subgroup.hardware_vertices(gfx, input),
                primitives: subgroup.primitives,
                invocations: 1,
                output_vertices: subgroup.vertices,
                amplification: 1,
                max_emitted: None,
                one_invocation_each: false,
                lds_bytes: 0,
            },
            legacy: None,
        };
        if let Some(mesh) = &desc.mesh {
            mesh.check(chip, path, desc.topology)?;
            return Ok(Self { group: mesh.group(gfx), ..front });
        }
        if let Some(tessellation) = &desc.tessellation {
            tessellation.check(chip, desc.topology)?;
        }
        match (&desc.geometry, path) {
            (None, VertexPath::Ngg) => desc.vertex.check_subgroup(gfx, input)?,
            (None, VertexPath::Legacy) => {}
            (Some(shader), VertexPath::Ngg) => {
                shader.check(chip, path)?;
                front.group = shader.ngg(chip, input, desc.vertex.program.wave.lanes(), desc.tessellation.is_some())?;
                lds(front.group.lds_bytes, &desc.vertex.program)?;
            }
            (Some(shader), VertexPath::Legacy) => {
                shader.check(chip, path)?;
                let why = "one primitive does not fit into the LDS of a group, or emits too many vertices";
                let group = shader.legacy(input).ok_or(DrawError::Stages { what: "a geometry shader", why })?;
                lds(group.lds_bytes, &desc.vertex.program)?;
                front.legacy = Some(group);
            }
        }
        Ok(front)
    }

    /// Returns VGPR_COMP_CNT or ES_VGPR_COMP_CNT: the last input of a vertex that the program reads (Mesa 25.0.7 radv_shader.c).
    pub fn vertex_components(&self, desc: &EffectiveDraw<'_>, gfx: Gfx) -> u32 {
        vertex_components(desc, self.path, gfx)
    }

    /// Returns GS_VGPR_COMP_CNT: the last input of a primitive that the program reads.
    pub fn primitive_components(&self, desc: &EffectiveDraw<'_>, gfx: Gfx) -> u32 {
        primitive_components(desc, self.input, gfx)
    }
}

/// See [`Front::vertex_components`].
pub(crate) fn vertex_components(desc: &EffectiveDraw<'_>, path: VertexPath, gfx: Gfx) -> u32 {
    match (&desc.mesh, &desc.tessellation, &desc.geometry) {
        (Some(_), ..) => 0,
        // Place in the patch (2), number of the patch in its group, its index.
        (None, Some(patches), _) => 2 + u32::from(patches.evaluation_reads_patch_id || desc.vertex.exports_primitive_id),
        (None, None, Some(_)) if gfx.major() == 9 => u32::from(desc.vertex.reads_instance_id),
        (None, None, Some(_)) => desc.vertex.vertex_components(VertexPath::Ngg, gfx),
        (None, None, None) => desc.vertex.vertex_components(path, gfx),
    }
}

/// Returns whether a vertex shader exports the primitive's index, which it receives with the vertex. An evaluation shader has the index of the patch among
/// its own inputs (Mesa 25.0.7 radv_emit_hw_ngg, radv_shader_info.c).
pub(crate) fn vertex_shader_exports_primitive_id(desc: &EffectiveDraw<'_>) -> bool {
    desc.vertex.exports_primitive_id && desc.tessellation.is_none()
}

/// Returns whether NGG passes primitives through: no shader culls them or changes their data.
pub(crate) fn passes_through(desc: &EffectiveDraw<'_>) -> bool {
    desc.mesh.is_none() && desc.geometry.is_none() && !desc.vertex.culling && !vertex_shader_exports_primitive_id(desc)
}

/// See [`Front::primitive_components`].
pub(crate) fn primitive_components(desc: &EffectiveDraw<'_>, input: InputPrimitive, gfx: Gfx) -> u32 {
    match (&desc.mesh, &desc.geometry) {
        // Captures of Navi21 and Navi31 load one more than the program can use; GFX12, whose inputs are packed, is unverified.
        (Some(_), _) => u32::from(gfx.major() < 12),
        (None, Some(shader)) => shader.primitive_components(gfx, input),
        // Mesa 25.0.7 radv_shader.c.
        (None, None) if vertex_shader_exports_primitive_id(desc) => {
            if gfx.major() == 12 {
                1
            } else {
                2
            }
        }
        (None, None) => u32::from(gfx.major() < 12 && !passes_through(desc)),
    }
}

/// Checks the LDS of a group, including what the program itself needs.
fn lds(group: u32, program: &Program) -> Result<(), DrawError> {
    let all = group.saturating_add(program.lds_bytes);
    if all <= resource_units::LDS_BYTES {
        return Ok(());
    }
    Err(DrawError::Limit {
        what: "the LDS of a geometry shader's group",
        value: all.into(),
        limit: "at most 65536 bytes, including what the program needs in addition to vertices",
    })
}

/// Checks that stages and inputs fit together.
fn together(desc: &EffectiveDraw<'_>, path: VertexPath) -> Result<(), DrawError> {
    let refuse = |what, why| Err(DrawError::Stages { what, why });
    let (tessellates, geometry, mesh) = (desc.tessellation.is_some(), desc.geometry.is_some(), desc.mesh.is_some());
    if mesh && (tessellates || geometry) {
        return refuse("a mesh shader", "it takes the place of tessellation and geometry shader");
    }
    if desc.topology == Topology::PatchList && !tessellates && !mesh {
        return refuse("a list of patches", "without tessellation nothing divides patches");
    }
    if geometry && desc.topology == Topology::RectList {
        return refuse("a geometry shader", "it takes no rectangles");
    }
    if (geometry || mesh) && desc.vertex.exports_primitive_id {
        return refuse("the export of the primitive's index", "a geometry or mesh shader exports it as a parameter like others");
    }
    if (geometry || mesh) && desc.vertex.culling {
        return refuse("culling", "the inputs of a draw with a geometry or mesh shader pass it unculled");
    }
    let per_group = |program: &Program| program.user_data.contains(&UserData::GroupsX);
    if !mesh && programs(desc).any(per_group) {
        return refuse("user SGPRs for workgroups", "mesh shaders have workgroups, other vertex work has none");
    }
    if !mesh && programs(desc).any(|program| program.user_data.contains(&UserData::RingEntry)) {
        return refuse("a user SGPR for the ring entry of task shaders", "mesh shaders read it, other vertex work has none");
    }
    let of_vertices = |data: &UserData| matches!(data, UserData::BaseVertex | UserData::FirstInstance);
    if mesh && desc.vertex.program.user_data.iter().any(of_vertices) {
        return refuse("user SGPRs for base vertex and first instance", "a mesh shader has neither");
    }
    let of_draws = |program: &Program| program.user_data.iter().any(|data| UserData::OF_DRAWS.contains(data));
    if tessellates && of_draws(&desc.vertex.program) {
        return refuse("user SGPRs for values of draw calls", "with tessellation the program of vertex and control shader has them");
    }
    if desc.geometry.as_ref().is_some_and(|shader| of_draws(&shader.copy_program) || shader.copy_program.user_data.contains(&UserData::ViewIndex)) {
        return refuse("user SGPRs for values of draw calls", "the copy program has none");
    }
    if (tessellates || mesh) && desc.vertex.reads_instance_id {
        return refuse("the instance's index", "an evaluation or mesh shader has none; that of the vertex shader is part of the tessellation");
    }
    if geometry && path == VertexPath::Legacy && desc.vertex.program.wave == crate::isa::WaveSize::W32 {
        return refuse("a geometry shader of wave32", "without NGG it works only as wave64 (Mesa 25.0.7)");
    }
    Ok(())
}

/// Returns the hardware stage of the program of vertex work.
pub(crate) fn vertex_program_stage(desc: &EffectiveDraw<'_>, path: VertexPath) -> Stage {
    match path {
        VertexPath::Ngg => Stage::Ngg,
        VertexPath::Legacy if desc.geometry.is_some() => Stage::Geometry,
        VertexPath::Legacy => Stage::Vertex,
    }
}

/// Returns all programs before rasterization.
pub(crate) fn programs<'a>(desc: &'a EffectiveDraw<'_>) -> impl Iterator<Item = &'a Program> {
    let copy = desc.geometry.as_ref().map(|shader| &shader.copy_program);
    [&desc.vertex.program].into_iter().chain(desc.tessellation.as_ref().map(|t| &t.program)).chain(copy)
}

impl InputPrimitive {
    /// Returns the input of vertex work, after tessellation if there is any.
    pub fn of_draw(desc: &EffectiveDraw<'_>) -> Self {
        desc.tessellation.as_ref().map_or_else(|| Self::of_topology(desc.topology), |patches| Self::of_class(patches.class()))
    }
}
