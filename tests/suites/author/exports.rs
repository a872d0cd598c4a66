//! Exports of pixel shaders and formats of targets: formats derived from the targets, formats stated by a compiler, and the words of both.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::regs;
use std::collections::BTreeMap;
use strum::IntoEnumIterator;
use support::captured::{captured, each_captured};
use support::draws::Case;
use support::property;

const EXPORTS: [&str; 3] = ["SPI_SHADER_COL_FORMAT", "SPI_SHADER_Z_FORMAT", "CB_SHADER_MASK"];

fn register(image: &RegisterImage, name: &str) -> u32 {
    let place = regs::find(image.gfx(), name).unwrap_or_else(|| panic!("no {name}"));
    image.get(place.addr()).unwrap_or_else(|| panic!("no value of {name}"))
}

fn stated(image: &RegisterImage) -> PixelExports {
    let [col_format, z_format, shader_mask] = EXPORTS.map(|name| register(image, name));
    PixelExports::from_words(&ExportWords { col_format, z_format, shader_mask: Some(shader_mask) }).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns a draw of one shader with these exports to one target.
fn draw(exports: &[ExportFormat], target: (TargetImage, TargetBlend)) -> DrawDesc {
    let shader = PixelShader { exports: Some(PixelExports::colors(exports)), ..PixelShader::default() };
    DrawDesc { pipeline: PipelineDesc { shader: Some(shader), ..PipelineDesc::default() }, ..DrawDesc::default() }.with_colors(vec![target])
}

fn target(format: ColorFormat, blend: Option<Blend>) -> (TargetImage, TargetBlend) {
    (TargetImage { format, ..TargetImage::default() }, TargetBlend { blend, ..TargetBlend::default() })
}

/// A shader that states the formats derived from the targets draws the same: they contain everything that the targets accept, and are decoded from their words.
fn stated_exports_draw_the_same(Case { chip, desc }: Case) -> bool {
    let image = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}")).image;
    let Some(shader) = desc.pipeline.shader.clone() else { return true };
    let shader = Some(PixelShader { exports: Some(stated(&image)), ..shader });
    let again = DrawDesc { pipeline: PipelineDesc { shader, ..desc.pipeline }, ..desc };
    again.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {again:?}: {e}")).image == image
}

#[test]
fn formats_that_follow_from_targets_hold_what_targets_take() {
    property("draws", 3000, stated_exports_draw_the_same as fn(Case) -> bool);
}

/// The words of recorded pixel programs decode to exports that resolve to the same words.
#[test]
fn exports_of_recorded_draws_come_back_from_their_words() {
    let mut compared = BTreeMap::<Gfx, usize>::new();
    each_captured(&captured(), |recorded| {
        let words = EXPORTS.map(|name| recorded.get(name));
        let (true, [Some(col_format), Some(z_format), Some(shader_mask)]) = (recorded.packet.starts_with("DRAW_"), words) else { return };
        if (col_format, z_format) == (0, 0) {
            return; // a draw without a pixel shader: programs that export nothing have a null export on GFX9
        }
        let words = ExportWords { col_format, z_format, shader_mask: Some(shader_mask) };
        let exports = PixelExports::from_words(&words).unwrap_or_else(|e| panic!("{} {}: {words:x?}: {e}", recorded.chip, recorded.case));
        let shader = Some(PixelShader { exports: Some(exports), ..PixelShader::default() });
        let image = DrawDesc {
            pipeline: PipelineDesc { shader, ..PipelineDesc::default() },
            targets: TargetsDesc { color: Vec::new(), ..TargetsDesc::default() },
            ..DrawDesc::default()
        }
        .resolve(recorded.chip)
        .expect("a draw")
        .image;
        for (name, recorded_word) in EXPORTS.into_iter().zip([col_format, z_format, shader_mask]) {
            assert_eq!(register(&image, name), recorded_word, "{} {}: {name}", recorded.chip, recorded.case);
        }
        *compared.entry(recorded.chip.gfx()).or_default() += 1;
    });
    assert!(compared.len() == 4 && compared.values().all(|n| *n >= 5), "too few draws: {compared:?}");
}

