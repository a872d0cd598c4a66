//! Depth-block counters around draws.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::history::counter_dump;
use crate::packet::{Opcode, Queue};

const DUMPS: &[Opcode] = &[Opcode::EVENT_WRITE, Opcode::EVENT_WRITE_ZPASS];

pub(super) const COUNTS_NOTHING: Rule = Rule::new(
    "SYN-31",
    Severity::Warning,
    ChipScope::All,
    "occlusion is counted around draws that count nothing",
    "Two dumps of the depth counters, 8 bytes apart, are the begin and the end of an occlusion query. The draws between them do not count: \
     DB_COUNT_CONTROL.ZPASS_INCREMENT_DISABLE is 1, or from GFX11 on ZPASS_ENABLE is 0. The result of the query is 0. The rule is silent if one of the \
     draws counts, or may count.",
    "no source states it; it follows from what the packet or field does",
    Judge::on_opcodes(DUMPS, counts_nothing),
);

fn counts_nothing(view: &PacketView<'_>) -> Option<Verdict> {
    let (begin, at) = (view.history.occlusion.as_ref()?, counter_dump(view.packet())?);
    let first = begin.draw.filter(|_| at == begin.addr.wrapping_add(8) && !begin.may_count)?;
    Some(
        Verdict::new("the draws since the dump before this one count no samples: the occlusion query has the result 0")
            .register("DB_COUNT_CONTROL")
            .note("the query begins", Some(begin.place))
            .note("the first draw in it", Some(first))
            .help("write ZPASS_ENABLE 1, up to GFX10.3 with ZPASS_INCREMENT_DISABLE 0, before the draws"),
    )
}

pub(super) const NO_STAT_CONTROL: Rule = Rule::new(
    "SYN-32",
    Severity::Info,
    ChipScope::FROM_GFX11,
    "occlusion is counted, and nothing has sent PIXEL_PIPE_STAT_CONTROL",
    "From GFX11 on, drivers state once which render backends count, with the event PIXEL_PIPE_STAT_CONTROL: without it, none does. Nothing in the stream has \
     sent it, but an earlier submission may have, so this has severity info.",
    "Mesa 25.0.7 radv_cmd_buffer.c, si_state.c (preambles); PAL 04/2025 gfx9CmdUtil.cpp",
    Judge::on_opcodes(DUMPS, no_stat_control),
);

fn no_stat_control(view: &PacketView<'_>) -> Option<Verdict> {
    let asked = view.queue() == Queue::Graphics && !view.options.partial && !view.history.counts_backends;
    counter_dump(view.packet()).filter(|_| asked)?;
    Some(
        Verdict::new("the depth counters are dumped, and no PIXEL_PIPE_STAT_CONTROL in the stream says which render backends count")
            .help("send EVENT_WRITE PIXEL_PIPE_STAT_CONTROL (56) with the mask of the render backends in the preamble"),
    )
}
