//! Bound state: pipeline, targets and dynamic state, and the parts that registers may not reflect yet.

use crate::draw::decide::viewport::Edges;
use crate::draw::desc::{DepthBias, DrawError, DynamicState, Occlusion, Rect, SampleLocations, ShadingRate, Stage, StencilValues, Viewport, numbers};
use crate::draw::record::changes::Changes;
use crate::draw::record::error::RecordError;
use crate::draw::state::joined::{Joined, parts};
use crate::draw::state::pairs::{Switch, hash_of};
use crate::draw::state::{PairCache, Pipeline, Targets};
use alloc::sync::Arc;
use core::ops::Range;

/// The state of the last plain draw other than its objects. A plain draw needs no workaround, and its call writes only base vertex, first instance and the
/// number of instances to registers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlainDraw {
    /// User SGPRs with known values, among those that programs leave free, one bit each.
    pub known: [u32; 3],
    pub base: u32,
    pub first: u32,
    /// Addresses of the SGPRs for these values, if the program has them.
    pub base_vertex: Option<u32>,
    pub first_instance: Option<u32>,
}

/// The bound state that registers may not reflect yet, and what is known about the last draw. Part of transactions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pending {
    /// Parts that may differ from the registers, as bits of [`parts`].
    parts: u8,
    /// Parts of dynamic state that the last draw's registers reflect; the other parts are examined when another state is joined.
    shown: u8,
    /// Whether the last draw was plain.
    after_plain: bool,
    /// Whether the depth range of the only viewport may differ: the range, or the clamping of depth to it, has changed.
    depth: bool,
    /// User SGPRs of pixel shaders, vertex work and tessellation that may differ.
    words: [u32; 3],
    plain: PlainDraw,
}

/// What is bound.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pipeline: Option<Pipeline>,
    targets: Option<Targets>,
    state: DynamicState,
    /// The edges of the only viewport, if there is exactly one.
    edges: Edges,
    pairs: PairCache,
    /// The hash of the objects joined last.
    objects: usize,
    pending: Pending,
}

/// What is bound.
impl Bound {
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) {
        if self.pipeline.as_ref().is_none_or(|bound| bound.0.number != pipeline.0.number) {
            self.pipeline = Some(pipeline.clone());
            self.pending.parts |= parts::JOINED;
        }
    }

    /// Returns whether these targets differ from the bound targets.
    #[inline]
    pub fn are_other_targets(&self, targets: &Targets) -> bool {
        self.targets.as_ref().is_none_or(|bound| bound.0.number != targets.0.number)
    }

    pub fn bind_targets(&mut self, targets: &Targets) {
        self.targets = Some(targets.clone());
        self.pending.parts |= parts::JOINED;
    }

    /// Returns pipeline and targets, if both are bound.
    pub fn objects(&self) -> Result<(&Pipeline, &Targets), RecordError> {
        objects(&self.pipeline, &self.targets)
    }

    /// Returns the switch from a joined state to the one [joined](Self::joined) last, if it is kept.
    #[inline]
    pub fn kept_switch(&self, from: &Joined, to: &Joined) -> Option<&Switch> {
        self.pairs.kept(from, to, self.objects)
    }

    pub fn pairs_mut(&mut self) -> &mut PairCache {
        &mut self.pairs
    }

    /// Joins pipeline and targets; `held` is the joined state that the registers hold.
    #[inline]
    pub fn joined(&mut self, held: Option<&Arc<Joined>>) -> Result<Arc<Joined>, RecordError> {
        match held.filter(|_| !self.is_joined_anew()) {
            Some(joined) => Ok(Arc::clone(joined)),
            None => {
                let (pipeline, targets) = objects(&self.pipeline, &self.targets)?;
                self.objects = hash_of(pipeline, targets);
                Ok(self.pairs.joined(self.objects, pipeline, targets, &self.state)?)
            }
        }
    }

    /// Returns whether pipeline, targets or other state that joins them may have changed.
    #[inline]
    pub fn is_joined_anew(&self) -> bool {
        self.pending.parts & parts::JOINED != 0
    }

    /// Makes the next draw join pipeline and targets again.
    pub fn join_anew(&mut self) {
        self.pending.parts |= parts::JOINED;
    }

    pub fn state(&self) -> &DynamicState {
        &self.state
    }

    /// Returns whether an object is bound or a part of dynamic state is set.
    pub fn is_set(&self) -> bool {
        self.pipeline.is_some() || self.targets.is_some() || self.state != DynamicState::default()
    }
}

fn objects<'a>(pipeline: &'a Option<Pipeline>, targets: &'a Option<Targets>) -> Result<(&'a Pipeline, &'a Targets), RecordError> {
    let pipeline = pipeline.as_ref().ok_or(RecordError::NotBound { what: "pipeline" })?;
    Ok((pipeline, targets.as_ref().ok_or(RecordError::NotBound { what: "targets" })?))
}

/// State that registers may not reflect yet.
impl Bound {
    pub fn pending(&self) -> Pending {
        self.pending
    }

    pub fn set_pending(&mut self, pending: Pending) {
        self.pending = pending;
    }

