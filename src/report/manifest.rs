//! Whole submissions in a file: the chip, the memory, and the streams of each queue in order. `docs/manifest.md` describes the lines.

use crate::chip::Chip;
use crate::cp::{BoardFacts, CommandProcessor, FirmwareVersions, QueueId};
use crate::regs::{self, Space};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde_json::{Map, Value, json};

/// A submission in a file: JSON Lines, one step per line.
///
/// ```
/// use pm4::report::Manifest;
/// # #[cfg(feature = "gfx11")] {
/// let text = r#"{"type":"submission","chip":"navi31"}
/// {"type":"memory","words":["0x00000007"],"addr":"0x800000001000"}
/// {"type":"submit","queue":"gfx","file":"main.bin","addr":"0x800000100000"}"#;
/// let manifest = Manifest::parse(text)?;
/// assert_eq!(manifest.files().collect::<Vec<_>>(), ["main.bin"]);
/// // SET_CONTEXT_REG DB_SHADER_CONTROL
/// let words = manifest.load(|_| Ok::<_, String>(vec![0xC001_6900, 0x203, 1])).unwrap();
/// let mut cp = pm4::cp::CommandProcessor::new(manifest.chip);
/// manifest.apply(&words, &mut cp);
/// assert_eq!(cp.run(&mut ()).packets, 1);
/// assert_eq!(cp.memory(0x8000_0000_1000), Some(7));
/// assert_eq!(Manifest::parse(&manifest.to_string())?, manifest);
/// # }
/// # Ok::<(), pm4::report::ManifestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The chip that executes it.
    pub chip: Chip,
    /// Whether other streams ran before or after it ([`CommandProcessor::partial`]).
    pub partial: bool,
    /// Whether all memory that it uses is included ([`CommandProcessor::closed_memory`]).
    pub closed: bool,
    /// Firmware versions, as far as known.
    pub firmware: FirmwareVersions,
    /// Enabled parts of the chip, as far as known.
    pub board: BoardFacts,
    /// The steps, in order.
    pub steps: Vec<ManifestStep>,
}

/// A step of a submission.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::{BoardFacts, FirmwareVersions, QueueId};
/// use pm4::report::{Manifest, ManifestStep, WordSource};
/// let manifest = Manifest {
///     chip: Chip::Navi31,
///     partial: false,
///     closed: false,
///     firmware: FirmwareVersions::default(),
///     board: BoardFacts::default(),
///     steps: vec![
///         ManifestStep::Memory { name: Some("flag".into()), words: WordSource::Words(vec![7]), addr: 0x10_0000, read_only: false },
///         ManifestStep::Submit { name: None, queue: QueueId::GRAPHICS, words: WordSource::File("main.bin".into()), addr: None, ring: false },
///     ],
/// };
/// assert_eq!(manifest.steps[1].name(), Some("main.bin"));
/// assert_eq!(Manifest::parse(&manifest.to_string())?, manifest);
/// # Ok::<(), pm4::report::ManifestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestStep {
    /// Maps words into memory.
    Memory {
        /// The name in reports; the file if it is not given.
        name: Option<String>,
        /// The words.
        words: WordSource,
        /// GPU address in bytes.
        addr: u64,
        /// Whether packets must not write them.
        read_only: bool,
    },
    /// Sets a register before the streams run.
    Register {
        /// The queue.
        queue: QueueId,
        /// Byte address.
        addr: u32,
        /// The value.
        value: u32,
    },
    /// States that an agent outside the streams will write memory ([`CommandProcessor::expect_write`]).
    Expect {
        /// GPU address in bytes.
        addr: u64,
        /// Size in bytes.
        bytes: u64,
        /// The agent that will write it.
        by: String,
    },
    /// Submits a buffer to a queue.
    Submit {
        /// The name in reports; the file if it is not given.
        name: Option<String>,
        /// The queue.
        queue: QueueId,
        /// Its words.
        words: WordSource,
        /// GPU address in bytes, if it has one.
        addr: Option<u64>,
        /// Whether it is a ring ([`CommandProcessor::submit_ring`]).
        ring: bool,
    },
}

