//! A filter that keeps redundant register writes out of the stream.

use crate::chip::Gfx;
use crate::packet::read::packet::{Packet, packet_at};
use crate::packet::read::register_writes::RegisterWrite;
use crate::packet::rules::write_error::WriteError;
use crate::packet::state::shadow::Shadow;
use crate::packet::tables::generated::structs::ContextRegRmw;
use crate::packet::typed::packet_fields::Emit;
use crate::packet::wire::groups::register_group;
use crate::packet::wire::header::Header;
use crate::packet::wire::windows::register_index;
use crate::packet::write::buffer::Buffer;
use crate::packet::write::lists::RegisterList;
use crate::packet::write::writer::Writer;

/// A writer that omits writes of context and SH registers that are known to hold the value already.
///
/// Runs are compared as a whole: one that changes anything is written from its first to its last change. [`exact`](Self::exact) looks at each register and
/// splits runs if that saves dwords. Whole groups ([`register_group`]) are kept whole either way, registers with an index and uconfig registers are always
/// written. Registers become unknown, and are written again, after CLEAR_STATE, CONTEXT_CONTROL, LOAD_*, register destinations of copies, called buffers,
/// indirect draws (their SGPRs), read-modify-write of an unknown value, GRBM_GFX_INDEX while it selects an instance, ranges that COND_EXEC may skip; after
/// COND_INDIRECT_BUFFER nothing is filtered any more (PAL gfx9Pm4Optimizer.cpp, gfxCmdStream.cpp).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{FilteredWriter, Queue, Stream};
/// # #[cfg(feature = "gfx11")] {
/// let mut stream = FilteredWriter::new(Stream::growable(Gfx::Gfx11, Queue::Graphics));
/// stream.set_regs(0x28000, &[1, 2, 3])?;
/// let before = stream.words().len();
/// stream.set_regs(0x28000, &[1, 2, 3])?;
/// assert_eq!(stream.words().len(), before);
/// stream.set_regs(0x28000, &[1, 9, 3])?; // only what is between the changes
/// assert_eq!(stream.words()[before..], [0xC001_6900, 1, 9]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug)]
pub struct FilteredWriter<B> {
    writer: Writer<B>,
    shadow: Shadow,
    exact: bool,
    /// Packets before this dword are in the shadow.
    seen: usize,
    scratch: RegisterList,
}

/// The number of redundant values inside a run that cost as much as the header of a new packet.
const HEADER_DWORDS: usize = 2;

impl<B: Buffer> FilteredWriter<B> {
    /// Creates a filter over a writer. Nothing is known at first.
    #[must_use]
    pub fn new(writer: Writer<B>) -> Self {
        let (seen, (banked, skipped_until)) = (writer.len(), writer.uncertain());
        Self { writer, shadow: Shadow::new(banked, skipped_until), exact: false, seen, scratch: RegisterList::new() }
    }

    /// Filters register by register instead of run by run: fewer dwords, more time.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Returns the generation that the stream is for.
    #[must_use]
    pub const fn gfx(&self) -> Gfx {
        self.writer.gfx()
    }

