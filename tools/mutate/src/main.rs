//! Makes small changes to the crate, all in one build. Each change is guarded by its number, and the environment variable PM4_MUTANT selects one. A change that
//! no test notices survives. Start it with `tools/mutate/run`.

mod compile;
mod find;
mod judge;
mod reach;
mod workers;
mod write;

use find::{Change, Place};
use judge::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

const USAGE: &str = "\
usage: pm4-mutate ROOT SCRATCH [--paths src/cp,src/draw] [--count N] [--seed N] [--profile quick|release|dev] [--longest SECONDS]

ROOT is the crate, SCRATCH a copy of it that is changed. Makes N mutants of the paths, spread over the files by the seed, builds the tests once, and runs them
that come to it for each. What is decided is in SCRATCH/mutants.tsv: a run that was interrupted goes on from there. The profile `quick` is `dev` with a
little optimization. With --longest, which is for a first look, tests that take longer and the documentation tests do not judge.";

/// Cargo arguments for a profile of its own.
const QUICK: [&str; 8] =
    ["--profile", "quick", "--config", "profile.quick.inherits='dev'", "--config", "profile.quick.opt-level=1", "--config", "profile.quick.debug=false"];

/// A change and its number.
struct Mutant {
    number: u32,
    file: String,
    place: Place,
}

impl Mutant {
    /// Returns the key of the change in the files of a run.
    fn key(&self) -> String {
        format!("{}:{}\t{}", self.file, self.place.line, self.place.what)
    }
}

struct Arguments {
    root: PathBuf,
    scratch: PathBuf,
    paths: Vec<String>,
    count: usize,
    seed: u64,
    profile: Vec<String>,
    longest: Option<Duration>,
}

fn arguments() -> Result<Arguments, String> {
    let mut list = std::env::args().skip(1);
    let mut next = |what: &str| list.next().ok_or(format!("{what} is missing\n\n{USAGE}"));
    let (root, scratch) = (PathBuf::from(next("ROOT")?), PathBuf::from(next("SCRATCH")?));
    let mut arguments = Arguments { root, scratch, paths: vec!["src".into()], count: 100, seed: 1, profile: QUICK.map(str::to_owned).to_vec(), longest: None };
    while let Some(option) = list.next() {
        let value = list.next().ok_or(format!("{option} needs a value\n\n{USAGE}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{option} needs a number, not {value}"));
        match option.as_str() {
            "--paths" => arguments.paths = value.split(',').map(str::to_owned).collect(),
            "--count" => arguments.count = number()? as usize,
            "--seed" => arguments.seed = number()?,
            "--longest" => arguments.longest = Some(Duration::from_secs(number()?)),
            "--profile" => {
                arguments.profile = match value.as_str() {
                    "quick" => QUICK.map(str::to_owned).to_vec(),
                    "release" => vec!["--release".into()],
                    "dev" => Vec::new(),
                    _ => return Err(format!("no profile {value}\n\n{USAGE}")),
                }
            }
            _ => return Err(format!("no option {option}\n\n{USAGE}")),
        }
    }
    Ok(arguments)
}