impl ManifestStep {
    /// Returns the name of memory and buffers in reports: the given name, or the file.
    pub fn name(&self) -> Option<&str> {
        let (Self::Memory { name, words, .. } | Self::Submit { name, words, .. }) = self else { return None };
        match (name, words) {
            (Some(name), _) | (None, WordSource::File(name)) => Some(name),
            (None, WordSource::Words(_)) => None,
        }
    }
}

/// The source of a step's words.
///
/// For an example see [`ManifestStep`](crate::report::ManifestStep).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordSource {
    /// A file of little-endian words; its path is relative to the folder of the manifest.
    File(String),
    /// The manifest itself.
    Words(Vec<u32>),
}

/// An error in a manifest.
///
/// For an example see [`Manifest`](crate::report::Manifest).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ManifestError {
    /// The line, counted from 1.
    pub line: usize,
    /// The error, and what is expected.
    pub message: String,
}

/// Number of compute queues that a submission may name.
const COMPUTE_QUEUES: u32 = 8;

/// Maximum number of characters of a wrong value in a message.
const SHOWN: usize = 40;

/// The keys of one line: reading removes a key, remaining keys are unknown.
struct Keys(Map<String, Value>);

impl Keys {
    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        self.take(key).map(|value| if let Value::String(text) = value { Ok(text) } else { Err(wrong(key, &value, "a string")) }).transpose()
    }

    fn flag(&mut self, key: &str) -> Result<bool, String> {
        let value = self.take(key);
        value.map_or(Ok(false), |value| value.as_bool().ok_or_else(|| wrong(key, &value, "true or false")))
    }

    /// Returns a number, or a string of 0x and hexadecimal digits, not above a limit.
    fn number(&mut self, key: &str, most: u64) -> Result<Option<u64>, String> {
        self.take(key).map(|value| number(key, &value, most)).transpose()
    }

    fn small(&mut self, key: &str) -> Result<Option<u32>, String> {
        Ok(self.number(key, u32::MAX.into())?.map(|number| number as u32))
    }

    fn queue(&mut self) -> Result<QueueId, String> {
        let Some(name) = self.text("queue")? else { return Ok(QueueId::GRAPHICS) };
        queue(&name).ok_or_else(|| wrong("queue", &Value::String(name), "gfx, compute, compute2 to compute8 or constant"))
    }

    /// Returns the words; call it after all other keys were read: remaining keys are unknown.
    fn words(&mut self) -> Result<WordSource, String> {
        match (self.text("file")?, self.take("words")) {
            (Some(file), None) => Ok(WordSource::File(file)),
            (None, Some(Value::Array(words))) => {
                let word = |value: &Value| number("words", value, u32::MAX.into()).map(|word| word as u32);
                words.iter().map(word).collect::<Result<_, _>>().map(WordSource::Words)
            }
            (None, Some(other)) => Err(wrong("words", &other, "a list of words, \"0x…\"")),
            (Some(_), Some(_)) => Err("has both file and words: give only one".into()),
            // A misspelled key is the likeliest cause.
            (None, None) => Err(match self.0.keys().next() {
                Some(key) => format!("has neither file nor words: give one of them (the key {:?} is not known here)", short(key)),
                None => "has neither file nor words: give one of them".into(),
            }),
        }
    }

    fn end(self) -> Result<(), String> {
        self.0.keys().next().map_or(Ok(()), |key| Err(format!("the key {:?} is not known for this type", short(key))))
    }
}

fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn wrong(key: &str, value: &Value, wanted: &str) -> String {
    format!("{key} is {}, not {wanted}", short(&value.to_string()))
}

fn number(key: &str, value: &Value, most: u64) -> Result<u64, String> {
    let read = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.strip_prefix("0x").filter(|digits| !digits.starts_with('+')).and_then(|digits| u64::from_str_radix(digits, 16).ok()),
        _ => None,
    };
    let read = read.ok_or_else(|| wrong(key, value, "a number, or a string of 0x and hexadecimal digits"))?;
    if read <= most { Ok(read) } else { Err(format!("{key} is 0x{read:x}, above the largest value 0x{most:x}")) }
}

fn queue(name: &str) -> Option<QueueId> {
    let numbers = (0..=COMPUTE_QUEUES).map(QueueId).chain([QueueId::CONSTANT]);
    numbers.into_iter().find(|queue| queue.to_string() == name)
}

