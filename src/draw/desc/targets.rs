//! Colour and depth targets: images with their addresses and layouts.

use crate::chip::Gfx;
use crate::draw::desc::compression::{ColorCompression, DepthClear, HiSurface, Htile};
use crate::draw::desc::formats::{ColorFormat, DepthFormat};
use crate::draw::desc::rates::RateImage;
use crate::layout::SwizzleMode;
use alloc::vec::Vec;

/// The address and the layout of an image.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ColorFormat, DrawDesc, Surface, TargetBlend, TargetImage};
/// // The third layer of an image of floats, tiled by the swizzle mode 27 of GFX11.
/// let surface = Surface { address: 0x100_0000, swizzle: 27, layers: (2, 2), ..Surface::default() };
/// let image = TargetImage { format: ColorFormat::Rgba16f, surface, ..TargetImage::default() };
/// DrawDesc::default().with_colors([(image, TargetBlend::default())]).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Address in bytes, 256-byte aligned, below 2^48.
    pub address: u64,
    /// Address of stencil, 256-byte aligned, below 2^48, for formats with depth and stencil. A target with only stencil has the address here, or, if this is 0,
    /// in `address`.
    pub stencil_address: u64,
    /// Pitch in pixels; None for the width. GFX9 accepts 1 to 65536 for every target. Later generations accept a pitch for linear colour targets with one layer
    /// and one mip level: on GFX10.1 the width in rows of a multiple of 256 bytes, from GFX10.3 on also more, up to 16384 (GFX12: 65536, in rows of a multiple
    /// of 128 bytes).
    pub pitch: Option<u32>,
    /// Pitch of stencil in pixels, on GFX9: 1 to 65536; None for `pitch`.
    pub stencil_pitch: Option<u32>,
    /// Number of the swizzle mode on the generation ([`SwizzleMode::number`]), or [`Self::USUAL`], the default. Only single-sample colour may be linear (0).
    pub swizzle: u8,
    /// Swizzle mode of stencil, which must not be linear; None for `swizzle`.
    pub stencil_swizzle: Option<u8>,
    /// First and last array layer, below 2048.
    pub layers: (u32, u32),
    /// Mip level to draw to. [`TargetsDesc::extent`](crate::draw::TargetsDesc::extent) is still the size of level 0.
    pub level: u32,
    /// Mip levels of the image, minus 1: at most 14.
    pub last_level: u32,
}

impl Default for Surface {
    /// Returns a surface at address 0 with the usual swizzle mode, one layer and one mip level.
    fn default() -> Self {
        Self {
            address: 0,
            stencil_address: 0,
            pitch: None,
            stencil_pitch: None,
            swizzle: Self::USUAL,
            stencil_swizzle: None,
            layers: (0, 0),
            level: 0,
            last_level: 0,
        }
    }
}

impl Surface {
    /// A value for [`swizzle`](Self::swizzle): linear for single-sample colour; otherwise blocks of 64 KiB in the most general mode for the kind of target:
    /// `64KB_Z_X` for depth, `64KB_R_X` for multisampled colour (`64KB_S_X` on GFX9), `64KB_2D` for both on GFX12.
    ///
    /// Intended for tests and examples; a driver takes the mode from the layout of the image ([`SurfaceLayout`](crate::layout::SurfaceLayout)).
    pub const USUAL: u8 = u8::MAX;

    /// Returns the number of the usual swizzle mode of a target: colour with a number of samples, or depth.
    pub(crate) fn mode(&self, gfx: Gfx, color_samples: Option<u32>) -> u32 {
        number(self.swizzle, gfx, color_samples)
    }

    /// Returns the number of the swizzle mode of the stencil of a depth target.
    pub(crate) fn stencil_mode(&self, gfx: Gfx) -> u32 {
        number(self.stencil_swizzle.unwrap_or(self.swizzle), gfx, None)
    }
}

