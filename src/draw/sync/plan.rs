//! Turns needs into steps: the packets of a generation and their order.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::sync::access::{Access, AccessSet, Barrier};
use crate::draw::sync::error::SyncError;
use crate::draw::sync::fence::Fence;
use crate::draw::sync::needs::{Need, Needs, Setting};
use crate::draw::sync::packets::Packets;
use crate::draw::sync::state::SyncState;
use crate::packet::values::AcquireMemPwsStageSel;
use crate::packet::{Buffer, Event, Queue, WriteError, Writer};
use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// The cache actions of one packet.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Caches {
    /// Invalidates the instruction caches.
    pub code: bool,
    /// Invalidates the scalar caches.
    pub scalar: bool,
    /// Invalidates the vector caches, and from GFX10 on GL1 too.
    pub vector: bool,
    /// Invalidates the metadata cache of L2.
    pub metadata: bool,
    /// Writes L2 back.
    pub l2_write_back: bool,
    /// Invalidates L2.
    pub l2_invalidate: bool,
    /// Flushes colour and depth caches before the other caches act (SEQ = forward).
    pub targets_first: bool,
}

impl Caches {
    /// Returns whether there is any cache action.
    pub fn any(self) -> bool {
        self != Self { targets_first: self.targets_first, ..Self::default() }
    }
}

impl fmt::Display for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let l2 = match (self.l2_write_back, self.l2_invalidate) {
            (_, true) => "L2 written back and invalidated",
            (true, false) => "L2 written back",
            (false, false) => "",
        };
        let invalidated = [(self.code, "code"), (self.scalar, "scalar"), (self.vector, "vector"), (self.metadata, "metadata")];
        let mut parts = invalidated.into_iter().filter_map(|(on, name)| on.then_some(name)).chain(Some(l2).filter(|l2| !l2.is_empty()));
        match parts.next() {
            None => f.write_str("no caches"),
            Some(first) => {
                f.write_str(first)?;
                parts.try_for_each(|part| write!(f, ", {part}"))
            }
        }
    }
}

/// The stage that a pixel wait sync stops.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitStage {
    /// The prefetch parser: later packets are not even fetched.
    Pfp,
    /// The micro-engine: PFP continues.
    Me,
    /// Before depth and stencil tests, and therefore before pixel shaders and colour; command processor and vertex work continue. No cache can act after such a
    /// wait.
    Depth,
}

impl WaitStage {
    /// Returns the stage of the pipe before all of these accesses, if one can delay them. PAL's barriers of GFX11 and GFX12 (GetAcquirePoint) use no stage of
    /// the pipe but the one before depth: events pass a wait before shaders or before pixel shaders, and a wait before colour hangs or has no effect. Vertex
    /// and compute work, and all that the command processor reads, wait in it.
    fn before(to: AccessSet) -> Option<Self> {
        use Access::*;
        let pixel = PixelRead | PixelWrite | ColorRead | ColorWrite | DepthRead | DepthWrite;
        (!to.is_empty() && to.iter().all(|access| pixel.has(access))).then_some(Self::Depth)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pfp => "cp_pfp",
            Self::Me => "cp_me",
            Self::Depth => "pre_depth",
        }
    }

    /// Returns the value of PWS_STAGE_SEL.
    pub(crate) fn value(self) -> AcquireMemPwsStageSel {
        match self {
            Self::Pfp => AcquireMemPwsStageSel::CP_PFP,
            Self::Me => AcquireMemPwsStageSel::CP_ME,
            Self::Depth => AcquireMemPwsStageSel::PRE_DEPTH,
        }
    }
}

