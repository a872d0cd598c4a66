//! Why an instruction cannot be encoded or read.

use super::hwreg::Hwreg;
use super::operand::{Reg, Src};
use super::{Op, Target};
use crate::chip::Gfx;
use alloc::string::String;

/// An instruction that a generation does not have: what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The generation lacks the instruction.
    #[error("{} does not exist on {gfx}", op.name(*gfx))]
    Absent {
        /// Which.
        op: Op,
        /// Where.
        gfx: Gfx,
    },
    /// The operands are those of another format.
    #[error("{} has other operands", op.name(*gfx))]
    Encoding {
        /// Which.
        op: Op,
        /// Where.
        gfx: Gfx,
    },
    /// The generation lacks the register.
    #[error("register {reg} does not exist on {gfx}")]
    Register {
        /// Which.
        reg: Reg,
        /// Where.
        gfx: Gfx,
    },
    /// A register that starts a group must be aligned.
    #[error("{reg} starts {count} registers and must be a multiple of {align}")]
    Alignment {
        /// Which.
        reg: Reg,
        /// How many registers it starts.
        count: u8,
        /// What it must be a multiple of.
        align: u8,
    },
    /// The generation or the place lacks the source.
    #[error("source {src} is not allowed here on {gfx}")]
    Source {
        /// Which.
        src: Src,
        /// Where.
        gfx: Gfx,
    },
    /// One literal fits into an instruction.
    #[error("two different literals: {0:#x} and {1:#x}")]
    Literals(u32, u32),
    /// The generation lacks the wave register, or the bits do not fit.
    #[error("hwreg({}, {}, {}) does not exist on {gfx}", hwreg.id, hwreg.offset, hwreg.size)]
    Hwreg {
        /// Which.
        hwreg: Hwreg,
        /// Where.
        gfx: Gfx,
    },
    /// The generation lacks the message.
    #[error("message {id} does not exist on {gfx}")]
    Message {
        /// Which.
        id: u16,
        /// Where.
        gfx: Gfx,
    },
    /// The generation lacks the export target.
    #[error("export target {target} does not exist on {gfx}")]
    Target {
        /// Which.
        target: Target,
        /// Where.
        gfx: Gfx,
    },
    /// The generation lacks the flag.
    #[error("{flag} does not exist on {gfx}")]
    Flag {
        /// Which.
        flag: &'static str,
        /// Where.
        gfx: Gfx,
    },
    /// A number is too large.
    #[error("{what} is {value}; the limit is {limit}")]
    Limit {
        /// Of what.
        what: &'static str,
        /// What was asked for.
        value: i64,
        /// The largest.
        limit: i64,
    },
    /// A branch whose target lies too far away, or nowhere.
    #[error("the branch at instruction {at} cannot reach its target")]
    Branch {
        /// Number of the instruction in its program.
        at: usize,
    },
    /// A sequence does not exist on this generation.
    #[error("{what} does not exist on {gfx}")]
    Sequence {
        /// Which.
        what: &'static str,
        /// Where.
        gfx: Gfx,
    },
}

/// Assembly text that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is no instruction.
    #[error("{what}: `{text}`")]
    Syntax {
        /// What is wrong.
        what: &'static str,
        /// The part that cannot be read.
        text: String,
    },
    /// The generation lacks it.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
