//! Programs on the device: what they see, what is reported, and that nothing remains when they end. Tests of programs that are not installed are skipped with
//! a message.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn live(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pm4-live"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    live(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether programs can be supervised and all of these are installed.
fn can_run(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|path| path.join(program).exists()));
    if let Some(missing) = missing {
        eprintln!("left out: {missing} is not installed");
        return false;
    }
    let output = run(&["--chip", "navi21", "--", "true"]);
    if output.status.code() == Some(2) {
        eprintln!("left out: {}", text(&output.stderr));
    }
    output.status.success()
}

#[test]
fn the_exit_status_is_that_of_the_program() {
    if !can_run(&["sh"]) {
        return;
    }
    assert_eq!(run(&["--chip", "navi21", "--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(run(&["--chip", "navi21", "--", "sh", "-c", "kill -TERM $$"]).status.code(), Some(128 + 15));
    let missing = run(&["--chip", "navi21", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("/no/such/program cannot be started"), "{}", text(&missing.stderr));
    for (arguments, message) in [
        (&["--chip", "navi99", "--", "true"][..], "there is no chip navi99; the chips are vega10"),
        (&["--chip", "vega20", "--", "true"], "there is no device for vega20, because a board's answers"),
        (&["--chip", "navi21"], "<PROGRAM>"),
        (&["--", "true"], "--chip"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_program_and_its_children_see_the_files_of_the_device_and_others_as_they_are() {
    if !can_run(&["sh", "ls", "cat", "stat"]) {
        return;
    }
    let script = "ls /dev/dri; cat /sys/dev/char/226:128/device/vendor; (cd / && readlink sys/dev/char/226:128/device/subsystem || readlink /sys/dev/char/226:128/device/subsystem); \
                  stat -c '%t:%T %F' /dev/dri/renderD128; test -e /dev/dri/card0 || echo no card; test -d /dev/dri && echo folder; head -c 3 /etc/passwd | wc -c";
    let output = run(&["--chip", "navi21", "--format", "json", "--", "sh", "-c", script]);
    let said = text(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, ["renderD128", "0x1002", "/sys/bus/pci", "e2:80 character special file", "no card", "folder", "3"], "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(r#""type":"live","chip":"navi21""#), "{}", text(&output.stderr));
}

/// The last record of this type in a report.
fn record(report: &Path, kind: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(report).expect("a report");
    let mut records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a record"));
    records.rfind(|record| record["type"] == kind).unwrap_or_default()
}

fn report(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pm4-live-{}-{name}.jsonl", std::process::id()))
}

#[test]
fn radv_names_the_chip() {
    if !can_run(&["vulkaninfo"]) {
        return;
    }
    for (chip, name) in [("navi21", "RADV NAVI21"), ("vega10", "RADV VEGA10")] {
        let file = report(chip);
        let output = run(&["--chip", chip, "--format", "json", "--report", file.to_str().unwrap(), "--", "vulkaninfo", "--summary"]);
        let said = text(&output.stdout);
        if !said.contains("radv") {
            return eprintln!("left out: RADV is not installed: {said}");
        }
        assert!(said.contains(name), "{said}");
        assert_eq!(record(&file, "live")["unknown_ioctls"], 0);
        std::fs::remove_file(file).expect("the report");
    }
}

/// An X server without a screen, on a display number that it chooses itself.
struct Server(Child, String);

impl Server {
    fn start() -> Option<Self> {
        let mut child =
            Command::new("Xvfb").args(["-displayfd", "1", "-screen", "0", "640x480x24"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut number = Vec::new();
        let mut byte = [0];
        let out = child.stdout.as_mut()?;
        while out.read(&mut byte).is_ok_and(|read| read == 1) && byte != [b'\n'] {
            number.push(byte[0]);
        }
        Some(Self(child, format!(":{}", text(&number))))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Counts findings other than infos.
#[derive(Default)]
struct Findings(u64);

impl pm4::cp::Observer for Findings {
    fn finding(&mut self, finding: &pm4::cp::Finding) {
        self.0 += u64::from(finding.severity != pm4::cp::Severity::Info);
    }
}

/// Packets, draws and findings of each submission in a recording.
fn replayed(bytes: &[u8]) -> Vec<serde_json::Value> {
    let source = pm4::input::Source::open(bytes, None).expect("a form");
    let recording = pm4::input::Recording::open(source).expect("a recording");
    let device = *recording.device();
    let run = |submission: std::io::Result<pm4::input::RecordedSubmission>| {
        let submission = submission.expect("a submission");
        let names = submission.names();
        let mut cp = pm4::cp::CommandProcessor::new(device.chip);
        cp.board(device.board).firmware(device.firmware);
        submission.submit(&mut cp, &names);
        let mut findings = Findings::default();
        let summary = cp.run(&mut findings);
        serde_json::json!([summary.packets, summary.draws, findings.0])
    };
    recording.map(run).collect()
}

#[test]
fn every_submission_of_vkcube_is_executed_and_judged() {
    if !can_run(&["vkcube", "Xvfb"]) {
        return;
    }
    let Some(server) = Server::start() else { return eprintln!("left out: Xvfb does not start") };
    let (file, recorded) = (report("vkcube"), report("vkcube-recorded"));
    let arguments =
        ["--chip", "navi21", "--format", "json", "--report", file.to_str().unwrap(), "--record", recorded.to_str().unwrap(), "--", "vkcube", "--c", "20"];
    let output = live(&arguments).env("DISPLAY", &server.1).env("MESA_VK_WSI_DEBUG", "sw").output().expect("the program starts");
    if !text(&output.stdout).contains("RADV") {
        return eprintln!("left out: RADV is not installed: {}", text(&output.stdout));
    }
    let (live, last) = (record(&file, "live"), record(&file, "submission"));
    assert_eq!((&live["errors"], &live["unknown_ioctls"], &live["processes"]), (&0.into(), &0.into(), &1.into()), "{live}");
    assert!(live["submissions"].as_u64().is_some_and(|count| count >= 20), "{live}");
    let text = std::fs::read_to_string(&file).expect("a report");
    assert!(text.lines().filter(|line| line.contains(r#""draws":2"#)).count() >= 20, "{last}");
    // A recording gives the findings of the original run, and a truncated recording gives the submissions before the cut.
    let bytes = std::fs::read(&recorded).expect("a recording");
    let whole = replayed(&bytes);
    assert_eq!(whole.len() as u64, live["submissions"], "all are recorded");
    let packets: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a record"))
        .filter(|record| record["type"] == "submission")
        .map(|record| serde_json::json!([record["packets"], record["draws"], record["findings"]]))
        .collect();
    assert_eq!(whole, packets);
    let part = replayed(&bytes[..bytes.len() / 2]);
    assert!(!part.is_empty() && part.len() < whole.len() && whole.starts_with(&part), "{} of {}", part.len(), whole.len());
    std::fs::remove_file(file).expect("the report");
    std::fs::remove_file(recorded).expect("the recording");
}

#[test]
fn radeonsi_comes_up_without_a_window() {
    if !can_run(&["eglinfo"]) {
        return;
    }
    let output = live(&["--chip", "navi21", "--", "eglinfo"]).env("EGL_PLATFORM", "surfaceless").output().expect("the program starts");
    let said = text(&output.stdout);
    if !said.contains("radeonsi") {
        return eprintln!("left out: radeonsi is not installed: {}", text(&output.stderr));
    }
    assert!(text(&output.stderr).contains("(0 unknown): 0 errors"), "{}", text(&output.stderr));
}

/// Whether a process exists and has not ended.
fn is_alive(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_killed_supervisor_takes_the_program_with_it() {
    if !can_run(&["sh"]) {
        return;
    }
    let mut child = live(&["--chip", "navi21", "--", "sh", "-c", "echo $$; kill -STOP $$"]).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut line = Vec::new();
    let mut byte = [0];
    while child.stdout.as_mut().expect("a pipe").read(&mut byte).is_ok_and(|read| read == 1) && byte != [b'\n'] {
        line.push(byte[0]);
    }
    let program: u32 = text(&line).trim().parse().expect("a number");
    assert!(is_alive(program));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let start = Instant::now();
    while is_alive(program) && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!is_alive(program), "the program outlives the supervisor");
}

/// Processes with this parent.
fn children(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(&parent.to_string()))
    };
    processes.filter(is_child).collect()
}

/// Also if a child of the program starts its own session, and whichever of the two processes of the run is killed.
#[test]
fn whatever_is_killed_nothing_is_left() {
    if !can_run(&["sh", "setsid", "sleep", "kill"]) {
        return;
    }
    for kills_supervisor in [false, true] {
        let script = "setsid sleep 1000 & echo $! $$; wait";
        let mut child = live(&["--chip", "navi21", "--", "sh", "-c", script]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut line = Vec::new();
        let mut byte = [0];
        while child.stdout.as_mut().expect("a pipe").read(&mut byte).is_ok_and(|read| read == 1) && byte != [b'\n'] {
            line.push(byte[0]);
        }
        let programs: Vec<u32> = text(&line).split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let supervisor = *children(child.id()).first().expect("a supervisor");
        assert!(programs.len() == 2 && programs.iter().all(|process| is_alive(*process)));
        match kills_supervisor {
            false => child.kill().expect("it runs"),
            true => _ = Command::new("kill").args(["-KILL", &supervisor.to_string()]).status().expect("kill starts"),
        }
        child.wait().expect("it ends");
        let start = Instant::now();
        let left = || programs.iter().chain([&supervisor]).filter(|process| is_alive(**process)).count();
        while left() > 0 && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(left(), 0, "supervisor killed: {kills_supervisor}");
    }
}

#[test]
fn reports_are_added_up() {
    let files = [report("one"), report("two")];
    for (file, submissions) in files.iter().zip([3, 4]) {
        std::fs::write(file, format!("{{\"type\":\"live\",\"chip\":\"navi21\",\"processes\":1,\"submissions\":{submissions},\"errors\":0}}\n"))
            .expect("a file");
    }
    let output = run(&["--merge", files[0].to_str().unwrap(), files[1].to_str().unwrap()]);
    assert!(text(&output.stdout).contains(r#""submissions":7"#), "{}{}", text(&output.stdout), text(&output.stderr));
    files.iter().for_each(|file| std::fs::remove_file(file).expect("a file"));
}

#[test]
fn a_statement_that_fails_and_a_page_are_written_at_the_end() {
    if !can_run(&["true"]) {
        return;
    }
    let (statements, page) = (report("statements"), report("page"));
    std::fs::write(&statements, "count draws == 0\ncount submissions >= 1\n").expect("a file");
    let [statements, page] = [statements, page].map(|path| path.to_str().expect("a name").to_owned());
    let output = run(&["--chip", "navi31", "--assert", &statements, "--html", &page, "--", "true"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("FAILS: line 2: count submissions >= 1: 0 counted") && said.contains("assertions: 1 hold, 1 fail"), "{said}");
    assert!(std::fs::read_to_string(&page).expect("the page").contains("<title>navi31: pm4 live"));
    std::fs::write(&statements, "every draw: NOTHING == 1\n").expect("a file");
    let output = run(&["--chip", "navi31", "--assert", &statements, "--", "true"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("line 1: gfx11 has no register NOTHING"), "{}", text(&output.stderr));
    let output = run(&["--chip", "navi31", "--html", "/no/such/folder/page.html", "--", "true"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("/no/such/folder/page.html cannot be written"), "{}", text(&output.stderr));
    std::fs::remove_file(statements).and_then(|()| std::fs::remove_file(page)).expect("the files");
}
