//! Filtered streams against unfiltered ones: the same state at every draw, in no more dwords.

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer, Value};
use pm4::packet::{Filtered, Header, Opcode, Options, Queue, RegisterList, Stream};
use quickcheck::{Arbitrary, Gen};

/// Registers that the sequences write: scattered ones, runs, a scissor, a viewport, graphics and compute SGPRs.
const POOL: [u32; 22] = [
    0x28000, 0x28004, 0x28008, 0x2800C, 0x28010, 0x28014, 0x28018, 0x28238, 0x28250, 0x28254, 0x2843C, 0x28440, 0x28444, 0x28448, 0x2844C, 0x28450, 0x2880C,
    0xB030, 0xB034, 0xB038, 0xB900, 0xB904,
];
/// Where the called buffer lies.
const CALLED: u64 = 0x10_0000;

#[derive(Debug, Clone)]
enum Step {
    Regs(u32, Vec<u32>),
    List(Vec<(u32, u32)>),
    Rmw(u32, u32, u32),
    Past(u32, u32),
    ClearState(u32),
    Call,
    Load,
    Copy,
    Skipped(u32, u32),
    Draw,
    IndirectDraw,
}

impl Arbitrary for Step {
    fn arbitrary(g: &mut Gen) -> Self {
        // Few values, so that writes are often redundant.
        let value = |g: &mut Gen| u32::arbitrary(g) % 3;
        let addr = |g: &mut Gen| *g.choose(&POOL).unwrap();
        match u8::arbitrary(g) % 24 {
            0..=7 => {
                let from = addr(g);
                let room = (0..).take_while(|n| POOL.contains(&(from + 4 * n))).count();
                let n = 1 + usize::arbitrary(g) % room;
                Self::Regs(from, (0..n).map(|_| value(g)).collect())
            }
            8..=10 => Self::List((0..1 + u8::arbitrary(g) % 12).map(|_| (addr(g), value(g))).collect()),
            11 => Self::Rmw(POOL[usize::arbitrary(g) % 8], if bool::arbitrary(g) { u32::MAX } else { 1 }, value(g)),
            12 => Self::Past(addr(g), value(g)),
            13 => Self::ClearState(u32::arbitrary(g) % 4),
            14 => Self::Call,
            15 => Self::Load,
            16 => Self::Copy,
            17 => Self::Skipped(addr(g), value(g)),
            18 => Self::IndirectDraw,
            _ => Self::Draw,
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match self {
            Self::Regs(addr, values) if values.len() > 1 => Box::new([Self::Regs(*addr, values[..values.len() - 1].to_vec())].into_iter()),
            Self::List(writes) if writes.len() > 1 => Box::new([Self::List(writes[1..].to_vec()), Self::List(writes[..writes.len() - 1].to_vec())].into_iter()),
            _ => quickcheck::empty_shrinker(),
        }
    }
}

enum Mode {
    Off,
    Runs,
    Exact,
}

fn record(chip: Chip, steps: &[Step], mode: Mode) -> Vec<u32> {
    let gfx = chip.gfx();
    let mut writer = Stream::growable(gfx, Queue::Graphics);
    writer.set_options(Options { indexed: false, ..Options::default() });
    let off = matches!(mode, Mode::Off);
    let mut f = Filtered::new(writer).exact(matches!(mode, Mode::Exact));
    for step in steps {
        if off {
            f.invalidate();
        }
        let done = match step {
            Step::Regs(addr, values) => f.set_regs(*addr, values),
            Step::List(writes) => f.set_list(&mut writes.iter().copied().collect::<RegisterList>()),
            Step::Rmw(addr, mask, data) => f.context_reg_rmw(*addr, *mask, *data),
            Step::Past(addr, value) => f.writer().set_reg(*addr, *value),
            Step::ClearState(_) if gfx.major() >= 12 => Ok(()),
            Step::ClearState(command) => f.writer().packet(Opcode::CLEAR_STATE, &[*command]),
            Step::Call => f.writer().indirect_buffer(pm4::packet::IbKind::Call, CALLED, 3),
            Step::Load => f.writer().packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[0x2000, 0, 2, 1]),
            // Immediate data to a register.
            Step::Copy => f.writer().packet(Opcode::WRITE_DATA, &[0, 0xA002, 0, 7]),
            Step::Skipped(addr, value) => {
                let skip = f.writer().packet(Opcode::COND_EXEC, &[0x3000, 0, 0, 3]);
                skip.and_then(|()| {
                    f.writer().break_run();
                    f.set_reg(*addr, *value)
                })
            }
            Step::Draw => f.writer().draw_index_auto(3, 2),
            Step::IndirectDraw => {
                let loc = (0xB030 - 0xB000) / 4;
                f.packet_with(Header::type3(Opcode::DRAW_INDIRECT, 4), &[0, loc, loc + 1, 2])
            }
        };
        done.unwrap();
    }
    f.into_writer().into_buffer()
}

