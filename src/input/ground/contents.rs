//! The contents of an input, the same for all forms.

use super::events::LogEvent;
use super::form::InputForm;
use super::hang_facts::HangFacts;
use crate::chip::{Chip, Gfx};
use crate::cp::{BufferId, CommandProcessor, FirmwareVersions, QueueId};
use crate::packet::{Queue, Reader};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The contents of an input.
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
/// // One dword is missing; the damage names its place.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The form as which the input was read.
    pub form: InputForm,
    /// Compression and archive formats around the content, outermost first: `gzip`, `zstd`, `xz`, `lzma`, `tar`, `zip`.
    pub packed: Vec<&'static str>,
    /// The chip, if the input states it.
    pub chip: Option<Chip>,
    /// The generation, if the input states it without the chip.
    pub gfx: Option<Gfx>,
    /// The firmware versions that the input states.
    pub firmware: FirmwareVersions,
    /// Other facts about the machine and the moment, in input order: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Buffers, in the order in which to run or show them.
    pub buffers: Vec<InputBuffer>,
    /// Rings of engines that do not run PM4 (SDMA, MES, video), with their words.
    pub other_rings: Vec<InputBuffer>,
    /// What the kernel or driver recorded about a hang.
    pub hang: Option<HangFacts>,
    /// The events of the log in time order, from which incidents are built.
    pub events: Vec<LogEvent>,
    /// The generation number according to block names, 6 to 12, if the input states no chip.
    pub family: Option<u8>,
    /// Missing or wrong parts.
    pub damage: Vec<InputMessage>,
    /// Remarks: information that is neither damage nor a finding.
    pub remarks: Vec<InputMessage>,
}

impl Input {
    /// Creates an empty input of a form.
    pub(in crate::input) fn new(form: InputForm) -> Self {
        Self {
            form,
            packed: Vec::new(),
            chip: None,
            gfx: None,
            firmware: FirmwareVersions::default(),
            facts: Vec::new(),
            buffers: Vec::new(),
            other_rings: Vec::new(),
            hang: None,
            events: Vec::new(),
            family: None,
            damage: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Returns the generation: that of the chip, or the one that the input states.
    pub fn generation(&self) -> Option<Gfx> {
        self.chip.map(Chip::gfx).or(self.gfx)
    }

    /// Returns the first fact with this name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Passes the contents to a model: each buffer according to its use, on the queue that the input states or else the graphics queue, and the firmware
    /// versions. Returns the model's buffer for each of [`buffers`](Self::buffers), as [`HangReport::new`](crate::hang::HangReport::new) takes them; None if a
    /// buffer is neither run nor memory.
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

    /// Returns the version of the kernel that wrote the input, if stated: `7.1.3-arch1-2` is (7, 1, 3), `7.1-rc6` is (7, 1, 0).
    pub(in crate::input) fn kernel(&self) -> Option<(u32, u32, u32)> {
        let release = self.fact("kernel")?;
        let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
        let mut numbers = release[..end].split('.').map_while(|number| number.parse::<u32>().ok());
        Some((numbers.next()?, numbers.next()?, numbers.next().unwrap_or(0)))
    }

    /// Returns whether the input states that the kernel that wrote it has at least this version.
    pub(crate) fn kernel_is_at_least(&self, major: u32, minor: u32) -> bool {
        self.kernel().is_some_and(|(has, and, _)| (has, and) >= (major, minor))
    }

    /// Records damage. Of a very large number, only the first are kept.
    pub(in crate::input) fn damage(&mut self, place: InputPlace, message: String) {
        push_limited(&mut self.damage, place, message);
    }

    pub(in crate::input) fn remark(&mut self, place: InputPlace, message: String) {
        push_limited(&mut self.remarks, place, message);
    }
}

/// The most messages of one kind to keep, so that an input full of mistakes is not reported line by line.
const KEPT: usize = 64;

fn push_limited(list: &mut Vec<InputMessage>, place: InputPlace, message: String) {
    match list.len() {
        0..KEPT => list.push(InputMessage { place, message }),
        KEPT => list.push(InputMessage { place, message: "further places are not listed".into() }),
        _ => {}
    }
}

/// A place in an input.
///
/// For an example, see [`Input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputPlace {
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0, in the unpacked input.
    Byte(u64),
    /// The whole input.
    Whole,
}

impl fmt::Display for InputPlace {
    /// Writes `line 12`, `byte 0x30`, or nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte 0x{byte:x}"),
            Self::Whole => Ok(()),
        }
    }
}

/// A message about a place of an input.
///
/// For an example, see [`Input`].
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
/// For an example, see [`Input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// A command buffer that was submitted.
    Submitted,
    /// Memory that packets of other buffers call, chain to or read.
    Memory,
    /// A part of a ring that runs: the level that starts command buffers.
    Ring,
    /// Words to show but not to run: a whole ring of which only a part was being executed.
    NotExecuted,
    /// Words of an engine that does not run PM4 (SDMA, video); neither decoded nor run.
    OtherEngine,
}

