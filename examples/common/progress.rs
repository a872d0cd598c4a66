//! Shows progress on the last line of a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pm4::cp::{Observer, Place};
use pm4::packet::{Packet, Queue};
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Work shorter than this is not shown, and the line is updated at most `RATE` times per second.
const SILENT: Duration = Duration::from_millis(500);
const RATE: u8 = 10;
/// Bytes between two checks of the clock.
const STEP: u64 = 1 << 18;

/// When a program works on an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum During {
    /// Before it prints: the terminal is free.
    Reading,
    /// While it prints: progress would disturb output on the same terminal.
    Printing,
}

/// A line on standard error that shows how much of an input has been processed. Only shown if standard error is a terminal and nothing else is printed to a
/// terminal. Dropping it clears the line.
pub struct Progress {
    bar: ProgressBar,
    wanted: bool,
    began: Instant,
    /// Processed bytes, and those already reported to the bar.
    done: u64,
    told: u64,
}

impl Progress {
    /// Creates progress for an input with a name, and the number of bytes if known.
    pub fn of(name: &str, total: Option<u64>, during: During) -> Self {
        let wanted = io::stderr().is_terminal() && (during == During::Reading || !io::stdout().is_terminal());
        let template = match total {
            Some(_) => "{prefix}: {bytes} of {total_bytes}, {percent} %, {bytes_per_sec}, {eta} left",
            None => "{prefix}: {bytes}, {bytes_per_sec}",
        };
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()).with_prefix(name.to_owned());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, wanted, began: Instant::now(), done: 0, told: 0 }
    }

    /// Counts processed bytes.
    pub fn add(&mut self, bytes: u64) {
        self.done += bytes;
        if !self.wanted || self.done - self.told < STEP {
            return;
        }
        self.told = self.done;
        if self.bar.is_hidden() && self.began.elapsed() >= SILENT {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(RATE));
        }
        self.bar.set_position(self.done);
    }

    /// Returns whether it is shown.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }
}

/// Counts the packets that the model executes.
impl Observer for Progress {
    fn packet(&mut self, _: Queue, _: Place, packet: &Packet<'_>) {
        self.add(4 * packet.dwords() as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A reader that reports progress.
pub struct Watched<R> {
    from: R,
    progress: Progress,
}

impl<R: Read> Watched<R> {
    /// Watches a reader of the file at `path`, or of standard input, whose length is unknown.
    pub fn new(from: R, path: &Path, during: During) -> Self {
        let name = if path.as_os_str() == "-" { "standard input".into() } else { path.to_string_lossy() };
        let total = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|about| about.len());
        Self { from, progress: Progress::of(&name, total, during) }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(bytes)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}
