//! What a pixel shader exports: formats that its compiler states, checked against the targets.

use crate::draw::check::color_format::{exported, hardware};
use crate::draw::check::draw_parts::{ColorTarget, DrawParts};
use crate::draw::check::inputs::Inputs;
use crate::draw::desc::DrawError;
use crate::regs::layout::{SpiShaderExFormat, SurfaceNumber};
use strum::{Display, EnumIter, EnumString, FromRepr, IntoStaticStr};

/// The format of an export of the pixel shader. The numbers are those of SPI_SHADER_EX_FORMAT, and so are the names.
///
/// For an example see [`PixelExports`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, FromRepr, IntoStaticStr)]
#[strum(ascii_case_insensitive)]
#[repr(u8)]
pub enum ExportFormat {
    /// Nothing is exported.
    #[default]
    #[strum(serialize = "ZERO")]
    Zero = 0,
    /// Red in 32 bits.
    #[strum(serialize = "32_R")]
    R32 = 1,
    /// Red and green in 32 bits each.
    #[strum(serialize = "32_GR")]
    Gr32 = 2,
    /// Red and alpha in 32 bits each.
    #[strum(serialize = "32_AR")]
    Ar32 = 3,
    /// Four floats of 16 bits.
    #[strum(serialize = "FP16_ABGR")]
    Fp16 = 4,
    /// Four numbers from 0 to 1 in 16 bits.
    #[strum(serialize = "UNORM16_ABGR")]
    Unorm16 = 5,
    /// Four numbers from -1 to 1 in 16 bits.
    #[strum(serialize = "SNORM16_ABGR")]
    Snorm16 = 6,
    /// Four unsigned integers of 16 bits.
    #[strum(serialize = "UINT16_ABGR")]
    Uint16 = 7,
    /// Four signed integers of 16 bits.
    #[strum(serialize = "SINT16_ABGR")]
    Sint16 = 8,
    /// Four channels in 32 bits each.
    #[strum(serialize = "32_ABGR")]
    Abgr32 = 9,
}

impl ExportFormat {
    /// Channels that an export of the format carries, as bits: 0 red to 3 alpha.
    ///
    /// ```
    /// use pm4::draw::ExportFormat;
    /// assert_eq!((ExportFormat::Ar32.channels(), ExportFormat::Fp16.channels()), (0b1001, 0b1111));
    /// ```
    pub const fn channels(self) -> u8 {
        exported(self.register()) as u8
    }

    pub(crate) const fn register(self) -> SpiShaderExFormat {
        match self {
            Self::Zero => SpiShaderExFormat::SPI_SHADER_ZERO,
            Self::R32 => SpiShaderExFormat::SPI_SHADER_32_R,
            Self::Gr32 => SpiShaderExFormat::SPI_SHADER_32_GR,
            Self::Ar32 => SpiShaderExFormat::SPI_SHADER_32_AR,
            Self::Fp16 => SpiShaderExFormat::SPI_SHADER_FP16_ABGR,
            Self::Unorm16 => SpiShaderExFormat::SPI_SHADER_UNORM16_ABGR,
            Self::Snorm16 => SpiShaderExFormat::SPI_SHADER_SNORM16_ABGR,
            Self::Uint16 => SpiShaderExFormat::SPI_SHADER_UINT16_ABGR,
            Self::Sint16 => SpiShaderExFormat::SPI_SHADER_SINT16_ABGR,
            Self::Abgr32 => SpiShaderExFormat::SPI_SHADER_32_ABGR,
        }
    }

    /// 16 bits for each number.
    const fn is_half(self) -> bool {
        matches!(self, Self::Fp16 | Self::Unorm16 | Self::Snorm16 | Self::Uint16 | Self::Sint16)
    }

    fn carries_alpha(self) -> bool {
        self.channels() & ALPHA != 0
    }
}

const ALPHA: u8 = 1 << 3;

/// What a pixel shader exports, as its compiler states it. Without it ([`PixelShader::exports`](crate::draw::PixelShader::exports) is None) the formats follow
/// from the targets, and a compiler takes them from the registers that the draw resolves to.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ColorFormat, DrawDesc, ExportFormat, PipelineDesc, PixelExports, PixelShader, TargetImage, TargetsDesc};
///
/// // One program for targets of several formats: it exports floats of 16 bits.
/// let shader = PixelShader { exports: Some(PixelExports::colors(&[ExportFormat::Fp16])), ..PixelShader::default() };
/// let draw = |format| DrawDesc {
///     pipeline: PipelineDesc { shader: Some(shader.clone()), ..PipelineDesc::default() },
///     targets: TargetsDesc { color: vec![TargetImage { format, ..TargetImage::default() }], ..TargetsDesc::default() },
///     ..DrawDesc::default()
/// };
/// assert_eq!(draw(ColorFormat::R8).resolve(Chip::Navi10)?.image.get(0x2_8714), Some(4)); // SPI_SHADER_COL_FORMAT
/// let error = draw(ColorFormat::Rgba8ui).resolve(Chip::Navi10).unwrap_err();
/// assert_eq!(error.to_string(), "colour target 0 (rgba8ui): the shader exports FP16_ABGR, which does not carry integers");
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PixelExports {
    /// Export for each colour target; [`ExportFormat::Zero`] where there is none, and the target then keeps what it has. The program's colour exports go to these
    /// targets in their order. With blending that reads a second colour that one is the export for target 1.
    pub color: [ExportFormat; 8],
    /// Export of depth (red), stencil reference (green), sample mask (blue) and the alpha that becomes coverage (alpha).
    pub depth: ExportFormat,
    /// The program exports a colour that nothing takes, because it has no other export (a null export: 32_R in the register).
    pub null: bool,
}

