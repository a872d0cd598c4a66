//! Registers under construction, and why each field has its value.
//!
//! Every function that makes a register is generic over [`Why`]: with [`NoReasons`] the compiler removes the reasons, with [`KeepReasons`] they are kept. So a
//! draw is resolved and explained by the same code.

use crate::chip::Gfx;
use crate::draw::image::RegisterImage;
use crate::draw::reasons::{Reason, Reasons, RuleText};
use crate::regs::{self, BitField, Register, RegisterPlace};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::marker::PhantomData;

impl RuleText for &'static str {
    fn words(self) -> Cow<'static, str> {
        self.into()
    }
}

impl<F: FnOnce() -> String> RuleText for F {
    fn words(self) -> Cow<'static, str> {
        self().into()
    }
}

/// Whether reasons are kept.
pub(crate) trait Why: Default {
    /// Those of all registers.
    type All: Default;

    /// Why a field of this register was set; what was said of the field before no longer counts.
    fn note(&mut self, field: BitField, rule: impl RuleText);

    /// Decides a field of a word, and says why.
    fn set(word: Word<Self>, field: BitField, value: u32, rule: impl RuleText) -> Word<Self>;

    /// Keeps what was said of a register; what was said before no longer counts.
    fn store(self, all: &mut Self::All, slot: usize);

    /// Takes back what is kept of a register.
    fn take(all: &mut Self::All, slot: usize) -> Self;
}

/// Reasons are not made.
#[derive(Default)]
pub(crate) struct NoReasons;

impl Why for NoReasons {
    type All = ();

    #[inline]
    fn note(&mut self, _: BitField, _: impl RuleText) {}

    #[inline]
    fn set(word: Word<Self>, field: BitField, value: u32, _: impl RuleText) -> Word<Self> {
        Word { value: field.put(word.value, value), ..word }
    }

    #[inline]
    fn store(self, (): &mut (), _: usize) {}

    #[inline]
    fn take((): &mut (), _: usize) -> Self {
        Self
    }
}