impl Manifest {
    /// Creates an empty submission.
    pub fn new(chip: Chip) -> Self {
        Self { chip, partial: false, closed: false, firmware: FirmwareVersions::default(), board: BoardFacts::default(), steps: Vec::new() }
    }

    /// Parses a manifest. Empty lines, lines that begin with `#`, and a byte-order mark at the start are skipped.
    ///
    /// # Errors
    /// [`ManifestError`] with the line: it is not a JSON object, lacks a key, has a repeated or unknown key, or a value beyond its limit.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let mut manifest: Option<Self> = None;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !matches!(line.trim().as_bytes(), [] | [b'#', ..])) {
            let error = |message: String| ManifestError { line: number, message };
            match &mut manifest {
                None => manifest = Some(first(line).map_err(error)?),
                Some(manifest) => manifest.add(line).map_err(error)?,
            }
        }
        manifest.ok_or_else(|| ManifestError {
            line: 1,
            message: "the file has no lines (empty lines and comments do not count): its first line must be {\"type\":\"submission\",\"chip\":NAME}".into(),
        })
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (kind, mut keys) = object(line)?;
        let addr = |keys: &mut Keys| keys.number("addr", u64::MAX);
        // Words are at multiples of 4.
        let place = |keys: &mut Keys| match addr(keys)? {
            Some(addr) if !addr.is_multiple_of(4) => Err(format!("addr is 0x{addr:x}: words are at multiples of 4")),
            addr => Ok(addr),
        };
        let needed = || format!("{kind} needs the key addr");
        match kind.as_str() {
            "memory" => {
                let (name, addr, read_only) = (keys.text("name")?, place(&mut keys)?.ok_or_else(needed)?, keys.flag("read_only")?);
                let words = keys.words()?;
                self.steps.push(ManifestStep::Memory { name, words, addr, read_only });
            }
            "submit" => {
                let (name, queue, addr, ring) = (keys.text("name")?, keys.queue()?, place(&mut keys)?, keys.flag("ring")?);
                let words = keys.words()?;
                self.has_queue(queue)?;
                self.steps.push(ManifestStep::Submit { name, queue, words, addr, ring });
            }
            "register" => {
                let queue = keys.queue()?;
                let addr = match (keys.text("name")?, keys.small("addr")?) {
                    (Some(name), None) => regs::find(self.chip.gfx(), &name).ok_or_else(|| format!("{} has no register {:?}", self.chip, short(&name)))?.addr(),
                    (None, Some(addr)) => addr,
                    _ => return Err("register needs one of the keys name and addr".into()),
                };
                let value = keys.small("value")?.ok_or("register needs the key value")?;
                self.has_queue(queue)?;
                if !addr.is_multiple_of(4) || Space::of(addr).is_none() {
                    return Err(format!("no register is at byte address 0x{addr:x}: give a multiple of 4 in a register space, or the key name"));
                }
                self.steps.push(ManifestStep::Register { queue, addr, value });
            }
            "expect" => {
                let addr = addr(&mut keys)?.ok_or_else(needed)?;
                let bytes = keys.number("bytes", 1 << 48)?.ok_or("expect needs the key bytes")?;
                let by = keys.text("by")?.ok_or("expect needs the key by, which names who will write there")?;
                self.steps.push(ManifestStep::Expect { addr, bytes, by });
            }
            "firmware" => {
                let FirmwareVersions { pfp, me, mec, me_feature } = &mut self.firmware;
                for (key, version) in [("pfp", pfp), ("me", me), ("mec", mec), ("me_feature", me_feature)] {
                    *version = keys.small(key)?.or(*version);
                }
            }
            "board" => {
                let BoardFacts { shader_engines, cus_per_array } = &mut self.board;
                for (key, fact, most) in [("shader_engines", shader_engines, 64), ("cus_per_array", cus_per_array, 32)] {
                    let stated = keys.small(key)?;
                    if let Some(count) = stated.filter(|count| !(1..=most).contains(count)) {
                        return Err(format!("{key} is {count}, not 1 to {most}"));
                    }
                    *fact = stated.or(*fact);
                }
            }
            "submission" => return Err("a second line of type \"submission\": only the first line may have this type".into()),
            other => return Err(format!("{:?} is not a line type: use memory, submit, register, expect, firmware or board", short(other))),
        }
        keys.end()
    }

    fn has_queue(&self, queue: QueueId) -> Result<(), String> {
        match queue == QueueId::CONSTANT && !self.chip.gfx().has_constant_engine() {
            true => Err(format!("{} has no constant engine: use queue gfx or compute", self.chip)),
            false => Ok(()),
        }
    }

    /// Returns the files named by the manifest, in the order of the steps.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            ManifestStep::Memory { words: WordSource::File(file), .. } | ManifestStep::Submit { words: WordSource::File(file), .. } => Some(file.as_str()),
            _ => None,
        })
    }

    /// Returns the words of every step; `read` reads those in a file. There is one entry per step.
    ///
    /// # Errors
    /// The first error of `read`.
    pub fn load<E>(&self, mut read: impl FnMut(&str) -> Result<Vec<u32>, E>) -> Result<Vec<Vec<u32>>, E> {
        let words = |step: &ManifestStep| match step {
            ManifestStep::Memory { words, .. } | ManifestStep::Submit { words, .. } => match words {
                WordSource::File(file) => read(file),
                WordSource::Words(words) => Ok(words.clone()),
            },
            _ => Ok(Vec::new()),
        };
        self.steps.iter().map(words).collect()
    }

    /// Performs all steps on a model, with the words returned by [`load`](Self::load); [`run`](CommandProcessor::run) executes them.
    pub fn apply<'a>(&'a self, words: &'a [Vec<u32>], cp: &mut CommandProcessor<'a>) {
        cp.firmware(self.firmware).board(self.board).closed_memory(self.closed);
        if self.partial {
            cp.partial();
        }
        for (step, words) in self.steps.iter().zip(words) {
            match step {
                ManifestStep::Memory { name, words: source, addr, read_only: true } => _ = cp.map_read_only(name_of(name, source), *addr, words),
                ManifestStep::Memory { name, words: source, addr, .. } => _ = cp.map(name_of(name, source), *addr, words),
                ManifestStep::Register { queue, addr, value } => {
                    let queue = make(cp, *queue);
                    cp.set_register(queue, *addr, *value);
                }
                ManifestStep::Expect { addr, bytes, by } => cp.expect_write(*addr, *bytes, by),
                ManifestStep::Submit { name, queue, words: source, addr, ring } => {
                    let (queue, name) = (make(cp, *queue), name_of(name, source));
                    _ = if *ring { cp.submit_ring(queue, name, *addr, words) } else { cp.submit_to(queue, name, *addr, words) };
                }
            }
        }
    }
}

