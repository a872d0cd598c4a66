//! The machine: packers pack quads into waves, a seeded scheduler runs the waves in any order that hardware may choose.
//!
//! What no source states is drawn by the generator, not assumed: how many waves are live, which runs next and how far, when an access is complete, how full a
//! wave is launched, what the collision word holds without an overlap (the field has no meaning then) and with the drain, what scalar loads bring.

mod execute;
mod findings;
mod launch;
mod memory;
mod schedule;
mod sections;
mod state;

pub use schedule::{run, run_observed};
pub use state::RunOptions;
