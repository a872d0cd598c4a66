//! A minimal stream that violates each rule, and the same stream repaired.

#![allow(dead_code)] // each test binary uses its part

use super::mutation::Settings;
use super::streams::*;
use pm4::chip::Chip;
use pm4::cp::{BoardFacts, FirmwareVersions};
use pm4::packet::gfx11::{
    AcquireMem, ContextControl, ContextRegRmw, CopyData, DispatchDirect, DmaData, DrawIndex2, LoadContextReg, NumInstances, PredExec, ReleaseMem, SetBase,
    SetPredication, SetShReg, SetShRegIndex, SetShRegPairsPacked, SetShRegPairsPackedN, SetUconfigReg, WaitRegMem,
};
use pm4::packet::layouts::{AcquireGcrCntl, CoherCntl, DrawInitiator};
use pm4::packet::values::{
    AcquireMemPwsStageSel, CopyDataDstSel, CopyDataSrcSel, EngineSel, Function, IndexSetContextReg, MemSpace, ReleaseMemDataSel, ReleaseMemEventIndex,
    SetBaseBaseIndex, SetPredicationPredOp, SetShRegIndexIndex,
};
use pm4::packet::{Event, Header, Opcode, PacketFields, Queue, ShaderType, gfx9, gfx12, gfx103};
use pm4::queues::{KernelDispatch, MesAddQueue, MesFence, MesWriter, Pm4Buffer, QueueFamily, Target};

/// A mistake and its repair.
pub struct Case {
    pub code: &'static str,
    pub chip: Chip,
    pub queue: Queue,
    pub bad: Vec<u32>,
    pub good: Vec<u32>,
    /// What a compute queue runs concurrently.
    pub beside: Vec<u32>,
    pub settings: Settings,
    /// Other rules that report the same mistake.
    pub also: &'static [&'static str],
}

impl Case {
    pub fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    pub fn beside(self, beside: Vec<u32>) -> Self {
        Self { beside, ..self }
    }

    pub fn with(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }
}

pub fn case(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    Case { code, chip, queue: Queue::Graphics, bad, good, beside: Vec::new(), settings: Settings::default(), also: &[] }
}

fn compute(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    Case { queue: Queue::Compute, ..case(code, chip, bad, good) }
}

/// Returns a case with SDMA packets and 64 zero dwords at 0x20_0000.
fn copying(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    case(code, chip, bad, good).beside(vec![0; 64]).with(Settings { sdma: true, ..Settings::default() })
}

/// Returns a case with AQL packets and a zero descriptor and signals at 0x20_0000.
fn queued(code: &'static str, chip: Chip, bad: Vec<u32>, good: Vec<u32>) -> Case {
    case(code, chip, bad, good).beside(vec![0; 256]).with(Settings { aql: true, ..Settings::default() })
}

/// Returns a case for a rule on a register field at a draw.
fn drawn(code: &'static str, chip: Chip, before: &[Vec<u32>], bad: Vec<u32>, good: Vec<u32>) -> Case {
    let with = |word: Vec<u32>| [state(chip), before.concat(), word, draw()].concat();
    case(code, chip, with(bad), with(good))
}

fn firmware(firmware: FirmwareVersions) -> Settings {
    Settings { firmware, ..Settings::default() }
}

/// Returns all cases, sorted by code within a family.
pub fn cases() -> Vec<Case> {
    let mut all = packets();
    all.extend(state_of_stages());
    all.extend(state_of_targets());
    all.extend(exports_and_inputs());
    all.extend(asked_by_workarounds());
    all.extend(order());
    all.extend(copies());
    all.extend(kernels());
    all.extend(frames());
    all.extend(dispatches());
    all.extend(super::pops_cases::cases());
    all
}

/// Mistakes on an SDMA queue.
fn copies() -> Vec<Case> {
    const MEMORY: u32 = 0x20_0000;
    let fill = |count: u32| vec![0x8000_000B, MEMORY, 0, 7, count];
    let copy = |src: u32, dst: u32, count: u32| vec![1, count, 0, src, 0, dst, 0];
    let fence = |bits: u32| vec![bits | 5, MEMORY, 0, 1];
    let call = |bits: u32, dwords: u32| vec![0, 0, bits | 4, MEMORY, 0, dwords, 0, 0];
    let poll = |function: u32| vec![function << 28 | 8, 0x1000, 0, 1, u32::MAX, 0x0FFF_0004];
    let window = |width: u32| vec![0x4000_0401, MEMORY, 0, 0, 7 << 13, 63, MEMORY + 128, 0, 0, 7 << 13, 63, (width - 1) | 1 << 16, 0];
    vec![
        copying("SDMA-01", V, fill(0x40_00FF), fill(0xFF)),
        copying("SDMA-01", N31, fill(0xC000_00FF), fill(0xFF)),
        // The part that Mesa loses of the longest copy.
        copying("SDMA-01", N21, copy(MEMORY, 0x8000_0000, 0x3FFF_FFFF), copy(MEMORY, 0x8000_0000, 0x3FFF_FEFF)),
        copying("SDMA-02", V, fence(3 << 16), fence(0)),
        copying("SDMA-02", N31, fence(1 << 21), fence(3 << 16)),
        // A byte order.
        copying("SDMA-02", N31, [&[1, 15, 1 << 16][..], &copy(MEMORY, MEMORY + 64, 15)[3..]].concat(), copy(MEMORY, MEMORY + 64, 15)),
        copying("SDMA-03", N31, [fill(63), copy(MEMORY, MEMORY + 64, 63)].concat(), [fill(63), vec![0], copy(MEMORY, MEMORY + 64, 63)].concat()),
        copying("SDMA-03", V, fill(63).repeat(2), [fill(63), fence(0), fill(63)].concat()),
        copying("SDMA-04", N31, copy(MEMORY, MEMORY + 32, 63), copy(MEMORY, MEMORY + 64, 63)),
        copying("SDMA-04", N31, [&[1 | 1 << 25][..], &copy(MEMORY + 32, MEMORY, 63)[1..]].concat(), copy(MEMORY + 32, MEMORY, 63)),
        copying("SDMA-05", N31, call(0, 9), call(0, 8)),
        copying("SDMA-05", V, [call(0, 8), vec![0], call(0, 8)].concat(), [call(0, 8), call(0, 8)].concat()),
        copying("SDMA-06", N31, call(3 << 16, 8), call(0, 8)),
        copying("SDMA-06", N31, poll(3), poll(0)),
        copying("SDMA-06", V, vec![0xF000_000E, 0x1234, 1], vec![6, 0]),
        copying("SDMA-07", N31, fill(0x101), fill(0xFF)),
        copying("SDMA-07", N31, copy(MEMORY, MEMORY + 0x1000, 0x100), copy(MEMORY, MEMORY + 0x1000, 0xFF)),
        copying("SDMA-08", N31, window(9), window(8)),
        // A compute queue writes the filled memory.
        case("SDMA-09", N31, vec![0x8000_000B, MEMORY + 0x1000, 0, 7, 63], vec![0x8000_000B, MEMORY + 0x1040, 0, 7, 63])
            .beside(raw_packet(Opcode::WRITE_DATA, &[1 << 20 | 5 << 8, MEMORY + 0x1020, 0, 7]))
            .with(Settings { sdma: true, beside: true, ..Settings::default() }),
        copying("MEM-06", N31, vec![0xF000_0008, MEMORY, 0, 0, u32::MAX, 4], vec![0xB000_0008, MEMORY, 0, 0, u32::MAX, 4]),
        copying("IB-06", N31, [vec![9, MEMORY, 0, 0, 3], fence(0)].concat(), [vec![9, MEMORY, 0, 0, 4], fence(0)].concat()),
    ]
}

/// Mistakes in the MES ring.
fn frames() -> Vec<Case> {
    let frame = |chip: Chip, change: fn(&mut MesAddQueue)| {
        let mut queue = MesAddQueue { mqd: 0x7000, process_context: 0x8000, gang_context: 0x9000, ..MesAddQueue::default() };
        change(&mut queue);
        let mut writer = MesWriter::new(Target::from(chip).version(QueueFamily::Mes).expect("it has MES"));
        writer.add_queue(&queue, MesFence { addr: 0x20_0000, value: 1 }).expect("a frame");
        writer.into_words()
    };
    let good = |chip| frame(chip, |_| ());
    let case = |code, chip, bad| case(code, chip, bad, good(chip)).beside(vec![0; 64]).with(Settings { mes: true, ..Settings::default() });
    let header = |code, chip, bits: u32| {
        let mut words = good(chip);
        words[0] ^= bits;
        case(code, chip, words)
    };
    vec![
        header("MES-01", N31, 0x60 << 12),
        header("MES-01", N48, 0x60 << 12),
        header("MES-01", N31, 1 << 20),
        header("MES-01", N31, 2),
        header("ENC-02", N31, 0xFD << 4),
        case("MES-02", N31, frame(N31, |queue| queue.mqd = 0)),
        case("MES-02", N48, frame(N48, |queue| queue.gang_context = 0)),
        case("MES-02", N31, frame(N31, |queue| queue.process_context = 0)),
    ]
}

