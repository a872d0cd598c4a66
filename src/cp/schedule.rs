//! Running the queues side by side: in turns, always in the same order, until all are at their end or none can go on.

use super::Severity;
use super::apply_effects::value_at;
use super::engine::{Engine as Model, Step};
use super::place::{Place, QueueId};
use super::queue::QueueState;
use super::rules::{self, Verdict};
use super::wait::{Answer, Block, Stuck, Until};
use crate::chip::{Chip, Gfx};
use crate::packet::{Action, EffectKinds, Engine, Opcode, Packet, Queue, Reader, Timing};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Packets of one queue before the next one has its turn.
const TURN: usize = 256;

/// Packets of each queue that are looked through for one that would end a wait.
const LOOK_AHEAD: usize = 1 << 14;

/// Executes all queues. Of the streams of the open ones further pieces will come: as long as one of them could take them, what waits goes on waiting.
pub(super) fn run<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>], open: &[QueueId]) {
    loop {
        let (went, done) = turns(engine, queues);
        if *engine.dwords >= engine.options.max_dwords {
            return give_up(engine, queues);
        }
        if went {
            continue;
        }
        if queues.iter().any(|queue| open.contains(&queue.id) && takes_more(engine, queue)) {
            return;
        }
        // Nobody can go on by itself: the pipe ends catch up.
        if drain(engine, queues) {
            continue;
        }
        if done {
            return;
        }
        stuck(engine, queues);
    }
}

/// Whether a further piece of a queue's stream could change what happens next: the queue has nothing left, or a packet behind its wait is looked for.
fn takes_more<'a>(engine: &Model<'_, 'a>, queue: &QueueState<'a>) -> bool {
    let Some(block) = queue.block else { return true };
    let ahead = || queue.ahead().flat_map(|frame| Reader::new(frame.rest()).flatten()).take(LOOK_AHEAD).count();
    engine.holds(queue, block.until) == Answer::No && ahead() < LOOK_AHEAD
}

/// A turn of each queue: whether one went on, and whether all are at their end.
fn turns<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) -> (bool, bool) {
    let (mut went, mut done) = (false, true);
    for queue in queues {
        let mut left = TURN;
        while left > 0 {
            match engine.step(queue, left) {
                Step::Went(turns) => {
                    went = true;
                    left = left.saturating_sub(turns);
                }
                Step::Blocked => {
                    done = false;
                    break;
                }
                Step::Done => break,
            }
            if *engine.dwords >= engine.options.max_dwords {
                return (went, false);
            }
        }
        done &= queue.frames.is_empty() && queue.pending.is_empty();
    }
    (went, done)
}

fn drain<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) -> bool {
    let mut any = false;
    for queue in queues {
        while let Some(end) = queue.pipe.take() {
            engine.pipe_end(queue, end);
            any = true;
        }
    }
    any
}

/// All queues wait. What the application or an unknown value may satisfy counts as satisfied, one at a time; what is left is a deadlock.
fn stuck<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) {
    for queue in queues.iter_mut() {
        let Some(block) = queue.block else { continue };
        let answer = engine.holds(queue, block.until);
        if matches!(answer, Answer::Application | Answer::Unknown) || block.may {
            engine.left_to_the_application(queue, block, answer);
            return engine.release(queue);
        }
    }
    for queue in queues.iter_mut() {
        if queue.block.is_some_and(|block| pfp_satisfies(engine.chip.gfx(), queue, block)) {
            return engine.release(queue);
        }
    }
    let waits: Vec<Stuck> = queues
        .iter()
        .filter_map(|queue| {
            let block = queue.block?;
            Some(Stuck { queue: queue.id, block, by: satisfier(engine.chip.gfx(), queues, block) })
        })
        .collect();
    let cycle = cycle(&waits);
    let reported: &[Stuck] = if cycle.is_empty() { waits.get(..1).unwrap_or_default() } else { &cycle };
    if let Some(first) = reported.first()
        && let Some(queue) = queues.iter().find(|queue| queue.id == first.queue)
    {
        let (rule, verdict) = describe(engine.chip, reported, !cycle.is_empty());
        engine.report(queue, first.block.place, Some(first.block.packet), rule, verdict);
    }
    let released: Vec<QueueId> = reported.iter().map(|wait| wait.queue).collect();
    for queue in queues.iter_mut().filter(|queue| released.contains(&queue.id)) {
        engine.release(queue);
    }
}

/// Whether PFP, which runs ahead of a waiting ME, writes what the wait asks for: an immediate value, before anything stops PFP or leads it elsewhere.
fn pfp_satisfies(gfx: Gfx, queue: &QueueState<'_>, block: Block) -> bool {
    let (false, Queue::Graphics, Until::Memory { addr, test }) = (block.pfp, queue.queue, block.until) else { return false };
    let Some(frame) = queue.frames.last() else { return false };
    let ahead = Reader::new(frame.rest()).flatten().skip(1).take(LOOK_AHEAD);
    let value = |packet: &Packet<'_>, addr| value_at(packet, gfx, Queue::Graphics, addr, Some(Engine::Pfp)).flatten();
    ahead.take_while(|packet| !stops_pfp(gfx, packet)).any(|packet| {
        value(&packet, addr).is_some_and(|low| {
            let high = if test.wide { value(&packet, addr + 4).unwrap_or(0) } else { 0 };
            test.passes(u64::from(high) << 32 | u64::from(low))
        })
    })
}

