//! The board: how many shader engines, arrays and compute units of the chip are enabled.

use crate::chip::{CHIPS, Chip};

/// Shader engines, arrays and CUs of a board: 1 to 32 of each.
///
/// ```
/// # #[cfg(feature = "draw")] {
/// use pm4::chip::Chip;
/// use pm4::draw::Recorder;
/// use pm4::gpu::{Board, Gpu};
/// // A board that is recorded, and one that the caller knows of.
/// assert_eq!(Board::recorded(Chip::Navi31), Some(Board { shader_engines: 6, arrays_per_engine: 2, cus_per_array: 8 }));
/// let board = Some(Board { shader_engines: 2, arrays_per_engine: 2, cus_per_array: 8 });
/// let mut recorder = Recorder::new(Gpu { board, ..Gpu::from(Chip::Navi33) });
/// recorder.begin()?;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// Shader engines.
    pub shader_engines: u32,
    /// Shader arrays per shader engine.
    pub arrays_per_engine: u32,
    /// CUs enabled in the array with the fewest.
    pub cus_per_array: u32,
}

/// A board as the kernel describes it.
struct Recorded {
    name: &'static str,
    board: Board,
    render_backends: u32,
}

const fn recorded(name: &'static str, shader_engines: u32, arrays_per_engine: u32, cus_per_array: u32, render_backends: u32) -> Recorded {
    Recorded { name, board: Board { shader_engines, arrays_per_engine, cus_per_array }, render_backends }
}

/// Boards with recorded kernel answers: shader engines, arrays per engine, CUs of the array with the fewest, maximum number of render backends of the chip
/// (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c: num_shader_engines, num_shader_arrays_per_engine, cu_bitmap, num_rb_pipes). The recorded Navi21 has an
/// engine without CUs, which counts as an engine but is ignored in the minimum.
#[rustfmt::skip] // a table
static RECORDED: [Recorded; 10] = [
    recorded("vega10",            4, 1, 16, 16),
    recorded("raven",             1, 1, 10,  2),
    recorded("raven2",            1, 1,  3,  1),
    recorded("renoir",            1, 1,  7,  2),
    recorded("navi10",            2, 2, 10, 16),
    recorded("navi21",            4, 2, 10, 16),
    recorded("vangogh",           1, 1,  8,  2),
    recorded("raphael_mendocino", 1, 1,  2,  1),
    recorded("navi31",            6, 2,  8, 24),
    recorded("gfx1150",           1, 2,  8,  4),
];

/// Returns whether two names are equal, for tables that are computed at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The position of each chip in `RECORDED`, or its length if the chip is not there. Pipelines are created with these positions.
static PLACES: [usize; CHIPS.len()] = {
    let mut places = [RECORDED.len(); CHIPS.len()];
    let mut chip = 0;
    while chip < places.len() {
        let mut at = 0;
        while at < RECORDED.len() && !same(RECORDED[at].name, CHIPS[chip].name) {
            at += 1;
        }
        places[chip] = at;
        chip += 1;
    }
    places
};

fn find(chip: Chip) -> Option<&'static Recorded> {
    RECORDED.get(*PLACES.get(chip as usize)?)
}

impl Board {
    /// Returns a board with this chip whose kernel answers are public (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c); None for other chips. Other
    /// boards with the chip may have fewer CUs.
    pub fn recorded(chip: Chip) -> Option<Self> {
        find(chip).map(|recorded| recorded.board)
    }

    /// Returns the number of render backends of the recorded board; None if no board is recorded.
    pub(super) fn recorded_backends(chip: Chip) -> Option<u32> {
        find(chip).map(|recorded| recorded.render_backends)
    }

    /// Returns the number of CUs per shader engine.
    pub(crate) fn cus_per_engine(self) -> u32 {
        self.arrays_per_engine.saturating_mul(self.cus_per_array)
    }
}
