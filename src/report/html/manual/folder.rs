//! Writes all pages to a folder.

use super::links::Links;
use super::page::Page;
use super::{list_pages, packet_pages, register_pages};
use crate::report::ground::NewFile;
use crate::report::html::shell;
use alloc::format;
use std::fs;
use std::io;
use std::path::Path;

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
    NewFile::write_all(&folder.join("manual.css"), look.as_bytes())?;
    NewFile::write_all(&folder.join("manual.js"), format!("{}{}", shell::TOOLS, include_str!("../assets/manual.js")).as_bytes())?;
    NewFile::write_all(&folder.join("search.js"), list_pages::search_data(&links).as_bytes())?;
    let mut pages = 0;
    let mut write = |page: Page| {
        pages += 1;
        NewFile::write_all(&folder.join(&page.path), page.render().as_bytes())
    };
    register_pages::all(&links, &mut write)?;
    packet_pages::all(&links, &mut write)?;
    list_pages::all(&links, &mut write)?;
    Ok(pages)
}
