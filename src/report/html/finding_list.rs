//! The findings of a page: the keys that its list shows, and everything else in blocks that the script unpacks on demand. There may be a million findings, so
//! they are kept compressed.

use super::shell::{Block, BlockWriter};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use serde_json::Value;
use std::hash::DefaultHasher;
use std::io::{self, Write};

/// Findings per block of details. The script has the same constant.
const DETAILS: usize = 256;

/// The keys of a finding that the list shows and searches.
const LISTED: [&str; 10] = ["severity", "code", "message", "register", "field", "packet", "count", "step", "draw", "last_draw"];

/// The keys that identify a finding.
const MARKED: [&str; 4] = ["code", "file", "dword", "message"];

pub(super) struct FindingList {
    /// JSON, one line per finding.
    listed: BlockWriter,
    details: String,
    blocks: Vec<Block>,
    /// A hash of the identifying keys of each finding.
    marks: Vec<u64>,
    codes: BTreeSet<String>,
}

impl FindingList {
    pub fn new() -> Self {
        Self { listed: BlockWriter::new("findings"), details: String::new(), blocks: Vec::new(), marks: Vec::new(), codes: BTreeSet::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Returns the codes of the findings without duplicates.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.iter().map(String::as_str)
    }

    /// Adds a record. The page shows only the listed keys that the record contains.
    pub fn add(&mut self, record: Value) {
        let Value::Object(mut record) = record else { return };
        self.marks.push(mark(|key| record.get(key)));
        if let Some(code) = record.get("code").and_then(Value::as_str)
            && !self.codes.contains(code)
        {
            self.codes.insert(code.to_string());
        }
        let listed: serde_json::Map<String, Value> = LISTED.into_iter().filter_map(|key| Some((key.into(), record.shift_remove(key)?))).collect();
        // Compressing into memory does not fail.
        let _ = writeln!(self.listed, "{}", Value::from(listed));
        self.details.push_str(&Value::from(record).to_string());
        self.details.push('\n');
        if self.marks.len().is_multiple_of(DETAILS) {
            self.pack_details();
        }
    }

    fn pack_details(&mut self) {
        self.blocks.extend(Block::of_many(format!("finding_details{}", self.blocks.len()), self.details.as_bytes(), &self.blocks).ok());
        self.details.clear();
    }

    /// Returns the index of the first finding with the code, place and message of a record.
    pub fn position(&self, record: &Value) -> Option<usize> {
        let mark = mark(|key| record.get(key));
        self.marks.iter().position(|known| *known == mark)
    }

    /// Returns the blocks of a page.
    pub fn finish(mut self) -> io::Result<Vec<Block>> {
        if !self.details.is_empty() {
            self.pack_details();
        }
        self.blocks.push(self.listed.finish()?);
        Ok(self.blocks)
    }
}

fn mark<'v>(value: impl Fn(&str) -> Option<&'v Value>) -> u64 {
    let mut hash = DefaultHasher::new();
    MARKED.iter().for_each(|key| value(key).unwrap_or(&Value::Null).hash(&mut hash));
    hash.finish()
}
