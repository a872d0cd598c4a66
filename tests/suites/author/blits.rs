//! Blits: the runner executes the program, and memory is compared byte for byte with a reference that computes each texel.

use crate::image_copies::{BUFFER, IMAGES, PROGRAMS, begun, executed, extent, generations};
use crate::support::draws::pick;
use crate::support::property;
use pm4::chip::Chip;
use pm4::descriptors::{Filter, ImageDimension, TexelFormat};
use pm4::draw::sync::{Access, Order};
use pm4::draw::*;
use pm4::layout::{ColorUsage, SurfaceDesc, SurfaceLayout, Tiler, Tiling, Usage};
use pm4::packet::Queue;
use quickcheck::{Arbitrary, Gen};

/// Formats that the runner supports: channels, bytes per channel, and whether they are normalized or integers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Float,
    Normalized,
    Integer,
}

const FORMATS: [(TexelFormat, usize, usize, Kind); 11] = [
    (TexelFormat::R8_UNORM, 1, 1, Kind::Normalized),
    (TexelFormat::R8G8_UNORM, 2, 1, Kind::Normalized),
    (TexelFormat::R8G8B8A8_UNORM, 4, 1, Kind::Normalized),
    (TexelFormat::R32_SFLOAT, 1, 4, Kind::Float),
    (TexelFormat::R32G32_SFLOAT, 2, 4, Kind::Float),
    (TexelFormat::R32G32B32A32_SFLOAT, 4, 4, Kind::Float),
    (TexelFormat::R8_UINT, 1, 1, Kind::Integer),
    (TexelFormat::R8G8B8A8_UINT, 4, 1, Kind::Integer),
    (TexelFormat::R16_UINT, 1, 2, Kind::Integer),
    (TexelFormat::R32_UINT, 1, 4, Kind::Integer),
    (TexelFormat::R32G32B32A32_UINT, 4, 4, Kind::Integer),
];

type Format = (TexelFormat, usize, usize, Kind);

/// Returns what a shader reads from a texel.
fn load((_, channels, bytes, kind): Format, texel: &[u8]) -> [u32; 4] {
    let one = if kind == Kind::Integer { 1 } else { 1f32.to_bits() };
    [0, 1, 2, 3].map(|channel| match channel {
        _ if channel < channels => {
            let bits = texel[channel * bytes..][..bytes].iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
            if kind == Kind::Normalized { ((f64::from(bits) / 255.0) as f32).to_bits() } else { bits }
        }
        3 => one,
        _ => 0,
    })
}

/// Stores what memory receives.
fn store((_, channels, bytes, kind): Format, values: [u32; 4], texel: &mut [u8]) {
    for (channel, value) in values.into_iter().enumerate().take(channels) {
        let bits = match kind {
            Kind::Float => value,
            Kind::Normalized => (f64::from(f32::from_bits(value)).clamp(0.0, 1.0) * 255.0 + 0.5) as u32,
            Kind::Integer => value.min(u32::try_from((1u64 << (8 * bytes)) - 1).expect("at most 4 bytes")),
        };
        texel[channel * bytes..][..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
    }
}

#[derive(Debug, Clone)]
struct Case {
    chip: Chip,
    queue: Queue,
    formats: [Format; 2],
    images: [SurfaceDesc; 2],
    levels: [u32; 2],
    corners: [[[u32; 3]; 2]; 2],
    filter: Filter,
}

/// Returns an image of one of four kinds.
fn image(g: &mut Gen, kind: u32, format: TexelFormat) -> SurfaceDesc {
    let below = |g: &mut Gen, limit: u32| u32::arbitrary(g) % limit;
    let usage = Usage::Color(ColorUsage { dcc: false, fmask: false, ..ColorUsage::TARGET });
    let desc = SurfaceDesc { width: 1 + below(g, 30), height: 1 + below(g, 20), usage, ..SurfaceDesc::new(format.into()) };
    match kind {
        0 => SurfaceDesc { layers: 2 + below(g, 2), ..desc },
        1 => SurfaceDesc { dimension: ImageDimension::Three, depth: 1 + below(g, 5), ..desc },
        2 => SurfaceDesc { width: desc.width + 8, height: desc.height + 8, levels: 2 + below(g, 2), ..desc },
        _ => SurfaceDesc { tiling: if bool::arbitrary(g) { Tiling::Linear } else { Tiling::Optimal }, ..desc },
    }
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let integers = bool::arbitrary(g);
        let formats: Vec<Format> = FORMATS.into_iter().filter(|format| (format.3 == Kind::Integer) == integers).collect();
        let formats = [pick(g, &formats), pick(g, &formats)];
        let volume = u32::arbitrary(g) % 4 == 0;
        let kinds = [0; 2].map(|_| if volume { 1 } else { pick(g, &[0, 2, 3]) });
        let images = [image(g, kinds[0], formats[0].0), image(g, kinds[1], formats[1].0)];
        let levels = [0, 1].map(|n: usize| u32::arbitrary(g) % images[n].levels);
        let extents = [0, 1].map(|n: usize| extent(&images[n], levels[n]));
        let layers = 1 + u32::arbitrary(g) % extents[0][2].min(extents[1][2]);
        let corners = extents.map(|extent| {
            let mut corners = [[0; 3]; 2];
            for axis in 0..3 {
                let straight = axis == 2 && !volume;
                let size = if straight { layers } else { 1 + u32::arbitrary(g) % extent[axis] };
                let start = u32::arbitrary(g) % (extent[axis] - size + 1);
                let mirrored = !straight && u32::arbitrary(g) % 4 == 0;
                (corners[usize::from(mirrored)][axis], corners[usize::from(!mirrored)][axis]) = (start, start + size);
            }
            corners
        });
        let filter = if integers || bool::arbitrary(g) { Filter::Nearest } else { Filter::Linear };
        Self { chip: pick(g, &generations()), queue: pick(g, &[Queue::Graphics, Queue::Compute]), formats, images, levels, corners, filter }
    }
}

