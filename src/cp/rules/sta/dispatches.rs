//! State of dispatches.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{Opcode, Queue, ShaderType};
use alloc::format;
use alloc::vec::Vec;

pub(in crate::cp::rules::sta) const NO_PROGRAM: Rule = Rule::new(
    "STA-45",
    Severity::Warning,
    ChipScope::All,
    "dispatch without the state that every dispatch needs",
    "A dispatch needs a program, its resources and the size of its workgroups. If nothing in the stream wrote them, the dispatch uses what the last \
     submission left.",
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

pub(in crate::cp::rules::sta) const NULL_PROGRAM: Rule = Rule::new(
    "STA-68",
    Severity::Error,
    ChipScope::All,
    "dispatch of a program at address 0",
    "COMPUTE_PGM_LO and COMPUTE_PGM_HI are 0: nothing is mapped there (the kernel keeps the lowest pages free), and the first wave faults.",
    "IGT b3d809d5 amd_ip_blocks.c (invalid program address); Linux 7.1.8 amdgpu_vm.h AMDGPU_VA_RESERVED_BOTTOM",
    Judge::Dispatch(null_program),
)
.on_work();

fn null_program(view: &DrawView<'_>) -> Option<Verdict> {
    let zero = |name: &str| view.register(name).is_some_and(|register| view.value(register.addr()) == Some(0));
    (zero("COMPUTE_PGM_LO") && zero("COMPUTE_PGM_HI")).then(|| {
        Verdict::new("the address of the program is 0, where nothing is mapped: the first wave faults")
            .register_of(view, "COMPUTE_PGM_LO")
            .help("write the address of the program, shifted right by 8, to COMPUTE_PGM_LO, and its bits from 40 on to COMPUTE_PGM_HI")
    })
}

/// The state that every dispatch needs.
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

/// Masks of compute units, one per shader engine, under both names.
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

const DISPATCH: &[Opcode] = &[Opcode::DISPATCH_DIRECT, Opcode::DISPATCH_INDIRECT];

pub(super) const PLAIN_DISPATCH: Rule = Rule::new(
    "STA-24",
    Severity::Warning,
    ChipScope::All,
    "dispatch without the compute bits",
    "PAL sends a dispatch on the graphics queue with shader_type = 1 in its header, and with COMPUTE_SHADER_EN in its initiator. No second source says \
     what happens otherwise. A test of AMD's own (libdrm, dependent submissions) dispatches with shader_type 0, so shader_type 0 has severity info.",
    "PAL gfx9CmdUtil.cpp BuildDispatchDirect",
    Judge::on_opcodes(DISPATCH, plain_dispatch),
);

fn plain_dispatch(view: &PacketView<'_>) -> Option<Verdict> {
    let initiator = *view.packet().body.last()?;
    if initiator & 1 == 0 {
        let verdict = Verdict::new("COMPUTE_SHADER_EN is 0 in the dispatch initiator: PAL always sets it; what happens without it is not known")
            .field("dispatch_initiator");
        return Some(verdict.help("set bit 0 of the initiator"));
    }
    (view.queue() == Queue::Graphics && view.packet().header.shader_type() == ShaderType::Graphics).then(|| {
        Verdict::new("a dispatch on the graphics queue with shader_type 0: PAL sets 1; a test of AMD's own (libdrm) sets 0")
            .severity(Severity::Info)
            .field("shader_type")
            .help("set bit 1 of the header")
    })
}

pub(super) const DISPATCH_ORDER: Rule = Rule::new(
    "STA-25",
    Severity::Error,
    ChipScope::GFX12,
    "dispatch order bits that exclude each other",
    "INTERLEAVE_2D_EN excludes USE_THREAD_DIMENSIONS, PARTIAL_TG_EN and ORDERED_APPEND_ENBL; PING_PONG_EN excludes the first two.",
    "PAL gfx12CmdUtil.cpp",
    Judge::on_opcodes(DISPATCH, dispatch_order),
);

fn dispatch_order(view: &PacketView<'_>) -> Option<Verdict> {
    let initiator = *view.packet().body.last()?;
    let bit = |at: u32| initiator >> at & 1 == 1;
    let (partial, append, threads, ping_pong, interleave) = (bit(1), bit(3), bit(5), bit(12), bit(18));
    let bad = interleave && (threads || partial || append) || ping_pong && (threads || partial);
    bad.then(|| {
        Verdict::new(format!("the dispatch initiator 0x{initiator:08x} combines orders that exclude each other: which one the hardware follows is not known"))
            .field("dispatch_initiator")
            .help("clear INTERLEAVE_2D_EN and PING_PONG_EN")
    })
}
