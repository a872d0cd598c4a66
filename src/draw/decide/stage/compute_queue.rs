//! What a queue must hold before its first dispatch: registers that no dispatch of this crate changes.
//!
//! Values: Mesa 25.0.7 ac_cmdbuf.c (ac_init_compute_preamble_state) and the captures.

use crate::chip::Chip;
use crate::draw::desc::Board;
use crate::draw::image::RegisterImage;
use crate::draw::reasons::Reasons;
use crate::draw::sheet::{KeepReasons, NoReasons, On, Sheet, Why, Word};

/// Returns the registers of a queue that dispatches: CU masks (a zero mask on all engines hangs), wave launch grouping, tunnelling and interleaving.
///
/// ```
/// use pm4::chip::Chip;
/// let image = pm4::draw::compute_queue(Chip::Navi10, None);
/// assert_eq!(image.get(0xB858), Some(u32::MAX)); // all CUs of engine 0
/// assert_eq!(image.get(0xB864), Some(0)); // Navi10 has no engine 2
/// ```
pub fn compute_queue(chip: Chip, board: Option<Board>) -> RegisterImage {
    registers::<NoReasons>(chip, board).into_image()
}

/// Why the registers of [`compute_queue`] have their values.
pub fn explain_compute_queue(chip: Chip, board: Option<Board>) -> Reasons {
    registers::<KeepReasons>(chip, board).into_reasons()
}

fn registers<S: Why>(chip: Chip, board: Option<Board>) -> Sheet<S> {
    let (gfx, mut sheet) = (chip.gfx(), Sheet::new(chip.gfx()));
    let present = board.or_else(|| Board::recorded(chip)).map(|board| board.shader_engines);
    let mask = |engine: u32| match present {
        Some(n) if engine >= n && gfx.major() >= 10 => (0, "the board has no such engine"),
        _ => (u32::MAX, "all CUs of the engine"),
    };
    macro_rules! masks {
        ($r:ident, $($register:ident $engine:literal),*) => {
            $(
                let (cus, rule) = mask($engine);
                sheet.add(Word::new(On::<$r::$register, { $r::GFX }>::SLOT).whole(cus, rule));
            )*
        };
    }
    macro_rules! launch {
        ($r:ident) => {
            for at in 0..4 {
                let word = Word::element(On::<$r::ComputeUserAccum, { $r::GFX }>::PLACE, at);
                sheet.add(word.map(|word| word.whole(0, "wave launch grouping, as in RADV")));
            }
            sheet.add(Word::new(On::<$r::ComputeDispatchTunnel, { $r::GFX }>::SLOT).whole(0, "tunnelled dispatches start at once"));
        };
    }
    on_gfx!(gfx, r => {
        Gfx9 => {
            masks!(r, ComputeStaticThreadMgmtSe0 0, ComputeStaticThreadMgmtSe1 1, ComputeStaticThreadMgmtSe2 2, ComputeStaticThreadMgmtSe3 3);
        },
        Gfx10x => {
            masks!(r, ComputeDestinationEnSe0 0, ComputeDestinationEnSe1 1, ComputeDestinationEnSe2 2, ComputeDestinationEnSe3 3);
            launch!(r);
        },
        // Engines that have CU masks; hardware with fewer ignores the others.
        Gfx11x | Gfx12 => {
            masks!(r, ComputeDestinationEnSe0 0, ComputeDestinationEnSe1 1, ComputeDestinationEnSe2 2, ComputeDestinationEnSe3 3);
            for engine in 4..8 {
                let (cus, rule) = mask(engine);
                let word = Word::element(On::<r::ComputeStaticThreadMgmtSe4, { r::GFX }>::PLACE, engine - 4);
                sheet.add(word.map(|word| word.whole(cus, rule)));
            }
            launch!(r);
            sheet.add(Word::new(On::<r::ComputeDispatchInterleave, { r::GFX }>::SLOT).whole(64, "threads that go to one engine before the next"));
        },
    });
    sheet
}
