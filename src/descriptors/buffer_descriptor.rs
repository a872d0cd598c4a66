//! Buffer descriptors from API terms.

use crate::chip::Chip;
use crate::descriptors::error::Checks;
use crate::descriptors::typed_descriptor::layout::SqSelXyzw01;
use crate::descriptors::{ChannelSource, DescriptorError, TexelFormat};
use crate::regs::FieldType;

/// A buffer as shaders access it.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{BufferDesc, TexelFormat};
///
/// let storage = BufferDesc::raw(0x1234_5678_9000, 4096).words(Chip::Navi31)?;
/// assert_eq!(storage, [0x5678_9000, 0x1234, 0x1000, 0x3001_6FAC]);
/// let colours = BufferDesc::typed(0x1234_5678_9000, TexelFormat::R8G8B8A8_UNORM, 256).words(Chip::Vega10)?;
/// assert_eq!(colours, [0x5678_9000, 0x0004_1234, 0x100, 0x0005_0FAC]);
///
/// let wide = BufferDesc::structured(0x1000, 16384, 1).words(Chip::Navi31).unwrap_err();
/// assert_eq!(wide.to_string(), "buffer descriptor: stride = 16384 is not within 0 to 16383");
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferDesc {
    /// Address in bytes, 48 bits.
    pub address: u64,
    /// Bytes from one element to the next, 0 to 16383. With 0, the buffer consists of bytes without elements.
    pub stride: u32,
    /// The limit of the bounds check: in bytes if `stride` is 0, else in elements. From GFX11 on, [`OutOfBounds::Raw`] compares bytes regardless of the stride,
    /// unless the buffer is swizzled (Mesa 25.0.7 ac_set_buf_desc_word3). On GFX9, a buffer without stride and records seems to be unchecked: RADV writes 16
    /// and 0 for an empty vertex buffer (radv_write_vertex_descriptors).
    pub records: u32,
    /// Format of an element; None for untyped access, which is described as 32-bit floats (Mesa 25.0.7 ac_build_raw_buffer_descriptor).
    pub format: Option<TexelFormat>,
    /// The condition for an access out of bounds, from GFX10 on. None: `StructuredWithOffset` for formats (RADV; PAL uses `Structured`), `Raw` for untyped
    /// buffers with a stride of at most 1, `Structured` for others (PAL CreateUntypedBufferViewSrds). GFX9 offers no choice.
    pub out_of_bounds: Option<OutOfBounds>,
    /// Places the elements of neighbouring lanes next to each other.
    pub swizzle: Option<BufferSwizzle>,
    /// Whether the lane number is added to the index.
    pub add_thread_id: bool,
    /// Whether reads bypass the last-level cache. GFX10.3 to GFX11.5.
    pub bypass_reads: bool,
    /// Whether writes bypass the last-level cache. GFX10.3 to GFX11.5.
    pub bypass_writes: bool,
    /// Compression of the buffer's memory on GFX12. It takes effect only where the page table allows it.
    pub compression: BufferCompression,
}

/// The layout of the elements of a swizzled buffer.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{BufferDesc, BufferSwizzle, OutOfBounds};
///
/// let ring = BufferDesc {
///     swizzle: Some(BufferSwizzle { element: 4, index_stride: 64 }),
///     add_thread_id: true,
///     out_of_bounds: Some(OutOfBounds::Disabled),
///     ..BufferDesc::raw(0x1234_5678_9000, 0x1_0000)
/// };
/// assert_eq!(ring.words(Chip::Navi31)?, [0x5678_9000, 0x4000_1234, 0x1_0000, 0x20E1_6FAC]);
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BufferSwizzle {
    /// Bytes that stay together: 4, 8 or 16 from GFX11 on. Earlier generations can only switch swizzling on or off; 4 means on (the size is unverified).
    pub element: u32,
    /// Number of adjacent elements: 8, 16, 32 or 64.
    pub index_stride: u32,
}

/// The condition for a buffer access out of bounds, from GFX10 on (Mesa 25.0.7 ac_set_buf_desc_word3, comment). PAL's names in brackets.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{BufferDesc, OutOfBounds};
/// let mode = BufferDesc { out_of_bounds: Some(OutOfBounds::Raw), ..BufferDesc::raw(0x1000, 64) };
/// assert!(mode.words(Chip::Navi10).is_ok());
/// assert_eq!(
///     mode.words(Chip::Vega10).unwrap_err().to_string(),
///     "buffer descriptor: out_of_bounds: descriptors of GFX9 cannot choose the bounds check"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutOfBounds {
    /// Out of bounds if the index is not below the records or the offset exceeds the stride (INDEX_AND_OFFSET).
    StructuredWithOffset = 0,
    /// Out of bounds if the index is not below the records (INDEX_ONLY).
    Structured = 1,
    /// Out of bounds only if there are no records (NUM_RECORDS_0).
    Disabled = 2,
    /// Out of bounds if the offset is not below the records. For a swizzled buffer, the swizzled address is compared; from GFX11 on, with a stride, the index
    /// or the offset (COMPLETE).
    Raw = 3,
}

