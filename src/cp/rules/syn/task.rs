//! Task shaders: a graphics queue and a compute queue that work together.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::options::ModelOptions;
use crate::packet::Opcode;
use alloc::format;

/// GFX10.3 and later.
const TASKS: ChipScope = ChipScope::Generations(0b11_1100);

/// The first compute firmware that accepts a count of 0 (Mesa 25.0.7 has_taskmesh_indirect0_bug).
const ZERO_COUNT_FIRMWARE: u32 = 100;

pub(crate) const UNPAIRED: Rule = Rule::new(
    "SYN-27",
    Severity::Warning,
    TASKS,
    "task work without its mesh work",
    "Each task dispatch of the compute queue is taken by exactly one DISPATCH_TASKMESH_GFX of the graphics queue, even if it starts no work. Task work that \
     nothing takes stays in the ring: the mesh work that follows takes the wrong entries. Mesh work without task work waits forever (SYN-18). The rule is \
     silent where a dispatch may not have run (COND_EXEC, a predicate), or where it is not known what has run.",
    "Mesa 25.0.7 radv_cmd_buffer.c (task and mesh draws)",
    Judge::Model,
);

pub(in crate::cp::rules::syn) const NO_STATE: Rule = Rule::new(
    "SYN-28",
    Severity::Info,
    TASKS,
    "task work without DISPATCH_TASK_STATE_INIT",
    "Both queues learn the address of the control buffer from DISPATCH_TASK_STATE_INIT. Nothing in the stream has sent it to this queue, but an earlier \
     submission may have.",
    "Mesa 25.0.7 radv_queue.c (preambles)",
    Judge::on_opcodes(TASK_WORK, no_state),
);

pub(crate) const ZERO_COUNT: Rule = Rule::new(
    "SYN-29",
    Severity::Error,
    ChipScope::GFX103,
    "indirect task work with a count of 0",
    "GFX10.3 hangs in DISPATCH_TASKMESH_INDIRECT_MULTI_ACE with a count of 0 where the compute firmware (MEC) is older than 100. Where the caller has not stated \
     the version it has severity info. A count in memory is judged where it is known when the packet runs.",
    "Mesa 25.0.7 has_taskmesh_indirect0_bug",
    Judge::on_opcodes(&[Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE], zero_count),
);

const TASK_WORK: &[Opcode] = &[Opcode::DISPATCH_TASKMESH_GFX, Opcode::DISPATCH_TASKMESH_DIRECT_ACE, Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE];

fn no_state(view: &PacketView<'_>) -> Option<Verdict> {
    (!view.history.task_state).then(|| {
        Verdict::new("no DISPATCH_TASK_STATE_INIT was sent on this queue: the address of the rings is not known")
            .help("send DISPATCH_TASK_STATE_INIT with the control buffer on both queues, in the preamble")
    })
}

fn zero_count(view: &PacketView<'_>) -> Option<Verdict> {
    let indirect = view.field("count_indirect_enable")? == 1;
    if indirect || view.field("count")? != 0 { None } else { hangs_from_zero(view.options, "the count is 0") }
}

/// Returns the verdict for a count of 0, if the firmware hangs from it.
pub(crate) fn hangs_from_zero(options: &ModelOptions, what: &str) -> Option<Verdict> {
    let severity = match options.firmware.mec {
        Some(version) if version >= ZERO_COUNT_FIRMWARE => return None,
        Some(_) => Severity::Error,
        None => Severity::Info,
    };
    let verdict = Verdict::new(format!("{what}: the queue hangs with compute firmware older than {ZERO_COUNT_FIRMWARE}"));
    let help =
        "send a DISPATCH_TASKMESH_DIRECT_ACE of 0 groups instead, so that it still pairs with the graphics queue; COND_EXEC chooses by a count in memory";
    Some(verdict.severity(severity).field("count").help(help))
}