/// Returns the queue, created if the model lacks it.
fn make(cp: &mut CommandProcessor<'_>, queue: QueueId) -> QueueId {
    while queue.0 <= COMPUTE_QUEUES && cp.registers_of(queue).is_none() {
        cp.add_compute_queue();
    }
    queue
}

fn name_of<'n>(name: &'n Option<String>, words: &'n WordSource) -> &'n str {
    match (name, words) {
        (Some(name), _) | (None, WordSource::File(name)) => name,
        (None, WordSource::Words(_)) => "words of the manifest",
    }
}

/// Parses the first line of a manifest.
fn first(line: &str) -> Result<Manifest, String> {
    let (kind, mut keys) = object(line)?;
    if kind != "submission" {
        return Err(format!("a manifest begins with {{\"type\":\"submission\",\"chip\":NAME}}, and this line is of type {:?}", short(&kind)));
    }
    let name = keys.text("chip")?.ok_or("submission needs the key chip")?;
    let chip: Chip = name.parse().map_err(|_| format!("{:?} is not a chip of this build; names are, for example, navi31 or LLVM's gfx1100", short(&name)))?;
    let (partial, closed) = (keys.flag("partial")?, keys.flag("closed")?);
    keys.end()?;
    Ok(Manifest { partial, closed, ..Manifest::new(chip) })
}

