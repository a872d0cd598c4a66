//! The packet that each engine was executing.

use super::engines::{self, Match, Reach, Step, Stream, is_pfp_only, match_queue};
use super::position::{Confidence, CpEngine, EnginePosition, PacketPlace};
use super::waits;
use crate::chip::Gfx;
use crate::cp::{BufferId, Place};
use crate::input::ring_words::{RunBy, numbers, same, unrolled};
use crate::input::{BufferUse, HangFacts, Input, InputBuffer, InputForm, Marks, RegisterBlock, RingPointers, WrongAddress};
use crate::packet::{EffectKinds, Header, Opcode, Queue, Reader};
use crate::plurals::counted;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// A header queue: engine, register, and packets that it may lack.
type HeaderQueue = (CpEngine, &'static str, fn(Header) -> bool);

const GRAPHICS_QUEUES: [HeaderQueue; 3] =
    [(CpEngine::Pfp, "CP_PFP_HEADER_DUMP", none), (CpEngine::Me, "CP_ME_HEADER_DUMP", is_pfp_only), (CpEngine::Ce, "CP_CE_HEADER_DUMP", none)];

/// The queues of MEC 1 and MEC 2. On GFX11 the kernel reads the queue of ME instead (Linux 7.1 gfx_v11_0.c gc_cp_reg_list_11).
const COMPUTE_QUEUES: [HeaderQueue; 2] = [(CpEngine::Mec, "CP_MEC_ME1_HEADER_DUMP", none), (CpEngine::Mec, "CP_MEC_ME2_HEADER_DUMP", none)];

/// Returns the header queues of the engines that run a ring. The entries do not distinguish the two MECs.
fn header_queues(ring: RunBy) -> &'static [HeaderQueue] {
    match ring {
        RunBy::Graphics => &GRAPHICS_QUEUES,
        RunBy::Compute(Some(1)) => &COMPUTE_QUEUES[..1],
        RunBy::Compute(Some(2)) => &COMPUTE_QUEUES[1..],
        _ => &[],
    }
}

fn none(_: Header) -> bool {
    false
}

/// Returns which packets an engine reaches.
fn reaches(engine: CpEngine) -> fn(Reach) -> bool {
    match engine {
        CpEngine::Ce => |reach| reach != Reach::Main,
        CpEngine::Pfp | CpEngine::Me | CpEngine::Mec => |reach| reach != Reach::Constant,
    }
}

/// Maximum number of candidates listed.
const LISTED: usize = 5;

/// A hang as far as the input alone describes it.
///
/// For an example see [the module](crate::hang).
#[derive(Debug)]
pub struct HangReport<'i> {
    pub(super) input: &'i Input,
    pub(super) facts: &'i HangFacts,
    /// The buffers of the input in the model.
    ids: Vec<Option<BufferId>>,
    /// The indices of these buffers in the input, by their numbers in the model.
    numbers: BTreeMap<BufferId, usize>,
    pub(super) gfx: Gfx,
    /// The engines that run the ring that timed out.
    pub(super) ring: RunBy,
    /// Names of the relevant register blocks, closest first.
    pub(super) blocks: Vec<&'i str>,
    pub(super) stream: Stream,
    /// The packet that each engine was executing.
    pub positions: Vec<EnginePosition>,
    /// How far the engine had fetched: the buffer (index into [`Input::buffers`]) and the next dword in it. None if the registers do not state it.
    pub fetched: Option<(usize, usize)>,
    /// The source of `fetched`.
    pub(super) fetched_by: &'static str,
    /// Limitations of these results, as sentences.
    pub notes: Vec<String>,
    /// Whether the buffer in the fetcher was not dumped.
    elsewhere: bool,
}

/// The facts of an input without any: all unknown, and reported as such.
static NOTHING: HangFacts = HangFacts {
    ip_type: None,
    ring: None,
    line: 0,
    fault: None,
    blocks: Vec::new(),
    marks: Marks { reached: None, not_reached: None },
    addresses: Vec::new(),
    memory: None,
    waves: Vec::new(),
};

