//! Streamout (transform feedback): what the last program before rasterization stores to buffers, and the registers that let it.
//!
//! Rules: Mesa 25.0.7 radv_emit_streamout_enable_state, radv_emit_hw_vs, radv_emit_vgt_shader_config_gfx6; captures of four boards agree. Where writing starts
//! and ends is not part of the state of a draw: [`Recorder::begin_streamout`](crate::draw::Recorder::begin_streamout).

use crate::chip::Chip;
use crate::draw::draw_parts::DrawParts;
use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::vertex::VertexPath;

/// What the last program before rasterization streams out. It stores to the buffers itself; hardware counts, and gives it the offset at which it continues.
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
    /// 2048); 0 for buffers that no stream writes. A [`CountedDraw`](crate::draw::CountedDraw) takes no more than 511.
    pub strides: [u32; 4],
    /// The buffers that each vertex stream writes, bit 0 the first. Only a geometry shader writes streams other than the first.
    pub streams: [u8; 4],
    /// The vertex stream that is rasterized, 0 to 3; from GFX11 on the program decides itself.
    pub rasterized_stream: u8,
}

impl Streamout {
    /// Writes no buffer, but makes the hardware count the primitives of all vertex streams, for [`sample_streamout`](crate::draw::Recorder::sample_streamout)
    /// (GFX9 to GFX10.3, on the hardware VS; Mesa 25.0.7 radv_emit_streamout_enable_state for queries of generated primitives).
    pub const COUNTING: Self = Self { strides: [0; 4], streams: [0; 4], rasterized_stream: 0 };

    /// Stream 0 writes buffer 0, with this stride in bytes.
    pub const fn to_one_buffer(stride: u32) -> Self {
        Self { strides: [stride, 0, 0, 0], streams: [1, 0, 0, 0], rasterized_stream: 0 }
    }

    /// Buffers that some stream writes, bit 0 the first.
    pub fn buffers(&self) -> u8 {
        self.streams.iter().fold(0, |all, buffers| all | buffers)
    }

    /// VGT_STRMOUT_BUFFER_CONFIG: the buffers of each stream in 4 bits.
    pub(crate) fn buffer_config(&self) -> u32 {
        self.streams.iter().zip((0..).step_by(4)).fold(0, |all, (buffers, at)| all | u32::from(*buffers) << at)
    }

    /// LDS of a vertex that a program without geometry shader keeps for streamout from GFX11 on, in dwords: 4 for each output and one more, so that vertices
    /// start in different banks (Mesa 25.0.7 gfx10_get_ngg_info).
    pub const fn lds_dwords_per_vertex(outputs: u32) -> u32 {
        outputs.saturating_mul(4).saturating_add(1)
    }

    pub(crate) fn check(&self, desc: &DrawParts<'_>, chip: Chip, path: VertexPath) -> Result<(), DrawError> {
        let refuse = |why| Err(DrawError::Stages { what: "streamout", why });
        if desc.mesh.is_some() {
            return refuse("a mesh shader has no vertex streams");
        }
        if path == VertexPath::Ngg && chip.gfx().major() == 10 {
            let limit = "GFX11 and later stream out with NGG, GFX9 to GFX10.3 with the legacy pipe";
            return Err(DrawError::OptionAbsent { option: "streamout of NGG", chip, limit });
        }
        let registers = chip.gfx().major() <= 10;
        if let Some(stride) = self.strides.into_iter().find(|stride| stride % 4 != 0 || registers && *stride > MOST_STRIDE) {
            let what = "the stride in bytes of a streamout buffer";
            return Err(DrawError::Limit { what, value: stride.into(), limit: "a multiple of 4, up to GFX10.3 at most 4092" });
        }
        let given = self.strides.iter().enumerate().filter(|(_, stride)| **stride != 0).fold(0, |all, (at, _)| all | 1 << at);
        let written = self.buffers();
        if written > 0xF {
            return refuse("a stream writes a buffer beyond the four: `Streamout::streams` has a bit for each of buffers 0 to 3");
        }
        if written & !given != 0 {
            return refuse("a stream writes a buffer whose stride is 0: it must be a multiple of 4, from 4 on (`Streamout::strides`)");
        }
        if given != written {
            return refuse("a buffer has a stride, but no stream writes it: set its bit in `Streamout::streams`");
        }
        if given == 0 && !registers {
            return refuse("no stream writes a buffer, and from GFX11 on hardware does not count without");
        }
        if self.streams.iter().enumerate().any(|(at, buffers)| self.streams.iter().skip(at + 1).any(|other| other & buffers != 0)) {
            return refuse("two vertex streams write one buffer");
        }
        if self.rasterized_stream > 3 {
            let what = "the vertex stream that is rasterized";
            return Err(DrawError::Limit { what, value: self.rasterized_stream.into(), limit: "0 to 3" });
        }
        let later = self.streams.iter().skip(1).any(|buffers| *buffers != 0) || self.rasterized_stream != 0;
        if later && desc.geometry.is_none() {
            return refuse("vertex streams other than the first need a geometry shader");
        }
        Ok(())
    }
}

