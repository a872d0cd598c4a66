//! Properties of execution: a stream gives the same result whole and in pieces, and before and after dump and asm; any words end the run without a
//! panic.
use crate::mutation;
use crate::streams;
use crate::support;
use mutation::{Base, Part};
use pm4::chip::Chip;
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{
    Bank, BoardFacts, BufferId, CommandProcessor, DrawView, Finding, Interest, MemoryWrite, ModelAccess, Observer, Place, QueueId, RegisterChange,
    RegisterState, Stop, Summary,
};
use pm4::packet::gfx11::{ClearState, ContextRegRmw, CopyData, DmaData, Nop, NumInstances, WriteData};
use pm4::packet::values::{CopyDataDstSel, CopyDataSrcSel, DmaDataSrcSel};
use pm4::packet::{Header, Opcode, PacketFields, Queue, Reader, Value};
use pm4::report::{Assembler, PacketJson, PacketText};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use streams::*;
use support::draws::pick;
use support::property;

const CHIPS: [Chip; 5] = [V, N10, N21, N31, N48];

/// Address of a buffer that streams call and chain to.
const CALLED: u64 = 0x80_0010_0000;

/// A stream of packets that interact: registers, memory, fences, waits, conditions, calls.
#[derive(Debug, Clone)]
pub struct Commands {
    pub chip: Chip,
    pub queue: Queue,
    pub packets: Vec<Vec<u32>>,
    /// Positions of the cuts, as fractions of the length.
    cuts: Vec<u16>,
}

fn below(g: &mut Gen, limit: u32) -> u32 {
    u32::arbitrary(g) % limit.max(1)
}

/// One of the few addresses that all packets use.
fn address(g: &mut Gen) -> [u32; 2] {
    [0x1000 + 4 * below(g, 8), 0x80]
}

fn value(g: &mut Gen) -> u32 {
    if bool::arbitrary(g) { below(g, 4) } else { u32::arbitrary(g) }
}

const REGISTERS: [&str; 8] = [
    "DB_SHADER_CONTROL",
    "PA_SC_AA_CONFIG",
    "DB_Z_INFO",
    "CB_TARGET_MASK",
    "VGT_SHADER_STAGES_EN",
    "VGT_PRIMITIVE_TYPE",
    "SPI_SHADER_PGM_RSRC3_GS",
    "GRBM_GFX_INDEX",
];

/// Packets with any values, including those that the writer refuses, as words.
fn command(g: &mut Gen, chip: Chip) -> Vec<u32> {
    let [lo, hi] = address(g);
    let (number, few, flags) = (value(g), below(g, 12), below(g, 2));
    match below(g, 30) {
        0..=5 => {
            let name = pick(g, &REGISTERS);
            pm4::regs::find(chip.gfx(), name).map_or_else(nop, |register| set(register.addr(), &[number]))
        }
        6 | 7 => with_header(draw(), |header| header.with_predicate(flags == 1)),
        8 => indexed(few),
        9 => dispatch(),
        10 => raw_event(pick(g, &[7, 16, 31, 36, 38, 44, 46]), below(g, 6)),
        11 => one(&WriteData { engine_sel: Value::new(below(g, 2)), ..to_memory(u64::from(hi) << 32 | u64::from(lo)) }.followed_by(&[number])),
        12 | 13 => raw_packet(Opcode::RELEASE_MEM, &[40 | 5 << 8, below(g, 4) << 29, lo, hi, number, 0, 0]),
        14 | 15 => raw_packet(Opcode::WAIT_REG_MEM, &[0x10 | below(g, 8) | below(g, 2) << 8, lo, hi, number, u32::MAX, 4]),
        16 | 17 => raw_packet(Opcode::COND_EXEC, &[lo, hi, 0, few]),
        18 => raw_packet(Opcode::PRED_EXEC, &[below(g, 2) << 24 | few]),
        19 => raw_packet(Opcode::COPY_DATA, &[1 | 5 << 8, lo, hi, lo ^ 0x10, hi]),
        20 => raw_packet(Opcode::COPY_DATA, &[1, lo, hi, 0xA203, 0]),
        21 => raw_packet(Opcode::DMA_DATA, &[2 << 29 | flags << 31, number, 0, lo, hi, 4 * few]),
        22 => sync(),
        23 => raw_packet(Opcode::CLEAR_STATE, &[below(g, 4)]),
        24 => raw_packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[lo, hi, 0x203, 1 + below(g, 3)]),
        25 => raw_packet(Opcode::SET_PREDICATION, &[3 << 16 | flags << 8, lo & !7, hi]),
        26 => {
            let last = below(g, 6) == 0;
            raw_packet(Opcode::INDIRECT_BUFFER, &[CALLED as u32, (CALLED >> 32) as u32, (8 + below(g, 3) * 8) | u32::from(last) << 20 | 1 << 23])
        }
        27 => one(&Nop {}.followed_by(&vec![number; 1 + few as usize])),
        28 => one(&ContextRegRmw { reg_offset: 0x203, reg_mask: number, reg_data: 1 }),
        _ => vec![pick(g, &[0x8000_0000, 0x4000_0000, 0xFFFF_1000, 0xC000_FC00])],
    }
}

