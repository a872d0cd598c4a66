//! A slow interpreter of packet streams. It knows what packets do from their effects ([`Packet::effects`]), and in addition only what effects cannot express:
//! the results of conditions, the sources of copied or computed values, and the values restored by CLEAR_STATE. If a stream may take two paths, it follows
//! both; state that differs between them is unknown.

use super::computed::{Before, computed};
use super::random_packets::{WINDOWS, canonical, of_space, resolve};
use pm4::chip::Gfx;
use pm4::cp::BufferId;
use pm4::packet::{Action, Effect, EffectKinds, Header, MemoryAddress, Opcode, Packet, Queue, Reader, ShaderType, Timing};
use pm4::regs::{Space, lookup};
use std::collections::{BTreeMap, BTreeSet};

/// A buffer that is in memory from the start and that packets may run.
#[derive(Clone, Copy)]
pub struct Mapped<'a> {
    pub buffer: BufferId,
    pub addr: u64,
    pub words: &'a [u32],
}

/// Whether packets with the predicate bit run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Predicate {
    Runs,
    Skips,
    Unknown,
}

/// The context registers saved by CLEAR_STATE.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pushed {
    Nothing,
    Registers(Vec<Option<u32>>),
    Unknown,
}

/// All state that packets change; None is unknown.
#[derive(Clone)]
struct World<'a> {
    mapped: &'a [Mapped<'a>],
    registers: Vec<Option<u32>>,
    memory: BTreeMap<u64, Option<u32>>,
    /// Whether mapped memory that is not in `memory` is unknown.
    memory_lost: bool,
    /// Dwords with writes still pending after their packet: a packet that reads one may see the old value.
    pending: BTreeSet<u64>,
    bases: BTreeMap<(u8, bool), u64>,
    const_ram: Vec<Option<u32>>,
    predicate: Predicate,
    /// The windows that CONTEXT_CONTROL lets packets load.
    loads: Option<u32>,
    pushed: Pushed,
}

fn slot(addr: u32) -> Option<usize> {
    let mut first = 0;
    for (start, end) in WINDOWS {
        if (start..end).contains(&addr) {
            return Some(first + (addr - start) as usize / 4);
        }
        first += (end - start) as usize / 4;
    }
    None
}

impl Before for World<'_> {
    fn register(&self, addr: u32) -> Option<u32> {
        self.registers.get(slot(addr)?).copied().flatten()
    }

    fn dword(&self, addr: u64) -> Option<u32> {
        self.holds(addr).filter(|_| !self.pending.contains(&(canonical(addr) & !3)))
    }

    fn const_ram(&self, dword: u32) -> Option<u32> {
        self.const_ram.get(dword as usize).copied().flatten()
    }
}

impl World<'_> {
    /// Returns a dword of memory without side effects.
    fn holds(&self, addr: u64) -> Option<u32> {
        let addr = canonical(addr) & !3;
        if let Some(value) = self.memory.get(&addr) {
            return *value;
        }
        let word = |map: &Mapped<'_>| map.words.get(usize::try_from(addr.checked_sub(map.addr)? / 4).ok()?).copied();
        self.mapped.iter().find_map(word).filter(|_| !self.memory_lost)
    }

    fn set(&mut self, addr: u32, value: Option<u32>) {
        if let Some(register) = slot(addr).and_then(|slot| self.registers.get_mut(slot)) {
            *register = value;
        }
    }

    fn context(&mut self) -> &mut [Option<u32>] {
        let range = of_space(Space::Context);
        let first = slot(range.start).expect("a register");
        &mut self.registers[first..first + range.len() / 4]
    }

    fn lose(&mut self) {
        self.registers.fill(None);
        self.lose_memory();
        self.bases.clear();
        self.const_ram.fill(None);
        (self.predicate, self.loads, self.pushed) = (Predicate::Unknown, None, Pushed::Unknown);
    }

    fn lose_memory(&mut self) {
        self.memory.clear();
        self.memory_lost = true;
    }

    /// Keeps only what holds on both paths.
    fn join(&mut self, other: &Self) {
        let both = |a: &mut Option<u32>, b: &Option<u32>| *a = a.filter(|a| Some(*a) == *b);
        self.registers.iter_mut().zip(&other.registers).for_each(|(a, b)| both(a, b));
        self.const_ram.iter_mut().zip(&other.const_ram).for_each(|(a, b)| both(a, b));
        let written: BTreeSet<u64> = self.memory.keys().chain(other.memory.keys()).copied().collect();
        let memory = written.into_iter().map(|addr| (addr, self.holds(addr).filter(|value| other.holds(addr) == Some(*value)))).collect();
        (self.memory, self.memory_lost) = (memory, self.memory_lost || other.memory_lost);
        self.bases.retain(|base, addr| other.bases.get(base) == Some(addr));
        if self.predicate != other.predicate {
            self.predicate = Predicate::Unknown;
        }
        if self.loads != other.loads {
            self.loads = None;
        }
        if self.pushed != other.pushed {
            self.pushed = Pushed::Unknown;
        }
    }
}

