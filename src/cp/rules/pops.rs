//! POPS: primitive ordered pixel shading, judged only by register state.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::{Judge, WatchedWrites, WriteView};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::regs::lookup;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// PA_SC_VRS_SURFACE_CNTL and PA_SC_VRS_SURFACE_CNTL_1 of GFX11 and later, which only the kernel writes.
pub(in crate::cp::rules) const PRIVILEGED_VRS: [u32; 2] = [0x2A500, 0x2A580];

/// Addresses of DB_DFSM_CONTROL: GFX9, then GFX10.
const OLD_DFSM: [u32; 2] = [0x28060, 0x28038];

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    Rule::new(
        "POPS-01",
        Severity::Error,
        ChipScope::All,
        "ordered draw without export space",
        "The hardware follows ordered pixel shader waves through their exports: a wave without export space (COL0 format and Z format both 0) is not \
         ordered against others up to GFX10.3. On GFX11 and later the draw hangs, because the DONE export is what ends the ordered section. Draws that rasterize \
         nothing (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) have no pixels to order, here and in the other rules of POPS. A shader that \
         writes nothing still needs a colour format, for example 32_R (1), with CB_SHADER_MASK left 0.",
        "POPS article, section Export requirements; RDNA3 ISA 3.4.1 SKIP_EXPORT; Mesa 25.0.7 radv_pipeline_graphics.c",
        Judge::Draw(no_export_space),
    )
    .on_pixels(),
    Rule::new(
        "POPS-02",
        Severity::Error,
        ChipScope::UP_TO_GFX103,
        "LOAD_COLLISION_WAVEID set in only one of its two registers",
        "With the bit in SPI_SHADER_PGM_RSRC2_PS the shader core reserves an SGPR for the collision wave id; with the bit in \
                      PA_SC_SHADER_CONTROL the scan converter sends it. If only one bit is set, each later scalar argument is in another SGPR \
                      than the shader expects, whether POPS is on or not.",
        "POPS article, section Configuring POPS; Mesa 25.0.7 radv_emit_fragment_shader",
        Judge::Draw(wave_id_in_one_register),
    )
    .on_pixels(),
    Rule::new(
        "POPS-03",
        Severity::Error,
        ChipScope::UP_TO_GFX103,
        "LOAD_INTRAWAVE_COLLISION set in only one of its two registers, or without the collision wave id",
        "As for the collision wave id, both registers must agree, or the shader's scalar arguments are shifted. The intrawave collision \
                      mask without the wave id is not used by any known shader code; that is a warning.",
        "POPS article, section Configuring POPS",
        Judge::Draw(intrawave_in_one_register),
    )
    .on_pixels(),
    Rule::new(
        "POPS-04",
        Severity::Warning,
        ChipScope::UP_TO_GFX103,
        "ordered draw without the collision wave id",
        "Up to GFX10.3 the shader itself waits for overlapped waves; the collision wave id names them. Without that argument, it can only wait for \
                      everything or nothing: as far as the registers show, the draw is not ordered.",
        "follows from what the packet or field does; POPS article, section Shader code",
        Judge::Draw(no_wave_id),
    )
    .on_pixels(),
    Rule::new(
        "POPS-05",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "collision loads requested on a generation without them",
        "From GFX11 on, waves are ordered by the hardware (s_wait_event, DONE export) and there is no collision wave id to load. The \
                      LOAD bits are still in the register headers, but no source says what they do: leave them 0.",
        "POPS article, section Configuring POPS; register headers of GFX11 and GFX12",
        Judge::Draw(loads_on_gfx11),
    ),
    Rule::new(
        "POPS-06",
        Severity::Warning,
        ChipScope::UP_TO_GFX103,
        "POPS_OVERLAP_NUM_SAMPLES is neither 0 nor MSAA_EXPOSED_SAMPLES",
        "The field says which samples two invocations must share to count as overlapping: 0 means any part of the pixel (pixel \
                      interlock), the number of exposed samples means per sample (sample interlock). Anything in between mixes the two; hangs were \
                      reported for it on GFX9.",
        "POPS article, section Configuring POPS; AMDVLK issue 108",
        Judge::Draw(overlap_samples),
    )
    .on_pixels(),
    Rule::new(
        "POPS-07",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "ordered draw without OVERRIDE_INTRINSIC_RATE_ENABLE",
        "From GFX11 on, OVERRIDE_INTRINSIC_RATE sets the granularity of the overlap test, and it counts only with its enable \
                      bit. Without it the hardware picks a rate from the blend and sample state, so ordering happens at the wrong granularity.",
        "POPS article, section Configuring POPS; PAL gfx9PipelineChunkVsPs.cpp; Mesa 25.0.7 radv_cmd_buffer.c radv_emit_db_shader_control",
        Judge::Draw(rate_not_enabled),
    )
    .on_pixels(),
    Rule::new(
        "POPS-08",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "OVERRIDE_INTRINSIC_RATE is neither 0 nor MSAA_EXPOSED_SAMPLES",
        "The rate must be 0 (pixel interlock) or log2 of the exposed samples (sample interlock). A rate of 2 in a single-sample draw is what the blend \
                      workaround of GFX11.0 sets; that workaround must not touch ordered draws. PAL had this mistake until June 2024. If the rate is not \
                      enabled, it has no effect, and POPS-07 reports it.",
        "POPS article, section Configuring POPS; PAL 06/2024 gfx9UniversalCmdBuffer.cpp; Mesa 25.0.7 radv_emit_db_shader_control",
        Judge::Draw(wrong_rate),
    )
    .on_pixels(),
    Rule::new(
        "POPS-09",
        Severity::Error,
        ChipScope::GFX11_AND_115,
        "DB_Z_INFO.NUM_SAMPLES below MSAA_EXPOSED_SAMPLES",
        "On GFX11 and GFX11.5 POPS takes the number of coverage samples from DB_Z_INFO.NUM_SAMPLES, even when no depth target is bound. The \
                      article asks for MSAA_EXPOSED_SAMPLES there; according to RADV the hardware takes the smaller of both. With too small a number, \
                      samples take part in no overlap test. No source states such a requirement for GFX12, where PAL writes 0 without a depth target.",
        "POPS article, section Configuring POPS; Mesa 25.0.7 radv_emit_null_ds_state; Mesa 2026 radv_emit_msaa_state; PAL ValidateDbZInfo (04/2025)",
        Judge::Draw(too_few_z_samples),
    )
    .on_pixels(),
    Rule::new(
        "POPS-10",
        Severity::Info,
        ChipScope::FROM_GFX11,
        "DB_Z_INFO.NUM_SAMPLES above MSAA_EXPOSED_SAMPLES",
        "On GFX11 and GFX11.5 the article, PAL and RADV (mid-2026) ask for both to be equal. RADV up to 26.1.6 writes 3 without a depth target: \
                      according to RADV the hardware takes the smaller number. Then the draw is correct, but with one sample it costs pixel throughput. For \
                      GFX12 the article has no section, and no source says that the hardware reads the number: PAL and RADV (mid-2026) write 0 there.",
        "POPS article, section Configuring POPS; PAL ValidateDbZInfo (04/2025); Mesa 25.0.7 radv_emit_null_ds_state; Mesa 2026 radv_emit_msaa_state, \
                      radv_gfx12_emit_null_ds_state",
        Judge::Draw(too_many_z_samples),
    )
    .on_pixels(),
    Rule::new(
        "POPS-11",
        Severity::Error,
        ChipScope::Erratum(Erratum::PopsMissedOverlap),
        "ordered draw with 8 samples without the drain",
        "Vega10 and Raven can miss an overlap, or hang, when an ordered draw has 8 or more coverage samples or a depth target of 8 or \
                      more samples. POPS_DRAIN_PS_ON_OVERLAP makes overlapped pixel shaders finish first. It costs up to half of the frame rate, so \
                      set it only in such draws.",
        "PAL 04/2024 waMiscPopsMissedOverlap; Mesa 25.0.7 has_pops_missed_overlap_bug; POPS article, section Hardware bug workarounds",
        Judge::Draw(drain_missing),
    )
    .on_pixels(),
    Rule::new(
        "POPS-12",
        Severity::Info,
        ChipScope::Erratum(Erratum::PopsMissedOverlap),
        "drain in a draw that does not need it",
        "The drain bit is needed only for ordered draws with 8 or more coverage or depth samples. In other draws it is slow and useless. RADV (25.0.7) \
                      leaves it on for later draws without POPS. Where the number of samples is not known, nothing is reported.",
        "follows from what the packet or field does; POPS article, section Hardware bug workarounds",
        Judge::Draw(drain_needless),
    ),
    Rule::new(
        "POPS-13",
        Severity::Error,
        ChipScope::Erratum(Erratum::StalledPops),
        "drain without partial squads on Navi1x",
        "On Navi10, Navi12 and Navi14 an ordered draw with POPS_DRAIN_PS_ON_OVERLAP = 1 waits for pixel quads that wait to fill their squad: a hang. \
                      PARTIAL_SQUAD_LAUNCH_CONTROL = ON_HANG_ONLY lets partial squads start. Better still, these chips never need the drain. No source \
                      mentions gfx1013, which has the same core: there the rule warns. At reset the drain is on: if nothing in the stream has written or \
                      cleared DB_DFSM_CONTROL, an earlier submission may have written it, and the rule warns.",
        "PAL 04/2025 waStalledPopsMode; POPS article, section Hardware bug workarounds",
        Judge::Draw(drain_without_partial_squads),
    )
    .on_pixels(),
    Rule::new(
        "POPS-14",
        Severity::Warning,
        ChipScope::UP_TO_GFX103,
        "DB_DFSM_CONTROL is neither written nor cleared before the first draw",
        "At reset DB_DFSM_CONTROL is 0xd on most chips: DFSM forced on and the POPS drain on, exactly what Navi1x hangs with. CLEAR_STATE makes it 0. A \
                      stream without either runs with the reset value, unless an earlier submission has written it. Every driver writes 0x2 in its preamble \
                      (DFSM forced off, no drain); RADV sends its preamble only with the first submission.",
        "PAL gfx9_plus_merged_default.h; Mesa 25.0.7 ac_shadowed_regs.c; POPS article",
        Judge::Draw(dfsm_not_set),
    ),
    Rule::new(
        "POPS-15",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "looks like a write of DB_DFSM_CONTROL, which this generation does not have",
        "GFX11 removed DB_DFSM_CONTROL and put other registers at its addresses. The values 2 and 6 are what drivers write into the old \
                      register, so such a write is probably meant for it and changes something else. This is a guess from the value.",
        "register headers of GFX9 to GFX12 (Mesa 25.0.7, PAL)",
        Judge::Write { watch: WatchedWrites::Addresses(&OLD_DFSM), judge: old_dfsm_write },
    ),
    Rule::new(
        "POPS-16",
        Severity::Info,
        ChipScope::GFX103,
        "shading rate requested for an ordered draw",
        "On GFX10.3 POPS forces the shading rate to 1x1, whatever the draw, the primitives or an image request. The request has no effect; \
                      fragmentShadingRateWithFragmentShaderInterlock must be reported as false.",
        "POPS article, section Variable-rate shading interaction; Mesa 25.0.7 radv_physical_device.c",
        Judge::Draw(shading_rate),
    )
    .on_pixels(),
    Rule::new(
        "POPS-17",
        Severity::Warning,
        ChipScope::GFX9,
        "ordered draw with out-of-order primitives",
        "OUT_OF_ORDER_PRIMITIVE_ENABLE lets the rasterizer reorder primitives of different shader engines, so what POPS orders need not \
                      be the order of the API. That is right only when the application asked for it (VK_AMD_rasterization_order). In that case declare relaxed order to the model, \
                      and the rule reports nothing. Chips without out-of-order rasterization have STA-26.",
        "POPS article, section Out-of-order rasterization interaction (open there)",
        Judge::Draw(out_of_order),
    )
    .on_pixels(),
    Rule::new(
        "POPS-18",
        Severity::Info,
        ChipScope::All,
        "POPS option that no driver uses",
        "EXEC_IF_OVERLAPPED (GFX9 to GFX10.3) and BIN_MAP_MODE_POPS (GFX10 to GFX11.5) belong to POPS, but no driver sets them and \
                      experiments found no effect. On GFX12 the bin mapping value is reserved: a warning there.",
        "POPS article, section Additional configuration; PAL gfx9Chip.h",
        Judge::Draw(unused_option),
    )
    .on_pixels(),
    Rule::new(
        "POPS-19",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "write to a privileged VRS register",
        "PA_SC_VRS_SURFACE_CNTL and PA_SC_VRS_SURFACE_CNTL_1 hold FORCE_SC_VRS_RATE_FINE_POPS, but are above the context window: only \
                      the kernel may write them (its golden settings leave the bit 0, so POPS works at coarse rates). From a user stream the command \
                      processor rejects the access.",
        "PAL gfx9Chip.h context window; Linux 6.12 gfx_v11_0.c golden_settings_gc_11_0_1",
        Judge::Write { watch: WatchedWrites::Addresses(&PRIVILEGED_VRS), judge: privileged_vrs_write },
    ),
    Rule::new(
        "POPS-20",
        Severity::Warning,
        ChipScope::All,
        "POPS fields left set in a draw without POPS",
        "The draw has POPS off, but has an overlap sample count or collision loads, which only ordered draws use. The count is harmless; the \
                      loads still put arguments before those that the shader expects, so a shader compiled without them reads garbage.",
        "follows from what the packet or field does; Mesa 25.0.7 writes PA_SC_SHADER_CONTROL = 0 again",
        Judge::Draw(left_over_fields),
    )
    .on_pixels(),
    Rule::new(
        "POPS-21",
        Severity::Info,
        ChipScope::FROM_GFX11,
        "intrinsic rate override left on in a draw without POPS",
        "Without POPS the override has one use: rate 2 in single-sample draws that blend, on GFX11.0. With another rate, it does not have the intended \
                      effect there. Elsewhere it only makes pixels slower; PAL leaves it on after an ordered draw on GFX11.5.",
        "PAL 04/2025 gfx9UniversalCmdBuffer.cpp waEnableIntrinsicRateEnable; Mesa 25.0.7 has_export_conflict_bug",
        Judge::Draw(left_over_rate),
    ),
    Rule::new(
        "POPS-22",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "depth target with another sample count than the coverage",
        "From GFX11 on, DB_Z_INFO.NUM_SAMPLES takes part in the overlap test. With a depth target it is the target's count and cannot be \
                      changed; no source says what an ordered draw does when it differs from the rasterization samples. According to RADV the \
                      hardware takes the smaller number; then some samples take no part in the overlap test.",
        "no source states it; Mesa 25.0.7 radv_emit_null_ds_state for the minimum",
        Judge::Draw(mixed_samples),
    )
    .on_pixels(),
];

