//! Draw calls recorded into packets.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::DrawSgprs;
use crate::draw::desc::call::{Source, address};
use crate::draw::desc::{CallError, DrawCall, IndexBuffer, Indices, IndirectDraws, Instances, Vertices};
use crate::draw::errata::{self, Does, DrawFacts, Situation, UNKNOWN_CUT_MODE, WORKAROUNDS, WorkaroundPlace, acts};
use crate::draw::image::RegisterImage;
use crate::draw::record::held::Slots;
use crate::draw::record::recorder::{RecordError, Recorder};
use crate::draw::record::streamout::Streaming;
use crate::draw::state::Resolved;
use crate::packet::layouts::DrawInitiator;
use crate::packet::structs::{DrawIndirect, SetBase};
use crate::packet::values::{ReleaseMemEventIndex, SetBaseBaseIndex};
use crate::packet::{Buffer, EffectKinds, Event, Queue, Reader};
use crate::regs;
use core::ops::Range;

/// The state that earlier calls of a command buffer have left.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallState {
    /// Address of one index (a multiple of 4) that takes the place of empty index buffers.
    spare_index: Option<u64>,
    /// Address of a dword (a multiple of 4) for task dispatches whose number is in memory.
    pub(super) task_count: Option<u64>,
    /// VGT_INDEX_TYPE, where it is known: draws without indices overwrite it.
    pub(super) index_type: Option<u32>,
    /// DISABLE_INSTANCE_PACKING as it was written last, where that is known.
    pub(super) packing: Option<u32>,
    /// VGT_NUM_INSTANCES, where it is known: indirect draws load it.
    pub(super) instances: Option<u32>,
    /// What the last draw had.
    before: Option<DrawFacts>,
    /// Length of the stream after it.
    pub(super) end: usize,
    /// A context register was written since that draw, in memory that is full now.
    pub(super) rolled: bool,
    /// Pipeline statistics are counted, or may be.
    statistics: bool,
    tessellated: bool,
    /// Streamout that has begun and not ended.
    pub(super) streaming: Option<Streaming>,
    /// Packets of someone else may have begun streamout.
    pub(super) streamed_by_others: bool,
}

impl CallState {
    /// Someone else wrote registers that draws have for their state.
    pub fn forget_state(&mut self) {
        (self.index_type, self.packing, self.instances) = (None, None, None);
    }

    /// Someone else wrote packets: registers may hold anything, and a draw of any pipeline may have run since. The safe assumptions: it used NGG (the
    /// erratum vgt_flush_ngg_legacy needs a flush then), and its cut mode differs from any.
    pub fn forget(&mut self) {
        self.forget_state();
        self.streamed_by_others = true;
        self.before = Some(DrawFacts { ngg: Some(true), cut_mode: Some(UNKNOWN_CUT_MODE), ..DrawFacts::default() });
    }

    /// The buffer runs after draws of its caller, which may count pipeline statistics too.
    pub fn follow_caller(&mut self) {
        self.forget();
        self.statistics = true;
    }
}

/// Where the chip's errata need packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places(u16);

impl Places {
    pub fn of(chip: Chip) -> Self {
        Self(WORKAROUNDS.iter().filter(|workaround| chip.has(workaround.erratum)).fold(0, |places, workaround| places | 1 << workaround.place as u16))
    }

    #[inline]
    fn has(self, place: WorkaroundPlace) -> bool {
        self.0 >> place as u16 & 1 == 1
    }
}

/// What the SGPRs of a call hold after its last draw; None where that is not known. A call without the SGPR does not touch it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SgprValues {
    base_vertex: Option<u32>,
    first_instance: Option<u32>,
    draw_index: Option<u32>,
    groups: [Option<u32>; 3],
    view: Option<u32>,
    /// Registers that the call has written in the place of the state's, their addresses and values: of a draw that streamout counts, and of one that streams
    /// out to fewer buffers than its programs write.
    in_place: [Option<(u32, u32)>; 2],
}

impl SgprValues {
    /// What was written in the place of VGT_STRMOUT_BUFFER_CONFIG of the state.
    pub fn take_streamed(&mut self) -> Option<(u32, u32)> {
        self.in_place[1].take()
    }

