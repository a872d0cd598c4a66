//! Kernel calls, each as a function that cannot be misused, and mapped memory: all unsafe code of the crate.

use pm4_uapi as u;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::ioctl::{Direction, Ioctl, IoctlOutput, Opcode, opcode};
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::c_void;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;
use zerocopy::{FromBytes, Immutable, IntoBytes};

type Result<T> = std::result::Result<T, Errno>;

/// The ioctl type of GPUs.
const DRM: u8 = b'd';

/// Calls that only pass data to the kernel; all others return data.
const WRITES: [u8; 3] = [u::GEM_CLOSE, u::INFO, u::GEM_VA];

/// A structure passed to the kernel and back.
struct Call<'a, T> {
    nr: u8,
    arg: &'a mut T,
}

// SAFETY: the pointer is to a value of the size that the opcode states, which lives and is not otherwise used until the call returns; any bytes are valid.
unsafe impl<T: FromBytes + IntoBytes> Ioctl for Call<'_, T> {
    type Output = ();
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        let direction = if WRITES.contains(&self.nr) { Direction::Write } else { Direction::ReadWrite };
        opcode::from_components(direction, DRM, self.nr, size_of::<T>())
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self.arg).cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> Result<()> {
        Ok(())
    }
}

/// Makes a call, and repeats it if a signal interrupts it.
///
/// # Safety
/// Addresses in `arg` must be valid for the accesses of the kernel.
unsafe fn call<T: FromBytes + IntoBytes>(fd: impl AsFd, nr: u8, arg: &mut T) -> Result<()> {
    loop {
        // SAFETY: guaranteed by the caller.
        match unsafe { rustix::ioctl::ioctl(fd.as_fd(), Call { nr, arg }) } {
            Err(Errno::INTR | Errno::AGAIN) => {}
            result => return result,
        }
    }
}

/// Returns the address of a value that the kernel reads.
fn address<T: ?Sized>(of: &T) -> u64 {
    std::ptr::from_ref(of).cast::<u8>() as u64
}

/// Opens a node.
///
/// # Errors
/// Returns the error from the kernel.
pub fn open(path: &Path) -> Result<OwnedFd> {
    rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
}

/// The answer of VERSION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Major, minor, patch.
    pub version: [i32; 3],
}

/// Returns the driver of a node.
///
/// # Errors
/// Returns the error from the kernel: ENOTTY if the node is not a GPU.
pub fn version(fd: impl AsFd) -> Result<Driver> {
    let (mut name, mut description) = ([0u8; 64], [0u8; 256]);
    let mut version = u::Version { name_len: name.len() as u64, desc_len: description.len() as u64, ..u::Version::default() };
    (version.name, version.desc) = (name.as_mut_ptr() as u64, description.as_mut_ptr() as u64);
    // SAFETY: the kernel writes at most as many bytes as the lengths say; the date has no length.
    unsafe { call(fd, u::VERSION, &mut version)? };
    let text = |bytes: &[u8], len: u64| String::from_utf8_lossy(&bytes[..bytes.len().min(len as usize)]).into_owned();
    let (name, description) = (text(&name, version.name_len), text(&description, version.desc_len));
    Ok(Driver { name, description, version: [version.major, version.minor, version.patch] })
}

/// Makes an INFO query; returns the answer, padded with zeros.
///
/// # Errors
/// Returns the error from the kernel: EINVAL for an unknown query.
pub fn info<T: FromBytes + IntoBytes + Immutable>(fd: impl AsFd, query: u32, arg: [u32; 4]) -> Result<T> {
    let mut answer = T::new_zeroed();
    let mut info = u::Info { pointer: std::ptr::from_mut(&mut answer) as u64, size: size_of::<T>() as u32, query, arg };
    // SAFETY: the kernel writes at most `size` bytes, and any bytes are a value of T.
    unsafe { call(fd, u::INFO, &mut info)? };
    Ok(answer)
}

/// Creates a buffer and returns its handle.
///
/// # Errors
/// Returns the error from the kernel.
pub fn create_buffer(fd: impl AsFd, bytes: u64, alignment: u64, domains: u64) -> Result<u32> {
    let mut create = u::GemCreate { size: bytes, alignment, domains, flags: 0 };
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::GEM_CREATE, &mut create)? };
    // The answer overwrites the size.
    Ok(create.size as u32)
}

/// Closes the handle of a buffer.
///
/// # Errors
/// Returns the error from the kernel.
pub fn close_buffer(fd: impl AsFd, handle: u32) -> Result<()> {
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::GEM_CLOSE, &mut u::Handle { handle, pad: 0 }) }
}

/// Maps a buffer at a GPU address for reading, writing and executing, or unmaps it.
///
/// # Errors
/// Returns the error from the kernel.
pub fn change_address(fd: impl AsFd, operation: u32, handle: u32, va: u64, size: u64) -> Result<()> {
    let flags = u::page::READABLE | u::page::WRITEABLE | u::page::EXECUTABLE;
    let mut call_of = u::GemVa { handle, operation, flags, va, size, ..u::GemVa::default() };
    // SAFETY: the structure contains only GPU addresses, because there is no list of syncobjs.
    unsafe { call(fd, u::GEM_VA, &mut call_of) }
}

