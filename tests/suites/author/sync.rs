//! Barriers, fences and waits: the packets that every intent requires, and the barriers of a real driver.

use crate::chip_table::assert_table;
use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::sync::*;
use pm4::draw::{DccBlocks, DrawCall, DrawDesc, RecordError, Recorder, TargetPass};
use pm4::packet::{Event, Opcode, Packet, Queue, Reader, Stream, Writer};
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;
use support::draws::{any, pick};
use support::property;

const MEMORY: SyncMemory = SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) };

/// A chip and a barrier that its graphics queue can run.
#[derive(Debug, Clone)]
struct Intent {
    chip: Chip,
    barrier: Barrier,
}

fn accesses(g: &mut Gen) -> AccessSet {
    let n = pick(g, &[0, 1, 1, 2, 3, 6]);
    (0..n).map(|_| any::<Access>(g)).collect()
}

impl Arbitrary for Intent {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        let (compressed, coherent_l2) = (bool::arbitrary(g), bool::arbitrary(g));
        Self { chip: pick(g, &chips), barrier: Barrier { from: accesses(g), to: accesses(g), compressed, coherent_l2 } }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let Self { chip, barrier } = self.clone();
        let without = |set: AccessSet| -> Vec<AccessSet> { set.iter().map(|gone| set.iter().filter(|&a| a != gone).collect()).collect() };
        let mut smaller: Vec<Barrier> = without(barrier.from).into_iter().map(|from| Barrier { from, ..barrier }).collect();
        smaller.extend(without(barrier.to).into_iter().map(|to| Barrier { to, ..barrier }));
        Box::new(smaller.into_iter().map(move |barrier| Self { chip, barrier }))
    }
}

fn recorder(chip: Chip) -> Recorder<Vec<u32>> {
    let mut recorder = Recorder::new(chip).after_preamble();
    recorder.set_sync_memory(MEMORY);
    recorder
}

/// Returns the words of a barrier.
fn words(chip: Chip, barrier: &Barrier) -> Vec<u32> {
    let mut recorder = recorder(chip);
    recorder.barrier(barrier).unwrap_or_else(|e| panic!("{chip}: {barrier:?}: {e}"));
    recorder.writer().words().to_vec()
}

fn packets(words: &[u32]) -> Vec<Packet<'_>> {
    Reader::new(words).map(|p| p.expect("whole packets")).collect()
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

/// Returns what the model reports as an error.
fn errors(chip: Chip, words: &[u32]) -> Vec<String> {
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "stream", words);
    let mut errors = Errors::default();
    cp.run(&mut errors);
    errors.0
}

/// Returns what is illegal in the packets of barriers and fences, whatever their purpose.
fn illegal(chip: Chip, words: &[u32]) -> Option<String> {
    let gfx = chip.gfx();
    let all = packets(words);
    for (at, packet) in all.iter().enumerate() {
        let field = |name| packet.field(gfx, Queue::Graphics, name);
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        match packet.opcode()? {
            Opcode::EVENT_WRITE => {
                let event = Event(field("event_type")? as u8);
                if event.is_timestamp(gfx) {
                    return Some(format!("timestamp event {event:?} in EVENT_WRITE"));
                }
                if event.index(gfx) != field("event_index").map(|i| i as u8) {
                    return Some(format!("event {event:?} with index {:?}", field("event_index")));
                }
                let flush = matches!(event, Event::FLUSH_AND_INV_CB_META | Event::FLUSH_AND_INV_DB_META | Event::CACHE_FLUSH_AND_INV_EVENT);
                if flush && chip.has(Erratum::TargetFlushEvents) {
                    return Some(format!("{event:?} flushes without a timestamp"));
                }
            }
            Opcode::RELEASE_MEM => {
                let zpass = before.is_some_and(|b| b.opcode() == Some(Opcode::EVENT_WRITE) && b.body.first() == Some(&0x115));
                if zpass != chip.has(Erratum::ZpassDoneBeforeTimestamp) {
                    return Some("ZPASS_DONE right before RELEASE_MEM is for GFX9, and always there".to_owned());
                }
                let (event, index) = (Event(field("event_type")? as u8), field("event_index")?);
                if (index == 5) != event.is_timestamp(gfx) {
                    return Some(format!("{event:?} with index {index} in RELEASE_MEM"));
                }
                if gfx.major() <= 10 && packet.body[0] & 0xC100_0000 != 0 {
                    return Some("a bit of GFX11 in RELEASE_MEM".to_owned());
                }
            }
            Opcode::ACQUIRE_MEM if gfx.major() >= 11 => {
                if field("pws_ena") == Some(1) {
                    // PFP and ME accept cache actions, the stage before depth (0) does not. PAL's barriers use no other stage: events pass those before shaders
                    // (1) and pixel shaders (3), and the one before colour (2) hangs GFX11.
                    let stage = field("pws_stage_sel");
                    if !matches!(stage, Some(4 | 5)) && (stage != Some(0) || field("gcr_cntl") != Some(0)) {
                        return Some(format!("a pixel wait sync at stage {stage:?} with caches {:?}", field("gcr_cntl")));
                    }
                } else if field("coher_cntl") != Some(0) {
                    return Some("ACQUIRE_MEM names colour or depth caches".to_owned());
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn no_barrier_breaks_a_rule() {
    fn holds(intent: Intent) -> Result<(), String> {
        let words = words(intent.chip, &intent.barrier);
        let errors = errors(intent.chip, &words);
        match illegal(intent.chip, &words).or_else(|| errors.first().cloned()) {
            Some(wrong) => Err(format!("{}: {} -> {}: {wrong}", intent.chip, intent.barrier.from, intent.barrier.to)),
            None => Ok(()),
        }
    }
    property("no barrier breaks a rule", 1000, holds as fn(Intent) -> Result<(), String>);
}

#[test]
fn every_pair_of_accesses_is_a_barrier_on_every_chip() {
    for chip in Chip::all() {
        let mut recorder = recorder(chip);
        for (from, to) in Access::iter().flat_map(|from| Access::iter().map(move |to| (from, to))) {
            for compressed in [false, true] {
                let barrier = Barrier { compressed, ..Barrier::new(from, to) };
                recorder.barrier(&barrier).unwrap_or_else(|e| panic!("{chip}: {from} -> {to}: {e}"));
            }
        }
        let words = recorder.finish().expect("a stream");
        assert_eq!(illegal(chip, &words), None, "{chip}");
        assert_eq!(errors(chip, &words), Vec::<String>::new(), "{chip}");
    }
}

#[test]
fn a_larger_intent_never_waits_for_less() {
    fn holds(intent: Intent, more: u8) -> bool {
        let extra = Access::iter().nth(usize::from(more) % Access::iter().count()).expect("a member");
        let Barrier { from, to, .. } = intent.barrier;
        let plan = |barrier: &Barrier| Plan::new(intent.chip, Queue::Graphics, barrier).expect("a plan");
        // A wait for shaders is a partial flush or, stronger, the end of the pipe.
        let waits = |plan: &Plan| -> (bool, bool, bool) {
            let end = plan.find(|a| matches!(a, SyncAction::Release { .. })).is_some();
            let event = |e| plan.find(|a| *a == SyncAction::Event(e)).is_some();
            (end, end || event(Event::PS_PARTIAL_FLUSH), event(Event::CS_PARTIAL_FLUSH))
        };
        let (less, greater) = (waits(&plan(&intent.barrier)), waits(&plan(&Barrier { from: from | extra, ..intent.barrier })));
        let reads_nothing_new = from.is_empty() || from.writes() != (from | extra).writes();
        let to_more = waits(&plan(&Barrier { to: to | extra, ..intent.barrier }));
        let covers = |a: (bool, bool, bool), b: (bool, bool, bool)| (!a.0 || b.0) && (!a.1 || b.1) && (!a.2 || b.2);
        (reads_nothing_new || covers(less, greater)) && covers(less, to_more)
    }
    property("a larger intent never waits for less", 1000, holds as fn(Intent, u8) -> bool);
}

#[test]
fn the_pfp_waits_where_it_reads_what_was_written() {
    for chip in Chip::all() {
        for from in Access::iter().filter(|a| a.writes()) {
            for to in [Access::IndirectRead, Access::IndexRead] {
                let words = words(chip, &Barrier::new(from, to));
                assert!(packets(&words).iter().any(|p| p.opcode() == Some(Opcode::PFP_SYNC_ME)), "{chip}: {from} -> {to}");
            }
        }
    }
}

#[test]
fn every_step_says_why() {
    fn holds(intent: Intent) -> bool {
        let plan = Plan::new(intent.chip, Queue::Graphics, &intent.barrier).expect("a plan");
        plan.steps.iter().all(|step| !step.why.is_empty() && step.why.iter().all(|why| !why.is_empty()))
    }
    property("every step says why", 500, holds as fn(Intent) -> bool);
}

#[test]
fn gfx9_and_gfx10_need_fence_memory_for_targets_and_say_so() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip).after_preamble();
        let result = recorder.barrier(&Barrier::new(Access::ColorWrite, Access::PixelRead));
        match chip.gfx().major() {
            9 | 10 => assert!(result.unwrap_err().to_string().contains("fence"), "{chip}"),
            _ => assert!(result.is_ok(), "{chip}"),
        }
    }
}

#[test]
fn gfx9_without_memory_for_zpass_done_refuses_a_fence() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip).after_preamble();
        let result = recorder.fence(&Fence::new(0x8000, FenceData::Dword(1)));
        assert_eq!(result.is_err(), chip.has(Erratum::ZpassDoneBeforeTimestamp), "{chip}");
    }
}

