//! Answers to requests.

use crate::files::{self, Dropped};
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Observer};
use pm4::hang::Incidents;
use pm4::hang::check::{self, Given, RecordedOptions};
use pm4::packet::{Packet, Queue};
use pm4::report::html::{self, Manual, PageData, RunPage};
use pm4::report::{DumpOptions, OutputFormat, ReportOptions, ReportPart, ShownOutput};
use serde_json::{Value, json};
use std::io;

/// A callback that receives the work done and the total.
pub type Progress<'p> = &'p dyn Fn(u64, u64);

/// The given files, and what was read from them.
///
/// A request is a line of JSON with the key `do`, followed by bytes:
///
/// | `do` | input | result |
/// |---|---|---|
/// | `clear` | | drops all files |
/// | `file` | `name`, bytes | adds a file |
/// | `check` | `chip` or null | `kind`: `run` or `log`, `verdict`, `title`, `blocks`; for a recording, the text that `check` prints |
/// | `dump` | `chip` or null | `kind`: `stream`, `title`, `blocks` |
/// | `text` | `chip` or null, `format` | the text that `check` prints |
/// | `diff` | `chip` or null | the text that `check --diff` prints for the first two files |
/// | `chips` | | the names of chips |
/// | `manual` | `path` | `title`, and a page of the manual; the path `search` returns the search index |
///
/// An answer is a line of JSON followed by bytes: `blocks` lists names, lengths, and whether they are compressed. If nothing states the chip, `kind` is `chip`;
/// if nothing can be read, `error`. `notes` contains sentences about files that were not read.
#[derive(Default)]
pub struct Engine {
    dropped: Vec<Dropped>,
    given: Vec<Given>,
    recordings: Vec<Dropped>,
    errors: Vec<String>,
    /// Created on first use.
    manual: Option<Manual>,
}

/// An answer before it is converted to bytes.
struct Answer {
    head: Value,
    rest: Vec<u8>,
}

impl Answer {
    fn of(head: Value) -> Self {
        Self { head, rest: Vec::new() }
    }

    fn error(message: &str) -> Self {
        Self::of(json!({ "kind": "error", "message": message }))
    }

    /// Returns the answer with the data of a viewer.
    fn page(kind: &str, data: &PageData) -> Self {
        let blocks: Vec<Value> = data.blocks().map(|(name, bytes, packed)| json!([name, bytes.len(), packed])).collect();
        let rest = data.blocks().flat_map(|(_, bytes, _)| bytes).copied().collect();
        Self { head: json!({ "kind": kind, "title": data.title(), "blocks": blocks }), rest }
    }

    fn text(text: Vec<u8>) -> Self {
        Self { head: json!({ "kind": "text" }), rest: text }
    }
}

impl Engine {
    /// Answers a request. Errors are part of the answer; only a bug in this program makes it panic.
    pub fn answer(&mut self, request: Vec<u8>, progress: Progress<'_>) -> Vec<u8> {
        let end = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
        let head: Value = serde_json::from_str(&String::from_utf8_lossy(&request[..end])).unwrap_or_default();
        let answer = match head["do"].as_str() {
            Some("file") => self.file(&head, request, end + 1),
            Some("clear") => {
                *self = Self { manual: self.manual.take(), ..Self::default() };
                Answer::of(json!({ "kind": "done" }))
            }
            Some("manual") => self.manual(head["path"].as_str().unwrap_or_default()),
            Some("chips") => Answer::of(json!({ "kind": "chips", "chips": chips() })),
            Some(what) => self.read_and(what, &head, progress),
            None => Answer::error("the request has no key `do`"),
        };
        let mut bytes = answer.head.to_string().into_bytes();
        bytes.push(b'\n');
        bytes.extend(answer.rest);
        bytes
    }

    fn file(&mut self, head: &Value, mut request: Vec<u8>, from: usize) -> Answer {
        let name = head["name"].as_str().unwrap_or("?").to_owned();
        request.drain(..from.min(request.len()));
        self.dropped.push(Dropped { name, bytes: request });
        Answer::of(json!({ "kind": "done" }))
    }

    fn manual(&mut self, path: &str) -> Answer {
        let manual = self.manual.get_or_insert_default();
        if path == "search" {
            return Answer::text(manual.search().into_bytes());
        }
        match manual.page(path) {
            Some(page) => Answer { head: json!({ "kind": "manual", "title": page.title }), rest: page.content.into_bytes() },
            None => Answer::error(&format!("the manual has no page {path}")),
        }
    }

