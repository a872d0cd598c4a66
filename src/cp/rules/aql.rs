//! AQL: packets of HSA queues. Rules that also apply to PM4 are in their families.

use crate::chip::Chip;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::queues::QueuePacket;
use alloc::format;
use alloc::vec::Vec;

pub(in crate::cp::rules) static RULES: &[Rule] =
    &[NO_BODY, NOT_PUBLISHED, RESERVED, SCOPE, SIZES, KERNEL_OBJECT, GROUP_MEMORY, DESCRIPTOR, PM4_BUFFER, NOT_FOR_GPU, DOORBELL, USER_SGPRS];

const NO_BODY: Rule = rule(
    "AQL-01",
    Severity::Error,
    "header of a packet without a body",
    "A producer fills a slot and stores the header last, as one dword: from then on the packet processor may read it. A kernel dispatch or a PM4 packet with \
     only a header was published too early, or its body was written to another slot: the processor rejects it, and the queue stops.",
    "ROCr 1b1610fc hsa.h, amd_aql_queue.cpp DynamicQueueEventsHandler (invalid dimension, NULL code); LLVM 22.1.8 AMDGPUUsage",
);

pub(in crate::cp) const NOT_PUBLISHED: Rule = rule(
    "AQL-02",
    Severity::Warning,
    "slot that was not published holds up the packets after it",
    "The packet processor stops at the first slot of type 1 (invalid): packets published after it wait until the header of that slot is stored. Slots before \
     the first packet have already run: the processor resets their type. A part of a ring is not judged.",
    "ROCr 1b1610fc hsa.h; LLVM 22.1.8 AMDGPUUsage",
);

const RESERVED: Rule = rule(
    "AQL-03",
    Severity::Warning,
    "reserved field is not 0",
    "Fields that the headers call reserved, and bits that no field covers, are 0. reserved2, in front of the completion signal, has severity info: whether \
     tools on the host use it is unverified.",
    "ROCr 1b1610fc hsa.h, hsa_ext_amd.h",
);

const SCOPE: Rule = rule(
    "AQL-04",
    Severity::Warning,
    "fence scope that does not exist",
    "Scopes are 0 none, 1 agent, 2 system. 3 is reserved: no source says what it makes visible.",
    "ROCr 1b1610fc hsa.h",
);

const SIZES: Rule = rule(
    "AQL-05",
    Severity::Error,
    "sizes of a grid that the packet processor rejects",
    "A grid has 1 to 3 dimensions, and a group has at least one work-item in each and at most 1024 in total: otherwise the processor reports an invalid \
     dimension or a group that is too large, and the queue stops. Sizes of unused dimensions must be 1, and a grid must have work-items: otherwise it is a \
     warning.",
    "ROCr 1b1610fc hsa.h, amd_aql_queue.cpp DynamicQueueEventsHandler; the limit of 1024 is that of its agents",
);

const KERNEL_OBJECT: Rule = rule(
    "AQL-06",
    Severity::Error,
    "kernel object is no kernel descriptor",
    "The kernel object is the address of the descriptor, a symbol that ends in .kd, and not that of the code. If it is not a multiple of 64, the rule warns; \
     for 0, the processor reports NULL code, and the queue stops.",
    "LLVM 22.1.8 AMDGPUUsage (kernel descriptor); ROCr 1b1610fc amd_aql_queue.cpp DynamicQueueEventsHandler",
);

const GROUP_MEMORY: Rule = rule(
    "AQL-07",
    Severity::Error,
    "memory of a dispatch does not fit its kernel",
    "The packet's sizes of group and private memory replace those in the descriptor: smaller ones leave the kernel without memory that it was compiled for, \
     which is a warning. A group has at most 64 KiB: for more the processor reports invalid group memory, and the queue stops.",
    "ROCr 1b1610fc hsa.h, amd_aql_queue.cpp DynamicQueueEventsHandler; LLVM 22.1.8 AMDGPUUsage (group_segment_fixed_size, private_segment_fixed_size)",
);

const DESCRIPTOR: Rule = rule(
    "AQL-08",
    Severity::Warning,
    "kernel descriptor with bits that are not its own",
    "The packet processor fills priority, traps and the size of LDS itself: they are 0 in a descriptor, as are its reserved bytes, the third word of \
     resources of GFX9, wave32 there, and the registers of scratch where its address is a hardware register (GFX11 on). Code begins at a multiple of 256: \
     COMPUTE_PGM_LO has no lower bits, so different code runs (an error). Code objects of version 2 are not judged.",
    "LLVM 22.1.8 AMDGPUUsage (kernel descriptor)",
);

