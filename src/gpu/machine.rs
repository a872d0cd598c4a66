//! One value for the machine.

use crate::chip::{Chip, DeviceFacts};
use crate::gpu::board::Board;
use crate::gpu::firmware::FirmwareVersions;
use crate::packet::WriterOptions;

/// A machine: a chip, and what of it the caller knows. All that is made for a machine takes one, or a chip alone, of which what is recorded counts.
///
/// It is made from a chip ([`new`](Self::new)), from what a board with the chip typically answers ([`of_device`](Self::of_device)), from what a kernel answers
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
    /// The board: 1 to 32 of each. None: [`Board::recorded`], where there is one for the chip.
    pub board: Option<Board>,
    /// Render backends that the chip has at most, 1 to 32, as the kernel reports them (num_rb_pipes of the device information), whether or not the board has
    /// all. None: those of the recorded board, where there is one. Preambles of GFX10 and later choose cache policies by it; on GFX11 and later they also
    /// choose the counters of occlusion queries, which do not count where the number is not known.
    pub render_backends: Option<u32>,
    /// Firmware of the command processor, where it is known. Writers take firmware to have everything where it is not.
    pub firmware: FirmwareVersions,
    /// GB_ADDR_CONFIG as the kernel reports it (register 0x98F8), which layouts depend on. None: that of the chip as drivers record it.
    pub address_config: Option<u32>,
    /// Limits of its memory.
    pub memory: MemoryLimits,
}

/// Limits of memory.
///
/// For an example see [`Gpu`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryLimits {
    /// Dwords that the length of a command buffer is a multiple of (ib_size_alignment of drm_amdgpu_info_hw_ip, in dwords): a power of two, at most 64. By
    /// default 8.
    pub buffer_align: u32,
    /// First address that the kernel gives to programs and the end of them (virtual_address_offset and virtual_address_max), where they are known.
    pub addresses: Option<(u64, u64)>,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        // Mesa 25.0.7 ac_gpu_info.c ib_size_alignment; captures.
        Self { buffer_align: 8, addresses: None }
    }
}

impl MemoryLimits {
    /// What buffers are padded to.
    pub(crate) fn pad_dwords(&self) -> usize {
        self.buffer_align.clamp(1, 64).next_power_of_two() as usize
    }
}

impl Gpu {
    /// Creates a machine of which nothing is known but the chip.
    pub fn new(chip: Chip) -> Self {
        Self { chip, board: None, render_backends: None, firmware: FirmwareVersions::default(), address_config: None, memory: MemoryLimits::default() }
    }

    /// Returns a typical board with a chip, as [`Chip::device`](crate::chip::Chip::device) has it, with its guesses ([`DeviceFacts::guessed`]); guessed
    /// firmware counts as not known.
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

    /// Returns the board that counts: the caller's, or the recorded one.
    pub fn board(&self) -> Option<Board> {
        self.board.or_else(|| Board::recorded(self.chip))
    }

    /// Chip and board as one number, to compare at once.
    pub(crate) fn key(chip: Chip, board: Option<Board>) -> u32 {
        let units = |board: Board| 1 << 18 | (board.shader_engines & 63) << 12 | (board.arrays_per_engine & 63) << 6 | board.cus_per_array & 63;
        chip as u32 | board.map_or(0, units) << 8
    }

    /// Returns the render backends that count.
    pub fn render_backends(&self) -> Option<u32> {
        self.render_backends.or_else(|| Board::recorded_backends(self.chip))
    }
}

impl From<Chip> for Gpu {
    /// What is recorded of the chip; see [`new`](Gpu::new).
    fn from(chip: Chip) -> Self {
        Self::new(chip)
    }
}

impl From<&Gpu> for WriterOptions {
    /// Packets for the firmware of the machine; all else is as in `Default`.
    fn from(gpu: &Gpu) -> Self {
        Self { firmware: gpu.firmware.into(), ..Self::default() }
    }
}

impl From<&Gpu> for Gpu {
    fn from(gpu: &Gpu) -> Self {
        *gpu
    }
}
