//! Decodes command streams: every packet with its fields, every register write with its name and fields.

use crate::common::arguments::{self, AnyQueue, Color, Format};
use crate::common::output::{Output, Paging};
use crate::common::pages::PageFile;
use crate::common::progress::During;
use crate::common::{
    self, Program, files,
    manifests::{self, Submitted},
};
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Gfx;
use pm4::cp::QueueId;
use pm4::input::{BufferUse, Input, InputBuffer, InputForm, Source, TextPieces};
use pm4::packet::{Opcode, Queue};
use pm4::queues::{QueueFamily, Target, Version};
use pm4::regs;
use pm4::report::{self, Dump, DumpOptions, FilterError, ManifestStep, OutputFormat, PacketFilter, QueueDump, QueueDumpOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Decode command streams: PM4, and the packets of SDMA, AQL and MES.
///
/// An input is a file of little-endian 32-bit words, words as text, a kernel's device coredump, a ring, a kernel log, or the output of umr, Mesa or PAL, each
/// possibly compressed; the content determines which. The folder of a RADV_DEBUG=hang report is an input as well. Exit status: 0 if everything was decoded, 1
/// if damage was found (its place is reported, and the rest is decoded), 2 for bad arguments or an unreadable file. Damage is: a packet that extends past the
/// end, a packet of type 0 or 1, a type-2 filler on a compute queue, an opcode that the generation lacks, a packet size that the opcode does not have, a packed
/// register list with a wrong count, or truncated input.
#[derive(Parser)]
#[command(name = "dump")]
struct Arguments {
    /// Chip for which the streams are: navi31, vega10, gfx1100, …; not needed if an input states it. Chips without graphics, such as gfx942, have the queues
    /// sdma, aql and mes
    #[arg(long, value_parser = arguments::target)]
    chip: Option<Target>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Form of the inputs: raw, hex, devcoredump, umr, umr-json, mesa, pal, ring, dump or kernel-log [default: detected from the content]
    #[arg(long, value_name = "FORM", value_parser = arguments::form)]
    input: Option<InputForm>,
    /// Queue for the files that follow this option: gfx (the default before the first --queue), compute, compute2, …, constant. A packet may have a different
    /// layout on another queue. sdma, aql and mes have packets of their own; mqd and sdma-mqd are memory queue descriptors
    #[arg(long, value_name = "QUEUE", value_parser = arguments::any_queue)]
    queue: Vec<AnyQueue>,
    /// The files that follow, up to the next --queue, are rings. Packets that only kernels write are not damage in rings
    #[arg(long, action = ArgAction::Append, num_args = 0, default_missing_value = "true")]
    ring: Vec<bool>,
    /// Print packets from this dword on
    #[arg(long, value_name = "DWORD", value_parser = dword)]
    from: Option<usize>,
    /// Print packets up to this dword
    #[arg(long, value_name = "DWORD", value_parser = dword)]
    to: Option<usize>,
    /// Print packets with this name; may be repeated to print packets with any of the names
    #[arg(long, value_name = "NAME")]
    packet: Vec<String>,
    /// Print packets that write or name this register: a name, a pattern such as CB_COLOR0_*, or a byte address; may be repeated to match any of them
    #[arg(long, value_name = "NAME|ADDR")]
    register: Vec<String>,
    /// Print packets whose text contains this, ignoring case; may be repeated to match all of them
    #[arg(long, value_name = "TEXT")]
    grep: Vec<String>,
    /// Also print fields that are 0 (JSON always contains them)
    #[arg(long)]
    zero: bool,
    /// When to colour text
    #[arg(long, value_enum, default_value_t)]
    color: Color,
    #[command(flatten)]
    paging: Paging,
    /// A complete submission in a file (docs/manifest.md) instead of files: prints the submitted buffers in order
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chip", "input", "queue", "ring", "html", "files"])]
    manifest: Option<PathBuf>,
    /// Write a page to this file in addition to the other output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Inputs; `-` is standard input
    #[arg(required_unless_present = "manifest", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31 ib.bin", "all packets"),
        ("{} crash.txt", "a device coredump names its chip"),
        ("{} --chip vega10 --register 'CB_COLOR0_*' ib.bin", "packets that write these registers"),
        ("{} --chip navi31 --from 0x100 --to 0x140 ib.bin", "part of a stream"),
        ("{} --manifest submission.jsonl", "the buffers of a complete submission"),
        ("{} --chip navi31 --queue sdma copy.bin", "packets of SDMA"),
        ("xxd -e ib.bin | {} --chip navi31 -", "words as text"),
    ],
};

