//! The inputs from which registers are decided: a draw that the chip supports, and facts derived from the draw.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::effective_draw::{EffectiveDraw, MOST_TARGETS};
use crate::draw::check::front::Front;
use crate::draw::desc::pixel_inputs::ResolvedLoads;
use crate::draw::desc::{Board, Drain, Interpolant, PixelInput, PixelShader, Program, RasterizationOrder, ShadingRate, VertexPath};
use crate::regs::layout::SpiShaderExFormat;

/// A description that the chip supports.
pub(crate) struct DrawInputs<'a> {
    pub desc: &'a EffectiveDraw<'a>,
    pub chip: Chip,
    pub gfx: Gfx,
    /// Whether the shader runs an ordered section.
    pub pops: bool,
    /// log2 of the coverage samples.
    pub coverage_log2: u32,
    /// log2 of the sample mask bits that the shader sees (MSAA_EXPOSED_SAMPLES). Drivers use the coverage samples, and so does this builder.
    pub exposed_log2: u32,
    /// log2 of the depth target's samples.
    pub depth_log2: Option<u32>,
    /// The shading rate after the rules that force 1x1. `rate_rule`: the rule that decided.
    pub rate: ShadingRate,
    pub rate_rule: &'static str,
    /// The hardware stage of vertex work.
    pub path: VertexPath,
    /// The result of the stages before rasterization.
    pub front: Front,
    /// The values that are loaded into the pixel shader's VGPRs.
    pub loads: ResolvedLoads,
    /// The pixel shader's program; without a pixel shader, a small program that never runs.
    pub program: &'a Program,
    /// The enabled units of the board, if known.
    pub board: Option<Board>,
    /// The export format of the pixel shader for each colour target.
    pub exports: [SpiShaderExFormat; MOST_TARGETS],
}

impl<'a> DrawInputs<'a> {
    /// GFX9 to GFX10.3 have DB_DFSM_CONTROL, the collision wave id and POPS_OVERLAP_NUM_SAMPLES.
    pub fn has_dfsm(&self) -> bool {
        self.gfx.major() <= 10
    }

    pub fn shader(&self) -> Option<&PixelShader> {
        self.desc.shader.as_deref()
    }

    /// Returns the pixel shader's interpolants.
    pub fn interpolants(&self) -> &[Interpolant] {
        self.shader().map_or(&[], |shader| &shader.inputs.interpolants)
    }

    /// Returns whether the shader writes a depth, a stencil reference or a sample mask, or sends alpha with them.
    pub fn writes_mrtz(&self) -> bool {
        self.exports_coverage_alpha() || self.shader().is_some_and(|s| s.writes_depth || s.writes_stencil || s.writes_sample_mask)
    }

    /// Returns whether the pixel shader reads the stipple of lines.
    pub fn reads_line_stipple(&self) -> bool {
        self.loads.ena.has(PixelInput::LineStipple)
    }

    /// Returns whether the pixel shader reads which pixels are fully covered.
    pub fn reads_inner_coverage(&self) -> bool {
        self.shader().is_some_and(|shader| shader.reads_inner_coverage)
    }

    /// Returns log2 of the rasterized samples: for inner coverage one step more than the coverage samples (PAL 04/2025).
    pub fn rasterized_log2(&self) -> u32 {
        self.coverage_log2 + u32::from(self.reads_inner_coverage())
    }

    /// Returns COVERAGE_TO_SHADER_SELECT (CovToShaderSel) and the reason.
    pub fn coverage_select(&self) -> (u32, &'static str) {
        if self.reads_inner_coverage() {
            (1, "INPUT_INNER_COVERAGE: pixels that are covered whole (PAL 04/2025)")
        } else {
            (0, "INPUT_COVERAGE: the sample mask")
        }
    }

    /// GFX11 and later take the alpha that becomes coverage from the depth export (captures). So do GFX9 to GFX10.3 where the alpha of target 0 then becomes 1
    /// (Mesa 25.0.7 radv_generate_graphics_state_key).
    pub fn exports_coverage_alpha(&self) -> bool {
        self.desc.alpha_to_coverage && (self.gfx.major() >= 11 || self.desc.alpha_to_one) && self.shader().is_some()
    }

    /// Returns whether the shader exports something other than a null export.
    pub fn exports_anything(&self) -> bool {
        match self.desc.stated_exports() {
            Some(own) => own.exports_anything(),
            None => self.desc.writes_color() || self.writes_mrtz() || self.desc.exports_coverage_alone(),
        }
    }

    /// Returns the drain bit: on if requested, needed, or left on by reset.
    pub fn drain(&self) -> bool {
        match self.desc.drain {
            Drain::On => true,
            Drain::Off => false,
            Drain::Auto => needs_drain(self),
            // Unknown counts as on: the only rule that asks is a workaround that does no harm then.
            Drain::ResetDefault => self.chip.info().dfsm_reset.is_none_or(|reset| reset >> 2 & 1 == 1),
        }
    }

    /// Returns log2 of the samples of coverage or of the depth target, whichever is larger.
    pub fn most_samples_log2(&self) -> u32 {
        self.coverage_log2.max(self.depth_log2.unwrap_or(0))
    }

    /// Returns whether relaxed order is requested on a chip that supports it.
    pub fn out_of_order(&self) -> bool {
        self.desc.order == RasterizationOrder::Relaxed && self.chip.info().out_of_order_rasterization
    }
}

pub(crate) fn missed_overlap(inputs: &DrawInputs<'_>) -> bool {
    inputs.pops && inputs.most_samples_log2() >= 3
}

/// Returns whether the drain bit must be on for this draw.
pub(crate) fn needs_drain(inputs: &DrawInputs<'_>) -> bool {
    inputs.chip.has(Erratum::PopsMissedOverlap) && missed_overlap(inputs)
}