/// Formats a sample count, given as the log2 that registers hold.
fn samples(log2: u32) -> String {
    format!("{log2} ({}x)", 1u64.wrapping_shl(log2))
}

fn collision_load(view: &DrawView<'_>, register: &str) -> Option<FieldState> {
    view.field(register, "LOAD_COLLISION_WAVEID")
}

fn intrawave_load(view: &DrawView<'_>, register: &str) -> Option<FieldState> {
    view.field(register, "LOAD_INTRAWAVE_COLLISION")
}

const SHADER: &str = "SPI_SHADER_PGM_RSRC2_PS";
const SCAN_CONVERTER: &str = "PA_SC_SHADER_CONTROL";

fn no_export_space(view: &DrawView<'_>) -> Option<Verdict> {
    let color = view.field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT")?;
    let depth = view.field("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT")?;
    if !view.pops_enabled() || color.is_set() || depth.is_set() {
        return None;
    }
    let effect = if view.gfx().major() >= 11 {
        "the ordered section never ends and the draw hangs"
    } else {
        "the waves of this draw are not ordered against each other"
    };
    Some(
        Verdict::new(format!(
            "POPS is on, but the pixel shader has no export space (SPI_SHADER_COL_FORMAT = 0x{:08x}, SPI_SHADER_Z_FORMAT = 0x{:08x}): {effect}",
            color.word, depth.word
        ))
        .at(&color)
        .because(&depth)
        .help_set(
            &color,
            1,
            " (32_R), and let the shader end with a null export (MRT0 with all channels off on GFX11 and later); CB_SHADER_MASK may stay 0",
        ),
    )
}

