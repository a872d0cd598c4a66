//! ENC: packet encoding.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::packet::{Defect, EffectKinds, FirmwareCounter, MOST_IN_PACKED_N, Opcode, Queue, most_in_packed_n};
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;

/// Packets that set registers with pairs of offset and value, and those that pack two offsets into a dword.
const PAIRS: WatchedPackets = WatchedPackets::Matching(|opcode, chip, _| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::SETS_A_LIST));
const PACKED: WatchedPackets = WatchedPackets::Matching(|opcode, chip, _| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::SETS_PACKED));

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    TRUNCATED,
    UNKNOWN_OPCODE,
    Rule::new(
        "ENC-03",
        Severity::Error,
        ChipScope::All,
        "packet of a size that its opcode does not have",
        "Each packet has one size, a few sizes, or a size that grows in steps. Another size means that fields are missing or that the next packet begins \
         inside this one.",
        "AMD's packet headers (PAL), sizes by packet",
        Judge::on_packets(WatchedPackets::OtherThanSets, wrong_size),
    ),
    TYPE_0_OR_1,
    TYPE_2,
    HEADER_BITS,
    Rule::new(
        "ENC-07",
        Severity::Warning,
        ChipScope::All,
        "reset_filter_cam on a compute queue",
        "Bit 2 of the header resets the register filter of PFP and ME. The compute engine has none and does not support the bit. No source says what the bit \
         does there, and radeonsi sets it.",
        "PAL gfx9CmdStream.cpp",
        Judge::on_packets(WatchedPackets::HeaderBits, filter_cam_on_compute),
    ),
    Rule::new(
        "ENC-08",
        Severity::Error,
        ChipScope::GFX9,
        "reset_filter_cam on GFX9",
        "GFX9 has no register filter; bit 2 of the header is reserved there.",
        "PAL gfx9CmdUtil.cpp",
        Judge::on_packets(WatchedPackets::HeaderBits, filter_cam_on_gfx9),
    ),
    Rule::new(
        "ENC-09",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "register pairs without reset_filter_cam",
        "Packets of register pairs bypass the register filter of the graphics queue. Without reset_filter_cam the filter keeps old values, and a later SET \
         of the same value is dropped. The preambles of radeonsi on GFX11 leave the bit 0 (recorded streams), so the rule is reported once per run.",
        "PAL gfx9CmdUtil.cpp; Mesa 25.0.7 ac_pm4.c",
        Judge::on_packets(PAIRS, pairs_without_filter_cam),
    )
    .report_once(),
    Rule::new(
        "ENC-10",
        Severity::Warning,
        ChipScope::FROM_GFX10,
        "register of one shader engine is written without reset_filter_cam",
        "While GRBM_GFX_INDEX selects a part of the chip, the register filter does not know which part a value belongs to, and drops writes that look \
         redundant.",
        "PAL gfx9CmdStream.cpp",
        Judge::on_packets(WatchedPackets::PartSelected, banked_without_filter_cam),
    ),
    Rule::new(
        "ENC-11",
        Severity::Error,
        ChipScope::All,
        "predicate bit on a compute queue",
        "Predication belongs to PFP and ME. The compute engine has no predicate; the bit is undefined there. radeonsi sets it in \
         DISPATCH_TASKMESH_DIRECT_ACE, and RADV in DMA_DATA on any queue: a warning for these packets.",
        "PAL gfx9CmdUtil.cpp BuildDispatchDirect; Mesa 2025 si_emit_draw_mesh_tasks_ace_packets, radv_emit_cp_dma",
        Judge::on_packets(WatchedPackets::HeaderBits, predicate_on_compute),
    ),
    Rule::new(
        "ENC-12",
        Severity::Warning,
        ChipScope::All,
        "reserved bits of the body are set",
        "Bits that no field of the packet covers must be 0. They may mean something to other firmware. A size of all ones means everything, however wide its \
         field is. Bit 31 of CLEAR_STATE, which one of AMD's own tests (libdrm) sets, has severity info.",
        "AMD's packet headers (PAL)",
        Judge::on_packets(WatchedPackets::OtherThanPlainSets, reserved_body),
    )
    .report_once(),
    Rule::new(
        "ENC-14",
        Severity::Error,
        ChipScope::GFX11_AND_115,
        "packed register pairs with a wrong count",
        "The first dword of a packed pairs packet is the number of registers, n: even and at least 2. The packet then has 2 + 3n/2 dwords. Otherwise the \
         engine writes words that are not values, or omits the last values.",
        "PAL gfx9CmdUtil.cpp FillPackedRegPairsHeaderAndCount",
        Judge::on_packets(PACKED, packed_count),
    ),
    Rule::new(
        "ENC-15",
        Severity::Error,
        ChipScope::GFX11_AND_115,
        "packed register pairs with two equal offsets side by side",
        "The two registers of one packed group must differ; with equal offsets the result is undefined.",
        "Mesa 25.0.7 ac_pm4.c; PAL gfx9CmdUtil.cpp",
        Judge::on_packets(PACKED, equal_offsets),
    ),
    Rule::new(
        "ENC-16",
        Severity::Warning,
        ChipScope::GFX11_AND_115,
        "the fill of a packed packet repeats an older value",
        "An odd list is filled by repeating its first register. If that register is in the list twice, the fill puts the older value back.",
        "follows from what the packet or field does; Mesa's ac_pm4 shows it in 1 of 1400 test vectors",
        Judge::on_packets(PACKED, stale_fill),
    ),
    Rule::new(
        "ENC-17",
        Severity::Warning,
        ChipScope::GFX11_AND_115,
        "SET_SH_REG_PAIRS_PACKED_N with too many registers",
        "The small form has up to 14 registers, on the graphics queue up to 8 before PFP firmware 1463; longer lists belong in SET_SH_REG_PAIRS_PACKED. Where \
         the caller has not stated the version, up to 14 are accepted.",
        "PAL gfx9CmdUtil.cpp",
        Judge::on_packets(WatchedPackets::Opcodes(&[Opcode::SET_SH_REG_PAIRS_PACKED_N]), long_small_list),
    ),
    Rule::new(
        "ENC-18",
        Severity::Error,
        ChipScope::All,
        "packet needs newer firmware",
        "Some packets need a firmware version; older firmware does not know them (\"Illegal opcode in command stream\"). Other packets have a form \
         that older firmware does not know. A 32-bit predicate on GFX10.3 came with feature version 31, whose number did not change: with 31 it is a warning, \
         because Mesa asks for 32. Where the caller has not stated the version, the rule only says which one is needed, with severity info.",
        "PAL gfx9CmdUtil.cpp; Mesa 25.0.7 ac_gpu_info.c",
        Judge::on_packets(WatchedPackets::Matching(|opcode, chip, queue| opcode.may_need_firmware(chip.gfx(), queue)), old_firmware),
    ),
    Rule::new(
        "ENC-19",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "SET_SH_REG_PAIRS_PACKED with the opcode of the other generation",
        "The packet is 0xBB on GFX11 and 0xBC on GFX12, where only the compute engine has it. The other number is an illegal opcode, or another packet.",
        "PAL packet headers of GFX11 and GFX12",
        Judge::on_packets(WatchedPackets::Opcodes(&[Opcode(0xBB), Opcode(0xBC)]), other_generation_opcode),
    ),
    Rule::new(
        "ENC-20",
        Severity::Error,
        ChipScope::All,
        "packet of the scheduler in a command buffer",
        "MAP_QUEUES and related packets give queues to the scheduler. Kernels write them, into their interface queue (KIQ), the HSA interface queue (HIQ) \
         and run lists; they are privileged, and no command buffer or user queue holds them. No source says what the firmware does with one there. Rings \
         are not judged, unless they are user queues.",
        "Linux 7.1.8 kfd_packet_manager_v9.c, gfx_v11_0.c; follows from who writes them",
        Judge::on_packets(WatchedPackets::Opcodes(OF_THE_SCHEDULER), of_the_scheduler),
    ),
];

