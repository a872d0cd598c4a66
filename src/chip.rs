//! Chips and generations: which exist, and the facts that draw state and rules depend on.
//!
//! The data comes from `regdb/chips.toml`. Chips and generations whose cargo feature is off do not exist as variants.
//!
//! ```
//! use pm4::chip::{Chip, Erratum, Gfx};
//!
//! let chip: Chip = "Navi10".parse()?; // any case, LLVM names and code names too
//! assert_eq!(chip, "gfx1010".parse()?);
//! # #[cfg(feature = "gfx115")]
//! assert_eq!("strix-halo".parse(), Ok(Chip::Gfx1151));
//! assert_eq!(chip.gfx(), Gfx::Gfx10);
//! assert!(chip.has(Erratum::StalledPops));
//! # Ok::<(), strum::ParseError>(())
//! ```

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A hardware generation. Ordered from the oldest to the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(ascii_case_insensitive)]
pub enum Gfx {
    /// Vega10, Vega12, Vega20, Raven, Raven2, Renoir.
    #[cfg(feature = "gfx9")]
    #[strum(to_string = "gfx9")]
    Gfx9,
    /// GFX10.1: Navi10, Navi12, Navi14, GFX1013 (BC-250).
    #[cfg(feature = "gfx10")]
    #[strum(to_string = "gfx10")]
    Gfx10,
    /// GFX10.3: Navi21 to Navi24, Vangogh, Rembrandt, Raphael and Mendocino.
    #[cfg(feature = "gfx103")]
    #[strum(to_string = "gfx103")]
    Gfx103,
    /// GFX11.0: Navi31, Navi32, Navi33, Phoenix, Phoenix2.
    #[cfg(feature = "gfx11")]
    #[strum(to_string = "gfx11")]
    Gfx11,
    /// GFX11.5: Strix, Strix Halo, Krackan, GFX1153, GFX1154, GFX1156. GFX11.7 (GFX1170, GFX1171) is treated as GFX11.5, unverified.
    #[cfg(feature = "gfx115")]
    #[strum(to_string = "gfx115")]
    Gfx115,
    /// GFX12: Navi44, Navi48.
    #[cfg(feature = "gfx12")]
    #[strum(to_string = "gfx12")]
    Gfx12,
}

#[cfg(not(any(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12")))]
compile_error!("pm4 needs at least one generation: enable a feature of gfx9, gfx10, gfx103, gfx11, gfx115, gfx12");

impl Gfx {
    /// Returns the position among all six generations, 0 for GFX9, regardless of the enabled features.
    pub const fn index(self) -> usize {
        match self {
            #[cfg(feature = "gfx9")]
            Self::Gfx9 => 0,
            #[cfg(feature = "gfx10")]
            Self::Gfx10 => 1,
            #[cfg(feature = "gfx103")]
            Self::Gfx103 => 2,
            #[cfg(feature = "gfx11")]
            Self::Gfx11 => 3,
            #[cfg(feature = "gfx115")]
            Self::Gfx115 => 4,
            #[cfg(feature = "gfx12")]
            Self::Gfx12 => 5,
        }
    }

    /// Returns the generation at a [position](Self::index), for tables that are computed at compile time.
    ///
    /// # Panics
    /// If the generation is compiled out, or if there is no such position.
    pub(crate) const fn of_index(index: usize) -> Self {
        match index {
            #[cfg(feature = "gfx9")]
            0 => Self::Gfx9,
            #[cfg(feature = "gfx10")]
            1 => Self::Gfx10,
            #[cfg(feature = "gfx103")]
            2 => Self::Gfx103,
            #[cfg(feature = "gfx11")]
            3 => Self::Gfx11,
            #[cfg(feature = "gfx115")]
            4 => Self::Gfx115,
            #[cfg(feature = "gfx12")]
            5 => Self::Gfx12,
            _ => panic!("no such generation"),
        }
    }

    /// Returns the bit of this generation in a set of generations.
    pub const fn bit(self) -> u8 {
        1 << self.index()
    }

    /// Returns the major and minor version: (10, 3) for GFX10.3, (10, 1) for GFX10.1.
    pub const fn version(self) -> (u8, u8) {
        [(9, 0), (10, 1), (10, 3), (11, 0), (11, 5), (12, 0)][self.index()]
    }

    /// Returns whether the graphics queue has a constant engine: true up to GFX10.3 (PAL packet headers, availability by engine).
    pub const fn has_constant_engine(self) -> bool {
        self.major() <= 10
    }

    /// Returns the family of the generation.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx10", feature = "gfx103", feature = "gfx115"))] {
    /// use pm4::chip::{Family, Gfx};
    /// assert_eq!(Gfx::Gfx10.family(), Gfx::Gfx103.family());
    /// assert_eq!(Gfx::Gfx115.family(), Family::Gfx11x);
    /// # }
    /// ```
    pub const fn family(self) -> Family {
        match self {
            #[cfg(feature = "gfx9")]
            Self::Gfx9 => Family::Gfx9,
            #[cfg(feature = "gfx10")]
            Self::Gfx10 => Family::Gfx10x,
            #[cfg(feature = "gfx103")]
            Self::Gfx103 => Family::Gfx10x,
            #[cfg(feature = "gfx11")]
            Self::Gfx11 => Family::Gfx11x,
            #[cfg(feature = "gfx115")]
            Self::Gfx115 => Family::Gfx11x,
            #[cfg(feature = "gfx12")]
            Self::Gfx12 => Family::Gfx12,
        }
    }

