//! The page of a run of the ordered section.

use super::columns;
use super::shell::{self, Block};
use crate::chip::Chip;
use crate::isa;
use crate::report::wave_records;
use crate::waves::{self, PixelAccess, RunOptions, Setup, WaveEvent, WaveFinding, WaveName, WaveObserver};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Waves of each packer to show, and how many of them precede the most important one.
const FOLLOWED: u32 = 400;
const BEFORE: u32 = 40;

/// A page that shows a run of the ordered section as a chart to step through: packers and their waves with ids, what each wave does (start, sleep, access,
/// leave the section, end), the pixels that it accesses, and what is wrong. For a long run, it shows the waves around the first mistake.
///
/// ```
/// use pm4::{chip::Chip, report::html::WavesPage, waves::{RunOptions, Section, Setup}};
/// # #[cfg(feature = "gfx11")] {
/// let setup = Setup::plain(pm4::chip::Gfx::Gfx11);
/// let words = Section::of(&setup).words().unwrap();
/// let options = RunOptions { waves: 50, ..RunOptions::default() };
/// let mut page = Vec::new();
/// WavesPage { chip: Chip::Navi31, setup: &setup, words: &words, options, about: &[] }.write(&mut page)?;
/// assert!(page.starts_with(b"<!DOCTYPE html>"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WavesPage<'a> {
    /// The chip.
    pub chip: Chip,
    /// The configuration that follows from the registers of the draw.
    pub setup: &'a Setup,
    /// The program.
    pub words: &'a [u32],
    /// The number of waves, the seed and the first id.
    pub options: RunOptions,
    /// Further lines to show at the top of the page.
    pub about: &'a [String],
}

/// Events of a wave; the script has the same numbers.
mod event {
    pub const LAUNCH: u32 = 0;
    pub const SLEEP: u32 = 1;
    pub const WAKE: u32 = 2;
    pub const ISSUE_READ: u32 = 3;
    pub const ISSUE_WRITE: u32 = 4;
    pub const DONE: u32 = 5;
    pub const END: u32 = 6;
    /// An access reaches memory; the bits of `access` follow.
    pub const ACCESS: u32 = 7;
}

/// Bits of an access, above its kind.
mod access {
    pub const READ: u32 = 1 << 4;
    pub const WRITE: u32 = 1 << 5;
    pub const LATE: u32 = 1 << 6;
}

/// Records the events of some waves.
struct Follow {
    first: u32,
    /// Waves by packer and number: id, quads, and the newest wave that they overlap.
    waves: BTreeMap<(u8, u32), (usize, Value)>,
    time: Vec<u32>,
    wave: Vec<u32>,
    kind: Vec<u32>,
    /// For accesses: x and y of the first pixel, and the samples.
    pixel: Vec<u32>,
    samples: Vec<u32>,
}

impl Follow {
    fn from(first: u32) -> Self {
        Self { first, waves: BTreeMap::new(), time: Vec::new(), wave: Vec::new(), kind: Vec::new(), pixel: Vec::new(), samples: Vec::new() }
    }

    fn push(&mut self, time: u64, wave: WaveName, kind: u32, pixel: (u32, u32), samples: u32) {
        let Some((number, _)) = self.waves.get(&(wave.packer, wave.number)) else { return };
        self.wave.push(*number as u32);
        self.time.push(u32::try_from(time).unwrap_or(u32::MAX));
        self.kind.push(kind);
        self.pixel.push(pixel.1 << 16 | pixel.0);
        self.samples.push(samples);
    }
}

