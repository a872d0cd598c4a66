//! Writes all pages to a folder.

use super::links::Links;
use super::page::{Page, Write};
use super::{list_pages, packet_pages, register_pages};
use crate::report::ground::NewFile;
use crate::report::html::shell;
use alloc::format;
use alloc::string::{String, ToString};
use std::fs;
use std::io;
use std::path::Path;

/// Writes the manual to a folder, with `index.html` as the first page. Creates the folder if needed; other files in it remain. Returns the number of pages.
///
/// The page of a register compares all generations: addresses, bits, fields that moved or changed, values, sources and where they disagree, the packets that
/// set it, and the rules and errata that name it. A search box finds names, fields and addresses while typing.
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
/// Returns an error if the folder or a file cannot be written.
pub fn write_manual(folder: &Path) -> io::Result<usize> {
    let links = Links::new();
    for part in ["register", "block", "values", "packet"] {
        fs::create_dir_all(folder.join(part))?;
    }
    let script = format!("{}{MANUAL_SCRIPT}{}", shell::TOOLS, include_str!("../assets/manual_start.js"));
    let search = format!("\"use strict\";\nconst FOUND_IN = {};\n", list_pages::search_list(&links));
    NewFile::write_all(&folder.join("manual.css"), format!("{}{MANUAL_LOOK}", shell::LOOK).as_bytes())?;
    NewFile::write_all(&folder.join("manual.js"), script.as_bytes())?;
    NewFile::write_all(&folder.join("search.js"), search.as_bytes())?;
    let mut pages = 0;
    all(&links, &mut |page: Page<'_>| {
        pages += 1;
        NewFile::write_all(&folder.join(&page.path), page.render().as_bytes())
    })?;
    Ok(pages)
}

/// Passes each page to `write`.
fn all(links: &Links, write: Write<'_>) -> io::Result<()> {
    register_pages::all(links, write)?;
    packet_pages::all(links, write)?;
    list_pages::all(links, write)
}

/// The style of manual pages, after that of all pages; and their search script.
const MANUAL_LOOK: &str = include_str!("../assets/manual.css");
const MANUAL_SCRIPT: &str = include_str!("../assets/manual.js");

/// The manual page by page, for a program that shows it itself, such as the page of `web/`.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// let manual = pm4::report::html::Manual::new();
/// let page = manual.page("register/DB_SHADER_CONTROL.html").unwrap();
/// assert_eq!(page.title, "DB_SHADER_CONTROL");
/// assert!(page.content.contains("../packets.html"), "links are those of the folder");
/// assert!(manual.page("register/none.html").is_none());
/// assert!(manual.search().starts_with("[["));
/// assert!(pm4::report::html::Manual::look().contains("table.fields"));
/// # }
/// ```
pub struct Manual(Links);

/// A page of the manual.
///
/// For an example, see [`Manual`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualPage {
    /// The title.
    pub title: String,
    /// The HTML content of its body. No part of it comes from an input.
    pub content: String,
}

impl Default for Manual {
    fn default() -> Self {
        Self::new()
    }
}

impl Manual {
    /// Collects all link targets.
    pub fn new() -> Self {
        Self(Links::new())
    }

    /// Returns the page at a path within the folder.
    pub fn page(&self, path: &str) -> Option<ManualPage> {
        let mut found = None;
        // Writes nothing, so it cannot fail.
        let _ = all(&self.0, &mut |page: Page<'_>| {
            if page.path == path {
                found = Some(ManualPage { title: page.title.clone(), content: page.content().into_string() });
            }
            Ok(())
        });
        found
    }

    /// Returns the search index as JSON: names, kinds, places, addresses, contained names.
    pub fn search(&self) -> String {
        list_pages::search_list(&self.0).to_string()
    }

    /// Returns the style of the manual's pages, which comes after the first style of an [`AppPage`](crate::report::html::AppPage).
    pub fn look() -> &'static str {
        MANUAL_LOOK
    }
}
