//! The layout of an image: planes and metadata in one allocation.

use crate::descriptors::ImageDimension;
use crate::layout::choose::choose;
use crate::layout::config::{AddressConfig, DisplayDcc, Generation};
use crate::layout::desc::{ColorUsage, HtileUse, SurfaceDesc, Tiling, Usage};
use crate::layout::hierarchical::{self, Hierarchical};
use crate::layout::metadata::{self, Data, MetadataKind, MetadataLayout};
use crate::layout::plane::{Outline, Plane};
use crate::layout::shape::{Dim, Flags, Shape, align};
use crate::layout::{LayoutError, SwizzleMode, legal, metadata_size, size, swizzle_bits};

/// The positions of all parts of an image. Offsets are in bytes from the start of its memory.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, SwizzleMode, Usage};
///
/// let target = SurfaceDesc { width: 1920, height: 1080, usage: Usage::Color(ColorUsage::TARGET), ..SurfaceDesc::new(Element::texel(4)) };
/// let layout = SurfaceLayout::new(Chip::Navi31, &target)?;
/// assert_eq!(layout.plane.mode, SwizzleMode::SW_256KB_R_X);
/// assert_eq!((layout.plane.pitch, layout.plane.height), (2048, 1280)); // blocks of 256x256 texels
/// let dcc = layout.dcc.unwrap();
/// assert_eq!((dcc.metadata.offset, dcc.metadata.size), (10_485_760, 65_536));
/// assert_eq!((layout.size, layout.align), (10_551_296, 262_144));
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurfaceLayout {
    /// Colour or depth; stencil if there is no depth.
    pub plane: Plane,
    /// Stencil of an image that also has depth.
    pub stencil: Option<Stencil>,
    /// DCC up to GFX11.5.
    pub dcc: Option<DccLayout>,
    /// HTILE up to GFX11.5.
    pub htile: Option<MetadataLayout>,
    /// CMASK up to GFX10.3.
    pub cmask: Option<MetadataLayout>,
    /// FMASK up to GFX10.3.
    pub fmask: Option<FmaskLayout>,
    /// HiZ of GFX12.
    pub hiz: Option<Hierarchical>,
    /// HiS of GFX12.
    pub his: Option<Hierarchical>,
    /// XOR of the base address in units of 256 bytes. It occupies address bits that the alignment leaves free, in descriptors and in registers.
    pub tile_swizzle: u32,
    /// Size of the whole image in bytes.
    pub size: u64,
    /// Alignment of the whole image in bytes.
    pub align: u32,
    /// Whether the display engine can read the image.
    pub displayable: bool,
    /// GFX12: whether the image's pages may be compressed; the largest compressed block is 256 bytes.
    pub compressible: bool,
    pub(in crate::layout) desc: SurfaceDesc,
    pub(in crate::layout) config: AddressConfig,
    pub(in crate::layout) shape: Shape,
}

/// The stencil plane of an image that also has depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stencil {
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Its layout.
    pub plane: Plane,
}

/// DCC of colour. Compression works on blocks of 256 bytes; the largest uncompressed block has 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DccLayout {
    /// Position and size of the metadata.
    pub metadata: MetadataLayout,
    /// Width and height in texels of a block of 256 bytes.
    pub compressed_block: [u32; 2],
    /// Whether blocks of 64 bytes are independent.
    pub independent_64: bool,
    /// Whether blocks of 128 bytes are independent.
    pub independent_128: bool,
    /// Size of the largest compressed block: 64, 128 or 256 bytes.
    pub max_compressed: u32,
    /// A second DCC, for the display engine.
    pub display: Option<MetadataLayout>,
}

/// FMASK of multisampled colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FmaskLayout {
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Order of texels.
    pub mode: SwizzleMode,
    /// Bytes of a texel's fragment numbers: 1, 4 or 8.
    pub element_bytes: u32,
    /// Pitch in texels, padded.
    pub pitch: u32,
    /// Number of rows, padded.
    pub height: u32,
    /// Size of one layer in bytes.
    pub slice_size: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// XOR of its base address in units of 256 bytes.
    pub tile_swizzle: u32,
}

impl SurfaceLayout {
    /// Creates the layout of an image on a chip, or on a board ([`AddressConfig::from_register`]). Allocates nothing.
    ///
    /// # Errors
    /// [`LayoutError`] if the chip does not support such an image; the error names the limit.
    pub fn new(config: impl Into<AddressConfig>, desc: &SurfaceDesc) -> Result<Self, LayoutError> {
        let config = config.into();
        let shape = desc.shape(&config)?;
        let number = mode(&config, desc, &shape)?;
        let plane = size::plane(&config, &shape, number);
        let mut layout = Self {
            plane,
            stencil: None,
            dcc: None,
            htile: None,
            cmask: None,
            fmask: None,
            hiz: None,
            his: None,
            tile_swizzle: 0,
            size: plane.size,
            align: plane.align,
            displayable: false,
            compressible: false,
            desc: *desc,
            config,
            shape,
        };
        match desc.usage {
            Usage::Depth(depth) => layout.place_depth(depth.stencil, depth.htile)?,
            Usage::Stencil => {
                layout.compressible = config.generation == Generation::Gfx12;
                if layout.compressible {
                    layout.his = hierarchical_of(&config, &shape, 2)?;
                    let his = layout.his;
                    layout.his = his.map(|his| layout.place_hierarchical(his));
                }
            }
            Usage::Color(color) => layout.place_color(desc, color, number)?,
            Usage::ShadingRate | Usage::VideoReference => layout.place_color(desc, ColorUsage { dcc: false, ..ColorUsage::TEXTURE }, number)?,
        }
        Ok(layout)
    }

