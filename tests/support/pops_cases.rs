//! The rules on ordered draws: a correct draw as a list of fields, with one wrong field.

use super::rule_cases::{Case, case};
use super::streams::*;
use pm4::chip::Chip;
use pm4::packet::Opcode;

type Fields<'f> = &'f [(&'f str, &'f str, u32)];

const POPS: (&str, &str, u32) = ("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", 1);
const RATE: (&str, &str, u32) = ("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE", 1);
const EXPORT: (&str, &str, u32) = ("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 4);
const WAVE_ID: [(&str, &str, u32); 2] = [("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 1), ("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 1)];

/// Returns a correct ordered draw, changed by these fields; later ones override earlier ones.
fn ordered(chip: Chip, fields: Fields<'_>) -> Vec<u32> {
    let mut all = vec![POPS, EXPORT, ("DB_Z_INFO", "FORMAT", 0), ("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES", 0)];
    for name in ["DB_STENCIL_INFO", "PA_SC_SHADER_CONTROL", "SPI_SHADER_PGM_RSRC2_PS", "SPI_SHADER_Z_FORMAT", "DB_RENDER_OVERRIDE2"] {
        all.push((name, "", 0));
    }
    if chip.gfx().major() >= 11 {
        all.push(RATE);
    } else {
        all.extend(WAVE_ID);
        all.push(("DB_DFSM_CONTROL", "PUNCHOUT_MODE", 2));
    }
    all.extend_from_slice(fields);
    let mut words: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
    for (register, field, value) in all {
        let word = words.entry(register).or_default();
        let info = pm4::regs::find(chip.gfx(), register).unwrap_or_else(|| panic!("{chip} has no {register}")).info();
        match info.field(field) {
            Some(field) => *word = *word & !field.mask() | value << field.lo & field.mask(),
            None => assert!(field.is_empty(), "{register} of {chip} has no {field}"),
        }
    }
    let registers = words.into_iter().flat_map(|(name, value)| reg(chip, name, value));
    [state(chip), reg(chip, "SPI_SHADER_PGM_LO_PS", 0), registers.collect(), draw()].concat()
}

/// Returns a case from the fields that make the mistake and those that repair it.
fn pops(code: &'static str, chip: Chip, bad: Fields<'_>, good: Fields<'_>) -> Case {
    case(code, chip, ordered(chip, bad), ordered(chip, good))
}

const LOADS_OFF: [(&str, &str, u32); 2] = [("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0), ("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0)];
const UNORDERED: (&str, &str, u32) = ("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", 0);
const EIGHT: (&str, &str, u32) = ("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES", 3);
const DRAIN: (&str, &str, u32) = ("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 1);

/// Returns log2 of the exposed samples.
const fn exposed(samples: u32) -> (&'static str, &'static str, u32) {
    ("PA_SC_AA_CONFIG", "MSAA_EXPOSED_SAMPLES", samples)
}

/// Returns log2 of the samples in DB_Z_INFO.
const fn depth(samples: u32) -> (&'static str, &'static str, u32) {
    ("DB_Z_INFO", "NUM_SAMPLES", samples)
}

const fn control(field: &'static str, value: u32) -> (&'static str, &'static str, u32) {
    ("DB_SHADER_CONTROL", field, value)
}

pub fn cases() -> Vec<Case> {
    let squads = ("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 1);
    let without_dfsm = |chip| {
        let (words, dfsm) = (ordered(chip, &[squads]), reg(chip, "DB_DFSM_CONTROL", 2));
        let at = words.windows(3).position(|window| window == &dfsm[..3]).expect("it is written");
        [&words[..at], &words[at + 3..]].concat()
    };
    vec![
        pops("POPS-01", N31, &[("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0)], &[("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 1)]),
        pops("POPS-01", N10, &[("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0)], &[("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT", 1)]),
        pops("POPS-02", N21, &[("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0)], &[]),
        pops(
            "POPS-03",
            V,
            &[("PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION", 1)],
            &[("PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION", 1), ("SPI_SHADER_PGM_RSRC2_PS", "LOAD_INTRAWAVE_COLLISION", 1)],
        ),
        pops("POPS-04", N10, &LOADS_OFF, &[]),
        pops("POPS-05", N31, &[("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 1)], &[]),
        pops("POPS-06", V, &[exposed(2), control("POPS_OVERLAP_NUM_SAMPLES", 1)], &[exposed(2), control("POPS_OVERLAP_NUM_SAMPLES", 2)]),
        pops("POPS-07", N31, &[control("OVERRIDE_INTRINSIC_RATE_ENABLE", 0)], &[]),
        pops("POPS-08", N31, &[control("OVERRIDE_INTRINSIC_RATE", 2)], &[exposed(2), depth(2), control("OVERRIDE_INTRINSIC_RATE", 2)]),
        pops("POPS-09", N31, &[exposed(2), depth(1)], &[exposed(2), depth(2)]),
        pops("POPS-10", N31, &[depth(3)], &[]),
        pops("POPS-11", V, &[EIGHT, exposed(3)], &[EIGHT, exposed(3), DRAIN]),
        pops("POPS-12", V, &[DRAIN], &[]),
        pops("POPS-13", N10, &[DRAIN], &[DRAIN, squads]),
        case("POPS-14", N10, without_dfsm(N10), ordered(N10, &[squads])),
        case("POPS-15", N31, set(0x28060, &[2]), set(0x28060, &[0])),
        pops("POPS-16", N21, &[("GE_VRS_RATE", "RATE_X", 1)], &[("GE_VRS_RATE", "RATE_X", 0)]),
        pops("POPS-17", V, &[("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1)], &[("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 0)]),
        pops("POPS-18", V, &[control("EXEC_IF_OVERLAPPED", 1)], &[]),
        case("POPS-19", N31, raw_packet(Opcode::SET_CONTEXT_REG, &[0x940, 0x80]), set(0x2880C, &[0])),
        pops("POPS-20", V, &[UNORDERED], &[UNORDERED, LOADS_OFF[0], LOADS_OFF[1]]),
        pops("POPS-21", N31, &[UNORDERED], &[UNORDERED, control("OVERRIDE_INTRINSIC_RATE_ENABLE", 0)]),
        pops("POPS-22", N31, &[("DB_Z_INFO", "FORMAT", 1), depth(2), EIGHT], &[("DB_Z_INFO", "FORMAT", 1), depth(3), EIGHT]),
    ]
}
