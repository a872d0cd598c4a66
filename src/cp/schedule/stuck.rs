//! The diagnosis when no queue can continue.

use crate::chip::Chip;
use crate::cp::execute::engine::Engine as Model;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::schedule::ahead::{Ahead, AheadWrite, Lookahead, Sign};
use crate::cp::state::addresses::CP_STRMOUT_CNTL;
use crate::cp::state::aql::value_of;
use crate::cp::state::block::{Answer, Block, EQUAL, Test, Until, ZERO, named};
use crate::cp::state::finding::Severity;
use crate::cp::state::past_values::Writer;
use crate::cp::state::place::{Place, QueueId};
use crate::cp::state::queue::QueueState;
use crate::packet::{Opcode, Queue};
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A queue that waits, in a circle of queues or as an orphan.
pub(in crate::cp) struct Stuck {
    pub queue: QueueId,
    pub block: Block,
    /// The packet that would end the wait, if one is left.
    pub by: Option<Satisfier>,
    /// Writes that almost end the wait: a description and the packet.
    pub near: Vec<(String, Place)>,
}

/// A packet that ends a wait.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Satisfier {
    pub queue: QueueId,
    pub place: Place,
    /// Whether the value that the packet writes is known.
    pub sure: bool,
}

/// Handles the state in which all queues wait. A wait that the application or an unknown value may end counts as ended, one at a time; the rest is a deadlock.
pub(in crate::cp) fn stuck<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>], lookahead: &mut Lookahead) {
    for queue in queues.iter_mut() {
        let Some(block) = queue.block else { continue };
        let answer = engine.holds(queue, block.until);
        // The wait may be in a range that does not run.
        let conditional = queue.doubt.conditions.count() > 0;
        if matches!(answer, Answer::Application | Answer::Unknown) || conditional || engine.expected(block).is_some() {
            engine.left_to_the_application(queue, block, answer);
            return engine.release(queue);
        }
    }
    for queue in queues.iter() {
        // Visited packets count as work.
        *engine.dwords += lookahead.update(engine.gfx, queue, engine.memory);
    }
    let lookahead = &*lookahead;
    for waiting in 0..queues.len() {
        let Some((writer, write, addr)) = pfp_satisfies(engine, lookahead, queues, waiting) else { continue };
        if let Some(queue) = queues.get_mut(writer) {
            engine.pfp_runs_ahead(lookahead, queue, write, addr);
        }
        return queues.get_mut(waiting).into_iter().for_each(|queue| engine.release(queue));
    }
    for waiting in 0..queues.len() {
        if let Some(missed) = queues.get(waiting).and_then(|queue| missed(engine, lookahead, queues, queue)) {
            return queues.get_mut(waiting).into_iter().for_each(|queue| {
                report_missed(engine, queue, &missed);
                engine.release(queue);
            });
        }
    }
    let waits: Vec<Stuck> = queues
        .iter()
        .filter_map(|queue| {
            let block = queue.block?;
            Some(Stuck { queue: queue.id, block, by: satisfier(engine, lookahead, queues, queue), near: near(engine, lookahead, queues, queue) })
        })
        .collect();
    let cycle = cycle(&waits);
    let circular = !cycle.is_empty();
    // Without a circle there is a wait that no packet ends: it holds up the others.
    let orphan = waits.iter().find(|wait| wait.by.is_none()).or_else(|| waits.first());
    let reported: Vec<&Stuck> = if circular { cycle } else { orphan.into_iter().collect() };
    if let Some(first) = reported.first()
        && let Some(queue) = queues.iter().find(|queue| queue.id == first.queue)
    {
        // In a circle of queues each wait has a packet that is meant to end it.
        let alone = |outside: &Outside| reported.len() == 1 && matches!(outside, Outside::Application { .. } | Outside::Unseen);
        let outside = may_be_ended(engine, queues, first).filter(|outside| !circular || alone(outside));
        let (rule, verdict) = describe(engine.chip, &reported, circular, outside);
        engine.report(queue, first.block.place, Some(first.block.packet), rule, verdict);
    }
    let released: Vec<QueueId> = reported.iter().map(|wait| wait.queue).collect();
    for queue in queues.iter_mut().filter(|queue| released.contains(&queue.id)) {
        engine.release(queue);
    }
}

