//! ENC: packet encoding.

use super::{Judge, Rule, Scope};
use crate::cp::Severity;

pub(super) static RULES: &[Rule] = &[TRUNCATED, TYPE_0_OR_1, TYPE_2];

pub(crate) const TRUNCATED: Rule = Rule {
    code: "ENC-01",
    severity: Severity::Error,
    scope: Scope::All,
    title: "packet extends past the end of its buffer",
    explanation: "The header of a packet says how many dwords follow (bits 29:16 hold that number less 1). When fewer are left in the buffer, the \
                  command processor takes what lies behind the buffer in memory as the rest of the packet, and everything after that as packets: it \
                  hangs or does damage. Either the buffer's length is wrong, or an earlier packet has a wrong count, so that this dword never was a \
                  header.",
    source: "every decoder differs in what follows; Linux 6.12 gfx_v9_0.c illegal opcode interrupt",
    judge: Judge::Model,
};

pub(crate) const TYPE_0_OR_1: Rule = Rule {
    code: "ENC-04",
    severity: Severity::Error,
    scope: Scope::All,
    title: "type 0 or type 1 header",
    explanation: "Bits 31:30 of a header are the packet type. From GFX9 on, command streams consist of type 3 packets (and type 2 fillers on \
                  graphics rings). Type 0 wrote registers on old GPUs, type 1 was never used. Such a word almost always means that the stream is out \
                  of step: an earlier packet has a wrong count, or data was taken for packets.",
    source: "Linux 6.12 nvd.h; derived for GFX9 and later",
    judge: Judge::Model,
};

pub(crate) const TYPE_2: Rule = Rule {
    code: "ENC-05",
    severity: Severity::Info,
    scope: Scope::All,
    title: "type 2 filler",
    explanation: "A type 2 packet is one dword that does nothing. Graphics rings still take it; on compute rings the microcode engine deprecates it, \
                  and drivers pad with type 3 NOPs (header-only: 0xffff1000).",
    source: "Linux 6.12 gfx_v9_0.c gfx_v9_0_ring_funcs_compute nop",
    judge: Judge::Model,
};
