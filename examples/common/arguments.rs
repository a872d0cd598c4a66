//! Argument values shared by several programs.

use clap::ArgMatches;
use pm4::chip::{Chip, ComputeChip};
use pm4::cp::QueueId;
use pm4::input::InputForm;
use pm4::packet::Queue;
use pm4::queues::{QueueFamily, Target};
use pm4::report::OutputFormat;
use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;
use strum::IntoEnumIterator;

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Text,
    /// JSON Lines, one record per line
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

/// Parses a chip by its name, LLVM name or another common name, ignoring case.
pub fn chip(name: &str) -> Result<Chip, String> {
    name.parse().map_err(|_| {
        let names = |chip: Chip| match chip.info().aliases {
            [] => chip.info().name.to_owned(),
            others => format!("{} (also {})", chip.info().name, others.join(", ")),
        };
        let known: Vec<String> = Chip::all().map(names).collect();
        let hint = did_you_mean(name, Chip::all().flat_map(|chip| [chip.info().name].into_iter().chain(chip.info().aliases.iter().copied())));
        format!("no such chip{hint}; chips are {}, and the LLVM names such as gfx1100", known.join(", "))
    })
}

/// The longest name for which to search similar names.
const LONGEST_NAME: usize = 100;

/// Returns the end of a message with names similar to a wrong one; empty if there are none.
pub fn did_you_mean<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> String {
    if wrong.len() > LONGEST_NAME {
        return String::new();
    }
    let wrong = wrong.to_ascii_lowercase();
    let near = names.map(|name| (distance(&wrong, &name.to_ascii_lowercase()), name)).filter(|(distance, name)| distance * 4 <= name.len() + 1);
    let near: Vec<&str> = near.collect::<BTreeSet<_>>().into_iter().take(3).map(|(_, name)| name).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// Returns the number of characters to insert, delete or replace to turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let best = (diagonal + usize::from(x != y)).min(*cell + 1).min(left + 1);
            diagonal = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Parses an enum value by its name; the error lists all names.
pub fn named<T: FromStr + IntoEnumIterator + ToString>(name: &str) -> Result<T, String> {
    name.parse().map_err(|_| {
        let known: Vec<String> = T::iter().map(|value| value.to_string()).collect();
        format!("possible values: {}", known.join(", "))
    })
}

/// When to colour text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Returns whether to colour text on a stream.
    pub fn of(self, stream: &impl std::io::IsTerminal) -> bool {
        match self {
            Self::Auto => super::colour(stream),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Parses the name of an input form.
pub fn form(name: &str) -> Result<InputForm, String> {
    named(name)
}

/// Parses a number that consists only of digits; a sign is refused.
pub fn digits(text: &str, base: u32) -> Option<u64> {
    if text.starts_with('+') { None } else { u64::from_str_radix(text, base).ok() }
}

/// Parses a chip with or without graphics by any of its names.
pub fn target(name: &str) -> Result<Target, String> {
    name.parse().or_else(|_| {
        chip(name).map(Target::Chip).map_err(|message| {
            let others: Vec<&str> = ComputeChip::all().map(|chip| chip.info().name).collect();
            format!("{message}; without graphics: {}", others.join(", "))
        })
    })
}

/// A queue that `dump` can read: PM4 or another family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyQueue {
    /// PM4.
    Pm4(QueueId),
    /// SDMA, AQL or MES.
    Other(QueueFamily),
}

/// Parses the name of a queue of any family.
pub fn any_queue(name: &str) -> Result<AnyQueue, String> {
    match QueueFamily::from_name(name) {
        Some(family) => Ok(AnyQueue::Other(family)),
        None => queue(name).map(AnyQueue::Pm4).map_err(|message| format!("{message}, mqd, sdma-mqd")),
    }
}

/// Parses the name of a PM4 queue.
pub fn queue(name: &str) -> Result<QueueId, String> {
    match name.strip_prefix("compute") {
        None if name == "gfx" => Ok(QueueId::GRAPHICS),
        None if name == "constant" => Ok(QueueId::CONSTANT),
        None if name == "sdma" => Ok(QueueId::SDMA),
        None if name == "aql" => Ok(QueueId::AQL),
        None if name == "mes" => Ok(QueueId::MES),
        Some("") => Ok(QueueId::COMPUTE),
        Some(number) => {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            number.parse().ok().filter(|n| digits && (2..=8).contains(n)).map(QueueId).ok_or_else(|| "compute queues are compute, compute2 to compute8".into())
        }
        None => Err("queues are gfx, compute, compute2 to compute8, constant, sdma, aql, mes".into()),
    }
}

/// Returns the kind of a queue.
pub fn kind(queue: QueueId) -> Queue {
    match queue {
        QueueId::GRAPHICS => Queue::Graphics,
        QueueId::CONSTANT => Queue::Constant,
        _ => Queue::Compute,
    }
}

/// Returns the queue of each file: that of the last preceding `--queue`, if any.
pub fn queues<Q: Copy>(matches: &ArgMatches, named: &[Q]) -> Vec<Option<Q>> {
    let places = |id| matches.indices_of(id).into_iter().flatten();
    let names: Vec<(usize, Q)> = places("queue").zip(named.iter().copied()).collect();
    places("files").map(|at| names.iter().rev().find(|(index, _)| *index < at).map(|(_, name)| *name)).collect()
}

/// Returns an error if `--queue` or `--ring` follows the last file, where it has no effect.
pub fn after_files(matches: &ArgMatches) -> Option<String> {
    let last = |id| matches.indices_of(id).into_iter().flatten().max();
    let files = last("files")?;
    let idle = ["queue", "ring"].into_iter().find(|id| last(id) > Some(files))?;
    Some(format!("--{idle} is after the last file, but it applies only to the files that follow it: put it before the file that it is for"))
}

/// Returns an error if standard input is named more than once.
pub fn stdin_twice<'p>(paths: impl Iterator<Item = &'p Path>) -> Option<&'static str> {
    (paths.filter(|path| path.as_os_str() == "-").count() > 1).then_some("standard input can be read once: `-` is given several times")
}

