//! The messages of a line, which may hold records of JSON.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Characters of a line that is read although it is cut off. Linux prints no longer ones (unverified).
pub(super) const LONGEST_LINE: usize = 1024;

/// Returns the values of a key of JSON in a text.
pub(super) fn values<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    // Each ends where the key comes again: quotes in a value are escaped.
    text.split(key).skip(1).filter_map(|rest| rest.trim_start().strip_prefix(':'))
}

/// The keys of messages: of journalctl, of dmesg, and of what collects logs of many machines or of containers.
const KEYS: [&str; 4] = ["\"MESSAGE\"", "\"msg\"", "\"message\"", "\"log\""];

/// Returns whether a line has records of JSON, which end where JSON says.
pub(super) fn is_json(text: &str) -> bool {
    KEYS.iter().any(|key| values(text, key).next().is_some())
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
    let of_json = KEYS.into_iter().map(found).find(|found| found.iter().any(|message| !message.is_empty()));
    of_json.unwrap_or_else(|| [Cow::Borrowed(text)].into())
}

/// Lines by which the order of a log is known.
pub(super) const FIRST_LINES: usize = 1 << 14;
