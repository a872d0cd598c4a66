//! Blending with two sources.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use alloc::format;

/// Returns a field of CB_BLEND0_CONTROL and the name of its value.
fn blend_value(view: &DrawView<'_>, field: &str) -> Option<(FieldState, &'static str)> {
    let state = view.field("CB_BLEND0_CONTROL", field)?;
    Some((state, state.field.name_of(state.value())?))
}

/// Returns the blend factor that reads the second source: MIN and MAX read no factors, and alpha has separate factors only with SEPARATE_ALPHA_BLEND.
fn second_source(view: &DrawView<'_>) -> Option<FieldState> {
    let separate = view.field("CB_BLEND0_CONTROL", "SEPARATE_ALPHA_BLEND").is_some_and(|separate| separate.is_set());
    let color = ("COLOR_COMB_FCN", ["COLOR_SRCBLEND", "COLOR_DESTBLEND"], true);
    let alpha = ("ALPHA_COMB_FCN", ["ALPHA_SRCBLEND", "ALPHA_DESTBLEND"], separate);
    let reads = |function| !blend_value(view, function).is_some_and(|(_, name)| matches!(name, "COMB_MIN_DST_SRC" | "COMB_MAX_DST_SRC"));
    let read = [color, alpha].into_iter().filter(|(function, _, used)| *used && reads(function));
    let mut factors = read.flat_map(|(_, factors, _)| factors).filter_map(|factor| blend_value(view, factor));
    factors.find(|(_, name)| name.contains("SRC1")).map(|(factor, _)| factor)
}

pub(super) const DUAL_SOURCE: Rule = Rule::new(
    "STA-05",
    Severity::Error,
    ChipScope::All,
    "dual-source blending without both exports",
    "Blend factors of the second source read the export MRT1. Unless the shader exports MRT0 and MRT1, the CB must be off, or it may hang. Factors count \
     where blending reads them: those of alpha with SEPARATE_ALPHA_BLEND, and none with the functions MIN and MAX. Draws that rasterize nothing \
     (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) have no pixels, here and in the other rules on pixels.",
    "PAL gfx9GraphicsPipeline.cpp; Mesa 25.0.7 radv_pipeline_graphics.c",
    Judge::Draw(dual_source),
)
.on_pixels();

fn dual_source(view: &DrawView<'_>) -> Option<Verdict> {
    let enable = view.field("CB_BLEND0_CONTROL", "ENABLE").filter(FieldState::is_set)?;
    let second = second_source(view)?;
    let (mask, target) = (view.register("CB_SHADER_MASK")?, view.register("CB_TARGET_MASK")?);
    let exports = view.value(mask.addr())?;
    let mode = view.field("CB_COLOR_CONTROL", "MODE")?;
    let both = exports & 0xF != 0 && exports >> 4 & 0xF != 0;
    (!both && mode.is_set() && view.value(target.addr())? & 0xF != 0).then(|| {
        Verdict::new(format!("{} reads the second colour, but CB_SHADER_MASK is 0x{exports:08x}: the CB may hang", second.field.name))
            .at(&second)
            .because(&enable)
            .help("export MRT0 and MRT1, or set CB_COLOR_CONTROL.MODE to disabled")
    })
}
