//! Runs targets with generated input, each for a given time, and reports executions and crashes.
//!
//! It needs no fuzzing engine: inputs are captured streams and descriptions, damaged by a seeded generator. Each execution has its own seed, so
//! `--target NAME --seed SEED --count 1` repeats a crash. The input of a crash is also written to `crashes/`.

mod code_objects;
mod corpus;
#[allow(dead_code)] // tests use more of it
#[path = "../../tests/support/draws.rs"]
mod draws;
mod input;
#[path = "../../tests/support/input_samples.rs"]
mod samples;
mod targets;

use corpus::Corpus;
use input::Input;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

const HELP: &str = "fuzz [--target NAME]... [--seconds N] [--seed N] [--count N]
Runs targets (all of them without --target), each for N seconds (60) or N executions.
Exit status: 0 fine, 1 something crashed or did not end, 2 bad arguments.";

/// An execution that takes longer than this ends the program, because nothing may run for ever.
const SLOW: Duration = Duration::from_secs(20);

/// The current execution: its number (0 for none) and its seed.
static RUNNING: (AtomicU64, AtomicU64) = (AtomicU64::new(0), AtomicU64::new(0));
/// The place and message of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

struct Arguments {
    targets: Vec<&'static Target>,
    seconds: u64,
    seed: u64,
    count: u64,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments { targets: Vec::new(), seconds: 60, seed: 1, count: u64::MAX };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is not a number"));
        match word.as_str() {
            "--target" => {
                let name = value()?;
                let known = TARGETS.iter().find(|target| target.name == name);
                found.targets.push(known.ok_or_else(|| {
                    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    format!("there is no target {name:?}; there are {}", names.join(", "))
                })?);
            }
            "--seconds" => found.seconds = number(value()?)?,
            "--seed" => found.seed = number(value()?)?,
            "--count" => found.count = number(value()?)?,
            _ => return Err(format!("{word:?} is not an argument\n{HELP}")),
        }
    }
    if found.targets.is_empty() {
        found.targets = TARGETS.iter().collect();
    }
    Ok(found)
}

/// The result of a target.
#[derive(Default)]
struct Outcome {
    executions: u64,
    seconds: f64,
    slowest: Duration,
    /// By message and place of the panic: the first seed.
    crashes: BTreeMap<String, u64>,
}

fn run(target: &Target, corpus: &Corpus, arguments: &Arguments) -> Outcome {
    let mut outcome = Outcome::default();
    let began = Instant::now();
    let end = Duration::from_secs(arguments.seconds);
    let mut seed = arguments.seed;
    while outcome.executions < arguments.count && began.elapsed() < end {
        let mut input = Input::new(seed);
        let now = Instant::now();
        RUNNING.1.store(seed, Ordering::Relaxed);
        RUNNING.0.store(outcome.executions + 1, Ordering::Relaxed);
        let done = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&mut input, corpus)));
        RUNNING.0.store(0, Ordering::Relaxed);
        outcome.slowest = outcome.slowest.max(now.elapsed());
        outcome.executions += 1;
        if done.is_err() {
            let what = PANIC.lock().map(|text| text.clone()).unwrap_or_default();
            outcome.crashes.entry(what).or_insert_with_key(|what| {
                eprintln!("{} --seed {seed} --count 1: {what}", target.name);
                let path = format!("crashes/{}-{seed}", target.name);
                if let Err(error) = std::fs::create_dir_all("crashes").and_then(|()| std::fs::write(&path, input.shown())) {
                    eprintln!("{path} cannot be written: {error}");
                }
                seed
            });
        }
        seed = seed.wrapping_add(1);
    }
    outcome.seconds = began.elapsed().as_secs_f64();
    outcome
}

/// Returns the processor time of the first thread, which runs the targets (Linux); None elsewhere.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Ends the program if an execution does not end. Processor time is used if the system reports it, because a program may wait for a core for longer than the
/// limit on a busy machine.
fn watch(start: Instant) {
    let now = move || processor_time().unwrap_or_else(|| start.elapsed());
    std::thread::spawn(move || {
        // The last seen execution, and the time when it was first seen.
        let mut seen = (0, Duration::ZERO);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let began = RUNNING.0.load(Ordering::Relaxed);
            if began != seen.0 {
                seen = (began, now());
            } else if began != 0 && now().saturating_sub(seen.1) > SLOW {
                eprintln!("--seed {} does not end within {SLOW:?}", RUNNING.1.load(Ordering::Relaxed));
                std::process::exit(1);
            }
        }
    });
}

/// Returns the microseconds for creating a model and running nothing.
fn setup_cost() -> f64 {
    let began = Instant::now();
    for _ in 0..200 {
        let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Navi31);
        cp.submit(pm4::packet::Queue::Graphics, "", &[]);
        cp.run(&mut ());
    }
    began.elapsed().as_secs_f64() * 1e6 / 200.0
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let corpus = match Corpus::load() {
        Ok(corpus) => corpus,
        Err(error) => {
            eprintln!("the corpus cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    panic::set_hook(Box::new(|info| {
        if let Ok(mut text) = PANIC.lock() {
            let full = info.to_string();
            *text = full.chars().take(600).collect();
        }
    }));
    watch(Instant::now());
    println!("a model is made and runs nothing in {:.0} us", setup_cost());
    println!("| target | executions | per minute | slowest, ms | crashes |\n|---|---|---|---|---|");
    let mut crashed = false;
    for target in &arguments.targets {
        let outcome = run(target, &corpus, &arguments);
        let per_minute = outcome.executions as f64 * 60.0 / outcome.seconds;
        println!("| {} | {} | {per_minute:.0} | {} | {} |", target.name, outcome.executions, outcome.slowest.as_millis(), outcome.crashes.len());
        crashed |= !outcome.crashes.is_empty();
    }
    ExitCode::from(u8::from(crashed))
}
