//! Builds a frame of several passes with barriers between them, and runs it on the command-processor model.

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

/// Build the command buffer of a frame, run it on the command-processor model, and print both.
///
/// The frame consists of a dispatch that writes draw arguments, a shadow pass, an opaque pass with 4 samples and hundreds of draws of several materials, a pass
/// with an ordered section (POPS), a composition, an interface in a secondary command buffer, and a fence with an interrupt, with barriers between them.
///
/// Exit status: 0 on success, 1 if the model reports an error, 2 for bad arguments or a frame that the chip does not support.
#[derive(Parser)]
#[command(name = "frame")]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    chip: Chip,
    /// Also write the command buffer to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the submission to this file as a manifest (docs/manifest.md) for check --manifest
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Print the reasons for the packets of each barrier
    #[arg(long)]
    explain: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// When to colour text
    #[arg(long, value_enum, default_value_t)]
    color: Color,
    #[command(flatten)]
    paging: Paging,
}

/// The name of the stream in records.
const STREAM: &str = "frame";

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31 --explain", "the reasons for the packets of each barrier"),
        ("{} --chip vega10 --out frame.bin", "the command buffer"),
        ("{} --manifest frame.jsonl", "the complete submission, for check --manifest"),
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

/// Returns the frame as a submission with all its memory.
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

/// Prints everything; returns whether the model found an error.
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

/// Returns the steps of a barrier and their reasons.
fn reasons(chip: Chip, part: &Part) -> impl Iterator<Item = (String, String)> {
    let steps = part.plan.iter().flat_map(|plan| &plan.steps);
    steps.map(move |step| (step.action.describe(chip.gfx()), step.why.join("; ")))
}