#[test]
fn the_fence_counts_up_and_starts_from_zero_in_each_command_buffer() {
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Vangogh] {
        let mut recorder = recorder(chip);
        for _ in 0..3 {
            recorder.barrier(&Barrier::new(Access::ColorWrite, Access::PixelRead)).expect("a barrier");
        }
        let words = recorder.writer().words().to_vec();
        let all = packets(&words);
        let written: Vec<u32> = all.iter().filter(|p| p.opcode() == Some(Opcode::RELEASE_MEM)).map(|p| p.body[4]).collect();
        let awaited: Vec<u32> = all.iter().filter(|p| p.opcode() == Some(Opcode::WAIT_REG_MEM)).map(|p| p.body[3]).collect();
        assert_eq!((written, awaited), (vec![1, 2, 3], vec![1, 2, 3]), "{chip}");
        let cleared: Vec<&[u32]> = all.iter().filter(|p| p.opcode() == Some(Opcode::WRITE_DATA)).map(|p| p.body).collect();
        assert_eq!(cleared, [[0x0010_0500, 0x1000, 0, 0]], "{chip}");
    }
}

/// Returns the dwords that a stream sets to 0 with WRITE_DATA.
fn cleared(words: &[u32]) -> Vec<u32> {
    packets(words).iter().filter(|p| p.opcode() == Some(Opcode::WRITE_DATA)).map(|p| p.body[1]).collect()
}

/// A command buffer that runs again finds its last numbers in memory, whatever part of it was skipped before.
#[test]
fn the_fence_starts_from_zero_also_where_the_first_barrier_may_be_skipped() {
    let barrier = Barrier::new(Access::ColorWrite, Access::PixelRead);
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Vangogh] {
        let mut recorder = recorder(chip);
        let skipped = words(chip, &barrier).len() as u32;
        recorder.writer().packet(Opcode::COND_EXEC, &[0x3000, 0, 0, skipped]).expect("a condition");
        recorder.barrier(&barrier).expect("a barrier that may be skipped");
        recorder.barrier(&barrier).expect("a barrier");
        recorder.barrier(&barrier).expect("a barrier");
        assert_eq!(cleared(recorder.words()), [0x1000, 0x1000], "{chip}");
    }
}

#[test]
fn another_fence_memory_starts_from_zero_too() {
    let barrier = Barrier::new(Access::ColorWrite, Access::PixelRead);
    for chip in [Chip::Vega10, Chip::Navi10, Chip::Vangogh] {
        let mut recorder = recorder(chip);
        recorder.barrier(&barrier).expect("a barrier");
        recorder.set_sync_memory(SyncMemory { fence: Some(0x5000), ..MEMORY });
        recorder.barrier(&barrier).expect("a barrier");
        recorder.barrier(&barrier).expect("a barrier");
        assert_eq!(cleared(recorder.words()), [0x1000, 0x5000], "{chip}");
    }
}

/// Returns the actions of a barrier on L2: metadata invalidated, written back, invalidated.
fn l2(chip: Chip, barrier: &Barrier) -> [bool; 3] {
    let plan = Plan::new(chip, Queue::Graphics, barrier).expect("a plan");
    let caches = plan.steps.iter().filter_map(|step| match step.action {
        SyncAction::Release { caches, .. } | SyncAction::AcquireSync { caches, .. } | SyncAction::Acquire(caches) => Some(caches),
        _ => None,
    });
    caches.fold([false; 3], |[metadata, back, gone], c| [metadata || c.metadata, back || c.l2_write_back, gone || c.l2_invalidate])
}

/// PAL gfx12Barrier.cpp GetCacheSyncOps: the command processor, the DMA engine and index reads bypass GL2.
#[test]
fn gfx12_writes_l2_back_for_what_goes_past_it_and_drops_it_after() {
    use Access::*;
    let coherent = |from: AccessSet, to: Access| l2(Chip::Gfx1201, &Barrier { coherent_l2: true, ..Barrier::new(from, to) });
    for from in [ComputeWrite, PixelWrite, VertexWrite, ColorWrite, DepthWrite] {
        for to in [IndirectRead, IndexRead, CopyRead, CopyWrite, CommandWrite, QueryWrite] {
            assert_eq!(coherent(from.into(), to), [false, true, false], "{from} -> {to}");
        }
    }
    for from in [CopyWrite, CommandWrite, QueryWrite] {
        for to in [VertexRead, PixelRead, ComputeRead, ComputeWrite, ConstantRead, CodeRead, ColorRead, ColorWrite, DepthRead, DepthWrite] {
            assert_eq!(coherent(from.into(), to), [false, true, true], "{from} -> {to}");
        }
    }
    for to in [IndirectRead, IndexRead, CopyRead] {
        assert_eq!(coherent(AccessSet::NONE, to), [false, true, false], "nothing -> {to}");
        assert_eq!(coherent(CommandWrite.into(), to), [false; 3], "command-write -> {to}");
    }
    assert_eq!(coherent(ComputeWrite.into(), PixelRead), [false; 3]);
}

/// Mesa 25.0.7 radv_dst_access_flush: INV_L2_METADATA for reads of images with metadata, whatever wrote them.
#[test]
fn metadata_is_read_anew_whatever_wrote_it() {
    use Access::*;
    for chip in Chip::all().filter(|chip| chip.gfx().major() < 12) {
        for from in [ComputeWrite.into(), CopyWrite.into(), CommandWrite.into(), ColorWrite.into(), AccessSet::NONE] {
            for to in [VertexRead, PixelRead, ComputeRead, ComputeWrite] {
                let barrier = Barrier { coherent_l2: true, ..Barrier::new(from, to) };
                assert_eq!(l2(chip, &Barrier { compressed: true, ..barrier }), [true, false, false], "{chip}: {from} -> {to}");
                // The release of GFX9's targets invalidates metadata whether there is any or not (Mesa 25.0.7 radv_cs.c).
                let always = chip.gfx() == Gfx::Gfx9 && from.has(ColorWrite);
                assert_eq!(l2(chip, &barrier), [always, false, false], "{chip}: {from} -> {to}, without metadata");
            }
        }
        let images = Barrier { compressed: true, coherent_l2: true, ..Barrier::new(ComputeWrite, ConstantRead) };
        assert_eq!(l2(chip, &images), [false; 3], "{chip}: constants have no metadata");
    }
}

/// A queue that waits for another one does not know what that one did.
#[test]
fn work_of_another_queue_is_seen_whatever_wrote_it() {
    use Access::*;
    for chip in Chip::all() {
        for to in [PixelRead, ComputeRead, ColorRead, ColorWrite, DepthWrite] {
            let [_, back, gone] = l2(chip, &Barrier::new(AccessSet::NONE, to));
            assert!(back && gone, "{chip}: nothing -> {to}");
        }
        let plan = Plan::new(chip, Queue::Compute, &Barrier::new(AccessSet::NONE, ComputeRead)).expect("a plan");
        assert!(plan.find(|action| matches!(action, SyncAction::Acquire(caches) if caches.l2_invalidate && caches.vector)).is_some(), "{chip}");
    }
}