/// One packet, or a release and its wait.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncAction {
    /// EVENT_WRITE.
    Event(Event),
    /// DMA_DATA of no bytes that waits for the DMA engine.
    WaitDma,
    /// RELEASE_MEM at the end of the pipe.
    Release {
        /// The event, one with a timestamp.
        event: Event,
        /// Caches that act when the event arrives.
        caches: Caches,
        /// Whether the release writes the next fence number to memory; otherwise it belongs to a pixel wait sync.
        fence: bool,
    },
    /// WAIT_REG_MEM until memory has the value of the last release.
    WaitFence,
    /// ACQUIRE_MEM that waits for the last release.
    AcquireSync {
        /// The stage that waits.
        stage: WaitStage,
        /// Caches that act after the wait.
        caches: Caches,
    },
    /// ACQUIRE_MEM that acts on caches over the whole address space.
    Acquire(Caches),
    /// PFP_SYNC_ME.
    PfpSyncMe,
    /// RELEASE_MEM that writes a [`Fence`](crate::draw::sync::Fence).
    WriteFence {
        /// The event.
        event: Event,
        /// Caches that act when the event arrives.
        caches: Caches,
        /// What is written.
        fence: Fence,
    },
}

impl SyncAction {
    /// Returns the packet in words.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, draw::sync::SyncAction, packet::Event};
    /// assert_eq!(SyncAction::Event(Event::PS_PARTIAL_FLUSH).describe(Gfx::Gfx11), "EVENT_WRITE PS_PARTIAL_FLUSH");
    /// # }
    /// ```
    pub fn describe(&self, gfx: Gfx) -> String {
        let name = |event: Event| event.name(gfx).unwrap_or("?");
        match self {
            Self::Event(event) => format!("EVENT_WRITE {}", name(*event)),
            Self::WaitDma => "DMA_DATA of no bytes, with CP_SYNC".to_owned(),
            Self::Release { event, caches, fence: true } => format!("RELEASE_MEM {} ({caches}), writes the next fence number", name(*event)),
            Self::Release { event, caches, fence: false } => format!("RELEASE_MEM {} ({caches}), pixel wait sync", name(*event)),
            Self::WaitFence => "WAIT_REG_MEM for the fence".to_owned(),
            Self::AcquireSync { stage, caches } => format!("ACQUIRE_MEM ({caches}), pixel wait sync at {}", stage.name()),
            Self::Acquire(caches) => format!("ACQUIRE_MEM ({caches})"),
            Self::PfpSyncMe => "PFP_SYNC_ME".to_owned(),
            Self::WriteFence { event, caches, .. } => format!("RELEASE_MEM {} ({caches}), writes the fence", name(*event)),
        }
    }
}

/// A step of a plan, with its reasons.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The packet.
    pub action: SyncAction,
    /// The reasons: the request, and the rule of the generation that made it this packet.
    pub why: Vec<Cow<'static, str>>,
}

/// The packets of a barrier or fence, created once: writing them costs little more than their dwords. A clone is cheap.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::Recorder;
/// use pm4::draw::sync::{Access, Barrier, Plan};
/// use pm4::packet::Queue;
///
/// let plan = Plan::new(Chip::Navi31, Queue::Graphics, &Barrier::new(Access::ComputeWrite, Access::IndirectRead))?;
/// assert_eq!(plan.steps.len(), 2); // CS_PARTIAL_FLUSH and PFP_SYNC_ME, each with its reasons
/// for _frame in 0..2 {
///     let mut recorder = Recorder::new(Chip::Navi31);
///     recorder.begin()?;
///     recorder.sync(&plan)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(Arc<Planned>);

/// What a [`Plan`] does, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Planned {
    /// In order.
    pub steps: Vec<Step>,
    pub(crate) packets: Result<Packets, WriteError>,
}

impl Deref for Plan {
    type Target = Planned;

    fn deref(&self) -> &Planned {
        &self.0
    }
}

impl Plan {
    /// Plans a barrier. Pure: the same intent gives the same packets.
    ///
    /// # Errors
    /// [`SyncError::NotOnQueue`] for graphics accesses on a compute queue, and for any on the constant engine.
    pub fn new(chip: Chip, queue: Queue, barrier: &Barrier) -> Result<Self, SyncError> {
        Ok(Self::of_steps(chip, queue, Self::steps_before(chip, queue, barrier, false)?))
    }

    /// Returns the packets of steps.
    pub(crate) fn of_steps(chip: Chip, queue: Queue, steps: Vec<Step>) -> Self {
        let packets = Packets::of(chip, queue, &steps);
        Self(Arc::new(Planned { steps, packets }))
    }

