//! What a stream writes once, before its first draw: registers that no draw of this crate changes.
//!
//! Values: Mesa 25.0.7 radv_cmd_buffer.c / ac_cmdbuf.c and the captures, where no other source is named. GFX12 has no CLEAR_STATE, so what CLEAR_STATE
//! would set elsewhere is written there; values that no source gives for GFX12 are those of GFX11 and unverified.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::image::{Image, Word};

/// Generations, a bit each: GFX9, 10.1, 10.3, 11, 11.5, 12.
type Set = u8;
const GFX9: Set = 0b00_0001;
const GFX10: Set = 0b00_0110;
const GFX10_1: Set = 0b00_0010;
const GFX11: Set = 0b01_1000;
const GFX12: Set = 0b10_0000;
const GFX10_UP: Set = 0b11_1110;
const GFX10_3_UP: Set = 0b11_1100;
const GFX11_UP: Set = 0b11_1000;
const ALL: Set = 0b11_1111;

/// A register by name, the generations that write it, its value, why. An array's elements have their own names.
type Entry = (&'static str, Set, u32, &'static str);

const ONE: u32 = 0x3F80_0000;
const UNUSED: &str = "a feature that no draw here uses";
const INDICES: &str = "the whole range of vertex indices";
const CLEARED: &str = "GFX12 has no CLEAR_STATE: what it sets elsewhere";
const GROUPING: &str = "wave launch grouping, as RADV has it";

