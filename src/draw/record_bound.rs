//! Draws with bound objects: a pipeline, targets and dynamic state.
//!
//! A draw looks at what was changed since the draw before, and at nothing else. Registers of pipeline and targets come as the packets between two joined states;
//! registers of dynamic state are made by the functions that [`resolve`](crate::draw::resolve) uses.

use crate::chip::Erratum;
use crate::draw::calls::{DrawCall, DrawSgprs, IndexBuffer, IndexFormat, Indices, Instances, Vertices};
use crate::draw::check_numbers;
use crate::draw::desc::ShadingRate;
use crate::draw::dynamic::ViewInputs;
use crate::draw::error::DrawError;
use crate::draw::fixed::{DepthBias, Occlusion, Rect, Viewport};
use crate::draw::image::WORDS;
use crate::draw::objects::{FreeSgprs, Joined, Joins, Pipeline, Targets, parts};
use crate::draw::parts::{DynamicState, StencilValues, UserWords, user_data_of};
use crate::draw::record::{RecordError, Recorder};
use crate::draw::record_held::{Held, Slots};
use crate::draw::sheet::{Untold, Word};
use crate::draw::stage::Stage;
use crate::draw::{blend, depth, raster, viewport};
use crate::packet::layouts::DrawInitiator;
use crate::packet::{Buffer, Writer};
use alloc::sync::Arc;

/// What is bound.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pipeline: Option<Pipeline>,
    targets: Option<Targets>,
    state: DynamicState,
    joins: Joins,
    /// Parts that may differ from what registers hold, as bits of [`parts`].
    changed: u32,
    /// User SGPRs, of pixel shaders and of vertex work, that may differ.
    words: [u32; 3],
    /// The last draw, and whether one like it is its packet and what changed.
    plain: Plain,
    /// Parts of dynamic state that the last draw's registers show; the others are looked at when something else is joined.
    shown: u32,
}

/// What a draw had beside its state.
#[derive(Debug, Clone, Copy, Default)]
struct Plain {
    draws: bool,
    base: u32,
    first: u32,
    /// Addresses of the SGPRs that hold these, where the program has them.
    base_vertex: Option<u32>,
    first_instance: Option<u32>,
}

impl Bound {
    /// Registers may hold something else.
    #[inline]
    pub fn disturbed(&mut self) {
        (self.changed, self.words, self.shown, self.plain.draws) = (parts::ALL, [u32::MAX; 3], parts::ALL, false);
    }
}

/// Most viewports.
const VIEWPORTS: usize = 16;

/// Dwords that a draw with all of its state takes at most: each register of the generation in a packet of its own.
const ROOM: usize = 3 * 64 * WORDS;

/// Consecutive registers on their way: the slot of the first, and their values.
struct Row<const N: usize> {
    first: Option<usize>,
    values: [u32; N],
    len: usize,
}

impl<const N: usize> Row<N> {
    fn new() -> Self {
        Self { first: None, values: [0; N], len: 0 }
    }

    /// Adds registers that stand after those before.
    #[inline]
    fn add<const M: usize>(&mut self, words: &[Word<Untold>; M]) {
        let at = self.len;
        if let (Some(places), Some(word)) = (self.values.get_mut(at..at + M), words.first()) {
            places.iter_mut().zip(words).for_each(|(place, word)| *place = word.at().1);
            self.first.get_or_insert(word.at().0);
            self.len += M;
        }
    }

    fn of(words: &[Word<Untold>; N]) -> Self {
        let mut row = Self::new();
        row.add(words);
        row
    }
}

