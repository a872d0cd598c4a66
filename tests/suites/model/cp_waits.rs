//! Queues that wait for each other, conditions, limits and streams in pieces.
use crate::streams;
use crate::support;
use pm4::cp::{Bank, CommandProcessor, Place, QueueId, Severity, Statistics, Stop};
use pm4::packet::gfx11::{
    AtomicMem, ContextRegRmw, CopyData, DispatchTaskmeshDirectAce, DispatchTaskmeshGfx, DmaData, LoadContextRegIndex, Rewind, SetPredication, WaitRegMem,
    WriteData,
};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::values::{
    AtomicMemAtomic, AtomicMemCommand, CopyDataCountSel, CopyDataDstSel, CopyDataEngineSel, CopyDataSrcSel, EngineSel, SetPredicationPredBool,
    SetPredicationPredOp, WriteDataEngineSel,
};
use pm4::packet::{Opcode, PacketFields, Queue};
use streams::*;
use support::property;

/// Runs streams on queues, with memory of zeroes at 0x1000.
fn run(streams: &[Vec<u32>]) -> Log {
    let mut cp = with_memory(N31);
    for (words, queue) in streams.iter().zip(0..) {
        while cp.registers_of(QueueId(queue)).is_none() {
            cp.add_compute_queue();
        }
        cp.submit_to(QueueId(queue), "stream", None, words);
    }
    Log::of(&mut cp)
}

#[test]
fn queues_that_signal_each_other_all_end() {
    let log = run(&[[wait(0x1000, 1), write(0x1004, &[1]), draw()].concat(), [write(0x1000, &[1]), wait(0x1004, 1)].concat()]);
    assert_eq!((log.errors(), log.draws.len()), (vec![], 1));
}

#[test]
fn a_deadlock_of_two_queues_is_one_finding_with_its_circle() {
    let log = run(&[[wait(0x1000, 1), write(0x1004, &[1])].concat(), [wait(0x1004, 1), write(0x1000, &[1])].concat()]);
    assert_eq!(log.errors(), ["SYN-18"]);
    let finding = &log.findings[0];
    assert!(finding.message.starts_with("deadlock of 2 queues: gfx waits for"), "{}", finding.message);
    assert_eq!(finding.notes.len(), 2);
}

#[test]
fn a_deadlock_of_three_queues_names_all_three() {
    let ring = |mine: u64, other: u64| [wait(0x1000 + 4 * mine, 1), write(0x1000 + 4 * other, &[1])].concat();
    let log = run(&[ring(0, 1), ring(1, 2), ring(2, 0)]);
    assert_eq!(log.errors(), ["SYN-18"]);
    for queue in ["gfx", "compute", "compute2"] {
        assert!(log.findings[0].message.contains(&format!("{queue} waits for")), "{}", log.findings[0].message);
    }
}

#[test]
fn a_fence_that_nothing_writes_is_one_finding_and_the_stream_continues() {
    let log = run(&[[wait(0x1000, 1), draw()].concat()]);
    assert_eq!((log.errors(), log.draws.len()), (vec!["SYN-18"], 1));
}

#[test]
fn waits_on_application_memory_are_satisfied_with_severity_info() {
    let words = [wait(0x9000, 1), draw()].concat();
    for (closed, severity) in [(false, Severity::Info), (true, Severity::Error)] {
        let mut cp = CommandProcessor::new(N31);
        cp.closed_memory(closed).submit(Queue::Graphics, "main", &words);
        let log = Log::of(&mut cp);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert_eq!((found.severity, log.draws.len()), (severity, 1));
    }
}

#[test]
fn a_release_may_be_seen_at_once_and_is_there_after_a_wait() {
    let (src_sel, dst_sel) = (CopyDataSrcSel::MEMORY, CopyDataDstSel::MEMORY);
    let copy = one(&CopyData { src_sel, src_addr: Some(0x1000), dst_sel, dst_addr: Some(0x1010), ..Default::default() });
    let after = one(&CopyData { src_sel, src_addr: Some(0x1000), dst_sel, dst_addr: Some(0x1014), ..Default::default() });
    let words = [release(0x1000, 7), copy, wait(0x1000, 7), after].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &ZEROES);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).errors, 0);
    assert_eq!([0x1000, 0x1010, 0x1014].map(|addr| cp.memory(addr)), [Some(7), None, Some(7)]);
}

#[test]
fn atomics_and_dma_change_memory() {
    let words = [
        one(&filling(0x1000, 5, 16)),
        one(&AtomicMem { atomic: AtomicMemAtomic::GL2_OP_ATOMIC_ADD_RTN_32, addr: 0x1004, src_data: 3, ..Default::default() }),
        one(&DmaData { src_addr: 0x1004, dst_addr: 0x1020, byte_count: 4, ..Default::default() }),
    ]
    .concat();
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &ZEROES);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    assert_eq!([0x1000, 0x1004, 0x100C, 0x1010, 0x1020].map(|addr| cp.memory(addr)), [5, 8, 5, 0, 8].map(Some));
}

#[test]
fn memory_for_reading_only_is_not_written() {
    let (words, memory) = (write(0x1000, &[1]), [0; 4]);
    let mut cp = CommandProcessor::new(N31);
    cp.map_read_only("shader", 0x1000, &memory);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).errors, 1);
    assert_eq!(cp.memory(0x1000), Some(0));
}

