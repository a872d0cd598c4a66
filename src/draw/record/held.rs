//! The register values that a recorder has written, and the registers of an image that differ from them.
//!
//! Dense like an image: one value per slot. What differs is found in one walk over two arrays, without allocating. Objects that are bound again and again do not
//! even walk: the registers that two joined states share are compared once, and the packets from one to the other are kept.

use crate::chip::Gfx;
use crate::draw::decide::viewport::ViewSlots;
use crate::draw::image::{RegisterImage, WORDS};
use crate::draw::state::PairCache;
use crate::draw::state::joined::Joined;
use crate::draw::state::pairs::Switch;
use crate::packet::{Buffer, CONTEXT, Direct, KnownRegisters, Queue, SetPacket, WriteError, Writer, inside_group, next_indexed, register_index};
use crate::regs;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

/// Slots of a generation, and those that none has.
const SLOTS: usize = 64 * WORDS;

/// A set of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slots([u64; WORDS]);

impl Slots {
    /// So many slots from one on.
    pub fn run(first: usize, count: usize) -> Self {
        let mut slots = Self::default();
        slots.insert_run(first, count);
        slots
    }

    /// The registers of an image.
    pub fn present(image: &RegisterImage) -> Self {
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

    /// Puts `count` slots in, from one on.
    #[inline(always)]
    pub fn insert_run(&mut self, slot: usize, count: usize) {
        match (self.0.get_mut(slot / 64), bits(slot, count)) {
            // Most often they are in already: what is not stored need not be waited for.
            (Some(word), Some(bits)) if *word & bits == bits => {}
            (Some(word), Some(bits)) => *word |= bits,
            _ => (slot..slot + count).for_each(|slot| self.insert(slot)),
        }
    }

    /// Takes `count` slots out, from one on, at most 64.
    #[inline(always)]
    fn remove_run(&mut self, slot: usize, count: usize) {
        // At most 64: they are in two words.
        let (end, border) = (slot + count, (slot | 63) + 1);
        for (from, to) in [(slot, end.min(border)), (border, end)] {
            if let (true, Some(word), Some(bits)) = (from < to, self.0.get_mut(from / 64), bits(from, to.saturating_sub(from))) {
                *word &= !bits;
            }
        }
    }

    /// Whether `count` slots are in, from one on.
    #[inline(always)]
    fn has_run(&self, slot: usize, count: usize) -> bool {
        match (self.0.get(slot / 64), bits(slot, count)) {
            (Some(word), Some(bits)) => word & bits == bits,
            _ => (slot..slot + count).all(|slot| self.has(slot)),
        }
    }

    /// The slots.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(self.next(0), |slot| self.next(slot + 1))
    }

    /// Those of both sets.
    pub fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Those that the other set has not.
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.0.iter().any(|word| *word != 0)
    }
}

/// The bits of `count` slots from one on, where they are in one word.
#[inline(always)]
fn bits(slot: usize, count: usize) -> Option<u64> {
    let at = slot % 64;
    (count > 0 && at + count <= 64).then(|| u64::MAX >> (64 - count) << at)
}

/// How registers of a generation are written.
#[derive(Debug)]
struct Kinds {
    /// The packets that set the registers.
    packets: [SetPacket; SLOTS],
    /// Registers that are written with an index, alone.
    indexed: Slots,
    /// Registers whose group the register of the slot before is in: they are written with it.
    grouped: Slots,
    /// Registers that may be in one packet after the register of the slot before.
    consecutive: Slots,
    /// Context registers.
    context: Slots,
}

impl Kinds {
    /// Each slot is looked at once, without a search: the compiler runs this for each generation.
    const fn of(gfx: Gfx, addresses: &[u32]) -> Self {
        let mut kinds = Self { packets: [SetPacket::NONE; SLOTS], indexed: NONE, grouped: NONE, consecutive: NONE, context: NONE };
        let (mut slot, mut before, mut before_alone) = (0, 0, false);
        // The packet of the slot before, the addresses that it reaches, and the next register of its window that has an index.
        let (mut set, mut start, mut end, mut next) = (SetPacket::NONE, 0, 0, NO_REGISTER);
        while slot < addresses.len() {
            let (addr, word, bit) = (addresses[slot], slot / 64, 1 << (slot % 64));
            let same_window = start <= addr && addr < end;
            if !same_window {
                (set, start, end) = SetPacket::reaching(addr);
            }
            if !same_window || next < addr {
                next = match next_indexed(gfx, addr) {
                    Some((at, _)) => at,
                    None => NO_REGISTER,
                };
            }
            kinds.packets[slot] = set.after((addr - start) / 4);
            let indexed = next == addr;
            if indexed {
                kinds.indexed.0[word] |= bit;
            }
            if start == CONTEXT.start {
                kinds.context.0[word] |= bit;
                if inside_group(gfx, addr) {
                    kinds.grouped.0[word] |= bit;
                }
            }
            let alone = indexed || addr == VGT_LS_HS_CONFIG;
            if same_window && before + 4 == addr && !alone && !before_alone {
                kinds.consecutive.0[word] |= bit;
            }
            (before, before_alone) = (addr, alone);
            slot += 1;
        }
        kinds
    }
}

