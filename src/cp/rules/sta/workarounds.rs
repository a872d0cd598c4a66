//! Fields that a driver's workaround sets, each with a single correct value.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::has_program;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::packet::{Opcode, Queue};
use alloc::format;

/// Returns a field set by a packet of the stream.
fn written(view: &DrawView<'_>, register: &str, field: &str) -> Option<FieldState> {
    view.field(register, field).filter(|state| state.origin.is_some())
}

fn set(view: &DrawView<'_>, register: &str, field: &str) -> Option<FieldState> {
    written(view, register, field).filter(FieldState::is_set)
}

pub(in crate::cp::rules::sta) const ACCUMULATED_QUADS: Rule = Rule::new(
    "STA-56",
    Severity::Warning,
    ChipScope::GFX10,
    "quad patches accumulate beyond the limit",
    "PAL keeps VGT_TESS_DISTRIBUTION.ACCUM_QUAD at 64 or less on GFX10.1, and does not say what happens otherwise.",
    "PAL 04/2025 waClampQuadDistributionFactor (gfx9UniversalCmdBuffer.cpp)",
    Judge::Draw(accumulated_quads),
)
.on_work();

/// The largest ACCUM_QUAD.
const QUADS: u32 = 64;

fn accumulated_quads(view: &DrawView<'_>) -> Option<Verdict> {
    view.field("VGT_SHADER_STAGES_EN", "HS_EN").filter(FieldState::is_set)?;
    let quads = written(view, "VGT_TESS_DISTRIBUTION", "ACCUM_QUAD").filter(|quads| quads.value() > QUADS)?;
    Some(
        Verdict::new(format!("ACCUM_QUAD is {}, and PAL keeps it at {QUADS} or less on this chip", quads.value()))
            .at(&quads)
            .help_set(&quads, QUADS, " or less"),
    )
}

pub(in crate::cp::rules::sta) const LAUNCH_LOCK: Rule = Rule::new(
    "STA-57",
    Severity::Warning,
    ChipScope::GFX11_AND_115,
    "stage has a threshold of the launch lock",
    "PAL writes 0 to LOCK_LOW_THRESHOLD of SPI_SHADER_PGM_RSRC3_GS and HS on GFX11 and GFX11.5, as a workaround, and does not say what happens otherwise. \
     STA-58 is about dispatches.",
    "PAL 04/2025 waForceLockThresholdZero (gfx9AbiToPipelineRegisters.h)",
    Judge::Draw(launch_lock),
)
.on_work();

fn launch_lock(view: &DrawView<'_>) -> Option<Verdict> {
    let tessellates = view.field("VGT_SHADER_STAGES_EN", "HS_EN").is_some_and(|stage| stage.is_set());
    let hull = || set(view, "SPI_SHADER_PGM_RSRC3_HS", "LOCK_LOW_THRESHOLD").filter(|_| tessellates);
    let lock = set(view, "SPI_SHADER_PGM_RSRC3_GS", "LOCK_LOW_THRESHOLD").or_else(hull)?;
    Some(lock_is_set(&lock))
}

fn lock_is_set(lock: &FieldState) -> Verdict {
    Verdict::new(format!("{} is {}, and PAL writes 0 on this chip as a workaround", lock.field.name, lock.value())).at(lock).help_set(lock, 0, "")
}

pub(in crate::cp::rules::sta) const COMPUTE_LAUNCH_LOCK: Rule = Rule::new(
    "STA-58",
    Severity::Warning,
    ChipScope::GFX11_AND_115,
    "dispatch has a threshold of the launch lock",
    "PAL writes 0 to COMPUTE_RESOURCE_LIMITS.LOCK_THRESHOLD on GFX11 and GFX11.5, as a workaround, and does not say what happens otherwise.",
    "PAL 04/2025 waForceLockThresholdZero (gfx9PipelineChunkCs.cpp)",
    Judge::Dispatch(compute_launch_lock),
)
.on_work();

fn compute_launch_lock(view: &DrawView<'_>) -> Option<Verdict> {
    set(view, "COMPUTE_RESOURCE_LIMITS", "LOCK_THRESHOLD").map(|lock| lock_is_set(&lock))
}

pub(in crate::cp::rules::sta) const NAN_TO_INFINITY: Rule = Rule::new(
    "STA-59",
    Severity::Warning,
    ChipScope::GFX11_AND_115,
    "NaN of positions becomes infinity",
    "According to PAL, PA_CL_NANINF_CNTL.VS_XY_NAN_TO_INF must be 0 on GFX11 and GFX11.5 as a workaround; PAL does not say what happens otherwise.",
    "PAL 04/2025 waSetVsXyNanToInfZero (gfx9QueueContexts.cpp)",
    Judge::Draw(nan_to_infinity),
);

