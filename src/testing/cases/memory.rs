//! MEM, PERF and RUN: memory, waste, and limits of the model.

use crate::packet::Queue;
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::Stated;
use alloc::vec::Vec;

fn base(pen: Pen, addr: u64) -> Vec<u32> {
    pen.raw("SET_BASE", &[1, addr as u32, (addr >> 32) as u32])
}

/// Returns a fill of memory with zeros: flags of the control dword, and number of bytes.
fn fill(pen: Pen, control: u32, bytes: u32) -> Vec<u32> {
    pen.raw("DMA_DATA", &[2 << 29 | control, 0, 0, DATA as u32, (DATA >> 32) as u32, bytes])
}

fn closed() -> Stated {
    Stated { closed_memory: true, ..Stated::default() }
}

/// Writes DB_SHADER_CONTROL with a value that no rule reports.
fn control(pen: Pen, order: u64) -> Vec<u32> {
    pen.fields("DB_SHADER_CONTROL", &[("Z_ORDER", order)])
}

/// Returns ten draws with a state each, and `between` between the fifth and the sixth.
fn contexts(pen: Pen, between: Vec<u32>) -> Vec<u32> {
    let draws = |first: u64| (first..first + 5).flat_map(|number| [control(pen, number % 2), pen.draw()].concat()).collect::<Vec<u32>>();
    [pen.state(), draws(0), between, draws(5)].concat()
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row { rule: "MEM-01", fact: "the address of a base ends in 2", make: |pen| Some(Pair::new(pen, base(pen, DATA + 2), base(pen, DATA + 8))) },
    Row { rule: "MEM-02", fact: "bit 48 of the address is set", make: |pen| Some(Pair::new(pen, base(pen, 1 << 48 | DATA), base(pen, DATA))) },
    Row {
        rule: "MEM-03",
        fact: "the condition is outside mapped memory",
        make: |pen| {
            let condition = |addr| [pen.cond_exec(addr, 1), pen.nop()].concat();
            Some(Pair::new(pen, condition(DATA + 0x1000), condition(DATA)).memory(DATA, &[1]).stated(closed()))
        },
    },
    Row {
        rule: "MEM-04",
        fact: "COPY_DATA to memory by GRBM, which ME has",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let to = |memory: u32| pen.raw("COPY_DATA", &[5 | memory << 8, 0, 0, DATA as u32, (DATA >> 32) as u32]);
            Some(Pair::new(pen, to(1), to(5)))
        },
    },
    Row { rule: "MEM-05", fact: "0 bytes", make: |pen| Some(Pair::new(pen, fill(pen, 0, 0), fill(pen, 0, 4))) },
    Row {
        rule: "MEM-06",
        fact: "the function is 7",
        make: |pen| {
            let wait = |function: u32| pen.raw("WAIT_REG_MEM", &[1 << 4 | function, DATA as u32, (DATA >> 32) as u32, 0, u32::MAX, 4]);
            Some(Pair::new(pen, wait(7), wait(0)).zeros(4))
        },
    },
    Row {
        rule: "MEM-07",
        fact: "the continue bit is set",
        make: |pen| {
            let predicate = |bits: u32| pen.raw("SET_PREDICATION", &[3 << 16 | bits, DATA as u32, (DATA >> 32) as u32]);
            Some(Pair::new(pen, predicate(1 << 31), predicate(0)).zeros(4))
        },
    },
    Row {
        rule: "MEM-08",
        fact: "the buffer has 3 of 6 indices",
        make: |pen| {
            let draw = |size| [pen.state(), pen.index_type(), pen.indexed(size, 6)].concat();
            Some(Pair::new(pen, draw(3), draw(6)).zeros(4))
        },
    },
    Row {
        rule: "MEM-09",
        fact: "only ME has the destination",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let to = |memory: u32| pen.raw("WRITE_DATA", &[memory << 8, DATA as u32, (DATA >> 32) as u32, 0]);
            Some(Pair::new(pen, to(1), to(5)))
        },
    },
    Row {
        rule: "PERF-01",
        fact: "the second value is the first",
        make: |pen| Some(Pair::new(pen, [control(pen, 1), control(pen, 1)].concat(), [control(pen, 1), control(pen, 0)].concat())),
    },
    Row {
        rule: "PERF-02",
        fact: "the second value is the first",
        make: |pen| {
            let draws = |second| [pen.state(), control(pen, 1), pen.draw(), control(pen, second), pen.draw()].concat();
            Some(Pair::new(pen, draws(1), draws(0)))
        },
    },
    Row {
        rule: "PERF-03",
        fact: "nothing between the draws waits for them",
        make: |pen| Some(Pair::new(pen, contexts(pen, Vec::new()), contexts(pen, pen.event("PS_PARTIAL_FLUSH")))),
    },
    Row {
        rule: "PERF-04",
        fact: "ACQUIRE_MEM between draws of the same state",
        make: |pen| Some(Pair::new(pen, [pen.state(), pen.draw(), pen.acquire(0, 0), pen.draw()].concat(), [pen.state(), pen.draw(), pen.draw()].concat())),
    },
    Row {
        rule: "RUN-01",
        fact: "the limit is 8 dwords",
        make: |pen| {
            let limited = |dwords| Stated { max_dwords: Some(dwords), ..Stated::default() };
            Some(Pair::new(pen, pen.nop().repeat(16), pen.nop().repeat(16)).stated(limited(8)).miss_stated(limited(64)))
        },
    },
    Row {
        rule: "RUN-02",
        fact: "the stream writes in two places, and there is room for one",
        make: |pen| {
            let limit = Stated { max_memory: Some(1024), ..Stated::default() };
            Some(Pair::new(pen, [pen.write(DATA, 1), pen.write(DATA + 0x1000, 1)].concat(), pen.write(DATA, 1)).stated(limit))
        },
    },
    Row {
        rule: "RUN-03",
        fact: "there is a finding, and room for none",
        make: |pen| {
            let limit = Stated { max_findings: Some(0), ..Stated::default() };
            let call = |dwords: u32| pen.raw("INDIRECT_BUFFER", &[DATA as u32, (DATA >> 32) as u32, dwords]);
            Some(Pair::new(pen, call(0), call(8)).memory(DATA, &pen.nop().repeat(8)).stated(limit))
        },
    },
];
