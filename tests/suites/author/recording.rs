//! State that a recorder omits because the hardware already holds it: the model's state at each draw is that of the draw alone, whatever was recorded before.

use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer};
use pm4::draw::sync::{Access, Barrier, Fence, FenceData, SyncMemory};
use pm4::draw::*;
use pm4::packet::{
    Event, Opcode, Packet, PacketFields, Queue, Reader, Stream, WriteError,
    gfx9::{SetContextReg, SetShReg},
    structs::{CondExec, NumInstances},
};
use pm4::regs;
use quickcheck::{Arbitrary, Gen};
use support::draws::{desc_of_vertices, pick};
use support::property;
use support::recorded::*;

/// A call of the recorder.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A draw with the state of this number, indexed or not, with a number of instances.
    Draw {
        state: usize,
        indexed: bool,
        instances: u32,
        first: u32,
    },
    /// A draw that reads its arguments from memory.
    Indirect {
        state: usize,
    },
    /// A draw that is refused after its registers are written.
    Refused {
        state: usize,
    },
    /// A dispatch with the program of this number.
    Dispatch(usize),
    Barrier,
    /// A buffer with a draw of its own.
    Call,
    /// A write of a register or of draw state through the writer.
    Foreign(u32),
    /// The number of instances, as an emitted packet.
    Emit,
    /// An access to the writer that writes nothing.
    Writer,
    Statistics(bool),
}

/// Mostly equal states, and the calls.
#[derive(Debug, Clone)]
struct Recording {
    chip: Chip,
    states: Vec<DrawDesc>,
    steps: Vec<Step>,
}

/// Parts of a description that may differ between states.
const PARTS: [fn(&mut DrawDesc, &DrawDesc); 19] = [
    |a, b| (a.pipeline.shader, a.pipeline.interlock) = (b.pipeline.shader.clone(), b.pipeline.interlock),
    |a, b| a.pipeline.vertex = b.pipeline.vertex.clone(),
    |a, b| a.pipeline.geometry = b.pipeline.geometry.clone(),
    |a, b| {
        (a.pipeline.vertex, a.pipeline.tessellation, a.pipeline.geometry, a.pipeline.topology) =
            (b.pipeline.vertex.clone(), b.pipeline.tessellation.clone(), b.pipeline.geometry.clone(), b.pipeline.topology)
    },
    |a, b| a.pipeline.vertex.path = b.pipeline.vertex.path,
    |a, b| (a.targets.color, a.pipeline.samples, a.targets.depth) = (b.targets.color.clone(), b.pipeline.samples, b.targets.depth),
    |a, b| a.targets.depth = b.targets.depth,
    |a, b| (a.state.viewports, a.state.scissors) = (b.state.viewports.clone(), b.state.scissors.clone()),
    |a, b| a.state.viewports.truncate(b.state.viewports.len()),
    |a, b| a.state.scissors = b.state.scissors.clone(),
    |a, b| a.pipeline.raster = b.pipeline.raster,
    |a, b| a.pipeline.depth_test = b.pipeline.depth_test,
    |a, b| a.state.blend_constants = b.state.blend_constants,
    |a, b| a.pipeline.primitive_restart = b.pipeline.primitive_restart,
    |a, b| a.pipeline.topology = b.pipeline.topology,
    |a, b| a.pipeline.binning = b.pipeline.binning,
    |a, b| a.targets.extent = b.targets.extent,
    |a, b| a.pipeline.sample_mask = b.pipeline.sample_mask,
    |a, b| a.pipeline.sample_locations = b.pipeline.sample_locations,
];

impl Arbitrary for Recording {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &Chip::all().collect::<Vec<_>>());
        let mut states = Vec::new();
        while states.len() < 4 {
            let other = desc_of_vertices(g, chip);
            let mut state = states.first().unwrap_or(&other).clone();
            (0..1 + u32::arbitrary(g) % 3).for_each(|_| pick(g, &PARTS)(&mut state, &other));
            if state.resolve(chip).is_ok() {
                states.push(state);
            }
        }
        let steps = (0..4 + usize::arbitrary(g) % 20).map(|_| step(g)).collect();
        Self { chip, states, steps }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let fewer = self.clone();
        let one_less = (0..self.steps.len()).map(move |at| {
            let mut smaller = fewer.clone();
            smaller.steps.remove(at);
            smaller
        });
        let plain = self.clone();
        // One state as another one, part by part.
        let alike = (1..self.states.len()).flat_map(move |at| {
            let plain = plain.clone();
            PARTS.iter().filter_map(move |part| {
                let mut smaller = plain.clone();
                part(&mut smaller.states[at], &plain.states[0]);
                (smaller.states != plain.states && smaller.states[at].resolve(plain.chip).is_ok()).then_some(smaller)
            })
        });
        Box::new(one_less.chain(alike))
    }
}

fn step(g: &mut Gen) -> Step {
    let state = usize::arbitrary(g) % 4;
    match u8::arbitrary(g) % 24 {
        0..=11 => Step::Draw { state, indexed: bool::arbitrary(g), instances: 1 + u32::arbitrary(g) % 2, first: u32::arbitrary(g) % 2 },
        12 => Step::Indirect { state },
        13 | 14 => Step::Refused { state },
        15 | 16 => Step::Dispatch(state % 2),
        17 => Step::Barrier,
        18 => Step::Call,
        19 => Step::Foreign(u32::arbitrary(g) % 5),
        20 => Step::Emit,
        21 => Step::Writer,
        _ => Step::Statistics(bool::arbitrary(g)),
    }
}

