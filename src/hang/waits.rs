//! The waits shown in the status registers of the command processor (Linux 7.1 gc_11_0_0_sh_mask.h; bits valid on GFX9 to GFX12; a bit that a
//! generation lacks is 0).

use super::position::CpEngine;
use crate::chip::Gfx;
use crate::input::HangFacts;
use crate::input::ring_words::RunBy;
use crate::packet::{Action, Effect, Engine, Opcode, Packet, Queue, Timing, Work};
use crate::regs::{self, Space};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The waiting part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiter {
    Pfp,
    Me,
    /// A MEC, counted from 1.
    Mec(u32),
    /// Another part that serves the graphics queue.
    Graphics,
    /// Another part that serves compute queues.
    Compute,
}

impl Waiter {
    /// Returns whether the part serves a ring.
    fn serves(self, ring: RunBy) -> bool {
        match (self, ring) {
            (Self::Pfp | Self::Me | Self::Graphics, RunBy::Graphics) | (Self::Compute, RunBy::Compute(_)) => true,
            (Self::Mec(mec), RunBy::Compute(own)) => own.is_none_or(|own| own == mec),
            _ => false,
        }
    }
}

/// A status bit and the reason for which an engine does not continue.
pub(super) struct Wait {
    register: &'static str,
    bit: u32,
    waiter: Waiter,
    /// Its meaning, as the end of a sentence.
    pub meaning: &'static str,
    /// Packets that cause this wait, if the bit belongs to an engine and identifies them.
    packets: Packets,
}

/// Packets that make an engine wait.
#[derive(Debug, Clone, Copy)]
enum Packets {
    /// The bit does not identify them.
    Unknown,
    Of(&'static [Opcode]),
    /// Packets for which the engine reads memory, and work with arguments in memory. A wait counts for any engine that it names: no source says which bit shows
    /// those of PFP.
    ReadMemory,
    /// Draws, and packets that change context registers: the first change after a draw takes a new context.
    TakeContexts,
}

impl Packets {
    fn have(self, gfx: Gfx, queue: Queue, packet: &Packet<'_>) -> bool {
        let effects = || packet.effects(gfx, queue).into_iter();
        let work = || packet.work(gfx, queue);
        match self {
            Self::Unknown => false,
            Self::Of(opcodes) => packet.opcode().is_some_and(|opcode| opcodes.contains(&opcode)),
            Self::ReadMemory => {
                let counts = work().is_some() || effects().any(|effect| effect.action == Action::Waits);
                let now = |effect: &Effect<'_>| effect.timing == Timing::Issue && matches!(effect.action, Action::Read { .. });
                effects().filter(now).any(|effect| counts || matches!(effect.engine, Engine::Me | Engine::Mec))
            }
            Self::TakeContexts => work() == Some(Work::Draw) || effects().any(|effect| changes_context(&effect.action)),
        }
    }
}

/// Returns whether an action changes context registers.
fn changes_context(action: &Action<'_>) -> bool {
    let is_context = |addr: u32| Space::of(addr) == Some(Space::Context);
    match *action {
        Action::Set { write, state: false, .. } => is_context(write.addr),
        Action::Modify { addr, .. } | Action::Unknown { addr, state: false, .. } => is_context(addr),
        Action::UnknownWindow(space) => space == Space::Context,
        Action::Rolls => true,
        _ => false,
    }
}

impl Wait {
    /// Returns whether the engine itself waits, and not another part.
    pub(super) fn is_of(&self, engine: CpEngine) -> bool {
        matches!((self.waiter, engine), (Waiter::Pfp, CpEngine::Pfp) | (Waiter::Me, CpEngine::Me) | (Waiter::Mec(_), CpEngine::Mec))
    }

    /// Returns whether the bit identifies the packets that cause the wait.
    pub(super) fn identifies_packets(&self) -> bool {
        !matches!(self.packets, Packets::Unknown)
    }

