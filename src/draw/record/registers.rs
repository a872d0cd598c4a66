//! The typed registers of a generation: their known values, and the packets that set them.
//!
//! Dense like an image: one value per slot. One walk over two arrays finds the differences, without allocating.

use crate::chip::Gfx;
use crate::draw::decide::viewport::ViewSlots;
use crate::draw::image::{RegisterImage, WORDS};
use crate::draw::state::pairs::RegisterPackets;
use crate::packet::{Buffer, CONTEXT, KnownRegisters, KnownValues, SetPacket, SlotSet, WriteError, Writer, inside_group, next_indexed, register_index};
use crate::regs;
use core::ops::Range;

/// Number of slots, rounded up to whole words.
const SLOTS: usize = 64 * WORDS;

/// The known values of typed registers.
pub(super) type Values = KnownValues<SLOTS, WORDS>;

/// A set of slots of typed registers.
pub(super) type Slots = SlotSet<WORDS>;

/// Returns the registers of an image.
pub(super) fn slots_of(image: &RegisterImage) -> Slots {
    Slots::of_words(*image.present())
}

/// The ways in which registers of a generation are written.
#[derive(Debug)]
struct Kinds {
    /// The packets that set the registers.
    packets: [SetPacket; SLOTS],
    /// Registers that are written with an index, each in a separate packet.
    indexed: Slots,
    /// Registers in the same group as the register of the previous slot, with which they are written.
    grouped: Slots,
    /// Registers that may follow the register of the previous slot in one packet.
    consecutive: Slots,
    /// Context registers.
    context: Slots,
}

impl Kinds {
    /// Examines each slot once, without a search, because the compiler evaluates this for each generation.
    const fn of(gfx: Gfx, addresses: &[u32]) -> Self {
        let mut kinds =
            Self { packets: [SetPacket::NONE; SLOTS], indexed: Slots::EMPTY, grouped: Slots::EMPTY, consecutive: Slots::EMPTY, context: Slots::EMPTY };
        let (mut slot, mut before, mut before_alone) = (0, 0, false);
        // The packet of the slot before, the addresses that it reaches, and the next register of its window that has an index.
        let (mut set, mut start, mut end, mut next) = (SetPacket::NONE, 0, 0, NO_REGISTER);
        while slot < addresses.len() {
            let addr = addresses[slot];
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
                kinds.indexed.insert(slot);
            }
            if start == CONTEXT.start {
                kinds.context.insert(slot);
                if inside_group(gfx, addr) {
                    kinds.grouped.insert(slot);
                }
            }
            let alone = indexed || addr == VGT_LS_HS_CONFIG;
            if same_window && before + 4 == addr && !alone && !before_alone {
                kinds.consecutive.insert(slot);
            }
            (before, before_alone) = (addr, alone);
            slot += 1;
        }
        kinds
    }
}

/// Every driver writes it alone in its packet: with an index on GFX9; on later generations without an index in PAL (gfx9CmdUtil.cpp) and with an index in RADV
/// (captures).
const VGT_LS_HS_CONFIG: u32 = 0x2_8B58;

/// No address.
const NO_REGISTER: u32 = u32::MAX;

/// Returns the kinds of a generation, from a compile-time table.
fn kinds(gfx: Gfx) -> &'static Kinds {
    on_gfx!(each gfx, r => {
        static KINDS: Kinds = Kinds::of(Gfx::of_index(r::GFX), r::SLOTS);
        &KINDS
    })
}

/// The known values of the typed registers of a generation.
#[derive(Debug)]
pub(super) struct Registers {
    gfx: Gfx,
    values: Values,
    kinds: &'static Kinds,
    view: ViewSlots,
}

impl Registers {
    /// Creates a state in which nothing is known.
    pub fn new(gfx: Gfx) -> Self {
        Self { gfx, values: Values::new(), kinds: kinds(gfx), view: ViewSlots::of(gfx) }
    }

    pub fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Returns the slots of the viewport registers.
    #[inline]
    pub fn view_slots(&self) -> ViewSlots {
        self.view
    }

    /// Returns the slot of the register at a byte address.
    pub fn slot(&self, addr: u32) -> Option<usize> {
        regs::slots(self.gfx).binary_search(&addr).ok()
    }

    /// Returns the known values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the known values for modification from another record.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// Records that the register in a slot holds this value; None for an unknown value.
    pub fn set(&mut self, slot: usize, value: Option<u32>) {
        match value {
            Some(value) => self.values.set(slot, value),
            None => self.values.forget(slot),
        }
    }

