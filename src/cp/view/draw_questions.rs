//! Questions that rules ask about a draw.
//!
//! Each question reads one field of one register, at its position on this generation. None means that the generation has no such field or that its value is
//! unknown.

use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::{DrawView, FieldState};

impl DrawView<'_> {
    /// Returns whether the draw runs with primitive-ordered pixel shading.
    pub fn pops_enabled(&self) -> bool {
        self.pops().is_some_and(|bit| bit.is_set())
    }

    /// Returns the bit that enables POPS.
    pub fn pops(&self) -> Option<FieldState> {
        self.field("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER")
    }

    /// Returns whether there may be pixel waves because no field discards all primitives before rasterization (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL).
    pub(in crate::cp) fn may_have_pixels(&self) -> bool {
        self.field("PA_CL_CLIP_CNTL", "DX_RASTERIZATION_KILL").is_none_or(|kill| !kill.is_set())
    }

    /// Returns whether the draw or dispatch may launch what is needed for the harm that a rule is about.
    pub(in crate::cp) fn may_launch(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            Needs::Work => !self.launches_nothing(),
            Needs::Pixels => self.may_have_pixels() && !self.launches_nothing(),
        }
    }

    /// Returns the log2 of the samples in the pixel shader's coverage mask.
    pub fn exposed_samples_log2(&self) -> Option<FieldState> {
        self.field("PA_SC_AA_CONFIG", "MSAA_EXPOSED_SAMPLES")
    }

    /// Returns the log2 of the coverage samples of the rasterizer.
    pub fn coverage_samples_log2(&self) -> Option<FieldState> {
        self.field("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES")
    }

    /// Returns the log2 of the samples that DB_Z_INFO states, with or without a depth or stencil image.
    pub fn z_samples_log2(&self) -> Option<FieldState> {
        self.field("DB_Z_INFO", "NUM_SAMPLES")
    }

    /// Returns whether a depth or stencil image is bound.
    pub fn has_depth_image(&self) -> bool {
        let valid = |register| self.field(register, "FORMAT").is_some_and(|format| format.is_set());
        valid("DB_Z_INFO") || valid("DB_STENCIL_INFO")
    }

    /// Returns the drain state, on generations that can drain pixel shaders before overlapping ones start.
    pub fn drain(&self) -> Option<DrainState> {
        let written = self.field("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP");
        let reset = || {
            let register = self.register("DB_DFSM_CONTROL")?;
            let RegisterState::Reset(word) = self.state(register.addr()) else { return None };
            Some(DrainState { on: register.info().field("POPS_DRAIN_PS_ON_OVERLAP")?.get(word) != 0, state: None })
        };
        written.map_or_else(reset, |state| Some(DrainState { on: state.is_set(), state: Some(state) }))
    }

    /// Returns whether blending is on for some colour target that may be written.
    pub fn blends(&self) -> bool {
        let (Some(blend), Some(mask)) = (self.register("CB_BLEND0_CONTROL"), self.register("CB_TARGET_MASK")) else { return false };
        let (Some(enable), mask) = (blend.info().field("ENABLE"), self.value(mask.addr()).unwrap_or(u32::MAX)) else { return false };
        (0..blend.info().count).any(|target| {
            let control = self.value(blend.addr() + target * blend.info().stride).unwrap_or(0);
            enable.get(control) == 1 && mask >> (4 * target) & 0xF != 0
        })
    }
}

/// The drain state: whether overlapped pixel shaders finish before the overlapping ones start.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, DrainState, DrawView, Observer}, packet::Queue};
/// /// Whether the draws drain, and whether a packet said so.
/// struct Drains(Vec<(bool, bool)>);
/// impl Observer for Drains {
///     fn draw(&mut self, view: &DrawView<'_>) {
///         let drain: DrainState = view.drain().expect("GFX10.3 has the field");
///         self.0.push((drain.on, drain.state.is_some()));
///     }
/// }
/// # #[cfg(feature = "gfx103")] {
/// // A draw, SET_CONTEXT_REG of DB_DFSM_CONTROL, and another draw.
/// let stream = [0xC001_2D00, 3, 2, 0xC001_6900, 0xE, 2, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi21);
/// cp.submit(Queue::Graphics, "draws", &stream);
/// let mut drains = Drains(Vec::new());
/// cp.run(&mut drains);
/// assert_eq!(drains.0, [(true, false), (false, true)]); // the reset value drains
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DrainState {
    /// Whether they do.
    pub on: bool,
    /// The field that decides it; None if the register still holds its reset value.
    pub state: Option<FieldState>,
}

/// What a draw or dispatch must launch for the harm that a rule is about.
///
/// ```
/// use pm4::cp::rules::{Needs, find};
/// // Without a compute unit no wave can start; a dispatch of no workgroups starts none.
/// assert_eq!(find("STA-46").unwrap().needs, Needs::Work);
/// // An empty index buffer hangs GFX10.1, whatever the draw does with it.
/// assert_eq!(find("STA-03").unwrap().needs, Needs::Nothing);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// Nothing: the packet itself does the harm, or the source says no more.
    #[default]
    Nothing,
    /// Waves or primitives: a draw of 0 vertices, indices or instances has none, nor has a dispatch of 0 workgroups.
    Work,
    /// Pixels: a draw that discards all primitives before rasterization (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) has none.
    Pixels,
}
