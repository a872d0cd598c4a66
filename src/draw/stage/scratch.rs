//! Scratch memory of a draw or dispatch.

use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::shader_program::Program;
use crate::draw::stage::{front, resource_units};

/// The memory that waves take their scratch from.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, DrawError, Program, ScratchRing};
/// let program = Program { scratch_bytes: 1024, ..Program::default() };
/// let dispatch = DispatchDesc { program, scratch: Some(ScratchRing { address: 0x10_0000, waves: 128 }), ..DispatchDesc::default() };
/// assert!(dispatch.resolve(Chip::Navi31).is_ok());
/// let without = DispatchDesc { scratch: None, ..dispatch };
/// assert!(matches!(without.resolve(Chip::Navi31), Err(DrawError::NoScratch { bytes: 1024 })));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScratchRing {
    /// Address in bytes, 256-byte aligned, below 2^48. GFX11 and later read it from a register; before, shaders get it as user data.
    pub address: u64,
    /// Waves that the memory serves at once, on GFX11 and later in each shader engine: 1 to 4095.
    pub waves: u32,
}

/// Scratch that the programs need is there.
pub(crate) fn check<'a>(ring: Option<ScratchRing>, programs: impl IntoIterator<Item = &'a Program>) -> Result<(), DrawError> {
    match ring {
        None => match programs.into_iter().map(|p| p.scratch_bytes).max() {
            None | Some(0) => Ok(()),
            Some(bytes) => Err(DrawError::NoScratch { bytes }),
        },
        Some(ring) if ring.address % 256 != 0 || ring.address >> 48 != 0 => {
            Err(DrawError::Limit { what: "the address of scratch memory", value: ring.address, limit: "a multiple of 256 below 2^48" })
        }
        Some(ring) if !(1..=0xFFF).contains(&ring.waves) => {
            Err(DrawError::Limit { what: "waves with scratch", value: u64::from(ring.waves), limit: "1 to 4095" })
        }
        Some(_) => Ok(()),
    }
}

/// SPI_TMPRING_SIZE: waves with scratch, and the largest need of a wave.
fn spi_tmpring_size<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
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
fn base<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let address = inputs.desc.scratch.map_or(0, |ring| ring.address);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {},
        Gfx11x | Gfx12 => {
            sheet.add(Word::new(On::<r::SpiGfxScratchBaseLo, { r::GFX }>::SLOT).whole((address >> 8) as u32, "address of scratch memory >> 8"));
            sheet.add(Word::new(On::<r::SpiGfxScratchBaseHi, { r::GFX }>::SLOT).whole((address >> 40) as u32, "address of scratch memory >> 40"));
        },
    });
}

pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_tmpring_size(inputs));
    base(inputs, sheet);
}
