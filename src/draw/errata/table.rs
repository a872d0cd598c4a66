//! Workarounds for hardware errata: one table, with an entry for each erratum of `regdb/chips.toml` that says where the crate works around it.
//!
//! Not every workaround is a separate step. Some change fields of a finished register image, some put packets between draws; others are part of the function
//! that makes a register or packet ([`WorkaroundPlace::RegisterOrPacket`]), because it decides more than the erratum. Things that a chip merely lacks or has
//! are not errata: RB+, out-of-order rasterization and cache lines are facts of [`ChipInfo`](crate::chip::ChipInfo), packets that need firmware are a matter of
//! [`packet::Firmware`](crate::packet::Firmware).

use crate::chip::{Chip, Erratum};
use crate::draw::check::draw_inputs::{self, DrawInputs};
use crate::draw::errata::patches;
use crate::draw::errata::situation::Situation;
use crate::draw::sheet::Patch;
use crate::packet::Event;

/// A workaround for an erratum.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::chip::Erratum;
/// use pm4::draw::{WORKAROUNDS, WorkaroundPlace};
/// for workaround in WORKAROUNDS.iter().filter(|workaround| Chip::Navi10.has(workaround.erratum)) {
///     println!("{:?}: {} {}", workaround.place, workaround.condition, workaround.effect);
/// }
/// let stalled = WORKAROUNDS.iter().find(|workaround| workaround.erratum == Erratum::StalledPops).unwrap();
/// assert_eq!(stalled.place, WorkaroundPlace::Registers);
/// ```
pub struct Workaround {
    /// The erratum; its chips, text and source are in `regdb/chips.toml`.
    pub erratum: Erratum,
    /// The place where the workaround acts.
    pub place: WorkaroundPlace,
    /// The condition under which it acts, in words.
    pub condition: &'static str,
    /// The effect on registers or the stream, in words.
    pub effect: &'static str,
    how: How,
}

/// The place where a workaround acts.
///
/// For an example see [`Workaround`](crate::draw::Workaround).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkaroundPlace {
    /// In the finished registers of a draw.
    Registers,
    /// In the function that makes a register or packet, together with other rules.
    RegisterOrPacket,
    /// In the registers that a stream writes once.
    Preamble,
    /// Packets before the registers of a draw.
    BeforeState,
    /// Packets after the registers of a draw, before the packet that draws.
    BeforeDraw,
    /// Packets after the packet that draws.
    AfterDraw,
    /// Packets at the end of the command buffer.
    EndOfBuffer,
    /// In shader code or descriptors, which the caller supplies.
    Caller,
}

/// The packets that a workaround puts into the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// EVENT_WRITE packets with these events.
    Events(&'static [Event]),
    /// The viewport scissors, written again.
    Scissors,
    /// RELEASE_MEM of BOTTOM_OF_PIPE_TS without data.
    BottomOfPipe,
    /// No packets.
    Nothing,
}

/// The mechanism of a workaround.
enum How {
    /// A condition, and a change of the register image.
    Patch(fn(&DrawInputs<'_>) -> bool, fn(&DrawInputs<'_>, &mut dyn Patch)),
    /// A condition, and packets.
    Packets(fn(&Situation) -> bool, Does),
    /// Other code asks [`Chip::has`], or acts on all chips.
    Code,
}

