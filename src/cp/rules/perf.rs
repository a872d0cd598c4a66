//! PERF: mistakes that cost time but break nothing. Off by default, because real streams contain many of them.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::rolls::RollSource;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::packet::{Opcode, Queue};
use crate::plurals::counted;
use alloc::format;

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    Rule::new(
        "PERF-01",
        Severity::Info,
        ChipScope::All,
        "redundant register writes",
        "The packet writes only values that its registers hold already. It costs bandwidth, and in the context window a context roll.",
        "Mesa's context-roll tool (ac_gather_context_rolls.c)",
        Judge::Packet { watch: WatchedPackets::Redundant, judge: redundant_packet },
    )
    .off_by_default(),
    Rule::new(
        "PERF-02",
        Severity::Info,
        ChipScope::All,
        "context roll without a change",
        "All context registers written since the previous draw hold the values that they had. The roll still takes one of eight contexts.",
        "Mesa 25.0.7 ac_gather_context_rolls.c",
        Judge::Draw(needless_roll),
    )
    .off_by_default(),
    Rule::new(
        "PERF-03",
        Severity::Info,
        ChipScope::All,
        "all eight contexts are in use",
        "The hardware keeps eight register contexts. A roll beyond them waits until the oldest draw has left the pipe. The model counts a draw as finished \
         only \
         where the stream waits for it, so this is an upper estimate.",
        "Linux 6.12 CP_MAX_CONTEXT = 7",
        Judge::Draw(ninth_context),
    )
    .off_by_default(),
    Rule::new(
        "PERF-04",
        Severity::Info,
        ChipScope::All,
        "ACQUIRE_MEM rolls the context",
        "Except in its pixel-wait-sync form, ACQUIRE_MEM writes context registers inside the firmware. Between draws with the same state it is the only reason \
         for a roll.",
        "Mesa 25.0.7 ac_gather_context_rolls.c",
        Judge::Draw(acquire_roll),
    )
    .off_by_default(),
    Rule::new(
        "PERF-05",
        Severity::Info,
        ChipScope::All,
        "pixel interlock with several samples",
        "Two invocations that touch different samples of a pixel need no order between them. Sample interlock orders fewer waves, where the shader allows it.",
        "POPS article, section Configuring POPS",
        Judge::Draw(pixel_interlock),
    )
    .off_by_default(),
];

fn redundant_packet(view: &PacketView<'_>) -> Option<Verdict> {
    let mut writes = view.packet().writes(view.gfx()).peekable();
    writes.peek()?;
    // With an index, the firmware does more than write the value.
    let indexed = matches!(view.packet().opcode()?, Opcode::SET_SH_REG_INDEX | Opcode::SET_UCONFIG_REG_INDEX);
    let same = !indexed && writes.all(|write| view.registers().holds(write.addr, write.value));
    (same && view.queue() == Queue::Graphics).then(|| Verdict::new("every register of the packet holds its value already").help("filter redundant state"))
}

fn needless_roll(view: &DrawView<'_>) -> Option<Verdict> {
    let roll = view.roll();
    (roll.source == Some(RollSource::Write) && roll.changed == 0 && roll.redundant > 0).then(|| {
        let what = match roll.redundant {
            1 => "1 context register was written with the value that it had".into(),
            more => format!("{more} context registers were written with the values that they had"),
        };
        Verdict::new(format!("{what}: the draw takes a new context unnecessarily")).help("filter redundant state")
    })
}

fn ninth_context(view: &DrawView<'_>) -> Option<Verdict> {
    let roll = view.roll();
    roll.stalls.then(|| {
        Verdict::new(format!("the draw needs a ninth context ({} changed): the front end waits for the oldest draw", counted(roll.changed, "register")))
            .help("sort draws by state, or keep per-draw values in shader registers")
    })
}

fn acquire_roll(view: &DrawView<'_>) -> Option<Verdict> {
    let roll = view.roll();
    (roll.source == Some(RollSource::Acquire) && roll.changed == 0).then(|| {
        Verdict::new("only an ACQUIRE_MEM made the draw take a new context").help("remove the ACQUIRE_MEM if nothing must be flushed between the draws")
    })
}

fn pixel_interlock(view: &DrawView<'_>) -> Option<Verdict> {
    let exposed = view.exposed_samples_log2().filter(FieldState::is_set)?;
    let field = if view.gfx().major() >= 11 { "OVERRIDE_INTRINSIC_RATE" } else { "POPS_OVERLAP_NUM_SAMPLES" };
    let overlap = view.field("DB_SHADER_CONTROL", field)?;
    (view.pops_enabled() && overlap.value() == 0).then(|| {
        Verdict::new(format!("pixel interlock with {} samples: invocations that share no sample wait for each other", 1u32.wrapping_shl(exposed.value())))
            .at(&overlap)
            .help("use sample interlock if the shader keeps its data per sample")
    })
}
