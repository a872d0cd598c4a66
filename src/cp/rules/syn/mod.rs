//! SYN: events, fences, caches and waits.

mod order;
pub(in crate::cp) mod task;

use crate::cp::Severity;
use crate::cp::rules::{ChipScope, Judge, PacketView, Rule, Verdict, WatchedPackets};
use crate::packet::{Event, Opcode, Queue};
use crate::plurals::counted;
use alloc::format;

const fn on(opcodes: &'static [Opcode], judge: fn(&PacketView<'_>) -> Option<Verdict>) -> Judge {
    Judge::Packet { watch: WatchedPackets::Opcodes(opcodes), judge }
}

const EVENT: &[Opcode] = &[Opcode::EVENT_WRITE];
const RELEASE: &[Opcode] = &[Opcode::RELEASE_MEM];
const ACQUIRE: &[Opcode] = &[Opcode::ACQUIRE_MEM];

/// Packets that may wait for an engine which compute queues do not have.
const COMPUTE_SYNC: &[Opcode] =
    &[Opcode::PFP_SYNC_ME, Opcode::EVENT_WRITE, Opcode::WAIT_REG_MEM, Opcode::WAIT_REG_MEM64, Opcode::WRITE_DATA, Opcode::COPY_DATA];

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    Rule::new(
        "SYN-01",
        Severity::Error,
        ChipScope::All,
        "timestamp event in EVENT_WRITE",
        "Timestamp events write a fence at the pipe end; EVENT_WRITE has no fence to write, and the pipe hangs.",
        "PAL gfx9CmdUtil.cpp BuildNonSampleEventWrite",
        on(EVENT, timestamp_event),
    )
    .words_alone(),
    Rule::new(
        "SYN-02",
        Severity::Error,
        ChipScope::All,
        "RELEASE_MEM with an event or index that it does not accept",
        "RELEASE_MEM accepts end-of-pipe timestamp events with index 5, and PS_DONE or CS_DONE with index 6.",
        "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
        on(RELEASE, release_event),
    )
    .words_alone(),
    Rule::new(
        "SYN-03",
        Severity::Error,
        ChipScope::UP_TO_GFX115,
        "shader-done release with a cache action or without data",
        "PS_DONE and CS_DONE are signalled before caches are flushed: up to GFX11.5 such a release must have no cache action, and it must write something. \
         PAL lets it write 32 or 64 bits, radeonsi also dwords of GDS; other data is a warning. On compute queues all of it is PAL's practice and no limit \
         of the hardware: a warning there. With pixel wait sync, which counts the event, Mesa sends such a release without data, which PAL does not accept: \
         it has severity info.",
        "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal; Mesa 2021 si_state_streamout.c gfx10_emit_streamout_end (GDS); Mesa 2025 ac_emit_cp_release_mem_pws (pixel \
         wait sync)",
        on(RELEASE, shader_done_release),
    )
    .words_alone(),
    Rule::new(
        "SYN-04",
        Severity::Error,
        ChipScope::GFX9,
        "release without ZPASS_DONE right before it",
        "On the graphics queue of GFX9 each end-of-pipe timestamp must directly follow an EVENT_WRITE ZPASS_DONE (21, index 1, with a scratch \
         address) or PIXEL_PIPE_STAT_DUMP (57), or the DB hangs. Packets that PFP alone executes (chains, calls, COND_EXEC, PRED_EXEC, REWIND) do not come \
         between them; packets that may not run, by a condition that the model does not know, are a warning. Whether a WRITE_DATA, COPY_DATA, DMA_DATA \
         or WAIT_REG_MEM that PFP executes (engine_sel) does, no source says: a warning.",
        "Mesa 25.0.7 radv_cs.c, radeonsi si_fence.c; PAL 2023-11 waDummyZpassDoneBeforeTs",
        on(RELEASE, no_zpass_done),
    )
    .not_in_rings(),
    Rule::new(
        "SYN-05",
        Severity::Error,
        ChipScope::All,
        "fence with a bad address",
        "A release that writes data needs an address, aligned to what it writes: 4 bytes for 32 bits, 8 bytes for 64 bits and clocks.",
        "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
        on(RELEASE, fence_address),
    )
    .words_alone(),
    Rule::new(
        "SYN-06",
        Severity::Error,
        ChipScope::UP_TO_GFX103,
        "RELEASE_MEM bits of GFX11 on an older generation",
        "GLK_INV (bit 30), PWS_ENABLE (bit 31) and GCR bit 12 (dword bit 24) exist only on GFX11 and later.",
        "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal",
        on(RELEASE, newer_release_bits),
    )
    .words_alone(),
    Rule::new(
        "SYN-07",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "ACQUIRE_MEM with CB or DB action",
        "From GFX11 on the colour and depth caches are flushed by events only; the action bits 25 and 26 of CP_COHER_CNTL must be 0.",
        "PAL gfx9CmdUtil.cpp; Mesa 25.0.7 si_cp_utils.c",
        on(ACQUIRE, color_depth_action),
    )
    .words_alone(),
    Rule::new(
        "SYN-08",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "pixel wait sync at a stage that hangs",
        "Cache actions of a pixel-wait-sync acquire work at the stages CP_PFP and CP_ME only, the numbers 4 and 5; the stage PRE_COLOR hangs GFX11.",
        "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws; Mesa 25.0.7 si_cp_utils.c",
        on(ACQUIRE, wait_sync_stage),
    )
    .words_alone(),
    Rule::new(
        "SYN-09",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "pixel wait sync on a compute queue",
        "Pixel wait sync counts events of the graphics pipe; a compute queue has none. pws_count has 6 bits: a count above 63 cannot be encoded, so no \
         stream can show this mistake.",
        "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws",
        on(&[Opcode::ACQUIRE_MEM, Opcode::RELEASE_MEM], wait_sync_on_compute),
    ),
    Rule::new(
        "SYN-10",
        Severity::Warning,
        // Navi3x and Phoenix: not GFX11.5.
        ChipScope::Generations(0b00_1000),
        "flush event that GFX11 must replace",
        "CACHE_FLUSH_AND_INV_EVENT, FLUSH_AND_INV_DB_META, DB_CACHE_FLUSH_AND_INV, CACHE_FLUSH and CACHE_FLUSH_TS can hang Navi3x and Phoenix: PAL sends \
         CACHE_FLUSH_AND_INV_TS_EVENT instead. FLUSH_AND_INV_CB_META is not among them.",
        "PAL 04/2025 waReplaceEventsWithTsEvents",
        on(&[Opcode::EVENT_WRITE, Opcode::RELEASE_MEM], replaced_event),
    ),
    Rule::new(
        "SYN-11",
        Severity::Warning,
        ChipScope::All,
        "event index does not match the event",
        "EVENT_WRITE carries an index that names the kind of the event to the firmware. With a wrong index the event is handled as another kind.",
        "PAL gfx9CmdUtil.cpp VgtEventIndex",
        on(EVENT, event_index),
    ),
    Rule::new(
        "SYN-12",
        Severity::Error,
        ChipScope::All,
        "sample event without an address, or with a bad one",
        "Sample events write counters to memory: the packet has 4 dwords and an address that is a multiple of 8. Other events have 2 dwords. \
         PIXEL_PIPE_STAT_CONTROL has 4 dwords as well; what it selects takes the place of the address.",
        "PAL gfx9CmdUtil.cpp BuildSampleEventWrite",
        on(EVENT, sample_address),
    )
    .words_alone(),
    Rule::new(
        "SYN-13",
        Severity::Error,
        ChipScope::All,
        "event index that compute does not accept",
        "A compute queue accepts event indices 0, 2 and 4, on GFX11 also 8 to 11.",
        "PAL gfx9_plus_merged_f32_mec_pm4_packets.h",
        on(EVENT, compute_event_index),
    )
    .words_alone(),
    Rule::new(
        "SYN-14",
        Severity::Error,
        ChipScope::All,
        "graphics synchronization on a compute queue",
        "A compute queue has one engine: PFP_SYNC_ME, waits on PFP (engine_sel) and events of the graphics pipe never finish there. The bits of engine_sel are \
         reserved in WRITE_DATA and COPY_DATA; RADV (until 2025) sent WRITE_DATA with them, which is a warning.",
        "PAL gfx9CmdUtil.cpp; Linux 6.12 gfx_v9_0.c; Mesa 2025 radv write_event",
        on(COMPUTE_SYNC, graphics_sync_on_compute),
    )
    .words_alone(),
    Rule::new(
        "SYN-15",
        Severity::Warning,
        ChipScope::Generations(0b00_0111),
        "CS_PARTIAL_FLUSH on a compute queue with old firmware",
        "Older compute firmware returns from CS_PARTIAL_FLUSH before waves that were saved and restored are done. The rule applies only where the caller has \
         stated the MEC version.",
        "PAL gfx9CmdUtil.cpp CanUseCsPartialFlush",
        on(EVENT, early_partial_flush),
    ),
    Rule::new(
        "SYN-16",
        Severity::Warning,
        ChipScope::FROM_GFX10,
        "write-back of GLK and GL2 without an order",
        "When GLK and GL2 are both written back, SEQ must be 1 (forward), or GL2 is written back before what GLK puts into it.",
        "PAL gfx9CmdUtil.cpp",
        on(ACQUIRE, unordered_write_back),
    ),
    Rule::new(
        "SYN-17",
        Severity::Warning,
        ChipScope::FROM_GFX10,
        "cache operation on a large or inconsistent range",
        "A cache operation on everything has base 0 and a size of all ones: all ones with another base is neither a full nor a sensible range. Ranged \
         operations \
         (GL1_RANGE or GL2_RANGE = 2) are for ranges up to 64 KiB: larger ones walk the range line by line, and over all of memory they fault.",
        "PAL gfx9CmdUtil.cpp",
        on(ACQUIRE, odd_range),
    ),
    UNSATISFIED,
    UNWAITED,
    NOT_SYNCED,
    REGISTER_WAIT,
    Rule::new(
        "SYN-22",
        Severity::Info,
        ChipScope::All,
        "CB metadata flush requested from ACQUIRE_MEM",
        "ACQUIRE_MEM has no action for the metadata of colour targets, even if CP_COHER_CNTL names the colour block: FLUSH_AND_INV_CB_META flushes it. From \
         GFX11 on the colour action itself is gone as well (SYN-07).",
        "PAL gfx9CmdUtil.cpp CanUseAcquireMem",
        on(ACQUIRE, metadata_in_acquire),
    ),
    Rule::new(
        "SYN-23",
        Severity::Warning,
        ChipScope::All,
        "flush of graphics caches on a compute queue",
        "CB and DB belong to the graphics pipe; a compute queue cannot flush them.",
        "PAL gfx9CmdUtil.cpp",
        on(ACQUIRE, graphics_caches_on_compute),
    ),
    order::RINGS_IN_USE,
    order::OPAQUE_COUNT,
    order::ORDERED_IDS,
    task::UNPAIRED,
    task::NO_STATE,
    task::ZERO_COUNT,
    IDLE_WAIT,
];

