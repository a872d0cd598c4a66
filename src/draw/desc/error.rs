//! Why a draw cannot be resolved.

use crate::chip::{Chip, Erratum};
use crate::gpu::Board;
use crate::layout::SwizzleMode;
use crate::plurals::counted;
use alloc::format;
use alloc::string::{String, ToString};

/// An input that the chip does not support, with its value and the limit.
///
/// ```
/// use pm4::{chip::Chip, draw::{DrawDesc, PipelineDesc}};
/// let error = DrawDesc::from(PipelineDesc { samples: 3, ..PipelineDesc::default() }).resolve(Chip::Navi31).unwrap_err();
/// println!("{error}"); // names the chip and its limit
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A sample position that registers cannot hold.
    #[error("the position ({x}, {y}) of sample {sample}: allowed are -8 to 7, in 1/16 pixel from the centre of the pixel")]
    SampleLocation {
        /// The sample.
        sample: usize,
        /// Distance to the right of the centre.
        x: i8,
        /// Distance below the centre.
        y: i8,
    },
    /// A pipeline and targets that were made for different chips.
    #[error("a pipeline for {pipeline} cannot draw to targets for {targets}: make both for one chip")]
    OtherChips {
        /// The chip of the pipeline.
        pipeline: Chip,
        /// The chip of the targets.
        targets: Chip,
    },
    /// A sample count that is not a power of two or exceeds the limit.
    #[error("{what}: {samples} samples; {chip} accepts powers of two up to {most}")]
    Samples {
        /// The coverage, the depth target or a colour target.
        what: &'static str,
        /// The requested value.
        samples: u32,
        /// The largest allowed number.
        most: u32,
        /// The chip.
        chip: Chip,
    },
    /// From GFX11 on, the depth target of a draw with an ordered section, if it has one, needs as many samples as the draw has coverage samples.
    #[error("a depth target of {} with {}: {chip} needs both equal for an ordered section: {why}", counted(*depth, "sample"), counted(*coverage, "coverage sample"))]
    DepthSamples {
        /// Samples of the depth target.
        depth: u32,
        /// Coverage samples.
        coverage: u32,
        /// The chip.
        chip: Chip,
        /// The reason.
        why: &'static str,
    },
    /// A board in the description that differs from the machine's.
    #[error("the description is for a board of {}, the machine has {}: leave the board of the description out", units(own), units(gpu))]
    OtherBoard {
        /// The board of the description.
        own: Board,
        /// The board of the machine.
        gpu: Board,
    },
    /// Too many colour targets.
    #[error("{count} colour targets; at most 8 are possible")]
    TooManyTargets {
        /// The requested value.
        count: usize,
    },
    /// A write mask with bits that no channel has.
    #[error("colour target {target}: write mask {mask:#x}; a mask has 4 bits")]
    WriteMask {
        /// Index of the target.
        target: usize,
        /// The requested value.
        mask: u8,
    },
    /// An export format of the shader that cannot hold what its target needs.
    #[error("colour target {target} ({format}): the shader exports {export}, which does not carry {lost}")]
    Export {
        /// Index of the target.
        target: usize,
        /// Its format.
        format: crate::draw::desc::formats::ColorFormat,
        /// What the shader exports.
        export: crate::draw::desc::exports::ExportFormat,
        /// What is lost.
        lost: &'static str,
    },
    /// An export format of depth, stencil and sample mask that cannot hold what the shader writes.
    #[error("the shader exports depth, stencil and sample mask as {export}, which does not carry {lost}")]
    DepthExport {
        /// What the shader exports.
        export: crate::draw::desc::exports::ExportFormat,
        /// What is lost.
        lost: &'static str,
    },
    /// Alpha to coverage without an exported alpha.
    #[error("alpha becomes coverage, but the export {place} is {export}, which carries no alpha")]
    CoverageExport {
        /// What the shader exports.
        export: crate::draw::desc::exports::ExportFormat,
        /// The export from which the chip takes alpha.
        place: &'static str,
    },
    /// Blending on an integer target.
    #[error("colour target {target}: the integer format {format} cannot blend")]
    IntegerBlend {
        /// Index of the target.
        target: usize,
        /// Its format.
        format: crate::draw::desc::formats::ColorFormat,
    },
    /// An option of other generations.
    #[error("{chip} does not have {option}: {limit}")]
    OptionAbsent {
        /// The option.
        option: &'static str,
        /// The chip.
        chip: Chip,
        /// Where it exists.
        limit: &'static str,
    },
    /// Drain that is off although an erratum needs it.
    #[error("drain is off, but {chip} needs it for this draw: {}", erratum.doc())]
    DrainRequired {
        /// The chip.
        chip: Chip,
        /// The erratum.
        erratum: Erratum,
    },
    /// An interlock without a pixel shader.
    #[error("an interlock mode is set, but there is no pixel shader to declare it: set `PipelineDesc::shader`, or use `Interlock::None`")]
    InterlockWithoutShader,
    /// An ordered section without export space.
    #[error("the ordered section needs export space, but nothing is exported and the null export is switched off: {effect}")]
    NoExportSpace {
        /// The effect on hardware.
        effect: &'static str,
    },
    /// Intrawave collision without an ordered section.
    #[error("the intrawave collision word is asked for, but the draw runs no ordered section: set `ExpertOptions::intrawave_collision` to false")]
    IntrawaveWithoutPops,
    /// A program that exceeds a limit of its stage.
    #[error("the {stage} program: {what}: {} is not allowed; {chip} accepts {limit}", number(what, *value))]
    ProgramLimit {
        /// The stage.
        stage: crate::draw::desc::program::Stage,
        /// The resource that is too large.
        what: &'static str,
        /// The requested value.
        value: u64,
        /// The limit in words.
        limit: &'static str,
        /// The chip.
        chip: Chip,
    },
    /// Stages that contradict each other or lack something.
    #[error("{what}: {why}")]
    Stages {
        /// The stage or input.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Scratch without memory for it.
    #[error("a program uses {bytes} bytes of scratch memory per wave, but no scratch memory is given: set `scratch`")]
    NoScratch {
        /// Scratch bytes that the program needs.
        bytes: u32,
    },
    /// Inputs of the pixel shader that cannot be loaded together.
    #[error("pixel shader inputs {bits:#06x}: {why}")]
    PixelInputs {
        /// The inputs in question, as bits of SPI_PS_INPUT_ENA.
        bits: u16,
        /// What is wrong.
        why: &'static str,
    },
    /// An interpolant whose parameter no stage exports.
    #[error("interpolant {interpolant} reads parameter {slot} (counted from 0), but the vertex stage exports only {parameters}")]
    MissingParameter {
        /// Number of the interpolant.
        interpolant: u32,
        /// The parameter that it reads.
        slot: u8,
        /// Number of exported parameters.
        parameters: u32,
    },
    /// A swizzle mode that a target cannot have.
    #[error("{what} of the swizzle mode {}: {why} ({chip})", mode_name(*mode, *chip))]
    Swizzle {
        /// The target.
        what: &'static str,
        /// The number of the mode.
        mode: u32,
        /// The chip.
        chip: Chip,
        /// The reason.
        why: &'static str,
    },
    /// A count, size, address or other integer out of range.
    #[error("{what}: {} is not allowed; allowed: {limit}", number(what, *value))]
    Limit {
        /// The input.
        what: &'static str,
        /// The requested value.
        value: u64,
        /// The limit in words.
        limit: &'static str,
    },
    /// A number that is NaN, infinite or out of range.
    #[error("{what}: {} is not allowed; allowed: {limit}", f32::from_bits(*bits))]
    Float {
        /// The input.
        what: &'static str,
        /// The requested value, as the bits of an `f32`.
        bits: u32,
        /// The limit in words.
        limit: &'static str,
    },
}

/// Returns a number as printed in messages: addresses and numbers of more than 32 bits in hexadecimal.
fn number(what: &str, value: u64) -> String {
    if what.contains("address") || value > u64::from(u32::MAX) { format!("{value:#x}") } else { value.to_string() }
}

/// Returns the number of a swizzle mode, with its name if the chip has the mode.
fn mode_name(mode: u32, chip: Chip) -> String {
    SwizzleMode::from_number(chip.gfx(), mode).map_or_else(|| mode.to_string(), |known| format!("{mode} ({known})"))
}

/// Returns a board as text.
pub(crate) fn units(board: &Board) -> String {
    let Board { shader_engines, arrays_per_engine, cus_per_array } = board;
    format!(
        "{}, {} each and {} in each of them",
        counted(*shader_engines as usize, "shader engine"),
        counted(*arrays_per_engine as usize, "array"),
        counted(*cus_per_array as usize, "CU")
    )
}
