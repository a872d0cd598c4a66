//! The description checked against the chip, and the facts derived from it that registers ask for.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::color_format::hardware;
use crate::draw::check::draw_parts::{ColorTarget, DrawParts, MOST_TARGETS};
use crate::draw::check::exports;
use crate::draw::check::front::Front;
use crate::draw::check::passes::{self, TargetPass};
use crate::draw::decide::{color, compression, hierarchical, rate_image, stage};
use crate::draw::desc::pipeline::{Class, NO_SHADER};
use crate::draw::desc::pixel_inputs::ResolvedLoads;
use crate::draw::desc::{
    Binning, Blend, Board, ConservativeRaster, DepthFormat, Drain, DrawError, Interpolant, LineMode, PixelInput, PixelShader, Program, RasterizationOrder,
    ShadingRate, Surface, VertexPath, numbers,
};
use crate::regs::layout::SpiShaderExFormat;

/// A description that the chip supports.
pub(crate) struct Inputs<'a> {
    pub desc: &'a DrawParts<'a>,
    pub chip: Chip,
    pub gfx: Gfx,
    /// The shader runs an ordered section.
    pub pops: bool,
    /// log2 of the coverage samples.
    pub coverage_log2: u32,
    /// log2 of the sample mask bits that the shader sees (MSAA_EXPOSED_SAMPLES). Drivers use the coverage samples, and so does this builder.
    pub exposed_log2: u32,
    /// log2 of the depth target's samples.
    pub depth_log2: Option<u32>,
    /// Shading rate after the rules that force 1x1, and which rule did.
    pub rate: ShadingRate,
    pub rate_rule: &'static str,
    /// The hardware stage of vertex work.
    pub path: VertexPath,
    /// What the stages before rasterization result in.
    pub front: Front,
    /// What the pixel shader's VGPRs are loaded with.
    pub loads: ResolvedLoads,
    /// The pixel shader's program; a small one that never runs where there is no pixel shader.
    pub program: &'a Program,
    /// How much of the chip the board has, where that is known.
    pub board: Option<Board>,
    /// What the pixel shader exports to each colour target.
    pub exports: [SpiShaderExFormat; MOST_TARGETS],
}

/// Most samples of a target.
const MAX_SAMPLES: u32 = 8;

/// Most coverage samples: 16 where a target may have fewer than the draw has. From GFX11 on targets have no fragments apart from samples, POPS counts in the
/// two bits of DB_Z_INFO.NUM_SAMPLES, and no source describes 16.
fn max_coverage(chip: Chip) -> u32 {
    if chip.gfx().major() <= 10 { 16 } else { 8 }
}

impl<'a> Inputs<'a> {
    /// A draw with its number of instances.
    pub fn check_counted(desc: &'a DrawParts<'a>, instances: u32, chip: Chip) -> Result<Self, DrawError> {
        let inputs = Self::check(desc, chip)?;
        match instances {
            0 => Err(DrawError::Limit { what: "the number of instances", value: 0, limit: "at least 1" }),
            _ => Ok(inputs),
        }
    }

    pub fn check(desc: &'a DrawParts<'a>, chip: Chip) -> Result<Self, DrawError> {
        let inputs = Self::check_before_exports(desc, chip)?;
        exports::stated(desc).map_or(Ok(()), |own| own.check(&inputs))?;
        Ok(inputs)
    }