    /// Places a part of the given size after the existing parts and returns its offset.
    fn place(&mut self, size: u64, bytes: u32) -> u64 {
        let offset = align(self.size, bytes.trailing_zeros());
        self.size = offset + size;
        self.align = self.align.max(bytes);
        offset
    }

    fn place_hierarchical(&mut self, surface: Hierarchical) -> Hierarchical {
        Hierarchical { offset: self.place(surface.size, surface.align), ..surface }
    }

    fn place_depth(&mut self, stencil: bool, htile: HtileUse) -> Result<(), LayoutError> {
        let (config, shape) = (self.config, self.shape);
        let number = self.plane.mode.number();
        let gfx12 = config.generation == Generation::Gfx12;
        if stencil {
            let flags = Flags { depth: false, stencil: true, ..shape.flags };
            let plane = size::plane(&config, &Shape { bytes: 1, flags, ..shape }, number);
            let offset = self.place(plane.size, plane.align);
            self.stencil = Some(Stencil { offset, plane });
        }
        if htile != HtileUse::Off && gfx12 {
            if let Some(hiz) = hierarchical_of(&config, &shape, 4)? {
                self.hiz = Some(self.place_hierarchical(hiz));
            }
            if stencil && let Some(his) = hierarchical_of(&config, &shape, 2)? {
                self.his = Some(self.place_hierarchical(his));
            }
        } else if htile != HtileUse::Off {
            let mut meta = metadata_size::size(&config, MetadataKind::Htile, number, &Data::of(&shape, &self.plane), true);
            meta.offset = self.place(meta.size, meta.align);
            self.htile = Some(meta);
        }
        self.compressible = gfx12;
        Ok(())
    }

    fn place_color(&mut self, desc: &SurfaceDesc, color: ColorUsage, number: u32) -> Result<(), LayoutError> {
        let (config, shape) = (self.config, self.shape);
        let generation = config.generation;
        let least = if generation == Generation::Gfx12 { 2 } else { 16 };
        let starts_in_tail = self.plane.first_tail == 0 && shape.levels > 1;
        if number >= least && !starts_in_tail && !color.shared && !color.display {
            self.tile_swizzle = swizzle_bits::base_xor(&config, number, shape.bytes, desc.surface_index);
        }
        self.compressible = generation == Generation::Gfx12 && number != 0 && color.dcc;
        let dcc = if color.dcc { self.color_dcc(color, number) } else { None };
        if generation <= Generation::Gfx103 && shape.multisampled && color.fmask {
            let fmask = self.color_fmask(desc, color)?;
            self.fmask = Some(FmaskLayout { offset: self.place(fmask.size, fmask.align), ..fmask });
        }
        let fast_clear = generation == Generation::Gfx9 && !shape.multisampled && !shape.flags.unaligned;
        if number != 0 && shape.dim == Dim::Two && (fast_clear || self.fmask.is_some()) {
            let mode = self.fmask.map_or(number, |fmask| fmask.mode.number());
            let element = metadata::fmask_element(desc.samples.ilog2(), shape.fragments);
            let cmask_data = Data { levels: 1, element, fragments: 0, ..Data::of(&shape, &self.plane) };
            let mut cmask = metadata_size::size(&config, MetadataKind::Cmask, mode, &cmask_data, true);
            if shape.multisampled {
                cmask.offset = self.place(cmask.size, cmask.align);
            }
            self.cmask = Some(cmask);
        }
        // Mesa asks the address library up to GFX11.5, and accepts every two-dimensional image on GFX12 (ac_surface.c).
        let readable = match generation {
            Generation::Gfx12 => shape.dim != Dim::Three,
            _ => matches!(desc.dimension, ImageDimension::One | ImageDimension::Two) && legal::displayable(&config, 8 * shape.bytes) >> number & 1 == 1,
        };
        let dcc_readable = dcc.is_none_or(|dcc| dcc.display.is_some() || color.display && config.traits.display_dcc == DisplayDcc::Unaligned);
        self.displayable = readable && dcc_readable;
        if let Some(mut dcc) = dcc {
            if let Some(display) = &mut dcc.display {
                display.offset = self.place(display.size, display.align);
            }
            dcc.metadata.offset = self.place(dcc.metadata.size, dcc.metadata.align);
            self.dcc = Some(dcc);
        }
        Ok(())
    }

