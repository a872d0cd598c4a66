//! Image descriptors from API terms.

use crate::chip::{Chip, Gfx};
use crate::descriptors::buffer_descriptor::select;
use crate::descriptors::error::Checks;
use crate::descriptors::sampler_descriptor::fixed;
use crate::descriptors::typed_descriptor::layout::{BcSwizzle, SqRsrcImgType};
use crate::descriptors::{ChannelSource, DescriptorError, DescriptorField, DescriptorKind, TexelFormat};
use crate::regs::FieldType;
use crate::regs::layout::SurfaceSwap;

/// An image and a shader's view of it. Derived values follow Mesa 25.0.7 (ac_build_gfx6_texture_descriptor,
/// ac_build_gfx10_texture_descriptor, ac_build_gfx12_texture_descriptor, ac_set_mutable_tex_desc_fields).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{ImageDesc, TexelFormat, ViewRange};
///
/// // Levels 1 to 4 and layers 2 to 5 of an array.
/// let view = ImageDesc {
///     width: 256,
///     height: 256,
///     levels: 9,
///     layers: 6,
///     view_levels: Some(ViewRange { first: 1, count: 4 }),
///     view_layers: Some(ViewRange { first: 2, count: 4 }),
///     swizzle: 27, // 64KB_R_X on GFX10
///     ..ImageDesc::new(0x2345_6789_0000, TexelFormat::R8G8B8A8_UNORM)
/// };
/// assert_eq!(
///     view.words(Chip::Navi21)?,
///     [0x4567_8900, 0xC380_0023, 0x803F_C03F, 0xD1B4_1FAC, 0x0002_0005, 0x0040_0080, 0, 0]
/// );
/// let wide = ImageDesc { width: 16385, ..view }.words(Chip::Navi21).unwrap_err();
/// assert_eq!(wide.to_string(), "image descriptor: width = 16385 is not within 1 to 16384");
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageDesc {
    /// Address of the surface (of its stencil plane for a view of stencil) in bytes: 48 bits, a multiple of 256.
    pub address: u64,
    /// Format of the view.
    pub format: TexelFormat,
    /// Dimension of the image; a cube for views of cubes. A storage view of a cube is a view of `Two` dimensions (radv_tex_dim).
    pub dimension: ImageDimension,
    /// Width of level 0 of the image, in texels of the view's format. The unit is a block if the image is block-compressed and the view is not.
    pub width: u32,
    /// Height of level 0, in the same unit as `width`. 1 for one dimension.
    pub height: u32,
    /// Depth of level 0 of a three-dimensional image; 1 otherwise.
    pub depth: u32,
    /// Number of levels of the image.
    pub levels: u32,
    /// Number of layers of the image: at least 6 for cubes. The view is an array if the image has several layers (radv_tex_dim, PAL CreateImageViewSrds).
    pub layers: u32,
    /// Number of stored samples: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Levels of the view; None: all.
    pub view_levels: Option<ViewRange>,
    /// Layers of the view; None: all. For three dimensions: the slices of a single-level storage view, from GFX10 on.
    pub view_layers: Option<ViewRange>,
    /// The channels of the format that the shader's channels read.
    pub mapping: [ChannelSource; 4],
    /// Layout of the surface: number of the swizzle mode as in the address library. 0 is linear; GFX12 has 0 to 7.
    pub swizzle: u32,
    /// Pipe and bank XOR of the surface, in units of 256 bytes. It occupies address bits that the alignment keeps free. 0 for linear surfaces.
    pub tile_swizzle: u32,
    /// Pitch in texels (in blocks if the format is block-compressed). GFX9: required for every image; the pitch of the mip chain, or its height if the address
    /// library returns the height. GFX10.3 and later: for a linear image whose rows are longer than its width. GFX10.1 offers no choice: rows are padded to 256
    /// bytes.
    pub pitch: Option<u32>,
    /// Smallest level of detail; clamped to 0 to 15, as in drivers.
    pub min_lod: f32,
    /// Largest compressed block of DCC. On GFX12, all descriptors of the surface contain it.
    pub max_compressed_block: CompressedBlock,
    /// How the view uses the surface's compression.
    pub compression: ImageCompression,
    /// Whether the image is block-compressed while the format of the view is not.
    pub view_of_blocks: bool,
}

