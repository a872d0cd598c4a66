//! Passes over images: clears and discards at the beginning; write-backs, resolves and barriers at the end; executed on the model, on every generation.

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::descriptors::TexelFormat;
use pm4::draw::sync::{Access, AccessSet, ImageState, MetadataFill, SyncMemory};
use pm4::draw::*;
use pm4::layout::{ColorUsage, DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
use pm4::packet::Queue;
use pm4::waves::DispatchRunner;

const COLOR: u64 = 0x12_3400_0000;
const DEPTH: u64 = 0x12_3500_0000;
const RESOLVED: u64 = 0x12_3600_0000;
const PROGRAMS: u64 = 0x1000_0000;
const PINK: [u8; 4] = [255, 0, 128, 64];

fn generations() -> Vec<Chip> {
    let mut chips: Vec<Chip> = Vec::new();
    Chip::all().for_each(|chip| {
        if chips.iter().all(|known| known.gfx() != chip.gfx()) {
            chips.push(chip)
        }
    });
    chips
}

fn color_layout(chip: Chip, samples: u32) -> SurfaceLayout {
    let usage = Usage::Color(ColorUsage::TARGET);
    let desc = SurfaceDesc { width: 64, height: 48, samples, fragments: samples, usage, ..SurfaceDesc::new(Element::texel(4)) };
    SurfaceLayout::new(chip, &desc).expect("a layout")
}

fn depth_layout(chip: Chip) -> SurfaceLayout {
    let usage = Usage::Depth(DepthUsage::default());
    SurfaceLayout::new(chip, &SurfaceDesc { width: 64, height: 48, usage, ..SurfaceDesc::new(Element::texel(4)) }).expect("a layout")
}

fn color_image(layout: &SurfaceLayout) -> TargetImage {
    TargetImage::of_layout(layout, ColorFormat::Rgba8, COLOR, 0)
}

fn depth_target(layout: &SurfaceLayout) -> DepthTarget {
    let clear = Some(DepthClear { depth: 0.0, stencil: 0 });
    DepthTarget { clear, ..DepthTarget::of_layout(layout, DepthFormat::D32, DEPTH, 0) }
}

/// Returns a draw over the targets, with a pass over targets if given.
fn draw(chip: Chip, samples: u32, color: Option<TargetImage>, depth: Option<DepthTarget>, pass: Option<TargetPass>) -> Resolved {
    let mut pipeline = PipelineDesc { pass, samples, ..PipelineDesc::default() };
    pipeline.vertex.program.address = Some(0x40_0000);
    if pass.is_some() {
        pipeline.topology = Topology::RectList;
    }
    match color {
        Some(_) => pipeline.shader.iter_mut().for_each(|shader| shader.program.address = Some(0x41_0000)),
        None => (pipeline.shader, pipeline.blends) = (None, Vec::new()),
    }
    let targets = TargetsDesc { color: color.into_iter().collect(), depth, extent: (64, 48), ..TargetsDesc::default() };
    DrawDesc { pipeline, targets, ..DrawDesc::default() }.resolve(chip).unwrap_or_else(|error| panic!("{chip}: {pass:?}: {error}"))
}

fn begun(chip: Chip) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::new(chip);
    recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
    recorder.begin().expect("a preamble");
    recorder.begin_compute().expect("a preamble");
    recorder
}

#[derive(Default)]
struct Found(Vec<String>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity == Severity::Error {
            self.0.push(finding.to_string());
        }
    }
}

/// Returns the contents of images after a stream; before, each byte is 0x55.
fn executed(chip: Chip, words: &[u32], programs: &ImagePrograms, images: &[(u64, u64)]) -> Vec<Vec<u32>> {
    let start: Vec<Vec<u32>> = images.iter().map(|(_, bytes)| vec![0x5555_5555; *bytes as usize / 4]).collect();
    let mut cp = CommandProcessor::new(chip);
    cp.map("programs", PROGRAMS, programs.words());
    images.iter().zip(&start).for_each(|((addr, _), words)| {
        cp.map("image", *addr, words);
    });
    cp.submit(Queue::Graphics, "pass", words);
    let mut observer = (Found::default(), DispatchRunner::default());
    cp.run(&mut observer);
    assert!(observer.0.0.is_empty(), "{chip}: {:?}", observer.0.0);
    assert!(observer.1.problems.is_empty(), "{chip}: {:?}", observer.1.problems);
    images.iter().map(|(addr, bytes)| (0..bytes / 4).map(|at| cp.memory(addr + 4 * at).expect("it is mapped")).collect()).collect()
}