    /// Returns whether a packet can cause the wait.
    pub(super) fn fits(&self, gfx: Gfx, queue: Queue, packet: &Packet<'_>) -> bool {
        self.packets.have(gfx, queue, packet)
    }
}

const fn names(register: &'static str, bit: u32, waiter: Waiter, meaning: &'static str, packets: Packets) -> Wait {
    Wait { register, bit, waiter, meaning, packets }
}

const fn wait(register: &'static str, bit: u32, waiter: Waiter, meaning: &'static str) -> Wait {
    Wait { register, bit, waiter, meaning, packets: Packets::Unknown }
}

const WRITES: Packets = Packets::Of(&[Opcode::WRITE_DATA, Opcode::COPY_DATA, Opcode::RELEASE_MEM]);
const REGISTER_READS: Packets = Packets::Of(&[Opcode::WAIT_REG_MEM, Opcode::COPY_DATA, Opcode::REG_RMW, Opcode::CONTEXT_REG_RMW]);
const ATOMICS: Packets = Packets::Of(&[Opcode::ATOMIC_MEM]);
const EVENTS: Packets = Packets::Of(&[Opcode::EVENT_WRITE]);
const CE_COUNTER: Packets = Packets::Of(&[Opcode::WAIT_ON_CE_COUNTER]);

const STAT1: &str = "CP_STALLED_STAT1";
const STAT2: &str = "CP_STALLED_STAT2";
const STAT3: &str = "CP_STALLED_STAT3";
/// Both MECs and their shared parts.
const CPC: &str = "CP_CPC_STALLED_STAT1";
/// The fetchers of both kinds of queues.
const CPF: &str = "CP_CPF_STALLED_STAT1";

/// In printing order: the most specific first.
const WAITS: &[Wait] = &[
    names(STAT2, 15, Waiter::Me, "ME waits for a partial flush: for earlier shaders to end", EVENTS),
    wait(
        STAT2,
        21,
        Waiter::Graphics,
        "a fence at the end of the pipe waits for shaders and pixels before it: look at the last draw or dispatch before the fence",
    ),
    wait(STAT2, 22, Waiter::Graphics, "a fence at the end of the pipe waits for memory to confirm its write"),
    wait(STAT2, 25, Waiter::Graphics, "the append unit waits for compute shaders to end (CS_DONE): suspect the last dispatch"),
    wait(STAT2, 26, Waiter::Graphics, "the append unit waits for pixel shaders to end (PS_DONE): suspect the last draw"),
    wait(STAT2, 27, Waiter::Graphics, "the append unit waits for memory to confirm its write"),
    wait(STAT2, 29, Waiter::Graphics, "the append unit waits to send its write to memory"),
    wait(STAT2, 30, Waiter::Graphics, "a cache flush waits for idle contexts: draws before it do not retire"),
    wait(STAT2, 31, Waiter::Graphics, "a cache flush waits until all dirty lines are written back"),
    names(STAT2, 11, Waiter::Me, "ME has no free context: all are in use by draws that do not retire", Packets::TakeContexts),
    names(STAT1, 12, Waiter::Me, "ME waits for memory to confirm a write", WRITES),
    names(STAT1, 13, Waiter::Me, "ME waits for what an atomic returns", ATOMICS),
    names(STAT1, 14, Waiter::Me, "ME waits for memory that it reads", Packets::ReadMemory),
    names(STAT1, 15, Waiter::Me, "ME waits for a register that it reads", REGISTER_READS),
    wait(STAT1, 25, Waiter::Graphics, "register writes wait for the geometry engine: it accepts no more work"),
    wait(STAT1, 24, Waiter::Graphics, "register writes wait for the register bus"),
    wait(STAT1, 23, Waiter::Graphics, "register writes wait for GDS"),
    wait(STAT1, 26, Waiter::Graphics, "the register bus interface is stalled by a read of ME"),
    wait(STAT1, 27, Waiter::Graphics, "the register bus interface is stalled by a read of DMA"),
    wait(STAT1, 28, Waiter::Graphics, "the register bus interface is stalled by a read of the append unit"),
    wait(STAT1, 29, Waiter::Graphics, "a register access was refused, and the register bus interface is halted"),
    names(STAT2, 19, Waiter::Pfp, "PFP waits for memory to confirm a write", WRITES),
    names(STAT2, 20, Waiter::Pfp, "PFP waits for what an atomic returns", ATOMICS),
    wait(STAT2, 8, Waiter::Pfp, "PFP waits for the dwords of a buffer: they are being fetched, or their page is not mapped"),
    names(STAT2, 9, Waiter::Me, "ME waits for the counter of the constant engine", CE_COUNTER),
    wait(STAT2, 24, Waiter::Graphics, "pipeline statistics wait to be written"),
    wait(STAT2, 23, Waiter::Graphics, "streamout waits to be written"),
    wait(STAT2, 12, Waiter::Me, "ME waits for the register bus interface"),
    wait(STAT2, 4, Waiter::Pfp, "PFP waits for its writes to the geometry engine"),
    wait(STAT3, 20, Waiter::Graphics, "the translation of an address does not end: its page may not be mapped"),
    wait(STAT2, 1, Waiter::Pfp, "PFP waits until ME accepts packets (also when ME hangs)"),
    wait(STAT2, 14, Waiter::Me, "ME has nothing to do (no wait): PFP gives it no packets"),
    names(CPC, 10, Waiter::Mec(1), "MEC1 waits for a register that it reads", REGISTER_READS),
    names(CPC, 18, Waiter::Mec(2), "MEC2 waits for a register that it reads", REGISTER_READS),
    wait(CPC, 9, Waiter::Mec(1), "MEC1 waits for the register bus"),
    wait(CPC, 17, Waiter::Mec(2), "MEC2 waits for the register bus"),
    wait(CPC, 13, Waiter::Mec(1), "MEC1 waits for words of a buffer"),
    wait(CPC, 21, Waiter::Mec(2), "MEC2 waits for words of a buffer"),
    wait(CPC, 4, Waiter::Compute, "a register access of MEC was refused because of its privilege"),
    wait(CPC, 24, Waiter::Compute, "MEC waits for the translation of an address: its page may not be mapped"),
    wait(CPC, 22, Waiter::Compute, "MEC waits for a free entry of the address translation interface (UTCL2IU)"),
    wait(CPC, 23, Waiter::Compute, "MEC waits for tags of the address translation interface (UTCL2IU)"),
    wait(CPC, 3, Waiter::Compute, "MEC waits for a free entry of the register bus interface (RCIU)"),
    wait(CPC, 6, Waiter::Compute, "MEC waits for a free entry of the memory interface (TCIU)"),
    wait(CPC, 7, Waiter::Compute, "MEC waits for tags of the memory interface (TCIU)"),
    wait(CPC, 25, Waiter::Compute, "MEC waits for a free entry of the cache operation interface (GCRIU)"),
    wait(CPC, 8, Waiter::Mec(1), "MEC1 is decoding a packet (no wait)"),
    wait(CPC, 16, Waiter::Mec(2), "MEC2 is decoding a packet (no wait)"),
    wait(CPF, 0, Waiter::Graphics, "ring words are being fetched"),
    wait(CPF, 1, Waiter::Graphics, "words of a command buffer are being fetched"),
    wait(CPF, 2, Waiter::Graphics, "words of a called buffer are being fetched"),
    wait(CPF, 9, Waiter::Graphics, "the fetcher waits for the translation of an address: its page may not be mapped"),
    wait(CPF, 10, Waiter::Compute, "the fetcher of compute queues waits for the translation of an address: its page may not be mapped"),
];

/// Returns the waits whose bits are set, of the engines and parts that serve a ring.
pub(super) fn of(ring: RunBy, facts: &HangFacts, blocks: &[&str]) -> impl Iterator<Item = &'static Wait> {
    let set = |wait: &&Wait| wait.waiter.serves(ring) && facts.register(blocks, wait.register).is_some_and(|value| value >> wait.bit & 1 == 1);
    WAITS.iter().filter(set).collect::<Vec<_>>().into_iter()
}

