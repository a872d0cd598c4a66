//! Ranges of packets that may be skipped.

use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::generated::structs::{CondExec, PredExec};
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::position::Span;
use crate::packet::write::writer::Writer;

/// The largest range: the count has 14 bits.
const MAX_SPAN: usize = 0x3FFF;

impl<B: Buffer> Writer<B> {
    /// Writes COND_EXEC around packets: they run if the dword at `addr` is not 0 at that time.
    ///
    /// # Errors
    /// [`FieldMisaligned`](WriteError::FieldMisaligned) unless `addr` is a multiple of 4, [`AddressTooWide`](WriteError::AddressTooWide),
    /// [`NotAvailable`](WriteError::NotAvailable), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain), what `packets` returns
    /// ([`SpanSplit`](WriteError::SpanSplit) after 16383 dwords), and [`SpanOpen`](WriteError::SpanOpen) if it leaves a range of its own unfinished. On an
    /// error, neither the packet nor the range is written.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.cond_exec(0x1000, |w| w.num_instances(2))?;
    /// assert_eq!(stream.words(), [0xC003_2200, 0x1000, 0, 0, 2, 0xC000_2F00, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn cond_exec(&mut self, addr: u64, packets: impl FnOnce(&mut Self) -> Result<(), WriteError>) -> Result<(), WriteError> {
        self.all_or_nothing(|writer| {
            match writer.queue() {
                Queue::Compute => on_gfx!(packet writer.gfx(), p => {
                    Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => writer.emit(&p::CondExecCompute { addr, ..Default::default() }),
                }),
                _ => writer.emit(&CondExec { addr, ..Default::default() }),
            }?;
            writer.span(packets)
        })
    }

    /// Writes PRED_EXEC around packets: they run on the devices of a linked group whose bit is set.
    ///
    /// # Errors
    /// The errors of [`cond_exec`](Self::cond_exec), except those of the address.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.pred_exec(0b10, |w| w.num_instances(2))?;
    /// assert_eq!(stream.words(), [0xC000_2300, 0x0200_0002, 0xC000_2F00, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn pred_exec(&mut self, devices: u8, packets: impl FnOnce(&mut Self) -> Result<(), WriteError>) -> Result<(), WriteError> {
        self.all_or_nothing(|writer| {
            writer.emit(&PredExec { device_select: devices.into(), ..Default::default() })?;
            writer.span(packets)
        })
    }

    /// Writes packets, and puts their number of dwords into the count at the end of the previous packet.
    fn span(&mut self, packets: impl FnOnce(&mut Self) -> Result<(), WriteError>) -> Result<(), WriteError> {
        let start = self.len();
        self.end = self.end.min(start + MAX_SPAN);
        self.spans.push(Span { start, end: self.end, grows: true });
        let result = packets(self);
        self.break_run();
        let dwords = self.len() - start;
        if let Some(count) = self.buffer.word_mut(start - 1) {
            *count |= dwords as u32;
        }
        // If an enclosing range ends with this one, both are closed.
        let mut left = 0;
        if let Some(own) = self.spans.iter().rposition(|span| span.grows && span.start == start) {
            if self.spans.len() > own + 1 {
                left = self.missing_dwords();
            }
            self.spans.remove(own);
        }
        self.close_spans(self.spans.len());
        result?;
        if left > 0 { Err(WriteError::SpanOpen { left }) } else { Ok(()) }
    }

    /// Records that COND_EXEC or PRED_EXEC was written: the next `dwords` dwords must be whole packets.
    pub(in crate::packet) fn open_span(&mut self, dwords: usize) {
        if dwords > 0 {
            let start = self.len();
            self.end = start + dwords;
            self.spans.push(Span { start, end: self.end, grows: false });
        }
    }

    /// Checks that `dwords` more end at the end of a range or before.
    #[inline]
    pub(in crate::packet) fn admit(&mut self, packet: Opcode, dwords: usize) -> Result<(), WriteError> {
        if self.len() + dwords <= self.end { Ok(()) } else { self.admit_after(packet, dwords) }
    }

    #[cold]
    fn admit_after(&mut self, packet: Opcode, dwords: usize) -> Result<(), WriteError> {
        let at = self.len();
        let open = self.spans.iter().take_while(|span| span.grows || span.end > at).count();
        self.close_spans(open);
        if at + dwords <= self.end { Ok(()) } else { Err(WriteError::SpanSplit { packet, dwords, left: self.end - at }) }
    }

    /// Closes all ranges except the outer `open` ones.
    pub(in crate::packet) fn close_spans(&mut self, open: usize) {
        self.spans.truncate(open);
        self.end = self.spans.last().map_or(usize::MAX, |span| span.end);
    }

    /// Returns whether the last packet may be skipped.
    #[inline]
    pub(in crate::packet) fn in_span(&self) -> bool {
        self.spans.last().is_some_and(|span| span.start < self.len() && self.len() <= span.end)
    }

    /// Returns whether a register that is written here certainly holds its value afterwards in all instances: nothing may skip the write, and no choice of
    /// instances restricts it.
    pub(crate) fn is_certain(&self) -> bool {
        let (banked, skipped_until) = self.uncertain();
        !banked && self.len() >= skipped_until
    }

    /// Returns the number of dwords that are still missing in a range that may be skipped.
    pub(crate) fn missing_dwords(&self) -> usize {
        if self.spans.is_empty() { 0 } else { self.end.saturating_sub(self.len()) }
    }
}
