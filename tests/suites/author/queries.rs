//! Queries and predicates, and the board in preambles, compared with the model, RADV's recorded streams and numbers in its source.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer, Severity};
use pm4::draw::sync::{Access, Barrier};
use pm4::draw::*;
use pm4::gpu::Gpu;
use pm4::packet::{Queue, Writer};
use pm4::regs;
use support::draws::queue_memory;

const ADDR: u64 = 0x10_0000;

fn chip(name: &str) -> Chip {
    name.parse().expect("a chip")
}

/// Values of registers at the last draw.
struct AtDraw<'n> {
    names: &'n [&'n str],
    values: Vec<Option<u32>>,
    errors: Vec<String>,
}

impl Observer for AtDraw<'_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.values = self.names.iter().map(|name| view.value(view.register(name)?.addr())).collect();
    }

    fn finding(&mut self, finding: &pm4::cp::Finding) {
        self.errors.extend((finding.severity == Severity::Error).then(|| finding.to_string()));
    }
}

/// Returns register values at a draw after a preamble.
fn at_draw(mut recorder: Recorder<Vec<u32>>, chip: Chip, names: &[&str]) -> Vec<Option<u32>> {
    recorder.begin_with(&queue_memory()).expect("a preamble");
    let draw = DrawDesc::default().resolve(recorder.gpu()).expect("a draw");
    recorder.draw(&draw).expect("a draw");
    let words = recorder.finish().expect("an end");
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", &words);
    let mut seen = AtDraw { names, values: Vec::new(), errors: Vec::new() };
    cp.run(&mut seen);
    assert!(seen.errors.is_empty(), "{chip}: {:?}", seen.errors);
    seen.values
}

fn field(chip: Chip, register: &str, field: &str, value: Option<u32>) -> Option<u32> {
    Some(regs::find(chip.gfx(), register)?.info().field(field)?.get(value?))
}

fn compute(chip: Chip) -> Recorder<Vec<u32>> {
    Recorder::from_writer(chip, Writer::growable(chip.gfx(), Queue::Compute))
}

/// Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c: num_shader_engines, num_shader_arrays_per_engine, CUs of the array with fewest in cu_bitmap.
#[test]
fn boards_are_those_that_kernels_have_described() {
    let known = [
        ("vega10", (4, 1, 16)),
        ("raven", (1, 1, 10)),
        ("raven2", (1, 1, 3)),
        ("renoir", (1, 1, 7)),
        ("navi10", (2, 2, 10)),
        ("navi21", (4, 2, 10)),
        ("vangogh", (1, 1, 8)),
        ("raphael_mendocino", (1, 1, 2)),
        ("navi31", (6, 2, 8)),
        ("gfx1150", (1, 2, 8)),
    ];
    for chip in Chip::all() {
        let board = known.iter().find(|(name, _)| *name == chip.info().name).map(|(_, board)| *board);
        let board = board.map(|(shader_engines, arrays_per_engine, cus_per_array)| Board { shader_engines, arrays_per_engine, cus_per_array });
        assert_eq!(Board::recorded(chip), board, "{chip}");
    }
}

/// The numbers of RADV 25.0.7 on GFX1150, in all draws of recorded streams.
#[test]
fn gfx1150_has_the_cu_masks_of_its_board() {
    let draw = DrawDesc::default().resolve(Chip::Gfx1150).expect("a draw");
    let value = |name: &str| draw.image.get(regs::find(Gfx::Gfx115, name).expect("a register").addr());
    assert_eq!(value("SPI_SHADER_PGM_RSRC3_PS"), Some(0x7F_00FF));
    assert_eq!(value("SPI_SHADER_PGM_RSRC4_PS"), Some(0));
    assert_eq!(value("SPI_SHADER_PGM_RSRC3_GS"), Some(0x3F_FFFD));
    assert_eq!(value("SPI_SHADER_PGM_RSRC4_GS"), Some(0x3F_0001));
    assert_eq!(value("GE_PC_ALLOC"), Some(0x1FF));
}