const OF_THE_SCHEDULER: &[Opcode] =
    &[Opcode::SET_RESOURCES, Opcode::MAP_PROCESS, Opcode::MAP_QUEUES, Opcode::UNMAP_QUEUES, Opcode::QUERY_STATUS, Opcode::RUN_LIST];

fn of_the_scheduler(view: &PacketView<'_>) -> Option<Verdict> {
    // The graphics queue does not support these packets: ENC-02.
    let of_kernel = view.in_ring() && !view.options.user_queues;
    if of_kernel || view.queue() != Queue::Compute {
        return None;
    }
    let name = view.packet().opcode()?.name(view.gfx())?;
    let verdict = Verdict::new(format!("{name} speaks to the scheduler, and only queues of the kernel hold such packets (KIQ, HIQ, run lists)"));
    Some(verdict.help("leave the packet out: the kernel maps the queues of a process"))
}

/// Returns the replacement of a packet from GFX9 on, if AMD's headers still name the packet.
fn replacement(opcode: Opcode) -> Option<(Opcode, &'static str)> {
    match opcode {
        Opcode::INDEX_TYPE => Some((Opcode::SET_UCONFIG_REG_INDEX, "write VGT_INDEX_TYPE with SET_UCONFIG_REG_INDEX (index 2)")),
        Opcode::CP_DMA => Some((Opcode::DMA_DATA, "write DMA_DATA")),
        Opcode::SURFACE_SYNC => Some((Opcode::ACQUIRE_MEM, "write ACQUIRE_MEM")),
        Opcode::EVENT_WRITE_EOP | Opcode::EVENT_WRITE_EOS => Some((Opcode::RELEASE_MEM, "write RELEASE_MEM")),
        _ => None,
    }
}

