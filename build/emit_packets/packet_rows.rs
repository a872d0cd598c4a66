//! The parts of packets that are many: fields, conditions, names of values, bits, members of structs. Each is a row of bytes, which
//! `src/packet/tables/packet_rows.rs` reads when the crate is compiled. Equal lists are one.

use crate::regdb::emit::{Pool, half, literal};
use crate::regdb::lists::join;
use std::fmt::Write;

/// Bytes of a row of a list.
const NUMBER_BYTES: usize = 4;
const CONDITION_BYTES: usize = 6;
const VALUE_BYTES: usize = 10;
const BITS_BYTES: usize = 7;
const FIELD_BYTES: usize = 22;
const SLOT_BYTES: usize = 8;

/// A number as a row has it.
type Number = [u8; 2];

pub struct Rows {
    texts: Pool,
    /// Lists of rows.
    numbers: Pool<Vec<u8>>,
    conditions: Pool<Vec<u8>>,
    values: Pool<Vec<u8>>,
    bits: Pool<Vec<u8>>,
    fields: Pool<Vec<u8>>,
    slots: Pool<Vec<u8>>,
    /// Lists of places in lists of fields.
    entries: Pool<Vec<u8>>,
    /// Rows.
    enums: Pool<Vec<u8>>,
    layouts: Pool<Vec<u8>>,
    structs: Vec<Vec<u8>>,
}

/// A field that names a register: the byte address from which it counts, and whether 0 names none.
pub type NamesRegister = Option<(u32, bool)>;

/// What a field is, beside its place.
pub struct FieldParts<'a> {
    pub name: &'a str,
    /// The numbers of its conditions, of its enum and of its layout.
    pub when: usize,
    pub values: Option<usize>,
    pub layout: Option<usize>,
    pub kernel: bool,
    pub in_place: bool,
    pub everything: bool,
    pub register: NamesRegister,
    pub doc: &'a str,
}

/// The number from 1; 0 for none.
fn or_none(number: Option<usize>) -> Number {
    half(number.map_or(0, |number| number + 1))
}

impl Rows {
    pub fn new() -> Self {
        let [numbers, conditions, values, bits, fields, slots, entries, enums, layouts] = std::array::from_fn(|_| Pool::new());
        Self { texts: Pool::new(), numbers, conditions, values, bits, fields, slots, entries, enums, layouts, structs: Vec::new() }
    }

    fn text(&mut self, text: &str) -> Number {
        half(self.texts.add(text.to_owned()))
    }

    pub fn condition(&mut self, [dword, lo, hi]: [u8; 3], not: bool, values: &[u32]) -> Vec<u8> {
        let mut numbers = Vec::new();
        for value in values {
            numbers.extend(value.to_le_bytes());
        }
        let values = half(self.numbers.add(numbers));
        [&[dword, lo, hi, not.into()][..], &values].concat()
    }

    /// The number of a list of conditions.
    pub fn conditions(&mut self, rows: &[Vec<u8>]) -> usize {
        self.conditions.add(rows.concat())
    }

    pub fn value(&mut self, name: &str, value: u32, scope: u32) -> Vec<u8> {
        [&self.text(name)[..], &value.to_le_bytes(), &scope.to_le_bytes()].concat()
    }

    /// The number of an enum.
    pub fn values(&mut self, name: &str, rows: &[Vec<u8>]) -> usize {
        let row = [self.text(name), half(self.values.add(rows.concat()))].concat();
        self.enums.add(row)
    }

    pub fn bits(&mut self, name: &str, [lo, hi, gfx]: [u8; 3], values: Option<usize>) -> Vec<u8> {
        [&self.text(name)[..], &[lo, hi, gfx], &or_none(values)].concat()
    }

    /// The number of a layout.
    pub fn layout(&mut self, name: &str, rows: &[Vec<u8>]) -> usize {
        let row = [self.text(name), half(self.bits.add(rows.concat()))].concat();
        self.layouts.add(row)
    }

