//! Rings of engines that do not run PM4, the requests in the MES ring, and the compute queues that they concern.

use super::contents::{Input, InputBuffer};
use super::hang_facts::RegisterBlock;
use super::ring_words::unrolled;
use crate::queues::{QueueFamily, QueuePacket, QueueReader, Target, Version};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Dwords of an MES frame.
const FRAME: usize = 64;
/// The most frames before the read pointer to examine: kernels append a query to each request (Linux 7.1.8 mes_v11_0.c submit_pkt_and_poll_completion).
const LOOKED_AT: usize = 8;
/// The most frames to name.
const NAMED: usize = 4;
/// Fields that identify the queue or process of a frame.
const ABOUT: [&str; 5] = ["doorbell_offset", "gang_context_addr", "process_context_addr", "mqd_addr", "queue_type"];
/// The register of a compute queue that holds its doorbell. No source of this crate describes its fields: bits 27:2 are inferred from MAP_QUEUES and from
/// CP_MES_DOORBELL_CONTROL1 of GFX12.1.
const DOORBELL: &str = "CP_HQD_PQ_DOORBELL_CONTROL";
/// The register that requests a queue to leave the hardware.
const REQUEST: &str = "CP_HQD_DEQUEUE_REQUEST";
/// The registers to print for a queue; they hold fields of its descriptor.
const OF_A_QUEUE: [&str; 4] = ["CP_HQD_VMID", "CP_HQD_PQ_RPTR", "CP_HQD_PQ_WPTR_LO", REQUEST];

impl Input {
    /// Returns the rings of the input that hold this family of packets.
    ///
    /// ```
    /// use pm4::{input::Source, queues::QueueFamily};
    /// let dump = "**** AMDGPU Device Coredump ****\nversion: 1\nRing buffer information\nring name: sdma0\nRptr: 0x0 Wptr: 0x4 RB mask: 3\n\
    ///     Ring size in dwords: 4\nRing contents\nOffset \t Value\n0x0 \t 0x5\n0x4 \t 0x1000\n0x8 \t 0x0\n0xc \t 0x7\n";
    /// let input = Source::open(dump.as_bytes(), None)?.load()?;
    /// let rings: Vec<_> = input.rings_of(QueueFamily::Sdma).collect();
    /// assert_eq!((rings.len(), rings[0].words.as_slice()), (1, &[5, 0x1000, 0, 7][..]));
    /// # Ok::<(), pm4::input::InputError>(())
    /// ```
    pub fn rings_of(&self, family: QueueFamily) -> impl Iterator<Item = &InputBuffer> {
        let of = move |name: &str| match family {
            QueueFamily::Sdma => name.starts_with("sdma"),
            QueueFamily::Mes => name.starts_with("mes") && !name.starts_with("mes_kiq"),
            QueueFamily::Aql | QueueFamily::Mqd | QueueFamily::SdmaMqd => false,
        };
        self.other_rings.iter().filter(move |ring| ring.name.strip_prefix("ring ").is_some_and(of))
    }

    /// Records the last request to MES, the requests that it has not fetched, and the compute queues that they concern, identified by doorbell.
    pub(in crate::input) fn note_mes(&mut self, blocks: &[RegisterBlock]) {
        let Some(version) = self.chip.and_then(|chip| Target::from(chip).version(QueueFamily::Mes)) else { return };
        let asked: Vec<Asked> = self.rings_of(QueueFamily::Mes).filter_map(|ring| asked(version, ring)).collect();
        for Asked { fetched, waiting, doorbells } in asked {
            self.facts.extend(fetched.map(|text| ("last request that MES fetched:", text)));
            self.facts.extend(waiting.map(|text| ("requests that MES has not fetched:", text)));
            for doorbell in doorbells {
                let of =
                    blocks.iter().filter(|block| !block.is_all_ones() && value(block, DOORBELL).is_some_and(|control| control >> 2 & 0x3FF_FFFF == doorbell));
                self.facts.extend(of.map(|block| ("compute queue of a request:", format!("doorbell_offset 0x{doorbell:x} is of {}", queue(block)))));
            }
        }
    }

