//! Draws with bound objects: a pipeline, targets and dynamic state.
//!
//! A draw examines only what has changed since the previous draw. Registers of pipeline and targets are written with the stored packets between two joined
//! states; registers of dynamic state are made by the functions that [`resolve`](crate::draw::resolve) uses.

use crate::draw::check::rings::Rings;
use crate::draw::desc::{DepthBias, DynamicState, Occlusion, SampleLocations, ShadingRate};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::joined::image_of_targets;
use crate::draw::state::{PairCache, Pipeline, Targets};
use crate::packet::Buffer;

/// State that is bound.
impl<B: Buffer> Recorder<B> {
    /// Uses these pairs: what they have joined is not joined again.
    #[must_use]
    pub fn with_pairs(mut self, pairs: PairCache) -> Self {
        *self.bound.pairs_mut() = pairs;
        self
    }

    /// Takes the pairs out, for other recorders; what this one draws afterwards is joined again.
    pub fn take_pairs(&mut self) -> PairCache {
        core::mem::take(self.bound.pairs_mut())
    }

    /// Draws that follow use this pipeline.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::OtherBoard`].
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) -> Result<(), RecordError> {
        self.same_machine(pipeline.0.machine, pipeline.0.chip, pipeline.0.board)?;
        self.bound.bind_pipeline(pipeline);
        Ok(())
    }

    /// Draws that follow are drawn to these targets.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`]; [`RecordError::Inherited`] for [inherited](Targets::inherited) targets in a buffer that is not a secondary one.
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

    /// Writes the registers that describe the images of the bound targets, those that differ, without a draw: for secondary command buffers that
    /// [inherit](Targets::inherited) them. The samples of targets that have none of their own are the pipeline's. Does nothing where the targets are inherited.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound), except those of the call.
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
    /// [`RecordError::Draw`] for too many viewports or scissors, and for a number that no register can hold; then nothing is set.
    pub fn set_dynamic_state(&mut self, state: &DynamicState) -> Result<(), RecordError> {
        Ok(self.bound.set_state(state)?)
    }

    /// Sets the depth bias of pipelines that have one; None leaves it to them.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite, or a slope of 2^124 or more either way.
    #[inline]
    pub fn set_depth_bias(&mut self, bias: Option<DepthBias>) -> Result<(), RecordError> {
        Ok(self.bound.set_depth_bias(bias)?)
    }

    /// Sets the depth bounds of pipelines that have them; None uses the bounds of the pipeline.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline]
    pub fn set_depth_bounds(&mut self, bounds: Option<(f32, f32)>) -> Result<(), RecordError> {
        Ok(self.bound.set_depth_bounds(bounds)?)
    }

    /// Sets the width of lines in pixels; None uses the width of the pipeline. For each new width the recorder combines pipeline
    /// and targets again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is above 0 and below 8192.
    pub fn set_line_width(&mut self, width: Option<f32>) -> Result<(), RecordError> {
        Ok(self.bound.set_line_width(width)?)
    }

    /// Sets the shading rate; None uses the rate of the pipeline. For each new rate the recorder combines pipeline and targets again.
    pub fn set_shading_rate(&mut self, rate: Option<ShadingRate>) {
        self.bound.set_shading_rate(rate);
    }

    /// Sets whether an index of all ones restarts a strip; None uses the setting of the pipeline. For each of the
    /// two the recorder combines pipeline and targets separately.
    pub fn set_primitive_restart(&mut self, on: Option<bool>) {
        self.bound.set_primitive_restart(on);
    }

    /// Sets the control points of a patch of pipelines that tessellate; None uses the number of the pipeline. For each new number the recorder
    /// combines pipeline and targets again: patches of a workgroup and LDS follow from it.
    ///
    /// # Errors
    /// [`RecordError::Draw`] unless it is 1 to 32.
    pub fn set_patch_points(&mut self, points: Option<u32>) -> Result<(), RecordError> {
        Ok(self.bound.set_patch_points(points)?)
    }

    /// Sets the positions of samples; None uses those of the pipeline. For each new set the recorder combines pipeline and targets
    /// again.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a position that is not -8 to 7.
    pub fn set_sample_locations(&mut self, locations: Option<SampleLocations>) -> Result<(), RecordError> {
        Ok(self.bound.set_sample_locations(locations)?)
    }

    /// Sets the counting of samples that pass. For each new kind the recorder combines pipeline and targets again.
    pub fn set_occlusion(&mut self, occlusion: Occlusion) {
        self.bound.set_occlusion(occlusion);
    }
}
