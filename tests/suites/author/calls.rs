//! Draw calls: packets, limits and errata.

use crate::chip_table::{assert_table, refused};
use crate::support;
use pm4::chip::{Chip, Erratum};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::sync::{Access, Barrier, Fence, FenceData, SyncMemory};
use pm4::draw::*;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Opcode, Packet, Queue, Reader};
use pm4::regs;
use pm4::regs::layout::VgtIndexTypeMode;
use quickcheck::{Arbitrary, Gen};
use support::draws::{Case, pick, values_of_draws};
use support::property;

/// Returns a draw whose vertex program has these user SGPRs.
fn with_user_data(user_data: &[UserData]) -> DrawDesc {
    let program = Program { user_data: user_data.to_vec(), ..Program::default() };
    DrawDesc::from(PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() })
}

fn record(chip: Chip, user_data: &[UserData], calls: impl FnOnce(&mut Recorder<Vec<u32>>, &Resolved)) -> Vec<u32> {
    let state = with_user_data(user_data).resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
    let mut recorder = Recorder::secondary(chip);
    calls(&mut recorder, &state);
    recorder.writer().words().to_vec()
}

fn packets(words: &[u32]) -> Vec<Packet<'_>> {
    Reader::new(words).map(|p| p.expect("whole packets")).collect()
}

/// Returns the bodies of packets with one of these opcodes.
fn bodies(words: &[u32], opcodes: &[Opcode]) -> Vec<Vec<u32>> {
    packets(words).iter().filter(|p| p.opcode().is_some_and(|o| opcodes.contains(&o))).map(|p| p.body.to_vec()).collect()
}

/// Returns the values written to a register, in order.
fn written(chip: Chip, words: &[u32], name: &str) -> Vec<u32> {
    let addr = regs::find(chip.gfx(), name).unwrap_or_else(|| panic!("{chip} has {name}")).addr();
    packets(words).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == addr).map(|w| w.value).collect()
}

const BASE: u64 = 0xFFFF_8001_0000_0000;

fn buffer(addr: u64, indices: u32, format: IndexFormat) -> IndexBuffer {
    IndexBuffer { address: BASE + addr, indices, format }
}

use UserData::{BaseVertex, DrawIndex, FirstInstance, Keep};

#[test]
fn indexed_draws_equal_those_of_radv() {
    // draw_indexed_u16 and draw_multi_indexed_ext on vega10 and navi31.
    for chip in Chip::all() {
        let words = record(chip, &[], |r, state| {
            let indices = Indices { first: 3, count: 6, base_vertex: 0 };
            r.draw_call(state, &DrawCall::Indexed { buffer: buffer(0x12_0000, 0x800, IndexFormat::U16), indices, instances: Instances::default() })
                .expect("a draw");
        });
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDEX_2]), [[0x7FD, 0x12_0006, 0xFFFF_8001, 6, 0]], "{chip}");
        assert_eq!(bodies(&words, &[Opcode::NUM_INSTANCES]), [[1]], "{chip}");
        assert_eq!(written(chip, &words, "VGT_INDEX_TYPE"), [0], "{chip}");
        let words = record(chip, &[Keep, BaseVertex], |r, state| {
            let draws = [(0, 3, 0), (3, 6, 1), (9, 3, 2)].map(|(first, count, base_vertex)| Indices { first, count, base_vertex }).to_vec();
            let call = DrawCall::MultiIndexed { buffer: buffer(0x12_0000, 0x400, IndexFormat::U32), draws, instances: Instances::default() };
            r.draw_call(state, &call).expect("a draw");
        });
        let radv = [[0x400, 0x12_0000, 0xFFFF_8001, 3, 0], [0x3FD, 0x12_000C, 0xFFFF_8001, 6, 0], [0x3F7, 0x12_0024, 0xFFFF_8001, 3, 0]];
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDEX_2]), radv, "{chip}");
        assert_eq!(written(chip, &words, "VGT_INDEX_TYPE"), [1], "{chip}");
    }
}

#[test]
fn indirect_draws_are_radvs() {
    // draw_indexed_indirect and draw_indirect_count: vega10 with the base vertex in SGPR 3 of the VS, navi31 in SGPR 1 of NGG.
    for (chip, user_data, location) in [(Chip::Vega10, &[Keep, Keep, Keep, BaseVertex][..], 0x4F), (Chip::Navi31, &[Keep, BaseVertex], 0x8D)] {
        let words = record(chip, user_data, |r, state| {
            let draws = IndirectDraws { arguments: BASE + 0x13_0000, stride: 20, draws: 3, count: None };
            let call = DrawCall::MultiIndexedIndirect { buffer: buffer(0x12_0000, 0x400, IndexFormat::U32), draws };
            r.draw_call(state, &call).expect("a draw");
            let draws = IndirectDraws { arguments: BASE + 0x13_0000, stride: 16, draws: 0x40, count: Some(BASE + 0x14_0010) };
            r.draw_call(state, &DrawCall::MultiIndirect(draws)).expect("a draw");
        });
        assert_eq!(bodies(&words, &[Opcode::INDEX_BASE]), [[0x12_0000, 0xFFFF_8001]]);
        assert_eq!(bodies(&words, &[Opcode::INDEX_BUFFER_SIZE]), [[0x400]]);
        assert_eq!(bodies(&words, &[Opcode::SET_BASE]), [[1, 0x13_0000, 0xFFFF_8001]; 2]);
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDEX_INDIRECT_MULTI]), [[0, location, 0, 0, 3, 0, 0, 20, 0]]);
        let count = [0, location, 0, 0x4000_0000, 0x40, 0x14_0010, 0xFFFF_8001, 16, 2];
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDIRECT_MULTI]), [count]);
    }
}

