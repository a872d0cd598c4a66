//! Clears of depth or stencil alone: memory afterwards, byte for byte; nothing of the other aspect has changed.

use crate::image_copies::{IMAGES, PROGRAMS, begun, executed, generations};
use pm4::draw::sync::{Access, Order};
use pm4::draw::*;
use pm4::layout::{DepthUsage, Element, HtileUse, SurfaceDesc, SurfaceLayout, Usage};
use pm4::packet::Queue;

/// Depth, stencil and use of HTILE; whether HTILE alone can express the clear.
const CASES: [(f32, u8, HtileUse, bool); 4] = [
    (1.0, 0, HtileUse::DepthOnly, true),
    (0.5, 7, HtileUse::DepthOnly, true),
    // Textures that read HTILE do not support such values.
    (0.5, 7, HtileUse::Texture, false),
    (0.0, 9, HtileUse::Off, false),
];

#[test]
fn a_clear_of_one_aspect_leaves_the_other() {
    let mut masked = 0;
    for chip in generations() {
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        for (depth, stencil, htile, by_htile) in CASES {
            for (aspect, queue) in [(DepthAspect::Depth, Queue::Graphics), (DepthAspect::Stencil, Queue::Graphics), (DepthAspect::Stencil, Queue::Compute)] {
                let usage = Usage::Depth(DepthUsage { stencil: true, htile });
                let desc = SurfaceDesc { width: 150, height: 40, layers: 2, usage, ..SurfaceDesc::new(Element::texel(4)) };
                let layout = SurfaceLayout::new(chip, &desc).unwrap_or_else(|error| panic!("{chip}: {error}"));
                let image = PlacedImage::new(&layout, IMAGES[0]);
                let clear = Some(DepthClear { depth, stencil });
                let target = DepthTarget { clear, ..DepthTarget::of_layout(&layout, DepthFormat::D32s8, IMAGES[0], 0) };
                let mut recorder = begun(chip, queue);
                let accesses = if queue == Queue::Graphics { Access::DepthRead | Access::DepthWrite } else { Access::ComputeRead.into() };
                let order = Order::between(accesses, accesses);
                recorder.clear_aspect(&programs, image, &target, aspect, order).unwrap_or_else(|error| panic!("{chip}: {error}"));
                let before: Vec<u8> = (0..layout.size).map(|at| (at * 37 + at / 256 * 11) as u8).collect();
                let words = recorder.finish().expect("room");
                let memory = [(IMAGES[0], before.clone())];
                let after = executed(chip, queue, &words, &programs, &memory).unwrap_or_else(|error| panic!("{error}"));
                let mut expected = before;
                let mut fill = |from: u64, bytes: u64, mask: u32, word: u32| {
                    for at in (from..from + bytes).step_by(4).map(|at| at as usize) {
                        let old = u32::from_le_bytes(expected[at..at + 4].try_into().expect("4 bytes"));
                        expected[at..at + 4].copy_from_slice(&(old & !mask | word & mask).to_le_bytes());
                    }
                };
                let plane = layout.stencil.expect("stencil");
                let by_htile = by_htile && layout.htile.is_some();
                if !by_htile {
                    match aspect {
                        DepthAspect::Depth => fill(0, layout.plane.size, !0, depth.to_bits()),
                        DepthAspect::Stencil => fill(plane.offset, plane.plane.size, !0, u32::from(stencil) * 0x0101_0101),
                    }
                }
                if let Some(htile) = &layout.htile {
                    // 14 bits of depth in both encodings next to stencil: the nearest base, no difference.
                    let cleared = ((depth * 16383.0 + 0.5) as u32) << 18 | 0xF0;
                    let word = if by_htile { cleared } else { 0xFFFF_F3FF };
                    let mask = if aspect == DepthAspect::Depth { 0xFFFF_FC0F } else { 0x3F0 };
                    fill(htile.offset, htile.size, mask, word);
                    masked += 1;
                }
                let differs = after[0].iter().zip(&expected).position(|(found, expected)| found != expected);
                assert_eq!(differs, None, "{chip} {queue:?}: {aspect} {htile:?}");
            }
        }
    }
    assert!(masked > 0 || generations().iter().all(|chip| chip.gfx().major() >= 12));
}

#[test]
fn clears_of_an_aspect_that_is_not_there_are_refused() {
    for chip in generations() {
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        let usage = Usage::Depth(DepthUsage { stencil: false, htile: HtileUse::Off });
        let layout = SurfaceLayout::new(chip, &SurfaceDesc { width: 64, height: 64, usage, ..SurfaceDesc::new(Element::texel(4)) }).expect("a layout");
        let image = PlacedImage::new(&layout, IMAGES[0]);
        let clear = Some(DepthClear { depth: 1.0, stencil: 0 });
        let target = DepthTarget { clear, ..DepthTarget::of_layout(&layout, DepthFormat::D32, IMAGES[0], 0) };
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        let error = recorder.clear_aspect(&programs, image, &target, DepthAspect::Stencil, Order::default()).expect_err("no stencil");
        assert!(error.to_string().contains("does not have the aspect"), "{error}");
        assert_eq!(recorder.words().len(), before);
        recorder.clear_aspect(&programs, image, &target, DepthAspect::Depth, Order::default()).expect("all of it");
    }
}
