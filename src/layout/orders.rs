//! The order of coordinate bits in addresses before pipes and banks are XORed: a pattern of 256 bytes or 1 KiB, then coordinates in turn.
//! Read from results of Mesa 25.0.7 addrlib by probing single coordinate bits.

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::coordinates::{Axis, Bit, Order};

/// Patterns of 256 bytes, for elements of 1, 2, 4, 8, 16 bytes.
type Micro = [&'static [u8]; 5];

#[rustfmt::skip] // tables
mod tables {
    use super::Micro;

    /// Two characters for each bit.
    pub const S: Micro = [b"x0x1x2x3y0y1y2y3", b"x0x1x2y0y1y2x3", b"x0x1y0y1y2x2", b"x0y0y1x1x2", b"y0y1x0x1"];
    pub const D_9: Micro = [b"x0x1x2y1y0y2x3y3", b"x0x1x2y0y1y2x3", b"x0x1y0x2y1y2", b"x0y0x1x2y1", b"x0y0x1y1"];
    pub const R_9: Micro = [b"y0y1y2x1x0x2x3y3", b"y0y1y2x0x1x2x3", b"y0y1x0y2x1x2", b"y0x0y1x1x2", b""];
    pub const D_10: Micro = [b"x0x1x2y1y0y2x3y3", b"x0x1x2y0y1y2x3", b"x0x1y0y1y2x2", b"x0y0x1x2y1", b"x0y0x1y1"];
    pub const D_103: Micro = [b"x0x1x2y1y0y2x3y3", b"x0x1x2y0y1y2x3", b"x0x1y0y1x2y2", b"x0y0x1x2y1", b"x0y0x1y1"];
    pub const D_11: Micro = [b"x0x1y0x2y1y2x3y3", b"x0y0x1y1x2y2x3", b"x0y0x1y1x2y2", b"x0y0x1x2y1", b"x0y0x1y1"];
    /// R_X of 1-byte elements on GFX10.1.
    pub const R_10_BYTES: &[u8] = b"x0x1x2y1y0y2x3y4";
    /// Patterns of 1 KiB of several slices.
    pub const THICK_S_9: Micro = [b"x0x1x2x3y0y1z0z1z2y2", b"x0x1x2y0y1z0z1z2y2", b"x0x1y0y1z0z1y2x2", b"x0y0y1z0z1x1x2", b"y0y1z0z1x0x1"];
    pub const THICK_Z_9: Micro = [b"x0y0x1y1z0z1x2z2y2x3", b"x0y0x1y1z0z1z2y2x2", b"x0y0x1z0y1z1y2x2", b"x0y0z0x1z1y1x2", b"x0y0z0z1y1x1"];
    pub const THICK_10: Micro = [b"x0x1z0y0z1y1x2z2y2x3", b"x0z0y0z1y1x1z2y2x2", b"x0y0z0y1x1z1y2x2", b"x0z0y0x1z1y1x2", b"z0y0x0z1y1x1"];
    pub const THICK_11: Micro = [b"x0x1z0y0y1z1x2z2y2x3", b"x0z0y0x1z1y1z2y2x2", b"x0y0x1z0y1z1y2x2", b"x0y0z0x1z1y1x2", b"x0z0y0z1y1x1"];
}

const fn bit(axis: Axis, bit: u32) -> Bit {
    Bit { axis, bit }
}

/// Returns the coordinate bits that a text names.
fn named(text: &'static [u8]) -> impl Iterator<Item = Bit> {
    text.chunks_exact(2).map(|word| {
        let axis = match word[0] {
            b'x' => Axis::X,
            b'y' => Axis::Y,
            _ => Axis::Z,
        };
        bit(axis, u32::from(word[1].wrapping_sub(b'0')))
    })
}

fn micro(micro: &Micro, e: u32) -> &'static [u8] {
    micro.get(e as usize).copied().unwrap_or(b"")
}

/// Returns alternating bits of x and y: x first, from x0 and y0 on.
fn x_first() -> impl Iterator<Item = Bit> {
    (0..).flat_map(|i| [bit(Axis::X, i), bit(Axis::Y, i)])
}

/// Returns alternating bits of y and x: y first, from the given bits on.
fn y_first([x, y]: [u32; 2]) -> impl Iterator<Item = Bit> {
    (0..).flat_map(move |i| [bit(Axis::Y, y + i), bit(Axis::X, x + i)])
}

