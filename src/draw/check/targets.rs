//! Limits of targets, their metadata, and shading-rate images.

use crate::chip::Chip;
use crate::draw::check::color_format::hardware;
use crate::draw::check::effective_draw::{ColorTarget, EffectiveDraw, MOST_TARGETS};
use crate::draw::desc::{Binning, ColorCompression, Dcc, DepthFormat, DrawError, Surface, TargetImage, TargetPass, numbers};
use crate::layout::SwizzleMode;

/// Checks the compression of the targets.
pub(crate) fn compression(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
    desc.color.iter().try_for_each(|target| {
        let samples = target.samples.unwrap_or(desc.samples);
        target.compression.as_ref().map_or(Ok(()), |compression| one_compression(&target, samples, compression, chip))
    })
}

fn one_compression(target: &ColorTarget<'_>, samples: u32, compression: &ColorCompression, chip: Chip) -> Result<(), DrawError> {
    let gfx = chip.gfx();
    let absent = |option, limit| Err(DrawError::OptionAbsent { option, chip, limit });
    let dcc = compression.dcc;
    let without_address = ColorCompression { dcc: dcc.map(|dcc| Dcc { address: 0, ..dcc }), ..ColorCompression::default() };
    if gfx.major() >= 12 && *compression != without_address {
        return absent("metadata of a colour target", "GFX9 to GFX11.5 have it; on GFX12 a target states only blocks of DCC, without an address");
    }
    if gfx.major() == 11 && (compression.cmask.is_some() || compression.fmask.is_some() || compression.clear_words.is_some()) {
        return absent("CMASK, FMASK, or a clear colour in registers", "GFX9 to GFX10.3 have them");
    }
    if compression.rb_aligned && gfx.major() != 9 {
        return absent("metadata that is aligned to render backends", "GFX9 has it");
    }
    dcc.and_then(|dcc| dcc.blocks).map_or(Ok(()), |blocks| blocks.check(chip))?;
    let fmask = compression.fmask;
    if fmask.is_some() && samples < 2 {
        return Err(DrawError::Stages { what: "FMASK", why: "a target of one sample has none" });
    }
    if fmask.is_some_and(|fmask| fmask.compressed) && compression.cmask.is_none() {
        return Err(DrawError::Stages { what: "FMASK", why: "compressed samples need CMASK" });
    }
    fmask.map_or(Ok(()), |fmask| has_mode("FMASK", fmask.swizzle, chip))?;
    if target.surface.mode(gfx, Some(samples)) == SwizzleMode::SW_LINEAR.number() {
        return Err(DrawError::Stages { what: "compression of a colour target", why: "a linear image has none" });
    }
    let addresses = [dcc.map(|dcc| dcc.address), compression.cmask, fmask.map(|fmask| fmask.address)];
    addresses.into_iter().flatten().try_for_each(|address| metadata_address("the address of a colour target's metadata", address))
}

/// Refuses an address of metadata that hardware cannot accept.
pub(crate) fn metadata_address(what: &'static str, address: u64) -> Result<(), DrawError> {
    if address.is_multiple_of(256) && address >> 48 == 0 {
        Ok(())
    } else {
        Err(DrawError::Limit { what, value: address, limit: "a multiple of 256 below 2^48" })
    }
}