    /// Returns, by slot, the packets that set the registers and the storage of their values.
    #[inline]
    pub fn places(&mut self) -> (&[SetPacket; SLOTS], &mut [u32; SLOTS]) {
        (&self.kinds.packets, self.values.places())
    }

    /// Writes consecutive registers, all of them if one differs; returns whether it wrote.
    #[inline]
    pub fn write<const N: usize, O: KnownRegisters>(&mut self, (slot, values): (usize, [u32; N]), out: &mut O) -> Result<bool, WriteError> {
        self.write_run(slot, &values, out)
    }

    /// Like [`write`](Self::write), for any number of registers.
    #[inline]
    pub fn write_run<O: KnownRegisters>(&mut self, slot: usize, values: &[u32], out: &mut O) -> Result<bool, WriteError> {
        let Some(packet) = self.kinds.packets.get(slot).filter(|_| !self.values.hold(slot, values)) else { return Ok(false) };
        out.set_known_run(*packet, values)?;
        self.values.set_run(slot, values);
        Ok(true)
    }

    /// Returns the registers of an image that do not hold its values, or are not known to.
    pub fn differing(&self, image: &RegisterImage) -> Slots {
        self.values.differing(&slots_of(image), image.values().as_chunks().0)
    }

    /// These registers of an image, all that differ, hold its values.
    pub fn record(&mut self, image: &RegisterImage, slots: &Slots) {
        self.values.set_all(slots, image.values());
    }

    /// Writes these registers of an image: consecutive registers as one run, with their whole groups; registers with an index alone. A single unchanged
    /// register between two changed ones is written with them, which takes a dword less than a separate packet.
    pub fn write_image<B: Buffer>(&self, image: &RegisterImage, wanted: &Slots, writer: &mut Writer<B>) -> Result<(), WriteError> {
        let (addresses, mut next) = (regs::slots(self.gfx), wanted.next(0));
        while let Some(slot) = next {
            let run = self.run(image, wanted, slot);
            next = wanted.next(run.end);
            let (Some(packet), Some(values)) = (self.kinds.packets.get(run.start).copied(), image.values().get(run)) else { break };
            match (values, addresses.get(slot)) {
                ([value], Some(addr)) if self.kinds.indexed.contains(slot) => {
                    let index = register_index(self.gfx, *addr).unwrap_or_default();
                    writer.set_reg_indexed(*addr, *value, index)?;
                }
                _ => writer.set_known_run(packet, values)?,
            }
        }
        Ok(())
    }

    /// Records that registers hold the values of these packets.
    #[inline]
    pub fn hold_packets(&mut self, packets: &RegisterPackets) {
        for [slot, value] in packets.values() {
            self.values.replace(*slot as usize, *value);
        }
    }

    /// Returns the slots that are written together, from the group of a wanted one on.
    fn run(&self, image: &RegisterImage, wanted: &Slots, slot: usize) -> Range<usize> {
        let has = |slot| image.at(slot).is_some();
        let (mut start, mut end) = (slot, slot + 1);
        while self.kinds.grouped.contains(start) && has(start - 1) {
            start -= 1;
        }
        loop {
            while self.kinds.grouped.contains(end) && has(end) {
                end += 1;
            }
            end += match self.kinds.consecutive.contains(end) {
                true if wanted.contains(end) => 1,
                true if has(end) && self.kinds.consecutive.contains(end + 1) && wanted.contains(end + 1) => 2,
                _ => return start..end,
            };
        }
    }

    /// Writes the registers of an image that another image lacks and that do not hold their values; returns whether it wrote context registers.
    pub fn write_missing<B: Buffer>(&mut self, other: &RegisterImage, image: &RegisterImage, writer: &mut Writer<B>) -> Result<bool, WriteError> {
        let (missing, mut differing) = (slots_of(image).without(&slots_of(other)), Slots::EMPTY);
        missing.iter().filter(|slot| self.values.get(*slot) != image.at(*slot)).for_each(|slot| differing.insert(slot));
        if differing.is_empty() {
            return Ok(false);
        }
        self.write_image(image, &differing, writer)?;
        self.record(image, &differing);
        Ok(self.are_context(&differing))
    }

    /// Returns whether these include context registers.
    pub fn are_context(&self, slots: &Slots) -> bool {
        !slots.and(&self.kinds.context).is_empty()
    }
}
