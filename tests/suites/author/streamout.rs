//! Streamout: registers of draws that stream out, begin and end, and draws counted from streamout, compared with the model and RADV's captures.

use crate::chip_table::{assert_table, refused};
use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::{Event, Opcode, Queue, Reader};
use pm4::regs;
use support::captured::{captured, described, each_captured};
use support::draws::queue_memory;

const COUNTER: u64 = 0x10_0000;
const STATE: u64 = 0x20_0040;

fn writes(stride: u32) -> DrawDesc {
    DrawDesc::from(PipelineDesc {
        vertex: VertexStage { streamout: Some(Streamout::to_one_buffer(stride)), ..VertexStage::default() },
        ..PipelineDesc::default()
    })
}

fn begin(append: Option<u64>) -> StreamoutBegin {
    StreamoutBegin { buffers: [Some(StreamoutBuffer { bytes: 0x1_0000, append }), None, None, None], state: Some(STATE) }
}

pub fn counted() -> DrawCall {
    DrawCall::Counted(CountedDraw { counter: COUNTER, offset: 0, stride: 16, instances: Instances::default() })
}

fn field(image: &RegisterImage, gfx: Gfx, register: &str, field: &str) -> Option<u32> {
    let register = regs::find(gfx, register)?;
    Some(register.info().field(field)?.get(image.get(register.addr())?))
}

/// Returns the same draw with programs at some address.
pub fn loaded(mut desc: DrawDesc) -> DrawDesc {
    desc.pipeline.vertex.program.address = Some(0x40_0000);
    desc.pipeline.shader.iter_mut().for_each(|shader| shader.program.address = Some(0x41_0000));
    desc
}

/// DRAW_OPAQUE of GFX12 needs its three events directly after the packet, before those of HiZ and of exported rates.
#[test]
fn events_of_a_counted_draw_come_directly_after_it() {
    for chip in Chip::all().filter(|chip| chip.has(Erratum::OpaqueDrawEvents)) {
        let mut desc = loaded(DrawDesc::default());
        let hiz = HiSurface { address: 0x40_0000, swizzle: 3, format: false, extent: (64, 64) };
        desc.targets.depth = Some(DepthTarget { hiz: Some(hiz), ..DepthTarget::new(DepthFormat::D32, 1) });
        desc.pipeline.vertex.outputs.shading_rate = true;
        let resolved = desc.resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        recorder.draw_call(&resolved, &counted()).expect("a draw");
        let names: Vec<&str> = Reader::new(recorder.words()).flatten().filter_map(|packet| packet.name(chip.gfx())).collect();
        let draw = names.iter().position(|name| *name == "DRAW_INDEX_AUTO").expect("a draw");
        assert_eq!(names[draw + 1..][..4], ["EVENT_WRITE", "EVENT_WRITE", "EVENT_WRITE", "RELEASE_MEM"], "{chip}");
    }
}

/// Returns a pass that writes, pauses and continues, and a draw of the result.
fn whole_pass(chip: Chip) -> Vec<u32> {
    let (writer, reader) = (loaded(writes(16)).resolve(chip).expect("a draw"), loaded(DrawDesc::default()).resolve(chip).expect("a draw"));
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&queue_memory()).expect("a preamble");
    recorder.begin_streamout(&begin(None)).expect("a begin");
    recorder.draw(&writer).expect("a draw");
    recorder.end_streamout([Some(COUNTER), None, None, None]).expect("an end");
    recorder.begin_streamout(&begin(Some(COUNTER))).expect("a begin");
    recorder.draw(&writer).expect("a draw");
    recorder.end_streamout([Some(COUNTER), None, None, None]).expect("an end");
    recorder.draw_call(&reader, &counted()).expect("a draw");
    recorder.draw(&reader).expect("a draw");
    recorder.finish().expect("an end")
}

#[derive(Default)]
struct States(Vec<[Option<u32>; 3]>, Vec<String>);

