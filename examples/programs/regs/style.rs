//! Colours and line breaks.

use clap::builder::styling::{AnsiColor, Style};

/// Width of a page in columns.
pub const WIDTH: usize = 112;

#[derive(Clone, Copy, Default)]
pub struct Styles {
    pub title: Style,
    pub differs: Style,
    pub faint: Style,
}

impl Styles {
    /// Returns styles with or without colours.
    pub fn colored(yes: bool) -> Self {
        if !yes {
            return Self::default();
        }
        Self { title: Style::new().bold(), differs: AnsiColor::Yellow.on_default(), faint: Style::new().dimmed() }
    }
}

/// A space at which lines do not break.
pub const NBSP: char = '\u{a0}';

/// Breaks a text at spaces into lines of at most `width` characters; longer words get their own line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let more = word.chars().count();
        if length > 0 && length + 1 + more > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += more;
    }
    if length > 0 {
        lines.push(line);
    }
    lines.into_iter().map(|line| line.replace(NBSP, " ")).collect()
}