impl Recording {
    /// Records the steps; `forgets` before each of them.
    fn record(&self, forgets: bool) -> Result<Recorded, RecordError> {
        let chip = self.chip;
        let states: Vec<Resolved> = self.states.iter().map(|state| state.resolve(chip).expect("it was resolved before")).collect();
        let user_data = |n: u32| (0..8).map(|i| UserData::Word(if i == 3 { n } else { i })).collect();
        let program = |n| Program { user_data: user_data(n), ..Program::default() };
        let dispatches = [0, 1].map(|n| DispatchDesc { program: program(n), ..DispatchDesc::default() }.resolve(chip).expect("a dispatch"));
        let mut callee = Recorder::secondary(chip);
        callee.draw(&states[3])?;
        let called = callee.finish()?;

        let mut recorder = Recorder::new(chip);
        recorder.set_spare_index(0xCC00);
        recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        let (mut images, mut calls, mut plain, mut known) = (Vec::new(), Vec::new(), Vec::new(), true);
        let find = |name| regs::find(chip.gfx(), name).map(|found| found.addr());
        let mut statistics = false;
        // As if packets of someone else had begun streamout.
        recorder.writer();
        recorder.begin()?;
        recorder.begin_compute()?;
        for step in &self.steps {
            if forgets {
                recorder.writer();
            }
            let mut registers = Vec::new();
            let draw = match *step {
                Step::Draw { state, indexed, instances, first } => {
                    let sgprs = states[state].draw_sgprs();
                    let instances = Instances { count: instances, first: if sgprs.first_instance.is_some() { first } else { 0 } };
                    let base = if sgprs.base_vertex.is_some() { first } else { 0 };
                    let call = if indexed {
                        let indices = Indices { first, count: 3, base_vertex: base as i32 };
                        DrawCall::Indexed { buffer: INDEX_BUFFER, indices, instances }
                    } else {
                        DrawCall::Auto { vertices: Vertices { first: base, count: 3 }, instances }
                    };
                    recorder.draw_call(&states[state], &call)?;
                    registers.extend(find("VGT_NUM_INSTANCES").map(|addr| (addr, instances.count)));
                    registers.extend(sgprs.base_vertex.map(|addr| (addr, base)));
                    registers.extend(sgprs.first_instance.map(|addr| (addr, instances.first)));
                    registers.extend(sgprs.draw_index.map(|addr| (addr, 0)));
                    if indexed {
                        let packing = if packing_must_stop(chip, &self.states[state], statistics) { 1 << 14 } else { 0 };
                        registers.extend(find("VGT_INDEX_TYPE").map(|addr| (addr, IndexFormat::U32 as u32 | packing)));
                    }
                    Some(state)
                }
                Step::Indirect { state } => {
                    recorder.draw_call(&states[state], &DrawCall::Indirect { arguments: 0x5000 })?;
                    Some(state)
                }
                Step::Refused { state } => {
                    let buffer = IndexBuffer { address: 0xFFFF_FFFF_F000, indices: 0x1_0000, format: IndexFormat::U16 };
                    let indices = Indices { first: 0x8000, count: 3, base_vertex: 0 };
                    let before = recorder.words().to_vec();
                    recorder.draw_call(&states[state], &DrawCall::Indexed { buffer, indices, instances: Instances::default() }).expect_err("beyond 2^48");
                    assert_eq!(recorder.words(), before);
                    None
                }
                Step::Dispatch(which) => recorder.dispatch(&dispatches[which]).map(|()| None)?,
                Step::Barrier => recorder.barrier(&Barrier::new(Access::ColorWrite | Access::PixelWrite, Access::PixelRead)).map(|_| None)?,
                Step::Call => {
                    recorder.call(CALLED, called.len() as u32)?;
                    known = false;
                    Some(3)
                }
                Step::Foreign(which) => {
                    if let Some((addr, values)) = foreign(chip, which) {
                        recorder.writer().set_regs(addr, &values)?;
                    }
                    recorder.writer().num_instances(5)?;
                    known = false;
                    None
                }
                Step::Emit => {
                    recorder.emit(&NumInstances { num_instances: 7 })?;
                    None
                }
                Step::Writer => {
                    recorder.writer();
                    known = false;
                    None
                }
                Step::Statistics(on) => {
                    recorder.count_statistics(on)?;
                    statistics = on;
                    None
                }
            };
            if let Some(state) = draw {
                images.push(states[state].image.clone());
                calls.push(registers);
                plain.push(known);
            }
        }
        Ok(Recorded { words: recorder.finish()?, more: vec![], called, images, calls, plain })
    }
}

/// Against the same steps with everything written anew: no other state, no finding that is not there as well, no more dwords.
#[test]
fn state_at_each_draw_equals_that_of_a_single_draw() {
    fn holds(recording: Recording) -> Result<(), String> {
        let (spare, full) = (recording.record(false).map_err(|e| e.to_string())?, recording.record(true).map_err(|e| e.to_string())?);
        let (ours, all) = (watch(recording.chip, &spare), watch(recording.chip, &full));
        if let Some(wrong) = ours.wrong.first() {
            return Err(format!("{}: {wrong}", recording.chip));
        }
        if let Some(code) = ours.findings.iter().find(|code| !all.findings.contains(code)) {
            return Err(format!("{}: {code} where little is written, and not where all is", recording.chip));
        }
        if spare.words.len() > full.words.len() { Err("more dwords than everything takes".to_string()) } else { Ok(()) }
    }
    property("state at each draw", 400, holds as fn(Recording) -> Result<(), String>);
}

fn packets(words: &[u32]) -> Vec<Packet<'_>> {
    Reader::new(words).map(|p| p.expect("whole packets")).collect()
}

