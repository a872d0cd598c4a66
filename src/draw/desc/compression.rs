//! Metadata of targets: DCC, CMASK and FMASK of colour, HTILE, HiZ and HiS of depth, and fast clears.

use crate::chip::{Chip, Gfx};
use crate::descriptors::CompressedBlock;
use crate::draw::desc::bits::equal_by_bits;
use crate::draw::desc::error::DrawError;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Metadata of a colour target (GFX9 to GFX11.5). A field that is None states that the metadata does not exist: drawing neither reads nor writes it. On GFX12,
/// targets have no separate metadata; `dcc` without an address states the size of compressed blocks.
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
    /// Address of CMASK, a multiple of 256 (GFX9 to GFX10.3). It records cleared blocks and, with FMASK, how blocks of samples are compressed.
    pub cmask: Option<u64>,
    /// FMASK of multisampled targets: the fragment of each sample (GFX9 to GFX10.3).
    pub fmask: Option<Fmask>,
    /// The colour of blocks that are cleared to the colour in registers (GFX9 to GFX10.3), in the memory format of the target.
    pub clear_words: Option<[u32; 2]>,
    /// Whether metadata is aligned to pipes.
    pub pipe_aligned: bool,
    /// Whether metadata is aligned to render backends (GFX9).
    pub rb_aligned: bool,
}

/// Delta colour compression.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dcc {
    /// Address of the keys: a multiple of 256. 0 on GFX12, which needs no address.
    pub address: u64,
    /// The block sizes of the surface. None: [`DccBlocks::of`] the chip.
    pub blocks: Option<DccBlocks>,
}

/// Blocks of DCC: the size of the largest compressed block, and which blocks can be read independently. This is a property of the surface: all readers and
/// writers must agree on it, and `largest` is the [`max_compressed_block`](crate::descriptors::ImageDesc::max_compressed_block) of its descriptors.
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
///     swizzle: 27,
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
    /// Whether blocks of 64 bytes are independent (GFX9 to GFX11.5); compressed blocks then have at most 64 bytes.
    pub independent_64: bool,
    /// Whether blocks of 128 bytes are independent (GFX10 to GFX11.5); compressed blocks then have at most 128 bytes, on GFX11.5 also 256.
    pub independent_128: bool,
}

impl DccBlocks {
    /// Independent and compressed blocks of 64 bytes.
    pub const BYTES_64: Self = Self { largest: CompressedBlock::B64, independent_64: true, independent_128: false };
    /// Compressed blocks of 64 bytes; blocks of 128 bytes are independent too (GFX10.3 to GFX11.5). For large display images that shaders can write.
    pub const BYTES_64_AND_128: Self = Self { independent_128: true, ..Self::BYTES_64 };
    /// Independent and compressed blocks of 128 bytes (GFX10 to GFX11.5).
    pub const BYTES_128: Self = Self { largest: CompressedBlock::B128, independent_64: false, independent_128: true };
    /// Compressed blocks of 256 bytes and independent blocks of 128 bytes (GFX11.5).
    pub const BYTES_256_AND_128: Self = Self { largest: CompressedBlock::B256, ..Self::BYTES_128 };
    /// Compressed blocks of 256 bytes; no smaller block is independent.
    pub const BYTES_256: Self = Self { largest: CompressedBlock::B256, independent_64: false, independent_128: false };

    /// Returns the blocks that drivers choose for images that are not displayed (Mesa 25.0.7 ac_surface.c; recordings of GFX11.5 and GFX12).
    pub fn of(chip: Chip) -> Self {
        match chip.gfx().version() {
            (9, _) => Self::BYTES_64,
            (10, _) | (11, 0) => Self::BYTES_128,
            (11, _) => Self::BYTES_256_AND_128,
            _ => Self::BYTES_256,
        }
    }

    /// Refuses sizes for which the chip has no field, and contradictory sizes (Mesa 25.0.7 is_dcc_supported_by_L2, ac_surface_supports_dcc_image_stores). Mesa
    /// refuses more: blocks without any independent size before GFX12, for example. It is not known whether hardware supports that, so the choice is the
    /// caller's.
    pub(crate) fn check(self, chip: Chip) -> Result<(), DrawError> {
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

/// The colour to which filling the keys of DCC clears a block.
///
/// For an example see [`DccClear::code`](crate::draw::DccClear::code).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DccClear {
    /// All channels 0.
    Zero,
    /// All channels 1, normalized; before GFX11, in any format.
    One,
    /// All channels 1 as f16 (GFX11).
    OneF16,
    /// All channels 1 as f32 (GFX11).
    OneF32,
    /// Red, green and blue 0, alpha 1, normalized; before GFX11, in any format.
    AlphaOne,
    /// Red, green and blue 1, alpha 0, normalized; before GFX11, in any format.
    ColorOne,
    /// The colour of the registers ([`ColorCompression::clear_words`]), before GFX11. Readers without access to those registers need an
    /// [elimination](crate::draw::TargetPass::EliminateFastClear) first.
    Registers,
    /// A single colour, stored in the first pixel of each block.
    Single,
}

impl DccClear {
    /// Returns the byte that fills the keys; None if the generation has no such clear.
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
    /// Address: a multiple of 256.
    pub address: u64,
    /// Number of the swizzle mode on the generation ([`SwizzleMode::number`](crate::layout::SwizzleMode::number)), such as 24, `64KB_Z_X`.
    pub swizzle: u8,
    /// Whether samples are compressed with FMASK. If false, FMASK exists but is not used.
    pub compressed: bool,
    /// Whether only pixels with one fragment are compressed, so that shaders can read the image.
    pub single_fragments: bool,
}

/// HTILE of a depth target (GFX9 to GFX11.5).
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Htile {
    /// Address: a multiple of 256.
    pub address: u64,
    /// Whether HTILE is aligned to pipes.
    pub pipe_aligned: bool,
    /// Whether HTILE is aligned to render backends (GFX9).
    pub rb_aligned: bool,
    /// Whether HTILE has room for stencil; on GFX10.3, this is also allowed for targets without stencil (captures).
    pub stencil: bool,
    /// Whether depth and stencil are written compressed.
    pub compressed: bool,
    /// Whether shaders read the target without prior decompression.
    pub shader_readable: bool,
    /// Number of depth planes at which tiles are decompressed, 0 to 15 (DECOMPRESS_ON_N_ZPLANES); 0 for targets that shaders do not read while compressed.
    pub decompress_planes: u8,
    /// Whether the surface is traversed in steps of 256 bytes (GFX10.1 and GFX10.3; from GFX11 on, every depth target is).
    pub iterate_256: bool,
    /// Whether HTILE holds shading rates (GFX10.3).
    pub rates: bool,
}

/// Clear values of depth and stencil.
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, Default)]
pub struct DepthClear {
    /// Depth, finite.
    pub depth: f32,
    /// Stencil.
    pub stencil: u8,
}

equal_by_bits!(DepthClear { stencil, } floats { depth, });

/// A HiZ or HiS surface (GFX12).
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HiSurface {
    /// Address: a multiple of 256.
    pub address: u64,
    /// Number of the swizzle mode on GFX12 ([`SwizzleMode::number`](crate::layout::SwizzleMode::number)), such as 3, `64KB_2D`.
    pub swizzle: u8,
    /// FORMAT of a HiZ surface; no source states its meaning.
    pub format: bool,
    /// Width and height in tiles, 1 to 8192 (Mesa: hiz.width_in_tiles). Unverified: a tile has 8 x 8 pixels, as in HTILE.
    pub extent: (u32, u32),
}
