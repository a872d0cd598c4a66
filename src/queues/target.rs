//! The versions of a chip.

use super::format::QueueFamily;
use super::version::Version;
use crate::chip::{Chip, ComputeChip, Gfx};
use core::fmt;
use core::str::FromStr;

/// A chip whose queues are read: with graphics, or only with compute.
///
/// ```
/// use pm4::queues::{QueueFamily, Target};
/// let target: Target = "gfx942".parse()?;
/// assert_eq!(target.version(QueueFamily::Sdma).map(|version| version.name()), Some("4.4"));
/// assert_eq!(target.version(QueueFamily::Mes), None, "kernels schedule with PM4 packets there");
/// # Ok::<(), pm4::queues::UnknownChip>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A chip with graphics.
    Chip(Chip),
    /// A chip without graphics.
    Compute(ComputeChip),
}

/// The name of no known chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no chip has this name")]
pub struct UnknownChip;

impl Target {
    /// Returns the name of the chip.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chip(chip) => chip.info().name,
            Self::Compute(chip) => chip.info().name,
        }
    }

    /// Returns the chip, if it has graphics.
    pub const fn chip(self) -> Option<Chip> {
        match self {
            Self::Chip(chip) => Some(chip),
            Self::Compute(_) => None,
        }
    }

    /// Returns the version of a family; None if the chip has no such queue, or no source states the version.
    pub fn version(self, family: QueueFamily) -> Option<Version> {
        let name = match (self, family) {
            (Self::Chip(chip), QueueFamily::Sdma) => chip.info().sdma?,
            (Self::Chip(chip), QueueFamily::Aql | QueueFamily::Mes | QueueFamily::Mqd | QueueFamily::SdmaMqd) => major(chip.gfx()),
            (Self::Compute(chip), QueueFamily::Sdma) => chip.info().sdma,
            (Self::Compute(chip), QueueFamily::Aql) => chip.info().aql,
            (Self::Compute(chip), QueueFamily::Mes) => chip.info().mes?,
            // CDNA has the structures of GFX9; no header that was read contains those of SDMA on GFX12.1.
            (Self::Compute(chip), QueueFamily::Mqd | QueueFamily::SdmaMqd) => {
                if chip.info().aql == "9.4" {
                    "9"
                } else {
                    chip.info().aql
                }
            }
        };
        Version::new(family, name)
    }
}

fn major(gfx: Gfx) -> &'static str {
    ["9", "10", "11", "12"][usize::from(gfx.major()) - 9]
}

impl From<Chip> for Target {
    fn from(chip: Chip) -> Self {
        Self::Chip(chip)
    }
}

impl From<ComputeChip> for Target {
    fn from(chip: ComputeChip) -> Self {
        Self::Compute(chip)
    }
}

impl FromStr for Target {
    type Err = UnknownChip;

    fn from_str(name: &str) -> Result<Self, UnknownChip> {
        name.parse().map(Self::Chip).or_else(|_| name.parse().map(Self::Compute)).map_err(|_: strum::ParseError| UnknownChip)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