/// Returns the memory of an image whose floats are small numbers with a fraction and whose other bytes are random.
fn filled(layout: &SurfaceLayout, kind: Kind, seed: u32) -> Vec<u8> {
    let number = |at: u32| (at.wrapping_mul(2_654_435_761) >> 7).wrapping_add(seed);
    (0..layout.size as u32 / 4)
        .flat_map(|at| match kind {
            Kind::Float => ((number(at) % 4001) as f32 / 1000.0 - 1.5).to_le_bytes(),
            _ => number(at).to_le_bytes(),
        })
        .collect()
}

/// Returns the texel of the target at a place of its area, relative to the first corner.
fn blitted(case: &Case, source: &[u8], tiler: &Tiler, place: [u32; 3]) -> [u32; 4] {
    let [from, to] = case.corners;
    let volume = case.images[0].dimension == ImageDimension::Three;
    let last = extent(&case.images[0], case.levels[0]).map(|size| size as i32 - 1);
    let texel = |[x, y, z]: [i32; 3]| {
        let at = [x.clamp(0, last[0]), y.clamp(0, last[1]), z.clamp(0, last[2])].map(|axis| axis as u32);
        load(case.formats[0], &source[tiler.address(at, 0, case.levels[0]).expect("inside") as usize..])
    };
    let mut low = [0; 3];
    let mut part = [0.0; 3];
    for axis in 0..3 {
        if axis == 2 && !volume {
            low[2] = (from[0][2] + place[2]) as i32;
            continue;
        }
        let length = |corners: [[u32; 3]; 2]| f64::from(corners[1][axis]) - f64::from(corners[0][axis]);
        let edge = if to[0][axis] <= to[1][axis] { from[0][axis] } else { from[1][axis] };
        let mut at = (place[axis] as f32 + 0.5) * (length(from) / length(to)) as f32 + edge as f32;
        if case.filter == Filter::Linear {
            at += -0.5;
        }
        low[axis] = at.floor() as i32;
        part[axis] = at - at.floor();
    }
    if case.filter == Filter::Nearest {
        return texel(low);
    }
    let mean = |a: [u32; 4], b: [u32; 4], part: f32| {
        [0, 1, 2, 3].map(|n| {
            let (a, b) = (f32::from_bits(a[n]), f32::from_bits(b[n]));
            (a + (b - a) * part).to_bits()
        })
    };
    let row = |y: i32, z: i32| mean(texel([low[0], y, z]), texel([low[0] + 1, y, z]), part[0]);
    let slice = |z: i32| mean(row(low[1], z), row(low[1] + 1, z), part[1]);
    if volume { mean(slice(low[2]), slice(low[2] + 1), part[2]) } else { slice(low[2]) }
}

fn holds(case: Case) -> Result<(), String> {
    let Case { chip, queue, formats, images, levels, corners, filter } = case.clone();
    let fail = |error: &dyn std::fmt::Display| format!("{chip} {queue:?}: {error}");
    let layouts = [0, 1].map(|n: usize| SurfaceLayout::new(chip, &images[n]));
    let [Ok(from), Ok(to)] = &layouts else { return Err(format!("{chip}: {layouts:?}")) };
    let tilers = [from, to].map(|layout| layout.tiler().expect("addresses"));
    let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
    let mut recorder = begun(chip, queue);
    let area = |n: usize, layout| {
        let image = PlacedImage::new(layout, IMAGES[n]);
        BlitArea { image, format: formats[n].0, level: levels[n], start: corners[n][0], end: corners[n][1] }
    };
    let blit = Blit { from: area(0, from), to: area(1, to), filter };
    let order = Order::between(Access::ComputeWrite, Access::ComputeRead);
    recorder.blit_image(&programs, &blit, BUFFER, order).map_err(|error| fail(&error))?;
    let (source, mut target) = (filled(from, formats[0].3, 1), filled(to, formats[1].3, 99));
    let table = vec![0; Blit::TABLE_BYTES as usize];
    let memory = [(IMAGES[0], source.clone()), (IMAGES[1], target.clone()), (BUFFER, table)];
    let after = executed(chip, queue, &recorder.finish().map_err(|error| fail(&error))?, &programs, &memory)?;
    let first = [0, 1, 2].map(|axis: usize| corners[1][0][axis].min(corners[1][1][axis]));
    let size = [0, 1, 2].map(|axis: usize| corners[1][0][axis].abs_diff(corners[1][1][axis]));
    for z in 0..size[2] {
        for (x, y) in (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))) {
            let value = blitted(&case, &source, &tilers[0], [x, y, z]);
            let at = tilers[1].address([first[0] + x, first[1] + y, first[2] + z], 0, levels[1]).expect("inside");
            store(formats[1], value, &mut target[at as usize..]);
        }
    }
    match after[1].iter().zip(&target).position(|(found, expected)| found != expected) {
        _ if after[0] != source => Err(fail(&"the source changed")),
        Some(at) => Err(format!("{chip} {queue:?}: byte {at} of the target is {}, not {}", after[1][at], target[at])),
        None => Ok(()),
    }
}

