//! Builds a draw, executes it on the command-processor model, and runs an ordered section on simulated packers with the registers that the model saw.

use crate::common::arguments::{self, Color, Format};
use crate::common::output::{Output, Paging};
use crate::common::pages::PageFile;
use crate::common::{self, Program};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, DrawView, Observer};
use pm4::draw::{DrawDesc, Interlock, PipelineDesc, PixelShader, Recorder};
use pm4::isa;
use pm4::packet::{Queue, Stream};
use pm4::report;
use pm4::report::html::WavesPage;
use pm4::waves::{self, Axiom, ForcedField, InterlockScope, Mutation, Report, RunOptions, Section, Setup, WaveEvent, WaveFinding, WaveName, WaveObserver};
use serde_json::json;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run the POPS ordered section on simulated packers.
///
/// Exit status: 0 if the run broke no order and no wave hung, 1 if the run found a mistake, 2 for bad arguments or a draw that the chip does not support.
/// Errors and warnings found in the program without running it are printed and do not change the status.
#[derive(Parser)]
#[command(name = "waves")]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    chip: Chip,
    /// Coverage samples: 1, 2, 4 or 8
    #[arg(long, default_value_t = 1)]
    samples: u32,
    /// Fragment shader interlock: none, pixel-ordered, pixel-unordered, sample-ordered, sample-unordered
    #[arg(long, value_parser = arguments::named::<Interlock>, default_value = "pixel-ordered")]
    interlock: Interlock,
    /// Number of waves to launch over all packers: 1 to 10000000
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    waves: u64,
    /// Seed for all choices that hardware makes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Id of the first wave of each packer; shaders see the low 10 bits
    #[arg(long, default_value_t = 0, value_name = "ID")]
    start_id: u32,
    /// Put this known mistake into the shader or the draw; see --list-mutations
    #[arg(long, value_name = "NAME")]
    mutate: Option<String>,
    /// List the mistakes, what each breaks, and the verdict expected on the chip
    #[arg(long, conflicts_with = "mutate")]
    list_mutations: bool,
    /// Write a page to this file in addition to the other output: waves, accesses and pixels, step by step
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    paging: Paging,
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi10 --samples 4 --interlock sample-ordered", "a correct ordered section"),
        ("{} --list-mutations", "known mistakes"),
        ("{} --chip navi10 --mutate no-overlap-test", "the effect of a mistake"),
        ("{} --chip navi31 --waves 200 --html waves.html", "step through it in a browser"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let work = if arguments.list_mutations { Ok(Work::List) } else { prepare(&arguments).map(Work::Run) };
    let work = match work {
        Ok(work) => work,
        Err(error) => return common::fail("waves", error),
    };
    let mut out = BufWriter::with_capacity(1 << 16, Output::open(arguments.paging, Color::Never, arguments.format.into()));
    let found = match &work {
        Work::List => list(&arguments, &mut out).map(|()| false),
        Work::Run(case) => page(&arguments, case).and_then(|()| print(&arguments, case, &mut out)).map(|clean| !clean),
    };
    common::finish("waves", found.and_then(|found| out.flush().map(|()| found)))
}

enum Work {
    List,
    Run(Case),
}

/// The effect of the drain.
const DRAINED: &str = "a wave is launched after those that it overlaps have ended, whatever its shader waits for.";

/// A draw and a shader, ready to run.
struct Case {
    setup: Setup,
    words: Vec<u32>,
    mutation: Option<&'static Mutation>,
    /// Registers that the mutation changed, as text.
    changes: Vec<String>,
    options: RunOptions,
}

/// The configuration from a draw of a stream, and the fields that a mutation changes.
struct Seen {
    scope: InterlockScope,
    mutation: Option<&'static Mutation>,
    setup: Option<Setup>,
    dword: usize,
    /// Address, new value and description.
    writes: Vec<(u32, u32, String)>,
}

