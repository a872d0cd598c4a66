//! Instructions: operands, encoding and text.

use super::error::EncodeError;
use super::export::Export;
use super::hwreg::Hwreg;
use super::image_instructions::Image;
use super::length;
use super::memory_instructions::{Mubuf, Smem};
use super::message;
use super::operand::{Reg, Src};
use super::tables::{Encoding, Op, Operand};
use super::vector_alu::VectorAlu;
use super::wait_counters::Waitcnt;
use super::words::Words;
use crate::chip::Gfx;
use core::fmt;

/// One instruction with typed operands.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{self, Instruction, Op, Reg, Src, Words};
///
/// let poll = Instruction::Sop2 { op: Op::SAddI32, dst: Reg::Sgpr(5), src: [Src::PopsExitingWaveId, Src::s(7)] };
/// let words: Words = poll.encode(Gfx::Gfx10)?;
/// assert_eq!(words.as_slice(), [0x8105_07EF]);
/// assert_eq!(poll.text(Gfx::Gfx10).to_string(), "s_add_i32 s5, src_pops_exiting_wave_id, s7");
/// assert!(poll.encode(Gfx::Gfx11).is_err()); // the operand is gone
/// # Ok::<(), isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Two sources, one destination.
    Sop2 {
        /// The instruction.
        op: Op,
        /// Destination; the first register of a pair for 64-bit results.
        dst: Reg,
        /// Sources.
        src: [Src; 2],
    },
    /// One source, one destination; some instructions have only one of the two.
    Sop1 {
        /// The instruction.
        op: Op,
        /// Destination.
        dst: Option<Reg>,
        /// Source.
        src: Option<Src>,
    },
    /// A message whose answer goes to a register (from GFX11 on).
    SendmsgRtn {
        /// Destination of the answer.
        dst: Reg,
        /// The message number, stored directly in the source field.
        message: u8,
    },
    /// A comparison into SCC.
    Sopc {
        /// The instruction.
        op: Op,
        /// Sources.
        src: [Src; 2],
    },
    /// A register and 16 bits.
    Sopk {
        /// The instruction.
        op: Op,
        /// Destination, or the source of a comparison.
        reg: Reg,
        /// The constant, signed or unsigned depending on the instruction.
        imm: u16,
    },
    /// Reads bits of a wave register.
    Getreg {
        /// Destination.
        dst: Reg,
        /// The bits.
        from: Hwreg,
    },
    /// Writes bits of a wave register.
    Setreg {
        /// The bits.
        to: Hwreg,
        /// Source.
        src: Reg,
    },
    /// Writes bits of a wave register with a constant.
    SetregImm {
        /// The bits.
        to: Hwreg,
        /// The constant.
        value: u32,
    },
    /// Control flow, waits, messages: an instruction and 16 bits.
    Sopp {
        /// The instruction.
        op: Op,
        /// The immediate; 0 if the instruction has none.
        imm: u16,
    },
    /// An export.
    Exp(Export),
    /// A scalar load.
    Smem(Smem),
    /// A vector access through a buffer descriptor.
    Mubuf(Mubuf),
    /// A vector access through an image descriptor.
    Image(Image),
    /// A computation in each lane.
    Vector(VectorAlu),
    /// Dwords that are not a known instruction, kept unchanged.
    Raw(Words),
}

/// Returns the number of registers of an operand: two for 64 bits.
fn count(op: Op, operand: Operand) -> u8 {
    if op.info().wide(operand) { 2 } else { 1 }
}

fn number(op: Op, gfx: Gfx, format: Encoding) -> Result<u32, EncodeError> {
    if op.format() != format || matches!(op, Op::SGetregB32 | Op::SSetregB32 | Op::SSetregImm32B32 | Op::SSendmsgRtnB32) {
        return Err(EncodeError::WrongFormat { op, gfx });
    }
    op.code(gfx).map(u32::from).ok_or(EncodeError::Absent { op, gfx })
}

/// Checks two sources, which share one literal.
fn sources(op: Op, gfx: Gfx, src: [Src; 2]) -> Result<(u32, Option<u32>), EncodeError> {
    let first = u32::from(src[0].check(gfx, count(op, Operand::Src0))?);
    let second = u32::from(src[1].check(gfx, count(op, Operand::Src1))?);
    let literal = match (src[0].literal(), src[1].literal()) {
        (Some(a), Some(b)) if a != b => return Err(EncodeError::TwoLiterals(a, b)),
        (a, b) => a.or(b),
    };
    Ok((second << 8 | first, literal))
}

/// Returns the destination field.
fn destination(gfx: Gfx, reg: Reg, count: u8) -> Result<u32, EncodeError> {
    Ok(u32::from(reg.check(gfx, count)?) << 16)
}