/// Commands with conditional spans of any length, so that a queue may lose synchronization.
#[derive(Debug, Clone)]
struct OutOfSync(Commands);

impl Arbitrary for OutOfSync {
    fn arbitrary(g: &mut Gen) -> Self {
        Self(any_commands(g))
    }
}

impl Arbitrary for Commands {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut commands = any_commands(g);
        // Spans cover whole packets.
        let lengths: Vec<usize> = commands.packets.iter().map(Vec::len).collect();
        for (packet, at) in commands.packets.iter_mut().zip(1..) {
            let covered = below(g, 4) as usize;
            let dwords = lengths[at..].iter().take(covered).sum::<usize>() as u32;
            match (packet[0] >> 8 & 0xFF, packet.len()) {
                (0x22, 5) => packet[4] = dwords,
                (0x23, 2) => packet[1] = packet[1] & !0x3FFF | dwords,
                _ => {}
            }
        }
        commands
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        let without = (0..self.packets.len()).map(move |at| {
            let mut fewer = this.clone();
            fewer.packets.remove(at);
            fewer
        });
        Box::new(without)
    }
}

fn any_commands(g: &mut Gen) -> Commands {
    let chip = pick(g, &CHIPS);
    let packets = (0..1 + below(g, 60)).map(|_| command(g, chip)).collect();
    let queue = pick(g, &[Queue::Graphics, Queue::Graphics, Queue::Compute]);
    Commands { chip, queue, packets, cuts: (0..below(g, 12)).map(|_| u16::arbitrary(g)).collect() }
}
impl Commands {
    pub fn words(&self) -> Vec<u32> {
        self.packets.concat()
    }

    /// The stream in pieces: at packets, or anywhere.
    pub fn pieces(&self, at_packets: bool) -> Vec<Vec<u32>> {
        let words = self.words();
        let ends = self.packets.iter().scan(0, |end, packet| {
            *end += packet.len();
            Some(*end)
        });
        let ends: Vec<usize> = if at_packets { ends.collect() } else { (0..=words.len()).collect() };
        let mut cuts: Vec<usize> = self.cuts.iter().filter_map(|cut| ends.get(usize::from(*cut) % ends.len())).copied().chain([0, words.len()]).collect();
        cuts.sort_unstable();
        cuts.windows(2).map(|pair| words[pair[0]..pair[1]].to_vec()).collect()
    }
}

/// All that an observer sees of a run. Findings are sorted by place: a piece may report later what it cannot know earlier.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    draws: Vec<(u32, Vec<(u32, u32)>)>,
    findings: Vec<Finding>,
    summary: Summary,
}

impl Observer for Trace {
    fn draw(&mut self, view: &DrawView<'_>) {
        let registers = Bank::ALL.into_iter().flat_map(|bank| view.written(bank));
        self.draws.push((view.place().dword, registers.collect()));
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw(view);
    }

    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.clone());
    }
}

impl Trace {
    fn done(mut self, summary: Summary) -> Self {
        self.summary = summary;
        self.findings.sort_by_key(|finding| (finding.place, finding.code, finding.message.clone()));
        self
    }
}

/// A model with all rules on.
pub fn model<'a>(chip: Chip) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    for rule in rules::all().filter(|rule| rule.off_by_default) {
        cp.set_rule_level(rule.code, RuleLevel::Warn);
    }
    cp
}

pub const fn id(queue: Queue) -> QueueId {
    match queue {
        Queue::Compute => QueueId::COMPUTE,
        _ => QueueId::GRAPHICS,
    }
}

