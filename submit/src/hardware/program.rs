//! The command line of `pm4-hardware`.

use crate::device::Device;
use crate::error::Error;
use crate::hardware::case::{BYTES, Case};
use crate::hardware::cases;
use crate::hardware::judge::{self, Outcome};
use crate::hardware::report::{self, Counts, Verdict};
use clap::{Parser, ValueEnum};
use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Compare an AMD GPU with the model: runs small workloads on both and compares the resulting memory word by word.
///
/// Nothing runs before you agree. The workloads are small and write only 64 KiB of their own memory. If one hangs the GPU, the kernel resets it, which may end
/// other programs that draw. Each case is one submission in which the model finds no error. The report at the end is meant to be pasted; about your machine it
/// states only the chip, the firmware, the driver and the Linux version. Exit status: 0 if there is no difference; 1 if there is one or a case failed; 2 for
/// bad arguments, if there is no device, or without consent.
#[derive(Parser)]
#[command(name = "pm4-hardware", bin_name = "pm4 hardware", version)]
struct Arguments {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Render node, for example /dev/dri/renderD129 [default: the first amdgpu node]
    #[arg(long, value_name = "NODE")]
    device: Option<PathBuf>,
    /// Run only cases with these names (see --list)
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "frame")]
    only: Vec<String>,
    /// Run only a frame as the recorder writes it, without its draws
    #[arg(long)]
    frame: bool,
    /// List the cases and run nothing
    #[arg(long)]
    list: bool,
    /// Time limit per case in seconds; longer than the kernel needs to detect a hang
    #[arg(long, value_name = "SECONDS", default_value_t = 70, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

fn fail(message: impl std::fmt::Display) -> ExitCode {
    let _ = writeln!(io::stderr(), "pm4 hardware: {message}");
    ExitCode::from(2)
}

/// Runs the program with these arguments, of which the first is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let cases = match chosen(&arguments) {
        Ok(cases) => cases,
        Err(message) => return fail(message),
    };
    if arguments.list {
        return if list(&cases, arguments.format).is_ok() { ExitCode::SUCCESS } else { fail("the list cannot be written") };
    }
    let device = match arguments.device.as_ref().map_or_else(Device::first, Device::open) {
        Ok(device) => device,
        Err(error) => return fail(error),
    };
    match arguments.yes || consent(&device, cases.len()) {
        true => run(&arguments, &device, &cases).unwrap_or_else(fail),
        false => fail("nothing was run"),
    }
}

/// Returns the selected cases.
fn chosen(arguments: &Arguments) -> Result<Vec<Case>, String> {
    if arguments.frame {
        return Ok(vec![cases::FRAME]);
    }
    let all: Vec<Case> = cases::all().collect();
    if let Some(unknown) = arguments.only.iter().find(|name| !all.iter().any(|case| case.name == **name)) {
        return Err(format!("there is no case {unknown}; --list prints the names"));
    }
    let is_meant = |case: &Case| arguments.only.is_empty() || arguments.only.iter().any(|name| name == case.name);
    Ok(all.into_iter().filter(is_meant).collect())
}

fn list(cases: &[Case], format: Format) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for Case { name, about, queue, .. } in cases {
        match format {
            Format::Text => writeln!(out, "{name:<24} {:<8} {about}", queue.name())?,
            Format::Json => writeln!(out, "{}", serde_json::json!({ "type": "listed", "name": name, "queue": queue.name(), "about": about }))?,
        }
    }
    out.flush()
}

/// Explains what will happen and asks for consent.
fn consent(device: &Device, cases: usize) -> bool {
    let mut err = io::stderr().lock();
    let chip = device.gpu().chip.info().name;
    let _ = writeln!(
        err,
        "{} is a {chip}. {cases} small command buffers will run on it, one after the other, and write only memory of this program.",
        device.path().display()
    );
    let _ = writeln!(err, "If one of them hangs the GPU, the kernel resets it, and programs that draw may end, including the desktop. Save your work first.");
    if !io::stdin().is_terminal() {
        let _ = writeln!(err, "There is no terminal to ask for consent: pass --yes to run them.");
        return false;
    }
    let _ = write!(err, "Run them? [y/N] ");
    let _ = err.flush();
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn run(arguments: &Arguments, device: &Device, cases: &[Case]) -> Result<ExitCode, String> {
    let unwritable = |error: io::Error| format!("the report cannot be written: {error}");
    let json = arguments.format == Format::Json;
    let mut out = io::stdout().lock();
    let mut print = |text: &dyn Fn() -> String, record: &dyn Fn() -> serde_json::Value| {
        let written = if json { writeln!(out, "{}", record()) } else { write!(out, "{}", text()) };
        // Flush each line, so that it survives if the machine crashes.
        written.and_then(|()| out.flush()).map_err(unwritable)
    };
    print(&|| report::device_text(device) + "\n", &|| report::device_record(device))?;
    let mut memory = device.buffer(BYTES).map_err(|error| error.to_string())?;
    let mut counts = Counts::default();
    for case in cases {
        let outcome = judge::run(device, &memory, case, Duration::from_secs(arguments.timeout));
        counts.add(Verdict::of(&outcome));
        print(&|| report::case_text(device, case, &outcome), &|| report::case_record(device, case, &outcome))?;
        if let Outcome::Failed(error) = &outcome
            && leaves_traces(error)
        {
            // Work that did not complete may still write the old memory, so later cases get new memory.
            let again = device.recover().and_then(|()| device.buffer(BYTES));
            memory = again.map_err(|error| format!("the device does not recover, so the other cases do not run: {error}"))?;
        }
    }
    print(&|| format!("\n{}", report::end_text(&counts)), &|| report::end_record(&counts))?;
    Ok(ExitCode::from(u8::from(counts.is_bad())))
}

/// Returns whether the device must be recovered after an error.
fn leaves_traces(error: &Error) -> bool {
    matches!(error, Error::Timeout { .. } | Error::Reset { .. } | Error::Call { .. })
}
