//! From a description to a register image: the one place where generation and chip decide.

use crate::chip::Chip;
use crate::draw::check::TargetPass;
use crate::draw::check::inputs::Inputs;
use crate::draw::decide::dynamic::{self, DynamicInputs};
use crate::draw::decide::preamble::Rings;
use crate::draw::decide::{blend, color, depth, msaa, pops, raster, rate_image, rb_plus, samples, shader, stage, surface, viewport, vrs};
use crate::draw::desc::{DrawDesc, DrawError, DrawSgprs};
use crate::draw::errata::{self, DrawFacts};
use crate::draw::image::RegisterImage;
use crate::draw::sheet::{KeepReasons, NoReasons, Reasons, Sheet, Why};

/// A draw resolved for a chip.
///
/// ```
/// use pm4::{chip::Chip, draw::DrawDesc};
/// let resolved = DrawDesc::default().resolve(Chip::Navi31)?;
/// assert_eq!(resolved.chip, Chip::Navi31);
/// println!("{} registers", resolved.image.registers().count());
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The chip.
    pub chip: Chip,
    /// Every register that the draw decides. What says that something is on or bound is always there; what describes a thing is there when the thing is
    /// (targets, viewports, depth bias and bounds, the program), so that no draw leaks state into the next. DB_DFSM_CONTROL is left out under
    /// [`Drain::ResetDefault`](crate::draw::Drain::ResetDefault).
    pub image: RegisterImage,
    /// Vertices.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    sgprs: DrawSgprs,
    pub(crate) rings: Rings,
    /// The pass over targets that the draw is.
    pub(crate) pass: Option<TargetPass>,
    /// What the image says of packets around the draw, as it was resolved: an image that is put in the place of another one does not change it.
    pub(crate) pipeline: DrawFacts,
}

impl Resolved {
    /// The user SGPRs that draw calls write.
    pub fn draw_sgprs(&self) -> DrawSgprs {
        self.sgprs
    }
}

/// Resolves a draw for a chip. Pure: the same description gives the same image.
///
/// # Errors
/// A [`DrawError`] names the input that the chip does not support, and the limit.
///
/// ```
/// use pm4::chip::{Chip, Gfx};
/// use pm4::draw::{DepthFormat, DepthTarget, DrawDesc, Interlock, PipelineDesc, TargetsDesc};
/// use pm4::regs::gfx9::DbDfsmControl;
///
/// let depth = Some(DepthTarget::new(DepthFormat::D32, 8));
/// let draw = DrawDesc {
///     pipeline: PipelineDesc { interlock: Interlock::PixelOrdered, ..PipelineDesc::default() },
///     targets: TargetsDesc { depth, ..TargetsDesc::default() },
///     ..DrawDesc::default()
/// };
/// let on_vega10 = draw.resolve(Chip::Vega10)?.image;
/// assert!(on_vega10.typed::<DbDfsmControl>(Gfx::Gfx9).unwrap().pops_drain_ps_on_overlap());
/// println!("{}", draw.explain(Chip::Vega10)?.why("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP").unwrap().rule);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
pub fn resolve(desc: &DrawDesc, chip: Chip) -> Result<Resolved, DrawError> {
    let parts = desc.parts();
    let inputs = Inputs::check_counted(&parts, desc.instances, chip)?;
    let image = registers::<NoReasons>(&inputs).into_image();
    let sgprs = DrawSgprs::of(inputs.gfx, &parts, inputs.path);
    let pipeline = DrawFacts::of(&inputs, &image);
    let rings = Rings::needed(inputs.gfx, &parts, inputs.path);
    Ok(Resolved { chip, image, vertices: desc.vertices, instances: desc.instances, sgprs, rings, pass: parts.pass, pipeline })
}

/// Why each field of a draw's registers has its value: [`resolve`] over again, with the reasons kept.
///
/// # Errors
/// Those of [`resolve`].
pub fn explain(desc: &DrawDesc, chip: Chip) -> Result<Reasons, DrawError> {
    Ok(registers::<KeepReasons>(&Inputs::check_counted(&desc.parts(), desc.instances, chip)?).into_reasons())
}

/// All registers of a draw.
fn registers<S: Why>(inputs: &Inputs<'_>) -> Sheet<S> {
    let mut sheet = registers_of_objects(inputs);
    dynamic::add(&DynamicInputs::of(inputs), &mut sheet);
    sheet
}

/// The registers that follow from pipeline and targets. Workarounds change none of the others.
pub(crate) fn registers_of_objects<S: Why>(inputs: &Inputs<'_>) -> Sheet<S> {
    let mut sheet = groups(inputs);
    errata::patch(inputs, &mut sheet);
    sheet
}

/// The same registers, from those that the pipeline and the targets have alone, where these are finished already.
pub(crate) fn join_registers(inputs: &Inputs<'_>, of_pipeline: Option<&RegisterImage>, of_images: Option<&RegisterImage>) -> RegisterImage {
    let mut image = RegisterImage::new(inputs.gfx);
    [of_pipeline, of_images].into_iter().flatten().for_each(|finished| image.add_all(finished));
    let mut sheet = Sheet::<NoReasons>::from(image);
    if of_pipeline.is_none() {
        programs(inputs, &mut sheet);
    }
    if of_images.is_none() {
        images(inputs, &mut sheet);
    }
    both(inputs, &mut sheet);
    errata::patch(inputs, &mut sheet);
    sheet.into_image()
}

/// Those of the pipeline alone, before any workaround: its programs and samples. Of dynamic state, control points, primitive restart and sample positions change
/// them.
pub(crate) fn registers_of_pipeline(inputs: &Inputs<'_>) -> RegisterImage {
    let mut sheet = Sheet::<NoReasons>::new(inputs.gfx);
    programs(inputs, &mut sheet);
    sheet.into_image()
}

/// Those that describe the images of targets, before any workaround. A pipeline changes them by its samples alone, where a colour target has none of its own.
pub(crate) fn registers_of_images(inputs: &Inputs<'_>) -> RegisterImage {
    let mut sheet = Sheet::<NoReasons>::new(inputs.gfx);
    images(inputs, &mut sheet);
    sheet.into_image()
}

/// All these registers before any workaround. No two groups have a register in common.
pub(crate) fn groups<S: Why>(inputs: &Inputs<'_>) -> Sheet<S> {
    let mut sheet = Sheet::new(inputs.gfx);
    programs(inputs, &mut sheet);
    images(inputs, &mut sheet);
    both(inputs, &mut sheet);
    sheet
}

/// The programs, and the positions of samples.
fn programs<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    shader::add(inputs, sheet);
    stage::add(inputs, sheet);
    samples::add(inputs, sheet);
}

/// The images of targets: addresses, sizes, layers and metadata of colour and depth targets and of a shading-rate image, and the window.
fn images<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    surface::add(inputs, sheet);
    depth::add_image(inputs, sheet);
    viewport::add(inputs, sheet);
    rate_image::add(inputs, sheet);
}

/// What depends on both pipeline and targets.
fn both<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    pops::add(inputs, sheet);
    msaa::add(inputs, sheet);
    depth::add(inputs, sheet);
    color::add(inputs, sheet);
    blend::add(inputs, sheet);
    rb_plus::add(inputs, sheet);
    raster::add(inputs, sheet);
    vrs::add(inputs, sheet);
}