/// Dimensions of an image.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{ImageDesc, ImageDimension, TexelFormat, gfx11};
/// let cube = ImageDesc { dimension: ImageDimension::Cube, width: 64, height: 64, layers: 6, ..ImageDesc::new(0x1000, TexelFormat::R8_UNORM) };
/// let words = gfx11::ImageDescriptor::from(cube.words(Chip::Navi31)?);
/// assert_eq!((words.r#type(), words.depth()), (gfx11::SqRsrcImgType::SQ_RSRC_IMG_CUBE, 5)); // the last face
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ImageDimension {
    /// A line, or an array of lines.
    One,
    /// A plane, or an array of planes.
    #[default]
    Two,
    /// A volume.
    Three,
    /// Six faces, or an array of cubes.
    Cube,
}

/// A range of consecutive levels, layers or slices.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{ImageDesc, TexelFormat, ViewRange};
/// let image = ImageDesc { width: 64, height: 64, levels: 7, swizzle: 27, ..ImageDesc::new(0x1000, TexelFormat::R8_UNORM) };
/// let beyond = ImageDesc { view_levels: Some(ViewRange { first: 5, count: 3 }), ..image };
/// assert_eq!(beyond.words(Chip::Navi31).unwrap_err().to_string(), "image descriptor: view_levels.count = 3 is not within 1 to 2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewRange {
    /// The first level, layer or slice.
    pub first: u32,
    /// How many there are, at least 1.
    pub count: u32,
}

/// Largest compressed block of DCC ([`ImageDesc::max_compressed_block`]).
///
/// For an example see [`ImageCompression`](crate::descriptors::ImageCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum CompressedBlock {
    /// 64 bytes.
    #[default]
    B64 = 0,
    /// 128 bytes.
    B128 = 1,
    /// 256 bytes.
    B256 = 2,
}

/// How a view uses the compression of its surface.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{CompressedBlock, ImageCompression, ImageDesc, Metadata, TexelFormat};
///
/// let dcc = Metadata { address: 0x2345_6819_0000, pipe_aligned: true, rb_aligned: false };
/// let image = ImageDesc {
///     width: 1920,
///     height: 1080,
///     swizzle: 27,
///     max_compressed_block: CompressedBlock::B128,
///     compression: ImageCompression::Dcc { metadata: dcc, write: true },
///     ..ImageDesc::new(0x2345_6789_0000, TexelFormat::B8G8R8A8_UNORM)
/// };
/// assert_eq!(image.words(Chip::Navi31)?[6..], [0x003B_0000, 0x2345_6819]);
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ImageCompression {
    /// The view accesses memory without compression.
    #[default]
    Off,
    /// Colour with DCC.
    Dcc {
        /// Where the DCC keys are, up to GFX11.5. GFX12 needs no address: pass `Metadata::default()`.
        metadata: Metadata,
        /// Whether shader writes compress, from GFX10 on. `max_compressed_block` must then be 128 bytes on GFX10.1, 64 or 128 on GFX10.3 and GFX11, any from
        /// GFX11.5 (Mesa 25.0.7 ac_surface_supports_dcc_image_stores; the same function requires independent 128-byte blocks).
        write: bool,
    },
    /// Depth or stencil with texture-readable HTILE, up to GFX11.5. The behaviour of GFX12 is unverified, so it is refused there.
    Htile {
        /// The location of HTILE.
        metadata: Metadata,
        /// Whether HTILE advances in steps of 256 bytes: for multisampled images, from GFX10 on (radv_image_get_iterate256; PAL treats true as the safe value).
        iterate_256: bool,
        /// For a view of stencil on GFX9: the width of the depth that shares the HTILE.
        depth_bits: Option<DepthBits>,
    },
}

