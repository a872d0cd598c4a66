//! Removes details that identify people and machines from text, and counts them.

use super::place::Root;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of removed details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    User,
    FullName,
    Host,
    Home,
    Mail,
    Mac,
    Uuid,
    Identity,
    Serial,
    Firewall,
}

impl Kind {
    /// Returns the name of the kind, and its replacement.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::User => ("user names", "USER"),
            Self::FullName => ("names of people", "NAME"),
            Self::Host => ("host names", "HOST"),
            Self::Home => ("paths below home folders", "/home/USER/…"),
            Self::Mail => ("mail addresses", "MAIL"),
            Self::Mac => ("MAC addresses", "MAC"),
            Self::Uuid => ("UUIDs", "UUID"),
            Self::Identity => ("ids of machines and boots", "ID"),
            Self::Serial => ("serial numbers", "SERIAL"),
            Self::Firewall => ("lines of a firewall, with network addresses", "nothing"),
        }
    }
}

/// Names of users or hosts that have another meaning in logs: they stay, except in paths.
const TECHNICAL: [&str; 26] = [
    "root",
    "user",
    "host",
    "localhost",
    "amdgpu",
    "gpu",
    "drm",
    "kernel",
    "linux",
    "ring",
    "gfx",
    "comp",
    "sdma",
    "page",
    "fault",
    "process",
    "thread",
    "timeout",
    "reset",
    "video",
    "render",
    "steam",
    "amd",
    "mesa",
    "test",
    "max",
];
/// The most bytes of a name, path or number.
const LONGEST: usize = 256;

/// Details to remove, and the removed ones.
pub struct Scrubber {
    names: Vec<(String, Kind)>,
    removed: BTreeMap<Kind, (usize, BTreeSet<String>)>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the number of bytes at the start for which `is` returns true.
fn run(text: &str, is: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(LONGEST).take_while(|byte| is(*byte)).count()
}

impl Scrubber {
    /// Collects the names of people and of the machine from system files.
    pub fn new(root: &Root) -> Self {
        let mut names: Vec<(String, Kind)> = Vec::new();
        let passwd = root.text(&root.at("etc/passwd")).unwrap_or_default();
        for line in passwd.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            // Users that are people; the others belong to programs.
            let [name, _, number, _, full, ..] = fields.as_slice() else { continue };
            if number.parse().is_ok_and(|number: u32| (1000..60000).contains(&number)) {
                names.push(((*name).to_owned(), Kind::User));
                names.push((full.split(',').next().unwrap_or_default().to_owned(), Kind::FullName));
            }
        }
        if root.is_system {
            let of_environment = |key: &str| std::env::var(key).unwrap_or_default();
            names.extend(["USER", "LOGNAME", "SUDO_USER"].map(|key| (of_environment(key), Kind::User)));
        }
        for path in ["proc/sys/kernel/hostname", "etc/hostname"] {
            let host = root.text(&root.at(path)).unwrap_or_default();
            names.push((host.split('.').next().unwrap_or_default().to_owned(), Kind::Host));
            names.push((host, Kind::Host));
        }
        for file in ["product_serial", "board_serial", "chassis_serial", "product_uuid"] {
            names.push((root.text(&root.at("sys/class/dmi/id").join(file)).unwrap_or_default(), Kind::Serial));
        }
        names.push((root.text(&root.at("etc/machine-id")).unwrap_or_default(), Kind::Identity));
        names.retain(|(name, _)| name.len() >= 3 && !TECHNICAL.contains(&name.to_ascii_lowercase().as_str()));
        // Longest first: a host name with its domain before the bare name.
        names.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        names.dedup();
        Self { names, removed: BTreeMap::new() }
    }

    fn count(&mut self, kind: Kind, file: &str) {
        let (count, files) = self.removed.entry(kind).or_default();
        *count += 1;
        files.insert(file.to_owned());
    }

