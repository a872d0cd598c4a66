//! Common SDMA packets.

use super::builder::{BuildError, Builder};
use super::limits::SdmaLimits;
use super::version::Version;
use alloc::vec::Vec;

/// The comparison of POLL_REGMEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PollCondition {
    /// Does not wait.
    Always = 0,
    /// `value < reference`.
    Less = 1,
    /// `value <= reference`.
    LessOrEqual = 2,
    /// `value == reference`.
    Equal = 3,
    /// `value != reference`.
    NotEqual = 4,
    /// `value >= reference`.
    GreaterOrEqual = 5,
    /// `value > reference`.
    Greater = 6,
}

/// A writer of SDMA packets with the units and limits of a version. Create other packets with a [`Builder`] and add them with [`packet`](Self::packet).
///
/// ```
/// use pm4::queues::{PollCondition, QueueFamily, SdmaWriter, Version};
/// let sdma = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let mut writer = SdmaWriter::new(sdma);
/// writer.poll_memory(0x5000, PollCondition::GreaterOrEqual, 3, u32::MAX)?.copy(0x10_0000, 0x20_0000, 4096)?.fence(0x6000, 4)?.pad(8)?;
/// assert_eq!(writer.words().len() % 8, 0);
/// # Ok::<(), pm4::queues::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SdmaWriter {
    version: Version,
    words: Vec<u32>,
}

impl SdmaWriter {
    /// Creates a writer without packets.
    ///
    /// # Panics
    /// If the version is of another family.
    pub fn new(version: Version) -> Self {
        assert!(version.family() == super::format::QueueFamily::Sdma, "{version} is not a version of SDMA");
        Self { version, words: Vec::new() }
    }

    /// Returns the version for which the writer writes.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the words written.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the words written.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }

    /// Adds a packet.
    ///
    /// # Errors
    /// The errors of [`Builder::build`].
    pub fn packet(&mut self, packet: Builder) -> Result<&mut Self, BuildError> {
        self.words.extend(packet.build()?);
        Ok(self)
    }

    fn new_packet(&self, name: &str) -> Result<Builder, BuildError> {
        Builder::new(self.version, name)
    }

    /// Copies bytes, in as many packets as their limit requires.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn copy(&mut self, src: u64, dst: u64, bytes: u64) -> Result<&mut Self, BuildError> {
        let most = SdmaLimits::of(self.version).safe_copy_bytes;
        for (at, bytes) in parts(bytes, most) {
            let packet = self.new_packet("COPY_LINEAR")?.set("count", bytes - 1)?.address("src_addr", src.wrapping_add(at))?;
            self.packet(packet.address("dst_addr", dst.wrapping_add(at))?)?;
        }
        Ok(self)
    }

    /// Fills bytes with a dword, in as many packets as their limit requires. Address and size are multiples of 4.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn fill(&mut self, dst: u64, value: u32, bytes: u64) -> Result<&mut Self, BuildError> {
        let most = SdmaLimits::of(self.version).fill_bytes - 4;
        for (at, bytes) in parts(bytes, most) {
            let packet = self.new_packet("CONSTANT_FILL")?.set("fillsize", 2)?.address("dst_addr", dst.wrapping_add(at))?;
            self.packet(packet.set("src_data_31_0", value.into())?.set("count", bytes - 1)?)?;
        }
        Ok(self)
    }

    /// Writes dwords to memory.
    ///
    /// # Errors
    /// More than 2^20 dwords.
    pub fn write(&mut self, dst: u64, data: &[u32]) -> Result<&mut Self, BuildError> {
        if data.is_empty() {
            return Ok(self);
        }
        let data: Vec<u64> = data.iter().map(|word| (*word).into()).collect();
        self.packet(self.new_packet("WRITE_UNTILED")?.address("dst_addr", dst)?.list("data0", &data)?)
    }

    /// Writes a dword after all earlier work; uncached from 5.0 on, as in drivers.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn fence(&mut self, addr: u64, value: u32) -> Result<&mut Self, BuildError> {
        let packet = self.new_packet("FENCE")?.address("addr", addr)?.set("data", value.into())?;
        let packet = if packet.format().fields(self.version).any(|field| field.name == "mtype") { packet.set("mtype", 3)? } else { packet };
        self.packet(packet)
    }

    /// Raises an interrupt.
    ///
    /// # Errors
    /// If the context has more than 28 bits.
    pub fn trap(&mut self, context: u32) -> Result<&mut Self, BuildError> {
        self.packet(self.new_packet("TRAP")?.set("int_context", context.into())?)
    }

    /// Waits until `(memory & mask)` compares with the reference, without a timeout.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn poll_memory(&mut self, addr: u64, compare: PollCondition, reference: u32, mask: u32) -> Result<&mut Self, BuildError> {
        let packet = self.new_packet("POLL_REGMEM")?.set("mem_poll", 1)?.set("func", compare as u64)?.address("addr", addr)?;
        let packet = packet.set("value", reference.into())?.set("mask", mask.into())?.set("interval", 10)?.set("retry_count", 0xFFF)?;
        self.packet(packet)
    }

    /// Writes the 64-bit global clock.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn timestamp(&mut self, addr: u64) -> Result<&mut Self, BuildError> {
        let packet = self.new_packet("TIMESTAMP_GET_GLOBAL")?;
        let low = packet.format().fields(self.version).find(|field| field.name.starts_with("write_addr_31_")).copied();
        let Some(low) = low else { return self.packet(packet.address("write_addr", addr)?) };
        let packet = packet.set(low.name, (addr & 0xFFFF_FFFF) >> low.place.lo)?.set("write_addr_63_32", addr >> 32)?;
        self.packet(packet)
    }

    /// Skips dwords if memory does not hold the reference.
    ///
    /// # Errors
    /// More than 2^14 - 1 dwords.
    pub fn cond_exe(&mut self, addr: u64, reference: u32, dwords: u32) -> Result<&mut Self, BuildError> {
        let packet = self.new_packet("COND_EXE")?.address("addr", addr)?.set("reference", reference.into())?;
        self.packet(packet.set("exec_count", dwords.into())?)
    }

    /// Runs dwords at another address. The address is a multiple of 32 bytes, the length a multiple of 8 dwords. The packet must end at a multiple of 8 dwords,
    /// so padding is inserted before it.
    ///
    /// # Errors
    /// More than 2^20 - 1 dwords.
    pub fn indirect(&mut self, base: u64, dwords: u32, save_area: u64) -> Result<&mut Self, BuildError> {
        let packet = self.new_packet("INDIRECT")?.address("ib_base", base)?.set("ib_size", dwords.into())?.address("csa_addr", save_area)?;
        let words = packet.build()?;
        while !(self.words.len() + words.len()).is_multiple_of(8) {
            self.words.push(0);
        }
        self.words.extend(words);
        Ok(self)
    }

    /// Pads to a multiple of dwords.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn pad(&mut self, dwords: usize) -> Result<&mut Self, BuildError> {
        let left = self.words.len().next_multiple_of(dwords.max(1)) - self.words.len();
        self.words.extend(core::iter::repeat_n(0, left));
        Ok(self)
    }

    /// Makes earlier copies end before later ones begin.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn finish_copies(&mut self) -> Result<&mut Self, BuildError> {
        self.words.push(0);
        Ok(self)
    }
}

/// Splits bytes into parts of at most `most` bytes: the offset and the size of each.
fn parts(bytes: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..bytes.div_ceil(most)).map(move |part| (part * most, most.min(bytes - part * most)))
}