impl Observer for States {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0.push(["VGT_STRMOUT_CONFIG", "VGT_STRMOUT_BUFFER_SIZE_0", "IA_MULTI_VGT_PARAM"].map(|name| view.value(view.register(name)?.addr())));
    }

    fn finding(&mut self, finding: &Finding) {
        self.1.extend((finding.severity != Severity::Info).then(|| finding.to_string()));
    }
}

#[test]
fn a_pass_of_streamout_runs_through_the_model_without_a_finding() {
    for chip in Chip::all() {
        let words = whole_pass(chip);
        let mut cp = CommandProcessor::new(chip);
        cp.map("counter", COUNTER, &[0; 16]);
        cp.map("state", STATE, &[0; 16]);
        cp.submit(Queue::Graphics, "streamout", &words);
        let mut seen = States::default();
        cp.run(&mut seen);
        assert!(seen.1.is_empty(), "{chip}: {:#?}", seen.1);
        assert_eq!(seen.0.len(), 4, "{chip}");
        if chip.gfx() <= Gfx::Gfx103 {
            let [first, again, counted, after] = seen.0[..] else { panic!("four draws") };
            assert_eq!((first[0], again[0], counted[0], after[0]), (Some(0xF), Some(0xF), Some(0), Some(0)), "{chip}");
            assert_eq!((first[1], again[1], counted[1]), (Some(0x4000), Some(0x4000), Some(0)), "{chip}: counting ends");
        }
    }
}

/// Draws counted from streamout write context registers of their own, and a roll loses the viewport scissors of Vega10 and Raven (STA-06).
#[test]
fn counted_draws_roll_the_context_and_keep_their_scissors() {
    for chip in [Chip::Vega10, Chip::Raven] {
        let reader = loaded(DrawDesc::default()).resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        let mut scissors = Vec::new();
        for _ in 0..3 {
            let before = recorder.words().len();
            recorder.draw_call(&reader, &counted()).expect("a draw");
            let sets: Vec<u32> = Reader::new(&recorder.words()[before..])
                .flatten()
                .filter(|packet| packet.opcode() == Some(Opcode::SET_CONTEXT_REG))
                .map(|packet| 0x2_8000 + 4 * packet.body[0])
                .collect();
            let at = |addr| sets.iter().rposition(|set| *set == addr);
            assert!(at(0x2_8250) > at(0x2_8B30) && at(0x2_8250) > at(0x2_8B28), "{chip}: scissors come last: {sets:x?}");
            scissors.push(at(0x2_8250).is_some());
        }
        recorder.draw(&reader).expect("a draw");
        assert_eq!(scissors, [true; 3], "{chip}");
        let words = recorder.finish().expect("an end");
        let mut cp = CommandProcessor::new(chip);
        cp.map("counter", COUNTER, &[0; 16]);
        cp.submit(Queue::Graphics, "streamout", &words);
        let mut seen = States::default();
        cp.run(&mut seen);
        assert!(seen.1.is_empty(), "{chip}: {:#?}", seen.1);
    }
}

#[test]
fn consecutive_counted_draws_write_ia_multi_vgt_param_once() {
    let reader = loaded(DrawDesc::default()).resolve(Chip::Vega10).expect("a draw");
    let mut recorder = Recorder::new(Chip::Vega10);
    recorder.begin_with(&queue_memory()).expect("a preamble");
    let register = regs::find(Gfx::Gfx9, "IA_MULTI_VGT_PARAM").expect("a register");
    let mut written = Vec::new();
    for _ in 0..3 {
        let before = recorder.words().len();
        recorder.draw_call(&reader, &counted()).expect("a draw");
        let sets = Reader::new(&recorder.words()[before..]).flatten().filter(|packet| {
            let uconfig = matches!(packet.opcode(), Some(Opcode::SET_UCONFIG_REG | Opcode::SET_UCONFIG_REG_INDEX));
            uconfig && packet.body[0] & 0xFFFF == (register.addr() - 0x3_0000) / 4
        });
        written.push(sets.count());
    }
    assert_eq!(written, [1, 0, 0]);
}

