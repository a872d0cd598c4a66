//! The required draw state chip by chip: statements about the hardware from the POPS article, Mesa 25.0.7, PAL and captures of RADV.

use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::draw::*;
use pm4::regs::{self, Register};
use support::draws::{AnyDraw, Case, belongs_to_a_path, describes_a_bound_thing};
use support::property;

const NAVI1X: [Chip; 4] = [Chip::Navi10, Chip::Navi12, Chip::Navi14, Chip::Gfx1013];

fn draw(interlock: Interlock, samples: u32) -> DrawDesc {
    let writes_memory = interlock.is_declared();
    DrawDesc::from(PipelineDesc { interlock, samples, shader: Some(PixelShader { writes_memory, ..PixelShader::default() }), ..PipelineDesc::default() })
}

fn depth(samples: u32) -> Option<DepthTarget> {
    Some(DepthTarget::new(DepthFormat::D32, samples))
}

/// Returns the value of a field by name, on any generation; None if the chip or the image lacks it.
fn field(resolved: &Resolved, register: &str, field: &str) -> Option<u32> {
    let found = regs::find(resolved.chip.gfx(), register)?;
    let value = resolved.image.get(found.addr())?;
    Some(found.info().field(field)?.get(value))
}

fn resolve(chip: Chip, desc: &DrawDesc) -> Resolved {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}"))
}

fn drain(chip: Chip, desc: &DrawDesc) -> Option<u32> {
    field(&resolve(chip, desc), "DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP")
}

fn control(chip: Chip, desc: &DrawDesc) -> u32 {
    let resolved = resolve(chip, desc);
    let addr = regs::find(chip.gfx(), "DB_SHADER_CONTROL").expect("all generations have it").addr();
    resolved.image.get(addr).expect("all draws have it")
}

#[test]
fn db_shader_control_has_the_documented_values_for_each_interlock_and_sample_count() {
    let pixel = |samples| draw(Interlock::PixelOrdered, samples);
    let sample = |samples| draw(Interlock::SampleOrdered, samples);
    for chip in [Chip::Vega10, Chip::Vega20, Chip::Navi10, Chip::Navi12, Chip::Navi14, Chip::Gfx1013] {
        assert!([1, 2, 4, 8].iter().all(|&n| control(chip, &pixel(n)) == 0x0001_8600), "{chip}");
        assert_eq!([1, 2, 4, 8].map(|n| control(chip, &sample(n))), [0x0001_8600, 0x0011_8600, 0x0021_8600, 0x0031_8600], "{chip}");
    }
    for chip in [Chip::Raven, Chip::Vega12, Chip::Renoir, Chip::Navi21, Chip::Vangogh] {
        assert_eq!([1, 2, 4, 8].map(|n| control(chip, &sample(n))), [0x0001_0600, 0x0011_0600, 0x0021_0600, 0x0031_0600], "{chip}");
    }
    for chip in [Chip::Navi31, Chip::Phoenix, Chip::Gfx1150, Chip::Gfx1201] {
        assert!([1, 2, 4, 8].iter().all(|&n| control(chip, &pixel(n)) == 0x0201_0600), "{chip}");
        assert_eq!([1, 2, 4, 8].map(|n| control(chip, &sample(n))), [0x0201_0600, 0x0601_0600, 0x0A01_0600, 0x0E01_0600], "{chip}");
    }
    let mut early = sample(8);
    early.pipeline.shader = early.pipeline.shader.map(|s| PixelShader { early_fragment_tests: true, ..s });
    assert_eq!(control(Chip::Navi31, &early), 0x0E01_1610);
}

#[test]
fn unordered_interlock_has_the_state_of_ordered() {
    for chip in Chip::all() {
        for samples in [1, 2, 4, 8] {
            assert_eq!(resolve(chip, &draw(Interlock::PixelOrdered, samples)), resolve(chip, &draw(Interlock::PixelUnordered, samples)));
            assert_eq!(resolve(chip, &draw(Interlock::SampleOrdered, samples)), resolve(chip, &draw(Interlock::SampleUnordered, samples)));
        }
    }
}

#[test]
fn drain_is_set_for_8_coverage_samples_on_vega10_and_raven_only() {
    for chip in Chip::all().filter(|c| c.gfx() <= Gfx::Gfx103) {
        for interlock in [Interlock::PixelOrdered, Interlock::SampleUnordered] {
            let hit = matches!(chip, Chip::Vega10 | Chip::Raven);
            assert_eq!(drain(chip, &draw(interlock, 8)), Some(u32::from(hit)), "{chip}");
            assert_eq!(drain(chip, &draw(interlock, 4)), Some(0), "{chip}");
        }
        assert_eq!(drain(chip, &draw(Interlock::None, 8)), Some(0), "{chip} without POPS");
    }
    for chip in Chip::all().filter(|c| c.gfx() >= Gfx::Gfx11) {
        assert_eq!(drain(chip, &draw(Interlock::PixelOrdered, 8)), None, "{chip} has no DB_DFSM_CONTROL");
    }
}

