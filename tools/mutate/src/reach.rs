//! Determines which tests execute which changes, and how long they take: only those tests can notice a change.

use crate::judge::{self, Verdict};
use crate::workers;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable with the file to which a program appends the numbers of the changes that it executed.
pub const VARIABLE: &str = "PM4_MUTANTS_REACHED";

/// The time limit of a test without a change.
const LIMIT: Duration = Duration::from_secs(1800);

/// A test, as run without a change.
pub struct Test {
    pub suite: String,
    pub program: String,
    pub name: String,
    pub took: Duration,
    /// The changes that it, or a program that it starts, executes.
    pub reached: BTreeSet<u32>,
}

/// Returns the names of the tests of a program.
fn names(root: &Path, program: &str) -> Result<Vec<String>, String> {
    let output = Command::new(program).args(["--list", "--format", "terse"]).current_dir(root).stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program} does not run: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Runs each test of the programs separately, one per core at a time. Tests that fail without a change are printed and skipped.
pub fn tests(root: &Path, programs: &[(String, String)]) -> Result<Vec<Test>, String> {
    let mut all = Vec::new();
    for (suite, program) in programs {
        all.extend(names(root, program)?.into_iter().map(|name| (suite.as_str(), program.as_str(), name)));
    }
    let start = Instant::now();
    let tests = workers::each(&all, |worker, (suite, program, name)| {
        let file = root.join(format!("reached.{worker}"));
        fs::write(&file, "").map_err(|error| format!("{}: {error}", file.display()))?;
        let begin = Instant::now();
        let verdict = judge::run(root, program, &[name], &[("PM4_MUTANT", "0".into()), (VARIABLE, file.display().to_string())], LIMIT)?;
        if verdict != Verdict::Survived {
            println!("{suite}: {name} is red without a change and is left out");
            return Ok(None);
        }
        let reached = fs::read_to_string(&file).map_err(|error| error.to_string())?.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Some(Test { suite: (*suite).into(), program: (*program).into(), name: name.clone(), took: begin.elapsed(), reached }))
    })?;
    let tests: Vec<Test> = tests.into_iter().flatten().collect();
    println!("{} tests in {:.1} s", tests.len(), start.elapsed().as_secs_f64());
    if tests.is_empty() { Err("no test is green without a change".into()) } else { Ok(tests) }
}
