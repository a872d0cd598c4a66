//! Image operations, executed on the model and compared byte for byte with a reference; the contents of metadata are compared with RADV's fills.

use crate::support::captured::{folders_of_captures, read_capture};
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::sync::{Access, ImageMetadata, ImageState, ImageTransition, MetadataFill, Order, SyncMemory, TransitionPlan};
use pm4::draw::*;
use pm4::layout::{ColorUsage, DepthUsage, Element, HtileUse, SurfaceDesc, SurfaceLayout, Tiling, Usage};
use pm4::packet::{Opcode, Queue, Reader, Writer};
use pm4::regs;

/// Address of the images: a multiple of any alignment.
const IMAGE: u64 = 0x12_3400_0000;

/// Returns one chip of each enabled generation: layouts differ more by generation than by chip.
fn generations() -> Vec<Chip> {
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

fn begun(chip: Chip, queue: Queue) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
    recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
    if queue == Queue::Graphics { recorder.begin() } else { recorder.begin_compute() }.expect("a preamble");
    recorder
}

/// Returns the memory of an image after a stream; before, each dword is its index.
fn executed(chip: Chip, queue: Queue, layout: &SurfaceLayout, words: &[u32]) -> Vec<u32> {
    let start: Vec<u32> = (0..layout.size as u32 / 4).collect();
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true);
    cp.map("fence", 0x1000, &[0; 2]);
    cp.map("zpass", 0x2000, &[0; 64]);
    cp.map("image", IMAGE, &start);
    cp.submit(queue, "clear", words);
    let mut found = Found::default();
    cp.run(&mut found);
    assert!(found.0.is_empty(), "{chip} {queue:?}: {:?}", found.0);
    (0..start.len() as u64).map(|at| cp.memory(IMAGE + 4 * at).expect("it is mapped")).collect()
}

/// Returns the expected memory: byte ranges from the start of the image, each with its dword; the rest unchanged.
fn expected(layout: &SurfaceLayout, fills: &[(u64, u64, u32)]) -> Vec<u32> {
    let mut memory: Vec<u32> = (0..layout.size as u32 / 4).collect();
    for (offset, bytes, word) in fills {
        memory[(offset / 4) as usize..((offset + bytes) / 4) as usize].fill(*word);
    }
    memory
}

fn color(width: u32, bytes: u32, desc: SurfaceDesc) -> SurfaceDesc {
    SurfaceDesc { width, height: 50, element: Element::texel(bytes), usage: Usage::Color(ColorUsage::TARGET), ..desc }
}

/// Returns colour images: with any element, levels, layers and samples, linear and tiled.
fn colors() -> Vec<(SurfaceDesc, Vec<u8>)> {
    let desc = SurfaceDesc::new(Element::texel(4));
    vec![
        (color(100, 1, desc), vec![0x5A]),
        (color(100, 2, SurfaceDesc { layers: 3, ..desc }), vec![0x12, 0x34]),
        (color(100, 4, SurfaceDesc { levels: 7, ..desc }), vec![1, 2, 3, 4]),
        (color(100, 4, SurfaceDesc { tiling: Tiling::Linear, ..desc }), vec![9, 8, 7, 6]),
        (color(100, 8, desc), vec![1, 2, 3, 4, 1, 2, 3, 4]),
        (color(100, 16, desc), vec![0; 16]),
        (color(64, 4, SurfaceDesc { samples: 2, fragments: 2, ..desc }), vec![4, 3, 2, 1]),
        (color(64, 4, SurfaceDesc { samples: 4, fragments: 4, ..desc }), vec![4, 3, 2, 1]),
        (color(64, 4, SurfaceDesc { samples: 8, fragments: 8, layers: 2, ..desc }), vec![4, 3, 2, 1]),
    ]
}

