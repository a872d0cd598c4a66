//! Memory that is visible to both CPU and GPU.

use crate::device::Shared;
use crate::error::Error;
use crate::sys::{self, Mapping};
use pm4_uapi as u;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Buffers consist of whole pages of this many bytes.
const PAGE: u64 = 4096;

/// A buffer in system memory with a GPU address, mapped for the CPU. Clones refer to the same buffer. It is freed when the last clone is dropped; fences of
/// work that uses the buffer hold clones too.
#[derive(Debug, Clone)]
pub struct Buffer(Arc<Memory>);

#[derive(Debug)]
struct Memory {
    device: Arc<Shared>,
    handle: u32,
    address: u64,
    mapping: Mapping,
}

impl Buffer {
    pub(crate) fn new(device: &Arc<Shared>, bytes: u64) -> Result<Self, Error> {
        let size = Some(bytes).filter(|bytes| *bytes > 0).and_then(|bytes| bytes.checked_next_multiple_of(PAGE)).ok_or_else(|| device.size(bytes))?;
        let address = device.addresses().take(size).ok_or_else(|| device.size(bytes))?;
        let free_address = |error| {
            device.addresses().give_back(address);
            error
        };
        let handle = sys::create_buffer(&device.fd, size, PAGE, u::domain::GTT).map_err(|error| free_address(device.failed("GEM_CREATE", error)))?;
        let free_both = |error| {
            // The kernel frees it at the end of the process at the latest.
            let _ = sys::close_buffer(&device.fd, handle);
            free_address(error)
        };
        let mapping = Mapping::new(&device.fd, handle, size as usize).map_err(|error| free_both(device.failed("GEM_MMAP", error)))?;
        sys::change_address(&device.fd, u::va::MAP, handle, address, size).map_err(|error| free_both(device.failed("GEM_VA", error)))?;
        Ok(Self(Arc::new(Memory { device: Arc::clone(device), handle, address, mapping })))
    }

    /// Returns the GPU address, a multiple of 64 KiB.
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Returns the size in bytes: the requested size, rounded up to whole pages.
    pub fn bytes(&self) -> u64 {
        4 * self.words().len() as u64
    }

    /// Returns the words of the buffer. Running work may change them.
    pub fn words(&self) -> &[AtomicU32] {
        self.0.mapping.words()
    }

    /// Returns `count` words from the word `first` on, or fewer if the buffer ends earlier.
    pub fn read(&self, first: usize, count: usize) -> Vec<u32> {
        self.words().iter().skip(first).take(count).map(|word| word.load(Relaxed)).collect()
    }

    /// Writes words from the word `first` on; words beyond the end are dropped.
    pub fn write(&self, first: usize, words: &[u32]) {
        self.words().iter().skip(first).zip(words).for_each(|(place, word)| place.store(*word, Relaxed));
    }

    pub(crate) fn handle(&self) -> u32 {
        self.0.handle
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let (fd, size) = (&self.device.fd, 4 * self.mapping.words().len() as u64);
        // Neither call can fail for a buffer made here; if one does, the kernel frees the buffer at the end of the process, and the address stays allocated.
        let unmapped = sys::change_address(fd, u::va::UNMAP, self.handle, self.address, size);
        let closed = sys::close_buffer(fd, self.handle);
        if unmapped.is_ok() && closed.is_ok() {
            self.device.addresses().give_back(self.address);
        }
    }
}