pub(crate) use task::{UNPAIRED, ZERO_COUNT, hangs_from_zero};

pub(crate) const UNSATISFIED: Rule = Rule::new(
    "SYN-18",
    Severity::Error,
    ChipScope::All,
    "wait that nothing satisfies",
    "The model runs all queues side by side until none can continue. A wait on memory that the caller has mapped hangs the queue if no packet that is left in \
     any queue satisfies it; waits of several queues may form a circle. Where the memory has held what the wait asks for, and another engine has written over \
     it, whether the wait ends or hangs depends on timing: a warning. It is also a warning where draws or dispatches have run before, because their shaders \
     may write the value. This reason does not count where a release has written this memory. Unless all memory is said to be mapped, the CPU or an engine \
     outside of the run may write memory that is not mapped. So a wait of one queue on memory that is not mapped and that packets have written is a warning: \
     the CPU may set an event that the stream has reset, and another engine may raise a timeline that it shares with the queue. The same holds for the valid \
     bit of REWIND. A wait on memory of the application, which no packet has written, counts as satisfied, with a finding of severity info. So does REWIND in \
     a buffer without an address, because the model cannot see who sets its valid bit. Where the streams are parts of longer ones, a packet that is not there \
     may write the value: a warning. It is a warning as well where mesh work waits for task work, and no queue of the run has any: its queue may not be \
     there. The same holds where the constant engine or the graphics queue waits for the other's counter, and the run has no stream for the other.",
    "no source states it; it follows from what the packet or field does",
    Judge::Model,
);

