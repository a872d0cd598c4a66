//! Registers that running draws still use: the waits required before they change.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::history::{FILLED_SIZE, IdsDoubt, OrderedIds};
use crate::cp::state::memory::canonical;
use crate::cp::state::place::Place;
use crate::packet::{Action, Opcode, Queue};
use alloc::format;

pub(in crate::cp::rules::syn) const RINGS_IN_USE: Rule = Rule::new(
    "SYN-24",
    Severity::Error,
    ChipScope::All,
    "ring register changes while draws may use the ring",
    "The rings of GFX11 and later (attributes, on GFX12 positions and primitives) may change only after a RELEASE_MEM of an end-of-pipe event with pixel \
     wait sync and an ACQUIRE_MEM at CP_ME that waits for it. PS_PARTIAL_FLUSH is not enough: a page fault follows. For the rings of tessellation and \
     legacy geometry shaders VS_PARTIAL_FLUSH and then VGT_FLUSH are enough; no source says what happens without them, so there it is a warning. Any wait \
     on memory after an end-of-pipe release counts as well. If the old value of the register is unknown, the write may change nothing: a warning.",
    "Mesa 25.0.7 radv_emit_ge_rings, radv_update_preamble_cs; PAL 04/2025 gfx9ShaderRingSet.cpp, gfx12ShaderRingSet.cpp",
    Judge::Packet { watch: WatchedPackets::Registers(RINGS, &[]), judge: rings_in_use },
);

pub(in crate::cp::rules::syn) const OPAQUE_COUNT: Rule = Rule::new(
    "SYN-25",
    Severity::Error,
    ChipScope::FROM_GFX10,
    "count of a streamout draw is loaded the wrong way",
    "From GFX10 on a draw that takes its count from streamout (USE_OPAQUE) can hang when COPY_DATA has put the count into \
     VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE: LOAD_CONTEXT_REG_INDEX must load it. The error is at that draw; the COPY_DATA alone is a warning. PFP \
     executes LOAD_CONTEXT_REG_INDEX, so it must follow a PFP_SYNC_ME if STRMOUT_BUFFER_UPDATE has stored the count, or an older count is loaded; that is a \
     warning.",
    "Mesa 25.0.7 radv_CmdDrawIndirectByteCountEXT",
    Judge::on_opcodes(&[Opcode::COPY_DATA, Opcode::LOAD_CONTEXT_REG_INDEX, Opcode::DRAW_INDEX_AUTO], opaque_count),
);

pub(in crate::cp::rules::syn) const ORDERED_IDS: Rule = Rule::new(
    "SYN-26",
    Severity::Error,
    ChipScope::GFX12,
    "ordered ids start again while vertex waves run",
    "Streamout of GFX12 orders its waves by ids that count up from GE_GS_ORDERED_ID_BASE. If it is written while waves of an earlier draw with streamout \
     still run, the ids of hardware and memory differ, and the ordered section waits forever. VS_PARTIAL_FLUSH must come first, or PS_PARTIAL_FLUSH, or a \
     release of PS_DONE that is waited for. The ids in memory must be reset with the register, which no stream shows. Draws with streamout have \
     NGG_WAVE_ID_EN set; if it is unknown, this is a warning, and after draws without it the register may be written, as PAL does at the start of each \
     submission. It is a warning as well where a release and another draw follow: a later wait may have been for that release.",
    "Mesa 25.0.7 (begin of streamout; si_flush_gfx_cs: not while streamout is busy); PAL 04/2025 gfx12QueueContexts.cpp",
    Judge::Packet { watch: WatchedPackets::Registers(&[ORDERED_ID_BASE], &[Opcode::COPY_DATA]), judge: ordered_ids },
);

