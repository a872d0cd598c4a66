//! A shading-rate image (GFX11 and later); GFX10.3 has rates in HTILE ([`Htile::rates`](crate::draw::Htile::rates)).
//!
//! Rules: Mesa 25.0.7 radv_emit_fragment_shading_rate, PAL 04/2025; no capture binds one.

use crate::chip::Chip;
use crate::draw::compression::metadata_address;
use crate::draw::draw_parts::DrawParts;
use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// A shading-rate image: one texel for 8 x 8 pixels.
///
/// For an example see [`ShadingRate`](crate::draw::ShadingRate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateImage {
    /// Its address with the pipe and bank bits of its tiling: a multiple of 256.
    pub address: u64,
    /// Its swizzle mode, 0 to 7 (GFX12; earlier generations have no choice).
    pub swizzle: u8,
    /// Its width and height in texels: 1 to 2048, on GFX12 1 to 8192.
    pub extent: (u32, u32),
}

/// Refuses what hardware cannot accept.
pub(crate) fn check(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(image) = &desc.rate_image else { return Ok(()) };
    let major = chip.gfx().major();
    if major < 11 {
        let limit = "GFX11 and later have PA_SC_VRS_RATE_BASE; GFX10.3 has rates in HTILE";
        return Err(DrawError::OptionAbsent { option: "a shading-rate image", chip, limit });
    }
    let (most, limit) = if major == 11 { (2048, "1 to 2048 texels") } else { (8192, "1 to 8192 texels") };
    if let Some(side) = [image.extent.0, image.extent.1].into_iter().find(|side| !(1..=most).contains(side)) {
        return Err(DrawError::Limit { what: "the width or height of a shading-rate image", value: side.into(), limit });
    }
    if image.swizzle > 7 {
        return Err(DrawError::Limit { what: "the swizzle mode of a shading-rate image", value: image.swizzle.into(), limit: "0 to 7" });
    }
    metadata_address("the address of a shading-rate image", image.address)
}

/// Whether targets bring rates: an image, or HTILE on GFX10.3.
pub(crate) fn targets_have_rates(desc: &DrawParts<'_>) -> bool {
    desc.rate_image.is_some() || desc.depth.and_then(|depth| depth.htile).is_some_and(|htile| htile.rates)
}

/// Adds PA_SC_VRS_RATE_BASE, its upper bits, SIZE_XY, and on GFX12 PA_SC_VRS_INFO, where an image is bound.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
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
