//! The pixel shader's depth export.

use crate::draw::check::inputs::Inputs;
use crate::draw::decide::stage::pixel::spi_shader_z_format;
use crate::draw::sheet::{Sheet, Why};

/// Adds the shader registers.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_z_format(inputs));
}
