//! The pixel shader's depth export.

use crate::draw::check::exports;
use crate::draw::check::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// SPI_SHADER_Z_FORMAT: how depth, stencil and sample mask leave the shader (captures: depth alone 32_R, mask alone UINT16_ABGR;
/// Mesa 25.0.7 ac_get_spi_shader_z_format: stencil without a mask 32_GR, with depth or without).
fn spi_shader_z_format<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let shader = inputs.shader().map_or((false, false, false), |s| (s.writes_depth, s.writes_stencil, s.writes_sample_mask));
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderZFormat;
        use r::SpiShaderExFormat as Format;
        if let Some(own) = exports::stated(inputs.desc) {
            return Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::Z_EXPORT_FORMAT, own.depth.register(), "the shader states it"));
        }
        let (format, rule) = match shader {
            // With alpha: 32_AR is seen in the captures; beside stencil or a mask it takes all four channels, which is unverified.
            (_, false, false) if inputs.exports_coverage_alpha() => (Format::SPI_SHADER_32_AR, "alpha that becomes coverage is exported, with depth or without"),
            (..) if inputs.exports_coverage_alpha() => (Format::SPI_SHADER_32_ABGR, "alpha that becomes coverage is exported together with stencil or sample mask"),
            (true, _, true) => (Format::SPI_SHADER_32_ABGR, "depth and sample mask are written"),
            (_, true, false) => (Format::SPI_SHADER_32_GR, "stencil is written, with depth or without"),
            (true, false, false) => (Format::SPI_SHADER_32_R, "depth is written"),
            (false, _, true) => (Format::SPI_SHADER_UINT16_ABGR, "the sample mask is written, with stencil or without; depth is not"),
            (false, false, false) => (Format::SPI_SHADER_ZERO, "neither depth nor stencil nor sample mask is written"),
        };
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::Z_EXPORT_FORMAT, format, rule))
    })
}

/// Adds the shader registers.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_z_format(inputs));
}
