//! Image operations by compute programs: the model reaches their dispatches, the runner executes their words, and memory is compared byte for byte with the
//! result of the layout's own copies on the CPU.

use crate::support::draws::pick;
use crate::support::property;
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::descriptors::{ImageDimension, TexelFormat};
use pm4::draw::sync::{Access, AccessSet, Order, SyncMemory};
use pm4::draw::*;
use pm4::layout::{ColorUsage, Element, Linear, Region, SurfaceDesc, SurfaceLayout, Tiling, Usage};
use pm4::packet::{Queue, Writer};
use pm4::waves::DispatchRunner;
use quickcheck::{Arbitrary, Gen};

pub(crate) const PROGRAMS: u64 = 0x1000_0000;
pub(crate) const BUFFER: u64 = 0x7FFF_2000_0000;
const BUFFER_BYTES: usize = 0x8000;
/// Addresses of the images: multiples of any alignment, far apart.
pub(crate) const IMAGES: [u64; 2] = [0x12_3400_0000, 0x12_3500_0000];

/// Returns one chip of each enabled generation.
pub(crate) fn generations() -> Vec<Chip> {
    let mut chips: Vec<Chip> = Vec::new();
    Chip::all().for_each(|chip| {
        if chips.iter().all(|known| known.gfx() != chip.gfx()) {
            chips.push(chip)
        }
    });
    chips
}

#[derive(Default)]
struct Found(Vec<String>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity > Severity::Info {
            self.0.push(finding.to_string());
        }
    }
}

/// An image operation; places are in elements.
#[derive(Debug, Clone)]
enum Verb {
    FillBuffer { at: u64, bytes: u64, value: u32 },
    ClearImage { image: usize, byte: u8 },
    ClearRegion { image: usize, region: Region, element: Vec<u8> },
    FromBuffer { image: usize, region: Region, at: u64, linear: Linear },
    ToBuffer { image: usize, region: Region, at: u64, linear: Linear },
    Copy { from: usize, region: Region, to: usize, level: u32, start: [u32; 3] },
}

#[derive(Debug, Clone)]
struct Case {
    chip: Chip,
    queue: Queue,
    images: [SurfaceDesc; 2],
    verbs: Vec<Verb>,
}

fn image(g: &mut Gen, bytes: u32) -> SurfaceDesc {
    let below = |g: &mut Gen, limit: u32| u32::arbitrary(g) % limit;
    let kind = below(g, 4);
    let desc = SurfaceDesc {
        width: 1 + below(g, 40),
        height: 1 + below(g, 24),
        usage: Usage::Color(ColorUsage { dcc: false, fmask: false, ..ColorUsage::TARGET }),
        tiling: if below(g, 4) == 0 { Tiling::Linear } else { Tiling::Optimal },
        ..SurfaceDesc::new(Element::texel(bytes))
    };
    match kind {
        0 => SurfaceDesc { layers: 2 + below(g, 2), ..desc },
        1 => SurfaceDesc { dimension: ImageDimension::Three, depth: 2 + below(g, 3), tiling: Tiling::Optimal, ..desc },
        2 => SurfaceDesc { width: desc.width + 8, height: desc.height + 8, levels: 2 + below(g, 2), tiling: Tiling::Optimal, ..desc },
        _ => desc,
    }
}

/// Returns the size of a level in elements: x, y, layers or slices.
pub(crate) fn extent(desc: &SurfaceDesc, level: u32) -> [u32; 3] {
    let floor = |size: u32| (size >> level).max(1);
    let third = if desc.dimension == ImageDimension::Three { floor(desc.depth) } else { desc.layers };
    [floor(desc.width), floor(desc.height), third]
}

fn region(g: &mut Gen, desc: &SurfaceDesc, most: [u32; 3]) -> Region {
    let level = u32::arbitrary(g) % desc.levels;
    let extent = extent(desc, level);
    let size = [0, 1, 2].map(|axis: usize| 1 + u32::arbitrary(g) % extent[axis].min(most[axis]));
    let start = [0, 1, 2].map(|axis: usize| u32::arbitrary(g) % (extent[axis] - size[axis] + 1));
    Region { level, sample: 0, start, size }
}