#[test]
fn conditions_of_known_memory_decide() {
    for (value, draws) in [(0, 1), (1, 2)] {
        let log = run(&[[write(0x1000, &[value]), sync(), cond_exec(0x1000, 3), draw(), draw()].concat()]);
        assert_eq!((log.errors(), log.draws.len()), (vec![], draws), "COND_EXEC on {value}");
        let (pred_op, pred_bool) = (SetPredicationPredOp::VULKAN, SetPredicationPredBool::DRAW_IF_VISIBLE_OR_NO_OVERFLOW);
        let predicate = one(&SetPredication { pred_op, pred_bool, start_addr: 0x1000, ..Default::default() });
        let log = run(&[[write(0x1000, &[value]), sync(), predicate, predicated(draw()), draw()].concat()]);
        assert_eq!((log.errors(), log.draws.len()), (vec![], draws), "predicate {value}");
    }
}

#[test]
fn a_rewind_that_nothing_ends_and_a_span_past_the_buffer_are_one_finding_each() {
    let words = [one(&Rewind::default()), draw()].concat();
    let mut cp = with_memory(N31);
    cp.submit_to(QueueId::GRAPHICS, "stream", Some(0x10_0000), &words);
    assert_eq!(Log::of(&mut cp).errors(), ["SYN-18"]);
    assert_eq!(run(&[[cond_exec(0x1000, 0x3FFF), draw()].concat()]).errors(), ["IB-06"]);
}

#[test]
fn packets_run_from_memory_that_packets_have_written() {
    let words = [write(0x1000, &draw()), sync(), ib(0x1000, 8)].concat();
    let nops = nop().repeat(64);
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &nops);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).draws, 1);
}

/// A buffer of packets that were written is the part of memory that is called, whatever was called before from there or of that length.
#[test]
fn written_packets_run_as_far_as_they_are_called() {
    let two = draw().repeat(2);
    let one = [draw(), nop().repeat(draw().len())].concat();
    let calls = [ib(0x1000, 3), ib(0x1000, 6), ib(0x2000, 6), ib(0x1000, 6), ib(0x2000, 3)].concat();
    let words = [write(0x1000, &two), write(0x2000, &one), sync(), calls].concat();
    let nops = nop().repeat(64);
    let mut cp = CommandProcessor::new(N31);
    cp.map("first", 0x1000, &nops);
    cp.map("second", 0x2000, &nops);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).draws, 1 + 2 + 1 + 2 + 1);
}

#[test]
fn loads_read_the_values_of_mapped_memory() {
    let values = [7, 9];
    let words = one(&LoadContextRegIndex { mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[0x203, 2]));
    let mut cp = CommandProcessor::new(N31);
    cp.map("values", 0x1000, &values);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    assert_eq!([0x2880C, 0x28810].map(|addr| cp.registers(Queue::Graphics).value(addr)), [Some(7), Some(9)]);
}

#[test]
fn the_ninth_context_stalls() {
    let frame = |draws: u32| -> Vec<u32> { (0..draws).flat_map(|i| [set(0x2880C, &[i]), draw()].concat()).collect() };
    for (draws, stalls) in [(8, 0), (9, 1), (12, 4)] {
        let words = frame(draws);
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        let mut statistics = Statistics::default();
        let summary = cp.run(&mut statistics);
        assert_eq!((summary.context_rolls, summary.context_stalls), (u64::from(draws) - 1, stalls), "{draws} draws");
        assert_eq!(statistics.stalls, stalls, "{draws} draws");
    }
}

#[test]
fn the_limits_strike_with_findings() {
    let words = draw().repeat(100);
    let mut cp = CommandProcessor::new(N31);
    cp.max_dwords(30).submit(Queue::Graphics, "main", &words);
    let log = Log::of(&mut cp);
    assert_eq!((log.errors(), log.draws.len()), (vec!["RUN-01"], 10));

    let words: Vec<u32> = (0..8).flat_map(|i| write(0x1000 * (i + 1), &[1])).collect();
    let mut cp = CommandProcessor::new(N31);
    cp.max_memory(1024).submit(Queue::Graphics, "main", &words);
    let log = Log::of(&mut cp);
    assert!(log.findings.iter().any(|finding| finding.code == "RUN-02"));
}

/// Whole packets from seeds.
fn plausible(seeds: &[(u8, u8, u32)]) -> Vec<Vec<u32>> {
    seeds
        .iter()
        .map(|(kind, offset, value)| match kind % 6 {
            0 => set(0x28800 + 4 * u32::from(*offset), &[*value]),
            1 => set(0xB000 + 4 * u32::from(*offset), &[*value]),
            2 => draw(),
            3 => write(0x1000 + 4 * u64::from(*offset), &[*value]),
            4 => wait(0x1000 + 4 * u64::from(*offset), *value),
            _ => one(&ContextRegRmw { reg_offset: u32::from(*offset) + 0x200, reg_mask: *value, reg_data: !*value }),
        })
        .collect()
}

