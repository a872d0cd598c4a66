//! IB: indirect buffers.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::packet::{Opcode, Queue};
use alloc::format;

const IB: WatchedPackets = WatchedPackets::Opcodes(&[Opcode::INDIRECT_BUFFER]);

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    CHAIN_NOT_LAST,
    TOO_DEEP,
    BAD_SIZE,
    Rule::new(
        "IB-04",
        Severity::Error,
        ChipScope::All,
        "INDIRECT_BUFFER of a form that compute queues do not accept",
        "On compute queues bit 23 of the control dword (VALID) must be 1, and there is no preemption enable: PAL never sets bit 21 there, which is the \
         polling of offloaded work (offload_polling). Otherwise the engine does not accept the packet. A call (CHAIN = 0) on a compute queue is IB-02.",
        "PAL gfx9CmdUtil.cpp BuildIndirectBuffer; PAL gfx9_plus_merged_f32_mec_pm4_packets.h (offload_polling)",
        Judge::Packet { watch: IB, judge: compute_form },
    )
    .words_alone(),
    Rule::new(
        "IB-05",
        Severity::Warning,
        ChipScope::All,
        "buffer length is not a multiple of 8 dwords",
        "The kernel reports an alignment of 8 dwords for the length of submitted buffers on these rings. Drivers keep it for called and chained buffers \
         too, which the kernel does not see, and pad with header-only NOPs, 0xffff1000. No source says what happens otherwise.",
        "Mesa 25.0.7 ac_gpu_info.c ib_size_alignment",
        Judge::Packet { watch: IB, judge: unaligned_length },
    )
    .not_in_rings(),
    BAD_SPAN,
    Rule::new(
        "IB-07",
        Severity::Error,
        ChipScope::All,
        "INDIRECT_BUFFER with a VMID",
        "The VMID field belongs to the kernel. From user mode it must be 0; the firmware rejects another value.",
        "PAL gfx9CmdUtil.cpp BuildIndirectBuffer",
        Judge::Packet { watch: IB, judge: vmid },
    )
    .words_alone()
    .not_in_rings(),
    Rule::new(
        "IB-08",
        Severity::Warning,
        ChipScope::All,
        "PRED_EXEC in a ring",
        "PRED_EXEC works in indirect buffers only; in a ring it is ignored. The rule applies only where the caller has declared a ring.",
        "tinygrad's PM4 notes (one source, no independent second one)",
        Judge::Packet { watch: WatchedPackets::Opcodes(&[Opcode::PRED_EXEC]), judge: pred_exec_in_ring },
    ),
];

fn unaligned_length(view: &PacketView<'_>) -> Option<Verdict> {
    let dwords = view.bits(2, 0, 19);
    (view.packet().body.len() == 3 && !dwords.is_multiple_of(8)).then(|| {
        Verdict::new(format!("the buffer has {dwords} dwords, which is not a multiple of 8: drivers pad; what happens otherwise is not known"))
            .field("ib_size")
            .help("pad the buffer with header-only NOPs, 0xffff1000")
    })
}

fn compute_form(view: &PacketView<'_>) -> Option<Verdict> {
    if view.queue() != Queue::Compute || view.packet().body.len() != 3 {
        return None;
    }
    let (valid, preempt) = (view.bits(2, 23, 23), view.bits(2, 21, 21));
    match (valid, preempt) {
        (0, _) => Some(Verdict::new("VALID is 0, which compute queues do not accept").field("valid").help("set bit 23 of the third body dword")),
        (_, 1) => Some(
            Verdict::new("bit 21 is set: on compute queues it does not enable preemption, but polls for offloaded work")
                .field("offload_polling")
                .help("clear bit 21 of the third body dword"),
        ),
        _ => None,
    }
}

fn vmid(view: &PacketView<'_>) -> Option<Verdict> {
    let vmid = view.bits(2, 24, 27);
    (view.packet().body.len() == 3 && vmid != 0).then(|| {
        Verdict::new(format!("VMID is {vmid}: the field belongs to the kernel, and the firmware rejects the packet")).field("vmid").help("clear bits 27:24")
    })
}

fn pred_exec_in_ring(view: &PacketView<'_>) -> Option<Verdict> {
    view.in_ring()
        .then(|| Verdict::new("PRED_EXEC in a ring, which ignores it: what follows runs on every device").help("put the span into an indirect buffer"))
}

pub(crate) const BAD_SPAN: Rule = Rule::new(
    "IB-06",
    Severity::Error,
    ChipScope::All,
    "conditional span ends inside a packet or past the end of its buffer",
    "COND_EXEC and PRED_EXEC skip a number of dwords. When that number does not cover whole packets of the same buffer, the skip ends inside a packet, and \
     data is executed as packets. Rings are not judged: they wrap around.",
    "follows from what the packet or field does; Linux 6.12 gfx_v9_0.c gfx_v9_0_ring_emit_init_cond_exec",
    Judge::Model,
)
.words_alone();

pub(crate) const CHAIN_NOT_LAST: Rule = Rule::new(
    "IB-01",
    Severity::Error,
    ChipScope::All,
    "chain is not the last packet of its buffer",
    "INDIRECT_BUFFER with CHAIN = 1 replaces the current buffer: it does not return. Packets after it never run; padding, and words of 0 up to the end, do \
     not count as packets. Drivers put the chain into the last four dwords of a buffer. To run another buffer and return, call it (CHAIN = 0). If \
     COND_EXEC, PRED_EXEC or the predicate may skip the chain, packets after it are allowed: they run when the chain is skipped.",
    "follows from what the packet or field does; Mesa 25.0.7 radv_amdgpu_cs.c radv_amdgpu_cs_grow",
    Judge::Model,
);

pub(crate) const TOO_DEEP: Rule = Rule::new(
    "IB-02",
    Severity::Error,
    ChipScope::All,
    "buffer runs itself, or calls nest too deep",
    "A buffer on the graphics queue may call others (one level: IB1 calls IB2); a buffer on a compute queue may call none. A call from the second level, or \
     a chain back to a buffer that is already running, never ends or loses the return address: the engine hangs. A ring does not count as a level: there \
     INDIRECT_BUFFER without CHAIN is how command buffers are started, on every queue. PAL nests COND_INDIRECT_BUFFER and builds loops from it, on compute \
     queues too: there it is a warning, and the model does not follow the call. It is also a warning if COND_EXEC, PRED_EXEC or the predicate may skip a \
     call or chain within the loop, and if REWIND in the loop fetches its packets again: they may have changed.",
    "PAL gfx9CmdUtil.cpp BuildIndirectBuffer, gfxCmdStream.cpp If and While; the rest follows from what the packet or field does; rings: Linux 6.12 amdgpu_ib.c",
    Judge::Model,
);

pub(crate) const BAD_SIZE: Rule = Rule::new(
    "IB-03",
    Severity::Error,
    ChipScope::All,
    "indirect buffer of size zero",
    "The size field of INDIRECT_BUFFER counts dwords in 20 bits and must not be 0. PAL pads an empty buffer to one alignment unit \
                  because zero-size chains are illegal.",
    "PAL gfxCmdStream.cpp ComputeCommandBlockSizes",
    Judge::Model,
)
.words_alone();
