//! Planes in a chosen mode, and their cost in a mode under consideration.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::{Outline, Plane};
use crate::layout::shape::Shape;
use crate::layout::{SwizzleMode, chain, chain9, linear};

/// Returns the plane of a surface in a mode of this generation.
pub(in crate::layout) fn plane(config: &AddressConfig, shape: &Shape, number: u32) -> Plane {
    let mode = SwizzleMode::from_number(config.chip().gfx(), number).unwrap_or(SwizzleMode::SW_LINEAR);
    Plane::new(mode, shape, outline(config, shape, number), |mips| match config.generation {
        _ if number == 0 => linear::mips(config, shape, mips),
        Generation::Gfx9 => chain9::mips(config, shape, number, mips),
        _ => chain::mips(config, shape, number, mips),
    })
}

/// Returns a plane without its levels.
pub(in crate::layout) fn outline(config: &AddressConfig, shape: &Shape, number: u32) -> Outline {
    match config.generation {
        _ if number == 0 => linear::outline(config, shape),
        Generation::Gfx9 => chain9::outline(config, shape, number),
        _ => chain::outline(config, shape, number),
    }
}
