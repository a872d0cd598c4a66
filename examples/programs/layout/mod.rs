//! Computes image layouts from requests in JSON Lines: swizzle modes, pitches, levels, metadata and addresses.

mod requests;

use crate::common::{self, Program, arguments};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::layout::AddressConfig;
use pm4::report::{OutputFormat, ShownOutput};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compute image layouts as Mesa does: swizzle mode, pitch, levels, sizes and metadata, or the address of an element.
#[derive(Parser)]
#[command(name = "layout", after_help = AFTER_HELP)]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip)]
    chip: Chip,

    /// GB_ADDR_CONFIG of the board as reported by the kernel, instead of the chip's default
    #[arg(long, value_name = "0x…", value_parser = register)]
    addr_config: Option<u32>,

    /// Requests as JSON Lines; `-` is standard input
    #[arg(long, value_name = "FILE")]
    requests: PathBuf,
}

const AFTER_HELP: &str = "\
A request for a layout has kind (1d, 1da, 2d, 2da, 3d, cube), usage, fmt (bits of a texel, or bc1 to bc7), w, h, d, layers, levels, samples, storage_samples,
force_sw (number of a swizzle mode, or -1) and surf_index. Usages: tex, tex4k, tex64k, lin, rt, rtshare, rtnodcc, rtnofmask, disp, prt, force; z, ztc, znoh, zs, zstc, s
for depth and stencil; video, vrs.
For example: {\"kind\":\"2d\",\"usage\":\"rt\",\"fmt\":32,\"w\":1920,\"h\":1080}
A request for an address has dim (1d, 2d, 3d), sw, bpe (bytes), w, h, d, levels, samples, pbx (tile swizzle), x, y, z, sample, mip. Sizes and coordinates are in elements.
For example: {\"dim\":\"2d\",\"sw\":27,\"bpe\":4,\"w\":256,\"h\":256,\"x\":3,\"y\":5}
A request for an address in metadata has kind (dcc, htile, cmask), sw, bpe, w, h, slices, samples, pipe_aligned, pipe_xor, x, y, z, sample; in texels.
The answer is one object per request; {\"error\"} where the chip cannot have it.
Exit status: 0 all answered, 1 a request was refused, 2 bad arguments, or a file that cannot be read.";

fn register(text: &str) -> Result<u32, String> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = hex.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    value.map_err(|_| "write 0x… or a decimal number of 32 bits".to_owned())
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip navi31 --requests images.jsonl", "the layouts of the images in a file"),
        ("{} --chip navi21 --addr-config 0x545 --requests elements.jsonl", "addresses of elements, on a board"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let config = match arguments.addr_config.map_or_else(|| Ok(arguments.chip.into()), |value| AddressConfig::from_register(arguments.chip, value)) {
        Ok(config) => config,
        Err(error) => return common::fail("layout", error),
    };
    let requests: Box<dyn BufRead> = if arguments.requests == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        match File::open(&arguments.requests) {
            Ok(file) => Box::new(BufReader::new(file)),
            Err(error) => return common::fail("layout", format_args!("{}: {error}", arguments.requests.display())),
        }
    };
    let mut out = BufWriter::new(ShownOutput::new(io::stdout().lock(), OutputFormat::Json, false));
    let mut refused = false;
    for line in requests.split(b'\n') {
        let line = match line {
            Ok(line) => line,
            Err(error) => return common::fail("layout", format_args!("{}: {error}", arguments.requests.display())),
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice::<Value>(&line) {
            Ok(request) => requests::answer(&config, &request),
            Err(error) => json!({ "error": format!("not JSON: {error}") }),
        };
        refused |= answer.get("error").is_some();
        if let Err(error) = writeln!(out, "{answer}") {
            return common::finish("layout", Err(error));
        }
    }
    common::finish("layout", out.flush().map(|()| refused))
}