/// Judges a load bit that must be the same in both registers.
fn in_one_register(shader: FieldState, scan_converter: FieldState) -> Option<Verdict> {
    if shader.is_set() == scan_converter.is_set() {
        return None;
    }
    let (has, lacks) = if shader.is_set() { (shader, scan_converter) } else { (scan_converter, shader) };
    let effect =
        if shader.is_set() { "the shader expects an argument that is not provided" } else { "the shader is given an argument that it does not expect" };
    Some(
        Verdict::new(format!(
            "{} is 1 in {} and 0 in {}: {effect}, and every scalar register after it is off by one",
            has.field.name, has.register, lacks.register
        ))
        .at(&lacks)
        .because(&has)
        .help_set(&lacks, 1, &format!("; or clear the bit in {} if the shader does not use it", has.register)),
    )
}

fn wave_id_in_one_register(view: &DrawView<'_>) -> Option<Verdict> {
    in_one_register(collision_load(view, SHADER)?, collision_load(view, SCAN_CONVERTER)?)
}

fn intrawave_in_one_register(view: &DrawView<'_>) -> Option<Verdict> {
    let (shader, scan_converter) = (intrawave_load(view, SHADER)?, intrawave_load(view, SCAN_CONVERTER)?);
    if let Some(verdict) = in_one_register(shader, scan_converter) {
        return Some(verdict);
    }
    let wave_id = collision_load(view, SHADER)?;
    (shader.is_set() && !wave_id.is_set()).then(|| {
        Verdict::new("LOAD_INTRAWAVE_COLLISION is 1 without LOAD_COLLISION_WAVEID: the mask is of no use without the wave id")
            .at(&shader)
            .because(&scan_converter)
            .severity(Severity::Warning)
            .help("set LOAD_COLLISION_WAVEID in both registers as well, or clear LOAD_INTRAWAVE_COLLISION in both")
    })
}

