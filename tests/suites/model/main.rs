//! The command-processor model, its rules, and the ordered section.
//!
//! `cargo test --test model FILE::` runs the tests of one file. Code shared by several suites is in `tests/support/`.

mod aql;
#[path = "../../support/chip_table.rs"]
mod chip_table;
#[path = "../../support/computed.rs"]
#[allow(dead_code)] // pairs are loaded in the order of their groups here
mod computed;
#[path = "../../support/golden.rs"]
mod golden;
#[path = "../../support/mutation.rs"]
mod mutation;
#[path = "../../support/mutations.rs"]
mod mutations;
#[path = "../../support/pops_cases.rs"]
mod pops_cases;
#[path = "../../support/random_packets.rs"]
mod random_packets;
#[path = "../../support/ranges.rs"]
mod ranges;
#[path = "../../support/reference.rs"]
mod reference;
#[path = "../../support/rule_cases.rs"]
mod rule_cases;
#[path = "../../support/streams.rs"]
mod streams;
#[path = "../../support/mod.rs"]
mod support;

mod check;
mod check_findings;
mod conformance;
mod cp;
mod cp_engines;
mod cp_mutations;
mod cp_packets;
mod cp_pops;
mod cp_properties;
mod cp_random_waits;
mod cp_reference;
mod cp_rules;
mod cp_transcripts;
mod cp_unseen;
mod cp_verdicts;
mod cp_waits;
mod igt_streams;
mod memory_sources;
mod mes;
mod rule_bounds;
mod rule_texts;
mod rules_sheet;
mod sdma;
mod truth_kit;
mod wave_transcripts;
mod waves;
