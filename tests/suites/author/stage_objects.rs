//! Draws of all stages with bound objects: at each draw, the hardware holds the state of the complete description, for every view; streamout begins, continues
//! and ends between them. Also the cost of such draws.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::Queue;
use pm4::regs;
use quickcheck::{Arbitrary, Gen};
use support::draws::{desc, pick, queue_memory};
use support::property;

const COUNTER: u64 = 0x10_0000;
const STATE: u64 = 0x20_0040;

#[derive(Debug, Clone)]
enum Step {
    /// Binds pipeline and targets of a state.
    Bind(usize),
    /// Draws, with this number of views if it is not 0.
    Draw(u32),
    /// Begins streamout, appending or at the start.
    Begin(bool),
    End,
    /// Draws as many vertices as streamout has counted.
    Counted,
    PatchPoints(u32),
}

#[derive(Debug, Clone)]
struct Frame {
    chip: Chip,
    states: Vec<DrawDesc>,
    steps: Vec<Step>,
}

/// Returns whether a state has a stage or target of these kinds.
fn is_of_these_kinds(desc: &DrawDesc) -> bool {
    let compressed = desc.targets.color.iter().any(|target| target.compression.is_some())
        || desc.targets.depth.is_some_and(|depth| depth.htile.is_some() || depth.hiz.is_some());
    let stages =
        desc.pipeline.tessellation.is_some() || desc.pipeline.geometry.is_some() || desc.pipeline.mesh.is_some() || desc.pipeline.vertex.streamout.is_some();
    stages || compressed || desc.targets.rate_image.is_some() || desc.pipeline.raster.clip_planes.is_some()
}

impl Arbitrary for Frame {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = pick(g, &Chip::all().collect::<Vec<_>>());
        let mut states = Vec::new();
        while states.len() < 3 {
            let state = desc(g, chip);
            if is_of_these_kinds(&state) && state.resolve(chip).is_ok() {
                states.push(state);
            }
        }
        let step = |g: &mut Gen| match u8::arbitrary(g) % 12 {
            0..=3 => Step::Bind(usize::arbitrary(g) % 3),
            4..=6 => Step::Draw(0),
            7 => Step::Draw(1 + u32::arbitrary(g) % 7),
            8 => Step::Begin(bool::arbitrary(g)),
            9 => Step::End,
            10 => Step::Counted,
            _ => Step::PatchPoints(1 + u32::arbitrary(g) % 32),
        };
        let steps = [Step::Bind(0), Step::Draw(0)].into_iter().chain((0..u8::arbitrary(g) % 24).map(|_| step(g))).collect();
        Self { chip, states, steps }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let all = self.clone();
        Box::new((0..self.steps.len()).map(move |at| {
            let mut fewer = all.clone();
            fewer.steps.remove(at);
            fewer
        }))
    }
}

/// An expected draw: registers with their values.
type Expected = Vec<(u32, u32)>;

struct Watch<'e> {
    expected: &'e [Expected],
    seen: usize,
    wrong: Vec<String>,
}

impl Observer for Watch<'_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        let Some(expected) = self.expected.get(self.seen) else { return self.wrong.push("more draws than were recorded".into()) };
        for (addr, value) in expected.iter().filter(|(addr, value)| view.value(*addr) != Some(*value)) {
            let name = regs::lookup(view.gfx(), *addr).map(|found| found.to_string());
            self.wrong.push(format!("draw {}: {name:?} is {:x?}, not {value:#x}", self.seen, view.value(*addr)));
        }
        self.seen += 1;
    }

    fn finding(&mut self, finding: &Finding) {
        // Random states do not describe what is drawn: only the packets of streamout, views and stages are judged.
        if finding.severity == Severity::Error && ["SYN-26", "STA-17", "STA-33", "MEM-01"].contains(&finding.code) {
            self.wrong.push(finding.to_string());
        }
    }
}

/// Returns the call of a state: workgroups of a mesh shader, or vertices.
fn call(desc: &DrawDesc) -> DrawCall {
    match desc.pipeline.mesh {
        Some(_) => DrawCall::Mesh { groups: [5, 1, 1] },
        None => DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() },
    }
}