impl Observer for Seen {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.setup = Some(waves::setup(view, self.scope));
        self.dword = view.place().dword as usize;
        let exposed = view.exposed_samples_log2().map_or(0, |field| field.value());
        for change in self.mutation.iter().flat_map(|m| m.fields()) {
            let Some(field) = view.field(change.register, change.field) else { continue };
            let value = match change.value {
                ForcedField::Is(value) => value,
                ForcedField::ExposedSamples => exposed,
            };
            let addr = field.register.addr();
            // Several fields of one register become a single write.
            let before = self.writes.iter().find(|w| w.0 == addr).map_or(field.word, |w| w.1);
            let word = before & !field.field.mask() | value << field.field.lo & field.field.mask();
            self.writes.retain(|w| w.0 != addr);
            self.writes.push((addr, word, format!("{}.{} = {value}", change.register, change.field)));
        }
    }
}

/// Executes a stream on the model and examines its draw.
fn execute(chip: Chip, words: &[u32], scope: InterlockScope, mutation: Option<&'static Mutation>) -> Seen {
    let mut seen = Seen { scope, mutation, setup: None, dword: 0, writes: Vec::new() };
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", words);
    cp.run(&mut seen);
    seen
}

fn prepare(arguments: &Arguments) -> Result<Case, Box<dyn Error>> {
    let (chip, interlock) = (arguments.chip, arguments.interlock);
    let mutation = match &arguments.mutate {
        None => None,
        Some(name) => {
            let found = Mutation::find(name).ok_or_else(|| format!("there is no mutation {name}: --list-mutations prints those of the chip"))?;
            found
                .verdict(chip.gfx(), &waves::axioms(chip))
                .ok_or_else(|| format!("the mutation {name} does not exist on {chip}: --list-mutations prints those of the chip"))?;
            Some(found)
        }
    };
    let scope = match interlock {
        Interlock::None => InterlockScope::NoInterlock,
        mode if mode.is_per_sample() => InterlockScope::Sample,
        _ => InterlockScope::Pixel,
    };
    let shader = Some(PixelShader { writes_memory: interlock.is_declared(), ..PixelShader::default() });
    let draw = DrawDesc::from(PipelineDesc { shader, interlock, samples: arguments.samples, ..PipelineDesc::default() });
    let mut recorder = Recorder::new(chip);
    recorder.begin()?;
    recorder.draw(&draw.resolve(chip)?)?;
    let mut stream = recorder.finish()?;
    let seen = execute(chip, &stream, scope, mutation);
    let mut setup = seen.setup.ok_or("the model executed no draw")?;
    // The shader is built for the draw before the mutation.
    let section = Section::of(&setup);
    let words = mutation.map_or_else(|| section.words(), |m| m.program(&section))?;
    if !seen.writes.is_empty() {
        let mut writer = Stream::growable(chip.gfx(), Queue::Graphics);
        for (addr, value, _) in &seen.writes {
            writer.set_reg(*addr, *value)?;
        }
        stream.splice(seen.dword..seen.dword, writer.into_buffer());
        setup = execute(chip, &stream, scope, None).setup.ok_or("the model executed no draw")?;
    }
    let options = RunOptions { waves: arguments.waves, seed: arguments.seed, start_id: arguments.start_id };
    Ok(Case { setup, words, mutation, changes: seen.writes.into_iter().map(|w| w.2).collect(), options })
}

fn list(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let (gfx, axioms) = (arguments.chip.gfx(), waves::axioms(arguments.chip));
    for mutation in waves::MUTATIONS {
        let Some(verdict) = mutation.verdict(gfx, &axioms) else { continue };
        match arguments.format {
            Format::Text => writeln!(out, "{:28} {}: {verdict}", mutation.name, mutation.breaks)?,
            Format::Json => {
                writeln!(out, "{}", json!({ "type": "mutation", "name": mutation.name, "breaks": mutation.breaks, "verdict": verdict.to_string() }))?;
            }
        }
    }
    if arguments.format == Format::Text && axioms.contains(&Axiom::MissedOverlap) {
        writeln!(out, "\nWith 8 samples this chip has the drain on: {DRAINED}")?;
    }
    Ok(())
}

/// Writes the page if requested.
fn page(arguments: &Arguments, case: &Case) -> io::Result<()> {
    let Some(path) = &arguments.html else { return Ok(()) };
    let file = PageFile::create(path)?;
    let mut about = vec![format!("{} interlock", arguments.interlock), format!("seed {}", arguments.seed)];
    about.extend(case.mutation.map(|mutation| format!("mutation {}: {}", mutation.name, mutation.breaks)));
    about.extend(case.changes.iter().cloned());
    let page = WavesPage { chip: arguments.chip, setup: &case.setup, words: &case.words, options: case.options, about: &about };
    file.write(|out| page.write(out))
}

