//! What a kernel or driver recorded about a hang.

use alloc::string::String;
use alloc::vec::Vec;

/// What a kernel recorded when a job timed out.
///
/// For an example, see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HangFacts {
    /// The type of the ring that timed out: 0 graphics, 1 compute, 2 SDMA (Linux 7.1 amdgpu_ring.h amdgpu_ring_type).
    pub ip_type: Option<u32>,
    /// The line that states it, counted from 1; 0 if none does.
    pub line: usize,
    /// The name of the ring, `gfx_0.0.0`.
    pub ring: Option<String>,
    /// The page fault, if the input states one. In a device coredump, it is the last fault since boot.
    pub fault: Option<PageFault>,
    /// Register blocks.
    pub blocks: Vec<RegisterBlock>,
    /// The driver's marks in the stream: NOPs whose word has 0xCAFE in the upper half and the number of the mark in the lower half.
    pub marks: Marks,
    /// Addresses in packets that the driver found invalid.
    pub addresses: Vec<WrongAddress>,
    /// The driver's records about memory at the page of the fault.
    pub memory: Option<PageMemory>,
    /// Where shader waves were, from the program counters that a tool read after the hang; the places with most waves come first.
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
    /// The number of waves there.
    pub count: usize,
}

/// A driver's records about memory at the page of a fault: RADV (Mesa 26.0 radv_winsys_bo.h, radv_debug.c) or radeonsi. Addresses have 48 bits.
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
/// // The memory of the image had already been freed when the GPU used it.
/// let memory: &PageMemory = input.hang.as_ref().and_then(|hang| hang.memory.as_ref()).unwrap();
/// let owner: &Allocation = memory.owner.as_ref().unwrap();
/// assert_eq!((owner.start, owner.end, owner.freed), (0x8001_0001_3000, 0x8001_0002_7000, Some(30)));
/// let object: &BoundObject = &memory.objects[0];
/// assert_eq!((object.kind.as_str(), object.is_bound), ("VK_OBJECT_TYPE_IMAGE", true));
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageMemory {
    /// The number of entries in the allocation history.
    pub history: usize,
    /// The time of the last entry, in nanoseconds.
    pub last_entry: Option<u64>,
    /// The last allocation in the history that contains the page.
    pub owner: Option<Allocation>,
    /// The address of the memory mapped to the page, if its allocation is sparse.
    pub mapped_to: Option<u64>,
    /// When that memory was freed, in nanoseconds, if that was after it was mapped to the page.
    pub mapped_freed: Option<u64>,
    /// The nearest live allocation below the page in the history.
    pub below: Option<Allocation>,
    /// The nearest live allocation above the page.
    pub above: Option<Allocation>,
    /// The number of entries in the list of all allocations, which omits sparse ones.
    pub ranges: usize,
    /// The allocation in that list that contains the page.
    pub range: Option<Allocation>,
    /// The number of entries in the lists of buffers that radeonsi jobs use (Mesa 25.0 si_debug.c si_dump_bo_list).
    pub used: usize,
    /// The buffer in these lists that contains the page.
    pub used_buffer: Option<Allocation>,
    /// The number of records about bound objects.
    pub bindings: usize,
    /// Vulkan objects with addresses in the page: bound objects first, then the most recent ones.
    pub objects: Vec<BoundObject>,
}

/// A memory allocation of a driver.
///
/// For an example, see [`PageMemory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// The first address, in bytes.
    pub start: u64,
    /// The address after the last one, in bytes.
    pub end: u64,
    /// Whether it is sparse: it has memory only where the driver maps other allocations.
    pub is_sparse: bool,
    /// When it was freed, in nanoseconds; None while it is live.
    pub freed: Option<u64>,
    /// Its use according to the driver, `COLOR_BUFFER`; empty if not stated.
    pub usage: String,
}

/// A Vulkan object with addresses.
///
/// For an example, see [`PageMemory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundObject {
    /// The first address, in bytes.
    pub start: u64,
    /// The address after the last one, in bytes.
    pub end: u64,
    /// Its type, `VK_OBJECT_TYPE_IMAGE`.
    pub kind: String,
    /// Its handle, `0x60310308a0b0`.
    pub handle: String,
    /// Whether it is bound when the record ends.
    pub is_bound: bool,
}