impl<'i> HangReport<'i> {
    /// Finds which packet each engine was executing. `ids[i]` is the buffer of the model that holds the words of `input.buffers[i]`, or None if the caller did
    /// not submit it.
    pub fn new(input: &'i Input, ids: &[Option<BufferId>], gfx: Gfx) -> Self {
        let facts = input.hang.as_ref().unwrap_or(&NOTHING);
        let mut hang = Self {
            input,
            facts,
            ids: ids.to_vec(),
            numbers: BTreeMap::new(),
            gfx,
            ring: RunBy::of(facts),
            blocks: blocks(facts),
            stream: engines::stream(input),
            positions: Vec::new(),
            fetched: None,
            fetched_by: "",
            notes: Vec::new(),
            elsewhere: false,
        };
        hang.numbers.extend(ids.iter().enumerate().rev().filter_map(|(at, id)| Some(((*id)?, at))));
        hang.locate();
        hang
    }

    /// Returns whether a MEC runs the ring that timed out: a compute ring, or that of the kernel.
    pub fn is_compute(&self) -> bool {
        matches!(self.ring, RunBy::Compute(_))
    }

    /// Returns the position that explains the hang best. On a compute ring, this is the position of MEC; otherwise that of ME or, if unknown, that of PFP,
    /// which runs ahead.
    pub fn stalled(&self) -> Option<&EnginePosition> {
        let of = |engine| self.positions.iter().find(|position| position.engine == engine && !position.candidates.is_empty());
        if self.is_compute() { of(CpEngine::Mec) } else { of(CpEngine::Me).or_else(|| of(CpEngine::Pfp)) }
    }

    /// Returns the position of PFP, if it is certain and that of ME is known as well.
    pub(super) fn ahead(&self) -> Option<&EnginePosition> {
        self.stalled().filter(|stalled| stalled.engine == CpEngine::Me)?;
        let is_known = |position: &&EnginePosition| position.confidence > Confidence::Low && !position.candidates.is_empty();
        self.positions.iter().filter(|position| position.engine == CpEngine::Pfp).find(is_known)
    }

    /// Returns a packet in the model; None if its buffer is not in it.
    pub fn place(&self, packet: PacketPlace) -> Option<Place> {
        let (buffer, dword) = match self.ids.get(packet.buffer)? {
            Some(id) => (*id, packet.dword),
            None => self.in_part_of_ring(packet)?,
        };
        Some(Place { buffer, dword: u32::try_from(dword).ok()? })
    }

    /// Returns a packet of a ring, in the part that runs in place of the ring.
    fn in_part_of_ring(&self, packet: PacketPlace) -> Option<(BufferId, usize)> {
        let (ring, part) = self.stream.ring.filter(|(ring, _)| *ring == packet.buffer)?;
        let length = self.input.buffers.get(ring)?.words.len();
        let (index, runs) = self.input.buffers.iter().enumerate().find(|(_, buffer)| buffer.usage == BufferUse::Ring)?;
        let dword = (packet.dword + length - part.from) % length;
        (dword < runs.words.len()).then_some(((*self.ids.get(index)?)?, dword))
    }

    /// Returns the words of a packet, and the words after it.
    pub(super) fn words(&self, packet: PacketPlace) -> Vec<u32> {
        let Some(buffer) = self.input.buffers.get(packet.buffer) else { return Vec::new() };
        let ring = buffer.pointers.is_some() && packet.dword < buffer.words.len();
        let end = packet.dword + packet.header.dwords();
        match ring && end > buffer.words.len() {
            true => unrolled(&buffer.words, packet.dword, (end - buffer.words.len()).min(packet.dword)),
            false => buffer.words.get(packet.dword..end.min(buffer.words.len())).unwrap_or_default().to_vec(),
        }
    }

    /// Returns the place of a packet among those that may have been executed.
    fn step_of(&self, packet: PacketPlace) -> Option<usize> {
        self.stream.position(|step| (step.buffer, step.dword) == (packet.buffer, packet.dword))
    }

    /// Returns the addresses that a driver found wrong in the packets up to a place, or in all if no place is known.
    pub(super) fn wrong_addresses(&self, last: Option<PacketPlace>) -> Vec<&WrongAddress> {
        if self.facts.addresses.is_empty() {
            return Vec::new();
        }
        let all = self.facts.addresses.iter();
        let Some(last) = last.and_then(|packet| self.step_of(packet)) else { return all.collect() };
        // Packets by place: reached or not; a buffer that is called again may have both.
        let mut packets: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for (at, step) in self.stream.steps.iter().enumerate() {
            *packets.entry((step.buffer, step.dword)).or_default() |= at <= last;
        }
        let reached = |wrong: &&WrongAddress| {
            let packet = packets.range(..=(wrong.buffer, wrong.dword)).next_back();
            packet.filter(|((buffer, _), _)| *buffer == wrong.buffer).is_none_or(|(_, reached)| *reached)
        };
        all.filter(reached).collect()
    }