/// Parses a dword offset, decimal or `0x…`.
fn dword(text: &str) -> Result<usize, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => arguments::digits(digits, 16),
        None => arguments::digits(text, 10),
    };
    parsed.and_then(|number| usize::try_from(number).ok()).ok_or_else(|| "write a decimal number, or 0x…".to_owned())
}

/// Returns an error if `--from` and `--to` contradict each other.
fn empty_range(arguments: &Arguments) -> Option<String> {
    let (from, to) = (arguments.from?, arguments.to?);
    (from > to).then(|| format!("--from {from} is greater than --to {to}: the range is empty"))
}

/// An input ready to be printed.
enum Ready {
    /// Raw words, read while printing.
    Words(Source<'static>),
    /// Words as long text, read while printing.
    Text(Box<TextPieces<'static>>),
    Whole(Box<Input>),
}

/// An input with its place on the command line.
struct Opened {
    name: String,
    /// The queue given for it.
    queue: Option<QueueId>,
    ring: bool,
    input: Ready,
}

fn run(command: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let twice = arguments::stdin_twice(arguments.files.iter().map(PathBuf::as_path)).map(str::to_owned);
    let paths = arguments.files.iter().map(PathBuf::as_path);
    let over = || arguments::output_over_input("--html", arguments.html.as_deref(), paths);
    if let Some(message) = twice.or_else(|| arguments::after_files(matches)).or_else(|| empty_range(&arguments)).or_else(over) {
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    if let Some(path) = &arguments.manifest {
        return match manifests::read(path) {
            Ok(submitted) => match filter(&arguments, submitted.manifest.chip.gfx()) {
                Ok(filter) => common::finish("dump", submission(&arguments, filter, &submitted)),
                Err(error) => common::fail("dump", error),
            },
            Err(message) => common::fail("dump", message),
        };
    }
    let queues = arguments::queues(matches, &arguments.queue);
    if queues.iter().any(|queue| matches!(queue, Some(AnyQueue::Other(_)))) {
        return other_queues(command, &arguments, &queues);
    }
    let queues = queues.into_iter().map(|queue| queue.and_then(|queue| if let AnyQueue::Pm4(queue) = queue { Some(queue) } else { None }));
    if let Some(Target::Compute(chip)) = arguments.chip {
        return common::fail(
            "dump",
            format_args!("{chip} has no graphics, and its PM4 packets are not known: its queues are --queue sdma, aql, mes, mqd or sdma-mqd"),
        );
    }
    // All inputs are opened, and everything but raw words is read, before anything is printed: a missing file leaves no partial result.
    let mut inputs = Vec::new();
    let places = queues.zip(arguments::rings(matches));
    for (file, (queue, ring)) in arguments.files.iter().zip(places) {
        let name = file.to_string_lossy().into_owned();
        match files::open(file, arguments.input, During::Printing).and_then(|source| ready(source, file, arguments.html.is_some())) {
            Ok(input) => inputs.push(Opened { name, queue, ring, input }),
            Err(error) => return common::fail("dump", format_args!("{name} {error}")),
        }
    }
    let gfx = match generation(&arguments, &inputs) {
        Ok(gfx) => gfx,
        Err(message) => return common::fail("dump", message),
    };
    match filter(&arguments, gfx) {
        Ok(filter) => common::finish("dump", print(&arguments, gfx, filter, inputs)),
        Err(error) => common::fail("dump", error),
    }
}

/// Prepares an input. Raw words and words as long text are read while printing, unless they are all needed at once.
fn ready(source: Source<'static>, path: &Path, at_once: bool) -> Result<Ready, String> {
    let whole = |source| files::read(source, path, usize::MAX).map(|input| Ready::Whole(Box::new(input)));
    match source.form() {
        _ if at_once => whole(source),
        InputForm::Raw => Ok(Ready::Words(source)),
        _ => match source.in_pieces() {
            Ok(text) => Ok(Ready::Text(Box::new(text))),
            Err(source) => whole(source),
        },
    }
}

/// Returns the generation of all inputs: that of the chip given as an option or stated by an input.
fn generation(arguments: &Arguments, inputs: &[Opened]) -> Result<Gfx, String> {
    let told = inputs.iter().find_map(|opened| match &opened.input {
        Ready::Whole(input) => Some((&opened.name, input.generation()?)),
        Ready::Words(_) | Ready::Text(_) => None,
    });
    match (arguments.chip.and_then(Target::chip), told) {
        (Some(chip), Some((name, gfx))) if chip.gfx() != gfx => {
            common::tell("dump", format_args!("{name} says that it is from {gfx}; using --chip {chip}, which is {}", chip.gfx()));
            Ok(chip.gfx())
        }
        (Some(chip), _) => Ok(chip.gfx()),
        (None, Some((_, gfx))) => Ok(gfx),
        (None, None) => Err("no input states its chip: name it with --chip".to_owned()),
    }
}

/// Prints streams of queues other than PM4.
fn other_queues(command: &mut Command, arguments: &Arguments, queues: &[Option<AnyQueue>]) -> ExitCode {
    if !arguments.register.is_empty() || !arguments.grep.is_empty() {
        return common::usage(&command.error(ErrorKind::ArgumentConflict, "--register and --grep are for PM4: packets of other queues set no registers"));
    }
    let Some(target) = arguments.chip else { return common::fail("dump", "packets of other queues depend on the chip: name it with --chip") };
    let mut streams = Vec::new();
    for (file, queue) in arguments.files.iter().zip(queues) {
        let name = file.to_string_lossy().into_owned();
        let Some(AnyQueue::Other(family)) = queue else {
            return common::fail("dump", format_args!("{name} is a stream of PM4: print it apart from those of other queues"));
        };
        let Some(version) = target.version(*family) else { return common::fail("dump", without(target, *family)) };
        match files::open(file, arguments.input, During::Printing).and_then(|source| files::read(source, file, usize::MAX)) {
            Ok(input) => streams.push((version, name, input)),
            Err(error) => return common::fail("dump", format_args!("{name} {error}")),
        }
    }
    common::finish("dump", print_others(arguments, &streams))
}

/// Returns why a chip has no queue of a family.
fn without(target: Target, family: QueueFamily) -> String {
    match family {
        QueueFamily::Mes => format!("{target} has no MES: its kernel schedules with PM4 packets, which --queue compute --ring reads"),
        QueueFamily::Mqd | QueueFamily::SdmaMqd => format!("no source describes {family} of {target}"),
        QueueFamily::Sdma | QueueFamily::Aql => format!("no source says which version of {family} {target} has"),
    }
}

fn print_others(arguments: &Arguments, streams: &[(Version, String, Input)]) -> io::Result<bool> {
    let page = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let format = OutputFormat::from(arguments.format);
    let mut out = BufWriter::with_capacity(1 << 16, Output::open(arguments.paging, arguments.color, format).beside_page(page.is_some()));
    let mut damaged = false;
    let mut shown = Vec::new();
    // Consecutive streams of the same version share a title.
    for part in streams.chunk_by(|a, b| a.0 == b.0) {
        let options = QueueDumpOptions { version: part[0].0, format, zeros: arguments.zero };
        let mut dump = QueueDump::new(&mut out, options)?.only(arguments.from, arguments.to, &arguments.packet);
        for (version, name, input) in part {
            damaged |= !input.damage.is_empty();
            for line in if input.is_undamaged_raw() { Vec::new() } else { input.lines() } {
                dump.comment(&line)?;
            }
            if streams.len() > 1 {
                dump.comment(name)?;
            }
            let mut own: Vec<&InputBuffer> = input.rings_of(version.family()).collect();
            if own.is_empty() {
                own.extend(&input.buffers);
            }
            for buffer in own {
                let name = called(name, buffer);
                damaged |= dump.stream(&name, &buffer.words, &buffer.trailing_bytes)?;
                shown.push((*version, name, buffer.words.as_slice()));
            }
        }
        let filtered = (arguments.from, arguments.to) != (None, None) || !arguments.packet.is_empty();
        if filtered && dump.printed() == 0 {
            common::tell("dump", format_args!("no packet passes the filter"));
        }
    }
    out.flush()?;
    if let Some(page) = page {
        let streams: Vec<_> = shown.iter().map(|(version, name, words)| (*version, name.as_str(), *words)).collect();
        page.write(|out| report::html::queue_page(out, &streams))?;
    }
    Ok(damaged)
}

/// Builds the filter; the error suggests similar names.
fn filter(arguments: &Arguments, gfx: Gfx) -> Result<PacketFilter, String> {
    wanted(arguments, gfx).map_err(|error| {
        let hint = match &error {
            FilterError::NoPacket { name, .. } => arguments::did_you_mean(name, (0..=255).filter_map(|opcode| Opcode(opcode).name(gfx))),
            FilterError::NoRegister { name, .. } => arguments::did_you_mean(name, regs::registers(gfx).map(|info| info.name)),
        };
        format!("{error}{hint}")
    })
}

fn wanted(arguments: &Arguments, gfx: Gfx) -> Result<PacketFilter, FilterError> {
    let mut filter = PacketFilter::default();
    if let Some(from) = arguments.from {
        filter = filter.from(from);
    }
    if let Some(to) = arguments.to {
        filter = filter.to(to);
    }
    for name in &arguments.packet {
        filter = filter.packet(gfx, name)?;
    }
    for name in &arguments.register {
        filter = filter.register(gfx, name)?;
    }
    Ok(arguments.grep.iter().fold(filter, |filter, text| filter.text(text)))
}

/// Reports that nothing passes the filter: otherwise a mistyped name would look like an empty stream.
fn tell_none_passes(dump: &Dump<'_>, filtered: bool) {
    if filtered && dump.printed() == 0 {
        common::tell("dump", format_args!("no packet passes the filter"));
    }
}

/// Bytes to read and print at a time.
const PIECE: usize = 1 << 18;

/// Prints all inputs; returns whether any of them is damaged.
fn print(arguments: &Arguments, gfx: Gfx, filter: PacketFilter, inputs: Vec<Opened>) -> io::Result<bool> {
    let page = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let output = Output::open(arguments.paging, arguments.color, arguments.format.into()).beside_page(page.is_some());
    let (format, color) = (OutputFormat::from(arguments.format), output.color());
    let first = inputs.first().and_then(|opened| opened.queue).map_or(Queue::Graphics, arguments::kind);
    let options = DumpOptions { format, color, zeros: arguments.zero, ..DumpOptions::new(gfx, first) };
    let mut out = BufWriter::with_capacity(1 << 16, output);
    let filtered = !filter.is_empty();
    let mut dump = Dump::new(&mut out, &options)?.filter(filter);
    let (several, mut damaged) = (inputs.len() > 1, false);
    let mut streams = Vec::new();
    for Opened { name, queue, ring, input } in inputs {
        dump.ring(ring);
        if several {
            dump.comment(&name)?;
        }
        if let (Ready::Whole(input), true) = (&input, page.is_some()) {
            streams.extend(input.buffers.iter().map(|buffer| (called(&name, buffer), bytes(buffer))));
        }
        damaged |= match input {
            Ready::Words(source) => words(&mut dump, &name, queue, source)?,
            Ready::Text(text) => pieces(&mut dump, &name, queue, format, *text)?,
            Ready::Whole(input) => whole(&mut dump, &name, (queue, ring), format, &input)?,
        };
    }
    tell_none_passes(&dump, filtered);
    drop(dump);
    out.flush()?;
    if let Some(page) = page {
        let streams: Vec<(&str, &[u8])> = streams.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        page.write(|out| report::html::stream_page(out, &streams, &options))?;
    }
    Ok(damaged)
}

/// Prints the buffers that a manifest submits, and a description of its memory, which may contain anything. Returns whether any buffer is damaged.
fn submission(arguments: &Arguments, filter: PacketFilter, submitted: &Submitted) -> io::Result<bool> {
    let output = Output::open(arguments.paging, arguments.color, arguments.format.into());
    let (format, color) = (OutputFormat::from(arguments.format), output.color());
    let gfx = submitted.manifest.chip.gfx();
    let mut out = BufWriter::with_capacity(1 << 16, output);
    let options = DumpOptions { format, color, zeros: arguments.zero, ..DumpOptions::new(gfx, Queue::Graphics) };
    let filtered = !filter.is_empty();
    let mut dump = Dump::new(&mut out, &options)?.filter(filter);
    let mut damaged = false;
    for (step, words) in submitted.manifest.steps.iter().zip(&submitted.words) {
        match step {
            ManifestStep::Submit { queue, ring, .. } => {
                let name = step.name().unwrap_or("?");
                dump.ring(*ring);
                dump.queue(arguments::kind(*queue))?;
                dump.comment(name)?;
                dump.begin(name);
                dump.words(words)?;
                damaged |= dump.end()?;
            }
            ManifestStep::Memory { addr, .. } => {
                dump.comment(&format!("memory {} at 0x{addr:012x}: {} dwords", step.name().unwrap_or("?"), words.len()))?;
            }
            _ => {}
        }
    }
    tell_none_passes(&dump, filtered);
    drop(dump);
    out.flush()?;
    Ok(damaged)
}

/// Returns the name of a buffer for reports.
fn called(file: &str, buffer: &InputBuffer) -> String {
    if buffer.name.is_empty() { file.to_owned() } else { format!("{file}[{}]", buffer.name) }
}

/// Returns the bytes of a buffer.
fn bytes(buffer: &InputBuffer) -> Vec<u8> {
    buffer.words.iter().flat_map(|word| word.to_le_bytes()).chain(buffer.trailing_bytes.iter().copied()).collect()
}

/// The most bytes of raw words to read, as in [`Source::load`]: a device or a pipe may be endless.
const LONGEST: usize = 1 << 30;

/// Prints raw words while reading them.
fn words(dump: &mut Dump<'_>, name: &str, queue: Option<QueueId>, mut source: Source<'_>) -> io::Result<bool> {
    dump.queue(queue.map_or(Queue::Graphics, arguments::kind))?;
    dump.begin(name);
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    let mut too_long = false;
    loop {
        match source.read(&mut piece) {
            Ok(0) => break,
            Ok(_) if bytes == LONGEST => {
                too_long = true;
                break;
            }
            Ok(count) => {
                let count = count.min(LONGEST - bytes);
                bytes += count;
                dump.bytes(&piece[..count])?;
                dump.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                common::tell("dump", format_args!("{name} cannot be read to its end: {error}"));
                dump.end()?;
                return Ok(true);
            }
        }
    }
    let damaged = dump.end()?;
    if too_long {
        common::tell("dump", format_args!("{name} is longer than {LONGEST} bytes: what follows is left out"));
        return Ok(true);
    }
    let broken = source.unpack_error();
    match &broken {
        Some(why) => common::tell("dump", format_args!("{name}: {why}")),
        None if bytes == 0 => common::tell("dump", format_args!("{name} is empty: it has no words")),
        None => {}
    }
    Ok(damaged || broken.is_some())
}

/// Prints words as text while reading them. What the input states about itself is known only at its end and is printed there.
fn pieces(dump: &mut Dump<'_>, name: &str, queue: Option<QueueId>, format: OutputFormat, mut text: TextPieces<'_>) -> io::Result<bool> {
    dump.queue(queue.map_or(Queue::Graphics, arguments::kind))?;
    dump.begin(name);
    let mut words = Vec::new();
    loop {
        match text.read(&mut words) {
            Ok(false) => break,
            Ok(true) => {
                dump.words(&words)?;
                dump.flush()?;
                words.clear();
            }
            Err(error) => {
                common::tell("dump", format_args!("{name} cannot be read to its end: {error}"));
                dump.end()?;
                return Ok(true);
            }
        }
    }
    let (input, rest) = text.end();
    dump.bytes(&rest)?;
    let damaged = dump.end()?;
    print_input_summary(dump, name, format, &input)?;
    Ok(damaged || !input.damage.is_empty())
}

/// Prints what an input is, and its damage.
fn print_input_summary(dump: &mut Dump<'_>, name: &str, format: OutputFormat, input: &Input) -> io::Result<()> {
    match format {
        OutputFormat::Json if input.is_undamaged_raw() => Ok(()),
        OutputFormat::Json => dump.record(&input.record(name)),
        OutputFormat::Text => input.lines().iter().try_for_each(|line| dump.comment(line)),
    }
}

/// Prints words that are not PM4, as comments.
fn undecoded(dump: &mut Dump<'_>, buffer: &InputBuffer) -> io::Result<()> {
    dump.comment(&format!("{}: {} dwords that are not PM4, not decoded", buffer.name, buffer.words.len()))?;
    buffer.words.chunks(8).try_for_each(|row| {
        let words: Vec<String> = row.iter().map(|word| format!("{word:08x}")).collect();
        dump.comment(&words.join(" "))
    })
}

/// Prints the buffers of an input, with what the input states about itself.
fn whole(dump: &mut Dump<'_>, name: &str, (queue, ring): (Option<QueueId>, bool), format: OutputFormat, input: &Input) -> io::Result<bool> {
    print_input_summary(dump, name, format, input)?;
    let mut damaged = !input.damage.is_empty();
    for buffer in &input.buffers {
        if buffer.usage == BufferUse::OtherEngine {
            undecoded(dump, buffer)?;
            continue;
        }
        let own = buffer.queue.unwrap_or(Queue::Graphics);
        dump.queue(queue.map_or(own, arguments::kind))?;
        dump.ring(ring || matches!(buffer.usage, BufferUse::Ring | BufferUse::NotExecuted));
        if !buffer.name.is_empty() {
            dump.comment(&buffer.name)?;
        }
        dump.begin(&called(name, buffer));
        dump.unknown(&buffer.unknown);
        dump.words(&buffer.words)?;
        dump.bytes(&buffer.trailing_bytes)?;
        damaged |= dump.end()?;
    }
    Ok(damaged)
}
