//! The XOR of a surface's base address ("tile swizzle", "pipe bank xor"), which makes surfaces start on different banks. In units of 256 bytes.
//! Sources: Mesa 25.0.7 addrlib HwlComputePipeBankXor, ac_surface.c.

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};

/// Returns the number of bank bits of a mode.
fn bank_bits(config: &AddressConfig, mode: u32) -> u32 {
    let above = blocks::block_bytes(config, mode) - 8;
    match config.generation {
        Generation::Gfx9 => above.saturating_sub(config.all_pipes()).min(config.banks.into()),
        _ => above.saturating_sub(u32::from(config.pipes) + 2).min(4),
    }
}

/// Banks of successive surfaces on GFX9 with 16 banks, for elements of up to 32 bits and above.
const BANKS_9: [[u8; 16]; 2] = [[0, 7, 4, 3, 8, 15, 12, 11, 1, 6, 5, 2, 9, 14, 13, 10], [0, 7, 8, 15, 4, 3, 12, 11, 1, 6, 9, 14, 5, 2, 13, 10]];

/// Banks of successive surfaces on GFX10, for 1 to 4 bank bits.
const BANKS_10: [[u8; 8]; 4] = [[0, 1, 0, 1, 0, 1, 0, 1], [0, 2, 1, 3, 2, 0, 3, 1], [0, 4, 2, 6, 1, 5, 3, 7], [0, 8, 4, 12, 2, 10, 6, 14]];

/// Returns the value for the `index`th surface.
pub(in crate::layout) fn base_xor(config: &AddressConfig, mode: u32, bytes: u32, index: u32) -> u32 {
    match config.generation {
        Generation::Gfx9 if mode >= 16 => {
            let pipes = config.all_pipes().min(blocks::block_bytes(config, mode) - 8);
            let bank = match bank_bits(config, mode) {
                0 => 0,
                4 => BANKS_9[usize::from(bytes > 4)][(index & 15) as usize].into(),
                bits => index.wrapping_mul((1u32 << (bits - 1)).saturating_sub(1).max(1)) & ((1 << bits) - 1),
            };
            bank << pipes
        }
        Generation::Gfx10 | Generation::Gfx103 if mode >= 20 => match bank_bits(config, mode) {
            0 => 0,
            bits => u32::from(BANKS_10[(bits.min(4) - 1) as usize][(index & 7) as usize]) << (u32::from(config.pipes) + 2),
        },
        Generation::Gfx12 if mode >= 2 => index & ((1 << u32::from(config.pipes).saturating_sub(2)) - 1),
        _ => 0,
    }
}

/// Returns all bits that base addresses of this mode may have.
pub(in crate::layout) fn mask(config: &AddressConfig, mode: u32, bytes: u32) -> u32 {
    (0..16).fold(0, |bits, index| bits | base_xor(config, mode, bytes, index))
}

/// Returns the part of a value that applies to addresses of this mode, as address bits.
pub(in crate::layout) fn applied(config: &AddressConfig, mode: u32, xor: u32) -> u64 {
    let bytes = blocks::block_bytes(config, mode);
    let mask = match config.generation {
        Generation::Gfx12 if mode < 2 => 0,
        Generation::Gfx12 => u32::MAX,
        _ if mode < 16 => 0,
        Generation::Gfx9 => u32::MAX,
        _ => {
            let pipes = u32::from(config.pipes);
            ((1 << pipes) - 1) | ((1 << bank_bits(config, mode)) - 1) << (pipes + 2)
        }
    };
    u64::from(xor & mask) << 8 & ((1 << bytes) - 1)
}
