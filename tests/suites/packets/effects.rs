//! The documented effects of packets, against their execution by the model and the state that the filter forgets after them.
//!
//! Random packets of every layout, generation and queue run on the model, after a prefix that gives known values to all registers and to some memory.
//! `PM4_SEED` repeats a run; `PM4_SEED=n PM4_ROUNDS=1` repeats one of its rounds.

use crate::computed;
use crate::random_packets;

use computed::{Before, computed, pairs};
use pm4::chip::{Chip, Gfx};
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{BufferId, CommandProcessor, DrawView, Observer, RegisterFile, RegisterState};
use pm4::packet::{Action, Effect, Engine, FilteredWriter, Header, Opcode, Packet, Queue, Reader, Scope, ShaderType, Stream, Timing, WrittenData, formats};
use pm4::regs::Space;
use quickcheck::{Arbitrary, Gen};
use random_packets::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Random packets of each layout.
const ROUNDS: u64 = if cfg!(debug_assertions) { 1 } else { 3 };

/// Each round takes one layout out of this many.
const PART: u64 = if cfg!(debug_assertions) { 24 } else { 1 };

/// While it may select an instance, no register is known to have the same value in all instances.
const GRBM_GFX_INDEX: u32 = 0x3_0800;

/// Packets that load pairs of offset and value: the registers that they change depend on memory.
const PAIRS: [Opcode; 3] = [Opcode::LOAD_CONTEXT_REG_INDEX, Opcode::LOAD_SH_REG_INDEX, Opcode::LOAD_UCONFIG_REG_INDEX];

/// Dwords of memory that contain the addresses of packets.
const SPREAD: u32 = 0x3000;

/// The value of a dword or a register after the packet, according to its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// This value.
    Sure(u32),
    /// A value that the packet does not state.
    Unknown,
    /// The old value, or another one.
    Perhaps,
}

/// The effects of a packet, combined.
#[derive(Debug, Default)]
struct Sum {
    registers: BTreeMap<u32, Then>,
    memory: BTreeMap<u64, Then>,
    /// Registers, or memory, may change in any way.
    any_register: bool,
    any_memory: bool,
}

impl Sum {
    fn of(effects: &[Effect<'_>], before: &RegisterFile, bases: &BTreeMap<(u8, bool), u64>) -> Self {
        let mut sum = Self::default();
        let later = |e: &&Effect<'_>| e.timing == Timing::EndOfPipe;
        for effect in effects.iter().filter(|e| !later(e)).chain(effects.iter().filter(later)) {
            sum.add(effect, before, bases);
        }
        sum
    }

    fn register(&mut self, addr: u32, then: Then, may: bool) {
        let then = match self.registers.get(&addr) {
            _ if !may => then,
            Some(Then::Unknown) => Then::Unknown,
            _ => Then::Perhaps,
        };
        self.registers.insert(addr, then);
    }

    fn add(&mut self, effect: &Effect<'_>, before: &RegisterFile, bases: &BTreeMap<(u8, bool), u64>) {
        let may = effect.uncertain;
        match effect.action {
            Action::Set { write, .. } => self.register(write.addr, Then::Sure(write.value), may),
            Action::Modify { addr, mask, value } => {
                let old = match self.registers.get(&addr) {
                    Some(Then::Sure(value)) => Some(*value),
                    Some(_) => None,
                    None => before.value(addr),
                };
                let new = old.or((mask == u32::MAX).then_some(0)).map_or(Then::Unknown, |old| Then::Sure(old & !mask | value & mask));
                self.register(addr, new, may);
            }
            Action::Unknown { addr, registers, .. } => (0..registers).for_each(|i| self.register(addr.wrapping_add(4 * i), Then::Unknown, may)),
            Action::UnknownWindow(space) => of_space(space).step_by(4).for_each(|addr| self.register(addr, Then::Unknown, may)),
            Action::Anything | Action::Run { .. } => (self.any_register, self.any_memory) = (true, true),
            Action::Write { at, bytes, data } => match resolve(at, bases) {
                Some(at) => self.write(at, bytes, data, may),
                None => self.any_memory = true,
            },
            Action::Read { .. } | Action::Skip { .. } | Action::Base { .. } | Action::Rolls | Action::Waits => {}
        }
    }

    fn write(&mut self, at: u64, bytes: u64, data: WrittenData<'_>, may: bool) {
        let end = at + bytes;
        for dword in (at & !3..end).step_by(4).take_while(|dword| *dword < DATA + 4 * DATA_DWORDS) {
            let whole = dword >= at && dword + 4 <= end && !may;
            let then = if whole { data.dword(dword - (at & !3)).map_or(Then::Unknown, Then::Sure) } else { Then::Perhaps };
            self.memory.insert(dword, then);
        }
    }
}

/// The results of a packet on the model.
struct Ran {
    before: RegisterFile,
    after: RegisterFile,
    /// Dwords of known memory with a new or unknown value.
    memory: BTreeMap<u64, Option<u32>>,
    /// Buffer of the packet.
    buffer: BufferId,
    /// The model did not execute it.
    skipped: bool,
    /// The memory that it uses is known to the model.
    mapped: bool,
    /// The engine waits at it.
    blocked: bool,
}

impl Before for Ran {
    fn register(&self, addr: u32) -> Option<u32> {
        self.before.value(addr)
    }

