//! The compute units that a stage may use.

use crate::cp::view::draw_view::{DrawView, FieldState};
use alloc::format;

/// The compute units of a stage according to the registers.
pub(super) struct UnitMask {
    pub units: u64,
    /// The units for which this is known.
    pub known: u64,
    /// CU_EN of RSRC3.
    pub low: FieldState,
}

/// Returns the compute units of a stage: those in RSRC3, and the further ones in RSRC4 (GFX10 to GFX11.5).
pub(super) fn cu_mask(view: &DrawView<'_>, stage: &str) -> Option<UnitMask> {
    let (first, further) = (format!("SPI_SHADER_PGM_RSRC3_{stage}"), format!("SPI_SHADER_PGM_RSRC4_{stage}"));
    let low = view.field(&first, "CU_EN")?;
    let units = u64::from(low.value());
    Some(match (view.has_field(&further, "CU_EN"), view.field(&further, "CU_EN")) {
        (false, _) => UnitMask { units, known: u64::MAX, low },
        (true, Some(high)) => UnitMask { units: units | u64::from(high.value()) << 16, known: u64::MAX, low },
        (true, None) => UnitMask { units, known: 0xFFFF, low },
    })
}

/// Returns the compute units of a shader array: 16, or the number that the caller has stated.
pub(super) fn array_units(view: &DrawView<'_>) -> u64 {
    u64::MAX >> (64 - view.options().board.cus_per_array.unwrap_or(16).clamp(1, 32))
}
