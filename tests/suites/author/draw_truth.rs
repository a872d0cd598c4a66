//! Values on which drivers agree and that no capture shows, most of them on GFX12: registers and streams, chip by chip.
use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::{Event, Opcode, Packet, Queue, Reader, Writer};
use pm4::regs;
use support::draws::queue_memory;

fn resolve(chip: Chip, desc: &DrawDesc) -> Resolved {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}"))
}

/// Returns a field of a draw by name; None if the chip or the image lacks it.
fn field(chip: Chip, desc: &DrawDesc, register: &str, field: &str) -> Option<u32> {
    let found = regs::find(chip.gfx(), register)?;
    Some(found.info().field(field)?.get(resolve(chip, desc).image.get(found.addr())?))
}

/// Returns a whole register of a draw.
fn word(chip: Chip, desc: &DrawDesc, register: &str) -> Option<u32> {
    resolve(chip, desc).image.get(regs::find(chip.gfx(), register)?.addr())
}

fn packets(words: &[u32]) -> Vec<Packet<'_>> {
    Reader::new(words).map(|p| p.expect("whole packets")).collect()
}

fn preamble(chip: Chip) -> Vec<u32> {
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&queue_memory()).expect("a preamble");
    recorder.writer().words().to_vec()
}

/// Returns what the preamble writes to a register.
fn once(chip: Chip, register: &str) -> Option<u32> {
    let addr = regs::find(chip.gfx(), register)?.addr();
    let words = preamble(chip);
    packets(&words).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == addr).last().map(|w| w.value)
}

fn record(chip: Chip, memory: &QueueMemory, draws: &[&DrawDesc]) -> Vec<u32> {
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(memory).expect("a preamble");
    // The model reports missing rings.
    let mut recorder = recorder.into_secondary();
    for draw in draws {
        recorder.draw(&resolve(chip, draw)).expect("a draw");
    }
    recorder.finish().expect("padding")
}

#[derive(Default)]
struct Findings(Vec<(&'static str, Severity)>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push((finding.code, finding.severity));
    }
}

fn findings(chip: Chip, words: &[u32]) -> Vec<(&'static str, Severity)> {
    let (mut seen, mut cp) = (Findings::default(), CommandProcessor::new(chip));
    cp.submit(Queue::Graphics, "test", words);
    cp.run(&mut seen);
    seen.0
}

fn codes(chip: Chip, words: &[u32]) -> Vec<&'static str> {
    findings(chip, words).into_iter().map(|(code, _)| code).collect()
}

fn gfx12() -> impl Iterator<Item = Chip> {
    Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx12)
}

#[test]
fn positions_and_primitives_of_gfx12_have_rings_whose_four_registers_are_one_packet() {
    for chip in Chip::all() {
        let words = preamble(chip);
        let rings: Vec<_> = packets(&words)
            .into_iter()
            .map(|p| p.writes(chip.gfx()).map(|w| (w.addr, w.value)).filter(|(addr, _)| (0x309A0..=0x309AC).contains(addr)).collect::<Vec<_>>())
            .filter(|writes| !writes.is_empty())
            .collect();
        // 4 engines: 16 times 262144 bytes of positions, then primitives.
        let expected = vec![vec![(0x309A0, 0x100), (0x309A4, 8192), (0x309A8, 0x140), (0x309AC, 0x0C6E_0000 | 2046)]];
        assert_eq!(rings, if chip.gfx() == Gfx::Gfx12 { expected } else { vec![] }, "{chip}");
    }
}

#[test]
fn rings_change_after_a_pixel_wait_sync_of_the_bottom_of_the_pipe() {
    for chip in Chip::all() {
        let words = preamble(chip);
        let kinds = |p: &Packet<'_>| p.opcode().filter(|o| [Opcode::RELEASE_MEM, Opcode::ACQUIRE_MEM].contains(o));
        let waits: Vec<_> = packets(&words).iter().filter_map(kinds).collect();
        let expected = [Opcode::RELEASE_MEM, Opcode::ACQUIRE_MEM];
        assert_eq!(waits, if chip.gfx() >= Gfx::Gfx11 { &expected[..] } else { &[] }, "{chip}");
        // A second preamble in the same stream, with other rings: the model finds the wait.
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        recorder.draw(&resolve(chip, &DrawDesc::default())).expect("a draw");
        let attributes = AttributeRing { address: 0x900_0000, bytes: 0x10_0000 };
        let mut recorder = Recorder::from_writer(chip, Writer::new(chip.gfx(), Queue::Graphics, recorder.finish().expect("padding")));
        recorder.begin_with(&QueueMemory { attributes: Some(attributes), geometry: Some(GeometryRings::at(0xA00_0000, 2)), ..queue_memory() }).expect("rings");
        recorder.draw(&resolve(chip, &DrawDesc::default())).expect("a draw");
        let found = codes(chip, &recorder.finish().expect("padding"));
        assert!(!found.contains(&"SYN-24"), "{chip}: {found:?}");
    }
}

#[test]
fn rings_that_registers_cannot_hold_are_refused() {
    let fine = GeometryRings::at(0x10_0000, 4);
    assert_eq!(fine.memory_bytes(4), 16 * 262_144 + 0x10_0000); // 1047552 bytes of primitives in blocks of 64 KiB
    let broken = [
        GeometryRings { positions: GeometryRing { address: 0x1_0100, ..fine.positions }, ..fine },
        GeometryRings { positions: GeometryRing { address: 1 << 48, ..fine.positions }, ..fine },
        GeometryRings { positions: GeometryRing { bytes: 33, ..fine.positions }, ..fine },
        GeometryRings { positions: GeometryRing { bytes: 0, ..fine.positions }, ..fine },
        GeometryRings { positions: GeometryRing { bytes: 0x4000 * 32, ..fine.positions }, ..fine },
        GeometryRings { primitives: GeometryRing { bytes: 0x800 * 32, ..fine.primitives }, ..fine },
        GeometryRings { primitives: GeometryRing { address: 4096, ..fine.primitives }, ..fine },
    ];
    let begin = |geometry| Recorder::new(Chip::Gfx1201).begin_with(&QueueMemory { geometry: Some(geometry), ..QueueMemory::default() });
    assert!(begin(fine).is_ok());
    for rings in broken {
        assert!(matches!(begin(rings), Err(RecordError::Draw(DrawError::Limit { .. }))), "{rings:?}");
    }
}

#[test]
fn a_first_draw_without_rings_is_reported_and_one_with_them_is_not() {
    for chip in Chip::all() {
        let told = |memory: &QueueMemory| codes(chip, &record(chip, memory, &[&DrawDesc::default()])).contains(&"STA-30");
        assert_eq!(told(&QueueMemory::default()), chip.gfx() >= Gfx::Gfx11, "{chip}");
        assert_eq!(told(&QueueMemory { geometry: None, ..queue_memory() }), chip.gfx() == Gfx::Gfx12, "{chip}");
        assert!(!told(&queue_memory()), "{chip}");
    }
}

/// A feedback loop on the depth target forces late tests, whatever else the shader requests (Mesa 25.0.7).
#[test]
fn tests_are_late_where_the_shader_reads_the_depth_target() {
    for chip in Chip::all() {
        for early_fragment_tests in [false, true] {
            let order = |reads_depth_target| {
                let shader = PixelShader { reads_depth_target, early_fragment_tests, ..PixelShader::default() };
                let desc = DrawDesc::from(PipelineDesc { shader: Some(shader), ..PipelineDesc::default() });
                ["Z_ORDER", "DEPTH_BEFORE_SHADER"].map(|name| field(chip, &desc, "DB_SHADER_CONTROL", name))
            };
            let before = Some(early_fragment_tests.into());
            assert_eq!((order(false), order(true)), ([Some(1), before], [Some(0), before]), "{chip}");
        }
    }
}

#[test]
fn vertex_waves_of_gfx12_leave_cus_1_and_9_to_pixel_waves() {
    let with = |cu_mask| {
        DrawDesc::from(PipelineDesc {
            vertex: VertexStage { program: Program { cu_mask, ..Program::default() }, ..VertexStage::default() },
            ..PipelineDesc::default()
        })
    };
    for chip in gfx12() {
        let mask = |given| field(chip, &with(given), "SPI_SHADER_PGM_RSRC3_GS", "CU_EN");
        assert_eq!((mask(None), mask(Some(0xFF03))), (Some(0xFFFF_FDFD), Some(0xFD01)), "{chip}");
        // These would leave no unit.
        assert!(with(Some(0x0202)).resolve(chip).is_err(), "{chip}");
        // Pixel waves use all units.
        assert_eq!(field(chip, &with(None), "SPI_SHADER_PGM_RSRC3_PS", "CU_EN"), Some(0xFFFF), "{chip}");
    }
    assert!(with(Some(0x0202)).resolve(Chip::Navi31).is_ok());
}

#[test]
fn the_binner_of_gfx12_gets_batches_of_at_most_512_primitives() {
    for chip in Chip::all() {
        let limits = once(chip, "PA_SC_BINNER_CNTL_1").expect("every generation has it");
        let (allocations, primitives) = (limits & 0xFFFF, limits >> 16);
        match chip.gfx().major() {
            12 => assert_eq!((allocations, primitives), (254, 511), "{chip}"),
            11 => assert_eq!((allocations, primitives), (16, 1023), "{chip}"),
            _ => assert_eq!(primitives, 1023, "{chip}"),
        }
    }
}