/// Mesa 25.0.7 radv_get_ia_multi_vgt_param: four shader engines must not share a packet that is counted from streamout.
#[test]
fn gfx9_switches_at_the_end_of_counted_packets_and_back() {
    let words = whole_pass(Chip::Vega10);
    let mut cp = CommandProcessor::new(Chip::Vega10);
    cp.submit(Queue::Graphics, "streamout", &words);
    let mut seen = States::default();
    cp.run(&mut seen);
    assert_eq!(seen.0.iter().map(|values| values[2]).collect::<Vec<_>>(), [Some(0x0068_007F), Some(0x0068_007F), Some(0x0070_007F), Some(0x0068_007F)]);
}

/// Returns the parts of packets that belong to streamout, without memory addresses.
fn of_streamout(gfx: Gfx, words: &[u32]) -> Vec<String> {
    let mut all = Vec::new();
    for packet in Reader::new(words).map(|packet| packet.expect("a packet")) {
        let (opcode, body) = (packet.opcode().expect("an opcode"), packet.body);
        let said = match opcode {
            // A register, not memory.
            Opcode::WRITE_DATA if body[0] >> 8 & 0xF == 0 => format!("write {:x?}", &body[1..]),
            Opcode::WAIT_REG_MEM if body[0] >> 4 & 3 == 0 => format!("wait {body:x?}"),
            Opcode::EVENT_WRITE if body[0] & 0x3F == u32::from(Event::SO_VGTSTREAMOUT_FLUSH.0) => "flush".to_owned(),
            Opcode::STRMOUT_BUFFER_UPDATE => format!("update {:x}", body[0]),
            Opcode::COPY_DATA if body[0] & 0xF == 0 => format!("copy {:x} from {:x}", body[0], body[1]),
            Opcode::COPY_DATA if body[0] >> 8 & 0xF == 0 => format!("copy {:x} to {:x}", body[0], body[3]),
            Opcode::LOAD_CONTEXT_REG_INDEX => format!("load {:x?}", &body[2..]),
            Opcode::DRAW_INDEX_AUTO => format!("draw {:x}", body[1]),
            _ => String::new(),
        };
        all.extend((!said.is_empty()).then_some(said));
        let ours = (0x28AD0..0x28B34).chain([0x28B94, 0x28B98]);
        for write in packet.writes(gfx).filter(|write| ours.clone().any(|addr| addr == write.addr)) {
            all.push(format!("{:x} = {:x}", write.addr, write.value));
        }
    }
    all
}

/// The captures of a pass that continues from a counter, ends, and draws the result.
#[test]
fn streamout_is_recorded_as_radv_records_it() {
    let mut compared = 0;
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Navi21, Chip::Navi31] {
        let gfx = chip.gfx();
        let Some(bytes) = support::captured::read_capture(&format!("{chip}/transform_feedback.bin")) else { continue };
        let theirs: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let (writer, reader) = (writes(16).resolve(chip).expect("a draw"), DrawDesc::default().resolve(chip).expect("a draw"));
        let mut recorder = Recorder::secondary(chip);
        let buffer = StreamoutBuffer { bytes: 0x1_0000, append: Some(COUNTER) };
        recorder.begin_streamout(&StreamoutBegin { buffers: [Some(buffer), None, None, None], state: None }).expect("a begin");
        recorder.draw(&writer).expect("a draw");
        recorder.end_streamout([Some(COUNTER), None, None, None]).expect("an end");
        recorder.draw_call(&reader, &counted()).expect("a draw");
        // State may be written in a different order.
        let sorted = |words: &[u32]| {
            let mut parts: Vec<Vec<String>> = of_streamout(gfx, words).split_inclusive(|said| said.starts_with("draw")).map(<[String]>::to_vec).collect();
            parts.iter_mut().for_each(|part| part.sort());
            parts
        };
        assert_eq!(sorted(recorder.words()), sorted(&theirs), "{chip}");
        compared += 1;
    }
    println!("{compared} boards");
    assert!(compared > 0 || support::captured::read_capture("navi31/transform_feedback.bin").is_none(), "captures are there, and none is compared");
}