fn whole(chip: Chip, queue: Queue, before: &[Part], words: &[u32]) -> Trace {
    let mut cp = model(chip);
    prepare(&mut cp, before);
    cp.submit_to(id(queue), "stream", None, words);
    let mut trace = Trace::default();
    let summary = cp.run(&mut trace);
    trace.done(summary)
}

fn in_pieces(chip: Chip, queue: Queue, before: &[Part], pieces: &[Vec<u32>]) -> Trace {
    let mut cp = model(chip);
    prepare(&mut cp, before);
    let mut trace = Trace::default();
    let stream = cp.begin(id(queue), "stream");
    for piece in pieces {
        cp.feed(stream, piece, &mut trace);
    }
    let summary = cp.finish(stream, &mut trace);
    trace.done(summary)
}

pub fn prepare<'a>(cp: &mut CommandProcessor<'a>, before: &'a [Part]) {
    for part in before {
        match part.role.contains('.') {
            true => cp.map(&part.role, part.addr, &part.words),
            false => cp.submit_at(part.queue, &part.role, part.addr, &part.words),
        };
    }
}

/// The buffer called by random streams.
pub fn called(chip: Chip) -> Vec<Part> {
    let words = [reg(chip, "DB_SHADER_CONTROL", 1), draw(), nop().repeat(18)].concat();
    vec![Part { role: "called.ib2".into(), queue: Queue::Graphics, addr: CALLED, words }]
}

/// Whether a stream gives the same result whole and cut at packets, or anywhere.
fn pieces_change_nothing<const AT_PACKETS: bool>(commands: Commands) -> bool {
    let before = called(commands.chip);
    let one = whole(commands.chip, commands.queue, &before, &commands.words());
    let other = in_pieces(commands.chip, commands.queue, &before, &commands.pieces(AT_PACKETS));
    if one != other {
        eprintln!("{}", first_difference(&one, &other));
    }
    one == other
}

fn first_difference(one: &Trace, other: &Trace) -> String {
    let lines = |trace: &Trace| format!("{trace:#?}").lines().map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let at = one.iter().zip(&other).position(|(a, b)| a != b).unwrap_or(one.len().min(other.len()));
    let around = |lines: &[String]| lines.get(at.saturating_sub(12)..(at + 8).min(lines.len())).unwrap_or_default().join("\n");
    format!("whole:\n{}\nin pieces:\n{}", around(&one), around(&other))
}

#[test]
fn a_stream_cut_at_packets_gives_what_it_gives_whole() {
    property("a stream cut at packets gives what it gives whole", 400, pieces_change_nothing::<true> as fn(Commands) -> bool);
}

#[test]
fn a_stream_cut_anywhere_gives_what_it_gives_whole() {
    property("a stream cut anywhere gives what it gives whole", 400, pieces_change_nothing::<false> as fn(Commands) -> bool);
}

#[test]
fn a_stream_that_gets_out_of_step_gives_what_it_gives_whole() {
    fn same(commands: OutOfSync) -> bool {
        pieces_change_nothing::<true>(commands.0)
    }
    property("a stream that gets out of sync gives what it gives whole", 400, same as fn(OutOfSync) -> bool);
}

/// The committed captures with one main buffer on the graphics or compute queue.
const CAPTURES: [&str; 12] = [
    "vega10/draw_pixel_ordered_s8_color+depth",
    "vega10/transform_feedback",
    "vega10/two_cmdbufs_one_submit",
    "vega10/clear_load_color_depth_s4",
    "navi10/tess_pixel_ordered_s4",
    "navi10/draw_multi_indexed_ext",
    "navi21/geom_sample_ordered_s4",
    "navi21/vrs2x2_pixel_ordered_s4",
    "navi31/toggle_none_pixel_none_sample_none_s2",
    "navi31/indexed_indirect_sample_ordered_s1",
    "navi31/two_cmdbufs_one_submit",
    "navi31/computeq_fill_copy",
];

/// The streams of a capture before its main buffer, and that buffer.
fn capture(case: &'static str) -> (Chip, Vec<Part>, Part) {
    let base = Base::Capture(case, "main");
    let mut parts = base.parts();
    let at = parts.iter().position(|part| part.role == "main").expect("a main buffer");
    let main = parts.remove(at);
    parts.retain(|part| part.role.contains('.') || part.role == "initial_preamble");
    (base.chip(), parts, main)
}