    /// Returns whether it is for this chip and queue.
    #[inline]
    pub(crate) fn is_for(&self, chip: Chip, queue: Queue) -> bool {
        self.packets.as_ref().is_ok_and(|packets| packets.is_for(chip, queue))
    }

    /// Writes the packets into a stream of the chip and queue that they are for, all or nothing.
    #[inline]
    pub(crate) fn write_packets<B: Buffer, E: From<SyncError> + From<WriteError>>(&self, writer: &mut Writer<B>, state: &mut SyncState) -> Result<(), E> {
        match &self.packets {
            Ok(packets) => packets.write(writer, state),
            Err(error) => Err((*error).into()),
        }
    }

    /// The same for a recorder of this chip.
    #[inline]
    pub(crate) fn write_for<B: Buffer, E: From<SyncError> + From<WriteError>>(
        &self,
        chip: Chip,
        writer: &mut Writer<B>,
        state: &mut SyncState,
    ) -> Result<(), E> {
        match &self.packets {
            Ok(packets) if packets.chip() != chip => Err(packets.other_stream().into()),
            _ => self.write_packets(writer, state),
        }
    }

    /// Plans a barrier; `any_after` if it is unknown what runs after it.
    fn steps_before(chip: Chip, queue: Queue, barrier: &Barrier, any_after: bool) -> Result<Vec<Step>, SyncError> {
        let runs = |access: &Access| queue == Queue::Graphics || queue == Queue::Compute && !access.is_graphics();
        if let Some(access) = (barrier.from | barrier.to).iter().find(|access| !runs(access)) {
            return Err(SyncError::NotOnQueue { access, queue });
        }
        let setting = Setting { major: chip.gfx().major(), compressed: barrier.compressed, coherent_l2: barrier.coherent_l2, any_after };
        let mut planner = Planner { chip, needs: Needs::of(barrier, &setting), steps: Vec::new() };
        if planner.needs.has(Need::DmaIdle) {
            planner.step(SyncAction::WaitDma, &[Need::DmaIdle], "a copy of no bytes with CP_SYNC waits until the DMA engine is idle");
        }
        match (queue, setting.major) {
            // The constant engine has nothing to flush: its accesses were refused above.
            (Queue::Constant, _) => {}
            (Queue::Compute, _) => planner.compute(),
            (Queue::Graphics, 9) => planner.gfx9(),
            (Queue::Graphics, 10) => planner.gfx10(),
            (Queue::Graphics, _) => planner.gfx11(barrier.to),
        }
        Ok(planner.steps)
    }

    /// Plans a fence: the release that writes it also performs the flushes that it requests.
    ///
    /// # Errors
    /// [`SyncError::Fence`] and [`SyncError::Address`] for what the hardware cannot write, [`SyncError::NotOnQueue`].
    pub fn fence(chip: Chip, queue: Queue, fence: &Fence) -> Result<Self, SyncError> {
        fence.check(chip, queue)?;
        let to = if fence.host { AccessSet::from(Access::HostRead) } else { AccessSet::NONE };
        let barrier = Barrier { from: fence.from, to, compressed: fence.compressed, coherent_l2: fence.coherent_l2 };
        // Who waits for the fence is not known, unless it is the CPU. Where nothing is to be flushed, nothing is.
        let flushes = Self::steps_before(chip, queue, &barrier, !fence.host && !fence.from.is_empty())?;
        let (mut event, mut caches) = (fence.event(), Caches::default());
        let mut steps = Vec::new();
        let mut why = Vec::new();
        for step in flushes {
            match step.action {
                SyncAction::WaitDma | SyncAction::Event(Event::FLUSH_AND_INV_CB_META | Event::FLUSH_AND_INV_DB_META) => steps.push(step),
                SyncAction::Release { event: flush, caches: acts, fence: counts } => {
                    if counts || queue == Queue::Graphics {
                        (event, caches) = (flush, acts);
                    }
                    why.extend(step.why);
                }
                SyncAction::Acquire(acts) => {
                    caches.metadata |= acts.metadata;
                    caches.l2_write_back |= acts.l2_write_back;
                    caches.l2_invalidate |= acts.l2_invalidate;
                    // The last one has the reason for a separate packet.
                    why.extend(step.why.split_last().into_iter().flat_map(|(_, needs)| needs.iter().cloned()));
                }
                _ => {}
            }
        }
        if chip.gfx().major() == 9 && caches.any() && queue == Queue::Graphics {
            event = Event::CACHE_FLUSH_AND_INV_TS_EVENT; // captures show cache actions with this event alone
        }
        why.push(Cow::Borrowed(fence.rule()));
        steps.push(Step { action: SyncAction::WriteFence { event, caches, fence: *fence }, why });
        Ok(Self::of_steps(chip, queue, steps))
    }

