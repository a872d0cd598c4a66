//! What a kernel or a driver recorded of a hang.

use alloc::string::String;
use alloc::vec::Vec;

/// What a kernel recorded when a job timed out.
///
/// For an example see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HangFacts {
    /// Kind of the ring that timed out: 0 graphics, 1 compute, 2 SDMA (Linux 7.1 amdgpu_ring.h amdgpu_ring_type).
    pub ip_type: Option<u32>,
    /// The line that says so, from 1; 0 where none does.
    pub line: usize,
    /// Its name, `gfx_0.0.0`.
    pub ring: Option<String>,
    /// The page fault that the input states, where there was one. In a device coredump it is the last one since boot.
    pub fault: Option<PageFault>,
    /// Registers, in blocks.
    pub blocks: Vec<RegisterBlock>,
    /// Marks of a driver in the stream: NOPs with 0xCAFE in the upper half of their word, and the number of the mark in the lower.
    pub marks: Marks,
    /// Addresses in packets that a driver found wrong.
    pub addresses: Vec<WrongAddress>,
    /// What a driver recorded of the memory at the page of the fault.
    pub memory: Option<PageMemory>,
    /// Where waves of shaders were, as a tool read their program counters after the hang; the places with the most waves first.
    pub waves: Vec<WavesAt>,
}

/// Waves at one instruction.
///
/// ```
/// use pm4::input::{Source, WavesAt};
///
/// let report = "------------------ main IB begin - GFX ------------------\nc0004600 EVENT_WRITE:\n0000000f \n\
///               ------------------- main IB end - GFX -------------------\nUMR GFX waves:\n\nse0.sa0.wgp3.simd1.wave0\n\n\
///               Main Registers:\nixSQ_WAVE_PC_LO: 44aa5604 | ixSQ_WAVE_PC_HI: 00008000 | \n";
/// let input = Source::open(report.as_bytes(), None)?.load()?;
/// assert_eq!(input.hang.unwrap().waves, [WavesAt { address: 0x8000_44aa_5604, count: 1 }]);
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WavesAt {
    /// The address of the instruction.
    pub address: u64,
    /// How many waves were there.
    pub count: usize,
}

/// What a driver recorded of the memory at the page of a fault: RADV (Mesa 26.0 radv_winsys_bo.h, radv_debug.c) or radeonsi. Addresses have 48 bits.
///
/// ```
/// use pm4::input::{Allocation, BoundObject, PageMemory, Source};
///
/// let report = "------------------ main IB begin - GFX ------------------\nc0004600 EVENT_WRITE:\n0000000f \n\
///               ------------------- main IB end - GFX -------------------\nFailing VM page: 0x800100013000\n\
///               timestamp=10, VA=0000800100013000-0000800100027000, destroyed=0, is_virtual=0\n\
///               timestamp=20, VA=0000800100013000-0000800100027000, binding_type=bind, object_type=VK_OBJECT_TYPE_IMAGE, object_handle=0x60\n\
///               timestamp=30, VA=0000800100013000-0000800100027000, destroyed=1, is_virtual=0\n";
/// let input = Source::open(report.as_bytes(), None)?.load()?;
///
/// // The image's memory was freed when the GPU used it.
/// let memory: &PageMemory = input.hang.as_ref().and_then(|hang| hang.memory.as_ref()).unwrap();
/// let owner: &Allocation = memory.owner.as_ref().unwrap();
/// assert_eq!((owner.start, owner.end, owner.freed), (0x8001_0001_3000, 0x8001_0002_7000, Some(30)));
/// let object: &BoundObject = &memory.objects[0];
/// assert_eq!((object.kind.as_str(), object.is_bound), ("VK_OBJECT_TYPE_IMAGE", true));
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageMemory {
    /// Entries of the history of allocations.
    pub history: usize,
    /// The time of its last entry, in nanoseconds.
    pub last_entry: Option<u64>,
    /// The last allocation of the history that had the page.
    pub owner: Option<Allocation>,
    /// The memory that the page has, where its allocation is sparse.
    pub mapped_to: Option<u64>,
    /// When that memory was freed, in nanoseconds, if it was freed after the page was mapped to it.
    pub mapped_freed: Option<u64>,
    /// The closest allocation of the history before the page that was not freed.
    pub below: Option<Allocation>,
    /// The closest one after it.
    pub above: Option<Allocation>,
    /// Entries of the list of all allocations, which lacks sparse ones.
    pub ranges: usize,
    /// The allocation of that list that has the page.
    pub range: Option<Allocation>,
    /// Entries of the lists of buffers that jobs of radeonsi use (Mesa 25.0 si_debug.c si_dump_bo_list).
    pub used: usize,
    /// The buffer of these lists that has the page.
    pub used_buffer: Option<Allocation>,
    /// Entries about bound objects.
    pub bindings: usize,
    /// Vulkan objects that have or had addresses in the page: first those that are bound, then the latest.
    pub objects: Vec<BoundObject>,
}

