//! Targets made from layouts: registers contain what the layout states, on every chip, and the model finds nothing wrong.

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Severity};
use pm4::draw::*;
use pm4::layout::{ColorUsage, DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
use pm4::packet::Queue;
use pm4::regs;

const ADDRESS: u64 = 0x12_3400_0000;

/// Draws to bound targets and returns the registers by name; checks that no rule reports an error.
fn drawn(chip: Chip, samples: u32, targets: TargetsDesc) -> impl Fn(&str) -> Option<u32> {
    let pipeline = PipelineDesc { samples, blends: vec![TargetBlend::default(); targets.color.len()], ..PipelineDesc::default() };
    let draw = DrawDesc { pipeline, targets, ..DrawDesc::default() };
    let resolved = draw.resolve(chip).unwrap_or_else(|error| panic!("{chip}: {error}: {:?}", draw.targets));
    let mut recorder = Recorder::new(chip);
    recorder.begin().expect("a preamble");
    recorder.draw(&resolved).expect("a draw");
    let words = recorder.finish().expect("room");
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", &words);
    let mut found = Vec::new();
    struct Errors<'f>(&'f mut Vec<String>);
    impl pm4::cp::Observer for Errors<'_> {
        fn finding(&mut self, finding: &pm4::cp::Finding) {
            self.0.extend((finding.severity == Severity::Error).then(|| finding.to_string()));
        }
    }
    cp.run(&mut Errors(&mut found));
    assert!(found.is_empty(), "{chip}: {found:?} for {:?}", draw.targets);
    move |name: &str| resolved.image.get(regs::find(chip.gfx(), name)?.addr())
}

fn low(addr: u64) -> u32 {
    (addr >> 8) as u32
}

/// Colour targets of any size, samples, layers and levels: the base with the XOR of its surface, the mode, and the metadata of the level.
#[test]
fn colour_targets_have_the_addresses_of_their_layout() {
    let (mut with_dcc, mut with_fmask) = (0, 0);
    for chip in Chip::all() {
        for (bytes, format) in [(4, ColorFormat::Rgba8), (8, ColorFormat::Rgba16f)] {
            for (samples, layers, levels) in [(1, 1, 1), (1, 1, 6), (1, 4, 1), (4, 1, 1), (8, 1, 1)] {
                let usage = Usage::Color(ColorUsage::TARGET);
                let desc =
                    SurfaceDesc { width: 500, height: 300, layers, levels, samples, fragments: samples, usage, ..SurfaceDesc::new(Element::texel(bytes)) };
                let layout = SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
                assert!(ADDRESS.is_multiple_of(layout.align.into()));
                for level in [0, levels - 1] {
                    let image = TargetImage::of_layout(&layout, format, ADDRESS, level);
                    let targets = TargetsDesc { color: vec![image], extent: (500, 300), ..TargetsDesc::default() };
                    let value = drawn(chip, samples, targets);
                    assert_eq!(value("CB_COLOR0_BASE"), Some(low(ADDRESS) | layout.tile_swizzle), "{chip}");
                    let compression = image.compression.unwrap_or_default();
                    if let Some(dcc) = layout.dcc.filter(|dcc| level < dcc.metadata.levels) {
                        let address = compression.dcc.expect("DCC is in use").address;
                        let offset = address - ADDRESS;
                        assert!((dcc.metadata.offset..dcc.metadata.offset + u64::from(dcc.metadata.align)).contains(&offset), "{chip}: {offset:#x}");
                        assert_eq!(value("CB_COLOR0_DCC_BASE"), Some(low(address)), "{chip}");
                        with_dcc += 1;
                    } else {
                        assert!(compression.dcc.is_none_or(|dcc| dcc.address == 0), "{chip}: the level has no DCC");
                    }
                    if let Some(fmask) = layout.fmask {
                        assert_eq!(value("CB_COLOR0_FMASK"), Some(low(ADDRESS + fmask.offset) | fmask.tile_swizzle), "{chip}");
                        assert_eq!(value("CB_COLOR0_CMASK"), Some(low(ADDRESS + layout.cmask.expect("FMASK has CMASK").offset)), "{chip}");
                        with_fmask += 1;
                    }
                }
            }
        }
    }
    assert!(with_dcc > 0 && with_fmask > 0);
}

/// Depth and stencil: both planes, and HTILE or HiZ and HiS.
#[test]
fn depth_targets_have_the_addresses_of_their_layout() {
    for chip in Chip::all() {
        for (stencil, format) in [(false, DepthFormat::D32), (true, DepthFormat::D32s8)] {
            for (samples, layers, levels) in [(1, 1, 1), (1, 1, 4), (1, 3, 1), (4, 1, 1)] {
                let usage = Usage::Depth(DepthUsage { stencil, ..DepthUsage::default() });
                let desc = SurfaceDesc { width: 500, height: 300, layers, levels, samples, fragments: samples, usage, ..SurfaceDesc::new(Element::texel(4)) };
                let layout = SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
                let depth = DepthTarget::of_layout(&layout, format, ADDRESS, 0);
                let targets = TargetsDesc { color: vec![], depth: Some(depth), extent: (500, 300), rate_image: None };
                let value = drawn(chip, samples, targets);
                assert_eq!(value("DB_Z_READ_BASE"), Some(low(ADDRESS) | layout.tile_swizzle), "{chip}");
                assert_eq!(layout.stencil.is_some(), stencil, "{chip}");
                if let Some(plane) = layout.stencil {
                    assert_eq!(value("DB_STENCIL_READ_BASE"), Some(low(ADDRESS + plane.offset)), "{chip}");
                }
                assert_eq!(depth.htile.is_some(), layout.htile.is_some_and(|htile| htile.levels > 0), "{chip}");
                if let (Some(htile), Some(_)) = (layout.htile, depth.htile) {
                    assert_eq!(value("DB_HTILE_DATA_BASE"), Some(low(ADDRESS + htile.offset)), "{chip}");
                }
                assert_eq!((depth.hiz, depth.his), (None, None), "{chip}");
            }
        }
    }
}
