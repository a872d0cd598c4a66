//! The packets ahead in a queue that waits: those that could end a wait, searched once and looked up many times.

use crate::chip::Gfx;
use crate::cp::state::aql::{AqlState, value_of};
use crate::cp::state::block::Test;
use crate::cp::state::constant_engine::increments_ce;
use crate::cp::state::memory::{Memory, address, canonical};
use crate::cp::state::per_queue::PerQueue;
use crate::cp::state::place::Place;
use crate::cp::state::queue::{Frame, QueueState};
use crate::cp::state::wait_condition::memory_wait;
use crate::packet::{Action, EffectKinds, Engine, MemoryAddress, Opcode, Packet, Queue, Reader, Timing, WrittenData};
use crate::queues::{self, EffectKind, MemoryEffect, Version};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The number of packets of a queue that are searched.
pub(in crate::cp) const LOOK_AHEAD: usize = 1 << 14;

/// Writes of more dwords than this are one entry: to list many long writes by dword would take longer than all lookups of waits.
const LONG: u64 = 16;

/// A packet ahead that writes a dword.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct AheadWrite {
    /// The number of the packet, counted from the start of the list.
    pub nth: u64,
    pub place: Place,
    /// The value; None if the packet does not carry it.
    pub value: Option<u32>,
    /// Whether PFP writes the dword.
    pub pfp: bool,
}

/// A write of PFP ahead of ME, with the values that the packet carries.
#[derive(Debug, Clone)]
pub(in crate::cp) struct PfpWrite {
    pub nth: u64,
    pub place: Place,
    pub addr: u64,
    pub values: Vec<u32>,
}

/// A write of many dwords.
#[derive(Debug, Clone)]
struct LongWrite {
    start: u64,
    /// The address after the last byte.
    end: u64,
    /// The dwords that the packet carries; empty if all are the same or one is unknown.
    values: Vec<u32>,
    write: AheadWrite,
}

impl LongWrite {
    /// Returns the write to one dword; None for a dword outside of the range.
    fn at(&self, addr: u64) -> Option<AheadWrite> {
        let own = |offset: u64| self.values.get(usize::try_from(offset / 4).ok()?).copied();
        (self.start..self.end).contains(&addr).then(|| AheadWrite { value: own(addr - self.start).or(self.write.value), ..self.write })
    }
}

/// The packets ahead of a queue that matter to waits.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Ahead {
    /// The result of [`way`] when the list was made. `packets`: the number of packets that the queue had run.
    way: (u64, usize),
    packets: u64,
    visited: u64,
    /// Writes by dword address, in the order of the stream.
    writes: BTreeMap<u64, Vec<AheadWrite>>,
    /// Signals of AQL that packets count down, by the address of the value, in the order of the stream.
    counted: BTreeMap<u64, Vec<(u64, Place)>>,
    /// Writes of more than [`LONG`] dwords, in the order of the stream.
    long: Vec<LongWrite>,
    /// WRITE_DATA of PFP.
    pfp: Vec<PfpWrite>,
    ce: Vec<(u64, Place)>,
    de: Vec<(u64, Place)>,
    tasks: Vec<(u64, Place)>,
    /// Packets at which PFP waits or continues elsewhere. A packet that only waits for memory has its condition here.
    stops: Vec<(u64, Option<(u64, Test)>)>,
}

/// The packets ahead of each queue that was searched.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Lookahead(PerQueue<Ahead>);

impl Lookahead {
    /// Returns the packets ahead of a queue.
    pub fn of(&self, queue: &QueueState<'_>) -> Option<&Ahead> {
        self.0.get(queue.id)
    }

    /// Searches a queue unless its list is still valid. Returns the number of packets that were visited.
    pub fn update(&mut self, gfx: Gfx, queue: &QueueState<'_>, memory: &Memory<'_>) -> u64 {
        if self.of(queue).is_some_and(|ahead| ahead.holds(queue)) {
            return 0;
        }
        let ahead = Ahead::of(gfx, queue, memory);
        let visited = ahead.visited_packets();
        self.0.insert(queue.id, ahead);
        visited
    }
}

