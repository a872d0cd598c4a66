//! The targets: one for each public entry point of the crate, with the properties that must hold in addition to the absence of panics.

use crate::code_objects::code_object;
use crate::corpus::Corpus;
use crate::draws::AnyDraw;
use crate::input::Input;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{BoardFacts, CommandProcessor, DrawView, Finding, FirmwareVersions, Interest, ModelAccess, Observer, QueueId, RegisterState, Stop};
use pm4::draw::sync::{Access, AccessSet, Barrier, Fence, FenceAfter, FenceData, Plan, SyncMemory, SyncState, Wait};
use pm4::draw::{
    self, DispatchDesc, DrawCall, GangMemory, Grid, IndexBuffer, IndexFormat, Indices, Instances, Interlock, Program, Recorder, Rect, StencilValues, Vertices,
    Viewport,
};
use pm4::hang::{self, HangReport, Incidents};
use pm4::input::Source as InputSource;
use pm4::isa::{self, Dpp, Dpp8, Instruction, Sdwa, ShaderCode};
use pm4::packet::{BufferLevel, CommandBuffer, FilteredWriter, Packet, PreparedState, Queue, Reader, RegisterList, Stream, Writer};
use pm4::regs;
use pm4::report::{self, DumpOptions, Manifest, OutputFormat, ReportOptions};
use pm4::waves::{self, MUTATIONS, RunOptions, Section, Setup};
use pm4_regdb::{diag::Source, gfx::GfxSet};
use quickcheck::Arbitrary;
use strum::IntoEnumIterator;

pub struct Target {
    pub name: &'static str,
    pub run: fn(&mut Input, &Corpus),
}

macro_rules! targets {
    ($($name:ident)*) => { &[$(Target { name: stringify!($name), run: $name }),*] };
}

pub const TARGETS: &[Target] = targets! {
    reader asm_text asm_words writer chunks filter prepared draw record dispatch sync cp cp_queues isa_words isa_text waves regdb_loader input_forms manifest code_object
};

fn gfx(input: &mut Input) -> Gfx {
    input.chip().gfx()
}

/// Packets and errors cover each dword exactly once, and every query about a packet has an answer.
fn reader(input: &mut Input, corpus: &Corpus) {
    let words = input.words(&corpus.streams, 300);
    let (gfx, queue) = (gfx(input), input.queue());
    let mut covered = 0;
    for item in Reader::new(&words) {
        covered += match item {
            Ok(packet) => {
                assert_eq!(packet.offset, covered);
                let _ = (packet.name(gfx), packet.format(gfx, queue), packet.fields(gfx, queue).count(), packet.writes(gfx).count());
                let _ = (packet.addresses(gfx, queue).count(), packet.firmware_needs(gfx, queue).count());
                let _ = (packet.defect(gfx, queue), packet.effects(gfx, queue).len(), packet.work(gfx, queue));
                packet.dwords()
            }
            Err(error) => {
                let _ = error.to_string();
                error.skipped
            }
        };
    }
    assert_eq!(covered, words.len());
}

const SCRAPS: [&str; 22] = [
    "0x",
    "0xffffffff",
    "ffffffffffffffff",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "\r\n",
    "\t",
    "é",
    "\u{0}",
    "-1",
    "4294967296",
    "18446744073709551616",
    "null",
    "\"type\":\"packet\"",
    "\"dword\":0",
    "; ",
];

/// Any text assembles to bytes or an error.
fn asm_text(input: &mut Input, corpus: &Corpus) {
    let text = input.bytes(&corpus.dumps, &SCRAPS);
    if let Err(error) = report::assemble(&mut text.as_slice()) {
        assert!(!error.to_string().is_empty());
    }
}

/// Any words pass through `dump` and back unchanged.
fn asm_words(input: &mut Input, corpus: &Corpus) {
    let words = input.words(&corpus.streams, 60);
    let format = *input.pick(&[OutputFormat::Text, OutputFormat::Json]);
    let options = DumpOptions { format, ..DumpOptions::new(gfx(input), input.queue()) };
    let mut out = Vec::new();
    report::dump(&mut out, "f", &words, &options).expect("memory takes everything");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    match report::assemble(&mut out.as_slice()) {
        Ok(again) => assert!(again == bytes, "the bytes differ after dump and asm"),
        Err(error) => panic!("asm refuses what dump prints: {error}"),
    }
}