/// Returns the error of a draw, which is the same on every chip.
fn refused(desc: &DrawDesc) -> String {
    let errors: Vec<String> = Chip::all().map(|chip| desc.resolve(chip).expect_err("an error").to_string()).collect();
    assert!(errors.windows(2).all(|pair| pair[0] == pair[1]), "{errors:?}");
    errors.into_iter().next().expect("a chip")
}

#[test]
fn an_export_that_loses_what_its_target_takes_is_refused_by_its_place() {
    use ColorFormat as F;
    use ExportFormat as E;
    let over = Some(Blend::SOURCE_OVER);
    let cases = [
        (E::R32, target(F::Rgba8, None), "all channels that are written"),
        (E::Gr32, target(F::R11g11b10f, None), "all channels that are written"),
        (E::R32, target(F::R64ui, None), "all channels that are written"),
        (E::R32, target(F::R32f, over), "the alpha that blending reads"),
        (E::Gr32, target(F::Rg32f, over), "the alpha that blending reads"),
        (E::Unorm16, target(F::Rgba16, over), "colours that can blend (16-bit normalized exports cannot): use another export format"),
        (E::Fp16, target(F::Rgba8ui, None), "integers"),
        (E::Uint16, target(F::Rgba8, None), "numbers that are not integers"),
        (E::Uint16, target(F::Rgba16i, None), "the range of the target"),
        (E::Unorm16, target(F::Rgba16f, None), "the range of the target"),
        (E::Unorm16, target(F::R16Snorm, None), "the range of the target"),
    ];
    for (export, color, lost) in cases {
        let text = refused(&draw(&[export], color));
        assert_eq!(text, format!("colour target 0 ({}): the shader exports {export}, which does not carry {lost}", color.0.format));
    }
    // The second of two targets.
    let two = DrawDesc { ..draw(&[E::Fp16, E::Fp16], target(F::Rgba8, None)) }.with_colors(vec![target(F::Rgba8, None), target(F::R32ui, None)]);
    assert!(refused(&two).starts_with("colour target 1 (r32ui)"));
}

/// Conversions done by hardware and unused exports are accepted: unusual float formats, channels that are not written, targets that the shader does not write.
#[test]
fn exports_that_hold_more_than_targets_take_are_accepted() {
    use ColorFormat as F;
    use ExportFormat as E;
    let one = Some(Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::One), ..Blend::SOURCE_OVER });
    let red = (target(F::Rgba8, None).0, TargetBlend { write_mask: 1, ..target(F::Rgba8, None).1 });
    let cases = [
        (E::Abgr32, target(F::Rgba8, None)),
        (E::Abgr32, target(F::Rgba8ui, None)),
        (E::Unorm16, target(F::Rgba8, None)),
        (E::Fp16, target(F::R8, None)),
        (E::Fp16, target(F::Rgba32f, None)),
        (E::Fp16, target(F::Rgba16, None)),
        (E::Snorm16, target(F::Rgba16, None)),
        (E::Uint16, target(F::Rgba32ui, None)),
        (E::R32, target(F::R32f, one)),
        (E::Ar32, target(F::R32f, Some(Blend::SOURCE_OVER))),
        (E::R32, red),
        (E::Zero, target(F::Rgba8, None)),
    ];
    for chip in Chip::all() {
        for (export, color) in cases {
            let image = draw(&[export], color).resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
            assert_eq!(stated(&image).color[0], export, "{chip}: {}", color.0.format);
            assert_eq!(register(&image, "CB_TARGET_MASK"), u32::from(color.1.write_mask), "{chip}: {}", color.0.format);
        }
    }
}