/// Mistakes on an AQL queue.
fn kernels() -> Vec<Case> {
    const MEMORY: u64 = 0x20_0000;
    let right = KernelDispatch { kernel_object: MEMORY, group: [64, 1, 1], grid: [64, 1, 1], ..KernelDispatch::default() };
    let dispatch = |change: fn(&mut KernelDispatch)| {
        let mut packet = right;
        change(&mut packet);
        packet.words().to_vec()
    };
    let good = || dispatch(|_| ());
    let with = |dword: usize, bits: u32| {
        let mut words = good();
        words[dword] ^= bits;
        words
    };
    let slot = |header: u32| [&[header][..], &[0; 15]].concat();
    let described = |dword: usize, word: u32| {
        let mut memory = vec![0; 256];
        memory[64 + dword] = word;
        move |code: &'static str, chip: Chip| {
            let of = |kernel_object| KernelDispatch { kernel_object, ..right }.words().to_vec();
            queued(code, chip, of(MEMORY + 256), of(MEMORY)).beside(memory.clone())
        }
    };
    let pm4 = |dwords: u32| Pm4Buffer { addr: MEMORY, dwords, completion_signal: 0 }.words().expect("a packet");
    let called = |dword: usize, bits: u32| {
        let mut words = pm4(2);
        words[dword] ^= bits;
        queued("AQL-09", N31, words, pm4(2)).beside(raw_packet(Opcode::NOP, &[0]))
    };
    vec![
        queued("AQL-01", N31, slot(good()[0]), good()),
        queued("AQL-01", N31, slot(0x0001_1500), good()),
        queued("AQL-02", N31, [good(), with(0, 3), good()].concat(), [with(0, 3), good(), good()].concat()),
        queued("AQL-03", N31, with(0, 1 << 13), good()),
        queued("AQL-03", V, with(0, 1 << 18), good()),
        queued("AQL-03", N31, with(2, 1 << 31), good()),
        queued("AQL-03", N31, with(13, 1), good()),
        queued("AQL-04", N31, with(0, 1 << 9), good()),
        queued("AQL-04", N31, with(0, 1 << 11), good()),
        queued("AQL-05", N31, dispatch(|packet| packet.dimensions = 0), good()),
        queued("AQL-05", N31, dispatch(|packet| packet.group[1] = 0), good()),
        queued("AQL-05", N31, dispatch(|packet| packet.grid[2] = 0), good()),
        queued("AQL-05", N31, dispatch(|packet| packet.group = [16, 16, 5]), dispatch(|packet| packet.group = [16, 16, 4])),
        queued("AQL-05", N31, dispatch(|packet| (packet.dimensions, packet.group[2]) = (2, 2)), dispatch(|packet| packet.dimensions = 2)),
        queued("AQL-06", N31, dispatch(|packet| packet.kernel_object = 0), good()),
        queued("AQL-06", N31, dispatch(|packet| packet.kernel_object += 32), good()),
        queued("AQL-07", N31, dispatch(|packet| packet.group_size = 0x1_0001), dispatch(|packet| packet.group_size = 0x1_0000)),
        described(1, 16)("AQL-07", N31),
        described(3, 1)("AQL-08", N31),
        described(13, 1 << 15)("AQL-08", N31),
        described(14, 1)("AQL-08", N31).also(&["AQL-12"]),
        described(11, 1)("AQL-08", V),
        described(14, 1 << 10)("AQL-08", V),
        called(1, 1 << 8),
        called(2, 2),
        called(4, 1 << 23),
        called(5, 1),
        queued("AQL-10", N31, slot(0x1504), slot(0x1503)),
        queued("AQL-10", N31, slot(0x0002_1500), slot(0x1503)),
        queued("AQL-11", N31, dispatch(|packet| packet.completion_signal = 0x20_0100), dispatch(|packet| packet.completion_signal = 0x20_0000))
            .beside([vec![0; 64], vec![-2i32 as u32, u32::MAX]].concat()),
        queued("MEM-01", N31, dispatch(|packet| packet.kernarg += 8), dispatch(|packet| packet.kernarg += 16)),
        queued("MEM-01", N31, dispatch(|packet| packet.completion_signal = MEMORY + 32), dispatch(|packet| packet.completion_signal = MEMORY + 64)),
        queued("ENC-02", N31, slot(0x1506), slot(0x1503)),
        queued("ENC-02", N31, slot(0x0003_1500), slot(0x1503)),
        described(14, 1 << 3)("AQL-12", N31),
        described(13, 17 << 1)("AQL-12", V),
    ]
}

/// Programs of dispatches, and their addresses.
fn dispatches() -> Vec<Case> {
    let at = |low: u32| [program(N31), reg(N31, "COMPUTE_PGM_HI", 0), reg(N31, "COMPUTE_PGM_LO", low), dispatch()].concat();
    let data = |second: u32| {
        let data = set(addr(N31, "COMPUTE_USER_DATA_0"), &[0x2345_6000, second, 0x400, 0x7_4FAC]);
        [program(N31), reg(N31, "COMPUTE_PGM_RSRC2", 4 << 1), data, dispatch()].concat()
    };
    let write = |to: u32| raw_packet(Opcode::WRITE_DATA, &[to << 8, 0x1000, 0x80, 0]);
    vec![
        compute("MEM-09", N31, write(1), write(5)),
        compute("REG-18", N31, reg(N31, "COMPUTE_PGM_RSRC2", 257 << 15), reg(N31, "COMPUTE_PGM_RSRC2", 128 << 15)),
        compute("REG-18", N31, reg(N31, "COMPUTE_PGM_RSRC2", 17 << 1), reg(N31, "COMPUTE_PGM_RSRC2", 16 << 1)),
        compute("REG-18", V, reg(V, "COMPUTE_PGM_RSRC1", 1 << 20 | 1 << 24), reg(V, "COMPUTE_PGM_RSRC1", 0)),
        compute("REG-18", N21, reg(N21, "COMPUTE_PGM_RSRC1", 1 << 20), reg(N21, "COMPUTE_PGM_RSRC1", 0)),
        compute("REG-17", N48, set(0xB88C, &[0x3F0]), set(0xB88C, &[u32::MAX])),
        compute("REG-17", N31, set(0xB8B4, &[0x3F0]), set(0xB8B4, &[u32::MAX])),
        compute("REG-16", N21, set(0xB8B0, &[u32::MAX]), set(0xB8B0, &[0])),
        compute("REG-16", N31, reg(N31, "COMPUTE_VMID", 3), reg(N31, "COMPUTE_VMID", 0)),
        // MAP_QUEUES and RUN_LIST from samples of kernel queues.
        compute("ENC-20", N31, raw_packet(Opcode::MAP_QUEUES, &[0x2005_0000, 0x460, 0x2345_6000, 1, 0xABCD_1000, 0x7F00]), nop()),
        compute("ENC-20", V, raw_packet(Opcode::RUN_LIST, &[0x2345_6000, 1, 0x0380_0064]), nop()),
        compute("STA-68", N31, at(0), at(1)),
        compute("STA-69", N31, data(0), data(0x10_0001)),
    ]
}

