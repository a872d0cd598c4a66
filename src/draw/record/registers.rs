//! The typed registers of a generation: what is known of their values, and the packets that set them.
//!
//! Dense like an image: one value per slot. What differs is found in one walk over two arrays, without allocating.

use crate::chip::Gfx;
use crate::draw::decide::viewport::ViewSlots;
use crate::draw::image::{RegisterImage, WORDS};
use crate::draw::state::pairs::RegisterPackets;
use crate::packet::{Buffer, CONTEXT, KnownRegisters, KnownValues, SetPacket, SlotSet, WriteError, Writer, inside_group, next_indexed, register_index};
use crate::regs;
use core::ops::Range;

/// Slots of a generation, and those that none has.
const SLOTS: usize = 64 * WORDS;

/// What is known of typed registers.
pub(super) type Values = KnownValues<SLOTS, WORDS>;

/// A set of slots of typed registers.
pub(super) type Slots = SlotSet<WORDS>;

/// Returns the registers of an image.
pub(super) fn slots_of(image: &RegisterImage) -> Slots {
    Slots::of_words(*image.present())
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

/// It is alone in its packet with every driver: with an index on GFX9, and on later generations without one in PAL (gfx9CmdUtil.cpp) and with one in RADV
/// (captures).
const VGT_LS_HS_CONFIG: u32 = 0x2_8B58;

/// No address.
const NO_REGISTER: u32 = u32::MAX;

/// Returns the kinds of a generation, a table of the build.
fn kinds(gfx: Gfx) -> &'static Kinds {
    on_gfx!(each gfx, r => {
        static KINDS: Kinds = Kinds::of(Gfx::of_index(r::GFX), r::SLOTS);
        &KINDS
    })
}

/// What is known of the typed registers of a generation.
#[derive(Debug)]
pub(super) struct Registers {
    gfx: Gfx,
    values: Values,
    kinds: &'static Kinds,
    view: ViewSlots,
}

impl Registers {
    /// Nothing is known.
    pub fn new(gfx: Gfx) -> Self {
        Self { gfx, values: Values::new(), kinds: kinds(gfx), view: ViewSlots::of(gfx) }
    }

    pub fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Where the registers of viewports are.
    #[inline]
    pub fn view_slots(&self) -> ViewSlots {
        self.view
    }

    /// Returns the slot of the register at a byte address.
    pub fn slot(&self, addr: u32) -> Option<usize> {
        regs::slots(self.gfx).binary_search(&addr).ok()
    }

    /// What is known.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// What is known, to be set to what another record says.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The register in a slot holds this, or anything.
    pub fn set(&mut self, slot: usize, value: Option<u32>) {
        match value {
            Some(value) => self.values.set(slot, value),
            None => self.values.forget(slot),
        }
    }

    /// Returns the packets that set the registers, and the places of their values, each by slot.
    #[inline]
    pub fn places(&mut self) -> (&[SetPacket; SLOTS], &mut [u32; SLOTS]) {
        (&self.kinds.packets, self.values.places())
    }

    /// Writes consecutive registers, all of them where one differs: whether it wrote.
    #[inline]
    pub fn write<const N: usize, O: KnownRegisters>(&mut self, (slot, values): (usize, [u32; N]), out: &mut O) -> Result<bool, WriteError> {
        self.write_run(slot, &values, out)
    }

    /// The same for any number of registers.
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

    /// Writes these registers of an image: consecutive ones as one run, with the whole of their groups, those with an index alone. One register that does not
    /// change between two that do is written with them: that takes a dword less than a packet of its own.
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

    /// Registers hold the values of these packets.
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

    /// Writes those registers of an image that another image lacks and that do not hold their values: whether it wrote context registers.
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

    /// Returns whether context registers are among these.
    pub fn are_context(&self, slots: &Slots) -> bool {
        !slots.and(&self.kinds.context).is_empty()
    }
}
