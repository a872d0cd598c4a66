//! How far a program is, on the last line of a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work that takes less is not told, and how often a line is written anew.
const SILENT: Duration = Duration::from_millis(500);
const EVERY: Duration = Duration::from_millis(100);

/// A line on standard error that says how much of an input is done; none unless standard error is a terminal and standard output is not. It is gone when this is.
pub struct Progress {
    program: &'static str,
    /// Bytes of the input, where they are known.
    total: Option<u64>,
    done: u64,
    began: Instant,
    /// When the line was written last.
    told: Option<Instant>,
    wanted: bool,
}

impl Progress {
    /// Of an input of so many bytes.
    pub fn of(program: &'static str, total: Option<u64>) -> Self {
        let wanted = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { program, total: total.filter(|total| *total > 0), done: 0, began: Instant::now(), told: None, wanted }
    }

    /// So many more bytes are done.
    pub fn add(&mut self, bytes: usize) {
        self.done += bytes as u64;
        let now = Instant::now();
        if self.wanted && now - self.began >= SILENT && self.told.is_none_or(|told| now - told >= EVERY) {
            self.told = Some(now);
            let _ = write!(io::stderr(), "\r\x1b[K{}: {}", self.program, line(self.done, self.total, now - self.began));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.told.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// `1200 of 4187 MB, 28 %, 41 MB per second`
fn line(done: u64, total: Option<u64>, time: Duration) -> String {
    let mega = |bytes: u64| bytes / 1_000_000;
    let speed = done as f64 / 1e6 / time.as_secs_f64().max(1e-3);
    match total {
        Some(total) => format!("{} of {} MB, {} %, {speed:.0} MB per second", mega(done), mega(total), (100 * done / total).min(100)),
        None => format!("{} MB, {speed:.0} MB per second", mega(done)),
    }
}