    /// Returns DCC, if the colour block and the display engine support it.
    fn color_dcc(&self, color: ColorUsage, number: u32) -> Option<DccLayout> {
        let (config, shape) = (&self.config, &self.shape);
        let usable = match config.generation {
            Generation::Gfx9 => number != 0,
            Generation::Gfx10 | Generation::Gfx103 => matches!(number, 24 | 27),
            Generation::Gfx11 => matches!(number, 24 | 27 | 28 | 31),
            Generation::Gfx12 => false,
        };
        if !usable || shape.dim == Dim::Three || shape.compressed_blocks() {
            return None;
        }
        let large = shape.width_texels > 2560 || shape.height_texels > 2560;
        let retiled = color.display && config.traits.display_dcc == DisplayDcc::Retiled;
        let small_blocks = config.generation == Generation::Gfx9 || retiled && (config.traits.display_64 || large);
        if color.display && (config.traits.display_dcc == DisplayDcc::No || shape.bytes != 4 || large && !small_blocks) {
            return None;
        }
        let data = Data::of(shape, &self.plane);
        let metadata = metadata_size::size(config, MetadataKind::Dcc, number, &data, !shape.flags.unaligned);
        if metadata.levels == 0 {
            return None;
        }
        let samples = if config.generation == Generation::Gfx11 { shape.fragments } else { 0 };
        let [w, h] = crate::layout::blocks::thin_micro((shape.element() + samples).min(8));
        Some(DccLayout {
            metadata,
            compressed_block: [1 << w, 1 << h],
            independent_64: small_blocks,
            independent_128: config.generation != Generation::Gfx9,
            max_compressed: if small_blocks {
                64
            } else if config.traits.large_dcc {
                256
            } else {
                128
            },
            display: retiled.then(|| metadata_size::size(config, MetadataKind::Dcc, number, &data, false)),
        })
    }

    fn color_fmask(&self, desc: &SurfaceDesc, color: ColorUsage) -> Result<FmaskLayout, LayoutError> {
        let (config, shape) = (&self.config, &self.shape);
        let bytes = 1 << metadata::fmask_element(desc.samples.ilog2(), shape.fragments);
        let fmask = fmask_shape(shape, bytes);
        let number = match config.generation {
            Generation::Gfx9 => choose(config, &fmask, desc.block_limit).map_err(|what| LayoutError::NoMode { what })?,
            _ => 24,
        };
        let mode = SwizzleMode::from_number(config.chip().gfx(), number).unwrap_or(SwizzleMode::SW_LINEAR);
        let Outline { pitch, height, slice_size, size, align, .. } = size::outline(config, &fmask, number);
        let swizzled = number >= 16 && !color.shared;
        let tile_swizzle = if swizzled { swizzle_bits::base_xor(config, number, shape.bytes, desc.surface_index.wrapping_add(1)) } else { 0 };
        Ok(FmaskLayout { offset: 0, mode, element_bytes: bytes, pitch, height, slice_size, size, align, tile_swizzle })
    }

    /// Returns the bits that [`tile_swizzle`](Self::tile_swizzle) may have in this mode, for any surface.
    pub fn tile_swizzle_mask(&self) -> u32 {
        swizzle_bits::mask(&self.config, self.plane.mode.number(), self.shape.bytes)
    }

    /// Returns the description of the image.
    pub fn desc(&self) -> &SurfaceDesc {
        &self.desc
    }

    /// Returns the address configuration of the layout.
    pub fn config(&self) -> &AddressConfig {
        &self.config
    }
}

fn hierarchical_of(config: &AddressConfig, shape: &Shape, bytes: u32) -> Result<Option<Hierarchical>, LayoutError> {
    hierarchical::surface(config, shape, bytes).map(Some).map_err(|what| LayoutError::NoMode { what })
}

/// Returns the shape of FMASK as a surface: in Z order, with one sample.
pub(in crate::layout) fn fmask_shape(shape: &Shape, bytes: u32) -> Shape {
    let flags = Flags { fmask: true, texture: shape.flags.texture, unaligned: shape.flags.unaligned, ..Flags::default() };
    Shape { bytes, multisampled: false, fragments: 0, flags, ..*shape }
}

/// Returns the number of the mode, either requested or chosen.
fn mode(config: &AddressConfig, desc: &SurfaceDesc, shape: &Shape) -> Result<u32, LayoutError> {
    let mode = match desc.tiling {
        Tiling::Optimal => return choose(config, shape, desc.block_limit).map_err(|what| LayoutError::NoMode { what }),
        Tiling::Linear => SwizzleMode::SW_LINEAR,
        Tiling::Mode(mode) => mode,
    };
    if !mode.exists_on(config.chip().gfx()) {
        return Err(LayoutError::Mode { mode, why: "this generation does not have it" });
    }
    match legal::why_not(config, shape, mode.number()) {
        Some(why) => Err(LayoutError::Mode { mode, why }),
        None => Ok(mode.number()),
    }
}
