//! Fills, copies and updates of memory by the command processor, executed on the model and compared dword for dword with a reference.

use crate::support::draws::pick;
use crate::support::property;
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::sync::{Access, Order, SyncMemory};
use pm4::draw::*;
use pm4::packet::{Opcode, Queue, Reader, Writer};
use quickcheck::{Arbitrary, Gen};

/// The address of the memory, and its dwords.
const MEMORY: u64 = 0x7FFF_1234_0000;
const DWORDS: u64 = 256;

/// An operation on memory; places and sizes are in dwords.
#[derive(Debug, Clone)]
enum Verb {
    Fill { at: u64, dwords: u64, value: u32 },
    Copy { from: u64, to: u64, dwords: u64 },
    Update { at: u64, words: Vec<u32> },
    Values { from: u64, stride: u64, to: u64, values: u64 },
}

#[derive(Debug, Clone)]
struct Case {
    chip: Chip,
    queue: Queue,
    verbs: Vec<(Verb, bool)>,
}

fn verb(g: &mut Gen) -> Verb {
    let mut below = |limit: u64| u64::arbitrary(g) % limit;
    let (at, other, dwords) = (below(DWORDS), below(DWORDS), 1 + below(40));
    match below(4) {
        0 => Verb::Fill { at, dwords: dwords.min(DWORDS - at), value: u32::arbitrary(g) },
        1 => Verb::Copy { from: at, to: other, dwords: dwords.min(DWORDS - at).min(DWORDS - other).min(at.abs_diff(other)) },
        2 => Verb::Update { at, words: (0..dwords.min(DWORDS - at)).map(|_| u32::arbitrary(g)).collect() },
        _ => Verb::Values { from: at & 0x7E, stride: 2 * below(4), to: 0x80 | other & 0x3E, values: 1 + below(8) },
    }
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &Chip::all().collect::<Vec<_>>());
        let verbs = (0..1 + usize::arbitrary(g) % 12).map(|_| (verb(g), bool::arbitrary(g))).collect();
        Self { chip, queue: pick(g, &[Queue::Graphics, Queue::Compute]), verbs }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        Box::new((0..self.verbs.len()).map(move |at| {
            let mut fewer = whole.clone();
            fewer.verbs.remove(at);
            fewer
        }))
    }
}

#[derive(Default)]
struct Found(Vec<String>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity > Severity::Info {
            self.0.push(finding.to_string());
        }
    }
}

fn begun(chip: Chip, queue: Queue) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
    recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
    if queue == Queue::Graphics { recorder.begin() } else { recorder.begin_compute() }.expect("a preamble");
    recorder
}

fn address(dword: u64) -> u64 {
    MEMORY + 4 * dword
}

/// Any sequence of operations, with or without the accesses around them, leaves the same memory as a simple reference, and no rule reports anything.
#[test]
fn operations_on_memory_leave_what_they_say() {
    fn holds(case: Case) -> Result<(), String> {
        let Case { chip, queue, verbs } = case;
        let mut recorder = begun(chip, queue);
        let start: Vec<u32> = (0..DWORDS as u32).map(|at| 0x1000 + at).collect();
        let mut expected = start.clone();
        for (verb, around) in &verbs {
            let order = if *around { Order::between(Access::ComputeWrite, Access::ComputeRead | Access::IndirectRead) } else { Order::default() };
            let done = match verb {
                Verb::Fill { at, dwords, value } => {
                    expected[*at as usize..(at + dwords) as usize].fill(*value);
                    recorder.fill_buffer(address(*at), 4 * dwords, *value, order)
                }
                Verb::Copy { dwords: 0, .. } => continue,
                Verb::Copy { from, to, dwords } => {
                    expected.copy_within(*from as usize..(from + dwords) as usize, *to as usize);
                    recorder.copy_buffer(address(*from), address(*to), 4 * dwords, order)
                }
                Verb::Update { at, words } => {
                    expected[*at as usize..][..words.len()].copy_from_slice(words);
                    recorder.update_buffer(address(*at), words, order)
                }
                Verb::Values { from, stride, to, values } => {
                    for value in 0..*values {
                        let (from, to) = ((from + value * stride) as usize, (to + 2 * value) as usize);
                        expected.copy_within(from..from + 2, to);
                    }
                    recorder.copy_values(address(*from), 4 * stride, address(*to), *values, order)
                }
            };
            done.map_err(|error| format!("{verb:?}: {error}"))?;
        }
        let words = recorder.finish().map_err(|error| error.to_string())?;
        let mut cp = CommandProcessor::new(chip);
        cp.closed_memory(true);
        cp.map("fence", 0x1000, &[0; 2]);
        cp.map("zpass", 0x2000, &[0; 64]);
        cp.map("memory", MEMORY, &start);
        cp.submit(queue, "operations", &words);
        let mut found = Found::default();
        cp.run(&mut found);
        if let Some(finding) = found.0.first() {
            return Err(format!("{chip} {queue:?}: {finding}"));
        }
        let wrong = (0..DWORDS).find(|at| cp.memory(address(*at)) != Some(expected[*at as usize]));
        wrong.map_or(Ok(()), |at| Err(format!("{chip} {queue:?}: dword {at} is {:x?}, not {:#x}", cp.memory(address(at)), expected[at as usize])))
    }
    property("operations on memory", 300, holds as fn(Case) -> Result<(), String>);
}

