//! The known hardware state: the values of registers, and the state that they form as a whole.
//!
//! Objects that are bound repeatedly are not even compared: the registers that two joined states share are compared once, and the packets from one state to the
//! other are kept.

use crate::chip::Gfx;
use crate::draw::image::RegisterImage;
use crate::draw::record::registers::{Registers, Slots, Values, slots_of};
use crate::draw::state::PairCache;
use crate::draw::state::joined::Joined;
use crate::draw::state::pairs::{RegisterPackets, Switch};
use crate::packet::{Buffer, Queue, WriteError, Writer};
use alloc::sync::Arc;

/// A state whose registers all hold its values. [`Registers`] contains the same information per register; this avoids the walk.
#[derive(Debug, Clone, Default)]
enum Whole {
    /// No known state.
    #[default]
    Nothing,
    /// The image with this number.
    Image(usize),
    /// A joined state, apart from the register in slot `except`.
    Joined { state: Arc<Joined>, except: Option<usize> },
}

/// The state when a transaction began.
#[derive(Debug, Default)]
struct Before {
    transaction: Transaction,
    /// Kept between transactions, so that only the first one allocates.
    values: Option<Values>,
    whole: Whole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Transaction {
    /// There is no transaction.
    #[default]
    Closed,
    /// Nothing has changed since the transaction began.
    Unchanged,
    /// The state before the transaction is saved.
    Changed,
}

/// The known contents of a generation's registers.
#[derive(Debug)]
pub(super) struct Held {
    registers: Registers,
    whole: Whole,
    before: Before,
}

impl Held {
    /// Creates a state in which nothing is known.
    pub fn new(gfx: Gfx) -> Self {
        Self { registers: Registers::new(gfx), whole: Whole::Nothing, before: Before::default() }
    }

    /// Begins a transaction: [`roll_back`](Self::roll_back) restores the current state.
    #[inline]
    pub fn begin(&mut self) {
        self.before.transaction = Transaction::Unchanged;
    }

    /// Keeps the changes since the transaction began.
    #[inline]
    pub fn commit(&mut self) {
        self.before.transaction = Transaction::Closed;
    }

    /// Restores the state at the beginning of the transaction, since nothing was written.
    pub fn roll_back(&mut self) {
        if self.before.transaction == Transaction::Changed {
            if let Some(values) = &self.before.values {
                self.registers.values_mut().copy_from(values);
            }
            self.whole = core::mem::take(&mut self.before.whole);
        }
        self.before.transaction = Transaction::Closed;
    }

    /// Prepares a change. Most transactions change nothing here, so the state is saved only now.
    #[inline]
    fn change(&mut self) {
        if self.before.transaction == Transaction::Unchanged {
            self.save();
        }
    }

    #[inline(never)]
    fn save(&mut self) {
        match &mut self.before.values {
            Some(values) => values.copy_from(self.registers.values()),
            values => *values = Some(self.registers.values().clone()),
        }
        self.before.whole.clone_from(&self.whole);
        self.before.transaction = Transaction::Changed;
    }

    /// Records that registers may hold anything.
    pub fn forget(&mut self) {
        self.change();
        self.registers.values_mut().forget_all();
        self.whole = Whole::Nothing;
    }

    /// Records that those of the registers that an image lacks may have any value.
    pub fn forget_missing(&mut self, image: &RegisterImage, slots: &Slots) {
        self.change();
        self.registers.values_mut().forget_slots(&slots.without(&slots_of(image)));
    }

    /// Returns the slot of the register at a byte address.
    pub fn slot(&self, addr: u32) -> Option<usize> {
        self.registers.slot(addr)
    }

    /// Returns the value at a byte address if it is known.
    pub fn get(&self, addr: u32) -> Option<u32> {
        self.registers.values().get(self.registers.slot(addr)?)
    }

    /// Records that the register at a byte address holds this value; None for an unknown value.
    pub fn set(&mut self, addr: u32, value: Option<u32>) {
        let Some(slot) = self.registers.slot(addr) else { return };
        self.change();
        match &self.whole {
            Whole::Joined { state, .. } if state.image.at(slot).is_none() => {}
            _ => self.whole = Whole::Nothing,
        }
        self.registers.set(slot, value);
    }

    /// Like [`set`](Self::set), after a draw with this image. If the image lacks the register, the image as a whole is still held.
    pub fn set_after(&mut self, image: &RegisterImage, addr: u32, value: Option<u32>) {
        let number = self.holds_image(image).then(|| image.number()).flatten().filter(|_| image.get(addr).is_none());
        self.set(addr, value);
        if let Some(number) = number {
            self.whole = Whole::Image(number);
        }
    }

    /// Records that the register at a byte address holds this value in place of the joined state's; the state is held apart from this register.
    pub fn set_except(&mut self, addr: u32, value: u32) {
        let Some(slot) = self.registers.slot(addr) else { return };
        match &self.whole {
            Whole::Joined { state, except } if state.image.at(slot).is_some() && except.is_none_or(|except| except == slot) => {
                let state = Arc::clone(state);
                self.change();
                self.whole = Whole::Joined { state, except: Some(slot) };
                self.registers.set(slot, Some(value));
            }
            _ => self.set(addr, Some(value)),
        }
    }

    /// Returns whether all registers of an image are known to hold their values, without examining them.
    #[inline]
    pub fn holds_image(&self, image: &RegisterImage) -> bool {
        matches!(self.whole, Whole::Image(number) if image.number() == Some(number))
    }

    /// Returns the registers of an image that do not hold its values, or are not known to.
    pub fn differing(&self, image: &RegisterImage) -> Slots {
        if self.holds_image(image) { Slots::EMPTY } else { self.registers.differing(image) }
    }

