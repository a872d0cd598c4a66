//! Inputs and exports of pixel shaders.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::{DrawView, FieldState};
use alloc::borrow::Cow;
use alloc::format;

/// Returns whether the pixel shader reads which pixels are fully covered: COVERAGE_TO_SHADER_SELECT is INPUT_INNER_COVERAGE; on GFX12 in SPI_PS_INPUT_ENA.
fn reads_inner_coverage(view: &DrawView<'_>) -> bool {
    const INNER: u32 = 1;
    let registers = ["PA_SC_AA_CONFIG", "SPI_PS_INPUT_ENA"];
    registers.iter().any(|register| view.field(register, "COVERAGE_TO_SHADER_SELECT").is_some_and(|select| select.value() == INNER))
}

pub(super) const SAMPLE_MASK: Rule = Rule::new(
    "STA-21",
    Severity::Warning,
    ChipScope::All,
    "sample mask is not replicated, or sample counts contradict each other",
    "The 16-bit sample mask of each pixel holds the mask of the samples repeated: drivers write mask | mask << 16 into both registers. With several \
     samples PA_SC_MODE_CNTL_0.MSAA_ENABLE is set, and DB_EQAA exports no more mask samples than are covered; up to GFX11.5 it has at least as many \
     anchor samples as a bound depth target (up to GFX10.3 a smaller number has severity info, because no source says what it does). With inner coverage \
     PA_SC_AA_CONFIG has twice as many samples as the draw. Where these are 2, only the masks are compared.",
    "PAL gfx9MsaaState.cpp; Mesa 25.0.7 radv_emit_msaa_state",
    Judge::Draw(sample_mask),
);

fn sample_mask(view: &DrawView<'_>) -> Option<Verdict> {
    let coverage = view.coverage_samples_log2().filter(FieldState::is_set)?;
    let replicated = |name: &&str| match view.register(name).map(|register| view.state(register.addr())) {
        Some(RegisterState::Written(mask)) => mask & 0xFFFF == mask >> 16,
        _ => true,
    };
    if let Some(name) = ["PA_SC_AA_MASK_X0Y0_X1Y0", "PA_SC_AA_MASK_X0Y1_X1Y1"].into_iter().find(|name| !replicated(name)) {
        return Some(
            Verdict::new(format!("{name} holds different masks for neighbouring pixels"))
                .register_of(view, name)
                .help("write mask | mask << 16 into both registers"),
        );
    }
    // With inner coverage, the register is one step above the samples of the draw (PAL 04/2025): one sample is not MSAA.
    if coverage.value() <= u32::from(reads_inner_coverage(view)) {
        return None;
    }
    let samples = 1u32.wrapping_shl(coverage.value());
    if let Some(enable) = view.field("PA_SC_MODE_CNTL_0", "MSAA_ENABLE").filter(|enable| !enable.is_set()) {
        let text = format!("MSAA_ENABLE is 0, and PA_SC_AA_CONFIG has {samples} samples");
        return Some(Verdict::new(text).at(&enable).because(&coverage).help_set(&enable, 1, ""));
    }
    let anchors = view.field("DB_EQAA", "MAX_ANCHOR_SAMPLES").filter(|anchors| anchors.origin.is_some());
    if let Some((anchors, depth)) = anchors.zip(view.z_samples_log2().filter(|_| view.has_depth_image()))
        && anchors.value() < depth.value()
    {
        let text = format!("MAX_ANCHOR_SAMPLES is {} (log2), and the depth target has {} samples", anchors.value(), 1u32 << depth.value());
        let verdict = Verdict::new(text).at(&anchors).because(&depth).help_set(&anchors, depth.value().max(coverage.value()), "");
        // RADV and PAL never write a smaller number. No source states its effect.
        return Some(if view.gfx().major() >= 11 { verdict } else { verdict.severity(Severity::Info) });
    }
    let mask = view.field("DB_EQAA", "MASK_EXPORT_NUM_SAMPLES").filter(|mask| mask.origin.is_some() && mask.value() > coverage.value())?;
    let text = format!("MASK_EXPORT_NUM_SAMPLES is {} (log2), and PA_SC_AA_CONFIG has {samples} samples", mask.value());
    Some(Verdict::new(text).at(&mask).because(&coverage).help_set(&mask, coverage.value(), ""))
}

