//! Queues that wait for each other, conditions, limits and streams in pieces.
#![cfg(all(feature = "gfx9", feature = "gfx11"))]

mod support;

use pm4::chip::Chip;
use pm4::cp::{Bank, CommandProcessor, DrawView, Finding, Observer, QueueId, Severity};
use pm4::packet::{Header, Opcode, Queue};
use support::property;

#[derive(Default)]
struct Log {
    findings: Vec<Finding>,
    draws: usize,
}

impl Log {
    fn errors(&self) -> Vec<&'static str> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
    }
}

impl Observer for Log {
    fn draw(&mut self, _: &DrawView<'_>) {
        self.draws += 1;
    }

    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.clone());
    }
}

fn packet(opcode: Opcode, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0], body].concat()
}

fn signal(addr: u32, value: u32) -> Vec<u32> {
    packet(Opcode::WRITE_DATA, &[5 << 8, addr, 0, value])
}

fn wait(addr: u32, value: u32) -> Vec<u32> {
    packet(Opcode::WAIT_REG_MEM, &[0x13, addr, 0, value, u32::MAX, 4])
}

fn draw() -> Vec<u32> {
    packet(Opcode::DRAW_INDEX_AUTO, &[3, 2])
}

/// Runs streams on queues, with memory of zeroes at 0x1000.
fn run(streams: &[Vec<u32>]) -> Log {
    let zeroes = [0; 64];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.closed_memory(true).map("memory", 0x1000, &zeroes);
    for (words, queue) in streams.iter().zip(0..) {
        while cp.registers_of(QueueId(queue)).is_none() {
            cp.add_compute_queue();
        }
        cp.submit_to(QueueId(queue), "stream", None, words);
    }
    let mut log = Log::default();
    cp.run(&mut log);
    log
}

#[test]
fn queues_that_signal_each_other_all_end() {
    let log = run(&[[wait(0x1000, 1), signal(0x1004, 1), draw()].concat(), [signal(0x1000, 1), wait(0x1004, 1)].concat()]);
    assert_eq!((log.errors(), log.draws), (vec![], 1));
}

#[test]
fn a_deadlock_of_two_queues_is_one_finding_with_its_circle() {
    let log = run(&[[wait(0x1000, 1), signal(0x1004, 1)].concat(), [wait(0x1004, 1), signal(0x1000, 1)].concat()]);
    assert_eq!(log.errors(), ["SYN-18"]);
    let finding = &log.findings[0];
    assert!(finding.message.starts_with("deadlock of 2 queues: gfx waits for"), "{}", finding.message);
    assert_eq!(finding.notes.len(), 2);
}

#[test]
fn a_deadlock_of_three_queues_names_all_three() {
    let ring = |mine: u32, other: u32| [wait(0x1000 + 4 * mine, 1), signal(0x1000 + 4 * other, 1)].concat();
    let log = run(&[ring(0, 1), ring(1, 2), ring(2, 0)]);
    assert_eq!(log.errors(), ["SYN-18"]);
    for queue in ["gfx", "compute", "compute2"] {
        assert!(log.findings[0].message.contains(&format!("{queue} waits for")), "{}", log.findings[0].message);
    }
}

#[test]
fn a_fence_that_nobody_writes_is_one_finding_and_the_stream_goes_on() {
    let log = run(&[[wait(0x1000, 1), draw()].concat()]);
    assert_eq!((log.errors(), log.draws), (vec!["SYN-18"], 1));
}

#[test]
fn memory_of_the_application_satisfies_waits_with_a_remark() {
    let words = [wait(0x9000, 1), draw()].concat();
    for (closed, severity) in [(false, Severity::Info), (true, Severity::Error)] {
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.closed_memory(closed).submit(Queue::Graphics, "main", &words);
        let mut log = Log::default();
        cp.run(&mut log);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert_eq!((found.severity, log.draws), (severity, 1));
    }
}

#[test]
fn a_release_is_seen_at_the_pipe_end_and_not_before() {
    let release = packet(Opcode::RELEASE_MEM, &[40 | 5 << 8, 1 << 29, 0x1000, 0, 7, 0, 0]);
    let copy = packet(Opcode::COPY_DATA, &[1 | 5 << 8, 0x1000, 0, 0x1010, 0]);
    let words = [release, copy, wait(0x1000, 7)].concat();
    let zeroes = [0; 64];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &zeroes);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).errors, 0);
    assert_eq!((cp.memory(0x1000), cp.memory(0x1010)), (Some(7), Some(0)));
}

#[test]
fn atomics_and_dma_change_memory() {
    let words = [
        packet(Opcode::DMA_DATA, &[2 << 29, 5, 0, 0x1000, 0, 16]),
        packet(Opcode::ATOMIC_MEM, &[15, 0x1004, 0, 3, 0, 0, 0, 0]),
        packet(Opcode::DMA_DATA, &[0, 0x1004, 0, 0x1020, 0, 4]),
    ]
    .concat();
    let zeroes = [0; 64];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &zeroes);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    assert_eq!([0x1000, 0x1004, 0x100C, 0x1010, 0x1020].map(|addr| cp.memory(addr)), [5, 8, 5, 0, 8].map(Some));
}

#[test]
fn memory_for_reading_only_is_not_written() {
    let (words, memory) = (signal(0x1000, 1), [0; 4]);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map_read_only("shader", 0x1000, &memory);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).errors, 1);
    assert_eq!(cp.memory(0x1000), Some(0));
}