fn verb(g: &mut Gen, images: &[SurfaceDesc; 2]) -> Option<Verb> {
    let which = usize::arbitrary(g) % 2;
    let desc = images[which];
    let bytes = desc.element.bytes;
    let unit = u64::from(bytes.min(4));
    let beside = |g: &mut Gen| {
        let region = region(g, &desc, [40, 24, 2]);
        let row = u64::from(region.size[0] * bytes).next_multiple_of(unit) + unit * (u64::arbitrary(g) % 4);
        let slice = row * u64::from(region.size[1]) + unit * (u64::arbitrary(g) % 4);
        let all = slice * u64::from(region.size[2]);
        let at = u64::arbitrary(g) % ((BUFFER_BYTES as u64).checked_sub(all)? / unit + 1) * unit;
        Some((region, at, Linear { row, slice }))
    };
    Some(match u8::arbitrary(g) % 8 {
        0 => Verb::FillBuffer { at: 4 * (u64::arbitrary(g) % 1000), bytes: 4 * (1 + u64::arbitrary(g) % 1000), value: u32::arbitrary(g) },
        1 => Verb::ClearImage { image: which, byte: u8::arbitrary(g) },
        2 => Verb::ClearRegion { image: which, region: region(g, &desc, [40, 24, 3]), element: (0..bytes).map(|_| u8::arbitrary(g)).collect() },
        3 | 4 => beside(g).map(|(region, at, linear)| Verb::FromBuffer { image: which, region, at, linear })?,
        5 => beside(g).map(|(region, at, linear)| Verb::ToBuffer { image: which, region, at, linear })?,
        _ => {
            let to = usize::arbitrary(g) % 2;
            let level = u32::arbitrary(g) % images[to].levels;
            let extent = extent(&images[to], level);
            let region = region(g, &desc, extent);
            let start = [0, 1, 2].map(|axis: usize| u32::arbitrary(g) % (extent[axis] - region.size[axis] + 1));
            let apart = (0..3).any(|axis| region.start[axis].abs_diff(start[axis]) >= region.size[axis]);
            if to == which && region.level == level && !apart {
                return None;
            }
            Verb::Copy { from: which, region, to, level, start }
        }
    })
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &generations());
        let bytes = pick(g, &[1, 2, 4, 8, 16]);
        let images = [image(g, bytes), image(g, bytes)];
        let verbs = (0..1 + usize::arbitrary(g) % 6).filter_map(|_| verb(g, &images)).collect();
        Self { chip, queue: pick(g, &[Queue::Graphics, Queue::Compute]), images, verbs }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        Box::new((0..self.verbs.len()).map(move |at| {
            let mut fewer = whole.clone();
            fewer.verbs.remove(at);
            fewer
        }))
    }
}

pub(crate) fn begun(chip: Chip, queue: Queue) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
    recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
    if queue == Queue::Graphics {
        recorder.begin().expect("a preamble");
    }
    recorder.begin_compute().expect("a preamble");
    recorder
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Returns the memory after a stream, or the first problem or finding.
pub(crate) fn executed(chip: Chip, queue: Queue, words: &[u32], programs: &ImagePrograms, memory: &[(u64, Vec<u8>)]) -> Result<Vec<Vec<u8>>, String> {
    let start: Vec<Vec<u32>> = memory.iter().map(|(_, bytes)| dwords(bytes)).collect();
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true);
    cp.map("fence", 0x1000, &[0; 2]);
    cp.map("zpass", 0x2000, &[0; 64]);
    cp.map("programs", programs.address(), programs.words());
    memory.iter().zip(&start).for_each(|((addr, _), words)| {
        cp.map("memory", *addr, words);
    });
    cp.submit(queue, "verbs", words);
    let mut observer = (Found::default(), DispatchRunner::default());
    cp.run(&mut observer);
    if let Some(problem) = observer.1.problems.first() {
        return Err(format!("{chip} {queue:?}: {problem}"));
    }
    if let Some(finding) = observer.0.0.first() {
        return Err(format!("{chip} {queue:?}: {finding}"));
    }
    let read =
        |(addr, bytes): &(u64, Vec<u8>)| (0..bytes.len() as u64 / 4).flat_map(|at| cp.memory(addr + 4 * at).expect("it is mapped").to_le_bytes()).collect();
    Ok(memory.iter().map(read).collect())
}

