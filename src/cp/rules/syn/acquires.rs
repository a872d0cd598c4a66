//! ACQUIRE_MEM: caches, ranges and pixel wait syncs.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::syn::fields::ACQUIRE;
use crate::cp::state::finding::Severity;
use crate::packet::{Opcode, Queue};
use crate::regs::find;
use alloc::format;

/// GL1_RANGE and GL2_RANGE of GCR_CNTL: the operation applies to the range in the packet.
const RANGED: u32 = 2;

/// The largest range of a ranged operation, in bytes (PAL gfx9CmdUtil.cpp UseRangeBasedGcr).
const MOST_RANGED: u64 = 64 << 10;

/// CB_ACTION_ENA and DB_ACTION_ENA of CP_COHER_CNTL.
pub(super) const GRAPHICS_CACHES: u32 = 0b11 << 25;

fn is_wait_sync(view: &PacketView<'_>) -> bool {
    view.word(5) >> 31 == 1
}

pub(super) const COLOR_DEPTH_ACTION: Rule = Rule::new(
    "SYN-07",
    Severity::Error,
    ChipScope::FROM_GFX11,
    "ACQUIRE_MEM with CB or DB action",
    "From GFX11 on the colour and depth caches are flushed by events only; the action bits 25 and 26 of CP_COHER_CNTL must be 0.",
    "PAL gfx9CmdUtil.cpp; Mesa 25.0.7 si_cp_utils.c",
    Judge::on_opcodes(ACQUIRE, color_depth_action),
)
.words_alone();

fn color_depth_action(view: &PacketView<'_>) -> Option<Verdict> {
    let bits = view.word(0) & GRAPHICS_CACHES;
    (bits != 0 && !is_wait_sync(view)).then(|| {
        Verdict::new(format!("coher_cntl has bits 0x{bits:08x}: CB and DB action no longer exist here"))
            .field("coher_cntl")
            .help("flush CB and DB with a RELEASE_MEM event")
    })
}

pub(super) const WAIT_SYNC_STAGE: Rule = Rule::new(
    "SYN-08",
    Severity::Error,
    ChipScope::FROM_GFX11,
    "pixel wait sync at a stage that hangs",
    "Cache actions of a pixel-wait-sync acquire work at the stages CP_PFP and CP_ME only, the numbers 4 and 5; the stage PRE_COLOR hangs GFX11.",
    "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws; Mesa 25.0.7 si_cp_utils.c",
    Judge::on_opcodes(ACQUIRE, wait_sync_stage),
)
.words_alone();

fn wait_sync_stage(view: &PacketView<'_>) -> Option<Verdict> {
    const STAGES: [&str; 8] = ["PRE_DEPTH", "PRE_SHADER", "PRE_COLOR", "PRE_PIX_SHADER", "CP_PFP", "CP_ME", "6 (without a name)", "7 (without a name)"];
    if !is_wait_sync(view) || view.queue() == Queue::Compute {
        return None;
    }
    let (stage, caches) = (view.bits(0, 11, 13), view.bits(6, 0, 18));
    let name = STAGES.get(stage as usize)?;
    let text = if caches != 0 && !matches!(stage, 4 | 5) {
        format!("cache actions 0x{caches:x} at stage {name}: only CP_PFP and CP_ME accept them; at this stage the wait hangs")
    } else if stage == 2 && view.gfx().major() == 11 {
        "stage PRE_COLOR hangs this generation".into()
    } else {
        return None;
    };
    Some(Verdict::new(text).field("pws_stage_sel").help("wait at CP_PFP (4) or CP_ME (5)"))
}

pub(super) const WAIT_SYNC_ON_COMPUTE: Rule = Rule::new(
    "SYN-09",
    Severity::Warning,
    ChipScope::FROM_GFX11,
    "pixel wait sync on a compute queue",
    "Pixel wait sync counts events of the graphics pipe; a compute queue has none. pws_count has 6 bits: a count above 63 cannot be encoded, so no \
     stream can show this mistake.",
    "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws",
    Judge::on_opcodes(&[Opcode::ACQUIRE_MEM, Opcode::RELEASE_MEM], wait_sync_on_compute),
);

