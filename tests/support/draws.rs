//! Random draw descriptions, most of them valid, and ways to make them smaller.

use pm4::chip::Chip;
use pm4::draw::*;
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// A chip and a draw that it can serve.
#[derive(Debug, Clone)]
pub struct Case {
    pub chip: Chip,
    pub desc: DrawDesc,
}

impl Case {
    pub fn resolve(&self) -> Resolved {
        self.desc.resolve(self.chip).unwrap_or_else(|e| panic!("{} refuses {:?}: {e}", self.chip, self.desc))
    }
}

/// Any description at all: half of them break some rule.
#[derive(Debug, Clone)]
pub struct AnyDraw {
    pub chip: Chip,
    pub desc: DrawDesc,
}

pub fn pick<T: Copy>(g: &mut Gen, of: &[T]) -> T {
    *g.choose(of).expect("a list to choose from")
}

pub fn any<T: IntoEnumIterator + Copy>(g: &mut Gen) -> T {
    let all: Vec<T> = T::iter().collect();
    pick(g, &all)
}

fn one_in(g: &mut Gen, n: u32) -> bool {
    u32::arbitrary(g) % n == 0
}

fn shader(g: &mut Gen) -> PixelShader {
    PixelShader {
        address: one_in(g, 2).then(|| (u64::arbitrary(g) & 0xffff_ffff_ffff) & !0xff),
        user_sgprs: u32::arbitrary(g) % 33,
        writes_memory: bool::arbitrary(g),
        early_fragment_tests: one_in(g, 3),
        post_depth_coverage: one_in(g, 5),
        can_discard: one_in(g, 3),
        writes_depth: one_in(g, 4),
        depth_layout: any(g),
        writes_stencil: one_in(g, 6),
        writes_sample_mask: one_in(g, 4),
        sample_shading: one_in(g, 4),
        section_unused: one_in(g, 5),
    }
}

fn target(g: &mut Gen) -> ColorTarget {
    ColorTarget {
        format: if one_in(g, 2) { ColorFormat::Rgba8 } else { any(g) },
        blend: one_in(g, 3),
        write_mask: if one_in(g, 3) { u8::arbitrary(g) & 0xf } else { 0xf },
    }
}

fn desc(g: &mut Gen) -> DrawDesc {
    let samples = pick(g, &[1, 2, 4, 8]);
    DrawDesc {
        shader: (!one_in(g, 10)).then(|| shader(g)),
        interlock: any(g),
        samples,
        color: (0..pick(g, &[0, 0, 1, 1, 1, 2, 3, 8])).map(|_| target(g)).collect(),
        depth: one_in(g, 2).then(|| DepthTarget { format: any(g), samples: if one_in(g, 3) { pick(g, &[1, 2, 4, 8]) } else { samples } }),
        order: if one_in(g, 5) { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict },
        rate: if one_in(g, 4) { any(g) } else { ShadingRate::R1x1 },
        drain: if one_in(g, 4) { pick(g, &[Drain::On, Drain::Off]) } else { Drain::Auto },
        expert: Expert { intrawave_collision: one_in(g, 6), no_null_export: one_in(g, 12), ..Expert::default() },
        topology: any(g),
        vertices: u32::arbitrary(g),
        instances: 1 + u32::arbitrary(g) % 1000,
    }
}

fn shrink(desc: &DrawDesc) -> Vec<DrawDesc> {
    let plain = DrawDesc::default();
    let mut smaller = Vec::new();
    let mut with = |change: &dyn Fn(&mut DrawDesc)| {
        let mut d = desc.clone();
        change(&mut d);
        if d != *desc {
            smaller.push(d);
        }
    };
    with(&|d| d.shader = plain.shader.clone());
    with(&|d| d.interlock = plain.interlock);
    with(&|d| d.samples = plain.samples);
    with(&|d| d.color = plain.color.clone());
    with(&|d| d.color.truncate(1));
    with(&|d| d.depth = None);
    with(&|d| d.order = plain.order);
    with(&|d| d.rate = plain.rate);
    with(&|d| d.drain = plain.drain);
    with(&|d| d.expert = plain.expert);
    with(&|d| d.topology = plain.topology);
    with(&|d| d.vertices = plain.vertices);
    with(&|d| d.instances = plain.instances);
    smaller
}

impl Arbitrary for AnyDraw {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        let mut draw = Self { chip: pick(g, &chips), desc: desc(g) };
        if one_in(g, 8) {
            draw.desc.samples = u32::arbitrary(g) % 40;
        }
        if one_in(g, 8) {
            draw.desc.instances = 0;
        }
        draw.desc.expert.exec_if_overlapped = one_in(g, 8);
        draw.desc.expert.bin_mapping_pops = one_in(g, 8);
        draw
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let chip = self.chip;
        Box::new(shrink(&self.desc).into_iter().map(move |desc| Self { chip, desc }))
    }
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        loop {
            let case = Self { chip: pick(g, &chips), desc: desc(g) };
            if case.desc.resolve(case.chip).is_ok() {
                return case;
            }
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let chip = self.chip;
        Box::new(shrink(&self.desc).into_iter().filter(move |d| d.resolve(chip).is_ok()).map(move |desc| Self { chip, desc }))
    }
}
