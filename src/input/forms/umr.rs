//! Rings and buffers as printed by umr: stream text (`-RS`, `--dump-ib`), which omits lines for some words, and the older text of `-R`, which is complete.

use crate::chip::Gfx;
use crate::input::ground::ring_words::{self, Call, RunBy};
use crate::input::ground::text::{self, Line, hex, hex32};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace};
use crate::input::ground::{RingPointers, chips};
use crate::packet::{Header, Opcode, Reader};
use crate::plurals::counted;
use crate::regs::{self, Space};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

pub fn is(head: &Head<'_>) -> bool {
    head.is_text
        && text::lines(head.bytes).any(|line| {
            let text = line.text.trim_start();
            text.starts_with("Decoding IB at ") || stream_word(text).is_some() || old_ib_word(text).is_some() || old_ring_word(text).is_some()
        })
}

/// Reads `[0x1@0x100000000 + 0x0004]<tab>[        0x00000014]<tab>…`: VMID, base, offset in bytes, word, and the text after it.
fn stream_word(text: &str) -> Option<((u64, u64), u64, u32, &str)> {
    let (place, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (at, offset) = place.split_once(" + ")?;
    let (vmid, base) = at.split_once('@')?;
    let (value, behind) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    Some(((hex(vmid.trim())?, hex(base.trim())?), hex(offset.trim())?, hex32(value.trim())?, behind.trim()))
}

/// Reads `IB[3@0x800100200000 + 0x0   ] = 0xc0012800 …`.
fn old_ib_word(text: &str) -> Option<((u64, u64), u64, u32)> {
    let (place, rest) = text.strip_prefix("IB[")?.split_once(']')?;
    let (at, offset) = place.split_once('+')?;
    let (vmid, base) = at.trim().split_once('@')?;
    Some(((hex(vmid)?, hex(base)?), hex(offset.trim())?, hex32(text::first(rest.trim_start().strip_prefix('=')?))?))
}

/// Reads `vega20.gfx.ring[ 256] == 0xc0032200    r..  …`: ring, index in dwords, word.
fn old_ring_word(text: &str) -> Option<(&str, usize, u32)> {
    let (ring, rest) = text.split_once(".ring[")?;
    let (index, rest) = rest.split_once(']')?;
    let index = index.trim();
    let index = index.parse().ok().or_else(|| hex(index).and_then(|index| usize::try_from(index).ok()))?;
    Some((ring, index, hex32(text::first(rest.trim_start().strip_prefix("==")?))?))
}

/// A buffer, collected from its lines.
#[derive(Default)]
struct Pieces {
    line: usize,
    claimed: Option<usize>,
    /// Called from a ring or another buffer.
    called: bool,
    /// The kind of its packets, if they are not PM4.
    other: Option<&'static str>,
    /// Words by dword offset.
    words: BTreeMap<usize, Word>,
}

/// A word and what its line states.
struct Word {
    word: u32,
    /// The name of the register.
    register: Option<String>,
    /// A packet begins with this word.
    opens: bool,
}

/// A NOP of one dword, in place of packets that the input omits.
const FILLER: u32 = ring_words::NOP;

/// The longest accepted buffer in dwords; a larger offset is a misread.
const LONGEST: usize = 1 << 22;
/// Bytes of the longest ring: a larger value is an address, not an offset.
const RING_BYTES: u64 = 4 * LONGEST as u64;
/// The most dwords without a line to fill in, in all buffers of an input together.
const MOST_GAPS: usize = 1 << 24;

pub fn parse(bytes: &[u8], input: &mut Input) {
    read(bytes, input);
    submit_uncalled(input);
}

/// Reads the buffers and the ring.
pub(super) fn read(bytes: &[u8], input: &mut Input) {
    let mut order: Vec<(u64, u64)> = Vec::new();
    let mut buffers: BTreeMap<(u64, u64), Pieces> = BTreeMap::new();
    let mut ring = OldRing::default();
    let (mut ring_name, mut pointers) = (None, [None; 2]);
    for Line { number, text } in text::lines(bytes) {
        let text = text.trim_start();
        let mut at = |key: (u64, u64)| {
            if !buffers.contains_key(&key) {
                order.push(key);
            }
        };
        if let Some(head) = text.strip_prefix("Decoding IB at ").or_else(|| text.strip_prefix("Dumping IB at ")) {
            if let Some((key, dwords)) = heading(head) {
                at(key);
                let called = is_called(head, key, &buffers);
                let pieces = buffers.entry(key).or_default();
                (pieces.line, pieces.claimed, pieces.called) = (number, dwords, called);
            }
        } else if let Some((key, offset, word, behind)) = stream_word(text) {
            at(key);
            if input.gfx.is_none()
                && let Some(core) = core_of(behind)
            {
                (input.gfx, input.chip) = (core.gfx, input.chip.or(core.chip));
                input.facts.push(("graphics core", core.name));
            }
            let pieces = buffers.entry(key).or_default();
            pieces.other = pieces.other.or_else(|| other_packets(behind));
            let word = Word { word, register: register_of(behind), opens: behind.starts_with("Opcode ") };
            place(pieces, offset, word, number, input);
        } else if let Some((key, offset, word)) = old_ib_word(text) {
            at(key);
            place(buffers.entry(key).or_default(), offset, Word { word, register: None, opens: false }, number, input);
        } else if let Some((name, index, word)) = old_ring_word(text) {
            ring_name.get_or_insert_with(|| name.to_string());
            if index < LONGEST {
                ring.insert(index, word);
            } else {
                input.damage(InputPlace::Line(number), format!("dword {index} is beyond any ring: the line is left out"));
            }
        } else if let Some((which, value)) = pointer(text) {
            pointers[which] = pointers[which].or(Some(value));
        }
    }
    input.gfx = input.gfx.or_else(|| ring_name.as_deref().and_then(chip_of));
    if input.gfx.is_some_and(|_| input.chip.is_none()) {
        input.chip = ring_name.as_deref().and_then(|name| name.split('.').next()?.parse().ok());
    }
    let mut room = MOST_GAPS;
    for key in order {
        let Some(pieces) = buffers.remove(&key) else { continue };
        buffer(key, pieces, &mut room, input);
    }
    if !ring.words.is_empty() {
        old_ring(ring_name.unwrap_or_else(|| "ring".into()), ring, pointers, input);
    }
}

/// If no ring runs, submits the buffers that no other buffer calls, and the first buffer of each cycle of buffers that only call each other. The buffers that
/// they call run with them.
fn submit_uncalled(input: &mut Input) {
    if input.buffers.iter().any(|buffer| matches!(buffer.usage, BufferUse::Submitted | BufferUse::Ring)) {
        return;
    }
    let addr_of = |buffer: &InputBuffer| buffer.addr.filter(|_| buffer.usage == BufferUse::Memory).map(|addr| addr & ring_words::ADDRESS);
    // For each address, what the buffer there calls, except itself.
    let mut calls: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for buffer in &input.buffers {
        let Some(from) = addr_of(buffer) else { continue };
        let called = Reader::new(&buffer.words).flatten().filter_map(|packet| Call::of(&packet)).map(|call| call.addr);
        calls.entry(from).or_default().extend(called.filter(|to| *to != from));
    }
    let called: BTreeSet<u64> = calls.values().flatten().copied().collect();
    let (others, uncalled): (Vec<u64>, Vec<u64>) = input.buffers.iter().filter_map(addr_of).partition(|addr| called.contains(addr));
    let (mut chosen, mut reached) = (BTreeSet::new(), BTreeSet::new());
    for &addr in uncalled.iter().chain(&others) {
        if !reached.contains(&addr) {
            chosen.insert(addr);
            reach(addr, &calls, &mut reached);
        }
    }
    for buffer in &mut input.buffers {
        if addr_of(buffer).is_some_and(|addr| chosen.contains(&addr)) {
            buffer.usage = BufferUse::Submitted;
        }
    }
    if !chosen.is_empty() {
        let others = if others.iter().any(|addr| chosen.contains(addr)) { ", and of those that only call each other the first one" } else { "" };
        input.remark(InputPlace::Whole, format!("no ring that starts the buffers is in the input: those that no other buffer calls run{others}"));
    }
}

/// Adds an address and everything called from it.
fn reach(addr: u64, calls: &BTreeMap<u64, BTreeSet<u64>>, reached: &mut BTreeSet<u64>) {
    let mut open = alloc::vec![addr];
    while let Some(addr) = open.pop() {
        if reached.insert(addr) {
            open.extend(calls.get(&addr).into_iter().flatten());
        }
    }
}

/// Returns the kind of packets that a line shows if they are not PM4: umr prints a second number after the opcode of SDMA packets (umr sources 2021 and 2025
/// ring_stream_read.c) and names AQL packets `HSA_…`. Names of PM4 packets begin with PKT.
fn other_packets(behind: &str) -> Option<&'static str> {
    let (opcode, rest) = behind.strip_prefix("Opcode ")?.split_once(" [")?;
    let (name, rest) = rest.split_once(']')?;
    if opcode.contains('/') || rest.trim_start().starts_with("Sub-Opcode ") { Some("SDMA") } else { name.starts_with("HSA_").then_some("AQL (HSA)") }
}