const fn registers(
    erratum: Erratum,
    condition: &'static str,
    effect: &'static str,
    acts: fn(&DrawInputs<'_>) -> bool,
    apply: fn(&DrawInputs<'_>, &mut dyn Patch),
) -> Workaround {
    Workaround { erratum, place: WorkaroundPlace::Registers, condition, effect, how: How::Patch(acts, apply) }
}

const fn packets(
    erratum: Erratum,
    place: WorkaroundPlace,
    condition: &'static str,
    effect: &'static str,
    acts: fn(&Situation) -> bool,
    does: Does,
) -> Workaround {
    Workaround { erratum, place, condition, effect, how: How::Packets(acts, does) }
}

const fn code(erratum: Erratum, place: WorkaroundPlace, condition: &'static str, effect: &'static str) -> Workaround {
    Workaround { erratum, place, condition, effect, how: How::Code }
}

/// All workarounds.
pub static WORKAROUNDS: &[Workaround] = &[
    // Registers of a draw.
    registers(
        Erratum::PopsMissedOverlap,
        "POPS with 8 or more coverage samples, or with a depth target of 8 or more samples",
        "DB_DFSM_CONTROL.POPS_DRAIN_PS_ON_OVERLAP = 1",
        |inputs| draw_inputs::missed_overlap(inputs) && inputs.drain(),
        patches::drain,
    ),
    registers(
        Erratum::StalledPops,
        "POPS while the drain bit is on, by option or because nothing changed the reset default",
        "DB_RENDER_OVERRIDE2.PARTIAL_SQUAD_LAUNCH_CONTROL = PSLC_ON_HANG_ONLY",
        |inputs| inputs.pops && inputs.drain(),
        patches::launch_on_hang_only,
    ),
    registers(
        Erratum::ExportConflict,
        "no POPS, one coverage sample, and some target that is written blends",
        "DB_SHADER_CONTROL.OVERRIDE_INTRINSIC_RATE_ENABLE = 1, OVERRIDE_INTRINSIC_RATE = 2",
        |inputs| !inputs.pops && inputs.coverage_log2 == 0 && inputs.desc.blends(),
        patches::blend_rate,
    ),
    registers(
        Erratum::MaxAllowedTilesInWave,
        "a depth target of 4 or 8 samples",
        "DB_RENDER_CONTROL.MAX_ALLOWED_TILES_IN_WAVE = 13 or 6, on APUs 15 or 7",
        |inputs| inputs.depth_log2.is_some_and(|samples| samples >= 2),
        patches::max_allowed_tiles,
    ),
    registers(
        Erratum::SmallPrimFilterSampleLocations,
        "more than one coverage sample, or sample positions of the draw's own",
        "PA_SU_SMALL_PRIM_FILTER_CNTL.SMALL_PRIM_FILTER_ENABLE = 0",
        |inputs| inputs.coverage_log2 > 0 || inputs.desc.sample_locations.is_some(),
        patches::small_primitives_pass,
    ),
    registers(
        Erratum::KeepTogether,
        "polygons drawn as lines or points, or rectangular lines that are not smooth",
        "PA_SU_SC_MODE_CNTL.KEEP_TOGETHER_ENABLE = 1",
        patches::needs_keeping_together,
        patches::keep_together,
    ),
    registers(
        Erratum::ReuseOff,
        "tessellation with a geometry shader, without NGG",
        "VGT_REUSE_OFF.REUSE_OFF = 1, else 0",
        |inputs| inputs.front.legacy.is_some() && inputs.desc.tessellation.is_some(),
        patches::reuse_off,
    ),
    registers(
        Erratum::TessellatedWireframe,
        "tessellation without NGG, with polygons drawn as lines",
        "VGT_REUSE_OFF.REUSE_OFF = 1, else 0",
        patches::is_tessellated_wireframe,
        patches::tessellated_wireframe,
    ),
    registers(
        Erratum::CompressedSampleBlend,
        "blending or a logic operation on a target of several samples with DCC",
        "CB_DCC_CONTROL.OVERWRITE_COMBINER_DISABLE = 1, else 0",
        patches::combines_compressed_samples,
        patches::overwrite_combiner,
    ),
    // Packets around draws.
    packets(
        Erratum::VgtFlushNggLegacy,
        WorkaroundPlace::BeforeState,
        "the previous draw used NGG, or may have used it in another command buffer, and this one does not",
        "EVENT_WRITE VGT_FLUSH before the registers of the draw",
        |s| s.before.is_some_and(|b| b.ngg == Some(true)) && s.now.ngg == Some(false),
        Does::Events(&[Event::VGT_FLUSH]),
    ),
    packets(
        Erratum::VgtFlushCutMode,
        WorkaroundPlace::BeforeState,
        "draws without NGG have geometry shaders of different cut modes, or another command buffer may have had one",
        "EVENT_WRITE VGT_FLUSH before the registers of the draw",
        |s| s.now.cut_mode.is_some_and(|now| s.before.and_then(|before| before.cut_mode).is_some_and(|before| before != now)),
        Does::Events(&[Event::VGT_FLUSH]),
    ),
    packets(
        Erratum::PrimRestartSync,
        WorkaroundPlace::BeforeState,
        "primitive restart is switched on or off, or written first",
        "EVENT_WRITE SQ_NON_EVENT before the registers of the draw",
        |s| s.now.restart.is_some() && s.before.and_then(|b| b.restart) != s.now.restart,
        Does::Events(&[Event::SQ_NON_EVENT]),
    ),
    packets(
        Erratum::ViewportScissor,
        WorkaroundPlace::BeforeDraw,
        "a context register was written since the last draw",
        "PA_SC_VPORT_SCISSOR_n_TL and BR once more, after all other context registers",
        |s| s.rolled,
        Does::Scissors,
    ),
    // Directly after the packet that draws: before other packets that follow it.
    packets(
        Erratum::OpaqueDrawEvents,
        WorkaroundPlace::AfterDraw,
        "streamout has counted the vertices of the draw (USE_OPAQUE)",
        "EVENT_WRITE SQ_NON_EVENT three times after the draw",
        |s| s.counted,
        Does::Events(&[Event::SQ_NON_EVENT; 3]),
    ),
    packets(
        Erratum::HizEvent,
        WorkaroundPlace::AfterDraw,
        "the depth target has a HiZ or HiS surface",
        "RELEASE_MEM BOTTOM_OF_PIPE_TS without data after the draw",
        |s| s.now.hiz,
        Does::BottomOfPipe,
    ),
    packets(
        Erratum::VrsExportEvent,
        WorkaroundPlace::AfterDraw,
        "the vertex program exports shading rates",
        "RELEASE_MEM BOTTOM_OF_PIPE_TS without data after the draw",
        |s| s.now.exports_rates,
        Does::BottomOfPipe,
    ),
    packets(
        Erratum::TessellationEnd,
        WorkaroundPlace::EndOfBuffer,
        "some draw of the command buffer tessellates",
        "EVENT_WRITE SQ_NON_EVENT at the end of the command buffer",
        |s| s.tessellated,
        Does::Events(&[Event::SQ_NON_EVENT]),
    ),
    // Packets that other code makes.
    packets(
        Erratum::ZeroIndexBuffer,
        WorkaroundPlace::RegisterOrPacket,
        "an indexed draw whose index buffer has no index at or after the first one",
        "a buffer of one index takes its place; without one the draw is refused",
        |s| s.no_indices,
        Does::Nothing,
    ),
    packets(
        Erratum::InstancePacking,
        WorkaroundPlace::RegisterOrPacket,
        "primitives with adjacency while pipeline statistics are counted, or may be by the caller of the command buffer",
        "VGT_INDEX_TYPE.DISABLE_INSTANCE_PACKING = 1",
        |s| s.now.adjacency && s.statistics,
        Does::Nothing,
    ),
    packets(
        Erratum::TaskmeshIndirectZero,
        WorkaroundPlace::RegisterOrPacket,
        "task dispatches whose number is in memory, unless the writer was given MEC firmware 100 or later",
        "a COND_EXEC skips them if their number is 0; another COND_EXEC then executes a DISPATCH_TASKMESH_DIRECT_ACE without workgroups instead",
        |s| s.task_count && !(100..u32::MAX).contains(&s.mec_firmware),
        Does::Nothing,
    ),
    code(
        Erratum::MultiDrawEop,
        WorkaroundPlace::RegisterOrPacket,
        "several indexed draws that differ in nothing but their indices",
        "draws without indices are left out, so that the last, without NOT_EOP, is not empty",
    ),
    code(
        Erratum::ZpassDoneBeforeTimestamp,
        WorkaroundPlace::RegisterOrPacket,
        "each RELEASE_MEM on the graphics queue",
        "EVENT_WRITE ZPASS_DONE right before it, into memory of its own",
    ),
    code(
        Erratum::TargetFlushEvents,
        WorkaroundPlace::RegisterOrPacket,
        "a barrier that flushes depth, or metadata of colour or depth",
        "RELEASE_MEM CACHE_FLUSH_AND_INV_TS_EVENT, and no FLUSH_AND_INV_CB_META or DB_META event",
    ),
    code(Erratum::PreColorWait, WorkaroundPlace::RegisterOrPacket, "each pixel wait sync", "the wait is at no stage but the one before depth, PFP or ME"),
    code(
        Erratum::ComputePartialFlush,
        WorkaroundPlace::RegisterOrPacket,
        "a barrier on a compute queue that waits for compute shaders",
        "RELEASE_MEM BOTTOM_OF_PIPE_TS with a fence and WAIT_REG_MEM in place of EVENT_WRITE CS_PARTIAL_FLUSH",
    ),
    code(
        Erratum::FilterCam,
        WorkaroundPlace::RegisterOrPacket,
        "packets of register pairs on the graphics queue",
        "the header's reset_filter_cam; `packet::Writer` makes them",
    ),
    // Registers that other code makes.
    code(
        Erratum::VrsDepthExport,
        WorkaroundPlace::RegisterOrPacket,
        "a coarse rate, and a shader that exports depth or stencil",
        "GE_VRS_RATE 1x1 and no rate override; `vrs_properties` says so too",
    ),
    code(
        Erratum::CoarseRateAt8Samples,
        WorkaroundPlace::RegisterOrPacket,
        "8 coverage samples, and a coarse rate by the draw, the vertices or an override",
        "the last combiner (DB_ or PA_SC_VRS_OVERRIDE_CNTL) is MIN with rate 1x1; `vrs_properties` names 4 samples",
    ),
    code(Erratum::StripRestartWaves, WorkaroundPlace::RegisterOrPacket, "primitive restart on strips", "IA_MULTI_VGT_PARAM.PARTIAL_VS_WAVE_ON = 1"),
    code(
        Erratum::StreamoutGroupSize,
        WorkaroundPlace::RegisterOrPacket,
        "every draw",
        "IA_MULTI_VGT_PARAM.PRIMGROUP_SIZE is at most 127, a group of 128 primitives",
    ),
    code(Erratum::LineStippleReset, WorkaroundPlace::RegisterOrPacket, "every draw of line strips", "PA_SC_LINE_STIPPLE.AUTO_RESET_CNTL = 0 instead of 2"),
    code(
        Erratum::RateImageWalk,
        WorkaroundPlace::RegisterOrPacket,
        "a shading-rate image",
        "PA_SC_MODE_CNTL_1.WALK_ALIGN8_PRIM_FITS_ST = 0; WALK_ALIGNMENT always is",
    ),
    code(
        Erratum::TcCompatZrange,
        WorkaroundPlace::RegisterOrPacket,
        "a depth target that shaders read with its HTILE, cleared to 0",
        "DB_Z_INFO.ZRANGE_PRECISION = 0",
    ),
    code(
        Erratum::TwoPlanesIterate256,
        WorkaroundPlace::RegisterOrPacket,
        "a target of depth and stencil with 4 samples and ITERATE_256",
        "DB_Z_INFO.DECOMPRESS_ON_N_ZPLANES = 2",
    ),
    code(
        Erratum::MaxCompressedFragments,
        WorkaroundPlace::RegisterOrPacket,
        "a colour target with DCC",
        "CB_COLORn_FDCC_CONTROL.ENABLE_MAX_COMP_FRAG_OVERRIDE = 1, MAX_COMP_FRAGS = 1 from 4 samples on, else 0",
    ),
    code(Erratum::ForceStencilRead, WorkaroundPlace::RegisterOrPacket, "every draw", "DB_RENDER_OVERRIDE.FORCE_STENCIL_READ = 1"),
    code(
        Erratum::ForceStencilValid,
        WorkaroundPlace::RegisterOrPacket,
        "a stencil test on a target of more than one sample, whose pass and depth-fail actions differ on one of the faces",
        "DB_RENDER_OVERRIDE.FORCE_STENCIL_VALID = 1",
    ),
    code(
        Erratum::StippleCounterReset,
        WorkaroundPlace::RegisterOrPacket,
        "every draw without a line stipple",
        "PA_SU_LINE_STIPPLE_CNTL.LINE_STIPPLE_RESET = 2, else 0",
    ),
    code(Erratum::ContextStatesPerBin, WorkaroundPlace::RegisterOrPacket, "every draw", "PA_SC_BINNER_CNTL_0.CONTEXT_STATES_PER_BIN = 0, one state"),
    code(
        Erratum::VertexGroupMargin,
        WorkaroundPlace::RegisterOrPacket,
        "NGG with vertex grouping",
        "GE_CNTL.VERT_GRP_SIZE five less than VGT_GS_ONCHIP_CNTL has vertices",
    ),
    code(
        Erratum::VertexGroupLeast,
        WorkaroundPlace::RegisterOrPacket,
        "NGG with small subgroups",
        "GE_CNTL.VERT_GRP_SIZE = 256, which switches grouping off, and subgroups smaller still are refused",
    ),
    code(Erratum::GeometryWgpMode, WorkaroundPlace::RegisterOrPacket, "NGG", "SPI_SHADER_PGM_RSRC1_GS.WGP_MODE = 0"),
    code(
        Erratum::LateAllocation,
        WorkaroundPlace::RegisterOrPacket,
        "late vertex waves",
        "SPI_SHADER_PGM_RSRC3_VS or GS leaves CU 1 to pixel waves, on GFX10.1 CUs 2 and 3, on GFX9 CU 0",
    ),
    code(Erratum::BackPressure, WorkaroundPlace::RegisterOrPacket, "NGG", "SPI_SHADER_PGM_RSRC3_GS.CU_EN is 0 for CUs 1 and 9"),
    code(Erratum::LateAllocationNgg, WorkaroundPlace::RegisterOrPacket, "NGG", "SPI_SHADER_PGM_RSRC4_GS.SPI_SHADER_LATE_ALLOC_GS = 0"),
    code(
        Erratum::TessellationToOneAssembler,
        WorkaroundPlace::RegisterOrPacket,
        "tessellation, and a pixel shader that reads the stipple of lines, which sets GE_CNTL.PACKET_TO_ONE_PA",
        "VGT_TF_PARAM.DISTRIBUTION_MODE = 0",
    ),
    code(Erratum::GeneratedParameter, WorkaroundPlace::RegisterOrPacket, "a pixel shader with LDS but without interpolants", "SPI_PS_IN_CONTROL.PARAM_GEN = 1"),
    code(Erratum::OpaqueOreo, WorkaroundPlace::RegisterOrPacket, "every draw", "DB_RENDER_CONTROL.OREO_MODE stays OMODE_BLEND, never OMODE_O_THEN_B"),
    code(
        Erratum::DualSourceExports,
        WorkaroundPlace::RegisterOrPacket,
        "target 0 blends with the shader's second colour",
        "SPI_SHADER_COL_FORMAT and CB_SHADER_MASK have both exports; more than one target is refused",
    ),
    // Registers that a stream writes once.
    code(Erratum::MaxDeallocsInWave, WorkaroundPlace::Preamble, "always", "PA_SC_NGG_MODE_CNTL.MAX_DEALLOCS_IN_WAVE = 512 (GFX10), 16 (GFX11), 64 (GFX12)"),
    code(Erratum::ConstantEncodeSingle, WorkaroundPlace::Preamble, "always", "CB_FDCC_CONTROL.DISABLE_CONSTANT_ENCODE_SINGLE = 1"),
    code(Erratum::PingPongBinOrder, WorkaroundPlace::Preamble, "always", "PA_SC_BINNER_CNTL_2.ENABLE_PING_PONG_BIN_ORDER = 0"),
    // The caller's.
    code(Erratum::LsVgprInit, WorkaroundPlace::Caller, "a merged LS and HS shader", "shader code finds the inputs of the LS half where hardware left them"),
    code(Erratum::NggFullyCulled, WorkaroundPlace::Caller, "an NGG program that culls", "shader code exports a degenerate triangle"),
    code(
        Erratum::AttributeRingWait,
        WorkaroundPlace::Caller,
        "parameters in the attribute ring",
        "shader code waits for its stores before the last position export",
    ),
    code(Erratum::ImageLoadDcc, WorkaroundPlace::Caller, "compressed images that a shader loads", "image descriptors leave WRITE_COMPRESS_ENABLE 0"),
];

// Each workaround has the mechanism of its place.
const _: () = {
    let mut at = 0;
    while at < WORKAROUNDS.len() {
        let fits = match WORKAROUNDS[at].how {
            How::Patch(..) => matches!(WORKAROUNDS[at].place, WorkaroundPlace::Registers),
            How::Packets(_, Does::Nothing) => matches!(WORKAROUNDS[at].place, WorkaroundPlace::RegisterOrPacket),
            How::Packets(..) => {
                use WorkaroundPlace::{AfterDraw, BeforeDraw, BeforeState, EndOfBuffer};
                matches!(WORKAROUNDS[at].place, BeforeState | BeforeDraw | AfterDraw | EndOfBuffer)
            }
            How::Code => matches!(WORKAROUNDS[at].place, WorkaroundPlace::RegisterOrPacket | WorkaroundPlace::Preamble | WorkaroundPlace::Caller),
        };
        assert!(fits, "a workaround acts in another place than its entry says");
        at += 1;
    }
};

/// Workarounds that change registers of a draw: the first ones of the table.
const PATCHES: usize = {
    let (mut patches, mut at) = (0, 0);
    while at < WORKAROUNDS.len() {
        if matches!(WORKAROUNDS[at].how, How::Patch(..)) {
            assert!(patches == at, "workarounds that change registers are first in the table");
            patches += 1;
        }
        at += 1;
    }
    patches
};

/// Applies the workarounds that change registers of a draw.
pub(crate) fn patch(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    WORKAROUNDS.iter().take(PATCHES).for_each(|workaround| workaround.run(inputs, sheet));
}

impl Workaround {
    /// Applies the workaround to a draw's registers if the chip has the erratum and the condition holds.
    pub(crate) fn run(&self, inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
        if let How::Patch(acts, apply) = self.how
            && inputs.chip.has(self.erratum)
            && acts(inputs)
        {
            apply(inputs, sheet);
        }
    }

    /// Returns whether it acts on the stream of this chip in this situation.
    fn hits(&self, chip: Chip, situation: &Situation) -> bool {
        matches!(self.how, How::Packets(acts, _) if chip.has(self.erratum) && acts(situation))
    }
}

/// Returns the packets that the workarounds of a place put into the stream of this chip in this situation.
pub(crate) fn at(place: WorkaroundPlace, chip: Chip, situation: Situation) -> impl Iterator<Item = Does> {
    WORKAROUNDS.iter().filter(move |w| w.place == place && w.hits(chip, &situation)).map(|w| match w.how {
        How::Packets(_, does) => does,
        How::Patch(..) | How::Code => Does::Nothing,
    })
}

/// Returns whether the workaround of an erratum acts on the stream.
pub(crate) fn acts(erratum: Erratum, chip: Chip, situation: &Situation) -> bool {
    WORKAROUNDS.iter().any(|w| w.erratum == erratum && w.hits(chip, situation))
}