/// WD_SWITCH_ON_EOP, SWITCH_ON_EOI, PARTIAL_VS_WAVE_ON.
type Switches = (u32, u32, u32);

#[test]
fn four_engines_of_gfx9_do_not_share_packets_of_primitives_that_depend_on_each_other() {
    use Topology::*;
    // Engines, topology, restart, whether the primitive index is read.
    let table: &[(u32, Topology, bool, bool, Switches)] = &[
        (4, TriangleList, false, false, (0, 1, 0)),
        (4, TriangleStrip, false, false, (0, 1, 0)),
        (4, TriangleFan, false, false, (1, 0, 0)),
        (4, TriangleStripAdjacency, false, false, (1, 0, 0)),
        (4, LineStripAdjacency, false, false, (0, 1, 0)),
        (4, TriangleList, true, false, (1, 0, 0)),
        (4, TriangleStrip, true, false, (1, 0, 1)),
        (4, TriangleStripAdjacency, true, false, (1, 0, 1)),
        (4, LineStripAdjacency, true, false, (1, 0, 1)),
        (4, LineStrip, true, false, (0, 1, 1)),
        (4, PointList, true, false, (0, 1, 0)),
        (4, TriangleFan, false, true, (1, 1, 0)),
        (2, TriangleList, false, false, (1, 0, 0)),
        (2, TriangleStrip, true, false, (1, 0, 1)),
        // Raven reads the primitive's index.
        (1, TriangleList, false, true, (1, 1, 0)),
    ];
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx9) {
        for (shader_engines, topology, primitive_restart, reads, expected) in table.iter().copied() {
            let board = Some(Board { shader_engines, arrays_per_engine: 1, cus_per_array: 16 });
            let vertex = VertexStage { exports_primitive_id: reads, parameters: 1, ..VertexStage::default() };
            let desc = DrawDesc::from(PipelineDesc { board, topology, primitive_restart, vertex, ..PipelineDesc::default() });
            let of = |name| field(chip, &desc, "IA_MULTI_VGT_PARAM", name).expect("GFX9 has it");
            let switches = (of("WD_SWITCH_ON_EOP"), of("SWITCH_ON_EOI"), of("PARTIAL_VS_WAVE_ON"));
            assert_eq!(switches, expected, "{chip}: {shader_engines} engines, {topology}, restart {primitive_restart}, index {reads}");
        }
    }
}

/// Returns mode and rate of the last combiner.
fn last_combiner(chip: Chip, desc: &DrawDesc) -> (u32, u32) {
    let register = if chip.gfx() == Gfx::Gfx103 { "DB_VRS_OVERRIDE_CNTL" } else { "PA_SC_VRS_OVERRIDE_CNTL" };
    let word = word(chip, desc, register).expect("VRS has it");
    (word & 7, word >> 4 & 0xF)
}

const PASSES: (u32, u32) = (0, 0);
const NONE_COARSER_THAN_1X1: (u32, u32) = (2, 0);

#[test]
fn no_rate_is_coarse_with_8_samples_before_gfx12() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let hit = chip.gfx() != Gfx::Gfx12;
        assert_eq!(chip.has(Erratum::CoarseRateAt8Samples), hit, "{chip}");
        let draw = |samples, rate| DrawDesc::from(PipelineDesc { samples, rate, ..PipelineDesc::default() });
        let (coarse, fine) = (ShadingRate::R2x2, ShadingRate::R1x1);
        let expected = if hit { NONE_COARSER_THAN_1X1 } else { PASSES };
        assert_eq!(last_combiner(chip, &draw(8, coarse)), expected, "{chip}");
        assert_eq!(last_combiner(chip, &draw(8, fine)), PASSES, "{chip}");
        assert_eq!(last_combiner(chip, &draw(4, coarse)), PASSES, "{chip}");
        // A rate from vertices, and a rate that overrides all others.
        let mut vertices = draw(8, fine);
        vertices.pipeline.vertex.outputs.shading_rate = true;
        assert_eq!(last_combiner(chip, &vertices), expected, "{chip}");
        let forced = DrawDesc { pipeline: PipelineDesc { rate_override: Some(coarse), ..draw(8, fine).pipeline }, ..draw(8, fine) };
        assert_eq!(last_combiner(chip, &forced).0, if hit { 2 } else { 1 }, "{chip}");
        // Ordered draws keep their rate from GFX11 on, except with 8 samples.
        let ordered = DrawDesc { pipeline: PipelineDesc { interlock: Interlock::PixelOrdered, ..draw(8, coarse).pipeline }, ..draw(8, coarse) };
        assert_eq!(last_combiner(chip, &ordered), if chip.gfx() == Gfx::Gfx103 { PASSES } else { expected }, "{chip}");
        for desc in [draw(8, coarse), vertices, forced, ordered] {
            let found = codes(chip, &record(chip, &queue_memory(), &[&desc]));
            assert!(!found.contains(&"STA-38"), "{chip}: {found:?}");
        }
        assert_eq!(vrs_properties(chip).max_fragment_shading_rate_rasterization_samples, 4, "{chip}");
    }
}

#[test]
fn a_release_at_the_bottom_of_the_pipe_follows_gfx12s_draws_whose_vertices_have_rates() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let mut rated = DrawDesc::default();
        rated.pipeline.vertex.outputs.shading_rate = true;
        let words = record(chip, &QueueMemory::default(), &[&rated, &DrawDesc::default(), &rated]);
        let release = |p: &Packet<'_>| p.body.first().is_some_and(|word| word & 0x3F == u32::from(Event::BOTTOM_OF_PIPE_TS.0));
        let kinds = packets(&words).into_iter().filter_map(|p| match p.opcode() {
            Some(Opcode::DRAW_INDEX_AUTO) => Some('d'),
            Some(Opcode::RELEASE_MEM) if release(&p) => Some('r'),
            _ => None,
        });
        let expected = if chip.gfx() == Gfx::Gfx12 { "drddr" } else { "ddd" };
        assert_eq!(kinds.collect::<String>(), expected, "{chip}");
        let found = codes(chip, &words);
        assert!(!found.contains(&"STA-39"), "{chip}: {found:?}");
    }
}

#[test]
fn patches_are_counted_where_the_evaluation_shader_reads_their_index() {
    for chip in Chip::all() {
        for path in [VertexPath::Legacy, VertexPath::Ngg] {
            for evaluation_reads_patch_id in [false, true] {
                let vertex = VertexStage { path: Some(path), ..VertexStage::default() };
                let tessellation = Some(Tessellation { evaluation_reads_patch_id, ..Tessellation::default() });
                let desc = DrawDesc::from(PipelineDesc { vertex, tessellation, ..PipelineDesc::default() });
                if desc.resolve(chip).is_err() {
                    continue;
                }
                let (of, counts) = (|name| field(chip, &desc, "VGT_PRIMITIVEID_EN", name), u32::from(evaluation_reads_patch_id));
                assert_eq!(of("PRIMITIVEID_EN"), (chip.gfx() != Gfx::Gfx12).then_some(counts), "{chip} {path}");
                assert!(of("NGG_DISABLE_PROVOK_REUSE").is_none_or(|reuse| reuse == 0), "{chip} {path}");
                if path == VertexPath::Legacy {
                    assert_eq!(field(chip, &desc, "VGT_GS_MODE", "MODE"), Some(counts), "{chip}: GS_SCENARIO_A is 1");
                }
            }
        }
    }
}

#[test]
fn primitives_are_counted_where_their_index_is_exported() {
    for chip in Chip::all() {
        for path in [VertexPath::Legacy, VertexPath::Ngg] {
            for exports_primitive_id in [false, true] {
                let vertex = VertexStage { path: Some(path), exports_primitive_id, parameters: 1, ..VertexStage::default() };
                let desc = DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() });
                if desc.resolve(chip).is_err() {
                    continue;
                }
                let of = |name| field(chip, &desc, "VGT_PRIMITIVEID_EN", name);
                let (count, reuse) = (u32::from(exports_primitive_id), u32::from(exports_primitive_id && path == VertexPath::Ngg));
                assert_eq!(of("PRIMITIVEID_EN"), (chip.gfx() != Gfx::Gfx12).then_some(count), "{chip} {path}");
                assert_eq!(of("NGG_DISABLE_PROVOK_REUSE").unwrap_or(0), reuse, "{chip} {path}");
            }
        }
    }
}

#[test]
fn stencil_without_a_mask_leaves_as_two_words_with_depth_or_without() {
    const R32: u32 = 1;
    const GR32: u32 = 2;
    const UINT16: u32 = 7;
    const ABGR32: u32 = 9;
    for chip in Chip::all() {
        let table = [
            ((false, false, false), 0),
            ((true, false, false), R32),
            ((false, true, false), GR32),
            ((true, true, false), GR32),
            ((false, false, true), UINT16),
            ((false, true, true), UINT16),
            ((true, false, true), ABGR32),
            ((true, true, true), ABGR32),
        ];
        for ((writes_depth, writes_stencil, writes_sample_mask), expected) in table {
            let shader = Some(PixelShader { writes_depth, writes_stencil, writes_sample_mask, ..PixelShader::default() });
            let format = field(chip, &DrawDesc::from(PipelineDesc { shader, ..PipelineDesc::default() }), "SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT");
            assert_eq!(format, Some(expected), "{chip}: {writes_depth} {writes_stencil} {writes_sample_mask}");
        }
    }
}

