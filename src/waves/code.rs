//! A program prepared for execution: operands resolved, waits and targets decoded once.

use super::counters::Counter;
use super::setup::Setup;
use crate::chip::Gfx;
use crate::isa::{Instruction, Mubuf, Op, Reg, ShaderCode, Smem, Src, Waitcnt, may_write_sgprs, message};
use alloc::vec;
use alloc::vec::Vec;

/// Indices of registers in a wave's array: SGPRs and VCC by number, then these.
pub(super) const M0: u8 = 124;
pub(super) const NULL: u8 = 125;
pub(super) const EXEC: u8 = 126;
pub(super) const VCC: u8 = 106;

/// The source of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arg {
    Reg(u8),
    Wide(u8),
    Const(u64),
    Exiting,
    Scc,
    Vccz,
    Execz,
}

/// When a branch is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    Scc(bool),
    Vcc(bool),
    Exec(bool),
}

/// Consecutive registers: the index of the first and their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub first: u8,
    pub count: u8,
}

impl Registers {
    /// Returns the registers; None for NULL, which discards writes.
    fn of(first: Reg, count: u8) -> Option<Self> {
        (first != Reg::Null).then(|| Self { first: place(first), count })
    }

    fn mask(self) -> u128 {
        ((1 << self.count) - 1) << self.first
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Changes nothing that the model tracks.
    Nothing,
    Scalar {
        op: Op,
        dst: u8,
        wide: bool,
        a: Arg,
        b: Arg,
    },
    SaveExec {
        wide: bool,
        dst: u8,
        a: Arg,
    },
    /// Writes registers with a value that the model does not know.
    Unknown(Registers),
    /// Words that are not a known instruction and might write any SGPR. The model leaves all SGPRs unchanged.
    Opaque,
    /// Writes bits of the register that names the packer.
    Packer {
        mask: u32,
        shift: u8,
        from: Arg,
    },
    /// Reads a wave register: the bits of the packer, or 0 for other registers.
    Getreg {
        dst: u8,
        packer: bool,
        shift: u8,
        mask: u32,
    },
    Branch {
        when: When,
        target: Option<u32>,
    },
    /// A jump through a register, which the model does not follow.
    Jump,
    Sleep,
    /// Waits until at most the given number of each counter is outstanding; 255 does not wait.
    Wait([u8; 3]),
    /// Waits for one counter; the permitted number is the sum of a register and a constant, in 6 bits.
    WaitSum {
        counter: Counter,
        register: u8,
        constant: u8,
    },
    WaitReady,
    Done,
    Export {
        done: bool,
    },
    Access {
        read: bool,
        write: bool,
        counter: Counter,
        judged: bool,
        /// The scalar registers that the access loads.
        loaded: Option<Registers>,
    },
    End {
        ordered_done: bool,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub kind: Kind,
    /// Whether the step reads an SGPR without a known argument.
    pub unknown: bool,
}

/// A program, and its steps.
#[derive(Debug)]
pub(super) struct Code {
    pub program: ShaderCode,
    pub steps: Vec<Step>,
    /// Whether the program contains an export.
    pub exports: bool,
}

pub(super) fn place(reg: Reg) -> u8 {
    match reg {
        Reg::Sgpr(n) => n.min(105),
        Reg::FlatScratchLo => 102,
        Reg::FlatScratchHi => 103,
        Reg::XnackMaskLo => 104,
        Reg::XnackMaskHi => 105,
        Reg::VccLo => VCC,
        Reg::VccHi => VCC + 1,
        Reg::Ttmp(n) => 108 + n.min(15),
        Reg::M0 => M0,
        Reg::Null => NULL,
        Reg::ExecLo => EXEC,
        Reg::ExecHi => EXEC + 1,
    }
}

pub(super) fn arg(src: Src, wide: bool) -> Arg {
    match src {
        Src::Reg(reg) if wide => Arg::Wide(place(reg)),
        Src::Reg(reg) => Arg::Reg(place(reg)),
        Src::Int(n) if wide => Arg::Const(i64::from(n) as u64),
        Src::Float(_) if wide => Arg::Const(src.wide_float().unwrap_or(0)),
        Src::PopsExitingWaveId => Arg::Exiting,
        Src::Scc => Arg::Scc,
        Src::Vccz => Arg::Vccz,
        Src::Execz => Arg::Execz,
        _ => Arg::Const(src.value().unwrap_or(0).into()),
    }
}

pub(super) fn wide(op: Op, operand: crate::isa::Operand) -> bool {
    op.is_wide(operand)
}

impl Code {
    pub fn new(setup: &Setup, words: &[u32]) -> Self {
        let program = ShaderCode::decode(setup.gfx, words);
        let steps = program.items().iter().map(|item| Step { kind: kind(setup, &item.instruction, item.target), unknown: false }).collect();
        let exports = program.items().iter().any(|item| matches!(item.instruction, Instruction::Exp(_)));
        let mut code = Self { program, steps, exports };
        code.find_unknown_reads(setup.arguments.first_unknown().unwrap_or(setup.arguments.count()));
        code
    }

    /// Returns the steps that can run after a step.
    pub fn successors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let instruction = self.program.items().get(at);
        let target = instruction.and_then(|item| item.target);
        let next = instruction.is_some_and(|item| item.instruction.falls_through()).then_some(at + 1);
        target.into_iter().chain(next)
    }

    /// Marks the steps that may read an SGPR from `first` on before anything was written to it.
    fn find_unknown_reads(&mut self, first: u8) {
        let mut unknown_at: Vec<Option<u128>> = vec![None; self.steps.len()];
        let all = u128::MAX.checked_shl(first.into()).unwrap_or(0) & ((1 << VCC) - 1);
        let mut work = vec![(0, all)];
        while let Some((at, unknown)) = work.pop() {
            let Some(before) = unknown_at.get_mut(at) else { continue };
            let merged = before.unwrap_or(0) | unknown;
            if *before == Some(merged) {
                continue;
            }
            *before = Some(merged);
            let Some(step) = self.steps.get_mut(at) else { continue };
            let (reads, writes) = registers(&step.kind);
            step.unknown = reads & merged != 0;
            work.extend(self.successors(at).map(|next| (next, merged & !writes)));
        }
    }
}

/// Returns the SGPRs that a step reads as numbers and those that it writes.
fn registers(kind: &Kind) -> (u128, u128) {
    let read = |arg: &Arg| match arg {
        Arg::Reg(n) => 1u128 << n,
        Arg::Wide(n) => 3u128 << n,
        _ => 0,
    };
    let pair = |n: u8, wide: bool| if wide { 3u128 << n } else { 1u128 << n };
    match kind {
        Kind::Scalar { op, dst, wide, a, b } => {
            let destination = pair(*dst, *wide);
            let own = if matches!(op, Op::SBitset0B32 | Op::SBitset1B32 | Op::SMulkI32 | Op::SAddkI32) { destination } else { 0 };
            (read(a) | read(b) | own, if is_test(*op) { 0 } else { destination })
        }
        Kind::SaveExec { wide, dst, a } => (read(a), pair(*dst, *wide)),
        Kind::Packer { from, .. } => (read(from), 0),
        Kind::Getreg { dst, .. } => (0, 1 << dst),
        Kind::Unknown(registers) | Kind::Access { loaded: Some(registers), .. } => (0, registers.mask()),
        Kind::Opaque => (0, u128::MAX),
        Kind::WaitSum { register, .. } => (1 << register, 0),
        _ => (0, 0),
    }
}

/// Returns whether the instruction writes only the condition code.
fn is_test(op: Op) -> bool {
    use crate::isa::Encoding;
    op.format() == Encoding::Sopc || op.format() == Encoding::Sopk && matches!(op, Op::SCmpkEqI32 | Op::SCmpkEqU32 | Op::SCmpkLgU32 | Op::SCmpkLtU32)
}

fn kind(setup: &Setup, instruction: &Instruction, target: Option<usize>) -> Kind {
    use crate::isa::Operand::{Dst, Src0, Src1};
    let gfx = setup.gfx;
    match *instruction {
        Instruction::Sop2 { op, dst, src } => {
            Kind::Scalar { op, dst: place(dst), wide: wide(op, Dst), a: arg(src[0], wide(op, Src0)), b: arg(src[1], wide(op, Src1)) }
        }
        Instruction::Sop1 { op: Op::SSetpcB64 | Op::SSwappcB64, .. } => Kind::Jump,
        Instruction::Sop1 { op: Op::SGetpcB64, dst: Some(dst), .. } => unknown(dst, 2),
        Instruction::SendmsgRtn { dst, .. } => unknown(dst, 1),
        Instruction::Sop1 { op: op @ (Op::SAndSaveexecB32 | Op::SAndSaveexecB64), dst: Some(dst), src: Some(src) } => {
            Kind::SaveExec { wide: wide(op, Dst), dst: place(dst), a: arg(src, wide(op, Src0)) }
        }
        Instruction::Sop1 { op, dst, src } => {
            let source = src.map_or(Arg::Const(0), |src| arg(src, wide(op, Src0)));
            Kind::Scalar { op, dst: dst.map_or(NULL, place), wide: wide(op, Dst), a: source, b: Arg::Const(0) }
        }
        Instruction::Sopc { op, src } => Kind::Scalar { op, dst: NULL, wide: false, a: arg(src[0], wide(op, Src0)), b: arg(src[1], wide(op, Src1)) },
        Instruction::Sopk { op, reg, imm } => sopk(op, reg, imm),
        Instruction::Setreg { to, src } if is_packer(gfx, to.id) => Kind::Packer { mask: to.mask(), shift: to.offset, from: Arg::Reg(place(src)) },
        Instruction::SetregImm { to, value } if is_packer(gfx, to.id) => Kind::Packer { mask: to.mask(), shift: to.offset, from: Arg::Const(value.into()) },
        Instruction::Setreg { .. } | Instruction::SetregImm { .. } => Kind::Nothing,
        Instruction::Getreg { dst, from } => {
            Kind::Getreg { dst: place(dst), packer: is_packer(gfx, from.id), shift: from.offset, mask: from.mask() >> from.offset }
        }
        Instruction::Sopp { op, imm } => sopp(gfx, op, imm, target.and_then(|t| u32::try_from(t).ok())),
        Instruction::Exp(export) => Kind::Export { done: export.done },
        Instruction::Smem(load) => scalar_load(setup, &load),
        Instruction::Mubuf(access) => buffer(setup, &access),
        // Ordered data is accessed through buffers.
        Instruction::Image(_) | Instruction::Vector(_) => Kind::Nothing,
        Instruction::Raw(words) if words.first().is_some_and(|first| may_write_sgprs(gfx, *first)) => Kind::Opaque,
        Instruction::Raw(_) => Kind::Nothing,
    }
}

fn unknown(first: Reg, count: u8) -> Kind {
    Registers::of(first, count).map_or(Kind::Nothing, Kind::Unknown)
}

fn is_packer(gfx: Gfx, id: u8) -> bool {
    crate::isa::pops::packer_register(gfx).is_some_and(|packer| packer.id == id)
}

fn sopk(op: Op, reg: Reg, imm: u16) -> Kind {
    let extended = Arg::Const(u64::from(i32::from(imm as i16) as u32));
    let unsigned = Arg::Const(imm.into());
    let own = Arg::Reg(place(reg));
    let scalar = |a, b| Kind::Scalar { op, dst: place(reg), wide: false, a, b };
    match op {
        Op::SMovkI32 | Op::SCmovkI32 => scalar(extended, Arg::Const(0)),
        Op::SAddkI32 | Op::SMulkI32 | Op::SCmpkEqI32 => scalar(own, extended),
        Op::SCmpkEqU32 | Op::SCmpkLgU32 | Op::SCmpkLtU32 => scalar(own, unsigned),
        Op::SWaitcntVscnt => wait_sum(Counter::Stores, reg, imm),
        Op::SWaitcntVmcnt => wait_sum(Counter::Loads, reg, imm),
        Op::SWaitcntLgkmcnt => wait_sum(Counter::Scalar, reg, imm),
        Op::SCallB64 => Kind::Jump,
        _ => Kind::Nothing,
    }
}

/// Returns a wait for the low 6 bits of the sum of a register and a constant (RDNA3 ISA, 16.2: 6 bits, no clamping).
fn wait_sum(counter: Counter, reg: Reg, imm: u16) -> Kind {
    let constant = (imm & 0x3F) as u8;
    if reg != Reg::Null {
        return Kind::WaitSum { counter, register: place(reg), constant };
    }
    let mut counts = [255; 3];
    counts[counter as usize] = constant;
    Kind::Wait(counts)
}

fn sopp(gfx: Gfx, op: Op, imm: u16, target: Option<u32>) -> Kind {
    let branch = |when| Kind::Branch { when, target };
    let count = (imm & 0x3F) as u8;
    // Waits for two counters encode LDS in bits 5:0 and vector memory in bits 13:8 (LLVM AMDGPUBaseInfo, decodeLoadcntDscnt).
    let upper = (imm >> 8 & 0x3F) as u8;
    match op {
        Op::SBranch => branch(When::Always),
        Op::SCbranchScc0 => branch(When::Scc(false)),
        Op::SCbranchScc1 => branch(When::Scc(true)),
        Op::SCbranchVccz => branch(When::Vcc(false)),
        Op::SCbranchVccnz => branch(When::Vcc(true)),
        Op::SCbranchExecz => branch(When::Exec(false)),
        Op::SCbranchExecnz => branch(When::Exec(true)),
        Op::SSleep => Kind::Sleep,
        Op::SWaitcnt => {
            let wait = Waitcnt::from_imm(gfx, imm);
            let count = |c: Option<u8>| c.unwrap_or(255);
            Kind::Wait([count(wait.vm), 255, count(wait.lgkm)])
        }
        Op::SWaitLoadcnt => Kind::Wait([count, 255, 255]),
        Op::SWaitStorecnt => Kind::Wait([255, count, 255]),
        Op::SWaitLoadcntDscnt => Kind::Wait([upper, 255, 255]),
        Op::SWaitStorecntDscnt => Kind::Wait([255, upper, 255]),
        Op::SWaitKmcnt => Kind::Wait([255, 255, count]),
        Op::SWaitIdle => Kind::Wait([0, 0, 0]),
        Op::SWaitEvent if waits_for_export(gfx, imm) => Kind::WaitReady,
        Op::SSendmsg if gfx.major() <= 10 && message::id(gfx, imm) == message::ORDERED_PS_DONE => Kind::Done,
        Op::SEndpgm | Op::SEndpgmSaved => Kind::End { ordered_done: false },
        Op::SEndpgmOrderedPsDone => Kind::End { ordered_done: true },
        _ => Kind::Nothing,
    }
}

/// Returns whether an immediate of s_wait_event waits for export ready: bit 0 off on GFX11 (LLVM: dont_wait_export_ready), bit 1 on on GFX12 (LLVM:
/// export_ready). Current LLVM writes 2 for both.
pub(super) fn waits_for_export(gfx: Gfx, imm: u16) -> bool {
    if gfx.major() >= 12 { imm & 2 != 0 } else { imm & 1 == 0 }
}

fn buffer(setup: &Setup, access: &Mubuf) -> Kind {
    let (store, atomic) = (access.op.is_store(), access.op.is_atomic());
    // Stores and atomics without a return value have their own counter from GFX10 on.
    let silent = store || atomic && !access.cache.returns(setup.gfx);
    let counter = if silent && setup.gfx.major() >= 10 { Counter::Stores } else { Counter::Loads };
    let judged = setup.resource.is_none_or(|resource| resource == access.resource);
    Kind::Access { read: !store, write: store || atomic, counter, judged, loaded: None }
}

/// Returns the step of a scalar load. Most scalar loads load constants and descriptors; only those through the descriptor of the ordered data are judged.
fn scalar_load(setup: &Setup, load: &Smem) -> Kind {
    let judged = load.base_is_descriptor() && setup.resource == Some(load.base);
    Kind::Access { read: true, write: false, counter: Counter::Scalar, judged, loaded: Registers::of(load.data, load.op.data()) }
}
