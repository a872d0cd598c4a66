//! A check of inputs, as performed by the program `check` and the page of `web/`: which inputs need the model, for which chip, what is submitted, and what is
//! printed.
//!
//! ```
//! use pm4::{hang::{Incidents, check::{self, Given}}, input::Source, report::ReportOptions};
//!
//! let log = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n";
//! let files = [Given::new("log.txt", None, Source::open(log.as_bytes(), None)?.load()?)?];
//! let incidents = Incidents::of(&check::named(&files), None);
//! assert!(!check::needs_model(&files, None), "a log has no words");
//! let mut out = Vec::new();
//! check::print_log(&mut out, ReportOptions::default().format, false, &incidents, &files)?;
//! assert!(String::from_utf8_lossy(&out).starts_with("ring gfx_0.0.0 timed out"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod given;
mod print;
mod recorded;
mod run;

pub use compare::diff;
pub use given::{ChosenChip, Given, chip, firmware, named, needs_model};
pub use print::{log_lines, print_beginning, print_inputs, print_log, print_verdict};
pub use recorded::{Recorded, RecordedOptions, RunSubmission, diff_recorded};
pub use run::{execute, explained, failed, map, submit, unexplained};
