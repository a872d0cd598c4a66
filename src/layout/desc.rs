//! Descriptions of images.

use crate::descriptors::ImageDimension;
use crate::layout::choose::BlockLimit;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::MAX_LEVELS;
use crate::layout::shape::{Dim, Flags, Shape};
use crate::layout::{LayoutError, SwizzleMode};

/// An element of a surface: a texel, or a block of texels of a compressed format.
///
/// ```
/// use pm4::layout::Element;
/// assert_eq!(Element::texel(4), Element { bytes: 4, width: 1, height: 1 });
/// assert_eq!(Element::BC1, Element { bytes: 8, width: 4, height: 4 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element {
    /// Bytes: 1, 2, 4, 8, 12 or 16.
    pub bytes: u32,
    /// Width in texels, 1 to 12.
    pub width: u32,
    /// Height in texels, 1 to 12.
    pub height: u32,
}

impl Element {
    /// Blocks of 4x4 texels in 8 bytes: BC1, BC4, ETC2 without alpha.
    pub const BC1: Self = Self { bytes: 8, width: 4, height: 4 };
    /// Blocks of 4x4 texels in 16 bytes: BC2, BC3, BC5 to BC7.
    pub const BC7: Self = Self { bytes: 16, width: 4, height: 4 };

    /// Returns the element of an uncompressed format: one texel of the given size in bytes.
    pub const fn texel(bytes: u32) -> Self {
        Self { bytes, width: 1, height: 1 }
    }
}

/// The use of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Usage {
    /// Colour.
    Color(ColorUsage),
    /// Depth, with or without stencil in a separate plane.
    Depth(DepthUsage),
    /// Stencil without depth.
    Stencil,
    /// Shading rates of a pass: a shading-rate image.
    ShadingRate,
    /// A reference frame of the video decoder.
    VideoReference,
}

/// Uses of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorUsage {
    /// Whether passes render to the image, or it is cleared as a target. RADV lays out nearly every image as a target; images that are only sampled are laid
    /// out as textures.
    pub target: bool,
    /// Whether shaders read the image. Must be false for linear images of block-compressed formats on GFX9.
    pub sampled: bool,
    /// Whether to use DCC if the chip supports it: up to GFX11.5 in separate memory of the image, on GFX12 as a property of its pages.
    pub dcc: bool,
    /// Whether to use FMASK if the chip has it and the image has several samples. Storage images have none.
    pub fmask: bool,
    /// Whether the display engine reads the image.
    pub display: bool,
    /// Whether other processes or devices read the image; it then starts at bank 0.
    pub shared: bool,
}

impl ColorUsage {
    /// A target that is also sampled, with all compression that makes it fast.
    pub const TARGET: Self = Self { target: true, sampled: true, dcc: true, fmask: true, display: false, shared: false };
    /// A texture.
    pub const TEXTURE: Self = Self { target: false, dcc: false, ..Self::TARGET };
}

/// Uses of depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DepthUsage {
    /// Whether a stencil plane follows the depth plane.
    pub stencil: bool,
    /// Use of depth tiles: HTILE, or HiZ and HiS on GFX12.
    pub htile: HtileUse,
}

/// Use of depth tiles ([`DepthUsage::htile`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HtileUse {
    /// None.
    Off,
    /// Only for the depth block.
    #[default]
    DepthOnly,
    /// Also for textures that read the depth while it is compressed.
    Texture,
}

/// The order of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tiling {
    /// As Mesa 25.0.7 chooses.
    #[default]
    Optimal,
    /// Rows.
    Linear,
    /// In this mode, for an imported image.
    Mode(SwizzleMode),
}

