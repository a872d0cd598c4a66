//! What the status registers of the command processor say that it waits for (Linux 7.1 gc_11_0_0_sh_mask.h; bits valid on GFX9 to GFX12 unless said).

use crate::input::HangFacts;
use crate::packet::Opcode;

/// A bit that says why an engine does not continue.
pub(super) struct Wait {
    register: &'static str,
    bit: u32,
    /// What it means, as the end of a sentence.
    pub meaning: &'static str,
    /// Packets that wait so.
    pub packets: &'static [Opcode],
}

const fn wait(register: &'static str, bit: u32, meaning: &'static str, packets: &'static [Opcode]) -> Wait {
    Wait { register, bit, meaning, packets }
}

const WRITES: &[Opcode] = &[Opcode::WRITE_DATA, Opcode::COPY_DATA, Opcode::RELEASE_MEM];
const FENCES: &[Opcode] = &[Opcode::RELEASE_MEM];
const SYNCS: &[Opcode] = &[Opcode::ACQUIRE_MEM];
const EVENTS: &[Opcode] = &[Opcode::EVENT_WRITE];
const DRAWS: &[Opcode] = &[Opcode::DRAW_INDEX_AUTO, Opcode::DRAW_INDEX_2, Opcode::DRAW_INDEX_OFFSET_2, Opcode::DRAW_INDIRECT, Opcode::DRAW_INDEX_INDIRECT];

/// In the order in which they are told: what names a packet comes first.
const WAITS: [Wait; 34] = [
    wait("CP_STALLED_STAT2", 15, "ME waits for a partial flush: for earlier shaders to end", EVENTS),
    wait(
        "CP_STALLED_STAT2",
        21,
        "a fence at the end of the pipe waits for shaders and pixels before it: suspect the last draw or dispatch before the fence",
        FENCES,
    ),
    wait("CP_STALLED_STAT2", 22, "a fence at the end of the pipe waits for memory to confirm its write", FENCES),
    wait("CP_STALLED_STAT2", 30, "a cache flush waits for idle contexts: draws before it do not retire", SYNCS),
    wait("CP_STALLED_STAT2", 31, "a cache flush waits until all is clean", SYNCS),
    wait("CP_STALLED_STAT2", 11, "ME has no free context: all are in use by draws that do not retire", DRAWS),
    wait("CP_STALLED_STAT1", 12, "ME waits for memory to confirm a write", WRITES),
    wait("CP_STALLED_STAT1", 13, "ME waits for what an atomic returns", &[Opcode::ATOMIC_MEM]),
    wait("CP_STALLED_STAT1", 14, "ME waits for memory that it reads", &[Opcode::WAIT_REG_MEM, Opcode::COPY_DATA]),
    wait("CP_STALLED_STAT1", 15, "ME waits for a register that it reads", &[Opcode::WAIT_REG_MEM, Opcode::COPY_DATA]),
    wait("CP_STALLED_STAT1", 25, "register writes wait for the geometry engine: it accepts no more work", DRAWS),
    wait("CP_STALLED_STAT1", 24, "register writes wait for the register bus", &[]),
    wait("CP_STALLED_STAT1", 23, "register writes wait for GDS", &[]),
    wait("CP_STALLED_STAT1", 29, "a register access was refused, and the register bus interface is halted", &[]),
    wait("CP_STALLED_STAT2", 19, "PFP waits for memory to confirm a write", WRITES),
    wait("CP_STALLED_STAT2", 20, "PFP waits for what an atomic returns", &[Opcode::ATOMIC_MEM]),
    wait("CP_STALLED_STAT2", 8, "PFP waits for the dwords of a buffer: they are being fetched, or their page is not mapped", &[]),
    wait("CP_STALLED_STAT2", 9, "ME waits for the counter of the constant engine", &[Opcode::WAIT_ON_CE_COUNTER]),
    wait("CP_STALLED_STAT2", 24, "pipeline statistics wait to be written", &[]),
    wait("CP_STALLED_STAT2", 23, "streamout waits to be written", &[]),
    wait("CP_STALLED_STAT2", 12, "ME waits for the register bus interface", &[]),
    wait("CP_STALLED_STAT2", 4, "PFP waits for its writes to the geometry engine", &[]),
    wait("CP_STALLED_STAT3", 20, "an address waits for translation: its page table walk does not end", &[]),
    wait("CP_STALLED_STAT2", 1, "PFP waits until ME accepts packets, as it does when ME hangs", &[]),
    wait("CP_STALLED_STAT2", 14, "ME has nothing to do (no wait): PFP gives it no packets", &[]),
    wait("CP_CPC_STALLED_STAT1", 8, "MEC1 is decoding a packet (no wait)", &[]),
    wait("CP_CPC_STALLED_STAT1", 9, "MEC1 waits for the register bus", &[]),
    wait("CP_CPC_STALLED_STAT1", 10, "MEC1 waits for a register that it reads", &[Opcode::WAIT_REG_MEM, Opcode::COPY_DATA]),
    wait("CP_CPC_STALLED_STAT1", 13, "MEC1 waits for words of a buffer", &[]),
    wait("CP_CPC_STALLED_STAT1", 4, "a register access of MEC was refused because of its privilege", &[]),
    wait("CP_CPF_STALLED_STAT1", 0, "ring words are being fetched", &[]),
    wait("CP_CPF_STALLED_STAT1", 1, "words of a command buffer are being fetched", &[]),
    wait("CP_CPF_STALLED_STAT1", 2, "words of a called buffer are being fetched", &[]),
    wait("CP_CPF_STALLED_STAT1", 9, "the fetcher waits for the translation of an address: its page may not be mapped", &[]),
];

