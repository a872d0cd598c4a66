//! FilteredWriter streams against unfiltered ones: the same state at every draw, in no more dwords.

use crate::golden::{Parts, digest};
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer, RegisterState};
use pm4::packet::layouts::{DispatchInitiator, DrawInitiator};
use pm4::packet::structs::{
    ClearState, CondExec, ContextRegRmw, DispatchDirect, DrawIndirect, LoadContextReg, LoadContextRegIndex, LoadShReg, PredExec, RegRmw, SetPredication,
    SetShRegOffset,
};
use pm4::packet::values::{ClearStateCmd, CondWritePollSpace, CopyDataSrcSel, EngineSel, Operation, Sas, SetPredicationPredOp};
use pm4::packet::{
    FilteredWriter, Header, IbKind, Opcode, PacketFields, PreparedState, Queue, Reader, RegisterList, Stream, WriteError, Writer, WriterOptions, gfx11,
    register_group, register_index,
};
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// Registers that the sequences write: scattered ones, runs, a scissor, a viewport, graphics and compute SGPRs.
const POOL: [u32; 22] = [
    0x28000, 0x28004, 0x28008, 0x2800C, 0x28010, 0x28014, 0x28018, 0x28238, 0x28250, 0x28254, 0x2843C, 0x28440, 0x28444, 0x28448, 0x2844C, 0x28450, 0x2880C,
    0xB030, 0xB034, 0xB038, 0xB900, 0xB904,
];
#[derive(Debug, Clone)]
enum Step {
    Regs(u32, Vec<u32>),
    List(Vec<(u32, u32)>),
    /// Binds one of two prepared states, optionally after changing one of its registers.
    Bind(usize, Option<(u32, u32)>),
    Rmw(u32, u32, u32),
    /// A write that bypasses the filter.
    Past(u32, u32),
    /// A register of one instance, then all instances again.
    Instance(u32, u32),
    ClearState(u32),
    ContextControl,
    Call(usize),
    /// One of the packets that load registers from memory, with the register.
    Load(usize, u32),
    Copy(u32),
    /// COND_EXEC or PRED_EXEC over writes.
    Skipped(bool, Vec<(u32, u32)>),
    /// The same with a count known in advance, over a write through the filter.
    SkippedRegs(bool, u32, u32),
    /// And over the binding of a prepared state.
    SkippedBind(bool, usize),
    /// SET_SH_REG_OFFSET.
    Offset(u32),
    /// A predicated packet.
    Predicated(u32, u32),
    /// A register write of the kinds that carry data or copy them, to a context register.
    Other(usize, u32),
    Draw,
    Dispatch,
    /// A draw whose packet writes SGPRs.
    IndirectDraw(usize),
}

/// Addresses of called buffers.
const CALLED: [u64; 2] = [0x10_0000, 0x11_0000];
/// The contents of the prepared states: with one register in common.
const PREPARED: [&[u32]; 2] = [&[0x28000, 0x28004, 0x2880C, 0xB030], &[0x28004, 0x28010, 0x28014, 0xB900]];