#[test]
fn drain_is_set_for_8x_depth_even_when_raster_is_1x() {
    let desc = DrawDesc { targets: TargetsDesc { depth: depth(8), ..draw(Interlock::PixelOrdered, 1).targets }, ..draw(Interlock::PixelOrdered, 1) };
    assert_eq!(drain(Chip::Vega10, &desc), Some(1));
    assert_eq!(drain(Chip::Raven, &desc), Some(1));
    assert_eq!(drain(Chip::Raven2, &desc), Some(0));
}

#[test]
fn drain_does_not_follow_an_interlock_whose_section_is_unused() {
    let mut desc = draw(Interlock::PixelOrdered, 8);
    desc.pipeline.shader = desc.pipeline.shader.map(|s| PixelShader { ordered_section_removed: true, ..s });
    let resolved = resolve(Chip::Vega10, &desc);
    assert_eq!(field(&resolved, "DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP"), Some(0));
    assert_eq!(field(&resolved, "DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER"), Some(0));
}

#[test]
fn drain_off_is_refused_where_the_erratum_needs_it() {
    let desc = DrawDesc { pipeline: PipelineDesc { drain: Drain::Off, ..draw(Interlock::SampleOrdered, 8).pipeline }, ..draw(Interlock::SampleOrdered, 8) };
    assert_eq!(desc.resolve(Chip::Vega10), Err(DrawError::DrainRequired { chip: Chip::Vega10, erratum: Erratum::PopsMissedOverlap }));
    assert!(desc.resolve(Chip::Vega12).is_ok());
    assert!(matches!(desc.resolve(Chip::Navi31), Err(DrawError::OptionAbsent { .. })));
}

#[test]
fn navi1x_launches_partial_squads_on_hang_only_while_a_pops_draw_drains() {
    let pslc = |chip, desc: &DrawDesc| field(&resolve(chip, desc), "DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL");
    for chip in Chip::all().filter(|c| c.gfx() <= Gfx::Gfx103) {
        for (interlock, setting) in [(Interlock::PixelOrdered, Drain::On), (Interlock::PixelOrdered, Drain::Auto), (Interlock::None, Drain::On)] {
            let desc = DrawDesc { pipeline: PipelineDesc { drain: setting, ..draw(interlock, 4).pipeline }, ..draw(interlock, 4) };
            let expected = NAVI1X.contains(&chip) && interlock.is_declared() && setting == Drain::On;
            assert_eq!(pslc(chip, &desc), Some(u32::from(expected)), "{chip} {interlock} {setting}");
        }
    }
}

#[test]
fn navi1x_needs_the_workaround_when_reset_left_the_drain_on() {
    let desc =
        DrawDesc { pipeline: PipelineDesc { drain: Drain::ResetDefault, ..draw(Interlock::PixelOrdered, 1).pipeline }, ..draw(Interlock::PixelOrdered, 1) };
    for chip in NAVI1X {
        let resolved = resolve(chip, &desc);
        assert_eq!(field(&resolved, "DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL"), Some(1));
        assert_eq!(field(&resolved, "DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP"), None, "the register is left alone");
        let reasons = desc.explain(chip).expect("reasons");
        let why = reasons.why("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL").expect("a reason");
        assert!(why.rule.contains("reset default"), "{}", why.rule);
    }
}

#[test]
fn z_info_equals_exposed_samples_without_a_depth_target_from_gfx11_on() {
    for chip in Chip::all() {
        for (log2, samples) in [1, 2, 4, 8].into_iter().enumerate() {
            for interlock in [Interlock::None, Interlock::PixelOrdered] {
                let without = resolve(chip, &draw(interlock, samples));
                let expected = if chip.gfx().major() >= 11 { log2 as u32 } else { 0 };
                assert_eq!(field(&without, "DB_Z_INFO", "NUM_SAMPLES"), Some(expected), "{chip} {samples}x");
                let with =
                    resolve(chip, &DrawDesc { targets: TargetsDesc { depth: depth(samples), ..draw(interlock, samples).targets }, ..draw(interlock, samples) });
                assert_eq!(field(&with, "DB_Z_INFO", "NUM_SAMPLES"), Some(log2 as u32), "{chip} {samples}x with depth");
            }
        }
    }
}