#[test]
fn a_stream_in_pieces_is_the_stream_in_one() {
    fn same(seeds: Vec<(u8, u8, u32)>, cuts: Vec<u16>) -> bool {
        let words = plausible(&seeds).concat();
        let mut whole = CommandProcessor::new(N31);
        whole.submit(Queue::Graphics, "whole", &words);
        let mut first = Log::default();
        let summary = whole.run(&mut first);
        let mut pieces = CommandProcessor::new(N31);
        let stream = pieces.begin(QueueId::GRAPHICS, "pieces");
        let mut second = Log::default();
        let mut at: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut) % (words.len() + 1)).chain([0, words.len()]).collect();
        at.sort_unstable();
        for piece in at.windows(2) {
            pieces.feed(stream, &words[piece[0]..piece[1]], &mut second);
        }
        let other = pieces.finish(stream, &mut second);
        let written = |cp: &CommandProcessor<'_>| {
            Bank::ALL.into_iter().flat_map(|bank| cp.registers(Queue::Graphics).written(bank).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        summary.draws == other.draws && summary.packets == other.packets && written(&whole) == written(&pieces) && first.errors() == second.errors()
    }
    property("pieces", 300, same as fn(Vec<(u8, u8, u32)>, Vec<u16>) -> bool);
}

#[test]
fn a_value_that_another_queue_overwrites_may_have_ended_the_wait() {
    let twice = [write(0x1000, &[1]), write(0x1000, &[2])].concat();
    // If the other queue overwrites the value, the result depends on timing. If the same queue overwrites it before the wait, the wait never ends.
    for (streams, severity) in [
        (vec![twice.clone(), wait(0x1000, 1)], Severity::Warning),
        (vec![write(0x1000, &[1]), wait(0x1000, 0)], Severity::Warning),
        (vec![[twice, wait(0x1000, 1)].concat()], Severity::Error),
    ] {
        let log = run(&streams);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert_eq!(found.severity, severity, "{}", found.message);
    }
}

/// PFP writes memory, ahead of ME.
fn write_ahead(addr: u64, value: u32) -> Vec<u32> {
    one(&WriteData { engine_sel: WriteDataEngineSel::PREFETCH_PARSER, ..to_memory(addr) }.followed_by(&[value]))
}

/// ME adds to memory.
fn add(addr: u64, value: u32) -> Vec<u32> {
    one(&AtomicMem { atomic: AtomicMemAtomic::GL2_OP_ATOMIC_ADD_RTN_32, addr, src_data: value.into(), ..Default::default() })
}

#[test]
fn what_pfp_writes_ahead_may_stand_before_an_addition() {
    // PFP may write 1 before ME adds 1 to it. Behind PFP_SYNC_ME it cannot.
    for (streams, severity) in [
        (vec![[add(0x1000, 1), wait(0x1000, 2), write_ahead(0x1000, 1)].concat()], Severity::Warning),
        (vec![[wait(0x1000, 2), write_ahead(0x1000, 1)].concat(), add(0x1000, 1)], Severity::Warning),
        (vec![[add(0x1000, 1), wait(0x1000, 2), sync(), write_ahead(0x1000, 1)].concat()], Severity::Error),
    ] {
        let log = run(&streams);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert_eq!(found.severity, severity, "{}", found.message);
    }
}

#[test]
fn what_pfp_has_written_ahead_it_does_not_write_again() {
    // ME waits for the second value that PFP writes; the first one is gone then.
    let log = run(&[[wait(0x1000, 2), write_ahead(0x1000, 1), wait(0x1000, 1), write_ahead(0x1000, 2)].concat()]);
    let found: Vec<Severity> = log.findings.iter().filter(|finding| finding.code == "SYN-18").map(|finding| finding.severity).collect();
    assert_eq!(found, [Severity::Warning]);
    // What ME makes of a value that PFP has written ahead stays.
    let words = [wait(0x1000, 1), add(0x1000, 1), write_ahead(0x1000, 1), wait(0x1000, 2)].concat();
    assert_eq!(run(&[words]).codes().iter().filter(|code| **code == "SYN-18").count(), 0);
}

/// PFP that runs ahead of ME passes its own waits first: what it writes after one of them does not hold that wait up.
#[test]
fn what_pfp_writes_ahead_does_not_hold_up_its_waits_before_it() {
    let pfp_waits = |value| one(&WaitRegMem { engine_sel: EngineSel::PREFETCH_PARSER, ..waiting(0x1000, value) });
    for (words, hangs) in [
        ([wait(0x1000, 1), pfp_waits(0), write_ahead(0x1000, 1)].concat(), false),
        ([wait(0x1000, 2), pfp_waits(0), write_ahead(0x1000, 1), pfp_waits(1), write_ahead(0x1000, 2)].concat(), false),
        // It never had this value.
        ([wait(0x1000, 1), pfp_waits(2), write_ahead(0x1000, 1)].concat(), true),
        // After the write it has.
        ([wait(0x1000, 1), pfp_waits(0), write_ahead(0x1000, 1), pfp_waits(0)].concat(), true),
    ] {
        let found: Vec<_> = run(std::slice::from_ref(&words)).findings.into_iter().filter(|finding| finding.code == "SYN-18").collect();
        assert_eq!(found.iter().any(|finding| finding.severity == Severity::Error), hangs, "{words:x?}: {found:?}");
    }
}

