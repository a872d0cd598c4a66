//! SYN: events, releases, acquires, waits, and the order of engines.

use crate::cp::FirmwareVersions;
use crate::packet::Queue;
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::Stated;
use alloc::vec::Vec;

/// Returns an event that writes nothing, with an index.
fn event(pen: Pen, name: &str, index: u32) -> Vec<u32> {
    pen.raw("EVENT_WRITE", &[u32::from(pen.event_number(name)) | index << 8])
}

/// Returns a RELEASE_MEM of a value; on the graphics queue of GFX9, preceded by an event.
fn release(pen: Pen, control: u32, select: u32, addr: u64) -> Vec<u32> {
    let first = if pen.generation() == 90 && pen.queue == Queue::Graphics { pen.sample("ZPASS_DONE", DATA + 0x400) } else { Vec::new() };
    [first, pen.release_words(control, select, addr, 1)].concat()
}

const BOTTOM: u32 = 40 | 5 << 8;
const PS_DONE: u32 = 48 | 6 << 8;
const VALUE_32: u32 = 1 << 29;
const VALUE_64: u32 = 2 << 29;

/// Returns the event of the depth counters.
fn dump(pen: Pen, addr: u64) -> Vec<u32> {
    pen.sample(if pen.generation() < 110 { "ZPASS_DONE" } else { "PIXEL_PIPE_STAT_DUMP" }, addr)
}

/// Selects the render backends that count, from GFX11 on.
fn backends(pen: Pen) -> Vec<u32> {
    if pen.generation() < 110 { Vec::new() } else { pen.raw("EVENT_WRITE", &[56 | 1 << 8, 1 << 3, 0]) }
}

/// States only a feature version of ME.
fn feature(version: u32) -> Stated {
    Stated { firmware: FirmwareVersions { me_feature: Some(version), ..FirmwareVersions::default() }, ..Stated::default() }
}

fn mec(version: u32) -> Stated {
    Stated { firmware: FirmwareVersions { mec: Some(version), ..FirmwareVersions::default() }, ..Stated::default() }
}

fn init(pen: Pen) -> Vec<u32> {
    pen.raw("DISPATCH_TASK_STATE_INIT", &[DATA as u32, (DATA >> 32) as u32])
}

/// Returns one workgroup of task shaders, on a compute queue.
fn task(pen: Pen) -> Vec<u32> {
    let mut words = pen.on(Queue::Compute).raw("DISPATCH_TASKMESH_DIRECT_ACE", &[1, 1, 1, 1, 0x240]);
    words[0] |= 2;
    words
}

/// Returns the mesh work of a task dispatch.
fn mesh(pen: Pen) -> Vec<u32> {
    pen.raw("DISPATCH_TASKMESH_GFX", &[0x8D << 16 | 0x8C, 0, 2])
}

/// Returns the compute queue's work for mesh work.
fn tasks(pen: Pen, count: usize) -> Vec<u32> {
    let pen = pen.on(Queue::Compute);
    [init(pen), pen.program(), task(pen).repeat(count)].concat()
}