/// It is alone in its packet with every driver: with an index on GFX9, and on later generations without one in PAL (gfx9CmdUtil.cpp) and with one in RADV
/// (captures).
const VGT_LS_HS_CONFIG: u32 = 0x2_8B58;

/// No address.
const NO_REGISTER: u32 = u32::MAX;

/// No slots.
const NONE: Slots = Slots([0; WORDS]);

/// The kinds of a generation, a table of the build.
fn kinds(gfx: Gfx) -> &'static Kinds {
    on_gfx!(each gfx, r => {
        static KINDS: Kinds = Kinds::of(Gfx::of_index(r::GFX), r::SLOTS);
        &KINDS
    })
}

/// The values of registers, as far as they are known.
#[derive(Debug, Clone)]
pub(super) struct Registers {
    values: Box<[u32; SLOTS]>,
    known: Slots,
    packets: &'static [SetPacket; SLOTS],
    /// Where the registers of viewports are.
    pub view: ViewSlots,
}

/// Consecutive registers that are in no joined state: the slot of the first, and their values.
impl Registers {
    fn new(gfx: Gfx) -> Self {
        Self { values: Box::new([0; SLOTS]), known: Slots::default(), packets: &kinds(gfx).packets, view: ViewSlots::of(gfx) }
    }

    /// Brings registers to these values, all of them where one differs: whether it wrote.
    #[inline(always)]
    pub fn bring<const N: usize, O: KnownRegisters>(&mut self, (slot, values): (usize, [u32; N]), out: &mut O) -> Result<bool, WriteError> {
        let known = self.known.has_run(slot, N);
        let (Some(held), Some(packet)) = (self.values.get_mut(slot..).and_then(<[u32]>::first_chunk_mut), self.packets.get(slot)) else { return Ok(false) };
        if known && same(held, &values) {
            return Ok(false);
        }
        out.set_known(*packet, &values)?;
        *held = values;
        if !known {
            self.known.insert_run(slot, N);
        }
        Ok(true)
    }

    /// Brings registers of which it is known what they hold to these values, all of them where one differs: whether it wrote.
    #[inline(always)]
    pub fn change<const N: usize>(&mut self, slot: usize, values: [u32; N], out: &mut Direct<'_>) -> bool {
        self.change_or(false, slot, values, out)
    }

    /// The same, written `again` where none differs.
    #[inline(always)]
    pub fn change_or<const N: usize>(&mut self, again: bool, slot: usize, values: [u32; N], out: &mut Direct<'_>) -> bool {
        let (Some(held), Some(packet)) = (self.values.get_mut(slot..).and_then(<[u32]>::first_chunk_mut), self.packets.get(slot)) else { return false };
        let write = again || !same(held, &values);
        if write {
            out.registers(*packet, values);
            *held = values;
        }
        write
    }

