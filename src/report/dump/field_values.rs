//! What records and text of packets share: values in several fields, bits of fields, words about damage.

use crate::chip::Gfx;
use crate::packet::{Bits, DecodeError, DecodedSplitValue, Defect, FieldValue, Layout};
use crate::plurals::counted;
use crate::regs::FieldInfo;
use alloc::format;
use alloc::string::String;

/// Returns the value of several fields whose lower half a field is.
pub(super) fn begun_by<'w>(split_values: &'w [DecodedSplitValue], field: &FieldValue) -> Option<&'w DecodedSplitValue> {
    split_values.iter().find(|whole| whole.hi.is_some() && whole.group == field.group && core::ptr::eq(whole.lo, field.field))
}

/// Returns the value of several fields whose upper half a field is.
pub(super) fn ended_by<'w>(split_values: &'w [DecodedSplitValue], field: &FieldValue) -> Option<&'w DecodedSplitValue> {
    split_values.iter().find(|whole| whole.group == field.group && whole.hi.is_some_and(|hi| core::ptr::eq(hi, field.field)))
}

/// What the bits of a laid out field hold: value, and its name where it has one.
pub(super) fn inner_bits(layout: &'static Layout, gfx: Gfx, value: u64) -> impl Iterator<Item = (&'static Bits, u64, Option<&'static str>)> {
    layout.bits.iter().filter(move |b| b.gfx & gfx.bit() != 0).map(move |bits| {
        let value = value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
        (bits, value, bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)).map(|v| v.name))
    })
}

/// What is printed of a packet that no engine reads.
pub(in crate::report) fn beyond(defect: &Defect, next: usize) -> String {
    format!("{defect} (reading continues at dword {next})")
}

/// What is printed of dwords that are not a packet; `more` says whether any follow.
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

/// Addresses in a packet: what they are called, and what they are. Those in repeated groups are left out.
#[cfg(feature = "input")]
pub(crate) fn addresses(packet: &crate::packet::Packet<'_>, gfx: Gfx, queue: crate::packet::Queue) -> alloc::vec::Vec<(&'static str, u64)> {
    let split_values = packet.split_values(gfx, queue).filter(|whole| whole.group.is_none() && whole.hi.is_some() && whole.value != 0);
    split_values.filter(|whole| whole.whole.address.is_some()).map(|whole| (whole.whole.name, whole.value)).collect()
}
