//! What inputs are packed with: streams that are unpacked while they are read, and archives, of which the files that belong together are chosen.

use super::forms::{self, COREDUMP_TITLE};
use super::ground::{Head, InputForm, LONGEST, text};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use flate2::bufread::DeflateDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::{LzmaReader, XzReader};
use rawzip::{CompressionMethod, ZipArchive};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// Memory of a decoder at most: `xz -9` and `zstd --ultra` need half of it, and a file may ask for gigabytes.
const MEMORY: u32 = 128 << 20;

/// The start of a file of gzip.
pub(super) const GZIP: &[u8] = &[0x1F, 0x8B, 8];
/// The start of a file of zstd, of one of its frames.
pub(super) const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";
/// The start of a file of xz.
pub(super) const XZ: &[u8] = b"\xFD7zXZ\0";
/// The start of a file of zip.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";
/// The start of most files of lzma: the usual properties, and a dictionary of at least 64 KiB.
pub(super) const LZMA: &[u8] = b"\x5D\0\0";

/// Why unpacking ended early, once it has.
pub(super) type Broken = Rc<RefCell<Option<String>>>;

/// What a stream is packed with, by its beginning.
pub(super) fn stream(head: &[u8]) -> Option<&'static str> {
    // The length is that of the content, or not known.
    let length = || head.get(5..13)?.try_into().ok().map(u64::from_le_bytes);
    let is_lzma = || head.starts_with(LZMA) && length().is_some_and(|length| length == u64::MAX || length < 1 << 40);
    [(GZIP, "gzip"), (ZSTD, "zstd"), (XZ, "xz")]
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, name)| *name)
        .or_else(|| is_lzma().then_some("lzma"))
}

/// Unpacks a stream; what cannot be unpacked ends it, and `broken` says why.
pub(super) fn unpacked<'r>(packing: &'static str, reader: Box<dyn Read + 'r>, broken: &Broken) -> Box<dyn Read + 'r> {
    let inner: Box<dyn Read + 'r> = match packing {
        "zstd" => Box::new(Frames::new(reader)),
        "xz" => Box::new(XzReader::new_mem_limit(reader, true, MEMORY >> 10)),
        "lzma" => match LzmaReader::new_mem_limit(reader, MEMORY >> 10, None) {
            Ok(reader) => Box::new(reader),
            Err(error) => {
                *broken.borrow_mut() = Some(why(packing, &error));
                Box::new(io::empty())
            }
        },
        _ => Box::new(MultiGzDecoder::new(reader)),
    };
    Box::new(Unpacked { inner, packing, broken: Rc::clone(broken) })
}

fn why(packing: &str, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => format!("the {packing} file was cut off"),
        ErrorKind::OutOfMemory => format!("the {packing} file needs more than {} MiB to be unpacked", MEMORY >> 20),
        _ => format!("the {packing} file is damaged here{}", error.get_ref().map(|inner| format!(" ({inner})")).unwrap_or_default()),
    }
}

struct Unpacked<'r> {
    inner: Box<dyn Read + 'r>,
    packing: &'static str,
    broken: Broken,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.broken.borrow().is_some() {
            return Ok(0);
        }
        let of_content = |kind| {
            matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::OutOfMemory | ErrorKind::Unsupported)
        };
        match self.inner.read(out) {
            Err(error) if of_content(error.kind()) => {
                *self.broken.borrow_mut() = Some(why(self.packing, &error));
                Ok(0)
            }
            other => other,
        }
    }
}

/// Reads the frames of a file of zstd one after the other, without those that hold no content.
struct Frames<'r> {
    source: BufReader<Box<dyn Read + 'r>>,
    decoder: FrameDecoder,
}

impl<'r> Frames<'r> {
    fn new(reader: Box<dyn Read + 'r>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MEMORY.into());
        Self { source: BufReader::new(reader), decoder }
    }