/// The waits whose bits are set.
pub(super) fn of(facts: &HangFacts, blocks: &[&str]) -> impl Iterator<Item = &'static Wait> {
    let set = |wait: &&Wait| facts.register(blocks, wait.register).is_some_and(|value| value >> wait.bit & 1 == 1);
    WAITS.iter().filter(set).collect::<alloc::vec::Vec<_>>().into_iter()
}

/// Whether the first wait that is told is for shaders: a partial flush, or a fence at the end of the pipe.
pub(super) fn is_for_shaders(facts: &HangFacts, blocks: &[&str]) -> bool {
    of(facts, blocks).next().is_some_and(|wait| wait.register == "CP_STALLED_STAT2" && matches!(wait.bit, 15 | 21))
}

/// The part that launches shaders, as [`busy`] calls it.
pub(super) const SHADER_LAUNCH: &str = "shader launch";

/// Parts of the pipe that are busy, by GRBM_STATUS: bit, and what works there.
const BUSY: [(u32, &str); 11] = [
    (14, "texture units"),
    (20, "shader exports"),
    (21, "geometry engine"),
    (22, SHADER_LAUNCH),
    (24, "scan converter"),
    (25, "primitive assembly"),
    (26, "depth"),
    (28, "coherency"),
    (29, "command processor"),
    (30, "colour"),
    (15, "GDS"),
];

/// The parts of the pipe that are busy.
pub(super) fn busy(facts: &HangFacts, blocks: &[&str]) -> alloc::vec::Vec<&'static str> {
    let Some(status) = facts.register(blocks, "GRBM_STATUS") else { return alloc::vec::Vec::new() };
    BUSY.iter().filter(|(bit, _)| status >> bit & 1 == 1).map(|(_, part)| *part).collect()
}

/// Bits of CP_GFX_ERROR that name the unit whose address was not translated.
const UNITS: [(u32, &str); 9] = [
    (1, "PFP instruction fetch"),
    (18, "DMA source"),
    (19, "DMA destination"),
    (20, "PFP memory access"),
    (21, "ME memory access"),
    (25, "fetcher of the ring"),
    (26, "fetcher of the command buffer"),
    (27, "fetcher of called buffers"),
    (9, "queue unit"),
];

/// Units whose address was not translated.
pub(super) fn errors(facts: &HangFacts, blocks: &[&str]) -> alloc::vec::Vec<&'static str> {
    let Some(error) = facts.register(blocks, "CP_GFX_ERROR") else { return alloc::vec::Vec::new() };
    UNITS.iter().filter(|(bit, _)| error >> bit & 1 == 1).map(|(_, unit)| *unit).collect()
}