    /// The same for any number of registers.
    #[inline(never)]
    pub fn change_run<'m>(&mut self, slot: usize, values: &[u32], mut out: Direct<'m>) -> Direct<'m> {
        if let (Some(held), Some(packet)) = (self.values.get_mut(slot..slot + values.len()), self.packets.get(slot))
            && held != values
        {
            out.registers_of(*packet, values);
            held.copy_from_slice(values);
        }
        out
    }

    /// The scissors of all viewports but the first may hold anything.
    #[inline(always)]
    pub fn forget_other_scissors(&mut self, slots: &ViewSlots) {
        self.known.remove_run(slots.scissor + 2, 2 * 15);
    }

    /// The same for any number of registers.
    #[inline(always)]
    pub fn bring_run<O: KnownRegisters>(&mut self, slot: usize, values: &[u32], out: &mut O) -> Result<bool, WriteError> {
        match *values {
            [] => Ok(false),
            [a] => self.bring((slot, [a]), out),
            [a, b] => self.bring((slot, [a, b]), out),
            [a, b, c] => self.bring((slot, [a, b, c]), out),
            [a, b, c, d] => self.bring((slot, [a, b, c, d]), out),
            _ => self.bring_long_run(slot, values, out),
        }
    }

    #[inline(always)]
    fn bring_long_run<O: KnownRegisters>(&mut self, slot: usize, values: &[u32], out: &mut O) -> Result<bool, WriteError> {
        if self.hold_run(slot, values) {
            return Ok(false);
        }
        let (Some(held), Some(packet)) = (self.values.get_mut(slot..slot + values.len()), self.packets.get(slot)) else { return Ok(false) };
        out.set_known_run(*packet, values)?;
        held.copy_from_slice(values);
        self.known.insert_run(slot, values.len());
        Ok(true)
    }

    /// Whether registers hold these values.
    pub fn hold_run(&self, slot: usize, values: &[u32]) -> bool {
        self.values.get(slot..slot + values.len()) == Some(values) && self.known.has_run(slot, values.len())
    }

    /// So many registers from a slot on may hold anything, at most 64.
    #[inline(always)]
    pub fn forget_run(&mut self, slot: usize, registers: usize) {
        self.known.remove_run(slot, registers);
    }
}

/// Whether they are the same, one by one, as they were stored a draw ago: what is read in wider pieces waits until all of that is in the cache.
#[inline(always)]
fn same<const N: usize>(held: &[u32; N], values: &[u32; N]) -> bool {
    for at in 0..N {
        if held[at] != values[at] {
            return false;
        }
    }
    true
}

/// What registers held.
#[derive(Debug, Clone, Default)]
struct Saved {
    values: Vec<u32>,
    known: Slots,
    whole: Option<usize>,
    base: Option<Arc<Joined>>,
    over: Option<(usize, Option<u32>)>,
}

/// What the registers of a generation hold.
#[derive(Debug, Clone)]
pub(super) struct Held {
    gfx: Gfx,
    registers: Registers,
    /// The number of an image all of whose registers hold their values: it needs no walk.
    whole: Option<usize>,
    /// What the registers of a joined state hold; `values` says nothing of these until they are [settled](Self::settle).
    base: Option<Arc<Joined>>,
    /// The slot of a register of that state which holds another value, where the value is known.
    over: Option<(usize, Option<u32>)>,
    /// What was held before a call that may be refused.
    saved: Saved,
    kinds: &'static Kinds,
}

impl Held {
    /// Nothing is known.
    pub fn new(gfx: Gfx) -> Self {
        Self { gfx, registers: Registers::new(gfx), whole: None, base: None, over: None, saved: Saved::default(), kinds: kinds(gfx) }
    }

    /// Registers may hold anything.
    pub fn forget(&mut self) {
        (self.registers.known, self.whole, self.base, self.over) = (Slots::default(), None, None, None);
    }

    /// Notes what registers hold, to be [put back](Self::restore).
    pub fn save(&mut self) {
        self.saved.values.clear();
        self.saved.values.extend_from_slice(self.registers.values.as_slice());
        (self.saved.known, self.saved.whole, self.saved.over) = (self.registers.known, self.whole, self.over);
        self.saved.base.clone_from(&self.base);
    }

    /// Registers hold what they held when that was noted: nothing was written since.
    pub fn restore(&mut self) {
        self.registers.values.copy_from_slice(&self.saved.values);
        (self.registers.known, self.whole, self.base, self.over) = (self.saved.known, self.saved.whole, self.saved.base.take(), self.saved.over);
    }

    /// The registers of the joined state that is bound are registers like others again.
    pub fn settle(&mut self) {
        if let Some(base) = self.base.take() {
            self.take(&base.image, &Slots::present(&base.image));
            self.whole = None;
        }
        if let Some((slot, value)) = self.over.take() {
            self.put(slot, value);
        }
    }

    /// Those of these registers that an image does not have may hold anything.
    pub fn forget_beside(&mut self, image: &RegisterImage, slots: &Slots) {
        self.registers.known = self.registers.known.without(&slots.without(&Slots(*image.present())));
    }

    /// Whether all registers of an image hold their values, as far as that is known without looking at them.
    #[inline]
    pub fn is_whole(&self, image: &RegisterImage) -> bool {
        self.whole.is_some() && self.whole == image.number()
    }