    fn dword(&self, addr: u64) -> Option<u32> {
        old_dword(addr)
    }

    fn const_ram(&self, dword: u32) -> Option<u32> {
        Some(const_ram(dword))
    }
}

static NOPS: [u32; CODE_DWORDS] = [0xFFFF_1000; CODE_DWORDS];

/// A model without rules: long packets write to thousands of addresses without a register, and each write would be checked.
fn model<'a>(chip: Chip) -> CommandProcessor<'a> {
    thread_local! {
        static MADE: RefCell<HashMap<Chip, CommandProcessor<'static>>> = RefCell::default();
    }
    let new = || {
        let mut cp = CommandProcessor::new(chip);
        rules::all().for_each(|rule| assert!(cp.set_rule_level(rule.code, RuleLevel::Allow)));
        // Its tables are created now.
        cp.run(&mut ());
        cp
    };
    MADE.with_borrow_mut(|made| made.entry(chip).or_insert_with(new).snapshot())
}

fn run(seat: &Seat, prefix: &[u32], packet: &[u32], known: Option<&[u32]>) -> Ran {
    let queue = queue_id(seat);
    let mut cp = model(seat.chip);
    if let Some(words) = known {
        cp.map("data", DATA, words);
        cp.map("code", CODE, &NOPS);
    }
    cp.submit_to(queue, "prefix", None, prefix);
    cp.run(&mut ());
    let (before, packets) = (cp.registers_of(queue).expect("the queue has run").clone(), cp.summary().packets);
    let buffer = cp.submit_to(queue, "packet", None, packet);
    cp.run(&mut ());
    let after = cp.registers_of(queue).expect("the queue has run").clone();
    let dwords = (DATA..).step_by(4).zip(known.unwrap_or_default());
    let memory = dwords.filter_map(|(addr, old)| Some((addr, cp.memory(addr))).filter(|(_, new)| *new != Some(*old))).collect();
    let opcode = Header(packet[0]).opcode();
    let skipped = cp.not_executed().any(|(other, _)| other == opcode);
    Ran { before, after, memory, buffer, skipped, mapped: known.is_some(), blocked: cp.summary().packets == packets }
}

fn old_dword(addr: u64) -> Option<u32> {
    MEMORY.get(usize::try_from(addr.checked_sub(DATA)? / 4).ok()?).copied()
}

/// The differences between effects and model, as text; empty if there are none.
fn judge(packet: &Packet<'_>, seat: &Seat, effects: &[Effect<'_>], sum: &Sum, ran: &Ran, bases: &BTreeMap<(u8, bool), u64>) -> Vec<String> {
    let mut wrong = Vec::new();
    let left = computed(packet, seat.gfx(), seat.queue, effects, ran, bases);
    // Pairs in known memory set the registers that they name; effects describe others, and ranges.
    let window = effects.iter().find_map(|e| if let Action::UnknownWindow(space) = e.action { Some(space) } else { None });
    let loads = window.filter(|_| ran.mapped && PAIRS.contains(&packet.header.opcode()) && field(packet, seat, "index") < 2);
    let set = loads.and_then(|space| Some((of_space(space), pairs(packet, space, effects, ran, bases)?)));
    // A packet that waits forever does nothing.
    let idle = || ran.memory.is_empty() && addresses().all(|addr| ran.before.state(addr) == ran.after.state(addr));
    if ran.blocked || effects.iter().any(|e| e.action == Action::Waits) && idle() {
        return wrong;
    }
    if !sum.any_register {
        for addr in addresses() {
            let (old, new) = (ran.before.state(addr), ran.after.state(addr));
            let own = ran.after.origin(addr).is_some_and(|origin| origin.place.buffer == ran.buffer);
            if let Some((range, set)) = set.as_ref().filter(|(range, _)| range.contains(&addr)) {
                let then = set.get(&addr).copied().or(old.known());
                let by_range = matches!(sum.registers.get(&addr), Some(Then::Unknown))
                    && effects
                        .iter()
                        .any(|e| matches!(e.action, Action::Unknown { addr: first, registers, .. } if (first..first + 4 * registers).contains(&addr)));
                if !by_range && new.known() != then && range.contains(&addr) {
                    wrong.push(format!("register of a pair: {addr:#x} must be {then:x?}, is {new:x?}"));
                }
                continue;
            }
            match sum.registers.get(&addr) {
                None if old != new => wrong.push(format!("register changes that no effect names: {addr:#x} from {old:x?} to {new:x?}")),
                Some(Then::Sure(value)) if new.known() != Some(*value) => wrong.push(format!("register not set: {addr:#x} must be {value:#x}, is {new:x?}")),
                Some(Then::Unknown) if !(new.known().is_none() || own || matches!(new, RegisterState::Cleared(_))) => {
                    wrong.push(format!("register still known: {addr:#x} is {new:x?}"));
                }
                Some(Then::Perhaps) if new.known().is_some() && ran.skipped && !own => wrong.push(format!("register still known: {addr:#x} is {new:x?}")),
                _ => {}
            }
        }
    } else if ran.skipped {
        let known = addresses().find(|addr| ran.after.value(*addr).is_some());
        wrong.extend(known.map(|addr| format!("register still known after anything: {addr:#x}")));
    }
    if !sum.any_memory && ran.mapped {
        let other = ran.memory.iter().find(|(addr, _)| !sum.memory.contains_key(addr));
        wrong.extend(other.map(|(addr, value)| format!("memory changes that no effect names: {addr:#x} to {value:x?}")));
        for (addr, then) in sum.memory.range(DATA..DATA + 4 * DATA_DWORDS) {
            let old = MEMORY[((addr - DATA) / 4) as usize];
            let new = ran.memory.get(addr).copied().unwrap_or(Some(old));
            match then {
                Then::Sure(value) if new != Some(*value) => wrong.push(format!("memory not written: {addr:#x} must be {value:#x}, is {new:x?}")),
                Then::Unknown if new != left.get(addr).copied() => {
                    wrong.push(format!("memory not as computed: {addr:#x} is {new:x?}, must be {:x?}", left.get(addr)));
                }
                _ => {}
            }
        }
    }
    wrong
}

