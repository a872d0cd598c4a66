//! One mistake in a recorded submission for each rule.

use super::mutation::{Base, Edit, Settings};
use super::streams::*;
use Edit::{After, Before, Cut, Drop, DropWrites, Field, Header, Last, Replace, Word};
use pm4::chip::Chip;
use pm4::cp::FirmwareVersions;
use pm4::packet::gfx11::{AcquireMem, ContextRegRmw, NumInstances, PredExec, SetPredication};
use pm4::packet::values::{AcquireMemPwsStageSel, SetPredicationPredOp};
use pm4::packet::{Event, Opcode as O};

/// The rule that must report, the stream, and the mistake.
pub struct Mutation {
    pub code: &'static str,
    pub base: Base,
    pub edit: Edit,
    pub settings: Settings,
}

fn new(code: &'static str, base: Base, edit: Edit) -> Mutation {
    Mutation { code, base, edit, settings: Settings::default() }
}

const fn main(case: &'static str) -> Base {
    Base::Capture(case, "main")
}

const V1: Base = main("vega10/draw_none_rmw_s1_color");
const V4: Base = main("vega10/draw_sample_ordered_s4_color");
const V8: Base = main("vega10/draw_pixel_ordered_s8_color+depth");
const V_STREAMOUT: Base = main("vega10/transform_feedback");
const N10_1: Base = main("navi10/draw_none_rmw_s1_color");
const N10_4: Base = main("navi10/draw_sample_ordered_s4_color");
const N10_8: Base = main("navi10/draw_pixel_ordered_s8_color+depth");
const N10_INDEXED: Base = main("navi10/draw_multi_indexed_ext");
const N10_PREAMBLE: Base = Base::Capture("navi10/draw_none_rmw_s1_color", "initial_preamble.ib2_0");
const N21_4: Base = main("navi21/draw_sample_ordered_s4_color");
const N21_COMPUTE: Base = Base::Capture("navi21/mesh_indirect", "ace");
const N31_1: Base = main("navi31/draw_none_rmw_s1_color");
const N31_4: Base = main("navi31/draw_sample_ordered_s4_color");
const N31_DEPTH: Base = main("navi31/draw_pixel_ordered_s1_color+depth");
const N31_BLEND: Base = main("navi31/blend_pixel_ordered_s1");
const N10_TESSELLATION: Base = main("navi10/tess_pixel_ordered_s4");
const N21_GEOMETRY: Base = main("navi21/geom_sample_ordered_s4");
const N21_MESH: Base = main("navi21/mesh_pixel_ordered_s4");
const N31_TASKS_COMPUTE: Base = Base::Capture("navi31/taskmesh_none_s4", "ace");
const N31_RINGS: Base = Base::Capture("navi31/draw_none_rmw_s1_color", "initial_preamble");
const N31_BARE: Base = main("navi31/draw_sample_ordered_s8_noattach");
const N31_CHAINED: Base = main("navi31/two_cmdbufs_one_submit");
const N31_INDIRECT: Base = main("navi31/indexed_indirect_sample_ordered_s1");
const N31_COMPUTE: Base = main("navi31/computeq_fill_copy");
const N31_PREAMBLE: Base = Base::Capture("navi31/draw_none_rmw_s1_color", "initial_preamble.ib2_0");
const OWN: Base = Base::Own(N48);
const OWN_STRIX: Base = Base::Own(STRIX);

const PACKED: O = O::SET_CONTEXT_REG_PAIRS_PACKED;
const DRAW: O = O::DRAW_INDEX_AUTO;

/// Inserts packets before the first draw.
fn at_draw(words: Vec<u32>) -> Edit {
    Before(DRAW, 0, words)
}

/// Inserts packets and one more draw after the first draw.
fn after_draw(words: Vec<u32>) -> Edit {
    After(DRAW, 0, [words, draw()].concat())
}

fn order(value: u32) -> Edit {
    Field("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", value)
}

pub fn mutations() -> Vec<Mutation> {
    [encoding(), buffers(), performance(), registers(), state(), stages(), targets(), events(), sequence(), pops()].into_iter().flatten().collect()
}

/// Returns masks without a compute unit for the shader engines of GFX11.
fn no_compute_units() -> Vec<u32> {
    let addrs = [0xB858, 0xB85C, 0xB864, 0xB868, 0xB8AC, 0xB8B0, 0xB8B4, 0xB8B8];
    addrs.into_iter().flat_map(|addr| compute_units(addr, 0)).collect()
}

