//! Hardware errata: registers and streams on the chips that an erratum affects, and on the others.

use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer};
use pm4::draw::*;
use pm4::packet::{Event, Opcode, Packet, Queue, Reader};
use pm4::regs;

fn resolve(chip: Chip, desc: &DrawDesc) -> Resolved {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}"))
}

/// Returns a field of a draw by name; None if the chip or the image lacks it.
fn field(chip: Chip, desc: &DrawDesc, register: &str, field: &str) -> Option<u32> {
    let found = regs::find(chip.gfx(), register)?;
    Some(found.info().field(field)?.get(resolve(chip, desc).image.get(found.addr())?))
}

/// Returns the last value that a stream writes to a field.
fn written(chip: Chip, words: &[u32], register: &str, field: &str) -> Option<u32> {
    let found = regs::find(chip.gfx(), register)?;
    let write = packets(words).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == found.addr()).last()?;
    Some(found.info().field(field)?.get(write.value))
}

fn packets(words: &[u32]) -> Vec<Packet<'_>> {
    Reader::new(words).map(|p| p.expect("whole packets")).collect()
}

fn preamble(chip: Chip) -> Vec<u32> {
    let mut recorder = Recorder::secondary(chip);
    recorder.begin().expect("a preamble");
    recorder.writer().words().to_vec()
}

/// Returns the events of a stream, with None for each draw.
fn events(words: &[u32]) -> Vec<Option<Event>> {
    let event = |p: &Packet<'_>| match p.opcode() {
        Some(Opcode::EVENT_WRITE) => p.body.first().map(|word| Some(Event((word & 0x3F) as u8))),
        Some(Opcode::DRAW_INDEX_AUTO | Opcode::DRAW_INDEX_2) => Some(None),
        _ => None,
    };
    packets(words).iter().filter_map(event).collect()
}

/// Checks a field on every chip that has it: `hit` on chips with the erratum, `other` elsewhere.
fn splits(erratum: Erratum, desc: &DrawDesc, register: &str, name: &str, hit: u32, other: u32) {
    let mut seen = [false; 2];
    for chip in Chip::all() {
        let Some(value) = field(chip, desc, register, name) else { continue };
        assert_eq!(value, if chip.has(erratum) { hit } else { other }, "{erratum} on {chip}: {register}.{name}");
        seen[usize::from(chip.has(erratum))] = true;
    }
    assert!(seen[1], "{erratum}: no chip was hit");
}

#[test]
fn the_table_has_an_entry_of_words_for_every_erratum() {
    for erratum in Chip::all().flat_map(|chip| WORKAROUNDS.iter().map(|w| w.erratum).filter(move |e| chip.has(*e))) {
        assert!(erratum.chips().count() > 0 && erratum.source().len() > 2 && erratum.doc().len() > 10, "{erratum}");
    }
}

#[test]
fn small_primitives_pass_with_msaa_on_vega10_and_raven() {
    for samples in [1, 2, 4, 8] {
        let desc = DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() });
        let hit = u32::from(samples == 1);
        splits(Erratum::SmallPrimFilterSampleLocations, &desc, "PA_SU_SMALL_PRIM_FILTER_CNTL", "SMALL_PRIM_FILTER_ENABLE", hit, 1);
    }
}

#[test]
fn the_lines_of_polygons_and_rectangular_lines_are_kept_together_with_and_without_bins() {
    let bins = Some(Binning { width: 128, height: 128 });
    let line = Raster { polygon: PolygonMode::Line, ..Raster::default() };
    let rectangular = Raster { line_mode: LineMode::Rectangular, ..Raster::default() };
    // Their ends are not square: no driver keeps them together.
    let smooth = Raster { line_mode: LineMode::RectangularSmooth, ..Raster::default() };
    let plain = Raster::default();
    for (binning, raster, hit) in [
        (bins, line, 1),
        (bins, rectangular, 1),
        (bins, smooth, 0),
        (bins, plain, 0),
        (None, line, 1),
        (None, rectangular, 1),
        (None, smooth, 0),
        (None, plain, 0),
    ] {
        splits(
            Erratum::KeepTogether,
            &DrawDesc::from(PipelineDesc { binning, raster, ..PipelineDesc::default() }),
            "PA_SU_SC_MODE_CNTL",
            "KEEP_TOGETHER_ENABLE",
            hit,
            0,
        );
    }
}