/// A colour clear writes each element of each level, layer and sample, and marks metadata as uncompressed; both queues, all chips.
#[test]
fn a_clear_of_colour_is_a_fill_of_its_bytes() {
    let mut with = [0; 3];
    for chip in generations() {
        for (at, (desc, element)) in colors().into_iter().enumerate() {
            let queue = [Queue::Graphics, Queue::Compute][at % 2];
            let layout = SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let mut recorder = begun(chip, queue);
            let order = Order::between(Access::ComputeRead, Access::ComputeWrite);
            recorder.clear_color(PlacedImage::new(&layout, IMAGE), &element, order).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let memory = executed(chip, queue, &layout, &recorder.finish().expect("room"));
            let tiler = layout.tiler().expect("addresses");
            let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
            for level in 0..desc.levels {
                let [width, height, layers] = tiler.extent(level);
                for sample in 0..desc.fragments {
                    for place in [[0, 0, 0], [width - 1, height - 1, layers - 1], [width / 2, height / 3, layers / 2]] {
                        let address = tiler.address(place, sample, level).expect("inside") as usize;
                        assert_eq!(bytes[address..][..element.len()], element[..], "{chip}: {desc:?} at {place:?}");
                    }
                }
            }
            let word = u32::from_le_bytes([0, 1, 2, 3].map(|at: usize| element[at % element.len()]));
            let mut fills = vec![(0, layout.plane.size, word)];
            for (at, kind) in [MetadataFill::Dcc, MetadataFill::Cmask, MetadataFill::Fmask].into_iter().enumerate() {
                if let Some((offset, bytes)) = kind.place(&layout) {
                    fills.push((offset, bytes, kind.uncompressed(&layout)));
                    with[at] += 1;
                }
            }
            assert!(memory == expected(&layout, &fills), "{chip}: {desc:?}");
        }
    }
    assert!(with.iter().all(|seen| *seen > 0), "{with:?}");
}

/// A fast clear changes only DCC keys, for colours for which the generation has a code.
#[test]
fn a_fast_clear_of_colour_writes_metadata_alone() {
    let desc = SurfaceDesc::new(Element::texel(4));
    for chip in generations() {
        for samples in [1, 4] {
            let layout = SurfaceLayout::new(chip, &color(200, 4, SurfaceDesc { samples, fragments: samples, ..desc })).expect("a layout");
            let image = PlacedImage::new(&layout, IMAGE);
            let clears = [DccClear::Zero, DccClear::One, DccClear::OneF16, DccClear::AlphaOne, DccClear::ColorOne, DccClear::Registers, DccClear::Single];
            for clear in clears {
                let mut recorder = begun(chip, Queue::Graphics);
                let before = recorder.words().len();
                let done = recorder.clear_color_fast(image, clear, Order::between(Access::ColorWrite, Access::ColorWrite));
                let code = clear.code(chip.gfx()).filter(|_| clear != DccClear::Single && layout.dcc.is_some());
                let Some(code) = code else {
                    assert!(matches!(done, Err(RecordError::Image { .. })), "{chip}: {clear}");
                    assert_eq!(recorder.words().len(), before);
                    continue;
                };
                done.unwrap_or_else(|error| panic!("{chip}: {clear}: {error}"));
                let dcc = layout.dcc.expect("DCC").metadata;
                let mut fills = vec![(dcc.offset, dcc.size, u32::from(code) * 0x0101_0101)];
                fills.extend(layout.cmask.filter(|_| layout.fmask.is_some()).map(|cmask| (cmask.offset, cmask.size, 0xCCCC_CCCC)));
                let memory = executed(chip, Queue::Graphics, &layout, &recorder.finish().expect("room"));
                assert!(memory == expected(&layout, &fills), "{chip}: {clear}");
            }
        }
    }
}

