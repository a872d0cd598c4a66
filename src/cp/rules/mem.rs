//! MEM: addresses.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::addresses::VGT_INDEX_TYPE;
use crate::cp::state::finding::Severity;
use crate::packet::{AddressValue, EffectKinds, Opcode, Queue};
use alloc::format;

/// Packets that contain addresses.
const ADDRESSED: WatchedPackets = WatchedPackets::Matching(|opcode, chip, _| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::ADDRESSES));

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    MISALIGNED,
    Rule::new(
        "MEM-02",
        Severity::Error,
        ChipScope::All,
        "address beyond 48 bits",
        "GPU virtual addresses have 48 bits; the bits above them repeat bit 47 or are 0. For predication, only PAL asserts 40 bits. radeonsi and RADV pass \
         addresses of the upper half on all chips, sign-extended, and hardware accepts them: they are not reported. Other addresses of more than 40 bits \
         have severity info there.",
        "PAL 04/2025 gfx9CmdUtil.cpp, its assertions; Mesa 22.3.6 to 26.2.6, recorded streams of RADV and radeonsi (SET_PREDICATION of 0xffff800100a00000)",
        Judge::Packet { watch: ADDRESSED, judge: beyond },
    )
    .words_alone(),
    UNMAPPED,
    Rule::new(
        "MEM-04",
        Severity::Error,
        ChipScope::UP_TO_GFX115,
        "operand that COPY_DATA or WRITE_DATA does not accept",
        "COPY_DATA and WRITE_DATA name registers by 18-bit dword addresses up to GFX11.5: higher bits are cut off, and a different register is accessed. The \
         destination memory_sync_across_grbm of COPY_DATA exists on ME only.",
        "PAL gfx9CmdUtil.cpp BuildCopyData",
        Judge::on_opcodes(&[Opcode::COPY_DATA, Opcode::WRITE_DATA], wide_register),
    )
    .words_alone(),
    Rule::new(
        "MEM-05",
        Severity::Error,
        ChipScope::All,
        "DMA_DATA of zero bytes without CP_SYNC",
        "byte_count has 26 bits, so a length of 2^26 bytes or more cannot be encoded: its upper bits are cut off or arrive as flags (sas, das, saic, \
         daic). A multiple of 2^26 bytes looks like a copy of 0 bytes in the stream. That makes sense only with CP_SYNC, where it waits for the DMA engine. \
         Without it a copy of 0 bytes is a warning, because no source states harm; it is an error where these flags hold what such a length leaves there.",
        "PAL gfx9CmdUtil.cpp BuildDmaData",
        Judge::on_opcodes(&[Opcode::DMA_DATA], zero_bytes),
    )
    .words_alone(),
    RESERVED_FUNCTION,
    Rule::new(
        "MEM-07",
        Severity::Warning,
        ChipScope::All,
        "SET_PREDICATION has the continue bit for a kind of predicate that cannot continue",
        "The continue bit adds a query to the previous one. Only occlusion and primitive queries can do that.",
        "PAL gfx9CmdUtil.cpp BuildSetPredication",
        Judge::on_opcodes(&[Opcode::SET_PREDICATION], stray_continue),
    ),
    INDEX_BOUNDS,
    Rule::new(
        "MEM-09",
        Severity::Warning,
        ChipScope::All,
        "WRITE_DATA to a destination that its engine does not have",
        "The engine that executes WRITE_DATA has some of the destinations (dst_sel): memory_sync_across_grbm is ME's, GDS is up to GFX11.5. Others are reserved: no \
         source says where the data goes.",
        "AMD's packet headers (PAL), destinations by engine; IGT b3d809d5 amd_ip_blocks.c",
        Judge::on_opcodes(&[Opcode::WRITE_DATA], no_destination),
    )
    .words_alone(),
];

fn misaligned(view: &PacketView<'_>) -> Option<Verdict> {
    // SYN-05 judges the address of a release.
    if view.packet().opcode() == Some(Opcode::RELEASE_MEM) {
        return None;
    }
    view.packet().addresses(view.gfx(), view.queue()).find_map(|address| {
        let hard = !address.value.is_multiple_of(address.align);
        let odd = address.name == "index_base" && may_have_byte_indices(view);
        let (align, severity) = match (hard, odd) {
            (true, false) => (address.align, Severity::Error),
            (true, true) => (address.align, Severity::Warning),
            (false, _) => (address.preferred_align, Severity::Info),
        };
        (!address.value.is_multiple_of(align)).then(|| {
            let why = match hard {
                true if odd => "is odd, which suits only indices of 8 bits: sources differ on whether hardware accepts it".into(),
                true => format!("must be a multiple of {align}: the low bits are cut off or used as flags"),
                false => format!("is not a multiple of {align}, the alignment that PAL uses; it is not known whether the hardware needs it"),
            };
            Verdict::new(format!("the address ends in 0x{:x} and {why}", address.value & (align - 1)))
                .severity(severity)
                .field(address.field)
                .help(format!("align the address to {align} bytes"))
        })
    })
}