/// The acting engine must be one that reads the packet, and the one that its field names.
fn engines(packet: &Packet<'_>, seat: &Seat, effects: &[Effect<'_>]) -> Vec<String> {
    let reads = |engine: Engine| match (seat.queue, seat.read_as) {
        (queue, read_as) if queue == read_as => seat.format.scope.has(seat.gfx(), engine),
        // No engine of this queue reads it: the queue determines the acting engine.
        (queue, _) => Scope::queue(seat.gfx(), queue).has(seat.gfx(), engine),
    };
    let named = packet.fields(seat.gfx(), seat.queue).find(|f| f.name == "engine_sel").and_then(|f| f.symbol());
    let wanted = match named.filter(|_| seat.queue == seat.read_as) {
        Some("prefetch_parser") => Some(Engine::Pfp),
        Some("micro_engine") => Some(Engine::Me),
        Some("constant_engine") if seat.queue == Queue::Constant => Some(Engine::Ce),
        _ => None,
    };
    // PFP and ME read the packet: if no field decides, either may act.
    let wrong = effects.iter().filter(|e| !reads(e.engine) || wanted.is_some_and(|wanted| seat.queue == Queue::Graphics && e.engine != wanted));
    wrong.map(|e| format!("engine: {:?} does {:?}, {named:?} is asked for", e.engine, e.action)).collect()
}

/// The differences if memory that no effect reads has other words: registers or memory that differ.
fn interference(seat: &Seat, prefix: &[u32], words: &[u32], effects: &[Effect<'_>], ran: &Ran, sum: &Sum, bases: &BTreeMap<(u8, bool), u64>) -> Vec<String> {
    let unnamed = |e: &Effect<'_>| match e.action {
        Action::Read { at, .. } => resolve(at, bases).is_none(),
        Action::Anything | Action::Run { .. } => true,
        _ => false,
    };
    if !ran.mapped || effects.iter().any(unnamed) {
        return Vec::new();
    }
    let mut other: Vec<u32> = MEMORY.iter().map(|word| word ^ 0x0155_0155).collect();
    for effect in effects {
        if let Action::Read { at, bytes } = effect.action
            && let Some(from) = resolve(at, bases)
        {
            for addr in (from & !3..from.saturating_add(bytes)).step_by(4).take(DATA_DWORDS as usize) {
                if let (Some(old), Some(word)) = (old_dword(addr), addr.checked_sub(DATA).and_then(|at| other.get_mut(at as usize / 4))) {
                    *word = old;
                }
            }
        }
    }
    let again = run(seat, prefix, words, Some(&other));
    let mut wrong = Vec::new();
    let differs = addresses().find(|addr| ran.after.value(*addr) != again.after.value(*addr));
    wrong.extend(differs.map(|addr| format!("memory is read that no effect names: register {addr:#x}")));
    let new = |ran: &Ran, addr: u64, old: u32| ran.memory.get(&addr).copied().unwrap_or(Some(old));
    let written = sum.memory.range(DATA..DATA + 4 * DATA_DWORDS).filter(|(_, then)| **then != Then::Perhaps);
    let differs = written.map(|(addr, _)| *addr).find(|addr| {
        let at = ((addr - DATA) / 4) as usize;
        new(ran, *addr, MEMORY[at]) != new(&again, *addr, other[at])
    });
    wrong.extend(differs.map(|addr| format!("memory is read that no effect names: memory {addr:#x}")));
    wrong
}

