//! From the content of a line to the bytes of a packet.

use super::error::brief;
use crate::chip::Gfx;
use crate::packet::{Header, Queue};
use crate::report::ground::queue_name;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Appends a packet, if its header describes the body.
pub(super) fn packet(header: u32, body: &[u32], out: &mut Vec<u8>) -> Result<(), String> {
    let wanted = Header(header).body_dwords();
    if body.len() != wanted {
        return Err(format!("header {header:#010x} announces {wanted} body dwords, but there are {}", body.len()));
    }
    words(&[header], out);
    words(body, out);
    Ok(())
}

/// Returns the generation and queue with these names.
pub(super) fn view(gfx: &str, queue: &str) -> Result<(Gfx, Queue), String> {
    let known = [Queue::Graphics, Queue::Compute, Queue::Constant];
    let queue = known.into_iter().find(|known| queue_name(*known) == queue).ok_or_else(|| format!("{:?} is not a queue", brief(queue)))?;
    Ok((gfx.parse().map_err(|_| format!("{:?} is not a generation", brief(gfx)))?, queue))
}

pub(super) fn words(words: &[u32], out: &mut Vec<u8>) {
    out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
}

/// Checks that the register values printed with a body are in the body, in this order. A change of only the printed text would otherwise have no
/// effect.
pub(super) fn values_agree(values: impl Iterator<Item = u32>, body: &[u32]) -> Result<(), String> {
    let mut rest = body.iter();
    for value in values {
        if !rest.any(|word| *word == value) {
            return Err(format!("a register write says {value:#010x}, but the words of the packet do not: change the words, because only they are assembled"));
        }
    }
    Ok(())
}
