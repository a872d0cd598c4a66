//! Compares the text form of a packet with its words.

use super::to_text::line;
use crate::queues::{QueueFamily, QueuePacket, Version};
use alloc::format;
use alloc::string::String;

/// The beginning of the line that names queue and version.
pub(in crate::report) const TITLE: &str = "# queue ";

/// Returns the queue and version of a title, given without its beginning; None for a remark that begins like a title.
pub(in crate::report) fn version(title: &str) -> Option<Version> {
    let (family, version) = title.split_once(", version ")?;
    Version::new(QueueFamily::from_name(family)?, version)
}

/// Returns the first part of a line that contradicts the words of the packet; None if they agree.
pub(in crate::report) fn contradiction(version: Version, words: &[u32], said: &str) -> Result<Option<String>, String> {
    let Some(packet) = QueuePacket::at(version, words) else {
        return Err(format!("these words do not begin with a packet of {version}, or are not all of it"));
    };
    if packet.words.len() != words.len() {
        return Err(format!("{} has {} dwords, but there are {}", packet.name(), packet.words.len(), words.len()));
    }
    let mut meant = String::new();
    line(&mut meant, &packet, true);
    let meant: alloc::vec::Vec<&str> = meant.split(';').next().unwrap_or_default().split_whitespace().skip(2).collect();
    Ok(said.split_whitespace().find(|part| !meant.contains(part)).map(Into::into))
}
