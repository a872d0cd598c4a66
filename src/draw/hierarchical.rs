//! Hierarchical depth and stencil: HTILE (GFX9 to GFX11.5), HiZ and HiS surfaces (GFX12), clear values.
//!
//! Rules: Mesa 25.0.7 radv_initialise_ds_surface, radv_emit_fb_ds_state, radeonsi; captures of four boards agree; no capture of GFX12 binds HiZ or HiS.

use crate::chip::Chip;
use crate::draw::compression::metadata_address;
use crate::draw::desc::DepthTarget;
use crate::draw::draw_parts::DrawParts;
use crate::draw::error::DrawError;
use crate::draw::fixed::equal_by_bits;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// What HTILE says of a depth target (GFX9 to GFX11.5).
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Htile {
    /// Its address: a multiple of 256.
    pub address: u64,
    /// It is aligned to pipes.
    pub pipe_aligned: bool,
    /// It is aligned to render backends (GFX9).
    pub rb_aligned: bool,
    /// It has room for stencil as well; on GFX10.3 that of targets without stencil may have it, too (captures).
    pub stencil: bool,
    /// Depth and stencil are written compressed.
    pub compressed: bool,
    /// Shaders read the target without a decompression before.
    pub shader_readable: bool,
    /// Tiles are decompressed at so many depth planes, 0 to 15 (DECOMPRESS_ON_N_ZPLANES); 0 for targets that shaders do not read as they are.
    pub decompress_planes: u8,
    /// The surface is walked in steps of 256 bytes (GFX10.1 and GFX10.3; from GFX11 on every depth target is).
    pub iterate_256: bool,
    /// It holds shading rates (GFX10.3).
    pub rates: bool,
}

/// Values that depth and stencil are cleared to.
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, Default)]
pub struct DepthClear {
    /// Depth, finite.
    pub depth: f32,
    /// Stencil.
    pub stencil: u8,
}

equal_by_bits!(DepthClear { stencil, } floats { depth, });

/// A HiZ or HiS surface (GFX12).
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HiSurface {
    /// Its address: a multiple of 256.
    pub address: u64,
    /// Its swizzle mode, 0 to 7.
    pub swizzle: u8,
    /// FORMAT of a HiZ surface; what it says is in no source.
    pub format: bool,
    /// Its width and height in tiles, 1 to 8192 (Mesa: hiz.width_in_tiles). Unverified: a tile has 8 x 8 pixels, as one of HTILE.
    pub extent: (u32, u32),
}

/// Refuses what hardware cannot accept.
pub(crate) fn check(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(target) = &desc.depth else { return Ok(()) };
    let (gfx, absent) = (chip.gfx(), |option, limit| Err(DrawError::OptionAbsent { option, chip, limit }));
    if let Some(clear) = target.clear.filter(|clear| !clear.depth.is_finite()) {
        return Err(DrawError::Float { what: "the clear value of depth", bits: clear.depth.to_bits(), limit: "a finite number" });
    }
    if let Some(htile) = &target.htile {
        if gfx.major() >= 12 {
            return absent("HTILE", "GFX9 to GFX11.5 have it; GFX12 has HiZ and HiS surfaces");
        }
        if htile.rb_aligned && gfx.major() != 9 {
            return absent("HTILE that is aligned to render backends", "GFX9 has it");
        }
        if htile.iterate_256 && gfx.major() == 9 {
            return absent("a depth target in steps of 256 bytes", "GFX10 to GFX11.5 have ITERATE_256");
        }
        if htile.rates && gfx.version() != (10, 3) {
            return absent("shading rates in HTILE", "GFX10.3 has VRS_HTILE_ENCODING");
        }
        if htile.decompress_planes > 15 {
            let what = "the depth planes at which tiles are decompressed";
            return Err(DrawError::Limit { what, value: htile.decompress_planes.into(), limit: "0 to 15" });
        }
        metadata_address("the address of HTILE", htile.address)?;
    }
    for (what, surface) in [("the width or height of a HiZ surface", target.hiz), ("the width or height of a HiS surface", target.his)] {
        let Some(surface) = surface else { continue };
        if gfx.major() < 12 {
            return absent("a HiZ or HiS surface", "GFX12 has them; earlier generations have HTILE");
        }
        if surface.swizzle > 7 {
            return Err(DrawError::Limit { what: "the swizzle mode of a HiZ or HiS surface", value: surface.swizzle.into(), limit: "0 to 7" });
        }
        let (width, height) = surface.extent;
        if let Some(side) = [width, height].into_iter().find(|side| !(1..=8192).contains(side)) {
            return Err(DrawError::Limit { what, value: side.into(), limit: "1 to 8192" });
        }
        metadata_address("the address of a HiZ or HiS surface", surface.address)?;
    }
    if target.his.is_some() && !target.format.has_stencil() {
        return Err(DrawError::Stages { what: "a HiS surface", why: "the format of the depth target has no stencil" });
    }
    Ok(())
}

/// Whether a surface of its own says which tiles can be left out (GFX12).
pub(crate) fn has_surfaces(inputs: &Inputs<'_>) -> bool {
    inputs.desc.depth.is_some_and(|target| target.hiz.is_some() || target.his.is_some())
}

/// DB_HTILE_DATA_BASE and its upper bits, DB_HTILE_SURFACE.
fn htile<S: Why>(inputs: &Inputs<'_>, htile: &Htile, sheet: &mut Sheet<S>) {
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
fn clear<S: Why>(inputs: &Inputs<'_>, clear: DepthClear, sheet: &mut Sheet<S>) {
    let rule = "what cleared tiles hold";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            sheet.add(Word::new(On::<r::DbDepthClear, { r::GFX }>::SLOT).whole(clear.depth.to_bits(), rule));
            sheet.add(Word::new(On::<r::DbStencilClear, { r::GFX }>::SLOT).set(r::DbStencilClear::CLEAR, clear.stencil, rule));
        },
        Gfx12 => {},
    });
}

/// PA_SC_HIZ_INFO and PA_SC_HIS_INFO (GFX12), and where the surfaces are.
fn surfaces<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
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

/// Adds the registers: those of HTILE and of clear values where there are any, and whether there are surfaces.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    surfaces(inputs, sheet);
    let Some(DepthTarget { htile: tiles, clear: values, .. }) = &inputs.desc.depth else { return };
    tiles.iter().for_each(|tiles| htile(inputs, tiles, sheet));
    values.iter().for_each(|values| clear(inputs, *values, sheet));
}
