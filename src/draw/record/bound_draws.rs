//! Draws with bound objects: a pipeline, targets and dynamic state.
//!
//! A draw examines only what has changed since the previous draw. Registers of pipeline and targets are written with the stored packets between two joined
//! states; registers of dynamic state are made by the functions that [`resolve`](crate::draw::resolve) uses.

use crate::draw::check::DrawSgprs;
use crate::draw::check::rings::Rings;
use crate::draw::desc::dynamic::user_data_of;
use crate::draw::desc::{DepthBias, DrawCall, DrawError, DynamicState, Occlusion, Rect, SampleLocations, ShadingRate, Stage, StencilValues, Viewport, numbers};
use crate::draw::record::changes::{Changes, OneViewport};
use crate::draw::record::plain_draws::Plain;
use crate::draw::record::recorder::{RecordError, Recorder};
use crate::draw::state::joined::{Joined, image_of_targets, parts};
use crate::draw::state::{PairCache, Pipeline, Targets};
use crate::packet::Buffer;
use alloc::sync::Arc;
use core::ops::Range;

/// What is bound.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pipeline: Option<Pipeline>,
    targets: Option<Targets>,
    state: DynamicState,
    /// The one viewport of the state.
    pub(super) one: OneViewport,
    pub(super) pairs: PairCache,
    /// Parts that may differ from what registers hold, as bits of [`parts`].
    pub(super) changed: u8,
    /// User SGPRs, of pixel shaders and of vertex work, that may differ.
    pub(super) words: [u32; 3],
    /// What is known of the last draw, and whether a similar draw needs only its packet and what changed.
    pub(super) plain: Plain,
    /// Parts of dynamic state that the last draw's registers show; the others are looked at when something else is joined.
    pub(super) shown: u8,
}

impl Bound {
    /// Forgets what the registers hold: something else may have written them.
    #[inline]
    pub fn forget_registers(&mut self) {
        (self.changed, self.words, self.shown, self.plain.draws) = (parts::ALL, [u32::MAX; 3], parts::ALL, false);
    }

    pub fn dynamic_state(&self) -> &DynamicState {
        &self.state
    }

    /// Whether there is one viewport, as most draws have.
    #[inline(always)]
    pub fn has_one_viewport(&self) -> bool {
        self.state.viewports.len() == 1
    }

    /// Whether user SGPRs of only one stage changed, and it is known what they hold.
    #[inline(always)]
    pub fn is_known_user_data(&self) -> bool {
        Changes::is_known_user_data(&self.words, &self.state.given(), &self.plain.known)
    }

    /// What changed, for registers of a joined state.
    #[inline]
    pub fn changes<'a>(&'a self, joined: &'a Joined, lost: Option<&'a Range<usize>>) -> Changes<'a> {
        Changes { joined, state: &self.state, one: &self.one, parts: self.changed, words: &self.words, lost }
    }

    /// The viewports changed.
    fn other_viewports(&mut self) {
        if let [one] = self.state.viewports.as_slice() {
            self.one.set(one, true);
        }
        self.changed |= parts::VIEWPORTS | parts::SCISSORS;
    }
}

/// State that is bound.
impl<B: Buffer> Recorder<B> {
    /// Uses these pairs: what they have joined is not joined again.
    #[must_use]
    pub fn with_pairs(mut self, pairs: PairCache) -> Self {
        self.bound.pairs = pairs;
        self
    }

    /// Takes the pairs out, for other recorders; what this one draws afterwards is joined again.
    pub fn take_pairs(&mut self) -> PairCache {
        core::mem::take(&mut self.bound.pairs)
    }

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
    /// [`RecordError::OtherChip`]; [`RecordError::Inherited`] for [inherited](Targets::inherited) targets in a buffer that is not a secondary one.
    #[inline]
    pub fn bind_targets(&mut self, targets: &Targets) -> Result<(), RecordError> {
        self.same_chip(targets.0.chip)?;
        if self.bound.targets.as_ref().is_none_or(|bound| bound.0.number != targets.0.number) {
            if targets.0.inherited && !self.is_secondary() {
                return Err(RecordError::Inherited);
            }
            self.bound.targets = Some(targets.clone());
            self.bound.changed |= parts::JOINED;
        }
        Ok(())
    }

