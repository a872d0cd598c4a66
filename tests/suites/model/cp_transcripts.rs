//! The effects of small streams on the model, in full, one line per observation: `golden/model/`.
//!
//! * `waits.txt`: random packets that write, wait and signal, on one to three queues, with each setting of the model in turn.
//! * `packets.txt`: each packet of each queue with random fields, after a prefix that gives registers and memory known values; the columns are six chips.
//!   `packets_unmapped.txt`: the same with their addresses unmapped.
//! * `streams.txt`: random packets on up to three queues, with few addresses, so that packets interact in memory.
//! * `random.txt`: more random programs, of which only hashes of such lines are stored, with the rules that trip.
//! * `captures.txt`: the number of each observation in the captures of this repository.
//!
//! After a change of the model, rewrite them (`PM4_WRITE_GOLDEN=1 cargo test --test model cp_transcripts`) and check the difference: each line must agree
//! with the sources of the packet in `regdb/packets`.
use crate::chip_table::{assert_table, name};
use crate::conformance::{run_on, submits};
use crate::cp_properties::{self, Commands};
use crate::cp_random_waits::{self as waits, Op, random_queues, submit_all};
use crate::cp_reference::{OFTEN, stream};
use crate::golden;
use crate::random_packets::{CODE, CODE_DWORDS, DATA, MEMORY, Seat, packet, prefix, queue_id, seats};
use crate::streams::{dispatch, draw, event, fence, load_context, one, predicated, raw_packet, reg, wait, write};
use crate::support::captured::small_captures;
use pm4::chip::Chip;
use pm4::cp::*;
use pm4::packet::gfx11::ReleaseMem;
use pm4::packet::values::ReleaseMemIntSel;
use pm4::packet::{EffectKinds, Event, Header, Opcode, Packet, Queue, Reader};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines of an observer: the first findings of each rule, and this many other lines for each packet.
struct Transcript {
    chip: Chip,
    most: usize,
    /// Whether packets have lines.
    packets: bool,
    /// Other lines of the current packet.
    count: usize,
    findings: BTreeMap<&'static str, u64>,
    lines: Vec<String>,
}

/// Maximum number of findings of one rule that are printed; the others are counted.
const MOST_FINDINGS: u64 = 2;

/// Maximum number of words of a packet that are printed.
const MOST_WORDS: usize = 8;

impl Transcript {
    fn new(chip: Chip, most: usize, packets: bool) -> Self {
        Self { chip, most, packets, count: 0, findings: BTreeMap::new(), lines: Vec::new() }
    }

    fn put(&mut self, line: impl FnOnce() -> String) {
        if self.count < self.most {
            self.lines.push(line());
        }
        self.count += 1;
    }

    fn end_packet(&mut self) {
        if self.count > self.most {
            self.lines.push(format!("and {} more", self.count - self.most));
        }
        self.count = 0;
    }

    fn end(mut self) -> Vec<String> {
        self.end_packet();
        let more = self.findings.iter().filter(|(_, count)| **count > MOST_FINDINGS);
        self.lines.extend(more.map(|(code, count)| format!("{} more of {code}", count - MOST_FINDINGS)));
        self.lines
    }
}

/// Memory of these tests by name, to keep lines short.
fn memory(addr: u64) -> String {
    match addr {
        DATA..CODE => format!("data+{:#x}", addr - DATA),
        CODE..0x1_0100_0000 => format!("code+{:#x}", addr - CODE),
        _ => format!("{addr:#x}"),
    }
}

fn state(state: RegisterState) -> String {
    match state {
        RegisterState::Written(value) => format!("{value:#x}"),
        other => format!("{other:x?}"),
    }
}

fn finding(finding: &Finding) -> String {
    let Finding { code, severity, place, register, field, message, notes, count, .. } = finding;
    let at = [Some(place.to_string()), register.clone(), field.map(str::to_owned)].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
    let note = |note: &Note| format!(" | note{}: {}", note.place.map_or_else(String::new, |place| format!(" at {place}")), note.text);
    format!("{severity}[{code}]{times} {at}: {message}{}", notes.iter().map(note).collect::<String>())
}