fn unknown_opcode(view: &PacketView<'_>) -> Option<Verdict> {
    let (opcode, gfx, queue) = (view.packet().opcode()?, view.gfx(), view.queue());
    // The packed SH pairs of the other generation, and graphics packets on compute queues, have separate rules: ENC-19, REG-14, SYN-14.
    let graphics = crate::cp::rules::reg::is_graphics(opcode, gfx) || opcode == Opcode::PFP_SYNC_ME;
    let elsewhere = gfx.major() >= 11 && matches!(opcode.0, 0xBB | 0xBC) || queue == Queue::Compute && graphics;
    // A kernel may write packets that AMD's driver headers omit. A packet with a name may be one of them.
    let kernels = view.in_ring() && !view.options.user_queues && opcode.name(gfx).is_some();
    if elsewhere || kernels {
        return None;
    }
    let what = opcode.name(gfx).map_or_else(|| format!("{opcode}"), Into::into);
    let engine = match queue {
        Queue::Graphics => "the graphics queue",
        Queue::Compute => "a compute queue",
        Queue::Constant => "the constant engine",
    };
    if opcode.available(gfx, queue) {
        let (instead, help) = replacement(opcode)?;
        let name = instead.name(gfx).unwrap_or_default();
        let text = format!("{what} is a packet of generations before GFX9, and {name} has replaced it: no source says what {gfx} does with it");
        let help = if instead.available(gfx, queue) { help.into() } else { format!("leave it out: {engine} has no {name}") };
        return Some(Verdict::new(text).severity(Severity::Warning).help(help));
    }
    let verdict = Verdict::new(format!("{what} is not a packet of {engine} on {gfx}: the firmware stops here (Illegal opcode in command stream)"));
    let elsewhere = [Queue::Graphics, Queue::Compute].into_iter().find(|other| opcode.available(gfx, *other));
    Some(verdict.help(match elsewhere {
        Some(Queue::Compute) => "if the stream is in sync here, it is a packet of compute queues: submit the buffer there, or leave it out; else check the counts of the packets before this one",
        Some(_) => "if the stream is in sync here, it is a packet of the graphics queue: submit the buffer there, or leave it out; else check the counts of the packets before this one",
        None => "if the stream is in sync here, use the packet of this generation; else check the counts of the packets before this one",
    }))
}

fn wrong_size(view: &PacketView<'_>) -> Option<Verdict> {
    match view.packet().defect(view.gfx(), view.queue()) {
        Some(defect @ Defect::Size { opcode, .. }) if opcode != Opcode::NOP => Some(Verdict::new(format!("{defect}")).help("check the count in the header")),
        _ => None,
    }
}

fn reserved_header(view: &PacketView<'_>) -> Option<Verdict> {
    let header = view.packet().header;
    (header.reserved() != 0)
        .then(|| Verdict::new(format!("bits 7:3 of the header {header} hold 0x{:x}", header.reserved())).help("clear them; or the stream is out of sync here"))
}

fn filter_cam_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    (view.queue() == Queue::Compute && view.packet().header.resets_filter_cam()).then(|| {
        Verdict::new("reset_filter_cam is 1 on a compute queue, whose engine does not support it").field("reset_filter_cam").help("clear bit 2 of the header")
    })
}

