//! The machine as one value.

use crate::chip::{Chip, DeviceFacts};
use crate::gpu::board::Board;
use crate::gpu::firmware::FirmwareVersions;
use crate::packet::WriterOptions;

/// A machine: a chip and what the caller knows about the board. Everything that is created for a machine takes a `Gpu`, or a chip alone, whose recorded facts
/// then apply.
///
/// It is created from a chip ([`new`](Self::new)), from the typical answers of a board ([`of_device`](Self::of_device)), from a kernel's answers
/// ([`from_device_info`](Self::from_device_info)), or field by field.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::gpu::Gpu;
/// let gpu = Gpu::from(Chip::Navi31);
/// assert_eq!(gpu.board(), pm4::gpu::Board::recorded(Chip::Navi31)); // a recorded board
/// assert_eq!(gpu.firmware.pfp, None); // nobody has said
/// let options = pm4::packet::WriterOptions::from(&gpu); // for a writer of its own
/// assert_eq!(options.firmware, pm4::packet::Firmware::default()); // what is not known counts as new enough
/// let typical = Gpu::of_device(Chip::Navi33.device().expect("a device"));
/// assert_eq!(typical.render_backends(), Some(8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gpu {
    /// The chip.
    pub chip: Chip,
    /// The board, with 1 to 32 of each unit. None: [`Board::recorded`], if a board is recorded for the chip.
    pub board: Option<Board>,
    /// Maximum number of render backends of the chip, 1 to 32, as the kernel reports it (num_rb_pipes of the device information), even if the board has fewer.
    /// None: the number of the recorded board, if there is one. Preambles of GFX10 and later choose cache policies by this number. On GFX11 and later it also
    /// selects the counters of occlusion queries, which do not count if the number is unknown.
    pub render_backends: Option<u32>,
    /// Known firmware versions of the command processor. Writers assume that unknown firmware has every feature.
    pub firmware: FirmwareVersions,
    /// GB_ADDR_CONFIG as the kernel reports it (register 0x98F8), which determines layouts. None: the value that drivers record for the chip.
    pub address_config: Option<u32>,
    /// Limits of the machine's memory.
    pub memory: MemoryLimits,
}

/// Limits of a machine's memory.
///
/// For an example see [`Gpu`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryLimits {
    /// Alignment of the length of a command buffer in dwords (ib_size_alignment of drm_amdgpu_info_hw_ip, in dwords): a power of two, at most 64. Default: 8.
    pub buffer_align: u32,
    /// First address that the kernel gives to programs, and the end of the range (virtual_address_offset and virtual_address_max), if known.
    pub addresses: Option<(u64, u64)>,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        // Mesa 25.0.7 ac_gpu_info.c ib_size_alignment; captures.
        Self { buffer_align: 8, addresses: None }
    }
}

impl MemoryLimits {
    /// Returns the number of dwords to a multiple of which buffers are padded.
    pub(crate) fn pad_dwords(&self) -> usize {
        self.buffer_align.clamp(1, 64).next_power_of_two() as usize
    }
}

impl Gpu {
    /// Creates a machine of which only the chip is known.
    pub fn new(chip: Chip) -> Self {
        Self { chip, board: None, render_backends: None, firmware: FirmwareVersions::default(), address_config: None, memory: MemoryLimits::default() }
    }

    /// Returns a machine with a typical board, from [`Chip::device`](crate::chip::Chip::device). Guessed numbers ([`DeviceFacts::guessed`]) are taken over,
    /// except firmware versions, which stay unknown.
    pub fn of_device(device: &DeviceFacts) -> Self {
        let DeviceFacts { shader_engines, arrays_per_engine, cus_per_array, .. } = *device;
        let known = |name: &str, version: u32| Some(version).filter(|_| !device.guessed.contains(&name));
        Self {
            board: Some(Board { shader_engines, arrays_per_engine, cus_per_array }),
            render_backends: Some(device.render_backends),
            address_config: Some(device.gb_addr_config),
            firmware: FirmwareVersions {
                pfp: known("pfp", device.pfp),
                me: known("me", device.me),
                mec: known("mec", device.mec),
                me_feature: known("me_feature", device.me_feature),
            },
            ..Self::new(device.chip)
        }
    }

    /// Returns the board in effect: the caller's, or the recorded one.
    pub fn board(&self) -> Option<Board> {
        self.board.or_else(|| Board::recorded(self.chip))
    }

    /// Returns chip and board as one number, for a single comparison.
    pub(crate) fn key(chip: Chip, board: Option<Board>) -> u32 {
        let units = |board: Board| 1 << 18 | (board.shader_engines & 63) << 12 | (board.arrays_per_engine & 63) << 6 | board.cus_per_array & 63;
        chip as u32 | board.map_or(0, units) << 8
    }

    /// Returns the number of render backends in effect: the caller's, or the recorded one.
    pub fn render_backends(&self) -> Option<u32> {
        self.render_backends.or_else(|| Board::recorded_backends(self.chip))
    }
}

impl From<Chip> for Gpu {
    /// Uses the recorded facts about the chip; see [`new`](Gpu::new).
    fn from(chip: Chip) -> Self {
        Self::new(chip)
    }
}

impl From<&Gpu> for WriterOptions {
    /// Selects packets for the firmware of the machine; everything else is as in `Default`.
    fn from(gpu: &Gpu) -> Self {
        Self { firmware: gpu.firmware.into(), ..Self::default() }
    }
}

impl From<&Gpu> for Gpu {
    fn from(gpu: &Gpu) -> Self {
        *gpu
    }
}
