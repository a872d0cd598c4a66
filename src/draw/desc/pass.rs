//! Passes over targets: draws that change how a target is stored in memory, but not its contents.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A draw of a rectangle list that changes how a target is stored in memory. The pixel shader exports to target 0, but the export is not used.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, TargetBlend, TargetImage, TargetPass, Topology};
/// let (source, destination) = ((TargetImage { samples: Some(4), ..TargetImage::default() }, TargetBlend::default()), (TargetImage::default(), TargetBlend { write_mask: 0, ..TargetBlend::default() }));
/// let color = vec![source, destination];
/// let draw = DrawDesc {
///     pipeline: PipelineDesc { pass: Some(TargetPass::Resolve), topology: Topology::RectList, ..PipelineDesc::default() },
///     ..DrawDesc::default()
/// }
/// .with_colors(color);
/// assert_eq!(draw.resolve(Chip::Navi21)?.image.get(0x28808), Some(0xCC_0031)); // CB_COLOR_CONTROL: MODE is CB_RESOLVE
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum TargetPass {
    /// Writes the clear colour into cleared blocks, for readers that do not know it (GFX9 to GFX11.5).
    EliminateFastClear,
    /// Gives every sample a separate fragment (GFX9 to GFX10.3).
    FmaskDecompress,
    /// Decompresses DCC blocks (GFX9 to GFX11.5).
    DccDecompress,
    /// Averages multisampled target 0 into single-sample target 1 (GFX9 to GFX10.3); later generations resolve with shaders. Both targets have the same format
    /// and tiling class, and the draw has one coverage sample.
    Resolve,
    /// Writes back depth, stencil and the target's HTILE uncompressed (GFX9 to GFX11.5).
    DepthDecompress,
    /// Sets depth and stencil to their clear values where the draw covers them (GFX9 to GFX11.5).
    DepthClear,
}

impl TargetPass {
    /// Returns whether the pass works on colour targets.
    pub const fn is_color_pass(self) -> bool {
        !matches!(self, Self::DepthDecompress | Self::DepthClear)
    }

    /// Returns the last generation with the pass: its major version, and a text.
    pub(crate) const fn last_generation(self) -> (u8, &'static str) {
        match self {
            Self::FmaskDecompress | Self::Resolve => (10, "GFX9 to GFX10.3 have the mode"),
            Self::EliminateFastClear | Self::DccDecompress => (11, "GFX9 to GFX11.5 have the mode; drivers of GFX12 never use it"),
            Self::DepthDecompress | Self::DepthClear => (11, "GFX9 to GFX11.5 have HTILE and DEPTH_CLEAR_ENABLE"),
        }
    }

    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::EliminateFastClear => "the elimination of a fast clear",
            Self::FmaskDecompress => "the decompression of FMASK",
            Self::DccDecompress => "the decompression of DCC",
            Self::Resolve => "a resolve by the colour block",
            Self::DepthDecompress => "the decompression of depth",
            Self::DepthClear => "a clear of depth by a draw",
        }
    }
}
