//! Runs a program on an amdgpu device without a GPU and judges each submission of its driver: the library behind the program `pm4-live`.
//!
//! Floors, lowest first: [`device`] is the device itself, without system calls; [`tree`] provides the files by which a driver finds the device; [`sys`] makes
//! system calls; [`exports`] keeps what programs share; [`guard`] makes sure that no process outlives a run; [`judge`] runs submissions on the model; [`profile`]
//! counts their content; [`report`] prints; [`supervisor`] stands between the program and the kernel.

#![deny(unsafe_op_in_unsafe_fn)]

pub mod device;
pub mod exports;
pub mod guard;
pub mod judge;
pub mod profile;
pub mod report;
pub mod supervisor;
#[allow(unsafe_code)] // kernel calls, and memory that the kernel maps
pub mod sys;
pub mod tree;