#[derive(Default)]
struct States(Vec<Vec<Option<u32>>>);

impl Observer for States {
    fn draw(&mut self, draw: &DrawView<'_>) {
        // Not known is not known, whatever the reason.
        let word = |v: Value| match v {
            Value::Written(word) | Value::Cleared(word) => Some(word),
            _ => None,
        };
        self.0.push(POOL.iter().map(|addr| word(draw.state(*addr))).collect());
    }
}

fn states(chip: Chip, words: &[u32]) -> Vec<Vec<Option<u32>>> {
    // SET_CONTEXT_REG of the first register.
    let called = [0xC001_6900, 0, 0x77];
    let mut cp = CommandProcessor::new(chip);
    cp.map("called", CALLED, &called);
    cp.submit(Queue::Graphics, "main", words);
    let mut states = States::default();
    cp.run(&mut states);
    states.0
}

#[test]
fn filtered_and_unfiltered_streams_have_the_same_state_at_every_draw() {
    let start = std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok());
    let first: u64 = start.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64));
    let chips = [Chip::Vega10, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1150, Chip::Gfx1200];
    let (mut off_dwords, mut run_dwords, mut exact_dwords) = (0, 0, 0);
    for seed in (0..if cfg!(debug_assertions) { 1_000 } else { 5_000 }).map(|n| first.wrapping_add(n)) {
        let g = &mut Gen::from_size_and_seed(40, seed);
        let (chip, mut steps) = (*g.choose(&chips).unwrap(), Vec::<Step>::arbitrary(g));
        steps.push(Step::Draw);
        let differs = |steps: &Vec<Step>| {
            let wanted = states(chip, &record(chip, steps, Mode::Off));
            [Mode::Runs, Mode::Exact].into_iter().any(|mode| states(chip, &record(chip, steps, mode)) != wanted)
        };
        if differs(&steps) {
            let smallest = std::iter::successors(Some(steps), |bad| bad.shrink().find(&differs)).last().unwrap();
            panic!("PM4_SEED={seed} on {chip}: another state after {smallest:?}");
        }
        let [off, runs, exact] = [Mode::Off, Mode::Runs, Mode::Exact].map(|mode| record(chip, &steps, mode).len());
        (off_dwords, run_dwords, exact_dwords) = (off_dwords + off, run_dwords + runs, exact_dwords + exact);
    }
    println!("{off_dwords} dwords unfiltered, {run_dwords} by run, {exact_dwords} exact");
    assert!(exact_dwords < run_dwords && run_dwords < off_dwords);
}

fn filtered(gfx: Gfx) -> Filtered<Vec<u32>> {
    Filtered::new(Stream::growable(gfx, Queue::Graphics))
}

#[test]
fn a_viewport_is_written_whole_or_not_at_all() {
    let mut f = filtered(Gfx::Gfx103);
    f.set_regs(0x2843C, &[1, 2, 3, 4, 5, 6]).unwrap();
    let before = f.words().len();
    f.set_regs(0x2843C, &[1, 2, 3, 9, 5, 6]).unwrap();
    assert_eq!(f.words()[before..], [0xC006_6900, 0x10F, 1, 2, 3, 9, 5, 6]);
}

#[test]
fn exact_filtering_splits_where_that_saves_a_dword() {
    let mut f = filtered(Gfx::Gfx9).exact(true);
    f.set_regs(0x28000, &[0; 8]).unwrap();
    let before = f.words().len();
    f.set_regs(0x28000, &[1, 0, 0, 0, 1, 0, 0, 1]).unwrap();
    assert_eq!(f.words()[before..], [0xC001_6900, 0, 1, 0xC004_6900, 4, 1, 0, 0, 1]);
}

#[test]
fn after_a_conditional_buffer_nothing_is_filtered() {
    let mut f = filtered(Gfx::Gfx11);
    let either = [2, 0, 0, 0, 0, 0, 0, 0x1000, 0, 8, 0x2000, 0, 8];
    f.writer().packet(Opcode::INDIRECT_BUFFER, &either).unwrap();
    for _ in 0..2 {
        let before = f.words().len();
        f.set_reg(0x28000, 1).unwrap();
        assert!(f.words().len() > before);
    }
}

#[test]
fn registers_of_one_instance_are_not_filtered() {
    let mut f = filtered(Gfx::Gfx103);
    f.set_reg(0x28000, 1).unwrap();
    f.set_reg(0x30800, 0).unwrap();
    let before = f.words().len();
    f.set_reg(0x28000, 1).unwrap();
    assert_eq!(f.words().len(), before + 3);
}