/// A draw or dispatch, and each call of it.
fn work(view: &DrawView<'_>) -> String {
    let roll = view.roll();
    let mut text = format!("{} {} {roll:?}", view.name(), view.index());
    let calls = view.call_count();
    write!(text, " calls {calls:?}").expect("text");
    for number in 0..calls.unwrap_or(0).min(3) {
        let call = view.call(number);
        write!(text, " {call:x?}").expect("text");
        if let Some(WorkCall::Vertices(call)) = call {
            write!(text, " {:x?}", view.indices(&call, 3)).expect("text");
        }
    }
    text
}

impl Observer for Transcript {
    fn interest(&self) -> Interest {
        if self.most > 0 { Interest::REGISTERS.or(Interest::MEMORY).or(Interest::EVENTS).or(Interest::DROPPED) } else { Interest::NONE }
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        if self.packets {
            self.end_packet();
            let name = packet.name(self.chip.gfx()).unwrap_or("a packet without a name");
            let words = &packet.body[..packet.body.len().min(MOST_WORDS)];
            self.lines.push(format!("{place} {queue:?} {name} {words:x?}"));
        }
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        self.put(|| format!("draw: {}", work(view)));
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.put(|| format!("dispatch: {}", work(view)));
    }

    fn finding(&mut self, found: &Finding) {
        let count = self.findings.entry(found.code).or_default();
        *count += 1;
        if *count <= MOST_FINDINGS {
            self.lines.push(finding(found));
        }
    }

    fn dropped(&mut self, _: Queue, place: Place, packet: &Packet<'_>) {
        self.put(|| format!("dropped: {:?} at {place}", packet.opcode()));
    }

    fn register_written(&mut self, change: &RegisterChange) {
        let chip = self.chip;
        self.put(|| format!("{} of {} = {}", name(chip, change.addr), change.queue, state(change.state)));
    }

    fn memory_read(&mut self, read: &MemoryRead) {
        self.put(|| format!("reads {} bytes at {}", read.bytes, read.addr.map_or("an unknown place".into(), memory)));
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        let value = write.value.map_or("unknown".into(), |value| format!("{value:#x}"));
        self.put(|| format!("{} = {value}{}", memory(write.addr), if write.place.is_none() { " by no packet" } else { "" }));
    }

    fn event(&mut self, event: &EventSeen) {
        self.put(|| format!("event {:?} of {}", event.event, event.queue));
    }

    fn end_of_pipe(&mut self, event: &EventSeen) {
        self.put(|| format!("end of pipe {:?} of {}", event.event, event.queue));
    }

    fn interrupt(&mut self, interrupt: &InterruptSent) {
        self.put(|| format!("interrupt {} with context {:#x}", interrupt.select, interrupt.context));
    }
}

fn operation(op: Op) -> String {
    let who = |pfp| if pfp { "PFP " } else { "" };
    match op {
        Op::Write { pfp, at, value } => format!("{}[{at}] = {value}", who(pfp)),
        Op::Add { at, value } => format!("[{at}] += {value}"),
        Op::Release { at, value } => format!("end of pipe [{at}] = {value}"),
        Op::Wait { pfp, at, wide, function, mask, reference } => {
            let function = ["always", "<", "<=", "==", "!=", ">=", ">"][function as usize];
            let (wide, mask) = (if wide { "64-bit " } else { "" }, if mask == 1 { " & 1" } else { "" });
            format!("{}wait {wide}[{at}]{mask} {function} {reference}", who(pfp))
        }
        Op::Sync => "PFP waits for ME".into(),
    }
}

/// A setting of the model under which waits run.
type Setting = (&'static str, fn(&mut CommandProcessor<'_>));

const SETTINGS: [Setting; 5] = [
    ("all memory is known", |cp| {
        cp.closed_memory(true);
    }),
    ("packets and pipe ends in any order", |cp| {
        cp.closed_memory(true).relaxed_order(true);
    }),
    ("the application writes the first dword", |cp| {
        cp.closed_memory(true).expect_write(waits::MEMORY.into(), 4, "the application");
    }),
    ("something before the streams is not known", |cp| {
        cp.partial();
    }),
    ("streams of at most 40 dwords", |cp| {
        cp.closed_memory(true).max_dwords(40);
    }),
];

