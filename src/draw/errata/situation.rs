//! The inputs of workarounds in the stream: the previous draw and the current draw. Conditions never read the stream.

use crate::chip::Gfx;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::stage::geometry::ia_multi_vgt_param_counted;
use crate::draw::image::RegisterImage;
use crate::regs::{BitField, Register};

/// VGT_PRIMITIVE_TYPE of lines and triangles with adjacency (DI_PT_LINELIST_ADJ to DI_PT_TRISTRIP_ADJ).
const ADJACENCY: core::ops::RangeInclusive<u32> = 0xA..=0xD;

/// The facts about a draw's registers that decide which packets a workaround needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DrawFacts {
    /// VGT_SHADER_STAGES_EN.PRIMGEN_EN; None if the draw does not set it.
    pub ngg: Option<bool>,
    /// VGT_SHADER_STAGES_EN.HS_EN.
    pub tessellates: bool,
    /// Whether primitive restart is on; None if the draw does not set it.
    pub restart: Option<bool>,
    /// Whether the primitives have adjacency.
    pub adjacency: bool,
    /// Whether the draw uses HiZ or HiS.
    pub hiz: bool,
    /// PA_CL_VS_OUT_CNTL.USE_VTX_VRS_RATE.
    pub exports_rates: bool,
    /// VGT_SHADER_STAGES_EN.GS_FAST_LAUNCH: a mesh shader.
    pub mesh: bool,
    /// VGT_GS_MODE.CUT_MODE where a scenario is set, as with a geometry shader without NGG; None if the draw does not set it. For the previous draw this is the
    /// value of the last draw that set it.
    pub cut_mode: Option<u32>,
    /// IA_MULTI_VGT_PARAM for draws whose vertices streamout counts, if it differs from the value for other draws: the address of the register and the value.
    pub counted: Option<(u32, u32)>,
    /// The streamout buffers that its programs write: 4 bits for each vertex stream, as VGT_STRMOUT_BUFFER_CONFIG has them; 0 for none.
    pub streams: u32,
}

/// A value that differs from all cut modes.
pub(crate) const UNKNOWN_CUT_MODE: u32 = u32::MAX;

impl DrawFacts {
    /// Returns the facts from a register image and its inputs.
    pub fn of(inputs: &DrawInputs<'_>, image: &RegisterImage) -> Self {
        let gfx = inputs.gfx;
        let flag = |value: Option<u32>| value.map(|v| v != 0);
        let ngg = on_gfx!(gfx, r => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11x => read::<r::VgtShaderStagesEn>(gfx, image, r::VgtShaderStagesEn::PRIMGEN_EN),
            Gfx12 => None,
        });
        let tessellates = on_gfx!(each gfx, r => read::<r::VgtShaderStagesEn>(gfx, image, r::VgtShaderStagesEn::HS_EN));
        let launch = on_gfx!(gfx, r => {
            Gfx9 => None,
            Gfx10 | Gfx103 | Gfx11x | Gfx12 => read::<r::VgtShaderStagesEn>(gfx, image, r::VgtShaderStagesEn::GS_FAST_LAUNCH),
        });
        let cut_mode = on_gfx!(gfx, r => {
            Gfx9 | Gfx10x => {
                type R = r::VgtGsMode;
                read::<R>(gfx, image, R::CUT_MODE).filter(|_| flag(read::<R>(gfx, image, R::MODE)) == Some(true))
            },
            Gfx11x | Gfx12 => None,
        });
        let restart = on_gfx!(gfx, r => {
            Gfx9 => read::<r::VgtMultiPrimIbResetEn>(gfx, image, r::VgtMultiPrimIbResetEn::RESET_EN),
            Gfx10x | Gfx11x | Gfx12 => read::<r::GeMultiPrimIbResetEn>(gfx, image, r::GeMultiPrimIbResetEn::RESET_EN),
        });
        let primitive = on_gfx!(gfx, r => read::<r::VgtPrimitiveType>(gfx, image, r::VgtPrimitiveType::PRIM_TYPE));
        let hiz = on_gfx!(gfx, r => {
            Gfx9 | Gfx10x | Gfx11x => false,
            Gfx12 => {
                let hiz = read::<r::PaScHizInfo>(gfx, image, r::PaScHizInfo::SURFACE_ENABLE);
                let his = read::<r::PaScHisInfo>(gfx, image, r::PaScHisInfo::SURFACE_ENABLE);
                flag(hiz) == Some(true) || flag(his) == Some(true)
            },
        });
        let exports_rates = on_gfx!(gfx, r => {
            Gfx9 | Gfx10 => None,
            Gfx103 | Gfx11 | Gfx115 | Gfx12 => read::<r::PaClVsOutCntl>(gfx, image, r::PaClVsOutCntl::USE_VTX_VRS_RATE),
        });
        let payload = on_gfx!(gfx, r => {
            Gfx9 | Gfx10 => None,
            Gfx103 | Gfx11x | Gfx12 => read::<r::VgtDrawPayloadCntl>(gfx, image, r::VgtDrawPayloadCntl::EN_PRIM_PAYLOAD),
        });
        Self {
            ngg: flag(ngg),
            tessellates: flag(tessellates) == Some(true),
            restart: flag(restart),
            adjacency: primitive.is_some_and(|kind| ADJACENCY.contains(&kind)),
            hiz,
            // A payload of primitives may be a rate.
            exports_rates: flag(exports_rates) == Some(true) || flag(payload) == Some(true),
            mesh: flag(launch) == Some(true),
            cut_mode,
            counted: ia_multi_vgt_param_counted(inputs),
            streams: inputs.desc.vertex.streamout.map_or(0, |streamout| streamout.buffer_config()),
        }
    }
}

/// Returns a field of a register, if the image contains the register.
fn read<R: Register>(gfx: Gfx, image: &RegisterImage, field: BitField) -> Option<u32> {
    image.typed::<R>(gfx).map(|register| field.get(register.into()))
}

/// The inputs of workarounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Situation {
    /// The previous draw, in this command buffer.
    pub before: Option<DrawFacts>,
    /// The current draw.
    pub now: DrawFacts,
    /// Whether a context register was written since the last draw.
    pub rolled: bool,
    /// Whether pipeline statistics are counted, or the caller of the command buffer may count them.
    pub statistics: bool,
    /// Whether this draw or an earlier one tessellates.
    pub tessellated: bool,
    /// Whether the draw reads indices from an empty index buffer.
    pub no_indices: bool,
    /// Whether streamout has counted the vertices of the draw.
    pub counted: bool,
    /// Whether the number of task dispatches is in memory.
    pub task_count: bool,
    /// The firmware version of compute queues that the writer knows; the largest number if it knows none.
    pub mec_firmware: u32,
}