/// The model accepts it: drivers also set the bit without binning.
#[test]
fn lines_of_polygons_without_bins_are_no_finding() {
    struct Codes(Vec<&'static str>);
    impl Observer for Codes {
        fn finding(&mut self, finding: &Finding) {
            self.0.push(finding.code);
        }
    }
    let raster = Raster { polygon: PolygonMode::Line, ..Raster::default() };
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&support::draws::queue_memory()).expect("a preamble");
        recorder.draw(&resolve(chip, &DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() }))).expect("a draw");
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "lines", recorder.words());
        let mut codes = Codes(Vec::new());
        cp.run(&mut codes);
        assert!(!codes.0.contains(&"STA-14"), "{chip}: {:?}", codes.0);
    }
}

#[test]
fn line_strips_do_not_reset_their_stipple_on_gfx9() {
    let stipple = Some(LineStipple { pattern: 0x0F0F, factor: 3 });
    let draw = |topology| DrawDesc::from(PipelineDesc { topology, raster: Raster { stipple, ..Raster::default() }, ..PipelineDesc::default() });
    splits(Erratum::LineStippleReset, &draw(Topology::LineStrip), "PA_SC_LINE_STIPPLE", "AUTO_RESET_CNTL", 0, 2);
    splits(Erratum::LineStippleReset, &draw(Topology::LineList), "PA_SC_LINE_STIPPLE", "AUTO_RESET_CNTL", 1, 1);
    for chip in Chip::all() {
        let of = |register, name| field(chip, &draw(Topology::LineList), register, name);
        assert_eq!((of("PA_SC_LINE_STIPPLE", "LINE_PATTERN"), of("PA_SC_LINE_STIPPLE", "REPEAT_COUNT")), (Some(0x0F0F), Some(2)), "{chip}");
        assert_eq!(of("PA_SC_MODE_CNTL_0", "LINE_STIPPLE_ENABLE"), Some(1), "{chip}");
        assert_eq!(field(chip, &DrawDesc::default(), "PA_SC_MODE_CNTL_0", "LINE_STIPPLE_ENABLE"), Some(0), "{chip}");
    }
}

#[test]
fn bins_hold_one_context_state_and_flush_at_transitions_where_the_chip_can() {
    let desc = DrawDesc::from(PipelineDesc { binning: Some(Binning { width: 128, height: 256 }), ..PipelineDesc::default() });
    splits(Erratum::ContextStatesPerBin, &desc, "PA_SC_BINNER_CNTL_0", "CONTEXT_STATES_PER_BIN", 0, 0);
    for chip in Chip::all() {
        let flush = field(chip, &desc, "PA_SC_BINNER_CNTL_0", "FLUSH_ON_BINNING_TRANSITION");
        assert_eq!(flush, Some(u32::from(!matches!(chip, Chip::Vega10 | Chip::Raven))), "{chip}");
    }
}

#[test]
fn a_pixel_shader_with_lds_alone_gets_a_parameter_on_gfx11() {
    let shader = |lds_bytes| Some(PixelShader { program: Program { lds_bytes, ..Program::default() }, ..PixelShader::default() });
    splits(
        Erratum::GeneratedParameter,
        &DrawDesc::from(PipelineDesc { shader: shader(1024), ..PipelineDesc::default() }),
        "SPI_PS_IN_CONTROL",
        "PARAM_GEN",
        1,
        0,
    );
    splits(Erratum::GeneratedParameter, &DrawDesc::from(PipelineDesc { shader: shader(0), ..PipelineDesc::default() }), "SPI_PS_IN_CONTROL", "PARAM_GEN", 0, 0);
}

#[test]
fn geometry_runs_in_cu_mode_from_gfx10_3_on() {
    // GFX11 and later do not have the erratum, but drivers keep the mode.
    for chip in Chip::all() {
        let wgp = field(chip, &DrawDesc::default(), "SPI_SHADER_PGM_RSRC1_GS", "WGP_MODE");
        assert_eq!(wgp, (chip.gfx() > Gfx::Gfx9).then_some(u32::from(chip.gfx() == Gfx::Gfx10)), "{chip}");
        assert!(!chip.has(Erratum::GeometryWgpMode) || wgp == Some(0), "{chip}");
    }
}