    /// The addresses of the SGPRs that there are, with their values.
    pub fn of(self, sgprs: &DrawSgprs) -> impl Iterator<Item = (u32, Option<u32>)> + use<> {
        let [x, y, z] = self.groups;
        let group = |n: u32| sgprs.groups.map(|first| first + 4 * n);
        let all = [
            // Task work alone fills it, with what nobody knows here.
            (sgprs.ring_entry, None),
            (sgprs.base_vertex, self.base_vertex),
            (sgprs.first_instance, self.first_instance),
            (sgprs.draw_index, self.draw_index),
            (group(0), x),
            (group(1), y),
            (group(2), z),
            (sgprs.view_index[0], self.view),
            (sgprs.view_index[1], self.view),
        ];
        let in_place = self.in_place.into_iter().flatten().map(|(addr, value)| (addr, Some(value)));
        all.into_iter().filter_map(|(sgpr, value)| Some((sgpr?, value))).chain(in_place)
    }
}

/// The registers in whose place the call writes other values.
fn replaced_slots(draw: &Resolved, call: &DrawCall, streamed: Option<(u32, u32)>) -> Slots {
    let counted = draw.pipeline.counted.filter(|_| matches!(call, DrawCall::Counted(_)));
    let mut slots = Slots::default();
    let found = counted.into_iter().chain(streamed).filter_map(|(addr, _)| regs::slots(draw.chip.gfx()).binary_search(&addr).ok());
    found.for_each(|slot| slots.insert_run(slot, 1));
    slots
}

/// The SH window (bytes).
const SH_START: u32 = 0xB000;

/// Where indirect draws find an SGPR: dwords from the start of the SH window, 0 for none.
fn location(sgpr: Option<u32>) -> u32 {
    sgpr.map_or(0, |addr| addr.saturating_sub(SH_START) / 4)
}

/// COMPUTE_PIPELINESTAT_ENABLE (bytes).
const COMPUTE_PIPELINESTAT_ENABLE: u32 = 0xB828;

/// VGT_INDEX_TYPE.DISABLE_INSTANCE_PACKING.
const DISABLE_INSTANCE_PACKING: u32 = 1 << 14;

impl<B: Buffer> Recorder<B> {
    /// Address of one index, a multiple of 4 and not 0, that takes the place of index buffers without indices on chips that hang from them (erratum
    /// `zero_index_buffer`). The address is checked when it is used.
    pub fn set_spare_index(&mut self, addr: u64) {
        self.calls.spare_index = Some(addr);
    }

    /// Starts or stops the counting of pipeline statistics: the events PIPELINESTAT_START and PIPELINESTAT_STOP on a graphics queue, the register
    /// COMPUTE_PIPELINESTAT_ENABLE on a compute queue (Mesa 25.0.7 radv_cs_emit_cache_flush; captures).
    ///
    /// # Errors
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn count_statistics(&mut self, on: bool) -> Result<(), RecordError> {
        let event = if on { Event::PIPELINESTAT_START } else { Event::PIPELINESTAT_STOP };
        self.all_or_nothing(|recorder| match recorder.writer.queue() {
            Queue::Compute => Ok(recorder.writer.set_reg(COMPUTE_PIPELINESTAT_ENABLE, on.into())?),
            Queue::Graphics | Queue::Constant => Ok(recorder.writer.event(event)?),
        })?;
        self.calls.statistics = on;
        Ok(())
    }

