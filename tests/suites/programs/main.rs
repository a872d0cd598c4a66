//! Inputs, hangs, reports and the example programs, and the texts of the repository.
//!
//! `cargo test --test programs FILE::` runs the tests of one file. Code shared by several suites is in `tests/support/`.

#[path = "../../support/coredumps.rs"]
mod coredumps;
#[path = "../../support/examples.rs"]
mod examples;
#[path = "../../support/golden.rs"]
mod golden;
#[path = "../../support/input_samples.rs"]
mod input_samples;
#[path = "../../support/streams.rs"]
mod streams;
#[path = "../../support/mod.rs"]
mod support;

mod assertions;
mod draw_program;
mod hang_evidence;
mod hang_texts;
mod hangs;
mod incidents;
mod input_printers;
mod input_texts;
mod inputs;
mod manifests;
mod one_program;
mod packed;
mod pages;
mod programs;
mod report;
mod report_texts;
mod shown;
mod variations;
#[cfg(unix)]
mod watch;
mod wording;
