//! Recordings: files with many submissions, only ever appended to, as written by `pm4 live --record`. Each memory page is stored once, no matter how many
//! submissions read it. A truncated recording still contains everything but its last submission.
//!
//! The file is one gzip stream, flushed after each submission. Unpacked, it consists of [`MAGIC`] and records of little-endian dwords: a tag, the number of
//! dwords that follow, and those dwords.
//!
//! | tag | dwords |
//! |---|---|
//! | 1 device, the first record | JSON with `chip` and, if known, `shader_engines`, `cus_per_array`, `pfp`, `me`, `mec`, `me_feature`; padded with spaces to a dword |
//! | 2 piece | at most 1024 dwords; pieces are numbered 0, 1, … |
//! | 3 forget | none; numbering of pieces restarts at 0 |
//! | 4 submission | process, then the number of each of the following: command buffers (engine 0 gfx, 1 compute or 2 SDMA, ring, address, dwords), pages (address, piece), pieces that contain ranges |
//!
//! A range describes mapped memory in four dwords: address and bytes; bit 0 of the bytes says that the program itself may write there. Addresses and bytes take
//! two dwords, low dword first. A page inside a range but in no submission has contents unknown to the recording.

use super::head::LONGEST;
use crate::chip::Chip;
use crate::cp::{BoardFacts, CommandProcessor, FirmwareVersions, MemorySource, QueueId};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Write};
use strum::FromRepr;

/// The first bytes of an unpacked recording.
pub(in crate::input) const MAGIC: &[u8; 16] = b"pm4 recording 1\n";

const DEVICE: u32 = 1;
const PIECE: u32 = 2;
const FORGET: u32 = 3;
const SUBMISSION: u32 = 4;

/// The most dwords in a piece, and the bytes of a page.
const PIECE_DWORDS: usize = 1024;
const PAGE: u64 = 4096;

/// The most pieces that reader and writer keep: 256 MiB.
const KEPT: usize = 1 << 16;

/// The most dwords in a record: a submission with tens of thousands of pages.
const RECORD_DWORDS: u32 = 1 << 20;

/// The most command buffers in a submission, and the most dwords in all of them.
const MOST_BUFFERS: usize = 1 << 12;
const MOST_DWORDS: u64 = LONGEST / 4;

/// The device of a recording.
///
/// For an example, see [`Recording`](crate::input::Recording).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedDevice {
    /// The chip.
    pub chip: Chip,
    /// The board.
    pub board: BoardFacts,
    /// The firmware versions.
    pub firmware: FirmwareVersions,
}

/// The engine that runs a recorded command buffer. Its discriminant is its number in a recording.
///
/// For an example, see [`Recording`](crate::input::Recording).
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRepr)]
#[repr(u32)]
pub enum RecordedEngine {
    /// The graphics queue.
    Graphics = 0,
    /// A compute queue.
    Compute = 1,
    /// SDMA, which does not run PM4.
    Sdma = 2,
}

/// A command buffer of a recorded submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBuffer {
    /// Its engine.
    pub engine: RecordedEngine,
    /// The ring number within its engine.
    pub ring: u32,
    /// Its GPU address.
    pub addr: u64,
    /// Its dwords, as far as known. A writer uses only their number: the words are in pages.
    pub words: Vec<u32>,
}

/// A range of mapped memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedRange {
    /// The first GPU address.
    pub addr: u64,
    /// The length in bytes, a multiple of the page size.
    pub bytes: u64,
    /// Whether the program itself may write there.
    pub is_written_by_program: bool,
}

/// A submission with the memory that it needs, as it was before the submission: a [`MemorySource`].
///
/// For an example, see [`Recording`](crate::input::Recording).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedSubmission {
    /// The process that submitted it.
    pub process: u32,
    /// Command buffers, in order.
    pub buffers: Vec<RecordedBuffer>,
    /// Memory pages that it reads, by address.
    pub pages: BTreeMap<u64, Arc<[u32]>>,
    /// Mapped memory, by address.
    pub ranges: Vec<RecordedRange>,
}

