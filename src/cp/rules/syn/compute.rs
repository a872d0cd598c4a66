//! Synchronization with engines that compute queues lack.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::syn::acquires::GRAPHICS_CACHES;
use crate::cp::rules::syn::fields::{event, name};
use crate::cp::state::finding::Severity;
use crate::packet::{Opcode, Queue};
use alloc::format;

/// Packets that may wait for an engine that compute queues lack.
const COMPUTE_SYNC: &[Opcode] =
    &[Opcode::PFP_SYNC_ME, Opcode::EVENT_WRITE, Opcode::WAIT_REG_MEM, Opcode::WAIT_REG_MEM64, Opcode::WRITE_DATA, Opcode::COPY_DATA];

/// Returns whether the engine_sel of a wait is PFP.
fn is_pfp_wait(view: &PacketView<'_>) -> bool {
    view.bits(0, 8, 9) == 1
}

/// Returns whether the engine_sel of WRITE_DATA or COPY_DATA is PFP.
fn is_pfp_write(view: &PacketView<'_>) -> bool {
    view.bits(0, 30, 31) == 1
}

/// Returns the bits of the first dword after the header that compute queues lack and that SYN-14 or SYN-23 reports, so ENC-12 need not.
pub(in crate::cp::rules) fn reported_on_compute(view: &PacketView<'_>) -> u32 {
    match view.packet().opcode() {
        _ if view.queue() != Queue::Compute => 0,
        Some(Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64) if is_pfp_wait(view) => 1 << 8,
        Some(Opcode::WRITE_DATA | Opcode::COPY_DATA) if is_pfp_write(view) => 1 << 30,
        Some(Opcode::ACQUIRE_MEM) => GRAPHICS_CACHES,
        _ => 0,
    }
}

pub(super) const GRAPHICS_SYNC_ON_COMPUTE: Rule = Rule::new(
    "SYN-14",
    Severity::Error,
    ChipScope::All,
    "graphics synchronization on a compute queue",
    "A compute queue has one engine: PFP_SYNC_ME, waits on PFP (engine_sel) and events of the graphics pipe never finish there. The bits of engine_sel are \
     reserved in WRITE_DATA and COPY_DATA; RADV (until 2025) sent WRITE_DATA with them, which is a warning.",
    "PAL gfx9CmdUtil.cpp; Linux 6.12 gfx_v9_0.c; Mesa 2025 radv write_event",
    Judge::on_opcodes(COMPUTE_SYNC, graphics_sync_on_compute),
)
.words_alone();

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
        // RADV sent such writes until 2025.
        Opcode::WRITE_DATA | Opcode::COPY_DATA if is_pfp_write(view) => {
            let verdict = Verdict::new("engine_sel is PFP on a compute queue, which has none: what the bits do there is not known").field("engine_sel");
            return Some(verdict.severity(Severity::Warning).help("set engine_sel to 0"));
        }
        _ => return None,
    };
    Some(Verdict::new(text).help("leave the packet out on compute queues; CS_PARTIAL_FLUSH is what they have"))
}
