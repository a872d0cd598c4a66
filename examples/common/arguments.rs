//! Argument values that several programs take.

use pm4::chip::Chip;
use pm4::report::OutputFormat;
use std::str::FromStr;
use strum::IntoEnumIterator;

/// How a program prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Lines for people
    #[default]
    Text,
    /// JSON Lines, one record a line
    Json,
}

impl From<Format> for OutputFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

/// A chip by its name, its LLVM name or another that people use, in any case.
pub fn chip(name: &str) -> Result<Chip, String> {
    name.parse().map_err(|_| {
        let names = |chip: Chip| [chip.info().name].into_iter().chain(chip.info().aliases.iter().copied()).collect::<Vec<_>>().join(" = ");
        let known: Vec<String> = Chip::all().map(names).collect();
        format!("no such chip; known are {} and the LLVM names", known.join(", "))
    })
}

/// A value of an enum by its name; the error lists all names.
pub fn named<T: FromStr + IntoEnumIterator + ToString>(name: &str) -> Result<T, String> {
    name.parse().map_err(|_| {
        let known: Vec<String> = T::iter().map(|value| value.to_string()).collect();
        format!("known are {}", known.join(", "))
    })
}