/// The reasons of one register are kept.
#[derive(Default)]
pub(crate) struct KeepReasons(Vec<(BitField, Cow<'static, str>)>);

impl Why for KeepReasons {
    /// By slot.
    type All = Vec<Self>;

    fn note(&mut self, field: BitField, rule: impl RuleText) {
        self.0.retain(|(other, _)| *other != field);
        self.0.push((field, rule.words()));
    }

    // A call for each field: inlined, the code of the library is a quarter larger.
    #[inline(never)]
    fn set(mut word: Word<Self>, field: BitField, value: u32, rule: impl RuleText) -> Word<Self> {
        debug_assert!(value <= field.max(), "{}: {value:#x} has more than {} bits", field.name(), field.width());
        word.value = field.put(word.value, value);
        word.why.note(field, rule);
        word
    }

    fn store(self, all: &mut Self::All, slot: usize) {
        if all.len() <= slot {
            all.resize_with(slot + 1, Self::default);
        }
        all[slot] = self;
    }

    fn take(all: &mut Self::All, slot: usize) -> Self {
        all.get_mut(slot).map(core::mem::take).unwrap_or_default()
    }
}

/// Stands for all fields of a register that is one value.
const WHOLE: BitField = BitField::new("", 0, 32);

/// Register `R` (element 0 of an array) on the generation of index `G`. A generation that lacks it is an error when the crate is compiled.
pub(crate) struct On<R, const G: usize>(PhantomData<R>);

impl<R: Register, const G: usize> On<R, G> {
    pub(crate) const PLACE: RegisterPlace = match R::PLACES[G] {
        Some(place) => place,
        None => panic!("the generation has another layout of the register"),
    };
    pub(crate) const SLOT: usize = Self::PLACE.first_slot();
}

/// A register word under construction. Its functions take the slot or the place of the register as an argument, so that they are not compiled once for each register.
pub(crate) struct Word<S> {
    slot: usize,
    value: u32,
    why: S,
}

impl<S: Why> Word<S> {
    /// An all-zero word of the register of a slot ([`On::SLOT`]).
    #[inline]
    pub(crate) fn new(slot: usize) -> Self {
        Self { slot, value: 0, why: S::default() }
    }

    /// Returns the same for one element of an array ([`On::PLACE`]); None beyond the last.
    #[inline]
    pub(crate) fn element(array: RegisterPlace, index: u32) -> Option<Self> {
        Some(Self::new(array.slot(index)?))
    }

    /// Returns the slot of the register, and its value.
    #[inline]
    pub(crate) fn at(&self) -> (usize, u32) {
        (self.slot, self.value)
    }

    /// Decides a field. Values come from validated inputs and fit; what would not is cut off rather than spilt into a neighbour.
    #[inline]
    pub(crate) fn set(self, field: BitField, value: impl Into<u32>, rule: impl RuleText) -> Self {
        S::set(self, field, value.into(), rule)
    }

    /// Decides all fields at once, of a register that is one value.
    #[inline]
    pub(crate) fn whole(self, value: u32, rule: impl RuleText) -> Self {
        S::set(self, WHOLE, value, rule)
    }
}

/// Registers under construction.
pub(crate) struct Sheet<S: Why> {
    image: RegisterImage,
    reasons: S::All,
}

impl<S: Why> From<RegisterImage> for Sheet<S> {
    /// What was decided elsewhere, without reasons.
    fn from(image: RegisterImage) -> Self {
        Self { image, reasons: S::All::default() }
    }
}

impl<S: Why> Sheet<S> {
    pub(crate) fn new(gfx: Gfx) -> Self {
        RegisterImage::new(gfx).into()
    }

    /// Adds a register or replaces it; None changes nothing.
    #[inline]
    pub(crate) fn add(&mut self, word: impl Into<Option<Word<S>>>) {
        if let Some(word) = word.into() {
            self.image.put(word.slot, word.value);
            word.why.store(&mut self.reasons, word.slot);
        }
    }

    /// Adds registers, or replaces them.
    pub(crate) fn add_all(&mut self, words: impl IntoIterator<Item = Word<S>>) {
        words.into_iter().for_each(|word| self.add(word));
    }

    pub(crate) fn into_image(self) -> RegisterImage {
        self.image.finished()
    }
}

impl Sheet<KeepReasons> {
    pub(crate) fn into_reasons(self) -> Reasons {
        let gfx = self.image.gfx();
        let all = self.reasons.iter().enumerate().filter(|(_, kept)| !kept.0.is_empty()).flat_map(|(slot, kept)| reasons_of(&self.image, slot, kept)).collect();
        Reasons { gfx, all }
    }
}

/// Returns the reasons of one register; one that is a single value has a reason for its first field and for those that are not 0.
fn reasons_of(image: &RegisterImage, slot: usize, kept: &KeepReasons) -> Vec<Reason> {
    let gfx = image.gfx();
    let Some(register) = regs::slots(gfx).get(slot).and_then(|addr| regs::lookup(gfx, *addr)) else { return Vec::new() };
    let (addr, word) = (register.addr(), image.at(slot).unwrap_or(0));
    let name: Cow<'static, str> = if addr == register.info().addr { register.info().name.into() } else { register.to_string().into() };
    let reason =
        |field: BitField, rule: &Cow<'static, str>| Reason { register: name.clone(), addr, field: field.name(), value: field.get(word), rule: rule.clone() };
    let mut all = Vec::new();
    for (field, rule) in &kept.0 {
        if *field == WHOLE {
            let fields = register.fields().iter().map(|f| f.bits()).enumerate();
            all.extend(fields.filter(|(i, f)| *i == 0 || f.get(word) != 0).map(|(_, f)| reason(f, rule)));
        } else {
            all.push(reason(*field, rule));
        }
    }
    all
}

/// Decides fields again, as errata do.
pub(crate) trait Patch {
    /// Decides a field of the register of a slot; a register that is not there stays out.
    fn patch(&mut self, slot: usize, field: BitField, value: u32, rule: &dyn Fn() -> String);
}

impl<S: Why> Patch for Sheet<S> {
    fn patch(&mut self, slot: usize, field: BitField, value: u32, rule: &dyn Fn() -> String) {
        let Some(old) = self.image.at(slot) else { return };
        let mut why = S::take(&mut self.reasons, slot);
        why.note(field, rule);
        self.add(Word { slot, value: field.put(old, value), why });
    }
}