#[test]
fn one_indirect_draw_counts_from_an_8_aligned_base() {
    for chip in Chip::all() {
        let words = record(chip, &[Keep, BaseVertex, FirstInstance], |r, state| {
            let plain = DrawDesc::default().resolve(chip).expect("a draw");
            r.draw_call(&plain, &DrawCall::Indirect { arguments: 0x5004 }).expect("a draw");
            let indexed = DrawCall::IndexedIndirect { buffer: buffer(0, 3, IndexFormat::U8), arguments: 0x6000 };
            r.draw_call(state, &indexed).expect("a draw");
        });
        // The first user SGPR: SPI_SHADER_USER_DATA_VS_0 on GFX9, GS_0 later, in dwords of the SH window.
        let first = if chip.gfx().major() == 9 { 0x4C } else { 0x8C };
        assert_eq!(bodies(&words, &[Opcode::SET_BASE]), [[1, 0x5000, 0], [1, 0x6000, 0]], "{chip}");
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDIRECT]), [[4, 0, 0, 2]], "{chip}");
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDEX_INDIRECT]), [[0, first + 1, first + 2, 0]], "{chip}");
        // Where the register can stop instance packing, the first draw of a stream writes it even without indices, as RADV does.
        let types: &[u32] = if chip.has(Erratum::InstancePacking) { &[0, 2] } else { &[2] };
        assert_eq!(written(chip, &words, "VGT_INDEX_TYPE"), types, "{chip}");
    }
}

#[test]
fn the_index_type_is_written_again_after_a_draw_without_indices() {
    for chip in Chip::all() {
        let indexed = |format| DrawCall::Indexed {
            buffer: buffer(0x1000, 30, format),
            indices: Indices { count: 3, ..Indices::default() },
            instances: Instances::default(),
        };
        let auto = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() };
        let words = record(chip, &[], |r, state| {
            for call in [&indexed(IndexFormat::U32), &indexed(IndexFormat::U32), &auto, &indexed(IndexFormat::U32), &indexed(IndexFormat::U16)] {
                r.draw_call(state, call).expect("a draw");
            }
        });
        assert_eq!(written(chip, &words, "VGT_INDEX_TYPE"), [1, 1, 0], "{chip}");
        let last_writes: Vec<Opcode> = packets(&words).iter().filter_map(Packet::opcode).filter(|&o| o == Opcode::SET_UCONFIG_REG_INDEX).collect();
        assert!(last_writes.len() >= 3, "{chip}: written with an index");
    }
}

#[test]
fn an_empty_index_buffer_is_replaced_or_refused_only_on_gfx10_1() {
    for chip in Chip::all() {
        let state = DrawDesc::default().resolve(chip).expect("a draw");
        let behind = Indices { first: 30, count: 3, base_vertex: 0 };
        let calls = [
            DrawCall::Indexed { buffer: buffer(0x1000, 30, IndexFormat::U16), indices: behind, instances: Instances::default() },
            DrawCall::IndexedIndirect { buffer: buffer(0x1000, 0, IndexFormat::U16), arguments: 0x8000 },
        ];
        for call in calls {
            let hit = chip.has(Erratum::ZeroIndexBuffer);
            let mut recorder = Recorder::secondary(chip);
            let result = recorder.draw_call(&state, &call);
            assert_eq!(result.err(), hit.then_some(RecordError::Call(CallError::EmptyIndexBuffer { chip })), "{chip}");
            assert!(!hit || recorder.writer().is_empty(), "{chip}: a refused draw writes nothing");
            let mut recorder = Recorder::secondary(chip);
            for odd in [0, 0xCC02, 1 << 50] {
                recorder.set_spare_index(odd);
                let error = CallError::Address { what: "the spare index", addr: odd, align: 4 };
                assert!(!hit || recorder.draw_call(&state, &call) == Err(RecordError::Call(error)), "{chip}: {odd:#x}");
            }
            recorder.set_spare_index(0xCC00);
            recorder.draw_call(&state, &call).expect("a draw");
            let words = recorder.writer().words().to_vec();
            let spare = match call {
                DrawCall::Indexed { .. } => bodies(&words, &[Opcode::DRAW_INDEX_2])[0][..2] == [1, 0xCC00],
                _ => bodies(&words, &[Opcode::INDEX_BUFFER_SIZE]) == [[1]] && bodies(&words, &[Opcode::INDEX_BASE]) == [[0xCC00, 0]],
            };
            assert_eq!(spare, hit, "{chip}");
        }
    }
}

#[test]
fn not_eop_joins_draws_that_differ_in_indices_alone_and_never_ends_with_an_empty_one() {
    let draws: Vec<Indices> = [3, 6, 1, 0].into_iter().map(|count| Indices { first: 0, count, base_vertex: 0 }).collect();
    let call = DrawCall::MultiIndexed { buffer: buffer(0x1000, 30, IndexFormat::U16), draws, instances: Instances::default() };
    for chip in Chip::all() {
        let words = record(chip, &[Keep, BaseVertex], |r, state| r.draw_call(state, &call).expect("a draw"));
        let packets: Vec<(u32, u32)> = bodies(&words, &[Opcode::DRAW_INDEX_2]).iter().map(|b| (b[3], b[4])).collect();
        match chip.gfx().major() {
            10 | 11 => assert_eq!(packets, [(3, 0x20), (6, 0x20), (1, 0)], "{chip}"),
            _ => assert_eq!(packets, [(3, 0), (6, 0), (1, 0), (0, 0)], "{chip}"),
        }
        let words = record(chip, &[DrawIndex, BaseVertex], |r, state| r.draw_call(state, &call).expect("a draw"));
        let initiators: Vec<u32> = bodies(&words, &[Opcode::DRAW_INDEX_2]).iter().map(|b| b[4]).collect();
        assert_eq!(initiators, [0; 4], "{chip}: the draw index changes between them");
    }
}

