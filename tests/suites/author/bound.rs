//! Draws with bound objects: at each draw, the hardware holds the same register image as for the complete description, whatever was bound, drawn or refused
//! before.

use crate::golden::{Parts, digest, sampled};
use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::draw::sync::{Access, Barrier, SyncMemory};
use pm4::draw::*;
use pm4::gpu::Gpu;
use pm4::packet::{Buffer, Reader, WriteError, structs::NumInstances};
use pm4::regs;
use quickcheck::{Arbitrary, Gen};
use support::draws::{desc, pick};
use support::property;
use support::recorded::*;

/// A call of the recorder. Numbers select the state from which a part is taken.
#[derive(Debug, Clone)]
enum Step {
    Pipeline(usize),
    Targets(usize),
    Viewports(usize),
    Scissors(usize),
    BlendConstants(usize),
    Stencil(Option<(u8, u8)>),
    DepthBias(Option<i8>),
    DepthBounds(Option<u8>),
    LineWidth(Option<u8>),
    Rate(Option<ShadingRate>),
    Restart(Option<bool>),
    PatchPoints(Option<u32>),
    SampleLocations(Option<Box<SampleLocations>>),
    Occlusion(Occlusion),
    UserData {
        stage: Stage,
        first: u32,
        words: Vec<u32>,
    },
    /// Sets all of the dynamic state.
    Dynamic(usize),
    Draw {
        indexed: bool,
        instances: u32,
        first: u32,
    },
    Indirect,
    /// A refused draw.
    Refused,
    /// A state that was resolved as a whole.
    Whole(usize),
    Dispatch,
    Barrier,
    /// A buffer with a draw of its own.
    Call,
    Foreign(u32),
    Emit,
    Writer,
    Statistics(bool),
}

#[derive(Debug, Clone)]
struct Binding {
    chip: Chip,
    states: Vec<DrawDesc>,
    steps: Vec<Step>,
}

fn optional<T>(g: &mut Gen, some: impl FnOnce(&mut Gen) -> T) -> Option<T> {
    if u8::arbitrary(g) % 3 == 0 { None } else { Some(some(g)) }
}

fn step(g: &mut Gen) -> Step {
    let state = usize::arbitrary(g) % 4;
    match u8::arbitrary(g) % 68 {
        0..=7 => Step::Pipeline(state),
        8..=11 => Step::Targets(state),
        12..=14 => Step::Viewports(state),
        15..=17 => Step::Scissors(state),
        18 => Step::BlendConstants(state),
        19 => Step::Stencil(optional(g, <(u8, u8)>::arbitrary)),
        20 => Step::DepthBias(optional(g, i8::arbitrary)),
        21 => Step::DepthBounds(optional(g, u8::arbitrary)),
        22 => Step::LineWidth(optional(g, u8::arbitrary)),
        23 => Step::Rate(optional(g, |g| pick(g, &[ShadingRate::R1x1, ShadingRate::R2x1, ShadingRate::R2x2]))),
        24 => Step::Restart(optional(g, bool::arbitrary)),
        25 => Step::Occlusion(pick(g, &[Occlusion::Off, Occlusion::Conservative, Occlusion::Precise])),
        26..=31 => {
            let (first, count) = (u32::arbitrary(g) % 30, u32::arbitrary(g) % 8);
            let words = (0..count.min(32 - first)).map(|_| u32::arbitrary(g) % 3).collect();
            Step::UserData { stage: pick(g, &[Stage::Pixel, Stage::Vertex, Stage::Ngg, Stage::Hull]), first, words }
        }
        32 => Step::Dynamic(state),
        33..=50 => Step::Draw { indexed: bool::arbitrary(g), instances: 1 + u32::arbitrary(g) % 2, first: u32::arbitrary(g) % 2 },
        51 => Step::Indirect,
        52 | 53 => Step::Refused,
        54 => Step::Whole(state),
        55 => Step::Dispatch,
        56 => Step::Barrier,
        57 => Step::Call,
        58 => Step::Foreign(u32::arbitrary(g) % 5),
        59 => Step::Emit,
        60 => Step::Writer,
        61 => Step::Statistics(bool::arbitrary(g)),
        62 | 63 => Step::PatchPoints(optional(g, |g| 1 + u32::arbitrary(g) % 32)),
        64 => Step::SampleLocations(optional(g, |g| Box::new(support::draws::sample_locations(g)))),
        _ => Step::Draw { indexed: false, instances: 1, first: 0 },
    }
}

impl Arbitrary for Binding {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &Chip::all().collect::<Vec<_>>());
        let mut states = Vec::new();
        while states.len() < 4 {
            let state = desc(g, chip);
            if state.resolve(chip).is_ok() {
                states.push(state);
            }
        }
        // Two of them are more likely to match than not.
        let targets = states[0].targets.clone();
        let mixed = DrawDesc { targets: targets.clone(), ..states[1].clone() };
        if mixed.resolve(chip).is_ok() {
            states[1] = mixed;
        }
        let steps = (0..4 + usize::arbitrary(g) % 40).map(|_| step(g)).collect();
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
        let default = (0..self.states.len()).filter_map(move |at| {
            let mut smaller = plain.clone();
            smaller.states[at] = DrawDesc::default();
            (smaller.states[at] != plain.states[at]).then_some(smaller)
        });
        Box::new(one_less.chain(default))
    }
}