#[test]
fn a_fence_flushes_l2_unless_it_is_said_to_be_coherent() {
    for chip in Chip::all() {
        let flushes = |fence: Fence| {
            let plan = Plan::fence(chip, Queue::Graphics, &fence).expect("a fence");
            plan.find(|action| matches!(action, SyncAction::WriteFence { caches, .. } if caches.l2_write_back && caches.l2_invalidate)).is_some()
        };
        let fence = Fence { from: Access::ColorWrite.into(), ..Fence::new(0x8000, FenceData::Dword(1)) };
        assert!(flushes(fence), "{chip}");
        assert!(!flushes(Fence { coherent_l2: true, ..fence }), "{chip}");
        assert!(!flushes(Fence { from: AccessSet::NONE, ..fence }), "{chip}: nothing is to be flushed");
    }
}

/// radeonsi reads queries after a value that BOTTOM_OF_PIPE_TS writes; RADV invalidates L2 after them.
#[test]
fn what_events_write_is_waited_for_at_the_end_of_the_pipe() {
    for chip in Chip::all() {
        for to in [Access::ComputeRead, Access::CopyRead, Access::HostRead, Access::IndirectRead, Access::PixelRead] {
            for queue in [Queue::Graphics, Queue::Compute] {
                let Ok(plan) = Plan::new(chip, queue, &Barrier::new(Access::QueryWrite, to)) else {
                    assert!(to.is_graphics(), "{chip}: {to}");
                    continue;
                };
                let fence = queue == Queue::Compute || chip.gfx().major() <= 10;
                let release = |action: &SyncAction| matches!(action, SyncAction::Release { event: Event::BOTTOM_OF_PIPE_TS, fence: f, .. } if *f == fence);
                let wait = |action: &SyncAction| matches!(action, SyncAction::WaitFence | SyncAction::AcquireSync { .. });
                let at = |acts: &dyn Fn(&SyncAction) -> bool| plan.steps.iter().position(|step| acts(&step.action));
                assert!(at(&release).is_some() && at(&release) < at(&wait), "{chip} {queue:?}: query-write -> {to}: {plan:?}");
            }
            let [_, back, gone] = l2(chip, &Barrier::new(Access::QueryWrite, to));
            assert!(back && gone, "{chip}: query-write -> {to}");
        }
    }
}

#[test]
fn compute_queues_wait_by_fence_where_partial_flushes_return_early() {
    for chip in Chip::all() {
        let plan = Plan::new(chip, Queue::Compute, &Barrier::new(Access::ComputeWrite, Access::ComputeRead)).expect("a plan");
        let flush = plan.find(|a| *a == SyncAction::Event(Event::CS_PARTIAL_FLUSH)).is_some();
        assert_eq!(flush, !chip.has(Erratum::ComputePartialFlush), "{chip}");
        assert_eq!(plan.needs_fence(), chip.has(Erratum::ComputePartialFlush), "{chip}");
        let refused = Plan::new(chip, Queue::Compute, &Barrier::new(Access::ColorWrite, Access::ComputeRead));
        assert_eq!(refused, Err(SyncError::NotOnQueue { access: Access::ColorWrite, queue: Queue::Compute }));
    }
}

#[test]
fn gfx11_flushes_depth_and_metadata_by_the_event_that_flushes_all() {
    let event = |chip: Chip, from: Access, compressed| {
        let plan = Plan::new(chip, Queue::Graphics, &Barrier { compressed, ..Barrier::new(from, Access::PixelRead) }).expect("a plan");
        plan.steps.iter().find_map(|step| if let SyncAction::Release { event, .. } = step.action { Some(event) } else { None }).expect("a release")
    };
    for chip in Chip::all().filter(|c| c.gfx().major() >= 11) {
        let all = Event::CACHE_FLUSH_AND_INV_TS_EVENT;
        let gfx11 = chip.has(Erratum::TargetFlushEvents);
        assert_eq!(event(chip, Access::DepthWrite, false), if gfx11 { all } else { Event::FLUSH_AND_INV_DB_DATA_TS }, "{chip}");
        assert_eq!(event(chip, Access::ColorWrite, false), Event::FLUSH_AND_INV_CB_DATA_TS, "{chip}");
        assert_eq!(event(chip, Access::ColorWrite, true), if gfx11 { all } else { Event::FLUSH_AND_INV_CB_DATA_TS }, "{chip}");
    }
}

/// PAL GetAcquirePoint of GFX11 and GFX12: pixel shaders, colour and depth wait before depth, vertex and compute work in ME.
#[test]
fn gfx11_waits_at_the_stage_that_the_intent_names() {
    let stage = |chip: Chip, to: AccessSet| {
        let plan = Plan::new(chip, Queue::Graphics, &Barrier::new(Access::ColorWrite, to)).expect("a plan");
        plan.steps.iter().find_map(|step| if let SyncAction::AcquireSync { stage, .. } = step.action { Some(stage) } else { None })
    };
    use Access::*;
    let wanted: [(AccessSet, WaitStage); 9] = [
        (PixelRead.into(), WaitStage::Depth),
        (ColorRead | ColorWrite, WaitStage::Depth),
        (DepthWrite.into(), WaitStage::Depth),
        (DepthRead | PixelRead, WaitStage::Depth),
        (VertexRead | PixelWrite, WaitStage::Me),
        (ComputeRead.into(), WaitStage::Me),
        (PixelRead | ConstantRead, WaitStage::Me),
        (PixelRead | IndirectRead, WaitStage::Pfp),
        (IndexRead.into(), WaitStage::Pfp),
    ];
    for chip in Chip::all() {
        for (to, expected) in wanted {
            assert_eq!(stage(chip, to), (chip.gfx().major() >= 11).then_some(expected), "{chip}: color-write -> {to}");
        }
    }
}

#[test]
fn only_chips_that_hang_before_colour_are_told_so() {
    for chip in Chip::all().filter(|chip| chip.gfx().major() >= 11) {
        let plan = Plan::new(chip, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::ColorRead)).expect("a plan");
        let step = plan.steps.iter().find(|step| matches!(step.action, SyncAction::AcquireSync { .. })).expect("a wait");
        assert_eq!(step.why.iter().any(|why| why.contains("before colour hangs")), chip.has(Erratum::PreColorWait), "{chip}: {:?}", step.why);
    }
}

#[test]
fn gfx9_drops_metadata_with_the_release_of_targets_or_in_an_acquire() {
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx9) {
        let (mut released, mut acquired) = (0, 0);
        for (from, to) in Access::iter().flat_map(|from| Access::iter().map(move |to| (from, to))) {
            let plan = Plan::new(chip, Queue::Graphics, &Barrier { compressed: true, ..Barrier::new(from, to) }).expect("a plan");
            let release = plan.find(|action| matches!(action, SyncAction::Release { caches, .. } if caches.metadata)).is_some();
            let acquire = plan.find(|action| matches!(action, SyncAction::Acquire(caches) if caches.metadata)).is_some();
            assert!(!(release && acquire), "{chip}: {from} -> {to}");
            released += u32::from(release);
            acquired += u32::from(acquire);
        }
        assert!(released > 0 && acquired > 0, "{chip}");
    }
}

/// Returns CP_COHER_CNTL of the ACQUIRE_MEM packets of a barrier between compressed images, where L2 is coherent.
fn coher_cntl(chip: Chip, queue: Queue, from: AccessSet, to: AccessSet) -> Vec<u32> {
    let barrier = Barrier { compressed: true, coherent_l2: true, ..Barrier::new(from, to) };
    let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue)).after_preamble();
    recorder.set_sync_memory(MEMORY);
    recorder.barrier(&barrier).expect("a barrier");
    packets(recorder.words()).iter().filter(|p| p.opcode() == Some(Opcode::ACQUIRE_MEM)).map(|p| p.body[0]).collect()
}

