//! Sample positions, the order in which centroids are looked for, and the sample mask.

use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// Standard positions by log2 of the samples, in 1/16 pixel from the centre: Vulkan's. RADV programs those up to 8 in the captures; 16 are unverified.
#[rustfmt::skip] // a table
const STANDARD: [&[(i8, i8)]; 5] = [
    &[(0, 0)],
    &[(4, 4), (-4, -4)],
    &[(-2, -6), (6, -2), (-6, 2), (2, 6)],
    &[(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)],
    &[
        (1, 1), (-1, -3), (-3, 2), (4, -1), (-5, -2), (2, 5), (5, 3), (3, -5),
        (-2, 6), (0, -7), (-4, -6), (-6, 4), (-8, 0), (7, -4), (6, 7), (-7, -8),
    ],
];

/// Largest distance of a position from the pixel centre in x or y, in 1/16 pixel.
pub(crate) fn farthest(inputs: &Inputs<'_>) -> u32 {
    positions(inputs).iter().map(|&(x, y)| u32::from(x.unsigned_abs().max(y.unsigned_abs()))).max().unwrap_or(0)
}

fn positions(inputs: &Inputs<'_>) -> &'static [(i8, i8)] {
    STANDARD.get(inputs.coverage_log2 as usize).copied().unwrap_or(STANDARD[0])
}

/// Four positions in a word: a byte each, x in the low nibble.
fn word(positions: &[(i8, i8)], register: usize) -> u32 {
    let byte = |(x, y): (i8, i8)| (x as u32 & 0xF) | (y as u32 & 0xF) << 4;
    positions.iter().skip(4 * register).take(4).enumerate().fold(0, |word, (i, position)| word | byte(*position) << (8 * i))
}

/// PA_SC_AA_SAMPLE_LOCS_PIXEL_*: the same positions for all four pixels of a quad.
fn locations(inputs: &Inputs<'_>, image: &mut Image) {
    const PIXELS: [&str; 4] = ["X0Y0", "X1Y0", "X0Y1", "X1Y1"];
    let positions = positions(inputs);
    for pixel in PIXELS {
        for register in 0..4 {
            let name = alloc::format!("PA_SC_AA_SAMPLE_LOCS_PIXEL_{pixel}_{register}");
            image.add(Word::whole(inputs.gfx, &name, word(positions, register), "standard sample positions"));
        }
    }
}

/// The samples by their distance from the centre, nearest first, repeated over the sixteen nibbles.
fn centroid_order(positions: &[(i8, i8)]) -> u64 {
    let distance = |&(x, y): &(i8, i8)| i32::from(x) * i32::from(x) + i32::from(y) * i32::from(y);
    let mut order: alloc::vec::Vec<usize> = (0..positions.len()).collect();
    order.sort_by_key(|&i| positions.get(i).map_or(0, distance));
    (0..16).fold(0, |word, i| word | (order[i % order.len()] as u64) << (4 * i))
}

/// PA_SC_CENTROID_PRIORITY_0 and _1.
fn centroid_priority(inputs: &Inputs<'_>, image: &mut Image) {
    let order = centroid_order(positions(inputs));
    let rule = "samples by distance from the centre";
    image.add(Word::whole(inputs.gfx, "PA_SC_CENTROID_PRIORITY_0", order as u32, rule));
    image.add(Word::whole(inputs.gfx, "PA_SC_CENTROID_PRIORITY_1", (order >> 32) as u32, rule));
}

/// PA_SC_AA_MASK_*: the sample mask for each pixel of a quad, 16 bits each.
fn mask(inputs: &Inputs<'_>, image: &mut Image) {
    let mask = u32::from(inputs.desc.sample_mask);
    for name in ["PA_SC_AA_MASK_X0Y0_X1Y0", "PA_SC_AA_MASK_X0Y1_X1Y1"] {
        image.add(Word::whole(inputs.gfx, name, mask | mask << 16, "sample mask of the draw, for all pixels of a quad"));
    }
}

/// Adds sample positions, priority and mask.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    locations(inputs, image);
    centroid_priority(inputs, image);
    mask(inputs, image);
}
