//! A model of the command processor: it executes command streams, keeps the registers, and says what is wrong.
//!
//! [`CommandProcessor`] runs buffers on a graphics and a compute queue. An [`Observer`] receives each draw and dispatch as a [`DrawView`] (registers, and the
//! packet that wrote each one last) and each [`Finding`] of the [`rules`]. The rules judge registers decoded from the stream alone, so they judge streams of
//! any origin.
//!
//! ```
//! use pm4::chip::Chip;
//! use pm4::cp::{CommandProcessor, Finding, Observer};
//! use pm4::packet::Queue;
//!
//! #[derive(Default)]
//! struct Codes(Vec<&'static str>);
//! impl Observer for Codes {
//!     fn finding(&mut self, finding: &Finding) {
//!         self.0.push(finding.code);
//!     }
//! }
//! # #[cfg(feature = "gfx11")] {
//! let stream = [0xC003_6900, 0x203, 0x1_8600]; // claims 5 dwords
//! let mut cp = CommandProcessor::new(Chip::Navi31);
//! cp.submit(Queue::Graphics, "cut", &stream);
//! let mut codes = Codes::default();
//! assert_eq!(cp.run(&mut codes).errors, 1);
//! assert_eq!(codes.0, ["ENC-01"]);
//! # }
//! ```

mod control;
mod draws;
mod engine;
mod finding;
mod memory;
mod names;
mod observer;
mod options;
mod place;
mod processor;
mod queue;
mod register_writes;
mod registers;
pub mod rules;
mod state;
mod view;
mod writes;

pub use finding::{Finding, Note, Severity};
pub use observer::Observer;
pub use options::Options;
pub use place::{Buffer, BufferId, Origin, Place};
pub use processor::{CommandProcessor, Summary};
pub use registers::{Bank, RegisterFile, Value};
pub use state::Drain;
pub use view::{DrawView, FieldState};
