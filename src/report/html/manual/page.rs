//! A page of the manual, and the parts that all pages share.

use crate::chip::Gfx;
use crate::report::html::shell;
use alloc::format;
use alloc::string::{String, ToString};
use maud::{DOCTYPE, Markup, html};
use std::io;
use strum::IntoEnumIterator;

/// Scripts and styles are files in the folder; nothing else is loaded. A page opened as a file has no origin, so `file:` is allowed as well.
const POLICY: &str = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'";

/// Receives a page, and builds its body if needed.
pub(super) type Write<'w> = &'w mut dyn FnMut(Page<'_>) -> io::Result<()>;

/// A page of the folder.
pub(super) struct Page<'p> {
    /// The path within the folder.
    pub path: String,
    pub title: String,
    /// The part of the manual to which it belongs: the highlighted link.
    pub part: &'static str,
    pub body: &'p dyn Fn() -> Markup,
}

/// The parts linked at the top of each page.
const PARTS: [(&str, &str); 4] = [("index.html", "Registers"), ("packets.html", "Packets"), ("values.html", "Values"), ("rules.html", "Rules")];

impl Page<'_> {
    /// Returns the relative path from the page to the folder.
    fn up(&self) -> &'static str {
        if self.path.contains('/') { "../" } else { "" }
    }

    /// Returns the page without its head and scripts.
    pub fn content(&self) -> Markup {
        let up = self.up();
        html! {
            header.top {
                nav aria-label="Parts of the manual" {
                    @for (path, name) in PARTS {
                        a href={ (up) (path) } aria-current=[(self.part == path).then_some("page")] { (name) }
                    }
                }
                div.search.no-print {
                    input #search type="search" placeholder="register, field, 0x address, packet, rule" autocomplete="off" spellcheck="false" aria-label="Search the manual" role="combobox" aria-expanded="false" aria-controls="found";
                    div #found role="listbox" aria-label="Found" hidden {}
                }
                span #buttons.no-print {}
            }
            main { ((self.body)()) }
            footer.dim { "Made from regdb by pm4 " (env!("CARGO_PKG_VERSION")) ". What is written here is what the sources named on each page say." }
        }
    }

    pub fn render(&self) -> String {
        let up = self.up();
        let look = html! { link rel="stylesheet" href={ (up) "manual.css" }; };
        html! {
            (DOCTYPE)
            html lang="en" data-up=(up) {
                (shell::head(&format!("{}: AMD GPU registers", self.title), POLICY, look))
                body {
                    (self.content())
                    script src={ (up) "search.js" } {}
                    script src={ (up) "manual.js" } {}
                }
            }
        }
        .into_string()
    }
}

/// Returns all generations that are compiled in.
pub(super) fn generations() -> impl Iterator<Item = Gfx> {
    Gfx::iter()
}

/// Returns the header cells of a table with a column for each generation.
pub(super) fn generation_heads() -> Markup {
    html! { @for gfx in generations() { th.gfx scope="col" { (crate::report::generations::name(gfx)) } } }
}

/// Returns a table cell per generation, with a dot if the generation has the item.
pub(super) fn dots(set: &[Gfx], of: &[Gfx]) -> Markup {
    html! {
        @for gfx in generations() {
            @let (mark, what) = match (set.contains(&gfx), of.contains(&gfx)) { (true, _) => ("●", "yes"), (false, true) => ("·", "no"), (false, false) => ("", "none") };
            td.gfx aria-label=(what) { (mark) }
        }
    }
}

/// Returns a file name for a name: replaces everything but letters, digits, dots and hyphens.
pub(super) fn file(name: &str) -> String {
    let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' }).collect();
    safe.to_string() + ".html"
}

/// Returns the anchor of a field on the page of its register.
pub(super) fn anchor(field: &str, lo: u8) -> String {
    format!("{field}-{lo}")
}
