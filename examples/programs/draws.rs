//! Measures the cost of a draw when little changes between draws: dwords and time.

use crate::common::arguments::{self, Format};
use crate::common::{self, Program};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::draw::{DrawError, RecordError, Recorder};
use pm4::packet::Buffer;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[path = "../common/draw_cases.rs"]
mod draw_cases;
#[path = "../common/stores.rs"]
mod stores;

use draw_cases::{CASES, Case, Objects};

/// Record a sequence of draws with few changes between them, and print the cost of one draw.
///
/// Dwords per draw: the stream of 2 N draws minus the stream of N draws, divided by N. Time per draw: the best of several runs of the calls of Recorder,
/// without creating the objects. It is given in nanoseconds, and in units of the time for 50 volatile dword stores into a ring of 64 KiB.
///
/// Exit status: 0 on success, 2 for bad arguments.
#[derive(Parser)]
#[command(name = "draws")]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    chip: Chip,
    /// Measure only this case
    #[arg(long, value_parser = case)]
    case: Option<&'static Case>,
    /// Number of draws, 1 to 1000000 [default: 20000; 16 with --out]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    /// Write the command buffer of the case, including the preamble, to this file instead of measuring
    #[arg(long, value_name = "FILE", requires = "case")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Number of draws, and of those in a written buffer.
const DRAWS: u32 = 20_000;
const KEPT: u32 = 16;
/// Number of runs, of which the best counts.
const RUNS: usize = 7;

fn case(name: &str) -> Result<&'static Case, String> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| format!("possible values: {}", CASES.each_ref().map(|case| case.name).join(", ")))
}

/// A case cannot be printed.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The cost of a draw in a case.
struct Cost {
    dwords: f64,
    ns: f64,
}

/// Measures `draws` draws of a case.
fn cost(chip: Chip, case: &Objects, draws: usize) -> Result<Cost, Refused> {
    let dwords = case.dwords_per_draw(draws)?;
    // Near the end of its memory, a recorder checks more often, so there is more memory than needed.
    let mut memory = vec![1u32; case.dwords(draws)? + 4096];
    let mut upload = Objects::upload();
    let mut ns = f64::INFINITY;
    for _ in 0..RUNS {
        let mut recorder = Recorder::fixed(chip, &mut memory);
        case.begin(&mut recorder)?;
        let mut result = Ok(());
        ns = stores::best_ns(1, draws, || result = case.record(&mut recorder, &mut upload, draws)).min(ns);
        result?;
    }
    Ok(Cost { dwords, ns })
}

/// Returns the command buffer of `draws` draws.
fn stream(chip: Chip, case: &Objects, draws: usize) -> Result<Vec<u32>, Refused> {
    let mut recorder = Recorder::new(chip);
    case.begin(&mut recorder)?;
    case.record(&mut recorder, &mut Objects::upload(), draws)?;
    Ok(recorder.finish()?)
}

fn print(arguments: &Arguments, costs: &[(&Case, Cost)], unit: f64, draws: u32) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    if arguments.format == Format::Text {
        let units = format!("one unit of time is 50 stores of a dword, {unit:.1} ns here");
        writeln!(out, "{}: {draws} draws of each case; {units}; at the end: what changes from one draw to the next", arguments.chip)?;
    }
    for (case, Cost { dwords, ns }) in costs {
        let stores = ns / unit;
        match arguments.format {
            Format::Text => writeln!(out, "{:<24}{dwords:>7} dwords{ns:>9.1} ns{stores:>8.2} units   {}", case.name, case.changes)?,
            Format::Json => {
                let record = json!({
                    "type": "case",
                    "chip": arguments.chip.info().name,
                    "case": case.name,
                    "draws": draws,
                    "dwords_per_draw": dwords,
                    "ns_per_draw": ns,
                    "stores": stores,
                });
                writeln!(out, "{record}")?;
            }
        }
    }
    out.flush().map(|()| false)
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31", "all cases"),
        ("{} --chip vega10 --case scissor --format json", "one case, as JSON"),
        ("{} --case scissor --count 4 --out scissor.bin", "the command buffer of a case"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let chosen = || CASES.iter().filter(|case| arguments.case.is_none_or(|one| one.name == case.name));
    let resolved: Result<Vec<(&Case, Objects)>, DrawError> = chosen().map(|case| Ok((case, case.objects(arguments.chip)?))).collect();
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(error) => return common::fail("draws", error),
    };
    if let (Some(path), Some((_, case))) = (&arguments.out, resolved.first()) {
        let words = match stream(arguments.chip, case, arguments.count.unwrap_or(KEPT) as usize) {
            Ok(words) => words,
            Err(error) => return common::fail("draws", error),
        };
        return match pm4::report::NewFile::write_all(path, &words.words().iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => common::fail("draws", format_args!("{}: {error}", path.display())),
        };
    }
    let draws = arguments.count.unwrap_or(DRAWS);
    let unit = stores::unit_ns(RUNS);
    let costs: Result<Vec<(&Case, Cost)>, Refused> =
        resolved.iter().map(|(case, resolved)| Ok((*case, cost(arguments.chip, resolved, draws as usize)?))).collect();
    match costs {
        Ok(costs) => common::finish("draws", print(&arguments, &costs, unit, draws)),
        Err(error) => common::fail("draws", error),
    }
}