    /// Decodes until there is content to read; false at the end of the file.
    fn decode(&mut self) -> Result<bool, FrameDecoderError> {
        while self.decoder.can_collect() == 0 {
            if !self.decoder.is_finished() {
                self.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))?;
            } else if self.source.fill_buf().is_ok_and(<[u8]>::is_empty) {
                return Ok(false);
            } else {
                match self.decoder.reset(&mut self.source) {
                    Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                        let skipped = io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink());
                        skipped.map_err(|_| FrameDecoderError::FailedToSkipFrame)?;
                    }
                    other => other?,
                }
            }
        }
        Ok(true)
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.decode() {
            Ok(true) => self.decoder.read(out),
            Ok(false) => Ok(0),
            Err(FrameDecoderError::WindowSizeTooBig { .. }) => Err(ErrorKind::OutOfMemory.into()),
            // A frame that was cut off fails at the end of the file.
            Err(_) if self.source.fill_buf()?.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            Err(_) => Err(ErrorKind::InvalidData.into()),
        }
    }
}

/// What an archive is, by the beginning of the input.
pub(super) fn archive(head: &[u8]) -> Option<&'static str> {
    let is_tar = head.get(257..262) == Some(b"ustar");
    if is_tar { Some("tar") } else { head.starts_with(ZIP).then_some("zip") }
}

/// Files of an archive that are looked at.
const MOST: usize = 4096;
/// Bytes of a file by which its form is found.
const HEAD: u64 = 1 << 16;

/// A file of an archive.
struct Member<'a> {
    name: String,
    bytes: &'a [u8],
    deflated: bool,
}

impl Member<'_> {
    /// Up to so many bytes, unpacked where it is packed by itself; why not all could be unpacked.
    fn read(&self, most: u64) -> (Vec<u8>, Option<String>) {
        let broken = Broken::default();
        let mut reader: Box<dyn Read + '_> = match self.deflated {
            true => Box::new(Unpacked { inner: Box::new(DeflateDecoder::new(self.bytes)), packing: "zip", broken: Rc::clone(&broken) }),
            false => Box::new(self.bytes),
        };
        let mut head = vec![0; 16];
        let mut filled = 0;
        while filled < head.len() {
            match reader.read(&mut head[filled..]) {
                Ok(0) | Err(_) => break,
                Ok(count) => filled += count,
            }
        }
        head.truncate(filled);
        let packing = stream(&head);
        let mut reader: Box<dyn Read + '_> = Box::new(io::Cursor::new(head).chain(reader));
        if let Some(packing) = packing {
            reader = unpacked(packing, reader, &broken);
        }
        let mut bytes = Vec::new();
        if let Err(error) = reader.take(most).read_to_end(&mut bytes) {
            broken.borrow_mut().get_or_insert(error.to_string());
        }
        let why = broken.borrow_mut().take();
        (bytes, why)
    }

    /// Returns the name without its folders.
    fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

/// Returns the files of an archive, and why there may be more.
fn members<'a>(kind: &str, bytes: &'a [u8]) -> (Vec<Member<'a>>, Option<String>) {
    if kind == "zip" { of_zip(bytes) } else { of_tar(bytes) }
}

fn of_tar(bytes: &[u8]) -> (Vec<Member<'_>>, Option<String>) {
    let mut found = Vec::new();
    let mut archive = tar::Archive::new(bytes);
    let Ok(entries) = archive.entries() else { return (found, None) };
    for entry in entries.take(MOST) {
        let Ok(entry) = entry else { return (found, Some("the tar archive is damaged or was cut off".into())) };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let from = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        let Some(rest) = bytes.get(from..) else { break };
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let cut = size > rest.len();
        found.push(Member { name, bytes: rest.get(..size).unwrap_or(rest), deflated: false });
        if cut {
            return (found, Some("the tar archive was cut off".into()));
        }
    }
    (found, None)
}

fn of_zip(bytes: &[u8]) -> (Vec<Member<'_>>, Option<String>) {
    let mut found = Vec::new();
    let damaged = || Some("the zip archive is damaged or was cut off".to_owned());
    let Ok(archive) = ZipArchive::from_slice(bytes) else { return (found, damaged()) };
    let mut entries = archive.entries();
    let mut why = None;
    while found.len() < MOST {
        let entry = match entries.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(_) => return (found, damaged()),
        };
        let deflated = match entry.compression_method() {
            CompressionMethod::STORE => false,
            CompressionMethod::DEFLATE => true,
            _ => {
                why = Some("a file of the zip archive is packed in a way that is not read: unzip".to_owned());
                continue;
            }
        };
        if entry.is_dir() {
            continue;
        }
        if entry.flags().is_encrypted() {
            why = Some("a file of the zip archive has a password: unzip".to_owned());
            continue;
        }
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        let Some((from, to)) = archive.get_entry(entry.wayfinder()).ok().map(|entry| entry.compressed_data_range()) else {
            why = damaged();
            continue;
        };
        let part = usize::try_from(from).ok().zip(usize::try_from(to).ok()).and_then(|(from, to)| bytes.get(from..to));
        match part {
            Some(bytes) => found.push(Member { name, bytes, deflated }),
            None => why = damaged(),
        }
    }
    (found, why)
}

