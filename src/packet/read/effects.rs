//! Effects of packets, from the descriptions in `regdb/packets`: the registers and memory that they read, write or make unknown, the buffers that they run, and
//! what they skip and wait for. The reader, the filter, prepared states, the model, its hazards and its rules all use them.

use crate::chip::Gfx;
use crate::packet::formats::effect_row::{At, By, Does, EffectRow, Operand, Place, Product, Timing, Touches, Work};
use crate::packet::formats::field::{Condition, bits};
use crate::packet::formats::format::Form;
use crate::packet::read::effect::{Action, Effect, MemoryAddress, WrittenData};
use crate::packet::read::fields;
use crate::packet::read::packet::Packet;
use crate::packet::read::register_writes::RegisterWrite;
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::tables::generated;
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::scope::Scope;
use crate::regs::Space;
use alloc::vec::Vec;

impl<'a> Packet<'a> {
    /// Returns the work that the packet starts on a queue of a generation.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Queue, Reader, Work};
    /// let stream = [0xC003_1502, 8, 1, 1, 1]; // DISPATCH_DIRECT
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// assert_eq!(packet.work(Gfx::Gfx11, Queue::Graphics), Some(Work::Dispatch));
    /// # }
    /// ```
    #[must_use]
    pub fn work(&self, gfx: Gfx, queue: Queue) -> Option<Work> {
        self.work_and_layout(gfx, queue).map(|(work, _)| work)
    }

    /// [`work`](Self::work), and whether a source describes a packet of this size.
    pub(crate) fn work_and_layout(&self, gfx: Gfx, queue: Queue) -> Option<(Work, bool)> {
        let work = self.opcode()?.work_on(gfx, queue)?;
        // A packet of a size without a layout has the effects of its opcode.
        let Some((_, form, view)) = fields::layout(self, gfx, queue) else { return Some((work, false)) };
        form.work.iter().find(|starts| starts.scope.intersects(view) && starts.when.iter().all(|c| c.holds(self.body))).map(|starts| (starts.work, true))
    }

