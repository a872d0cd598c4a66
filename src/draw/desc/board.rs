//! The board: how many shader engines, arrays and compute units of the chip are enabled.

use crate::chip::Chip;
use crate::draw::desc::error::DrawError;

/// Shader engines, arrays and CUs of a board: 1 to 32 of each.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Board, Recorder};
/// // A board that is recorded, and one that the caller knows of.
/// assert_eq!(Board::recorded(Chip::Navi31), Some(Board { shader_engines: 6, arrays_per_engine: 2, cus_per_array: 8 }));
/// let mut recorder = Recorder::new(Chip::Navi33).board(Board { shader_engines: 2, arrays_per_engine: 2, cus_per_array: 8 });
/// recorder.begin()?;
/// # Ok::<(), pm4::draw::RecordError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// Shader engines.
    pub shader_engines: u32,
    /// Shader arrays of a shader engine.
    pub arrays_per_engine: u32,
    /// CUs that work in the array that has fewest.
    pub cus_per_array: u32,
}

/// A board as its kernel describes it.
struct Recorded {
    name: &'static str,
    board: Board,
    render_backends: u32,
}

const fn recorded(name: &'static str, shader_engines: u32, arrays_per_engine: u32, cus_per_array: u32, render_backends: u32) -> Recorded {
    Recorded { name, board: Board { shader_engines, arrays_per_engine, cus_per_array }, render_backends }
}

/// Boards of which answers of the kernel are recorded: shader engines, arrays of an engine, CUs of the array that has fewest, render backends that the chip has
/// at most (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c: num_shader_engines, num_shader_arrays_per_engine, cu_bitmap, num_rb_pipes). The Navi21 there
/// has an engine without CUs, which counts as an engine, but not as the one that has fewest.
#[rustfmt::skip] // a table
const RECORDED: [Recorded; 10] = [
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

fn find(chip: Chip) -> Option<&'static Recorded> {
    RECORDED.iter().find(|recorded| recorded.name == chip.info().name)
}

impl Board {
    /// A board with this chip whose description by the kernel is public (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c); None for other chips. Other boards
    /// with the chip may have fewer CUs.
    pub fn recorded(chip: Chip) -> Option<Self> {
        find(chip).map(|recorded| recorded.board)
    }

    /// CUs of an engine.
    pub(crate) fn cus_per_engine(self) -> u32 {
        self.arrays_per_engine.saturating_mul(self.cus_per_array)
    }
}

/// What is known of the board of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Units {
    pub board: Option<Board>,
    /// Those that the chip has at most, whether or not the board has all.
    pub render_backends: Option<u32>,
}

impl Units {
    /// What is recorded of the chip.
    pub fn recorded(chip: Chip) -> Self {
        Self { board: Board::recorded(chip), render_backends: find(chip).map(|recorded| recorded.render_backends) }
    }

    /// Numbers that a board may have. PIXEL_PIPE_STAT_CONTROL has a bit for each of 32 render backends.
    pub fn check(self) -> Result<(), DrawError> {
        check_board(self.board)?;
        match self.render_backends {
            Some(count) if !(1..=32).contains(&count) => Err(DrawError::Limit { what: "the render backends", value: count.into(), limit: "1 to 32" }),
            _ => Ok(()),
        }
    }
}

/// Most engines, arrays of an engine and CUs of an array that a board may have. Masks of CUs have 32 bits at most (regdb); no source limits the others, and
/// the largest recorded board has 6 engines of 2 arrays.
const MOST_UNITS: u32 = 32;

/// The numbers of a caller's board.
pub(crate) fn check_board(board: Option<Board>) -> Result<(), DrawError> {
    let Some(Board { shader_engines, arrays_per_engine, cus_per_array }) = board else { return Ok(()) };
    let units = [("the shader engines of the board", shader_engines), ("the arrays of an engine", arrays_per_engine), ("the CUs of an array", cus_per_array)];
    match units.into_iter().find(|(_, count)| !(1..=MOST_UNITS).contains(count)) {
        Some((what, count)) => Err(DrawError::Limit { what, value: count.into(), limit: "1 to 32" }),
        None => Ok(()),
    }
}