/// Both colours of a dual-source blend are exported in one format (PAL gfx9GraphicsPipeline.cpp; whether formats may differ is unverified).
#[test]
fn both_colours_of_a_blend_are_exported_in_one_format() {
    let dual = Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::Src1Color), ..Blend::SOURCE_OVER };
    let color = target(ColorFormat::Rgba8, Some(dual));
    for second in [ExportFormat::Zero, ExportFormat::Abgr32] {
        let text = refused(&draw(&[ExportFormat::Fp16, second], color));
        assert!(text.contains(&format!("exports {second}, which does not carry the second colour")), "{text}");
    }
    for chip in Chip::all() {
        let image = draw(&[ExportFormat::Fp16; 2], color).resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
        assert_eq!(EXPORTS.map(|name| register(&image, name)), [0x44, 0, 0xFF], "{chip}");
    }
}

#[test]
fn depth_exports_hold_what_the_shader_writes() {
    let draw = |depth, change: fn(&mut PixelShader)| {
        let mut shader = PixelShader { exports: Some(PixelExports { depth, ..PixelExports::default() }), ..PixelShader::default() };
        change(&mut shader);
        DrawDesc {
            pipeline: PipelineDesc { shader: Some(shader), ..PipelineDesc::default() },
            targets: TargetsDesc { color: Vec::new(), ..TargetsDesc::default() },
            ..DrawDesc::default()
        }
    };
    let cases: [(fn(&mut PixelShader), _, _); 4] = [
        (|shader| shader.writes_depth = true, ExportFormat::Zero, "depth"),
        (|shader| shader.writes_stencil = true, ExportFormat::R32, "the stencil reference"),
        (|shader| shader.writes_sample_mask = true, ExportFormat::Gr32, "the sample mask"),
        (|shader| shader.writes_depth = true, ExportFormat::Uint16, "the 32 bits of depth"),
    ];
    for (change, export, lost) in cases {
        assert_eq!(refused(&draw(export, change)), format!("the shader exports depth, stencil and sample mask as {export}, which does not carry {lost}"));
        for chip in Chip::all() {
            let image = draw(ExportFormat::Abgr32, change).resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
            assert_eq!(register(&image, "SPI_SHADER_Z_FORMAT"), 9, "{chip}");
        }
    }
}

/// Alpha to coverage uses the alpha of target 0, from GFX11 on that of the depth export if there is one.
#[test]
fn coverage_needs_an_alpha_that_is_exported() {
    let draw = |color, depth| {
        let exports = Some(PixelExports { depth, ..PixelExports::colors(&[color]) });
        let shader = Some(PixelShader { exports, ..PixelShader::default() });
        DrawDesc { pipeline: PipelineDesc { shader, alpha_to_coverage: true, samples: 4, ..PipelineDesc::default() }, ..DrawDesc::default() }
            .with_colors(vec![target(ColorFormat::R32f, None)])
    };
    for chip in Chip::all() {
        let result = |color, depth| draw(color, depth).resolve(chip).map(|_| ()).map_err(|e| e.to_string());
        let beside_depth = chip.gfx() >= Gfx::Gfx11;
        let no_alpha = |place, export| Err(format!("alpha becomes coverage, but the export {place} is {export}, which carries no alpha"));
        assert_eq!(result(ExportFormat::R32, ExportFormat::Zero), no_alpha("for target 0", "32_R"), "{chip}");
        assert_eq!(result(ExportFormat::Ar32, ExportFormat::Zero), Ok(()), "{chip}");
        let of_depth = if beside_depth { no_alpha("of depth", "32_R") } else { Ok(()) };
        assert_eq!(result(ExportFormat::Ar32, ExportFormat::R32), of_depth, "{chip}");
        let of_color = if beside_depth { Ok(()) } else { no_alpha("for target 0", "32_R") };
        assert_eq!(result(ExportFormat::R32, ExportFormat::Ar32), of_color, "{chip}");
    }
}

