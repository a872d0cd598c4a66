//! A file or byte stream, unpacked, with its form detected; read whole or in pieces.

use super::forms::{self, HexLines};
use super::ground::{BufferUse, Head, Input, InputBuffer, InputForm, InputPlace, LONGEST, text};
use super::{packed, pasted};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use std::io::{self, ErrorKind, Read};

/// Bytes examined to detect the form.
const HEAD: usize = 1 << 16;
/// Bytes that suffice if they are not text.
const BINARY_HEAD: usize = 1 << 12;
/// Bytes of text in which to search for the title of a device coredump: a log may precede it.
const SEARCHED: usize = 1 << 24;
/// Bytes of unrecognized text in which to search for a hang: the log of a whole boot may precede it.
const SEARCHED_FOR_A_HANG: usize = 1 << 27;
/// Bytes of the longest kernel ring. A ring is recognized only by its length.
const LONGEST_RING: usize = 1 << 24;

/// An input cannot be read.
///
/// For an example, see [the module](crate::input).
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input has none of the known forms.
    #[error("looks like {looks_like}, which is not one of the forms that can be read: {advice}")]
    Unknown {
        /// What the input looks like.
        looks_like: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The form is known, but the input contains no words.
    #[error("was read as {form} ({what}), but has no words{}", .because.as_ref().map(|why| alloc::format!(": {why}")).unwrap_or_default())]
    NoWords {
        /// The form.
        form: InputForm,
        /// The form in words, for messages.
        what: &'static str,
        /// The reason, if something was wrong.
        because: Option<String>,
    },
}

/// An input whose form is known. Only its beginning has been read.
///
/// Its [`Read`] implementation returns the unpacked bytes of the input, to read raw words in pieces.
///
/// For an example, see [the module](crate::input).
pub struct Source<'r> {
    head: Vec<u8>,
    taken: usize,
    rest: Box<dyn Read + 'r>,
    form: InputForm,
    /// The compression formats around the content, outermost first.
    packed: Vec<&'static str>,
    /// `head` contains the whole input.
    whole: bool,
    /// Why unpacking ended early.
    broken: packed::Broken,
    /// A remark about what was read from an archive.
    remark: Option<String>,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("form", &self.form).field("packed", &self.packed).finish_non_exhaustive()
    }
}

/// A format that is recognized but not read.
struct Other {
    /// Its magic bytes and their offset.
    magic: &'static [u8],
    at: usize,
    looks_like: &'static str,
    advice: &'static str,
}

const fn other(magic: &'static [u8], looks_like: &'static str, advice: &'static str) -> Other {
    Other { magic, at: 0, looks_like, advice }
}

const NO_COMMANDS: &str = "it has measurements and shaders, but no command streams";

/// Formats that are recognized but not read, by their magic bytes, including those of Mesa 25.0 ac_rgp.c and AMD's libamdrdf.
const OTHERS: &[Other] = &[
    // One layer has already been unpacked; this one was packed twice or could not be unpacked.
    other(packed::GZIP, "gzip within gzip", "unpack it first: gzip -d"),
    other(packed::ZSTD, "zstd", "unpack it first: zstd -d"),
    other(packed::XZ, "xz", "unpack it first: xz -d"),
    other(packed::LZMA, "lzma", "unpack it first: unlzma"),
    other(b"BZh91AY&SY", "bzip2", "unpack it first: bzip2 -d"),
    other(packed::ZIP, "a zip archive", "unpack it first: unzip"),
    other(b"7z\xBC\xAF\x27\x1C", "a 7z archive", "unpack it first: 7z x"),
    Other {
        magic: b"ustar",
        at: 257,
        looks_like: "a tar archive",
        advice: "unpack it first: tar -x. Then give a file, or the folder that RADV_DEBUG=hang wrote",
    },
    other(b"\x7FELF", "an ELF file", "give the command stream itself"),
    other(b"MDMP", "a minidump of a process", "it has no command streams of a GPU: give what the kernel or the driver dumped"),
    other(b"ProblemType: ", "a report of apport", "unpack it first: apport-unpack"),
    other(b"B00P", "a capture of the Radeon GPU Profiler", NO_COMMANDS),
    other(b"AMD_RDF ", "a capture of the Radeon developer tools (RDF)", NO_COMMANDS),
    other(b"RTA_DATA", "a capture of the Radeon developer tools (RDF)", NO_COMMANDS),
    other(b"\x89PNG\r\n", "an image", "give the text or the words"),
];

