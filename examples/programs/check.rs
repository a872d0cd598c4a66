//! Executes command streams on the command-processor model and reports draws, their registers, and everything that is wrong with them.

use crate::common::arguments::{self, Color, Contradiction, Format, Placed};
use crate::common::files::{FileAt, file_at};
use crate::common::output::{Output, Paging};
use crate::common::pages::PageFile;
use crate::common::progress::{During, Progress};
use crate::common::{self, Program, manifests, recordings};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{BoardFacts, CommandProcessor, FirmwareVersions, Observer, QueueId};
use pm4::hang::Incidents;
use pm4::hang::check::{self, ChosenChip, Given, Recorded, RecordedOptions};
use pm4::input::{BufferUse, InputForm};
use pm4::queues::{QueueFamily, Target};
use pm4::report::html::{self, RunPage};
use pm4::report::{self, Assertions, OutputFormat, ReportOptions, ReportPart, ShownOutput};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Execute PM4 command streams on a model of the command processor.
///
/// The files run in order as one submission. An input is a file of little-endian 32-bit words, words as text, a kernel's device coredump, a ring, a kernel log,
/// or the output of umr, Mesa or PAL, each possibly compressed; the content determines which. The folder of a RADV_DEBUG=hang report is an input as well. A
/// device coredump states firmware and buffers, and from Linux 6.10 on the chip; the report ends with the packet that each engine was executing and possible
/// causes of the hang. Exit status: 0 if nothing is wrong, 1 if at least one finding is an error, 2 for bad arguments or an unreadable file.
#[derive(Parser)]
#[command(name = "check")]
struct Arguments {
    /// Chip that executes the streams: navi31, vega10, gfx1100, …; not needed if an input states it
    #[arg(long, value_parser = arguments::chip)]
    chip: Option<Chip>,
    /// Form of the inputs: raw, hex, devcoredump, umr, umr-json, mesa, pal, ring, dump or kernel-log [default: detected from the content]
    #[arg(long, value_name = "FORM", value_parser = arguments::form)]
    input: Option<InputForm>,
    /// Memory: a file at a GPU address, for calls, chains and reads; overlapping files must agree
    #[arg(long, value_name = "FILE@ADDR", value_parser = file_at())]
    map: Vec<FileAt>,
    /// A complete submission in a file (docs/manifest.md) instead of files: chip, memory, queues and their order
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chip", "input", "map", "queue", "ring", "diff", "files"])]
    manifest: Option<PathBuf>,
    /// A recording of pm4 live, whose submissions are run one by one; detected from the content if given as a file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chip", "input", "map", "queue", "ring", "diff", "files", "manifest"])]
    recording: Option<PathBuf>,
    /// Only this submission of a recording (counted from 0), printed like a submission in files
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["diff", "manifest"])]
    submission: Option<u64>,
    /// All memory is mapped: accesses to other addresses are errors
    #[arg(long)]
    closed: bool,
    /// Rings belong to user queues, which programs write themselves: check the rules for command buffers there as well
    #[arg(long)]
    user_queue: bool,
    /// The files are parts of a longer stream: state that earlier packets may have set is unknown and causes no finding
    #[arg(long)]
    partial: bool,
    /// The application declared relaxed rasterization order
    #[arg(long)]
    relaxed_order: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print only the verdict: what went wrong, in at most 15 lines; for a recording, the totals
    #[arg(long, conflicts_with_all = ["only", "draw", "diff", "manifest"])]
    brief: bool,
    /// Print only this part of the report
    #[arg(long, value_enum, value_name = "PART", conflicts_with = "draw")]
    only: Option<Part>,
    /// Print the full state of one draw or dispatch (counted from 0): the packets since the previous draw, the registers, the packets that wrote them, and what
    /// changed
    #[arg(long, value_name = "NUMBER")]
    draw: Option<u64>,
    /// When to colour text
    #[arg(long, value_enum, default_value_t)]
    color: Color,
    #[command(flatten)]
    paging: Paging,
    /// Queue for the files that follow this option: gfx (the default before the first --queue), compute, compute2, …, constant (the constant engine, up to
    /// GFX10.3), sdma, aql, mes (its ring, from GFX11 on)
    #[arg(long, value_name = "QUEUE", value_parser = arguments::queue)]
    queue: Vec<QueueId>,
    /// The files that follow, up to the next --queue, are rings: they start command buffers, and rules that apply only to drivers' command buffers are not
    /// checked
    #[arg(long, action = clap::ArgAction::Append, num_args = 0, default_missing_value = "true")]
    ring: Vec<bool>,
    /// Silence a rule, named by the code in findings, for example POPS-11
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<&'static str>,
    /// Report a rule as a warning; rules that are off by default are reported only with this option or --deny
    #[arg(long, value_name = "CODE", value_parser = code)]
    warn: Vec<&'static str>,
    /// Report a rule as an error
    #[arg(long, value_name = "CODE", value_parser = code)]
    deny: Vec<&'static str>,
    /// Firmware version of PFP
    #[arg(long, value_name = "VERSION")]
    pfp_firmware: Option<u32>,
    /// Firmware version of ME
    #[arg(long, value_name = "VERSION")]
    me_firmware: Option<u32>,
    /// Firmware version of MEC
    #[arg(long, value_name = "VERSION")]
    mec_firmware: Option<u32>,
    /// Feature version of ME
    #[arg(long, value_name = "VERSION")]
    me_feature: Option<u32>,
    /// Number of shader engines of the board
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=64))]
    shader_engines: Option<u32>,
    /// Compute units in the smallest shader array of the board
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=32))]
    cus_per_array: Option<u32>,
    /// Print packet counts by opcode, and the causes of context rolls
    #[arg(long)]
    statistics: bool,
    /// Assertions about registers at draws and about counts, one per line (docs/guide/driver_tests.md); exit with status 1 if one fails
    #[arg(long, value_name = "FILE", conflicts_with_all = ["diff", "draw", "submission", "brief"])]
    assert: Option<PathBuf>,
    /// In JSON, print only the registers that changed since the previous draw of the queue, as the text output always does
    #[arg(long, conflicts_with_all = ["draw", "diff"])]
    changes: bool,
    /// Write a page to this file in addition to the other output: timeline, packets, draws with their state, findings
    #[arg(long, value_name = "FILE", conflicts_with = "diff")]
    html: Option<PathBuf>,
    /// Execute at most this many dwords in total
    #[arg(long, value_name = "DWORDS")]
    max_dwords: Option<u64>,
    /// Print everything that is known about a rule and exit; cannot be combined with other options
    #[arg(long, value_name = "CODE", value_parser = explanation, exclusive = true)]
    explain: Option<String>,
    /// Compare the draws of two streams. Takes exactly two files, each a separate submission; exit with status 1 if they differ or one is damaged
    #[arg(long, conflicts_with_all = ["partial", "only", "draw", "statistics", "allow", "warn", "deny"])]
    diff: bool,
    /// Streams in the order of submission, each with its GPU address if it matters
    #[arg(required_unless_present_any = ["explain", "manifest", "recording"], value_name = "FILE[@ADDR]", value_parser = file_at())]
    files: Vec<FileAt>,
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31 ib.bin", "draws, findings, and what to look at first"),
        ("{} crash.txt", "explain a device coredump"),
        ("{} --chip navi31 --map shaders.bin@0x100200000 ib.bin", "a stream with memory"),
        ("{} --chip navi31 --draw 12 ib.bin", "the state of draw 12"),
        ("{} --chip vega10 --queue compute --ring ring.bin", "a ring of a compute queue"),
        ("{} --chip navi31 --partial piece.bin", "a part of a longer stream"),
        ("{} --manifest submission.jsonl", "a complete submission"),
        ("{} live.rec", "the findings in a recording"),
        ("{} --explain POPS-11", "everything that is known about a rule"),
    ],
};

