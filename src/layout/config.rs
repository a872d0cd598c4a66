//! How a chip spreads addresses over memory: GB_ADDR_CONFIG and other properties of the chip that decide layouts.

use crate::chip::Chip;
use crate::gpu::Gpu;
use crate::layout::LayoutError;

/// The address configuration of a chip (GB_ADDR_CONFIG), decoded. All counts are logarithms to base 2.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::AddressConfig;
///
/// let config = AddressConfig::of(Chip::Navi31);
/// assert_eq!((config.pipes(), config.packers()), (5, 5));
/// assert_eq!(AddressConfig::from_register(Chip::Navi31, 0x545), Ok(config));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressConfig {
    chip: Chip,
    pub(in crate::layout) generation: Generation,
    /// GFX9: pipes per shader engine. Later: pipes of the chip.
    pub(in crate::layout) pipes: u8,
    pub(in crate::layout) engines: u8,
    pub(in crate::layout) backends: u8,
    pub(in crate::layout) banks: u8,
    pub(in crate::layout) packers: u8,
    pub(in crate::layout) max_fragments: u8,
    pub(in crate::layout) traits: Traits,
}

/// Generations as far as layouts distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::layout) enum Generation {
    Gfx9,
    Gfx10,
    Gfx103,
    /// GFX11 and GFX11.5.
    Gfx11,
    Gfx12,
}

/// The display engine of a chip, which limits the modes that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::layout) enum Display {
    Dce12,
    Dcn1,
    Dcn20,
    Dcn3,
    Dcn32 { large_blocks: bool },
    Dcn4,
}

/// How the display engine reads compressed colour (Mesa 25.0.7 ac_gpu_info.c: use_display_dcc_unaligned, use_display_dcc_with_retile_blit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::layout) enum DisplayDcc {
    No,
    /// The DCC of the surface itself, aligned neither to pipes nor to render backends.
    Unaligned,
    /// A second DCC for display, which a shader writes from the first.
    Retiled,
}

/// Properties of a chip that the register does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::layout) struct Traits {
    /// Whether the chip has dedicated memory, so that blocks of 256 KiB may be chosen.
    pub own_memory: bool,
    pub display: Display,
    pub display_dcc: DisplayDcc,
    /// GFX9 without the alias fix (Vega10, Raven, Raven2): metadata has a smaller alignment (Mesa 25.0.7 gfx9addrlib.cpp, htileAlignFix).
    pub plain_htile: bool,
    /// GFX9: texture-readable multisampled depth has no XOR modes (gfx9addrlib.cpp, depthPipeXorDisable).
    pub no_depth_xor: bool,
    /// Whether small elements in Z modes use the tail of 4-byte elements, so that planes agree (surface layouts of Navi12, Navi14, GFX10.3 and GFX11).
    pub common_tail: bool,
    /// Whether DCC may use compressed blocks of up to 256 bytes (GFX11.5).
    pub large_dcc: bool,
    /// Whether only displays above 2560 pixels need blocks of 64 bytes; older display engines always need them.
    pub display_64: bool,
}