fn raster(raster: Raster) -> DrawDesc {
    DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() })
}

#[test]
fn conservative_rasterization_has_samples_of_both_directions() {
    for chip in Chip::all() {
        let own = u32::from(chip.gfx() != Gfx::Gfx12);
        for (mode, over, under) in [(ConservativeRaster::Off, 0, 0), (ConservativeRaster::Overestimate, 1, 0), (ConservativeRaster::Underestimate, 0, 1)] {
            let desc = raster(Raster { conservative: mode, ..Raster::default() });
            let of = |name| field(chip, &desc, "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", name);
            let enabled = (of("OVER_RAST_ENABLE"), of("UNDER_RAST_ENABLE"));
            assert_eq!(enabled, (Some(over), Some(under)), "{chip} {mode}");
            let samples = (of("OVER_RAST_SAMPLE_SELECT"), of("UNDER_RAST_SAMPLE_SELECT"));
            assert_eq!(samples, (Some(own * under), Some(own * over)), "{chip} {mode}");
            assert_eq!(of("PBB_UNCERTAINTY_REGION_ENABLE"), Some(over), "{chip} {mode}");
            let on = over | under;
            assert_eq!(of("NULL_SQUAD_AA_MASK_ENABLE"), Some(1 - on), "{chip} {mode}");
            assert_eq!(field(chip, &desc, "DB_EQAA", "OVERRASTERIZATION_AMOUNT"), Some(4 * on), "{chip} {mode}");
            assert_eq!(field(chip, &desc, "PA_SC_AA_CONFIG", "AA_MASK_CENTROID_DTMN"), Some(on), "{chip} {mode}");
        }
    }
}

/// PAL 04/2025: inner coverage is underestimation in addition to overestimation, with one more sample step, and selects the mask that the shader receives.
#[test]
fn inner_coverage_is_read_beside_overestimation() {
    let with = |samples, conservative, interlock| {
        let shader = PixelShader { reads_inner_coverage: true, ..PixelShader::default() };
        DrawDesc {
            pipeline: PipelineDesc { samples, interlock, shader: Some(shader), ..raster(Raster { conservative, ..Raster::default() }).pipeline },
            ..raster(Raster { conservative, ..Raster::default() })
        }
    };
    for chip in Chip::all() {
        for samples in [1u32, 2, 4] {
            let desc = with(samples, ConservativeRaster::Overestimate, Interlock::None);
            let of = |register, name| field(chip, &desc, register, name).expect("a field");
            let raster = ["OVER_RAST_ENABLE", "UNDER_RAST_ENABLE", "COVERAGE_AA_MASK_ENABLE"].map(|name| of("PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", name));
            assert_eq!(raster, [1, 1, 0], "{chip}");
            assert_eq!(of("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES"), samples.ilog2() + 1, "{chip}");
            let register = if chip.gfx() == Gfx::Gfx12 { "SPI_PS_INPUT_ENA" } else { "PA_SC_AA_CONFIG" };
            assert_eq!(of(register, "COVERAGE_TO_SHADER_SELECT"), 1, "{chip}");
        }
        let refused = |desc: DrawDesc| desc.resolve(chip).expect_err("refused").to_string();
        assert!(refused(with(1, ConservativeRaster::Off, Interlock::None)).contains("ConservativeRaster::Overestimate"), "{chip}");
        assert!(refused(with(8, ConservativeRaster::Overestimate, Interlock::None)).contains("twice the coverage samples"), "{chip}");
        assert!(refused(with(1, ConservativeRaster::Overestimate, Interlock::PixelOrdered)).contains("ordered section"), "{chip}");
    }
}

/// Mesa 25.0.7 radv_get_rasterization_samples: triangles drawn as lines count as lines; filled triangles and points do not.
#[test]
fn lines_have_the_samples_of_their_mode() {
    for chip in Chip::all() {
        for (topology, polygon, lines) in [
            (Topology::LineList, PolygonMode::Fill, true),
            (Topology::LineList, PolygonMode::Line, true),
            (Topology::TriangleList, PolygonMode::Line, true),
            (Topology::TriangleList, PolygonMode::Fill, false),
            (Topology::TriangleList, PolygonMode::Point, false),
            (Topology::PointList, PolygonMode::Line, false),
        ] {
            for (line_mode, of_lines) in [(LineMode::Default, 3), (LineMode::Bresenham, 0), (LineMode::RectangularSmooth, 2)] {
                let raster = Raster { line_mode, polygon, ..Raster::default() };
                let desc = DrawDesc::from(PipelineDesc { samples: 8, topology, raster, ..PipelineDesc::default() });
                let expected = if lines { of_lines } else { 3 };
                assert_eq!(field(chip, &desc, "PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES"), Some(expected), "{chip} {topology:?} {polygon:?} {line_mode}");
            }
        }
    }
}

#[test]
fn only_rectangular_lines_change_how_lines_end() {
    for chip in Chip::all() {
        for (line_mode, expected) in [(LineMode::Default, 0), (LineMode::Bresenham, 0), (LineMode::Rectangular, 1 << 11), (LineMode::RectangularSmooth, 0)] {
            assert_eq!(word(chip, &raster(Raster { line_mode, ..Raster::default() }), "PA_SC_LINE_CNTL"), Some(expected), "{chip} {line_mode}");
        }
    }
}

#[test]
fn stipples_restart_in_the_register_of_the_generation() {
    let stipple = Some(LineStipple { pattern: 0x0F0F, factor: 3 });
    let draw = |stipple, topology| DrawDesc {
        pipeline: PipelineDesc { topology, ..raster(Raster { stipple, ..Raster::default() }).pipeline },
        ..raster(Raster { stipple, ..Raster::default() })
    };
    for chip in Chip::all() {
        let reset = |topology| field(chip, &draw(stipple, topology), "PA_SC_LINE_STIPPLE_RESET", "AUTO_RESET_CNTL");
        let expected = |value| (chip.gfx() == Gfx::Gfx12).then_some(value);
        assert_eq!((reset(Topology::LineList), reset(Topology::LineStrip)), (expected(1), expected(2)), "{chip}");
        assert_eq!((reset(Topology::LineListAdjacency), reset(Topology::LineStripAdjacency)), (expected(1), expected(2)), "{chip}");
        // GFX11 resets the counter in draws without a stipple.
        let counter = |stipple| field(chip, &draw(stipple, Topology::LineList), "PA_SU_LINE_STIPPLE_CNTL", "LINE_STIPPLE_RESET");
        let expected = |value| (chip.gfx().major() == 11).then_some(value);
        assert_eq!((counter(None), counter(stipple)), (expected(2), expected(0)), "{chip}");
    }
}

#[test]
fn what_nothing_clears_on_gfx12_is_written_once() {
    let table = [
        ("VGT_HOS_MIN_TESS_LEVEL", 0),
        ("SPI_SHADER_PGM_RSRC3_HS", u32::MAX),
        ("SPI_SHADER_GS_MESHLET_CTRL", 0),
        ("PA_STEREO_CNTL", 2),
        ("PA_SC_BINNER_OUTPUT_TIMEOUT_COUNTER", 0x800),
        ("PA_SC_BINNER_CNTL_2", 1 << 23),
        ("SPI_GRP_LAUNCH_GUARANTEE_ENABLE", 0x8A4D),
        ("SPI_GRP_LAUNCH_GUARANTEE_CTRL", 0x0040_1123),
        ("SPI_GS_THROTTLE_CNTL1", 0x1235_5123),
        ("SPI_GS_THROTTLE_CNTL2", 0x0001_544D),
        ("PA_SU_PRIM_FILTER_CNTL", 0),
        ("PA_SU_LINE_STIPPLE_CNTL", 0),
        ("PA_SC_GENERIC_SCISSOR_BR", u32::MAX),
        ("PA_SC_SCREEN_EXTENT_CONTROL", 0),
        ("PA_SC_TILE_STEERING_OVERRIDE", 0),
        ("PA_SC_VRS_INFO", 0),
        ("PA_SC_HISZ_RENDER_OVERRIDE", 0),
        ("DB_GL1_INTERFACE_CONTROL", 0),
        // Hint 4 for reads and writes of depth and of stencil, none for counters.
        ("DB_MEM_TEMPORAL", 4 | 4 << 3 | 4 << 6 | 4 << 9),
        ("DB_VIEWPORT_CONTROL", 0),
        ("DB_SPI_VRS_CENTER_LOCATION", 0),
        ("DB_HTILE_SURFACE", 0),
        ("SC_MEM_TEMPORAL", 0),
        ("SC_MEM_SPEC_READ", 1 | 1 << 2 | 1 << 4),
        // Written through (1), read without allocation (2).
        ("CB_RMI_GL2_CACHE_CONTROL", 1 << 2 | 2 << 22),
        ("CB_MEM0_INFO", 4 | 4 << 3),
        ("CB_MEM7_INFO", 4 | 4 << 3),
        ("SPI_BARYC_SSAA_CNTL", 1 << 2),
        ("PA_CL_POINT_X_RAD", 0),
        ("PA_CL_POINT_Y_RAD", 0),
        ("PA_CL_POINT_SIZE", 0),
        ("PA_CL_POINT_CULL_RAD", 0),
        ("PA_CL_NANINF_CNTL", 0),
        ("PA_SU_OVER_RASTERIZATION_CNTL", 0),
        ("GE_SE_ENHANCE", 0),
        ("GE_IA_ENHANCE", 0),
        ("GE_WD_ENHANCE", 0),
        ("VGT_REUSE_OFF", 0),
        ("VGT_PRIMITIVEID_RESET", 0),
        // T0 to T2, cycles, factors, off, groups at first.
        ("GE_GS_THROTTLE", 1 | 4 << 3 | 3 << 6 | 0x40 << 9 | 2 << 16 | 3 << 19 | 0xFF << 23),
    ];
    for chip in gfx12() {
        for (register, value) in table {
            assert_eq!(once(chip, register), Some(value), "{chip} {register}");
        }
    }
    // Only GFX11.5 has the order of bins switched off, and GFX11 has no such bit.
    for chip in Chip::all().filter(|chip| chip.gfx().major() == 11) {
        assert!(chip.has(Erratum::PingPongBinOrder), "{chip}");
        assert_eq!(once(chip, "PA_SC_BINNER_CNTL_2"), (chip.gfx() == Gfx::Gfx115).then_some(0), "{chip}");
    }
}