    /// Returns the step with this action, if any.
    pub fn find(&self, acts: impl Fn(&SyncAction) -> bool) -> Option<&Step> {
        self.steps.iter().find(|step| acts(&step.action))
    }

    /// Returns whether it needs the fence in memory ([`SyncMemory::fence`](crate::draw::sync::SyncMemory::fence)).
    pub fn needs_fence(&self) -> bool {
        self.find(|action| matches!(action, SyncAction::Release { fence: true, .. })).is_some()
    }
}

const TARGETS: [Need; 4] = [Need::FlushColor, Need::FlushColorMeta, Need::FlushDepth, Need::FlushDepthMeta];
/// What the end of the pipe is waited for.
const END: [Need; 5] = [Need::PipeIdle, Need::FlushColor, Need::FlushColorMeta, Need::FlushDepth, Need::FlushDepthMeta];
/// Returns the reason to wait for the end of the pipe if no target is flushed.
const PIPE_RULE: &str = "an end-of-pipe event without a flush: what events wrote before it has arrived";
const CACHES: [Need; 6] = [Need::DropCode, Need::DropScalar, Need::DropVector, Need::DropMetadata, Need::WriteBackL2, Need::DropL2];

struct Planner {
    chip: Chip,
    needs: Needs,
    steps: Vec<Step>,
}

impl Planner {
    /// Adds a step: the reasons of these needs, and the rule of the generation.
    fn step(&mut self, action: SyncAction, needs: &[Need], rule: &'static str) {
        let mut why: Vec<Cow<'static, str>> = self.needs.why(needs).into_iter().map(Cow::Borrowed).collect();
        why.push(Cow::Borrowed(rule));
        self.steps.push(Step { action, why });
    }

    fn caches(&self) -> Caches {
        Caches {
            code: self.needs.has(Need::DropCode),
            scalar: self.needs.has(Need::DropScalar),
            vector: self.needs.has(Need::DropVector),
            metadata: self.needs.has(Need::DropMetadata),
            l2_write_back: self.needs.any(&[Need::WriteBackL2, Need::DropL2]),
            l2_invalidate: self.needs.has(Need::DropL2),
            targets_first: false,
        }
    }

    /// EVENT_WRITE of the flushes of metadata that the generation does by event.
    fn metadata_events(&mut self) {
        let rule = "metadata is flushed by a separate event, before the data (Mesa 25.0.7; captures)";
        if self.needs.has(Need::FlushColorMeta) {
            self.step(SyncAction::Event(Event::FLUSH_AND_INV_CB_META), &[Need::FlushColorMeta], rule);
        }
        if self.needs.has(Need::FlushDepthMeta) {
            self.step(SyncAction::Event(Event::FLUSH_AND_INV_DB_META), &[Need::FlushDepthMeta], rule);
        }
    }

    /// Waits for graphics shaders. Pixel shaders run after vertex work, so their end implies its end.
    fn graphics_idle(&mut self) {
        let (needs, rule) = ([Need::PixelIdle, Need::VertexIdle], "a partial flush waits for the waves in flight");
        if self.needs.has(Need::PixelIdle) {
            self.step(SyncAction::Event(Event::PS_PARTIAL_FLUSH), &needs, rule);
        } else if self.needs.has(Need::VertexIdle) {
            self.step(SyncAction::Event(Event::VS_PARTIAL_FLUSH), &needs, rule);
        }
    }