    /// All but whether the exports that the shader states fit the targets: for a pipeline whose targets are not known yet.
    pub fn check_before_exports(desc: &'a DrawParts<'a>, chip: Chip) -> Result<Self, DrawError> {
        let gfx = chip.gfx();
        numbers::board(desc.board)?;
        numbers::floats(desc)?;
        desc.sample_locations.iter().try_for_each(numbers::sample_locations)?;
        let asked_log2 = samples_log2("coverage", desc.samples, max_coverage(chip), chip)?;
        let coverage_log2 = coverage_log2(desc, asked_log2);
        let depth_log2 = desc.depth.map(|d| samples_log2("depth target", d.samples, MAX_SAMPLES, chip)).transpose()?;
        for color in desc.color.iter() {
            samples_log2("colour target", color.samples.unwrap_or(desc.samples), MAX_SAMPLES, chip)?;
        }
        passes::check(desc, chip)?;
        compression::check(desc, chip)?;
        hierarchical::check(desc, chip)?;
        rate_image::check(desc, chip)?;
        desc.raster.clip_planes.map_or(Ok(()), |clip| clip.check())?;
        if let Some(depth) = desc.depth.filter(|d| d.samples != desc.samples && gfx.major() >= 11 && desc.uses_pops()) {
            let why = "no source says how POPS works with other pairs";
            return Err(DrawError::DepthSamples { depth: depth.samples, coverage: desc.samples, chip, why });
        }
        if desc.shader.as_ref().is_some_and(|shader| shader.reads_inner_coverage) && coverage_log2 > 2 {
            return Err(DrawError::Stages { what: "inner coverage", why: "it takes twice the coverage samples of the draw, 8 at most" });
        }
        if desc.uses_pops() && desc.raster.conservative == ConservativeRaster::Underestimate && coverage_log2 != 0 {
            // PA_SC_AA_CONFIG says one sample then, whatever was asked for and whatever the lines take.
            let what = "the coverage samples of an ordered draw with underestimation";
            return Err(DrawError::Limit { what, value: 1 << coverage_log2, limit: "1 sample: no source says how POPS works with more" });
        }
        if let (Some(depth), true) = (desc.depth, desc.uses_pops() && gfx.major() >= 11 && depth_log2 != Some(coverage_log2)) {
            let why = "lines of this mode rasterize with another number of samples than was asked for, and no source says how POPS works then";
            return Err(DrawError::DepthSamples { depth: depth.samples, coverage: 1 << coverage_log2, chip, why });
        }
        if desc.interlock.is_declared() && desc.shader.is_none() {
            return Err(DrawError::InterlockWithoutShader);
        }
        targets(desc, chip)?;
        shader(desc, chip)?;
        sizes(desc, chip)?;
        binning(desc, chip)?;
        let (rate, rate_rule) = crate::draw::decide::vrs::effective_rate(desc, chip)?;
        let (front, loads) = stage::check(desc, chip)?;
        let program = &desc.shader.as_deref().unwrap_or(&NO_SHADER).program;
        let (pops, exposed_log2, board) = (desc.uses_pops(), coverage_log2, desc.board.or_else(|| Board::recorded(chip)));
        let (path, exports) = (front.path, [SpiShaderExFormat::SPI_SHADER_ZERO; MOST_TARGETS]);
        let mut inputs = Self { desc, chip, gfx, pops, coverage_log2, exposed_log2, depth_log2, rate, rate_rule, path, front, loads, program, board, exports };
        inputs.exports = color::exports(&inputs);
        inputs.options()?;
        Ok(inputs)
    }

    /// Options that the generation lacks, and options that contradict the draw.
    fn options(&self) -> Result<(), DrawError> {
        let (desc, chip) = (self.desc, self.chip);
        let absent = |option, limit| Err(DrawError::OptionAbsent { option, chip, limit });
        let expert = desc.expert;
        if desc.drain != Drain::Auto && !self.has_dfsm() {
            return absent("the drain (DB_DFSM_CONTROL.POPS_DRAIN_PS_ON_OVERLAP)", "GFX9 to GFX10.3 have the register");
        }
        if desc.drain == Drain::Off && crate::draw::errata::needs_drain(self) {
            return Err(DrawError::DrainRequired { chip, erratum: Erratum::PopsMissedOverlap });
        }
        if expert.exec_if_overlapped && self.gfx.major() >= 11 {
            return absent("EXEC_IF_OVERLAPPED", "GFX9 to GFX10.3 have the field");
        }
        if expert.bin_mapping_pops && matches!(self.gfx.major(), 9 | 12) {
            return absent("BIN_MAP_MODE_POPS", "GFX10 to GFX11.5 have it; GFX12 reserves the value");
        }
        if expert.intrawave_collision && self.gfx.major() >= 11 {
            return absent("LOAD_INTRAWAVE_COLLISION", "GFX9 to GFX10.3 have the function");
        }
        if expert.intrawave_collision && !self.pops {
            return Err(DrawError::IntrawaveWithoutPops);
        }
        if expert.no_null_export && self.pops && !self.exports_anything() {
            let effect = if self.gfx.major() >= 11 { "the draw would hang" } else { "nothing would be ordered" };
            return Err(DrawError::NoExportSpace { effect });
        }
        Ok(())
    }

    /// GFX9 to GFX10.3 have DB_DFSM_CONTROL, the collision wave id and POPS_OVERLAP_NUM_SAMPLES.
    pub fn has_dfsm(&self) -> bool {
        self.gfx.major() <= 10
    }

    pub fn shader(&self) -> Option<&PixelShader> {
        self.desc.shader.as_deref()
    }

    /// The pixel shader's interpolants.
    pub fn interpolants(&self) -> &[Interpolant] {
        self.shader().map_or(&[], |shader| &shader.inputs.interpolants)
    }