#[test]
fn sgprs_are_written_for_direct_draws_where_they_change() {
    for chip in Chip::all().filter(|c| c.gfx().major() >= 10) {
        let words = record(chip, &[Keep, BaseVertex, FirstInstance, DrawIndex], |r, state| {
            let draws = [(5, 3), (5, 6), (0, 9)].map(|(first, count)| Vertices { first, count }).to_vec();
            r.draw_call(state, &DrawCall::MultiAuto { draws, instances: Instances { first: 7, count: 2 } }).expect("a draw");
        });
        let values = |addr| -> Vec<u32> { packets(&words).iter().flat_map(|p| p.writes(chip.gfx())).filter(|w| w.addr == addr).map(|w| w.value).collect() };
        assert_eq!((values(0xB234), values(0xB238), values(0xB23C)), (vec![5, 0], vec![7], vec![0, 1, 2]), "{chip}");
        assert_eq!(bodies(&words, &[Opcode::DRAW_INDEX_AUTO]), [[3, 2], [6, 2], [9, 2]], "{chip}");
        assert_eq!(bodies(&words, &[Opcode::NUM_INSTANCES]), [[2]], "{chip}");
    }
}

#[test]
fn calls_that_cannot_be_are_refused() {
    let resolved = |user_data: &[UserData]| with_user_data(user_data).resolve(Chip::Navi31).expect("a draw");
    let (none, based) = (resolved(&[]), resolved(&[BaseVertex]));
    let at = |addr| IndexBuffer { address: addr, indices: 6, format: IndexFormat::U32 };
    let one = Instances::default();
    let auto = |first, instances| DrawCall::Auto { vertices: Vertices { first, count: 3 }, instances };
    let indexed = |addr, base_vertex| DrawCall::Indexed { buffer: at(addr), indices: Indices { first: 0, count: 3, base_vertex }, instances: one };
    let several = |arguments, stride, count| DrawCall::MultiIndirect(IndirectDraws { arguments, stride, draws: 4, count });
    assert!(auto(0, one).check(&none).is_ok());
    assert_eq!(auto(0, Instances { first: 0, count: 0 }).check(&none), Err(CallError::NoInstances));
    assert!(matches!(auto(1, one).check(&none), Err(CallError::NoSgpr { value: 1, .. })));
    assert!(matches!(auto(0, Instances { first: 2, count: 1 }).check(&none), Err(CallError::NoSgpr { value: 2, .. })));
    assert!(matches!(indexed(0x1000, -1).check(&none), Err(CallError::NoSgpr { value: -1, .. })));
    assert!(indexed(0x1000, -1).check(&based).is_ok());
    assert!(matches!(indexed(0x1002, 0).check(&none), Err(CallError::Address { align: 4, .. })));
    assert!(matches!(indexed(0, 0).check(&none), Err(CallError::Address { .. })));
    assert!(several(0x1000, 16, Some(0x2004)).check(&none).is_ok());
    assert!(matches!(several(0x1002, 16, None).check(&none), Err(CallError::Address { .. })));
    assert!(matches!(several(0x1000, 16, Some(0x2002)).check(&none), Err(CallError::Address { .. })));
    assert_eq!(several(0x1000, 12, None).check(&none), Err(CallError::Stride { stride: 12, least: 16 }));
    assert_eq!(several(0x1000, 18, None).check(&none), Err(CallError::Stride { stride: 18, least: 16 }));
    let indexed = DrawCall::MultiIndexedIndirect { buffer: at(0x1000), draws: IndirectDraws { arguments: 0x1000, stride: 16, draws: 1, count: None } };
    assert_eq!(indexed.check(&none), Err(CallError::Stride { stride: 16, least: 20 }));
    assert!(matches!(DrawCall::Indirect { arguments: 1 << 48 }.check(&none), Err(CallError::Address { .. })));
}

/// Vulkan ignores the stride of a single draw.
#[test]
fn one_indirect_draw_needs_no_stride() {
    let call = |draws, stride| DrawCall::MultiIndirect(IndirectDraws { arguments: 0x1000, stride, draws, count: None });
    for chip in Chip::all() {
        let state = DrawDesc::default().resolve(chip).expect("a draw");
        let mut recorder = Recorder::secondary(chip);
        recorder.draw_call(&state, &call(1, 0)).expect("a draw");
        recorder.draw_call(&state, &call(0, 0)).expect("no draw");
        assert!(recorder.draw_call(&state, &call(2, 0)).is_err(), "{chip}");
        assert!(recorder.draw_call(&state, &call(1, 8)).is_err(), "{chip}");
    }
}

#[test]
fn predication_reaches_every_kind_of_draw() {
    let indices = buffer(0x1000, 30, IndexFormat::U16);
    let several = IndirectDraws { arguments: 0x1000, stride: 20, draws: 2, count: None };
    let calls = [
        DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() },
        DrawCall::Indexed { buffer: indices, indices: Indices { count: 3, ..Indices::default() }, instances: Instances::default() },
        DrawCall::Indirect { arguments: 0x1000 },
        DrawCall::IndexedIndirect { buffer: indices, arguments: 0x1000 },
        DrawCall::MultiIndirect(several),
        DrawCall::MultiIndexedIndirect { buffer: indices, draws: several },
    ];
    for call in calls {
        let words = record(Chip::Navi21, &[], |r, state| {
            r.writer().set_predicated(true).expect("a graphics queue");
            r.draw_call(state, &call).expect("a draw");
        });
        let drawn = packets(&words)
            .iter()
            .filter(|p| p.name(Chip::Navi21.gfx()).is_some_and(|n| n.starts_with("DRAW_")))
            .map(|p| p.header.is_predicated())
            .collect::<Vec<_>>();
        assert_eq!(drawn, [true], "{call:?}");
    }
}

