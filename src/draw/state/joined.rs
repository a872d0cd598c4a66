//! A pipeline and targets together.

use crate::chip::Gfx;
use crate::draw::check::DrawSgprs;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::rings::Rings;
use crate::draw::decide::view_inputs::{DynamicInputs, ViewInputs};
use crate::draw::desc::program::user_data_registers;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{
    DepthBias, DepthFormat, Drain, DrawError, DynamicState, Occlusion, Program, SampleLocations, ShadingRate, Stage, StencilFace, UserData,
};
use crate::draw::errata::{self, Does, DrawFacts, Situation, WorkaroundPlace};
use crate::draw::image::RegisterImage;
use crate::draw::sheet::NoReasons;
use crate::draw::state::object::number;
use crate::draw::state::objects::{Pipeline, Targets};
use crate::draw::state::resolve;
use crate::regs::RegisterPlace;

/// Dynamic state of which registers depend on pipeline and targets too: another value is another joined state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Joining {
    line_width: Option<u32>,
    rate: Option<ShadingRate>,
    primitive_restart: Option<bool>,
    patch_points: Option<u32>,
    sample_locations: Option<SampleLocations>,
    occlusion: Occlusion,
}

impl Joining {
    pub fn of(state: &DynamicState) -> Self {
        let DynamicState { line_width, rate, primitive_restart, patch_points, sample_locations, occlusion, .. } = state;
        Self {
            line_width: line_width.map(f32::to_bits),
            rate: *rate,
            primitive_restart: *primitive_restart,
            patch_points: *patch_points,
            sample_locations: *sample_locations,
            occlusion: *occlusion,
        }
    }

    /// Returns whether this part of the dynamic state leaves the registers of the pipeline unchanged.
    fn leaves_pipeline(&self) -> bool {
        self.primitive_restart.is_none() && self.patch_points.is_none() && self.sample_locations.is_none()
    }
}

/// User SGPRs of a stage that hold dynamic user data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FreeSgprs {
    /// The slot of the first user SGPR.
    pub slot: usize,
    /// One bit per user SGPR.
    pub free: u32,
}

impl FreeSgprs {
    const NONE: Self = Self { slot: 0, free: 0 };

    fn of(gfx: Gfx, stage: Stage, program: Option<&Program>) -> Self {
        let slot = user_data_registers(gfx, stage).map(RegisterPlace::first_slot);
        let (Some(slot), Some(program)) = (slot, program) else { return Self::NONE };
        let free = program.user_data.iter().zip(0..32u32).filter(|(data, _)| **data == UserData::Keep).fold(0, |free, (_, bit)| free | 1 << bit);
        Self { slot, free }
    }
}

/// A pipeline and targets together: the registers that depend on more than dynamic state, computed by the functions of [`resolve`](crate::draw::resolve).
///
/// Fields read by each draw come first, in few lines of the CPU's caches: frames switch between many such states.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Joined {
    /// A unique number; not 0.
    pub number: usize,
    /// The numbers of pipeline and targets, and the part of the dynamic state that joins them.
    pub key: (usize, usize, Joining),
    /// Whether the cache of pairs keeps it.
    pub kept: bool,
    pub gfx: Gfx,
    /// Parts of dynamic state that registers show, as bits of [`parts`].
    pub shown: u8,
    class: Class,
    depth_clamp: bool,
    blends: bool,
    line_width: f32,
    extent: (u32, u32),
    /// Of pixel shaders, of vertex work, and of the merged program of tessellation.
    pub free: [FreeSgprs; 3],
    pub image: RegisterImage,
    pub facts: DrawFacts,
    pub sgprs: DrawSgprs,
    pub rings: Rings,
    /// A workaround needs packets after each draw.
    pub after_draws: bool,
    /// DB_DFSM_CONTROL stays as reset left it.
    pub leaves_drain: bool,
    stencil: Option<(StencilFace, StencilFace)>,
    depth_bias: Option<(DepthBias, Option<DepthFormat>)>,
    depth_bounds: Option<(f32, f32)>,
}

