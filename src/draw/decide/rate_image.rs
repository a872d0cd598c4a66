//! A shading-rate image (GFX11 and later); GFX10.3 has rates in HTILE ([`Htile::rates`](crate::draw::Htile::rates)).
//!
//! Rules: Mesa 25.0.7 radv_emit_fragment_shading_rate, PAL 04/2025; no capture binds one.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Adds PA_SC_VRS_RATE_BASE, its upper bits, SIZE_XY, and on GFX12 PA_SC_VRS_INFO, where an image is bound.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let Some(image) = inputs.desc.rate_image else { return };
    let (lo, hi) = ((image.address >> 8) as u32, (image.address >> 40) as u32);
    let (x, y) = (image.extent.0.saturating_sub(1), image.extent.1.saturating_sub(1));
    let (low, high, size) = ("address of the shading-rate image >> 8", "address of the shading-rate image >> 40", "texels of the shading-rate image, minus 1");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {},
        Gfx11x | Gfx12 => {
            type Ext = r::PaScVrsRateBaseExt;
            type Size = r::PaScVrsRateSizeXy;
            sheet.add(Word::new(On::<r::PaScVrsRateBase, { r::GFX }>::SLOT).whole(lo, low));
            sheet.add(Word::new(On::<Ext, { r::GFX }>::SLOT).set(Ext::BASE_256B, hi, high));
            sheet.add(Word::new(On::<Size, { r::GFX }>::SLOT).set(Size::X_MAX, x, size).set(Size::Y_MAX, y, size));
        },
    });
    on_gfx!(inputs.gfx, r => {
        Gfx12 => {
            type Info = r::PaScVrsInfo;
            sheet.add(Word::new(On::<Info, { r::GFX }>::SLOT).set(Info::RATE_SW_MODE, u32::from(image.swizzle), "swizzle mode of the shading-rate image"));
        },
        Gfx9 | Gfx10x | Gfx11x => {},
    });
}