/// Registers that CLEAR_STATE sets on GFX11 and that neither a preamble without it nor a draw writes, because draws here do not need them: the feature is off,
/// or draws that enable it write them.
#[rustfmt::skip] // a table by reason
const LEFT_ALONE: &[&[&str]] = &[
    // Written by draws with a depth target, a depth bounds test, depth bias, or clears.
    &["DB_DEPTH_VIEW", "DB_DEPTH_SIZE_XY", "DB_DEPTH_BOUNDS_MIN", "DB_DEPTH_BOUNDS_MAX", "DB_STENCIL_CLEAR", "DB_DEPTH_CLEAR", "DB_Z_READ_BASE",
      "DB_STENCIL_READ_BASE", "DB_Z_WRITE_BASE", "DB_STENCIL_WRITE_BASE", "DB_Z_READ_BASE_HI", "DB_STENCIL_READ_BASE_HI", "DB_Z_WRITE_BASE_HI",
      "DB_STENCIL_WRITE_BASE_HI", "PA_SU_POLY_OFFSET_DB_FMT_CNTL", "PA_SU_POLY_OFFSET_CLAMP", "PA_SU_POLY_OFFSET_FRONT_SCALE",
      "PA_SU_POLY_OFFSET_FRONT_OFFSET", "PA_SU_POLY_OFFSET_BACK_SCALE", "PA_SU_POLY_OFFSET_BACK_OFFSET"],
    // Read only if a field enables them: HTILE, DCC, a shading-rate image, clip rectangles and planes, a second view.
    &["DB_HTILE_DATA_BASE", "DB_HTILE_DATA_BASE_HI", "DB_SRESULTS_COMPARE_STATE0", "DB_SRESULTS_COMPARE_STATE1", "CB_COLOR0_DCC_BASE", "PA_SC_VRS_RATE_BASE",
      "PA_SC_VRS_RATE_BASE_EXT", "PA_SC_VRS_RATE_FEEDBACK_BASE", "PA_SC_VRS_RATE_FEEDBACK_BASE_EXT", "PA_SC_VRS_RATE_FEEDBACK_SIZE_XY", "PA_SC_CLIPRECT_0_TL",
      "PA_SC_CLIPRECT_0_BR", "PA_CL_UCP_0_X", "PA_CL_UCP_0_Y", "PA_CL_UCP_0_Z", "PA_CL_UCP_0_W", "PA_STATE_STEREO_X"],
    // Written by draws that blend with a constant, interpolate, tessellate, have a geometry shader or take their count from streamout.
    &["CB_BLEND_RED", "CB_BLEND_GREEN", "CB_BLEND_BLUE", "CB_BLEND_ALPHA", "SPI_PS_INPUT_CNTL_0", "SPI_PS_INPUT_CNTL_20", "VGT_GS_MAX_VERT_OUT",
      "VGT_LS_HS_CONFIG", "VGT_TF_PARAM", "VGT_STRMOUT_DRAW_OPAQUE_OFFSET", "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE",
      "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE"],
    // Ranges of cache actions; obsolete registers, which Mesa 2026 does not write on GFX11 either.
    &["COHER_DEST_BASE_HI_0", "COHER_DEST_BASE_0", "COHER_DEST_BASE_1", "COHER_DEST_BASE_2", "COHER_DEST_BASE_3", "PA_SC_RASTER_CONFIG", "PA_SC_RASTER_CONFIG_1",
      "DB_RESERVED_REG_1", "DB_RESERVED_REG_2", "DB_RESERVED_REG_3", "PA_SC_BINNER_CNTL_2"],
];

#[test]
fn without_clear_state_gfx11_has_every_register_that_a_draw_may_read() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip).clear_method(ClearMethod::Registers);
        let begun = recorder.begin_with(&queue_memory());
        if chip.gfx() < Gfx::Gfx11 {
            assert!(matches!(begun, Err(RecordError::Draw(DrawError::OptionAbsent { .. }))) && recorder.words().is_empty(), "{chip}");
            continue;
        }
        let program = Program { address: Some(0x10_0000), ..Program::default() };
        let vertex = VertexStage { program: program.clone(), ..VertexStage::default() };
        let shader = Some(PixelShader { program, ..PixelShader::default() });
        recorder.draw(&resolve(chip, &DrawDesc::from(PipelineDesc { vertex, shader, ..PipelineDesc::default() }))).expect("a draw");
        let words = recorder.finish().expect("padding");
        assert!(packets(&words).iter().all(|p| p.opcode() != Some(Opcode::CLEAR_STATE)), "{chip}");
        let clears = |words: &[u32]| packets(words).iter().any(|p| p.opcode() == Some(Opcode::CLEAR_STATE));
        assert_eq!(clears(&preamble(chip)), chip.gfx() != Gfx::Gfx12, "{chip}");
        assert!(codes(chip, &words).is_empty(), "{chip}: {:?}", codes(chip, &words));
        let written: std::collections::BTreeSet<u32> = packets(&words).iter().flat_map(|p| p.writes(chip.gfx())).map(|w| w.addr).collect();
        let left: std::collections::BTreeSet<&str> =
            regs::registers(chip.gfx()).filter(|r| r.clear.is_some() && !written.contains(&r.addr)).map(|r| r.name).collect();
        // No CLEAR_STATE table is known for the others.
        if chip.gfx() == Gfx::Gfx11 {
            let expected = LEFT_ALONE.iter().copied().flatten().copied().collect();
            assert_eq!(left, expected, "{chip}");
        }
    }
}

#[test]
fn gfx12_has_the_state_of_a_pixel_shader_without_one_as_well() {
    for chip in gfx12() {
        let none = DrawDesc::from(PipelineDesc { shader: None, ..PipelineDesc::default() });
        for register in ["SPI_PS_INPUT_ADDR", "SPI_PS_INPUT_ENA", "SPI_PS_IN_CONTROL", "SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_GS_OUT_CONFIG_PS"] {
            assert!(word(chip, &none, register).is_some(), "{chip} {register}");
        }
        for (depth_layout, export) in [(DepthLayout::Any, 0), (DepthLayout::Less, 1), (DepthLayout::Greater, 2)] {
            let desc = DrawDesc::from(PipelineDesc {
                shader: Some(PixelShader { depth_layout, writes_depth: true, ..PixelShader::default() }),
                ..PipelineDesc::default()
            });
            let round_and_export = (field(chip, &desc, "PA_SC_HISZ_CONTROL", "ROUND"), field(chip, &desc, "PA_SC_HISZ_CONTROL", "CONSERVATIVE_Z_EXPORT"));
            assert_eq!(round_and_export, (Some(2), Some(export)), "{chip} {depth_layout:?}");
        }
        assert_eq!(word(chip, &none, "PA_SC_HISZ_CONTROL"), Some(2), "{chip}");
    }
}

