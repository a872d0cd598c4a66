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
        program: Program {
            address: one_in(g, 2).then(|| (u64::arbitrary(g) & 0xffff_ffff_ffff) & !0xff),
            user_data: vec![UserData::Keep; (u32::arbitrary(g) % 33) as usize],
            ..Program::default()
        },
        inputs: PixelInputs::default(),
        writes_memory: bool::arbitrary(g),
        early_fragment_tests: one_in(g, 3),
        post_depth_coverage: one_in(g, 5),
        can_discard: one_in(g, 3),
        writes_depth: one_in(g, 4),
        depth_layout: any(g),
        writes_stencil: one_in(g, 6),
        writes_sample_mask: one_in(g, 4),
        reads_sample_mask: one_in(g, 6),
        sample_shading: one_in(g, 4),
        section_unused: one_in(g, 5),
    }
}

fn factor(g: &mut Gen) -> BlendFactor {
    any(g)
}

fn blend(g: &mut Gen) -> Blend {
    if one_in(g, 2) {
        return Blend::SOURCE_OVER;
    }
    Blend { color: (factor(g), any(g), factor(g)), alpha: (factor(g), any(g), factor(g)) }
}

fn surface(g: &mut Gen) -> Surface {
    let address = |g: &mut Gen| (u64::arbitrary(g) & 0xffff_ffff_ffff) & !0xff;
    Surface { address: address(g), stencil_address: address(g), ..Surface::default() }
}

fn target(g: &mut Gen) -> ColorTarget {
    ColorTarget {
        format: if one_in(g, 2) { ColorFormat::Rgba8 } else { any(g) },
        blend: one_in(g, 3).then(|| blend(g)),
        write_mask: if one_in(g, 3) { u8::arbitrary(g) & 0xf } else { 0xf },
        samples: None,
        surface: surface(g),
    }
}

fn desc(g: &mut Gen) -> DrawDesc {
    let samples = pick(g, &[1, 2, 4, 8]);
    DrawDesc {
        shader: (!one_in(g, 10)).then(|| shader(g)),
        interlock: any(g),
        samples,
        color: (0..pick(g, &[0, 0, 1, 1, 1, 2, 3, 8])).map(|_| target(g)).collect(),
        depth: one_in(g, 2).then(|| DepthTarget { format: any(g), samples: if one_in(g, 3) { pick(g, &[1, 2, 4, 8]) } else { samples }, surface: surface(g) }),
        order: if one_in(g, 5) { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict },
        rate: if one_in(g, 4) { any(g) } else { ShadingRate::R1x1 },
        drain: if one_in(g, 4) { pick(g, &[Drain::On, Drain::Off]) } else { Drain::Auto },
        extent: (1 + u32::arbitrary(g) % 16384, 1 + u32::arbitrary(g) % 16384),
        alpha_to_coverage: one_in(g, 6),
        sample_mask: if one_in(g, 3) { u16::arbitrary(g) } else { 0xffff },
        occlusion: any(g),
        expert: Expert { intrawave_collision: one_in(g, 6), no_null_export: one_in(g, 12), ..Expert::default() },
        topology: any(g),
        vertices: u32::arbitrary(g),
        instances: 1 + u32::arbitrary(g) % 1000,
        ..DrawDesc::default()
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

/// Registers that mean something only while a target, viewport, program or bias is bound; other registers say whether it is.
pub fn describes_a_bound_thing(chip: Chip, addr: u32) -> bool {
    let Some(register) = pm4::regs::lookup(chip.gfx(), addr) else { return false };
    let name = register.info().name;
    let color = name.starts_with("CB_COLOR0_") && name != "CB_COLOR0_INFO";
    let depth = [
        "DB_DEPTH_VIEW",
        "DB_DEPTH_SIZE",
        "DB_Z_READ",
        "DB_Z_WRITE",
        "DB_STENCIL_READ_B",
        "DB_STENCIL_WRITE_B",
        "DB_DEPTH_BOUNDS",
        "DB_Z_INFO2",
        "DB_STENCIL_INFO2",
        "CB_MRT0_EPITCH",
    ];
    let others = ["SPI_SHADER_PGM_LO_PS", "SPI_SHADER_PGM_HI_PS", "PA_SU_POLY_OFFSET", "PA_CL_VPORT", "PA_SC_VPORT"];
    color || depth.iter().chain(&others).any(|prefix| name.starts_with(prefix))
}
