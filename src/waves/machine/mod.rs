//! The machine: packers pack quads into waves, a seeded scheduler runs the waves in any order that hardware might choose.
//!
//! The random generator decides what no source states: how many waves are live, which wave runs next and how far, when an access completes, how full a wave is
//! at launch, the collision word with the drain and without an overlap (where the field has no meaning), and the results of scalar loads.

mod execute;
mod findings;
mod launch;
mod memory;
mod schedule;
mod sections;
mod state;

pub use schedule::{run, run_observed};
pub use state::RunOptions;