/// A running buffer.
struct Frame<'a> {
    buffer: BufferId,
    /// Dwords from the start of the buffer to the first of `words`.
    base: usize,
    words: &'a [u32],
    at: usize,
    entered: BTreeSet<u64>,
    /// Ranges that may be skipped: their ends, and the state if they are.
    doubts: Vec<(usize, World<'a>)>,
    /// The buffer was called under an unknown predicate: the state if the call is skipped. Packets after the call may use the same predicate.
    predicated: Option<World<'a>>,
    /// Whether more runs after the words than the reference sees.
    lost_after: bool,
}

/// Writes that happen some time after their packet, in this order.
#[derive(Default)]
struct Later {
    values: Vec<Option<u32>>,
    /// Whether something else has written there since, immediately or by another engine, so that the final value is unknown.
    shadowed: bool,
    timing: Option<Timing>,
}

/// The interpreter of one queue.
pub struct Reference<'a> {
    gfx: Gfx,
    queue: Queue,
    world: World<'a>,
    frames: Vec<Frame<'a>>,
    later: BTreeMap<u64, Later>,
    /// Dwords to skip.
    skip: usize,
    /// The current packets depend on an unknown predicate: the state before them.
    predicated: Option<World<'a>>,
    /// Whether something may or may not have run, so that the model may know less than the reference.
    pub doubted: bool,
    mapped: &'a [Mapped<'a>],
}

/// SO_VGTSTREAMOUT_FLUSH, and the register that it sets up to GFX10.3 (recorded streams wait for it).
const STREAMOUT_FLUSH: u32 = 31;
const CP_STRMOUT_CNTL: u32 = 0x300FC;

