//! Waits and fences, judged during execution.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::packet::Opcode;

pub(crate) const UNSATISFIED: Rule = Rule::new(
    "SYN-18",
    Severity::Error,
    ChipScope::All,
    "wait that nothing satisfies",
    "The model runs all queues side by side until none can continue. A wait on memory that the caller has mapped hangs the queue if no packet that is left \
     in any queue satisfies it; waits of several queues may form a cycle. Where the memory has held what the wait asks for, and another engine has \
     overwritten it, whether the wait ends or hangs depends on timing: a warning. It is also a warning where draws or dispatches have run before, because \
     their shaders may write the value. This reason does not count where a release has written this memory. Unless all memory is said to be mapped, the CPU \
     or an engine outside of the run may write memory that is not mapped. So if one queue waits on memory that is not mapped and that packets have written, \
     it is a warning: the CPU may set an event that the stream has reset, and another engine may raise a timeline that it shares with the queue. The same \
     holds for the valid bit of REWIND. A wait on memory of the application, which no packet has written, counts as satisfied, with a finding of severity \
     info. So does REWIND in a buffer without an address, because the model cannot see who sets its valid bit. If the streams are parts of longer ones, a \
     missing packet may write the value: a warning. It is a warning as well where mesh work waits for task work, and no queue of the run has any: its queue \
     may not be there. The same holds where the constant engine or the graphics queue waits for the other's counter, and the run has no stream for the \
     other.",
    "no source states it; it follows from what the packet or field does",
    Judge::Model,
);

pub(crate) const UNWAITED: Rule = Rule::new(
    "SYN-19",
    Severity::Info,
    ChipScope::All,
    "fence without a wait",
    "A fence that is written and never waited for costs time without a benefit, unless the CPU reads it. SYN-30 reports unnecessary waits.",
    "no source states it; it follows from what the packet or field does",
    Judge::Model,
)
.off_by_default();

pub(crate) const IDLE_WAIT: Rule = Rule::new(
    "SYN-30",
    Severity::Info,
    ChipScope::All,
    "wait without a need",
    "A wait on memory that is true before any packet has written memory costs time without a benefit, unless the CPU or another device writes the value.",
    "no source states it; it follows from what the packet or field does",
    Judge::Model,
)
.off_by_default();

pub(crate) const REGISTER_WAIT: Rule = Rule::new(
    "SYN-21",
    Severity::Error,
    ChipScope::UP_TO_GFX103,
    "wait on a register that nothing sets",
    "Streamout of GFX9 to GFX10.3 waits for CP_STRMOUT_CNTL, which the event SO_VGTSTREAMOUT_FLUSH sets. Without the event between the clearing write \
     and the wait, the queue hangs. A wait on another register that the stream has written is a warning: the hardware may change it.",
    "captures; the rest follows from what the packet or field does",
    Judge::Model,
);

pub(crate) const NOT_SYNCED: Rule = Rule::new(
    "SYN-20",
    Severity::Error,
    ChipScope::All,
    "PFP reads what ME or the end of the pipe writes, without waiting for it",
    "PFP fetches ahead of ME: indirect arguments, called buffers, LOAD data and conditions are read before ME has executed the earlier packets. What ME \
     writes must be waited for with PFP_SYNC_ME, or with a WAIT_REG_MEM or an ACQUIRE_MEM on PFP. A DMA_DATA without CP_SYNC continues past all of them: \
     only a DMA_DATA with CP_SYNC waits for it, or a RELEASE_MEM with WAIT_DMA (GFX10) or WAIT_SYNC (GFX11 and later, on GFX11 with PFP firmware 2150) for \
     which something waits. RELEASE_MEM and events do not delay the packets after them; drivers wait with WAIT_REG_MEM for what these packets write. If PFP \
     has waited only for ME, and nothing has waited for the end of the pipe, the read is a warning. A DMA_DATA without a destination only reads into the \
     cache, and is not judged. Writes of shaders are not followed.",
    "Linux 6.12 gfx_v9_0.c; Mesa 25.0.7 radv_cs_emit_cache_flush (RELEASE_MEM, then WAIT_REG_MEM), 2025 ac_emit_cp_acquire_mem; PAL 04/2025 BuildReleaseMemInternal (WAIT_SYNC = waitCpDma); \
     the warning follows from what the packets do",
    Judge::Model,
);

pub(crate) const EARLY_ARGUMENTS: Rule = Rule::new(
    "SYN-33",
    Severity::Warning,
    ChipScope::All,
    "arguments are read that a shader writes, without a wait for it",
    "An indirect draw or dispatch reads its arguments from memory that a shader of an earlier draw or dispatch of the queue writes. Nothing between them \
     waits for shaders: no CS_PARTIAL_FLUSH or PS_PARTIAL_FLUSH, no wait on memory, no pixel wait sync. The engine reads the old contents. Writes of \
     shaders are known only if the observer of the run makes them in its turn after the draw or dispatch (ModelAccess::write).",
    "no source states it; it follows from what the packets do",
    Judge::Model,
);

pub(super) const HDP_FLUSH: Rule = Rule::new(
    "SYN-34",
    Severity::Info,
    ChipScope::All,
    "wait for a register handshake with all bits",
    "WAIT_REG_MEM with the operation write, wait, write flushes the host data path: it sets the bit of its engine in a request register and waits for the \
     same bit in the answer register. Each engine and the kernel have a bit of their own. With the mask 0xffffffff it waits for the bits of others too, \
     which the kernel's own handshake sets and clears. There is only one source.",
    "Linux 7.1.8 gfx_v11_0_ring_emit_hdp_flush (mask and reference are the bit of the engine)",
    Judge::on_opcodes(&[Opcode::WAIT_REG_MEM], hdp_flush),
)
.not_in_rings();

/// The WAIT_REG_MEM operation that writes a register before it waits for another one.
const WRITES_FIRST: u32 = 1;

fn hdp_flush(view: &PacketView<'_>) -> Option<Verdict> {
    let (space, operation) = (view.bits(0, 4, 5), view.bits(0, 6, 7));
    (space == 0 && operation == WRITES_FIRST && view.word(4) == u32::MAX).then(|| {
        Verdict::new("the mask of a register handshake is 0xffffffff: the wait is for the bits of other engines too")
            .field("mask")
            .help("write the bit of this engine to mask and reference")
    })
}