#[test]
fn viewport_scissors_are_the_last_context_registers_on_vega10_and_raven() {
    let state =
        |chip, cull| DrawDesc::from(PipelineDesc { raster: Raster { cull, ..Raster::default() }, ..PipelineDesc::default() }).resolve(chip).expect("a draw");
    for chip in Chip::all() {
        let scissor = regs::find(chip.gfx(), "PA_SC_VPORT_SCISSOR_0_TL").expect("all generations have it").addr();
        let mut recorder = Recorder::secondary(chip);
        // The first draw writes everything; the second changes another register, the third nothing.
        for (cull, written) in [(Cull::None, 1), (Cull::Back, usize::from(chip.has(Erratum::ViewportScissor))), (Cull::Back, 0)] {
            let before = recorder.words().len();
            recorder.draw(&state(chip, cull)).expect("a draw");
            let context: Vec<u32> = packets(&recorder.words()[before..])
                .iter()
                .flat_map(|p| p.writes(chip.gfx()))
                .map(|w| w.addr)
                .filter(|a| (0x2_8000..0x2_9000).contains(a))
                .collect();
            assert_eq!(context.iter().filter(|&&addr| addr == scissor).count(), written, "{chip} {cull}");
            if written > 0 && chip.has(Erratum::ViewportScissor) {
                assert!((scissor..scissor + 128).contains(context.last().expect("some register")), "{chip} {cull}");
            }
        }
    }
}

#[test]
fn no_event_follows_a_draw_whether_it_blends_or_not() {
    for chip in Chip::all() {
        for blend in [false, true] {
            let color = vec![(TargetImage::default(), TargetBlend { blend: if blend { Some(Blend::SOURCE_OVER) } else { None }, ..TargetBlend::default() })];
            let state = DrawDesc::default().with_colors(color).resolve(chip).expect("a draw");
            let mut recorder = Recorder::secondary(chip);
            recorder.draw(&state).expect("a draw");
            let words = recorder.writer().words().to_vec();
            let all = packets(&words);
            let draw = all.iter().position(|p| p.opcode() == Some(Opcode::DRAW_INDEX_AUTO)).expect("a draw");
            let after = all[draw + 1..].iter().filter(|p| p.body == [0x26]).count();
            // The events of opaque_draw_events are for counts from streamout.
            assert_eq!(after, 0, "{chip}, blend {blend}");
        }
    }
}

/// Any call; half of them exceed some limit.
#[derive(Debug, Clone)]
struct AnyCall {
    call: DrawCall,
    user_data: Vec<UserData>,
}

impl Arbitrary for AnyCall {
    fn arbitrary(g: &mut Gen) -> Self {
        let addr = |g: &mut Gen| pick(g, &[0, 0x1000, 0x1002, 0x1004, 0x1001, BASE, u64::MAX, 1 << 50]);
        let instances = |g: &mut Gen| Instances { first: u32::arbitrary(g) % 3, count: u32::arbitrary(g) % 4 };
        let buffer = |g: &mut Gen| IndexBuffer {
            address: addr(g),
            indices: u32::arbitrary(g) % 50,
            format: pick(g, &[IndexFormat::U8, IndexFormat::U16, IndexFormat::U32]),
        };
        let vertices = |g: &mut Gen| Vertices { first: u32::arbitrary(g) % 3, count: u32::arbitrary(g) };
        let indices = |g: &mut Gen| Indices { first: u32::arbitrary(g) % 60, count: u32::arbitrary(g) % 9, base_vertex: i32::arbitrary(g) % 3 };
        let several = |g: &mut Gen| IndirectDraws {
            arguments: addr(g),
            stride: pick(g, &[0, 12, 16, 18, 20, 24]),
            draws: u32::arbitrary(g) % 5,
            count: bool::arbitrary(g).then(|| addr(g)),
        };
        let n = usize::arbitrary(g) % 4;
        let call = match u8::arbitrary(g) % 10 {
            0 => DrawCall::Auto { vertices: vertices(g), instances: instances(g) },
            1 => DrawCall::MultiAuto { draws: (0..n).map(|_| vertices(g)).collect(), instances: instances(g) },
            2 => DrawCall::Indexed { buffer: buffer(g), indices: indices(g), instances: instances(g) },
            3 => DrawCall::MultiIndexed { buffer: buffer(g), draws: (0..n).map(|_| indices(g)).collect(), instances: instances(g) },
            4 => DrawCall::Indirect { arguments: addr(g) },
            5 => DrawCall::IndexedIndirect { buffer: buffer(g), arguments: addr(g) },
            6 => DrawCall::MultiIndirect(several(g)),
            7 => DrawCall::Mesh { groups: [(); 3].map(|()| u32::arbitrary(g) % 9) },
            8 => DrawCall::MeshIndirect(several(g)),
            _ => DrawCall::MultiIndexedIndirect { buffer: buffer(g), draws: several(g) },
        };
        let mut user_data = vec![Keep; 1 + usize::arbitrary(g) % 6];
        values_of_draws(g, &mut user_data);
        Self { call, user_data }
    }
}

#[derive(Default)]
struct Errors(Vec<String>);

impl Observer for Errors {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity == Severity::Error {
            self.0.push(format!("{} {}", finding.code, finding.message));
        }
    }
}

