//! Swizzle modes: AMD's names, and their numbers in descriptors and registers.

#![allow(non_camel_case_types)] // names of AMD's address library

use crate::chip::Gfx;
use core::fmt;
use strum::EnumIter;

/// The order of a surface's elements in memory. Names are those of AMD's address library without the prefix `ADDR`. [`number`](Self::number) returns the number
/// of a mode.
///
/// Letters: Z order of depth, S standard, D display, R rotated on GFX9 and for render targets from GFX10 on. `_T`: pipe bits are XORed with coordinates inside
/// the block, so that all blocks have the same order. `_X`: pipe and bank bits are XORed with coordinates beyond the block, with the slice and with a value of
/// the surface. GFX12 uses the same order for all uses, and has blocks of one slice (2D) and of several slices (3D).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::layout::SwizzleMode;
///
/// assert_eq!(SwizzleMode::SW_64KB_R_X.number(), 27);
/// assert_eq!(SwizzleMode::from_number(Gfx::Gfx11, 31), Some(SwizzleMode::SW_256KB_R_X));
/// assert_eq!(SwizzleMode::from_number(Gfx::Gfx12, 3), Some(SwizzleMode::SW_64KB_2D));
/// assert_eq!(SwizzleMode::from_number(Gfx::Gfx12, 27), None);
/// assert_eq!(SwizzleMode::SW_64KB_R_X.to_string(), "64KB_R_X");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter)]
#[allow(missing_docs)] // the names say all that is known
pub enum SwizzleMode {
    SW_LINEAR,
    SW_256B_S,
    SW_256B_D,
    SW_256B_R,
    SW_4KB_Z,
    SW_4KB_S,
    SW_4KB_D,
    SW_4KB_R,
    SW_64KB_Z,
    SW_64KB_S,
    SW_64KB_D,
    SW_64KB_R,
    SW_64KB_Z_T,
    SW_64KB_S_T,
    SW_64KB_D_T,
    SW_64KB_R_T,
    SW_4KB_Z_X,
    SW_4KB_S_X,
    SW_4KB_D_X,
    SW_4KB_R_X,
    SW_64KB_Z_X,
    SW_64KB_S_X,
    SW_64KB_D_X,
    SW_64KB_R_X,
    SW_VAR_Z_X,
    SW_VAR_R_X,
    SW_256KB_Z_X,
    SW_256KB_S_X,
    SW_256KB_D_X,
    SW_256KB_R_X,
    SW_256B_2D,
    SW_4KB_2D,
    SW_64KB_2D,
    SW_256KB_2D,
    SW_4KB_3D,
    SW_64KB_3D,
    SW_256KB_3D,
}

/// Generations of a mode, as bits by [`Gfx::index`].
const ALL: u8 = 0b11_1111;
const TO_103: u8 = 0b00_0111;
const TO_115: u8 = 0b01_1111;
const ONLY_9: u8 = 0b00_0001;
const ONLY_103: u8 = 0b00_0100;
const ONLY_11: u8 = 0b01_1000;
const ONLY_12: u8 = 0b10_0000;

