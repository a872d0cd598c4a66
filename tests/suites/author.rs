//! Draws, the recorder, barriers and descriptors, against the model and against recorded streams.
//!
//! One binary for many files of tests: they are built and linked once, and run side by side. `cargo test --test author FILE::` runs those of one file.
// Files share the modules in `support/`, which are compiled once here.

#[path = "../support/chip_table.rs"]
mod chip_table;
#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/ranges.rs"]
mod ranges;
#[path = "../support/mod.rs"]
mod support;

#[path = "../bound.rs"]
mod bound;
#[path = "../calls.rs"]
mod calls;
#[path = "../descriptors.rs"]
mod descriptors;
#[path = "../draw.rs"]
mod draw;
#[path = "../draw_costs.rs"]
mod draw_costs;
#[path = "../draw_edges.rs"]
mod draw_edges;
#[path = "../draw_errata.rs"]
mod draw_errata;
#[path = "../draw_golden.rs"]
mod draw_golden;
#[path = "../draw_radv.rs"]
mod draw_radv;
#[path = "../draw_random.rs"]
mod draw_random;
#[path = "../draw_table.rs"]
mod draw_table;
#[path = "../draw_truth.rs"]
mod draw_truth;
#[path = "../exports.rs"]
mod exports;
#[path = "../front_stages.rs"]
mod front_stages;
#[path = "../layout.rs"]
mod layout;
#[path = "../limits.rs"]
mod limits;
#[path = "../queries.rs"]
mod queries;
#[path = "../recording.rs"]
mod recording;
#[path = "../stage_fields.rs"]
mod stage_fields;
#[path = "../stage_objects.rs"]
mod stage_objects;
#[path = "../stages.rs"]
mod stages;
#[path = "../stream.rs"]
mod stream;
#[path = "../streamout.rs"]
mod streamout;
#[path = "../sync.rs"]
mod sync;
#[path = "../targets.rs"]
mod targets;
#[path = "../tasks.rs"]
mod tasks;