/// Width of the depth that shares an HTILE with stencil, GFX9 ([`ImageCompression::Htile`]).
///
/// ```
/// use pm4::chip::{Chip, Gfx};
/// use pm4::descriptors::{DepthBits, DescriptorKind, ImageCompression, ImageDesc, Metadata, TexelFormat};
/// let metadata = Metadata { address: 0x20_0000, pipe_aligned: true, rb_aligned: true };
/// let compression = ImageCompression::Htile { metadata, iterate_256: false, depth_bits: Some(DepthBits::Bits16) };
/// // Stencil of an image whose depth has 16 bits.
/// let stencil = ImageDesc { swizzle: 24, pitch: Some(256), compression, ..ImageDesc::new(0x10_0000, TexelFormat::S8_UINT) };
/// let words = stencil.words(Chip::Vega10)?;
/// let format = DescriptorKind::Image.fields(Gfx::Gfx9).iter().find(|f| f.name == "DATA_FORMAT_STENCIL").unwrap();
/// assert_eq!(format.name_of(format.get(&words)), Some("IMG_DATA_FORMAT_S8_16"));
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepthBits {
    /// 16 bits.
    Bits16,
    /// 24 or 32 bits.
    Bits32,
}

/// The location of DCC or HTILE ([`ImageCompression`]).
///
/// For an example see [`ImageCompression`](crate::descriptors::ImageCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Metadata {
    /// Address in bytes: 48 bits, a multiple of 256. For DCC, it includes the XOR of the surface if the driver applies it: RADV does, PAL only on GFX11.
    pub address: u64,
    /// Whether the layout is pipe-aligned. Must be true for HTILE (not checked).
    pub pipe_aligned: bool,
    /// Whether the layout is aligned to render backends, only on GFX9. Must be true for HTILE there (not checked).
    pub rb_aligned: bool,
}

const CHECKS: Checks = Checks("image");

/// Returns a limit of a generation: the largest value of a field plus 1.
fn most(gfx: Gfx, field: &str) -> u64 {
    DescriptorKind::Image.fields(gfx).iter().find(|f: &&DescriptorField| f.name == field).map_or(0, |f| f.max() + 1)
}

/// The levels, layers and depth in a descriptor.
#[allow(dead_code)] // GFX9 has no slices
struct Extent {
    base_level: u32,
    last_level: u32,
    max_mip: u32,
    depth: u32,
    base_array: u32,
    /// Whether DEPTH and BASE_ARRAY are slices of a volume.
    slices: bool,
}

impl ImageDesc {
    /// A descriptor through which reads return 0 and writes are dropped: all bits 0 (radv write_image_descriptor; PAL writes type 2D_ARRAY, radeonsi 1D).
    pub const NULL: [u32; 8] = [0; 8];

    /// Creates a linear, uncompressed plane of one texel, one level, one layer and one sample.
    #[must_use]
    pub const fn new(address: u64, format: TexelFormat) -> Self {
        Self {
            address,
            format,
            dimension: ImageDimension::Two,
            width: 1,
            height: 1,
            depth: 1,
            levels: 1,
            layers: 1,
            samples: 1,
            view_levels: None,
            view_layers: None,
            mapping: ChannelSource::IDENTITY,
            swizzle: 0,
            tile_swizzle: 0,
            pitch: None,
            min_lod: 0.0,
            max_compressed_block: CompressedBlock::B64,
            compression: ImageCompression::Off,
            view_of_blocks: false,
        }
    }

    /// Returns the descriptor's image type. GFX9 lays out one dimension as two (radv_tex_dim).
    fn kind(&self, gfx: Gfx) -> SqRsrcImgType {
        let line = self.dimension == ImageDimension::One && gfx.major() > 9;
        match (self.dimension, self.layers > 1, self.samples > 1) {
            (ImageDimension::Cube, ..) => SqRsrcImgType::SQ_RSRC_IMG_CUBE,
            (ImageDimension::Three, ..) => SqRsrcImgType::SQ_RSRC_IMG_3D,
            (_, false, false) if line => SqRsrcImgType::SQ_RSRC_IMG_1D,
            (_, true, false) if line => SqRsrcImgType::SQ_RSRC_IMG_1D_ARRAY,
            (_, false, false) => SqRsrcImgType::SQ_RSRC_IMG_2D,
            (_, true, false) => SqRsrcImgType::SQ_RSRC_IMG_2D_ARRAY,
            (_, false, true) => SqRsrcImgType::SQ_RSRC_IMG_2D_MSAA,
            (_, true, true) => SqRsrcImgType::SQ_RSRC_IMG_2D_MSAA_ARRAY,
        }
    }

