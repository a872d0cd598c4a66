//! Draws the 32 bits as boxes, one row per layout.

use super::page::Row;
use super::select::Hit;
use super::style::Styles;
use pm4::regs::FieldInfo;
use pm4::report::generations::{group, short_label};
use std::io::{self, Write};

/// Columns per bit, including the left border.
const CELL: usize = 3;

/// Adjacent bits of one field, or of none.
#[derive(PartialEq)]
struct Cell {
    lo: u8,
    hi: u8,
    field: Option<&'static str>,
}

/// Draws all distinct layouts of the register, oldest first, below a ruler of bit numbers. Names that do not fit are replaced by the letters of the table.
pub fn draw(out: &mut impl Write, styles: Styles, hits: &[Hit], rows: &[Row]) -> io::Result<()> {
    let layouts = group(hits.iter().map(|hit| (hit.gfx, cells(hit.info.fields))));
    let labels: Vec<String> = layouts.iter().map(|(set, _)| short_label(set)).collect();
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) + 1;
    let ruler: String = (0..32).rev().map(|bit| format!("{bit:>CELL$}")).collect();
    writeln!(out, "{:margin$}{}{ruler}{:#}", "", styles.faint, styles.faint)?;
    let mut above: &[Cell] = &[];
    for ((_, cells), label) in layouts.iter().zip(&labels) {
        writeln!(out, "{:margin$}{}", "", border(above, cells))?;
        write!(out, "{label:<margin$}")?;
        for cell in cells {
            write!(out, "│{}", content(cell, rows, styles))?;
        }
        writeln!(out, "│")?;
        above = cells;
    }
    writeln!(out, "{:margin$}{}", "", border(above, &[]))
}

/// Returns the cells from bit 31 down to bit 0.
fn cells(fields: &'static [FieldInfo]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut next = 0;
    for field in fields {
        if field.lo > next {
            cells.push(Cell { lo: next, hi: field.lo - 1, field: None });
        }
        cells.push(Cell { lo: field.lo, hi: field.hi, field: Some(field.name) });
        next = field.hi + 1;
    }
    if next < 32 {
        cells.push(Cell { lo: next, hi: 31, field: None });
    }
    cells.reverse();
    cells
}

fn content(cell: &Cell, rows: &[Row], styles: Styles) -> String {
    let width = usize::from(cell.hi - cell.lo + 1) * CELL - 1;
    let Some(name) = cell.field else { return " ".repeat(width) };
    let row = rows.iter().find(|row| row.name == name && row.lo == cell.lo);
    let text = if name.len() <= width { name } else { row.map_or("", |row| &row.letter) };
    let style = if row.is_some_and(|row| row.differs()) { styles.differs } else { Default::default() };
    format!("{style}{text:^width$}{style:#}")
}

/// Returns the line between two rows; an empty slice means the outside.
fn border(above: &[Cell], below: &[Cell]) -> String {
    let ends = |cells: &[Cell], position: u8| !cells.is_empty() && (position == 32 || cells.iter().any(|cell| 31 - cell.hi == position));
    let mut line = String::new();
    for position in 0..=32 {
        line.push(match (position, ends(above, position), ends(below, position)) {
            (0, false, _) => '┌',
            (0, true, false) => '└',
            (0, true, true) => '├',
            (32, false, _) => '┐',
            (32, true, false) => '┘',
            (32, true, true) => '┤',
            (_, false, false) => '─',
            (_, false, true) => '┬',
            (_, true, false) => '┴',
            (_, true, true) => '┼',
        });
        if position < 32 {
            line.push_str(&"─".repeat(CELL - 1));
        }
    }
    line
}
