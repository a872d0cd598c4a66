//! The facts about a draw that the history keeps, read from its view.

use crate::cp::state::history::{DrawState, DrawSummary, ReleaseNeed};
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::packet::Opcode;

/// Returns whether a draw takes its vertex count from streamout: USE_OPAQUE, bit 6 of the initiator.
pub(in crate::cp) fn is_opaque(view: &DrawView<'_>) -> bool {
    let packet = view.packet();
    packet.opcode() == Some(Opcode::DRAW_INDEX_AUTO) && packet.body.get(1).is_some_and(|initiator| initiator >> 6 & 1 == 1)
}

/// Returns why a draw of GFX12 needs a release after it: the last geometry stage exports rates (Mesa 2026 has_vrs_export_bug), or HiZ or HiS (Mesa 25.0.7
/// radv_cmd_buffer.c). PAL 04/2025 (waHiZsDisableWhenZsWrite) turns these off for draws that write depth or stencil, and needs nothing for others.
pub(in crate::cp) fn needs_release(view: &DrawView<'_>) -> Option<ReleaseNeed> {
    if view.gfx().major() != 12 {
        return None;
    }
    let set = |register, field| view.field(register, field).is_some_and(|state| state.is_set());
    let writes = set("DB_DEPTH_CONTROL", "Z_WRITE_ENABLE") || set("DB_DEPTH_CONTROL", "STENCIL_ENABLE");
    let need = |field, in_doubt| Some(ReleaseNeed { field, in_doubt });
    match () {
        () if set("PA_CL_VS_OUT_CNTL", "USE_VTX_VRS_RATE") => need("PA_CL_VS_OUT_CNTL.USE_VTX_VRS_RATE", false),
        () if set("PA_SC_HIZ_INFO", "SURFACE_ENABLE") => need("PA_SC_HIZ_INFO.SURFACE_ENABLE", !writes),
        () if set("PA_SC_HIS_INFO", "SURFACE_ENABLE") => need("PA_SC_HIS_INFO.SURFACE_ENABLE", !writes),
        () => None,
    }
}

/// VGT_GS_MODE.MODE of draws with a geometry shader: GS_SCENARIO_G. Scenario A is a vertex shader that makes primitive ids.
const GEOMETRY_SHADER: u32 = 3;

/// GE_MULTI_PRIM_IB_RESET_EN.RESET_EN.
pub(in crate::cp) fn primitive_restart(view: &DrawView<'_>) -> Option<u32> {
    view.field("GE_MULTI_PRIM_IB_RESET_EN", "RESET_EN").map(|enable| enable.value())
}

/// Returns the cut mode of a draw with a legacy geometry shader.
pub(in crate::cp) fn cut_mode(view: &DrawView<'_>) -> Option<u32> {
    view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").filter(|ngg| !ngg.is_set())?;
    view.field("VGT_SHADER_STAGES_EN", "GS_EN").filter(FieldState::is_set)?;
    view.field("VGT_GS_MODE", "MODE").filter(|mode| mode.value() == GEOMETRY_SHADER)?;
    Some(view.field("VGT_GS_MODE", "CUT_MODE")?.value())
}

/// Returns whether a draw counts the samples that pass its depth test.
fn counts_samples(view: &DrawView<'_>) -> Option<bool> {
    match view.has_field("DB_COUNT_CONTROL", "ZPASS_INCREMENT_DISABLE") {
        true => Some(!view.field("DB_COUNT_CONTROL", "ZPASS_INCREMENT_DISABLE")?.is_set()),
        false => Some(view.field("DB_COUNT_CONTROL", "ZPASS_ENABLE")?.is_set()),
    }
}

impl DrawState {
    /// From registers alone.
    pub fn of(view: &DrawView<'_>) -> Self {
        let stage = |field| view.field("VGT_SHADER_STAGES_EN", field).map(|f| f.is_set());
        Self {
            ngg: stage("PRIMGEN_EN"),
            tessellation: stage("HS_EN") == Some(true),
            restart: primitive_restart(view),
            cut_mode: cut_mode(view),
            needs_release: needs_release(view),
            wave_ids: stage("NGG_WAVE_ID_EN"),
            counts_samples: counts_samples(view),
        }
    }
}

impl DrawSummary {
    /// From the packet.
    pub fn of(view: &DrawView<'_>, state: DrawState) -> Self {
        let sends_release = state.needs_release.is_some() && view.packet().field(view.gfx(), view.queue(), "bottom_of_pipe_ts_after_draw") == Some(1);
        let topology = view.field("VGT_PRIMITIVE_TYPE", "PRIM_TYPE").filter(|_| view.gfx().major() == 9).map(|kind| kind.value());
        Self { place: view.place(), state, opaque: is_opaque(view), topology, packet: view.packet_index(), sends_release }
    }
}