#[test]
fn any_calls_are_refused_or_run_on_the_model_without_errors() {
    fn holds(case: Case, calls: Vec<AnyCall>) -> Result<(), String> {
        let mut recorder = Recorder::secondary(case.chip);
        recorder.set_spare_index(0xCC00);
        recorder.begin().map_err(|e| e.to_string())?;
        for AnyCall { call, user_data } in &calls {
            let mut desc = case.desc.clone();
            match &mut desc.pipeline.tessellation {
                Some(patches) => patches.program.user_data.clone_from(user_data),
                None => desc.pipeline.vertex.program.user_data.clone_from(user_data),
            }
            if desc.pipeline.mesh.is_some() {
                let of_vertices = |data: &UserData| matches!(data, UserData::BaseVertex | UserData::FirstInstance);
                desc.pipeline.vertex.program.user_data.iter_mut().filter(|data| of_vertices(data)).for_each(|data| *data = Keep);
                desc.pipeline.vertex.program.user_data.extend([UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ]);
            }
            let state = desc.resolve(case.chip).map_err(|e| e.to_string())?;
            let before = recorder.writer().len();
            match recorder.draw_call(&state, call) {
                Ok(()) => {}
                Err(RecordError::Call(_)) if recorder.writer().len() == before => {}
                Err(other) => return Err(format!("{call:?}: {other}")),
            }
        }
        let words = recorder.finish().map_err(|e| e.to_string())?;
        let mut cp = CommandProcessor::new(case.chip);
        cp.relaxed_order(case.desc.pipeline.order == RasterizationOrder::Relaxed);
        cp.submit(Queue::Graphics, "stream", &words);
        let mut errors = Errors::default();
        cp.run(&mut errors);
        errors.0.into_iter().next().map_or(Ok(()), Err)
    }
    property("any calls are refused or run", 600, holds as fn(Case, Vec<AnyCall>) -> Result<(), String>);
}

#[test]
fn vgt_flush_comes_between_an_ngg_draw_and_one_of_the_hardware_vs() {
    let state = |chip, path| {
        DrawDesc::from(PipelineDesc { vertex: VertexStage { path: Some(path), ..VertexStage::default() }, ..PipelineDesc::default() }).resolve(chip)
    };
    for chip in Chip::all() {
        let (Ok(ngg), Ok(hardware)) = (state(chip, VertexPath::Ngg), state(chip, VertexPath::Legacy)) else { continue };
        let mut recorder = Recorder::secondary(chip);
        for draw in [&hardware, &ngg, &ngg, &hardware, &hardware] {
            recorder.draw(draw).expect("a draw");
        }
        let words = recorder.writer().words().to_vec();
        let draws_and_flushes: Vec<bool> = packets(&words)
            .iter()
            .filter(|p| p.opcode() == Some(Opcode::DRAW_INDEX_AUTO) || p.opcode() == Some(Opcode::EVENT_WRITE) && p.body == [0x24])
            .map(|p| p.opcode() == Some(Opcode::EVENT_WRITE))
            .collect();
        // The caller of a secondary buffer may have drawn with NGG before.
        let wanted: &[bool] = if chip.has(Erratum::VgtFlushNggLegacy) { &[true, false, false, false, true, false, false] } else { &[false; 5] };
        assert_eq!(draws_and_flushes, wanted, "{chip}");
    }
}

#[test]
fn what_the_caller_wrote_between_draws_does_not_count_as_written_by_the_recorder() {
    for chip in Chip::all() {
        let short = DrawCall::Indexed {
            buffer: buffer(0x12_0000, 0x800, IndexFormat::U16),
            indices: Indices { first: 0, count: 3, base_vertex: 0 },
            instances: Instances::default(),
        };
        type Step = fn(&mut pm4::packet::Stream) -> Result<(), pm4::packet::WriteError>;
        let between: [Step; 2] = [|w| w.index_type(VgtIndexTypeMode::VGT_INDEX_32), |w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)];
        for write in between {
            let words = record(chip, &[], |r, state| {
                r.draw_call(state, &short).expect("a draw");
                write(r.writer()).expect("a packet");
                r.draw_call(state, &short).expect("a draw");
            });
            let types = written(chip, &words, "VGT_INDEX_TYPE");
            assert!(types.len() > 1 && types.first() == types.last(), "{chip}: {types:?}");
        }
    }
}

/// A state resolved for another chip has the registers of that chip.
#[test]
fn a_draw_of_another_chip_is_refused() {
    for (resolved, recorder) in [(Chip::Navi31, Chip::Navi32), (Chip::Navi10, Chip::Navi31), (Chip::Vega10, Chip::Raven)] {
        let state = with_user_data(&[]).resolve(resolved).expect("a draw");
        let mut recorder_of = Recorder::secondary(recorder);
        recorder_of.begin().expect("a preamble");
        let before = recorder_of.words().len();
        let auto = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() };
        assert_eq!(recorder_of.draw_call(&state, &auto), Err(RecordError::OtherChip { resolved, recorder }));
        assert_eq!(recorder_of.words().len(), before);
    }
}

