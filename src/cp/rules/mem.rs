//! MEM: addresses.

use super::{Judge, On, PacketView, Rule, Scope, Verdict};
use crate::cp::Severity;
use crate::cp::memory::is_canonical;
use crate::packet::{Opcode, Queue};
use alloc::format;

const fn on(opcodes: &'static [Opcode], judge: fn(&PacketView<'_>) -> Option<Verdict>) -> Judge {
    Judge::Packet { on: On::Opcodes(opcodes), judge }
}

/// Packets that hold addresses.
const ADDRESSED: &[Opcode] = &[
    Opcode::COPY_DATA,
    Opcode::WRITE_DATA,
    Opcode::INDIRECT_BUFFER,
    Opcode::SET_BASE,
    Opcode::LOAD_CONTEXT_REG,
    Opcode::LOAD_SH_REG,
    Opcode::LOAD_UCONFIG_REG,
    Opcode::SET_PREDICATION,
    Opcode::WAIT_REG_MEM,
    Opcode::WAIT_REG_MEM64,
    Opcode::ATOMIC_MEM,
    Opcode::PRIME_UTCL2,
    Opcode::DISPATCH_TASK_STATE_INIT,
    Opcode::COND_EXEC,
    Opcode::RELEASE_MEM,
];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "MEM-01",
        Severity::Error,
        Scope::All,
        "misaligned address",
        "Addresses in packets have low bits that must be 0: 4 bytes for dwords, 8 for 64-bit values and SET_BASE, 16 for queries, 4096 for PRIME_UTCL2, 256 \
         for the state of task shaders. The engine ignores the low bits or takes them for flags.",
        "PAL gfx9CmdUtil.cpp, its assertions",
        on(ADDRESSED, misaligned),
    ),
    Rule::new(
        "MEM-02",
        Severity::Error,
        Scope::All,
        "address beyond 48 bits",
        "GPU virtual addresses have 48 bits; those above repeat bit 47 or are 0. Predication takes 40 bits.",
        "PAL gfx9CmdUtil.cpp, its assertions",
        on(ADDRESSED, beyond),
    ),
    UNMAPPED,
    Rule::new(
        "MEM-04",
        Severity::Error,
        Scope::UP_TO_GFX115,
        "register operand above 18 bits",
        "COPY_DATA and WRITE_DATA name registers by 18-bit dword addresses up to GFX11.5. Higher bits are cut off, and another register is hit.",
        "PAL gfx9CmdUtil.cpp BuildCopyData",
        on(&[Opcode::COPY_DATA, Opcode::WRITE_DATA], wide_register),
    ),
    Rule::new(
        "MEM-05",
        Severity::Error,
        Scope::All,
        "DMA_DATA of zero bytes that waits for nothing",
        "byte_count has 26 bits: a longer copy arrives with its upper bits cut off or as flags (sas, das). A copy of 0 bytes makes sense only with CP_SYNC, where \
         it waits for the DMA engine; a length of exactly 2^26 bytes is the usual way to get there.",
        "PAL gfx9CmdUtil.cpp BuildDmaData",
        on(&[Opcode::DMA_DATA], zero_bytes),
    ),
    Rule::new(
        "MEM-06",
        Severity::Warning,
        Scope::All,
        "wait with a reserved function",
        "Functions 0 to 6 of WAIT_REG_MEM are always, <, <=, ==, !=, >=, >; 7 is reserved, and there is no \"never\".",
        "PAL gfx9_plus_merged_f32_me_pm4_packets.h",
        on(&[Opcode::WAIT_REG_MEM, Opcode::WAIT_REG_MEM64, Opcode::INDIRECT_BUFFER], reserved_function),
    ),
    Rule::new(
        "MEM-07",
        Severity::Warning,
        Scope::All,
        "SET_PREDICATION continues where nothing continues",
        "The continue bit adds a query to the one before, which only occlusion and primitive queries do.",
        "PAL gfx9CmdUtil.cpp BuildSetPredication",
        on(&[Opcode::SET_PREDICATION], stray_continue),
    ),
    INDEX_BOUNDS,
];

