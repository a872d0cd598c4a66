//! The contents of submissions in order, for statistics and the page.

use crate::judge::Judged;
use pm4::cp::Severity;
use serde_json::{Value, json};

/// The metrics of a submission, in the order of a row of the page.
pub const METRICS: [&str; 7] = ["packets", "dwords", "draws", "dispatches", "context_rolls", "redundant", "findings"];

/// The most rows to keep. Beyond that, two adjacent rows are merged, so that memory does not grow with the run.
const MOST_ROWS: usize = 1 << 14;

/// The counts of one or more submissions, and whether a finding of them is an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Row {
    counts: [u64; METRICS.len()],
    errors: u64,
}

impl Row {
    fn of(judged: &Judged) -> Self {
        let summary = &judged.summary;
        let errors = judged.findings.iter().filter(|reported| reported.finding.severity == Severity::Error).count();
        let (dwords, redundant, findings) = (judged.dwords, judged.redundant, judged.findings.len() as u64);
        let counts = [summary.packets, dwords, summary.draws, summary.dispatches, summary.context_rolls, redundant, findings];
        Self { counts, errors: errors as u64 }
    }

    fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
        self.errors += other.errors;
    }
}

/// The submissions of a run. A frame is a submission that draws, together with the preceding submissions that do not: a device sees no other frame ends.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    rows: Vec<Row>,
    /// The number of submissions in each row except the last.
    each: u64,
    submissions: u64,
    total: Row,
    frames: u64,
    frame: Row,
    /// The largest count in a frame, and the submission that ends the frame.
    largest: [(u64, u64); METRICS.len()],
    /// The sums over all frames, without the submissions after the last one.
    framed: Row,
}

impl Profile {
    /// Counts a submission.
    pub fn add(&mut self, judged: &Judged) {
        let row = Row::of(judged);
        self.each = self.each.max(1);
        match self.rows.last_mut() {
            Some(last) if !self.submissions.is_multiple_of(self.each) => last.add(&row),
            _ => self.rows.push(row),
        }
        if self.rows.len() > MOST_ROWS {
            self.rows = self
                .rows
                .chunks(2)
                .map(|pair| {
                    pair.iter().fold(Row::default(), |mut sum, row| {
                        sum.add(row);
                        sum
                    })
                })
                .collect();
            self.each *= 2;
        }
        self.total.add(&row);
        self.frame.add(&row);
        if judged.summary.draws > 0 {
            self.end_frame();
        }
        self.submissions += 1;
    }

    fn end_frame(&mut self) {
        self.frames += 1;
        self.framed.add(&self.frame);
        for (largest, count) in self.largest.iter_mut().zip(self.frame.counts) {
            if self.frames == 1 || count > largest.0 {
                *largest = (count, self.submissions);
            }
        }
        self.frame = Row::default();
    }

    /// Returns the number of frames, and for each metric the mean, the largest count, and the submission that ends that frame. Empty without frames.
    pub fn frames(&self) -> (u64, Vec<(&'static str, f64, u64, u64)>) {
        let metrics = METRICS.iter().zip(self.framed.counts).zip(self.largest);
        let of = |((name, sum), (most, at)): ((&&'static str, u64), (u64, u64))| (*name, sum as f64 / self.frames as f64, most, at);
        (self.frames, if self.frames == 0 { Vec::new() } else { metrics.map(of).collect() })
    }

    /// Returns the data of the page: `metrics`, `rows` of their counts and of errors, and the number of submissions per row.
    pub fn record(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|row| json!([row.counts.as_slice(), row.errors])).collect();
        json!({ "metrics": METRICS, "each": self.each.max(1), "submissions": self.submissions, "total": self.total.counts.as_slice(), "rows": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pm4::cp::Summary;

    fn submission(draws: u64, packets: u64) -> Judged {
        Judged { summary: Summary { draws, packets, ..Summary::default() }, ..Judged::default() }
    }

    #[test]
    fn a_frame_ends_with_a_submission_that_draws() {
        let mut profile = Profile::default();
        for (draws, packets) in [(0, 5), (2, 10), (0, 7), (1, 1), (0, 100)] {
            profile.add(&submission(draws, packets));
        }
        let (frames, metrics) = profile.frames();
        assert_eq!((frames, metrics[0], metrics[2]), (2, ("packets", 11.5, 15, 1), ("draws", 1.5, 2, 1)));
    }

    #[test]
    fn a_long_run_keeps_a_bounded_number_of_rows_and_all_counts() {
        let mut profile = Profile::default();
        let count = 5 * MOST_ROWS as u64 + 3;
        for number in 0..count {
            profile.add(&submission(1, number));
        }
        assert!(profile.rows.len() <= MOST_ROWS);
        let sum: u64 = profile.rows.iter().map(|row| row.counts[0]).sum();
        assert_eq!((sum, profile.total.counts[0]), (count * (count - 1) / 2, count * (count - 1) / 2));
        // Each row except the last has the same number of submissions.
        let first: u64 = profile.rows[0].counts[2];
        assert!(first == profile.each && profile.rows[..profile.rows.len() - 1].iter().all(|row| row.counts[2] == first));
    }
}