#[test]
fn late_vertex_waves_leave_a_cu_to_pixel_waves() {
    let board = Some(Board { shader_engines: 2, arrays_per_engine: 2, cus_per_array: 8 });
    for path in [VertexPath::Legacy, VertexPath::Ngg] {
        let desc = DrawDesc::from(PipelineDesc { board, vertex: VertexStage { path: Some(path), ..VertexStage::default() }, ..PipelineDesc::default() });
        for chip in Chip::all().filter(|chip| desc.resolve(*chip).is_ok()) {
            let register = if path == VertexPath::Ngg { "SPI_SHADER_PGM_RSRC3_GS" } else { "SPI_SHADER_PGM_RSRC3_VS" };
            let masked = field(chip, &desc, register, "CU_EN").is_some_and(|cus| cus & 0xFFFF != 0xFFFF);
            let without = path == VertexPath::Ngg && chip.has(Erratum::LateAllocationNgg);
            let expected = chip.has(Erratum::LateAllocation) && !without || chip.has(Erratum::BackPressure);
            assert_eq!(masked, expected, "{chip} {path}");
            if path == VertexPath::Ngg {
                let late = field(chip, &desc, "SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_LATE_ALLOC_GS").expect("NGG has it");
                assert_eq!(late == 0, chip.has(Erratum::LateAllocationNgg), "{chip}");
            }
        }
    }
}

#[test]
fn vertex_groups_keep_their_margin_or_are_switched_off() {
    for (vertices, margin) in [(128, 5), (29, 0)] {
        let subgroup = Subgroup { vertices, primitives: 64 };
        let desc = DrawDesc::from(PipelineDesc { vertex: VertexStage { subgroup, path: None, ..VertexStage::default() }, ..PipelineDesc::default() });
        for chip in Chip::all().filter(|chip| chip.has(Erratum::VertexGroupLeast)) {
            let group = field(chip, &desc, "GE_CNTL", "VERT_GRP_SIZE").expect("GFX10 has it");
            let holds = field(chip, &desc, "VGT_GS_ONCHIP_CNTL", "ES_VERTS_PER_SUBGRP").expect("GFX10 has it");
            let expected = match (chip.has(Erratum::VertexGroupMargin), margin) {
                (true, 5) => holds - 5,
                (true, _) => 256, // 27 - 5 would be below 24
                (false, _) => holds,
            };
            assert_eq!(group, expected, "{chip}");
        }
    }
}

#[test]
fn exports_are_never_ordered_opaque_first() {
    splits(Erratum::OpaqueOreo, &DrawDesc::default(), "DB_RENDER_CONTROL", "OREO_MODE", 0, 0);
}

#[test]
fn coarse_rates_give_way_to_depth_exports_where_these_hang() {
    let shader = |writes_depth, writes_stencil| Some(PixelShader { writes_depth, writes_stencil, ..PixelShader::default() });
    for (writes_depth, writes_stencil, hit) in [(true, false, 0), (false, true, 0), (true, true, 0), (false, false, 1)] {
        let coarse = Some(ShadingRate::R2x2);
        let desc = DrawDesc::from(PipelineDesc {
            rate: ShadingRate::R2x2,
            rate_override: coarse,
            shader: shader(writes_depth, writes_stencil),
            ..PipelineDesc::default()
        });
        for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
            let expected = if chip.has(Erratum::VrsDepthExport) { hit } else { 1 };
            assert_eq!(field(chip, &desc, "GE_VRS_RATE", "RATE_X"), Some(expected), "{chip}");
            let (register, mode) = if chip.gfx() == Gfx::Gfx103 { ("DB_VRS_OVERRIDE_CNTL", 0) } else { ("PA_SC_VRS_OVERRIDE_CNTL", 0) };
            let value = field(chip, &desc, register, "VRS_OVERRIDE_RATE_COMBINER_MODE");
            assert_eq!(value, Some(mode + expected), "{chip}");
        }
    }
}

#[test]
fn a_second_colour_is_exported_with_the_first_and_no_second_target_is_bound() {
    let blend = Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::Src1Color), alpha: Blend::SOURCE_OVER.alpha };
    let target = (TargetImage::default(), TargetBlend { blend: Some(blend), ..TargetBlend::default() });
    let desc = DrawDesc::default().with_colors(vec![target]);
    for chip in Chip::all() {
        assert!(chip.has(Erratum::DualSourceExports), "{chip}");
        assert_ne!(field(chip, &desc, "SPI_SHADER_COL_FORMAT", "COL1_EXPORT_FORMAT"), Some(0), "{chip}");
        assert_eq!(field(chip, &desc, "CB_SHADER_MASK", "OUTPUT1_ENABLE"), Some(0xF), "{chip}");
        assert!(DrawDesc::default().with_colors(vec![target; 2]).resolve(chip).is_err(), "{chip}");
    }
}

