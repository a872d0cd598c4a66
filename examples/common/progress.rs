//! How far a program is, on the last line of a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pm4::cp::{Observer, Place};
use pm4::packet::{Packet, Queue};
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Shorter work is not shown. And how many times per second the line is written at most.
const SILENT: Duration = Duration::from_millis(500);
const RATE: u8 = 10;
/// Bytes between two looks at the clock.
const STEP: u64 = 1 << 18;

/// When a program works on an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum During {
    /// Before it prints: nothing else is on the terminal.
    Reading,
    /// While it prints: two things on one terminal disturb each other.
    Printing,
}

/// A line on standard error that says how much of an input is done: none unless standard error is a terminal, and none beside what is printed to a terminal.
/// It is gone when this is.
pub struct Progress {
    bar: ProgressBar,
    wanted: bool,
    began: Instant,
    /// Bytes that are done, and those of them that the bar knows.
    done: u64,
    told: u64,
}

impl Progress {
    /// Of an input with a name, of so many bytes where that is known.
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

    /// So many more bytes are done.
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

    /// Whether anybody sees it.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }
}

/// It counts the packets that the model executes.
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

/// A reader that reports how much has been read.
pub struct Watched<R> {
    from: R,
    progress: Progress,
}

impl<R: Read> Watched<R> {
    /// Of a file at a path, or of standard input, the length of which nobody knows.
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
