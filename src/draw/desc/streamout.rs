//! Streamout (transform feedback): stores to buffers by the last program before rasterization.
//!
//! The start and the end of writing are not part of the state of a draw: [`Recorder::begin_streamout`](crate::draw::Recorder::begin_streamout).

/// Streamout by the last program before rasterization. The program itself stores to the buffers; hardware counts and provides the offset at which it continues.
///
/// Up to GFX10.3 the program runs on the hardware VS, which is what such a draw uses unless [`VertexStage::path`](crate::draw::VertexStage::path) says
/// otherwise; GFX11 counts in GDS, GFX12 in memory.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, Streamout, VertexStage};
/// let vertex = VertexStage { streamout: Some(Streamout::to_one_buffer(16)), ..VertexStage::default() };
/// let resolved = DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() }).resolve(Chip::Navi21)?;
/// assert_eq!(resolved.image.get(0x28B98), Some(1)); // VGT_STRMOUT_BUFFER_CONFIG
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Streamout {
    /// Stride of each buffer in bytes: a multiple of 4, up to GFX10.3 at most 4092 (VGT_STRMOUT_VTX_STRIDE_n has 10 bits, in dwords; RADV offers
    /// 2048); 0 for buffers that no stream writes. A [`CountedDraw`](crate::draw::CountedDraw) accepts at most 511.
    pub strides: [u32; 4],
    /// Mask of the buffers that each vertex stream writes; bit 0 is the first buffer. Only a geometry shader writes streams other than the first.
    pub streams: [u8; 4],
    /// The vertex stream that is rasterized, 0 to 3; from GFX11 on the program decides itself.
    pub rasterized_stream: u8,
}

impl Streamout {
    /// Writes no buffer, but makes the hardware count the primitives of all vertex streams, for [`sample_streamout`](crate::draw::Recorder::sample_streamout)
    /// (GFX9 to GFX10.3, on the hardware VS; Mesa 25.0.7 radv_emit_streamout_enable_state for queries of generated primitives).
    pub const COUNTING: Self = Self { strides: [0; 4], streams: [0; 4], rasterized_stream: 0 };

    /// Returns streamout of stream 0 into buffer 0, with this stride in bytes.
    pub const fn to_one_buffer(stride: u32) -> Self {
        Self { strides: [stride, 0, 0, 0], streams: [1, 0, 0, 0], rasterized_stream: 0 }
    }

    /// Returns the mask of buffers that some stream writes; bit 0 is the first buffer.
    pub fn buffers(&self) -> u8 {
        self.streams.iter().fold(0, |all, buffers| all | buffers)
    }

    /// VGT_STRMOUT_BUFFER_CONFIG: the buffers of each stream in 4 bits.
    pub(crate) fn buffer_config(&self) -> u32 {
        self.streams.iter().zip((0..).step_by(4)).fold(0, |all, (buffers, at)| all | u32::from(*buffers) << at)
    }

    /// Returns the LDS in dwords per vertex that a program without geometry shader needs for streamout from GFX11 on: 4 per output and one more, so that
    /// vertices start in different banks (Mesa 25.0.7 gfx10_get_ngg_info).
    pub const fn lds_dwords_per_vertex(outputs: u32) -> u32 {
        outputs.saturating_mul(4).saturating_add(1)
    }
}
