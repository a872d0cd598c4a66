//! Numbers as digits: a format string takes ten times as long.

use alloc::string::String;

/// All pairs of hexadecimal digits.
const PAIRS: &str = {
    const DIGITS: [u8; 512] = {
        let mut digits = [0; 512];
        let mut i = 0;
        while i < 512 {
            digits[i] = b"0123456789abcdef"[if i % 2 == 0 { i / 2 / 16 } else { i / 2 % 16 }];
            i += 1;
        }
        digits
    };
    match core::str::from_utf8(&DIGITS) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// The last `digits` hexadecimal digits.
pub(super) fn hex(out: &mut String, value: u32, digits: usize) {
    for place in (0..digits.div_ceil(2)).rev() {
        let pair = 2 * (value >> (8 * place) & 0xFF) as usize;
        // An odd number of digits starts with half a pair.
        let from = pair + usize::from(2 * place + 1 == digits);
        out.push_str(&PAIRS[from..pair + 2]);
    }
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
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// Digits that a number has in hexadecimal, at least one.
pub(super) fn hex_length(value: u32) -> usize {
    (35 - (value | 1).leading_zeros() as usize) / 4
}
