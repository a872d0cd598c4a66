//! Page faults: the client, and known addresses near the page.

use super::locate::HangReport;
use super::names::{Known, NAMES, names_by_distance};
use crate::chip::Gfx;
use crate::input::ring_words::{ADDRESS, PAGE, RunBy};
use crate::input::{Allocation, BoundObject, BufferUse, InputBuffer, PageFault, PageMemory, WrongAddress};
use crate::plurals::counted;
use crate::regs;
use crate::report::DrawState;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Maximum distance from the fault, in bytes, at which an address is reported.
const NEAR: u64 = 1 << 28;
/// Maximum number of addresses reported.
const REPORTED: usize = 5;

/// Fields of VM_L2_PROTECTION_FAULT_STATUS on GFX9: name, and lowest and highest bit. Linux 7.1 gmc_v9_0.c prints the first six, and kernel logs show their
/// places: 0x00841051 is printed as client 8, PERMISSION_FAULTS 5, RW 1, of VMID 8 (ROCm/legacy-rocm-build, issue 2480).
const GFX9_STATUS: [(&str, u32, u32); 7] =
    [("MORE_FAULTS", 0, 0), ("WALKER_ERROR", 1, 3), ("PERMISSION_FAULTS", 4, 7), ("MAPPING_ERROR", 8, 8), ("CID", 9, 17), ("RW", 18, 18), ("VMID", 20, 23)];

/// Names of the register that has these fields in later generations.
const STATUS: [&str; 2] = ["GCVM_L2_PROTECTION_FAULT_STATUS", "GCVM_L2_PROTECTION_FAULT_STATUS_LO32"];

/// Returns the fields of the status, with their values; none if the generation's register is unknown.
fn fields(gfx: Gfx, status: u32) -> Vec<(&'static str, u32)> {
    match STATUS.iter().find_map(|name| regs::find(gfx, name)) {
        Some(register) => register.fields().iter().map(|field| (field.name, field.get(status))).collect(),
        None if gfx.major() == 9 => GFX9_STATUS.iter().map(|(name, low, high)| (*name, status >> low & ((1 << (high - low + 1)) - 1))).collect(),
        None => Vec::new(),
    }
}

/// Clients of the graphics hub by their number (CID). Linux 7.1 gmc_v9_0.c gfxhub_client_ids.
const CLIENTS_GFX9: &[&str] = &["CB", "DB", "IA", "WD", "CPF", "CPC", "CPG", "RLC", "TCP", "SQC (inst)", "SQC (data)", "SQG", "PA"];
/// Linux 7.1 gfxhub_v2_0.c, gfxhub_v2_1.c, gfxhub_v3_0.c, gfxhub_v11_5_0.c gfxhub_client_ids. An empty name is reserved.
const CLIENTS_GFX10: &[&str] =
    &["CB/DB", "", "GE1", "GE2", "CPF", "CPC", "CPG", "RLC", "TCP", "SQC (inst)", "SQC (data)", "SQG", "", "SDMA0", "SDMA1", "GCR", "SDMA2", "SDMA3"];

/// Returns the clients of a generation; none of GFX12, whose table in gfxhub_v12_0.c was empty when Linux got it.
fn clients(gfx: Gfx) -> &'static [&'static str] {
    match gfx.major() {
        9 => CLIENTS_GFX9,
        10 | 11 => CLIENTS_GFX10,
        _ => &[],
    }
}

/// The function of a client, by the beginning of its name; the first match counts.
const WORKS: [(&str, &str); 11] = [
    ("CPF", "the fetcher of the command processor"),
    ("CPC", "the command processor of compute queues"),
    ("CPG", "the command processor of the graphics queue"),
    ("CB/DB", "the colour or depth unit"),
    ("TCP", "a shader"),
    ("SQC (inst)", "the instruction fetch of a shader"),
    ("SQC (data)", "the scalar reads of a shader"),
    ("CB", "the colour unit"),
    ("DB", "the depth unit"),
    ("GE", "the geometry engine"),
    ("SDMA", "the SDMA engine"),
];

/// The client that used the address, and the kind of access.
pub(super) struct Access {
    /// The name of the client, if known.
    pub client: Option<String>,
    /// Whether it was a write; None if no status was recorded.
    pub is_write: Option<bool>,
    is_mmhub: bool,
}

