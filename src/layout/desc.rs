//! Images as a driver asks for them.

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
    /// Texels in x, 1 to 12.
    pub width: u32,
    /// Texels in y, 1 to 12.
    pub height: u32,
}

impl Element {
    /// Blocks of 4x4 texels in 8 bytes: BC1, BC4, ETC2 without alpha.
    pub const BC1: Self = Self { bytes: 8, width: 4, height: 4 };
    /// Blocks of 4x4 texels in 16 bytes: BC2, BC3, BC5 to BC7.
    pub const BC7: Self = Self { bytes: 16, width: 4, height: 4 };

    /// Returns a texel.
    pub const fn texel(bytes: u32) -> Self {
        Self { bytes, width: 1, height: 1 }
    }
}

/// What an image is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Usage {
    /// Colour.
    Color(ColorUsage),
    /// Depth, with or without stencil in a plane of its own.
    Depth(DepthUsage),
    /// Stencil without depth.
    Stencil,
    /// Shading rates of a pass.
    ShadingRate,
    /// A reference frame of the video decoder.
    VideoReference,
}

/// Uses of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorUsage {
    /// Passes render to it, or it is cleared as a target. RADV lays nearly every image out as a target; images that are only sampled are laid out for textures.
    pub target: bool,
    /// Shaders read it. Linear images of compressed blocks need false on GFX9.
    pub sampled: bool,
    /// DCC where the chip can have it: up to GFX11.5 in memory beside the image, on GFX12 as a property of its pages.
    pub dcc: bool,
    /// FMASK where the chip has it and there are several samples. Storage images have none.
    pub fmask: bool,
    /// The display engine reads it.
    pub display: bool,
    /// Other processes or devices read it: it starts at bank 0.
    pub shared: bool,
}

impl ColorUsage {
    /// A target that is also sampled, with everything that makes it fast.
    pub const TARGET: Self = Self { target: true, sampled: true, dcc: true, fmask: true, display: false, shared: false };
    /// A texture.
    pub const TEXTURE: Self = Self { target: false, dcc: false, ..Self::TARGET };
}

/// Uses of depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DepthUsage {
    /// A plane of stencil follows that of depth.
    pub stencil: bool,
    /// Tiles of depth: HTILE, on GFX12 HiZ and HiS.
    pub htile: HtileUse,
}

/// Tiles of depth ([`DepthUsage::htile`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HtileUse {
    /// None.
    Off,
    /// For the depth block alone.
    #[default]
    DepthOnly,
    /// Also for textures that read the depth while it is compressed.
    Texture,
}

/// How elements are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tiling {
    /// As Mesa 25.0.7 chooses.
    #[default]
    Optimal,
    /// Rows.
    Linear,
    /// In this mode, as an image has that was imported.
    Mode(SwizzleMode),
}

/// An image, in texels. [`SurfaceLayout::new`](crate::layout::SurfaceLayout::new) gives its layout.
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
    /// Element of its format.
    pub element: Element,
    /// Width of level 0: 1 to 16384, to 65536 on GFX12.
    pub width: u32,
    /// Height of level 0, in the same range; 1 for one dimension.
    pub height: u32,
    /// Depth of level 0 of three dimensions: 1 to 8192, to 16384 from GFX10 on; 1 otherwise.
    pub depth: u32,
    /// Layers: 1 to 2048, to 8192 from GFX10 on; 1 for three dimensions, a multiple of 6 for cubes.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples of coverage: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Samples that are stored: 1, 2, 4 or 8, at most `samples`. The same as `samples` but for EQAA, colour of GFX9 and GFX10.
    pub fragments: u32,
    /// What it is for.
    pub usage: Usage,
    /// Order of elements.
    pub tiling: Tiling,
    /// Largest block that may be chosen.
    pub block_limit: BlockLimit,
    /// Parts of it are bound to memory on their own.
    pub sparse: bool,
    /// Slices of three dimensions will be viewed as layers (GFX12 then has blocks of one slice).
    pub slices_as_layers: bool,
    /// Which surface of the process it is: successive ones start on different banks. FMASK takes the next number.
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

    /// Every number within its range, and nothing that excludes another thing.
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

    /// What the rules of the chip are about.
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
            // GFX9 lays lines out as planes of one row (Mesa 25.0.7 ac_surface.c).
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
