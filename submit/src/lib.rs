//! Command buffers of the crate `pm4` on a GPU: an amdgpu render node is opened, buffers are made and mapped, words are submitted, fences are waited for.
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
//! Nothing here has run on a GPU: it is tested on the device of `live/`, which answers the same calls. The program `pm4-hardware`, made of [`hardware`], compares a
//! GPU with the model.
//!
//! Floors, the lowest first: [`error`]; [`sys`] makes the calls of the kernel, and has all unsafe code; [`addresses`] gives GPU addresses away; [`device`] opens
//! and asks; [`buffer`], [`submission`] and [`fence`] are what a caller has; [`hardware`] is the program.

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
#[allow(unsafe_code)] // calls of the kernel, and memory that it maps
pub mod sys;

pub use buffer::Buffer;
pub use device::{Device, Reset};
pub use error::Error;
pub use fence::Fence;
pub use submission::{Queue, Submission};
