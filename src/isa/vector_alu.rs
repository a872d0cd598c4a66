//! Per-lane computations: the few that this crate's programs need, without modifiers of sources and results.
//!
//! Formats: LLVM VOPInstructions.td; tested against its assembler's output (`tests/isa/`).

use super::error::EncodeError;
use super::memory_instructions::limit;
use super::operand::{Reg, Src};
use super::tables::{Encoding, Op, Operand};
use super::words::Words;
use crate::chip::Gfx;
use core::fmt;

/// A source of a per-lane computation: a VGPR, or one value for all lanes.
///
/// For an example see [`VectorAlu`](crate::isa::VectorAlu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VectorSrc {
    /// A VGPR.
    Vgpr(u8),
    /// A scalar register or a constant.
    Scalar(Src),
}

impl VectorSrc {
    /// The placeholder for a source that the instruction does not have.
    pub const NONE: Self = Self::Scalar(Src::Int(0));

    /// Returns the SGPR with this number as a source.
    pub const fn s(number: u8) -> Self {
        Self::Scalar(Src::s(number))
    }

    /// Returns a constant as a source: inline if possible, else a literal.
    pub const fn constant(value: u32) -> Self {
        Self::Scalar(Src::constant(value))
    }

    fn code(self, gfx: Gfx) -> Result<u32, EncodeError> {
        match self {
            Self::Vgpr(number) => Ok(256 + u32::from(number)),
            Self::Scalar(src) => src.check(gfx, 1).map(u32::from),
        }
    }

    fn from_code(gfx: Gfx, code: u32, literal: Option<u32>) -> Option<Self> {
        match code {
            256.. => Some(Self::Vgpr(code as u8)),
            _ => Src::from_code(gfx, code as u8, literal).map(Self::Scalar),
        }
    }

    fn literal(self) -> Option<u32> {
        if let Self::Scalar(src) = self { src.literal() } else { None }
    }

    /// Returns the scalar register that the source reads.
    fn register(self) -> Option<Reg> {
        if let Self::Scalar(Src::Reg(reg)) = self { Some(reg).filter(|reg| *reg != Reg::Null) } else { None }
    }
}

impl fmt::Display for VectorSrc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vgpr(number) => write!(f, "v{number}"),
            Self::Scalar(src) => src.fmt(f),
        }
    }
}

/// A computation in every lane whose EXEC bit is set.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Instruction, Op, VectorAlu, VectorSrc};
/// // v1 = (s2 << 3) + v0
/// let add = VectorAlu { op: Op::VLshlAddU32, dst: 1, src: [VectorSrc::s(2), VectorSrc::constant(3), VectorSrc::Vgpr(0)] };
/// let add = Instruction::Vector(add);
/// assert_eq!(add.text(Gfx::Gfx11).to_string(), "v_lshl_add_u32 v1, s2, 3, v0");
/// assert_eq!(add.encode(Gfx::Gfx11)?.as_slice(), [0xD646_0001, 0x0401_0602]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VectorAlu {
    /// The instruction.
    pub op: Op,
    /// Destination.
    pub dst: u8,
    /// The sources of the instruction, padded with [`VectorSrc::NONE`]. The second source of a short form is a VGPR.
    pub src: [VectorSrc; 3],
}

const VOP1: u32 = 0b011_1111 << 25;

impl VectorAlu {
    const fn vop3(gfx: Gfx) -> u32 {
        if gfx.major() == 9 { 0b11_0100 } else { 0b11_0101 }
    }

    pub(super) fn is(gfx: Gfx, word: u32) -> bool {
        word >> 31 == 0 || word >> 26 == Self::vop3(gfx)
    }

    /// Returns the number of sources of an instruction.
    pub(crate) fn sources_of(op: Op) -> usize {
        match op.format() {
            Encoding::Vop1 => 1,
            Encoding::Vop2 => 2,
            _ => 3 - usize::from(op.info().lacks(Operand::Src2)),
        }
    }

