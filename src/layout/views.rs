//! Conversion of layouts for descriptors and targets.

use crate::chip::Gfx;
use crate::descriptors::{self, CompressedBlock, ImageCompression, ImageDimension, TexelFormat};
use crate::layout::config::Generation;
use crate::layout::desc::{Element, HtileUse, Usage};
use crate::layout::plane::Plane;
use crate::layout::{MetadataLayout, SurfaceLayout, SwizzleMode};

impl From<TexelFormat> for Element {
    fn from(format: TexelFormat) -> Self {
        let side = if format.is_block_compressed() { 4 } else { 1 };
        Self { bytes: format.bytes(), width: side, height: side }
    }
}

impl SurfaceLayout {
    /// Returns a descriptor's view of the whole image, without its compression ([`compression`](Self::compression)); `address` is the start of the image.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::descriptors::TexelFormat;
    /// use pm4::layout::{SurfaceDesc, SurfaceLayout};
    ///
    /// let format = TexelFormat::R8G8B8A8_UNORM;
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 1920, height: 1080, levels: 3, ..SurfaceDesc::new(format.into()) })?;
    /// let words = layout.image_desc(0x2345_6780_0000, format).words(Chip::Navi31)?;
    /// assert_eq!(words[3] >> 20 & 31, layout.plane.mode.number());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn image_desc(&self, address: u64, format: TexelFormat) -> descriptors::ImageDesc {
        let desc = &self.desc;
        descriptors::ImageDesc {
            dimension: desc.dimension,
            width: desc.width,
            height: desc.height,
            depth: desc.depth,
            levels: desc.levels,
            layers: desc.layers,
            samples: desc.fragments,
            swizzle: self.plane.mode.number(),
            tile_swizzle: self.tile_swizzle,
            pitch: self.pitch_of(&self.plane),
            max_compressed_block: self.max_compressed_block(),
            ..descriptors::ImageDesc::new(address, format)
        }
    }

    /// Returns a descriptor's view of the stencil of an image that also has depth; None without such stencil.
    pub fn stencil_desc(&self, address: u64) -> Option<descriptors::ImageDesc> {
        let stencil = self.stencil.as_ref()?;
        let image = self.image_desc(address + stencil.offset, TexelFormat::S8_UINT);
        Some(descriptors::ImageDesc { swizzle: stencil.plane.mode.number(), tile_swizzle: 0, pitch: self.pitch_of(&stencil.plane), ..image })
    }

    /// Returns the compression for views of the image: DCC, or texture-readable HTILE. With `write`, shader writes compress. Levels beyond those of the
    /// metadata need views without compression.
    pub fn compression(&self, address: u64, write: bool) -> ImageCompression {
        let metadata = |metadata: &MetadataLayout| descriptors::Metadata {
            address: address + metadata.offset,
            pipe_aligned: metadata.pipe_aligned,
            rb_aligned: metadata.rb_aligned && self.config().generation == Generation::Gfx9,
        };
        match (&self.dcc, &self.htile, self.desc.usage) {
            (Some(dcc), ..) => ImageCompression::Dcc { metadata: metadata(&dcc.metadata), write },
            (_, Some(htile), Usage::Depth(depth)) if depth.htile == HtileUse::Texture => ImageCompression::Htile {
                metadata: metadata(htile),
                iterate_256: self.config().generation > Generation::Gfx9 && self.desc.samples > 1,
                depth_bits: None,
            },
            (None, None, Usage::Color(_)) if self.compressible => ImageCompression::Dcc { metadata: descriptors::Metadata::default(), write },
            _ => ImageCompression::Off,
        }
    }

    /// Returns the pitch of the first plane for descriptors and targets, in elements: on GFX9 for every image (the pitch of all levels, or their height), from
    /// GFX10.3 on for linear images whose rows are longer than their width; None otherwise.
    pub fn pitch(&self) -> Option<u32> {
        self.pitch_of(&self.plane)
    }

    /// Returns the pitch of the stencil of an image that also has depth, in the same form.
    pub fn stencil_pitch(&self) -> Option<u32> {
        self.stencil.as_ref().and_then(|stencil| self.pitch_of(&stencil.plane))
    }

    fn pitch_of(&self, plane: &Plane) -> Option<u32> {
        let gfx: Gfx = self.config().chip().gfx();
        let one = self.desc.levels == 1 && self.desc.layers == 1 && self.desc.dimension != ImageDimension::Three;
        let padded = plane.mode == SwizzleMode::SW_LINEAR && one;
        match plane.chain {
            Some(chain) => Some(chain.epitch + 1),
            None if gfx.version() >= (10, 3) && padded && plane.pitch != self.shape.width && self.desc.element.bytes != 12 => Some(plane.pitch),
            None => None,
        }
    }

    fn max_compressed_block(&self) -> CompressedBlock {
        match self.dcc.as_ref().map(|dcc| dcc.max_compressed) {
            Some(256) => CompressedBlock::B256,
            Some(128) => CompressedBlock::B128,
            None if self.compressible => CompressedBlock::B256,
            _ => CompressedBlock::B64,
        }
    }
}