/// State that is bound.
impl<B: Buffer> Recorder<B> {
    /// Draws that follow use this pipeline.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`].
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) -> Result<(), RecordError> {
        self.same_chip(pipeline.0.chip)?;
        if self.bound.pipeline.as_ref().is_none_or(|bound| bound.0.number != pipeline.0.number) {
            self.bound.pipeline = Some(pipeline.clone());
            self.bound.changed |= parts::JOINED;
        }
        Ok(())
    }

    /// Draws that follow are drawn to these targets.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`].
    #[inline]
    pub fn bind_targets(&mut self, targets: &Targets) -> Result<(), RecordError> {
        self.same_chip(targets.0.chip)?;
        if self.bound.targets.as_ref().is_none_or(|bound| bound.0.number != targets.0.number) {
            self.bound.targets = Some(targets.clone());
            self.bound.changed |= parts::JOINED;
        }
        Ok(())
    }

    #[inline]
    fn same_chip(&self, resolved: crate::chip::Chip) -> Result<(), RecordError> {
        if resolved == self.chip { Ok(()) } else { Err(RecordError::OtherChip { resolved, recorder: self.chip }) }
    }

    /// The dynamic state that draws use.
    pub fn dynamic_state(&self) -> &DynamicState {
        &self.bound.state
    }

    /// Sets all of the dynamic state but user data.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that no register can hold; then nothing is set.
    pub fn set_dynamic_state(&mut self, state: &DynamicState) -> Result<(), RecordError> {
        let DynamicState { viewports, scissors, blend_constants, depth_bias, depth_bounds, line_width, .. } = state;
        let all = check_numbers::count("the number of viewports", viewports.len())
            .and_then(|()| check_numbers::count("the number of scissors", scissors.len()))
            .and_then(|()| viewports.iter().try_for_each(check_numbers::viewport))
            .and_then(|()| check_numbers::blend_constants(blend_constants))
            .and_then(|()| depth_bias.iter().try_for_each(check_numbers::depth_bias))
            .and_then(|()| depth_bounds.iter().try_for_each(check_numbers::depth_bounds))
            .and_then(|()| line_width.map_or(Ok(()), check_numbers::line_width));
        all.map_err(RecordError::Draw)?;
        let user_data = self.bound.state.user_data;
        self.bound.state.clone_from(state);
        self.bound.state.user_data = user_data;
        self.bound.changed = parts::ALL;
        Ok(())
    }

    /// Sets the viewports: at most 16; none stands for one over the whole of the targets.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for too many, and for numbers that are not finite or beyond 32768.
    #[inline]
    pub fn set_viewports(&mut self, viewports: &[Viewport]) -> Result<(), RecordError> {
        if viewports == self.bound.state.viewports.as_slice() {
            return Ok(());
        }
        let all = check_numbers::count("the number of viewports", viewports.len()).and_then(|()| viewports.iter().try_for_each(check_numbers::viewport));
        all.map_err(RecordError::Draw)?;
        self.bound.state.viewports.clear();
        self.bound.state.viewports.extend_from_slice(viewports);
        self.bound.changed |= parts::VIEWPORTS | parts::SCISSORS;
        Ok(())
    }

    /// Sets the scissors: as many as viewports; where there are fewer, the extent of the targets is the scissor.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for more than 16.
    #[inline]
    pub fn set_scissors(&mut self, scissors: &[Rect]) -> Result<(), RecordError> {
        check_numbers::count("the number of scissors", scissors.len()).map_err(RecordError::Draw)?;
        if scissors != self.bound.state.scissors.as_slice() {
            self.bound.state.scissors.clear();
            self.bound.state.scissors.extend_from_slice(scissors);
            self.bound.changed |= parts::SCISSORS;
        }
        Ok(())
    }

    /// Sets the constant of blending: red, green, blue, alpha.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_blend_constants(&mut self, constants: [f32; 4]) -> Result<(), RecordError> {
        check_numbers::blend_constants(&constants).map_err(RecordError::Draw)?;
        self.bound.state.blend_constants = constants;
        self.bound.changed |= parts::BLEND_CONSTANTS & self.bound.shown;
        Ok(())
    }

    /// Sets reference and masks of the stencil test of front and back faces; None leaves them to the pipeline.
    #[inline]
    pub fn set_stencil(&mut self, faces: Option<(StencilValues, StencilValues)>) {
        self.bound.state.stencil = faces;
        self.bound.changed |= parts::STENCIL & self.bound.shown;
    }

    /// Sets the depth bias of pipelines that have one; None leaves it to them.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_depth_bias(&mut self, bias: Option<DepthBias>) -> Result<(), RecordError> {
        bias.iter().try_for_each(check_numbers::depth_bias).map_err(RecordError::Draw)?;
        self.bound.state.depth_bias = bias;
        self.bound.changed |= parts::DEPTH_BIAS & self.bound.shown;
        Ok(())
    }

    /// Sets the depth bounds of pipelines that have them; None leaves them to those.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_depth_bounds(&mut self, bounds: Option<(f32, f32)>) -> Result<(), RecordError> {
        bounds.iter().try_for_each(check_numbers::depth_bounds).map_err(RecordError::Draw)?;
        self.bound.state.depth_bounds = bounds;
        self.bound.changed |= parts::DEPTH_BOUNDS & self.bound.shown;
        Ok(())
    }

    /// Sets the width of lines in pixels; None leaves it to the pipeline. Each width makes another joined state.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is above 0 and below 8192.
    pub fn set_line_width(&mut self, width: Option<f32>) -> Result<(), RecordError> {
        width.map_or(Ok(()), check_numbers::line_width).map_err(RecordError::Draw)?;
        self.bound.state.line_width = width;
        self.bound.changed |= parts::JOINED;
        Ok(())
    }

    /// Sets the shading rate; None leaves it to the pipeline. Each rate makes another joined state.
    pub fn set_shading_rate(&mut self, rate: Option<ShadingRate>) {
        self.bound.state.rate = rate;
        self.bound.changed |= parts::JOINED;
    }

    /// Sets whether an index of all ones starts a strip anew; None leaves it to the pipeline. Both make joined states of their own.
    pub fn set_primitive_restart(&mut self, on: Option<bool>) {
        self.bound.state.primitive_restart = on;
        self.bound.changed |= parts::JOINED;
    }

    /// Sets the control points of a patch of pipelines that tessellate; None leaves it to the pipeline. Each number makes another joined state: patches of a
    /// workgroup and LDS follow from it.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is 1 to 32.
    pub fn set_patch_points(&mut self, points: Option<u32>) -> Result<(), RecordError> {
        points.map_or(Ok(()), check_numbers::patch_points).map_err(RecordError::Draw)?;
        self.bound.state.patch_points = points;
        self.bound.changed |= parts::JOINED;
        Ok(())
    }

    /// Sets the counting of samples that pass. Each kind makes another joined state.
    pub fn set_occlusion(&mut self, occlusion: Occlusion) {
        self.bound.state.occlusion = occlusion;
        self.bound.changed |= parts::JOINED;
    }

    /// Gives values to user SGPRs of a stage, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). They stay when another pipeline is bound.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that the stage does not have, and for compute.
    #[inline]
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> Result<(), RecordError> {
        let set = user_data_of(stage).and_then(|at| Some((at, self.bound.state.user_data.get_mut(at)?.set(first, words)?)));
        let Some((at, changed)) = set else {
            let limit = user_data_of(stage).map_or(0, |_| stage.user_sgpr_limit());
            return Err(RecordError::UserData { stage, first, words: words.len(), limit });
        };
        if let Some(words) = self.bound.words.get_mut(at).filter(|_| changed != 0) {
            *words |= changed;
            self.bound.changed |= parts::USER_DATA << at;
        }
        Ok(())
    }
}