fn nan_to_infinity(view: &DrawView<'_>) -> Option<Verdict> {
    let nan = set(view, "PA_CL_NANINF_CNTL", "VS_XY_NAN_TO_INF")?;
    Some(Verdict::new("VS_XY_NAN_TO_INF is 1, and PAL says that it must be 0 on this chip").at(&nan).help_set(&nan, 0, ""))
}

pub(in crate::cp::rules::sta) const NO_THROTTLE: Rule = Rule::new(
    "STA-60",
    Severity::Warning,
    ChipScope::Chips(&["navi33"]),
    "throttling of geometry waves is off",
    "According to PAL, SPI_GS_THROTTLE_CNTL2.SPI_THROTTLE_MODE must not be 0 on Navi33 as a workaround; PAL does not say what happens otherwise.",
    "PAL 04/2025 waForceSpiThrottleModeNonZero (gfx9SettingsLoader.cpp)",
    Judge::Draw(no_throttle),
)
.on_work();

fn no_throttle(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = written(view, "SPI_GS_THROTTLE_CNTL2", "SPI_THROTTLE_MODE").filter(|mode| !mode.is_set())?;
    Some(Verdict::new("SPI_THROTTLE_MODE is 0, and PAL says that it must not be on this chip").at(&mode).help_set(&mode, 1, ""))
}

pub(in crate::cp::rules::sta) const LAUNCH_GUARANTEE: Rule = Rule::new(
    "STA-61",
    Severity::Warning,
    ChipScope::Chips(&["gfx1201"]),
    "launch guarantee without compute",
    "SPI_GRP_LAUNCH_GUARANTEE_ENABLE.CS_GLG_DISABLE must be 0 on Navi48: with 1, an unexpected mask locks up tessellation shaders when a geometry stage \
     requests the guarantee (PAL's list of hardware bugs).",
    "PAL 04/2025 waCsGlgDisableOff (gfx12QueueContexts.cpp, g_gfx12SwWarDetection.h)",
    Judge::Draw(launch_guarantee),
)
.on_work();

fn launch_guarantee(view: &DrawView<'_>) -> Option<Verdict> {
    let off = set(view, "SPI_GRP_LAUNCH_GUARANTEE_ENABLE", "CS_GLG_DISABLE")?;
    set(view, "SPI_GRP_LAUNCH_GUARANTEE_ENABLE", "ENABLE")?;
    Some(Verdict::new("CS_GLG_DISABLE is 1 with the launch guarantee on: PAL writes 0 on this chip").at(&off).help_set(&off, 0, ""))
}

pub(in crate::cp::rules::sta) const COMPRESSED_BLEND: Rule = Rule::new(
    "STA-62",
    Severity::Info,
    ChipScope::Erratum(Erratum::CompressedSampleBlend),
    "compressed samples are blended through the overwrite combiner",
    "PAL turns the overwrite combiner off on GFX10.1 and GFX10.3 (OVERWRITE_COMBINER_DISABLE of CB_DCC_CONTROL, or of the target's DCC_CONTROL) where a \
     target of several samples with DCC is blended; radeonsi does so on GFX9 and GFX10.1, to avoid corrupt samples. RADV never does, and radeonsi does not \
     on GFX10.3: sources differ, severity info. SAMPLE_MASK_TRACKER_DISABLE of GFX11 is its counterpart, and no driver sets it.",
    "PAL 04/2025 waColorCacheControllerInvalidEviction (gfx9WorkaroundState.cpp); Mesa 25.0.7 si_state.c",
    Judge::Draw(compressed_blend),
)
.on_pixels();

