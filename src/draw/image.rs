//! The register image of a draw: values by address, and for each field who decided it.

use crate::chip::Gfx;
use crate::regs::{BitField, FieldInfo, Register, Space};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// One register of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterValue {
    /// Byte address.
    pub addr: u32,
    /// All 32 bits.
    pub value: u32,
}

impl RegisterValue {
    /// Its space.
    pub fn space(self) -> Option<Space> {
        Space::of(self.addr)
    }
}

/// Why a field has its value: the rule or the erratum that set it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The register, element 0 of an array.
    pub register: &'static str,
    /// Its byte address.
    pub addr: u32,
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: u32,
    /// The rule in words.
    pub rule: Cow<'static, str>,
}

/// Registers sorted by address, each once, with the reason of each field that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    registers: Vec<RegisterValue>,
    reasons: Vec<Reason>,
}

/// A register word under construction.
pub(crate) struct Word {
    name: &'static str,
    addr: u32,
    value: u32,
    reasons: Vec<Reason>,
}

impl Word {
    /// An all-zero word of register `R`; None where the generation lacks the register.
    pub(crate) fn new<R: Register>(gfx: Gfx) -> Option<Self> {
        Self::element::<R>(gfx, 0)
    }

    /// The same for one element of an array.
    pub(crate) fn element<R: Register>(gfx: Gfx, index: u32) -> Option<Self> {
        let addr = R::place(gfx)?.element(index)?;
        Some(Self { name: R::NAME, addr, value: 0, reasons: Vec::new() })
    }

    /// A register that is one value, by its name; None where the generation lacks it. The name is a constant of the caller's: a test finds wrong ones.
    pub(crate) fn whole(gfx: Gfx, name: &str, value: u32, rule: impl Into<Cow<'static, str>>) -> Option<Self> {
        let found = crate::regs::find(gfx, name)?;
        let (name, addr) = (found.info().name, found.addr());
        let reason = |field: &'static FieldInfo, rule: Cow<'static, str>| Reason { register: name, addr, field: field.name, value: field.get(value), rule };
        let rule = rule.into();
        let reasons = found.fields().iter().filter(|f| f.get(value) != 0 || f.lo == 0).map(|f| reason(f, rule.clone())).collect();
        Some(Self { name, addr, value, reasons })
    }

    /// Decides a field. Values come from validated inputs and fit; what would not is cut off rather than spilt into a neighbour.
    pub(crate) fn set(mut self, field: BitField, value: impl Into<u32>, rule: impl Into<Cow<'static, str>>) -> Self {
        self.put(field, value.into(), rule.into());
        self
    }

    /// Decides several fields at once from a word that holds them all; fields that are 0 but for the first need no reason.
    pub(crate) fn set_all(mut self, fields: [BitField; 8], word: u32, rule: &'static str) -> Self {
        for (i, field) in fields.into_iter().enumerate() {
            if i == 0 || field.get(word) != 0 {
                self.put(field, field.get(word), rule.into());
            }
        }
        self
    }

    fn put(&mut self, field: BitField, value: u32, rule: Cow<'static, str>) {
        self.value = field.put(self.value, value);
        self.reasons.retain(|r| r.field != field.name());
        self.reasons.push(Reason { register: self.name, addr: self.addr, field: field.name(), value: field.get(self.value), rule });
    }
}

impl Image {
    /// Adds a register, or replaces it.
    pub(crate) fn add(&mut self, word: Option<Word>) {
        let Some(word) = word else { return };
        let value = RegisterValue { addr: word.addr, value: word.value };
        match self.registers.binary_search_by_key(&word.addr, |r| r.addr) {
            Ok(at) => self.registers[at] = value,
            Err(at) => self.registers.insert(at, value),
        }
        self.reasons.retain(|r| r.addr != word.addr);
        self.reasons.extend(word.reasons);
    }

    /// Decides one field anew, as errata do; a register that the image lacks stays out.
    pub(crate) fn patch<R: Register>(&mut self, gfx: Gfx, field: BitField, value: impl Into<u32>, rule: impl Into<Cow<'static, str>>) {
        let Some(addr) = R::addr(gfx) else { return };
        let Ok(at) = self.registers.binary_search_by_key(&addr, |r| r.addr) else { return };
        let own = |r: &Reason| r.addr == addr;
        let reasons = self.reasons.iter().filter(|r| own(r)).cloned().collect();
        let mut word = Word { name: R::NAME, addr, value: self.registers[at].value, reasons };
        word.put(field, value.into(), rule.into());
        self.add(Some(word));
    }

    /// The registers, sorted by address.
    pub fn registers(&self) -> &[RegisterValue] {
        &self.registers
    }

    /// The value at a byte address.
    pub fn get(&self, addr: u32) -> Option<u32> {
        let at = self.registers.binary_search_by_key(&addr, |r| r.addr).ok()?;
        self.registers.get(at).map(|r| r.value)
    }

    /// A typed register (element 0 of an array); None where the image lacks it.
    pub fn typed<R: Register>(&self, gfx: Gfx) -> Option<R> {
        R::addr(gfx).and_then(|addr| self.get(addr)).map(R::from)
    }

    /// Every decision, sorted by address and bit.
    pub fn reasons(&self) -> Vec<&Reason> {
        let mut all: Vec<_> = self.reasons.iter().collect();
        all.sort_by_key(|r| r.addr);
        all
    }

    /// Why a field has its value.
    pub fn why(&self, register: &str, field: &str) -> Option<&Reason> {
        self.reasons.iter().find(|r| r.register == register && r.field == field)
    }
}
