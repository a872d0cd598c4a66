//! Numbers as digits: a format string takes ten times as long.

use alloc::string::String;

/// All pairs of hexadecimal digits.
const PAIRS: [u8; 512] = {
    let mut digits = [0; 512];
    let mut i = 0;
    while i < 512 {
        digits[i] = b"0123456789abcdef"[if i % 2 == 0 { i / 2 / 16 } else { i / 2 % 16 }];
        i += 1;
    }
    digits
};

/// The 8 digits of a word.
fn digits_of(word: u32) -> [u8; 8] {
    let mut text = [0; 8];
    for (place, byte) in word.to_be_bytes().into_iter().enumerate() {
        let pair = 2 * usize::from(byte);
        text[2 * place..2 * place + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    text
}

/// Digits are ASCII. One long text is appended in less time than several short ones.
fn push(out: &mut String, ascii: &[u8]) {
    out.push_str(core::str::from_utf8(ascii).unwrap_or_default());
}

/// The last `digits` hexadecimal digits, 8 at most.
pub(super) fn hex(out: &mut String, value: u32, digits: usize) {
    push(out, &digits_of(value)[8usize.saturating_sub(digits)..]);
}

/// Words that are made to text at a time.
const AT_ONCE: usize = 8;

/// All digits of words, a blank before each: ` 00000203 00018600`.
pub(super) fn spaced_words(out: &mut String, words: &[u32]) {
    for words in words.chunks(AT_ONCE) {
        let mut text = [b' '; 9 * AT_ONCE];
        for (place, word) in text.as_chunks_mut::<9>().0.iter_mut().zip(words) {
            place[1..].copy_from_slice(&digits_of(*word));
        }
        push(out, &text[..9 * words.len()]);
    }
}

/// All digits of words, each after `0x` and in quotes, with commas between them: `"0x00000203","0x00018600"`.
pub(super) fn quoted_words(out: &mut String, words: &[u32]) {
    let mut first = true;
    for words in words.chunks(AT_ONCE) {
        let mut text = [*b",\"0x00000000\""; AT_ONCE];
        for (place, word) in text.iter_mut().zip(words) {
            place[4..12].copy_from_slice(&digits_of(*word));
        }
        push(out, &text.as_flattened()[usize::from(first)..13 * words.len()]);
        first = false;
    }
}

/// One word in quotes: `"0x00018600"`.
pub(super) fn quoted_word(out: &mut String, word: u32) {
    quoted_words(out, &[word]);
}

/// A number in decimal.
pub(super) fn decimal(out: &mut String, value: u64) {
    if value < 10 {
        return out.push(char::from(b'0' + value as u8));
    }
    let mut digits = [0; 20];
    let (mut at, mut left) = (digits.len(), value);
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    push(out, &digits[at..]);
}

/// Digits that a number has in hexadecimal, at least one.
pub(super) fn hex_length(value: u32) -> usize {
    (35 - (value | 1).leading_zeros() as usize) / 4
}