/// Returns the packets, by name, that a second draw writes after a first one.
fn second(chip: Chip, first: &DrawDesc, then: &DrawDesc) -> Vec<String> {
    let mut recorder = Recorder::new(chip);
    recorder.begin().expect("room");
    recorder.draw(&first.resolve(chip).expect("a draw")).expect("room");
    let before = recorder.words().len();
    recorder.draw(&then.resolve(chip).expect("a draw")).expect("room");
    packets(&recorder.words()[before..]).iter().filter(|p| p.opcode() != Some(Opcode::EVENT_WRITE)).map(|p| p.name(chip.gfx()).unwrap_or("?").into()).collect()
}

#[test]
fn a_draw_writes_what_differs_and_nothing_else() {
    let plain = DrawDesc::default();
    let viewport = |width| DrawDesc {
        state: DynamicState { viewports: vec![Viewport { width, ..Viewport::covering((256, 128)) }], ..DynamicState::default() },
        ..DrawDesc::default()
    };
    for chip in Chip::all() {
        assert_eq!(second(chip, &plain, &plain), ["DRAW_INDEX_AUTO"], "{chip}");
        assert_eq!(second(chip, &plain, &DrawDesc { instances: 2, ..DrawDesc::default() }), ["NUM_INSTANCES", "DRAW_INDEX_AUTO"], "{chip}");
        let points = DrawDesc::from(PipelineDesc { topology: Topology::TriangleStrip, ..PipelineDesc::default() });
        assert!(second(chip, &plain, &points).iter().any(|name| name.starts_with("SET_UCONFIG_REG")), "{chip}");
        let names = second(chip, &viewport(100.0), &viewport(101.0));
        assert!(names.iter().all(|name| ["SET_CONTEXT_REG", "DRAW_INDEX_AUTO"].contains(&name.as_str())), "{chip}: {names:?}");
    }
}

/// A refused second preamble is not written, and the registers keep their values.
#[test]
fn a_preamble_that_is_refused_leaves_what_is_known() {
    let again = RecordError::Begun { call: "begin" };
    for chip in Chip::all() {
        let state = DrawDesc::default().resolve(chip).expect("a draw");
        let mut memory = [0; 4096];
        let first = {
            let mut recorder = Recorder::new(chip);
            recorder.begin().expect("room");
            recorder.draw(&state).expect("room");
            recorder.words().len()
        };
        let mut recorder = Recorder::fixed(chip, &mut memory[..first + 8]);
        recorder.begin().expect("room");
        recorder.draw(&state).expect("room");
        assert_eq!(recorder.begin().as_ref(), Err(&again), "{chip}");
        assert_eq!(recorder.words().len(), first, "{chip}");
        recorder.draw(&state).expect("room for a draw alone");
        let names: Vec<_> = packets(&recorder.words()[first..]).iter().map(|p| p.name(chip.gfx())).collect();
        assert_eq!(names, [Some("DRAW_INDEX_AUTO")], "{chip}");
        // The same with bound objects.
        let pipeline = Pipeline::new(chip, PipelineDesc::default()).expect("a pipeline");
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let triangle = Vertices { first: 0, count: 3 };
        let first = {
            let mut recorder = Recorder::new(chip);
            recorder.begin().expect("room");
            recorder.bind_targets(&targets).and_then(|()| recorder.bind_pipeline(&pipeline)).expect("the same chip");
            recorder.draw_vertices(triangle).expect("room");
            recorder.words().len()
        };
        let mut recorder = Recorder::fixed(chip, &mut memory[..first + 8]);
        recorder.begin().expect("room");
        recorder.bind_targets(&targets).and_then(|()| recorder.bind_pipeline(&pipeline)).expect("the same chip");
        recorder.draw_vertices(triangle).expect("room");
        assert_eq!(recorder.begin().as_ref(), Err(&again), "{chip}");
        recorder.draw_vertices(triangle).expect("room for a draw alone");
    }
}

/// The same with bound objects.
#[test]
fn bound_draws_after_a_range_that_may_be_skipped_write_all_again() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the same chip");
        let pipeline =
            |cull| Pipeline::new(chip, PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..PipelineDesc::default() }).expect("a pipeline");
        let (none, back) = (pipeline(Cull::None), pipeline(Cull::Back));
        let draw = |recorder: &mut Recorder<Vec<u32>>, pipeline: &Pipeline| {
            let before = recorder.words().len();
            recorder.bind_pipeline(pipeline).expect("the same chip");
            recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("room");
            (recorder.words().len() - before) as u32
        };
        let whole = draw(&mut recorder, &none);
        recorder.writer();
        let again = draw(&mut recorder, &back);
        recorder.writer().emit(&CondExec { addr: 0x1000, exec_count: again }).expect("room");
        assert_eq!(draw(&mut recorder, &none), again, "{chip}");
        // It is not known whether it has run.
        let after = draw(&mut recorder, &none);
        assert!(after + 8 >= whole.min(again), "{chip}: {after} of {again}");
        assert!(draw(&mut recorder, &none) < 8, "{chip}");
        let (words, memory) = (recorder.finish().expect("room"), [0]);
        let image = |cull| {
            DrawDesc::from(PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..PipelineDesc::default() }).resolve(chip).expect("a draw").image
        };
        let recorded = Recorded {
            words,
            more: vec![],
            called: vec![0x8000_0000],
            images: vec![image(Cull::None), image(Cull::Back), image(Cull::None), image(Cull::None)],
            calls: vec![],
            plain: vec![false; 4],
        };
        let mut watch = Watch { recorded: &recorded, chip, draws: 0, wrong: Vec::new(), findings: Vec::new() };
        let mut cp = CommandProcessor::new(chip);
        cp.map("condition", 0x1000, &memory);
        cp.submit(Queue::Graphics, "stream", &recorded.words);
        cp.run(&mut watch);
        assert_eq!((watch.draws, watch.wrong), (4, vec![]), "{chip}");
    }
}