    /// What is known, to be put back by [`know`](Self::know) if nothing was written since.
    pub fn known(&mut self) -> Slots {
        self.settle();
        self.registers.known
    }

    /// Puts back what was known.
    pub fn know(&mut self, known: Slots) {
        self.registers.known = known;
    }

    /// The value at a byte address, where it is known.
    pub fn get(&self, addr: u32) -> Option<u32> {
        let slot = regs::slots(self.gfx).binary_search(&addr).ok()?;
        if let Some((_, value)) = self.over.filter(|over| over.0 == slot) {
            return value;
        }
        if let Some(value) = self.base.as_ref().and_then(|base| base.image.at(slot)) {
            return Some(value);
        }
        self.registers.values.get(slot).copied().filter(|_| self.registers.known.has(slot))
    }

    /// The register at a byte address holds this, or anything.
    pub fn set(&mut self, addr: u32, value: Option<u32>) {
        let Ok(slot) = regs::slots(self.gfx).binary_search(&addr) else { return };
        if self.base.as_ref().is_some_and(|base| base.image.at(slot).is_some()) {
            self.settle();
        }
        self.whole = None;
        self.put(slot, value);
    }

    /// The register at a byte address holds this, whatever the joined state that is bound has for it. The joined state stays.
    pub fn set_over(&mut self, addr: u32, value: u32) {
        let Ok(slot) = regs::slots(self.gfx).binary_search(&addr) else { return };
        let of_base = self.base.as_ref().is_some_and(|base| base.image.at(slot).is_some());
        if of_base && self.over.is_none_or(|over| over.0 == slot) {
            self.over = Some((slot, Some(value)));
        } else {
            self.set(addr, Some(value));
        }
    }

    fn put(&mut self, slot: usize, value: Option<u32>) {
        match (value, self.registers.values.get_mut(slot)) {
            (Some(value), Some(place)) => {
                *place = value;
                self.registers.known.insert(slot);
            }
            _ => self.registers.known.remove(slot),
        }
    }

    /// The same for a register that no image has.
    pub fn set_beside(&mut self, image: &RegisterImage, addr: u32, value: Option<u32>) {
        let whole = self.whole.filter(|_| image.get(addr).is_none());
        self.set(addr, value);
        self.whole = whole;
    }

    /// The registers of an image that do not hold its values, or of which that is not known.
    pub fn differing(&mut self, image: &RegisterImage) -> Slots {
        let mut differing = Slots::default();
        if self.is_whole(image) {
            return differing;
        }
        self.settle();
        let (ours, theirs) = (self.registers.values.as_chunks().0, image.values().as_chunks().0);
        let words = differing.0.iter_mut().zip(image.present()).zip(&self.registers.known.0);
        for (((word, present), known), (ours, theirs)) in words.zip(ours.iter().zip(theirs)) {
            if *present != 0 {
                *word = present & (!known | unequal(ours, theirs));
            }
        }
        differing
    }

    /// Writes these registers of an image: consecutive ones as one run, with the whole of their groups, those with an index alone. One register that does not
    /// change between two that do is written with them: that takes a dword less than a packet of its own.
    pub fn write<B: Buffer>(&self, image: &RegisterImage, wanted: &Slots, writer: &mut Writer<B>) -> Result<(), WriteError> {
        let (addresses, mut next) = (regs::slots(self.gfx), wanted.next(0));
        while let Some(slot) = next {
            let run = self.run(image, wanted, slot);
            next = wanted.next(run.end);
            let (Some(packet), Some(values)) = (self.registers.packets.get(run.start).copied(), image.values().get(run)) else { break };
            match (values, addresses.get(slot)) {
                ([value], Some(addr)) if self.kinds.indexed.has(slot) => {
                    let index = register_index(self.gfx, *addr).unwrap_or_default();
                    writer.set_reg_indexed(*addr, *value, index)?;
                }
                _ => writer.set_known_run(packet, values)?,
            }
        }
        Ok(())
    }

    /// The slots that are written together, from the group of a wanted one on.
    fn run(&self, image: &RegisterImage, wanted: &Slots, slot: usize) -> Range<usize> {
        let has = |slot| image.at(slot).is_some();
        let (mut start, mut end) = (slot, slot + 1);
        while self.kinds.grouped.has(start) && has(start - 1) {
            start -= 1;
        }
        loop {
            while self.kinds.grouped.has(end) && has(end) {
                end += 1;
            }
            end += match self.kinds.consecutive.has(end) {
                true if wanted.has(end) => 1,
                true if has(end) && self.kinds.consecutive.has(end + 1) && wanted.has(end + 1) => 2,
                _ => return start..end,
            };
        }
    }

