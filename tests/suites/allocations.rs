//! Counts heap allocations: none per draw and none per packet.

#[path = "../../examples/common/draw_cases.rs"]
mod draw_cases;
#[path = "../support/full_draw.rs"]
mod full_draw;

use pm4::chip::{Chip, Gfx};
use pm4::draw::sync::{Access, Barrier, SyncMemory};
use pm4::draw::{DynamicState, PairCache, Pipeline, PipelineDesc, Program, Recorder, Targets, TargetsDesc, VertexStage, Vertices};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Event, FilteredWriter, PreparedState, Queue, Reader, RegisterList, Stream, Writer};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(work: impl FnOnce() -> T) -> u64 {
    let before = COUNT.with(Cell::get);
    std::hint::black_box(work());
    COUNT.with(Cell::get) - before
}

fn state() -> PreparedState {
    let mut list: RegisterList = (0..20).map(|n| (0x28000 + 8 * n, n)).collect();
    PreparedState::new(Gfx::Gfx11, Queue::Graphics, &mut list).unwrap()
}

#[test]
fn binding_and_drawing_allocate_nothing() {
    let mut memory = vec![0; 1 << 16];
    let mut prepared = state();
    let n = allocations(|| {
        let mut writer = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
        for draw in 0..500 {
            prepared.set(0x28000, draw);
            prepared.bind(&mut writer).unwrap();
            writer.draw_index_2(3, 0x1000, 3, DrawInitiator::INDICES).unwrap();
        }
    });
    assert_eq!(n, 0);
}

#[test]
fn draws_with_bound_objects_allocate_nothing_once_warm() {
    const DRAWS: usize = 500;
    for chip in Chip::all() {
        for case in &draw_cases::CASES {
            let objects = case.objects(chip).unwrap();
            let (mut memory, mut upload) = (vec![0; 1 << 18], draw_cases::Objects::upload());
            let mut recorder = Recorder::fixed(chip, &mut memory);
            objects.begin(&mut recorder).unwrap();
            // Both states once, and back.
            objects.record(&mut recorder, &mut upload, 4).unwrap();
            let n = allocations(|| objects.record(&mut recorder, &mut upload, DRAWS).unwrap());
            assert_eq!(n, 0, "{} on {chip}", case.name);
        }
    }
}

/// A thousand alternating pipelines: each is joined once, and so is each change from one to the next.
#[test]
fn pipelines_in_turn_allocate_nothing_once_warm() {
    const PIPELINES: usize = 1000;
    let chip = Chip::all().next().unwrap();
    let pipelines: Vec<Pipeline> = (1..=PIPELINES as u64)
        .map(|at| {
            let program = Program { address: Some(at << 12), ..Program::default() };
            Pipeline::new(chip, PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() }).unwrap()
        })
        .collect();
    let (targets, mut memory) = (Targets::new(chip, TargetsDesc::default()).unwrap(), vec![0; 1 << 18]);
    let mut recorder = Recorder::fixed(chip, &mut memory);
    recorder.begin().unwrap();
    recorder.bind_targets(&targets).unwrap();
    let mut turn = || {
        for pipeline in &pipelines {
            recorder.bind_pipeline(pipeline).unwrap();
            recorder.draw_vertices(Vertices { first: 0, count: 3 }).unwrap();
        }
    };
    // The change from the last to the first happens at the start of the second turn.
    turn();
    turn();
    assert_eq!(allocations(turn), 0);
}

/// Barriers allocate nothing after they have been planned.
#[test]
fn barriers_allocate_nothing_once_warm() {
    for chip in Chip::all() {
        let (barrier, mut memory) = (Barrier::new(Access::ColorWrite | Access::DepthWrite, Access::PixelRead), vec![0; 1 << 16]);
        let mut recorder = Recorder::fixed(chip, &mut memory).after_preamble();
        recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        let plan = recorder.barrier(&barrier).unwrap();
        let n = allocations(|| {
            for _ in 0..100 {
                recorder.barrier(&barrier).unwrap();
                recorder.sync(&plan).unwrap();
            }
        });
        assert_eq!(n, 0, "{chip}");
    }
}

