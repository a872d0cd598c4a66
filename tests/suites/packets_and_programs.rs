//! Registers, packets, the shader encoder, reports and the example programs.
//!
//! One binary for many files of tests: they are built and linked once, and run side by side. `cargo test --test packets_and_programs FILE::` runs those of one file.
// Files share the modules in `support/`, which are compiled once here.

#[path = "../support/computed.rs"]
mod computed;
#[path = "../support/coredumps.rs"]
mod coredumps;
#[path = "../support/examples.rs"]
mod examples;
#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/input_cases.rs"]
mod input_cases;
#[path = "../support/input_samples.rs"]
mod input_samples;
#[path = "../support/random_packets.rs"]
mod random_packets;
#[path = "../support/ranges.rs"]
mod ranges;
#[path = "../support/streams.rs"]
mod streams;
#[path = "../support/mod.rs"]
mod support;

#[path = "../assembly.rs"]
mod assembly;
#[path = "../authoring.rs"]
mod authoring;
#[path = "../chunks.rs"]
mod chunks;
#[path = "../draw_program.rs"]
mod draw_program;
#[path = "../effects.rs"]
mod effects;
#[path = "../effects_golden.rs"]
mod effects_golden;
#[path = "../encoder.rs"]
mod encoder;
#[path = "../filter.rs"]
mod filter;
#[path = "../hang_evidence.rs"]
mod hang_evidence;
#[path = "../hang_texts.rs"]
mod hang_texts;
#[path = "../hangs.rs"]
mod hangs;
#[path = "../input_printers.rs"]
mod input_printers;
#[path = "../input_texts.rs"]
mod input_texts;
#[path = "../inputs.rs"]
mod inputs;
#[path = "../isa.rs"]
mod isa;
#[path = "../isa_texts.rs"]
mod isa_texts;
#[path = "../manifests.rs"]
mod manifests;
#[path = "../packet_texts.rs"]
mod packet_texts;
#[path = "../packets.rs"]
mod packets;
#[path = "../packets_random.rs"]
mod packets_random;
#[path = "../packets_table.rs"]
mod packets_table;
#[path = "../pages.rs"]
mod pages;
#[path = "../programs.rs"]
mod programs;
#[path = "../refused.rs"]
mod refused;
#[path = "../registers.rs"]
mod registers;
#[path = "../report.rs"]
mod report;
#[path = "../report_texts.rs"]
mod report_texts;
#[path = "../wording.rs"]
mod wording;