impl<'a> Reference<'a> {
    pub fn new(gfx: Gfx, queue: Queue, mapped: &'a [Mapped<'a>]) -> Self {
        let registers = WINDOWS.iter().map(|(start, end)| (end - start) as usize / 4).sum();
        let world = World {
            mapped,
            registers: vec![None; registers],
            memory: BTreeMap::new(),
            memory_lost: false,
            pending: BTreeSet::new(),
            bases: BTreeMap::new(),
            const_ram: vec![None; 1 << 14],
            predicate: Predicate::Runs,
            loads: None,
            pushed: Pushed::Nothing,
        };
        Self { gfx, queue, world, frames: Vec::new(), later: BTreeMap::new(), skip: 0, predicated: None, doubted: false, mapped }
    }

    /// Begins a buffer.
    pub fn submit(&mut self, buffer: BufferId, words: &'a [u32]) {
        let frame = Frame { buffer, base: 0, words, at: 0, entered: BTreeSet::new(), doubts: Vec::new(), predicated: None, lost_after: false };
        self.frames.push(frame);
    }

    /// Advances to the next packet and returns its buffer, dword and words. None at the end.
    pub fn next(&mut self) -> Option<(BufferId, usize, &'a [u32])> {
        loop {
            let frame = self.frames.last_mut()?;
            let rest = frame.words.get(frame.at..).unwrap_or_default();
            if rest.is_empty() {
                self.skip = 0;
                self.leave();
                continue;
            }
            if self.skip > 0 {
                let skipped = self.skip.min(rest.len());
                frame.at += skipped;
                self.skip -= skipped;
                continue;
            }
            match Reader::new(rest).next()? {
                Ok(packet) => {
                    while let Some(place) = frame.doubts.iter().rposition(|(end, _)| *end <= frame.at) {
                        // Packets under a predicate are within the range, and so is everything that began in it, even if it ends later.
                        self.predicated.take().into_iter().for_each(|inner| self.world.join(&inner));
                        let (_, other) = frame.doubts.remove(place);
                        frame.doubts[place..].iter_mut().for_each(|(_, inner)| inner.join(&other));
                        self.world.join(&other);
                    }
                    return Some((frame.buffer, frame.base + frame.at, &rest[..packet.dwords()]));
                }
                Err(_) if frame.lost_after => frame.at = frame.words.len(),
                Err(damage) => frame.at += damage.skipped,
            }
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        // Packets that depend only on the predicate may continue after a call.
        if !frame.doubts.is_empty() || frame.predicated.is_some() || self.frames.is_empty() {
            self.predicated.take().into_iter().for_each(|inner| self.world.join(&inner));
        }
        frame.doubts.iter().rev().for_each(|(_, other)| self.world.join(other));
        self.predicated = frame.predicated.or(self.predicated.take());
        if frame.lost_after {
            self.lose();
        }
    }

    fn lose(&mut self) {
        self.world.lose();
        self.lose_later();
    }

    /// Handles an unknown write that may precede or follow pending writes.
    fn lose_later(&mut self) {
        for later in self.later.values_mut() {
            later.shadowed = true;
            later.values.fill(None);
        }
    }

    /// Returns whether the packet may be skipped.
    fn in_doubt(&self) -> bool {
        self.predicated.is_some() || self.frames.iter().any(|frame| !frame.doubts.is_empty() || frame.predicated.is_some())
    }

    /// Returns the dwords that ever had a delayed write.
    pub fn late(&self) -> impl Iterator<Item = u64> + '_ {
        self.later.keys().copied()
    }

    /// Executes the packet returned by [`next`](Self::next). The model decides when a delayed write has happened and whether something has waited for it:
    /// `pending` are dwords of delayed writes that the model treats as unknown.
    pub fn execute(&mut self, words: &[u32], pending: BTreeSet<u64>) {
        self.world.pending = pending;
        let Some(frame) = self.frames.last_mut() else { return };
        frame.at += words.len();
        let packet = Reader::new(words).next().expect("a packet").expect("a whole packet");
        let Some(opcode) = packet.opcode() else { return };
        match (Header(words[0]).is_predicated(), self.world.predicate) {
            (true, Predicate::Skips) => return,
            (true, Predicate::Unknown) => {
                self.doubted = true;
                if self.predicated.is_none() {
                    self.predicated = Some(self.world.clone());
                }
            }
            _ => {
                if let Some(other) = self.predicated.take() {
                    self.world.join(&other);
                }
            }
        }
        let effects = packet.effects(self.gfx, self.queue);
        let values = computed(&packet, self.gfx, self.queue, &effects, &self.world, &self.world.bases);
        let mut read = None;
        for effect in &effects {
            match effect.action {
                Action::Set { write, .. } => self.world.set(write.addr, Some(write.value).filter(|_| !effect.uncertain)),
                Action::Modify { addr, mask, value } => {
                    let old = self.world.register(addr).or((mask == u32::MAX).then_some(0));
                    self.world.set(addr, old.map(|old| old & !mask | value & mask).filter(|_| !effect.uncertain));
                }
                Action::Unknown { .. } if loads_groups(opcode).is_some() => {}
                Action::Unknown { addr, registers, .. } => self.registers(&packet, opcode, addr, registers, read.take(), effect.uncertain),
                Action::UnknownWindow(space) => self.window(opcode, space),
                Action::Read { at, bytes } => read = resolve(at, &self.world.bases).map(|at| (at, bytes)),
                Action::Write { at, bytes, .. } => self.write(effect, at, bytes, &values),
                Action::Anything => self.lose(),
                Action::Base { index, compute, addr } => {
                    self.world.bases.insert((index, compute), addr);
                }
                Action::Run { .. } | Action::Skip { .. } | Action::Rolls | Action::Waits => {}
            }
        }
        if let Some(space) = loads_groups(opcode) {
            self.load_groups(&packet, space, &effects);
        }
        self.beside_effects(&packet, opcode, &effects);
        self.flow(&packet, opcode, &effects);
    }

    fn field(&self, packet: &Packet<'_>, name: &str) -> u32 {
        packet.field(self.gfx, self.queue, name).unwrap_or(0) as u32
    }

    /// Sets consecutive registers whose values the packet does not contain: loaded, copied, or draw state.
    fn registers(&mut self, packet: &Packet<'_>, opcode: Opcode, addr: u32, registers: u32, read: Option<(u64, u64)>, may: bool) {
        let kinds = opcode.effect_kinds(self.gfx);
        let loads = kinds.intersects(EffectKinds::LOADS);
        let lets = |world: &World<'_>| world.loads.map(|loads| loads >> 31 == 1 && loads >> load_bit(packet, opcode) & 1 == 1);
        let enabled = if kinds.intersects(EffectKinds::LOADS_IF_ENABLED) { lets(&self.world) } else { Some(!may) };
        if loads && enabled == Some(false) {
            return;
        }
        for i in 0..registers.min(1 << 16) {
            let from = |first: u64| self.world.dword(first + 4 * u64::from(i));
            let value = match opcode {
                // No source states what happens to a range that leaves its window.
                _ if loads && Space::of(addr) != Space::of(addr + 4 * i) => None,
                _ if loads => read.filter(|_| enabled == Some(true)).and_then(|(at, _)| from(at)),
                Opcode::COPY_DATA if self.field(packet, "dst_sel") != 0 => None,
                Opcode::COPY_DATA => match self.field(packet, "src_sel") {
                    0 => {
                        let first = self.field(packet, "src_reg_offset").max(self.field(packet, "src_reg_offset_lo"));
                        let named = first < 1 << 18 && self.field(packet, "src_reg_offset_hi") == 0;
                        self.world.register(4 * (first & 0x3_FFFF) + 4 * i).filter(|_| named)
                    }
                    _ => read.and_then(|(at, _)| from(at)),
                },
                Opcode::REG_RMW => {
                    let operand = |source: &str, register: &str, mask: &str| match self.field(packet, source) {
                        0 => Some(self.field(packet, mask)),
                        _ => self.world.register(4 * self.field(packet, register)),
                    };
                    let (and, or) = (operand("and_mask_src", "and_addr", "and_mask"), operand("or_mask_src", "or_addr", "or_mask"));
                    and.zip(or).and_then(|(and, or)| self.world.register(addr).or((and == 0).then_some(0)).map(|old| old & and | or))
                }
                Opcode::EVENT_WRITE if addr == CP_STRMOUT_CNTL && packet.body[0] & 0x3F == STREAMOUT_FLUSH => Some(1),
                _ => None,
            };
            self.world.set(addr.wrapping_add(4 * i), value);
        }
    }

    /// Handles registers of a window that the packet does not identify.
    fn window(&mut self, opcode: Opcode, space: Space) {
        match opcode {
            // Its registers are known: see `beside_effects`. Words after REWIND are read again where they were written. What CONTEXT_CONTROL enables is done by
            // the packets that load.
            Opcode::CLEAR_STATE | Opcode::REWIND | Opcode::CONTEXT_CONTROL => {}
            // Their groups are processed in order.
            _ if loads_groups(opcode).is_some() => {}
            _ => of_space(space).step_by(4).for_each(|addr| self.world.set(addr, None)),
        }
    }

    /// Processes the groups of LOAD_*_REG_INDEX, each a range of registers or pairs of offset and value, all from one address.
    fn load_groups(&mut self, packet: &Packet<'_>, space: Space, effects: &[Effect<'_>]) {
        let read = effects.iter().find_map(|e| if let Action::Read { at, .. } = e.action { resolve(at, &self.world.bases) } else { None });
        let base = match self.field(packet, "index") {
            0 | 1 => read,
            _ => read.and_then(|at| Some(u64::from(self.world.dword(at + 4)?) << 32 | u64::from(self.world.dword(at)?))),
        };
        let window = of_space(space);
        let groups = packet.body.get(2..).unwrap_or_default().chunks_exact(2);
        for (offset, count, pairs) in groups.map(|group| (group[0] & 0xFFFF, group[1] & 0x3FFF, group[0] >> 31 == 1)) {
            for i in 0..count {
                let dword = |at: u32| base.and_then(|base| self.world.dword(base + 4 * u64::from(at)));
                let (to, value) = match pairs {
                    true => (dword(2 * i).map(|offset| offset & 0xFFFF), dword(2 * i + 1)),
                    false => (Some(offset + i), dword(i)),
                };
                match to.map(|to| window.start + 4 * to) {
                    Some(addr) if window.contains(&addr) => self.world.set(addr, value),
                    Some(_) if pairs => {}
                    // No source states what happens to a range that leaves its window.
                    Some(addr) => self.world.set(addr, None),
                    None => {
                        window.clone().step_by(4).for_each(|addr| self.world.set(addr, None));
                        break;
                    }
                }
            }
        }
    }

    fn write(&mut self, effect: &Effect<'_>, at: MemoryAddress, bytes: u64, computed: &BTreeMap<u64, u32>) {
        let Action::Write { data, .. } = effect.action else { return };
        let Some(at) = resolve(at, &self.world.bases) else {
            self.lose_later();
            return self.world.lose_memory();
        };
        let (end, doubt) = (at.saturating_add(bytes), self.in_doubt());
        for dword in (at & !3..end).step_by(4).take(1 << 16) {
            let whole = dword >= at && dword + 4 <= end && !effect.uncertain;
            let value = data.dword(dword - (at & !3)).or(computed.get(&dword).copied()).filter(|_| whole);
            if effect.timing == Timing::Issue {
                self.world.memory.insert(dword, value);
                self.later.entry(dword).and_modify(|later| later.shadowed = true);
            } else {
                let later = self.later.entry(dword).or_default();
                later.shadowed = !later.values.is_empty() && (later.shadowed || later.timing != Some(effect.timing));
                later.values.push(value.filter(|_| !doubt));
                later.timing = Some(effect.timing);
            }
        }
    }

    /// Applies changes that effects cannot express: constant engine memory, saved context registers, the predicate, enabled loads.
    fn beside_effects(&mut self, packet: &Packet<'_>, opcode: Opcode, effects: &[Effect<'_>]) {
        if packet.format(self.gfx, self.queue).is_none() {
            return;
        }
        if opcode == Opcode::SET_PREDICATION {
            // The predicate after the calls is a different one.
            for frame in &mut self.frames {
                frame.doubts.splice(0..0, frame.predicated.take().map(|world| (usize::MAX, world)));
            }
        }
        let get = |name: &str| self.field(packet, name);
        let reads = effects.iter().find_map(|e| if let Action::Read { at, .. } = e.action { resolve(at, &self.world.bases) } else { None });
        match opcode {
            Opcode::WRITE_CONST_RAM if self.queue == Queue::Constant => {
                let first = get("offset") as usize / 4;
                packet.body[1..].iter().zip(first..).for_each(|(word, at)| self.fill(at, Some(*word)));
            }
            Opcode::LOAD_CONST_RAM if self.queue == Queue::Constant => {
                let (first, count) = (get("start_addr") as usize / 4, u64::from(get("num_dw")));
                let values: Vec<_> = (0..count).map(|i| self.world.dword(reads? + 4 * i)).collect();
                values.into_iter().zip(first..).for_each(|(value, at)| self.fill(at, value));
            }
            Opcode::CONTEXT_CONTROL if packet.body[0] >> 31 == 1 => self.world.loads = Some(packet.body[0]),
            Opcode::SET_PREDICATION => {
                let wanted = get("pred_bool") == 1;
                let dword = |i: u64| reads.and_then(|at| self.world.dword(at + 4 * i));
                let value = match get("pred_op") {
                    0 if self.predicated.is_none() => return self.world.predicate = Predicate::Runs,
                    3 => dword(0).zip(dword(1)).map(|(low, high)| low | high),
                    4 => dword(0),
                    _ => None,
                };
                self.world.predicate = match value {
                    // The packet itself may be skipped, in which case the old predicate stays.
                    _ if self.predicated.is_some() => Predicate::Unknown,
                    Some(value) if (value != 0) == wanted => Predicate::Runs,
                    Some(_) => Predicate::Skips,
                    None => Predicate::Unknown,
                };
            }
            Opcode::CLEAR_STATE => {
                let command = get("cmd");
                if command & 1 == 1 {
                    self.world.pushed = Pushed::Registers(self.world.context().to_vec());
                }
                let gfx = self.gfx;
                match command {
                    0 | 3 => {
                        let defaults = of_space(Space::Context).step_by(4).map(|addr| lookup(gfx, addr)?.info().clear);
                        self.world.context().iter_mut().zip(defaults).for_each(|(register, default)| *register = default);
                    }
                    2 => match std::mem::replace(&mut self.world.pushed, Pushed::Nothing) {
                        Pushed::Registers(kept) => self.world.context().copy_from_slice(&kept),
                        Pushed::Nothing | Pushed::Unknown => self.world.context().fill(None),
                    },
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn fill(&mut self, dword: usize, value: Option<u32>) {
        if let Some(place) = self.world.const_ram.get_mut(dword) {
            *place = value;
        }
    }

    /// Determines where the stream continues.
    fn flow(&mut self, packet: &Packet<'_>, opcode: Opcode, effects: &[Effect<'_>]) {
        let runs: Vec<(u64, usize, bool)> =
            effects.iter().filter_map(|e| if let Action::Run { addr, dwords, last } = e.action { Some((addr, dwords as usize, last)) } else { None }).collect();
        let reads = effects.iter().find_map(|e| if let Action::Read { at, .. } = e.action { resolve(at, &self.world.bases) } else { None });
        match runs[..] {
            [] => {}
            // Buffers of another process.
            _ if opcode != Opcode::INDIRECT_BUFFER && self.queue != Queue::Constant => self.lose(),
            [run] if effects.iter().all(|e| !e.uncertain) => self.call(run),
            [first, ..] => {
                let wide = |lo: &str, hi: &str| u64::from(self.field(packet, hi)) << 32 | u64::from(self.field(packet, lo));
                let (mask, reference, function) = (wide("mask_lo", "mask_hi"), wide("reference_lo", "reference_hi"), self.field(packet, "function"));
                let value = reads.and_then(|at| Some(u64::from(self.world.dword(at + 4)?) << 32 | u64::from(self.world.dword(at)?)));
                match (compare(function, value.map(|value| value & mask), reference), runs.get(1)) {
                    (Some(true), _) => self.call(first),
                    (Some(false), Some(second)) => self.call(*second),
                    (Some(false), None) => {}
                    (None, second) => {
                        self.doubted = true;
                        let (before, depth) = (self.world.clone(), self.frames.len());
                        self.call(first);
                        let called = self.frames.len() > depth;
                        match self.frames.last_mut() {
                            Some(frame) if called => {
                                frame.doubts.push((usize::MAX, before));
                                frame.lost_after |= second.is_some();
                            }
                            _ if second.is_some() => self.lose(),
                            _ => {}
                        }
                    }
                }
            }
        }
        for skip in effects.iter().filter_map(|e| if let Action::Skip { dwords } = e.action { Some(dwords as usize) } else { None }) {
            let skips = match opcode {
                Opcode::PRED_EXEC => Some(self.field(packet, "device_select") & 1 == 0),
                _ => reads.and_then(|at| self.world.dword(at)).map(|value| value == 0),
            };
            match (skips, self.frames.last_mut()) {
                (Some(true), _) => self.skip = skip,
                (None, Some(frame)) if skip > 0 => {
                    self.doubted = true;
                    frame.doubts.push((frame.at + skip, self.world.clone()));
                }
                _ => {}
            }
        }
    }

    /// Enters a called or chained buffer.
    fn call(&mut self, (addr, dwords, last): (u64, usize, bool)) {
        let addr = canonical(addr);
        // The graphics queue and the constant engine have one call level, compute queues none.
        let levels = usize::from(self.queue != Queue::Compute);
        let endless = self.frames.iter().any(|frame| frame.entered.contains(&addr));
        if dwords == 0 {
            return;
        }
        let found = self.mapped.iter().find(|map| (map.addr..map.addr + 4 * map.words.len() as u64).contains(&addr));
        let Some(map) = found.filter(|_| !endless && (last || self.frames.len() <= levels)) else {
            self.lose();
            if last {
                self.predicated = None;
                self.leave();
            }
            return;
        };
        let base = ((addr - map.addr) / 4) as usize;
        let words = &map.words[base..map.words.len().min(base.saturating_add(dwords))];
        let mut frame = Frame {
            buffer: map.buffer,
            base,
            words,
            at: 0,
            entered: BTreeSet::from([addr]),
            doubts: Vec::new(),
            predicated: None,
            lost_after: words.len() < dwords,
        };
        if last && let Some(left) = self.frames.pop() {
            frame.doubts = left.predicated.into_iter().chain(left.doubts.into_iter().map(|(_, world)| world)).map(|world| (usize::MAX, world)).collect();
            frame.entered.extend(left.entered);
            frame.lost_after |= left.lost_after || !frame.doubts.is_empty() || self.in_doubt();
        }
        if last {
            frame.doubts.extend(self.predicated.take().map(|world| (usize::MAX, world)));
        } else {
            frame.predicated = self.predicated.take();
        }
        self.frames.push(frame);
    }

    /// Returns what is wrong with the model's claim about a register, or with a missing claim.
    pub fn register(&self, addr: u32, claim: Option<u32>) -> Option<String> {
        let known = self.world.register(addr);
        match claim {
            Some(_) if claim != known => Some(format!("register {addr:#07x} is claimed to be {claim:x?}, and is {known:x?}")),
            None if known.is_some() && !self.doubted => Some(format!("register {addr:#07x} is {known:x?}, which is not known")),
            _ => None,
        }
    }

    /// Does the same for a dword of memory. The model decides when delayed writes happen; at the end they have happened.
    pub fn dword(&mut self, addr: u64, claim: Option<u32>, end: bool) -> Option<String> {
        let known = self.world.holds(addr);
        let Some(later) = self.later.get_mut(&addr).filter(|later| !later.values.is_empty()) else {
            return match claim {
                Some(_) if claim != known => Some(format!("memory {addr:#x} is claimed to be {claim:x?}, and is {known:x?}")),
                None if known.is_some() && !self.doubted => Some(format!("memory {addr:#x} is {known:x?}, which is not known")),
                _ => None,
            };
        };
        let last = later.values.last().copied().flatten();
        if end && !later.shadowed && claim.is_some() && claim != last {
            return Some(format!("memory {addr:#x} is claimed to be {claim:x?} at the end, when {last:x?} was written"));
        }
        if claim == known {
            return None;
        }
        match later.values.iter().position(|value| *value == claim) {
            Some(at) => {
                // Writes of one kind happen in order.
                let first = if later.shadowed { at } else { 0 };
                later.values.drain(first..=at);
                self.world.memory.insert(addr, claim);
                let held = self.frames.iter_mut().flat_map(|frame| frame.doubts.iter_mut().map(|(_, world)| world).chain(&mut frame.predicated));
                let held = held.chain(&mut self.predicated);
                held.for_each(|world| {
                    world.memory.insert(addr, claim);
                });
                None
            }
            None if claim.is_some() => Some(format!("memory {addr:#x} is claimed to be {claim:x?}, and is {known:x?} or one of {:x?}", later.values)),
            None if !self.doubted && later.values.iter().all(Option::is_some) => {
                Some(format!("memory {addr:#x} is {known:x?} or one of {:x?}, which is not known", later.values))
            }
            None => None,
        }
    }

    /// Returns the dwords of memory with pending writes.
    pub fn awaited(&self) -> Vec<u64> {
        self.later.iter().filter(|(_, later)| !later.values.is_empty()).map(|(addr, _)| *addr).collect()
    }

    /// Returns the dwords of memory written so far.
    pub fn written(&self) -> Vec<u64> {
        self.world.memory.keys().chain(self.later.keys()).copied().collect()
    }
}

/// Returns the window of which a packet loads groups, regardless of CONTEXT_CONTROL.
fn loads_groups(opcode: Opcode) -> Option<Space> {
    match opcode {
        Opcode::LOAD_CONTEXT_REG_INDEX => Some(Space::Context),
        Opcode::LOAD_SH_REG_INDEX => Some(Space::Sh),
        Opcode::LOAD_UCONFIG_REG_INDEX => Some(Space::Uconfig),
        _ => None,
    }
}

/// Returns the CONTEXT_CONTROL bit that enables loads of a window (AMD's packet headers).
fn load_bit(packet: &Packet<'_>, opcode: Opcode) -> u32 {
    match opcode {
        Opcode::LOAD_CONTEXT_REG => 1,
        Opcode::LOAD_UCONFIG_REG => 15,
        Opcode::LOAD_SH_REG if packet.header.shader_type() == ShaderType::Compute => 24,
        Opcode::LOAD_SH_REG => 16,
        _ => 0,
    }
}

/// Evaluates a comparison function; None if the result depends on unknown values.
fn compare(function: u32, value: Option<u64>, reference: u64) -> Option<bool> {
    match function {
        1 => Some(value? < reference),
        2 => Some(value? <= reference),
        3 => Some(value? == reference),
        4 => Some(value? != reference),
        5 => Some(value? >= reference),
        6 => Some(value? > reference),
        0 => Some(true),
        // Reserved: undocumented, and the model lets it pass.
        _ => value.map(|_| true),
    }
}