impl RecordedSubmission {
    /// Passes its command buffers and memory to a model and closes the model's memory: an access to unmapped memory is a page fault.
    pub fn submit<'a>(&'a self, cp: &mut CommandProcessor<'a>, names: &'a [String]) {
        cp.memory_source(self).closed_memory(true);
        let mut rings: Vec<(u32, QueueId)> = Vec::new();
        for (buffer, name) in self.buffers.iter().zip(names) {
            let queue = match (buffer.engine, rings.iter().find(|(ring, _)| *ring == buffer.ring)) {
                (RecordedEngine::Graphics, _) => QueueId::GRAPHICS,
                (RecordedEngine::Sdma, _) => {
                    cp.submit_sdma(buffer.ring, name, Some(buffer.addr), &buffer.words);
                    continue;
                }
                (RecordedEngine::Compute, Some((_, queue))) => *queue,
                (RecordedEngine::Compute, None) => {
                    let queue = if rings.is_empty() { QueueId::COMPUTE } else { cp.add_compute_queue() };
                    rings.push((buffer.ring, queue));
                    queue
                }
            };
            cp.submit_to(queue, name, Some(buffer.addr), &buffer.words);
        }
    }

    /// Returns names of its command buffers for reports: their addresses.
    pub fn names(&self) -> Vec<String> {
        self.buffers.iter().map(|buffer| format!("0x{:012x}", buffer.addr)).collect()
    }

    fn range(&self, addr: u64) -> Option<&RecordedRange> {
        let at = self.ranges.partition_point(|range| range.addr <= addr).checked_sub(1)?;
        self.ranges.get(at).filter(|range| addr - range.addr < range.bytes)
    }
}

impl MemorySource for RecordedSubmission {
    fn read(&self, addr: u64, words: &mut [u32]) -> usize {
        let mut done = 0;
        while done < words.len() {
            let at = addr + 4 * done as u64;
            let there = self.pages.get(&(at / PAGE * PAGE)).and_then(|page| page.get((at % PAGE / 4) as usize..)).unwrap_or_default();
            let count = there.len().min(words.len() - done);
            words[done..done + count].copy_from_slice(&there[..count]);
            done += count;
            if count == 0 {
                break;
            }
        }
        done
    }

    fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        let mut done = 0;
        while done < bytes
            && let Some(range) = addr.checked_add(done).and_then(|at| self.range(at))
        {
            done = range.addr + range.bytes - addr;
        }
        done.min(bytes)
    }

    fn writer(&self, addr: u64) -> Option<&str> {
        self.range(addr).is_some_and(|range| range.is_written_by_program).then_some("the program, which has mapped this buffer")
    }
}

/// Writes a recording.
///
/// For an example, see [`Recording`](crate::input::Recording).
#[derive(Debug)]
pub struct RecordingWriter<W: Write> {
    out: GzEncoder<W>,
    /// Pieces already written, by two hashes of their words.
    pieces: BTreeMap<(u64, u64), u32>,
    /// The number of the next piece.
    next: u32,
}

fn push_u64(words: &mut Vec<u32>, value: u64) {
    words.extend([value as u32, (value >> 32) as u32]);
}

fn hash(seed: u64, words: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(seed);
    words.iter().for_each(|word| hasher.write_u32(*word));
    hasher.finish()
}

impl<W: Write> RecordingWriter<W> {
    /// Starts a recording.
    ///
    /// # Errors
    /// Returns the error of the underlying writer.
    pub fn new(out: W, device: &RecordedDevice) -> io::Result<Self> {
        let RecordedDevice { chip, board, firmware } = device;
        let facts = [
            ("shader_engines", board.shader_engines),
            ("cus_per_array", board.cus_per_array),
            ("pfp", firmware.pfp),
            ("me", firmware.me),
            ("mec", firmware.mec),
            ("me_feature", firmware.me_feature),
        ];
        let mut record = json!({ "chip": chip.info().name });
        for (key, fact) in facts {
            if let Some(fact) = fact {
                record[key] = fact.into();
            }
        }
        let mut text = record.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut writer = Self { out: GzEncoder::new(out, Compression::fast()), pieces: BTreeMap::new(), next: 0 };
        writer.out.write_all(MAGIC)?;
        writer.record(DEVICE, &words_of(&text))?;
        writer.out.flush()?;
        Ok(writer)
    }