impl Frame {
    fn record(&self) -> Result<(Vec<u32>, Vec<Expected>), String> {
        let (chip, text) = (self.chip, |error: RecordError| error.to_string());
        let pipelines =
            self.states.iter().map(|state| Pipeline::new(chip, state.pipeline.clone())).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
        let targets = self.states.iter().map(|state| Targets::new(chip, state.targets.clone())).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
        let mut recorder = Recorder::new(chip);
        // As if packets from elsewhere had begun streamout.
        recorder.writer();
        recorder.begin_with(&queue_memory()).map_err(text)?;
        let (mut bound, mut streaming, mut expected) = (None, false, Vec::new());
        for step in &self.steps {
            match step {
                Step::Bind(n) => {
                    recorder.set_dynamic_state(&self.states[*n].state).map_err(text)?;
                    recorder.bind_pipeline(&pipelines[*n]).and_then(|()| recorder.bind_targets(&targets[*n])).map_err(text)?;
                    bound = Some(*n);
                }
                Step::PatchPoints(points) => recorder.set_patch_points(Some(*points)).map_err(text)?,
                Step::Begin(append) if !streaming => {
                    let buffer = StreamoutBuffer { bytes: 0x1_0000, append: append.then_some(COUNTER) };
                    recorder.begin_streamout(&StreamoutBegin { buffers: [Some(buffer), None, None, None], state: Some(STATE) }).map_err(text)?;
                    streaming = true;
                }
                Step::End if streaming => {
                    recorder.end_streamout([Some(COUNTER), None, None, None]).map_err(text)?;
                    streaming = false;
                }
                Step::Begin(_) | Step::End => {}
                Step::Draw(_) | Step::Counted => {
                    let Some(n) = bound else { continue };
                    let desc = DrawDesc {
                        pipeline: pipelines[n].desc().clone(),
                        targets: targets[n].desc().clone(),
                        state: recorder.dynamic_state().clone(),
                        ..DrawDesc::default()
                    };
                    let (counted, call) = match step {
                        Step::Counted if desc.pipeline.mesh.is_none() => {
                            (true, DrawCall::Counted(CountedDraw { counter: COUNTER, offset: 0, stride: 16, instances: Instances::default() }))
                        }
                        _ => (false, call(&desc)),
                    };
                    let Ok(resolved) = desc.resolve(chip) else {
                        recorder.draw_bound(&call).expect_err("what does not resolve is not drawn");
                        continue;
                    };
                    let of_views = resolved.draw_sgprs().view_index;
                    let views = match step {
                        Step::Draw(views) if *views != 0 && of_views != [None; 2] => Some(*views),
                        _ => None,
                    };
                    let whole = views.map_or(call.clone(), |views| DrawCall::Views { views, call: call.into() });
                    recorder.draw_bound(&whole).map_err(text)?;
                    // Draws counted from streamout have a separate register instead.
                    let own = regs::find(chip.gfx(), "IA_MULTI_VGT_PARAM").map(|register| register.addr()).filter(|_| counted);
                    // Hardware counts only the buffers with which streamout began: the first of each stream.
                    let buffers = regs::find(chip.gfx(), "VGT_STRMOUT_BUFFER_CONFIG").map(|register| register.addr()).filter(|_| streaming);
                    let begun = |addr: u32, value: u32| if Some(addr) == buffers { value & 0x1111 } else { value };
                    let image = || resolved.image.registers().filter(|r| Some(r.addr) != own).map(|r| (r.addr, begun(r.addr, r.value)));
                    match views {
                        None => expected.push(image().collect()),
                        Some(views) => expected.extend(
                            (0..32)
                                .filter(|view| views >> view & 1 == 1)
                                .map(|view| image().chain(of_views.into_iter().flatten().map(|addr| (addr, view))).collect()),
                        ),
                    }
                }
            }
        }
        if streaming {
            recorder.end_streamout([None; 4]).map_err(text)?;
        }
        Ok((recorder.finish().map_err(text)?, expected))
    }
}

#[test]
fn draws_of_all_stages_hold_what_they_describe() {
    fn holds(frame: Frame) -> Result<(), String> {
        let (words, expected) = frame.record().map_err(|error| format!("{}: {error}", frame.chip))?;
        let mut cp = CommandProcessor::new(frame.chip);
        cp.relaxed_order(true);
        cp.map("counter", COUNTER, &[0; 16]);
        cp.map("state", STATE, &[0; 16]);
        cp.submit(Queue::Graphics, "frame", &words);
        let mut watch = Watch { expected: &expected, seen: 0, wrong: Vec::new() };
        cp.run(&mut watch);
        match watch.wrong.first() {
            Some(wrong) => Err(format!("{}: {wrong}", frame.chip)),
            None if watch.seen != expected.len() => Err(format!("{}: {} draws of {}", frame.chip, watch.seen, expected.len())),
            None => Ok(()),
        }
    }
    property("all stages with bound objects", 300, holds as fn(Frame) -> Result<(), String>);
}

