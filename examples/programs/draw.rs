//! Describes a draw, resolves it for a chip, records the command buffer, and runs it on the command-processor model.

use crate::common;
use crate::common::arguments::{Color, Format};
use crate::common::output::{Output, Paging};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::draw::{Reasons, RegisterImage};
use pm4::packet::{Queue, Reader};
use pm4::regs;
use pm4::report::{self, PacketJson, PacketText, ReportOptions};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[path = "../common/one_draw.rs"]
mod one_draw;

use one_draw::{Built, CommandBuffer, OneDraw};

/// Build the command buffer of one draw, run it on the command-processor model, and print both.
///
/// Exit status: 0 on success, 1 if the model reports an error, 2 for bad arguments or a draw that the chip does not support.
#[derive(Parser)]
#[command(name = "draw")]
struct Arguments {
    #[command(flatten)]
    draw: OneDraw,
    /// Also write the command buffer to this file; the command buffer of a task shader goes to FILE.task
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the reason for each field
    #[arg(long)]
    explain: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    paging: Paging,
}

/// The program.
pub const PROGRAM: common::Program = common::Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip vega10 --samples 8 --interlock sample-ordered --explain", "the reason for each field"),
        ("{} --chip navi31 --out draw.bin", "the command buffer"),
        ("{} --chip navi21 --interlock none --stages tess+gs --legacy-geometry", "other stages"),
        ("{} --chip navi31 --interlock none --stages task+mesh --indirect", "a task shader and a mesh shader, with the number of workgroups in memory"),
        ("{} --chip gfx1201 --interlock none --depth d32 --hiz --rate-image --clip-planes 2 --explain", "metadata, rates and clip planes"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let built = match arguments.draw.build() {
        Ok(built) => built,
        Err(error) => return common::fail("draw", error),
    };
    if let Some(path) = &arguments.out {
        for (at, buffer) in built.buffers.iter().enumerate() {
            let path = if at == 0 { path.clone() } else { PathBuf::from(format!("{}.{}", path.display(), buffer.name)) };
            if let Err(error) = report::NewFile::write_all(&path, &buffer.words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()) {
                return common::fail("draw", format_args!("{}: {error}", path.display()));
            }
        }
    }
    common::finish("draw", print(&arguments, &built))
}

/// Prints everything; returns whether the model found an error.
fn print(arguments: &Arguments, built: &Built) -> io::Result<bool> {
    let output = Output::open(arguments.paging, Color::Auto, arguments.format.into());
    let (colour, chip) = (output.color(), arguments.draw.chip);
    let mut out = BufWriter::with_capacity(1 << 16, output);
    let mut text = String::new();
    match arguments.format {
        Format::Json => {
            built.buffers.iter().for_each(|buffer| packet_records(chip, buffer, &mut text));
            if arguments.explain {
                built.explained.iter().for_each(|(reasons, _)| explain_records(reasons, &mut text));
            }
        }
        Format::Text => {
            headline(&arguments.draw, built, &mut text);
            if arguments.explain {
                built.explained.iter().for_each(|(reasons, image)| explain_text(chip, image, reasons, &mut text));
            }
            for buffer in &built.buffers {
                if built.buffers.len() > 1 {
                    let queue = if buffer.queue == Queue::Compute { "compute" } else { "graphics" };
                    let _ = writeln!(text, "{}, on the {queue} queue:", buffer.name);
                }
                packet_text(chip, buffer, colour, &mut text);
                text.push('\n');
            }
        }
    }
    out.write_all(text.as_bytes())?;
    let mut cp = CommandProcessor::new(chip);
    cp.relaxed_order(arguments.draw.relaxed_order);
    for (name, addr, words) in &built.contents {
        cp.map(name, *addr, words);
    }
    for buffer in &built.buffers {
        cp.submit(buffer.queue, buffer.name, &buffer.words);
    }
    let summary = report::run(&mut out, &mut cp, &[], ReportOptions { format: arguments.format.into(), color: colour, ..ReportOptions::default() })?;
    out.flush()?;
    Ok(summary.errors > 0)
}

fn packet_records(chip: Chip, buffer: &CommandBuffer, text: &mut String) {
    let records = PacketJson::new(buffer.name, chip.gfx(), buffer.queue);
    for packet in Reader::new(&buffer.words).flatten() {
        records.packet(text, &packet);
    }
}

fn packet_text(chip: Chip, buffer: &CommandBuffer, colour: bool, text: &mut String) {
    let mut lines = PacketText::new(chip.gfx(), buffer.queue).color(colour);
    for packet in Reader::new(&buffer.words).flatten() {
        lines.packet(text, &packet);
    }
}

fn explain_records(reasons: &Reasons, text: &mut String) {
    for reason in reasons.iter() {
        let record = serde_json::json!({ "type": "explain", "register": reason.register, "field": reason.field, "value": reason.value, "rule": reason.rule });
        let _ = writeln!(text, "{record}");
    }
}

fn headline(draw: &OneDraw, built: &Built, text: &mut String) {
    let info = draw.chip.info();
    let dwords: usize = built.buffers.iter().map(|buffer| buffer.words.len()).sum();
    let colors: Vec<String> = draw.color.0.iter().map(ToString::to_string).collect();
    let colors = if colors.is_empty() { "no colour".to_owned() } else { colors.join(" + ") };
    let depth = match draw.depth.0 {
        None => "no depth".to_owned(),
        Some((format, samples)) => format!("{format} {}x", samples.unwrap_or(draw.samples)),
    };
    let interlock = if draw.interlock.is_declared() { format!("{} interlock", draw.interlock) } else { "no interlock".to_owned() };
    let _ = writeln!(text, "{} ({}, {}): {}x, {interlock}, {colors}, {depth}: {} dwords\n", info.name, info.gfx, info.llvm, draw.samples, dwords);
}

fn explain_text(chip: Chip, image: &RegisterImage, reasons: &Reasons, text: &mut String) {
    let gfx = chip.gfx();
    let mut addr = 0;
    for reason in reasons.iter() {
        let Some(register) = regs::lookup(gfx, reason.addr) else { continue };
        if reason.addr != addr {
            addr = reason.addr;
            let _ = writeln!(text, "{register} = 0x{:08x}", image.get(addr).unwrap_or_default());
        }
        let value = register.info().field(reason.field).map_or_else(|| reason.value.to_string(), |field| field.display(reason.value).to_string());
        let _ = writeln!(text, "    {:<39} {value:<24} {}", reason.field, reason.rule);
    }
    text.push('\n');
}
