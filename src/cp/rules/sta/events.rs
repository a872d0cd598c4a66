//! Events that must follow draws: after a draw that takes its count from streamout, and after tessellation.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::history::History;
use crate::cp::state::place::Place;
use crate::cp::view::draw_view::DrawView;
use crate::packet::Opcode;
use crate::plurals::counted;
use alloc::format;

pub(crate) const OPAQUE_EVENTS: Rule = Rule::new(
    "STA-17",
    Severity::Warning,
    ChipScope::Erratum(Erratum::OpaqueDrawEvents),
    "draw counted from streamout is not followed by three SQ_NON_EVENTs",
    "A draw with USE_OPAQUE takes its vertex count from streamout. On GFX12 the registers of such a draw must not change within 5 cycles after it. To avoid \
     wrong results, drivers send three SQ_NON_EVENT events after it, before any register write (radeonsi after the RELEASE_MEM that GFX12 may need there). \
     Other draws need none. The rule is judged at the next draw and at the end of the stream.",
    "PAL 04/2025 waDrawOpaqueSqNonEvents; Mesa 25.0.7 radv_CmdDrawIndirectByteCountEXT; Mesa 2026 si_emit_draw_packets",
    Judge::Draw(non_events),
)
.not_in_rings();

fn non_events(view: &DrawView<'_>) -> Option<Verdict> {
    opaque_events(view.history()).map(|(draw, verdict)| verdict.note("the draw with USE_OPAQUE", Some(draw)))
}

/// The number of SQ_NON_EVENTs after a draw that takes its count from streamout.
const OPAQUE_EVENT_COUNT: u32 = 3;

/// Returns the last draw and the verdict if the draw takes its count from streamout and too few events follow it.
pub(crate) fn opaque_events(history: &History) -> Option<(Place, Verdict)> {
    let draw = history.opaque.filter(|_| history.events_in_time() < OPAQUE_EVENT_COUNT)?;
    let until = if history.opaque_written.is_some() { " before a register is written" } else { "" };
    let text =
        format!("{} after the draw that takes its count from streamout{until}: drivers send three", counted(history.events_in_time(), "SQ_NON_EVENT event"));
    Some((draw, Verdict::new(text).help("send three EVENT_WRITE SQ_NON_EVENT (38) directly after the draw")))
}

pub(super) const OPAQUE_COUNT: Rule = Rule::new(
    "STA-23",
    Severity::Warning,
    ChipScope::All,
    "USE_OPAQUE with an index count",
    "A draw that takes its count from streamout has an index count of 0.",
    "PAL gfx9CmdUtil.cpp BuildDrawIndexAuto",
    Judge::on_opcodes(&[Opcode::DRAW_INDEX_AUTO], opaque_count),
);

fn opaque_count(view: &PacketView<'_>) -> Option<Verdict> {
    (view.bits(1, 6, 6) == 1 && view.word(0) != 0)
        .then(|| Verdict::new(format!("USE_OPAQUE takes the count from streamout, and index_count is {}", view.word(0))).field("index_count").help("write 0"))
}

pub(crate) const NO_NON_EVENT: Rule = Rule::new(
    "STA-18",
    Severity::Warning,
    ChipScope::Erratum(Erratum::TessellationEnd),
    "nothing follows tessellation",
    "GFX11 and GFX11.5 can hang when the last workgroup of tessellation has sent its factors by message (all_tf0, all_tf1), and neither a workgroup nor an \
     event comes after it. PAL and radeonsi end each command buffer that tessellates with an SQ_NON_EVENT; any event does. No stream shows whether shaders \
     send the message (it is optional): a warning. The rule is judged at the end of the stream: later draws and events of the queue count.",
    "PAL 04/2025 waAddPostambleEvent (Navi3x, Phoenix, Phoenix2, Strix1, Strix Halo; gfx9UniversalCmdBuffer.cpp); Mesa 25.0.7 si_gfx_cs.c, \
     ac_nir_lower_tess_io_to_mem.c",
    Judge::Model,
)
.not_in_rings();
