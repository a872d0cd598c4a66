//! Waits for the device coredump of a hang, and stores it with related information. Nothing leaves the machine.

mod archive;
mod dumps;
mod log;
mod machine;
mod place;
mod scrub;

use crate::common::{self, Program};
use archive::Member;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use dumps::Dump;
use place::{End, Root, Unread};
use pm4::hang::Incidents;
use pm4::input::Source;
use pm4::report::{OutputFormat, ShownOutput};
use scrub::Scrubber;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Wait for an amdgpu device coredump and store it before the kernel drops it after a few minutes.
///
/// The archive contains the coredump, the kernel log around it, versions of the machine and its firmware, and the report of RADV_DEBUG=hang. Names of users and
/// hosts, serial numbers, addresses and home folders are removed, and a list states how many. Then the verdict of check is printed; check can read the archive.
/// Nothing is sent anywhere. Only root may read coredumps.
#[derive(Parser)]
#[command(name = "watch", after_help = AFTER_HELP)]
struct Arguments {
    /// Exit after the first coredump
    #[arg(long)]
    once: bool,
    /// Folder for archives; created if missing
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Folder that contains sys, proc, dev, etc and home, for trials with made-up files; links that lead out of it are not followed
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Exit if no coredump appears within this many seconds [default: wait for ever]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Seconds between copying the coredump and the log, so that the log shows how recovery went
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    settle: u64,
    /// Largest coredump in MiB; a longer one is truncated
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=4096))]
    limit: u64,
}

const AFTER_HELP: &str = "\
docs/watch.md has a unit of systemd and a rule of udev.
Exit status: 0 an archive was written, 1 no coredump appeared in time, 2 bad arguments, or something that cannot be read or written.";

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[("sudo {} --once --out ~/hangs", "keep the next hang"), ("sudo {} --out /var/lib/pm4", "keep all hangs, until it is ended")],
};

/// How often to check for a coredump.
const INTERVAL: Duration = Duration::from_millis(250);
/// The age limit of a RADV report: it is written when the job is given up, at about the time of the coredump.
const RECENT: Duration = Duration::from_secs(15 * 60);
/// The most files of a RADV report, and the most bytes of each.
const RADV_FILES: usize = 40;
const RADV_LONGEST: u64 = 1 << 26;

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    match watch(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => common::fail("watch", message),
    }
}

/// Waits for coredumps; returns whether an archive was written.
fn watch(arguments: &Arguments) -> Result<bool, String> {
    let root = Root::new(&arguments.root).map_err(|error| format!("--root {}: {error}", arguments.root.display()))?;
    if let Some(message) = dumps::unable(&root) {
        return Err(message);
    }
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut last = Instant::now();
    let mut kept = false;
    loop {
        let found = dumps::find(&root);
        for path in found.outside {
            if seen.insert(path.clone()) {
                common::tell("watch", format_args!("{} leads out of {}: it is not read", path.display(), arguments.root.display()));
            }
        }
        let present: BTreeSet<PathBuf> = found.dumps.iter().map(|dump| dump.folder.clone()).collect();
        for dump in found.dumps {
            if !seen.insert(dump.folder.clone()) {
                continue;
            }
            if keep(arguments, &root, &dump)? {
                kept = true;
                last = Instant::now();
                if arguments.once {
                    return Ok(true);
                }
            }
        }
        // The number of a vanished coredump may be reused.
        seen.retain(|path| present.contains(path) || path.symlink_metadata().is_ok());
        if arguments.timeout.is_some_and(|seconds| last.elapsed() >= Duration::from_secs(seconds)) {
            if !kept {
                common::tell("watch", "no coredump of amdgpu appeared");
            }
            return Ok(kept);
        }
        thread::sleep(INTERVAL);
    }
}