/// A range that may be skipped: its writes may be missing afterwards.
#[test]
fn what_may_be_skipped_counts_neither_as_held_nor_as_lost() {
    for chip in Chip::all() {
        let state =
            |cull| DrawDesc::from(PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..PipelineDesc::default() }).resolve(chip).expect("a draw");
        let (none, back) = (state(Cull::None), state(Cull::Back));
        let record = |dwords: u32| {
            let mut recorder = Recorder::new(chip);
            recorder.begin().expect("room");
            recorder.draw(&none).expect("room");
            let writer = recorder.writer();
            writer.emit(&CondExec { addr: 0x1000, exec_count: dwords }).expect("room");
            let before = writer.len();
            recorder.draw(&back).expect("room");
            let skipped = recorder.words().len() - before;
            recorder.draw(&back).expect("room");
            (skipped as u32, recorder.finish().expect("room"))
        };
        // A span of one dword less than a draw takes is refused; its length is that of the draw outside.
        let mut plain = Recorder::new(chip);
        plain.begin().expect("room");
        plain.draw(&none).expect("room");
        plain.writer();
        let before = plain.words().len();
        plain.draw(&back).expect("room");
        let dwords = (plain.words().len() - before) as u32;
        let (skipped, words) = record(dwords);
        assert_eq!(skipped, dwords, "{chip}");
        let memory = [0];
        let recorded = Recorded {
            words,
            more: vec![],
            called: vec![0x8000_0000],
            images: vec![none.image.clone(), back.image.clone()],
            calls: vec![],
            plain: vec![false; 2],
        };
        let mut watch = Watch { recorded: &recorded, chip, draws: 0, wrong: Vec::new(), findings: Vec::new() };
        let mut cp = CommandProcessor::new(chip);
        cp.map("condition", 0x1000, &memory);
        cp.submit(Queue::Graphics, "stream", &recorded.words);
        cp.run(&mut watch);
        assert_eq!((watch.draws, watch.wrong), (2, vec![]), "{chip}");
    }
}

/// Workarounds for changes between draws, with the packets that they insert before the second draw.
#[test]
fn workarounds_of_transitions_act_where_little_is_written() {
    let program = || Program { address: Some(0x10_0000), ..Program::default() };
    let vertex = || VertexStage { program: program(), ..VertexStage::default() };
    let shader = || Some(PixelShader { program: program(), ..PixelShader::default() });
    let plain = || DrawDesc::from(PipelineDesc { topology: Topology::TriangleStrip, vertex: vertex(), shader: shader(), ..PipelineDesc::default() });
    let path = |path| DrawDesc { pipeline: PipelineDesc { vertex: VertexStage { path: Some(path), ..vertex() }, ..plain().pipeline }, ..plain() };
    let restart = |primitive_restart| DrawDesc { pipeline: PipelineDesc { primitive_restart, ..plain().pipeline }, ..plain() };
    let culling = |cull| DrawDesc { pipeline: PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..plain().pipeline }, ..plain() };
    let event = |event: Event| {
        move |_: Chip, words: &[u32]| {
            packets(words).iter().any(|p| p.opcode() == Some(Opcode::EVENT_WRITE) && p.body.first().is_some_and(|word| word & 0x3F == u32::from(event.0)))
        }
    };
    let scissors = |chip: Chip, words: &[u32]| {
        let last = packets(words).iter().flat_map(|p| p.writes(chip.gfx())).map(|w| w.addr).filter(|a| (0x2_8000..0x2_9000).contains(a)).last();
        last.is_some_and(|addr| (0x2_8250..0x2_82D0).contains(&addr))
    };
    type Acts<'t> = &'t dyn Fn(Chip, &[u32]) -> bool;
    // Erratum, the draws, whether it acts between them.
    let (flush, sync) = (event(Event::VGT_FLUSH), event(Event::SQ_NON_EVENT));
    let table: [(Erratum, DrawDesc, DrawDesc, bool, Acts<'_>); 8] = [
        (Erratum::VgtFlushNggLegacy, path(VertexPath::Ngg), path(VertexPath::Legacy), true, &flush),
        (Erratum::VgtFlushNggLegacy, path(VertexPath::Legacy), path(VertexPath::Ngg), false, &flush),
        (Erratum::VgtFlushNggLegacy, path(VertexPath::Legacy), path(VertexPath::Legacy), false, &flush),
        (Erratum::PrimRestartSync, restart(false), restart(true), true, &sync),
        (Erratum::PrimRestartSync, restart(true), restart(false), true, &sync),
        (Erratum::PrimRestartSync, restart(true), restart(true), false, &sync),
        (Erratum::ViewportScissor, culling(Cull::None), culling(Cull::Front), true, &scissors),
        (Erratum::ViewportScissor, culling(Cull::Front), culling(Cull::Front), false, &scissors),
    ];
    let draw = |recorder: &mut Recorder<Vec<u32>>, chip: Chip, desc: &DrawDesc, bound: bool| {
        if !bound {
            return recorder.draw(&desc.resolve(chip)?);
        }
        recorder.bind_targets(&Targets::new(chip, desc.targets.clone())?)?;
        recorder.bind_pipeline(&Pipeline::new(chip, desc.pipeline.clone())?)?;
        recorder.draw_vertices(Vertices { first: 0, count: 3 })
    };
    for (erratum, first, then, concerns, acts) in &table {
        for (chip, bound) in erratum.chips().flat_map(|chip| [(chip, false), (chip, true)]) {
            let (Ok(one), Ok(other)) = (first.resolve(chip), then.resolve(chip)) else { continue };
            let mut recorder = Recorder::new(chip);
            recorder.begin().expect("room");
            // The second draw with the same state is only its packet; what follows starts from there.
            draw(&mut recorder, chip, first, bound).expect("room");
            draw(&mut recorder, chip, first, bound).expect("room");
            let before = recorder.words().len();
            draw(&mut recorder, chip, then, bound).expect("room");
            let end = recorder.words().iter().rposition(|word| *word == 0xC001_2D00).expect("a draw");
            assert_eq!(acts(chip, &recorder.words()[before..end]), *concerns, "{erratum} on {chip}, bound: {bound}");
            let recorded = Recorded {
                words: recorder.finish().expect("room"),
                more: vec![],
                called: vec![0x8000_0000],
                images: vec![one.image.clone(), one.image, other.image],
                calls: vec![],
                plain: vec![true; 3],
            };
            let watch = watch(chip, &recorded);
            assert_eq!((watch.wrong, watch.findings), (vec![], vec![]), "{erratum} on {chip}, bound: {bound}");
        }
    }
}