fn no_wave_id(view: &DrawView<'_>) -> Option<Verdict> {
    let (shader, scan_converter) = (collision_load(view, SHADER)?, collision_load(view, SCAN_CONVERTER)?);
    let pops = view.pops().filter(|_| view.pops_enabled())?;
    (!shader.is_set() && !scan_converter.is_set()).then(|| {
        Verdict::new("POPS is on, but LOAD_COLLISION_WAVEID is 0 in both registers: the shader cannot know which waves to wait for, so nothing is ordered")
            .at(&shader)
            .because(&scan_converter)
            .because(&pops)
            .help("set LOAD_COLLISION_WAVEID in SPI_SHADER_PGM_RSRC2_PS (bit 25) and PA_SC_SHADER_CONTROL (bit 2), or turn POPS off for this draw")
    })
}

fn loads_on_gfx11(view: &DrawView<'_>) -> Option<Verdict> {
    let all = [SHADER, SCAN_CONVERTER].into_iter().flat_map(|register| [collision_load(view, register), intrawave_load(view, register)]);
    let set: Vec<FieldState> = all.flatten().filter(FieldState::is_set).collect();
    let first = set.first()?;
    let list: Vec<String> = set.iter().map(|f| format!("{}.{}", f.register, f.field.name)).collect();
    let verdict = Verdict::new(format!("{} set on {}, which has no collision wave id: no source says what happens", list.join(", "), view.gfx())).at(first);
    let other = set.iter().find(|f| f.register.addr() != first.register.addr());
    let verdict = other.map_or(verdict.clone(), |f| verdict.because(f));
    let without = |f: &FieldState| {
        let of_register = set.iter().filter(|other| other.register.addr() == f.register.addr());
        let word = of_register.fold(f.word, |word, other| word & !other.field.mask());
        format!("0x{word:08x} to {} (0x{:05x})", f.register, f.register.addr())
    };
    let writes: Vec<String> = [Some(first), other].into_iter().flatten().map(without).collect();
    Some(verdict.help(format!("write {}; these bits are for GFX9 to GFX10.3", writes.join(" and "))))
}