    /// Forgets the contents of registers, because other packets may have written them.
    #[inline]
    pub fn forget_registers(&mut self) {
        let Pending { parts, words, shown, after_plain, .. } = &mut self.pending;
        (*parts, *words, *shown, *after_plain) = (parts::ALL, [u32::MAX; 3], parts::ALL, false);
    }

    /// Records that another state is joined and held, for which the registers of these parts of dynamic state and of these user SGPRs may differ.
    pub fn join(&mut self, differs: u8, words: [u32; 3]) {
        self.pending.parts |= differs;
        self.pending.depth |= differs & parts::VIEWPORTS != 0;
        self.pending.words = words;
    }

    /// Records that the next draw is not plain.
    #[inline]
    pub fn follow_no_plain_draw(&mut self) {
        self.pending.after_plain = false;
    }

    /// Returns the last draw, if it was plain.
    #[inline]
    pub fn plain(&self) -> Option<&PlainDraw> {
        self.pending.after_plain.then_some(&self.pending.plain)
    }

    /// Returns the last draw that was plain.
    #[inline]
    pub fn last_plain(&self) -> &PlainDraw {
        &self.pending.plain
    }

    /// Returns the parts that may differ from the registers.
    #[inline]
    pub fn pending_parts(&self) -> u8 {
        self.pending.parts
    }

    /// Returns whether there is exactly one viewport, as in most draws.
    #[inline]
    pub fn has_one_viewport(&self) -> bool {
        self.state.viewports.len() == 1
    }

    /// Returns whether user SGPRs of only one stage changed, the stage does not tessellate, and their contents are known.
    #[inline]
    pub fn is_known_user_data(&self) -> bool {
        let ([pixel, vertices, hull], given, known) = (self.pending.words, self.state.given(), self.pending.plain.known);
        hull == 0 && if pixel == 0 { given[1] == known[1] } else { vertices == 0 && given[0] == known[0] }
    }

    /// Returns the changes, for registers of a joined state; `lost` are the slots of viewport scissors that a roll loses.
    #[inline]
    pub fn changes<'a>(&'a self, joined: &'a Joined, lost: Option<&'a Range<usize>>) -> Changes<'a> {
        let Self { state, edges, pending, .. } = self;
        Changes { joined, state, edges, depth: pending.depth, parts: pending.parts, words: &pending.words, lost }
    }

    /// Records that a plain draw follows with another joined state, of which registers reflect these parts. No values of user SGPRs are known.
    #[inline]
    pub fn follow_switch(&mut self, shown: u8) {
        self.pending.shown = shown;
        self.pending.plain.known = [0; 3];
    }

    /// Records that registers reflect these parts, which were all that was pending.
    #[inline]
    pub fn show<const PARTS: u8>(&mut self) {
        self.pending.parts = 0;
        if PARTS & parts::VIEWPORTS != 0 {
            self.pending.depth = false;
        }
        if PARTS & parts::USER_DATA != 0 {
            (self.pending.words, self.pending.plain.known) = ([0; 3], self.state.given());
        }
    }

    /// Sets the numbers of the last draw.
    #[inline]
    pub fn set_numbers(&mut self, base: u32, first: u32) {
        (self.pending.plain.base, self.pending.plain.first) = (base, first);
    }

    /// Records that a careful draw wrote all of a joined state; `plain` is set if the next draw may be plain.
    pub fn follow(&mut self, joined: &Joined, plain: Option<PlainDraw>) {
        self.pending = Pending { parts: 0, shown: joined.shown, after_plain: plain.is_some(), words: [0; 3], plain: plain.unwrap_or_default(), ..self.pending };
    }
}

/// Dynamic state.
impl Bound {
    pub fn set_state(&mut self, state: &DynamicState) -> Result<(), DrawError> {
        let DynamicState { viewports, scissors, blend_constants, depth_bias, depth_bounds, line_width, patch_points, sample_locations, .. } = state;
        numbers::count("the number of viewports", viewports.len())?;
        numbers::count("the number of scissors", scissors.len())?;
        viewports.iter().try_for_each(numbers::viewport)?;
        numbers::blend_constants(blend_constants)?;
        depth_bias.iter().try_for_each(numbers::depth_bias)?;
        depth_bounds.iter().try_for_each(numbers::depth_bounds)?;
        sample_locations.iter().try_for_each(numbers::sample_locations)?;
        line_width.map_or(Ok(()), numbers::line_width)?;
        patch_points.map_or(Ok(()), numbers::patch_points)?;
        let user_data = self.state.user_data;
        self.state.clone_from(state);
        self.state.user_data = user_data;
        self.other_viewports();
        self.pending.parts = parts::ALL;
        Ok(())
    }

    /// Returns the one viewport if there is one.
    #[inline]
    pub fn one_viewport(&self) -> Option<&Viewport> {
        if let [one] = self.state.viewports.as_slice() { Some(one) } else { None }
    }

