//! Registers of scratch memory.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::front;
use crate::draw::desc::resource_units;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// SPI_TMPRING_SIZE: waves with scratch, and the largest need of a wave.
fn spi_tmpring_size<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let before = front::programs(inputs.desc).map(|program| program.scratch_bytes);
    let bytes = before.fold(inputs.program.scratch_bytes, u32::max);
    let waves = inputs.desc.scratch.filter(|_| bytes != 0).map_or(0, |ring| ring.waves);
    let rule = if bytes == 0 { "no program uses scratch" } else { "waves that the memory serves; the largest need, in the generation's unit" };
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiTmpringSize;
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::WAVES, waves, rule).set(R::WAVESIZE, resource_units::scratch_field(inputs.gfx, bytes), rule))
    })
}

/// SPI_GFX_SCRATCH_BASE_LO and HI (GFX11 and later).
fn base<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let address = inputs.desc.scratch.map_or(0, |ring| ring.address);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {},
        Gfx11x | Gfx12 => {
            sheet.add(Word::new(On::<r::SpiGfxScratchBaseLo, { r::GFX }>::SLOT).whole((address >> 8) as u32, "address of scratch memory >> 8"));
            sheet.add(Word::new(On::<r::SpiGfxScratchBaseHi, { r::GFX }>::SLOT).whole((address >> 40) as u32, "address of scratch memory >> 40"));
        },
    });
}

pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_tmpring_size(inputs));
    base(inputs, sheet);
}
