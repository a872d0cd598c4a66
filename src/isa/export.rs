//! Exports: colour, depth, position; from GFX11 also the end of the ordered section.

use super::error::EncodeError;
use super::export_target::ExportTarget;
use super::words::Words;
use crate::chip::Gfx;
use core::fmt;

/// An export.
///
/// For an example see [`ExportTarget`](crate::isa::ExportTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Export {
    /// The export target.
    pub target: ExportTarget,
    /// VGPRs of the four channels; None exports nothing in that channel. With `compressed`, the first two channels share a VGPR, and so do the last two.
    pub sources: [Option<u8>; 4],
    /// Bits of the second dword in bytes that no channel uses. They have no meaning but are kept to reproduce the words: Mesa's ACO writes 0x80 in each such
    /// byte (the undefined operand, aco_ir.h).
    pub unused: u32,
    /// Two 16-bit channels per VGPR (up to GFX10.3).
    pub compressed: bool,
    /// Whether this is the last export of the wave. From GFX11 on, it ends the ordered section (POPS article).
    pub done: bool,
    /// Whether EXEC is the mask of valid pixels (up to GFX10.3).
    pub valid_mask: bool,
    /// Whether M0 holds a row number (from GFX11 on).
    pub row: bool,
}

impl Export {
    /// Returns an export without channels that ends the exports of the wave, to NULL or, on generations without NULL, to MRT0.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::isa::{Export, Instruction};
    /// assert_eq!(Instruction::Exp(Export::nothing(Gfx::Gfx9)).encode(Gfx::Gfx9).unwrap().as_slice(), [0xC400_1890, 0]);
    /// assert_eq!(Instruction::Exp(Export::nothing(Gfx::Gfx11)).encode(Gfx::Gfx11).unwrap().as_slice(), [0xF800_0800, 0]);
    /// ```
    pub const fn nothing(gfx: Gfx) -> Self {
        let old = gfx.major() <= 10;
        Self {
            target: if old { ExportTarget::Null } else { ExportTarget::Mrt(0) },
            sources: [None; 4],
            unused: 0,
            compressed: false,
            done: true,
            valid_mask: old,
            row: false,
        }
    }

    const fn prefix(gfx: Gfx) -> u32 {
        if gfx.major() == 9 { 0b11_0001 } else { 0b11_1110 }
    }

    pub(super) fn is(gfx: Gfx, word: u32) -> bool {
        word >> 26 == Self::prefix(gfx)
    }

    pub(super) fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        let target = self.target.code(gfx).ok_or(EncodeError::Target { target: self.target, gfx })?;
        let old = gfx.major() <= 10;
        for (flag, set, exists) in [("compr", self.compressed, old), ("vm", self.valid_mask, old), ("row_en", self.row, !old)] {
            if set && !exists {
                return Err(EncodeError::Flag { flag, gfx });
            }
        }
        let (mut enable, mut sources, mut used) = (0, 0, 0);
        for (channel, source) in self.sources.iter().enumerate() {
            let Some(vgpr) = *source else { continue };
            let shift = source_bit(self.compressed, channel);
            let other = (sources >> shift) as u8;
            if used >> shift & 0xFF != 0 && other != vgpr {
                let only = i64::from(other);
                return Err(EncodeError::OutOfRange { what: "the second VGPR of two compressed channels", value: vgpr.into(), least: only, limit: only });
            }
            enable |= 1 << channel;
            sources |= u32::from(vgpr) << shift;
            used |= 0xFF << shift;
        }
        if self.unused & used != 0 {
            return Err(EncodeError::OutOfRange { what: "unused bits where a channel has its VGPR", value: (self.unused & used).into(), least: 0, limit: 0 });
        }
        let flags = u32::from(self.compressed) << 10 | u32::from(self.done) << 11 | u32::from(self.valid_mask) << 12 | u32::from(self.row) << 13;
        Ok(Words::two(Self::prefix(gfx) << 26 | flags | u32::from(target) << 4 | enable, sources | self.unused))
    }

    pub(super) fn decode(gfx: Gfx, words: [u32; 2]) -> Option<Self> {
        let bit = |n: u32| words[0] >> n & 1 == 1;
        let compressed = bit(10) && gfx.major() <= 10;
        let (mut sources, mut unused) = ([None; 4], words[1]);
        for (channel, source) in sources.iter_mut().enumerate().filter(|(channel, _)| bit(*channel as u32)) {
            let shift = source_bit(compressed, channel);
            *source = Some((words[1] >> shift) as u8);
            unused &= !(0xFF << shift);
        }
        let target = ExportTarget::from_code(gfx, (words[0] >> 4) as u8 & 0x3F)?;
        Some(Self { target, sources, unused, compressed, done: bit(11), valid_mask: bit(12), row: bit(13) })
    }
}

/// Returns the lowest bit of the VGPR of a channel in the second dword; two compressed channels share a VGPR.
const fn source_bit(compressed: bool, channel: usize) -> usize {
    8 * if compressed { channel / 2 } else { channel }
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.target)?;
        for channel in 0..4 {
            f.write_str(if channel == 0 { " " } else { ", " })?;
            match self.sources[channel] {
                Some(vgpr) => write!(f, "v{vgpr}")?,
                None => f.write_str("off")?,
            }
        }
        for (flag, set) in [("done", self.done), ("compr", self.compressed), ("vm", self.valid_mask), ("row_en", self.row)] {
            if set {
                write!(f, " {flag}")?;
            }
        }
        if self.unused != 0 {
            write!(f, " unused:{:#x}", self.unused)?;
        }
        Ok(())
    }
}