#[test]
fn three_events_follow_a_counted_draw_of_gfx12() {
    for chip in Chip::all() {
        let words = whole_pass(chip);
        let packets: Vec<_> = Reader::new(&words).map(|packet| packet.expect("a packet")).collect();
        let draw = packets.iter().position(|p| p.opcode() == Some(Opcode::DRAW_INDEX_AUTO) && p.body[1] & 0x40 != 0).expect("a counted draw");
        let events =
            packets[draw + 1..].iter().take_while(|p| p.opcode() == Some(Opcode::EVENT_WRITE) && p.body[0] & 0x3F == u32::from(Event::SQ_NON_EVENT.0)).count();
        assert_eq!(events, if chip.gfx() == Gfx::Gfx12 { 3 } else { 0 }, "{chip}");
    }
}

#[test]
fn registers_say_what_is_streamed_out() {
    let streamout = Streamout { strides: [16, 32, 0, 8], streams: [0b0011, 0b1000, 0, 0], rasterized_stream: 1 };
    for chip in Chip::all() {
        let desc = DrawDesc::from(PipelineDesc {
            geometry: Some(GeometryStage { vertex_dwords: [4, 2, 0, 0], output: GeometryOutput::Points, ..GeometryStage::default() }),
            vertex: VertexStage { streamout: Some(streamout), ..VertexStage::default() },
            ..PipelineDesc::default()
        });
        let (image, gfx) = (desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image, chip.gfx());
        let of = |register, name| field(&image, gfx, register, name);
        if gfx >= Gfx::Gfx11 {
            assert_eq!(of("VGT_SHADER_STAGES_EN", "NGG_WAVE_ID_EN"), Some(1), "{chip}");
            continue;
        }
        assert_eq!(of("VGT_STRMOUT_CONFIG", "RAST_STREAM"), Some(1), "{chip}");
        assert_eq!(image.get(0x28B98), Some(0b1000_0011), "{chip}");
        assert_eq!([0, 1, 3].map(|n: u32| image.get(0x28AD4 + 16 * n)), [Some(4), Some(8), Some(2)], "{chip}");
        assert_eq!(image.get(0x28AD4 + 32), None, "{chip}: no stream writes buffer 2");
        assert_eq!(of("SPI_SHADER_PGM_RSRC2_VS", "SO_EN"), Some(1), "{chip}: the copy program streams out");
        let bases = ["SO_BASE0_EN", "SO_BASE1_EN", "SO_BASE2_EN", "SO_BASE3_EN"];
        assert_eq!(bases.map(|base| of("SPI_SHADER_PGM_RSRC2_VS", base)), [1, 1, 0, 1].map(Some), "{chip}");
        assert_eq!(of("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").unwrap_or(0), 0, "{chip}: GFX10 streams out of the hardware VS");
    }
}