/// PAL gfx9CmdUtil.cpp SelectGfx9CacheOp: TC_ACTION_ENA and TC_INV_METADATA_ACTION_ENA for metadata only, TC_WB and TC_NC to write L2 back, TCL1 for the vector
/// caches, each in a separate packet; writing back and invalidating L2 includes the others. Scalar caches are part of the first packet.
#[test]
fn gfx9_invalidates_metadata_by_a_packet_of_its_own() {
    use Access::*;
    const METADATA: u32 = 1 << 23 | 1 << 5;
    const WRITE_BACK: u32 = 1 << 18 | 1 << 3;
    const VECTOR: u32 = 1 << 22;
    const SCALAR: u32 = 1 << 27;
    const ALL: u32 = 1 << 23 | 1 << 22 | 1 << 18;
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx9) {
        for queue in [Queue::Graphics, Queue::Compute] {
            let acquired = |from: AccessSet, to: AccessSet| coher_cntl(chip, queue, from, to);
            let from = || AccessSet::from(ComputeWrite);
            assert_eq!(acquired(from(), ComputeRead.into()), [METADATA, VECTOR], "{chip} {queue:?}");
            assert_eq!(acquired(from(), ComputeRead | ConstantRead), [METADATA | SCALAR, VECTOR], "{chip} {queue:?}");
            assert_eq!(acquired(from(), ComputeRead | HostRead), [WRITE_BACK, METADATA, VECTOR], "{chip} {queue:?}");
            assert_eq!(acquired(from(), ConstantRead.into()), [VECTOR | SCALAR], "{chip} {queue:?}: constants have no metadata");
            assert_eq!(acquired(HostWrite.into(), ComputeRead.into()), [ALL], "{chip} {queue:?}");
        }
        assert_eq!(coher_cntl(chip, Queue::Graphics, ComputeWrite.into(), PixelRead.into()), [METADATA, VECTOR], "{chip}");
        assert_eq!(coher_cntl(chip, Queue::Graphics, ColorWrite.into(), PixelRead.into()), [VECTOR], "{chip}: the release has done it");
    }
}

/// It is not known who waits for a fence: RELEASE_MEM of GFX9 has TC_ACTION_ENA and TC_MD_ACTION_ENA for metadata.
#[test]
fn fences_of_gfx9_invalidate_metadata_whatever_wrote_it() {
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx9) {
        for queue in [Queue::Graphics, Queue::Compute] {
            for from in [Access::ComputeWrite, Access::CopyWrite] {
                let actions = |compressed| {
                    let fence = Fence { from: from.into(), compressed, coherent_l2: true, ..Fence::new(0x8000, FenceData::Dword(1)) };
                    let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue)).after_preamble();
                    recorder.set_sync_memory(MEMORY);
                    recorder.fence(&fence).expect("a fence");
                    let all = packets(recorder.words());
                    let releases: Vec<u32> = all.iter().filter(|p| p.opcode() == Some(Opcode::RELEASE_MEM)).map(|p| p.body[0] & 0x003F_F000).collect();
                    releases
                };
                assert_eq!(actions(true), [1 << 17 | 1 << 21], "{chip} {queue:?}: {from}");
                assert_eq!(actions(false), [0], "{chip} {queue:?}: {from}, without metadata");
            }
        }
    }
}

#[test]
fn a_fence_of_shaders_flushes_nothing_and_writes_a_number() {
    for chip in Chip::all() {
        let fence = |after, data, from: AccessSet| Plan::fence(chip, Queue::Graphics, &Fence { after, from, ..Fence::new(0x8000, data) });
        assert!(fence(FenceAfter::PixelShaders, FenceData::Dword(1), AccessSet::NONE).is_ok());
        assert!(fence(FenceAfter::ComputeShaders, FenceData::Qword(1), AccessSet::NONE).is_ok());
        assert!(fence(FenceAfter::PixelShaders, FenceData::GpuClock, AccessSet::NONE).is_err());
        assert!(fence(FenceAfter::ComputeShaders, FenceData::Nothing, AccessSet::NONE).is_err());
        assert!(fence(FenceAfter::PixelShaders, FenceData::Dword(1), Access::ColorWrite.into()).is_err());
        assert!(Plan::fence(chip, Queue::Compute, &Fence { after: FenceAfter::PixelShaders, ..Fence::new(0x8000, FenceData::Dword(1)) }).is_err());
    }
}

#[test]
fn a_fence_that_cannot_be_written_is_refused() {
    let refused = |fence: Fence| Plan::fence(Chip::Navi21, Queue::Graphics, &fence).is_err();
    assert!(refused(Fence::new(0, FenceData::Dword(1))));
    assert!(refused(Fence::new(0x1002, FenceData::Dword(1))));
    assert!(refused(Fence::new(0x1004, FenceData::Qword(1))));
    assert!(refused(Fence::new(0x1004, FenceData::GpuClock)));
    assert!(refused(Fence::new(1 << 48, FenceData::Dword(1))));
    assert!(refused(Fence::new(0, FenceData::Nothing)), "neither data nor interrupt");
    assert!(!refused(Fence { interrupt: Interrupt::AfterWrite, ..Fence::new(0, FenceData::Nothing) }));
    let nothing = Fence { interrupt: Interrupt::AfterWrite, ..Fence::new(0x1000, FenceData::Nothing) };
    let error = Plan::fence(Chip::Navi21, Queue::Graphics, &nothing).expect_err("an address without data");
    assert_eq!(error.to_string(), "navi21: a fence that writes nothing, with an address; set addr to 0");
    assert!(!refused(Fence::new(0xFFFF_8001_0000_1000, FenceData::Qword(1))), "canonical addresses are 48 bits");
}

/// Returns a short form of a barrier packet: E event, R release (two dwords), A acquire (the action, and the caches), W wait, P PFP_SYNC_ME.
fn token(packet: &Packet<'_>) -> Option<String> {
    let body = packet.body;
    Some(match packet.opcode()? {
        Opcode::EVENT_WRITE => format!("E{:x}", body[0]),
        Opcode::RELEASE_MEM => format!("R{:x}:{:x}", body[0], body[1]),
        Opcode::ACQUIRE_MEM => format!("A{:x}:{:x}", body[0], body.get(6).copied().unwrap_or(0)),
        Opcode::WAIT_REG_MEM => format!("W{:x}", body[0]),
        Opcode::PFP_SYNC_ME => "P".to_owned(),
        Opcode::WRITE_DATA => return None, // the fence is set to 0
        other => format!("{other}"),
    })
}

fn tokens(words: &[u32]) -> String {
    packets(words).iter().filter_map(token).collect::<Vec<_>>().join(" ")
}

struct Captured {
    chip: Chip,
    /// The number of occurrences in the captures, and the first one.
    count: u32,
    place: &'static str,
    /// The driver's packets.
    radv: &'static str,
    from: &'static [Access],
    to: &'static [Access],
    compressed: bool,
    coherent_l2: bool,
    /// Whether this is RADV's own clear of metadata: it drops the vector caches, and leaves the metadata cache of L2 until a shader reads the image.
    clears: bool,
}

const PFP: Access = Access::IndirectRead;
const TARGETS: &[Access] = &[Access::ColorWrite, Access::DepthWrite];

macro_rules! captured {
    ($chip:ident, $count:literal, $place:literal, $radv:literal, $from:expr => $to:expr $(, $flag:ident)*) => {
        Captured {
            compressed: captured!(@has compressed $($flag)*),
            coherent_l2: !captured!(@has foreign_l2 $($flag)*),
            clears: captured!(@has clears $($flag)*),
            ..Captured { chip: Chip::$chip, count: $count, place: $place, radv: $radv, from: $from, to: $to, compressed: false, coherent_l2: true, clears: false }
        }
    };
    (@has compressed compressed $($more:ident)*) => { true };
    (@has foreign_l2 foreign_l2 $($more:ident)*) => { true };
    (@has clears clears $($more:ident)*) => { true };
    (@has $what:ident $other:ident $($more:ident)*) => { captured!(@has $what $($more)*) };
    (@has $what:ident) => { false };
}

