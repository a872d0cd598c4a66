//! The careful path of draws: with all workarounds, after any earlier packets, written as a whole or not at all.

use crate::chip::{Erratum, Gfx};
use crate::draw::check::DrawSgprs;
use crate::draw::check::rings::Rings;
use crate::draw::desc::call::{Source, address};
use crate::draw::desc::{CallError, DrawCall, IndexBuffer, Indices, Instances};
use crate::draw::errata::{DrawFacts, Situation, WorkaroundPlace, acts};
use crate::draw::image::RegisterImage;
use crate::draw::record::bound::PlainDraw;
use crate::draw::record::call_state::SgprValues;
use crate::draw::record::error::RecordError;
use crate::draw::record::order::{DrawSteps, write_draw};
use crate::draw::record::recorder::Recorder;
use crate::draw::record::registers::{Slots, slots_of};
use crate::draw::state::Resolved;
use crate::draw::state::joined::{Joined, parts};
use crate::packet::Buffer;
use crate::packet::layouts::DrawInitiator;
use alloc::sync::Arc;

/// VGT_INDEX_TYPE.DISABLE_INSTANCE_PACKING.
const DISABLE_INSTANCE_PACKING: u32 = 1 << 14;

/// The state of a draw.
#[derive(Clone, Copy)]
enum State<'a> {
    /// All registers of a resolved description, and the differing ones among them.
    Resolved(&'a Resolved, &'a Slots),
    /// The bound state: pipeline and targets joined, and the dynamic state of the recorder.
    Bound(&'a Arc<Joined>),
}

impl<'a> State<'a> {
    fn image(self) -> &'a RegisterImage {
        match self {
            Self::Resolved(draw, _) => &draw.image,
            Self::Bound(joined) => &joined.image,
        }
    }

    fn facts(self) -> DrawFacts {
        match self {
            Self::Resolved(draw, _) => draw.pipeline,
            Self::Bound(joined) => joined.facts,
        }
    }

    fn rings(self) -> Rings {
        match self {
            Self::Resolved(draw, _) => draw.rings,
            Self::Bound(joined) => joined.rings,
        }
    }

    fn sgprs(self) -> DrawSgprs {
        match self {
            Self::Resolved(draw, _) => draw.draw_sgprs(),
            Self::Bound(joined) => joined.sgprs,
        }
    }
}

/// The effects of a draw on the recorder's state.
struct Drawn {
    /// Whether the context rolled for the draw, on chips where a roll loses registers.
    rolled: bool,
    /// The contents of the call's SGPRs.
    values: SgprValues,
    /// Registers that the call has written in place of the state's values, as address and value: for a draw that streamout counts, and for a draw that streams
    /// out to fewer buffers than its programs write.
    counted: Option<(u32, u32)>,
    streamed: Option<(u32, u32)>,
}

/// A draw that is being written.
struct CarefulDraw<'r, 'a, B> {
    recorder: &'r mut Recorder<B>,
    state: State<'a>,
    sgprs: DrawSgprs,
    buffer: Option<IndexBuffer>,
    source: Source<'a>,
    /// One bit per view; None for a draw without views.
    views: Option<u32>,
    situation: Situation,
    /// Whether NOT_EOP joins the draws of the call.
    together: bool,
    drawn: Drawn,
}

impl<'r, 'a, B: Buffer> CarefulDraw<'r, 'a, B> {
    #[inline]
    fn new(recorder: &'r mut Recorder<B>, state: State<'a>, call: &'a DrawCall) -> Result<Self, RecordError> {
        let (sgprs, facts, (buffer, source)) = (state.sgprs(), state.facts(), call.parts());
        let situation = recorder.calls.situation(facts, matches!(source, Source::Counted(_)));
        let buffer = buffer.map(|buffer| recorder.usable(buffer, &source)).transpose()?;
        let together = matches!(source, Source::Indices(draws, _) if may_run_together(recorder.chip.gfx(), draws, &sgprs));
        let (counted, streamed) = (facts.counted.filter(|_| situation.counted), recorder.streamed(facts));
        let drawn = Drawn { rolled: false, values: SgprValues::default(), counted, streamed };
        Ok(Self { recorder, state, sgprs, buffer, source, views: call.views(), situation, together, drawn })
    }

