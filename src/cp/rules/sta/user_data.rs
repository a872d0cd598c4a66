//! User data that programs load although nothing has written it.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::has_program;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use crate::packet::Action;
use alloc::format;

pub(in crate::cp::rules::sta) const UNWRITTEN: Rule = Rule::new(
    "STA-54",
    Severity::Info,
    ChipScope::All,
    "program of a draw loads user data that nothing has written",
    "A wave starts with as many user data registers in its SGPRs as RSRC2 says (USER_SGPR). If no packet of the stream has written one of them, it holds \
     what the last submission left. The program may not read it, and drivers omit registers that it does not read: severity info.",
    "no source states it; it follows from what the packet or field does",
    Judge::Draw(of_draw),
)
.on_work();

pub(in crate::cp::rules::sta) const UNWRITTEN_COMPUTE: Rule = Rule::new(
    "STA-55",
    Severity::Info,
    ChipScope::All,
    "program of a dispatch loads user data that nothing has written",
    "As STA-54, for COMPUTE_PGM_RSRC2.USER_SGPR and COMPUTE_USER_DATA. RADV omits registers that its programs do not read.",
    "no source states it; it follows from what the packet or field does",
    Judge::Dispatch(of_dispatch),
)
.on_work();

pub(in crate::cp::rules::sta) const HALF_DESCRIPTOR: Rule = Rule::new(
    "STA-69",
    Severity::Info,
    ChipScope::All,
    "buffer descriptor in the user data of a dispatch has neither stride nor a high address",
    "The last word of four in a row selects x, y, z, w, as descriptors of buffers do, and the second one is 0: stride and bits 47:32 of the address are in it. Buffers below \
     4 GiB are rare, and this one is raw. The words may be something else: severity info.",
    "IGT b3d809d5 amd_ip_blocks.c (invalid user data); the rest follows from what the field does",
    Judge::Dispatch(half_descriptor),
)
.on_work();

/// DST_SEL of a four-component buffer, in the last word of its descriptor.
const XYZW: u32 = 0xFAC;

fn half_descriptor(view: &DrawView<'_>) -> Option<Verdict> {
    let first = view.register("COMPUTE_USER_DATA_0")?;
    let count = view.field("COMPUTE_PGM_RSRC2", "USER_SGPR")?.value().min(16);
    let word = |number: u32| view.value(first.addr() + 4 * number);
    let halved = |number: &u32| {
        let words = [0, 1, 2, 3].map(|at| word(number + at));
        matches!(words, [Some(low), Some(0), Some(records), Some(last)] if low != 0 && records != 0 && last & 0xFFF == XYZW)
    };
    let number = (0..count / 4).map(|group| 4 * group).find(halved)?;
    let name = format!("COMPUTE_USER_DATA_{}", number + 1);
    Some(
        Verdict::new(format!(
            "user data {number} to {} look like the descriptor of a buffer whose second word is 0: no stride, and an address below 4 GiB",
            number + 3
        ))
        .register(name)
        .help("write bits 47:32 of the address and the stride, in bits 29:16, to the second word"),
    )
}

/// A stage: RSRC2, and the first register of its user data under the names of the generations.
type StageData = (&'static str, [&'static str; 2]);

const PIXEL: StageData = ("SPI_SHADER_PGM_RSRC2_PS", ["SPI_SHADER_USER_DATA_PS_0"; 2]);
const VERTEX: StageData = ("SPI_SHADER_PGM_RSRC2_VS", ["SPI_SHADER_USER_DATA_VS_0"; 2]);
/// On GFX9, merged stages use the registers under the older name.
const GEOMETRY: StageData = ("SPI_SHADER_PGM_RSRC2_GS", ["SPI_SHADER_USER_DATA_GS_0", "SPI_SHADER_USER_DATA_ES_0"]);
const HULL: StageData = ("SPI_SHADER_PGM_RSRC2_HS", ["SPI_SHADER_USER_DATA_HS_0", "SPI_SHADER_USER_DATA_LS_0"]);
const COMPUTE: StageData = ("COMPUTE_PGM_RSRC2", ["COMPUTE_USER_DATA_0"; 2]);

fn unwritten(view: &DrawView<'_>, (resources, data): StageData) -> Option<Verdict> {
    let count = view.field(resources, "USER_SGPR").filter(|count| count.origin.is_some())?;
    let high = view.field(resources, "USER_SGPR_MSB").map_or(0, |bit| bit.value());
    let loaded = count.value() | high << 5;
    let first = data.into_iter().find_map(|name| view.register(name))?;
    let place = |number: u32| first.addr() + number * first.info().stride;
    let unknown = (0..loaded.min(first.info().count)).filter(|number| view.state(place(*number)) == RegisterState::Unknown);
    let number = unknown.into_iter().find(|number| !is_set_by_packet(view, place(*number)))?;
    let name = format!("{}{number}", first.info().name.trim_end_matches('0'));
    Some(
        Verdict::new(format!("the program loads {loaded} user data registers, and nothing has written {name}: it holds what the last submission left"))
            .register(name)
            .because(&count)
            .help("write the register before the draw or dispatch, if the program reads it"),
    )
}

/// Returns whether the draw or dispatch itself writes a register: arguments, or the place in a ring.
fn is_set_by_packet(view: &DrawView<'_>, addr: u32) -> bool {
    let mut sets = false;
    view.packet().visit_effects(view.gfx(), view.queue(), &mut |effect| match effect.action {
        Action::Set { write, .. } => sets |= write.addr == addr,
        Action::Unknown { addr: first, registers, .. } => sets |= (first..first + 4 * registers).contains(&addr),
        _ => {}
    });
    sets
}

fn of_draw(view: &DrawView<'_>) -> Option<Verdict> {
    let stage = |field| view.field("VGT_SHADER_STAGES_EN", field).map(|stage| stage.is_set());
    let ngg = stage("PRIMGEN_EN").or((view.gfx().major() >= 11).then_some(true));
    let runs = [
        (PIXEL, has_program(view, "SPI_SHADER_PGM_LO_PS") && view.may_have_pixels()),
        (GEOMETRY, ngg == Some(true) || stage("GS_EN") == Some(true)),
        (VERTEX, ngg == Some(false) || view.gfx().major() == 9 && stage("GS_EN") == Some(false)),
        (HULL, stage("HS_EN") == Some(true)),
    ];
    runs.into_iter().filter(|(_, runs)| *runs).find_map(|(data, _)| unwritten(view, data))
}

fn of_dispatch(view: &DrawView<'_>) -> Option<Verdict> {
    unwritten(view, COMPUTE)
}
