//! The list of all groups of registers.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::stage::{geometry, mesh, pixel, scratch, streamout, tessellation};
use crate::draw::decide::{blend, color, depth, msaa, pops, raster, rate_image, rb_plus, samples, surface, viewport, vrs};
use crate::draw::sheet::{Sheet, Why};

/// Adds the registers of the stages.
fn stages<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    pixel::add(inputs, sheet);
    tessellation::add(inputs, sheet);
    geometry::add(inputs, sheet);
    mesh::add(inputs, sheet);
    streamout::add(inputs, sheet);
    scratch::add(inputs, sheet);
}

/// Returns all registers that follow from pipeline and targets, before any workaround. No two groups have a register in common.
pub(crate) fn all<S: Why>(inputs: &DrawInputs<'_>) -> Sheet<S> {
    let mut sheet = Sheet::new(inputs.gfx);
    programs(inputs, &mut sheet);
    images(inputs, &mut sheet);
    both(inputs, &mut sheet);
    sheet
}

/// Adds the registers of the programs and of sample positions.
pub(crate) fn programs<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    stages(inputs, sheet);
    samples::add(inputs, sheet);
}

/// Adds the registers of the images of targets: addresses, sizes, layers and metadata of colour and depth targets and of a shading-rate image, and the window.
pub(crate) fn images<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    surface::add(inputs, sheet);
    depth::add_image(inputs, sheet);
    viewport::add(inputs, sheet);
    rate_image::add(inputs, sheet);
}

/// Adds the registers that depend on both pipeline and targets.
pub(crate) fn both<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    pops::add(inputs, sheet);
    msaa::add(inputs, sheet);
    depth::add(inputs, sheet);
    color::add(inputs, sheet);
    blend::add(inputs, sheet);
    rb_plus::add(inputs, sheet);
    raster::add(inputs, sheet);
    vrs::add(inputs, sheet);
}