fn object(line: &str) -> Result<(String, Keys), String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(map)) => {
            if let Some(key) = repeated_key(line) {
                return Err(format!("the key {:?} is given twice: give it once", short(&key)));
            }
            let mut keys = Keys(map);
            let kind = keys.text("type")?.ok_or("the key type is missing")?;
            Ok((kind, keys))
        }
        Ok(_) => Err("the line is not a JSON object".into()),
        Err(error) => Err(format!("the line is not JSON: {}", super::ground::json_mistake(&error))),
    }
}

/// Returns a key that occurs twice in an object, from the text of the object: the reader silently keeps the last value.
fn repeated_key(json: &str) -> Option<String> {
    let (mut known, mut depth) = (BTreeSet::new(), 0);
    let mut rest = json;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
        let (mark, behind) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = behind;
        match mark {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {
                let (text, after) = behind.split_at(string_end(behind));
                rest = after.strip_prefix('"').unwrap_or(after);
                let key: Option<String> = serde_json::from_str(&format!("\"{text}\"")).ok().filter(|_| depth == 1 && rest.trim_start().starts_with(':'));
                if let Some(key) = key
                    && !known.insert(key.clone())
                {
                    return Some(key);
                }
            }
        }
    }
    None
}

/// Returns the end of a string that has begun: its closing quote.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

fn put_words(record: &mut Map<String, Value>, words: &WordSource) {
    match words {
        WordSource::File(file) => record.insert("file".into(), file.as_str().into()),
        WordSource::Words(words) => record.insert("words".into(), words.iter().map(|word| Value::String(format!("0x{word:08x}"))).collect()),
    };
}

impl ManifestStep {
    fn record(&self) -> Map<String, Value> {
        let hex = |value: u64| Value::String(format!("0x{value:x}"));
        let mut record = Map::new();
        let mut put = |key: &str, value: Value| _ = record.insert(key.to_owned(), value);
        match self {
            Self::Memory { name, words, addr, read_only } => {
                put("type", "memory".into());
                if let Some(name) = name {
                    put("name", name.as_str().into());
                }
                put("addr", hex(*addr));
                if *read_only {
                    put("read_only", true.into());
                }
                put_words(&mut record, words);
            }
            Self::Register { queue, addr, value } => {
                put("type", "register".into());
                put("queue", queue.to_string().into());
                put("addr", hex((*addr).into()));
                put("value", hex((*value).into()));
            }
            Self::Expect { addr, bytes, by } => {
                put("type", "expect".into());
                put("addr", hex(*addr));
                put("bytes", (*bytes).into());
                put("by", by.as_str().into());
            }
            Self::Submit { name, queue, words, addr, ring } => {
                put("type", "submit".into());
                if let Some(name) = name {
                    put("name", name.as_str().into());
                }
                put("queue", queue.to_string().into());
                if let Some(addr) = addr {
                    put("addr", hex(*addr));
                }
                if *ring {
                    put("ring", true.into());
                }
                put_words(&mut record, words);
            }
        }
        record
    }
}

impl fmt::Display for Manifest {
    /// Writes lines that [`parse`](Self::parse) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chip, partial, closed, firmware, board, steps } = self;
        let mut begin = json!({"type": "submission", "chip": chip.to_string()});
        for (key, yes) in [("partial", partial), ("closed", closed)] {
            if *yes {
                begin[key] = true.into();
            }
        }
        writeln!(f, "{begin}")?;
        let FirmwareVersions { pfp, me, mec, me_feature } = *firmware;
        let BoardFacts { shader_engines, cus_per_array } = *board;
        let firmware = [("pfp", pfp), ("me", me), ("mec", mec), ("me_feature", me_feature)];
        let board = [("shader_engines", shader_engines), ("cus_per_array", cus_per_array)];
        for (kind, facts) in [("firmware", &firmware[..]), ("board", &board[..])] {
            let known: Map<String, Value> = facts.iter().filter_map(|(key, value)| Some(((*key).to_owned(), Value::from((*value)?)))).collect();
            if !known.is_empty() {
                let mut record = Map::from_iter([("type".to_owned(), Value::from(kind))]);
                record.extend(known);
                writeln!(f, "{}", Value::Object(record))?;
            }
        }
        steps.iter().try_for_each(|step| writeln!(f, "{}", Value::Object(step.record())))
    }
}