/// Another queue may have seen what was there before PFP wrote ahead of its ME, by whichever packet.
#[test]
fn what_pfp_overwrites_ahead_may_have_ended_a_wait() {
    let (engine_sel, src_sel, dst_sel) = (CopyDataEngineSel::PREFETCH_PARSER, CopyDataSrcSel::IMMEDIATE_DATA, CopyDataDstSel::MEMORY);
    let copy = one(&CopyData { engine_sel, src_sel, imm_data: Some(2), dst_sel, dst_addr: Some(0x1004), ..Default::default() });
    for ahead in [write_ahead(0x1004, 2), copy] {
        let log = run(&[[wait(0x1000, 1), ahead].concat(), [wait(0x1004, 2), wait(0x1004, 0), write(0x1000, &[1])].concat()]);
        let found: Vec<Severity> = log.findings.iter().filter(|finding| finding.code == "SYN-18").map(|finding| finding.severity).collect();
        assert_eq!(found, [Severity::Warning], "{:?}", log.findings);
    }
}

/// PFP writes no more than its packet says: the other queue has overwritten the dword after it by itself.
#[test]
fn the_dword_after_what_pfp_writes_ahead_is_not_overwritten() {
    let (engine_sel, src_sel, dst_sel) = (CopyDataEngineSel::PREFETCH_PARSER, CopyDataSrcSel::IMMEDIATE_DATA, CopyDataDstSel::MEMORY);
    let copy = one(&CopyData { engine_sel, src_sel, imm_data: Some(2), dst_sel, dst_addr: Some(0x1004), ..Default::default() });
    for ahead in [write_ahead(0x1004, 2), copy] {
        let other = [wait(0x1004, 2), write(0x1008, &[1]), wait(0x1008, 0), write(0x1000, &[1])].concat();
        let log = run(&[[wait(0x1000, 1), ahead].concat(), other]);
        let found: Vec<Severity> = log.findings.iter().filter(|finding| finding.code == "SYN-18").map(|finding| finding.severity).collect();
        assert_eq!(found, [Severity::Error], "{:?}", log.findings);
    }
}

/// What the caller has put into memory no packet has written, wherever in a page.
#[test]
fn only_packets_are_named_as_writers() {
    for (given, waited) in [(0x1004, 0x1000), (0x1000, 0x1004), (0x1000, 0x1000), (0x10FC, 0x1000)] {
        let words = wait(waited, 1);
        let mut cp = with_memory(N31);
        assert!(cp.write_memory(given, &[5]));
        cp.submit(Queue::Graphics, "main", &words);
        let log = Log::of(&mut cp);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert!(found.notes.iter().all(|note| !note.text.contains("is written")), "{given:#x}: {:?}", found.notes);
    }
}

#[test]
fn pfp_passes_a_wait_that_holds_and_stops_at_one_that_writes_a_register_first() {
    let engine_sel = EngineSel::PREFETCH_PARSER;
    let holds = one(&WaitRegMem { engine_sel, ..waiting(0x1004, 0) });
    // The same words but for the operation: the dwords of the address are registers, and what the second one holds is not known.
    let writes_first = raw_packet(Opcode::WAIT_REG_MEM, &[3 | 1 << 4 | 1 << 6 | 1 << 8, 0x1004, 0, 0, u32::MAX, 4]);
    for (between, told) in [(holds, 0), (writes_first, 1)] {
        let log = run(&[[wait(0x1000, 1), between, write_ahead(0x1000, 1)].concat()]);
        assert_eq!(log.errors().iter().filter(|code| **code == "SYN-18").count(), told);
    }
    // Both halves of 64 bits: what PFP writes behind a wait that does not hold is not there.
    for (reference, passes) in [([5, 7], true), ([5, 8], false), ([6, 7], false)] {
        let wide = raw_packet(Opcode::WAIT_REG_MEM64, &[0x113, 0x1008, 0, reference[0], reference[1], u32::MAX, u32::MAX, 4]);
        let log = run(&[[write(0x1008, &[5, 7]), wait(0x1000, 1), wide, write_ahead(0x1000, 1)].concat()]);
        assert_eq!(log.errors().contains(&"SYN-18"), !passes, "{reference:?}: {:?}", log.findings);
    }
    // A wait for what another queue has overwritten may have ended, and PFP may have gone on to what ME waits for.
    for (reference, severity) in [(5, Severity::Warning), (7, Severity::Error)] {
        let wait_of_pfp = one(&WaitRegMem { engine_sel, ..waiting(0x1008, reference) });
        let log = run(&[[wait(0x1000, 1), wait_of_pfp, write_ahead(0x1000, 1)].concat(), [write(0x1008, &[5]), write(0x1008, &[6])].concat()]);
        let found = log.findings.iter().filter(|finding| finding.code == "SYN-18").map(|finding| finding.severity).max();
        assert_eq!(found, Some(severity), "{reference}: {:?}", log.findings);
    }
}