/// An image, in texels. [`SurfaceLayout::new`](crate::layout::SurfaceLayout::new) computes its layout.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::{Element, SurfaceDesc, SurfaceLayout, SwizzleMode};
///
/// let texture = SurfaceDesc { width: 1024, height: 1024, levels: 11, ..SurfaceDesc::new(Element::BC7) };
/// let layout = SurfaceLayout::new(Chip::Navi21, &texture)?;
/// assert_eq!(layout.plane.mode, SwizzleMode::SW_64KB_D_X);
/// let deep = SurfaceLayout::new(Chip::Navi21, &SurfaceDesc { levels: 12, ..texture }).unwrap_err();
/// assert_eq!(deep.to_string(), "layout: levels = 12 is not within 1 to the levels down to 1x1x1");
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SurfaceDesc {
    /// Dimensions.
    pub dimension: ImageDimension,
    /// Element of the format.
    pub element: Element,
    /// Width of level 0: 1 to 16384, up to 65536 on GFX12.
    pub width: u32,
    /// Height of level 0, in the same range; 1 for one dimension.
    pub height: u32,
    /// Depth of level 0 of a three-dimensional image: 1 to 8192, up to 16384 from GFX10 on; 1 otherwise.
    pub depth: u32,
    /// Number of layers: 1 to 2048, up to 8192 from GFX10 on; 1 for three dimensions, a multiple of 6 for cubes.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Number of coverage samples: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Number of stored samples: 1, 2, 4 or 8, at most `samples`. Equal to `samples` except with EQAA, which is for colour on GFX9 and GFX10.
    pub fragments: u32,
    /// Use of the image.
    pub usage: Usage,
    /// Order of elements.
    pub tiling: Tiling,
    /// Largest block that [`Tiling::Optimal`] may choose.
    pub block_limit: BlockLimit,
    /// Whether parts of the image are bound to memory separately.
    pub sparse: bool,
    /// Whether slices of a three-dimensional image will be viewed as layers (GFX12 then uses blocks of one slice).
    pub slices_as_layers: bool,
    /// Number of the surface within the process: successive surfaces start on different banks. FMASK uses the next number.
    pub surface_index: u32,
}

impl SurfaceDesc {
    /// Creates a texture of 1x1 texels.
    pub const fn new(element: Element) -> Self {
        Self {
            dimension: ImageDimension::Two,
            element,
            width: 1,
            height: 1,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: 1,
            fragments: 1,
            usage: Usage::Color(ColorUsage::TEXTURE),
            tiling: Tiling::Optimal,
            block_limit: BlockLimit::Any,
            sparse: false,
            slices_as_layers: false,
            surface_index: 0,
        }
    }

    /// Checks that every number is within its range and that no properties exclude each other.
    fn check(&self, config: &AddressConfig) -> Result<(), LayoutError> {
        let limit = |what: &'static str, value: u32, most: u32, limit: &'static str| match value {
            value if (1..=most).contains(&value) => Ok(()),
            value => Err(LayoutError::Limit { what, value, limit }),
        };
        let gfx9 = config.generation == Generation::Gfx9;
        let Element { bytes, width, height } = self.element;
        if !matches!(bytes, 1 | 2 | 4 | 8 | 12 | 16) {
            return Err(LayoutError::Limit { what: "element.bytes", value: bytes, limit: "1, 2, 4, 8, 12, 16" });
        }
        limit("element.width", width, 12, "1 to 12")?;
        limit("element.height", height, 12, "1 to 12")?;
        let (size, text) = if config.generation == Generation::Gfx12 { (65536, "1 to 65536") } else { (16384, "1 to 16384") };
        limit("width", self.width, size, text)?;
        match self.dimension {
            ImageDimension::One => limit("height", self.height, 1, "1 for one dimension")?,
            _ => limit("height", self.height, size, text)?,
        }
        match self.dimension {
            ImageDimension::Three if gfx9 => limit("depth", self.depth, 8192, "1 to 8192")?,
            ImageDimension::Three => limit("depth", self.depth, 16384, "1 to 16384")?,
            _ => limit("depth", self.depth, 1, "1 unless there are three dimensions")?,
        }
        match self.dimension {
            ImageDimension::Three => limit("layers", self.layers, 1, "1 for three dimensions")?,
            _ if gfx9 => limit("layers", self.layers, 2048, "1 to 2048")?,
            _ => limit("layers", self.layers, 8192, "1 to 8192")?,
        }
        if self.dimension == ImageDimension::Cube && !self.layers.is_multiple_of(6) {
            return Err(LayoutError::Limit { what: "layers", value: self.layers, limit: "multiples of 6 for cubes" });
        }
        let depth = if self.dimension == ImageDimension::Three { self.depth } else { 1 };
        let levels = self.width.max(self.height).max(depth).ilog2() + 1;
        limit("levels", self.levels, levels.min(MAX_LEVELS as u32), "1 to the levels down to 1x1x1")?;
        if !matches!(self.samples, 1 | 2 | 4 | 8 | 16) {
            return Err(LayoutError::Limit { what: "samples", value: self.samples, limit: "1, 2, 4, 8, 16" });
        }
        if !matches!(self.fragments, 1 | 2 | 4 | 8) || self.fragments > self.samples {
            return Err(LayoutError::Limit { what: "fragments", value: self.fragments, limit: "1, 2, 4, 8, and at most the samples" });
        }
        self.exclude(config)
    }