/// The objects bound last.
#[derive(Default)]
struct Last {
    pipeline: Option<PipelineDesc>,
    targets: Option<TargetsDesc>,
}

impl Last {
    /// Returns the complete description of the draw with the bound objects.
    fn draw(&self, state: &DynamicState) -> Option<DrawDesc> {
        Some(DrawDesc { pipeline: self.pipeline.clone()?, targets: self.targets.clone()?, state: state.clone(), ..DrawDesc::default() })
    }
}

impl Binding {
    /// Records the steps until one is refused for lack of room: then the stream is unchanged by that step.
    fn record<B: Buffer>(&self, recorder: Recorder<B>, forgets: bool) -> Result<(Recorded, Recorder<B>), String> {
        self.record_at(true, recorder, forgets)
    }

    /// Does the same into the buffer with the preamble, or into one that is called after it.
    fn record_at<B: Buffer>(&self, primary: bool, mut recorder: Recorder<B>, forgets: bool) -> Result<(Recorded, Recorder<B>), String> {
        let chip = self.chip;
        let states: Vec<Resolved> = self.states.iter().map(|state| state.resolve(chip).expect("it was resolved before")).collect();
        let pipelines: Vec<_> =
            self.states.iter().map(|state| Pipeline::new(chip, state.pipeline.clone())).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        let targets: Vec<_> = self.states.iter().map(|state| Targets::new(chip, state.targets.clone())).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        let dispatch = DispatchDesc::default().resolve(chip).expect("a dispatch");
        let mut callee = Recorder::secondary(chip);
        callee.draw(&states[3]).expect("room");
        let called = callee.finish().expect("room");

        recorder.set_spare_index(0xCC00);
        recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        // As if packets from elsewhere had begun streamout.
        recorder.writer();
        let mut recorded = Recorded { words: vec![], more: vec![], called, images: vec![], calls: vec![], plain: vec![] };
        // The caller of a buffer may count statistics.
        let (mut statistics, mut known, mut last) = (!primary, false, Last::default());
        if primary {
            match recorder.begin().and_then(|()| recorder.begin_compute()) {
                Err(RecordError::Write(WriteError::Full { .. })) => {
                    recorded.words = recorder.words().to_vec();
                    return Ok((recorded, recorder));
                }
                begun => begun.map_err(|e| e.to_string())?,
            }
        }
        for step in self.steps.iter().cloned() {
            if forgets {
                recorder.writer();
            }
            let before = recorder.words().to_vec();
            let mut draw = None;
            let done = match step.clone() {
                Step::Pipeline(n) => {
                    last.pipeline = Some(self.states[n].pipeline.clone());
                    recorder.bind_pipeline(&pipelines[n])
                }
                Step::Targets(n) => {
                    last.targets = Some(self.states[n].targets.clone());
                    recorder.bind_targets(&targets[n])
                }
                Step::Viewports(n) => recorder.set_viewports(&self.states[n].state.viewports),
                Step::Scissors(n) => recorder.set_scissors(&self.states[n].state.scissors),
                Step::BlendConstants(n) => recorder.set_blend_constants(self.states[n].state.blend_constants),
                Step::Stencil(faces) => {
                    let values = |n| StencilValues { reference: n, write_mask: n ^ 0x5A, ..StencilValues::default() };
                    recorder.set_stencil(faces.map(|(front, back)| (values(front), values(back))));
                    Ok(())
                }
                Step::DepthBias(bias) => recorder.set_depth_bias(bias.map(|n| DepthBias { constant: n.into(), slope: 0.5, clamp: 0.0 })),
                Step::DepthBounds(bounds) => recorder.set_depth_bounds(bounds.map(|n| (0.0, f32::from(n)))),
                Step::LineWidth(width) => recorder.set_line_width(width.map(|n| f32::from(n) + 1.0)),
                Step::Rate(rate) => {
                    recorder.set_shading_rate(rate);
                    Ok(())
                }
                Step::Restart(on) => {
                    recorder.set_primitive_restart(on);
                    Ok(())
                }
                Step::SampleLocations(locations) => recorder.set_sample_locations(locations.map(|locations| *locations)),
                Step::PatchPoints(points) => recorder.set_patch_points(points),
                Step::Occlusion(occlusion) => {
                    recorder.set_occlusion(occlusion);
                    Ok(())
                }
                Step::UserData { stage, first, words } => recorder.set_user_data(stage, first, &words),
                Step::Dynamic(n) => recorder.set_dynamic_state(&self.states[n].state),
                Step::Draw { .. } | Step::Indirect | Step::Refused => {
                    let desc = last.draw(recorder.dynamic_state());
                    let Some(resolved) = desc.as_ref().map(|desc| desc.resolve(chip)) else {
                        let refused = recorder.draw_bound(&DrawCall::Indirect { arguments: 0x5000 });
                        assert!(matches!(refused, Err(RecordError::NotBound { .. })), "{refused:?}");
                        continue;
                    };
                    let Ok(resolved) = resolved else {
                        let refused = recorder.draw_vertices(Vertices { first: 0, count: 3 });
                        assert!(matches!(refused, Err(RecordError::Draw(_))), "{refused:?} where {desc:?} is refused");
                        // Another chunk is empty at first.
                        assert!(recorder.words() == before || recorder.words().is_empty());
                        continue;
                    };
                    let (call, registers) = call(chip, &step, &resolved, desc.as_ref(), statistics);
                    let result = recorder.draw_bound(&call);
                    if matches!(step, Step::Refused) {
                        assert!(matches!(result, Err(RecordError::Call(_) | RecordError::Write(_))), "{result:?}");
                        // Another chunk is empty at first.
                        assert!(recorder.words() == before || recorder.words().is_empty());
                        continue;
                    }
                    draw = Some((resolved.image.clone(), registers));
                    result
                }
                Step::Whole(n) => {
                    draw = Some((states[n].image.clone(), vec![]));
                    recorder.apart(|recorder| recorder.draw(&states[n]))
                }
                Step::Dispatch => recorder.dispatch(&dispatch),
                Step::Barrier => recorder.barrier(&Barrier::new(Access::ColorWrite | Access::PixelWrite, Access::PixelRead)).map(|_| ()),
                Step::Call => {
                    draw = Some((states[3].image.clone(), vec![]));
                    known = false;
                    recorder.call(CALLED, recorded.called.len() as u32)
                }
                Step::Foreign(which) => {
                    known = false;
                    foreign(chip, which).map_or(Ok(()), |(addr, values)| recorder.writer().set_regs(addr, &values)).map_err(RecordError::from)
                }
                Step::Emit => recorder.emit(&NumInstances { num_instances: 7 }),
                Step::Writer => {
                    known = false;
                    recorder.writer();
                    Ok(())
                }
                Step::Statistics(on) => {
                    statistics = on;
                    recorder.count_statistics(on)
                }
            };
            match done {
                Ok(()) => {}
                Err(RecordError::Write(WriteError::Full { .. })) => {
                    assert_eq!(recorder.words(), before, "{step:?} left something behind");
                    break;
                }
                Err(error) => return Err(format!("{step:?}: {error}")),
            }
            if let Some((image, registers)) = draw {
                recorded.images.push(image);
                recorded.calls.push(registers);
                recorded.plain.push(known);
                known = !matches!(step, Step::Call);
            }
        }
        recorded.words = recorder.words().to_vec();
        Ok((recorded, recorder))
    }
}

