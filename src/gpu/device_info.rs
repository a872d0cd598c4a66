//! The device information of the kernel: drm_amdgpu_info_device, the answer to AMDGPU_INFO_DEV_INFO.

use crate::chip::Chip;
use crate::gpu::board::Board;
use crate::gpu::error::GpuError;
use crate::gpu::machine::{Gpu, MemoryLimits};

/// A field: its name and its offset in bytes (Linux 7.1 include/uapi/drm/amdgpu_drm.h).
struct Field(&'static str, usize);

const EXTERNAL_REV: Field = Field("external_rev", 8);
const FAMILY: Field = Field("family", 16);
const SHADER_ENGINES: Field = Field("num_shader_engines", 20);
const ARRAYS: Field = Field("num_shader_arrays_per_engine", 24);
/// Four rows of four words, one per array, with one bit per enabled CU.
const CU_BITMAP: Field = Field("cu_bitmap", 56);
const RENDER_BACKENDS: Field = Field("num_rb_pipes", 124);
const ADDRESS_OFFSET: Field = Field("virtual_address_offset", 144);
const ADDRESS_MAX: Field = Field("virtual_address_max", 152);

/// The words of a structure.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn at(&self, field: &Field, index: usize) -> Result<u32, GpuError> {
        let start = field.1 + 4 * index;
        let word = self.0.get(start..).and_then(<[u8]>::first_chunk).copied().map(u32::from_le_bytes);
        word.ok_or(GpuError::Short { bytes: self.0.len(), field: field.0, needed: start + 4 })
    }

    fn wide(&self, field: &Field) -> Result<u64, GpuError> {
        Ok(u64::from(self.at(field, 0)?) | u64::from(self.at(field, 1)?) << 32)
    }

    fn count(&self, field: &Field) -> Result<u32, GpuError> {
        match self.at(field, 0)? {
            count @ 1..=32 => Ok(count),
            value => Err(GpuError::Board { what: field.0, value }),
        }
    }
}

impl Gpu {
    /// Returns the machine that a kernel describes. `info` holds the bytes that AMDGPU_INFO_DEV_INFO wrote (drm_amdgpu_info_device, little endian). Other
    /// queries report the firmware and the alignment of command buffers: set [`firmware`](Self::firmware) and [`memory`](Self::memory).
    ///
    /// # Errors
    /// [`GpuError`] for fewer than 160 bytes, a chip that this crate does not know, or numbers that no board has.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// use pm4::gpu::{Board, FirmwareVersions, Gpu, GpuError};
    /// let mut info = [0u8; 512];
    /// let mut put = |at: usize, value: u32| info[at..at + 4].copy_from_slice(&value.to_le_bytes());
    /// let fields = [(8, 0x01), (16, 145), (20, 6), (24, 2), (124, 24)]; // external_rev, family, engines, arrays, num_rb_pipes
    /// fields.into_iter().for_each(|(at, value)| put(at, value));
    /// (0..16).for_each(|array| put(56 + 4 * array, 0xFF)); // cu_bitmap
    /// let gpu = Gpu { firmware: FirmwareVersions::of_queries((2200, 35), (2150, 35), (2200, 35)), ..Gpu::from_device_info(&info)? };
    /// assert_eq!((gpu.chip, gpu.render_backends), (Chip::Navi31, Some(24)));
    /// assert_eq!(gpu.board, Some(Board { shader_engines: 6, arrays_per_engine: 2, cus_per_array: 8 }));
    /// assert!(matches!(Gpu::from_device_info(&info[..60]), Err(GpuError::Short { field: "cu_bitmap", .. })));
    /// # }
    /// # Ok::<(), pm4::gpu::GpuError>(())
    /// ```
    pub fn from_device_info(info: &[u8]) -> Result<Self, GpuError> {
        let words = Words(info);
        let (family, external_rev) = (words.at(&FAMILY, 0)?, words.at(&EXTERNAL_REV, 0)?);
        let chip = Chip::of_kernel(family, external_rev).ok_or(GpuError::Chip { family, external_rev })?;
        Self::of_chip_and_device_info(chip, info)
    }

    /// Returns the machine for a chip that is known from elsewhere ([`Chip::of_core`]): in the device information, several chips share their numbers.
    ///
    /// # Errors
    /// [`GpuError`] for fewer than 160 bytes, or numbers that no board has.
    ///
    /// ```
    /// # #[cfg(feature = "gfx115")] {
    /// use pm4::chip::Chip;
    /// use pm4::gpu::Gpu;
    /// let mut info = [0u8; 512];
    /// let mut put = |at: usize, value: u32| info[at..at + 4].copy_from_slice(&value.to_le_bytes());
    /// let fields = [(8, 0x11), (16, 150), (20, 1), (24, 2), (124, 4)]; // external_rev, family, engines, arrays, num_rb_pipes
    /// fields.into_iter().for_each(|(at, value)| put(at, value));
    /// (0..16).for_each(|array| put(56 + 4 * array, 0xFF)); // cu_bitmap
    /// assert!(Gpu::from_device_info(&info).is_err()); // gfx1150 or gfx1154
    /// let chip = Chip::of_core(11, 5, 0).expect("a chip");
    /// assert_eq!(Gpu::of_chip_and_device_info(chip, &info)?.chip, Chip::Gfx1150);
    /// # }
    /// # Ok::<(), pm4::gpu::GpuError>(())
    /// ```
    pub fn of_chip_and_device_info(chip: Chip, info: &[u8]) -> Result<Self, GpuError> {
        let words = Words(info);
        let (shader_engines, arrays_per_engine) = (words.count(&SHADER_ENGINES)?, words.count(&ARRAYS)?);
        let mut fewest: Option<u32> = None;
        for (engine, array) in (0..shader_engines).flat_map(|engine| (0..arrays_per_engine).map(move |array| (engine, array))) {
            // From GFX11 on, the engines after the fourth are in the later columns (Linux 7.1 gfx_v11_0.c).
            let (row, column) = (engine % 4, engine / 4 * 2 + array);
            if column < 4 {
                // An engine without CUs counts as an engine but is ignored in the minimum.
                let cus = words.at(&CU_BITMAP, (4 * row + column) as usize)?.count_ones();
                fewest = [fewest, Some(cus).filter(|cus| *cus != 0)].into_iter().flatten().min();
            }
        }
        let cus_per_array = fewest.ok_or(GpuError::Board { what: CU_BITMAP.0, value: 0 })?;
        let render_backends = Some(words.count(&RENDER_BACKENDS)?);
        let (start, end) = (words.wide(&ADDRESS_OFFSET)?, words.wide(&ADDRESS_MAX)?);
        let memory = MemoryLimits { addresses: Some((start, end)).filter(|(start, end)| start < end), ..MemoryLimits::default() };
        Ok(Self { board: Some(Board { shader_engines, arrays_per_engine, cus_per_array }), render_backends, memory, ..Self::new(chip) })
    }
}
