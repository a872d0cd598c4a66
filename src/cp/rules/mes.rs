//! MES: scheduler frames of GFX11 and later. Rules that also apply to PM4 are in their families.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::queues::QueuePacket;
use alloc::format;

pub(in crate::cp::rules) static RULES: &[Rule] = &[FRAME, QUEUE];

const FRAME: Rule = rule(
    "MES-01",
    Severity::Error,
    "header of a frame that is none of MES",
    "All frames have 64 dwords, as their header states, whatever they request. Its type is 1 (the scheduler) and its bits 31:20 are 0: other values are a \
     warning.",
    "Linux 7.1.8 mes_v11_api_def.h, mes_v12_api_def.h (API_FRAME_SIZE_IN_DWORDS, MES_API_TYPE_SCHEDULER)",
);

const QUEUE: Rule = rule(
    "MES-02",
    Severity::Warning,
    "queue without a descriptor or contexts",
    "ADD_QUEUE names the memory queue descriptor of the queue, and the memory in which MES keeps its process and gang. Queues of the kernel that MES only maps have no process.",
    "Linux 7.1.8 mes_v11_0.c mes_v11_0_add_hw_queue, mes_v11_0_map_legacy_queue",
);

const fn rule(code: &'static str, severity: Severity, title: &'static str, explanation: &'static str, source: &'static str) -> Rule {
    Rule::new(code, severity, ChipScope::FROM_GFX11, title, explanation, source, Judge::Model)
}

type MesJudge = fn(&QueuePacket<'_>) -> Option<Verdict>;

/// The frame rules, each with its judge.
pub(in crate::cp) static MES_JUDGES: &[(&Rule, MesJudge)] = &[(&FRAME, frame), (&QUEUE, queue)];

fn frame(packet: &QueuePacket<'_>) -> Option<Verdict> {
    let header = packet.words[0];
    if let Some(defect) = packet.defect() {
        return Some(Verdict::new(format!("{defect}")).field("dwsize").help("write 64 into bits 19:12 of the header, and whole frames of 256 bytes"));
    }
    let warn = |text, help| Some(Verdict::new(text).severity(Severity::Warning).help(help));
    match (header & 0xF, header >> 20) {
        (1, 0) => None,
        (1, reserved) => warn(format!("bits 31:20 of the header hold 0x{reserved:x}: no field is there"), "clear them"),
        (kind, _) => warn(format!("type {kind} of a frame: the frames of the scheduler have type 1"), "write 1 into bits 3:0 of the header"),
    }
}

fn queue(packet: &QueuePacket<'_>) -> Option<Verdict> {
    let value = |field: &str| packet.value(field).unwrap_or(0);
    if packet.name() != "ADD_QUEUE" {
        return None;
    }
    let kernels = value("map_legacy_kq") == 1 || value("map_kiq_utility_queue") == 1;
    let needed = ["mqd_addr", "process_context_addr", "gang_context_addr"].into_iter().take(if kernels { 1 } else { 3 });
    let missing = needed.into_iter().find(|field| value(field) == 0)?;
    Some(Verdict::new(format!("{missing} of the queue is 0")).field(missing).help("write its address"))
}
