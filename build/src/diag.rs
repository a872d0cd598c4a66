//! Mistakes in description files, with their place and a helpful message.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// A description file: the name shown in messages, and the text.
#[derive(Debug, Clone)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// A place in one of the loaded files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub file: usize,
    pub range: Range<usize>,
}

/// Returns `did you mean …?` for a name that differs from a known one by one or two slips.
pub fn did_you_mean(name: &str, known: &[&str]) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for &other in known {
        let this = (slips(name, other), other);
        if best.is_none_or(|best| this < best) {
            best = Some(this);
        }
    }
    match best {
        Some((slips, best)) if slips * 3 <= name.len() => Some(format!("did you mean `{best}`?")),
        _ => None,
    }
}

/// Returns the number of bytes to insert, delete or replace to turn one name into the other; swapping two adjacent bytes counts as two.
fn slips(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let best = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

/// A mistake: what is wrong and where, other places that it affects, and how to fix it.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub message: String,
    pub at: Span,
    pub label: String,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
}

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Diagnostic {
    pub fn new(at: Span, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { message: message.into(), at, label: String::new(), related: Vec::new(), help: None })
    }

    pub fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = label.into();
        self
    }

    pub fn related(mut self: Box<Self>, at: Span, label: impl Into<String>) -> Box<Self> {
        self.related.push((at, label.into()));
        self
    }

    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Formats the message like rustc, without colour: `error: …`, `--> file:line:col`, the line, the mark.
    pub fn render(&self, files: &[Source]) -> String {
        let snippet = |span: &Span, kind: AnnotationKind, label: &str| {
            let file = &files[span.file];
            let range = span.range.start.min(file.text.len())..span.range.end.min(file.text.len());
            let mark = kind.span(range);
            let mark = if label.is_empty() { mark } else { mark.label(label.to_owned()) };
            Snippet::source(file.text.clone()).path(file.name.clone()).annotation(mark)
        };
        let mut groups: Vec<Group<'_>> =
            vec![Level::ERROR.primary_title(self.message.as_str()).element(snippet(&self.at, AnnotationKind::Primary, &self.label))];
        for (span, label) in &self.related {
            groups.push(Level::NOTE.secondary_title(label.as_str()).element(snippet(span, AnnotationKind::Primary, "")));
        }
        if let Some(help) = &self.help {
            groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
        }
        Renderer::plain().render(&groups)
    }
}
