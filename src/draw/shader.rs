//! The pixel shader's program and its depth export.

use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// SPI_SHADER_PGM_LO_PS and HI_PS: the program's address in units of 256 bytes.
fn program(inputs: &Inputs<'_>, image: &mut Image) {
    let Some(address) = inputs.shader().and_then(|s| s.address) else { return };
    let (lo, hi) = ((address >> 8) as u32, (address >> 40) as u32);
    image.add(on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderPgmLoPs;
        Word::new::<R>(inputs.gfx).map(|w| w.set(R::MEM_BASE, lo, "address of the program >> 8"))
    }));
    image.add(on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderPgmHiPs;
        Word::new::<R>(inputs.gfx).map(|w| w.set(R::MEM_BASE, hi, "address of the program >> 40"))
    }));
}

/// SPI_SHADER_Z_FORMAT: how depth, stencil and sample mask leave the shader (captures: depth alone 32_R, mask alone UINT16_ABGR).
fn spi_shader_z_format(inputs: &Inputs<'_>) -> Option<Word> {
    let shader = inputs.shader().map_or((false, false, false), |s| (s.writes_depth, s.writes_stencil, s.writes_sample_mask));
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderZFormat;
        use r::SpiShaderExFormat as Format;
        let (format, rule) = match shader {
            (true, _, true) => (Format::SPI_SHADER_32_ABGR, "depth and sample mask are written"),
            (true, true, false) => (Format::SPI_SHADER_32_GR, "depth and stencil are written"),
            (true, false, false) => (Format::SPI_SHADER_32_R, "depth is written"),
            (false, true, _) | (false, _, true) => (Format::SPI_SHADER_UINT16_ABGR, "stencil or sample mask are written, depth is not"),
            (false, false, false) => (Format::SPI_SHADER_ZERO, "neither depth nor stencil nor sample mask is written"),
        };
        Some(Word::new::<R>(inputs.gfx)?.set(R::Z_EXPORT_FORMAT, format as u32, rule))
    })
}

/// Adds the shader registers.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    program(inputs, image);
    image.add(spi_shader_z_format(inputs));
}
