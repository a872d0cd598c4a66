//! Colour targets: export formats, masks, blending.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::exports::exported;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::regs::layout::SpiShaderExFormat;
use alloc::format;
use alloc::string::String;

/// Returns whether the shader needs a null export: no target is written, but the shader must export.
/// Mesa 25.0.7 radv_pipeline_graphics.c: on GFX9, with discard and for POPS; POPS article, section Draw state: export space.
fn null_export(inputs: &DrawInputs<'_>) -> bool {
    let Some(shader) = inputs.shader() else { return false };
    let wanted = inputs.gfx.major() == 9 || shader.can_discard || inputs.pops || shader.exports.is_some_and(|own| own.null);
    wanted && !inputs.exports_anything() && !inputs.desc.expert.no_null_export
}

/// SPI_SHADER_COL_FORMAT, compacted: exported targets without gaps.
fn spi_shader_col_format<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderColFormat;
        let fields = [
            R::COL0_EXPORT_FORMAT, R::COL1_EXPORT_FORMAT, R::COL2_EXPORT_FORMAT, R::COL3_EXPORT_FORMAT,
            R::COL4_EXPORT_FORMAT, R::COL5_EXPORT_FORMAT, R::COL6_EXPORT_FORMAT, R::COL7_EXPORT_FORMAT,
        ];
        let mut word = Word::new(On::<R, { r::GFX }>::SLOT);
        if null_export(inputs) {
            let rule = match inputs.pops {
                true => "the ordered section needs export space although the shader writes nothing: one null channel (POPS article, Draw state)",
                false => "the shader writes nothing, but must export to end: one null channel",
            };
            return Some(word.set(fields[0], SpiShaderExFormat::SPI_SHADER_32_R, rule));
        }
        let exported = inputs.exports.into_iter().enumerate().filter(|(_, export)| *export != SpiShaderExFormat::SPI_SHADER_ZERO);
        let mut any = false;
        for (field, (target, export)) in fields.into_iter().zip(exported) {
            let of_target = if target == 1 && inputs.desc.dual_source() { 0 } else { target };
            let format = || inputs.desc.color.get(of_target).map(|color| color.format);
            let rule = || match (inputs.desc.stated_exports(), format()) {
                (Some(_), _) => format!("the shader states it for colour target {target}"),
                (None, Some(format)) if !inputs.desc.exports_coverage_alone() || target != 0 => format!("colour target {target} is {format}"),
                (None, _) => String::from("alpha becomes coverage, although no colour is written"),
            };
            word = word.set(field, export, rule);
            any = true;
        }
        Some(if any { word } else { word.set(fields[0], SpiShaderExFormat::SPI_SHADER_ZERO, "no colour is exported") })
    })
}

/// CB_SHADER_MASK: the channels that exports carry. A null export carries no channel that is read.
fn cb_shader_mask<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        type R = r::CbShaderMask;
        let fields = [
            R::OUTPUT0_ENABLE, R::OUTPUT1_ENABLE, R::OUTPUT2_ENABLE, R::OUTPUT3_ENABLE,
            R::OUTPUT4_ENABLE, R::OUTPUT5_ENABLE, R::OUTPUT6_ENABLE, R::OUTPUT7_ENABLE,
        ];
        let mut word = Word::new(On::<R, { r::GFX }>::SLOT);
        for (target, (field, export)) in fields.into_iter().zip(inputs.exports).enumerate() {
            let channels = exported(export);
            if channels != 0 || target == 0 {
                word = word.set(field, channels, if channels == 0 { "no colour reaches the target" } else { "channels of the export format" });
            }
        }
        Some(word)
    })
}

/// CB_TARGET_MASK: the channels that are written to the targets.
fn cb_target_mask<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        type R = r::CbTargetMask;
        let fields = [
            R::TARGET0_ENABLE, R::TARGET1_ENABLE, R::TARGET2_ENABLE, R::TARGET3_ENABLE,
            R::TARGET4_ENABLE, R::TARGET5_ENABLE, R::TARGET6_ENABLE, R::TARGET7_ENABLE,
        ];
        let mut word = Word::new(On::<R, { r::GFX }>::SLOT);
        for (target, field) in inputs.desc.color.iter().filter(|_| inputs.shader().is_some()).zip(fields) {
            word = word.set(field, u32::from(target.write_mask), "write mask of the target");
        }
        Some(word)
    })
}

/// Adds the colour registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_col_format(inputs));
    sheet.add(cb_shader_mask(inputs));
    sheet.add(cb_target_mask(inputs));
}
