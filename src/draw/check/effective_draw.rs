//! A draw as the register functions see it: the contents of pipeline, targets and dynamic state combined.

use crate::draw::desc::dynamic::UserWords;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{
    Binning, Blend, Board, DepthTarget, DepthTest, Drain, DrawDesc, DynamicState, ExpertOptions, GeometryStage, Interlock, LogicOp, MeshStage, Occlusion,
    PipelineDesc, PixelExports, PixelShader, PolygonMode, Program, Raster, RasterizationOrder, RateCombiner, RateImage, Rect, SampleLocations, ScratchRing,
    ShadingRate, TargetBlend, TargetImage, TargetPass, TargetsDesc, Tessellation, Topology, UserData, VertexStage, Viewport,
};
use alloc::borrow::Cow;
use core::ops::Deref;

/// The largest number of colour targets.
pub(crate) const MOST_TARGETS: usize = 8;

/// One colour target: its image, and how the pipeline writes to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColorTarget<'a> {
    image: &'a TargetImage,
    pub blend: Option<Blend>,
    pub write_mask: u8,
}

impl Deref for ColorTarget<'_> {
    type Target = TargetImage;

    fn deref(&self) -> &TargetImage {
        self.image
    }
}

/// The first eight colour targets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColorTargets<'a> {
    images: &'a [TargetImage],
    blends: &'a [TargetBlend],
    /// The number of targets in the description; more than eight are refused.
    pub described: usize,
}

impl<'a> ColorTargets<'a> {
    fn of(pipeline: &'a PipelineDesc, targets: &'a TargetsDesc) -> Self {
        let images = targets.color.get(..MOST_TARGETS).unwrap_or(&targets.color);
        Self { images, blends: &pipeline.blends, described: targets.color.len() }
    }

    /// Returns only the images.
    pub fn images(&self) -> &'a [TargetImage] {
        self.images
    }

    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Returns the number of blends in the description, including those without a target.
    pub fn blends(&self) -> usize {
        self.blends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<ColorTarget<'a>> {
        let TargetBlend { blend, write_mask } = self.blends.get(at).copied().unwrap_or(TargetBlend::NONE);
        self.images.get(at).map(|image| ColorTarget { image, blend, write_mask })
    }

    pub fn first(&self) -> Option<ColorTarget<'a>> {
        self.get(0)
    }

    pub fn iter(self) -> impl Iterator<Item = ColorTarget<'a>> {
        (0..self.images.len()).filter_map(move |at| self.get(at))
    }
}

/// The parts of a draw combined. If both pipeline and dynamic state contain a value, the dynamic value applies if it is set.
#[derive(Debug, Clone)]
pub(crate) struct EffectiveDraw<'a> {
    pub shader: Option<Cow<'a, PixelShader>>,
    pub vertex: Cow<'a, VertexStage>,
    pub tessellation: Option<Cow<'a, Tessellation>>,
    pub geometry: Option<&'a GeometryStage>,
    pub mesh: Option<MeshStage>,
    pub scratch: Option<ScratchRing>,
    pub board: Option<Board>,
    pub interlock: Interlock,
    pub samples: u32,
    pub color: ColorTargets<'a>,
    pub depth: Option<DepthTarget>,
    pub order: RasterizationOrder,
    pub rate: ShadingRate,
    pub rate_combiner: RateCombiner,
    pub rate_image_combiner: RateCombiner,
    pub rate_image: Option<RateImage>,
    pub rate_override: Option<ShadingRate>,
    pub drain: Drain,
    pub extent: (u32, u32),
    pub viewports: &'a [Viewport],
    pub scissors: &'a [Rect],
    pub raster: Raster,
    pub binning: Option<Binning>,
    pub depth_test: DepthTest,
    pub alpha_to_coverage: bool,
    pub alpha_to_one: bool,
    pub sample_mask: u16,
    pub sample_locations: Option<SampleLocations>,
    pub blend_constants: [f32; 4],
    pub logic_op: Option<LogicOp>,
    pub occlusion: Occlusion,
    pub pass: Option<TargetPass>,
    pub expert: ExpertOptions,
    pub topology: Topology,
    pub primitive_restart: bool,
}

/// Returns the program with the words stored in its free user SGPRs; None if it uses none of them.
fn with_words(program: &Program, words: &UserWords) -> Option<Program> {
    let given = |bit: usize, data: &UserData| *data == UserData::Keep && bit < words.values.len() && words.given >> bit & 1 == 1;
    if words.given == 0 || !program.user_data.iter().enumerate().any(|(bit, data)| given(bit, data)) {
        return None;
    }
    let mut program = program.clone();
    for (bit, (data, value)) in program.user_data.iter_mut().zip(words.values).enumerate() {
        if given(bit, data) {
            *data = UserData::Word(value);
        }
    }
    Some(program)
}

/// Returns the tessellation state, with the number of control points from the dynamic state if it is set.
fn with_points(patches: &Tessellation, points: Option<u32>) -> Cow<'_, Tessellation> {
    match points.filter(|points| *points != patches.input_points) {
        Some(input_points) => Cow::Owned(Tessellation { input_points, ..patches.clone() }),
        None => Cow::Borrowed(patches),
    }
}

