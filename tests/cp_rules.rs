//! Every rule: a minimal stream that trips it, the same stream repaired that does not, and a real capture into which the mistake is put.
//!
//! The page of all rules, docs/rules.md, is compared with the table here; `PM4_WRITE_RULES=1` writes it anew.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx12"))]

#[path = "../examples/common/mod.rs"]
mod common;

use pm4::chip::Chip;
use pm4::cp::rules::{self, Level};
use pm4::cp::{CommandProcessor, Finding, Firmware, Observer};
use pm4::packet::{Header, Opcode, Queue};
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Default)]
struct Codes(Vec<&'static str>);

impl Observer for Codes {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.code);
    }
}

fn packet(opcode: Opcode, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0], body].concat()
}

/// A packet with other low header bits: 1 predicate, 2 compute, 4 filter CAM.
fn flagged(opcode: Opcode, flags: u32, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0 | flags], body].concat()
}

fn set(addr: u32, values: &[u32]) -> Vec<u32> {
    let (opcode, start) = match addr {
        0x28000.. if addr < 0x30000 => (Opcode::SET_CONTEXT_REG, 0x28000),
        0x30000.. => (Opcode::SET_UCONFIG_REG, 0x30000),
        _ => (Opcode::SET_SH_REG, 0xB000),
    };
    packet(opcode, &[&[(addr - start) / 4], values].concat())
}

/// A register of a chip by name.
fn reg(chip: Chip, name: &str, value: u32) -> Vec<u32> {
    set(pm4::regs::find(chip.gfx(), name).unwrap_or_else(|| panic!("{chip} has no {name}")).addr(), &[value])
}

fn draw() -> Vec<u32> {
    packet(Opcode::DRAW_INDEX_AUTO, &[3, 2])
}

/// What every draw needs.
fn state(chip: Chip) -> Vec<u32> {
    [reg(chip, "VGT_PRIMITIVE_TYPE", 4), reg(chip, "VGT_SHADER_STAGES_EN", 0x2000), reg(chip, "CB_TARGET_MASK", 0xF)].concat()
}

struct Case {
    code: &'static str,
    chip: Chip,
    queue: Queue,
    bad: Vec<u32>,
    good: Vec<u32>,
    firmware: Firmware,
    /// The mistake is one of the first draw: it goes in front of the capture.
    first: bool,
}

fn case(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    Case { code, chip, queue: Queue::Graphics, bad, good, firmware: Firmware::default(), first: false }
}

fn compute(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    Case { queue: Queue::Compute, ..case(code, chip, bad, good) }
}

/// A rule on a field of a register at a draw.
fn drawn(code: &'static str, chip: Chip, before: &[Vec<u32>], bad: Vec<u32>, good: Vec<u32>) -> Case {
    let with = |word: Vec<u32>| [state(chip), before.concat(), word, draw()].concat();
    case(code, chip, with(bad), with(good))
}

const V: Chip = Chip::Vega10;
const N10: Chip = Chip::Navi10;
const N21: Chip = Chip::Navi21;
const N31: Chip = Chip::Navi31;
const N48: Chip = Chip::Gfx1201;

const ADDRESS: [u32; 2] = [0x1000, 0x80];

fn release(word: u32, select: u32, lo: u32) -> Vec<u32> {
    packet(Opcode::RELEASE_MEM, &[word, select << 29, lo, 0x80, 1, 0, 0])
}

fn wait(control: u32, lo: u32, hi: u32, reference: u32) -> Vec<u32> {
    packet(Opcode::WAIT_REG_MEM, &[control, lo, hi, reference, u32::MAX, 4])
}

fn acquire(words: [u32; 7]) -> Vec<u32> {
    packet(Opcode::ACQUIRE_MEM, &words)
}

fn event(event: u32, index: u32) -> Vec<u32> {
    packet(Opcode::EVENT_WRITE, &[event | index << 8])
}

