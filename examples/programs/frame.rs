//! Builds a frame of several passes with the barriers between them, and runs it through the command-processor model.

use crate::common::arguments::{self, Color, Format};
use crate::common::output::{Output, Paging};
use crate::common::{self, Program};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, QueueId};
use pm4::packet::{Queue, Reader};
use pm4::report::{self, Manifest, ManifestStep, PacketJson, PacketText, ReportOptions, WordSource};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[path = "../common/frame.rs"]
mod scene;

use scene::{Frame, Part};

/// Build the command buffer of a frame, run it through the command-processor model, and print both.
///
/// The frame has a dispatch that writes draw arguments, a shadow pass, an opaque pass in 4 samples with hundreds of draws of several materials, a pass with an
/// ordered section (POPS), a composition, an interface that is a secondary command buffer, and a fence with an interrupt, with barriers between them.
///
/// Exit status: 0 fine, 1 the model reports an error, 2 bad arguments or a frame that the chip does not support.
#[derive(Parser)]
#[command(name = "frame")]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    chip: Chip,
    /// Write the command buffer to this file as well
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the submission to this file as a manifest (docs/manifest.md), which check --manifest runs
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Print why each barrier has its packets
    #[arg(long)]
    explain: bool,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// When text is coloured
    #[arg(long, value_enum, default_value_t)]
    color: Color,
    #[command(flatten)]
    paging: Paging,
}

/// The name under which the stream appears in records.
const STREAM: &str = "frame";

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31 --explain", "why each barrier has its packets"),
        ("{} --chip vega10 --out frame.bin", "the command buffer"),
        ("{} --manifest frame.jsonl", "the whole submission, for check --manifest"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let frame = match scene::frame(arguments.chip) {
        Ok(frame) => frame,
        Err(error) => return common::fail("frame", error),
    };
    if let Some(path) = &arguments.out
        && let Err(error) = report::NewFile::write_all(path, &frame.words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
    {
        return common::fail("frame", format_args!("{}: {error}", path.display()));
    }
    if let Some(path) = &arguments.manifest
        && let Err(error) = report::NewFile::write_all(path, manifest(arguments.chip, &frame).to_string().as_bytes())
    {
        return common::fail("frame", format_args!("{}: {error}", path.display()));
    }
    common::finish("frame", print(&arguments, &frame))
}

/// The frame as a submission with all its memory.
fn manifest(chip: Chip, frame: &Frame) -> Manifest {
    let memory = frame.memory().into_iter().map(|(name, addr, words)| ManifestStep::Memory {
        name: Some(name.to_owned()),
        words: WordSource::Words(words),
        addr,
        read_only: false,
    });
    let main = ManifestStep::Submit {
        name: Some(STREAM.to_owned()),
        queue: QueueId::GRAPHICS,
        words: WordSource::Words(frame.words.clone()),
        addr: None,
        ring: false,
    };
    Manifest { steps: memory.chain([main]).collect(), ..Manifest::new(chip) }
}

/// Prints everything; whether the model found an error.
fn print(arguments: &Arguments, frame: &Frame) -> io::Result<bool> {
    let output = Output::open(arguments.paging, arguments.color, arguments.format.into());
    let colour = output.color();
    let mut out = BufWriter::with_capacity(1 << 16, output);
    let mut text = String::new();
    match arguments.format {
        Format::Json => records(arguments, frame, &mut text),
        Format::Text => lines(arguments, frame, colour, &mut text),
    }
    out.write_all(text.as_bytes())?;
    let memory = frame.memory();
    let mut cp = CommandProcessor::new(arguments.chip);
    for (name, addr, words) in &memory {
        cp.map(name, *addr, words);
    }
    cp.submit(Queue::Graphics, STREAM, &frame.words);
    let summary = report::run(&mut out, &mut cp, &[], ReportOptions { format: arguments.format.into(), color: colour, ..ReportOptions::default() })?;
    out.flush()?;
    Ok(summary.errors > 0)
}

fn records(arguments: &Arguments, frame: &Frame, text: &mut String) {
    let records = PacketJson::new(STREAM, arguments.chip.gfx(), Queue::Graphics);
    for packet in Reader::new(&frame.words).flatten() {
        records.packet(text, &packet);
    }
    if arguments.explain {
        for part in &frame.parts {
            for (action, why) in reasons(arguments.chip, part) {
                let record = serde_json::json!({ "type": "explain", "part": part.name, "dword": part.dword, "action": action, "rule": why });
                let _ = writeln!(text, "{record}");
            }
        }
    }
}

fn lines(arguments: &Arguments, frame: &Frame, colour: bool, text: &mut String) {
    let info = arguments.chip.info();
    let _ = writeln!(text, "{} ({}, {}): a frame of {} dwords", info.name, info.gfx, info.llvm, frame.words.len());
    let mut lines = PacketText::new(arguments.chip.gfx(), Queue::Graphics).color(colour);
    let mut parts = frame.parts.iter().peekable();
    for packet in Reader::new(&frame.words).flatten() {
        while let Some(part) = parts.next_if(|part| part.dword <= packet.offset) {
            let _ = writeln!(text, "\n{}", part.name);
            if arguments.explain {
                for (action, why) in reasons(arguments.chip, part) {
                    let _ = writeln!(text, "    {action}: {why}");
                }
            }
        }
        lines.packet(text, &packet);
    }
    text.push('\n');
}

/// What a barrier does and why, step by step.
fn reasons(chip: Chip, part: &Part) -> impl Iterator<Item = (String, String)> {
    let steps = part.plan.iter().flat_map(|plan| &plan.steps);
    steps.map(move |step| (step.action.describe(chip.gfx()), step.why.join("; ")))
}
