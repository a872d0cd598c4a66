//! Objects that are made once and bound many times: pipelines and targets, and the state that follows from both.

use crate::chip::{Chip, Gfx};
use crate::draw::check::draw_parts::DrawParts;
use crate::draw::check::front::user_data_registers;
use crate::draw::check::inputs::Inputs;
use crate::draw::decide::dynamic::{DynamicInputs, ViewInputs};
use crate::draw::decide::preamble::Rings;
use crate::draw::desc::pipeline::Class;
use crate::draw::desc::{
    DepthBias, DepthFormat, Drain, DrawError, DrawSgprs, DynamicState, Occlusion, PipelineDesc, Program, SampleLocations, ShadingRate, Stage, StencilFace,
    TargetImage, TargetsDesc, UserData,
};
use crate::draw::errata::{self, Does, DrawFacts, Situation, WorkaroundPlace};
use crate::draw::image::RegisterImage;
use crate::draw::sheet::NoReasons;
use crate::draw::state::resolve;
use crate::regs::RegisterPlace;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Numbers objects.
static OBJECTS: AtomicUsize = AtomicUsize::new(1);

fn number() -> usize {
    OBJECTS.fetch_add(1, Ordering::Relaxed)
}

macro_rules! object {
    ($(#[$doc:meta])* $name:ident, $desc:ty, $made:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(pub(crate) alloc::sync::Arc<$crate::draw::state::objects::Object<$desc, $made>>);

        impl $name {
            /// What it was made from.
            pub fn desc(&self) -> &$desc {
                &self.0.desc
            }

            /// The chip that it was made for.
            pub fn chip(&self) -> $crate::chip::Chip {
                self.0.chip
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.number == other.0.number || self.0.key() == other.0.key()
            }
        }

        impl Eq for $name {}

        impl core::hash::Hash for $name {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.0.key().hash(state);
            }
        }
    };
}

pub(super) use object;

/// An object: its description, and what follows from it.
#[derive(Debug)]
pub(crate) struct Object<D, M> {
    pub chip: Chip,
    pub number: usize,
    pub desc: D,
    pub made: M,
}

impl<D, M: Made> Object<D, M> {
    /// An object with a number of its own.
    pub fn new(chip: Chip, desc: D, made: M) -> Arc<Self> {
        Arc::new(Self { chip, number: number(), desc, made })
    }

    /// What two objects that are the same have in common.
    pub fn key(&self) -> (Chip, bool, &D) {
        (self.chip, self.made.is_inherited(), &self.desc)
    }
}

/// What follows from a description.
pub(crate) trait Made {
    /// Whether the caller of a secondary command buffer has written it.
    fn is_inherited(&self) -> bool {
        false
    }
}

/// The registers that follow from a pipeline alone, before any workaround.
impl Made for RegisterImage {}

/// What follows from targets.
#[derive(Debug)]
pub(crate) struct TargetRegisters {
    /// The registers that follow from them alone, before any workaround.
    registers: RegisterImage,
    /// The samples of the pipeline that these registers are for, where a colour target has none of its own.
    samples: u32,
    /// The caller of a secondary command buffer has written them.
    inherited: bool,
}

impl Made for TargetRegisters {
    fn is_inherited(&self) -> bool {
        self.inherited
    }
}

object! {
    /// A pipeline for a chip: programs, rasterization, tests and blending, checked. The registers of its programs and samples are finished; what depends on
    /// targets too is finished when a draw uses both for the first time ([`PairCache`](crate::draw::PairCache)). A clone is cheap.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{Pipeline, PipelineDesc, Recorder, Targets, TargetsDesc, Vertices};
    ///
    /// let chip = Chip::Navi31;
    /// let pipeline = Pipeline::new(chip, PipelineDesc::default())?;
    /// let targets = Targets::new(chip, TargetsDesc::default())?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.bind_targets(&targets)?;
    /// recorder.bind_pipeline(&pipeline)?;
    /// recorder.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// let before = recorder.words().len();
    /// recorder.draw_vertices(Vertices { first: 0, count: 6 })?;
    /// assert_eq!(recorder.words()[before..], [0xC001_2D00, 6, 2]); // DRAW_INDEX_AUTO
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Pipeline, PipelineDesc, RegisterImage
}

object! {
    /// Colour and depth targets for a chip, checked, with the registers of their images. A clone is cheap. For an example see [`Pipeline`].
    Targets, TargetsDesc, TargetRegisters
}