/// If no colour is written, alpha that becomes coverage is exported alone (unverified: no recorded draw does this).
#[test]
fn coverage_without_a_colour_takes_an_export_of_alpha() {
    let hidden = (TargetImage::default(), TargetBlend { write_mask: 0, ..TargetBlend::default() });
    for chip in Chip::all() {
        for color in [vec![], vec![hidden], vec![hidden, (TargetImage::default(), TargetBlend::default())]] {
            let second = u32::from(color.len() == 2);
            let image = DrawDesc { pipeline: PipelineDesc { alpha_to_coverage: true, samples: 4, ..PipelineDesc::default() }, ..DrawDesc::default() }
                .with_colors(color)
                .resolve(chip)
                .expect("a draw")
                .image;
            assert_eq!(register(&image, "SPI_SHADER_COL_FORMAT"), 3 | (second * 0x40), "{chip}: 32_AR");
            assert_eq!(register(&image, "CB_SHADER_MASK"), 9 | (second * 0xF0), "{chip}");
            assert_eq!(register(&image, "CB_TARGET_MASK"), second * 0xF0, "{chip}");
        }
    }
}

/// A pipeline is checked against targets when a draw uses both, and the joined registers are those of the draw.
#[test]
fn a_pipeline_with_stated_exports_meets_its_targets_at_the_draw() {
    use pm4::cp::{Bank, CommandProcessor, DrawView, Observer};
    #[derive(Default)]
    struct Seen(BTreeMap<u32, u32>);
    impl Observer for Seen {
        fn draw(&mut self, view: &DrawView<'_>) {
            self.0 = view.registers().written(Bank::Context).collect();
        }
    }
    for chip in Chip::all() {
        let shader = Some(PixelShader { exports: Some(PixelExports::colors(&[ExportFormat::Gr32])), ..PixelShader::default() });
        let pipeline = Pipeline::new(chip, PipelineDesc { shader, ..PipelineDesc::default() }).unwrap_or_else(|e| panic!("{chip}: {e}"));
        let targets = |format| {
            let color = vec![TargetImage { format, ..TargetImage::default() }];
            Targets::new(chip, TargetsDesc { color, ..TargetsDesc::default() }).unwrap_or_else(|e| panic!("{chip}: {e}"))
        };
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        recorder.bind_pipeline(&pipeline).expect("a pipeline");
        recorder.bind_targets(&targets(ColorFormat::Rgba8)).expect("targets");
        let error = recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect_err("three channels are lost");
        assert!(error.to_string().contains("colour target 0 (rgba8): the shader exports 32_GR"), "{chip}: {error}");
        recorder.bind_targets(&targets(ColorFormat::Rg32f)).expect("targets");
        recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("a draw");
        let mut seen = Seen::default();
        let words = recorder.finish().expect("padding");
        let mut cp = CommandProcessor::new(chip);
        cp.submit(pm4::packet::Queue::Graphics, "draw", &words);
        cp.run(&mut seen);
        let word = |name| seen.0.get(&regs::find(chip.gfx(), name).expect("a register").addr()).copied();
        assert_eq!(EXPORTS.map(word), [Some(2), Some(0), Some(3)], "{chip}");
    }
}

#[test]
fn words_that_state_no_exports_are_refused_by_their_field() {
    let plain = ExportWords { col_format: 0, z_format: 0, shader_mask: None };
    let field = |words: ExportWords| match PixelExports::from_words(&words) {
        Err(WordsError::Field { register, field, .. }) => (register, field),
        other => panic!("{words:x?}: {other:?}"),
    };
    assert_eq!(field(ExportWords { col_format: 0xA0, ..plain }), ("SPI_SHADER_COL_FORMAT", "COL1_EXPORT_FORMAT"));
    assert_eq!(field(ExportWords { col_format: 0x404, ..plain }), ("SPI_SHADER_COL_FORMAT", "COL2_EXPORT_FORMAT"));
    assert_eq!(field(ExportWords { z_format: 10, ..plain }), ("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT"));
    assert_eq!(field(ExportWords { z_format: 0x100, ..plain }), ("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT"));
    assert_eq!(field(ExportWords { col_format: 0x4, shader_mask: Some(0x7), ..plain }), ("CB_SHADER_MASK", "OUTPUT0_ENABLE"));
    assert_eq!(field(ExportWords { col_format: 0x4, shader_mask: Some(0xFF), ..plain }), ("CB_SHADER_MASK", "OUTPUT1_ENABLE"));
    assert_eq!(field(ExportWords { col_format: 0x44, shader_mask: Some(0xF), ..plain }), ("CB_SHADER_MASK", "OUTPUT0_ENABLE"));
    let null = PixelExports::from_words(&ExportWords { col_format: 1, shader_mask: Some(0), ..plain }).expect("a null export");
    assert!(null.null && null.color == [ExportFormat::Zero; 8]);
    let eighth = PixelExports::from_words(&ExportWords { col_format: 9, shader_mask: Some(0xF000_0000), ..plain }).expect("target 7");
    assert_eq!(eighth.color[7], ExportFormat::Abgr32);
}