    /// These registers of an image, all that differ, hold its values.
    pub fn take(&mut self, image: &RegisterImage, slots: &Slots) {
        for slot in slots.iter() {
            if let (Some(place), Some(value)) = (self.registers.values.get_mut(slot), image.values().get(slot)) {
                *place = *value;
            }
        }
        for (known, taken) in self.registers.known.0.iter_mut().zip(&slots.0) {
            *known |= taken;
        }
        self.whole = image.number();
    }
}

/// Registers of dynamic state and of joined states.
impl Held {
    /// The joined state whose registers hold their values.
    pub fn base(&self) -> Option<&Arc<Joined>> {
        self.base.as_ref()
    }

    /// The joined state whose registers hold their values, and the registers beside it, which are about to change.
    #[inline]
    pub fn beside(&mut self) -> (Option<&Joined>, &mut Registers) {
        self.whole = None;
        (self.base.as_deref(), &mut self.registers)
    }

    /// Whether this joined state is bound, and its registers hold its values. The one at byte address `apart` may hold any: the call writes it.
    pub fn is_base(&self, joined: &Joined, apart: Option<u32>) -> bool {
        let is_apart = |slot: usize| apart.is_some() && regs::slots(self.gfx).get(slot).copied() == apart;
        self.base.as_ref().is_some_and(|base| base.number == joined.number) && self.over.is_none_or(|over| is_apart(over.0))
    }

    /// Brings the registers of a joined state to their values, but the one at byte address `apart`, which the call writes: whether it wrote context registers.
    pub fn switch<B: Buffer>(&mut self, to: &Arc<Joined>, apart: Option<u32>, pairs: &mut PairCache, writer: &mut Writer<B>) -> Result<bool, WriteError> {
        let apart = apart.and_then(|addr| regs::slots(self.gfx).binary_search(&addr).ok());
        let over = self.over.map(|over| over.0);
        // The kept packets write no register that both states have alike.
        let kept = |from: &Joined| over.or(apart).is_none_or(|slot| (over.is_none() || over == apart) && from.image.at(slot) == to.image.at(slot));
        let from = match self.base.take() {
            Some(from) if !writer.is_special() && kept(&from) => from,
            from => {
                self.base = from;
                self.settle();
                let mut differing = self.differing(&to.image);
                let apart = apart.filter(|slot| to.image.at(*slot).is_some());
                apart.into_iter().for_each(|slot| differing.remove(slot));
                self.write(&to.image, &differing, writer)?;
                let value = |slot| self.registers.values.get(slot).copied().filter(|_| self.registers.known.has(slot));
                self.over = apart.map(|slot| (slot, value(slot)));
                (self.base, self.whole) = (Some(Arc::clone(to)), None);
                return Ok(differing.and(&self.kinds.context).any());
            }
        };
        self.whole = None;
        let switch = pairs.switch(&from, to, || self.packets_between(&from, to, writer.queue()))?;
        let mut context = false;
        if switch.is_none_or(|switch| !switch.all) {
            context = self.bring_others(&from, to, writer)?;
        }
        if let Some(switch) = switch {
            writer.append_registers(&switch.words)?;
            context |= switch.context;
        }
        self.base = Some(Arc::clone(to));
        Ok(context)
    }

    /// The same straight from the joined state that is bound, where the packets between both are kept already and there is room for all, and for so many dwords
    /// more. None, and nothing written, where not.
    pub fn switch_plainly<B: Buffer>(&mut self, to: Arc<Joined>, pairs: &PairCache, writer: &mut Writer<B>, after: usize) -> Option<bool> {
        let from = self.base.take()?;
        let switch = pairs.kept(&from, &to).filter(|_| self.over.is_none_or(|(slot, _)| from.image.at(slot) == to.image.at(slot)));
        let others = |switch: &Switch| if switch.all { 0 } else { 3 * Slots::present(&to.image).without(&Slots::present(&from.image)).count() };
        let Some(switch) = switch.filter(|switch| writer.has_room(switch.words.len() + others(switch) + after)) else {
            self.base = Some(from);
            return None;
        };
        self.whole = None;
        let at = writer.len();
        let others = if switch.all { Ok(false) } else { self.bring_others(&from, &to, writer) };
        match others.and_then(|context| writer.append_registers(&switch.words).map(|()| context | switch.context)) {
            Ok(context) => {
                self.base = Some(to);
                Some(context)
            }
            Err(_) => {
                // All is written anew.
                writer.cut(at);
                self.forget();
                None
            }
        }
    }