fn write(control: u32, lo: u32, hi: u32, value: u32) -> Vec<u32> {
    packet(Opcode::WRITE_DATA, &[control, lo, hi, value])
}

const MEMORY: u32 = 5 << 8;

fn cases() -> Vec<Case> {
    let nop = || vec![0xFFFF_1000];
    let packed = |words: &[u32]| flagged(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, 4, words);
    let dispatch = |flags, initiator| flagged(Opcode::DISPATCH_DIRECT, flags, &[1, 1, 1, initiator]);
    let ib = |control: u32| packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, control]);
    let index_type = packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 0]);
    let indexed = |max| packet(Opcode::DRAW_INDEX_2, &[max, 0x1000, 0x80, 0, 0]);
    let blend = |mask| [reg(N31, "CB_COLOR_CONTROL", 0xCC_0010), reg(N31, "CB_BLEND0_CONTROL", 1 << 30 | 15), reg(N31, "CB_SHADER_MASK", mask)].concat();
    let instance = |header| [set(0x30800, &[0]), flagged(Opcode::SET_UCONFIG_REG, header, &[0x40, 0]), set(0x30800, &[0xE000_0000])].concat();
    let release_9 = |word| [packet(Opcode::EVENT_WRITE, &[21 | 1 << 8, 0x2000, 0x80]), release(word, 1, 0x1000)].concat();
    vec![
        case("ENC-01", N31, vec![0xC003_6900, 0x203], set(0x2880C, &[0])),
        case("ENC-02", N31, packet(Opcode(0xFC), &[0]), nop()),
        case("ENC-03", N31, packet(Opcode::NUM_INSTANCES, &[1, 2]), packet(Opcode::NUM_INSTANCES, &[1])),
        case("ENC-04", N31, vec![0x4000_0000], nop()),
        case("ENC-05", N31, vec![0x8000_0000], nop()),
        case("ENC-06", N31, flagged(Opcode::NUM_INSTANCES, 0x10, &[1]), packet(Opcode::NUM_INSTANCES, &[1])),
        compute("ENC-07", N31, flagged(Opcode::SET_SH_REG, 4, &[0x20C, 0]), set(0xB830, &[0])),
        case("ENC-08", V, flagged(Opcode::SET_CONTEXT_REG, 4, &[0x203, 0]), set(0x2880C, &[0])),
        case("ENC-09", N31, packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[2, 0x203 | 0x200 << 16, 0, 0]), packed(&[2, 0x203 | 0x200 << 16, 0, 0])),
        case("ENC-10", N31, instance(0), instance(4)),
        compute("ENC-11", N31, dispatch(3, 1), dispatch(2, 1)),
        case("ENC-12", N31, packet(Opcode::SET_BASE, &[0x101, 0x1000, 0x80]), packet(Opcode::SET_BASE, &[1, 0x1000, 0x80])),
        case("ENC-14", N31, packed(&[3, 0x203 | 0x200 << 16, 0, 0]), packed(&[2, 0x203 | 0x200 << 16, 0, 0])),
        case("ENC-15", N31, packed(&[2, 0x203 | 0x203 << 16, 0, 0]), packed(&[2, 0x203 | 0x200 << 16, 0, 0])),
        case(
            "ENC-16",
            N31,
            packed(&[4, 0x203 | 0x200 << 16, 0, 0, 0x203 | 0x203 << 16, 1, 0]),
            packed(&[4, 0x203 | 0x200 << 16, 0, 0, 0x204 | 0x203 << 16, 1, 0]),
        ),
        case(
            "ENC-17",
            N31,
            flagged(Opcode::SET_SH_REG_PAIRS_PACKED_N, 4, &[&[16], &[0x8C | 0x8D << 16, 0, 0].repeat(8)[..]].concat()),
            flagged(Opcode::SET_SH_REG_PAIRS_PACKED_N, 4, &[&[14], &[0x8C | 0x8D << 16, 0, 0].repeat(7)[..]].concat()),
        ),
        Case {
            firmware: Firmware { pfp: Some(1400), ..Firmware::default() },
            ..case("ENC-18", N31, packed(&[2, 0x203 | 0x200 << 16, 0, 0]), set(0x2880C, &[0]))
        },
        case("ENC-19", N31, packet(Opcode(0xBC), &[2, 0x8C | 0x8D << 16, 0, 0]), packet(Opcode(0xBB), &[2, 0x8C | 0x8D << 16, 0, 0])),
        case("IB-05", N31, ib(7 | 1 << 23), ib(8 | 1 << 23)),
        case("IB-03", N31, ib(1 << 23), ib(8 | 1 << 23)),
        compute("IB-04", N31, ib(8 | 1 << 20), ib(8 | 9 << 20)),
        case("IB-01", N31, [ib(8 | 9 << 20), draw()].concat(), ib(8 | 9 << 20)),
        case(
            "IB-06",
            N31,
            [packet(Opcode::COND_EXEC, &[0x1000, 0x80, 0, 2]), draw()].concat(),
            [packet(Opcode::COND_EXEC, &[0x1000, 0x80, 0, 3]), draw()].concat(),
        ),
        case("IB-07", N31, ib(8 | 1 << 24), ib(8)),
        case("IB-08", N31, packet(Opcode::PRED_EXEC, &[1 << 24]), nop()),
        case("MEM-01", N31, packet(Opcode::SET_BASE, &[1, 0x1004, 0x80]), packet(Opcode::SET_BASE, &[1, 0x1008, 0x80])),
        case("MEM-02", N31, packet(Opcode::SET_BASE, &[1, 0x1000, 0x12_0000]), packet(Opcode::SET_BASE, &[1, 0x1000, 0xFFFF_8000])),
        case("MEM-03", N31, ib(8), nop()),
        case("MEM-04", N31, write(0, 0x4_C03F, 0, 0), write(0, 0xC03F, 0, 0)),
        case("MEM-05", N31, packet(Opcode::DMA_DATA, &[2 << 29, 0, 0, 0x1000, 0x80, 0]), packet(Opcode::DMA_DATA, &[2 << 29, 0, 0, 0x1000, 0x80, 4])),
        case("MEM-06", N31, wait(0x17, ADDRESS[0], ADDRESS[1], 1), wait(0x10, ADDRESS[0], ADDRESS[1], 1)),
        case("MEM-07", N31, packet(Opcode::SET_PREDICATION, &[4 << 16 | 1 << 31, 0x1000, 0x80]), packet(Opcode::SET_PREDICATION, &[4 << 16, 0x1000, 0x80])),
        case(
            "MEM-08",
            N31,
            [index_type.clone(), packet(Opcode::DRAW_INDEX_2, &[3, 0x1000, 0x80, 6, 0])].concat(),
            [index_type.clone(), packet(Opcode::DRAW_INDEX_2, &[6, 0x1000, 0x80, 6, 0])].concat(),
        ),
        case("PERF-01", N31, [set(0x2880C, &[1]), set(0x2880C, &[1])].concat(), [set(0x2880C, &[0x10]), set(0x2880C, &[0x20])].concat()),
        case(
            "PERF-02",
            N31,
            [set(0x2880C, &[0x10]), draw(), set(0x2880C, &[0x10]), draw()].concat(),
            [set(0x2880C, &[0x10]), draw(), set(0x2880C, &[0x20]), draw()].concat(),
        ),
        case(
            "PERF-03",
            N31,
            (0..10).flat_map(|i| [set(0x2880C, &[i]), draw()].concat()).collect(),
            (0..10).flat_map(|i| [set(0x2880C, &[i]), draw(), event(16, 4)].concat()).collect(),
        ),
        case("PERF-04", N31, [draw(), acquire([0, u32::MAX, 0xFF, 0, 0, 10, 0]), draw()].concat(), [draw(), draw()].concat()),
        drawn(
            "PERF-05",
            N31,
            &[reg(N31, "PA_SC_AA_CONFIG", 2 << 20)],
            reg(N31, "DB_SHADER_CONTROL", 1 << 16),
            reg(N31, "DB_SHADER_CONTROL", 1 << 16 | 2 << 26 | 1 << 29),
        ),
        case("REG-01", N31, packet(Opcode::SET_CONTEXT_REG, &[0x500, 0]), set(0x2880C, &[0])),
        case("REG-02", N31, set(0x28FFC, &[1]), set(0x2880C, &[0])),
        case("REG-03", N31, packet(Opcode::SET_CONFIG_REG, &[0x10, 0]), nop()),
        case("REG-04", N31, set(0xB830, &[0]), flagged(Opcode::SET_SH_REG, 2, &[0x20C, 0])),
        case("REG-05", N31, set(0x3090C, &[0]), index_type.clone()),
        case("REG-06", N31, packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 0, 0]), index_type.clone()),
        case("REG-07", N31, set(0x28410, &[0x000A_0010]), set(0x28410, &[0])),
        case("REG-08", N31, set(0x28C44, &[0x50]), set(0x28C44, &[0x40])),
        case("REG-09", N31, set(0x28250, &[0]), set(0x28250, &[0, 0])),
        Case { first: true, ..case("REG-10", N31, packet(Opcode::CONTEXT_REG_RMW, &[0x200, 1, 1]), packet(Opcode::CONTEXT_REG_RMW, &[0x200, u32::MAX, 1])) },
        case(
            "REG-11",
            N31,
            [packet(Opcode::CONTEXT_CONTROL, &[1 << 31, 1 << 31 | 2]), set(0xB020, &[0])].concat(),
            [packet(Opcode::CONTEXT_CONTROL, &[1 << 31, 1 << 31 | 2]), set(0x2880C, &[0])].concat(),
        ),
        case(
            "REG-12",
            N31,
            [packet(Opcode::CONTEXT_CONTROL, &[1 << 31, 1 << 31]), packet(Opcode::LOAD_CONTEXT_REG, &[0x1000, 0x80, 0x203, 1])].concat(),
            [packet(Opcode::CONTEXT_CONTROL, &[1 << 31 | 2, 1 << 31]), packet(Opcode::LOAD_CONTEXT_REG, &[0x1000, 0x80, 0x203, 1])].concat(),
        ),
        case("REG-13", N31, [packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[0x1000, 0x80, 0x203, 1]), draw()].concat(), draw()),
        compute("REG-14", N31, set(0x2880C, &[0]), set(0xB830, &[0])),
        case("REG-15", N31, [set(0x30800, &[0]), draw(), set(0x30800, &[0xE000_0000])].concat(), [set(0x30800, &[0xE000_0000]), draw()].concat()),
        Case { first: true, ..case("STA-01", N31, draw(), [state(N31), draw()].concat()) },
        case("STA-02", N31, [index_type.clone(), draw(), indexed(3)].concat(), [draw(), index_type.clone(), indexed(3)].concat()),
        case("STA-03", N10, [index_type.clone(), indexed(0)].concat(), [index_type, indexed(3)].concat()),
        case(
            "STA-04",
            N10,
            [state(N10), draw(), reg(N10, "VGT_SHADER_STAGES_EN", 0), draw()].concat(),
            [state(N10), draw(), event(36, 0), reg(N10, "VGT_SHADER_STAGES_EN", 0), draw()].concat(),
        ),
        drawn("STA-05", N31, &[], blend(0xF), blend(0xFF)),
        case(
            "STA-06",
            V,
            [state(V), draw(), set(0x2880C, &[0x10]), draw()].concat(),
            [state(V), draw(), set(0x2880C, &[0x10]), set(0x28250, &[0, 0]), draw()].concat(),
        ),
        drawn(
            "STA-07",
            N10,
            &[reg(N10, "DB_STENCIL_INFO", 1)],
            reg(N10, "DB_Z_INFO", 3 | 2 << 2 | 1 << 20),
            reg(N10, "DB_Z_INFO", 3 | 2 << 2 | 1 << 20 | 2 << 23),
        ),
        drawn("STA-08", N10, &[], reg(N10, "GE_CNTL", 8 << 9), reg(N10, "GE_CNTL", 256 << 9)),
        drawn("STA-09", N31, &[], reg(N31, "GE_CNTL", 300 << 21), reg(N31, "GE_CNTL", 252 << 21)),
        drawn(
            "STA-10",
            V,
            &[reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1)],
            reg(V, "IA_MULTI_VGT_PARAM", 127),
            reg(V, "IA_MULTI_VGT_PARAM", 255),
        ),
        drawn("STA-11", N31, &[], reg(N31, "PA_SC_BINNER_CNTL_0", 1 << 2), reg(N31, "PA_SC_BINNER_CNTL_0", 3 << 2)),
        drawn("STA-12", N31, &[], reg(N31, "PA_SC_BINNER_CNTL_0", 1 << 10), reg(N31, "PA_SC_BINNER_CNTL_0", 0)),
        drawn("STA-13", N31, &[reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 1 << 12)], reg(N31, "PA_SC_MODE_CNTL_1", 2), reg(N31, "PA_SC_MODE_CNTL_1", 0)),
        drawn("STA-14", N31, &[], reg(N31, "PA_SU_SC_MODE_CNTL", 1 << 24), reg(N31, "PA_SU_SC_MODE_CNTL", 1 << 24 | 1 << 3)),
        drawn("STA-15", N31, &[reg(N31, "DB_Z_INFO", 3 | 3 << 2)], reg(N31, "DB_RENDER_CONTROL", 0), reg(N31, "DB_RENDER_CONTROL", 6 << 20)),
        drawn("STA-16", N31, &[], reg(N31, "DB_RENDER_CONTROL", 3 << 16), reg(N31, "DB_RENDER_CONTROL", 0)),
        case("STA-17", N48, [draw(), draw()].concat(), [draw(), event(38, 0), event(38, 0), event(38, 0), draw()].concat()),
        drawn("STA-18", N31, &[], reg(N31, "VGT_SHADER_STAGES_EN", 0x2004), reg(N31, "VGT_SHADER_STAGES_EN", 0x2000)),
        drawn("STA-20", N31, &[], reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0), reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFF)),
        drawn("STA-21", N31, &[reg(N31, "PA_SC_AA_CONFIG", 2)], reg(N31, "PA_SC_AA_MASK_X0Y0_X1Y0", 0xFFFF), reg(N31, "PA_SC_AA_MASK_X0Y0_X1Y0", u32::MAX)),
        drawn("STA-22", N31, &[set(0xB020, &[1]), reg(N31, "SPI_PS_INPUT_ADDR", 2)], reg(N31, "SPI_PS_INPUT_ENA", 0), reg(N31, "SPI_PS_INPUT_ENA", 2)),
        case("STA-23", N31, packet(Opcode::DRAW_INDEX_AUTO, &[3, 0x42]), packet(Opcode::DRAW_INDEX_AUTO, &[0, 0x42])),
        case("STA-24", N31, dispatch(0, 1), dispatch(2, 1)),
        case("STA-25", N48, dispatch(2, 1 | 1 << 18 | 1 << 5), dispatch(2, 1 | 1 << 18)),
        drawn("STA-26", N31, &[], reg(N31, "PA_SC_MODE_CNTL_1", 1 << 27), reg(N31, "PA_SC_MODE_CNTL_1", 0)),
        case(
            "STA-27",
            N10,
            [reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 0), draw(), reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 1), draw()].concat(),
            [reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 0), draw(), reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 1), event(38, 0), draw()].concat(),
        ),
        drawn("STA-28", N48, &[reg(N48, "PA_SC_AA_CONFIG", 3)], reg(N48, "GE_VRS_RATE", 1), reg(N48, "GE_VRS_RATE", 0)),
        case("SYN-01", N31, event(20, 5), event(16, 4)),
        case("SYN-02", N31, release(16 | 5 << 8, 1, 0x1000), release(40 | 5 << 8, 1, 0x1000)),
        case("SYN-03", N31, release(48 | 6 << 8 | 1 << 12, 1, 0x1000), release(48 | 6 << 8, 1, 0x1000)),
        case("SYN-04", V, release(40 | 5 << 8, 1, 0x1000), release_9(40 | 5 << 8)),
        case("SYN-05", N31, release(40 | 5 << 8, 2, 0x1004), release(40 | 5 << 8, 2, 0x1008)),
        case("SYN-06", N21, release(40 | 5 << 8 | 1 << 30, 1, 0x1000), release(40 | 5 << 8, 1, 0x1000)),
        case("SYN-07", N31, acquire([1 << 25, u32::MAX, 0xFF, 0, 0, 10, 0]), acquire([0, u32::MAX, 0xFF, 0, 0, 10, 0])),
        case("SYN-08", N31, acquire([2 << 11 | 1 << 17, u32::MAX, 0xFF, 0, 0, 1 << 31, 0]), acquire([4 << 11 | 1 << 17, u32::MAX, 0xFF, 0, 0, 1 << 31, 0])),
        compute("SYN-09", N31, acquire([0, u32::MAX, 0xFF, 0, 0, 1 << 31, 0]), acquire([0, u32::MAX, 0xFF, 0, 0, 10, 0])),
        case("SYN-10", N31, event(44, 0), event(16, 4)),
        case("SYN-11", N31, event(16, 0), event(16, 4)),
        case("SYN-12", N21, event(21, 1), packet(Opcode::EVENT_WRITE, &[21 | 1 << 8, 0x1000, 0x80])),
        compute("SYN-13", N31, event(7, 5), event(7, 4)),
        compute("SYN-14", N31, packet(Opcode::PFP_SYNC_ME, &[0]), event(7, 4)),
        Case { firmware: Firmware { mec: Some(30), ..Firmware::default() }, ..compute("SYN-15", N21, event(7, 4), nop()) },
        case("SYN-16", N31, acquire([0, u32::MAX, 0xFF, 0, 0, 10, 1 << 6 | 1 << 15]), acquire([0, u32::MAX, 0xFF, 0, 0, 10, 1 << 6 | 1 << 15 | 1 << 16])),
        case("SYN-17", N31, acquire([0, u32::MAX, 0xFF, 0x10, 0, 10, 0]), acquire([0, u32::MAX, 0xFF, 0, 0, 10, 0])),
        case(
            "SYN-18",
            N31,
            [write(MEMORY, 0x1000, 0x80, 0), wait(0x13, 0x1000, 0x80, 1)].concat(),
            [write(MEMORY, 0x1000, 0x80, 0), release(40 | 5 << 8, 1, 0x1000), wait(0x13, 0x1000, 0x80, 1)].concat(),
        ),
        case("SYN-19", N31, release(40 | 5 << 8, 1, 0x7000), [release(40 | 5 << 8, 1, 0x7000), wait(0x13, 0x7000, 0x80, 1)].concat()),
        case(
            "SYN-20",
            N31,
            [write(MEMORY, 0x1000, 0x80, 1), packet(Opcode::COND_EXEC, &[0x1000, 0x80, 0, 0])].concat(),
            [write(MEMORY, 0x1000, 0x80, 1), packet(Opcode::PFP_SYNC_ME, &[0]), packet(Opcode::COND_EXEC, &[0x1000, 0x80, 0, 0])].concat(),
        ),
        case("SYN-21", V, [write(0, 0xC03F, 0, 0), wait(3, 0xC03F, 0, 1)].concat(), [write(0, 0xC03F, 0, 0), event(31, 0), wait(3, 0xC03F, 0, 1)].concat()),
        case("SYN-22", V, packet(Opcode::ACQUIRE_MEM, &[1 << 6, u32::MAX, 0xFF, 0, 0, 10]), packet(Opcode::ACQUIRE_MEM, &[0, u32::MAX, 0xFF, 0, 0, 10])),
        compute("SYN-23", V, packet(Opcode::ACQUIRE_MEM, &[1 << 25, u32::MAX, 0xFF, 0, 0, 10]), packet(Opcode::ACQUIRE_MEM, &[0, u32::MAX, 0xFF, 0, 0, 10])),
    ]
}

