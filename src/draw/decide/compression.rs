//! Compression of colour targets: the addresses of metadata, and its fields in CB_COLORn.
//!
//! Rules: Mesa 25.0.7 radv_initialise_color_surface, ac_surface.c, si_pipe.h, radv_meta_clear.c; captures of four boards agree. From GFX12 on pages say whether memory
//! is compressed, and targets say only how large its compressed blocks are.

use crate::chip::{Chip, Erratum};
use crate::descriptors::CompressedBlock;
use crate::draw::check::color_format::hardware;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::ColorTarget;
use crate::draw::desc::{ColorCompression, Dcc, DccBlocks};
use crate::draw::sheet::{On, Sheet, Why, Word};

/// log2 of the bytes of the largest uncompressed block of GFX9, over 64: 256 bytes, less for several samples of small pixels. Later generations always have 256
/// bytes, as do their descriptors (Mesa 25.0.7 ac_init_gfx6_cb_surface, ac_init_gfx10_cb_surface).
fn uncompressed_block(target: &ColorTarget<'_>, samples: u32) -> u32 {
    match (samples > 1, hardware(target.format).bytes) {
        (true, 1) => 0,
        (true, 2) => 1,
        _ => 2,
    }
}

/// CB_COLORn_DCC_CONTROL (GFX9 to GFX10.3), of targets with DCC.
fn dcc_control<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, dcc: Dcc) -> Option<Word<S>> {
    let samples = target.samples.unwrap_or(inputs.desc.samples);
    let (small, blocks) = (smallest_block(inputs.chip), dcc.blocks.unwrap_or(DccBlocks::of(inputs.chip)));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::CbColorDccControl;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MAX_UNCOMPRESSED_BLOCK_SIZE, uncompressed_block(target, samples), "256 bytes; less for several samples of small pixels")
                .set(R::MIN_COMPRESSED_BLOCK_SIZE, small, SMALLEST)
                .set(R::MAX_COMPRESSED_BLOCK_SIZE, blocks.largest as u32, LARGEST)
                .set(R::INDEPENDENT_64B_BLOCKS, blocks.independent_64, INDEPENDENT))
        },
        Gfx10 | Gfx103 => {
            type R = r::CbColorDccControl;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MAX_UNCOMPRESSED_BLOCK_SIZE, 2u32, "256 bytes")
                .set(R::MIN_COMPRESSED_BLOCK_SIZE, small, SMALLEST)
                .set(R::MAX_COMPRESSED_BLOCK_SIZE, blocks.largest as u32, LARGEST)
                .set(R::INDEPENDENT_64B_BLOCKS, blocks.independent_64, INDEPENDENT)
                .set(R::INDEPENDENT_128B_BLOCKS, blocks.independent_128, INDEPENDENT))
        },
        Gfx11x | Gfx12 => None,
    })
}

const LARGEST: &str = "largest compressed block of the surface";
const INDEPENDENT: &str = "independent blocks of the surface";
const SMALLEST: &str = "32 bytes; on APUs but Strix Halo 64, the size of their memory accesses (Mesa 25.0.7)";

/// Returns MIN_COMPRESSED_BLOCK_SIZE.
fn smallest_block(chip: Chip) -> u32 {
    u32::from(chip.info().apu && chip.info().llvm != "gfx1151")
}

/// Returns MAX_COMP_FRAGS for a target with this number of samples on GFX12.
fn compressed_fragments(samples: u32) -> u32 {
    match samples {
        8 => 3,
        4 => 2,
        _ => 0,
    }
}

