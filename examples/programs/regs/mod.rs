//! Looks up registers: the 32 bits, and the fields and values of all generations compared.

mod drawing;
mod json;
mod page;
mod select;
mod style;
mod text;

use crate::common::arguments::{Color, Format};
use crate::common::output::{Output, Paging};
use crate::common::{self, Program};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::{Chip, Gfx};
use pm4::report;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use strum::IntoEnumIterator;

/// Look up registers: bits, fields, values, addresses, and differences between the generations.
#[derive(Parser)]
#[command(name = "regs", after_help = AFTER_HELP)]
struct Args {
    /// Generation: gfx9, gfx10, gfx103, gfx11, gfx115, gfx12 or all.
    #[arg(long, default_value = "all", value_parser = generations)]
    gfx: Generations,

    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// When to colour text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,

    #[command(flatten)]
    paging: Paging,

    /// Write the manual of all registers, packets and rules to a folder, as HTML pages; index.html is the first.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["pattern", "gfx", "format"])]
    html: Option<PathBuf>,

    /// Name, part of a name, name with * and ?, or address [default: everything].
    pattern: Option<String>,
}

const AFTER_HELP: &str = "\
A PATTERN that is a whole name shows just that: a register (DB_Z_INFO), an alias, an element of an array (CB_COLOR3_INFO) or a value list (ZOrder).
Otherwise it finds everything whose name contains PATTERN; with * or ?, everything whose whole name matches. Case does not matter.
If no name matches, field names are searched (Z_ORDER, DB_SHADER_CONTROL.KILL).
An address is written 0x2880c and is in bytes.
Exit status: 0 found, 2 nothing found or bad arguments.";

#[derive(Clone)]
struct Generations(Vec<Gfx>);

fn generations(name: &str) -> Result<Generations, String> {
    if name.eq_ignore_ascii_case("all") {
        return Ok(Generations(Gfx::iter().collect()));
    }
    name.parse().map(|gfx| Generations(vec![gfx])).map_err(|_| {
        let known: Vec<&str> = Gfx::iter().map(Into::into).collect();
        let possible = format!("possible values: {}, all", known.join(", "));
        name.parse().map_or(possible.clone(), |chip: Chip| format!("{chip} is a chip, of the generation {}; {possible}", chip.gfx()))
    })
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Args::command,
    run,
    examples: &[
        ("{} DB_SHADER_CONTROL", "one register, with all generations compared"),
        ("{} --gfx gfx11 0x2880c", "the register at an address"),
        ("{} --format json 'CB_COLOR*_INFO'", "as JSON"),
        ("{} --html manual", "the manual of all registers"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let args = match Args::from_arg_matches(matches) {
        Ok(args) => args,
        Err(error) => return common::usage(&error),
    };
    if let Some(folder) = &args.html {
        return common::finish("regs", manual(folder).map(|()| false));
    }
    let found = match select::select(&args.gfx.0, args.pattern.as_deref()) {
        Ok(found) => found,
        Err(message) => return common::fail("regs", message),
    };
    common::finish("regs", print(&args, &found).map(|()| false))
}

/// Writes the manual and prints the path of its first page.
fn manual(folder: &Path) -> io::Result<()> {
    let pages = report::html::write_manual(folder).map_err(|error| io::Error::other(format!("{}: {error}", folder.display())))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{pages} pages; the first is {}", folder.join("index.html").display())?;
    out.flush()
}

fn print(args: &Args, found: &select::Selection) -> io::Result<()> {
    let output = Output::open(args.paging, args.color, args.format.into());
    let styles = style::Styles::colored(output.color());
    let mut out = BufWriter::new(output);
    match args.format {
        Format::Json => json::print(&mut out, found)?,
        Format::Text => text::print(&mut out, styles, &args.gfx.0, found)?,
    }
    out.flush()
}