/// Every call, once per view, lowest first; what a view leaves in SGPRs is not reused by the next one.
#[test]
fn each_view_is_drawn_with_its_number() {
    let user_data = vec![UserData::ViewIndex, UserData::BaseVertex, UserData::DrawIndex];
    for chip in Chip::all() {
        let tessellates = [false, true];
        for tessellates in tessellates {
            let program = Program { user_data: user_data.clone(), ..Program::default() };
            let evaluation = Program { user_data: vec![UserData::Keep, UserData::ViewIndex], ..Program::default() };
            let vertex = VertexStage { program: if tessellates { evaluation } else { program.clone() }, ..VertexStage::default() };
            let tessellation = tessellates.then(|| Tessellation { program, ..Tessellation::default() });
            let topology = if tessellates { Topology::PatchList } else { Topology::TriangleList };
            let state = DrawDesc::from(PipelineDesc { vertex, tessellation, topology, ..PipelineDesc::default() }).resolve(chip).expect("a draw");
            let draws = vec![Vertices { first: 0, count: 3 }, Vertices { first: 7, count: 3 }];
            let call = DrawCall::Views { views: 0b101, call: DrawCall::MultiAuto { draws, instances: Instances::default() }.into() };
            let sgprs = state.draw_sgprs();
            let (base, index) = (sgprs.base_vertex.expect("an SGPR"), sgprs.draw_index.expect("an SGPR"));
            let of = |view: u32, first: u32, number: u32| -> Expected {
                sgprs.view_index.into_iter().flatten().map(|addr| (addr, view)).chain([(base, first), (index, number)]).collect()
            };
            let once = vec![of(0, 0, 0), of(0, 7, 1), of(2, 0, 0), of(2, 7, 1)];
            // SGPRs hold what the first draw of a view needs before the first call, and what the last one has left before the second.
            let before: Expected = vec![(base, 0), (index, 0)];
            let expected = [vec![before], once.clone(), once].concat();
            let mut recorder = Recorder::new(chip);
            recorder.begin_with(&queue_memory()).expect("a preamble");
            recorder.draw(&state).expect("a draw");
            recorder.draw_call(&state, &call).expect("views");
            recorder.draw_call(&state, &call).expect("views");
            let words = recorder.finish().expect("padding");
            let mut watch = Watch { expected: &expected, seen: 0, wrong: Vec::new() };
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "views", &words);
            cp.run(&mut watch);
            assert_eq!((watch.seen, &watch.wrong), (9, &vec![]), "{chip}, tessellation {tessellates}");
            assert_eq!(sgprs.view_index[1].is_some(), tessellates, "{chip}");
        }
        let refused = |views, call: DrawCall, state: &DrawDesc| {
            let state = state.resolve(chip).expect("a draw");
            Recorder::secondary(chip).draw_call(&state, &DrawCall::Views { views, call: call.into() }).expect_err("refused").to_string()
        };
        let plain = || call(&DrawDesc::default());
        assert!(refused(0, plain(), &DrawDesc::default()).contains("no bit of the views is set"), "{chip}");
        assert!(refused(2, plain(), &DrawDesc::default()).contains("the view is 1, but the shader has no user SGPR"), "{chip}");
        assert!(
            refused(1, DrawCall::Views { views: 1, call: plain().into() }, &DrawDesc::default()).contains("the inner call is DrawCall::Views too"),
            "{chip}"
        );
        let pixel = Program { user_data: vec![UserData::ViewIndex], ..Program::default() };
        let shader = PixelShader { program: pixel, ..PixelShader::default() };
        assert!(
            DrawDesc::from(PipelineDesc { shader: Some(shader), ..PipelineDesc::default() }).resolve(chip).is_err(),
            "{chip}: pixel shaders have the layer"
        );
    }
}

