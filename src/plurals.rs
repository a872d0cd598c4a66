//! Numbers with their nouns, and lists of names, as messages of several modules print them.

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

/// `1 draw is`, `2 draws are`.
#[cfg(feature = "input")]
pub(crate) fn counted_are<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let verb = if count == N::from(1) { "is" } else { "are" };
    format!("{} {verb}", counted(count, what))
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn all_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => String::from(*one),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