fn encoding() -> Vec<Mutation> {
    let twice = raw_packed(&[6, 0x203 | 0x200 << 16, 0, 0, 0x203 | 0x204 << 16, 1, 0, 0x205 | 0x203 << 16, 0, 0]);
    let sgprs = packed_groups(&[(0x8C, 0), (0x8D, 0)].repeat(8));
    let long = with_header(raw_packet(O::SET_SH_REG_PAIRS_PACKED_N, &[&[16], &sgprs[..]].concat()), past_filter);
    vec![
        new("ENC-01", N31_1, Cut(6)),
        new("ENC-02", N31_1, Header(DRAW, 0, !0xFF00, 0xFC00)),
        new("ENC-03", N31_1, Replace(O::NUM_INSTANCES, 0, raw_packet(O::NUM_INSTANCES, &[1, 2]))),
        new("ENC-04", N31_1, at_draw(vec![0x4000_0000])),
        new("ENC-05", N31_1, at_draw(vec![0x8000_0000])),
        new("ENC-05", N31_COMPUTE, Last(vec![0x8000_0000])),
        new("ENC-06", N31_1, Header(O::NUM_INSTANCES, 0, !0, 0x10)),
        new("ENC-07", N31_COMPUTE, Header(O::DMA_DATA, 0, !0, 4)),
        new("ENC-08", V1, Header(O::SET_CONTEXT_REG, 0, !0, 4)),
        new("ENC-09", N31_PREAMBLE, Header(PACKED, 0, !4, 0)),
        new("ENC-10", N31_1, Before(O::SET_CONTEXT_REG, 0, set(0x30800, &[0]))),
        new("ENC-11", N31_COMPUTE, Header(O::DMA_DATA, 0, !0, 1)),
        new("ENC-12", N31_DEPTH, Word(O::EVENT_WRITE, 0, 0, !0, 1 << 20)),
        new("ENC-14", N31_PREAMBLE, Word(PACKED, 0, 0, !0, 1)),
        new("ENC-15", N31_PREAMBLE, Word(PACKED, 0, 1, 0, 0x0203_0203)),
        new("ENC-16", N31_PREAMBLE, Before(PACKED, 0, twice)),
        new("ENC-17", N31_PREAMBLE, Before(PACKED, 0, long)),
        Mutation {
            settings: Settings { firmware: FirmwareVersions { me_feature: Some(51), ..FirmwareVersions::default() }, ..Settings::default() },
            ..new("ENC-18", V1, at_draw(one(&SetPredication { pred_op: SetPredicationPredOp::VULKAN, start_addr: ADDR, ..Default::default() })))
        },
        new("ENC-19", N31_PREAMBLE, Header(PACKED, 0, !0xFF00, 0xBC00)),
        new("ENC-20", N31_COMPUTE, Last(raw_packet(O::MAP_QUEUES, &[0x2005_0000, 0x460, 0x2345_6000, 1, 0xABCD_1000, 0x7F00]))),
    ]
}