type Wrong = (fn(&mut DrawDesc), &'static str);

const WRONG: &[Wrong] = &[
    (|d| d.pipeline.vertex.streamout = Some(Streamout::to_one_buffer(18)), "a streamout buffer: 18 is not"),
    (|d| d.pipeline.vertex.streamout = Some(Streamout::to_one_buffer(0)), "a buffer whose stride is 0"),
    (|d| d.pipeline.vertex.streamout = Some(Streamout { streams: [1, 0, 0, 0], strides: [16, 0, 4, 0], rasterized_stream: 0 }), "no stream writes it"),
    (|d| d.pipeline.vertex.streamout = Some(Streamout { streams: [0x10, 0, 0, 0], strides: [16, 0, 0, 0], rasterized_stream: 0 }), "a buffer beyond the four"),
    (
        |d| d.pipeline.vertex.streamout = Some(Streamout { streams: [1, 1, 0, 0], strides: [16, 0, 0, 0], rasterized_stream: 0 }),
        "two vertex streams write one buffer",
    ),
    (
        |d| d.pipeline.vertex.streamout = Some(Streamout { rasterized_stream: 4, ..Streamout::to_one_buffer(16) }),
        "the vertex stream that is rasterized: 4 is not",
    ),
    (|d| d.pipeline.vertex.streamout = Some(Streamout { rasterized_stream: 1, ..Streamout::to_one_buffer(16) }), "need a geometry shader"),
];

#[test]
fn wrong_streamout_is_refused_with_the_input_named() {
    for chip in Chip::all() {
        for (change, says) in WRONG {
            let mut desc = DrawDesc::default();
            change(&mut desc);
            let error = desc.resolve(chip).expect_err(says).to_string();
            assert!(error.contains(says), "{chip}: {error}, not {says}");
        }
        let mut mesh = writes(16);
        mesh.pipeline.mesh = Some(MeshStage::default());
        assert!(mesh.resolve(chip).is_err(), "{chip}");
        let mut ngg = writes(16);
        ngg.pipeline.vertex.path = Some(VertexPath::Ngg);
        assert_eq!(ngg.resolve(chip).is_ok(), chip.gfx() >= Gfx::Gfx11, "{chip}");
    }
}

/// Hardware of GFX9 to GFX10.3 counts the buffers that are bound and written (Mesa 25.0.7 radv_emit_streamout_enable_state).
#[test]
fn hardware_counts_only_buffers_with_which_streamout_began() {
    #[derive(Default)]
    struct Configs(Vec<Option<u32>>);
    impl Observer for Configs {
        fn draw(&mut self, view: &DrawView<'_>) {
            self.0.push(view.value(0x2_8B98));
        }
    }
    let streamout = Some(Streamout { strides: [16, 0, 32, 0], streams: [0b101, 0, 0, 0], rasterized_stream: 0 });
    let pipeline = loaded(DrawDesc::from(PipelineDesc { vertex: VertexStage { streamout, ..VertexStage::default() }, ..PipelineDesc::default() })).pipeline;
    let buffer = Some(StreamoutBuffer { bytes: 0x1_0000, append: None });
    let begins = [[buffer, None, None, None], [buffer, None, buffer, None], [None, None, buffer, buffer], [None, buffer, None, None], [buffer; 4]];
    let expected = [1, 1, 5, 5, 4, 4, 0, 0, 5, 5].map(Some);
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let state = DrawDesc::from(pipeline.clone()).resolve(chip).expect("a draw");
        let objects = (Pipeline::new(chip, pipeline.clone()).expect("a pipeline"), Targets::new(chip, TargetsDesc::default()).expect("targets"));
        for bound in [false, true] {
            let mut recorder = Recorder::new(chip);
            recorder.begin_with(&queue_memory()).expect("a preamble");
            recorder.bind_pipeline(&objects.0).expect("a pipeline");
            recorder.bind_targets(&objects.1).expect("targets");
            for buffers in begins {
                recorder.begin_streamout(&StreamoutBegin { buffers, state: None }).expect("a begin");
                for _ in 0..2 {
                    let call = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() };
                    if bound { recorder.draw_bound(&call) } else { recorder.apart(|recorder| recorder.draw_call(&state, &call)) }.expect("a draw");
                }
                recorder.end_streamout([None; 4]).expect("an end");
            }
            let words = recorder.finish().expect("an end");
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "streamout", &words);
            let mut seen = Configs::default();
            cp.run(&mut seen);
            assert_eq!(seen.0, expected, "{chip}, bound {bound}");
            let mut findings = States::default();
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "streamout", &words);
            cp.run(&mut findings);
            assert!(findings.1.is_empty(), "{chip}, bound {bound}: {:#?}", findings.1);
        }
    }
}

