//! Compression of colour targets: where metadata is, and what CB_COLORn says of it.
//!
//! Rules: Mesa 25.0.7 radv_initialise_color_surface, ac_surface.c, si_pipe.h, radv_meta_clear.c; captures of four boards agree. From GFX12 on pages say whether memory
//! is compressed, and targets say only how large its compressed blocks are.

use crate::chip::{Chip, Erratum, Gfx};
use crate::descriptors::CompressedBlock;
use crate::draw::color_format::hardware;
use crate::draw::draw_parts::{ColorTarget, DrawParts};
use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Metadata of a colour target (GFX9 to GFX11.5). None: that metadata does not exist, and drawing neither reads nor writes it. On GFX12 targets have no metadata of
/// their own; `dcc` without an address says how large compressed blocks are.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ColorCompression, Dcc, DccBlocks, DrawDesc, Surface, TargetBlend, TargetImage};
/// let dcc = Dcc { address: 0x20_0000, blocks: Some(DccBlocks::BYTES_128) };
/// let target = (TargetImage { surface: Surface { swizzle: 27, ..Surface::default() }, compression: Some(ColorCompression { dcc: Some(dcc), ..ColorCompression::default() }), ..TargetImage::default() }, TargetBlend::default());
/// DrawDesc::default().with_colors(vec![target]).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ColorCompression {
    /// Delta colour compression.
    pub dcc: Option<Dcc>,
    /// Address of CMASK, a multiple of 256 (GFX9 to GFX10.3): blocks that are cleared, and with FMASK how blocks of samples are compressed.
    pub cmask: Option<u64>,
    /// Which fragments samples have (GFX9 to GFX10.3), of targets of several samples.
    pub fmask: Option<Fmask>,
    /// The colour of blocks that are cleared to what registers hold (GFX9 to GFX10.3), as the target has it in memory.
    pub clear_words: Option<[u32; 2]>,
    /// Metadata is aligned to pipes.
    pub pipe_aligned: bool,
    /// Metadata is aligned to render backends (GFX9).
    pub rb_aligned: bool,
}

/// Delta colour compression.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dcc {
    /// Address of its keys: a multiple of 256. 0 on GFX12, which needs none.
    pub address: u64,
    /// How the surface is compressed. None: [`DccBlocks::of`] the chip.
    pub blocks: Option<DccBlocks>,
}

/// Blocks of DCC: how large a compressed one can be, and which can be read on their own. A property of the surface: whoever reads or writes it needs the same, and
/// `largest` is the [`max_compressed_block`](crate::descriptors::ImageDesc::max_compressed_block) of its descriptors.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{ImageCompression, ImageDesc, Metadata, TexelFormat};
/// use pm4::draw::{CompressedBlock, Dcc, DccBlocks};
///
/// let (blocks, address) = (DccBlocks::of(Chip::Gfx1150), 0x20_0000);
/// assert_eq!(blocks, DccBlocks { largest: CompressedBlock::B256, independent_64: false, independent_128: true });
/// let target = Dcc { address, blocks: Some(blocks) };
/// let texture = ImageDesc {
///     swizzle_mode: 27,
///     max_compressed_block: blocks.largest,
///     compression: ImageCompression::Dcc { metadata: Metadata { address, ..Metadata::default() }, write: false },
///     ..ImageDesc::new(0x10_0000, TexelFormat::R8G8B8A8_UNORM)
/// };
/// # assert!(texture.words(Chip::Gfx1150).is_ok() && target.blocks.is_some());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DccBlocks {
    /// The largest compressed block.
    pub largest: CompressedBlock,
    /// Blocks of 64 bytes are independent (GFX9 to GFX11.5): compressed blocks then have at most 64 bytes.
    pub independent_64: bool,
    /// Blocks of 128 bytes are independent (GFX10 to GFX11.5): compressed blocks then have at most 128 bytes, on GFX11.5 also 256.
    pub independent_128: bool,
}

