//! Hierarchical depth and stencil: HTILE (GFX9 to GFX11.5), HiZ and HiS surfaces (GFX12), clear values.
//!
//! Rules: Mesa 25.0.7 radv_initialise_ds_surface, radv_emit_fb_ds_state, radeonsi; captures of four boards agree; no capture of GFX12 binds HiZ or HiS.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::{DepthClear, DepthTarget, HiSurface, Htile};
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Returns whether a separate surface says which tiles can be skipped (GFX12).
pub(crate) fn has_surfaces(inputs: &DrawInputs<'_>) -> bool {
    inputs.desc.depth.is_some_and(|target| target.hiz.is_some() || target.his.is_some())
}

/// DB_HTILE_DATA_BASE and its upper bits, DB_HTILE_SURFACE.
fn htile<S: Why>(inputs: &DrawInputs<'_>, htile: &Htile, sheet: &mut Sheet<S>) {
    let (lo, hi) = ((htile.address >> 8) as u32, (htile.address >> 40) as u32);
    let (low, high, cache) = ("address of HTILE >> 8", "address of HTILE >> 40", "always set (captures)");
    let (pipes, backs) = ("whether HTILE is aligned to pipes", "whether HTILE is aligned to render backends");
    let rates = if htile.rates { "HTILE holds shading rates" } else { "HTILE holds no shading rates" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            sheet.add(Word::new(On::<r::DbHtileDataBase, { r::GFX }>::SLOT).whole(lo, low));
            sheet.add(Word::new(On::<r::DbHtileDataBaseHi, { r::GFX }>::SLOT).whole(hi, high));
        },
        Gfx12 => {},
    });
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::DbHtileSurface;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::FULL_CACHE, true, cache).set(R::PIPE_ALIGNED, htile.pipe_aligned, pipes);
            Some(word.set(R::RB_ALIGNED, htile.rb_aligned, backs))
        },
        Gfx103 => {
            type R = r::DbHtileSurface;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::FULL_CACHE, true, cache).set(R::PIPE_ALIGNED, htile.pipe_aligned, pipes);
            Some(word.set(R::VRS_HTILE_ENCODING, 2 * u32::from(htile.rates), rates))
        },
        Gfx10 | Gfx11x => {
            type R = r::DbHtileSurface;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::FULL_CACHE, true, cache).set(R::PIPE_ALIGNED, htile.pipe_aligned, pipes))
        },
        Gfx12 => None,
    }));
}

/// DB_DEPTH_CLEAR and DB_STENCIL_CLEAR (DB_STENCIL_CLEAR up to GFX11.5).
fn clear<S: Why>(inputs: &DrawInputs<'_>, clear: DepthClear, sheet: &mut Sheet<S>) {
    let rule = "what cleared tiles hold";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            sheet.add(Word::new(On::<r::DbDepthClear, { r::GFX }>::SLOT).whole(clear.depth.to_bits(), rule));
            sheet.add(Word::new(On::<r::DbStencilClear, { r::GFX }>::SLOT).set(r::DbStencilClear::CLEAR, clear.stencil, rule));
        },
        Gfx12 => {},
    });
}

/// PA_SC_HIZ_INFO and PA_SC_HIS_INFO (GFX12), and the addresses of the surfaces.
fn surfaces<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let target = inputs.desc.depth;
    let (hiz, his) = (target.and_then(|target| target.hiz), target.and_then(|target| target.his));
    let parts = |surface: HiSurface| ((surface.address >> 8) as u32, (surface.address >> 40) as u32);
    let last = |surface: HiSurface| (surface.extent.0.saturating_sub(1), surface.extent.1.saturating_sub(1));
    let (low, high, size, mode) =
        ("address of the surface >> 8", "address of the surface >> 40", "size of the surface, minus 1", "swizzle mode of the surface");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {},
        Gfx12 => {
            match hiz {
                None => sheet.add(Word::new(On::<r::PaScHizInfo, { r::GFX }>::SLOT).whole(0, "no HiZ surface")),
                Some(surface) => {
                    type R = r::PaScHizInfo;
                    type Size = r::PaScHizSizeXy;
                    let ((lo, hi), (x, y)) = (parts(surface), last(surface));
                    let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::SURFACE_ENABLE, true, "the depth target has a HiZ surface");
                    sheet.add(word.set(R::FORMAT, surface.format, "the caller's").set(R::SW_MODE, u32::from(surface.swizzle), mode));
                    sheet.add(Word::new(On::<r::PaScHizBase, { r::GFX }>::SLOT).whole(lo, low));
                    sheet.add(Word::new(On::<r::PaScHizBaseExt, { r::GFX }>::SLOT).whole(hi, high));
                    sheet.add(Word::new(On::<Size, { r::GFX }>::SLOT).set(Size::X_MAX, x, size).set(Size::Y_MAX, y, size));
                }
            }
            match his {
                None => sheet.add(Word::new(On::<r::PaScHisInfo, { r::GFX }>::SLOT).whole(0, "no HiS surface")),
                Some(surface) => {
                    type R = r::PaScHisInfo;
                    type Size = r::PaScHisSizeXy;
                    let ((lo, hi), (x, y)) = (parts(surface), last(surface));
                    let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::SURFACE_ENABLE, true, "the stencil of the target has a HiS surface");
                    sheet.add(word.set(R::SW_MODE, u32::from(surface.swizzle), mode));
                    sheet.add(Word::new(On::<r::PaScHisBase, { r::GFX }>::SLOT).whole(lo, low));
                    sheet.add(Word::new(On::<r::PaScHisBaseExt, { r::GFX }>::SLOT).whole(hi, high));
                    sheet.add(Word::new(On::<Size, { r::GFX }>::SLOT).set(Size::X_MAX, x, size).set(Size::Y_MAX, y, size));
                }
            }
        },
    });
}

/// Adds the registers of HTILE and clear values, if the target has any, and those of HiZ and HiS surfaces.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    surfaces(inputs, sheet);
    let Some(DepthTarget { htile: tiles, clear: values, .. }) = &inputs.desc.depth else { return };
    tiles.iter().for_each(|tiles| htile(inputs, tiles, sheet));
    values.iter().for_each(|values| clear(inputs, *values, sheet));
}
