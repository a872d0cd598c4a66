//! All example programs in one: `pm4 dump`, `pm4 check`, and so on. Their code lies in `examples/programs/`.

#[path = "../../examples/common/mod.rs"]
mod common;

#[path = "../../examples/programs/asm.rs"]
mod asm;
#[path = "../../examples/programs/check.rs"]
mod check;
#[path = "../../examples/programs/draw.rs"]
mod draw;
#[path = "../../examples/programs/draws.rs"]
mod draws;
#[path = "../../examples/programs/dump.rs"]
mod dump;
#[path = "../../examples/programs/frame.rs"]
mod frame;
#[path = "../../examples/programs/regs/mod.rs"]
mod regs;
#[path = "../../examples/programs/waves.rs"]
mod waves;

use clap::Command;
use common::Program;
use std::process::ExitCode;

/// In the order in which the help lists them: what reads streams, what writes them, what explains.
const PROGRAMS: [Program; 8] = [dump::PROGRAM, check::PROGRAM, asm::PROGRAM, draw::PROGRAM, frame::PROGRAM, draws::PROGRAM, regs::PROGRAM, waves::PROGRAM];

fn main() -> ExitCode {
    let command = Command::new("pm4")
        .version(env!("CARGO_PKG_VERSION"))
        .about("PM4 command streams, registers and ordered sections of AMD GPUs: decode, check, build, look up")
        .subcommand_required(true)
        .arg_required_else_help(true);
    let mut command = PROGRAMS.iter().fold(command, |command, program| command.subcommand(program.command("pm4 ")));
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => return common::usage(&error),
    };
    let chosen = matches.subcommand().and_then(|(name, matches)| {
        let program = PROGRAMS.iter().find(|program| (program.command)().get_name() == name)?;
        Some((program.run)(command.find_subcommand_mut(name)?, matches))
    });
    chosen.unwrap_or(ExitCode::from(2))
}