    /// Returns the text of a file without such details.
    pub fn clean(&mut self, file: &str, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            // Most lines of a dump are words.
            if line.iter().all(|byte| byte.is_ascii_hexdigit() || b"x \t\r\n".contains(byte)) && line.len() < 32 {
                out.extend_from_slice(line);
                continue;
            }
            let text = String::from_utf8_lossy(line);
            if text.contains("SRC=") && text.contains("DST=") {
                self.count(Kind::Firewall, file);
                continue;
            }
            self.line(file, &text, &mut out);
        }
        out
    }

    fn line(&mut self, file: &str, text: &str, out: &mut Vec<u8>) {
        let mut at = 0;
        let mut before = b' ';
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let begins = !is_word(before);
            match if begins { self.found(rest, before) } else { None } {
                Some((skip, length, kind)) => {
                    self.count(kind, file);
                    out.extend_from_slice(rest.get(..skip).unwrap_or_default().as_bytes());
                    out.extend_from_slice(kind.words().1.as_bytes());
                    at += skip + length;
                    before = b' ';
                }
                None => {
                    // Skip to the next place where a word may begin.
                    let first = rest.chars().next().map_or(1, char::len_utf8);
                    let step = if is_word(rest.as_bytes()[0]) { rest.bytes().take_while(|byte| is_word(*byte)).count().max(first) } else { first };
                    out.extend_from_slice(rest.get(..step).unwrap_or(rest).as_bytes());
                    at += step;
                    before = rest.as_bytes()[step - 1];
                }
            }
        }
    }

    /// Returns the detail at the start of a text: number of bytes before it that stay, its length, and its kind.
    fn found(&self, text: &str, before: u8) -> Option<(usize, usize, Kind)> {
        home(text, before)
            .or_else(|| serial(text))
            .or_else(|| mail(text, before))
            .or_else(|| groups(text, before).map(|(length, kind)| (0, length, kind)))
            .or_else(|| self.name(text).map(|(length, kind)| (0, length, kind)))
    }

    fn name(&self, text: &str) -> Option<(usize, Kind)> {
        let is = |name: &str| {
            let begins = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            begins && text.as_bytes().get(name.len()).is_none_or(|byte| !is_word(*byte))
        };
        self.names.iter().find(|(name, _)| is(name)).map(|(name, kind)| (name.len(), *kind))
    }

    /// Returns a list of what was removed, one line per kind, without the words themselves.
    pub fn list(&self) -> Vec<String> {
        let line = |(kind, (count, files)): (&Kind, &(usize, BTreeSet<String>))| {
            let (what, by) = kind.words();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            format!("{what}: {count}, replaced by {by}, in {}", files.join(", "))
        };
        self.removed.iter().map(line).collect()
    }
}

/// Finds a path in a home folder, including everything below the folder.
fn home(text: &str, before: u8) -> Option<(usize, usize, Kind)> {
    const HOMES: [&str; 6] = ["/home/", "/var/home/", "/Users/", "/run/media/", "/media/", "/root/"];
    let start = HOMES.iter().find(|start| text.starts_with(**start)).filter(|_| before != b'/')?;
    let rest = &text[start.len()..];
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ']' | '>' | ',' | ';' | '|');
    let length = rest.find(ends).unwrap_or(rest.len());
    (length > 0).then_some((0, start.len() + length, Kind::Home))
}

/// Finds `SerialNumber: 4C530001`; the key stays.
fn serial(text: &str) -> Option<(usize, usize, Kind)> {
    const KEYS: [&str; 5] = ["serialnumber", "serial number", "serial", "unique_id", "s/n"];
    let key = KEYS.iter().find(|key| text.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key)))?;
    let rest = &text[key.len()..];
    let sign = rest.trim_start_matches([' ', '\t', '"']).strip_prefix([':', '='])?;
    let value = sign.trim_start_matches([' ', '\t', '"']);
    let length = run(value, |byte| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte));
    // USB descriptors have small numbers there.
    (length >= 4).then_some((text.len() - value.len(), length, Kind::Serial))
}

/// Finds `alice@example.org`, and `builder@host` in a kernel version.
fn mail(text: &str, before: u8) -> Option<(usize, usize, Kind)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    let name = run(text, is_part);
    let domain = text.get(name..)?.strip_prefix('@')?;
    let length = run(domain, |byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let domain = domain.get(..length)?.trim_end_matches('.');
    let is_unit = [".service", ".slice", ".socket", ".device", ".mount"].iter().any(|end| domain.ends_with(end));
    let is_name = domain.starts_with(|c: char| c.is_ascii_alphabetic()) && domain.len() >= 2;
    (name > 0 && !is_part(before) && is_name && !is_unit).then_some((0, name + 1 + domain.len(), Kind::Mail))
}

/// Finds grouped numbers: UUIDs, MAC addresses, and 32-digit ids.
fn groups(text: &str, before: u8) -> Option<(usize, Kind)> {
    let length = run(text, |byte| byte.is_ascii_hexdigit() || byte == b'-' || byte == b':');
    let whole = !matches!(before, b':' | b'-') && text.as_bytes().get(length).is_none_or(|byte| !is_word(*byte));
    // A colon may follow, as after any word.
    let number = text.get(..length).filter(|_| whole)?.trim_end_matches([':', '-']);
    let sizes = |sign: char| number.split(sign).map(str::len).collect::<Vec<usize>>();
    let kind = match number.len() {
        36 if sizes('-') == [8, 4, 4, 4, 12] => Kind::Uuid,
        17 if sizes(':') == [2; 6] => Kind::Mac,
        32 if !number.contains([':', '-']) => Kind::Identity,
        _ => return None,
    };
    Some((number.len(), kind))
}