/// The context rolled in full memory: the scissors are written again in the next chunk nevertheless.
#[test]
fn a_roll_before_the_end_of_a_chunk_counts_after_it() {
    let desc = DrawDesc { targets: TargetsDesc { extent: (64, 64), ..TargetsDesc::default() }, ..DrawDesc::default() };
    for chip in Erratum::ViewportScissor.chips() {
        let draw = desc.resolve(chip).expect("a draw");
        let mut next = 0;
        let memory = |dwords: usize| {
            next += 4 * dwords as u64;
            Some(0x9000_0000 + next)
        };
        let mut recorder = Recorder::chunked(chip, 1024, memory).expect("memory");
        recorder.begin().expect("room");
        recorder.draw(&draw).expect("room");
        // CB_BLEND_RED, which no draw here needs, and NOPs up to the end of the chunk.
        recorder.emit(&SetContextReg { reg_offset: 0x105, ..Default::default() }.followed_by(&[0])).expect("room");
        while recorder.words().len() <= 1018 {
            recorder.emit(&NumInstances { num_instances: 1 }).expect("room");
        }
        recorder.draw(&draw).expect("room");
        let words = recorder.words();
        assert!(words.len() < 100, "{chip}: another chunk");
        let scissors = packets(words).iter().flat_map(|p| p.writes(chip.gfx())).any(|w| w.addr == 0x2_8250);
        assert!(scissors, "{chip}");
    }
}

/// VGT_INDEX_TYPE disables instance packing before each draw of primitives with adjacency while statistics are counted, and enables it again afterwards.
#[test]
fn instance_packing_is_stopped_before_each_draw_that_must_not_have_it() {
    for chip in Erratum::InstancePacking.chips() {
        let state = |topology| DrawDesc::from(PipelineDesc { topology, ..PipelineDesc::default() }).resolve(chip).expect("a draw");
        let (neighbours, plain) = (state(Topology::TriangleListAdjacency), state(Topology::TriangleList));
        let addr = regs::find(chip.gfx(), "VGT_INDEX_TYPE").expect("every chip has it").addr();
        let mut recorder = Recorder::secondary(chip);
        recorder.count_statistics(true).expect("room");
        for (draw, wanted) in [(&neighbours, Some(1)), (&neighbours, Some(1)), (&plain, Some(0)), (&plain, None), (&neighbours, Some(1))] {
            let before = recorder.words().len();
            recorder.draw(draw).expect("room");
            let written =
                packets(&recorder.words()[before..]).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == addr).last().map(|w| w.value >> 14);
            assert_eq!(written, wanted, "{chip}");
        }
    }
}

/// On chips where a roll loses viewport scissors, those that a draw does not use are lost for later draws as well.
#[test]
fn scissors_that_a_draw_does_not_have_are_written_again_by_the_next_that_has_them() {
    let whole = Viewport::covering((256, 128));
    let state = |viewports, cull| DrawDesc {
        pipeline: PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..PipelineDesc::default() },
        state: DynamicState { viewports: vec![whole; viewports], ..DynamicState::default() },
        ..DrawDesc::default()
    };
    for (chip, bound) in Erratum::ViewportScissor.chips().flat_map(|chip| [(chip, false), (chip, true)]) {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        let draw = |recorder: &mut Recorder<Vec<u32>>, desc: &DrawDesc| {
            if !bound {
                return recorder.draw(&desc.resolve(chip)?);
            }
            recorder.bind_targets(&Targets::new(chip, desc.targets.clone())?)?;
            recorder.bind_pipeline(&Pipeline::new(chip, desc.pipeline.clone())?)?;
            recorder.set_viewports(&desc.state.viewports)?;
            recorder.draw_vertices(Vertices { first: 0, count: 3 })
        };
        for (viewports, cull, written) in [(3, Cull::None, 3), (1, Cull::Back, 1), (3, Cull::Back, 3), (1, Cull::Back, 0), (3, Cull::Back, 0)] {
            let before = recorder.words().len();
            draw(&mut recorder, &state(viewports, cull)).expect("room");
            let scissors =
                packets(&recorder.words()[before..]).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| (0x2_8250..0x2_82D0).contains(&w.addr)).count();
            // At the third draw, the first scissor is unchanged, but the roll for the others loses it as well. The last two draws do not roll.
            assert_eq!(scissors, 2 * written, "{chip}: {viewports} viewports, bound: {bound}");
        }
        // The caller rolls (CB_BLEND_RED, which no draw here needs) before the draw with one viewport.
        let context = SetContextReg { reg_offset: 0x105, ..Default::default() };
        recorder.emit(&context.followed_by(&[1])).expect("room");
        for (viewports, written) in [(1, 1), (3, 3), (3, 0)] {
            let before = recorder.words().len();
            draw(&mut recorder, &state(viewports, Cull::Back)).expect("room");
            let scissors =
                packets(&recorder.words()[before..]).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| (0x2_8250..0x2_82D0).contains(&w.addr)).count();
            assert_eq!(scissors, 2 * written, "{chip}: {viewports} viewports after a roll of the caller, bound: {bound}");
        }
    }
}