/// The context as a draw after the packet sees it, and whether packets after it ran.
#[derive(Default)]
struct Behind {
    rolls: Vec<bool>,
}

impl Observer for Behind {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.rolls.push(view.roll().source.is_some());
    }
}

/// The differences after the packet: skipped packets, the waiting engine, the context roll, and base addresses.
fn flow(seat: &Seat, prefix: &[u32], packet: &[u32], effects: &[Effect<'_>]) -> Vec<String> {
    let mut wrong = Vec::new();
    if seat.queue == Queue::Constant || effects.iter().any(|e| matches!(e.action, Action::Anything | Action::Run { .. })) {
        return wrong;
    }
    // User data of a compute program, which no packet here names: one write that may be skipped, and one after it.
    const MARKS: [u32; 2] = [0xB9F8, 0xB9FC];
    let mark = |addr: u32, value: u32| [Header::type3(Opcode::SET_SH_REG, 2).with_shader_type(ShaderType::Compute).0, (addr - 0xB000) / 4, value];
    let skip = effects.iter().filter_map(|e| if let Action::Skip { dwords } = e.action { Some(dwords as usize) } else { None }).max();
    let mut behind = if skip.unwrap_or(3) >= 3 { mark(MARKS[0], 1).to_vec() } else { Vec::new() };
    let first = !behind.is_empty();
    behind.resize(skip.unwrap_or(0).max(behind.len()), 0xFFFF_1000);
    behind.extend(mark(MARKS[1], 2));
    let draws = seat.queue == Queue::Graphics;
    let draw = [Header::type3(Opcode::DRAW_INDEX_AUTO, 2).0, 3, 2];
    let words = [if draws { &draw[..] } else { &[] }, packet, &behind, if draws { &draw[..] } else { &[] }].concat();
    let mut cp = model(seat.chip);
    cp.map("data", DATA, &MEMORY);
    let queue = queue_id(seat);
    cp.submit_to(queue, "prefix", None, prefix);
    cp.run(&mut ());
    cp.submit_to(queue, "packet", None, &words);
    let mut seen = Behind::default();
    cp.run(&mut seen);
    let after = cp.registers_of(queue).expect("the queue has run");
    let marked = MARKS.map(|addr| after.origin(addr).is_some_and(|_| after.value(addr) == Some(if addr == MARKS[0] { 1 } else { 2 })));
    let waits = effects.iter().any(|e| e.action == Action::Waits);
    if !marked[1] && !waits {
        wrong.push("what stands after the packet does not run, and no effect waits".into());
    }
    if first && marked[1] && !marked[0] && skip.is_none() && after.value(MARKS[0]).is_some() {
        wrong.push("the packet skips what no effect names".into());
    }
    // The context of the second draw.
    let touches = |addr: u32, registers: u32| registers > 0 && addr < WINDOWS[2].1 && addr.saturating_add(4 * registers) > WINDOWS[2].0;
    let rolls = |e: &&Effect<'_>| match e.action {
        Action::Rolls | Action::UnknownWindow(Space::Context) => true,
        Action::Set { write, state: false, .. } => touches(write.addr, 1),
        Action::Modify { addr, .. } => touches(addr, 1),
        Action::Unknown { addr, registers, state: false } => touches(addr, registers),
        _ => false,
    };
    let may = effects.iter().any(|e| rolls(&e));
    let sure = effects.iter().any(|e| rolls(&e) && !e.uncertain && !matches!(e.action, Action::UnknownWindow(_)));
    if let [_, second] = seen.rolls[..] {
        // The packet itself is a draw and has already taken the context.
        if second && !may {
            wrong.push("the context rolls, and no effect says so".into());
        } else if sure && !second && marked[1] {
            wrong.push("the context does not roll, though an effect says so".into());
        }
    }
    wrong
}

/// SET packets for all context and SH registers.
fn filtered_registers() -> Vec<u32> {
    let run = |opcode, (start, end): (u32, u32)| {
        let values: Vec<u32> = (start..end).step_by(4).map(old_value).collect();
        [vec![Header::type3(opcode, values.len() + 1).0, 0], values].concat()
    };
    [run(Opcode::SET_SH_REG, WINDOWS[1]), run(Opcode::SET_CONTEXT_REG, WINDOWS[2])].concat()
}

/// A filter that knows the prefix's writes to context and SH registers, and has seen a packet.
fn filter(gfx: Gfx, queue: Queue, packet: &[u32]) -> FilteredWriter<Vec<u32>> {
    let mut filter = FilteredWriter::new(Stream::growable(gfx, queue));
    for words in [&filtered_registers()[..], packet].into_iter().filter(|words| !words.is_empty()) {
        filter.writer().raw(words).expect("room");
    }
    filter
}