/// The last stage before rasterization exports layer and viewport: per vertex, or from mesh shaders per primitive.
#[test]
fn layer_and_viewport_leave_by_each_last_stage() {
    let outputs = VertexOutputs { layer: true, viewport: true, ..VertexOutputs::default() };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let of = |image: &RegisterImage, register: &str, field: &str| {
            let found = regs::find(gfx, register)?;
            Some(found.info().field(field)?.get(image.get(found.addr())?))
        };
        for path in [VertexPath::Legacy, VertexPath::Ngg] {
            for stages in 0..4 {
                let (tessellates, geometry) = (stages & 1 == 1, stages & 2 == 2);
                let desc = DrawDesc::from(PipelineDesc {
                    vertex: VertexStage { path: Some(path), outputs, ..VertexStage::default() },
                    tessellation: tessellates.then(Tessellation::default),
                    geometry: geometry.then(GeometryStage::default),
                    topology: if tessellates { Topology::PatchList } else { Topology::TriangleList },
                    ..PipelineDesc::default()
                });
                let Ok(resolved) = desc.resolve(chip) else {
                    assert!(desc.pipeline.vertex.vertex_path(chip).is_err(), "{chip} {path} {stages}");
                    continue;
                };
                let used =
                    ["USE_VTX_RENDER_TARGET_INDX", "USE_VTX_VIEWPORT_INDX", "VS_OUT_MISC_VEC_ENA"].map(|field| of(&resolved.image, "PA_CL_VS_OUT_CNTL", field));
                assert_eq!(used, [Some(1); 3], "{chip} {path} {stages}");
            }
        }
        for payload in [false, true].into_iter().filter(|_| gfx >= Gfx::Gfx103) {
            let mesh = MeshStage { primitive_payload: payload, ..MeshStage::default() };
            let image = DrawDesc::from(PipelineDesc { mesh: Some(mesh), ..PipelineDesc::default() }).resolve(chip).expect("a mesh shader").image;
            // SPI_SHADER_1COMP is 1, 2COMP is 2.
            let of_payload = (of(&image, "SPI_SHADER_IDX_FORMAT", "IDX0_EXPORT_FORMAT"), of(&image, "VGT_DRAW_PAYLOAD_CNTL", "EN_PRIM_PAYLOAD"));
            assert_eq!(of_payload, (Some(1 + u32::from(payload)), Some(payload.into())), "{chip}");
        }
    }
}

/// Stages link by number, in whatever order they name their values, and whatever else they write.
#[test]
fn stages_link_by_number() {
    property::<fn(Vec<u8>, Vec<bool>, bool) -> bool>("links", 1000, |numbers, picked, last_first| {
        let mut writes: Vec<u32> = Vec::new();
        numbers.iter().map(|n| u32::from(n % 64)).for_each(|n| {
            if !writes.contains(&n) {
                writes.push(n)
            }
        });
        let mut reads: Vec<u32> = writes.iter().zip(picked.iter().chain(std::iter::repeat(&true))).filter(|(_, picked)| **picked).map(|(n, _)| *n).collect();
        if last_first {
            reads.reverse();
        }
        let link = match StageLink::new(&writes, &reads) {
            Ok(link) => link,
            Err(error) => return matches!(error, LinkError::TooMany { count } if count > 32 && count == reads.len()),
        };
        let mut sorted = reads.clone();
        sorted.sort_unstable();
        let places = sorted.iter().zip(0..).all(|(number, place)| link.place(*number) == Some(place));
        let unread = writes.iter().filter(|number| !reads.contains(number)).all(|number| link.place(*number).is_none());
        let interpolants = link.interpolants(&reads).expect("they are read");
        let sources =
            reads.iter().zip(&interpolants).all(|(number, interpolant)| interpolant.source == InterpolantSource::Parameter(link.place(*number).unwrap() as u8));
        places && unread && sources && link.len() as usize == reads.len() && link.bytes() == 16 * link.len()
    });
    assert_eq!(StageLink::new(&[0, 1], &[1, 2]), Err(LinkError::NotWritten { number: 2 }));
    assert_eq!(StageLink::new(&[0, 1, 0], &[1]), Err(LinkError::Duplicate { number: 0, verb: "written" }));
    assert_eq!(StageLink::new(&[0, 1], &[1, 1]), Err(LinkError::Duplicate { number: 1, verb: "read" }));
    assert_eq!(StageLink::new(&[3], &[3]).expect("a link").interpolants(&[4]), Err(LinkError::NotWritten { number: 4 }));
    let none = StageLink::new(&[3], &[]).expect("a link");
    assert_eq!((none.is_empty(), none.item_dwords()), (true, 0));
}

