//! Registers and fields of one generation by name.

use crate::chip::Gfx;
use crate::regs;
use crate::regs::{FieldInfo, RegRef, RegisterInfo};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// The names of all registers of a generation, including array elements, and of their fields. Rules look up names dozens of times per draw.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Names {
    registers: Vec<(Cow<'static, str>, RegRef)>,
    by_name: Table,
    by_field: Table,
}

/// A hash table with open addressing: keys are hashes, and the caller compares the entries.
#[derive(Debug, Clone)]
struct Table(Box<[Option<Entry>]>);

/// Indices in the list of registers and in the register's list of fields.
#[derive(Debug, Clone, Copy)]
struct Entry {
    register: u16,
    field: u16,
}

impl Table {
    /// Creates a table of twice the necessary size, so that searches end soon.
    fn new(entries: usize) -> Self {
        Self(vec![None; (2 * entries).next_power_of_two()].into_boxed_slice())
    }

    /// Returns the slots where an entry with this hash may be, up to the first free one.
    fn slots(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.0.len() - 1;
        // The upper half is better mixed.
        (0..self.0.len()).map(move |step| ((hash >> 32) as usize + step) & mask)
    }

    fn insert(&mut self, hash: u64, entry: Entry) {
        let free = self.slots(hash).find(|slot| self.0[*slot].is_none());
        if let Some(slot) = free.and_then(|slot| self.0.get_mut(slot)) {
            *slot = Some(entry);
        }
    }

    #[inline]
    fn find(&self, hash: u64, is: impl Fn(Entry) -> bool) -> Option<Entry> {
        self.slots(hash).map_while(|slot| self.0[slot]).find(|entry| is(*entry))
    }
}

/// Returns the hash of a name, computed from eight letters at a time.
#[inline]
fn hash(seed: u64, name: &str) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let tail = rest.iter().fold(name.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    words.iter().map(|word| u64::from_le_bytes(*word)).chain([tail]).fold(seed, |hash, word| (hash ^ word).wrapping_mul(ODD).rotate_left(29))
}

impl Names {
    pub fn new(gfx: Gfx) -> Self {
        let elements = |info: &'static RegisterInfo| {
            (0..info.count.max(1)).filter_map(move |element| {
                let register = regs::lookup(gfx, info.addr + element * info.stride)?;
                Some((if element == 0 { Cow::Borrowed(info.name) } else { Cow::Owned(register.to_string()) }, register))
            })
        };
        let registers: Vec<_> = regs::registers(gfx).flat_map(elements).collect();
        let fields = registers.iter().map(|(_, register)| register.fields().len()).sum();
        let (mut by_name, mut by_field) = (Table::new(registers.len()), Table::new(fields));
        for ((name, info), register) in registers.iter().zip(0..) {
            let key = hash(0, name);
            by_name.insert(key, Entry { register, field: 0 });
            for (info, field) in info.fields().iter().zip(0..) {
                by_field.insert(hash(key, info.name), Entry { register, field });
            }
        }
        Self { registers, by_name, by_field }
    }

    fn register(&self, entry: Entry) -> Option<&(Cow<'static, str>, RegRef)> {
        self.registers.get(usize::from(entry.register))
    }

    pub fn find(&self, name: &str) -> Option<RegRef> {
        let entry = self.by_name.find(hash(0, name), |entry| self.register(entry).is_some_and(|(known, _)| *known == name))?;
        self.register(entry).map(|(_, register)| *register)
    }

    /// Returns the first field with this name of a register.
    pub fn field(&self, register: &str, field: &str) -> Option<(RegRef, &'static FieldInfo)> {
        let of = |entry: Entry| {
            let (name, register) = self.register(entry)?;
            Some((name.as_ref(), *register, register.fields().get(usize::from(entry.field))?))
        };
        let is = |entry| of(entry).is_some_and(|(name, _, info)| name == register && info.name == field);
        let entry = self.by_field.find(hash(hash(0, register), field), is)?;
        of(entry).map(|(_, register, info)| (register, info))
    }
}