impl WaveObserver for Follow {
    fn event(&mut self, time: u64, wave: WaveName, event: WaveEvent) {
        if !(self.first..self.first.saturating_add(FOLLOWED)).contains(&wave.number) {
            return;
        }
        let kind = match event {
            WaveEvent::Launch { quads, newest } => {
                let number = self.waves.len();
                let facts = json!([wave.packer, wave.number, wave.id, quads, newest]);
                self.waves.entry((wave.packer, wave.number)).or_insert((number, facts));
                event::LAUNCH
            }
            WaveEvent::Sleep => event::SLEEP,
            WaveEvent::Wake => event::WAKE,
            WaveEvent::Access { write: false } => event::ISSUE_READ,
            WaveEvent::Access { write: true } => event::ISSUE_WRITE,
            WaveEvent::Done => event::DONE,
            WaveEvent::End => event::END,
        };
        self.push(time, wave, kind, (0, 0), 0);
    }

    fn access(&mut self, time: u64, access: &PixelAccess) {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        let kind = event::ACCESS | bit(access.read, access::READ) | bit(access.write, access::WRITE) | bit(access.late, access::LATE);
        self.push(time, access.wave, kind, access.pixel, access.samples);
    }
}

/// Returns the first wave with a finding.
fn first_mistake(report: &waves::Report) -> Option<u32> {
    let of = |finding: &WaveFinding| match finding {
        WaveFinding::Violation(violation) => Some(violation.older.number),
        WaveFinding::Hang(hang) => hang.waiting.first().map(|waiting| waiting.on.unwrap_or(waiting.wave).number),
        WaveFinding::Protocol(error) => Some(error.wave.number),
    };
    report.findings.iter().filter_map(of).min()
}

impl WavesPage<'_> {
    /// Runs the program and writes the page. If something must be found first, it runs twice.
    ///
    /// # Errors
    /// Returns the error from writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { chip, setup, words, options, about } = *self;
        let report = waves::run(setup, words, options);
        let mut follow = Follow::from(first_mistake(&report).unwrap_or(0).saturating_sub(BEFORE));
        // The same seed gives the same run.
        waves::run_observed(setup, words, options, &mut follow);
        let mut list: Vec<(usize, Value)> = follow.waves.into_values().collect();
        list.sort_by_key(|(number, _)| *number);
        let granularity = if setup.overlap_log2 == 0 { "pixels".to_string() } else { format!("{} samples", 1 << setup.overlap_log2) };
        let facts = json!([
            ["POPS", if setup.pops { "on" } else { "off" }],
            ["packers", setup.packers],
            ["lanes of a wave", setup.wave.lanes()],
            ["samples", 1 << setup.samples_log2],
            ["overlap by", granularity],
            ["drain", if setup.drain { "on" } else { "off" }],
            ["export space", if setup.export_space { "on" } else { "off" }],
        ]);
        let lints: Vec<String> = waves::lint(setup, words).iter().map(ToString::to_string).collect();
        // Without POPS, only exports of GFX11 and later have it, and messages of a section whose draw disables POPS.
        let done = match setup.gfx.major() >= 11 {
            _ if setup.pops => Some("leaves the section"),
            true => Some("exports with DONE"),
            false if follow.kind.contains(&event::DONE) => Some("sends ORDERED_PS_DONE"),
            false => None,
        };
        let head = json!({
            "chip": chip.to_string(), "gfx": setup.gfx.to_string(), "about": about, "facts": facts, "packers": setup.packers, "samples": 1 << setup.samples_log2,
            "program": isa::disassemble(setup.gfx, words).to_string(), "lints": lints, "waves": list.into_iter().map(|(_, facts)| facts).collect::<Vec<_>>(),
            "result": wave_records::result_record(&report), "done": done, "followed": FOLLOWED, "first": follow.first,
        });
        let mut blocks = Vec::from([Block::new("head", head.to_string().into_bytes())]);
        blocks.push(columns::differences("time", &follow.time));
        for (name, column) in [("wave", &follow.wave), ("kind", &follow.kind), ("pixel", &follow.pixel), ("samples", &follow.samples)] {
            blocks.push(columns::numbers(name, column));
        }
        let script = include_str!("assets/waves.js");
        shell::write(out, &format!("{chip}: ordered section"), include_str!("assets/waves.css"), script, blocks)
    }
}