/// Name, number, generations; in the order of the enumeration. 24 is Z_X, 27 R_X on all generations up to GFX11.5 (Mesa 25.0.7 addrtypes.h).
#[rustfmt::skip] // a table
const ROWS: [(&str, u8, u8); 37] = [
    ("LINEAR", 0, ALL),
    ("256B_S", 1, TO_103), ("256B_D", 2, TO_115), ("256B_R", 3, ONLY_9),
    ("4KB_Z", 4, ONLY_9), ("4KB_S", 5, TO_115), ("4KB_D", 6, TO_115), ("4KB_R", 7, ONLY_9),
    ("64KB_Z", 8, ONLY_9), ("64KB_S", 9, TO_115), ("64KB_D", 10, TO_115), ("64KB_R", 11, ONLY_9),
    ("64KB_Z_T", 16, ONLY_9), ("64KB_S_T", 17, TO_115), ("64KB_D_T", 18, TO_115), ("64KB_R_T", 19, ONLY_9),
    ("4KB_Z_X", 20, ONLY_9), ("4KB_S_X", 21, TO_115), ("4KB_D_X", 22, TO_115), ("4KB_R_X", 23, ONLY_9),
    ("64KB_Z_X", 24, TO_115), ("64KB_S_X", 25, TO_115), ("64KB_D_X", 26, TO_115), ("64KB_R_X", 27, TO_115),
    ("VAR_Z_X", 28, ONLY_103), ("VAR_R_X", 31, ONLY_103),
    ("256KB_Z_X", 28, ONLY_11), ("256KB_S_X", 29, ONLY_11), ("256KB_D_X", 30, ONLY_11), ("256KB_R_X", 31, ONLY_11),
    ("256B_2D", 1, ONLY_12), ("4KB_2D", 2, ONLY_12), ("64KB_2D", 3, ONLY_12), ("256KB_2D", 4, ONLY_12),
    ("4KB_3D", 5, ONLY_12), ("64KB_3D", 6, ONLY_12), ("256KB_3D", 7, ONLY_12),
];

/// All modes, in the order of the enumeration.
#[rustfmt::skip] // a table
const ALL_MODES: [SwizzleMode; 37] = {
    use SwizzleMode::*;
    [
        SW_LINEAR, SW_256B_S, SW_256B_D, SW_256B_R, SW_4KB_Z, SW_4KB_S,
        SW_4KB_D, SW_4KB_R, SW_64KB_Z, SW_64KB_S, SW_64KB_D, SW_64KB_R,
        SW_64KB_Z_T, SW_64KB_S_T, SW_64KB_D_T, SW_64KB_R_T, SW_4KB_Z_X, SW_4KB_S_X,
        SW_4KB_D_X, SW_4KB_R_X, SW_64KB_Z_X, SW_64KB_S_X, SW_64KB_D_X, SW_64KB_R_X,
        SW_VAR_Z_X, SW_VAR_R_X, SW_256KB_Z_X, SW_256KB_S_X, SW_256KB_D_X, SW_256KB_R_X,
        SW_256B_2D, SW_4KB_2D, SW_64KB_2D, SW_256KB_2D, SW_4KB_3D, SW_64KB_3D,
        SW_256KB_3D,
    ]
};

/// Position of the mode with each number, by generation.
const BY_NUMBER: [[u8; 32]; 6] = {
    let mut rows = [[u8::MAX; 32]; 6];
    let mut mode = 0;
    while mode < ROWS.len() {
        let (_, number, generations) = ROWS[mode];
        let mut generation = 0;
        while generation < 6 {
            if generations >> generation & 1 == 1 {
                rows[generation][number as usize] = mode as u8;
            }
            generation += 1;
        }
        mode += 1;
    }
    rows
};

impl SwizzleMode {
    /// Returns the mode's value in fields such as SW_MODE and SWIZZLE_MODE, on the generations that have the mode.
    pub const fn number(self) -> u32 {
        ROWS[self as usize].1 as u32
    }

    /// Name without prefix: `64KB_R_X`.
    pub const fn name(self) -> &'static str {
        ROWS[self as usize].0
    }

    /// Returns whether a generation has the mode.
    pub const fn exists_on(self, gfx: Gfx) -> bool {
        ROWS[self as usize].2 & gfx.bit() != 0
    }

    /// Returns the mode with this number in descriptors or registers of a generation.
    pub fn from_number(gfx: Gfx, number: u32) -> Option<Self> {
        let row = BY_NUMBER[gfx.index()].get(number as usize)?;
        ALL_MODES.get(usize::from(*row)).copied()
    }

    /// Returns the modes that a generation has.
    pub fn all(gfx: Gfx) -> impl Iterator<Item = Self> {
        ALL_MODES.into_iter().filter(move |mode| mode.exists_on(gfx))
    }
}

impl fmt::Display for SwizzleMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