/// The registers that the filter of a queue removes from the stream if nothing has changed them.
fn pool(gfx: Gfx, queue: Queue) -> Vec<u32> {
    let mut filter = filter(gfx, queue, &[]);
    let registers = [WINDOWS[1], WINDOWS[2]].into_iter().flat_map(|(start, end)| (start..end).step_by(4));
    registers.filter(|addr| !writes_again(&mut filter, *addr)).collect()
}

/// Whether the filter writes a register again with the same value, or would if the register were written alone.
fn writes_again(filter: &mut FilteredWriter<Vec<u32>>, addr: u32) -> bool {
    let before = filter.words().len();
    filter.set_reg(addr, old_value(addr)).is_err() || filter.words().len() > before
}

/// The result of a run of the property.
#[derive(Default)]
struct Report {
    /// First example and number of each difference, by packet and kind.
    wrong: BTreeMap<String, (u64, String)>,
    /// Registers that the filter forgets although effects do not name them, by packet.
    forgotten: BTreeMap<&'static str, u64>,
    /// Layouts for which something was compared.
    packets: u64,
    /// Compared values of registers and of memory, and registers that became unknown.
    compared: [u64; 3],
}

impl Report {
    fn tell(&mut self, seat: &Seat, seed: u64, packet: &[u32], text: String) {
        let kind = text.split(':').next().unwrap_or_default().to_owned();
        let example = format!("{} {:?}, PM4_SEED={seed}: {text}\n    {packet:x?}", seat.gfx(), seat.queue);
        self.wrong.entry(format!("{}: {kind}", seat.format.name)).or_insert((0, example)).0 += 1;
    }
}

#[test]
fn the_model_does_what_effects_say_and_the_filter_forgets_it() {
    let number = |name| std::env::var(name).ok().and_then(|s: String| s.parse::<u64>().ok());
    let first = number("PM4_SEED").unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64));
    let only = std::env::var("PM4_PACKET").ok();
    let mut report = Report::default();
    let mut pools: HashMap<(Gfx, Queue), Vec<u32>> = HashMap::new();
    let chosen = |seat: &Seat| only.as_deref().is_none_or(|only| seat.format.name == only);
    let (seats, rounds) = (seats(), number("PM4_ROUNDS").unwrap_or(ROUNDS));
    let enough = |report: &Report| report.compared.iter().zip([1, 1, 100]).all(|(count, each)| *count * 100 > each * report.packets);
    // Random packets may name little: then more are generated.
    let mut round = 0;
    while round < rounds || only.is_none() && !enough(&report) && round < rounds + 20 {
        let seed = first.wrapping_add(round);
        round += 1;
        let taken = |index: usize| only.is_some() || (index as u64).wrapping_add(seed).is_multiple_of(PART);
        for (index, seat) in seats.iter().enumerate().filter(|(index, seat)| taken(*index) && chosen(seat)) {
            let (gfx, queue) = (seat.gfx(), seat.queue);
            let prefixes = [false, true].map(|loads| prefix(queue, loads));
            let known = pools.entry((gfx, queue)).or_insert_with(|| pool(gfx, queue)).len();
            assert!(known > if queue == Queue::Graphics { 1000 } else { 0 } || queue == Queue::Constant, "{gfx} {queue:?}: the filter knows {known} registers");
            let bases = bases(gfx, queue, &prefixes[0]);
            {
                // Different numbers for each layout.
                let g = &mut Gen::from_size_and_seed(20, seed.wrapping_add((index as u64) << 40));
                let words = packet(g, seat, SPREAD);
                let Some(Ok(read)) = Reader::new(&words).next() else { panic!("PM4_SEED={seed}: {words:x?} is not a packet") };
                let effects = read.effects(gfx, queue);
                let prefix = &prefixes[usize::from(bool::arbitrary(g))];
                let ran = run(seat, prefix, &words, Some(&MEMORY[..]).filter(|_| below(g, 4) > 0));
                let sum = Sum::of(&effects, &ran.before, &bases);
                let mut wrong = judge(&read, seat, &effects, &sum, &ran, &bases);
                wrong.extend(engines(&read, seat, &effects));
                if below(g, 3) == 0 {
                    wrong.extend(interference(seat, prefix, &words, &effects, &ran, &sum, &bases));
                }
                wrong.extend(flow(seat, prefix, &words, &effects));
                wrong.into_iter().for_each(|text| report.tell(seat, seed, &words, text));
                // The filter, after the same packet.
                let mut filter = filter(gfx, queue, &words);
                let skips = effects.iter().any(|e| matches!(e.action, Action::Skip { .. }));
                for addr in &pools[&(gfx, queue)] {
                    let (addr, named) = (*addr, sum.registers.contains_key(addr));
                    let lost = ran.after.value(addr) != Some(old_value(addr));
                    let again = (lost || named || below(g, 16) == 0) && writes_again(&mut filter, addr);
                    if lost && !again {
                        report.tell(seat, seed, &words, format!("filter remembers what changed: {addr:#x} is {:x?}", ran.after.state(addr)));
                    } else if again && !lost && !named && !sum.any_register && !sum.registers.contains_key(&GRBM_GFX_INDEX) && !ran.blocked {
                        *report.forgotten.entry(seat.format.name).or_default() += 1;
                        // Writes in places where packets may be skipped are repeated.
                        if !skips {
                            report.tell(seat, seed, &words, format!("filter forgets what no effect names: {addr:#x}"));
                        }
                    }
                }
                report.packets += 1;
                report.compared[0] += sum.registers.values().filter(|then| matches!(then, Then::Sure(_))).count() as u64;
                report.compared[1] += sum.memory.values().filter(|then| matches!(then, Then::Sure(_)) && ran.mapped).count() as u64;
                report.compared[2] += sum.registers.values().filter(|then| matches!(then, Then::Unknown)).count() as u64;
            }
        }
    }
    println!("{} packets, {:?} values of registers and memory and unknown registers", report.packets, report.compared);
    println!("forgotten beyond effects, where packets may be skipped: {:?}", report.forgotten);
    let wrong: String = report.wrong.iter().map(|(what, (count, example))| format!("{what} ({count} times)\n    {example}\n")).collect();
    assert!(wrong.is_empty(), "PM4_SEED={first}\n{wrong}");
    assert!(only.is_some() || enough(&report), "{:?}: too little was compared", report.compared);
}