/// Names and numbers of formats are those of the registers.
#[test]
fn formats_of_exports_have_the_numbers_of_the_registers() {
    for gfx in Gfx::iter() {
        let values = regs::enums(gfx).find(|values| values.name == "SPI_SHADER_EX_FORMAT").expect("a value list");
        for format in ExportFormat::iter() {
            assert_eq!(values.value_of(&format!("SPI_SHADER_{format}")), Some(format as u32), "{gfx}: {format}");
        }
        assert_eq!(values.entries.len(), ExportFormat::iter().count(), "{gfx}");
    }
}

/// The exports for each format (facts of Mesa 25.0.7 ac_choose_spi_color_formats, printed by it): plain, with alpha that becomes coverage, blending without the
/// shader's alpha, blending with it; and with RB+ instead of plain and of blending without alpha.
#[test]
fn exports_that_follow_from_a_target_are_those_of_its_format() {
    use ColorFormat as F;
    use ExportFormat as E;
    #[rustfmt::skip] // a table
    let table: [(&[F], [E; 5]); 15] = [
        (&[F::R8, F::R8Snorm], [E::R32, E::Fp16, E::R32, E::Fp16, E::Fp16]),
        (&[F::R8ui], [E::R32, E::Uint16, E::R32, E::Uint16, E::Uint16]),
        (&[F::R8i], [E::R32, E::Sint16, E::R32, E::Sint16, E::Sint16]),
        (&[F::R8Srgb, F::Rg8, F::Rg8Snorm, F::Rgba8, F::Rgba8Snorm, F::Rgba8Srgb, F::Bgra8, F::Bgra8Srgb, F::R5g6b5, F::B5g6r5, F::Rgb5a1, F::A1rgb5, F::Rgba4, F::Bgra4,
           F::Argb4, F::Abgr4, F::Rgb10a2, F::Rgb10a2Snorm, F::Bgr10a2, F::R11g11b10f, F::R16f, F::Rg16f, F::Rgba16f, F::Rgb9e5], [E::Fp16; 5]),
        (&[F::Rg8ui, F::Rgba8ui, F::Rgb10a2ui, F::R16ui, F::Rg16ui, F::Rgba16ui], [E::Uint16; 5]),
        (&[F::Rg8i, F::Rgba8i, F::R16i, F::Rg16i, F::Rgba16i], [E::Sint16; 5]),
        (&[F::R16], [E::Unorm16, E::Unorm16, E::R32, E::Ar32, E::Unorm16]),
        (&[F::R16Snorm], [E::Snorm16, E::Snorm16, E::R32, E::Ar32, E::Snorm16]),
        (&[F::Rg16], [E::Unorm16, E::Unorm16, E::Gr32, E::Abgr32, E::Unorm16]),
        (&[F::Rg16Snorm], [E::Snorm16, E::Snorm16, E::Gr32, E::Abgr32, E::Snorm16]),
        (&[F::Rgba16], [E::Unorm16, E::Unorm16, E::Abgr32, E::Abgr32, E::Unorm16]),
        (&[F::Rgba16Snorm], [E::Snorm16, E::Snorm16, E::Abgr32, E::Abgr32, E::Snorm16]),
        (&[F::R32f, F::R32ui, F::R32i], [E::R32, E::Ar32, E::R32, E::Ar32, E::R32]),
        (&[F::Rg32f, F::Rg32ui, F::Rg32i, F::R64ui, F::R64i], [E::Gr32, E::Abgr32, E::Gr32, E::Abgr32, E::Gr32]),
        (&[F::Rgba32f, F::Rgba32ui, F::Rgba32i], [E::Abgr32; 5]),
    ];
    assert_eq!(table.iter().map(|(formats, _)| formats.len()).sum::<usize>(), F::iter().count(), "each format once");
    let one = Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::One), alpha: (BlendFactor::One, BlendFunction::Add, BlendFactor::One) };
    for chip in Chip::all() {
        let rb_plus = chip.info().rb_plus;
        for (formats, [plain, alpha, blend, blend_alpha, plain_rb_plus]) in table {
            for &format in formats.iter().filter(|format| format.is_for_targets(chip.gfx())) {
                let export = |blend, alpha_to_coverage| {
                    let desc = DrawDesc { pipeline: PipelineDesc { alpha_to_coverage, samples: 4, ..PipelineDesc::default() }, ..DrawDesc::default() }
                        .with_colors(vec![target(format, blend)]);
                    stated(&desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image).color[0]
                };
                let is_byte = matches!(format, F::R8 | F::R8Snorm | F::R8ui | F::R8i);
                assert_eq!(export(None, false), if rb_plus { plain_rb_plus } else { plain }, "{chip}: {format}");
                assert_eq!(export(None, true), alpha, "{chip}: {format} with coverage");
                if !format.is_integer() {
                    assert_eq!(export(Some(one), false), if rb_plus && is_byte { plain_rb_plus } else { blend }, "{chip}: {format} blends");
                    assert_eq!(export(Some(Blend::SOURCE_OVER), false), blend_alpha, "{chip}: {format} blends with alpha");
                }
            }
        }
    }
}