/// Returns RADV's barrier sequences in the captures whose intent follows from the case (a draw, a clear or a copy before, a draw or a dispatch after). There
/// are two intended differences: RADV's PFP always waits, so the intents here name a PFP read wherever it waits; and on GFX11 RADV sends E2e
/// (FLUSH_AND_INV_CB_META), which PAL replaces and this crate omits.
fn from_captures() -> Vec<Captured> {
    use Access::*;
    vec![
        captured!(Vega10, 119, "draw_none_s2_color 422", "E407 E115 R28514:23000000 W13 P A400000:0", &[ComputeWrite] => &[ColorWrite, PixelRead], foreign_l2),
        captured!(Vega10, 95, "draw_none_s2_color 89", "E2e E115 R220514:23000000 W13", &[ColorWrite] => &[], compressed),
        captured!(Vega10, 82, "draw_none_s4_color+depth 161", "E2c E407 E115 R28514:23000000 W13 P A400000:0", &[ComputeWrite] => &[DepthWrite, PixelRead], compressed, foreign_l2),
        captured!(Vega10, 73, "draw_none_s4_depth 89", "E2c E115 R220514:23000000 W13", &[DepthWrite] => &[], compressed),
        captured!(Vega10, 48, "draw_pixel_ordered_s1_color+depth 420", "E407 E115 R220514:23000000 W13 P A400000:0", &[ComputeWrite] => &[DepthWrite, PixelRead]),
        captured!(Vega10, 4, "fs_c2_pixel_ordered_s4 161", "E2e E407 E115 R28514:23000000 W13 P A400000:0", &[ComputeWrite] => &[ColorWrite, PixelRead], compressed, foreign_l2),
        captured!(Vega10, 3, "occlusion_pixel_ordered_s1 505", "E410 E407 E115 R28514:23000000 W13 P A400000:0", &[PixelWrite, ComputeWrite] => &[ColorWrite, ComputeRead], foreign_l2),
        captured!(Vega10, 2, "draw_timestamp_occlusion 634", "E2e E2c E115 R28514:23000000 W13 P A400000:0", TARGETS => &[ComputeRead], compressed, foreign_l2),
        captured!(Vega10, 1, "resolve_image_s4 492", "E2e E407 E115 R220514:23000000 W13 P A400000:0", &[ColorWrite, ComputeWrite] => &[PixelRead], compressed),
        captured!(Vega10, 1, "resolve_image_s4 546", "E115 R220514:23000000 W13", &[ColorWrite] => &[]),
        captured!(Vega10, 1, "draw_then_barrier_then_compute 503", "E2e E2c E410 E115 R220514:23000000 W13 P A8400000:0", &[ColorWrite, DepthWrite, PixelWrite] => &[ComputeRead, ConstantRead], compressed),
        captured!(Vega10, 1, "draw_timestamp_occlusion 761", "E410 E407 P Ac40000:0", &[PixelWrite, ComputeWrite, HostWrite] => &[ComputeRead]),
        captured!(Vega10, 3, "initial preamble 4", "P A28c40000:0", &[HostWrite] => &[CodeRead, ConstantRead, VertexRead]),
        captured!(Navi10, 149, "draw_none_s4_color+depth 470", "E2c E407 R40c52b:23000000 W13 P", &[ComputeWrite] => &[DepthWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi10, 94, "draw_none_s2_color 24", "E2e R40052d:23000000 W13 P", &[ColorWrite] => &[PFP], compressed),
        captured!(Navi10, 80, "draw_none_s4_color+depth 110", "E2e E2c E407 R40c514:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, DepthWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi10, 71, "draw_none_s4_depth 24", "E2c R40052b:23000000 W13 P", &[DepthWrite] => &[PFP], compressed),
        captured!(Navi10, 17, "draw_none_s2_color 402", "E2e E407 R40c52d:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi10, 3, "occlusion_pixel_ordered_s1 465", "E2e E2c E407 R70f514:23000000 W13 P", &[ColorWrite, DepthWrite, ComputeWrite] => &[ComputeRead, PFP], compressed, foreign_l2),
        captured!(Navi10, 2, "draw_timestamp_occlusion 619", "E2e E2c R70f514:23000000 W13 P", TARGETS => &[ComputeRead, PFP], compressed, foreign_l2),
        captured!(Navi10, 1, "resolve_image_s4 468", "E2e E2c E407 R40c514:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, DepthWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi10, 1, "copy_image_to_buffer 89", "E2c E407 R40c52b:23000000 W13 P", &[ComputeWrite] => &[DepthWrite, ComputeRead, PFP], compressed, clears),
        captured!(Navi10, 1, "draw_then_barrier_then_compute 469", "E2e E2c R40f514:23000000 W13 A0:10080", TARGETS => &[ComputeRead, ConstantRead], compressed),
        captured!(Navi10, 1, "draw_timestamp_occlusion 727", "E410 E407 A0:c330", &[PixelWrite, ComputeWrite, HostWrite] => &[ComputeRead]),
        captured!(Navi10, 2, "draw_timestamp_occlusion 521", "E410 A0:c030", &[PixelWrite, HostWrite] => &[CopyRead]),
        captured!(Navi10, 2, "initial preamble 4", "A0:c3b1", &[HostWrite] => &[CodeRead, ConstantRead, VertexRead]),
        captured!(Navi21, 147, "draw_none_s4_color+depth 514", "E2c E407 R40052b:23000000 W13 P", &[ComputeWrite] => &[DepthWrite, PFP], compressed),
        captured!(Navi21, 100, "draw_none_s2_color 24", "E2e R40052d:23000000 W13 P", &[ColorWrite] => &[PFP], compressed),
        captured!(Navi21, 86, "draw_none_s4_color+depth 128", "E2e E2c E407 R40c514:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, DepthWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi21, 74, "draw_none_s4_depth 24", "E2c R40052b:23000000 W13 P", &[DepthWrite] => &[PFP], compressed),
        captured!(Navi21, 17, "draw_none_s2_color 425", "E2e E407 R40c52d:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi21, 12, "fs_early_none_s4 501", "E2c E407 R40c52b:23000000 W13 P", &[ComputeWrite] => &[DepthWrite, PixelRead, PFP], compressed, clears),
        captured!(Navi21, 3, "occlusion_pixel_ordered_s1 484", "E2e E2c E407 R70f514:23000000 W13 P", &[ColorWrite, DepthWrite, ComputeWrite] => &[ComputeRead, PFP], compressed, foreign_l2),
        captured!(Navi21, 2, "draw_timestamp_occlusion 644", "E2e E2c R70f514:23000000 W13 P", TARGETS => &[ComputeRead, PFP], compressed, foreign_l2),
        captured!(Navi21, 1, "resolve_image_s4 512", "E2e E2c E407 R400514:23000000 W13 P", &[ComputeWrite] => &[ColorWrite, DepthWrite, PFP], compressed),
        captured!(Navi21, 1, "draw_then_barrier_then_compute 488", "E2e E2c R40f514:23000000 W13 A0:10080", TARGETS => &[ComputeRead, ConstantRead], compressed),
        captured!(Navi21, 1, "draw_timestamp_occlusion 752", "E410 E407 A0:c330", &[PixelWrite, ComputeWrite, HostWrite] => &[ComputeRead]),
        captured!(Navi21, 2, "draw_timestamp_occlusion 543", "E410 A0:c030", &[PixelWrite, HostWrite] => &[CopyRead]),
        captured!(Navi21, 3, "initial preamble 4", "A0:c3b1", &[HostWrite] => &[CodeRead, ConstantRead, VertexRead]),
        captured!(Navi31, 159, "draw_none_s4_color+depth 420", "E407 R8040c514:0 A22000:10000 P", &[ComputeWrite] => &[DepthWrite, PixelRead, PFP]),
        captured!(Navi31, 99, "draw_none_s2_color 24", "E2e R8040052d:0 A22000:10000 P", &[ColorWrite] => &[PFP]),
        captured!(Navi31, 97, "draw_none_s2_color 410", "E2e R80703514:0 A22000:10000 P", TARGETS => &[CopyRead, PFP], foreign_l2),
        captured!(Navi31, 90, "draw_none_s4_color+depth 67", "E2e E407 R8070f514:0 A22000:10000 P", &[ComputeWrite] => &[ColorWrite, DepthWrite, PixelRead, PFP], foreign_l2),
        captured!(Navi31, 74, "draw_none_s4_depth 24", "R80400514:0 A22000:10000 P", &[DepthWrite] => &[PFP]),
        captured!(Navi31, 17, "draw_none_s2_color 354", "E2e E407 R8070f52d:0 A22000:10000 P", &[ComputeWrite] => &[ColorWrite, PixelRead, PFP], foreign_l2),
        captured!(Navi31, 2, "draw_timestamp_occlusion 573", "E2e R8070f514:0 A22000:10000 P", TARGETS => &[ComputeRead, PFP], compressed, foreign_l2),
        captured!(Navi31, 1, "draw_then_barrier_then_compute 459", "E2e Rc070f514:0 A22000:10000 P", TARGETS => &[ComputeRead, ConstantRead, PFP], compressed, foreign_l2),
        captured!(Navi31, 1, "draw_timestamp_occlusion 679", "E410 E407 A0:c330", &[PixelWrite, ComputeWrite, HostWrite] => &[ComputeRead]),
        captured!(Navi31, 3, "initial preamble 38", "A0:c3b1", &[HostWrite] => &[CodeRead, ConstantRead, VertexRead]),
    ]
}

#[test]
fn barriers_are_those_of_radv_where_the_intent_is_known() {
    let mut compared = 0;
    for case in from_captures() {
        let barrier = Barrier {
            from: case.from.iter().copied().collect(),
            to: case.to.iter().copied().collect(),
            compressed: case.compressed,
            coherent_l2: case.coherent_l2,
        };
        let radv = match case.chip.gfx() {
            Gfx::Gfx11 => case.radv.trim_start_matches("E2e "),
            _ => case.radv,
        };
        let ours = tokens(&words(case.chip, &barrier));
        let ours = if case.clears { ours.replacen(" R40f5", " R40c5", 1) } else { ours };
        assert_eq!(ours, radv, "{} {}: {} -> {}", case.chip, case.place, barrier.from, barrier.to);
        compared += case.count;
    }
    println!("{compared} barriers of the captures compared");
}

/// All packets of one barrier per generation: the case draw_then_barrier_then_compute. Its fence numbers are replaced by 1; sizes of ACQUIRE_MEM on GFX9 and
/// GFX10 have the 8 bits of the field, where RADV writes 24.
#[test]
fn a_barrier_is_equal_to_radv_in_every_word() {
    let barrier = |more: AccessSet, coherent_l2| Barrier {
        from: Access::ColorWrite | Access::DepthWrite | more,
        to: Access::ComputeRead | Access::ConstantRead,
        compressed: true,
        coherent_l2,
    };
    let fence = SyncMemory { fence: Some(0xFFFF_8000_0004_5000), zpass: Some(0xFFFF_8000_0004_5008) };
    let bodies = |chip, barrier: &Barrier| -> Vec<Vec<u32>> {
        let mut recorder = Recorder::new(chip).after_preamble();
        recorder.set_sync_memory(fence);
        recorder.barrier(barrier).expect("a barrier");
        let words = recorder.writer().words().to_vec();
        packets(&words).iter().filter(|p| p.opcode() != Some(Opcode::WRITE_DATA)).map(|p| p.body.to_vec()).collect()
    };
    let (lo, hi) = (0x0004_5000, 0xFFFF_8000);
    let vega10: [&[u32]; 8] = [
        &[0x2E],
        &[0x2C],
        &[0x410],
        &[0x115, lo + 8, hi],
        &[0x0022_0514, 0x2300_0000, lo, hi, 1, 0, 0],
        &[0x13, lo, hi, 1, !0, 4],
        &[0],
        &[0x0840_0000, !0, 0xFF, 0, 0, 10],
    ];
    assert_eq!(bodies(Chip::Vega10, &barrier(Access::PixelWrite.into(), true)), vega10);
    let navi10: [&[u32]; 5] = [&[0x2E], &[0x2C], &[0x0040_F514, 0x2300_0000, lo, hi, 1, 0, 0], &[0x13, lo, hi, 1, !0, 4], &[0, !0, 0xFF, 0, 0, 10, 0x1_0080]];
    assert_eq!(bodies(Chip::Navi10, &barrier(AccessSet::NONE, true)), navi10);
    let mut navi31 = barrier(AccessSet::NONE, false);
    navi31.to |= Access::IndirectRead;
    let words: [&[u32]; 3] = [&[0xC070_F514, 0, 0, 0, 0, 0, 0], &[0x2_2000, !0, 0x1FF_FFFF, 0, 0, 0x8000_0000, 0x1_0000], &[0]];
    assert_eq!(bodies(Chip::Navi31, &navi31), words);
    navi31.to = Access::ComputeRead | Access::ConstantRead;
    assert_eq!(bodies(Chip::Navi31, &navi31)[1][0], 0x2_2800, "the ME waits where the PFP reads nothing");
}

/// Fences and waits of the case draw_timestamp_occlusion: an event that is set, a timestamp, a wait for a query, and the idle DMA engine before it.
#[test]
fn fences_and_waits_are_equal_to_radv_in_every_word() {
    for chip in Chip::all() {
        let body = |record: &dyn Fn(&mut Recorder<Vec<u32>>)| -> Vec<u32> {
            let mut recorder = recorder(chip);
            record(&mut recorder);
            let words = recorder.writer().words().to_vec();
            packets(&words).last().expect("a packet").body.to_vec()
        };
        let fence = |data, addr| body(&move |r| drop(r.fence(&Fence::new(addr, data)).expect("a fence")));
        assert_eq!(fence(FenceData::Dword(1), 0xFFFF_8001_0000_4160), [0x528, 0x2300_0000, 0x4160, 0xFFFF_8001, 1, 0, 0], "{chip}");
        assert_eq!(fence(FenceData::GpuClock, 0xFFFF_8001_0000_1008), [0x528, 0x6300_0000, 0x1008, 0xFFFF_8001, 0, 0, 0], "{chip}");
        let wait = Wait { compare: WaitCompare::NotEqual, ..Wait::equal(0xFFFF_8001_0000_1004, !0) };
        assert_eq!(body(&move |r| r.wait(&wait).expect("a wait")), [0x14, 0x1004, 0xFFFF_8001, !0, !0, 4], "{chip}");
        let copied = body(&|r| drop(r.barrier(&Barrier::new(Access::CopyRead, AccessSet::NONE)).expect("a barrier")));
        assert_eq!(copied, [0x8020_0000, 0, 0, 0, 0, 0], "{chip}");
    }
}

#[test]
fn a_fence_that_the_processor_reads_after_carries_the_flushes_and_the_interrupt() {
    for chip in Chip::all() {
        let mut recorder = recorder(chip);
        let from = Access::ColorWrite | Access::DepthWrite | Access::PixelWrite;
        let fence = Fence { from, host: true, interrupt: Interrupt::AfterWrite, ..Fence::new(0x8000, FenceData::Qword(7)) };
        recorder.fence(&fence).expect("a fence");
        let words = recorder.writer().words().to_vec();
        assert_eq!(illegal(chip, &words), None);
        let release = *packets(&words).last().expect("a packet");
        let field = |name| release.field(chip.gfx(), Queue::Graphics, name);
        assert_eq!((field("event_type"), field("int_sel"), field("data_sel")), (Some(20), Some(2), Some(2)), "{chip}");
        assert_eq!((field("data_lo"), field("data_hi")), (Some(7), Some(0)), "{chip}");
        let written_back = match chip.gfx().major() {
            9 => field("tc_wb_action_ena") == Some(1),
            _ => field("gcr_cntl").is_some_and(|gcr| gcr >> 9 & 1 == 1),
        };
        assert!(written_back, "{chip}: the processor does not see L2");
    }
}

/// The waits of a barrier run on the model: it waits for the fence that it wrote.
#[test]
fn barriers_between_draws_run_on_the_model_with_all_memory_mapped() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.set_sync_memory(MEMORY);
        recorder.begin().expect("a preamble");
        let draw = DrawDesc::default().resolve(chip).expect("a draw");
        for access in [Access::PixelRead, Access::IndirectRead, Access::ColorRead, Access::HostRead] {
            recorder.draw_call(&draw, &DrawCall::from(&draw)).expect("a draw");
            recorder.barrier(&Barrier::new(Access::ColorWrite | Access::PixelWrite, access)).expect("a barrier");
        }
        let words = recorder.finish().expect("a stream");
        let zeroes = [0; 64];
        let mut cp = CommandProcessor::new(chip);
        cp.closed_memory(true).map("fence", 0x1000, &zeroes);
        cp.map("zpass", 0x2000, &zeroes);
        cp.submit(Queue::Graphics, "stream", &words);
        let mut errors = Errors::default();
        let summary = cp.run(&mut errors);
        assert_eq!(errors.0, Vec::<String>::new(), "{chip}");
        assert_eq!(summary.draws, 4, "{chip}");
    }
}

/// Collects every finding.
#[derive(Default)]
struct All(Vec<String>);

impl Observer for All {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(format!("{} {} {}", finding.severity, finding.code, finding.message));
    }
}

#[path = "../../../examples/common/frame.rs"]
mod frame;

/// Returns events between draws, by name.
fn names(chip: Chip, words: &[u32]) -> Vec<&'static str> {
    packets(words).iter().filter_map(|p| p.name(chip.gfx())).collect()
}

#[test]
fn a_frame_of_several_passes_runs_on_every_chip_without_errors() {
    for chip in Chip::all() {
        let frame = frame::frame(chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
        assert_eq!(errors(chip, &frame.words), Vec::<String>::new(), "{chip}");
        // With its memory mapped, there are no findings at all.
        let memory = frame.memory();
        let mut cp = CommandProcessor::new(chip);
        for (name, addr, words) in &memory {
            cp.map(name, *addr, words);
        }
        cp.submit(Queue::Graphics, "frame", &frame.words);
        let mut all = All::default();
        cp.run(&mut all);
        assert_eq!(all.0, Vec::<String>::new(), "{chip}");
        assert_eq!(illegal(chip, &frame.words), None, "{chip}");
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "frame", &frame.words);
        let summary = cp.run(&mut ());
        // The interface is missing.
        assert_eq!((summary.draws, summary.dispatches), (3 + 242 + 16 + 2 + 1, 1), "{chip}");
        let names = names(chip, &frame.words);
        assert!(names.contains(&"PFP_SYNC_ME"), "{chip}: the PFP reads what the dispatch wrote");
        assert!(frame.parts.is_sorted_by_key(|part| part.dword) && frame.parts.iter().all(|part| !part.name.is_empty()), "{chip}");
        assert!(frame.parts.iter().filter_map(|part| part.plan.as_ref()).all(|plan| !plan.steps.is_empty()), "{chip}");
    }
}

#[test]
fn a_barrier_on_a_compute_queue_runs_on_the_model() {
    for chip in Chip::all() {
        let accesses = [
            Access::ComputeWrite,
            Access::ComputeRead,
            Access::ConstantRead,
            Access::CopyWrite,
            Access::QueryWrite,
            Access::HostWrite,
            Access::HostRead,
            Access::IndirectRead,
        ];
        let mut stream = pm4::packet::Stream::growable(chip.gfx(), Queue::Compute);
        let mut state = SyncState::new(MEMORY);
        for (from, to) in accesses.iter().flat_map(|from| accesses.iter().map(move |to| (*from, *to))) {
            let plan = Plan::new(chip, Queue::Compute, &Barrier::new(from, to)).expect("a plan");
            plan.write(&mut stream, &mut state).unwrap_or_else(|e| panic!("{chip}: {from} -> {to}: {e}"));
        }
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Compute, "stream", stream.words());
        let mut errors = Errors::default();
        cp.run(&mut errors);
        assert_eq!(errors.0, Vec::<String>::new(), "{chip}");
        assert!(!names(chip, stream.words()).contains(&"PFP_SYNC_ME"), "{chip}: it hangs on a compute queue");
    }
}

/// Returns the packets of a plan in words; with `whole`, their reasons and dwords too.
fn steps(chip: Chip, queue: Queue, plan: Result<Plan, SyncError>, whole: bool) -> Vec<String> {
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => return vec![format!("refused: {error}")],
    };
    let mut stream = pm4::packet::Stream::growable(chip.gfx(), queue);
    if let Err(error) = plan.write(&mut stream, &mut SyncState::new(MEMORY)) {
        return vec![format!("refused: {error}")];
    }
    let why = |step: &Step| if whole { format!(": {}", step.why.join("; ")) } else { String::new() };
    let steps = plan.steps.iter().map(|step| format!("{}{}", step.action.describe(chip.gfx()), why(step)));
    let dwords = packets(stream.words()).into_iter().filter(|_| whole).map(|packet| format!("{:08x} {:08x?}", packet.header.0, packet.body));
    steps.chain(dwords).enumerate().map(|(nth, line)| format!("{nth:2} {line}")).collect()
}