/// Packets at which PFP waits for a condition, or that make it go on elsewhere. A wait for DMA or for caches ends by itself.
fn stops_pfp(gfx: Gfx, packet: &Packet<'_>) -> bool {
    const STOPS: EffectKinds = EffectKinds::WAITS.or(EffectKinds::RUNS).or(EffectKinds::SKIPS);
    if !packet.opcode().is_some_and(|opcode| opcode.effect_kinds(gfx).has(STOPS)) {
        return false;
    }
    let mut stops = false;
    packet.visit_effects(gfx, Queue::Graphics, &mut |effect| {
        stops |= matches!(effect.action, Action::Run { .. } | Action::Skip { .. } | Action::Anything)
            || effect.action == Action::Waits && effect.engine == Engine::Pfp && effect.timing == Timing::Issue;
    });
    stops
}

/// The first packet ahead in any queue that writes what a wait looks at.
fn satisfier(gfx: Gfx, queues: &[QueueState<'_>], block: Block) -> Option<(QueueId, Place)> {
    queues.iter().find_map(|queue| {
        let packets = queue.ahead().flat_map(|frame| Reader::new(frame.rest()).flatten().map(|packet| (frame.place(frame.offset + packet.offset), packet)));
        let place = packets.take(LOOK_AHEAD).skip(usize::from(queue.block.is_some_and(|own| own == block))).find_map(|(place, packet)| {
            let hit = match block.until {
                Until::Memory { addr, .. } | Until::Valid { addr: Some(addr) } => value_at(&packet, gfx, queue.queue, addr, None).is_some(),
                Until::CeCounter => super::constant::increments_ce(&packet),
                Until::DeCounter { .. } => packet.opcode() == Some(Opcode::INCREMENT_DE_COUNTER),
                Until::Gang { .. } => matches!(packet.opcode(), Some(Opcode::DISPATCH_TASKMESH_DIRECT_ACE | Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE)),
                _ => false,
            };
            hit.then_some(place)
        })?;
        Some((queue.id, place))
    })
}

/// The waits that form a circle: each is ended only by a packet behind the next one.
fn cycle(waits: &[Stuck]) -> Vec<Stuck> {
    for start in waits {
        let (mut path, mut at) = (Vec::new(), start);
        loop {
            path.push(Stuck { queue: at.queue, block: at.block, by: at.by });
            let Some(next) = at.by.and_then(|(queue, _)| waits.iter().find(|wait| wait.queue == queue)) else { break };
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

fn describe(chip: Chip, waits: &[Stuck], cycle: bool) -> (&'static rules::Rule, Verdict) {
    let list: Vec<String> = waits
        .iter()
        .map(|wait| match wait.by {
            Some((by, _)) if cycle => format!("{} waits for {}, which {by} would satisfy behind its own wait", wait.queue, wait.block.until.say()),
            _ => format!("{} waits for {}", wait.queue, wait.block.until.say()),
        })
        .collect();
    let register = waits.iter().any(|wait| matches!(wait.block.until, Until::Register { .. }));
    let mut verdict = if cycle && waits.len() > 1 {
        Verdict::new(format!("deadlock of {} queues: {}", waits.len(), list.join("; ")))
    } else if cycle {
        Verdict::new(format!("{}: the packet that would satisfy it stands behind the wait: the queue hangs", list.join("; ")))
    } else {
        Verdict::new(format!("{}, and no packet of any queue satisfies it: the queue hangs", list.join("; ")))
    };
    for wait in waits {
        if let Some((by, place)) = wait.by {
            verdict = verdict.note(format!("{} waits for {}; {by} writes it", wait.queue, wait.block.until.say()), Some(place));
        }
    }
    let help = if register {
        "write the event that sets the register before the wait (SO_VGTSTREAMOUT_FLUSH for CP_STRMOUT_CNTL)"
    } else if cycle {
        "signal before waiting, in at least one of the queues"
    } else {
        "submit the packet that writes the fence before this one, or map the memory with the value that it will hold"
    };
    let rule = if register && rules::REGISTER_WAIT.scope.contains(chip) { &rules::REGISTER_WAIT } else { &rules::UNSATISFIED };
    (rule, verdict.severity(Severity::Error).help(help))
}

/// Reports that the limit was reached and drops what is left of the queues, unless nothing is.
fn give_up<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) {
    for queue in queues {
        let Some((buffer, offset)) = queue.next() else { continue };
        queue.drop_rest();
        let place = Place { buffer, dword: u32::try_from(offset).unwrap_or(u32::MAX) };
        let limit = engine.options.max_dwords;
        let verdict = Verdict::new(format!("{limit} dwords are executed and the queue is not at its end: what follows is not judged"))
            .help("raise the limit, or look for a call that repeats a large buffer many times");
        engine.report(queue, place, None, &rules::LIMIT, verdict);
    }
}
