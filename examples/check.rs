//! Executes command streams on the command-processor model: draws with their registers, and everything that is wrong with them.

mod common;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use common::arguments::{self, Format};
use common::files::{FileAt, Words, file_at};
use common::pages::PageFile;
use pm4::chip::Chip;
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{BoardFacts, BufferId, CommandProcessor, Finding, FirmwareVersions, Place, QueueId, Severity};
use pm4::packet::Queue;
use pm4::report::html::RunPage;
use pm4::report::{self, DrawLog, ReportOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Execute PM4 command streams on a model of the command processor.
///
/// The files run in order as one submission. A stream is a file of little-endian 32-bit words. Exit status: 0 nothing wrong, 1 at least one finding is an
/// error, 2 bad arguments or an unreadable file.
#[derive(Parser)]
#[command(name = "check")]
struct Arguments {
    /// Chip that executes the streams: navi31, vega10, gfx1100, …
    #[arg(long, value_parser = arguments::chip, required_unless_present = "explain")]
    chip: Option<Chip>,
    /// Memory: a file at a GPU address, which calls and chains find there
    #[arg(long, value_name = "FILE@ADDR", value_parser = file_at())]
    map: Vec<FileAt>,
    /// All memory is mapped: other addresses are errors
    #[arg(long)]
    closed: bool,
    /// The application declared relaxed rasterization order
    #[arg(long)]
    relaxed_order: bool,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Queue of the files after it: gfx (before the first), compute, compute2, …, constant (the constant engine, up to GFX10.3)
    #[arg(long, value_name = "QUEUE", value_parser = queue)]
    queue: Vec<QueueId>,
    /// The files after it, up to the next --queue, are rings: they start command buffers, and what holds for command buffers of drivers alone is not asked
    #[arg(long, action = clap::ArgAction::Append, num_args = 0, default_missing_value = "true")]
    ring: Vec<bool>,
    /// Silence a rule; the codes are those of findings
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<&'static str>,
    /// Let a rule speak, as a warning; rules on performance are silent otherwise
    #[arg(long, value_name = "CODE", value_parser = code)]
    warn: Vec<&'static str>,
    /// Let a rule speak, as an error
    #[arg(long, value_name = "CODE", value_parser = code)]
    deny: Vec<&'static str>,
    /// FirmwareVersions version of the prefetch parser
    #[arg(long, value_name = "VERSION")]
    pfp_firmware: Option<u32>,
    /// FirmwareVersions version of the micro-engine
    #[arg(long, value_name = "VERSION")]
    me_firmware: Option<u32>,
    /// FirmwareVersions version of the compute engine
    #[arg(long, value_name = "VERSION")]
    mec_firmware: Option<u32>,
    /// Feature version of the micro-engine
    #[arg(long, value_name = "VERSION")]
    me_feature: Option<u32>,
    /// Shader engines of the board
    #[arg(long, value_name = "COUNT")]
    shader_engines: Option<u32>,
    /// Compute units of its smallest shader array
    #[arg(long, value_name = "COUNT")]
    cus_per_array: Option<u32>,
    /// Count packets by opcode, and what made contexts roll
    #[arg(long)]
    statistics: bool,
    /// Write a page for a browser to this file, beside the other output: timeline, packets, draws with their state, findings
    #[arg(long, value_name = "FILE", conflicts_with = "diff")]
    html: Option<PathBuf>,
    /// Dwords to execute at most, over all queues
    #[arg(long, value_name = "DWORDS")]
    max_dwords: Option<u64>,
    /// Print all that is known of a rule, and end
    #[arg(long, value_name = "CODE", value_parser = explanation, exclusive = true)]
    explain: Option<String>,
    /// Compare the draws of two streams: the files are exactly two, each a submission of its own; status 1 if they differ
    #[arg(long)]
    diff: bool,
    /// Streams in the order of submission, with the GPU address where they lie if it matters
    #[arg(required_unless_present = "explain", value_name = "FILE[@ADDR]", value_parser = file_at())]
    files: Vec<FileAt>,
}

fn queue(name: &str) -> Result<QueueId, String> {
    match name.strip_prefix("compute") {
        None if name == "gfx" => Ok(QueueId::GRAPHICS),
        None if name == "constant" => Ok(QueueId::CONSTANT),
        Some("") => Ok(QueueId::COMPUTE),
        Some(number) => {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            number.parse().ok().filter(|n| digits && (2..=8).contains(n)).map(QueueId).ok_or_else(|| "compute queues are compute, compute2 to compute8".into())
        }
        None => Err("queues are gfx, compute, compute2 to compute8, constant".into()),
    }
}

fn code(code: &str) -> Result<&'static str, String> {
    rules::find(code).map(|rule| rule.code).ok_or_else(|| {
        let family = code.split('-').next().unwrap_or_default().to_ascii_uppercase();
        let known: Vec<&str> = rules::all().map(|rule| rule.code).filter(|known| known.starts_with(&family)).collect();
        if known.is_empty() {
            "no such rule; families are ENC, IB, MEM, PERF, POPS, REG, RUN, STA, SYN".into()
        } else {
            format!("no such rule; known are {}", known.join(", "))
        }
    })
}