/// Finds a PFP that writes what the wait of queue `waiting` asks for: an immediate value. Returns the queue of that PFP, its write, and the dword.
fn pfp_satisfies(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], waiting: usize) -> Option<(usize, AheadWrite, u64)> {
    let Until::Memory { addr, test } = queues.get(waiting)?.block?.until else { return None };
    queues.iter().enumerate().find_map(|(writer, queue)| {
        let ahead = lookahead.of(queue)?;
        pfp_writes(engine, lookahead, queue, addr).find(|write| passes(engine, ahead, *write, addr, test) == Some(true)).map(|write| (writer, write, addr))
    })
}

/// Returns what PFP of a graphics queue, which runs ahead of a waiting ME, can write to a dword before a packet stops or redirects PFP.
fn pfp_writes<'q>(engine: &Model<'_, '_>, lookahead: &'q Lookahead, queue: &'q QueueState<'_>, addr: u64) -> impl Iterator<Item = AheadWrite> + 'q {
    let runs = queue.queue == Queue::Graphics && queue.block.is_some_and(|block| !block.pfp);
    let ahead = lookahead.of(queue).filter(|_| runs);
    // What PFP itself writes before one of its waits may end it.
    let by_itself = |ahead: &Ahead, nth, addr, test| {
        let before = ahead.writes(queue, addr).filter(|write| write.pfp && write.nth > ahead.here(queue) && write.nth < nth);
        before.last().is_some_and(|write| passes(engine, ahead, write, addr, test) == Some(true))
    };
    let ended = |ahead: &Ahead, nth, addr, test| may_have_passed(engine, queue.id, true, addr, test) || by_itself(ahead, nth, addr, test);
    let stop = ahead.map_or(0, |ahead| ahead.next_stop(queue, |nth, addr, test| ended(ahead, nth, addr, test)));
    ahead.into_iter().flat_map(move |ahead| {
        let can =
            move |write: &AheadWrite| write.pfp && write.nth > ahead.here(queue) && write.nth < stop && !queue.written_ahead.contains(&ahead.number(write.nth));
        ahead.writes(queue, addr).filter(can)
    })
}

impl<'a> Model<'_, 'a> {
    /// Performs the write of PFP that ends a wait, after all earlier writes of PFP. The packets run again in the order of the stream, but do not write again.
    fn pfp_runs_ahead(&mut self, lookahead: &Lookahead, queue: &mut QueueState<'a>, write: AheadWrite, addr: u64) {
        let Some(ahead) = lookahead.of(queue) else { return };
        let by = Writer { queue: queue.id, pfp: true, later: false };
        let (mut numbers, mut written) = (Vec::new(), false);
        self.atomic = false;
        let (mut ended, mut from) = (Vec::new(), ahead.here(queue));
        // A wait that memory satisfies before the next write of PFP has ended, whatever is written later.
        let waits = |engine: &Self, from, to| -> Vec<u64> {
            ahead.waits_between(from, to).filter(|(_, addr, test)| holds(engine, *addr, *test)).map(|(number, ..)| number).collect()
        };
        for done in ahead.pfp_writes_to(queue, write.nth) {
            ended.extend(waits(self, from, done.nth));
            from = done.nth;
            let number = ahead.number(done.nth);
            if !queue.written_ahead.contains(&number) {
                self.note_past(done.place, done.addr, done.values.len(), by);
                self.store(queue, done.place, Opcode::WRITE_DATA.name(self.gfx), done.addr, done.values.iter().map(|value| Some(*value)));
                numbers.push(number);
            }
            written |= done.nth == write.nth;
        }
        ended.extend(waits(self, from, write.nth));
        queue.waited_ahead.extend(ended);
        // For a packet of another kind, only the dword is written.
        if !written {
            self.note_past(write.place, addr, 1, by);
            self.store(queue, write.place, None, addr, [write.value]);
        }
        queue.written_ahead.extend(numbers);
    }
}