/// Every texel of the area is what the reference computes, and nothing else is written: all generations, both queues, arrays, volumes and levels, mirrored or
/// not.
#[test]
fn a_blit_leaves_what_the_reference_computes() {
    property("blits", 150, holds as fn(Case) -> Result<(), String>);
}

/// A blit with the same size and format is a copy, whatever the filter, because places are then the centres of texels.
#[test]
fn a_blit_of_the_same_size_copies() {
    for (chip, filter) in generations().into_iter().flat_map(|chip| [Filter::Nearest, Filter::Linear].map(|filter| (chip, filter))) {
        let format = FORMATS[2];
        let usage = Usage::Color(ColorUsage { dcc: false, ..ColorUsage::TARGET });
        let desc = SurfaceDesc { width: 19, height: 7, usage, ..SurfaceDesc::new(format.0.into()) };
        let corners = [[0, 0, 0], [19, 7, 1]];
        let case = Case { chip, queue: Queue::Graphics, formats: [format; 2], images: [desc; 2], levels: [0; 2], corners: [corners; 2], filter };
        let layout = SurfaceLayout::new(chip, &desc).expect("a layout");
        let (tiler, source) = (layout.tiler().expect("addresses"), filled(&layout, Kind::Normalized, 1));
        for (x, y) in [(0, 0), (18, 6), (7, 3)] {
            let at = tiler.address([x, y, 0], 0, 0).expect("inside") as usize;
            assert_eq!(blitted(&case, &source, &tiler, [x, y, 0]), load(format, &source[at..]), "{chip}: {filter:?}");
        }
        holds(case).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Impossible blits are refused and leave nothing behind.
#[test]
fn what_cannot_be_blitted_is_refused() {
    let Some(chip) = generations().pop() else { return };
    let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
    let layout = |format: TexelFormat| SurfaceLayout::new(chip, &SurfaceDesc { width: 8, height: 8, ..SurfaceDesc::new(format.into()) }).expect("a layout");
    let formats = [TexelFormat::R8G8B8A8_UNORM, TexelFormat::R8G8B8A8_UINT, TexelFormat::R8G8B8A8_SINT, TexelFormat::R8G8B8A8_SRGB];
    let layouts = formats.map(layout);
    let area = |n: usize, place: usize| {
        let image = PlacedImage::new(&layouts[n], IMAGES[place]);
        BlitArea { image, format: formats[n], level: 0, start: [0; 3], end: [8, 8, 1] }
    };
    let blit = |from, to, filter| Blit { from: area(from, 0), to: area(to, 1), filter };
    let near = blit(0, 0, Filter::Nearest);
    let cases = [
        (blit(0, 1, Filter::Nearest), BUFFER, "do not become integers"),
        (blit(1, 2, Filter::Nearest), BUFFER, "with or without a sign"),
        (blit(1, 1, Filter::Linear), BUFFER, "integers have no mean"),
        (blit(0, 3, Filter::Nearest), BUFFER, "shaders store no sRGB"),
        (Blit { to: area(0, 0), ..near }, BUFFER, "overlap"),
        (Blit { to: BlitArea { end: [9, 8, 1], ..near.to }, ..near }, BUFFER, "beyond the level"),
        (Blit { to: BlitArea { end: [0, 8, 1], ..near.to }, ..near }, BUFFER, "empty"),
        (Blit { to: BlitArea { start: [0, 0, 1], end: [8, 8, 0], ..near.to }, ..near }, BUFFER, "one to one"),
        (Blit { from: BlitArea { format: TexelFormat::R8_UNORM, ..near.from }, ..near }, BUFFER, "the size of the image's elements"),
        (near, BUFFER + 4, "the table of a blit"),
    ];
    for (blit, table, text) in cases {
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        let error = recorder.blit_image(&programs, &blit, table, Order::default()).expect_err(text).to_string();
        assert!(error.contains(text), "{error}");
        assert_eq!(recorder.words().len(), before);
    }
    // sRGB is converted to linear when read.
    begun(chip, Queue::Graphics).blit_image(&programs, &blit(3, 0, Filter::Linear), BUFFER, Order::default()).expect("a blit");
}
