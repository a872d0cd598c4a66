//! Common AQL packets.

use super::builder::{BuildError, Builder};
use super::format::QueueFamily;
use super::version::Version;
use alloc::vec::Vec;

/// The scope in which memory is made visible before or after a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum FenceScope {
    /// Not at all.
    None = 0,
    /// To the agent.
    Agent = 1,
    /// To the system.
    #[default]
    System = 2,
}

/// The packet that starts a kernel.
///
/// ```
/// use pm4::queues::{KernelDispatch, QueuePacket, Version, QueueFamily};
/// let dispatch = KernelDispatch { group: [64, 1, 1], grid: [1024, 1, 1], kernel_object: 0x1_2345_6000, kernarg: 0x7F00_ABCD_1000, ..KernelDispatch::default() };
/// let words = dispatch.words();
/// assert_eq!(words[0], 0x0003_1502, "the header is stored last, as one dword");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDispatch {
    /// Whether the packet starts only after all earlier packets have ended.
    pub barrier: bool,
    /// The scope of the acquire before the kernel.
    pub acquire: FenceScope,
    /// The scope of the release after the kernel.
    pub release: FenceScope,
    /// Number of dimensions, 1 to 3.
    pub dimensions: u8,
    /// Work-items per group.
    pub group: [u16; 3],
    /// Work-items of the grid.
    pub grid: [u32; 3],
    /// Scratch per work-item, in bytes.
    pub private_size: u32,
    /// LDS per group, in bytes.
    pub group_size: u32,
    /// Address of the kernel descriptor, a multiple of 64.
    pub kernel_object: u64,
    /// Address of the arguments, a multiple of 16.
    pub kernarg: u64,
    /// Address of the signal that is decremented at the end; 0 for none.
    pub completion_signal: u64,
}

impl Default for KernelDispatch {
    /// Returns a dispatch of one work-item, after all earlier packets, with system scope.
    fn default() -> Self {
        Self {
            barrier: true,
            acquire: FenceScope::System,
            release: FenceScope::System,
            dimensions: 3,
            group: [1; 3],
            grid: [1; 3],
            private_size: 0,
            group_size: 0,
            kernel_object: 0,
            kernarg: 0,
            completion_signal: 0,
        }
    }
}

impl KernelDispatch {
    /// Returns the words of the packet. Store the first dword after the others.
    pub fn words(&self) -> [u32; 16] {
        let mut words = [0; 16];
        words[0] = 2 | header(self.barrier, self.acquire, self.release) | u32::from(self.dimensions) << 16;
        words[1] = u32::from(self.group[0]) | u32::from(self.group[1]) << 16;
        words[2] = self.group[2].into();
        words[3..6].copy_from_slice(&self.grid);
        words[6..8].copy_from_slice(&[self.private_size, self.group_size]);
        words[8..10].copy_from_slice(&halves(self.kernel_object));
        words[10..12].copy_from_slice(&halves(self.kernarg));
        words[14..].copy_from_slice(&halves(self.completion_signal));
        words
    }
}

/// A packet that waits for signals: until all of them are 0, or until one is.
///
/// ```
/// use pm4::queues::BarrierPacket;
/// let words = BarrierPacket { signals: &[0x1000, 0x2000], ..BarrierPacket::default() }.words()?;
/// assert_eq!((words[0], words[2], words[4]), (0x0000_1503, 0x1000, 0x2000));
/// # Ok::<(), pm4::queues::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BarrierPacket<'s> {
    /// Whether one signal is enough.
    pub any: bool,
    /// Addresses of up to five signals.
    pub signals: &'s [u64],
    /// Address of the signal that is decremented at the end; 0 for none.
    pub completion_signal: u64,
}

impl BarrierPacket<'_> {
    /// Returns the words of the packet. Store the first dword after the others.
    ///
    /// # Errors
    /// If there are more than five signals.
    pub fn words(&self) -> Result<Vec<u32>, BuildError> {
        let name = if self.any { "barrier_or" } else { "barrier_and" };
        let mut signals = self.signals.to_vec();
        signals.resize(signals.len().max(5), 0);
        packet(name)?.list("dep_signal", &signals)?.set("completion_signal", self.completion_signal)?.build()
    }
}

/// The packet that runs PM4.
///
/// ```
/// use pm4::queues::Pm4Buffer;
/// let words = Pm4Buffer { addr: 0x1_2345_6000, dwords: 16, completion_signal: 0 }.words()?;
/// assert_eq!(words[..6], [0x0001_1500, 0xC002_3F00, 0x2345_6000, 1, 0x0080_0010, 10]);
/// # Ok::<(), pm4::queues::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pm4Buffer {
    /// Address of the buffer, a multiple of 4.
    pub addr: u64,
    /// Its length in dwords.
    pub dwords: u32,
    /// Address of the signal that is decremented at the end; 0 for none.
    pub completion_signal: u64,
}

impl Pm4Buffer {
    /// Returns the words of the packet. Store the first dword after the others.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn words(&self) -> Result<Vec<u32>, BuildError> {
        let [lo, hi] = halves(self.addr);
        // INDIRECT_BUFFER of PM4 with the bit VALID (ROCr amd_aql_queue.cpp ExecutePM4).
        let jump = [0xC002_3F00, lo & !3, hi & 0xFFFF, self.dwords & 0xF_FFFF | 1 << 23].map(u64::from);
        packet("amd_pm4_ib")?.set("ven_hdr", 1)?.list("ib_jump_cmd", &jump)?.set("dw_cnt_remain", 10)?.set("completion_signal", self.completion_signal)?.build()
    }
}

/// Returns a packet that runs after all earlier packets, with system scope.
fn packet(name: &str) -> Result<Builder, BuildError> {
    let version = Version::all(QueueFamily::Aql).next().ok_or_else(|| BuildError::NoField { packet: "aql", field: name.into() })?;
    Builder::new(version, name)?.set("barrier", 1)?.set("acquire_scope", 2)?.set("release_scope", 2)
}

/// Returns bits 8 to 12 of a header.
fn header(barrier: bool, acquire: FenceScope, release: FenceScope) -> u32 {
    u32::from(barrier) << 8 | (acquire as u32) << 9 | (release as u32) << 11
}

fn halves(addr: u64) -> [u32; 2] {
    [addr as u32, (addr >> 32) as u32]
}
