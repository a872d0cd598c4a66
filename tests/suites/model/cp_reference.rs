//! The model against a slow interpreter derived from the effects of packets: for random streams of all packets, on every generation and queue, the known
//! registers and memory of the model are compared after each packet.
//!
//! `PM4_SEED=n PM4_ROUNDS=1` repeats a stream; `PM4_ROUNDS` alone runs more streams.

use crate::random_packets;
use crate::reference;
use pm4::chip::Gfx;
use pm4::cp::{CommandProcessor, Observer, Place};
use pm4::packet::{EffectKinds, Header, Opcode, Packet, Queue};
use quickcheck::{Arbitrary, Gen};
use random_packets::*;
use reference::{Mapped, Reference};
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoEnumIterator;

/// Streams per run.
const ROUNDS: u64 = if cfg!(debug_assertions) { 6 } else { 100 };

/// Packets of a stream, and of the buffer that it may run.
const PACKETS: usize = 40;
const CALLED: usize = 12;

/// Dwords of memory that contain all addresses of packets: few, so that packets interact.
const SPREAD: u32 = 0x80;

/// Packets at every second position: they move values, decide what runs, or run it.
pub const OFTEN: [Opcode; 22] = [
    Opcode::WRITE_DATA,
    Opcode::COPY_DATA,
    Opcode::DMA_DATA,
    Opcode::ATOMIC_MEM,
    Opcode::RELEASE_MEM,
    Opcode::EVENT_WRITE,
    Opcode::COND_EXEC,
    Opcode::SET_PREDICATION,
    Opcode::INDIRECT_BUFFER,
    Opcode::SET_CONTEXT_REG,
    Opcode::SET_SH_REG,
    Opcode::SET_UCONFIG_REG,
    Opcode::CONTEXT_REG_RMW,
    Opcode::REG_RMW,
    Opcode::LOAD_SH_REG,
    Opcode::LOAD_CONTEXT_REG_INDEX,
    Opcode::LOAD_SH_REG_INDEX,
    Opcode::CONTEXT_CONTROL,
    Opcode::CLEAR_STATE,
    Opcode::SET_BASE,
    Opcode::NUM_INSTANCES,
    Opcode::DUMP_CONST_RAM,
];

/// Packets of one queue, in sequence, with addresses among the first `spread` dwords of the memory. Conditional spans end between packets.
pub fn stream(g: &mut Gen, seats: &[&Seat], often: &[&Seat], packets: usize, spread: u32) -> Vec<u32> {
    let mut list: Vec<Vec<u32>> = (0..packets)
        .map(|_| {
            let seat = if bool::arbitrary(g) { g.choose(often) } else { g.choose(seats) }.expect("a packet");
            let mut words = packet(g, seat, spread);
            if Header(words[0]).opcode() == Opcode::CONTEXT_CONTROL {
                // Shadowed registers go to memory that the packet does not name.
                words[2] &= !0x0101_8003;
            }
            words
        })
        .collect();
    let lengths: Vec<usize> = list.iter().map(Vec::len).collect();
    for (at, words) in list.iter_mut().enumerate() {
        let covered = 1 + below(g, 4) as usize;
        let dwords: usize = lengths[at + 1..].iter().take(covered).sum();
        match (Header(words[0]).opcode(), words.len()) {
            (Opcode::COND_EXEC, 5) => words[4] = words[4] & !0x3FFF | dwords as u32 & 0x3FFF,
            (Opcode::PRED_EXEC, 2) => words[1] = words[1] & !0x3FFF | dwords as u32 & 0x3FFF,
            _ => {}
        }
    }
    list.concat()
}

/// The first packet of a step.
#[derive(Default)]
struct First(Option<Place>);

impl Observer for First {
    fn packet(&mut self, _: Queue, place: Place, _: &Packet<'_>) {
        self.0.get_or_insert(place);
    }
}

/// Counts of the comparisons.
#[derive(Debug, Default)]
struct Count {
    packets: u64,
    /// Packets before which nothing was in doubt.
    certain: u64,
    registers: u64,
    dwords: u64,
    opcodes: BTreeSet<(Gfx, u8)>,
}

