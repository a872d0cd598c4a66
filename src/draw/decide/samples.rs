//! Sample positions, the search order of centroids, and the sample mask.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::SampleLocations;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Standard positions by log2 of the samples, in 1/16 pixel from the centre: Vulkan's. RADV programs up to 8 samples in the captures; 16 are unverified.
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

/// Packs four positions into a word: a byte each, x in the low nibble.
const fn word(positions: &[(i8, i8)], register: usize) -> u32 {
    let (mut word, mut i) = (0, 0);
    while i < 4 && 4 * register + i < positions.len() {
        let (x, y) = positions[4 * register + i];
        word |= ((x as u32 & 0xF) | (y as u32 & 0xF) << 4) << (8 * i);
        i += 1;
    }
    word
}

/// Returns the samples by their distance from the centre, nearest first and otherwise by number, repeated over the sixteen nibbles.
const fn centroid_order(positions: &[(i8, i8)]) -> u64 {
    const fn distance((x, y): (i8, i8)) -> i32 {
        x as i32 * x as i32 + y as i32 * y as i32
    }
    let (mut order, mut sample) = (0, 0);
    while sample < positions.len() {
        let (mut rank, mut other) = (0, 0);
        while other < positions.len() {
            let (theirs, own) = (distance(positions[other]), distance(positions[sample]));
            rank += (theirs < own || theirs == own && other < sample) as usize;
            other += 1;
        }
        while rank < 16 {
            order |= (sample as u64) << (4 * rank);
            rank += positions.len();
        }
        sample += 1;
    }
    order
}

/// The register contents for the positions in one pixel.
#[derive(Clone, Copy)]
struct Positions {
    /// PA_SC_AA_SAMPLE_LOCS_PIXEL_*_0 to 3.
    locations: [u32; 4],
    /// PA_SC_CENTROID_PRIORITY_0 and 1.
    priority: u64,
    /// The largest distance from the pixel centre in x or y, in 1/16 pixel.
    farthest: u32,
    /// Whether a sample is on the left edge of the pixel, and whether one is on the upper edge.
    on_edge: [bool; 2],
}

/// The coordinate of a sample on the left or upper edge of its pixel, in 1/16 pixel from the centre.
const EDGE: i8 = -8;

impl Positions {
    const fn of(positions: &[(i8, i8)]) -> Self {
        let (mut farthest, mut on_edge, mut i) = (0, [false; 2], 0);
        while i < positions.len() {
            on_edge = [on_edge[0] || positions[i].0 == EDGE, on_edge[1] || positions[i].1 == EDGE];
            let (x, y) = (positions[i].0.unsigned_abs() as u32, positions[i].1.unsigned_abs() as u32);
            let most = if x > y { x } else { y };
            farthest = if most > farthest { most } else { farthest };
            i += 1;
        }
        let locations = [word(positions, 0), word(positions, 1), word(positions, 2), word(positions, 3)];
        Self { locations, priority: centroid_order(positions), farthest, on_edge }
    }
}

/// The standard positions by log2 of the samples.
static POSITIONS: [Positions; 5] =
    [Positions::of(STANDARD[0]), Positions::of(STANDARD[1]), Positions::of(STANDARD[2]), Positions::of(STANDARD[3]), Positions::of(STANDARD[4])];

/// Returns the positions of the four pixels of a quad: the draw's own, or the standard ones, the same in all four.
fn positions(inputs: &DrawInputs<'_>) -> [Positions; 4] {
    let samples = 1 << inputs.coverage_log2.min(4);
    match &inputs.desc.sample_locations {
        Some(SampleLocations { pixels }) => pixels.each_ref().map(|positions| Positions::of(&positions[..samples])),
        None => [*POSITIONS.get(inputs.coverage_log2 as usize).unwrap_or(&POSITIONS[0]); 4],
    }
}