/// The events that end waits which do not look at memory.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) enum Sign {
    CeCounter,
    DeCounter,
    Task,
}

impl Ahead {
    /// Returns whether the list is still valid for what is ahead.
    fn holds(&self, queue: &QueueState<'_>) -> bool {
        self.way == way(queue) && (self.visited < LOOK_AHEAD as u64 || self.at(queue) < LOOK_AHEAD as u64 / 2)
    }

    /// Returns the position of the queue in the list.
    fn at(&self, queue: &QueueState<'_>) -> u64 {
        queue.packets - self.packets
    }

    /// Searches the packets ahead.
    fn of(gfx: Gfx, queue: &QueueState<'_>, memory: &Memory<'_>) -> Self {
        let mut list = Self {
            way: way(queue),
            packets: queue.packets,
            visited: 0,
            writes: BTreeMap::new(),
            counted: BTreeMap::new(),
            long: Vec::new(),
            pfp: Vec::new(),
            ce: Vec::new(),
            de: Vec::new(),
            tasks: Vec::new(),
            stops: Vec::new(),
        };
        if let Some(version) = queue.sdma {
            list.sdma(queue, version);
            return list;
        }
        if let Some(aql) = queue.aql {
            list.aql(gfx, queue, aql, memory);
            return list;
        }
        let packets = queue.ahead().flat_map(|frame| Reader::new(frame.rest()).flatten().map(|packet| (frame.place(frame.offset + packet.offset), packet)));
        for ((place, packet), nth) in packets.take(LOOK_AHEAD).zip(0..) {
            list.visited = nth + 1;
            list.packet(gfx, queue.queue, nth, place, &packet);
        }
        list
    }

    /// Searches the packets ahead of an SDMA queue.
    fn sdma(&mut self, queue: &QueueState<'_>, version: Version) {
        let packets = queue.frames.iter().rev().chain(&queue.pending).flat_map(|frame| {
            let read = queues::QueueReader::new(version, frame.rest()).map_while(Result::ok);
            read.map(move |packet| (frame.place(frame.offset + packet.offset), packet))
        });
        for ((place, packet), nth) in packets.take(LOOK_AHEAD).zip(0..) {
            self.visited = nth + 1;
            let value = if packet.name() == "FENCE" { packet.value("data") } else { None };
            let data = value.map_or(WrittenData::None, WrittenData::Value);
            let writes = |effect: &MemoryEffect| matches!(effect.kind, EffectKind::Write | EffectKind::Change);
            for effect in packet.memory().into_iter().filter(writes) {
                let write = AheadWrite { nth, place, value: None, pfp: false };
                self.write(canonical(effect.addr), effect.bytes.max(4), data, write);
            }
        }
    }

    /// Searches the packets ahead of an AQL queue, with the PM4 that they call if memory is known. A packet comes after the PM4 that it calls.
    fn aql(&mut self, gfx: Gfx, queue: &QueueState<'_>, aql: AqlState, memory: &Memory<'_>) {
        let Some((ring, called)) = queue.frames.split_first() else {
            return queue.pending.iter().for_each(|frame| self.ring(gfx, queue.queue, frame, aql, memory));
        };
        for frame in called.iter().rev() {
            self.pm4(gfx, queue.queue, frame.rest(), |offset| frame.place(frame.offset + offset));
        }
        for frame in core::iter::once(ring).chain(&queue.pending) {
            self.ring(gfx, queue.queue, frame, aql, memory);
        }
    }

    fn ring(&mut self, gfx: Gfx, queue: Queue, frame: &Frame<'_>, aql: AqlState, memory: &Memory<'_>) {
        for packet in queues::QueueReader::new(aql.version, frame.rest()).flatten() {
            let place = frame.place(frame.offset + packet.offset);
            let begun = aql.under_way.is_some_and(|under_way| under_way.called && under_way.place == place);
            if let (false, "amd_pm4_ib", &[_, _, lo, hi, size, ..]) = (begun, packet.name(), packet.words) {
                let start = address(lo, hi & 0xFFFF);
                let words: Vec<u32> = (0..u64::from(size & 0xF_FFFF)).map_while(|at| memory.known(start + 4 * at)).take(LOOK_AHEAD).collect();
                // The places of called packets are unknown before the call runs: the place of the caller is used instead.
                self.pm4(gfx, queue, &words, |_| place);
            }
            if self.visited >= LOOK_AHEAD as u64 {
                return;
            }
            let signal = packet.value("completion_signal").filter(|signal| *signal != 0);
            if let Some(signal) = signal {
                self.counted.entry(value_of(signal)).or_default().push((self.visited, place));
            }
            self.visited += 1;
        }
    }

