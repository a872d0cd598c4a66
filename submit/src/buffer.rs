//! Memory that both the CPU and the GPU reach.

use crate::device::Shared;
use crate::error::Error;
use crate::sys::{self, Mapping};
use pm4_uapi as u;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Buffers are whole pages.
const PAGE: u64 = 4096;

/// A buffer in the memory of the system, with a GPU address, mapped for the CPU. A copy is the same buffer; it is freed when the last one is gone, fences of work
/// that uses it among them.
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
            // It is gone with the process at the latest.
            let _ = sys::close_buffer(&device.fd, handle);
            free_address(error)
        };
        let mapping = Mapping::new(&device.fd, handle, size as usize).map_err(|error| free_both(device.failed("GEM_MMAP", error)))?;
        sys::change_address(&device.fd, u::va::MAP, handle, address, size).map_err(|error| free_both(device.failed("GEM_VA", error)))?;
        Ok(Self(Arc::new(Memory { device: Arc::clone(device), handle, address, mapping })))
    }

    /// Its GPU address, a multiple of 64 KiB.
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Its size in bytes: what was asked for, rounded up to whole pages.
    pub fn bytes(&self) -> u64 {
        4 * self.words().len() as u64
    }

    /// Its words. Work that runs may change them.
    pub fn words(&self) -> &[AtomicU32] {
        self.0.mapping.words()
    }

    /// Copies `count` words out of it from the word `first` on; fewer where it ends before.
    pub fn read(&self, first: usize, count: usize) -> Vec<u32> {
        self.words().iter().skip(first).take(count).map(|word| word.load(Relaxed)).collect()
    }

    /// Copies words into it from the word `first` on; what is beyond its end is left out.
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
        // Neither fails for what was made here; where they do, the process's end frees it, and its address stays taken.
        let unmapped = sys::change_address(fd, u::va::UNMAP, self.handle, self.address, size);
        let closed = sys::close_buffer(fd, self.handle);
        if unmapped.is_ok() && closed.is_ok() {
            self.device.addresses().give_back(self.address);
        }
    }
}