impl Arbitrary for Step {
    fn arbitrary(g: &mut Gen) -> Self {
        // Few values, so that writes are often redundant.
        let value = |g: &mut Gen| u32::arbitrary(g) % 3;
        let addr = |g: &mut Gen| *g.choose(&POOL).unwrap();
        let context = |g: &mut Gen| POOL[usize::arbitrary(g) % 17];
        match u8::arbitrary(g) % 42 {
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
            34..=35 => Self::SkippedRegs(bool::arbitrary(g), addr(g), value(g)),
            36..=37 => Self::SkippedBind(bool::arbitrary(g), usize::arbitrary(g) % 2),
            38 => Self::Offset(POOL[17 + usize::arbitrary(g) % 5]),
            39 => Self::Predicated(addr(g), value(g)),
            40..=41 => Self::Other(usize::arbitrary(g) % 5, context(g)),
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
    writer.set_options(WriterOptions { indexed: false, ..WriterOptions::default() });
    let off = matches!(mode, Mode::Off);
    let mut f = FilteredWriter::new(writer).exact(matches!(mode, Mode::Exact));
    let mut prepared = PREPARED.map(|regs| PreparedState::new(gfx, Queue::Graphics, &mut regs.iter().map(|addr| (*addr, 1)).collect()).unwrap());
    for step in steps {
        if off {
            f.invalidate();
            f.writer().invalidate_state();
        }
        one(&mut f, &mut prepared, step).unwrap_or_else(|e| panic!("{step:?} on {chip}: {e}"));
    }
    f.into_writer().into_buffer()
}

/// The write of a register, and of the rest of its group.
fn whole(gfx: Gfx, addr: u32, values: &[u32]) -> (u32, Vec<u32>) {
    let (mut addr, mut values) = (addr, values.to_vec());
    let group = |addr: u32| register_group(gfx, addr).unwrap_or(addr..addr + 4);
    while group(addr).start < addr {
        (addr, values) = (addr - 4, [&[1], &values[..]].concat());
    }
    while group(addr + 4 * values.len() as u32 - 4).end > addr + 4 * values.len() as u32 {
        values.push(1);
    }
    (addr, values)
}

/// Emits a packet whose layout differs by generation, with fields common to all of them.
macro_rules! emit {
    ($writer:expr, $packet:ident { $($fields:tt)* } $($tail:tt)*) => {{
        let writer = $writer;
        emit!(@each writer, { $packet { $($fields)* } $($tail)* }, Gfx9 gfx9, Gfx10 gfx10, Gfx103 gfx103, Gfx11 gfx11, Gfx115 gfx115, Gfx12 gfx12)
    }};
    (@each $writer:ident, $packet:tt, $($gfx:ident $module:ident),*) => {
        match $writer.gfx() {
            $(Gfx::$gfx => emit!(@one $writer, $module, $packet),)*
        }
    };
    (@one $writer:ident, $module:ident, { $packet:ident { $($fields:tt)* } $($tail:tt)* }) => {
        $writer.emit(&pm4::packet::$module::$packet { $($fields)*, ..Default::default() } $($tail)*)
    };
}

#[allow(clippy::useless_conversion)] // addresses of registers have more bits on GFX12
fn one(f: &mut FilteredWriter<Vec<u32>>, prepared: &mut [PreparedState; 2], step: &Step) -> Result<(), WriteError> {
    let gfx = f.writer().gfx();
    match step {
        Step::Regs(addr, values) => {
            let (addr, values) = whole(gfx, *addr, values);
            f.set_regs(addr, &values)
        }
        Step::List(writes) => {
            let mut list = RegisterList::new();
            let groups = writes.iter().map(|(addr, value)| whole(gfx, *addr, &[*value]));
            list.extend(groups.flat_map(|(addr, values)| (addr..).step_by(4).zip(values)));
            f.set_list(&mut list)
        }
        Step::Bind(state, change) => {
            if let Some((addr, value)) = change {
                prepared[*state].set(*addr, *value);
            }
            prepared[*state].bind(f.writer())
        }
        Step::Rmw(addr, mask, data) => f.context_reg_rmw(*addr, *mask, *data),
        Step::Past(addr, value) => {
            let (addr, values) = whole(gfx, *addr, &[*value]);
            f.writer().set_regs(addr, &values)
        }
        Step::Instance(addr, value) => {
            let (addr, values) = whole(gfx, *addr, &[*value]);
            f.set_reg(0x30800, 0x6000_0000)?;
            f.set_regs(addr, &values)?;
            f.set_reg(0x30800, 0xE000_0000)
        }
        // From GFX12 on, only push and pop exist.
        Step::ClearState(command) if gfx.major() >= 12 => f.writer().emit(&ClearState { cmd: ClearStateCmd::new(1 + command % 2) }),
        Step::ClearState(command) => f.writer().emit(&ClearState { cmd: ClearStateCmd::new(*command) }),
        Step::ContextControl => f.writer().load_and_shadow_nothing(),
        Step::Call(which) => f.writer().indirect_buffer(IbKind::Call, CALLED[*which], called(*which).len() as u32),
        Step::Load(which, addr) => {
            let context = *addr >= 0x28000;
            let offset = (addr & 0xFFF) / 4;
            let (writer, range) = (f.writer(), [offset, 1]);
            match (which, context) {
                (0 | 1, true) => writer.emit(&LoadContextReg { base_addr: 0x2000 }.followed_by(&range)),
                (_, true) => writer.emit(&LoadContextRegIndex { mem_addr: Some(0x2000), ..Default::default() }.followed_by(&range)),
                (0 | 1, false) => writer.emit(&LoadShReg { base_address: 0x2000 }.followed_by(&range)),
                (_, false) => emit!(writer, LoadShRegIndex { mem_addr: Some(0x2000) }.followed_by(&range)),
            }
        }
        // Immediate data to a register.
        Step::Copy(addr) => emit!(f.writer(), WriteData { dst_mmreg_addr: Some((addr / 4).into()) }.followed_by(&[7])),
        Step::Skipped(memory, writes) => {
            let skipped = |w: &mut pm4::packet::Writer<Vec<u32>>| {
                writes.iter().try_for_each(|(addr, value)| {
                    let (addr, values) = whole(gfx, *addr, &[*value]);
                    w.set_regs(addr, &values)
                })
            };
            if *memory { f.writer().cond_exec(0x3000, skipped) } else { f.writer().pred_exec(1, skipped) }
        }
        Step::SkippedRegs(memory, addr, value) => {
            let (addr, values) = whole(gfx, *addr, &[*value]);
            skip(f, *memory, 2 + values.len())?;
            f.set_regs(addr, &values)
        }
        Step::SkippedBind(memory, state) => {
            // All of the group is written.
            f.writer().invalidate_state();
            skip(f, *memory, prepared[*state].words().len())?;
            prepared[*state].bind(f.writer())
        }
        Step::Offset(addr) => f.writer().emit(&SetShRegOffset { reg_offset: (addr - 0xB000) / 4, ib_offset: Some(0x40), ..Default::default() }),
        Step::Predicated(addr, value) => {
            let (addr, values) = whole(gfx, *addr, &[*value]);
            let (set, start) = if addr >= 0x28000 { (Opcode::SET_CONTEXT_REG, 0x28000) } else { (Opcode::SET_SH_REG, 0xB000) };
            f.writer().emit(&SetPredication { pred_op: SetPredicationPredOp::DX12, start_addr: 0x4000, ..Default::default() })?;
            f.packet_with(Header::type3(set, 1 + values.len()).with_predicate(true), &[&[(addr - start) / 4], &values[..]].concat())?;
            f.writer().emit(&SetPredication::default())
        }
        Step::Other(which, addr) => match which {
            // From memory to the register; immediate data; a copy in register space; a write before a wait; a write after a comparison.
            0 => {
                let (src_sel, src_addr) = (CopyDataSrcSel::MEMORY, Some(0x2000));
                emit!(f.writer(), CopyData { src_sel, src_addr, dst_reg_offset: Some((addr / 4).into()) })
            }
            1 => {
                let (src_sel, imm_data) = (CopyDataSrcSel::IMMEDIATE_DATA, Some(7));
                emit!(f.writer(), CopyData { src_sel, imm_data, dst_reg_offset: Some((addr / 4).into()) })
            }
            2 => emit!(f.writer(), DmaData { src_addr: 0x2000, das: Sas::REGISTER, dst_addr: u64::from(*addr), byte_count: 4 }),
            3 => {
                let (operation, engine_sel, register) = (Operation::WR_WAIT_WR_REG, EngineSel::PREFETCH_PARSER, Some(addr / 4));
                emit!(f.writer(), WaitRegMem { operation, engine_sel, reg_write_addr1: register, reg_write_addr2: register, poll_interval: 4 })
            }
            _ => {
                let (poll_space, write_address) = (CondWritePollSpace::MEMORY, u64::from(addr / 4));
                emit!(f.writer(), CondWrite { poll_space, poll_address: 0x2000, write_address, write_data: 7 })
            }
        },
        Step::Draw => f.writer().draw_index_auto(3, DrawInitiator::AUTO_INDEX),
        Step::Dispatch => {
            f.writer().emit(&DispatchDirect { dim_x: 1, dim_y: 1, dim_z: 1, dispatch_initiator: DispatchInitiator::new().with_compute_shader_en(true) })
        }
        Step::IndirectDraw(which) => {
            let (loc, draw_initiator) = ((0xB030 - 0xB000) / 4, DrawInitiator::AUTO_INDEX);
            let (start_vtx_loc, start_inst_loc) = (loc, loc + 1);
            match which {
                0 => f.writer().emit(&DrawIndirect { data_offset: 0, start_vtx_loc, start_inst_loc, draw_initiator }),
                1 => emit!(f.writer(), DrawIndexIndirect { base_vtx_loc: loc, start_inst_loc, draw_initiator }),
                _ => emit!(f.writer(), DrawIndirectMulti { start_vtx_loc, start_inst_loc, count: 1, stride: 16, draw_initiator }),
            }
        }
    }
}

/// The next dwords run or do not.
fn skip(f: &mut FilteredWriter<Vec<u32>>, memory: bool, dwords: usize) -> Result<(), WriteError> {
    let exec_count = dwords as u32;
    if memory { f.writer().emit(&CondExec { addr: 0x3000, exec_count }) } else { f.writer().emit(&PredExec { device_select: 1, exec_count }) }
}

/// The called buffers: writes of a context register, or of SGPRs of both kinds.
fn called(which: usize) -> &'static [u32] {
    [&[0xC001_6900, 0, 0x77][..], &[0xC001_7600, 0xC, 0x66, 0xC001_7602, 0x240, 0x55]][which]
}

#[derive(Default)]
struct States(Vec<Vec<Option<u32>>>);

impl Observer for States {
    fn draw(&mut self, draw: &DrawView<'_>) {
        // Unknown values are equal, whatever the reason.
        let word = |v: RegisterState| match v {
            RegisterState::Written(word) | RegisterState::Cleared(word) => Some(word),
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
            let whole = record(chip, steps, Mode::Off);
            let wanted = states(chip, &whole);
            [record(chip, steps, Mode::Runs), record(chip, steps, Mode::Exact), copied(chip.gfx(), &whole)].iter().any(|words| states(chip, words) != wanted)
        };
        if differs(&steps) {
            let smallest = std::iter::successors(Some(steps), |bad| bad.shrink().find(&differs)).last().unwrap();
            panic!("PM4_SEED={seed} on {chip}: another state after {smallest:?}");
        }
        let [off, runs, exact] = [Mode::Off, Mode::Runs, Mode::Exact].map(|mode| record(chip, &steps, mode).len());
        (off_dwords, run_dwords, exact_dwords) = (off_dwords + off, run_dwords + runs, exact_dwords + exact);
    }
    println!("{off_dwords} dwords unfiltered, {run_dwords} by run, {exact_dwords} exact");
    // Few of these sequences have a run worth splitting: exact_filtering_splits_where_that_saves_a_dword has one.
    assert!(exact_dwords <= run_dwords && run_dwords < off_dwords);
}

/// A finished stream, packet by packet through the filter.
fn copied(gfx: Gfx, words: &[u32]) -> Vec<u32> {
    let mut writer = Stream::growable(gfx, Queue::Graphics);
    writer.set_options(WriterOptions { indexed: false, whole_groups: false, ..WriterOptions::default() });
    let mut filtered = FilteredWriter::new(writer);
    for packet in Reader::new(words) {
        let packet = packet.expect("a packet of a writer");
        filtered.copy(&packet).unwrap_or_else(|error| panic!("{packet:x?}: {error}"));
    }
    filtered.into_writer().into_buffer()
}

/// SET packets without a change are omitted entirely; a register with an index and a write that bypasses the hardware filter are not.
#[test]
fn a_copy_lacks_packets_that_change_nothing_and_is_otherwise_the_same() {
    let run = [0xC002_6900, 0x80, 1, 2];
    let partly = [0xC002_6900, 0x80, 1, 3];
    let list = [0xC003_B804, 0x80, 1, 0x81, 3];
    let forced = [0xC001_6904, 0x80, 1];
    let index = [0xC001_9B00, 0x3000_0007, 5, 0xC001_9B00, 0x3000_0007, 5]; // SPI_SHADER_PGM_RSRC3_PS
    let draw = [0xC001_2D00, 3, 2];
    let all = [&run[..], &draw, &run, &draw, &partly, &draw, &list, &draw, &forced, &index].concat();
    let wanted = [&run[..], &draw, &draw, &partly, &draw, &draw, &forced, &index].concat();
    assert_eq!(copied(Gfx::Gfx11, &all), wanted);
}

/// The filter does not follow the writes of a type-0 packet: nothing is known after it.
#[test]
fn a_packet_of_type_0_makes_every_value_unknown() {
    let mut f = filtered(Gfx::Gfx9);
    f.set_reg(0x28200, 1).expect("room");
    let before = f.words().len();
    f.set_reg(0x28200, 1).expect("room");
    assert_eq!(f.words().len(), before, "it is known");
    f.writer().raw(&[0x0000_0C00, 7]).expect("room");
    let behind = f.words().len();
    f.set_reg(0x28200, 1).expect("room");
    assert!(f.words().len() > behind);
}

/// Packets whose fields the command processor keeps in registers of its own encoding: a register written by name later may differ.
#[test]
fn registers_that_a_packet_implies_are_not_taken_as_written() {
    let base = pm4::regs::find(Gfx::Gfx9, "VGT_DMA_BASE").expect("a register").addr();
    let set = [0xC001_6900, (base - 0x28000) / 4, 0x1000];
    let index_base = [0xC001_2600, 0x1000, 0];
    let all = [&set[..], &set, &index_base, &set, &set].concat();
    assert_eq!(copied(Gfx::Gfx9, &all), [&set[..], &index_base, &set].concat());
}

/// Writes a packet.
type Write<'a> = &'a dyn Fn(&mut Stream) -> Result<(), WriteError>;

fn filtered(gfx: Gfx) -> FilteredWriter<Vec<u32>> {
    FilteredWriter::new(Stream::growable(gfx, Queue::Graphics))
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
    let (mode, ib_base1, ib_base2) = (pm4::packet::values::Mode::IF_THEN_ELSE, 0x1000, 0x2000);
    f.writer().emit(&gfx11::CondIndirectBuffer { mode, ib_base1, ib_size1: 8, ib_base2, ib_size2: 8, ..Default::default() }).unwrap();
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

/// Whether the filter writes this register if it is given the same value again.
fn writes_again(f: &mut FilteredWriter<Vec<u32>>, addr: u32, value: u32) -> bool {
    let before = f.words().len();
    f.set_reg(addr, value).unwrap();
    f.words().len() > before
}

#[test]
fn registers_with_an_index_are_always_written() {
    for (gfx, addr) in Gfx::iter().flat_map(|gfx| (0xB000..0xC000).step_by(4).map(move |addr| (gfx, addr))) {
        let mut f = filtered(gfx);
        f.set_reg(addr, 1).unwrap();
        assert_eq!(writes_again(&mut f, addr, 1), register_index(gfx, addr).is_some(), "{addr:#x} of {gfx}");
        let before = f.words().len();
        f.set_list(&mut [(addr, 1)].into_iter().collect()).unwrap();
        assert_eq!(f.words().len() > before, register_index(gfx, addr).is_some(), "{addr:#x} of {gfx} in a list");
    }
}

#[test]
fn of_two_viewports_the_one_that_changes_is_written() {
    const SCALE: u32 = 0x2843C;
    for (changed, first) in [(0, SCALE), (5, SCALE), (6, SCALE + 24), (11, SCALE + 24)] {
        for exact in [false, true] {
            let mut f = filtered(Gfx::Gfx103).exact(exact);
            let mut values: [u32; 12] = std::array::from_fn(|n| n as u32 + 1);
            f.set_regs(SCALE, &values).unwrap();
            let before = f.words().len();
            values[changed] += 100;
            f.set_regs(SCALE, &values).unwrap();
            let from = (first - SCALE) as usize / 4;
            let packet = [&[0xC006_6900, (first - 0x28000) / 4][..], &values[from..from + 6]].concat();
            assert_eq!(f.words()[before..], packet, "value {changed}, exact {exact}");
        }
    }
}

#[test]
fn a_filter_takes_over_the_instance_selection_and_skipped_ranges_of_its_stream() {
    let mut one_instance = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    one_instance.set_reg(0x30800, 0).unwrap();
    let mut f = FilteredWriter::new(one_instance);
    assert!(writes_again(&mut f, 0x28000, 1) && writes_again(&mut f, 0x28000, 1));

    let mut skipped = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    skipped.emit(&CondExec { addr: 0x1000, exec_count: 3 }).unwrap();
    let mut f = FilteredWriter::new(skipped);
    assert!(writes_again(&mut f, 0x28000, 1) && writes_again(&mut f, 0x28000, 1) && !writes_again(&mut f, 0x28000, 1));
}

#[test]
fn a_choice_of_all_instances_that_may_be_skipped_chooses_nothing() {
    let mut f = filtered(Gfx::Gfx11);
    f.set_reg(0x30800, 0).unwrap();
    f.writer().cond_exec(0x1000, |w| w.set_reg(0x30800, 0xE000_0000)).unwrap();
    assert!(writes_again(&mut f, 0x28000, 1) && writes_again(&mut f, 0x28000, 1));
    // The writer bypasses the hardware filter as well.
    assert!(Header(f.writer().last_packet()[0]).resets_filter_cam());
    f.set_reg(0x30800, 0xE000_0000).unwrap();
    assert!(writes_again(&mut f, 0x28000, 1) && !writes_again(&mut f, 0x28000, 1));
}

#[test]
fn what_a_called_buffer_left_chosen_is_not_trusted() {
    let mut f = filtered(Gfx::Gfx103);
    f.writer().indirect_buffer(IbKind::Call, 0x1000, 8).unwrap();
    f.set_reg(0x28000, 1).unwrap();
    f.set_reg(0x30800, 0xE000_0000).unwrap();
    assert!(writes_again(&mut f, 0x28000, 1));
}

/// Packets after which SGPRs, or all registers, have values from memory or from another stream.
#[test]
fn what_the_model_cannot_follow_is_not_filtered_either() {
    let cases: [(Gfx, Opcode, &[u32], &[u32]); 14] = [
        (Gfx::Gfx11, Opcode::DISPATCH_MESH_INDIRECT_MULTI, &[0, 0xC, 1 << 28, 1, 0, 0, 16, 2], &[0xB030, 0xB034, 0xB038]),
        (Gfx::Gfx11, Opcode::DISPATCH_TASKMESH_GFX, &[0x10_000C, 1 << 30, 2], &[0xB030, 0xB034, 0xB038, 0xB040]),
        (Gfx::Gfx9, Opcode::SET_SH_REG_OFFSET, &[0xC, 0x40, 0], &[0xB030, 0xB034]),
        (Gfx::Gfx11, Opcode::REWIND, &[0x8000_0000], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode::LOAD_SH_REG, &[0x2000, 0, 0x240, 1], &[0xB900]),
        (Gfx::Gfx11, Opcode::LOAD_CONTEXT_REG, &[0x2000, 0, 0, 1], &[0x28000]),
        (Gfx::Gfx11, Opcode::COND_WRITE, &[0x10, 0x2000, 0, 0, 0, 0xA000, 0, 7], &[0x28000]),
        (Gfx::Gfx11, Opcode::DMA_DATA, &[0, 0x2000, 0, 0x28000, 0, 1 << 27 | 4], &[0x28000]),
        (Gfx::Gfx11, Opcode::EXECUTE_INDIRECT, &[0; 14], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode(0xFB), &[0], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode::CONTEXT_CONTROL, &[0x8101_0002, 1 << 31], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode::SET_CONTEXT_REG_INDIRECT, &[0], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode::CONTEXT_POP, &[0], &[0x28000, 0xB030, 0xB900]),
        (Gfx::Gfx11, Opcode::WRITE_DATA, &[0, 0xA000, 0, 7], &[0x28000]),
    ];
    for (gfx, opcode, body, registers) in cases {
        let mut f = filtered(gfx);
        for addr in registers {
            f.set_reg(*addr, 1).unwrap();
        }
        f.writer().raw(&[&[Header::type3(opcode, body.len()).0], body].concat()).unwrap();
        for addr in registers {
            assert!(writes_again(&mut f, *addr, 1), "{addr:#x} after {opcode}");
        }
    }
}

#[test]
fn a_predicated_write_makes_no_value_known() {
    let mut f = filtered(Gfx::Gfx11);
    f.packet_with(Header::type3(Opcode::SET_CONTEXT_REG, 2).with_predicate(true), &[0, 1]).unwrap();
    assert!(writes_again(&mut f, 0x28000, 1) && !writes_again(&mut f, 0x28000, 1));
}

#[test]
fn a_read_modify_write_is_left_out_only_where_it_is_known_to_change_nothing() {
    let mut f = filtered(Gfx::Gfx11);
    let writes = |f: &mut FilteredWriter<Vec<u32>>, mask, data| {
        let before = f.words().len();
        f.context_reg_rmw(0x28000, mask, data).unwrap();
        f.words().len() > before
    };
    // Unknown before and after.
    assert!(writes(&mut f, 2, 2) && writes(&mut f, 2, 2) && writes_again(&mut f, 0x28000, 1));
    // 1 becomes 3; data bits outside the mask are ignored.
    assert!(writes(&mut f, 2, 6) && !writes(&mut f, 2, 2) && !writes(&mut f, 3, 7));
    assert!(!writes_again(&mut f, 0x28000, 3));
    // 3 or 7, depending on whether the range runs.
    f.writer().cond_exec(0x1000, |w| w.emit(&ContextRegRmw { reg_offset: 0, reg_mask: 4, reg_data: 4 })).unwrap();
    assert!(writes_again(&mut f, 0x28000, 7));
}

#[test]
fn a_state_is_bound_again_after_what_may_change_registers() {
    let gfx = Gfx::Gfx11;
    let draw_initiator = DrawInitiator::AUTO_INDEX;
    let data = gfx11::CopyData { src_sel: CopyDataSrcSel::IMMEDIATE_DATA, imm_data: Some(7), dst_reg_offset: Some(0xA000), ..Default::default() };
    let packets: [Write<'_>; 8] = [
        &|s| s.clear_state(),
        &|s| s.load_and_shadow_nothing(),
        &|s| s.emit(&LoadContextReg { base_addr: 0x1000 }.followed_by(&[0, 1])),
        &|s| s.indirect_buffer(IbKind::Call, 0x1000, 8),
        &|s| s.emit(&DrawIndirect { data_offset: 0, start_vtx_loc: 0xC, start_inst_loc: 0xD, draw_initiator }),
        &|s| s.emit(&ContextRegRmw { reg_offset: 0, reg_mask: 1, reg_data: 1 }),
        &|s| s.emit(&data),
        &|s| s.emit(&gfx11::WriteData { dst_mmreg_addr: Some(0xA000), ..Default::default() }.followed_by(&[7])),
    ];
    let mut state = PreparedState::new(gfx, Queue::Graphics, &mut [(0x28000, 1), (0x28100, 2), (0x28200, 3)].into_iter().collect()).unwrap();
    let mut stream = Stream::growable(gfx, Queue::Graphics);
    let bound = |state: &mut PreparedState, stream: &mut Stream| {
        let before = stream.len();
        state.bind(stream).unwrap();
        stream.words()[before..].to_vec()
    };
    assert_eq!(bound(&mut state, &mut stream), state.words());
    for packet in packets {
        packet(&mut stream).unwrap();
        let opcode = Header(stream.last_packet()[0]).opcode();
        assert_eq!(bound(&mut state, &mut stream), state.words(), "after {opcode}");
        assert_eq!(bound(&mut state, &mut stream), [0_u32; 0], "again");
    }
    // A range that may be skipped: bindings inside it are repeated after it.
    stream.emit(&CondExec { addr: 0x1000, exec_count: 3 + 9 }).unwrap();
    stream.set_reg(0x28014, 0).unwrap();
    assert_eq!(bound(&mut state, &mut stream), state.words(), "in a range");
    assert_eq!(bound(&mut state, &mut stream), state.words(), "after it");
    // Every register that changed, and no other.
    assert!(state.set(0x28000, 4) && state.set(0x28200, 5));
    assert_eq!(bound(&mut state, &mut stream), [0xC001_6900, 0, 4, 0xC001_6900, 0x80, 5]);
}

#[test]
fn a_prepared_state_accepts_values_for_its_own_registers_only() {
    // Two runs: 3 registers and 1.
    let mut list: RegisterList = [(0x28000, 1), (0x28004, 2), (0x28008, 3), (0x28200, 4)].into_iter().collect();
    let mut state = PreparedState::new(Gfx::Gfx11, Queue::Graphics, &mut list).unwrap();
    for (addr, taken) in
        [(0x28000, true), (0x28008, true), (0x28200, true), (0x27FFC, false), (0x2800C, false), (0x281FC, false), (0x28204, false), (0x28002, false)]
    {
        let before = state.words().to_vec();
        assert_eq!(state.set(addr, 9), taken, "{addr:#x}");
        assert_eq!(state.words() != before, taken, "{addr:#x}");
    }
    assert_eq!(state.words(), [0xC003_6900, 0, 9, 2, 9, 0xC001_6900, 0x80, 9]);
}

#[test]
fn an_exact_filter_writes_all_packets_of_a_change_or_none() {
    let old = [0; 12];
    let new = [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3];
    for room in 0..40 {
        let mut memory = vec![0; room];
        let mut f = FilteredWriter::new(Writer::fixed(Gfx::Gfx9, Queue::Graphics, &mut memory)).exact(true);
        if f.set_regs(0x28000, &old).is_err() {
            continue;
        }
        let before = f.words().to_vec();
        let result = f.set_regs(0x28000, &new);
        if result.is_err() {
            assert_eq!(f.words(), before, "{room} dwords");
        }
        // The values known to the filter are those of the stream.
        let held = if result.is_ok() { new } else { old };
        let now = f.words().len();
        assert_eq!((f.set_regs(0x28000, &held), f.words().len()), (Ok(()), now), "{room} dwords");
    }
}

#[test]
fn whatever_chooses_instances_makes_register_writes_bypass_the_filter() {
    const SELECT: u32 = 0x30800 / 4;
    let register = gfx11::CopyData { dst_reg_offset: Some(SELECT), ..Default::default() };
    let data = gfx11::CopyData { src_sel: CopyDataSrcSel::IMMEDIATE_DATA, imm_data: Some(0), ..register };
    let copy = gfx11::CopyData { src_sel: CopyDataSrcSel::TC_L2, src_addr: Some(0x1000), ..register };
    let modify = |and_mask, or_mask| RegRmw { mod_addr: SELECT, and_mask: Some(and_mask), or_mask: Some(or_mask), ..Default::default() };
    let packets: [(&str, Write<'_>); 5] = [
        ("WRITE_DATA", &|s| s.emit(&gfx11::WriteData { dst_mmreg_addr: Some(SELECT), ..Default::default() }.followed_by(&[0]))),
        ("REG_RMW", &|s| s.emit(&modify(0x1FFF_FFFF, 0))),
        ("COPY_DATA of data", &|s| s.emit(&data)),
        ("COPY_DATA of memory", &|s| s.emit(&copy)),
        ("LOAD_UCONFIG_REG_INDEX", &|s| {
            s.emit(&gfx11::LoadUconfigRegIndex { mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[SELECT - 0xC000, 1]))
        }),
    ];
    let bypasses = |words: &[u32]| Header(words[words.len() - 3]).resets_filter_cam();
    for (opcode, packet) in packets {
        let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
        packet(&mut stream).expect("a sound packet");
        stream.set_reg(0x28000, 1).expect("room");
        assert!(bypasses(stream.words()), "{opcode}");
        // The filter removes nothing until all instances are selected again.
        let mut filter = FilteredWriter::new(Stream::growable(Gfx::Gfx11, Queue::Graphics));
        packet(filter.writer()).expect("a sound packet");
        filter.set_reg(0x28000, 1).expect("room");
        let once = filter.words().len();
        filter.set_reg(0x28000, 1).expect("room");
        assert!(filter.words().len() > once, "{opcode}");
        stream.set_reg(0x30800, 0xE000_0000).expect("room");
        stream.set_reg(0x28000, 1).expect("room");
        assert!(!bypasses(stream.words()), "{opcode}");
    }
    // A mask that preserves the broadcast bits preserves the selection.
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.emit(&modify(0xE000_0000, 1)).expect("a sound packet");
    stream.set_reg(0x28000, 1).expect("room");
    assert!(!bypasses(stream.words()));
}

/// The output of the filter for random writes, for both kinds of runs: dwords and a hash of all words, `golden/packets/filtered.txt`. If the filter writes more
/// than before, a line here changes even if the state is right.
#[test]
fn filtered_writes_are_the_expected_packets() {
    let mut parts = Parts::default();
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1150, Chip::Gfx1201] {
        let mut text = String::new();
        for number in 0..40 {
            let g = &mut Gen::from_size_and_seed(40, number);
            let steps: Vec<Step> = (0..60).map(|_| Step::arbitrary(g)).collect();
            let told = |mode| {
                let words = record(chip, &steps, mode);
                format!("{} dwords {:016x}", words.len(), digest(&format!("{words:x?}")))
            };
            text += &format!("{number}: all {}, in runs {}, exact {}\n", told(Mode::Off), told(Mode::Runs), told(Mode::Exact));
        }
        parts.add(&chip.to_string(), &text);
    }
    parts.assert("packets/filtered.txt");
}