impl Pipeline {
    /// Checks a pipeline for a chip. What concerns targets is checked when a draw uses both.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(chip: Chip, desc: PipelineDesc) -> Result<Self, DrawError> {
        let image = TargetImage { samples: Some(desc.samples.min(8)), ..TargetImage::default() };
        let color = alloc::vec![image; desc.blends.len()];
        let (targets, state) = (TargetsDesc { color, ..TargetsDesc::default() }, DynamicState::default());
        // The current targets say nothing about the next ones.
        let registers = resolve::registers_of_pipeline(&Inputs::check_before_exports(&DrawParts::of(&desc, &targets, &state), chip)?);
        Ok(Self(Object::new(chip, desc, registers)))
    }
}

impl Targets {
    /// Checks targets for a chip. What concerns pipelines is checked when a draw uses both.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(chip: Chip, desc: TargetsDesc) -> Result<Self, DrawError> {
        Self::checked(chip, desc, false)
    }

    /// Targets that draws of a secondary command buffer find as their caller has left them: they write no register of the images. Addresses, extent and layers may be
    /// unknown when it is recorded; formats, samples, compression, the layout of the depth target and which targets there are, are those of the caller, and the extent is not
    /// smaller than the caller's. The caller draws to its targets, or [writes](crate::draw::Recorder::write_targets) them, before it calls.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{Pipeline, PipelineDesc, Recorder, Surface, TargetImage, Targets, TargetsDesc, Vertices};
    ///
    /// let chip = Chip::Navi31;
    /// let pipeline = Pipeline::new(chip, PipelineDesc::default())?;
    /// let mut secondary = Recorder::secondary(chip);
    /// secondary.bind_targets(&Targets::inherited(chip, TargetsDesc { extent: (1920, 1080), ..TargetsDesc::default() })?)?;
    /// secondary.bind_pipeline(&pipeline)?;
    /// secondary.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// let callee = secondary.finish()?;
    ///
    /// let image = TargetImage { surface: Surface { address: 0x100_0000, ..Surface::default() }, ..TargetImage::default() };
    /// let mut primary = Recorder::new(chip);
    /// primary.begin()?;
    /// primary.bind_targets(&Targets::new(chip, TargetsDesc { color: vec![image], extent: (1920, 1080), ..TargetsDesc::default() })?)?;
    /// primary.bind_pipeline(&pipeline)?;
    /// primary.write_targets()?;
    /// primary.call(0x10_0000, callee.len() as u32)?; // where the callee is
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn inherited(chip: Chip, desc: TargetsDesc) -> Result<Self, DrawError> {
        Self::checked(chip, desc, true)
    }

    fn checked(chip: Chip, desc: TargetsDesc, inherited: bool) -> Result<Self, DrawError> {
        let most = desc.color.iter().filter_map(|color| color.samples).chain(desc.depth.map(|depth| depth.samples)).max();
        // A target that takes the samples of the pipeline has several where it has FMASK.
        let several = |color: &TargetImage| color.samples.is_none() && color.compression.is_some_and(|metadata| metadata.fmask.is_some());
        let least = if desc.color.iter().any(several) { 2 } else { 1 };
        let pipeline = PipelineDesc { samples: most.map_or(least, |most| most.max(least)), ..PipelineDesc::default() };
        let registers = resolve::registers_of_images(&Inputs::check(&DrawParts::of(&pipeline, &desc, &DynamicState::default()), chip)?);
        Ok(Self(Object::new(chip, desc, TargetRegisters { registers, samples: pipeline.samples, inherited })))
    }

    /// The registers of the images under a pipeline of so many samples, where they are finished.
    fn registers(&self, samples: u32) -> Option<&RegisterImage> {
        let own = |color: &TargetImage| color.samples.is_some();
        (samples == self.0.made.samples || self.0.desc.color.iter().all(own)).then_some(&self.0.made.registers)
    }
}

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

    /// The registers of the pipeline alone stay as they are.
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

