//! STA: the rasterizer, pixel shaders and targets.

use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::Pen;
use alloc::format;
use alloc::vec::Vec;

/// Returns state, packets, the words that differ, and a draw.
fn drawn(pen: Pen, before: &[Vec<u32>], hit: Vec<u32>, miss: Vec<u32>) -> Option<Pair> {
    let with = |word: Vec<u32>| pen.drawn(&[before.concat(), word]);
    Some(Pair::new(pen, with(hit), with(miss)))
}

/// Returns draws with a wrong and a right value of a register field.
fn field(pen: Pen, before: &[Vec<u32>], register: &str, name: &str, hit: u64, miss: u64) -> Option<Pair> {
    drawn(pen, before, pen.fields(register, &[(name, hit)]), pen.fields(register, &[(name, miss)]))
}

/// Writes log2 of the samples of the draw.
fn samples(pen: Pen, count: u64) -> Vec<u32> {
    let mode = pen.fields("PA_SC_MODE_CNTL_0", &[("MSAA_ENABLE", u64::from(count > 0))]);
    [pen.fields("PA_SC_AA_CONFIG", &[("MSAA_NUM_SAMPLES", count)]), mode].concat()
}

/// Returns a pixel shader with a program and inputs.
fn pixel_shader(pen: Pen) -> Vec<u32> {
    let registers =
        [("SPI_SHADER_PGM_LO_PS", 1), ("SPI_SHADER_PGM_RSRC1_PS", 0), ("SPI_SHADER_PGM_RSRC2_PS", 0), ("SPI_PS_INPUT_ENA", 2), ("SPI_PS_INPUT_ADDR", 2)];
    registers.iter().flat_map(|(name, value)| pen.set(name, *value)).collect()
}

/// Returns a written colour target with 8 bits per component: the number type, the shader's export, and the components.
fn target(pen: Pen, number: u64, export: u64, components: u32) -> Vec<u32> {
    let numbers = pen.fields("CB_COLOR0_INFO", &[("FORMAT", 10), ("NUMBER_TYPE", number)]);
    [
        pixel_shader(pen),
        pen.set("CB_TARGET_MASK", 0xF),
        pen.fields("CB_COLOR_CONTROL", &[("MODE", 1)]),
        numbers,
        pen.fields("SPI_SHADER_COL_FORMAT", &[("COL0_EXPORT_FORMAT", export)]),
        pen.set("CB_SHADER_MASK", components),
    ]
    .concat()
}

/// Returns bins of 128 pixels, with another field of the register.
fn bins(pen: Pen, name: &str, value: u64) -> Vec<u32> {
    if pen.generation() == 120 {
        pen.fields("PA_SC_BINNER_CNTL_0", &[("BIN_SIZE_X_EXTEND", 2), ("BIN_SIZE_Y_EXTEND", 2), (name, value)])
    } else {
        pen.fields("PA_SC_BINNER_CNTL_0", &[(name, value)])
    }
}