/// The parts that can be printed in addition to the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Only findings
    Findings,
    /// Only draws and dispatches
    Draws,
    /// The executed packets in order, as printed by dump, and findings about truncated packets
    Packets,
}

fn code(code: &str) -> Result<&'static str, String> {
    rules::find(code).map(|rule| rule.code).ok_or_else(|| {
        let family = code.split('-').next().unwrap_or_default().to_ascii_uppercase();
        let known: Vec<&str> = rules::all().map(|rule| rule.code).filter(|known| known.starts_with(&family)).collect();
        if known.is_empty() {
            "no such rule; families are AQL, ENC, IB, MEM, MES, PERF, POPS, REG, RUN, SDMA, STA, SYN".into()
        } else {
            format!("no such rule; rules are {}", known.join(", "))
        }
    })
}

/// Options that provide what a rule needs.
const STATED_BY: &[(&str, &str)] = &[
    ("AQL-02", "--partial"),
    ("ENC-18", "--pfp-firmware, --me-firmware, --mec-firmware, --me-feature"),
    ("IB-02", "--ring"),
    ("IB-08", "--ring"),
    ("MEM-03", "--map, --closed"),
    ("POPS-17", "--relaxed-order"),
    ("STA-10", "--shader-engines"),
    ("STA-19", "--cus-per-array"),
    ("SYN-15", "--me-feature"),
    ("SYN-18", "--map, --closed"),
    ("SYN-29", "--mec-firmware"),
    ("SYN-35", "--me-feature"),
];