/// Refuses hierarchical depth and stencil that the hardware cannot accept.
pub(crate) fn hierarchical(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
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
    let surfaces =
        [("a HiZ surface", "the width or height of a HiZ surface", target.hiz), ("a HiS surface", "the width or height of a HiS surface", target.his)];
    for (name, what, surface) in surfaces {
        let Some(surface) = surface else { continue };
        if gfx.major() < 12 {
            return absent("a HiZ or HiS surface", "GFX12 has them; earlier generations have HTILE");
        }
        has_mode(name, surface.swizzle, chip)?;
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

/// Refuses a shading-rate image that the hardware cannot accept.
pub(crate) fn rate_image(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
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
    has_mode("a shading-rate image", image.swizzle, chip)?;
    metadata_address("the address of a shading-rate image", image.address)
}

/// Checks the counts and sizes of targets.
pub(crate) fn sizes(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
    let check = |fine: bool, what, value: u64, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what, value, limit }) };
    let (width, height) = desc.extent;
    check((1..=16384).contains(&width), "the width of the targets", width.into(), "1 to 16384 pixels")?;
    check((1..=16384).contains(&height), "the height of the targets", height.into(), "1 to 16384 pixels")?;
    numbers::count("the number of viewports", desc.viewports.len())?;
    numbers::count("the number of scissors", desc.scissors.len())?;
    if let Some(stipple) = desc.raster.stipple {
        check((1..=256).contains(&stipple.factor), "the factor of a line stipple", stipple.factor.into(), "1 to 256")?;
    }
    if let Some(operation) = desc.logic_op {
        check(operation.0 < 16, "the truth table of a logic operation", operation.0.into(), "0 to 15")?;
    }
    check(desc.color.blends() <= MOST_TARGETS, "the number of blends", desc.color.blends() as u64, "at most 8, one for each colour target")?;
    let samples = |image: &TargetImage| image.samples.unwrap_or(desc.samples);
    let colors = desc.color.images().iter().map(|image| (&image.surface, Some((hardware(image.format).bytes, samples(image)))));
    for (surface, color) in colors.chain(desc.depth.as_ref().map(|depth| (&depth.surface, None))) {
        for address in [surface.address, surface.stencil_address] {
            check(address % 256 == 0 && address >> 48 == 0, "the address of a target", address, "a multiple of 256 below 2^48")?;
        }
        let pitch = surface.pitch.unwrap_or(1);
        check((1..=65536).contains(&pitch), PITCH, pitch.into(), "1 to 65536 pixels")?;
        let samples = color.map(|(_, samples)| samples);
        check_modes(surface, samples, chip)?;
        check_pitch(surface, color, width, chip)?;
        let of_stencil = surface.stencil_pitch.unwrap_or(1);
        let most = if chip.gfx().major() == 9 { 65536 } else { 0 };
        check(
            surface.stencil_pitch.is_none_or(|pitch| (1..=most).contains(&pitch)),
            "the pitch of stencil",
            of_stencil.into(),
            "1 to 65536 pixels, only on GFX9",
        )?;
        let (first, last) = surface.layers;
        check(first <= last && last < 2048, "the last layer of a target", last.into(), "at least the first layer, and below 2048")?;
        check(surface.last_level < 15, "the last mip level of a target", surface.last_level.into(), "at most 14")?;
        check(surface.level <= surface.last_level, "the mip level of a target", surface.level.into(), "at most the image's last level")?;
    }
    Ok(())
}

const NO_SUCH_MODE: &str = "the chip has no such mode; layout::SwizzleMode::all lists those that it has";

/// Refuses a swizzle mode that the chip does not have.
fn has_mode(what: &'static str, mode: u8, chip: Chip) -> Result<(), DrawError> {
    let mode = mode.into();
    SwizzleMode::from_number(chip.gfx(), mode).map_or(Err(DrawError::Swizzle { what, mode, chip, why: NO_SUCH_MODE }), |_| Ok(()))
}

/// Checks that the chip has the swizzle modes of a target and can draw to it. `samples`: of colour, None for depth.
fn check_modes(surface: &Surface, samples: Option<u32>, chip: Chip) -> Result<(), DrawError> {
    let gfx = chip.gfx();
    let check = |what, mode, may_be_linear: bool, why| match SwizzleMode::from_number(gfx, mode) {
        None => Err(DrawError::Swizzle { what, mode, chip, why: NO_SUCH_MODE }),
        Some(SwizzleMode::SW_LINEAR) if !may_be_linear => Err(DrawError::Swizzle { what, mode, chip, why }),
        Some(_) => Ok(()),
    };
    // Mesa 25.0.7 addrlib, the sanity checks of each generation.
    match samples {
        Some(samples) => check("a colour target", surface.mode(gfx, Some(samples)), samples == 1, "a target of several samples cannot be linear"),
        None => {
            check("a depth target", surface.mode(gfx, None), false, "depth cannot be linear")?;
            check("the stencil of a target", surface.stencil_mode(gfx), false, "stencil cannot be linear")
        }
    }
}

const PITCH: &str = "the pitch of a target";

/// Checks that the chip can hold a pitch: GFX9 has a register for it. Later generations hold it as the width, for linear colour targets only; GFX10.1 pads rows
/// itself (Mesa 25.0.7 ac_descriptors.c, ac_surface.c). `color`: bytes of a pixel and samples, None for depth.
fn check_pitch(surface: &Surface, color: Option<(u32, u32)>, width: u32, chip: Chip) -> Result<(), DrawError> {
    let gfx = chip.gfx();
    let Some(pitch) = surface.pitch.filter(|_| gfx.major() > 9) else { return Ok(()) };
    let check = |fine: bool, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what: PITCH, value: pitch.into(), limit }) };
    let linear = color.is_some_and(|(_, samples)| surface.mode(gfx, Some(samples)) == SwizzleMode::SW_LINEAR.number());
    check(linear, "no pitch (None) from GFX10 on, except for linear colour targets")?;
    check(surface.layers == (0, 0) && surface.last_level == 0, "no pitch (None) from GFX10 on, except for targets of one layer and one mip level")?;
    let bytes = color.map_or(1, |(bytes, _)| bytes);
    if gfx.version() < (10, 3) {
        return check(
            pitch * bytes == (width * bytes).next_multiple_of(256),
            "the width, with rows padded to a multiple of 256 bytes: GFX10.1 allows no other pitch",
        );
    }
    let (most, row) = if gfx.major() >= 12 { (65536, 128) } else { (16384, 256) };
    check((width..=most).contains(&pitch), "at least the width, and at most 16384 pixels, on GFX12 65536")?;
    check((pitch * bytes).is_multiple_of(row), "rows of a multiple of 256 bytes, on GFX12 of 128")
}