fn filter_cam_on_gfx9(view: &PacketView<'_>) -> Option<Verdict> {
    view.packet()
        .header
        .resets_filter_cam()
        .then(|| Verdict::new("reset_filter_cam is 1, which GFX9 does not have").field("reset_filter_cam").help("clear bit 2 of the header"))
}

fn pairs_without_filter_cam(view: &PacketView<'_>) -> Option<Verdict> {
    if view.queue() != Queue::Graphics || view.packet().header.resets_filter_cam() {
        return None;
    }
    let verdict = Verdict::new("reset_filter_cam is 0: the register filter keeps old values, and later writes may be dropped")
        .field("reset_filter_cam")
        .help("set bit 2 of the header of every pairs packet on the graphics queue");
    Some(if view.gfx().major() >= 12 { verdict.severity(Severity::Info) } else { verdict })
}

fn banked_without_filter_cam(view: &PacketView<'_>) -> Option<Verdict> {
    let place = view.history.not_broadcast?;
    // A packet that returns to broadcast is the remedy.
    let restores = view.packet().writes(view.gfx()).any(|write| write.addr == 0x30800);
    (view.queue() == Queue::Graphics && !view.packet().header.resets_filter_cam() && !restores).then(|| {
        Verdict::new("GRBM_GFX_INDEX selects a part of the chip, and reset_filter_cam is 0: the register filter may drop the write")
            .field("reset_filter_cam")
            .note("GRBM_GFX_INDEX was written without broadcast", Some(place))
            .help("set bit 2 of the header while GRBM_GFX_INDEX is not broadcast")
    })
}

fn predicate_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    (view.queue() == Queue::Compute && view.packet().header.is_predicated()).then(|| {
        let verdict = Verdict::new("the predicate bit is set on a compute queue, which has no predicate").field("predicate").help("clear bit 0 of the header");
        // Drivers set it with conditional rendering: radeonsi for task work, RADV for all DMA-engine packets (radv_emit_cp_dma, radv_cp_dma_prefetch).
        let of_driver = matches!(view.packet().opcode(), Some(Opcode::DISPATCH_TASKMESH_DIRECT_ACE | Opcode::DMA_DATA));
        if of_driver { verdict.severity(Severity::Warning) } else { verdict }
    })
}

/// Returns the low bits of an aligned address, which belong to no field; MEM-01 and SYN-05 report them.
fn below_addresses(view: &PacketView<'_>, dword: usize) -> u32 {
    let addresses = view.packet().fields(view.gfx(), view.queue()).filter(|value| value.dword == dword && value.field.in_place);
    addresses.fold(0, |mask, value| mask | ((1 << value.field.lo) - 1))
}

/// Returns whether a dword is a size of all ones.
fn is_full_size(view: &PacketView<'_>, dword: usize) -> bool {
    view.word(dword - 1) == u32::MAX && view.packet().fields(view.gfx(), view.queue()).any(|value| value.dword == dword && value.field.everything)
}

fn reserved_body(view: &PacketView<'_>) -> Option<Verdict> {
    let packet = view.packet();
    let of_no_field = |(dword, bits): (usize, u32)| {
        let reported = if dword == 1 { crate::cp::rules::syn::reported_on_compute(view) } else { 0 };
        let stray = bits & !below_addresses(view, dword) & !reported;
        // ENC-06 judges the header.
        (dword > 0 && stray != 0 && !is_full_size(view, dword)).then_some((dword, stray))
    };
    let (dword, stray) = packet.reserved_bits(view.gfx(), view.queue()).find_map(of_no_field)?;
    let word = view.word(dword - 1);
    let verdict = Verdict::new(format!("dword {dword} of the packet is 0x{word:08x}: bits 0x{stray:08x} belong to no field"));
    // AMD's own test for dependent submissions sets this bit (libdrm tests 2.4.124).
    let is_seen = packet.opcode() == Some(Opcode::CLEAR_STATE) && dword == 1 && stray == 1 << 31;
    let verdict = if is_seen { verdict.severity(Severity::Info) } else { verdict };
    Some(verdict.help(if packet.opcode()?.effect_kinds(view.gfx()).intersects(EffectKinds::SETS_A_RUN) {
        "give the offset in dwords from the start of the window, in 16 bits; an address in bytes does not fit"
    } else {
        "clear the bits, or check that the packet was built for this generation"
    }))
}