/// RB+ reduces the exports that recorded command buffers of radeonsi and RADV show reduced, and no others; channels that are not written or not stored are
/// ignored: format, blending, SX_PS_DOWNCONVERT, SX_BLEND_OPT_EPSILON, SX_BLEND_OPT_CONTROL of target 0.
#[test]
fn rb_plus_reduces_exports_as_targets_store_them() {
    use ColorFormat as F;
    let over = Some(Blend::SOURCE_OVER);
    let cases = [
        (F::R8, None, [5, 6, 2]),
        (F::R8ui, None, [5, 6, 2]),
        (F::Rg8, None, [5, 6, 2]),
        (F::Rgba8ui, None, [5, 6, 0]),
        (F::R32ui, None, [1, 0, 2]),
        (F::Rgba8, None, [5, 6, 0]),
        (F::Rgba8Srgb, None, [5, 0, 0]),
        (F::Bgra8, over, [5, 6, 0]),
        (F::R5g6b5, None, [6, 10, 2]),
        (F::A1rgb5, None, [0, 0, 0]),
        (F::Rgb5a1, None, [0, 0, 0]),
        (F::Rgba4, None, [0, 0, 0]),
        (F::Rgb10a2, None, [0, 0, 0]),
        (F::Rgb10a2ui, None, [0, 0, 0]),
        (F::R11g11b10f, None, [0, 0, 2]),
        (F::R16, None, [9, 0, 2]),
        (F::R16, over, [0, 0, 2]),
        (F::Rg16i, None, [0, 0, 2]),
        (F::Rg16f, None, [0, 0, 2]),
        (F::Rgba16f, None, [0, 0, 0]),
        (F::R32f, None, [1, 0, 2]),
        (F::R32f, over, [0, 0, 2]),
        (F::Rgba32f, None, [0, 0, 0]),
        (F::Rgb9e5, None, [0, 0, 2]),
    ];
    for chip in Chip::all().filter(|chip| chip.info().rb_plus) {
        for (format, blend, words) in cases.into_iter().filter(|(format, ..)| format.is_for_targets(chip.gfx())) {
            let image = DrawDesc::default().with_colors(vec![target(format, blend)]).resolve(chip).expect("a draw").image;
            let found = ["SX_PS_DOWNCONVERT", "SX_BLEND_OPT_EPSILON", "SX_BLEND_OPT_CONTROL"].map(|name| register(&image, name));
            assert_eq!(found, words, "{chip}: {format} {blend:?}");
        }
    }
}