/// An allocation of a driver.
///
/// For an example see [`PageMemory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// The first address.
    pub start: u64,
    /// The address after the last one.
    pub end: u64,
    /// It has addresses, and memory only where the driver maps other allocations.
    pub is_sparse: bool,
    /// When it was freed, in nanoseconds.
    pub freed: Option<u64>,
    /// What the driver says that it is used for, `COLOR_BUFFER`; empty where it does not say it.
    pub usage: String,
}

/// A Vulkan object with addresses.
///
/// For an example see [`PageMemory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundObject {
    /// The first address.
    pub start: u64,
    /// The address after the last one.
    pub end: u64,
    /// Its type, `VK_OBJECT_TYPE_IMAGE`.
    pub kind: String,
    /// Its handle, `0x60310308a0b0`.
    pub handle: String,
    /// Whether it is bound at the end of the record.
    pub is_bound: bool,
}

/// An address in a packet that a driver found wrong when it printed the packet: its list of allocations does not hold it (Mesa 25.0.7 ac_parse_ib.c
/// print_addr).
///
/// For an example see [the module](crate::input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAddress {
    /// The buffer, as [`Input::buffers`](crate::input::Input::buffers) counts.
    pub buffer: usize,
    /// The last dword of the address.
    pub dword: usize,
    /// What the driver calls it, `DST_ADDR`.
    pub field: String,
    /// The address.
    pub address: u64,
    /// What the driver says: `used after free`, `invalid` or `out of bounds`.
    pub verdict: String,
}

/// How far marks were reached, as a driver read them back after the hang (Mesa 25.0.7 ac_parse_ib.c).
///
/// ```
/// use pm4::input::Marks;
/// use pm4::packet::{Header, Opcode};
/// // The micro-engine reached mark 4 and not mark 5: it stopped between these two packets.
/// let marks = Marks { reached: Some(4), not_reached: Some(5) };
/// let packets = [marks.reached, marks.not_reached].map(|mark| [Header::type3(Opcode::NOP, 1).0, Marks::word(mark.unwrap())]);
/// assert_eq!(packets, [[0xC000_1000, 0xCAFE_0004], [0xC000_1000, 0xCAFE_0005]]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// The last one that the micro-engine reached.
    pub reached: Option<u16>,
    /// The first one that it did not reach.
    pub not_reached: Option<u16>,
}

impl Marks {
    /// Returns the word after the header of the NOP of a mark.
    pub const fn word(mark: u16) -> u32 {
        0xCAFE_0000 | mark as u32
    }
}

impl HangFacts {
    /// Returns the first value of a register among some blocks, by its name without `mm` or `reg`. Blocks are named by what their title line says. Of a block
    /// that is gone there is none.
    pub fn register(&self, blocks: &[&str], name: &str) -> Option<u32> {
        self.values(blocks, name).first().copied()
    }

    /// Returns all values of a register, in the order in which they were read, of the first of some blocks that has it.
    pub fn values(&self, blocks: &[&str], name: &str) -> Vec<u32> {
        let of = |wanted: &str| -> Vec<u32> {
            let blocks = self.blocks.iter().filter(|block| block.name == wanted);
            let read = blocks.filter(|block| !block.is_all_ones());
            read.flat_map(|block| &block.values).filter(|(known, _)| known == name).map(|(_, value)| *value).collect()
        };
        blocks.iter().map(|block| of(block)).find(|values| !values.is_empty()).unwrap_or_default()
    }

    /// Returns whether the registers say nothing: none is there, or each block is off or gone.
    pub fn is_blank(&self) -> bool {
        self.blocks.iter().all(|block| block.values.is_empty() || block.is_all_zero() || block.is_all_ones())
    }
}

/// A page that the GPU could not reach.
///
/// For an example see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFault {
    /// Which memory hub saw it, `gfxhub` or `mmhub`, where the input states it.
    pub hub: Option<String>,
    /// What the input calls the client that used the address, `TCP`, where it does.
    pub client: Option<String>,
    /// The address of the page, in bytes.
    pub address: u64,
    /// VM_L2_PROTECTION_FAULT_STATUS, by the name of the generation.
    pub status: u32,
    /// The line that states the address.
    pub line: usize,
    /// Whether it may be of another job than the one that hung: the input does not show that it is of the same process.
    pub may_be_of_another_job: bool,
}

/// Registers under one title line.
///
/// For an example see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterBlock {
    /// `gfx_v11_0`, or `me 0, pipe 0, queue 0`.
    pub name: String,
    /// Names without `mm` or `reg`, and values, in the order of the input; a name may occur several times.
    pub values: Vec<(String, u32)>,
}

impl RegisterBlock {
    /// Returns whether all registers hold 0: power or clock of the block was off when they were read, or nothing was in it.
    pub fn is_all_zero(&self) -> bool {
        self.holds(0)
    }

    /// Returns whether all bits of all registers are 1: the device did not answer when they were read.
    pub fn is_all_ones(&self) -> bool {
        self.holds(u32::MAX)
    }

    fn holds(&self, word: u32) -> bool {
        !self.values.is_empty() && self.values.iter().all(|(_, value)| *value == word)
    }
}