#[test]
fn blend_rate_acts_on_gfx11_0_at_one_sample_and_never_with_pops() {
    let blended = |interlock, samples| DrawDesc {
        pipeline: PipelineDesc { blends: vec![TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() }], ..draw(interlock, samples).pipeline },
        targets: TargetsDesc { color: vec![TargetImage::default()], ..draw(interlock, samples).targets },
        ..draw(interlock, samples)
    };
    for chip in Chip::all() {
        let rate = |desc: &DrawDesc| field(&resolve(chip, desc), "DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE").unwrap_or(0);
        assert_eq!(rate(&blended(Interlock::None, 1)), if chip.gfx() == Gfx::Gfx11 { 2 } else { 0 }, "{chip}");
        assert_eq!(rate(&blended(Interlock::None, 4)), 0, "{chip} 4x");
        assert_eq!(rate(&blended(Interlock::PixelOrdered, 1)), 0, "{chip} POPS");
        let masked = DrawDesc {
            pipeline: PipelineDesc { blends: vec![TargetBlend { blend: Some(Blend::SOURCE_OVER), write_mask: 0 }], ..draw(Interlock::None, 1).pipeline },
            targets: TargetsDesc { color: vec![TargetImage::default()], ..draw(Interlock::None, 1).targets },
            ..draw(Interlock::None, 1)
        };
        assert_eq!(rate(&masked), 0, "{chip}: a target that nothing is written to does not count");
    }
    assert_eq!(control(Chip::Navi33, &blended(Interlock::None, 1)), 0x0A00_0010);
    assert_eq!(control(Chip::Navi33, &blended(Interlock::PixelOrdered, 1)), 0x0201_0600);
}

#[test]
fn collision_wave_ids_are_loaded_by_both_registers_or_none() {
    for chip in Chip::all() {
        for interlock in [Interlock::None, Interlock::PixelOrdered, Interlock::SampleOrdered] {
            let resolved = resolve(chip, &draw(interlock, 2));
            let spi = field(&resolved, "SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID");
            let sc = field(&resolved, "PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID");
            let expected = u32::from(interlock.is_declared() && chip.gfx() <= Gfx::Gfx103);
            assert_eq!(spi, Some(expected), "{chip} {interlock}");
            assert_eq!(sc.unwrap_or(0), expected, "{chip} {interlock}");
        }
    }
    let intrawave = DrawDesc {
        pipeline: PipelineDesc { expert: ExpertOptions { intrawave_collision: true, ..ExpertOptions::default() }, ..draw(Interlock::PixelOrdered, 1).pipeline },
        ..draw(Interlock::PixelOrdered, 1)
    };
    let resolved = resolve(Chip::Navi21, &intrawave);
    assert_eq!(field(&resolved, "SPI_SHADER_PGM_RSRC2_PS", "LOAD_INTRAWAVE_COLLISION"), Some(1));
    assert_eq!(field(&resolved, "PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION"), Some(1));
}

#[test]
fn an_ordered_section_always_has_export_space() {
    property::<fn(Case) -> bool>("export space", 2000, |case| {
        let resolved = case.resolve();
        let space = [("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT"), ("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT")];
        !case.desc.uses_pops() || space.iter().any(|(r, f)| field(&resolved, r, f) != Some(0))
    });
}

#[test]
fn a_null_export_reaches_no_target() {
    for chip in Chip::all() {
        let resolved = resolve(
            chip,
            &DrawDesc { targets: TargetsDesc { color: Vec::new(), ..draw(Interlock::PixelOrdered, 1).targets }, ..draw(Interlock::PixelOrdered, 1) },
        );
        assert_eq!(field(&resolved, "SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT"), Some(1), "{chip}: 32_R");
        assert_eq!(field(&resolved, "CB_SHADER_MASK", "OUTPUT0_ENABLE"), Some(0), "{chip}");
    }
    let away = DrawDesc {
        pipeline: PipelineDesc { expert: ExpertOptions { no_null_export: true, ..ExpertOptions::default() }, ..draw(Interlock::PixelOrdered, 1).pipeline },
        targets: TargetsDesc { color: Vec::new(), ..draw(Interlock::PixelOrdered, 1).targets },
        ..draw(Interlock::PixelOrdered, 1)
    };
    assert!(Chip::all().all(|chip| matches!(away.resolve(chip), Err(DrawError::NoExportSpace { .. }))));
}

#[test]
fn gfx10_3_forces_1x1_shading_for_any_declared_interlock() {
    for unused in [false, true] {
        let mut desc =
            DrawDesc { pipeline: PipelineDesc { rate: ShadingRate::R2x2, ..draw(Interlock::PixelOrdered, 4).pipeline }, ..draw(Interlock::PixelOrdered, 4) };
        desc.pipeline.shader = desc.pipeline.shader.map(|s| PixelShader { ordered_section_removed: unused, ..s });
        let navi21 = resolve(Chip::Navi21, &desc);
        assert_eq!(field(&navi21, "PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE"), Some(1));
        assert_eq!(field(&navi21, "DB_EQAA", "PS_ITER_SAMPLES"), Some(0));
        assert_eq!(field(&navi21, "PA_CL_VRS_CNTL", "SAMPLE_ITER_COMBINER_MODE"), Some(1));
        assert_eq!((field(&navi21, "GE_VRS_RATE", "RATE_X"), field(&navi21, "GE_VRS_RATE", "RATE_Y")), (Some(0), Some(0)));
        let navi31 = resolve(Chip::Navi31, &desc);
        assert_eq!(field(&navi31, "PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE"), Some(0));
        assert_eq!((field(&navi31, "GE_VRS_RATE", "RATE_X"), field(&navi31, "GE_VRS_RATE", "RATE_Y")), (Some(1), Some(1)));
    }
}