/// Returns the call of a step, and the registers that it sets.
fn call(chip: Chip, step: &Step, resolved: &Resolved, desc: Option<&DrawDesc>, statistics: bool) -> (DrawCall, Vec<(u32, u32)>) {
    let sgprs = resolved.draw_sgprs();
    let find = |name| regs::find(chip.gfx(), name).map(|found| found.addr());
    let mut registers = Vec::new();
    let (indexed, instances, first) = match *step {
        Step::Draw { indexed, instances, first } => (indexed, instances, first),
        Step::Refused => {
            let buffer = IndexBuffer { address: 0xFFFF_FFFF_F000, indices: 0x1_0000, format: IndexFormat::U16 };
            let indices = Indices { first: 0x8000, count: 3, base_vertex: 0 };
            return (DrawCall::Indexed { buffer, indices, instances: Instances::default() }, registers);
        }
        _ if desc.is_some_and(|desc| desc.pipeline.mesh.is_some()) => {
            let draws = IndirectDraws { arguments: 0x5000, stride: 12, draws: 2, count: None };
            // On GFX10.3, workgroups of indirect calls are passed only in user SGPRs.
            let told = sgprs.groups.is_some() || chip.gfx() >= Gfx::Gfx11;
            return (if told { DrawCall::MeshIndirect(draws) } else { DrawCall::Mesh { groups: [7, 1, 1] } }, registers);
        }
        _ => return (DrawCall::Indirect { arguments: 0x5000 }, registers),
    };
    if desc.is_some_and(|desc| desc.pipeline.mesh.is_some()) {
        let groups = if sgprs.groups.is_some() { [1 + first, instances, 3] } else { [1 + first, 1, 1] };
        registers.extend(sgprs.groups.into_iter().flat_map(|addr| (0..3).map(move |n| (addr + 4 * n, groups[n as usize]))));
        registers.extend(sgprs.draw_index.map(|addr| (addr, 0)));
        return (DrawCall::Mesh { groups }, registers);
    }
    let instances = Instances { count: instances, first: if sgprs.first_instance.is_some() { first } else { 0 } };
    let base = if sgprs.base_vertex.is_some() { first } else { 0 };
    registers.extend(find("VGT_NUM_INSTANCES").map(|addr| (addr, instances.count)));
    registers.extend(sgprs.base_vertex.map(|addr| (addr, base)));
    registers.extend(sgprs.first_instance.map(|addr| (addr, instances.first)));
    registers.extend(sgprs.draw_index.map(|addr| (addr, 0)));
    if !indexed {
        return (DrawCall::Auto { vertices: Vertices { first: base, count: 3 }, instances }, registers);
    }
    let packing = if desc.is_some_and(|desc| packing_must_stop(chip, desc, statistics)) { 1 << 14 } else { 0 };
    registers.extend(find("VGT_INDEX_TYPE").map(|addr| (addr, IndexFormat::U32 as u32 | packing)));
    let indices = Indices { first, count: 3, base_vertex: base as i32 };
    (DrawCall::Indexed { buffer: INDEX_BUFFER, indices, instances }, registers)
}