const PM4_BUFFER: Rule = rule(
    "AQL-09",
    Severity::Warning,
    "packet with PM4 of another form than drivers write",
    "The packet holds an INDIRECT_BUFFER with the bit VALID (23) and a remainder of 10 dwords. No source says what the processor does with others.",
    "ROCr 1b1610fc amd_aql_queue.cpp ExecutePM4; tinygrad a9069c17 ops_amd.py",
);

const NOT_FOR_GPU: Rule = rule(
    "AQL-10",
    Severity::Warning,
    "packet that no GPU of the kind executes",
    "Agent dispatches are meant for agents on the host (inferred): GPUs run kernels, and no source says what they do with agent dispatches. Barriers with a \
     value are selected only on CDNA; elsewhere PM4 waits replace them (severity info).",
    "ROCr 1b1610fc hsa.h; IREE 2026 (its test of capabilities)",
);

const DOORBELL: Rule = rule(
    "AQL-11",
    Severity::Warning,
    "doorbell in place of a signal",
    "A signal of kind -1 or -2 is the doorbell of a queue: it holds an address where other signals hold their value. Decrementing it changes that address, \
     and a wait for 0 does not end.",
    "ROCr 1b1610fc amd_hsa_signal.h",
);

const USER_SGPRS: Rule = rule(
    "AQL-12",
    Severity::Warning,
    "registers of a kernel do not hold what its descriptor asks for",
    "The processor puts pointers and sizes into the first SGPRs of a wave, as the properties of the descriptor say: 4 registers for the descriptor of private memory, 1 for \
     its size, 2 for each of the others. USER_SGPR of RSRC2 counts all of them; a dispatch has 16. Code objects of version 2 are not judged.",
    "LLVM 22.1.8 AMDGPUUsage (kernel descriptor, initial kernel execution state)",
);

const fn rule(code: &'static str, severity: Severity, title: &'static str, explanation: &'static str, source: &'static str) -> Rule {
    Rule::new(code, severity, ChipScope::All, title, explanation, source, Judge::Model)
}

/// Words of a kernel descriptor, as far as memory is known.
pub(in crate::cp) type DescriptorWords = [Option<u32>; 16];

/// An AQL packet that a rule judges.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct AqlView<'v> {
    pub packet: &'v QueuePacket<'v>,
    pub chip: Chip,
    /// The descriptor of its kernel.
    pub descriptor: DescriptorWords,
    /// The kinds of its signals as far as memory is known: first the completion signal, then those for which it waits.
    pub kinds: [Option<i64>; 6],
}

type AqlJudge = fn(&AqlView<'_>) -> Option<Verdict>;

/// The packet rules, each with its judge. Packets without a body are judged only for that.
pub(in crate::cp) static AQL_JUDGES: &[(&Rule, AqlJudge)] = &[
    (&RESERVED, reserved),
    (&SCOPE, scope),
    (&SIZES, sizes),
    (&KERNEL_OBJECT, kernel_object),
    (&GROUP_MEMORY, group_memory),
    (&DESCRIPTOR, descriptor),
    (&PM4_BUFFER, pm4_buffer),
    (&NOT_FOR_GPU, not_for_gpu),
    (&DOORBELL, doorbell),
    (&USER_SGPRS, user_sgprs),
];

/// The rule for packets without a body, and its judge.
pub(in crate::cp) static NO_BODY_JUDGE: (&Rule, AqlJudge) = (&NO_BODY, no_body);

impl AqlView<'_> {
    fn value(&self, field: &str) -> u64 {
        self.packet.value(field).unwrap_or(0)
    }

    fn is_dispatch(&self) -> bool {
        self.packet.name() == "kernel_dispatch"
    }

    /// Returns a word of the descriptor by its byte offset; None if it is not fully known, or the descriptor has code object version 2.
    fn described(&self, byte: usize) -> Option<u32> {
        let [Some(major), Some(minor), Some(machine), ..] = self.descriptor else { return None };
        // amd_kernel_code_t of version 2 begins with its version and machine kind (ROCr amd_hsa_kernel_code.h), whereas sizes are multiples of 4.
        let version_2 = major == 1 && minor <= 2 && machine & 0xFFFF == 1;
        if version_2 { None } else { self.descriptor.get(byte / 4).copied().flatten() }
    }
}

