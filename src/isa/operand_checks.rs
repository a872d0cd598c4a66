//! Checks whether an instruction of a generation accepts an operand.

use super::error::EncodeError;
use super::hwreg::Hwreg;
use super::operand::{Reg, Src};
use crate::chip::Gfx;

impl Reg {
    /// Checks a group of `count` registers that starts here: pairs start at even numbers, larger groups at multiples of four.
    pub(super) fn check(self, gfx: Gfx, count: u8) -> Result<u8, EncodeError> {
        let absent = EncodeError::Register { reg: self, gfx };
        let code = self.code(gfx).ok_or(absent)?;
        if count == 1 || self == Self::Null {
            return Ok(code);
        }
        let align = if count == 2 { 2 } else { 4 };
        let (number, limit) = match self {
            Self::Sgpr(n) => (n, if gfx.major() == 9 { 102 } else { 106 }),
            Self::Ttmp(n) => (n, 16),
            Self::VccLo | Self::ExecLo | Self::FlatScratchLo | Self::XnackMaskLo if count == 2 => return Ok(code),
            _ => return Err(absent),
        };
        if number % align != 0 {
            return Err(EncodeError::Alignment { reg: self, count, align });
        }
        // A group must not extend from the last SGPRs into VCC.
        if number + count > limit { Err(absent) } else { Ok(code) }
    }
}

impl Src {
    /// Checks a source of `count` registers.
    pub(super) fn check(self, gfx: Gfx, count: u8) -> Result<u8, EncodeError> {
        let wrong = EncodeError::Source { src: self, gfx };
        match self {
            Self::Reg(reg) => reg.check(gfx, count),
            // LLVM accepts apertures and conditions as 64-bit operands too.
            _ => self.code(gfx).ok_or(wrong),
        }
    }
}

impl Hwreg {
    pub(super) fn check(self, gfx: Gfx) -> Result<u16, EncodeError> {
        let fits = self.id < 64 && self.offset < 32 && (1..=32).contains(&self.size);
        if !fits || self.register(gfx).is_none() {
            return Err(EncodeError::Hwreg { hwreg: self, gfx });
        }
        Ok(self.imm())
    }
}
