//! Engines other than ME: PFP ahead of it, the constant engine, shadowed registers, context rolls, and streams longer than memory.
use crate::streams;
use pm4::cp::{CommandProcessor, QueueId, RegisterState, RollSource, Severity};
use pm4::packet::gfx9::{
    ClearState, ContextControl, DumpConstRam, IncrementCeCounter, IncrementDeCounter, LoadContextReg, WaitOnCeCounter, WaitOnDeCounterDiff, WriteConstRam,
};
use pm4::packet::gfx11::{DispatchTaskmeshGfx, WaitRegMem, WriteData};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::values::{EngineSel, IncrementCeCounterCntrsel, WriteDataEngineSel};
use pm4::packet::{Opcode, PacketFields, Queue};
use streams::*;

/// Context registers from a dword offset.
fn set_context(dword: u32, values: &[u32]) -> Vec<u32> {
    set(0x28000 + 4 * dword, values)
}

#[test]
fn pfp_runs_ahead_of_a_waiting_me_until_something_stops_it() {
    let (pfp, me) = (WriteDataEngineSel::PREFETCH_PARSER, WriteDataEngineSel::MICRO_ENGINE);
    let write = |engine_sel| one(&WriteData { engine_sel, ..to_memory(0x1000) }.followed_by(&[7]));
    let wait = || wait(0x1000, 7);
    let wait_in_pfp = one(&WaitRegMem { engine_sel: EngineSel::PREFETCH_PARSER, ..waiting(0x1000, 7) });
    for (stream, errors) in [
        ([wait(), write(pfp)].concat(), 0),
        ([wait(), write(me)].concat(), 1),
        ([wait(), sync(), write(pfp)].concat(), 1),
        ([wait_in_pfp, write(pfp)].concat(), 1),
    ] {
        let mut cp = with_memory(N31);
        cp.submit(Queue::Graphics, "main", &stream);
        let log = Log::of(&mut cp);
        assert_eq!(log.errors().len(), errors, "{:?}", log.findings);
    }
}

/// The constant engine writes two dwords into its memory, dumps them to 0x1000 and counts; the draw engine waits for it.
fn constant_stream() -> Vec<u32> {
    [
        one(&WriteConstRam { offset: 0x20 }.followed_by(&[7, 8])),
        one(&DumpConstRam { offset: 0x20, num_dw: 2, addr: 0x1000, ..Default::default() }),
        one(&IncrementCeCounter { cntrsel: IncrementCeCounterCntrsel::INCREMENT_CE_COUNTER }),
        one(&WaitOnDeCounterDiff { diff: 1 }),
        one(&DumpConstRam { offset: 0x20, num_dw: 1, addr: 0x1010, ..Default::default() }),
    ]
    .concat()
}

#[test]
fn the_constant_engine_and_the_draw_engine_wait_for_each_other() {
    let main = [one(&WaitOnCeCounter::default()), draw(), one(&IncrementDeCounter::default())].concat();
    let constant = constant_stream();
    let mut cp = with_memory(V);
    cp.submit(Queue::Graphics, "main", &main);
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    let log = Log::of(&mut cp);
    assert_eq!(log.errors(), [""; 0], "{:?}", log.findings);
    assert_eq!([0x1000, 0x1004, 0x1010].map(|addr| cp.memory(addr)), [Some(7), Some(8), Some(7)]);
    assert_eq!(cp.not_executed().count(), 0);
}

#[test]
fn the_selector_of_increment_ce_counter_says_which_counter_goes_up() {
    // 1 and 3 count the CE counter; 2 counts the CS counter alone, and 0 is invalid.
    let main = one(&WaitOnCeCounter::default());
    for (selector, counts) in [(1, true), (3, true), (2, false), (0, false)] {
        let constant = one(&IncrementCeCounter { cntrsel: IncrementCeCounterCntrsel::new(selector) });
        let mut cp = with_memory(V);
        cp.submit(Queue::Graphics, "main", &main);
        cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
        let log = Log::of(&mut cp);
        assert_eq!(log.errors().is_empty(), counts, "{selector}: {:?}", log.findings);
    }
}

