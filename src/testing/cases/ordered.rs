//! POPS: a correct ordered draw as a list of fields, with one wrong field.

use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::Pen;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A register field and its value.
type Set = (&'static str, &'static str, u64);

const EXPORT: Set = ("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 4);
const NO_EXPORT: Set = ("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0);
const LOAD_WAVE: Set = ("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 1);
const SEND_WAVE: Set = ("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 1);
const LOAD_INTRA: Set = ("SPI_SHADER_PGM_RSRC2_PS", "LOAD_INTRAWAVE_COLLISION", 1);
const SEND_INTRA: Set = ("PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION", 1);
const NO_LOAD: Set = ("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0);
const NO_SEND: Set = ("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0);
const DRAIN: Set = ("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 1);
const SQUADS: Set = ("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 1);
const UNORDERED: Set = control("PRIMITIVE_ORDERED_PIXEL_SHADER", 0);
const NO_RATE: Set = control("OVERRIDE_INTRINSIC_RATE_ENABLE", 0);
const DEPTH: Set = ("DB_Z_INFO", "FORMAT", 1);

/// Bins of 128 pixels, the minimum on GFX12.
const BINS: [Set; 2] = [("PA_SC_BINNER_CNTL_0", "BIN_SIZE_X_EXTEND", 2), ("PA_SC_BINNER_CNTL_0", "BIN_SIZE_Y_EXTEND", 2)];

const fn control(field: &'static str, value: u64) -> Set {
    ("DB_SHADER_CONTROL", field, value)
}

/// Returns log2 of the samples of the draw.
const fn samples(count: u64) -> Set {
    ("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES", count)
}

/// Returns log2 of the samples that shaders see.
const fn exposed(count: u64) -> Set {
    ("PA_SC_AA_CONFIG", "MSAA_EXPOSED_SAMPLES", count)
}

/// Returns log2 of the samples in DB_Z_INFO.
const fn depth(count: u64) -> Set {
    ("DB_Z_INFO", "NUM_SAMPLES", count)
}

/// Returns a correct ordered draw, changed by these fields; later ones override earlier ones.
fn ordered(pen: Pen, fields: &[Set]) -> Vec<u32> {
    let mut all = [control("PRIMITIVE_ORDERED_PIXEL_SHADER", 1), EXPORT, ("DB_Z_INFO", "FORMAT", 0), samples(0)].to_vec();
    for name in ["DB_STENCIL_INFO", "PA_SC_SHADER_CONTROL", "SPI_SHADER_PGM_RSRC2_PS", "SPI_SHADER_Z_FORMAT", "DB_RENDER_OVERRIDE2", "PA_SC_MODE_CNTL_0"] {
        all.push((name, "", 0));
    }
    if pen.generation() < 110 {
        all.extend([LOAD_WAVE, SEND_WAVE, ("DB_DFSM_CONTROL", "PUNCHOUT_MODE", 2)]);
    } else {
        all.push(control("OVERRIDE_INTRINSIC_RATE_ENABLE", 1));
    }
    all.extend_from_slice(fields);
    if all.iter().any(|set| set.1 == "MSAA_NUM_SAMPLES" && set.2 > 0) {
        all.push(("PA_SC_MODE_CNTL_0", "MSAA_ENABLE", 1));
    }
    let mut registers: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for (register, field, value) in all {
        let fields = registers.entry(register).or_default();
        fields.retain(|(name, _)| *name != field);
        if !field.is_empty() {
            fields.push((field, value));
        }
    }
    // The initial state of the pixel shader.
    let shader = [("SPI_SHADER_PGM_LO_PS", 1), ("SPI_SHADER_PGM_RSRC1_PS", 0), ("SPI_PS_INPUT_ENA", 2), ("SPI_PS_INPUT_ADDR", 2)];
    let shader = shader.into_iter().flat_map(|(name, value)| pen.set(name, value)).collect();
    pen.drawn(&[shader, registers.into_iter().flat_map(|(name, fields)| pen.fields(name, &fields)).collect()])
}

fn pair(pen: Pen, hit: &[Set], miss: &[Set]) -> Option<Pair> {
    Some(Pair::new(pen, ordered(pen, hit), ordered(pen, miss)))
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row { rule: "POPS-01", fact: "nothing is exported", make: |pen| pair(pen, &[NO_EXPORT], &[]) },
    Row { rule: "POPS-02", fact: "the scan converter does not send the wave id", make: |pen| pair(pen, &[NO_SEND], &[]) },
    Row { rule: "POPS-03", fact: "the shader does not load the mask", make: |pen| pair(pen, &[SEND_INTRA], &[SEND_INTRA, LOAD_INTRA]) },
    Row { rule: "POPS-04", fact: "the wave id is neither sent nor loaded", make: |pen| pair(pen, &[NO_LOAD, NO_SEND], &[]) },
    Row { rule: "POPS-05", fact: "the wave id is sent", make: |pen| pair(pen, &[SEND_WAVE], &[]) },
    Row {
        rule: "POPS-06",
        fact: "the overlap counts 2 of 4 samples",
        make: |pen| {
            pair(pen, &[samples(2), exposed(2), control("POPS_OVERLAP_NUM_SAMPLES", 1)], &[samples(2), exposed(2), control("POPS_OVERLAP_NUM_SAMPLES", 2)])
        },
    },
    Row { rule: "POPS-07", fact: "the rate is not enabled", make: |pen| pair(pen, &[NO_RATE], &[]) },
    Row {
        rule: "POPS-08",
        fact: "the rate is 2, and one sample is exposed",
        make: |pen| pair(pen, &[control("OVERRIDE_INTRINSIC_RATE", 2)], &[control("OVERRIDE_INTRINSIC_RATE", 0)]),
    },
    Row {
        rule: "POPS-09",
        fact: "DB_Z_INFO has 2 of 4 samples",
        make: |pen| pair(pen, &[samples(2), exposed(2), depth(1)], &[samples(2), exposed(2), depth(2)]),
    },
    Row { rule: "POPS-10", fact: "DB_Z_INFO has 8 samples", make: |pen| pair(pen, &[depth(3)], &[depth(0)]) },
    Row { rule: "POPS-11", fact: "8 samples without the drain", make: |pen| pair(pen, &[samples(3), exposed(3)], &[samples(3), exposed(3), DRAIN]) },
    Row { rule: "POPS-12", fact: "the drain is on", make: |pen| pair(pen, &[DRAIN], &[]) },
    Row { rule: "POPS-13", fact: "partial squads do not start", make: |pen| pair(pen, &[DRAIN], &[DRAIN, SQUADS]) },
    Row {
        rule: "POPS-14",
        fact: "nothing writes DB_DFSM_CONTROL",
        make: |pen| {
            let dfsm = pen.fields("DB_DFSM_CONTROL", &[("PUNCHOUT_MODE", 2)]);
            let all = pen.drawn(&[]);
            let at = all.windows(dfsm.len()).position(|words| words == dfsm)?;
            Some(Pair::new(pen, [&all[..at], &all[at + dfsm.len()..]].concat(), all))
        },
    },
    Row {
        rule: "POPS-15",
        fact: "the value is what drivers write to DB_DFSM_CONTROL",
        make: |pen| {
            let write = |value| pen.set_at(0x28060, 0, &[value]);
            Some(Pair::new(pen, write(2), write(0)))
        },
    },
    Row { rule: "POPS-16", fact: "the rate is 2 pixels wide", make: |pen| pair(pen, &[("GE_VRS_RATE", "RATE_X", 1)], &[("GE_VRS_RATE", "RATE_X", 0)]) },
    Row {
        rule: "POPS-17",
        fact: "primitives may be out of order",
        make: |pen| pair(pen, &[("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1)], &[("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 0)]),
    },
    Row {
        rule: "POPS-18",
        fact: "an option that no driver sets",
        make: |pen| match pen.generation() {
            90..110 => pair(pen, &[control("EXEC_IF_OVERLAPPED", 1)], &[]),
            _ => {
                let mapping = |mode| [BINS[0], BINS[1], ("PA_SC_BINNER_CNTL_0", "BIN_MAPPING_MODE", mode)];
                pair(pen, &mapping(2), &mapping(0))
            }
        },
    },
    Row {
        rule: "POPS-19",
        fact: "the register is PA_SC_VRS_SURFACE_CNTL_1",
        make: |pen| Some(Pair::new(pen, pen.raw("SET_CONTEXT_REG", &[0x940, 0x80]), pen.raw("SET_CONTEXT_REG", &[pen.context("DB_SHADER_CONTROL"), 0]))),
    },
    Row {
        rule: "POPS-20",
        fact: "the wave id is loaded in a draw without POPS",
        make: |pen| match pen.generation() {
            90..110 => pair(pen, &[UNORDERED], &[UNORDERED, NO_LOAD, NO_SEND]),
            // These generations have no wave id to load.
            _ => Some(
                pair(pen, &[UNORDERED, NO_RATE, LOAD_WAVE, SEND_WAVE], &[UNORDERED, NO_RATE])?
                    .allow("POPS-05", "a program with these messages and no POPS is its mistake as well"),
            ),
        },
    },
    Row {
        rule: "PERF-05",
        fact: "the overlap counts pixels, not samples",
        make: |pen| {
            let field = if pen.generation() < 110 { "POPS_OVERLAP_NUM_SAMPLES" } else { "OVERRIDE_INTRINSIC_RATE" };
            let counted = |count| [samples(2), exposed(2), depth(2), control(field, count)];
            pair(pen, &counted(0), &counted(2))
        },
    },
    Row { rule: "POPS-21", fact: "the rate is enabled in a draw without POPS", make: |pen| pair(pen, &[UNORDERED], &[UNORDERED, NO_RATE]) },
    Row { rule: "POPS-22", fact: "depth has 4 samples, and the draw 8", make: |pen| pair(pen, &[DEPTH, depth(2), samples(3)], &[DEPTH, depth(3), samples(3)]) },
];
