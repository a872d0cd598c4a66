//! Runs the queues in turns, always in the same order, until all have ended or none can continue.

use crate::cp::execute::engine::Engine as Model;
use crate::cp::execute::engine::Step;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::schedule::ahead::{LOOK_AHEAD, Lookahead};
use crate::cp::schedule::stuck::stuck;
use crate::cp::state::block::Answer;
use crate::cp::state::pause::{Stop, Turn};
use crate::cp::state::place::{Place, QueueId};
use crate::cp::state::queue::QueueState;
use crate::cp::view::interest::Interest;
use crate::packet::Reader;
use crate::plurals::counted;
use alloc::format;

/// The number of packets that one queue runs before the turn of the next.
const TURN: usize = 256;

/// Executes all queues; returns false if the run was stopped before the end. The streams of open queues will get more pieces: as long as one of them could take
/// a piece, waits continue.
pub(in crate::cp) fn run<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>], open: &[QueueId], turn: &mut Turn, lookahead: &mut Lookahead) -> bool {
    loop {
        if !turns(engine, queues, turn) {
            return false;
        }
        let Turn { went, open: unfinished, .. } = core::mem::take(turn);
        if *engine.dwords >= engine.options.max_dwords {
            give_up(engine, queues);
            return true;
        }
        if went {
            continue;
        }
        if queues.iter().any(|queue| open.contains(&queue.id) && can_take_input(engine, queue)) {
            return true;
        }
        // No queue can continue: the writes at the end of the pipe are performed.
        if drain(engine, queues) {
            continue;
        }
        if !unfinished {
            return true;
        }
        stuck(engine, queues, lookahead);
        // A packet whose wait was given up has run.
        if engine.has_counted() {
            return false;
        }
    }
}

/// Returns whether a further piece of a queue's stream could change what happens next: the queue has nothing left, or the model still looks for a packet after
/// its wait.
fn can_take_input<'a>(engine: &Model<'_, 'a>, queue: &QueueState<'a>) -> bool {
    let Some(block) = queue.block else { return true };
    let ahead = || queue.ahead().flat_map(|frame| Reader::new(frame.rest()).flatten()).take(LOOK_AHEAD).count();
    engine.holds(queue, block.until) == Answer::No && ahead() < LOOK_AHEAD
}

/// Runs the rest of a turn of each queue. Returns false if the run stops within the turn.
fn turns<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>], turn: &mut Turn) -> bool {
    while let Some(queue) = queues.get_mut(turn.queue) {
        if !core::mem::replace(&mut turn.begun, true) {
            turn.left = TURN;
        }
        engine.observer.queue_changed(queue.id);
        while turn.left > 0 {
            if engine.stops_before(queue) {
                return false;
            }
            let before = queue.place();
            match engine.step(queue, engine.most(turn.left)) {
                Step::Ran(turns) => {
                    turn.went = true;
                    turn.left = turn.left.saturating_sub(turns);
                    if engine.interest != Interest::NONE {
                        engine.notify_observer(queue, before.unwrap_or_default());
                    }
                    if engine.stops_after(queue, before) {
                        return false;
                    }
                }
                Step::Blocked | Step::Done => break,
            }
            if *engine.dwords >= engine.options.max_dwords {
                turn.open = true;
                return true;
            }
        }
        turn.open |= !(queue.frames.is_empty() && queue.pending.is_empty());
        (turn.queue, turn.begun) = (turn.queue + 1, false);
    }
    true
}

impl<'a> Model<'_, 'a> {
    /// Returns the most packets that one step may take.
    fn most(&self, left: usize) -> usize {
        match self.until {
            None | Some(Stop::AfterWork(_) | Stop::AfterFinding) => left,
            Some(Stop::Packets(packets)) => left.min(usize::try_from(packets.saturating_sub(self.summary.packets)).unwrap_or(usize::MAX)).max(1),
            Some(Stop::BeforePacket(_) | Stop::AfterRegisterWrite(_)) => 1,
        }
    }

    fn stops_before(&self, queue: &QueueState<'a>) -> bool {
        matches!(self.until, Some(Stop::BeforePacket(place)) if !self.resumed_at(place) && queue.place() == Some(place))
    }

    /// Returns whether the run began at this place. The run does not stop there again before it has continued.
    fn resumed_at(&self, place: Place) -> bool {
        self.summary.packets == self.packets_before && self.from == Some(place)
    }

    fn stops_after(&self, queue: &QueueState<'a>, before: Option<Place>) -> bool {
        let wrote = |addr| queue.registers.origin(addr).is_some_and(|origin| Some(origin.place) == before && origin.packet + 1 == queue.packets);
        self.has_counted() || matches!(self.until, Some(Stop::AfterRegisterWrite(addr)) if wrote(addr))
    }

    /// Returns whether the observer has stopped the run, or a limit of the run is reached.
    fn has_counted(&self) -> bool {
        *self.stop
            || match self.until {
                None | Some(Stop::BeforePacket(_) | Stop::AfterRegisterWrite(_)) => false,
                Some(Stop::Packets(packets)) => self.summary.packets >= packets,
                Some(Stop::AfterWork(index)) => self.summary.draws + self.summary.dispatches > index,
                Some(Stop::AfterFinding) => self.summary.findings() > self.findings_before,
            }
    }
}

fn drain<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) -> bool {
    let mut any = false;
    for queue in queues {
        while let Some(end) = queue.pipe.pop() {
            engine.pipe_end(queue, end);
            any = true;
        }
        queue.pipe.waited();
        if engine.interest != Interest::NONE {
            engine.notify_observer(queue, queue.place().unwrap_or_default());
        }
    }
    any
}

/// Reports that the limit was reached and drops the rest of the queues, if there is any.
fn give_up<'a>(engine: &mut Model<'_, 'a>, queues: &mut [QueueState<'a>]) {
    for queue in queues {
        let Some((buffer, offset)) = queue.next() else { continue };
        queue.drop_rest();
        let place = Place { buffer, dword: u32::try_from(offset).unwrap_or(u32::MAX) };
        let limit = engine.options.max_dwords;
        let verdict = Verdict::new(format!("the model stopped after {}, before the end of the queue: the rest is not checked", counted(limit, "dword")))
            .help("raise the limit of dwords (max_dwords), or look for a call that repeats a large buffer many times");
        engine.report(queue, place, None, &rules::LIMIT, verdict);
    }
}