    fn pm4(&mut self, gfx: Gfx, queue: Queue, words: &[u32], place: impl Fn(usize) -> Place) {
        for packet in Reader::new(words).flatten().take(LOOK_AHEAD.saturating_sub(self.visited as usize)) {
            self.packet(gfx, queue, self.visited, place(packet.offset), &packet);
            self.visited += 1;
        }
    }

    /// Returns the packets that count a signal down and have not run yet, by the address of its value. A packet that waits is one of them.
    pub fn counts(&self, queue: &QueueState<'_>, addr: u64) -> &[(u64, Place)] {
        let list = self.counted.get(&addr).map_or(&[][..], Vec::as_slice);
        list.get(list.partition_point(|(nth, _)| *nth < self.at(queue))..).unwrap_or_default()
    }

    /// Returns the number of packets that were visited.
    fn visited_packets(&self) -> u64 {
        self.visited
    }

    fn packet(&mut self, gfx: Gfx, queue: Queue, nth: u64, place: Place, packet: &Packet<'_>) {
        let Some(opcode) = packet.opcode() else { return };
        if increments_ce(packet) {
            self.ce.push((nth, place));
        }
        match opcode {
            Opcode::INCREMENT_DE_COUNTER => self.de.push((nth, place)),
            Opcode::DISPATCH_TASKMESH_DIRECT_ACE | Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE => self.tasks.push((nth, place)),
            _ => {}
        }
        const STOPS: EffectKinds = EffectKinds::WAITS.or(EffectKinds::RUNS).or(EffectKinds::SKIPS);
        let kinds = opcode.effect_kinds(gfx);
        if !kinds.intersects(STOPS.or(EffectKinds::WRITES)) {
            return;
        }
        let mut stops = false;
        packet.visit_effects(gfx, queue, &mut |effect| match effect.action {
            Action::Run { .. } | Action::Skip { .. } | Action::Anything => stops = kinds.intersects(STOPS),
            // A wait for DMA or for caches ends by itself.
            Action::Waits => stops |= effect.engine == Engine::Pfp && effect.timing == Timing::Issue,
            Action::Write { at: MemoryAddress::At(start), bytes, data } => {
                let pfp = effect.engine == Engine::Pfp;
                let data = if effect.uncertain || packet.header.is_predicated() { WrittenData::None } else { data };
                if pfp && opcode == Opcode::WRITE_DATA {
                    self.pfp_write(bytes, data, PfpWrite { nth, place, addr: canonical(start), values: Vec::new() });
                }
                self.write(canonical(start), bytes.max(4), data, AheadWrite { nth, place, value: None, pfp });
            }
            _ => {}
        });
        if stops {
            self.stops.push((nth, memory_wait(packet)));
        }
    }

    /// Adds what PFP can write before its turn: a write whose values are all known.
    fn pfp_write(&mut self, bytes: u64, data: WrittenData<'_>, write: PfpWrite) {
        if let Some(values) = (0..bytes.div_ceil(4)).map(|i| data.dword(4 * i)).collect() {
            self.pfp.push(PfpWrite { values, ..write });
        }
    }

    /// Returns what PFP writes from the current packet up to another.
    pub fn pfp_writes_to(&self, queue: &QueueState<'_>, nth: u64) -> &[PfpWrite] {
        let (from, to) = (self.pfp.partition_point(|write| write.nth < self.at(queue)), self.pfp.partition_point(|write| write.nth <= nth));
        self.pfp.get(from..to).unwrap_or_default()
    }

    /// Returns the number of a packet in its queue.
    pub fn number(&self, nth: u64) -> u64 {
        self.packets + nth
    }