/// A step of a sequence of dispatches.
#[derive(Debug, Clone)]
enum Compute {
    Pipeline(usize),
    Data { first: u32, words: Vec<u32> },
    Dispatch(Grid),
    Forget,
}

#[derive(Debug, Clone)]
struct Dispatches {
    chip: Chip,
    queue: Queue,
    descs: Vec<DispatchDesc>,
    steps: Vec<Compute>,
}

impl Arbitrary for Dispatches {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &Chip::all().collect::<Vec<_>>());
        let word = |g: &mut Gen| u32::arbitrary(g) % 3;
        let desc = |g: &mut Gen| {
            let user_data = (0..8).map(|_| if bool::arbitrary(g) { UserData::Keep } else { UserData::Word(word(g)) }).collect();
            let program = Program { address: Some(0x1000 * (1 + u64::from(word(g)))), user_data, ..Program::default() };
            DispatchDesc { program, group: [1 + word(g), 4, 1], ..DispatchDesc::default() }
        };
        let descs = (0..3).map(|_| desc(g)).collect();
        let step = |g: &mut Gen| match u8::arbitrary(g) % 12 {
            0 | 1 => Compute::Pipeline(usize::arbitrary(g) % 3),
            2..=4 => {
                let (first, count) = (u32::arbitrary(g) % 8, u32::arbitrary(g) % 5);
                Compute::Data { first, words: (0..count).map(|_| word(g)).collect() }
            }
            5 => Compute::Forget,
            6 | 7 => Compute::Dispatch(Grid::Threads([1 + word(g), 5, 2])),
            8 => Compute::Dispatch(Grid::Indirect(0x8000 + 4 * u64::from(word(g)))),
            _ => Compute::Dispatch(Grid::Groups([1 + word(g), 2, 1])),
        };
        let steps = (0..30).map(|_| step(g)).collect();
        Self { chip, queue: pick(g, &[Queue::Graphics, Queue::Compute]), descs, steps }
    }
}

/// Registers and packets of dispatches, as the model sees them.
struct SeenDispatches {
    images: Vec<RegisterImage>,
    wrong: Vec<String>,
    seen: usize,
}

impl Observer for SeenDispatches {
    fn dispatch(&mut self, view: &DrawView<'_>) {
        let Some(image) = self.images.get(self.seen) else { return };
        for register in image.registers().filter(|r| view.value(r.addr) != Some(r.value)) {
            self.wrong.push(format!("dispatch {}: {:#x} holds {:x?}, not {:#x}", self.seen, register.addr, view.value(register.addr), register.value));
        }
        self.seen += 1;
    }
}

/// Bound pipelines dispatch the same as the complete description, with user data in the SGPRs that the program leaves free, and write no more.
#[test]
fn bound_dispatches_have_the_same_state_as_a_single_dispatch() {
    fn holds(Dispatches { chip, queue, descs, steps }: Dispatches) -> Result<(), String> {
        let say = |error: RecordError| error.to_string();
        let pipelines: Vec<_> = descs.iter().map(|desc| ComputePipeline::new(chip, desc.clone()).expect("a pipeline")).collect();
        let (mut recorder, mut whole) =
            (Recorder::from_writer(chip, Stream::growable(chip.gfx(), queue)), Recorder::from_writer(chip, Stream::growable(chip.gfx(), queue)));
        recorder.begin_compute().map_err(say)?;
        whole.begin_compute().map_err(say)?;
        let (mut bound, mut data, mut images) = (None, [None; 16], Vec::new());
        for step in &steps {
            match step {
                Compute::Pipeline(n) => {
                    bound = Some(*n);
                    recorder.bind_compute(&pipelines[*n]).map_err(say)?;
                }
                Compute::Data { first, words } => {
                    recorder.set_compute_data(*first, words).map_err(say)?;
                    words.iter().zip(*first as usize..).for_each(|(word, at)| data[at] = Some(*word));
                }
                Compute::Forget => {
                    recorder.writer();
                    whole.writer();
                }
                Compute::Dispatch(grid) => {
                    let Some(n) = bound else {
                        assert!(matches!(recorder.dispatch_bound(*grid), Err(RecordError::NotBound { .. })));
                        continue;
                    };
                    let mut desc = DispatchDesc { grid: *grid, ..descs[n].clone() };
                    for (at, given) in desc.program.user_data.iter_mut().zip(data) {
                        if let (UserData::Keep, Some(word)) = (&at, given) {
                            *at = UserData::Word(word);
                        }
                    }
                    recorder.dispatch_bound(*grid).map_err(say)?;
                    let resolved = desc.resolve(chip).map_err(|error| error.to_string())?;
                    whole.dispatch(&resolved).map_err(say)?;
                    images.push(resolved.image);
                }
            }
        }
        let before = recorder.words().len();
        assert!(recorder.dispatch_bound(Grid::Indirect(1 << 48)).is_err() && recorder.words().len() == before, "nothing of what is refused");
        let (words, all) = (recorder.finish().map_err(say)?, whole.finish().map_err(say)?);
        if words != all {
            return Err(format!("{} dwords with bound pipelines, {} with dispatches described at once", words.len(), all.len()));
        }
        let mut cp = CommandProcessor::new(chip);
        cp.submit(queue, "dispatches", &words);
        let mut seen = SeenDispatches { images, wrong: Vec::new(), seen: 0 };
        cp.run(&mut seen);
        assert_eq!(seen.seen, seen.images.len());
        seen.wrong.first().map_or(Ok(()), |wrong| Err(format!("{chip}: {wrong}")))
    }
    property("bound dispatches", 300, holds as fn(Dispatches) -> Result<(), String>);
}