#[test]
fn a_refused_call_leaves_nothing_behind() {
    type Refused = fn(&mut Recorder<Vec<u32>>, &Resolved) -> bool;
    type Case = (&'static str, Refused, fn(Chip) -> bool);
    let refused: [Case; 4] = [
        (
            "indices beyond 2^48",
            |r, state| {
                let buffer = IndexBuffer { address: 0xFFFF_FFFF_F000, indices: 0x1_0000, format: IndexFormat::U16 };
                let indices = Indices { first: 0x8000, count: 3, base_vertex: 0 };
                r.draw_call(state, &DrawCall::Indexed { buffer, indices, instances: Instances::default() }).is_err()
            },
            |_| true,
        ),
        (
            "a barrier without memory",
            |r, _| r.barrier(&Barrier::new(Access::ColorWrite | Access::ComputeWrite, Access::PixelRead)).is_err(),
            |chip| chip.gfx().major() < 11,
        ),
        (
            "a fence without memory for ZPASS_DONE",
            |r, _| r.fence(&Fence { compressed: true, from: Access::ColorWrite.into(), ..Fence::new(0x8000, FenceData::Dword(1)) }).is_err(),
            |chip| chip.gfx().major() == 9,
        ),
        (
            "a barrier that has half of its memory",
            |r, _| {
                r.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: None });
                r.barrier(&Barrier::new(Access::ColorWrite, Access::PixelRead)).is_err()
            },
            |chip| chip.gfx().major() == 9,
        ),
    ];
    for chip in Chip::all() {
        let state = with_user_data(&[]).resolve(chip).expect("a draw");
        for (what, call, concerned) in refused.iter().filter(|(.., concerned)| concerned(chip)) {
            assert!(concerned(chip));
            let stream = |refuse: bool| {
                let mut recorder = Recorder::new(chip);
                recorder.begin().expect("a preamble");
                if refuse {
                    assert!(call(&mut recorder, &state), "{chip}: {what} is refused");
                }
                recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
                recorder.draw(&state).expect("a draw");
                recorder.barrier(&Barrier::new(Access::ColorWrite, Access::PixelRead)).expect("a barrier");
                recorder.finish().expect("a stream")
            };
            assert_eq!(stream(true), stream(false), "{chip}: {what}");
        }
    }
}

#[test]
fn a_full_buffer_ends_with_whole_calls() {
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Navi31, Chip::Gfx1200] {
        let state = with_user_data(&[]).resolve(chip).expect("a draw");
        let dispatch = DispatchDesc::default().resolve(chip).expect("a dispatch");
        type Call<'c> = &'c dyn Fn(&mut Recorder<pm4::packet::FixedBuffer<'_>>) -> Result<(), RecordError>;
        let calls: [Call<'_>; 5] = [&|r| r.begin(), &|r| r.draw(&state), &|r| r.begin_compute(), &|r| r.dispatch(&dispatch), &|r| {
            r.barrier(&Barrier::new(Access::ColorWrite | Access::ComputeWrite, Access::PixelRead)).map(|_| ())
        }];
        let record = |memory: &mut [u32]| {
            let mut recorder = Recorder::fixed(chip, memory);
            recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
            let lengths: Vec<usize> = calls.iter().scan((), |(), call| call(&mut recorder).is_ok().then(|| recorder.writer().len())).collect();
            (lengths, recorder.writer().len())
        };
        let (ends, whole) = record(&mut [0; 2000]);
        assert_eq!(ends.len(), calls.len());
        for room in 0..=whole {
            let (done, written) = record(&mut vec![0; room]);
            assert_eq!((done.as_slice(), written), (&ends[..done.len()], done.last().copied().unwrap_or(0)), "{chip}: {room} dwords");
        }
    }
}

/// The model's description of each draw, and the indices that it reads.
#[derive(Default)]
struct Seen(Vec<(pm4::cp::WorkCall, Option<Vec<u32>>)>);

impl Observer for Seen {
    fn draw(&mut self, view: &pm4::cp::DrawView<'_>) {
        for number in 0..view.call_count().expect("the number is known") {
            let call = view.call(number).expect("the draw is there");
            let pm4::cp::WorkCall::Vertices(vertices) = call else { panic!("{call:?} has no vertices") };
            self.0.push((call, view.indices(&vertices, 4)));
        }
    }
}

/// The model decodes the calls from the words alone: counts, first vertices, index buffers, and arguments in memory.
#[test]
fn the_model_reads_what_calls_ask_for() {
    use pm4::cp::{VertexCall, WorkCall};
    for chip in Chip::all() {
        let words = record(chip, &[], |r, state| {
            let instances = Instances { first: 0, count: 2 };
            r.draw_call(state, &DrawCall::Auto { vertices: Vertices { first: 0, count: 6 }, instances }).expect("a draw");
            let indices = Indices { first: 1, count: 3, base_vertex: 0 };
            r.draw_call(state, &DrawCall::Indexed { buffer: buffer(0, 8, IndexFormat::U16), indices, instances }).expect("a draw");
            let draws = IndirectDraws { arguments: BASE + 0x1000, stride: 20, draws: 9, count: Some(BASE + 0x2000) };
            r.draw_call(state, &DrawCall::MultiIndexedIndirect { buffer: buffer(0, 2, IndexFormat::U32), draws }).expect("a draw");
            r.draw_call(state, &DrawCall::Indirect { arguments: BASE + 0x3000 }).expect("a draw");
        });
        let mut cp = CommandProcessor::new(chip);
        // Vertices, instances, first vertex, first instance: four different numbers.
        cp.map("four", BASE + 0x3000, &[9, 8, 7, 6]);
        cp.map("indices", BASE, &[0x0002_0001, 0x0004_0003]);
        cp.map("arguments", BASE + 0x1000, &[3, 1, 0, u32::MAX, 7, 2, 4, 1, 5, 6]);
        cp.map("count", BASE + 0x2000, &[2]);
        cp.submit(Queue::Graphics, "calls", &words);
        let mut seen = Seen::default();
        assert_eq!(cp.run(&mut seen).errors, 0, "{chip}");
        let addr = Some(BASE & 0xFFFF_FFFF_FFFF);
        let direct = VertexCall { instances: Some(2), ..VertexCall::default() };
        let (small, wide) = (pm4::cp::BoundIndices { addr, bytes: Some(2), limit: Some(8) }, pm4::cp::BoundIndices { addr, bytes: Some(4), limit: Some(2) });
        let from_memory = |count, instances, first, offset, first_instance| VertexCall {
            count: Some(count),
            instances: Some(instances),
            first: Some(first),
            vertex_offset: Some(offset),
            first_instance: Some(first_instance),
            indices: Some(wide),
        };
        // The packet of a direct draw holds the address of its first index.
        let shifted = pm4::cp::BoundIndices { addr: addr.map(|addr| addr + 2), limit: small.limit.map(|limit| limit - 1), ..small };
        let expected = [
            (VertexCall { count: Some(6), ..direct }, None),
            (VertexCall { count: Some(3), first: Some(0), indices: Some(shifted), ..direct }, Some(vec![2, 3, 4])),
            (from_memory(3, 1, 0, -1, 7), Some(vec![0x0002_0001, 0x0004_0003, 0])),
            (from_memory(2, 4, 1, 5, 6), Some(vec![0x0004_0003, 0])),
            (VertexCall { vertex_offset: None, indices: None, ..from_memory(9, 8, 7, 0, 6) }, None),
        ];
        assert_eq!(seen.0, expected.map(|(call, indices)| (WorkCall::Vertices(call), indices)), "{chip}");
    }
}

