//! Events: their index, what they write, and where they may be sent.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::syn::fields::{EVENT, RELEASE, event, name};
use crate::cp::state::finding::Severity;
use crate::packet::{Event, Opcode, Queue};
use crate::plurals::counted;
use alloc::format;

pub(super) const TIMESTAMP_EVENT: Rule = Rule::new(
    "SYN-01",
    Severity::Error,
    ChipScope::All,
    "timestamp event in EVENT_WRITE",
    "Timestamp events write a fence at the pipe end; EVENT_WRITE has no fence to write, and the pipe hangs.",
    "PAL gfx9CmdUtil.cpp BuildNonSampleEventWrite",
    Judge::on_opcodes(EVENT, timestamp_event),
)
.words_alone();

fn timestamp_event(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    event.is_timestamp(view.gfx()).then(|| {
        Verdict::new(format!("{} ({}) is a timestamp event: EVENT_WRITE has no fence for it and the pipe hangs", name(view, event), event.0))
            .field("event_type")
            .help("send it with RELEASE_MEM, index 5")
    })
}

pub(super) const NO_ZPASS_DONE: Rule = Rule::new(
    "SYN-04",
    Severity::Error,
    ChipScope::GFX9,
    "release without ZPASS_DONE right before it",
    "On the graphics queue of GFX9 each end-of-pipe timestamp must directly follow an EVENT_WRITE ZPASS_DONE (21, index 1, with a scratch address) or \
     PIXEL_PIPE_STAT_DUMP (57), or the DB hangs. Packets that PFP alone executes (chains, calls, COND_EXEC, PRED_EXEC, REWIND) do not come between them; \
     packets that may not run, because of a condition unknown to the model, are a warning. No source says whether a WRITE_DATA, COPY_DATA, DMA_DATA or \
     WAIT_REG_MEM that PFP executes (engine_sel) does: a warning.",
    "Mesa 25.0.7 radv_cs.c, radeonsi si_fence.c; PAL 2023-11 waDummyZpassDoneBeforeTs",
    Judge::on_opcodes(RELEASE, no_zpass_done),
)
.not_in_rings();

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

pub(super) const EVENT_INDEX: Rule = Rule::new(
    "SYN-11",
    Severity::Warning,
    ChipScope::All,
    "event index does not match the event",
    "EVENT_WRITE carries an index that names the kind of the event to the firmware. With a wrong index the event is handled as another kind.",
    "PAL gfx9CmdUtil.cpp VgtEventIndex",
    Judge::on_opcodes(EVENT, event_index),
);

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

pub(super) const SAMPLE_ADDRESS: Rule = Rule::new(
    "SYN-12",
    Severity::Error,
    ChipScope::All,
    "sample event without an address, or with a bad one",
    "Sample events write counters to memory: the packet has 4 dwords and an address that is a multiple of 8. Other events have 2 dwords. \
     PIXEL_PIPE_STAT_CONTROL has 4 dwords as well; its selection is stored in place of the address.",
    "PAL gfx9CmdUtil.cpp BuildSampleEventWrite",
    Judge::on_opcodes(EVENT, sample_address),
)
.words_alone();

fn sample_address(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    let dwords = view.packet().dwords();
    // It holds settings where samples hold an address: ENC-12 judges their bits.
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

pub(super) const COMPUTE_EVENT_INDEX: Rule = Rule::new(
    "SYN-13",
    Severity::Error,
    ChipScope::All,
    "event index that compute does not accept",
    "A compute queue accepts event indices 0, 2 and 4, on GFX11 also 8 to 11.",
    "PAL gfx9_plus_merged_f32_mec_pm4_packets.h",
    Judge::on_opcodes(EVENT, compute_event_index),
)
.words_alone();

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

pub(super) const REPLACED_EVENT: Rule = Rule::new(
    "SYN-10",
    Severity::Warning,
    // Navi3x and Phoenix: not GFX11.5.
    ChipScope::Generations(0b00_1000),
    "flush event that GFX11 must replace",
    "CACHE_FLUSH_AND_INV_EVENT, FLUSH_AND_INV_DB_META, DB_CACHE_FLUSH_AND_INV, CACHE_FLUSH and CACHE_FLUSH_TS can hang Navi3x and Phoenix: PAL sends \
     CACHE_FLUSH_AND_INV_TS_EVENT instead. FLUSH_AND_INV_CB_META is not among them.",
    "PAL 04/2025 waReplaceEventsWithTsEvents",
    Judge::on_opcodes(&[Opcode::EVENT_WRITE, Opcode::RELEASE_MEM], replaced_event),
);

fn replaced_event(view: &PacketView<'_>) -> Option<Verdict> {
    let (event, _) = event(view);
    let write = view.packet().opcode() == Some(Opcode::EVENT_WRITE);
    let name = event.name(view.gfx())?;
    let flush = write && matches!(name, "FLUSH_AND_INV_DB_META" | "DB_CACHE_FLUSH_AND_INV" | "CACHE_FLUSH" | "CACHE_FLUSH_AND_INV_EVENT");
    (flush || name == "CACHE_FLUSH_TS")
        .then(|| Verdict::new(format!("{name}: this chip may hang with it")).field("event_type").help("send CACHE_FLUSH_AND_INV_TS_EVENT with RELEASE_MEM"))
}

pub(super) const EARLY_PARTIAL_FLUSH: Rule = Rule::new(
    "SYN-15",
    Severity::Warning,
    ChipScope::Generations(0b00_0111),
    "CS_PARTIAL_FLUSH on a compute queue with old firmware",
    "Older compute firmware returns from CS_PARTIAL_FLUSH before waves that were saved and restored are done. The limits are feature versions: 52 on GFX9, \
     32 on GFX10.1, 35 on GFX10.3. PAL takes the feature version of ME, and asserts that PFP and MEC have the same. The rule applies only where the caller \
     has stated the feature version of ME.",
    "PAL 04/2025 gfx9CmdUtil.cpp CanUseCsPartialFlush, amdgpuDevice.cpp (cpUcodeVersion is the feature version of ME)",
    Judge::on_opcodes(EVENT, early_partial_flush),
);

fn early_partial_flush(view: &PacketView<'_>) -> Option<Verdict> {
    let needs = match view.gfx().version() {
        (9, _) => 52,
        (10, 1) => 32,
        _ => 35,
    };
    let has = view.options.firmware.me_feature.filter(|has| *has < needs)?;
    let (event, _) = event(view);
    (view.queue() == Queue::Compute && event.0 == 7).then(|| {
        Verdict::new(format!("CS_PARTIAL_FLUSH may return too early with firmware of feature version {has}: it needs {needs} or newer"))
            .field("event_type")
            .help("wait for a fence of RELEASE_MEM instead")
    })
}