#[test]
fn waits_and_signals_of_several_queues() {
    static ZEROES: [u32; waits::DWORDS] = [0; waits::DWORDS];
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    let waits = |queues: &[Vec<Op>]| queues.iter().flatten().any(|op| matches!(op, Op::Wait { .. }));
    let programs = (1000..).map(|seed| random_queues(&mut Gen::from_size_and_seed(10, seed))).filter(|queues| waits(queues));
    for (queues, number) in programs.take(300).zip(0..) {
        let streams: Vec<Vec<u32>> = queues.iter().map(|ops| ops.iter().flat_map(|op| op.words()).collect()).collect();
        let (setting, set) = SETTINGS[if number < 150 { 0 } else { number % SETTINGS.len() }];
        writeln!(text, "{number}: {setting}").expect("text");
        for (ops, queue) in queues.iter().zip(0..) {
            writeln!(text, "    {}: {}", QueueId(queue), ops.iter().map(|op| operation(*op)).collect::<Vec<_>>().join("; ")).expect("text");
        }
        let streams: &'static [Vec<u32>] = streams.leak();
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("memory", waits::MEMORY.into(), &ZEROES);
        set(&mut cp);
        submit_all(&mut cp, streams);
        let mut seen = Transcript::new(Chip::Navi31, 0, false);
        let summary = cp.run(&mut seen);
        let after: Vec<String> =
            (0..4u64).map(|dword| cp.memory(u64::from(waits::MEMORY) + 4 * dword).map_or("unknown".into(), |value| value.to_string())).collect();
        for line in seen.end() {
            writeln!(text, "    > {line}").expect("text");
        }
        writeln!(text, "    {} packets, memory {}", summary.packets, after.join(" ")).expect("text");
    }
    golden::assert_golden("model/waits.txt", &text);
}

/// Two observers of a pair, owned or borrowed, see what a single observer sees.
#[test]
fn two_observers_receive_the_same_calls() {
    let words: &[u32] = [
        reg(Chip::Navi31, "DB_SHADER_CONTROL", 1),
        event(Chip::Navi31, Event::VS_PARTIAL_FLUSH),
        one(&ReleaseMem { int_sel: ReleaseMemIntSel::SEND_INTERRUPT_AFTER_WRITE_CONFIRM, ..fence(DATA, 7) }),
        wait(DATA, 7),
        write(DATA + 8, &[1, 2]),
        load_context(0x203),
        raw_packet(Opcode::SET_PREDICATION, &[3 << 16, (DATA + 16) as u32, (DATA >> 32) as u32]),
        predicated(draw()),
        dispatch(),
        draw(),
    ]
    .concat()
    .leak();
    let run = |observer: &mut dyn Observer| {
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("data", DATA, &MEMORY);
        cp.submit(Queue::Graphics, "stream", words);
        cp.run(observer);
    };
    let transcript = || Transcript::new(Chip::Navi31, 99, true);
    let mut alone = transcript();
    run(&mut alone);
    let (mut pair, mut other) = ((transcript(), transcript()), transcript());
    run(&mut pair);
    run(&mut (&mut other, ()));
    let alone = alone.end();
    for what in ["draw: ", "dispatch: ", "dropped: ", "reads ", "event ", "end of pipe ", "interrupt ", "DB_SHADER_CONTROL of ", "[", " Graphics "] {
        assert!(alone.iter().any(|line| line.contains(what)), "{what}: {alone:#?}");
    }
    assert_eq!(pair.0.end(), alone);
    assert_eq!(pair.1.end(), alone);
    assert_eq!(other.end(), alone);
}

/// A model with known registers and memory.
fn prepared(chip: Chip, queue: Queue) -> CommandProcessor<'static> {
    static CODE_WORDS: [u32; CODE_DWORDS] = [0xFFFF_1000; CODE_DWORDS];
    let mut cp = CommandProcessor::new(chip);
    cp.map("data", DATA, &MEMORY);
    cp.map("code", CODE, &CODE_WORDS);
    let seat = seats().into_iter().find(|seat| seat.chip == chip && seat.queue == queue).expect("a packet of the queue");
    cp.submit_to(queue_id(&seat), "prefix", None, prefix(queue, true).leak());
    cp.run(&mut ());
    cp
}