    /// Writes what differs from the state of a draw, and a call; `vertices` and `instances` of the state do not count.
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] before [`begin`](Self::begin), [`RecordError::ComputeQueue`] on a compute queue, [`RecordError::OtherChip`] or
    /// [`RecordError::OtherStream`] for a draw or a stream of another chip, [`RecordError::NoRing`] where a ring is missing, [`RecordError::DrainWritten`],
    /// [`RecordError::Streamout`], [`RecordError::Call`] for a call that does not fit the draw, and [`WriteError::Full`](crate::packet::WriteError::Full) when
    /// the buffer is full.
    pub fn draw_call(&mut self, draw: &Resolved, call: &DrawCall) -> Result<(), RecordError> {
        if draw.chip != self.chip {
            return Err(RecordError::OtherChip { resolved: draw.chip, recorder: self.chip });
        }
        self.may_draw(draw.rings)?;
        self.may_leave_drain(&draw.image)?;
        self.may_stream(draw.pipeline)?;
        call.check(draw)?;
        let (sgprs, certain) = (draw.draw_sgprs(), self.writer.is_certain());
        let replaced = replaced_slots(draw, call, self.streamed(draw.pipeline));
        self.bound.forget_registers();
        let (rolled, values) = self.with_registers(&draw.image, |recorder, differing| {
            let state = |recorder: &mut Self| recorder.state(&draw.image, &differing.without(&replaced));
            recorder.draw_parts(draw.pipeline, &sgprs, call, state, |recorder| recorder.scissors(&draw.image))
        })?;
        if rolled {
            // Those that the draw did not write are lost.
            self.held.forget_beside(&draw.image, &self.lost_slots());
        }
        for (sgpr, value) in values.of(&sgprs) {
            self.held.set_beside(&draw.image, sgpr, value.filter(|_| certain));
        }
        Ok(())
    }

    /// Whether the context rolled for the draw, where that loses registers, and what its SGPRs hold afterwards. `state` writes registers and returns the first;
    /// `scissors` writes the viewport scissors.
    pub(super) fn draw_parts(
        &mut self,
        now: DrawFacts,
        sgprs: &DrawSgprs,
        call: &DrawCall,
        mut state: impl FnMut(&mut Self) -> Result<bool, RecordError>,
        mut scissors: impl FnMut(&mut Self) -> Result<(), RecordError>,
    ) -> Result<(bool, SgprValues), RecordError> {
        let (buffer, source) = call.parts();
        let counted = matches!(source, Source::Counted(_));
        let mut situation = Situation { before: self.calls.before, now, statistics: self.calls.statistics, counted, ..Situation::default() };
        let buffer = buffer.map(|b| self.usable(b, &source)).transpose()?;
        self.work_around(WorkaroundPlace::BeforeState, &situation)?;
        situation.rolled = state(self)?;
        if let Source::Counted(draw) = &source {
            self.put_counts(draw)?;
            situation.rolled |= self.lost_by_rolls.is_some();
        }
        let streamed = self.streamed(now);
        if self.put_in_place(streamed)? {
            situation.rolled |= self.lost_by_rolls.is_some();
        }
        if self.places.has(WorkaroundPlace::BeforeDraw) && self.put_workarounds(WorkaroundPlace::BeforeDraw, &situation)? {
            scissors(self)?;
        }
        self.index_type(buffer, &situation)?;
        let mut values = self.sgpr_values(sgprs);
        match call.views() {
            None => values = self.put_source(buffer, source, sgprs, &situation, values)?,
            Some(views) => {
                for view in (0..u32::BITS).filter(|view| views >> view & 1 == 1) {
                    sgprs.view_index.iter().flatten().try_for_each(|addr| self.writer.set_reg(*addr, view))?;
                    values = self.put_source(buffer, source, sgprs, &situation, values)?;
                    values.view = Some(view);
                }
            }
        }
        values.in_place[1] = streamed;
        let (before, now) = (situation.before.unwrap_or_default(), situation.now);
        self.calls.before = Some(DrawFacts { restart: now.restart.or(before.restart), cut_mode: now.cut_mode.or(before.cut_mode), ..now });
        self.calls.tessellated |= situation.now.tessellates;
        (self.calls.end, self.calls.rolled) = (self.writer.len(), false);
        Ok((situation.rolled, values))
    }

    /// The packets that draw, where SGPRs hold these values before.
    fn put_source(
        &mut self,
        buffer: Option<IndexBuffer>,
        source: Source<'_>,
        sgprs: &DrawSgprs,
        situation: &Situation,
        held: SgprValues,
    ) -> Result<SgprValues, RecordError> {
        Ok(match source {
            Source::Vertices(draws, instances) => self.put_vertices(draws, instances, sgprs, situation, held)?,
            Source::Indices(draws, instances) => match buffer {
                Some(buffer) => self.put_indices(buffer, draws, instances, sgprs, situation, held)?,
                None => SgprValues::default(),
            },
            Source::One(arguments) => {
                self.draw_indirect(buffer, arguments, sgprs)?;
                self.after_indirect(situation)?
            }
            Source::Several(draws) => {
                self.draw_indirect_several(buffer, draws, sgprs)?;
                self.after_indirect(situation)?
            }
            Source::Counted(draw) => self.put_counted_draw(draw.instances, sgprs, situation, held)?,
            Source::Tasks { linear } => {
                // The packet does not say how many instances there are (Mesa 25.0.7 radv_before_taskmesh_draw; captures).
                self.instances(Instances::default(), sgprs, held)?;
                self.put_task_mesh(linear, sgprs)?;
                self.after_indirect(situation)?
            }
            Source::Groups(groups) => self.put_groups(groups, sgprs, situation, held)?,
            Source::SeveralGroups(draws) => {
                self.groups_indirect(draws, sgprs, held)?;
                self.after_indirect(situation)?
            }
        })
    }

    /// Writes the registers of a draw that differ. On chips that lose viewport scissors by a roll, it leaves these out, returns whether the context has rolled
    /// since the last draw, by whomever, or will roll for them, and the workaround writes them after all others, changed or not.
    fn state(&mut self, image: &RegisterImage, differing: &Slots) -> Result<bool, RecordError> {
        let lost = self.lost_slots();
        self.registers(image, &differing.without(&lost))?;
        Ok(lost.any() && (differing.and(&lost).any() || self.rolled()))
    }

    /// The registers that a context roll loses.
    fn lost_slots(&self) -> Slots {
        self.lost_by_rolls.as_ref().map_or(Slots::default(), |lost| Slots::run(lost.start, lost.len()))
    }

    /// Writes what workarounds need at the end of a command buffer.
    pub(super) fn end_of_buffer(&mut self) -> Result<(), RecordError> {
        let situation = Situation { tessellated: self.calls.tessellated, ..Situation::default() };
        self.work_around(WorkaroundPlace::EndOfBuffer, &situation)
    }

    #[inline]
    fn work_around(&mut self, place: WorkaroundPlace, situation: &Situation) -> Result<(), RecordError> {
        if self.places.has(place) { self.put_workarounds(place, situation).map(|_| ()) } else { Ok(()) }
    }

    /// Whether the viewport scissors are wanted once more.
    fn put_workarounds(&mut self, place: WorkaroundPlace, situation: &Situation) -> Result<bool, RecordError> {
        let mut scissors = false;
        for does in errata::at(place, self.chip, *situation) {
            match does {
                Does::Events(events) => events.iter().try_for_each(|&event| self.writer.event(event))?,
                Does::Scissors => scissors = true,
                Does::BottomOfPipe => self.bottom_of_pipe()?,
                Does::Nothing => {}
            }
        }
        Ok(scissors)
    }

    fn scissors(&mut self, image: &RegisterImage) -> Result<(), RecordError> {
        self.registers(image, &self.lost_slots().and(&Slots::present(image)))
    }

    fn bottom_of_pipe(&mut self) -> Result<(), RecordError> {
        let event_index = ReleaseMemEventIndex::END_OF_PIPE;
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            self.writer.emit(&p::ReleaseMem { event_type: Event::BOTTOM_OF_PIPE_TS, event_index, ..Default::default() })
        }})?;
        Ok(())
    }

    /// Whether a context register was written since the last draw, by whomever.
    pub(super) fn rolled(&self) -> bool {
        let since = self.writer.words().get(self.calls.end..).unwrap_or_default();
        let rolls =
            |packet: crate::packet::Packet<'_>| packet.opcode().is_some_and(|opcode| opcode.effect_kinds(self.chip.gfx()).intersects(EffectKinds::ROLLS));
        self.calls.rolled || Reader::new(since).flatten().any(rolls)
    }

    /// The buffer, or what takes its place where a chip hangs from one without indices.
    fn usable(&self, buffer: IndexBuffer, source: &Source<'_>) -> Result<IndexBuffer, RecordError> {
        if !self.chip.has(Erratum::ZeroIndexBuffer) {
            return Ok(buffer);
        }
        let no_indices = match source {
            Source::Indices(draws, _) => draws.iter().any(|d| d.first >= buffer.indices),
            _ => buffer.indices == 0,
        };
        if !acts(Erratum::ZeroIndexBuffer, self.chip, &Situation { no_indices, ..Situation::default() }) {
            return Ok(buffer);
        }
        match self.calls.spare_index {
            Some(spare) => {
                address("the spare index", spare, 4)?;
                Ok(buffer)
            }
            None => Err(CallError::EmptyIndexBuffer { chip: self.chip }.into()),
        }
    }

    /// Address and size of what is in the buffer from an index on; the spare index on chips that hang from nothing.
    pub(super) fn indices_from(&self, buffer: IndexBuffer, first: u32) -> (u64, u32) {
        let left = buffer.indices.saturating_sub(first);
        match self.calls.spare_index {
            Some(spare) if left == 0 && self.chip.has(Erratum::ZeroIndexBuffer) => (spare, 1),
            _ if buffer.indices == 0 => (0, 0),
            _ => (buffer.addr + u64::from(first.min(buffer.indices)) * buffer.format.bytes(), left),
        }
    }

    /// VGT_INDEX_TYPE, unless it is known to hold. Draws without indices overwrite the type (PAL gfx9UniversalCmdBuffer.cpp CmdDraw), and no source says
    /// whether the bit that stops instance packing stays: where it must be set it is written before each of them, as RADV does on GFX10.3 (captures); where it
    /// must not, once is enough.
    fn index_type(&mut self, buffer: Option<IndexBuffer>, situation: &Situation) -> Result<(), RecordError> {
        let hit = self.chip.has(Erratum::InstancePacking);
        let packing = if hit && acts(Erratum::InstancePacking, self.chip, situation) { DISABLE_INSTANCE_PACKING } else { 0 };
        let wanted = buffer.map_or(0, |b| b.format as u32) | packing;
        let held = match buffer {
            Some(_) => self.calls.index_type == Some(wanted),
            None => !hit || packing == 0 && self.calls.packing == Some(0),
        };
        if !held {
            self.writer.set_index_type(wanted)?;
            self.calls.packing = Some(packing);
        }
        self.calls.index_type = buffer.map(|_| wanted);
        Ok(())
    }

    /// What the SGPRs of draw calls hold, as far as it is known.
    fn sgpr_values(&self, sgprs: &DrawSgprs) -> SgprValues {
        let held = |sgpr: Option<u32>| sgpr.and_then(|addr| self.held.get(addr));
        let group = |n: u32| held(sgprs.groups.map(|first| first + 4 * n));
        SgprValues {
            base_vertex: held(sgprs.base_vertex),
            first_instance: held(sgprs.first_instance),
            draw_index: held(sgprs.draw_index),
            groups: [group(0), group(1), group(2)],
            ..SgprValues::default()
        }
    }

    /// What is the same for all direct draws of a call.
    fn instances(&mut self, instances: Instances, sgprs: &DrawSgprs, held: SgprValues) -> Result<SgprValues, RecordError> {
        let mut values = SgprValues { in_place: [None; 2], ..held };
        self.sgpr(sgprs.first_instance, &mut values.first_instance, instances.first)?;
        if self.calls.instances != Some(instances.count) {
            self.writer.num_instances(instances.count)?;
            self.calls.instances = Some(instances.count);
        }
        Ok(values)
    }

    /// An SGPR, unless it holds the value.
    fn sgpr(&mut self, sgpr: Option<u32>, held: &mut Option<u32>, value: u32) -> Result<(), RecordError> {
        if let Some(addr) = sgpr.filter(|_| *held != Some(value)) {
            self.writer.set_reg(addr, value)?;
            *held = Some(value);
        }
        Ok(())
    }

    /// What differs from draw to draw, where it changes.
    fn per_draw(&mut self, index: usize, base: u32, values: &mut SgprValues, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        self.sgpr(sgprs.base_vertex, &mut values.base_vertex, base)?;
        self.sgpr(sgprs.draw_index, &mut values.draw_index, index as u32)
    }

    /// What workarounds need after each packet that draws.
    fn after_draw(&mut self, situation: &Situation) -> Result<(), RecordError> {
        self.work_around(WorkaroundPlace::AfterDraw, situation)
    }

    /// The same after draws whose arguments are in memory: those took the place of what instances and SGPRs held.
    fn after_indirect(&mut self, situation: &Situation) -> Result<SgprValues, RecordError> {
        self.calls.instances = None;
        self.after_draw(situation)?;
        Ok(SgprValues::default())
    }

    fn put_vertices(
        &mut self,
        draws: &[Vertices],
        instances: Instances,
        sgprs: &DrawSgprs,
        situation: &Situation,
        held: SgprValues,
    ) -> Result<SgprValues, RecordError> {
        let mut values = self.instances(instances, sgprs, held)?;
        for (index, draw) in draws.iter().enumerate() {
            self.per_draw(index, draw.first, &mut values, sgprs)?;
            self.writer.draw_index_auto(draw.count, DrawInitiator::AUTO_INDEX)?;
            self.after_draw(situation)?;
        }
        Ok(values)
    }

    fn put_indices(
        &mut self,
        buffer: IndexBuffer,
        draws: &[Indices],
        instances: Instances,
        sgprs: &DrawSgprs,
        situation: &Situation,
        held: SgprValues,
    ) -> Result<SgprValues, RecordError> {
        let mut values = self.instances(instances, sgprs, held)?;
        let together = may_run_together(self.chip.gfx(), draws, sgprs);
        let last = draws.iter().rposition(|d| d.count > 0);
        for (index, draw) in draws.iter().enumerate().filter(|(_, d)| !together || d.count > 0) {
            self.per_draw(index, draw.base_vertex as u32, &mut values, sgprs)?;
            let (addr, size) = self.indices_from(buffer, draw.first);
            let initiator = DrawInitiator::INDICES.with_not_eop(together && Some(index) != last);
            self.writer.draw_index_2(size, addr, draw.count, initiator)?;
            self.after_draw(situation)?;
        }
        Ok(values)
    }

    /// A register, in the place of the state's value, unless it holds this: whether it was written.
    fn put_in_place(&mut self, register: Option<(u32, u32)>) -> Result<bool, RecordError> {
        let Some((addr, value)) = register.filter(|&(addr, value)| self.held.get(addr) != Some(value)) else { return Ok(false) };
        self.writer.set_reg(addr, value)?;
        Ok(true)
    }

    /// A draw of as many vertices as streamout has counted.
    fn put_counted_draw(&mut self, instances: Instances, sgprs: &DrawSgprs, situation: &Situation, held: SgprValues) -> Result<SgprValues, RecordError> {
        let mut values = self.instances(instances, sgprs, held)?;
        self.per_draw(0, 0, &mut values, sgprs)?;
        values.in_place[0] = situation.now.counted;
        self.put_in_place(situation.now.counted)?;
        self.writer.draw_index_auto(0, DrawInitiator::AUTO_INDEX.with_use_opaque(true))?;
        self.after_draw(situation)?;
        Ok(values)
    }

    /// Workgroups of a mesh shader: points that are counted on GFX10.3, a packet of their own later.
    fn put_groups(&mut self, groups: [u32; 3], sgprs: &DrawSgprs, situation: &Situation, held: SgprValues) -> Result<SgprValues, RecordError> {
        let mut values = self.instances(Instances::default(), sgprs, held)?;
        self.per_draw(0, 0, &mut values, sgprs)?;
        if let Some(first) = sgprs.groups {
            for (addr, (held, count)) in (first..).step_by(4).zip(values.groups.iter_mut().zip(groups)) {
                self.sgpr(Some(addr), held, count)?;
            }
        }
        let [dim_x, dim_y, dim_z] = groups;
        let points = dim_x.wrapping_mul(dim_y).wrapping_mul(dim_z);
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 => self.writer.draw_index_auto(points, DrawInitiator::AUTO_INDEX),
            Gfx11 | Gfx115 | Gfx12 => self.writer.emit(&p::DispatchMeshDirect { dim_x, dim_y, dim_z, draw_initiator: DrawInitiator::AUTO_INDEX })
        })?;
        self.after_draw(situation)?;
        Ok(values)
    }

    /// Calls of a mesh shader in memory, whose arguments name no instances: one, whatever an earlier draw had. No source says so: an inference, harmless where
    /// the packet does not read the number. RADV does not write it (a capture of Navi21).
    fn groups_indirect(&mut self, draws: IndirectDraws, sgprs: &DrawSgprs, held: SgprValues) -> Result<(), RecordError> {
        if draws.draws == 0 {
            return Ok(());
        }
        self.instances(Instances::default(), sgprs, held)?;
        let data_offset = self.arguments(draws.arguments)?;
        /// The fields that all generations have.
        macro_rules! packet {
            ($p:ident, { $($field:ident: $value:expr),* }) => {
                self.writer.emit(&$p::DispatchMeshIndirectMulti {
                    data_offset,
                    xyz_dim_loc: location(sgprs.groups),
                    draw_index_loc: location(sgprs.draw_index),
                    draw_index_enable: sgprs.draw_index.is_some(),
                    count_indirect_enable: draws.count.is_some(),
                    count: draws.draws,
                    count_addr: draws.count.unwrap_or(0),
                    stride: draws.stride,
                    draw_initiator: DrawInitiator::AUTO_INDEX,
                    $($field: $value,)*
                    ..Default::default()
                })
            };
        }
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 => Ok::<(), crate::packet::WriteError>(()),
            Gfx10 | Gfx103 => packet!(p, {}),
            // MODE1 goes with GS_FAST_LAUNCH 1, which GFX12 has.
            Gfx11 | Gfx115 => packet!(p, { xyz_dim_enable: sgprs.groups.is_some() }),
            Gfx12 => packet!(p, { xyz_dim_enable: sgprs.groups.is_some(), mode1_enable: false })
        })?;
        Ok(())
    }

    /// SET_BASE, from where indirect draws count: a multiple of 8, the rest is the offset.
    fn arguments(&mut self, arguments: u64) -> Result<u32, RecordError> {
        self.writer.emit(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(arguments & !7) })?;
        Ok((arguments & 7) as u32)
    }

    fn bind_indices(&mut self, buffer: IndexBuffer) -> Result<(), RecordError> {
        let (addr, size) = self.indices_from(buffer, 0);
        self.writer.index_base(addr)?;
        Ok(self.writer.index_buffer_size(size)?)
    }

    fn draw_indirect(&mut self, buffer: Option<IndexBuffer>, arguments: u64, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(arguments)?;
        let (base, start_inst_loc) = (location(sgprs.base_vertex), location(sgprs.first_instance));
        let writer = &mut self.writer;
        if buffer.is_none() {
            return Ok(writer.emit(&DrawIndirect { data_offset: offset, start_vtx_loc: base, start_inst_loc, draw_initiator: DrawInitiator::AUTO_INDEX })?);
        }
        on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            writer.emit(&p::DrawIndexIndirect { data_offset: offset, base_vtx_loc: base, start_inst_loc, draw_initiator: DrawInitiator::INDICES, ..Default::default() })
        }})?;
        Ok(())
    }

    fn draw_indirect_several(&mut self, buffer: Option<IndexBuffer>, draws: IndirectDraws, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if draws.draws == 0 {
            return Ok(());
        }
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(draws.arguments)?;
        /// The fields that both packets have.
        macro_rules! several {
            ($packet:ty, $base:ident, $initiator:expr) => {{
                type Draws = $packet;
                #[allow(clippy::needless_update)] // some generations have more fields
                self.writer.emit(&Draws {
                    data_offset: offset,
                    $base: location(sgprs.base_vertex),
                    start_inst_loc: location(sgprs.first_instance),
                    draw_index_loc: location(sgprs.draw_index),
                    draw_index_enable: sgprs.draw_index.is_some(),
                    count_indirect_enable: draws.count.is_some(),
                    count: draws.draws,
                    count_addr: draws.count.unwrap_or(0),
                    stride: draws.stride,
                    draw_initiator: $initiator,
                    ..Default::default()
                })
            }};
        }
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match buffer {
            Some(_) => several!(p::DrawIndexIndirectMulti, base_vtx_loc, DrawInitiator::INDICES),
            None => several!(p::DrawIndirectMulti, start_vtx_loc, DrawInitiator::AUTO_INDEX),
        }})?;
        Ok(())
    }
}

/// The slots of the registers that a context roll loses: PA_SC_VPORT_SCISSOR_0_TL to _15_BR on some chips, none on others.
pub(super) fn lost_by_rolls(chip: Chip) -> Option<Range<usize>> {
    let slots = regs::slots(chip.gfx());
    let lost = slots.partition_point(|addr| *addr < 0x2_8250)..slots.partition_point(|addr| *addr < 0x2_82D0);
    chip.has(Erratum::ViewportScissor).then_some(lost)
}

/// Whether indexed draws differ in nothing but their indices, so that NOT_EOP may join them; GFX9 and GFX12 cannot (Mesa 25.0.7).
fn may_run_together(gfx: Gfx, draws: &[Indices], sgprs: &DrawSgprs) -> bool {
    let same = draws.windows(2).all(|pair| matches!(pair, [a, b] if a.base_vertex == b.base_vertex));
    draws.len() > 1 && same && sgprs.draw_index.is_none() && matches!(gfx.major(), 10 | 11)
}