/// What a writer accepts is read back unchanged; what it refuses leaves no trace.
fn writer(input: &mut Input, corpus: &Corpus) {
    let words = input.words(&corpus.streams, 200);
    let (gfx, queue) = (gfx(input), input.queue());
    let mut memory = vec![0; input.below(300)];
    let mut fixed = Writer::fixed(gfx, queue, &mut memory);
    let mut stream = Stream::growable(gfx, queue);
    for packet in Reader::new(&words).flatten() {
        let before = stream.len();
        if stream.packet_with(packet.header, packet.body).is_ok() {
            assert_eq!(stream.words()[before], packet.header.0);
            assert_eq!(stream.words()[before + 1..], *packet.body);
        } else {
            assert_eq!(stream.len(), before);
        }
        let _ = fixed.packet_with(packet.header, packet.body);
        for write in packet.writes(gfx) {
            let _ = (stream.set_reg(write.addr, write.value), fixed.set_reg(write.addr, write.value));
        }
        if input.one_in(8) {
            let _ = stream.set_predicated(input.one_in(2));
            let _ = stream.pad(1 << input.below(8), input.below(40));
            let (addr, size) = (input.address(), input.number());
            let _ = stream.indirect_buffer(*input.pick(&[pm4::packet::IbKind::Call, pm4::packet::IbKind::Chain]), addr, size);
        }
        if input.one_in(8) {
            let (addr, devices) = (input.address(), input.word() as u8);
            let part = |w: &mut Stream| w.packet_with(packet.header, packet.body);
            let _ = if input.one_in(2) { stream.cond_exec(addr, part) } else { stream.pred_exec(devices, part) };
        }
    }
    assert!(Reader::new(stream.words()).all(|packet| packet.is_ok()));
    assert!(Reader::new(fixed.words()).all(|packet| packet.is_ok()));
}

/// Chunks of any size, from memory that may be exhausted or misaligned.
fn chunks(input: &mut Input, corpus: &Corpus) {
    let words = input.words(&corpus.streams, 300);
    let (gfx, queue) = (gfx(input), input.queue());
    let size = *input.pick(&[32, 40, 64, 64, 128, 1024, 0, 31, 0xFFFF8, 0xFFFFF]);
    let (level, mut left, step) =
        (*input.pick(&[BufferLevel::Primary, BufferLevel::Secondary]), input.below(20), *input.pick(&[4096, 4096, 4096, 4, 1, 1 << 45]));
    let mut next = 0x10_0000;
    let source = move |_: usize| {
        left = left.checked_sub(1)?;
        next += step;
        Some(next)
    };
    let Ok(mut commands) = CommandBuffer::new(gfx, queue, level, size, source) else { return };
    for packet in Reader::new(&words).flatten() {
        let _ = commands.write(|writer| writer.packet_with(packet.header, packet.body));
    }
    let Ok(finished) = commands.finish() else { return };
    for chunk in finished.chunks() {
        assert!(chunk.words.len() % 8 == 0 && chunk.words.len() <= size, "a chunk of {} dwords, of {size}", chunk.words.len());
        assert!(Reader::new(&chunk.words).all(|packet| packet.is_ok()));
    }
}

/// The registers at each draw, as far as they are known.
#[derive(Default)]
struct States {
    addresses: Vec<u32>,
    draws: Vec<Vec<Option<u32>>>,
}

impl Observer for States {
    fn draw(&mut self, view: &DrawView<'_>) {
        let value = |addr: &u32| match view.state(*addr) {
            RegisterState::Written(word) | RegisterState::Cleared(word) => Some(word),
            _ => None,
        };
        self.draws.push(self.addresses.iter().map(value).collect());
    }
}

/// Returns the states of a stream, and whether all of it ran: a limit ends two streams of different lengths at different places.
fn states(chip: Chip, words: &[u32], addresses: &[u32]) -> Vec<Vec<Option<u32>>> {
    let mut cp = CommandProcessor::new(chip);
    cp.max_dwords(1 << 16).max_memory(1 << 16).max_findings(50);
    cp.submit(Queue::Graphics, "main", words);
    let mut states = States { addresses: addresses.to_vec(), draws: Vec::new() };
    cp.run(&mut states);
    states.draws
}