#[test]
fn a_capture_cut_at_every_packet_gives_what_it_gives_whole() {
    for case in CAPTURES {
        let (chip, before, main) = capture(case);
        let pieces: Vec<Vec<u32>> = Reader::new(&main.words).flatten().map(|packet| [&[packet.header.0], packet.body].concat()).collect();
        assert_eq!(pieces.concat(), main.words);
        let (one, other) = (whole(chip, main.queue, &before, &main.words), in_pieces(chip, main.queue, &before, &pieces));
        assert!(!one.draws.is_empty() || main.queue == Queue::Compute, "{case}");
        assert_eq!(one, other, "{case}");
    }
}

/// Only the findings: for such an observer, plain packets run in a separate loop.
#[derive(Default)]
struct Found(Vec<String>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(format!("{finding:?}"));
    }
}

fn run_and_reset<'a>(mut cp: CommandProcessor<'a>, before: &'a [Part], queue: Queue, words: &'a [u32]) -> (Summary, Vec<String>, CommandProcessor<'static>) {
    prepare(&mut cp, before);
    cp.submit_to(id(queue), "stream", None, words);
    let mut seen = Found::default();
    let summary = cp.run(&mut seen);
    (summary, seen.0, cp.into_reset())
}

/// A model that was reset after earlier submissions finds what a new one finds, also with padding in the stream.
#[test]
fn a_model_that_was_reset_finds_what_a_new_one_finds() {
    let mut found = 0;
    for chip in [V, N10, N21, N31] {
        let cases = CAPTURES.map(capture).into_iter().filter(|(of, ..)| *of == chip);
        let cases: Vec<_> = cases.map(|(_, before, main)| (before, main.queue, [&main.words[..], &[Header::NOP1.0; 3]].concat())).collect();
        let mut used = model(chip);
        // Twice, so that each capture follows itself and all others.
        for (before, queue, words) in cases.iter().chain(&cases) {
            let (one, other) = (run_and_reset(model(chip), before, *queue, words), run_and_reset(used, before, *queue, words));
            assert_eq!((one.0, &one.1), (other.0, &other.1), "{chip}");
            found += one.1.len();
            used = other.2;
        }
    }
    assert!(found > 0, "captures have findings of severity info");
}

/// Draws after a capture, with register changes between them: one bit, a value of another register, or nothing for several draws.
#[derive(Debug, Clone)]
struct Changes {
    case: &'static str,
    steps: Vec<(u16, u32, u8)>,
}

