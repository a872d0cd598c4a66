//! Which tests come to which changes, and how long they take: only those can notice a change.

use crate::judge::{self, Verdict};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable that names the file to which a program adds the numbers of the changes that it came to.
pub const VARIABLE: &str = "PM4_MUTANTS_REACHED";

/// No test takes longer than this without a change.
const LIMIT: Duration = Duration::from_secs(1800);

/// One test without any change.
pub struct Test {
    pub suite: String,
    pub program: String,
    pub name: String,
    pub took: Duration,
    /// The changes that it, or a program that it starts, came to.
    pub reached: BTreeSet<u32>,
}

/// The names of the tests of a program.
fn names(root: &Path, program: &str) -> Result<Vec<String>, String> {
    let output = Command::new(program).args(["--list", "--format", "terse"]).current_dir(root).stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program} does not run: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Runs each test of the programs by itself. Those that are red without a change can say nothing of one; they are printed and left out.
pub fn tests(root: &Path, programs: &[(String, String)]) -> Result<Vec<Test>, String> {
    let file = root.join("reached");
    let mut tests = Vec::new();
    for (suite, program) in programs {
        let (before, start) = (tests.len(), Instant::now());
        for name in names(root, program)? {
            fs::write(&file, "").map_err(|error| format!("{}: {error}", file.display()))?;
            let begin = Instant::now();
            let verdict = judge::run(root, program, &[&name], &[("PM4_MUTANT", "0".into()), (VARIABLE, file.display().to_string())], LIMIT)?;
            if verdict != Verdict::Survived {
                println!("{suite}: {name} is red without a change and is left out");
                continue;
            }
            let reached = fs::read_to_string(&file).map_err(|error| error.to_string())?.lines().filter_map(|line| line.parse().ok()).collect();
            tests.push(Test { suite: suite.clone(), program: program.clone(), name, took: begin.elapsed(), reached });
        }
        println!("{suite}: {} tests in {:.1} s", tests.len() - before, start.elapsed().as_secs_f64());
    }
    if tests.is_empty() { Err("no test is green without a change".into()) } else { Ok(tests) }
}
