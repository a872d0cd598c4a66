//! Registers of streamout: none says where writing starts or ends.
//!
//! Rules: Mesa 25.0.7 radv_emit_streamout_enable_state, radv_emit_hw_vs, radv_emit_vgt_shader_config_gfx6; captures of four boards agree.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// VGT_STRMOUT_CONFIG (GFX9 to GFX10.3): all streams are counted where any is written, as in RADV (captures).
fn vgt_strmout_config<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
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
fn vgt_strmout_buffer_config<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
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
fn strides<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
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
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(vgt_strmout_config(inputs));
    sheet.add(vgt_strmout_buffer_config(inputs));
    strides(inputs, sheet);
}