/// The preamble and other draws write DB_DFSM_CONTROL, so the reset value can remain only in secondary buffers.
#[test]
fn the_reset_default_of_the_drain_is_drawn_only_where_nothing_was_written() {
    let desc = DrawDesc::from(PipelineDesc { interlock: Interlock::PixelOrdered, drain: Drain::ResetDefault, ..PipelineDesc::default() });
    for chip in Chip::all().filter(|chip| chip.gfx().major() < 11) {
        let (state, other) = (
            desc.resolve(chip).expect("a draw"),
            DrawDesc { pipeline: PipelineDesc { drain: Drain::Auto, ..desc.pipeline.clone() }, ..desc.clone() }.resolve(chip).expect("a draw"),
        );
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        let before = recorder.words().len();
        assert_eq!(recorder.draw(&state), Err(RecordError::DrainWritten), "{chip}");
        recorder.bind_pipeline(&Pipeline::new(chip, desc.pipeline.clone()).expect("a pipeline")).expect("the chip");
        recorder.bind_targets(&Targets::new(chip, desc.targets.clone()).expect("targets")).expect("the chip");
        assert_eq!(recorder.draw_vertices(Vertices { first: 0, count: 3 }), Err(RecordError::DrainWritten), "{chip}");
        assert_eq!(recorder.words().len(), before, "{chip}");
        recorder.apart(|recorder| recorder.draw(&other)).expect("the register is written");
        let mut secondary = Recorder::secondary(chip);
        secondary.draw(&state).expect("nothing was written");
        secondary.draw(&other).expect("the register is written");
        assert_eq!(secondary.draw(&state), Err(RecordError::DrainWritten), "{chip}");
        // The same with bound objects.
        let mut secondary = Recorder::secondary(chip);
        let [default, written] =
            [Drain::ResetDefault, Drain::Auto].map(|drain| Pipeline::new(chip, PipelineDesc { drain, ..desc.pipeline.clone() }).expect("a pipeline"));
        secondary.bind_targets(&Targets::new(chip, desc.targets.clone()).expect("targets")).expect("the chip");
        for (pipeline, result) in [(&default, Ok(())), (&written, Ok(())), (&default, Err(RecordError::DrainWritten))] {
            secondary.bind_pipeline(pipeline).expect("the chip");
            assert_eq!(secondary.draw_vertices(Vertices { first: 0, count: 3 }), result, "{chip}");
        }
    }
}

/// Returns pipelines by the call values that their programs read.
fn programs() -> Vec<(&'static str, PipelineDesc)> {
    let vertex = |user_data: &[UserData]| with_user_data(user_data).pipeline;
    let mesh = |user_data: &[UserData]| PipelineDesc { mesh: Some(MeshStage::default()), ..vertex(user_data) };
    let tessellated = {
        let program = Program { user_data: vec![Keep, BaseVertex, FirstInstance], ..Program::default() };
        PipelineDesc { tessellation: Some(Tessellation { program, ..Tessellation::default() }), topology: Topology::PatchList, ..vertex(&[Keep]) }
    };
    let (x, y, z) = (UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ);
    vec![
        ("a program that reads nothing of the call", vertex(&[Keep])),
        ("a program that reads base vertex, first instance and the number of the draw", vertex(&[BaseVertex, FirstInstance, DrawIndex])),
        ("a program that reads base vertex and first instance, apart", vertex(&[Keep, FirstInstance, Keep, BaseVertex])),
        ("a program that reads the number of the draw", vertex(&[Keep, DrawIndex])),
        ("a program that reads the view", vertex(&[UserData::ViewIndex, BaseVertex])),
        ("a tessellating program", tessellated),
        ("a mesh shader that reads nothing of the call", mesh(&[Keep])),
        ("a mesh shader that reads its workgroups", mesh(&[x, y, z])),
        ("a mesh shader that reads its workgroups and the number of the draw", mesh(&[Keep, x, y, z, DrawIndex])),
        ("a mesh shader that reads its place in the ring", mesh(&[x, y, z, UserData::RingEntry])),
    ]
}

