//! Late allocation: vertex waves that start before there is room for what they export, and the CUs that must then be kept for pixel waves.
//!
//! Formula: Mesa 25.0.7 ac_compute_late_alloc; the captures agree for all four boards.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::{Board, Program, VertexPath};

/// How many vertex waves may be late, and the CUs of an array that vertex work may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LateAlloc {
    pub waves: u32,
    pub cu_mask: u32,
    pub rule: &'static str,
}

impl LateAlloc {
    /// Returns the CUs on which waves may start: those given that late allocation leaves, or those given where it would leave none of the first 16 (CU_EN = 0
    /// hangs).
    pub fn start_mask(&self, given: Option<u32>) -> u32 {
        let Some(given) = given else { return self.cu_mask };
        let both = given & self.cu_mask;
        if both & ALL == 0 { given } else { both }
    }

    const fn none(rule: &'static str) -> Self {
        Self { waves: 0, cu_mask: ALL, rule }
    }

    /// Late waves are safe because a CU is kept free of vertex waves.
    const fn keeps_cus_free(&self) -> bool {
        self.waves != 0 && self.cu_mask != ALL
    }

    /// Vertex waves may start on every CU of an array that pixel waves have, so that no CU is kept free for pixel waves.
    fn only_for_vertices(&self, pixels: u32, given: Option<u32>, board: Option<Board>) -> bool {
        let there = board.map_or(u32::MAX, |board| u32::MAX >> (32 - board.cus_per_array.clamp(1, 32)));
        let vertices = self.start_mask(given) & ALL | given.unwrap_or(u32::MAX) & !ALL;
        pixels & there & !vertices == 0
    }
}

/// All 16 CUs that the mask names.
const ALL: u32 = 0xFFFF;

/// Late waves of vertex work.
pub(crate) fn late(inputs: &DrawInputs<'_>) -> LateAlloc {
    let ngg = inputs.path == VertexPath::Ngg;
    let program = if ngg { &inputs.desc.vertex.program } else { vs_program(inputs) };
    let late = late_alloc(inputs.chip, inputs.board, ngg, inputs.desc.vertex.culling, program.scratch_bytes != 0);
    let (pixels, _) = pixel_start_cus(inputs);
    if late.keeps_cus_free() && late.only_for_vertices(pixels, program.cu_mask, inputs.board) {
        return LateAlloc::none("pixel waves may start only on CUs that late vertex waves could fill: no late allocation");
    }
    late
}

fn late_alloc(chip: Chip, board: Option<Board>, ngg: bool, culling: bool, scratch: bool) -> LateAlloc {
    let gfx = chip.gfx();
    let Some(board) = board else { return LateAlloc::none("the number of CUs is not known: no late allocation, which is always safe") };
    let cus = board.cus_per_array;
    if cus <= 2 {
        return LateAlloc::none("2 CUs per array or fewer: masking one would hang");
    }
    if scratch {
        return LateAlloc::none("the program uses scratch: late waves could wait for pixel waves that wait for scratch");
    }
    if ngg && chip.has(Erratum::LateAllocationNgg) {
        return LateAlloc::none("Navi14 hangs with late allocation and NGG");
    }
    let most = if ngg { 127 } else { 63 };
    match gfx.version() {
        (9, _) if cus <= 4 => LateAlloc { waves: 2, cu_mask: ALL, rule: "few CUs: 2 late waves need no masked CU" },
        (9, _) => {
            LateAlloc { waves: ((cus - 2) * 4).min(most), cu_mask: 0xFFFE, rule: "one late wave per SIMD on all CUs of the array but two; CU 0 is kept free" }
        }
        (10, 1) => {
            let waves = if culling { cus * 10 } else { cus * 4 }.min(if ngg { 64 } else { most });
            LateAlloc {
                waves,
                cu_mask: 0xFFF3,
                rule: "GFX10.1: a number of late waves for each CU, with NGG 64 at most; CUs 2 and 3 are kept free, else a deadlock",
            }
        }
        _ => {
            let waves = if culling {
                cus * 10
            } else if gfx.major() >= 11 {
                63
            } else {
                cus * 4
            };
            LateAlloc {
                waves: waves.min(most),
                cu_mask: 0xFFFD,
                rule: "late waves by the number of CUs (63 on GFX11 without culling); CU 1 is kept free, else a deadlock",
            }
        }
    }
}

/// Parameter cache lines that may be promised beyond what there is: none without late waves; more with culling and many parameters
/// (Mesa 25.0.7 radv_emit_hw_ngg, radeonsi gfx10_shader_ngg).
pub(crate) fn oversubscribed_lines(pc_lines: u32, late: LateAlloc, culling: bool, parameters: u32) -> u32 {
    let factor = match (culling, parameters) {
        (false, _) => 1,
        (true, 0..=2) => 2,
        (true, 3..=4) => 3,
        (true, _) => 4,
    };
    if late.waves == 0 { 0 } else { pc_lines / 4 * factor }
}

/// CUs of an array that pixel work may use: GFX10.3 and GFX11 keep to what every array has, since waves are handed out evenly
/// (Mesa 25.0.7 gfx103_get_cu_mask_ps).
pub(crate) fn pixel_cus(gfx: Gfx, board: Option<Board>) -> (u32, &'static str) {
    match board {
        Some(board) if matches!(gfx.version(), (10, 3) | (11, _)) => {
            (u32::MAX.checked_shr(32 - board.cus_per_array.clamp(1, 32)).unwrap_or(u32::MAX), "the CUs that every array has: waves are handed out evenly")
        }
        _ => (u32::MAX, "all CUs"),
    }
}

/// Returns the program that runs there.
pub(crate) fn vs_program<'a>(inputs: &DrawInputs<'a>) -> &'a Program {
    inputs.desc.geometry.as_ref().map_or(&inputs.desc.vertex.program, |shader| &shader.copy_program)
}

/// Returns the CUs that pixel waves may use, and why.
pub(crate) fn pixel_start_cus(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let (all, rule) = pixel_cus(inputs.gfx, inputs.board);
    match inputs.program.cu_mask {
        // A rule that would leave none of the first 16 gives way: CU_EN = 0 hangs.
        Some(mask) if mask & all & 0xFFFF == 0 => (mask, "CUs asked for; the generation's rule would leave none"),
        Some(mask) => (mask & all, "CUs asked for, of those that the generation's rule allows"),
        None => (all, rule),
    }
}
