//! ENC and IB: words of packets, buffers and calls.

use crate::cp::FirmwareVersions;
use crate::packet::{Header, Queue};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::{Stated, TestStream};
use alloc::vec;
use alloc::vec::Vec;

/// Returns packets with other bits in the first header.
fn with_header(mut words: Vec<u32>, bits: u32) -> Vec<u32> {
    words[0] |= bits;
    words
}

const PREDICATE: u32 = 1 << 0;
const PAST_FILTER: u32 = 1 << 2;

/// Two context registers that are not adjacent: DB_SHADER_CONTROL and CB_COLOR_CONTROL exist on every generation with packed pairs.
const PAIR: [u32; 4] = [2, 0x203 | 0x200 << 16, 0, 0];

fn packed(pen: Pen, words: &[u32]) -> Option<Vec<u32>> {
    (matches!(pen.generation(), 110 | 115)).then(|| with_header(pen.raw("SET_CONTEXT_REG_PAIRS_PACKED", words), PAST_FILTER))
}

/// Returns packed user data of a pixel shader.
fn user_data(pen: Pen, registers: u32) -> Vec<u32> {
    let groups = (0..registers / 2).flat_map(|group| [(0xC + 2 * (group % 8)) | (0xD + 2 * (group % 8)) << 16, 0, 0]);
    let body: Vec<u32> = [registers].into_iter().chain(groups).collect();
    with_header(pen.raw("SET_SH_REG_PAIRS_PACKED_N", &body), PAST_FILTER)
}

/// Returns an INDIRECT_BUFFER with these control bits, which runs [`DATA`].
fn ib(pen: Pen, control: u32) -> Vec<u32> {
    pen.raw("INDIRECT_BUFFER", &[DATA as u32, (DATA >> 32) as u32, control])
}

/// Returns the words that an INDIRECT_BUFFER runs.
fn nops() -> Vec<u32> {
    vec![Header::NOP1.0; 8]
}

const CHAIN: u32 = 1 << 20;
const VALID: u32 = 1 << 23;

fn firmware(pfp: u32) -> Stated {
    Stated { firmware: FirmwareVersions { pfp: Some(pfp), ..FirmwareVersions::default() }, ..Stated::default() }
}

fn feature(version: u32) -> Stated {
    Stated { firmware: FirmwareVersions { me_feature: Some(version), ..FirmwareVersions::default() }, ..Stated::default() }
}

