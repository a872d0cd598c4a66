//! Finds patterns in the tables of address bits, and reads them.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::coordinates::{Axis, Bit};
use crate::layout::pattern_config::Config;
use crate::layout::{patterns10, patterns11, patterns103};

/// Returns the pattern of a mode; `e` and `s` are the log2 of the bytes of an element and of the samples.
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

/// Returns the coordinate bits of each address bit of a pattern.
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
