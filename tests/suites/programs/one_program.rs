//! `pm4` does the same as the example programs.

use crate::examples;
use std::process::{Command, Stdio};

fn pm4(arguments: &[&str]) -> std::process::Output {
    examples::run("pm4", arguments)
}

#[test]
fn each_example_is_a_command_that_prints_the_same() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin");
    let cases: [(&str, &[&str]); 9] = [
        ("dump", &["--chip", "navi31", "--queue", "gfx", capture, "--queue", "compute", capture]),
        ("check", &["--chip", "navi31", "--format", "json", capture]),
        ("asm", &["/missing/folder"]),
        ("draw", &["--chip", "vega10", "--explain"]),
        ("draws", &["--case", "no such case"]),
        ("frame", &["--chip", "navi10"]),
        ("layout", &["--chip", "navi31", "--requests", "/missing/file"]),
        ("regs", &["DB_SHADER_CONTROL"]),
        ("waves", &["--chip", "navi10", "--waves", "100", "--mutate", "no-overlap-test"]),
    ];
    assert_eq!(cases.map(|(name, _)| name).into_iter().collect::<std::collections::BTreeSet<_>>(), examples::PROGRAMS.into_iter().collect());
    for (name, arguments) in cases {
        let one = pm4(&[&[name], arguments].concat());
        let example = examples::program(name).args(arguments).output().expect("the program starts");
        assert_eq!(one.status.code(), example.status.code(), "{name}: {}", String::from_utf8_lossy(&one.stderr));
        assert!(one.stdout == example.stdout, "{name} prints something else");
        let complaints = String::from_utf8_lossy(&one.stderr).into_owned();
        assert!(name == "draws" || one.stderr == example.stderr, "{name}: {complaints}");
    }
}

#[test]
fn the_help_names_every_command_and_how_it_is_called() {
    let help = String::from_utf8(pm4(&["--help"]).stdout).expect("UTF-8");
    for name in examples::PROGRAMS {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{name} is not in\n{help}");
        let own = String::from_utf8(pm4(&[name, "--help"]).stdout).expect("UTF-8");
        assert!(own.contains(&format!("Usage: pm4 {name}")) && own.contains(&format!("\n    pm4 {name} ")), "{own}");
    }
}

