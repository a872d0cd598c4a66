//! The command-processor model, its rules, and the ordered section.
//!
//! One binary for many files of tests: they are built and linked once, and run side by side. `cargo test --test model FILE::` runs those of one file.
// Files share the modules in `support/`, which are compiled once here.

#[path = "../support/chip_table.rs"]
mod chip_table;
#[path = "../support/computed.rs"]
#[allow(dead_code)] // pairs are loaded in the order of their groups here
mod computed;
#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/mutation.rs"]
mod mutation;
#[path = "../support/mutations.rs"]
mod mutations;
#[path = "../support/pops_cases.rs"]
mod pops_cases;
#[path = "../support/random_packets.rs"]
mod random_packets;
#[path = "../support/ranges.rs"]
mod ranges;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/rule_cases.rs"]
mod rule_cases;
#[path = "../support/streams.rs"]
mod streams;
#[path = "../support/mod.rs"]
mod support;

#[path = "../check.rs"]
mod check;
#[path = "../check_findings.rs"]
mod check_findings;
#[path = "../conformance.rs"]
mod conformance;
#[path = "../cp.rs"]
mod cp;
#[path = "../cp_engines.rs"]
mod cp_engines;
#[path = "../cp_mutations.rs"]
mod cp_mutations;
#[path = "../cp_packets.rs"]
mod cp_packets;
#[path = "../cp_pops.rs"]
mod cp_pops;
#[path = "../cp_properties.rs"]
mod cp_properties;
#[path = "../cp_random_waits.rs"]
mod cp_random_waits;
#[path = "../cp_reference.rs"]
mod cp_reference;
#[path = "../cp_rules.rs"]
mod cp_rules;
#[path = "../cp_transcripts.rs"]
mod cp_transcripts;
#[path = "../cp_unseen.rs"]
mod cp_unseen;
#[path = "../cp_verdicts.rs"]
mod cp_verdicts;
#[path = "../cp_waits.rs"]
mod cp_waits;
#[path = "../rule_bounds.rs"]
mod rule_bounds;
#[path = "../rule_texts.rs"]
mod rule_texts;
#[path = "../rules_sheet.rs"]
mod rules_sheet;
#[path = "../wave_transcripts.rs"]
mod wave_transcripts;
#[path = "../waves.rs"]
mod waves;