/// Runs and prints; returns whether nothing was found.
fn print(arguments: &Arguments, case: &Case, out: &mut impl Write) -> io::Result<bool> {
    if arguments.format == Format::Json {
        let report = waves::run(&case.setup, &case.words, case.options);
        report::wave_result(out, &report)?;
        return Ok(report.is_clean());
    }
    introduce(arguments, case, out)?;
    let report = waves::run(&case.setup, &case.words, case.options);
    for focus in focuses(case, &report) {
        // The same seed gives the same run, so the second run can observe the relevant waves.
        let mut timeline = Timeline { focus, pops: case.setup.pops, exports_leave: case.setup.gfx.major() >= 11, events: Vec::new() };
        waves::run_observed(&case.setup, &case.words, case.options, &mut timeline);
        timeline.print(out)?;
    }
    writeln!(
        out,
        "\nwaves: {}, overlapping: {}; violations: {}, hung waves: {}, protocol errors: {}",
        report.waves, report.overlapped, report.violations, report.hung_waves, report.protocol_errors
    )?;
    for finding in &report.findings {
        writeln!(out, "  {}", finding.to_string().replace("; ", "\n      "))?;
    }
    if let Some(mutation) = case.mutation {
        let verdict = mutation.verdict(arguments.chip.gfx(), &waves::axioms(arguments.chip));
        let held = verdict.is_some_and(|v| v.holds(&report));
        writeln!(
            out,
            "expected of {}: {}, {}",
            mutation.name,
            verdict.map_or_else(String::new, |v| v.to_string()),
            if held { "which this run shows" } else { "which this run does not show" }
        )?;
        if !held && case.setup.drain {
            writeln!(out, "the drain is on: {DRAINED}")?;
        }
    }
    Ok(report.is_clean())
}

/// Prints the draw, its registers in words, and the program.
fn introduce(arguments: &Arguments, case: &Case, out: &mut impl Write) -> io::Result<()> {
    let setup = &case.setup;
    let granularity = if setup.overlap_log2 == 0 { "pixels".to_owned() } else { format!("{} samples", 1 << setup.overlap_log2) };
    writeln!(
        out,
        "{} {} {}x: POPS {}, {} packers, waves of {} lanes, overlap by {granularity}, drain {}, export space {}",
        arguments.chip,
        arguments.interlock,
        1 << setup.samples_log2,
        on_off(setup.pops),
        setup.packers,
        setup.wave.lanes(),
        on_off(setup.drain),
        on_off(setup.export_space)
    )?;
    if let Some(sgpr) = setup.arguments.collision_sgpr() {
        writeln!(out, "COLLISION_WAVEID in s{sgpr}")?;
    }
    if let Some(mutation) = case.mutation {
        writeln!(out, "mutation {}: {}", mutation.name, mutation.breaks)?;
        case.changes.iter().try_for_each(|change| writeln!(out, "  {change}"))?;
    }
    writeln!(out, "\n{}", isa::disassemble(setup.gfx, &case.words))?;
    for lint in waves::lint(setup, &case.words) {
        writeln!(out, "{lint}")?;
    }
    Ok(())
}

const fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// The waves of one packer to show.
#[derive(Clone, Copy)]
struct Focus {
    packer: u8,
    first: u32,
    rows: u32,
}

/// Rows and columns of a timeline: usual and maximum number of waves, waves before the most important one, and columns.
const ROWS: u32 = 10;
const MOST_ROWS: u32 = 24;
const BEFORE: u32 = 6;
const COLUMNS: usize = 110;