/// Returns whether the first printed wait is for shaders: a partial flush, or a fence at the end of the pipe.
pub(super) fn is_for_shaders(ring: RunBy, facts: &HangFacts, blocks: &[&str]) -> bool {
    of(ring, facts, blocks).next().is_some_and(|wait| wait.register == STAT2 && matches!(wait.bit, 15 | 21))
}

/// The part that launches shaders, as named by [`busy`].
pub(super) const SHADER_LAUNCH: &str = "shader launch";
/// The part that is busy even without a draw in the pipe.
const PROCESSOR: &str = "command processor";
const COHERENCY: &str = "coherency";

/// Parts of the pipe by their busy fields in GRBM_STATUS, in the order of the bits. A generation has some of them.
const BUSY: [(&str, &str); 18] = [
    ("TA_BUSY", "texture units"),
    ("GDS_BUSY", "GDS"),
    ("WD_BUSY_NO_DMA", "work distributor (WD)"),
    ("GE_BUSY_NO_DMA", GEOMETRY),
    ("VGT_BUSY", "vertex grouper (VGT)"),
    ("IA_BUSY_NO_DMA", ASSEMBLER),
    ("IA_BUSY", ASSEMBLER),
    ("SX_BUSY", "shader exports"),
    ("WD_BUSY", "work distributor (WD)"),
    ("GE_BUSY", GEOMETRY),
    ("SPI_BUSY", SHADER_LAUNCH),
    ("BCI_BUSY", "BCI"),
    ("SC_BUSY", "scan converter"),
    ("PA_BUSY", "primitive assembly"),
    ("DB_BUSY", "depth"),
    ("CP_COHERENCY_BUSY", COHERENCY),
    ("CP_BUSY", PROCESSOR),
    ("CB_BUSY", "colour"),
];

