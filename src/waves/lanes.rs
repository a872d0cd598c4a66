//! The registers of a compute wave, and the effects of its instructions on them.

use super::alu;
use super::code::{Arg, EXEC, M0, NULL, VCC, arg, place, wide};
use super::dispatch::{DispatchProblem, Job};
use crate::isa::{Image, Instruction, Mubuf, Op, Operand, Reg, ShaderCode, Smem, Src, VectorAlu, VectorSrc};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// Number of VGPRs per lane.
const VGPRS: usize = 256;

/// What happens after an instruction.
pub(super) enum Step {
    On,
    End,
    /// An access of the instruction with this number.
    Scalar(usize, Smem),
    Buffer(usize, Mubuf),
    Image(usize, Image),
}

/// A wave: scalar registers, and the vector registers of the lanes that have a thread. Lanes without a thread are not represented.
pub(super) struct Lanes {
    at: usize,
    scc: bool,
    scalar: [u32; 128],
    vector: Vec<u32>,
    pub count: usize,
}

fn not_executed(code: &ShaderCode, at: usize, why: &'static str) -> DispatchProblem {
    DispatchProblem::Instruction { at, text: code.line(at).to_string(), why }
}

/// Why an access failed, without the instruction.
pub(super) enum AccessProblem {
    Memory(u64),
    Refused(&'static str),
}

impl AccessProblem {
    pub fn at(self, code: &ShaderCode, at: usize) -> DispatchProblem {
        match self {
            Self::Memory(addr) => DispatchProblem::Memory { addr },
            Self::Refused(why) => not_executed(code, at, why),
        }
    }
}

impl Lanes {
    /// Creates a wave as the hardware starts it ([`WaveStart`](crate::draw::WaveStart)).
    pub fn new(job: &Job, group: [u32; 3], threads: &[[u32; 3]]) -> Self {
        let major = job.chip.gfx().major();
        let mut lanes = Self { at: 0, scc: false, scalar: [0; 128], vector: vec![0; threads.len() * VGPRS], count: threads.len() };
        let mut first = 0;
        let mut put = |value: u32| {
            if let Some(register) = lanes.scalar.get_mut(first) {
                *register = value;
            }
            first += 1;
        };
        job.user.iter().for_each(|word| put(*word));
        let [x, y, z] = group;
        if major < 12 {
            group.into_iter().zip(job.ids).filter(|(_, loaded)| *loaded).for_each(|(id, _)| put(id));
        } else {
            lanes.scalar[usize::from(place(Reg::Ttmp(9)))] = x;
            lanes.scalar[usize::from(place(Reg::Ttmp(7)))] = y & 0xFFFF | z << 16;
        }
        let exec = if threads.len() >= 64 { u64::MAX } else { (1 << threads.len()) - 1 };
        (lanes.scalar[usize::from(EXEC)], lanes.scalar[usize::from(EXEC) + 1]) = (exec as u32, (exec >> 32) as u32);
        for (lane, [x, y, z]) in threads.iter().enumerate() {
            if major >= 11 {
                lanes.set(lane, 0, x | y << 10 | z << 20);
            } else {
                [*x, *y, *z].into_iter().zip(0..).for_each(|(id, register)| lanes.set(lane, register, id));
            }
        }
        lanes
    }

    pub fn get(&self, lane: usize, register: u8) -> u32 {
        self.vector.get(lane * VGPRS + usize::from(register)).copied().unwrap_or(0)
    }

    pub fn set(&mut self, lane: usize, register: u8, value: u32) {
        if let Some(place) = self.vector.get_mut(lane * VGPRS + usize::from(register)) {
            *place = value;
        }
    }

    fn scalar(&self, register: u8) -> u32 {
        if register == NULL { 0 } else { self.scalar[usize::from(register & 127)] }
    }

    /// Returns the values of consecutive registers, such as a descriptor.
    pub fn scalars<const N: usize>(&self, first: Reg) -> [u32; N] {
        let first = place(first);
        core::array::from_fn(|n| self.scalar(first + n as u8))
    }

    /// Returns the value of a scalar operand of one register.
    pub fn value(&self, src: Src) -> Option<u32> {
        self.read(arg(src, false)).map(|value| value as u32)
    }

    /// A load of scalar registers from an address.
    pub fn load_scalars(&mut self, load: &Smem, dword: impl Fn(u64) -> Option<u32>) -> Result<(), AccessProblem> {
        if load.base_is_descriptor() || load.index.is_some() {
            return Err(AccessProblem::Refused("scalar loads through descriptors, or at an offset in a register, are not followed"));
        }
        let [low, high] = self.scalars::<2>(load.base);
        let from = (u64::from(low) | u64::from(high) << 32).wrapping_add_signed(load.offset.into());
        let first = place(load.data);
        for (n, register) in (first..).take(load.op.data().into()).enumerate() {
            let addr = from + 4 * n as u64;
            self.write(register, dword(addr).ok_or(AccessProblem::Memory(addr))?.into(), false);
        }
        Ok(())
    }