/// Returns where something first went wrong, or the first overlapping waves of two packers.
fn focuses(case: &Case, report: &Report) -> Vec<Focus> {
    let usual = |packer, wave: u32| Focus { packer, first: wave.saturating_sub(BEFORE), rows: ROWS };
    let broken = report.findings.iter().find_map(|finding| match finding {
        // Both waves, and those between them.
        WaveFinding::Violation(v) => {
            let first = v.older.number.saturating_sub(1);
            Some(Focus { packer: v.older.packer, first, rows: (v.younger.number.saturating_sub(first) + 2).clamp(ROWS, MOST_ROWS) })
        }
        WaveFinding::Hang(hang) => hang.waiting.first().map(|w| w.on.unwrap_or(w.wave)).map(|w| usual(w.packer, w.number)),
        WaveFinding::Protocol(_) => None,
    });
    let mistaken =
        report.findings.iter().find_map(|f| if let WaveFinding::Protocol(error) = f { Some(usual(error.wave.packer, error.wave.number)) } else { None });
    if let Some(focus) = broken.or(mistaken) {
        return vec![focus];
    }
    let mut overlaps = Overlaps::default();
    waves::run_observed(&case.setup, &case.words, case.options, &mut overlaps);
    (0..case.setup.packers.min(2)).map(|packer| usual(packer, overlaps.0[usize::from(packer & 3)].unwrap_or(0))).collect()
}

/// The first overlapping wave of each packer.
#[derive(Default)]
struct Overlaps([Option<u32>; 4]);

impl WaveObserver for Overlaps {
    fn event(&mut self, _time: u64, wave: WaveName, event: WaveEvent) {
        if let (WaveEvent::Launch { newest: Some(_), .. }, Some(first)) = (event, self.0.get_mut(usize::from(wave.packer))) {
            first.get_or_insert(wave.number);
        }
    }
}

struct Timeline {
    focus: Focus,
    /// Whether the draw has an ordered section.
    pops: bool,
    /// Whether exports with DONE leave the section: GFX11 and later.
    exports_leave: bool,
    events: Vec<(WaveName, WaveEvent)>,
}

impl WaveObserver for Timeline {
    fn event(&mut self, _time: u64, wave: WaveName, event: WaveEvent) {
        let rows = self.focus.first..self.focus.first + self.focus.rows;
        if wave.packer == self.focus.packer && rows.contains(&wave.number) {
            self.events.push((wave, event));
        }
    }
}

impl Timeline {
    /// Prints one row per wave and one column per event.
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        // Without POPS, only exports of GFX11 and later have it, and messages of a section whose draw disables POPS.
        let has_done = self.events.iter().any(|(_, event)| matches!(event, WaveEvent::Done));
        let done = match self.exports_leave {
            _ if self.pops => " D leaves the section, - after it,",
            true => " D exports with DONE, - after it,",
            false if has_done => " D sends ORDERED_PS_DONE, - after it,",
            false => "",
        };
        writeln!(out, "\npacker {}: L launch, . runs, z sleeps, r reads, w writes,{done} E end", self.focus.packer)?;
        let mut rows: Vec<(WaveName, Vec<u8>, u8, Option<u32>)> = Vec::new();
        let (mut column, mut asleep) = (0, usize::MAX);
        for (wave, event) in &self.events {
            let index = rows.iter().position(|row| row.0 == *wave).unwrap_or_else(|| {
                rows.push((*wave, Vec::new(), b' ', None));
                rows.len() - 1
            });
            let (mark, after) = match event {
                WaveEvent::Launch { newest, .. } => {
                    rows[index].3 = *newest;
                    (b'L', b'.')
                }
                WaveEvent::Sleep => (b'z', b'z'),
                WaveEvent::Wake => (b'.', b'.'),
                WaveEvent::Access { write } => (if *write { b'w' } else { b'r' }, rows[index].2),
                WaveEvent::Done => (b'D', b'-'),
                WaveEvent::End => (b'E', b' '),
            };
            // A wave that wakes up and sleeps again gets no new column.
            let dull = matches!(event, WaveEvent::Sleep | WaveEvent::Wake) && asleep == index;
            asleep = if matches!(event, WaveEvent::Sleep | WaveEvent::Wake) { index } else { usize::MAX };
            rows[index].2 = after;
            if dull || column >= COLUMNS {
                continue;
            }
            for (n, row) in rows.iter_mut().enumerate() {
                let fill = if n == index { mark } else { row.2 };
                row.1.resize(column, b' ');
                row.1.push(fill);
            }
            column += 1;
        }
        for (wave, cells, _, newest) in &rows {
            let overlap = newest.map_or_else(String::new, |n| format!("  overlaps up to {}.{n}", wave.packer));
            writeln!(
                out,
                "  {:>9} id {:>4} |{:width$}|{overlap}",
                format!("{}.{}", wave.packer, wave.number),
                wave.id,
                String::from_utf8_lossy(cells),
                width = column
            )?;
        }
        Ok(())
    }
}