#[test]
fn the_preamble_bounds_deallocations_and_keeps_compression_and_bins_plain() {
    for chip in Chip::all() {
        let words = preamble(chip);
        let deallocs = written(chip, &words, "PA_SC_NGG_MODE_CNTL", "MAX_DEALLOCS_IN_WAVE");
        let expected = match chip.gfx().major() {
            9 => None,
            10 => Some(512),
            11 => Some(16),
            _ => Some(64),
        };
        assert_eq!(deallocs, expected, "{chip}");
        assert_eq!(deallocs.is_some(), chip.has(Erratum::MaxDeallocsInWave), "{chip}");
        let single = written(chip, &words, "CB_FDCC_CONTROL", "DISABLE_CONSTANT_ENCODE_SINGLE");
        assert_eq!(single, (chip.gfx().major() == 11).then_some(u32::from(chip.has(Erratum::ConstantEncodeSingle))), "{chip}");
        let register = written(chip, &words, "CB_DCC_CONTROL", "DISABLE_CONSTANT_ENCODE_REG");
        let encodes = !matches!(chip, Chip::Vega10 | Chip::Vega12 | Chip::Vega20 | Chip::Raven);
        assert_eq!(register, (chip.gfx().major() <= 10).then_some(u32::from(encodes)), "{chip}");
        let ping_pong = written(chip, &words, "PA_SC_BINNER_CNTL_2", "ENABLE_PING_PONG_BIN_ORDER");
        let expected = match chip.gfx() {
            Gfx::Gfx115 => Some(0),
            Gfx::Gfx12 => Some(1),
            _ => None,
        };
        assert_eq!(ping_pong, expected, "{chip}");
        assert!(!chip.has(Erratum::PingPongBinOrder) || ping_pong.unwrap_or(0) == 0, "{chip}");
    }
}

#[test]
fn sq_non_event_comes_before_draws_that_change_primitive_restart() {
    for chip in Chip::all() {
        let state = |primitive_restart| {
            resolve(chip, &DrawDesc::from(PipelineDesc { primitive_restart, topology: Topology::TriangleStrip, ..PipelineDesc::default() }))
        };
        let (off, on) = (state(false), state(true));
        let mut recorder = Recorder::secondary(chip);
        for draw in [&off, &on, &on, &off] {
            recorder.draw(draw).expect("a draw");
        }
        let words = recorder.writer().words().to_vec();
        let event = Some(Event::SQ_NON_EVENT);
        let found: Vec<bool> = events(&words).iter().filter(|e| e.is_none() || **e == event).map(Option::is_some).collect();
        match chip.has(Erratum::PrimRestartSync) {
            true => assert_eq!(found, [true, false, true, false, false, true, false], "{chip}"),
            false => assert_eq!(found, [false; 4], "{chip}"),
        }
        let reset = if chip.gfx() == Gfx::Gfx9 { "VGT_MULTI_PRIM_IB_RESET_EN" } else { "GE_MULTI_PRIM_IB_RESET_EN" };
        assert_eq!(written(chip, &words, reset, "RESET_EN"), Some(0), "{chip}: the last draw does not restart");
    }
}

#[test]
fn instances_are_not_packed_for_adjacency_while_statistics_are_counted() {
    for chip in Chip::all() {
        for (topology, statistics) in [(Topology::TriangleListAdjacency, true), (Topology::TriangleListAdjacency, false), (Topology::TriangleList, true)] {
            let mut recorder = Recorder::secondary(chip);
            recorder.count_statistics(statistics).expect("room");
            recorder.draw(&resolve(chip, &DrawDesc::from(PipelineDesc { topology, ..PipelineDesc::default() }))).expect("a draw");
            let words = recorder.writer().words().to_vec();
            let packing = written(chip, &words, "VGT_INDEX_TYPE", "DISABLE_INSTANCE_PACKING");
            let hit = topology == Topology::TriangleListAdjacency && statistics;
            assert_eq!(packing, chip.has(Erratum::InstancePacking).then_some(u32::from(hit)), "{chip} {topology} {statistics}");
        }
    }
}