/// All properties: of chips without variable-rate shading, of GFX10.3, GFX11 and GFX12.
#[test]
fn vrs_properties_have_the_expected_values_on_each_generation() {
    for chip in Chip::all() {
        let version = chip.gfx().version();
        let (rates, gfx11) = (version >= (10, 3), version >= (11, 0));
        let expected = VrsProperties {
            pipeline_fragment_shading_rate: rates,
            attachment_fragment_shading_rate: rates,
            max_fragment_size: if rates { (2, 2) } else { (1, 1) },
            max_fragment_shading_rate_coverage_samples: if version >= (12, 0) {
                16
            } else if rates {
                32
            } else {
                0
            },
            max_fragment_shading_rate_rasterization_samples: if rates { 4 } else { 0 },
            fragment_shading_rate_with_shader_depth_stencil_writes: rates && !chip.has(pm4::chip::Erratum::VrsDepthExport),
            fragment_shading_rate_with_fragment_shader_interlock: gfx11,
            ..vrs_properties(chip)
        };
        assert_eq!(vrs_properties(chip), expected, "{chip}");
    }
}

#[test]
fn vrs_properties_follow_the_generation() {
    for chip in Chip::all() {
        let p = vrs_properties(chip);
        assert_eq!(p.pipeline_fragment_shading_rate, chip.gfx() >= Gfx::Gfx103, "{chip}");
        assert_eq!(p.fragment_shading_rate_with_fragment_shader_interlock, chip.gfx() >= Gfx::Gfx11, "{chip}");
        assert!(!p.fragment_shader_shading_rate_interlock, "{chip}: POPS works on fine pixels");
        assert!(p.fragment_shader_pixel_interlock && p.fragment_shader_sample_interlock, "{chip}");
    }
    assert_eq!(vrs_properties(Chip::Gfx1201).max_fragment_shading_rate_rasterization_samples, 4);
    assert!(!vrs_properties(Chip::Navi22).fragment_shading_rate_with_shader_depth_stencil_writes);
}

#[test]
fn order_is_relaxed_only_when_asked_and_only_where_the_chip_can() {
    for chip in Chip::all() {
        let bit = |order, interlock| {
            field(
                &resolve(chip, &DrawDesc { pipeline: PipelineDesc { order, ..draw(interlock, 1).pipeline }, ..draw(interlock, 1) }),
                "PA_SC_MODE_CNTL_1",
                "OUT_OF_ORDER_PRIMITIVE_ENABLE",
            )
        };
        assert_eq!(bit(RasterizationOrder::Strict, Interlock::PixelOrdered), Some(0), "{chip}");
        let can = matches!(chip, Chip::Vega10 | Chip::Vega12 | Chip::Vega20);
        assert_eq!(bit(RasterizationOrder::Relaxed, Interlock::None), Some(u32::from(can)), "{chip}");
        assert_eq!(bit(RasterizationOrder::Relaxed, Interlock::SampleOrdered), Some(u32::from(can)), "{chip}: relaxed order is honoured under interlock");
    }
}

#[test]
fn what_a_chip_lacks_is_refused_by_name() {
    let plain = draw(Interlock::PixelOrdered, 1);
    let with = |change: &dyn Fn(&mut DrawDesc)| {
        let mut desc = plain.clone();
        change(&mut desc);
        desc
    };
    let absent = |chip: Chip, desc: DrawDesc| matches!(desc.resolve(chip), Err(DrawError::OptionAbsent { chip: named, .. }) if named == chip);
    for chip in Chip::all() {
        let gfx = chip.gfx();
        assert_eq!(absent(chip, with(&|d| d.pipeline.expert.exec_if_overlapped = true)), gfx >= Gfx::Gfx11, "{chip}");
        assert_eq!(absent(chip, with(&|d| d.pipeline.expert.bin_mapping_pops = true)), matches!(gfx, Gfx::Gfx9 | Gfx::Gfx12), "{chip}");
        assert_eq!(absent(chip, with(&|d| d.pipeline.expert.intrawave_collision = true)), gfx >= Gfx::Gfx11, "{chip}");
        assert_eq!(absent(chip, with(&|d| d.pipeline.rate = ShadingRate::R1x2)), gfx <= Gfx::Gfx10, "{chip}");
        assert_eq!(absent(chip, with(&|d| d.pipeline.drain = Drain::On)), gfx >= Gfx::Gfx11, "{chip}");
        let post_depth = with(&|d| d.pipeline.shader = Some(PixelShader { post_depth_coverage: true, ..PixelShader::default() }));
        assert_eq!(absent(chip, post_depth), gfx == Gfx::Gfx9, "{chip}");
        assert!(matches!(with(&|d| d.pipeline.samples = 16).resolve(chip), Err(DrawError::Samples { samples: 16, .. })), "{chip}");
        assert!(with(&|d| (d.targets.depth, d.pipeline.interlock) = (depth(4), Interlock::None)).resolve(chip).is_ok(), "{chip}");
        let ordered = with(&|d| d.targets.depth = depth(4)).resolve(chip);
        assert_eq!(matches!(ordered, Err(DrawError::DepthSamples { depth: 4, coverage: 1, .. })), gfx >= Gfx::Gfx11, "{chip}");
    }
}