    fn read_and(&mut self, what: &str, head: &Value, progress: Progress<'_>) -> Answer {
        if !self.dropped.is_empty() {
            let files::Inputs { given, recordings, errors } = files::read(std::mem::take(&mut self.dropped), progress);
            self.given.extend(given);
            self.recordings.extend(recordings);
            self.errors.extend(errors);
        }
        if !self.recordings.is_empty() {
            let answered = if self.given.is_empty() { self.recorded(what, head, progress) } else { Err(NOT_ALONE.into()) };
            return answered.unwrap_or_else(|error| Answer::error(&error));
        }
        if self.given.is_empty() {
            return Answer::error(&if self.errors.is_empty() { "no file was given".to_owned() } else { self.errors.join("\n") });
        }
        let named = match head["chip"].as_str().map(str::parse::<Chip>).transpose() {
            Ok(named) => named,
            Err(_) => return Answer::error("there is no such chip"),
        };
        let answered = match what {
            "check" => self.check(named, progress),
            "dump" => self.dump(named),
            "text" => self.text(named, if head["format"] == "json" { OutputFormat::Json } else { OutputFormat::Text }),
            "diff" => self.diff(named),
            other => Ok(Answer::error(&format!("there is no request {other}"))),
        };
        let mut answer = answered.unwrap_or_else(|error| Answer::error(&error.to_string()));
        answer.head["notes"] = self.errors.clone().into();
        answer.head["files"] = self.given.iter().map(|file| file.name.clone()).collect::<Vec<_>>().into();
        answer
    }

    /// Returns the output of the program for one or two recordings.
    fn recorded(&self, what: &str, head: &Value, progress: Progress<'_>) -> Result<Answer, String> {
        let format = if head["format"] == "json" { OutputFormat::Json } else { OutputFormat::Text };
        let mut opened = self.recordings.iter().map(|file| files::recorded(file, progress)).collect::<Result<Vec<_>, String>>()?;
        let mut out = Vec::new();
        let failed = match (what, opened.as_mut_slice()) {
            ("check" | "text", [recorded]) => {
                let report = ReportOptions { format, ..ReportOptions::default() };
                let options = RecordedOptions { report, submission: None, brief: false, levels: &|_| () };
                recorded.check(&mut out, &options, &mut |cp, observer| cp.run(observer)).map_err(|error| error.to_string())??
            }
            ("diff", [one, other]) => check::diff_recorded(&mut out, one, other, OutputFormat::Text).map_err(|error| error.to_string())?,
            ("dump", _) => return Err("the page does not list the packets of a recording; the program dump does".into()),
            _ => return Err(NOT_ALONE.into()),
        };
        let mut answer = Answer::text(out);
        answer.head["failed"] = failed.into();
        answer.head["notes"] = opened.iter_mut().flat_map(check::Recorded::take_remarks).collect::<Vec<String>>().into();
        answer.head["files"] = self.recordings.iter().map(|file| file.name.clone()).collect::<Vec<_>>().into();
        Ok(answer)
    }

    /// Returns the chip, or an answer that asks for it.
    fn chip(&self, named: Option<Chip>) -> Result<Chip, Answer> {
        match check::chip(&self.given, named) {
            Ok(chosen) => Ok(chosen.chip),
            Err(message) => Err(Answer::of(json!({ "kind": "chip", "message": message, "chips": chips() }))),
        }
    }

    fn check(&self, named: Option<Chip>, progress: Progress<'_>) -> io::Result<Answer> {
        let incidents = Incidents::of(&check::named(&self.given), named);
        if !check::needs_model(&self.given, named) {
            let mut answer = Answer::page("log", &html::log_data(&incidents.timeline(), &check::log_lines(&self.given))?);
            answer.head["verdict"] = incidents.verdict().into();
            return Ok(answer);
        }
        let chip = match self.chip(named) {
            Ok(chip) => chip,
            Err(question) => return Ok(question),
        };
        let (mut cp, mut before) = (self.processor(chip), Vec::new());
        let ids = check::submit(&mut cp, &self.given, &mut before);
        let mut page = RunPage::of(&cp);
        let all = self.given.iter().flat_map(|file| &file.input.buffers).map(|buffer| 4 * buffer.words.len() as u64).sum();
        let mut watch = (&mut page as &mut dyn Observer, Ran { progress, done: 0, all });
        let options = ReportOptions { only: ReportPart::Nothing, ..ReportOptions::default() };
        let (summary, hang) = check::execute(&mut io::sink(), &mut cp, &before, options, &self.given, &ids, &mut watch)?;
        if let Some(record) = &hang {
            page.hang(record);
        }
        page.incidents(&incidents.timeline());
        page.inputs(check::log_lines(&self.given));
        let mut answer = Answer::page("run", &page.data(&cp, &summary)?);
        answer.head["verdict"] = incidents.verdict().into();
        answer.head["failed"] = check::failed(&summary, &self.given).into();
        answer.head["remarks"] = check::unexplained(&self.given, &ids).into();
        Ok(answer)
    }

