//! All example programs in one: `pm4 dump`, `pm4 check`, and so on, and `pm4 watch`. Their code is in `examples/programs/`.

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
#[path = "../../examples/programs/layout/mod.rs"]
mod layout;
#[path = "../../examples/programs/regs/mod.rs"]
mod regs;
#[path = "../../examples/programs/watch/mod.rs"]
mod watch;
#[path = "../../examples/programs/waves.rs"]
mod waves;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use common::Program;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// In the order of the help: programs that read streams, that write them, that explain, and that help to install `pm4` itself.
const PROGRAMS: &[Program] = &[
    dump::PROGRAM,
    check::PROGRAM,
    watch::PROGRAM,
    asm::PROGRAM,
    draw::PROGRAM,
    frame::PROGRAM,
    draws::PROGRAM,
    layout::PROGRAM,
    regs::PROGRAM,
    waves::PROGRAM,
    LIVE,
    HARDWARE,
    COMPLETIONS,
    MAN,
];

/// Returns a command implemented by a separate program, `pm4-NAME`, whose package depends on this one. It is started like a cargo subcommand.
fn elsewhere(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).after_help(format!("Exit status: that of pm4-{name}, or 2 if it is not installed.")).disable_help_flag(true).arg(
        Arg::new("arguments")
            .value_name("ARGUMENTS")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_parser(value_parser!(OsString))
            .help(format!("The arguments of pm4-{name}; --help prints them")),
    )
}

/// Returns the arguments of such a command.
fn arguments(matches: &ArgMatches) -> Vec<OsString> {
    matches.get_many::<OsString>("arguments").into_iter().flatten().cloned().collect()
}

/// Starts such a program: the one next to this program, or the one in PATH. `folder` is the folder of its package in the repository.
fn start_elsewhere(name: &str, folder: &str, arguments: Vec<OsString>) -> ExitCode {
    let program = format!("pm4-{name}");
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(format!("{program}{}", std::env::consts::EXE_SUFFIX)));
    let program = beside.filter(|program| program.exists()).unwrap_or_else(|| program.into());
    let error = start(std::process::Command::new(&program).args(arguments));
    common::fail(name, format_args!("{} cannot be started: {error}; `cargo install --path {folder}` in the repository of pm4 installs it", program.display()))
}

const LIVE: Program = Program {
    command: || elsewhere("live", "Run a program on an emulated AMD GPU and check what its driver submits (the program pm4-live)"),
    run: |_, matches| {
        let mut arguments = arguments(matches);
        // A leading `--` is not passed on: without options, there is nothing for pm4-live to run.
        if arguments.is_empty() {
            arguments.push("--help".into());
        }
        start_elsewhere("live", "live", arguments)
    },
    examples: &[
        ("{} --chip navi31 -- vulkaninfo --summary", "list what a driver reports for a chip"),
        ("{} --chip navi21 --fail -- vkcube --c 100", "run a program and check its submissions"),
    ],
};

const HARDWARE: Program = Program {
    command: || elsewhere("hardware", "Compare the AMD GPU of this machine with the model, word by word (the program pm4-hardware)"),
    run: |_, matches| start_elsewhere("hardware", "submit", arguments(matches)),
    examples: &[("{}", "ask for consent, run all cases and print a report"), ("{} --yes --only write-data sdma-copy", "run two cases without asking")],
};

/// Replaces this process by another program; returns only if that fails.
#[cfg(unix)]
fn start(command: &mut std::process::Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Runs another program and exits with its status.
#[cfg(not(unix))]
fn start(command: &mut std::process::Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error,
    }
}

/// Prints a shell completion script.
const COMPLETIONS: Program = Program {
    command: || {
        Command::new("completions")
            .about("Print a shell completion script for pm4")
            .after_help("Exit status: 0 on success, 2 for bad arguments or if output fails.")
            .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)).help("The shell"))
    },
    run: |_, matches| {
        let Some(shell) = matches.get_one::<Shell>("shell") else { return ExitCode::from(2) };
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut whole(), "pm4", &mut script);
        let mut out = io::stdout().lock();
        common::finish("completions", out.write_all(&script).and_then(|()| out.flush()).map(|()| false))
    },
    examples: &[("{} bash > ~/.local/share/bash-completion/completions/pm4", "for bash"), ("{} fish > ~/.config/fish/completions/pm4.fish", "for fish")],
};

/// Writes manual pages.
const MAN: Program = Program {
    command: || {
        Command::new("man")
            .about("Write manual pages of pm4 and its commands to a folder")
            .after_help("Exit status: 0 on success, 2 for bad arguments or if the folder cannot be written.")
            .arg(Arg::new("folder").value_name("DIR").required(true).value_parser(value_parser!(PathBuf)).help("The folder; created if missing"))
    },
    run: |_, matches| {
        let Some(folder) = matches.get_one::<PathBuf>("folder") else { return ExitCode::from(2) };
        match std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(whole(), folder)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => common::fail("man", format_args!("{}: {error}", folder.display())),
        }
    },
    examples: &[("{} ~/.local/share/man/man1", "install them for `man pm4-check`")],
};

/// Returns `pm4` with all its commands.
fn whole() -> Command {
    let command = Command::new("pm4")
        .version(env!("CARGO_PKG_VERSION"))
        .about("PM4 command streams, registers and ordered sections of AMD GPUs: decode, check, build, look up")
        .subcommand_required(true)
        .arg_required_else_help(true);
    PROGRAMS.iter().fold(command, |command, program| command.subcommand(program.command("pm4 ")))
}

fn main() -> ExitCode {
    let mut command = whole();
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