/// Checks the sizes of bins.
pub(crate) fn binning(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(Binning { width, height }) = desc.binning else { return Ok(()) };
    for (what, value) in [("the width of a bin", width), ("the height of a bin", height)] {
        // Only captures of Navi31 have 1024, and no source names it.
        let most = if chip.gfx().version() == (11, 0) { 1024 } else { 512 };
        if !value.is_power_of_two() || !(16..=most).contains(&value) {
            return Err(DrawError::Limit { what, value: value.into(), limit: "16, 32, 64, 128, 256 or 512 pixels, on GFX11 1024 too" });
        }
    }
    // Mesa 2026 radv_get_disabled_binning_state: smaller ones are not supported, and BIN_SIZE_X and BIN_SIZE_Y stay 0.
    for (what, value) in [("the width of a bin", width), ("the height of a bin", height)] {
        if chip.gfx().major() >= 12 && value < 128 {
            return Err(DrawError::Limit { what, value: value.into(), limit: "128, 256 or 512 pixels on GFX12" });
        }
    }
    // PAL gfx9ColorTargetView.cpp. Captures of GFX9 have bins of 16 by 128.
    if chip.gfx().major() >= 10 && (width == 16) != (height == 16) {
        return Err(DrawError::Limit { what: "the height of a bin", value: height.into(), limit: "16 where the width is 16, and only there, from GFX10 on" });
    }
    Ok(())
}

/// Checks that stencil together with depth has a separate address. Targets without addresses are not checked.
fn stencil_place(desc: &EffectiveDraw<'_>) -> Result<(), DrawError> {
    let beside_depth = desc.depth.filter(|depth| depth.format.has_stencil() && depth.format != DepthFormat::S8);
    match beside_depth.map(|depth| depth.surface) {
        Some(Surface { address: 1.., stencil_address: 0, .. }) => {
            let limit = "an address in addition to that of depth: set `Surface::stencil_address`";
            Err(DrawError::Limit { what: "the address of stencil", value: 0, limit })
        }
        _ => Ok(()),
    }
}

pub(crate) fn targets(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
    stencil_place(desc)?;
    if desc.color.described > desc.color.len() {
        return Err(DrawError::TooManyTargets { count: desc.color.described });
    }
    if desc.depth.is_some_and(|depth| depth.format.is_of_24_bits()) && chip.gfx().major() >= 12 {
        return Err(DrawError::OptionAbsent { option: "a depth target of 24 bits", chip, limit: "GFX9 to GFX11.5 have it" });
    }
    for (target, color) in desc.color.iter().enumerate() {
        if color.write_mask > 0xF {
            return Err(DrawError::WriteMask { target, mask: color.write_mask });
        }
        // A resolve reads more samples than it rasterizes.
        let most = if desc.pass == Some(TargetPass::Resolve) { MAX_SAMPLES } else { desc.samples };
        if let Some(samples) = color.samples.filter(|&s| !s.is_power_of_two() || s > most) {
            let limit = "1, 2, 4 or 8, and no more than the coverage samples";
            return Err(DrawError::Limit { what: "the samples of a colour target", value: samples.into(), limit });
        }
        if color.blend.is_some_and(|b| b.is_dual_source()) && desc.color.len() > 1 {
            // Without exports for both MRT0 and MRT1 the colour block may hang (PAL gfx9GraphicsPipeline.cpp, Mesa 25.0.7).
            let limit = "1 with dual-source blending, whose second colour takes the place of target 1";
            return Err(DrawError::Limit { what: "the number of colour targets", value: desc.color.len() as u64, limit });
        }
        if !color.format.is_for_targets(chip.gfx()) {
            return Err(DrawError::OptionAbsent { option: "a colour target of shared exponents", chip, limit: "GFX10.3 and later have it" });
        }
        if color.blend.is_some() && color.format.is_integer() {
            return Err(DrawError::IntegerBlend { target, format: color.format });
        }
    }
    Ok(())
}

/// The largest number of samples of a target.
pub(crate) const MAX_SAMPLES: u32 = 8;
