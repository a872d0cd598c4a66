//! Where programs print: standard output, with a pager before it where a person reads.

use super::arguments::Color;
use clap::Args;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// Options of programs that print much.
#[derive(Debug, Clone, Copy, Args)]
pub struct Paging {
    /// Print to the terminal at once; else long output goes through the pager that PAGER names, or less
    #[arg(long)]
    no_pager: bool,
}

/// Standard output, or a pager that is closed and waited for when this is dropped.
pub struct Output {
    out: Option<Box<dyn Write>>,
    pager: Option<Child>,
    color: bool,
}

impl Output {
    /// Standard output; if that is a terminal, a pager before it unless none is wanted.
    pub fn open(paging: Paging, color: Color) -> Self {
        let stdout = io::stdout();
        let color = color.of(&stdout);
        let mut pager = if stdout.is_terminal() && !paging.no_pager { pager(std::env::var("PAGER").ok()) } else { None };
        let out: Box<dyn Write> = match pager.as_mut().and_then(|pager| pager.stdin.take()) {
            Some(input) => Box::new(input),
            None => Box::new(stdout.lock()),
        };
        Self { out: Some(out), pager, color }
    }

    /// Whether text is coloured.
    pub fn color(&self) -> bool {
        self.color
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(0), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.out = None;
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
