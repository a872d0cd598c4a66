//! Rasterizes triangles to quads: the samples and pixels that a primitive covers.

use super::rng::Rng;
use super::setup::Setup;
use alloc::vec::Vec;

/// Width and height of the part of the screen that one packer works on, in quads of 2x2 pixels.
pub(super) const SCREEN: usize = 16;

/// Steps of a vertex coordinate per pixel.
const SUBPIXELS: i64 = 16;

/// Standard sample positions from the pixel centre in 1/16 pixel, by log2 of the samples (Vulkan specification, Standard sample locations).
const POSITIONS: [&[(i64, i64)]; 4] =
    [&[(0, 0)], &[(4, 4), (-4, -4)], &[(-2, -6), (6, -2), (-6, 2), (2, 6)], &[(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)]];

/// Maximum number of parts of a quad of lanes: with 2x2 shading it covers four quads of pixels.
pub(super) const MOST_PARTS: usize = 4;

/// A quad of pixels under a quad of lanes. Masks have 8 bits per pixel, one per sample.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cover {
    /// Position in quads from the primitive's corner.
    pub x: u8,
    pub y: u8,
    /// The samples that the hardware compares.
    pub hardware: u32,
    /// The samples to which the shader is promised exclusive access.
    pub promised: u32,
    /// For each pixel, the lane of the quad to which it belongs.
    pub lanes: [u8; 4],
}

/// Four lanes of a primitive.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LaneQuad {
    pub covers: [Cover; MOST_PARTS],
    pub count: u8,
    /// Lanes with coverage; the other lanes are helpers and access nothing.
    pub exec: u8,
}

/// A rasterized primitive.
pub(super) type Shape = Vec<LaneQuad>;

/// Rasterizes some triangles of all sizes; a run draws them repeatedly at random positions.
pub(super) fn shapes(setup: &Setup, rng: &mut Rng, count: usize) -> Vec<Shape> {
    let mut shapes = Vec::with_capacity(count);
    while shapes.len() < count {
        let size = 2 + rng.below(if shapes.len() % 12 == 0 { 26 } else { 6 }) as i64;
        let mut vertex = || (rng.below((size * SUBPIXELS) as usize) as i64, rng.below((size * SUBPIXELS) as usize) as i64);
        let shape = shape(setup, [vertex(), vertex(), vertex()]);
        if !shape.is_empty() {
            shapes.push(shape);
        }
    }
    shapes
}

/// Coverage of the quads of pixels that a triangle may touch, row by row: 8 bits per pixel.
#[derive(Default)]
struct Coverage {
    /// First quad and number of quads in a row; `rows` is the same for rows.
    columns: (usize, usize),
    rows: (usize, usize),
    quads: Vec<u32>,
}

impl Coverage {
    /// Returns a quad of the screen.
    fn get(&self, x: usize, y: usize) -> u32 {
        let (x, y) = (x.wrapping_sub(self.columns.0), y.wrapping_sub(self.rows.0));
        if x < self.columns.1 { self.quads.get(y.wrapping_mul(self.columns.1).wrapping_add(x)).copied().unwrap_or(0) } else { 0 }
    }
}

/// Rasterizes a triangle.
fn coverage(setup: &Setup, mut triangle: [(i64, i64); 3]) -> Coverage {
    let [a, b, c] = triangle;
    let area = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    if area == 0 {
        return Coverage::default();
    }
    if area < 0 {
        triangle.swap(1, 2);
    }
    let positions = POSITIONS.get(usize::from(setup.samples_log2)).copied().unwrap_or(POSITIONS[3]);
    let inside = |x: i64, y: i64| {
        (0..3).all(|n| {
            let (from, to) = (triangle[n], triangle[(n + 1) % 3]);
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let edge = dx * (y - from.1) - dy * (x - from.0);
            // A sample on an edge belongs to the triangle for which the edge is a top or left edge.
            edge > 0 || edge == 0 && (dy < 0 || dy == 0 && dx > 0)
        })
    };
    let pixel = |px: i64, py: i64| {
        let centre = (px * SUBPIXELS + SUBPIXELS / 2, py * SUBPIXELS + SUBPIXELS / 2);
        positions.iter().enumerate().fold(0u32, |mask, (s, (x, y))| mask | u32::from(inside(centre.0 + x, centre.1 + y)) << s)
    };
    let quad = |qx: i64, qy: i64| (0..4).fold(0u32, |mask, p| mask | pixel(2 * qx + p % 2, 2 * qy + p / 2) << (8 * p));
    // Samples are inside their pixel, so quads that the triangle's bounds do not touch have none.
    let bounds = |coordinates: [i64; 3]| {
        let quads = coordinates.map(|coordinate| coordinate.div_euclid(2 * SUBPIXELS).clamp(0, SCREEN as i64 - 1) as usize);
        let (first, last) = (quads.into_iter().min().unwrap_or(0), quads.into_iter().max().unwrap_or(0));
        (first, last + 1 - first)
    };
    let (columns, rows) = (bounds(triangle.map(|(x, _)| x)), bounds(triangle.map(|(_, y)| y)));
    let row = |y: usize| (columns.0..columns.0 + columns.1).map(move |x| (x as i64, y as i64));
    Coverage { columns, rows, quads: (rows.0..rows.0 + rows.1).flat_map(row).map(|(x, y)| quad(x, y)).collect() }
}

