//! The environment that the device needs: the calling program, the memory of buffers, and the clock.

/// An error number of the kernel.
pub type Errno = i32;

/// A descriptor to give to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descriptor {
    /// A sync file with signalled fences.
    SyncFile,
    /// A buffer (with its size in bytes) or syncobj for another open of the device, found again by its identity.
    Shared(u64),
}

/// The environment of the device during one call of a program.
pub trait Host {
    /// Reads memory of the program.
    ///
    /// # Errors
    /// EFAULT if the memory is not mapped.
    fn read(&mut self, addr: u64, bytes: &mut [u8]) -> Result<(), Errno>;

    /// Writes memory of the program.
    ///
    /// # Errors
    /// EFAULT if the memory is not mapped or not writable.
    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Errno>;

    /// Reads the memory of buffers; memory that was never written is 0.
    fn load(&mut self, offset: u64, bytes: &mut [u8]);

    /// Writes the memory of buffers.
    fn store(&mut self, offset: u64, bytes: &[u8]);

    /// Frees the memory of a buffer.
    fn free(&mut self, offset: u64, bytes: u64);

    /// Gives a descriptor to the program; returns its number and its identity.
    ///
    /// # Errors
    /// Returns the error number from the kernel, for example EMFILE.
    fn give(&mut self, descriptor: Descriptor) -> Result<(i32, u64), Errno>;

    /// Returns the identity of a descriptor that was given to this or another program.
    fn identity(&mut self, fd: i32) -> Option<u64>;

    /// Returns CLOCK_MONOTONIC in nanoseconds.
    fn now(&mut self) -> u64;
}