fn packed_count(view: &PacketView<'_>) -> Option<Verdict> {
    let (count, dwords) = (view.word(0), view.packet().dwords());
    let fits = 2 + 3 * (count as u64) / 2 == dwords as u64;
    (count % 2 != 0 || count < 2 || !fits).then(|| {
        let filled = u64::from(count).next_multiple_of(2);
        let (states, has) = (counted(count, "register"), counted(dwords, "dword"));
        let text = match count {
            0 => "the count is 0".into(),
            _ if count % 2 != 0 => {
                format!("the count {count} is odd: the list must be filled to {filled} registers, {} dwords; the packet has {has}", 2 + 3 * filled / 2)
            }
            _ => format!("the packet states {states}, which need {} dwords, and has {has}", 2 + 3 * filled / 2),
        };
        Verdict::new(text)
            .field("reg_writes_count")
            .help("make the count even and at least 2, and the packet 2 + 3n/2 dwords; fill an odd list by repeating its first register")
    })
}

/// Returns the offsets of a packed packet.
fn offsets<'v>(view: &PacketView<'v>) -> impl Iterator<Item = [u32; 2]> + use<'v> {
    let body: &'v [u32] = view.packet.body;
    body.get(1..).unwrap_or_default().as_chunks::<3>().0.iter().map(|[offsets, _, _]| [offsets & 0xFFFF, offsets >> 16])
}

fn equal_offsets(view: &PacketView<'_>) -> Option<Verdict> {
    let (group, [offset, _]) = offsets(view).enumerate().find(|(_, [a, b])| a == b)?;
    Some(
        Verdict::new(format!("group {group} of the packet holds offset 0x{offset:x} twice: which value wins is undefined"))
            .help("write each register once in a packet, and fill an odd list with the first register, not with the last"),
    )
}

fn stale_fill(view: &PacketView<'_>) -> Option<Verdict> {
    let all: alloc::vec::Vec<u32> = offsets(view).flatten().collect();
    let (first, last) = (*all.first()?, *all.last()?);
    let between = all.get(1..all.len() - 1)?.contains(&first);
    (first == last && between).then(|| {
        Verdict::new(format!("offset 0x{first:x} is first in the list, is in it again, and is repeated as its fill: the older value wins"))
            .help("merge the writes of one register before the list is packed")
    })
}

fn long_small_list(view: &PacketView<'_>) -> Option<Verdict> {
    let (count, pfp) = (view.word(0), view.options.firmware.pfp);
    let most = most_in_packed_n(view.queue(), pfp);
    (count > most).then(|| {
        let before = pfp.filter(|_| most < MOST_IN_PACKED_N).map_or_else(String::new, |pfp| format!(" with PFP firmware {pfp} (14 from 1463 on)"));
        Verdict::new(format!("{count} registers in a packet that takes up to {most}{before}")).help("use SET_SH_REG_PAIRS_PACKED for longer lists")
    })
}

fn old_firmware(view: &PacketView<'_>) -> Option<Verdict> {
    let need = view.packet().firmware_needs(view.gfx(), view.queue()).next()?;
    let firmware = view.options.firmware;
    let (name, has) = match need.of {
        FirmwareCounter::Pfp => ("PFP firmware", firmware.pfp),
        FirmwareCounter::Me => ("ME firmware", firmware.me),
        FirmwareCounter::MeFeature => ("ME feature version", firmware.me_feature),
        FirmwareCounter::Mec => ("MEC firmware", firmware.mec),
    };
    let (what, needs) = (if need.what.is_empty() { "the packet" } else { need.what }, need.from);
    match has {
        Some(has) if (need.maybe_from..needs).contains(&has) => Some(
            Verdict::new(format!("{what} needs {name} {needs} or newer; firmware with {has} may know it, because the number did not change with it"))
                .severity(Severity::Warning)
                .help("use a form of the packet that older firmware knows, or newer firmware"),
        ),
        Some(has) if has < needs => Some(if need.what.is_empty() {
            Verdict::new(format!("{what} needs {name} {needs} or newer, but the version is {has}: illegal opcode"))
                .help("use the older packet, or newer firmware")
        } else {
            Verdict::new(format!("{what} needs {name} {needs} or newer, but the version is {has}: older firmware does not know it"))
                .help("use a form of the packet that older firmware knows, or newer firmware")
        }),
        None if !need.always_satisfied => Some(
            Verdict::new(format!("{what} needs {name} {needs} or newer; the model was not given the version"))
                .severity(Severity::Info)
                .help("give the firmware version (CommandProcessor::firmware), so that the rule can decide"),
        ),
        _ => None,
    }
}