impl Arbitrary for Changes {
    fn arbitrary(g: &mut Gen) -> Self {
        Self { case: pick(g, &CAPTURES[..11]), steps: (0..40).map(|_| Arbitrary::arbitrary(g)).collect() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        Box::new((0..self.steps.len()).map(move |at| {
            let mut fewer = this.clone();
            fewer.steps.remove(at);
            fewer
        }))
    }
}

/// Rules on draws check what changed since their last check: they find the same as when all of them check each draw anew.
#[test]
fn a_draw_is_judged_the_same_whether_registers_have_changed_or_not() {
    fn same(changes: Changes) -> bool {
        let (chip, mut before, main) = capture(changes.case);
        before.push(main);
        before.retain(|part| part.queue == Queue::Graphics || part.role.contains('.'));
        let mut cp = model(chip);
        prepare(&mut cp, &before);
        cp.run(&mut ());
        let written: Vec<(u32, u32)> = Bank::ALL.into_iter().flat_map(|bank| cp.registers(Queue::Graphics).written(bank).collect::<Vec<_>>()).collect();
        if written.is_empty() {
            return true;
        }
        let pieces: Vec<Vec<u32>> = changes
            .steps
            .iter()
            .flat_map(|(which, value, how)| {
                let (addr, old) = written[usize::from(*which) % written.len()];
                let change = match how % 8 {
                    0 => set(addr, &[*value]),
                    1 => set(addr, &[0]),
                    2 => one(&ClearState { cmd: Value::new(value & 3) }),
                    3 => one(&NumInstances { num_instances: value & 0xFF }),
                    4 => raw_event([15, 16, 36, 38][*value as usize % 4], 0),
                    5 => nop(),
                    // To another state and back, as streams do when they switch pipelines.
                    6 => [set(addr, &[old ^ 1 << (value & 31)]), draw(), set(addr, &[old])].concat(),
                    _ => set(addr, &[old ^ 1 << (value & 31)]),
                };
                [change, draw()]
            })
            .collect();
        let run = |anew: bool| {
            let mut cp = model(chip);
            prepare(&mut cp, &before);
            let mut trace = Trace::default();
            cp.run(&mut ());
            let stream = cp.begin(QueueId::GRAPHICS, "stream");
            for piece in &pieces {
                if anew {
                    // Facts about the board affect all rules.
                    cp.board(BoardFacts::default());
                }
                cp.feed(stream, piece, &mut trace);
            }
            let summary = cp.finish(stream, &mut trace);
            trace.done(summary)
        };
        let (one, other) = (run(true), run(false));
        if one != other {
            eprintln!("{}", first_difference(&one, &other));
        }
        one == other
    }
    property("a draw is judged the same whether registers have changed or not", 150, same as fn(Changes) -> bool);
}

/// Commands of two queues, and the points at which runs stop.
#[derive(Debug, Clone)]
struct Stops {
    graphics: Commands,
    compute: Commands,
    stops: Vec<(u8, u16)>,
}

impl Arbitrary for Stops {
    fn arbitrary(g: &mut Gen) -> Self {
        let graphics = Commands { queue: Queue::Graphics, ..Commands::arbitrary(g) };
        let compute = Commands { queue: Queue::Compute, chip: graphics.chip, ..Commands::arbitrary(g) };
        Self { graphics, compute, stops: (0..40).map(|_| Arbitrary::arbitrary(g)).collect() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let (this, that) = (self.clone(), self.clone());
        let graphics = self.graphics.shrink().map(move |graphics| Self { graphics, ..this.clone() });
        Box::new(graphics.chain(self.compute.shrink().map(move |compute| Self { compute, ..that.clone() })))
    }
}

#[test]
fn parts_of_a_run_and_snapshots_do_what_the_whole_does() {
    fn same(stops: Stops) -> bool {
        let Stops { graphics, compute, stops } = stops;
        let (before, words) = (called(graphics.chip), [graphics.words(), compute.words()]);
        let start = || {
            let mut cp = model(graphics.chip);
            prepare(&mut cp, &before);
            cp.submit(Queue::Graphics, "graphics", &words[0]);
            cp.submit(Queue::Compute, "compute", &words[1]);
            cp
        };
        let mut whole = Trace::default();
        let summary = start().run(&mut whole);
        let (mut parts, mut cp) = (Trace::default(), start());
        for (kind, number) in stops {
            let summary = cp.summary();
            let stop = match kind % 6 {
                0 => Stop::Packets(summary.packets + u64::from(number % 9)),
                1 => Stop::AfterWork(summary.draws + summary.dispatches + u64::from(number % 3)),
                2 => Stop::BeforePacket(Place { buffer: BufferId(1), dword: u32::from(number % 64) }),
                3 => Stop::AfterRegisterWrite(0x2880C),
                4 => Stop::AfterFinding,
                _ => Stop::Packets(summary.packets + 1),
            };
            // The effects of copies are tested elsewhere.
            if kind > 200 {
                cp.snapshot().run(&mut ());
            }
            if cp.run_until(stop, &mut parts).is_none() {
                break;
            }
        }
        let end = cp.run(&mut parts);
        let (one, other) = (whole.done(summary), parts.done(end));
        if one != other {
            eprintln!("{}", first_difference(&one, &other));
        }
        one == other
    }
    property("parts of a run do what the whole does", 60, same as fn(Stops) -> bool);
}

/// The reports of all hooks, as one list.
#[derive(Default)]
struct Told {
    registers: BTreeMap<(QueueId, u32), RegisterState>,
    memory: BTreeMap<u64, Option<u32>>,
    packets: u64,
    turns: u64,
}

impl Observer for Told {
    fn interest(&self) -> Interest {
        Interest::REGISTERS.or(Interest::MEMORY).or(Interest::ACT)
    }

    fn packet(&mut self, _: Queue, _: Place, _: &pm4::packet::Packet<'_>) {
        self.packets += 1;
    }

    fn register_written(&mut self, change: &RegisterChange) {
        self.registers.insert((change.queue, change.addr), change.state);
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        self.memory.insert(write.addr, write.value);
    }

