//! The amdgpu device: turns an ioctl and the memory of a program into an answer. It makes no system calls.

pub mod core;
pub mod host;
pub mod info;
pub mod submit;
pub mod syncobj;
pub mod vm;
