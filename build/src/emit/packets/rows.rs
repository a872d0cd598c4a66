//! The frequent parts of packets: fields, conditions, names of values, bits, members of structs. Each is an expression of its type in `packet::wire`; equal
//! lists are shared, and lists are referred to by number.

use crate::emit::registers::Pool;
use std::fmt::Write;

pub struct Rows {
    /// Lists, each as the text of its items.
    numbers: Pool<Vec<String>>,
    conditions: Pool<Vec<String>>,
    values: Pool<Vec<String>>,
    bits: Pool<Vec<String>>,
    fields: Pool<Vec<String>>,
    slots: Pool<Vec<String>>,
    /// Lists of indices into lists of fields.
    entries: Pool<Vec<String>>,
    /// Items.
    enums: Pool,
    layouts: Pool,
    structs: Vec<String>,
}

/// A field that names a register: the byte address from which it counts, and whether 0 names none.
pub type NamesRegister = Option<(u32, bool)>;

/// The properties of a field other than its place.
pub struct FieldParts<'a> {
    pub name: &'a str,
    /// The numbers of its conditions, its enum and its layout.
    pub when: usize,
    pub values: Option<usize>,
    pub layout: Option<usize>,
    pub kernel: bool,
    pub in_place: bool,
    pub everything: bool,
    pub register: NamesRegister,
    pub doc: &'a str,
}

fn list(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

impl Rows {
    pub fn new() -> Self {
        let [numbers, conditions, values, bits, fields, slots, entries] = std::array::from_fn(|_| Pool::new());
        Self { numbers, conditions, values, bits, fields, slots, entries, enums: Pool::new(), layouts: Pool::new(), structs: Vec::new() }
    }

    pub fn condition(&mut self, [dword, lo, hi]: [u8; 3], not: bool, values: &[u32]) -> String {
        let values = self.numbers.add(list(values));
        format!("Condition {{ dword: {dword}, lo: {lo}, hi: {hi}, not: {not}, values: NUMBER_LISTS[{values}] }}")
    }

    /// Returns the number of a list of conditions.
    pub fn conditions(&mut self, rows: &[String]) -> usize {
        self.conditions.add(rows.to_vec())
    }

    pub fn value(&mut self, name: &str, value: u32, scope: u32) -> String {
        format!("EnumValue {{ name: {name:?}, value: {value}, scope: Scope({scope:#x}) }}")
    }

    /// Returns the number of an enum.
    pub fn values(&mut self, name: &str, rows: &[String]) -> usize {
        let values = self.values.add(rows.to_vec());
        self.enums.add(format!("Enum {{ name: {name:?}, values: VALUE_LISTS[{values}] }}"))
    }

    pub fn bits(&mut self, name: &str, [lo, hi, gfx]: [u8; 3], values: Option<usize>) -> String {
        format!("Bits {{ name: {name:?}, lo: {lo}, hi: {hi}, gfx: {gfx:#x}, values: {} }}", item("ENUMS", values))
    }

    /// Returns the number of a layout.
    pub fn layout(&mut self, name: &str, rows: &[String]) -> usize {
        let bits = self.bits.add(rows.to_vec());
        self.layouts.add(format!("Layout {{ name: {name:?}, bits: BIT_LISTS[{bits}] }}"))
    }

    /// Returns a field, with only the members that differ from `FIELD`.
    pub fn field(&mut self, [dword, lo, hi]: [u8; 3], scope: u32, field: &FieldParts<'_>) -> String {
        let mut row = format!("Field {{ name: {:?}, dword: {dword}, lo: {lo}, hi: {hi}, scope: Scope({scope:#x}), ", field.name);
        let mut push = |differs: bool, text: String| row.push_str(if differs { &text } else { "" });
        push(!self.conditions.items[field.when].is_empty(), format!("when: CONDITION_LISTS[{}], ", field.when));
        push(field.values.is_some(), format!("values: {}, ", item("ENUMS", field.values)));
        push(field.layout.is_some(), format!("layout: {}, ", item("LAYOUTS", field.layout)));
        push(field.kernel, "kernel: true, ".to_owned());
        push(field.in_place, "in_place: true, ".to_owned());
        push(field.everything, "everything: true, ".to_owned());
        if let Some((start, or_none)) = field.register {
            push(true, format!("register: Some(FieldRegister {{ start: {start:#x}, or_none: {or_none} }}), "));
        }
        push(!field.doc.is_empty(), format!("doc: {:?}, ", field.doc));
        row + "..FIELD }"
    }

    /// Returns the number of a list of fields.
    pub fn fields(&mut self, rows: &[String]) -> usize {
        self.fields.add(rows.to_vec())
    }

    /// Returns a member of a struct: the entries of the field table that hold its lower and upper half.
    pub fn slot(&mut self, name: &str, [lo, hi]: [&[u8]; 2], shift: u8, address: bool) -> String {
        let [lo, hi] = [lo, hi].map(|entries| self.entries.add(list(entries)));
        format!("Slot {{ name: {name:?}, lo: ENTRY_LISTS[{lo}], hi: ENTRY_LISTS[{hi}], shift: {shift}, address: {address} }}")
    }

    /// Returns the number of a struct.
    pub fn layout_of_struct(&mut self, format: usize, [form, dwords]: [u8; 2], scope: u32, slots: &[String]) -> usize {
        let slots = self.slots.add(slots.to_vec());
        self.structs.push(format!("StructLayout {{ format: {format}, form: {form}, dwords: {dwords}, scope: Scope({scope:#x}), slots: SLOT_LISTS[{slots}] }}"));
        self.structs.len() - 1
    }

    /// Returns the tables.
    pub fn emit(&self) -> String {
        let mut out = String::new();
        table(&mut out, "ENUMS", "Enum", &self.enums.items);
        table(&mut out, "LAYOUTS", "Layout", &self.layouts.items);
        table(&mut out, "STRUCTS", "StructLayout", &self.structs);
        lists(&mut out, "NUMBER_LISTS", "u32", &self.numbers.items);
        lists(&mut out, "CONDITION_LISTS", "Condition", &self.conditions.items);
        lists(&mut out, "VALUE_LISTS", "EnumValue", &self.values.items);
        lists(&mut out, "BIT_LISTS", "Bits", &self.bits.items);
        lists(&mut out, "FIELD_LISTS", "Field", &self.fields.items);
        lists(&mut out, "SLOT_LISTS", "Slot", &self.slots.items);
        lists(&mut out, "ENTRY_LISTS", "u8", &self.entries.items);
        out
    }
}

/// Returns an item of a table, or `None`.
fn item(table: &str, number: Option<usize>) -> String {
    number.map_or("None".to_owned(), |number| format!("Some(&{table}[{number}])"))
}

/// Writes a table of items, each with its number.
fn table(out: &mut String, name: &str, ty: &str, items: &[String]) {
    writeln!(out, "pub(super) static {name}: [{ty}; {}] = [", items.len()).unwrap_or_default();
    for (number, item) in items.iter().enumerate() {
        writeln!(out, "{item}, // {number}").unwrap_or_default();
    }
    out.push_str("];\n");
}

/// Writes a table of lists, each with its number.
fn lists(out: &mut String, name: &str, ty: &str, lists: &[Vec<String>]) {
    let items: Vec<String> = lists.iter().map(|list| format!("&[{}]", list.join(", "))).collect();
    table(out, name, &format!("&[{ty}]"), &items);
}
