//! Binning and primitive type.

use crate::draw::desc::Topology;
use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// PA_SC_BINNER_CNTL_0: binning off (each generation has its own value for that), and how bins map.
fn pa_sc_binner_cntl_0(inputs: &Inputs<'_>) -> Option<Word> {
    // BINNING_MODE names differ between the sources on GFX11 and later, the numbers do not: Mesa 25.0.7 radv_cmd_buffer.c.
    let off = match inputs.gfx.version() {
        (9, _) => 3u32,
        (10, _) | (11, 0) => 2,
        _ => 3,
    };
    let off_rule = "binning is off; the value is the generation's";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::PaScBinnerCntl0;
            Some(Word::new::<R>(inputs.gfx)?.set(R::BINNING_MODE, off, off_rule))
        },
        Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type R = r::PaScBinnerCntl0;
            let pops = inputs.desc.expert.bin_mapping_pops;
            let mode = if pops { r::BinMapMode::BIN_MAP_MODE_POPS } else { r::BinMapMode::BIN_MAP_MODE_NONE };
            let rule = if pops { "asked for as an expert option" } else { "no driver uses another mode" };
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::BINNING_MODE, off, off_rule)
                .set(R::BIN_SIZE_X_EXTEND, 2u32, "128 pixels wide while binning is off")
                .set(R::BIN_SIZE_Y_EXTEND, 2u32, "128 pixels high while binning is off")
                .set(R::BIN_MAPPING_MODE, mode as u32, rule))
        },
        Gfx12 => {
            type R = r::PaScBinnerCntl0;
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::BINNING_MODE, off, off_rule)
                .set(R::BIN_SIZE_X_EXTEND, 2u32, "128 pixels wide while binning is off")
                .set(R::BIN_SIZE_Y_EXTEND, 2u32, "128 pixels high while binning is off")
                .set(R::BIN_MAPPING_MODE, r::BinMapMode::BIN_MAP_MODE_NONE as u32, "GFX12 reserves the POPS mode"))
        },
    })
}

/// VGT_PRIMITIVE_TYPE.
fn vgt_primitive_type(inputs: &Inputs<'_>) -> Option<Word> {
    let kind = match inputs.desc.topology {
        Topology::TriangleList => 4u32,
        Topology::TriangleStrip => 6,
        Topology::RectList => 17,
    };
    on_gfx!(inputs.gfx, r => {
        type R = r::VgtPrimitiveType;
        Some(Word::new::<R>(inputs.gfx)?.set(R::PRIM_TYPE, kind, "topology of the draw"))
    })
}

/// Adds the raster registers.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    image.add(pa_sc_binner_cntl_0(inputs));
    image.add(vgt_primitive_type(inputs));
}