/// Compared with the same steps with everything written anew: the same state, no further finding, no more dwords. In limited memory, all draws up to the first
/// that does not fit are complete.
#[test]
fn bound_objects_draw_like_one_complete_description() {
    fn holds(binding: Binding) -> Result<(), String> {
        let (spare, _) = binding.record(Recorder::new(binding.chip), false)?;
        let (full, _) = binding.record(Recorder::new(binding.chip), true)?;
        let (ours, all) = (watch(binding.chip, &spare), watch(binding.chip, &full));
        if let Some(wrong) = ours.wrong.first() {
            return Err(format!("{}: {wrong}", binding.chip));
        }
        if let Some(code) = ours.findings.iter().find(|code| !all.findings.contains(code)) {
            return Err(format!("{}: {code} where little is written, and not where all is", binding.chip));
        }
        if spare.words.len() > full.words.len() {
            return Err(format!("{} dwords are more than the {} that everything takes", spare.words.len(), full.words.len()));
        }
        let mut memory = vec![0; spare.words.len() * (binding.steps.len() % 16) / 16];
        let (short, _) = binding.record(Recorder::fixed(binding.chip, &mut memory), false)?;
        let at = short.words.iter().zip(&spare.words).position(|(short, spare)| short != spare);
        at.map_or(Ok(()), |at| {
            Err(format!("in less memory dword {at} is {:#x}, not {:#x}, after {:x?}", short.words[at], spare.words[at], &spare.words[at.saturating_sub(6)..at]))
        })
    }
    property("bound state at each draw", 400, holds as fn(Binding) -> Result<(), String>);
}

/// In chunks of memory: the same state at each draw, and no additional context roll.
#[test]
fn a_stream_goes_on_in_other_chunks() {
    fn holds(binding: Binding) -> Result<(), String> {
        let dwords = if binding.steps.len().is_multiple_of(2) { 1024 } else { 4096 };
        let mut next = 0x90_0000_0000;
        let memory = |dwords: usize| {
            next += 4 * dwords as u64;
            Some(next - 4 * dwords as u64)
        };
        let recorder = Recorder::chunked(binding.chip, dwords, memory).map_err(|e| e.to_string())?;
        let (mut recorded, recorder) = binding.record(recorder, false)?;
        let finished = recorder.finish_chunks().map_err(|e| e.to_string())?;
        let mut chunks = finished.chunks().iter().map(|chunk| (chunk.addr, chunk.words.clone()));
        (recorded.words, recorded.more) = (chunks.next().map(|(_, words)| words).unwrap_or_default(), chunks.collect());
        let watch = watch(binding.chip, &recorded);
        watch.wrong.first().map_or(Ok(()), |wrong| Err(format!("{}: {wrong}", binding.chip)))
    }
    property("bound state in chunks", 200, holds as fn(Binding) -> Result<(), String>);
}

/// A draw after a plain one takes a different code path than one near the end of memory, but writes the same packets: consecutive SGPRs are in one packet,
/// unless the number of instances is between them.
#[test]
fn numbers_of_draws_have_one_form() {
    let user_data = vec![UserData::Keep, UserData::FirstInstance, UserData::BaseVertex];
    let vertex = VertexStage { program: Program { user_data, ..Program::default() }, ..VertexStage::default() };
    for chip in Chip::all() {
        let pipeline = Pipeline::new(chip, PipelineDesc { vertex: vertex.clone(), ..PipelineDesc::default() }).expect("a pipeline");
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let record = |recorder: &mut dyn FnMut(Vertices, Instances)| {
            for (base, first, count) in [(0, 0, 1), (1, 2, 1), (1, 3, 1), (4, 3, 1), (5, 6, 2), (5, 6, 2)] {
                recorder(Vertices { first: base, count: 3 }, Instances { first, count });
            }
        };
        let mut long = Recorder::new(chip);
        long.begin().expect("room");
        long.bind_pipeline(&pipeline).expect("the chip");
        long.bind_targets(&targets).expect("the chip");
        record(&mut |vertices, instances| long.draw_instances(vertices, instances).expect("room"));
        let mut memory = vec![0; long.words().len()];
        let mut short = Recorder::fixed(chip, &mut memory);
        short.begin().expect("room");
        short.bind_pipeline(&pipeline).expect("the chip");
        short.bind_targets(&targets).expect("the chip");
        record(&mut |vertices, instances| short.draw_instances(vertices, instances).expect("room"));
        assert_eq!(long.words(), short.words(), "{chip}");
    }
}

/// A draw after a plain one is refused if no SGPR takes its numbers, and writes nothing.
#[test]
fn numbers_without_an_sgpr_are_refused_after_a_plain_draw() {
    for chip in Chip::all() {
        let pipeline = Pipeline::new(chip, PipelineDesc::default()).expect("a pipeline");
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        recorder.bind_pipeline(&pipeline).expect("the chip");
        recorder.bind_targets(&targets).expect("the chip");
        let one = Instances::default();
        recorder.draw_instances(Vertices { first: 0, count: 3 }, one).expect("a plain draw");
        let dwords = recorder.words().len();
        for (first, instances) in [(1, one), (0, Instances { first: 1, count: 1 })] {
            let refused = recorder.draw_instances(Vertices { first, count: 3 }, instances);
            assert!(matches!(refused, Err(RecordError::Call(CallError::NoSgpr { value: 1, .. }))), "{chip}: {refused:?}");
            assert_eq!(recorder.words().len(), dwords, "{chip}");
        }
        recorder.draw_instances(Vertices { first: 0, count: 3 }, one).expect("a plain draw");
    }
}

