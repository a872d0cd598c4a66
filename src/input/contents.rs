//! What an input holds, the same for all forms.

use super::InputForm;
use crate::chip::{Chip, Gfx};
use crate::cp::{BufferId, CommandProcessor, FirmwareVersions, QueueId};
use crate::packet::{Queue, Reader};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// What an input holds.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::input::{BufferUse, HangFacts, Input, InputBuffer, InputForm, InputMessage, InputPlace, PageFault, RegisterBlock, Source};
///
/// let text = "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\n\
///             [gfxhub] Page fault observed\nFaulty page starting at address: 0x0000000012345000\nProtection fault status register: 0x301031\n\
///             IP: gfx_v11_0\nregGRBM_STATUS 0xa0003028\n\
///             IB #0 0x800100200000 4 dw\n0xc0012d00\n0x00000003\n0x00000002\n";
/// let input: Input = Source::open(text.as_bytes(), None)?.load()?;
/// assert_eq!((input.form, input.chip, input.fact("kernel")), (InputForm::Devcoredump, Some(Chip::Navi31), Some("7.1.8")));
///
/// let buffer: &InputBuffer = &input.buffers[0];
/// assert_eq!((buffer.usage, buffer.addr, buffer.words.len()), (BufferUse::Submitted, Some(0x8001_0020_0000), 3));
/// assert_eq!(buffer.complete(), [0xC001_2D00, 3, 2]);
///
/// // One dword is missing: the damage names the place.
/// let damage: &InputMessage = &input.damage[0];
/// assert!(matches!(damage.place, InputPlace::Line(10..)), "{damage}");
///
/// let hang: &HangFacts = input.hang.as_ref().unwrap();
/// assert_eq!(hang.ring.as_deref(), Some("gfx_0.0.0"));
/// assert_eq!(hang.register(&["gfx_v11_0"], "GRBM_STATUS"), Some(0xA000_3028));
/// let block: &RegisterBlock = &hang.blocks[0];
/// assert!(!block.is_all_zero() && !block.is_all_ones());
/// let fault: &PageFault = hang.fault.as_ref().unwrap();
/// assert_eq!((fault.hub.as_deref(), fault.address, fault.line), (Some("gfxhub"), 0x1234_5000, 6));
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The form that it was read as.
    pub form: InputForm,
    /// It was packed with gzip.
    pub packed: bool,
    /// The chip, where the input states it.
    pub chip: Option<Chip>,
    /// The generation, where the input states no more than that.
    pub gfx: Option<Gfx>,
    /// Versions of the firmware that the input states.
    pub firmware: FirmwareVersions,
    /// What else the input states of machine and moment, in its order: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Buffers, in the order in which they are to be run or shown.
    pub buffers: Vec<InputBuffer>,
    /// What the kernel recorded of a hang.
    pub hang: Option<HangFacts>,
    /// What is missing or wrong.
    pub damage: Vec<InputMessage>,
    /// What is worth knowing.
    pub remarks: Vec<InputMessage>,
}

impl Input {
    /// An input of a form with nothing in it yet.
    pub(super) fn new(form: InputForm) -> Self {
        Self {
            form,
            packed: false,
            chip: None,
            gfx: None,
            firmware: FirmwareVersions::default(),
            facts: Vec::new(),
            buffers: Vec::new(),
            hang: None,
            damage: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// The generation, by chip or alone.
    pub fn generation(&self) -> Option<Gfx> {
        self.chip.map(Chip::gfx).or(self.gfx)
    }

    /// A fact by its name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Gives a model what the input holds: its buffers, each by its use and on the queue that the input states, else on the graphics queue, and the versions of
    /// the firmware. Returns the buffer of the model for each of [`buffers`](Self::buffers), None where it is neither run nor memory: what
    /// [`HangReport::new`](crate::hang::HangReport::new) takes.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, input::Source};
    /// # #[cfg(feature = "gfx11")] {
    /// let input = Source::open("0xc0012d00 0x00000003 0x00000002\n".as_bytes(), None)?.load()?;
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// let buffers = input.submit(&mut cp);
    /// assert_eq!((buffers.len(), cp.run(&mut ()).draws), (1, 1));
    /// # }
    /// # Ok::<(), pm4::input::InputError>(())
    /// ```
    pub fn submit<'a>(&'a self, cp: &mut CommandProcessor<'a>) -> Vec<Option<BufferId>> {
        cp.firmware(self.firmware);
        self.buffers.iter().map(|buffer| buffer.submit(cp, buffer.queue_id(), &buffer.name, buffer.addr)).collect()
    }

    /// Whether the kernel that wrote the input has at least a version, where the input states it.
    pub(crate) fn kernel_is_at_least(&self, major: u32, minor: u32) -> bool {
        let mut numbers = self.fact("kernel").unwrap_or_default().split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
        (numbers.next(), numbers.next()) >= (Some(major), Some(minor))
    }

    /// Something is missing or wrong. Of very many such places the first are kept.
    pub(super) fn damage(&mut self, place: InputPlace, message: String) {
        keep(&mut self.damage, place, message);
    }

    pub(super) fn remark(&mut self, place: InputPlace, message: String) {
        keep(&mut self.remarks, place, message);
    }
}

/// Remarks of a kind that are kept: an input of nothing but mistakes need not be reported line by line.
const KEPT: usize = 64;

fn keep(list: &mut Vec<InputMessage>, place: InputPlace, message: String) {
    match list.len() {
        0..KEPT => list.push(InputMessage { place, message }),
        KEPT => list.push(InputMessage { place, message: "further places are not listed".into() }),
        _ => {}
    }
}

/// A place in an input.
///
/// For an example see [`Input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputPlace {
    /// A line, from 1.
    Line(usize),
    /// A byte, from 0; of what was unpacked, where the input is packed.
    Byte(u64),
    /// The whole input.
    Whole,
}