fn overlap_samples(view: &DrawView<'_>) -> Option<Verdict> {
    let overlap = view.field("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES")?;
    let exposed = view.exposed_samples_log2()?;
    if !view.pops_enabled() || !overlap.is_set() || overlap.value() == exposed.value() {
        return None;
    }
    Some(
        Verdict::new(format!(
            "POPS_OVERLAP_NUM_SAMPLES is {}, but {} is {}: neither pixel nor sample interlock; hangs were reported for this on GFX9",
            samples(overlap.value()),
            exposed.field.name,
            samples(exposed.value())
        ))
        .at(&overlap)
        .because(&exposed)
        .help_set(&overlap, 0, &format!(" for pixel interlock, or {} for sample interlock", exposed.value())),
    )
}

fn rate_not_enabled(view: &DrawView<'_>) -> Option<Verdict> {
    let enable = view.field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE")?;
    (view.pops_enabled() && !enable.is_set()).then(|| {
        Verdict::new("POPS is on, but OVERRIDE_INTRINSIC_RATE_ENABLE is 0: the hardware chooses the granularity of the overlap test itself, and it is wrong")
            .at(&enable)
            .help_set(&enable, 1, " with OVERRIDE_INTRINSIC_RATE = 0 for pixel interlock or MSAA_EXPOSED_SAMPLES for sample interlock")
    })
}

fn wrong_rate(view: &DrawView<'_>) -> Option<Verdict> {
    let rate = view.field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE")?;
    // Without it the rate has no effect: POPS-07.
    view.field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE").filter(FieldState::is_set)?;
    let exposed = view.exposed_samples_log2()?;
    if !view.pops_enabled() || !rate.is_set() || rate.value() == exposed.value() {
        return None;
    }
    let cause = if rate.value() == 2 && exposed.value() == 0 && view.blends() {
        "; it looks like the blend workaround, which must not be applied to ordered draws"
    } else {
        ""
    };
    Some(
        Verdict::new(format!(
            "OVERRIDE_INTRINSIC_RATE is {}, but {} is {}: the overlap test runs at the wrong granularity{cause}",
            samples(rate.value()),
            exposed.field.name,
            samples(exposed.value())
        ))
        .at(&rate)
        .because(&exposed)
        .help_set(&rate, 0, &format!(" for pixel interlock, or {} for sample interlock", exposed.value())),
    )
}