/// Any sequence of operations leaves the same memory as the layouts' own copies on the CPU, on both queues of every generation, and no rule reports anything.
#[test]
fn verbs_for_images_leave_what_they_say() {
    fn holds(case: Case) -> Result<(), String> {
        let Case { chip, queue, images, verbs } = case;
        let layouts: Vec<SurfaceLayout> =
            images.iter().map(|desc| SurfaceLayout::new(chip, desc)).collect::<Result<_, _>>().map_err(|error| format!("{chip}: {error}"))?;
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        let pattern = |len: usize, seed: usize| (0..len).map(|at| (at * 31 + at / 256 * 7 + seed) as u8).collect::<Vec<u8>>();
        let mut buffer = pattern(BUFFER_BYTES, 1);
        let mut memory = [pattern(layouts[0].size as usize, 2), pattern(layouts[1].size as usize, 3)];
        let before = [(BUFFER, buffer.clone()), (IMAGES[0], memory[0].clone()), (IMAGES[1], memory[1].clone())];
        let placed = |image: usize| PlacedImage::new(&layouts[image], IMAGES[image]);
        let tilers: Vec<_> = layouts.iter().map(|layout| layout.tiler().expect("addresses")).collect();
        let bytes = images[0].element.bytes as usize;
        let packed = |size: [u32; 3]| {
            let row = size[0] as u64 * bytes as u64;
            Linear { row, slice: row * u64::from(size[1]) }
        };
        let mut recorder = begun(chip, queue);
        let all: AccessSet = Access::ComputeRead | Access::ComputeWrite | Access::CopyRead | Access::CopyWrite;
        let order = Order::between(all, all);
        for verb in &verbs {
            let done = match verb {
                Verb::FillBuffer { at, bytes, value } => {
                    buffer[*at as usize..(at + bytes) as usize].as_chunks_mut::<4>().0.iter_mut().for_each(|word| *word = value.to_le_bytes());
                    recorder.fill_buffer(BUFFER + at, *bytes, *value, order)
                }
                Verb::ClearImage { image, byte } => {
                    memory[*image][..layouts[*image].plane.size as usize].fill(*byte);
                    recorder.clear_color(placed(*image), &vec![*byte; bytes], order)
                }
                Verb::ClearRegion { image, region, element } => {
                    let texels: Vec<u8> = element.iter().copied().cycle().take(bytes * region.size.iter().product::<u32>() as usize).collect();
                    tilers[*image].tile(region, packed(region.size), &texels, &mut memory[*image]).expect("inside");
                    recorder.clear_region(&programs, placed(*image), region, element, order)
                }
                Verb::FromBuffer { image, region, at, linear } => {
                    tilers[*image].tile(region, *linear, &buffer[*at as usize..], &mut memory[*image]).expect("inside");
                    recorder.copy_buffer_to_image(&programs, BUFFER + at, *linear, placed(*image), region, order)
                }
                Verb::ToBuffer { image, region, at, linear } => {
                    tilers[*image].detile(region, *linear, &memory[*image], &mut buffer[*at as usize..]).expect("inside");
                    recorder.copy_image_to_buffer(&programs, placed(*image), region, BUFFER + at, *linear, order)
                }
                Verb::Copy { from, region, to, level, start } => {
                    let mut texels = vec![0; bytes * region.size.iter().product::<u32>() as usize];
                    tilers[*from].detile(region, packed(region.size), &memory[*from], &mut texels).expect("inside");
                    let target = Region { level: *level, start: *start, ..*region };
                    tilers[*to].tile(&target, packed(region.size), &texels, &mut memory[*to]).expect("inside");
                    recorder.copy_image(&programs, placed(*from), region, placed(*to), *level, *start, order)
                }
            };
            done.map_err(|error| format!("{chip} {verb:?}: {error}"))?;
        }
        let words = recorder.finish().map_err(|error| error.to_string())?;
        let after = executed(chip, queue, &words, &programs, &before)?;
        for (what, (found, expected)) in ["buffer", "image 0", "image 1"].into_iter().zip(after.iter().zip([&buffer, &memory[0], &memory[1]])) {
            if let Some(at) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
                return Err(format!("{chip} {queue:?}: byte {at} of {what} is {}, not {}", found[at], expected[at]));
            }
        }
        Ok(())
    }
    property("verbs for images", 60, holds as fn(Case) -> Result<(), String>);
}

fn floats(memory: &[u8], at: u64) -> [f32; 4] {
    let at = at as usize;
    [0, 4, 8, 12].map(|channel| f32::from_le_bytes(memory[at + channel..at + channel + 4].try_into().expect("4 bytes")))
}