#[test]
fn a_counter_that_nothing_increments_is_a_hang() {
    // Without the count of the draw engine the constant engine waits forever; if the constant engine does not count, the draw engine does.
    let main = [one(&WaitOnCeCounter::default()), draw()].concat();
    for (constant, queue) in [(constant_stream(), "constant"), (one(&WriteConstRam { offset: 0x20 }.followed_by(&[7])), "gfx")] {
        let mut cp = with_memory(V);
        cp.submit(Queue::Graphics, "main", &main);
        cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
        let log = Log::of(&mut cp);
        assert_eq!(log.errors(), ["SYN-18"], "{:?}", log.findings);
        assert!(log.findings.iter().any(|finding| finding.message.starts_with(&format!("{queue} waits for"))), "{:?}", log.findings);
    }
}

/// The two engines have separate buffers, and only one of them may be available.
#[test]
fn a_counter_of_an_engine_without_a_stream_may_be_counted_by_one_that_was_not_given() {
    let main = [one(&WaitOnCeCounter::default()), draw(), one(&IncrementDeCounter::default())].concat();
    let constant = constant_stream();
    for (queue, stream) in [(QueueId::GRAPHICS, &main), (QueueId::CONSTANT, &constant)] {
        let mut cp = with_memory(V);
        cp.submit_to(queue, "alone", None, stream);
        let log = Log::of(&mut cp);
        let waits: Vec<_> = log.findings.iter().filter(|finding| finding.code == "SYN-18").map(|finding| finding.severity).collect();
        assert_eq!(waits, [Severity::Warning], "{queue}: {:?}", log.findings);
    }
}

#[test]
fn findings_on_engines_that_wait_for_each_others_counters_name_the_packets_that_would_end_it() {
    // The counter of the constant engine is never less than that of the draw engine: the difference is never negative.
    let main = [one(&WaitOnCeCounter::default()), one(&IncrementDeCounter::default())].concat();
    let constant = [one(&WaitOnDeCounterDiff { diff: 0 }), one(&IncrementCeCounter { cntrsel: IncrementCeCounterCntrsel::INCREMENT_CE_COUNTER })].concat();
    let mut cp = with_memory(V);
    cp.submit(Queue::Graphics, "main", &main);
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    let log = Log::of(&mut cp);
    let notes: Vec<_> = log.findings.iter().filter(|found| found.code == "SYN-18").flat_map(|found| &found.notes).map(|note| note.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.starts_with("gfx waits for") && note.contains("packet of constant")), "{:?}", log.findings);
}

#[test]
fn the_constant_engine_loads_its_memory_from_where_the_packet_says() {
    let words = write(0x1000, &[5, 6, 7, 8, 9]);
    let constant =
        [raw_packet(Opcode::LOAD_CONST_RAM, &[0x1000, 0, 5, 0x40]), one(&DumpConstRam { offset: 0x40, num_dw: 5, addr: 0x1020, ..Default::default() })]
            .concat();
    let mut cp = with_memory(V);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    cp.run(&mut ());
    assert_eq!([0x1020, 0x1024, 0x1028, 0x102C, 0x1030].map(|addr| cp.memory(addr)), [5, 6, 7, 8, 9].map(Some));
}

#[test]
fn what_ran_before_a_part_of_a_stream_may_have_counted_for_it() {
    // The earlier stream of the other engine, the earlier task work of the other queue, and the contents of the constant engine's memory.
    let (counted, mesh) =
        ([one(&WaitOnCeCounter::default()), draw()].concat(), one(&DispatchTaskmeshGfx { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() }));
    let dump = one(&DumpConstRam { offset: 0x20, num_dw: 1, addr: 0x1000, ..Default::default() });
    let other = write(0x1000, &[0]);
    for (chip, queue, stream) in [(V, QueueId::GRAPHICS, counted), (N31, QueueId::GRAPHICS, mesh), (V, QueueId::CONSTANT, dump)] {
        let mut whole = with_memory(chip);
        whole.submit_to(queue, "stream", None, &stream);
        whole.submit_to(QueueId::COMPUTE, "other work", None, &other);
        let mut part = whole.snapshot();
        part.partial();
        // The task work of the whole stream, and the stream of the constant engine, may be missing here.
        let expected = (queue == QueueId::GRAPHICS).then_some(Severity::Warning);
        let waits = |cp: &mut CommandProcessor<'_>| Log::of(cp).findings.iter().find(|found| found.code == "SYN-18").map(|found| found.severity);
        assert_eq!(waits(&mut whole), expected, "{chip}");
        assert_eq!(waits(&mut part), expected.map(|_| Severity::Info), "{chip}");
        assert_eq!(part.memory(0x1000), (queue == QueueId::GRAPHICS).then_some(0), "{chip}");
    }
}

