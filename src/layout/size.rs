//! Bytes of a surface in a mode that is being considered.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::Plane;
use crate::layout::shape::Shape;
use crate::layout::{SwizzleMode, chain, chain9, linear};

/// A plane in a mode of this generation.
pub(in crate::layout) fn plane(config: &AddressConfig, shape: &Shape, number: u32) -> Plane {
    let mode = if number == 0 { SwizzleMode::SW_LINEAR } else { SwizzleMode::from_number(config.chip().gfx(), number).unwrap_or(SwizzleMode::SW_LINEAR) };
    match config.generation {
        _ if number == 0 => linear::plane(config, shape),
        Generation::Gfx9 => chain9::plane(config, shape, mode, number),
        _ => chain::plane(config, shape, mode, number),
    }
}

pub(in crate::layout) fn of(config: &AddressConfig, shape: &Shape, number: u32) -> u64 {
    plane(config, shape, number).size
}