/// Draws.
impl<B: Buffer> Recorder<B> {
    /// Draws vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_vertices(&mut self, vertices: Vertices) -> Result<(), RecordError> {
        self.draw_bound(&DrawCall::Auto { vertices, instances: Instances::default() })
    }

    /// Draws indexed vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_indices(&mut self, buffer: IndexBuffer, indices: Indices) -> Result<(), RecordError> {
        self.draw_bound(&DrawCall::Indexed { buffer, indices, instances: Instances::default() })
    }

    /// Draws with what is bound: writes the registers that differ from what hardware holds, and the call.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline or targets, [`RecordError::Draw`] for objects that the chip cannot have together, [`RecordError::Call`] for
    /// what the call cannot be, [`WriteError`](crate::packet::WriteError) when the buffer is full. Then nothing is written.
    #[inline]
    pub fn draw_bound(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        match call {
            DrawCall::Auto { vertices, instances } if self.bring_plainly(vertices.first, *instances)? => {
                self.writer.draw_index_auto(vertices.count, DrawInitiator::COUNTED)?;
                self.calls.index_type = None;
            }
            DrawCall::Indexed { buffer, indices, instances }
                if indices.first < buffer.size
                    && (self.calls.index_type == Some(buffer.format as u32) || !self.chip.has(Erratum::InstancePacking))
                    && buffer.check(1).is_ok()
                    && buffer.addr + u64::from(indices.first) * buffer.format.bytes() < 1 << 48
                    && self.bring_index_type_plainly(buffer.format, indices.base_vertex as u32, *instances)? =>
            {
                let (addr, size) = self.indices_from(*buffer, indices.first);
                self.writer.draw_index_2(size, addr, indices.count, DrawInitiator::INDICES)?;
            }
            _ => return self.draw_changed(call),
        }
        self.calls.end = self.writer.len();
        Ok(())
    }

    /// Writes what differs from the draw before, where the draw at hand is its packet and what changed: whether it is. No workaround looks at it then, and
    /// nobody wrote anything since the draw before. Nothing can fail halfway, for there is [`ROOM`].
    #[inline]
    fn bring_plainly(&mut self, base: u32, instances: Instances) -> Result<bool, RecordError> {
        let Plain { draws, base: base_before, first, .. } = self.bound.plain;
        if !draws || self.calls.rolled || self.calls.end != self.writer.len() || !self.writer.has_room(ROOM) {
            return Ok(false);
        }
        let same = base == base_before && instances.first == first && self.calls.instances == Some(instances.count);
        if same && self.bound.changed == 0 {
            return Ok(true);
        }
        Ok(self.may_follow(base, instances) && (self.bound.changed == 0 || self.bring_changes_plainly()?) && self.bring_call(base, instances)?)
    }

    /// The same with the type of indices, which stands before the numbers of the call.
    #[inline]
    fn bring_index_type_plainly(&mut self, format: IndexFormat, base: u32, instances: Instances) -> Result<bool, RecordError> {
        if self.calls.index_type == Some(format as u32) {
            return self.bring_plainly(base, instances);
        }
        let Plain { base: base_before, first, .. } = self.bound.plain;
        let before = Instances { first, count: self.calls.instances.unwrap_or(instances.count) };
        if !self.may_follow(base, instances) || !self.bring_plainly(base_before, before)? {
            return Ok(false);
        }
        self.writer.set_index_type(format as u32)?;
        self.calls.index_type = Some(format as u32);
        self.bring_call(base, instances)
    }

    /// Whether the program takes these numbers of a call.
    #[inline]
    fn may_follow(&self, base: u32, instances: Instances) -> bool {
        let plain = &self.bound.plain;
        (base == plain.base || plain.base_vertex.is_some()) && (instances.first == plain.first || plain.first_instance.is_some()) && instances.count != 0
    }

    /// Writes what changed since a plain draw, where the draw at hand is plain too: whether it is.
    fn bring_changes_plainly(&mut self) -> Result<bool, RecordError> {
        let mut rolled = false;
        if self.bound.changed & parts::JOINED != 0 {
            let joined = self.joined()?;
            let Some(before) = self.held.base() else { return Ok(false) };
            if joined.facts != before.facts || joined.after_draws || joined.sgprs != before.sgprs || joined.rings != before.rings {
                return Ok(false);
            }
            self.bound.changed |= joined.differs(before);
            self.bound.words = [u32::MAX; 3];
            self.bound.shown = joined.shows();
            if joined.number != before.number {
                rolled = self.held.switch(&joined, &mut self.writer).inspect_err(|_| self.held.forget())?;
            }
        }
        let Some(joined) = self.held.take_base() else { return Ok(false) };
        let written = self.bring_parts_plainly(&joined, rolled);
        self.held.put_base(Some(joined));
        written.inspect_err(|_| self.held.forget())?;
        (self.bound.changed, self.bound.words) = (0, [0; 3]);
        Ok(true)
    }

    fn bring_parts_plainly(&mut self, joined: &Joined, mut rolled: bool) -> Result<(), RecordError> {
        let loses = self.lost_by_rolls.any();
        let mut rows = Rows { held: &mut self.held, writer: &mut self.writer };
        rolled |= rows.dynamic(joined, &self.bound.state, self.bound.changed, loses)?;
        rows.user_data(joined, &self.bound.state.user_data, self.bound.words)?;
        if rolled && loses {
            rows.held.forget_slots(&self.lost_by_rolls);
            rows.bring(&scissors::<{ 2 * VIEWPORTS }>(&joined.view(&self.bound.state)))?;
        }
        Ok(())
    }

    /// Writes what a plain draw has beside its state: SGPRs and the number of instances.
    fn bring_call(&mut self, base: u32, instances: Instances) -> Result<bool, RecordError> {
        let plain = self.bound.plain;
        if plain.first != instances.first {
            self.bring_sgpr(plain.first_instance, instances.first)?;
        }
        if self.calls.instances != Some(instances.count) {
            self.writer.num_instances(instances.count)?;
            self.calls.instances = Some(instances.count);
        }
        if plain.base != base {
            self.bring_sgpr(plain.base_vertex, base)?;
        }
        (self.bound.plain.base, self.bound.plain.first) = (base, instances.first);
        Ok(true)
    }

    fn bring_sgpr(&mut self, sgpr: Option<u32>, value: u32) -> Result<(), RecordError> {
        if let Some(addr) = sgpr {
            self.writer.set_reg(addr, value)?;
            self.held.set(addr, Some(value));
        }
        Ok(())
    }

    fn draw_changed(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        let joined = self.joined()?;
        self.may_draw(joined.rings)?;
        call.check_with(self.chip.gfx(), &joined.sgprs, joined.facts.mesh)?;
        let (certain, changed, words) = (self.writer.is_certain(), self.bound.changed, self.bound.words);
        if self.bound.changed & parts::JOINED != 0 {
            self.bound.changed |= match self.held.base() {
                Some(before) => joined.differs(before),
                None => parts::ALL,
            };
            self.bound.words = [u32::MAX; 3];
        }
        let drawn = self.all_or_nothing(|recorder| {
            recorder.held.save();
            let state = |recorder: &mut Self| recorder.bring(&joined);
            let drawn = recorder.draw_parts(joined.facts, &joined.sgprs, call, state, |recorder| recorder.all_scissors(&joined));
            drawn.inspect_err(|_| recorder.held.restore())
        });
        let (rolled, values) = match drawn {
            Ok(drawn) => drawn,
            Err(error) => {
                (self.bound.changed, self.bound.words) = (changed, words);
                return Err(error);
            }
        };
        if !certain {
            self.forget();
            return Ok(());
        }
        if rolled {
            let written = self.scissor_slots(&joined);
            self.held.forget_slots(&self.lost_by_rolls.without(&written));
        }
        for (sgpr, value) in values.of(&joined.sgprs) {
            self.held.set(sgpr, value);
        }
        let bare = !joined.after_draws && joined.sgprs.draw_index.is_none() && self.calls.packing.is_none_or(|packing| packing == 0);
        let DrawSgprs { base_vertex, first_instance, .. } = joined.sgprs;
        let (base, first) = call.base_and_first_instance().unwrap_or_default();
        self.bound.plain = Plain { draws: bare && call.base_and_first_instance().is_some(), base, first, base_vertex, first_instance };
        self.bound.shown = joined.shows();
        (self.bound.changed, self.bound.words) = (0, [0; 3]);
        Ok(())
    }

    /// Pipeline and targets together.
    fn joined(&mut self) -> Result<Arc<Joined>, RecordError> {
        let Bound { pipeline, targets, state, joins, changed, .. } = &mut self.bound;
        if let Some(joined) = self.held.base()
            && *changed & parts::JOINED == 0
        {
            return Ok(Arc::clone(joined));
        }
        let pipeline = pipeline.as_ref().ok_or(RecordError::NotBound { what: "programs (a pipeline)" })?;
        let targets = targets.as_ref().ok_or(RecordError::NotBound { what: "targets" })?;
        joins.join(pipeline, targets, state).map_err(RecordError::Draw)
    }

    /// Writes the registers that differ. On chips that lose viewport scissors by a roll, it leaves these out, and tells whether the context has rolled since the
    /// last draw, by whomever, or will roll for them.
    fn bring(&mut self, joined: &Arc<Joined>) -> Result<bool, RecordError> {
        let loses = self.lost_by_rolls.any();
        let mut rolled = loses && (self.calls.rolled || self.calls.end != self.writer.len()) && self.rolled();
        self.writer.break_run();
        if self.held.base().is_none_or(|base| base.number != joined.number) {
            rolled |= self.held.switch(joined, &mut self.writer)?;
        }
        let changed = self.bound.changed;
        if changed & !parts::JOINED == 0 {
            return Ok(rolled && loses);
        }
        let mut rows = Rows { held: &mut self.held, writer: &mut self.writer };
        rolled |= rows.dynamic(joined, &self.bound.state, changed, loses)?;
        rows.user_data(joined, &self.bound.state.user_data, self.bound.words)?;
        Ok(rolled && loses)
    }

    /// The viewport scissors, all of them, changed or not.
    fn all_scissors(&mut self, joined: &Joined) -> Result<(), RecordError> {
        let row = scissors::<{ 2 * VIEWPORTS }>(&joined.view(&self.bound.state));
        self.held.forget_slots(&self.lost_by_rolls);
        Rows { held: &mut self.held, writer: &mut self.writer }.bring(&row).map(|_| ())
    }

    /// The slots of the viewport scissors of a draw.
    fn scissor_slots(&self, joined: &Joined) -> Slots {
        let row = scissors::<{ 2 * VIEWPORTS }>(&joined.view(&self.bound.state));
        row.first.map_or(Slots::default(), |first| Slots::run(first, row.len))
    }
}