/// Writing a context register rolls the context: draws that change only other state write none.
#[test]
fn the_register_of_counted_buffers_is_written_once_per_change() {
    /// Returns the values written to VGT_STRMOUT_BUFFER_CONFIG.
    fn writes_of(words: &[u32], gfx: Gfx) -> Vec<u32> {
        Reader::new(words).flatten().flat_map(|packet| packet.writes(gfx).filter(|w| w.addr == 0x2_8B98).map(|w| w.value).collect::<Vec<_>>()).collect()
    }
    let streamout = Some(Streamout { strides: [16, 0, 32, 0], streams: [0b101, 0, 0, 0], rasterized_stream: 0 });
    let program = Program { user_data: vec![UserData::Keep; 4], ..Program::default() };
    let with = |streamout, cull| {
        let vertex = VertexStage { program: program.clone(), streamout, ..VertexStage::default() };
        let raster = Raster { cull, ..Raster::default() };
        loaded(DrawDesc::from(PipelineDesc { vertex, raster, ..PipelineDesc::default() })).pipeline
    };
    let buffer = Some(StreamoutBuffer { bytes: 0x1_0000, append: None });
    let call = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() };
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let pipeline = |streamout, cull| Pipeline::new(chip, with(streamout, cull)).expect("a pipeline");
        let [one, culls, plain] = [pipeline(streamout, Cull::None), pipeline(streamout, Cull::Back), pipeline(None, Cull::None)];
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        let start = recorder.words().len();
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("targets");
        let draws = |recorder: &mut Recorder<Vec<u32>>, pipelines: &[&Pipeline]| {
            for at in 0..8u32 {
                recorder.bind_pipeline(pipelines[at as usize % pipelines.len()]).expect("a pipeline");
                recorder.set_user_data(Stage::Vertex, 0, &[at; 2]).expect("SGPRs");
                recorder.draw_bound(&call).expect("a draw");
            }
        };
        let begin = |buffers| StreamoutBegin { buffers, state: None };
        recorder.begin_streamout(&begin([buffer, None, None, None])).expect("a begin");
        draws(&mut recorder, &[&one]);
        assert_eq!(writes_of(&recorder.words()[start..], chip.gfx()), [1], "{chip}: one pipeline");
        draws(&mut recorder, &[&one, &culls]);
        assert_eq!(writes_of(&recorder.words()[start..], chip.gfx()), [1], "{chip}: two pipelines that write the same");
        recorder.end_streamout([None; 4]).expect("an end");
        recorder.begin_streamout(&begin([buffer; 4])).expect("a begin");
        draws(&mut recorder, &[&culls]);
        assert_eq!(writes_of(&recorder.words()[start..], chip.gfx()), [1, 5], "{chip}: all buffers");
        recorder.end_streamout([None; 4]).expect("an end");
        recorder.begin_streamout(&begin([None, None, buffer, None])).expect("a begin");
        draws(&mut recorder, &[&one, &plain]);
        let written = writes_of(&recorder.words()[start..], chip.gfx());
        assert!(written.starts_with(&[1, 5, 4]) && written[3..].iter().all(|value| [0, 4].contains(value)), "{chip}: one that does not write: {written:?}");
        recorder.end_streamout([None; 4]).expect("an end");
    }
}

