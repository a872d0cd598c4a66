//! Runs a program on an amdgpu device without a GPU, and judges each submission of its driver: what the program `pm4-live` is made of.
//!
//! Floors, the lowest first: [`device`] is the device itself, without a system call; [`tree`] the files that a driver finds it by; [`sys`] the system calls;
//! [`exports`] is what programs share, and [`guard`] what is left of a run: nothing; [`judge`] runs submissions on the model; [`profile`] counts what they
//! consist of; [`report`] prints; [`supervisor`] stands between the program and the kernel.

#![deny(unsafe_op_in_unsafe_fn)]

pub mod device;
pub mod exports;
pub mod guard;
pub mod judge;
pub mod profile;
pub mod report;
pub mod supervisor;
#[allow(unsafe_code)] // calls of the kernel, and memory that it maps
pub mod sys;
pub mod tree;