    /// Writes the registers that describe the images of the bound targets, those that differ, without a draw: for secondary command buffers that
    /// [inherit](Targets::inherited) them. The samples of targets that have none of their own are the pipeline's. Does nothing where the targets are inherited.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound), except those of the call.
    pub fn write_targets(&mut self) -> Result<(), RecordError> {
        self.may_draw(Rings::default())?;
        let Bound { pipeline, targets, state, .. } = &self.bound;
        let pipeline = pipeline.as_ref().ok_or(RecordError::NotBound { what: "pipeline" })?;
        let targets = targets.as_ref().ok_or(RecordError::NotBound { what: "targets" })?;
        if targets.0.inherited {
            return Ok(());
        }
        let image = image_of_targets(pipeline, targets, state).map_err(RecordError::Draw)?;
        self.bound.changed |= parts::JOINED;
        self.with_registers(&image, |recorder, differing| recorder.registers(&image, differing))
    }

    #[inline]
    pub(super) fn same_chip(&self, resolved: crate::chip::Chip) -> Result<(), RecordError> {
        if resolved == self.chip { Ok(()) } else { Err(RecordError::OtherChip { resolved, recorder: self.chip }) }
    }

    /// The dynamic state that draws use.
    pub fn dynamic_state(&self) -> &DynamicState {
        &self.bound.state
    }

    /// Sets all of the dynamic state except user data.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for too many viewports or scissors, and for a number that no register can hold; then nothing is set.
    pub fn set_dynamic_state(&mut self, state: &DynamicState) -> Result<(), RecordError> {
        let DynamicState { viewports, scissors, blend_constants, depth_bias, depth_bounds, line_width, patch_points, sample_locations, .. } = state;
        let all = numbers::count("the number of viewports", viewports.len())
            .and_then(|()| numbers::count("the number of scissors", scissors.len()))
            .and_then(|()| viewports.iter().try_for_each(numbers::viewport))
            .and_then(|()| numbers::blend_constants(blend_constants))
            .and_then(|()| depth_bias.iter().try_for_each(numbers::depth_bias))
            .and_then(|()| depth_bounds.iter().try_for_each(numbers::depth_bounds))
            .and_then(|()| sample_locations.iter().try_for_each(numbers::sample_locations))
            .and_then(|()| line_width.map_or(Ok(()), numbers::line_width))
            .and_then(|()| patch_points.map_or(Ok(()), numbers::patch_points));
        all.map_err(RecordError::Draw)?;
        let user_data = self.bound.state.user_data;
        self.bound.state.clone_from(state);
        self.bound.state.user_data = user_data;
        self.bound.other_viewports();
        self.bound.changed = parts::ALL;
        Ok(())
    }

    /// Sets the viewports: at most 16; an empty slice means one over the whole of the targets.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for too many, and for numbers that are not finite or beyond 32768.
    #[inline(always)]
    pub fn set_viewports(&mut self, viewports: &[Viewport]) -> Result<(), RecordError> {
        let ([one], [held]) = (viewports, self.bound.state.viewports.as_mut_slice()) else { return self.set_all_viewports(viewports) };
        if one != held {
            numbers::viewport(one).map_err(RecordError::Draw)?;
            // Number by number: what the caller has just put together is not read back in wider pieces.
            let Viewport { x, y, width, height, min_depth, max_depth } = *one;
            let depth_changed = min_depth.to_bits() != held.min_depth.to_bits() || max_depth.to_bits() != held.max_depth.to_bits();
            (held.x, held.y, held.width, held.height, held.min_depth, held.max_depth) = (x, y, width, height, min_depth, max_depth);
            self.bound.one.set(one, depth_changed);
            self.bound.changed |= parts::VIEWPORTS | parts::SCISSORS;
        }
        Ok(())
    }

    fn set_all_viewports(&mut self, viewports: &[Viewport]) -> Result<(), RecordError> {
        if viewports == self.bound.state.viewports.as_slice() {
            return Ok(());
        }
        let all = numbers::count("the number of viewports", viewports.len()).and_then(|()| viewports.iter().try_for_each(numbers::viewport));
        all.map_err(RecordError::Draw)?;
        self.bound.state.viewports.clear();
        self.bound.state.viewports.extend_from_slice(viewports);
        self.bound.other_viewports();
        Ok(())
    }

    /// Sets the scissors: as many as viewports; where there are fewer, the extent of the targets is the scissor.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for more than 16.
    #[inline(always)]
    pub fn set_scissors(&mut self, scissors: &[Rect]) -> Result<(), RecordError> {
        let ([one], [held]) = (scissors, self.bound.state.scissors.as_mut_slice()) else { return self.set_all_scissors(scissors) };
        if one != held {
            (held.x, held.y, held.width, held.height) = (one.x, one.y, one.width, one.height);
            self.bound.changed |= parts::SCISSORS;
        }
        Ok(())
    }