/// Colour and depth are cleared, drawn to, resolved and handed to the CPU: the draws that the end needs are there, and memory holds the clear value, because
/// the model draws nothing.
#[test]
fn a_pass_clears_writes_back_and_resolves() {
    let mut asked = Vec::new();
    for chip in generations() {
        for samples in [1, 4] {
            let (layout, one, depth) = (color_layout(chip, samples), color_layout(chip, 1), depth_layout(chip));
            let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
            let (image, target) = (color_image(&layout), depth_target(&depth));
            let resolve =
                PassResolve { to: PlacedImage::new(&one, RESOLVED), format: TexelFormat::R8G8B8A8_UNORM, mode: ResolveMode::Average, after: AccessSet::NONE };
            let color = PassTarget {
                from: ImageState::Sampled,
                load: LoadOp::Element(&PINK),
                resolve: (samples > 1).then_some(resolve),
                ..PassTarget::new(PlacedImage::new(&layout, COLOR), TargetUse::Color(image.compression), ImageState::Present)
            };
            let below = PassTarget { load: LoadOp::Depth, ..PassTarget::new(PlacedImage::new(&depth, DEPTH), TargetUse::Depth(target), ImageState::Sampled) };
            let with_depth = samples == 1;
            let targets: Vec<PassTarget<'_>> = [Some(color), with_depth.then_some(below)].into_iter().flatten().collect();
            let mut passes = Vec::new();
            for one in &targets {
                for pass in one.end_passes(chip, Queue::Graphics).expect("passes") {
                    asked.push(pass);
                    passes.push(if pass.is_color_pass() {
                        draw(chip, samples, Some(image), None, Some(pass))
                    } else {
                        draw(chip, samples, None, Some(target), Some(pass))
                    });
                }
            }
            let mut recorder = begun(chip);
            recorder.begin_pass(&targets).unwrap_or_else(|error| panic!("{chip}: {error}"));
            recorder.draw(&draw(chip, samples, Some(image), with_depth.then_some(target), None)).expect("a draw");
            let end = PassEnd { passes: &passes, programs: Some(&programs) };
            recorder.end_pass(&targets, &end).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let words = recorder.finish().expect("room");
            let memory = executed(chip, &words, &programs, &[(COLOR, layout.size), (DEPTH, depth.size), (RESOLVED, one.size)]);
            let pink = u32::from_le_bytes(PINK);
            assert!(memory[0][..layout.plane.size as usize / 4].iter().all(|word| *word == pink), "{chip}");
            if samples > 1 {
                let tiler = one.tiler().expect("addresses");
                for [x, y] in (0..48).flat_map(|y| (0..64).map(move |x| [x, y])) {
                    let at = tiler.address([x, y, 0], 0, 0).expect("inside") / 4;
                    assert_eq!(memory[2][at as usize], pink, "{chip}: {x}, {y}");
                }
            } else {
                let (plane, htile) = (memory[1][0], MetadataFill::Htile.place(&depth).map(|(at, _)| memory[1][at as usize / 4]));
                assert_eq!((plane, htile), if chip.gfx().major() < 12 { (0x5555_5555, Some(0)) } else { (0, None) }, "{chip}");
            }
        }
    }
    for pass in [TargetPass::DccDecompress, TargetPass::FmaskDecompress, TargetPass::DepthDecompress] {
        assert!(asked.contains(&pass), "{pass}");
    }
}