/// Returns the registers to compare: those that the stream writes.
fn written(packets: &[Packet<'_>], gfx: Gfx) -> Vec<u32> {
    let mut all: Vec<u32> = packets.iter().flat_map(|packet| packet.writes(gfx)).map(|write| write.addr).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Packets and register writes give the same state at every draw with and without the filter.
fn filter(input: &mut Input, corpus: &Corpus) {
    let (chip, stream) = input.pick(&corpus.captures).clone();
    let gfx = chip.gfx();
    let words = input.words(&[stream], 200);
    let exact = input.one_in(2);
    let packets: Vec<Packet<'_>> = Reader::new(&words).flatten().filter(|packet| !ends_elsewhere(packet)).collect();
    let mut plain = Stream::growable(gfx, Queue::Graphics);
    let mut filtered = FilteredWriter::new(Stream::growable(gfx, Queue::Graphics)).exact(exact);
    for packet in &packets {
        // As packets, or as the register writes that they contain.
        let writes: Vec<(u32, u32)> = packet.writes(gfx).map(|write| (write.addr, write.value)).collect();
        let by_writes = !writes.is_empty() && !packet.header.is_predicated() && input.one_in(2);
        if by_writes {
            let first = writes[0].0;
            let in_row = writes.iter().enumerate().all(|(n, (addr, _))| *addr == first.wrapping_add(4 * n as u32));
            if !in_row {
                continue;
            }
            let values: Vec<u32> = writes.iter().map(|(_, value)| *value).collect();
            let before = filtered.words().len();
            let (a, b) = (plain.set_regs(first, &values), filtered.set_regs(first, &values));
            // A part of a group whose values the registers already hold is not written, so the filter need not refuse it.
            assert!(a.is_ok() == b.is_ok() || filtered.words().len() == before, "{a:?} without the filter, {b:?} with it");
        } else {
            let (a, b) = (plain.packet_with(packet.header, packet.body), filtered.packet_with(packet.header, packet.body));
            assert_eq!(a.is_ok(), b.is_ok(), "{a:?} without the filter, {b:?} with it");
        }
    }
    let addresses = written(&packets, gfx);
    let filtered = filtered.into_writer().into_buffer();
    assert!(states(chip, &filtered, &addresses) == states(chip, plain.words(), &addresses), "another state at a draw");
}

/// Returns whether a packet skips dwords or continues elsewhere: inserting packets after it makes a different stream.
fn ends_elsewhere(packet: &Packet<'_>) -> bool {
    let kinds = ["INDIRECT_BUFFER", "COND_INDIRECT_BUFFER", "COND_EXEC", "PRED_EXEC", "REWIND", "COND_INDIRECT_BUFFER_PFP"];
    packet.name(Gfx::Gfx103).is_none_or(|name| kinds.iter().any(|kind| name.starts_with(kind)))
}

/// Prepared states, changed and bound in any order, give the same registers as plain writes of the same lists.
fn prepared(input: &mut Input, corpus: &Corpus) {
    let (chip, stream) = input.pick(&corpus.captures).clone();
    let gfx = chip.gfx();
    let words = input.words(&[stream], 150);
    let packets: Vec<Packet<'_>> = Reader::new(&words).flatten().collect();
    let mut states_of: Vec<(PreparedState, Vec<(u32, u32)>)> = Vec::new();
    for part in packets.chunks(8) {
        let pairs: Vec<(u32, u32)> = part.iter().flat_map(|packet| packet.writes(gfx)).map(|write| (write.addr, write.value)).collect();
        let mut list = RegisterList::new();
        list.extend(pairs.iter().copied());
        if let Ok(prepared) = PreparedState::new(gfx, Queue::Graphics, &mut list) {
            states_of.push((prepared, pairs));
        }
    }
    let (mut bound, mut plain) = (Stream::growable(gfx, Queue::Graphics), Stream::growable(gfx, Queue::Graphics));
    for _ in 0..input.below(20) {
        if states_of.is_empty() {
            break;
        }
        let which = input.below(states_of.len());
        let (state, pairs) = &mut states_of[which];
        if input.one_in(2) && !pairs.is_empty() {
            let at = input.below(pairs.len());
            let (addr, value) = (pairs[at].0, input.number());
            if state.set(addr, value) {
                pairs.iter_mut().filter(|(known, _)| *known == addr).for_each(|(_, held)| *held = value);
            }
        }
        // A random address may be one of them too.
        let addr = input.number();
        if state.set(addr, 0) {
            pairs.iter_mut().filter(|(known, _)| *known == addr).for_each(|(_, held)| *held = 0);
        }
        let mut list = RegisterList::new();
        list.extend(pairs.iter().copied());
        let (a, b) = (state.bind(&mut bound), plain.set_list(&mut list));
        assert_eq!(a.is_ok(), b.is_ok(), "{a:?} by bind, {b:?} by the list");
        let draw = |writer: &mut Writer<Vec<u32>>| writer.draw_index_auto(3, pm4::packet::layouts::DrawInitiator::AUTO_INDEX);
        let _ = (draw(&mut bound), draw(&mut plain));
    }
    let addresses = written(&packets, gfx);
    assert!(states(chip, bound.words(), &addresses) == states(chip, plain.words(), &addresses), "another state at a draw");
}

/// Replaces the numbers of a description that come from API calls with numbers near limits.
fn extreme_draw(input: &mut Input) -> AnyDraw {
    let mut any = AnyDraw::arbitrary(&mut input.quickcheck());
    let draw = &mut any.desc;
    for _ in 0..input.below(5) {
        let float = f32::from_bits(input.number());
        match input.below(30) {
            0 => draw.pipeline.samples = input.number(),
            1 => draw.targets.extent = (input.number(), input.number()),
            2 => draw.vertices = input.number(),
            3 => draw.instances = input.number(),
            4 => draw.state.viewports = vec![Viewport { x: float, width: f32::from_bits(input.number()), ..Viewport::covering((64, 64)) }; input.below(20)],
            5 => draw.state.scissors = vec![Rect { x: input.number(), y: input.number(), width: input.number(), height: input.number() }; input.below(20)],
            6 => draw.state.blend_constants = [float; 4],
            7 => draw.pipeline.sample_mask = input.number() as u16,
            8 => draw.pipeline.vertex.parameters = input.number(),
            9 => draw.pipeline.vertex.program.vgprs = input.number(),
            10 => draw.pipeline.vertex.program.sgprs = input.number(),
            11 => draw.pipeline.vertex.program.lds_bytes = input.number(),
            12 => draw.pipeline.vertex.program.scratch_bytes = input.number(),
            13 => draw.pipeline.vertex.program.address = Some(input.address()),
            14 => draw.pipeline.vertex.program.wave_limit = Some(input.number()),
            15 => draw.pipeline.vertex.program.cu_mask = Some(input.number()),
            16 => draw.pipeline.vertex.outputs.clip_distances = input.word() as u8,
            17 => draw.pipeline.vertex.outputs.cull_distances = input.word() as u8,
            18 => {
                if let Some(shader) = &mut draw.pipeline.shader {
                    shader.program.vgprs = input.number();
                    shader.program.lds_bytes = input.number();
                    shader.program.shared_vgprs = input.number();
                    shader.program.prefetch_bytes = input.number();
                }
            }
            19 => {
                if let Some(stage) = &mut draw.pipeline.tessellation {
                    (stage.input_points, stage.output_points) = (input.number(), input.number());
                    stage.lds_bytes_per_point = input.number();
                    stage.lds_bytes_per_patch = input.number();
                    stage.offchip_bytes_per_patch = input.number();
                }
            }
            20 => {
                if let Some(stage) = &mut draw.pipeline.geometry {
                    (stage.max_vertices, stage.invocations, stage.input_dwords) = (input.number(), input.number(), input.number());
                    stage.vertex_dwords = [input.number(), input.number(), input.number(), input.number()];
                }
            }
            21 => {
                if let Some(stage) = &mut draw.pipeline.mesh {
                    stage.workgroup = [input.number(), input.number(), input.number()];
                    (stage.max_vertices, stage.max_primitives) = (input.number(), input.number());
                }
            }
            22 => {
                for blend in &mut draw.pipeline.blends {
                    blend.write_mask = input.word() as u8;
                }
                for target in &mut draw.targets.color {
                    target.surface.address = input.address();
                    target.samples = Some(input.number());
                }
            }
            23 => {
                if let Some(depth) = &mut draw.targets.depth {
                    depth.surface.address = input.address();
                    depth.samples = input.number();
                }
            }
            24 => draw.targets.color = vec![Default::default(); input.below(12)],
            25 => draw.pipeline.interlock = *input.pick(&[Interlock::PixelOrdered, Interlock::SampleOrdered, Interlock::SampleUnordered]),
            26 => draw.pipeline.raster.depth_bias = Some(draw::DepthBias { constant: float, slope: float, clamp: f32::from_bits(input.number()) }),
            27 => (draw.pipeline.raster.line_width, draw.state.line_width) = (float, Some(f32::from_bits(input.number()))),
            28 => draw.pipeline.depth_test.bounds = Some((float, f32::from_bits(input.number()))),
            _ => draw.pipeline.vertex.program.user_data = vec![draw::UserData::Word(input.number()); input.below(40)],
        }
    }
    any
}

fn call(input: &mut Input) -> DrawCall {
    let instances = Instances { count: input.number(), first: input.number() };
    match input.below(4) {
        0 => DrawCall::Auto { vertices: Vertices { first: input.number(), count: input.number() }, instances },
        1 => DrawCall::MultiAuto { draws: vec![Vertices { first: input.number(), count: input.number() }; input.below(8)], instances },
        _ => DrawCall::Indexed {
            buffer: IndexBuffer {
                address: input.address(),
                indices: input.number(),
                format: *input.pick(&[IndexFormat::U8, IndexFormat::U16, IndexFormat::U32]),
            },
            indices: Indices { first: input.number(), count: input.number(), base_vertex: input.number() as i32 },
            instances,
        },
    }
}

/// Descriptions with extreme values are either refused, or resolved, explained and recorded without an error on the model that the crate's own checks should
/// have prevented.
fn draw(input: &mut Input, _: &Corpus) {
    let any = extreme_draw(input);
    input.show(format!("{any:#?}").into_bytes());
    let resolved = match any.desc.resolve(any.chip) {
        Ok(resolved) => resolved,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(any.desc.explain(any.chip).err().map(|e| e.to_string()), Some(error.to_string()), "explain refuses for another reason");
            return;
        }
    };
    assert!(any.desc.explain(any.chip).is_ok(), "explain refuses what resolve takes");
    let mut recorder = Recorder::new(any.chip);
    // As if packets from elsewhere had begun streamout.
    recorder.writer();
    recorder.begin().expect("a growable buffer takes the preamble");
    let _ = recorder.draw(&resolved);
    let before = recorder.words().len();
    let call = call(input);
    if recorder.draw_call(&resolved, &call).is_err() {
        assert_eq!(recorder.words().len(), before, "a refused call has written packets");
    }
    let words = recorder.finish().expect("a growable buffer takes everything");
    assert!(Reader::new(&words).all(|packet| packet.is_ok()));
    let mut cp = CommandProcessor::new(any.chip);
    cp.max_dwords(1 << 16);
    cp.submit(Queue::Graphics, "draw", &words);
    cp.run(&mut ());
}

/// A recorder receives calls of all kinds in any order, with extreme values.
fn record(input: &mut Input, _: &Corpus) {
    let any = extreme_draw(input);
    let second = AnyDraw::arbitrary(&mut input.quickcheck());
    let chip = any.chip;
    let (first, second) = (any.desc.resolve(chip), second.desc.resolve(chip));
    let mut memory = vec![0; input.below(4000)];
    let mut recorder = Recorder::fixed(chip, &mut memory);
    // As if packets from elsewhere had begun streamout.
    recorder.writer();
    recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
    for _ in 0..1 + input.below(20) {
        let before = recorder.words().len();
        let float = f32::from_bits(input.number());
        let refused = match input.below(17) {
            0 | 1 => recorder.begin().is_err(),
            2 | 3 => first.as_ref().is_ok_and(|draw| recorder.draw(draw).is_err()),
            4 | 5 => second.as_ref().is_ok_and(|draw| recorder.draw(draw).is_err()),
            6 => {
                let call = call(input);
                second.as_ref().is_ok_and(|draw| recorder.draw_call(draw, &call).is_err())
            }
            7 => recorder.set_viewports(&vec![Viewport { y: float, height: float, ..Viewport::covering((64, 64)) }; input.below(20)]).is_err(),
            8 => recorder.set_scissors(&vec![Rect { x: input.number(), y: 0, width: input.number(), height: 1 }; input.below(20)]).is_err(),
            9 => recorder.set_blend_constants([float; 4]).is_err(),
            10 => {
                recorder.set_stencil(Some((StencilValues::default(), StencilValues::default())));
                recorder.set_line_width(Some(float)).is_err()
            }
            11 => recorder.call(input.address(), input.number()).is_err(),
            12 => recorder.sample_occlusion(input.address()).is_err(),
            13 => second.as_ref().is_ok_and(|draw| recorder.draw_pass(draw).is_err()),
            14 => recorder.begin_gang(GangMemory { address: input.address() }).is_err(),
            15 => recorder.end_gang(GangMemory { address: input.address() }).is_err(),
            _ => recorder.draw_vertices(Vertices { first: input.number(), count: input.number() }).is_err(),
        };
        if refused {
            assert_eq!(recorder.words().len(), before, "a refused call has written packets");
        }
    }
    assert!(Reader::new(recorder.words()).all(|packet| packet.is_ok()));
}

fn dispatch(input: &mut Input, _: &Corpus) {
    let chip = input.chip();
    let mut desc = DispatchDesc { program: Program { cu_mask: None, ..crate::draws::program(&mut input.quickcheck(), chip, 16) }, ..DispatchDesc::default() };
    for _ in 0..input.below(6) {
        let three = [input.number(), input.number(), input.number()];
        match input.below(12) {
            0 => desc.group = three,
            1 => desc.grid = Grid::Groups(three),
            2 => desc.grid = Grid::Threads(three),
            3 => desc.grid = Grid::Indirect(input.address()),
            4 => desc.base = three,
            5 => desc.thread_ids = three[0],
            6 => desc.groups_per_cu = Some(three[0]),
            7 => (desc.program.vgprs, desc.program.sgprs) = (three[0], three[1]),
            8 => (desc.program.lds_bytes, desc.program.scratch_bytes) = (three[0], three[1]),
            9 => desc.program.address = Some(input.address()),
            10 => (desc.program.wave_limit, desc.program.cu_mask) = (Some(three[0]), Some(three[1])),
            _ => desc.cu_mode = !desc.cu_mode,
        }
    }
    input.show(format!("{chip} {desc:#?}").into_bytes());
    let _ = (desc.threads(), desc.waves());
    let Ok(resolved) = desc.resolve(chip) else { return assert!(desc.explain(chip).is_err()) };
    assert!(desc.explain(chip).is_ok(), "explain refuses what resolve takes");
    let queue = *input.pick(&[Queue::Graphics, Queue::Compute]);
    let mut recorder = Recorder::from_writer(chip, Stream::growable(chip.gfx(), queue));
    let _ = if queue == Queue::Graphics { recorder.begin() } else { recorder.begin_compute() };
    let _ = recorder.dispatch(&resolved);
    let words = recorder.words().to_vec();
    assert!(Reader::new(&words).all(|packet| packet.is_ok()));
    let mut cp = CommandProcessor::new(chip);
    cp.submit(queue, "dispatch", &words);
    cp.run(&mut ());
}

fn sync(input: &mut Input, _: &Corpus) {
    let chip = input.chip();
    let queue = input.queue();
    let all: Vec<Access> = Access::iter().collect();
    let set = |input: &mut Input| -> AccessSet { (0..input.below(6)).map(|_| *input.pick(&all)).collect() };
    let barrier = Barrier { from: set(input), to: set(input), compressed: input.one_in(2), coherent_l2: input.one_in(2) };
    let fence = Fence {
        address: input.address(),
        data: *input.pick(&[FenceData::Nothing, FenceData::Dword(7), FenceData::Qword(u64::MAX)]),
        after: *input.pick(&[FenceAfter::EndOfPipe, FenceAfter::PixelShaders, FenceAfter::ComputeShaders]),
        from: set(input),
        host: input.one_in(2),
        compressed: input.one_in(2),
        coherent_l2: input.one_in(2),
        ..Fence::new(0, FenceData::Nothing)
    };
    let wait = Wait { mask: input.number(), reference: input.number(), pfp: input.one_in(2), ..Wait::equal(input.address(), 0) };
    input.show(format!("{chip} {queue:?} {barrier:#?} {fence:#?} {wait:#?}").into_bytes());
    let memory = SyncMemory { fence: (!input.one_in(4)).then(|| input.address()), zpass: (!input.one_in(4)).then(|| input.address()) };
    let mut stream = Stream::growable(chip.gfx(), queue);
    let mut state = SyncState::new(memory);
    for plan in [Plan::new(chip, queue, &barrier), Plan::fence(chip, queue, &fence)].into_iter().flatten() {
        let _ = plan.needs_fence();
        let before = stream.len();
        if plan.write(&mut stream, &mut state).is_err() {
            assert_eq!(stream.len(), before, "a refused plan has written packets");
        }
    }
    let mut recorder = Recorder::from_writer(chip, stream).after_preamble();
    recorder.set_sync_memory(memory);
    let _ = (recorder.wait(&wait), recorder.barrier(&barrier), recorder.fence(&fence));
    let words = recorder.words().to_vec();
    assert!(Reader::new(&words).all(|packet| packet.is_ok()));
    let mut cp = CommandProcessor::new(chip);
    cp.submit(queue, "sync", &words);
    cp.run(&mut ());
}

/// Requests all callbacks and reads everything.
#[derive(Default)]
struct Curious {
    work: u64,
    writes: Vec<(u64, u32)>,
    text: usize,
}

impl Observer for Curious {
    fn interest(&self) -> Interest {
        let all = Interest::REGISTERS.or(Interest::MEMORY).or(Interest::EVENTS).or(Interest::DROPPED);
        if self.writes.is_empty() { all } else { all.or(Interest::ACT) }
    }
    fn draw(&mut self, view: &DrawView<'_>) {
        self.work += 1;
        for number in 0..view.call_count().unwrap_or(0).min(4) {
            self.text += usize::from(view.call(number).is_some());
        }
        self.text += view.changed_context().count();
    }
    fn finding(&mut self, finding: &Finding) {
        self.text += finding.to_string().len();
    }
    fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
        if let Some((addr, word)) = self.writes.pop() {
            access.write(addr, &[word]);
        }
    }
}

