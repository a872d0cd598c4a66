//! What the device needs of the world around it: the program that asks, the memory behind buffers, and the clock.

/// An error number of the kernel.
pub type Errno = i32;

/// A descriptor that a program is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descriptor {
    /// A sync file whose fences are signalled.
    SyncFile,
    /// A buffer or a syncobj that another open of the device may take: found again by its identity. A buffer has a size in bytes.
    Shared(u64),
}

/// The world around the device, in one call of one program.
pub trait Host {
    /// Reads memory of the program.
    ///
    /// # Errors
    /// EFAULT where it has none there.
    fn read(&mut self, addr: u64, bytes: &mut [u8]) -> Result<(), Errno>;

    /// Writes memory of the program.
    ///
    /// # Errors
    /// EFAULT where it has none there, or none that it may write.
    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Errno>;

    /// Reads the memory behind buffers; what was never written is 0.
    fn load(&mut self, offset: u64, bytes: &mut [u8]);

    /// Writes the memory behind buffers.
    fn store(&mut self, offset: u64, bytes: &[u8]);

    /// Gives back the memory behind a buffer.
    fn free(&mut self, offset: u64, bytes: u64);

    /// Gives the program a descriptor: its number, and its identity.
    ///
    /// # Errors
    /// What the kernel says, EMFILE for one.
    fn give(&mut self, descriptor: Descriptor) -> Result<(i32, u64), Errno>;

    /// The identity of a descriptor of the program that was given to it or to another one.
    fn identity(&mut self, fd: i32) -> Option<u64>;

    /// CLOCK_MONOTONIC in nanoseconds.
    fn now(&mut self) -> u64;
}
