//! Rows of the tables of address bits, and reading them.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::equation::{Axis, Bit};
use crate::layout::{patterns10, patterns11, patterns103};

/// Patterns of chips with so many pipes and packers (log2; 0 packers on GFX10.1, which does not count them).
pub(in crate::layout) struct Config {
    pub pipes: u8,
    pub packers: u8,
    /// Numbers of patterns, -1 for none: of 64KB_Z_X, 64KB_R_X, Z_X and R_X of larger blocks, and thick 64KB_D_X; for 1 to 16 bytes, for 1 to 8 samples each.
    pub rows: [[i16; 20]; 5],
}

/// The pattern of a mode; `e`, `s`: bytes of an element and samples, log2.
pub(in crate::layout) fn pattern(config: &AddressConfig, mode: u32, e: u32, s: u32) -> Option<&'static str> {
    let (configs, patterns): (&[Config], &[&'static str]) = match config.generation {
        Generation::Gfx10 => (&patterns10::CONFIGS, &patterns10::PATTERNS),
        Generation::Gfx103 => (&patterns103::CONFIGS, &patterns103::PATTERNS),
        Generation::Gfx11 => (&patterns11::CONFIGS, &patterns11::PATTERNS),
        Generation::Gfx9 | Generation::Gfx12 => return None,
    };
    let kind = match mode {
        24 => 0,
        27 => 1,
        28 => 2,
        31 => 3,
        26 => 4,
        _ => return None,
    };
    let row = configs.iter().find(|row| (row.pipes, row.packers) == (config.pipes, config.packers))?;
    let number = *row.rows[kind].get((4 * e + s) as usize)?;
    patterns.get(usize::try_from(number).ok()?).copied()
}

/// The coordinate bits of each address bit of a pattern.
pub(in crate::layout) fn read(pattern: &'static str) -> impl Iterator<Item = impl Iterator<Item = Bit>> {
    pattern.split(' ').map(|bit| bit.split('^').filter_map(coordinate_bit))
}

fn coordinate_bit(term: &str) -> Option<Bit> {
    let axis = match term.as_bytes().first()? {
        b'x' => Axis::X,
        b'y' => Axis::Y,
        b'z' => Axis::Z,
        b's' => Axis::Sample,
        _ => return None,
    };
    Some(Bit { axis, bit: term.get(1..)?.parse().ok()? })
}