/// Returns whether memory holds what a wait asks for.
fn holds(engine: &Model<'_, '_>, addr: u64, test: Test) -> bool {
    let low = engine.memory.known(addr);
    let high = if test.wide { engine.memory.known(addr + 4) } else { Some(0) };
    low.zip(high).is_some_and(|(low, high)| test.passes(u64::from(high) << 32 | u64::from(low)))
}

/// Returns whether memory holds what a wait asks for, or has held it.
fn may_have_passed(engine: &Model<'_, '_>, queue: QueueId, pfp: bool, addr: u64, test: Test) -> bool {
    holds(engine, addr, test) || has_passed(engine, queue, pfp, addr, test).is_some()
}

/// The reason why a wait that present memory does not end may have ended earlier.
enum Missed {
    /// The memory held this value until the packet overwrote it.
    Overwritten(u64, Place),
    /// The value in memory depends on the order of queues that change it.
    Raced,
}

/// Returns how the memory of a wait has held, or may have held, a value that ends the wait.
fn has_passed(engine: &Model<'_, '_>, queue: QueueId, pfp: bool, addr: u64, test: Test) -> Option<Missed> {
    let past = &engine.memory.past;
    if past.is_raced(addr) || test.wide && past.is_raced(addr + 4) {
        return Some(Missed::Raced);
    }
    // The two halves may have changed one after the other.
    let half = |addr: u64| {
        let now = engine.memory.known(addr).map(|value| (value, None));
        past.seen(addr, queue, pfp).map(|past| (past.value, Some(past.overwritten))).chain(now)
    };
    let highs: Vec<(u32, Option<Place>)> = if test.wide { half(addr + 4).collect() } else { alloc::vec![(0, None)] };
    half(addr).find_map(|(low, place)| {
        highs.iter().find_map(|(high, other)| {
            let value = u64::from(*high) << 32 | u64::from(low);
            place.or(*other).filter(|_| test.passes(value)).map(|place| Missed::Overwritten(value, place))
        })
    })
}

fn missed(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], queue: &QueueState<'_>) -> Option<Missed> {
    if let Until::Signal { signals, test } = queue.block?.until {
        return named(signals).find_map(|signal| has_passed(engine, queue.id, false, value_of(signal), test));
    }
    let Block { until: Until::Memory { addr, test }, pfp, .. } = queue.block? else { return None };
    // PFP may have written before an addition what it writes ahead of this wait.
    let raced = |addr| engine.memory.past.is_added_to(addr) && queues.iter().any(|queue| pfp_writes(engine, lookahead, queue, addr).next().is_some());
    let by_pfp = || (raced(addr) || test.wide && raced(addr + 4)).then_some(Missed::Raced);
    has_passed(engine, queue.id, pfp, addr, test).or_else(by_pfp)
}

fn report_missed<'a>(engine: &mut Model<'_, 'a>, queue: &QueueState<'a>, missed: &Missed) {
    let Some(block) = queue.block else { return };
    let who = format!("{} waits for {}", queue.id, block.until.describe());
    let verdict = match missed {
        Missed::Overwritten(value, place) => {
            Verdict::new(format!("{who}, which 0x{value:x} satisfied until it was overwritten: whether the wait ends depends on timing"))
                .note("this packet overwrites it", Some(*place))
                .help("let the value stay until the wait has ended, or wait for >= instead of ==")
        }
        Missed::Raced => Verdict::new(format!(
            "{who}, but several queues or engines write this memory, in no fixed order: whether the wait ends depends on which write is the last"
        ))
        .help("let only one engine of one queue write the memory, or wait for a value that it holds after every order of the writes"),
    };
    engine.report(queue, block.place, Some(block.packet), &rules::UNSATISFIED, verdict.severity(Severity::Warning));
}