fn compressed_blend(view: &DrawView<'_>) -> Option<Verdict> {
    let chip = view.field("CB_DCC_CONTROL", "OVERWRITE_COMBINER_DISABLE").filter(|off| !off.is_set())?;
    let mask = view.value(view.register("CB_TARGET_MASK")?.addr())?;
    // The first register of an array of targets, and the field of one of them.
    let bit = |first: &str, field: &str, target: u32| {
        let register = view.register(first)?;
        Some(register.info().field(field)?.get(view.value(register.addr() + target * register.info().stride)?))
    };
    let hit = |target: &u32| {
        mask >> (4 * target) & 0xF != 0
            && bit("CB_BLEND0_CONTROL", "ENABLE", *target) == Some(1)
            && bit("CB_COLOR0_INFO", "DCC_ENABLE", *target) == Some(1)
            && bit("CB_COLOR0_ATTRIB", "NUM_FRAGMENTS", *target).is_some_and(|log2| log2 > 0)
            && bit("CB_COLOR0_DCC_CONTROL", "OVERWRITE_COMBINER_DISABLE", *target) == Some(0)
    };
    let target = (0..8).find(hit)?;
    Some(
        Verdict::new(format!("target {target} has several samples, DCC and blending, and the overwrite combiner is on: PAL turns it off on this chip"))
            .at(&chip)
            .help_set(&chip, 1, ""),
    )
}

pub(in crate::cp::rules::sta) const EXPANDED_Z16: Rule = Rule::new(
    "STA-63",
    Severity::Info,
    ChipScope::GFX10,
    "depth of 16 bits and one sample is decompressed in place",
    "GFX10.1 can hang when a 16-bit depth surface of one sample is decompressed in place and its contents were never initialized. No stream shows whether \
     they were: severity info. PAL initializes such surfaces first.",
    "PAL 04/2025 waZ16Unorm1xAaDecompressUninitialized (gfx9SettingsLoader.cpp)",
    Judge::Draw(expanded_z16),
)
.on_pixels();

/// The DB_Z_INFO.FORMAT value of 16-bit depth.
const Z_16: u32 = 1;

fn expanded_z16(view: &DrawView<'_>) -> Option<Verdict> {
    let expand = set(view, "DB_RENDER_CONTROL", "DEPTH_COMPRESS_DISABLE")?;
    let format = view.field("DB_Z_INFO", "FORMAT").filter(|format| format.value() == Z_16)?;
    view.field("DB_Z_INFO", "TILE_SURFACE_ENABLE").filter(FieldState::is_set)?;
    view.z_samples_log2().filter(|samples| !samples.is_set())?;
    Some(
        Verdict::new("a 16-bit depth surface of one sample is decompressed in place: the chip can hang if it was never initialized")
            .at(&expand)
            .because(&format)
            .help("clear the surface and its HTILE before the first decompression"),
    )
}

pub(in crate::cp::rules::sta) const STALE_GROUPS: Rule = Rule::new(
    "STA-64",
    Severity::Info,
    ChipScope::GFX9,
    "primitive type changes, and IA_MULTI_VGT_PARAM is not written again",
    "radeonsi writes IA_MULTI_VGT_PARAM again whenever the primitive type changes, even with the same value, to avoid a hang of GFX9 in one application. \
     RADV and PAL do not, nor do writers that omit unchanged values: severity info, and off by default.",
    "Mesa 25.0.7 si_state_draw.cpp (SpecviewPerf13 Catia)",
    Judge::Draw(stale_groups),
)
.on_work()
.off_by_default();

fn stale_groups(view: &DrawView<'_>) -> Option<Verdict> {
    let kind = written(view, "VGT_PRIMITIVE_TYPE", "PRIM_TYPE")?;
    let (before, packet) = view.history().topology?;
    let groups = written(view, "IA_MULTI_VGT_PARAM", "PRIMGROUP_SIZE")?;
    let old = groups.origin.is_some_and(|origin| origin.packet < packet);
    (before != kind.value() && old).then(|| {
        Verdict::new(format!("the type of primitives changes from {before} to {}, and IA_MULTI_VGT_PARAM is from before the last draw", kind.value()))
            .at(&groups)
            .because(&kind)
            .help("write IA_MULTI_VGT_PARAM again with the new type")
    })
}

pub(in crate::cp::rules::sta) const COMPUTE_QUEUE: Rule = Rule::new(
    "STA-65",
    Severity::Info,
    ChipScope::Chips(&["raven", "raven2", "gfx1013"]),
    "compute queue of a chip on which drivers use none",
    "radeonsi uses no compute queue on Raven and Raven2, because they hang there (Mesa issue 12310), while RADV does. Mesa uses none on gfx1013, whose compute \
     queue it calls broken. Severity info.",
    "Mesa 25.0.7 si_pipe.c (Raven, Raven2); Mesa 2026 ac_gpu_info.c ac_fill_hw_ip_info (gfx1013)",
    Judge::on_opcodes(&[Opcode::DISPATCH_DIRECT, Opcode::DISPATCH_INDIRECT], compute_queue),
);

