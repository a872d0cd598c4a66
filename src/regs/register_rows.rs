//! The tables of registers, of fields and of typed registers from the rows of bytes that build.rs makes.

use super::info::{ALIASES, BITS_SEEN, ENUMS, FieldInfo, INDEX_SEEN, LAYOUTS, REGISTERS, RegisterInfo, Sources, TEXTS};
use super::place::{RegisterEntry, RegisterPlace};
use crate::rows::{half, some, word};

/// Bytes of a row, as `build/emit.rs` writes them.
const FIELD_BYTES: usize = 11;
const REGISTER_BYTES: usize = 41;
/// As `build/emit_typed.rs` writes them.
const PLACE_BYTES: usize = 12;
const ENTRY_BYTES: usize = 12;

// What the build cuts to two bytes would name another item.
const _: () =
    assert!(TEXTS.len() <= 0xFFFF && ENUMS.len() < 0xFFFF && LAYOUTS.len() <= 0xFFFF, "regdb has more texts, value lists or layouts than two bytes can number");
const _: () = assert!(REGISTERS.len() <= 0xFFFF, "regdb has more registers than two bytes can number");

pub(super) const fn fields<const N: usize>(rows: &[u8]) -> [FieldInfo; N] {
    assert!(rows.len() == N * FIELD_BYTES, "build/emit.rs and src/regs/register_rows.rs differ in what a row of a field has");
    let rows: &[[u8; FIELD_BYTES]] = rows.as_chunks().0;
    let mut all = [const { FieldInfo { name: "", lo: 0, hi: 0, values: None, float: false, doc: "", note: "" } }; N];
    let mut place = 0;
    while place < N {
        let [name_0, name_1, lo, hi, float, values_0, values_1, doc_0, doc_1, note_0, note_1] = rows[place];
        all[place] = FieldInfo {
            name: TEXTS[half!(name_0 name_1)],
            lo,
            hi,
            values: some!(half!(values_0 values_1), list => &ENUMS[list]),
            float: float != 0,
            doc: TEXTS[half!(doc_0 doc_1)],
            note: TEXTS[half!(note_0 note_1)],
        };
        place += 1;
    }
    all
}

pub(super) const fn registers<const N: usize>(rows: &[u8]) -> [RegisterInfo; N] {
    assert!(rows.len() == N * REGISTER_BYTES, "build/emit.rs and src/regs/register_rows.rs differ in what a row of a register has");
    let rows: &[[u8; REGISTER_BYTES]] = rows.as_chunks().0;
    let mut all = [const { NO_REGISTER }; N];
    let mut place = 0;
    while place < N {
        #[rustfmt::skip]
        let [
            name_0, name_1, pattern_0, pattern_1, first_0, first_1, first_2, first_3, addr_0, addr_1, addr_2, addr_3, count_0, count_1, count_2, count_3,
            stride_0, stride_1, stride_2, stride_3, layout_0, layout_1, sources, flags, clear_0, clear_1, clear_2, clear_3, index, index_seen_0, index_seen_1,
            bits_seen_0, bits_seen_1, group_0, group_1, aliases_0, aliases_1, doc_0, doc_1, note_0, note_1,
        ] = rows[place];
        all[place] = RegisterInfo {
            name: TEXTS[half!(name_0 name_1)],
            pattern: TEXTS[half!(pattern_0 pattern_1)],
            first: word!(first_0 first_1 first_2 first_3),
            addr: word!(addr_0 addr_1 addr_2 addr_3),
            count: word!(count_0 count_1 count_2 count_3),
            stride: word!(stride_0 stride_1 stride_2 stride_3),
            fields: LAYOUTS[half!(layout_0 layout_1)],
            sources: Sources(sources),
            typed: flags & 1 != 0,
            rolls: flags & 2 != 0,
            clear: if flags & 4 != 0 { Some(word!(clear_0 clear_1 clear_2 clear_3)) } else { None },
            index: if flags & 8 != 0 { Some(index) } else { None },
            index_seen: some!(half!(index_seen_0 index_seen_1), place => INDEX_SEEN[place]),
            bits_seen: some!(half!(bits_seen_0 bits_seen_1), place => BITS_SEEN[place]),
            group: match half!(group_0 group_1) {
                0 => None,
                text => Some(TEXTS[text]),
            },
            aliases: match half!(aliases_0 aliases_1) {
                0 => &[],
                list => ALIASES[list - 1],
            },
            doc: TEXTS[half!(doc_0 doc_1)],
            note: TEXTS[half!(note_0 note_1)],
        };
        place += 1;
    }
    all
}

