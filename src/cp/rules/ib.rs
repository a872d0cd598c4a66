//! IB: indirect buffers.

use super::{Judge, On, PacketView, Rule, Scope, Verdict};
use crate::cp::Severity;
use crate::packet::Opcode;
use alloc::format;

const IB: On = On::Opcodes(&[Opcode::INDIRECT_BUFFER]);

pub(super) static RULES: &[Rule] = &[
    CHAIN_NOT_LAST,
    TOO_DEEP,
    BAD_SIZE,
    NO_VALID_BIT,
    Rule::new(
        "IB-05",
        Severity::Warning,
        Scope::All,
        "buffer length is not a multiple of 8 dwords",
        "The kernel reports an alignment for buffers (8 dwords on these rings) and rejects others. Drivers pad with header-only NOPs, 0xffff1000.",
        "Mesa 25.0.7 ac_gpu_info.c ib_size_alignment",
        Judge::Packet { on: IB, judge: unaligned_length },
    ),
    BAD_SPAN,
    Rule::new(
        "IB-07",
        Severity::Error,
        Scope::All,
        "INDIRECT_BUFFER with a VMID",
        "The VMID field belongs to the kernel. From user mode it must be 0; the firmware rejects another value.",
        "PAL gfx9CmdUtil.cpp BuildIndirectBuffer",
        Judge::Packet { on: IB, judge: vmid },
    ),
    Rule::new(
        "IB-08",
        Severity::Info,
        Scope::All,
        "PRED_EXEC outside of a called buffer",
        "PRED_EXEC works in indirect buffers only; in a ring it is ignored. What the model runs first may be an indirect buffer of the kernel, so this is a \
         remark.",
        "tinygrad's PM4 notes (one lineage)",
        Judge::Packet { on: On::Opcodes(&[Opcode::PRED_EXEC]), judge: pred_exec_in_ring },
    )
    .quiet(),
];

fn unaligned_length(view: &PacketView<'_>) -> Option<Verdict> {
    let dwords = view.bits(2, 0, 19);
    (view.packet().body.len() == 3 && !dwords.is_multiple_of(8)).then(|| {
        Verdict::new(format!("the buffer has {dwords} dwords, which is no multiple of 8"))
            .field("ib_size")
            .help("pad the buffer with header-only NOPs, 0xffff1000")
    })
}

fn vmid(view: &PacketView<'_>) -> Option<Verdict> {
    let vmid = view.bits(2, 24, 27);
    (view.packet().body.len() == 3 && vmid != 0).then(|| {
        Verdict::new(format!("VMID is {vmid}: the field belongs to the kernel, and the firmware rejects the packet")).field("vmid").help("clear bits 27:24")
    })
}

fn pred_exec_in_ring(view: &PacketView<'_>) -> Option<Verdict> {
    (!view.called).then(|| Verdict::new("PRED_EXEC in a buffer that nothing calls: a ring ignores it").help("put the span into an indirect buffer"))
}

pub(crate) const BAD_SPAN: Rule = Rule {
    code: "IB-06",
    severity: Severity::Error,
    scope: Scope::All,
    title: "conditional span ends inside a packet or behind its buffer",
    explanation: "COND_EXEC and PRED_EXEC skip a number of dwords. When that number is no sum of whole packets of the same buffer, a skip lands on data, which \
                  is then taken for packets.",
    source: "derived from what the packet or field does; Linux 6.12 gfx_v9_0.c gfx_v9_0_ring_emit_init_cond_exec",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const CHAIN_NOT_LAST: Rule = Rule {
    code: "IB-01",
    severity: Severity::Error,
    scope: Scope::All,
    title: "chain is not the last packet of its buffer",
    explanation: "INDIRECT_BUFFER with CHAIN = 1 replaces the current buffer: it does not return. Packets behind it never run. Drivers put the chain \
                  into the last four dwords of a buffer. To run another buffer and come back, call it (CHAIN = 0).",
    source: "derived from what the packet or field does; Mesa 25.0.7 radv_amdgpu_cs.c radv_amdgpu_cs_grow",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const TOO_DEEP: Rule = Rule {
    code: "IB-02",
    severity: Severity::Error,
    scope: Scope::All,
    title: "buffer runs itself, or calls nest too deep",
    explanation: "A buffer on the graphics queue may call others (one level: IB1 calls IB2), a buffer on a compute queue none. A call from the \
                  second level, or a chain back to a buffer that is already running, never ends or loses the return address: the engine hangs.",
    source: "PAL gfx9CmdUtil.cpp BuildIndirectBuffer; derived from what the packet or field does",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const BAD_SIZE: Rule = Rule {
    code: "IB-03",
    severity: Severity::Error,
    scope: Scope::All,
    title: "indirect buffer of size zero",
    explanation: "The size field of INDIRECT_BUFFER counts dwords in 20 bits and must not be 0. PAL pads an empty buffer to one alignment unit \
                  because zero-size chains are illegal.",
    source: "PAL gfxCmdStream.cpp ComputeCommandBlockSizes",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const NO_VALID_BIT: Rule = Rule {
    code: "IB-04",
    severity: Severity::Error,
    scope: Scope::All,
    title: "INDIRECT_BUFFER without the VALID bit on a compute queue",
    explanation: "On compute queues bit 23 of the control dword (VALID) must be 1; the microcode engine does not take the packet otherwise.",
    source: "PAL gfx9CmdUtil.cpp BuildIndirectBuffer",
    judge: Judge::Model,
    quiet: false,
};