impl DccBlocks {
    /// Independent and compressed blocks of 64 bytes.
    pub const BYTES_64: Self = Self { largest: CompressedBlock::B64, independent_64: true, independent_128: false };
    /// Compressed blocks of 64 bytes; those of 128 bytes are independent too (GFX10.3 to GFX11.5). For large images on a display, which shaders can write.
    pub const BYTES_64_AND_128: Self = Self { independent_128: true, ..Self::BYTES_64 };
    /// Independent and compressed blocks of 128 bytes (GFX10 to GFX11.5).
    pub const BYTES_128: Self = Self { largest: CompressedBlock::B128, independent_64: false, independent_128: true };
    /// Compressed blocks of 256 bytes, independent ones of 128 (GFX11.5).
    pub const BYTES_256_AND_128: Self = Self { largest: CompressedBlock::B256, ..Self::BYTES_128 };
    /// Compressed blocks of 256 bytes, nothing smaller is independent.
    pub const BYTES_256: Self = Self { largest: CompressedBlock::B256, independent_64: false, independent_128: false };

    /// What drivers choose for images that are not on a display (Mesa 25.0.7 ac_surface.c; recordings of GFX11.5 and GFX12).
    pub fn of(chip: Chip) -> Self {
        match chip.gfx().version() {
            (9, _) => Self::BYTES_64,
            (10, _) | (11, 0) => Self::BYTES_128,
            (11, _) => Self::BYTES_256_AND_128,
            _ => Self::BYTES_256,
        }
    }

    /// Refuses what the chip has no field for, and sizes that contradict each other (Mesa 25.0.7 is_dcc_supported_by_L2, ac_surface_supports_dcc_image_stores). Mesa
    /// refuses more: blocks without any independent size before GFX12, for example. Whether hardware cannot do that is not known, so it is the caller's choice.
    fn check(self, chip: Chip) -> Result<(), DrawError> {
        let absent = |option, limit| Err(DrawError::OptionAbsent { option, chip, limit });
        let version = chip.gfx().version();
        if version.0 >= 12 && (self.independent_64 || self.independent_128) {
            return absent("a choice of independent blocks", "GFX9 to GFX11.5 have it");
        }
        if version.0 == 9 && self.independent_128 {
            return absent("independent blocks of 128 bytes", "GFX10 to GFX11.5 have them");
        }
        if self.independent_64 && self.largest != CompressedBlock::B64 {
            return Err(DrawError::Stages { what: "blocks of DCC", why: "with independent blocks of 64 bytes compressed blocks have at most 64 bytes" });
        }
        if self.independent_128 && self.largest == CompressedBlock::B256 && version < (11, 5) {
            return absent("compressed blocks of 256 bytes with independent blocks of 128 bytes", "GFX11.5 has them");
        }
        if self.independent_64 && self.independent_128 && version == (10, 1) {
            return absent("independent blocks of 64 bytes and of 128 bytes at once", "GFX10.3 to GFX11.5 have them");
        }
        Ok(())
    }
}

/// FMASK: which stored fragment each sample uses.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ColorCompression, DrawDesc, Fmask, PipelineDesc, Surface, TargetBlend, TargetImage};
/// use pm4::regs;
/// let fmask = Fmask { address: 0x30_0000, swizzle: 24, compressed: true, single_fragments: false };
/// let compression = Some(ColorCompression { cmask: Some(0x20_0000), fmask: Some(fmask), ..ColorCompression::default() });
/// let image = TargetImage { surface: Surface { swizzle: 24, ..Surface::default() }, compression, ..TargetImage::default() };
/// let draw = DrawDesc::from(PipelineDesc { samples: 4, ..PipelineDesc::default() }).with_colors(vec![(image, TargetBlend::default())]);
/// let registers = draw.resolve(Chip::Navi21)?.image;
/// let address = regs::find(Chip::Navi21.gfx(), "CB_COLOR0_FMASK").unwrap().addr();
/// assert_eq!(registers.get(address), Some(0x3000)); // in units of 256 bytes
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fmask {
    /// Its address: a multiple of 256.
    pub address: u64,
    /// Its swizzle mode, the generation's number.
    pub swizzle: u8,
    /// Whether samples are compressed with it. False: it exists and is not used.
    pub compressed: bool,
    /// Only pixels of one fragment are compressed, so that shaders can read it.
    pub single_fragments: bool,
}