impl fmt::Display for InputPlace {
    /// `line 12`, `byte 0x30`, or nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte 0x{byte:x}"),
            Self::Whole => Ok(()),
        }
    }
}

/// Something about a place of an input.
///
/// For an example see [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputMessage {
    /// The place.
    pub place: InputPlace,
    /// The message.
    pub message: String,
}

impl fmt::Display for InputMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            InputPlace::Whole => f.write_str(&self.message),
            place => write!(f, "{place}: {}", self.message),
        }
    }
}

/// What a buffer of an input is for.
///
/// For an example see [`Input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// A command buffer that was submitted.
    Submitted,
    /// Memory, which packets of other buffers call, chain to or read.
    Memory,
    /// A piece of a ring that runs: the level from which command buffers are started.
    Ring,
    /// Words to look at, which are not run: a ring as a whole, of which only a part was being executed.
    NotExecuted,
    /// Words of an engine that does not run PM4 (SDMA, video): they are neither decoded nor run.
    OtherEngine,
}

impl BufferUse {
    /// Whether packets of the buffer may run.
    pub fn is_executed(self) -> bool {
        !matches!(self, Self::NotExecuted | Self::OtherEngine)
    }
}

/// The words of one buffer.
///
/// For an example see [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputBuffer {
    /// What the input calls it; empty where it holds one stream and no more.
    pub name: String,
    /// Its use.
    pub usage: BufferUse,
    /// The queue, where the input states it.
    pub queue: Option<Queue>,
    /// The GPU address, where the input states it.
    pub addr: Option<u64>,
    /// The dwords.
    pub words: Vec<u32>,
    /// Bytes after the last whole dword.
    pub trailing_bytes: Vec<u8>,
    /// Dwords that it should have, where the input states it.
    pub expected_dwords: Option<usize>,
    /// The pointers of a ring.
    pub pointers: Option<RingPointers>,
}

impl InputBuffer {
    pub(super) fn new(name: impl Into<String>, usage: BufferUse) -> Self {
        Self { name: name.into(), usage, queue: None, addr: None, words: Vec::new(), trailing_bytes: Vec::new(), expected_dwords: None, pointers: None }
    }

    /// The queue of a model that is for the buffer: the one that the input states, else the graphics queue.
    pub fn queue_id(&self) -> QueueId {
        match self.queue {
            Some(Queue::Compute) => QueueId::COMPUTE,
            Some(Queue::Constant) => QueueId::CONSTANT,
            Some(Queue::Graphics) | None => QueueId::GRAPHICS,
        }
    }