/// The words of a ring, collected from their lines.
#[derive(Default)]
struct OldRing {
    words: BTreeMap<usize, u32>,
    last: Option<usize>,
    /// The number of dwords of the ring, known if dword 0 follows the largest dword.
    size: Option<usize>,
}

impl OldRing {
    fn insert(&mut self, index: usize, word: u32) {
        // umr prints in ring order and wraps around (umr sources 2019 ring_read.c umr_read_ring).
        let size = self.last.map_or(0, |last| last + 1);
        if index == 0 && size.is_power_of_two() && self.words.keys().next_back() == self.last.as_ref() {
            self.size = self.size.or(Some(size));
        }
        self.last = Some(index);
        self.words.insert(index, word);
    }
}

/// Returns the generation of the chip in a ring name, `vega20.gfx`.
fn chip_of(ring: &str) -> Option<Gfx> {
    ring.split('.').next()?.parse().ok().map(crate::chip::Chip::gfx)
}

/// Reads `vega20.gfx.rptr == 256`.
fn pointer(text: &str) -> Option<(usize, u64)> {
    let (name, value) = text.split_once("==")?;
    let which = match name.trim().rsplit('.').next()? {
        "rptr" => 0,
        "wptr" => 1,
        _ => return None,
    };
    Some((which, text::first(value).parse().ok()?))
}

