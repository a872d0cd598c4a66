//! What a stream writes once, before its first draw: registers that no draw of this crate changes.
//!
//! Values: Mesa 25.0.7 radv_cmd_buffer.c / ac_cmdbuf.c and the captures, where no other source is named. GFX12 has no CLEAR_STATE, so what CLEAR_STATE
//! would set elsewhere is written there; values that no source gives for GFX12 are those of GFX11 and unverified.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::error::DrawError;
use crate::draw::image::{Image, Word};
use crate::draw::stage::Board;

/// Generations, a bit each: GFX9, 10.1, 10.3, 11, 11.5, 12.
type Set = u8;
const GFX9: Set = 0b00_0001;
const GFX10: Set = 0b00_0110;
const GFX10_1: Set = 0b00_0010;
const GFX11: Set = 0b01_1000;
const GFX12: Set = 0b10_0000;
const UNTIL_GFX11: Set = 0b01_1111;
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
    ("VGT_MIN_VTX_INDX", GFX9, 0, INDICES),
    ("VGT_MAX_VTX_INDX", GFX9, u32::MAX, INDICES),
    ("VGT_INDX_OFFSET", GFX9, 0, INDICES),
    ("GE_MIN_VTX_INDX", GFX10_UP, 0, INDICES),
    ("GE_MAX_VTX_INDX", GFX10_UP, u32::MAX, INDICES),
    ("GE_INDX_OFFSET", GFX10_UP, 0, INDICES),
    ("VGT_INSTANCE_STEP_RATE_0", GFX9, 1, "one step an instance"),
    ("VGT_INSTANCE_BASE_ID", ALL, 0, "instances count from 0"),
    ("VGT_ESGS_RING_ITEMSIZE", UNTIL_GFX11, 1, UNUSED),
    ("VGT_VERTEX_REUSE_BLOCK_CNTL", GFX9, 0x1E, "vertices are reused 30 deep, as CLEAR_STATE has it"),
    ("VGT_VERTEX_REUSE_BLOCK_CNTL", GFX10, 0x0E, "vertices are reused 14 deep"),
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
    ("PA_SC_SCREEN_SCISSOR_BR", GFX12, 0x4000_4000, "targets may be 16384 pixels wide and high"),
    ("PA_SC_WINDOW_OFFSET", GFX12, 0, CLEARED),
    ("PA_SC_WINDOW_SCISSOR_TL", GFX12, 0, "viewport scissors do the work"),
    ("PA_SC_WINDOW_SCISSOR_BR", GFX12, 0x4000_4000, "viewport scissors do the work"),
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
    ("SPI_SHADER_PGM_RSRC4_VS", GFX10, 0xFFFF, "vertex work may use all CUs from 16 on"),
    ("SPI_SHADER_PGM_RSRC3_HS", UNTIL_GFX11, 0xFFFF_003F, UNUSED),
    ("SPI_SHADER_PGM_RSRC4_HS", GFX10 | GFX11, 0xFFFF, UNUSED),
    ("SPI_GS_THROTTLE_CNTL1", GFX11, 0x1235_5123, "throttling of geometry waves, as RADV has it"),
    ("SPI_GS_THROTTLE_CNTL2", GFX11, 0x0001_544D, "throttling of geometry waves, as RADV has it"),
    // Caches.
    ("CP_COHER_START_DELAY", GFX9, 0, "delay of cache actions, as RADV has it"),
    ("CP_COHER_START_DELAY", GFX10, 0x20, "delay of cache actions, as RADV has it"),
    ("CB_RMI_GL2_CACHE_CONTROL", GFX10, 0x0055_0055, "cache policies of the colour block, as RADV has them"),
    ("CB_RMI_GL2_CACHE_CONTROL", GFX11, 0x00A0_0005, "cache policies of the colour block, as RADV has them but for bits that GFX11 lacks"),
    ("DB_RMI_L2_CACHE_CONTROL", GFX10, 0x0015_0055, "cache policies of the depth block, as RADV has them"),
    ("DB_RMI_L2_CACHE_CONTROL", GFX11, 0x002A_0055, "cache policies of the depth block, as RADV has them"),
    // Depth and colour blocks.
    ("DB_RENDER_OVERRIDE", ALL, 0, "nothing is forced"),
    ("DB_RESERVED_REG_2", GFX10, 0x1000_0000, "resource level 1 (a field of Mesa's name)"),
    ("PA_SC_BINNER_CNTL_2", 0b11_0000, 0, "bins in plain order: ping-pong order may be broken (Mesa 2026)"),
    ("PA_SC_VRS_RATE_SIZE_XY", GFX11_UP, 0, "no rate image"),
];

/// Memory that all draws of a queue share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QueueMemory {
    /// Border colours of samplers: a multiple of 256 below 2^48; 0 for none.
    pub border_colors: u64,
    /// Where vertex work of GFX11 and later stores parameters for the pixel stage; earlier generations have none. Draws that export parameters need it
    /// there, unless another command buffer has set it.
    pub attributes: Option<AttributeRing>,
}

/// The attribute ring (GFX11 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttributeRing {
    /// Address in bytes, a multiple of 64 KiB; the canonical form with the upper bits set is taken as well.
    pub address: u64,
    /// Bytes for each shader engine, a multiple of 64 KiB up to 16 MiB (unit of MEM_SIZE unverified).
    pub bytes: u32,
}

