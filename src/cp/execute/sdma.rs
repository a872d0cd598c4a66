//! SDMA queues: copies, fills, writes, fences, polls, calls.
//!
//! Copies and writes of one queue may overlap in hardware. The model runs them in order, and a reader that does not wait for the engine sees either value.

use crate::cp::execute::engine::{Engine, Flow, Step};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::{self, SdmaView};
use crate::cp::state::block::{Answer, Block, Test, Until};
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Content, byte_address, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::plurals::counted;
use crate::queues::{Damage, DamageKind, EffectKind, MemoryEffect, QueuePacket, QueueReader, Version, Window, is_wide};
use alloc::format;
use alloc::string::ToString;

/// The most bytes of a copy or fill to execute; the destination of a longer one becomes unknown.
const LONGEST: u64 = 1 << 24;
/// The most rows of a window to copy one by one.
const MOST_ROWS: u64 = 1 << 16;
/// The deepest nesting of calls: no driver calls from a called buffer, and no source states what happens.
const DEEPEST: usize = 8;
/// The poll count that means "forever" (Linux 7.1.8 sdma_v6_0.c emit_pipeline_sync).
const ENDLESS: u64 = 0xFFF;
/// Atomic operations: 32-bit compare and swap, and 64-bit addition (IGT b3d809d5 amd_ip_blocks.c, ROCr sdma_registers.h).
const COMPARE_AND_SWAP: u64 = 8;
const ADD_64: u64 = 47;

