//! The board: how many engines, arrays and compute units of the chip are enabled.

use crate::chip::Chip;

/// Shader engines, arrays and CUs of a board: 1 to 32 of each.
///
/// For a related example see [`occupancy`](crate::draw::occupancy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// Shader engines.
    pub shader_engines: u32,
    /// Shader arrays of an engine.
    pub arrays_per_engine: u32,
    /// CUs that work in the array that has fewest.
    pub cus_per_array: u32,
}

impl Board {
    /// The boards of the captures; None for other chips. Engines and CUs follow from what RADV programs on them, arrays per engine are one on GFX9
    /// and two later.
    pub fn recorded(chip: Chip) -> Option<Self> {
        let (shader_engines, arrays_per_engine, cus_per_array) = match chip.info().name {
            "vega10" => (4, 1, 16),
            "navi10" => (2, 2, 10),
            "navi21" => (4, 2, 10),
            "navi31" => (6, 2, 8),
            _ => return None,
        };
        Some(Self { shader_engines, arrays_per_engine, cus_per_array })
    }

    /// CUs of an engine.
    pub(crate) fn cus_per_engine(self) -> u32 {
        self.arrays_per_engine.saturating_mul(self.cus_per_array)
    }
}