#[test]
fn gfx12_bins_have_at_least_128_pixels_per_side_even_without_binning() {
    let bins = |width, height| DrawDesc::from(PipelineDesc { binning: Some(Binning { width, height }), ..PipelineDesc::default() });
    let wide = DrawDesc {
        targets: TargetsDesc { color: vec![TargetImage { format: "rgba16f".parse().expect("a format"), ..TargetImage::default() }], ..TargetsDesc::default() },
        ..DrawDesc::default()
    };
    for chip in Chip::all() {
        let gfx12 = chip.gfx() == Gfx::Gfx12;
        assert_eq!([bins(16, 16), bins(64, 128), bins(128, 64)].map(|desc| desc.resolve(chip).is_err()), [gfx12; 3], "{chip}");
        let of = |name| field(chip, &wide, "PA_SC_BINNER_CNTL_0", name);
        if gfx12 {
            // log2 of the size minus 5.
            assert_eq!([of("BIN_SIZE_X_EXTEND"), of("BIN_SIZE_Y_EXTEND"), of("BIN_SIZE_X"), of("BIN_SIZE_Y")], [Some(2), Some(2), Some(0), Some(0)], "{chip}");
            let limits =
                [of("BINNING_MODE"), of("FPOVS_PER_BATCH"), of("DISABLE_START_OF_PRIM"), of("OPTIMAL_BIN_SELECTION"), of("FLUSH_ON_BINNING_TRANSITION")];
            assert_eq!(limits, [Some(3), Some(63), Some(1), Some(1), Some(1)], "{chip}");
        }
    }
}

#[test]
fn gfx12_has_no_water_mark_of_primitives_out_of_order() {
    for chip in Chip::all() {
        let mark = field(chip, &DrawDesc::default(), "PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_WATER_MARK");
        assert_eq!(mark, Some(if chip.gfx() == Gfx::Gfx12 { 0 } else { 7 }), "{chip}");
    }
}

#[test]
fn edges_of_gfx12s_scissors_count_in() {
    for chip in Chip::all() {
        let desc = DrawDesc { targets: TargetsDesc { extent: (640, 480), ..TargetsDesc::default() }, ..DrawDesc::default() };
        let less = u32::from(chip.gfx() == Gfx::Gfx12);
        for register in ["PA_SC_SCREEN_SCISSOR_BR", "PA_SC_WINDOW_SCISSOR_BR"] {
            assert_eq!(word(chip, &desc, register), Some((640 - less) | (480 - less) << 16), "{chip} {register}");
        }
    }
}

#[test]
fn without_a_depth_target_gfx11_and_gfx12_count_exposed_samples() {
    for chip in Chip::all() {
        for samples in [1, 2, 4, 8_u32] {
            for interlock in [Interlock::None, Interlock::PixelOrdered, Interlock::SampleOrdered] {
                let desc = DrawDesc::from(PipelineDesc { samples, interlock, ..PipelineDesc::default() });
                let expected = if chip.gfx().major() >= 11 { samples.trailing_zeros() } else { 0 };
                assert_eq!(field(chip, &desc, "DB_Z_INFO", "NUM_SAMPLES"), Some(expected), "{chip} {samples} {interlock}");
                let with = DrawDesc { targets: TargetsDesc { depth: Some(DepthTarget::new(DepthFormat::D32, samples)), ..desc.targets }, ..desc };
                assert_eq!(field(chip, &with, "DB_Z_INFO", "NUM_SAMPLES"), Some(samples.trailing_zeros()), "{chip} {samples} {interlock}");
            }
        }
    }
}

#[test]
fn gfx12_forces_stencil_to_be_read_and_valid_where_actions_of_several_samples_differ() {
    let face = |pass, depth_fail| StencilFace { pass, depth_fail, ..StencilFace::default() };
    let (same, other) = (face(StencilAction::Zero, StencilAction::Zero), face(StencilAction::Zero, StencilAction::Keep));
    for chip in Chip::all() {
        let forced = |format, samples, stencil| {
            let depth = Some(DepthTarget::new(format, samples));
            let depth_test = DepthTest { stencil, ..DepthTest::default() };
            word(
                chip,
                &DrawDesc {
                    pipeline: PipelineDesc { samples, depth_test, ..PipelineDesc::default() },
                    targets: TargetsDesc { depth, ..TargetsDesc::default() },
                    ..DrawDesc::default()
                },
                "DB_RENDER_OVERRIDE",
            )
        };
        let (read, valid) = (1 << 12, 1 << 30);
        let table = [
            (forced(DepthFormat::D32s8, 4, Some((other, same))), read | valid),
            (forced(DepthFormat::D32s8, 4, Some((same, other))), read | valid),
            (forced(DepthFormat::D32s8, 2, Some((other, same))), read | valid),
            (forced(DepthFormat::D32s8, 4, Some((same, same))), read),
            (forced(DepthFormat::D32s8, 1, Some((other, other))), read),
            (forced(DepthFormat::D32s8, 4, None), read),
            (forced(DepthFormat::D32, 4, Some((other, other))), read),
        ];
        for (value, expected) in table {
            assert_eq!(value, (chip.gfx() == Gfx::Gfx12).then_some(expected), "{chip}");
        }
        assert_eq!(once(chip, "DB_RENDER_OVERRIDE"), (chip.gfx() != Gfx::Gfx12).then_some(0), "{chip}");
    }
}

#[test]
fn gfx12_has_the_sample_distance_in_a_register_of_its_own_and_another_small_primitive_filter() {
    for chip in Chip::all() {
        for (samples, distance) in [(1, 0), (2, 4), (4, 6), (8, 7)] {
            let desc = DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() });
            let (new, old) = (field(chip, &desc, "PA_SC_SAMPLE_PROPERTIES", "MAX_SAMPLE_DIST"), field(chip, &desc, "PA_SC_AA_CONFIG", "MAX_SAMPLE_DIST"));
            let gfx12 = chip.gfx() == Gfx::Gfx12;
            assert_eq!((new, old), (gfx12.then_some(distance), (!gfx12).then_some(distance)), "{chip}");
            let filter = field(chip, &desc, "PA_SU_SMALL_PRIM_FILTER_CNTL", "SC_1XMSAA_COMPATIBLE_DISABLE").unwrap_or(0);
            assert_eq!(filter, u32::from(gfx12), "{chip}");
        }
    }
}

#[test]
fn targets_of_gfx12_always_limit_compressed_fragments() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx11) {
        for (samples, fragments) in [(1, 0), (2, 0), (4, 2), (8, 3)] {
            let control = word(chip, &DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() }), "CB_COLOR0_FDCC_CONTROL");
            let limited = 1 << 2 | 1 << 28 | fragments << 29;
            assert_eq!(control, Some(if chip.gfx() == Gfx::Gfx12 { limited } else { 0 }), "{chip} {samples}");
        }
    }
    let hit: Vec<Chip> = Chip::all().filter(|chip| chip.has(Erratum::MaxCompressedFragments)).collect();
    let known = [Chip::Phoenix2, Chip::Gfx1150, Chip::Gfx1151, Chip::Gfx1152, Chip::Gfx1153, Chip::Gfx1154, Chip::Gfx1156, Chip::Gfx1170, Chip::Gfx1171];
    assert_eq!(hit, known);
}

#[test]
fn rb_plus_is_off_for_a_second_colour_and_for_logic_operations() {
    let dual = Blend { color: (BlendFactor::One, BlendFunction::Add, BlendFactor::Src1Color), alpha: Blend::SOURCE_OVER.alpha };
    let blends = |blend| DrawDesc::from(PipelineDesc { blends: vec![TargetBlend { blend, ..TargetBlend::default() }], ..PipelineDesc::default() });
    let logic = DrawDesc::from(PipelineDesc { logic_op: Some(LogicOp(0b0110)), ..PipelineDesc::default() });
    for chip in Chip::all() {
        let off = |desc: &DrawDesc| field(chip, desc, "CB_COLOR_CONTROL", "DISABLE_DUAL_QUAD");
        let hit = Some(u32::from(chip.info().rb_plus));
        assert_eq!((off(&blends(Some(dual))), off(&logic)), (hit, hit), "{chip}");
        assert_eq!((off(&blends(Some(Blend::SOURCE_OVER))), off(&blends(None))), (Some(0), Some(0)), "{chip}");
    }
}

#[test]
fn no_wait_is_before_colour_from_gfx11_on() {
    for chip in Chip::all() {
        assert_eq!(chip.has(Erratum::PreColorWait), chip.gfx() >= Gfx::Gfx11, "{chip}");
    }
}

