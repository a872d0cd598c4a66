//! Draws, the recorder, barriers, descriptors and layouts, compared with the model and with recorded streams.
//!
//! `cargo test --test author FILE::` runs the tests of one file. `tests/support/` contains code shared by several suites.

#[path = "../../support/chip_table.rs"]
mod chip_table;
#[path = "../../support/code_objects.rs"]
mod code_object_files;
#[path = "../../support/golden.rs"]
mod golden;
#[path = "../../support/ranges.rs"]
mod ranges;
#[path = "../../support/mod.rs"]
mod support;

mod aspects;
mod blits;
mod bound;
mod buffers;
mod calls;
mod code_object_damage;
mod code_objects;
mod descriptors;
mod draw;
mod draw_costs;
mod draw_edges;
mod draw_errata;
mod draw_golden;
mod draw_radv;
mod draw_random;
mod draw_table;
mod draw_truth;
mod exports;
mod front_stages;
mod gpu;
mod image_copies;
mod images;
mod known_registers;
mod layout;
mod limits;
mod of_layout;
mod pal_pipelines;
mod pass_targets;
mod plain_draws;
mod queries;
mod query_results;
mod recording;
mod stage_fields;
mod stage_objects;
mod stages;
mod stream;
mod streamout;
mod sync;
mod targets;
mod tasks;
mod wave_starts;
mod workarounds;
