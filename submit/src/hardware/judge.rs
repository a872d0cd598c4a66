//! Runs a case on the model and on the device, and compares the resulting memory.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use crate::hardware::case::part::SCRATCH;
use crate::hardware::case::{Case, Expected, Machine, Work};
use crate::submission::Submission;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use std::collections::BTreeMap;
use std::time::Duration;

/// The number of compared words.
const COMPARED: usize = SCRATCH as usize / 4;

/// A word with an unexpected value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Offset in the memory of the case, in bytes.
    pub byte: u64,
    /// The expected value, for people.
    pub expected: String,
    /// The value on the device.
    pub found: u64,
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The number of compared words.
    pub compared: usize,
    /// The words that differ.
    pub differences: Vec<Difference>,
    /// Words that no source states, with their values on the device.
    pub shown: Vec<(u64, u32)>,
    /// The number of words that shaders write, on a device that runs no shaders.
    pub not_run: usize,
}

/// The result of a case.
#[derive(Debug)]
pub enum Outcome {
    /// It ran.
    Compared(Comparison),
    /// The machine cannot run it, for this reason.
    LeftOut(String),
    /// The model finds an error in its words, so it was not submitted.
    Refused(Vec<String>),
    /// The device refused it or did not complete it.
    Failed(Error),
}

/// Collects the errors of a run.
#[derive(Default)]
struct Errors(Vec<String>);

impl Observer for Errors {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity == Severity::Error {
            self.0.push(finding.to_string());
        }
    }
}

/// Returns the memory after a run on the model: None for unknown words.
///
/// # Errors
/// Returns findings of severity error.
pub fn on_model(machine: &Machine<'_>, work: &Work) -> Result<Vec<Option<u32>>, Vec<String>> {
    let contents = work.contents();
    let mut cp = CommandProcessor::new(machine.gpu.chip);
    cp.gpu(machine.gpu).closed_memory(true);
    cp.map("memory", machine.memory, &contents);
    cp.submit_to(work.queue.into(), "case", None, &work.words);
    let mut errors = Errors::default();
    cp.run(&mut errors);
    if errors.0.is_empty() { Ok((0..contents.len() as u64).map(|word| cp.memory(machine.at(4 * word))).collect()) } else { Err(errors.0) }
}

/// Runs a case.
pub fn run(device: &Device, memory: &Buffer, case: &Case, timeout: Duration) -> Outcome {
    if !device.has(case.queue) {
        return Outcome::LeftOut(format!("the kernel provides no queue for {}", case.queue.name()));
    }
    let machine = Machine { gpu: device.gpu(), memory: memory.address() };
    let work = match (case.make)(&machine) {
        Ok(work) => work,
        Err(error) => return Outcome::LeftOut(error.to_string()),
    };
    let expected = match on_model(&machine, &work) {
        Ok(expected) => expected,
        Err(errors) => return Outcome::Refused(errors),
    };
    memory.write(0, &work.contents());
    let ran = device.submit(&Submission::new(work.queue, &work.words).with(memory)).and_then(|fence| fence.wait(timeout));
    if let Err(error) = ran {
        return Outcome::Failed(error);
    }
    Outcome::Compared(compare(&work, &expected, &memory.read(0, expected.len()), device.runs_shaders()))
}

/// Returns the 64 bits at an offset in bytes.
fn long(words: &[u32], byte: u64) -> u64 {
    let half = |word: usize| u64::from(words.get(word).copied().unwrap_or(0));
    half(byte as usize / 4) | half(byte as usize / 4 + 1) << 32
}