fn no_body(view: &AqlView<'_>) -> Option<Verdict> {
    let named = matches!(view.packet.name(), "kernel_dispatch" | "amd_pm4_ib");
    (named && view.packet.words.iter().skip(1).all(|word| *word == 0)).then(|| {
        Verdict::new("the header is published, and all behind it is 0: the packet processor rejects the packet, and the queue stops")
            .help("write the body first, then store header and setup as one dword with release order")
    })
}

fn reserved(view: &AqlView<'_>) -> Option<Verdict> {
    let packet = view.packet;
    if packet.name() == "invalid" {
        return None;
    }
    let header = packet.words[0];
    if header >> 13 & 7 != 0 {
        return Some(Verdict::new(format!("bits 15:13 of the header hold {}: they are reserved", header >> 13 & 7)).help("clear them"));
    }
    // The dimensions are in the lowest two bits of setup.
    if packet.value("setup").is_some_and(|setup| setup >> 2 != 0) {
        let verdict = Verdict::new(format!("setup is 0x{:x}: all bits above the dimensions are reserved", view.value("setup"))).field("setup");
        return Some(verdict.help("clear them"));
    }
    if packet.value("ven_hdr").is_some_and(|format| format >> 8 != 0) {
        return Some(Verdict::new(format!("ven_hdr is 0x{:x}: bits 15:8 are reserved", view.value("ven_hdr"))).field("ven_hdr").help("write 1"));
    }
    let field = packet.fields().find(|field| field.name.starts_with("reserved") && packet.values(field).any(|value| value != 0));
    if let Some(field) = field {
        let verdict = Verdict::new(format!("{} is not 0", field.name)).field(field.name).help("write 0, or check the place of the value that was meant");
        return Some(if field.name == "reserved2" { verdict.severity(Severity::Info) } else { verdict });
    }
    let (dword, bits) = packet.reserved().into_iter().next()?;
    Some(Verdict::new(format!("bits 0x{bits:x} of dword {dword} belong to no field")).help("clear them"))
}

fn scope(view: &AqlView<'_>) -> Option<Verdict> {
    if view.packet.name() == "invalid" {
        return None;
    }
    let field = ["acquire_scope", "release_scope"].into_iter().find(|field| view.value(field) == 3)?;
    Some(Verdict::new(format!("{field} is 3, which is reserved")).field(field).help("write 0 (none), 1 (agent) or 2 (system)"))
}

const GROUP: [&str; 3] = ["workgroup_size_x", "workgroup_size_y", "workgroup_size_z"];
const GRID: [&str; 3] = ["grid_size_x", "grid_size_y", "grid_size_z"];
/// The most work-items in a workgroup.
const MOST_ITEMS: u64 = 1024;

fn sizes(view: &AqlView<'_>) -> Option<Verdict> {
    if !view.is_dispatch() {
        return None;
    }
    let dimensions = view.value("dimensions");
    if dimensions == 0 {
        let verdict = Verdict::new("the grid has 0 dimensions: the packet processor reports an invalid dimension, and the queue stops").field("dimensions");
        return Some(verdict.help("write 1 to 3 into setup, bits 17:16 of the first dword"));
    }
    if let Some(field) = GROUP.into_iter().find(|field| view.value(field) == 0) {
        let verdict = Verdict::new(format!("{field} is 0: the packet processor reports an invalid dimension, and the queue stops")).field(field);
        return Some(verdict.help("write the work-items of a group; 1 in dimensions that are not used"));
    }
    let items: u64 = GROUP.iter().map(|field| view.value(field)).product();
    if items > MOST_ITEMS {
        let text = format!("a group has {items} work-items: the packet processor reports a group that is too large, and the queue stops");
        return Some(Verdict::new(text).field(GROUP[0]).help(format!("use groups of at most {MOST_ITEMS} work-items")));
    }
    let unused = GROUP.into_iter().zip(GRID).skip(dimensions as usize).flat_map(|(group, grid)| [group, grid]).find(|field| view.value(field) != 1);
    let (field, text) = match (unused, GRID.into_iter().find(|field| view.value(field) == 0)) {
        (Some(field), _) => (field, format!("{field} is {}, in a grid of {dimensions} dimensions: sizes that are not used are 1", view.value(field))),
        (None, Some(field)) => (field, format!("{field} is 0: a grid has work-items in each dimension")),
        (None, None) => return None,
    };
    Some(Verdict::new(text).severity(Severity::Warning).field(field).help("check dimensions and sizes: those of the grid are work-items, not groups"))
}