/// Metadata of a discarded image is marked as uncompressed, a fast clear changes only metadata, and a loaded image keeps its contents.
#[test]
fn a_pass_discards_clears_fast_and_loads() {
    // Single-sample images this small have no DCC on most generations.
    for chip in generations().into_iter().filter(|chip| chip.gfx().major() < 12) {
        let layout = color_layout(chip, 4);
        let (image, dcc) = (PlacedImage::new(&layout, COLOR), layout.dcc.expect("DCC").metadata);
        let compression = color_image(&layout).compression;
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        let discarded = PassTarget::new(image, TargetUse::Color(compression), ImageState::Undefined);
        for (load, from, keys) in [
            (LoadOp::Discard, ImageState::Sampled, u32::MAX),
            (LoadOp::Dcc(DccClear::Zero), ImageState::Undefined, 0),
            (LoadOp::Load, ImageState::Sampled, 0x5555_5555),
            // Copies leave no keys in use: everything is already uncompressed.
            (LoadOp::Load, ImageState::CopyTarget, 0x5555_5555),
        ] {
            let target = PassTarget { load, from, ..discarded };
            let mut recorder = begun(chip);
            recorder.begin_pass(&[target]).unwrap_or_else(|error| panic!("{chip}: {load:?}: {error}"));
            recorder.end_pass(&[target], &PassEnd::default()).unwrap_or_else(|error| panic!("{chip}: {load:?}: {error}"));
            let memory = executed(chip, &recorder.finish().expect("room"), &programs, &[(COLOR, layout.size)]);
            let keys_of = &memory[0][(dcc.offset / 4) as usize..][..(dcc.size / 4) as usize];
            assert!(keys_of.iter().all(|word| *word == keys), "{chip}: {load:?}");
            assert!(memory[0][..layout.plane.size as usize / 4].iter().all(|word| *word == 0x5555_5555), "{chip}: {load:?}");
        }
    }
}

/// An impossible pass is refused as a whole: nothing is written, not even for targets before the wrong one.
#[test]
fn passes_that_cannot_be_are_refused() {
    for chip in generations() {
        let (layout, depth) = (color_layout(chip, 1), depth_layout(chip));
        let several = color_layout(chip, 4);
        let levels = SurfaceLayout::new(chip, &SurfaceDesc { levels: 3, ..*layout.desc() }).expect("a layout");
        let compression = color_image(&layout).compression;
        let good = PassTarget {
            load: LoadOp::Element(&PINK),
            ..PassTarget::new(PlacedImage::new(&layout, COLOR), TargetUse::Color(compression), ImageState::Present)
        };
        let below = PassTarget::new(PlacedImage::new(&depth, DEPTH), TargetUse::Depth(depth_target(&depth)), ImageState::Sampled);
        let mut recorder = begun(chip);
        let before = recorder.words().len();
        for (case, wrong) in [
            PassTarget { load: LoadOp::Load, ..good },
            PassTarget { image: PlacedImage::new(&levels, COLOR), ..good },
            PassTarget { load: LoadOp::Depth, ..good },
            PassTarget { load: LoadOp::Dcc(DccClear::Zero), target: TargetUse::Color(None), ..good },
            PassTarget { load: LoadOp::Element(&PINK), ..below },
        ]
        .into_iter()
        .enumerate()
        {
            let done = recorder.begin_pass(&[good, wrong]);
            assert!(matches!(done, Err(RecordError::Image { .. })), "{chip}: case {case}: {done:?}");
        }
        let resolve = PassResolve {
            to: PlacedImage::new(&layout, RESOLVED),
            format: TexelFormat::R8G8B8A8_UNORM,
            mode: ResolveMode::Average,
            after: Access::PixelRead.into(),
        };
        let unresolved = PassTarget { image: PlacedImage::new(&several, COLOR), target: TargetUse::Color(None), resolve: Some(resolve), ..good };
        assert!(matches!(recorder.end_pass(&[unresolved], &PassEnd::default()), Err(RecordError::Image { .. })), "{chip}");
        if chip.gfx().major() < 12 {
            let good = PassTarget { image: PlacedImage::new(&several, COLOR), target: TargetUse::Color(color_image(&several).compression), ..good };
            assert!(matches!(recorder.end_pass(&[good], &PassEnd::default()), Err(RecordError::Image { .. })), "{chip}: no draw writes DCC back");
            let other = [draw(chip, 1, None, Some(depth_target(&depth)), Some(TargetPass::DepthDecompress))];
            let end = PassEnd { passes: &other, programs: None };
            assert!(matches!(recorder.end_pass(&[good], &end), Err(RecordError::Image { .. })), "{chip}: the draw of another pass");
        }
        assert_eq!(recorder.words().len(), before, "{chip}");
    }
}