impl Access {
    pub fn of(gfx: Gfx, fault: &PageFault) -> Self {
        let fields = fields(gfx, fault.status);
        let field = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted && fault.status != 0).map(|(_, value)| *value);
        let is_mmhub = fault.hub.as_deref().is_some_and(|hub| hub.starts_with("mmhub"));
        // The other hub numbers its clients differently.
        let number = field("CID").filter(|_| !is_mmhub).and_then(|cid| usize::try_from(cid).ok());
        let known = number.and_then(|cid| clients(gfx).get(cid)).filter(|name| !name.is_empty());
        Self { client: fault.client.clone().or_else(|| known.map(ToString::to_string)), is_write: field("RW").map(|rw| rw == 1), is_mmhub }
    }

    /// Returns the client, as the beginning of a sentence.
    fn who(&self, ring: RunBy) -> String {
        let client = self.client.as_deref();
        let work = client.and_then(|client| WORKS.iter().find(|(name, _)| client.starts_with(name)));
        match (work, client) {
            _ if self.is_mmhub => "a client of mmhub, which is neither the command processor nor a shader,".to_string(),
            (Some((_, work)), Some(client)) => format!("{work} ({client})"),
            (_, Some(client)) => format!("the client {client}"),
            _ if ring == RunBy::Other => "the engine of the ring, or a shader,".to_string(),
            _ => "the command processor or a shader (it is not known which)".to_string(),
        }
    }

    /// Returns the action that failed.
    fn what(&self) -> &'static str {
        match self.is_write {
            Some(true) => "could not write to it",
            Some(false) => "could not read it",
            None => "could not reach it",
        }
    }
}

/// Returns the fields of the status as text; empty if the generation's register is unknown.
pub(super) fn status(gfx: Gfx, fault: &PageFault) -> String {
    if fault.status == 0 {
        return "no status is recorded".to_string();
    }
    let access = Access::of(gfx, fault);
    /// Fields that are printed even if they are 0.
    const ALWAYS: [&str; 3] = ["CID", "VMID", "RW"];
    let say = |(name, value): (&str, u32)| {
        let meaning = match name {
            "CID" => format!(" ({})", access.client.as_deref().unwrap_or("the client is not known")),
            "RW" => if value == 1 { " (a write)" } else { " (a read)" }.to_string(),
            _ => String::new(),
        };
        format!("{name}={value}{meaning}")
    };
    let fields = fields(gfx, fault.status).into_iter().filter(|(name, value)| *value != 0 || ALWAYS.contains(name));
    fields.map(say).collect::<Vec<_>>().join(" ")
}

/// Returns the reason why addresses of the job say nothing about the page, if the fault is in another address space (VMID) than the one that the kernel states
/// for the job. The hubs number their address spaces separately (Linux 7.1 amdgpu_ids.c amdgpu_vmid_mgr), and that of the job belongs to gfxhub.
pub(super) fn of_another_space(hang: &HangReport<'_>, fault: &PageFault) -> Option<String> {
    let job: u32 = hang.input.fact("vmid")?.parse().ok()?;
    let (_, vmid) = fields(hang.gfx, fault.status).into_iter().find(|(name, _)| *name == "VMID")?;
    let comparable = fault.status != 0 && !Access::of(hang.gfx, fault).is_mmhub;
    (comparable && vmid != job).then(|| {
        format!(
            "the fault is of VMID {vmid}, and the job has VMID {job}: it is of another address space, and no address of the job can be compared with the page"
        )
    })
}

/// Maximum distance from the start of a program, in bytes, at which an address is reported relative to it.
const PROGRAM: u64 = 1 << 20;

/// Returns the program of a draw that may contain an instruction: the register with the address of the program, and the offset in bytes.
pub(super) fn program_at(state: &DrawState, address: u64) -> Option<(String, u64)> {
    let programs = of_state(state).into_iter().filter(|known| known.what.contains("_PGM_LO"));
    let before = programs.filter_map(|known| Some((known.what, address.checked_sub(known.address & ADDRESS)?)));
    before.filter(|(_, bytes)| *bytes < PROGRAM).min_by_key(|(_, bytes)| *bytes)
}

/// Returns the addresses in registers of a draw: the register and its upper half, and the shift of the value in bits.
pub(super) fn of_state(state: &DrawState) -> Vec<Known> {
    let value = |name: &str| regs::find(state.gfx, name).and_then(|register| state.registers.get(&register.addr())).map(|written| written.value);
    let mut known = Vec::new();
    for (addr, written) in &state.registers {
        let Some(name) = regs::lookup(state.gfx, *addr).map(|register| register.to_string()) else { continue };
        let upper = if name.contains("_PGM_LO") {
            name.replace("_PGM_LO", "_PGM_HI")
        } else if name.starts_with("CB_COLOR") && name.ends_with("_BASE") {
            format!("{name}_EXT")
        } else if name.starts_with("DB_") && name.ends_with("_BASE") {
            format!("{name}_HI")
        } else {
            continue;
        };
        // 256-byte units, and 8 additional bits in the upper half (Mesa 25.0.7 radv_cmd_buffer.c, all generations).
        let address = u64::from(value(&upper).unwrap_or(0) & 0xFF) << 40 | u64::from(written.value) << 8;
        if address != 0 {
            known.push(Known { address, what: name });
        }
    }
    known
}

