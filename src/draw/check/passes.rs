//! Limits of passes over targets.
//!
//! Rules: Mesa 25.0.7 radv_meta_fast_clear.c, radv_meta_resolve.c, radv_meta_decompress.c; PAL waDccCacheFlushAndInv; captures of resolves.

use crate::chip::Chip;
use crate::draw::check::effective_draw::{ColorTarget, EffectiveDraw};
use crate::draw::desc::{DrawError, TargetPass, Topology};

fn refuse(pass: TargetPass, why: &'static str) -> Result<(), DrawError> {
    Err(DrawError::Stages { what: pass.option(), why })
}

/// Refuses a pass that the chip does not have, or whose requirements are not met.
pub(crate) fn check(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
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