/// Random bodies of each packet, at least one per layout, and lines kept for each.
const SAMPLES: usize = 3;
const MOST_LINES: usize = 12;

/// Each packet on each queue, in models prepared by `model`; at least `samples` random bodies.
fn each_packet(table: &str, samples: usize, model: impl Fn(Chip, Queue) -> CommandProcessor<'static>) {
    let all = seats();
    let mut places = BTreeMap::<(&str, &str), Vec<&Seat>>::new();
    for seat in all.iter().filter(|seat| seat.queue == seat.read_as) {
        let queue = match seat.queue {
            Queue::Graphics => "gfx",
            Queue::Compute => "compute",
            Queue::Constant => "constant",
        };
        places.entry((seat.format.name, queue)).or_default().push(seat);
    }
    let mut models = BTreeMap::<(u8, u8), CommandProcessor<'static>>::new();
    for seat in &all {
        models.entry((seat.chip as u8, seat.queue as u8)).or_insert_with(|| model(seat.chip, seat.queue));
    }
    let changes: Vec<(String, Vec<&Seat>)> = places.into_iter().map(|((name, queue), seats)| (format!("{name} on {queue}"), seats)).collect();
    assert_table(
        "tests/suites/model/cp_transcripts.rs",
        table,
        |_| Vec::new(),
        &changes,
        |chip, seats| {
            let own: Vec<&&Seat> = seats.iter().filter(|seat| seat.chip.gfx() == chip.gfx()).collect();
            let mut lines = Vec::new();
            for (sample, seat) in own.iter().cycle().take(samples.max(own.len())).enumerate() {
                let g = &mut Gen::from_size_and_seed(20, 7 + sample as u64);
                let mut words = packet(g, seat, 0x40);
                if sample % 2 == 1 {
                    words[0] = Header(words[0]).with_predicate(false).0;
                }
                let mut cp = models[&(seat.chip as u8, seat.queue as u8)].snapshot();
                cp.submit_to(queue_id(seat), "packet", None, words.leak());
                let mut seen = Transcript::new(seat.chip, MOST_LINES, false);
                cp.run(&mut seen);
                let gfx = seat.gfx().to_string();
                lines.extend(seen.end().into_iter().map(|line| format!("{sample}: {}", line.replace(&gfx, "the generation"))));
            }
            lines
        },
    );
}

#[test]
fn what_each_packet_does() {
    each_packet("model/packets", SAMPLES, prepared);
}

/// Registers are known, and memory is mapped at other addresses: reads and writes of packets there are printed.
#[test]
fn what_each_packet_does_without_its_memory() {
    each_packet("model/packets_unmapped", 1, |chip, queue| {
        let mut cp = CommandProcessor::new(chip);
        cp.map("elsewhere", 0x7000_0000_0000, &[1, 2, 3, 4]);
        let seat = seats().into_iter().find(|seat| seat.chip == chip && seat.queue == queue).expect("a packet of the queue");
        cp.submit_to(queue_id(&seat), "prefix", None, prefix(queue, true).leak());
        cp.run(&mut ());
        cp
    });
}

/// Packets of the streams: packets per queue, dwords of memory that contain their addresses, and lines kept for each packet.
const PACKETS: usize = 8;
const FEW: u32 = 0x20;
const LINES_OF_PACKET: usize = 4;

const STREAMS: usize = 120;

/// DMA_DATA from unknown memory to the first dwords of the memory, so that what packets read there is in doubt.
const UNKNOWN_WORDS: [u32; 7] = [Header::type3(Opcode::DMA_DATA, 6).0, 0xE030_0000, 0, 0x90, DATA as u32, (DATA >> 32) as u32, 0x20];