fn buffers() -> Vec<Mutation> {
    let of_chain = |word, keep, or| Word(O::INDIRECT_BUFFER, 0, word, keep, or);
    vec![
        new("IB-01", N31_CHAINED, After(O::INDIRECT_BUFFER, 0, draw())),
        new("IB-02", N31_PREAMBLE, Before(O::CLEAR_STATE, 0, ib(ADDR, 8))),
        new("IB-03", N31_CHAINED, of_chain(2, !0xF_FFFF, 0)),
        new("IB-04", N31_COMPUTE, Last(chain(ADDR, 8))),
        new("IB-05", N31_CHAINED, of_chain(2, !7, 1)),
        new("IB-06", N31_1, at_draw(cond_exec(ADDR, 2))),
        new("IB-07", N31_CHAINED, of_chain(2, !0, 1 << 24)),
        Mutation {
            settings: Settings { ring: true, ..Settings::default() },
            ..new("IB-08", N31_1, at_draw(one(&PredExec { device_select: 1, exec_count: 3 })))
        },
        new("MEM-01", N31_INDIRECT, Word(O::SET_BASE, 0, 1, !7, 2)),
        new("MEM-02", N31_INDIRECT, Word(O::SET_BASE, 0, 2, 0, 0x12_0000)),
        new("MEM-03", N31_CHAINED, of_chain(0, 0, 0x7FFF_0000)),
        new("MEM-04", N31_1, at_draw(raw_packet(O::WRITE_DATA, &[0, 0x4_C03F, 0, 0]))),
        new("MEM-05", N31_1, Word(O::DMA_DATA, 0, 5, !0x3FF_FFFF, 0).and(Word(O::DMA_DATA, 0, 0, !(1 << 31), 0))),
        new("MEM-06", V4, Word(O::WAIT_REG_MEM, 0, 0, !0, 7)),
        new("MEM-07", V1, at_draw(raw_packet(O::SET_PREDICATION, &[4 << 16 | 1 << 31, 0x1000, 0x80]))),
        new("MEM-09", N31_COMPUTE, Last(raw_packet(O::WRITE_DATA, &[0x100, 0x1000, 0x80, 0]))),
        new("MEM-08", N10_INDEXED, Word(O::DRAW_INDEX_2, 0, 0, 0, 1)),
        Mutation { settings: Settings { max_dwords: Some(8192), ..Settings::default() }, ..new("RUN-01", N31_1, Last(nop().repeat(16384))) },
        Mutation {
            settings: Settings { max_memory: Some(1 << 16), ..Settings::default() },
            ..new("RUN-02", N31_1, Last((0..100).flat_map(|page| write(0x80_0000_0000 + 0x1000 * page, &[1])).collect()))
        },
        Mutation { settings: Settings { max_findings: Some(32), ..Settings::default() }, ..new("RUN-03", N31_1, Last(empty_ib().repeat(64))) },
    ]
}

