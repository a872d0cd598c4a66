//! Exports of the pixel shader: stated by the shader and checked against the targets, or derived from the targets.

use crate::chip::Chip;
use crate::draw::check::color_format::{Export, hardware};
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::{ColorTarget, EffectiveDraw, MOST_TARGETS};
use crate::draw::desc::{DrawError, ExportFormat, PixelExports};
use crate::regs::layout::{SpiShaderExFormat, SurfaceNumber};

impl PixelExports {
    /// Checks that the exports contain everything that the draw uses.
    pub(crate) fn check(&self, inputs: &DrawInputs<'_>) -> Result<(), DrawError> {
        self.check_depth(inputs)?;
        self.check_coverage(inputs)?;
        inputs.desc.color.iter().enumerate().try_for_each(|(target, color)| self.check_target(inputs, target, &color))
    }

    /// Checks the channels of depth, stencil and mask. Depth in 16 bits is unverified and refused: no driver's formats have it (Mesa 25.0.7
    /// ac_get_spi_shader_z_format).
    fn check_depth(&self, inputs: &DrawInputs<'_>) -> Result<(), DrawError> {
        let Some(shader) = inputs.shader() else { return Ok(()) };
        let written = [(shader.writes_depth, "depth"), (shader.writes_stencil, "the stencil reference"), (shader.writes_sample_mask, "the sample mask")];
        for (channel, (_, lost)) in written.into_iter().enumerate().filter(|(_, (written, _))| *written) {
            if self.depth.channels() >> channel & 1 == 0 {
                return Err(DrawError::DepthExport { export: self.depth, lost });
            }
        }
        if shader.writes_depth && self.depth.is_half() {
            return Err(DrawError::DepthExport { export: self.depth, lost: "the 32 bits of depth" });
        }
        Ok(())
    }

    /// Checks the alpha that becomes coverage: from target 0; from GFX11 on from the export of depth, if there is one (recorded command buffers). Where alpha
    /// becomes 1 afterwards, target 0 gets the 1 and the export of depth the alpha (Mesa 25.0.7).
    fn check_coverage(&self, inputs: &DrawInputs<'_>) -> Result<(), DrawError> {
        if !inputs.desc.alpha_to_coverage {
            return Ok(());
        }
        let of_depth = inputs.desc.alpha_to_one || inputs.gfx.major() >= 11 && self.depth != ExportFormat::Zero;
        let (export, place) = if of_depth { (self.depth, "of depth") } else { (self.color[0], "for target 0") };
        if export.carries_alpha() { Ok(()) } else { Err(DrawError::CoverageExport { export, place }) }
    }

    fn check_target(&self, inputs: &DrawInputs<'_>, target: usize, color: &ColorTarget<'_>) -> Result<(), DrawError> {
        let refuse = |target, export, lost| Err(DrawError::Export { target, format: color.format, export, lost });
        let blend = inputs.desc.blend(color);
        if blend.is_some_and(|blend| blend.is_dual_source()) {
            let [first, second, ..] = self.color;
            if second == ExportFormat::Zero || second != first {
                // Without both the colour block may hang (PAL gfx9GraphicsPipeline.cpp). Whether their formats may differ is unverified.
                return refuse(target, second, "the second colour of dual-source blending: its export must have the format of the first");
            }
        }
        let Some(export) = self.color.get(target).copied().filter(|export| *export != ExportFormat::Zero) else { return Ok(()) };
        let stored = hardware(color.format).stored & color.write_mask;
        if stored == 0 {
            return Ok(());
        }
        if stored & !export.channels() != 0 {
            return refuse(target, export, "all channels that are written");
        }
        if blend.is_some_and(|blend| blend.reads_source_alpha()) && !export.carries_alpha() {
            return refuse(target, export, "the alpha that blending reads");
        }
        if blend.is_some() && matches!(export, ExportFormat::Unorm16 | ExportFormat::Snorm16) {
            // Mesa 25.0.7 ac_choose_spi_color_formats.
            return refuse(target, export, "colours that can blend (16-bit normalized exports cannot): use another export format");
        }
        match lost(color, export) {
            Some(lost) => refuse(target, export, lost),
            None => Ok(()),
        }
    }
}

/// Returns why an export does not fit the numbers of a target, or None if it fits. Integers go to integers, floats to all other targets; whether the colour
/// block converts normalized exports to floats or to numbers of another sign is unverified (Mesa 25.0.7 ac_choose_spi_color_formats never asks for it). An
/// export with fewer bits than the target is a compiler's choice and fits.
fn lost(color: &ColorTarget<'_>, export: ExportFormat) -> Option<&'static str> {
    use ExportFormat as E;
    use SurfaceNumber as N;
    const RANGE: &str = "the range of the target";
    match (export, hardware(color.format).number) {
        (E::Fp16 | E::Unorm16 | E::Snorm16, N::NUMBER_UINT | N::NUMBER_SINT) => Some("integers"),
        (E::Uint16, N::NUMBER_SINT) | (E::Sint16, N::NUMBER_UINT) => Some(RANGE),
        (E::Uint16, N::NUMBER_UINT) | (E::Sint16, N::NUMBER_SINT) => None,
        (E::Uint16 | E::Sint16, _) => Some("numbers that are not integers"),
        (E::Unorm16 | E::Snorm16, N::NUMBER_FLOAT) | (E::Unorm16, N::NUMBER_SNORM) => Some(RANGE),
        (E::Zero | E::R32 | E::Gr32 | E::Ar32 | E::Abgr32 | E::Fp16 | E::Unorm16 | E::Snorm16, _) => None,
    }
}

/// Returns the export format for each target: the one that the shader states; otherwise the one that the target accepts, and none if no channel is written. The
/// second colour of dual-source blending, exported in the place of target 1, has the format of target 0.
pub(crate) fn of_draw(desc: &EffectiveDraw<'_>, chip: Chip) -> [SpiShaderExFormat; MOST_TARGETS] {
    if let Some(own) = desc.stated_exports() {
        return own.color.map(ExportFormat::register);
    }
    let mut exports = [SpiShaderExFormat::SPI_SHADER_ZERO; MOST_TARGETS];
    for (at, (export, target)) in exports.iter_mut().zip(desc.color.iter()).enumerate() {
        *export = export_to(desc, chip, at, &target);
    }
    let [first, second, ..] = &mut exports;
    if desc.exports_coverage_alone() {
        *first = SpiShaderExFormat::SPI_SHADER_32_AR;
    }
    if desc.dual_source() {
        *second = *first;
    }
    exports
}

/// Returns the export format that target `at` accepts.
fn export_to(desc: &EffectiveDraw<'_>, chip: Chip, at: usize, target: &ColorTarget<'_>) -> SpiShaderExFormat {
    if desc.shader.is_none() || target.write_mask == 0 {
        return SpiShaderExFormat::SPI_SHADER_ZERO;
    }
    let blend = desc.blend(target);
    // Alpha of target 0 becomes coverage, whether the target keeps it or not.
    let alpha = blend.is_some_and(|blend| blend.reads_source_alpha()) || (at == 0 && desc.alpha_to_coverage);
    hardware(target.format).export(Export { blends: blend.is_some(), alpha, rb_plus: chip.info().rb_plus })
}
