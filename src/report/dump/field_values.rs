//! Shared by records and text of packets: values in several fields, bits of fields, messages about damage.

use crate::chip::Gfx;
use crate::packet::{Bits, DecodeError, DecodedSplitValue, Defect, FieldValue, Layout};
use crate::plurals::counted;
use crate::regs::FieldInfo;
use alloc::format;
use alloc::string::String;

/// Returns the split value whose lower half is in a field.
pub(super) fn begun_by<'w>(split_values: &'w [DecodedSplitValue], field: &FieldValue) -> Option<&'w DecodedSplitValue> {
    split_values.iter().find(|whole| whole.hi.is_some() && whole.group == field.group && core::ptr::eq(whole.lo, field.field))
}

/// Returns the split value whose upper half is in a field.
pub(super) fn ended_by<'w>(split_values: &'w [DecodedSplitValue], field: &FieldValue) -> Option<&'w DecodedSplitValue> {
    split_values.iter().find(|whole| whole.group == field.group && whole.hi.is_some_and(|hi| core::ptr::eq(hi, field.field)))
}

/// Returns the inner bits of a field with a layout: value, and its name if it has one.
pub(super) fn inner_bits(layout: &'static Layout, gfx: Gfx, value: u64) -> impl Iterator<Item = (&'static Bits, u64, Option<&'static str>)> {
    layout.bits.iter().filter(move |b| b.gfx & gfx.bit() != 0).map(move |bits| {
        let value = value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
        (bits, value, bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)).map(|v| v.name))
    })
}

/// Returns the message about a packet that no engine reads.
pub(in crate::report) fn beyond(defect: &Defect, next: usize) -> String {
    format!("{defect} (reading continues at dword {next})")
}

/// Returns the message about dwords that are not a packet; `more` states whether any follow.
pub(in crate::report) fn after_gap(error: &DecodeError, more: bool) -> String {
    match error.offset + error.skipped {
        next if more => format!("{error} (reading continues at dword {next})"),
        _ => format!("{error} (no packet was found after it)"),
    }
}

pub(super) fn symbol(field: &FieldInfo, value: u32) -> Option<&'static str> {
    field.values.and_then(|e| e.name_of(value))
}

pub(in crate::report) fn odd_bytes(bytes: &[u8]) -> String {
    format!("the file ends with {} that {} not a whole dword", counted(bytes.len(), "byte"), if bytes.len() == 1 { "is" } else { "are" })
}

/// Returns the addresses in a packet, with their names. Those in repeated groups are omitted.
#[cfg(feature = "input")]
pub(crate) fn addresses(packet: &crate::packet::Packet<'_>, gfx: Gfx, queue: crate::packet::Queue) -> alloc::vec::Vec<(&'static str, u64)> {
    let split_values = packet.split_values(gfx, queue).filter(|whole| whole.group.is_none() && whole.hi.is_some() && whole.value != 0);
    split_values.filter(|whole| whole.whole.address.is_some()).map(|whole| (whole.whole.name, whole.value)).collect()
}