    /// The shader writes a depth, a stencil reference or a sample mask, or sends alpha with them.
    pub fn writes_mrtz(&self) -> bool {
        self.exports_coverage_alpha() || self.shader().is_some_and(|s| s.writes_depth || s.writes_stencil || s.writes_sample_mask)
    }

    /// The pixel shader reads the stipple of lines.
    pub fn reads_line_stipple(&self) -> bool {
        self.loads.ena.has(PixelInput::LineStipple)
    }

    /// The pixel shader asks which pixels are covered whole.
    pub fn reads_inner_coverage(&self) -> bool {
        self.shader().is_some_and(|shader| shader.reads_inner_coverage)
    }

    /// Samples that are rasterized, log2: for inner coverage one step more than the coverage samples (PAL 04/2025).
    pub fn rasterized_log2(&self) -> u32 {
        self.coverage_log2 + u32::from(self.reads_inner_coverage())
    }

    /// COVERAGE_TO_SHADER_SELECT (CovToShaderSel), and why.
    pub fn coverage_select(&self) -> (u32, &'static str) {
        if self.reads_inner_coverage() {
            (1, "INPUT_INNER_COVERAGE: pixels that are covered whole (PAL 04/2025)")
        } else {
            (0, "INPUT_COVERAGE: the sample mask")
        }
    }

    /// GFX11 and later take the alpha that becomes coverage from the depth export (captures). So do GFX9 to GFX10.3 where the alpha of target 0 then becomes 1
    /// (Mesa 25.0.7 radv_generate_graphics_state_key).
    pub fn exports_coverage_alpha(&self) -> bool {
        self.desc.alpha_to_coverage && (self.gfx.major() >= 11 || self.desc.alpha_to_one) && self.shader().is_some()
    }

    /// Targets that a channel is written to.
    pub fn writes_color(&self) -> bool {
        self.shader().is_some() && self.desc.color.iter().any(|t| t.write_mask != 0)
    }

    /// The blend of target 0 reads the shader's second colour, which then is exported in the place of target 1.
    pub fn dual_source(&self) -> bool {
        self.desc.color.first().and_then(|target| self.blend(&target)).is_some_and(|blend| blend.is_dual_source())
    }

    /// Alpha becomes coverage, and no colour that is exported has it: target 0 takes an export of alpha although nothing is written there. No recorded command
    /// buffer has such a draw (unverified); without the export there is no alpha.
    pub fn exports_coverage_alone(&self) -> bool {
        self.desc.alpha_to_coverage && self.shader().is_some() && self.desc.color.first().is_none_or(|target| target.write_mask == 0)
    }

    /// The shader exports something beside a null export.
    pub fn exports_anything(&self) -> bool {
        match exports::stated(self.desc) {
            Some(own) => own.exports_anything(),
            None => self.writes_color() || self.writes_mrtz() || self.exports_coverage_alone(),
        }
    }

    /// The blending that acts on a target, with the factors that do: none without a shader, without channels, or under a logic operation.
    pub fn blend(&self, target: &ColorTarget<'_>) -> Option<Blend> {
        let acts = self.shader().is_some() && self.desc.logic_op.is_none() && target.write_mask != 0;
        target.blend.filter(|_| acts).map(Blend::acting)
    }

    pub fn blends(&self) -> bool {
        self.desc.color.iter().any(|target| self.blend(&target).is_some())
    }

    /// The drain bit: asked for, needed, or left on by reset.
    pub fn drain(&self) -> bool {
        match self.desc.drain {
            Drain::On => true,
            Drain::Off => false,
            Drain::Auto => crate::draw::errata::needs_drain(self),
            // Unknown counts as on: the only rule that asks is a workaround that does no harm then.
            Drain::ResetDefault => self.chip.info().dfsm_reset.is_none_or(|reset| reset >> 2 & 1 == 1),
        }
    }

    /// Samples of the coverage or of the depth target, whichever is more, as log2.
    pub fn most_samples_log2(&self) -> u32 {
        self.coverage_log2.max(self.depth_log2.unwrap_or(0))
    }

    /// Relaxed order asked for on a chip that can.
    pub fn out_of_order(&self) -> bool {
        self.desc.order == RasterizationOrder::Relaxed && self.chip.info().out_of_order_rasterization
    }
}

fn samples_log2(what: &'static str, samples: u32, most: u32, chip: Chip) -> Result<u32, DrawError> {
    if samples.is_power_of_two() && samples <= most { Ok(samples.trailing_zeros()) } else { Err(DrawError::Samples { what, samples, most, chip }) }
}

