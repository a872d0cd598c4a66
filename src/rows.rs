//! Tables from the rows of bytes that build.rs makes. The compiler takes them apart: as Rust expressions, which it must check one by one, the tables of registers
//! took it a twentieth of the whole build, and those of packets half as much.
//!
//! The compiler takes long for a call, and for an index that it must check: so a row is taken apart by one pattern. Numbers begin with the lowest byte.

/// A number of two bytes.
macro_rules! half {
    ($a:ident $b:ident) => {
        $a as usize | ($b as usize) << 8
    };
}

/// A number of four bytes.
macro_rules! word {
    ($a:ident $b:ident $c:ident $d:ident) => {
        $a as u32 | ($b as u32) << 8 | ($c as u32) << 16 | ($d as u32) << 24
    };
}

/// An item of a list whose numbers begin at 1; 0 is none.
macro_rules! some {
    ($number:expr, $place:ident => $item:expr) => {
        match $number {
            0 => None,
            number => {
                let $place = number - 1;
                Some($item)
            }
        }
    };
}

pub(crate) use {half, some, word};

/// Items one after the other as lists, from how many each list has.
pub(crate) const fn lists<T, const N: usize>(items: &'static [T], lengths: &[u8]) -> [&'static [T]; N] {
    let mut all: [&[T]; N] = [&[]; N];
    let (mut list, mut rest) = (0, items);
    while list < N {
        (all[list], rest) = rest.split_at(lengths[list] as usize);
        list += 1;
    }
    assert!(rest.is_empty(), "regdb has a list with more items than a byte can count");
    all
}