/// Returns whether what a packet ahead writes ends a wait; None if the value is not known.
fn passes(engine: &Model<'_, '_>, ahead: &Ahead, write: AheadWrite, addr: u64, test: Test) -> Option<bool> {
    let high = match ahead.value_of(write.nth, addr + 4) {
        _ if !test.wide => Some(0),
        Some(value) => value,
        None => engine.memory.known(addr + 4),
    };
    Some(test.passes(u64::from(high?) << 32 | u64::from(write.value?)))
}

/// Returns the first packet ahead in any queue that ends a wait, or may end it.
fn satisfier(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], waiting: &QueueState<'_>) -> Option<Satisfier> {
    let until = waiting.block?.until;
    queues.iter().find_map(|queue| {
        let ahead = lookahead.of(queue)?;
        let found = |place| Some(Satisfier { queue: queue.id, place, sure: true });
        match until {
            Until::Memory { addr, test } => memory_satisfier(engine, queue, ahead, addr, test).or_else(|| {
                // A wait of another kind on the value of a signal.
                let counts = counts(queue, ahead, addr).next().or_else(|| counts(queue, ahead, addr + 4).next().filter(|_| test.wide));
                counts.map(|place| Satisfier { queue: queue.id, place, sure: false })
            }),
            Until::Signal { signals, test } => named(signals).map(value_of).find_map(|addr| {
                memory_satisfier(engine, queue, ahead, addr, test).or_else(|| {
                    let place = counts(queue, ahead, addr).next()?;
                    (test != ZERO || brings_to_zero(engine, lookahead, queues, addr)).then_some(Satisfier { queue: queue.id, place, sure: false })
                })
            }),
            Until::Valid { addr: Some(addr) } => writes(queue, ahead, addr).find_map(|write| {
                let valid = write.value.is_none_or(|value| value >> 31 == 1);
                valid.then_some(Satisfier { queue: queue.id, place: write.place, sure: write.value.is_some() })
            }),
            Until::CeCounter => ahead.next(queue, Sign::CeCounter).and_then(found),
            Until::DeCounter { .. } => ahead.next(queue, Sign::DeCounter).and_then(found),
            Until::Gang { .. } => ahead.next(queue, Sign::Task).and_then(found),
            _ => None,
        }
    })
}

/// Returns the first packet ahead in a queue whose write ends a wait on memory, or may end it.
fn memory_satisfier(engine: &Model<'_, '_>, queue: &QueueState<'_>, ahead: &Ahead, addr: u64, test: Test) -> Option<Satisfier> {
    writes(queue, ahead, addr).find_map(|write| {
        let passes = passes(engine, ahead, write, addr, test);
        (passes != Some(false)).then_some(Satisfier { queue: queue.id, place: write.place, sure: passes.is_some() })
    })
}

/// Returns the packets ahead that count a signal down, except the packet at which the queue waits.
fn counts<'q>(queue: &QueueState<'_>, ahead: &'q Ahead, addr: u64) -> impl Iterator<Item = Place> + 'q {
    let own = queue.block.map(|block| block.place);
    ahead.counts(queue, addr).iter().map(|(_, place)| *place).filter(move |place| Some(*place) != own)
}

/// Returns how often the packets of all queues that have not run count a signal down.
fn counts_left(lookahead: &Lookahead, queues: &[QueueState<'_>], addr: u64) -> u64 {
    let of = |queue: &QueueState<'_>| lookahead.of(queue).map_or(0, |ahead| counts(queue, ahead, addr).count() as u64);
    queues.iter().map(of).sum()
}

/// Returns whether the packets of all queues can count a signal down to 0; also true if the value of the signal is unknown.
fn brings_to_zero(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], addr: u64) -> bool {
    signal_value(engine, addr).is_none_or(|value| (1..=counts_left(lookahead, queues, addr)).contains(&value))
}