#[test]
fn begin_and_end_go_together() {
    for chip in Chip::all() {
        let mut recorder = Recorder::secondary(chip);
        let refused = |done: Result<(), RecordError>, says: &str| {
            let error = done.expect_err(says).to_string();
            assert!(error.contains(says), "{chip}: {error}, not {says}");
        };
        refused(recorder.end_streamout([None; 4]), "has not begun");
        refused(recorder.begin_streamout(&StreamoutBegin::default()), "no buffer");
        let small = StreamoutBegin { buffers: [Some(StreamoutBuffer { bytes: 6, append: None }), None, None, None], state: Some(STATE) };
        refused(recorder.begin_streamout(&small), "a multiple of 4");
        let none = StreamoutBegin { buffers: [Some(StreamoutBuffer { bytes: 0, append: None }), None, None, None], state: Some(STATE) };
        refused(recorder.begin_streamout(&none), "and not 0");
        refused(recorder.begin_streamout(&begin(Some(2))), "address 0x2");
        if chip.gfx() == Gfx::Gfx12 {
            refused(recorder.begin_streamout(&StreamoutBegin { state: None, ..begin(None) }), "GFX12 counts in memory");
            refused(recorder.begin_streamout(&StreamoutBegin { state: Some(0x20), ..begin(None) }), "a multiple of 64");
        }
        assert!(recorder.words().is_empty(), "{chip}: what is refused leaves nothing");
        recorder.begin_streamout(&begin(None)).expect("a begin");
        refused(recorder.begin_streamout(&begin(None)), "already begun");
        refused(recorder.end_streamout([None, Some(COUNTER), None, None]), "with which it did not begin");
        recorder.end_streamout([None; 4]).expect("an end");
        let reader = DrawDesc::default().resolve(chip).expect("a draw");
        let bad = CountedDraw { counter: COUNTER, offset: 0, stride: 512, instances: Instances::default() };
        refused(recorder.draw_call(&reader, &DrawCall::Counted(bad)), "512 bytes per vertex");
    }
}

/// The registers of streamout and of its stage in RADV's captures.
#[test]
fn draws_that_stream_out_equal_radv() {
    let names = [
        "VGT_STRMOUT_CONFIG",
        "VGT_STRMOUT_BUFFER_CONFIG",
        "VGT_STRMOUT_VTX_STRIDE_0",
        "SPI_SHADER_PGM_RSRC2_VS",
        "SPI_SHADER_PGM_RSRC2_GS",
        "VGT_SHADER_STAGES_EN",
        "SPI_SHADER_PGM_RSRC1_VS",
        "SPI_SHADER_PGM_RSRC1_GS",
    ];
    let (mut compared, mut streams) = (0, 0);
    each_captured(&captured(), |draw| {
        if draw.case != "transform_feedback" || !draw.packet.starts_with("DRAW_") {
            return;
        }
        let desc = described(draw).expect("a draw");
        streams += usize::from(desc.pipeline.vertex.streamout.is_some());
        let image = desc.resolve(draw.chip).unwrap_or_else(|e| panic!("{}: {e}", draw.chip)).image;
        for name in names {
            let ours = regs::find(draw.chip.gfx(), name).and_then(|register| image.get(register.addr()));
            if let (Some(radv), Some(ours)) = (draw.get(name), ours) {
                assert_eq!(ours, radv, "{} {name}", draw.chip);
                compared += 1;
            }
        }
    });
    assert!(streams >= 1 && compared >= 8 * streams, "{compared} values of {streams} draws that stream out");
}

