//! The chip table: chips, and the errata that hit them.

#[derive(Default)]
pub struct Chips {
    pub chips: Vec<Chip>,
    pub errata: Vec<Erratum>,
}

pub struct Chip {
    pub name: String,
    pub gfx: usize,
    pub llvm: String,
    /// LLVM uses this name for another chip.
    pub llvm_is_shared: bool,
    /// Other names, as they are written, and every spelling of each.
    pub aliases: Vec<String>,
    pub spellings: Vec<String>,
    pub apu: bool,
    pub rb_plus: bool,
    pub etc2: bool,
    pub out_of_order: bool,
    pub pc_lines: Option<u32>,
    pub dfsm_reset: Option<u32>,
    pub unverified: Option<String>,
}

pub struct Erratum {
    pub name: String,
    /// Indices into the chips.
    pub chips: Vec<usize>,
    /// Those among them of which the source does not speak.
    pub unverified: Vec<usize>,
    pub doc: String,
    pub source: String,
}