impl<'r> Source<'r> {
    /// Opens an input and detects its form. `form` overrides the detection. The input is unpacked in either case, unless `form` is [`InputForm::Raw`].
    ///
    /// # Errors
    /// Returns an error if reading fails, or if the input looks like something other than a known form.
    pub fn open(reader: impl Read + 'r, form: Option<InputForm>) -> Result<Self, InputError> {
        Self::of_boxed(Box::new(reader), form)
    }

    /// [`Source::open`], compiled once for all readers.
    fn of_boxed(mut rest: Box<dyn Read + 'r>, form: Option<InputForm>) -> Result<Self, InputError> {
        let mut head = Vec::new();
        let mut ended = fill(&mut rest, &mut head, enough)?;
        let broken = packed::Broken::default();
        let mut packed = Vec::new();
        let is_raw = form == Some(InputForm::Raw);
        if let Some(packing) = packed::stream(&head).filter(|packing| *packing == "gzip" || !is_raw) {
            let before = head.clone();
            let bytes = io::Cursor::new(core::mem::take(&mut head)).chain(rest);
            rest = packed::unpacked(packing, Box::new(bytes), &broken);
            ended = fill(&mut rest, &mut head, enough)?;
            packed.push(packing);
            if head.is_empty() && packing != "gzip" && form.is_none() {
                // Unpacking is not possible here; its own program may be able to do it.
                found(&before, ended)?;
            }
        }
        let mut remark = None;
        if let Some(kind) = packed::archive(&head).filter(|_| !is_raw) {
            ended = fill(&mut rest, &mut head, |head| head.len() as u64 >= LONGEST)?;
            if let Some(chosen) = packed::of_archive(kind, &head) {
                (head, remark) = (chosen.bytes, chosen.remark);
                packed.push(kind);
                if let Some(why) = chosen.damage {
                    broken.borrow_mut().get_or_insert(why);
                }
            }
        }
        // Remove the text wrapping if the whole text is available.
        if !is_raw && (is_utf_16(&head) || text::is_mostly_text(&head) && wrapped(&head)) {
            ended = fill(&mut rest, &mut head, |head| head.len() as u64 >= LONGEST)?;
            if is_utf_16(&head) {
                head = pasted::of_utf_16(&head);
            }
            head = pasted::plain(&head).filter(|_| wrapped(&head)).unwrap_or(head);
        }
        // A debugfs ring is recognized only by its length.
        if form.is_none() && forms::may_be_ring(&head) {
            ended = fill(&mut rest, &mut head, |head| head.len() > LONGEST_RING)?;
        }
        let form = match form {
            Some(form) => form,
            // A byte-order mark is not part of the text.
            None => match found(unmarked(&head), ended) {
                // A device coredump, or a hang in the log, may follow later.
                form @ (Err(_) | Ok(InputForm::KernelLog | InputForm::Raw)) if !ended && text::is_mostly_text(&head) => {
                    let most = if form.is_err() { SEARCHED_FOR_A_HANG } else { SEARCHED };
                    match searched(&mut rest, &mut head, &mut ended, most)? {
                        true => InputForm::Devcoredump,
                        false => found(unmarked(&head), ended)?,
                    }
                }
                form => form?,
            },
        };
        Ok(Self { taken: mark(&head, form), head, rest, form, packed, whole: ended, broken, remark })
    }

    /// Returns the form that was detected or given.
    pub fn form(&self) -> InputForm {
        self.form
    }

    /// Returns whether the input is compressed.
    pub fn is_packed(&self) -> bool {
        !self.packed.is_empty()
    }

    /// Returns why unpacking ended early; None if it did not.
    pub fn unpack_error(&self) -> Option<String> {
        self.broken.borrow().clone()
    }

