//! The command-processor model, its rules, and the ordered section.
//!
//! One binary for many files of tests: they are built and linked once, and run side by side. `cargo test --test model FILE::` runs those of one file.
// Files share the modules in `support/`, each with its own part of them.
#![allow(clippy::duplicate_mod)]

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
#[path = "../cp_unseen.rs"]
mod cp_unseen;
#[path = "../cp_verdicts.rs"]
mod cp_verdicts;
#[path = "../cp_waits.rs"]
mod cp_waits;
#[path = "../rules_sheet.rs"]
mod rules_sheet;
#[path = "../waves.rs"]
mod waves;