    /// Returns whether the job has begun: its first buffer was fetched, or the engine is past the packet that starts it.
    pub(super) fn begun(&self) -> Begun {
        let Some(start) = self.stream.start else { return Begun::Yes };
        if !self.may_be_fetched() {
            return Begun::No { proved: true };
        }
        let position = self.stalled();
        let at = position.and_then(|position| self.step_of(*position.candidates.first()?));
        match at.zip(position) {
            Some((at, position)) if at < start => Begun::No { proved: position.confidence > Confidence::Low },
            _ => Begun::Yes,
        }
    }

    /// Returns whether the packet that starts the job may have been fetched.
    pub(super) fn may_be_fetched(&self) -> bool {
        self.stream.start.zip(self.stream.not_fetched).is_none_or(|(start, limit)| limit > start)
    }

    /// Returns the packet that starts the job.
    pub(super) fn start(&self) -> Option<PacketPlace> {
        Some(place(*self.stream.steps.get(self.stream.start?)?))
    }

    /// Returns the place and the name of a packet, as the report prints it: `IB #0 dword 12, DRAW_INDEX_AUTO`.
    pub fn describe(&self, packet: PacketPlace) -> String {
        let name = self.input.buffers.get(packet.buffer).map_or("?", |buffer| buffer.name.as_str());
        let packet_name = match packet.header.packet_type() {
            3 => packet.header.opcode().name(self.gfx).unwrap_or("?").into(),
            other => format!("packet of type {other}"),
        };
        format!("{name} dword {}, {packet_name}", packet.dword)
    }

    /// Returns the queue with whose packet layouts a buffer is read.
    pub(super) fn queue_of(&self, buffer: usize) -> Queue {
        let stated = self.input.buffers.get(buffer).and_then(|buffer| buffer.queue);
        stated.unwrap_or(if self.is_compute() { Queue::Compute } else { Queue::Graphics })
    }

    fn register(&self, name: &str) -> Option<u32> {
        self.facts.register(&self.blocks, name)
    }

    /// Returns the last packet of the model's buffers at or before a step; packets in the ring have none.
    pub(super) fn last_in_buffers(&self, packet: PacketPlace) -> Option<Place> {
        let at = self.step_of(packet)?;
        self.stream.steps[..=at].iter().rev().find_map(|step| self.place(PacketPlace { buffer: step.buffer, dword: step.dword, header: step.header }))
    }

    /// Returns the last fetched packet of the model's buffers, if known: the last one that can have run.
    pub(super) fn last_fetched(&self) -> Option<Place> {
        let ring = self.stream.not_fetched.map(|limit| limit.saturating_sub(1));
        let at = self.fetched_step().into_iter().chain(ring).min()?;
        self.last_in_buffers(place(*self.stream.steps.get(at)?))
    }

    /// Returns whether the input contains words of the job that run on the command processor, other than those of the ring.
    pub fn has_job(&self) -> bool {
        self.input.buffers.iter().any(|buffer| buffer.usage == BufferUse::Submitted && !buffer.complete().is_empty())
    }

    /// Returns whether the model has any buffer of the dump.
    pub(super) fn is_submitted(&self) -> bool {
        self.ids.iter().any(Option::is_some)
    }