/// Returns calls at their limits, and slightly beyond.
fn calls_of(mesh: bool) -> Vec<DrawCall> {
    let at = |arguments: u64, stride: u32, draws: u32, count: Option<u64>| IndirectDraws {
        arguments: BASE + arguments,
        stride,
        draws,
        count: count.map(|at| BASE + at),
    };
    if mesh {
        let mut all: Vec<DrawCall> = [[1, 1, 1], [4, 1, 1], [1, 2, 1], [4, 3, 2], [0, 1, 1], [65536, 65536, 1]].map(|groups| DrawCall::Mesh { groups }).into();
        let several = [
            at(0x1000, 12, 1, None),
            at(0x1000, 12, 4, Some(0x2000)),
            at(0x1002, 12, 1, None),
            at(0x1000, 8, 1, None),
            at(0x1000, 14, 2, None),
            at(0x1000, 12, 0, None),
        ];
        all.extend(several.map(DrawCall::MeshIndirect));
        all.extend([true, false].map(|linear| DrawCall::TaskMesh { linear }));
        return all;
    }
    let (one, more) = (Instances::default(), Instances { first: 3, count: 2 });
    let vertices = |first, count| Vertices { first, count };
    let indices = |first, count, base_vertex| Indices { first, count, base_vertex };
    let (words, halves, bytes) = (buffer(0x4000, 100, IndexFormat::U32), buffer(0x4000, 100, IndexFormat::U16), buffer(0x4001, 100, IndexFormat::U8));
    let auto = |vertices, instances| DrawCall::Auto { vertices, instances };
    let indexed = |buffer, indices, instances| DrawCall::Indexed { buffer, indices, instances };
    let mut all = vec![
        auto(vertices(0, 3), one),
        auto(vertices(0, 0), one),
        auto(vertices(5, 3), one),
        auto(vertices(0, 3), more),
        auto(vertices(0, 3), Instances { first: 0, count: 0 }),
        DrawCall::MultiAuto { draws: vec![vertices(0, 3), vertices(0, 6), vertices(7, 3)], instances: one },
        DrawCall::MultiAuto { draws: vec![], instances: one },
        indexed(words, indices(0, 6, 0), one),
        indexed(words, indices(10, 6, 0), one),
        indexed(words, indices(98, 6, 0), one),
        indexed(words, indices(100, 6, 0), one),
        indexed(words, indices(0, 6, -2), more),
        indexed(halves, indices(3, 6, 0), one),
        indexed(bytes, indices(3, 6, 0), one),
        indexed(buffer(0x4002, 100, IndexFormat::U32), indices(0, 6, 0), one),
        indexed(buffer(0x4000, 0, IndexFormat::U16), indices(0, 6, 0), one),
        DrawCall::MultiIndexed { buffer: halves, draws: vec![indices(0, 6, 0), indices(6, 6, 0), indices(12, 6, 9)], instances: more },
        DrawCall::MultiIndexed { buffer: words, draws: vec![indices(0, 6, 0), indices(100, 6, 0)], instances: one },
        DrawCall::Indirect { arguments: BASE + 0x1004 },
        DrawCall::Indirect { arguments: 0x1002 },
        DrawCall::IndexedIndirect { buffer: halves, arguments: BASE + 0x1008 },
        DrawCall::MultiIndirect(at(0x1000, 16, 4, None)),
        DrawCall::MultiIndirect(at(0x1004, 20, 4, Some(0x2004))),
        DrawCall::MultiIndirect(at(0x1000, 16, 0, None)),
        DrawCall::MultiIndirect(at(0x1000, 16, 1, None)),
        DrawCall::MultiIndexedIndirect { buffer: words, draws: at(0x1000, 20, 4, None) },
        DrawCall::MultiIndexedIndirect { buffer: bytes, draws: at(0x1000, 24, 7, Some(0x2000)) },
        DrawCall::Views { views: 0b101, call: Box::new(auto(vertices(0, 3), one)) },
        DrawCall::Views { views: 0b11, call: Box::new(indexed(words, indices(0, 6, 0), one)) },
        DrawCall::Views { views: 0, call: Box::new(auto(vertices(0, 3), one)) },
    ];
    for (counter, offset, stride) in [(0x1000, 0, 16), (0x1000, 8, 12), (0x1002, 0, 16), (0x1000, 0, 0)] {
        all.push(DrawCall::Counted(CountedDraw { counter: BASE + counter, offset, stride, instances: one }));
    }
    all
}

/// Records each call after a draw with the same state, and a plain draw after it.
#[test]
fn calls_are_the_expected_packets() {
    let mut all = Vec::new();
    for (name, pipeline) in programs() {
        for call in calls_of(pipeline.mesh.is_some()) {
            all.push((format!("{name}: {call:x?}"), (pipeline.clone(), call)));
        }
    }
    let lines = |chip: Chip, (pipeline, call): &(PipelineDesc, DrawCall)| {
        let plain = match pipeline.mesh {
            Some(_) => DrawCall::Mesh { groups: [1, 1, 1] },
            None => DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() },
        };
        let state = match DrawDesc::from(pipeline.clone()).resolve(chip) {
            Ok(state) => state,
            Err(error) => return refused(error),
        };
        let mut recorder = Recorder::secondary(chip);
        recorder.set_spare_index(0xCC00);
        recorder.draw_call(&state, &plain).expect("a plain draw");
        let before = recorder.words().len();
        if let Err(error) = recorder.draw_call(&state, call) {
            return refused(error);
        }
        let after = recorder.words().len();
        recorder.draw_call(&state, &plain).expect("a plain draw");
        let told = |words: &[u32], when: &str| {
            let line = |packet: &Packet<'_>| format!("{} {:08x} {:x?}", packet.name(chip.gfx()).unwrap_or("?"), packet.header.0, packet.body);
            packets(words).iter().enumerate().map(|(nth, packet)| format!("{when}{nth} {}", line(packet))).collect::<Vec<_>>()
        };
        [told(&recorder.words()[before..after], ""), told(&recorder.words()[after..], "then ")].concat()
    };
    assert_table("tests/suites/author/calls.rs", "draw/calls", |_| Vec::new(), &all, lines);
}