    fn read(&self, arg: Arg) -> Option<u64> {
        Some(match arg {
            Arg::Reg(n) => self.scalar(n).into(),
            Arg::Wide(n) => u64::from(self.scalar(n)) | u64::from(self.scalar(n + 1)) << 32,
            Arg::Const(value) => value,
            Arg::Scc => self.scc.into(),
            Arg::Vccz => u64::from(self.scalar(VCC) == 0 && self.scalar(VCC + 1) == 0),
            Arg::Execz => u64::from(self.scalar(EXEC) == 0 && self.scalar(EXEC + 1) == 0),
            Arg::Exiting => return None,
        })
    }

    fn write(&mut self, register: u8, value: u64, two: bool) {
        if register == NULL {
            return;
        }
        self.scalar[usize::from(register & 127)] = value as u32;
        if two {
            self.scalar[usize::from((register + 1) & 127)] = (value >> 32) as u32;
        }
    }

    fn compute(&mut self, op: Op, dst: Option<Reg>, a: Arg, b: Arg) -> Option<()> {
        let (a, b) = (self.read(a)?, self.read(b)?);
        let register = dst.map_or(NULL, place);
        // EXEC decides which lanes are active; M0 and other registers have no use here.
        if matches!(register, EXEC | M0) || register == EXEC + 1 {
            return None;
        }
        let out = alu::compute(op, a, b, self.scalar(register).into(), self.scc);
        self.scc = out.scc;
        if let Some(value) = out.value {
            self.write(register, value, wide(op, Operand::Dst));
        }
        Some(())
    }

    /// Executes an instruction.
    pub fn step(&mut self, code: &ShaderCode) -> Result<Step, DispatchProblem> {
        let at = self.at;
        let refuse = |why| not_executed(code, at, why);
        let Some(item) = code.items().get(at) else { return Err(refuse("the program has no end there")) };
        self.at += 1;
        let done = match item.instruction {
            Instruction::Sop2 { op, dst, src: [a, b] } => self.compute(op, Some(dst), arg(a, wide(op, Operand::Src0)), arg(b, wide(op, Operand::Src1))),
            Instruction::Sop1 { op, dst: Some(dst), src: Some(src) } if !matches!(op, Op::SAndSaveexecB32 | Op::SAndSaveexecB64 | Op::SSwappcB64) => {
                self.compute(op, Some(dst), arg(src, wide(op, Operand::Src0)), Arg::Const(0))
            }
            Instruction::Sopc { op, src: [a, b] } => self.compute(op, None, arg(a, wide(op, Operand::Src0)), arg(b, wide(op, Operand::Src1))),
            Instruction::Sopp { op, .. } => return self.control(op, item.target, refuse("it is not one that the runner follows")),
            Instruction::Sopk { op: Op::SWaitcntVscnt | Op::SWaitcntVmcnt | Op::SWaitcntExpcnt | Op::SWaitcntLgkmcnt, .. } => Some(()),
            Instruction::Vector(computation) => self.vector(&computation),
            Instruction::Smem(load) => return Ok(Step::Scalar(at, load)),
            Instruction::Mubuf(access) if !access.op.is_atomic() => return Ok(Step::Buffer(at, access)),
            Instruction::Image(access) => return Ok(Step::Image(at, access)),
            _ => None,
        };
        done.map(|()| Step::On).ok_or_else(|| refuse("it is not one that the runner follows"))
    }

    fn control(&mut self, op: Op, target: Option<usize>, problem: DispatchProblem) -> Result<Step, DispatchProblem> {
        let taken = match op {
            Op::SEndpgm => return Ok(Step::End),
            Op::SBranch => true,
            Op::SCbranchScc0 => !self.scc,
            Op::SCbranchScc1 => self.scc,
            // Memory accesses complete immediately, so there is nothing to wait for.
            Op::SNop | Op::SWaitcnt | Op::SWaitLoadcnt | Op::SWaitStorecnt | Op::SWaitKmcnt | Op::SWaitIdle | Op::SClause | Op::SDelayAlu => {
                return Ok(Step::On);
            }
            _ => return Err(problem),
        };
        if taken {
            self.at = target.ok_or(problem)?;
        }
        Ok(Step::On)
    }

    fn vector(&mut self, computation: &VectorAlu) -> Option<()> {
        for lane in 0..self.count {
            let mut sources = [0; 3];
            for (value, src) in sources.iter_mut().zip(computation.src) {
                *value = match src {
                    VectorSrc::Vgpr(register) => self.get(lane, register),
                    VectorSrc::Scalar(src) => self.value(src)?,
                };
            }
            let result = alu::vector_result(computation.op, sources)?;
            self.set(lane, computation.dst, result);
        }
        Some(())
    }
}