/// Rings, and the stages before the rasterizer.
fn state_of_stages() -> Vec<Case> {
    let attributes = set(0x31118, &[1, 1]);
    let rings = set(0x309A0, &[1, 1, 1, 1]);
    let ia = |value| reg(V, "IA_MULTI_VGT_PARAM", value);
    let topology = |value| reg(V, "VGT_PRIMITIVE_TYPE", value);
    let restart = |before: Vec<u32>| [before, reg(V, "VGT_MULTI_PRIM_IB_RESET_EN", 1), index_type(), indexed(3)].concat();
    let stages = |chip, value| reg(chip, "VGT_SHADER_STAGES_EN", value);
    let patches = |chip, count: u32| reg(chip, "VGT_LS_HS_CONFIG", count | 3 << 8 | 3 << 14);
    let deallocs = |chip, count: u32| reg(chip, "PA_SC_NGG_MODE_CNTL", count);
    let wgp = || reg(N21, "SPI_SHADER_PGM_RSRC1_GS", 1 << 27);
    const APART: u32 = 1 << 20;
    const PARTIAL_VS: u32 = 1 << 16;
    const HS: u32 = 1 << 2;
    const GS: u32 = 1 << 5;
    const NGG: u32 = 1 << 13;
    const FAST_LAUNCH: u32 = 1 << 19;
    vec![
        case("STA-29", N48, [reg(N48, "GE_POS_RING_BASE", 1), draw()].concat(), [rings.clone(), draw()].concat()),
        case("STA-30", N48, [attributes.clone(), draw()].concat(), [attributes.clone(), rings, draw()].concat()),
        case("STA-30", N31, draw(), [attributes, draw()].concat()),
        drawn("STA-31", N48, &[], reg(N48, "SPI_SHADER_PGM_RSRC3_GS", u32::MAX), reg(N48, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFF_FDFD)),
        drawn("STA-33", V, &[topology(5)], ia(0), ia(APART)),
        case("STA-33", V, [topology(4), ia(0), opaque()].concat(), [topology(4), ia(APART), opaque()].concat()),
        case("STA-33", V, restart([topology(4), ia(0)].concat()), restart([topology(4), ia(APART)].concat())),
        // Points need nothing.
        case("STA-33", V, restart([topology(2), ia(0)].concat()), restart([topology(1), ia(0)].concat())),
        case("STA-34", V, restart([topology(6), ia(APART)].concat()), restart([topology(6), ia(APART | PARTIAL_VS)].concat())),
        case("STA-34", V, restart([topology(11), ia(APART)].concat()), restart([topology(2), ia(APART)].concat())),
        drawn("STA-35", N21, &[stages(N21, HS | GS)], reg(N21, "VGT_REUSE_OFF", 0), reg(N21, "VGT_REUSE_OFF", 1)),
        drawn("STA-36", V, &[stages(V, HS), patches(V, 16)], ia(23), ia(15)),
        drawn("STA-36", N10, &[stages(N10, HS), patches(N10, 16)], reg(N10, "GE_CNTL", 256 << 9 | 24), reg(N10, "GE_CNTL", 256 << 9 | 16)),
        drawn("STA-36", N31, &[stages(N31, HS | NGG)], patches(N31, 86), patches(N31, 85)),
        drawn(
            "STA-36",
            N48,
            &[stages(N48, HS), reg(N48, "VGT_PRIMITIVE_TYPE", 9 | 4 << 6)],
            reg(N48, "VGT_LS_HS_CONFIG", 65 | 3 << 14),
            reg(N48, "VGT_LS_HS_CONFIG", 64 | 3 << 14),
        ),
        drawn("STA-37", N48, &[stages(N48, HS), reg(N48, "GE_CNTL", 1 << 19)], reg(N48, "VGT_TF_PARAM", 3 << 17), reg(N48, "VGT_TF_PARAM", 0)),
        drawn("STA-40", N10, &[], stages(N10, GS | 1 << 22), stages(N10, GS)),
        drawn("STA-41", N21, &[stages(N21, NGG | GS | FAST_LAUNCH)], reg(N21, "VGT_GS_MAX_VERT_OUT", 0), reg(N21, "VGT_GS_MAX_VERT_OUT", 64)),
        drawn("STA-41", N10, &[stages(N10, GS)], reg(N10, "VGT_GS_MAX_VERT_OUT", 0), reg(N10, "VGT_GS_MAX_VERT_OUT", 64)),
        // Mesh draws also need it if nothing has written it. The other chip gets it from CLEAR_STATE.
        case("STA-41", N48, [stages(N48, GS | FAST_LAUNCH), draw()].concat(), [stages(N48, GS), draw()].concat()),
        // CU 1 is masked, or its whole WGP.
        drawn("STA-48", N21, &[stages(N21, NGG | GS), wgp()], reg(N21, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFD), reg(N21, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFC)),
        drawn("STA-49", N10, &[stages(N10, NGG)], deallocs(N10, 513), deallocs(N10, 512)),
        drawn("STA-49", N31, &[], deallocs(N31, 17), deallocs(N31, 16)),
        drawn("STA-49", N48, &[], deallocs(N48, 65), deallocs(N48, 64)),
        drawn(
            "STA-42",
            N10,
            &[stages(N10, GS), reg(N10, "VGT_GS_MAX_VERT_OUT", 129)],
            reg(N10, "VGT_GS_MODE", 3 | 3 << 4),
            reg(N10, "VGT_GS_MODE", 3 | 2 << 4),
        ),
    ]
}

/// Rasterizer, shading rates and targets.
fn state_of_targets() -> Vec<Case> {
    let release = one(&end_of_pipe());
    let hiz = [reg(N48, "PA_SC_HIZ_INFO", 1), reg(N48, "DB_DEPTH_CONTROL", 1 << 2)].concat();
    let exports = reg(N48, "PA_CL_VS_OUT_CNTL", 1 << 28);
    vec![
        drawn(
            "STA-32",
            N48,
            &[reg(N48, "PA_SC_BINNER_CNTL_0", 0)],
            reg(N48, "PA_SC_BINNER_CNTL_1", 1023 << 16 | 254),
            reg(N48, "PA_SC_BINNER_CNTL_1", 511 << 16 | 254),
        ),
        drawn("STA-38", N31, &[reg(N31, "PA_SC_AA_CONFIG", 3), reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 0)], reg(N31, "GE_VRS_RATE", 1), reg(N31, "GE_VRS_RATE", 0)),
        // The combiner MIN with 1x1 disables every rate except that of the image.
        drawn(
            "STA-38",
            N31,
            &[reg(N31, "PA_SC_AA_CONFIG", 3), reg(N31, "GE_VRS_RATE", 1)],
            reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 2 | 1 << 12),
            reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 2),
        ),
        drawn(
            "STA-38",
            N21,
            &[reg(N21, "PA_SC_AA_CONFIG", 3), reg(N21, "GE_VRS_RATE", 0)],
            reg(N21, "DB_VRS_OVERRIDE_CNTL", 1 | 1 << 4),
            reg(N21, "DB_VRS_OVERRIDE_CNTL", 1),
        ),
        // Rates in HTILE, which the combiner uses instead of the draw's.
        drawn(
            "STA-38",
            N21,
            &[
                reg(N21, "PA_SC_AA_CONFIG", 3),
                reg(N21, "DB_VRS_OVERRIDE_CNTL", 0),
                reg(N21, "DB_Z_INFO", 3 | 3 << 2 | 1 << 29),
                reg(N21, "DB_HTILE_SURFACE", 2 << 19),
            ],
            reg(N21, "PA_CL_VRS_CNTL", 1 << 6),
            reg(N21, "PA_CL_VRS_CNTL", 0),
        ),
        case("STA-39", N48, [exports.clone(), draw(), draw()].concat(), [exports, draw(), release.clone(), draw()].concat()),
        case("STA-39", N48, [hiz.clone(), draw(), draw()].concat(), [hiz, draw(), release, draw()].concat()),
        drawn(
            "STA-43",
            STRIX,
            &[reg(STRIX, "CB_COLOR0_ATTRIB", 2)],
            reg(STRIX, "CB_COLOR0_FDCC_CONTROL", 1 << 22),
            reg(STRIX, "CB_COLOR0_FDCC_CONTROL", 1 << 22 | 1 << 26 | 2 << 27),
        ),
        case("STA-45", N31, dispatch(), [program(N31), dispatch()].concat()),
        compute("STA-45", V, [set(0xB830, &[1, 0]), dispatch()].concat(), [program(V), dispatch()].concat()),
        compute("STA-46", N31, [program(N31), masks(N31, 0), dispatch()].concat(), [program(N31), masks(N31, 1), dispatch()].concat()).also(&["REG-16"]),
        compute("STA-46", V, [program(V), masks(V, 0), dispatch()].concat(), [program(V), masks(V, 0x10), dispatch()].concat()),
        drawn("STA-44", N48, &[reg(N48, "PA_SC_HIZ_INFO", 1)], walk("WALK_ALIGN8_PRIM_FITS_ST", 1), walk("WALK_ALIGN8_PRIM_FITS_ST", 0)),
        drawn("STA-44", N48, &[reg(N48, "PA_SC_HIS_INFO", 1)], walk("WALK_ALIGNMENT", 1), walk("WALK_ALIGNMENT", 0)),
        // Positions of 2 samples: x is -8 in one, y in the other. Exclusion is per axis.
        drawn(
            "STA-50",
            N21,
            &[reg(N21, "PA_SC_AA_CONFIG", 1), positions(N21, 0x0008)],
            reg(N21, "PA_SU_PRIM_FILTER_CNTL", 3 << 30),
            reg(N21, "PA_SU_PRIM_FILTER_CNTL", 1 << 31),
        ),
        drawn(
            "STA-50",
            V,
            &[reg(V, "PA_SC_AA_CONFIG", 1), positions(V, 0x8000)],
            reg(V, "PA_SU_PRIM_FILTER_CNTL", 3 << 30),
            reg(V, "PA_SU_PRIM_FILTER_CNTL", 1 << 30),
        ),
        // 64 pixels high with binning on; 16 wide with binning off.
        drawn("STA-47", N48, &[], reg(N48, "PA_SC_BINNER_CNTL_0", 2 << 4 | 1 << 7), reg(N48, "PA_SC_BINNER_CNTL_0", 2 << 4 | 2 << 7)),
        drawn("STA-47", N48, &[], reg(N48, "PA_SC_BINNER_CNTL_0", 3 | 1 << 2 | 2 << 4 | 2 << 7), reg(N48, "PA_SC_BINNER_CNTL_0", 3 | 2 << 4 | 2 << 7)),
    ]
}

/// Returns a pixel shader with a program, a written target and one export.
fn pixels(chip: Chip, col_format: u32, shader_mask: u32, number_type: u32) -> Vec<u32> {
    let format = if chip.gfx().major() >= 11 { 10 } else { 10 << 2 };
    let registers = [
        ("SPI_SHADER_PGM_LO_PS", 1),
        ("SPI_PS_INPUT_ENA", 2),
        ("SPI_PS_INPUT_ADDR", 2),
        ("CB_COLOR_CONTROL", 1 << 4),
        ("CB_COLOR0_INFO", format | number_type << 8),
        ("SPI_SHADER_COL_FORMAT", col_format),
        ("CB_SHADER_MASK", shader_mask),
    ];
    registers.iter().flat_map(|(name, value)| reg(chip, name, *value)).collect()
}

