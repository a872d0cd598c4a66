//! Argument values that several programs take.

use pm4::chip::Chip;
use std::str::FromStr;
use strum::IntoEnumIterator;

/// A chip by its name or its LLVM name, in any case.
pub fn chip(name: &str) -> Result<Chip, String> {
    named(name)
}

/// A value of an enum by its name; the error lists all names.
pub fn named<T: FromStr + IntoEnumIterator + ToString>(name: &str) -> Result<T, String> {
    name.parse().map_err(|_| {
        let known: Vec<String> = T::iter().map(|value| value.to_string()).collect();
        format!("known are {}", known.join(", "))
    })
}