/// Options that state what a rule asks for.
const STATED_BY: &[(&str, &str)] = &[
    ("ENC-18", "--pfp-firmware, --me-firmware, --mec-firmware, --me-feature"),
    ("IB-02", "--ring"),
    ("IB-08", "--ring"),
    ("MEM-03", "--map, --closed"),
    ("POPS-17", "--relaxed-order"),
    ("STA-10", "--shader-engines"),
    ("STA-19", "--cus-per-array"),
    ("SYN-15", "--mec-firmware"),
    ("SYN-18", "--map, --closed"),
];

/// The long text of a rule, of one that is not judged as well, and the options that matter to it.
fn explanation(name: &str) -> Result<String, String> {
    let mut page = Vec::new();
    match report::rule_page(&mut page, name) {
        Ok(true) => {
            let options = STATED_BY.iter().find(|(code, _)| code.eq_ignore_ascii_case(name)).map(|(_, options)| format!("options: {options}\n"));
            Ok(String::from_utf8_lossy(&page).into_owned() + &options.unwrap_or_default())
        }
        _ => code(name).map(str::to_owned),
    }
}

/// The queue of each file: that of the last `--queue` before it.
fn queues(matches: &ArgMatches, arguments: &Arguments) -> Vec<QueueId> {
    let places = |id| matches.indices_of(id).into_iter().flatten();
    let names: Vec<(usize, QueueId)> = places("queue").zip(arguments.queue.iter().copied()).collect();
    let before = |at: usize| names.iter().rev().find(|(index, _)| *index < at).map(|(_, name)| *name);
    places("files").map(|at| before(at).unwrap_or(QueueId::GRAPHICS)).collect()
}

/// Whether each file is a ring: a `--ring` stands before it, and no `--queue` between.
fn rings(matches: &ArgMatches) -> Vec<bool> {
    let last = |id, at: usize| matches.indices_of(id).into_iter().flatten().filter(|index| *index < at).max();
    matches.indices_of("files").into_iter().flatten().map(|at| last("ring", at) > last("queue", at)).collect()
}

fn main() -> ExitCode {
    let matches = match common::matches(Arguments::command()) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    if let Some(map) = arguments.map.iter().find(|map| map.addr.is_none()) {
        let message = format!("--map {} needs an address: FILE@ADDR, 0x… or a decimal number", map.name);
        return common::usage(&Arguments::command().error(ErrorKind::ValueValidation, message));
    }
    if let Some(text) = arguments.explain {
        let mut out = io::stdout().lock();
        return common::finish("error", out.write_all(text.as_bytes()).and_then(|()| out.flush()).map(|()| false));
    }
    let Some(chip) = arguments.chip else { return common::fail("error", "--chip is missing") };
    if arguments.diff && arguments.files.len() != 2 {
        return common::usage(&Arguments::command().error(ErrorKind::WrongNumberOfValues, "--diff compares two files"));
    }
    let submissions: Vec<Submission> = queues(&matches, &arguments).into_iter().zip(rings(&matches)).map(|(queue, ring)| Submission { queue, ring }).collect();
    if submissions.iter().any(|to| to.queue == QueueId::CONSTANT) && !chip.gfx().has_constant_engine() {
        return common::fail("error", format_args!("{chip} has no constant engine: it is gone with GFX11"));
    }
    match read(&arguments.map, None).and_then(|maps| Ok((maps, read(&arguments.files, arguments.max_dwords)?))) {
        Ok((maps, files)) => {
            let print = if arguments.diff { diff } else { check };
            common::finish("error", print(&arguments, chip, &maps, &files, &submissions))
        }
        Err(message) => common::fail("error", message),
    }
}

/// Where a file goes.
#[derive(Clone, Copy)]
struct Submission {
    queue: QueueId,
    ring: bool,
}

impl Submission {
    /// Queues a file, on a queue that is made if it is not there yet.
    fn submit<'a>(self, cp: &mut CommandProcessor<'a>, file: &'a FileAt, read: &'a Words) -> BufferId {
        // The constant engine needs no making.
        while self.queue != QueueId::CONSTANT && cp.registers_of(self.queue).is_none() {
            cp.add_compute_queue();
        }
        if self.ring { cp.submit_ring(self.queue, &file.name, file.addr, &read.words) } else { cp.submit_to(self.queue, &file.name, file.addr, &read.words) }
    }

    fn kind(self) -> Queue {
        match self.queue {
            QueueId::GRAPHICS => Queue::Graphics,
            QueueId::CONSTANT => Queue::Constant,
            _ => Queue::Compute,
        }
    }
}

