//! RB+: the formats to which exports are reduced before they reach the colour block, and the data that blending can ignore.

use crate::draw::check::color_format::hardware;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::ColorTarget;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::regs::layout::SpiShaderExFormat;

/// Returns the disabled optimizations of one target: bit 0 for colour, bit 1 for alpha. They are disabled for components that are not exported, not written or
/// not stored, as in recorded command buffers of radeonsi and RADV.
fn disabled(target: &ColorTarget<'_>, export: SpiShaderExFormat) -> u32 {
    let format = hardware(target.format);
    let exported = export != SpiShaderExFormat::SPI_SHADER_ZERO;
    // A format of one channel has either colour or alpha.
    let colour = exported && target.write_mask & 0x7 != 0 && (!format.channels.is_single() || format.no_alpha);
    let alpha = exported && target.write_mask & 0x8 != 0 && !format.no_alpha;
    u32::from(!colour) | u32::from(!alpha) << 1
}

/// Adds SX_PS_DOWNCONVERT, SX_BLEND_OPT_EPSILON and SX_BLEND_OPT_CONTROL, on chips with RB+.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    if !inputs.chip.info().rb_plus {
        return;
    }
    let (mut formats, mut epsilons, mut off) = (0u32, 0u32, 0u32);
    for (at, (target, export)) in inputs.desc.color.iter().zip(inputs.exports).enumerate() {
        let (format, epsilon) = hardware(target.format).reduced(inputs.gfx, export);
        formats |= format << (4 * at);
        epsilons |= u32::from(epsilon) << (4 * at);
        off |= disabled(&target, export) << (4 * at);
    }
    on_gfx!(each inputs.gfx, r => {
        sheet.add(Word::new(On::<r::SxPsDownconvert, { r::GFX }>::SLOT).whole(formats, "RB+ exports in the target's format"));
        sheet.add(Word::new(On::<r::SxBlendOptEpsilon, { r::GFX }>::SLOT).whole(epsilons, "precision of the target's format"));
        sheet.add(Word::new(On::<r::SxBlendOptControl, { r::GFX }>::SLOT).whole(off, "channels that are not written or not stored are not optimized"));
    });
}
