//! Output: standard output, through a pager if a person reads it.

use super::arguments::Color;
use clap::Args;
use pm4::report::{OutputFormat, ShownOutput};
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// Options of programs with long output.
#[derive(Debug, Clone, Copy, Args)]
pub struct Paging {
    /// Do not use a pager. By default, long output on a terminal goes through the pager in the variable PAGER, or through `less`
    #[arg(long)]
    no_pager: bool,
}

/// Standard output or a pager; dropping it closes the pager and waits for it.
pub struct Output {
    out: Option<ShownOutput<Box<dyn Write>>>,
    pager: Option<Child>,
    color: bool,
    /// Whether work continues when the reader of a pipe is gone, because something other than this output needs it.
    goes_on: bool,
}

impl Output {
    /// Opens standard output, through a pager if it is a terminal and a pager is wanted. Control characters are escaped.
    pub fn open(paging: Paging, color: Color, format: OutputFormat) -> Self {
        let stdout = io::stdout();
        let color = color.of(&stdout);
        let mut pager = if stdout.is_terminal() && !paging.no_pager { pager(std::env::var("PAGER").ok()) } else { None };
        let out: Box<dyn Write> = match pager.as_mut().and_then(|pager| pager.stdin.take()) {
            Some(input) => Box::new(input),
            None => Box::new(stdout.lock()),
        };
        Self { out: Some(ShownOutput::new(out, format, color)), pager, color, goes_on: false }
    }

    /// Sets whether a page is written as well: its content must be complete even if the reader of a pipe is gone.
    pub fn beside_page(mut self, page: bool) -> Self {
        self.goes_on = page;
        self
    }

    /// Returns whether text is coloured.
    pub fn color(&self) -> bool {
        self.color
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(out) = &mut self.out else { return Ok(bytes.len()) };
        match out.write(bytes) {
            Err(error) if self.goes_on && error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        match out.flush() {
            Err(error) if self.goes_on && error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(())
            }
            flushed => flushed,
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Callers that need to know about errors have already flushed.
        let _ = self.out.take().map(ShownOutput::finish);
        if let Some(mut pager) = self.pager.take() {
            let _ = pager.wait();
        }
    }
}

/// Starts a pager. Returns None if PAGER is empty or `cat`, or if the pager cannot be started.
fn pager(named: Option<String>) -> Option<Child> {
    let named = named.unwrap_or_else(|| "less".to_owned());
    let mut words = named.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    // For less: short output stays on the screen, colours pass through.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}