/// Returns the .rs files below a folder, or a single file, sorted, with paths relative to the root.
fn sources(root: &Path, path: &str) -> Result<Vec<String>, String> {
    let whole = root.join(path);
    if whole.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(&whole).map_err(|error| format!("{}: {error}", whole.display()))?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let mut files = Vec::new();
    for name in names {
        let path = format!("{path}/{name}");
        if root.join(&path).is_dir() {
            files.extend(sources(root, &path)?);
        } else if path.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns a pseudo-random number (FNV-1a, then the mixer of SplitMix64).
fn mixed(seed: u64, text: &str) -> u64 {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325 ^ seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    let mixed = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Chooses changes in proportion to the size of each file, and balances kinds, because numbers and removed statements are most frequent. A place is chosen by
/// its own text, so that most of the choice stays the same when sources change elsewhere.
fn choose(texts: &BTreeMap<String, String>, count: usize, seed: u64) -> Vec<Mutant> {
    let mut all: Vec<(&String, Place)> = texts.iter().flat_map(|(file, text)| find::places(text).into_iter().map(move |place| (file, place))).collect();
    println!("{} places in {} files", all.len(), texts.len());
    let mut same: BTreeMap<String, u32> = BTreeMap::new();
    all.sort_by_cached_key(|(file, place)| {
        let text = format!("{file} {}", place.what);
        let nth = same.entry(text.clone()).and_modify(|nth| *nth += 1).or_insert(0);
        mixed(seed, &format!("{text} {nth}"))
    });
    let kind = |place: &Place| match &place.change {
        Change::Negate => 0,
        Change::Drop => 1,
        Change::Become(new) if new.parse::<u128>().is_ok() => 2,
        Change::Become(_) => 3,
    };
    // One of each kind in turn.
    let mut kinds: [Vec<(&String, Place)>; 4] = Default::default();
    all.into_iter().for_each(|(file, place)| kinds[kind(&place)].push((file, place)));
    let mut chosen = Vec::new();
    while chosen.len() < count && kinds.iter().any(|list| !list.is_empty()) {
        chosen.extend(kinds.iter_mut().filter_map(Vec::pop));
    }
    chosen.into_iter().zip(1..).map(|((file, place), number)| Mutant { number, file: file.clone(), place }).collect()
}

/// Attributes at the start of the library: a change may always fail at run time, which the compiler would otherwise refuse.
const ALLOWED: &str = "#![allow(arithmetic_overflow, unconditional_panic)]\n";

/// Code added to the library: which change is selected and, on request, which changes the program reaches.
const MUTANT: &str = r#"
/// Returns whether this change is selected.
#[doc(hidden)]
pub(crate) fn mutant(number: u32) -> bool {
    extern crate std;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static CHOSEN: OnceLock<(u32, Option<std::fs::File>)> = OnceLock::new();
    static REACHED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];
    let (chosen, file) = CHOSEN.get_or_init(|| {
        let number = std::env::var("PM4_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        let file = std::env::var_os("PM4_MUTANTS_REACHED").and_then(|path| std::fs::OpenOptions::new().append(true).open(path).ok());
        (number, file)
    });
    if let Some(mut file) = file.as_ref()
        && !REACHED[number as usize % 4096].swap(true, Ordering::Relaxed)
    {
        let _ = std::io::Write::write_all(&mut file, std::format!("{number}\n").as_bytes());
    }
    *chosen == number
}
"#;

/// Writes a file if its contents differ: unchanged files are not rebuilt.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the changes of a file that may cause an error at `place`: the smallest one around it, or those within it. Otherwise the nearest one: if an
/// assignment may be removed, a later use of the variable is an error.
fn reasons(changes: &[write::Written], place: &Range<usize>) -> Vec<u32> {
    let holds = |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && outer.end >= inner.end;
    if let Some(around) = changes.iter().filter(|change| holds(&change.range, place)).min_by_key(|change| change.range.len()) {
        return vec![around.number];
    }
    let inside: Vec<u32> = changes.iter().filter(|change| holds(place, &change.range)).map(|change| change.number).collect();
    if !inside.is_empty() {
        return inside;
    }
    let distance = |change: &&write::Written| change.range.start.saturating_sub(place.end).max(place.start.saturating_sub(change.range.end));
    changes.iter().min_by_key(distance).map(|change| change.number).into_iter().collect()
}

/// Writes the files with their changes, and removes changes that do not compile.
fn instrument(arguments: &Arguments, mutants: &mut Vec<Mutant>) -> Result<(), String> {
    // The changes removed in an earlier run.
    let list = arguments.scratch.join("left_out.tsv");
    let mut left_out: BTreeSet<String> = fs::read_to_string(&list).unwrap_or_default().lines().map(str::to_owned).collect();
    mutants.retain(|mutant| !left_out.contains(&mutant.key()));
    loop {
        let mut written = BTreeMap::new();
        for file in sources(&arguments.root, "src")? {
            let text = fs::read_to_string(arguments.root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
            let changes: Vec<write::Numbered<'_>> =
                mutants.iter().filter(|mutant| mutant.file == *file).map(|mutant| write::Numbered { number: mutant.number, place: &mutant.place }).collect();
            let (text, mut ranges) = write::instrument(&text, &changes);
            let text = if file == "src/lib.rs" {
                ranges.iter_mut().for_each(|written| written.range = written.range.start + ALLOWED.len()..written.range.end + ALLOWED.len());
                [ALLOWED, &text, MUTANT].concat()
            } else {
                text
            };
            write(&arguments.scratch.join(&file), &text)?;
            written.insert(file, ranges);
        }
        let faults = compile::check(&arguments.scratch, &[])?;
        if faults.is_empty() {
            return Ok(());
        }
        let mut gone = BTreeSet::new();
        for (file, from, to) in &faults {
            gone.extend(reasons(written.get(file).map(Vec::as_slice).unwrap_or_default(), &(*from..*to)));
        }
        if gone.is_empty() {
            return Err(format!("the library does not build, and no change is the reason: {faults:?}"));
        }
        println!("{} changes do not build and are left out", gone.len());
        left_out.extend(mutants.iter().filter(|mutant| gone.contains(&mutant.number)).map(Mutant::key));
        fs::write(&list, left_out.iter().map(|key| format!("{key}\n")).collect::<String>()).map_err(|error| error.to_string())?;
        mutants.retain(|mutant| !gone.contains(&mutant.number));
    }
}

fn main() -> Result<(), String> {
    let arguments = arguments()?;
    let mut files = Vec::new();
    for path in &arguments.paths {
        files.extend(sources(&arguments.root, path)?);
    }
    // A separate crate, in which changes cannot be selected.
    files.retain(|file| !file.starts_with("src/bin"));
    let mut texts = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(arguments.root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        texts.insert(file, text);
    }
    // Some do not compile, so a few more are made than requested.
    let mut mutants = choose(&texts, arguments.count + arguments.count / 2, arguments.seed);
    instrument(&arguments, &mut mutants)?;
    mutants.truncate(arguments.count);
    let programs = compile::tests(&arguments.scratch, &arguments.profile)?;
    let mut tests = reach::tests(&arguments.scratch, &programs)?;
    tests.retain(|test| arguments.longest.is_none_or(|longest| test.took <= longest));
    let table = arguments.scratch.join("mutants.tsv");
    let known = fs::read_to_string(&table).unwrap_or_default();
    let mut decided: BTreeMap<String, String> =
        known.lines().filter_map(|line| line.split_once('\t')).map(|(verdict, key)| (key.to_owned(), verdict.to_owned())).collect();
    let log = fs::OpenOptions::new().create(true).append(true).open(&table).map_err(|error| error.to_string())?;
    let log = Mutex::new(log);
    // Changes that no test executes are decided at once and come first.
    let mut open: Vec<&Mutant> = mutants.iter().filter(|mutant| !decided.contains_key(&mutant.key())).collect();
    open.sort_by_key(|mutant| tests.iter().any(|test| test.reached.contains(&mutant.number)));
    let verdicts = workers::each(&open, |_, mutant| {
        let key = mutant.key();
        let verdict = match judge::judge(&arguments.scratch, &tests, mutant.number)? {
            Verdict::Killed(test) => format!("killed by {test}"),
            Verdict::Slow(suite) => format!("killed: {suite} takes too long"),
            Verdict::Survived => "survived".into(),
            Verdict::Unreached => "survived, no test executes it".into(),
        };
        println!("{}: {verdict}: {}", mutant.number, key.replace('\t', " "));
        let line = format!("{verdict}\t{key}\n");
        log.lock().map_err(|error| error.to_string())?.write_all(line.as_bytes()).map_err(|error| error.to_string())?;
        Ok((key, verdict))
    })?;
    decided.extend(verdicts);
    // Documentation tests are recompiled for each change, so they judge only what the other tests do not notice.
    let survivors: Vec<&Mutant> = mutants.iter().filter(|mutant| decided.get(&mutant.key()).is_some_and(|verdict| verdict.starts_with("survived"))).collect();
    let green = arguments.longest.is_none() && !survivors.is_empty() && compile::documentation(&arguments.scratch, &arguments.profile, 0)?;
    for mutant in survivors.into_iter().filter(|_| green) {
        if !compile::documentation(&arguments.scratch, &arguments.profile, mutant.number)? {
            println!("{}: killed by documentation tests: {}", mutant.number, mutant.key().replace('\t', " "));
            decided.insert(mutant.key(), "killed by documentation tests".into());
        }
    }
    let table_of_all: String = decided.iter().map(|(key, verdict)| format!("{verdict}\t{key}\n")).collect();
    fs::write(&table, table_of_all).map_err(|error| format!("{}: {error}", table.display()))?;
    report(&mutants.iter().map(|mutant| (mutant.file.as_str(), decided.get(&mutant.key()).cloned().unwrap_or_default(), mutant)).collect::<Vec<_>>());
    Ok(())
}

/// Prints the number of changes made and noticed per folder, then the survivors.
fn report(results: &[(&str, String, &Mutant)]) {
    let mut folders: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for (file, verdict, _) in results {
        let folder = file.rsplit_once('/').map_or(*file, |(folder, _)| folder);
        let row = folders.entry(folder.split('/').take(2).collect::<Vec<_>>().join("/")).or_default();
        *row = (row.0 + 1, row.1 + u32::from(verdict.starts_with("killed")));
    }
    println!("\n| place | mutants | killed |\n|---|---|---|");
    folders.iter().for_each(|(folder, (made, killed))| println!("| `{folder}` | {made} | {killed} |"));
    let killed: u32 = folders.values().map(|(_, killed)| killed).sum();
    println!("| all | {} | {killed} |\n", results.len());
    for (_, verdict, mutant) in results.iter().filter(|(_, verdict, _)| !verdict.starts_with("killed")) {
        println!("{}: {verdict}: {}", mutant.number, mutant.key().replace('\t', " "));
    }
}