/// Runs a stream on both; returns the first difference.
fn run(seat: &Seat, code: &[u32], words: &[u32], count: &mut Count) -> Result<(), String> {
    let queue = queue_id(seat);
    let mut cp = CommandProcessor::new(seat.chip);
    cp.max_findings(0);
    let data = cp.map("data", DATA, &MEMORY);
    let called = cp.map("code", CODE, code);
    let maps = [Mapped { buffer: data, addr: DATA, words: &MEMORY }, Mapped { buffer: called, addr: CODE, words: code }];
    let mut reference = Reference::new(seat.gfx(), seat.queue, &maps);
    let before = prefix(seat.queue, true);
    let first = cp.submit_to(queue, "prefix", None, &before);
    cp.run(&mut ());
    reference.submit(first, &before);
    while let Some((.., packet)) = reference.next() {
        reference.execute(packet, BTreeSet::new());
    }
    let main = cp.submit_to(queue, "main", None, words);
    reference.submit(main, words);
    let hot: Vec<u64> = (0..=6).flat_map(|base| (DATA + 0x1000 * base..).step_by(4).take(2 * SPREAD as usize)).collect();
    loop {
        let mut seen = First::default();
        let mut pending: BTreeSet<u64> = reference.late().filter(|addr| cp.memory_of(queue, *addr).is_none()).collect();
        let at = cp.step(&mut seen);
        let next = reference.next();
        let wanted = next.map(|(buffer, dword, _)| Place { buffer, dword: dword as u32 });
        if seen.0 != wanted {
            return Err(format!("flow: the model executes {:x?}, and the stream goes on at {wanted:x?}", seen.0));
        }
        let executed = next.map(|(.., packet)| packet);
        if let Some(packet) = executed {
            // A comparison that repeats (command 1) waits for late writes before it reads.
            if Header(packet[0]).opcode() == Opcode::ATOMIC_MEM && packet.get(1).is_some_and(|control| control >> 8 & 0xF == 1) {
                pending.retain(|addr| cp.memory_of(queue, *addr).is_none());
            }
            reference.execute(packet, pending);
            count.packets += 1;
            count.certain += u64::from(!reference.doubted);
            count.opcodes.insert((seat.gfx(), Header(packet[0]).opcode().0));
        }
        let end = at.is_none();
        if end && reference.next().is_some() {
            return Err("flow: the model is at its end too early".into());
        }
        let wrong = |what: String| {
            let opcode = executed.map_or("the end", |packet| Header(packet[0]).opcode().name(seat.gfx()).unwrap_or("a packet without a name"));
            Err(format!("{opcode}: {what}\n    {:x?} at {wanted:x?}", executed.unwrap_or_default()))
        };
        let registers = cp.registers_of(queue).expect("a queue");
        for addr in addresses() {
            let claim = registers.value(addr);
            count.registers += u64::from(claim.is_some());
            if let Some(what) = reference.register(addr, claim) {
                return wrong(what);
            }
        }
        let written = if end { reference.written() } else { reference.awaited() };
        for addr in hot.iter().copied().chain(written) {
            let claim = cp.memory(addr);
            count.dwords += u64::from(claim.is_some());
            // Beyond the mapped memory, the model may know as much as it likes.
            let beyond = claim.is_none() && !maps.iter().any(|map| (map.addr..map.addr + 4 * map.words.len() as u64).contains(&addr));
            if let Some(what) = reference.dword(addr, claim, end).filter(|_| !beyond) {
                return wrong(what);
            }
        }
        if end {
            return Ok(());
        }
    }
}

#[test]
fn what_the_model_claims_is_what_effects_lead_to_at_every_packet_of_random_streams() {
    let number = |name| std::env::var(name).ok().and_then(|s: String| s.parse::<u64>().ok());
    let first = number("PM4_SEED").unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64));
    let all = seats();
    let places: Vec<(Gfx, Queue)> = Gfx::iter()
        .flat_map(|gfx| [Queue::Graphics, Queue::Graphics, Queue::Compute, Queue::Constant].map(|queue| (gfx, queue)))
        .filter(|(gfx, queue)| *queue != Queue::Constant || gfx.has_constant_engine())
        .collect();
    let (mut count, mut wrong) = (Count::default(), BTreeMap::<String, (u64, String)>::new());
    for seed in (first..).take(number("PM4_ROUNDS").unwrap_or(ROUNDS) as usize) {
        let g = &mut Gen::from_size_and_seed(20, seed);
        let (gfx, queue) = places[seed as usize % places.len()];
        let here: Vec<&Seat> = all.iter().filter(|seat| seat.gfx() == gfx && seat.queue == queue).collect();
        // Packets that may do anything, or lead elsewhere, end the comparison: they are rare.
        let quiet = |seat: &&&Seat| {
            let kinds = seat.format.opcode(gfx).expect("an opcode").effect_kinds(gfx);
            !kinds.intersects(EffectKinds::ANYTHING) && seat.queue == seat.read_as
        };
        let choice: Vec<&Seat> = if seed / 4 % 4 == 0 { here.clone() } else { here.iter().filter(quiet).copied().collect() };
        let often: Vec<&Seat> = choice.iter().filter(|seat| OFTEN.iter().any(|often| seat.format.opcode(gfx) == Some(*often))).copied().collect();
        let mut code = stream(g, &choice, &often, CALLED, SPREAD);
        code.resize(CODE_DWORDS, 0xFFFF_1000);
        let words = stream(g, &choice, &often, PACKETS, SPREAD);
        if let Err(what) = run(here[0], &code, &words, &mut count) {
            let kind = what.split(" 0x").next().unwrap_or_default().to_owned();
            wrong.entry(kind).or_insert_with(|| (0, format!("{gfx} {queue:?}, PM4_SEED={seed}: {what}"))).0 += 1;
        }
    }
    println!(
        "{} packets of {} numbers, {} of them certain; {} registers and {} dwords that were claimed",
        count.packets,
        count.opcodes.len(),
        count.certain,
        count.registers,
        count.dwords
    );
    let list: String = wrong.iter().map(|(_, (times, example))| format!("{example} ({times} times)\n")).collect();
    assert!(wrong.is_empty(), "PM4_SEED={first}\n{list}");
    let streams = number("PM4_ROUNDS").unwrap_or(ROUNDS);
    assert!(streams < 10 || count.packets > 10 * streams && count.certain * 4 > count.packets, "too little was compared: {count:?}");
}