    fn locate(&mut self) {
        if self.ring == RunBy::Other {
            let ring = self.facts.ring.as_deref().unwrap_or("that timed out");
            self.notes.push(format!(
                "the ring {ring} does not run PM4: its buffers were not executed, no finding is about them, and the registers of the command processor do not \
                 say why it hangs"
            ));
            let of_ring = self.input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::OtherEngine);
            for (buffer, RingPointers { read, write, mask }) in of_ring.filter_map(|buffer| Some((buffer, buffer.pointers?))) {
                let left = (write.wrapping_sub(read) & mask) as usize;
                let message = format!(
                    "{}: it was read up to dword {} and written up to dword {}, so {} not read yet; its {} are not decoded",
                    buffer.name,
                    read & mask,
                    write & mask,
                    if left == 1 { "1 dword was".to_string() } else { format!("{left} dwords were") },
                    counted(buffer.words.len(), "dword")
                );
                self.notes.push(message);
            }
            return;
        }
        if !self.has_job() {
            let what = if self.input.form == InputForm::KernelLog { "the log of a kernel" } else { "the dump" };
            self.notes.push(format!("{what} does not hold the command buffers of the job: they were not checked, and no finding is about them"));
        } else if !self.is_submitted() {
            self.notes
                .push("no buffer of the dump was given to the model (Input::submit): its packets were not executed, and no finding is about them".to_string());
        }
        self.judge_blocks();
        if let Some(position) = self.by_marks() {
            self.positions.push(position);
        }
        if self.facts.is_blank() && !self.positions.is_empty() {
            return;
        }
        if self.facts.is_blank() {
            self.notes.push("no register shows which packet the engines were executing".to_string());
            return;
        }
        self.judge_ring();
        self.fetched = match self.ring {
            RunBy::Graphics => self.fetched_by_pfp(),
            RunBy::Compute(_) => self.fetched_by_mec(),
            RunBy::Scheduler | RunBy::Other => None,
        };
        self.doubt_read_pointer();
        // PFP is first, because ME cannot be ahead of it.
        let mut before = None;
        for (engine, register, skips) in header_queues(self.ring) {
            let headers = self.facts.values(&self.blocks, register);
            if headers.iter().any(|header| !matches!(*header, 0 | u32::MAX)) {
                let found = match_queue(&self.stream, reaches(*engine), &headers, *skips);
                let bound = before.filter(|_| *engine == CpEngine::Me);
                if *engine == CpEngine::Pfp && found.matched >= SURE {
                    before = found.ends.last().copied();
                }
                self.note_other_words(register, &headers);
                let position = self.position(*engine, headers, &found, bound);
                self.positions.push(position);
            }
        }
        if self.positions.iter().all(|position| position.candidates.is_empty())
            && let Some(position) = self.by_fetch()
        {
            self.positions.push(position);
        }
    }

    /// Notes words of a header queue that begin no packet of the input: as far as the input shows, the command processor has read something else.
    fn note_other_words(&mut self, register: &str, headers: &[u32]) {
        let known: BTreeSet<u32> = self.input.buffers.iter().flat_map(|buffer| Reader::new(&buffer.words)).flatten().map(|packet| packet.header.0).collect();
        if known.is_empty() || !self.has_job() {
            return;
        }
        for word in headers.iter().copied().filter(|word| !engines::is_empty(*word) && *word != u32::MAX) {
            let header = Header(word);
            if known.iter().any(|step| engines::shows(word, Header(*step))) {
                continue;
            }
            let is_packet = header.packet_type() == 3 && header.opcode().name(self.gfx).is_some();
            let what = if is_packet {
                ": it is of a buffer or a submission that the input lacks, or the command processor has read other words than these"
            } else {
                ", and it is no header of a packet of this generation: the command processor has read other words than these, or was out of sync"
            };
            let note = format!("{register} holds 0x{word:08x}, with which no packet of the input begins{what}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Checks for blocks of registers without information.
    fn judge_blocks(&mut self) {
        for name in &self.blocks {
            let of = || self.facts.blocks.iter().filter(|block| block.name == *name && !block.values.is_empty());
            if of().next().is_none() {
                continue;
            }
            if of().all(RegisterBlock::is_all_ones) {
                self.notes
                    .push(format!("the registers of {name} hold all ones: the device did not answer when they were read, and nothing is taken from them"));
            } else if of().all(RegisterBlock::is_all_zero) && !self.facts.is_blank() {
                self.notes.push(format!("the registers of {name} hold 0: it was idle, or its power or clock was off"));
            }
        }
    }

    /// Evaluates the pointers of the ring for the submission.
    fn judge_ring(&mut self) {
        let Some((ring, part)) = self.stream.ring else { return };
        let name = &self.input.buffers[ring].name;
        if part.fetched.is_none() {
            self.notes.push(format!(
                "according to its read pointer, {name} was not fetched up to this submission: the pointer and the words may have been read at different times"
            ));
        } else if part.starts > 1 && self.has_job() {
            self.notes.push(format!("{} submissions of {name} start the buffer: the report uses the newest one that was fetched", part.starts));
        }
    }

    /// A read pointer before the packet that starts the buffer in the fetcher is from another time than the fetcher: it does not limit the search.
    fn doubt_read_pointer(&mut self) {
        let in_fetcher = self.fetched.is_some_and(|(buffer, dword)| self.input.buffers.get(buffer).is_some_and(|buffer| dword < buffer.words.len()));
        if let (true, Some(limit), Some(start)) = (in_fetcher, self.stream.not_fetched, self.stream.start)
            && limit <= start
        {
            self.stream.not_fetched = None;
            self.notes.push(
                "the read pointer of the ring is before the packet that starts the buffer in the fetcher: it was read at another time, and does not limit \
                 the search"
                    .into(),
            );
        }
    }

    /// Returns the limit that no engine can have passed: the step with the last dword fetched.
    fn fetched_step(&self) -> Option<usize> {
        let (buffer, dword) = self.fetched?;
        self.stream.steps.iter().rposition(|step| step.buffer == buffer && step.dword < dword.max(1))
    }

    /// Returns the position of the newest entry of a header queue; `before` is the limit given by an engine that runs ahead.
    fn position(&self, engine: CpEngine, headers: Vec<u32>, found: &Match, before: Option<usize>) -> EnginePosition {
        let limit = self.fetched_step();
        let in_work = self.fetched.map(|(buffer, _)| buffer);
        // No packet after the fetched ones can be executing, and ME is never ahead of PFP.
        let not_fetched = self.stream.not_fetched;
        let fetched = |end: &usize| {
            let in_buffer = limit.is_none_or(|limit| *end <= limit || Some(self.stream.steps[*end].buffer) != in_work);
            in_buffer && not_fetched.is_none_or(|limit| *end < limit)
        };
        let mut ends: Vec<usize> = found.ends.iter().copied().filter(|end| fetched(end) && before.is_none_or(|before| *end <= before)).collect();
        // If all positions are after the fetched part, the header queue and the other registers are from different moments, or one is misread.
        let contradiction = ends.is_empty() && !found.ends.is_empty();
        // Waits of other parts say nothing about this engine.
        let waits: Vec<_> = waits::of(self.ring, self.facts, &self.blocks).filter(|wait| wait.is_of(engine) && wait.identifies_packets()).collect();
        let agrees = |end: &usize| {
            let step = self.stream.steps[*end];
            let words = self.words(place(step));
            let packet = Reader::new(&words).flatten().next();
            !waits.is_empty() && packet.is_some_and(|packet| waits.iter().any(|wait| wait.fits(self.gfx, self.queue_of(step.buffer), &packet)))
        };
        let last = before.or(limit);
        // No dump of another generation shows the order.
        let newest_first = self.gfx.version() == (11, 0);
        // The likeliest: one that can cause the waits in the registers, one that matches with the newest entry read first, one that matches the order in which
        // the
        // queue was read, and the latest.
        let key = |end: &usize| {
            (
                !agrees(end),
                newest_first && !found.likely.contains(end),
                !found.natural.contains(end),
                last.map_or(0, |last| last.abs_diff(*end)),
                core::cmp::Reverse(*end),
            )
        };
        ends.sort_by_cached_key(key);
        let natural = ends.iter().filter(|end| found.natural.contains(end)).count();
        // A wait that identifies packets other than this one: the registers are from different times, or the position is wrong.
        let contradicted = !waits.is_empty() && ends.first().is_some_and(|first| !agrees(first));
        // An order shown by no dump of the generation.
        let unseen = newest_first && ends.first().is_some_and(|first| !found.likely.contains(first));
        let confidence = match (found.ends.len(), ends.len()) {
            (1, _) if found.matched == found.of && found.of >= SURE && (contradicted || unseen) => Confidence::Medium,
            (1, _) if found.matched == found.of && found.of >= SURE => Confidence::High,
            (_, 1) if found.matched >= SURE => Confidence::Medium,
            _ if natural == 1 && found.matched == found.of && found.of >= SURE && ends.first().is_some_and(|first| found.natural.contains(first)) => {
                Confidence::Medium
            }
            _ => Confidence::Low,
        };
        // It is unknown to which of several submissions a packet of the ring belongs.
        let several = self.stream.ring.is_some_and(|(ring, part)| {
            (part.starts > 1 && self.has_job() || part.fetched.is_none()) && ends.first().is_some_and(|end| self.stream.steps[*end].buffer == ring)
        });
        let confidence = if several { confidence.min(Confidence::Medium) } else { confidence };
        // One header proves nothing if the engines were in words that are missing.
        let too_little = found.matched < if self.elsewhere { COINCIDENCE } else { COINCIDENCE.min(found.of) };
        let candidates: Vec<PacketPlace> = if too_little { Vec::new() } else { ends.iter().take(LISTED).map(|end| place(self.stream.steps[*end])).collect() };
        let fitting = if too_little { 0 } else { ends.len() };
        let by = match found.of {
            0 if headers.iter().any(|header| *header != 0) => "its header queue holds only what it holds after a start: it shows no packet".to_string(),
            0 => "its header queue is empty".to_string(),
            1 if too_little => "no place fits: one header was read, and the buffer in the fetcher was not dumped".to_string(),
            _ if contradiction && !too_little => {
                let places = counted(found.ends.len(), "place");
                let fit = if found.ends.len() == 1 { "fits" } else { "fit" };
                let bound = if before.is_some() { "what was fetched, or after PFP" } else { "what was fetched" };
                format!("{places} {fit} its header queue, but after {bound}: the registers contradict each other")
            }
            1 if self.has_job() => match fitting {
                1 => "the one header that was read: one packet has this header".to_string(),
                _ => format!("the one header that was read: {fitting} packets have this header"),
            },
            1 => {
                let have = if fitting == 1 { "packet has" } else { "packets have" };
                format!("the one header that was read: {fitting} {have} it in the part of the ring that was searched, and the buffers of the job are not there")
            }
            of if too_little => format!("no place fits: of the {of} headers in its queue, at most {} follow each other in the dumped buffers", found.matched),
            of => {
                let others = if fitting > 1 { format!("; {fitting} places fit") } else { String::new() };
                let against = if contradicted { "; the registers name a wait that this packet cannot cause" } else { "" };
                let order = ends.first().map_or("", |end| found.order(*end, newest_first));
                format!(
                    "its header queue, {} of {of} headers in the order of the stream ({order}; no AMD document states the order){others}{against}",
                    found.matched
                )
            }
        };
        EnginePosition { engine, candidates, fitting, confidence, by, headers }
    }

    /// Returns the position between the last reached and the first unreached mark of a driver: draws and dispatches, or else the packet after the mark.
    fn by_marks(&self) -> Option<EnginePosition> {
        let at = |mark: Option<u16>| {
            let word = Marks::word(mark?);
            let body = |step: &Step| self.input.buffers.get(step.buffer).and_then(|buffer| buffer.words.get(step.dword + 1)).copied();
            // Called buffers have marks with the same numbers, which count separately.
            self.stream.position(|step| !step.called && step.header.opcode() == Opcode::NOP && body(step) == Some(word))
        };
        let (reached, not_reached) = (at(self.facts.marks.reached), at(self.facts.marks.not_reached));
        let from = reached.map(|at| at + 1).or(not_reached.map(|_| self.stream.begin))?;
        let between = self.stream.steps.get(from..not_reached.unwrap_or(self.stream.steps.len()))?;
        let works = |step: &&Step| {
            let kinds = step.header.opcode().effect_kinds(self.gfx);
            kinds.intersects(EffectKinds::DRAW) || kinds.intersects(EffectKinds::DISPATCH)
        };
        let mut candidates: Vec<PacketPlace> = between.iter().filter(works).map(|step| place(*step)).collect();
        if candidates.is_empty() {
            candidates = between.first().map(|step| place(*step)).into_iter().collect();
        }
        let fitting = candidates.len();
        candidates.truncate(LISTED);
        let confidence = if fitting == 1 && reached.is_some() && not_reached.is_some() { Confidence::Medium } else { Confidence::Low };
        let mark = |at: Option<usize>, what: &str| {
            at.map_or_else(|| format!("no mark {what}"), |at| format!("the mark {what} at {}", self.describe(place(self.stream.steps[at]))))
        };
        let by = format!("marks of the driver: {}, {}", mark(reached, "reached last"), mark(not_reached, "not reached"));
        let engine = if self.is_compute() { CpEngine::Mec } else { CpEngine::Me };
        Some(EnginePosition { engine, candidates, fitting, confidence, by, headers: Vec::new() })
    }

    /// Returns the position if only the fetcher is known: the packet that was fetched last.
    fn by_fetch(&self) -> Option<EnginePosition> {
        let at = self.fetched_step()?;
        let engine = if self.is_compute() { CpEngine::Mec } else { CpEngine::Pfp };
        let by = "what was fetched: the engines are at this packet or before it".to_string();
        Some(EnginePosition {
            engine,
            candidates: vec![place(self.stream.steps[at])],
            fitting: at + 1 - self.stream.begin.min(at),
            confidence: Confidence::Low,
            by,
            headers: Vec::new(),
        })
    }

    /// Returns the buffer at an address, and its dwords.
    fn buffer_at(&self, addr: u64) -> Option<(usize, usize)> {
        let found = self.input.buffers.iter().enumerate().find(|(_, buffer)| buffer.usage.is_executed() && buffer.addr.is_some_and(|at| same(at, addr)));
        found.map(|(index, buffer)| (index, buffer.expected_dwords.unwrap_or(buffer.words.len())))
    }

    /// Returns the graphics queue: base and remaining size of the buffers in the fetcher, the called one before the one that calls.
    fn fetched_by_pfp(&mut self) -> Option<(usize, usize)> {
        for level in ["IB2", "IB1"] {
            let register = |name: &str| self.register(&format!("CP_{level}_{name}"));
            let (Some(low), Some(high)) = (register("BASE_LO"), register("BASE_HI")) else { continue };
            let base = u64::from(high & 0xFFFF) << 32 | u64::from(low & !3);
            let left = register("BUFSZ").map(|left| (left & 0xF_FFFF) as usize);
            if base == 0 {
                continue;
            }
            match (self.buffer_at(base), left) {
                // A called buffer stays in its registers after it has ended.
                (Some(_), Some(0)) if level == "IB2" => {}
                (Some((buffer, size)), Some(left)) if left <= size => {
                    self.fetched_by = COUNTS_DOWN;
                    return Some((buffer, size - left));
                }
                (Some((buffer, size)), Some(left)) => {
                    let name = self.input.buffers[buffer].name.clone();
                    self.notes.push(format!(
                        "according to CP_{level}_BUFSZ, {name} still has {} to be fetched, but it has only {}: how far it was fetched is not known",
                        counted(left, "dword"),
                        counted(size, "dword")
                    ));
                }
                (Some(_), None) => {}
                // A called buffer stays in its registers after it has ended; its size is unknown if no register has the remaining size.
                (None, None | Some(0)) if level == "IB2" => {}
                (None, left) => {
                    let chain = engines::chain_to(self.input, base);
                    let note = format!(
                        "the {} in the fetcher, at 0x{base:012x}, {}",
                        if level == "IB2" { "called buffer" } else { "buffer" },
                        self.missing(base, left.map(|left| (left, "of them were left to be fetched")))
                    );
                    self.notes.push(note);
                    self.elsewhere = true;
                    if let Some((buffer, dword)) = chain {
                        let InputBuffer { name, words, .. } = &self.input.buffers[buffer];
                        self.notes
                            .push(format!("{name} chains to that buffer at dword {dword}: {name} was fetched completely, and the engines may be past its end"));
                        self.fetched_by = "the fetcher is in the buffer that it chains to";
                        return Some((buffer, words.len()));
                    }
                }
            }
        }
        None
    }

    /// Returns the buffer of this number in the model.
    pub(super) fn buffer_name(&self, buffer: BufferId) -> &str {
        self.numbers.get(&buffer).and_then(|at| self.input.buffers.get(*at)).map_or("?", |buffer| buffer.name.as_str())
    }

    /// Returns the known facts about a buffer that was not dumped; `count` is a number of its dwords and what happened to them.
    fn missing(&self, base: u64, count: Option<(usize, &str)>) -> String {
        let why = match self.input.buffers.iter().any(|buffer| buffer.usage == BufferUse::Submitted) {
            true => "the kernel dumps the first buffer of a job, not those that it chains to or calls",
            // Linux 7.1 and later dump the first buffer of a job.
            false if self.input.kernel_is_at_least(7, 1) => "the kernel could not read the buffers of the job, or the copy was cut",
            false => "kernels before 7.1 dump rings, and no buffers of jobs",
        };
        let started = engines::starter(self.input, base).map(|(buffer, dword, call)| {
            let count = count.filter(|(count, _)| *count <= call.dwords).map_or_else(String::new, |(count, what)| format!(", {count} {what}"));
            let starter = &self.input.buffers[buffer];
            let starts = if starter.usage.is_executed() && starter.usage != BufferUse::Ring { "calls" } else { "starts" };
            format!("; {} dword {dword} {starts} it with {}{count}", starter.name, counted(call.dwords, "dword"))
        });
        format!("is not among those that were dumped: {why}{}", started.unwrap_or_default())
    }

    /// Returns a compute queue: base, and dwords consumed.
    fn fetched_by_mec(&mut self) -> Option<(usize, usize)> {
        let (low, high) = (self.register("CP_HQD_IB_BASE_ADDR")?, self.register("CP_HQD_IB_BASE_ADDR_HI")?);
        let base = u64::from(high & 0xFFFF) << 32 | u64::from(low & !3);
        let control = self.register("CP_HQD_IB_CONTROL");
        let read = (self.register("CP_HQD_IB_RPTR")? & 0xF_FFFF) as usize;
        let none = match control {
            Some(control) if control >> 31 == 0 => Some("PROCESSING_IB"),
            _ if base == 0 => Some("CP_HQD_IB_BASE_ADDR"),
            _ => None,
        };
        if let Some(zero) = none {
            self.notes.push(format!("the compute queue executes no buffer ({zero} is 0): the work in flight was started earlier"));
            return None;
        }
        if control.is_none() {
            self.notes
                .push("the dump lacks CP_HQD_IB_CONTROL: whether the compute queue still executes the buffer at CP_HQD_IB_BASE_ADDR is not known".to_string());
        }
        let Some((buffer, size)) = self.buffer_at(base) else {
            let note = format!("the buffer that was being executed, at 0x{base:012x}, {}", self.missing(base, Some((read, "of them were consumed"))));
            self.notes.push(note);
            self.elsewhere = true;
            return None;
        };
        if read > size {
            let name = &self.input.buffers[buffer].name;
            let note = format!(
                "according to CP_HQD_IB_RPTR, {} of {name} were consumed, but it has only {}: how far it was executed is not known",
                counted(read, "dword"),
                counted(size, "dword")
            );
            self.notes.push(note);
            return None;
        }
        self.fetched_by = "CP_HQD_IB_RPTR";
        Some((buffer, read))
    }
}

/// Whether a job has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    Yes,
    /// It has not; `proved` if the read pointer or a certain position shows it.
    No {
        proved: bool,
    },
}

/// The assumption on which the progress of a graphics queue depends.
const COUNTS_DOWN: &str = "if CP_IB1_BUFSZ and CP_IB2_BUFSZ count the dwords that are left, which no AMD document states";

/// Fewer consecutive matching headers than this may be a coincidence.
const COINCIDENCE: usize = 3;

/// This many consecutive matching headers are not a coincidence.
const SURE: usize = 4;

fn place(step: Step) -> PacketPlace {
    PacketPlace { buffer: step.buffer, dword: step.dword, header: step.header }
}

/// Maximum number of blocks searched for a register. A chip has one graphics core.
const BLOCKS: usize = 16;

/// Returns the register blocks relevant to the ring, closest first: that of its queue, then the core.
fn blocks(facts: &HangFacts) -> Vec<&str> {
    let ring = facts.ring.as_deref().unwrap_or("gfx_0.0.0");
    let own = match (numbers(ring), RunBy::of_name(ring)) {
        // Compute rings count MECs from 1, blocks from 0.
        (Some([mec, pipe, queue]), RunBy::Compute(_)) => format!("mec {}, pipe {pipe}, queue {queue}", mec.saturating_sub(1)),
        (Some([me, pipe, queue]), _) => format!("me {me}, pipe {pipe}, queue {queue}"),
        (None, _) => String::new(),
    };
    let queue = facts.blocks.iter().map(|block| block.name.as_str()).find(|name| *name == own);
    let core = facts.blocks.iter().map(|block| block.name.as_str()).filter(|name| name.starts_with("gfx"));
    let mut blocks: Vec<&str> = queue.into_iter().collect();
    for name in core {
        if blocks.len() < BLOCKS && !blocks.contains(&name) {
            blocks.push(name);
        }
    }
    blocks
}