    /// Gives the buffer to a model by its [use](BufferUse): queues it on a queue that the model has, or maps it as memory. None where it is neither, and for
    /// memory without an address. [`Input::submit`] does this with all buffers.
    pub fn submit<'a>(&'a self, cp: &mut CommandProcessor<'a>, queue: QueueId, name: &'a str, addr: Option<u64>) -> Option<BufferId> {
        let words = self.complete();
        let id = match self.usage {
            BufferUse::NotExecuted | BufferUse::OtherEngine => return None,
            BufferUse::Memory => return addr.map(|addr| cp.map(name, addr, words)),
            BufferUse::Ring => cp.submit_ring(queue, name, addr, words),
            BufferUse::Submitted => cp.submit_to(queue, name, addr, words),
        };
        // The size is that of which the kernel or the driver says that it was executed.
        if self.expected_dwords.is_some() {
            cp.all_executed(id);
        }
        Some(id)
    }

    /// The words that can run: all of them, or where the input ends before the buffer does, those of its whole packets. Words that the input lacks are not a
    /// mistake of the buffer.
    pub fn complete(&self) -> &[u32] {
        let cut = self.expected_dwords.is_some_and(|claimed| self.words.len() < claimed);
        let end = Reader::new(&self.words).flatten().last().map_or(0, |packet| packet.offset + packet.dwords());
        if cut { self.words.get(..end).unwrap_or_default() } else { &self.words }
    }
}

/// How far a ring was read and written, in dwords; both count up without end.
///
/// ```
/// use pm4::input::RingPointers;
/// // A ring of 16 dwords that was filled twice, and then with three more dwords.
/// let pointers = RingPointers { read: 32, write: 35, mask: 0xF };
/// assert_eq!((pointers.read_at(), pointers.write_at()), (0, 3)); // three dwords are left to read
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingPointers {
    /// Next dword to read.
    pub read: u64,
    /// Next dword to write.
    pub write: u64,
    /// Number of dwords of the ring minus 1. The number of dwords is a power of two.
    pub mask: u64,
}

impl RingPointers {
    /// Place of the next dword to read in the words of the ring.
    pub fn read_at(&self) -> usize {
        (self.read & self.mask) as usize
    }

    /// Place of the next dword to write in the words of the ring.
    pub fn write_at(&self) -> usize {
        (self.write & self.mask) as usize
    }
}

/// What a kernel recorded when a job timed out.
///
/// For an example see [`Input`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HangFacts {
    /// Kind of the ring that timed out: 0 graphics, 1 compute, 2 SDMA (Linux 7.1 amdgpu_ring.h amdgpu_ring_type).
    pub ip_type: Option<u32>,
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
    /// The buffer, as [`Input::buffers`] counts.
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
    /// The word after the header of the NOP of a mark.
    pub const fn word(mark: u16) -> u32 {
        0xCAFE_0000 | mark as u32
    }
}

impl HangFacts {
    /// The first value of a register among some blocks, by its name without `mm` or `reg`. Blocks are named by what their title line says. Of a block that is
    /// gone there is none.
    pub fn register(&self, blocks: &[&str], name: &str) -> Option<u32> {
        self.values(blocks, name).first().copied()
    }

    /// All values of a register, in the order in which they were read, of the first of some blocks that has it.
    pub fn values(&self, blocks: &[&str], name: &str) -> Vec<u32> {
        let of = |wanted: &str| -> Vec<u32> {
            let blocks = self.blocks.iter().filter(|block| block.name == wanted);
            let read = blocks.filter(|block| !block.is_all_ones());
            read.flat_map(|block| &block.values).filter(|(known, _)| known == name).map(|(_, value)| *value).collect()
        };
        blocks.iter().map(|block| of(block)).find(|values| !values.is_empty()).unwrap_or_default()
    }

    /// Whether the registers say nothing: none is there, or each block is off or gone.
    pub fn is_blank(&self) -> bool {
        self.blocks.iter().all(|block| block.values.is_empty() || block.is_all_zero() || block.is_all_ones())
    }
}

/// A page that the GPU could not reach.
///
/// For an example see [`Input`].
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
/// For an example see [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterBlock {
    /// `gfx_v11_0`, or `me 0, pipe 0, queue 0`.
    pub name: String,
    /// Names without `mm` or `reg`, and values, in the order of the input; a name may occur several times.
    pub values: Vec<(String, u32)>,
}

impl RegisterBlock {
    /// Whether all registers hold 0: power or clock of the block was off when they were read, or nothing was in it.
    pub fn is_all_zero(&self) -> bool {
        self.holds(0)
    }

    /// Whether all bits of all registers are 1: the device did not answer when they were read.
    pub fn is_all_ones(&self) -> bool {
        self.holds(u32::MAX)
    }

    fn holds(&self, word: u32) -> bool {
        !self.values.is_empty() && self.values.iter().all(|(_, value)| *value == word)
    }
}
