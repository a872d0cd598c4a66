//! Names and words of the buffers that findings refer to.

use super::ground::shown;
use crate::chip::{Chip, Gfx};
use crate::cp::{BufferId, BufferInfo, CommandProcessor, Place};
use crate::packet::{Packet, Reader};
use alloc::{string::String, vec::Vec};
use core::iter;

/// Names and words of a model's buffers, which a [`Finding`](crate::cp::Finding) names by number.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Place}, packet::Queue, report::Buffers};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// let buffer = cp.submit(Queue::Graphics, "main.bin", &stream);
/// let buffers = Buffers::of(&cp);
/// assert_eq!(buffers.name(buffer), "main.bin");
/// assert_eq!(buffers.packet(Place { buffer, dword: 0 }).unwrap().body, [3, 2]);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Buffers<'a> {
    chip: Chip,
    buffers: Vec<BufferInfo<'a>>,
    /// Buffers executed from a memory source.
    sourced: Vec<(BufferId, BufferInfo<'a>)>,
}

impl<'a> Buffers<'a> {
    /// Returns the buffers that were submitted to the model or mapped so far.
    pub fn of(cp: &CommandProcessor<'a>) -> Self {
        let dropped = BufferInfo { name: "?", words: &[], addr: None };
        let buffers = iter::repeat_n(dropped, cp.first_buffer().0 as usize).chain(cp.buffers().iter().copied()).collect();
        Self { chip: cp.chip(), buffers, sourced: Vec::new() }
    }

    /// Like [`of`](Self::of), including buffers that have run from a [memory source](CommandProcessor::memory_source); call it after a run.
    pub fn with_source(cp: &'a CommandProcessor<'_>) -> Self {
        Self { sourced: cp.source_buffers().collect(), ..Self::of(cp) }
    }

    fn buffer(&self, id: BufferId) -> Option<&BufferInfo<'a>> {
        self.buffers.get(id.0 as usize).or_else(|| self.sourced.iter().find(|(of, _)| *of == id).map(|(_, buffer)| buffer))
    }

    /// Returns all of them, by number.
    #[cfg(feature = "html")]
    pub(super) fn all(&self) -> &[BufferInfo<'a>] {
        &self.buffers
    }

    /// Returns the generation of the packets.
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }

    /// Returns the chip of the model.
    pub(super) fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the words of a buffer from a place on.
    pub(super) fn words_from(&self, place: Place) -> Option<&'a [u32]> {
        self.buffer(place.buffer)?.words.get(place.dword as usize..)
    }

    /// Returns the name of a buffer; `?` for one that was dropped or added later.
    pub fn name(&self, buffer: BufferId) -> &'a str {
        self.buffer(buffer).map_or("?", |buffer| buffer.name)
    }

    /// Returns the name of a buffer for text: a line break or another control character in the name of a file does not reach a terminal.
    pub(super) fn shown_name(&self, buffer: BufferId) -> String {
        shown(self.name(buffer)).into_owned()
    }

    /// Returns the dword at a place.
    pub fn word(&self, place: Place) -> Option<u32> {
        self.buffer(place.buffer)?.words.get(place.dword as usize).copied()
    }

    /// Returns the packet whose header is at a place, if the packet is complete.
    pub fn packet(&self, place: Place) -> Option<Packet<'a>> {
        let words = self.buffer(place.buffer)?.words;
        Reader::new(words.get(place.dword as usize..)?).next()?.ok()
    }
}