fn performance() -> Vec<Mutation> {
    vec![
        new("PERF-01", N31_1, at_draw([set(0x2880C, &[1]), set(0x2880C, &[1])].concat())),
        new("PERF-02", N31_1, at_draw(set(0x2880C, &[0x10])).and(after_draw(set(0x2880C, &[0x10])))),
        new("PERF-03", N31_1, after_draw((0..10).flat_map(|i| [set(0x2880C, &[i]), draw()].concat()).collect())),
        new("PERF-04", N31_1, after_draw(acquire())),
        new("PERF-05", N31_4, Field("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 0)),
    ]
}

fn registers() -> Vec<Mutation> {
    vec![
        new("REG-01", N31_1, at_draw(raw_packet(O::SET_CONTEXT_REG, &[0x500, 0]))),
        new("REG-02", N31_1, at_draw(set(0x28FFC, &[1]))),
        new("REG-03", N31_1, at_draw(raw_packet(O::SET_CONFIG_REG, &[0x10, 0]))),
        new("REG-04", N31_1, Header(O::SET_SH_REG, 0, !0, 2)),
        new("REG-05", N31_1, Word(O::SET_SH_REG_INDEX, 0, 0, 0x0FFF_FFFF, 0)),
        new("REG-06", N31_1, Replace(O::SET_SH_REG_INDEX, 0, raw_packet(O::SET_SH_REG_INDEX, &[0x3000_0087, 0xFFFF, 0]))),
        new("REG-07", N31_1, at_draw(set(0x28410, &[0x0000_0100]))),
        new("REG-08", N31_1, Field("PA_SC_BINNER_CNTL_0", "BIN_SIZE_X_EXTEND", 6)),
        new("REG-09", N31_1, at_draw(set(0x28250, &[0]))),
        new("REG-10", N31_PREAMBLE, Before(O::CLEAR_STATE, 0, one(&ContextRegRmw { reg_offset: 0x200, reg_mask: 1, reg_data: 1 }))),
        new("REG-11", N31_PREAMBLE, Word(O::CONTEXT_CONTROL, 0, 1, !0, 2)),
        new("REG-12", N31_PREAMBLE, Word(O::CONTEXT_CONTROL, 0, 0, 0, 2).and(Word(O::CONTEXT_CONTROL, 0, 1, 0, 2))),
        new("REG-13", N31_1, at_draw(load_context(0x203))),
        new("REG-14", N31_COMPUTE, Last(set(0x2880C, &[0]))),
        new("REG-15", N31_1, at_draw(set(0x30800, &[0]))),
        new("REG-16", N31_COMPUTE, Last(set(0xB8C0, &[1]))),
        new("REG-17", N31_1, at_draw(set(0xB018, &[0xFFFF]))),
        new("REG-18", N31_COMPUTE, Last(set(0xB84C, &[0xFF_8000]))),
    ]
}

fn state() -> Vec<Mutation> {
    let streamout = [reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1), reg(V, "IA_MULTI_VGT_PARAM", 255)].concat();
    let rate_image = [reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 1 << 12), reg(N31, "PA_SC_MODE_CNTL_1", 2)].concat();
    let z = |field, value| Field("DB_Z_INFO", field, value);
    vec![
        new("STA-01", N31_1, DropWrites("VGT_PRIMITIVE_TYPE")),
        new("STA-02", N10_INDEXED, Before(O::DRAW_INDEX_2, 0, draw())),
        new("STA-03", N10_INDEXED, Word(O::DRAW_INDEX_2, 0, 0, 0, 0)),
        new("STA-04", N10_1, after_draw(reg(N10, "VGT_SHADER_STAGES_EN", 0))),
        new("STA-05", N31_BLEND, Field("CB_BLEND0_CONTROL", "COLOR_SRCBLEND", 15)),
        new("STA-06", V4, after_draw(set(0x2880C, &[0x10]))),
        new("STA-07", N10_8, z("ITERATE_256", 1).and(z("NUM_SAMPLES", 2)).and(z("DECOMPRESS_ON_N_ZPLANES", 0)).and(Field("DB_STENCIL_INFO", "FORMAT", 1))),
        new("STA-08", N10_1, Field("GE_CNTL", "VERT_GRP_SIZE", 8)),
        new("STA-09", N31_1, Field("GE_CNTL", "PRIM_GRP_SIZE", 300)),
        new("STA-10", V1, at_draw(streamout)),
        new("STA-11", N10_1, Field("PA_SC_BINNER_CNTL_0", "BINNING_MODE", 3)),
        new("STA-12", N31_1, Field("PA_SC_BINNER_CNTL_0", "CONTEXT_STATES_PER_BIN", 1)),
        new("STA-13", N31_1, at_draw(rate_image)),
        new("STA-14", N31_1, Field("PA_SU_SC_MODE_CNTL", "POLY_MODE", 1).and(Field("PA_SU_SC_MODE_CNTL", "POLYMODE_FRONT_PTYPE", 1))),
        new("STA-15", N31_DEPTH, z("NUM_SAMPLES", 3)),
        new("STA-16", N31_1, Field("DB_RENDER_CONTROL", "OREO_MODE", 1)),
        new("STA-17", OWN, at_draw(opaque())),
        new("STA-18", N31_1, Field("VGT_SHADER_STAGES_EN", "HS_EN", 1).and(Last(draw()))),
        new("STA-19", N31_1, Field("SPI_SHADER_PGM_RSRC3_GS", "CU_EN", 0xFFFF)),
        new("STA-20", N31_1, Field("SPI_SHADER_PGM_RSRC3_GS", "CU_EN", 0).and(Field("SPI_SHADER_PGM_RSRC4_GS", "CU_EN", 0))),
        new("STA-21", N31_4, Field("PA_SC_MODE_CNTL_0", "MSAA_ENABLE", 0)),
        new("STA-22", N31_1, at_draw(reg(N31, "SPI_PS_INPUT_ENA", 0))),
        new("STA-23", N31_1, Word(DRAW, 0, 1, !0, 0x40)),
        new("STA-24", N31_DEPTH, Header(O::DISPATCH_DIRECT, 0, !2, 0)),
        new("STA-25", OWN, at_draw(tiled_dimensions())),
        new("STA-26", N31_1, Field("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1)),
        new("STA-27", N10_1, at_draw(reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 0)).and(after_draw(reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 1)))),
        new("STA-28", OWN, at_draw([reg(N48, "PA_SC_AA_CONFIG", 3), reg(N48, "GE_VRS_RATE", 1)].concat())),
    ]
}