fn limit(cp: &mut CommandProcessor<'_>) {
    cp.max_dwords(1 << 12).max_memory(1 << 16).max_findings(100);
}

/// A damaged driver stream on one queue, with the default rules.
fn cp(input: &mut Input, corpus: &Corpus) {
    let words = input.words(&corpus.streams, 120);
    let mut cp = CommandProcessor::new(input.chip());
    limit(&mut cp);
    let queue = input.queue();
    cp.submit(queue, "main", &words);
    let summary = cp.run(&mut Curious::default());
    assert!(summary.packets <= 1 << 12);
}

/// Several queues, memory of all kinds, firmware, boards, rings, runs in parts, clones, and an observer that writes.
fn cp_queues(input: &mut Input, corpus: &Corpus) {
    let chip = input.chip();
    let called = input.words(&corpus.streams, 60);
    let compute = input.words(&corpus.streams, 80);
    let constant = input.words(&corpus.streams, 40);
    let mut main = input.words(&corpus.streams, 120);
    // Memory for calls and waits.
    for _ in 0..input.below(4) {
        let at = input.below(main.len() + 1);
        let control = *input.pick(&[0, 1 << 20, 0x10_0000 | 1 << 23]) | called.len() as u32;
        let packet = match input.below(3) {
            0 => vec![0xC002_3F00, 0x1_0000, 0, control],
            1 => vec![0xC005_3C00, 0x13, 0x2000, 0, input.below(3) as u32, 0xFFFF_FFFF, 4],
            _ => vec![0xC003_3700, 0x0500, 0x2000, 0, input.number()],
        };
        main.splice(at..at, packet);
    }
    let memory = [input.number(); 16];
    let mut cp = CommandProcessor::new(chip);
    limit(&mut cp);
    let version = |input: &mut Input| (!input.one_in(3)).then(|| input.number());
    cp.firmware(FirmwareVersions { pfp: version(input), me: version(input), mec: version(input), me_feature: version(input) });
    cp.board(BoardFacts { shader_engines: version(input), cus_per_array: version(input) });
    cp.closed_memory(input.one_in(2)).relaxed_order(input.one_in(2));
    if input.one_in(4) {
        cp.partial();
    }
    if input.one_in(4) {
        cp.max_depth(input.number());
    }
    cp.map("called", 0x1_0000, &called);
    if input.one_in(2) {
        cp.map_owned("memory", 0x2000, &memory);
    } else {
        cp.map_read_only("memory", input.address(), &memory);
    }
    cp.expect_write(input.address(), u64::from(input.number()), "somebody");
    let _ = cp.set_register(QueueId::GRAPHICS, input.number(), input.number());
    let second = cp.add_compute_queue();
    cp.submit_at(Queue::Graphics, "main", input.address(), &main);
    let last = cp.submit(Queue::Compute, "compute", &compute);
    cp.submit_ring(second, "ring", None, &compute);
    if chip.gfx().has_constant_engine() {
        cp.submit(Queue::Constant, "constant", &constant);
    }
    let mut observer = Curious { writes: (0..input.below(4)).map(|_| (0x2000 + 4 * input.below(16) as u64, input.number())).collect(), ..Curious::default() };
    match input.below(4) {
        0 => {
            for _ in 0..50 {
                if cp.step(&mut observer).is_none() {
                    break;
                }
            }
        }
        1 => {
            let stop = match input.below(4) {
                0 => Stop::Packets(input.below(50) as u64),
                1 => Stop::AfterWork(input.below(4) as u64),
                2 => Stop::AfterFinding,
                _ => Stop::AfterRegisterWrite(input.number()),
            };
            cp.run_until(stop, &mut observer);
            let mut copy = cp.snapshot();
            assert_eq!(copy.run(&mut ()).packets, cp.clone().run(&mut ()).packets);
        }
        2 => cp.unmap(last),
        _ => {}
    }
    let _ = cp.write_memory(input.address(), &memory);
    cp.run(&mut observer);
}

