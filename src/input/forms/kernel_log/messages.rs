//! The messages of a line, which may hold records of JSON.

use crate::input::ground::text::{self, cut};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Characters of a line that is read although it is cut off. Linux prints no longer ones (unverified).
pub(super) const LONGEST_LINE: usize = 1024;

/// The values of a key of JSON in a text.
pub(super) fn values<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(key).filter_map(move |(at, _)| text[at + key.len()..].trim_start().strip_prefix(':'))
}

/// What a line says: where it is JSON, as journalctl and dmesg print it, the values of the key of messages, of each record that the line has. journalctl prints
/// messages that are no UTF-8 as lists of bytes.
pub(super) fn messages(text: &str) -> Vec<Cow<'_, str>> {
    let string = |value: &str| serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok();
    let bytes = |value: &str| serde_json::Deserializer::from_str(value).into_iter::<Vec<u8>>().next()?.ok();
    // What is cut off is taken as it is, up to the longest line of a kernel; null is no message.
    let rest = |value: &str| {
        let rest: String = value.trim_start().strip_prefix('"')?.chars().take(LONGEST_LINE).collect();
        rest.split("\",").next().map(String::from)
    };
    let message =
        |value: &str| string(value).or_else(|| Some(String::from_utf8_lossy(&bytes(value)?).into_owned())).or_else(|| rest(value)).unwrap_or_default();
    let found = |key| values(text, key).map(message).map(Cow::Owned).collect::<Vec<Cow<'_, str>>>();
    // journalctl, dmesg, and what collects logs of many machines or of containers.
    let of_json = ["\"MESSAGE\"", "\"msg\"", "\"message\"", "\"log\""].into_iter().map(found).find(|found| found.iter().any(|message| !message.is_empty()));
    of_json.unwrap_or_else(|| [Cow::Borrowed(text)].into())
}

/// What the records of a line say, of each; where some say nothing, the last one said.
pub(super) fn of_each<T: Clone>(said: Vec<T>, records: usize) -> Vec<Option<T>> {
    if said.len() == records { said.into_iter().map(Some).collect() } else { alloc::vec![said.last().cloned(); records] }
}

/// A boot comes back after another one: the log is of several machines, which run at once.
pub(super) fn boots_are_mixed(bytes: &[u8]) -> bool {
    let mut all: Vec<String> = Vec::new();
    for line in text::lines(bytes).take(FIRST_LINES) {
        for boot in boot_ids(&line.text) {
            match all.iter().rposition(|other| other == boot) {
                Some(at) if at + 1 < all.len() => return true,
                Some(_) => {}
                None => all.push(boot.to_string()),
            }
        }
    }
    false
}

/// The boots of the records of JSON on a line.
pub(super) fn boot_ids(text: &str) -> Vec<&str> {
    values(text, "\"_BOOT_ID\"").map(|value| cut(value.trim_start().trim_start_matches('"'), |c| c.is_ascii_alphanumeric())).collect()
}

/// Lines by which the order of a log is known.
pub(super) const FIRST_LINES: usize = 1 << 14;