fn stages() -> Vec<Mutation> {
    let stage = |field, value| Field("VGT_SHADER_STAGES_EN", field, value);
    let legacy = stage("PRIMGEN_EN", 0);
    let ia = |topology, value| [reg(V, "VGT_PRIMITIVE_TYPE", topology), reg(V, "IA_MULTI_VGT_PARAM", value)].concat();
    let strip = [ia(6, 1 << 20), reg(V, "VGT_MULTI_PRIM_IB_RESET_EN", 1), index_type(), indexed(3)].concat();
    let stippled = [reg(N48, "VGT_SHADER_STAGES_EN", 1 << 2), reg(N48, "GE_CNTL", 1 << 19), reg(N48, "VGT_TF_PARAM", 3 << 17)].concat();
    let cuts = [reg(N21, "VGT_GS_MAX_VERT_OUT", 512), reg(N21, "VGT_GS_MODE", 3 | 3 << 4)].concat();
    vec![
        new("STA-29", OWN, at_draw(reg(N48, "GE_PRIM_RING_BASE", 1))),
        new("STA-30", N31_RINGS, DropWrites("SPI_ATTRIBUTE_RING_BASE")),
        new("STA-31", OWN, after_draw(reg(N48, "SPI_SHADER_PGM_RSRC3_GS", 2))),
        new("STA-33", V1, at_draw(ia(5, 0))),
        new("STA-34", V1, at_draw(strip)),
        new("STA-35", N21_GEOMETRY, stage("HS_EN", 1).and(legacy.clone())),
        new("STA-36", N10_TESSELLATION, Field("VGT_LS_HS_CONFIG", "NUM_PATCHES", 200)),
        new("STA-37", OWN, at_draw(stippled)),
        new("STA-40", N21_GEOMETRY, stage("GS_W32_EN", 1).and(legacy.clone())),
        new("STA-41", N21_MESH, Field("VGT_GS_MAX_VERT_OUT", "MAX_VERT_OUT", 0)),
        new("STA-42", N21_GEOMETRY, legacy.and(at_draw(cuts))),
        new("STA-48", N21_GEOMETRY, Field("SPI_SHADER_PGM_RSRC1_GS", "WGP_MODE", 1)),
        new("STA-49", OWN, Field("PA_SC_NGG_MODE_CNTL", "MAX_DEALLOCS_IN_WAVE", 512)),
    ]
}

fn targets() -> Vec<Mutation> {
    let batch = [reg(N48, "PA_SC_BINNER_CNTL_0", 0), reg(N48, "PA_SC_BINNER_CNTL_1", 1023 << 16)].concat();
    // Two fragments, DCC, blending.
    let compressed_blend = [
        reg(N21, "CB_COLOR0_INFO", 10 << 2 | 1 << 28),
        reg(N21, "CB_COLOR0_ATTRIB", 1 << 15),
        reg(N21, "CB_BLEND0_CONTROL", 1 << 30),
        reg(N21, "CB_COLOR0_DCC_CONTROL", 0),
        reg(N21, "CB_DCC_CONTROL", 0),
    ]
    .concat();
    let compressed = [reg(STRIX, "CB_COLOR0_ATTRIB", 2), reg(STRIX, "CB_COLOR0_FDCC_CONTROL", 1 << 22)].concat();
    let hiz = at_draw(reg(N48, "PA_SC_HIZ_INFO", 1));
    vec![
        new("STA-32", OWN, at_draw(batch)),
        new("STA-38", N31_BARE, at_draw(reg(N31, "GE_VRS_RATE", 0x11))),
        new("STA-39", OWN, Field("PA_CL_VS_OUT_CNTL", "USE_VTX_VRS_RATE", 1)),
        new("STA-43", OWN_STRIX, at_draw(compressed)),
        new("STA-51", N31_1, at_draw([reg(N31, "SPI_PS_IN_CONTROL", 2), set(0x28644, &[7, 7])].concat())),
        new("STA-52", N31_1, Field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 7)),
        new("STA-53", N31_1, Field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0)),
        new("STA-54", N31_1, Field("SPI_SHADER_PGM_RSRC2_PS", "USER_SGPR", 31)),
        new("STA-55", OWN, at_draw([reg(N48, "COMPUTE_PGM_RSRC2", 2 << 1), dispatch()].concat())),
        new("STA-56", N10_TESSELLATION, at_draw(reg(N10, "VGT_TESS_DISTRIBUTION", 128 << 16))),
        new("STA-57", N31_1, Field("SPI_SHADER_PGM_RSRC3_GS", "LOCK_LOW_THRESHOLD", 1)),
        new("STA-58", N31_TASKS_COMPUTE, Before(O::DISPATCH_TASKMESH_DIRECT_ACE, 0, reg(N31, "COMPUTE_RESOURCE_LIMITS", 1 << 16))),
        new("STA-59", N31_1, at_draw(reg(N31, "PA_CL_NANINF_CNTL", 1 << 8))),
        new("STA-60", Base::Own(Chip::Navi33), at_draw(set(0x31114, &[0]))),
        new("STA-61", OWN, at_draw(set(0x31128, &[0x8A5D]))),
        new("STA-62", N21_4, at_draw(compressed_blend)),
        new("STA-63", N10_1, at_draw([reg(N10, "DB_RENDER_CONTROL", 1 << 6), reg(N10, "DB_Z_INFO", 1 | 1 << 29)].concat())),
        new("STA-64", V1, after_draw(reg(V, "VGT_PRIMITIVE_TYPE", 6))),
        new("STA-66", OWN, Field("PA_SC_MODE_CNTL_1", "WALK_ALIGNMENT", 1).and(at_draw(reg(N48, "CB_COLOR0_ATTRIB2", 40000 << 16)))),
        new("STA-67", N31_1, after_draw(draw())),
        new("STA-68", N31_COMPUTE, Last([set(0xB830, &[0, 0]), dispatch()].concat())),
        new("STA-69", N31_COMPUTE, Last([set(0xB84C, &[4 << 1]), set(0xB900, &[0x2345_6000, 0, 0x400, 0x7_4FAC]), dispatch()].concat())),
        new("STA-50", V4, Field("PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0", "S3_Y", 8)),
        new("STA-45", N31_TASKS_COMPUTE, DropWrites("COMPUTE_NUM_THREAD_X")),
        new("STA-46", N31_TASKS_COMPUTE, Before(O::DISPATCH_TASKMESH_DIRECT_ACE, 0, no_compute_units())),
        new("STA-47", OWN, Field("PA_SC_BINNER_CNTL_0", "BIN_SIZE_Y_EXTEND", 1)),
        new("STA-44", OWN, Field("PA_SC_MODE_CNTL_1", "WALK_ALIGN8_PRIM_FITS_ST", 1).and(hiz)),
    ]
}