/// Returns an image of floats with a different value for each channel of each element.
fn filled(layout: &SurfaceLayout, samples: u32) -> Vec<u8> {
    let (tiler, mut memory) = (layout.tiler().expect("addresses"), vec![0; layout.size as usize]);
    let desc = layout.desc();
    for level in 0..desc.levels {
        let [width, height, layers] = tiler.extent(level);
        for ([x, y, z], sample) in elements([width, height, layers]).flat_map(|place| (0..samples).map(move |sample| (place, sample))) {
            let at = tiler.address([x, y, z], sample, level).expect("inside") as usize;
            for channel in 0..4u32 {
                let value = (x * 3 + y * 50 + z * 1000) as f32 + 0.125 * sample as f32 * channel as f32 - 7.0;
                memory[at + 4 * channel as usize..][..4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
    memory
}

fn elements([width, height, layers]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..layers).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// A resolve averages floats of all samples, or takes the first one, in each texel of the region and nowhere else.
#[test]
fn a_resolve_averages_samples_or_takes_the_first() {
    for chip in generations() {
        for (samples, layers, mode) in
            [(2, 1, ResolveMode::Average), (4, 2, ResolveMode::Average), (8, 1, ResolveMode::Average), (4, 2, ResolveMode::FirstSample)]
        {
            let usage = Usage::Color(ColorUsage { dcc: false, fmask: false, ..ColorUsage::TARGET });
            let desc = SurfaceDesc { width: 11, height: 9, layers, usage, ..SurfaceDesc::new(Element::texel(16)) };
            let several = SurfaceLayout::new(chip, &SurfaceDesc { samples, fragments: samples, ..desc }).expect("a layout");
            let one = SurfaceLayout::new(chip, &desc).expect("a layout");
            let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
            let mut recorder = begun(chip, Queue::Graphics);
            let (from, to) = (PlacedImage::new(&several, IMAGES[0]), PlacedImage::new(&one, IMAGES[1]));
            let region = Region { start: [1, 2, 0], size: [9, 6, layers], ..Region::default() };
            let order = Order::between(Access::ColorWrite, Access::ComputeRead);
            let format = TexelFormat::R32G32B32A32_SFLOAT;
            recorder.resolve_image(&programs, format, mode, from, &region, to, [2, 1, 0], order).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let source = filled(&several, samples);
            let memory = [(IMAGES[0], source.clone()), (IMAGES[1], vec![0x55; one.size as usize])];
            let after = executed(chip, Queue::Graphics, &recorder.finish().expect("room"), &programs, &memory).unwrap_or_else(|error| panic!("{error}"));
            assert!(after[0] == source, "{chip}");
            let (read, written) = (several.tiler().expect("addresses"), one.tiler().expect("addresses"));
            let mut expected = vec![0x55; one.size as usize];
            for [x, y, z] in elements(region.size) {
                let values: Vec<[f32; 4]> = (0..samples).map(|sample| floats(&source, read.address([x + 1, y + 2, z], sample, 0).expect("inside"))).collect();
                let at = written.address([x + 2, y + 1, z], 0, 0).expect("inside") as usize;
                for channel in 0..4 {
                    let value = match mode {
                        ResolveMode::Average => values.iter().map(|value| value[channel]).sum::<f32>() / samples as f32,
                        ResolveMode::FirstSample => values[0][channel],
                    };
                    expected[at + 4 * channel..][..4].copy_from_slice(&value.to_le_bytes());
                }
            }
            assert!(after[1] == expected, "{chip}: {samples} samples, {mode}");
        }
    }
}

/// Each level is made from the previous one: 2 x 2 texels, with the last ones repeated at odd edges.
#[test]
fn levels_are_averages_of_the_level_before() {
    for chip in generations() {
        for layers in [1, 2] {
            let usage = Usage::Color(ColorUsage { dcc: false, ..ColorUsage::TARGET });
            let desc = SurfaceDesc { width: 13, height: 6, layers, levels: 4, usage, ..SurfaceDesc::new(Element::texel(16)) };
            let layout = SurfaceLayout::new(chip, &desc).expect("a layout");
            let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
            let mut recorder = begun(chip, Queue::Compute);
            let order = Order::between(Access::ComputeWrite, Access::ComputeRead);
            let image = PlacedImage::new(&layout, IMAGES[0]);
            recorder.generate_levels(&programs, TexelFormat::R32G32B32A32_SFLOAT, image, 0, order).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let mut expected = filled(&layout, 1);
            let memory = [(IMAGES[0], expected.clone())];
            let after = executed(chip, Queue::Compute, &recorder.finish().expect("room"), &programs, &memory).unwrap_or_else(|error| panic!("{error}"));
            let tiler = layout.tiler().expect("addresses");
            for level in 1..desc.levels {
                let [width, height, _] = tiler.extent(level - 1);
                for [x, y, z] in elements(tiler.extent(level)) {
                    let texel = |dx: u32, dy: u32| {
                        let place = [(2 * x + dx).min(width - 1), (2 * y + dy).min(height - 1), z];
                        floats(&expected, tiler.address(place, 0, level - 1).expect("inside"))
                    };
                    let (a, b, c, d) = (texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1));
                    let at = tiler.address([x, y, z], 0, level).expect("inside") as usize;
                    for channel in 0..4 {
                        let value = (a[channel] + b[channel] + c[channel] + d[channel]) * 0.25;
                        expected[at + 4 * channel..][..4].copy_from_slice(&value.to_le_bytes());
                    }
                }
            }
            assert!(after[0] == expected, "{chip}: {layers} layers");
        }
    }
}

/// Copies without a program, and copies that no program can do, are refused and write nothing.
#[test]
fn copies_that_cannot_be_are_refused() {
    for chip in generations() {
        let layout_of = |desc: SurfaceDesc| SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
        let desc = SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) };
        let (plain, small) = (layout_of(desc), layout_of(SurfaceDesc { element: Element::texel(2), ..desc }));
        let several = layout_of(SurfaceDesc { samples: 4, fragments: 4, ..desc });
        let line = layout_of(SurfaceDesc { dimension: ImageDimension::One, height: 1, tiling: Tiling::Linear, ..desc });
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        let other = ImagePrograms::new(if chip == Chip::Navi31 { Chip::Navi21 } else { Chip::Navi31 }, PROGRAMS).expect("programs");
        let at = |layout| PlacedImage::new(layout, IMAGES[0]);
        let there = |layout| PlacedImage::new(layout, IMAGES[1]);
        let region = Region { size: [8, 8, 1], ..Region::default() };
        let beyond = Region { start: [60, 0, 0], ..region };
        let empty = Region { size: [8, 0, 1], ..region };
        let (none, rows) = (Order::default(), Linear { row: 32, slice: 256 });
        let unorm = TexelFormat::R8G8B8A8_UNORM;
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        let refused = [
            recorder.clear_region(&other, at(&plain), &region, &[0; 4], none),
            recorder.clear_region(&programs, at(&plain), &region, &[0; 3], none),
            recorder.clear_region(&programs, at(&plain), &beyond, &[0; 4], none),
            recorder.clear_region(&programs, at(&plain), &empty, &[0; 4], none),
            recorder.clear_region(&programs, at(&plain), &Region { level: 1, ..region }, &[0; 4], none),
            recorder.clear_region(&programs, at(&several), &region, &[0; 4], none),
            recorder.clear_region(&programs, at(&line), &Region { size: [8, 1, 1], ..region }, &[0; 4], none),
            recorder.copy_buffer_to_image(&programs, BUFFER + 2, rows, at(&plain), &region, none),
            recorder.copy_buffer_to_image(&programs, BUFFER, Linear { row: 28, slice: 256 }, at(&plain), &region, none),
            recorder.copy_buffer_to_image(&programs, BUFFER, Linear { row: 34, slice: 256 }, at(&plain), &region, none),
            recorder.copy_image_to_buffer(&programs, at(&plain), &region, BUFFER, Linear { row: u64::MAX - 3, slice: 0 }, none),
            recorder.copy_image(&programs, at(&plain), &region, there(&small), 0, [0; 3], none),
            recorder.copy_image(&programs, at(&plain), &region, at(&plain), 0, [7, 7, 0], none),
            recorder.copy_image(&programs, at(&plain), &region, there(&plain), 0, [57, 0, 0], none),
            recorder.resolve_image(&programs, unorm, ResolveMode::Average, at(&plain), &region, there(&plain), [0; 3], none),
            recorder.resolve_image(&programs, TexelFormat::R8G8B8A8_UINT, ResolveMode::Average, at(&several), &region, there(&plain), [0; 3], none),
            recorder.resolve_image(&programs, TexelFormat::R8G8B8A8_SRGB, ResolveMode::Average, at(&several), &region, there(&plain), [0; 3], none),
            recorder.generate_levels(&programs, unorm, at(&plain), 0, none),
        ];
        for (case, result) in refused.iter().enumerate() {
            assert!(matches!(result, Err(RecordError::Image { .. })), "{chip}: case {case}: {result:?}");
        }
        assert_eq!(recorder.words().len(), before, "{chip}");
        let mut early = Recorder::new(chip);
        early.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        early.begin().expect("a preamble");
        assert_eq!(early.clear_region(&programs, at(&plain), &region, &[0; 4], none), Err(RecordError::ComputeNotBegun), "{chip}");
    }
}