fn signal_value(engine: &Model<'_, '_>, addr: u64) -> Option<u64> {
    let (low, high) = (engine.memory.known(addr)?, engine.memory.known(addr + 4)?);
    Some(u64::from(high) << 32 | u64::from(low))
}

/// Describes the signals that a packet waits for: the value of each, and how often packets count it down.
fn near_signals(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], signals: [u64; 5], waits: Place) -> Vec<(String, Place)> {
    let note = |signal: u64| {
        let addr = value_of(signal);
        let value = signal_value(engine, addr)? as i64;
        let ahead = counts_left(lookahead, queues, addr);
        let text = format!(
            "the signal at 0x{signal:012x} holds {value}, and {} that {} not run count it down",
            counted(ahead, "packet"),
            if ahead == 1 { "has" } else { "have" }
        );
        Some((text, engine.memory.origin(addr).unwrap_or(waits)))
    };
    named(signals).filter_map(note).collect()
}

/// Returns the writes ahead to a dword, except the packet at which the queue waits.
fn writes<'q>(queue: &QueueState<'_>, ahead: &'q Ahead, addr: u64) -> impl Iterator<Item = AheadWrite> + 'q {
    let own = queue.block.map(|block| block.place);
    ahead.writes(queue, addr).filter(move |write| Some(write.place) != own)
}

/// The distance in bytes within which a fence may have been meant for an address.
const BESIDE: u64 = 0x1000;

/// Returns writes that almost end a wait on memory: another value at the address, and the value at another address.
fn near(engine: &Model<'_, '_>, lookahead: &Lookahead, queues: &[QueueState<'_>], waiting: &QueueState<'_>) -> Vec<(String, Place)> {
    if let Some(Block { until: Until::Signal { signals, .. }, place, .. }) = waiting.block {
        return near_signals(engine, lookahead, queues, signals, place);
    }
    let Some(Block { until: Until::Memory { addr, test }, .. }) = waiting.block else { return Vec::new() };
    let mut list = Vec::new();
    let says = |value: u32| format!("0x{value:x} is written to 0x{addr:012x}, which does not satisfy it");
    if let (Some(place), Some(value)) = (engine.memory.origin(addr), engine.memory.known(addr)) {
        list.push((says(value), place));
    }
    let ahead = |queue: &QueueState<'_>| {
        let ahead = lookahead.of(queue)?;
        let wrong = |write: AheadWrite| Some((says(write.value.filter(|_| passes(engine, ahead, write, addr, test) == Some(false))?), write.place));
        writes(queue, ahead, addr).find_map(wrong)
    };
    list.extend(queues.iter().find_map(ahead));
    let distance = |at: u64| at.abs_diff(addr);
    let meant = engine.fences.range(addr.saturating_sub(BESIDE)..=addr.saturating_add(BESIDE)).filter(|(at, fence)| {
        let high = if test.wide { fence.values[1] } else { Some(0) };
        **at != addr && fence.values[0].zip(high).is_some_and(|(low, high)| test.function == EQUAL && test.passes(u64::from(high) << 32 | u64::from(low)))
    });
    if let Some((at, fence)) = meant.min_by_key(|(at, _)| distance(**at)) {
        let value = fence.values[0].unwrap_or(0);
        list.push((format!("0x{value:x} was written to 0x{at:012x}, which is 0x{:x} bytes away", distance(*at)), fence.place));
    }
    list
}

