//! The inputs of a check.

use crate::chip::Chip;
use crate::cp::{BufferId, CommandProcessor, Finding, FirmwareVersions, Place, QueueId, Severity};
use crate::input::{BufferUse, Input, InputBuffer, InputForm};
use crate::packet::Queue;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An input, with what the caller states about it.
///
/// For an example see [the module](super).
#[derive(Debug, Clone)]
pub struct Given {
    /// The name in reports.
    pub name: String,
    /// The GPU address, if the caller states one.
    pub addr: Option<u64>,
    /// The queue that runs the input, if the caller names one.
    pub queue: Option<QueueId>,
    /// Whether the input is a ring, so that rules about command buffers of drivers are not checked.
    pub ring: bool,
    /// The parsed input.
    pub input: Input,
    /// The names of its buffers, in order.
    names: Vec<String>,
}

impl Given {
    /// Creates an input with a name.
    ///
    /// # Errors
    /// A sentence for the user, if there is one address for several buffers.
    pub fn new(name: &str, addr: Option<u64>, input: Input) -> Result<Self, String> {
        if addr.is_some() && input.buffers.len() > 1 {
            return Err(format!("{name} holds {} buffers that have their own addresses: leave the address out", input.buffers.len()));
        }
        let called = |buffer: &InputBuffer| if buffer.name.is_empty() { name.to_owned() } else { format!("{name}[{}]", buffer.name) };
        let names = input.buffers.iter().map(called).collect();
        Ok(Self { name: name.to_owned(), addr, queue: None, ring: false, input, names })
    }

    /// Returns the buffers with their names.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, &InputBuffer)> {
        self.names.iter().map(String::as_str).zip(&self.input.buffers)
    }

    /// Returns name, address and dwords, if the caller states the address.
    pub fn extent(&self) -> Option<(&str, u64, u64)> {
        let dwords = self.input.buffers.first().map_or(0, |buffer| buffer.complete().len());
        Some((&self.name, self.addr?, dwords as u64))
    }

    /// Returns the queue of a buffer: the one that the caller names, or that the input states.
    pub fn queue_of(&self, buffer: &InputBuffer) -> QueueId {
        self.queue.unwrap_or_else(|| buffer.queue_id())
    }

    /// Returns whether all buffers are empty.
    pub fn is_empty(&self) -> bool {
        self.input.buffers.iter().all(is_empty)
    }

    /// Queues all buffers, or maps them as memory; returns the model's number of each. Findings about their ends are added to `before`.
    pub(super) fn submit<'a>(&'a self, cp: &mut CommandProcessor<'a>, before: &mut Vec<Finding>) -> Vec<Option<BufferId>> {
        let mut ids = Vec::new();
        for (name, buffer) in self.names.iter().zip(&self.input.buffers) {
            let id = self.submit_buffer(cp, name, buffer);
            before.extend(id.and_then(|id| cut_word(id, buffer, self.queue_of(buffer))));
            ids.push(id);
        }
        ids
    }

    /// Queues a buffer, on a queue that is created if missing; or maps it as memory.
    fn submit_buffer<'a>(&'a self, cp: &mut CommandProcessor<'a>, name: &'a str, buffer: &'a InputBuffer) -> Option<BufferId> {
        let (queue, addr) = (self.queue_of(buffer), self.addr.or(buffer.addr));
        // The constant engine need not be created.
        while queue != QueueId::CONSTANT && queue.family().is_none() && cp.registers_of(queue).is_none() {
            cp.add_compute_queue();
        }
        if self.ring && buffer.usage == BufferUse::Submitted {
            let id = cp.submit_ring(queue, name, addr, buffer.complete());
            buffer.state_unknown(cp, id);
            return Some(id);
        }
        buffer.submit(cp, queue, name, addr)
    }
}

fn is_empty(buffer: &InputBuffer) -> bool {
    buffer.words.is_empty() && buffer.trailing_bytes.is_empty()
}