/// Where registers of dynamic state are written.
struct Rows<'r, B> {
    held: &'r mut Held,
    writer: &'r mut Writer<B>,
}

impl<B: Buffer> Rows<'_, B> {
    /// Writes the parts of dynamic state that changed: whether context registers were written.
    fn dynamic(&mut self, joined: &Joined, state: &DynamicState, changed: u32, loses: bool) -> Result<bool, RecordError> {
        let mut written = false;
        if changed & (parts::VIEWPORTS | parts::SCISSORS) != 0 {
            let inputs = joined.view(state);
            let one = inputs.viewports.len() < 2;
            if changed & parts::VIEWPORTS != 0 {
                written |= self.bring(&Row::of(&viewport::guard_band_words(&inputs)))?;
                written |= if one { self.viewports::<8, 2>(&inputs)? } else { self.viewports::<{ 8 * VIEWPORTS }, { 2 * VIEWPORTS }>(&inputs)? };
            }
            if changed & parts::SCISSORS != 0 {
                written |= if one { self.scissors::<2>(&inputs, loses)? } else { self.scissors::<{ 2 * VIEWPORTS }>(&inputs, loses)? };
            }
        }
        let gfx = joined.gfx;
        if let Some(constants) = joined.blend_constants(state).filter(|_| changed & parts::BLEND_CONSTANTS != 0) {
            written |= self.bring(&Row::of(&blend::constant_words(gfx, constants)))?;
        }
        if changed & parts::STENCIL != 0 {
            let (front, back) = joined.stencil(state);
            let mut row = Row::<4>::new();
            depth::stencil_words(gfx, &front, &back).into_iter().flatten().for_each(|word| row.add(&[word]));
            written |= self.bring(&row)?;
        }
        if let Some((bias, float)) = joined.depth_bias(state).filter(|_| changed & parts::DEPTH_BIAS != 0) {
            written |= self.bring(&Row::of(&raster::depth_bias_words(gfx, &bias, float)))?;
        }
        if let Some(bounds) = joined.depth_bounds(state).filter(|_| changed & parts::DEPTH_BOUNDS != 0) {
            written |= self.bring(&Row::of(&depth::bounds_words(gfx, bounds)))?;
        }
        Ok(written)
    }

    /// Writes viewports without their scissors: room for as many registers of transforms and of depth ranges.
    fn viewports<const TRANSFORMS: usize, const RANGES: usize>(&mut self, inputs: &ViewInputs<'_>) -> Result<bool, RecordError> {
        let (mut transforms, mut ranges) = (Row::<TRANSFORMS>::new(), Row::<RANGES>::new());
        let together = inputs.gfx.major() >= 12;
        inputs.with_viewports(|viewports| {
            for (index, viewport) in (0u32..).zip(viewports) {
                let Some((transform, range)) = viewport::transform_words(inputs.gfx, index, viewport) else { return };
                transforms.add(&transform);
                if together { transforms.add(&range) } else { ranges.add(&range) }
            }
        });
        Ok(self.bring(&transforms)? | self.bring(&ranges)?)
    }

    /// Writes viewport scissors, unless a roll loses them: then they are written after all others.
    fn scissors<const N: usize>(&mut self, inputs: &ViewInputs<'_>, loses: bool) -> Result<bool, RecordError> {
        let row = scissors::<N>(inputs);
        if loses { Ok(self.differs(&row)) } else { self.bring(&row) }
    }

    /// Brings registers to their values: whether it wrote.
    #[inline]
    fn bring<const N: usize>(&mut self, row: &Row<N>) -> Result<bool, RecordError> {
        match (row.first, row.values.get(..row.len)) {
            (Some(first), Some(values)) => Ok(self.held.bring(first, values, self.writer)?),
            _ => Ok(false),
        }
    }

    /// Whether one of the registers does not hold its value.
    fn differs<const N: usize>(&self, row: &Row<N>) -> bool {
        row.first.zip(row.values.get(..row.len)).is_some_and(|(first, values)| !self.held.holds(first, values))
    }

    /// Writes user SGPRs that changed and that programs read. One that did not change between two that did is written with them.
    fn user_data(&mut self, joined: &Joined, user_data: &[UserWords; 3], changed: [u32; 3]) -> Result<(), RecordError> {
        for ((FreeSgprs { slot, free }, words), changed) in joined.free.iter().zip(user_data).zip(changed) {
            let there = free & words.given;
            let mut wanted = there & changed;
            while wanted != 0 {
                let first = wanted.trailing_zeros();
                // The run ends before two that did not change, or one that is not there.
                let run = (wanted | wanted << 1 & there & wanted >> 1) >> first;
                let count = run.trailing_ones();
                let at = first as usize;
                if let Some(values) = words.values.get(at..at + count as usize) {
                    self.held.bring(slot + at, values, self.writer)?;
                }
                wanted &= !((u32::MAX >> (32 - count)) << first);
            }
        }
        Ok(())
    }
}

/// The viewport scissors.
fn scissors<const N: usize>(inputs: &ViewInputs<'_>) -> Row<N> {
    let mut row = Row::new();
    inputs.with_viewports(|viewports| {
        for (index, viewport) in (0u32..).zip(viewports) {
            if let Some(words) = viewport::scissor_words(inputs, index, viewport) {
                row.add(&words);
            }
        }
    });
    row
}

impl From<DrawError> for RecordError {
    fn from(error: DrawError) -> Self {
        Self::Draw(error)
    }
}