/// Switches between states are cached; even with more switches than the cache holds, in any order, the state is the same.
#[test]
fn many_pipelines_in_any_order_draw_their_state() {
    for chip in [Chip::Vega10, Chip::Navi21, Chip::Navi31, Chip::Gfx1201] {
        let descs: Vec<PipelineDesc> = (0..12u32)
            .map(|nth| {
                let raster = Raster { cull: [Cull::None, Cull::Front, Cull::Back][nth as usize % 3], ..Raster::default() };
                let program = Program { address: Some(0x10_0000 + 0x1000 * u64::from(nth)), vgprs: 8 + 8 * (nth % 5), ..Program::default() };
                PipelineDesc { raster, vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() }
            })
            .collect();
        let pipelines: Vec<Pipeline> = descs.iter().map(|desc| Pipeline::new(chip, desc.clone()).expect("a pipeline")).collect();
        let images: Vec<RegisterImage> = descs.iter().map(|desc| DrawDesc::from(desc.clone()).resolve(chip).expect("a draw").image).collect();
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        recorder.bind_targets(&targets).expect("the chip");
        // Each after each other one, twice.
        let order: Vec<usize> = (0..2).flat_map(|_| (0..12).flat_map(|a| (0..12).flat_map(move |b| [a, b]))).collect();
        for nth in &order {
            recorder.bind_pipeline(&pipelines[*nth]).expect("the chip");
            recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("room");
        }
        let recorded = Recorded {
            words: recorder.finish().expect("room"),
            more: vec![],
            called: vec![0x8000_0000],
            images: order.iter().map(|nth| images[*nth].clone()).collect(),
            calls: vec![],
            plain: vec![true; order.len()],
        };
        let watch = watch(chip, &recorded);
        assert_eq!(watch.wrong, Vec::<String>::new(), "{chip}");
    }
}

/// Secondary buffers with objects of their own, called between draws with other state: each draw has its own image. The callee finds registers as the caller
/// left them, the caller finds them as the callee left them, and neither knows about the other.
#[test]
fn secondaries_draw_with_what_they_bind() {
    fn holds(binding: Binding) -> Result<(), String> {
        let chip = binding.chip;
        let mut inner = binding.clone();
        // There is one call level, and the caller begins. Statistics that a callee leaves running are its caller's affair.
        inner.steps.retain(|step| !matches!(step, Step::Call | Step::Statistics(_)));
        let (mut recorded, callee) = inner.record_at(false, Recorder::secondary(chip), false)?;
        recorded.called = callee.finish().map_err(|e| e.to_string())?;
        if recorded.called.is_empty() {
            return Ok(());
        }
        let state = binding.states[0].resolve(chip).map_err(|e| e.to_string())?;
        let mut recorder = Recorder::new(chip);
        recorder.set_spare_index(0xCC00);
        // As if packets from elsewhere had begun streamout.
        recorder.writer();
        recorder.begin().map_err(|e| e.to_string())?;
        recorder.draw(&state).map_err(|e| e.to_string())?;
        recorder.call(CALLED, recorded.called.len() as u32).map_err(|e| e.to_string())?;
        recorder.draw(&state).map_err(|e| e.to_string())?;
        recorded.words = recorder.finish().map_err(|e| e.to_string())?;
        recorded.images.insert(0, state.image.clone());
        recorded.images.push(state.image.clone());
        recorded.calls.insert(0, vec![]);
        recorded.calls.push(vec![]);
        recorded.plain.insert(0, false);
        recorded.plain.push(false);
        let watch = watch(chip, &recorded);
        watch.wrong.first().map_or(Ok(()), |wrong| Err(format!("{chip}: {wrong}")))
    }
    property("bound state in secondaries", 200, holds as fn(Binding) -> Result<(), String>);
}

