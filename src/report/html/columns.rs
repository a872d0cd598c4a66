//! Columns of numbers, the form in which a page holds large tables.

use super::shell::Block;
use alloc::format;

/// Stores little-endian 32-bit numbers, each as the difference from the previous one: differences are small and compress well.
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

/// Stores little-endian 32-bit numbers.
pub(super) fn numbers(name: &str, numbers: &[u32]) -> Block {
    plain(&format!("{name}:u32"), numbers.iter().copied())
}

fn plain(name: &str, numbers: impl Iterator<Item = u32>) -> Block {
    Block::new(name, numbers.flat_map(u32::to_le_bytes).collect())
}