/// Returns the reason to print for the positions.
fn rule(inputs: &DrawInputs<'_>) -> &'static str {
    if inputs.desc.sample_locations.is_some() { "sample positions of the draw" } else { "standard sample positions" }
}

/// Returns the largest distance of a position from the pixel centre in x or y, in 1/16 pixel.
pub(crate) fn farthest(inputs: &DrawInputs<'_>) -> u32 {
    positions(inputs).iter().map(|pixel| pixel.farthest).max().unwrap_or(0)
}

/// PA_SC_AA_SAMPLE_LOCS_PIXEL_*: the positions in the four pixels of a quad.
fn locations<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let [x0y0, x1y0, x0y1, x1y1] = positions(inputs).map(|pixel| pixel.locations);
    let rule = rule(inputs);
    on_gfx!(inputs.gfx, r => {
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y0_0, { r::GFX }>::SLOT).whole(x0y0[0], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y0_1, { r::GFX }>::SLOT).whole(x0y0[1], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y0_2, { r::GFX }>::SLOT).whole(x0y0[2], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y0_3, { r::GFX }>::SLOT).whole(x0y0[3], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y0_0, { r::GFX }>::SLOT).whole(x1y0[0], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y0_1, { r::GFX }>::SLOT).whole(x1y0[1], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y0_2, { r::GFX }>::SLOT).whole(x1y0[2], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y0_3, { r::GFX }>::SLOT).whole(x1y0[3], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y1_0, { r::GFX }>::SLOT).whole(x0y1[0], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y1_1, { r::GFX }>::SLOT).whole(x0y1[1], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y1_2, { r::GFX }>::SLOT).whole(x0y1[2], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX0y1_3, { r::GFX }>::SLOT).whole(x0y1[3], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y1_0, { r::GFX }>::SLOT).whole(x1y1[0], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y1_1, { r::GFX }>::SLOT).whole(x1y1[1], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y1_2, { r::GFX }>::SLOT).whole(x1y1[2], rule));
        sheet.add(Word::new(On::<r::PaScAaSampleLocsPixelX1y1_3, { r::GFX }>::SLOT).whole(x1y1[3], rule));
    });
}

/// PA_SC_CENTROID_PRIORITY_0 and _1: one order for the whole quad. With the draw's own positions it is the order of the first pixel; no source of this crate
/// says what hardware does for pixels whose orders differ.
fn centroid_priority<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let [Positions { priority: order, .. }, ..] = positions(inputs);
    let rule = "samples by distance from the centre";
    on_gfx!(inputs.gfx, r => {
        sheet.add(Word::new(On::<r::PaScCentroidPriority0, { r::GFX }>::SLOT).whole(order as u32, rule));
        sheet.add(Word::new(On::<r::PaScCentroidPriority1, { r::GFX }>::SLOT).whole((order >> 32) as u32, rule));
    });
}

/// PA_SU_PRIM_FILTER_CNTL: the right and the lower edge of a primitive's bounding box are outside the primitive, unless a sample is on the left or the upper
/// edge of its pixel (Mesa 25.0.7 radv_cmd_buffer.c, si_state.c). On GFX12 the preamble writes the register.
fn edges<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let on_edge = |axis: usize| positions(inputs).iter().any(|pixel| pixel.on_edge[axis]);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::PaSuPrimFilterCntl;
            let (right, lower) = ("right edges are exclusive unless a sample is at x = -8", "lower edges are exclusive unless a sample is at y = -8");
            let word = Word::new(On::<R, { r::GFX }>::SLOT);
            sheet.add(word.set(R::XMAX_RIGHT_EXCLUSION, !on_edge(0), right).set(R::YMAX_BOTTOM_EXCLUSION, !on_edge(1), lower));
        },
        Gfx12 => { let _ = (sheet, on_edge); },
    });
}

/// PA_SC_AA_MASK_*: the sample mask for each pixel of a quad, 16 bits each.
fn mask<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let mask = inputs.desc.sample_mask;
    let rule = "sample mask of the draw, for all pixels of a quad";
    on_gfx!(inputs.gfx, r => {
        type Upper = r::PaScAaMaskX0y0X1y0;
        type Lower = r::PaScAaMaskX0y1X1y1;
        sheet.add(Word::new(On::<Upper, { r::GFX }>::SLOT).set(Upper::AA_MASK_X0Y0, mask, rule).set(Upper::AA_MASK_X1Y0, mask, rule));
        sheet.add(Word::new(On::<Lower, { r::GFX }>::SLOT).set(Lower::AA_MASK_X0Y1, mask, rule).set(Lower::AA_MASK_X1Y1, mask, rule));
    });
}

/// Adds sample positions, priority and mask.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    locations(inputs, sheet);
    centroid_priority(inputs, sheet);
    edges(inputs, sheet);
    mask(inputs, sheet);
}