    fn compute_idle(&mut self) {
        if self.needs.has(Need::ComputeIdle) {
            self.step(SyncAction::Event(Event::CS_PARTIAL_FLUSH), &[Need::ComputeIdle], "a partial flush waits for the waves in flight");
        }
    }

    /// The end of the pipe, with a fence in memory.
    fn pipe_idle(&mut self, wait: &'static str) {
        let release = SyncAction::Release { event: Event::BOTTOM_OF_PIPE_TS, caches: Caches::default(), fence: true };
        self.step(release, &[Need::PipeIdle, Need::ComputeIdle], PIPE_RULE);
        self.step(SyncAction::WaitFence, &[], wait);
    }

    fn pfp_waits(&mut self) {
        if self.needs.has(Need::PfpWaits) {
            self.step(SyncAction::PfpSyncMe, &[Need::PfpWaits], "PFP continues when ME has reached this packet");
        }
    }

    /// GFX9: events wait, one release flushes all targets, ACQUIRE_MEM is executed by PFP and comes last.
    fn gfx9(&mut self) {
        let (targets, mut caches) = (self.needs.any(&TARGETS), self.caches());
        self.metadata_events();
        self.graphics_idle();
        self.compute_idle();
        if targets {
            // The allowed combinations of TC bits are few: metadata, or all of L2 (Mesa 25.0.7 radv_cs.c; captures show these two).
            let released = Caches { metadata: true, l2_write_back: caches.l2_write_back, l2_invalidate: caches.l2_write_back, ..Caches::default() };
            let (event, fence) = (Event::CACHE_FLUSH_AND_INV_TS_EVENT, true);
            let rule = "GFX9 flushes colour and depth together at the end of the pipe, with L2 or its metadata, and writes the next fence number";
            self.step(SyncAction::Release { event, caches: released, fence }, &END, rule);
            self.step(SyncAction::WaitFence, &[], "ME waits until the release has arrived");
            (caches.metadata, caches.l2_write_back, caches.l2_invalidate) = (false, false, false);
        } else if self.needs.has(Need::PipeIdle) {
            self.pipe_idle("ME waits until the release has arrived");
        }
        if caches.any() {
            self.step(SyncAction::PfpSyncMe, &[Need::PfpWaits], "ACQUIRE_MEM acts in PFP, and must not act before ME has waited");
            self.step(SyncAction::Acquire(caches), &CACHES, "ACQUIRE_MEM invalidates the caches");
        } else {
            self.pfp_waits();
        }
    }

    /// GFX10: the release carries cache actions, a fence shows its arrival, the rest is left to ACQUIRE_MEM.
    fn gfx10(&mut self) {
        let (targets, end, mut caches) = (self.needs.any(&TARGETS), self.needs.any(&END), self.caches());
        if targets {
            self.metadata_events();
        } else if !end {
            self.graphics_idle();
        }
        self.compute_idle();
        if end {
            let color = self.needs.any(&[Need::FlushColor, Need::FlushColorMeta]);
            let rule = "the end-of-pipe event of these targets flushes them, then the caches act, then the next fence number is written";
            let (event, rule) = match (color, self.needs.any(&[Need::FlushDepth, Need::FlushDepthMeta])) {
                (true, false) => (Event::FLUSH_AND_INV_CB_DATA_TS, rule),
                (false, true) => (Event::FLUSH_AND_INV_DB_DATA_TS, rule),
                (true, true) => (Event::CACHE_FLUSH_AND_INV_TS_EVENT, rule),
                (false, false) => (Event::BOTTOM_OF_PIPE_TS, PIPE_RULE),
            };
            // RELEASE_MEM has no bits for the instruction and scalar caches before GFX11.
            let released = Caches { code: false, scalar: false, targets_first: targets, ..caches };
            self.step(SyncAction::Release { event, caches: released, fence: true }, &END, rule);
            self.step(SyncAction::WaitFence, &[], "ME waits until the release has arrived");
            caches = Caches { code: caches.code, scalar: caches.scalar, targets_first: targets, ..Caches::default() };
        }
        if caches.any() {
            self.step(SyncAction::Acquire(caches), &CACHES, "ACQUIRE_MEM invalidates the caches");
        }
        self.pfp_waits();
    }