/// Inherited targets: the callee knows formats, samples and existing targets, but not their addresses. It writes no image register, and draws with all other
/// registers of the complete description.
#[test]
fn secondaries_draw_to_the_targets_of_their_caller() {
    use pm4::cp::{Bank, CommandProcessor, DrawView, Observer};
    use std::cell::Cell;
    #[derive(Default)]
    struct Seen(std::collections::BTreeMap<u32, u32>);
    impl Observer for Seen {
        fn draw(&mut self, view: &DrawView<'_>) {
            self.0 = Bank::ALL.into_iter().flat_map(|bank| view.registers().written(bank)).collect();
        }
    }
    thread_local!(static COMPARED: Cell<u32> = const { Cell::new(0) });
    fn holds(binding: Binding) -> Result<(), String> {
        let (chip, text) = (binding.chip, |e: RecordError| e.to_string());
        let [first, .., last] = binding.states.as_slice() else { return Ok(()) };
        // Mesh shaders take workgroups.
        if last.pipeline.mesh.is_some() {
            return Ok(());
        }
        let mut whole = DrawDesc { pipeline: last.pipeline.clone(), state: last.state.clone(), ..first.clone() };
        whole.pipeline.samples = first.pipeline.samples;
        whole.targets.color.iter_mut().for_each(|image| image.samples = Some(image.samples.unwrap_or(first.pipeline.samples)));
        let targets = whole.targets.clone();
        let mut elsewhere = targets.clone();
        let move_away = |surface: &mut Surface| (surface.address, surface.stencil_address) = (surface.address ^ 0x5500, surface.stencil_address ^ 0x3300);
        elsewhere.color.iter_mut().for_each(|image| move_away(&mut image.surface));
        elsewhere.depth.iter_mut().for_each(|depth| move_away(&mut depth.surface));
        let (Ok(resolved), Ok(outer)) = (whole.resolve(chip), DrawDesc { targets: targets.clone(), ..first.clone() }.resolve(chip)) else { return Ok(()) };
        let pipeline = |desc: &DrawDesc| Pipeline::new(chip, desc.pipeline.clone()).map_err(|e| e.to_string());
        let inherited = Targets::inherited(chip, elsewhere).map_err(|e| e.to_string())?;
        let mut secondary = Recorder::secondary(chip);
        secondary.bind_targets(&inherited).map_err(text)?;
        secondary.bind_pipeline(&pipeline(&whole)?).map_err(text)?;
        secondary.set_dynamic_state(&whole.state).map_err(text)?;
        secondary.draw_vertices(Vertices { first: 0, count: 3 }).map_err(text)?;
        // The caller has written them.
        let before = secondary.words().len();
        secondary.write_targets().map_err(text)?;
        assert_eq!(secondary.words().len(), before);
        let callee = secondary.finish().map_err(text)?;
        let mut primary = Recorder::new(chip);
        primary.begin_with(&support::draws::queue_memory()).map_err(text)?;
        assert_eq!(primary.bind_targets(&inherited).map_err(text), Err(RecordError::Inherited.to_string()));
        primary.bind_targets(&Targets::new(chip, targets).map_err(|e| e.to_string())?).map_err(text)?;
        primary.bind_pipeline(&pipeline(first)?).map_err(text)?;
        primary.write_targets().map_err(text)?;
        let before = primary.words().len();
        primary.write_targets().map_err(text)?;
        assert_eq!(primary.words().len(), before, "{chip}: all of them are written");
        primary.call(CALLED, callee.len() as u32).map_err(text)?;
        let words = primary.finish().map_err(text)?;
        let mut model = CommandProcessor::new(chip);
        model.map("callee", CALLED, &callee);
        model.submit(pm4::packet::Queue::Graphics, "caller", &words);
        let mut seen = Seen::default();
        if model.run(&mut seen).errors > 0 {
            return Err(format!("{chip}: the model finds an error"));
        }
        let wrong = resolved.image.registers().find(|register| seen.0.get(&register.addr) != Some(&register.value));
        COMPARED.set(COMPARED.get() + u32::from(outer.image != resolved.image));
        wrong.map_or(Ok(()), |register| {
            let name = regs::lookup(chip.gfx(), register.addr).map(|found| found.to_string());
            Err(format!("{chip}: {name:?} is {:x?}, not {:#x}", seen.0.get(&register.addr), register.value))
        })
    }
    property("inherited targets", 600, holds as fn(Binding) -> Result<(), String>);
    assert!(COMPARED.get() > 150, "{} draws were compared", COMPARED.get());
}

/// A secondary buffer does not know its caller's last draw: if the switch from NGG to the legacy pipe needs a flush, it writes one.
#[test]
fn a_secondary_flushes_where_its_caller_may_have_used_ngg() {
    let legacy = DrawDesc::from(PipelineDesc { vertex: VertexStage { path: Some(VertexPath::Legacy), ..VertexStage::default() }, ..PipelineDesc::default() });
    let mut flushed = 0;
    for chip in Chip::all() {
        let (Ok(ngg), Ok(legacy)) = (DrawDesc::default().resolve(chip), legacy.resolve(chip)) else { continue };
        let mut secondary = Recorder::secondary(chip);
        secondary.draw(&legacy).expect("a draw");
        let callee = secondary.finish().expect("room");
        let mut caller = Recorder::new(chip);
        caller.begin().expect("room");
        caller.draw(&ngg).expect("a draw");
        caller.call(CALLED, callee.len() as u32).expect("room");
        let words = caller.finish().expect("room");
        let mut model = pm4::cp::CommandProcessor::new(chip);
        model.map("callee", CALLED, &callee);
        model.submit(pm4::packet::Queue::Graphics, "caller", &words);
        assert_eq!(model.run(&mut ()).errors, 0, "{chip}");
        // VGT_FLUSH, event 0x24 in bits 5:0 of EVENT_WRITE.
        let flush = pm4::packet::Reader::new(&callee).flatten().any(|p| p.name(chip.gfx()) == Some("EVENT_WRITE") && p.body[0] & 0x3F == 0x24);
        assert_eq!(flush, chip.has(pm4::chip::Erratum::VgtFlushNggLegacy), "{chip}");
        flushed += u32::from(flush);
    }
    assert!(flushed > 0);
}

