//! Depth and stencil: the formats and sample counts of the targets, which POPS reads too.

use crate::draw::desc::DepthFormat;
use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// DB_Z_INFO: format, and the sample count that GFX11 and later also use for POPS, shading rate and queries without a depth target.
fn db_z_info(inputs: &Inputs<'_>) -> Option<Word> {
    let (samples, rule) = match inputs.depth_log2 {
        Some(samples) => (samples, "samples of the depth target, log2"),
        None if inputs.gfx.major() >= 11 => {
            // Mesa 25.0.7 writes 3 here; the POPS article and PAL ValidateDbZInfo (04/2025) ask for equality.
            (inputs.exposed_log2, "no depth target: GFX11 and later still take the coverage samples of POPS from here, so it equals MSAA_EXPOSED_SAMPLES")
        }
        None => (0, "no depth target; POPS does not read it before GFX11"),
    };
    let format = match inputs.desc.depth.map(|d| d.format) {
        None => 0,
        Some(DepthFormat::D16) => 1,
        Some(DepthFormat::D32 | DepthFormat::D32s8) => 3,
    };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbZInfo;
        let rule_format = if format == 0 { "no depth target" } else { "format of the depth target" };
        Some(Word::new::<R>(inputs.gfx)?.set(R::FORMAT, format as u32, rule_format).set(R::NUM_SAMPLES, samples, rule))
    })
}

/// DB_STENCIL_INFO.
fn db_stencil_info(inputs: &Inputs<'_>) -> Option<Word> {
    let stencil = inputs.desc.depth.is_some_and(|d| d.format == DepthFormat::D32s8);
    on_gfx!(inputs.gfx, r => {
        type R = r::DbStencilInfo;
        Some(Word::new::<R>(inputs.gfx)?.set(R::FORMAT, stencil, if stencil { "the target has 8-bit stencil" } else { "no stencil" }))
    })
}

/// Adds the depth registers.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    image.add(db_z_info(inputs));
    image.add(db_stencil_info(inputs));
}