fn shape(setup: &Setup, triangle: [(i64, i64); 3]) -> Shape {
    let covered = coverage(setup, triangle);
    let (width, height) = setup.rate;
    let (width, height) = (usize::from(width.clamp(1, 2)), usize::from(height.clamp(1, 2)));
    let (_, iterations) = shares(setup);
    let mut shape = Shape::new();
    let (columns, rows) = (covered.columns, covered.rows);
    for top in (rows.0 / height * height..rows.0 + rows.1).step_by(height) {
        for left in (columns.0 / width * width..columns.0 + columns.1).step_by(width) {
            for iteration in 0..iterations {
                let quad = lane_quad(setup, &covered, (left, top), (width, height), iteration);
                shape.extend((quad.exec != 0).then_some(quad));
            }
        }
    }
    shape
}

/// Four lanes that together cover `size` quads of pixels; with several iterations, one share of the samples.
fn lane_quad(setup: &Setup, coverage: &Coverage, (left, top): (usize, usize), (width, height): (usize, usize), iteration: usize) -> LaneQuad {
    let mut quad = LaneQuad::default();
    for (dy, dx) in (0..height).flat_map(|dy| (0..width).map(move |dx| (dy, dx))) {
        let covered = coverage.get(left + dx, top + dy) & share(setup, iteration);
        if covered == 0 {
            continue;
        }
        let lanes = core::array::from_fn(|p| (((2 * dy + p / 2) / height) * 2 + (2 * dx + p % 2) / width) as u8);
        for (pixel, lane) in lanes.iter().enumerate() {
            quad.exec |= u8::from(covered >> (8 * pixel) & 0xFF != 0) << lane;
        }
        let hardware = setup.compared(covered);
        let cover = Cover { x: (left + dx) as u8, y: (top + dy) as u8, hardware, promised: setup.interlock.mask(covered), lanes };
        if let Some(place) = quad.covers.get_mut(usize::from(quad.count)) {
            *place = cover;
            quad.count += 1;
        }
    }
    quad
}

/// Returns the samples per pixel, at most 8, and the iterations that shade them.
fn shares(setup: &Setup) -> (usize, usize) {
    let samples_log2 = setup.samples_log2.min(3);
    (1 << samples_log2, 1 << setup.invocations_log2.min(samples_log2))
}

/// Returns the samples that an iteration shades.
fn share(setup: &Setup, iteration: usize) -> u32 {
    let (samples, iterations) = shares(setup);
    let byte = (0..samples).filter(|s| s * iterations / samples == iteration).fold(0, |mask, s| mask | 1u32 << s);
    byte * 0x0101_0101
}

#[cfg(all(test, feature = "gfx11"))]
mod tests {
    use super::{SCREEN, SUBPIXELS, Setup, coverage};
    use crate::chip::Gfx;
    use alloc::vec::Vec;

    /// Samples of a screen that a triangle covers, one number per sample.
    fn samples(setup: &Setup, triangle: [(i64, i64); 3]) -> Vec<u32> {
        let covered = coverage(setup, triangle);
        (0..SCREEN * SCREEN).map(|n| covered.get(n % SCREEN, n / SCREEN)).collect()
    }

    // Direct3D 11.3 functional specification, 3.4.2.1 (top-left rule).
    #[test]
    fn a_sample_on_a_shared_edge_belongs_to_one_triangle() {
        for samples_log2 in 0..4 {
            let setup = Setup { samples_log2, ..Setup::plain(Gfx::Gfx11) };
            // Corners on the centres of pixels, and on samples: edges go through samples in all directions.
            for (dx, dy) in [(SUBPIXELS / 2, SUBPIXELS / 2), (0, 0), (SUBPIXELS / 2 + 4, SUBPIXELS / 2 - 4)] {
                let at = |x: i64, y: i64| (x * SUBPIXELS + dx, y * SUBPIXELS + dy);
                let corners = [at(2, 2), at(10, 2), at(10, 10), at(2, 10)];
                let middle = at(6, 6);
                let mut seen = Vec::new();
                for n in 0..4 {
                    let one = samples(&setup, [corners[n], corners[(n + 1) % 4], middle]);
                    assert_eq!(one, samples(&setup, [middle, corners[(n + 1) % 4], corners[n]]), "whichever way round it is");
                    seen.push(one);
                }
                for quad in 0..seen[0].len() {
                    let covered = seen.iter().fold(0, |all, one| {
                        assert_eq!(all & one[quad], 0, "a sample is covered twice");
                        all | one[quad]
                    });
                    let whole = samples(&setup, [corners[0], corners[1], corners[2]])[quad] | samples(&setup, [corners[0], corners[2], corners[3]])[quad];
                    assert_eq!(covered, whole, "a sample is covered by none");
                }
            }
        }
    }

    #[test]
    fn top_and_left_edges_count_in() {
        let setup = Setup::plain(Gfx::Gfx11);
        let centre = |x: i64, y: i64| (x * SUBPIXELS + SUBPIXELS / 2, y * SUBPIXELS + SUBPIXELS / 2);
        // From the centre of pixel (2, 2) to those of (6, 2) and (2, 6): its top and left edges go through centres, and so does the slanted one.
        let rows = coverage(&setup, [centre(2, 2), centre(6, 2), centre(2, 6)]);
        let covers = |x: usize, y: usize| rows.get(x / 2, y / 2) >> (8 * (x % 2 + y % 2 * 2)) & 1 == 1;
        assert!(covers(2, 2) && covers(5, 2) && covers(2, 5) && covers(3, 4));
        assert!(!covers(6, 2) && !covers(2, 6) && !covers(4, 4) && !covers(3, 5));
    }
}