    pub fn field(&mut self, [dword, lo, hi]: [u8; 3], scope: u32, field: &FieldParts<'_>) -> Vec<u8> {
        let flags = [field.kernel, field.in_place, field.everything, field.register.is_some(), field.register.is_some_and(|(_, or_none)| or_none)];
        let flags = flags.iter().enumerate().fold(0, |byte, (bit, on)| byte | u8::from(*on) << bit);
        let start = field.register.map_or(0, |(start, _)| start);
        let row: [&[u8]; 9] = [
            &self.text(field.name),
            &[dword, lo, hi],
            &scope.to_le_bytes(),
            &half(field.when),
            &or_none(field.values),
            &or_none(field.layout),
            &[flags],
            &start.to_le_bytes(),
            &self.text(field.doc),
        ];
        row.concat()
    }

    /// The number of a list of fields.
    pub fn fields(&mut self, rows: &[Vec<u8>]) -> usize {
        self.fields.add(rows.concat())
    }

    /// A member of a struct: the entries of the field table that hold its lower and its upper half.
    pub fn slot(&mut self, name: &str, [lo, hi]: [&[u8]; 2], shift: u8, address: bool) -> Vec<u8> {
        [&self.text(name)[..], &half(self.entries.add(lo.to_vec())), &half(self.entries.add(hi.to_vec())), &[shift, address.into()]].concat()
    }

    /// The number of a struct.
    pub fn layout_of_struct(&mut self, format: usize, [form, dwords]: [u8; 2], scope: u32, slots: &[Vec<u8>]) -> usize {
        let slots = half(self.slots.add(slots.concat()));
        self.structs.push([&half(format)[..], &[form, dwords], &scope.to_le_bytes(), &slots].concat());
        self.structs.len() - 1
    }

    /// The tables.
    pub fn emit(&self) -> String {
        let texts = join(&self.texts.items, ",", &|text| format!("{text:?}"));
        let mut out = format!("pub(super) static TEXTS: [&str; {}] = [{texts}];\n", self.texts.items.len());
        rows(&mut out, ["ENUMS", "Enum", "enums"], &self.enums.items);
        rows(&mut out, ["LAYOUTS", "Layout", "layouts"], &self.layouts.items);
        rows(&mut out, ["STRUCTS", "StructLayout", "structs"], &self.structs);
        lists(&mut out, ["NUMBER", "u32", "numbers"], &self.numbers.items, NUMBER_BYTES);
        lists(&mut out, ["CONDITION", "Condition", "conditions"], &self.conditions.items, CONDITION_BYTES);
        lists(&mut out, ["VALUE", "EnumValue", "values"], &self.values.items, VALUE_BYTES);
        lists(&mut out, ["BIT", "Bits", "bits"], &self.bits.items, BITS_BYTES);
        lists(&mut out, ["FIELD", "Field", "fields"], &self.fields.items, FIELD_BYTES);
        lists(&mut out, ["SLOT", "Slot", "slots"], &self.slots.items, SLOT_BYTES);
        lists(&mut out, ["ENTRY", "u8", "entries"], &self.entries.items, 1);
        out
    }
}

/// A table of all rows.
fn rows(out: &mut String, [name, ty, reader]: [&str; 3], rows: &[Vec<u8>]) {
    writeln!(out, "pub(super) static {name}: [{ty}; {}] = packet_rows::{reader}({});", rows.len(), literal(&rows.concat())).unwrap_or_default();
}

/// A table of the rows of all lists, and one of the lists.
fn lists(out: &mut String, [name, ty, reader]: [&str; 3], lists: &[Vec<u8>], row_bytes: usize) {
    let count = lists.iter().map(Vec::len).sum::<usize>() / row_bytes;
    // `rows::lists` refuses a list that is so long that its length is cut.
    let mut lengths = Vec::new();
    for list in lists {
        lengths.push(u8::try_from(list.len() / row_bytes).unwrap_or(u8::MAX));
    }
    let lengths = literal(&lengths);
    writeln!(
        out,
        "static {name}_ROWS: [{ty}; {count}] = packet_rows::{reader}({});\npub(super) static {name}_LISTS: [&[{ty}]; {}] = lists(&{name}_ROWS, {lengths});",
        literal(&lists.concat()),
        lists.len()
    )
    .unwrap_or_default();
}