    pub(super) fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        let Self { op, dst, src } = *self;
        let short = match op.format() {
            Encoding::Vop1 | Encoding::Vop2 => true,
            Encoding::Vop3 => false,
            _ => return Err(EncodeError::WrongFormat { op, gfx }),
        };
        let code = op.code(gfx).map(u32::from).ok_or(EncodeError::Absent { op, gfx })?;
        let (own, rest) = src.split_at(Self::sources_of(op));
        if rest.iter().any(|src| *src != VectorSrc::NONE) {
            return Err(EncodeError::WrongFormat { op, gfx });
        }
        Self::check_scalars(gfx, own)?;
        let codes = [src[0].code(gfx)?, src[1].code(gfx)?, src[2].code(gfx)?];
        let literal = own.iter().find_map(|src| src.literal());
        if !short {
            // Literals in this form exist from GFX10 on; this crate's programs do not use them.
            if let (Some(VectorSrc::Scalar(src)), true) = (own.iter().find(|src| src.literal().is_some()), literal.is_some()) {
                return Err(EncodeError::Source { src: *src, gfx });
            }
            let third = if own.len() == 3 { codes[2] } else { 0 };
            return Ok(Words::two(Self::vop3(gfx) << 26 | code << 16 | u32::from(dst), codes[0] | codes[1] << 9 | third << 18));
        }
        if op.format() == Encoding::Vop1 {
            return Ok(Words::with_literal(VOP1 | u32::from(dst) << 17 | code << 9 | codes[0], literal));
        }
        match src[1] {
            VectorSrc::Vgpr(second) => Ok(Words::with_literal(code << 25 | u32::from(dst) << 17 | u32::from(second) << 9 | codes[0], literal)),
            VectorSrc::Scalar(src) => Err(EncodeError::Source { src, gfx }),
        }
    }

    /// Checks the number of scalar registers that an instruction reads: at most one on GFX9, two from GFX10 on (LLVM: constant bus limit).
    fn check_scalars(gfx: Gfx, src: &[VectorSrc]) -> Result<(), EncodeError> {
        let mut seen: [Option<Reg>; 3] = [None; 3];
        let mut count = 0;
        for register in src.iter().filter_map(|src| src.register()) {
            if !seen.contains(&Some(register)) {
                if let Some(place) = seen.get_mut(count) {
                    *place = Some(register);
                }
                count += 1;
            }
        }
        limit("the number of scalar registers that a vector instruction reads", count as i64, 0..=if gfx.major() == 9 { 1 } else { 2 })
    }

    pub(super) fn decode(gfx: Gfx, first: u32, second: Option<u32>) -> Option<Self> {
        let source = |code: u32| VectorSrc::from_code(gfx, code & 0x1FF, second);
        if first >> 31 != 0 {
            let second = second?;
            let op = Op::from_code(gfx, Encoding::Vop3, first >> 16 & 0x3FF)?;
            let of = |n: usize, code: u32| if n < Self::sources_of(op) { VectorSrc::from_code(gfx, code & 0x1FF, None) } else { Some(VectorSrc::NONE) };
            return Some(Self { op, dst: first as u8, src: [of(0, second)?, of(1, second >> 9)?, of(2, second >> 18)?] });
        }
        if first & VOP1 == VOP1 {
            let op = Op::from_code(gfx, Encoding::Vop1, first >> 9 & 0xFF)?;
            return Some(Self { op, dst: (first >> 17) as u8, src: [source(first)?, VectorSrc::NONE, VectorSrc::NONE] });
        }
        let op = Op::from_code(gfx, Encoding::Vop2, first >> 25)?;
        Some(Self { op, dst: (first >> 17) as u8, src: [source(first)?, VectorSrc::Vgpr((first >> 9) as u8), VectorSrc::NONE] })
    }

    pub(super) fn write(&self, gfx: Gfx, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.op.format() == Encoding::Vop3 { "" } else { "_e32" };
        write!(f, "{}{form} v{}", self.op.name(gfx), self.dst)?;
        self.src.iter().take(Self::sources_of(self.op)).try_for_each(|src| write!(f, ", {src}"))
    }
}