    fn record(&mut self, tag: u32, words: &[u32]) -> io::Result<()> {
        let head = [tag, words.len() as u32];
        let bytes: Vec<u8> = head.iter().chain(words).flat_map(|word| word.to_le_bytes()).collect();
        self.out.write_all(&bytes)
    }

    /// Returns the number of a piece, and writes the piece if it is new.
    fn piece(&mut self, words: &[u32]) -> io::Result<u32> {
        let key = (hash(0, words), hash(1, words));
        if let Some(number) = self.pieces.get(&key) {
            return Ok(*number);
        }
        self.record(PIECE, words)?;
        self.pieces.insert(key, self.next);
        self.next += 1;
        Ok(self.next - 1)
    }

    /// Appends a submission and flushes it, so that it is in the file whatever happens next. The words of command buffers are taken from pages.
    ///
    /// # Errors
    /// Returns the error of the underlying writer.
    pub fn submission(&mut self, submission: &RecordedSubmission) -> io::Result<()> {
        let ranges: Vec<u32> = submission
            .ranges
            .iter()
            .flat_map(|range| {
                let mut words = Vec::new();
                push_u64(&mut words, range.addr);
                push_u64(&mut words, range.bytes | u64::from(range.is_written_by_program));
                words
            })
            .collect();
        let lists = ranges.chunks(PIECE_DWORDS);
        if self.pieces.len() + submission.pages.len() + lists.len() > KEPT {
            self.record(FORGET, &[])?;
            self.pieces.clear();
            self.next = 0;
        }
        let lists = lists.map(|list| self.piece(list)).collect::<io::Result<Vec<u32>>>()?;
        let mut pages = Vec::new();
        for (addr, words) in &submission.pages {
            push_u64(&mut pages, *addr);
            pages.push(self.piece(words)?);
        }
        let RecordedSubmission { process, buffers, .. } = submission;
        let mut words = vec![*process, buffers.len() as u32, submission.pages.len() as u32, lists.len() as u32];
        for buffer in buffers {
            words.extend([buffer.engine as u32, buffer.ring]);
            push_u64(&mut words, buffer.addr);
            words.push(buffer.words.len() as u32);
        }
        words.extend(pages);
        words.extend(lists);
        self.record(SUBMISSION, &words)?;
        self.out.flush()
    }

    /// Finishes the recording. An unfinished recording can be read too.
    ///
    /// # Errors
    /// Returns the error of the underlying writer.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish()
    }
}

/// Reads a recording, one submission at a time, from its unpacked bytes (for example from a [`Source`](crate::input::Source)).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::{BoardFacts, CommandProcessor, FirmwareVersions};
/// use pm4::input::{RecordedBuffer, RecordedDevice, RecordedEngine, RecordedRange, RecordedSubmission, Recording, RecordingWriter, Source};
/// # #[cfg(feature = "gfx11")] {
/// let device = RecordedDevice { chip: Chip::Navi31, board: BoardFacts::default(), firmware: FirmwareVersions::default() };
/// let mut writer = RecordingWriter::new(Vec::new(), &device)?;
/// let mut page = vec![0; 1024];
/// page[..3].copy_from_slice(&[0xC001_2D00, 3, 2]);
/// let range = RecordedRange { addr: 0x10_0000, bytes: 4096, is_written_by_program: false };
/// let submission = RecordedSubmission {
///     process: 7,
///     buffers: vec![RecordedBuffer { engine: RecordedEngine::Graphics, ring: 0, addr: 0x10_0000, words: page[..3].to_vec() }],
///     pages: [(0x10_0000, page.clone().into())].into(),
///     ranges: vec![range],
/// };
/// writer.submission(&submission)?;
/// let file = writer.finish()?;
///
/// let mut recording = Recording::open(Source::open(&*file, None)?)?;
/// assert_eq!(recording.device(), &device);
/// let read = recording.next().unwrap()?;
/// assert_eq!(read, submission);
/// let (mut cp, names) = (CommandProcessor::new(device.chip), read.names());
/// read.submit(&mut cp, &names);
/// assert_eq!(cp.run(&mut ()).draws, 1);
/// # assert!(recording.next().is_none());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recording<R> {
    reader: R,
    records: Records,
}