/// Returns whether indices may have 8 bits, as far as known.
fn may_have_byte_indices(view: &PacketView<'_>) -> bool {
    const BYTES: u32 = 2;
    view.registers().value(VGT_INDEX_TYPE).is_none_or(|word| word & 3 == BYTES)
}

fn beyond(view: &PacketView<'_>) -> Option<Verdict> {
    // Addresses in the upper half of the address space, as drivers pass them to predication.
    let extended = |address: &AddressValue| address.value >> 47 == 0x1_FFFF;
    view.packet().addresses(view.gfx(), view.queue()).find(|address| !address.is_canonical() && !extended(address)).map(|address| {
        let (addr, bits) = (address.value, address.bits);
        // radeonsi and RADV pass 48-bit addresses to predication; only PAL states that 40 bits are used.
        let known = addr >> 48 == 0;
        let (severity, rest) = if known && bits < 48 {
            (Severity::Info, "; PAL asserts that addresses in this packet have no more, and it is not known whether the hardware accepts them")
        } else {
            (Severity::Error, ", and the bits above do not repeat bit 47: another page is accessed")
        };
        Verdict::new(format!("the address 0x{addr:016x} has more than {bits} bits{rest}"))
            .severity(severity)
            .field(address.field)
            .help("check which dword holds the upper half")
    })
}

/// dst_sel of COPY_DATA: memory, synchronized across the GRBM.
const ACROSS_GRBM: u32 = 1;

fn wide_register(view: &PacketView<'_>) -> Option<Verdict> {
    let copy = view.packet().opcode() == Some(Opcode::COPY_DATA);
    let source = (copy && matches!(view.bits(0, 0, 3), 0 | 4)).then(|| (view.word(1), "src_reg_offset"));
    let target = (view.bits(0, 8, 11) == 0).then(|| (view.word(if copy { 3 } else { 1 }), if copy { "dst_reg_offset" } else { "dst_mmreg_addr" }));
    let off_me = view.queue() == Queue::Compute || view.bits(0, 30, 31) != 0;
    if copy && view.bits(0, 8, 11) == ACROSS_GRBM && off_me {
        let text = "dst_sel is memory_sync_across_grbm, which only ME has: what another engine does with it is undefined";
        return Some(Verdict::new(text).field("dst_sel").help("make ME execute the packet on the graphics queue (engine_sel = 0), or use dst_sel 5 (memory)"));
    }
    [source, target].into_iter().flatten().find(|(word, _)| word >> 18 != 0).map(|(word, field)| {
        Verdict::new(format!("the register operand 0x{word:x} has more than 18 bits: dword address 0x{:x} is used", word & 0x3_FFFF))
            .field(field)
            .help("give the dword address of the register (byte address / 4), not its byte address")
    })
}

fn no_destination(view: &PacketView<'_>) -> Option<Verdict> {
    let field = view.packet().fields(view.gfx(), view.queue()).find(|field| field.name == "dst_sel")?;
    field.symbol().is_none().then(|| {
        let on = if view.queue() == Queue::Compute { "compute queues" } else { "the engine that executes the packet" };
        let text = format!("dst_sel {} is reserved on {on} of {}: no source says where the data goes", field.value, view.gfx());
        Verdict::new(text).field("dst_sel").help("use dst_sel 5 (memory)")
    })
}