/// GB_ADDR_CONFIG of each chip. Recorded values: Mesa 25.0.7 amdgpu_devices.c (Vega10, Raven, Raven2, Renoir, Navi10, Navi21, Vangogh, Raphael, Navi31,
/// GFX1150) and ac_fake_hw_db.h (Vega20); Linux gfx_v10_0.c (GFX1013, called pending there). The values of GFX1154, GFX1156, GFX1170 and GFX1171 are those of
/// GFX1150; the values of the other chips follow from their pipes and packers. Both are unverified. For an exact value, pass the register that the kernel
/// reports to [`AddressConfig::from_register`].
#[rustfmt::skip] // a table
const REGISTERS: [(&str, u32); 31] = [
    ("vega10",  0x2a11_4042), ("vega12",  0x2410_4041), ("vega20",  0x2a11_4042), ("raven",     0x2400_0042), ("raven2",            0x2601_3041), ("renoir", 0x2601_0042),
    ("navi10",  0x0010_0044), ("navi12",  0x0010_0044), ("navi14",  0x0000_0143), ("gfx1013",   0x0010_0044),
    ("navi21",  0x0000_0444), ("navi22",  0x0000_0344), ("navi23",  0x0000_0343), ("navi24",    0x0000_0242), ("vangogh",           0x0000_0142), ("rembrandt", 0x0000_0242), ("raphael_mendocino", 0x0000_0042),
    ("navi31",  0x0000_0545), ("navi32",  0x0000_0444), ("navi33",  0x0000_0343), ("phoenix",   0x0000_0242), ("phoenix2",          0x0000_0142),
    ("gfx1150", 0x0000_0242), ("gfx1151", 0x0000_0343), ("gfx1152", 0x0000_0142), ("gfx1153",   0x0000_0041),
    ("gfx1154", 0x0000_0242), ("gfx1156", 0x0000_0242), ("gfx1170",   0x0000_0242), ("gfx1171",   0x0000_0242), ("gfx1200",           0x0000_0343),
];

impl AddressConfig {
    /// Returns the address configuration of a chip, as recorded by its drivers. Boards may differ: [`from_register`](Self::from_register) takes the register
    /// that the kernel reports.
    pub fn of(chip: Chip) -> Self {
        let name = chip.info().name;
        // The default is the value of GFX1201, which is not in the table.
        let value = REGISTERS.iter().find(|row| row.0 == name).map_or(0x444, |row| row.1);
        Self::decode(chip, value)
    }

    /// Returns the address configuration of a machine: from its register if it states one, else that of the chip.
    ///
    /// # Errors
    /// The errors of [`from_register`](Self::from_register).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::gpu::Gpu;
    /// use pm4::layout::AddressConfig;
    /// let gpu = Gpu { address_config: Some(0x545), ..Gpu::from(Chip::Navi31) };
    /// assert_eq!(AddressConfig::of_gpu(&gpu), Ok(AddressConfig::of(Chip::Navi31)));
    /// ```
    pub fn of_gpu(gpu: &Gpu) -> Result<Self, LayoutError> {
        gpu.address_config.map_or(Ok(Self::of(gpu.chip)), |value| Self::from_register(gpu.chip, value))
    }

    /// Returns the address configuration of a board from GB_ADDR_CONFIG as the kernel reports it (register 0x98F8).
    ///
    /// # Errors
    /// [`LayoutError::Config`] if the pipe interleave is not 256 bytes, or if pipes and packers contradict each other.
    pub fn from_register(chip: Chip, value: u32) -> Result<Self, LayoutError> {
        let config = Self::decode(chip, value);
        let interleave = value >> 3 & 7;
        if interleave != 0 {
            return Err(LayoutError::Config { what: "PIPE_INTERLEAVE_SIZE", value: interleave, limit: "0 (256 bytes)" });
        }
        let limit = match config.generation {
            Generation::Gfx9 => 5 - config.engines.min(5),
            Generation::Gfx10 | Generation::Gfx12 => 6,
            Generation::Gfx103 | Generation::Gfx11 => config.packers + 2,
        };
        if config.pipes > limit.min(6) {
            return Err(LayoutError::Config { what: "NUM_PIPES", value: config.pipes.into(), limit: "the packers and 2 more, 32 pipes on GFX9, 64 later" });
        }
        if config.has_packers() && config.packers > config.pipes {
            return Err(LayoutError::Config { what: "NUM_PKRS", value: config.packers.into(), limit: "the pipes" });
        }
        if config.generation == Generation::Gfx9 && config.banks > 4 {
            return Err(LayoutError::Config { what: "NUM_BANKS", value: config.banks.into(), limit: "4 (16 banks)" });
        }
        Ok(config)
    }