/// Returns an address that a driver found wrong.
pub(super) fn of_driver(hang: &HangReport<'_>, wrong: &WrongAddress) -> Known {
    let buffer = hang.input.buffers.get(wrong.buffer).map_or("?", |buffer| buffer.name.as_str());
    Known { address: wrong.address, what: format!("{} at {buffer} dword {} ({}, says the driver)", wrong.field, wrong.dword, wrong.verdict) }
}

/// Returns adjacent words of non-PM4 buffers that may be an address, the low half first, as in SDMA packets (Mesa 25.0.7 ac_parse_ib.c parse_sdma_ib). Only
/// words equal to the upper half of the page count: any word may be a low half.
fn word_pairs(buffers: &[InputBuffer], page: u64) -> Vec<Known> {
    let upper = (page >> 32) as u32;
    let buffers = buffers.iter().filter(|buffer| buffer.usage == BufferUse::OtherEngine && upper != 0);
    let pairs = buffers.flat_map(|buffer| buffer.words.windows(2).enumerate().map(move |(dword, pair)| (&buffer.name, dword, pair)));
    let of_page = pairs.filter(|(.., pair)| pair[1] == upper);
    let known = of_page.map(|(name, dword, pair)| Known {
        address: u64::from(pair[1]) << 32 | u64::from(pair[0]),
        what: format!("the words at dwords {dword} and {} of {name}, if they are an address", dword + 1),
    });
    known.take(PAIRS).collect()
}

/// Maximum number of pairs kept.
const PAIRS: usize = 1 << 12;

/// Returns the known addresses at the page or near it, as sentences; empty if there are none.
pub(super) fn near(hang: &HangReport<'_>, fault: &PageFault, known: &[Known]) -> Vec<String> {
    let page = fault.address & ADDRESS;
    let mut lines = Vec::new();
    if page == 0 {
        lines.push("page 0: an address that was never set, or an index below zero".to_string());
    }
    // Any low address is near page 0.
    let near = if page == 0 { 0 } else { NEAR };
    let access = Access::of(hang.gfx, fault);
    for buffer in &hang.input.buffers {
        let Some(start) = buffer.addr.map(|addr| addr & ADDRESS) else { continue };
        let end = start.saturating_add(4u64.saturating_mul(buffer.expected_dwords.unwrap_or(buffer.words.len()) as u64));
        if start < page + PAGE && page < end {
            lines.push(format!("the page is in {}, at dword {}: {} {}", buffer.name, page.saturating_sub(start) / 4, access.who(hang.ring), access.what()));
        }
    }
    let pairs = word_pairs(&hang.input.buffers, page);
    let by_distance = names_by_distance(known.iter().chain(&pairs), ADDRESS, page..page + PAGE, near);
    for ((distance, address), names) in by_distance.into_iter().take(REPORTED) {
        let names = names.join(", ");
        lines.push(match distance {
            0 => format!("0x{address:012x} is in the page: {names}"),
            _ if address < page => {
                format!("the page begins 0x{distance:x} bytes after 0x{address:012x}, the address in {names}; the size of the allocation is not known")
            }
            _ => format!("the page ends 0x{:x} bytes before 0x{address:012x}, the address in {names}", distance - 1),
        });
    }
    lines
}

/// Returns a driver's records of the memory at a page, as sentences.
pub(super) fn memory(page: u64, memory: &PageMemory) -> Vec<String> {
    let mut lines = Vec::new();
    let PageMemory { history, last_entry, owner, mapped_to, mapped_freed, range, ranges, used, used_buffer, bindings, objects, .. } = memory;
    match owner {
        Some(owner) => lines.push(match owner.freed {
            Some(freed) => {
                format!("the page was in {}, {}", span(owner), was_freed(freed, *last_entry))
            }
            None if owner.is_sparse => {
                let memory = match (mapped_to, mapped_freed) {
                    (Some(to), Some(freed)) => format!("the page is mapped to 0x{to:012x}, {}", was_freed(*freed, *last_entry)),
                    (Some(to), None) => format!("the page is mapped to 0x{to:012x}"),
                    (None, _) => "no memory is bound at the page".to_string(),
                };
                format!("the page is in {} with sparse memory, which RADV has not freed, and {memory}", span(owner))
            }
            None => format!("the page is in {}, which RADV has not freed: why it could not be reached is not known", span(owner)),
        }),
        None if *history > 0 => lines.push(format!("the page is and was in no allocation of RADV's history{}", neighbours(page, memory))),
        None => {}
    }
    match range {
        Some(range) if owner.is_none() => {
            lines.push(format!("the page is in {}, which is in RADV's list of allocations: why it could not be reached is not known", span(range)))
        }
        None if *ranges > 0 && *history == 0 => lines.push(
            "no allocation in RADV's list has the page; the list lacks allocations with sparse memory, and whether one had the page before is not known"
                .to_string(),
        ),
        _ => {}
    }
    match used_buffer {
        Some(buffer) => {
            let usage = if buffer.usage.is_empty() { String::new() } else { format!(" as {}", buffer.usage) };
            lines.push(format!("the page is in {}, which the job uses{usage}: why it could not be reached is not known", span(buffer)));
        }
        None if *used > 0 => lines.push("the page is in no buffer that the driver lists for the job; buffers that jobs do not use are not listed".to_string()),
        None => {}
    }
    for BoundObject { start, end, kind, handle, is_bound } in objects.iter().take(NAMES) {
        let is_bound = if *is_bound { "is bound there" } else { "was bound there, and is not any more" };
        lines.push(format!("{kind} {handle} at 0x{start:012x} to 0x{end:012x} {is_bound}"));
    }
    if objects.len() > NAMES {
        lines.push(format!("and {} that are or were bound there", counted(objects.len() - NAMES, "more object")));
    }
    if *bindings > 0 && objects.is_empty() {
        lines.push("no Vulkan object that RADV recorded is or was bound there".to_string());
    }
    lines
}

