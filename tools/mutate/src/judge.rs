//! Runs the tests with one change.

use crate::reach::Test;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This test failed.
    Killed(String),
    /// A suite took too long.
    Slow(String),
    Survived,
    /// No test executes the change.
    Unreached,
}

/// Tests are grouped into processes that take about this long.
const GROUP: Duration = Duration::from_secs(3);

/// Runs the tests that execute a change until one fails, fast ones first.
pub fn judge(root: &Path, tests: &[Test], number: u32) -> Result<Verdict, String> {
    let mut reached: Vec<&Test> = tests.iter().filter(|test| test.reached.contains(&number)).collect();
    if reached.is_empty() {
        return Ok(Verdict::Unreached);
    }
    reached.sort_by_key(|test| test.took);
    let mut rest = reached.as_slice();
    while !rest.is_empty() {
        let mut together = Duration::ZERO;
        let within = |test: &&&Test| {
            together += test.took;
            together < GROUP
        };
        let length = rest.iter().take_while(within).count().max(1);
        let (now, later) = rest.split_at(length);
        rest = later;
        // The tests of one suite run in one process.
        let mut programs: Vec<&str> = now.iter().map(|test| test.program.as_str()).collect();
        programs.sort_unstable();
        programs.dedup();
        for program in programs {
            let group: Vec<&Test> = now.iter().copied().filter(|test| test.program == program).collect();
            let names: Vec<&str> = group.iter().map(|test| test.name.as_str()).collect();
            let limit = group.iter().map(|test| test.took).sum::<Duration>() * 5 + Duration::from_secs(20);
            let suite = &group[0].suite;
            match run(root, program, &names, &[("PM4_MUTANT", number.to_string())], limit)? {
                Verdict::Killed(test) => return Ok(Verdict::Killed(format!("{suite}: {test}"))),
                Verdict::Slow(_) => return Ok(Verdict::Slow(format!("{suite}: one of {} tests", names.len()))),
                Verdict::Survived | Verdict::Unreached => {}
            }
        }
    }
    Ok(Verdict::Survived)
}

/// Runs tests by name.
pub fn run(root: &Path, program: &str, names: &[&str], environment: &[(&str, String)], limit: Duration) -> Result<Verdict, String> {
    let mut command = Command::new(program);
    command.arg("--exact").args(names).current_dir(root).env("CARGO_MANIFEST_DIR", root).envs(environment.iter().map(|(name, value)| (name, value)));
    command
        .env("PM4_SEED", "20261121")
        .env("RUST_TEST_THREADS", "1")
        .env_remove("PM4_ROUNDS")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .stdin(Stdio::null());
    // In a process group of its own, so that examples started by the tests end with it.
    let mut child = command.process_group(0).spawn().map_err(|error| format!("{program} does not run: {error}"))?;
    let (sender, lines) = mpsc::channel();
    let output = child.stdout.take().ok_or("no output")?;
    thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
    let end = Instant::now() + limit;
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(test) = line.strip_prefix("test ").and_then(|line| line.split(" ... FAILED").next().filter(|test| line.len() > test.len())) {
                    stop(&mut child);
                    return Ok(Verdict::Killed(test.to_owned()));
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                stop(&mut child);
                return Ok(Verdict::Slow(String::new()));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    // An abort (memory, stack) does not name a test.
    Ok(if status.success() { Verdict::Survived } else { Verdict::Killed("the tests end with an error".into()) })
}

/// Ends the tests and everything that they started.
fn stop(child: &mut Child) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}
