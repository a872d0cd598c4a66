//! What runs beside the micro-engine: PFP ahead of it, the constant engine, shadowed registers, context rolls, and streams longer than memory.
#![cfg(all(feature = "gfx9", feature = "gfx11"))]

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, QueueId, RegisterState, RollSource, Severity};
use pm4::packet::{Header, Opcode, Queue};

#[derive(Default)]
struct Log {
    findings: Vec<Finding>,
    draws: Vec<(Option<RollSource>, Vec<u32>, Vec<u32>)>,
}

impl Log {
    fn errors(&self) -> Vec<&'static str> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
    }
}

impl Observer for Log {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.draws.push((view.roll().source, view.changed_context().collect(), view.redundant_context().collect()));
    }

    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.clone());
    }
}

fn packet(opcode: Opcode, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0], body].concat()
}

fn draw() -> Vec<u32> {
    packet(Opcode::DRAW_INDEX_AUTO, &[3, 2])
}

fn set_context(dword: u32, values: &[u32]) -> Vec<u32> {
    packet(Opcode::SET_CONTEXT_REG, &[&[dword], values].concat())
}

const MEMORY: [u32; 64] = [0; 64];

/// A chip with 64 zeroed dwords at 0x1000, and nothing else.
fn processor<'a>(chip: Chip) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true).map("memory", 0x1000, &MEMORY);
    cp
}

/// Waits in ME until memory at 0x1000 is 7.
fn wait() -> Vec<u32> {
    packet(Opcode::WAIT_REG_MEM, &[0x13, 0x1000, 0, 7, u32::MAX, 4])
}

#[test]
fn pfp_runs_ahead_of_a_waiting_me_until_something_stops_it() {
    // engine_sel 1 (PFP) of WRITE_DATA, and 0 (ME)
    let write = |engine: u32| packet(Opcode::WRITE_DATA, &[engine << 30 | 5 << 8, 0x1000, 0, 7]);
    let sync = packet(Opcode::PFP_SYNC_ME, &[0]);
    let wait_in_pfp = packet(Opcode::WAIT_REG_MEM, &[0x113, 0x1000, 0, 7, u32::MAX, 4]);
    for (stream, errors) in
        [([wait(), write(1)].concat(), 0), ([wait(), write(0)].concat(), 1), ([wait(), sync, write(1)].concat(), 1), ([wait_in_pfp, write(1)].concat(), 1)]
    {
        let mut cp = processor(Chip::Navi31);
        cp.submit(Queue::Graphics, "main", &stream);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(log.errors().len(), errors, "{:?}", log.findings);
    }
}

/// The constant engine writes two dwords into its memory, dumps them to 0x1000 and counts; the draw engine waits for it.
fn constant_stream() -> Vec<u32> {
    [
        packet(Opcode::WRITE_CONST_RAM, &[0x20, 7, 8]),
        packet(Opcode::DUMP_CONST_RAM, &[0x20, 2, 0x1000, 0]),
        packet(Opcode::INCREMENT_CE_COUNTER, &[1]),
        packet(Opcode::WAIT_ON_DE_COUNTER_DIFF, &[1]),
        packet(Opcode::DUMP_CONST_RAM, &[0x20, 1, 0x1010, 0]),
    ]
    .concat()
}

#[test]
fn the_constant_engine_and_the_draw_engine_wait_for_each_other() {
    let main = [packet(Opcode::WAIT_ON_CE_COUNTER, &[0]), draw(), packet(Opcode::INCREMENT_DE_COUNTER, &[0])].concat();
    let constant = constant_stream();
    let mut cp = processor(Chip::Vega10);
    cp.submit(Queue::Graphics, "main", &main);
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    let mut log = Log::default();
    cp.run(&mut log);
    assert_eq!(log.errors(), [""; 0], "{:?}", log.findings);
    assert_eq!([0x1000, 0x1004, 0x1010].map(|addr| cp.memory(addr)), [Some(7), Some(8), Some(7)]);
    assert_eq!(cp.not_executed().count(), 0);
}

#[test]
fn the_selector_of_increment_ce_counter_says_which_counter_goes_up() {
    // 1 and 3 count the CE counter; 2 counts the CS counter alone, and 0 is invalid.
    let main = packet(Opcode::WAIT_ON_CE_COUNTER, &[0]);
    for (selector, counts) in [(1, true), (3, true), (2, false), (0, false)] {
        let constant = packet(Opcode::INCREMENT_CE_COUNTER, &[selector]);
        let mut cp = processor(Chip::Vega10);
        cp.submit(Queue::Graphics, "main", &main);
        cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(log.errors().is_empty(), counts, "{selector}: {:?}", log.findings);
    }
}