fn too_few_z_samples(view: &DrawView<'_>) -> Option<Verdict> {
    let (z, exposed) = (view.z_samples_log2()?, view.exposed_samples_log2()?);
    if !view.pops_enabled() || z.value() >= exposed.value() {
        return None;
    }
    let verdict = Verdict::new(format!(
        "DB_Z_INFO.NUM_SAMPLES is {}, but {} is {}: according to RADV the hardware takes the smaller number, and samples beyond it are not ordered",
        samples(z.value()),
        exposed.field.name,
        samples(exposed.value())
    ))
    .at(&z)
    .because(&exposed);
    Some(if view.has_depth_image() {
        verdict.help("a depth target is bound and has fewer samples than the rasterization: use targets of one sample count")
    } else {
        verdict.help_set(&z, exposed.value(), "; no depth target is bound, so nothing else depends on the field")
    })
}

fn too_many_z_samples(view: &DrawView<'_>) -> Option<Verdict> {
    let (z, exposed) = (view.z_samples_log2()?, view.exposed_samples_log2()?);
    let (doubt, right) = if view.gfx().major() >= 12 {
        ("no source says whether GFX12 reads it", " or less: PAL and RADV of mid-2026 write 0; the article does not cover GFX12")
    } else {
        ("according to RADV the hardware takes the smaller number; other sources ask for an equal one", ", as the POPS article and PAL require")
    };
    (view.pops_enabled() && !view.has_depth_image() && z.value() > exposed.value()).then(|| {
        Verdict::new(format!(
            "DB_Z_INFO.NUM_SAMPLES is {} without a depth target, and {} is {}: {doubt}",
            samples(z.value()),
            exposed.field.name,
            samples(exposed.value())
        ))
        .at(&z)
        .because(&exposed)
        .help_set(&z, exposed.value(), right)
    })
}

/// Returns the field that makes a draw need the drain: 8 or more coverage samples, or depth samples where a depth target is bound.
fn drain_cause(view: &DrawView<'_>) -> Option<FieldState> {
    let depth = || view.z_samples_log2().filter(|z| view.has_depth_image() && z.value() >= 3);
    view.coverage_samples_log2().filter(|samples| samples.value() >= 3).or_else(depth)
}

/// Returns whether the draw is known to have fewer than 8 coverage samples, and no depth target of 8 samples or more.
fn has_few_samples(view: &DrawView<'_>) -> bool {
    let few = |samples: &FieldState| samples.value() < 3;
    let unbound = || view.field("DB_STENCIL_INFO", "FORMAT").is_some() && !view.has_depth_image();
    view.coverage_samples_log2().is_some_and(|coverage| few(&coverage)) && view.z_samples_log2().is_some_and(|z| few(&z) || unbound())
}

fn drain_missing(view: &DrawView<'_>) -> Option<Verdict> {
    let drain = view.drain().filter(|drain| !drain.on)?;
    let cause = drain_cause(view).filter(|_| view.pops_enabled())?;
    let what = if cause.register.info().name == "DB_Z_INFO" { "a depth target" } else { "coverage" };
    let verdict = Verdict::new(format!(
        "an ordered draw with {what} of {} samples and POPS_DRAIN_PS_ON_OVERLAP = 0: {} can miss an overlap or hang",
        1u64 << cause.value(),
        view.chip().info().name
    ));
    Some(match drain.state {
        Some(state) => verdict.at(&state).because(&cause).help_set(&state, 1, "; clear it again for draws with fewer samples: it is slow"),
        None => verdict.because(&cause).help("write 0x00000006 to DB_DFSM_CONTROL: DFSM forced off, drain on"),
    })
}

fn drain_needless(view: &DrawView<'_>) -> Option<Verdict> {
    let state = view.drain()?.state.filter(FieldState::is_set)?;
    let pops = view.pops()?.is_set();
    (!pops || has_few_samples(view)).then(|| {
        let why = if pops { "has fewer than 8 coverage and depth samples" } else { "has POPS off" };
        Verdict::new(format!("POPS_DRAIN_PS_ON_OVERLAP is 1, but the draw {why}: the drain is slow and has no use there")).at(&state).help_set(&state, 0, "")
    })
}