impl Joined {
    pub fn new(pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Self, DrawError> {
        let chip = pipeline.0.chip;
        let own = &pipeline.0.desc;
        // User data may change from draw to draw: the image has only that of the pipeline.
        let parts = EffectiveDraw::of(own, &targets.0.desc, state);
        let inputs = DrawInputs::check(&parts, chip)?;
        let joining = Joining::of(state);
        let of_pipeline = Some(&pipeline.0.resolved).filter(|_| joining.leaves_pipeline());
        let image = resolve::join_registers(&inputs, of_pipeline, targets.registers(own.samples));
        let gfx = inputs.gfx;
        let (facts, dynamic) = (DrawFacts::of(&inputs, &image), DynamicInputs::of(&inputs));
        let image = if targets.0.inherited { image.registers_missing_in(&resolve::registers_of_images(&inputs)) } else { image };
        let absent = [
            (dynamic.blend_constants.is_none(), parts::BLEND_CONSTANTS),
            (own.depth_test.stencil.is_none(), parts::STENCIL),
            (own.raster.depth_bias.is_none(), parts::DEPTH_BIAS),
            (own.depth_test.bounds.is_none(), parts::DEPTH_BOUNDS),
        ];
        Ok(Self {
            number: number(),
            key: (pipeline.0.number, targets.0.number, joining),
            kept: false,
            facts,
            after_draws: errata::at(WorkaroundPlace::AfterDraw, chip, Situation { now: facts, ..Situation::default() }).any(|does| does != Does::Nothing),
            sgprs: DrawSgprs::of(gfx, &parts, inputs.path),
            rings: Rings::needed(gfx, &parts, inputs.path),
            leaves_drain: own.drain == Drain::ResetDefault,
            free: [
                FreeSgprs::of(gfx, Stage::Pixel, own.shader.as_ref().map(|shader| &shader.program)),
                FreeSgprs::of(gfx, inputs.front.stage, Some(&own.vertex.program)),
                FreeSgprs::of(gfx, Stage::Hull, own.tessellation.as_ref().map(|patches| &patches.program)),
            ],
            gfx,
            shown: absent.into_iter().filter(|(absent, _)| *absent).fold(parts::ALL, |shown, (_, part)| shown & !part),
            extent: dynamic.view.extent,
            class: dynamic.view.class,
            line_width: dynamic.view.line_width,
            depth_clamp: dynamic.view.depth_clamp,
            blends: dynamic.blend_constants.is_some(),
            stencil: own.depth_test.stencil,
            depth_bias: own.raster.depth_bias.zip(dynamic.depth_bias).map(|(bias, (_, format))| (bias, format)),
            depth_bounds: own.depth_test.bounds,
            image,
        })
    }

    /// The sources of viewports and scissors.
    #[inline]
    pub fn view<'a>(&self, state: &'a DynamicState) -> ViewInputs<'a> {
        let Self { gfx, extent, class, line_width, depth_clamp, .. } = *self;
        ViewInputs { gfx, extent, class, line_width, depth_clamp, viewports: &state.viewports, scissors: &state.scissors }
    }

    #[inline]
    pub fn blend_constants(&self, state: &DynamicState) -> Option<[f32; 4]> {
        self.blends.then_some(state.blend_constants)
    }

    #[inline]
    pub fn stencil(&self, state: &DynamicState) -> (StencilFace, StencilFace) {
        state.stencil_of(self.stencil).unwrap_or_default()
    }

    #[inline]
    pub fn depth_bias(&self, state: &DynamicState) -> Option<(DepthBias, Option<DepthFormat>)> {
        let (bias, format) = self.depth_bias?;
        Some((state.depth_bias_of(Some(bias))?, format))
    }

    #[inline]
    pub fn depth_bounds(&self, state: &DynamicState) -> Option<(f32, f32)> {
        state.depth_bounds_of(self.depth_bounds)
    }

    /// User SGPRs that programs leave free in user data, and that have values: one bit each.
    #[inline]
    pub fn user_words(&self, state: &DynamicState) -> [u32; 3] {
        core::array::from_fn(|at| self.free[at].free & state.user_data.stages[at].given)
    }

    /// Returns whether a draw with this state is plain after a plain draw with another one: no workaround looks at it, and its SGPRs and rings are the same.
    pub fn is_plain_after(&self, before: &Self) -> bool {
        let Self { facts, sgprs, rings, .. } = self;
        *facts == before.facts && *sgprs == before.sgprs && *rings == before.rings && !self.after_draws && !self.leaves_drain
    }

    /// Parts of dynamic state whose registers may be others than under another joined state.
    pub fn differs(&self, other: &Self) -> u8 {
        use parts::{BLEND_CONSTANTS, DEPTH_BIAS, DEPTH_BOUNDS, SCISSORS, STENCIL, USER_DATA, VIEWPORTS};
        let bias = |joined: &Self| joined.depth_bias;
        let bounds = |joined: &Self| joined.depth_bounds.map(|(a, b)| (a.to_bits(), b.to_bits()));
        let shape = |joined: &Self| (joined.extent, joined.class, joined.line_width.to_bits(), joined.depth_clamp);
        let mut parts = USER_DATA;
        for (differs, part) in [
            (shape(self) != shape(other), VIEWPORTS),
            (self.extent != other.extent, SCISSORS),
            (self.blends != other.blends, BLEND_CONSTANTS),
            (self.stencil != other.stencil, STENCIL),
            (bias(self) != bias(other), DEPTH_BIAS),
            (bounds(self) != bounds(other), DEPTH_BOUNDS),
        ] {
            parts |= if differs { part } else { 0 };
        }
        parts
    }
}

/// Parts of dynamic state, as bits of a byte. It is read and written as one byte: reading it back as part of a wider number is slow.
pub(crate) mod parts {
    /// Viewports, with the guard band.
    pub const VIEWPORTS: u8 = 1;
    pub const SCISSORS: u8 = 1 << 1;
    pub const BLEND_CONSTANTS: u8 = 1 << 2;
    pub const STENCIL: u8 = 1 << 3;
    pub const DEPTH_BIAS: u8 = 1 << 4;
    pub const DEPTH_BOUNDS: u8 = 1 << 5;
    pub const USER_DATA: u8 = 1 << 6;
    /// Another pipeline, other targets, or another joining part of dynamic state.
    pub const JOINED: u8 = 1 << 7;
    pub const ALL: u8 = u8::MAX;
}

/// Returns the registers that describe the images of targets, as a draw with this pipeline writes them.
pub(crate) fn image_of_targets(pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<RegisterImage, DrawError> {
    let parts = EffectiveDraw::of(&pipeline.0.desc, &targets.0.desc, state);
    let inputs = DrawInputs::check(&parts, pipeline.0.chip)?;
    Ok(resolve::registers_of_objects::<NoReasons>(&inputs).into_image().registers_also_in(&resolve::registers_of_images(&inputs)))
}
