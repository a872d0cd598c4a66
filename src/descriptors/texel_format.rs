//! Formats and their codes in the descriptors of each generation.

use super::format_row::ChannelSource;
use super::typed_descriptor::{TexelFormat, format_row};
use crate::chip::{Chip, Gfx};
use crate::regs::layout::SurfaceSwap;

/// The numbers of a format in a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FormatCode {
    /// FORMAT; DATA_FORMAT of GFX9.
    pub format: u16,
    /// NUM_FORMAT of GFX9; 0 later.
    pub number: u8,
}

impl TexelFormat {
    /// Returns the size in bytes of a texel or element; of a block for block-compressed formats.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        format_row(self).bits as u32 / 8
    }

    /// Returns whether the format is block-compressed.
    #[must_use]
    pub const fn is_block_compressed(self) -> bool {
        format_row(self).blocks
    }

    /// Returns the bits of depth and of stencil; None if depth surfaces cannot have the format.
    #[must_use]
    pub const fn depth_and_stencil(self) -> Option<(u8, u8)> {
        format_row(self).depth
    }

    /// Returns what the four channels of a shader read from the format.
    #[must_use]
    pub const fn channels(self) -> [ChannelSource; 4] {
        format_row(self).channels
    }

    /// Returns the channels of the format itself. A 64-bit channel, which descriptors treat as two channels of 32 bits, counts as one.
    pub(crate) const fn own_channels(self) -> [ChannelSource; 4] {
        format_row(self).own
    }

    /// Returns the channel order in a colour target, for DCC; None if colour targets cannot have the format.
    pub(crate) const fn swap(self) -> Option<SurfaceSwap> {
        format_row(self).swap
    }

    /// Returns whether images of a chip may have the format.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::descriptors::TexelFormat;
    /// assert!(TexelFormat::ETC2_R8G8B8_UNORM_BLOCK.is_for_images(Chip::Raven));
    /// assert!(!TexelFormat::ETC2_R8G8B8_UNORM_BLOCK.is_for_images(Chip::Navi31));
    /// ```
    #[must_use]
    pub fn is_for_images(self, chip: Chip) -> bool {
        self.image_code(chip).is_some()
    }

    /// Returns whether buffers of a generation may have the format.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::descriptors::TexelFormat;
    /// assert!(TexelFormat::R32G32B32_SFLOAT.is_for_buffers(Gfx::Gfx11));
    /// assert!(!TexelFormat::R8G8B8A8_SRGB.is_for_buffers(Gfx::Gfx11));
    /// ```
    #[must_use]
    pub fn is_for_buffers(self, gfx: Gfx) -> bool {
        self.buffer_code(gfx).is_some()
    }

    pub(super) fn image_code(self, chip: Chip) -> Option<FormatCode> {
        let row = format_row(self);
        self.code(chip.gfx()).filter(|_| !row.buffers_only && (!row.etc2 || chip.info().etc2))
    }

    /// Mesa 25.0.7 gfx10_format_table.py: the codes that fit the field, without depth formats. On GFX9, buffers and images share the data formats up to 14 and
    /// the number formats up to 7.
    pub(super) fn buffer_code(self, gfx: Gfx) -> Option<FormatCode> {
        let fits = |code: &FormatCode| match gfx.major() {
            9 => code.format <= 14 && code.number <= 7,
            10 => code.format <= 127,
            _ => code.format <= 63,
        };
        self.code(gfx).filter(|code| fits(code) && format_row(self).depth.is_none())
    }

    fn code(self, gfx: Gfx) -> Option<FormatCode> {
        let row = format_row(self);
        match gfx.major() {
            9 => row.gfx9.map(|(data, number)| FormatCode { format: data.into(), number }),
            _ => row.numbers[gfx.index()].map(|format| FormatCode { format, number: 0 }),
        }
    }
}
