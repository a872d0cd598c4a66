//! Programs of the stages, and the requirements of the first draw.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{Opcode, Queue};
use crate::plurals::all_of;
use alloc::format;
use alloc::vec::Vec;

/// A program: the registers that may hold its address, on any generation, and those of its resources.
struct StageProgram {
    addresses: &'static [&'static str],
    resources: [&'static str; 2],
}

/// The stages before the rasterizer; at least one must have a program.
const FRONT_PROGRAMS: &[StageProgram] = &[
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_LO_GS"], resources: ["SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"] },
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_VS"], resources: ["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"] },
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_LS", "SPI_SHADER_PGM_LO_HS"], resources: ["SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS"] },
];
const PIXEL_PROGRAMS: &[StageProgram] =
    &[StageProgram { addresses: &["SPI_SHADER_PGM_LO_PS"], resources: ["SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS"] }];

/// Mesh draws have no vertices and no vertex groups. On GFX10.3 they are plain draws with fast launch.
pub(super) fn is_mesh(view: &DrawView<'_>) -> bool {
    let fast_launch = view.field("VGT_SHADER_STAGES_EN", "GS_FAST_LAUNCH").is_some_and(|mode| mode.is_set());
    fast_launch || matches!(view.packet().opcode(), Some(Opcode::DISPATCH_MESH_INDIRECT_MULTI | Opcode::DISPATCH_TASKMESH_GFX | Opcode::DISPATCH_MESH_DIRECT))
}

/// Returns whether a program is set; address 0 does not count.
pub(super) fn has_program(view: &DrawView<'_>, name: &str) -> bool {
    view.register(name).is_some_and(|register| view.value(register.addr()).is_some_and(|lo| lo != 0))
}

pub(super) const MISSING_STATE: Rule = Rule::new(
    "STA-01",
    Severity::Warning,
    ChipScope::All,
    "first draw without the state that every draw needs",
    "A draw needs a primitive type, shader stages, a target mask, a program before the rasterizer, and a pixel shader where colours are exported, each \
     program with its resources (RSRC1 and RSRC2). If nothing wrote them and CLEAR_STATE has not run, the draw uses what the last submission left.",
    "no source states it; it follows from what the packet or field does",
    Judge::Draw(missing_state),
);

fn missing_state(view: &DrawView<'_>) -> Option<Verdict> {
    if view.draws_before() != 0 || view.queue() == Queue::Compute {
        return None;
    }
    const NEEDED: [&str; 3] = ["VGT_PRIMITIVE_TYPE", "VGT_SHADER_STAGES_EN", "CB_TARGET_MASK"];
    let unknown = |name: &&str| view.register(name).is_some_and(|register| view.state(register.addr()) == RegisterState::Unknown);
    let exports = view.register("SPI_SHADER_COL_FORMAT").and_then(|register| view.value(register.addr())).is_some_and(|formats| formats != 0);
    let there = |name: &&str| view.register(name).is_some();
    let missing_of = |programs: &'static [StageProgram]| -> Vec<&'static str> {
        let mut addresses = programs.iter().flat_map(|program| program.addresses).copied().filter(there);
        let Some(program) = programs.iter().find(|program| program.addresses.iter().filter(|name| there(name)).any(|name| !unknown(name))) else {
            return addresses.next().into_iter().collect();
        };
        // The resource registers of another stage may belong to the program that runs.
        let lost = |at: &usize| programs.iter().map(|program| &program.resources[*at]).filter(|name| there(name)).all(unknown);
        (0..2).filter(lost).map(|at| program.resources[at]).filter(there).collect()
    };
    let programs = missing_of(FRONT_PROGRAMS);
    let pixels = exports.then(|| missing_of(PIXEL_PROGRAMS)).into_iter().flatten();
    let needed = NEEDED.into_iter().skip(usize::from(is_mesh(view))).filter(unknown);
    let missing: Vec<&str> = needed.chain(programs).chain(pixels).collect();
    let (first, names) = (*missing.first()?, all_of(&missing));
    Some(
        Verdict::new(format!("at the first draw nothing has written {names}: the draw runs with what the last submission left"))
            .register(first)
            .help(format!("write {names} before the first draw, or for a context register run CLEAR_STATE where the generation has it")),
    )
}