fn sequence() -> Vec<Mutation> {
    vec![
        new("SYN-24", N31_1, after_draw(set(0x31118, &[0x77]))),
        new("SYN-25", N21_4, at_draw(copy_to_register(0xA2CB))),
        new("SYN-26", OWN, Field("VGT_SHADER_STAGES_EN", "NGG_WAVE_ID_EN", 1).and(after_draw(reg(N48, "GE_GS_ORDERED_ID_BASE", 0)))),
        new("SYN-27", N31_TASKS_COMPUTE, Last(task())),
        new("SYN-28", Base::Capture("navi31/taskmesh_none_s4", "initial_preamble"), Drop(O::DISPATCH_TASK_STATE_INIT, 0)),
        Mutation {
            settings: Settings { firmware: FirmwareVersions { mec: Some(99), ..FirmwareVersions::default() }, ..Settings::default() },
            ..new("SYN-29", N21_COMPUTE, Last(task_work(0)))
        },
    ]
}

fn events() -> Vec<Mutation> {
    let fence = |word, keep, or| Word(O::RELEASE_MEM, 0, word, keep, or);
    let read_back = [write(ADDR, &[1]), cond_exec(ADDR, 0)].concat();
    let dump = |addr| event_at(N31, Event::PIXEL_PIPE_STAT_DUMP, addr);
    vec![
        new("SYN-01", N31_1, at_draw(raw_event(20, 5))),
        new("SYN-02", N31_DEPTH, fence(0, !0x3F, 16)),
        new("SYN-03", N31_DEPTH, fence(0, !0xF3F, 48 | 6 << 8)),
        new("SYN-04", V4, Before(O::RELEASE_MEM, 0, one(&NumInstances { num_instances: 1 }))),
        new("SYN-05", V4, fence(2, !0, 1)),
        new("SYN-06", N10_4, fence(0, !0, 1 << 30)),
        new("SYN-07", N31_1, at_draw(raw_acquire([1 << 25, u32::MAX, 0xFF, 0, 0, 10, 0]))),
        new("SYN-08", N31_DEPTH, Word(O::ACQUIRE_MEM, 0, 0, !(7 << 11), 2 << 11)),
        new("SYN-09", N31_COMPUTE, Last(one(&pixel_wait(AcquireMemPwsStageSel::PRE_DEPTH)))),
        new("SYN-10", N31_1, at_draw(raw_event(44, 0))),
        new("SYN-11", N31_DEPTH, Word(O::EVENT_WRITE, 0, 0, !0xF00, 3 << 8)),
        new("SYN-12", N21_4, at_draw(raw_event(21, 1))),
        new("SYN-13", N31_COMPUTE, Last(raw_event(7, 5))),
        new("SYN-14", N31_COMPUTE, Last(sync())),
        Mutation {
            settings: Settings { firmware: FirmwareVersions { me_feature: Some(30), ..FirmwareVersions::default() }, ..Settings::default() },
            ..new("SYN-15", N21_COMPUTE, Last(event(N21, Event::CS_PARTIAL_FLUSH)))
        },
        new("SYN-16", N31_1, at_draw(raw_acquire([0, u32::MAX, 0xFF, 0, 0, 10, 1 << 6 | 1 << 15]))),
        new("SYN-17", N31_1, at_draw(one(&AcquireMem { coher_base: Some(0x10), ..everything() }))),
        new("SYN-18", V4, Word(O::WAIT_REG_MEM, 0, 3, 0, 0x7777)),
        new("SYN-30", OWN, Edit::First(differs(1))),
        new("SYN-19", V4, Last(release_9(0x80_0000_7000))),
        new("SYN-20", N31_1, at_draw(read_back)),
        new("SYN-21", V_STREAMOUT, Drop(O::EVENT_WRITE, 2)),
        new("SYN-22", V4, Word(O::ACQUIRE_MEM, 0, 0, !0, 1 << 6)),
        new("SYN-31", N31_1, at_draw([dump(ADDR), reg(N31, "DB_COUNT_CONTROL", 0)].concat()).and(After(DRAW, 0, dump(ADDR + 8)))),
        new("SYN-32", N31_PREAMBLE, Drop(O::EVENT_WRITE, 0).and(Last(dump(ADDR)))),
        Mutation {
            settings: Settings { firmware: FirmwareVersions { me_feature: Some(27), ..FirmwareVersions::default() }, ..Settings::default() },
            ..new("SYN-35", N21_4, at_draw(ranged_acquire(0x8000)))
        },
        new("SYN-34", N31_1, at_draw(raw_packet(O::WAIT_REG_MEM, &[0x143, 0x1A00, 0x1A01, 1, u32::MAX, 0x20]))),
        new("SYN-23", N31_COMPUTE, Last(raw_acquire([1 << 25, u32::MAX, 0xFF, 0, 0, 10, 0]))),
    ]
}