#[test]
fn any_description_resolves_or_is_refused_with_a_sentence() {
    property::<fn(AnyDraw) -> bool>("no panic", 5000, |any| match any.desc.resolve(any.chip) {
        Ok(_) => true,
        Err(error) => error.to_string().len() > 10,
    });
}

#[test]
fn every_draw_of_a_chip_decides_the_same_registers_but_for_what_describes_bound_things() {
    property::<fn(Case, Case) -> bool>("same registers", 500, |case, other| {
        let addresses = |desc: &DrawDesc| -> Option<Vec<u32>> {
            let image = desc.resolve(case.chip).ok()?.image;
            Some(image.registers().map(|r| r.addr).filter(|&addr| !describes_a_bound_thing(case.chip, addr) && !belongs_to_a_path(case.chip, addr)).collect())
        };
        let (a, b) = (addresses(&case.desc), addresses(&other.desc));
        b.is_none() || a == b
    });
}

#[test]
fn every_register_of_an_image_exists_and_every_reason_has_its_value() {
    property::<fn(Case) -> bool>("reasons", 2000, |case| {
        let gfx = case.chip.gfx();
        let resolved = case.resolve();
        let exist = resolved.image.registers().all(|r| regs::lookup(gfx, r.addr).is_some_and(|found| r.value & !found.info().known_bits() == 0));
        let reasons = case.desc.explain(case.chip).expect("what resolves is explained");
        let told = reasons.iter().all(|reason| {
            let found = regs::lookup(gfx, reason.addr).expect("a register");
            let value = resolved.image.get(reason.addr).expect("a value");
            found.info().field(reason.field).is_some_and(|f| f.get(value) == reason.value) && reason.rule.len() > 4
        });
        // Nothing is set without a reason.
        let explained = resolved.image.registers().all(|r| {
            let fields = reasons
                .iter()
                .filter(|reason| reason.addr == r.addr)
                .filter_map(|reason| regs::lookup(gfx, r.addr).and_then(|found| found.info().field(reason.field)).map(|f| f.mask()));
            r.value & !fields.fold(0, |a, b| a | b) == 0
        });
        exist && told && explained
    });
}

#[test]
fn explanations_say_why_drain_and_launch_control_are_set() {
    let vega10 = draw(Interlock::SampleOrdered, 8).explain(Chip::Vega10).expect("reasons");
    let why = &vega10.why("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP").expect("a reason").rule;
    assert!(why.contains("8 coverage samples") && why.contains("vega10"), "{why}");
    let navi10 = DrawDesc { pipeline: PipelineDesc { drain: Drain::On, ..draw(Interlock::PixelOrdered, 1).pipeline }, ..draw(Interlock::PixelOrdered, 1) }
        .explain(Chip::Navi10)
        .expect("reasons");
    let why = &navi10.why("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL").expect("a reason").rule;
    assert!(why.contains("drain is on") && why.contains("hang"), "{why}");
}

#[test]
fn pipelines_that_differ_are_different_keys() {
    for chip in [Chip::Vega10, Chip::Navi31] {
        let of = |bytes| {
            let program = Program { address: Some(bytes), ..Program::default() };
            let pipeline =
                Pipeline::new(chip, PipelineDesc { vertex: VertexStage { program: program.clone(), ..VertexStage::default() }, ..PipelineDesc::default() });
            (pipeline.expect("a pipeline"), ComputePipeline::new(chip, DispatchDesc { program, ..DispatchDesc::default() }).expect("a pipeline"))
        };
        let hash = |value: &dyn Fn(&mut std::hash::DefaultHasher)| {
            let mut hasher = std::hash::DefaultHasher::new();
            value(&mut hasher);
            std::hash::Hasher::finish(&hasher)
        };
        use std::hash::Hash;
        let ((first, compute), (same, compute_same), (other, compute_other)) = (of(0x10_0000), of(0x10_0000), of(0x20_0000));
        assert!(first == same && first != other && compute == compute_same && compute != compute_other);
        assert_eq!(hash(&|h| first.hash(h)), hash(&|h| same.hash(h)));
        assert_eq!(hash(&|h| compute.hash(h)), hash(&|h| compute_same.hash(h)));
        assert_ne!(hash(&|h| first.hash(h)), hash(&|h| other.hash(h)));
        assert_ne!(hash(&|h| compute.hash(h)), hash(&|h| compute_other.hash(h)));
        let image = |pipeline: &Pipeline| DrawDesc::from(pipeline.desc().clone()).resolve(chip).expect("a draw").image;
        let (image, image_same, image_other) = (image(&first), image(&same), image(&other));
        assert!(image == image_same && image != image_other);
        assert_eq!(hash(&|h| image.hash(h)), hash(&|h| image_same.hash(h)));
        assert_ne!(hash(&|h| image.hash(h)), hash(&|h| image_other.hash(h)));
    }
}