#[test]
fn what_random_streams_do() {
    let all = seats();
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    let chips: BTreeMap<u8, Chip> = all.iter().map(|seat| (seat.chip as u8, seat.chip)).collect();
    for (number, chip) in (0..STREAMS).zip(chips.values().copied().cycle()) {
        let g = &mut Gen::from_size_and_seed(20, 500 + number as u64);
        let (setting, set) = RUNS[number / 6 % RUNS.len()];
        let title = format!("{number}: {chip}, {setting}");
        if !golden::sampled(&title) {
            continue;
        }
        let mut queues = vec![Queue::Graphics];
        queues.extend((number % 2 == 1).then_some(Queue::Compute));
        queues.extend((chip.gfx().has_constant_engine() && number % 3 == 0).then_some(Queue::Constant));
        let mut cp = prepared(chip, Queue::Graphics);
        if number / 6 % 2 == 1 {
            cp.submit(Queue::Graphics, "unknown words", &UNKNOWN_WORDS);
            cp.run(&mut ());
        }
        set(&mut cp);
        for queue in queues {
            let quiet = |seat: &&Seat| {
                let kinds = seat.format.opcode(chip.gfx()).expect("an opcode").effect_kinds(chip.gfx());
                !kinds.intersects(EffectKinds::ANYTHING) && seat.queue == seat.read_as
            };
            let here: Vec<&Seat> = all.iter().filter(|seat| seat.chip == chip && seat.queue == queue).filter(quiet).collect();
            let often: Vec<&Seat> = here.iter().filter(|seat| OFTEN.iter().any(|often| seat.format.opcode(chip.gfx()) == Some(*often))).copied().collect();
            let words = stream(g, &here, &often, PACKETS, FEW).leak();
            cp.submit_to(queue_id(here[0]), "stream", None, words);
        }
        let mut seen = Transcript::new(chip, LINES_OF_PACKET, true);
        cp.run(&mut seen);
        writeln!(text, "{title}").expect("text");
        seen.end().iter().for_each(|line| writeln!(text, "    {line}").expect("text"));
        writeln!(text, "    {:?}", cp.summary()).expect("text");
    }
    golden::assert_parts_of_golden("model/streams.txt", &text, |line| (!line.starts_with([' ', '#'])).then(|| golden::sampled(line)));
}

/// Programs per line of `random.txt`, and the number of lines.
const PROGRAMS: u64 = 8;
const LINES: u64 = 100;

/// Packets with registers, memory, fences, waits, conditions and calls on one or two queues, with every rule on; whole and in pieces, with known and unknown
/// memory.
#[test]
fn what_random_programs_do() {
    static ZEROES: [u32; 64] = [0; 64];
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    for line in 0..LINES {
        let title = format!("programs {} to {}", PROGRAMS * line, PROGRAMS * (line + 1) - 1);
        if !golden::sampled(&title) {
            continue;
        }
        let (mut all, mut found) = (golden::digest(""), BTreeMap::<&str, u64>::new());
        for number in PROGRAMS * line..PROGRAMS * (line + 1) {
            let g = &mut Gen::from_size_and_seed(30, 9000 + number);
            let first = Commands::arbitrary(g);
            let second = std::iter::repeat_with(|| Commands::arbitrary(g)).find(|other| other.chip == first.chip).expect("one");
            let called = cp_properties::called(first.chip);
            let mut cp = cp_properties::model(first.chip);
            cp_properties::prepare(&mut cp, &called);
            if number % 2 == 0 {
                cp.map("zeroes", 0x80_0000_1000, &ZEROES);
            }
            let (setting, set) = RUNS[number as usize / 2 % RUNS.len()];
            set(&mut cp);
            cp.board(BoardFacts { shader_engines: Some(number as u32 % 5), cus_per_array: Some(4 + number as u32 % 7) });
            let (words, beside) = (first.words(), second.words());
            let mut seen = Transcript::new(first.chip, 20, true);
            if number % 3 == 0 {
                let stream = cp.begin(cp_properties::id(first.queue), "stream");
                for piece in first.pieces(number % 2 == 0) {
                    cp.feed(stream, &piece, &mut seen);
                }
                cp.finish(stream, &mut seen);
            } else {
                cp.submit_to(cp_properties::id(first.queue), "stream", None, &words);
            }
            if number % 4 != 0 {
                cp.submit_to(cp_properties::id(second.queue), "beside", None, &beside);
            }
            cp.run(&mut seen);
            seen.findings.iter().for_each(|(code, count)| *found.entry(code).or_default() += count);
            let lines = seen.end().join("\n");
            all = golden::digest_after(all, &format!("{setting} {lines} {:?}", cp.summary()));
        }
        let found: String = found.iter().map(|(code, count)| format!(" {code} {count}")).collect();
        writeln!(text, "{title}: {all:016x}{found}").expect("text");
    }
    golden::assert_parts_of_golden("model/random.txt", &text, |line| Some(golden::sampled(line.split_once(": ")?.0)));
}