/// The largest stride in bytes: VGT_STRMOUT_VTX_STRIDE_n has 10 bits, in dwords.
const MOST_STRIDE: u32 = 4 * 0x3FF;

/// VGT_STRMOUT_CONFIG (GFX9 to GFX10.3): all streams are counted where any is written, as in RADV (captures).
fn vgt_strmout_config<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let streamout = inputs.desc.vertex.streamout;
    let on = streamout.is_some();
    let rule = match streamout {
        None => "the draw does not stream out",
        Some(streamout) if streamout.buffers() == 0 => "primitives of all vertex streams are counted, and none stored",
        Some(_) => "the draw streams out: all vertex streams are counted",
    };
    let stream = u32::from(streamout.map_or(0, |streamout| streamout.rasterized_stream));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::VgtStrmoutConfig;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::STREAMOUT_0_EN, on, rule).set(R::STREAMOUT_1_EN, on, rule);
            let word = word.set(R::STREAMOUT_2_EN, on, rule).set(R::STREAMOUT_3_EN, on, rule);
            Some(word.set(R::RAST_STREAM, stream, "vertex stream that is rasterized"))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// VGT_STRMOUT_BUFFER_CONFIG (GFX9 to GFX10.3): the buffers of each vertex stream.
fn vgt_strmout_buffer_config<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let [a, b, c, d] = inputs.desc.vertex.streamout.map_or([0; 4], |streamout| streamout.streams.map(u32::from));
    let rule = "buffers that the vertex stream writes";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::VgtStrmoutBufferConfig;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::STREAM_0_BUFFER_EN, a, rule).set(R::STREAM_1_BUFFER_EN, b, rule);
            Some(word.set(R::STREAM_2_BUFFER_EN, c, rule).set(R::STREAM_3_BUFFER_EN, d, rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// VGT_STRMOUT_VTX_STRIDE_n (GFX9 to GFX10.3) of the buffers that are written.
fn strides<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let Some(streamout) = inputs.desc.vertex.streamout else { return };
    for (buffer, stride) in (0u32..).zip(streamout.strides).filter(|(_, stride)| *stride != 0) {
        sheet.add(on_gfx!(inputs.gfx, r => {
            Gfx9 | Gfx10x => {
                type R = r::VgtStrmoutVtxStride;
                Word::element(On::<R, { r::GFX }>::PLACE, buffer).map(|w| w.set(R::STRIDE, stride / 4, "stride of the streamout buffer in dwords"))
            },
            Gfx11x | Gfx12 => None,
        }));
    }
}

/// Adds the registers of streamout; those of the stage that runs it (RSRC2_VS, VGT_SHADER_STAGES_EN) are that stage's.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(vgt_strmout_config(inputs));
    sheet.add(vgt_strmout_buffer_config(inputs));
    strides(inputs, sheet);
}
