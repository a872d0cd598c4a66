//! The position of an image's metadata, and its contents when nothing is compressed.

use crate::draw::desc::{DepthClear, Htile};
use crate::draw::sync::image::MetadataFill;
use crate::layout::{DepthUsage, SurfaceLayout, Usage};

/// Maximum of depth in HTILE: 14 bits of a fraction.
const DEPTH_STEPS: f32 = 16383.0;

impl MetadataFill {
    /// Returns the offset in bytes from the start of the image and the size; None if the layout has no such metadata.
    pub fn place(self, layout: &SurfaceLayout) -> Option<(u64, u64)> {
        match self {
            Self::Dcc => layout.dcc.as_ref().map(|dcc| (dcc.metadata.offset, dcc.metadata.size)),
            // CMASK of one sample is separate memory (GFX9).
            Self::Cmask => layout.cmask.as_ref().filter(|_| layout.fmask.is_some()).map(|cmask| (cmask.offset, cmask.size)),
            Self::Fmask => layout.fmask.as_ref().map(|fmask| (fmask.offset, fmask.size)),
            Self::Htile => layout.htile.as_ref().map(|htile| (htile.offset, htile.size)),
        }
    }

    /// Returns the dword that states that nothing is compressed, so that the image's elements in memory are valid. HTILE then has the whole range of depth, no
    /// results of stencil tests, and no shading rates.
    ///
    /// Sources: radeonsi (DCC_UNCOMPRESSED) for DCC; captures of RADV on GFX9 to GFX11 for the others, where its first use of an image fills them.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::MetadataFill;
    /// use pm4::layout::{DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let desc = SurfaceDesc { width: 64, height: 64, usage: Usage::Depth(DepthUsage::default()), ..SurfaceDesc::new(Element::texel(4)) };
    /// let layout = SurfaceLayout::new(Chip::Navi31, &desc)?;
    /// assert_eq!(MetadataFill::Htile.uncompressed(&layout), 0xFFFC_000F);
    /// # Ok::<(), pm4::layout::LayoutError>(())
    /// ```
    pub fn uncompressed(self, layout: &SurfaceLayout) -> u32 {
        let desc = layout.desc();
        match (self, desc.samples) {
            (Self::Dcc, _) => u32::MAX,
            (Self::Cmask, 2) => 0xDDDD_DDDD,
            (Self::Cmask, 4) => 0xEEEE_EEEE,
            (Self::Cmask, _) => u32::MAX,
            (Self::Fmask, 2) => 0x0202_0202,
            (Self::Fmask, 4) => 0xE4E4_E4E4,
            (Self::Fmask, 8) => 0x7654_3210,
            (Self::Fmask, _) => 0,
            (Self::Htile, _) => {
                let stencil = matches!(desc.usage, Usage::Depth(DepthUsage { stencil: true, .. }) | Usage::Stencil);
                Htile { stencil, ..Htile::default() }.expanded()
            }
        }
    }
}

impl Htile {
    /// Returns the word of a tile that is not compressed, with the whole range of depth; with stencil, the results of stencil tests are unknown (Mesa 25.0.7
    /// radv_get_htile_initial_value; that of depth alone is in captures, and so is what RADV writes for depth together with stencil).
    pub const fn expanded(&self) -> u32 {
        match (self.stencil, self.rates) {
            (false, _) => 0xFFFC_000F,
            (true, false) => 0xFFFF_F3FF,
            // A rate of 1 pixel.
            (true, true) => 0xFFFF_F33F,
        }
    }

    /// Returns the word of a tile that holds the clear values: the depth block takes them from [`DepthTarget::clear`](crate::draw::DepthTarget::clear), and the
    /// memory of depth and stencil is not read. Depth is clamped to 0 to 1 (Mesa 25.0.7 radv_get_htile_fast_clear_value, which keeps
    /// shading rates; here they become 1 pixel).
    ///
    /// ```
    /// use pm4::draw::{DepthClear, Htile};
    /// let one = DepthClear { depth: 1.0, stencil: 0 };
    /// assert_eq!(Htile::default().cleared(one), 0xFFFF_FFF0); // the largest and the smallest depth, 14 bits each
    /// assert_eq!(Htile { stencil: true, ..Htile::default() }.cleared(one), 0xFFFC_00F0);
    /// ```
    pub fn cleared(&self, clear: DepthClear) -> u32 {
        // Rounded to nearest; halves away from 0.
        let depth = (clear.depth.clamp(0.0, 1.0) * DEPTH_STEPS + 0.5) as u32;
        match (self.stencil, self.rates) {
            (false, _) => depth << 18 | depth << 4,
            (true, false) => depth << 18 | 0xF0,
            (true, true) => depth << 18 | 0x30,
        }
    }
}