/// Errata of metadata and surfaces apply only if the draw has them.
#[test]
fn metadata_is_on_exactly_where_the_description_has_it() {
    support::property::<fn(support::draws::Case) -> bool>("metadata", 300, |case| {
        let is = |register, name, on: bool| field(case.chip, &case.desc, register, name).is_none_or(|value| value == u32::from(on));
        let (depth, color) = (case.desc.targets.depth, case.desc.targets.color.first().and_then(|target| target.compression));
        let dcc = color.is_some_and(|metadata| metadata.dcc.is_some());
        is("DB_Z_INFO", "TILE_SURFACE_ENABLE", depth.is_some_and(|depth| depth.htile.is_some()))
            && is("PA_SC_HIZ_INFO", "SURFACE_ENABLE", depth.is_some_and(|depth| depth.hiz.is_some()))
            && is("CB_COLOR0_INFO", "DCC_ENABLE", dcc)
            && is("CB_COLOR0_FDCC_CONTROL", "FDCC_ENABLE", dcc)
            && is("CB_COLOR0_INFO", "FAST_CLEAR", color.is_some_and(|metadata| metadata.cmask.is_some()))
            && (case.desc.targets.rate_image.is_some() || is("PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE", false))
            && (case.desc.targets.rate_image.is_none() || is("PA_SC_MODE_CNTL_1", "WALK_ALIGN8_PRIM_FITS_ST", false))
    });
}

#[test]
fn tessellated_polygons_drawn_as_lines_reuse_no_vertices_on_navi10() {
    let with = |polygon, path| {
        let vertex = VertexStage { path, ..VertexStage::default() };
        let raster = Raster { polygon, ..Raster::default() };
        DrawDesc::from(PipelineDesc { vertex, raster, tessellation: Some(Tessellation::default()), topology: Topology::PatchList, ..PipelineDesc::default() })
    };
    for chip in Chip::all().filter(|chip| matches!(chip.gfx(), Gfx::Gfx10 | Gfx::Gfx103)) {
        let off = |polygon, path| field(chip, &with(polygon, path), "VGT_REUSE_OFF", "REUSE_OFF").unwrap_or(0);
        assert_eq!(off(PolygonMode::Line, Some(VertexPath::Legacy)), u32::from(chip == Chip::Navi10), "{chip}");
        assert_eq!(off(PolygonMode::Fill, Some(VertexPath::Legacy)), 0, "{chip}");
        assert_eq!(off(PolygonMode::Line, Some(VertexPath::Ngg)), 0, "{chip}");
        // The next draw reverts it.
        assert_eq!(field(chip, &DrawDesc::default(), "VGT_REUSE_OFF", "REUSE_OFF"), (chip == Chip::Navi10 || chip.gfx() == Gfx::Gfx103).then_some(0), "{chip}");
    }
}

#[test]
fn blending_of_compressed_samples_goes_without_the_overwrite_combiner_up_to_gfx103() {
    let dcc = Some(Dcc { address: 0x10_0000, blocks: Some(DccBlocks::BYTES_64) });
    let (compression, surface) = (Some(ColorCompression { dcc, ..ColorCompression::default() }), Surface { swizzle: 24, ..Surface::default() });
    let image = TargetImage { compression, surface, ..TargetImage::default() };
    let plain = TargetImage { compression: None, ..image };
    let blend = TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() };
    let with = |samples, image, second| {
        DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() }).with_colors([(plain, TargetBlend::default()), (image, second)])
    };
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        // radeonsi on GFX9 and GFX10.1, PAL on GFX10.1 and GFX10.3.
        assert!(chip.has(Erratum::CompressedSampleBlend), "{chip}");
        let off = |desc: &DrawDesc| field(chip, desc, "CB_DCC_CONTROL", "OVERWRITE_COMBINER_DISABLE");
        let not = Some(0);
        assert_eq!(off(&with(4, image, blend)), Some(1), "{chip}");
        assert_eq!(off(&with(4, image, TargetBlend::default())), not, "{chip}");
        assert_eq!(off(&with(4, plain, blend)), not, "{chip}");
        assert_eq!(off(&with(1, image, blend)), not, "{chip}");
        let mut logic = with(4, image, TargetBlend::default());
        logic.pipeline.logic_op = Some(LogicOp(0b0110));
        assert_eq!(off(&logic), Some(1), "{chip}");
        // A logic operation on a target that is not written combines nothing, nor does one without a pixel shader.
        let mut unwritten = with(4, image, TargetBlend { write_mask: 0, ..TargetBlend::default() });
        unwritten.pipeline.logic_op = Some(LogicOp(0b0110));
        assert_eq!(off(&unwritten), not, "{chip}");
        logic.pipeline.shader = None;
        assert_eq!(off(&logic), not, "{chip}");
        // The rest of the register is that of the preamble.
        let addr = regs::find(chip.gfx(), "CB_DCC_CONTROL").expect("a register").addr();
        let once = packets(&preamble(chip)).iter().flat_map(|p| p.writes(chip.gfx())).find(|w| w.addr == addr).map(|w| w.value);
        assert_eq!(resolve(chip, &DrawDesc::default()).image.get(addr), once, "{chip}");
    }
}