const SOURCE: &str = "tests/suites/author/sync.rs";

/// Barriers between any two accesses, on the queues that support them, and the effects of compressed targets and coherent L2.
#[test]
fn barriers_take_the_expected_steps() {
    let (mut changes, mut whole) = (Vec::new(), Vec::new());
    for (from, to) in Access::iter().flat_map(|from| Access::iter().map(move |to| (from, to))) {
        for queue in [Queue::Graphics, Queue::Compute] {
            if queue == Queue::Graphics || !from.is_graphics() && !to.is_graphics() {
                changes.push((format!("{from} -> {to} ({queue:?})"), (queue, Barrier::new(from, to))));
            }
        }
        let targets = [Access::ColorRead, Access::ColorWrite, Access::DepthRead, Access::DepthWrite];
        if targets.contains(&from) || targets.contains(&to) {
            let barrier = Barrier { compressed: true, ..Barrier::new(from, to) };
            changes.push((format!("{from} -> {to}, compressed"), (Queue::Graphics, barrier)));
            changes.push((format!("{from} -> {to}, coherent L2"), (Queue::Graphics, Barrier { coherent_l2: true, ..Barrier::new(from, to) })));
        }
    }
    for access in Access::iter() {
        whole.push((format!("nothing -> {access}"), (Queue::Graphics, Barrier { from: AccessSet::NONE, ..Barrier::new(access, access) })));
        whole.push((format!("{access} -> nothing"), (Queue::Graphics, Barrier { to: AccessSet::NONE, ..Barrier::new(access, access) })));
        let from = Access::ColorWrite | Access::DepthWrite | Access::CopyWrite | Access::ComputeWrite;
        whole.push((format!("targets, copies and compute work -> {access}"), (Queue::Graphics, Barrier { compressed: true, ..Barrier::new(from, access) })));
        if !access.is_graphics() {
            whole.push((format!("compute work -> {access} on a compute queue"), (Queue::Compute, Barrier::new(Access::ComputeWrite, access))));
        }
    }
    let lines = |whole| move |chip, (queue, barrier): &(Queue, Barrier)| steps(chip, *queue, Plan::new(chip, *queue, barrier), whole);
    assert_table(SOURCE, "draw/barriers", |_| Vec::new(), &changes, lines(false));
    assert_table(SOURCE, "draw/barriers_with_reasons", |_| Vec::new(), &whole, lines(true));
}