    fn write(&mut self, start: u64, bytes: u64, data: WrittenData<'_>, write: AheadWrite) {
        let dwords = bytes.div_ceil(4);
        if dwords > LONG {
            let same = matches!(data, WrittenData::None | WrittenData::Value(_));
            // If one dword has no value, none of the packet counts as known.
            let values: Option<Vec<u32>> = if same { None } else { (0..dwords).map(|i| data.dword(4 * i)).collect() };
            let value = data.dword(0).filter(|_| same);
            return self.long.push(LongWrite {
                start,
                end: start.saturating_add(bytes),
                values: values.unwrap_or_default(),
                write: AheadWrite { value, ..write },
            });
        }
        for i in 0..dwords {
            self.writes.entry(start + 4 * i).or_default().push(AheadWrite { value: data.dword(4 * i), ..write });
        }
    }

    /// Returns the packets that write a dword and have not run yet, in their order. The current packet is one of them.
    pub fn writes(&self, queue: &QueueState<'_>, addr: u64) -> impl Iterator<Item = AheadWrite> + '_ {
        let at = self.at(queue);
        let short = self.writes.get(&addr).map_or(&[][..], Vec::as_slice);
        let short = short.get(short.partition_point(|write| write.nth < at)..).unwrap_or_default();
        let long = self.long.get(self.long.partition_point(|long| long.write.nth < at)..).unwrap_or_default();
        let (mut short, mut long) = (short.iter().copied().peekable(), long.iter().filter_map(move |long| long.at(addr)).peekable());
        core::iter::from_fn(move || match (short.peek(), long.peek()) {
            (Some(one), Some(other)) if other.nth < one.nth => long.next(),
            (Some(_), _) => short.next(),
            (None, _) => long.next(),
        })
    }

    /// Returns the dword that packet `nth` writes to an address; the inner value is None if it is unknown.
    pub fn value_of(&self, nth: u64, addr: u64) -> Option<Option<u32>> {
        let short = self.writes.get(&addr).map_or(&[][..], Vec::as_slice);
        let at = short.partition_point(|write| write.nth < nth);
        let long = || {
            self.long
                .get(self.long.partition_point(|long| long.write.nth < nth)..)?
                .iter()
                .take_while(|long| long.write.nth == nth)
                .find_map(|long| long.at(addr))
        };
        short.get(at).copied().filter(|write| write.nth == nth).or_else(long).map(|write| write.value)
    }

    /// Returns the next packet that causes an event.
    pub fn next(&self, queue: &QueueState<'_>, sign: Sign) -> Option<Place> {
        let list = match sign {
            Sign::CeCounter => &self.ce,
            Sign::DeCounter => &self.de,
            Sign::Task => &self.tasks,
        };
        let at = self.at(queue);
        list.get(list.partition_point(|(nth, _)| *nth < at)).map(|(_, place)| *place)
    }

    /// Returns the number of the next packet at which PFP stops; waits that may have ended do not count.
    pub fn next_stop(&self, queue: &QueueState<'_>, ended: impl Fn(u64, u64, Test) -> bool) -> u64 {
        let at = self.at(queue);
        let stops = self.stops.get(self.stops.partition_point(|(nth, _)| *nth <= at)..).unwrap_or_default();
        stops.iter().find(|(nth, wait)| !wait.is_some_and(|(addr, test)| ended(*nth, addr, test))).map_or(u64::MAX, |(nth, _)| *nth)
    }

    /// Returns the waits on memory between two packets at which PFP stops, with their numbers in the queue.
    pub fn waits_between(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64, Test)> + '_ {
        let stops = self.stops.iter().filter(move |(nth, _)| (from + 1..to).contains(nth));
        stops.filter_map(|(nth, wait)| wait.map(|(addr, test)| (self.number(*nth), addr, test)))
    }

    /// Returns the position of the current packet in the list.
    pub fn here(&self, queue: &QueueState<'_>) -> u64 {
        self.at(queue)
    }
}

/// Returns a value that changes when a queue does not continue with the next packet, or when the stream grows.
fn way(queue: &QueueState<'_>) -> (u64, usize) {
    (queue.turns_off, queue.pending.len())
}