    fn act(&mut self, _: &mut ModelAccess<'_, '_>) {
        self.turns += 1;
    }
}

#[test]
fn hooks_report_every_register_and_every_dword_that_is_written() {
    fn same(commands: Commands) -> bool {
        let (before, words) = (called(commands.chip), commands.words());
        let mut cp = model(commands.chip);
        prepare(&mut cp, &before);
        cp.submit_to(id(commands.queue), "stream", None, &words);
        let mut told = Told::default();
        let summary = cp.run(&mut told);
        // Without hooks the model does the same.
        let mut plain = model(commands.chip);
        prepare(&mut plain, &before);
        plain.submit_to(id(commands.queue), "stream", None, &words);
        assert_eq!(plain.run(&mut ()), summary);
        assert!(told.turns >= told.packets, "{} turns, {} packets", told.turns, told.packets);
        // CLEAR_STATE and packets that make all memory or all registers unknown name none.
        let all_at_once = commands.packets.iter().any(|packet| packet[0] >> 8 & 0xFF == 0x12 || packet[0] >> 30 != 3);
        let registers = cp.registers_of(id(commands.queue)).expect("the queue is there");
        let written = Bank::ALL.into_iter().flat_map(|bank| registers.written(bank));
        let registers_told = written.into_iter().all(|(addr, _)| told.registers.get(&(id(commands.queue), addr)) == Some(&registers.state(addr)));
        let memory_told = told.memory.iter().all(|(addr, value)| cp.memory(*addr).is_none() || cp.memory(*addr) == *value);
        all_at_once || registers_told && memory_told
    }
    property("hooks tell every register and every dword that is written", 200, same as fn(Commands) -> bool);
}

/// An observer writes the flag on which the stream waits, and stops after the wait.
#[test]
fn both_observers_of_a_pair_act() {
    struct Turns(u32);
    impl Observer for Turns {
        fn interest(&self) -> Interest {
            Interest::ACT
        }
        fn act(&mut self, _: &mut ModelAccess<'_, '_>) {
            self.0 += 1;
        }
    }
    let words = nop();
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "stream", &words);
    let mut both = (Turns(0), Turns(0));
    cp.run(&mut both);
    assert!(both.0.0 > 0 && both.0.0 == both.1.0, "{} and {}", both.0.0, both.1.0);
}

#[test]
fn an_observer_can_end_a_wait_and_stop_the_run() {
    struct Shader {
        writes: bool,
        stops: bool,
    }
    impl Observer for Shader {
        fn interest(&self) -> Interest {
            Interest::ACT
        }
        fn dispatch(&mut self, _: &DrawView<'_>) {
            self.writes = true;
        }
        fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
            if std::mem::take(&mut self.writes) {
                assert!(access.write(0x80_0000_1000, &[7]));
                assert_eq!(access.dword(0x80_0000_1000), Some(7));
                if self.stops {
                    access.stop();
                }
            }
        }
    }
    let words = [dispatch(), wait(ADDR, 7), nop()].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.map_owned("flag", 0x80_0000_1000, &[0]);
    cp.submit(Queue::Compute, "stream", &words);
    let nobody = cp.snapshot().run(&mut ());
    assert_eq!((nobody.errors, nobody.warnings), (0, 2), "no packet ends the wait, and a shader has run");
    assert_eq!(cp.snapshot().run(&mut Shader { writes: false, stops: false }).errors, 0);
    let summary = cp.run(&mut Shader { writes: false, stops: true });
    assert_eq!((summary.packets, summary.dispatches, summary.errors), (1, 1, 0), "stopped after the dispatch");
    assert_eq!(cp.run(&mut ()).errors, 0, "the flag stays written");
}

/// No part of an error-free submission has an error, if the model knows that it is a part.
#[test]
fn a_part_of_a_capture_is_no_error() {
    for case in CAPTURES {
        let (chip, mapped, main) = capture(case);
        let starts: Vec<usize> = Reader::new(&main.words).flatten().map(|packet| packet.offset).collect();
        for start in starts.iter().step_by(7) {
            let mut cp = CommandProcessor::new(chip);
            cp.partial();
            mapped.iter().filter(|part| part.role.contains('.')).for_each(|part| _ = cp.map(&part.role, part.addr, &part.words));
            cp.submit_to(id(main.queue), "part", None, &main.words[*start..]);
            let mut trace = Trace::default();
            let summary = cp.run(&mut trace);
            let errors: Vec<String> = trace.findings.iter().filter(|f| f.severity == pm4::cp::Severity::Error).map(Finding::to_string).collect();
            assert_eq!(summary.errors, 0, "{case} from dword {start}: {errors:?}");
        }
    }
}