const GEOMETRY: &str = "geometry engine";
const ASSEMBLER: &str = "input assembler (IA)";

/// Returns the parts of the pipe that are busy, by the fields that the generation has.
pub(super) fn busy(gfx: Gfx, facts: &HangFacts, blocks: &[&str]) -> Vec<&'static str> {
    const REGISTER: &str = "GRBM_STATUS";
    let (Some(value), Some(register)) = (facts.register(blocks, REGISTER), regs::find(gfx, REGISTER)) else { return Vec::new() };
    let set = |name: &str| register.fields().iter().any(|field| field.name == name && field.get(value) != 0);
    let mut parts: Vec<&'static str> = Vec::new();
    for (_, part) in BUSY.iter().filter(|(field, _)| set(field)) {
        if !parts.contains(part) {
            parts.push(part);
        }
    }
    parts
}

/// Returns whether parts of the pipe that draws use are among the busy ones.
pub(super) fn is_pipe_busy(busy: &[&str]) -> bool {
    busy.iter().any(|part| ![PROCESSOR, COHERENCY].contains(part))
}

/// Bits of CP_GFX_ERROR that name the unit whose address was not translated.
const GRAPHICS_UNITS: &[(u32, &str)] = &[
    (1, "PFP instruction fetch"),
    (18, "DMA source"),
    (19, "DMA destination"),
    (20, "PFP memory access"),
    (21, "ME memory access"),
    (25, "fetcher of the ring"),
    (26, "fetcher of the command buffer"),
    (27, "fetcher of called buffers"),
    (9, QUEUE_UNIT),
    (10, QUEUE_UNIT),
    (11, QUEUE_UNIT),
    (12, SYNC),
    (13, SYNC),
];

const QUEUE_UNIT: &str = "queue unit";
const SYNC: &str = "memory access for synchronization (SYNC_MEM)";

/// The same of CP_HQD_ERROR, which each compute queue has.
const COMPUTE_UNITS: &[(u32, &str)] = &[
    (8, "fetcher of the ring"),
    (9, "fetcher of the command buffer"),
    (10, "end-of-pipe queue"),
    (15, "DMA source"),
    (16, "DMA destination"),
    (18, QUEUE_UNIT),
    (19, "memory access of MEC"),
];

/// Returns the errors in the error registers of a ring's engines, as sentences.
pub(super) fn errors(ring: RunBy, facts: &HangFacts, blocks: &[&str]) -> Vec<String> {
    let (register, units) = match ring {
        RunBy::Graphics => ("CP_GFX_ERROR", GRAPHICS_UNITS),
        RunBy::Compute(_) => (HQD_ERROR, COMPUTE_UNITS),
        RunBy::Scheduler | RunBy::Other => return Vec::new(),
    };
    let units = parts(facts, blocks, register, units);
    let mut lines = Vec::new();
    if !units.is_empty() {
        lines.push(format!("address translation failed for: {}", units.join(", ")));
    }
    if register == HQD_ERROR && facts.register(blocks, register).is_some_and(|error| error >> AQL_ERROR & 1 == 1) {
        lines.push("the queue reports an error in an AQL packet".to_string());
    }
    lines
}

const HQD_ERROR: &str = "CP_HQD_ERROR";
const AQL_ERROR: u32 = 5;

/// Returns the parts whose bits are set in a register, each once.
fn parts(facts: &HangFacts, blocks: &[&str], register: &str, names: &[(u32, &'static str)]) -> Vec<&'static str> {
    let value = facts.register(blocks, register).unwrap_or(0);
    let mut parts: Vec<&'static str> = names.iter().filter(|(bit, _)| value >> bit & 1 == 1).map(|(_, part)| *part).collect();
    parts.dedup();
    parts
}
