//! Exports of pixel shaders.

use crate::regs::layout::SpiShaderExFormat;
use strum::{Display, EnumIter, EnumString, FromRepr, IntoStaticStr};

/// The format of a pixel shader export. Values and names are those of SPI_SHADER_EX_FORMAT.
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
    /// Returns the channels that an export of the format carries, as bits: 0 is red, 3 is alpha.
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

    /// Returns whether each number has 16 bits.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::Fp16 | Self::Unorm16 | Self::Snorm16 | Self::Uint16 | Self::Sint16)
    }

    pub(crate) fn carries_alpha(self) -> bool {
        self.channels() & ALPHA != 0
    }
}

const ALPHA: u8 = 1 << 3;

/// The exports of a pixel shader, as its compiler states them. Without this ([`PixelShader::exports`](crate::draw::PixelShader::exports) is None) the formats
/// follow from the targets, and a compiler takes them from the registers of the resolved draw.
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
    /// Export format for each colour target; [`ExportFormat::Zero`] means no export, which leaves the target unchanged. The program's colour exports go to
    /// these targets in order. With dual-source blending, the second colour is the export for target 1.
    pub color: [ExportFormat; 8],
    /// Export of depth (red), stencil reference (green), sample mask (blue) and the alpha that becomes coverage (alpha).
    pub depth: ExportFormat,
    /// Whether the program has a null export: a colour that nothing uses, because it has no other export (32_R in the register).
    pub null: bool,
}

impl PixelExports {
    /// Creates exports to the first colour targets, and no others.
    pub fn colors(formats: &[ExportFormat]) -> Self {
        let mut color = [ExportFormat::Zero; 8];
        color.iter_mut().zip(formats).for_each(|(to, from)| *to = *from);
        Self { color, ..Self::default() }
    }

    pub(crate) fn exports_anything(&self) -> bool {
        self.depth != ExportFormat::Zero || self.color.iter().any(|format| *format != ExportFormat::Zero)
    }
}

/// Returns the channels that an export of a format carries, for CB_SHADER_MASK: those in its name, or all four if it names none.
pub(crate) const fn exported(export: SpiShaderExFormat) -> u32 {
    match export {
        SpiShaderExFormat::SPI_SHADER_ZERO => 0,
        SpiShaderExFormat::SPI_SHADER_32_R => 0x1,
        SpiShaderExFormat::SPI_SHADER_32_GR => 0x3,
        SpiShaderExFormat::SPI_SHADER_32_AR => 0x9,
        _ => 0xF,
    }
}