impl<'a> Engine<'_, 'a> {
    /// Executes the next packet of an SDMA queue.
    pub fn step_sdma(&mut self, queue: &mut QueueState<'a>, version: Version) -> Step {
        let Some(frame) = queue.frames.last_mut() else {
            let Some(next) = queue.pending.pop_front() else { return Step::Done };
            queue.turns_off += 1;
            // A kernel writes a fence between the buffers that it submits.
            if !next.ring {
                queue.unfinished.clear();
            }
            queue.frames.push(next);
            return Step::Ran(1);
        };
        if frame.is_done() {
            queue.skip = 0;
            queue.turns_off += 1;
            queue.frames.pop();
            return Step::Ran(1);
        }
        if queue.skip > 0 {
            let skipped = queue.skip.min(frame.rest().len());
            queue.turns_off += 1;
            *self.dwords += skipped as u64;
            frame.offset += skipped;
            queue.skip = 0;
            return Step::Ran(1);
        }
        let words = frame.words.clone();
        let (offset, place) = (frame.offset, frame.place(frame.offset));
        match QueueReader::new(version, words.as_slice().get(offset..).unwrap_or_default()).next() {
            None => {}
            Some(Err(damage)) => {
                self.unread(queue, place, &damage);
                *self.dwords += damage.dwords as u64;
                queue.turns_off += 1;
                if let Some(frame) = queue.frames.last_mut() {
                    frame.offset += damage.dwords;
                }
            }
            Some(Ok(packet)) => {
                let again = queue.block.is_some_and(|block| block.place == place);
                if !again {
                    self.judge_sdma(queue, place, &packet);
                }
                (self.by_pfp, self.atomic) = (false, false);
                let flow = self.perform_sdma(queue, place, &packet);
                if flow == Flow::Blocked {
                    return Step::Blocked;
                }
                let dwords = packet.words.len();
                queue.turns_off += u64::from(flow == Flow::Jumped);
                // A call has pushed its buffer.
                let own = if flow == Flow::Jumped { queue.frames.iter_mut().rev().nth(1) } else { queue.frames.last_mut() };
                if let Some(frame) = own {
                    frame.offset += dwords;
                }
                self.passed(queue, 1, dwords as u64);
                if let Flow::Skip(dwords) = flow {
                    queue.skip = dwords;
                }
            }
        }
        Step::Ran(1)
    }

    /// Gives up a poll: the queue continues after it. The result of an atomic operation is unknown.
    pub fn give_up_sdma(&mut self, queue: &mut QueueState<'a>, version: Version) {
        queue.block = None;
        let Some(frame) = queue.frames.last_mut() else { return };
        let words = frame.words.clone();
        let Some(Ok(packet)) = QueueReader::new(version, words.as_slice().get(frame.offset..).unwrap_or_default()).next() else { return };
        frame.offset += packet.words.len();
        self.lose_effects(&packet);
        self.passed(queue, 1, packet.words.len() as u64);
    }

    /// Handles words that are not a packet: the words after them are lost and may have done anything.
    fn unread(&mut self, queue: &mut QueueState<'a>, place: Place, damage: &Damage) {
        let (rule, verdict) = match damage.kind {
            DamageKind::NoPacket { .. } => {
                let help = match damage.kind {
                    DamageKind::NoPacket { swapped: Some(_), .. } => "put the opcode into bits 7:0 of the header, and sub_op into bits 15:8",
                    _ if taken_too_much(queue) => "the WRITE_UNTILED before it has taken one dword too many: its count is dwords - 1",
                    _ => "check the lengths of the packets before this one: the stream may have been out of sync for a while",
                };
                (&rules::UNKNOWN_OPCODE, Verdict::new(damage.to_string()).help(help))
            }
            DamageKind::Truncated { name, wanted, available } => {
                let one_more = name == "WRITE_UNTILED" && wanted == Some(available + 1);
                let verdict = Verdict::new(format!("{damage}: the engine would read what follows the buffer in memory as the rest of the packet"))
                    .help(if one_more { "write one less: count is dwords - 1" } else { "check the length of the buffer, and the count of this packet" });
                (&rules::TRUNCATED, if self.options.partial { verdict.severity(Severity::Warning) } else { verdict })
            }
        };
        self.report(queue, place, None, rule, verdict);
        self.memory.lose_all();
    }

    /// Judges a packet, whatever memory contains.
    fn judge_sdma(&mut self, queue: &QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        let header = packet.words[0];
        let (op, _) = packet.numbers();
        let sub_op = header >> 8 & 0xFF;
        if !packet.format.knows_sub_opcode(sub_op) {
            let meant = packet.version.format_of(header & !0xFFFF | op << 8 | sub_op).filter(|format| format.name != packet.name());
            let what = if packet.name() == "NOP" { "padding" } else { packet.name() };
            let verdict = Verdict::new(format!("{what} with sub_op {sub_op:#x}: no driver writes one"));
            let verdict = match meant {
                Some(format) => verdict.help(format!(
                    "opcode and sub_op are exchanged if {} is meant: opcode {} in bits 7:0, sub_op {} in bits 15:8",
                    format.name,
                    format.opcode(packet.version),
                    format.sub_opcode().unwrap_or(0)
                )),
                None => verdict.help("write 0, or check the lengths of the packets before this one"),
            };
            self.report(queue, place, Some(packet.name()), &rules::HEADER_BITS, verdict);
        }
        let ring = queue.in_ring() && !self.options.user_queues;
        let view = SdmaView { packet, at: (!self.options.partial).then_some(place.dword as usize) };
        for (rule, judge) in rules::SDMA_JUDGES.iter().filter(|(rule, _)| !(ring && rule.not_in_rings)) {
            if let Some(verdict) = judge(&view) {
                self.report_once(queue, place, Some(packet.name()), rule, verdict);
            }
        }
        for effect in packet.memory() {
            let aligned = match packet.name() {
                "FENCE" | "WRITE_UNTILED" | "COND_EXE" | "SEMAPHORE" | "MEM_INCR" | "POLL_REG_WRITE_MEM" => 4,
                "WRITE_INCR" | "TIMESTAMP_GET" | "TIMESTAMP_GET_GLOBAL" => 8,
                "ATOMIC" => effect.bytes,
                "CONSTANT_FILL" if packet.value("fillsize") == Some(2) => 4,
                "INDIRECT" => 32,
                _ => 1,
            };
            // The value in the packet, including bits that the engine ignores.
            let said = packet.format.effects.iter().find(|other| other.kind == effect.kind).and_then(|other| packet.address(other.addr)).unwrap_or(effect.addr);
            self.misaligned(queue, place, packet, said, aligned);
        }
        if packet.name() == "POLL_REGMEM" && packet.value("mem_poll") == Some(1) {
            self.misaligned(queue, place, packet, packet.address("addr").unwrap_or(0), 4);
        }
    }

    fn misaligned(&mut self, queue: &QueueState<'a>, place: Place, packet: &QueuePacket<'_>, addr: u64, aligned: u64) {
        if aligned > 1 && !addr.is_multiple_of(aligned) {
            let verdict = Verdict::new(format!("address 0x{addr:012x} is not a multiple of {aligned}: no driver writes such an address here"))
                .severity(Severity::Warning)
                .help(format!("align it to {} and check what it was made of", counted(aligned, "byte")));
            self.report(queue, place, Some(packet.name()), &rules::MISALIGNED, verdict);
        }
    }

    fn perform_sdma(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) -> Flow {
        let name = packet.name();
        let first = queue.block.is_none_or(|block| block.place != place);
        if first {
            for effect in packet.memory().iter().filter(|effect| matches!(effect.kind, EffectKind::Read | EffectKind::Change)) {
                self.sdma_reads(queue, place, name, effect);
            }
        }
        if first && self.in_flight(queue, place, packet) {
            self.lose_effects(packet);
            return Flow::Next;
        }
        let value = |field: &str| packet.value(field).unwrap_or(0);
        let addr = |field: &str| packet.address(field).unwrap_or(0);
        match name {
            "COPY_LINEAR" => self.copy_bytes(queue, place, name, addr("src_addr"), addr("dst_addr"), value("count") + 1),
            "COPY_BROADCAST_LINEAR" => {
                for dst in ["dst1_addr", "dst2_addr"] {
                    self.copy_bytes(queue, place, name, addr("src_addr"), addr(dst), value("count") + 1);
                }
            }
            "COPY_LINEAR_SUBWIN" => match packet.window("src").zip(packet.window("dst")) {
                Some((src, dst)) => self.copy_window(queue, place, name, &src, &dst),
                None => self.memory.lose_all(),
            },
            "WRITE_UNTILED" => {
                let data = packet.all("data0");
                self.write_dwords(queue, place, Some(name), addr("dst_addr"), data.iter().map(|word| Some(*word as u32)));
            }
            "FENCE" => self.write_dwords(queue, place, Some(name), addr("addr"), [Some(value("data") as u32)]),
            "CONSTANT_FILL" => self.fill(queue, place, packet),
            "WRITE_INCR" => self.write_incr(queue, place, packet),
            "TIMESTAMP_GET" | "TIMESTAMP_GET_GLOBAL" => self.write_dwords(queue, place, Some(name), addr("write_addr"), [None, None]),
            "ATOMIC" => return self.sdma_atomic(queue, place, packet),
            "POLL_REGMEM" => return self.poll(queue, place, packet),
            "COND_EXE" => {
                let skipped = value("exec_count") as usize;
                self.check_skipped(queue, place, packet, skipped);
                return match self.memory.known(canonical(addr("addr"))) {
                    Some(word) if u64::from(word) == value("reference") => Flow::Next,
                    Some(_) => Flow::Skip(skipped),
                    None => self.may_run(queue, packet, skipped),
                };
            }
            // The model has one engine and does not know its number.
            "PRE_EXE" => {
                let skipped = value("exec_count") as usize;
                self.check_skipped(queue, place, packet, skipped);
                return self.may_run(queue, packet, skipped);
            }
            "INDIRECT" => return self.call(queue, place, packet),
            _ => self.lose_effects(packet),
        }
        Flow::Next
    }

    /// Returns whether a packet uses memory that earlier copies may still be writing; its results are then unknown. Records the packet's own writes.
    fn in_flight(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) -> bool {
        let name = packet.name();
        if !matches!(name, "COPY_LINEAR" | "COPY_BROADCAST_LINEAR" | "WRITE_UNTILED" | "CONSTANT_FILL" | "WRITE_INCR") {
            // Packets that are ordered after copies, and packets that may be: a poll, and those for which no source states the order.
            if !matches!(name, "COPY_LINEAR_SUBWIN" | "COND_EXE" | "INDIRECT") {
                queue.unfinished.clear();
            }
            return false;
        }
        let effects = packet.memory();
        for effect in effects.iter().filter(|effect| matches!(effect.kind, EffectKind::Read | EffectKind::Write)) {
            self.transfers(queue, place, Some(name), effect.kind == EffectKind::Write, effect.addr, effect.bytes);
        }
        let clash = effects.iter().find_map(|effect| {
            let (at, writer) = queue.unfinished.first(byte_address(effect.addr), effect.bytes)?;
            Some((effect.kind, at, writer))
        });
        if let Some((kind, at, writer)) = clash {
            let verdict = if kind == EffectKind::Read {
                Verdict::new(format!("0x{at:012x} is read, which a packet before it writes and may not have finished: the old contents may be copied"))
            } else {
                Verdict::new(format!("0x{at:012x} is written, which a packet before it writes as well and may not have finished: either may be the last"))
            };
            let verdict = verdict.note(format!("0x{at:012x} is written here"), Some(writer)).help("put a NOP (a word of 0) or a FENCE between the two packets");
            self.report(queue, place, Some(name), &rules::NOT_FINISHED, verdict);
        }
        for effect in effects.iter().filter(|effect| effect.kind == EffectKind::Write) {
            queue.unfinished.insert(byte_address(effect.addr), effect.bytes, place);
        }
        clash.is_some()
    }

    /// Handles a packet that the model does not execute: everything that it may write becomes unknown.
    fn lose_effects(&mut self, packet: &QueuePacket<'_>) {
        let anything = |kind: EffectKind| matches!(kind, EffectKind::Tiled | EffectKind::Unknown | EffectKind::Call | EffectKind::Pm4);
        if packet.format.effects.iter().any(|effect| anything(effect.kind)) {
            return self.memory.lose_all();
        }
        for effect in packet.memory() {
            if matches!(effect.kind, EffectKind::Write | EffectKind::Change) {
                self.memory.lose(effect.addr, effect.bytes);
            }
        }
    }

    /// Handles dwords that run depending on an unknown condition: everything that they may write becomes unknown.
    fn may_run(&mut self, queue: &QueueState<'a>, packet: &QueuePacket<'_>, dwords: usize) -> Flow {
        let words = queue.frames.last().map(|frame| frame.words.clone());
        let rest = words.as_ref().zip(queue.frames.last()).and_then(|(words, frame)| words.as_slice().get(frame.offset + packet.words.len()..));
        let rest = rest.unwrap_or_default();
        for item in QueueReader::new(packet.version, rest.get(..dwords).unwrap_or(rest)) {
            match item {
                Ok(packet) => self.lose_effects(&packet),
                Err(_) => self.memory.lose_all(),
            }
        }
        Flow::Skip(dwords)
    }

    /// Checks that the dwords skipped by a condition are whole packets of the same buffer. A ring wraps around, so there the end of a span is unknown.
    fn check_skipped(&mut self, queue: &QueueState<'a>, place: Place, packet: &QueuePacket<'_>, dwords: usize) {
        let Some(frame) = queue.frames.last() else { return };
        let words = frame.words.clone();
        let rest = words.as_slice().get(frame.offset + packet.words.len()..).unwrap_or_default();
        let ends = QueueReader::new(packet.version, rest).map_while(Result::ok).map(|packet| packet.offset + packet.words.len());
        let end = core::iter::once(0).chain(ends).find(|end| *end >= dwords);
        let text = match end {
            Some(end) if end == dwords => return,
            Some(end) => format!(
                "the packet skips {}, and the skip ends inside another packet (which ends {} after the start of the skip): the engine would execute data as packets",
                counted(dwords, "dword"),
                counted(end, "dword")
            ),
            None if rest.len() >= dwords || frame.ring || self.options.partial && !frame.sized => return,
            None => format!("the packet skips {}, but the buffer has only {} left", counted(dwords, "dword"), counted(rest.len(), "dword")),
        };
        let verdict = Verdict::new(text).field("exec_count").help("set exec_count to the sum of the dwords of the packets that it covers");
        self.report(queue, place, Some(packet.name()), &rules::BAD_SPAN, verdict);
    }

    fn sdma_reads(&mut self, queue: &QueueState<'a>, place: Place, name: &'static str, effect: &MemoryEffect) {
        if self.memory.mapped(effect.addr, effect.bytes) < effect.bytes && self.memory.read(effect.addr) == Content::Unmapped {
            let severity = if self.options.closed_memory { Severity::Error } else { Severity::Info };
            let (addr, bytes) = (canonical(effect.addr), effect.bytes);
            let verdict = Verdict::new(format!("the packet reads {bytes} bytes at 0x{addr:012x}, which is not mapped: the data read is unknown"))
                .severity(severity)
                .help("map a buffer at this address, or check the address");
            self.report_once(queue, place, Some(name), &rules::UNMAPPED, verdict);
        }
    }

    /// Copies bytes; dwords that are copied partially become unknown.
    fn copy_bytes(&mut self, queue: &mut QueueState<'a>, place: Place, name: &'static str, src: u64, dst: u64, bytes: u64) {
        let (src, dst) = (byte_address(src), byte_address(dst));
        let whole = [src, dst, bytes].iter().all(|value| value.is_multiple_of(4));
        let nothing = self.memory.mapped(src, bytes) == 0 && self.memory.read(src) == Content::Unmapped;
        if !whole || nothing || bytes > LONGEST || overlap(src, dst, bytes) {
            self.unmapped_write(queue, place, Some(name), dst, bytes);
            return self.memory.lose(dst, bytes);
        }
        let values: alloc::vec::Vec<Option<u32>> = (0..bytes / 4).map(|at| self.memory.known(src + 4 * at)).collect();
        *self.dwords += bytes / 4;
        self.write_dwords(queue, place, Some(name), dst, values);
    }

    fn copy_window(&mut self, queue: &mut QueueState<'a>, place: Place, name: &'static str, src: &Window, dst: &Window) {
        let [width, height, depth] = src.extent;
        let row = width.saturating_mul(src.element);
        if row.saturating_mul(height).saturating_mul(depth) > LONGEST || height.saturating_mul(depth) > MOST_ROWS {
            self.unmapped_write(queue, place, Some(name), dst.addr.wrapping_add(dst.first), dst.last - dst.first);
            return self.memory.lose(dst.addr.wrapping_add(dst.first), dst.last - dst.first);
        }
        let at = |window: &Window, y: u64, z: u64| {
            window.addr.wrapping_add(window.first).wrapping_add(y.wrapping_mul(window.pitch)).wrapping_add(z.wrapping_mul(window.slice))
        };
        for z in 0..depth {
            for y in 0..height {
                self.copy_bytes(queue, place, name, at(src, y, z), at(dst, y, z), row);
            }
        }
    }

    /// CONSTANT_FILL. In a byte fill it is not known which byte of the value counts, unless all bytes are equal.
    fn fill(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        let (addr, bytes, data) = (byte_address(packet.address("dst_addr").unwrap_or(0)), value("count") + 1, value("src_data_31_0") as u32);
        let one_byte = data == (data & 0xFF) * 0x0101_0101;
        // ROCr counts (dwords - 1) * 4: the last dword is written too.
        let dwords = value("fillsize") == 2;
        let bytes = if dwords { bytes.next_multiple_of(4) } else { bytes };
        if bytes > LONGEST || !dwords && !one_byte || !addr.is_multiple_of(4) || !bytes.is_multiple_of(4) {
            self.unmapped_write(queue, place, Some(packet.name()), addr, bytes);
            return self.memory.lose(addr, bytes);
        }
        *self.dwords += bytes / 4;
        self.write_dwords(queue, place, Some(packet.name()), addr, (0..bytes / 4).map(|_| Some(data)));
    }

    /// WRITE_INCR: writes 64-bit values, each combined with the mask.
    fn write_incr(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        let wide = |low: &str, high: &str| value(high) << 32 | value(low);
        let (mask, init, incr) = (wide("mask_dw0", "mask_dw1"), wide("init_dw0", "init_dw1"), wide("incr_dw0", "incr_dw1"));
        let count = (value("count") + 1).min(LONGEST / 8);
        let values = (0..count).flat_map(|at| {
            let entry = init.wrapping_add(at.wrapping_mul(incr)) | mask;
            [Some(entry as u32), Some((entry >> 32) as u32)]
        });
        *self.dwords += 2 * count;
        self.write_dwords(queue, place, Some(packet.name()), packet.address("dst_addr").unwrap_or(0), values);
    }

    fn sdma_atomic(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) -> Flow {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        let addr = canonical(packet.address("addr").unwrap_or(0));
        let (source, compare) = (packet.address("src_data").unwrap_or(0), packet.address("cmp_data").unwrap_or(0));
        let (low, high) = (self.memory.known(addr), self.memory.known(addr + 4));
        let whole = low.zip(high).map(|(low, high)| u64::from(high) << 32 | u64::from(low));
        self.atomic = true;
        match value("atomic_op") & 0x7F {
            COMPARE_AND_SWAP => {
                let test = Test { function: 3, mask: u32::MAX.into(), reference: compare & u64::from(u32::MAX), wide: false, signed: false };
                if value("loop") == 1 {
                    let flow = self.wait(queue, Block { place, packet: packet.name(), until: Until::Memory { addr, test }, pfp: false });
                    if flow == Flow::Blocked {
                        return flow;
                    }
                }
                match self.memory.known(addr).map(|word| test.passes(word.into())) {
                    Some(true) => self.write_dwords(queue, place, Some(packet.name()), addr, [Some(source as u32)]),
                    Some(false) => {}
                    None => self.memory.lose(addr, 4),
                }
            }
            ADD_64 => {
                let sum = whole.map(|value| value.wrapping_add(source));
                self.write_dwords(queue, place, Some(packet.name()), addr, [sum.map(|sum| sum as u32), sum.map(|sum| (sum >> 32) as u32)]);
            }
            op => self.memory.lose(addr, if is_wide(op) { 8 } else { 4 }),
        }
        Flow::Next
    }

    /// POLL_REGMEM. Registers are not modelled: a poll of a register ends at once.
    fn poll(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) -> Flow {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        if value("mem_poll") == 0 || value("hdp_flush") == 1 || value("func") == 0 {
            return Flow::Next;
        }
        let test = Test { function: value("func") as u32, mask: value("mask"), reference: value("value"), wide: false, signed: false };
        let until = Until::Memory { addr: canonical(packet.address("addr").unwrap_or(0)), test };
        // The engine continues after this number of polls.
        if value("retry_count") != ENDLESS && self.holds(queue, until) != Answer::Yes {
            return Flow::Next;
        }
        let flow = self.wait(queue, Block { place, packet: packet.name(), until, pfp: false });
        if flow == Flow::Next
            && let Until::Memory { addr, .. } = until
        {
            self.fences.remove(&addr);
        }
        flow
    }

    /// INDIRECT: runs a buffer and returns.
    fn call(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) -> Flow {
        let name = Some(packet.name());
        let (addr, dwords) = (canonical(packet.address("ib_base").unwrap_or(0)), packet.value("ib_size").unwrap_or(0));
        if dwords == 0 {
            let verdict = Verdict::new(format!("the packet calls 0x{addr:012x} with a size of 0 dwords")).help("leave the packet out");
            self.report(queue, place, name, &rules::BAD_SIZE, verdict);
            return Flow::Next;
        }
        let runs = queue.frames.iter().any(|frame| frame.addr == Some(addr));
        if runs || queue.frames.len() > DEEPEST {
            let verdict = Verdict::new(format!("the packet calls 0x{addr:012x}, a buffer that is already running: it never ends"))
                .help("give the packet a separate buffer; a called buffer must not lead back to its caller");
            let verdict = if runs { verdict } else { verdict.severity(Severity::Warning) };
            self.report(queue, place, name, &rules::TOO_DEEP, verdict);
            self.memory.lose_all();
            return Flow::Next;
        }
        self.call_buffer(queue, place, name, addr, dwords)
    }
}

/// Returns whether the last packet before the damage writes dwords, and the words from its last dword on are whole packets.
fn taken_too_much(queue: &QueueState<'_>) -> bool {
    let (Some(frame), Some(version)) = (queue.frames.last(), queue.sdma) else { return false };
    let words = frame.words.as_slice();
    let last = QueueReader::new(version, words.get(..frame.offset).unwrap_or_default()).map_while(Result::ok).last();
    let back = frame.offset.saturating_sub(1);
    last.is_some_and(|packet| packet.name() == "WRITE_UNTILED") && QueueReader::new(version, words.get(back..).unwrap_or_default()).all(|packet| packet.is_ok())
}

/// Returns whether source and destination overlap: the result of a copy then depends on its direction.
fn overlap(src: u64, dst: u64, bytes: u64) -> bool {
    src != dst && src.abs_diff(dst) < bytes
}