fn pops() -> Vec<Mutation> {
    let control = |field, value| Field("DB_SHADER_CONTROL", field, value);
    let load = |register, field, value| Field(register, field, value);
    vec![
        new("POPS-01", N31_4, Field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0)),
        new("POPS-02", V4, load("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0)),
        new("POPS-03", V4, load("PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION", 1)),
        new("POPS-04", V4, load("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0).and(load("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0))),
        new("POPS-05", N31_4, at_draw(reg(N31, "PA_SC_SHADER_CONTROL", 4))),
        new("POPS-06", V4, control("POPS_OVERLAP_NUM_SAMPLES", 1)),
        new("POPS-07", N31_4, control("OVERRIDE_INTRINSIC_RATE_ENABLE", 0)),
        new("POPS-08", N31_4, control("OVERRIDE_INTRINSIC_RATE", 1)),
        new("POPS-09", N31_4, Field("DB_Z_INFO", "NUM_SAMPLES", 1)),
        new("POPS-10", N31_BARE, Field("PA_SC_AA_CONFIG", "MSAA_EXPOSED_SAMPLES", 2)),
        new("POPS-11", V8, Field("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 0)),
        new("POPS-12", V4, at_draw(reg(V, "DB_DFSM_CONTROL", 6))),
        new("POPS-13", N10_4, at_draw(reg(N10, "DB_DFSM_CONTROL", 6))),
        new("POPS-14", N10_PREAMBLE, Drop(O::CLEAR_STATE, 0).and(DropWrites("DB_DFSM_CONTROL"))),
        new("POPS-15", N31_1, at_draw(set(0x28060, &[2]))),
        new("POPS-16", N21_4, at_draw(reg(N21, "GE_VRS_RATE", 1))),
        new("POPS-17", V4, Field("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1)),
        new("POPS-18", V4, control("EXEC_IF_OVERLAPPED", 1)),
        new("POPS-19", N31_1, at_draw(raw_packet(O::SET_CONTEXT_REG, &[0x940, 0x80]))),
        new("POPS-20", V4, order(0)),
        new("POPS-21", N31_4, order(0)),
        new("POPS-22", N31_DEPTH, Field("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES", 1)),
    ]
}