    /// Records the compute queues with a pending request to leave the hardware.
    pub(in crate::input) fn note_requests_to_leave(&mut self, blocks: &[RegisterBlock]) {
        let asked = blocks.iter().filter(|block| !block.is_all_ones() && value(block, REQUEST).is_some_and(|request| request != 0));
        let queues: Vec<String> = asked.map(queue).collect();
        if !queues.is_empty() {
            let more = queues.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.facts.push(("compute queues asked to leave the hardware:", queues.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ") + &more));
        }
    }
}

fn value(block: &RegisterBlock, name: &str) -> Option<u32> {
    block.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

/// Formats a compute queue and its registers: `mec 0, pipe 1, queue 3 (CP_HQD_VMID 0x8, CP_HQD_PQ_RPTR 0x40)`.
fn queue(block: &RegisterBlock) -> String {
    let registers = OF_A_QUEUE.iter().filter_map(|name| Some(format!("{name} 0x{:x}", value(block, name)?)));
    format!("{} ({})", block.name, registers.collect::<Vec<_>>().join(", "))
}

/// The requests in the MES ring.
struct Asked {
    /// The last fetched request.
    fetched: Option<String>,
    /// The requests not yet fetched.
    waiting: Option<String>,
    /// The doorbells in these requests.
    doorbells: Vec<u32>,
}

/// Returns the requests in an MES ring; None if its pointers do not fall on frames.
fn asked(version: Version, ring: &InputBuffer) -> Option<Asked> {
    let pointers = ring.pointers.filter(|pointers| pointers.mask.checked_add(1) == Some(ring.words.len() as u64))?;
    let (read, write) = (pointers.read_at(), pointers.write_at());
    if read % FRAME != 0 || write % FRAME != 0 {
        return None;
    }
    let length = ring.words.len();
    let before = (1..=LOOKED_AT.min(length / FRAME)).map(|back| (read + length - back * FRAME) % length);
    let fetched = before.filter_map(|at| frame(version, ring.words.get(at..at + FRAME)?)).find(is_request);
    let unread = if read == write { Vec::new() } else { unrolled(&ring.words, read, write) };
    let waiting: Vec<QueuePacket<'_>> = QueueReader::new(version, &unread).flatten().filter(|frame| is_whole(frame) && is_request(frame)).collect();
    let mut doorbells = Vec::new();
    for doorbell in fetched.iter().chain(&waiting).filter_map(|frame| u32::try_from(frame.value("doorbell_offset")?).ok()) {
        if doorbell != 0 && !doorbells.contains(&doorbell) && doorbells.len() < NAMED {
            doorbells.push(doorbell);
        }
    }
    let more = waiting.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named: Vec<String> = waiting.iter().take(NAMED).map(described).collect();
    Some(Asked { fetched: fetched.as_ref().map(described), waiting: (!named.is_empty()).then(|| named.join("; ") + &more), doorbells })
}

/// Returns whether a frame is a request; kernels append a query to each request.
fn is_request(frame: &QueuePacket<'_>) -> bool {
    frame.name() != "QUERY_SCHEDULER_STATUS"
}

fn frame(version: Version, words: &[u32]) -> Option<QueuePacket<'_>> {
    QueuePacket::at(version, words).filter(is_whole)
}

/// Returns whether the header is that of a scheduler frame.
fn is_whole(frame: &QueuePacket<'_>) -> bool {
    frame.words[0] & 0xF == 1 && frame.defect().is_none()
}

/// Formats a frame and its queue: `REMOVE_QUEUE doorbell_offset 0x1000`.
fn described(frame: &QueuePacket<'_>) -> String {
    let about = ABOUT.iter().filter_map(|field| Some((field, frame.value(field).filter(|value| *value != 0)?)));
    about.fold(frame.name().to_string(), |text, (field, value)| format!("{text} {field} 0x{value:x}"))
}