    /// Replaces the only viewport; the new viewport was checked.
    #[inline]
    pub fn replace_viewport(&mut self, viewport: &Viewport) {
        let [held] = self.state.viewports.as_mut_slice() else { return };
        // Number by number, so that values which the caller has just stored are not read back in wider pieces.
        let Viewport { x, y, width, height, min_depth, max_depth } = *viewport;
        self.pending.depth |= min_depth.to_bits() != held.min_depth.to_bits() || max_depth.to_bits() != held.max_depth.to_bits();
        (held.x, held.y, held.width, held.height, held.min_depth, held.max_depth) = (x, y, width, height, min_depth, max_depth);
        self.edges = Edges::of(viewport);
        self.pending.parts |= parts::VIEWPORTS | parts::SCISSORS;
    }

    pub fn set_viewports(&mut self, viewports: &[Viewport]) -> Result<(), DrawError> {
        if viewports == self.state.viewports.as_slice() {
            return Ok(());
        }
        numbers::count("the number of viewports", viewports.len())?;
        viewports.iter().try_for_each(numbers::viewport)?;
        self.state.viewports.clear();
        self.state.viewports.extend_from_slice(viewports);
        self.other_viewports();
        Ok(())
    }

    /// Records that the viewports changed.
    fn other_viewports(&mut self) {
        if let [one] = self.state.viewports.as_slice() {
            self.edges = Edges::of(one);
            self.pending.depth = true;
        }
        self.pending.parts |= parts::VIEWPORTS | parts::SCISSORS;
    }

    /// Replaces the only scissor; returns whether there is exactly one.
    #[inline]
    pub fn replace_scissor(&mut self, scissor: &Rect) -> bool {
        let [held] = self.state.scissors.as_mut_slice() else { return false };
        if scissor != held {
            (held.x, held.y, held.width, held.height) = (scissor.x, scissor.y, scissor.width, scissor.height);
            self.pending.parts |= parts::SCISSORS;
        }
        true
    }

    pub fn set_scissors(&mut self, scissors: &[Rect]) -> Result<(), DrawError> {
        numbers::count("the number of scissors", scissors.len())?;
        if scissors != self.state.scissors.as_slice() {
            self.state.scissors.clear();
            self.state.scissors.extend_from_slice(scissors);
            self.pending.parts |= parts::SCISSORS;
        }
        Ok(())
    }

    #[inline]
    pub fn set_blend_constants(&mut self, constants: [f32; 4]) -> Result<(), DrawError> {
        numbers::blend_constants(&constants)?;
        self.state.blend_constants = constants;
        self.pending.parts |= parts::BLEND_CONSTANTS & self.pending.shown;
        Ok(())
    }

    #[inline]
    pub fn set_stencil(&mut self, faces: Option<(StencilValues, StencilValues)>) {
        self.state.stencil = faces;
        self.pending.parts |= parts::STENCIL & self.pending.shown;
    }

    #[inline]
    pub fn set_depth_bias(&mut self, bias: Option<DepthBias>) -> Result<(), DrawError> {
        bias.iter().try_for_each(numbers::depth_bias)?;
        self.state.depth_bias = bias;
        self.pending.parts |= parts::DEPTH_BIAS & self.pending.shown;
        Ok(())
    }

    #[inline]
    pub fn set_depth_bounds(&mut self, bounds: Option<(f32, f32)>) -> Result<(), DrawError> {
        bounds.iter().try_for_each(numbers::depth_bounds)?;
        self.state.depth_bounds = bounds;
        self.pending.parts |= parts::DEPTH_BOUNDS & self.pending.shown;
        Ok(())
    }

    pub fn set_line_width(&mut self, width: Option<f32>) -> Result<(), DrawError> {
        width.map_or(Ok(()), numbers::line_width)?;
        self.state.line_width = width;
        self.pending.parts |= parts::JOINED;
        Ok(())
    }

    pub fn set_shading_rate(&mut self, rate: Option<ShadingRate>) {
        self.state.rate = rate;
        self.pending.parts |= parts::JOINED;
    }

    pub fn set_primitive_restart(&mut self, on: Option<bool>) {
        self.state.primitive_restart = on;
        self.pending.parts |= parts::JOINED;
    }

    pub fn set_patch_points(&mut self, points: Option<u32>) -> Result<(), DrawError> {
        points.map_or(Ok(()), numbers::patch_points)?;
        self.state.patch_points = points;
        self.pending.parts |= parts::JOINED;
        Ok(())
    }

    pub fn set_sample_locations(&mut self, locations: Option<SampleLocations>) -> Result<(), DrawError> {
        locations.iter().try_for_each(numbers::sample_locations)?;
        self.state.sample_locations = locations;
        self.pending.parts |= parts::JOINED;
        Ok(())
    }

    pub fn set_occlusion(&mut self, occlusion: Occlusion) {
        self.state.occlusion = occlusion;
        self.pending.parts |= parts::JOINED;
    }

    /// Sets user SGPRs of a stage; returns whether the stage has them.
    #[inline]
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> bool {
        let Some((at, changed)) = self.state.user_data.set(stage, first, words) else { return false };
        if let Some(words) = self.pending.words.get_mut(at).filter(|_| changed != 0) {
            *words |= changed;
            self.pending.parts |= parts::USER_DATA;
        }
        true
    }
}
