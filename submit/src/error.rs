//! Why a call of the kernel failed, and what to do.

use pm4::gpu::GpuError;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no device, or what became of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No render node is there.
    #[error("there is no render node in {}: this machine has no GPU that its kernel drives, or a container does not pass it on", folder.display())]
    NoNodes {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// Render nodes are there, of other drivers.
    #[error("no render node belongs to amdgpu: {}", list(.nodes))]
    NoAmdgpu {
        /// Each node with its driver, or why that is not known.
        nodes: Vec<(PathBuf, String)>,
    },
    /// The node is not there, or may not be opened.
    #[error("{} cannot be opened: {error}{}", device.display(), open_help(.error))]
    Open {
        /// The node.
        device: PathBuf,
        /// What the kernel says.
        error: io::Error,
    },
    /// A file that is no node of a GPU, or the node of another driver.
    #[error("{} is driven by {driver}, not by amdgpu; name the node of an AMD GPU, for example /dev/dri/renderD129", device.display())]
    NotAmdgpu {
        /// The node.
        device: PathBuf,
        /// Its driver.
        driver: String,
    },
    /// A call failed.
    #[error("{}: {call}: {error}{}", device.display(), call_help(.error))]
    Call {
        /// The node.
        device: PathBuf,
        /// The call, by the kernel's name.
        call: &'static str,
        /// What the kernel says.
        error: io::Error,
    },
    /// A chip that the crate does not know.
    #[error("{}: {error}", device.display())]
    Gpu {
        /// The node.
        device: PathBuf,
        /// What is not understood.
        error: GpuError,
    },
    /// The device has no such queue.
    #[error("{}: the kernel offers no queue for {queue}; see amdgpu in its log", device.display())]
    NoQueue {
        /// The node.
        device: PathBuf,
        /// The queue.
        queue: &'static str,
    },
    /// A buffer that no device has room for.
    #[error("{}: {bytes} bytes: a buffer has at least 1 byte, and fits into the addresses that are left", device.display())]
    Size {
        /// The node.
        device: PathBuf,
        /// What was asked for.
        bytes: u64,
    },
    /// Words that cannot be one command buffer.
    #[error("{dwords} dwords: a command buffer has 1 to 2^20 - 1")]
    Words {
        /// How many there are.
        dwords: usize,
    },
    /// A fence was not signalled in time. The work may still run.
    #[error("{}: the work was not done after {} s; the kernel resets the device when it does not end: wait again, then look for amdgpu in its log", device.display(), after.as_secs_f64())]
    Timeout {
        /// The node.
        device: PathBuf,
        /// How long was waited.
        after: Duration,
    },
    /// The device was reset: results of the work are lost.
    #[error("{}: the device was reset{}: the work did not end, and its results are lost; Device::recover makes it usable again", device.display(), if *guilty { " because of this work" } else { " because of other work, or it is not known why" })]
    Reset {
        /// The node.
        device: PathBuf,
        /// The kernel says that this context is why.
        guilty: bool,
    },
}

impl Error {
    /// A call that failed.
    pub(crate) fn call(device: &std::path::Path, call: &'static str, error: impl Into<io::Error>) -> Self {
        Self::Call { device: device.to_owned(), call, error: error.into() }
    }
}

fn list(nodes: &[(PathBuf, String)]) -> String {
    let each = nodes.iter().map(|(node, driver)| format!("{} ({driver})", node.display()));
    each.collect::<Vec<_>>().join(", ")
}

/// What to do about a node that cannot be opened.
fn open_help(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "; render nodes belong to the group render: `usermod -aG render $USER`, then log in again",
        io::ErrorKind::NotFound => "; `ls /dev/dri` shows the nodes that are there",
        _ => "",
    }
}

/// What to do about a call that failed.
fn call_help(error: &io::Error) -> &'static str {
    use rustix::io::Errno;
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOMEM | Errno::NOSPC) => "; memory of the device is full: end programs that use it",
        Some(Errno::ACCESS | Errno::PERM) => "; the process may open the device, but not make this call",
        Some(Errno::CANCELED | Errno::NODATA | Errno::TIME) => "; the device was reset: Device::recover makes it usable again",
        Some(Errno::NODEV) => "; the device is gone, or did not survive a reset: restart the machine",
        Some(Errno::INVAL) => "; the kernel refuses it, and its log may say why (amdgpu)",
        _ => "",
    }
}