const SOP1: u32 = 0b1_0111_1101 << 23;
const SOPC: u32 = 0b1_0111_1110 << 23;
const SOPP: u32 = 0b1_0111_1111 << 23;
const SOPK: u32 = 0b1011 << 28;
const SOP2: u32 = 0b10 << 30;

impl Instruction {
    /// Returns a control instruction without an immediate, or with immediate 0.
    pub const fn plain(op: Op) -> Self {
        Self::Sopp { op, imm: 0 }
    }

    /// Returns the encoded dwords.
    ///
    /// # Errors
    /// [`EncodeError`] for anything that the generation lacks.
    pub fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        match *self {
            Self::Sop2 { op, dst, src } => {
                let code = number(op, gfx, Encoding::Sop2)?;
                let (src, literal) = sources(op, gfx, src)?;
                Ok(Words::with_literal(SOP2 | code << 23 | destination(gfx, dst, count(op, Operand::Dst))? | src, literal))
            }
            Self::Sop1 { op, dst, src } => Self::encode_sop1(gfx, op, dst, src),
            Self::SendmsgRtn { dst, message } => {
                let op = Op::SSendmsgRtnB32;
                let code = op.code(gfx).map(u32::from).ok_or(EncodeError::Absent { op, gfx })?;
                Ok(Words::one(SOP1 | destination(gfx, dst, 1)? | code << 8 | u32::from(message)))
            }
            Self::Sopc { op, src } => {
                let code = number(op, gfx, Encoding::Sopc)?;
                let (src, literal) = sources(op, gfx, src)?;
                Ok(Words::with_literal(SOPC | code << 16 | src, literal))
            }
            Self::Sopk { op, reg, imm } => {
                let code = number(op, gfx, Encoding::Sopk)?;
                Ok(Words::one(SOPK | code << 23 | destination(gfx, reg, count(op, Operand::Dst))? | u32::from(imm)))
            }
            Self::Getreg { dst, from } => Ok(Words::one(hwreg_word(Op::SGetregB32, gfx, from)? | destination(gfx, dst, 1)?)),
            Self::Setreg { to, src } => Ok(Words::one(hwreg_word(Op::SSetregB32, gfx, to)? | destination(gfx, src, 1)?)),
            Self::SetregImm { to, value } => Ok(Words::two(hwreg_word(Op::SSetregImm32B32, gfx, to)?, value)),
            Self::Sopp { op, imm } => Self::encode_sopp(gfx, op, imm),
            Self::Exp(export) => export.encode(gfx),
            Self::Smem(load) => load.encode(gfx),
            Self::Mubuf(access) => access.encode(gfx),
            Self::Image(access) => access.encode(gfx),
            Self::Vector(computation) => computation.encode(gfx),
            Self::Raw(words) => Ok(words),
        }
    }

    fn encode_sop1(gfx: Gfx, op: Op, dst: Option<Reg>, src: Option<Src>) -> Result<Words, EncodeError> {
        let code = number(op, gfx, Encoding::Sop1)?;
        if dst.is_none() != op.info().lacks(Operand::Dst) || src.is_none() != op.info().lacks(Operand::Src0) {
            return Err(EncodeError::WrongFormat { op, gfx });
        }
        let dst = dst.map_or(Ok(0), |reg| destination(gfx, reg, count(op, Operand::Dst)))?;
        let field = src.map_or(Ok(0), |src| src.check(gfx, count(op, Operand::Src0)))?;
        Ok(Words::with_literal(SOP1 | dst | code << 8 | u32::from(field), src.and_then(Src::literal)))
    }

    fn encode_sopp(gfx: Gfx, op: Op, imm: u16) -> Result<Words, EncodeError> {
        let code = number(op, gfx, Encoding::Sopp)?;
        if imm != 0 && op.info().lacks(Operand::Imm) {
            return Err(EncodeError::OutOfRange { what: "the immediate of an instruction without one", value: imm.into(), least: 0, limit: 0 });
        }
        if matches!(op, Op::SSendmsg | Op::SSendmsghalt) {
            let id = message::id(gfx, imm);
            if message::name(gfx, id).is_none() {
                return Err(EncodeError::Message { id, gfx });
            }
        }
        Ok(Words::one(SOPP | code << 16 | u32::from(imm)))
    }

    /// Reads the instruction at the start of `stream`; an unknown instruction becomes [`Instruction::Raw`] with the length of its format. None at the end of
    /// the stream.
    pub fn decode(gfx: Gfx, stream: &[u32]) -> Option<Self> {
        let first = *stream.first()?;
        let found = Self::read(gfx, first, stream);
        // If the result encodes to other bits, the original has bits set that are not understood.
        let exact = found.filter(|i| i.encode(gfx).is_ok_and(|words| stream.starts_with(&words)));
        Some(exact.unwrap_or_else(|| Self::Raw(Words::from_stream(stream, length::dwords(gfx, stream)))))
    }

    fn read(gfx: Gfx, first: u32, stream: &[u32]) -> Option<Self> {
        let literal = stream.get(1).copied();
        let dst = |code: u32| Reg::from_code(gfx, (code & 0x7F) as u8);
        let src = |code: u32| Src::from_code(gfx, code as u8, literal);
        let at = |n: usize| stream.get(n).copied();
        if first & SOPP == SOP1 {
            let op = Op::from_code(gfx, Encoding::Sop1, first >> 8 & 0xFF)?;
            if op == Op::SSendmsgRtnB32 {
                return Some(Self::SendmsgRtn { dst: dst(first >> 16)?, message: first as u8 });
            }
            let dst = if op.info().lacks(Operand::Dst) { None } else { Some(dst(first >> 16)?) };
            let src = if op.info().lacks(Operand::Src0) { None } else { Some(src(first)?) };
            return Some(Self::Sop1 { op, dst, src });
        }
        if first & SOPP == SOPC {
            return Some(Self::Sopc { op: Op::from_code(gfx, Encoding::Sopc, first >> 16 & 0x7F)?, src: [src(first)?, src(first >> 8)?] });
        }
        if first & SOPP == SOPP {
            return Some(Self::Sopp { op: Op::from_code(gfx, Encoding::Sopp, first >> 16 & 0x7F)?, imm: first as u16 });
        }
        if first >> 28 == SOPK >> 28 {
            let reg = dst(first >> 16);
            let hwreg = Hwreg::from_imm(first as u16);
            return Some(match Op::from_code(gfx, Encoding::Sopk, first >> 23 & 0x1F)? {
                Op::SGetregB32 => Self::Getreg { dst: reg?, from: hwreg },
                Op::SSetregB32 => Self::Setreg { to: hwreg, src: reg? },
                Op::SSetregImm32B32 => Self::SetregImm { to: hwreg, value: literal? },
                op => Self::Sopk { op, reg: reg?, imm: first as u16 },
            });
        }
        if first >> 30 == SOP2 >> 30 {
            let op = Op::from_code(gfx, Encoding::Sop2, first >> 23 & 0x7F)?;
            return Some(Self::Sop2 { op, dst: dst(first >> 16)?, src: [src(first)?, src(first >> 8)?] });
        }
        if Export::is(gfx, first) {
            return Export::decode(gfx, [first, at(1)?]).map(Self::Exp);
        }
        if Smem::is(gfx, first) {
            return Smem::decode(gfx, [first, at(1)?]).map(Self::Smem);
        }
        if Mubuf::is(gfx, first) {
            return Mubuf::decode(gfx, [first, at(1)?, at(Mubuf::dwords(gfx) - 1)?]).map(Self::Mubuf);
        }
        if Image::is(gfx, first) {
            return Image::decode(gfx, [first, at(1)?, at(Image::dwords(gfx) - 1)?]).map(Self::Image);
        }
        if VectorAlu::is(gfx, first) {
            return VectorAlu::decode(gfx, first, at(1)).map(Self::Vector);
        }
        None
    }

    /// Returns the instruction as assembly text.
    pub fn text(&self, gfx: Gfx) -> impl fmt::Display {
        Text(*self, gfx)
    }

    /// Returns the immediate of a branch: the distance to its target in dwords, from the next instruction on.
    pub fn branch(&self) -> Option<i16> {
        match *self {
            Self::Sopp { op, imm } if is_branch(op) => Some(imm as i16),
            Self::Sopk { op: Op::SCallB64, imm, .. } => Some(imm as i16),
            _ => None,
        }
    }

    /// Returns whether the following instruction can run next.
    pub fn falls_through(&self) -> bool {
        match self {
            Self::Sopp { op, .. } => !matches!(op, Op::SBranch | Op::SEndpgm | Op::SEndpgmSaved | Op::SEndpgmOrderedPsDone),
            Self::Sop1 { op, .. } => !matches!(op, Op::SSetpcB64 | Op::SSwappcB64),
            Self::Sopk { op, .. } => *op != Op::SCallB64,
            _ => true,
        }
    }
}