/// The attribute ring of GFX11 and later, and the rings that GFX12 adds.
const ATTRIBUTE_RING: [u32; 2] = [0x31118, 0x3111C];
const GEOMETRY_RINGS: [u32; 4] = [0x309A0, 0x309A4, 0x309A8, 0x309AC];
/// VGT_ESGS_RING_SIZE, VGT_GSVS_RING_SIZE, VGT_TF_RING_SIZE, VGT_HS_OFFCHIP_PARAM, VGT_TF_MEMORY_BASE. GFX11 has only the last three.
const VERTEX_RINGS: [u32; 5] = [0x30900, 0x30904, 0x30938, 0x3093C, 0x30940];
/// All of them on any generation, including the addresses of VGT_TF_MEMORY_BASE_HI: the rule is checked at packets that write them.
const RINGS: &[u32] = &[0x31118, 0x3111C, 0x309A0, 0x309A4, 0x309A8, 0x309AC, 0x30900, 0x30904, 0x30938, 0x3093C, 0x30940, 0x30944, 0x30984, 0x3099C];

/// VGT_TF_MEMORY_BASE_HI.
const fn factors_high(major: u8) -> u32 {
    match major {
        9 => 0x30944,
        10 | 11 => 0x30984,
        _ => 0x3099C,
    }
}

fn rings_in_use(view: &PacketView<'_>) -> Option<Verdict> {
    if view.queue() != Queue::Graphics {
        return None;
    }
    let (draw, waited) = (view.history.last_draw?, view.history.waited);
    if waited.all {
        return None;
    }
    let major = view.gfx().major();
    let geometry = |addr| major >= 11 && ATTRIBUTE_RING.contains(&addr) || major >= 12 && GEOMETRY_RINGS.contains(&addr);
    let vertex = |addr| (VERTEX_RINGS.contains(&addr) || addr == factors_high(major)) && !waited.vgt;
    let before = |addr| view.registers().value(addr);
    let changes = || {
        let rings = view.packet().writes(view.gfx()).filter(|write| geometry(write.addr) || vertex(write.addr));
        rings.filter(|write| before(write.addr) != Some(write.value))
    };
    let certain = |addr| geometry(addr) && before(addr).is_some();
    let write = changes().find(|write| certain(write.addr)).or_else(|| changes().next())?;
    let register = crate::regs::lookup(view.gfx(), write.addr)?;
    let severity = if certain(write.addr) { Severity::Error } else { Severity::Warning };
    let may = if before(write.addr).is_some() { "changes" } else { "may change" };
    let help = if geometry(write.addr) {
        "send RELEASE_MEM BOTTOM_OF_PIPE_TS with PWS_ENABLE and ACQUIRE_MEM with pixel wait sync at CP_ME before it"
    } else {
        "send EVENT_WRITE VS_PARTIAL_FLUSH (15, index 4) and VGT_FLUSH (36) before it"
    };
    let lacks = if waited.released {
        "; an end-of-pipe event was released, and neither PFP nor ME has waited for it"
    } else if waited.vertices && geometry(write.addr) {
        "; partial flushes and PS_DONE are not enough"
    } else if waited.vertices {
        "; the vertex stages are done, but VGT_FLUSH is missing"
    } else {
        ""
    };
    Some(
        Verdict::new(format!("{register} {may} to 0x{:08x}, without the wait that this ring needs since the last draw{lacks}", write.value))
            .severity(severity)
            .register(format!("{register}"))
            .note("the last draw", Some(draw))
            .help(help),
    )
}

/// Returns the destination of a COPY_DATA that writes a register, as a dword address.
fn copied_to(view: &PacketView<'_>) -> Option<u32> {
    // dst_sel 0: mem_mapped_register.
    (view.packet().opcode() == Some(Opcode::COPY_DATA) && view.bits(0, 8, 11) == 0).then(|| view.bits(3, 0, 17))
}

