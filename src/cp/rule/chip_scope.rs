//! The chips to which a rule applies.

use crate::chip::{Chip, Erratum};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The chips to which a rule applies.
///
/// For an example see [`Judge`](crate::cp::rules::Judge).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChipScope {
    /// Every chip.
    All,
    /// A set of generations: bit 0 is GFX9, bit 1 GFX10.1, bit 2 GFX10.3, bit 3 GFX11, bit 4 GFX11.5, bit 5 GFX12.
    Generations(u8),
    /// The chips affected by an erratum.
    Erratum(Erratum),
    /// The chips with these names ([`ChipInfo::name`](crate::chip::ChipInfo::name)). Names are used because a chip whose generation is off does not exist.
    Chips(&'static [&'static str]),
}

impl ChipScope {
    /// GFX9 to GFX10.3.
    pub const UP_TO_GFX103: Self = Self::Generations(0b00_0111);
    /// GFX10.3 only.
    pub const GFX103: Self = Self::Generations(0b00_0100);
    /// GFX11, GFX11.5 and GFX12.
    pub const FROM_GFX11: Self = Self::Generations(0b11_1000);

    /// GFX9 only.
    pub const GFX9: Self = Self::Generations(0b00_0001);
    /// GFX10.1 only.
    pub const GFX10: Self = Self::Generations(0b00_0010);
    /// GFX10.1 and GFX10.3.
    pub const GFX10_AND_103: Self = Self::Generations(0b00_0110);
    /// From GFX10.1 on.
    pub const FROM_GFX10: Self = Self::Generations(0b11_1110);
    /// GFX9 to GFX11.5.
    pub const UP_TO_GFX115: Self = Self::Generations(0b01_1111);
    /// GFX11 and GFX11.5.
    pub const GFX11_AND_115: Self = Self::Generations(0b01_1000);
    /// GFX12 only.
    pub const GFX12: Self = Self::Generations(0b10_0000);

    /// Returns the scope as text.
    pub fn describe(self) -> String {
        const NAMES: [&str; 6] = ["gfx9", "gfx10", "gfx103", "gfx11", "gfx115", "gfx12"];
        match self {
            Self::All => "all".into(),
            Self::Generations(set) => {
                let names: Vec<&str> = NAMES.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, name)| *name).collect();
                names.join(", ")
            }
            Self::Chips(names) => names.join(", "),
            Self::Erratum(erratum) => {
                let doubt = |chip: Chip| if chip.has_unverified(erratum) { " (unverified)" } else { "" };
                let names: Vec<String> = erratum.chips().map(|chip| format!("{}{}", chip.info().name, doubt(chip))).collect();
                format!("{} (erratum {erratum})", names.join(", "))
            }
        }
    }

    /// Returns whether the scope contains the chip.
    pub fn contains(self, chip: Chip) -> bool {
        match self {
            Self::All => true,
            Self::Generations(set) => set & chip.gfx().bit() != 0,
            Self::Erratum(erratum) => chip.has(erratum),
            Self::Chips(names) => names.contains(&chip.info().name),
        }
    }
}
