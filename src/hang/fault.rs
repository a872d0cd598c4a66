//! The page fault: who, and what lies near its address.

use super::HangReport;
use crate::chip::Gfx;
use crate::input::PageFault;
use crate::input::ring_words::RunBy;
use crate::regs;
use crate::report::DrawState;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Bytes of a page.
const PAGE: u64 = 0x1000;
/// How far from the fault an address is told.
const NEAR: u64 = 1 << 28;
/// Addresses that are told.
const TOLD: usize = 5;

/// An address that the stream names.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub address: u64,
    pub what: String,
}

/// What the status says, by its fields; empty where the generation's register is not known.
pub(super) fn status(gfx: Gfx, status: u32) -> String {
    if status == 0 {
        return "nothing was recorded".to_string();
    }
    let names = ["GCVM_L2_PROTECTION_FAULT_STATUS", "GCVM_L2_PROTECTION_FAULT_STATUS_LO32"];
    let Some(register) = names.iter().find_map(|name| regs::find(gfx, name)) else { return String::new() };
    // Which client has which number (CID) no source here states.
    let told = ["CID", "VMID", "RW"];
    let fields = register.fields().iter().map(|field| (field.name, field.get(status)));
    fields.filter(|(name, value)| *value != 0 || told.contains(name)).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The addresses in registers of a draw: register and its upper half, and by how many bits the value is shifted.
pub(super) fn of_state(state: &DrawState) -> Vec<Known> {
    let value = |name: &str| regs::find(state.gfx, name).and_then(|register| state.registers.get(&register.addr())).map(|(value, _)| *value);
    let mut known = Vec::new();
    for (addr, (low, _)) in &state.registers {
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
        // 256-byte units, and 8 bits more in the upper half (Mesa 25.0.7 radv_cmd_buffer.c, all generations).
        let address = u64::from(value(&upper).unwrap_or(0) & 0xFF) << 40 | u64::from(*low) << 8;
        if address != 0 {
            known.push(Known { address, what: name });
        }
    }
    known
}

/// What lies at the page or near it, in sentences; none where nothing does.
pub(super) fn near(hang: &HangReport<'_>, fault: &PageFault, known: &[Known]) -> Vec<String> {
    let page = fault.address & 0xFFFF_FFFF_FFFF;
    let mut lines = Vec::new();
    if page == 0 {
        lines.push("page 0: an address that was never set, or an index below zero".to_string());
    }
    // Any low address is near page 0.
    let near = if page == 0 { 0 } else { NEAR };
    let fetcher = if hang.ring == RunBy::Other { "the engine of the ring" } else { "the command processor" };
    for buffer in &hang.input.buffers {
        let Some(start) = buffer.addr.map(|addr| addr & 0xFFFF_FFFF_FFFF) else { continue };
        let end = start.saturating_add(4u64.saturating_mul(buffer.expected_dwords.unwrap_or(buffer.words.len()) as u64));
        if start < page + PAGE && page < end {
            lines.push(format!(
                "the page is in {}, at dword {}: {fetcher} could not fetch the buffer, or a shader read it; the client ID (CID) in the status shows which",
                buffer.name,
                page.saturating_sub(start) / 4
            ));
        }
    }
    // The same address under one name once.
    let mut by_distance: BTreeMap<(u64, u64), Vec<&str>> = BTreeMap::new();
    for Known { address, what } in known {
        let address = address & 0xFFFF_FFFF_FFFF;
        // 0 for an address within the page; from its end on, one more than the bytes between.
        let distance = if address >= page { (address + 1).saturating_sub(page + PAGE) } else { page - address };
        if distance <= near {
            let names = by_distance.entry((distance, address)).or_default();
            if !names.contains(&what.as_str()) {
                names.push(what);
            }
        }
    }
    for ((distance, address), names) in by_distance.into_iter().take(TOLD) {
        let names = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
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

/// What is said where nothing lies near the page.
pub(super) const NOTHING_NEAR: &str = "no address in the packets, registers or descriptors of the dump is near the page; to search more packets, map the command buffers that the dump lacks \
     (--map of pm4 check, CommandProcessor::map in the library)";

/// Buffer descriptors in mapped memory whose range holds the page. Which words are descriptors only the shader knows, so four words count as one where they would
/// make sense.
pub(super) fn descriptors(hang: &HangReport<'_>, page: u64, user_data: &[(String, u32)]) -> Vec<String> {
    let page = page & 0xFFFF_FFFF_FFFF;
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
                        "{name} points to {} dword {from}. If the words at dword {dword} are a buffer descriptor, its buffer covers the page: 0x{bytes:x} bytes from 0x{base:012x}",
                        buffer.name
                    ));
                }
            }
        }
    }
    lines.truncate(TOLD);
    lines
}

/// Descriptors that are looked at after a pointer.
const LOOKED_AT: usize = 64;
