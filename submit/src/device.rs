//! The device: opening it, its properties, submitting.

use crate::addresses::Addresses;
use crate::buffer::Buffer;
use crate::error::Error;
use crate::fence::Fence;
use crate::submission::{Queue, Submission};
use crate::sys::{self, Driver};
use pm4::chip::Chip;
use pm4::gpu::{FirmwareVersions, Gpu, MemoryLimits};
use pm4_uapi as u;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zerocopy::IntoBytes;

/// The folder of render nodes.
const NODES: &str = "/dev/dri";

/// The lowest address to use if the kernel allows it: above 32 bits, so that truncated addresses are noticed.
const FIRST_ADDRESS: u64 = 1 << 32;

/// The smallest padding unit of command buffers, in dwords. SDMA needs multiples of 8, but its kernels report one dword (Linux sdma_v4_0.c pad_ib; unverified).
const LEAST_PADDING: u32 = 8;

/// An amdgpu device. Clones refer to the same device and context.
#[derive(Debug, Clone)]
pub struct Device(Arc<Shared>);

/// The part of the device that buffers and fences need.
#[derive(Debug)]
pub(crate) struct Shared {
    pub fd: OwnedFd,
    path: PathBuf,
    driver: Driver,
    gpu: Gpu,
    queues: [Option<u::HwIp>; 3],
    context: AtomicU32,
    addresses: Mutex<Addresses>,
}

/// The state of a device after a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reset {
    /// Whether the kernel blames work of this context.
    pub guilty: bool,
    /// Whether local memory was lost. Buffers of this crate are in system memory.
    pub memory_lost: bool,
}

impl Shared {
    pub fn failed(&self, call: &'static str, error: rustix::io::Errno) -> Error {
        Error::call(&self.path, call, error)
    }

    pub fn size(&self, bytes: u64) -> Error {
        Error::Size { device: self.path.clone(), bytes }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn addresses(&self) -> MutexGuard<'_, Addresses> {
        // If another thread panicked, the list is still consistent.
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the context ID.
    pub fn context(&self) -> u32 {
        self.context.load(Relaxed)
    }

    /// Returns the properties of a queue.
    pub fn queue(&self, queue: Queue) -> Result<&u::HwIp, Error> {
        let missing = || Error::NoQueue { device: self.path.clone(), queue: queue.name() };
        self.queues[queue.engine() as usize].as_ref().filter(|ip| ip.rings != 0).ok_or_else(missing)
    }

    /// Returns the unit of command buffer lengths of a queue, in dwords.
    pub fn padding(ip: &u::HwIp) -> u32 {
        (ip.size_alignment / 4).max(LEAST_PADDING)
    }

    /// Returns the state of a context after a reset; None if there was no reset.
    pub fn reset(&self, context: u32) -> Result<Option<Reset>, Error> {
        let flags = sys::context_state(&self.fd, context).map_err(|error| self.failed("CTX QUERY_STATE2", error))?;
        let has = |flag| flags & flag != 0;
        let is_reset = has(u::context_state::RESET | u::context_state::VRAM_LOST | u::context_state::GUILTY);
        Ok(is_reset.then_some(Reset { guilty: has(u::context_state::GUILTY), memory_lost: has(u::context_state::VRAM_LOST) }))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The kernel frees it with the descriptor in any case.
        let _ = sys::free_context(&self.fd, self.context());
    }
}

impl Device {
    /// Opens a render node, for example `/dev/dri/renderD128`.
    ///
    /// # Errors
    /// Returns an error if the node does not exist, may not be opened, or belongs to another driver, or if the crate does not know the chip.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let fd = sys::open(path).map_err(|error| Error::Open { device: path.to_owned(), error: error.into() })?;
        let not_amdgpu = |driver: String| Error::NotAmdgpu { device: path.to_owned(), driver };
        let driver = sys::version(&fd).map_err(|_| not_amdgpu("no driver of a GPU".into()))?;
        if driver.name != "amdgpu" {
            return Err(not_amdgpu(driver.name));
        }
        let (gpu, queues) = ask(&fd, path)?;
        let context = sys::create_context(&fd).map_err(|error| Error::call(path, "CTX ALLOC", error))?;
        let (start, end) = gpu.memory.addresses.unwrap_or((FIRST_ADDRESS, FIRST_ADDRESS << 1));
        let start = if FIRST_ADDRESS < end { start.max(FIRST_ADDRESS) } else { start };
        let addresses = Mutex::new(Addresses::new(start, end));
        Ok(Self(Arc::new(Shared { fd, path: path.to_owned(), driver, gpu, queues, context: context.into(), addresses })))
    }