fn wait_sync_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    let asks = match view.packet().opcode()? {
        Opcode::RELEASE_MEM => view.word(0) >> 31 == 1,
        _ => is_wait_sync(view),
    };
    (view.queue() == Queue::Compute && asks).then(|| Verdict::new("pixel wait sync on a compute queue: it has no pixels to wait for").help("use a fence"))
}

pub(super) const UNORDERED_WRITE_BACK: Rule = Rule::new(
    "SYN-16",
    Severity::Warning,
    ChipScope::FROM_GFX10,
    "write-back of GLK and GL2 without an order",
    "When GLK and GL2 are both written back, SEQ must be 1 (forward), or GL2 is written back before GLK has written its data to it.",
    "PAL gfx9CmdUtil.cpp",
    Judge::on_opcodes(ACQUIRE, unordered_write_back),
);

fn unordered_write_back(view: &PacketView<'_>) -> Option<Verdict> {
    let gcr = view.word(6);
    (view.packet().body.len() == 7 && gcr >> 6 & 1 == 1 && gcr >> 15 & 1 == 1 && gcr >> 16 & 3 != 1)
        .then(|| Verdict::new(format!("GLK and GL2 are both written back, and SEQ is {}", gcr >> 16 & 3)).field("gcr_cntl").help("set SEQ (bits 17:16) to 1"))
}

pub(super) const ODD_RANGE: Rule = Rule::new(
    "SYN-17",
    Severity::Warning,
    ChipScope::FROM_GFX10,
    "cache operation on a large or inconsistent range",
    "A cache operation on everything has base 0 and a size of all ones: all ones with another base is neither a full nor a sensible range. Ranged \
     operations \
     (GL1_RANGE or GL2_RANGE = 2) are for ranges up to 64 KiB: larger ones walk the range line by line, and over all of memory they fault.",
    "PAL gfx9CmdUtil.cpp",
    Judge::on_opcodes(ACQUIRE, odd_range),
);

fn odd_range(view: &PacketView<'_>) -> Option<Verdict> {
    if view.packet().body.len() != 7 {
        return None;
    }
    let wait_sync = view.gfx().major() >= 11 && is_wait_sync(view);
    let (size, base) = (view.word(1), u64::from(view.word(4)) << 32 | u64::from(view.word(3)));
    // In units of 256 bytes, 128 in the pixel-wait-sync form.
    let bytes = (u64::from(view.word(2) & 0xFF) << 32 | u64::from(size)) * if wait_sync { 128 } else { 256 };
    let ranged = view.bits(6, 2, 3) == RANGED || view.bits(6, 11, 12) == RANGED;
    if ranged && bytes > MOST_RANGED {
        let text = format!("a ranged cache operation on {bytes} bytes: a range has at most {MOST_RANGED} bytes, and a range over all of memory faults");
        return Some(Verdict::new(text).field("gcr_cntl").help("set GL1_RANGE (bits 3:2) and GL2_RANGE (bits 12:11) to 0, all of the cache"));
    }
    (!wait_sync && size == u32::MAX && base != 0).then(|| {
        Verdict::new(format!("coher_size is all ones and the base is 0x{base:x}: neither everything nor a range"))
            .field("coher_base_lo")
            .help("set the base to 0 for the full range")
    })
}

pub(super) const RANGED_CMASK: Rule = Rule::new(
    "SYN-35",
    Severity::Info,
    ChipScope::GFX10_AND_103,
    "ranged cache operation on CMASK with old firmware",
    "Firmware of GFX10 before feature version 28 misinterprets the size of a ranged operation (GL1_RANGE or GL2_RANGE = 2) on CMASK, and the operation can \
     fault beyond the range. PAL makes images with CMASK end with a fragment of pages there, which no stream shows: severity info. The rule looks at the \
     CMASK of the targets that are bound, and applies only where the caller has stated the feature version of ME.",
    "PAL 04/2025 waCmaskImageSyncs (gfx9SettingsLoader.cpp; cpUcodeVersion is the feature version of ME)",
    Judge::on_opcodes(ACQUIRE, ranged_cmask),
);