/// Fences after each kind of work, with each kind of data and flush.
#[test]
fn fences_and_waits_are_the_expected_packets() {
    let mut changes = Vec::new();
    let mut add = |what: String, queue, fence: Fence| changes.push((format!("{what} ({queue:?})"), (queue, fence)));
    for queue in [Queue::Graphics, Queue::Compute] {
        for after in [FenceAfter::EndOfPipe, FenceAfter::PixelShaders, FenceAfter::ComputeShaders] {
            for data in [FenceData::Nothing, FenceData::Dword(7), FenceData::Qword(7 << 32 | 8), FenceData::GpuClock, FenceData::SystemClock] {
                for interrupt in [Interrupt::None, Interrupt::AfterWrite] {
                    let addr = if data == FenceData::Nothing { 0 } else { 0x8000 };
                    add(format!("{data:?} after {after:?}, interrupt {interrupt:?}"), queue, Fence { after, interrupt, ..Fence::new(addr, data) });
                }
            }
        }
        for from in Access::iter().filter(|access| queue == Queue::Graphics || !access.is_graphics()) {
            for host in [false, true] {
                let fence = Fence { from: from.into(), host, ..Fence::new(0x8000, FenceData::Dword(7)) };
                add(format!("{from}, for the host: {host}"), queue, fence);
                add(format!("{from}, for the host: {host}, compressed"), queue, Fence { compressed: true, ..fence });
            }
        }
        for addr in [0, 4, 0x8002, 0x8004, 1 << 48, (1 << 48) - 8] {
            add(format!("a dword at {addr:#x}"), queue, Fence::new(addr, FenceData::Dword(7)));
            add(format!("two dwords at {addr:#x}"), queue, Fence::new(addr, FenceData::Qword(7)));
        }
    }
    let lines = |chip, (queue, fence): &(Queue, Fence)| steps(chip, *queue, Plan::fence(chip, *queue, fence), true);
    assert_table(SOURCE, "draw/fences", |_| Vec::new(), &changes, lines);
    let mut waits = Vec::new();
    for compare in [WaitCompare::Less, WaitCompare::LessOrEqual, WaitCompare::Equal, WaitCompare::NotEqual, WaitCompare::GreaterOrEqual, WaitCompare::Greater] {
        for pfp in [false, true] {
            waits.push((format!("{compare:?}, pfp: {pfp}"), Wait { compare, pfp, mask: 0xFF00, ..Wait::equal(0x12_3456_7890, 7) }));
        }
    }
    for addr in [0, 2, 4, 1 << 48] {
        waits.push((format!("at {addr:#x}"), Wait::equal(addr, 7)));
    }
    let lines = |chip, wait: &Wait| {
        let mut recorder = recorder(chip);
        match recorder.wait(wait) {
            Ok(()) => packets(recorder.words()).into_iter().map(|packet| format!("{:08x} {:08x?}", packet.header.0, packet.body)).collect(),
            Err(error) => vec![format!("refused: {error}")],
        }
    };
    assert_table(SOURCE, "draw/waits", |_| Vec::new(), &waits, lines);
}

