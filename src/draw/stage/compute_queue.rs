//! What a queue must hold before its first dispatch: registers that no dispatch of this crate changes.
//!
//! Values: Mesa 25.0.7 ac_cmdbuf.c (ac_init_compute_preamble_state) and the captures.

use crate::chip::Chip;
use crate::draw::image::{Image, Word};
use crate::draw::stage::board::Board;
use alloc::format;

/// Engines that have CU masks; hardware with fewer ignores the others.
fn engines(major: u8) -> u32 {
    if major >= 11 { 8 } else { 4 }
}

/// The name of an engine's CU mask.
fn cu_mask(major: u8, engine: u32) -> alloc::string::String {
    match (major, engine) {
        (9, _) | (_, 4..) => format!("COMPUTE_STATIC_THREAD_MGMT_SE{engine}"),
        _ => format!("COMPUTE_DESTINATION_EN_SE{engine}"),
    }
}

/// The registers of a queue that dispatches: CU masks (a zero mask on all engines hangs), wave launch grouping, tunnelling and interleaving.
///
/// ```
/// use pm4::chip::Chip;
/// let image = pm4::draw::compute_queue(Chip::Navi10, None);
/// assert_eq!(image.get(0xB858), Some(u32::MAX)); // all CUs of engine 0
/// assert_eq!(image.get(0xB864), Some(0)); // Navi10 has no engine 2
/// ```
pub fn compute_queue(chip: Chip, board: Option<Board>) -> Image {
    let (gfx, mut image) = (chip.gfx(), Image::default());
    let major = gfx.major();
    let present = board.or_else(|| Board::recorded(chip)).map(|board| board.shader_engines);
    for engine in 0..engines(major) {
        let (mask, rule) = match present {
            Some(n) if engine >= n && major >= 10 => (0, "the card has no such engine"),
            _ => (u32::MAX, "all CUs of the engine"),
        };
        image.add(Word::whole(gfx, &cu_mask(major, engine), mask, rule));
    }
    if major >= 10 {
        for at in 0..4 {
            image.add(Word::whole(gfx, &format!("COMPUTE_USER_ACCUM_{at}"), 0, "wave launch grouping, as RADV has it"));
        }
        image.add(Word::whole(gfx, "COMPUTE_DISPATCH_TUNNEL", 0, "tunnelled dispatches start at once"));
    }
    if major >= 11 {
        image.add(Word::whole(gfx, "COMPUTE_DISPATCH_INTERLEAVE", 64, "threads that go to one engine before the next"));
    }
    image
}