/// A packet does not state the number of render backends of the board: there is at least one.
#[test]
fn counts_of_the_first_render_backend_alone_are_sure() {
    let packet = [0xC001_B100, 0x1000, 0];
    let Some(Ok(read)) = Reader::new(&packet).next() else { panic!("a packet") };
    let writes = |e: &&Effect<'_>| matches!(e.action, Action::Write { .. });
    let sure: Vec<bool> = read.effects(Gfx::Gfx11, Queue::Graphics).iter().filter(writes).map(|e| !e.uncertain).collect();
    assert!(sure.len() > 1 && sure[0] && !sure[1..].contains(&true), "{sure:?}");
}

/// Bits 31:28 next to the offset of a register are its index: with any value but 0 the CP may change the written value.
#[test]
fn a_register_has_an_index_where_its_packet_names_any() {
    let opcodes = [Opcode::SET_CONTEXT_REG, Opcode::SET_SH_REG, Opcode::SET_SH_REG_INDEX, Opcode::SET_UCONFIG_REG, Opcode::SET_UCONFIG_REG_INDEX];
    for (opcode, index) in opcodes.into_iter().flat_map(|opcode| (0..16).map(move |index| (opcode, index))) {
        let packet = [Header::type3(opcode, 2).0, index << 28 | 8, 1];
        let Some(Ok(read)) = Reader::new(&packet).next() else { panic!("a packet") };
        let effects = read.effects(Gfx::Gfx11, Queue::Graphics);
        let indexed: Vec<bool> = effects.iter().filter_map(|e| if let Action::Set { indexed, .. } = e.action { Some(indexed) } else { None }).collect();
        assert_eq!(indexed, [index != 0], "{opcode:?} with index {index}: {effects:?}");
    }
}

#[test]
fn every_field_of_a_packet_says_what_it_holds() {
    for format in formats() {
        assert!(!format.doc.is_empty(), "{} has no doc", format.name);
        for field in format.forms.iter().flat_map(|form| form.fields) {
            assert!(!field.doc.is_empty(), "{}.{} has no doc", format.name, field.name);
        }
    }
}

