//! What registers hold, as far as a recorder has written them, and what of an image differs from that.
//!
//! Dense like an image: one value a slot. What differs is found in one walk over two arrays, without allocating.

use crate::chip::Gfx;
use crate::draw::image::{Image, WORDS};
use crate::packet::{Buffer, WriteError, Writer, register_group, register_index};
use crate::regs::{self, Space};
use alloc::boxed::Box;
use core::ops::Range;

/// A set of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slots([u64; WORDS]);

impl Slots {
    /// The slots of a generation for which this holds.
    fn of(gfx: Gfx, holds: impl Fn(usize, u32) -> bool) -> Self {
        let mut slots = Self::default();
        for (slot, _) in regs::slots(gfx).iter().enumerate().filter(|(slot, addr)| holds(*slot, **addr)) {
            slots.insert(slot);
        }
        slots
    }

    /// The registers of a range of byte addresses.
    pub fn at(gfx: Gfx, addresses: &Range<u32>) -> Self {
        Self::of(gfx, |_, addr| addresses.contains(&addr))
    }

    /// The registers of an image.
    pub fn present(image: &Image) -> Self {
        Self(*image.present())
    }

    fn insert(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / 64) {
            *word |= 1 << (slot % 64);
        }
    }

    fn remove(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    #[inline]
    fn has(&self, slot: usize) -> bool {
        self.0.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// The first slot from here on.
    #[inline]
    fn next(&self, from: usize) -> Option<usize> {
        let first = self.0.get(from / 64)? >> (from % 64);
        if first != 0 {
            return Some(from + first.trailing_zeros() as usize);
        }
        let (at, word) = self.0.iter().enumerate().skip(from / 64 + 1).find(|(_, word)| **word != 0)?;
        Some(64 * at + word.trailing_zeros() as usize)
    }

    /// Those of both sets.
    pub fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Those that the other set has not.
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.0.iter().any(|word| *word != 0)
    }
}

/// What the registers of a generation hold.
#[derive(Debug, Clone)]
pub(super) struct Held {
    gfx: Gfx,
    values: Box<[u32]>,
    known: Slots,
    /// The number of an image all of whose registers hold their values: it needs no walk.
    whole: Option<usize>,
    /// Registers that are written with an index, alone.
    indexed: Slots,
    /// Registers whose group the register of the slot before is in: they are written with it.
    grouped: Slots,
    /// Registers that may stand in one packet behind the register of the slot before.
    behind: Slots,
}

impl Held {
    /// Nothing is known.
    pub fn new(gfx: Gfx) -> Self {
        let addresses = regs::slots(gfx);
        let before = |slot: usize| addresses.get(slot.wrapping_sub(1)).copied();
        let alone = |addr| register_index(gfx, addr).is_some();
        Self {
            gfx,
            values: alloc::vec![0; 64 * WORDS].into_boxed_slice(),
            known: Slots::default(),
            whole: None,
            indexed: Slots::of(gfx, |_, addr| alone(addr)),
            grouped: Slots::of(gfx, |slot, addr| register_group(gfx, addr).is_some_and(|group| before(slot).is_some_and(|b| group.contains(&b)))),
            behind: Slots::of(gfx, |slot, addr| before(slot).is_some_and(|b| b + 4 == addr && Space::of(b) == Space::of(addr) && !alone(b) && !alone(addr))),
        }
    }

    /// Registers may hold anything.
    pub fn forget(&mut self) {
        (self.known, self.whole) = (Slots::default(), None);
    }

    /// Those of these registers that an image does not have may hold anything.
    pub fn forget_beside(&mut self, image: &Image, slots: &Slots) {
        self.known = self.known.without(&slots.without(&Slots(*image.present())));
    }

    /// Whether all registers of an image hold their values, as far as that is known without looking at them.
    #[inline]
    pub fn is_whole(&self, image: &Image) -> bool {
        self.whole.is_some() && self.whole == image.number()
    }