    /// Returns all dwords that are written.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        self.writer.words()
    }

    /// Returns the underlying writer, without the filter. The filter takes into account what it writes.
    pub fn writer(&mut self) -> &mut Writer<B> {
        self.catch_up();
        self.writer.break_run();
        &mut self.writer
    }

    /// Ends the filtering.
    #[must_use]
    pub fn into_writer(self) -> Writer<B> {
        self.writer
    }

    /// Forgets all values: something outside the stream changed registers.
    pub fn invalidate(&mut self) {
        self.catch_up();
        self.shadow.forget_all();
    }

    /// Records what was written past the filter.
    #[inline]
    fn catch_up(&mut self) {
        if self.seen != self.writer.len() {
            self.observe();
        }
    }

    #[cold]
    fn observe(&mut self) {
        let (gfx, queue) = (self.writer.gfx(), self.writer.queue());
        while let Some(packet) = packet_at(self.writer.words(), self.seen) {
            self.seen = packet.offset + packet.dwords();
            self.shadow.observe(&packet, gfx, queue);
        }
        // A run that grows is looked at again when it grows.
        self.writer.break_run();
    }

    /// Writes a register, unless it holds the value.
    ///
    /// # Errors
    /// The errors of [`Writer::set_reg`].
    pub fn set_reg(&mut self, addr: u32, value: u32) -> Result<(), WriteError> {
        self.set_regs(addr, &[value])
    }

    /// Writes consecutive registers, unless they hold the values.
    ///
    /// # Errors
    /// The errors of [`Writer::set_regs`].
    #[inline]
    pub fn set_regs(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        self.catch_up();
        let slots = Shadow::slot(addr).filter(|first| {
            let last = addr.wrapping_add(4 * values.len().saturating_sub(1) as u32);
            !values.is_empty() && Shadow::slot(last) == Some(first + values.len() - 1) && self.shadow.filters(self.writer.len())
        });
        let Some(first) = slots else { return self.unfiltered(addr, values) };
        let Some(from) = (0..values.len()).find(|&i| self.shadow.get(first + i) != Some(values[i])) else { return Ok(()) };
        self.changed(addr, values, first, from)
    }

    /// Registers that no filter keeps, or while nothing is certain.
    fn unfiltered(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        // A separate packet, so that it can be observed.
        self.writer.break_run();
        self.writer.set_regs(addr, values)?;
        self.catch_up();
        Ok(())
    }

    /// Writes a run whose register `from` changes.
    fn changed(&mut self, addr: u32, values: &[u32], first: usize, from: usize) -> Result<(), WriteError> {
        let (gfx, indexed) = (self.writer.gfx(), self.writer.options().indexed);
        let differs = |shadow: &Shadow, i: usize| shadow.get(first + i) != Some(values[i]);
        let has_index = |i: usize| indexed && register_index(gfx, addr + 4 * i as u32).is_some();
        let group = |i: usize| {
            let range = register_group(gfx, addr + 4 * i as u32)?;
            Some((range.start.saturating_sub(addr) as usize / 4)..((range.end - addr) as usize / 4).min(values.len()))
        };
        // Only the exact filter writes several packets: all are written, or none.
        let before = self.exact.then(|| self.writer.mark());
        let first_kept = group(from).map_or(from, |g| g.start);
        let (mut start, mut behind) = (first_kept, first_kept);
        while start < values.len() {
            let mut end = start + 1;
            let mut i = start;
            while i < values.len() {
                let part = group(i).unwrap_or(i..i + 1);
                let kept = (part.start.max(i)..part.end).any(|k| differs(&self.shadow, k)) || i == start;
                if kept {
                    end = part.end;
                } else if self.exact && part.end - end > HEADER_DWORDS {
                    break;
                }
                i = part.end;
            }
            if let Err(error) = self.writer.set_regs(addr + 4 * start as u32, &values[start..end]) {
                before.into_iter().for_each(|mark| self.writer.return_to(mark));
                return Err(error);
            }
            behind = end;
            let Some(next) = (end..values.len()).find(|&k| differs(&self.shadow, k)) else { break };
            start = group(next).map_or(next, |g| g.start);
        }
        // Registers that were left out between packets hold their values already.
        for (k, value) in values.iter().enumerate().take(behind).skip(first_kept) {
            // The kernel masks registers with an index: they do not hold the written value.
            if has_index(k) { self.shadow.unset(first + k) } else { self.shadow.set(first + k, *value) }
        }
        self.seen = self.writer.len();
        Ok(())
    }

    /// Writes a list of registers, except those that already hold their values.
    ///
    /// # Errors
    /// The errors of [`Writer::set_list`].
    pub fn set_list(&mut self, list: &mut RegisterList) -> Result<(), WriteError> {
        self.catch_up();
        let (gfx, filters, indexed) = (self.writer.gfx(), self.shadow.filters(self.writer.len()), self.writer.options().indexed);
        let shadow = &self.shadow;
        let differs = |addr: u32, value: u32| {
            let slot = Shadow::slot(addr).filter(|_| filters && !(indexed && register_index(gfx, addr).is_some()));
            slot.is_none_or(|slot| shadow.get(slot) != Some(value))
        };
        self.scratch.clear();
        let mut kept_group = 0..0;
        let mut writes = list.settled();
        while let Some((addr, value)) = writes.next() {
            let group = register_group(gfx, addr);
            let kept = differs(addr, value)
                || kept_group.contains(&addr)
                || group.as_ref().is_some_and(|g| writes.clone().take_while(|(a, _)| g.contains(a)).any(|(a, v)| differs(a, v)));
            if kept {
                kept_group = group.unwrap_or(0..0);
                self.scratch.set(addr, value);
            }
        }
        self.writer.set_list(&mut self.scratch)?;
        self.catch_up();
        Ok(())
    }

    /// Writes CONTEXT_REG_RMW: the bits of `mask` become those of `data`. Omitted if the register is known to have them.
    ///
    /// # Errors
    /// The errors of [`Writer::packet`]; [`NoWindow`](WriteError::NoWindow) for a register that is not a context register.
    pub fn context_reg_rmw(&mut self, addr: u32, mask: u32, data: u32) -> Result<(), WriteError> {
        self.catch_up();
        let slot = Shadow::slot(addr).filter(|slot| *slot < 0x400).ok_or(WriteError::NoWindow { addr })?;
        let same = self.shadow.filters(self.writer.len()) && self.shadow.get(slot).is_some_and(|old| old & mask == data & mask);
        if same { Ok(()) } else { self.writer.emit(&ContextRegRmw { reg_offset: slot as u32, reg_mask: mask, reg_data: data }) }
    }

    /// Copies a packet of another stream, for the same generation and queue. A SET packet is left out where all of its registers are known to hold the values
    /// that it writes; other packets are copied as they are. So are SET packets with a register that has an index, and those of consecutive registers with the
    /// header bit reset_filter_cam, which asks for the write whatever the registers hold.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{FilteredWriter, Queue, Reader, Stream};
    ///
    /// // SET_CONTEXT_REG DB_SHADER_CONTROL and DRAW_INDEX_AUTO, twice.
    /// let redundant = [0xC001_6900, 0x203, 1, 0xC001_2D00, 3, 2, 0xC001_6900, 0x203, 1, 0xC001_2D00, 3, 2];
    /// let mut filtered = FilteredWriter::new(Stream::growable(Gfx::Gfx11, Queue::Graphics));
    /// for packet in Reader::new(&redundant).flatten() {
    ///     filtered.copy(&packet)?;
    /// }
    /// assert_eq!(filtered.words(), [0xC001_6900, 0x203, 1, 0xC001_2D00, 3, 2, 0xC001_2D00, 3, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Writer::packet_with`].
    pub fn copy(&mut self, packet: &Packet<'_>) -> Result<(), WriteError> {
        self.catch_up();
        if self.is_redundant(packet) { Ok(()) } else { self.packet_with(packet.header, packet.body) }
    }

    /// Returns whether a packet does nothing but write registers that hold its values.
    fn is_redundant(&self, packet: &Packet<'_>) -> bool {
        let gfx = self.writer.gfx();
        let holds = |write: RegisterWrite| {
            let slot = Shadow::slot(write.addr).filter(|_| register_index(gfx, write.addr).is_none());
            slot.is_some_and(|slot| self.shadow.get(slot) == Some(write.value))
        };
        let writes = packet.writes(gfx);
        let forced = packet.header.resets_filter_cam() && !writes.is_list();
        let mut writes = writes.peekable();
        self.shadow.filters(self.writer.len()) && !forced && writes.peek().is_some() && writes.all(holds)
    }

    /// Writes any packet: see [`Writer::packet_with`]. Register writes in the packet are always written; [`copy`](Self::copy) can omit them.
    ///
    /// # Errors
    /// The errors of [`Writer::packet_with`].
    pub fn packet_with(&mut self, header: Header, body: &[u32]) -> Result<(), WriteError> {
        self.writer.packet_with(header, body)
    }

    /// Writes a packet with all its fields: see [`Writer::emit`]. Register writes in the packet are always written.
    ///
    /// # Errors
    /// The errors of [`Writer::emit`].
    pub fn emit<P: Emit>(&mut self, packet: &P) -> Result<(), WriteError> {
        self.writer.emit(packet)
    }
}
