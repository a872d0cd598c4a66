//! What remains when all queues have run to their ends: fences that nothing waits for, and task work that nothing takes.

use crate::cp::execute::engine::Engine;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::fence::Fence;
use crate::cp::state::queue::QueueState;
use alloc::format;

impl<'a> Engine<'_, 'a> {
    /// Reports what remains.
    pub fn report_left(&mut self, queues: &[QueueState<'a>]) {
        unwaited(self, queues);
        unpaired(self, queues);
    }
}

/// Reports task work that no mesh work has taken, if the graphics queue takes any and everything that has run is known.
fn unpaired<'a>(engine: &mut Engine<'_, 'a>, queues: &[QueueState<'a>]) {
    let taken: u64 = queues.iter().map(|queue| queue.history.taskmesh).sum();
    let Some((queue, place)) = queues.iter().filter(|queue| queue.history.taskmesh > 0).find_map(|queue| Some((queue, queue.history.last_draw?))) else {
        return;
    };
    let given = engine.gang.dispatches;
    if rules::UNPAIRED.scope.contains(engine.chip) && !engine.gang.unsure && given > taken {
        let verdict = Verdict::new(format!("the graphics queue takes {taken} of {given} task dispatches: the others stay in the task ring"))
            .help("send one DISPATCH_TASKMESH_GFX for each task dispatch, even for those that start no work");
        engine.report(queue, place, None, &rules::UNPAIRED, verdict);
    }
}

/// Reports fences that were written and that no packet has waited for.
fn unwaited<'a>(engine: &mut Engine<'_, 'a>, queues: &[QueueState<'a>]) {
    let rule: &Rule = &rules::UNWAITED;
    for (addr, Fence { queue, place, .. }) in core::mem::take(engine.fences) {
        let Some(queue) = queues.iter().find(|state| state.id == queue) else { continue };
        let verdict =
            Verdict::new(format!("0x{addr:012x} is written and no packet waits for it")).help("remove the write if neither the CPU nor a shader reads it");
        engine.report(queue, place, None, rule, verdict);
    }
}