    /// GFX11 and GFX12: pixel wait sync, without a fence in memory.
    fn gfx11(&mut self, to: AccessSet) {
        let (targets, end, caches) = (self.needs.any(&TARGETS), self.needs.any(&END), self.caches());
        if !end {
            self.graphics_idle();
        }
        self.compute_idle();
        if end {
            let (event, rule) = if targets { self.target_event() } else { (Event::BOTTOM_OF_PIPE_TS, PIPE_RULE) };
            let released = Caches { code: false, targets_first: targets, ..caches };
            self.step(SyncAction::Release { event, caches: released, fence: false }, &END, rule);
            let fine = WaitStage::before(to).filter(|_| !caches.code && !self.needs.any(&[Need::PfpWaits, Need::ComputeIdle]));
            let (stage, rule) = match (fine, self.needs.has(Need::PfpWaits)) {
                (Some(stage), _) if to.intersects(Access::ColorRead | Access::ColorWrite) && self.chip.has(Erratum::PreColorWait) => {
                    (stage, "the wait for the release takes no memory; only pixel work waits, before depth tests: a wait before colour hangs")
                }
                (Some(stage), _) => (stage, "the wait for the release takes no memory; only pixel work waits, before depth tests, and vertex work runs on"),
                (None, true) => (WaitStage::Pfp, "the wait for the release takes no memory; PFP waits"),
                (None, false) => {
                    (WaitStage::Me, "the wait for the release takes no memory; ME waits: other stages do not delay such accesses, or no cache acts there")
                }
            };
            let rest = Caches { code: caches.code, targets_first: fine.is_none(), ..Caches::default() };
            self.step(SyncAction::AcquireSync { stage, caches: rest }, &[Need::DropCode], rule);
        } else if caches.any() {
            self.step(SyncAction::Acquire(caches), &CACHES, "ACQUIRE_MEM invalidates the caches; it must not name colour and depth caches from GFX11 on");
        }
        self.pfp_waits();
    }

    /// Returns the event that flushes the targets from GFX11 on. It replaces the flush events that may hang there ([`Erratum::TargetFlushEvents`]).
    fn target_event(&self) -> (Event, &'static str) {
        let color_alone = self.needs.has(Need::FlushColor) && !self.needs.any(&[Need::FlushColorMeta, Need::FlushDepth, Need::FlushDepthMeta]);
        if color_alone {
            return (Event::FLUSH_AND_INV_CB_DATA_TS, "an end-of-pipe event flushes colour data");
        }
        match self.chip.has(Erratum::TargetFlushEvents) {
            true => (
                Event::CACHE_FLUSH_AND_INV_TS_EVENT,
                "GFX11 flushes depth and metadata by the event that flushes all (PAL waReplaceEventsWithTsEvents; Mesa 25.0.7: no DB_META event)",
            ),
            false if self.needs.any(&[Need::FlushColor, Need::FlushColorMeta]) => {
                (Event::CACHE_FLUSH_AND_INV_TS_EVENT, "an end-of-pipe event flushes colour and depth")
            }
            false => (Event::FLUSH_AND_INV_DB_DATA_TS, "an end-of-pipe event flushes depth data"),
        }
    }

    /// Compute queues: no PFP, no targets, no pixel wait sync.
    fn compute(&mut self) {
        let caches = self.caches();
        if self.needs.has(Need::PipeIdle) {
            self.pipe_idle("the engine waits until the release has arrived");
        } else if self.needs.has(Need::ComputeIdle) {
            if self.chip.has(Erratum::ComputePartialFlush) {
                let (event, none) = (Event::BOTTOM_OF_PIPE_TS, Caches::default());
                let rule = "CS_PARTIAL_FLUSH may return early on compute queues of this chip, depending on firmware: a fence instead";
                self.step(SyncAction::Release { event, caches: none, fence: true }, &[Need::ComputeIdle], rule);
                self.step(SyncAction::WaitFence, &[], "the engine waits until the release has arrived");
            } else {
                self.compute_idle();
            }
        }
        if caches.any() {
            self.step(SyncAction::Acquire(caches), &CACHES, "ACQUIRE_MEM invalidates the caches");
        }
    }
}
