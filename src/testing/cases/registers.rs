//! REG: register writes.

use crate::packet::{Header, Queue, ShaderType};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use alloc::vec::Vec;

/// Returns a CONTEXT_CONTROL with the bits of both dwords, each with its update bit.
fn control(pen: Pen, load: u32, shadow: u32) -> Vec<u32> {
    pen.raw("CONTEXT_CONTROL", &[1 << 31 | load, 1 << 31 | shadow])
}

/// Returns a LOAD_CONTEXT_REG of DB_SHADER_CONTROL from [`DATA`].
fn load(pen: Pen) -> Vec<u32> {
    pen.raw("LOAD_CONTEXT_REG", &[DATA as u32, (DATA >> 32) as u32, pen.context("DB_SHADER_CONTROL"), 1])
}

/// Returns a dispatch register written with the shader type of graphics.
fn as_graphics(mut words: Vec<u32>) -> Vec<u32> {
    words[0] = Header(words[0]).with_shader_type(ShaderType::Graphics).0;
    words
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "REG-01",
        fact: "the offset is beyond the window",
        make: |pen| Some(Pair::new(pen, pen.raw("SET_CONTEXT_REG", &[0x2000, 0]), pen.raw("SET_CONTEXT_REG", &[pen.context("DB_SHADER_CONTROL"), 0]))),
    },
    Row {
        rule: "REG-02",
        fact: "no register is at the offset",
        make: |pen| Some(Pair::new(pen, pen.raw("SET_CONTEXT_REG", &[0x3FF, 1]), pen.raw("SET_CONTEXT_REG", &[pen.context("DB_SHADER_CONTROL"), 1]))),
    },
    Row {
        rule: "REG-03",
        fact: "the register is privileged",
        make: |pen| {
            let privileged = |addr: u32| pen.raw("COPY_DATA", &[5, 0, 0, addr / 4, 0]);
            Some(Pair::new(pen, privileged(0x8040), privileged(pen.addr("DB_SHADER_CONTROL"))))
        },
    },
    Row {
        rule: "REG-04",
        fact: "the shader type is graphics",
        make: |pen| {
            let write = pen.set("COMPUTE_PGM_LO", 0);
            Some(Pair::new(pen, as_graphics(write.clone()), write))
        },
    },
    Row {
        rule: "REG-05",
        fact: "the write has no index",
        make: |pen| {
            let addr = pen.addr("VGT_INDEX_TYPE");
            Some(Pair::new(pen, pen.set_at(addr, 0, &[0]), pen.set_at(addr, 2, &[0])))
        },
    },
    Row {
        rule: "REG-06",
        fact: "a second register follows",
        make: |pen| {
            let addr = pen.addr("VGT_PRIMITIVE_TYPE");
            Some(Pair::new(pen, pen.set_at(addr, 1, &[4, 0]), pen.set_at(addr, 1, &[4])))
        },
    },
    Row {
        rule: "REG-07",
        fact: "a bit that no field has",
        make: |pen| {
            let write = |value| pen.set("VGT_INDEX_TYPE", value);
            Some(Pair::new(pen, write(1 << 31), write(0)))
        },
    },
    Row {
        rule: "REG-08",
        fact: "a value that has no name",
        make: |pen| {
            let write = |value| pen.fields("PA_SC_BINNER_CNTL_0", &[("BIN_SIZE_X_EXTEND", value)]);
            Some(Pair::new(pen, write(6), write(2)))
        },
    },
    Row {
        rule: "REG-09",
        fact: "the second corner is not written",
        make: |pen| {
            let addr = pen.addr("PA_SC_VPORT_SCISSOR_0_TL");
            Some(Pair::new(pen, pen.set_at(addr, 0, &[0]), pen.set_at(addr, 0, &[0, 0])))
        },
    },
    Row {
        rule: "REG-10",
        fact: "the mask keeps bits of a value that is not known",
        make: |pen| {
            let modify = |mask: u32| pen.raw("CONTEXT_REG_RMW", &[pen.context("DB_SHADER_CONTROL"), mask, 1]);
            Some(Pair::new(pen, modify(1), modify(u32::MAX)))
        },
    },
    Row {
        rule: "REG-11",
        fact: "SH registers are not shadowed",
        make: |pen| {
            let write = || pen.set("SPI_SHADER_PGM_LO_PS", 0);
            Some(Pair::new(pen, [control(pen, 0, 1 << 1), write()].concat(), [control(pen, 0, 1 << 1 | 1 << 16), write()].concat()))
        },
    },
    Row {
        rule: "REG-12",
        fact: "CONTEXT_CONTROL does not enable the load",
        make: |pen| Some(Pair::new(pen, [control(pen, 0, 0), load(pen)].concat(), [control(pen, 1 << 1, 0), load(pen)].concat()).memory(DATA, &[0; 0x210])),
    },
    Row {
        rule: "REG-14",
        fact: "the register is of the graphics pipe",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            Some(Pair::new(pen, pen.on(Queue::Graphics).set("DB_SHADER_CONTROL", 0), pen.set("COMPUTE_PGM_LO", 0)))
        },
    },
    Row {
        rule: "REG-15",
        fact: "GRBM_GFX_INDEX selects one engine",
        make: |pen| {
            let select = |value| pen.set("GRBM_GFX_INDEX", value);
            let draw = |value| [pen.state(), select(value), pen.draw(), select(0xE000_0000)].concat();
            Some(Pair::new(pen, draw(0), draw(0xE000_0000)))
        },
    },
    Row {
        rule: "REG-16",
        fact: "the register is not 0",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let write = |value| match pen.generation() {
                90 => pen.set_at(0xB898, 0, &[value]),
                _ => pen.set("COMPUTE_RELAUNCH", value),
            };
            Some(Pair::new(pen, write(1), write(0)))
        },
    },
    Row {
        rule: "REG-17",
        fact: "a mask of 16 compute units in a register without masks",
        make: |pen| {
            let compute = pen.on(Queue::Compute);
            match pen.generation() {
                90 => Some(Pair::new(compute, compute.set_at(0xB8A0, 0, &[1]), compute.set_at(0xB8A0, 0, &[0]))),
                120 => {
                    let pair = Pair::new(pen, pen.set_at(0xB01C, 0, &[0xFFFF]), pen.set_at(0xB01C, 0, &[0]));
                    Some(pair.allow("REG-07", "bits 15:12 of the mask belong to no field of the register"))
                }
                _ => Some(Pair::new(pen, pen.set_at(0xB018, 0, &[0xFFFF]), pen.set_at(0xB018, 0, &[0]))),
            }
        },
    },
    Row {
        rule: "REG-18",
        fact: "LDS of 129 KiB",
        make: |pen| {
            let pen = pen.on(Queue::Compute);
            let size = |units| pen.fields("COMPUTE_PGM_RSRC2", &[("LDS_SIZE", units)]);
            Some(Pair::new(pen, size(258), size(128)))
        },
    },
    Row {
        rule: "REG-13",
        fact: "the memory of the load holds a clock",
        make: |pen| {
            // COPY_DATA of the clock to memory.
            let clock =
                pen.raw("COPY_DATA", &[9 | 5 << 8 | 1 << 16 | 1 << 20, 0, 0, (DATA as u32 + 4 * pen.context("DB_SHADER_CONTROL")) & !7, (DATA >> 32) as u32]);
            let draw = |clock: Vec<u32>| [clock, pen.sync(), control(pen, 1 << 1, 0), load(pen), pen.state(), pen.draw()].concat();
            Some(Pair::new(pen, draw(clock), draw(Vec::new())).memory(DATA, &[0; 0x210]))
        },
    },
];
