//! Builds the page: `pm4-web MODULE.wasm PAGE.html`. Prints the sizes of the parts, and fails if one exceeds its budget.

use flate2::Compression;
use flate2::write::GzEncoder;
use pm4::report::NewFile;
use pm4::report::html::{AppPage, Manual};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// The most bytes of module and page, each gzip-compressed: 1 MiB.
const BUDGET: usize = 1 << 20;

const LOOK: &str = include_str!("../page/page.css");
const SCRIPT: &str =
    concat!(include_str!("../page/thread.js"), include_str!("../page/drop.js"), include_str!("../page/registers.js"), include_str!("../page/page.js"));
const WORKER: &str = include_str!("../page/worker.js");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, page] = arguments.as_slice() else {
        eprintln!("usage: pm4-web MODULE.wasm PAGE.html");
        return ExitCode::from(2);
    };
    match write(Path::new(module), Path::new(page)) {
        Ok(size) if size <= BUDGET => ExitCode::SUCCESS,
        Ok(size) => {
            eprintln!("pm4-web: module and page take {size} bytes, more than {BUDGET}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("pm4-web: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the page; returns the compressed sizes of its parts.
fn write(module: &Path, page: &Path) -> io::Result<usize> {
    let module = std::fs::read(module).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", module.display())))?;
    let parts = [("worker", WORKER.as_bytes()), ("manual_look", Manual::look().as_bytes())];
    let shell = |data| AppPage { title: "pm4: read a dump of an AMD GPU", look: LOOK, script: SCRIPT, data };
    let mut empty = Vec::new();
    shell(&parts).write(&mut empty)?;
    let mut whole = Vec::new();
    shell(&[parts[0], parts[1], ("module", &module)]).write(&mut whole)?;
    NewFile::write_all(page, &whole)?;
    let (of_module, of_page) = (packed(&module)?, packed(&empty)?);
    println!("module: {} bytes, {of_module} with gzip", module.len());
    println!("page without module: {} bytes, {of_page} with gzip", empty.len());
    println!("{}: {} bytes", page.display(), whole.len());
    Ok(of_module + of_page)
}

fn packed(bytes: &[u8]) -> io::Result<usize> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?.len())
}