    /// Checks that sizes and counts are within the limits of the generation and fit the dimension.
    fn check_size(&self, gfx: Gfx) -> Result<(), DescriptorError> {
        // On GFX10.1, the field of the width has two parts. The limit is 16384 on GFX9 to GFX11.5; on GFX12 it is what the fields hold (unverified).
        CHECKS.range("width", self.width.into(), 1, most(gfx, "WIDTH"))?;
        CHECKS.range("height", self.height.into(), 1, most(gfx, "HEIGHT"))?;
        let layers = most(gfx, "BASE_ARRAY");
        let (volume, line, plane, cube) = (
            self.dimension == ImageDimension::Three,
            self.dimension == ImageDimension::One,
            self.dimension == ImageDimension::Two,
            self.dimension == ImageDimension::Cube,
        );
        CHECKS.range("depth", self.depth.into(), 1, if volume { layers } else { 1 })?;
        CHECKS.range("layers", self.layers.into(), if cube { 6 } else { 1 }, if volume { 1 } else { layers })?;
        CHECKS.demand(!line || self.height == 1, "height", Some(self.height.into()), "an image of one dimension must have a height of 1")?;
        CHECKS.demand(!cube || self.width == self.height, "height", Some(self.height.into()), "the faces of a cube must be square")?;
        CHECKS.demand(self.samples.is_power_of_two(), "samples", Some(self.samples.into()), "the value must be a power of two")?;
        CHECKS.range("samples", self.samples.into(), 1, if plane { 16 } else { 1 })?;
        let longest = self.width.max(self.height).max(if volume { self.depth } else { 1 });
        // A view of blocks counts blocks, but the image may have all levels that its texels allow.
        let levels = u64::from(longest.ilog2()) + 1 + if self.view_of_blocks { 2 } else { 0 };
        let levels = levels.min(most(gfx, "MAX_MIP"));
        CHECKS.range("levels", self.levels.into(), 1, if self.samples > 1 { 1 } else { levels })?;
        Ok(())
    }

    fn range(range: Option<ViewRange>, all: u32, first: &'static str, count: &'static str) -> Result<ViewRange, DescriptorError> {
        let range = range.unwrap_or(ViewRange { first: 0, count: all });
        CHECKS.range(first, range.first.into(), 0, u64::from(all) - 1)?;
        CHECKS.range(count, range.count.into(), 1, u64::from(all - range.first))?;
        Ok(range)
    }

    fn extent(&self, gfx: Gfx, pitch: u32) -> Result<Extent, DescriptorError> {
        let levels = Self::range(self.view_levels, self.levels, "view_levels.first", "view_levels.count")?;
        let (base_level, last_level, max_mip) = match self.samples {
            1 => (levels.first, levels.first + levels.count - 1, self.levels - 1),
            samples => (0, samples.ilog2(), samples.ilog2()),
        };
        let volume = self.dimension == ImageDimension::Three;
        let (depth, base_array) = if volume {
            match self.view_layers {
                None => (self.depth - 1, 0),
                Some(slices) => {
                    CHECKS.demand(gfx.major() > 9, "view_layers.first", Some(slices.first.into()), "GFX9 has no views of slices of a volume")?;
                    CHECKS.demand(levels.count == 1, "view_levels.count", Some(levels.count.into()), "a view of slices of a volume must have one level")?;
                    let there = (self.depth >> levels.first).max(1);
                    let slices = Self::range(Some(slices), there, "view_layers.first", "view_layers.count")?;
                    (slices.first + slices.count - 1, slices.first)
                }
            }
        } else {
            let layers = Self::range(self.view_layers, self.layers, "view_layers.first", "view_layers.count")?;
            let cube = self.dimension == ImageDimension::Cube;
            CHECKS.demand(
                !cube || layers.count.is_multiple_of(6),
                "view_layers.count",
                Some(layers.count.into()),
                "the layers of a cube view must be a multiple of 6",
            )?;
            // The last layer, not the number of layers; for a single layer, the pitch.
            if self.layers > 1 { (layers.first + layers.count - 1, layers.first) } else { (pitch, 0) }
        };
        Ok(Extent { base_level, last_level, max_mip, depth, base_array, slices: volume && self.view_layers.is_some() })
    }

