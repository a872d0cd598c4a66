//! Packets for streams of a few lines.

#![allow(dead_code)] // each test binary uses its part

use pm4::chip::Chip;
use pm4::packet::{Header, Opcode};

pub const V: Chip = Chip::Vega10;
pub const N10: Chip = Chip::Navi10;
pub const N21: Chip = Chip::Navi21;
pub const N31: Chip = Chip::Navi31;
pub const STRIX: Chip = Chip::Gfx1150;
pub const N48: Chip = Chip::Gfx1201;

pub fn packet(opcode: Opcode, body: &[u32]) -> Vec<u32> {
    flagged(opcode, 0, body)
}

/// A packet with other low header bits: 1 predicate, 2 compute, 4 filter CAM.
pub fn flagged(opcode: Opcode, flags: u32, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0 | flags], body].concat()
}

/// A plain SET packet.
pub fn set(addr: u32, values: &[u32]) -> Vec<u32> {
    let (opcode, start) = match addr {
        0x28000.. if addr < 0x30000 => (Opcode::SET_CONTEXT_REG, 0x28000),
        0x30000.. => (Opcode::SET_UCONFIG_REG, 0x30000),
        _ => (Opcode::SET_SH_REG, 0xB000),
    };
    packet(opcode, &[&[(addr - start) / 4], values].concat())
}

/// Byte address of a register of a chip.
pub fn addr(chip: Chip, name: &str) -> u32 {
    pm4::regs::find(chip.gfx(), name).unwrap_or_else(|| panic!("{chip} has no {name}")).addr()
}

/// A register of a chip by name.
pub fn reg(chip: Chip, name: &str, value: u32) -> Vec<u32> {
    set(addr(chip, name), &[value])
}

pub fn draw() -> Vec<u32> {
    packet(Opcode::DRAW_INDEX_AUTO, &[3, 2])
}

pub fn indexed(max: u32) -> Vec<u32> {
    packet(Opcode::DRAW_INDEX_2, &[max, 0x1000, 0x80, 0, 0])
}

pub fn index_type() -> Vec<u32> {
    packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 0])
}

/// What every draw needs.
pub fn state(chip: Chip) -> Vec<u32> {
    let mut words = [reg(chip, "VGT_PRIMITIVE_TYPE", 4), reg(chip, "VGT_SHADER_STAGES_EN", 0x2000), reg(chip, "CB_TARGET_MASK", 0xF)].concat();
    words.extend(reg(chip, "SPI_SHADER_PGM_LO_ES", 0x10));
    words
}

pub fn release(word: u32, select: u32, lo: u32) -> Vec<u32> {
    packet(Opcode::RELEASE_MEM, &[word, select << 29, lo, 0x80, 1, 0, 0])
}

pub fn wait(control: u32, lo: u32, hi: u32, reference: u32) -> Vec<u32> {
    packet(Opcode::WAIT_REG_MEM, &[control, lo, hi, reference, u32::MAX, 4])
}

pub fn acquire(words: [u32; 7]) -> Vec<u32> {
    packet(Opcode::ACQUIRE_MEM, &words)
}

pub fn event(event: u32, index: u32) -> Vec<u32> {
    packet(Opcode::EVENT_WRITE, &[event | index << 8])
}

pub fn write(control: u32, lo: u32, hi: u32, value: u32) -> Vec<u32> {
    packet(Opcode::WRITE_DATA, &[control, lo, hi, value])
}

/// WRITE_DATA to memory, by ME.
pub const MEMORY: u32 = 5 << 8;

pub fn dispatch(flags: u32, initiator: u32) -> Vec<u32> {
    flagged(Opcode::DISPATCH_DIRECT, flags, &[1, 1, 1, initiator])
}

/// INDIRECT_BUFFER to 0x80_0000_1000: CALL | size, CHAIN and VALID in the control dword.
pub fn ib(control: u32) -> Vec<u32> {
    packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, control])
}

pub const CHAIN: u32 = 1 << 20;
pub const VALID: u32 = 1 << 23;

/// SET_CONTEXT_REG_PAIRS_PACKED with reset_filter_cam.
pub fn packed(words: &[u32]) -> Vec<u32> {
    flagged(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, 4, words)
}

pub fn nop() -> Vec<u32> {
    vec![0xFFFF_1000]
}
