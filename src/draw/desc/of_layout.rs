//! Targets from layouts, so that no number of an image is stated twice.

use crate::descriptors::CompressedBlock;
use crate::draw::desc::compression::{ColorCompression, Dcc, DccBlocks, Fmask, HiSurface, Htile};
use crate::draw::desc::formats::{ColorFormat, DepthFormat};
use crate::draw::desc::targets::{DepthTarget, Surface, TargetImage};
use crate::layout::{DepthUsage, Hierarchical, HtileUse, MetadataLayout, SurfaceLayout, SwizzleMode, Usage};

/// Returns a base address with the XOR of its surface, which occupies bits below the alignment, in units of 256 bytes.
fn swizzled(address: u64, tile_swizzle: u32) -> u64 {
    address | u64::from(tile_swizzle) << 8
}

/// Returns the same for metadata, whose alignment may leave fewer bits free (Mesa 25.0.7 radv_initialise_color_surface).
fn swizzled_metadata(address: u64, metadata: &MetadataLayout, tile_swizzle: u32) -> u64 {
    swizzled(address + metadata.offset, tile_swizzle & metadata.align.saturating_sub(1) >> 8)
}

/// Swizzle modes have at most five bits.
fn number(mode: SwizzleMode) -> u8 {
    mode.number() as u8
}

fn surface(layout: &SurfaceLayout, address: u64, level: u32) -> Surface {
    let desc = layout.desc();
    Surface {
        address: swizzled(address, layout.tile_swizzle),
        pitch: layout.pitch(),
        swizzle: number(layout.plane.mode),
        layers: (0, desc.layers.max(desc.depth).saturating_sub(1)),
        level,
        last_level: desc.levels.saturating_sub(1),
        ..Surface::default()
    }
}

impl TargetImage {
    /// Returns a level of the image at `address` as a colour target: all its layers or slices, with the metadata of the layout for the level. DCC, CMASK and
    /// FMASK are in use; to turn them off, clear [`compression`](Self::compression).
    ///
    /// ```
    /// # #[cfg(feature = "gfx103")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::{ColorFormat, TargetImage};
    /// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Color(ColorUsage::TARGET);
    /// let layout = SurfaceLayout::new(Chip::Navi21, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let target = TargetImage::of_layout(&layout, ColorFormat::Rgba8, 0x1_0000_0000, 0);
    /// assert_eq!(u32::from(target.surface.swizzle), layout.plane.mode.number());
    /// let dcc = target.compression.and_then(|compression| compression.dcc).expect("DCC");
    /// assert!(dcc.address >= 0x1_0000_0000 + layout.dcc.unwrap().metadata.offset);
    /// # }
    /// # Ok::<(), pm4::layout::LayoutError>(())
    /// ```
    pub fn of_layout(layout: &SurfaceLayout, format: ColorFormat, address: u64, level: u32) -> Self {
        let desc = layout.desc();
        let samples = Some(desc.fragments).filter(|fragments| *fragments != desc.samples);
        Self { format, samples, surface: surface(layout, address, level), compression: color_compression(layout, address, level) }
    }
}

fn color_compression(layout: &SurfaceLayout, address: u64, level: u32) -> Option<ColorCompression> {
    if layout.compressible {
        // GFX12: a property of the pages.
        return Some(ColorCompression { dcc: Some(Dcc { address: 0, blocks: None }), ..ColorCompression::default() });
    }
    let dcc = layout.dcc.as_ref().filter(|dcc| level < dcc.metadata.levels);
    let fmask = layout.fmask.as_ref();
    // CMASK of one sample is only for fast clears; on GFX9 it is in separate memory.
    let cmask = layout.cmask.as_ref().filter(|_| fmask.is_some());
    let aligned = dcc.map(|dcc| &dcc.metadata).or(cmask)?;
    let blocks = |largest: u32, independent_64, independent_128| {
        let largest = match largest {
            64 => CompressedBlock::B64,
            128 => CompressedBlock::B128,
            _ => CompressedBlock::B256,
        };
        DccBlocks { largest, independent_64, independent_128 }
    };
    Some(ColorCompression {
        dcc: dcc.map(|dcc| Dcc {
            address: swizzled_metadata(address, &dcc.metadata, layout.tile_swizzle),
            blocks: Some(blocks(dcc.max_compressed, dcc.independent_64, dcc.independent_128)),
        }),
        cmask: cmask.map(|cmask| address + cmask.offset),
        fmask: fmask.map(|fmask| Fmask {
            address: swizzled(address + fmask.offset, fmask.tile_swizzle),
            swizzle: number(fmask.mode),
            compressed: true,
            single_fragments: false,
        }),
        clear_words: None,
        pipe_aligned: aligned.pipe_aligned,
        rb_aligned: aligned.rb_aligned && layout.config().chip().gfx().major() == 9,
    })
}