    fn set_all_scissors(&mut self, scissors: &[Rect]) -> Result<(), RecordError> {
        numbers::count("the number of scissors", scissors.len()).map_err(RecordError::Draw)?;
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
    #[inline(always)]
    pub fn set_blend_constants(&mut self, constants: [f32; 4]) -> Result<(), RecordError> {
        numbers::blend_constants(&constants).map_err(RecordError::Draw)?;
        self.bound.state.blend_constants = constants;
        self.bound.changed |= parts::BLEND_CONSTANTS & self.bound.shown;
        Ok(())
    }

    /// Sets reference and masks of the stencil test of front and back faces; None leaves them to the pipeline.
    #[inline(always)]
    pub fn set_stencil(&mut self, faces: Option<(StencilValues, StencilValues)>) {
        self.bound.state.stencil = faces;
        self.bound.changed |= parts::STENCIL & self.bound.shown;
    }

    /// Sets the depth bias of pipelines that have one; None leaves it to them.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite, or a slope of 2^124 or more either way.
    #[inline]
    pub fn set_depth_bias(&mut self, bias: Option<DepthBias>) -> Result<(), RecordError> {
        bias.iter().try_for_each(numbers::depth_bias).map_err(RecordError::Draw)?;
        self.bound.state.depth_bias = bias;
        self.bound.changed |= parts::DEPTH_BIAS & self.bound.shown;
        Ok(())
    }

    /// Sets the depth bounds of pipelines that have them; None uses the bounds of the pipeline.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_depth_bounds(&mut self, bounds: Option<(f32, f32)>) -> Result<(), RecordError> {
        bounds.iter().try_for_each(numbers::depth_bounds).map_err(RecordError::Draw)?;
        self.bound.state.depth_bounds = bounds;
        self.bound.changed |= parts::DEPTH_BOUNDS & self.bound.shown;
        Ok(())
    }

    /// Sets the width of lines in pixels; None uses the width of the pipeline. For each new width the recorder combines pipeline
    /// and targets again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is above 0 and below 8192.
    pub fn set_line_width(&mut self, width: Option<f32>) -> Result<(), RecordError> {
        width.map_or(Ok(()), numbers::line_width).map_err(RecordError::Draw)?;
        self.bound.state.line_width = width;
        self.bound.changed |= parts::JOINED;
        Ok(())
    }

    /// Sets the shading rate; None uses the rate of the pipeline. For each new rate the recorder combines pipeline and targets again.
    pub fn set_shading_rate(&mut self, rate: Option<ShadingRate>) {
        self.bound.state.rate = rate;
        self.bound.changed |= parts::JOINED;
    }

    /// Sets whether an index of all ones restarts a strip; None uses the setting of the pipeline. For each of the
    /// two the recorder combines pipeline and targets separately.
    pub fn set_primitive_restart(&mut self, on: Option<bool>) {
        self.bound.state.primitive_restart = on;
        self.bound.changed |= parts::JOINED;
    }

    /// Sets the control points of a patch of pipelines that tessellate; None uses the number of the pipeline. For each new number the recorder
    /// combines pipeline and targets again: patches of a workgroup and LDS follow from it.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is 1 to 32.
    pub fn set_patch_points(&mut self, points: Option<u32>) -> Result<(), RecordError> {
        points.map_or(Ok(()), numbers::patch_points).map_err(RecordError::Draw)?;
        self.bound.state.patch_points = points;
        self.bound.changed |= parts::JOINED;
        Ok(())
    }

    /// Sets the positions of samples; None uses those of the pipeline. For each new set the recorder combines pipeline and targets
    /// again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a position that is not -8 to 7.
    pub fn set_sample_locations(&mut self, locations: Option<SampleLocations>) -> Result<(), RecordError> {
        locations.iter().try_for_each(numbers::sample_locations).map_err(RecordError::Draw)?;
        self.bound.state.sample_locations = locations;
        self.bound.changed |= parts::JOINED;
        Ok(())
    }

    /// Sets the counting of samples that pass. For each new kind the recorder combines pipeline and targets again.
    pub fn set_occlusion(&mut self, occlusion: Occlusion) {
        self.bound.state.occlusion = occlusion;
        self.bound.changed |= parts::JOINED;
    }

    /// Gives values to user SGPRs of a stage, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). They stay when another pipeline is bound. They are for draws with bound objects; resolved draws have
    /// their own ([`DynamicState::set_user_data`]). Vertex work has one set, on whichever hardware stage it runs.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that the stage does not have, and for compute.
    #[inline(always)]
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> Result<(), RecordError> {
        let set = self.bound.state.user_data.set(stage, first, words);
        let Some((at, changed)) = set else {
            let limit = user_data_of(stage).map_or(0, |_| stage.user_sgpr_limit());
            return Err(RecordError::UserData { stage, first, words: words.len(), limit });
        };
        if let Some(words) = self.bound.words.get_mut(at).filter(|_| changed != 0) {
            *words |= changed;
            self.bound.changed |= parts::USER_DATA;
        }
        Ok(())
    }
}