/// Returns the explanation of a rule, including rules that are not judged, and the options that matter to it.
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

fn run(command: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    if let Some(text) = arguments.explain {
        let mut out = io::stdout().lock();
        return common::finish("check", out.write_all(text.as_bytes()).and_then(|()| out.flush()).map(|()| false));
    }
    if arguments.diff && arguments.files.len() != 2 {
        let message = format!(
            "--diff compares two files, but {} given",
            if arguments.files.len() == 1 { "1 is".to_owned() } else { format!("{} are", arguments.files.len()) }
        );
        return common::usage(&command.error(ErrorKind::WrongNumberOfValues, message));
    }
    let twice = arguments::stdin_twice(arguments.files.iter().chain(&arguments.map).map(|file| file.path.as_path())).map(str::to_owned);
    let paths = arguments.files.iter().chain(&arguments.map).map(|file| file.path.as_path()).chain(arguments.manifest.as_deref());
    let over = || arguments::output_over_input("--html", arguments.html.as_deref(), paths);
    if let Some(message) = twice.or_else(|| arguments::after_files(matches)).or_else(|| two_verdicts(&arguments)).or_else(over) {
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    match recorded(&arguments) {
        Ok(None) => {}
        Ok(Some(done)) => return common::finish("check", done),
        Err(message) => return common::fail("check", message),
    }
    let (maps, mut files) = match read(&arguments, &arguments.map, None).and_then(|maps| Ok((maps, read(&arguments, &arguments.files, arguments.max_dwords)?)))
    {
        Ok(inputs) => inputs,
        Err(message) => return common::fail("check", message),
    };
    for ((file, queue), ring) in files.iter_mut().zip(arguments::queues(matches, &arguments.queue)).zip(arguments::rings(matches)) {
        (file.queue, file.ring) = (queue, ring);
    }
    if let Some(message) = arguments::misplaced(maps.iter().chain(&files).filter_map(Given::extent)) {
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    if let Some(recording) = maps.iter().chain(&files).find(|file| file.input.form == InputForm::Recording) {
        return common::fail(
            "check",
            format_args!("{} is a recording of pm4 live, whose submissions run one by one: give it as the only file", recording.name),
        );
    }
    if let Some(message) = contradiction(&maps) {
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    let wordless = |file: &&Given| file.input.form == InputForm::Raw && file.is_empty() && file.input.damage.is_empty();
    for empty in files.iter().filter(wordless) {
        common::tell("check", format_args!("{} is empty: it has no words", empty.name));
    }
    if let Some(map) = maps.iter().find(|map| map.addr.is_none() && map.input.buffers.iter().all(|buffer| buffer.addr.is_none())) {
        let message = format!("--map {} needs an address: FILE@ADDR, 0x… or a decimal number", map.name);
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    let submitted = match arguments.manifest.as_deref().map(manifests::read).transpose() {
        Ok(submitted) => submitted,
        Err(message) => return common::fail("check", message),
    };
    if let (Some(submitted), Some(manifest)) = (&submitted, &arguments.manifest) {
        let steps = submitted.files(manifest);
        if let Some(message) = arguments::output_over_input("--html", arguments.html.as_deref(), steps.iter().map(PathBuf::as_path)) {
            return common::usage(&command.error(ErrorKind::ValueValidation, message));
        }
    }
    let incidents = Incidents::of(&check::named(&files), arguments.chip);
    if submitted.is_none() && !arguments.diff && !check::needs_model(&files, arguments.chip) {
        let printed = print_log(&arguments, &incidents, &files);
        return common::finish("check", printed.map(|()| false));
    }
    let chip = match submitted.as_ref().map_or_else(|| chip(&arguments, &files), |submitted| Ok(submitted.manifest.chip)) {
        Ok(chip) => chip,
        Err(message) => {
            let printed = print_wordless(&mut ShownOutput::new(io::stdout().lock(), arguments.format.into(), false), arguments.format.into(), &files);
            return printed.map_or_else(|error| common::finish("check", Err(error)), |()| common::fail("check", message));
        }
    };
    let queues = files.iter().flat_map(|file| file.input.buffers.iter().map(|buffer| file.queue_of(buffer)));
    if files.iter().filter_map(|file| file.queue).chain(queues).any(|queue| queue == QueueId::CONSTANT) && !chip.gfx().has_constant_engine() {
        return common::fail("check", format_args!("{chip} has no constant engine: GFX11 removed it"));
    }
    let families = files.iter().filter_map(|file| file.queue?.family());
    if let Some(family) = families.into_iter().find(|family| Target::from(chip).version(*family).is_none()) {
        return common::fail("check", without_queue(chip, family));
    }
    let done = match <&[Given; 2]>::try_from(files.as_slice()) {
        Ok(sides) if arguments.diff => diff(&arguments, chip, &maps, sides).map(Ok),
        _ => check(&arguments, chip, submitted.as_ref(), &maps, &files, &incidents),
    };
    match done {
        Ok(Err(message)) => common::fail("check", message),
        Ok(Ok(found)) => common::finish("check", Ok(found)),
        Err(error) => common::finish("check", Err(error)),
    }
}

/// Returns why a chip has no queue of a family.
fn without_queue(chip: Chip, family: QueueFamily) -> String {
    match family {
        QueueFamily::Mes => format!("{chip} has no MES: its kernel schedules with PM4 packets, which --queue compute --ring reads"),
        QueueFamily::Sdma | QueueFamily::Aql | QueueFamily::Mqd | QueueFamily::SdmaMqd => format!("no source says which version of {family} {chip} has"),
    }
}

/// Runs or compares recordings; returns whether something is wrong, or None if the inputs are not recordings.
fn recorded(arguments: &Arguments) -> Result<Option<io::Result<bool>>, String> {
    if arguments.input.is_some_and(|form| form != InputForm::Recording) {
        return Ok(None);
    }
    let paths = arguments.recording.iter().map(PathBuf::as_path).chain(arguments.files.iter().map(|file| file.path.as_path()));
    let mut opened = paths.take(3).map(recordings::open).collect::<Result<Vec<_>, String>>()?;
    let wants_one = arguments.recording.is_some() || arguments.submission.is_some();
    let format = OutputFormat::from(arguments.format);
    let open = || BufWriter::new(Output::open(arguments.paging, arguments.color, format));
    match opened.as_mut_slice() {
        [Some(recording)] if !arguments.diff => {
            let mut out = open();
            let options = ReportOptions {
                format,
                color: arguments.color.of(&io::stdout()),
                statistics: arguments.statistics,
                changes: arguments.changes,
                only: only(arguments),
            };
            let levels = |cp: &mut CommandProcessor<'_>| levels(cp, arguments);
            let mut assertions = assertions(arguments, recording.recording().device().chip)?;
            let options = RecordedOptions { report: options, submission: arguments.submission, brief: arguments.brief, levels: &levels };
            let mut run = |cp: &mut CommandProcessor<'_>, observer: &mut dyn Observer| match &mut assertions {
                Some(assertions) => assertions.run(cp, observer),
                None => cp.run(observer),
            };
            let done = recording.check(&mut out, &options, &mut run);
            recording.take_remarks().iter().for_each(|sentence| common::tell("check", sentence));
            let failed = match done {
                Ok(found) => found?,
                Err(error) => return Ok(Some(Err(error))),
            };
            let asserted = match assertions.filter(|_| arguments.submission.is_none()) {
                Some(assertions) => assertions.print(&mut out, format).map(|()| assertions.fails()),
                None => Ok(false),
            };
            Ok(Some(asserted.and_then(|asserted| out.flush().map(|()| failed || asserted))))
        }
        [Some(a), Some(b)] if arguments.diff => {
            let mut out = open();
            let differ = check::diff_recorded(&mut out, a, b, format);
            [a, b].into_iter().flat_map(Recorded::take_remarks).for_each(|sentence| common::tell("check", sentence));
            Ok(Some(differ.and_then(|differ| out.flush().map(|()| differ))))
        }
        all if all.iter().any(Option::is_some) => Err("a recording must be the only file, or be compared with another one by --diff".into()),
        _ if wants_one => Err("there is no recording of pm4 live among the files: --recording and --submission are for one".into()),
        _ => Ok(None),
    }
}

/// Reads the assertions of `--assert`.
fn assertions(arguments: &Arguments, chip: Chip) -> Result<Option<Assertions>, String> {
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        Assertions::parse(&text, chip.gfx()).map_err(|error| format!("{}: {error}", file.display()))
    };
    arguments.assert.as_ref().map(read).transpose()
}

/// Returns an error if the level of a rule is given twice.
fn two_verdicts(arguments: &Arguments) -> Option<String> {
    let named: Vec<(&str, &str)> = [("--allow", &arguments.allow), ("--warn", &arguments.warn), ("--deny", &arguments.deny)]
        .into_iter()
        .flat_map(|(option, codes)| codes.iter().map(move |code| (option, *code)))
        .collect();
    named.iter().enumerate().find_map(|(at, (option, code))| {
        let (other, _) = named[at + 1..].iter().find(|(other, again)| again == code && other != option)?;
        Some(format!("{option} {code} and {other} {code} contradict each other: give one of them"))
    })
}

/// Returns the chip given as an option or stated by the inputs.
fn chip(arguments: &Arguments, files: &[Given]) -> Result<Chip, String> {
    let ChosenChip { chip, other } = check::chip(files, arguments.chip)?;
    if let Some((name, other)) = other {
        common::tell("check", format_args!("{name} says that it is from {other}; using --chip {chip}"));
    }
    Ok(chip)
}

/// Returns an error if files mapped at addresses from the command line overlap and differ: memory has one value at each address.
fn contradiction(maps: &[Given]) -> Option<String> {
    let placed = maps.iter().filter_map(|map| Some(Placed { name: &map.name, start: map.addr?, words: &map.input.buffers.first()?.words }));
    let Contradiction { first, second, addr, words: (one, other) } = arguments::contradiction(placed)?;
    Some(format!(
        "--map {}@{:#x} and --map {}@{:#x} overlap and differ at {addr:#x}: the first has 0x{one:08x}, the second 0x{other:08x}; leave one out, or give it another address",
        first.name, first.start, second.name, second.start
    ))
}

/// The most dwords after the last executed one that may be read: padding packets after a chain.
const LOOKED_AT: u64 = 1 << 21;

/// Reads files. Raw words without an address are read only as far as a run of `dwords` dwords goes.
fn read(arguments: &Arguments, files: &[FileAt], dwords: Option<u64>) -> Result<Vec<Given>, String> {
    let most = dwords.and_then(|dwords| usize::try_from(dwords.saturating_add(LOOKED_AT)).ok()).unwrap_or(usize::MAX);
    let load = |file: &FileAt| {
        let input = file.read(arguments.input, if file.addr.is_some() { usize::MAX } else { most })?;
        Given::new(&file.name, file.addr, input)
    };
    files.iter().map(load).collect()
}

/// Runs and prints; returns whether there were errors in the run or in the inputs. If the requested draw does not exist, returns an error and prints nothing.
fn check(
    arguments: &Arguments,
    chip: Chip,
    submitted: Option<&manifests::Submitted>,
    maps: &[Given],
    files: &[Given],
    incidents: &Incidents,
) -> io::Result<Result<bool, String>> {
    let mut assertions = match assertions(arguments, chip) {
        Ok(assertions) => assertions,
        Err(message) => return Ok(Err(message)),
    };
    let mut cp = processor(arguments, chip, files);
    if let Some(manifests::Submitted { manifest, words }) = submitted {
        manifest.apply(words, &mut cp);
        facts(&mut cp, arguments, manifest.firmware, manifest.board);
        cp.closed_memory(arguments.closed || manifest.closed);
    }
    if arguments.partial {
        cp.partial();
    }
    let mut before = Vec::new();
    check::map(&mut cp, maps, &mut before);
    let ids = check::submit(&mut cp, files, &mut before);
    let file = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let mut page = file.map(|file| (file, RunPage::of(&cp)));
    let output = Output::open(arguments.paging, arguments.color, arguments.format.into()).beside_page(page.is_some());
    let only = only(arguments);
    let format = OutputFormat::from(arguments.format);
    let options = ReportOptions { format, color: output.color(), statistics: arguments.statistics, changes: arguments.changes, only };
    let mut printed = BufWriter::with_capacity(1 << 16, output);
    // A single draw is printed when it is found; other output is unlimited.
    let mut state = Vec::new();
    let mut unseen = io::sink();
    if arguments.brief && format == OutputFormat::Text {
        check::print_verdict(&mut printed, incidents)?;
    }
    let mut out: &mut dyn Write = if arguments.brief {
        &mut unseen
    } else if only == ReportPart::Nothing {
        &mut state
    } else {
        &mut printed
    };
    check::print_beginning(&mut out, options, incidents, files.iter().chain(maps))?;
    let mut nobody = ();
    let observer: &mut dyn Observer = match &mut page {
        Some((_, page)) => page,
        None => &mut nobody,
    };
    let mut progress = Progress::of("executed", length(maps, files), During::Printing);
    let mut watched;
    let observer: &mut dyn Observer = if progress.is_wanted() {
        watched = (observer, &mut progress);
        &mut watched
    } else {
        observer
    };
    let mut asserted;
    let observer: &mut dyn Observer = match &mut assertions {
        Some(assertions) => {
            asserted = (observer, assertions);
            &mut asserted
        }
        None => observer,
    };
    if arguments.draw.is_none() {
        check::unexplained(files, &ids).iter().for_each(|sentence| common::tell("check", sentence));
    }
    let (summary, hung, there) = match arguments.draw {
        Some(index) => {
            let (summary, there) = report::draw_state(&mut out, &mut cp, &before, options, index, observer)?;
            (summary, None, there)
        }
        None => {
            let (summary, record) = check::execute(&mut out, &mut cp, &before, options, files, &ids, observer)?;
            (summary, record, true)
        }
    };
    if there {
        printed.write_all(&state)?;
    }
    if let Some(assertions) = &mut assertions {
        assertions.end_submission(&summary);
        assertions.print(&mut printed, format)?;
    }
    printed.flush()?;
    drop(printed);
    drop(progress);
    if !there {
        let draws = summary.draws + summary.dispatches;
        return Ok(Err(format!("there is no draw or dispatch {}: the run has {draws} of them, numbered from 0", arguments.draw.unwrap_or(0))));
    }
    if let Some((file, mut page)) = page {
        if let Some(record) = &hung {
            page.hang(record);
        }
        page.incidents(&incidents.timeline());
        page.inputs(check::log_lines(files));
        file.write(|out| page.write(out, &cp, &summary))?;
    }
    Ok(Ok(check::failed(&summary, files) || assertions.is_some_and(|assertions| assertions.fails())))
}

/// Returns the requested part.
fn only(arguments: &Arguments) -> ReportPart {
    match (arguments.only, arguments.draw) {
        (Some(Part::Findings), _) => ReportPart::Findings,
        (Some(Part::Draws), _) => ReportPart::Draws,
        (Some(Part::Packets), _) => ReportPart::Packets,
        (None, Some(_)) => ReportPart::Nothing,
        (None, None) => ReportPart::All,
    }
}

/// Returns the number of bytes to run if only submitted buffers can run; mapped memory may be called any number of times.
fn length(maps: &[Given], files: &[Given]) -> Option<u64> {
    let buffers = files.iter().flat_map(|file| &file.input.buffers);
    let submitted = buffers.clone().all(|buffer| matches!(buffer.usage, BufferUse::Submitted | BufferUse::Ring));
    (maps.is_empty() && submitted).then(|| buffers.map(|buffer| 4 * buffer.words.len() as u64).sum())
}

/// Prints the contents of inputs without words.
fn print_log(arguments: &Arguments, incidents: &Incidents, files: &[Given]) -> io::Result<()> {
    let format = OutputFormat::from(arguments.format);
    let page = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let mut out = BufWriter::new(Output::open(arguments.paging, arguments.color, format).beside_page(page.is_some()));
    check::print_log(&mut out, format, arguments.brief, incidents, files)?;
    out.flush()?;
    drop(out);
    page.map_or(Ok(()), |page| page.write(|out| html::log_page(out, &incidents.timeline(), &check::log_lines(files))))
}

/// Prints what inputs without words state, such as kernel logs; the chip is not needed for it.
fn print_wordless(out: &mut dyn Write, format: OutputFormat, files: &[Given]) -> io::Result<()> {
    let wordless = files.iter().filter(|file| file.input.buffers.is_empty() && !file.input.remarks.is_empty());
    check::print_inputs(out, format, wordless)?;
    out.flush()
}

/// Creates a model according to the options.
fn processor<'a>(arguments: &Arguments, chip: Chip, files: &[Given]) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(arguments.closed).user_queues(arguments.user_queue).relaxed_order(arguments.relaxed_order);
    facts(&mut cp, arguments, check::firmware(files), BoardFacts::default());
    if let Some(dwords) = arguments.max_dwords {
        cp.max_dwords(dwords);
    }
    levels(&mut cp, arguments);
    cp
}

/// Sets the rule levels given by options.
fn levels(cp: &mut CommandProcessor<'_>, arguments: &Arguments) {
    for (codes, level) in [(&arguments.allow, RuleLevel::Allow), (&arguments.warn, RuleLevel::Warn), (&arguments.deny, RuleLevel::Deny)] {
        for code in codes {
            cp.set_rule_level(code, level);
        }
    }
}

/// Sets firmware and board from the options, or else from the input.
fn facts(cp: &mut CommandProcessor<'_>, arguments: &Arguments, told: FirmwareVersions, board: BoardFacts) {
    let firmware = FirmwareVersions {
        pfp: arguments.pfp_firmware.or(told.pfp),
        me: arguments.me_firmware.or(told.me),
        mec: arguments.mec_firmware.or(told.mec),
        me_feature: arguments.me_feature.or(told.me_feature),
    };
    let board =
        BoardFacts { shader_engines: arguments.shader_engines.or(board.shader_engines), cus_per_array: arguments.cus_per_array.or(board.cus_per_array) };
    cp.firmware(firmware).board(board);
}

/// Compares the draws of two streams; returns whether they differ or an input is damaged.
fn diff(arguments: &Arguments, chip: Chip, maps: &[Given], files: &[Given; 2]) -> io::Result<bool> {
    let mut out = BufWriter::new(Output::open(arguments.paging, arguments.color, arguments.format.into()));
    let differ = check::diff(&mut out, arguments.format.into(), chip, || processor(arguments, chip, files), files, maps)?;
    out.flush()?;
    Ok(differ)
}