/// The colour to which filling the keys of DCC clears a block.
///
/// For an example see [`DccClear::code`](crate::draw::DccClear::code).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DccClear {
    /// All channels 0.
    Zero,
    /// All channels 1, normalized; before GFX11 of any format.
    One,
    /// All channels 1 as f16 (GFX11).
    OneF16,
    /// All channels 1 as f32 (GFX11).
    OneF32,
    /// Red, green and blue 0, alpha 1, normalized; before GFX11 of any format.
    AlphaOne,
    /// Red, green and blue 1, alpha 0, normalized; before GFX11 of any format.
    ColorOne,
    /// The colour of the registers ([`ColorCompression::clear_words`]), before GFX11: readers that do not have it need an
    /// [elimination](crate::draw::TargetPass::EliminateFastClear) before.
    Registers,
    /// A single colour that is stored in the first pixel of each block.
    Single,
}

impl DccClear {
    /// The byte that fills the keys; None where the generation has no such clear.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::draw::DccClear;
    /// assert_eq!((DccClear::One.code(Gfx::Gfx103), DccClear::One.code(Gfx::Gfx11)), (Some(0xC0), Some(2)));
    /// assert_eq!(DccClear::Registers.code(Gfx::Gfx11), None);
    /// ```
    pub fn code(self, gfx: Gfx) -> Option<u8> {
        match gfx.major() {
            9 | 10 => match self {
                Self::Zero => Some(0x00),
                Self::One => Some(0xC0),
                Self::AlphaOne => Some(0x40),
                Self::ColorOne => Some(0x80),
                Self::Registers => Some(0x20),
                Self::Single => Some(0x10),
                Self::OneF16 | Self::OneF32 => None,
            },
            11 => match self {
                Self::Zero => Some(0x00),
                Self::Single => Some(0x01),
                Self::One => Some(0x02),
                Self::OneF16 => Some(0x04),
                Self::OneF32 => Some(0x06),
                Self::AlphaOne => Some(0x08),
                Self::ColorOne => Some(0x0A),
                Self::Registers => None,
            },
            _ => None,
        }
    }
}

fn check_one(target: &ColorTarget<'_>, samples: u32, compression: &ColorCompression, chip: Chip) -> Result<(), DrawError> {
    let gfx = chip.gfx();
    let absent = |option, limit| Err(DrawError::OptionAbsent { option, chip, limit });
    let dcc = compression.dcc;
    let without_address = ColorCompression { dcc: dcc.map(|dcc| Dcc { address: 0, ..dcc }), ..ColorCompression::default() };
    if gfx.major() >= 12 && *compression != without_address {
        return absent("metadata of a colour target", "GFX9 to GFX11.5 have it; on GFX12 a target states only blocks of DCC, without an address");
    }
    if gfx.major() == 11 && (compression.cmask.is_some() || compression.fmask.is_some() || compression.clear_words.is_some()) {
        return absent("CMASK, FMASK, or a clear colour in registers", "GFX9 to GFX10.3 have them");
    }
    if compression.rb_aligned && gfx.major() != 9 {
        return absent("metadata that is aligned to render backends", "GFX9 has it");
    }
    dcc.and_then(|dcc| dcc.blocks).map_or(Ok(()), |blocks| blocks.check(chip))?;
    let fmask = compression.fmask;
    if fmask.is_some() && samples < 2 {
        return Err(DrawError::Stages { what: "FMASK", why: "a target of one sample has none" });
    }
    if fmask.is_some_and(|fmask| fmask.compressed) && compression.cmask.is_none() {
        return Err(DrawError::Stages { what: "FMASK", why: "compressed samples need CMASK" });
    }
    if let Some(fmask) = fmask.filter(|fmask| fmask.swizzle >= 32) {
        return Err(DrawError::Limit { what: "the swizzle mode of FMASK", value: fmask.swizzle.into(), limit: "0 to 31" });
    }
    if target.surface.swizzle == 0 {
        return Err(DrawError::Stages { what: "compression of a colour target", why: "a linear image has none" });
    }
    let addresses = [dcc.map(|dcc| dcc.address), compression.cmask, fmask.map(|fmask| fmask.address)];
    addresses.into_iter().flatten().try_for_each(|address| metadata_address("the address of a colour target's metadata", address))
}

/// Refuses an address of metadata that hardware cannot accept.
pub(crate) fn metadata_address(what: &'static str, address: u64) -> Result<(), DrawError> {
    if address.is_multiple_of(256) && address >> 48 == 0 {
        Ok(())
    } else {
        Err(DrawError::Limit { what, value: address, limit: "a multiple of 256 below 2^48" })
    }
}

