//! Columns of numbers: what a page holds of very many things.

use super::shell::Block;
use alloc::format;

/// Little-endian 32-bit numbers, each as the difference from the one before: that of neighbours is small, and packs well.
pub(super) fn differences(name: &str, numbers: &[u32]) -> Block {
    let mut last = 0;
    plain(
        &format!("{name}:delta"),
        numbers.iter().map(|number| {
            let step = number.wrapping_sub(last);
            last = *number;
            step
        }),
    )
}

/// Little-endian 32-bit numbers.
pub(super) fn numbers(name: &str, numbers: &[u32]) -> Block {
    plain(&format!("{name}:u32"), numbers.iter().copied())
}

fn plain(name: &str, numbers: impl Iterator<Item = u32>) -> Block {
    Block::new(name, numbers.flat_map(u32::to_le_bytes).collect())
}