impl PixelExports {
    /// Exports to the first colour targets, and nothing else.
    pub fn colors(formats: &[ExportFormat]) -> Self {
        let mut color = [ExportFormat::Zero; 8];
        color.iter_mut().zip(formats).for_each(|(to, from)| *to = *from);
        Self { color, ..Self::default() }
    }

    pub(crate) fn exports_anything(&self) -> bool {
        self.depth != ExportFormat::Zero || self.color.iter().any(|format| *format != ExportFormat::Zero)
    }

    /// The exports hold what the draw takes of them.
    pub(crate) fn check(&self, inputs: &Inputs<'_>) -> Result<(), DrawError> {
        self.check_depth(inputs)?;
        self.check_coverage(inputs)?;
        inputs.desc.color.iter().enumerate().try_for_each(|(target, color)| self.check_target(inputs, target, &color))
    }

    /// Depth, stencil and mask: channels by name. Depth in 16 bits is unverified and refused: no driver's formats have it (Mesa 25.0.7 ac_get_spi_shader_z_format).
    fn check_depth(&self, inputs: &Inputs<'_>) -> Result<(), DrawError> {
        let Some(shader) = inputs.shader() else { return Ok(()) };
        let written = [(shader.writes_depth, "depth"), (shader.writes_stencil, "the stencil reference"), (shader.writes_sample_mask, "the sample mask")];
        for (channel, (_, lost)) in written.into_iter().enumerate().filter(|(_, (written, _))| *written) {
            if self.depth.channels() >> channel & 1 == 0 {
                return Err(DrawError::DepthExport { export: self.depth, lost });
            }
        }
        if shader.writes_depth && self.depth.is_half() {
            return Err(DrawError::DepthExport { export: self.depth, lost: "the 32 bits of depth" });
        }
        Ok(())
    }

    /// Alpha that becomes coverage: of target 0; from GFX11 on of the export of depth, where there is one (recorded command buffers). Where alpha becomes 1
    /// afterwards, target 0 gets the 1 and the export of depth the alpha (Mesa 25.0.7).
    fn check_coverage(&self, inputs: &Inputs<'_>) -> Result<(), DrawError> {
        if !inputs.desc.alpha_to_coverage {
            return Ok(());
        }
        let of_depth = inputs.desc.alpha_to_one || inputs.gfx.major() >= 11 && self.depth != ExportFormat::Zero;
        let (export, place) = if of_depth { (self.depth, "of depth") } else { (self.color[0], "for target 0") };
        if export.carries_alpha() { Ok(()) } else { Err(DrawError::CoverageExport { export, place }) }
    }

    fn check_target(&self, inputs: &Inputs<'_>, target: usize, color: &ColorTarget<'_>) -> Result<(), DrawError> {
        let refuse = |target, export, lost| Err(DrawError::Export { target, format: color.format, export, lost });
        let blend = inputs.blend(color);
        if blend.is_some_and(|blend| blend.is_dual_source()) {
            let [first, second, ..] = self.color;
            if second == ExportFormat::Zero || second != first {
                // Without both the colour block may hang (PAL gfx9GraphicsPipeline.cpp). Whether their formats may differ is unverified.
                return refuse(target, second, "the second colour of dual-source blending: its export must have the format of the first");
            }
        }
        let Some(export) = self.color.get(target).copied().filter(|export| *export != ExportFormat::Zero) else { return Ok(()) };
        let stored = hardware(color.format).stored & color.write_mask;
        if stored == 0 {
            return Ok(());
        }
        if stored & !export.channels() != 0 {
            return refuse(target, export, "all channels that are written");
        }
        if blend.is_some_and(|blend| blend.reads_source_alpha()) && !export.carries_alpha() {
            return refuse(target, export, "the alpha that blending reads");
        }
        if blend.is_some() && matches!(export, ExportFormat::Unorm16 | ExportFormat::Snorm16) {
            // Mesa 25.0.7 ac_choose_spi_color_formats.
            return refuse(target, export, "colours that can blend (16-bit normalized exports cannot): use another export format");
        }
        match lost(color, export) {
            Some(lost) => refuse(target, export, lost),
            None => Ok(()),
        }
    }
}

/// Why an export does not fit the numbers of a target, or None where it does. Integers go to integers, floats to all other targets; whether the colour block converts
/// normalized exports to floats or to numbers of another sign is unverified (Mesa 25.0.7 ac_choose_spi_color_formats never asks for it). An export with fewer bits
/// than the target is a compiler's choice and fits.
fn lost(color: &ColorTarget<'_>, export: ExportFormat) -> Option<&'static str> {
    use ExportFormat as E;
    use SurfaceNumber as N;
    const RANGE: &str = "the range of the target";
    match (export, hardware(color.format).number) {
        (E::Fp16 | E::Unorm16 | E::Snorm16, N::NUMBER_UINT | N::NUMBER_SINT) => Some("integers"),
        (E::Uint16, N::NUMBER_SINT) | (E::Sint16, N::NUMBER_UINT) => Some(RANGE),
        (E::Uint16, N::NUMBER_UINT) | (E::Sint16, N::NUMBER_SINT) => None,
        (E::Uint16 | E::Sint16, _) => Some("numbers that are not integers"),
        (E::Unorm16 | E::Snorm16, N::NUMBER_FLOAT) | (E::Unorm16, N::NUMBER_SNORM) => Some(RANGE),
        (E::Zero | E::R32 | E::Gr32 | E::Ar32 | E::Abgr32 | E::Fp16 | E::Unorm16 | E::Snorm16, _) => None,
    }
}

/// The formats that a draw's shader states for itself.
pub(crate) fn stated<'a>(desc: &'a DrawParts<'_>) -> Option<&'a PixelExports> {
    desc.shader.as_ref()?.exports.as_ref()
}