/// The number of each observation.
#[derive(Default)]
struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, what: impl Into<String>, times: u64) {
        *self.0.entry(what.into()).or_default() += times;
    }
}

impl Observer for Counts {
    fn interest(&self) -> Interest {
        Interest::REGISTERS.or(Interest::MEMORY).or(Interest::EVENTS).or(Interest::DROPPED)
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        self.add(view.name(), 1);
        let roll = view.roll();
        self.add(format!("rolls {:?}", roll.source), 1);
        if let Some(WorkCall::Vertices(call)) = view.call(0) {
            self.add("vertices", call.count.unwrap_or(0).into());
            self.add("instances", call.instances.unwrap_or(0).into());
            self.add("index bytes", call.indices.and_then(|indices| indices.bytes).unwrap_or(0).into());
        }
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.add(view.name(), 1);
        if let Some(WorkCall::Groups(groups)) = view.call(0) {
            self.add("workgroups", groups.iter().map(|groups| u64::from(groups.unwrap_or(0))).product());
        }
    }

    fn finding(&mut self, finding: &Finding) {
        self.add(format!("{}[{}]", finding.severity, finding.code), finding.count);
    }

    fn dropped(&mut self, _: Queue, _: Place, _: &Packet<'_>) {
        self.add("packets that a predicate drops", 1);
    }

    fn register_written(&mut self, change: &RegisterChange) {
        self.add(if change.state.known().is_some() { "registers that get a value" } else { "registers that get an unknown value" }, 1);
    }

    fn memory_read(&mut self, read: &MemoryRead) {
        self.add(if read.addr.is_some() { "bytes read" } else { "bytes read at an unknown place" }, read.bytes);
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        self.add(if write.value.is_some() { "dwords that get a value" } else { "dwords that get an unknown value" }, 1);
    }

    fn event(&mut self, event: &EventSeen) {
        self.add(format!("event {:?}", event.event), 1);
    }

    fn end_of_pipe(&mut self, _: &EventSeen) {
        self.add("writes of the end of the pipe", 1);
    }

    fn interrupt(&mut self, _: &InterruptSent) {
        self.add("interrupts", 1);
    }
}

/// The settings under which streams and captures run.
const RUNS: [Setting; 5] = [
    ("whole submits", |_| {}),
    ("all memory is known", |cp| {
        cp.closed_memory(true);
    }),
    ("something before the streams is not known", |cp| {
        cp.partial();
    }),
    ("packets and pipe ends in any order", |cp| {
        cp.relaxed_order(true);
    }),
    ("at most 2000 dwords, no calls", |cp| {
        cp.max_dwords(2000).max_depth(0);
    }),
];

#[test]
fn what_happens_in_captures() {
    let folder = small_captures();
    let mut families = BTreeMap::<(String, &str), Counts>::new();
    for ((family, ..), buffers) in submits(&folder) {
        for (setting, set) in RUNS {
            let mut cp = CommandProcessor::new(family.parse().expect("a chip"));
            set(&mut cp);
            let counts = families.entry((family.clone(), setting)).or_default();
            run_on(cp, &folder, &buffers, |_| counts);
        }
    }
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    for ((family, setting), Counts(counts)) in families {
        writeln!(text, "{family}, {setting}").expect("text");
        counts.iter().for_each(|(what, times)| writeln!(text, "    {what}: {times}").expect("text"));
    }
    golden::assert_golden("model/captures.txt", &text);
}

/// Two queues with the commands of `what_random_programs_do`.
struct Beside {
    first: Commands,
    words: [&'static [u32]; 2],
    queues: [QueueId; 2],
}

impl Beside {
    fn new(number: u64) -> Self {
        let g = &mut Gen::from_size_and_seed(30, 70_000 + number);
        let first = Commands::arbitrary(g);
        let second = std::iter::repeat_with(|| Commands::arbitrary(g)).find(|other| other.chip == first.chip).expect("one");
        let words = [first.words().leak() as &[u32], second.words().leak()];
        Self { queues: [cp_properties::id(first.queue), cp_properties::id(second.queue)], first, words }
    }