/// Registers stated by a caller count, and unmapped memory is gone.
#[test]
fn where_buffers_overlap_the_one_that_starts_last_counts() {
    let mut cp = CommandProcessor::new(N31);
    cp.map("late", 0x2008, &[1, 2, 3]);
    cp.map_read_only("early", 0x2000, &[4, 5, 6, 7]);
    cp.map("younger", 0x2008, &[8]);
    let words = |cp: &CommandProcessor<'_>| (0x2000..0x2014).step_by(4).map(|addr| cp.memory(addr)).collect::<Vec<_>>();
    assert_eq!(words(&cp), [4, 5, 8, 2, 3].map(Some));
    // The same holds for words that the model keeps itself, which are newer than what was written there.
    cp.write_memory(0x2000, &[7]);
    cp.map_owned("owned", 0x2000, &[9, 10, 11, 12]);
    cp.map("youngest", 0x2004, &[13]);
    assert_eq!(words(&cp), [9, 13, 8, 2, 3].map(Some));
    cp.run(&mut ());
    assert_eq!(words(&cp), [9, 13, 8, 2, 3].map(Some));
}

#[test]
fn the_caller_gives_registers_and_takes_memory_away() {
    let mut cp = CommandProcessor::new(N31);
    let (src_sel, dst_sel) = (CopyDataSrcSel::MEMORY, CopyDataDstSel::MEMORY);
    let copy = CopyData { src_sel, src_addr: Some(0x2000), dst_sel, dst_addr: Some(0x3000), ..Default::default() };
    let (shader_control, words) = (addr(N31, "DB_SHADER_CONTROL"), [one(&copy), draw()].concat());
    cp.partial();
    assert!(cp.set_register(QueueId::GRAPHICS, shader_control, 5) && !cp.set_register(QueueId(7), shader_control, 5));
    assert_eq!((cp.registers(Queue::Graphics).value(shader_control), cp.registers(Queue::Graphics).origin(shader_control)), (Some(5), None));
    let source = cp.map_owned("source", 0x2000, &[9]);
    cp.submit(Queue::Graphics, "copy", &words);
    let mut gone = cp.snapshot();
    gone.unmap(source);
    assert_eq!((gone.memory(0x2000), cp.memory(0x2000)), (None, Some(9)));
    // If two mappings overlap, the remaining one keeps its dwords; memory next to them is untouched.
    let mut cp_of_two = CommandProcessor::new(N31);
    let first = cp_of_two.map_owned("first", 0x20F8, &[1, 2, 3, 4]);
    cp_of_two.map_owned("second", 0x2100, &[5]);
    cp_of_two.map_owned("third", 0x2108, &[6]);
    cp_of_two.unmap(first);
    let left: Vec<Option<u32>> = (0x20F8..0x210C).step_by(4).map(|addr| cp_of_two.memory(addr)).collect();
    assert_eq!(left, [None, None, Some(5), None, Some(6)]);
    cp.run(&mut ());
    gone.run(&mut ());
    assert_eq!((cp.memory(0x3000), gone.memory(0x3000)), (Some(9), None));
}