#[test]
fn conditions_of_known_memory_decide() {
    for (value, draws) in [(0, 1), (1, 2)] {
        let cond = packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 3]);
        let log = run(&[[signal(0x1000, value), packet(Opcode::PFP_SYNC_ME, &[0]), cond, draw(), draw()].concat()]);
        assert_eq!((log.errors(), log.draws), (vec![], draws), "COND_EXEC on {value}");
        let predicated = [&[Header::type3(Opcode::DRAW_INDEX_AUTO, 2).with_predicate(true).0], &[3, 2][..]].concat();
        let predicate = packet(Opcode::SET_PREDICATION, &[4 << 16 | 1 << 8, 0x1000, 0]);
        let log = run(&[[signal(0x1000, value), packet(Opcode::PFP_SYNC_ME, &[0]), predicate, predicated, draw()].concat()]);
        assert_eq!((log.errors(), log.draws), (vec![], draws), "predicate {value}");
    }
}

#[test]
fn a_rewind_that_nobody_ends_and_a_span_behind_the_buffer_are_one_finding_each() {
    assert_eq!(run(&[[packet(Opcode::REWIND, &[0]), draw()].concat()]).errors(), ["SYN-18"]);
    assert_eq!(run(&[[packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 0x3FFF]), draw()].concat()]).errors(), ["IB-06"]);
}

#[test]
fn packets_run_from_memory_that_packets_have_written() {
    let words = [
        packet(Opcode::WRITE_DATA, &[5 << 8, 0x1000, 0, Header::type3(Opcode::DRAW_INDEX_AUTO, 2).0, 3, 2]),
        packet(Opcode::PFP_SYNC_ME, &[0]),
        packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 8 | 1 << 23]),
    ]
    .concat();
    let nops = [0xFFFF_1000; 64];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &nops);
    cp.submit(Queue::Graphics, "main", &words);
    assert_eq!(cp.run(&mut ()).draws, 1);
}

#[test]
fn loads_take_the_values_of_mapped_memory() {
    let values = [7, 9];
    let words = packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[0x1000, 0, 0x203, 2]);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("values", 0x1000, &values);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    assert_eq!([0x2880C, 0x28810].map(|addr| cp.registers(Queue::Graphics).value(addr)), [Some(7), Some(9)]);
}

#[test]
fn the_ninth_context_stalls() {
    let frame = |draws: u32| -> Vec<u32> { (0..draws).flat_map(|i| [packet(Opcode::SET_CONTEXT_REG, &[0x203, i]), draw()].concat()).collect() };
    for (draws, stalls) in [(8, 0), (9, 1), (12, 4)] {
        let words = frame(draws);
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.submit(Queue::Graphics, "main", &words);
        let summary = cp.run(&mut ());
        assert_eq!((summary.context_rolls, summary.context_stalls), (u64::from(draws) - 1, stalls), "{draws} draws");
    }
}

#[test]
fn the_limits_strike_with_findings() {
    let words = draw().repeat(100);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.max_dwords(30).submit(Queue::Graphics, "main", &words);
    let mut log = Log::default();
    cp.run(&mut log);
    assert_eq!((log.errors(), log.draws), (vec!["RUN-01"], 10));

    let words: Vec<u32> = (0..8).flat_map(|i| signal(0x1000 * (i + 1), 1)).collect();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.max_memory(1024).submit(Queue::Graphics, "main", &words);
    let mut log = Log::default();
    cp.run(&mut log);
    assert!(log.findings.iter().any(|finding| finding.code == "RUN-02"));
}

/// Whole packets from seeds.
fn plausible(seeds: &[(u8, u8, u32)]) -> Vec<Vec<u32>> {
    seeds
        .iter()
        .map(|(kind, offset, value)| match kind % 6 {
            0 => packet(Opcode::SET_CONTEXT_REG, &[u32::from(*offset) + 0x200, *value]),
            1 => packet(Opcode::SET_SH_REG, &[u32::from(*offset), *value]),
            2 => draw(),
            3 => signal(0x1000 + 4 * u32::from(*offset), *value),
            4 => wait(0x1000 + 4 * u32::from(*offset), *value),
            _ => packet(Opcode::CONTEXT_REG_RMW, &[u32::from(*offset) + 0x200, *value, !*value]),
        })
        .collect()
}

#[test]
fn a_stream_in_pieces_is_the_stream_in_one() {
    fn same(seeds: Vec<(u8, u8, u32)>, cuts: Vec<u16>) -> bool {
        let words = plausible(&seeds).concat();
        let mut whole = CommandProcessor::new(Chip::Navi31);
        whole.submit(Queue::Graphics, "whole", &words);
        let mut first = Log::default();
        let summary = whole.run(&mut first);
        let mut pieces = CommandProcessor::new(Chip::Navi31);
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
    let twice = [signal(0x1000, 1), signal(0x1000, 2)].concat();
    // The other queue writes over it: a matter of time. The own queue does so before the wait: it never ends.
    for (streams, severity) in [
        (vec![twice.clone(), wait(0x1000, 1)], Severity::Warning),
        (vec![signal(0x1000, 1), wait(0x1000, 0)], Severity::Warning),
        (vec![[twice, wait(0x1000, 1)].concat()], Severity::Error),
    ] {
        let log = run(&streams);
        let found = log.findings.iter().find(|finding| finding.code == "SYN-18").expect("a finding on the wait");
        assert_eq!(found.severity, severity, "{}", found.message);
    }
}

#[test]
fn a_step_ends_after_a_wait_that_is_given_up() {
    let words = [wait(0x1000, 1), draw(), draw()].concat();
    let zeroes = [0; 4];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &zeroes);
    cp.submit(Queue::Graphics, "main", &words);
    for (step, draws) in (0..3).zip([0, 1, 2]) {
        let mut log = Log::default();
        assert!(cp.step(&mut log).is_some() && log.draws == usize::from(step > 0));
        assert_eq!(cp.summary().draws, draws);
    }
}
