//! What packets do, from the descriptions in `regdb/packets`: the registers and the memory that they read, write or make unknown, the buffers that they run,
//! what they skip and wait for. The reader, the filter, prepared states, the model, its hazards and its rules all use them.

use super::fields;
use super::reader::Packet;
use super::register_writes::RegisterWrite;
use crate::chip::Gfx;
use crate::packet::formats::format::{Condition, Form, Scope, bits};
use crate::packet::tables::generated;
use crate::packet::wire::header::ShaderType;
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::windows::{GRBM_BROADCAST, GRBM_GFX_INDEX};
use crate::regs::Space;
use alloc::vec::Vec;

/// One effect of a packet.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Action, Engine, Queue, Reader, Timing};
/// let stream = [0xC001_6900, 0x203, 0x1_8600]; // SET_CONTEXT_REG
/// let packet = Reader::new(&stream).next().expect("a packet").expect("it is whole");
/// let effects = packet.effects(Gfx::Gfx11, Queue::Graphics);
/// let set = effects.iter().find(|effect| matches!(effect.action, Action::Set { write, .. } if write.addr == 0x2880C)).unwrap();
/// assert_eq!((set.engine, set.timing), (Engine::Me, Timing::Issue));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect<'a> {
    /// The engine that does it.
    pub engine: Engine,
    /// When it takes place.
    pub timing: Timing,
    /// True if the effect may not take place, or only partly: what the packet does for each render backend is certain only for the first.
    pub uncertain: bool,
    /// What it does.
    pub action: Action<'a>,
}

/// When an effect takes place.
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timing {
    /// While the engine executes the packet.
    Issue,
    /// Some time, by the work that the packet starts.
    Pipe,
    /// When the work before the packet has left the pipe.
    EndOfPipe,
    /// Some time, by the DMA engine, unless the packet waits for it.
    Dma,
}

/// The action of an [`Effect`].
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    /// A register gets a value that the packet carries.
    Set {
        /// The register and the value.
        write: RegisterWrite,
        /// The packet names an index beside the register: the CP may change the value on its way (the CU masks of the kernel).
        indexed: bool,
        /// The register is part of the state that the packet sets, without a register write (NUM_INSTANCES sets VGT_NUM_INSTANCES); it rolls no context.
        state: bool,
    },
    /// Bits of a register change, the others stay.
    Modify {
        /// Byte address.
        addr: u32,
        /// The bits that change.
        mask: u32,
        /// What they become.
        value: u32,
    },
    /// Registers in a row get values that the packet does not carry.
    Unknown {
        /// Byte address of the first one.
        addr: u32,
        /// Number of registers.
        registers: u32,
        /// The registers are part of the state that the packet sets, or get arguments of a draw; it rolls no context.
        state: bool,
    },
    /// Any register of a window may change.
    UnknownWindow(Space),
    /// Memory is read.
    Read {
        /// The address.
        at: MemoryAddress,
        /// Size in bytes.
        bytes: u64,
    },
    /// Memory is written.
    Write {
        /// The address.
        at: MemoryAddress,
        /// Size in bytes.
        bytes: u64,
        /// The data, where the packet carries it.
        data: WrittenData<'a>,
    },
    /// Memory that the packet does not name may change, and registers with it: no source describes the packet.
    Anything,
    /// Another buffer is executed.
    Run {
        /// Its address.
        addr: u64,
        /// Its length in dwords.
        dwords: u32,
        /// The engine does not return.
        last: bool,
    },
    /// The next dwords of the stream may not be executed.
    Skip {
        /// Number of dwords.
        dwords: u32,
    },
    /// A base address of SET_BASE changes.
    Base {
        /// Number of the base address.
        index: u8,
        /// The copy for compute work; only index 1 has two (PAL gfx9Pm4Optimizer.cpp MustKeepSetBase).
        compute: bool,
        /// The address.
        addr: u64,
    },
    /// The next draw takes another context.
    Rolls,
    /// The engine waits: for a condition, or for what the timing says ([`Dma`](Timing::Dma), [`EndOfPipe`](Timing::EndOfPipe)), which ends by itself.
    Waits,
}