/// Mesa 25.0.7 ac_gpu_info.c: min(128, pc_lines / (4 * max_se)), less 1.
#[test]
fn batches_of_gfx9_follow_the_engines_of_the_board() {
    let count = |recorder, chip| field(chip, "PA_SC_BINNER_CNTL_1", "MAX_ALLOC_COUNT", at_draw(recorder, chip, &["PA_SC_BINNER_CNTL_1"])[0]);
    for name in ["raven", "raven2", "renoir", "vega10"] {
        assert_eq!(count(Recorder::new(chip(name)), chip(name)), Some(127), "{name}");
    }
    let of = |shader_engines| Board { shader_engines, arrays_per_engine: 1, cus_per_array: 8 };
    assert_eq!(count(Recorder::new(Gpu { board: Some(of(4)), ..Gpu::from(Chip::Raven) }), Chip::Raven), Some(63));
    assert_eq!(count(Recorder::new(Gpu { board: Some(of(2)), ..Gpu::from(Chip::Raven) }), Chip::Raven), Some(127));
    for bad in [0, 33] {
        let error = Recorder::new(Gpu { board: Some(of(bad)), ..Gpu::from(Chip::Raven) }).begin().expect_err("no such board").to_string();
        assert!(error.contains("the shader engines of the board"), "{error}");
        let error = Recorder::new(Gpu { render_backends: Some(bad), ..Gpu::from(Chip::Raven) }).begin().expect_err("no such board").to_string();
        assert!(error.contains("the render backends"), "{error}");
    }
}

/// Mesa 25.0.7 ac_cmdbuf.c: with at most 4 render backends, metadata is kept in L2. Streams of RADV 25.0.7 show it on GFX1150, with bits that GFX11 lacks
/// (0x88_0004).
#[test]
fn chips_of_few_render_backends_keep_metadata_in_l2() {
    let names = ["CB_RMI_GL2_CACHE_CONTROL", "DB_RMI_L2_CACHE_CONTROL"];
    let policies = |recorder, chip| at_draw(recorder, chip, &names).into_iter().map(|value| value.expect("a value")).collect::<Vec<_>>();
    for name in ["vangogh", "raphael_mendocino"] {
        assert_eq!(policies(Recorder::new(chip(name)), chip(name)), [0x44_0044, 0x5_0045], "{name}");
    }
    assert_eq!(policies(Recorder::new(Chip::Gfx1150), Chip::Gfx1150), [0x80_0004, 0xA_0045]);
    for name in ["navi10", "navi21"] {
        assert_eq!(policies(Recorder::new(chip(name)), chip(name)), [0x55_0055, 0x15_0055], "{name}");
    }
    for name in ["navi31", "navi33"] {
        assert_eq!(policies(Recorder::new(chip(name)), chip(name)), [0xA0_0005, 0x2A_0055], "{name}");
    }
    assert_eq!(policies(Recorder::new(Gpu { render_backends: Some(4), ..Gpu::from(Chip::Navi33) }), Chip::Navi33), [0x80_0004, 0xA_0045]);
    assert_eq!(policies(Recorder::new(Gpu { render_backends: Some(5), ..Gpu::from(Chip::Navi33) }), Chip::Navi33), [0xA0_0005, 0x2A_0055]);
}

/// Preambles of RADV and radeonsi in recorded streams: 24 render backends on Navi31, 4 on GFX1150, 16 on GFX1201.
#[test]
fn preambles_choose_the_counters_of_samples_from_gfx11_on() {
    let chosen = |mut recorder: Recorder<Vec<u32>>| {
        recorder.begin().expect("a preamble");
        let words = recorder.words().to_vec();
        words.windows(4).find(|words| words[..2] == [0xC002_4600, 0x138]).map(|words| [words[2], words[3]])
    };
    assert_eq!(chosen(Recorder::new(Chip::Navi31)), Some([0xFFFF_FC00, 7]));
    assert_eq!(chosen(Recorder::new(Chip::Gfx1150)), Some([0x7C00, 0]));
    assert_eq!(chosen(Recorder::new(Gpu { render_backends: Some(16), ..Gpu::from(Chip::Gfx1201) })), Some([0x07FF_FC00, 0]));
    assert_eq!(chosen(Recorder::new(Gpu { render_backends: Some(32), ..Gpu::from(Chip::Gfx1201) })), Some([0xFFFF_FC00, 0x7FF]));
    for chip in Chip::all() {
        let known = Board::recorded(chip).is_some() && chip.gfx() >= Gfx::Gfx11;
        assert_eq!(chosen(Recorder::new(chip)).is_some(), known, "{chip}");
    }
}