/// Depth and stencil are cleared through HTILE if tiles can express the values, otherwise in memory, with HTILE marked as uncompressed.
#[test]
fn a_clear_of_depth_fills_tiles_or_memory() {
    use DepthClearWay::{Htile, Memory};
    let cases = [
        // Format, HTILE, samples, depth, stencil; the way on generations with HTILE; the dword of depth.
        (DepthFormat::D32, HtileUse::DepthOnly, 1, 1.0, 0, Htile, 0x3F80_0000),
        (DepthFormat::D32, HtileUse::DepthOnly, 1, 0.25, 0, Htile, 0x3E80_0000),
        (DepthFormat::D32, HtileUse::Off, 1, 0.25, 0, Memory, 0x3E80_0000),
        (DepthFormat::D16, HtileUse::Off, 4, 1.0, 0, Memory, 0xFFFF_FFFF),
        (DepthFormat::D16, HtileUse::Off, 1, 0.5, 0, Memory, 0x8000_8000),
        (DepthFormat::D32s8, HtileUse::DepthOnly, 1, 0.0, 7, Htile, 0),
        (DepthFormat::D32s8, HtileUse::Off, 1, 0.0, 7, Memory, 0),
        (DepthFormat::D32s8, HtileUse::Texture, 4, 1.0, 0, Htile, 0x3F80_0000),
        // Textures do not support other values than these.
        (DepthFormat::D32s8, HtileUse::Texture, 4, 1.0, 3, Memory, 0x3F80_0000),
        (DepthFormat::D32, HtileUse::Texture, 1, 0.5, 0, Memory, 0x3F00_0000),
    ];
    for chip in generations() {
        for (format, htile, samples, depth, stencil, way, word) in cases {
            let bytes = if format == DepthFormat::D16 { 2 } else { 4 };
            let usage = Usage::Depth(DepthUsage { stencil: format.has_stencil(), htile });
            let desc = SurfaceDesc { width: 200, height: 50, samples, fragments: samples, usage, ..SurfaceDesc::new(Element::texel(bytes)) };
            let layout = SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let clear = DepthClear { depth, stencil };
            let target = DepthTarget { clear: Some(clear), ..DepthTarget::of_layout(&layout, format, IMAGE, 0) };
            let way = if layout.htile.is_some() { way } else { Memory };
            assert_eq!(DepthClearWay::of(&layout, &target, clear), way, "{chip}: {format} {htile:?} {clear:?}");
            let mut recorder = begun(chip, Queue::Graphics);
            let image = PlacedImage::new(&layout, IMAGE);
            let hiz = layout.hiz.as_ref().map(|hiz| HiSurface::of_layout(hiz, IMAGE));
            if hiz.is_some() {
                let target = DepthTarget { hiz, ..target };
                assert!(matches!(recorder.clear_depth(image, &target, Order::default()), Err(RecordError::Image { .. })), "{chip}");
            }
            recorder.clear_depth(image, &target, Order::between(Access::DepthWrite, Access::DepthWrite)).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let mut fills = Vec::new();
            if way == Memory {
                fills.push((0, layout.plane.size, word));
                fills.extend(layout.stencil.map(|plane| (plane.offset, plane.plane.size, u32::from(stencil) * 0x0101_0101)));
            }
            let tile = match (way, format.has_stencil()) {
                (Memory, false) => 0xFFFC_000F,
                (Memory, true) => 0xFFFF_F3FF,
                (Htile, false) => [0, 0x4000_0000 | 0x0001_0000, 0xFFFF_FFF0][(2.0 * depth) as usize + usize::from(depth == 0.25)],
                (Htile, true) => [0xF0, 0xFFFC_00F0][depth as usize],
            };
            fills.extend(layout.htile.map(|htile| (htile.offset, htile.size, tile)));
            let memory = executed(chip, Queue::Graphics, &layout, &recorder.finish().expect("room"));
            assert!(memory == expected(&layout, &fills), "{chip}: {format} {htile:?} {clear:?}");
        }
    }
}

/// Impossible clears, and those that no source describes, are refused and write nothing.
#[test]
fn clears_that_cannot_be_are_refused() {
    for chip in Chip::all() {
        let layout = SurfaceLayout::new(chip, &color(100, 8, SurfaceDesc::new(Element::texel(8)))).expect("a layout");
        let usage = Usage::Depth(DepthUsage { stencil: false, htile: HtileUse::Off });
        let depth = SurfaceLayout::new(chip, &SurfaceDesc { width: 64, height: 64, usage, ..SurfaceDesc::new(Element::texel(4)) }).expect("a layout");
        let image = PlacedImage::new(&layout, IMAGE);
        let target = DepthTarget { clear: Some(DepthClear::default()), ..DepthTarget::new(DepthFormat::D32, 1) };
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        let none = Order::default();
        let refused = [
            recorder.clear_color(image, &[1, 2, 3, 4, 5, 6, 7, 8], none),
            recorder.clear_color(image, &[1, 2, 3, 4], none),
            recorder.clear_color(image, &[], none),
            recorder.clear_color(PlacedImage::new(&layout, IMAGE + 0x80), &[0; 8], none),
            recorder.clear_color(PlacedImage::new(&depth, IMAGE), &[0; 4], none),
            recorder.clear_depth(image, &target, none),
            recorder.clear_depth(PlacedImage::new(&depth, IMAGE), &DepthTarget { format: DepthFormat::D16, ..target }, none),
            recorder.clear_depth(PlacedImage::new(&depth, IMAGE), &DepthTarget { format: DepthFormat::D32s8, ..target }, none),
            recorder.clear_depth(PlacedImage::new(&depth, IMAGE), &DepthTarget { clear: None, ..target }, none),
        ];
        for (at, result) in refused.iter().enumerate() {
            assert!(matches!(result, Err(RecordError::Image { .. })), "{chip}: case {at}: {result:?}");
        }
        assert_eq!(recorder.words().len(), before, "{chip}");
        let other = if chip.gfx() == Chip::Navi31.gfx() { Chip::Navi21 } else { Chip::Navi31 };
        assert!(matches!(begun(other, Queue::Graphics).clear_color(image, &[0; 8], none), Err(RecordError::Image { .. })), "{chip}");
    }
}