    fn model(&self) -> (CommandProcessor<'static>, Vec<BufferId>) {
        static ZEROES: [u32; 64] = [0; 64];
        let called: &'static _ = Box::leak(Box::new(cp_properties::called(self.first.chip)));
        let mut cp = cp_properties::model(self.first.chip);
        cp_properties::prepare(&mut cp, called);
        cp.map("zeroes", 0x80_0000_1000, &ZEROES);
        let ids = self.words.iter().zip(self.queues).map(|(words, queue)| cp.submit_to(queue, "stream", None, words)).collect();
        (cp, ids)
    }
}

/// The effects of a run up to the limit of dwords, for every limit.
#[test]
fn max_dwords_stops_runs_at_the_recorded_place() {
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    for number in (0..8).filter(|number| golden::is_turn_of(*number)) {
        let (program, mut all, mut least) = (Beside::new(number as u64), golden::digest(""), None);
        let (model, _) = program.model();
        for limit in 0..130 {
            let mut cp = model.snapshot();
            cp.max_dwords(limit);
            let mut seen = Transcript::new(program.first.chip, 3, false);
            let summary = cp.run(&mut seen);
            let ended = seen.findings.contains_key("RUN-01");
            least = least.or((!ended).then_some(limit));
            all = golden::digest_after(all, &format!("{limit} {summary:?} {:?} ", seen.findings));
        }
        writeln!(text, "{number}: {} dwords, whole with a limit of {least:?}, {all:016x}", program.words[0].len() + program.words[1].len()).expect("text");
    }
    golden::assert_parts_of_golden("model/limits.txt", &text, |line| Some(golden::is_turn_of(line.split_once(": ")?.0.parse().ok()?)));
}

/// Where runs stop, and their effects up to there. The parts of a run equal the whole run, also when they start from a snapshot.
#[test]
fn runs_stop_and_continue_as_recorded() {
    let mut text = String::from("# tests/suites/model/cp_transcripts.rs tells what this is.\n");
    for number in (100..140).filter(|number| golden::is_turn_of(*number)) {
        let program = Beside::new(number as u64);
        let (model, ids) = program.model();
        let places: Vec<Place> = ids
            .iter()
            .zip(program.words)
            .flat_map(|(buffer, words)| Reader::new(words).flatten().map(|packet| Place { buffer: *buffer, dword: packet.offset as u32 }))
            .collect();
        let whole = model.snapshot().run(&mut ());
        let shader_control = 0x2_880C;
        let stops: [(&str, &dyn Fn(u64) -> Stop); 6] = [
            ("packets", &|n| Stop::Packets(2 * n)),
            ("packets, many", &|n| Stop::Packets(n * n + 3)),
            ("work", &|n| Stop::AfterWork(n)),
            ("a place", &|n| Stop::BeforePacket(places[7 * n as usize % places.len()])),
            ("writes", &|_| Stop::AfterRegisterWrite(shader_control)),
            ("findings", &|_| Stop::AfterFinding),
        ];
        for (name, stop) in stops {
            let (mut cp, mut all, mut pauses) = (model.snapshot(), golden::digest(""), 0);
            while let Some(pause) = cp.run_until(stop(pauses), &mut ()) {
                all = golden::digest_after(all, &format!("{pause:?} {:?} ", cp.summary()));
                pauses += 1;
                if pauses == 5 {
                    assert_eq!(cp.snapshot().run(&mut ()), whole, "{number}: a snapshot after {pauses} stops at {name}");
                }
                if pauses == 200 {
                    break;
                }
            }
            assert_eq!(cp.run(&mut ()), whole, "{number}: stopped {pauses} times at {name}");
            writeln!(text, "{number}, {name}: {pauses} stops, {all:016x}").expect("text");
        }
    }
    golden::assert_parts_of_golden("model/stops.txt", &text, |line| Some(golden::is_turn_of(line.split_once(", ")?.0.parse().ok()?)));
}