#[test]
fn reasons_are_found_by_the_name_of_an_arrays_element_and_by_no_other() {
    let one_of_each =
        vec![(TargetImage::default(), TargetBlend::default()), (TargetImage { format: ColorFormat::R32f, ..TargetImage::default() }, TargetBlend::default())];
    for chip in Chip::all() {
        let reasons = DrawDesc::default().with_colors(one_of_each.clone()).explain(chip).expect("reasons");
        let value = |register, field| reasons.why(register, field).map(|reason| (reason.register.to_string(), reason.value));
        assert_eq!(value("CB_COLOR0_INFO", "FORMAT"), Some(("CB_COLOR0_INFO".into(), 10)), "{chip}");
        assert_eq!(value("CB_COLOR1_INFO", "FORMAT"), Some(("CB_COLOR1_INFO".into(), 4)), "{chip}");
        assert_eq!(value("CB_COLOR2_INFO", "FORMAT"), Some(("CB_COLOR2_INFO".into(), 0)), "{chip}");
        assert_eq!(value("CB_COLOR8_INFO", "FORMAT"), None, "{chip}");
        assert_eq!(value("CB_COLOR1_INFO", "NOTHING"), None, "{chip}");
    }
}

#[test]
fn the_guard_band_reaches_as_far_as_coordinates_do_and_never_within_the_viewport() {
    let words = |viewport: Viewport, topology: Option<f32>| {
        let mut desc = DrawDesc {
            targets: TargetsDesc { extent: (64, 64), ..TargetsDesc::default() },
            state: DynamicState { viewports: vec![viewport], ..DynamicState::default() },
            ..DrawDesc::default()
        };
        if let Some(width) = topology {
            (desc.pipeline.topology, desc.pipeline.raster.line_width) = (Topology::LineList, width);
        }
        ["VERT_CLIP", "VERT_DISC", "HORZ_CLIP", "HORZ_DISC"].map(|name| {
            let register = regs::find(Gfx::Gfx11, &format!("PA_CL_GB_{name}_ADJ")).expect("a register");
            f32::from_bits(resolve(Chip::Navi31, &desc).image.get(register.addr()).expect("a value"))
        })
    };
    let viewport = |width, height| Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 };
    // Half the size is both scale and offset: (32767 - 32) / 32, (32767 - 16) / 16.
    assert_eq!(words(viewport(64.0, 32.0), None), [32751.0 / 16.0, 1.0, 32735.0 / 32.0, 1.0]);
    // A scale below half a pixel counts as half a pixel.
    assert_eq!(words(viewport(0.5, 64.0), None)[2], (32767.0 - 0.25) / 0.5);
    // A viewport beyond the coordinate range: nothing within it is clipped.
    let far = Viewport { x: 30000.0, y: 0.0, width: 16000.0, height: 64.0, min_depth: 0.0, max_depth: 1.0 };
    assert_eq!(words(far, None)[2], 1.0);
    // Lines extend by half their width, and never beyond the clip distance.
    assert_eq!(words(viewport(64.0, 32.0), Some(4.0)), [32751.0 / 16.0, 1.0 + 4.0 / 32.0, 32735.0 / 32.0, 1.0 + 4.0 / 64.0]);
    assert_eq!(words(far, Some(8000.0))[3], 1.0);
}

#[test]
fn point_coordinates_reach_only_the_first_20_interpolants() {
    let at = |index: usize| {
        let mut interpolants = vec![Interpolant::parameter(0); 32];
        interpolants[index].point_coordinate = true;
        let shader = Some(PixelShader { inputs: PixelInputs { interpolants, ..PixelInputs::default() }, ..PixelShader::default() });
        DrawDesc::from(PipelineDesc { shader, vertex: VertexStage { parameters: 1, ..VertexStage::default() }, ..PipelineDesc::default() })
    };
    for chip in Chip::all() {
        let sprite = |resolved: &Resolved, name| field(resolved, name, "PT_SPRITE_TEX");
        assert_eq!(sprite(&resolve(chip, &at(19)), "SPI_PS_INPUT_CNTL_19"), Some(1), "{chip}");
        assert_eq!(sprite(&resolve(chip, &at(19)), "SPI_PS_INPUT_CNTL_18"), Some(0), "{chip}");
        let refused = at(20).resolve(chip).expect_err("SPI_PS_INPUT_CNTL_20 has no such field");
        assert_eq!(refused.to_string(), "the interpolant that is the point coordinate: 20 is not allowed; allowed: one of the first 20", "{chip}");
    }
}