pub(crate) const UNWAITED: Rule = Rule::new(
    "SYN-19",
    Severity::Info,
    ChipScope::All,
    "fence without a wait",
    "A fence that is written and never waited for costs time without a benefit, unless the CPU reads it. A wait without a need is SYN-30.",
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

pub(crate) const NOT_SYNCED: Rule = Rule::new(
    "SYN-20",
    Severity::Error,
    ChipScope::All,
    "PFP reads what ME or the end of the pipe writes, without waiting for it",
    "PFP fetches ahead of ME: indirect arguments, called buffers, LOAD data and conditions are read before ME has executed the earlier packets. What ME writes \
     must be waited for with PFP_SYNC_ME, or with a WAIT_REG_MEM or an ACQUIRE_MEM on PFP. A DMA_DATA without CP_SYNC continues past all of them: only a \
     DMA_DATA with CP_SYNC waits for it, or a RELEASE_MEM with WAIT_DMA (GFX10) or WAIT_SYNC (GFX11 and later, on GFX11 with PFP firmware 2150) for which \
     something waits. RELEASE_MEM and events do not delay the packets after them; drivers wait with WAIT_REG_MEM for what these packets \
     write. If PFP has waited only for ME, and nothing has waited for the end of the pipe, the read is a warning. A DMA_DATA without a destination only reads \
     into the cache, and is not judged. What shaders write is not followed.",
    "Linux 6.12 gfx_v9_0.c; Mesa 25.0.7 radv_cs_emit_cache_flush (RELEASE_MEM, then WAIT_REG_MEM), 2025 ac_emit_cp_acquire_mem; PAL 04/2025 BuildReleaseMemInternal (WAIT_SYNC = waitCpDma); \
     the warning follows from what the packets do",
    Judge::Model,
);

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

fn event(view: &PacketView<'_>) -> (Event, u32) {
    (Event(view.bits(0, 0, 5) as u8), view.bits(0, 8, 11))
}

fn name(view: &PacketView<'_>, event: Event) -> &'static str {
    event.name(view.gfx()).unwrap_or("an unknown event")
}

fn timestamp_event(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    event.is_timestamp(view.gfx()).then(|| {
        Verdict::new(format!("{} ({}) is a timestamp event: EVENT_WRITE has no fence for it and the pipe hangs", name(view, event), event.0))
            .field("event_type")
            .help("send it with RELEASE_MEM, index 5")
    })
}

fn is_done(view: &PacketView<'_>, event: Event) -> bool {
    event.is_shader_done(view.gfx())
}

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

fn shader_done_release(view: &PacketView<'_>) -> Option<Verdict> {
    let (_, index) = event(view);
    let caches = view.bits(0, 12, if view.gfx().major() >= 11 { 24 } else { 23 });
    let select = view.bits(1, 29, 31);
    // radeonsi stores counters of GDS with such a release (NGG streamout).
    let writes = matches!(select, 1 | 2) || select == GDS && view.gfx().version() < (12, 0);
    (index == 6 && (caches != 0 || !writes)).then(|| {
        let what = if caches != 0 { format!("cache actions 0x{caches:x}") } else { format!("data_sel {select}") };
        // PAL excludes cache actions and a release without data; of clocks no source says anything.
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

/// data_sel: dwords of GDS.
const GDS: u32 = 5;

fn no_zpass_done(view: &PacketView<'_>) -> Option<Verdict> {
    let (_, index) = event(view);
    let dumped = view.history.last_event.is_some_and(|event| Event(event).is_depth_counter_dump());
    let between = view.history.pfp_since_event;
    if view.queue() != Queue::Graphics || index != 5 || dumped && !between || view.history.packet_lost {
        return None;
    }
    let verdict = if view.history.packet_doubted {
        Verdict::new(
            "packets that may not run, by a condition that the model does not know, come between the EVENT_WRITE and the release: GFX9 hangs if they do",
        )
        .severity(Severity::Warning)
    } else if dumped {
        Verdict::new("PFP executes a packet between the EVENT_WRITE and the release: whether ME sees it is not known, and GFX9 hangs if it comes between them")
            .severity(Severity::Warning)
    } else {
        Verdict::new("the packet before the release is not an EVENT_WRITE ZPASS_DONE or PIXEL_PIPE_STAT_DUMP: GFX9 hangs")
    };
    Some(verdict.help("put EVENT_WRITE ZPASS_DONE (21, index 1) with a scratch address right before it"))
}

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

fn newer_release_bits(view: &PacketView<'_>) -> Option<Verdict> {
    // On GFX9 bits 29:28 and up of a compute queue mean other things; these three do not.
    let bits = view.word(0) & (1 << 30 | 1 << 31 | 1 << 24);
    (bits != 0)
        .then(|| Verdict::new(format!("bits 0x{bits:08x} of the event dword belong to GFX11 and later")).help("clear them; flush through ACQUIRE_MEM instead"))
}

fn is_wait_sync(view: &PacketView<'_>) -> bool {
    view.word(5) >> 31 == 1
}

fn color_depth_action(view: &PacketView<'_>) -> Option<Verdict> {
    let bits = view.word(0) & GRAPHICS_CACHES;
    (bits != 0 && !is_wait_sync(view)).then(|| {
        Verdict::new(format!("coher_cntl has bits 0x{bits:08x}: CB and DB action no longer exist here"))
            .field("coher_cntl")
            .help("flush CB and DB with a RELEASE_MEM event")
    })
}

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

fn wait_sync_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    let asks = match view.packet().opcode()? {
        Opcode::RELEASE_MEM => view.word(0) >> 31 == 1,
        _ => is_wait_sync(view),
    };
    (view.queue() == Queue::Compute && asks).then(|| Verdict::new("pixel wait sync on a compute queue: it has no pixels to wait for").help("use a fence"))
}

fn replaced_event(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    let write = view.packet().opcode() == Some(Opcode::EVENT_WRITE);
    let name = event.name(view.gfx())?;
    let flush = write && matches!(name, "FLUSH_AND_INV_DB_META" | "DB_CACHE_FLUSH_AND_INV" | "CACHE_FLUSH" | "CACHE_FLUSH_AND_INV_EVENT");
    (flush || name == "CACHE_FLUSH_TS")
        .then(|| Verdict::new(format!("{name}: this chip may hang with it")).field("event_type").help("send CACHE_FLUSH_AND_INV_TS_EVENT with RELEASE_MEM"))
}

fn event_index(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, index) = event(view);
    let right = event.index(view.gfx())?;
    // SYN-01 and SYN-13 judge these.
    if event.is_timestamp(view.gfx()) || u32::from(right) == index {
        return None;
    }
    Some(
        Verdict::new(format!("{} has index {index}, but needs index {right}", name(view, event)))
            .field("event_index")
            .help(format!("write {right} into bits 11:8")),
    )
}

fn sample_address(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    let dwords = view.packet().dwords();
    // It has settings where samples have an address: ENC-12 judges their bits.
    if event == Event::PIXEL_PIPE_STAT_CONTROL {
        return (dwords != 4).then(|| {
            Verdict::new(format!("{} selects counters with dwords 2 and 3, and the packet has {}", name(view, event), counted(dwords, "dword")))
                .field("event_type")
                .help("give the packet 4 dwords: counter_id, stride and instance_enable in dword 2, the rest of instance_enable in dword 3")
        });
    }
    let text = match (event.is_sample(view.gfx()), dwords) {
        (true, 4) if !view.word(1).is_multiple_of(8) => {
            format!("{} writes to an address that ends in 0x{:x}, and needs a multiple of 8", name(view, event), view.word(1) & 7)
        }
        (true, 4) => return None,
        (true, _) => format!("{} writes counters, but the packet has no address", name(view, event)),
        (false, 4) => format!("{} writes nothing, but the packet has an address", name(view, event)),
        _ => return None,
    };
    let field = if dwords == 4 { "address_lo" } else { "event_type" };
    Some(Verdict::new(text).field(field).help("give a sample event 4 dwords and an address that is a multiple of 8, and other events 2 dwords"))
}

fn compute_event_index(view: &PacketView<'_>) -> Option<Verdict> {
    let (_, index) = event(view);
    let taken = matches!(index, 0 | 2 | 4) || view.gfx().major() == 11 && (8..=11).contains(&index);
    (view.queue() == Queue::Compute && !taken).then(|| {
        Verdict::new(format!("event index {index}, which compute queues do not accept")).field("event_index").help(match view.gfx().major() {
            11 => "use index 0, 2, 4 or 8 to 11",
            _ => "use index 0, 2 or 4",
        })
    })
}

/// engine_sel of a wait: PFP.
fn is_pfp_wait(view: &PacketView<'_>) -> bool {
    view.bits(0, 8, 9) == 1
}

/// engine_sel of WRITE_DATA and COPY_DATA: PFP.
fn is_pfp_write(view: &PacketView<'_>) -> bool {
    view.bits(0, 30, 31) == 1
}

/// Bits of the first dword after the header that compute queues do not have and that SYN-14 or SYN-23 reports: ENC-12 need not.
pub(in crate::cp::rules) fn reported_on_compute(view: &PacketView<'_>) -> u32 {
    match view.packet().opcode() {
        _ if view.queue() != Queue::Compute => 0,
        Some(Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64) if is_pfp_wait(view) => 1 << 8,
        Some(Opcode::WRITE_DATA | Opcode::COPY_DATA) if is_pfp_write(view) => 1 << 30,
        Some(Opcode::ACQUIRE_MEM) => GRAPHICS_CACHES,
        _ => 0,
    }
}

fn graphics_sync_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    if view.queue() != Queue::Compute {
        return None;
    }
    let (event, _) = event(view);
    let text = match view.packet().opcode()? {
        Opcode::PFP_SYNC_ME => "PFP_SYNC_ME on a compute queue: there is no ME to wait for, and the engine hangs".into(),
        Opcode::EVENT_WRITE if matches!(event.0, 15 | 16 | 36) => format!("{} waits for graphics work, and a compute queue has none", name(view, event)),
        Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64 if is_pfp_wait(view) => {
            return Some(Verdict::new("a wait on PFP on a compute queue, which has none: it never ends").help("set engine_sel to 0: MEC waits itself"));
        }
        // RADV has sent such writes, until 2025.
        Opcode::WRITE_DATA | Opcode::COPY_DATA if is_pfp_write(view) => {
            let verdict = Verdict::new("engine_sel is PFP on a compute queue, which has none: what the bits do there is not known").field("engine_sel");
            return Some(verdict.severity(Severity::Warning).help("set engine_sel to 0"));
        }
        _ => return None,
    };
    Some(Verdict::new(text).help("leave the packet out on compute queues; CS_PARTIAL_FLUSH is what they have"))
}

fn early_partial_flush(view: &PacketView<'_>) -> Option<Verdict> {
    let needs = match view.gfx().version() {
        (9, _) => 52,
        (10, 1) => 32,
        _ => 35,
    };
    let has = view.options.firmware.mec.filter(|has| *has < needs)?;
    let (event, _) = event(view);
    (view.queue() == Queue::Compute && event.0 == 7).then(|| {
        Verdict::new(format!("CS_PARTIAL_FLUSH may return too early with MEC firmware {has}: it needs version {needs} or newer"))
            .field("event_type")
            .help("wait for a fence of RELEASE_MEM instead")
    })
}

fn unordered_write_back(view: &PacketView<'_>) -> Option<Verdict> {
    let gcr = view.word(6);
    (view.packet().body.len() == 7 && gcr >> 6 & 1 == 1 && gcr >> 15 & 1 == 1 && gcr >> 16 & 3 != 1)
        .then(|| Verdict::new(format!("GLK and GL2 are both written back, and SEQ is {}", gcr >> 16 & 3)).field("gcr_cntl").help("set SEQ (bits 17:16) to 1"))
}

/// GL1_RANGE and GL2_RANGE of GCR_CNTL: the operation is for the range of the packet.
const RANGED: u32 = 2;

/// Largest range of a ranged operation, in bytes (PAL gfx9CmdUtil.cpp UseRangeBasedGcr).
const MOST_RANGED: u64 = 64 << 10;

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

fn metadata_in_acquire(view: &PacketView<'_>) -> Option<Verdict> {
    // CP_COHER_CNTL: CB_ACTION_ENA 25; CB0 to CB7_DEST_BASE_ENA 13:6.
    let (action, targets) = (view.bits(0, 25, 25), view.bits(0, 6, 13));
    let wait_sync = view.gfx().major() >= 11 && is_wait_sync(view);
    // The action of GFX11 and later is SYN-07's.
    let asked = targets != 0 || action != 0 && view.gfx().major() < 11;
    (view.queue() == Queue::Graphics && !wait_sync && asked).then(|| {
        Verdict::new("coher_cntl names the colour block or its targets: their metadata is not flushed by this packet")
            .field("coher_cntl")
            .help("send EVENT_WRITE FLUSH_AND_INV_CB_META (46) for the metadata")
    })
}

/// CB_ACTION_ENA and DB_ACTION_ENA of CP_COHER_CNTL.
const GRAPHICS_CACHES: u32 = 0b11 << 25;

fn graphics_caches_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    let bits = view.word(0) & GRAPHICS_CACHES;
    (view.queue() == Queue::Compute && bits != 0).then(|| {
        Verdict::new(format!("coher_cntl has bits 0x{bits:08x}: a compute queue has no CB or DB to flush")).field("coher_cntl").help("clear bits 25 and 26")
    })
}