/// Returns the same sample positions in all pixels of a quad.
fn positions(pen: Pen, word: u32) -> Vec<u32> {
    ["X0Y0", "X1Y0", "X0Y1", "X1Y1"].iter().flat_map(|pixel| pen.set(&format!("PA_SC_AA_SAMPLE_LOCS_PIXEL_{pixel}_0"), word)).collect()
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "STA-05",
        fact: "the second source is not exported",
        make: |pen| {
            let blend = pen.fields("CB_BLEND0_CONTROL", &[("ENABLE", 1), ("COLOR_SRCBLEND", 15)]);
            let with = |exports: u32, formats: u64| {
                let formats = pen.fields("SPI_SHADER_COL_FORMAT", &[("COL0_EXPORT_FORMAT", 4), ("COL1_EXPORT_FORMAT", formats)]);
                [formats, pen.set("CB_SHADER_MASK", exports)].concat()
            };
            drawn(pen, &[target(pen, 0, 4, 0xF), blend], with(0xF, 4), with(0xFF, 4))
        },
    },
    Row {
        rule: "STA-06",
        fact: "the scissors are not written again",
        make: |pen| {
            let scissor = || pen.run("PA_SC_VPORT_SCISSOR_0_TL", &[0, 0]);
            let uses = pen.fields("PA_SC_MODE_CNTL_0", &[("VPORT_SCISSOR_ENABLE", 1)]);
            let draws = |again: Vec<u32>| [pen.state(), uses.clone(), scissor(), pen.draw(), pen.set("DB_SHADER_CONTROL", 0), again, pen.draw()].concat();
            Some(Pair::new(pen, draws(Vec::new()), draws(scissor())))
        },
    },
    Row {
        rule: "STA-07",
        fact: "DECOMPRESS_ON_N_ZPLANES is not 2",
        make: |pen| {
            let depth = |planes| pen.fields("DB_Z_INFO", &[("FORMAT", 3), ("NUM_SAMPLES", 2), ("ITERATE_256", 1), ("DECOMPRESS_ON_N_ZPLANES", planes)]);
            drawn(pen, &[pen.fields("DB_STENCIL_INFO", &[("FORMAT", 1)])], depth(0), depth(2))
        },
    },
    Row {
        rule: "STA-11",
        fact: "the value of another generation",
        make: |pen| {
            let (hit, miss) = if matches!(pen.generation(), 115 | 120) { (2, 3) } else { (3, 2) };
            let pair = drawn(pen, &[], bins(pen, "BINNING_MODE", hit), bins(pen, "BINNING_MODE", miss))?;
            Some(if hit == 2 { pair.allow("REG-08", "where 2 is the value of other generations, it has no name") } else { pair })
        },
    },
    Row {
        rule: "STA-12",
        fact: "two context states per bin",
        make: |pen| drawn(pen, &[], bins(pen, "CONTEXT_STATES_PER_BIN", 1), bins(pen, "CONTEXT_STATES_PER_BIN", 0)),
    },
    Row {
        rule: "STA-13",
        fact: "walking is aligned",
        make: |pen| {
            let image = pen.fields("PA_SC_VRS_OVERRIDE_CNTL", &[("VRS_SURFACE_ENABLE", 1)]);
            field(pen, &[image], "PA_SC_MODE_CNTL_1", "WALK_ALIGNMENT", 1, 0)
        },
    },
    Row {
        rule: "STA-14",
        fact: "the bit does not match the polygon mode",
        make: |pen| {
            let polygons = |keep| {
                let modes = [("POLY_MODE", 1), ("POLYMODE_FRONT_PTYPE", 1), ("POLYMODE_BACK_PTYPE", 1)];
                pen.fields("PA_SU_SC_MODE_CNTL", &[modes[0], modes[1], modes[2], ("KEEP_TOGETHER_ENABLE", keep)])
            };
            let has = crate::regs::find(pen.gfx(), "PA_SU_SC_MODE_CNTL")?.info().field("KEEP_TOGETHER_ENABLE").is_some();
            has.then(|| drawn(pen, &[bins(pen, "BINNING_MODE", 0), pen.set("PA_SC_LINE_CNTL", 0)], polygons(0), polygons(1)))?
        },
    },
    Row {
        rule: "STA-15",
        fact: "no limit with 8 samples",
        make: |pen| {
            let limit = if pen.generation() == 115 { 7 } else { 6 };
            let before = [samples(pen, 3), pen.fields("DB_Z_INFO", &[("FORMAT", 3), ("NUM_SAMPLES", 3)])];
            field(pen, &before, "DB_RENDER_CONTROL", "MAX_ALLOWED_TILES_IN_WAVE", 0, limit)
        },
    },
    Row {
        rule: "STA-16",
        fact: "opaque, then blend",
        make: |pen| field(pen, &[], "DB_RENDER_CONTROL", "OREO_MODE", 1, if pen.generation() == 120 { 2 } else { 0 }),
    },
    Row {
        rule: "STA-21",
        fact: "the mask is not repeated",
        make: |pen| {
            let mask = |word| pen.run("PA_SC_AA_MASK_X0Y0_X1Y0", &[word]);
            drawn(pen, &[samples(pen, 2), pen.set("PA_SC_AA_MASK_X0Y1_X1Y1", u32::MAX)], mask(0xFFFF), mask(u32::MAX))
        },
    },
    Row {
        rule: "STA-22",
        fact: "no barycentric",
        make: |pen| drawn(pen, &[pixel_shader(pen)], pen.set("SPI_PS_INPUT_ENA", 0), pen.set("SPI_PS_INPUT_ENA", 2)),
    },
    Row {
        rule: "STA-26",
        fact: "primitives may be out of order",
        make: |pen| {
            // GFX9 chips with one shader engine have none.
            let chip = if pen.generation() == 90 { "raven".parse().ok()? } else { pen.chip };
            field(Pen { chip, ..pen }, &[], "PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1, 0)
        },
    },
    Row { rule: "STA-28", fact: "a rate with 8 samples", make: |pen| field(pen, &[samples(pen, 3)], "GE_VRS_RATE", "RATE_X", 1, 0) },
    Row {
        rule: "STA-32",
        fact: "batches of 1024 primitives",
        make: |pen| {
            let batch = |primitives| pen.fields("PA_SC_BINNER_CNTL_1", &[("MAX_ALLOC_COUNT", 254), ("MAX_PRIM_PER_BATCH", primitives)]);
            drawn(pen, &[bins(pen, "BINNING_MODE", 0)], batch(1023), batch(511))
        },
    },
    Row {
        rule: "STA-38",
        fact: "a rate with 8 samples",
        make: |pen| {
            let combine = if pen.generation() == 103 { "DB_VRS_OVERRIDE_CNTL" } else { "PA_SC_VRS_OVERRIDE_CNTL" };
            field(pen, &[samples(pen, 3), pen.set(combine, 0)], "GE_VRS_RATE", "RATE_X", 1, 0)
        },
    },
    Row {
        rule: "STA-39",
        fact: "no release follows the draw",
        make: |pen| {
            let rates = pen.fields("PA_CL_VS_OUT_CNTL", &[("USE_VTX_VRS_RATE", 1)]);
            let draws = |release: Vec<u32>| {
                [pen.state(), rates.clone(), pen.draw(), release.clone(), pen.draw(), pen.release(crate::testing::ground::pen::DATA, 1)].concat()
            };
            Some(Pair::new(pen, draws(Vec::new()), draws(pen.release(crate::testing::ground::pen::DATA, 1))))
        },
    },
    Row {
        rule: "STA-43",
        fact: "no limit of fragments",
        make: |pen| {
            let attrib = [target(pen, 0, 4, 0xF), pen.fields("CB_COLOR0_ATTRIB", &[("NUM_FRAGMENTS", 2)])].concat();
            let control = |limited: bool| {
                let limit = [("ENABLE_MAX_COMP_FRAG_OVERRIDE", u64::from(limited)), ("MAX_COMP_FRAGS", if limited { 2 } else { 0 })];
                pen.fields("CB_COLOR0_FDCC_CONTROL", &[("FDCC_ENABLE", 1), limit[0], limit[1]])
            };
            drawn(pen, &[attrib], control(false), control(true))
        },
    },
    Row {
        rule: "STA-44",
        fact: "walking is aligned",
        make: |pen| field(pen, &[pen.fields("PA_SC_HIS_INFO", &[("SURFACE_ENABLE", 1)])], "PA_SC_MODE_CNTL_1", "WALK_ALIGNMENT", 1, 0),
    },
    Row {
        rule: "STA-47",
        fact: "bins 64 pixels high",
        make: |pen| {
            let size = |high| pen.fields("PA_SC_BINNER_CNTL_0", &[("BIN_SIZE_X_EXTEND", 2), ("BIN_SIZE_Y_EXTEND", high)]);
            drawn(pen, &[], size(1), size(2))
        },
    },
    Row {
        rule: "STA-50",
        fact: "the filter excludes the left edges of pixels",
        make: |pen| {
            let filter = |x| pen.fields("PA_SU_PRIM_FILTER_CNTL", &[("XMAX_RIGHT_EXCLUSION", x)]);
            drawn(pen, &[samples(pen, 1), positions(pen, 0x0008)], filter(1), filter(0))
        },
    },
    Row {
        rule: "STA-51",
        fact: "the second parameter is not exported",
        make: |pen| {
            let counts = |exports: u64| {
                if pen.generation() == 120 {
                    pen.fields("SPI_SHADER_GS_OUT_CONFIG_PS", &[("NUM_INTERP", 2), ("VS_EXPORT_COUNT", exports)])
                } else {
                    [pen.fields("SPI_PS_IN_CONTROL", &[("NUM_INTERP", 2)]), pen.fields("SPI_VS_OUT_CONFIG", &[("VS_EXPORT_COUNT", exports)])].concat()
                }
            };
            let inputs = [pen.set("SPI_PS_INPUT_CNTL_0", 0), pen.set("SPI_PS_INPUT_CNTL_1", 1)];
            drawn(pen, &[target(pen, 0, 4, 0xF), inputs.concat()], counts(0), counts(1))
        },
    },
    Row {
        rule: "STA-52",
        fact: "integers to a target of unorm",
        make: |pen| {
            let export = |format| pen.fields("SPI_SHADER_COL_FORMAT", &[("COL0_EXPORT_FORMAT", format)]);
            drawn(pen, &[target(pen, 0, 4, 0xF)], export(7), export(4))
        },
    },
    Row {
        rule: "STA-53",
        fact: "the shader exports nothing",
        make: |pen| {
            let export = |format| pen.fields("SPI_SHADER_COL_FORMAT", &[("COL0_EXPORT_FORMAT", format)]);
            drawn(pen, &[target(pen, 0, 4, 0xF)], export(0), export(4))
        },
    },
    Row {
        rule: "STA-62",
        fact: "the combiner is on",
        make: |pen| {
            let info = pen.fields("CB_COLOR0_INFO", &[("FORMAT", 10), ("DCC_ENABLE", 1)]);
            let attrib = pen.fields("CB_COLOR0_ATTRIB", &[("NUM_FRAGMENTS", 1)]);
            let blend = [pen.fields("CB_BLEND0_CONTROL", &[("ENABLE", 1)]), pen.set("CB_COLOR0_DCC_CONTROL", 0)].concat();
            let whole = target(pen, 0, 4, 0xF);
            field(pen, &[whole, info, attrib, blend], "CB_DCC_CONTROL", "OVERWRITE_COMBINER_DISABLE", 0, 1)
        },
    },
    Row {
        rule: "STA-63",
        fact: "the surface has one sample",
        make: |pen| {
            let z16 = |samples| pen.fields("DB_Z_INFO", &[("FORMAT", 1), ("NUM_SAMPLES", samples), ("TILE_SURFACE_ENABLE", 1)]);
            drawn(pen, &[pen.fields("DB_RENDER_CONTROL", &[("DEPTH_COMPRESS_DISABLE", 1)])], z16(0), z16(2))
        },
    },
    Row {
        rule: "STA-66",
        fact: "the target is 32769 pixels wide",
        make: |pen| {
            let wide = |width: u32| [pen.fields("CB_COLOR0_INFO", &[("FORMAT", 10)]), pen.set("CB_COLOR0_ATTRIB2", width << 16)].concat();
            let before = [target(pen, 0, 4, 0xF), pen.fields("PA_SC_MODE_CNTL_1", &[("WALK_ALIGNMENT", 1)])];
            drawn(pen, &before, wide(32768), wide(32767))
        },
    },
];