#[test]
fn each_user_sgpr_of_a_dispatch_is_written_by_itself() {
    for chip in Chip::all() {
        let first = regs::find(chip.gfx(), "COMPUTE_USER_DATA_0").expect("every chip has it").addr();
        let program = Program { address: Some(0x10_0000), user_data: vec![UserData::Keep; 8], ..Program::default() };
        let pipeline = ComputePipeline::new(chip, DispatchDesc { program, group: [64, 1, 1], ..DispatchDesc::default() }).expect("a pipeline");
        for sgpr in 0..8 {
            let mut recorder = Recorder::new(chip);
            recorder.begin_compute().expect("room");
            recorder.bind_compute(&pipeline).expect("the same chip");
            recorder.set_compute_data(0, &[9; 8]).expect("room");
            recorder.dispatch_bound(Grid::Groups([1, 1, 1])).expect("room");
            let before = recorder.words().len();
            recorder.set_compute_data(sgpr, &[7]).expect("room");
            recorder.dispatch_bound(Grid::Groups([1, 1, 1])).expect("room");
            let written: Vec<(u32, u32)> = packets(&recorder.words()[before..]).iter().flat_map(|p| p.writes(chip.gfx())).map(|w| (w.addr, w.value)).collect();
            assert_eq!(written, [(first + 4 * sgpr, 7)], "{chip}");
        }
    }
}

/// Packets of the caller roll the context too.
#[test]
fn scissors_are_written_again_after_a_packet_of_the_caller_that_rolls() {
    for chip in Erratum::ViewportScissor.chips() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("room");
        recorder.bind_pipeline(&Pipeline::new(chip, PipelineDesc::default()).expect("a pipeline")).expect("room");
        let draw = |recorder: &mut Recorder<Vec<u32>>| recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("room");
        (0..3).for_each(|_| draw(&mut recorder));
        // CB_BLEND_RED, which no draw here needs; a shader register, which does not roll.
        let context = SetContextReg { reg_offset: 0x105, ..Default::default() };
        recorder.emit(&context.followed_by(&[1])).expect("room");
        let before = recorder.words().len();
        draw(&mut recorder);
        let scissors = |words: &[u32]| packets(words).iter().flat_map(|p| p.writes(chip.gfx())).any(|w| w.addr == 0x2_8250);
        assert!(scissors(&recorder.words()[before..]), "{chip}");
        let before = recorder.words().len();
        recorder.emit(&SetShReg { reg_offset: 0x5F }.followed_by(&[1])).expect("room");
        draw(&mut recorder);
        assert!(!scissors(&recorder.words()[before..]), "{chip}");
    }
}

#[test]
fn compute_data_stays_within_the_stage() {
    let mut recorder = Recorder::new(Chip::Navi31);
    recorder.set_compute_data(12, &[0; 4]).expect("16 SGPRs");
    let error = recorder.set_compute_data(13, &[0; 4]).expect_err("17 SGPRs");
    assert_eq!(error.to_string(), "4 words of user data from SGPR 13 on: compute has 16 user SGPRs");
    assert!(recorder.set_compute_data(u32::MAX, &[0]).is_err());
}

/// A range that may be skipped does not extend beyond its buffer.
#[test]
fn a_buffer_does_not_end_within_a_range_that_may_be_skipped() {
    let draw = DrawDesc::default().resolve(Chip::Navi31).expect("a draw");
    let open = WriteError::SpanOpen { left: 97 };
    let skip = |exec_count| CondExec { addr: 0x1000, exec_count };
    let mut recorder = Recorder::new(Chip::Navi31);
    recorder.begin().expect("a preamble");
    recorder.emit(&skip(400)).expect("a packet");
    recorder.draw(&draw).expect("it fits the range");
    let left = 400 - (recorder.words().len() - recorder.words().iter().position(|word| *word == 400).expect("the count") - 1);
    assert_eq!(recorder.finish().err(), Some(RecordError::Write(WriteError::SpanOpen { left })));
    let mut next = 0x10_0000;
    let memory = move |dwords: usize| {
        next += 4 * dwords as u64;
        Some(next - 4 * dwords as u64)
    };
    let mut recorder = Recorder::chunked(Chip::Navi31, 512, memory).expect("memory");
    recorder.begin().expect("a preamble");
    recorder.emit(&skip(99)).expect("a packet");
    recorder.emit(&NumInstances { num_instances: 1 }).expect("a packet");
    assert_eq!(recorder.finish_chunks().err(), Some(RecordError::Write(open)));
    // A full range, and none.
    for dwords in [0, 2] {
        let mut recorder = Recorder::new(Chip::Navi31);
        recorder.begin().expect("a preamble");
        recorder.emit(&skip(dwords)).expect("a packet");
        recorder.emit(&NumInstances { num_instances: 1 }).expect("a packet");
        assert!(recorder.finish().is_ok(), "{dwords}");
    }
}