fn drain_without_partial_squads(view: &DrawView<'_>) -> Option<Verdict> {
    let drain = view.drain().filter(|drain| drain.on && view.pops_enabled())?;
    let squads = view.field("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL")?;
    let on_hang_only = squads.field.values.and_then(|v| v.value_of("PSLC_ON_HANG_ONLY")).unwrap_or(1);
    if squads.value() == on_hang_only {
        return None;
    }
    let unless = if drain.state.is_some() { "" } else { " (at reset it is, unless a submission before has written DB_DFSM_CONTROL)" };
    let verdict = Verdict::new(format!(
        "an ordered draw with the drain on{unless} and PARTIAL_SQUAD_LAUNCH_CONTROL = {}: {} hangs, waiting for quads that wait for each other",
        squads.value(),
        view.chip().info().name
    ))
    .at(&squads);
    Some(match drain.state {
        Some(state) => verdict.because(&state).help(format!(
            "write 0x{:08x} to {} (0x{:05x}), that is {} = 0: this chip never needs the drain; or, to keep it, 0x{:08x} to {} (0x{:05x}), that is {} = {on_hang_only} (ON_HANG_ONLY)",
            state.with(0),
            state.register.name(),
            state.register.addr(),
            state.field.name,
            squads.with(on_hang_only),
            squads.register.name(),
            squads.register.addr(),
            squads.field.name,
        )),
        None => verdict
            .severity(Severity::Warning)
            .note("nothing in the stream has written DB_DFSM_CONTROL, and CLEAR_STATE has not run: its value from reset has the drain on", None)
            .help("write 0x00000002 to DB_DFSM_CONTROL in the preamble: this chip never needs the drain"),
    })
}

fn dfsm_not_set(view: &DrawView<'_>) -> Option<Verdict> {
    if view.draws_before() != 0 {
        return None;
    }
    let register = view.register("DB_DFSM_CONTROL")?;
    if !matches!(view.state(register.addr()), crate::cp::RegisterState::Unknown | crate::cp::RegisterState::Reset(_)) {
        return None;
    }
    let state = match view.chip().info().dfsm_reset {
        Some(0) => return None,
        Some(reset) => format!("unless a submission before has written it, it holds 0x{reset:08x} from reset: DFSM forced on, POPS drain on"),
        None => "unless a submission before has written it, it holds its value from reset, which no source states for this chip".into(),
    };
    Some(
        Verdict::new(format!("at the first draw nothing in the stream has written {register}, and CLEAR_STATE has not run: {state}"))
            .register(format!("{register}"))
            .help(format!("write 0x00000002 to {register} (0x{:05x}) in the preamble: DFSM forced off, no drain", register.addr())),
    )
}

fn old_dfsm_write(view: &WriteView<'_>) -> Option<Verdict> {
    let gfx = view.chip().gfx();
    // If the generation has no register there, REG-02 reports it.
    let here = lookup(gfx, view.addr()).filter(|_| matches!(view.value(), 2 | 6))?;
    Some(
        Verdict::new(format!(
            "0x{:08x} is written to 0x{:05x}, which was DB_DFSM_CONTROL and is {here} on {gfx}: the value looks like the old register's and changes this one",
            view.value(),
            view.addr()
        ))
        .register(format!("{here}"))
        .help(format!("{gfx} has no DB_DFSM_CONTROL: leave the write out, unless {here} is meant")),
    )
}

fn shading_rate(view: &DrawView<'_>) -> Option<Verdict> {
    let rate = ["RATE_X", "RATE_Y"].into_iter().find_map(|field| view.field("GE_VRS_RATE", field).filter(FieldState::is_set));
    let modes = ["VERTEX_RATE_COMBINER_MODE", "PRIMITIVE_RATE_COMBINER_MODE", "HTILE_RATE_COMBINER_MODE"];
    // The rate of the draw is 1x1 here: passing it on (0) and the smaller of two rates (MIN, 2) keep it 1x1.
    let asks = |mode: &FieldState| !matches!(mode.value(), 0 | 2);
    let combiner = || modes.into_iter().find_map(|field| view.field("PA_CL_VRS_CNTL", field).filter(asks));
    let request = rate.or_else(combiner).filter(|_| view.pops_enabled())?;
    Some(
        Verdict::new(format!(
            "{}.{} = {} asks for a coarse shading rate, but POPS is on: this generation shades at 1x1 whatever is asked",
            request.register,
            request.field.name,
            request.value()
        ))
        .at(&request)
        .help("nothing needs to change; do not report fragmentShadingRateWithFragmentShaderInterlock"),
    )
}

fn out_of_order(view: &DrawView<'_>) -> Option<Verdict> {
    let bit = view.field("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE").filter(FieldState::is_set)?;
    let may_reorder = view.chip().info().out_of_order_rasterization;
    (may_reorder && view.pops_enabled() && !view.options().relaxed_order).then(|| {
        Verdict::new("OUT_OF_ORDER_PRIMITIVE_ENABLE is 1 in an ordered draw: primitives may reach the ordered section in another order than the API's")
            .at(&bit)
            .help_set(&bit, 0, "; or declare relaxed rasterization order, if the application asked for it")
    })
}