/// Lists of opcodes in the code that remain, with the reason why no effect can replace them: file, first opcode, reason.
const LISTS: &[(&str, &str, &str)] = &[
    ("src/cp/rules/syn/order.rs", "COPY_DATA", "what writes the count of streamout draws, rightly or not, and the draw that reads it"),
    ("src/packet/rules/check.rs", "EVENT_WRITE", "what the hardware does not accept of single packets: each arm is a rule with a source"),
    ("src/packet/rules/sync.rs", "gcr_cntl", "one rule: which fields of RELEASE_MEM are cache actions"),
    ("src/packet/write/lists.rs", "SET_CONTEXT_REG", "the writer's choice among the packets that set registers of a window, as drivers make it"),
    ("src/cp/rules/enc.rs", "SET_RESOURCES", "packets of the scheduler: which queue may hold them is no effect"),
    ("src/queues/mes.rs", "process_quantum", "fields of frames of MES, of which packets of the scheduler have some too"),
    ("src/cp/rules/enc.rs", "INDEX_TYPE", "packets that GFX9 has replaced, each with what is written now"),
    ("src/cp/execute/unknown.rs", "SET_CONTEXT_REG", "packets of which an input lacks words: which registers they may have written"),
    ("src/cp/execute/engine.rs", "CONTEXT_REG_RMW", "the model's arms: what it computes"),
    ("src/cp/execute/constant.rs", "LOAD_CONST_RAM", "the model's arms of the constant engine"),
    ("src/cp/state/constant_engine.rs", "INCREMENT_CE_COUNTER", "which bit of a packet counts up, a counter inside the processor: no effect"),
    ("src/cp/state/history.rs", "EVENT_WRITE", "what rules remember of packets beside registers and memory: events, releases, enables"),
    (
        "src/cp/state/history.rs",
        "COND_EXEC",
        "packets that never reach ME: an engine executes what others have as a packet too, and which ones see it is no effect",
    ),
    ("src/cp/state/history.rs", "WRITE_DATA", "packets that PFP or ME executes: that PFP does is an effect, whether ME sees them then is none"),
    (
        "src/cp/execute/apply_effects.rs",
        "CONTEXT_CONTROL",
        "state of the model itself that a packet which may not have run leaves in doubt: enables, the predicate, a window",
    ),
    ("src/cp/schedule/ahead.rs", "INCREMENT_DE_COUNTER", "counters inside the processor that other queues wait for: no effect"),
    ("src/cp/rules/mem.rs", "WAIT_REG_MEM", "one rule on the compare function 7, which has no name: all packets that compare and wait"),
    ("src/cp/rules/reg.rs", "SET_UCONFIG_REG_INDEX", "one rule on the index that stands above the offset in these packets alone"),
    ("src/cp/rules/sta/programs.rs", "DISPATCH_MESH_INDIRECT_MULTI", "draws without vertices: what kind of work it is, not what it touches"),
    (
        "src/cp/rules/syn/compute.rs",
        "PFP_SYNC_ME",
        "packets that wait for the other engine or for a queue that compute queues do not have: which engine is waited for is not an effect",
    ),
    (
        "src/cp/rules/syn/compute.rs",
        "WAIT_REG_MEM",
        "bits without a meaning on compute queues that two rules report: which rule it is, not what the packet touches",
    ),
    (
        "src/cp/rules/syn/task.rs",
        "DISPATCH_TASKMESH_GFX",
        "work that needs what DISPATCH_TASK_STATE_INIT set up, which is not an effect but a base inside the processor",
    ),
    ("src/cp/view/work_calls.rs", "dim_x", "the three fields of a grid"),
    ("src/input/forms/umr.rs", "SET_CONTEXT_REG", "packets of which a text of another tool names registers instead of offsets"),
    ("src/hang/engines.rs", "INDIRECT_BUFFER", "packets that never reach the queue of ME, as dumps show"),
    ("src/hang/waits.rs", "WRITE_DATA", "packets that a status bit of the hardware points to"),
    ("src/hang/waits.rs", "WAIT_REG_MEM", "packets that read a register: effects do not tell reads of registers"),
    ("src/report/html/packet_table.rs", "EVENT_WRITE", "which packets a page shows as synchronization: a view, no fact"),
    ("src/testing/random.rs", "exec_count", "values that keep a random packet valid, field by field"),
    ("src/testing/random.rs", "COND_INDIRECT_BUFFER", "packets that random streams leave out, because others must be around them"),
    ("src/testing/random.rs", "DISPATCH_TASKMESH_GFX", "what random packets bring beside themselves: words and memory that make them valid"),
];

/// The .rs files below a folder, with their paths from the root of the repository.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crate::support::repository(folder)).expect("a folder of the repository") {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files.extend(sources(&path));
        } else if path.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).expect("a text file");
            files.push((path, text));
        }
    }
    files
}

/// A token of Rust.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    /// `Opcode::NAME`, or a string with the name of a packet or of a field.
    Name(&'a str),
    Word(&'a str),
    Mark(char),
    Arrow,
}

/// The code of a file without comments. Strings that name no packet or field are omitted.
fn tokens<'a>(text: &'a str, names: &HashSet<&str>) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let take = |from: &'a str, until: &dyn Fn(char) -> bool| from.find(|c: char| until(c)).unwrap_or(from.len());
        if rest.starts_with("//") {
            rest = &rest[take(rest, &|c| c == '\n')..];
        } else if let Some(name) = rest.strip_prefix("Opcode::") {
            let end = take(name, &|c| !c.is_ascii_alphanumeric() && c != '_');
            found.push(if name.starts_with(|c: char| c.is_ascii_uppercase()) { Token::Name(&name[..end]) } else { Token::Word(&name[..end]) });
            rest = &name[end..];
        } else if next == '"' {
            let mut escaped = false;
            let ends = |c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            };
            let end = rest[1..].find(ends).unwrap_or(rest.len() - 2);
            found.extend(Some(&rest[1..=end]).filter(|text| names.contains(*text)).map(Token::Name));
            rest = &rest[end + 2..];
        } else if next == '\'' && rest.get(2..3) == Some("'") {
            rest = &rest[3..];
        } else if rest.starts_with("=>") {
            found.push(Token::Arrow);
            rest = &rest[2..];
        } else if next.is_ascii_alphabetic() || next == '_' {
            let end = take(rest, &|c| !c.is_ascii_alphanumeric() && c != '_');
            found.push(Token::Word(&rest[..end]));
            rest = &rest[end..];
        } else {
            found.extend(Some(Token::Mark(next)).filter(|_| !next.is_whitespace()));
            rest = &rest[next.len_utf8()..];
        }
    }
    found
}