fn kernel_object(view: &AqlView<'_>) -> Option<Verdict> {
    let object = view.is_dispatch().then(|| view.value("kernel_object"))?;
    let verdict = match object {
        0 => Verdict::new("the kernel object is 0: the packet processor reports code that is NULL, and the queue stops"),
        _ if !object.is_multiple_of(64) => {
            Verdict::new(format!("the kernel object is at 0x{object:012x}, which is no multiple of 64: no descriptor is there")).severity(Severity::Warning)
        }
        _ => return None,
    };
    Some(verdict.field("kernel_object").help("write the address of the kernel descriptor, the symbol that ends in .kd"))
}

/// The most bytes of group memory in a workgroup, on all chips with graphics.
const MOST_GROUP_MEMORY: u64 = 64 << 10;

fn group_memory(view: &AqlView<'_>) -> Option<Verdict> {
    if !view.is_dispatch() {
        return None;
    }
    let (group, private) = (view.value("group_segment_size"), view.value("private_segment_size"));
    if group > MOST_GROUP_MEMORY {
        let text = format!("a group asks for {group} bytes of group memory: the packet processor reports invalid group memory, and the queue stops");
        return Some(Verdict::new(text).field("group_segment_size").help("at most 65536 bytes, the static part included"));
    }
    let sizes = [("group_segment_size", group, 0, "group"), ("private_segment_size", private, 4, "private")];
    sizes.into_iter().find_map(|(field, given, byte, kind)| {
        let needed = u64::from(view.described(byte)?);
        (given < needed).then(|| {
            let text = format!("the packet gives {given} bytes of {kind} memory, and the kernel was compiled for {needed}");
            let verdict = Verdict::new(text).severity(Severity::Warning).field(field);
            verdict.help(format!("write at least {needed}: {kind}_segment_fixed_size of the descriptor"))
        })
    })
}

/// Returns descriptor bits that must be 0: byte offset, bits, and their name.
fn foreign_bits(chip: Chip) -> impl Iterator<Item = (usize, u32, &'static str)> {
    let gfx = chip.gfx();
    let zero = [12, 24, 28, 32, 36, 40, 60].map(|byte| (byte, u32::MAX, "reserved"));
    let privileged = if gfx.major() == 11 { 0 } else { 1 << 20 };
    let trap = if gfx.major() < 12 { 1 << 6 } else { 0 };
    let scratch = if gfx.major() >= 11 { 1 | 1 << 5 } else { 0 };
    let wave32 = if gfx.major() == 9 { 1 << 10 } else { 0 };
    let third = if gfx.major() == 9 { u32::MAX } else { 0 };
    zero.into_iter().chain([
        (44, third, "the third word of resources, which GFX9 does not have"),
        (48, 3 << 10 | privileged | 1 << 22 | 1 << 24 | 1 << 25, "priority and modes that the packet processor sets"),
        (52, trap | 3 << 13 | 0x1FF << 15, "traps and the size of LDS, which the packet processor sets"),
        (56, 7 << 7 | 0xF << 12, "reserved properties"),
        (56, scratch, "registers of scratch, whose address is a hardware register here"),
        (56, wave32, "wave32, which GFX9 does not have"),
    ])
}

fn descriptor(view: &AqlView<'_>) -> Option<Verdict> {
    let object = view.is_dispatch().then(|| view.value("kernel_object"))?;
    if let (Some(lo), Some(hi)) = (view.described(16), view.described(20)) {
        let entry = object.wrapping_add(u64::from(hi) << 32 | u64::from(lo));
        if object.is_multiple_of(64) && !entry.is_multiple_of(256) {
            let text = format!("the code begins at 0x{entry:012x}, which is no multiple of 256: the shader starts at 0x{:012x}", entry & !0xFF);
            let verdict = Verdict::new(text).severity(Severity::Error).field("kernel_object");
            return Some(verdict.help("align the code to 256 bytes, and check kernel_code_entry_byte_offset: it counts from the descriptor"));
        }
    }
    foreign_bits(view.chip).find_map(|(byte, bits, what)| {
        let set = view.described(byte)? & bits;
        (set != 0).then(|| {
            let text = format!("the kernel descriptor has bits 0x{set:x} at byte {byte}: {what}");
            let verdict = Verdict::new(text).field("kernel_object");
            // As for the registers of a dispatch: a word with two firmware modes is not a resource word.
            let verdict = if byte == 48 && (set & MODES).count_ones() > 1 { verdict.severity(Severity::Error) } else { verdict };
            verdict.help("clear them, or check that the kernel object is the descriptor and was compiled for this chip")
        })
    })
}

