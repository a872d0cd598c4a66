//! Draws with bound objects: a pipeline, targets and dynamic state.
//!
//! A draw examines only what has changed since the previous draw. Registers of pipeline and targets are written with the stored packets between two joined
//! states; registers of dynamic state are computed by the functions that [`resolve`](crate::draw::resolve) uses.

use crate::draw::check::rings::Rings;
use crate::draw::desc::{DepthBias, DynamicState, Occlusion, SampleLocations, ShadingRate};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::joined::image_of_targets;
use crate::draw::state::{PairCache, Pipeline, Targets};
use crate::packet::Buffer;

/// Bound state.
impl<B: Buffer> Recorder<B> {
    /// Reuses these pairs, so that objects already joined are not joined again.
    #[must_use]
    pub fn with_pairs(mut self, pairs: PairCache) -> Self {
        *self.bound.pairs_mut() = pairs;
        self
    }

    /// Moves the pairs out for reuse by another recorder; this recorder starts again with an empty cache.
    pub fn take_pairs(&mut self) -> PairCache {
        core::mem::take(self.bound.pairs_mut())
    }

    /// Binds a pipeline, which later draws use.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::OtherBoard`].
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) -> Result<(), RecordError> {
        self.same_machine(pipeline.0.machine, pipeline.0.chip, pipeline.0.board)?;
        self.bound.bind_pipeline(pipeline);
        Ok(())
    }

    /// Binds targets, to which later draws go.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`]; [`RecordError::Inherited`] for [inherited](Targets::inherited) targets in a command buffer that is not secondary.
    #[inline]
    pub fn bind_targets(&mut self, targets: &Targets) -> Result<(), RecordError> {
        self.same_chip(targets.0.chip)?;
        if self.bound.are_other_targets(targets) {
            if targets.0.inherited && !self.is_secondary() {
                return Err(RecordError::Inherited);
            }
            self.bound.bind_targets(targets);
        }
        Ok(())
    }

    /// Writes the registers of the bound targets' images that differ, without a draw, for secondary command buffers that [inherit](Targets::inherited) them.
    /// Targets without their own sample count use that of the pipeline. Does nothing if the targets are inherited.
    ///
    /// # Errors
    /// The errors of [`draw_bound`](Self::draw_bound), except those of the call.
    pub fn write_targets(&mut self) -> Result<(), RecordError> {
        self.may_draw(Rings::default())?;
        let (pipeline, targets) = self.bound.objects()?;
        if targets.0.inherited {
            return Ok(());
        }
        let image = image_of_targets(pipeline, targets, self.bound.state())?;
        self.bound.join_anew();
        self.with_registers(&image, |recorder, differing| recorder.registers(&image, differing))
    }

    /// Returns the dynamic state that draws use.
    pub fn dynamic_state(&self) -> &DynamicState {
        self.bound.state()
    }

    /// Sets all of the dynamic state except user data.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for too many viewports or scissors, and for a number that no register can hold; nothing is set then.
    pub fn set_dynamic_state(&mut self, state: &DynamicState) -> Result<(), RecordError> {
        Ok(self.bound.set_state(state)?)
    }

    /// Sets the depth bias for pipelines that use depth bias; None uses the bias of the pipeline.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite, or a slope with a magnitude of 2^124 or more.
    #[inline]
    pub fn set_depth_bias(&mut self, bias: Option<DepthBias>) -> Result<(), RecordError> {
        Ok(self.bound.set_depth_bias(bias)?)
    }

    /// Sets the depth bounds for pipelines that use depth bounds; None uses the bounds of the pipeline.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_depth_bounds(&mut self, bounds: Option<(f32, f32)>) -> Result<(), RecordError> {
        Ok(self.bound.set_depth_bounds(bounds)?)
    }

    /// Sets the line width in pixels; None uses the width of the pipeline. For each new width, the recorder joins pipeline
    /// and targets again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is above 0 and below 8192.
    pub fn set_line_width(&mut self, width: Option<f32>) -> Result<(), RecordError> {
        Ok(self.bound.set_line_width(width)?)
    }

    /// Sets the shading rate; None uses the rate of the pipeline. For each new rate, the recorder joins pipeline and targets again.
    pub fn set_shading_rate(&mut self, rate: Option<ShadingRate>) {
        self.bound.set_shading_rate(rate);
    }

    /// Sets whether an index of all ones restarts a strip; None uses the setting of the pipeline. The recorder joins pipeline and targets separately for each
    /// of the two settings.
    pub fn set_primitive_restart(&mut self, on: Option<bool>) {
        self.bound.set_primitive_restart(on);
    }

    /// Sets the control points per patch for pipelines that tessellate; None uses the number of the pipeline. For each new number, the recorder joins pipeline
    /// and targets again, because the patches per workgroup and LDS follow from it.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is 1 to 32.
    pub fn set_patch_points(&mut self, points: Option<u32>) -> Result<(), RecordError> {
        Ok(self.bound.set_patch_points(points)?)
    }

    /// Sets the sample positions; None uses those of the pipeline. For each new set, the recorder joins pipeline and targets
    /// again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a position that is not -8 to 7.
    pub fn set_sample_locations(&mut self, locations: Option<SampleLocations>) -> Result<(), RecordError> {
        Ok(self.bound.set_sample_locations(locations)?)
    }

    /// Sets the counting of samples that pass. For each new kind, the recorder joins pipeline and targets again.
    pub fn set_occlusion(&mut self, occlusion: Occlusion) {
        self.bound.set_occlusion(occlusion);
    }
}
