//! Filtered streams against unfiltered ones: the same state at every draw, in no more dwords.

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer, Value};
use pm4::packet::{Filtered, IbKind, Opcode, Options, Prepared, Queue, RegisterList, Stream, WriteError};
use quickcheck::{Arbitrary, Gen};

/// Registers that the sequences write: scattered ones, runs, a scissor, a viewport, graphics and compute SGPRs.
const POOL: [u32; 22] = [
    0x28000, 0x28004, 0x28008, 0x2800C, 0x28010, 0x28014, 0x28018, 0x28238, 0x28250, 0x28254, 0x2843C, 0x28440, 0x28444, 0x28448, 0x2844C, 0x28450, 0x2880C,
    0xB030, 0xB034, 0xB038, 0xB900, 0xB904,
];
#[derive(Debug, Clone)]
enum Step {
    Regs(u32, Vec<u32>),
    List(Vec<(u32, u32)>),
    /// Binds one of two prepared states, one register of it changed before if there is one.
    Bind(usize, Option<(u32, u32)>),
    Rmw(u32, u32, u32),
    /// A write past the filter.
    Past(u32, u32),
    /// A register of one instance, and all instances again.
    Instance(u32, u32),
    ClearState(u32),
    ContextControl,
    Call(usize),
    /// One of the packets that load registers from memory, with the register.
    Load(usize, u32),
    Copy(u32),
    /// COND_EXEC or PRED_EXEC over writes.
    Skipped(bool, Vec<(u32, u32)>),
    Draw,
    Dispatch,
    /// A draw whose packet writes SGPRs.
    IndirectDraw(usize),
}

/// Addresses of what is called.
const CALLED: [u64; 2] = [0x10_0000, 0x11_0000];
/// What the prepared states hold: with one register in common.
const PREPARED: [&[u32]; 2] = [&[0x28000, 0x28004, 0x2880C, 0xB030], &[0x28004, 0x28010, 0x28014, 0xB900]];

