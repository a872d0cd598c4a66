//! All cases, by family.

use crate::testing::cases::{aql, memory, mes, ordered, packets, registers, sdma, stages, sync, targets};
use crate::testing::ground::case::Row;

static FAMILIES: &[&[Row]] =
    &[aql::ROWS, packets::ROWS, memory::ROWS, mes::ROWS, ordered::ROWS, registers::ROWS, sdma::ROWS, stages::ROWS, targets::ROWS, sync::ROWS];

/// Returns all cases.
pub(in crate::testing) fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}
