//! Random draws and dispatches, in `golden/draw/random.txt`: per chip and register, the number of writes, a hash of the values, and one of the reasons for its
//! fields. A change shows up here under the affected registers, even if only a rare combination triggers it. Refused descriptions are listed with their error.
//! Also the findings of the model for random draws.
use crate::chip_table::name;
use crate::golden::{Parts, digest, digest_after, is_turn_of};
use crate::stages::AnyDispatch;
use crate::support::draws::{Case, desc, queue_memory};
use crate::support::property;
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::Queue;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;

/// One chip of each generation, and a GFX9 APU.
const CHIPS: [Chip; 7] = [Chip::Vega10, Chip::Raven2, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1151, Chip::Gfx1201];

/// Replaces numbers with #, so that registers of an array, and messages that differ only in numbers, share a line.
fn numberless(text: &str) -> String {
    let mut short = text.replace(|c: char| c.is_ascii_digit(), "#");
    while short.contains("##") {
        short = short.replace("##", "#");
    }
    short
}

/// The results of several descriptions for a register, or for an array.
struct Made {
    draws: u32,
    values: u64,
    reasons: u64,
}

#[derive(Default)]
struct Digests {
    registers: BTreeMap<String, Made>,
    refused: BTreeMap<String, u32>,
}

impl Digests {
    fn made(&mut self, chip: Chip, addr: u32) -> &mut Made {
        self.registers.entry(numberless(&name(chip, addr))).or_insert_with(|| Made { draws: 0, values: digest(""), reasons: digest("") })
    }

    fn add(&mut self, chip: Chip, image: &RegisterImage, reasons: &Reasons) {
        for register in image.registers() {
            let made = self.made(chip, register.addr);
            (made.draws, made.values) = (made.draws + 1, digest_after(made.values, &format!("{:x} ", register.value)));
        }
        for reason in reasons.iter() {
            let made = self.made(chip, reason.addr);
            made.reasons = digest_after(made.reasons, &format!("{} {} ", reason.field, reason.rule));
        }
    }

    fn refuse(&mut self, error: impl std::fmt::Display) {
        *self.refused.entry(numberless(&error.to_string())).or_default() += 1;
    }

    fn text(&self) -> String {
        let registers =
            self.registers.iter().map(|(name, made)| format!("{name}: {}, {:08x}, reasons {:08x}\n", made.draws, made.values as u32, made.reasons as u32));
        let refused = self.refused.iter().map(|(text, times)| format!("refused {times}: {text}\n"));
        registers.chain(refused).collect()
    }
}

/// Returns a description with parts of another one, so that mismatched parts occur.
fn mixed(g: &mut Gen, chip: Chip) -> DrawDesc {
    let (mut draw, other) = (desc(g, chip), desc(g, chip));
    match u8::arbitrary(g) % 8 {
        0 => draw.targets = other.targets,
        1 => draw.state = other.state,
        2 => draw.pipeline.shader = other.pipeline.shader,
        3 => draw.pipeline.vertex = other.pipeline.vertex,
        4 => draw.pipeline.samples = other.pipeline.samples,
        _ => {}
    }
    draw
}

#[test]
fn random_draws_and_dispatches_have_the_expected_registers() {
    let mut parts = Parts::default();
    for (nth, chip) in CHIPS.into_iter().enumerate().filter(|(nth, _)| is_turn_of(*nth)) {
        let (mut g, mut draws, mut dispatches) = (Gen::from_size_and_seed(100, nth as u64), Digests::default(), Digests::default());
        for _ in 0..400 {
            let draw = mixed(&mut g, chip);
            match draw.resolve(chip) {
                Ok(resolved) => draws.add(chip, &resolved.image, &draw.explain(chip).expect("it resolves")),
                Err(error) => draws.refuse(error),
            }
            let dispatch = std::iter::repeat_with(|| AnyDispatch::arbitrary(&mut g)).find(|any| any.chip == chip).expect("one").desc;
            match dispatch.resolve(chip) {
                Ok(resolved) => dispatches.add(chip, &resolved.image, &dispatch.explain(chip).expect("it resolves")),
                Err(error) => dispatches.refuse(error),
            }
        }
        parts.add(&format!("{chip}, draws"), &draws.text());
        parts.add(&format!("{chip}, dispatches"), &dispatches.text());
    }
    parts.assert_added("draw/random.txt");
}

/// Findings above severity info, except STA-01: descriptions need no program addresses.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Observer for Complaints {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity != Severity::Info && finding.code != "STA-01" {
            self.0.push(finding.to_string());
        }
    }
}

/// Records a description that the crate's own rules accept: alone, after another draw, and before it.
#[test]
fn the_model_has_neither_errors_nor_warnings_for_random_draws() {
    fn holds(case: Case) -> Result<(), String> {
        let (draw, plain) = (case.resolve(), DrawDesc::default().resolve(case.chip).expect("a plain draw"));
        let mut recorder = Recorder::new(case.chip);
        // As if packets from elsewhere had begun streamout.
        recorder.writer();
        recorder.begin_with(&queue_memory()).map_err(|error| error.to_string())?;
        for draw in [&draw, &plain, &draw] {
            recorder.draw(draw).map_err(|error| error.to_string())?;
        }
        let words = recorder.finish().map_err(|error| error.to_string())?;
        let mut cp = CommandProcessor::new(case.chip);
        cp.relaxed_order(true);
        cp.submit(Queue::Graphics, "draws", &words);
        let mut complaints = Complaints::default();
        cp.run(&mut complaints);
        complaints.0.first().map_or(Ok(()), |complaint| Err(format!("{}: {complaint}", case.chip)))
    }
    property("no warnings", 2000, holds as fn(Case) -> Result<(), String>);
}
