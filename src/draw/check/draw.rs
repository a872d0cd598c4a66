//! The check of a draw against a chip, which turns the draw into the inputs of its registers.

use crate::chip::{Chip, Erratum};
use crate::draw::check::draw_inputs::{self, DrawInputs};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::front::{self, Front};
use crate::draw::check::{exports, passes, programs, rates, targets};
use crate::draw::desc::pipeline::NO_SHADER;
use crate::draw::desc::pixel_inputs::ResolvedLoads;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{Board, ConservativeRaster, Drain, DrawError, LineMode, PixelInputs, Stage, board, numbers};

impl<'a> DrawInputs<'a> {
    /// Returns a draw with its number of instances.
    pub fn check_counted(desc: &'a EffectiveDraw<'a>, instances: u32, chip: Chip) -> Result<Self, DrawError> {
        let inputs = Self::check(desc, chip)?;
        match instances {
            0 => Err(DrawError::Limit { what: "the number of instances", value: 0, limit: "at least 1" }),
            _ => Ok(inputs),
        }
    }

    pub fn check(desc: &'a EffectiveDraw<'a>, chip: Chip) -> Result<Self, DrawError> {
        let inputs = Self::check_before_exports(desc, chip)?;
        desc.stated_exports().map_or(Ok(()), |own| own.check(&inputs))?;
        Ok(inputs)
    }

    /// Checks a draw except the match of stated exports and targets: for a pipeline whose targets are not yet known.
    pub fn check_before_exports(desc: &'a EffectiveDraw<'a>, chip: Chip) -> Result<Self, DrawError> {
        let gfx = chip.gfx();
        board::check_board(desc.board)?;
        floats(desc)?;
        desc.sample_locations.iter().try_for_each(numbers::sample_locations)?;
        let asked_log2 = samples_log2("coverage", desc.samples, max_coverage(chip), chip)?;
        let coverage_log2 = coverage_log2(desc, asked_log2);
        let depth_log2 = desc.depth.map(|d| samples_log2("depth target", d.samples, targets::MAX_SAMPLES, chip)).transpose()?;
        for color in desc.color.iter() {
            samples_log2("colour target", color.samples.unwrap_or(desc.samples), targets::MAX_SAMPLES, chip)?;
        }
        passes::check(desc, chip)?;
        targets::compression(desc, chip)?;
        targets::hierarchical(desc, chip)?;
        targets::rate_image(desc, chip)?;
        desc.raster.clip_planes.map_or(Ok(()), |clip| clip.check())?;
        if let Some(depth) = desc.depth.filter(|d| d.samples != desc.samples && gfx.major() >= 11 && desc.uses_pops()) {
            let why = "no source says how POPS works with other pairs";
            return Err(DrawError::DepthSamples { depth: depth.samples, coverage: desc.samples, chip, why });
        }
        if desc.shader.as_ref().is_some_and(|shader| shader.reads_inner_coverage) && coverage_log2 > 2 {
            return Err(DrawError::Stages { what: "inner coverage", why: "it takes twice the coverage samples of the draw, 8 at most" });
        }
        if desc.uses_pops() && desc.raster.conservative == ConservativeRaster::Underestimate && coverage_log2 != 0 {
            // PA_SC_AA_CONFIG then says one sample, regardless of the request and of the lines.
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
        targets::targets(desc, chip)?;
        programs::pixel_shader(desc, chip)?;
        targets::sizes(desc, chip)?;
        targets::binning(desc, chip)?;
        let (rate, rate_rule) = rates::effective_rate(desc, chip)?;
        let (front, loads) = stages(desc, chip)?;
        let program = &desc.shader.as_deref().unwrap_or(&NO_SHADER).program;
        let (pops, exposed_log2, board) = (desc.uses_pops(), coverage_log2, desc.board.or_else(|| Board::recorded(chip)));
        let (path, exports) = (front.path, exports::of_draw(desc, chip));
        let inputs = Self { desc, chip, gfx, pops, coverage_log2, exposed_log2, depth_log2, rate, rate_rule, path, front, loads, program, board, exports };
        inputs.options()?;
        Ok(inputs)
    }

    /// Refuses options that the generation lacks or that contradict the draw.
    fn options(&self) -> Result<(), DrawError> {
        let (desc, chip) = (self.desc, self.chip);
        let absent = |option, limit| Err(DrawError::OptionAbsent { option, chip, limit });
        let expert = desc.expert;
        if desc.drain != Drain::Auto && !self.has_dfsm() {
            return absent("the drain (DB_DFSM_CONTROL.POPS_DRAIN_PS_ON_OVERLAP)", "GFX9 to GFX10.3 have the register");
        }
        if desc.drain == Drain::Off && draw_inputs::needs_drain(self) {
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
}

/// Returns the largest number of coverage samples: 16 if a target may have fewer than the draw. From GFX11 on targets have no fragments separate from samples,
/// POPS counts in the two bits of DB_Z_INFO.NUM_SAMPLES, and no source describes 16.
fn max_coverage(chip: Chip) -> u32 {
    if chip.gfx().major() <= 10 { 16 } else { 8 }
}

fn samples_log2(what: &'static str, samples: u32, most: u32, chip: Chip) -> Result<u32, DrawError> {
    if samples.is_power_of_two() && samples <= most { Ok(samples.trailing_zeros()) } else { Err(DrawError::Samples { what, samples, most, chip }) }
}

/// Bresenham lines are rasterized with one sample and smooth ones with four, regardless of the request (Mesa 25.0.7 radv_get_rasterization_samples).
fn coverage_log2(desc: &EffectiveDraw<'_>, asked: u32) -> u32 {
    let lines = desc.drawn() == Class::Lines;
    match desc.raster.line_mode {
        LineMode::Bresenham if lines => 0,
        LineMode::RectangularSmooth if lines => 2,
        _ => asked,
    }
}

/// Checks the floating-point numbers.
fn floats(desc: &EffectiveDraw<'_>) -> Result<(), DrawError> {
    numbers::line_width(desc.raster.line_width)?;
    desc.viewports.iter().try_for_each(numbers::viewport)?;
    desc.raster.depth_bias.iter().try_for_each(numbers::depth_bias)?;
    desc.depth_test.bounds.iter().try_for_each(numbers::depth_bounds)?;
    numbers::blend_constants(&desc.blend_constants)
}

/// Checks the stages against the chip. Returns the common result of those before rasterization, and the loads of the pixel shader.
fn stages(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(Front, ResolvedLoads), DrawError> {
    let front = Front::check(desc, chip)?;
    let pixel = desc.shader.as_ref().map(|shader| &shader.program);
    programs::scratch(desc.scratch, pixel.into_iter().chain(front::programs(desc)))?;
    let Some(shader) = &desc.shader else { return Ok((front, PixelInputs::NONE.resolve()?)) };
    shader.program.check(Stage::Pixel, chip)?;
    shader.inputs.check(desc.vertex.parameters)?;
    if shader.inputs.provoking_vertex && chip.gfx().version() < (10, 3) {
        return Err(DrawError::OptionAbsent { option: "the provoking vertex in an SGPR", chip, limit: "GFX10.3 and later have LOAD_PROVOKING_VTX" });
    }
    Ok((front, shader.inputs.resolve()?))
}