/// CB_COLORn_FDCC_CONTROL: GFX11 and GFX11.5 switch compression with it; earlier generations use CB_COLORn_INFO. On GFX12 pages say whether memory is
/// compressed, and the register always has the limits; a surface that is not described has the blocks of RADV (Mesa 25.0.7 ac_init_gfx12_cb_surface,
/// recordings; PAL 04/2025).
fn fdcc_control<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>) -> Option<Word<S>> {
    let samples = target.samples.unwrap_or(inputs.desc.samples);
    let fragments = compressed_fragments(samples);
    let limit = "limit of compressed fragments, by the samples of the target";
    let dcc = target.compression.and_then(|compression| compression.dcc);
    let blocks = dcc.map(|dcc| dcc.blocks.unwrap_or(DccBlocks::of(inputs.chip)));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => None,
        Gfx11x => {
            type R = r::CbColorFdccControl;
            let word = Word::element(On::<R, { r::GFX }>::PLACE, index)?;
            let Some(blocks) = blocks else { return Some(word.whole(0, "the target is not compressed")) };
            let hit = inputs.chip.has(Erratum::MaxCompressedFragments);
            // Captures of GFX11.5 have one number for 4 and for 8 samples.
            let least = u32::from(hit && samples >= 4);
            Some(word
                .set(R::FDCC_ENABLE, true, "the target is compressed")
                .set(R::MAX_UNCOMPRESSED_BLOCK_SIZE, 2u32, "256 bytes")
                .set(R::MIN_COMPRESSED_BLOCK_SIZE, smallest_block(inputs.chip), SMALLEST)
                .set(R::MAX_COMPRESSED_BLOCK_SIZE, blocks.largest as u32, LARGEST)
                .set(R::INDEPENDENT_64B_BLOCKS, blocks.independent_64, INDEPENDENT)
                .set(R::INDEPENDENT_128B_BLOCKS, blocks.independent_128, INDEPENDENT)
                .set(R::DISABLE_CONSTANT_ENCODE_REG, true, "no clear colour is in registers")
                .set(R::ENABLE_MAX_COMP_FRAG_OVERRIDE, hit, limit)
                .set(R::MAX_COMP_FRAGS, least, limit))
        },
        Gfx12 => {
            type R = r::CbColorFdccControl;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MAX_UNCOMPRESSED_BLOCK_SIZE, 1u32, "256 bytes")
                .set(R::MAX_COMPRESSED_BLOCK_SIZE, blocks.map_or(CompressedBlock::B64, |blocks| blocks.largest) as u32, LARGEST)
                .set(R::ENABLE_MAX_COMP_FRAG_OVERRIDE, true, limit)
                .set(R::MAX_COMP_FRAGS, fragments, limit))
        },
    })
}

/// CB_COLORn_DCC_BASE and its upper bits.
fn dcc_base<S: Why>(inputs: &DrawInputs<'_>, index: u32, dcc: Dcc, sheet: &mut Sheet<S>) {
    let (lo, hi) = ((dcc.address >> 8) as u32, (dcc.address >> 40) as u32);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            sheet.add(Word::element(On::<r::CbColorDccBase, { r::GFX }>::PLACE, index).map(|w| w.whole(lo, "address of the keys of DCC >> 8")));
            sheet.add(Word::element(On::<r::CbColorDccBaseExt, { r::GFX }>::PLACE, index).map(|w| w.whole(hi, "address of the keys of DCC >> 40")));
        },
        Gfx12 => {},
    });
}