    /// Writes the registers of a resolved state that differ, except those that the call itself writes. On chips that lose viewport scissors in a context roll,
    /// the scissors are left out: a workaround writes them after all other registers, changed or not. On these chips, returns whether the context has rolled
    /// since the last draw, for any reason, or will roll for the scissors.
    fn resolved_state(&mut self, image: &RegisterImage, mut differing: Slots) -> Result<bool, RecordError> {
        let lost = self.recorder.lost_slots();
        for (addr, _) in self.drawn.counted.into_iter().chain(self.drawn.streamed) {
            self.recorder.held.slot(addr).into_iter().for_each(|slot| differing.remove(slot));
        }
        self.recorder.registers(image, &differing.without(&lost))?;
        Ok(!lost.is_empty() && (!differing.and(&lost).is_empty() || self.recorder.rolled()))
    }

    /// Like [`resolved_state`](Self::resolved_state), for the bound state.
    fn bound_state(&mut self, joined: &Arc<Joined>) -> Result<bool, RecordError> {
        let Recorder { writer, calls, lost_by_rolls, .. } = &*self.recorder;
        let loses = lost_by_rolls.is_some();
        let mut rolled = loses && (calls.has_rolled() || calls.end() != writer.len()) && self.recorder.rolled();
        // The call writes this register with another value.
        let apart = self.drawn.streamed.map(|(addr, _)| addr);
        let Recorder { held, bound, writer, lost_by_rolls, .. } = &mut *self.recorder;
        writer.break_run();
        if !held.holds_joined(joined, apart) {
            rolled |= held.switch(joined, apart, bound.pairs_mut(), writer)?;
        }
        if bound.pending_parts() & !parts::JOINED != 0 {
            rolled |= bound.changes(joined, lost_by_rolls.as_ref()).write(held.others(), writer)?;
        }
        Ok(rolled && loses)
    }

    /// Writes all viewport scissors, changed or not.
    fn scissors(&mut self) -> Result<(), RecordError> {
        match self.state {
            State::Resolved(draw, _) => {
                let lost = self.recorder.lost_slots();
                self.recorder.registers(&draw.image, &lost.and(&slots_of(&draw.image)))
            }
            State::Bound(joined) => {
                let Recorder { held, bound, writer, lost_by_rolls, .. } = &mut *self.recorder;
                Ok(bound.changes(joined, lost_by_rolls.as_ref()).write_scissors(held.others(), writer)?)
            }
        }
    }

    /// Writes a register in place of the state's value, unless it holds the new value already. Context registers roll the context.
    fn write_in_place(&mut self, register: Option<(u32, u32)>) -> Result<bool, RecordError> {
        let Some((addr, value)) = register.filter(|&(addr, value)| self.recorder.held.get(addr) != Some(value)) else { return Ok(false) };
        self.recorder.writer.set_reg(addr, value)?;
        Ok(true)
    }

    /// Writes an SGPR, unless it holds the value.
    fn sgpr(&mut self, sgpr: Option<u32>, value: u32, held: fn(&mut SgprValues) -> &mut Option<u32>) -> Result<(), RecordError> {
        let held = held(&mut self.drawn.values);
        if let Some(addr) = sgpr.filter(|_| *held != Some(value)) {
            self.recorder.writer.set_reg(addr, value)?;
            *held = Some(value);
        }
        Ok(())
    }

