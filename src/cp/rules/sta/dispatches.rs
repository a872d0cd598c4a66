//! State of dispatches.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use alloc::format;
use alloc::vec::Vec;

pub(in crate::cp::rules::sta) const NO_PROGRAM: Rule = Rule::new(
    "STA-45",
    Severity::Warning,
    ChipScope::All,
    "dispatch without the state that every dispatch needs",
    "A dispatch needs a program, its resources and the size of its workgroups. Where nothing in the stream wrote them, it runs with what the last submission \
     left.",
    "no source states it; it follows from what the packet or field does",
    Judge::Dispatch(no_program),
);

pub(in crate::cp::rules::sta) const NO_COMPUTE_UNIT: Rule = Rule::new(
    "STA-46",
    Severity::Error,
    ChipScope::All,
    "dispatch without a compute unit",
    "COMPUTE_STATIC_THREAD_MGMT_SE0 and on (COMPUTE_DESTINATION_EN_SE0 to SE3 from GFX10 on) say which compute units may run compute work. Without any in \
     all shader engines, no wave can start, and the dispatch never ends. The kernel may disable further compute \
     units.",
    "no source states it; it follows from what the packet or field does",
    Judge::Dispatch(no_compute_unit),
)
.on_work();

/// What every dispatch needs.
const NEEDED: [&str; 6] = ["COMPUTE_PGM_LO", "COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y", "COMPUTE_NUM_THREAD_Z"];

fn no_program(view: &DrawView<'_>) -> Option<Verdict> {
    let unknown = |name: &&&str| view.register(name).is_some_and(|register| view.state(register.addr()) == RegisterState::Unknown);
    let missing: Vec<&str> = NEEDED.iter().filter(unknown).copied().collect();
    let first = missing.first()?;
    Some(
        Verdict::new(format!("nothing has written {}: the dispatch runs with what the last submission left", missing.join(", ")))
            .register(*first)
            .help("write the program, its resources and the size of its workgroups before the first dispatch"),
    )
}

/// The masks of compute units, one for each shader engine, by either name.
const MASKS: [&str; 12] = [
    "COMPUTE_DESTINATION_EN_SE0",
    "COMPUTE_DESTINATION_EN_SE1",
    "COMPUTE_DESTINATION_EN_SE2",
    "COMPUTE_DESTINATION_EN_SE3",
    "COMPUTE_STATIC_THREAD_MGMT_SE0",
    "COMPUTE_STATIC_THREAD_MGMT_SE1",
    "COMPUTE_STATIC_THREAD_MGMT_SE2",
    "COMPUTE_STATIC_THREAD_MGMT_SE3",
    "COMPUTE_STATIC_THREAD_MGMT_SE4",
    "COMPUTE_STATIC_THREAD_MGMT_SE5",
    "COMPUTE_STATIC_THREAD_MGMT_SE6",
    "COMPUTE_STATIC_THREAD_MGMT_SE7",
];

fn no_compute_unit(view: &DrawView<'_>) -> Option<Verdict> {
    let mut masks = MASKS.iter().filter(|name| view.register(name).is_some()).peekable();
    let first = *masks.peek()?;
    let empty = |name: &&str| view.register(name).is_some_and(|register| view.value(register.addr()) == Some(0));
    (masks.all(empty)).then(|| {
        Verdict::new("no shader engine has a compute unit for compute work: no wave of the dispatch can start, and it never ends")
            .register_of(view, first)
            .help("write 0xffffffff to the masks, with index 3 where the kernel's mask is to count")
    })
}
