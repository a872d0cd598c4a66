//! Writes source text with many changes, each guarded by its number.

use crate::find::{Change, Place};
use std::ops::Range;

/// A change with its number and place.
pub struct Numbered<'a> {
    pub number: u32,
    pub place: &'a Place,
}

/// The place of a change in the new file.
pub struct Written {
    pub number: u32,
    pub range: Range<usize>,
}

/// Returns the text of a file with all changes, and their places. A change contains those within it.
pub fn instrument(text: &str, changes: &[Numbered<'_>]) -> (String, Vec<Written>) {
    let mut order: Vec<&Numbered<'_>> = changes.iter().collect();
    order.sort_by_key(|change| (change.place.range.start, usize::MAX - change.place.range.end, change.number));
    let mut writer = Writer { text, out: String::with_capacity(text.len() * 2), written: Vec::new() };
    writer.region(0..text.len(), &order);
    (writer.out, writer.written)
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    written: Vec<Written>,
}

impl Writer<'_> {
    fn region(&mut self, range: Range<usize>, changes: &[&Numbered<'_>]) {
        let (mut at, mut rest) = (range.start, changes);
        while let Some((first, others)) = rest.split_first() {
            let inner = &first.place.range;
            if inner.start < at || inner.end > range.end {
                rest = others;
                continue;
            }
            let within = others.iter().take_while(|other| other.place.range.start < inner.end).count();
            self.out.push_str(&self.text[at..inner.start]);
            self.change(first, &others[..within]);
            (at, rest) = (inner.end, &others[within..]);
        }
        self.out.push_str(&self.text[at..range.end]);
    }

    fn change(&mut self, change: &Numbered<'_>, within: &[&Numbered<'_>]) {
        let (number, range, start) = (change.number, change.place.range.clone(), self.out.len());
        let test = format!("crate::mutant({number})");
        let (before, after) = match &change.place.change {
            Change::Negate => ("((".to_owned(), format!(") != {test})")),
            Change::Become(new) => (format!("(if {test} {{ {new} }} else {{ "), " })".to_owned()),
            Change::Drop => (format!("if !{test} {{ "), " }".to_owned()),
        };
        self.out.push_str(&before);
        self.region(range, within);
        self.out.push_str(&after);
        self.written.push(Written { number, range: start..self.out.len() });
    }
}
