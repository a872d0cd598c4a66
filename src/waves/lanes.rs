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
            let result = vector_result(computation.op, sources)?;
            self.set(lane, computation.dst, result);
        }
        Some(())
    }
}

/// Returns the result of a computation in a lane. Floats are added and multiplied in 32 bits and rounded to nearest. Denormals are always kept, although MODE
/// may flush them.
fn vector_result(op: Op, [a, b, c]: [u32; 3]) -> Option<u32> {
    let float = |result: fn(f32, f32) -> f32| result(f32::from_bits(a), f32::from_bits(b)).to_bits();
    Some(match op {
        Op::VMovB32 => a,
        Op::VAddF32 => float(|a, b| a + b),
        Op::VSubF32 => float(|a, b| a - b),
        Op::VMulF32 => float(|a, b| a * b),
        Op::VFloorF32 => floor(f32::from_bits(a)).to_bits(),
        Op::VCvtF32U32 => (a as f32).to_bits(),
        // Towards 0; what does not fit becomes the nearest that does, and NaN 0.
        Op::VCvtI32F32 => f32::from_bits(a) as i32 as u32,
        Op::VMinU32 => a.min(b),
        Op::VMinI32 => (a as i32).min(b as i32) as u32,
        Op::VMaxI32 => (a as i32).max(b as i32) as u32,
        Op::VLshrrevB32 => b >> (a & 31),
        Op::VLshlrevB32 => b << (a & 31),
        Op::VAndB32 => a & b,
        Op::VOrB32 => a | b,
        Op::VAddU32 => a.wrapping_add(b),
        Op::VBfeU32 => {
            let width = c & 31;
            (a >> (b & 31)) & ((1 << width) - 1)
        }
        Op::VLshlAddU32 => (a << (b & 31)).wrapping_add(c),
        Op::VAdd3U32 => a.wrapping_add(b).wrapping_add(c),
        Op::VMulLoU32 => a.wrapping_mul(b),
        _ => return None,
    })
}

/// The largest whole number that is not larger; without `std` there is none.
fn floor(value: f32) -> f32 {
    // From 2^23 on all floats are whole; NaN stays what it is.
    if value == 0.0 || !(-8_388_608.0..8_388_608.0).contains(&value) {
        return value;
    }
    let whole = value as i32 as f32;
    if whole > value { whole - 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use super::{Op, vector_result};

    /// The expected results follow from the names of the instructions; no manual states them.
    #[test]
    fn vector_instructions_compute_the_expected_results() {
        let one = 1f32.to_bits();
        for (op, sources, result) in [
            (Op::VMovB32, [7, 1, 2], 7),
            (Op::VAddF32, [one, one, 0], 2f32.to_bits()),
            (Op::VMulF32, [0.5f32.to_bits(), one, 0], 0.5f32.to_bits()),
            (Op::VSubF32, [one, 3f32.to_bits(), 0], (-2f32).to_bits()),
            (Op::VFloorF32, [2.5f32.to_bits(), 0, 0], 2f32.to_bits()),
            (Op::VFloorF32, [(-2.5f32).to_bits(), 0, 0], (-3f32).to_bits()),
            (Op::VFloorF32, [(-3f32).to_bits(), 0, 0], (-3f32).to_bits()),
            (Op::VFloorF32, [3e9f32.to_bits(), 0, 0], 3e9f32.to_bits()),
            (Op::VCvtF32U32, [u32::MAX, 0, 0], 4_294_967_296f32.to_bits()),
            (Op::VCvtI32F32, [(-2.9f32).to_bits(), 0, 0], -2i32 as u32),
            (Op::VMinU32, [3, u32::MAX, 0], 3),
            (Op::VMinI32, [3, u32::MAX, 0], u32::MAX),
            (Op::VMaxI32, [0, u32::MAX, 0], 0),
            (Op::VLshrrevB32, [4, 0x123, 0], 0x12),
            (Op::VLshlrevB32, [36, 1, 0], 16),
            (Op::VAndB32, [6, 3, 0], 2),
            (Op::VOrB32, [6, 3, 0], 7),
            (Op::VAddU32, [u32::MAX, 3, 0], 2),
            (Op::VBfeU32, [0xABCD, 4, 8], 0xBC),
            (Op::VLshlAddU32, [5, 3, 2], 42),
            (Op::VAdd3U32, [u32::MAX, 1, 9], 9),
            (Op::VMulLoU32, [0x1_0000, 0x1_0001, 0], 0x1_0000),
        ] {
            assert_eq!(vector_result(op, sources), Some(result), "{op:?}");
        }
        assert_eq!(vector_result(Op::SAddU32, [1, 2, 0]), None);
    }
}
