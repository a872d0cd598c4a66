//! Numbers as digits; a format string takes ten times as long.

use alloc::string::String;

/// Returns the 8 digits of a word, all at once: a byte for each, `0` to `9` or `a` to `f`.
fn digits_of(word: u32) -> [u8; 8] {
    // Half words, bytes, then digits, each in the lower half of a doubled width.
    let mut digits = u64::from(word);
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF;
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF;
    digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    // 1 in the bytes with a value of 10 or more.
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (digits + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'9' - 1)).to_be_bytes()
}

/// Digits are ASCII. Appending one long text is faster than appending several short ones.
fn push(out: &mut String, ascii: &[u8]) {
    out.push_str(core::str::from_utf8(ascii).unwrap_or_default());
}

/// Appends the last `digits` hexadecimal digits, at most 8.
pub(super) fn hex(out: &mut String, value: u32, digits: usize) {
    push(out, &digits_of(value)[8usize.saturating_sub(digits)..]);
}

/// Number of words converted at a time.
const AT_ONCE: usize = 8;

/// Appends all digits of words, with a space before each: ` 00000203 00018600`.
pub(super) fn spaced_words(out: &mut String, words: &[u32]) {
    for words in words.chunks(AT_ONCE) {
        let mut text = [b' '; 9 * AT_ONCE];
        for (place, word) in text.as_chunks_mut::<9>().0.iter_mut().zip(words) {
            place[1..].copy_from_slice(&digits_of(*word));
        }
        push(out, &text[..9 * words.len()]);
    }
}

/// Appends all digits of a word, with a space before them.
pub(super) fn spaced_word(out: &mut String, word: u32) {
    let mut text = [b' '; 9];
    text[1..].copy_from_slice(&digits_of(word));
    push(out, &text);
}

/// Appends all digits of words, each after `0x` and in quotes, with commas between them: `"0x00000203","0x00018600"`.
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

/// Appends one word in quotes: `"0x00018600"`.
pub(super) fn quoted_word(out: &mut String, word: u32) {
    let mut text = *b"\"0x00000000\"";
    text[3..11].copy_from_slice(&digits_of(word));
    push(out, &text);
}

/// Appends a number in decimal.
pub(super) fn decimal(out: &mut String, value: u64) {
    if value < 10 {
        return out.push(char::from(b'0' + value as u8));
    }
    let mut digits = [0; 20];
    let (mut at, mut left) = (digits.len(), value);
    while left >= 100 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&two(left % 100));
        left /= 100;
    }
    at -= 2;
    digits[at..at + 2].copy_from_slice(&two(left));
    push(out, &digits[at + usize::from(left < 10)..]);
}

/// Appends a number in decimal, padded with zeros to `least` digits. Returns the number of digits.
pub(super) fn padded_decimal(out: &mut String, value: u64, least: usize) -> usize {
    let start = out.len();
    let mut below = 10u64.saturating_pow(least.saturating_sub(1) as u32);
    while value < below && below > 1 {
        out.push('0');
        below /= 10;
    }
    decimal(out, value);
    out.len() - start
}

/// Returns the two digits of a number below 100.
fn two(value: u64) -> [u8; 2] {
    [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]
}

/// Returns the number of hexadecimal digits of a value, at least one.
pub(super) fn hex_length(value: u32) -> usize {
    (35 - (value | 1).leading_zeros() as usize) / 4
}