/// Compression of a buffer on GFX12 (PAL 04/2025 GetBufferSrdCompressionBits; Mesa 25.0.7 writes off).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{BufferCompression, BufferDesc};
/// let buffer = BufferDesc { compression: BufferCompression::ReadAndWrite, ..BufferDesc::raw(0x1234_5678_9000, 4096) };
/// assert_eq!(buffer.words(Chip::Gfx1200)?[3], 0x3301_6FAC);
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BufferCompression {
    /// Memory is accessed without compression.
    #[default]
    Off,
    /// Reads decompress, writes do not compress.
    Read,
    /// Reads decompress and writes compress.
    ReadAndWrite,
}

const CHECKS: Checks = Checks("buffer");

/// Returns the descriptors' name for a channel selection.
pub(super) const fn select(source: ChannelSource) -> SqSelXyzw01 {
    match source {
        ChannelSource::Zero => SqSelXyzw01::SQ_SEL_0,
        ChannelSource::One => SqSelXyzw01::SQ_SEL_1,
        ChannelSource::X => SqSelXyzw01::SQ_SEL_X,
        ChannelSource::Y => SqSelXyzw01::SQ_SEL_Y,
        ChannelSource::Z => SqSelXyzw01::SQ_SEL_Z,
        ChannelSource::W => SqSelXyzw01::SQ_SEL_W,
    }
}

impl BufferDesc {
    /// A descriptor through which reads return 0 and writes are dropped: all bits 0 (RADV write_buffer_descriptor, PAL nullBufferView).
    pub const NULL: [u32; 4] = [0; 4];

    /// Creates a buffer of bytes without a format.
    #[must_use]
    pub const fn raw(address: u64, bytes: u32) -> Self {
        Self::structured(address, 0, bytes)
    }

    /// Creates a buffer of elements without a format, `stride` bytes apart.
    #[must_use]
    pub const fn structured(address: u64, stride: u32, elements: u32) -> Self {
        Self {
            address,
            stride,
            records: elements,
            format: None,
            out_of_bounds: None,
            swizzle: None,
            add_thread_id: false,
            bypass_reads: false,
            bypass_writes: false,
            compression: BufferCompression::Off,
        }
    }

    /// Creates a buffer of contiguous elements of a format.
    #[must_use]
    pub const fn typed(address: u64, format: TexelFormat, elements: u32) -> Self {
        Self { format: Some(format), ..Self::structured(address, format.bytes(), elements) }
    }

    #[allow(dead_code)] // GFX9 has no choice
    fn bounds(&self) -> OutOfBounds {
        let usual = match (self.format, self.stride) {
            (Some(_), _) => OutOfBounds::StructuredWithOffset,
            (None, 0 | 1) => OutOfBounds::Raw,
            (None, _) => OutOfBounds::Structured,
        };
        self.out_of_bounds.unwrap_or(usual)
    }