    /// Returns the pitch that the descriptor holds, minus 1: EPITCH on GFX9, the pitch of linear images from GFX10.3 on; 0 if it holds none.
    fn held_pitch(&self, gfx: Gfx) -> Result<u32, DescriptorError> {
        let linear = self.swizzle == 0;
        let bytes = u64::from(self.format.bytes());
        let Some(pitch) = self.pitch else {
            CHECKS.demand(gfx.major() > 9, "pitch", None, "GFX9 needs the pitch of every image")?;
            return Ok(0);
        };
        let value = u64::from(pitch);
        if gfx.major() == 9 {
            CHECKS.range("pitch", value, 1, most(gfx, "PITCH"))?;
            return Ok(pitch - 1);
        }
        CHECKS.demand(linear, "pitch", Some(value), "only linear images can have a pitch that differs from their width")?;
        let one = self.layers == 1 && matches!(self.dimension, ImageDimension::One | ImageDimension::Two);
        CHECKS.demand(one, "pitch", Some(value), "only 1D and 2D images of one layer can have a pitch that differs from their width")?;
        let width = if self.format.is_block_compressed() { self.width.div_ceil(4) } else { self.width };
        if gfx.version() < (10, 3) {
            let rows = (u64::from(width) * bytes).next_multiple_of(256);
            CHECKS.demand(value * bytes == rows, "pitch", Some(value), "GFX10.1 pads rows to exactly 256 bytes: another pitch is not possible")?;
            return Ok(0);
        }
        let most = most(gfx, "DEPTH") * most(gfx, "PITCH_MSB");
        CHECKS.range("pitch", value, width.into(), most)?;
        let align = if gfx.major() >= 12 { 128 } else { 256 };
        CHECKS.aligned("pitch in bytes", value * bytes, align)?;
        Ok(pitch - 1)
    }

    fn check_layout(&self, gfx: Gfx) -> Result<(), DescriptorError> {
        CHECKS.address("address", self.address, 256)?;
        let modes = if gfx.major() >= 12 { 7 } else { 31 };
        CHECKS.range("swizzle", self.swizzle.into(), 0, modes)?;
        let bits = u64::from(self.tile_swizzle);
        CHECKS.demand(self.swizzle != 0 || bits == 0, "tile_swizzle", Some(bits), "must be 0 for linear images")?;
        CHECKS.demand(
            self.address >> 8 & bits == 0,
            "tile_swizzle",
            Some(bits),
            "these bits are set in the address already: the address has a smaller alignment than the surface needs",
        )
    }

    fn check_compression(&self, gfx: Gfx) -> Result<(), DescriptorError> {
        let (major, version) = (gfx.major(), gfx.version());
        let metadata = match self.compression {
            ImageCompression::Off => return Ok(()),
            ImageCompression::Dcc { metadata, write } => {
                CHECKS.demand(!write || major > 9, "compression.write", None, "shaders of GFX9 cannot write DCC")?;
                let block = self.max_compressed_block;
                let stores = match version {
                    (10, 1) => block == CompressedBlock::B128,
                    (10, 3) | (11, 0) => block != CompressedBlock::B256,
                    _ => true,
                };
                CHECKS.demand(
                    !write || stores,
                    "max_compressed_block",
                    Some(64 << block as u64),
                    "shaders of the generation cannot write DCC with blocks of this size",
                )?;
                let colour = self.format.swap().is_some() || major >= 11;
                CHECKS.demand(colour, "compression", None, "DCC up to GFX10.3 needs a format that colour targets have")?;
                metadata
            }
            ImageCompression::Htile { metadata, iterate_256, depth_bits } => {
                CHECKS.demand(major < 12, "compression", None, "how GFX12 describes HTILE to textures is unverified")?;
                CHECKS.demand(self.format.depth_and_stencil().is_some(), "compression", None, "HTILE needs a format of depth or stencil")?;
                CHECKS.demand(!iterate_256 || major > 9, "compression.iterate_256", None, "GFX9 does not have this option")?;
                let stencil = self.format == TexelFormat::S8_UINT && major == 9;
                CHECKS.demand(
                    depth_bits.is_some() == stencil,
                    "compression.depth_bits",
                    None,
                    "needed for stencil with HTILE on GFX9, and not allowed elsewhere",
                )?;
                metadata
            }
        };
        let aligned = metadata.pipe_aligned || metadata.rb_aligned;
        CHECKS.demand(
            major < 12 || (metadata.address == 0 && !aligned),
            "compression.metadata.address",
            Some(metadata.address),
            "the descriptor of GFX12 has no field for it",
        )?;
        CHECKS.demand(major == 9 || !metadata.rb_aligned, "compression.metadata.rb_aligned", None, "only GFX9 has this layout")?;
        CHECKS.address("compression.metadata.address", metadata.address, 256)?;
        Ok(())
    }