/// Begin and end of streamout with one buffer and with four, with and without counters, with a draw in between and after.
#[test]
fn passes_of_streamout_are_the_expected_packets() {
    let buffer = |bytes, append| Some(StreamoutBuffer { bytes, append });
    let begins = [
        ("one buffer", [buffer(0x1_0000, None), None, None, None]),
        ("one buffer that goes on", [buffer(0x1_0000, Some(COUNTER)), None, None, None]),
        ("buffers 1 and 3", [None, buffer(0x1000, None), None, buffer(0x2000, Some(COUNTER + 0x30))]),
        ("four buffers", [buffer(4, None), buffer(8, Some(COUNTER)), buffer(0x10, None), buffer(0xFFFF_FFFC, None)]),
        ("no buffer", [None; 4]),
        ("a buffer of an odd size", [buffer(6, None), None, None, None]),
        ("a counter at an odd address", [buffer(0x100, Some(COUNTER + 2)), None, None, None]),
    ];
    let counters = [
        ("no counter", [None; 4]),
        ("two counters", [Some(COUNTER), None, None, Some(COUNTER + 0x40)]),
        ("an odd counter", [Some(COUNTER + 1), None, None, None]),
    ];
    let mut all = Vec::new();
    for (what, buffers) in begins {
        for (state, at) in [("", Some(STATE)), (", no state", None), (", a state at an odd address", Some(STATE + 8))] {
            for (end, counters) in counters {
                all.push((format!("{what}{state}, {end}"), (StreamoutBegin { buffers, state: at }, counters)));
            }
            let each = std::array::from_fn(|nth| buffers[nth].map(|_| COUNTER + 0x40 * nth as u64));
            all.push((format!("{what}{state}, a counter for each"), (StreamoutBegin { buffers, state: at }, each)));
        }
    }
    let lines = |chip: Chip, (begin, counters): &(StreamoutBegin, [Option<u64>; 4])| {
        let draw = loaded(writes(16)).resolve(chip).expect("a draw");
        let mut recorder = Recorder::secondary(chip);
        recorder.draw(&draw).expect("a draw");
        let mut lines = Vec::new();
        for step in ["begin", "draw", "end", "draw"] {
            let before = recorder.words().len();
            let done = match step {
                "begin" => recorder.begin_streamout(begin),
                "end" => recorder.end_streamout(*counters),
                _ => recorder.draw(&draw),
            };
            let words = &recorder.words()[before..];
            let line = |packet: pm4::packet::Packet<'_>| format!("{} {:08x} {:x?}", packet.name(chip.gfx()).unwrap_or("?"), packet.header.0, packet.body);
            lines.extend(Reader::new(words).flatten().map(line).enumerate().map(|(nth, line)| format!("{step} {nth} {line}")));
            if let Err(error) = done {
                lines.extend(refused(error));
                break;
            }
        }
        lines
    };
    assert_table("tests/suites/author/streamout.rs", "draw/streamout_passes", |_| Vec::new(), &all, lines);
}

/// Otherwise programs would write where hardware last counted, and the counters of an unfinished streamout would be lost.
#[test]
fn what_streams_out_stands_between_begin_and_end() {
    for chip in Chip::all() {
        let draw = loaded(writes(16)).resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        let words = recorder.words().len();
        let error = recorder.draw(&draw).expect_err("no begin").to_string();
        assert!(error.contains("begin_streamout"), "{chip}: {error}");
        let pipeline = Pipeline::new(chip, loaded(writes(16)).pipeline).expect("a pipeline");
        recorder.bind_pipeline(&pipeline).expect("the chip");
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip");
        assert!(recorder.draw_vertices(Vertices { first: 0, count: 3 }).is_err(), "{chip}");
        assert_eq!(recorder.words().len(), words, "{chip}");
        recorder.begin_streamout(&begin(None)).expect("a begin");
        recorder.apart(|recorder| recorder.draw(&draw)).expect("a draw");
        recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("a draw");
        recorder.end_streamout([Some(COUNTER), None, None, None]).expect("an end");
        assert!(recorder.draw_vertices(Vertices { first: 0, count: 3 }).is_err(), "{chip}: it has ended");
        recorder.begin_streamout(&begin(None)).expect("a begin");
        let error = recorder.finish().expect_err("it goes on").to_string();
        assert!(error.contains("end_streamout"), "{chip}: {error}");
        // The caller of a secondary buffer may have begun it, and so may packets from elsewhere.
        Recorder::secondary(chip).draw(&draw).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("a preamble");
        recorder.writer();
        recorder.draw(&draw).expect("a draw");
    }
}

/// VGT_STRMOUT_VTX_STRIDE_n has 10 bits, in dwords; Vulkan requires at least 512 bytes, RADV offers 2048.
#[test]
fn strides_have_the_width_of_their_register() {
    for chip in Chip::all() {
        for stride in [512, 2048, 4092] {
            let draw = writes(stride).resolve(chip).expect("a stride");
            let held = (chip.gfx() <= Gfx::Gfx103).then_some(stride / 4);
            assert_eq!(field(&draw.image, chip.gfx(), "VGT_STRMOUT_VTX_STRIDE_0", "STRIDE"), held, "{chip}");
        }
        assert_eq!(writes(4096).resolve(chip).is_ok(), chip.gfx() >= Gfx::Gfx11, "{chip}");
        assert!(writes(510).resolve(chip).is_err(), "{chip}");
    }
}
