//! Turns the descriptions in `regdb/` into Rust code. The crate `pm4-regdb` in `build/` does the work.

use pm4_regdb::diag::Source;
use pm4_regdb::gfx::{FAMILIES, GENERATIONS, GfxSet};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=regdb");
    let mut files = match read_all(Path::new("regdb")) {
        Ok(files) => files,
        Err(e) => return fail(&format!("regdb cannot be read: {e}")),
    };
    if !files.iter().any(|file| file.name == "regdb/sources.toml") {
        return fail("regdb/sources.toml is missing: it names the sources of registers");
    }
    if env::var_os("CARGO_FEATURE_TEST_PACKET").is_some() {
        const MADE_UP: &str = "tests/made_up/made_up.toml";
        println!("cargo::rerun-if-changed={MADE_UP}");
        match fs::read_to_string(MADE_UP) {
            Ok(text) => files.push(Source { name: "regdb/packets/made_up.toml".into(), text }),
            Err(e) => return fail(&format!("{MADE_UP} cannot be read: {e}")),
        }
    }
    match pm4_regdb::generate(&files, enabled()) {
        Ok(output) => {
            let Some(folder) = env::var_os("OUT_DIR") else { return fail("OUT_DIR is not set: run this through cargo") };
            for (name, text) in output {
                if let Err(e) = fs::write(Path::new(&folder).join(name), text) {
                    return fail(&format!("{name} cannot be written: {e}"));
                }
            }
            ExitCode::SUCCESS
        }
        Err(mistakes) => {
            for mistake in &mistakes {
                eprintln!("{}\n", mistake.render(&files));
            }
            let count = mistakes.len();
            fail(&format!("{count} {} in the descriptions of regdb", if count == 1 { "mistake" } else { "mistakes" }))
        }
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}

/// Returns the generations whose feature is enabled. Each of them and each of their families also sets a cfg with the name of its variant: `on_gfx!` drops the
/// arms of all others.
fn enabled() -> GfxSet {
    let mut set = GfxSet::NONE;
    for (index, generation) in GENERATIONS.iter().enumerate() {
        println!("cargo::rustc-check-cfg=cfg({})", generation.variant);
        if env::var_os(format!("CARGO_FEATURE_{}", generation.id.to_uppercase())).is_some() {
            println!("cargo::rustc-cfg={}", generation.variant);
            set = set.or(GfxSet::only(index));
        }
    }
    for family in FAMILIES.iter().filter(|family| !family.is_one()) {
        println!("cargo::rustc-check-cfg=cfg({})", family.variant);
        if !set.and(family.gfx).is_empty() {
            println!("cargo::rustc-cfg={}", family.variant);
        }
    }
    set
}

/// Reads all .toml files below `folder`, sorted by name.
fn read_all(folder: &Path) -> io::Result<Vec<Source>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                paths.push(entry?.path());
            }
        } else {
            paths.push(path);
        }
    }
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut files = Vec::new();
    for path in &paths {
        let name = path.to_string_lossy().replace('\\', "/");
        match fs::read_to_string(path) {
            Ok(text) => files.push(Source { name, text }),
            Err(error) => return Err(io::Error::new(error.kind(), format!("{name}: {error}"))),
        }
    }
    Ok(files)
}