fn zero_bytes(view: &PacketView<'_>) -> Option<Verdict> {
    // On compute queues and with CP_SYNC, an empty copy is a wait for the DMA engine.
    let nothing = view.queue() == Queue::Graphics && view.bits(5, 0, 25) == 0 && view.bits(0, 31, 31) == 0;
    // Bits 29:26, which an empty copy does not use.
    let rest = view.bits(5, 26, 29);
    nothing.then(|| {
        if rest == 0 {
            return Verdict::new("byte_count is 0 without CP_SYNC: the packet copies nothing and waits for nothing")
                .severity(Severity::Warning)
                .field("byte_count")
                .help("leave the packet out, or set cp_sync (bit 31) to wait for the DMA engine");
        }
        Verdict::new(format!(
            "byte_count is 0 and the bits above it are 0x{rest:x}, without CP_SYNC: this is what a length of 0x{:x} bytes becomes",
            rest << 26
        ))
        .field("byte_count")
        .help("split copies above 2^26 - 1 bytes; PAL splits at 32 MiB")
    })
}

fn reserved_function(view: &PacketView<'_>) -> Option<Verdict> {
    let conditional = view.packet().opcode() == Some(Opcode::INDIRECT_BUFFER);
    let function = match (conditional, view.packet().body.len()) {
        (true, 13) => view.bits(0, 8, 10),
        (true, _) => return None,
        (false, _) => view.bits(0, 0, 2),
    };
    (function == 7).then(|| Verdict::new("function 7 is reserved: no source says what the wait does").field("function").help("use a function from 0 to 6"))
}

fn stray_continue(view: &PacketView<'_>) -> Option<Verdict> {
    let operation = view.bits(0, 16, 18);
    (view.bits(0, 31, 31) == 1 && !matches!(operation, 1 | 2)).then(|| {
        Verdict::new(format!("the continue bit is set with operation {operation}: only occlusion and primitive queries continue"))
            .field("continue_bit")
            .help("clear bit 31")
    })
}

pub(crate) const INDEX_BOUNDS: Rule = Rule::new(
    "MEM-08",
    Severity::Warning,
    ChipScope::All,
    "draw reads past the end of its index buffer",
    "An indexed draw states the size of its index buffer (max_size). The fetcher returns index 0 past its end: nothing faults, and triangles collapse to the \
                  first vertex.",
    "no source states it; it follows from what the packet or field does",
    Judge::Model,
);

/// The function of a wait, in both WAIT_REG_MEM and SDMA.
pub(in crate::cp::rules) const RESERVED_FUNCTION: Rule = Rule::new(
    "MEM-06",
    Severity::Warning,
    ChipScope::All,
    "wait with a reserved function",
    "Functions 0 to 6 of WAIT_REG_MEM, and of POLL_REGMEM of SDMA, are always, <, <=, ==, !=, >=, >; 7 is reserved, and there is no \"never\".",
    "PAL gfx9_plus_merged_f32_me_pm4_packets.h",
    Judge::on_opcodes(&[Opcode::WAIT_REG_MEM, Opcode::WAIT_REG_MEM64, Opcode::INDIRECT_BUFFER], reserved_function),
);

pub(crate) const UNMAPPED: Rule = Rule::new(
    "MEM-03",
    Severity::Error,
    ChipScope::All,
    "memory is not mapped",
    "The packet uses memory that the caller has not mapped. As long as memory may belong to the application this has only severity info: \
                  its content is unknown and is not executed. When all memory is said to be mapped (closed memory) it is an error: the GPU would raise \
                  a page fault.",
    "Mesa 25.0.7 ac_parse_ib.c print_addr",
    Judge::Model,
);

pub(crate) const MISALIGNED: Rule = Rule::new(
    "MEM-01",
    Severity::Error,
    ChipScope::All,
    "misaligned address",
    "Addresses in packets have low bits that must be 0: 4 bytes for dwords, 8 for 64-bit values and SET_BASE, 16 for queries, 32 for constant RAM, 4096 for \
     PRIME_UTCL2, 256 for the state of task shaders. A 64-bit boolean of SET_PREDICATION and a base of indirect arguments (SET_BASE 1) that are aligned to \
     only 4 bytes have severity info: PAL asks for 8, RADV gives 4. An index buffer at an odd address is a warning, unless indices are known to have 16 or \
     32 bits: radeonsi asserts an even address, and PAL's INDEX_BASE has no bit 0. RADV passes on the address that generated commands with 8-bit indices \
     request. The engine ignores the low bits or uses them as flags.",
    "PAL gfx9CmdUtil.cpp, its assertions; RADV captures (SET_PREDICATION), Mesa 2017 radv_cmd_buffer.c radv_emit_indirect_draw (SET_BASE) and Mesa \
     radv_dgc.c dgc_emit_index_buffer (INDEX_BASE)",
    Judge::Packet { watch: ADDRESSED, judge: misaligned },
)
.words_alone();