    /// Returns the dwords for a chip.
    ///
    /// # Errors
    /// The first input that the chip does not accept, with its value and the limit.
    #[allow(unused_macros, unused_variables)] // each generation has its part
    pub fn words(&self, chip: Chip) -> Result<[u32; 8], DescriptorError> {
        let gfx = chip.gfx();
        let code = self.format.image_code(chip).ok_or(DescriptorError::Format { descriptor: CHECKS.0, format: self.format, chip })?;
        self.check_size(gfx)?;
        self.check_layout(gfx)?;
        self.check_compression(gfx)?;
        let blocks = self.view_of_blocks && self.format.is_block_compressed();
        CHECKS.demand(!blocks, "view_of_blocks", None, "the format of the view is compressed in blocks as well")?;
        let pitch = self.held_pitch(gfx)?;
        let extent = self.extent(gfx, if gfx.major() == 9 { 0 } else { pitch })?;
        CHECKS.fraction("min_lod", self.min_lod, f32::MIN, f32::MAX)?;
        let min_lod = fixed(self.min_lod.clamp(0.0, 15.0));
        let channels = self.mapping.map(|source| select(source.of(self.format.channels())));
        let base = self.address | u64::from(self.tile_swizzle) << 8;
        let compressed = self.compression != ImageCompression::Off;
        let (metadata, iterate_256, dcc, write) = match self.compression {
            ImageCompression::Off => (Metadata::default(), false, false, false),
            ImageCompression::Dcc { metadata, write } => (metadata, false, true, write),
            ImageCompression::Htile { metadata, iterate_256, .. } => (metadata, iterate_256, false, false),
        };
        let low = most(gfx, "DEPTH") as u32 - 1; // the upper part of a pitch is in PITCH_MSB
        let block = self.max_compressed_block as u32;
        let block_of_dcc = if dcc { block } else { 0 };

        macro_rules! common {
            ($r:ident) => {
                $r::ImageDescriptor::new()
                    .with_base_address(base)
                    .with_min_lod(min_lod)
                    .with_width(self.width - 1)
                    .with_height(self.height - 1)
                    .with_dst_sel_x(channels[0])
                    .with_dst_sel_y(channels[1])
                    .with_dst_sel_z(channels[2])
                    .with_dst_sel_w(channels[3])
                    .with_base_level(extent.base_level)
                    .with_last_level(extent.last_level)
                    .with_max_mip(extent.max_mip)
                    .with_sw_mode(self.swizzle)
                    .with_bc_swizzle(border_order(self.format))
                    .with_type(self.kind(gfx))
                    .with_depth(extent.depth & low)
                    .with_base_array(extent.base_array)
                    .with_perf_mod(4)
                    .with_compression_en(compressed)
            };
        }
        macro_rules! metadata {
            ($words:expr) => {
                $words
                    .with_meta_data_address(metadata.address)
                    .with_meta_pipe_aligned(metadata.pipe_aligned)
                    .with_alpha_is_on_msb(dcc && alpha_is_on_msb(self.format, chip))
            };
        }
        macro_rules! dcc {
            ($words:expr) => {
                metadata!($words)
                    .with_array_pitch(extent.slices.into())
                    .with_write_compress_enable(write)
                    .with_max_uncompressed_block_size(if dcc { 2 } else { 0 }) // 256 bytes
                    .with_max_compressed_block_size(block_of_dcc)
                    .with_iterate_256(iterate_256)
            };
        }
        on_gfx!(descriptors gfx, r => {
            Gfx9 => {
                let words = metadata!(common!(r))
                    .with_data_format(r::ImgDataFormat::from_bits(code.format.into()))
                    .with_num_format(r::ImgNumFormat::from_bits(code.number.into()))
                    .with_pitch(pitch)
                    .with_meta_rb_aligned(metadata.rb_aligned);
                match self.compression {
                    ImageCompression::Htile { depth_bits: Some(DepthBits::Bits16), .. } => words.with_data_format_stencil(r::ImgDataFormatStencil::IMG_DATA_FORMAT_S8_16),
                    ImageCompression::Htile { depth_bits: Some(DepthBits::Bits32), .. } => words.with_data_format_stencil(r::ImgDataFormatStencil::IMG_DATA_FORMAT_S8_32),
                    _ => words,
                }
                .words()
            },
            Gfx10 => dcc!(common!(r)).with_format(r::Gfx10Format::from_bits(code.format.into())).with_resource_level(true).words(),
            Gfx103 => dcc!(common!(r)).with_format(r::Gfx10Format::from_bits(code.format.into())).with_resource_level(true).with_pitch_msb(pitch >> 13 != 0).words(),
            Gfx11 | Gfx115 => dcc!(common!(r)).with_format(r::Gfx11Format::from_bits(code.format.into())).with_pitch_msb(pitch >> 13 != 0).words(),
            Gfx12 => common!(r)
                .with_format(r::Gfx11Format::from_bits(code.format.into()))
                .with_pitch_msb(pitch >> 14)
                .with_uav3d(extent.slices)
                .with_no_edge_clamp(self.view_of_blocks && self.levels > 1)
                .with_max_uncompressed_block_size(true) // 256 bytes
                .with_max_compressed_block_size(block)
                .with_write_compress_enable(write)
                .words(),
        })
    }
}

