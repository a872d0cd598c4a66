//! `pm4` does what the example programs do.

#[path = "support/examples.rs"]
mod examples;

use std::process::{Command, Stdio};

fn pm4(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_pm4")).args(arguments).stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn each_example_is_a_command_that_prints_the_same() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures/navi31/toggle_none_pixel_none_sample_none_s2.bin");
    let cases: [(&str, &[&str]); 8] = [
        ("dump", &["--chip", "navi31", "--queue", "gfx", capture, "--queue", "compute", capture]),
        ("check", &["--chip", "navi31", "--format", "json", capture]),
        ("asm", &["/missing/folder"]),
        ("draw", &["--chip", "vega10", "--explain"]),
        ("draws", &["--case", "no such case"]),
        ("frame", &["--chip", "navi10"]),
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