/// Words that decode encode to the same words, print, and are parsed back from their text.
fn isa_words(input: &mut Input, corpus: &Corpus) {
    let (gfx, program) = input.pick(&corpus.shaders).clone();
    let words = input.words(&[program], 60);
    let code = ShaderCode::decode(gfx, &words);
    assert_eq!(code.to_string().lines().count(), code.items().len());
    if let Ok(again) = code.encode() {
        assert!(again == words, "the words differ after decode and encode");
    }
    let _ = isa::disassemble(gfx, &words).to_string();
    for at in 0..words.len() {
        if let Some(instruction) = Instruction::decode(gfx, &words[at..]) {
            let text = instruction.text(gfx).to_string();
            match isa::parse(gfx, &text) {
                Ok(same) => assert!(same.encode(gfx) == instruction.encode(gfx), "`{text}` on {gfx} is another instruction when it is read"),
                Err(error) => panic!("`{text}` on {gfx} cannot be read: {error}"),
            }
        }
        let compare = input.one_in(2);
        let _ = (Sdwa::decode(gfx, words[at], compare), Dpp::decode(gfx, words[at]), Dpp8::decode(gfx, words[at]));
    }
    let mut code = code;
    for _ in 0..input.below(4) {
        let count = code.items().len();
        if count > 1 {
            let (from, to) = (input.below(count), input.below(count));
            let item = code.items()[from];
            code.insert(to, &[item]);
            code.remove(from);
        }
    }
    let _ = code.encode();
}