/// Lists of three or more packets or fields in one pattern, slice or table, or in the arms of one `match`: the names of each list.
fn lists(text: &str, names: &HashSet<&str>) -> Vec<Vec<String>> {
    let tokens = tokens(text, names);
    // Brackets form one list with everything inside; elsewhere `|` joins alternatives.
    let (mut found, mut open, mut alternatives) = (Vec::new(), Vec::<Vec<&str>>::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        let ends = match token {
            Token::Name(name) => {
                open.last_mut().unwrap_or(&mut alternatives).push(name);
                None
            }
            Token::Mark('[') => {
                open.push(Vec::new());
                None
            }
            Token::Mark(']') => open.pop(),
            Token::Mark('{' | '}' | ';') => {
                open.clear();
                Some(std::mem::take(&mut alternatives))
            }
            Token::Mark('|') => None,
            Token::Word("match") => Some(arms(&tokens[at + 1..])),
            _ => Some(std::mem::take(&mut alternatives)),
        };
        found.extend(ends.map(|list| list.into_iter().map(str::to_owned).collect::<Vec<String>>()));
    }
    found.retain(|list| list.iter().collect::<HashSet<_>>().len() >= 3);
    found
}

/// The names in the patterns of a `match`; the tokens begin with its value.
fn arms<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let (mut depth, mut pattern, mut names) = (0_i32, false, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        // Depth 1 is the body of the match; a value before it has no braces.
        match token {
            Token::Mark('{' | '(' | '[') => {
                depth += 1;
                pattern |= depth == 1 && *token == Token::Mark('{');
            }
            Token::Mark('}' | ')' | ']') => {
                depth -= 1;
                let ended = depth == 0 && *token == Token::Mark('}');
                if ended || depth < 0 {
                    break;
                }
                // A block ends its arm, unless it continues as an expression.
                pattern |= depth == 1 && *token == Token::Mark('}') && !matches!(tokens.get(at + 1), Some(Token::Mark('.' | '?')));
            }
            Token::Mark(',') => pattern |= depth == 1,
            Token::Arrow => pattern &= depth > 1,
            Token::Word("if") if depth == 1 => pattern = false,
            Token::Name(name) if pattern => names.push(*name),
            _ => {}
        }
    }
    names
}

#[test]
fn lists_of_opcodes_are_effects_or_have_a_reason() {
    let fields = || formats().iter().flat_map(|format| format.forms.iter().flat_map(|form| form.fields.iter().map(|field| field.name)));
    // A single word has many other meanings as well.
    let names: HashSet<&str> = formats().iter().map(|format| format.name).chain(fields().filter(|name| name.contains('_'))).collect();
    let count = |text: &str| lists(text, &names).len();
    assert_eq!(count("x(Some(Opcode::A | Opcode::B |\n Opcode::C)) [(Opcode::D, 1), (Opcode::E, 2)] &[Opcode::F, Opcode::G, Opcode::H]"), 2);
    assert_eq!(count("match x { Opcode::A => 1, Opcode::B if y => { Opcode::Z; 2 } Opcode::C => f(3), _ => 0 }"), 1);
    assert_eq!(count("match x { Opcode::A => Opcode::Y, Opcode::B => Opcode::Z, _ => Opcode::C }"), 0);
    assert_eq!(count(r#"matches!(name, "NOP" | "SET_BASE" | "WRITE_DATA") || ["reg_offset", "mod_addr", "reg_poll_addr"].contains(name)"#), 2);
    assert_eq!(count(r#"["NOP \" SET_BASE", "about WRITE_DATA", "NOP"] // Opcode::A | Opcode::B | Opcode::C"#), 0);
    let mut kept = vec![false; LISTS.len()];
    let mut wrong = String::new();
    for (path, text) in sources("src") {
        for list in lists(&text, &names) {
            match LISTS.iter().position(|(file, first, _)| *file == path && *first == list[0]) {
                Some(reason) => kept[reason] = true,
                None => wrong += &format!("{path} lists {}\n", list.join(", ")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}ask EffectKinds, Packet::effects or Opcode::work, or give the reason in LISTS");
    let gone = LISTS.iter().zip(kept).find(|(_, kept)| !kept);
    assert!(gone.is_none(), "a reason for a list that is not there: {gone:?}");
}