/// Returns the first dword of an instruction that accesses a wave register.
fn hwreg_word(op: Op, gfx: Gfx, hwreg: Hwreg) -> Result<u32, EncodeError> {
    let code = op.code(gfx).ok_or(EncodeError::Absent { op, gfx })?;
    Ok(SOPK | u32::from(code) << 23 | u32::from(hwreg.check(gfx)?))
}

/// Returns whether the instruction is a branch of format SOPP.
pub(super) fn is_branch(op: Op) -> bool {
    use Op::{SBranch, SCbranchExecnz, SCbranchExecz, SCbranchScc0, SCbranchScc1, SCbranchVccnz, SCbranchVccz};
    matches!(op, SBranch | SCbranchScc0 | SCbranchScc1 | SCbranchVccz | SCbranchVccnz | SCbranchExecz | SCbranchExecnz)
}

/// Returns whether the instruction is a SOPK comparison with a signed constant.
pub(super) fn signed_imm(op: Op) -> bool {
    use Op::{SAddkI32, SCmovkI32, SCmpkEqI32, SMovkI32, SMulkI32};
    matches!(op, SMovkI32 | SCmovkI32 | SCmpkEqI32 | SAddkI32 | SMulkI32)
}

struct Text(Instruction, Gfx);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gfx = self.1;
        match &self.0 {
            Instruction::Sop2 { op, dst, src } => {
                let dst = dst.group(count(*op, Operand::Dst));
                write!(f, "{} {dst}, {}, {}", op.name(gfx), src[0].group(count(*op, Operand::Src0)), src[1].group(count(*op, Operand::Src1)))
            }
            Instruction::Sop1 { op, dst, src } => {
                f.write_str(op.name(gfx))?;
                if let Some(dst) = dst {
                    write!(f, " {}", dst.group(count(*op, Operand::Dst)))?;
                }
                match src {
                    Some(src) => write!(f, "{} {}", if dst.is_some() { "," } else { "" }, src.group(count(*op, Operand::Src0))),
                    None => Ok(()),
                }
            }
            Instruction::SendmsgRtn { dst, message } => {
                write!(f, "{} {dst}, ", Op::SSendmsgRtnB32.name(gfx))?;
                match message::name(gfx, u16::from(*message)) {
                    Some(name) => write!(f, "sendmsg(MSG_{name})"),
                    None => write!(f, "sendmsg({message}, 0, 0)"),
                }
            }
            Instruction::Sopc { op, src } => {
                write!(f, "{} {}, {}", op.name(gfx), src[0].group(count(*op, Operand::Src0)), src[1].group(count(*op, Operand::Src1)))
            }
            Instruction::Sopk { op, reg, imm } => {
                let reg = reg.group(count(*op, Operand::Dst));
                match (*imm as i16) < 0 && signed_imm(*op) {
                    true => write!(f, "{} {reg}, {}", op.name(gfx), *imm as i16),
                    false => write!(f, "{} {reg}, {imm:#x}", op.name(gfx)),
                }
            }
            Instruction::Getreg { dst, from } => write!(f, "{} {dst}, {}", Op::SGetregB32.name(gfx), from.text(gfx)),
            Instruction::Setreg { to, src } => write!(f, "{} {}, {src}", Op::SSetregB32.name(gfx), to.text(gfx)),
            Instruction::SetregImm { to, value } => write!(f, "{} {}, {value:#x}", Op::SSetregImm32B32.name(gfx), to.text(gfx)),
            Instruction::Sopp { op, imm } => sopp(gfx, *op, *imm, f),
            Instruction::Exp(export) => write!(f, "{} {export}", if gfx.major() >= 12 { "export" } else { "exp" }),
            Instruction::Smem(load) => load.write(gfx, f),
            Instruction::Mubuf(access) => access.write(gfx, f),
            Instruction::Image(access) => access.write(gfx, f),
            Instruction::Vector(computation) => computation.write(gfx, f),
            Instruction::Raw(words) => words.iter().enumerate().try_for_each(|(n, word)| write!(f, "{}{word:#010x}", if n == 0 { ".long " } else { ", " })),
        }
    }
}

fn sopp(gfx: Gfx, op: Op, imm: u16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(op.name(gfx))?;
    if op.info().lacks(Operand::Imm) {
        return Ok(());
    }
    let wait = Waitcnt::from_imm(gfx, imm);
    match op {
        Op::SWaitcnt if wait.imm(gfx) == imm && wait != Waitcnt::default() => write!(f, " {wait}"),
        Op::SSendmsg | Op::SSendmsghalt => match message::name(gfx, imm) {
            Some(name) => write!(f, " sendmsg(MSG_{name})"),
            None => write!(f, " {imm:#x}"),
        },
        // The immediate has no meaning and is usually 0, in which case assembly omits it (LLVM).
        Op::SEndpgm if imm == 0 => Ok(()),
        Op::SNop | Op::SSleep | Op::SSetprio | Op::SEndpgm => write!(f, " {imm}"),
        _ if is_branch(op) => write!(f, " {imm}"),
        _ => write!(f, " {imm:#x}"),
    }
}