/// A predicate costs only its packet (Mesa 25.0.7 radv_emit_set_predication_state; captures: 0x30100 and 0x40100, and 0 at the end).
#[test]
fn predicates_leave_the_state_known() {
    for chip in Chip::all() {
        let draw = DrawDesc::default().resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        recorder.draw(&draw).expect("a draw");
        let kinds = [
            (PredicateKind::Bool32, 0x4_0100),
            (PredicateKind::Bool64, 0x3_0100),
            (PredicateKind::Samples, 0x1_0100),
            (PredicateKind::StreamoutFits, 0x2_0100),
        ];
        for (kind, control) in kinds {
            for inverted in [false, true] {
                let before = recorder.words().len();
                recorder.set_predication(Some(Predicate { kind, address: ADDR, inverted })).expect("a predicate");
                let control = if inverted { control & !0x100 } else { control };
                assert_eq!(recorder.words()[before..], [0xC002_2000, control, ADDR as u32, 0], "{chip}");
                let before = recorder.words().len();
                recorder.draw(&draw).expect("a draw");
                assert_eq!(recorder.words()[before], 0xC001_2D01, "{chip}: the packet that draws, with the predicate bit, and nothing before it");
                recorder.set_predicated(false).expect("a graphics queue");
                let before = recorder.words().len();
                recorder.draw(&draw).expect("a draw");
                assert_eq!(recorder.words()[before], 0xC001_2D00, "{chip}");
            }
        }
        let before = recorder.words().len();
        recorder.set_predication(None).expect("an end");
        assert_eq!(recorder.words()[before..], [0xC002_2000, 0, 0, 0], "{chip}");
        let before = recorder.words().len();
        recorder.draw(&draw).expect("a draw");
        assert_eq!(recorder.words()[before], 0xC001_2D00, "{chip}");
    }
}

#[test]
fn predicates_that_cannot_be_leave_the_old_one() {
    let mut recorder = Recorder::new(Chip::Navi31);
    recorder.begin().expect("a preamble");
    let words = recorder.words().len();
    let mut set = |kind, addr| recorder.set_predication(Some(Predicate { kind, address: addr, inverted: false })).expect_err("refused").to_string();
    assert!(set(PredicateKind::Bool32, 0x1002).contains("the predicate: address 0x1002 must be a multiple of 4"));
    assert!(set(PredicateKind::Bool64, 0x1004).contains("multiple of 8"));
    assert!(set(PredicateKind::Samples, 0x1008).contains("multiple of 16"));
    assert!(set(PredicateKind::StreamoutFits, 0).contains("not 0"));
    assert!(set(PredicateKind::Bool32, 1 << 40).contains("40 bits"));
    assert_eq!(recorder.words().len(), words);
    recorder.draw(&DrawDesc::default().resolve(Chip::Navi31).expect("a draw")).expect("a draw");
    assert_eq!(recorder.words()[recorder.words().len() - 3], 0xC001_2D00, "no draw has the bit");
    assert!(compute(Chip::Navi31).set_predication(Some(Predicate { kind: PredicateKind::Bool32, address: ADDR, inverted: false })).is_err());
    assert!(compute(Chip::Navi31).set_predicated(true).is_err());
}

/// Returns a recorder for draws and dispatches, with memory for barriers.
fn begun_with_compute(chip: Chip) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::new(Gpu { render_backends: Some(16), ..Gpu::from(chip) });
    recorder.set_sync_memory(pm4::draw::sync::SyncMemory { fence: Some(0x20_0000), zpass: Some(0x21_0000) });
    recorder.begin_with(&queue_memory()).expect("a preamble");
    recorder.begin_compute().expect("a preamble");
    recorder
}

/// A draw whose predicate a dispatch has written, with the documented barrier.
#[test]
fn a_predicate_after_its_barrier_runs_on_the_model_without_errors() {
    for chip in Chip::all() {
        let (draw, mut recorder) = (DrawDesc::default().resolve(chip).expect("a draw"), begun_with_compute(chip));
        recorder.dispatch(&DispatchDesc::default().resolve(chip).expect("a dispatch")).expect("a dispatch");
        recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::IndirectRead)).expect("a barrier");
        recorder.set_predication(Some(Predicate { kind: PredicateKind::Bool64, address: ADDR, inverted: true })).expect("a predicate");
        recorder.draw(&draw).expect("a draw");
        recorder.set_predication(None).expect("an end");
        let words = recorder.finish().expect("an end");
        let mut cp = CommandProcessor::new(chip);
        cp.map("predicate", ADDR, &[0; 4]);
        cp.submit(Queue::Graphics, "draw", &words);
        let summary = cp.run(&mut ());
        assert_eq!((summary.errors, summary.draws), (0, 1), "{chip}");
    }
}

