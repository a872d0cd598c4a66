//! Whole texts against files in `tests/golden/`. `PM4_WRITE_GOLDEN=1` writes them anew: read the difference afterwards.
#![allow(dead_code)] // each suite uses its part

/// Compares a text with the file of that name.
pub fn assert_golden(name: &str, text: &str) {
    let path = crate::support::repository("tests/golden").join(name);
    if std::env::var_os("PM4_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let differs = golden.lines().zip(text.lines()).position(|(golden, line)| golden != line);
    let at = differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    assert!(golden == text, "{name} line {}:\n{}\ninstead of\n{}", at + 1, line(text), line(&golden));
}

/// One number for a text (FNV-1a), where the text itself would be too long for a file.
pub fn digest(text: &str) -> u64 {
    digest_after(0xCBF2_9CE4_8422_2325, text)
}

/// The digest of what came before, and of this text.
pub fn digest_after(before: u64, text: &str) -> u64 {
    text.bytes().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Numbers that look random (SplitMix64): the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Parts of a golden file, each under a title.
#[derive(Default)]
pub struct Parts(String);

impl Parts {
    pub fn add(&mut self, title: &str, text: &str) {
        // Escape sequences as text, so that the file is text.
        let text = text.replace('\x1b', "<ESC>");
        self.0 += &format!("==== {title}\n{text}{}", if text.ends_with('\n') || text.is_empty() { "" } else { "\n" });
    }

    pub fn assert(&self, name: &str) {
        assert_golden(name, &self.0);
    }
}