pub(super) const fn slots<const N: usize>(rows: &[u8]) -> [u16; N] {
    let rows: &[[u8; 2]] = rows.as_chunks().0;
    let mut all = [0; N];
    let mut place = 0;
    while place < N {
        let [slot_0, slot_1] = rows[place];
        all[place] = (half!(slot_0 slot_1)) as u16;
        place += 1;
    }
    all
}

/// `slots` has those of all elements, one place after the other.
pub(super) const fn places<const N: usize>(rows: &[u8], slots: &'static [u16]) -> [RegisterPlace; N] {
    assert!(rows.len() == N * PLACE_BYTES, "build/emit_typed.rs and src/regs/register_rows.rs differ in what a row of a place has");
    let rows: &[[u8; PLACE_BYTES]] = rows.as_chunks().0;
    let mut all = [const { RegisterPlace { addr: 0, count: 0, stride: 0, slots: &[] } }; N];
    let (mut place, mut rest) = (0, slots);
    while place < N {
        let [addr_0, addr_1, addr_2, addr_3, count_0, count_1, count_2, count_3, stride_0, stride_1, stride_2, stride_3] = rows[place];
        let count = word!(count_0 count_1 count_2 count_3);
        let (own, others) = rest.split_at(count as usize);
        all[place] = RegisterPlace { addr: word!(addr_0 addr_1 addr_2 addr_3), count, stride: word!(stride_0 stride_1 stride_2 stride_3), slots: own };
        rest = others;
        place += 1;
    }
    assert!(rest.is_empty(), "build/emit_typed.rs gives typed registers more slots than elements");
    all
}

pub(super) const fn entries<const N: usize>(names: &[&'static str; N], rows: &[u8], places: &[RegisterPlace]) -> [RegisterEntry; N] {
    assert!(rows.len() == N * ENTRY_BYTES, "build/emit_typed.rs and src/regs/register_rows.rs differ in what a row of a typed register has");
    assert!(places.len() < 0xFFFF, "regdb has more places of typed registers than two bytes can number");
    let rows: &[[u8; ENTRY_BYTES]] = rows.as_chunks().0;
    let mut all = [const { RegisterEntry { name: "", places: [None; 6] } }; N];
    let mut entry = 0;
    while entry < N {
        let [gfx9_0, gfx9_1, gfx10_0, gfx10_1, gfx103_0, gfx103_1, gfx11_0, gfx11_1, gfx115_0, gfx115_1, gfx12_0, gfx12_1] = rows[entry];
        all[entry] = RegisterEntry {
            name: names[entry],
            places: [
                some!(half!(gfx9_0 gfx9_1), place => places[place]),
                some!(half!(gfx10_0 gfx10_1), place => places[place]),
                some!(half!(gfx103_0 gfx103_1), place => places[place]),
                some!(half!(gfx11_0 gfx11_1), place => places[place]),
                some!(half!(gfx115_0 gfx115_1), place => places[place]),
                some!(half!(gfx12_0 gfx12_1), place => places[place]),
            ],
        };
        entry += 1;
    }
    all
}

const NO_REGISTER: RegisterInfo = RegisterInfo {
    name: "",
    pattern: "",
    first: 0,
    addr: 0,
    count: 0,
    stride: 0,
    fields: &[],
    sources: Sources(0),
    typed: false,
    clear: None,
    index: None,
    index_seen: None,
    bits_seen: None,
    group: None,
    rolls: false,
    aliases: &[],
    doc: "",
    note: "",
};