/// Stores a coredump and related information; returns false if it is not from amdgpu or is gone.
fn keep(arguments: &Arguments, root: &Root, dump: &Dump) -> Result<bool, String> {
    let data = dump.folder.join("data");
    let (bytes, end) = match root.copy(&data, arguments.limit << 20) {
        Ok(copy) => copy,
        Err(Unread::Denied) => return Err(format!("{} may be read by root only: run this as root (sudo pm4 watch)", data.display())),
        Err(Unread::Absent) => return Ok(gone(&data, "is gone: the kernel drops a coredump after some minutes, or when someone writes to it")),
        Err(Unread::Outside) => return Ok(gone(&data, "leads out of the root: it is not read")),
        Err(Unread::NoFile) => return Ok(gone(&data, "is no file: it is not read")),
        Err(Unread::Failed(error)) => return Ok(gone(&data, &format!("cannot be read: {error}"))),
    };
    const TITLE: &[u8] = b"AMDGPU Device Coredump";
    let head = &bytes[..bytes.len().min(1 << 16)];
    if !dump.is_amdgpu && !head.windows(TITLE.len()).any(|part| part == TITLE) {
        return Ok(gone(&data, "is of another driver"));
    }
    if bytes.is_empty() {
        return Ok(gone(&data, "is empty"));
    }
    let mut notes = vec![format!("coredump: {} bytes", bytes.len())];
    match end {
        End::Whole => {}
        End::Limit => notes.push(format!("the coredump is longer than {} MiB and is cut off there: --limit allows more", arguments.limit)),
        End::Broken(error) => notes.push(format!("the coredump could not be read to its end ({error}): the kernel may have dropped it meanwhile")),
    }
    thread::sleep(Duration::from_secs(arguments.settle));
    let mut scrubber = Scrubber::new(root);
    let mut members: Vec<Member> = Vec::new();
    let mut add = |name: &str, bytes: &[u8], scrubber: &mut Scrubber| members.push(Member { name: name.to_owned(), bytes: scrubber.clean(name, bytes) });
    match log::read(root) {
        Ok(log) => add("kernel.log", log::around(&log, time(head)).as_bytes(), &mut scrubber),
        Err(why) => notes.push(format!("no kernel log: {why}")),
    }
    add("devcoredump.txt", &bytes, &mut scrubber);
    drop(bytes);
    add("versions.txt", machine::versions(root, dump.device.as_deref()).as_bytes(), &mut scrubber);
    for (name, bytes) in radv(root, &mut notes) {
        add(&name, &bytes, &mut scrubber);
    }
    let list = scrubber.list();
    let removed = if list.is_empty() { "nothing\n".to_owned() } else { list.join("\n") + "\n" };
    members.push(Member { name: "removed.txt".to_owned(), bytes: removed.into_bytes() });
    members.push(Member { name: "notes.txt".to_owned(), bytes: (notes.join("\n") + "\n").into_bytes() });
    let path = archive::write(&arguments.out, &members)?;
    print(&path, &members, &notes, &list).map_err(|error| format!("{} was written, but its explanation was not: {error}", path.display()))?;
    Ok(true)
}

/// Reports why a coredump was not stored.
fn gone(data: &Path, why: &str) -> bool {
    common::tell("watch", format_args!("{} {why}", data.display()));
    false
}

/// Returns the time of the dump in seconds since boot.
fn time(head: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(head);
    let line = text.lines().take(40).find_map(|line| line.strip_prefix("time: "))?;
    line.split('.').next()?.trim().parse().ok()
}

/// Returns the files of the newest RADV_DEBUG=hang report: `radv_dumps_PID_TIME` in the home folder of the user who ran the program (Mesa radv_debug.c).
fn radv(root: &Root, notes: &mut Vec<String>) -> Vec<(String, Vec<u8>)> {
    let homes = root.names(&root.at("home")).into_iter().map(|user| root.at("home").join(user)).chain([root.at("root")]);
    let reports = homes.flat_map(|home| {
        let names = root.names(&home).into_iter().filter(|name| name.starts_with("radv_dumps_"));
        names.map(|name| home.join(name)).collect::<Vec<PathBuf>>()
    });
    let changed = |path: &PathBuf| fs::metadata(path).and_then(|folder| folder.modified()).ok();
    let recent = |time: &SystemTime| time.elapsed().map_or(true, |age| age <= RECENT);
    let newest = reports.filter_map(|path| Some((changed(&path).filter(recent)?, path))).max();
    let Some((_, folder)) = newest else { return Vec::new() };
    let mut files = Vec::new();
    for name in root.names(&folder).into_iter().take(RADV_FILES) {
        match root.copy(&folder.join(&name), RADV_LONGEST) {
            Ok((bytes, end)) => {
                if !matches!(end, End::Whole) {
                    notes.push(format!("radv/{name} is cut off after {} bytes", bytes.len()));
                }
                files.push((format!("radv/{name}"), bytes));
            }
            Err(Unread::Outside) => notes.push(format!("radv/{name} leads out of the root: it is not read")),
            Err(_) => notes.push(format!("radv/{name} cannot be read")),
        }
    }
    files
}

/// Prints the verdict about the archive, and its path.
fn print(path: &Path, members: &[Member], notes: &[String], removed: &[String]) -> io::Result<()> {
    let name = path.display().to_string();
    let read = Source::open(File::open(path)?, None).and_then(Source::load);
    let verdict = match &read {
        Ok(input) => Incidents::of(&[(&name, input)], None).verdict(),
        Err(error) => vec![format!("the archive {error}")],
    };
    let mut out = ShownOutput::new(io::stdout().lock(), OutputFormat::Text, false);
    if verdict.is_empty() {
        writeln!(out, "neither the coredump nor the log says what went wrong")?;
    }
    verdict.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let files: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    writeln!(out, "\narchive: {name} ({})", files.join(", "))?;
    notes.iter().try_for_each(|note| writeln!(out, "{note}"))?;
    let taken = if removed.is_empty() { vec!["nothing".to_owned()] } else { removed.to_vec() };
    taken.iter().try_for_each(|line| writeln!(out, "taken out: {line}"))?;
    writeln!(out, "review the files before sharing them; for the full explanation: pm4 check {name}")?;
    out.flush()
}
