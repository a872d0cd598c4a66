//! Tapes: compute command buffers in `const fn`.

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId};
use pm4::packet::{Queue, Reader};
use pm4::queues::Pm4Buffer;
use pm4::regs::gfx11::ComputePgmRsrc1;
use pm4::tape::{Tape, TapeError, TapeProgram, TypedWord, in_aql, size};

const PROGRAM: u64 = 0x1_2345_6000;
const DATA: u64 = 0x2_0000_0000;

fn program() -> TapeProgram {
    TapeProgram { addr: PROGRAM, rsrc1: 0xC_0041, rsrc2: 4 << 1 | 1 << 7, rsrc3: 0, threads: [64, 1, 1] }
}

/// A chip of each generation.
const CHIPS: [Chip; 6] = [Chip::Vega10, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1150, Chip::Gfx1201];

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Every packet of a tape, each with its maximum number of dwords.
type Step = (&'static str, usize, fn(&mut Tape<'_>));

const STEPS: &[Step] = &[
    ("SET_SH_REG", size::PROGRAM, |tape| tape.program(&program())),
    ("SET_SH_REG", size::registers(4), |tape| tape.user_data(0, &[1, 2, 3, 4])),
    ("DISPATCH_DIRECT", size::DISPATCH, |tape| tape.dispatch([1, 2, 3], true)),
    ("EVENT_WRITE", size::EVENT, |tape| tape.wait_for_dispatches()),
    ("ACQUIRE_MEM", size::ACQUIRE, |tape| tape.acquire(0)),
    ("WRITE_DATA", size::write(2), |tape| tape.write(DATA, &[7, 8])),
    ("WAIT_REG_MEM", size::WAIT, |tape| tape.wait_memory(DATA, 7, u32::MAX)),
    ("RELEASE_MEM", size::RELEASE, |tape| tape.release(DATA + 8, 1 << 32 | 5, 0)),
];

#[test]
fn each_packet_is_as_long_as_its_constant_says() {
    for chip in CHIPS {
        for (name, most, write) in STEPS {
            let mut memory = [0; 64];
            let mut tape = Tape::new(chip.gfx(), &mut memory);
            write(&mut tape);
            let dwords = tape.finish().unwrap_or_else(|error| panic!("{name} on {chip}: {error}"));
            let fewer = chip.gfx() == Gfx::Gfx9 && matches!((*name, *most), ("ACQUIRE_MEM", _) | (_, size::PROGRAM));
            assert!(if fewer { dwords < *most } else { dwords == *most }, "{name} on {chip}: {dwords} of {most}");
            let first = Reader::new(&memory[..dwords]).next().expect("a packet").expect("a whole one");
            assert_eq!(first.name(chip.gfx()), Some(*name));
        }
    }
}

#[test]
fn the_model_finds_nothing_in_a_tape() {
    for chip in CHIPS {
        // The release of GFX9 is the one for compute queues.
        for queue in [QueueId::COMPUTE, QueueId::GRAPHICS].into_iter().take(if chip.gfx() == Gfx::Gfx9 { 1 } else { 2 }) {
            let mut memory = [0; 128];
            let mut tape = Tape::new(chip.gfx(), &mut memory);
            STEPS.iter().for_each(|(.., write)| write(&mut tape));
            tape.pad();
            let dwords = tape.finish().expect("it fits");
            let (code, data) = ([0; 64], [0; 64]);
            let mut cp = CommandProcessor::new(chip);
            cp.closed_memory(true).map("program", PROGRAM, &code);
            cp.map("data", DATA, &data);
            cp.submit_to(queue, "tape", None, &memory[..dwords]);
            let mut findings = Findings::default();
            let summary = cp.run(&mut findings);
            let found: Vec<String> = findings.0.iter().map(ToString::to_string).collect();
            assert_eq!((summary.dispatches, found), (1, vec![]), "{chip} {queue:?}");
            assert_eq!((cp.memory(DATA), cp.memory(DATA + 4), cp.memory(DATA + 8), cp.memory(DATA + 12)), (Some(7), Some(8), Some(5), Some(1)), "{chip}");
        }
    }
}