    /// Returns a reader for words as text that continue after the examined beginning; returns other inputs unchanged as `Err`.
    ///
    /// ```
    /// use pm4::input::{Source, TextPieces};
    ///
    /// let text = "0xc0012d00 0x00000003 0x00000002\n".repeat(10_000);
    /// let mut pieces: TextPieces<'_> = Source::open(text.as_bytes(), None)?.in_pieces().expect("a long text");
    /// let (mut words, mut count) = (Vec::new(), 0);
    /// while pieces.read(&mut words)? {
    ///     count += words.len();
    ///     words.clear();
    /// }
    /// assert_eq!(count, 30_000);
    /// assert!(pieces.end().0.damage.is_empty());
    /// # Ok::<(), pm4::input::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the source if its form is not [`InputForm::Hex`] or if the whole input has already been read.
    #[allow(clippy::result_large_err, reason = "it is not an error, and returned once per input")]
    pub fn in_pieces(self) -> Result<TextPieces<'r>, Self> {
        if self.form != InputForm::Hex || self.whole {
            return Err(self);
        }
        let mut input = Input::new(self.form);
        input.packed.clone_from(&self.packed);
        Ok(TextPieces { piece: vec![0; HEAD], source: self, lines: Some(HexLines::default()), input, rest: Vec::new(), bytes: 0 })
    }

    /// Reads the whole input, up to 1 GiB unpacked. Anything beyond is dropped and recorded as damage.
    ///
    /// # Errors
    /// Returns an error if reading fails, or if the input contains neither words nor facts about a hang (raw input may be empty).
    pub fn load(mut self) -> Result<Input, InputError> {
        let mut input = Input::new(self.form);
        input.packed.clone_from(&self.packed);
        if let Some(remark) = self.remark.take() {
            input.remark(InputPlace::Whole, remark);
        }
        let bytes = match self.form {
            InputForm::Raw | InputForm::Hex => self.load_words(&mut input)?,
            _ => {
                let mut bytes = Vec::new();
                (&mut self).take(LONGEST).read_to_end(&mut bytes)?;
                forms::parse(&bytes, &mut input);
                bytes.len() as u64
            }
        };
        if bytes == LONGEST && (&mut self).take(1).read_to_end(&mut vec![])? == 1 {
            input.damage(InputPlace::Byte(LONGEST), alloc::format!("the input is longer than {LONGEST} bytes: what follows is left out"));
        }
        if let Some(why) = self.unpack_error() {
            input.damage(InputPlace::Byte(bytes), why);
        }
        let said = !input.events.is_empty();
        let empty = !said && input.buffers.iter().all(|buffer| buffer.words.is_empty() && buffer.trailing_bytes.is_empty());
        if empty && input.hang.is_none() && self.form != InputForm::Raw {
            let because = input.damage.first().or(input.remarks.first()).map(ToString::to_string);
            return Err(InputError::NoWords { form: self.form, what: self.form.description(), because });
        }
        Ok(input)
    }

    /// Reads words in pieces, so that the input is never in memory twice. Returns the number of bytes.
    fn load_words(&mut self, input: &mut Input) -> io::Result<u64> {
        let (mut lines, mut raw) = (HexLines::default(), RawWords::default());
        let (is_text, mut piece, mut bytes) = (self.form == InputForm::Hex, vec![0; HEAD], 0);
        let mut limited = self.take(LONGEST);
        loop {
            match limited.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => {
                    bytes += count as u64;
                    match is_text {
                        true => lines.bytes(&piece[..count], &mut raw.words, input),
                        false => raw.bytes(&piece[..count]),
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let buffer =
            if is_text { lines.end(&mut raw.words, input) } else { InputBuffer { trailing_bytes: raw.rest, ..InputBuffer::new("", BufferUse::Submitted) } };
        input.buffers.push(InputBuffer { words: raw.words, ..buffer });
        Ok(bytes)
    }
}

/// Converts bytes, in pieces of any length, to words.
#[derive(Default)]
struct RawWords {
    words: Vec<u32>,
    /// Bytes after the last complete word.
    rest: Vec<u8>,
}

impl RawWords {
    fn bytes(&mut self, mut bytes: &[u8]) {
        while !self.rest.is_empty() && self.rest.len() < 4 {
            let Some((first, tail)) = bytes.split_first() else { return };
            self.rest.push(*first);
            bytes = tail;
        }
        if let Ok(word) = <[u8; 4]>::try_from(self.rest.as_slice()) {
            self.words.push(u32::from_le_bytes(word));
        }
        let (whole, rest) = bytes.as_chunks::<4>();
        self.words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
        self.rest = rest.to_vec();
    }
}

/// Reads words as text in pieces. Keeps at most one line, plus the first thousand lines.
///
/// For an example, see [`Source::in_pieces`](crate::input::Source::in_pieces).
pub struct TextPieces<'r> {
    source: Source<'r>,
    /// None once everything has been read.
    lines: Option<HexLines>,
    /// What the text states besides its words.
    input: Input,
    rest: Vec<u8>,
    piece: Vec<u8>,
    bytes: u64,
}

impl fmt::Debug for TextPieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextPieces").field("source", &self.source).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl TextPieces<'_> {
    /// Appends the words of the next piece of text to `words`, perhaps none. Returns false once the text has ended and no words are left.
    ///
    /// # Errors
    /// Returns the error of the underlying reader.
    pub fn read(&mut self, words: &mut Vec<u32>) -> io::Result<bool> {
        let Some(lines) = &mut self.lines else { return Ok(false) };
        match self.source.read(&mut self.piece) {
            Ok(0) => {
                if let Some(lines) = self.lines.take() {
                    self.rest = lines.end(words, &mut self.input).trailing_bytes;
                }
                if let Some(why) = self.source.unpack_error() {
                    self.input.damage(InputPlace::Byte(self.bytes), why);
                }
            }
            Ok(count) => {
                self.bytes += count as u64;
                lines.bytes(&self.piece[..count], words, &mut self.input);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Returns the number of unpacked bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the input without its words (facts, damage and remarks, no buffer), and the bytes after the last complete word.
    pub fn end(self) -> (Input, Vec<u8>) {
        (self.input, self.rest)
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.head.get(self.taken..).unwrap_or_default();
        if left.is_empty() {
            return self.rest.read(out);
        }
        let count = left.len().min(out.len());
        out[..count].copy_from_slice(&left[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Returns whether text has a wrapping that can be removed.
fn wrapped(head: &[u8]) -> bool {
    pasted::is_quoted_printable(head) || pasted::is_html(head) || pasted::has_other_blanks(head) || pasted::has_escapes(head) || pasted::may_be_string(head)
}

/// Returns whether the beginning is long enough to detect the form.
fn enough(head: &[u8]) -> bool {
    head.len() >= HEAD || head.len() >= BINARY_HEAD && !text::is_mostly_text(head)
}

/// Reads until the title of a device coredump is found, and returns whether it was. Sets `ended` at the end of the input.
fn searched(reader: &mut dyn Read, head: &mut Vec<u8>, ended: &mut bool, most: usize) -> io::Result<bool> {
    let title = forms::COREDUMP_TITLE.as_bytes();
    let (mut from, mut size) = (0, head.len());
    while !*ended && head.len() < most {
        size *= 2;
        *ended = fill(reader, head, |head| head.len() >= size)?;
        if head[from..].windows(title.len()).any(|part| part == title) {
            return Ok(true);
        }
        from = head.len().saturating_sub(title.len());
    }
    Ok(false)
}

/// Reads until `enough` returns true. Returns whether the end was reached.
fn fill(reader: &mut dyn Read, head: &mut Vec<u8>, enough: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
    let mut piece = vec![0; HEAD];
    while !enough(head) {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(true),
            Ok(count) => head.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Returns the beginning without its byte-order mark.
fn unmarked(head: &[u8]) -> &[u8] {
    head.strip_prefix(text::MARK).filter(|_| text::is_text(head)).unwrap_or(head)
}

/// Returns the number of bytes before the content: a byte-order mark of text, or the header of a report.
fn mark(head: &[u8], form: InputForm) -> usize {
    if let Some(header) = forms::vendor_header(head).filter(|_| form == InputForm::Mesa) {
        return header;
    }
    let is_text = form != InputForm::Raw && head.starts_with(text::MARK) && text::is_text(head);
    if is_text { text::MARK.len() } else { 0 }
}

/// Text of at least this many bytes is not a stream of words: four words in a row would all have to look like text.
const SURELY_TEXT: usize = 16;

fn found(head: &[u8], whole: bool) -> Result<InputForm, InputError> {
    if let Some(Other { looks_like, advice, .. }) = OTHERS.iter().find(|other| head.get(other.at..).is_some_and(|bytes| bytes.starts_with(other.magic))) {
        return Err(InputError::Unknown { looks_like, advice });
    }
    if forms::vendor_header(head).is_some() {
        return Ok(InputForm::Mesa);
    }
    let is_text = text::is_text(head);
    if let Some(form) = forms::find(&Head { bytes: head, is_text, whole }) {
        return Ok(form);
    }
    if is_utf_16(head) {
        return Err(InputError::Unknown { looks_like: "text in UTF-16", advice: "save it as UTF-8" });
    }
    if is_text && let Some((_, looks_like, advice)) = PARTS.iter().find(|(part, ..)| contains(&head[..head.len().min(SEARCHED)], part)) {
        return Err(InputError::Unknown { looks_like, advice });
    }
    if is_text && pasted::is_base64(head) {
        return Err(InputError::Unknown { looks_like: "base64", advice: "decode it first: base64 -d" });
    }
    if is_text && head.len() >= SURELY_TEXT {
        let advice = "docs/inputs.md lists the forms. Name the form with --input, or remove text before the dump";
        return Err(InputError::Unknown { looks_like: "text", advice });
    }
    Ok(InputForm::Raw)
}

/// Returns whether the beginning is UTF-16 text of either byte order, with or without a byte-order mark: ASCII characters, each with a zero byte. Streams
/// differ in their upper halves: no type-3 packet has a zero byte there.
fn is_utf_16(head: &[u8]) -> bool {
    const MARKS: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];
    let text = MARKS.iter().find_map(|mark| head.strip_prefix(*mark)).unwrap_or(head);
    let Some(beginning) = text.get(..30) else { return false };
    let pairs = beginning.as_chunks::<2>().0;
    let is_char = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    pairs.iter().all(|[low, high]| *high == 0 && is_char(*low)) || pairs.iter().all(|[high, low]| *high == 0 && is_char(*low))
}

const REPORT: &str = "a file of a report of RADV_DEBUG=hang";
const FOLDER: &str = "give the folder that it is in, which has the commands in trace.log";
const OTHER: &str = "the log of another driver";
const OF_KERNEL: &str = "only hangs of amdgpu are read";
const DISPLAY: &str = "errors of the display engine";
const OF_QUEUES: &str = "only hangs of queues of commands are read: if one came before, give the log of the minutes before";
const BOTH: &str = "a part of a report of RADV_DEBUG=hang or of radeonsi, without commands";
const EITHER: &str = "of RADV_DEBUG=hang give the folder that it is in, which has the commands in trace.log; of radeonsi give the whole file";

/// Typical lines of files that are only a part of something: of a RADV_DEBUG=hang report without its command buffers (Mesa 25.0.7 radv_debug.c,
/// radv_amdgpu_bo.c, ac_gpu_info.c; radeonsi prints some of them too, si_debug.c si_check_vm_faults, si_dump_debug_registers), and of umr's waves.
const PARTS: [(&str, &str, &str); 25] = [
    ("VM fault report.", BOTH, EITHER),
    ("Memory-mapped registers:", BOTH, EITHER),
    ("UMR GFX waves:", REPORT, FOLDER),
    ("UMR GFX ring:", REPORT, FOLDER),
    (", is_virtual=", REPORT, FOLDER),
    (", binding_type=bind, object_type=VK_OBJECT_TYPE_", REPORT, FOLDER),
    ("chip_external_rev = ", BOTH, EITHER),
    ("To get BO VA ranges, please specify RADV_DEBUG=allbos", REPORT, FOLDER),
    ("gim error:", "the log of gim, the host driver of MxGPU", "it is another driver: give the kernel log of amdgpu"),
    ("Unknown PM4 type", "the log of another program, an emulator", "it shows no hang of amdgpu: give the kernel log"),
    (
        "Last signaled fence",
        "amdgpu_fence_info, the fences of rings",
        "it says which fences were not signaled, and no more: give the kernel log or the device coredump",
    ),
    ("PQ BASE 0x", "compute queues as umr -cpc prints them", "it has no command words: give the kernel log or the device coredump"),
    ("gfx800.mm", "registers of a GPU of gfx8, as umr -r prints them", "GFX8 and older are out of scope"),
    (" => 0x", "registers as umr -r prints them", "give the device coredump, which has more"),
    (
        "------------------------------------------------------\nse0.",
        "waves as umr prints them",
        "it has no command words: read the ring with umr -RS, or the device coredump of the kernel",
    ),
    ("User Queue info for client:", "user queues as umr --print-uq prints them", "read the commands of the queue with umr --dump-uq, or the device coredump"),
    ("NVRM: Xid", OTHER, OF_KERNEL),
    ("[drm] GPU HANG: ecode", OTHER, OF_KERNEL),
    ("] radeon 0000:", OTHER, OF_KERNEL),
    (" nouveau 0000:", OTHER, OF_KERNEL),
    ("I'm not done with your previous command", "messages of the SMU alone", "they come without a hang as well: give the log around them"),
    ("dc_dmub_srv", DISPLAY, OF_QUEUES),
    ("flip_done timed out", DISPLAY, OF_QUEUES),
    (
        "VK_ERROR_DEVICE_LOST",
        "the output of a program that lost its device",
        "it does not say why: give the log of the kernel (journalctl -k) or of the driver",
    ),
    ("ixSQ_WAVE_PC_LO: ", "waves as umr prints them", "it has no command words: read the ring with umr -RS, or the device coredump of the kernel"),
];

fn contains(text: &[u8], part: &str) -> bool {
    text.windows(part.len()).any(|window| window == part.as_bytes())
}