#[test]
fn equal_descriptions_are_those_of_equal_bits() {
    use std::collections::HashSet;
    let of = |line_width: f32, bounds| {
        let depth_test = DepthTest { bounds: Some((0.0, bounds)), ..DepthTest::default() };
        DrawDesc::from(PipelineDesc { raster: Raster { line_width, ..Raster::default() }, depth_test, ..PipelineDesc::default() })
    };
    let set: HashSet<DrawDesc> = [of(1.0, 0.0), of(1.0, -0.0), of(f32::NAN, 0.0), of(f32::NAN, 0.0), of(1.0, 0.0)].into();
    assert_eq!(set.len(), 3, "0 and -0 differ, NaN equals itself");
}

#[test]
fn typed_registers_read_what_the_builder_decided() {
    use pm4::regs::gfx11;
    let resolved = resolve(Chip::Navi31, &draw(Interlock::SampleOrdered, 4));
    let control: gfx11::DbShaderControl = resolved.image.typed(Gfx::Gfx11).expect("the image has it");
    assert!(control.override_intrinsic_rate_enable());
    assert_eq!(control.override_intrinsic_rate(), 2);
    assert_eq!(gfx11::DbShaderControl::NAME, "DB_SHADER_CONTROL");
}

#[test]
fn numbers_that_are_none_or_infinite_are_refused_and_told() {
    type Put = fn(&mut DrawDesc, f32);
    let places: [(&str, Put); 15] = [
        ("the width of lines", |d, n| d.pipeline.raster.line_width = n),
        ("the constant depth bias", |d, n| d.pipeline.raster.depth_bias = Some(DepthBias { constant: n, slope: 0.0, clamp: 0.0 })),
        ("the slope of depth bias", |d, n| d.pipeline.raster.depth_bias = Some(DepthBias { constant: 0.0, slope: n, clamp: 0.0 })),
        ("the clamp of depth bias", |d, n| d.pipeline.raster.depth_bias = Some(DepthBias { constant: 0.0, slope: 0.0, clamp: n })),
        ("the lower depth bound", |d, n| d.pipeline.depth_test.bounds = Some((n, 1.0))),
        ("the upper depth bound", |d, n| d.pipeline.depth_test.bounds = Some((0.0, n))),
        ("a blend constant", |d, n| d.state.blend_constants[0] = n),
        ("a blend constant", |d, n| d.state.blend_constants[3] = n),
        ("the left edge of a viewport", |d, n| d.state.viewports = vec![Viewport { x: n, ..Viewport::covering((64, 64)) }]),
        ("the top edge of a viewport", |d, n| d.state.viewports = vec![Viewport { y: n, ..Viewport::covering((64, 64)) }]),
        ("the width of a viewport", |d, n| d.state.viewports = vec![Viewport { width: n, ..Viewport::covering((64, 64)) }]),
        ("the height of a viewport", |d, n| d.state.viewports = vec![Viewport { height: n, ..Viewport::covering((64, 64)) }]),
        ("the minimum depth of a viewport", |d, n| d.state.viewports = vec![Viewport { min_depth: n, ..Viewport::covering((64, 64)) }]),
        ("the maximum depth of a viewport", |d, n| d.state.viewports = vec![Viewport { max_depth: n, ..Viewport::covering((64, 64)) }]),
        ("the height of a viewport", |d, n| d.state.viewports = vec![Viewport::covering((1, 1)), Viewport { height: n, ..Viewport::covering((64, 64)) }]),
    ];
    for chip in Chip::all() {
        for (what, put) in places {
            for (number, text) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
                let mut desc = DrawDesc::default();
                put(&mut desc, number);
                let error = desc.resolve(chip).map(|_| ()).expect_err(what).to_string();
                assert!(error.starts_with(&format!("{what}: {text} is not allowed")), "{chip}: {error}");
            }
        }
    }
    let wide = DrawDesc {
        state: DynamicState {
            viewports: vec![Viewport::covering((64, 64)), Viewport { x: -40000.5, ..Viewport::covering((64, 64)) }],
            ..DynamicState::default()
        },
        ..DrawDesc::default()
    };
    let error = wide.resolve(Chip::Navi31).map(|_| ()).expect_err("too far").to_string();
    assert_eq!(error, "the left edge of a viewport: -40000.5 is not allowed; allowed: a finite number from -32768 to 32768");
}