#[test]
fn a_set_of_accesses_writes_where_one_of_them_does() {
    assert!((Access::ColorRead | Access::ColorWrite).writes());
    assert!(!(Access::ColorRead | Access::PixelRead).writes());
    assert!(!AccessSet::default().writes());
}

#[test]
fn memory_of_fences_is_a_multiple_of_4() {
    let plan = Plan::new(Chip::Navi10, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::PixelRead)).expect("a plan");
    for (addr, fine) in [(0x1000, true), (0x1004, true), (0x1001, false), (0x1002, false), (1 << 48, false)] {
        let mut state = SyncState::new(SyncMemory { fence: Some(addr), zpass: None });
        let mut stream = Stream::growable(Chip::Navi10.gfx(), Queue::Graphics);
        let written = plan.write(&mut stream, &mut state);
        match written {
            Ok(()) => assert!(fine, "{addr:#x}"),
            Err(error) => assert!(!fine && error.to_string().contains("fence memory") && stream.is_empty(), "{addr:#x}: {error}"),
        }
    }
}

/// A plan is made once: whoever writes it, into whatever memory, its packets are those of the barrier, with the addresses and numbers of the command buffer.
#[test]
fn a_plan_that_is_written_often_has_the_memory_and_numbers_of_each_buffer() {
    let low = |body: &[u32], at: usize| (u64::from(body[at]) | u64::from(body[at + 1]) << 32) & 0xFFFF_FFFF_FFFF;
    for chip in Chip::all() {
        let barrier = Barrier::new(Access::ColorWrite | Access::QueryWrite | Access::ComputeWrite, Access::PixelRead);
        let plan = Plan::new(chip, Queue::Graphics, &barrier).expect("a plan");
        assert!(plan.steps.iter().all(|step| !step.why.is_empty()), "{chip}: the reasons are there");
        for (fence, zpass) in [(0x1004, 0x2008), (0xFFFF_8123_4567_89AC, 0xFFFF_FFFF_FFFF_FFF0), (0x7FFF_FFFF_FFFC, 0x7FFF_FFFF_FFF8)] {
            let mut recorders = [Recorder::new(chip).after_preamble(), Recorder::new(chip).after_preamble()];
            for (at, recorder) in recorders.iter_mut().enumerate() {
                recorder.set_sync_memory(SyncMemory { fence: Some(fence), zpass: Some(zpass) });
                for _ in 0..3 {
                    if at == 0 { recorder.sync(&plan) } else { recorder.barrier(&barrier).map(|_| ()) }.expect("room");
                }
            }
            let [once, again] = recorders.map(|recorder| recorder.words().to_vec());
            assert_eq!(once, again, "{chip}");
            let (mut released, mut waited, mut cleared) = (Vec::new(), Vec::new(), 0);
            for packet in packets(&once) {
                match packet.opcode() {
                    Some(Opcode::RELEASE_MEM) if chip.gfx().major() < 11 => {
                        assert_eq!(low(packet.body, 2), fence & 0xFFFF_FFFF_FFFF, "{chip}");
                        released.push(packet.body[4]);
                    }
                    Some(Opcode::WAIT_REG_MEM) => {
                        assert_eq!(low(packet.body, 1), fence & 0xFFFF_FFFF_FFFF, "{chip}");
                        waited.push(packet.body[3]);
                    }
                    Some(Opcode::WRITE_DATA) => {
                        assert_eq!(low(packet.body, 1), fence & 0xFFFF_FFFF_FFFF, "{chip}");
                        cleared += 1;
                    }
                    Some(Opcode::EVENT_WRITE) if packet.body.len() == 3 => assert_eq!(low(packet.body, 1), zpass & 0xFFFF_FFFF_FFFF, "{chip}"),
                    _ => {}
                }
            }
            let expected = if chip.gfx().major() < 11 { (vec![1, 2, 3], vec![1, 2, 3], 1) } else { (vec![], vec![], 0) };
            assert_eq!((released, waited, cleared), expected, "{chip}");
        }
        // A plan for another chip or queue is refused.
        let other = Chip::all().find(|other| *other != chip).expect("another chip");
        let mut recorder = Recorder::new(other).after_preamble();
        assert!(matches!(recorder.sync(&plan), Err(RecordError::Sync(SyncError::OtherStream { .. }))), "{chip}");
    }
}

/// A transition disables metadata that the new state does not support, in a pass that the chip supports, and fills metadata that comes into use.
#[test]
fn transitions_leave_no_metadata_that_the_new_state_does_not_understand() {
    use ImageState::*;
    let states: Vec<ImageState> = ImageState::iter().collect();
    for chip in Chip::all() {
        let major = chip.gfx().major();
        let metadata = [
            ImageMetadata::NONE,
            ImageMetadata { dcc: Some(DccBlocks::of(chip)), register_clears: major < 11, cmask: major < 11, ..ImageMetadata::NONE },
            ImageMetadata { fmask: major < 11, cmask: major < 11, ..ImageMetadata::NONE },
            ImageMetadata { htile: true, ..ImageMetadata::NONE },
            ImageMetadata { htile: true, htile_readable: true, ..ImageMetadata::NONE },
        ];
        for metadata in metadata.into_iter().filter(|metadata| major < 12 || !metadata.any()) {
            for (from, to) in states.iter().flat_map(|from| states.iter().map(move |to| (*from, *to))) {
                let transition = ImageTransition { metadata, ..ImageTransition::new(from, to) };
                let plan = TransitionPlan::new(chip, Queue::Graphics, &transition).unwrap_or_else(|e| panic!("{chip}: {from} to {to}: {e}"));
                let (held, allowed) = (from.allows(chip, &metadata), to.allows(chip, &metadata));
                let say = format!("{chip}: {from} to {to} with {metadata:?}: {plan:?}");
                let passes = |pass| plan.passes.contains(&pass);
                assert_eq!(passes(TargetPass::DccDecompress), held.dcc.is_some() && allowed.dcc.is_none(), "{say}");
                assert_eq!(passes(TargetPass::DepthDecompress), held.htile && !allowed.htile, "{say}");
                assert_eq!(passes(TargetPass::FmaskDecompress), held.fmask && !allowed.fmask, "{say}");
                let clears = held.register_clears && !allowed.register_clears;
                assert_eq!(passes(TargetPass::EliminateFastClear) || passes(TargetPass::DccDecompress) && clears, clears, "{say}");
                assert_eq!(plan.fills.contains(&MetadataFill::Dcc), from == Undefined && allowed.dcc.is_some(), "{say}");
                assert_eq!(plan.fills.contains(&MetadataFill::Htile), allowed.htile && !held.htile, "{say}");
                assert!(plan.passes.is_empty() || plan.fills.is_empty(), "{say}");
                assert_eq!(plan.after.is_some(), !plan.passes.is_empty() || !plan.fills.is_empty(), "{say}");
                // Caches that hold written data are flushed before anyone else reads it.
                if [Color, Depth].contains(&from) && from != to {
                    assert!(plan.before.find(|action| matches!(action, SyncAction::Release { .. })).is_some(), "{say}");
                }
            }
        }
        let blocks = |blocks| ImageMetadata { dcc: Some(blocks), ..ImageMetadata::NONE };
        let stores = |of| Storage.allows(chip, &blocks(of)).dcc.is_some();
        let works = major >= 10 && !chip.has(Erratum::ImageLoadDcc);
        assert_eq!(stores(DccBlocks::BYTES_128), works, "{chip}");
        assert_eq!(stores(DccBlocks::BYTES_64_AND_128), works && chip.gfx().version() >= (10, 3), "{chip}");
        assert!(!stores(DccBlocks::BYTES_64), "{chip}");
        let compute = TransitionPlan::new(chip, Queue::Compute, &ImageTransition::new(Color, Sampled));
        assert!(matches!(compute, Err(SyncError::NotOnQueue { .. })), "{chip}");
    }
}