#[test]
fn a_counter_that_nobody_counts_is_a_hang() {
    // Without the draw engine's count the constant engine waits for ever; without the constant engine the draw engine does.
    let main = [packet(Opcode::WAIT_ON_CE_COUNTER, &[0]), draw()].concat();
    let constant = constant_stream();
    for (with_constant, queue) in [(true, "constant"), (false, "gfx")] {
        let mut cp = processor(Chip::Vega10);
        cp.submit(Queue::Graphics, "main", &main);
        if with_constant {
            cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
        }
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(log.errors(), ["SYN-18"], "{:?}", log.findings);
        assert!(log.findings.iter().any(|finding| finding.message.starts_with(&format!("{queue} waits for"))), "{:?}", log.findings);
    }
}

#[test]
fn chips_without_a_constant_engine_take_no_stream_for_it() {
    let constant = constant_stream();
    let mut cp = processor(Chip::Navi31);
    cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
    assert_eq!(cp.run(&mut ()).packets, 0);
}

#[test]
fn shadowed_registers_go_to_the_memory_that_they_are_loaded_from() {
    // CONTEXT_CONTROL: load and shadow context registers; LOAD_CONTEXT_REG of none at 0x1000 sets the base. 0x28004 is dword 1 of the window.
    let load = packet(Opcode::LOAD_CONTEXT_REG, &[0x1000, 0, 0, 0]);
    let enable = |bits: u32| packet(Opcode::CONTEXT_CONTROL, &[1 << 31 | 2, bits]);
    let write = set_context(1, &[0x55]);
    for (control, shadowed) in [(enable(1 << 31 | 2), 0x55), (enable(1 << 31), 0), (enable(2), 0)] {
        let stream = [control, load.clone(), write.clone()].concat();
        let mut cp = processor(Chip::Vega10);
        cp.submit(Queue::Graphics, "main", &stream);
        cp.run(&mut ());
        assert_eq!(cp.memory(0x1004), Some(shadowed));
        assert_eq!(cp.registers(Queue::Graphics).value(0x28004), Some(0x55));
    }
}

#[test]
fn a_roll_names_the_registers_that_changed_and_those_that_did_not() {
    let stream = [set_context(0x203, &[1]), set_context(0x105, &[2, 3]), draw(), set_context(0x105, &[2, 4]), draw(), draw()].concat();
    let mut cp = processor(Chip::Navi31);
    cp.submit(Queue::Graphics, "main", &stream);
    let mut log = Log::default();
    let summary = cp.run(&mut log);
    assert_eq!(log.draws[0], (None, vec![0x28414, 0x28418, 0x2880C], vec![]));
    assert_eq!(log.draws[1], (Some(RollSource::Write), vec![0x28418], vec![0x28414]));
    assert_eq!(log.draws[2], (None, vec![], vec![]));
    assert_eq!(summary.context_rolls, 1);
}

#[test]
fn registers_that_nothing_wrote_are_known_as_such() {
    // DB_DFSM_CONTROL is 0xd after reset, 0 after CLEAR_STATE; what DB_SHADER_CONTROL holds after reset nobody states.
    let mut cp = CommandProcessor::new(Chip::Vega10);
    assert_eq!([0x28060, 0x2880C].map(|addr| cp.registers(Queue::Graphics).state(addr)), [RegisterState::Reset(0xD), RegisterState::Unknown]);
    let clear = packet(Opcode::CLEAR_STATE, &[0]);
    cp.submit(Queue::Graphics, "main", &clear);
    cp.run(&mut ());
    assert_eq!([0x28060, 0x2880C].map(|addr| cp.registers(Queue::Graphics).state(addr)), [RegisterState::Cleared(0); 2]);
}

#[test]
fn clear_state_changes_what_was_written() {
    let stream = [set_context(0x203, &[1]), draw(), packet(Opcode::CLEAR_STATE, &[0]), draw()].concat();
    let mut cp = processor(Chip::Navi31);
    cp.submit(Queue::Graphics, "main", &stream);
    let mut log = Log::default();
    cp.run(&mut log);
    assert_eq!(log.draws[1], (Some(RollSource::ClearState), vec![0x2880C], vec![]));
}