#[test]
fn mesh_work_whose_wait_is_given_up_has_taken_its_task_work() {
    let mesh = one(&DispatchTaskmeshGfx { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
    let task = one(&DispatchTaskmeshDirectAce { x_dim: 1, y_dim: 1, z_dim: 1, dispatch_initiator: COMPUTE, ring_entry_loc: 0x240 });
    let log = run(&[[mesh.clone(), mesh, write(0x1000, &[1])].concat(), [task.clone(), wait(0x1000, 1), task].concat()]);
    let told = |code: &str| log.codes().iter().filter(|found| **found == code).count();
    assert_eq!((told("SYN-18"), told("SYN-27")), (1, 0));
}

#[test]
fn waits_for_what_only_the_stream_can_do_are_errors_whatever_memory_is_mapped() {
    let mesh = one(&DispatchTaskmeshGfx { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
    let task = one(&DispatchTaskmeshDirectAce { x_dim: 1, y_dim: 1, z_dim: 1, dispatch_initiator: COMPUTE, ring_entry_loc: 0x240 });
    let main = mesh.repeat(2);
    let mut cp = CommandProcessor::new(N31);
    cp.submit_to(QueueId::GRAPHICS, "main", Some(0x10_0000), &main);
    cp.submit(Queue::Compute, "beside", &task);
    let log = Log::of(&mut cp);
    assert!(log.errors().contains(&"SYN-18"), "{:?}", log.findings);
}

/// The task work may be on a queue that was not given: a compute queue that has none says nothing of it.
#[test]
fn mesh_work_beside_other_compute_work_may_have_its_task_work_elsewhere() {
    let mesh = one(&DispatchTaskmeshGfx { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
    let task = one(&DispatchTaskmeshDirectAce { x_dim: 1, y_dim: 1, z_dim: 1, dispatch_initiator: COMPUTE, ring_entry_loc: 0x240 });
    for (beside, severity) in [(nop(), Severity::Warning), ([wait(0x1000, 1), task].concat(), Severity::Error)] {
        let log = run(&[[mesh.clone(), write(0x1000, &[1])].concat(), beside]);
        let found: Vec<Severity> = log.findings.iter().filter(|found| found.code == "SYN-18").map(|found| found.severity).collect();
        assert_eq!(found, [severity], "{:?}", log.findings);
    }
}

/// What follows a part of a stream, or runs beside it, is not known: neither its end nor a wait that nothing here ends is an error.
#[test]
fn the_end_of_a_part_of_a_stream_is_not_judged() {
    let tessellated = [set(addr(N31, "VGT_SHADER_STAGES_EN"), &[0x2004]), draw()].concat();
    let modify = one(&ContextRegRmw { reg_offset: 0x200, reg_mask: 1, reg_data: 1 });
    let calls = |words: &[u32]| ib(0x8000, words.len() as u32);
    let called = cond_exec(0x1000, 64);
    let before = write(0x1000, &[1]);
    let table = [
        ("STA-18", tessellated, Some(Severity::Warning), None),
        ("IB-06", cond_exec(0x1000, 64), Some(Severity::Error), None),
        // The end of a called buffer is known, and so is what a span does that ends within a packet.
        ("IB-06", [before.clone(), sync(), calls(&called)].concat(), Some(Severity::Error), Some(Severity::Error)),
        ("IB-06", [before.clone(), sync(), cond_exec(0x1000, 1), draw()].concat(), Some(Severity::Error), Some(Severity::Error)),
        // A packet whose end is missing, and one after which whole packets follow.
        ("ENC-01", vec![0xC003_6900, 0x203, 1], Some(Severity::Error), Some(Severity::Warning)),
        ("ENC-01", [vec![0xC005_2D00], draw()].concat(), Some(Severity::Error), Some(Severity::Error)),
        ("ENC-01", ib(0x9000, 3), Some(Severity::Error), Some(Severity::Error)),
        ("SYN-18", wait(0x1000, 1), Some(Severity::Error), Some(Severity::Warning)),
        ("SYN-18", [wait(0x1000, 1), before].concat(), Some(Severity::Error), Some(Severity::Warning)),
        ("REG-10", modify, Some(Severity::Warning), None),
    ];
    for (code, words, whole, part) in table {
        for (partial, expected) in [(false, whole), (true, part)] {
            let mut cp = with_memory(N31);
            cp.map("called", 0x8000, &called);
            cp.map("cut", 0x9000, &[0xC003_6900, 0x203, 1]);
            if partial {
                cp.partial();
            }
            cp.submit(Queue::Graphics, "stream", &words);
            let log = Log::of(&mut cp);
            let found = log.findings.iter().find(|found| found.code == code).map(|found| found.severity);
            assert_eq!(found, expected, "{code}, partial: {partial}: {:?}", log.findings);
        }
    }
}

/// Of parts as well a circle of queues never ends.
#[test]
fn a_deadlock_of_parts_of_two_streams_is_one() {
    let mut cp = with_memory(N31);
    cp.partial();
    let (graphics, compute) = ([wait(0x1000, 1), write(0x1004, &[1])].concat(), [wait(0x1004, 1), write(0x1000, &[1])].concat());
    cp.submit(Queue::Graphics, "graphics", &graphics);
    cp.submit(Queue::Compute, "compute", &compute);
    assert_eq!(Log::of(&mut cp).errors(), ["SYN-18"]);
}

#[test]
fn a_run_stops_before_each_packet_that_is_named() {
    let words = [nop(), nop(), set(0x28800, &[1]), draw(), nop(), draw()].concat();
    // A run begins before the first packet, and does not stop there.
    for (nth, dword) in (1..).zip([1, 2, 5, 8, 9]) {
        let mut cp = CommandProcessor::new(N31);
        let buffer = cp.submit(Queue::Graphics, "main", &words);
        let place = Place { buffer, dword };
        let pause = cp.run_until(Stop::BeforePacket(place), &mut ()).expect("a stop");
        assert_eq!((pause.next, cp.summary().packets), (Some(place), nth));
        // It goes on from there, and does not come there again.
        assert_eq!(cp.run_until(Stop::BeforePacket(place), &mut ()), None);
        assert_eq!(cp.summary().packets, 6);
    }
}

#[test]
fn the_limit_of_dwords_is_the_number_that_may_run() {
    let words = nop().repeat(5);
    for limit in 1..8 {
        let mut cp = CommandProcessor::new(N31);
        cp.max_dwords(limit).submit(Queue::Graphics, "main", &words);
        let log = Log::of(&mut cp);
        assert_eq!((cp.summary().packets, log.codes().contains(&"RUN-01")), (limit.min(5), limit < 5), "{limit}: {:?}", log.findings);
    }
}

#[test]
fn what_a_limit_has_ended_does_not_go_on() {
    let code = [set(0x28800, &[1]), draw(), nop().repeat(20)].concat();
    let words = [ib(0x1000, code.len() as u32), draw()].concat();
    // Neither the called buffer nor its caller, nor a stream that was submitted behind them.
    for submitted in [1, 2] {
        let mut cp = CommandProcessor::new(N31);
        cp.map("code", 0x1000, &code);
        cp.max_dwords(10);
        (0..submitted).for_each(|_| _ = cp.submit(Queue::Graphics, "main", &words));
        assert!(Log::of(&mut cp).codes().contains(&"RUN-01"));
        let packets = cp.summary().packets;
        cp.max_dwords(1000);
        assert!(cp.step(&mut ()).is_none(), "{submitted}");
        assert_eq!(cp.run(&mut ()).packets, packets, "{submitted}");
    }
}

/// Small packets that read or change much: what they do counts as work, and a limit ends it.
#[test]
fn what_a_packet_loads_or_loses_counts_as_work() {
    use pm4::chip::Chip;
    let ranges: Vec<u32> = [0, 0].into_iter().chain([0, 0x3FFF].repeat(100)).collect();
    for (chip, queue, packet) in [
        (N31, Queue::Graphics, raw_packet(Opcode::LOAD_CONTEXT_REG_INDEX, &ranges)),
        (N31, Queue::Graphics, raw_packet(Opcode::LOAD_UCONFIG_REG_INDEX, &ranges)),
        (Chip::Navi10, Queue::Constant, raw_packet(Opcode::LOAD_CONST_RAM, &[0, 0, 0x7FFF, 0])),
        (Chip::Navi10, Queue::Constant, raw_packet(Opcode::DUMP_CONST_RAM, &[0, 0x7FFF, 0, 0])),
        (N31, Queue::Graphics, raw_packet(Opcode::COPY_DW, &[0])),
    ] {
        let (words, mut cp) = (packet.repeat(50), CommandProcessor::new(chip));
        cp.max_dwords(words.len() as u64 + 1000).submit(queue, "main", &words);
        assert!(Log::of(&mut cp).codes().contains(&"RUN-01"), "{packet:x?}");
    }
}

#[test]
fn memory_ends_where_addresses_do() {
    let fill = DmaData { byte_count: 16, ..filling(0xFFFF_FFFF_FFFC, 5, 16) };
    let words = [one(&fill), raw_packet(Opcode::DMA_DATA, &[0xC000_0000, 0, 0, 0xFFFF_FFFC, u32::MAX, 4])].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main", &words);
    Log::of(&mut cp);
    assert_eq!(cp.memory(0xFFFF_FFFF_FFFC), Some(0));
    // Little of it is there: what it does to the rest is not followed.
    let words = one(&filling(0x1000, 5, 0x3FF_FFFC));
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &[0]);
    cp.submit(Queue::Graphics, "main", &words);
    Log::of(&mut cp);
    assert_eq!(cp.memory(0x1000), None);
}

#[test]
fn dwords_that_are_no_packets_count_as_work() {
    let words = [raw_packet(Opcode::NOP, &[0; 4])[..3].to_vec(), vec![0x4000_0000; 2000]].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.max_dwords(100).submit(Queue::Graphics, "main", &words);
    assert!(Log::of(&mut cp).codes().contains(&"RUN-01"));
}

#[test]
fn pfp_writes_all_its_dwords_ahead() {
    let ahead = one(&WriteData { engine_sel: WriteDataEngineSel::PREFETCH_PARSER, ..to_memory(0x1000) }.followed_by(&[7, 8, 9, 10, 11, 12, 13]));
    let mut cp = with_memory(N31);
    let words = [wait(0x1004, 8), ahead].concat();
    cp.submit(Queue::Graphics, "main", &words);
    let log = Log::of(&mut cp);
    assert_eq!(log.errors(), [""; 0], "{:?}", log.findings);
    assert_eq!([0, 1, 2, 5, 6].map(|dword| cp.memory(0x1000 + 4 * dword)), [Some(7), Some(8), Some(9), Some(12), Some(13)]);
}

/// COPY_DATA of PFP ends a wait of ME before it as WRITE_DATA does: with the dword that ME waits for, whichever of the two it is.
#[test]
fn pfp_copies_ahead_as_it_writes_ahead() {
    let copy = CopyData {
        engine_sel: CopyDataEngineSel::PREFETCH_PARSER,
        src_sel: CopyDataSrcSel::IMMEDIATE_DATA,
        imm_data: Some(8 << 32 | 7),
        count_sel: CopyDataCountSel::_64_BITS_OF_DATA,
        dst_sel: CopyDataDstSel::MEMORY,
        dst_addr: Some(0x1000),
        ..Default::default()
    };
    for (addr, value) in [(0x1000, 7), (0x1004, 8)] {
        // With ME as the engine nobody ends the wait.
        for (engine_sel, hangs) in [(CopyDataEngineSel::PREFETCH_PARSER, false), (CopyDataEngineSel::MICRO_ENGINE, true)] {
            // What ME copies after its wait, PFP has written by then.
            let seen = CopyData {
                src_sel: CopyDataSrcSel::MEMORY,
                src_addr: Some(addr),
                dst_sel: CopyDataDstSel::MEMORY,
                dst_addr: Some(0x1080),
                ..Default::default()
            };
            let words = [wait(addr, value), one(&seen), one(&CopyData { engine_sel, ..copy })].concat();
            let mut cp = with_memory(N31);
            cp.submit(Queue::Graphics, "main", &words);
            let log = Log::of(&mut cp);
            assert_eq!(log.codes().contains(&"SYN-18"), hangs, "{addr:#x} {engine_sel:?}: {:?}", log.findings);
            if !hangs {
                assert_eq!([0x1000, 0x1004, 0x1008, 0x1080].map(|addr| cp.memory(addr)), [Some(7), Some(8), Some(0), Some(value)]);
            }
        }
    }
}

/// A packet that writes many dwords ends the same waits as a packet for each dword, whichever engine writes, and whichever of two writes of a dword is first.
#[test]
fn a_write_of_many_dwords_ends_waits_as_many_writes_do() {
    let values = |n: u32| (1..=n).collect::<Vec<_>>();
    let one_packet = |n, engine_sel| one(&WriteData { engine_sel, ..to_memory(0x1000) }.followed_by(&values(n)));
    let packets = |n, engine_sel| {
        values(n).into_iter().flat_map(|v| one(&WriteData { engine_sel, ..to_memory(0x1000 + 4 * u64::from(v - 1)) }.followed_by(&[v]))).collect()
    };
    let mut told = 0;
    for (n, engine_sel) in [1, 15, 16, 17, 40].into_iter().flat_map(|n| [WriteDataEngineSel::MICRO_ENGINE, WriteDataEngineSel::PREFETCH_PARSER].map(|e| (n, e)))
    {
        for (dword, value) in [(0, 1), (n - 1, n), (n / 2, n / 2 + 1), (n / 2, 0x77), (n, 1)] {
            let seen = |writes: Vec<u32>| {
                let addr = 0x1000 + 4 * u64::from(dword);
                let log = run(&[[wait(addr, value), write_ahead(0x1000, 0x55), writes, write_ahead(0x1000 + 4 * u64::from(n / 2), 0x77)].concat()]);
                log.findings.iter().map(|finding| (finding.code, finding.severity, finding.message.clone())).collect::<Vec<_>>()
            };
            let found = seen(one_packet(n, engine_sel));
            told += usize::from(!found.is_empty());
            assert_eq!(found, seen(packets(n, engine_sel)), "{n} dwords by {engine_sel:?}, a wait for {value:#x} in dword {dword}");
        }
    }
    assert!(told > 10 && told < 40, "{told}");
    // The first write that does not satisfy the wait is named, long or short.
    for bytes in [4, 160] {
        for (writes, first) in
            [(vec![one(&filling(0x1000, 5, bytes)), write(0x1000, &[6])], 5), (vec![write(0x1000, &[6]), one(&filling(0x1000, 5, bytes))], 6)]
        {
            let log = run(&[[wait(0x1000, 7), writes.concat()].concat()]);
            let notes = log.findings.iter().flat_map(|finding| &finding.notes).map(|note| note.text.as_str()).collect::<Vec<_>>();
            assert!(notes.iter().any(|note| note.contains(&format!("0x{first:x} is written"))), "{bytes} bytes, 0x{first:x} first: {notes:?}");
        }
    }
}

#[test]
fn runs_of_registers_stop_where_they_are_asked_to_whoever_looks() {
    // SET packets of three dwords each, which run together where nobody looks at them.
    let words: Vec<u32> = (0..50).flat_map(|value| set(0x28800, &[value])).collect();
    for packets in [1, 2, 7, 49] {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        assert!(cp.run_until(Stop::Packets(packets), &mut ()).is_some());
        assert_eq!((cp.summary().packets, cp.registers(Queue::Graphics).value(0x28800)), (packets, Some(packets as u32 - 1)));
        let mut cp = CommandProcessor::new(N31);
        cp.max_dwords(3 * packets).submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        assert_eq!(cp.summary().packets, packets);
    }
}

#[test]
fn a_step_ends_after_a_wait_that_is_given_up() {
    let words = [wait(0x1000, 1), draw(), draw()].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &ZEROES);
    cp.submit(Queue::Graphics, "main", &words);
    for (step, draws) in (0..3).zip([0, 1, 2]) {
        let mut log = Log::default();
        assert!(cp.step(&mut log).is_some() && log.draws.len() == usize::from(step > 0));
        assert_eq!(cp.summary().draws, draws);
    }
}

/// The model remembers the last 16 values of a dword: a wait for one of them may end, a wait for an older one is a deadlock.
#[test]
fn a_wait_may_have_seen_the_last_16_values() {
    for written in 1..40u32 {
        let writes: Vec<u32> = (1..=written).flat_map(|value| write(0x1000, &[value])).collect();
        for back in [1, 15, 16, 17, 18].into_iter().filter(|back| *back < written) {
            // The other queue writes all of them before the wait runs.
            let log = run(&[[nop().repeat(200), wait(0x1000, written - back), draw()].concat(), writes.clone()]);
            let warned = log.findings.iter().any(|finding| finding.code == "SYN-18" && finding.severity == Severity::Warning);
            let error = log.findings.iter().any(|finding| finding.code == "SYN-18" && finding.severity == Severity::Error);
            assert_eq!((warned, error), (back <= 16, back > 16), "{written} values, a wait for the one {back} before the last: {:?}", log.findings);
        }
    }
}

/// PFP waits at REWIND, so that no packet after it runs; what ME waits for at a task-shader draw leaves PFP running.
#[test]
fn pfp_runs_ahead_of_me_and_not_of_rewind() {
    const STREAM: u64 = 0x8000;
    let pfp_write = |addr: u64| one(&WriteData { engine_sel: WriteDataEngineSel::PREFETCH_PARSER, ..to_memory(addr) }.followed_by(&[1]));
    // The other queue ends the wait after it has seen what PFP writes behind it.
    let run = |waiting: Vec<u32>, ends: Vec<u32>| {
        let first = [waiting, pfp_write(0x1000), draw()].concat();
        let second = [wait(0x1000, 1), ends].concat();
        let mut cp = with_memory(N31);
        cp.submit_to(QueueId::GRAPHICS, "first", Some(STREAM), &first);
        cp.submit_to(QueueId::COMPUTE, "second", None, &second);
        Log::of(&mut cp).errors().contains(&"SYN-18")
    };
    assert!(run(one(&Rewind::default()), write(STREAM + 4, &[1 << 31])), "PFP itself waits");
    let mesh = one(&DispatchTaskmeshGfx { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
    let task = one(&DispatchTaskmeshDirectAce { x_dim: 1, y_dim: 1, z_dim: 1, dispatch_initiator: COMPUTE, ring_entry_loc: 0x240 });
    assert!(!run(mesh, task), "ME waits alone");
}

/// PAL has no PFP_SYNC_ME on compute queues and sends a REWIND whose valid bit is set: the packets after it are fetched from memory again.
#[test]
fn a_valid_rewind_fetches_the_packets_after_it_again() {
    const STREAM: u64 = 0x8000;
    let size = write(0, &[0]).len() as u64;
    let run = |between: Vec<u32>| {
        let value = STREAM + 4 * (size + between.len() as u64 + 2);
        let words = [write(value, &[0x1111]), between, set(0xB900, &[0xAAAA]), dispatch()].concat();
        let mut cp = with_memory(N31);
        cp.submit_to(QueueId::COMPUTE, "stream", Some(STREAM), &words);
        cp.run(&mut ());
        cp.registers_of(QueueId::COMPUTE).expect("a queue").value(0xB900)
    };
    assert_eq!(run(nop()), Some(0xAAAA));
    assert_eq!(run(one(&Rewind { valid: true })), Some(0x1111));
    // The valid bit comes with the value.
    let valid = write(STREAM + 4 * (2 * size + 1), &[1 << 31]);
    assert_eq!(run([valid, one(&Rewind::default())].concat()), Some(0x1111));
}

/// ATOMIC_MEM with the command loop_until_compare_satisfied takes a lock: it is repeated until memory holds the compare value.
#[test]
fn an_atomic_loop_waits_for_its_lock() {
    let lock = |command| one(&AtomicMem { atomic: AtomicMemAtomic::GL2_OP_ATOMIC_CMPSWAP_RTN_32, command, addr: 0x1000, src_data: 5, ..Default::default() });
    let run = |command, frees: Vec<u32>| {
        let mut cp = with_memory(N31);
        let locks = [write(0x1000, &[1]), write(0x1004, &[1]), lock(command), draw()].concat();
        let frees = [wait(0x1004, 1), frees].concat();
        cp.submit(Queue::Graphics, "locks", &locks);
        cp.submit(Queue::Compute, "frees", &frees);
        let log = Log::of(&mut cp);
        (log.errors().contains(&"SYN-18"), log.draws.len(), cp.memory(0x1000))
    };
    use AtomicMemCommand as Command;
    assert_eq!(run(Command::LOOP_UNTIL_COMPARE_SATISFIED, write(0x1000, &[0])), (false, 1, Some(5)));
    assert_eq!(run(Command::LOOP_UNTIL_COMPARE_SATISFIED, nop()), (true, 1, Some(1)));
    assert_eq!(run(Command::SINGLE_PASS_ATOMIC, nop()), (false, 1, Some(1)));
}