/// The compression of the targets.
pub(crate) fn check(desc: &DrawParts<'_>, chip: Chip) -> Result<(), DrawError> {
    desc.color.iter().try_for_each(|target| {
        let samples = target.samples.unwrap_or(desc.samples);
        target.compression.as_ref().map_or(Ok(()), |compression| check_one(&target, samples, compression, chip))
    })
}

/// log2 of the bytes of the largest uncompressed block of GFX9, over 64: 256 bytes, less for several samples of small pixels. Later generations have 256 bytes always, as
/// their descriptors do (Mesa 25.0.7 ac_init_gfx6_cb_surface, ac_init_gfx10_cb_surface).
fn uncompressed_block(target: &ColorTarget<'_>, samples: u32) -> u32 {
    match (samples > 1, hardware(target.format).bytes) {
        (true, 1) => 0,
        (true, 2) => 1,
        _ => 2,
    }
}

/// CB_COLORn_DCC_CONTROL (GFX9 to GFX10.3), of targets with DCC.
fn dcc_control<S: Why>(inputs: &Inputs<'_>, index: u32, target: &ColorTarget<'_>, dcc: Dcc) -> Option<Word<S>> {
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

/// MIN_COMPRESSED_BLOCK_SIZE.
fn smallest_block(chip: Chip) -> u32 {
    u32::from(chip.info().apu && chip.info().llvm != "gfx1151")
}

/// MAX_COMP_FRAGS of a target of so many samples on GFX12.
fn compressed_fragments(samples: u32) -> u32 {
    match samples {
        8 => 3,
        4 => 2,
        _ => 0,
    }
}

/// CB_COLORn_FDCC_CONTROL: GFX11 and GFX11.5 switch compression with it, before, CB_COLORn_INFO does. On GFX12 pages say whether memory is compressed, and
/// the register always has the limits; blocks of a surface that is not described are as in RADV (Mesa 25.0.7 ac_init_gfx12_cb_surface, recordings; PAL
/// 04/2025).
fn fdcc_control<S: Why>(inputs: &Inputs<'_>, index: u32, target: &ColorTarget<'_>) -> Option<Word<S>> {
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
fn dcc_base<S: Why>(inputs: &Inputs<'_>, index: u32, dcc: Dcc, sheet: &mut Sheet<S>) {
    let (lo, hi) = ((dcc.address >> 8) as u32, (dcc.address >> 40) as u32);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            sheet.add(Word::element(On::<r::CbColorDccBase, { r::GFX }>::PLACE, index).map(|w| w.whole(lo, "address of the keys of DCC >> 8")));
            sheet.add(Word::element(On::<r::CbColorDccBaseExt, { r::GFX }>::PLACE, index).map(|w| w.whole(hi, "address of the keys of DCC >> 40")));
        },
        Gfx12 => {},
    });
}

/// CB_COLORn_CMASK and FMASK with their upper bits, CLEAR_WORD0 and 1 (GFX9 to GFX10.3). A base that is not used is that of the target.
fn masks<S: Why>(inputs: &Inputs<'_>, index: u32, target: &ColorTarget<'_>, compression: &ColorCompression, sheet: &mut Sheet<S>) {
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
    // Left over: GFX10 takes sizes from ATTRIB2 (captures).
    on_gfx!(inputs.gfx, r => {
        Gfx10x => {
            sheet.add(Word::element(On::<r::CbColorCmaskSlice, { r::GFX }>::PLACE, index).map(|w| w.whole(0, "not used on GFX10, which takes sizes from ATTRIB2: 0")));
            sheet.add(Word::element(On::<r::CbColorFmaskSlice, { r::GFX }>::PLACE, index).map(|w| w.whole(0, "not used on GFX10, which takes sizes from ATTRIB2: 0")));
        },
        Gfx9 | Gfx11x | Gfx12 => {},
    });
}

/// Adds the registers of a target's metadata; its fields of CB_COLORn_INFO and ATTRIB are with theirs.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    sheet.add(fdcc_control(inputs, index, target));
    let Some(compression) = &target.compression else { return };
    if let Some(dcc) = compression.dcc {
        sheet.add(dcc_control(inputs, index, target, dcc));
        dcc_base(inputs, index, dcc, sheet);
    }
    masks(inputs, index, target, compression, sheet);
}