    /// Returns the render nodes of the machine, sorted by number.
    ///
    /// # Errors
    /// [`Error::NoNodes`].
    pub fn nodes() -> Result<Vec<PathBuf>, Error> {
        let is_node = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("renderD"));
        let mut nodes: Vec<PathBuf> = std::fs::read_dir(NODES).into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_node).collect();
        nodes.sort();
        if nodes.is_empty() { Err(Error::NoNodes { folder: NODES.into() }) } else { Ok(nodes) }
    }

    /// Opens the first render node of amdgpu.
    ///
    /// # Errors
    /// [`Error::NoNodes`], [`Error::NoAmdgpu`], and the errors of [`open`](Self::open) for the first node that belongs, or may belong, to amdgpu.
    pub fn first() -> Result<Self, Error> {
        let mut others = Vec::new();
        for node in Self::nodes()? {
            match Self::open(&node) {
                Err(Error::NotAmdgpu { device, driver }) => others.push((device, driver)),
                result => return result,
            }
        }
        Err(Error::NoAmdgpu { nodes: others })
    }

    /// Returns the path of the render node.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the machine as the kernel describes it: chip, board, firmware, limits.
    pub fn gpu(&self) -> &Gpu {
        &self.0.gpu
    }

    /// Returns the driver's description of itself.
    pub fn driver(&self) -> &Driver {
        &self.0.driver
    }

    /// Returns whether its queues run shaders; the device of `pm4 live` reports that they do not.
    pub fn runs_shaders(&self) -> bool {
        !self.0.driver.description.contains(u::NO_SHADERS)
    }

    /// Returns whether the device has this queue.
    pub fn has(&self, queue: Queue) -> bool {
        self.0.queue(queue).is_ok()
    }

    /// Returns the version of a queue's engine: major, minor and revision of its IP block. None if the device lacks the queue or the kernel does not state the
    /// version.
    pub fn version(&self, queue: Queue) -> Option<(u32, u32, u32)> {
        self.0.queue(queue).ok().map(core).filter(|version| *version != (0, 0, 0))
    }

    /// Creates a buffer of at least `bytes` bytes. Its contents are not cleared.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::Call`].
    pub fn buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        Buffer::new(&self.0, bytes)
    }

    /// Submits a command buffer. The crate does not check what it does: run it on the model first.
    ///
    /// # Errors
    /// [`Error::NoQueue`], [`Error::Words`], the errors of [`buffer`](Self::buffer), and [`Error::Call`].
    pub fn submit(&self, submission: &Submission<'_>) -> Result<Fence, Error> {
        Fence::of(&self.0, submission)
    }

    /// Returns the state after a reset; None if there was no reset since the device was opened or [recovered](Self::recover).
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn reset(&self) -> Result<Option<Reset>, Error> {
        self.0.reset(self.0.context())
    }

    /// Continues after a reset, with a new context. Buffers and their current contents are kept.
    ///
    /// # Errors
    /// [`Error::Call`] if the device did not survive.
    pub fn recover(&self) -> Result<(), Error> {
        let new = sys::create_context(&self.0.fd).map_err(|error| self.0.failed("CTX ALLOC", error))?;
        let old = self.0.context.swap(new, Relaxed);
        sys::free_context(&self.0.fd, old).map_err(|error| self.0.failed("CTX FREE", error))
    }
}

/// Returns the version of an engine's IP block.
fn core(ip: &u::HwIp) -> (u32, u32, u32) {
    (ip.discovery >> 16, ip.discovery >> 8 & 0xFF, ip.discovery & 0xFF)
}

/// Queries the machine and its queues from the kernel.
fn ask(fd: &OwnedFd, path: &Path) -> Result<(Gpu, [Option<u::HwIp>; 3]), Error> {
    let failed = |call| move |error| Error::call(path, call, error);
    let info: u::DeviceInfo = sys::info(fd, u::query::DEV_INFO, [0; 4]).map_err(failed("INFO DEV_INFO"))?;
    // The kernel answers nothing for an engine that does not exist.
    let queues = [Queue::Graphics, Queue::Compute, Queue::Sdma].map(|queue| sys::info::<u::HwIp>(fd, u::query::HW_IP_INFO, [queue.engine(), 0, 0, 0]).ok());
    // Chips share numbers in the device information; the version of the graphics core, if stated, is unique.
    let chip = queues[0].as_ref().map(core).and_then(|(major, minor, revision)| Chip::of_core(major, minor, revision));
    let gpu = chip.map_or_else(|| Gpu::from_device_info(info.as_bytes()), |chip| Gpu::of_chip_and_device_info(chip, info.as_bytes()));
    let gpu = gpu.map_err(|error| Error::Gpu { device: path.to_owned(), error })?;
    let firmware = |kind| {
        let answer: Result<[u32; 2], _> = sys::info(fd, u::query::FW_VERSION, [kind, 0, 0, 0]);
        answer.map(|[version, feature]| (version, feature)).map_err(failed("INFO FW_VERSION"))
    };
    let firmware = FirmwareVersions::of_queries(firmware(u::firmware::PFP)?, firmware(u::firmware::ME)?, firmware(u::firmware::MEC)?);
    // Older kernels do not allow reading the register; the chip's default then applies.
    let register = pm4::regs::find(gpu.chip.gfx(), "GB_ADDR_CONFIG");
    let address_config = register.and_then(|register| sys::info::<u32>(fd, u::query::READ_MMR_REG, [register.addr() / 4, 1, u32::MAX, 0]).ok());
    let buffer_align = queues[0].as_ref().map_or(gpu.memory.buffer_align, Shared::padding);
    Ok((Gpu { firmware, address_config, memory: MemoryLimits { buffer_align, ..gpu.memory }, ..gpu }, queues))
}