/// Inputs of the pixel shader read the slots of values written by name or number; a value that nothing writes is a constant (OFFSET 32), an index is flat, and
/// the position in a point replaces its input (Mesa 25.0.7 radv_pipeline_graphics.c).
#[test]
fn pixel_inputs_read_the_parameters_of_their_values() {
    use LinkedValue::{Layer, Name, Number, PointCoordinate, PrimitiveId, ViewportIndex};
    let writes = [Number(3), Name("colour"), Layer, PrimitiveId];
    let absent = PixelRead { default_value: Some(InterpolantSource::Ones), ..PixelRead::smooth(Number(9)) };
    let reads = [
        PixelRead::smooth(Name("colour")),
        PixelRead::flat(Number(3)),
        PixelRead::smooth(PrimitiveId),
        PixelRead::smooth(Layer),
        PixelRead::smooth(ViewportIndex),
        PixelRead::smooth(PointCoordinate),
        absent,
    ];
    let link = PixelLink::new(&writes, &reads).expect("a link");
    assert!(link.layer && link.primitive_id && !link.viewport);
    let flat = 1 << 10;
    for chip in Chip::all() {
        let vertex = link.vertex(VertexStage::default());
        let shader = Some(PixelShader { inputs: link.inputs.clone(), ..PixelShader::default() });
        let image = DrawDesc::from(PipelineDesc { vertex, shader, ..PipelineDesc::default() }).resolve(chip).expect("a draw").image;
        let inputs: Vec<u32> = (0..7).map(|n| register(&image, &format!("SPI_PS_INPUT_CNTL_{n}"))).collect();
        assert_eq!(inputs, [1, flat, 3 | flat, 2 | flat, 0x20 | flat, 0x20 | 1 << 17, 0x20 | 3 << 8], "{chip}");
        assert_eq!(register(&image, "SPI_PS_INPUT_ENA"), 2, "{chip}: perspective at the centre");
    }
}

#[test]
fn values_that_do_not_link_are_refused_by_their_place() {
    use LinkedValue::{Name, Number, PointCoordinate};
    let refused = |writes: &[LinkedValue<'_>], reads: &[PixelRead<'_>]| PixelLink::new(writes, reads).expect_err("an error");
    let missing = refused(&[Number(0)], &[PixelRead::smooth(Number(0)), PixelRead::smooth(Name("fog"))]);
    assert!(matches!(&missing, PixelLinkError::NotWritten { input: 1, value } if value == "\"fog\""), "{missing}");
    assert!(matches!(refused(&[Number(0), Number(1), Number(0)], &[]), PixelLinkError::InvalidWrite { slot: 2, .. }));
    assert!(matches!(refused(&[PointCoordinate], &[]), PixelLinkError::InvalidWrite { slot: 0, .. }));
    let all: Vec<LinkedValue<'_>> = (0..33).map(Number).collect();
    let reads: Vec<PixelRead<'_>> = all.iter().map(|value| PixelRead::smooth(*value)).collect();
    assert!(PixelLink::new(&all[..32], &reads[..32]).is_ok());
    assert!(matches!(refused(&all, &reads[..1]), PixelLinkError::TooMany { count: 33, verb: "written" }));
    assert!(matches!(refused(&all[..32], &reads), PixelLinkError::TooMany { count: 33, verb: "read" }));
    let mut points: Vec<PixelRead<'_>> = vec![PixelRead::smooth(Number(0)); 21];
    points[19] = PixelRead::smooth(PointCoordinate);
    assert!(PixelLink::new(&all[..1], &points).is_ok());
    points[20] = PixelRead::smooth(PointCoordinate);
    assert!(matches!(refused(&all[..1], &points), PixelLinkError::PointCoordinate { input: 20 }));
}
