//! The manual: registers, value lists, packets and rules of all generations as a folder of pages, with links both ways.

mod links;
mod list_pages;
mod packet_pages;
mod register_pages;

use super::shell;
use crate::chip::Gfx;
use alloc::format;
use alloc::string::{String, ToString};
use links::Links;
use maud::{DOCTYPE, Markup, html};
use std::fs;
use std::io;
use std::path::Path;
use strum::IntoEnumIterator;

/// Scripts and styles are files of the folder; nothing else is loaded. Pages that are opened as files have no origin; `file:` is used for it.
const POLICY: &str = "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src data:";

/// Writes the manual to a folder: `index.html` is the first page. Creates the folder if needed. Files of other names in it stay. Returns the number of pages.
///
/// Each register has a page with all generations side by side: addresses, bits, fields that moved or changed, values, who lists it and where the sources
/// disagree, the packets that set it, and the rules and errata that name it. A search finds names, fields and addresses as they are typed.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("pm4-manual-{}", std::process::id()));
/// let pages = pm4::report::html::write_manual(&folder)?;
/// assert!(pages > 100 && folder.join("index.html").exists());
/// std::fs::remove_dir_all(folder)
/// # ;Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What making a folder or writing a file fails with.
pub fn write_manual(folder: &Path) -> io::Result<usize> {
    let links = Links::new();
    for part in ["register", "block", "values", "packet"] {
        fs::create_dir_all(folder.join(part))?;
    }
    let look = format!("{}{}", shell::LOOK, include_str!("../assets/manual.css"));
    fs::write(folder.join("manual.css"), look)?;
    fs::write(folder.join("manual.js"), format!("{}{}", shell::TOOLS, include_str!("../assets/manual.js")))?;
    fs::write(folder.join("search.js"), list_pages::search_data(&links))?;
    let mut pages = 0;
    let mut write = |page: Page| {
        pages += 1;
        fs::write(folder.join(&page.path), page.render())
    };
    register_pages::all(&links, &mut write)?;
    packet_pages::all(&links, &mut write)?;
    list_pages::all(&links, &mut write)?;
    Ok(pages)
}

/// Takes a page.
type Write<'w> = &'w mut dyn FnMut(Page) -> io::Result<()>;

/// A page of the folder.
struct Page {
    /// Where it is, from the folder.
    path: String,
    title: String,
    /// Which part of the manual it belongs to: the link that is marked.
    part: &'static str,
    body: Markup,
}

/// The parts that are at the top of each page.
const PARTS: [(&str, &str); 4] = [("index.html", "Registers"), ("packets.html", "Packets"), ("values.html", "Values"), ("rules.html", "Rules")];

impl Page {
    fn render(&self) -> String {
        let up = if self.path.contains('/') { "../" } else { "" };
        let look = html! { link rel="stylesheet" href={ (up) "manual.css" }; };
        html! {
            (DOCTYPE)
            html lang="en" data-up=(up) {
                (shell::head(&format!("{}: AMD GPU registers", self.title), POLICY, look))
                body {
                    header.top {
                        nav aria-label="Parts of the manual" {
                            @for (path, name) in PARTS {
                                a href={ (up) (path) } aria-current=[(self.part == path).then_some("page")] { (name) }
                            }
                        }
                        div.search.no-print {
                            input #search type="search" placeholder="register, field, 0x address, packet, rule" autocomplete="off" spellcheck="false" aria-label="Search the manual" role="combobox" aria-expanded="false" aria-controls="found";
                            div #found role="listbox" hidden {}
                        }
                        span #buttons.no-print {}
                    }
                    main { (self.body) }
                    footer.dim { "Made from regdb by pm4 " (env!("CARGO_PKG_VERSION")) ". What is written here is what the sources named on each page say." }
                    script src={ (up) "search.js" } {}
                    script src={ (up) "manual.js" } {}
                }
            }
        }
        .into_string()
    }
}

/// All generations that are built.
fn generations() -> impl Iterator<Item = Gfx> {
    Gfx::iter()
}

/// The header cells of a table with a column for each generation.
fn generation_heads() -> Markup {
    html! { @for gfx in generations() { th.gfx scope="col" { (crate::report::generations::name(gfx)) } } }
}

/// A dot for each generation that has something.
fn dots(set: &[Gfx], of: &[Gfx]) -> Markup {
    html! {
        @for gfx in generations() {
            @let (mark, what) = match (set.contains(&gfx), of.contains(&gfx)) { (true, _) => ("●", "yes"), (false, true) => ("·", "no"), (false, false) => ("", "none") };
            td.gfx aria-label=(what) { (mark) }
        }
    }
}

/// A file name of a name: what is not a letter, digit, dot or hyphen is replaced.
fn file(name: &str) -> String {
    let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' }).collect();
    safe.to_string() + ".html"
}