/// A recorder knows the packets of its chip: a writer of another generation or of the constant engine is refused by the first call.
#[test]
fn a_writer_of_another_generation_or_queue_is_refused_by_the_first_call() {
    let chip = Chip::Navi31;
    let draw = DrawDesc::default().resolve(chip).expect("a draw");
    for (gfx, queue) in [(Gfx::Gfx9, Queue::Graphics), (Gfx::Gfx103, Queue::Compute), (Gfx::Gfx115, Queue::Graphics), (Gfx::Gfx11, Queue::Constant)] {
        let over = || Recorder::from_writer(chip, Stream::growable(gfx, queue));
        let refused = Some(RecordError::OtherStream { gfx, queue, recorder: chip });
        let mut recorder = over();
        assert_eq!(recorder.begin().err(), refused);
        assert_eq!(recorder.draw(&draw).err(), refused);
        assert_eq!(recorder.begin_compute().err(), refused);
        assert_eq!(recorder.emit(&NumInstances { num_instances: 1 }).err(), refused);
        if queue == Queue::Graphics {
            assert_eq!(recorder.barrier(&Barrier::new(Access::ColorWrite, Access::PixelRead)).err(), refused);
        }
        assert_eq!(over().into_secondary().draw(&draw).err(), refused);
        assert_eq!(recorder.words(), [0; 0], "nothing is written");
        assert_eq!(recorder.finish().err(), refused);
    }
    let message = Recorder::from_writer(chip, Stream::growable(Gfx::Gfx9, Queue::Graphics)).begin().expect_err("another generation").to_string();
    assert!(message.contains("navi31") && message.contains("gfx11") && message.contains("gfx9") && message.contains("Graphics"), "{message}");
}

/// Calls out of order are refused with the name of the missing call, and write nothing.
#[test]
fn calls_out_of_order_are_refused() {
    let barrier = Barrier::new(Access::ComputeWrite, Access::ComputeRead);
    for chip in Chip::all() {
        let dispatch = DispatchDesc::default().resolve(chip).expect("a dispatch");
        for queue in [Queue::Graphics, Queue::Compute] {
            let mut recorder = Recorder::from_writer(chip, Stream::growable(chip.gfx(), queue));
            recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
            let missing = if queue == Queue::Graphics { RecordError::NotBegun } else { RecordError::ComputeNotBegun };
            let fence = Fence::new(0x3000, FenceData::Dword(1));
            assert_eq!(recorder.barrier(&barrier).map(|_| ()).as_ref(), Err(&missing), "{chip}");
            assert_eq!(recorder.fence(&fence).map(|_| ()).as_ref(), Err(&missing), "{chip}");
            assert_eq!(recorder.write_timestamp(0x3000).map(|_| ()).as_ref(), Err(&missing), "{chip}");
            assert_eq!(recorder.dispatch(&dispatch), Err(RecordError::ComputeNotBegun), "{chip}");
            assert!(missing.to_string().contains("call begin"), "{missing}");
            if queue == Queue::Graphics {
                recorder.begin().expect("a preamble");
                assert_eq!(recorder.begin_with(&QueueMemory::default()), Err(RecordError::Begun { call: "begin" }), "{chip}");
                assert_eq!(recorder.dispatch(&dispatch), Err(RecordError::ComputeNotBegun), "{chip}");
            }
            assert!(queue == Queue::Graphics || recorder.words().is_empty(), "{chip}: what is refused is not written");
            recorder.begin_compute().expect("a preamble");
            assert_eq!(recorder.begin_compute(), Err(RecordError::Begun { call: "begin_compute" }), "{chip}");
            recorder.dispatch(&dispatch).expect("a dispatch");
            recorder.barrier(&barrier).expect("a barrier");
        }
    }
}

/// Bound and set state is never ignored: a complete draw or dispatch is refused while objects are bound, unless the caller declares it independent.
#[test]
fn resolved_draws_beside_bound_objects_are_refused_unless_they_are_apart() {
    type Set = fn(&mut Recorder<Vec<u32>>, Chip);
    let sets: [(&str, Set); 5] = [
        ("a pipeline", |r, chip| r.bind_pipeline(&Pipeline::new(chip, PipelineDesc::default()).expect("a pipeline")).expect("the chip")),
        ("targets", |r, chip| r.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip")),
        ("user data", |r, _| r.set_user_data(Stage::Pixel, 3, &[0]).expect("a user SGPR")),
        ("a viewport", |r, _| r.set_viewports(&[Viewport::covering((8, 8))]).expect("a viewport")),
        ("stencil values", |r, _| r.set_stencil(Some(Default::default()))),
    ];
    for chip in Chip::all() {
        let (draw, dispatch) = (DrawDesc::default().resolve(chip).expect("a draw"), DispatchDesc::default().resolve(chip).expect("a dispatch"));
        let compute = ComputePipeline::new(chip, DispatchDesc::default()).expect("a pipeline");
        for (what, set) in sets {
            let mut recorder = Recorder::new(chip);
            recorder.begin().expect("a preamble");
            recorder.draw(&draw).expect("nothing is bound");
            set(&mut recorder, chip);
            let before = recorder.words().len();
            let mixed = RecordError::Mixed { call: "draw", instead: "draw_bound" };
            assert_eq!(recorder.draw(&draw).as_ref(), Err(&mixed), "{chip}: {what}");
            assert_eq!(recorder.draw_call(&draw, &DrawCall::Indirect { arguments: 0x1000 }).as_ref(), Err(&mixed), "{chip}: {what}");
            assert_eq!(recorder.words().len(), before, "{chip}: {what}");
            recorder.apart(|recorder| recorder.draw(&draw)).expect("meant so");
            assert_eq!(recorder.draw(&draw), Err(mixed), "{chip}: {what}");
        }
        let mut recorder = Recorder::new(chip);
        recorder.begin_compute().expect("a preamble");
        recorder.dispatch(&dispatch).expect("nothing is bound");
        recorder.bind_compute(&compute).expect("the chip");
        assert_eq!(recorder.dispatch(&dispatch), Err(RecordError::Mixed { call: "dispatch", instead: "dispatch_bound" }), "{chip}");
        recorder.apart(|recorder| recorder.dispatch(&dispatch)).expect("meant so");
        recorder.dispatch_bound(Grid::Groups([1; 3])).expect("it is bound still");
    }
}
