//! The chip table: chips, and the errata that affect them.

#[derive(Default)]
pub struct Chips {
    pub chips: Vec<Chip>,
    pub errata: Vec<Erratum>,
    pub devices: Vec<Device>,
    pub compute: Vec<ComputeChip>,
}

/// A chip without graphics.
pub struct ComputeChip {
    pub name: String,
    pub aliases: Vec<String>,
    pub spellings: Vec<String>,
    pub doc: String,
    /// Versions of its packets: SDMA, AQL, MES.
    pub sdma: String,
    pub aql: String,
    pub mes: Option<String>,
}

pub struct Chip {
    pub name: String,
    pub gfx: usize,
    pub llvm: String,
    /// Whether LLVM uses this name for another chip too.
    pub llvm_is_shared: bool,
    /// Other names as written in the file, and all spellings of each.
    pub aliases: Vec<String>,
    pub spellings: Vec<String>,
    pub apu: bool,
    pub rb_plus: bool,
    pub etc2: bool,
    pub out_of_order: bool,
    pub pc_lines: Option<u32>,
    pub dfsm_reset: Option<u32>,
    pub unverified: Option<String>,
    /// The SDMA version, if a source states it.
    pub sdma: Option<String>,
}

pub struct Erratum {
    pub name: String,
    /// Indices into the chips.
    pub chips: Vec<usize>,
    /// Those of the chips that the source does not mention.
    pub unverified: Vec<usize>,
    pub doc: String,
    pub source: String,
}

/// The answers of a board with a chip to a driver.
pub struct Device {
    /// Index into the chips.
    pub chip: usize,
    /// The numbers, in the order of [`DEVICE_NUMBERS`].
    pub numbers: Vec<u32>,
    /// The numbers that no source states.
    pub guessed: Vec<String>,
}

/// The numbers that every device has.
pub const DEVICE_NUMBERS: [&str; 25] = [
    "family",
    "external_rev",
    "device_id",
    "pci_rev",
    "chip_rev",
    "gc_ip",
    "sdma_ip",
    "sdma_queues",
    "shader_engines",
    "arrays_per_engine",
    "cus_per_array",
    "render_backends",
    "gb_addr_config",
    "l2_channels",
    "bus_bits",
    "vram_mib",
    "crystal_khz",
    "clock_mhz",
    "vgprs",
    "mall_mib",
    "tile_steering",
    "me",
    "pfp",
    "mec",
    "me_feature",
];