    /// Returns the number of instances, unless the packets read it from memory.
    fn direct_instances(&self) -> Option<Instances> {
        match &self.source {
            Source::Vertices(_, instances) | Source::Indices(_, instances) => Some(*instances),
            Source::Counted(draw) => Some(draw.instances),
            Source::Groups(_) => Some(Instances::default()),
            // Neither the packet of task work nor mesh shader arguments in memory contain the number of instances: it is one, regardless of earlier draws. For
            // task work as recorded (Mesa 25.0.7 radv_before_taskmesh_draw; captures). For arguments in memory, no source states it; this is an inference,
            // which is harmless if the packet does not read the number. RADV does not write it (a capture of Navi21).
            Source::Tasks { .. } => Some(Instances::default()),
            Source::SeveralGroups(draws) => (draws.draws != 0).then(Instances::default),
            Source::One(_) | Source::Several(_) => None,
        }
    }

    /// Forgets the number of instances and the SGPRs, which draws with arguments in memory have overwritten.
    fn lose_numbers(&mut self) {
        self.recorder.calls.set_instances(None);
        self.drawn.values = SgprValues { view: self.drawn.values.view, ..SgprValues::default() };
    }

    /// Draws workgroups of a mesh shader: as counted points on GFX10.3, with a separate packet later.
    fn groups(&mut self, groups: [u32; 3]) -> Result<(), RecordError> {
        if let Some(first) = self.sgprs.groups {
            let fields: [fn(&mut SgprValues) -> &mut Option<u32>; 3] = [|v| &mut v.groups[0], |v| &mut v.groups[1], |v| &mut v.groups[2]];
            for (addr, (held, count)) in (first..).step_by(4).zip(fields.into_iter().zip(groups)) {
                self.sgpr(Some(addr), count, held)?;
            }
        }
        let [dim_x, dim_y, dim_z] = groups;
        let points = dim_x.wrapping_mul(dim_y).wrapping_mul(dim_z);
        let writer = &mut self.recorder.writer;
        on_gfx!(packet writer.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 => writer.draw_index_auto(points, DrawInitiator::AUTO_INDEX),
            Gfx11 | Gfx115 | Gfx12 => writer.emit(&p::DispatchMeshDirect { dim_x, dim_y, dim_z, draw_initiator: DrawInitiator::AUTO_INDEX })
        })?;
        Ok(())
    }

    fn indices(&mut self, draws: &[Indices], index: usize) -> Result<(), RecordError> {
        let (Some(buffer), Some(draw)) = (self.buffer, draws.get(index)) else { return Ok(()) };
        let (addr, size) = self.recorder.indices_from(buffer, draw.first);
        let last = draws.iter().rposition(|draw| draw.count > 0);
        let initiator = DrawInitiator::INDICES.with_not_eop(self.together && Some(index) != last);
        Ok(self.recorder.writer.draw_index_2(size, addr, draw.count, initiator)?)
    }
}

impl<B: Buffer> DrawSteps for CarefulDraw<'_, '_, B> {
    type Error = RecordError;

    fn before_state(&mut self) -> Result<(), RecordError> {
        self.recorder.work_around(WorkaroundPlace::BeforeState, &self.situation).map(|_| ())
    }

    fn state(&mut self) -> Result<(), RecordError> {
        self.situation.rolled = match self.state {
            State::Resolved(draw, differing) => self.resolved_state(&draw.image, *differing)?,
            State::Bound(joined) => self.bound_state(joined)?,
        };
        Ok(())
    }

    fn in_place(&mut self) -> Result<(), RecordError> {
        let mut written = false;
        if let Source::Counted(draw) = self.source {
            self.recorder.write_counts(&draw)?;
            written = true;
        }
        written |= self.write_in_place(self.drawn.streamed)?;
        self.situation.rolled |= written && self.recorder.lost_by_rolls.is_some();
        Ok(())
    }

    fn before_draw(&mut self) -> Result<(), RecordError> {
        if self.recorder.work_around(WorkaroundPlace::BeforeDraw, &self.situation)? { self.scissors() } else { Ok(()) }
    }