/// All entries.
#[rustfmt::skip] // a table
static ENTRIES: &[Entry] = &[
    // Command stream and vertex fetch.
    ("VGT_MULTI_PRIM_IB_RESET_INDX", ALL, u32::MAX, "the index that restarts a strip"),
    ("VGT_MULTI_PRIM_IB_RESET_EN", GFX9, 0, "strips restart only where a draw asks"),
    ("GE_MULTI_PRIM_IB_RESET_EN", GFX10, 0, "strips restart only where a draw asks"),
    ("GE_MULTI_PRIM_IB_RESET_EN", GFX11_UP, 4, "strips never restart in draws without an index buffer (DISABLE_FOR_AUTO_INDEX)"),
    ("VGT_MIN_VTX_INDX", GFX9, 0, INDICES),
    ("VGT_MAX_VTX_INDX", GFX9, u32::MAX, INDICES),
    ("VGT_INDX_OFFSET", GFX9, 0, INDICES),
    ("GE_MIN_VTX_INDX", GFX10_UP, 0, INDICES),
    ("GE_MAX_VTX_INDX", GFX10_UP, u32::MAX, INDICES),
    ("GE_INDX_OFFSET", GFX10_UP, 0, INDICES),
    ("VGT_INSTANCE_STEP_RATE_0", GFX9, 1, "one step an instance"),
    ("VGT_INSTANCE_BASE_ID", ALL, 0, "instances count from 0"),
    ("VGT_REUSE_OFF", 0b00_0100, 0, "vertices are reused"),
    ("GE_STEREO_CNTL", GFX10_UP, 0, UNUSED),
    ("GE_USER_VGPR_EN", GFX10_UP, 0, UNUSED),
    ("VGT_TESS_DISTRIBUTION", GFX9 | GFX10, 0xD818_1E0C, "tessellation work in patches of 12, 30 and 24; used only with tessellation"),
    ("VGT_TESS_DISTRIBUTION", GFX11_UP, 0xD880_8080, "tessellation work in patches of 128; used only with tessellation"),
    ("VGT_HOS_MAX_TESS_LEVEL", ALL, 0x4280_0000, "64.0; used only with tessellation"),
    ("PA_SC_NGG_MODE_CNTL", GFX10, 512, "bound against a deadlock (MAX_DEALLOCS_IN_WAVE)"),
    ("PA_SC_NGG_MODE_CNTL", GFX11, 16, "bound against a deadlock (MAX_DEALLOCS_IN_WAVE)"),
    ("PA_SC_NGG_MODE_CNTL", GFX12, 64, "bound against a deadlock (MAX_DEALLOCS_IN_WAVE)"),
    ("PA_CL_NGG_CNTL", GFX10_1, 0, "no vertex reuse in NGG"),
    ("PA_CL_NGG_CNTL", GFX10_3_UP, 0x78, "vertices are reused 30 deep (VERTEX_REUSE_DEPTH)"),
    // Setup and clipping.
    ("PA_CL_VTE_CNTL", ALL, 0x43F, "positions come with w, viewport scale and offset apply"),
    ("PA_SU_VTX_CNTL", ALL, 0x2D, "pixel centres at one half, round to even, 1/256 pixel"),
    ("PA_SU_POINT_SIZE", ALL, 0x0008_0008, "points of one pixel unless the shader says otherwise"),
    ("PA_SU_POINT_MINMAX", ALL, 0xFFFF_0000, "points of any size"),
    ("PA_SU_PRIM_FILTER_CNTL", ALL, 0xC000_0000, "right and bottom edges are exclusive"),
    ("PA_SU_LINE_STIPPLE_SCALE", ALL, ONE, "no stipple"),
    ("PA_SU_LINE_STIPPLE_VALUE", ALL, 0, "no stipple"),
    ("PA_SC_LINE_STIPPLE_STATE", ALL, 0, "no stipple"),
    ("PA_CL_NANINF_CNTL", GFX12, 0, CLEARED),
    ("PA_SU_OVER_RASTERIZATION_CNTL", GFX12, 0, CLEARED),
    ("PA_SU_HARDWARE_SCREEN_OFFSET", GFX12, 0, CLEARED),
    // Scissors that no draw uses: the largest target.
    ("PA_SC_SCREEN_SCISSOR_TL", ALL, 0, "targets may be 16384 pixels wide and high"),
    ("PA_SC_SCREEN_SCISSOR_BR", ALL, 0x4000_4000, "targets may be 16384 pixels wide and high"),
    ("PA_SC_WINDOW_OFFSET", GFX12, 0, CLEARED),
    ("PA_SC_WINDOW_SCISSOR_TL", 0b01_1111, 0x8000_0000, "viewport scissors do the work"),
    ("PA_SC_WINDOW_SCISSOR_TL", GFX12, 0, "viewport scissors do the work"),
    ("PA_SC_WINDOW_SCISSOR_BR", ALL, 0x4000_4000, "viewport scissors do the work"),
    ("PA_SC_GENERIC_SCISSOR_TL", 0b01_1111, 0x8000_0000, "viewport scissors do the work"),
    ("PA_SC_GENERIC_SCISSOR_TL", GFX12, 0, "viewport scissors do the work"),
    ("PA_SC_GENERIC_SCISSOR_BR", ALL, 0x4000_4000, "viewport scissors do the work"),
    ("PA_SC_CLIPRECT_RULE", ALL, 0xFFFF, "clip rectangles leave everything"),
    ("PA_SC_EDGERULE", GFX12, 0xAA99_AAAA, CLEARED),
    // Shader input and output.
    ("SPI_INTERP_CONTROL_0", ALL, 0x86B, "flat attributes work; point sprites get (s, t, 0, 1)"),
    ("SPI_SHADER_REQ_CTRL_PS", GFX10_UP, 7, GROUPING),
    ("SPI_SHADER_REQ_CTRL_VS", GFX10, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_PS_0", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_PS_1", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_PS_2", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_PS_3", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_VS_0", GFX10, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_VS_1", GFX10, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_VS_2", GFX10, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_VS_3", GFX10, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_ESGS_0", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_ESGS_1", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_ESGS_2", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_ESGS_3", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_LSHS_0", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_LSHS_1", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_LSHS_2", GFX10_UP, 0, GROUPING),
    ("SPI_SHADER_USER_ACCUM_LSHS_3", GFX10_UP, 0, GROUPING),
    ("SX_PS_DOWNCONVERT_CONTROL", GFX10_3_UP, 0xFF, "RB+ down-conversion is set per target"),
    // Depth and colour blocks.
    ("DB_RENDER_OVERRIDE", ALL, 0, "nothing is forced"),
    ("DB_RESERVED_REG_2", GFX10, 0x1000_0000, "resource level 1 (a field of Mesa's name)"),
    ("DB_VRS_OVERRIDE_CNTL", 0b00_0100, 0, "shading rates come from the draw"),
    ("PA_SC_VRS_OVERRIDE_CNTL", GFX11_UP, 0, "shading rates come from the draw"),
    ("PA_SC_VRS_RATE_SIZE_XY", GFX11_UP, 0, "no rate image"),
];

/// The registers of the preamble, as an image with reasons.
pub(crate) fn image(chip: Chip) -> Image {
    let gfx = chip.gfx();
    let mut image = Image::default();
    for (name, _, value, why) in ENTRIES.iter().filter(|e| e.1 & gfx.bit() != 0) {
        image.add(Word::whole(gfx, name, *value, *why));
    }
    image.add(dfsm_off(gfx));
    image.add(small_primitives(chip));
    image
}

/// DB_DFSM_CONTROL: off. Its reset default would force DFSM and the drain of POPS on (PAL gfx9_plus_merged_default.h).
fn dfsm_off(gfx: Gfx) -> Option<Word> {
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => {
            type R = r::DbDfsmControl;
            Some(Word::new::<R>(gfx)?.set(R::PUNCHOUT_MODE, r::DbDfsmControlPunchoutMode::FORCE_OFF as u32, "DFSM is off; the reset default forces it on"))
        },
        Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// PA_SU_SMALL_PRIM_FILTER_CNTL: on. radeonsi switches it off with MSAA on chips with the erratum, RADV does not; so does this crate, which has no draw
/// that moves sample positions.
fn small_primitives(chip: Chip) -> Option<Word> {
    let why = match chip.has(Erratum::SmallPrimFilterSampleLocations) {
        true => "small primitives are filtered; the erratum of this chip concerns sample positions that move",
        false => "small primitives are filtered",
    };
    Word::whole(chip.gfx(), "PA_SU_SMALL_PRIM_FILTER_CNTL", 1, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regs;

    #[test]
    fn every_entry_is_a_register_of_each_generation_it_names_and_sets_no_unnamed_bit() {
        let generations: alloc::collections::BTreeSet<Gfx> = Chip::all().map(Chip::gfx).collect();
        for (name, set, value, _) in ENTRIES {
            for gfx in generations.iter().filter(|g| set & g.bit() != 0) {
                let register = regs::find(*gfx, name).unwrap_or_else(|| panic!("{gfx} has no {name}"));
                assert_eq!(value & !register.info().known_bits(), 0, "{gfx} {name}");
            }
        }
    }

    #[test]
    fn no_register_is_listed_twice_for_a_generation() {
        for (i, (name, set, ..)) in ENTRIES.iter().enumerate() {
            assert!(!ENTRIES[..i].iter().any(|(other, theirs, ..)| other == name && theirs & set != 0), "{name}");
        }
    }
}
