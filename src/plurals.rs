//! Numbers with their nouns, as messages of several modules print them.

use alloc::format;
use alloc::string::String;
use core::fmt::Display;

/// `1 draw`, `2 draws`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let end = match count == N::from(1) {
        true => "",
        false if what.ends_with("ch") => "es",
        false => "s",
    };
    format!("{count} {what}{end}")
}
