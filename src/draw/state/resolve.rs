//! Resolves descriptions to register images: the only place that depends on generation and chip.

use crate::chip::Chip;
use crate::draw::check::DrawSgprs;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::rings::Rings;
use crate::draw::decide::dynamic;
use crate::draw::decide::groups;
use crate::draw::decide::view_inputs::DynamicInputs;
use crate::draw::desc::board;
use crate::draw::desc::{CallError, DrawCall, DrawDesc, DrawError, Instances, TargetPass, Vertices};
use crate::draw::errata::{self, DrawFacts};
use crate::draw::image::RegisterImage;
use crate::draw::reasons::Reasons;
use crate::draw::sheet::{KeepReasons, NoReasons, Sheet, Why};
use crate::gpu::{Board, Gpu};

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
    /// The board for which the draw was resolved, if known.
    pub board: Option<Board>,
    /// Every register that the draw decides. Registers that state whether something is on or bound are always present; registers that describe a thing are
    /// present if the thing is (targets, viewports, depth bias and bounds, the program). Therefore no draw leaks state into the next. DB_DFSM_CONTROL is left
    /// out under [`Drain::ResetDefault`](crate::draw::Drain::ResetDefault).
    pub image: RegisterImage,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of instances.
    pub instances: u32,
    sgprs: DrawSgprs,
    pub(crate) rings: Rings,
    /// The pass over targets that the draw is.
    pub(crate) pass: Option<TargetPass>,
    /// The properties of the image that affect packets around the draw, as resolved: replacing the image does not change them.
    pub(crate) pipeline: DrawFacts,
}

impl Resolved {
    /// Returns the user SGPRs that draw calls write.
    pub fn draw_sgprs(&self) -> DrawSgprs {
        self.sgprs
    }
}

/// Resolves a draw for a machine, or for the recorded facts of a chip. The same description always gives the same image.
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
pub fn resolve(desc: &DrawDesc, gpu: impl Into<Gpu>) -> Result<Resolved, DrawError> {
    resolve_for(desc, &gpu.into())
}

/// Returns the parts of a draw on a machine.
fn parts_on<'a>(desc: &'a DrawDesc, gpu: &Gpu) -> Result<EffectiveDraw<'a>, DrawError> {
    let mut parts = desc.effective();
    parts.board = board::of_description(parts.board, gpu)?;
    Ok(parts)
}

fn resolve_for(desc: &DrawDesc, gpu: &Gpu) -> Result<Resolved, DrawError> {
    let (chip, parts) = (gpu.chip, parts_on(desc, gpu)?);
    let inputs = DrawInputs::check_counted(&parts, desc.instances, chip)?;
    let image = registers::<NoReasons>(&inputs).into_image();
    let sgprs = DrawSgprs::of(inputs.gfx, &parts, inputs.path);
    let pipeline = DrawFacts::of(&inputs, &image);
    let rings = Rings::needed(inputs.gfx, &parts, inputs.path);
    Ok(Resolved { chip, board: inputs.board, image, vertices: desc.vertices, instances: desc.instances, sgprs, rings, pass: parts.pass, pipeline })
}

/// Returns the reason for the value of each field of a draw's registers: runs [`resolve`] again and keeps the reasons.
///
/// # Errors
/// The errors of [`resolve`].
pub fn explain(desc: &DrawDesc, gpu: impl Into<Gpu>) -> Result<Reasons, DrawError> {
    explain_for(desc, &gpu.into())
}

fn explain_for(desc: &DrawDesc, gpu: &Gpu) -> Result<Reasons, DrawError> {
    Ok(registers::<KeepReasons>(&DrawInputs::check_counted(&parts_on(desc, gpu)?, desc.instances, gpu.chip)?).into_reasons())
}

/// Returns all registers of a draw.
fn registers<S: Why>(inputs: &DrawInputs<'_>) -> Sheet<S> {
    let mut sheet = registers_of_objects(inputs);
    dynamic::add(&DynamicInputs::of(inputs), &mut sheet);
    sheet
}

/// Returns the registers that follow from pipeline and targets. Workarounds change none of the others.
pub(crate) fn registers_of_objects<S: Why>(inputs: &DrawInputs<'_>) -> Sheet<S> {
    let mut sheet = groups::all(inputs);
    errata::patch(inputs, &mut sheet);
    sheet
}

/// Returns the same registers, starting with those that depend only on the pipeline and only on the targets, if already resolved.
pub(crate) fn join_registers(inputs: &DrawInputs<'_>, of_pipeline: Option<&RegisterImage>, of_images: Option<&RegisterImage>) -> RegisterImage {
    let mut image = RegisterImage::new(inputs.gfx);
    [of_pipeline, of_images].into_iter().flatten().for_each(|finished| image.add_all(finished));
    let mut sheet = Sheet::<NoReasons>::from(image);
    if of_pipeline.is_none() {
        groups::programs(inputs, &mut sheet);
    }
    if of_images.is_none() {
        groups::images(inputs, &mut sheet);
    }
    groups::both(inputs, &mut sheet);
    errata::patch(inputs, &mut sheet);
    sheet.into_image()
}

/// Returns the registers that depend only on the pipeline, before any workaround: its programs and samples. Of dynamic state, control points, primitive restart
/// and sample positions change them.
pub(crate) fn registers_of_pipeline(inputs: &DrawInputs<'_>) -> RegisterImage {
    let mut sheet = Sheet::<NoReasons>::new(inputs.gfx);
    groups::programs(inputs, &mut sheet);
    sheet.into_image()
}

/// Returns the registers that describe the images of targets, before any workaround. Only the samples of a pipeline change them, if a colour target has no
/// sample count.
pub(crate) fn registers_of_images(inputs: &DrawInputs<'_>) -> RegisterImage {
    let mut sheet = Sheet::<NoReasons>::new(inputs.gfx);
    groups::images(inputs, &mut sheet);
    sheet.into_image()
}

impl DrawDesc {
    /// Resolves the draw for a machine, or for the recorded facts of a chip; same as [`resolve`](crate::draw::resolve).
    ///
    /// # Errors
    /// A [`DrawError`](crate::draw::DrawError) names the input that the chip does not support.
    pub fn resolve(&self, gpu: impl Into<Gpu>) -> Result<Resolved, DrawError> {
        resolve(self, gpu)
    }

    /// Returns the reason for the value of each field of the draw's registers; same as [`explain`](crate::draw::explain).
    ///
    /// # Errors
    /// The errors of [`resolve`](Self::resolve).
    pub fn explain(&self, gpu: impl Into<Gpu>) -> Result<Reasons, DrawError> {
        explain(self, gpu)
    }
}

impl DrawCall {
    /// Checks the call against a draw's program.
    ///
    /// # Errors
    /// [`CallError`] names the input and the limit.
    pub fn check(&self, draw: &Resolved) -> Result<(), CallError> {
        self.check_with(draw.chip.gfx(), &draw.draw_sgprs(), draw.pipeline.mesh)
    }
}

impl From<&Resolved> for DrawCall {
    /// Returns the draw that the description counts; one workgroup of a mesh shader.
    fn from(draw: &Resolved) -> Self {
        if draw.pipeline.mesh {
            return Self::Mesh { groups: [1; 3] };
        }
        Self::Auto { vertices: Vertices { first: 0, count: draw.vertices }, instances: Instances { first: 0, count: draw.instances } }
    }
}