/// What has been read of a recording, independent of the reader.
#[derive(Debug)]
struct Records {
    device: RecordedDevice,
    pieces: Vec<Arc<[u32]>>,
    /// Bytes read so far.
    bytes: u64,
    ended: bool,
    cut_off: bool,
}

fn damaged(bytes: u64, message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("at byte {bytes} of the recording: {message}"))
}

/// The words of a record, consumed from the front.
struct Words<'w>(&'w [u32]);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn next_u64(&mut self) -> Option<u64> {
        Some(u64::from(self.next()?) | u64::from(self.next()?) << 32)
    }
}

impl<R: Read> Recording<R> {
    /// Reads the header of a recording.
    ///
    /// # Errors
    /// Returns an error if reading fails or the input is not a recording.
    pub fn open(mut reader: R) -> io::Result<Self> {
        let records = Records::open(&mut reader)?;
        Ok(Self { reader, records })
    }

    /// Returns the device.
    pub fn device(&self) -> &RecordedDevice {
        &self.records.device
    }

    /// Returns the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Returns a model of the device.
    pub fn processor<'a>(&self) -> CommandProcessor<'a> {
        let mut cp = CommandProcessor::new(self.records.device.chip);
        cp.board(self.records.device.board).firmware(self.records.device.firmware);
        cp
    }

    /// Returns whether the end of the recording is missing. Valid once everything has been read; what precedes the cut is read in any case.
    pub fn is_cut_off(&self) -> bool {
        self.records.cut_off
    }
}