/// The first ME feature version that supports CMASK ranges.
const KNOWS_CMASK: u32 = 28;

fn ranged_cmask(view: &PacketView<'_>) -> Option<Verdict> {
    let has = view.options.firmware.me_feature.filter(|has| *has < KNOWS_CMASK)?;
    let ranged = view.packet().body.len() == 7 && (view.bits(6, 2, 3) == RANGED || view.bits(6, 11, 12) == RANGED);
    if !ranged {
        return None;
    }
    // Sizes and addresses are in units of 256 bytes, both here and in registers.
    let (size, base) = (u64::from(view.word(2) & 0xFF) << 32 | u64::from(view.word(1)), u64::from(view.word(4)) << 32 | u64::from(view.word(3)));
    let of = |register: &str, target: u32| {
        let first = find(view.gfx(), register)?;
        view.registers().value(first.addr() + target * first.info().stride)
    };
    let inside = |target: &u32| {
        let fast_clear = of("CB_COLOR0_INFO", *target).is_some_and(|info| info >> 13 & 1 == 1);
        let cmask = of("CB_COLOR0_CMASK", *target).zip(of("CB_COLOR0_CMASK_BASE_EXT", *target));
        let cmask = cmask.map(|(low, high)| u64::from(high) << 32 | u64::from(low));
        fast_clear && cmask.and_then(|cmask| cmask.checked_sub(base)).is_some_and(|behind| behind < size)
    };
    let target = (0..8).find(inside)?;
    Some(
        Verdict::new(format!("a ranged operation on the CMASK of target {target}: firmware of feature version {has} can fault behind the range"))
            .field("gcr_cntl")
            .help(format!(
                "set GL1_RANGE (bits 3:2) and GL2_RANGE (bits 12:11) to 0, all of the cache, or use firmware of feature version {KNOWS_CMASK} or newer"
            )),
    )
}

pub(super) const METADATA_IN_ACQUIRE: Rule = Rule::new(
    "SYN-22",
    Severity::Info,
    ChipScope::All,
    "CB metadata flush requested from ACQUIRE_MEM",
    "ACQUIRE_MEM has no action for the metadata of colour targets, even if CP_COHER_CNTL names the colour block: FLUSH_AND_INV_CB_META flushes it. From \
     GFX11 on the colour action itself is gone as well (SYN-07).",
    "PAL gfx9CmdUtil.cpp CanUseAcquireMem",
    Judge::on_opcodes(ACQUIRE, metadata_in_acquire),
);

fn metadata_in_acquire(view: &PacketView<'_>) -> Option<Verdict> {
    // CP_COHER_CNTL: CB_ACTION_ENA 25; CB0 to CB7_DEST_BASE_ENA 13:6.
    let (action, targets) = (view.bits(0, 25, 25), view.bits(0, 6, 13));
    let wait_sync = view.gfx().major() >= 11 && is_wait_sync(view);
    // On GFX11 and later, SYN-07 judges the action.
    let asked = targets != 0 || action != 0 && view.gfx().major() < 11;
    (view.queue() == Queue::Graphics && !wait_sync && asked).then(|| {
        Verdict::new("coher_cntl names the colour block or its targets: their metadata is not flushed by this packet")
            .field("coher_cntl")
            .help("send EVENT_WRITE FLUSH_AND_INV_CB_META (46) for the metadata")
    })
}

pub(super) const GRAPHICS_CACHES_ON_COMPUTE: Rule = Rule::new(
    "SYN-23",
    Severity::Warning,
    ChipScope::All,
    "flush of graphics caches on a compute queue",
    "CB and DB belong to the graphics pipe; a compute queue cannot flush them.",
    "PAL gfx9CmdUtil.cpp",
    Judge::on_opcodes(ACQUIRE, graphics_caches_on_compute),
);

fn graphics_caches_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    let bits = view.word(0) & GRAPHICS_CACHES;
    (view.queue() == Queue::Compute && bits != 0).then(|| {
        Verdict::new(format!("coher_cntl has bits 0x{bits:08x}: a compute queue has no CB or DB to flush")).field("coher_cntl").help("clear bits 25 and 26")
    })
}
