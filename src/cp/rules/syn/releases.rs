//! RELEASE_MEM.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::syn::fields::{GDS, RELEASE, event, is_done, name};
use crate::cp::state::finding::Severity;
use crate::packet::Queue;
use alloc::format;

pub(super) const RELEASE_EVENT: Rule = Rule::new(
    "SYN-02",
    Severity::Error,
    ChipScope::All,
    "RELEASE_MEM with an event or index that it does not accept",
    "RELEASE_MEM accepts end-of-pipe timestamp events with index 5, and PS_DONE or CS_DONE with index 6.",
    "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
    Judge::on_opcodes(RELEASE, release_event),
)
.words_alone();

fn release_event(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, index) = event(view);
    let fits = match index {
        5 => event.is_timestamp(view.gfx()),
        6 => is_done(view, event),
        _ => false,
    };
    (!fits).then(|| {
        Verdict::new(format!(
            "{} ({}) with index {index} is neither an end-of-pipe timestamp (index 5) nor PS_DONE or CS_DONE (index 6)",
            name(view, event),
            event.0
        ))
        .field("event_type")
        .help("use BOTTOM_OF_PIPE_TS or a cache flush timestamp with index 5")
    })
}

pub(super) const SHADER_DONE_RELEASE: Rule = Rule::new(
    "SYN-03",
    Severity::Error,
    ChipScope::UP_TO_GFX115,
    "shader-done release with a cache action or without data",
    "PS_DONE and CS_DONE are signalled before caches are flushed: up to GFX11.5 such a release must have no cache action, and it must write something. PAL \
     lets it write 32 or 64 bits, radeonsi also dwords of GDS; other data is a warning. On compute queues, all of this is PAL's practice and not a limit of \
     the hardware: a warning there. With pixel wait sync, which counts the event, Mesa sends such a release without data, which PAL does not accept: it has \
     severity info.",
    "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal; Mesa 2021 si_state_streamout.c gfx10_emit_streamout_end (GDS); Mesa 2025 ac_emit_cp_release_mem_pws (pixel \
     wait sync)",
    Judge::on_opcodes(RELEASE, shader_done_release),
)
.words_alone();

fn shader_done_release(view: &PacketView<'_>) -> Option<Verdict> {
    let (_, index) = event(view);
    let caches = view.bits(0, 12, if view.gfx().major() >= 11 { 24 } else { 23 });
    let select = view.bits(1, 29, 31);
    // radeonsi stores GDS counters with such a release (NGG streamout).
    let writes = matches!(select, 1 | 2) || select == GDS && view.gfx().version() < (12, 0);
    (index == 6 && (caches != 0 || !writes)).then(|| {
        let what = if caches != 0 { format!("cache actions 0x{caches:x}") } else { format!("data_sel {select}") };
        // PAL excludes cache actions and releases without data; no source says anything about clocks.
        let counted = view.gfx().major() >= 11 && view.bits(0, 31, 31) == 1;
        let (effect, severity) = match (caches != 0, select) {
            _ if view.queue() == Queue::Compute => ("PAL never sends such a release", Severity::Warning),
            (true, _) => ("undefined", Severity::Error),
            (false, 0) if counted => ("Mesa sends it with pixel wait sync (ac_emit_cp_release_mem_pws), and PAL does not accept it", Severity::Info),
            (false, 0) => ("undefined", Severity::Error),
            (false, _) => ("PAL never sends such a release", Severity::Warning),
        };
        Verdict::new(format!("a shader-done release with {what}: {effect}"))
            .severity(severity)
            .field(if caches != 0 { "gcr_cntl" } else { "data_sel" })
            .help("flush caches with an end-of-pipe release, and make a shader-done release write 32 or 64 bits")
    })
}

pub(super) const FENCE_ADDRESS: Rule = Rule::new(
    "SYN-05",
    Severity::Error,
    ChipScope::All,
    "fence with a bad address",
    "A release that writes data needs an address, aligned to what it writes: 4 bytes for 32 bits, 8 bytes for 64 bits and clocks.",
    "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
    Judge::on_opcodes(RELEASE, fence_address),
)
.words_alone();

fn fence_address(view: &PacketView<'_>) -> Option<Verdict> {
    let (select, low, high) = (view.bits(1, 29, 31), view.word(2), view.word(3));
    let destination = view.bits(1, 16, 17);
    let align = if matches!(select, 2..=4) { 8 } else { 4 };
    if select == 0 || destination > 1 || view.packet().body.len() < 4 {
        return None;
    }
    let text = if low == 0 && high == 0 {
        format!("data_sel is {select}, but the address is 0")
    } else if !low.is_multiple_of(align) {
        format!("the fence address ends in 0x{:x}, and data_sel {select} needs a multiple of {align}", low & (align - 1))
    } else {
        return None;
    };
    let field = if select == 1 { "address_lo_32b" } else { "address_lo_64b" };
    Some(Verdict::new(text).field(field).help("give the fence an aligned address of its own, or data_sel = 0"))
}

pub(super) const NEWER_RELEASE_BITS: Rule = Rule::new(
    "SYN-06",
    Severity::Error,
    ChipScope::UP_TO_GFX103,
    "RELEASE_MEM bits of GFX11 on an older generation",
    "GLK_INV (bit 30), PWS_ENABLE (bit 31) and GCR bit 12 (dword bit 24) exist only on GFX11 and later.",
    "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
    Judge::on_opcodes(RELEASE, newer_release_bits),
)
.words_alone();

fn newer_release_bits(view: &PacketView<'_>) -> Option<Verdict> {
    // On GFX9 compute queues, bits 28 and above have other meanings, but these three do not.
    let bits = view.word(0) & (1 << 30 | 1 << 31 | 1 << 24);
    (bits != 0)
        .then(|| Verdict::new(format!("bits 0x{bits:08x} of the event dword belong to GFX11 and later")).help("clear them; flush through ACQUIRE_MEM instead"))
}