/// Operations larger than a packet are split without gaps and overlaps, including data in the stream.
#[test]
fn what_a_packet_cannot_hold_is_split() {
    for chip in Chip::all() {
        for queue in [Queue::Graphics, Queue::Compute] {
            let mut recorder = begun(chip, queue);
            let before = recorder.words().len();
            let (from, to, bytes) = (0x1_0000_0000, 0x2_0000_0000, (100 << 20) + 4);
            recorder.copy_buffer(from, to, bytes, Order::default()).expect("room");
            let parts: Vec<[u64; 3]> = Reader::new(&recorder.words()[before..])
                .flatten()
                .filter(|packet| packet.opcode() == Some(Opcode::DMA_DATA) && packet.body[5] & 0x3FF_FFFF != 0)
                .map(|packet| {
                    let at = |place: usize| u64::from(packet.body[place]) | u64::from(packet.body[place + 1]) << 32;
                    [at(1), at(3), u64::from(packet.body[5] & 0x3FF_FFFF)]
                })
                .collect();
            assert_eq!(parts.len(), 4, "{chip}");
            let mut done = 0;
            for [source, target, part] in parts {
                assert_eq!((source, target), (from + done, to + done), "{chip}");
                assert!(part <= 32 << 20, "{chip}: {part}");
                done += part;
            }
            assert_eq!(done, bytes, "{chip}");
            let words: Vec<u32> = (0..20_000).collect();
            let before = recorder.words().len();
            recorder.update_buffer(to, &words, Order::default()).expect("room");
            let written: Vec<u32> = Reader::new(&recorder.words()[before..])
                .flatten()
                .filter(|packet| packet.opcode() == Some(Opcode::WRITE_DATA))
                .flat_map(|packet| packet.body[3..].to_vec())
                .collect();
            assert_eq!(written, words, "{chip}");
        }
    }
}

/// Operations that the engine cannot do, or that no source describes, are refused and write nothing.
#[test]
fn operations_on_memory_that_cannot_be_are_refused() {
    for chip in Chip::all() {
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        let none = Order::default();
        let refused = [
            recorder.fill_buffer(0x1002, 16, 0, none),
            recorder.fill_buffer(0, 16, 0, none),
            recorder.fill_buffer(0x1000, 0, 0, none),
            recorder.fill_buffer(0x1000, 6, 0, none),
            recorder.fill_buffer((1 << 48) - 8, 16, 0, none),
            recorder.fill_buffer(u64::MAX - 7, 16, 0, none),
            recorder.copy_buffer(0x1000, 0x1008, 16, none),
            recorder.copy_buffer(0x1001, 0x2000, 16, none),
            recorder.copy_buffer(0x1000, 0x2002, 16, none),
            recorder.update_buffer(0x1000, &[], none),
            recorder.update_buffer(0x1001, &[1], none),
            recorder.copy_values(0x1004, 8, 0x2000, 1, none),
            recorder.copy_values(0x1000, 4, 0x2000, 2, none),
            recorder.copy_values(0x1000, 8, 0x2000, 0, none),
            recorder.copy_values(0x1000, u64::MAX, 0x2000, 3, none),
            recorder.write_top_timestamp(0x1004),
            recorder.mark(1, Some(2)),
        ];
        for (at, result) in refused.iter().enumerate() {
            let error = result.as_ref().err().unwrap_or_else(|| panic!("{chip}: case {at} was taken"));
            assert!(matches!(error, RecordError::Range { .. } | RecordError::Call(CallError::Address { .. })), "{chip}: {error}");
        }
        assert_eq!(recorder.words().len(), before, "{chip}");
        let mut early = Recorder::new(chip);
        assert_eq!(early.fill_buffer(0x1000, 16, 0, none), Err(RecordError::NotBegun), "{chip}");
        // Without room for all of it, nothing is written.
        let mut memory = vec![0; before + 9];
        let mut short = Recorder::fixed(chip, &mut memory);
        short.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        short.begin().expect("room");
        assert!(short.fill_buffer(0x1000, 16, 0, none).is_err() && short.words().len() == before, "{chip}");
    }
}

/// A timestamp at the top of the pipe is a copy of the clock, and a mark is a NOP that dumps show.
#[test]
fn time_stamps_and_marks_are_radvs() {
    for chip in Chip::all() {
        for queue in [Queue::Graphics, Queue::Compute] {
            let mut recorder = begun(chip, queue);
            let before = recorder.words().len();
            recorder.write_top_timestamp(0x12_3456_7800).expect("room");
            // COPY_DATA: the clock (9) to memory (5), 64 bits, with write confirm (Mesa 25.0.7 radv_CmdWriteTimestamp2).
            assert_eq!(recorder.words()[before..], [0xC004_4000, 1 << 20 | 1 << 16 | 5 << 8 | 9, 0, 0, 0x3456_7800, 0x12], "{chip} {queue:?}");
            let before = recorder.words().len();
            recorder.mark(0x1234, Some(0x3000)).expect("room");
            let opcodes: Vec<_> = Reader::new(&recorder.words()[before..]).flatten().map(|packet| packet.opcode()).collect();
            assert_eq!(opcodes, [Some(Opcode::WRITE_DATA), Some(Opcode::NOP)], "{chip} {queue:?}");
            assert_eq!(recorder.words().last(), Some(&0xCAFE_1234), "{chip} {queue:?}");
        }
    }
}