    /// Returns the effects of the packet on a queue of a generation. A packet that no source describes (an unknown opcode, a size without a layout) may do
    /// [anything](Action::Anything).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Action, WrittenData, MemoryAddress, Queue, Reader};
    /// let stream = [0xC003_3700, 0x500, 0x1000, 0x1, 42]; // WRITE_DATA to memory
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let effects = packet.effects(Gfx::Gfx11, Queue::Graphics);
    /// assert_eq!(effects[0].action, Action::Write { at: MemoryAddress::At(0x1_0000_1000), bytes: 4, data: WrittenData::Words(&[42]) });
    /// # }
    /// ```
    #[must_use]
    pub fn effects(&self, gfx: Gfx, queue: Queue) -> Vec<Effect<'a>> {
        let mut list = Vec::new();
        self.visit_effects(gfx, queue, &mut |effect| list.push(effect));
        list
    }

    /// Calls `each` for every effect, in order; the same effects as [`effects`](Self::effects), without an allocation.
    pub fn visit_effects(&self, gfx: Gfx, queue: Queue, each: &mut dyn FnMut(Effect<'a>)) {
        let Some(opcode) = self.opcode() else { return };
        let Some((form, _)) = fields::layout(self, gfx, queue).map(|(_, form, view)| (form, view)) else {
            return self.undescribed(opcode, gfx, queue, each);
        };
        // A packet on the wrong queue is read as on its own queue.
        let view = Scope::queue(gfx, queue);
        let list =
            form.effects.iter().find(|(scope, _)| scope.intersects(view)).or_else(|| form.effects.iter().find(|(scope, _)| scope.intersects(Scope::gfx(gfx))));
        let Some((_, list)) = list else { return };
        let compute = queue == Queue::Compute || self.header.shader_type() == ShaderType::Compute;
        let seen = Seen { packet: self, form, compute, start: self.offset + 1 };
        for row in *list {
            seen.apply(row, queue, each);
        }
    }

    /// Returns the window that the packet loads from memory.
    pub(crate) fn loads(&self, gfx: Gfx, queue: Queue) -> Option<Space> {
        let (_, form, _) = fields::layout(self, gfx, queue)?;
        let rows = form.effects.iter().flat_map(|(_, rows)| rows.iter());
        rows.filter_map(|row| if let Does::Load { start: Some(start), .. } = row.does { Space::of(start) } else { None }).next()
    }

    /// A packet without a layout.
    fn undescribed(&self, opcode: Opcode, gfx: Gfx, queue: Queue, each: &mut dyn FnMut(Effect<'a>)) {
        let engine = match queue {
            Queue::Graphics => Engine::Me,
            Queue::Compute => Engine::Mec,
            Queue::Constant => Engine::Ce,
        };
        let mut report = |action| each(Effect { engine, timing: Timing::Issue, uncertain: true, action });
        match generated::BARE.iter().find(|(value, set, _)| *value == opcode.0 && set & gfx.bit() != 0).map(|(.., touches)| *touches) {
            Some(Touches::Nothing) => {}
            Some(Touches::Registers) => [Space::Config, Space::Sh, Space::Context, Space::Uconfig].map(Action::UnknownWindow).into_iter().for_each(report),
            Some(Touches::Memory) => report(Action::Write { at: MemoryAddress::Unknown, bytes: 8, data: WrittenData::None }),
            // A packet that no engine reads in this size, or an unknown number.
            Some(Touches::Everything) | None => report(Action::Anything),
        }
    }
}

/// Bytes of the widest index.
const INDEX_BYTES: u64 = 4;
/// Maximum number of render backends of boards with known kernel data.
const RENDER_BACKENDS: u64 = 24;
/// Maximum number of ranges of one effect that are reported one by one; the rest is reported as one range.
const REPORTED: u64 = 64;

/// A packet in its layout.
struct Seen<'p, 'a> {
    packet: &'p Packet<'a>,
    form: &'static Form,
    compute: bool,
    /// Dword of the stream at which the body starts.
    start: usize,
}

impl<'a> Seen<'_, 'a> {
    fn repeats(&self, at: At) -> bool {
        self.form.repeat.is_some_and(|r| at.dword >= r.from)
    }

    /// Place of a dword of the packet in its body; in the group for those that repeat.
    fn place(&self, dword: u8, group: usize) -> usize {
        let shift = self.form.repeat.filter(|r| dword >= r.from).map_or(0, |r| group * usize::from(r.len));
        usize::from(dword).saturating_sub(1) + shift
    }

    fn get(&self, at: At, group: usize) -> Option<u32> {
        self.packet.body.get(self.place(at.dword, group)).map(|word| bits(*word, at.lo, at.hi))
    }

    fn holds(&self, when: &[Condition], group: usize) -> bool {
        when.iter().all(|c| {
            let word = self.packet.body.get(self.place(c.dword, group)).copied().unwrap_or(0);
            c.values.contains(&bits(word, c.lo, c.hi)) != c.not
        })
    }

    /// Groups that the packet has, 1 without a group.
    fn groups(&self) -> usize {
        self.form.repeat.map_or(1, |r| self.tail().len() / usize::from(r.len).max(1))
    }

    fn tail(&self) -> &'a [u32] {
        let from = self.form.repeat.map_or(usize::MAX, |r| usize::from(r.from).saturating_sub(1));
        self.packet.body.get(from..).unwrap_or_default()
    }

    fn product(&self, product: &Product, group: usize) -> u64 {
        product.operands.iter().fold(u64::from(product.factor), |all, operand| {
            all.saturating_mul(match operand {
                Operand::Bits(at) => self.get(*at, group).unwrap_or(0).into(),
                Operand::IndexBytes => INDEX_BYTES,
                Operand::RenderBackends => RENDER_BACKENDS,
                Operand::Tail => self.tail().len() as u64,
            })
        })
    }

    /// Returns an address from two halves; None if the packet is too short.
    fn address(&self, lo: At, hi: At, group: usize) -> Option<u64> {
        let low = u64::from(self.get(lo, group)?) << if lo.hi == 31 { lo.lo } else { 0 };
        Some(u64::from(self.get(hi, group)?) << 32 | low)
    }

    /// Returns a memory address; None if the packet is too short to name it.
    fn memory(&self, place: &Place, group: usize) -> Option<MemoryAddress> {
        Some(match *place {
            Place::Address(lo, hi) => MemoryAddress::At(self.address(lo, hi, group)?),
            Place::Base(index, offset) => MemoryAddress::Base { index, compute: self.compute && index == PATCH_TABLE, offset: self.get(offset, group)?.into() },
            Place::Unknown => MemoryAddress::Unknown,
        })
    }

    fn apply(&self, row: &EffectRow, queue: Queue, each: &mut dyn FnMut(Effect<'a>)) {
        // Effects in the group, or with conditions on the group, happen once per group. Most rows of a packet are about other values of its fields.
        let grouped = self.form.repeat.is_some_and(|repeat| row.when.iter().any(|c| c.dword >= repeat.from));
        if !grouped && !self.holds(row.when, 0) {
            return;
        }
        let engine = match (queue, &row.by) {
            (Queue::Compute, _) => Engine::Mec,
            (Queue::Constant, _) => Engine::Ce,
            (Queue::Graphics, By::Pfp) => Engine::Pfp,
            (Queue::Graphics, By::Selected(when)) if self.holds(when, 0) => Engine::Pfp,
            (Queue::Graphics, _) => Engine::Me,
        };
        let timing = if row.at_once.is_some_and(|when| self.holds(when, 0)) { Timing::Issue } else { row.timing };
        let may = row.may;
        // A board has at least one render backend, so only the first certainly writes.
        let (mut reported, sure) = (0_usize, if row.does.per_render_backend() { 1 } else { usize::MAX });
        let mut report = |action| {
            reported += 1;
            each(Effect { engine, timing, uncertain: may || reported > sure, action });
        };
        let groups = match &row.does {
            Does::Set { .. } => 1,
            Does::Load { .. } => self.groups(),
            does => {
                if grouped || self.in_group(does) {
                    self.groups()
                } else {
                    1
                }
            }
        };
        for group in (0..groups).filter(|group| !grouped || self.holds(row.when, *group)) {
            match &row.does {
                Does::Set { start, at, values, count, dwords, still } => self.set(*start, at, values, *count, dwords.as_ref(), *still, may, &mut report),
                Does::Load { start, at, dwords, from, image } => self.load(*start, *at, dwords, from, *image, group, &mut report),
                does => self.one(does, may, group, &mut report),
            }
        }
    }

    fn in_group(&self, does: &Does) -> bool {
        match does {
            Does::Memory { at: Place::Address(lo, _), .. } | Does::Run { at: (lo, _), .. } => self.repeats(*lo),
            _ => false,
        }
    }

    fn one(&self, does: &Does, may: bool, group: usize, report: &mut dyn FnMut(Action<'a>)) {
        match does {
            Does::Named { addr, value } => {
                match value.and_then(|at| Some((self.get(at, group)? << if at.hi == 31 { at.lo } else { 0 }, at))).filter(|_| !may) {
                    Some((value, at)) => {
                        let write = RegisterWrite { addr: *addr, value, dword: self.start + self.place(at.dword, group) };
                        report(Action::Set { write, indexed: false, state: true });
                    }
                    None => report(Action::Unknown { addr: *addr, registers: 1, state: true }),
                }
            }
            Does::Modify { start, at, mask, keeps, value } => {
                let (Some(offset), Some(mask), Some(value)) = (self.get(*at, group), self.get(*mask, group), self.get(*value, group)) else { return };
                let addr = register(*start, offset);
                // With `keep` the value is ORed in: a bit that is both written and kept is set.
                let (mask, value) = if *keeps { (!mask | value, value) } else { (mask, value & mask) };
                report(Action::Modify { addr, mask, value });
            }
            Does::Sgprs { at, dwords } => {
                if let Some(location) = self.get(*at, group).filter(|location| *location != 0) {
                    report(Action::Unknown { addr: register(Some(SH_START), location), registers: u32::from(*dwords), state: true });
                }
            }
            Does::Windows(spaces) => spaces.iter().for_each(|space| report(Action::UnknownWindow(*space))),
            Does::Memory { write, at, plus, bytes, each, data, still } => {
                let Some(at) = self.memory(at, group) else { return };
                let at = moved(at, plus.as_ref().map_or(0, |plus| self.product(plus, group)));
                let data = self.data(data.as_ref(), still.is_some_and(|still| self.holds(still, group)), group);
                let still = matches!(data, WrittenData::Last(_));
                let bytes = if still { 4 } else { self.product(bytes, group) };
                let (count, stride) = each.as_ref().map_or((1, 0), |(count, stride)| (self.product(count, group), self.product(stride, group)));
                let mut range = |at, bytes: u64| {
                    if bytes > 0 {
                        report(if *write { Action::Write { at, bytes, data } } else { Action::Read { at, bytes } });
                    }
                };
                (0..count.min(REPORTED)).for_each(|i| range(moved(at, i * stride), bytes));
                if count > REPORTED {
                    range(moved(at, REPORTED * stride), stride.saturating_mul(count - REPORTED - 1).saturating_add(bytes));
                }
            }
            Does::Run { at: (lo, hi), dwords, last } => {
                let Some(addr) = self.address(*lo, *hi, group) else { return };
                report(Action::Run { addr, dwords: self.product(dwords, group) as u32, last: *last });
            }
            Does::Skip { dwords } => report(Action::Skip { dwords: self.product(dwords, group) as u32 }),
            Does::Base { index, at: (lo, hi) } => {
                let (Some(index), Some(addr)) = (self.get(*index, group), self.address(*lo, *hi, group)) else { return };
                report(Action::Base { index: index as u8, compute: self.compute && index == u32::from(PATCH_TABLE), addr });
            }
            Does::Everything => report(Action::Anything),
            Does::Rolls => report(Action::Rolls),
            Does::Waits => report(Action::Waits),
            Does::Set { .. } | Does::Load { .. } => {}
        }
    }

    fn data(&self, data: Option<&(At, Option<(At, u8)>)>, still: bool, group: usize) -> WrittenData<'a> {
        match data {
            None => WrittenData::None,
            Some((at, _)) if self.repeats(*at) => {
                if still {
                    WrittenData::Last(self.tail())
                } else {
                    WrittenData::Words(self.tail())
                }
            }
            Some((lo, None)) => {
                let value = u64::from(self.get(*lo, group).unwrap_or(0));
                WrittenData::Value(value << 32 | value)
            }
            Some((lo, Some((hi, shift)))) => {
                WrittenData::Value(u64::from(self.get(*hi, group).unwrap_or(0)) << shift | u64::from(self.get(*lo, group).unwrap_or(0)))
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // the parts of one entry
    fn set(
        &self,
        start: Option<u32>,
        at: &[At],
        values: &[At],
        count: Option<At>,
        dwords: Option<&Product>,
        still: Option<&'static [Condition]>,
        may: bool,
        report: &mut dyn FnMut(Action<'a>),
    ) {
        let Some(&first) = at.first() else { return };
        let indexed = |at: At, group| self.packet.body.get(self.place(at.dword, group)).is_some_and(|word| at.hi < 28 && word >> 28 != 0);
        let mut one = |addr: u32, value: At, group: usize, indexed: bool| {
            let place = self.place(value.dword, group);
            let Some(word) = self.packet.body.get(place) else { return };
            let write = RegisterWrite { addr, value: bits(*word, value.lo, value.hi), dword: self.start + place };
            report(if may { Action::Unknown { addr, registers: 1, state: false } } else { Action::Set { write, indexed, state: false } });
        };
        if self.repeats(first) {
            let limit = count.map_or(u32::MAX, |at| self.get(at, 0).unwrap_or(0));
            let slots = (0..self.tail().len()).flat_map(|group| at.iter().zip(values).map(move |(at, value)| (group, *at, *value)));
            for (group, at, value) in slots.take(limit as usize) {
                let Some(offset) = self.get(at, group) else { break };
                one(register(start, offset), value, group, false);
            }
            return;
        }
        let Some(offset) = self.get(first, 0) else { return };
        match values.first() {
            None => {
                let registers = dwords.map_or(1, |dwords| self.product(dwords, 0)) as u32;
                report(Action::Unknown { addr: register(start, offset), registers, state: false });
            }
            Some(&value) if self.repeats(value) => {
                let step = u32::from(!still.is_some_and(|still| self.holds(still, 0)));
                for group in 0..self.groups() {
                    let to = offset.wrapping_add(step * group as u32);
                    one(register(start, to), value, group, indexed(first, 0));
                }
            }
            Some(_) => {
                for (value, i) in values.iter().zip(0..) {
                    one(register(start, offset.wrapping_add(i)), *value, 0, indexed(first, 0));
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // the parts of one entry
    fn load(&self, start: Option<u32>, at: At, dwords: &Product, from: &Place, image: bool, group: usize, report: &mut dyn FnMut(Action<'a>)) {
        let (Some(offset), registers) = (self.get(at, group), self.product(dwords, group)) else { return };
        if registers == 0 {
            return;
        }
        let from = self.memory(from, group).map(|from| moved(from, if image { 4 * u64::from(offset) } else { 0 }));
        if let Some(from) = from.filter(|from| *from != MemoryAddress::Unknown) {
            report(Action::Read { at: from, bytes: 4 * registers });
        }
        report(Action::Unknown { addr: register(start, offset), registers: registers as u32, state: false });
    }
}

/// First byte address of the SH window: SGPR locations count dwords from here.
const SH_START: u32 = 0xB000;
/// SET_BASE index of indirect arguments, which has a copy for compute.
const PATCH_TABLE: u8 = 1;

/// Byte address of a register from its dword offset in a window, or its absolute dword address. An offset that is too wide is not in any window.
const fn register(start: Option<u32>, offset: u32) -> u32 {
    match start {
        Some(start) => start.wrapping_add((offset & 0xFFFF) * 4),
        None => offset.saturating_mul(4) & !3,
    }
}

fn moved(at: MemoryAddress, bytes: u64) -> MemoryAddress {
    match at {
        MemoryAddress::At(addr) => MemoryAddress::At(addr.wrapping_add(bytes)),
        MemoryAddress::Base { index, compute, offset } => MemoryAddress::Base { index, compute, offset: offset.wrapping_add(bytes) },
        MemoryAddress::Unknown => MemoryAddress::Unknown,
    }
}

/// Dwords after a packet that it may skip.
pub(in crate::packet) fn skipped(gfx: Gfx, queue: Queue, header: Header, body: &[u32]) -> usize {
    let mut skipped = 0;
    if header.opcode().effect_kinds(gfx).intersects(EffectKinds::SKIPS) {
        Packet { offset: 0, header, body }.visit_effects(gfx, queue, &mut |effect| {
            if let Action::Skip { dwords } = effect.action {
                skipped = skipped.max(dwords as usize);
            }
        });
    }
    skipped
}
