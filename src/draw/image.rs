//! The register image of a draw or dispatch: values of the registers that it decides.
//!
//! An image is dense: every typed register of the generation has a slot, in the order of addresses, and a bit that says whether the image has it.

use crate::chip::Gfx;
use crate::regs::{self, Register, Space};
use alloc::boxed::Box;
use core::hash::{Hash, Hasher};
use core::sync::atomic::{AtomicUsize, Ordering};
use core::{fmt, iter};

/// One register of the image.
///
/// For an example see [`RegisterImage`](crate::draw::RegisterImage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterValue {
    /// Byte address.
    pub addr: u32,
    /// All 32 bits.
    pub value: u32,
}

impl RegisterValue {
    /// Returns the space.
    pub fn space(self) -> Option<Space> {
        Space::of(self.addr)
    }
}

/// Words of one bit per slot.
pub(super) const WORDS: usize = regs::MOST_SLOTS.div_ceil(64);

/// Slots with a bit.
const SLOTS: usize = 64 * WORDS;

/// Registers of one generation with their values, each once.
///
/// [`DrawDesc::explain`](crate::draw::DrawDesc::explain) gives the reason of each field.
///
/// ```
/// use pm4::{chip::Chip, draw::{DrawDesc, PipelineDesc, RegisterValue}, regs::Space};
/// let draw = DrawDesc::from(PipelineDesc { samples: 4, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// // PA_SC_AA_CONFIG, bits 2:0: log2 of the samples.
/// assert_eq!(draw.image.get(0x28BE0).map(|value| value & 7), Some(2));
/// assert!(draw.image.registers().is_sorted_by_key(|register| register.addr));
/// let context = |register: &RegisterValue| register.space() == Some(Space::Context);
/// assert!(draw.image.registers().filter(context).any(|register| register.addr == 0x28BE0));
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Clone)]
pub struct RegisterImage {
    gfx: Gfx,
    /// Two images of one number are the same; 0 says nothing.
    number: usize,
    /// Bit n: the image has the register of slot n.
    present: [u64; WORDS],
    /// One value per bit of `present`, 0 where the image does not have the register.
    values: Box<[u32; SLOTS]>,
}

impl PartialEq for RegisterImage {
    fn eq(&self, other: &Self) -> bool {
        (self.gfx, &self.present, &self.values) == (other.gfx, &other.present, &other.values)
    }
}

impl Eq for RegisterImage {}

impl Hash for RegisterImage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.gfx, &self.present, &self.values).hash(state);
    }
}

/// Numbers finished images.
static IMAGES: AtomicUsize = AtomicUsize::new(1);

impl RegisterImage {
    /// An image of no register.
    pub(crate) fn new(gfx: Gfx) -> Self {
        Self { gfx, number: 0, present: [0; WORDS], values: Box::new([0; SLOTS]) }
    }

    /// Returns the generation.
    pub fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Adds a register, or replaces it.
    #[inline]
    pub(crate) fn put(&mut self, slot: usize, value: u32) {
        if let (Some(present), Some(place)) = (self.present.get_mut(slot / 64), self.values.get_mut(slot)) {
            *present |= 1 << (slot % 64);
            *place = value;
            self.number = 0;
        }
    }

    /// Adds the registers of another image, none of which this image has.
    pub(crate) fn add_all(&mut self, other: &Self) {
        debug_assert!(self.present.iter().zip(&other.present).all(|(ours, theirs)| ours & theirs == 0), "no register is in both");
        self.present.iter_mut().zip(&other.present).for_each(|(present, others)| *present |= others);
        self.values.iter_mut().zip(other.values.iter()).for_each(|(value, others)| *value |= others);
        self.number = 0;
    }

    /// Returns the registers that another image has too, with the values of this one.
    pub(crate) fn registers_also_in(&self, other: &Self) -> Self {
        self.registers_where(|slot| other.at(slot).is_some())
    }

    /// Returns the registers that another image does not have.
    pub(crate) fn registers_missing_in(&self, other: &Self) -> Self {
        self.registers_where(|slot| other.at(slot).is_none())
    }

    fn registers_where(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut image = Self::new(self.gfx);
        let slots = (0..self.values.len()).filter(|slot| keep(*slot));
        slots.filter_map(|slot| Some((slot, self.at(slot)?))).for_each(|(slot, value)| image.put(slot, value));
        image.finished()
    }

    /// Returns the image with a number of its own: no register is added any more.
    pub(crate) fn finished(mut self) -> Self {
        self.number = IMAGES.fetch_add(1, Ordering::Relaxed);
        self
    }

    /// Returns the number of a finished image.
    pub(super) fn number(&self) -> Option<usize> {
        Some(self.number).filter(|number| *number != 0)
    }

    /// Returns the value of a slot.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Option<u32> {
        let present = self.present.get(slot / 64)? >> (slot % 64) & 1 == 1;
        self.values.get(slot).copied().filter(|_| present)
    }

    /// One bit per slot: whether the image has its register.
    pub(super) fn present(&self) -> &[u64; WORDS] {
        &self.present
    }

    /// One value per slot, 0 where the image does not have the register.
    pub(super) fn values(&self) -> &[u32] {
        &*self.values
    }

    /// Returns the registers, sorted by address.
    pub fn registers(&self) -> impl Iterator<Item = RegisterValue> + Clone + use<'_> {
        let addresses = regs::slots(self.gfx);
        let slots = self.present.iter().enumerate().flat_map(|(at, word)| {
            let rest = iter::successors(Some(*word), |bits| Some(bits & bits.wrapping_sub(1))).take_while(|bits| *bits != 0);
            rest.map(move |bits| 64 * at + bits.trailing_zeros() as usize)
        });
        slots.filter_map(|slot| Some(RegisterValue { addr: *addresses.get(slot)?, value: *self.values.get(slot)? }))
    }

    /// Returns the value at a byte address.
    pub fn get(&self, addr: u32) -> Option<u32> {
        self.at(regs::slots(self.gfx).binary_search(&addr).ok()?)
    }

    /// Returns a typed register (element 0 of an array); None if the image lacks it, or is of another generation.
    pub fn typed<R: Register>(&self, gfx: Gfx) -> Option<R> {
        self.element(gfx, 0)
    }

    /// Returns an element of a typed array; None if the image lacks it, or is of another generation.
    pub fn element<R: Register>(&self, gfx: Gfx, index: u32) -> Option<R> {
        let place = R::place(gfx).filter(|_| gfx == self.gfx)?;
        self.at(place.slot(index)?).map(R::from)
    }
}

impl fmt::Debug for RegisterImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.registers()).finish()
    }
}
