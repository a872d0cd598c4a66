//! Sizes and units of shader resources, and their encoding in resource fields.
//!
//! Sources: LLVM 19.1.7 (tests/golden/rsrc.tsv and occupancy.tsv in the repository), Mesa 25.0.7 ACO and RADV, AMD ISA manuals. The values for GFX12 are those
//! of GFX11, unverified.

use crate::chip::{Chip, Gfx};
use crate::draw::desc::program::{Program, Stage};
use crate::isa::WaveSize;

/// LDS of a CU, which is also the maximum for a workgroup.
pub(crate) const LDS_BYTES: u32 = 64 * 1024;

/// Scratch of a wave: 13 bits of 1 KiB on GFX9 to GFX10.3; later generations have a little more.
pub(crate) const SCRATCH_BYTES: u32 = 8191 * 1024;

/// Number of SGPRs that a program can name, without VCC.
pub(crate) const fn sgprs(gfx: Gfx) -> u32 {
    if gfx.major() == 9 { 102 } else { 106 }
}

/// RSRC1.VGPRS: blocks of 4 (wave64) or 8 (wave32), minus 1.
pub(crate) fn vgprs_field(wave: WaveSize, vgprs: u32) -> u32 {
    vgprs.max(1).div_ceil(256 / wave.lanes()) - 1
}

/// RSRC1.SGPRS: blocks of 8 with the reserved ones, minus 1, on GFX9. Later generations always allocate 128 and have 0 here.
pub(crate) fn sgprs_field(gfx: Gfx, program: &Program) -> u32 {
    if gfx.major() == 9 { (program.sgprs + program.reserved_sgprs).max(1).div_ceil(8) - 1 } else { 0 }
}

/// LDS_SIZE: blocks of 512 bytes.
pub(crate) fn lds_field(bytes: u32) -> u32 {
    bytes.div_ceil(512)
}

/// Returns the bytes of a block of EXTRA_LDS_SIZE, a field of the pixel stage: 512 up to GFX10.3, 1024 from GFX11 on.
pub(crate) const fn extra_lds_block(gfx: Gfx) -> u32 {
    if gfx.major() >= 11 { 1024 } else { 512 }
}

/// EXTRA_LDS_SIZE.
pub(crate) fn extra_lds_field(gfx: Gfx, bytes: u32) -> u32 {
    bytes.div_ceil(extra_lds_block(gfx))
}

/// WAVESIZE of TMPRING_SIZE: units of 1 KiB up to GFX10.3, of 256 bytes from GFX11 on (Mesa 25.0.7 ac_get_scratch_tmpring_size).
pub(crate) fn scratch_field(gfx: Gfx, bytes: u32) -> u32 {
    bytes.div_ceil(if gfx.major() >= 11 { 256 } else { 1024 })
}

/// INST_PREF_SIZE (GFX11 and later): units of 128 bytes, 6 bits, on GFX12 8 (radeonsi of Mesa, si_get_shader_prefetch_size; recordings have it in all stages).
pub(crate) fn prefetch_field(gfx: Gfx, bytes: u32) -> u32 {
    bytes.div_ceil(PREFETCH_UNIT).min(if gfx.major() >= 12 { 255 } else { 63 })
}

/// Bytes per unit of INST_PREF_SIZE.
pub(crate) const PREFETCH_UNIT: u32 = 128;

/// The rule of INST_PREF_SIZE.
pub(crate) const PREFETCH: &str = "code fetched ahead, in units of 128 bytes";

/// Returns the rule of a wave limit.
pub(crate) fn wave_limit_rule(gfx: Gfx, waves: Option<u32>) -> &'static str {
    match waves {
        None => "no limit: drivers write the largest",
        Some(_) if gfx.major() >= 12 => "wave limit asked for, in waves",
        Some(_) => "wave limit asked for, in steps of 16",
    }
}

/// WAVE_LIMIT of graphics stages: steps of 16 waves up to GFX11.5, waves on GFX12 (Mesa 25.0.7); the largest number for no limit, as in drivers.
pub(crate) fn wave_limit_field(gfx: Gfx, waves: Option<u32>) -> u32 {
    let (step, largest) = if gfx.major() >= 12 { (1, 0x3FF) } else { (16, 63) };
    waves.map_or(largest, |waves| waves.div_ceil(step).clamp(1, largest))
}

/// Returns the largest limit that a stage can have, in waves per shader engine. WAVES_PER_SH of compute counts waves in 10 bits.
pub(crate) fn max_wave_limit(gfx: Gfx, stage: Stage) -> u32 {
    if stage == Stage::Compute || gfx.major() >= 12 { 0x3FF } else { 63 * 16 }
}

/// Returns the number of SIMDs of a CU.
pub(crate) const fn simds(gfx: Gfx) -> u32 {
    if gfx.major() == 9 { 4 } else { 2 }
}

/// Returns the maximum number of waves per SIMD.
pub(crate) const fn wave_slots(gfx: Gfx) -> u32 {
    match gfx.version() {
        (9, _) => 10,
        (10, 1) => 20,
        _ => 16,
    }
}

/// Returns the number of VGPRs of a SIMD for waves of this size, and the allocation granularity.
pub(crate) fn vgpr_file(chip: Chip, wave: WaveSize) -> (u32, u32) {
    let gfx = chip.gfx();
    let (vgprs, granule) = match gfx.version() {
        (9, _) => (256, 4),
        (10, 1) => (512, 4),
        // Navi31, Navi32, gfx1151 and GFX12 have 1.5 times as many (Mesa 2026 ac_gpu_info.c ac_fill_compiler_info; LLVM agrees for gfx1100).
        _ if has_large_file(chip) => (768, 12),
        _ => (512, 8),
    };
    let narrow = 64 / wave.lanes();
    (vgprs * narrow, granule * narrow)
}

fn has_large_file(chip: Chip) -> bool {
    matches!(chip.info().name, "navi31" | "navi32" | "gfx1151") || chip.gfx().major() == 12
}

/// Returns the allocation granularity of LDS in bytes.
pub(crate) const fn lds_granule(gfx: Gfx) -> u32 {
    match gfx.version() {
        (9, _) | (10, 1) => 512,
        _ => 1024,
    }
}
