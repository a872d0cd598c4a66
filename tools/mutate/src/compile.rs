//! Builds with all changes, and removes those that do not compile.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the tests are built with in `.ci/run`.
const FEATURES: &str = "overlay";

/// A compiler error: file, first and last byte.
pub type Fault = (String, usize, usize);

/// Checks the library; returns the places of its errors.
pub fn check(root: &Path, cargo: &[String]) -> Result<Vec<Fault>, String> {
    let mut command = Command::new("cargo");
    command.args(["check", "--lib", "--message-format=json", "--features", FEATURES]).args(cargo).current_dir(root);
    command.env("RUSTFLAGS", "-Awarnings").stderr(Stdio::null());
    let output = command.output().map_err(|error| format!("cargo does not run: {error}"))?;
    let (mut faults, mut texts) = (BTreeSet::new(), String::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        texts += message["rendered"].as_str().unwrap_or_default();
        for span in message["spans"].as_array().into_iter().flatten() {
            let mut span = span;
            // Place an error within a macro of the crate at the use of the macro.
            loop {
                if let (Some(file), Some(from), Some(to)) = (span["file_name"].as_str(), span["byte_start"].as_u64(), span["byte_end"].as_u64()) {
                    faults.insert((file.to_owned(), from as usize, to as usize));
                }
                span = &span["expansion"]["span"];
                if span.is_null() {
                    break;
                }
            }
        }
    }
    if !output.status.success() && faults.is_empty() {
        return Err(format!("the library does not build, and no place says why:\n{texts}"));
    }
    Ok(faults.into_iter().collect())
}

/// Builds the tests in a profile, and the examples that they run; returns the programs by suite name.
pub fn tests(root: &Path, profile: &[String]) -> Result<Vec<(String, String)>, String> {
    let build = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).args(profile).current_dir(root).env("RUSTFLAGS", "-Awarnings").stderr(Stdio::inherit());
        let output = command.output().map_err(|error| format!("cargo does not run: {error}"))?;
        if output.status.success() { Ok(output) } else { Err(format!("`cargo {}` fails", arguments.join(" "))) }
    };
    build(&["build", "--examples", "--features", FEATURES])?;
    let output = build(&["test", "--no-run", "--tests", "--features", FEATURES, "--message-format=json"])?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let programs = lines.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let tests = message["target"]["kind"].as_array()?.iter().any(|kind| kind == "test" || kind == "lib");
        (tests && message["profile"]["test"] == true).then_some(())?;
        Some((message["target"]["name"].as_str()?.to_owned(), message["executable"].as_str()?.to_owned()))
    });
    Ok(programs.collect())
}

/// Returns whether the documentation tests pass with a change.
pub fn documentation(root: &Path, profile: &[String], number: u32) -> Result<bool, String> {
    let mut command = Command::new("cargo");
    command.args(["test", "--doc", "--quiet", "--features", FEATURES]).args(profile).current_dir(root);
    command.env("RUSTFLAGS", "-Awarnings").env("PM4_MUTANT", number.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status().map_err(|error| format!("cargo does not run: {error}"))?.success())
}
