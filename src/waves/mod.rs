//! A model of pixel shader waves and their packers. It runs the words of an ordered section with a draw's registers and reports each wave that breaks the order
//! or hangs, with the instruction. A run tries one random schedule ([`RunOptions::seed`]): a clean run is evidence, not proof.
//!
//! [`Setup`] holds what the draw's registers decide; [`run`] packs rasterized primitives into waves and interprets the program of each under a seeded
//! scheduler. Where no source states how the hardware behaves, the scheduler chooses at random. A clean report holds only for the choices that were tried.
//! [`lint`] checks the obligations of the POPS article on every path of a program without running it. [`MUTATIONS`] are named mistakes, each with the verdict
//! it must get.
//!
//! [`DispatchRunner`] serves a different purpose: it runs the compute programs of the model's dispatches, with their effects on memory.
//!
//! Two hardware hangs are not derived but taken as [`Axiom`]s: the drain bit on Vega10 and Raven, and PSLC on Navi1x.

pub(crate) mod alu;
mod arguments;
mod code;
mod counters;
pub(crate) mod coverage;
mod dispatch;
mod from_draw;
mod lane_memory;
mod lanes;
mod lint;
mod machine;
mod mutation;
mod packer;
mod report;
mod rng;
mod section;
mod setup;
mod watch;
mod wave;

pub use arguments::{ArgumentLoad, Arguments};
pub use dispatch::{DispatchProblem, DispatchRunner};
pub use from_draw::{arguments, axioms, setup};
pub use lint::{Lint, LintRule, lint};
pub use machine::{RunOptions, run, run_observed};
pub use mutation::{ExpectedVerdict, FieldChange, ForcedField, MUTATIONS, Mutation};
pub use report::{Hang, InstructionPlace, Mistake, ProtocolError, Report, Violation, Waiting, WaveFinding, WaveName};
pub use section::Section;
pub use setup::{Axiom, InterlockScope, Setup};
pub use watch::{PixelAccess, WaveEvent, WaveObserver};