const SHADER_SCRAPS: [&str; 20] = [
    "v0",
    "s[0:1]",
    "v[255:256]",
    "exec",
    "vcc",
    "null",
    "lit(1)",
    "0xffffffff",
    "-17",
    "0.5",
    ",",
    "hwreg(",
    ")",
    "vmcnt(63)",
    "offset:4096",
    " glc",
    " scope:SCOPE_DEV",
    "s_waitcnt",
    "sendmsg(MSG_ORDERED_PS_DONE)",
    "é",
];

fn isa_text(input: &mut Input, corpus: &Corpus) {
    let text = input.bytes(&corpus.assembly, &SHADER_SCRAPS);
    let gfx = gfx(input);
    match isa::parse(gfx, &String::from_utf8_lossy(&text)) {
        Ok(instruction) => {
            let _ = instruction.encode(gfx);
            let _ = instruction.text(gfx).to_string();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Ordered sections, correct, with known mistakes, or with damaged words, on packers with any setup.
fn waves(input: &mut Input, corpus: &Corpus) {
    let (gfx, program) = input.pick(&corpus.shaders).clone();
    let mut setup = Setup::plain(gfx);
    for _ in 0..input.below(4) {
        match input.below(9) {
            0 => setup.samples_log2 = input.word() as u8 & 15,
            1 => setup.exposed_log2 = input.word() as u8 & 15,
            2 => setup.overlap_log2 = input.word() as u8,
            3 => setup.compared_log2 = input.word() as u8,
            4 => setup.packers = if input.one_in(8) { input.word() as u8 } else { input.word() as u8 & 7 },
            5 => setup.rate = (1 << input.below(3), 1 << input.below(3)),
            6 => setup.drain = true,
            7 => setup.pops = false,
            _ => setup.invocations_log2 = input.word() as u8 & 7,
        }
    }
    let section = Section::of(&setup);
    let words = match input.below(3) {
        0 => section.words().unwrap_or_default(),
        1 => input.pick(MUTATIONS).program(&section).unwrap_or_default(),
        _ => input.words(&[program], 60),
    };
    input.show(format!("{setup:#?} {words:x?}").into_bytes());
    let _ = waves::lint(&setup, &words).iter().map(ToString::to_string).count();
    // Few waves: two packers and an overlap need no more, and runs stay short.
    let options = RunOptions { waves: input.below(8) as u64, seed: input.next(), start_id: input.number() };
    let report = waves::run(&setup, &words, options);
    let _ = report.is_clean();
}

const TOML_SCRAPS: [&str; 20] = [
    "[",
    "]",
    "{",
    "}",
    "=",
    "\"",
    "\n",
    "é",
    "\u{0}",
    "enum",
    "gfx = \"\"",
    "addr = 0xFFFFFFFC",
    "count = 256",
    "stride = 0xFFFFFFFC",
    "self",
    "bits = \"0:31\"",
    "\r\n",
    "9..=10.3",
    "-1",
    "typed = true",
];

/// Damaged descriptions, together with those that they need, are accepted or refused with a message.
fn regdb_loader(input: &mut Input, corpus: &Corpus) {
    const NEEDED: [&str; 4] = ["regdb/enums.toml", "regdb/sources.toml", "regdb/packets/enums.toml", "regdb/packets/bitfields.toml"];
    let chosen = input.below(corpus.regdb.len());
    let bytes = input.bytes(&[corpus.regdb[chosen].text.clone().into_bytes()], &TOML_SCRAPS);
    let files: Vec<Source> = corpus
        .regdb
        .iter()
        .enumerate()
        .filter(|(at, source)| *at == chosen || NEEDED.contains(&source.name.as_str()))
        .map(
            |(at, source)| if at == chosen { Source { name: source.name.clone(), text: String::from_utf8_lossy(&bytes).into_owned() } } else { source.clone() },
        )
        .collect();
    match pm4_regdb::generate(&files, GfxSet::ALL) {
        Ok(output) => assert!(!output.is_empty()),
        Err(mistakes) => {
            for mistake in mistakes.iter().take(5) {
                assert!(mistake.render(&files).starts_with("error: "));
            }
        }
    }
}

const FILE_SCRAPS: [&str; 30] = [
    "0x",
    "0xffffffff",
    "IB #0 0x1000 5 dw\n",
    "Ring Name: gfx_0.0.0\n",
    "HWIP: GC[1][0]: v12.0.1.0.0\n",
    "regCP_IB1_BUFSZ 0x00000004\n",
    "\n",
    "\r",
    "é",
    "\u{0}",
    "{",
    "[gfxhub] Page fault observed\n",
    "-----",
    "IP Type: 0 ",
    "0x80000000",
    "c0012d00 ",
    "amdgpu 0000:03:00.0: amdgpu: ",
    "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n",
    "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n",
    "GPU reset begin!. Source:  3\n",
    "[  812.104233] ",
    "Nov 02 18:22:16 host kernel: ",
    "\\n",
    "<br>",
    "&lt;",
    "=3D",
    "=\n",
    "\u{feff}",
    "pid 4242 thread ",
    "GCVM_L2_PROTECTION_FAULT_STATUS: 0x401431 ",
];

/// Damaged files in all forms are read or refused; a hang in them is explained.
fn input_forms(input: &mut Input, corpus: &Corpus) {
    let bytes = input.bytes(&corpus.files, &FILE_SCRAPS);
    let form = match InputSource::open(bytes.as_slice(), None) {
        Ok(source) => source.form(),
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for form in [None, Some(form)] {
        let Ok(read) = InputSource::open(bytes.as_slice(), form).and_then(InputSource::load) else { continue };
        assert!(read.buffers.iter().map(|buffer| buffer.words.len()).sum::<usize>() < 1 << 25);
        let incidents = Incidents::of(&[("file", &read)], None);
        assert!(incidents.verdict().len() <= 15, "a verdict is short");
        assert!(incidents.records().len() == incidents.list().len() && incidents.timeline().starts_with('{'));
        let chip = read.chip.unwrap_or_else(|| input.chip());
        let mut cp = CommandProcessor::new(chip);
        limit(&mut cp);
        let ids: Vec<_> =
            read.buffers.iter().map(|buffer| Some(cp.submit_at(Queue::Graphics, "buffer", buffer.addr.unwrap_or(0x1000), &buffer.words))).collect();
        if read.hang.is_some() {
            let found = HangReport::new(&read, &ids, chip.gfx());
            let mut out = Vec::new();
            let format = *input.pick(&[OutputFormat::Text, OutputFormat::Json]);
            let options = ReportOptions { format, ..ReportOptions::default() };
            hang::run(&mut out, &mut cp, &[], options, &found, &mut ()).expect("memory takes everything");
        }
    }
}

const MANIFEST_SCRAPS: [&str; 14] = [
    "\"words\":[]",
    "\"addr\":\"0xffffffffffffffff\"",
    "\"type\":\"memory\",",
    "{",
    "}",
    "\n",
    "#",
    "\"queue\":\"compute8\",",
    "\"ring\":true,",
    "-1",
    "1e999",
    "\"0x\"",
    "é",
    "\"chip\":\"gfx1201\",",
];

fn manifest(input: &mut Input, corpus: &Corpus) {
    let bytes = input.bytes(&corpus.manifests, &MANIFEST_SCRAPS);
    let manifest = match Manifest::parse(&String::from_utf8_lossy(&bytes)) {
        Ok(manifest) => manifest,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let words = match manifest.load(|file| Err::<Vec<u32>, String>(file.to_owned())) {
        Ok(words) => words,
        Err(_) => return,
    };
    let mut cp = CommandProcessor::new(manifest.chip);
    limit(&mut cp);
    manifest.apply(&words, &mut cp);
    cp.run(&mut Curious::default());
    let _ = regs::lookup(manifest.chip.gfx(), 0x28000);
}