/// Reads `0x1@0x100000000 from 0x0@0x191c of 16 words (type 4)` or `(gfxhub) VMID:3 0x800100200000 of 16 words from ring[270]`.
fn heading(text: &str) -> Option<((u64, u64), Option<usize>)> {
    let dwords = text.split_once(" of ").and_then(|(_, rest)| text::first(rest).parse().ok());
    let key = match text.split_once("VMID:") {
        Some((_, rest)) => {
            let mut parts = rest.split_whitespace();
            (hex(parts.next()?)?, hex(parts.next()?)?)
        }
        None => {
            let (vmid, base) = text::first(text).split_once('@')?;
            (hex(vmid)?, hex(base)?)
        }
    };
    Some((key, dwords))
}

/// Returns whether a heading says that another buffer starts this one. A ring has VMID 0, and umr prints that it starts from itself or from `0x0@0x0`, whatever
/// its own start is: the first printed dword, or the address of a user-space queue (umr sources 2025 umr_ring_stream_present). From that address, a ring starts
/// a buffer only if its first packet does.
fn is_called(head: &str, key: (u64, u64), buffers: &BTreeMap<(u64, u64), Pieces>) -> bool {
    let Some((_, from)) = head.split_once(" from ") else { return false };
    let from = heading(from).map(|(from, _)| from);
    if key.0 != 0 {
        return true;
    }
    if from == Some(key) || key.1 == 0 {
        return false;
    }
    let starts = |pieces: &Pieces| {
        pieces.words.get(&0).is_some_and(|line| Header(line.word).packet_type() == 3 && Header(line.word).opcode() == Opcode::INDIRECT_BUFFER)
    };
    from != Some((0, 0)) || buffers.get(&(0, 0)).is_some_and(starts)
}

