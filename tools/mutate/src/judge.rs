//! Running the tests with one change.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This test was red.
    Killed(String),
    /// A suite took too long.
    Slow(String),
    Survived,
}

/// Runs one suite after the other until a test is red.
pub fn judge(root: &Path, suites: &[(String, String, Duration)], number: u32) -> Result<Verdict, String> {
    for (name, program, limit) in suites {
        match run(root, program, number, *limit)? {
            Verdict::Killed(test) => return Ok(Verdict::Killed(format!("{name}: {test}"))),
            Verdict::Slow(_) => return Ok(Verdict::Slow(name.clone())),
            Verdict::Survived => {}
        }
    }
    Ok(Verdict::Survived)
}

/// How long a suite takes without a change; an error if it is red.
pub fn time(root: &Path, program: &str) -> Result<Duration, String> {
    let start = Instant::now();
    match run(root, program, 0, Duration::from_secs(1800))? {
        Verdict::Survived => Ok(start.elapsed()),
        other => Err(format!("{program} is red without any change: {other:?}")),
    }
}

fn run(root: &Path, program: &str, number: u32, limit: Duration) -> Result<Verdict, String> {
    let mut command = Command::new(program);
    command.current_dir(root).env("PM4_MUTANT", number.to_string()).env("CARGO_MANIFEST_DIR", root);
    command.env("PM4_SEED", "20261121").env_remove("PM4_ROUNDS").stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null());
    // A group of its own: examples that the tests start end with it.
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
    // An abort (memory, stack) names no test.
    Ok(if status.success() { Verdict::Survived } else { Verdict::Killed("the suite ends with an error".into()) })
}

/// Ends the tests and what they have started.
fn stop(child: &mut Child) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}