/// Returns a description of each kind, and the plain draw with which it is compared.
fn kinds(chip: Chip) -> Vec<(&'static str, DrawDesc)> {
    let gfx = chip.gfx();
    let user_data = || Program { user_data: vec![UserData::Keep; 8], address: Some(0x40_0000), ..Program::default() };
    let plain = || DrawDesc::from(PipelineDesc { vertex: VertexStage { program: user_data(), ..VertexStage::default() }, ..PipelineDesc::default() });
    let tessellation = || Some(Tessellation { program: user_data(), ..Tessellation::default() });
    let geometry = || Some(GeometryStage { copy_program: user_data(), ..GeometryStage::default() });
    let planes = [Some([1.0, 0.0, 0.0, 1.0]), None, None, None, None, None];
    let tiled = Surface { swizzle: 27, ..Surface::default() };
    let dcc = ColorCompression { dcc: Some(Dcc { address: 0x10_0000, blocks: Some(DccBlocks::BYTES_64) }), pipe_aligned: true, ..ColorCompression::default() };
    let mut all = vec![
        ("vertex", plain()),
        ("tessellation", DrawDesc { pipeline: PipelineDesc { tessellation: tessellation(), topology: Topology::PatchList, ..plain().pipeline }, ..plain() }),
        ("geometry", DrawDesc { pipeline: PipelineDesc { geometry: geometry(), ..plain().pipeline }, ..plain() }),
        (
            "tessellation, geometry",
            DrawDesc {
                pipeline: PipelineDesc { tessellation: tessellation(), geometry: geometry(), topology: Topology::PatchList, ..plain().pipeline },
                ..plain()
            },
        ),
        (
            "clip plane",
            DrawDesc {
                pipeline: PipelineDesc {
                    raster: Raster { clip_planes: Some(ClipPlanes { planes, cull_only: false }), ..Raster::default() },
                    ..plain().pipeline
                },
                ..plain()
            },
        ),
    ];
    if gfx <= Gfx::Gfx103 {
        let path = Some(VertexPath::Legacy);
        let legacy = VertexStage { path, program: user_data(), ..VertexStage::default() };
        all.push(("geometry without NGG", DrawDesc { pipeline: PipelineDesc { vertex: legacy, geometry: geometry(), ..plain().pipeline }, ..plain() }));
    }
    if gfx >= Gfx::Gfx103 {
        all.push(("mesh", DrawDesc { pipeline: PipelineDesc { mesh: Some(MeshStage::default()), ..plain().pipeline }, ..plain() }));
    }
    if gfx < Gfx::Gfx12 {
        all.push((
            "DCC",
            DrawDesc {
                pipeline: PipelineDesc { blends: vec![TargetBlend::default()], ..plain().pipeline },
                targets: TargetsDesc { color: vec![TargetImage { surface: tiled, compression: Some(dcc), ..TargetImage::default() }], ..plain().targets },
                ..plain()
            },
        ));
    }
    if gfx >= Gfx::Gfx11 {
        let image = RateImage { address: 0x20_0000, swizzle: 0, extent: (32, 16) };
        all.push((
            "shading-rate image",
            DrawDesc {
                pipeline: PipelineDesc { rate_image_combiner: RateCombiner::Replace, ..plain().pipeline },
                targets: TargetsDesc { rate_image: Some(image), ..plain().targets },
                ..plain()
            },
        ));
    }
    all
}

/// Returns the dwords of a draw of a description, bound once, with this amount of changing user data.
fn dwords(chip: Chip, desc: &DrawDesc, words: usize) -> usize {
    const DRAWS: usize = 50;
    let pipeline = Pipeline::new(chip, desc.pipeline.clone()).expect("a pipeline");
    let targets = Targets::new(chip, desc.targets.clone()).expect("targets");
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&queue_memory()).expect("room");
    recorder.bind_pipeline(&pipeline).expect("the chip");
    recorder.bind_targets(&targets).expect("the chip");
    let stage = if desc.pipeline.tessellation.is_some() { Stage::Hull } else { Stage::Vertex };
    let mut draw = |n: u32| {
        recorder.set_user_data(stage, 2, &[n; 4][..words]).expect("SGPRs");
        recorder.draw_bound(&call(desc)).expect("room");
        recorder.words().len()
    };
    let first = draw(0);
    let last = (1..=DRAWS as u32).map(&mut draw).last().expect("draws");
    assert!((last - first).is_multiple_of(DRAWS), "every draw takes the same");
    (last - first) / DRAWS
}

/// Once bound, a draw of any kind takes as much as a draw of vertices: its packet and the changes. From GFX11 on, mesh shaders have a packet of five dwords.
#[test]
fn draws_of_all_kinds_cost_what_other_draws_cost() {
    for chip in ["vega10", "navi10", "navi21", "navi31", "gfx1201"].map(|chip| chip.parse::<Chip>().expect("a chip")) {
        let all = kinds(chip);
        let of = |desc: &DrawDesc| (dwords(chip, desc, 0), dwords(chip, desc, 4));
        let (same, changed) = of(&all[0].1);
        for (kind, desc) in &all {
            let packet = if *kind == "mesh" && chip.gfx() >= Gfx::Gfx11 { 2 } else { 0 };
            let found = of(desc);
            println!("{chip}, {kind}: {} dwords, {} with four user SGPRs that change", found.0, found.1);
            assert_eq!(found, (same + packet, changed + packet), "{chip}, {kind}");
        }
    }
}
