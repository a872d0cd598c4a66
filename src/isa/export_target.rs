//! Export targets.

use crate::chip::Gfx;
use core::fmt;

/// The target of an export.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Export, ExportTarget, Instruction};
/// let color = Export { target: ExportTarget::Mrt(0), sources: [Some(0), Some(1), Some(2), Some(3)], ..Export::nothing(Gfx::Gfx11) };
/// assert_eq!(Instruction::Exp(color).text(Gfx::Gfx11).to_string(), "exp mrt0 v0, v1, v2, v3 done");
/// // Parameters go through memory from GFX11 on.
/// assert_eq!((ExportTarget::Param(0).code(Gfx::Gfx103), ExportTarget::Param(0).code(Gfx::Gfx11)), (Some(32), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportTarget {
    /// Colour target 0 to 7.
    Mrt(u8),
    /// Depth, stencil, sample mask.
    Mrtz,
    /// Nowhere (up to GFX10.3).
    Null,
    /// Position 0 to 3; 4 from GFX10.
    Pos(u8),
    /// Primitive (from GFX10).
    Prim,
    /// Dual source colour 0 or 1 (from GFX11).
    DualSource(u8),
    /// Parameter 0 to 31 (up to GFX10.3).
    Param(u8),
}

impl ExportTarget {
    /// Returns the target's code; None if the generation lacks the target.
    pub fn code(self, gfx: Gfx) -> Option<u8> {
        let (old, ten) = (gfx.major() <= 10, gfx.major() >= 10);
        match self {
            Self::Mrt(n) => (n < 8).then_some(n),
            Self::Mrtz => Some(8),
            Self::Null => old.then_some(9),
            Self::Pos(n) => (n < 4 || n == 4 && ten).then(|| 12 + n),
            Self::Prim => ten.then_some(20),
            Self::DualSource(n) => (!old && n < 2).then(|| 21 + n),
            Self::Param(n) => (old && n < 32).then(|| 32 + n),
        }
    }

    /// Returns the target with this code; None if the generation has none.
    pub fn from_code(gfx: Gfx, code: u8) -> Option<Self> {
        let found = match code {
            0..=7 => Self::Mrt(code),
            8 => Self::Mrtz,
            9 => Self::Null,
            12..=16 => Self::Pos(code - 12),
            20 => Self::Prim,
            21 | 22 => Self::DualSource(code - 21),
            32..=63 => Self::Param(code - 32),
            _ => return None,
        };
        found.code(gfx).is_some().then_some(found)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let number = |prefix| name.strip_prefix(prefix).and_then(|n: &str| n.parse().ok());
        match name {
            "mrtz" => Some(Self::Mrtz),
            "null" => Some(Self::Null),
            "prim" => Some(Self::Prim),
            _ => number("mrt")
                .map(Self::Mrt)
                .or(number("pos").map(Self::Pos))
                .or(number("param").map(Self::Param))
                .or(number("dual_src_blend").map(Self::DualSource)),
        }
    }
}

impl fmt::Display for ExportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mrt(n) => write!(f, "mrt{n}"),
            Self::Mrtz => f.write_str("mrtz"),
            Self::Null => f.write_str("null"),
            Self::Pos(n) => write!(f, "pos{n}"),
            Self::Prim => f.write_str("prim"),
            Self::DualSource(n) => write!(f, "dual_src_blend{n}"),
            Self::Param(n) => write!(f, "param{n}"),
        }
    }
}