fn number(swizzle: u8, gfx: Gfx, color_samples: Option<u32>) -> u32 {
    if swizzle != Surface::USUAL {
        return swizzle.into();
    }
    let mode = match (color_samples, gfx.major()) {
        (Some(1), _) => SwizzleMode::SW_LINEAR,
        (_, 12..) => SwizzleMode::SW_64KB_2D,
        (None, _) => SwizzleMode::SW_64KB_Z_X,
        (Some(_), 9) => SwizzleMode::SW_64KB_S_X,
        (Some(_), _) => SwizzleMode::SW_64KB_R_X,
    };
    mode.number()
}

/// A depth and stencil target.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DepthClear, DepthFormat, DepthTarget, DrawDesc, HiSurface, Htile, Surface, TargetsDesc};
/// let surface = Surface { address: 0x100_0000, swizzle: 24, ..Surface::default() };
/// let htile = Htile { address: 0x200_0000, pipe_aligned: true, compressed: true, ..Htile::default() };
/// let plain = DepthTarget { surface, ..DepthTarget::new(DepthFormat::D32, 1) };
/// let targets = |depth| TargetsDesc { depth: Some(depth), ..TargetsDesc::default() };
/// let cleared = DepthTarget { htile: Some(htile), clear: Some(DepthClear { depth: 1.0, stencil: 0 }), ..plain };
/// DrawDesc { targets: targets(cleared), ..DrawDesc::default() }.resolve(Chip::Navi31)?;
/// // GFX12 has a surface of its own in place of HTILE.
/// let hiz = HiSurface { address: 0x200_0000, swizzle: 1, format: false, extent: (32, 16) };
/// let surface = Surface { swizzle: 3, ..surface };
/// DrawDesc { targets: targets(DepthTarget { surface, hiz: Some(hiz), ..plain }), ..DrawDesc::default() }.resolve(Chip::Gfx1201)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DepthTarget {
    /// Its format.
    pub format: DepthFormat,
    /// Its samples: 1, 2, 4 or 8.
    pub samples: u32,
    /// Address and layout.
    pub surface: Surface,
    /// HTILE (GFX9 to GFX11.5).
    pub htile: Option<Htile>,
    /// HiZ surface (GFX12). The draw then ends with an event that prevents a hang.
    pub hiz: Option<HiSurface>,
    /// HiS surface (GFX12).
    pub his: Option<HiSurface>,
    /// Contents of cleared tiles (GFX9 to GFX11.5).
    pub clear: Option<DepthClear>,
}

impl DepthTarget {
    /// Creates a target of a format and sample count at address 0.
    pub fn new(format: DepthFormat, samples: u32) -> Self {
        Self { format, samples, surface: Surface::default(), htile: None, hiz: None, his: None, clear: None }
    }
}

/// The targets of draws: images and their extent.
///
/// ```
/// use pm4::draw::{DepthFormat, DepthTarget, TargetsDesc};
/// let targets = TargetsDesc { extent: (1920, 1080), depth: Some(DepthTarget::new(DepthFormat::D32, 1)), ..TargetsDesc::default() };
/// assert_eq!(targets.color.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetsDesc {
    /// Colour targets, at most 8.
    pub color: Vec<TargetImage>,
    /// Depth and stencil target.
    pub depth: Option<DepthTarget>,
    /// Width and height of mip level 0 of the images, in pixels: 1 to 16384. It determines the size in the images' registers, the window scissor, and the
    /// viewport if none is set. A draw to another [level](crate::draw::Surface::level) sets a viewport and a scissor of the size of that level.
    pub extent: (u32, u32),
    /// A shading-rate image (GFX11 and later).
    pub rate_image: Option<RateImage>,
}

impl Default for TargetsDesc {
    /// Returns one rgba8 target without depth.
    fn default() -> Self {
        Self { color: alloc::vec![TargetImage::default()], depth: None, extent: (256, 128), rate_image: None }
    }
}

/// One colour target as an image.
///
/// For an example see [`ColorCompression`](crate::draw::ColorCompression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TargetImage {
    /// Its format.
    pub format: ColorFormat,
    /// Number of samples, if smaller than the pipeline's coverage samples (VK_AMD_mixed_attachment_samples).
    pub samples: Option<u32>,
    /// Address and layout.
    pub surface: Surface,
    /// Its metadata.
    pub compression: Option<ColorCompression>,
}