/// The state of a program as a constant array.
const STATE: [u32; size::PROGRAM] = {
    let mut words = [0; size::PROGRAM];
    let mut tape = Tape::new(Gfx::Gfx11, &mut words);
    tape.program(&TapeProgram {
        addr: PROGRAM,
        rsrc1: TypedWord::<ComputePgmRsrc1>::new().with(ComputePgmRsrc1::VGPRS, 3).with(ComputePgmRsrc1::MEM_ORDERED, 1).word(),
        rsrc2: 8,
        rsrc3: 0,
        threads: [64, 1, 1],
    });
    tape.expect_whole();
    words
};

#[test]
fn a_build_makes_arrays_of_packets() {
    let register = ComputePgmRsrc1::from(0).with_vgprs(3).with_mem_ordered(true);
    assert_eq!(STATE[..8], [0xC002_7602, 0x20C, 0x0123_4560, 0, 0xC002_7602, 0x212, u32::from(register), 8]);
    let mut memory = [0; size::SET];
    let mut tape = Tape::new(Gfx::Gfx11, &mut memory);
    tape.set(TypedWord::from(register));
    assert_eq!(tape.finish(), Ok(3));
    assert_eq!(memory, [0xC001_7602, 0x212, u32::from(register)]);
}

#[test]
fn what_does_not_fit_is_counted_and_what_is_wrong_is_told() {
    let mut memory = [9; 7];
    let mut tape = Tape::new(Gfx::Gfx11, &mut memory);
    tape.dispatch([1, 1, 1], false);
    tape.dispatch([1, 1, 1], false);
    assert_eq!(tape.finish(), Err(TapeError::Full { wanted: 10, room: 7 }));
    assert_eq!(memory[5..], [9, 9]);
    let failed = |write: fn(&mut Tape<'_>)| {
        let mut memory = [0; 64];
        let mut tape = Tape::new(Gfx::Gfx11, &mut memory);
        write(&mut tape);
        let error = tape.finish().unwrap_err();
        assert_eq!(memory, [0; 64], "{error}");
        error
    };
    assert_eq!(failed(|tape| tape.write(2, &[1])), TapeError::Misaligned { addr: 2, align: 4 });
    assert_eq!(failed(|tape| tape.write(1 << 48, &[1])), TapeError::Beyond(1 << 48));
    assert_eq!(failed(|tape| tape.program(&TapeProgram { addr: 64, ..program() })), TapeError::Misaligned { addr: 64, align: 256 });
    assert_eq!(failed(|tape| tape.user_data(14, &[0; 3])), TapeError::Window { addr: 0xB938, count: 3 });
    assert_eq!(failed(|tape| tape.registers(0x2_8000, &[0])), TapeError::Window { addr: 0x2_8000, count: 1 });
    assert_eq!(failed(|tape| tape.write(0, &[])), TapeError::Size(4));
    assert_eq!(failed(|tape| tape.chain(0, 1 << 20)), TapeError::Size(1 << 20));
}

#[test]
fn a_chain_and_arguments_in_memory_are_packets_of_the_model() {
    for chip in CHIPS {
        let mut memory = [0; 64];
        let mut tape = Tape::new(chip.gfx(), &mut memory);
        tape.program(&program());
        tape.dispatch_indirect(DATA, 8, false);
        tape.pad();
        tape.chain(0x10_0000, 8);
        let dwords = tape.finish().expect("it fits");
        let (code, data, next) = ([0; 64], [1; 64], [0xFFFF_1000; 8]);
        let mut cp = CommandProcessor::new(chip);
        for (name, addr, words) in [("program", PROGRAM, &code[..]), ("data", DATA, &data), ("next", 0x10_0000, &next)] {
            cp.map(name, addr, words);
        }
        cp.submit(Queue::Graphics, "tape", &memory[..dwords]);
        let mut findings = Findings::default();
        let summary = cp.run(&mut findings);
        let errors: Vec<String> = findings.0.iter().filter(|finding| finding.code != "STA-55").map(ToString::to_string).collect();
        assert_eq!((summary.dispatches, errors), (1, vec![]), "{chip}");
    }
}

#[test]
fn pm4_in_aql_is_one_call() {
    let packet = Pm4Buffer { addr: 0x1_2345_6000, dwords: 16, completion_signal: 0x7F00_1000 };
    assert_eq!(in_aql(packet.addr, packet.dwords, packet.completion_signal).to_vec(), packet.words().expect("a packet"));
}
