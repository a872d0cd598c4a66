//! Typed registers, PM4 command streams, POPS draw state and a command-processor model for AMD GFX9 to GFX12 GPUs.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

#[macro_use]
pub mod regs;
pub mod chip;
pub mod cp;
pub mod draw;
pub mod packet;
