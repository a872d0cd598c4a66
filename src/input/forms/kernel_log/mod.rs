//! The log of a kernel (dmesg, journalctl): page faults and rings that timed out, as amdgpu reports them (Linux 5.4 to 7.1 gmc_v9_0.c, gmc_v10_0.c,
//! gmc_v11_0.c, gmc_v12_0.c, the `print_l2_protection_fault_status` of the hubs, amdgpu_job.c, amdgpu_device.c amdgpu_device_gpu_recover, amdgpu_vm.c
//! amdgpu_vm_print_task_info). Lines of other drivers may be between them, and anything before each: a line is recognized by what it says. Each GPU counts by
//! itself, and each boot. Logs as JSON are read as well, and those with the newest line first.

mod event;
mod lines;
mod messages;
mod order;
mod parse;
mod read;
mod seam;
mod stamp;
mod unwrap;

pub(super) use parse::{events, is, parse};