fn samples(s: u32) -> impl Iterator<Item = Bit> {
    (0..s).map(|i| bit(Axis::Sample, i))
}

/// One of several iterators.
enum Either<A, B, C> {
    First(A),
    Second(B),
    Third(C),
}

impl<A: Iterator<Item = Bit>, B: Iterator<Item = Bit>, C: Iterator<Item = Bit>> Iterator for Either<A, B, C> {
    type Item = Bit;

    fn next(&mut self) -> Option<Bit> {
        match self {
            Self::First(iterator) => iterator.next(),
            Self::Second(iterator) => iterator.next(),
            Self::Third(iterator) => iterator.next(),
        }
    }
}

/// Returns all coordinate bits in the order of addresses, as an endless iterator.
pub(in crate::layout) fn sequence(config: &AddressConfig, order: Order) -> impl Iterator<Item = Bit> {
    let Order { e, s, .. } = order;
    if order.thick {
        let [x, y, z] = blocks::thick_kilobyte(e);
        let pattern = match config.generation {
            Generation::Gfx9 if order.mode & 3 == 0 => &tables::THICK_Z_9,
            Generation::Gfx9 => &tables::THICK_S_9,
            Generation::Gfx10 | Generation::Gfx103 => &tables::THICK_10,
            Generation::Gfx11 | Generation::Gfx12 => &tables::THICK_11,
        };
        let above = (0..).flat_map(move |i| [bit(Axis::Z, z + i), bit(Axis::Y, y + i), bit(Axis::X, x + i)]);
        return Either::First(named(micro(pattern, e)).chain(above));
    }
    let gfx12 = config.generation == Generation::Gfx12;
    if config.generation == Generation::Gfx9 && order.mode & 3 == 0 {
        // Elements of 1 and 4 bytes switch to y first above 8x8 and 4x4 texels, respectively.
        let first = if matches!(e, 0 | 2) { 6 - e } else { 64 };
        let pair = first / 2;
        return Either::Second(samples(s).chain(x_first().take(first as usize)).chain(y_first([pair, pair])));
    }
    // On GFX12, the samples of an element are adjacent, and the bits of x and y alternate.
    let unit = if gfx12 { e + s } else { e };
    let pattern = match config.generation {
        Generation::Gfx9 if order.volume || order.mode & 3 == 1 => &tables::S,
        Generation::Gfx9 if order.mode & 3 == 2 => &tables::D_9,
        Generation::Gfx9 => &tables::R_9,
        Generation::Gfx10 | Generation::Gfx103 if order.mode & 3 == 1 => &tables::S,
        Generation::Gfx10 => &tables::D_10,
        Generation::Gfx103 => &tables::D_103,
        Generation::Gfx11 | Generation::Gfx12 => &tables::D_11,
    };
    let [w, h] = blocks::thin_micro(unit.min(8));
    let (pattern, in_turn) = if gfx12 && s > 0 { (&b""[..], w + h) } else { (micro(pattern, unit), 0) };
    Either::Third(samples(if gfx12 { s } else { 0 }).chain(named(pattern)).chain(x_first().take(in_turn as usize)).chain(y_first([w, h])))
}

/// Returns the bits of the first 256 bytes of modes whose upper bits are a pattern.
pub(in crate::layout) fn micro_of_pattern(config: &AddressConfig, order: Order) -> impl Iterator<Item = Bit> {
    let Order { e, s, .. } = order;
    let gfx11 = config.generation == Generation::Gfx11;
    let bits = (8 - e.min(8)) as usize;
    if order.mode & 3 == 0 && !gfx11 || s > 0 && gfx11 {
        let swapped = config.generation == Generation::Gfx10 && e + s == 0;
        let pixels = x_first().map(move |bit| if swapped && bit.axis == Axis::Y && bit.bit == 3 { Bit { bit: 4, ..bit } } else { bit });
        return Either::First(samples(s).chain(pixels).take(bits));
    }
    let pattern = match config.generation {
        Generation::Gfx10 if e == 0 => tables::R_10_BYTES,
        Generation::Gfx10 => micro(&tables::D_10, e),
        Generation::Gfx103 if e == 0 => micro(&tables::S, e),
        Generation::Gfx103 => micro(&tables::D_103, e),
        _ => micro(&tables::D_11, e),
    };
    Either::<_, _, core::iter::Empty<Bit>>::Second(named(pattern))
}
