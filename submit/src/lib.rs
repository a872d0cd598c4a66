//! Submits command buffers of the crate `pm4` to a GPU: opens an amdgpu render node, makes and maps buffers, submits words, and waits for fences.
//!
//! ```no_run
//! use pm4::packet::Stream;
//! use pm4_submit::{Device, Queue, Submission};
//! use std::time::Duration;
//!
//! let device = Device::first()?;
//! let buffer = device.buffer(4096)?;
//! let mut stream = Stream::growable(device.gpu().chip.gfx(), pm4::packet::Queue::Graphics);
//! stream.nop(&[0xCAFE])?; // packets, with buffer.address() where they need memory
//! let fence = device.submit(&Submission::new(Queue::Graphics, stream.words()).with(&buffer))?;
//! fence.wait(Duration::from_secs(10))?;
//! println!("{:08x}", buffer.read(0, 1)[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! None of this has run on a GPU: it is tested on the device of `live/`, which answers the same calls. The program `pm4-hardware` ([`hardware`]) compares a GPU with
//! the model.
//!
//! Floors, lowest first: [`error`]; [`sys`] makes kernel calls and contains all unsafe code; [`addresses`] allocates GPU addresses; [`device`] opens and queries
//! the device; callers use [`buffer`], [`submission`] and [`fence`]; [`hardware`] is the program.

#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(not(target_os = "linux"))]
compile_error!("amdgpu is a driver of Linux");

pub mod addresses;
pub mod buffer;
pub mod device;
pub mod error;
pub mod fence;
pub mod hardware;
pub mod submission;
#[allow(unsafe_code)] // kernel calls, and memory that the kernel maps
pub mod sys;

pub use buffer::Buffer;
pub use device::{Device, Reset};
pub use error::Error;
pub use fence::Fence;
pub use submission::{Queue, Submission};