impl BufferUse {
    /// Returns whether packets of the buffer may run.
    pub fn is_executed(self) -> bool {
        !matches!(self, Self::NotExecuted | Self::OtherEngine)
    }
}

/// The words of one buffer.
///
/// For an example, see [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputBuffer {
    /// The name of the buffer in the input; empty if the input contains only one stream.
    pub name: String,
    /// Its use.
    pub usage: BufferUse,
    /// The queue, if the input states it.
    pub queue: Option<Queue>,
    /// The GPU address, if the input states it.
    pub addr: Option<u64>,
    /// The dwords.
    pub words: Vec<u32>,
    /// Bytes after the last complete dword.
    pub trailing_bytes: Vec<u8>,
    /// The number of dwords according to the input, if stated.
    pub expected_dwords: Option<usize>,
    /// Ranges of dwords that are missing from the input, in order. `words` has 0 for them, and a NOP of one dword where a packet would begin.
    pub unknown: Vec<core::ops::Range<usize>>,
    /// The pointers of a ring.
    pub pointers: Option<RingPointers>,
}

impl InputBuffer {
    pub(in crate::input) fn new(name: impl Into<String>, usage: BufferUse) -> Self {
        Self {
            name: name.into(),
            usage,
            queue: None,
            addr: None,
            words: Vec::new(),
            trailing_bytes: Vec::new(),
            expected_dwords: None,
            unknown: Vec::new(),
            pointers: None,
        }
    }

    /// Returns the model queue for the buffer: the queue that the input states, or the graphics queue.
    pub fn queue_id(&self) -> QueueId {
        match self.queue {
            Some(Queue::Compute) => QueueId::COMPUTE,
            Some(Queue::Constant) => QueueId::CONSTANT,
            Some(Queue::Graphics) | None => QueueId::GRAPHICS,
        }
    }

    /// Passes the buffer to a model according to its [use](BufferUse): submits it to a queue of the model or maps it as memory. Returns None if it is neither,
    /// or if memory has no address. [`Input::submit`] does this for all buffers.
    pub fn submit<'a>(&'a self, cp: &mut CommandProcessor<'a>, queue: QueueId, name: &'a str, addr: Option<u64>) -> Option<BufferId> {
        let words = self.complete();
        let id = match self.usage {
            BufferUse::NotExecuted | BufferUse::OtherEngine => return None,
            BufferUse::Memory => {
                let id = addr.map(|addr| cp.map(name, addr, words));
                return id.inspect(|id| self.state_unknown(cp, *id));
            }
            BufferUse::Ring => cp.submit_ring(queue, name, addr, words),
            BufferUse::Submitted => cp.submit_to(queue, name, addr, words),
        };
        self.state_unknown(cp, id);
        // The kernel or the driver states that this size was executed.
        if self.expected_dwords.is_some() {
            cp.all_executed(id);
        }
        Some(id)
    }

    /// Marks the words missing from the input as unknown in the model; the state set before them is unknown too.
    pub fn state_unknown(&self, cp: &mut CommandProcessor<'_>, id: BufferId) {
        for dwords in &self.unknown {
            cp.partial().unknown_words(id, dwords.clone());
        }
    }

    /// Returns the words that can run: all of them, or if the input ends before the buffer does, those of the complete packets. Words missing from the input
    /// are not a mistake of the buffer.
    pub fn complete(&self) -> &[u32] {
        let cut = self.expected_dwords.is_some_and(|claimed| self.words.len() < claimed);
        let end = Reader::new(&self.words).flatten().last().map_or(0, |packet| packet.offset + packet.dwords());
        if cut { self.words.get(..end).unwrap_or_default() } else { &self.words }
    }
}

/// How far a ring was read and written, in dwords. Both pointers count up without wrapping.
///
/// ```
/// use pm4::input::RingPointers;
/// // A ring of 16 dwords, filled twice and then by three more dwords.
/// let pointers = RingPointers { read: 32, write: 35, mask: 0xF };
/// assert_eq!((pointers.read_at(), pointers.write_at()), (0, 3)); // three dwords are left to read
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingPointers {
    /// The next dword to read.
    pub read: u64,
    /// The next dword to write.
    pub write: u64,
    /// The number of dwords in the ring minus 1. The number of dwords is a power of two.
    pub mask: u64,
}

impl RingPointers {
    /// Returns the index of the next dword to read in the words of the ring.
    pub fn read_at(&self) -> usize {
        (self.read & self.mask) as usize
    }

    /// Returns the index of the next dword to write in the words of the ring.
    pub fn write_at(&self) -> usize {
        (self.write & self.mask) as usize
    }
}

/// Splits bytes into words and remaining bytes.
pub(in crate::input) fn words_of(bytes: &[u8], buffer: &mut InputBuffer) {
    let (whole, rest) = bytes.as_chunks::<4>();
    buffer.words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
    buffer.trailing_bytes = rest.to_vec();
}