fn unused_option(view: &DrawView<'_>) -> Option<Verdict> {
    if !view.pops_enabled() {
        return None;
    }
    if let Some(bit) = view.field("DB_SHADER_CONTROL", "EXEC_IF_OVERLAPPED").filter(FieldState::is_set) {
        return Some(Verdict::new("EXEC_IF_OVERLAPPED is 1: no driver sets it and no effect is known").at(&bit).help_set(&bit, 0, ""));
    }
    let bins = view.field("PA_SC_BINNER_CNTL_0", "BIN_MAPPING_MODE").filter(|mode| mode.value() == 2)?;
    let verdict = if view.gfx().major() >= 12 {
        Verdict::new("BIN_MAPPING_MODE is 2, which is reserved on this generation").severity(Severity::Warning)
    } else {
        Verdict::new("BIN_MAPPING_MODE is BIN_MAP_MODE_POPS: no driver sets it and no effect is known")
    };
    Some(verdict.at(&bins).help_set(&bins, 0, ""))
}

fn privileged_vrs_write(view: &WriteView<'_>) -> Option<Verdict> {
    let name = if view.addr() == PRIVILEGED_VRS[0] { "PA_SC_VRS_SURFACE_CNTL" } else { "PA_SC_VRS_SURFACE_CNTL_1" };
    Some(
        Verdict::new(format!(
            "0x{:08x} is written to {name} (0x{:05x}), which is above the context window: the command processor rejects the access",
            view.value(),
            view.addr()
        ))
        .register(name)
        .help("leave the write out: the kernel sets the register, with FORCE_SC_VRS_RATE_FINE_POPS = 0"),
    )
}

fn left_over_fields(view: &DrawView<'_>) -> Option<Verdict> {
    let pops = view.pops().filter(|bit| !bit.is_set())?;
    let overlap = view.field("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES");
    // A single load bit is a separate error: POPS-02.
    let both = |load: fn(&DrawView<'_>, &str) -> Option<FieldState>| {
        load(view, SHADER).filter(|bit| bit.is_set() && load(view, SCAN_CONVERTER).is_some_and(|b| b.is_set()))
    };
    let load = both(collision_load).or_else(|| both(intrawave_load));
    let field = load.or(overlap.filter(FieldState::is_set))?;
    let effect = if load.is_some() { "a shader compiled without POPS reads its arguments off by one" } else { "no effect is known" };
    let verdict =
        Verdict::new(format!("POPS is off, but {}.{} is {}, which only ordered draws use: {effect}", field.register, field.field.name, field.value()))
            .at(&field);
    // One note if a register holds both.
    let verdict = if field.register.addr() == pops.register.addr() { verdict } else { verdict.because(&pops) };
    Some(verdict.help_set(&field, 0, if load.is_some() { "; clear the bit in PA_SC_SHADER_CONTROL too" } else { "" }))
}

/// The rate of the blend workaround, 4 samples (Mesa 25.0.7 has_export_conflict_bug).
const BLEND_RATE: u32 = 2;

fn left_over_rate(view: &DrawView<'_>) -> Option<Verdict> {
    let enable = view.field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE").filter(FieldState::is_set)?;
    let single = view.exposed_samples_log2().is_none_or(|exposed| exposed.value() == 0);
    if view.pops_enabled() {
        return None;
    }
    if view.chip().has(Erratum::ExportConflict) && single && view.blends() {
        let rate = view.field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE").filter(|rate| rate.value() != BLEND_RATE)?;
        return Some(
            Verdict::new(format!(
                "OVERRIDE_INTRINSIC_RATE_ENABLE is 1 with OVERRIDE_INTRINSIC_RATE = {} in a single-sample draw that blends: drivers write {} there",
                samples(rate.value()),
                samples(BLEND_RATE)
            ))
            .at(&rate)
            .help_set(&rate, BLEND_RATE, ", the blend workaround of GFX11.0"),
        );
    }
    Some(
        Verdict::new(
            "OVERRIDE_INTRINSIC_RATE_ENABLE is 1 in a draw that is not ordered and needs no blend workaround: it makes pixels slower and does nothing else",
        )
        .at(&enable)
        .help_set(&enable, 0, ""),
    )
}

fn mixed_samples(view: &DrawView<'_>) -> Option<Verdict> {
    let (z, coverage) = (view.z_samples_log2()?, view.coverage_samples_log2()?);
    (view.pops_enabled() && view.has_depth_image() && z.value() != coverage.value()).then(|| {
        Verdict::new(format!(
            "the depth target has {} samples and the rasterization {}: no source says on which samples the ordered section works then",
            1u64 << z.value(),
            1u64.wrapping_shl(coverage.value())
        ))
        .at(&z)
        .because(&coverage)
        .help("use a depth target with the sample count of the rasterization for ordered draws")
    })
}