/// Offset of a task control buffer in DATA.
const CONTROL: usize = 0x40;

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "SYN-01",
        fact: "the event writes a timestamp",
        make: |pen| Some(Pair::new(pen, event(pen, "BOTTOM_OF_PIPE_TS", 5), event(pen, "PS_PARTIAL_FLUSH", 4))),
    },
    Row {
        rule: "SYN-02",
        fact: "the event is PS_PARTIAL_FLUSH",
        make: |pen| Some(Pair::new(pen, release(pen, 16 | 5 << 8, VALUE_32, DATA), release(pen, BOTTOM, VALUE_32, DATA))),
    },
    Row {
        rule: "SYN-03",
        fact: "the release has a cache action",
        make: |pen| Some(Pair::new(pen, pen.release_words(PS_DONE | 1 << 12, VALUE_32, DATA, 1), pen.release_words(PS_DONE, VALUE_32, DATA, 1))),
    },
    Row {
        rule: "SYN-04",
        fact: "no ZPASS_DONE before the release",
        make: |pen| Some(Pair::new(pen, pen.release_words(BOTTOM, VALUE_32, DATA, 1), release(pen, BOTTOM, VALUE_32, DATA))),
    },
    Row {
        rule: "SYN-05",
        fact: "64 bits at an address that ends in 4",
        make: |pen| Some(Pair::new(pen, release(pen, BOTTOM, VALUE_64, DATA + 4), release(pen, BOTTOM, VALUE_64, DATA + 8))),
    },
    Row {
        rule: "SYN-06",
        fact: "bit 24 is set",
        make: |pen| {
            Some(Pair::new(pen, release(pen, BOTTOM | 1 << 24, VALUE_32, DATA), release(pen, BOTTOM, VALUE_32, DATA)).allow("ENC-12", "the bit is reserved"))
        },
    },
    Row { rule: "SYN-07", fact: "CB_ACTION_ENA is set", make: |pen| Some(Pair::new(pen, pen.acquire(1 << 25, 0), pen.acquire(0, 0))) },
    Row {
        rule: "SYN-08",
        fact: "the stage is PRE_DEPTH, and GL2 is invalidated",
        make: |pen| Some(Pair::new(pen, pen.pixel_wait(0, 1 << 14), pen.pixel_wait(4, 1 << 14))),
    },
    Row {
        rule: "SYN-09",
        fact: "the release is counted for a pixel wait",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let fence = |sync: u32| pen.release_words(BOTTOM | sync << 31, VALUE_32, DATA, 1);
            Some(Pair::new(pen, fence(1), fence(0)).allow("ENC-12", "the bit is reserved on this queue"))
        },
    },
    Row {
        rule: "SYN-10",
        fact: "the event flushes metadata of depth",
        make: |pen| Some(Pair::new(pen, pen.event("FLUSH_AND_INV_DB_META"), pen.event("FLUSH_AND_INV_CB_META"))),
    },
    Row { rule: "SYN-11", fact: "the index is 0", make: |pen| Some(Pair::new(pen, event(pen, "PS_PARTIAL_FLUSH", 0), event(pen, "PS_PARTIAL_FLUSH", 4))) },
    Row {
        rule: "SYN-12",
        fact: "the packet has no address",
        make: |pen| Some(Pair::new(pen, pen.event("SAMPLE_PIPELINESTAT"), pen.sample("SAMPLE_PIPELINESTAT", DATA))),
    },
    Row {
        rule: "SYN-13",
        fact: "the index is that of depth counters",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            Some(Pair::new(pen, dump(pen, DATA), pen.sample("SAMPLE_PIPELINESTAT", DATA)))
        },
    },
    Row {
        rule: "SYN-14",
        fact: "PFP is to wait",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let wait = |engine: u32| pen.raw("WAIT_REG_MEM", &[0x13 | engine << 8, DATA as u32, (DATA >> 32) as u32, 0, u32::MAX, 4]);
            Some(Pair::new(pen, wait(1), wait(0)).zeros(4))
        },
    },
    Row {
        rule: "SYN-15",
        fact: "the feature version is 20",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let flush = || pen.event("CS_PARTIAL_FLUSH");
            Some(Pair::new(pen, flush(), flush()).stated(feature(20)).miss_stated(feature(99)))
        },
    },
    Row {
        rule: "SYN-16",
        fact: "no order of the write-backs",
        make: |pen| Some(Pair::new(pen, pen.acquire(0, 1 << 6 | 1 << 15), pen.acquire(0, 1 << 6 | 1 << 15 | 1 << 16))),
    },
    Row {
        rule: "SYN-17",
        fact: "everything, from another base than 0",
        make: |pen| Some(Pair::new(pen, pen.acquire_range(0, 0, 0x10, 0xFF_FFFF_FFFF), pen.acquire(0, 0))),
    },
    Row {
        rule: "SYN-18",
        fact: "the memory is 0, and nothing writes 1",
        make: |pen| Some(Pair::new(pen, pen.wait(DATA, 1), [pen.write(DATA, 1), pen.wait(DATA, 1)].concat()).zeros(4)),
    },
    Row {
        rule: "SYN-19",
        fact: "nothing waits for the fence",
        make: |pen| Some(Pair::new(pen, pen.release(DATA, 1), [pen.release(DATA, 1), pen.wait(DATA, 1)].concat())),
    },
    Row {
        rule: "SYN-20",
        fact: "PFP does not wait for ME",
        make: |pen| {
            let read = |sync: Vec<u32>| [pen.write(DATA, 1), sync, pen.cond_exec(DATA, 1), pen.nop()].concat();
            Some(Pair::new(pen, read(Vec::new()), read(pen.sync())).zeros(4))
        },
    },
    Row {
        rule: "SYN-21",
        fact: "no event sets the register",
        make: |pen| {
            let addr = pen.addr("CP_STRMOUT_CNTL");
            let clear = pen.raw("WRITE_DATA", &[0, addr / 4, 0, 0]);
            let wait = pen.raw("WAIT_REG_MEM", &[3, addr / 4, 0, 1, 1, 4]);
            let waits = |flush: Vec<u32>| [clear.clone(), flush, wait.clone()].concat();
            Some(Pair::new(pen, waits(Vec::new()), waits(pen.event("SO_VGTSTREAMOUT_FLUSH"))))
        },
    },
    Row { rule: "SYN-22", fact: "CB0_DEST_BASE_ENA is set", make: |pen| Some(Pair::new(pen, pen.acquire(1 << 6, 0), pen.acquire(0, 0))) },
    Row {
        rule: "SYN-23",
        fact: "the flush names the colour block",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let pair = Pair::new(pen, pen.acquire(1 << 25, 0), pen.acquire(0, 0));
            Some(if pen.generation() < 110 { pair } else { pair.allow("SYN-07", "from GFX11 on no queue has the action") })
        },
    },
    Row {
        rule: "SYN-24",
        fact: "nothing waits for the draw",
        make: |pen| {
            let ring = |between: Vec<u32>| {
                let change = if pen.generation() < 110 { pen.set("VGT_TF_RING_SIZE", 5) } else { pen.run("SPI_ATTRIBUTE_RING_BASE", &[2, 1]) };
                [pen.state(), pen.draw(), between, change].concat()
            };
            let wait = if pen.generation() < 110 {
                [pen.event("VS_PARTIAL_FLUSH"), pen.event("VGT_FLUSH")].concat()
            } else {
                [pen.raw("RELEASE_MEM", &[BOTTOM | 1 << 31, 0, 0, 0, 0, 0, 0]), pen.pixel_wait(5, 0)].concat()
            };
            Some(Pair::new(pen, ring(Vec::new()), ring(wait)))
        },
    },
    Row {
        rule: "SYN-25",
        fact: "the register is the count of a streamout draw",
        make: |pen| {
            let copy = |name: &str| pen.raw("COPY_DATA", &[1, DATA as u32, (DATA >> 32) as u32, pen.addr(name) / 4, 0]);
            let pair = Pair::new(pen, copy("VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE"), copy("VGT_STRMOUT_DRAW_OPAQUE_OFFSET"));
            Some(pair.zeros(4))
        },
    },
    Row {
        rule: "SYN-26",
        fact: "nothing waits for vertex waves",
        make: |pen| {
            let ordered = pen.fields("VGT_SHADER_STAGES_EN", &[("NGG_WAVE_ID_EN", 1)]);
            let again = |wait: Vec<u32>| [pen.state(), ordered.clone(), pen.draw(), wait, pen.set("GE_GS_ORDERED_ID_BASE", 0)].concat();
            Some(Pair::new(pen, again(Vec::new()), again(pen.event("VS_PARTIAL_FLUSH"))))
        },
    },
    Row {
        rule: "SYN-27",
        fact: "one mesh dispatch for two of tasks",
        make: |pen| {
            let work = |count| [pen.state(), init(pen), mesh(pen).repeat(count)].concat();
            Some(Pair::new(pen, work(1), work(2)).beside(tasks(pen, 2)).zeros(CONTROL))
        },
    },
    Row {
        rule: "SYN-28",
        fact: "the place of the control buffer is unknown",
        make: |pen| {
            let work = |first: Vec<u32>| [pen.state(), first, mesh(pen)].concat();
            Some(Pair::new(pen, work(Vec::new()), work(init(pen))).beside(tasks(pen, 1)).zeros(CONTROL))
        },
    },
    Row {
        rule: "SYN-29",
        fact: "the count is 0",
        make: |pen| {
            let compute = pen.on(Queue::Compute);
            let work = |count: u64| {
                let values = [("data_addr", DATA), ("ring_entry_loc", 0x240), ("count", count), ("stride", 12), ("dispatch_initiator", 1)];
                let mut words = compute.packet("DISPATCH_TASKMESH_INDIRECT_MULTI_ACE", &values);
                words[0] |= 2;
                [init(compute), compute.program(), words].concat()
            };
            Some(Pair::new(compute, work(0), work(1)).zeros(CONTROL).stated(mec(99)))
        },
    },
    Row {
        rule: "SYN-30",
        fact: "no packet has written the memory",
        make: |pen| Some(Pair::new(pen, pen.wait(DATA, 0), [pen.write(DATA, 0), pen.wait(DATA, 0)].concat()).zeros(4)),
    },
    Row {
        rule: "SYN-31",
        fact: "the draw does not count",
        make: |pen| {
            let fields = |counts: bool| match pen.generation() {
                90 | 100 | 103 => pen.fields("DB_COUNT_CONTROL", &[("ZPASS_INCREMENT_DISABLE", u64::from(!counts))]),
                _ => pen.fields("DB_COUNT_CONTROL", &[("ZPASS_ENABLE", u64::from(counts))]),
            };
            let query = |counts| [pen.state(), backends(pen), dump(pen, DATA), fields(counts), pen.draw(), dump(pen, DATA + 8)].concat();
            Some(Pair::new(pen, query(false), query(true)))
        },
    },
    Row {
        rule: "SYN-32",
        fact: "the counting backends are unknown",
        make: |pen| Some(Pair::new(pen, dump(pen, DATA), [backends(pen), dump(pen, DATA)].concat())),
    },
    Row {
        rule: "SYN-34",
        fact: "the mask has all bits",
        make: |pen| {
            let wait = |mask: u32| pen.raw("WAIT_REG_MEM", &[0x143, 0x1A00, 0x1A01, mask, mask, 0x20]);
            Some(Pair::new(pen, wait(u32::MAX), wait(1)).allow("SYN-18", "hardware answers in the register, which no packet writes"))
        },
    },
    Row {
        rule: "SYN-35",
        fact: "the range begins before CMASK and not behind it",
        make: |pen| {
            let target = [("CB_COLOR0_INFO", 1 << 13), ("CB_COLOR0_CMASK", 0x8001), ("CB_COLOR0_CMASK_BASE_EXT", 0)];
            let target = target.map(|(register, value)| pen.set(register, value)).concat();
            // GL2_RANGE is a range, GL2_INV.
            let acquire = |base: u32| [target.clone(), pen.acquire_range(0, 2 << 11 | 1 << 14, base, 2)].concat();
            Some(Pair::new(pen, acquire(0x8000), acquire(0x8002)).stated(feature(27)))
        },
    },
];