    /// Registers that the new state does not have keep the values of the old one; what it has beside the old one may hold its value already: whether it wrote
    /// context registers.
    fn bring_others<B: Buffer>(&mut self, from: &Joined, to: &Joined, writer: &mut Writer<B>) -> Result<bool, WriteError> {
        let lost = Slots::present(&from.image).without(&Slots::present(&to.image));
        if lost.any() {
            self.take(&from.image, &lost);
            self.whole = None;
        }
        let new = Slots::present(&to.image).without(&Slots::present(&from.image));
        let Registers { values, known, .. } = &self.registers;
        let mut differing = Slots::default();
        new.iter().filter(|slot| !known.has(*slot) || values.get(*slot).copied() != to.image.at(*slot)).for_each(|slot| differing.insert(slot));
        if differing.any() {
            self.write(&to.image, &differing, writer)?;
        }
        Ok(differing.and(&self.kinds.context).any())
    }

    /// The packets for the registers that two joined states have and that differ.
    #[cold]
    fn packets_between(&self, from: &Joined, to: &Joined, queue: Queue) -> Result<Switch, WriteError> {
        let mut stream = Writer::growable(self.gfx, queue);
        let both = Slots::present(&from.image).and(&Slots::present(&to.image));
        let mut differing = Slots::default();
        both.iter().filter(|slot| from.image.at(*slot) != to.image.at(*slot)).for_each(|slot| differing.insert(slot));
        self.write(&to.image, &differing, &mut stream)?;
        let (context, all) = (differing.and(&self.kinds.context).any(), from.image.present() == to.image.present());
        Ok(Switch { from: from.number, to: to.number, words: stream.into_buffer(), context, all })
    }
}

/// One bit per value: whether they differ. In parts that compilers turn into instructions over several values.
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

#[cfg(feature = "self-test")]
pub(crate) mod self_test {
    use super::*;
    use crate::chip::Chip;
    use crate::packet::{Queue, Reader, Stream, register_group};
    use alloc::vec::Vec;

    /// An image of these registers.
    fn image(gfx: Gfx, registers: &[(u32, u32)]) -> RegisterImage {
        let mut image = RegisterImage::new(gfx);
        for (addr, value) in registers {
            image.put(regs::slots(gfx).binary_search(addr).expect("a typed register"), *value);
        }
        image
    }

    /// The registers that are written to bring `held` to an image; checks that nothing differs afterwards.
    fn written(held: &mut Held, image: &RegisterImage) -> Vec<Vec<u32>> {
        let mut stream = Stream::growable(held.gfx, Queue::Graphics);
        let differing = held.differing(image);
        held.write(image, &differing, &mut stream).expect("room");
        held.take(image, &differing);
        assert!(!held.differing(image).any());
        Reader::new(stream.words()).flatten().map(|packet| packet.writes(held.gfx).map(|w| w.addr).collect()).collect()
    }

    pub(crate) fn differing_values_are_found_one_by_one() {
        let ours = core::array::from_fn(|slot| slot as u32);
        for slot in 0..64 {
            let mut theirs = ours;
            theirs[slot] += 1;
            theirs[(slot + 21) % 64] += 1;
            assert_eq!(unequal(&ours, &theirs), 1 << slot | 1 << ((slot + 21) % 64));
        }
        assert_eq!(unequal(&ours, &ours), 0);
    }

    pub(crate) fn runs_of_slots_are_their_slots() {
        for (slot, count) in (0..200).flat_map(|slot| (0..=64).map(move |count| (slot, count))) {
            let run = slot..slot + count;
            let mut slots = Slots::default();
            slots.insert_run(slot, count);
            assert!(slots.iter().eq(run.clone()), "{count} from {slot}");
            assert!(slots.has_run(slot, count) && !slots.has_run(slot, count + 1), "{count} from {slot}");
            assert!(count == 0 || !slots.has_run(slot + 1, count), "{count} from {slot}");
            slots.insert_run(0, 300);
            slots.remove_run(slot, count);
            assert!(slots.iter().eq((0..300).filter(|slot| !run.contains(slot))), "{count} from {slot}");
        }
    }

    pub(crate) fn what_changes_is_written_in_runs_and_groups_stay_whole() {
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