#[test]
fn chips_without_a_constant_engine_refuse_streams_for_it() {
    let constant = constant_stream();
    let mut cp = with_memory(N31);
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    assert_eq!(cp.run(&mut ()).packets, 0);
}

#[test]
fn shadowed_registers_go_to_the_memory_that_they_are_loaded_from() {
    // LOAD_CONTEXT_REG with a count of 0 at 0x1000 sets the base. 0x28004 is dword 1 of the window.
    let load = one(&LoadContextReg { base_addr: 0x1000 }.followed_by(&[0, 0]));
    let enable = |update_shadow_enables, shadow_per_context_state| {
        let (update_load_enables, load_per_context_state) = (true, true);
        one(&ContextControl { update_load_enables, load_per_context_state, update_shadow_enables, shadow_per_context_state, ..Default::default() })
    };
    let write = set_context(1, &[0x55]);
    for (control, shadowed) in [(enable(true, true), 0x55), (enable(true, false), 0), (enable(false, true), 0)] {
        let stream = [control, load.clone(), write.clone()].concat();
        let mut cp = with_memory(V);
        cp.submit(Queue::Graphics, "main", &stream);
        cp.run(&mut ());
        assert_eq!(cp.memory(0x1004), Some(shadowed));
        assert_eq!(cp.registers(Queue::Graphics).value(0x28004), Some(0x55));
    }
}

#[test]
fn a_roll_names_the_registers_that_changed_and_those_that_did_not() {
    let stream = [set_context(0x203, &[1]), set_context(0x105, &[2, 3]), draw(), set_context(0x105, &[2, 4]), draw(), draw()].concat();
    let mut cp = with_memory(N31);
    cp.submit(Queue::Graphics, "main", &stream);
    let mut log = Log::default();
    let summary = cp.run(&mut log);
    let changes = |draw: usize| (log.draws[draw].roll, &log.draws[draw].changed[..], &log.draws[draw].redundant[..]);
    assert_eq!(changes(0), (None, &[0x28414, 0x28418, 0x2880C][..], &[][..]));
    assert_eq!(changes(1), (Some(RollSource::Write), &[0x28418][..], &[0x28414][..]));
    assert_eq!(changes(2), (None, &[][..], &[][..]));
    assert_eq!(summary.context_rolls, 1);
}

#[test]
fn registers_that_nothing_wrote_are_known_as_such() {
    // DB_DFSM_CONTROL is 0xd after reset, 0 after CLEAR_STATE; no source states the value of DB_SHADER_CONTROL after reset.
    let mut cp = CommandProcessor::new(V);
    assert_eq!([0x28060, 0x2880C].map(|addr| cp.registers(Queue::Graphics).state(addr)), [RegisterState::Reset(0xD), RegisterState::Unknown]);
    let clear = one(&ClearState::default());
    cp.submit(Queue::Graphics, "main", &clear);
    cp.run(&mut ());
    assert_eq!([0x28060, 0x2880C].map(|addr| cp.registers(Queue::Graphics).state(addr)), [RegisterState::Cleared(0); 2]);
}

#[test]
fn clear_state_changes_what_was_written() {
    let stream = [set_context(0x203, &[1]), draw(), one(&ClearState::default()), draw()].concat();
    let mut cp = with_memory(N31);
    cp.submit(Queue::Graphics, "main", &stream);
    let log = Log::of(&mut cp);
    let DrawSeen { roll, changed, redundant, .. } = &log.draws[1];
    assert_eq!((*roll, &changed[..], &redundant[..]), (Some(RollSource::ClearState), &[0x2880C][..], &[][..]));
}
