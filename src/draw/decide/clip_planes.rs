//! User clip planes: planes that hardware clips against, instead of clip distances that a program exports.
//!
//! Addresses and fields: register descriptions of Mesa 25.0.7. Vulkan drivers use only clip distances, so no capture has planes.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Returns one bit per plane that clips.
pub(crate) fn enabled(inputs: &DrawInputs<'_>) -> u32 {
    let planes = inputs.desc.raster.clip_planes.map_or([None; 6], |clip| clip.planes);
    planes.iter().enumerate().filter(|(_, plane)| plane.is_some()).fold(0, |all, (at, _)| all | 1 << at)
}

/// Adds PA_CL_UCP_n_X to W of the planes that clip; PA_CL_CLIP_CNTL says which do.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let Some(clip) = inputs.desc.raster.clip_planes else { return };
    let rule = "a number of the clip plane";
    for (index, [a, b, c, d]) in (0u32..).zip(clip.planes).filter_map(|(index, plane)| Some((index, plane?.map(f32::to_bits)))) {
        on_gfx!(inputs.gfx, r => {
            sheet.add(Word::element(On::<r::PaClUcpX, { r::GFX }>::PLACE, index).map(|w| w.whole(a, rule)));
            sheet.add(Word::element(On::<r::PaClUcpY, { r::GFX }>::PLACE, index).map(|w| w.whole(b, rule)));
            sheet.add(Word::element(On::<r::PaClUcpZ, { r::GFX }>::PLACE, index).map(|w| w.whole(c, rule)));
            sheet.add(Word::element(On::<r::PaClUcpW, { r::GFX }>::PLACE, index).map(|w| w.whole(d, rule)));
        });
    }
}