    fn index_type(&mut self) -> Result<(), RecordError> {
        self.recorder.index_type(self.buffer, &self.situation)?;
        self.drawn.values = SgprValues::held(&self.sgprs, |addr| self.recorder.held.get(addr));
        Ok(())
    }

    fn views(&self) -> u32 {
        self.views.map_or(1, u32::count_ones)
    }

    fn view(&mut self, number: u32) -> Result<(), RecordError> {
        let Some(views) = self.views else { return Ok(()) };
        let view = (0..u32::BITS).filter(|view| views >> view & 1 == 1).nth(number as usize);
        if let Some(view) = view {
            self.sgprs.view_index.iter().flatten().try_for_each(|addr| self.recorder.writer.set_reg(*addr, view))?;
        }
        self.drawn.values.view = view;
        Ok(())
    }

    fn first_instance(&mut self) -> Result<(), RecordError> {
        match self.direct_instances() {
            Some(instances) => self.sgpr(self.sgprs.first_instance, instances.first, |values| &mut values.first_instance),
            None => Ok(()),
        }
    }

    fn instances(&mut self) -> Result<(), RecordError> {
        let instances = self.direct_instances();
        let Recorder { calls, writer, .. } = &mut *self.recorder;
        if let Some(Instances { count, .. }) = instances.filter(|instances| calls.instances() != Some(instances.count)) {
            writer.num_instances(count)?;
            calls.set_instances(Some(count));
        }
        Ok(())
    }

    fn packets(&self) -> usize {
        match &self.source {
            Source::Vertices(draws, _) => draws.len(),
            Source::Indices(draws, _) => draws.len(),
            _ => 1,
        }
    }

    fn skips(&self, index: usize) -> bool {
        self.together && matches!(self.source, Source::Indices(draws, _) if draws.get(index).is_some_and(|draw| draw.count == 0))
    }

    fn per_packet(&mut self, index: usize) -> Result<(), RecordError> {
        let base = match &self.source {
            Source::Vertices(draws, _) => draws.get(index).map(|draw| draw.first),
            Source::Indices(draws, _) => draws.get(index).map(|draw| draw.base_vertex as u32),
            Source::Counted(_) | Source::Groups(_) => Some(0),
            Source::One(_) | Source::Several(_) | Source::SeveralGroups(_) | Source::Tasks { .. } => None,
        };
        let Some(base) = base else { return Ok(()) };
        self.sgpr(self.sgprs.base_vertex, base, |values| &mut values.base_vertex)?;
        self.sgpr(self.sgprs.draw_index, index as u32, |values| &mut values.draw_index)
    }

    fn packet(&mut self, index: usize) -> Result<(), RecordError> {
        let sgprs = self.sgprs;
        match self.source {
            Source::Vertices(draws, _) => {
                let Some(draw) = draws.get(index) else { return Ok(()) };
                Ok(self.recorder.writer.draw_index_auto(draw.count, DrawInitiator::AUTO_INDEX)?)
            }
            Source::Indices(draws, _) => self.indices(draws, index),
            Source::Counted(_) => {
                self.write_in_place(self.drawn.counted)?;
                Ok(self.recorder.writer.draw_index_auto(0, DrawInitiator::AUTO_INDEX.with_use_opaque(true))?)
            }
            Source::Groups(groups) => self.groups(groups),
            Source::One(arguments) => self.recorder.draw_indirect(self.buffer, arguments, &sgprs).map(|()| self.lose_numbers()),
            Source::Several(draws) => self.recorder.draw_indirect_several(self.buffer, draws, &sgprs).map(|()| self.lose_numbers()),
            Source::Tasks { linear } => self.recorder.draw_tasks(linear, &sgprs).map(|()| self.lose_numbers()),
            Source::SeveralGroups(draws) => self.recorder.groups_indirect(draws, &sgprs).map(|()| self.lose_numbers()),
        }
    }