/// What an effect does to the choice of the instances that register writes reach (GRBM_GFX_INDEX).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Selection {
    /// It is written with this value, of which the broadcast bits count.
    Written(u32),
    /// The value is not known.
    Unknown,
}

impl Effect<'_> {
    /// None where the choice stays as it was. Buffers that are called, and packets that may change any register, leave it as they found it.
    pub(in crate::packet) fn selection(&self) -> Option<Selection> {
        match self.action {
            Action::Set { write, .. } if write.addr == GRBM_GFX_INDEX => Some(Selection::Written(write.value)),
            Action::Modify { addr: GRBM_GFX_INDEX, mask, value } => match mask & GRBM_BROADCAST {
                0 => None,
                GRBM_BROADCAST => Some(Selection::Written(value)),
                _ => Some(Selection::Unknown),
            },
            Action::Unknown { addr, registers, .. } => {
                let at = GRBM_GFX_INDEX.checked_sub(addr)? / 4;
                (at < registers).then_some(Selection::Unknown)
            }
            _ => None,
        }
    }
}

/// Where memory is used.
///
/// For an example see [`Packet::effects`](crate::packet::Packet::effects).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryAddress {
    /// At an address that the packet names.
    At(u64),
    /// After an address of SET_BASE.
    Base {
        /// Number of the base address.
        index: u8,
        /// The copy for compute work.
        compute: bool,
        /// Bytes after it.
        offset: u64,
    },
    /// The address is in memory.
    Unknown,
}

/// The dwords that a packet writes to memory, as far as it carries them.
///
/// For an example see [`Packet::effects`](crate::packet::Packet::effects).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenData<'a> {
    /// Not in the packet.
    None,
    /// One after the other.
    Words(&'a [u32]),
    /// All to the same dword: the last one stays.
    Last(&'a [u32]),
    /// Up to two dwords; for a longer range the first one repeats.
    Value(u64),
}

impl WrittenData<'_> {
    /// The dword that lands `offset` bytes (a multiple of 4) after the address; None where the packet does not carry it.
    #[must_use]
    pub fn dword(&self, offset: u64) -> Option<u32> {
        match *self {
            Self::None => None,
            Self::Words(words) => words.get(usize::try_from(offset / 4).ok()?).copied(),
            Self::Last(words) => words.last().copied().filter(|_| offset == 0),
            Self::Value(value) if offset == 4 => Some((value >> 32) as u32),
            Self::Value(value) => Some(value as u32),
        }
    }
}

/// What the work of a packet is.
///
/// For an example see [`Packet::work`](crate::packet::Packet::work).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Graphics: vertices, or meshes.
    Draw,
    /// Compute, among it the task shaders of a mesh pipeline.
    Dispatch,
}

/// Everything that packets of one opcode can do, whatever their fields say: a set of bits.
///
/// For an example see [`Opcode::effect_kinds`](crate::packet::Opcode::effect_kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EffectKinds(pub(in crate::packet) u32);

impl EffectKinds {
    /// Registers change, other than as state of a draw packet.
    pub const REGISTERS: Self = Self(1);
    /// Registers change that are part of the state which other packets set: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_*.
    pub const STATE: Self = Self(1 << 1);
    /// The packet does nothing but set registers.
    pub const SETS_ONLY: Self = Self(1 << 2);
    /// The context may roll.
    pub const ROLLS: Self = Self(1 << 3);
    /// Another buffer may run.
    pub const RUNS: Self = Self(1 << 4);
    /// What follows may be skipped.
    pub const SKIPS: Self = Self(1 << 5);
    /// Memory may be read.
    pub const READS: Self = Self(1 << 6);
    /// Memory may be written.
    pub const WRITES: Self = Self(1 << 7);
    /// The engine may wait.
    pub const WAITS: Self = Self(1 << 8);
    /// A draw.
    pub const DRAW: Self = Self(1 << 9);
    /// A dispatch.
    pub const DISPATCH: Self = Self(1 << 10);
    /// Registers in a row after one offset dword.
    pub const SETS_A_RUN: Self = Self(1 << 11);
    /// Offsets and values in pairs.
    pub const SETS_A_LIST: Self = Self(1 << 12);
    /// Two offsets in a dword, and their values: pairs as well.
    pub const SETS_PACKED: Self = Self(1 << 14);
    /// A draw that fetches indices.
    pub const INDEXED: Self = Self(1 << 15);
    /// The packet holds addresses.
    pub const ADDRESSES: Self = Self(1 << 13);

