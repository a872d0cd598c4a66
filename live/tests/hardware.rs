//! pm4-hardware on the device: its comparisons agree, and those that need shaders are reported as unknown.
//!
//! The program is this test itself, started again, so both are built from the sources under test.

use pm4::chip::Chip;
use pm4::gpu::Gpu;
use pm4_submit::{Device, Error, Queue, Submission};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::Duration;

/// First argument with which this test acts as the program, and with which it calls the library.
const AS_PROGRAM: &str = "--as-pm4-hardware";
const AS_CALLER: &str = "--as-caller-of-pm4-submit";

/// One chip of each generation.
const CHIPS: [&str; 6] = ["vega10", "navi10", "navi21", "navi31", "gfx1150", "gfx1200"];

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    match arguments.nth(1).as_deref().and_then(|argument| argument.to_str()) {
        Some(AS_PROGRAM) => return pm4_submit::hardware::program::main([OsString::from("pm4-hardware")].into_iter().chain(arguments)),
        Some(AS_CALLER) => {
            calls(&arguments.next().expect("a chip").to_string_lossy());
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let probe = live("navi21", &["true".into()]);
    if probe.status.code() == Some(2) {
        eprintln!("left out: {}", text(&probe.stderr));
        return ExitCode::SUCCESS;
    }
    every_case_is_the_same_on_every_generation();
    the_frame_is_submitted_and_its_fence_signalled();
    the_report_for_people_says_what_is_unknown();
    nothing_runs_without_consent_or_on_other_devices();
    the_library_submits_what_it_is_given();
    ExitCode::SUCCESS
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn report(chip: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pm4-live-{}-hardware-{chip}.jsonl", std::process::id()))
}

/// Runs a program on a device with this chip; its report goes to standard error.
fn live(chip: &str, program: &[OsString]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pm4-live"));
    command.args(["--chip", chip, "--fail", "--format", "json", "--report"]).arg(report(chip)).arg("--").args(program);
    command.stdin(Stdio::null()).output().expect("pm4-live starts")
}

/// The command that starts this test in another role.
fn itself(first: &str, arguments: &[&str]) -> Vec<OsString> {
    let own = std::env::current_exe().expect("a path").into_os_string();
    [own, first.into()].into_iter().chain(arguments.iter().map(OsString::from)).collect()
}

/// Runs pm4-hardware on a device with this chip.
fn hardware(chip: &str, arguments: &[&str]) -> Output {
    live(chip, &itself(AS_PROGRAM, arguments))
}

fn records(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn of_type<'r>(records: &'r [Value], kind: &str) -> Vec<&'r Value> {
    records.iter().filter(|record| record["type"] == kind).collect()
}

fn every_case_is_the_same_on_every_generation() {
    for chip in CHIPS {
        let output = hardware(chip, &["--yes", "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{chip}: {}{}", text(&output.stdout), text(&output.stderr));
        let records = records(&output);
        let device = of_type(&records, "device")[0];
        assert_eq!((&device["chip"], &device["runs_shaders"]), (&chip.into(), &false.into()));
        let mut unknown = Vec::new();
        for case in of_type(&records, "case") {
            let name = case["name"].as_str().expect("a name");
            match case["verdict"].as_str() {
                Some("same") => assert!(case["compared"].as_u64() > Some(10_000) && case["not_run"] == 0, "{chip}: {case}"),
                Some("unknown") => {
                    assert!(case["compared"].as_u64() > Some(10_000) && case["not_run"].as_u64() > Some(0), "{chip}: {case}");
                    unknown.push(name.to_owned());
                }
                verdict => assert_eq!((verdict, name), (Some("left out"), "ordered-section"), "{chip}: {case}"),
            }
        }
        let mut needs_shaders = vec!["dispatch", "dispatch-compute", "dispatch-copy", "dispatch-copy-compute", "statistics"];
        needs_shaders.extend(["vega10", "navi10", "navi21"].contains(&chip).then_some("ordered-section"));
        assert_eq!(unknown, needs_shaders, "{chip}");
        // The device checked the same submissions.
        let report = std::fs::read_to_string(report(chip)).expect("a report");
        let last: Value = serde_json::from_str(report.lines().last().expect("a record")).expect("JSON");
        let cases = of_type(&records, "case").iter().filter(|case| case["verdict"] != "left out").count();
        assert_eq!((&last["submissions"], &last["unknown_ioctls"], &last["errors"]), (&cases.into(), &0.into(), &0.into()), "{chip}: {last}");
        std::fs::remove_file(self::report(chip)).expect("the report");
        println!("{chip}: {cases} cases");
    }
}

fn the_frame_is_submitted_and_its_fence_signalled() {
    let output = hardware("navi31", &["--yes", "--frame", "--format", "json"]);
    let records = records(&output);
    let cases = of_type(&records, "case");
    assert_eq!((output.status.code(), cases.len()), (Some(0), 1), "{}", text(&output.stderr));
    assert_eq!((&cases[0]["name"], &cases[0]["verdict"]), (&"frame".into(), &"same".into()), "{}", cases[0]);
}

fn the_report_for_people_says_what_is_unknown() {
    let output = hardware("navi31", &["--yes", "--only", "write-data", "dispatch", "sdma-copy"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    for line in [
        "chip: navi31 (gfx11), GC 11.0.0, SDMA 6.0.0",
        "This device reports that it runs no shaders, so their results are unknown.",
        "same       write-data (gfx): 15360 words compared",
        "unknown    dispatch (gfx): 15296 words compared; 64 words are unknown, because this device runs no shaders",
        "2 same, 1 unknown",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
}

fn nothing_runs_without_consent_or_on_other_devices() {
    for (arguments, message) in [
        (&["--device", "/dev/dri/renderD128"][..], "There is no terminal to ask for consent: pass --yes to run them."),
        (&["--yes", "--only", "no-such-case"], "there is no case no-such-case; --list prints the names"),
        (&["--yes", "--device", "/dev/null"], "/dev/null is driven by no driver of a GPU, not by amdgpu"),
        (
            &["--yes", "--device", "/dev/dri/renderD129"],
            "/dev/dri/renderD129 cannot be opened: No such file or directory (os error 2); `ls /dev/dri` lists the nodes",
        ),
    ] {
        let output = hardware("navi21", arguments);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(message), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

fn the_library_submits_what_it_is_given() {
    for chip in CHIPS {
        let output = live(chip, &itself(AS_CALLER, &[chip]));
        assert!(output.status.success(), "{chip}: {}", text(&output.stderr));
    }
}

/// The calls of a user of the library, on the device.
fn calls(chip: &str) {
    let chip: Chip = chip.parse().expect("a chip");
    let device = Device::first().expect("a device");
    // The kernel's answers equal those recorded for the chip.
    let typical = Gpu::of_device(chip.device().expect("a device"));
    let gpu = device.gpu();
    assert_eq!((gpu.chip, gpu.board, gpu.render_backends, gpu.address_config), (chip, typical.board, typical.render_backends, typical.address_config));
    assert_eq!(gpu.memory.addresses, Some((0x20_0000, 0x8000_0000_0000)));
    assert!(device.reset().expect("an answer").is_none() && !device.runs_shaders());
    // A buffer consists of whole pages, and its address is free again after the last copy is dropped.
    let buffer = device.buffer(5000).expect("a buffer");
    let address = buffer.address();
    assert_eq!((buffer.bytes(), buffer.words().len(), address % 0x1_0000), (8192, 2048, 0));
    let copy = buffer.clone();
    drop(buffer);
    copy.write(2046, &[1, 2, 3]);
    assert_eq!(copy.read(2045, 10), [0, 1, 2]);
    drop(copy);
    assert_eq!(device.buffer(1).expect("a buffer").address(), address);
    // Work after a recovery: its results are in memory when its fence signals.
    device.recover().expect("a context");
    let buffer = device.buffer(4096).expect("a buffer");
    let mut stream = pm4::packet::Stream::growable(chip.gfx(), pm4::packet::Queue::Compute);
    pm4_submit::hardware::packets::write(&mut stream, buffer.address(), &[7, 8]).expect("a packet");
    let submission = Submission::new(Queue::Compute, stream.words()).with(&buffer);
    let fences = [device.submit(&submission).expect("a fence"), device.submit(&submission).expect("a fence")];
    for fence in fences {
        fence.wait(Duration::from_secs(5)).expect("it ends");
    }
    assert_eq!(buffer.read(0, 2), [7, 8]);
    // Impossible requests return an error with a reason.
    assert!(matches!(device.buffer(0), Err(Error::Size { bytes: 0, .. })));
    assert!(matches!(device.buffer(1 << 50), Err(Error::Size { .. })));
    assert!(matches!(device.submit(&Submission::new(Queue::Graphics, &[])), Err(Error::Words { dwords: 0 })));
}
