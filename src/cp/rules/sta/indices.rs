//! Indices and primitive restart.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::addresses::VGT_INDEX_TYPE;
use crate::cp::state::finding::Severity;
use crate::cp::state::place::Place;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_summary::primitive_restart;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{EffectKinds, Opcode};
use alloc::format;

/// Draws that read indices.
const INDEXED: WatchedPackets = WatchedPackets::Matching(|opcode, chip, _| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::INDEXED));

pub(super) const LOST_INDEX_TYPE: Rule = Rule::new(
    "STA-02",
    Severity::Error,
    ChipScope::All,
    "indexed draw after DRAW_INDEX_AUTO without VGT_INDEX_TYPE",
    "DRAW_INDEX_AUTO overwrites VGT_INDEX_TYPE inside the firmware. The next indexed draw reads indices of the wrong size, or hangs. RADV (25.0.7 and \
     26.2.6) has this mistake on GFX10.3, against its own comment: there it writes the register for the draw without indices and assumes it to be intact \
     afterwards. This code is widely used, so the value that GFX10.3 leaves in the register may be harmless; no source says so.",
    "PAL gfx9UniversalCmdBuffer.cpp; Mesa 25.0.7 radv_cmd_buffer.c (radv_before_draw, radv_emit_draw_registers)",
    Judge::Packet { watch: INDEXED, judge: lost_index_type },
)
.on_work();

fn lost_index_type(view: &PacketView<'_>) -> Option<Verdict> {
    let lost = |draw: &Place| {
        view.registers().state(VGT_INDEX_TYPE) == RegisterState::Loaded && view.registers().origin(VGT_INDEX_TYPE).is_some_and(|o| o.place == *draw)
    };
    let draw = view.history.index_type_lost.filter(lost)?;
    Some(
        Verdict::new("the draw reads indices, but one without indices has overwritten VGT_INDEX_TYPE since it was set: indices of the wrong size, or a hang")
            .register("VGT_INDEX_TYPE")
            .note("the draw without indices", Some(draw))
            .help("write VGT_INDEX_TYPE (0x3090c, index 2) again after the last draw without indices"),
    )
}

pub(super) const EMPTY_INDEX_BUFFER: Rule = Rule::new(
    "STA-03",
    Severity::Error,
    ChipScope::GFX10,
    "indexed draw with an empty index buffer",
    "GFX10.1 hangs when an indexed draw has an index buffer of size 0.",
    "PAL waIndexBufferZeroSize; Mesa 25.0.7 radv_cmd_buffer.c",
    Judge::Packet { watch: INDEXED, judge: empty_index_buffer },
);

fn empty_index_buffer(view: &PacketView<'_>) -> Option<Verdict> {
    let size = match view.packet().opcode()? {
        Opcode::DRAW_INDEX_2 | Opcode::DRAW_INDEX_OFFSET_2 => view.word(0),
        _ => view.history.index_buffer_size?,
    };
    (size == 0).then(|| Verdict::new("the index buffer has size 0: this chip hangs").field("max_size").help("skip the draw, or give it one index"))
}

pub(super) const RESTART: Rule = Rule::new(
    "STA-27",
    Severity::Warning,
    ChipScope::GFX10_AND_103,
    "primitive restart changes without a context write",
    "On GFX10 a change of primitive restart (GE_MULTI_PRIM_IB_RESET_EN.RESET_EN) between draws needs a context roll or an SQ_NON_EVENT.",
    "Mesa 25.0.7 radv_cmd_buffer.c",
    Judge::Draw(restart),
);

fn restart(view: &DrawView<'_>) -> Option<Verdict> {
    let before = view.history().restart?;
    let now = primitive_restart(view)?;
    (before != now && view.roll().source.is_none() && view.history().non_events == 0).then(|| {
        Verdict::new(format!("primitive restart (RESET_EN) changes from {before} to {now} between two draws of one context"))
            .register("GE_MULTI_PRIM_IB_RESET_EN")
            .help("send EVENT_WRITE SQ_NON_EVENT (38) before the draw, or write a context register")
    })
}
