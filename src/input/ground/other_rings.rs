//! Rings of engines that do not run PM4, and what is in that of MES.

use super::contents::{Input, InputBuffer};
use super::ring_words::unrolled;
use crate::queues::{QueueFamily, QueuePacket, QueueReader, Target, Version};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Dwords of a frame of MES.
const FRAME: usize = 64;
/// Frames before the read pointer that are looked at: kernels put a question behind each request (Linux 7.1.8 mes_v11_0.c submit_pkt_and_poll_completion).
const LOOKED_AT: usize = 8;
/// Frames that are named.
const NAMED: usize = 4;
/// Fields that say which queue or process a frame is about.
const ABOUT: [&str; 5] = ["doorbell_offset", "gang_context_addr", "process_context_addr", "mqd_addr", "queue_type"];

impl Input {
    /// Returns the rings of a family of packets that the input has.
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

    /// Adds what MES was asked last, and what it has not fetched.
    pub(in crate::input) fn note_mes(&mut self) {
        let Some(version) = self.chip.and_then(|chip| Target::from(chip).version(QueueFamily::Mes)) else { return };
        let facts: Vec<(&'static str, String)> = self.rings_of(QueueFamily::Mes).flat_map(|ring| asked(version, ring)).collect();
        self.facts.extend(facts);
    }
}

/// What a ring of MES says: the last request that was fetched, and those that were not.
fn asked(version: Version, ring: &InputBuffer) -> Vec<(&'static str, String)> {
    let Some(pointers) = ring.pointers.filter(|pointers| pointers.mask.checked_add(1) == Some(ring.words.len() as u64)) else { return Vec::new() };
    let (read, write) = (pointers.read_at(), pointers.write_at());
    if read % FRAME != 0 || write % FRAME != 0 {
        return Vec::new();
    }
    let length = ring.words.len();
    let before = (1..=LOOKED_AT.min(length / FRAME)).map(|back| (read + length - back * FRAME) % length);
    let fetched = before.filter_map(|at| frame(version, ring.words.get(at..at + FRAME)?)).find(|frame| frame.name() != "QUERY_SCHEDULER_STATUS");
    let waiting = if read == write { Vec::new() } else { unrolled(&ring.words, read, write) };
    let requests: Vec<String> = QueueReader::new(version, &waiting)
        .flatten()
        .filter(|frame| is_whole(frame) && frame.name() != "QUERY_SCHEDULER_STATUS")
        .map(|frame| described(&frame))
        .collect();
    let more = requests.len().saturating_sub(NAMED);
    let mut facts: Vec<(&'static str, String)> = fetched.map(|frame| ("last request that MES fetched:", described(&frame))).into_iter().collect();
    if !requests.is_empty() {
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        facts.push(("requests that MES has not fetched:", requests.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ") + &more));
    }
    facts
}

fn frame(version: Version, words: &[u32]) -> Option<QueuePacket<'_>> {
    QueuePacket::at(version, words).filter(is_whole)
}

/// Returns whether the header is that of a frame of the scheduler.
fn is_whole(frame: &QueuePacket<'_>) -> bool {
    frame.words[0] & 0xF == 1 && frame.defect().is_none()
}

/// Returns a frame and which queue it is about: `REMOVE_QUEUE doorbell_offset 0x1000`.
fn described(frame: &QueuePacket<'_>) -> String {
    let about = ABOUT.iter().filter_map(|field| Some((field, frame.value(field).filter(|value| *value != 0)?)));
    about.fold(frame.name().to_string(), |text, (field, value)| format!("{text} {field} 0x{value:x}"))
}