/// CB_COLORn_CMASK and FMASK with their upper bits, CLEAR_WORD0 and 1 (GFX9 to GFX10.3). An unused base is the base of the target.
fn masks<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, compression: &ColorCompression, sheet: &mut Sheet<S>) {
    let parts = |address: Option<u64>| address.map_or(target.surface.address, |address| address);
    let (cmask, fmask) = (parts(compression.cmask), parts(compression.fmask.map(|fmask| fmask.address)));
    let rule = |used: bool| if used { "address of the metadata" } else { "not used: the address of the target" };
    let (of_cmask, of_fmask) = (rule(compression.cmask.is_some()), rule(compression.fmask.is_some()));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            sheet.add(Word::element(On::<r::CbColorCmask, { r::GFX }>::PLACE, index).map(|w| w.whole((cmask >> 8) as u32, of_cmask)));
            sheet.add(Word::element(On::<r::CbColorCmaskBaseExt, { r::GFX }>::PLACE, index).map(|w| w.whole((cmask >> 40) as u32, of_cmask)));
            sheet.add(Word::element(On::<r::CbColorFmask, { r::GFX }>::PLACE, index).map(|w| w.whole((fmask >> 8) as u32, of_fmask)));
            sheet.add(Word::element(On::<r::CbColorFmaskBaseExt, { r::GFX }>::PLACE, index).map(|w| w.whole((fmask >> 40) as u32, of_fmask)));
            let [first, second] = compression.clear_words.unwrap_or_default();
            if compression.clear_words.is_some() {
                let clear = "the colour of blocks that are cleared";
                sheet.add(Word::element(On::<r::CbColorClearWord0, { r::GFX }>::PLACE, index).map(|w| w.whole(first, clear)));
                sheet.add(Word::element(On::<r::CbColorClearWord1, { r::GFX }>::PLACE, index).map(|w| w.whole(second, clear)));
            }
        },
        Gfx11x | Gfx12 => {},
    });
    // Obsolete: GFX10 takes sizes from ATTRIB2 (captures).
    on_gfx!(inputs.gfx, r => {
        Gfx10x => {
            sheet.add(Word::element(On::<r::CbColorCmaskSlice, { r::GFX }>::PLACE, index).map(|w| w.whole(0, "not used on GFX10, which takes sizes from ATTRIB2: 0")));
            sheet.add(Word::element(On::<r::CbColorFmaskSlice, { r::GFX }>::PLACE, index).map(|w| w.whole(0, "not used on GFX10, which takes sizes from ATTRIB2: 0")));
        },
        Gfx9 | Gfx11x | Gfx12 => {},
    });
}

/// Adds the registers of a target's metadata; the fields in CB_COLORn_INFO and ATTRIB are decided with those registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    sheet.add(fdcc_control(inputs, index, target));
    let Some(compression) = &target.compression else { return };
    if let Some(dcc) = compression.dcc {
        sheet.add(dcc_control(inputs, index, target, dcc));
        dcc_base(inputs, index, dcc, sheet);
    }
    masks(inputs, index, target, compression, sheet);
}

/// CB_DCC_CONTROL (GFX9 to GFX10.3) and CB_FDCC_CONTROL (GFX11, GFX11.5): limits of compression, for compressed targets. The values are RADV's in the captures,
/// except DISABLE_CONSTANT_ENCODE_SINGLE, which RADV sets in the preamble and clears again with each framebuffer. Draws also have the register on chips whose
/// overwrite combiner an erratum switches off.
pub(crate) fn chip_control<S: Why>(chip: Chip) -> Option<Word<S>> {
    const CHIPS_WITHOUT_CONSTANT_ENCODING: [&str; 4] = ["vega10", "vega12", "vega20", "raven"];
    on_gfx!(chip.gfx(), r => {
        Gfx9 => {
            type R = r::CbDccControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::OVERWRITE_COMBINER_MRT_SHARING_DISABLE, true, "as in RADV (captures)");
            let encodes = !CHIPS_WITHOUT_CONSTANT_ENCODING.contains(&chip.info().name);
            let word = word.set(R::OVERWRITE_COMBINER_WATERMARK, 4u32, "as in RADV (captures)");
            Some(word.set(R::DISABLE_CONSTANT_ENCODE_REG, encodes, "Raven2 and later encode constants (Mesa 25.0.7 has_dcc_constant_encode)"))
        },
        Gfx10x => {
            type R = r::CbDccControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::OVERWRITE_COMBINER_WATERMARK, 6u32, "as in RADV (captures)");
            Some(word.set(R::DISABLE_CONSTANT_ENCODE_REG, true, "constants are encoded (Mesa 25.0.7 has_dcc_constant_encode)"))
        },
        Gfx11x => {
            type R = r::CbFdccControl;
            let hit = chip.has(Erratum::ConstantEncodeSingle);
            let why = if hit { Erratum::ConstantEncodeSingle.doc() } else { "the erratum of other chips does not hit this one" };
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::DISABLE_CONSTANT_ENCODE_SINGLE, hit, why))
        },
        Gfx12 => None,
    })
}