/// An address in a packet that the driver found invalid while printing the packet: its list of allocations does not contain it (Mesa 25.0.7 ac_parse_ib.c
/// print_addr).
///
/// For an example, see [the module](crate::input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAddress {
    /// Index of the buffer in [`Input::buffers`](crate::input::Input::buffers).
    pub buffer: usize,
    /// Index of the last dword of the address.
    pub dword: usize,
    /// The field name that the driver printed, `DST_ADDR`.
    pub field: String,
    /// The address.
    pub address: u64,
    /// The driver's verdict: `used after free`, `invalid` or `out of bounds`.
    pub verdict: String,
}

/// How far marks were reached, as the driver read them back after the hang (Mesa 25.0.7 ac_parse_ib.c).
///
/// ```
/// use pm4::input::Marks;
/// use pm4::packet::{Header, Opcode};
/// // ME reached mark 4 but not mark 5: it stopped between these two packets.
/// let marks = Marks { reached: Some(4), not_reached: Some(5) };
/// let packets = [marks.reached, marks.not_reached].map(|mark| [Header::type3(Opcode::NOP, 1).0, Marks::word(mark.unwrap())]);
/// assert_eq!(packets, [[0xC000_1000, 0xCAFE_0004], [0xC000_1000, 0xCAFE_0005]]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// The last mark that ME reached.
    pub reached: Option<u16>,
    /// The first mark that ME did not reach.
    pub not_reached: Option<u16>,
}

impl Marks {
    /// Returns the word that follows the NOP header of a mark.
    pub const fn word(mark: u16) -> u32 {
        0xCAFE_0000 | mark as u32
    }
}

impl HangFacts {
    /// Returns the first value of a register in one of these blocks, ignoring blocks that are gone. Registers are named without `mm` or `reg`, blocks by their
    /// title line.
    pub fn register(&self, blocks: &[&str], name: &str) -> Option<u32> {
        self.values(blocks, name).first().copied()
    }

    /// Returns all values of a register, in reading order, from the first of these blocks that contains it.
    pub fn values(&self, blocks: &[&str], name: &str) -> Vec<u32> {
        let of = |wanted: &str| -> Vec<u32> {
            let blocks = self.blocks.iter().filter(|block| block.name == wanted);
            let read = blocks.filter(|block| !block.is_all_ones());
            read.flat_map(|block| &block.values).filter(|(known, _)| known == name).map(|(_, value)| *value).collect()
        };
        blocks.iter().map(|block| of(block)).find(|values| !values.is_empty()).unwrap_or_default()
    }

    /// Returns whether the registers carry no information: there are none, or every block is off or gone.
    pub fn is_blank(&self) -> bool {
        self.blocks.iter().all(|block| block.values.is_empty() || block.is_all_zero() || block.is_all_ones())
    }
}

/// A page that the GPU could not access.
///
/// For an example, see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFault {
    /// The memory hub that reported the fault, `gfxhub` or `mmhub`, if stated.
    pub hub: Option<String>,
    /// The client that used the address, by its name in the input (`TCP`), if stated.
    pub client: Option<String>,
    /// The address of the page, in bytes.
    pub address: u64,
    /// VM_L2_PROTECTION_FAULT_STATUS, under the name that the generation uses.
    pub status: u32,
    /// The line that states the address, counted from 1.
    pub line: usize,
    /// Whether the fault may belong to a job other than the one that hung: the input does not show that the process is the same.
    pub may_be_of_another_job: bool,
}

/// The registers under one title line.
///
/// For an example, see [`Input`](crate::input::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterBlock {
    /// The title: `gfx_v11_0`, or `me 0, pipe 0, queue 0`.
    pub name: String,
    /// Names without `mm` or `reg`, and values, in input order; a name may occur several times.
    pub values: Vec<(String, u32)>,
}

impl RegisterBlock {
    /// Returns whether all registers are 0: the block was empty, or its power or clock was off when they were read.
    pub fn is_all_zero(&self) -> bool {
        self.holds(0)
    }

    /// Returns whether all bits of all registers are 1: the device did not respond when they were read.
    pub fn is_all_ones(&self) -> bool {
        self.holds(u32::MAX)
    }

    fn holds(&self, word: u32) -> bool {
        !self.values.is_empty() && self.values.iter().all(|(_, value)| *value == word)
    }
}
