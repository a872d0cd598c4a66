//! Addresses in metadata, computed with the equation of DCC, HTILE or CMASK.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::metadata::{self, Data, MetadataKind, MetadataLayout};
use crate::layout::metadata_bits::Bits;
use crate::layout::{LayoutError, SwizzleMode, metadata_equation9, metadata_equation10, metadata_size, metadata9};

/// Addresses in metadata. Coordinates are in texels.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
///
/// let target = SurfaceDesc { width: 1920, height: 1080, usage: Usage::Color(ColorUsage::TARGET), ..SurfaceDesc::new(Element::texel(4)) };
/// let layout = SurfaceLayout::new(Chip::Navi21, &target)?;
/// let dcc = layout.dcc.unwrap().metadata;
/// let addresses = dcc.addresses(layout.config())?;
/// assert_eq!(addresses.address([8, 0, 0], 0, 0)?.byte, 1); // x3 is address bit 0
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataAddresses {
    metadata: MetadataLayout,
    bits: Bits,
    slices: u32,
    /// GFX9: whether the number of the block is part of the bits.
    blocks_inside: bool,
    pipe_mask: u64,
}

/// The position of a texel's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MetadataAddress {
    /// Bytes from the start of the metadata.
    pub byte: u64,
    /// 1 for CMASK in the upper half of the byte, 0 otherwise.
    pub nibble: u32,
}

/// A surface of one level, to compute metadata without an image ([`MetadataLayout::of`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MetadataSurface {
    /// Kind of metadata.
    pub kind: MetadataKind,
    /// Mode of the data; for CMASK, the mode of FMASK.
    pub mode: SwizzleMode,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub element_bytes: u32,
    /// Texels: 1 to 65536.
    pub width: u32,
    /// Texels: 1 to 65536.
    pub height: u32,
    /// Number of layers: 1 to 8192.
    pub slices: u32,
    /// Number of samples: 1, 2, 4 or 8.
    pub samples: u32,
    /// Whether the metadata is spread over all pipes and render backends, which is not the case for display engines.
    pub aligned: bool,
}

impl MetadataLayout {
    /// Computes the metadata of a surface without an image.
    ///
    /// # Errors
    /// [`LayoutError`] if a number is outside its range, and on GFX12, which has no such metadata.
    pub fn of(config: &AddressConfig, surface: &MetadataSurface) -> Result<Self, LayoutError> {
        let within = |what, value: u32, most: u32, limit| if (1..=most).contains(&value) { Ok(()) } else { Err(LayoutError::Limit { what, value, limit }) };
        within("width", surface.width, 65536, "1 to 65536")?;
        within("height", surface.height, 65536, "1 to 65536")?;
        within("slices", surface.slices, 8192, "1 to 8192")?;
        if !matches!(surface.element_bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(LayoutError::Limit { what: "element_bytes", value: surface.element_bytes, limit: "1, 2, 4, 8, 16" });
        }
        if !matches!(surface.samples, 1 | 2 | 4 | 8) {
            return Err(LayoutError::Limit { what: "samples", value: surface.samples, limit: "1, 2, 4, 8" });
        }
        if !surface.mode.exists_on(config.chip().gfx()) || surface.mode == SwizzleMode::SW_LINEAR || config.generation == Generation::Gfx12 {
            return Err(LayoutError::Mode { mode: surface.mode, why: "surfaces in this mode have no metadata on this chip" });
        }
        let samples = surface.samples.ilog2();
        let cmask = surface.kind == MetadataKind::Cmask;
        let data = Data {
            width: surface.width,
            height: surface.height,
            slices: surface.slices,
            levels: 1,
            element: if cmask { metadata::fmask_element(samples, samples) } else { surface.element_bytes.ilog2() },
            fragments: if cmask { 0 } else { samples },
            first_tail: 1,
        };
        Ok(metadata_size::size(config, surface.kind, surface.mode.number(), &data, surface.aligned))
    }

    /// Returns the addresses in the metadata of an image with one level.
    ///
    /// # Errors
    /// [`LayoutError::Excluded`] for several levels, or several samples of DCC from GFX10 on; [`LayoutError::Equation`] if no source states the order.
    pub fn addresses(&self, config: &AddressConfig) -> Result<MetadataAddresses, LayoutError> {
        if self.image_levels > 1 {
            return Err(LayoutError::Excluded { what: "addresses in metadata", with: "several levels" });
        }
        let unknown = || LayoutError::Equation { mode: SwizzleMode::from_number(config.chip().gfx(), self.mode).unwrap_or(SwizzleMode::SW_LINEAR) };
        let gfx9 = config.generation == Generation::Gfx9;
        if !gfx9 && self.kind == MetadataKind::Dcc && self.fragments > 0 {
            return Err(LayoutError::Excluded { what: "addresses in DCC from GFX10 on", with: "several samples" });
        }
        let bits = match config.generation {
            Generation::Gfx9 => metadata_equation9::bits(config, self),
            Generation::Gfx12 => None,
            _ => metadata_equation10::bits(config, self),
        };
        let pipes = match config.generation {
            Generation::Gfx9 => metadata9::pipes(config, self.mode, self.pipe_aligned),
            _ => u32::from(config.pipes),
        };
        Ok(MetadataAddresses { metadata: *self, bits: bits.ok_or_else(unknown)?, slices: self.slices, blocks_inside: gfx9, pipe_mask: (1 << pipes) - 1 })
    }
}

impl MetadataAddresses {
    /// Returns the position of a texel's metadata. `at` is x, y and layer; `xor` is the XOR of the data's base address in units of 256 bytes.
    ///
    /// # Errors
    /// [`LayoutError::Outside`] if the padded metadata does not cover the texel.
    pub fn address(&self, at: [u32; 3], sample: u32, xor: u32) -> Result<MetadataAddress, LayoutError> {
        let meta = &self.metadata;
        for (what, value, limit) in [("x", at[0], meta.pitch), ("y", at[1], meta.height), ("z", at[2], self.slices), ("sample", sample, 16)] {
            if value >= limit {
                return Err(LayoutError::Outside { what, value, limit });
            }
        }
        let [w, h] = meta.block;
        let row = u64::from(meta.pitch / w);
        let in_slice = u64::from(at[1] / h) * row + u64::from(at[0] / w);
        let xor = (u64::from(xor) & self.pipe_mask) << 8;
        let (byte, nibble) = if self.blocks_inside {
            let block = u64::from(at[2]) * row * u64::from(meta.height / h) + in_slice;
            let value = self.bits.value(at, sample, block);
            ((value >> 1) ^ xor, value & 1)
        } else {
            let value = self.bits.value(at, sample, 0);
            (u64::from(at[2]) * meta.slice_size + (in_slice << meta.block_bytes) + ((value >> 1) ^ xor), value & 1)
        };
        let nibble = if meta.kind == MetadataKind::Cmask { nibble as u32 } else { 0 };
        Ok(MetadataAddress { byte, nibble })
    }
}
