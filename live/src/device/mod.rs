//! The amdgpu device: an ioctl and the memory of a program go in, an answer comes out. No system call is made here.

pub mod core;
pub mod host;
pub mod info;
pub mod submit;
pub mod syncobj;
pub mod vm;