    /// Registers are loaded from memory.
    pub const LOADS: Self = Self(1 << 16);
    /// Registers are loaded from memory where CONTEXT_CONTROL enables it for their window.
    pub const LOADS_IF_ENABLED: Self = Self(1 << 17);
    /// Registers and memory may change that the packet does not name.
    pub const ANYTHING: Self = Self(1 << 18);

    /// Whether any of these bits is set.
    #[must_use]
    pub const fn intersects(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Opcode {
    /// What packets of this number may do on a generation.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{EffectKinds, Opcode}};
    /// assert!(Opcode::CONTEXT_REG_RMW.effect_kinds(Gfx::Gfx11).intersects(EffectKinds::ROLLS));
    /// assert!(!Opcode::NUM_INSTANCES.effect_kinds(Gfx::Gfx11).intersects(EffectKinds::REGISTERS));
    /// # }
    /// ```
    #[must_use]
    #[inline]
    pub const fn effect_kinds(self, gfx: Gfx) -> EffectKinds {
        EffectKinds(generated::EFFECT_KINDS[gfx.index()][self.0 as usize])
    }

    /// The work that packets of this number start on a generation; of those of which a field decides it, what they may start ([`Packet::work`]).
    #[must_use]
    pub const fn work(self, gfx: Gfx) -> Option<Work> {
        self.work_on(gfx, Queue::Graphics)
    }

    /// The same on a queue: DISPATCH_DRAW of the graphics queue and DISPATCH_DRAW_ACE share a number.
    #[must_use]
    pub const fn work_on(self, gfx: Gfx, queue: Queue) -> Option<Work> {
        let kinds = self.effect_kinds(gfx);
        let compute = matches!(queue, Queue::Compute) && kinds.intersects(EffectKinds::DISPATCH);
        if kinds.intersects(EffectKinds::DRAW) && !compute {
            Some(Work::Draw)
        } else if kinds.intersects(EffectKinds::DISPATCH) {
            Some(Work::Dispatch)
        } else {
            None
        }
    }
}

impl<'a> Packet<'a> {
    /// The work that the packet starts on a queue of a generation.
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
        // A size without a layout does what packets of the number do.
        let Some((_, form, view)) = fields::layout(self, gfx, queue) else { return Some((work, false)) };
        form.work.iter().find(|starts| starts.scope.intersects(view) && starts.when.iter().all(|c| c.holds(self.body))).map(|starts| (starts.work, true))
    }

    /// What the packet does on a queue of a generation. What no source describes (an unknown number, a size without a layout) may do [anything](Action::Anything).
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
        // A packet in the wrong queue is read as its own queue would.
        let view = Scope::queue(gfx, queue);
        let list =
            form.effects.iter().find(|(scope, _)| scope.intersects(view)).or_else(|| form.effects.iter().find(|(scope, _)| scope.intersects(Scope::gfx(gfx))));
        let Some((_, list)) = list else { return };
        let compute = queue == Queue::Compute || self.header.shader_type() == ShaderType::Compute;
        let seen = Seen { packet: self, form, compute, start: self.offset + 1 };
        for rule in *list {
            seen.apply(rule, queue, each);
        }
    }

    /// The window that the packet loads from memory.
    pub(crate) fn loads(&self, gfx: Gfx, queue: Queue) -> Option<Space> {
        let (_, form, _) = fields::layout(self, gfx, queue)?;
        let rules = form.effects.iter().flat_map(|(_, rules)| rules.iter());
        rules.filter_map(|rule| if let Does::Load { start: Some(start), .. } = rule.does { Space::of(start) } else { None }).next()
    }