/// What an address must be a multiple of, and where it stands: dword of the body and field name.
fn demands(view: &PacketView<'_>) -> impl Iterator<Item = (usize, u32, &'static str)> {
    let wide = if view.bits(0, 16, 16) == 1 { 8 } else { 4 };
    let memory = |select: u32| matches!(select, 1 | 2 | 5);
    let mut list = [None; 2];
    match view.packet().opcode() {
        Some(Opcode::COPY_DATA) => {
            list[0] = matches!(view.bits(0, 0, 3), 1 | 2).then_some((1, wide, "src_addr"));
            list[1] = memory(view.bits(0, 8, 11)).then_some((3, wide, "dst_addr"));
        }
        Some(Opcode::WRITE_DATA) => list[0] = memory(view.bits(0, 8, 11)).then_some((1, 4, "dst_mem_addr_lo")),
        Some(Opcode::INDIRECT_BUFFER) if view.packet().body.len() == 3 => list[0] = Some((0, 4, "ib_base_lo")),
        Some(Opcode::SET_BASE) => list[0] = Some((1, 8, "address_lo")),
        Some(Opcode::LOAD_CONTEXT_REG | Opcode::LOAD_SH_REG | Opcode::LOAD_UCONFIG_REG | Opcode::COND_EXEC) => list[0] = Some((0, 4, "addr_lo")),
        Some(Opcode::SET_PREDICATION) => match view.bits(0, 16, 18) {
            1 | 2 => list[0] = Some((1, 16, "start_addr_lo")),
            3 | 4 => list[0] = Some((1, 4, "start_addr_lo")),
            _ => {}
        },
        Some(Opcode::WAIT_REG_MEM) => list[0] = (view.bits(0, 4, 5) == 1).then_some((1, 4, "mem_poll_addr_lo")),
        Some(Opcode::WAIT_REG_MEM64) => list[0] = (view.bits(0, 4, 5) == 1).then_some((1, 8, "mem_poll_addr_lo")),
        Some(Opcode::ATOMIC_MEM) => list[0] = Some((1, if view.bits(0, 0, 5) >= 39 { 8 } else { 4 }, "addr_lo")),
        Some(Opcode::PRIME_UTCL2) => list[0] = Some((1, 4096, "addr_lo")),
        Some(Opcode::DISPATCH_TASK_STATE_INIT) => list[0] = Some((0, 256, "control_buf_addr_lo")),
        Some(Opcode::RELEASE_MEM) => list[0] = (view.bits(1, 29, 31) != 0).then_some((2, 4, "address_lo")),
        _ => {}
    }
    list.into_iter().flatten()
}

fn misaligned(view: &PacketView<'_>) -> Option<Verdict> {
    // SYN-05 judges the address of a release.
    if view.packet().opcode() == Some(Opcode::RELEASE_MEM) {
        return None;
    }
    demands(view).find_map(|(at, align, field)| {
        let low = view.word(at);
        (!low.is_multiple_of(align)).then(|| {
            Verdict::new(format!(
                "the address ends in 0x{:x} and must be a multiple of {align}: the low bits are cut off or taken for flags",
                low & (align - 1)
            ))
            .field(field)
            .help(format!("align the address to {align} bytes"))
        })
    })
}

fn beyond(view: &PacketView<'_>) -> Option<Verdict> {
    demands(view).find_map(|(at, _, field)| {
        let addr = u64::from(view.word(at + 1)) << 32 | u64::from(view.word(at));
        (!is_canonical(addr)).then(|| {
            Verdict::new(format!("the address 0x{addr:016x} has more than 48 bits, and those above do not repeat bit 47: another page is hit"))
                .field(field)
                .help("check which dword holds the upper half")
        })
    })
}

fn wide_register(view: &PacketView<'_>) -> Option<Verdict> {
    let copy = view.packet().opcode() == Some(Opcode::COPY_DATA);
    let source = (copy && matches!(view.bits(0, 0, 3), 0 | 4)).then(|| (view.word(1), "src_reg_offset"));
    let target = (view.bits(0, 8, 11) == 0).then(|| (view.word(if copy { 3 } else { 1 }), if copy { "dst_reg_offset" } else { "dst_mmreg_addr" }));
    [source, target].into_iter().flatten().find(|(word, _)| word >> 18 != 0).map(|(word, field)| {
        Verdict::new(format!("the register operand 0x{word:x} has more than 18 bits: dword address 0x{:x} is used", word & 0x3_FFFF))
            .field(field)
            .help("give the dword address of the register (byte address / 4), not its byte address")
    })
}

fn zero_bytes(view: &PacketView<'_>) -> Option<Verdict> {
    // On compute queues and with CP_SYNC, a copy of nothing is a wait for the DMA engine.
    let nothing = view.queue() == Queue::Graphics && view.bits(5, 0, 25) == 0 && view.bits(0, 31, 31) == 0;
    nothing.then(|| {
        Verdict::new("byte_count is 0 without CP_SYNC: the packet copies nothing and waits for nothing; a length of 2^26 bytes looks like this")
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
    (function == 7).then(|| Verdict::new("function 7 is reserved: no source says what the wait does").field("function").help("use one of 0 to 6"))
}

fn stray_continue(view: &PacketView<'_>) -> Option<Verdict> {
    let operation = view.bits(0, 16, 18);
    (view.bits(0, 31, 31) == 1 && !matches!(operation, 1 | 2)).then(|| {
        Verdict::new(format!("the continue bit is set with operation {operation}: only occlusion and primitive queries continue"))
            .field("continue_bit")
            .help("clear bit 31")
    })
}

pub(crate) const INDEX_BOUNDS: Rule = Rule {
    code: "MEM-08",
    severity: Severity::Warning,
    scope: Scope::All,
    title: "draw reads behind its index buffer",
    explanation: "An indexed draw states the size of its index buffer (max_size). The fetcher returns index 0 for what lies behind it: nothing faults, and \
                  triangles collapse to the first vertex.",
    source: "derived from what the packet or field does",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const UNMAPPED: Rule = Rule {
    code: "MEM-03",
    severity: Severity::Info,
    scope: Scope::All,
    title: "memory is not mapped",
    explanation: "The packet uses memory that nobody has shown to the model. As long as memory may belong to the application this is only a remark: \
                  what lies there is not executed or known. When all memory is said to be mapped (closed memory) it is an error: the GPU would raise \
                  a page fault.",
    source: "Mesa 25.0.7 ac_parse_ib.c print_addr",
    judge: Judge::Model,
    quiet: false,
};