/// Creates a context and returns its ID.
///
/// # Errors
/// Returns the error from the kernel.
pub fn create_context(fd: impl AsFd) -> Result<u32> {
    let mut context = u::Context { op: u::context::ALLOC, ..u::Context::default() };
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::CTX, &mut context)? };
    // The answer overwrites the operation.
    Ok(context.op)
}

/// Frees a context.
///
/// # Errors
/// Returns the error from the kernel.
pub fn free_context(fd: impl AsFd, id: u32) -> Result<()> {
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::CTX, &mut u::Context { op: u::context::FREE, id, ..u::Context::default() }) }
}

/// Returns the state of a context: flags of [`u::context_state`].
///
/// # Errors
/// Returns the error from the kernel.
pub fn context_state(fd: impl AsFd, id: u32) -> Result<u64> {
    let mut context = u::Context { op: u::context::QUERY_STATE2, id, ..u::Context::default() };
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::CTX, &mut context)? };
    u::ContextState::read_from_bytes(context.as_bytes()).map(|state| state.flags).map_err(|_| Errno::INVAL)
}

/// Creates a syncobj without a fence and returns its handle.
///
/// # Errors
/// Returns the error from the kernel.
pub fn create_syncobj(fd: impl AsFd) -> Result<u32> {
    let mut create = u::SyncobjCreate::default();
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::SYNCOBJ_CREATE, &mut create)? };
    Ok(create.handle)
}

/// Destroys a syncobj.
///
/// # Errors
/// Returns the error from the kernel.
pub fn destroy_syncobj(fd: impl AsFd, handle: u32) -> Result<()> {
    // SAFETY: the structure has no addresses.
    unsafe { call(fd, u::SYNCOBJ_DESTROY, &mut u::Handle { handle, pad: 0 }) }
}

/// Waits until a syncobj is signalled or a deadline passes, given as CLOCK_MONOTONIC in nanoseconds.
///
/// # Errors
/// ETIME if the deadline has passed; other errors from the kernel.
pub fn wait(fd: impl AsFd, syncobj: u32, until: i64) -> Result<()> {
    let handles = [syncobj];
    let mut wait = u::SyncobjWait { handles: address(&handles), timeout: until, count: 1, flags: u::wait::ALL, ..u::SyncobjWait::default() };
    // SAFETY: the kernel reads one handle.
    unsafe { call(fd, u::SYNCOBJ_WAIT, &mut wait) }
}

/// A submission.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The context ID.
    pub context: u32,
    /// The command buffer.
    pub ib: u::ChunkIb,
    /// Handles of all buffers that it may access.
    pub buffers: &'a [u32],
    /// The syncobj to signal when it completes.
    pub signals: u32,
}

/// Submits a command buffer.
///
/// # Errors
/// Returns the error from the kernel.
pub fn submit(fd: impl AsFd, work: &Work<'_>) -> Result<()> {
    let entries: Vec<u::BoListEntry> = work.buffers.iter().map(|handle| u::BoListEntry { handle: *handle, priority: 0 }).collect();
    // In a chunk, operation and handle of the list are ignored.
    let list = u::BoList {
        operation: u32::MAX,
        handle: u32::MAX,
        number: entries.len() as u32,
        info_size: size_of::<u::BoListEntry>() as u32,
        info: address(entries.as_slice()),
    };
    let signals = [work.signals];
    let chunk = |id, data: &[u8]| u::Chunk { id, length_dw: data.len() as u32 / 4, data: address(data) };
    let chunks = [chunk(u::chunk::BO_HANDLES, list.as_bytes()), chunk(u::chunk::IB, work.ib.as_bytes()), chunk(u::chunk::SYNCOBJ_OUT, signals.as_bytes())];
    let pointers = chunks.each_ref().map(address);
    let mut cs = u::Cs { context: work.context, chunks_count: pointers.len() as u32, chunks: address(&pointers), ..u::Cs::default() };
    // SAFETY: the kernel reads the array of pointers, the chunks, and the list; all of them live until the call returns.
    unsafe { call(fd, u::CS, &mut cs) }
}

/// Memory of a buffer, mapped into this process. The GPU may change it at any time, so its words are atomic.
#[derive(Debug)]
pub struct Mapping {
    words: NonNull<AtomicU32>,
    count: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and its words are atomic.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a whole buffer; `bytes` is a multiple of 4 and at most the size of the buffer.
    ///
    /// # Errors
    /// Returns the error from the kernel.
    pub fn new(fd: impl AsFd, handle: u32, bytes: usize) -> Result<Self> {
        let mut place = u::GemMmap { handle, pad: 0 };
        // SAFETY: the structure has no addresses.
        unsafe { call(fd.as_fd(), u::GEM_MMAP, &mut place)? };
        let offset = u64::from(place.handle) | u64::from(place.pad) << 32;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { rustix::mm::mmap(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, fd.as_fd(), offset)? };
        Ok(Self { words: NonNull::new(start.cast()).ok_or(Errno::NOMEM)?, count: bytes / 4 })
    }

    /// Returns the words of the buffer.
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: the mapping has that many words, is aligned to pages and lives as long as `self`; all other writers write whole words.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this size, and no reference to its words is left.
        let _ = unsafe { rustix::mm::munmap(self.words.as_ptr().cast(), 4 * self.count) };
    }
}
