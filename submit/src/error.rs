//! Errors of kernel calls, and advice.

use pm4::gpu::GpuError;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// There is no device, or a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no render nodes.
    #[error("there is no render node in {}: the kernel drives no GPU of this machine, or the container does not expose it", folder.display())]
    NoNodes {
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// All render nodes belong to other drivers.
    #[error("no render node belongs to amdgpu: {}", list(.nodes))]
    NoAmdgpu {
        /// Each node with its driver, or the reason why the driver is unknown.
        nodes: Vec<(PathBuf, String)>,
    },
    /// The node does not exist or may not be opened.
    #[error("{} cannot be opened: {error}{}", device.display(), open_help(.error))]
    Open {
        /// The node.
        device: PathBuf,
        /// The error from the kernel.
        error: io::Error,
    },
    /// The file is not a GPU node, or the node belongs to another driver.
    #[error("{} is driven by {driver}, not by amdgpu; name the node of an AMD GPU, for example /dev/dri/renderD129", device.display())]
    NotAmdgpu {
        /// The node.
        device: PathBuf,
        /// Its driver.
        driver: String,
    },
    /// A kernel call failed.
    #[error("{}: {call}: {error}{}", device.display(), call_help(.error))]
    Call {
        /// The node.
        device: PathBuf,
        /// The call, by its kernel name.
        call: &'static str,
        /// The error from the kernel.
        error: io::Error,
    },
    /// The crate does not know the chip.
    #[error("{}: {error}", device.display())]
    Gpu {
        /// The node.
        device: PathBuf,
        /// What is not understood.
        error: GpuError,
    },
    /// The device lacks the queue.
    #[error("{}: the kernel provides no queue for {queue}; look for amdgpu in its log", device.display())]
    NoQueue {
        /// The node.
        device: PathBuf,
        /// The queue.
        queue: &'static str,
    },
    /// A buffer is too large for any device.
    #[error("{}: {bytes} bytes: a buffer has at least 1 byte and must fit into the remaining addresses", device.display())]
    Size {
        /// The node.
        device: PathBuf,
        /// The requested size in bytes.
        bytes: u64,
    },
    /// The words cannot be one command buffer.
    #[error("{dwords} dwords: a command buffer has 1 to 2^20 - 1")]
    Words {
        /// The number of dwords.
        dwords: usize,
    },
    /// A fence was not signalled in time. The work may still be running.
    #[error("{}: the work was not done after {} s; if it never ends, the kernel resets the device: wait again, then look for amdgpu in its log", device.display(), after.as_secs_f64())]
    Timeout {
        /// The node.
        device: PathBuf,
        /// The time waited.
        after: Duration,
    },
    /// The device was reset; the results of the work are lost.
    #[error("{}: the device was reset{}: the work did not end, and its results are lost; Device::recover makes it usable again", device.display(), if *guilty { " because of this work" } else { " because of other work or for an unknown reason" })]
    Reset {
        /// The node.
        device: PathBuf,
        /// Whether the kernel blames this context.
        guilty: bool,
    },
}

impl Error {
    /// Creates the error of a failed call.
    pub(crate) fn call(device: &std::path::Path, call: &'static str, error: impl Into<io::Error>) -> Self {
        Self::Call { device: device.to_owned(), call, error: error.into() }
    }
}

fn list(nodes: &[(PathBuf, String)]) -> String {
    let each = nodes.iter().map(|(node, driver)| format!("{} ({driver})", node.display()));
    each.collect::<Vec<_>>().join(", ")
}

/// Returns advice for a node that cannot be opened.
fn open_help(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "; render nodes belong to the group render: `usermod -aG render $USER`, then log in again",
        io::ErrorKind::NotFound => "; `ls /dev/dri` lists the nodes",
        _ => "",
    }
}

/// Returns advice for a failed call.
fn call_help(error: &io::Error) -> &'static str {
    use rustix::io::Errno;
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOMEM | Errno::NOSPC) => "; the memory of the device is full: close programs that use it",
        Some(Errno::ACCESS | Errno::PERM) => "; the process may open the device but not make this call",
        Some(Errno::CANCELED | Errno::NODATA | Errno::TIME) => "; the device was reset: Device::recover makes it usable again",
        Some(Errno::NODEV) => "; the device is gone or did not survive a reset: restart the machine",
        Some(Errno::INVAL) => "; the kernel refuses it, and its log may say why (look for amdgpu)",
        _ => "",
    }
}