    /// A packet without a layout.
    fn undescribed(&self, opcode: Opcode, gfx: Gfx, queue: Queue, each: &mut dyn FnMut(Effect<'a>)) {
        let engine = match queue {
            Queue::Graphics => Engine::Me,
            Queue::Compute => Engine::Mec,
            Queue::Constant => Engine::Ce,
        };
        let mut tell = |action| each(Effect { engine, timing: Timing::Issue, uncertain: true, action });
        match generated::BARE.iter().find(|(value, set, _)| *value == opcode.0 && set & gfx.bit() != 0).map(|(.., touches)| *touches) {
            Some(Touches::Nothing) => {}
            Some(Touches::Registers) => [Space::Config, Space::Sh, Space::Context, Space::Uconfig].map(Action::UnknownWindow).into_iter().for_each(tell),
            Some(Touches::Memory) => tell(Action::Write { at: MemoryAddress::Unknown, bytes: 8, data: WrittenData::None }),
            // A packet that no engine reads in this size, or an unknown number.
            Some(Touches::Everything) | None => tell(Action::Anything),
        }
    }
}

/// Whether packets beside register writes have the register for their state: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_* and others.
pub(in crate::packet) fn is_state(gfx: Gfx, addr: u32) -> bool {
    generated::STATE_REGISTERS.iter().any(|(known, set)| *known == addr && set & gfx.bit() != 0)
}

/// Work that a packet starts, where conditions hold.
#[derive(Debug)]
pub(in crate::packet) struct Starts {
    pub work: Work,
    pub scope: Scope,
    pub when: &'static [Condition],
}

/// What a packet without a layout may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Touches {
    Nothing,
    Registers,
    Memory,
    Everything,
}

/// One effect as the tables have it.
#[derive(Debug)]
pub(in crate::packet) struct Rule {
    pub when: &'static [Condition],
    pub may: bool,
    /// Who acts on the graphics queue: PFP, ME; None for PFP where `pfp_when` holds, else ME.
    pub by: By,
    pub timing: Timing,
    /// Where this holds, the packet waits for it: it takes place at issue.
    pub at_once: Option<&'static [Condition]>,
    pub does: Does,
}

/// Who acts on the graphics queue.
#[derive(Debug)]
pub(in crate::packet) enum By {
    Pfp,
    Me,
    /// PFP where this holds.
    Selected(&'static [Condition]),
}

/// Bits of a dword.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct At {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
}

/// A product of numbers.
#[derive(Debug)]
pub(in crate::packet) struct Product {
    pub factor: u32,
    pub operands: &'static [Operand],
}

#[derive(Debug)]
pub(in crate::packet) enum Operand {
    Bits(At),
    /// Bytes of an index; the packet does not say, so the most.
    IndexBytes,
    /// Render backends: the most that a known board has (24, a gfx1100 in the kernel's data).
    RenderBackends,
    /// Dwords after the fixed ones.
    Tail,
}

#[derive(Debug)]
pub(in crate::packet) enum Place {
    Address(At, At),
    Base(u8, At),
    #[allow(dead_code)] // some generations have no packet with such a place
    Unknown,
}

#[derive(Debug)]
pub(in crate::packet) enum Does {
    Set {
        start: Option<u32>,
        at: &'static [At],
        values: &'static [At],
        count: Option<At>,
        dwords: Option<Product>,
        still: Option<&'static [Condition]>,
    },
    Named {
        addr: u32,
        value: Option<At>,
    },
    Modify {
        start: Option<u32>,
        at: At,
        mask: At,
        keeps: bool,
        value: At,
    },
    Load {
        start: Option<u32>,
        at: At,
        dwords: Product,
        from: Place,
        image: bool,
    },
    Sgprs {
        at: At,
        dwords: u8,
    },
    Windows(&'static [Space]),
    Memory {
        write: bool,
        at: Place,
        plus: Option<Product>,
        bytes: Product,
        each: Option<(Product, Product)>,
        data: Option<(At, Option<(At, u8)>)>,
        still: Option<&'static [Condition]>,
    },
    Run {
        at: (At, At),
        dwords: Product,
        last: bool,
    },
    Skip {
        dwords: Product,
    },
    Base {
        index: At,
        at: (At, At),
    },
    /// Registers and memory change.
    #[allow(dead_code)] // some generations have no packet that does
    Everything,
    Rolls,
    Waits,
}

impl Does {
    /// Once for each render backend of the board, whose number the packet does not state.
    fn per_render_backend(&self) -> bool {
        matches!(self, Self::Memory { each: Some((count, _)), .. } if matches!(count.operands, [Operand::RenderBackends]))
    }
}

/// Bytes of the widest index.
const INDEX_BYTES: u64 = 4;
/// The most render backends of a board whose kernel data are known.
const RENDER_BACKENDS: u64 = 24;
/// How many ranges of one effect are reported one by one; the rest is reported as one range.
const TOLD: u64 = 64;

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