    /// Returns the major version: 9, 10, 11 or 12.
    pub const fn major(self) -> u8 {
        self.version().0
    }
}

/// A group of generations that share most registers and packets. Ordered from the oldest to the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// GFX9.
    #[cfg(feature = "gfx9")]
    Gfx9,
    /// GFX10.1 and GFX10.3.
    #[cfg(any(feature = "gfx10", feature = "gfx103"))]
    Gfx10x,
    /// GFX11.0 and GFX11.5.
    #[cfg(any(feature = "gfx11", feature = "gfx115"))]
    Gfx11x,
    /// GFX12.
    #[cfg(feature = "gfx12")]
    Gfx12,
}

macro_rules! chips {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// A chip. Parses from its name, its LLVM name or another common name, in any case.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
        #[strum(ascii_case_insensitive)]
        pub enum Chip { $($(#[$meta])* $name,)* }
    };
}

macro_rules! compute_chips {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// A chip without graphics. It has SDMA, AQL and compute queues, and no draw can be made for it. Parses as [`Chip`] does.
        ///
        /// ```
        /// use pm4::chip::{Chip, ComputeChip};
        /// assert_eq!("MI300X".parse(), Ok(ComputeChip::Gfx942));
        /// assert!("gfx942".parse::<Chip>().is_err(), "it draws nothing");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
        #[strum(ascii_case_insensitive)]
        pub enum ComputeChip { $($(#[$meta])* $name,)* }
    };
}

macro_rules! errata {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// A hardware erratum. [`chips`](Self::chips) lists the affected chips.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
        #[strum(serialize_all = "snake_case", ascii_case_insensitive)]
        pub enum Erratum { $($(#[$meta])* $name,)* }
    };
}

include!(concat!(env!("OUT_DIR"), "/chips.rs"));

/// Facts about a chip without graphics.
///
/// ```
/// use pm4::chip::ComputeChip;
/// assert_eq!(ComputeChip::Gfx1250.info().sdma, "7.1");
/// ```
#[derive(Debug)]
pub struct ComputeChipInfo {
    /// The chip itself.
    pub chip: ComputeChip,
    /// Name in lower case, which is also LLVM's name.
    pub name: &'static str,
    /// Other common names; each parses with hyphens, with underscores and as one word.
    pub aliases: &'static [&'static str],
    /// SDMA version, major and minor.
    pub sdma: &'static str,
    /// Version of the AQL packets.
    pub aql: &'static str,
    /// MES version, if the chip has MES.
    pub mes: Option<&'static str>,
}

impl ComputeChip {
    /// Returns all chips without graphics, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        COMPUTE_CHIPS.iter().map(|info| info.chip)
    }

    /// Returns the facts about the chip.
    pub fn info(self) -> &'static ComputeChipInfo {
        &COMPUTE_CHIPS[self as usize]
    }
}

/// Facts about one chip.
///
/// ```
/// use pm4::chip::{Chip, Gfx};
/// let info = Chip::Navi31.info();
/// assert_eq!((info.name, info.llvm, info.gfx, info.apu), ("navi31", "gfx1100", Gfx::Gfx11, false));
/// ```
#[derive(Debug)]
pub struct ChipInfo {
    /// The chip itself.
    pub chip: Chip,
    /// Name in lower case.
    pub name: &'static str,
    /// Name in LLVM, such as `gfx900`. Phoenix and Phoenix2 share one name, which parses as Phoenix.
    pub llvm: &'static str,
    /// Other common names; each parses with hyphens, with underscores and as one word.
    pub aliases: &'static [&'static str],
    /// Generation.
    pub gfx: Gfx,
    /// SDMA version, major and minor, if a source states it.
    pub sdma: Option<&'static str>,
    /// Whether the chip shares memory with the CPU.
    pub apu: bool,
    /// Whether RB+ may be used. If not, DUAL_QUAD_DISABLE must be 1 and SX_* must stay off (Mesa 25.0.7 ac_gpu_info.c rbplus_allowed).
    pub rb_plus: bool,
    /// Whether images may have ETC2 formats (Mesa 25.0.7 ac_gpu_info.c has_etc_support).
    pub etc2: bool,
    /// Whether OUT_OF_ORDER_PRIMITIVE_ENABLE may be set (Mesa 25.0.7 ac_gpu_info.c has_out_of_order_rast).
    pub out_of_order_rasterization: bool,
    /// Number of parameter cache lines (Mesa 25.0.7 ac_gpu_info.c pc_lines); None on GFX12, which does not use them (Mesa 2026).
    pub pc_lines: Option<u32>,
    /// Value of DB_DFSM_CONTROL at reset (PAL gfx9_plus_merged_default.h); None if the register does not exist or no source states the value.
    pub dfsm_reset: Option<u32>,
    /// What no source states about the chip, and what this crate assumes instead: a sentence without the full stop. None for a chip that the sources describe.
    pub unverified: Option<&'static str>,
    errata: u64,
    unverified_errata: u64,
}

impl Chip {
    /// Returns all facts about the chip.
    pub fn info(self) -> &'static ChipInfo {
        &CHIPS[self as usize]
    }

    /// Returns the generation of the chip.
    pub fn gfx(self) -> Gfx {
        self.info().gfx
    }

    /// Returns whether the erratum affects this chip.
    pub fn has(self, erratum: Erratum) -> bool {
        self.info().errata >> erratum as u32 & 1 == 1
    }

    /// Returns whether the chip [has](Self::has) the erratum only because its core does, while the source does not mention this chip. The workaround is
    /// applied; a rule about the erratum reports no error.
    ///
    /// ```
    /// # #[cfg(feature = "gfx10")] {
    /// use pm4::chip::{Chip, Erratum};
    /// assert!(Chip::Gfx1013.has_unverified(Erratum::StalledPops) && Chip::Gfx1013.has(Erratum::StalledPops));
    /// assert!(!Chip::Navi10.has_unverified(Erratum::StalledPops));
    /// # }
    /// ```
    pub fn has_unverified(self, erratum: Erratum) -> bool {
        self.info().unverified_errata >> erratum as u32 & 1 == 1
    }

    /// Returns all chips of the enabled generations, oldest generation first.
    pub fn all() -> impl Iterator<Item = Self> {
        CHIPS.iter().map(|info| info.chip)
    }

    /// Returns how many packers the packer id of the collision wave id can name. The id has one bit on GFX9 and two bits from GFX10 on (POPS article, section
    /// Shader code).
    pub fn packer_ids(self) -> u32 {
        if self.gfx().major() == 9 { 2 } else { 4 }
    }
}

impl Erratum {
    /// Returns a sentence that says what breaks.
    pub fn doc(self) -> &'static str {
        ERRATA[self as usize].0
    }

    /// Returns the source of the claim.
    pub fn source(self) -> &'static str {
        ERRATA[self as usize].1
    }

    /// Returns the affected chips of the enabled generations.
    pub fn chips(self) -> impl Iterator<Item = Chip> {
        Chip::all().filter(move |chip| chip.has(self))
    }
}