    fn decode(chip: Chip, value: u32) -> Self {
        let generation = match chip.gfx().index() {
            0 => Generation::Gfx9,
            1 => Generation::Gfx10,
            2 => Generation::Gfx103,
            3 | 4 => Generation::Gfx11,
            _ => Generation::Gfx12,
        };
        let bits = |first: u32, mask: u32| (value >> first & mask) as u8;
        let of = |generations: bool, bits: u8| if generations { bits } else { 0 };
        let gfx9 = generation == Generation::Gfx9;
        Self {
            chip,
            generation,
            pipes: bits(0, 7),
            engines: of(gfx9, bits(19, 3)),
            backends: of(gfx9, bits(26, 3)),
            banks: of(gfx9, bits(12, 7)),
            packers: of(matches!(generation, Generation::Gfx103 | Generation::Gfx11), bits(8, 7)),
            max_fragments: bits(6, 3),
            traits: Traits::of(chip, generation),
        }
    }

    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the log2 of the number of pipes; on GFX9, of the pipes per shader engine.
    pub fn pipes(&self) -> u32 {
        self.pipes.into()
    }

    /// Returns the log2 of the number of packers on GFX10.3 and GFX11; 0 otherwise.
    pub fn packers(&self) -> u32 {
        self.packers.into()
    }

    /// Returns whether packers influence layouts ("RB+"): GFX10.3 and GFX11.
    pub(in crate::layout) fn has_packers(&self) -> bool {
        matches!(self.generation, Generation::Gfx103 | Generation::Gfx11)
    }

    /// Returns the log2 of the number of pipes in addresses; on GFX9, of the pipes of all engines.
    pub(in crate::layout) fn all_pipes(&self) -> u32 {
        u32::from(self.pipes + self.engines)
    }

    /// Returns the log2 of the number of shader arrays, where packers influence layouts.
    pub(in crate::layout) fn arrays(&self) -> u32 {
        u32::from(self.packers.saturating_sub(1))
    }

    /// Returns the log2 of the number of pipes over which the slices of an array are spread.
    pub(in crate::layout) fn effective_pipes(&self) -> u32 {
        let pipes = u32::from(self.pipes);
        if self.has_packers() { pipes.min(self.arrays() + 1) } else { pipes }
    }
}

impl From<Chip> for AddressConfig {
    fn from(chip: Chip) -> Self {
        Self::of(chip)
    }
}

impl Traits {
    fn of(chip: Chip, generation: Generation) -> Self {
        let info = chip.info();
        let is = |names: &[&str]| names.contains(&info.name);
        let (display, display_dcc) = match generation {
            Generation::Gfx9 if !info.apu => (Display::Dce12, DisplayDcc::No),
            // One render backend.
            Generation::Gfx9 if is(&["raven2"]) => (Display::Dcn1, DisplayDcc::Unaligned),
            Generation::Gfx9 => (Display::Dcn1, DisplayDcc::Retiled),
            Generation::Gfx10 => (Display::Dcn20, DisplayDcc::No),
            Generation::Gfx103 => (Display::Dcn3, DisplayDcc::Retiled),
            Generation::Gfx11 => (Display::Dcn32 { large_blocks: !info.apu }, DisplayDcc::Retiled),
            Generation::Gfx12 => (Display::Dcn4, DisplayDcc::No),
        };
        Self {
            own_memory: !info.apu,
            display,
            display_dcc,
            plain_htile: is(&["vega10", "raven", "raven2"]),
            no_depth_xor: is(&["vega10", "vega12", "vega20", "raven"]),
            common_tail: match generation {
                Generation::Gfx9 | Generation::Gfx12 => false,
                Generation::Gfx10 => !is(&["navi10"]),
                Generation::Gfx103 | Generation::Gfx11 => true,
            },
            large_dcc: chip.gfx().version() == (11, 5),
            display_64: generation == Generation::Gfx103 && !is(&["raphael_mendocino"]),
        }
    }
}