#[test]
fn what_is_no_command_ends_with_status_2() {
    for arguments in [&[][..], &["no-such-command"], &["dump"], &["check", "--diff", "one-file"]] {
        let output = pm4(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: pm4"), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(pm4(&["--version"]).stdout, format!("pm4 {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}

/// The file of a hang may be the only copy.
#[test]
fn no_program_writes_over_its_input() {
    let folder = std::env::temp_dir().join(format!("pm4-over-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (stream, text, other) = (folder.join("stream.bin"), folder.join("text.txt"), folder.join("other.bin"));
    let words = [0xC001_2D00_u32, 3, 2].map(u32::to_le_bytes).concat();
    let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let mapped = format!("{}@0x100000", path(&stream));
    let manifest = folder.join("run.jsonl");
    let lines = "{\"type\":\"submission\",\"chip\":\"navi31\"}\n{\"type\":\"submit\",\"queue\":\"gfx\",\"file\":\"stream.bin\"}\n";
    std::fs::write(&manifest, lines).expect("a file");
    // Another name of the same file, through `.`.
    let alias = path(&folder.join(".").join("stream.bin"));
    for (name, arguments) in [
        ("check", vec!["--chip", "navi31", "--html", &path(&stream), &path(&stream)]),
        ("check", vec!["--chip", "navi31", "--html", &path(&stream), "--map", &mapped, &path(&other)]),
        ("dump", vec!["--chip", "navi31", "--html", &alias, &path(&stream)]),
        ("asm", vec!["--out", &path(&text), &path(&text)]),
        ("check", vec!["--manifest", &path(&manifest), "--html", &path(&stream)]),
    ] {
        std::fs::write(&stream, &words).and_then(|()| std::fs::write(&other, &words)).and_then(|()| std::fs::write(&text, "hex")).expect("files");
        let output = pm4(&[&[name], arguments.as_slice()].concat());
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{name} {arguments:?}: {complaint}");
        assert!(complaint.contains("would overwrite the input"), "{complaint}");
        assert!(std::fs::read(&stream).is_ok_and(|now| now == words) && std::fs::read(&text).is_ok_and(|now| now == b"hex"), "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder of this test");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin");
    for (arguments, complaint) in [
        (vec!["check", "--chip", "navi31", "--allow", "POPS-11", "--deny", "pops-11", capture], "--allow POPS-11 and --deny POPS-11 contradict each other"),
        (vec!["check", "--chip", "navi31", "--shader-engines", "0", capture], "0 is not in 1..=64"),
        (vec!["check", "--chip", "navi31", &format!("{capture}@0x1002")], "the address must be a multiple of 4"),
        (vec!["check", "--chip", "navi31", &format!("{capture}@0xfffffffffffffffc")], "the end of the address space"),
        (vec!["waves", "--list-mutations", "--mutate", "no-overlap-test"], "cannot be used with"),
        (vec!["waves", "--waves", "10000001"], "10000001 is not in 1..=10000000"),
    ] {
        let output = pm4(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {said}");
        assert!(said.contains(complaint), "{arguments:?}: {said}");
    }
}

#[test]
fn every_shell_completes_every_command_and_its_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = pm4(&["completions", shell]);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{shell}");
        let script = String::from_utf8(output.stdout).expect("UTF-8");
        for word in examples::PROGRAMS.into_iter().chain(["completions", "man", "max-dwords", "legacy-geometry", "watch", "settle"]) {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    let unknown = pm4(&["completions", "no-such-shell"]);
    assert_eq!((unknown.status.code(), unknown.stdout.len()), (Some(2), 0));
}

#[test]
fn each_command_has_a_manual_page_with_its_options_and_examples() {
    let folder = std::env::temp_dir().join(format!("pm4 manual {}", std::process::id()));
    let written = pm4(&["man", folder.to_str().expect("UTF-8")]);
    assert_eq!((written.status.code(), written.stdout.len(), written.stderr.len()), (Some(0), 0, 0));
    for name in examples::PROGRAMS.into_iter().chain(["completions", "man", "watch"]) {
        let page = std::fs::read_to_string(folder.join(format!("pm4-{name}.1"))).expect("a page for each command");
        assert!(page.contains(".SH OPTIONS") && page.contains(&format!("pm4 {name} ")), "{page}");
    }
    assert!(std::fs::read_to_string(folder.join("pm4.1")).expect("the page of pm4").contains("pm4\\-waves(1)"));
    std::fs::remove_dir_all(&folder).expect("the folder was made here");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = pm4(&["man", file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(file), "what is no folder is named");
}

/// Returns a shell command line that feeds a program slowly enough for progress to be shown.
#[cfg(unix)]
fn fed_slowly(command: &str) -> String {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin");
    // Once, and more than programs process between two checks of the clock after working for a while.
    let piece = if command.starts_with("asm") {
        format!("'{}' dump --format json --chip navi31 '{capture}'", examples::file("pm4").display())
    } else {
        format!("cat '{capture}'")
    };
    format!("({piece}; sleep 0.7; for i in $(seq 100); do {piece}; done) | '{}' {command} >/dev/null", examples::file("pm4").display())
}

#[cfg(unix)]
#[test]
fn progress_is_shown_on_a_terminal_only() {
    // Each feeds its program slowly: run in parallel, they take no longer than one.
    std::thread::scope(|scope| {
        for command in ["dump --chip navi31 -", "check --chip navi31 -", "asm"] {
            scope.spawn(move || {
                let piped = Command::new("sh").args(["-c", &fed_slowly(command)]).output().expect("a shell");
                assert!(piped.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&piped.stderr));
            });
            // script(1) of util-linux runs a command on a terminal of its own.
            scope.spawn(move || match Command::new("script").args(["-qec", &fed_slowly(command), "/dev/null"]).stdin(Stdio::null()).output() {
                Ok(seen) if cfg!(target_os = "linux") => {
                    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
                    assert!(seen.contains("standard input: ") && seen.contains("/s"), "{command}: {seen}");
                    assert!(seen.trim_end_matches(['\r', '\n']).ends_with("\x1b[2K"), "{command}: the line is gone at the end: {seen:?}");
                }
                _ => eprintln!("skipped: progress at a terminal (script is not installed)"),
            });
        }
    });
}