impl Arbitrary for Step {
    fn arbitrary(g: &mut Gen) -> Self {
        // Few values, so that writes are often redundant.
        let value = |g: &mut Gen| u32::arbitrary(g) % 3;
        let addr = |g: &mut Gen| *g.choose(&POOL).unwrap();
        let context = |g: &mut Gen| POOL[usize::arbitrary(g) % 17];
        match u8::arbitrary(g) % 34 {
            0..=7 => {
                let from = addr(g);
                let room = (0..).take_while(|n| POOL.contains(&(from + 4 * n))).count();
                let n = 1 + usize::arbitrary(g) % room;
                Self::Regs(from, (0..n).map(|_| value(g)).collect())
            }
            8..=10 => Self::List((0..1 + u8::arbitrary(g) % 12).map(|_| (addr(g), value(g))).collect()),
            11..=13 => {
                let state = usize::arbitrary(g) % 2;
                let change = bool::arbitrary(g).then(|| (*g.choose(PREPARED[state]).unwrap(), value(g)));
                Self::Bind(state, change)
            }
            14..=15 => Self::Rmw(context(g), *g.choose(&[u32::MAX, 1, 2, 0]).unwrap(), value(g)),
            16 => Self::Past(addr(g), value(g)),
            17 => Self::Instance(context(g), value(g)),
            18 => Self::ClearState(u32::arbitrary(g) % 4),
            19 => Self::ContextControl,
            20 => Self::Call(usize::arbitrary(g) % 2),
            21..=22 => Self::Load(usize::arbitrary(g) % 4, addr(g)),
            23 => Self::Copy(addr(g)),
            24..=25 => Self::Skipped(bool::arbitrary(g), (0..1 + u8::arbitrary(g) % 3).map(|_| (addr(g), value(g))).collect()),
            26 => Self::IndirectDraw(usize::arbitrary(g) % 3),
            27 => Self::Dispatch,
            _ => Self::Draw,
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match self {
            Self::Regs(addr, values) if values.len() > 1 => Box::new([Self::Regs(*addr, values[..values.len() - 1].to_vec())].into_iter()),
            Self::List(writes) if writes.len() > 1 => Box::new([Self::List(writes[1..].to_vec()), Self::List(writes[..writes.len() - 1].to_vec())].into_iter()),
            Self::Skipped(by, writes) if writes.len() > 1 => Box::new([Self::Skipped(*by, writes[1..].to_vec())].into_iter()),
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
    let mut prepared = PREPARED.map(|regs| Prepared::new(gfx, Queue::Graphics, &mut regs.iter().map(|addr| (*addr, 1)).collect()).unwrap());
    for step in steps {
        if off {
            f.invalidate();
            f.writer().invalidate_state();
        }
        one(&mut f, &mut prepared, step).unwrap_or_else(|e| panic!("{step:?} on {chip}: {e}"));
    }
    f.into_writer().into_buffer()
}

fn one(f: &mut Filtered<Vec<u32>>, prepared: &mut [Prepared; 2], step: &Step) -> Result<(), WriteError> {
    let gfx = f.writer().gfx();
    match step {
        Step::Regs(addr, values) => f.set_regs(*addr, values),
        Step::List(writes) => f.set_list(&mut writes.iter().copied().collect::<RegisterList>()),
        Step::Bind(state, change) => {
            if let Some((addr, value)) = change {
                prepared[*state].set(*addr, *value);
            }
            prepared[*state].bind(f.writer())
        }
        Step::Rmw(addr, mask, data) => f.context_reg_rmw(*addr, *mask, *data),
        Step::Past(addr, value) => f.writer().set_reg(*addr, *value),
        Step::Instance(addr, value) => {
            f.set_reg(0x30800, 0x6000_0000)?;
            f.set_reg(*addr, *value)?;
            f.set_reg(0x30800, 0xE000_0000)
        }
        // From GFX12 on push and pop are all there is.
        Step::ClearState(command) if gfx.major() >= 12 => f.writer().packet(Opcode::CLEAR_STATE, &[1 + command % 2]),
        Step::ClearState(command) => f.writer().packet(Opcode::CLEAR_STATE, &[*command]),
        Step::ContextControl => f.writer().context_control(1 << 31, 1 << 31),
        Step::Call(which) => f.writer().indirect_buffer(IbKind::Call, CALLED[*which], called(*which).len() as u32),
        Step::Load(which, addr) => {
            let context = *addr >= 0x28000;
            let offset = (addr & 0xFFF) / 4;
            let (opcode, body) = match (which, context) {
                (0 | 1, true) => (Opcode::LOAD_CONTEXT_REG, [0x2000, 0, offset, 1]),
                (_, true) => (Opcode::LOAD_CONTEXT_REG_INDEX, [0x2000, 0, offset, 1]),
                (0 | 1, false) => (Opcode::LOAD_SH_REG, [0x2000, 0, offset, 1]),
                (_, false) => (Opcode::LOAD_SH_REG_INDEX, [0x2000, 0, offset, 1]),
            };
            f.writer().packet(opcode, &body)
        }
        // Immediate data to a register.
        Step::Copy(addr) => f.writer().packet(Opcode::WRITE_DATA, &[0, addr / 4, 0, 7]),
        Step::Skipped(memory, writes) => {
            let skipped = |w: &mut pm4::packet::Writer<Vec<u32>>| writes.iter().try_for_each(|(addr, value)| w.set_reg(*addr, *value));
            if *memory { f.writer().cond_exec(0x3000, skipped) } else { f.writer().pred_exec(1, skipped) }
        }
        Step::Draw => f.writer().draw_index_auto(3, 2),
        Step::Dispatch => f.writer().packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 1]),
        Step::IndirectDraw(which) => {
            let loc = (0xB030 - 0xB000) / 4;
            match which {
                0 => f.writer().packet(Opcode::DRAW_INDIRECT, &[0, loc, loc + 1, 2]),
                1 => f.writer().packet(Opcode::DRAW_INDEX_INDIRECT, &[0, loc, loc + 1, 2]),
                _ => f.writer().packet(Opcode::DRAW_INDIRECT_MULTI, &[0, loc, loc + 1, 0, 1, 0, 0, 16, 2]),
            }
        }
    }
}

/// What is called: writes of a context register, or of SGPRs of both kinds.
fn called(which: usize) -> &'static [u32] {
    [&[0xC001_6900, 0, 0x77][..], &[0xC001_7600, 0xC, 0x66, 0xC001_7602, 0x240, 0x55]][which]
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
    let mut cp = CommandProcessor::new(chip);
    for (which, addr) in CALLED.into_iter().enumerate() {
        cp.map("called", addr, called(which));
    }
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
