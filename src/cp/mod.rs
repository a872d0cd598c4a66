//! A model of the command processor, which executes command streams, tracks registers, and reports what is wrong.
//!
//! [`CommandProcessor`] runs buffers on one graphics queue, on one or more compute queues, and up to GFX10.3 on the constant engine. Packets read and write the
//! memory that the caller maps ([`CommandProcessor::map`]). An [`Observer`] receives each draw and dispatch as a [`DrawView`] (registers, and the packet that
//! wrote each one last) and each [`Finding`] of the [`rules`]. The rules judge only registers decoded from the stream, so they work on streams of any origin.
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
//!
//! A model of later pipeline stages is an observer of the draws and reads typed registers from the view. This example is the front of a software rasterizer:
//!
//! ```
//! use pm4::cp::{CommandProcessor, DrawView, Observer};
//! # #[cfg(feature = "gfx11")] {
//! use pm4::regs::gfx11::{CbTargetMask, DbShaderControl, PaScAaConfig};
//!
//! /// Draws triangles: samples to cover, whether pixels are ordered, and the targets that may be written.
//! #[derive(Default)]
//! struct Rasterizer(Vec<(u32, bool, u32)>);
//!
//! impl Observer for Rasterizer {
//!     fn draw(&mut self, view: &DrawView<'_>) {
//!         let samples = view.get::<PaScAaConfig>().map_or(1, |aa| 1 << aa.msaa_num_samples());
//!         let ordered = view.get::<DbShaderControl>().is_some_and(|db| db.primitive_ordered_pixel_shader());
//!         let targets = view.get::<CbTargetMask>().map_or(0xFFFF_FFFF, u32::from);
//!         self.0.push((samples, ordered, targets));
//!     }
//! }
//!
//! let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_6900, 0x2F8, 2, 0xC001_2D00, 3, 2];
//! let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
//! cp.submit(pm4::packet::Queue::Graphics, "frame", &stream);
//! let mut rasterizer = Rasterizer::default();
//! cp.run(&mut rasterizer);
//! assert_eq!(rasterizer.0, [(4, true, 0xFFFF_FFFF)]);
//! # }
//! ```
//!
//! The guide continues from here: [an emulator](crate::guide::emulator), [tests of a driver](crate::guide::driver_tests), [rules](crate::guide::rules).

mod execute;
mod judge;
mod processor;
mod rule;
pub mod rules;
mod schedule;
mod state;
mod view;

pub use crate::gpu::FirmwareVersions;
pub use processor::CommandProcessor;
pub use state::finding::{Finding, Note, Severity};
pub use state::memory::MemoryWrite;
pub use state::options::{BoardFacts, ModelOptions};
pub use state::pause::{Pause, Stop};
#[cfg(feature = "report")]
pub(crate) use state::per_queue::PerQueue;
pub use state::place::{BufferId, BufferInfo, Origin, Place, QueueId};
pub use state::registers::{Bank, RegisterFile, RegisterState};
pub use state::rolls::{Roll, RollSource};
pub use state::source::MemorySource;
pub use state::summary::Summary;
#[cfg(feature = "input")]
pub(crate) use state::wait_condition::{WaitCondition, wait_condition};
pub use view::draw_questions::DrainState;
pub use view::draw_view::{DrawView, FieldState};
pub use view::front_stage::FrontStage;
pub use view::interest::{EventSeen, Interest, InterruptSent, MemoryRead, RegisterChange};
pub use view::model_access::ModelAccess;
pub use view::observer::Observer;
pub use view::statistics::{OpcodeCount, Statistics};
pub use view::work_calls::{BoundIndices, MemoryState, VertexCall, WorkCall};