/// Inputs with their names, as [`Incidents::of`](crate::hang::Incidents::of) takes them.
///
/// For an example see [the module](super).
pub fn named(files: &[Given]) -> Vec<(&str, &Input)> {
    files.iter().map(|file| (file.name.as_str(), &file.input)).collect()
}

/// Returns whether the model must run: there are words, or a dump with a known chip. A log needs neither model nor chip.
///
/// For an example see [the module](super).
pub fn needs_model(files: &[Given], chip: Option<Chip>) -> bool {
    let runs = |file: &Given| file.input.form == InputForm::Raw || !file.is_empty();
    let stated = chip.is_some() || files.iter().any(|file| file.input.chip.is_some());
    files.iter().any(runs) || stated && files.iter().any(|file| file.input.hang.is_some())
}

/// The chip of a check.
///
/// For an example see [`chip`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenChip {
    /// The chip.
    pub chip: Chip,
    /// Name and chip of an input that states another chip.
    pub other: Option<(String, Chip)>,
}

/// Returns the chip that the caller names, or that the inputs state.
///
/// ```
/// use pm4::{chip::Chip, hang::check::{self, Given}, input::Source};
///
/// let words = Source::open(&[0x00, 0x10, 0xFF, 0xFF, 0, 0, 0, 0][..], None)?.load()?;
/// let files = [Given::new("ib.bin", None, words)?];
/// assert!(check::chip(&files, None).is_err(), "words do not say it");
/// # #[cfg(feature = "gfx11")]
/// assert_eq!(check::chip(&files, Some(Chip::Navi31))?.chip, Chip::Navi31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The chip is unknown: returns what an input says about it, if any does.
pub fn chip(files: &[Given], named: Option<Chip>) -> Result<ChosenChip, String> {
    let told = files.iter().find_map(|file| Some((&file.name, file.input.chip?)));
    match (named, told) {
        (Some(chip), Some((name, other))) if chip != other => Ok(ChosenChip { chip, other: Some((name.clone(), other)) }),
        (Some(chip), _) | (None, Some((_, chip))) => Ok(ChosenChip { chip, other: None }),
        (None, None) => {
            let hint = files.iter().flat_map(|file| &file.input.remarks).find(|remark| remark.message.contains("--chip"));
            Err(hint.map_or_else(|| "no input states its chip: name it with --chip".to_owned(), ToString::to_string))
        }
    }
}

/// Returns the firmware of the first input that states any.
///
/// ```
/// assert_eq!(pm4::hang::check::firmware(&[]), pm4::cp::FirmwareVersions::default());
/// ```
pub fn firmware(files: &[Given]) -> FirmwareVersions {
    files.iter().map(|file| file.input.firmware).find(|firmware| *firmware != FirmwareVersions::default()).unwrap_or_default()
}

/// Returns an input that ends within a word.
pub(super) fn cut_word(buffer: BufferId, read: &InputBuffer, queue: QueueId) -> Option<Finding> {
    (!read.trailing_bytes.is_empty()).then(|| Finding {
        code: "ENC-01",
        severity: Severity::Error,
        queue: match queue {
            QueueId::GRAPHICS => Queue::Graphics,
            QueueId::CONSTANT => Queue::Constant,
            _ => Queue::Compute,
        },
        queue_id: queue,
        place: Place { buffer, dword: u32::try_from(read.words.len()).unwrap_or(u32::MAX) },
        packet: None,
        draw: None,
        last_draw: None,
        register: None,
        field: None,
        message: format!("the file ends within a dword ({} of 4 bytes): it was cut off, or is not a stream of 32-bit words", read.trailing_bytes.len()),
        notes: Vec::new(),
        help: Some("write the stream again, in whole little-endian dwords".to_owned()),
        source: "this program reads streams as whole 32-bit words",
        count: 1,
    })
}