/// The words of a stream after dump and asm, as JSON or as text.
fn printed(chip: Chip, queue: Queue, words: &[u32], json: bool) -> Vec<u32> {
    let records = PacketJson::new("stream", chip.gfx(), queue);
    let mut text = PacketText::new(chip.gfx(), queue);
    let mut out = String::new();
    if !json {
        text.title(&mut out);
    }
    for item in Reader::new(words) {
        if json {
            records.item(&mut out, &item, words)
        } else {
            text.item(&mut out, &item, words)
        };
    }
    let mut assembler = Assembler::default();
    for line in out.lines() {
        assembler.line(line.as_bytes()).unwrap_or_else(|mistake| panic!("{mistake}\n{out}"));
    }
    let bytes = assembler.finish().unwrap_or_else(|mistake| panic!("{mistake}\n{out}"));
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn what_dump_prints_and_asm_reads_gives_the_same_result() {
    fn same(commands: Commands, cut: u16) -> bool {
        let mut words = commands.words();
        // Some are damaged at the end.
        words.truncate(words.len() - usize::from(cut % 8).min(words.len()));
        let before = called(commands.chip);
        let one = whole(commands.chip, commands.queue, &before, &words);
        [true, false].into_iter().all(|json| whole(commands.chip, commands.queue, &before, &printed(commands.chip, commands.queue, &words, json)) == one)
    }
    property("dump and asm change nothing", 300, same as fn(Commands, u16) -> bool);
    for case in CAPTURES {
        let (chip, before, main) = capture(case);
        let one = whole(chip, main.queue, &before, &main.words);
        for json in [true, false] {
            assert_eq!(whole(chip, main.queue, &before, &printed(chip, main.queue, &main.words, json)), one, "{case}");
        }
    }
}

/// A capture with flipped bits, exchanged words, a cut, or random words.
#[derive(Debug, Clone)]
struct Damaged {
    case: &'static str,
    words: Vec<u32>,
    closed: bool,
}

impl Arbitrary for Damaged {
    fn arbitrary(g: &mut Gen) -> Self {
        let case = pick(g, &CAPTURES);
        let (_, _, main) = capture(case);
        let mut words = main.words;
        for _ in 0..below(g, 40) {
            let (a, b) = (below(g, words.len() as u32) as usize, below(g, words.len() as u32) as usize);
            match below(g, 4) {
                0 => words.swap(a, b),
                1 => words[a] = u32::arbitrary(g),
                2 => words[a] = 0xC000_0000 | below(g, 0x4000) << 16 | below(g, 256) << 8,
                _ => words[a] ^= 1 << below(g, 32),
            }
        }
        if below(g, 4) == 0 {
            words.truncate(below(g, words.len() as u32) as usize);
        }
        if below(g, 16) == 0 {
            words = (0..below(g, 400)).map(|_| u32::arbitrary(g)).collect();
        }
        Self { case, words, closed: bool::arbitrary(g) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        Box::new((0..self.words.len()).step_by(1 + self.words.len() / 16).map(move |at| Self { words: this.words[..at].to_vec(), ..this.clone() }))
    }
}

#[test]
fn damage_ends_and_does_not_panic() {
    const MOST: u64 = 1 << 22;
    fn ends(damaged: Damaged) -> bool {
        let (chip, before, main) = capture(damaged.case);
        let mut cp = model(chip);
        cp.closed_memory(damaged.closed).max_dwords(MOST).max_memory(1 << 20);
        prepare(&mut cp, &before);
        cp.submit_at(main.queue, "main", main.addr, &damaged.words);
        cp.run(&mut Trace::default()).packets <= MOST
    }
    property("damage ends", 500, ends as fn(Damaged) -> bool);
}

/// A DMA from unknown memory makes exactly the bytes unknown that it writes, wherever it begins and ends.
#[test]
fn what_a_dma_overwrites_is_unknown_and_the_memory_next_to_it_is_not() {
    const START: u64 = 0x80_0000_0000;
    const DWORDS: u32 = 0x180;
    fn equal(pieces: Vec<(u32, u16)>) -> bool {
        let known: Vec<u32> = (0..DWORDS).map(|dword| dword ^ 0x5A5A).collect();
        let (mut stream, mut left) = (write(START, &known), vec![true; DWORDS as usize]);
        for (at, bytes) in pieces.into_iter().take(4) {
            let at = at % (4 * DWORDS);
            let bytes = 1 + u32::from(bytes) % 0x300 % (4 * DWORDS - at);
            stream.extend(one(&DmaData {
                src_sel: DmaDataSrcSel::SRC_ADDR_USING_L2,
                src_addr: 0x90_0000_0000 + u64::from(at % 4),
                ..filling(START + u64::from(at), 0, bytes)
            }));
            left[at as usize / 4..=((at + bytes - 1) / 4) as usize].fill(false);
        }
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &stream);
        cp.run(&mut ());
        (0..DWORDS).all(|dword| cp.memory(START + 4 * u64::from(dword)) == left[dword as usize].then_some(known[dword as usize]))
    }
    property("what a DMA overwrites is unknown", 300, equal as fn(Vec<(u32, u16)>) -> bool);
}