/// A command buffer that receives the pairs of another one does not join them again.
#[test]
fn pairs_that_are_given_are_not_joined_again() {
    for chip in Chip::all() {
        for case in &draw_cases::CASES {
            let objects = case.objects(chip).unwrap();
            let (mut memory, mut upload, mut pairs) = (vec![0; 1 << 16], draw_cases::Objects::upload(), PairCache::default());
            let mut counts = Vec::new();
            for _ in 0..2 {
                let mut recorder = Recorder::fixed(chip, &mut memory).with_pairs(pairs);
                objects.begin(&mut recorder).unwrap();
                counts.push(allocations(|| objects.record(&mut recorder, &mut upload, 4).unwrap()));
                pairs = recorder.take_pairs();
            }
            // The register values before a draw that may be refused are kept in memory that each recorder owns.
            assert!(counts[0] > 1 && counts[1] <= 1, "{} on {chip}: {counts:?}", case.name);
        }
    }
}

#[test]
fn filtered_runs_and_lists_allocate_nothing_once_warm() {
    let mut memory = vec![0; 1 << 18];
    let mut stream = FilteredWriter::new(Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory));
    let mut list = RegisterList::new();
    let mut one = |value: u32| {
        list.clear();
        list.extend((0..20).map(|n| (0x28100 + 8 * (19 - n), value / (n + 1))));
        stream.set_regs(0x28000, &[value, value / 2, 3]).unwrap();
        stream.set_list(&mut list).unwrap();
    };
    one(0);
    assert_eq!(allocations(|| (0..500).for_each(&mut one)), 0);
}

#[test]
fn packets_with_fields_are_written_and_read_without_allocating() {
    let mut memory = vec![0; 1 << 16];
    let n = allocations(|| {
        use pm4::packet::{gfx11::DispatchDirect, layouts::DispatchInitiator};
        let mut writer = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
        for n in 0..500 {
            writer.emit(&DispatchDirect { dim_x: n, dim_y: 1, dim_z: 1, dispatch_initiator: DispatchInitiator::new().with_compute_shader_en(true) }).unwrap();
            writer.event(Event::PS_PARTIAL_FLUSH).unwrap();
        }
    });
    assert_eq!(n, 0);
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    for n in 0..500 {
        stream.set_regs(0x28000, &[n, 2, 3]).unwrap();
        stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();
    }
    let n = allocations(|| {
        let packets = Reader::new(stream.words()).flatten();
        packets.map(|p| p.writes(Gfx::Gfx11).map(|w| u64::from(w.value)).sum::<u64>() + p.fields(Gfx::Gfx11, Queue::Graphics).count() as u64).sum::<u64>()
    });
    assert_eq!(n, 0);
}

#[test]
fn draws_are_recorded_without_allocating() {
    use pm4::draw::{DrawCall, DrawDesc, Recorder};
    let full = full_draw::full_draw();
    let other = DrawDesc { state: DynamicState { scissors: vec![], ..full.state.clone() }, ..full.clone() };
    for chip in Chip::all() {
        let states = [&full, &other].map(|desc| desc.resolve(chip).expect("every chip can"));
        let calls = [DrawCall::from(&states[0]), DrawCall::from(&states[1])];
        let mut memory = vec![0; 1 << 16];
        let mut recorder = Recorder::fixed(chip, &mut memory);
        recorder.begin().expect("room");
        let n = allocations(|| (0..500).for_each(|draw| recorder.draw_call(&states[draw % 2], &calls[draw % 2]).expect("room")));
        assert_eq!(n, 0, "{chip}");
    }
}

#[test]
fn a_draw_is_resolved_with_one_allocation() {
    let draw = full_draw::full_draw();
    for chip in Chip::all() {
        // The register image; reasons are not built, including those about errata (DB_DFSM_CONTROL and others of this draw).
        assert_eq!(allocations(|| draw.resolve(chip).expect("every chip can")), 1, "{chip}");
        let (image, reasons) = (draw.resolve(chip).expect("every chip can").image, draw.explain(chip).expect("every chip can"));
        assert!(image.registers().all(|register| reasons.iter().any(|reason| reason.addr == register.addr)), "{chip}: explained from the same registers");
    }
}