/// Mesa 25.0.7 emit_sample_streamout; radeonsi's streams show 0x320, 0x301, 0x302 and 0x303.
#[test]
fn counts_of_streamout_are_sampled_by_stream_up_to_gfx103() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        let before = recorder.words().len();
        if chip.gfx() >= Gfx::Gfx11 {
            let error = recorder.sample_streamout(0, ADDR).expect_err("programs count").to_string();
            assert!(error.contains("programs count"), "{chip}: {error}");
            assert_eq!(recorder.words().len(), before, "{chip}");
            continue;
        }
        for (stream, event) in [(0, 0x320), (1, 0x301), (2, 0x302), (3, 0x303)] {
            let before = recorder.words().len();
            recorder.sample_streamout(stream, ADDR).expect("a sample");
            assert_eq!(recorder.words()[before..], [0xC002_4600, event, ADDR as u32, 0], "{chip}");
        }
        assert!(recorder.sample_streamout(4, ADDR).is_err(), "{chip}");
        let error = recorder.sample_streamout(0, ADDR + 4).expect_err("refused").to_string();
        assert!(error.contains("multiple of 8"), "{chip}: {error}");
    }
}

/// Mesa 25.0.7 radv_emit_streamout_enable_state: queries of generated primitives count without buffers.
#[test]
fn primitives_are_counted_without_a_buffer() {
    let vertex = VertexStage { streamout: Some(Streamout::COUNTING), ..VertexStage::default() };
    let desc = DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() });
    for chip in Chip::all() {
        if chip.gfx() >= Gfx::Gfx11 {
            assert!(desc.resolve(chip).is_err(), "{chip}");
            continue;
        }
        let draw = desc.resolve(chip).expect("a draw");
        let value = |name: &str| draw.image.get(regs::find(chip.gfx(), name).expect("a register").addr());
        assert_eq!((value("VGT_STRMOUT_CONFIG"), value("VGT_STRMOUT_BUFFER_CONFIG")), (Some(0xF), Some(0)), "{chip}");
        assert_eq!(field(chip, "SPI_SHADER_PGM_RSRC2_VS", "SO_EN", value("SPI_SHADER_PGM_RSRC2_VS")), Some(0), "{chip}");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        recorder.draw(&draw).expect("nothing must begin");
    }
}

/// Captures: compute preambles write TA_CS_BC_BASE_ADDR, and COMPUTE_PIPELINESTAT_ENABLE = 1.
#[test]
fn compute_queues_have_border_colours_and_count_by_a_register() {
    for chip in Chip::all() {
        let mut recorder = compute(chip);
        recorder.begin_compute_with(&QueueMemory { border_colors: 0x12_3456_7800, ..queue_memory() }).expect("a preamble");
        let words = recorder.words().to_vec();
        let set = [0xC002_7900, (0x3_0E00 - 0x3_0000) / 4, 0x1234_5678, 0];
        assert!(words.windows(4).any(|words| words == set), "{chip}: {words:x?}");
        let before = words.len();
        recorder.count_statistics(true).expect("a register");
        recorder.count_statistics(false).expect("a register");
        let words = &recorder.words()[before..];
        assert_eq!(words.iter().copied().filter(|word| *word <= 1).collect::<Vec<_>>(), [1, 0], "{chip}: {words:x?}");
        assert!(words.iter().all(|word| word >> 8 & 0xFF != 0x46), "{chip}: no event");
        assert_eq!(words.iter().filter(|word| **word & 0xFFFF == (0xB828 - 0xB000) / 4).count(), 2, "{chip}: {words:x?}");
        assert!(compute(chip).begin_compute_with(&QueueMemory { border_colors: 1, ..QueueMemory::default() }).is_err(), "{chip}");
        let mut graphics = Recorder::new(chip);
        graphics.begin().expect("a preamble");
        let before = graphics.words().len();
        graphics.count_statistics(true).expect("an event");
        assert_eq!(graphics.words()[before] >> 8 & 0xFF, 0x46, "{chip}");
    }
}

