//! Where programs print: standard output, with a pager before it where a person reads.

use super::arguments::Color;
use clap::Args;
use pm4::report::{OutputFormat, ShownOutput};
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// Options of programs that print much.
#[derive(Debug, Clone, Copy, Args)]
pub struct Paging {
    /// Do not use a pager. Without this option, long output on a terminal goes through the pager that the variable PAGER names, or through `less`
    #[arg(long)]
    no_pager: bool,
}

/// Standard output, or a pager that is closed and waited for when this is dropped.
pub struct Output {
    out: Option<ShownOutput<Box<dyn Write>>>,
    pager: Option<Child>,
    color: bool,
    /// What the reader of a pipe no longer takes is dropped: something else than this output needs the work to go on.
    goes_on: bool,
}

impl Output {
    /// Standard output; if that is a terminal, a pager before it unless none is wanted. What a terminal would act on does not reach it.
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

    /// A page is written beside this output: its content is complete even where the reader of a pipe goes away.
    pub fn beside_page(mut self, page: bool) -> Self {
        self.goes_on = page;
        self
    }

    /// Whether text is coloured.
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
        // Whoever wants to know whether it was written has flushed it.
        let _ = self.out.take().map(ShownOutput::finish);
        if let Some(mut pager) = self.pager.take() {
            let _ = pager.wait();
        }
    }
}

/// Starts a pager. There is none where PAGER is empty or `cat`, and where it cannot be started.
fn pager(named: Option<String>) -> Option<Child> {
    let named = named.unwrap_or_else(|| "less".to_owned());
    let mut words = named.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    // less: short output stays on the screen, colours pass through.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}