/// Explicit positions: four bits each, x below y, in the registers of their pixel. The single sample of a draw without MSAA has a position only if MSAA is
/// enabled (register descriptions of Mesa; the order of centroids is that of the first pixel, unverified).
#[test]
fn samples_are_where_the_draw_says() {
    assert_eq!(SampleLocations::in_all_pixels(&[(1, 2)]).pixels[3][..3], [(1, 2), (0, 0), (0, 0)], "positions that are not given are the centre");
    let mut locations = SampleLocations::in_all_pixels(&[(-8, 7), (1, -2), (3, 3), (0, 0)]);
    locations.pixels[3][1] = (-1, 5);
    for chip in Chip::all() {
        let find = |name| regs::find(chip.gfx(), name).map(|found| found.addr());
        let of = |samples, sample_locations| {
            DrawDesc::from(PipelineDesc { samples, sample_locations, ..PipelineDesc::default() }).resolve(chip).expect("a draw").image
        };
        let (own, plain) = (of(4, Some(locations)), of(4, None));
        let value = |image: &RegisterImage, name| image.get(find(name).expect("a register")).expect("it is always there");
        assert_eq!(value(&own, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0"), 0x0033_E178, "{chip}");
        assert_eq!(value(&own, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0"), 0x0033_5F78, "{chip}");
        assert_eq!(value(&own, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_1"), 0, "{chip}");
        // Nearest first: sample 3, 1, 2, 0.
        assert_eq!(value(&own, "PA_SC_CENTROID_PRIORITY_0"), 0x0213_0213, "{chip}");
        let distance = |image: &RegisterImage| match chip.gfx().major() {
            12 => value(image, "PA_SC_SAMPLE_PROPERTIES") & 0xF,
            _ => value(image, "PA_SC_AA_CONFIG") >> 13 & 0xF,
        };
        assert_eq!((distance(&own), distance(&plain)), (8, 6), "{chip}");
        let msaa = |image: &RegisterImage| value(image, "PA_SC_MODE_CNTL_0") & 1;
        assert_eq!((msaa(&of(1, Some(locations))), msaa(&of(1, None))), (1, 0), "{chip}");
        let wide = SampleLocations::in_all_pixels(&[(0, 8)]);
        let refused = DrawDesc::from(PipelineDesc { sample_locations: Some(wide), ..PipelineDesc::default() }).resolve(chip).expect_err("four bits");
        assert_eq!(refused.to_string(), "the position (0, 8) of sample 0: allowed are -8 to 7, in 1/16 pixel from the centre of the pixel");
    }
}

/// Returns a draw with a depth target.
fn with_depth(target: DepthTarget) -> DrawDesc {
    let pipeline = PipelineDesc { samples: target.samples, ..PipelineDesc::default() };
    DrawDesc { targets: TargetsDesc { depth: Some(target), ..TargetsDesc::default() }, ..DrawDesc::from(pipeline) }
}

/// RADV and radeonsi of 2025 and 2026 write this for GFX12 depth targets (captures of gfx1201): the page table controls compression, and there is no HTILE.
#[test]
fn depth_of_gfx12_is_compressed_without_htile() {
    for chip in gfx12() {
        for (format, samples) in [(DepthFormat::D32, 1), (DepthFormat::D32s8, 8), (DepthFormat::S8, 4)] {
            let desc = with_depth(DepthTarget::new(format, samples));
            let of = |register, name| field(chip, &desc, register, name);
            assert_eq!((of("DB_RENDER_CONTROL", "DEPTH_COMPRESS_DISABLE"), of("DB_RENDER_CONTROL", "STENCIL_COMPRESS_DISABLE")), (Some(0), Some(0)), "{chip}");
            assert_eq!(of("DB_STENCIL_INFO", "TILE_STENCIL_DISABLE"), Some(1), "{chip}");
            assert_eq!(of("DB_RENDER_OVERRIDE2", "DECOMPRESS_Z_ON_FLUSH"), Some(u32::from(samples >= 4)), "{chip}");
        }
        assert_eq!(field(chip, &DrawDesc::default(), "DB_STENCIL_INFO", "TILE_STENCIL_DISABLE"), Some(1), "{chip}");
        assert_eq!(field(chip, &DrawDesc::default(), "DB_RENDER_OVERRIDE2", "DECOMPRESS_Z_ON_FLUSH"), Some(0), "{chip}");
    }
}

/// Captures of both drivers: ITERATE_FLUSH if shaders read HTILE; ITERATE_256 for every target of GFX11 and GFX11.5, in both registers if there is stencil.
#[test]
fn depth_targets_set_iterate_256_and_iterate_flush_as_drivers_do() {
    for chip in Chip::all().filter(|chip| chip.gfx() != Gfx::Gfx12) {
        let gfx11 = u32::from(chip.gfx() >= Gfx::Gfx11);
        for (format, stencil) in [(DepthFormat::D32, false), (DepthFormat::D32s8, true), (DepthFormat::S8, true)] {
            for shader_readable in [false, true] {
                let htile = Htile { shader_readable, stencil, compressed: true, decompress_planes: if shader_readable { 5 } else { 0 }, ..Htile::default() };
                let desc = with_depth(DepthTarget { htile: Some(htile), ..DepthTarget::new(format, 1) });
                let flush = ["DB_Z_INFO", "DB_STENCIL_INFO"].map(|register| field(chip, &desc, register, "ITERATE_FLUSH"));
                assert_eq!(flush, [Some(u32::from(shader_readable)), Some(u32::from(shader_readable && stencil))], "{chip} {format:?}");
                if chip.gfx() != Gfx::Gfx9 {
                    let steps = ["DB_Z_INFO", "DB_STENCIL_INFO"].map(|register| field(chip, &desc, register, "ITERATE_256"));
                    assert_eq!(steps, [Some(gfx11); 2], "{chip} {format:?}");
                }
            }
        }
        if chip.gfx() != Gfx::Gfx9 {
            assert_eq!(field(chip, &with_depth(DepthTarget::new(DepthFormat::D16, 1)), "DB_Z_INFO", "ITERATE_256"), Some(gfx11), "{chip}");
            assert_eq!(field(chip, &DrawDesc::default(), "DB_Z_INFO", "ITERATE_256"), Some(0), "{chip}");
        }
    }
}

#[test]
fn a_target_with_only_stencil_has_no_depth_to_test_or_write() {
    for chip in Chip::all() {
        let view = if chip.gfx() == Gfx::Gfx12 { "DB_DEPTH_VIEW1" } else { "DB_DEPTH_VIEW" };
        for (format, depth, stencil) in [(DepthFormat::D32, 1, 0), (DepthFormat::S8, 0, 1), (DepthFormat::D32s8, 1, 1)] {
            let mut desc = with_depth(DepthTarget::new(format, 1));
            desc.pipeline.depth_test = DepthTest { test: true, write: true, ..DepthTest::default() };
            let of = |register, name| field(chip, &desc, register, name);
            assert_eq!((of("DB_DEPTH_CONTROL", "Z_ENABLE"), of("DB_DEPTH_CONTROL", "Z_WRITE_ENABLE")), (Some(depth), Some(depth)), "{chip} {format:?}");
            assert_eq!((of(view, "Z_READ_ONLY"), of(view, "STENCIL_READ_ONLY")), (Some(1 - depth), Some(1 - stencil)), "{chip} {format:?}");
        }
    }
}

/// Every capture of a draw with a second colour has 0 in all eight registers, with old and new drivers alike.
#[test]
fn blending_with_a_second_colour_skips_nothing() {
    let dual = Blend { color: (BlendFactor::SrcAlpha, BlendFunction::Add, BlendFactor::Src1Color), alpha: Blend::SOURCE_OVER.alpha };
    let desc = DrawDesc::from(PipelineDesc { blends: vec![TargetBlend { blend: Some(dual), ..TargetBlend::default() }], ..PipelineDesc::default() });
    for chip in Chip::all() {
        for index in 0..8 {
            assert_eq!(word(chip, &desc, &format!("SX_MRT{index}_BLEND_OPT")), Some(0), "{chip}");
        }
    }
}

/// Mesa 25.0.7 radv_translate_blend_equation, and the same in radeonsi: if the source's alpha is 0, neither colour matters.
#[test]
fn saturated_alpha_lets_the_target_be_skipped() {
    use BlendFactor::{One, OneMinusSrcAlpha, SrcAlpha, SrcAlphaSaturate, Zero};
    for (target, color) in [(Zero, 0x166), (SrcAlpha, 0x166), (SrcAlphaSaturate, 0x166), (One, 0x176), (OneMinusSrcAlpha, 0x176)] {
        let blend = Blend { color: (SrcAlphaSaturate, BlendFunction::Add, target), alpha: (One, BlendFunction::Add, Zero) };
        let desc = DrawDesc::from(PipelineDesc { blends: vec![TargetBlend { blend: Some(blend), ..TargetBlend::default() }], ..PipelineDesc::default() });
        for chip in Chip::all() {
            assert_eq!(word(chip, &desc, "SX_MRT0_BLEND_OPT"), Some(0x0101_0000 | color), "{chip}: {target:?}");
        }
    }
}

/// Mesa 25.0.7 radv_emit_fragment_shading_rate: with a mesh shader, the draw's rate is combined with that of the primitive. A payload may contain a rate.
#[test]
fn rates_of_primitives_take_the_place_of_those_of_vertices() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let draw = |mesh, samples| {
            let pipeline = PipelineDesc { mesh, samples, rate_combiner: RateCombiner::Max, ..PipelineDesc::default() };
            DrawDesc::from(pipeline)
        };
        let mesh = MeshStage { primitive_payload: true, ..MeshStage::default() };
        let of = |desc: &DrawDesc| ["VERTEX", "PRIMITIVE"].map(|rate| field(chip, desc, "PA_CL_VRS_CNTL", &format!("{rate}_RATE_COMBINER_MODE")));
        const MAX: Option<u32> = Some(3);
        assert_eq!(of(&draw(None, 1)), [MAX, Some(0)], "{chip}");
        assert_eq!(of(&draw(Some(mesh), 1)), [Some(0), MAX], "{chip}");
        let eight = last_combiner(chip, &draw(Some(mesh), 8));
        assert_eq!(eight, if chip.gfx() == Gfx::Gfx12 { PASSES } else { NONE_COARSER_THAN_1X1 }, "{chip}");
        assert_eq!(last_combiner(chip, &draw(Some(MeshStage::default()), 8)), PASSES, "{chip}");
        // GFX12 needs the event after such draws as well.
        let release = |p: &Packet<'_>| p.opcode() == Some(Opcode::RELEASE_MEM) && p.body[0] & 0x3F == u32::from(Event::BOTTOM_OF_PIPE_TS.0);
        let releases = |mesh| packets(&record(chip, &queue_memory(), &[&draw(Some(mesh), 1)])).into_iter().filter(release).count();
        assert_eq!(releases(mesh) - releases(MeshStage::default()), usize::from(chip.gfx() == Gfx::Gfx12), "{chip}");
    }
}

/// Mesa 25.0.7 radv_emit_fragment_shading_rate: targets without rates have 1x1, which MIN and REPLACE select; with the other combiners the draw keeps its rate.
#[test]
fn targets_without_rates_are_at_1x1() {
    let image = RateImage { address: 0x1234_0000, swizzle: 0, extent: (80, 60) };
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        for combiner in [RateCombiner::Keep, RateCombiner::Max, RateCombiner::Multiply, RateCombiner::Min, RateCombiner::Replace] {
            let pipeline = PipelineDesc { rate: ShadingRate::R2x2, rate_combiner: RateCombiner::Max, rate_image_combiner: combiner, ..PipelineDesc::default() };
            let without = DrawDesc::from(pipeline);
            let fine = matches!(combiner, RateCombiner::Min | RateCombiner::Replace);
            let of = |desc: &DrawDesc| (word(chip, desc, "GE_VRS_RATE"), field(chip, desc, "PA_CL_VRS_CNTL", "VERTEX_RATE_COMBINER_MODE"));
            assert_eq!(of(&without), if fine { (Some(0), Some(0)) } else { (Some(0x11), Some(3)) }, "{chip}: {combiner:?}");
            if chip.gfx() >= Gfx::Gfx11 {
                let with = DrawDesc { targets: TargetsDesc { rate_image: Some(image), ..without.targets.clone() }, ..without };
                assert_eq!(of(&with), (Some(0x11), Some(3)), "{chip}: {combiner:?}");
            }
        }
    }
}

/// Chips that cannot export depth at coarse rates ignore rates from vertices for such shaders.
#[test]
fn rates_of_vertices_do_not_reach_shaders_that_export_depth_where_the_chip_cannot() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let shader = PixelShader { writes_depth: true, ..PixelShader::default() };
        let mut desc = DrawDesc::from(PipelineDesc { shader: Some(shader), rate_combiner: RateCombiner::Replace, ..PipelineDesc::default() });
        desc.pipeline.vertex.outputs.shading_rate = true;
        let hit = chip.has(Erratum::VrsDepthExport);
        assert_eq!(field(chip, &desc, "PA_CL_VRS_CNTL", "VERTEX_RATE_COMBINER_MODE"), Some(u32::from(!hit)), "{chip}");
    }
}

/// Returns a draw with one target that blends this way, both colour and alpha.
fn blending(half: (BlendFactor, BlendFunction, BlendFactor)) -> DrawDesc {
    let blend = TargetBlend { blend: Some(Blend { color: half, alpha: half }), write_mask: 0xF };
    DrawDesc::default().with_colors([(TargetImage::default(), blend)])
}

#[test]
fn the_word_of_target_1_goes_with_a_second_colour() {
    let dual = blending((BlendFactor::One, BlendFunction::Add, BlendFactor::OneMinusSrc1Color));
    for chip in Chip::all() {
        let [first, second, third] = ["CB_BLEND0_CONTROL", "CB_BLEND1_CONTROL", "CB_BLEND2_CONTROL"].map(|name| word(chip, &dual, name));
        let wanted = if chip.gfx() >= Gfx::Gfx11 { first } else { Some(1 << 30) };
        assert_eq!((second, third), (wanted, Some(0)), "{chip}");
        let plain = blending((BlendFactor::One, BlendFunction::Add, BlendFactor::One));
        assert_eq!(word(chip, &plain, "CB_BLEND1_CONTROL"), Some(0), "{chip}");
    }
}

#[test]
fn least_and_greatest_take_both_colours_whole() {
    for (function, code) in [(BlendFunction::Min, 2), (BlendFunction::Max, 3)] {
        let desc = blending((BlendFactor::SrcAlpha, function, BlendFactor::Zero));
        let whole = blending((BlendFactor::One, function, BlendFactor::One));
        let second = blending((BlendFactor::Src1Color, function, BlendFactor::Zero));
        for chip in Chip::all() {
            let of_target = |name| field(chip, &desc, "CB_BLEND0_CONTROL", name);
            // BLEND_ONE is 1 on every generation.
            assert_eq!([of_target("COLOR_SRCBLEND"), of_target("COLOR_COMB_FCN"), of_target("COLOR_DESTBLEND")], [Some(1), Some(code), Some(1)], "{chip}");
            for other in [&whole, &second] {
                assert_eq!(resolve(chip, &desc).image, resolve(chip, other).image, "{chip} {function}");
            }
        }
    }
    // The second colour counts if one half of the equation uses it.
    let (add, max) = ((BlendFactor::Src1Color, BlendFunction::Add, BlendFactor::Zero), (BlendFactor::Src1Color, BlendFunction::Max, BlendFactor::Zero));
    assert!(Blend { color: max, alpha: add }.is_dual_source() && !Blend { color: max, alpha: max }.is_dual_source());
}

#[test]
fn alpha_that_becomes_coverage_and_then_1_leaves_with_depth() {
    let with = |alpha_to_one, exports| {
        let shader = Some(PixelShader { exports, ..PixelShader::default() });
        DrawDesc::from(PipelineDesc { shader, alpha_to_coverage: true, alpha_to_one, samples: 4, ..PipelineDesc::default() })
    };
    let color = PixelExports::colors(&[ExportFormat::Fp16]);
    for chip in Chip::all() {
        let (both, coverage) = (with(true, None), with(false, None));
        // 32_AR is 3.
        assert_eq!(word(chip, &both, "SPI_SHADER_Z_FORMAT"), Some(3), "{chip}");
        assert_eq!(word(chip, &coverage, "SPI_SHADER_Z_FORMAT"), Some(if chip.gfx() >= Gfx::Gfx11 { 3 } else { 0 }), "{chip}");
        if chip.gfx() <= Gfx::Gfx103 {
            let mask = |desc| field(chip, desc, "DB_SHADER_CONTROL", "COVERAGE_TO_MASK_ENABLE");
            assert_eq!((mask(&both), mask(&coverage)), (Some(1), Some(0)), "{chip}");
        }
        let refused = |desc: DrawDesc| matches!(desc.resolve(chip), Err(DrawError::CoverageExport { .. }));
        assert!(refused(with(true, Some(color))) && !refused(with(false, Some(color))), "{chip}");
        let depth = PixelExports { depth: ExportFormat::Ar32, ..color };
        assert!(!refused(with(true, Some(depth))), "{chip}");
    }
}

#[test]
fn depth_is_clamped_to_the_viewport_where_the_draw_asks_for_it() {
    let with = |depth_clamp, min_depth, max_depth| {
        let mut desc = raster(Raster { depth_clamp, ..Raster::default() });
        desc.state.viewports = vec![Viewport { min_depth, max_depth, ..Viewport::covering((256, 128)) }];
        desc
    };
    for chip in Chip::all() {
        let range = |desc: &DrawDesc| ["PA_SC_VPORT_ZMIN_0", "PA_SC_VPORT_ZMAX_0"].map(|name| word(chip, desc, name).map(f32::from_bits));
        assert_eq!(range(&with(false, 0.25, 0.5)), [Some(0.0), Some(1.0)], "{chip}");
        assert_eq!(range(&with(true, 0.25, 0.5)), [Some(0.25), Some(0.5)], "{chip}");
        assert_eq!(range(&with(true, 0.5, 0.25)), [Some(0.25), Some(0.5)], "{chip}");
        // A viewport range beyond 0 to 1 is not truncated.
        assert_eq!(range(&with(false, 2.0, -1.0)), [Some(-1.0), Some(2.0)], "{chip}");
        // The transform is the viewport's in both cases.
        for desc in [with(false, 0.25, 0.5), with(true, 0.25, 0.5)] {
            assert_eq!(["PA_CL_VPORT_ZSCALE", "PA_CL_VPORT_ZOFFSET"].map(|name| word(chip, &desc, name).map(f32::from_bits)), [Some(0.25), Some(0.25)]);
        }
    }
}

#[test]
fn pipelines_that_differ_in_the_clamp_of_depth_write_the_range_again() {
    for chip in Chip::all() {
        let pipeline = |depth_clamp| {
            let desc = PipelineDesc { raster: Raster { depth_clamp, ..Raster::default() }, ..PipelineDesc::default() };
            Pipeline::new(chip, desc).expect("a pipeline")
        };
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        recorder.bind_targets(&targets).expect("targets");
        recorder.set_viewports(&[Viewport { min_depth: 0.25, max_depth: 0.5, ..Viewport::covering((256, 128)) }]).expect("a viewport");
        let (zmin, mut seen) = (regs::find(chip.gfx(), "PA_SC_VPORT_ZMIN_0").expect("a register").addr(), Vec::new());
        // Repeatedly: objects bound a second time take a shorter path.
        let pipelines = [false, true].map(pipeline);
        for clamp in [0, 1, 0, 1, 0, 1] {
            let from = recorder.words().len();
            recorder.bind_pipeline(&pipelines[clamp]).expect("a pipeline");
            recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("a draw");
            seen.extend(packets(&recorder.words()[from..]).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == zmin).map(|w| w.value));
        }
        assert_eq!(seen, [0, 0.25f32.to_bits()].repeat(3), "{chip}");
    }
}

