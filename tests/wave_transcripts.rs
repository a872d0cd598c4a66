//! What runs of the wave model come to, line by line: the same setup, words and seed give the same run, event by event, on every machine and in every version
//! that does not say otherwise. The texts stand in `golden/waves/`.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

use crate::golden::Parts;
use pm4::chip::Gfx;
use pm4::isa::WaveSize;
use pm4::waves::{self, *};
use std::fmt::Write;
use strum::IntoEnumIterator;

/// What a run did: its first events as text, the numbers of all, and one number for their whole order (FNV-1a).
struct Log {
    shown: usize,
    text: String,
    counts: [u64; 8],
    order: u64,
}

impl Log {
    fn new(shown: usize) -> Self {
        Self { shown, text: String::new(), counts: [0; 8], order: 0xCBF2_9CE4_8422_2325 }
    }

    fn note(&mut self, kind: usize, line: &str) {
        self.counts[kind] += 1;
        self.order = line.bytes().fold(self.order, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
        if self.shown > 0 {
            self.shown -= 1;
            let _ = writeln!(self.text, "{line}");
        }
    }
}

impl Watch for Log {
    fn event(&mut self, time: u64, wave: WaveName, event: WatchEvent) {
        let kind = match event {
            WatchEvent::Launch { .. } => 0,
            WatchEvent::Sleep => 1,
            WatchEvent::Wake => 2,
            WatchEvent::Access { .. } => 3,
            WatchEvent::Done => 4,
            WatchEvent::End => 5,
        };
        self.note(kind, &format!("{time} {wave}: {event:?}"));
    }

    fn access(&mut self, time: u64, access: &PixelAccess) {
        let PixelAccess { wave, pixel, samples, read, write, late } = access;
        self.note(6 + usize::from(*late), &format!("{time} {wave}: pixel {pixel:?} samples {samples:x} read {read} write {write} late {late}"));
    }
}

/// A run in a few lines: events, then what the report says.
fn told(setup: &Setup, words: &[u32], options: RunOptions, shown: usize) -> String {
    let mut log = Log::new(shown);
    let report = waves::run_watched(setup, words, options, &mut log);
    let [launched, slept, woke, accessed, left, ended, reached, late] = log.counts;
    let mut text = log.text;
    let _ = writeln!(
        text,
        "launched {launched} slept {slept} woke {woke} accessed {accessed} left {left} ended {ended} quads {reached} late {late}, order {:016x}",
        log.order
    );
    let Report { waves, overlapped, violations, hangs, protocol_errors, findings } = report;
    let _ = writeln!(text, "waves {waves} overlapped {overlapped} violations {violations} hangs {hangs} protocol errors {protocol_errors}");
    findings.iter().for_each(|finding| {
        let _ = writeln!(text, "  {finding}");
    });
    waves::lint(setup, words).iter().for_each(|lint| {
        let _ = writeln!(text, "  lint: {lint}");
    });
    text
}

/// Setups that differ from the plain one in one thing each.
fn setups(gfx: Gfx) -> Vec<(&'static str, Setup)> {
    let plain = || Setup::plain(gfx);
    let samples = |log2: u8| Setup { samples_log2: log2, exposed_log2: log2, compared_log2: log2, ..plain() };
    let sample_scope = |log2: u8| Setup { overlap_log2: log2, interlock: InterlockScope::Sample, ..samples(log2) };
    vec![
        ("plain", plain()),
        ("one packer", Setup { packers: 1, ..plain() }),
        ("2 samples", samples(1)),
        ("8 samples", samples(3)),
        ("4 samples, each in order", sample_scope(2)),
        ("8 samples, pairs of them overlap", Setup { overlap_log2: 2, ..samples(3) }),
        ("4 samples, the shader sees 2", Setup { exposed_log2: 1, ..samples(2) }),
        ("4 samples, 1 is compared", Setup { compared_log2: 0, ..samples(2) }),
        ("4 invocations per pixel", Setup { iterations_log2: 2, ..samples(2) }),
        ("waves of 32", Setup { wave: WaveSize::W32, ..plain() }),
        ("rate 2x1", Setup { rate: (2, 1), ..plain() }),
        ("rate 2x2", Setup { rate: (2, 2), ..samples(1) }),
        ("drained", Setup { drain: true, ..plain() }),
        ("without export space", Setup { export_space: false, ..plain() }),
        ("not ordered", Setup { pops: false, ..plain() }),
    ]
}

/// What occurs on hardware with an erratum.
const AXIOMS: [(&str, Axiom); 2] = [("overlap that is missed", Axiom::MissedOverlap), ("drain that stalls", Axiom::StalledPops)];

#[test]
fn runs_of_sections_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        for (name, setup) in setups(gfx) {
            let Ok(words) = Section::of(&setup).words() else {
                parts.add(&format!("{gfx} {name}"), "no section");
                continue;
            };
            let shown = if name == "plain" { 40 } else { 4 };
            for (seed, start_id) in [(1, 0), (2, 1019), (3, 4090)] {
                let options = RunOptions { waves: 60, seed, start_id };
                parts.add(&format!("{gfx} {name}, seed {seed}, from {start_id}"), &told(&setup, &words, options, if seed == 1 { shown } else { 0 }));
            }
        }
        for (name, axiom) in AXIOMS {
            let setup = Setup { axiom: Some(axiom), drain: true, ..Setup::plain(gfx) };
            let words = Section::of(&setup).words().expect("a section");
            parts.add(&format!("{gfx} {name}"), &told(&setup, &words, RunOptions { waves: 200, seed: 1, start_id: 0 }, 0));
        }
    }
    parts.assert("waves/runs.txt");
}

#[test]
fn runs_of_known_mistakes_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        for mutation in MUTATIONS {
            for interlock in [InterlockScope::Pixel, InterlockScope::Sample] {
                let log2 = if interlock == InterlockScope::Sample { 2 } else { 0 };
                let setup = Setup { samples_log2: 2, exposed_log2: 2, compared_log2: 2, overlap_log2: log2, interlock, ..Setup::plain(gfx) };
                let title = format!("{gfx} {} {interlock:?}, verdict {:?}", mutation.name, mutation.verdict(gfx, &[]));
                match mutation.program(&Section::of(&setup)) {
                    Ok(words) => parts.add(&title, &told(&setup, &words, RunOptions { waves: 120, seed: 7, start_id: 1000 }, 0)),
                    Err(error) => parts.add(&title, &error.to_string()),
                }
            }
        }
    }
    parts.assert("waves/mistakes.txt");
}

/// A number that looks random (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % limit.max(1) as u64) as usize
    }
}

/// One or two dwords are others than in the section: another bit, one of another place, two that change places, one less, one more.
fn damaged(words: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = words.to_vec();
    for _ in 0..=random.below(2) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 | 1 => words[at] ^= 1 << random.below(32),
            2 => words[at] = words[other],
            3 => words.swap(at, other),
            4 => drop(words.remove(at)),
            _ => words.insert(at, words[other]),
        }
    }
    words
}

#[test]
fn runs_of_damaged_sections_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        let mut random = Random(gfx as u64);
        for number in 0..40 {
            let all = setups(gfx);
            let (name, setup) = &all[random.below(all.len())];
            let Ok(words) = Section::of(setup).words() else { continue };
            let words = damaged(&words, &mut random);
            parts.add(&format!("{gfx} {number}: {name}"), &told(setup, &words, RunOptions { waves: 24, seed: number, start_id: 1000 }, 0));
        }
    }
    parts.assert("waves/damaged.txt");
}