fn compute_queue(view: &PacketView<'_>) -> Option<Verdict> {
    (view.queue() == Queue::Compute)
        .then(|| Verdict::new("a dispatch on a compute queue, which can hang on this chip").help("submit it to the graphics queue, as radeonsi does"))
}

pub(in crate::cp::rules::sta) const LARGE_TARGET: Rule = Rule::new(
    "STA-66",
    Severity::Warning,
    ChipScope::Chips(&["gfx1201"]),
    "target beyond 32768 pixels with aligned walking",
    "Where targets and scissors reach beyond 32768 pixels, PAL writes WALK_ALIGNMENT and WALK_ALIGN8_PRIM_FITS_ST = 0 on Navi48, as a workaround, and does not say \
     what happens otherwise. The rule looks at the sizes of the first colour target and of depth. STA-44 is about HiZ and HiS.",
    "PAL 04/2025 waWalkAlign64kScreenSpace (gfx12UniversalCmdBuffer.cpp, gfx12SettingsLoader.cpp)",
    Judge::Draw(large_target),
)
.on_pixels();

/// The last pixel of targets that do not need the workaround.
const LAST_PIXEL: u32 = 32767;

fn large_target(view: &DrawView<'_>) -> Option<Verdict> {
    let walk = ["WALK_ALIGN8_PRIM_FITS_ST", "WALK_ALIGNMENT"].into_iter().find_map(|field| set(view, "PA_SC_MODE_CNTL_1", field))?;
    let mask = view.value(view.register("CB_TARGET_MASK")?.addr()).unwrap_or(0);
    let beyond = |register: &str, field: &str| written(view, register, field).filter(|size| size.value() > LAST_PIXEL);
    let color = || {
        let bound = mask & 0xF != 0 && view.field("CB_COLOR0_INFO", "FORMAT").is_some_and(|format| format.is_set());
        ["MIP0_WIDTH", "MIP0_HEIGHT"].into_iter().find_map(|field| beyond("CB_COLOR0_ATTRIB2", field)).filter(|_| bound)
    };
    let depth = || ["X_MAX", "Y_MAX"].into_iter().find_map(|field| beyond("DB_DEPTH_SIZE_XY", field)).filter(|_| view.has_depth_image());
    let size = color().or_else(depth)?;
    Some(
        Verdict::new(format!("a target has {} pixels, and {} is {}: PAL writes 0 on this chip", size.value() + 1, walk.field.name, walk.value()))
            .at(&walk)
            .because(&size)
            .help_set(&walk, 0, ""),
    )
}

pub(in crate::cp::rules::sta) const NO_LDS: Rule = Rule::new(
    "STA-67",
    Severity::Info,
    ChipScope::Chips(&["navi31", "navi32", "navi33", "phoenix", "phoenix2", "gfx1156"]),
    "pixel waves have no LDS at all",
    "PAL's list of hardware bugs says that SPI and the parameter cache can get out of sync for waves without initialized LDS when EXTRA_LDS_SIZE is 0. It \
     says no more, and no driver acts on it. From its name, the bug concerns pixel shaders without an interpolant (NUM_INTERP = 0 without PARAM_GEN). \
     Severity info, and off by default: most depth-only draws are of that kind.",
    "PAL 04/2025 g_gfx11SwWarDetection.h (SPIAndPCCanGetOutOfSyncForNoLdsInitWavesWhenEXTRALDSSIZE_0)",
    Judge::Draw(no_lds),
)
.on_pixels()
.off_by_default();

fn no_lds(view: &DrawView<'_>) -> Option<Verdict> {
    let unset = |register: &str, field: &str| written(view, register, field).filter(|state| !state.is_set());
    let inputs = unset("SPI_PS_IN_CONTROL", "NUM_INTERP")?;
    unset("SPI_PS_IN_CONTROL", "NUM_PRIM_INTERP")?;
    unset("SPI_PS_IN_CONTROL", "PARAM_GEN")?;
    let lds = unset("SPI_SHADER_PGM_RSRC2_PS", "EXTRA_LDS_SIZE").filter(|_| has_program(view, "SPI_SHADER_PGM_LO_PS"))?;
    Some(
        Verdict::new("the pixel shader has no interpolant, and EXTRA_LDS_SIZE is 0: its waves have no LDS that is initialized")
            .at(&lds)
            .because(&inputs)
            .help("PARAM_GEN = 1 initializes LDS, and EXTRA_LDS_SIZE gives some: no source says which is needed"),
    )
}