    /// Returns the descriptor's dwords for a chip.
    ///
    /// # Errors
    /// The first input that the chip does not accept, with its value and the limit.
    #[allow(unused_macros, unused_variables)] // each generation uses some
    pub fn words(&self, chip: Chip) -> Result<[u32; 4], DescriptorError> {
        let gfx = chip.gfx();
        let major = gfx.major();
        CHECKS.address("address", self.address, 1)?;
        CHECKS.range("stride", self.stride.into(), 0, 16383)?;
        let code = self.format.unwrap_or(TexelFormat::R32_SFLOAT);
        let code = code.buffer_code(gfx).ok_or(DescriptorError::Format { descriptor: CHECKS.0, format: code, chip })?;
        let channels = self.format.map_or(ChannelSource::IDENTITY, TexelFormat::channels).map(select);
        let chosen = self.out_of_bounds.is_some();
        CHECKS.demand(major != 9 || !chosen, "out_of_bounds", None, "descriptors of GFX9 cannot choose the bounds check")?;
        let (element, index_stride) = match self.swizzle {
            None => (0, 0),
            Some(swizzle) => (self.element(swizzle, major)?, power("index_stride", swizzle.index_stride, 8, 64)? - 3),
        };
        let caches = version_in(gfx.version(), (10, 3), (11, 5));
        CHECKS.demand(caches || !self.bypass_reads, "bypass_reads", None, "only GFX10.3 to GFX11.5 have this bit in the descriptor")?;
        CHECKS.demand(caches || !self.bypass_writes, "bypass_writes", None, "only GFX10.3 to GFX11.5 have this bit in the descriptor")?;
        let bypass = u32::from(self.bypass_reads) << 1 | u32::from(self.bypass_writes);
        let (decompress, compress) = (self.compression != BufferCompression::Off, self.compression == BufferCompression::ReadAndWrite);
        CHECKS.demand(major == 12 || !decompress, "compression", None, "only GFX12 compresses buffers")?;

        macro_rules! common {
            ($r:ident) => {
                $r::BufferDescriptor::new()
                    .with_base_address(self.address)
                    .with_stride(self.stride)
                    .with_num_records(self.records)
                    .with_dst_sel_x(channels[0])
                    .with_dst_sel_y(channels[1])
                    .with_dst_sel_z(channels[2])
                    .with_dst_sel_w(channels[3])
                    .with_index_stride(index_stride)
                    .with_add_tid_enable(self.add_thread_id)
                    .with_type($r::SqRsrcBufType::SQ_RSRC_BUF)
            };
        }
        macro_rules! bounds {
            ($r:ident) => {
                match self.bounds() {
                    OutOfBounds::StructuredWithOffset => $r::OobSelect::OOB_SELECT_STRUCTURED_WITH_OFFSET,
                    OutOfBounds::Structured => $r::OobSelect::OOB_SELECT_STRUCTURED,
                    OutOfBounds::Disabled => $r::OobSelect::OOB_SELECT_DISABLED,
                    OutOfBounds::Raw => $r::OobSelect::OOB_SELECT_RAW,
                }
            };
        }
        on_gfx!(descriptors gfx, r => {
            Gfx9 => {
                // With ADD_TID_ENABLE the bits of DATA_FORMAT are bits 17:14 of the stride (Mesa 25.0.7 ac_set_buf_desc_word3).
                let data = if self.add_thread_id { 0 } else { code.format };
                common!(r)
                    .with_swizzle_enable(element != 0)
                    .with_num_format(r::BufNumFormat::from_bits(code.number.into()))
                    .with_data_format(r::BufDataFormat::from_bits(data.into()))
                    .words()
            },
            Gfx10 => common!(r).with_swizzle_enable(element != 0).with_format(r::Gfx10Format::from_bits(code.format.into())).with_resource_level(true).with_oob_select(bounds!(r)).words(),
            Gfx103 => common!(r)
                .with_swizzle_enable(element != 0)
                .with_format(r::Gfx10Format::from_bits(code.format.into()))
                .with_resource_level(true)
                .with_oob_select(bounds!(r))
                .with_llc_noalloc(bypass)
                .words(),
            Gfx11 | Gfx115 => common!(r)
                .with_swizzle_enable(element)
                .with_format(r::Gfx11Format::from_bits(code.format.into()))
                .with_oob_select(bounds!(r))
                .with_llc_noalloc(bypass)
                .words(),
            Gfx12 => common!(r)
                .with_swizzle_enable(element)
                .with_format(r::Gfx11Format::from_bits(code.format.into()))
                .with_oob_select(bounds!(r))
                .with_compression_en(decompress)
                .with_write_compress_enable(compress)
                .words(),
        })
    }

    /// SWIZZLE_ENABLE: 1 for 4 bytes, 2 for 8, 3 for 16.
    fn element(&self, swizzle: BufferSwizzle, major: u8) -> Result<u32, DescriptorError> {
        let most = if major >= 11 { 16 } else { 4 };
        Ok(power("swizzle.element", swizzle.element, 4, most)? - 1)
    }
}

/// Returns the log2 of a power of two within limits.
fn power(input: &'static str, value: u32, least: u64, most: u64) -> Result<u32, DescriptorError> {
    CHECKS.range(input, value.into(), least, most)?;
    CHECKS.demand(value.is_power_of_two(), input, Some(value.into()), "the value must be a power of two")?;
    Ok(value.ilog2())
}

fn version_in(version: (u8, u8), from: (u8, u8), to: (u8, u8)) -> bool {
    from <= version && version <= to
}
