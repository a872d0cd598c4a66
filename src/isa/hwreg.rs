//! Wave registers, typed by generation, and the operand that names a part of one.

use crate::chip::Gfx;
use core::fmt;

pub use super::tables::{WaveFieldInfo, WaveRegister, layout, wave_registers};

#[cfg(feature = "gfx9")]
pub use super::tables::gfx9;
#[cfg(feature = "gfx10")]
pub use super::tables::gfx10;
#[cfg(feature = "gfx11")]
pub use super::tables::gfx11;
#[cfg(feature = "gfx12")]
pub use super::tables::gfx12;
#[cfg(feature = "gfx103")]
pub use super::tables::gfx103;
#[cfg(feature = "gfx115")]
pub use super::tables::gfx115;

/// A range of bits of a wave register: the operand of s_getreg and s_setreg.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::hwreg::Hwreg;
/// let packer = Hwreg::find(Gfx::Gfx10, "POPS_PACKER").unwrap();
/// assert_eq!(packer.bits(0, 3).imm(), 0x1019);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hwreg {
    /// Number of the register, 0 to 63.
    pub id: u8,
    /// First bit.
    pub offset: u8,
    /// Number of bits, 1 to 32.
    pub size: u8,
}

impl Hwreg {
    /// Returns all bits of the register with this AMD name, if the assembler of the generation accepts it.
    pub fn find(gfx: Gfx, name: &str) -> Option<Self> {
        let register = wave_registers(gfx).iter().find(|r| r.name == name && r.named)?;
        Some(Self { id: register.id.filter(|id| *id < 64)?, offset: 0, size: 32 })
    }

    /// Returns a copy that names other bits of the register.
    #[must_use]
    pub const fn bits(self, offset: u8, size: u8) -> Self {
        Self { id: self.id, offset, size }
    }

    /// Returns the register's description on a generation.
    pub fn register(self, gfx: Gfx) -> Option<&'static WaveRegister> {
        wave_registers(gfx).iter().find(|r| r.id == Some(self.id) && r.named)
    }

    /// Returns the 16 bits of the instruction.
    pub const fn imm(self) -> u16 {
        self.id as u16 & 0x3F | (self.offset as u16 & 0x1F) << 6 | (self.size.wrapping_sub(1) as u16 & 0x1F) << 11
    }

    /// Returns the operand from the 16 bits of the instruction.
    pub const fn from_imm(imm: u16) -> Self {
        Self { id: imm as u8 & 0x3F, offset: (imm >> 6) as u8 & 0x1F, size: (imm >> 11) as u8 + 1 }
    }

    /// Returns the mask of the bits in the register, without those beyond bit 31; 0 for an offset of 32 or more.
    ///
    /// ```
    /// use pm4::isa::hwreg::Hwreg;
    /// let register = Hwreg { id: 1, offset: 0, size: 32 };
    /// assert_eq!(register.bits(24, 2).mask(), 0x300_0000);
    /// assert_eq!(register.bits(24, 255).mask(), 0xFF00_0000);
    /// assert_eq!(register.bits(255, 1).mask(), 0);
    /// ```
    pub const fn mask(self) -> u32 {
        let size = if self.size >= 32 { u32::MAX } else { (1 << self.size) - 1 };
        if self.offset >= 32 { 0 } else { size << self.offset }
    }

    pub(super) fn text(self, gfx: Gfx) -> impl fmt::Display {
        HwregText(self, gfx)
    }
}

struct HwregText(Hwreg, Gfx);

impl fmt::Display for HwregText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hwreg { id, offset, size } = self.0;
        match self.0.register(self.1).and_then(|register| register.assembly) {
            Some(name) => write!(f, "hwreg(HW_REG_{name}")?,
            None => write!(f, "hwreg({id}")?,
        }
        if (offset, size) == (0, 32) { f.write_str(")") } else { write!(f, ", {offset}, {size})") }
    }
}
