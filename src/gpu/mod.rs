//! The target machine: a chip, the enabled units of its board, its firmware and the limits of its memory, in one value that recorders, pipelines, dispatches,
//! writers and the model take.
//!
//! ```
//! # #[cfg(feature = "draw")] {
//! use pm4::chip::Chip;
//! use pm4::draw::{Pipeline, PipelineDesc, Recorder};
//! use pm4::gpu::{Board, Gpu};
//!
//! let board = Board { shader_engines: 2, arrays_per_engine: 2, cus_per_array: 8 };
//! let gpu = Gpu { board: Some(board), render_backends: Some(8), ..Gpu::from(Chip::Navi33) };
//! let pipeline = Pipeline::new(gpu, PipelineDesc::default())?;
//! let mut recorder = Recorder::new(gpu);
//! recorder.begin()?;
//! recorder.bind_pipeline(&pipeline)?; // one that was made for another board is refused
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod device_info;
mod error;
mod firmware;
mod kernel_chips;
mod machine;

pub use board::Board;
pub use error::GpuError;
pub use firmware::FirmwareVersions;
#[cfg(feature = "input")]
pub(crate) use kernel_chips::{Core, of_core, of_family};
pub use machine::{Gpu, MemoryLimits};