/// Returns the time at which memory was freed, as part of a sentence.
fn was_freed(freed: u64, last_entry: Option<u64>) -> String {
    let when = match last_entry.unwrap_or(freed).saturating_sub(freed) {
        0 => "at the time of".to_string(),
        since => format!("{}.{:03} ms before", since / 1_000_000, since / 1000 % 1000),
    };
    format!("which RADV freed {when} the last entry of its history: it may have been used after that")
}

/// Returns an allocation, as part of a sentence.
fn span(allocation: &Allocation) -> String {
    let Allocation { start, end, .. } = allocation;
    format!("the allocation of 0x{:x} bytes at 0x{start:012x}", end - start)
}

/// Returns the allocations before and after a page, if they are near.
fn neighbours(page: u64, memory: &PageMemory) -> String {
    let below = memory.below.as_ref().map(|below| (below, page - below.end, "ends", "before it"));
    let above = memory.above.as_ref().map(|above| (above, above.start - page - PAGE, "begins", "after its end"));
    let near: Vec<String> = below
        .into_iter()
        .chain(above)
        .filter(|(_, distance, ..)| *distance <= NEAR)
        .map(|(allocation, distance, does, place)| format!("{} {does} 0x{distance:x} bytes {place}", span(allocation)))
        .collect();
    match near.is_empty() {
        true => format!(", and none that exists is within 0x{NEAR:x} bytes of it"),
        false => format!("; {}", near.join(", and ")),
    }
}

/// The message if nothing is near the page.
const NOTHING_NEAR: &str = "no address in the packets, registers or descriptors of the dump is near the page; to search more packets, map the command \
     buffers that the dump lacks (--map of pm4 check, CommandProcessor::map in the library)";

pub(super) fn nothing_near(hang: &HangReport<'_>) -> String {
    let other = hang.input.buffers.iter().any(|buffer| buffer.usage == BufferUse::OtherEngine && !buffer.words.is_empty());
    let limit =
        if other { ". Packets that are not PM4 were not decoded: of their buffers only pairs of neighbouring words were compared with the page" } else { "" };
    format!("{NOTHING_NEAR}{limit}")
}

/// Returns buffer descriptors in mapped memory whose range contains the page. Only the shader knows which words are descriptors, so any four words that form a
/// plausible descriptor count.
pub(super) fn descriptors(hang: &HangReport<'_>, page: u64, user_data: &[(String, u32)]) -> Vec<String> {
    let page = page & ADDRESS;
    let mut lines = Vec::new();
    for (name, low) in user_data {
        for buffer in &hang.input.buffers {
            let Some(start) = buffer.addr.filter(|start| *low != 0 && (*start as u32) <= *low) else { continue };
            let from = (*low - start as u32) as usize / 4;
            for (at, words) in buffer.words.get(from..).unwrap_or_default().chunks_exact(4).enumerate().take(LOOKED_AT) {
                let base = u64::from(words[1] & 0xFFFF) << 32 | u64::from(words[0]);
                let stride = u64::from(words[1] >> 16 & 0x3FFF).max(1);
                let bytes = stride.saturating_mul(words[2].into());
                if base != 0 && base <= page && page - base < bytes {
                    let dword = from + 4 * at;
                    lines.push(format!(
                        "{name} points to {} dword {from}. If the words at dword {dword} are a buffer descriptor, its buffer covers the page: 0x{bytes:x} \
                         bytes from 0x{base:012x}",
                        buffer.name
                    ));
                }
            }
        }
    }
    lines.truncate(REPORTED);
    lines
}

/// Maximum number of descriptors examined after a pointer.
const LOOKED_AT: usize = 64;
