//! A model of pixel shader waves and their packers: it proves that a draw's registers and the words of an ordered section keep order together and cannot
//! hang, or says which wave broke it with which instruction.
//!
//! [`Setup`] is what the draw's registers decide; [`run`] packs rasterized primitives into waves and interprets the program of each under a seeded scheduler.
//! What no source states about the hardware is a choice of that scheduler, so that a clean report holds for every choice that was tried. [`lint`] checks the
//! obligations of the POPS article on every path of a program without running it. [`MUTATIONS`] are named mistakes, each with the verdict it must get.
//!
//! Two hangs of hardware are not derived but taken as [`Axiom`]s: the drain bit on Vega10 and Raven, and PSLC on Navi1x.

mod alu;
mod arguments;
mod code;
pub(crate) mod coverage;
mod from_draw;
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
pub use from_draw::{arguments, axioms, setup};
pub use lint::{Lint, LintRule, lint};
pub use machine::{RunOptions, run, run_watched};
pub use mutation::{ExpectedVerdict, FieldChange, ForcedField, MUTATIONS, Mutation};
pub use report::{Hang, InstructionPlace, Mistake, ProtocolError, Report, Violation, Waiting, WaveFinding, WaveName};
pub use section::Section;
pub use setup::{Axiom, InterlockScope, Setup};
pub use watch::{PixelAccess, Watch, WatchEvent};
