//! Writes an input of each form that the library reads to a folder: `samples FOLDER`. `.ci/web` passes them to the page and to `check`.

#[path = "../../tests/support/input_samples.rs"]
mod input_samples;

use pm4::chip::Gfx;
use std::path::Path;
use std::process::ExitCode;

/// A capture with several draws, a buffer that calls another one, and the called buffer.
const CAPTURES: [&[u8]; 3] = [
    include_bytes!("../../tests/captures/navi31/toggle_none_pixel_none_sample_none_s2.bin"),
    include_bytes!("../../tests/captures/navi31/_gfx_initial_preamble_3230bd95.bin"),
    include_bytes!("../../tests/captures/navi31/_gfx_initial_preamble.ib2_0_3ff227d4.bin"),
];
/// The address of the first buffer.
const ADDR: u64 = 0x8001_0020_0000;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: samples FOLDER");
        return ExitCode::from(2);
    };
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>();
    let [job, calls, called] = CAPTURES.map(words);
    let samples = input_samples::all(&job, (&calls, &called), ADDR, Gfx::Gfx11);
    for (number, sample) in samples.iter().enumerate() {
        if let Err(error) = std::fs::write(Path::new(&folder).join(format!("{number:02}")), sample) {
            eprintln!("samples: {}: {error}", Path::new(&folder).display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