/// Compares memory word by word.
pub fn compare(work: &Work, model: &[Option<u32>], found: &[u32], runs_shaders: bool) -> Comparison {
    let mut comparison = Comparison::default();
    let before = work.contents();
    // Values stated by the case override those of the model; of 64 bits, the case states both halves.
    let mut stated: BTreeMap<usize, Option<Expected>> = BTreeMap::new();
    for (byte, expected) in &work.expected {
        stated.insert(*byte as usize / 4, Some(*expected));
        if matches!(expected, Expected::Clock { .. } | Expected::Counts { .. }) {
            stated.insert(*byte as usize / 4 + 1, None);
        }
    }
    for (word, (model, found_word)) in model.iter().zip(found).enumerate().take(COMPARED) {
        let byte = 4 * word as u64;
        let (is_right, expected, value) = match stated.get(&word) {
            Some(_) if work.needs_shaders && !runs_shaders => {
                comparison.not_run += 1;
                continue;
            }
            Some(None) => continue,
            Some(Some(Expected::Shown)) => {
                comparison.shown.push((byte, *found_word));
                continue;
            }
            Some(Some(Expected::Word(wanted))) => (found_word == wanted, format!("{wanted:08x} by the program"), u64::from(*found_word)),
            Some(Some(Expected::Clock { after })) => {
                let (clock, earlier) = (long(found, byte), after.map(|after| long(found, after)));
                let expected = earlier.map_or_else(|| "a clock".into(), |earlier| format!("a clock past {earlier:016x}"));
                (clock != long(&before, byte) && clock != 0 && earlier.is_none_or(|earlier| earlier <= clock), expected, clock)
            }
            Some(Some(Expected::Counts { since, by })) => {
                let (count, earlier) = (long(found, byte), long(found, *since));
                (count.wrapping_sub(earlier) >= *by && count >= earlier, format!("{by} more than {earlier:016x}, or a larger number"), count)
            }
            None => match model {
                Some(wanted) => (wanted == found_word, format!("{wanted:08x} by the model"), u64::from(*found_word)),
                None => {
                    comparison.shown.push((byte, *found_word));
                    continue;
                }
            },
        };
        comparison.compared += 1;
        if !is_right {
            comparison.differences.push(Difference { byte, expected, found: value });
        }
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::submission::Queue;

    #[test]
    fn memory_is_compared_with_what_is_stated_and_with_the_model_for_the_rest() {
        let work = Work::new(Queue::Graphics, vec![0xFFFF_1000]).with(8, [0; 12]);
        let work = work.expect(8, Expected::Clock { after: None }).expect(16, Expected::Clock { after: Some(8) }).expect(24, Expected::Word(9));
        let mut model: Vec<Option<u32>> = work.contents().into_iter().map(Some).collect();
        (model[0], model[1]) = (None, Some(5));
        let mut found = work.contents();
        (found[1], found[2], found[4], found[6]) = (5, 100, 99, 9);
        let comparison = compare(&work, &model, &found, true);
        assert_eq!((comparison.shown.as_slice(), comparison.not_run), ([(0, found[0])].as_slice(), 0));
        assert_eq!(comparison.compared, COMPARED - 3, "two clocks of two words, and one word that is not known");
        let expected = "a clock past 0000000000000064".to_owned();
        assert_eq!(comparison.differences, [Difference { byte: 16, expected, found: 99 }]);
        found[1] = 6;
        assert_eq!(compare(&work, &model, &found, true).differences[0].expected, "00000005 by the model");
    }

    #[test]
    fn a_counter_that_counts_too_little_or_backwards_is_a_difference() {
        let work = Work::new(Queue::Graphics, vec![0xFFFF_1000]).expect(0, Expected::Shown).expect(4, Expected::Shown);
        let work = work.expect(8, Expected::Counts { since: 0, by: 4 });
        let model: Vec<Option<u32>> = work.contents().into_iter().map(Some).collect();
        for (counted, differences) in [(104, 0), (1000, 0), (103, 1), (99, 1)] {
            let mut found = work.contents();
            found[..4].copy_from_slice(&[100, 0, counted, 0]);
            assert_eq!(compare(&work, &model, &found, true).differences.len(), differences, "{counted}");
        }
    }

    #[test]
    fn results_of_shaders_are_not_compared_where_none_runs() {
        let work = Work::new(Queue::Compute, vec![0xFFFF_1000]).shaders_write(0, &[1, 2, 3]);
        let contents = work.contents();
        let model: Vec<Option<u32>> = contents.iter().copied().map(Some).collect();
        let [with, without] = [true, false].map(|runs| compare(&work, &model, &contents, runs));
        assert_eq!((with.differences.len(), with.not_run), (3, 0));
        assert_eq!((without.differences.len(), without.not_run, without.compared), (0, 3, COMPARED - 3));
    }
}
