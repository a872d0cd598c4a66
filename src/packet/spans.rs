//! Ranges of packets that may be skipped.

use super::buffer::Buffer;
use super::opcode::Opcode;
use super::write_error::WriteError;
use super::writer::Writer;

/// The largest range: the count has 14 bits.
const MAX_SPAN: usize = 0x3FFF;

impl<B: Buffer> Writer<B> {
    /// COND_EXEC around packets: they run if the dword at `addr` is not 0 then.
    ///
    /// # Errors
    /// [`FieldMisaligned`](WriteError::FieldMisaligned) unless `addr` is a multiple of 4, [`NotAvailable`](WriteError::NotAvailable), what `packets` returns
    /// (what it wrote stays in the range), [`Span`](WriteError::Span) when it wrote more than 16383 dwords, and [`SpanOpen`](WriteError::SpanOpen) when it
    /// leaves a range of its own unfinished.
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
        self.packet(Opcode::COND_EXEC, &[addr as u32, (addr >> 32) as u32, 0, 0])?;
        self.span("COND_EXEC", packets)
    }

    /// PRED_EXEC around packets: they run on the devices of a linked group whose bit is set.
    ///
    /// # Errors
    /// Those of [`cond_exec`](Self::cond_exec) but for the address.
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
        self.packet(Opcode::PRED_EXEC, &[u32::from(devices) << 24])?;
        self.span("PRED_EXEC", packets)
    }

    /// Packets, and their dwords in the count that ends the packet before them.
    fn span(&mut self, packet: &'static str, packets: impl FnOnce(&mut Self) -> Result<(), WriteError>) -> Result<(), WriteError> {
        let start = self.len();
        let result = packets(self);
        self.break_run();
        // What stands in the range may not have run.
        self.invalidate_state();
        let dwords = self.len() - start;
        match self.buffer.word_mut(start - 1) {
            Some(count) if dwords <= MAX_SPAN => *count |= dwords as u32,
            _ => return Err(WriteError::Span { packet, dwords }),
        }
        result?;
        // A range around this one is filled later.
        let own = self.spans.last().is_some_and(|span| span.start >= start);
        match self.missing_dwords() {
            left if left > 0 && own => Err(WriteError::SpanOpen { left }),
            _ => Ok(()),
        }
    }

    /// COND_EXEC or PRED_EXEC was written: the next `dwords` are whole packets.
    pub(super) fn open_span(&mut self, dwords: usize) {
        if dwords > 0 {
            let start = self.len();
            self.end = start + dwords;
            self.spans.push(Span { start, end: self.end });
        }
    }

    /// Whether `dwords` more end at the end of a range or before.
    #[inline]
    pub(super) fn admit(&mut self, packet: Opcode, dwords: usize) -> Result<(), WriteError> {
        if self.len() + dwords <= self.end { Ok(()) } else { self.admit_behind(packet, dwords) }
    }

    #[cold]
    fn admit_behind(&mut self, packet: Opcode, dwords: usize) -> Result<(), WriteError> {
        let at = self.len();
        let open = self.spans.iter().take_while(|span| span.end > at).count();
        self.close_spans(open);
        if at + dwords <= self.end { Ok(()) } else { Err(WriteError::SpanSplit { packet, dwords, left: self.end - at }) }
    }

    /// Only the outer `open` ranges are left.
    pub(super) fn close_spans(&mut self, open: usize) {
        self.spans.truncate(open);
        self.end = self.spans.last().map_or(usize::MAX, |span| span.end);
    }

    /// Dwords that are still to come in a range that may be skipped.
    pub(super) fn missing_dwords(&self) -> usize {
        if self.spans.is_empty() { 0 } else { self.end.saturating_sub(self.len()) }
    }
}

/// Dwords behind a packet that it may skip.
pub(super) fn skipped(packet: Opcode, fixed: &[u32]) -> usize {
    let count = match packet {
        Opcode::COND_EXEC => fixed.get(3),
        Opcode::PRED_EXEC => fixed.first(),
        _ => None,
    };
    count.map_or(0, |word| *word as usize & MAX_SPAN)
}

/// A range that may be skipped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// Where its first packet starts.
    pub start: usize,
    /// The dword behind it.
    pub end: usize,
}