    /// What is known, to be put back by [`know`](Self::know) if nothing was written since.
    pub fn known(&self) -> Slots {
        self.known
    }

    /// Puts back what was known.
    pub fn know(&mut self, known: Slots) {
        self.known = known;
    }

    /// The value at a byte address, where it is known.
    pub fn get(&self, addr: u32) -> Option<u32> {
        let slot = regs::slots(self.gfx).binary_search(&addr).ok()?;
        self.values.get(slot).copied().filter(|_| self.known.has(slot))
    }

    /// The register at a byte address holds this, or anything.
    pub fn set(&mut self, addr: u32, value: Option<u32>) {
        let Ok(slot) = regs::slots(self.gfx).binary_search(&addr) else { return };
        self.whole = None;
        match (value, self.values.get_mut(slot)) {
            (Some(value), Some(place)) => {
                *place = value;
                self.known.insert(slot);
            }
            _ => self.known.remove(slot),
        }
    }

    /// The same of a register that is none of an image's.
    pub fn set_beside(&mut self, image: &Image, addr: u32, value: Option<u32>) {
        let whole = self.whole.filter(|_| image.get(addr).is_none());
        self.set(addr, value);
        self.whole = whole;
    }

    /// The registers of an image that do not hold its values, or of which that is not known.
    pub fn differing(&self, image: &Image) -> Slots {
        let mut differing = Slots::default();
        if self.is_whole(image) {
            return differing;
        }
        let (ours, theirs) = (self.values.as_chunks().0, image.values().as_chunks().0);
        let words = differing.0.iter_mut().zip(image.present()).zip(&self.known.0);
        for (((word, present), known), (ours, theirs)) in words.zip(ours.iter().zip(theirs)) {
            if *present != 0 {
                *word = present & (!known | unequal(ours, theirs));
            }
        }
        differing
    }

    /// Writes these registers of an image: consecutive ones as one run, with the whole of their groups, those with an index alone. One register that does not
    /// change between two that do is written with them: that takes a dword less than a packet of its own.
    pub fn write<B: Buffer>(&self, image: &Image, wanted: &Slots, writer: &mut Writer<B>) -> Result<(), WriteError> {
        let (addresses, mut next) = (regs::slots(self.gfx), wanted.next(0));
        while let Some(slot) = next {
            let run = self.run(image, wanted, slot);
            next = wanted.next(run.end);
            let (Some(addr), Some(values)) = (addresses.get(run.start).copied(), image.values().get(run)) else { break };
            match values {
                [value] if self.indexed.has(slot) => {
                    let index = register_index(self.gfx, addr).unwrap_or_default();
                    writer.set_reg_indexed(addr, *value, index)?;
                }
                _ => writer.set_regs(addr, values)?,
            }
        }
        Ok(())
    }

    /// The slots that are written together, from the group of a wanted one on.
    fn run(&self, image: &Image, wanted: &Slots, slot: usize) -> Range<usize> {
        let has = |slot| image.at(slot).is_some();
        let (mut start, mut end) = (slot, slot + 1);
        while self.grouped.has(start) && has(start - 1) {
            start -= 1;
        }
        loop {
            while self.grouped.has(end) && has(end) {
                end += 1;
            }
            end += match self.behind.has(end) {
                true if wanted.has(end) => 1,
                true if has(end) && self.behind.has(end + 1) && wanted.has(end + 1) => 2,
                _ => return start..end,
            };
        }
    }

    /// These registers of an image, all that differ, hold its values.
    pub fn take(&mut self, image: &Image, slots: &Slots) {
        let mut next = slots.next(0);
        while let Some(slot) = next {
            if let (Some(place), Some(value)) = (self.values.get_mut(slot), image.values().get(slot)) {
                *place = *value;
            }
            next = slots.next(slot + 1);
        }
        for (known, taken) in self.known.0.iter_mut().zip(&slots.0) {
            *known |= taken;
        }
        self.whole = image.number();
    }
}