/// Returns the fills of dispatches like RADV's: address, bytes and dword are user data 2 to 5.
fn fills_of(words: &[u32]) -> Vec<(u64, u64, u32)> {
    let mut found = Vec::new();
    for packet in Reader::new(words).flatten() {
        // COMPUTE_USER_DATA_2, in dwords from the start of its window.
        if packet.opcode() == Some(Opcode::SET_SH_REG) && packet.body.first() == Some(&0x242) && packet.body.len() == 5 {
            let [low, high, last, word] = [1, 2, 3, 4].map(|at| packet.body[at]);
            found.push((u64::from(low) | u64::from(high) << 32, u64::from(last) + 16, word));
        }
    }
    found
}

/// The dwords with which RADV's first use of an image fills CMASK, FMASK and HTILE are those of this crate, with the sizes of the layout.
#[test]
fn metadata_is_filled_as_radv_fills_it() {
    let mut seen = [0; 3];
    for folder in folders_of_captures() {
        let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).expect("a manifest");
        for row in manifest.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>()).filter(|row| row[8] == "main") {
            let (Ok(chip), Ok(samples)) = (row[0].parse::<Chip>(), row[3].parse::<u32>()) else { continue };
            let Some(bytes) = read_capture(row[12]) else { continue };
            let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "capture", &words);
            struct Bases(Chip, Vec<[Option<u64>; 3]>);
            impl Observer for Bases {
                fn draw(&mut self, view: &pm4::cp::DrawView<'_>) {
                    let base = |name: &str| regs::find(self.0.gfx(), name).and_then(|register| view.value(register.addr())).map(|value| u64::from(value) << 8);
                    self.1.push(["CB_COLOR0_CMASK", "CB_COLOR0_FMASK", "DB_HTILE_DATA_BASE"].map(base));
                }
            }
            let mut bases = Bases(chip, Vec::new());
            cp.run(&mut bases);
            for (addr, size, word) in fills_of(&words) {
                let low = addr & 0xFF_FFFF_FFFF;
                let is = |kind: usize| bases.1.iter().any(|bases| bases[kind] == Some(low));
                let desc = SurfaceDesc { samples, fragments: samples, ..color(64, 4, SurfaceDesc::new(Element::texel(4))) };
                for (at, kind) in [MetadataFill::Cmask, MetadataFill::Fmask].into_iter().enumerate() {
                    if is(at) && samples > 1 && !row[2].starts_with("mixed") {
                        let layout = SurfaceLayout::new(chip, &desc).expect("a layout");
                        assert_eq!(word, kind.uncompressed(&layout), "{}: {kind} of {size} bytes", row[12]);
                        seen[at] += 1;
                    }
                }
                if is(2) && !row[5].contains("stencil") && size > 64 {
                    assert!(word == Htile::default().expanded() || word == 0 || word == 0xFFFF_FFF0, "{}: {word:#x}", row[12]);
                    seen[2] += usize::from(word == Htile::default().expanded());
                }
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// A transition of an image that comes into use, with its fills, marks metadata as uncompressed, and no rule reports anything.
#[test]
fn a_transition_fills_what_it_asks_for() {
    for chip in Chip::all() {
        let desc = SurfaceDesc { samples: 4, fragments: 4, ..color(64, 4, SurfaceDesc::new(Element::texel(4))) };
        let layout = SurfaceLayout::new(chip, &desc).expect("a layout");
        let target = TargetImage::of_layout(&layout, ColorFormat::Rgba8, IMAGE, 0);
        let metadata = target.compression.map_or(ImageMetadata::NONE, |compression| ImageMetadata::of_color(chip, &compression));
        let transition = ImageTransition { metadata, ..ImageTransition::new(ImageState::Undefined, ImageState::Color) };
        let plan = TransitionPlan::new(chip, Queue::Graphics, &transition).expect("a plan");
        let mut recorder = begun(chip, Queue::Graphics);
        recorder.sync(&plan.before).expect("room");
        recorder.fill_metadata(PlacedImage::new(&layout, IMAGE), &plan.fills, Order::default()).expect("room");
        plan.after.iter().for_each(|after| recorder.sync(after).expect("room"));
        let fills: Vec<_> = plan.fills.iter().filter_map(|fill| fill.place(&layout).map(|(at, bytes)| (at, bytes, fill.uncompressed(&layout)))).collect();
        assert_eq!(fills.len(), plan.fills.len(), "{chip}");
        assert!(executed(chip, Queue::Graphics, &layout, &recorder.finish().expect("room")) == expected(&layout, &fills), "{chip}");
    }
}
