//! Limits of the caller's board.

use crate::draw::desc::error::DrawError;
use crate::gpu::{Board, Gpu};

/// Checks the numbers of a machine. PIXEL_PIPE_STAT_CONTROL has one bit for each of 32 render backends.
pub(crate) fn check_gpu(gpu: &Gpu) -> Result<(), DrawError> {
    check_board(gpu.board)?;
    match gpu.render_backends {
        Some(count) if !(1..=32).contains(&count) => Err(DrawError::Limit { what: "the render backends", value: count.into(), limit: "1 to 32" }),
        _ => Ok(()),
    }
}

/// Maximum number of engines, arrays per engine and CUs per array of a board. CU masks have at most 32 bits (regdb). No source limits the other numbers; the
/// largest recorded board has 6 engines of 2 arrays.
const MOST_UNITS: u32 = 32;

/// Returns the board of a description for a machine: its own, or that of the machine. If both are stated, they must be equal.
pub(crate) fn of_description(own: Option<Board>, gpu: &Gpu) -> Result<Option<Board>, DrawError> {
    match (own, gpu.board) {
        (Some(own), Some(stated)) if own != stated => Err(DrawError::OtherBoard { own, gpu: stated }),
        (own, stated) => Ok(own.or(stated)),
    }
}

/// Checks the numbers of a caller's board.
pub(crate) fn check_board(board: Option<Board>) -> Result<(), DrawError> {
    let Some(Board { shader_engines, arrays_per_engine, cus_per_array }) = board else { return Ok(()) };
    let units = [("the shader engines of the board", shader_engines), ("the arrays of an engine", arrays_per_engine), ("the CUs of an array", cus_per_array)];
    match units.into_iter().find(|(_, count)| !(1..=MOST_UNITS).contains(count)) {
        Some((what, count)) => Err(DrawError::Limit { what, value: count.into(), limit: "1 to 32" }),
        None => Ok(()),
    }
}