/// One bit a value: whether they differ. In parts that compilers turn into instructions over several values.
fn unequal(ours: &[u32; 64], theirs: &[u32; 64]) -> u64 {
    const TOGETHER: usize = 16;
    let (ours, theirs) = (ours.as_chunks::<TOGETHER>().0, theirs.as_chunks::<TOGETHER>().0);
    let parts = ours.iter().zip(theirs).map(|(ours, theirs)| {
        let mut bits = 0u32;
        for at in 0..TOGETHER {
            bits |= u32::from(ours[at] != theirs[at]) << at;
        }
        u64::from(bits)
    });
    parts.rev().fold(0, |bits, part| bits << TOGETHER | part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::packet::{Queue, Reader, Stream};
    use alloc::vec::Vec;

    /// An image of these registers.
    fn image(gfx: Gfx, registers: &[(u32, u32)]) -> Image {
        let mut image = Image::new(gfx);
        for (addr, value) in registers {
            image.put(regs::slots(gfx).binary_search(addr).expect("a typed register"), *value);
        }
        image
    }

    /// What an image writes over what registers hold, and that they hold it then.
    fn written(held: &mut Held, image: &Image) -> Vec<Vec<u32>> {
        let mut stream = Stream::growable(held.gfx, Queue::Graphics);
        let differing = held.differing(image);
        held.write(image, &differing, &mut stream).expect("room");
        held.take(image, &differing);
        assert!(!held.differing(image).any());
        Reader::new(stream.words()).flatten().map(|packet| packet.writes(held.gfx).map(|w| w.addr).collect()).collect()
    }

    #[test]
    fn differing_values_are_told_one_by_one() {
        let ours = core::array::from_fn(|slot| slot as u32);
        for slot in 0..64 {
            let mut theirs = ours;
            theirs[slot] += 1;
            theirs[(slot + 21) % 64] += 1;
            assert_eq!(unequal(&ours, &theirs), 1 << slot | 1 << ((slot + 21) % 64));
        }
        assert_eq!(unequal(&ours, &ours), 0);
    }

    #[test]
    fn what_changes_is_written_in_runs_and_groups_stay_whole() {
        for gfx in Chip::all().map(Chip::gfx) {
            let mut held = Held::new(gfx);
            // Six words of a viewport's transform from PA_CL_VPORT_XSCALE on (eight on GFX12); eight registers of the user data.
            let group = register_group(gfx, 0x2_843C).expect("a group");
            let sgprs = 0xB030..0xB050;
            let transform = |x: u32| group.clone().step_by(4).map(move |addr| (addr, if addr == 0x2_8440 { x } else { 7 }));
            let user_data = |n: u32| sgprs.clone().step_by(4).map(move |addr| (addr, if addr == 0xB038 || addr == 0xB040 { n } else { 1 }));
            let of = |x, n| image(gfx, &transform(x).chain(user_data(n)).collect::<Vec<_>>());
            let (whole, all): (Vec<u32>, Vec<u32>) = (group.clone().step_by(4).collect(), sgprs.clone().step_by(4).collect());
            assert_eq!(written(&mut held, &of(1, 1)), [all.clone(), whole.clone()], "{gfx:?}");
            assert!(written(&mut held, &of(1, 1)).is_empty(), "{gfx:?}");
            assert_eq!(written(&mut held, &of(2, 1)), [whole], "{gfx:?}");
            // One register between two that change goes along.
            assert_eq!(written(&mut held, &of(2, 5)), [[0xB038, 0xB03C, 0xB040]], "{gfx:?}");
            held.set(0xB030, None);
            held.set(0xB04C, Some(9));
            assert_eq!(written(&mut held, &of(2, 5)), [[0xB030], [0xB04C]], "{gfx:?}");
            held.forget();
            assert_eq!(written(&mut held, &of(2, 5)).concat().len(), all.len() + group.len() / 4, "{gfx:?}");
        }
    }
}