/// Draws.
impl<B: Buffer> Recorder<B> {
    /// Draws with what is bound, whatever was drawn before: workarounds look at it, and it is written whole or not at all.
    #[inline(never)]
    pub(super) fn draw_changed(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        let joined = self.joined()?;
        self.may_draw(joined.rings)?;
        self.may_leave_drain(&joined.image)?;
        self.may_stream(joined.facts)?;
        call.check_with(self.chip.gfx(), &joined.sgprs, joined.facts.mesh)?;
        let (certain, changed, words) = (self.writer.is_certain(), self.bound.changed, self.bound.words);
        if self.bound.changed & parts::JOINED != 0 {
            let differs = self.held.base().map_or(parts::ALL, |before| joined.differs(before));
            self.bound.changed |= differs;
            self.bound.one.depth_changed |= differs & parts::VIEWPORTS != 0;
            self.bound.words = [u32::MAX; 3];
        }
        let drawn = self.all_or_nothing(|recorder| {
            recorder.held.save();
            let state = |recorder: &mut Self| recorder.bring(&joined);
            let drawn = recorder.draw_parts(joined.facts, &joined.sgprs, call, state, |recorder| recorder.all_scissors(&joined));
            drawn.inspect_err(|_| recorder.held.restore())
        });
        let mut values = match drawn {
            Ok((_, values)) => values,
            Err(error) => {
                (self.bound.changed, self.bound.words) = (changed, words);
                return Err(error);
            }
        };
        if !certain {
            self.forget();
            return Ok(());
        }
        let streamed = values.take_streamed();
        for (sgpr, value) in values.of(&joined.sgprs) {
            self.held.set(sgpr, value);
        }
        if let Some((addr, value)) = streamed {
            self.held.set_over(addr, value);
        }
        let bare = !joined.after_draws && joined.sgprs.draw_index.is_none() && self.calls.packing.is_none_or(|packing| packing == 0);
        let DrawSgprs { base_vertex, first_instance, .. } = joined.sgprs;
        let (base, first) = call.base_and_first_instance().unwrap_or_default();
        self.bound.plain =
            Plain { draws: bare && call.base_and_first_instance().is_some(), known: self.bound.state.given(), base, first, base_vertex, first_instance };
        self.bound.shown = joined.shown;
        (self.bound.changed, self.bound.words) = (0, [0; 3]);
        Ok(())
    }

    /// Pipeline and targets together.
    pub(super) fn joined(&mut self) -> Result<Arc<Joined>, RecordError> {
        let Bound { pipeline, targets, state, pairs, changed, .. } = &mut self.bound;
        if let Some(joined) = self.held.base()
            && *changed & parts::JOINED == 0
        {
            return Ok(Arc::clone(joined));
        }
        let pipeline = pipeline.as_ref().ok_or(RecordError::NotBound { what: "pipeline" })?;
        let targets = targets.as_ref().ok_or(RecordError::NotBound { what: "targets" })?;
        pairs.joined(pipeline, targets, state).map_err(RecordError::Draw)
    }

    /// Writes the registers that differ. On chips that lose viewport scissors by a roll, it leaves these out, and returns whether the context has rolled since
    /// the last draw, whoever caused it, or will roll for them.
    fn bring(&mut self, joined: &Arc<Joined>) -> Result<bool, RecordError> {
        let loses = self.lost_by_rolls.is_some();
        let mut rolled = loses && (self.calls.rolled || self.calls.end != self.writer.len()) && self.rolled();
        self.writer.break_run();
        // The call writes it with another value.
        let apart = self.streamed(joined.facts).map(|(addr, _)| addr);
        if !self.held.is_base(joined, apart) {
            rolled |= self.held.switch(joined, apart, &mut self.bound.pairs, &mut self.writer)?;
        }
        if self.bound.changed & !parts::JOINED != 0 {
            rolled |= self.bound.changes(joined, self.lost_by_rolls.as_ref()).bring(self.held.beside().1, &mut self.writer)?;
        }
        Ok(rolled && loses)
    }

    /// The viewport scissors, all of them, changed or not.
    fn all_scissors(&mut self, joined: &Joined) -> Result<(), RecordError> {
        Ok(self.bound.changes(joined, self.lost_by_rolls.as_ref()).bring_scissors(self.held.beside().1, &mut self.writer)?)
    }
}

impl From<DrawError> for RecordError {
    fn from(error: DrawError) -> Self {
        Self::Draw(error)
    }
}