/// Returns the waits that form a circle: each is ended only by a packet after the next one.
fn cycle(waits: &[Stuck]) -> Vec<&Stuck> {
    for start in waits {
        let (mut path, mut at): (Vec<&Stuck>, _) = (Vec::new(), start);
        loop {
            path.push(at);
            let Some(next) = at.by.and_then(|by| waits.iter().find(|wait| wait.queue == by.queue)) else { break };
            if next.queue == start.queue {
                return path;
            }
            if path.iter().any(|wait| wait.queue == next.queue) {
                break;
            }
            at = next;
        }
    }
    Vec::new()
}

/// Something that may end a wait and that the model does not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// It is not known which registers the hardware changes by itself, except the one that the model sets.
    Hardware,
    /// Draws and dispatches have run.
    Shader,
    /// The CPU or an engine that is not in the run may write the memory: the caller has not said that all memory is mapped. vkSetEvent ends waits for an event
    /// that the stream has reset, PAL's GpuEvent::Set does, the SDMA engine raises a timeline that it shares with the queue, and whoever writes the packets
    /// after a REWIND sets its valid bit. What the stream has written there before, and with which packet, excludes none of that.
    Application {
        /// Whether draws and dispatches have run too.
        shaders: bool,
    },
    /// The streams are parts of longer ones: another queue may run packets that are not here.
    Unseen,
    /// The task work may be on a queue that is not in the run: the queues in the run have none.
    TaskQueue,
    /// The engine that would count has no stream in the run. The constant engine and the graphics queue have buffers of their own: the run may have only one of
    /// the two.
    Counter {
        /// The engine that would count.
        by: &'static str,
    },
}