/// A pipeline and targets together: the registers that do not follow from dynamic state alone, made by the functions of [`resolve`](crate::draw::resolve).
#[derive(Debug)]
pub(crate) struct Joined {
    /// No other one has it; not 0.
    pub number: usize,
    /// The numbers of pipeline and targets, and what of the dynamic state joins them.
    pub key: (usize, usize, Joining),
    pub image: RegisterImage,
    pub facts: DrawFacts,
    pub sgprs: DrawSgprs,
    pub rings: Rings,
    /// A workaround needs packets after each draw.
    pub after_draws: bool,
    /// DB_DFSM_CONTROL stays as reset left it.
    pub leaves_drain: bool,
    /// Of pixel shaders, of vertex work, and of the merged program of tessellation.
    pub free: [FreeSgprs; 3],
    pub gfx: Gfx,
    /// Parts of dynamic state that registers show, as bits of [`parts`].
    pub shown: u8,
    extent: (u32, u32),
    class: Class,
    line_width: f32,
    depth_clamp: bool,
    blends: bool,
    stencil: Option<(StencilFace, StencilFace)>,
    depth_bias: Option<(DepthBias, Option<DepthFormat>)>,
    depth_bounds: Option<(f32, f32)>,
}

/// Parts of dynamic state, as bits of a byte: it is read and written as one, for a byte that is read back as part of a wider number takes long.
pub(crate) mod parts {
    /// Viewports, with the guard band.
    pub const VIEWPORTS: u8 = 1;
    pub const SCISSORS: u8 = 1 << 1;
    pub const BLEND_CONSTANTS: u8 = 1 << 2;
    pub const STENCIL: u8 = 1 << 3;
    pub const DEPTH_BIAS: u8 = 1 << 4;
    pub const DEPTH_BOUNDS: u8 = 1 << 5;
    pub const USER_DATA: u8 = 1 << 6;
    /// Another pipeline, other targets, or what joins them.
    pub const JOINED: u8 = 1 << 7;
    pub const ALL: u8 = u8::MAX;
}

/// The registers that describe the images of targets, as a draw with this pipeline writes them.
pub(crate) fn image_of_targets(pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<RegisterImage, DrawError> {
    let parts = DrawParts::of(&pipeline.0.desc, &targets.0.desc, state);
    let inputs = Inputs::check(&parts, pipeline.0.chip)?;
    Ok(resolve::registers_of_objects::<NoReasons>(&inputs).into_image().registers_also_in(&resolve::registers_of_images(&inputs)))
}

impl Joined {
    pub fn new(pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Self, DrawError> {
        let chip = pipeline.0.chip;
        let own = &pipeline.0.desc;
        // User data may change from draw to draw: the image has that of the pipeline alone.
        let parts = DrawParts::of(own, &targets.0.desc, state);
        let inputs = Inputs::check(&parts, chip)?;
        let joining = Joining::of(state);
        let of_pipeline = Some(&pipeline.0.made).filter(|_| joining.leaves_pipeline());
        let image = resolve::join_registers(&inputs, of_pipeline, targets.registers(own.samples));
        let gfx = inputs.gfx;
        let (facts, dynamic) = (DrawFacts::of(&inputs, &image), DynamicInputs::of(&inputs));
        let image = if targets.0.made.inherited { image.registers_missing_in(&resolve::registers_of_images(&inputs)) } else { image };
        let absent = [
            (dynamic.blend_constants.is_none(), parts::BLEND_CONSTANTS),
            (own.depth_test.stencil.is_none(), parts::STENCIL),
            (own.raster.depth_bias.is_none(), parts::DEPTH_BIAS),
            (own.depth_test.bounds.is_none(), parts::DEPTH_BOUNDS),
        ];
        Ok(Self {
            number: number(),
            key: (pipeline.0.number, targets.0.number, joining),
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

    /// What viewports and scissors are made of.
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
        let faces = |(front, back)| state.stencil.map_or((front, back), |(f, b)| (f.put(front), b.put(back)));
        self.stencil.map(faces).unwrap_or_default()
    }

    #[inline]
    pub fn depth_bias(&self, state: &DynamicState) -> Option<(DepthBias, Option<DepthFormat>)> {
        self.depth_bias.map(|(bias, format)| (state.depth_bias.unwrap_or(bias), format))
    }

    #[inline]
    pub fn depth_bounds(&self, state: &DynamicState) -> Option<(f32, f32)> {
        self.depth_bounds.map(|bounds| state.depth_bounds.unwrap_or(bounds))
    }

    /// User SGPRs that programs have in what user data leaves free, and that were given values: one bit each.
    #[inline]
    pub fn user_words(&self, state: &DynamicState) -> [u32; 3] {
        core::array::from_fn(|at| self.free[at].free & state.user_data.stages[at].given)
    }

    /// Parts of dynamic state whose registers may be others than under another joined state.
    #[inline]
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
