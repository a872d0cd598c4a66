//! Errors of encoding and parsing instructions.

use super::export_target::ExportTarget;
use super::hwreg::Hwreg;
use super::operand::{Reg, Src};
use super::tables::Op;
use crate::chip::Gfx;
use alloc::string::String;

/// Why an instruction cannot be encoded for a generation.
///
/// For an example see [`Instruction`](crate::isa::Instruction).
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The generation lacks the instruction.
    #[error("{} does not exist on {gfx}", op.name(*gfx))]
    Absent {
        /// The instruction.
        op: Op,
        /// The generation.
        gfx: Gfx,
    },
    /// The operands belong to another format.
    #[error("{} has other operands: use the variant of `Instruction` for its format", op.name(*gfx))]
    WrongFormat {
        /// The instruction.
        op: Op,
        /// The generation.
        gfx: Gfx,
    },
    /// The generation lacks the register.
    #[error("register {reg} does not exist on {gfx}")]
    Register {
        /// The register.
        reg: Reg,
        /// The generation.
        gfx: Gfx,
    },
    /// The first register of a group is not aligned.
    #[error("{reg} is the first of {count} registers: its number must be a multiple of {align}")]
    Alignment {
        /// The register.
        reg: Reg,
        /// Number of registers in the group.
        count: u8,
        /// The required alignment.
        align: u8,
    },
    /// The generation or the operand does not accept the source.
    #[error("source {src} is not allowed here on {gfx}")]
    Source {
        /// The source.
        src: Src,
        /// The generation.
        gfx: Gfx,
    },
    /// An instruction has room for only one literal.
    #[error("two different literals, {0:#x} and {1:#x}: an instruction has room for one")]
    TwoLiterals(u32, u32),
    /// The generation lacks the wave register, or the bits do not fit.
    #[error("hwreg({}, {}, {}) does not exist on {gfx}", hwreg.id, hwreg.offset, hwreg.size)]
    Hwreg {
        /// The wave register.
        hwreg: Hwreg,
        /// The generation.
        gfx: Gfx,
    },
    /// The generation lacks the message.
    #[error("message {id} does not exist on {gfx}")]
    Message {
        /// The number of the message.
        id: u16,
        /// The generation.
        gfx: Gfx,
    },
    /// The generation lacks the export target.
    #[error("export target {target} does not exist on {gfx}")]
    Target {
        /// The export target.
        target: ExportTarget,
        /// The generation.
        gfx: Gfx,
    },
    /// The generation lacks the flag.
    #[error("{flag} does not exist on {gfx}")]
    Flag {
        /// The flag.
        flag: &'static str,
        /// The generation.
        gfx: Gfx,
    },
    /// A number is out of range.
    #[error("{what} is {value}; allowed: {least} to {limit}")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The requested value.
        value: i64,
        /// The smallest allowed value.
        least: i64,
        /// The largest allowed value.
        limit: i64,
    },
    /// The target of a branch is too far away or does not exist.
    #[error("the branch at instruction {at} cannot reach its target")]
    Branch {
        /// Number of the instruction in its program.
        at: usize,
    },
    /// A sequence does not exist on this generation.
    #[error("{what} does not exist on {gfx}")]
    UnsupportedSequence {
        /// The sequence.
        what: &'static str,
        /// The generation.
        gfx: Gfx,
    },
}

/// Assembly text that cannot be read.
///
/// For an example see [`parse`](crate::isa::parse).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is not an instruction.
    #[error("{what}: `{text}`")]
    Syntax {
        /// What is wrong.
        what: &'static str,
        /// The part that cannot be read.
        text: String,
    },
    /// A group of registers whose size differs from that of the operand.
    #[error("registers of {operand}: {wanted}; `{text}` has {found}")]
    Registers {
        /// The operand.
        operand: &'static str,
        /// The registers as written.
        text: String,
        /// Number of registers written.
        found: u32,
        /// Number of registers of the operand.
        wanted: u32,
    },
    /// The generation cannot encode the instruction.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