impl Records {
    fn open(reader: &mut dyn Read) -> io::Result<Self> {
        let mut magic = [0; MAGIC.len()];
        reader.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(damaged(0, "it does not begin as a recording does"));
        }
        let mut bytes = MAGIC.len() as u64;
        let Next::Record(tag, words) = record(reader, &mut bytes)? else { return Err(damaged(bytes, "it was cut off before the device")) };
        let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let facts: Value = serde_json::from_str(&String::from_utf8_lossy(&text)).map_err(|error| damaged(bytes, &error.to_string()))?;
        let chip = facts["chip"].as_str().filter(|_| tag == DEVICE).and_then(|chip| chip.parse::<Chip>().ok());
        let chip = chip.ok_or_else(|| damaged(bytes, "its device has no chip that is known"))?;
        let fact = |key: &str| facts[key].as_u64().and_then(|fact| u32::try_from(fact).ok());
        let board = BoardFacts { shader_engines: fact("shader_engines"), cus_per_array: fact("cus_per_array") };
        let firmware = FirmwareVersions { pfp: fact("pfp"), me: fact("me"), mec: fact("mec"), me_feature: fact("me_feature") };
        Ok(Self { device: RecordedDevice { chip, board, firmware }, pieces: Vec::new(), bytes, ended: false, cut_off: false })
    }

    fn read(&mut self, reader: &mut dyn Read) -> io::Result<Option<RecordedSubmission>> {
        loop {
            let (tag, words) = match record(reader, &mut self.bytes)? {
                Next::Record(tag, words) => (tag, words),
                Next::CutOff => {
                    self.cut_off = true;
                    return Ok(None);
                }
                Next::End => return Ok(None),
            };
            match tag {
                PIECE if words.len() <= PIECE_DWORDS && self.pieces.len() < KEPT => self.pieces.push(words.into()),
                FORGET => self.pieces.clear(),
                SUBMISSION => {
                    let submission = self.submission(&mut Words(&words));
                    return submission.map(Some).ok_or_else(|| damaged(self.bytes, "the parts of a submission differ from its header"));
                }
                // Later versions may add records.
                _ => {}
            }
        }
    }

    fn submission(&self, words: &mut Words<'_>) -> Option<RecordedSubmission> {
        let process = words.next()?;
        let [buffers, pages, lists] = [words.next()?, words.next()?, words.next()?].map(|count| count as usize);
        let mut read = RecordedSubmission { process, ..RecordedSubmission::default() };
        let mut heads = Vec::new();
        for _ in 0..buffers {
            let (engine, ring, addr, dwords) = (words.next()?, words.next()?, words.next_u64()?, words.next()?);
            heads.push((RecordedEngine::from_repr(engine)?, ring, addr, dwords));
        }
        for _ in 0..pages {
            let (addr, piece) = (words.next_u64()?, words.next()?);
            let piece = self.pieces.get(piece as usize)?;
            (addr.is_multiple_of(PAGE) && addr < 1 << 48).then(|| read.pages.insert(addr, Arc::clone(piece)))?;
        }
        for _ in 0..lists {
            let list = self.pieces.get(words.next()? as usize)?;
            let (ranges, _) = list.as_chunks::<4>();
            for [low, high, bytes_low, bytes_high] in ranges {
                let (addr, bytes) = (u64::from(*high) << 32 | u64::from(*low), u64::from(*bytes_high) << 32 | u64::from(*bytes_low));
                let range = RecordedRange { addr, bytes: bytes & !1, is_written_by_program: bytes & 1 != 0 };
                let after = read.ranges.last().is_none_or(|last| last.addr + last.bytes <= addr);
                (after && range.bytes > 0 && addr.checked_add(range.bytes)? <= 1 << 48).then(|| read.ranges.push(range))?;
            }
        }
        let total: u64 = heads.iter().map(|(.., dwords)| u64::from(*dwords)).sum();
        if heads.len() > MOST_BUFFERS || total > MOST_DWORDS {
            return None;
        }
        for (engine, ring, addr, dwords) in heads {
            // No more than is mapped.
            let length = (read.mapped(addr, 4 * u64::from(dwords)) / 4).min(dwords.into()).min(PIECE_DWORDS as u64 * (read.pages.len() as u64 + 1));
            let mut words = vec![0; length as usize];
            let known = read.read(addr, &mut words);
            words.truncate(known);
            read.buffers.push(RecordedBuffer { engine, ring, addr, words });
        }
        Some(read)
    }
}

enum Next {
    Record(u32, Vec<u32>),
    End,
    CutOff,
}

/// Reads the next record.
fn record(reader: &mut dyn Read, bytes: &mut u64) -> io::Result<Next> {
    let mut head = Vec::new();
    reader.take(8).read_to_end(&mut head)?;
    let Ok([tag, dwords]) = <[u32; 2]>::try_from(words_of(&head)) else { return Ok(if head.is_empty() { Next::End } else { Next::CutOff }) };
    if dwords > RECORD_DWORDS {
        return Err(damaged(*bytes, "a record is longer than any"));
    }
    let mut content = Vec::new();
    reader.take(4 * u64::from(dwords)).read_to_end(&mut content)?;
    if content.len() < 4 * dwords as usize {
        return Ok(Next::CutOff);
    }
    *bytes += 8 + content.len() as u64;
    Ok(Next::Record(tag, words_of(&content)))
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

impl<R: Read> Iterator for Recording<R> {
    type Item = io::Result<RecordedSubmission>;

    /// Returns the next submission; None after an error.
    fn next(&mut self) -> Option<Self::Item> {
        let Self { reader, records } = self;
        if records.ended {
            return None;
        }
        let next = records.read(reader).transpose();
        records.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