/// Links between stages, and user data.
fn exports_and_inputs() -> Vec<Case> {
    // One parameter, read by all inputs.
    let linked = |chip, inputs: u32, exports: u32, offset: u32| {
        let gfx12 = chip == N48;
        let counts = match gfx12 {
            true => reg(chip, "SPI_SHADER_GS_OUT_CONFIG_PS", inputs << 11 | exports),
            false => [reg(chip, "SPI_PS_IN_CONTROL", inputs), reg(chip, "SPI_VS_OUT_CONFIG", exports)].concat(),
        };
        [pixels(chip, 4, 0xF, 0), counts, reg(chip, "SPI_PS_INPUT_CNTL_0", 0), reg(chip, "SPI_PS_INPUT_CNTL_1", offset)].concat()
    };
    let drawn_with = |words: Vec<u32>, chip| [state(chip), words, draw()].concat();
    let case_of = |code, chip, bad: Vec<u32>, good: Vec<u32>| case(code, chip, drawn_with(bad, chip), drawn_with(good, chip));
    let resources = |chip, count: u32| [reg(chip, "SPI_SHADER_PGM_LO_PS", 1), reg(chip, "SPI_SHADER_PGM_RSRC2_PS", count << 1)].concat();
    let data = |chip| reg(chip, "SPI_SHADER_USER_DATA_PS_0", 7);
    let compute_data = |count: u32| [program(N31), reg(N31, "COMPUTE_PGM_RSRC2", count << 1), reg(N31, "COMPUTE_USER_DATA_0", 1), dispatch()].concat();
    const NO_EXPORT: u32 = 1 << 7;
    vec![
        case_of("STA-51", V, linked(V, 2, 1 << 1, 2), linked(V, 2, 1 << 1, 1)),
        case_of("STA-51", N31, linked(N31, 2, 6 << 1, 7), linked(N31, 2, 7 << 1, 7)),
        // A constant is not a parameter.
        case_of("STA-51", N21, linked(N21, 2, NO_EXPORT, 0x20), linked(N21, 2, 1 << 1, 0x20)),
        case_of("STA-51", N48, linked(N48, 2, 0, 1), linked(N48, 2, 1, 1)),
        case_of("STA-51", N10, linked(N10, 0, NO_EXPORT, 0), linked(N10, 2, 0, 0)),
        // Integers to a unorm target, floats to an integer target; 32 bits fit both.
        case_of("STA-52", N31, pixels(N31, 7, 0xF, 0), pixels(N31, 4, 0xF, 0)),
        case_of("STA-52", N48, pixels(N48, 4, 0xF, 4), pixels(N48, 9, 0xF, 4)),
        case_of("STA-53", N31, pixels(N31, 0, 0xF, 0), pixels(N31, 4, 0xF, 0)),
        case_of("STA-53", V, pixels(V, 1, 0, 0), pixels(V, 4, 0xF, 0)),
        case_of("STA-54", N31, [resources(N31, 2), data(N31)].concat(), [resources(N31, 1), data(N31)].concat()),
        compute("STA-55", N31, compute_data(2), compute_data(1)),
        compute("REG-16", N31, reg(N31, "COMPUTE_RELAUNCH", 1), reg(N31, "COMPUTE_RELAUNCH", 0)),
        compute("REG-16", V, set(0xB898, &[u32::MAX]), set(0xB898, &[0])),
        compute("REG-16", N21, compute_units(0xB858, 0), compute_units(0xB858, 1)),
        compute("REG-17", V, set(0xB8A0, &[1]), set(0xB8A0, &[0])),
        case("REG-17", N31, set(0xB018, &[0xFFFF]), set(0xB018, &[0x1234_5678])),
    ]
}

/// Fields that workarounds require to have a single value.
fn asked_by_workarounds() -> Vec<Case> {
    let tessellated = |chip| reg(chip, "VGT_SHADER_STAGES_EN", 0x2004);
    let compressed = |chip: Chip, off: u32| {
        // GFX10.3: two fragments, DCC, blending.
        let target = [reg(chip, "CB_COLOR0_INFO", 10 << 2 | 1 << 28), reg(chip, "CB_COLOR0_ATTRIB", 1 << 15), reg(chip, "CB_BLEND0_CONTROL", 1 << 30)].concat();
        [target, reg(chip, "CB_COLOR0_DCC_CONTROL", 0), reg(chip, "CB_DCC_CONTROL", off)].concat()
    };
    let primitives = |again: Vec<u32>| {
        let first = [state(V), reg(V, "IA_MULTI_VGT_PARAM", 255), draw()].concat();
        [first, reg(V, "VGT_PRIMITIVE_TYPE", 6), again, draw()].concat()
    };
    let large = |width: u32| [reg(N48, "CB_COLOR0_INFO", 10), reg(N48, "CB_COLOR0_ATTRIB2", width << 16)].concat();
    let z16 = |samples: u32| reg(N10, "DB_Z_INFO", 1 | samples << 2 | 1 << 29);
    let no_inputs = |chip| {
        let pixels = [("SPI_SHADER_PGM_LO_PS", 1), ("SPI_SHADER_PGM_RSRC2_PS", 0), ("SPI_PS_IN_CONTROL", 0)];
        pixels.map(|(register, value)| reg(chip, register, value))
    };
    let limits = |value: u32| [program(N31), reg(N31, "COMPUTE_RESOURCE_LIMITS", value), dispatch()].concat();
    vec![
        drawn("STA-56", N10, &[tessellated(N10)], reg(N10, "VGT_TESS_DISTRIBUTION", 65 << 16), reg(N10, "VGT_TESS_DISTRIBUTION", 64 << 16)),
        drawn("STA-57", STRIX, &[], reg(STRIX, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFD | 1 << 22), reg(STRIX, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFD)),
        compute("STA-58", N31, limits(1 << 16), limits(0)),
        drawn("STA-59", N31, &[], reg(N31, "PA_CL_NANINF_CNTL", 1 << 8), reg(N31, "PA_CL_NANINF_CNTL", 0)),
        drawn("STA-60", Chip::Navi33, &[], set(0x31114, &[0]), set(0x31114, &[1])),
        drawn("STA-61", N48, &[], set(0x31128, &[0x8A5D]), set(0x31128, &[0x8A4D])),
        drawn("STA-62", N21, &[], compressed(N21, 0), compressed(N21, 1)),
        drawn("STA-63", N10, &[reg(N10, "DB_RENDER_CONTROL", 1 << 6)], z16(0), z16(2)),
        case("STA-64", V, primitives(Vec::new()), primitives(reg(V, "IA_MULTI_VGT_PARAM", 255))),
        compute("STA-65", Chip::Raven, [program(V), dispatch()].concat(), program(V)),
        drawn("STA-67", N31, &no_inputs(N31), reg(N31, "SPI_SHADER_PGM_RSRC2_PS", 0), reg(N31, "SPI_SHADER_PGM_RSRC2_PS", 1 << 8)),
        drawn("STA-67", Chip::Gfx1156, &no_inputs(STRIX), reg(STRIX, "SPI_PS_IN_CONTROL", 0), reg(STRIX, "SPI_PS_IN_CONTROL", 1)),
        drawn("STA-66", N48, &[walk("WALK_ALIGNMENT", 1)], large(32768), large(32767)),
    ]
}

/// Returns GFX10.3 state with a geometry shader on the legacy pipe, in cut mode 0.
fn legacy_geometry() -> Vec<u32> {
    [state(N21), reg(N21, "VGT_SHADER_STAGES_EN", 1 << 5), reg(N21, "VGT_GS_MODE", 3)].concat()
}

/// Returns what every dispatch needs.
fn program(chip: Chip) -> Vec<u32> {
    const NEEDED: [&str; 6] =
        ["COMPUTE_PGM_LO", "COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y", "COMPUTE_NUM_THREAD_Z"];
    NEEDED.iter().flat_map(|name| reg(chip, name, 64)).collect()
}

/// Returns the same compute-unit mask for each shader engine.
pub fn masks(chip: Chip, value: u32) -> Vec<u32> {
    let gfx = chip.gfx();
    let is_mask = |name: &str| name.starts_with("COMPUTE_STATIC_THREAD_MGMT_SE");
    let masks = pm4::regs::registers(gfx).filter(|info| is_mask(info.name) || info.aliases.iter().any(|alias| is_mask(alias)));
    let addrs = masks.flat_map(|info| (0..info.count).map(|element| info.addr + element * info.stride));
    addrs.flat_map(|addr| compute_units(addr, value)).collect()
}

/// Returns the same sample positions for all pixels of a quad.
fn positions(chip: Chip, word: u32) -> Vec<u32> {
    ["X0Y0", "X1Y0", "X0Y1", "X1Y1"].iter().flat_map(|pixel| reg(chip, &format!("PA_SC_AA_SAMPLE_LOCS_PIXEL_{pixel}_0"), word)).collect()
}