    fn after_packet(&mut self) -> Result<(), RecordError> {
        self.recorder.work_around(WorkaroundPlace::AfterDraw, &self.situation).map(|_| ())
    }
}

impl<B: Buffer> Recorder<B> {
    /// Writes the registers of a draw that do not hold their values, then the draw with the vertices and instances of its description, or with one workgroup of
    /// a mesh shader, which ignores these numbers ([`draw_call`](Self::draw_call) with [`DrawCall::Mesh`] draws more).
    ///
    /// A resolved draw contains its whole state ([`DrawDesc::state`](crate::draw::DrawDesc::state)). Bound objects and the dynamic state of the recorder
    /// ([`set_user_data`](Self::set_user_data) and the like) are ignored here; they only affect [`draw_bound`](Self::draw_bound). While any are set, this call
    /// must be made [`apart`](Self::apart) from them; otherwise it is refused.
    ///
    /// # Errors
    /// The errors of [`draw_call`](Self::draw_call).
    pub fn draw(&mut self, draw: &Resolved) -> Result<(), RecordError> {
        self.draw_call(draw, &DrawCall::from(draw))
    }

    /// Writes the registers of a draw that differ, then a call; `vertices` and `instances` of the description are ignored.
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] before [`begin`](Self::begin), [`RecordError::Mixed`] while something is bound ([`draw_bound`](Self::draw_bound) uses it,
    /// [`apart`](Self::apart) leaves it bound), [`RecordError::ComputeQueue`] on a compute queue, [`RecordError::OtherChip`] or
    /// [`RecordError::OtherStream`] for a draw or a stream of another chip, [`RecordError::NoRing`] if a ring is missing, [`RecordError::DrainWritten`],
    /// [`RecordError::Streamout`], [`RecordError::Call`] for a call that does not fit the draw, and [`WriteError::Full`](crate::packet::WriteError::Full) when
    /// the buffer is full.
    pub fn draw_call(&mut self, draw: &Resolved, call: &DrawCall) -> Result<(), RecordError> {
        self.other_machine(draw.chip, draw.board)?;
        self.may_ignore(self.bound.is_set(), "draw", "draw_bound")?;
        let differing = self.held.differing(&draw.image);
        self.draw_carefully(State::Resolved(draw, &differing), call)
    }

    /// Draws with the bound state on the careful path, after any earlier draw.
    #[inline(never)]
    pub(super) fn draw_bound_carefully(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        let joined = self.bound.joined(self.held.joined())?;
        self.draw_carefully(State::Bound(&joined), call)
    }

    fn draw_carefully(&mut self, state: State<'_>, call: &DrawCall) -> Result<(), RecordError> {
        self.may_draw(state.rings())?;
        self.may_leave_drain(state.image())?;
        self.may_stream(state.facts())?;
        call.check_with(self.chip.gfx(), &state.sgprs(), state.facts().mesh)?;
        let certain = self.writer.is_certain();
        let drawn = self.all_or_nothing(|recorder| {
            match state {
                State::Resolved(..) => recorder.bound.forget_registers(),
                State::Bound(joined) if recorder.bound.is_joined_anew() => {
                    let differs = recorder.held.joined().map_or(parts::ALL, |before| joined.differs(before));
                    recorder.bound.join(differs, [u32::MAX; 3]);
                }
                State::Bound(_) => {}
            }
            let mut draw = CarefulDraw::new(recorder, state, call)?;
            write_draw(&mut draw)?;
            let CarefulDraw { recorder, situation, drawn, .. } = draw;
            recorder.calls.record_draw(&situation, recorder.writer.len());
            Ok(Drawn { rolled: situation.rolled, ..drawn })
        })?;
        if certain {
            self.record_drawn(state, call, drawn);
        } else {
            self.forget();
        }
        Ok(())
    }

    /// Records the registers that a draw has written.
    fn record_drawn(&mut self, state: State<'_>, call: &DrawCall, drawn: Drawn) {
        let Drawn { rolled, values, counted, streamed } = drawn;
        let known = |(addr, value)| (addr, Some(value));
        match state {
            State::Resolved(draw, differing) => {
                let (image, sgprs) = (&draw.image, draw.draw_sgprs());
                self.held.record(image, differing);
                if rolled {
                    // Registers that a roll loses and the draw did not write are unknown now.
                    let lost = self.lost_slots();
                    self.held.forget_missing(image, &lost);
                }
                let written = counted.into_iter().chain(streamed).map(known);
                values.of(&sgprs).chain(written).for_each(|(addr, value)| self.held.set_after(image, addr, value));
            }
            State::Bound(joined) => {
                values.of(&joined.sgprs).chain(counted.map(known)).for_each(|(addr, value)| self.held.set(addr, value));
                if let Some((addr, value)) = streamed {
                    self.held.set_except(addr, value);
                }
                let bare = !joined.after_draws && joined.sgprs.draw_index.is_none() && self.calls.packing().is_none_or(|packing| packing == 0);
                let DrawSgprs { base_vertex, first_instance, .. } = joined.sgprs;
                let known = self.bound.state().given();
                let plain = call.base_and_first_instance().filter(|_| bare).map(|(base, first)| PlainDraw { known, base, first, base_vertex, first_instance });
                self.bound.follow(joined, plain);
            }
        }
    }

    /// Returns the registers that a context roll loses.
    fn lost_slots(&self) -> Slots {
        self.lost_by_rolls.as_ref().map_or(Slots::EMPTY, |lost| Slots::run(lost.start, lost.len()))
    }

    /// Sets the address of one index (nonzero, a multiple of 4), which replaces empty index buffers on chips that hang from them (erratum `zero_index_buffer`).
    /// The address is checked on use.
    pub fn set_spare_index(&mut self, addr: u64) {
        self.spare_index = Some(addr);
    }

    /// Returns the buffer, or its replacement if it is empty and the chip hangs from empty index buffers.
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
        match self.spare_index {
            Some(spare) => {
                address("the spare index", spare, 4)?;
                Ok(buffer)
            }
            None => Err(CallError::EmptyIndexBuffer { chip: self.chip }.into()),
        }
    }

    /// Writes VGT_INDEX_TYPE, unless the register is known to hold the value. Draws without indices overwrite the type (PAL gfx9UniversalCmdBuffer.cpp
    /// CmdDraw), and no source states whether the bit that disables instance packing stays. If it must be set, it is written before each such draw, as RADV
    /// does on GFX10.3 (captures); if it must be clear, one write is enough.
    fn index_type(&mut self, buffer: Option<IndexBuffer>, situation: &Situation) -> Result<(), RecordError> {
        let hit = self.chip.has(Erratum::InstancePacking);
        let packing = if hit && acts(Erratum::InstancePacking, self.chip, situation) { DISABLE_INSTANCE_PACKING } else { 0 };
        let wanted = buffer.map_or(0, |b| b.format as u32) | packing;
        let held = match buffer {
            Some(_) => self.calls.index_type() == Some(wanted),
            None => !hit || packing == 0 && self.calls.packing() == Some(0),
        };
        if !held {
            self.writer.set_index_type(wanted)?;
            self.calls.set_packing(packing);
        }
        self.calls.set_index_type(buffer.map(|_| wanted));
        Ok(())
    }
}

/// Returns whether indexed draws differ only in their indices, so that NOT_EOP may join them; GFX9 and GFX12 do not support this (Mesa 25.0.7).
fn may_run_together(gfx: Gfx, draws: &[Indices], sgprs: &DrawSgprs) -> bool {
    let same = draws.windows(2).all(|pair| matches!(pair, [a, b] if a.base_vertex == b.base_vertex));
    draws.len() > 1 && same && sgprs.draw_index.is_none() && matches!(gfx.major(), 10 | 11)
}