    /// Writes these registers of an image, each with the packet that its generation needs.
    pub fn write<B: Buffer>(&self, image: &RegisterImage, wanted: &Slots, writer: &mut Writer<B>) -> Result<(), WriteError> {
        self.registers.write_image(image, wanted, writer)
    }

    /// Records that these registers, which are all that differ, hold the values of an image.
    pub fn record(&mut self, image: &RegisterImage, slots: &Slots) {
        if self.holds_image(image) {
            return;
        }
        self.change();
        self.registers.record(image, slots);
        self.whole = image.number().map_or(Whole::Nothing, Whole::Image);
    }
}

/// Registers of dynamic state and of joined states.
impl Held {
    /// Returns the joined state that the registers hold.
    #[inline]
    pub fn joined(&self) -> Option<&Arc<Joined>> {
        if let Whole::Joined { state, .. } = &self.whole { Some(state) } else { None }
    }

    /// Returns the registers outside all joined states, which are about to change.
    pub fn others(&mut self) -> &mut Registers {
        self.change();
        if let Whole::Image(_) = self.whole {
            self.whole = Whole::Nothing;
        }
        &mut self.registers
    }

    /// Returns the joined state and the registers that it lacks, which are about to change outside any transaction.
    #[inline]
    pub fn joined_and_others(&mut self) -> Option<(&Joined, &mut Registers)> {
        if let Whole::Joined { state, .. } = &self.whole { Some((state, &mut self.registers)) } else { None }
    }

    /// Returns whether the registers hold this joined state. The register at byte address `apart` may hold any value, because the call writes it.
    pub fn holds_joined(&self, joined: &Joined, apart: Option<u32>) -> bool {
        match &self.whole {
            Whole::Joined { state, except } => {
                state.number == joined.number && except.is_none_or(|slot| apart.and_then(|addr| self.registers.slot(addr)) == Some(slot))
            }
            _ => false,
        }
    }

    /// Writes the registers of a joined state that differ, except the one at byte address `apart`, which the call writes. Returns whether it wrote context
    /// registers.
    pub fn switch<B: Buffer>(&mut self, to: &Arc<Joined>, apart: Option<u32>, pairs: &mut PairCache, writer: &mut Writer<B>) -> Result<bool, WriteError> {
        let apart = apart.and_then(|addr| self.registers.slot(addr));
        // The kept packets write no register that is equal in both states.
        let kept = |from: &Joined, except: Option<usize>| {
            except.or(apart).is_none_or(|slot| (except.is_none() || except == apart) && from.image.at(slot) == to.image.at(slot))
        };
        self.change();
        let Self { registers, whole, .. } = self;
        if let Whole::Joined { state: from, except } = whole
            && !writer.is_special()
            && kept(from, *except)
            && let Some(switch) = pairs.switch(from, to, || packets_between(registers, from, to, writer.queue()))?
        {
            let mut context = switch.context;
            if switch.missing != 0 {
                context |= registers.write_missing(&from.image, &to.image, writer)?;
            }
            writer.append_registers(switch.packets.words())?;
            registers.hold_packets(&switch.packets);
            *from = Arc::clone(to);
            return Ok(context);
        }
        let mut differing = registers.differing(&to.image);
        let except = apart.filter(|slot| to.image.at(*slot).is_some());
        except.into_iter().for_each(|slot| differing.remove(slot));
        registers.write_image(&to.image, &differing, writer)?;
        registers.record(&to.image, &differing);
        *whole = Whole::Joined { state: Arc::clone(to), except };
        Ok(registers.are_context(&differing))
    }

    /// Like [`switch`](Self::switch), with the kept switch from the held joined state, if there is room for all its packets and `after` more dwords. Otherwise
    /// returns None and writes nothing.
    pub fn switch_plainly<B: Buffer>(&mut self, to: Arc<Joined>, switch: &Switch, writer: &mut Writer<B>, after: usize) -> Option<bool> {
        let Self { registers, whole, .. } = self;
        let Whole::Joined { state: from, except } = whole else { return None };
        let alike = except.is_none_or(|slot| from.image.at(slot) == to.image.at(slot));
        if !alike || !writer.has_room(switch.packets.words().len() + 3 * switch.missing as usize + after) {
            return None;
        }
        let at = writer.len();
        let context = if switch.missing == 0 { Ok(false) } else { registers.write_missing(&from.image, &to.image, writer) };
        match context.and_then(|context| writer.append_registers(switch.packets.words()).map(|()| context | switch.context)) {
            Ok(context) => {
                registers.hold_packets(&switch.packets);
                *from = to;
                Some(context)
            }
            Err(_) => {
                // Everything is written again.
                writer.cut(at);
                self.forget();
                None
            }
        }
    }
}

/// Returns the packets for the registers that differ between two joined states.
#[cold]
fn packets_between(registers: &Registers, from: &Joined, to: &Joined, queue: Queue) -> Result<Switch, WriteError> {
    let mut stream = Writer::growable(registers.gfx(), queue);
    let both = slots_of(&from.image).and(&slots_of(&to.image));
    let mut differing = Slots::EMPTY;
    both.iter().filter(|slot| from.image.at(*slot) != to.image.at(*slot)).for_each(|slot| differing.insert(slot));
    registers.write_image(&to.image, &differing, &mut stream)?;
    let values = differing.iter().filter_map(|slot| Some((slot, to.image.at(slot)?)));
    Ok(Switch {
        from: from.number,
        to: to.number,
        packets: RegisterPackets::new(stream.into_buffer(), values),
        context: registers.are_context(&differing),
        missing: slots_of(&to.image).without(&slots_of(&from.image)).count() as u32,
        differs: to.differs(from),
        plain: to.is_plain_after(from),
    })
}