pub(super) const SHADER_INPUTS: Rule = Rule::new(
    "STA-22",
    Severity::Error,
    ChipScope::All,
    "pixel shader inputs that hang",
    "SPI_PS_INPUT_ENA needs at least one barycentric bit (0x7f) or LINE_STIPPLE_TEX_ENA, or the pixel shader hangs. It must be a part of \
     SPI_PS_INPUT_ADDR, and POS_W_FLOAT needs a perspective barycentric. LINE_STIPPLE_TEX_ENA alone is the cheapest up to GFX11.5; on GFX12 with it only \
     one shader engine gets primitives, which has severity info.",
    "Mesa 25.0.7 radv_shader.c, si_state_shaders.cpp; Mesa 2026 (spi_ps_input, LINE_STIPPLE_TEX)",
    Judge::Draw(shader_inputs),
)
.on_pixels();

fn shader_inputs(view: &DrawView<'_>) -> Option<Verdict> {
    let ena = view.register("SPI_PS_INPUT_ENA")?;
    let (RegisterState::Written(enabled), Some(address)) = (view.state(ena.addr()), view.register("SPI_PS_INPUT_ADDR").and_then(|r| view.value(r.addr())))
    else {
        return None;
    };
    let program = view.register("SPI_SHADER_PGM_LO_PS").and_then(|r| view.value(r.addr()))?;
    let position = enabled >> 11 & 1 == 1 && enabled & 0xF == 0;
    let (barycentric, stipple) = (enabled & 0x7F != 0, enabled >> 7 & 1 == 1);
    let stray = enabled & !address & 0xFFFF;
    const CENTER: &str = "PERSP_CENTER_ENA";
    // The mistake or, on GFX12, the cost in time.
    let (text, field, severity): (Cow<'static, str>, &str, Severity) = if !barycentric && !stipple {
        ("neither a barycentric input nor LINE_STIPPLE_TEX is enabled: the pixel shader hangs".into(), CENTER, Severity::Error)
    } else if stray != 0 {
        let lowest = ena.fields().iter().find(|field| stray & field.mask() != 0).map_or(CENTER, |field| field.name);
        let inputs = if stray.is_power_of_two() { "input" } else { "inputs" };
        let are = if stray.is_power_of_two() { "is" } else { "are" };
        (format!("{inputs} 0x{stray:x} {are} enabled that SPI_PS_INPUT_ADDR does not have").into(), lowest, Severity::Error)
    } else if position {
        ("POS_W_FLOAT is enabled without a perspective barycentric".into(), "POS_W_FLOAT_ENA", Severity::Error)
    } else if view.gfx().major() >= 12 && !barycentric {
        ("LINE_STIPPLE_TEX without a barycentric input: only one shader engine accepts primitives".into(), CENTER, Severity::Info)
    } else {
        return None;
    };
    let help = match stray {
        0 => "enable PERSP_CENTER_ENA in both",
        _ if !barycentric && !stipple => "enable PERSP_CENTER_ENA in both",
        _ => "set the same bits in SPI_PS_INPUT_ADDR, or clear them in SPI_PS_INPUT_ENA",
    };
    let field = view.field("SPI_PS_INPUT_ENA", field)?;
    (program != 0)
        .then(|| Verdict::new(format!("SPI_PS_INPUT_ENA is 0x{enabled:x}, SPI_PS_INPUT_ADDR 0x{address:x}: {text}")).severity(severity).at(&field).help(help))
}