/// Returns the register that a line names: `|---> gfx800.mmPA_SC_GENERIC_SCISSOR_TL=0x80000000`.
fn register_of(behind: &str) -> Option<String> {
    let (name, _) = behind.strip_prefix("|--->")?.trim_start().split_once('=')?;
    let name = name.rsplit('.').next()?;
    let name = name.strip_prefix("mm").or_else(|| name.strip_prefix("reg"))?;
    Some(name.to_string())
}

/// Returns the graphics core of the IP block in front of a register: `gfx1033` is version 10.3.3, unlike in LLVM's naming.
fn core_of(behind: &str) -> Option<chips::Core> {
    let (block, _) = behind.strip_prefix("|--->")?.trim_start().split_once('.')?;
    let digits = block.strip_prefix("gfx").filter(|digits| digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (major, rest) = digits.split_at(digits.len() - 2);
    let (minor, revision) = rest.split_at(1);
    Some(chips::of_core(major.parse().ok()?, minor.parse().ok()?, revision.parse().ok()?)).filter(|core| core.gfx.is_some())
}

fn place(pieces: &mut Pieces, offset: u64, word: Word, line: usize, input: &mut Input) {
    if pieces.line == 0 {
        pieces.line = line;
    }
    match usize::try_from(offset / 4).ok().filter(|dword| *dword < LONGEST && offset.is_multiple_of(4)) {
        Some(dword) => {
            pieces.words.insert(dword, word);
        }
        // AQL packets have 16-bit fields, which are not read.
        None if pieces.other.is_some() => {}
        None => input.damage(InputPlace::Line(line), format!("offset 0x{offset:x} is not a dword of a buffer: the line is left out")),
    }
}

/// Assembles the words of a buffer. umr omits lines for dwords without fields: in a packet that sets registers, the register offset follows from the name of
/// the first register; other dwords stay unknown.
fn buffer((vmid, base): (u64, u64), pieces: Pieces, room: &mut usize, input: &mut Input) {
    let name = format!("IB {vmid:#x}@{base:#x}");
    let have = pieces.words.keys().next_back().map_or(0, |last| last + 1);
    let length = pieces.claimed.filter(|claimed| *claimed < LONGEST).map_or(have, |claimed| if have < claimed { tail(&pieces, have, claimed) } else { have });
    let gaps = length - pieces.words.len();
    let length = if gaps <= *room {
        *room -= gaps;
        length
    } else {
        let kept = (0..).zip(pieces.words.keys()).take_while(|(place, dword)| place == *dword).count();
        let lost = counted(pieces.words.len() - kept, "line");
        let message = format!("{name}: this input leaves out more than {MOST_GAPS} dwords: what follows dword {kept} is not read ({lost})");
        input.damage(InputPlace::Line(pieces.line), message);
        kept
    };
    if let Some(packets) = pieces.other {
        let message = format!("{name} holds packets of {packets}, which are not PM4: they are neither decoded nor run");
        input.remark(InputPlace::Line(pieces.line), message);
        let words = (0..length).map(|dword| pieces.words.get(&dword).map_or(0, |line| line.word)).collect();
        let addr = (vmid != 0 || base >= RING_BYTES).then_some(base);
        return input.buffers.push(InputBuffer { words, addr, expected_dwords: pieces.claimed, ..InputBuffer::new(name, BufferUse::OtherEngine) });
    }
    let mut words: Vec<Option<u32>> = (0..length).map(|dword| pieces.words.get(&dword).map(|line| line.word)).collect();
    let (mut repaired, mut silent) = (0, 0);
    // A part of a ring may begin anywhere; everything before it is absent.
    let begin = if pieces.claimed.is_none() { words.iter().take_while(|word| word.is_none()).count() } else { 0 };
    let mut lacking: Vec<Range<usize>> = Vec::new();
    let mut at = begin;
    while let Some(word) = words.get(at).copied() {
        let Some(header) = word.map(Header) else {
            // A line says where the next packet begins.
            let next = pieces.words.range(at..).find(|(_, line)| line.opens).map_or(length, |(dword, _)| *dword);
            lacking.push(at..next);
            words[at..next].iter_mut().for_each(|word| *word = Some(FILLER));
            at = next;
            continue;
        };
        let next = at + header.dwords().max(1);
        let end = next.min(length);
        if words.get(at + 1) == Some(&None)
            && let Some(offset) = pieces.words.get(&(at + 2)).and_then(|line| offset_of(header.opcode(), line.register.as_deref()?, input.gfx))
        {
            words[at + 1] = Some(offset);
            repaired += 1;
        }
        // umr omits the body of a NOP, and no engine reads it.
        if header.packet_type() == 3 && header.opcode() == Opcode::NOP {
            for word in words[at + 1..end].iter_mut().filter(|word| word.is_none()) {
                *word = Some(0);
                silent += 1;
            }
        }
        at = next;
    }
    for (dword, _) in words.iter().enumerate().skip(begin).filter(|(_, word)| word.is_none()) {
        lacking.push(dword..dword + 1);
    }
    lacking.sort_unstable_by_key(|dwords| dwords.start);
    if let Some(first) = lacking.first() {
        let count = counted(lacking.iter().map(ExactSizeIterator::len).sum::<usize>(), "dword");
        let message = format!("{name}: no line for {count} (the first is dword {}): packets that have them are not judged", first.start);
        input.remark(InputPlace::Line(pieces.line), message);
    }
    let name = if begin > 0 { format!("{name} from dword {begin}") } else { name };
    let unknown = lacking.into_iter().map(|dwords| dwords.start - begin..dwords.end - begin).collect();
    if silent > 0 {
        let message = format!("{name}: no line for {} in the bodies of NOPs, which umr does not print: they count as 0", counted(silent, "dword"));
        input.remark(InputPlace::Line(pieces.line), message);
    }
    if repaired > 0 {
        input.remark(
            InputPlace::Line(pieces.line),
            format!("{name}: no line for the register offsets of {}: they follow from the names of registers", counted(repaired, "packet")),
        );
    }
    if let Some(claimed) = pieces.claimed.filter(|claimed| length < *claimed) {
        input.damage(InputPlace::Line(pieces.line), format!("{name}: {} announced, but only {length} present", counted(claimed, "dword")));
    }
    let used = if pieces.called { BufferUse::Memory } else { BufferUse::Submitted };
    let words = words.into_iter().skip(begin).map(Option::unwrap_or_default).collect();
    // VMID 0 with offsets is a ring; only user-space queues state an address. A part of a ring may end within a packet.
    let is_ring = vmid == 0 && !pieces.called;
    let used = if is_ring { BufferUse::Ring } else { used };
    let addr = Some(base).filter(|base| !is_ring || *base >= RING_BYTES).and_then(|base| base.checked_add(4 * begin as u64));
    let expected_dwords = if is_ring && at > length { Some(at - begin) } else { pieces.claimed };
    input.buffers.push(InputBuffer { words, addr, expected_dwords, unknown, ..InputBuffer::new(name, used) });
}

/// Returns the dwords missing at the end of a buffer: up to the end of its last packet.
fn tail(pieces: &Pieces, have: usize, claimed: usize) -> usize {
    let mut at = 0;
    while let Some(line) = pieces.words.get(&at) {
        let next = at + Header(line.word).dwords();
        if next >= have {
            return next.min(claimed);
        }
        at = next;
    }
    have
}

/// Returns the first body dword of a packet that sets registers, from its first register.
fn offset_of(opcode: Opcode, register: &str, gfx: Option<Gfx>) -> Option<u32> {
    let space = match opcode {
        Opcode::SET_CONTEXT_REG => Space::Context,
        Opcode::SET_SH_REG => Space::Sh,
        Opcode::SET_UCONFIG_REG => Space::Uconfig,
        Opcode::SET_CONFIG_REG => Space::Config,
        _ => return None,
    };
    let (_, start) = space.set_packet()?;
    let generations: Vec<Gfx> = match gfx {
        Some(gfx) => alloc::vec![gfx],
        None => crate::chip::Chip::all().map(crate::chip::Chip::gfx).collect(),
    };
    let mut places: Vec<u32> = generations.into_iter().filter_map(|gfx| regs::find(gfx, register)).map(|register| register.addr()).collect();
    places.dedup();
    // Without the generation, a register name identifies nothing if its offset differs between generations.
    match places[..] {
        [addr] if addr >= start && Space::of(addr) == Some(space) => Some((addr - start) / 4),
        _ => None,
    }
}

fn old_ring(name: String, ring: OldRing, pointers: [Option<u64>; 2], input: &mut Input) {
    let OldRing { words, size, .. } = ring;
    let (first, last) = (words.keys().next().copied().unwrap_or(0), words.keys().next_back().copied().unwrap_or(0));
    let list: Vec<u32> = words.values().copied().collect();
    let [read, write] = pointers;
    input.facts.extend([("read pointer", read), ("write pointer", write)].into_iter().filter_map(|(name, value)| Some((name, format!("{:#x}", value?)))));
    // The chip name is followed by the ring name, `gfx_0.0.0`.
    let run_by = name.split_once('.').map(|(_, ring)| RunBy::of_name(ring));
    let queue = run_by.and_then(RunBy::queue);
    if run_by.is_some_and(|run_by| !run_by.is_pm4()) {
        input.remark(InputPlace::Whole, format!("{name} does not run PM4: its words are neither decoded nor run"));
        return input.buffers.push(InputBuffer { words: list, ..InputBuffer::new(name, BufferUse::OtherEngine) });
    }
    if list.len() == last + 1 && list.len().is_power_of_two() && list.len() >= ring_words::FRAME && pointers.iter().all(Option::is_some) {
        let pointers = RingPointers { read: read.unwrap_or(0), write: write.unwrap_or(0), mask: list.len() as u64 - 1 };
        let whole = InputBuffer { words: list, queue, pointers: Some(pointers), ..InputBuffer::new(name, BufferUse::NotExecuted) };
        input.buffers.extend(ring_words::part_in_work(&whole));
        input.buffers.push(whole);
    } else {
        // A part of the ring: the words between the pointers are new and begin with a packet. Words after the write pointer are from the previous lap; after a
        // gap, positions are unknown.
        let within = |pointer: Option<u64>| pointer.and_then(|at| usize::try_from(at).ok()).filter(|at| (first..=last).contains(at));
        let begin = within(read).unwrap_or(first);
        let around = size.filter(|size| *size == last + 1).and(within(read)).and(within(write)).filter(|write| *write < begin);
        let (end, rest) = match around {
            Some(write) => (last + 1, 0..write),
            None => (within(write).filter(|write| *write > begin).unwrap_or(last + 1), 0..0),
        };
        let places: Vec<usize> = (begin..end).chain(rest).collect();
        let present: Vec<u32> = places.iter().map_while(|dword| words.get(dword).copied()).collect();
        if let Some(missing) = places.get(present.len()) {
            input.damage(InputPlace::Whole, format!("{name}: dword {missing} is missing: the words after it are left out"));
        }
        input.buffers.push(InputBuffer { words: present, queue, ..InputBuffer::new(format!("{name} from dword {begin}"), BufferUse::Ring) });
    }
}
