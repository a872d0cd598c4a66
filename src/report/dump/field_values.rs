//! What records and text of packets share: values in several fields, registers that fields point to, words about damage.

use crate::chip::Gfx;
use crate::packet::{Bits, DecodeError, Defect, FieldValue, Layout, Packet};
use crate::regs::FieldInfo;
use alloc::format;
use alloc::string::String;

/// Halves of addresses whose names differ in more than `_lo` and `_hi`: lower, upper, and what the whole is called.
const UNLIKE_HALVES: &[(&str, &str, &str)] = &[
    ("src_addr_lo_or_data", "src_addr_hi", "src_addr"),
    ("src_32b_addr_lo", "src_memtc_addr_hi", "src_addr"),
    ("src_64b_addr_lo", "src_memtc_addr_hi", "src_addr"),
    ("dst_32b_addr_lo", "dst_addr_hi", "dst_addr"),
    ("dst_64b_addr_lo", "dst_addr_hi", "dst_addr"),
    ("offset_or_address_lo", "src_address_hi", "src_address"),
];

/// The name of the value whose halves these are: `address` of `address_lo` and `address_hi`.
pub(super) fn whole_of(low: &FieldValue, high: &FieldValue) -> Option<&'static str> {
    let stem = half_of(high.name, "_hi")?;
    let alike = (half_of(low.name, "_lo") == Some(stem) && low.group.is_some() == high.group.is_some()).then_some(stem);
    alike.or_else(|| UNLIKE_HALVES.iter().find(|(l, h, _)| (*l, *h) == (low.name, high.name)).map(|half| half.2))
}

/// Whether the source of DMA_DATA is data, not at an address.
pub(super) fn is_data(field: &FieldValue) -> bool {
    field.name == "src_sel" && field.symbol() == Some("data")
}

/// Whether a field has the name of a lower half.
pub(super) fn is_low(name: &'static str) -> bool {
    half_of(name, "_lo").is_some() || UNLIKE_HALVES.iter().any(|half| half.0 == name)
}

/// What the bits of a laid out field hold: value, and its name where it has one.
pub(super) fn inner_bits(layout: &'static Layout, gfx: Gfx, value: u64) -> impl Iterator<Item = (&'static Bits, u64, Option<&'static str>)> {
    layout.bits.iter().filter(move |b| b.gfx & gfx.bit() != 0).map(move |bits| {
        let value = value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
        (bits, value, bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)).map(|v| v.name))
    })
}

const SH: u32 = 0xB000;

/// Fields that hold the dword address of a register. On GFX12 some have 38 bits.
const ADDRESSES: &[&str] = &[
    "reg_poll_addr",
    "reg_write_addr1",
    "reg_write_addr2",
    "src_reg_offset",
    "src_reg_offset_lo",
    "dst_reg_offset",
    "dst_reg_offset_lo",
    "dst_mmreg_addr",
    "dst_mmreg_addr_lo",
    "mod_addr",
    "and_addr",
    "or_addr",
];

/// Where `reg_offset` counts from, by the beginning of the packet's name. SET_* tell their registers as writes.
const WINDOWS: &[(&str, u32)] =
    &[("CONTEXT_REG_RMW", 0x28000), ("LOAD_CONTEXT", 0x28000), ("LOAD_SH", SH), ("SET_SH_REG_OFFSET", SH), ("LOAD_UCONFIG", 0x30000), ("LOAD_CONFIG", 0x8000)];

/// Byte address of the register that a field points to.
pub(super) fn register_of(packet: &Packet<'_>, gfx: Gfx, field: &FieldValue) -> Option<u32> {
    // Most fields are too narrow or have named values: their names need not be looked at.
    if field.field.hi - field.field.lo < 15 || field.field.values.is_some() || field.field.layout.is_some() {
        return None;
    }
    let base = match field.name {
        "reg_offset" => WINDOWS.iter().find(|(start, _)| packet.name(gfx).is_some_and(|name| name.starts_with(start)))?.1,
        // SGPRs for draw arguments; 0 where the shader wants none.
        name if name.ends_with("_loc") && field.value != 0 => SH,
        name if ADDRESSES.contains(&name) => 0,
        _ => return None,
    };
    Some(base + 4 * u32::try_from(field.value).ok().filter(|dword| *dword < 1 << 18)?)
}

/// What is told of a packet that no engine reads.
pub(in crate::report) fn beyond(defect: &Defect, next: usize) -> String {
    format!("{defect}, reading goes on at dword {next}")
}

/// What is told of dwords that are no packet; `more` says whether any follow.
pub(in crate::report) fn after_gap(error: &DecodeError, more: bool) -> String {
    match error.offset + error.skipped {
        next if more => format!("{error}, reading goes on at dword {next}"),
        _ => format!("{error}, no packets are found behind it"),
    }
}

pub(super) fn symbol(field: &FieldInfo, value: u32) -> Option<&'static str> {
    field.values.and_then(|e| e.name_of(value))
}

/// `src_64b_addr_lo` to `src_addr`, for halves of one value.
pub(super) fn half_of(name: &'static str, suffix: &str) -> Option<&'static str> {
    let sized = || name.strip_suffix("_32b").or_else(|| name.strip_suffix("_64b"))?.strip_suffix(suffix);
    name.strip_suffix(suffix).or_else(sized)
}

pub(in crate::report) fn odd_bytes(bytes: &[u8]) -> String {
    format!("the file ends with {} bytes that are no whole dword", bytes.len())
}

/// Addresses in a packet: what they are called, and what they are. Those in repeated groups are left out.
#[cfg(feature = "input")]
pub(crate) fn addresses(packet: &Packet<'_>, gfx: Gfx, queue: crate::packet::Queue) -> alloc::vec::Vec<(&'static str, u64)> {
    let all: alloc::vec::Vec<FieldValue> = packet.fields(gfx, queue).take_while(|field| field.group.is_none()).collect();
    let data = all.iter().any(is_data);
    let halves = all.iter().filter(|low| is_low(low.name)).filter_map(|low| {
        let high = all.iter().find(|high| whole_of(low, high).is_some())?;
        let name = whole_of(low, high)?;
        let is_address = (name.contains("addr") || name.contains("base")) && !(data && name == "src_addr");
        is_address.then_some((name, high.value << 32 | low.value))
    });
    halves.filter(|(_, address)| *address != 0).collect()
}