    fn exclude(&self, config: &AddressConfig) -> Result<(), LayoutError> {
        let excluded = |what, with| Err(LayoutError::Excluded { what, with });
        let is_depth = matches!(self.usage, Usage::Depth(_) | Usage::Stencil);
        if self.samples > 1 {
            if self.levels > 1 {
                return excluded("several samples", "several levels");
            }
            if self.dimension != ImageDimension::Two {
                return excluded("several samples", "other than two dimensions");
            }
            if self.element.width > 1 || self.element.height > 1 {
                return excluded("several samples", "compressed blocks");
            }
            if self.sparse {
                return excluded("several samples", "memory bound in parts");
            }
        }
        if self.fragments != self.samples && (is_depth || config.generation > Generation::Gfx103) {
            return excluded("fewer fragments than samples", "depth, or GFX11 and later");
        }
        if is_depth {
            if self.dimension != ImageDimension::Two {
                return excluded("depth and stencil", "other than two dimensions");
            }
            let stencil = self.usage == Usage::Stencil;
            if self.element.width > 1 || self.element.height > 1 || !matches!((stencil, self.element.bytes), (true, 1) | (false, 2 | 4)) {
                return excluded("depth and stencil", "elements of other than 2 or 4 bytes of depth, 1 byte of stencil");
            }
        }
        if let Usage::Color(ColorUsage { display: true, .. }) = self.usage
            && (self.samples > 1 || matches!(self.dimension, ImageDimension::Three | ImageDimension::Cube))
        {
            return excluded("images for display", "several samples, or other than two dimensions");
        }
        Ok(())
    }

    /// Returns the shape of the surface, to which the rules of the chip apply.
    pub(in crate::layout) fn shape(&self, config: &AddressConfig) -> Result<Shape, LayoutError> {
        self.check(config)?;
        let mut flags = Flags { sparse: self.sparse, slices_as_layers: self.slices_as_layers, ..Flags::default() };
        match self.usage {
            Usage::Color(ColorUsage { target, sampled, display, .. }) => (flags.color, flags.texture, flags.display) = (target, sampled, display),
            Usage::Depth(depth) => (flags.depth, flags.texture) = (true, depth.htile == HtileUse::Texture),
            Usage::Stencil => flags.stencil = true,
            Usage::ShadingRate => (flags.rate_image, flags.texture) = (true, true),
            Usage::VideoReference => (flags.video, flags.texture) = (true, true),
        }
        flags.unaligned = flags.display && config.traits.display_dcc == crate::layout::config::DisplayDcc::Unaligned;
        let dim = match self.dimension {
            // GFX9 lays out lines as planes of one row (Mesa 25.0.7 ac_surface.c).
            ImageDimension::One if config.generation != Generation::Gfx9 => Dim::One,
            ImageDimension::Three => Dim::Three,
            _ => Dim::Two,
        };
        Ok(Shape {
            dim,
            bytes: self.element.bytes,
            width: self.width.div_ceil(self.element.width),
            height: self.height.div_ceil(self.element.height),
            width_texels: self.width,
            height_texels: self.height,
            slices: if dim == Dim::Three { self.depth } else { self.layers },
            levels: self.levels,
            multisampled: self.samples > 1,
            fragments: self.fragments.ilog2(),
            texels: [self.element.width, self.element.height],
            flags,
        })
    }
}
