//! The tables of packets from the rows of bytes that build.rs makes.

use super::generated::{BIT_LISTS, CONDITION_LISTS, ENTRY_LISTS, ENUMS, LAYOUTS, NUMBER_LISTS, SLOT_LISTS, TEXTS, VALUE_LISTS};
use crate::packet::formats::field::{Bits, Condition, Enum, EnumValue, Field, FieldRegister, Layout};
use crate::packet::typed::packet_fields::{Slot, StructLayout};
use crate::packet::wire::scope::Scope;
use crate::rows::{half, some, word};

/// Bytes of a row, as `build/emit_packets/packet_rows.rs` writes them.
const NUMBER_BYTES: usize = 4;
const CONDITION_BYTES: usize = 6;
const VALUE_BYTES: usize = 10;
const ENUM_BYTES: usize = 4;
const BITS_BYTES: usize = 7;
const LAYOUT_BYTES: usize = 4;
const FIELD_BYTES: usize = 22;
const SLOT_BYTES: usize = 8;
const STRUCT_BYTES: usize = 10;

// What the build cuts to two bytes would name another item.
const _: () = assert!(
    TEXTS.len() <= 0xFFFF
        && NUMBER_LISTS.len() <= 0xFFFF
        && ENTRY_LISTS.len() <= 0xFFFF
        && CONDITION_LISTS.len() <= 0xFFFF
        && VALUE_LISTS.len() <= 0xFFFF
        && BIT_LISTS.len() <= 0xFFFF
        && SLOT_LISTS.len() <= 0xFFFF
        && ENUMS.len() < 0xFFFF
        && LAYOUTS.len() < 0xFFFF,
    "regdb/packets has more texts or lists than two bytes can number"
);

/// A function from rows of bytes to items.
macro_rules! from_rows {
    ($name:ident: $item:ident, $bytes:expr, [$($byte:ident)*], $made:expr, $nothing:expr) => {
        pub(super) const fn $name<const N: usize>(rows: &[u8]) -> [$item; N] {
            assert!(rows.len() == N * $bytes, concat!("build/emit_packets/packet_rows.rs and src/packet/tables/packet_rows.rs differ in ", stringify!($name)));
            let rows: &[[u8; $bytes]] = rows.as_chunks().0;
            let mut all = [const { $nothing }; N];
            let mut place = 0;
            while place < N {
                let [$($byte),*] = rows[place];
                all[place] = $made;
                place += 1;
            }
            all
        }
    };
}

from_rows!(numbers: u32, NUMBER_BYTES, [a b c d], word!(a b c d), 0);
from_rows!(entries: u8, 1, [entry], entry, 0);

from_rows!(
    conditions: Condition, CONDITION_BYTES,
    [dword lo hi not values_0 values_1],
    Condition { dword, lo, hi, not: not != 0, values: NUMBER_LISTS[half!(values_0 values_1)] },
    Condition { dword: 0, lo: 0, hi: 0, not: false, values: &[] }
);

from_rows!(
    values: EnumValue, VALUE_BYTES,
    [name_0 name_1 value_0 value_1 value_2 value_3 scope_0 scope_1 scope_2 scope_3],
    EnumValue {
        name: TEXTS[half!(name_0 name_1)],
        value: word!(value_0 value_1 value_2 value_3),
        scope: Scope(word!(scope_0 scope_1 scope_2 scope_3)),
    },
    EnumValue { name: "", value: 0, scope: Scope::NONE }
);

from_rows!(
    enums: Enum, ENUM_BYTES,
    [name_0 name_1 values_0 values_1],
    Enum { name: TEXTS[half!(name_0 name_1)], values: VALUE_LISTS[half!(values_0 values_1)] },
    Enum { name: "", values: &[] }
);

from_rows!(
    bits: Bits, BITS_BYTES,
    [name_0 name_1 lo hi gfx values_0 values_1],
    Bits { name: TEXTS[half!(name_0 name_1)], lo, hi, gfx, values: some!(half!(values_0 values_1), place => &ENUMS[place]) },
    Bits { name: "", lo: 0, hi: 0, gfx: 0, values: None }
);

from_rows!(
    layouts: Layout, LAYOUT_BYTES,
    [name_0 name_1 bits_0 bits_1],
    Layout { name: TEXTS[half!(name_0 name_1)], bits: BIT_LISTS[half!(bits_0 bits_1)] },
    Layout { name: "", bits: &[] }
);

from_rows!(
    fields: Field, FIELD_BYTES,
    [
        name_0 name_1 dword lo hi scope_0 scope_1 scope_2 scope_3 when_0 when_1 values_0 values_1 layout_0 layout_1 flags start_0 start_1 start_2 start_3
        doc_0 doc_1
    ],
    Field {
        name: TEXTS[half!(name_0 name_1)],
        dword,
        lo,
        hi,
        scope: Scope(word!(scope_0 scope_1 scope_2 scope_3)),
        when: CONDITION_LISTS[half!(when_0 when_1)],
        values: some!(half!(values_0 values_1), place => &ENUMS[place]),
        layout: some!(half!(layout_0 layout_1), place => &LAYOUTS[place]),
        kernel: flags & 1 != 0,
        in_place: flags & 2 != 0,
        everything: flags & 4 != 0,
        register: if flags & 8 != 0 { Some(FieldRegister { start: word!(start_0 start_1 start_2 start_3), or_none: flags & 16 != 0 }) } else { None },
        doc: TEXTS[half!(doc_0 doc_1)],
    },
    Field {
        name: "",
        dword: 0,
        lo: 0,
        hi: 0,
        scope: Scope::NONE,
        when: &[],
        values: None,
        layout: None,
        kernel: false,
        in_place: false,
        register: None,
        everything: false,
        doc: "",
    }
);

from_rows!(
    slots: Slot, SLOT_BYTES,
    [name_0 name_1 lo_0 lo_1 hi_0 hi_1 shift address],
    Slot {
        name: TEXTS[half!(name_0 name_1)],
        lo: ENTRY_LISTS[half!(lo_0 lo_1)],
        hi: ENTRY_LISTS[half!(hi_0 hi_1)],
        shift,
        address: address != 0,
    },
    Slot { name: "", lo: &[], hi: &[], shift: 0, address: false }
);

from_rows!(
    structs: StructLayout, STRUCT_BYTES,
    [format_0 format_1 form dwords scope_0 scope_1 scope_2 scope_3 slots_0 slots_1],
    StructLayout {
        format: half!(format_0 format_1),
        form: form as usize,
        dwords: dwords as usize,
        scope: Scope(word!(scope_0 scope_1 scope_2 scope_3)),
        slots: SLOT_LISTS[half!(slots_0 slots_1)],
    },
    StructLayout { format: 0, form: 0, dwords: 0, scope: Scope::NONE, slots: &[] }
);