impl DepthTarget {
    /// Returns a level of the image at `address` as a depth and stencil target: all its layers, with HTILE if the layout has it for the level.
    /// Shaders do not read HTILE ([`Htile::shader_readable`], which needs [`Htile::decompress_planes`] as well: set both for that). HiZ and HiS of GFX12 are
    /// disabled, because no source of this crate states their initial content or their content after a clear; [`HiSurface::of_layout`] makes them for callers
    /// that know it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DepthFormat, DepthTarget};
    /// use pm4::layout::{DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Depth(DepthUsage { stencil: true, ..DepthUsage::default() });
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let target = DepthTarget::of_layout(&layout, DepthFormat::D32s8, 0x1_0000_0000, 0);
    /// assert_eq!(target.surface.stencil_address, 0x1_0000_0000 + layout.stencil.unwrap().offset);
    /// assert!(target.htile.is_some());
    /// # }
    /// # Ok::<(), pm4::layout::LayoutError>(())
    /// ```
    pub fn of_layout(layout: &SurfaceLayout, format: DepthFormat, address: u64, level: u32) -> Self {
        let desc = layout.desc();
        let stencil = layout.stencil.as_ref();
        let surface = Surface {
            stencil_address: stencil.map_or(0, |stencil| address + stencil.offset),
            stencil_pitch: layout.stencil_pitch(),
            stencil_swizzle: stencil.map(|stencil| number(stencil.plane.mode)),
            ..surface(layout, address, level)
        };
        let major = layout.config().chip().gfx().major();
        let with_stencil = matches!(desc.usage, Usage::Depth(DepthUsage { stencil: true, .. }) | Usage::Stencil);
        let htile = layout.htile.as_ref().filter(|htile| level < htile.levels).map(|htile| Htile {
            address: address + htile.offset,
            pipe_aligned: htile.pipe_aligned,
            rb_aligned: htile.rb_aligned && major == 9,
            stencil: with_stencil,
            compressed: true,
            // As in the descriptors of the layout (SurfaceLayout::compression).
            iterate_256: major == 10 && desc.samples > 1 && matches!(desc.usage, Usage::Depth(DepthUsage { htile: HtileUse::Texture, .. })),
            ..Htile::default()
        });
        Self { surface, htile, ..Self::new(format, desc.samples) }
    }
}

impl HiSurface {
    /// HiZ or HiS of an image that is at `address`: [`SurfaceLayout::hiz`] or [`SurfaceLayout::his`] of its layout.
    ///
    /// ```
    /// # #[cfg(feature = "gfx12")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DepthFormat, DepthTarget, HiSurface};
    /// use pm4::layout::{DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Depth(DepthUsage::default());
    /// let layout = SurfaceLayout::new(Chip::Gfx1201, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let hiz = layout.hiz.as_ref().map(|hiz| HiSurface::of_layout(hiz, 0x1_0000_0000));
    /// let target = DepthTarget { hiz, ..DepthTarget::of_layout(&layout, DepthFormat::D32, 0x1_0000_0000, 0) };
    /// assert_eq!(target.hiz.unwrap().extent, (240, 136)); // of 8 x 8 pixels
    /// # }
    /// # Ok::<(), pm4::layout::LayoutError>(())
    /// ```
    pub fn of_layout(surface: &Hierarchical, address: u64) -> Self {
        Self { address: address + surface.offset, swizzle: number(surface.mode), format: false, extent: (surface.width, surface.height) }
    }
}
