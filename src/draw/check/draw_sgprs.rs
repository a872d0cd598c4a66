//! User SGPRs that draw calls write, and calls checked against them.

use crate::chip::Gfx;
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::front::vertex_program_stage;
use crate::draw::desc::call::{Source, address};
use crate::draw::desc::program::user_data_registers;
use crate::draw::desc::{CallError, CountedDraw, DrawCall, Instances, Program, Stage, UserData, VertexPath};

impl CountedDraw {
    fn check(&self, sgprs: &DrawSgprs) -> Result<(), CallError> {
        direct(self.instances, sgprs)?;
        address("the counter of streamout", self.counter, 4)?;
        if (1..=511).contains(&self.stride) { Ok(()) } else { Err(CallError::VertexBytes { stride: self.stride }) }
    }
}

impl DrawCall {
    /// Checks the call against the SGPRs of a program.
    pub(crate) fn check_with(&self, gfx: Gfx, sgprs: &DrawSgprs, mesh: bool) -> Result<(), CallError> {
        if let Self::Views { views, call } = self {
            return match &**call {
                Self::Views { .. } => Err(CallError::Views { why: "the inner call is DrawCall::Views too: use another kind of call" }),
                _ if *views == 0 => Err(CallError::Views { why: "no bit of the views is set" }),
                _ if *views != 1 && sgprs.view_index == [None; 2] => Err(CallError::NoSgpr { what: "the view", value: i64::from(views.ilog2()) }),
                call => call.check_with(gfx, sgprs, mesh),
            };
        }
        let (buffer, source) = self.parts();
        if mesh != matches!(source, Source::Groups(_) | Source::SeveralGroups(_) | Source::Tasks { .. }) {
            return Err(CallError::Mesh { mesh });
        }
        if let Some(buffer) = buffer.filter(|b| b.indices > 0) {
            // INDEX_BASE, used by indirect draws, requires even addresses.
            buffer.check(if matches!(source, Source::One(_) | Source::Several(_)) { 2 } else { 1 })?;
        }
        let without = |sgpr: Option<u32>, what, value: i64| if sgpr.is_none() && value != 0 { Err(CallError::NoSgpr { what, value }) } else { Ok(()) };
        match source {
            Source::Vertices(draws, instances) => {
                direct(instances, sgprs)?;
                draws.iter().try_for_each(|d| without(sgprs.base_vertex, "the first vertex", i64::from(d.first)))
            }
            Source::Indices(draws, instances) => {
                direct(instances, sgprs)?;
                draws.iter().try_for_each(|d| without(sgprs.base_vertex, "the base vertex", i64::from(d.base_vertex)))
            }
            Source::One(arguments) => address("the arguments", arguments, 4),
            Source::Several(draws) => draws.check(if buffer.is_some() { 20 } else { 16 }),
            Source::Counted(draw) => draw.check(sgprs),
            Source::Tasks { .. } => match (sgprs.ring_entry, sgprs.groups) {
                (None, _) => Err(CallError::NoRingEntry),
                (_, None) if gfx.major() == 10 => Err(CallError::NoGroupSgprs { what: "those that task shaders start" }),
                _ => Ok(()),
            },
            Source::Groups([x, y, z]) => {
                let count = u64::from(x).saturating_mul(u64::from(y)).saturating_mul(u64::from(z));
                // GFX10.3 draws one point for each workgroup, so the program reads y and z from SGPRs.
                let knows_groups = gfx.major() >= 11 || sgprs.groups.is_some();
                if gfx.major() == 10 && count > u64::from(u32::MAX) {
                    return Err(CallError::Groups { count, limit: "GFX10.3 draws one point per workgroup: 4294967295 at most" });
                }
                if !knows_groups && (y, z) != (1, 1) {
                    return Err(CallError::NoGroupSgprs { what: "more than one in y or z" });
                }
                Ok(())
            }
            Source::SeveralGroups(draws) => {
                if gfx.major() == 10 && sgprs.groups.is_none() {
                    return Err(CallError::NoGroupSgprs { what: "those of indirect calls" });
                }
                draws.check(12)
            }
        }
    }
}

/// The user SGPRs of vertex work that draw calls write, as byte addresses of their SPI_SHADER_USER_DATA registers; None if the program does not read the value.
/// They follow from the program's user data ([`UserData`]), so a call cannot contradict the program.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, Program, UserData, VertexStage};
/// let program = Program { user_data: vec![UserData::Keep, UserData::BaseVertex], ..Program::default() };
/// let draw = DrawDesc::from(PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() });
/// assert_eq!(draw.resolve(Chip::Navi31)?.draw_sgprs().base_vertex, Some(0xB234)); // SPI_SHADER_USER_DATA_GS_1
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrawSgprs {
    /// The first vertex of a non-indexed draw, or the value added to the indices.
    pub base_vertex: Option<u32>,
    /// The first instance.
    pub first_instance: Option<u32>,
    /// The number of the draw within its call.
    pub draw_index: Option<u32>,
    /// Mesh-shader workgroups in x; those in y and z follow in the next two SGPRs.
    pub groups: Option<u32>,
    /// The place of a task shader's work in the ring.
    pub ring_entry: Option<u32>,
    /// The view index: in the program that draws start with, and with tessellation in the evaluation shader.
    pub view_index: [Option<u32>; 2],
}

impl DrawSgprs {
    /// Returns the SGPRs of the program that draws start with; with tessellation, the merged vertex and control shader.
    pub(crate) fn of(gfx: Gfx, desc: &EffectiveDraw<'_>, path: VertexPath) -> Self {
        let (program, stage) = match &desc.tessellation {
            Some(patches) => (&patches.program, Stage::Hull),
            None => (&desc.vertex.program, vertex_program_stage(desc, path)),
        };
        let of = |program: &Program, stage, item| {
            let at = program.user_data.iter().position(|data| *data == item)?;
            user_data_registers(gfx, stage)?.element(at as u32)
        };
        let addr = |item| of(program, stage, item);
        let evaluation = desc.tessellation.as_ref().map(|_| &desc.vertex.program);
        let of_evaluation = evaluation.and_then(|program| of(program, vertex_program_stage(desc, path), UserData::ViewIndex));
        Self {
            base_vertex: addr(UserData::BaseVertex),
            first_instance: addr(UserData::FirstInstance),
            draw_index: addr(UserData::DrawIndex),
            groups: addr(UserData::GroupsX),
            ring_entry: addr(UserData::RingEntry),
            view_index: [addr(UserData::ViewIndex), of_evaluation],
        }
    }
}

fn direct(instances: Instances, sgprs: &DrawSgprs) -> Result<(), CallError> {
    if instances.count == 0 {
        return Err(CallError::NoInstances);
    }
    match sgprs.first_instance {
        None if instances.first != 0 => Err(CallError::NoSgpr { what: "the first instance", value: i64::from(instances.first) }),
        _ => Ok(()),
    }
}