/// Returns the order of a border colour's channels, which depends on the channels of the format (Mesa 25.0.7 ac_border_color_swizzle). PAL uses the plain order
/// for single-channel formats, because their other channels are constants.
fn border_order(format: TexelFormat) -> BcSwizzle {
    use ChannelSource::{X, Y};
    let [red, green, blue, alpha] = format.own_channels();
    let stencil = format.depth_and_stencil().is_some_and(|(_, stencil)| stencil > 0);
    match () {
        () if stencil => BcSwizzle::BC_SWIZZLE_XYZW,
        () if alpha == X && blue == Y => BcSwizzle::BC_SWIZZLE_WZYX,
        () if alpha == X => BcSwizzle::BC_SWIZZLE_WXYZ,
        () if red == X && green == Y => BcSwizzle::BC_SWIZZLE_XYZW,
        () if red == X => BcSwizzle::BC_SWIZZLE_XWYZ,
        () if green == X => BcSwizzle::BC_SWIZZLE_YXWZ,
        () if blue == X => BcSwizzle::BC_SWIZZLE_ZYXW,
        () => BcSwizzle::BC_SWIZZLE_XYZW,
    }
}

/// Returns whether DCC finds alpha in the most significant bits (Mesa 25.0.7 ac_alpha_is_on_msb); false on GFX11 and later. Before GFX11, only formats of
/// colour targets have DCC.
#[allow(dead_code)] // GFX12 has no such field
fn alpha_is_on_msb(format: TexelFormat, chip: Chip) -> bool {
    if chip.gfx().major() >= 11 {
        return false;
    }
    let swap = format.swap();
    let channels = format.own_channels().into_iter().filter(|c| !matches!(c, ChannelSource::Zero | ChannelSource::One)).count();
    match channels {
        1 => (swap == Some(SurfaceSwap::SWAP_ALT_REV)) != reversed_single_channel(chip),
        _ => !matches!(swap, Some(SurfaceSwap::SWAP_STD_REV | SurfaceSwap::SWAP_ALT_REV)),
    }
}

/// Returns whether the chip reverses the position of alpha in single-channel formats, as Raven2 and Renoir do.
#[allow(dead_code)] // GFX12 has no such field
fn reversed_single_channel(chip: Chip) -> bool {
    on_gfx!(descriptors chip.gfx(), r => {
        Gfx9 => matches!(chip, Chip::Raven2 | Chip::Renoir),
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => false,
    })
}