/// PRIV, DEBUG_MODE, BULKY and CDBG_USER of RSRC1.
const MODES: u32 = 1 << 20 | 1 << 22 | 1 << 24 | 1 << 25;

/// The registers that each property bit requests, from bit 0 on, and what they hold.
const ASKED_FOR: [(u32, &str); 7] = [
    (4, "the descriptor of private memory"),
    (2, "the packet"),
    (2, "the queue"),
    (2, "the arguments"),
    (2, "the number of the dispatch"),
    (2, "flat scratch"),
    (1, "the size of private memory"),
];
/// The most user data registers of a dispatch.
const MOST_SGPRS: u32 = 16;

fn user_sgprs(view: &AqlView<'_>) -> Option<Verdict> {
    let (resources, properties) = view.is_dispatch().then(|| Some((view.described(52)?, view.described(56)?)))??;
    let asked = || ASKED_FOR.iter().zip(0..).filter(|(_, bit)| properties >> bit & 1 == 1).map(|(asked, _)| asked);
    let (count, needed) = (resources >> 1 & 0x1F, asked().map(|(registers, _)| registers).sum::<u32>());
    let verdict = if count < needed {
        let what: Vec<&str> = asked().map(|(_, what)| *what).collect();
        let text = format!("USER_SGPR of the kernel descriptor is {count}, and its properties ask for {needed} registers: for {}", what.join(", "));
        Verdict::new(text).help(format!("count them in USER_SGPR, bits 5:1 of RSRC2: at least {needed}"))
    } else if count > MOST_SGPRS {
        Verdict::new(format!("USER_SGPR of the kernel descriptor is {count}, and dispatches have {MOST_SGPRS} registers of user data"))
            .help("check that the kernel object is the descriptor and was compiled for this chip")
    } else {
        return None;
    };
    Some(verdict.field("kernel_object"))
}

fn pm4_buffer(view: &AqlView<'_>) -> Option<Verdict> {
    if view.packet.name() != "amd_pm4_ib" {
        return None;
    }
    let &[_, header, lo, _, size, remain, ..] = view.packet.words else { return None };
    let verdict = match () {
        // The shader type applies only to chips before GFX9.
        () if header & !2 != 0xC002_3F00 => {
            Verdict::new(format!("the packet holds 0x{header:08x}, which is no INDIRECT_BUFFER of 4 dwords")).field("ib_jump_cmd").help("write 0xc0023f00")
        }
        () if lo & 3 != 0 => {
            Verdict::new(format!("the address of the buffer ends in 0x{:x}: it is no multiple of 4", lo & 0xF)).field("ib_jump_cmd").help("align it to 4 bytes")
        }
        () if size >> 23 & 1 == 0 => {
            Verdict::new("the bit VALID of INDIRECT_BUFFER is clear").field("ib_jump_cmd").help("set bit 23 of the dword with the size")
        }
        () if remain != 10 => Verdict::new(format!("dw_cnt_remain is {remain}: drivers write 10")).field("dw_cnt_remain").help("write 10"),
        () => return None,
    };
    Some(verdict)
}

fn not_for_gpu(view: &AqlView<'_>) -> Option<Verdict> {
    match view.packet.name() {
        "agent_dispatch" => {
            let verdict = Verdict::new("an agent dispatch in the queue of a GPU: no GPU is known to execute it");
            Some(verdict.help("put it into the queue of an agent of the host"))
        }
        "amd_barrier_value" => {
            let verdict = Verdict::new("a barrier with a value: it is known to be used on CDNA alone").severity(Severity::Info);
            Some(verdict.help("wait with WAIT_REG_MEM64 in a buffer of PM4"))
        }
        _ => None,
    }
}

fn doorbell(view: &AqlView<'_>) -> Option<Verdict> {
    let kind = view.kinds.iter().flatten().find(|kind| matches!(kind, -1 | -2))?;
    let verdict = Verdict::new(format!("a signal of the packet is of kind {kind}, the doorbell of a queue"));
    Some(verdict.help("name a signal that was made for it; a doorbell is written by the host when packets were published"))
}