/// A recorder refuses these calls before anything is written, with the reason.
#[test]
fn draws_need_their_preamble_and_their_rings() {
    let vertex = VertexStage { parameters: 1, ..VertexStage::default() };
    let desc = DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() });
    for chip in Chip::all() {
        let draw = desc.resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        assert_eq!(recorder.draw(&draw), Err(RecordError::NotBegun), "{chip}");
        recorder.begin_with(&QueueMemory::default()).expect("room");
        let before = recorder.words().len();
        let rings = chip.gfx().major() >= 11;
        assert_eq!(matches!(recorder.draw(&draw), Err(RecordError::NoRing { what: "attribute ring", .. })), rings, "{chip}");
        assert_eq!(recorder.words().len() == before, rings, "{chip}");
        let plain = DrawDesc::default().resolve(chip).expect("a draw");
        let geometry = matches!(recorder.draw(&plain), Err(RecordError::NoRing { what: "position and primitive rings", .. }));
        assert_eq!(geometry, chip.gfx().major() >= 12, "{chip}");
        let mut with_rings = Recorder::new(chip);
        with_rings.begin_with(&support::draws::queue_memory()).expect("room");
        with_rings.draw(&draw).expect("all rings");
        let mut elsewhere = Recorder::new(chip);
        elsewhere.begin().expect("room");
        elsewhere.draw(&draw).expect("rings of another buffer");
        Recorder::secondary(chip).draw(&draw).expect("after the preamble of another buffer");
    }
}

/// Samples of queries: the packets of the generation, in memory that the model sees written.
#[test]
fn queries_have_the_event_of_their_generation() {
    for chip in Chip::all() {
        let counting =
            DrawDesc { state: DynamicState { occlusion: Occlusion::Precise, ..DynamicState::default() }, ..DrawDesc::default() }.resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(Gpu { render_backends: Some(16), ..Gpu::from(chip) });
        recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        recorder.begin().expect("room");
        recorder.count_statistics(true).expect("room");
        recorder.sample_occlusion(0x10_0000).expect("an address");
        recorder.sample_pipeline_statistics(0x11_0000).expect("an address");
        recorder.draw(&counting).expect("room");
        recorder.sample_pipeline_statistics(0x11_0100).expect("an address");
        recorder.sample_occlusion(0x10_0008).expect("an address");
        recorder.count_statistics(false).expect("room");
        recorder.write_timestamp(0x12_0000).expect("memory");
        assert!(recorder.sample_occlusion(0x10_0004).is_err(), "{chip}");
        let words = recorder.finish().expect("room");
        let names: Vec<_> = pm4::packet::Reader::new(&words).flatten().filter_map(|p| p.name(chip.gfx())).collect();
        assert_eq!(
            names.iter().filter(|name| **name == "EVENT_WRITE_ZPASS").count(),
            if matches!(chip.gfx(), Gfx::Gfx11 | Gfx::Gfx12) { 2 } else { 0 },
            "{chip}"
        );
        let mut cp = pm4::cp::CommandProcessor::new(chip);
        for (name, addr, memory) in [("occlusion", 0x10_0000, &[0; 256]), ("statistics", 0x11_0000, &[0; 256]), ("clock", 0x12_0000, &[0; 256])] {
            cp.map(name, addr, memory);
        }
        cp.submit(pm4::packet::Queue::Graphics, "stream", &words);
        let mut errors = Errors::default();
        cp.run(&mut errors);
        assert_eq!(errors.0, Vec::<String>::new(), "{chip}");
    }
}

#[derive(Default)]
struct Errors(Vec<String>);

impl pm4::cp::Observer for Errors {
    fn finding(&mut self, finding: &pm4::cp::Finding) {
        if finding.severity == pm4::cp::Severity::Error {
            self.0.push(finding.to_string());
        }
    }
}

/// Setting scissors replaces the previous ones, even if their number changes.
#[test]
fn fewer_scissors_replace_more() {
    let rect = |x| Rect { x, y: 0, width: 16, height: 16 };
    let last = |chip, sets: &[&[Rect]]| {
        let pipeline = Pipeline::new(chip, PipelineDesc::default()).expect("a pipeline");
        let targets = Targets::new(chip, TargetsDesc::default()).expect("targets");
        let mut recorder = Recorder::secondary(chip);
        recorder.bind_pipeline(&pipeline).expect("of this chip");
        recorder.bind_targets(&targets).expect("of this chip");
        for set in sets {
            recorder.set_scissors(set).expect("16 or less");
        }
        recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("a draw");
        recorder.words().to_vec()
    };
    for chip in Chip::all() {
        let one = last(chip, &[&[rect(32)]]);
        assert_eq!(last(chip, &[&[rect(0), rect(8)], &[rect(32)]]), one, "{chip}");
        assert_eq!(last(chip, &[&[rect(32)], &[rect(0), rect(8)], &[rect(32)]]), one, "{chip}");
        assert_ne!(last(chip, &[&[rect(0)]]), one, "{chip}: the scissor is written");
    }
}