/// Returns the address of the dword that a packet loads as the count; None if it loads none or the address is unknown. No source states where the values of a
/// second range are, so only the first range counts.
fn loaded_count(view: &PacketView<'_>) -> Option<u64> {
    let (mut from, mut ranges, mut count) = (None, 0, None);
    view.packet().visit_effects(view.gfx(), view.queue(), &mut |effect| match effect.action {
        // The registers of a range are reported after the memory that they are loaded from.
        Action::Read { at, .. } => from = view.history.address(at),
        Action::Unknown { addr, registers, .. } => {
            let nth = FILLED_SIZE.checked_sub(addr).map(|bytes| bytes / 4).filter(|nth| *nth < registers && ranges == 0);
            count = from.take().zip(nth).map(|(from, nth)| canonical(from + 4 * u64::from(nth))).or(count);
            ranges += 1;
        }
        _ => {}
    });
    count
}

/// For a draw that takes its count from the register (USE_OPAQUE, bit 6 of the initiator), returns the COPY_DATA that wrote the count there.
fn copied_for_draw(view: &PacketView<'_>) -> Option<Place> {
    let held = |copy: &Place| view.registers().origin(FILLED_SIZE).is_some_and(|origin| origin.place == *copy);
    view.history.copied_count.filter(|copy| view.bits(1, 6, 6) == 1 && held(copy))
}

fn opaque_count(view: &PacketView<'_>) -> Option<Verdict> {
    const REGISTER: &str = "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE";
    const LOAD: &str = "send PFP_SYNC_ME and LOAD_CONTEXT_REG_INDEX with the address of the count instead of COPY_DATA";
    if view.packet().opcode() == Some(Opcode::DRAW_INDEX_AUTO) {
        let copy = copied_for_draw(view)?;
        let verdict = Verdict::new("the draw takes its count from streamout, and COPY_DATA has put the count into the register: the draw can hang");
        return Some(verdict.register(REGISTER).note("the COPY_DATA", Some(copy)).help(LOAD));
    }
    if view.packet().opcode() == Some(Opcode::COPY_DATA) {
        return (copied_to(view)? == FILLED_SIZE / 4).then(|| {
            Verdict::new("COPY_DATA writes the count of streamout draws: a draw that takes its count from there can hang")
                .severity(Severity::Warning)
                .register(REGISTER)
                .help(LOAD)
        });
    }
    let stored = loaded_count(view).is_some_and(|from| view.history.stored_counts.contains(&Some(from)));
    stored.then(|| {
        Verdict::new("PFP loads the count of a streamout draw that STRMOUT_BUFFER_UPDATE has stored, without a PFP_SYNC_ME between: it may load an older one")
            .severity(Severity::Warning)
            .register(REGISTER)
            .help("send PFP_SYNC_ME before LOAD_CONTEXT_REG_INDEX")
    })
}

/// GE_GS_ORDERED_ID_BASE.
const ORDERED_ID_BASE: u32 = 0x309B0;

fn ordered_ids(view: &PacketView<'_>) -> Option<Verdict> {
    if view.queue() != Queue::Graphics {
        return None;
    }
    let (OrderedIds { draw, doubt }, waited) = (view.history.ordered_ids?, view.history.waited);
    let written = || view.packet().writes(view.gfx()).any(|write| write.addr == ORDERED_ID_BASE);
    let writes = copied_to(view).map_or_else(written, |register| register * 4 == ORDERED_ID_BASE);
    (writes && !waited.vertices && !waited.all).then(|| {
        let (which, note) = match doubt {
            None => ("the last draw with streamout", "the draw with NGG_WAVE_ID_EN"),
            Some(IdsDoubt::Unknown) => ("a draw that may use streamout", "the draw, of which NGG_WAVE_ID_EN is not known"),
            Some(IdsDoubt::Released) => {
                ("a draw with streamout, unless a later wait was for the release after it", "the draw with NGG_WAVE_ID_EN, which a RELEASE_MEM follows")
            }
        };
        Verdict::new(format!("GE_GS_ORDERED_ID_BASE is written without a VS_PARTIAL_FLUSH since {which}: the ordered section may wait forever"))
            .severity(if doubt.is_none() { Severity::Error } else { Severity::Warning })
            .register("GE_GS_ORDERED_ID_BASE")
            .note(note, Some(draw))
            .help("send EVENT_WRITE VS_PARTIAL_FLUSH (15, index 4) before it")
    })
}