/// Returns PA_SC_MODE_CNTL_1 of GFX12 with one field.
fn walk(field: &str, value: u32) -> Vec<u32> {
    let register = pm4::regs::find(N48.gfx(), "PA_SC_MODE_CNTL_1").expect("it is there");
    let field = register.info().field(field).expect("it has the field");
    set(register.addr(), &[value << field.lo])
}

/// Required waits, and packets that belong together.
fn order() -> Vec<Case> {
    let attributes = || set(0x31118, &[1, 1]);
    let (before, rings_before) = (set(0x31118, &[2, 1]), set(0x309A0, &[2, 1, 1, 1]));
    let factors = || set(0x30938, &[5]);
    let pixel_wait = [one(&ReleaseMem { pws_enable: true, ..end_of_pipe() }), one(&pixel_wait(AcquireMemPwsStageSel::CP_ME))].concat();
    let count = load_context(0x2CB);
    let stored = store_filled_size(ADDR);
    let load_ids = {
        let (src_sel, src_addr) = (CopyDataSrcSel::MEMORY, Some(ADDR));
        one(&gfx12::CopyData { src_sel, src_addr, dst_reg_offset: Some(0xC26C), ..Default::default() })
    };
    let ids = || reg(N48, "GE_GS_ORDERED_ID_BASE", 0);
    let draw_initiator = DrawInitiator::AUTO_INDEX;
    let mesh = one(&gfx103::DispatchTaskmeshGfx { xyz_dim_loc: 0x8C, ring_entry_loc: 0x8D, draw_initiator, ..Default::default() });
    let init = one(&gfx103::DispatchTaskStateInit { control_buf_addr: ADDR });
    vec![
        case("SYN-24", N31, [before.clone(), draw(), attributes()].concat(), [before, draw(), pixel_wait.clone(), attributes()].concat()),
        case("SYN-24", N31, [draw(), attributes()].concat(), [draw(), pixel_wait, attributes()].concat()),
        // Waiting for pixels is not enough for attributes.
        case(
            "SYN-24",
            N48,
            [rings_before, draw(), event(N48, Event::PS_PARTIAL_FLUSH), set(0x309A0, &[1, 1, 1, 1])].concat(),
            [set(0x309A0, &[1, 1, 1, 1]), draw()].concat(),
        ),
        case("SYN-24", N10, [draw(), reg(N10, "VGT_TF_MEMORY_BASE_HI", 1)].concat(), [reg(N10, "VGT_TF_MEMORY_BASE_HI", 1), draw()].concat()),
        case("SYN-24", N10, [draw(), factors()].concat(), [draw(), event(N10, Event::VS_PARTIAL_FLUSH), event(N10, Event::VGT_FLUSH), factors()].concat()),
        // The flush comes after the wait.
        case("SYN-24", V, [draw(), event(V, Event::VGT_FLUSH), event(V, Event::VS_PARTIAL_FLUSH), factors()].concat(), [factors(), draw(), factors()].concat()),
        case("SYN-25", N21, copy_to_register(0xA2CB), copy_to_register(0xA2CA)),
        case("SYN-25", N21, [stored.clone(), count.clone()].concat(), [stored, sync(), count].concat()),
        case("SYN-26", N48, [draw(), ids()].concat(), [draw(), event(N48, Event::VS_PARTIAL_FLUSH), ids()].concat()),
        case("SYN-26", N48, [draw(), load_ids].concat(), [ids(), draw()].concat()).also(&["MEM-03"]),
        case("SYN-27", N21, [init.clone(), mesh.clone()].concat(), [init.clone(), mesh.repeat(2)].concat()).beside(task().repeat(2)),
        // The address of the control buffer of task work is a multiple of 256.
        case("MEM-01", N21, raw_packet(Opcode::DISPATCH_TASK_STATE_INIT, &[0x1040, 0x80]), init.clone()),
        case("SYN-28", N21, mesh.clone(), [init, mesh].concat()),
        compute("SYN-29", N21, task_work(0), task_work(1)).with(firmware(FirmwareVersions { mec: Some(99), ..FirmwareVersions::default() })),
        compute("SYN-29", N21, task_work(0), task_work(1)),
        case("SYN-31", N21, counted(N21, reg(N21, "DB_COUNT_CONTROL", 1)), counted(N21, reg(N21, "DB_COUNT_CONTROL", 1 << 8))),
        case("SYN-31", N31, counted(N31, reg(N31, "DB_COUNT_CONTROL", 0)), counted(N31, reg(N31, "DB_COUNT_CONTROL", 1 << 8))),
        case("SYN-32", N31, dump(N31, ADDR), [raw_packet(Opcode::EVENT_WRITE, &[56 | 1 << 8, 1 << 3, 0]), dump(N31, ADDR)].concat()),
        Case {
            settings: firmware(FirmwareVersions { me_feature: Some(27), ..FirmwareVersions::default() }),
            ..case("SYN-35", N21, ranged_acquire(0x8000), ranged_acquire(0x8002))
        },
        case("SYN-34", N31, handshake(u32::MAX), handshake(1)),
    ]
}

/// Returns a dump of the depth counters.
fn dump(chip: Chip, addr: u64) -> Vec<u32> {
    let event = if chip.gfx().major() >= 11 { Event::PIXEL_PIPE_STAT_DUMP } else { Event::ZPASS_DONE };
    event_at(chip, event, addr)
}

/// Returns a draw in an occlusion query.
fn counted(chip: Chip, control: Vec<u32>) -> Vec<u32> {
    [state(chip), dump(chip, ADDR), control, draw(), dump(chip, ADDR + 8)].concat()
}

/// Returns a wait that writes a register first and waits for another one.
fn handshake(mask: u32) -> Vec<u32> {
    raw_packet(Opcode::WAIT_REG_MEM, &[0x143, 0x1A00, 0x1A01, mask, mask, 0x20])
}

/// Two registers in descending order.
const PAIR: [(u32, u32); 2] = [(0x203, 0), (0x200, 0)];

/// Returns a draw of six indices from a buffer with `max_size` indices.
fn six_indices(max_size: u32) -> Vec<u32> {
    one(&DrawIndex2 { max_size, index_base: ADDR, index_count: 6, draw_initiator: DrawInitiator::INDICES })
}

/// Returns a [`release`] when shaders are done.
fn shader_done(event_type: Event) -> ReleaseMem {
    ReleaseMem { event_type, event_index: ReleaseMemEventIndex::SHADER_DONE, ..fence(ADDR, 1) }
}

/// Returns an [`acquire`] of GFX9.
fn acquire_9(coher_cntl: CoherCntl) -> Vec<u32> {
    one(&gfx9::AcquireMem { coher_cntl, coher_size: 0xFF_FFFF_FFFF, poll_interval: 10, ..Default::default() })
}

/// Returns a wait for CP_STRMOUT_CNTL.
fn wait_for_strmout() -> Vec<u32> {
    one(&WaitRegMem { mem_space: MemSpace::REGISTER_SPACE, mem_poll_addr: None, reg_poll_addr: Some(0xC03F), ..waiting(0, 1) })
}

/// Returns SET_CONTEXT_REG with the index of VGT_LS_HS_CONFIG, which GFX9 names.
fn with_index(reg_offset: u32) -> Vec<u32> {
    one(&gfx9::SetContextReg { reg_offset, index: IndexSetContextReg::VGT_LS_HS_CONFIG }.followed_by(&[0]))
}

