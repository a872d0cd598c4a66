//! Passes over targets: draws that change how a target is held in memory, not what it shows.
//!
//! Rules: Mesa 25.0.7 radv_meta_fast_clear.c, radv_meta_resolve.c, radv_meta_decompress.c; PAL waDccCacheFlushAndInv; captures of resolves.

use crate::chip::Chip;
use crate::draw::check::draw_parts::{ColorTarget, DrawParts};
use crate::draw::desc::{DrawError, Topology};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A draw of a rectangle list that changes how a target is held in memory. The pixel shader exports to target 0; what it exports is not read.
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
    /// Cleared blocks get the colour of the clear words, for readers that do not know it (GFX9 to GFX11.5).
    EliminateFastClear,
    /// Every sample gets a fragment of its own (GFX9 to GFX10.3).
    FmaskDecompress,
    /// Blocks of DCC are decompressed (GFX9 to GFX11.5).
    DccDecompress,
    /// Target 0, of several samples, is averaged into target 1, of one (GFX9 to GFX10.3); later generations resolve by shaders. Both have one format and one
    /// class of tiling, and the draw has one coverage sample.
    Resolve,
    /// Depth and stencil are written back uncompressed, the target's HTILE with them (GFX9 to GFX11.5).
    DepthDecompress,
    /// Depth and stencil get their clear values where the draw covers them (GFX9 to GFX11.5).
    DepthClear,
}

impl TargetPass {
    /// The pass works on colour targets.
    pub const fn is_color_pass(self) -> bool {
        !matches!(self, Self::DepthDecompress | Self::DepthClear)
    }

    /// Generations that have it: the last major number, and in words.
    const fn last_generation(self) -> (u8, &'static str) {
        match self {
            Self::FmaskDecompress | Self::Resolve => (10, "GFX9 to GFX10.3 have the mode"),
            Self::EliminateFastClear | Self::DccDecompress => (11, "GFX9 to GFX11.5 have the mode; drivers of GFX12 never use it"),
            Self::DepthDecompress | Self::DepthClear => (11, "GFX9 to GFX11.5 have HTILE and DEPTH_CLEAR_ENABLE"),
        }
    }

    fn option(self) -> &'static str {
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

fn refuse(pass: TargetPass, why: &'static str) -> Result<(), DrawError> {
    Err(DrawError::Stages { what: pass.option(), why })
}

/// Refuses a pass that the chip does not have, or that lacks something.
pub(crate) fn check(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(pass) = desc.pass else { return Ok(()) };
    let (last, limit) = pass.last_generation();
    if chip.gfx().major() > last {
        return Err(DrawError::OptionAbsent { option: pass.option(), chip, limit });
    }
    if desc.topology != Topology::RectList {
        return refuse(pass, "it is drawn as a list of rectangles");
    }
    if desc.interlock.is_declared() {
        return refuse(pass, "its pixel shader has no ordered section");
    }
    let metadata = |target: &ColorTarget<'_>| target.compression.unwrap_or_default();
    let Some(color) = desc.color.first().filter(|_| pass.is_color_pass()) else {
        return match (pass, &desc.depth) {
            (TargetPass::DepthDecompress, Some(depth)) if depth.htile.is_some() => Ok(()),
            (TargetPass::DepthClear, Some(depth)) if depth.clear.is_some() => Ok(()),
            (TargetPass::DepthDecompress, _) => refuse(pass, "it needs a depth target with HTILE"),
            (TargetPass::DepthClear, _) => refuse(pass, "it needs a depth target with clear values"),
            _ => refuse(pass, "it needs a colour target"),
        };
    };
    if desc.shader.is_none() || color.write_mask != 0xF || desc.logic_op.is_some() || desc.color.iter().any(|target| target.blend.is_some()) {
        return refuse(pass, "all channels of target 0 are written by a pixel shader, without blending and logic operation");
    }
    match (pass, desc.color.len(), desc.color.get(1)) {
        (TargetPass::Resolve, 2, Some(destination)) => {
            if color.samples.unwrap_or(desc.samples) < 2 || destination.samples.unwrap_or(desc.samples) != 1 || desc.samples != 1 {
                return refuse(pass, "target 0 has several samples, target 1 and the draw have one");
            }
            if color.format != destination.format || destination.write_mask != 0 {
                return refuse(pass, "both targets have the same format, and the shader writes only target 0");
            }
            Ok(())
        }
        (TargetPass::Resolve, ..) => refuse(pass, "it needs two colour targets, source and destination"),
        (_, 1, _) => match pass {
            TargetPass::FmaskDecompress if metadata(&color).fmask.is_none() => refuse(pass, "the target has no FMASK"),
            TargetPass::DccDecompress if metadata(&color).dcc.is_none() => refuse(pass, "the target has no DCC"),
            TargetPass::EliminateFastClear if metadata(&color).dcc.is_none() && metadata(&color).cmask.is_none() => {
                refuse(pass, "the target has neither CMASK nor DCC, so no fast clear")
            }
            _ => Ok(()),
        },
        _ => refuse(pass, "it needs one colour target"),
    }
}