/// Returns whether the run has no stream for an engine.
fn has_run_nothing(queues: &[QueueState<'_>], engine: Queue) -> bool {
    queues.iter().filter(|queue| queue.queue == engine).all(|queue| queue.packets == 0 && queue.block.is_none())
}

/// Returns what may end a wait that no packet ends. Mapped memory that the end of the pipe has written counts as memory of fences, which no shader writes.
fn may_be_ended(engine: &Model<'_, '_>, queues: &[QueueState<'_>], wait: &Stuck) -> Option<Outside> {
    let (closed, shaders) = (engine.options.closed_memory, engine.memory.shaders);
    let unseen = || engine.options.partial.then_some(Outside::Unseen);
    match wait.block.until {
        Until::Register { addr, .. } => (addr != CP_STRMOUT_CNTL).then_some(Outside::Hardware),
        Until::Memory { addr, test } => {
            let released = |addr| engine.memory.released.contains(&addr);
            match () {
                () if !closed && engine.memory.mapped(addr, 4) == 0 => Some(Outside::Application { shaders }),
                () if released(addr) || test.wide && released(addr + 4) => unseen(),
                () => shaders.then_some(Outside::Shader).or_else(unseen),
            }
        }
        // The host also counts signals down and sets them.
        Until::Signal { .. } if !closed => Some(Outside::Application { shaders }),
        Until::Signal { .. } => shaders.then_some(Outside::Shader).or_else(unseen),
        // REWIND exists for packets that another writer makes while the queue runs (AMD's packet headers).
        Until::Valid { .. } if !closed => Some(Outside::Application { shaders }),
        Until::Valid { .. } => shaders.then_some(Outside::Shader).or_else(unseen),
        Until::Gang { .. } if engine.gang.dispatches == 0 && wait.by.is_none() => Some(Outside::TaskQueue),
        Until::CeCounter if has_run_nothing(queues, Queue::Constant) => Some(Outside::Counter { by: "the constant engine" }),
        Until::DeCounter { .. } if has_run_nothing(queues, Queue::Graphics) => Some(Outside::Counter { by: "the graphics queue" }),
        Until::Gang { .. } | Until::CeCounter | Until::DeCounter { .. } => None,
    }
}

fn describe(chip: Chip, waits: &[&Stuck], cycle: bool, outside: Option<Outside>) -> (&'static rules::Rule, Verdict) {
    let list: Vec<String> = waits
        .iter()
        .map(|wait| match wait.by {
            Some(Satisfier { queue, sure, .. }) if cycle => {
                let may = if sure { "would" } else { "may" };
                format!("{} waits for {}, which {queue} {may} satisfy after its own wait", wait.queue, wait.block.until.describe())
            }
            _ => format!("{} waits for {}", wait.queue, wait.block.until.describe()),
        })
        .collect();
    let register = waits.iter().any(|wait| matches!(wait.block.until, Until::Register { .. }));
    let list = list.join("; ");
    let mut verdict = Verdict::new(match outside {
        Some(Outside::Hardware) => format!("{list}, and no packet of any queue satisfies it: the queue hangs unless the hardware changes the register"),
        Some(Outside::Shader) => format!("{list}, and no packet of any queue satisfies it: the queue hangs unless a shader writes the value"),
        Some(Outside::TaskQueue) => {
            format!("{list}, and no queue of the run has task work: the queue hangs unless the task-shader dispatch is on a queue that was not given")
        }
        Some(Outside::Counter { by }) => format!("{list}, and the run has no stream for {by}: the queue hangs unless {by} runs one that was not given"),
        Some(outside @ (Outside::Application { .. } | Outside::Unseen)) => {
            let why = if cycle { ": the packet that would satisfy it is after the wait" } else { ", and no packet of any queue satisfies it" };
            let others = match outside {
                Outside::Unseen => "a packet that is not among the parts of the streams",
                Outside::Application { shaders: true } => "a shader, the CPU or another engine",
                _ => "the CPU or another engine",
            };
            format!("{list}{why}: the queue hangs unless {others} writes the value")
        }
        None if cycle && waits.len() > 1 => format!("deadlock of {} queues: {list}", waits.len()),
        None if cycle => format!("{list}: the packet that would satisfy it is after the wait: the queue hangs"),
        None => format!("{list}, and no packet of any queue satisfies it: the queue hangs"),
    });
    for wait in waits {
        if let Some(Satisfier { queue, place, sure }) = wait.by {
            let may = if sure { "would" } else { "may" };
            verdict = verdict.note(format!("{} waits for {}; this packet of {queue} {may} end the wait", wait.queue, wait.block.until.describe()), Some(place));
        }
        for (text, place) in &wait.near {
            verdict = verdict.note(text.clone(), Some(*place));
        }
    }
    let help = match waits.first().map(|wait| wait.block.until) {
        _ if outside == Some(Outside::Hardware) => "write the value that is waited for before the wait",
        _ if register => "send the event that sets the register before the wait (EVENT_WRITE SO_VGTSTREAMOUT_FLUSH for CP_STRMOUT_CNTL)",
        _ if cycle && waits.len() > 1 => "in at least one of these queues, move the packet that ends the wait of another queue before the queue's own wait",
        _ if cycle => "move the packet that would end the wait before the wait",
        Some(Until::Valid { .. }) => "set bit 31 of the REWIND packet in memory before the queue reaches it",
        Some(Until::Signal { .. }) => {
            "submit the packets that count the signal down, or check its address and the value that it begins with: 1 for each packet that it is the completion signal of"
        }
        Some(Until::Gang { .. }) => "submit the task dispatch to a compute queue in the same run",
        Some(Until::CeCounter) => "submit a stream with INCREMENT_CE_COUNTER to the constant engine (queue constant) in the same run",
        Some(Until::DeCounter { .. }) => "submit a stream with INCREMENT_DE_COUNTER to the graphics queue (queue gfx) in the same run",
        _ => "submit the packet that writes this value before the wait, or map the memory with the value",
    };
    let rule = if register && rules::REGISTER_WAIT.scope.contains(chip) { &rules::REGISTER_WAIT } else { &rules::UNSATISFIED };
    (rule, verdict.severity(if outside.is_some() { Severity::Warning } else { Severity::Error }).help(help))
}