fn packets() -> Vec<Case> {
    let blend = |mask| [reg(N31, "CB_COLOR_CONTROL", 0xCC_0010), reg(N31, "CB_BLEND0_CONTROL", 1 << 30 | 15), reg(N31, "CB_SHADER_MASK", mask)].concat();
    // A register of one instance, bypassing the register filter where the writer knows about the instance.
    let instance = [set(0x30800, &[0]), set(0x30100, &[0]), set(0x30800, &[0xE000_0000])].concat();
    let unfiltered = written(N31.gfx(), Queue::Graphics, |stream| {
        let one = |offset, value| (SetUconfigReg { reg_offset: offset }, [value]);
        [one(0x200, 0), one(0x40, 0), one(0x200, 0xE000_0000)].iter().try_for_each(|(packet, value)| stream.emit(&packet.followed_by(value)))
    });
    let wide_fence = ReleaseMem { data_sel: ReleaseMemDataSel::SEND_64_BIT_DATA, ..fence(0x80_0000_1008, 1) };
    let num_instances = one(&NumInstances { num_instances: 1 });
    let (dim_x, dim_y, dim_z, dispatch_initiator) = (1, 1, 1, COMPUTE.with_interleave_2d_en(true));
    let tiled = written(N48.gfx(), Queue::Graphics, |stream| stream.emit(&DispatchDirect { dim_x, dim_y, dim_z, dispatch_initiator }));
    let base = |addr| one(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(addr) });
    let predicate = |pred_op, start_addr| one(&SetPredication { pred_op, start_addr, ..Default::default() });
    let sgprs = |count: usize| packed_groups(&[(0x8C, 0), (0x8D, 0)].repeat(count / 2));
    let other_flush = || event(N31, Event::PS_PARTIAL_FLUSH);
    let context_control = |load: bool, shadow: bool| ContextControl {
        update_load_enables: true,
        load_per_context_state: load,
        update_shadow_enables: true,
        shadow_per_context_state: shadow,
        ..Default::default()
    };
    let neither = ContextControl { load_per_context_state: true, shadow_per_context_state: true, ..Default::default() };
    let pixel_units = SetShRegIndex { reg_offset: 0x87, index: SetShRegIndexIndex::APPLY_KMD_CU_AND_MASK };
    let load_register = one(&LoadContextReg { base_addr: ADDR }.followed_by(&[0x203, 1]));
    let modify = |mask| one(&ContextRegRmw { reg_offset: 0x200, reg_mask: mask, reg_data: 1 });
    vec![
        case("ENC-01", N31, vec![0xC003_6900, 0x203], set(0x2880C, &[0])),
        case("ENC-02", N31, raw_packet(Opcode(0xFC), &[0]), nop()),
        case("ENC-03", N31, raw_packet(Opcode::NUM_INSTANCES, &[1, 2]), num_instances.clone()),
        case("ENC-04", N31, vec![0x4000_0000], nop()),
        case("ENC-05", N31, vec![0x8000_0000], nop()),
        case("ENC-06", N31, with_header(num_instances.clone(), |header| Header(header.0 | 0x10)), num_instances),
        compute("ENC-07", N31, with_header(set(0xB830, &[0]), past_filter), set(0xB830, &[0])),
        case("ENC-08", V, with_header(set(0x2880C, &[0]), past_filter), set(0x2880C, &[0])),
        case("ENC-09", N31, with_header(packed(&PAIR), |header| header.with_reset_filter_cam(false)), packed(&PAIR)),
        case("ENC-10", N31, instance, unfiltered),
        compute("ENC-11", N31, predicated(dispatch()), dispatch()),
        case("ENC-12", N31, raw_packet(Opcode::SET_BASE, &[0x101, 0x1000, 0x80]), base(ADDR)),
        case("ENC-14", N31, raw_packed(&[3, 0x203 | 0x200 << 16, 0, 0]), packed(&PAIR)),
        case("ENC-15", N31, raw_packed(&[2, 0x203 | 0x203 << 16, 0, 0]), packed(&PAIR)),
        case(
            "ENC-16",
            N31,
            raw_packed(&[6, 0x203 | 0x200 << 16, 0, 0, 0x203 | 0x204 << 16, 1, 0, 0x205 | 0x203 << 16, 0, 0]),
            packed(&[(0x203, 0), (0x200, 0), (0x206, 1), (0x204, 0), (0x205, 0), (0x203, 0)]),
        ),
        case(
            "ENC-17",
            N31,
            with_header(raw_packet(Opcode::SET_SH_REG_PAIRS_PACKED_N, &[&[16], &sgprs(16)[..]].concat()), past_filter),
            one(&SetShRegPairsPackedN { reg_writes_count: 14 }.followed_by(&sgprs(14))),
        ),
        Case {
            settings: firmware(FirmwareVersions { pfp: Some(1400), ..FirmwareVersions::default() }),
            ..case("ENC-18", N31, packed(&PAIR), set(0x2880C, &[0]))
        },
        case(
            "ENC-19",
            N31,
            with_header(raw_packet(Opcode(0xBC), &[&[2], &sgprs(2)[..]].concat()), past_filter),
            one(&SetShRegPairsPacked { reg_writes_count: 2 }.followed_by(&sgprs(2))),
        ),
        case("IB-05", N31, ib(ADDR, 7), ib(ADDR, 8)),
        case("IB-03", N31, empty_ib(), ib(ADDR, 8)),
        compute("IB-04", N31, chain(ADDR, 8), chain_compute(ADDR, 8)),
        case("IB-01", N31, [chain(ADDR, 8), draw()].concat(), chain(ADDR, 8)),
        case("IB-06", N31, [cond_exec(ADDR, 2), draw()].concat(), [cond_exec(ADDR, 3), draw()].concat()),
        case("IB-07", N31, raw_packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, 8 | 1 << 24]), ib(ADDR, 8)),
        case("IB-08", N31, one(&PredExec { device_select: 1, exec_count: 0 }), nop()).with(Settings { ring: true, ..Settings::default() }),
        case("MEM-01", N31, raw_packet(Opcode::SET_BASE, &[1, 0x1002, 0x80]), base(0x80_0000_1008)),
        case("MEM-02", N31, raw_packet(Opcode::SET_BASE, &[1, 0x1000, 0x12_0000]), base(0xFFFF_8000_0000_1000)),
        case("MEM-03", N31, ib(ADDR, 8), nop()),
        case("MEM-04", N31, raw_packet(Opcode::WRITE_DATA, &[0, 0x4_C03F, 0, 0]), write_register(0x300FC, 0)).also(&["ENC-12"]),
        // From a register to memory.
        case(
            "MEM-04",
            N31,
            raw_packet(Opcode::COPY_DATA, &[5 << 8, 0x4_C03F, 0, 0x1000, 0x80]),
            raw_packet(Opcode::COPY_DATA, &[5 << 8, 0xC03F, 0, 0x1000, 0x80]),
        )
        .also(&["ENC-12"]),
        case("MEM-05", N31, one(&filling(ADDR, 0, 0)), one(&filling(ADDR, 0, 4))),
        // 2^26 bytes, as they are encoded.
        case("MEM-05", N31, raw_packet(Opcode::DMA_DATA, &[2 << 29 | 3 << 20, 0, 0, 0x4000, 0x80, 1 << 26]), one(&filling(ADDR, 0, 4))),
        case(
            "MEM-06",
            N31,
            raw_packet(Opcode::WAIT_REG_MEM, &[0x17, 0x1000, 0x80, 1, u32::MAX, 4]),
            one(&WaitRegMem { function: Function::ALWAYS_PASS, ..waiting(ADDR, 1) }),
        ),
        case("MEM-07", N31, raw_packet(Opcode::SET_PREDICATION, &[4 << 16 | 1 << 31, 0x1000, 0x80]), predicate(SetPredicationPredOp::VULKAN, ADDR)),
        case("MEM-08", N31, [index_type(), six_indices(3)].concat(), [index_type(), six_indices(6)].concat()),
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
            (0..10).flat_map(|i| [set(0x2880C, &[i]), draw(), other_flush()].concat()).collect(),
        ),
        case("PERF-04", N31, [draw(), acquire(), draw()].concat(), [draw(), draw()].concat()),
        drawn(
            "PERF-05",
            N31,
            &[reg(N31, "PA_SC_AA_CONFIG", 2 << 20)],
            reg(N31, "DB_SHADER_CONTROL", 1 << 16),
            reg(N31, "DB_SHADER_CONTROL", 1 << 16 | 2 << 26 | 1 << 29),
        ),
        case("REG-01", N31, raw_packet(Opcode::SET_CONTEXT_REG, &[0x500, 0]), set(0x2880C, &[0])),
        case("REG-02", N31, set(0x28FFC, &[1]), set(0x2880C, &[0])),
        case("REG-03", N31, raw_packet(Opcode::SET_CONFIG_REG, &[0x10, 0]), nop()),
        case("REG-04", N31, set(0xB830, &[0]), one(&SetShReg { reg_offset: 0x20C }.followed_by(&[0]).for_shaders(ShaderType::Compute))),
        case("REG-05", N31, set(0x3090C, &[0]), index_type()),
        case("REG-06", N31, raw_packet(Opcode::SET_SH_REG_INDEX, &[0x3000_0087, 0xFFFF, 0]), one(&pixel_units.followed_by(&[0xFFFF]))),
        case("REG-07", N31, set(0x28410, &[0x0000_0100]), set(0x28410, &[0])),
        case("REG-08", N31, set(0x28C44, &[0x60]), set(0x28C44, &[0x40])),
        case("REG-09", N31, set(0x28250, &[0]), set(0x28250, &[0, 0])),
        case("REG-10", N31, modify(1), modify(u32::MAX)),
        case(
            "REG-11",
            N31,
            [one(&context_control(false, true)), set(0xB020, &[0])].concat(),
            [one(&context_control(false, true)), set(0x2880C, &[0])].concat(),
        ),
        case(
            "REG-12",
            N31,
            [one(&context_control(false, false)), load_register.clone()].concat(),
            [one(&context_control(true, false)), load_register].concat(),
        ),
        case("REG-13", N31, [load_context(0x203), draw()].concat(), draw()).also(&["MEM-03"]),
        compute("REG-14", N31, set(0x2880C, &[0]), set(0xB830, &[0])),
        case("REG-15", N31, [set(0x30800, &[0]), draw(), set(0x30800, &[0xE000_0000])].concat(), [set(0x30800, &[0xE000_0000]), draw()].concat()),
        case("STA-01", N31, draw(), [state(N31), draw()].concat()),
        case("STA-02", N31, [index_type(), draw(), indexed(3)].concat(), [draw(), index_type(), indexed(3)].concat()),
        case("STA-03", N10, [index_type(), indexed(0)].concat(), [index_type(), indexed(3)].concat()),
        case(
            "STA-04",
            N10,
            [state(N10), draw(), reg(N10, "VGT_SHADER_STAGES_EN", 0), draw()].concat(),
            [state(N10), draw(), event(N10, Event::VGT_FLUSH), reg(N10, "VGT_SHADER_STAGES_EN", 0), draw()].concat(),
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
        // PAL's smallest group.
        drawn("STA-08", N10, &[], reg(N10, "GE_CNTL", 23 << 9), reg(N10, "GE_CNTL", 24 << 9)),
        drawn("STA-08", N21, &[], reg(N21, "GE_CNTL", 28 << 9), reg(N21, "GE_CNTL", 29 << 9)),
        drawn("STA-09", N31, &[], reg(N31, "GE_CNTL", 300 << 21), reg(N31, "GE_CNTL", 252 << 21)),
        drawn(
            "STA-10",
            V,
            &[reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1)],
            reg(V, "IA_MULTI_VGT_PARAM", 255),
            reg(V, "IA_MULTI_VGT_PARAM", 127),
        ),
        drawn("STA-11", N31, &[], reg(N31, "PA_SC_BINNER_CNTL_0", 3), reg(N31, "PA_SC_BINNER_CNTL_0", 2)),
        drawn("STA-12", N31, &[], reg(N31, "PA_SC_BINNER_CNTL_0", 1 << 10), reg(N31, "PA_SC_BINNER_CNTL_0", 0)),
        drawn("STA-13", N31, &[reg(N31, "PA_SC_VRS_OVERRIDE_CNTL", 1 << 12)], reg(N31, "PA_SC_MODE_CNTL_1", 2), reg(N31, "PA_SC_MODE_CNTL_1", 0)),
        drawn(
            "STA-14",
            N31,
            &[reg(N31, "PA_SC_BINNER_CNTL_0", 0), reg(N31, "PA_SC_LINE_CNTL", 0)],
            reg(N31, "PA_SU_SC_MODE_CNTL", 1 << 24),
            reg(N31, "PA_SU_SC_MODE_CNTL", 1 << 24 | 1 << 3),
        ),
        // Lines with square ends need the bit (PERPENDICULAR_ENDCAP_ENA).
        drawn(
            "STA-14",
            N31,
            &[reg(N31, "PA_SC_BINNER_CNTL_0", 0), reg(N31, "PA_SU_SC_MODE_CNTL", 1 << 24)],
            reg(N31, "PA_SC_LINE_CNTL", 0),
            reg(N31, "PA_SC_LINE_CNTL", 1 << 11),
        ),
        drawn("STA-15", N31, &[reg(N31, "DB_Z_INFO", 3 | 3 << 2)], reg(N31, "DB_RENDER_CONTROL", 0), reg(N31, "DB_RENDER_CONTROL", 6 << 20)),
        drawn("STA-16", N31, &[], reg(N31, "DB_RENDER_CONTROL", 1 << 16), reg(N31, "DB_RENDER_CONTROL", 0)),
        drawn("STA-16", N48, &[], reg(N48, "DB_RENDER_CONTROL", 1 << 16), reg(N48, "DB_RENDER_CONTROL", 2 << 16)),
        case(
            "STA-17",
            N48,
            [opaque(), draw()].concat(),
            [opaque(), event(N48, Event::SQ_NON_EVENT), event(N48, Event::SQ_NON_EVENT), event(N48, Event::SQ_NON_EVENT), draw()].concat(),
        ),
        case("STA-17", N48, [opaque(), event(N48, Event::SQ_NON_EVENT), draw()].concat(), [draw(), draw()].concat()),
        drawn("STA-18", STRIX, &[], reg(STRIX, "VGT_SHADER_STAGES_EN", 0x2004), reg(STRIX, "VGT_SHADER_STAGES_EN", 0x2000)),
        drawn("STA-18", N31, &[], reg(N31, "VGT_SHADER_STAGES_EN", 0x2004), reg(N31, "VGT_SHADER_STAGES_EN", 0x2000)),
        drawn("STA-20", N31, &[reg(N31, "SPI_SHADER_PGM_RSRC4_GS", 0)], reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0), reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0xFFFF)),
        drawn("STA-21", N31, &[reg(N31, "PA_SC_AA_CONFIG", 2)], reg(N31, "PA_SC_AA_MASK_X0Y0_X1Y0", 0xFFFF), reg(N31, "PA_SC_AA_MASK_X0Y0_X1Y0", u32::MAX)),
        drawn("STA-22", N31, &[set(0xB020, &[1]), reg(N31, "SPI_PS_INPUT_ADDR", 2)], reg(N31, "SPI_PS_INPUT_ENA", 0), reg(N31, "SPI_PS_INPUT_ENA", 2)),
        // LINE_STIPPLE_TEX alone is enough; on GFX12 it costs time.
        drawn("STA-22", N31, &[set(0xB020, &[1]), reg(N31, "SPI_PS_INPUT_ADDR", 0x82)], reg(N31, "SPI_PS_INPUT_ENA", 0), reg(N31, "SPI_PS_INPUT_ENA", 0x80)),
        drawn("STA-22", N48, &[set(0xB020, &[1]), reg(N48, "SPI_PS_INPUT_ADDR", 0x82)], reg(N48, "SPI_PS_INPUT_ENA", 0x80), reg(N48, "SPI_PS_INPUT_ENA", 2)),
        case("STA-23", N31, raw_packet(Opcode::DRAW_INDEX_AUTO, &[3, 0x42]), opaque()),
        case("STA-24", N31, with_header(dispatch(), |header| header.with_shader_type(ShaderType::Graphics)), dispatch()),
        case("STA-25", N48, tiled_dimensions(), tiled),
        drawn("STA-26", N31, &[], reg(N31, "PA_SC_MODE_CNTL_1", 1 << 27), reg(N31, "PA_SC_MODE_CNTL_1", 0)),
        case(
            "STA-27",
            N10,
            [reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 0), draw(), reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 1), draw()].concat(),
            [reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 0), draw(), reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", 1), event(N10, Event::SQ_NON_EVENT), draw()].concat(),
        ),
        drawn("STA-28", N48, &[reg(N48, "PA_SC_AA_CONFIG", 3)], reg(N48, "GE_VRS_RATE", 1), reg(N48, "GE_VRS_RATE", 0)),
        case("SYN-01", N31, raw_event(20, 5), other_flush()),
        case("SYN-02", N31, raw_release(16 | 5 << 8), release(ADDR, 1)),
        case("SYN-03", N31, raw_release(48 | 6 << 8 | 1 << 12), one(&shader_done(Event::PS_DONE))),
        case("SYN-04", V, release_9(ADDR)[4..].to_vec(), release_9(ADDR)),
        case("SYN-05", N31, raw_packet(Opcode::RELEASE_MEM, &[40 | 5 << 8, 2 << 29, 0x1004, 0x80, 1, 0, 0]), one(&wide_fence)),
        case("SYN-06", N21, one(&ReleaseMem { glk_inv: true, ..fence(ADDR, 1) }), release(ADDR, 1)).also(&["ENC-12"]),
        case("SYN-07", N31, raw_acquire([1 << 25, u32::MAX, 0xFF, 0, 0, 10, 0]), acquire()),
        case("SYN-08", N31, raw_acquire([2 << 11 | 1 << 17, u32::MAX, 0xFF, 0, 0, 1 << 31, 0]), one(&pixel_wait(AcquireMemPwsStageSel::CP_PFP))),
        compute("SYN-09", N31, one(&pixel_wait(AcquireMemPwsStageSel::PRE_DEPTH)), acquire()).also(&["ENC-12"]),
        compute("SYN-09", N31, raw_packet(Opcode::RELEASE_MEM, &[40 | 5 << 8 | 1 << 31, 1 << 29, 0x1000, 0x80, 1, 0, 0]), release(0x80_0000_1000, 1))
            .also(&["ENC-12"]),
        case("SYN-10", N31, raw_event(44, 0), other_flush()),
        case("SYN-10", N31, raw_event(44, 0), event(N31, Event::FLUSH_AND_INV_CB_META)),
        case("SYN-11", N31, raw_event(16, 0), other_flush()),
        case("SYN-12", N21, raw_event(21, 1), event_at(N21, Event::ZPASS_DONE, ADDR)),
        compute("SYN-13", N21, event_at(N21, Event::ZPASS_DONE, ADDR), event(N21, Event::CS_PARTIAL_FLUSH)),
        compute("SYN-14", N31, sync(), event(N31, Event::CS_PARTIAL_FLUSH)),
        Case {
            settings: firmware(FirmwareVersions { me_feature: Some(30), ..FirmwareVersions::default() }),
            ..compute("SYN-15", N21, event(N21, Event::CS_PARTIAL_FLUSH), nop())
        },
        case(
            "SYN-16",
            N31,
            raw_acquire([0, u32::MAX, 0xFF, 0, 0, 10, 1 << 6 | 1 << 15]),
            one(&AcquireMem { gcr_cntl: AcquireGcrCntl::new().with_glk_wb(true).with_gl2_wb(true).with_seq(1), ..everything() }),
        ),
        case("SYN-17", N31, one(&AcquireMem { coher_base: Some(0x10), ..everything() }), acquire()),
        case("SYN-18", N31, [write(ADDR, &[0]), wait(ADDR, 1)].concat(), [write(ADDR, &[0]), release(ADDR, 1), wait(ADDR, 1)].concat()),
        // In mapped memory: the data of the first packet.
        case(
            "SYN-18",
            N31,
            [write(0x10_0010, &[0]), wait(0x10_0010, 1)].concat(),
            [write(0x10_0010, &[0]), release(0x10_0010, 1), wait(0x10_0010, 1)].concat(),
        ),
        // Not equal to a value that never occurs: true at once.
        case("SYN-30", N31, differs(1), [differs(0xC005_3C00), nop()].concat()),
        case("SYN-19", N31, release(0x80_0000_7000, 1), [release(0x80_0000_7000, 1), wait(0x80_0000_7000, 1)].concat()),
        case("SYN-20", N31, [write(ADDR, &[1]), cond_exec(ADDR, 0)].concat(), [write(ADDR, &[1]), sync(), cond_exec(ADDR, 0)].concat()),
        case(
            "SYN-21",
            V,
            [write_register(0x300FC, 0), wait_for_strmout()].concat(),
            [write_register(0x300FC, 0), event(V, Event::SO_VGTSTREAMOUT_FLUSH), wait_for_strmout()].concat(),
        ),
        case("SYN-22", V, acquire_9(CoherCntl::new().with_cb0_dest_base_ena(true)), acquire_9(CoherCntl::new())),
        compute("SYN-23", V, acquire_9(CoherCntl::new().with_cb_action_ena(true)), acquire_9(CoherCntl::new())),
        case("ENC-12", N31, raw_packet(Opcode::SET_CONTEXT_REG, &[0x2880C, 0]), set(0x2880C, &[0])).also(&["REG-01"]),
        // The second halves of rules that have two.
        case("ENC-18", N31, packed(&PAIR), set(0x2880C, &[0])),
        case("ENC-18", V, predicate(SetPredicationPredOp::VULKAN, ADDR), predicate(SetPredicationPredOp::DX12, ADDR))
            .with(firmware(FirmwareVersions { me_feature: Some(51), ..FirmwareVersions::default() })),
        compute("IB-04", N31, raw_packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, 8 | 0xB << 20]), chain_compute(ADDR, 8)),
        case("MEM-01", N31, raw_packet(Opcode::SET_PREDICATION, &[3 << 16, 0x1004, 0x80]), predicate(SetPredicationPredOp::DX12, 0x80_0000_1008)),
        case("MEM-02", N31, raw_packet(Opcode::SET_PREDICATION, &[3 << 16, 0x1000, 0x100]), predicate(SetPredicationPredOp::DX12, 0xFF_0000_1000)),
        case(
            "MEM-04",
            N31,
            raw_packet(Opcode::COPY_DATA, &[1 << 30 | 1 << 8 | 5, 0, 0, 0x1000, 0x80]),
            one(&CopyData {
                src_sel: CopyDataSrcSel::IMMEDIATE_DATA,
                imm_data: Some(0),
                dst_sel: CopyDataDstSel::MEMORY_SYNC_ACROSS_GRBM,
                dst_addr: Some(ADDR),
                ..Default::default()
            }),
        ),
        case("REG-05", N31, with_index(0x203), with_index(0x2D6)),
        case("REG-09", N48, set(0x2843C, &[0; 6]), set(0x2843C, &[0; 8])),
        case("REG-12", N31, one(&neither), one(&ContextControl { update_load_enables: true, ..neither })),
        compute("REG-14", N31, draw(), nop()).also(&["STA-30"]),
        case("STA-04", N21, [state(N21), draw(), reg(N21, "VGT_SHADER_STAGES_EN", 0), draw()].concat(), [state(N21), draw(), draw()].concat()),
        case(
            "STA-04",
            N21,
            [legacy_geometry(), draw(), reg(N21, "VGT_GS_MODE", 3 | 1 << 4), draw()].concat(),
            [legacy_geometry(), draw(), event(N21, Event::VGT_FLUSH), reg(N21, "VGT_GS_MODE", 3 | 1 << 4), draw()].concat(),
        ),
        drawn(
            "STA-10",
            V,
            &[reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1)],
            reg(V, "IA_MULTI_VGT_PARAM", 252 | 1 << 21),
            reg(V, "IA_MULTI_VGT_PARAM", 251 | 1 << 21),
        )
        .with(Settings { board: BoardFacts { shader_engines: Some(2), ..BoardFacts::default() }, ..Settings::default() }),
        drawn(
            "STA-10",
            V,
            &[reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1)],
            reg(V, "IA_MULTI_VGT_PARAM", 255),
            reg(V, "IA_MULTI_VGT_PARAM", 255 | 1 << 18),
        )
        .with(Settings { board: BoardFacts { shader_engines: Some(2), ..BoardFacts::default() }, ..Settings::default() }),
        drawn(
            "STA-14",
            N10,
            &[reg(N10, "PA_SC_BINNER_CNTL_0", 0)],
            reg(N10, "PA_SU_SC_MODE_CNTL", 1 << 3 | 1 << 5 | 1 << 8),
            reg(N10, "PA_SU_SC_MODE_CNTL", 1 << 24 | 1 << 3 | 1 << 5 | 1 << 8),
        ),
        drawn("STA-19", N10, &[], reg(N10, "SPI_SHADER_PGM_RSRC4_GS", 65 << 16), reg(N10, "SPI_SHADER_PGM_RSRC4_GS", 64 << 16)),
        drawn(
            "STA-19",
            N31,
            &[reg(N31, "SPI_SHADER_PGM_RSRC4_GS", 63 << 16), reg(N31, "SPI_SHADER_PGM_RSRC3_PS", 0xFF)],
            reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0xFF),
            reg(N31, "SPI_SHADER_PGM_RSRC3_GS", 0xFD),
        ),
        drawn("STA-21", N31, &[reg(N31, "PA_SC_AA_CONFIG", 2)], reg(N31, "PA_SC_MODE_CNTL_0", 0), reg(N31, "PA_SC_MODE_CNTL_0", 1)),
        // Inner coverage takes one step more than the single sample of the draw, which needs no MSAA_ENABLE.
        drawn("STA-21", N31, &[reg(N31, "PA_SC_MODE_CNTL_0", 0)], reg(N31, "PA_SC_AA_CONFIG", 1), reg(N31, "PA_SC_AA_CONFIG", 1 | 1 << 26)),
        drawn(
            "STA-21",
            N48,
            &[reg(N48, "PA_SC_MODE_CNTL_0", 0), reg(N48, "PA_SC_AA_CONFIG", 1)],
            reg(N48, "SPI_PS_INPUT_ENA", 2),
            reg(N48, "SPI_PS_INPUT_ENA", 2 | 1 << 16),
        ),
        drawn(
            "STA-21",
            N31,
            &[reg(N31, "PA_SC_AA_CONFIG", 2), reg(N31, "DB_STENCIL_INFO", 0), reg(N31, "DB_Z_INFO", 3 | 3 << 2)],
            reg(N31, "DB_EQAA", 2),
            reg(N31, "DB_EQAA", 3),
        ),
        drawn("STA-21", N31, &[reg(N31, "PA_SC_AA_CONFIG", 1)], reg(N31, "DB_EQAA", 2 << 8), reg(N31, "DB_EQAA", 1 << 8)),
        compute("SYN-14", N31, one(&WaitRegMem { engine_sel: EngineSel::PREFETCH_PARSER, ..waiting(ADDR, 1) }), wait(ADDR, 1)),
        case(
            "SYN-17",
            N31,
            raw_acquire([0, 0x200, 0, 0, 0, 10, 2 << 11 | 1 << 14]),
            one(&AcquireMem { gcr_cntl: AcquireGcrCntl::new().with_gl2_range(2).with_gl2_inv(true), coher_size: Some(0x100), ..everything() }),
        ),
        case(
            "SYN-20",
            N31,
            [one(&filling(ADDR, 1, 4)), sync(), cond_exec(ADDR, 0)].concat(),
            [one(&DmaData { cp_sync: true, ..filling(ADDR, 1, 4) }), sync(), cond_exec(ADDR, 0)].concat(),
        ),
        case("SYN-22", N31, raw_acquire([1 << 6, u32::MAX, 0xFF, 0, 0, 10, 0]), acquire()),
        Case { settings: Settings { max_dwords: Some(64), ..Settings::default() }, ..case("RUN-01", N31, nop().repeat(100), nop().repeat(60)) },
        Case {
            settings: Settings { max_memory: Some(1024), ..Settings::default() },
            ..case("RUN-02", N31, [write(ADDR, &[1]), write(0x80_0000_2000, &[1])].concat(), write(ADDR, &[1]))
        },
        // Two empty calls with a limit of one finding, then one.
        Case { settings: Settings { max_findings: Some(1), ..Settings::default() }, ..case("RUN-03", N31, empty_ib().repeat(2), empty_ib()).also(&["IB-03"]) },
        case("IB-02", N31, ib(0x10_0000, 8), nop()),
    ]
}
