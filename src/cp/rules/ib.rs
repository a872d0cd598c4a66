//! IB: indirect buffers.

use super::{Judge, Rule, Scope};
use crate::cp::Severity;

pub(super) static RULES: &[Rule] = &[CHAIN_NOT_LAST, TOO_DEEP, BAD_SIZE, NO_VALID_BIT];

pub(crate) const CHAIN_NOT_LAST: Rule = Rule {
    code: "IB-01",
    severity: Severity::Error,
    scope: Scope::All,
    title: "chain is not the last packet of its buffer",
    explanation: "INDIRECT_BUFFER with CHAIN = 1 replaces the current buffer: it does not return. Packets behind it never run. Drivers put the chain \
                  into the last four dwords of a buffer. To run another buffer and come back, call it (CHAIN = 0).",
    source: "derived from what the packet or field does; Mesa 25.0.7 radv_amdgpu_cs.c radv_amdgpu_cs_grow",
    judge: Judge::Model,
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
};

pub(crate) const NO_VALID_BIT: Rule = Rule {
    code: "IB-04",
    severity: Severity::Error,
    scope: Scope::All,
    title: "INDIRECT_BUFFER without the VALID bit on a compute queue",
    explanation: "On compute queues bit 23 of the control dword (VALID) must be 1; the microcode engine does not take the packet otherwise.",
    source: "PAL gfx9CmdUtil.cpp BuildIndirectBuffer",
    judge: Judge::Model,
};