fn ring() -> Stated {
    Stated { ring: true, ..Stated::default() }
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "ENC-01",
        fact: "the header counts one dword more than the buffer has",
        make: |pen| Some(Pair::new(pen, vec![0xC001_2F00, 1], vec![0xC000_2F00, 1])),
    },
    Row { rule: "ENC-02", fact: "an opcode that no packet has", make: |pen| Some(Pair::new(pen, vec![0xC000_FC00, 1], vec![0xC000_2F00, 1])) },
    Row {
        rule: "ENC-03",
        fact: "a dword more than NUM_INSTANCES has",
        make: |pen| Some(Pair::new(pen, pen.raw("NUM_INSTANCES", &[1, 2]), pen.raw("NUM_INSTANCES", &[1]))),
    },
    Row { rule: "ENC-04", fact: "the packet has type 1", make: |pen| Some(Pair::new(pen, vec![0x4000_0000], vec![Header::NOP1.0])) },
    Row {
        rule: "ENC-05",
        fact: "the filler has type 2",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            Some(Pair::new(pen, vec![0x8000_0000], vec![Header::NOP1.0]))
        },
    },
    Row {
        rule: "ENC-06",
        fact: "bit 4 of the header is set",
        make: |pen| {
            let one = pen.raw("NUM_INSTANCES", &[1]);
            Some(Pair::new(pen, with_header(one.clone(), 1 << 4), one))
        },
    },
    Row {
        rule: "ENC-07",
        fact: "reset_filter_cam is set",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let one = pen.set("COMPUTE_PGM_LO", 0);
            let pair = Pair::new(pen, with_header(one.clone(), PAST_FILTER), one);
            Some(if pen.generation() == 90 { pair.allow("ENC-08", "on GFX9 the bit is reserved on every queue") } else { pair })
        },
    },
    Row {
        rule: "ENC-08",
        fact: "reset_filter_cam is set",
        make: |pen| {
            let one = pen.set("DB_SHADER_CONTROL", 0);
            Some(Pair::new(pen, with_header(one.clone(), PAST_FILTER), one))
        },
    },
    Row {
        rule: "ENC-09",
        fact: "reset_filter_cam is not set",
        make: |pen| {
            let name = if pen.generation() == 120 { "SET_CONTEXT_REG_PAIRS" } else { "SET_CONTEXT_REG_PAIRS_PACKED" };
            let offset = pen.context("DB_SHADER_CONTROL");
            let body: &[u32] = if pen.generation() == 120 { &[offset, 0] } else { &PAIR };
            Some(Pair::new(pen, pen.raw(name, body), with_header(pen.raw(name, body), PAST_FILTER)).new_firmware())
        },
    },
    Row {
        rule: "ENC-10",
        fact: "the register of one engine is written without reset_filter_cam",
        make: |pen| {
            let (one, all) = (pen.set("GRBM_GFX_INDEX", 0), pen.set("GRBM_GFX_INDEX", 0xE000_0000));
            let write = pen.set("VGT_PRIMITIVE_TYPE", 4);
            let one = with_header(one, PAST_FILTER);
            let all = with_header(all, PAST_FILTER);
            Some(Pair::new(pen, [&one[..], &write, &all].concat(), [one.clone(), with_header(write.clone(), PAST_FILTER), all.clone()].concat()))
        },
    },
    Row {
        rule: "ENC-11",
        fact: "the predicate bit is set",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let work = [pen.program(), with_header(pen.dispatch(), PREDICATE)].concat();
            Some(Pair::new(pen, work, [pen.program(), pen.dispatch()].concat()))
        },
    },
    Row {
        rule: "ENC-12",
        fact: "a bit above the index of the base is set",
        make: |pen| {
            let base = |index| pen.raw("SET_BASE", &[index, DATA as u32, (DATA >> 32) as u32]);
            Some(Pair::new(pen, base(0x101), base(1)))
        },
    },
    Row {
        rule: "ENC-14",
        fact: "the number of registers is 3",
        make: |pen| Some(Pair::new(pen, packed(pen, &[3, PAIR[1], 0, 0])?, packed(pen, &PAIR)?).new_firmware()),
    },
    Row {
        rule: "ENC-15",
        fact: "both offsets of the group are 0x203",
        make: |pen| Some(Pair::new(pen, packed(pen, &[2, 0x203 | 0x203 << 16, 0, 0])?, packed(pen, &PAIR)?).new_firmware()),
    },
    Row {
        rule: "ENC-16",
        fact: "the first register is in the list again",
        make: |pen| {
            let list = |second: u32| packed(pen, &[6, 0x203 | 0x200 << 16, 0, 0, second | 0x204 << 16, 1 << 4, 0, 0x205 | 0x203 << 16, 0, 0]);
            Some(Pair::new(pen, list(0x203)?, list(0x206)?).new_firmware())
        },
    },
    Row { rule: "ENC-17", fact: "16 registers in the small form", make: |pen| Some(Pair::new(pen, user_data(pen, 16), user_data(pen, 14)).new_firmware()) },
    Row {
        rule: "ENC-18",
        fact: "PFP firmware 1448, which has no packed pairs",
        make: |pen| Some(Pair::new(pen, packed(pen, &PAIR)?, packed(pen, &PAIR)?).stated(firmware(1400)).miss_stated(firmware(1448))),
    },
    Row {
        rule: "ENC-18",
        fact: "a feature version without predicates of 32 bits",
        make: |pen| {
            let since = match pen.generation() {
                90 => 52,
                100 => 32,
                103 => 33,
                _ => return None,
            };
            let predicate = || pen.raw("SET_PREDICATION", &[4 << 16, DATA as u32, (DATA >> 32) as u32]);
            Some(Pair::new(pen, predicate(), predicate()).zeros(4).stated(feature(20)).miss_stated(feature(since)))
        },
    },
    Row {
        rule: "ENC-19",
        fact: "the opcode of the other generation",
        make: |pen| {
            let (queue, own, other) = if pen.generation() == 120 { (Queue::Compute, 0xBC, 0xBB) } else { (Queue::Graphics, 0xBB, 0xBC) };
            let pen = pen.on(queue);
            let words = |opcode: u32| {
                let filter = if queue == Queue::Compute { 0 } else { PAST_FILTER };
                let (first, shader) = if queue == Queue::Compute { (0x240, 2) } else { (0xC, 0) };
                vec![0xC003_0000 | opcode << 8 | filter | shader, 2, first | (first + 1) << 16, 0, 0]
            };
            Some(Pair::new(pen, words(other), words(own)).new_firmware())
        },
    },
    Row {
        rule: "ENC-20",
        fact: "a queue is mapped",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            Some(Pair::new(pen, pen.raw("MAP_QUEUES", &[0x2005_0000, 0x460, DATA as u32, 1, DATA as u32, 1]), vec![Header::NOP1.0]))
        },
    },
    Row {
        rule: "IB-01",
        fact: "a packet follows the chain",
        make: |pen| {
            let chain = ib(pen, CHAIN | 8);
            Some(Pair::new(pen, [chain.clone(), pen.raw("NUM_INSTANCES", &[1])].concat(), chain).memory(DATA, &nops()))
        },
    },
    Row {
        rule: "IB-02",
        fact: "the buffer chains to itself",
        make: |pen| {
            let chain = |addr: u64| [pen.nop().repeat(4), pen.raw("INDIRECT_BUFFER", &[addr as u32, (addr >> 32) as u32, CHAIN | 8])].concat();
            Some(Pair::new(pen, chain(TestStream::ADDRESS), chain(DATA)).memory(DATA, &nops()))
        },
    },
    Row { rule: "IB-03", fact: "the size is 0", make: |pen| Some(Pair::new(pen, ib(pen, 0), ib(pen, 8)).memory(DATA, &nops())) },
    Row {
        rule: "IB-04",
        fact: "VALID is not set",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            Some(Pair::new(pen, ib(pen, CHAIN | 8), ib(pen, CHAIN | VALID | 8)).memory(DATA, &nops()))
        },
    },
    Row { rule: "IB-05", fact: "the length is 7 dwords", make: |pen| Some(Pair::new(pen, ib(pen, 7), ib(pen, 8)).memory(DATA, &nops())) },
    Row {
        rule: "IB-06",
        fact: "the span ends inside the packet",
        make: |pen| {
            let span = |dwords| [pen.cond_exec(DATA, dwords), pen.raw("NUM_INSTANCES", &[1])].concat();
            Some(Pair::new(pen, span(1), span(2)).memory(DATA, &[1]))
        },
    },
    Row { rule: "IB-07", fact: "the VMID is 1", make: |pen| Some(Pair::new(pen, ib(pen, 1 << 24 | 8), ib(pen, 8)).memory(DATA, &nops())) },
    Row {
        rule: "IB-08",
        fact: "the packet is in a ring",
        make: |pen| {
            let packet = || pen.packet("PRED_EXEC", &[("device_select", 1), ("exec_count", 0)]);
            Some(Pair::new(pen, packet(), packet()).stated(ring()).miss_stated(Stated::default()))
        },
    },
];