/// What was chosen of an archive.
pub(super) struct Chosen {
    pub bytes: Vec<u8>,
    /// Files that were not read.
    pub remark: Option<String>,
    /// What could not be unpacked.
    pub damage: Option<String>,
}

/// What is read of an archive: the coredump, after the logs of the kernel beside it; else the files of a report of RADV; else the longest log; else the longest
/// file. None where there is no file.
pub(super) fn of_archive(kind: &str, bytes: &[u8]) -> Option<Chosen> {
    let (members, mut damage) = members(kind, bytes);
    let heads: Vec<Vec<u8>> = members.iter().map(|member| member.read(HEAD).0).collect();
    let is_dump = |at: &usize| heads[*at].windows(COREDUMP_TITLE.len()).any(|part| part == COREDUMP_TITLE.as_bytes());
    let is_log = |at: &usize| {
        let bytes = heads[*at].as_slice();
        text::is_mostly_text(bytes) && forms::find(&Head { bytes, is_text: text::is_text(bytes), whole: false }) == Some(InputForm::KernelLog)
    };
    let named = |name: &str| (0..members.len()).find(|at| members[*at].base() == name);
    let longest = |among: &mut dyn Iterator<Item = usize>| among.max_by_key(|at| members[*at].bytes.len());
    let all = || 0..members.len();
    let chosen: Vec<usize> = if let Some(dump) = all().find(is_dump) {
        all().filter(|at| *at != dump && is_log(at)).chain([dump]).collect()
    } else if let Some(commands) = named(RADV_REPORT[0]) {
        [commands].into_iter().chain(RADV_REPORT[1..].iter().filter_map(|name| named(name))).collect()
    } else {
        longest(&mut all().filter(is_log)).or_else(|| longest(&mut all())).into_iter().collect()
    };
    if chosen.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for at in &chosen {
        let (bytes, why) = members[*at].read(LONGEST.saturating_sub(out.len() as u64));
        if !out.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(&bytes);
        damage = damage.or(why);
    }
    const NAMED: usize = 12;
    let names = |list: &[usize]| {
        let more = if list.len() > NAMED { format!(" and {} more", list.len() - NAMED) } else { String::new() };
        list.iter().take(NAMED).map(|at| members[*at].name.as_str()).collect::<Vec<&str>>().join(", ") + &more
    };
    let unread: Vec<usize> = all().filter(|at| !chosen.contains(at)).collect();
    let remark = (members.len() > 1).then(|| {
        let rest = if unread.is_empty() { String::new() } else { format!("; not read: {}", names(&unread)) };
        format!("of the {kind} archive was read: {}{rest}", names(&chosen))
    });
    Some(Chosen { bytes: out, remark, damage })
}

/// The files of a report of RADV_DEBUG=hang that are read: the commands, and after them machine, application, page fault, registers, allocations, waves, the
/// kernel's log and the ring, which have no end of their own.
///
/// ```
/// use pm4::input::{self, Source};
///
/// assert_eq!(input::RADV_REPORT[0], "trace.log");
/// let mut read = Source::open("0xc0001000 0x00000000\n".as_bytes(), None)?.load()?;
/// input::remark_unread(&mut read, ["trace.log", "shader.spv"].into_iter().map(String::from));
/// assert_eq!(read.remarks[0].message, "not read: shader.spv");
/// # Ok::<(), input::InputError>(())
/// ```
pub const RADV_REPORT: [&str; 11] = [
    "trace.log",
    "gpu_info.log",
    "app_info.log",
    "vm_fault.log",
    "registers.log",
    "bo_ranges.log",
    "bo_history.log",
    "addr_binding_report.log",
    "umr_waves.log",
    "dmesg.log",
    "umr_ring.log",
];