/// Dwords behind the last one that runs which may be looked at: the packets of padding behind a chain, at most.
const LOOKED_AT: u64 = 1 << 21;

/// Reads files; those without an address no further than a run of so many dwords goes.
fn read(files: &[FileAt], dwords: Option<u64>) -> Result<Vec<Words>, String> {
    let most = dwords.and_then(|dwords| usize::try_from(dwords.saturating_add(LOOKED_AT)).ok()).unwrap_or(usize::MAX);
    files.iter().map(|file| file.read_first(if file.addr.is_some() { usize::MAX } else { most })).collect()
}

/// Runs and prints; whether there were errors.
fn check(arguments: &Arguments, chip: Chip, maps: &[Words], files: &[Words], submissions: &[Submission]) -> io::Result<bool> {
    let mut cp = processor(arguments, chip);
    let mut cut = Vec::new();
    for (file, read) in arguments.map.iter().zip(maps) {
        let id = cp.map(&file.name, file.addr.unwrap_or_default(), &read.words);
        cut.extend(cut_word(id, read, Queue::Graphics));
    }
    for ((file, read), to) in arguments.files.iter().zip(files).zip(submissions) {
        let id = to.submit(&mut cp, file, read);
        cut.extend(cut_word(id, read, to.kind()));
    }
    let file = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let mut page = file.map(|file| (file, RunPage::of(&cp)));
    let stdout = io::stdout().lock();
    let options = ReportOptions { format: arguments.format.into(), color: common::colour(&stdout), statistics: arguments.statistics };
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    let summary = match &mut page {
        Some((_, page)) => report::run_observed(&mut out, &mut cp, &cut, options, page)?,
        None => report::run(&mut out, &mut cp, &cut, options)?,
    };
    out.flush()?;
    if let Some((file, page)) = page {
        file.write(|out| page.write(out, &cp, &summary))?;
    }
    Ok(summary.errors > 0)
}

/// A model as the options say.
fn processor<'a>(arguments: &Arguments, chip: Chip) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    let firmware = FirmwareVersions { pfp: arguments.pfp_firmware, me: arguments.me_firmware, mec: arguments.mec_firmware, me_feature: arguments.me_feature };
    let board = BoardFacts { shader_engines: arguments.shader_engines, cus_per_array: arguments.cus_per_array };
    cp.closed_memory(arguments.closed).relaxed_order(arguments.relaxed_order).firmware(firmware).board(board);
    if let Some(dwords) = arguments.max_dwords {
        cp.max_dwords(dwords);
    }
    for (codes, level) in [(&arguments.allow, RuleLevel::Allow), (&arguments.warn, RuleLevel::Warn), (&arguments.deny, RuleLevel::Deny)] {
        for code in codes {
            cp.level(code, level);
        }
    }
    cp
}

/// Compares the draws of two streams; whether they differ.
fn diff(arguments: &Arguments, chip: Chip, maps: &[Words], files: &[Words], submissions: &[Submission]) -> io::Result<bool> {
    let [a, b] = [0, 1].map(|side| {
        let mut cp = processor(arguments, chip);
        for (file, read) in arguments.map.iter().zip(maps) {
            cp.map(&file.name, file.addr.unwrap_or_default(), &read.words);
        }
        if let (Some(file), Some(read), Some(to)) = (arguments.files.get(side), files.get(side), submissions.get(side)) {
            to.submit(&mut cp, file, read);
        }
        DrawLog::of(&mut cp)
    });
    let mut out = BufWriter::new(io::stdout().lock());
    let differ = report::diff(&mut out, &a, &b, arguments.format.into())?;
    out.flush()?;
    Ok(differ)
}

/// A file that ends within a word.
fn cut_word(buffer: BufferId, read: &Words, queue: Queue) -> Option<Finding> {
    (read.rest > 0).then(|| Finding {
        code: "ENC-01",
        severity: Severity::Error,
        queue,
        queue_id: QueueId::GRAPHICS,
        place: Place { buffer, dword: u32::try_from(read.words.len()).unwrap_or(u32::MAX) },
        packet: None,
        draw: None,
        last_draw: None,
        register: None,
        field: None,
        message: format!("the file ends {} bytes into a dword: it was cut off, or is no stream of 32-bit words", read.rest),
        notes: Vec::new(),
        help: Some("write the stream again, in whole little-endian dwords".to_owned()),
        source: "the contract of command-stream files",
        count: 1,
    })
}