/// Bresenham lines are rasterized with one sample and smooth ones with four, whatever is asked for (Mesa 25.0.7 radv_get_rasterization_samples).
fn coverage_log2(desc: &DrawParts<'_>, asked: u32) -> u32 {
    let lines = desc.drawn() == Class::Lines;
    match desc.raster.line_mode {
        LineMode::Bresenham if lines => 0,
        LineMode::RectangularSmooth if lines => 2,
        _ => asked,
    }
}

/// Counts and sizes.
fn sizes(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
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
    let colors = desc.color.images().iter().map(|image| (&image.surface, Some(hardware(image.format).bytes)));
    for (surface, bytes) in colors.chain(desc.depth.as_ref().map(|depth| (&depth.surface, None))) {
        for address in [surface.address, surface.stencil_address] {
            check(address % 256 == 0 && address >> 48 == 0, "the address of a target", address, "a multiple of 256 below 2^48")?;
        }
        let pitch = surface.pitch.unwrap_or(1);
        check((1..=65536).contains(&pitch), PITCH, pitch.into(), "1 to 65536 pixels")?;
        check_pitch(surface, bytes, width, chip)?;
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
        // Numbers of the address library: GFX12 has a list of its own (addrtypes.h AddrSwizzleMode, Addr3SwizzleMode).
        let modes = if chip.gfx().major() >= 12 { 8 } else { 32 };
        check(surface.swizzle < modes, "the swizzle mode of a target", surface.swizzle.into(), "0 to 31, on GFX12 0 to 7")?;
        let of_stencil = surface.stencil_swizzle.unwrap_or(0);
        check(of_stencil < modes, "the swizzle mode of stencil", of_stencil.into(), "0 to 31, on GFX12 0 to 7")?;
        check(surface.last_level < 15, "the last mip level of a target", surface.last_level.into(), "at most 14")?;
        check(surface.level <= surface.last_level, "the mip level of a target", surface.level.into(), "at most the image's last level")?;
    }
    Ok(())
}

const PITCH: &str = "the pitch of a target";

/// Whether a pitch has a place: GFX9 has a register for it. Later generations hold it as the width, of linear colour targets alone; GFX10.1 pads rows itself
/// (Mesa 25.0.7 ac_descriptors.c, ac_surface.c). `bytes`: of a pixel, None for depth.
fn check_pitch(surface: &Surface, bytes: Option<u32>, width: u32, chip: Chip) -> Result<(), DrawError> {
    let gfx = chip.gfx();
    let Some(pitch) = surface.pitch.filter(|_| gfx.major() > 9) else { return Ok(()) };
    let check = |fine: bool, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what: PITCH, value: pitch.into(), limit }) };
    check(surface.swizzle == 0 && bytes.is_some(), "no pitch (None) from GFX10 on, except for linear colour targets")?;
    check(surface.layers == (0, 0) && surface.last_level == 0, "no pitch (None) from GFX10 on, except for targets of one layer and one mip level")?;
    let bytes = bytes.unwrap_or(1);
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

/// Sizes of bins.
fn binning(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(Binning { width, height }) = desc.binning else { return Ok(()) };
    for (what, value) in [("the width of a bin", width), ("the height of a bin", height)] {
        // 1024 is in the captures of Navi31 alone, and no source names it.
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

/// Stencil beside depth has a place of its own; of a target without addresses nothing is said.
fn stencil_place(desc: &DrawParts<'_>) -> Result<(), DrawError> {
    let beside_depth = desc.depth.filter(|depth| depth.format.has_stencil() && depth.format != DepthFormat::S8);
    match beside_depth.map(|depth| depth.surface) {
        Some(Surface { address: 1.., stencil_address: 0, .. }) => {
            let limit = "an address beside that of depth: set `Surface::stencil_address`";
            Err(DrawError::Limit { what: "the address of stencil", value: 0, limit })
        }
        _ => Ok(()),
    }
}

fn targets(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
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

fn shader(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(shader) = &desc.shader else { return Ok(()) };
    if shader.post_depth_coverage && chip.gfx().major() == 9 {
        let limit = "GFX10 and later have PRE_SHADER_DEPTH_COVERAGE_ENABLE";
        return Err(DrawError::OptionAbsent { option: "post-depth coverage", chip, limit });
    }
    if !shader.reads_inner_coverage {
        return Ok(());
    }
    let refuse = |why| Err(DrawError::Stages { what: "inner coverage", why });
    if desc.raster.conservative != ConservativeRaster::Overestimate {
        return refuse("set `Raster::conservative` to `ConservativeRaster::Overestimate`: with other rasterization every pixel would count as covered whole");
    }
    if desc.uses_pops() {
        return refuse("it has a sample more than the draw, and no source says how an ordered section works with it");
    }
    Ok(())
}