#[test]
fn polygons_drawn_as_lines_or_points_are_dropped_as_these() {
    let discard = |chip, topology, polygon| {
        let mut desc = raster(Raster { polygon, line_width: 8.0, ..Raster::default() });
        desc.pipeline.topology = topology;
        word(chip, &desc, "PA_CL_GB_HORZ_DISC_ADJ").map(f32::from_bits)
    };
    for chip in Chip::all() {
        let of = |topology, polygon| discard(chip, topology, polygon);
        // Half of 8 pixels next to half of 256.
        assert_eq!(of(Topology::TriangleList, PolygonMode::Fill), Some(1.0), "{chip}");
        assert_eq!(of(Topology::TriangleList, PolygonMode::Line), Some(1.0 + 8.0 / 256.0), "{chip}");
        assert_eq!(of(Topology::LineList, PolygonMode::Fill), of(Topology::TriangleList, PolygonMode::Line), "{chip}");
        assert_eq!(of(Topology::PointList, PolygonMode::Fill), of(Topology::TriangleList, PolygonMode::Point), "{chip}");
        assert_eq!(of(Topology::LineList, PolygonMode::Point), of(Topology::LineList, PolygonMode::Fill), "{chip}");
    }
}

#[test]
fn the_covered_centroid_is_the_centre_with_several_samples_also_under_underestimation() {
    for chip in Chip::all().filter(|chip| matches!(chip.gfx(), Gfx::Gfx103 | Gfx::Gfx11 | Gfx::Gfx115)) {
        for conservative in [ConservativeRaster::Off, ConservativeRaster::Overestimate, ConservativeRaster::Underestimate] {
            for samples in [1, 4] {
                let raster = Raster { conservative, ..Raster::default() };
                let desc = DrawDesc::from(PipelineDesc { raster, samples, ..PipelineDesc::default() });
                let centre = field(chip, &desc, "PA_SC_AA_CONFIG", "COVERED_CENTROID_IS_CENTER");
                assert_eq!(centre, Some(u32::from(samples > 1)), "{chip} {conservative} {samples}");
            }
        }
    }
}