    fn processor<'a>(&self, chip: Chip) -> CommandProcessor<'a> {
        let mut cp = CommandProcessor::new(chip);
        cp.firmware(check::firmware(&self.given));
        cp
    }

    /// Returns the text that the program prints.
    fn text(&self, named: Option<Chip>, format: OutputFormat) -> io::Result<Answer> {
        let incidents = Incidents::of(&check::named(&self.given), named);
        let mut out = ShownOutput::new(Vec::new(), format, false);
        if !check::needs_model(&self.given, named) {
            check::print_log(&mut out, format, false, &incidents, &self.given)?;
            return Ok(Answer::text(out.finish()?));
        }
        let chip = match self.chip(named) {
            Ok(chip) => chip,
            Err(question) => return Ok(question),
        };
        let (mut cp, mut before) = (self.processor(chip), Vec::new());
        let ids = check::submit(&mut cp, &self.given, &mut before);
        let options = ReportOptions { format, ..ReportOptions::default() };
        check::print_beginning(&mut out, options, &incidents, self.given.iter())?;
        check::execute(&mut out, &mut cp, &before, options, &self.given, &ids, &mut ())?;
        Ok(Answer::text(out.finish()?))
    }

    fn dump(&self, named: Option<Chip>) -> io::Result<Answer> {
        let told = self.given.iter().find_map(|file| file.input.generation());
        let gfx = match named.map(Chip::gfx).or(told).map_or_else(|| self.chip(None).map(Chip::gfx), Ok) {
            Ok(gfx) => gfx,
            Err(question) => return Ok(question),
        };
        let bytes = |words: &[u32], rest: &[u8]| words.iter().flat_map(|word| word.to_le_bytes()).chain(rest.iter().copied()).collect();
        let buffers = || self.given.iter().flat_map(Given::buffers);
        let held: Vec<(&str, Vec<u8>)> = buffers().map(|(name, buffer)| (name, bytes(&buffer.words, &buffer.trailing_bytes))).collect();
        let streams: Vec<(&str, &[u8])> = held.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        if streams.is_empty() {
            return Ok(Answer::error("the files hold no command words: a log has none"));
        }
        let queue = buffers().find_map(|(_, buffer)| buffer.queue).unwrap_or(Queue::Graphics);
        Ok(Answer::page("stream", &html::stream_data(&streams, &DumpOptions::new(gfx, queue))?.0))
    }

    fn diff(&self, named: Option<Chip>) -> io::Result<Answer> {
        let sides = self.given.as_slice();
        let Ok(sides) = <&[Given; 2]>::try_from(sides) else {
            let given = if sides.len() == 1 { "1 is".to_owned() } else { format!("{} are", sides.len()) };
            return Ok(Answer::error(&format!("a comparison takes two files, but {given} given")));
        };
        let chip = match self.chip(named) {
            Ok(chip) => chip,
            Err(question) => return Ok(question),
        };
        let mut out = ShownOutput::new(Vec::new(), OutputFormat::Text, false);
        let differ = check::diff(&mut out, OutputFormat::Text, chip, || self.processor(chip), sides, &[])?;
        let mut text = out.finish()?;
        if text.is_empty() {
            text.extend_from_slice(b"The draws of both are the same.\n");
        }
        let mut answer = Answer::text(text);
        answer.head["differ"] = differ.into();
        Ok(answer)
    }
}

/// The message for files that are given together with a recording.
const NOT_ALONE: &str = "a recording is read alone, or compared with another one: other files cannot run beside it";

/// Returns each chip: its name, other names, and its generation.
fn chips() -> Value {
    let record = |chip: Chip| json!({ "name": chip.info().name, "aliases": chip.info().aliases, "gfx": chip.gfx().to_string() });
    Chip::all().map(record).collect::<Vec<Value>>().into()
}

/// Reports how much of the submission has run; packets that run twice count twice.
struct Ran<'p> {
    progress: Progress<'p>,
    done: u64,
    all: u64,
}

/// Bytes between two progress reports.
const STEP: u64 = 1 << 18;

impl Observer for Ran<'_> {
    fn packet(&mut self, _: Queue, _: pm4::cp::Place, packet: &Packet<'_>) {
        let before = self.done;
        self.done += 4 * packet.dwords() as u64;
        if before / STEP != self.done / STEP {
            (self.progress)(self.done.min(self.all), self.all);
        }
    }
}