/// How often the rule of a case speaks on a stream.
fn count(case: &Case, words: &[u32]) -> usize {
    let mut cp = CommandProcessor::new(case.chip);
    cp.firmware(case.firmware);
    if rules::find(case.code).is_some_and(|rule| rule.quiet) {
        cp.level(case.code, Level::Warn);
    }
    cp.submit(case.queue, "main", words);
    let mut codes = Codes::default();
    cp.run(&mut codes);
    codes.0.iter().filter(|code| **code == case.code).count()
}

#[test]
fn each_rule_trips_on_its_mistake_and_not_on_the_repaired_stream() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (bad, good) = (count(&case, &case.bad), count(&case, &case.good));
        if bad == 0 || good != 0 {
            wrong.push(format!("{}: {bad} on the mistake, {good} on the repaired stream", case.code));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A capture of the chip's generation that draws.
fn capture(chip: Chip) -> Option<Vec<u32>> {
    let file = match chip {
        Chip::Vega10 => "vega10/draw_none_rmw_s1_color.bin",
        Chip::Navi10 => "navi10/draw_none_rmw_s1_color.bin",
        Chip::Navi21 => "navi21/draw_none_rmw_s1_color.bin",
        Chip::Navi31 => "navi31/draw_none_rmw_s1_color.bin",
        _ => return None,
    };
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(file)).ok()?;
    Some(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

#[test]
fn each_rule_trips_on_a_capture_with_the_mistake_in_it() {
    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in cases().into_iter().filter(|case| case.queue == Queue::Graphics) {
        let Some(real) = capture(case.chip) else { continue };
        let mutated = if case.first { [&case.bad[..], &real].concat() } else { [&real[..], &case.bad].concat() };
        let (before, after) = (count(&case, &real), count(&case, &mutated));
        judged += 1;
        // A remark about packets is made once, so what the capture trips already need not count up.
        if after <= before && before == 0 {
            wrong.push(format!("{}: {before} on the capture, {after} with the mistake", case.code));
        }
    }
    assert!(judged > 40, "{judged} captures");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.code).collect();
    // POPS: tests/cp_pops.rs. Buffers that run themselves and limits: tests/cp.rs and tests/cp_waits.rs.
    let elsewhere = ["IB-02", "RUN-01", "RUN-02"];
    let bare: Vec<&str> =
        rules::all().map(|rule| rule.code).filter(|code| !covered.contains(code) && !code.starts_with("POPS") && !elsewhere.contains(code)).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn codes_are_unique_and_every_rule_says_who_says_so() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        assert!(seen.insert(rule.code), "{} stands twice", rule.code);
        assert!(!rule.source.is_empty() && rule.explanation.len() > 40 && !rule.title.is_empty(), "{}", rule.code);
    }
}

#[test]
fn levels_silence_raise_and_wake_rules() {
    let words = [set(0x2880C, &[1]), set(0x2880C, &[1])].concat();
    let run = |code: &str, level| {
        let mut cp = CommandProcessor::new(N31);
        assert!(cp.level(code, level));
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ())
    };
    assert_eq!(run("PERF-01", Level::Deny).errors, 1);
    assert_eq!(run("perf-01", Level::Warn).warnings, 1);
    assert_eq!(run("PERF-01", Level::Allow).infos, 0);
}

#[test]
fn the_page_of_rules_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let page = common::rules::page();
    if std::env::var_os("PM4_WRITE_RULES").is_some() {
        std::fs::write(&path, &page).expect("docs can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "docs/rules.md is not the table: run PM4_WRITE_RULES=1 cargo test --test cp_rules");
}