#[test]
fn depth_and_coverage_may_differ_without_an_ordered_section() {
    for chip in Chip::all() {
        for (samples, depth) in [(1, 4), (2, 8), (8, 2), (4, 4)] {
            let mut desc = with_depth(DepthTarget::new(DepthFormat::D32, depth));
            desc.pipeline.samples = samples;
            assert_eq!(field(chip, &desc, "DB_Z_INFO", "NUM_SAMPLES"), Some(depth.ilog2()), "{chip}");
            assert_eq!(field(chip, &desc, "PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES"), Some(samples.ilog2()), "{chip}");
            // Up to GFX10.3, anchors follow the coverage.
            let anchors = if samples == 1 || chip.gfx() < Gfx::Gfx11 { samples } else { samples.max(depth) }.ilog2();
            assert_eq!(field(chip, &desc, "DB_EQAA", "MAX_ANCHOR_SAMPLES"), (chip.gfx() < Gfx::Gfx12).then_some(anchors), "{chip} {samples} {depth}");
            assert_eq!(field(chip, &desc, "DB_EQAA", "MASK_EXPORT_NUM_SAMPLES"), Some(samples.ilog2()), "{chip}");
            // No source calls fewer samples a mistake.
            let words = record(chip, &queue_memory(), &[&desc]);
            let severity = findings(chip, &words).into_iter().find(|(code, _)| *code == "STA-21").map(|(_, severity)| severity);
            let fewer = chip.gfx() < Gfx::Gfx12 && samples > 1 && anchors < depth.ilog2();
            assert_eq!(severity, fewer.then_some(Severity::Info), "{chip} {samples} {depth}");
        }
    }
}

#[test]
fn patches_are_shared_out_on_chips_of_several_engines_also_where_the_board_is_not_known() {
    let patches =
        |board| DrawDesc::from(PipelineDesc { tessellation: Some(Tessellation::default()), topology: Topology::PatchList, board, ..PipelineDesc::default() });
    let one = Some(Board { shader_engines: 1, arrays_per_engine: 1, cus_per_array: 8 });
    for chip in Chip::all() {
        let several = chip.gfx() > Gfx::Gfx9 || matches!(chip, Chip::Vega10 | Chip::Vega12 | Chip::Vega20);
        let spread = |board| field(chip, &patches(board), "VGT_TF_PARAM", "DISTRIBUTION_MODE");
        assert_eq!(spread(None), Some(if several { 3 } else { 0 }), "{chip}");
        assert_eq!(spread(one), Some(if chip.gfx() > Gfx::Gfx9 { 3 } else { 0 }), "{chip}");
        if chip.gfx() == Gfx::Gfx9 {
            assert_eq!(field(chip, &patches(None), "IA_MULTI_VGT_PARAM", "PARTIAL_VS_WAVE_ON"), Some(u32::from(several)), "{chip}");
        }
    }
}

#[test]
fn shaders_that_read_the_stipple_of_lines_keep_a_packet_in_one_assembler() {
    let with = |reads: bool| {
        let loads = PixelLoads::from(PixelInput::PerspCenter);
        let loads = if reads { loads | PixelInput::LineStipple } else { loads };
        let inputs = PixelInputs { loads, ..PixelInputs::default() };
        let stipple = Some(LineStipple { pattern: 0x5555, factor: 1 });
        let patches = Tessellation { domain: PatchDomain::Isolines, ..Tessellation::default() };
        DrawDesc::from(PipelineDesc {
            shader: Some(PixelShader { inputs, ..PixelShader::default() }),
            raster: Raster { stipple, ..Raster::default() },
            tessellation: Some(patches),
            topology: Topology::PatchList,
            ..PipelineDesc::default()
        })
    };
    for chip in Chip::all() {
        let one = |reads| field(chip, &with(reads), "GE_CNTL", "PACKET_TO_ONE_PA");
        let absent = chip.gfx() == Gfx::Gfx9;
        assert_eq!((one(false), one(true)), ((!absent).then_some(0), (!absent).then_some(1)), "{chip}");
        let spread = |reads| field(chip, &with(reads), "VGT_TF_PARAM", "DISTRIBUTION_MODE");
        assert_eq!(spread(true) == spread(false), !chip.has(Erratum::TessellationToOneAssembler) || spread(false) == Some(0), "{chip}");
        assert_eq!(spread(true) == Some(0) && spread(false) == Some(3), chip.gfx() == Gfx::Gfx12, "{chip}");
    }
}

/// Mesa 25.0.7 radv_cmd_buffer.c:1254: a sample at -8 is on the left or upper edge of its pixel, and primitives may end at it.
#[test]
fn edges_are_inclusive_where_a_sample_is_on_one() {
    let own = |positions: [(i8, i8); 2]| {
        let mut pixel = [(0, 0); 16];
        pixel[..2].copy_from_slice(&positions);
        Some(SampleLocations { pixels: [[(0, 0); 16], pixel, [(0, 0); 16], [(0, 0); 16]] })
    };
    for chip in Chip::all().filter(|chip| chip.gfx() != Gfx::Gfx12) {
        let of = |samples, sample_locations| {
            let desc = DrawDesc::from(PipelineDesc { samples, sample_locations, ..PipelineDesc::default() });
            let found = codes(chip, &record(chip, &queue_memory(), &[&desc]));
            assert!(!found.contains(&"STA-50"), "{chip}: {found:?}");
            word(chip, &desc, "PA_SU_PRIM_FILTER_CNTL").map(|word| word >> 30)
        };
        for samples in [1, 2, 4, 8] {
            assert_eq!(of(samples, None), Some(3), "{chip} {samples}");
        }
        assert_eq!(of(2, own([(-8, 0), (7, 7)])), Some(2), "{chip}");
        assert_eq!(of(2, own([(0, 0), (7, -8)])), Some(1), "{chip}");
        assert_eq!(of(2, own([(-8, 0), (7, -8)])), Some(0), "{chip}");
        assert_eq!(of(1, own([(0, 0), (-8, -8)])), Some(3), "{chip}: a sample that is not there");
    }
    // The standard positions of 16 samples, in a draw with a depth target of 8: x of sample 12 and y of sample 15.
    let targets = TargetsDesc { color: Vec::new(), depth: Some(DepthTarget::new(DepthFormat::D32, 8)), ..TargetsDesc::default() };
    let desc = DrawDesc { targets, ..DrawDesc::from(PipelineDesc { samples: 16, ..PipelineDesc::default() }) };
    assert_eq!(word(Chip::Navi21, &desc, "PA_SU_PRIM_FILTER_CNTL"), Some(0));
}
