//! A seeded generator that damages words and bytes.

use pm4::chip::Chip;
use pm4::packet::Queue;
use quickcheck::Gen;
use std::ops::Range;

/// The source of all choices of one execution, and a copy of the generated input for a crash report.
pub struct Input {
    state: u64,
    shown: Vec<u8>,
}

/// Numbers near typical limits.
const EDGES: [u32; 18] = [0, 1, 2, 3, 7, 8, 15, 16, 63, 64, 255, 256, 0x3FFF, 0x4000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, u32::MAX];

impl Input {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03, shown: Vec::new() }
    }

    pub fn next(&mut self) -> u64 {
        // SplitMix64
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn word(&mut self) -> u32 {
        self.next() as u32
    }

    /// Returns a number from 0 to `limit` - 1; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn chip(&mut self) -> Chip {
        let chips: Vec<Chip> = Chip::all().collect();
        *self.pick(&chips)
    }

    pub fn queue(&mut self) -> Queue {
        *self.pick(&[Queue::Graphics, Queue::Graphics, Queue::Compute, Queue::Constant])
    }

    /// Returns a number, often one near a limit.
    pub fn number(&mut self) -> u32 {
        match self.below(4) {
            0 => self.word(),
            1 => self.word() >> self.below(32),
            2 => 1 << self.below(32),
            _ => *self.pick(&EDGES),
        }
    }

    pub fn address(&mut self) -> u64 {
        match self.below(4) {
            0 => self.next(),
            1 => u64::from(self.number()),
            2 => 0x1000 * self.below(32) as u64 + 4 * self.below(64) as u64,
            _ => self.next() >> self.below(64),
        }
    }

    /// Returns a quickcheck generator for the descriptions that tests use.
    pub fn quickcheck(&mut self) -> Gen {
        Gen::from_size_and_seed(20, self.next())
    }

    /// Returns words of a stream: a part of one, damaged.
    pub fn words(&mut self, streams: &[Vec<u32>], most: usize) -> Vec<u32> {
        if self.one_in(16) {
            let count = self.below(most);
            let words: Vec<u32> = (0..count).map(|_| self.number()).collect();
            return self.show_words(words);
        }
        let stream = self.pick(streams);
        let (from, count) = (self.below(stream.len()), 1 + self.below(most));
        // Half of the parts begin at the start of the stream, with a complete packet.
        let from = if self.one_in(2) { 0 } else { from };
        let mut words: Vec<u32> = stream[from..(from + count).min(stream.len())].to_vec();
        for _ in 0..self.below(12) {
            if words.is_empty() {
                break;
            }
            let (a, b) = (self.below(words.len()), self.below(words.len()));
            match self.below(8) {
                0 => words.swap(a, b),
                1 => words[a] = self.number(),
                2 => words[a] = 0xC000_0000 | (self.number() & 0x3FFF) << 16 | (self.word() & 0xFF) << 8 | self.word() & 7,
                3 => words[a] ^= 1 << self.below(32),
                4 => words.truncate(a),
                5 => {
                    let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 24));
                    words.extend_from_within(a..b);
                }
                6 => {
                    words.remove(a);
                }
                _ => words.insert(a, self.number()),
            }
        }
        self.show_words(words)
    }

    /// Returns the bytes of a text or file, damaged.
    pub fn bytes(&mut self, samples: &[Vec<u8>], scraps: &[&str]) -> Vec<u8> {
        let mut bytes = self.pick(samples).clone();
        for _ in 0..self.below(10) {
            let at = self.below(bytes.len() + 1);
            let length = self.below(40);
            let end = (at + length).min(bytes.len());
            match self.below(11) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 if bytes.len() < 1 << 18 => bytes.extend_from_within(at..end),
                3 => {
                    let scrap = self.pick(scraps);
                    drop(bytes.splice(at..at, scrap.bytes()));
                }
                4 => {
                    let scrap = self.pick(scraps);
                    drop(bytes.splice(at..end, scrap.bytes()));
                }
                5 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                6 => drop(bytes.splice(at..at, self.number().to_string().into_bytes())),
                7..10 => {
                    let (number, with) = (number_behind(&bytes, at), self.below(bytes.len() + 1));
                    let other = match self.one_in(4) {
                        true => bytes[number_behind(&bytes, with)].to_vec(),
                        false => self.number_text(number.len()),
                    };
                    drop(bytes.splice(number, other));
                }
                _ if at < bytes.len() => bytes[at] = self.word() as u8,
                _ => {}
            }
        }
        self.show(bytes.clone());
        bytes
    }

    /// Returns a number as text, to replace one of `digits` digits; mostly one near a limit.
    fn number_text(&mut self, digits: usize) -> Vec<u8> {
        let number = match self.one_in(2) {
            true => u64::from(self.number()),
            false => self.address(),
        };
        match self.below(6) {
            0 => vec![b'f'; digits],
            1 => vec![b'0'; digits],
            2 => vec![b'f'; 16],
            3 => number.to_string().into_bytes(),
            4 => format!("{number:x}").into_bytes(),
            _ => format!("{number:0digits$x}").into_bytes(),
        }
    }

    /// Keeps a copy of the input for a crash report.
    pub fn show(&mut self, bytes: Vec<u8>) {
        self.shown = bytes;
    }

    fn show_words(&mut self, words: Vec<u32>) -> Vec<u32> {
        self.show(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        words
    }

    pub fn shown(&self) -> &[u8] {
        &self.shown
    }
}

/// Returns the range of the first hexadecimal number at or after an offset; empty, at the end, if there is none.
fn number_behind(bytes: &[u8], at: usize) -> Range<usize> {
    // If the offset is inside a number, begin at its start.
    let begin = bytes[..at].iter().rposition(|byte| !byte.is_ascii_hexdigit()).map_or(0, |before| before + 1);
    let is_number = |run: &&[u8]| run.iter().any(u8::is_ascii_digit) || run.len() > 4;
    let mut from = begin;
    for run in bytes[begin..].split(|byte| !byte.is_ascii_hexdigit()) {
        if is_number(&run) {
            return from..from + run.len();
        }
        from += run.len() + 1;
    }
    bytes.len()..bytes.len()
}