/// User SGPRs that the stage lacks are refused.
#[test]
fn user_data_stays_within_the_stage() {
    let mut recorder = Recorder::new(Chip::Navi31);
    recorder.set_user_data(Stage::Vertex, 28, &[0; 4]).expect("32 SGPRs");
    let error = recorder.set_user_data(Stage::Pixel, 30, &[0; 3]).expect_err("33 SGPRs");
    assert_eq!(error.to_string(), "3 words of user data from SGPR 30 on: pixel has 32 user SGPRs");
    let error = recorder.set_user_data(Stage::Vertex, u32::MAX, &[0]).expect_err("no such SGPR");
    assert!(matches!(error, RecordError::UserData { first: u32::MAX, .. }));
    assert!(recorder.set_user_data(Stage::Compute, 0, &[0]).is_err());
}

/// A number in the dynamic state replaces that of the pipeline.
#[test]
fn numbers_of_dynamic_state_stand_for_those_of_the_pipeline() {
    fn holds(case: support::draws::Case) -> bool {
        let support::draws::Case { chip, desc } = case;
        let mut moved = desc.clone();
        let (pipeline, state) = (&mut moved.pipeline, &mut moved.state);
        let values = |face: StencilFace| StencilValues { reference: face.reference, read_mask: face.read_mask, write_mask: face.write_mask };
        state.line_width = Some(core::mem::replace(&mut pipeline.raster.line_width, 77.0));
        state.rate = Some(core::mem::take(&mut pipeline.rate));
        state.primitive_restart = Some(core::mem::take(&mut pipeline.primitive_restart));
        state.sample_locations = pipeline.sample_locations.map(|_| desc.pipeline.sample_locations.expect("the same"));
        state.patch_points = pipeline.tessellation.as_mut().map(|patches| core::mem::replace(&mut patches.input_points, 32));
        state.depth_bias = pipeline.raster.depth_bias.as_mut().map(|bias| core::mem::replace(bias, DepthBias { constant: 9.0, slope: 9.0, clamp: 9.0 }));
        state.depth_bounds = pipeline.depth_test.bounds.as_mut().map(|bounds| core::mem::replace(bounds, (0.25, 0.75)));
        state.stencil = pipeline.depth_test.stencil.as_mut().map(|(front, back)| {
            let said = (values(*front), values(*back));
            (front.reference, front.read_mask, back.write_mask) = (1, 2, 3);
            said
        });
        let (whole, parts) = (desc.resolve(chip).expect("a draw"), moved.resolve(chip).expect("the same draw"));
        whole == parts
    }
    property("numbers of dynamic state", 300, holds as fn(support::draws::Case) -> bool);
}

/// The setter of the whole dynamic state and the setter of one part return the same error.
#[test]
fn all_of_the_dynamic_state_is_refused_for_what_one_of_its_parts_is() {
    let mut recorder = Recorder::new(Chip::Navi31);
    let one = DynamicState { patch_points: Some(32), ..DynamicState::default() };
    recorder.set_dynamic_state(&one).expect("a state");
    for points in [0, 33] {
        let refused = recorder.set_patch_points(Some(points));
        assert!(matches!(refused, Err(RecordError::Draw(_))), "{refused:?}");
        let other = DynamicState { patch_points: Some(points), line_width: Some(2.0), ..DynamicState::default() };
        assert_eq!(recorder.set_dynamic_state(&other), refused);
    }
    let many = DynamicState { viewports: vec![Viewport::covering((256, 128)); 17], ..DynamicState::default() };
    assert_eq!(recorder.set_dynamic_state(&many), recorder.set_viewports(&many.viewports));
    assert_eq!(recorder.dynamic_state(), &one, "nothing is set");
}

/// The packets of random calls: the number of each kind, and a hash of all words. If a recorder writes more or less than before, a line here changes even if
/// the state at each draw is right.
#[test]
fn calls_write_the_expected_packets() {
    use std::collections::BTreeMap;
    let mut parts = Parts::default();
    for (nth, chip) in Chip::all().enumerate().filter(|(_, chip)| sampled(&chip.to_string())) {
        let mut text = String::new();
        let (mut shown, mut g) = (0, Gen::from_size_and_seed(100, nth as u64));
        while shown < 10 {
            let mut binding = Binding { chip, ..Binding::arbitrary(&mut g) };
            binding.states.retain(|state| state.resolve(chip).is_ok());
            if binding.states.len() < 4 {
                continue;
            }
            shown += 1;
            // Bind something, so that most draws are executed.
            binding.steps.splice(0..0, [Step::Pipeline(0), Step::Targets(0), Step::Dynamic(0)]);
            binding.steps.extend((0..60).map(|_| step(&mut g)));
            for (what, forgets) in [("", false), (" all anew", true)] {
                let (recorded, _) = binding.record(Recorder::new(chip), forgets).unwrap_or_else(|error| panic!("{chip}: {error}"));
                let mut kinds = BTreeMap::<&str, u32>::new();
                for packet in Reader::new(&recorded.words).map(|packet| packet.expect("a packet")) {
                    *kinds.entry(packet.name(chip.gfx()).unwrap_or("?")).or_default() += 1;
                }
                let kinds: String = kinds.into_iter().filter(|_| !forgets).map(|(name, count)| format!(", {name} {count}")).collect();
                let (draws, dwords) = (recorded.images.len(), recorded.words.len());
                text += &format!("{shown}{what}: {draws} draws, {dwords} dwords, {:016x}{kinds}\n", digest(&format!("{:x?}", recorded.words)));
            }
        }
        parts.add(&chip.to_string(), &text);
    }
    parts.assert_added("draw/recorded.txt");
}
