//! How many waves a SIMD holds, what limits them, and limits that a driver sets.
//!
//! Formulas: Mesa 25.0.7 aco_live_var_analysis.cpp; tests/golden/occupancy.tsv holds LLVM's answers.

use crate::chip::Chip;
use crate::draw::stage::board::Board;
use crate::draw::stage::resource_units;
use crate::draw::stage::shader_program::{Program, Stage};
use strum::{Display, IntoStaticStr};

/// What keeps more waves from a SIMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum OccupancyLimit {
    /// The SIMD has no more places for waves.
    WaveSlots,
    /// Vector registers.
    Vgprs,
    /// Scalar registers (GFX9).
    Sgprs,
    /// Local data share.
    Lds,
    /// Workgroups that a CU or WGP tracks, or that only fit as a whole.
    Workgroups,
}

/// Waves per SIMD, and why not more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Occupancy {
    /// Waves that a SIMD holds; 0 where the program does not fit at all.
    pub waves_per_simd: u32,
    /// What limits them.
    pub limit: OccupancyLimit,
}

/// Waves that start and end together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Workgroup {
    /// Waves of the group, at least 1.
    pub waves: u32,
    /// Spread over the two CUs of a WGP (GFX10 and later).
    pub wgp: bool,
}

/// Waves per SIMD by registers alone.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Program, WaveSize, register_occupancy};
/// let program = Program { wave: WaveSize::W32, vgprs: 120, ..Program::default() };
/// assert_eq!(register_occupancy(Chip::Navi31, &program).waves_per_simd, 12);
/// ```
pub fn register_occupancy(chip: Chip, program: &Program) -> Occupancy {
    let gfx = chip.gfx();
    let (file, granule) = resource_units::vgpr_file(chip, program.wave);
    let vgprs = program.vgprs.next_multiple_of(granule).max(granule) + program.shared_vgprs / 2;
    let mut found = Occupancy { waves_per_simd: resource_units::wave_slots(gfx), limit: OccupancyLimit::WaveSlots };
    found.take(file / vgprs, OccupancyLimit::Vgprs);
    if gfx.major() == 9 {
        let sgprs = (program.sgprs + program.reserved_sgprs).next_multiple_of(16).max(16);
        // 800 SGPRs per SIMD. LLVM's table allows 9 waves at 80 to 100 SGPRs where this gives 8.
        found.take(800 / sgprs, OccupancyLimit::Sgprs);
    }
    found
}

/// Waves per SIMD for a program whose waves form workgroups.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{OccupancyLimit, Program, Workgroup, occupancy};
/// let program = Program { lds_bytes: 32 * 1024, ..Program::default() };
/// let found = occupancy(Chip::Vega10, &program, Workgroup { waves: 4, wgp: false });
/// assert_eq!((found.waves_per_simd, found.limit), (2, OccupancyLimit::Lds));
/// ```
pub fn occupancy(chip: Chip, program: &Program, group: Workgroup) -> Occupancy {
    let lds = program.lds_bytes.next_multiple_of(resource_units::lds_granule(chip.gfx()));
    by_groups(chip, register_occupancy(chip, program), group, lds)
}

/// Waves per SIMD for a pixel shader with so many inputs: each occupies 48 bytes of LDS per wave.
pub fn pixel_occupancy(chip: Chip, program: &Program, inputs: u32) -> Occupancy {
    let granule = resource_units::lds_granule(chip.gfx());
    let lds = program.lds_bytes.next_multiple_of(granule) + inputs.saturating_mul(48).next_multiple_of(granule);
    // Pixel shaders run in CU mode only.
    by_groups(chip, register_occupancy(chip, program), Workgroup { waves: 1, wgp: false }, lds)
}

fn by_groups(chip: Chip, registers: Occupancy, group: Workgroup, lds: u32) -> Occupancy {
    let wgp = group.wgp && chip.gfx().major() >= 10;
    let cus = if wgp { 2 } else { 1 };
    let (simds, waves) = (resource_units::simds(chip.gfx()) * cus, group.waves.max(1));
    let mut found = registers;
    let mut groups = registers.waves_per_simd * simds / waves;
    if let Some(by_lds) = (resource_units::LDS_BYTES * cus).checked_div(lds).filter(|by_lds| *by_lds < groups) {
        groups = by_lds;
        found.limit = OccupancyLimit::Lds;
    }
    // A CU tracks 16 workgroups of more than one wave, a WGP 32.
    if waves > 1 && groups > 16 * cus {
        groups = 16 * cus;
        found.limit = OccupancyLimit::Workgroups;
    }
    let by_groups = (groups * waves).div_ceil(simds);
    if by_groups < registers.waves_per_simd && found.limit == registers.limit {
        found.limit = OccupancyLimit::Workgroups;
    }
    found.waves_per_simd = by_groups.min(registers.waves_per_simd);
    found
}

impl Occupancy {
    fn take(&mut self, waves: u32, limit: OccupancyLimit) {
        if waves < self.waves_per_simd {
            *self = Self { waves_per_simd: waves, limit };
        }
    }
}

/// The waves of [`Program::wave_limit`] that keep a stage to this many waves per CU (of all that the board has), as PAL counts them: in whole steps of
/// 16 a shader array, at least one (PAL 04/2025). None where the chip has no such limit.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Board, Stage, wave_limit};
/// let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 10 };
/// assert_eq!(wave_limit(Chip::Navi21, Stage::Pixel, board, 8), Some(160));
/// ```
pub fn wave_limit(chip: Chip, stage: Stage, board: Board, waves_per_cu: u32) -> Option<u32> {
    if stage == Stage::Compute {
        // COMPUTE_RESOURCE_LIMITS.WAVES_PER_SH counts waves per shader engine, 10 bits.
        return Some(waves_per_cu.saturating_mul(board.cus_per_array).saturating_mul(board.arrays_per_engine).clamp(1, 0x3FF));
    }
    if chip.gfx().major() == 12 {
        return None;
    }
    let units = (waves_per_cu.saturating_mul(board.cus_per_array) / 16).clamp(1, 63).saturating_mul(board.arrays_per_engine);
    Some(units.min(63) * 16)
}