/// Returns an error if an output file is also an input, under whatever name: writing it would destroy the input.
pub fn output_over_input<'p>(option: &str, output: Option<&Path>, mut inputs: impl Iterator<Item = &'p Path>) -> Option<String> {
    let output = output?;
    let place = output.canonicalize().ok()?;
    let input = inputs.find(|input| input.as_os_str() != "-" && input.canonicalize().is_ok_and(|input| input == place))?;
    Some(format!("{option} {} would overwrite the input {}: name another file", output.display(), input.display()))
}

/// Returns an error for files at impossible GPU addresses: not a multiple of 4, or beyond the address space.
pub fn misplaced<'f>(mut files: impl Iterator<Item = (&'f str, u64, u64)>) -> Option<String> {
    files.find_map(|(name, addr, dwords)| match dwords.checked_mul(4).and_then(|bytes| addr.checked_add(bytes)) {
        _ if !addr.is_multiple_of(4) => Some(format!("{name}@{addr:#x}: the address must be a multiple of 4, because files hold 32-bit words")),
        None => Some(format!("{name}@{addr:#x}: the file has {dwords} dwords and does not fit between this address and the end of the address space")),
        Some(_) => None,
    })
}

/// Words at a GPU address.
#[derive(Clone, Copy)]
pub struct Placed<'m> {
    pub name: &'m str,
    pub start: u64,
    pub words: &'m [u32],
}

impl Placed<'_> {
    fn at(&self, addr: u64) -> Option<u32> {
        self.words.get(usize::try_from(addr.checked_sub(self.start)? / 4).ok()?).copied()
    }
}

/// Two placed words that overlap and differ.
pub struct Contradiction<'m> {
    pub first: Placed<'m>,
    pub second: Placed<'m>,
    pub addr: u64,
    pub words: (u32, u32),
}

/// Returns the first address at which overlapping words differ: memory has only one value there. Addresses are multiples of 4.
pub fn contradiction<'m>(placed: impl Iterator<Item = Placed<'m>>) -> Option<Contradiction<'m>> {
    let mut placed: Vec<Placed<'m>> = placed.filter(|file| !file.words.is_empty()).collect();
    placed.sort_by_key(|file| file.start);
    // The words that extend furthest so far. Everything before their end agrees with them, so no dword is compared twice.
    let mut furthest = *placed.first()?;
    placed.iter().skip(1).find_map(|file| {
        let addresses = (0..).map_while(|n| file.start.checked_add(4 * n));
        let mut common = addresses.map_while(|addr| Some((addr, furthest.at(addr)?, file.at(addr)?)));
        let differs = common.find(|(_, one, other)| one != other);
        let former = furthest;
        if furthest.at(file.start.saturating_add(4 * (file.words.len() as u64 - 1))).is_none() {
            furthest = *file;
        }
        differs.map(|(addr, one, other)| Contradiction { first: former, second: *file, addr, words: (one, other) })
    })
}

/// Returns whether each file is a ring: preceded by `--ring` with no `--queue` in between.
pub fn rings(matches: &ArgMatches) -> Vec<bool> {
    let last = |id, at: usize| matches.indices_of(id).into_iter().flatten().filter(|index| *index < at).max();
    matches.indices_of("files").into_iter().flatten().map(|at| last("ring", at) > last("queue", at)).collect()
}