fn other_generation_opcode(view: &PacketView<'_>) -> Option<Verdict> {
    let opcode = view.packet().opcode()?.0;
    let right = if view.gfx().major() >= 12 { 0xBC } else { 0xBB };
    (opcode != right).then(|| {
        Verdict::new(format!("opcode 0x{opcode:02x}: SET_SH_REG_PAIRS_PACKED is 0x{right:02x} on {}", view.gfx())).help("use the opcode of this generation")
    })
}

pub(crate) const TRUNCATED: Rule = Rule::new(
    "ENC-01",
    Severity::Error,
    ChipScope::All,
    "packet extends past the end of its buffer",
    "The header of a packet says how many dwords follow (bits 29:16 hold that number minus 1). When fewer are left in the buffer, the command processor \
                  reads what follows the buffer in memory as the rest of the packet, and everything after that as packets: it hangs or corrupts data. \
                  Either the buffer's length is wrong, or an earlier packet has a wrong count, so that this dword never was a header. At the end of a part \
                  of a stream (`partial`) it is a warning: the part may have been cut within the packet.",
    "follows from the count in the header; for what happens then Linux 6.12 gfx_v9_0.c, illegal opcode interrupt",
    Judge::Model,
);

pub(crate) const TYPE_0_OR_1: Rule = Rule::new(
    "ENC-04",
    Severity::Error,
    ChipScope::All,
    "type 0 or type 1 header",
    "Bits 31:30 of a header are the packet type. From GFX9 on, command streams consist of type 3 packets (and type 2 fillers on graphics rings). Type 0 \
     wrote registers on old GPUs, type 1 was never used. Such a word almost always means that the stream is out of sync: an earlier packet has a wrong \
     count, or data was taken for packets. Words of 0 are headers of type 0. A run of them that reaches to the end of a buffer may be memory that nothing was \
     written to, as in a buffer that was dumped whole. Where neither an INDIRECT_BUFFER nor a recorded size says that these words were executed, the run is \
     one warning.",
    "Linux 6.12 nvd.h; for GFX9 and later no source states it",
    Judge::Model,
);

pub(crate) const TYPE_2: Rule = Rule::new(
    "ENC-05",
    Severity::Warning,
    ChipScope::All,
    "type 2 filler",
    "A type 2 packet is one dword that does nothing. Graphics rings still accept it. On compute rings the kernel calls it deprecated and pads with type 3 \
     NOPs (header-only: 0xffff1000), as drivers do. No source says that it fails there. No source says anything about the constant engine, so nothing is \
     reported there.",
    "Linux 7.1.8 gfx_v9_0.c, gfx_v10_0.c, gfx_v11_0.c, gfx_v12_0.c (\"deprecated on MEC\")",
    Judge::Model,
);

pub(crate) const UNKNOWN_OPCODE: Rule = Rule::new(
    "ENC-02",
    Severity::Error,
    ChipScope::All,
    "opcode that this engine does not know",
    "The packet exists on another generation or another engine, or not at all. The firmware stops at it and the kernel logs \"Illegal opcode in command \
     stream\", then resets the queue. Packets of older generations that have a replacement from GFX9 on (EVENT_WRITE_EOP, SURFACE_SYNC and others) still \
     have names in AMD's headers, but no layout, and no driver that was read writes them on GFX9 or later. They are a warning: no source says what \
     happens.",
    "Linux 6.12 gfx_v9_0.c; AMD's packet headers, availability by engine",
    Judge::on_packets(WatchedPackets::Matching(|opcode, chip, queue| !opcode.available(chip.gfx(), queue) || replacement(opcode).is_some()), unknown_opcode),
);

pub(crate) const HEADER_BITS: Rule = Rule::new(
    "ENC-06",
    Severity::Warning,
    ChipScope::All,
    "reserved bits of the header are set",
    "Bits 7:3 of a type 3 header must be 0. Set bits almost always mean that data was taken for a header.",
    "Mesa 25.0.7 sid.h PKT3",
    Judge::on_packets(WatchedPackets::HeaderBits, reserved_header),
);
