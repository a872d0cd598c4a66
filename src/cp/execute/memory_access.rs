//! Reads and writes memory for packets, and reports the findings that this causes.

use crate::cp::execute::engine::Engine;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Content, Fault, byte_address, canonical};
use crate::cp::state::past_values::Writer;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::state::transfers::Clash;
use crate::packet::{Packet, Queue};
use alloc::format;
use alloc::vec::Vec;

/// The most dwords of one write whose previous values are remembered; fences are short.
const FENCE: usize = 8;

impl<'a> Engine<'_, 'a> {
    /// Reads a dword for a packet; None if its value is unknown. Reports a read of unmapped memory.
    pub fn read_dword(&mut self, queue: &QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u64) -> Option<u32> {
        match queue.pipe.reads(self.memory, addr) {
            Content::Known(value) => Some(value),
            Content::Unknown => None,
            Content::Unmapped => {
                self.unmapped_read(queue, place, packet, addr, 4);
                None
            }
        }
    }

    /// Reports a read of unmapped memory.
    pub fn unmapped_read(&mut self, queue: &QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u64, bytes: u64) {
        let (name, severity) = (packet.name(self.gfx), if self.options.closed_memory { Severity::Error } else { Severity::Info });
        let verdict = Verdict::new(format!("the packet reads {bytes} bytes at 0x{addr:012x}, which is not mapped: the data read is unknown"))
            .severity(severity)
            .help("map a buffer at this address, or check the address");
        self.report_once(queue, place, name, &rules::UNMAPPED, verdict);
    }

    /// Writes consecutive dwords on behalf of ME or MEC; None is an unknown value. PFP must wait before it reads them. All that is wrong with the write is one
    /// finding.
    pub fn write_dwords(
        &mut self,
        queue: &mut QueueState<'a>,
        place: Place,
        name: Option<&'static str>,
        addr: u64,
        values: impl IntoIterator<Item = Option<u32>>,
    ) {
        let values: Vec<Option<u32>> = values.into_iter().collect();
        let bytes = 4 * values.len() as u64;
        // A write that PFP made when it ran ahead of ME is not repeated.
        if !(self.by_pfp && queue.written_ahead.remove(&queue.packets)) {
            self.note_past(place, addr, values.len(), Writer { queue: queue.id, pfp: self.by_pfp, later: false });
            self.store(queue, place, name, addr, values);
        }
        me_writes(queue, place, addr, bytes);
    }

    /// Records the current contents of dwords as past values before they are overwritten.
    pub fn note_past(&mut self, place: Place, addr: u64, dwords: usize, by: Writer) {
        for at in (0..dwords.min(FENCE)).map(|i| canonical(addr.wrapping_add(4 * i as u64))) {
            let (old, atomic) = (self.memory.known(at), self.atomic);
            self.memory.past.note(at, old, by, atomic, place);
        }
    }

    /// Writes consecutive dwords.
    pub fn store(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>, addr: u64, values: impl IntoIterator<Item = Option<u32>>) {
        let (mut bytes, mut fault) = (0, None);
        for value in values {
            let at = byte_address(addr.wrapping_add(bytes));
            if let Err(found) = self.memory.write(at, value, Some(place)) {
                fault = fault.or(Some((found, at)));
            }
            bytes += 4;
        }
        self.memory_fault(queue, place, name, addr, bytes, fault);
    }

    /// Reports what is wrong with a write.
    fn memory_fault(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>, addr: u64, bytes: u64, fault: Option<(Fault, u64)>) {
        match fault {
            Some((Fault::ReadOnly, at)) => {
                let verdict = Verdict::new(format!("the packet writes to 0x{at:012x}, which is mapped for reading only: a page fault"))
                    .severity(Severity::Error)
                    .help("map the memory as writable, or check the address");
                return self.report(queue, place, name, &rules::UNMAPPED, verdict);
            }
            Some((Fault::NoRoom, _)) => {
                let verdict = Verdict::new("the stream has written more memory than the model keeps: later writes are unknown")
                    .help("raise the limit of memory (CommandProcessor::max_memory) if the results depend on it");
                self.report_once(queue, place, name, &rules::MEMORY_LIMIT, verdict);
            }
            None => {}
        }
        self.unmapped_write(queue, place, name, addr, bytes);
    }

    /// Reports a write to unmapped memory, if the caller has stated that all memory is mapped.
    pub fn unmapped_write(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>, addr: u64, bytes: u64) {
        if !self.options.closed_memory || bytes == 0 {
            return;
        }
        let mapped = self.memory.mapped(addr, bytes);
        if mapped < bytes {
            let verdict = Verdict::new(format!("the packet writes to 0x{:012x}, which nothing maps: a page fault", canonical(addr) + mapped))
                .severity(Severity::Error)
                .help("map a buffer at this address, or check the address");
            self.report(queue, place, name, &rules::UNMAPPED, verdict);
        }
    }

    /// Checks memory used by a packet that copies, fills or writes: nothing orders it with accesses of another queue if neither queue has ever waited. Packets
    /// that may be skipped, and words of a part of a stream, are not checked.
    pub fn transfers(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>, writes: bool, addr: u64, bytes: u64) {
        if queue.has_waited || bytes == 0 || self.options.partial || queue.may_not_run() {
            return;
        }
        let Some(Clash { addr, other, queue: by, wrote }) = self.memory.transfers.note(queue.id, writes, addr, bytes, place) else { return };
        let (own, its) = (if writes { "written" } else { "read" }, if wrote { "writes" } else { "reads" });
        let verdict = Verdict::new(format!(
            "0x{addr:012x} is {own} here, and {by} {its} it as well: neither queue has waited for anything before, so nothing orders them"
        ))
        .note(format!("{by} {its} it with this packet"), Some(other))
        .help("let one of the queues write a fence after its packet, and the other wait for it; leave this unheeded if the kernel runs one after the other");
        self.report_once(queue, place, name, &rules::UNORDERED, verdict);
    }

    /// Checks memory that PFP reads: writes by ME since the two were last in sync may not be visible.
    pub fn pfp_reads(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, addr: u64, dwords: u64) {
        if queue.queue != Queue::Graphics || queue.history.nothing_unsynced() {
            return;
        }
        let addr = canonical(addr);
        let (running, released) = (queue.history.dma.first(addr, 4 * dwords), queue.history.released_dma.first(addr, 4 * dwords));
        if let Some((at, writer)) = running.or(released) {
            let verdict = Verdict::new(format!("PFP reads 0x{at:012x} here, but an earlier DMA without CP_SYNC writes it and may not have finished"))
                .note(format!("0x{at:012x} is written by the DMA engine"), Some(writer))
                .help(match running {
                    Some(_) => {
                        "set cp_sync (bit 31) in the last DMA_DATA before this packet, or send a DMA_DATA of 0 bytes with cp_sync; then send PFP_SYNC_ME"
                    }
                    None => "a RELEASE_MEM waits for the DMA engine: wait on PFP for that release, with WAIT_REG_MEM or a pixel wait sync",
                });
            self.report(queue, place, packet.name(self.gfx), &rules::NOT_SYNCED, verdict);
            queue.history.dma_is_done();
            return queue.history.reported(addr, 4 * dwords);
        }
        let name = packet.name(self.gfx);
        let unsynced = &queue.history.unsynced;
        let (early, late) = (unsynced.first(addr, 4 * dwords), queue.history.at_pipe_end.first(addr, 4 * dwords));
        // A wait for the end of the pipe is also a wait for ME.
        let is_unawaited = |(at, writer): &(u64, Place)| unsynced.first(*at, 4).is_some_and(|(_, last)| last == *writer);
        let unawaited = queue.history.at_pipe_end.within(addr, 4 * dwords).find(is_unawaited);
        let at_pipe_end = |(at, writer): (u64, Place), severity, waited: &str| {
            Verdict::new(format!("PFP reads 0x{at:012x} here, and the end of the pipe writes it; {waited}: the packet may see the old contents"))
                .severity(severity)
                .note(format!("0x{at:012x} is written at the end of the pipe"), Some(writer))
                .help("wait for the write with WAIT_REG_MEM, on PFP (engine_sel = 1) or on ME with a PFP_SYNC_ME after it")
        };
        let verdict = match (unawaited, early, late) {
            (Some(write), ..) => at_pipe_end(write, Severity::Error, "nothing has waited for that, and PFP runs ahead of ME"),
            (None, Some((at, writer)), _) => {
                Verdict::new(format!("PFP reads 0x{at:012x} here, but ME writes it earlier, and PFP runs ahead of ME: the packet may see the old contents"))
                    .note(format!("0x{at:012x} is written by ME"), Some(writer))
                    .help("put PFP_SYNC_ME between the two packets, or an ACQUIRE_MEM (engine_sel = 0) or WAIT_REG_MEM (engine_sel = 1) that PFP executes")
            }
            (None, None, Some(write)) => at_pipe_end(write, Severity::Warning, "PFP has waited for ME, which does not wait for that"),
            (None, None, None) => return,
        };
        self.report(queue, place, name, &rules::NOT_SYNCED, verdict);
        match early {
            Some(_) => queue.history.reported(addr, 4 * dwords),
            // A missing wait for ME after this is a separate finding.
            None => queue.history.at_pipe_end.remove(addr, 4 * dwords),
        }
    }
}

/// Records memory that ME writes, now or at the end of the pipe: PFP must wait before it reads it. The message does not depend on the time of the write.
pub(in crate::cp) fn me_writes(queue: &mut QueueState<'_>, place: Place, addr: u64, bytes: u64) {
    if queue.queue == Queue::Graphics {
        queue.history.unsynced.insert(canonical(addr), bytes, place);
    }
}