/// What a board with a chip reports to a driver, in one typical configuration. The data comes from `regdb/chips.toml`, which names the sources.
///
/// ```
/// use pm4::chip::Chip;
/// let device = Chip::Navi31.device().expect("Navi31 is in the table");
/// assert_eq!((device.shader_engines, device.gc_ip), (6, 0xB_0000));
/// // No source states the version of its firmware.
/// assert!(device.guessed.contains(&"me"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// The chip.
    pub chip: Chip,
    /// Family of the chip: AMDGPU_FAMILY_… of the kernel.
    pub family: u32,
    /// Revision within the family, by which drivers tell chips apart.
    pub external_rev: u32,
    /// PCI device id.
    pub device_id: u32,
    /// PCI revision id.
    pub pci_rev: u32,
    /// Chip revision.
    pub chip_rev: u32,
    /// Version of the graphics core: major << 16 | minor << 8 | revision.
    pub gc_ip: u32,
    /// SDMA version, in the same form.
    pub sdma_ip: u32,
    /// Number of SDMA queues.
    pub sdma_queues: u32,
    /// Number of shader engines.
    pub shader_engines: u32,
    /// Shader arrays per engine.
    pub arrays_per_engine: u32,
    /// Compute units per array.
    pub cus_per_array: u32,
    /// Number of render backends.
    pub render_backends: u32,
    /// GB_ADDR_CONFIG.
    pub gb_addr_config: u32,
    /// Number of L2 cache channels.
    pub l2_channels: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// Local memory in MiB.
    pub vram_mib: u32,
    /// Frequency of the timestamp clock in kHz.
    pub crystal_khz: u32,
    /// Maximum shader clock in MHz.
    pub clock_mhz: u32,
    /// Vector registers per SIMD lane that shaders see.
    pub vgprs: u32,
    /// Infinity cache in MiB.
    pub mall_mib: u32,
    /// PA_SC_TILE_STEERING_OVERRIDE.
    pub tile_steering: u32,
    /// Firmware version of the micro-engine.
    pub me: u32,
    /// Firmware version of the prefetch parser.
    pub pfp: u32,
    /// Firmware version of the micro-engine of compute queues.
    pub mec: u32,
    /// Feature version of the micro-engine.
    pub me_feature: u32,
    /// Names of the numbers above that no source states.
    pub guessed: &'static [&'static str],
}

impl Chip {
    /// Returns what a board with this chip reports to a driver; None if nobody has collected it.
    pub fn device(self) -> Option<&'static DeviceFacts> {
        DEVICES.iter().find(|device| device.chip == self)
    }
}
