//! The size of a wave.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// The number of lanes of a wave.
///
/// For an example see [`Program`](crate::draw::Program).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum WaveSize {
    /// 32 lanes (GFX10 and later).
    W32,
    /// 64 lanes.
    #[default]
    W64,
}

impl WaveSize {
    /// Returns the number of lanes, 32 or 64.
    pub const fn lanes(self) -> u32 {
        match self {
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }

    /// Returns the number of pixel quads: a quarter of the lanes.
    pub const fn quads(self) -> u32 {
        self.lanes() / 4
    }
}