impl<'a> EffectiveDraw<'a> {
    /// Returns a draw with user data in the user SGPRs that the programs leave free.
    pub fn with_user_data(pipeline: &'a PipelineDesc, targets: &'a TargetsDesc, state: &'a DynamicState) -> Self {
        let mut parts = Self::of(pipeline, targets, state);
        let [pixel, vertex, hull] = &state.user_data.stages;
        if let Some((shader, program)) = pipeline.shader.as_ref().and_then(|shader| Some((shader, with_words(&shader.program, pixel)?))) {
            parts.shader = Some(Cow::Owned(PixelShader { program, ..shader.clone() }));
        }
        if let Some(program) = with_words(&pipeline.vertex.program, vertex) {
            parts.vertex = Cow::Owned(VertexStage { program, ..pipeline.vertex.clone() });
        }
        if let Some((patches, program)) = parts.tessellation.as_deref().and_then(|patches| Some((patches, with_words(&patches.program, hull)?))) {
            parts.tessellation = Some(Cow::Owned(Tessellation { program, ..patches.clone() }));
        }
        parts
    }

    /// Returns a draw whose programs have only the user data of the pipeline.
    pub fn of(pipeline: &'a PipelineDesc, targets: &'a TargetsDesc, state: &'a DynamicState) -> Self {
        let PipelineDesc { raster, depth_test, .. } = *pipeline;
        Self {
            shader: pipeline.shader.as_ref().map(Cow::Borrowed),
            vertex: Cow::Borrowed(&pipeline.vertex),
            tessellation: pipeline.tessellation.as_ref().map(|patches| with_points(patches, state.patch_points)),
            geometry: pipeline.geometry.as_ref(),
            mesh: pipeline.mesh,
            scratch: pipeline.scratch,
            board: pipeline.board,
            interlock: pipeline.interlock,
            samples: pipeline.samples,
            color: ColorTargets::of(pipeline, targets),
            depth: targets.depth,
            order: pipeline.order,
            rate: state.rate.unwrap_or(pipeline.rate),
            rate_combiner: pipeline.rate_combiner,
            rate_image_combiner: pipeline.rate_image_combiner,
            rate_image: targets.rate_image,
            rate_override: pipeline.rate_override,
            drain: pipeline.drain,
            extent: targets.extent,
            viewports: &state.viewports,
            scissors: &state.scissors,
            raster: Raster { depth_bias: state.depth_bias_of(raster.depth_bias), line_width: state.line_width.unwrap_or(raster.line_width), ..raster },
            binning: pipeline.binning,
            depth_test: DepthTest { bounds: state.depth_bounds_of(depth_test.bounds), stencil: state.stencil_of(depth_test.stencil), ..depth_test },
            alpha_to_coverage: pipeline.alpha_to_coverage,
            alpha_to_one: pipeline.alpha_to_one,
            sample_mask: pipeline.sample_mask,
            sample_locations: state.sample_locations.or(pipeline.sample_locations),
            blend_constants: state.blend_constants,
            logic_op: pipeline.logic_op,
            occlusion: state.occlusion,
            pass: pipeline.pass,
            expert: pipeline.expert,
            topology: pipeline.topology,
            primitive_restart: state.primitive_restart.unwrap_or(pipeline.primitive_restart),
        }
    }

    /// Returns whether the shader runs an ordered section.
    pub fn uses_pops(&self) -> bool {
        self.interlock.is_declared() && self.shader.as_ref().is_some_and(|s| !s.ordered_section_removed)
    }

    /// Returns the export formats that the shader states.
    pub fn stated_exports(&self) -> Option<&PixelExports> {
        self.shader.as_ref()?.exports.as_ref()
    }

    /// Returns whether any channel of a target is written.
    pub fn writes_color(&self) -> bool {
        self.shader.is_some() && self.color.iter().any(|t| t.write_mask != 0)
    }

    /// Returns whether the blend of target 0 reads the shader's second colour, which is then exported in place of target 1.
    pub fn dual_source(&self) -> bool {
        self.color.first().and_then(|target| self.blend(&target)).is_some_and(|blend| blend.is_dual_source())
    }

    /// Returns whether alpha becomes coverage but no exported colour contains it: target 0 then takes an export of alpha although nothing is written there. No
    /// recorded command buffer contains such a draw (unverified); without the export there is no alpha.
    pub fn exports_coverage_alone(&self) -> bool {
        self.alpha_to_coverage && self.shader.is_some() && self.color.first().is_none_or(|target| target.write_mask == 0)
    }

    /// Returns the effective blending of a target: None without a shader, without channels, or with a logic operation.
    pub fn blend(&self, target: &ColorTarget<'_>) -> Option<Blend> {
        let acts = self.shader.is_some() && self.logic_op.is_none() && target.write_mask != 0;
        target.blend.filter(|_| acts).map(Blend::acting)
    }

    pub fn blends(&self) -> bool {
        self.color.iter().any(|target| self.blend(&target).is_some())
    }

    /// Returns the rasterized class, before polygon mode draws polygons as lines or points.
    pub fn rasterized(&self) -> Class {
        match (&self.mesh, self.geometry, &self.tessellation) {
            (Some(mesh), ..) => mesh.output.class(),
            (None, Some(shader), _) => shader.output.class(),
            (None, None, Some(patches)) => patches.class(),
            (None, None, None) => self.topology.class(),
        }
    }

    /// Returns the drawn class, after polygon mode.
    pub fn drawn(&self) -> Class {
        match (self.rasterized(), self.raster.polygon) {
            (Class::Polygons, PolygonMode::Line) => Class::Lines,
            (Class::Polygons, PolygonMode::Point) => Class::Points,
            (class, _) => class,
        }
    }
}

impl DrawDesc {
    /// Combines the parts, with their user data.
    pub(crate) fn effective(&self) -> EffectiveDraw<'_> {
        EffectiveDraw::with_user_data(&self.pipeline, &self.targets, &self.state)
    }
}

impl DrawDesc {
    /// Returns whether the shader runs an ordered section on this chip, which affects registers, SGPRs and exports.
    pub fn uses_pops(&self) -> bool {
        self.effective().uses_pops()
    }
}