#[test]
fn compute_queues_say_that_they_cannot_draw() {
    for chip in Chip::all() {
        let draw = DrawDesc::default().resolve(chip).expect("a draw");
        for error in [compute(chip).draw(&draw), compute(chip).begin(), compute(chip).begin_with(&queue_memory())] {
            let error = error.expect_err("refused").to_string();
            assert!(error.contains("cannot draw") && error.contains("begin_compute()"), "{chip}: {error}");
        }
    }
}

#[test]
fn addresses_in_errors_are_hexadecimal() {
    let error = Recorder::new(Chip::Navi31).begin_with(&QueueMemory { border_colors: 0x1004, ..QueueMemory::default() }).expect_err("refused").to_string();
    assert!(error.contains("0x1004"), "{error}");
    let error = TaskRings::at(Chip::Navi31, 0x1004).expect_err("refused").to_string();
    assert!(error.contains("0x1004"), "{error}");
    let mut recorder = Recorder::new(Chip::Navi31);
    let error = recorder.write_timestamp(0x1004).expect_err("refused").to_string();
    assert_eq!(error, "a timestamp: address 0x1004 must be a multiple of 8, not 0, and of 48 bits (canonical form)");
}

#[test]
fn no_query_writes_to_address_0() {
    let zero = |result: Result<(), RecordError>| result.expect_err("refused").to_string();
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        let before = recorder.words().len();
        for error in [zero(recorder.sample_occlusion(0)), zero(recorder.sample_pipeline_statistics(0))] {
            assert!(error.contains("address 0x0 must be a multiple of 8"), "{chip}: {error}");
        }
        assert_eq!(recorder.words().len(), before, "{chip}");
    }
}

/// A query, the documented barrier, and a dispatch that reads it.
#[test]
fn a_query_after_its_barrier_runs_on_the_model_without_errors() {
    for chip in Chip::all() {
        let (draw, mut recorder) = (DrawDesc::default().resolve(chip).expect("a draw"), begun_with_compute(chip));
        recorder.sample_occlusion(ADDR).expect("a sample");
        recorder.draw(&draw).expect("a draw");
        recorder.sample_occlusion(ADDR + 8).expect("a sample");
        recorder.write_timestamp(ADDR + 0x1000).expect("a timestamp");
        recorder.barrier(&Barrier::new(Access::QueryWrite, Access::ComputeRead)).expect("a barrier");
        recorder.dispatch(&DispatchDesc::default().resolve(chip).expect("a dispatch")).expect("a dispatch");
        let words = recorder.finish().expect("an end");
        let mut cp = CommandProcessor::new(chip);
        cp.map("fence", 0x20_0000, &[0; 4]);
        cp.submit(Queue::Graphics, "query", &words);
        let summary = cp.run(&mut ());
        assert_eq!((summary.errors, summary.draws, summary.dispatches), (0, 1, 1), "{chip}");
    }
}

/// Without the number of render backends, the preamble of GFX11 and later selects no counters: nothing would count.
#[test]
fn occlusion_that_nothing_counts_is_refused() {
    for chip in Chip::all() {
        let sample = |recorder: Recorder<Vec<u32>>| {
            let mut recorder = recorder;
            recorder.begin().expect("a preamble");
            recorder.sample_occlusion(ADDR)
        };
        assert!(sample(Recorder::new(Gpu { render_backends: Some(16), ..Gpu::from(chip) })).is_ok(), "{chip}");
        let mut plain = Recorder::new(chip);
        plain.begin().expect("a preamble");
        // EVENT_WRITE of PIXEL_PIPE_STAT_CONTROL.
        let counts = chip.gfx().major() < 11 || plain.words().windows(2).any(|words| *words == [0xC002_4600, 0x138]);
        match sample(Recorder::new(chip)) {
            Ok(()) => assert!(counts, "{chip}"),
            Err(error) => assert!(!counts && error.to_string().contains("with its render_backends"), "{chip}: {error}"),
        }
    }
    let mut unknown = Recorder::new(Chip::Gfx1201);
    unknown.begin().expect("a preamble");
    assert!(matches!(unknown.sample_occlusion(ADDR), Err(RecordError::NoCounters { chip: Chip::Gfx1201 })));
}