impl QueueMemory {
    /// What of it hardware cannot take.
    pub(crate) fn check(&self) -> Result<(), DrawError> {
        let check = |fine: bool, what, value, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what, value, limit }) };
        let border = self.border_colors;
        check(border.is_multiple_of(256) && border >> 48 == 0, "the address of the border colours", border, "a multiple of 256 below 2^48")?;
        let Some(ring) = self.attributes else { return Ok(()) };
        let canonical = ring.address >> 48 == 0 || ring.address >> 47 == 0x1_FFFF;
        check(ring.address.is_multiple_of(0x1_0000) && canonical, "the address of the attribute ring", ring.address, "a multiple of 64 KiB of 48 bits")?;
        let bytes = ring.bytes;
        check(
            bytes.is_multiple_of(0x1_0000) && (1..=256).contains(&(bytes >> 16)),
            "the size of the attribute ring",
            bytes.into(),
            "a multiple of 64 KiB up to 16 MiB",
        )
    }

    /// Its registers: TA_BC_BASE_ADDR, SPI_ATTRIBUTE_RING_BASE and SIZE.
    fn registers(&self, gfx: Gfx, image: &mut Image) {
        let rule = "address of border colours";
        image.add(Word::whole(gfx, "TA_BC_BASE_ADDR", (self.border_colors >> 8) as u32, rule));
        image.add(Word::whole(gfx, "TA_BC_BASE_ADDR_HI", (self.border_colors >> 40) as u32, rule));
        if let Some(ring) = self.attributes {
            image.add(Word::whole(gfx, "SPI_ATTRIBUTE_RING_BASE", (ring.address >> 16) as u32, "address of the attribute ring >> 16"));
            // BIG_PAGE 16 and L1_POLICY 18:17 = 1, as RADV has them (captures).
            let size = ((ring.bytes >> 16).saturating_sub(1) & 0xFF) | 1 << 16 | 1 << 17;
            image.add(Word::whole(gfx, "SPI_ATTRIBUTE_RING_SIZE", size, "blocks of 64 KiB of an engine, less 1; pages and caches as RADV has them"));
        }
    }
}

/// The registers of the preamble, as an image with reasons.
pub(crate) fn image(chip: Chip, memory: &QueueMemory) -> Image {
    let gfx = chip.gfx();
    let mut image = Image::default();
    for (name, _, value, why) in ENTRIES.iter().filter(|e| e.1 & gfx.bit() != 0) {
        image.add(Word::whole(gfx, name, *value, *why));
    }
    image.add(dfsm_off(gfx));
    image.add(compression(chip));
    image.add(batch_limits(chip));
    memory.registers(gfx, &mut image);
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

/// CB_DCC_CONTROL (GFX9 to GFX10.3) and CB_FDCC_CONTROL (GFX11, GFX11.5): limits of compression, for targets that have it. RADV's values in the captures,
/// but for DISABLE_CONSTANT_ENCODE_SINGLE, which RADV sets in the preamble and clears again with each framebuffer.
fn compression(chip: Chip) -> Option<Word> {
    const CHIPS_WITHOUT_CONSTANT_ENCODING: [&str; 4] = ["vega10", "vega12", "vega20", "raven"];
    on_gfx!(chip.gfx(), r => {
        Gfx9 => {
            type R = r::CbDccControl;
            let word = Word::new::<R>(chip.gfx())?.set(R::OVERWRITE_COMBINER_MRT_SHARING_DISABLE, true, "as RADV has it (captures)");
            let encodes = !CHIPS_WITHOUT_CONSTANT_ENCODING.contains(&chip.info().name);
            let word = word.set(R::OVERWRITE_COMBINER_WATERMARK, 4u32, "as RADV has it (captures)");
            Some(word.set(R::DISABLE_CONSTANT_ENCODE_REG, encodes, "Raven2 and later encode constants (Mesa 25.0.7 has_dcc_constant_encode)"))
        },
        Gfx10 | Gfx103 => {
            type R = r::CbDccControl;
            let word = Word::new::<R>(chip.gfx())?.set(R::OVERWRITE_COMBINER_WATERMARK, 6u32, "as RADV has it (captures)");
            Some(word.set(R::DISABLE_CONSTANT_ENCODE_REG, true, "constants are encoded (Mesa 25.0.7 has_dcc_constant_encode)"))
        },
        Gfx11 | Gfx115 => {
            type R = r::CbFdccControl;
            let hit = chip.has(Erratum::ConstantEncodeSingle);
            let why = if hit { Erratum::ConstantEncodeSingle.doc() } else { "the erratum of other chips does not hit this one" };
            Some(Word::new::<R>(chip.gfx())?.set(R::DISABLE_CONSTANT_ENCODE_SINGLE, hit, why))
        },
        Gfx12 => None,
    })
}

/// PA_SC_BINNER_CNTL_1: limits of a batch. Allocations follow the parameter cache lines, on GFX9 shared out among the engines; an unknown number of engines
/// counts as four, the most there are. GFX12 has GFX11's number, unverified.
fn batch_limits(chip: Chip) -> Option<Word> {
    let lines = chip.info().pc_lines.unwrap_or(0);
    let engines = Board::recorded(chip).map_or(4, |board| board.shader_engines);
    let (count, rule) = match chip.gfx().major() {
        9 => ((lines / (4 * engines.max(1))).clamp(1, 128) - 1, "a quarter of an engine's parameter cache lines, at most 128, less 1"),
        10 => ((lines / 3).max(1) - 1, "a third of the parameter cache lines, less 1"),
        _ => (16, "16 allocations"),
    };
    on_gfx!(chip.gfx(), r => {
        type R = r::PaScBinnerCntl1;
        Some(Word::new::<R>(chip.gfx())?.set(R::MAX_ALLOC_COUNT, count, rule).set(R::MAX_PRIM_PER_BATCH, 1023u32, "as RADV has it (captures)"))
    })
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