#[test]
fn boards_of_any_numbers_are_refused_or_resolved() {
    let numbers = [0, 1, 2, 31, 32, 33, 0x1999_999A, u32::MAX / 4, u32::MAX];
    for chip in Chip::all() {
        for place in 0..numbers.len().pow(3) {
            let [shader_engines, arrays_per_engine, cus_per_array] = [1, 9, 81].map(|step| numbers[place / step % 9]);
            let board = Board { shader_engines, arrays_per_engine, cus_per_array };
            let fine = [shader_engines, arrays_per_engine, cus_per_array].iter().all(|n| (1..=32).contains(n));
            let vertex = VertexStage { culling: chip.gfx().major() >= 10, ..VertexStage::default() };
            let draw = DrawDesc::from(PipelineDesc { board: Some(board), vertex, ..PipelineDesc::default() }).resolve(chip).map(|_| ());
            let dispatch = DispatchDesc { board: Some(board), ..DispatchDesc::default() }.resolve(chip).map(|_| ());
            for result in [draw, dispatch] {
                assert_eq!(result.is_ok(), fine, "{chip}: {board:?}: {result:?}");
                assert!(result.is_ok() || matches!(result, Err(DrawError::Limit { .. })), "{chip}: {board:?}: {result:?}");
            }
            wave_limit(chip, Stage::Compute, board, u32::MAX);
            wave_limit(chip, Stage::Pixel, board, u32::MAX);
        }
    }
}

/// Returns the export format for a target, and the channels in its mask.
fn export(chip: Chip, target: (TargetImage, TargetBlend), alpha_to_coverage: bool) -> (u32, u32) {
    let desc =
        DrawDesc { pipeline: PipelineDesc { alpha_to_coverage, samples: 4, ..PipelineDesc::default() }, ..DrawDesc::default() }.with_colors(vec![target]);
    let image = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
    let field = |name: &str, field: &str| {
        let info = pm4::regs::find(chip.gfx(), name).expect("a register");
        info.info().field(field).expect("a field").get(image.get(info.addr()).expect("a value"))
    };
    (field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT"), field("CB_SHADER_MASK", "OUTPUT0_ENABLE"))
}

/// Blending and coverage read the exported alpha, even if the target stores none (Mesa 25.0.7 radv_choose_spi_color_format).
#[test]
fn exports_keep_the_alpha_that_blending_or_coverage_reads() {
    let target = |format, blend| (TargetImage { format, ..TargetImage::default() }, TargetBlend { blend, ..TargetBlend::default() });
    let over = Some(Blend::SOURCE_OVER);
    let one = Some(Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::One), ..Blend::SOURCE_OVER });
    for chip in Chip::all() {
        assert_eq!(export(chip, target(ColorFormat::R32f, None), false), (1, 0x1), "32_R on {chip}");
        assert_eq!(export(chip, target(ColorFormat::R32f, one), false), (1, 0x1), "32_R on {chip}");
        assert_eq!(export(chip, target(ColorFormat::R32f, over), false), (3, 0x9), "32_AR on {chip}");
        assert_eq!(export(chip, target(ColorFormat::R32f, None), true), (3, 0x9), "32_AR on {chip}");
        assert_eq!(export(chip, target(ColorFormat::Rg32f, over), false), (9, 0xF), "32_ABGR on {chip}");
        assert_eq!(export(chip, target(ColorFormat::Rgba8, over), false), (4, 0xF), "FP16_ABGR on {chip}");
        // Blending in 16 bits would lose precision of normalized numbers.
        assert_eq!(export(chip, target(ColorFormat::Rgba16, None), false).0, 5, "UNORM16_ABGR on {chip}");
        assert_eq!(export(chip, target(ColorFormat::Rgba16, one), false).0, 9, "32_ABGR on {chip}");
        let narrow = if chip.info().rb_plus { 4 } else { 1 };
        assert_eq!(export(chip, target(ColorFormat::R8, None), false).0, narrow, "FP16_ABGR with RB+, else 32_R, on {chip}");
    }
}

/// Each colour format resolves where it exists, and agrees with the texture format.
#[test]
fn every_color_format_is_a_format_of_textures() {
    use strum::IntoEnumIterator;
    for format in ColorFormat::iter() {
        assert_eq!(format.bytes(), format.texel_format().bytes(), "{format}");
        for chip in Chip::all() {
            let desc = DrawDesc {
                targets: TargetsDesc { color: vec![TargetImage { format, ..TargetImage::default() }], ..TargetsDesc::default() },
                ..DrawDesc::default()
            };
            assert_eq!(desc.resolve(chip).is_ok(), format.is_for_targets(chip.gfx()), "{format} on {chip}");
            assert!(format.texel_format().is_for_images(chip), "{format} on {chip}");
        }
        assert_eq!(format.to_string().parse(), Ok(format));
    }
}