    /// An address of two halves, the lower one in its place; None where the packet is too short to have it.
    fn address(&self, lo: At, hi: At, group: usize) -> Option<u64> {
        let low = u64::from(self.get(lo, group)?) << if lo.hi == 31 { lo.lo } else { 0 };
        Some(u64::from(self.get(hi, group)?) << 32 | low)
    }

    /// A place in memory; None where the packet is too short to name it.
    fn memory(&self, place: &Place, group: usize) -> Option<MemoryAddress> {
        Some(match *place {
            Place::Address(lo, hi) => MemoryAddress::At(self.address(lo, hi, group)?),
            Place::Base(index, offset) => MemoryAddress::Base { index, compute: self.compute && index == PATCH_TABLE, offset: self.get(offset, group)?.into() },
            Place::Unknown => MemoryAddress::Unknown,
        })
    }

    fn apply(&self, rule: &Rule, queue: Queue, each: &mut dyn FnMut(Effect<'a>)) {
        let engine = match (queue, &rule.by) {
            (Queue::Compute, _) => Engine::Mec,
            (Queue::Constant, _) => Engine::Ce,
            (Queue::Graphics, By::Pfp) => Engine::Pfp,
            (Queue::Graphics, By::Selected(when)) if self.holds(when, 0) => Engine::Pfp,
            (Queue::Graphics, _) => Engine::Me,
        };
        let timing = if rule.at_once.is_some_and(|when| self.holds(when, 0)) { Timing::Issue } else { rule.timing };
        let may = rule.may;
        // A board has one render backend or more: only the first surely writes.
        let (mut told, sure) = (0_usize, if rule.does.per_render_backend() { 1 } else { usize::MAX });
        let mut tell = |action| {
            told += 1;
            each(Effect { engine, timing, uncertain: may || told > sure, action });
        };
        // What is in the group, or asks for something there, happens once per group.
        let grouped = rule.when.iter().any(|c| self.repeats(At { dword: c.dword, lo: 0, hi: 0 }));
        match &rule.does {
            Does::Set { start, at, values, count, dwords, still } => {
                if self.holds(rule.when, 0) {
                    self.set(*start, at, values, *count, dwords.as_ref(), *still, may, &mut tell);
                }
            }
            Does::Load { start, at, dwords, from, image } => {
                for group in (0..self.groups()).filter(|group| self.holds(rule.when, *group)) {
                    self.load(*start, *at, dwords, from, *image, group, &mut tell);
                }
            }
            does => {
                for group in (0..if grouped || self.in_group(does) { self.groups() } else { 1 }).filter(|group| self.holds(rule.when, *group)) {
                    self.one(does, may, group, &mut tell);
                }
            }
        }
    }

    fn in_group(&self, does: &Does) -> bool {
        match does {
            Does::Memory { at: Place::Address(lo, _), .. } | Does::Run { at: (lo, _), .. } => self.repeats(*lo),
            _ => false,
        }
    }

    fn one(&self, does: &Does, may: bool, group: usize, tell: &mut dyn FnMut(Action<'a>)) {
        match does {
            Does::Named { addr, value } => {
                match value.and_then(|at| Some((self.get(at, group)? << if at.hi == 31 { at.lo } else { 0 }, at))).filter(|_| !may) {
                    Some((value, at)) => {
                        let write = RegisterWrite { addr: *addr, value, dword: self.start + self.place(at.dword, group) };
                        tell(Action::Set { write, indexed: false, state: true });
                    }
                    None => tell(Action::Unknown { addr: *addr, registers: 1, state: true }),
                }
            }
            Does::Modify { start, at, mask, keeps, value } => {
                let (Some(offset), Some(mask), Some(value)) = (self.get(*at, group), self.get(*mask, group), self.get(*value, group)) else { return };
                let addr = register(*start, offset);
                // With `keep` the value is or-ed in: a bit of it that is kept as well is set.
                let (mask, value) = if *keeps { (!mask | value, value) } else { (mask, value & mask) };
                tell(Action::Modify { addr, mask, value });
            }
            Does::Sgprs { at, dwords } => {
                if let Some(location) = self.get(*at, group).filter(|location| *location != 0) {
                    tell(Action::Unknown { addr: register(Some(SH_START), location), registers: u32::from(*dwords), state: true });
                }
            }
            Does::Windows(spaces) => spaces.iter().for_each(|space| tell(Action::UnknownWindow(*space))),
            Does::Memory { write, at, plus, bytes, each, data, still } => {
                let Some(at) = self.memory(at, group) else { return };
                let at = moved(at, plus.as_ref().map_or(0, |plus| self.product(plus, group)));
                let data = self.data(data.as_ref(), still.is_some_and(|still| self.holds(still, group)), group);
                let still = matches!(data, WrittenData::Last(_));
                let bytes = if still { 4 } else { self.product(bytes, group) };
                let (count, stride) = each.as_ref().map_or((1, 0), |(count, stride)| (self.product(count, group), self.product(stride, group)));
                let mut range = |at, bytes: u64| {
                    if bytes > 0 {
                        tell(if *write { Action::Write { at, bytes, data } } else { Action::Read { at, bytes } });
                    }
                };
                (0..count.min(TOLD)).for_each(|i| range(moved(at, i * stride), bytes));
                if count > TOLD {
                    range(moved(at, TOLD * stride), stride.saturating_mul(count - TOLD - 1).saturating_add(bytes));
                }
            }
            Does::Run { at: (lo, hi), dwords, last } => {
                let Some(addr) = self.address(*lo, *hi, group) else { return };
                tell(Action::Run { addr, dwords: self.product(dwords, group) as u32, last: *last });
            }
            Does::Skip { dwords } => tell(Action::Skip { dwords: self.product(dwords, group) as u32 }),
            Does::Base { index, at: (lo, hi) } => {
                let (Some(index), Some(addr)) = (self.get(*index, group), self.address(*lo, *hi, group)) else { return };
                tell(Action::Base { index: index as u8, compute: self.compute && index == u32::from(PATCH_TABLE), addr });
            }
            Does::Everything => tell(Action::Anything),
            Does::Rolls => tell(Action::Rolls),
            Does::Waits => tell(Action::Waits),
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
        tell: &mut dyn FnMut(Action<'a>),
    ) {
        let Some(&first) = at.first() else { return };
        let indexed = |at: At, group| self.packet.body.get(self.place(at.dword, group)).is_some_and(|word| at.hi < 28 && word >> 28 != 0);
        let mut one = |addr: u32, value: At, group: usize, indexed: bool| {
            let place = self.place(value.dword, group);
            let Some(word) = self.packet.body.get(place) else { return };
            let write = RegisterWrite { addr, value: bits(*word, value.lo, value.hi), dword: self.start + place };
            tell(if may { Action::Unknown { addr, registers: 1, state: false } } else { Action::Set { write, indexed, state: false } });
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
                tell(Action::Unknown { addr: register(start, offset), registers, state: false });
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
    fn load(&self, start: Option<u32>, at: At, dwords: &Product, from: &Place, image: bool, group: usize, tell: &mut dyn FnMut(Action<'a>)) {
        let (Some(offset), registers) = (self.get(at, group), self.product(dwords, group)) else { return };
        if registers == 0 {
            return;
        }
        let from = self.memory(from, group).map(|from| moved(from, if image { 4 * u64::from(offset) } else { 0 }));
        if let Some(from) = from.filter(|from| *from != MemoryAddress::Unknown) {
            tell(Action::Read { at: from, bytes: 4 * registers });
        }
        tell(Action::Unknown { addr: register(start, offset), registers: registers as u32, state: false });
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
