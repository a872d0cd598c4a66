//! All comparisons in the order in which they run: from what can hardly fail to what needs the most.

mod frames;
mod memory;
mod programs;
mod registers;
mod sdma;
mod shaders;
mod streams;
mod time;

use crate::hardware::case::Case;

/// Returns all cases except the frame.
pub fn all() -> impl Iterator<Item = Case> {
    let tables: [&[Case]; 6] = [memory::CASES, registers::CASES, time::CASES, sdma::CASES, shaders::CASES, frames::DRAWS];
    tables.into_iter().flatten().copied()
}

/// The frame, which runs on its own.
pub const FRAME: Case = frames::FRAME;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::case::Machine;
    use crate::hardware::judge::on_model;
    use pm4::chip::Chip;
    use pm4::gpu::Gpu;
    use std::collections::BTreeSet;

    /// Returns the result of a case on each chip: the number of words that the model changes, or why the case is left out.
    fn on_all_chips(case: &Case) -> Vec<(Chip, Result<usize, String>)> {
        let run = |chip: Chip| {
            let gpu = chip.device().map_or_else(|| Gpu::from(chip), Gpu::of_device);
            let machine = Machine { gpu: &gpu, memory: 0x1_0000_0000 };
            let work = (case.make)(&machine).map_err(|error| error.to_string())?;
            let after = on_model(&machine, &work).unwrap_or_else(|errors| panic!("{} on {chip}: {errors:?}", case.name));
            Ok(work.contents().into_iter().zip(after).filter(|(before, after)| *after != Some(*before)).count())
        };
        Chip::all().map(|chip| (chip, run(chip))).collect()
    }

    #[test]
    fn every_case_does_something_on_every_chip_and_the_model_finds_no_error_in_it() {
        for case in all().chain([FRAME]) {
            for (chip, outcome) in on_all_chips(&case) {
                match outcome {
                    Ok(changed) => assert!(changed > 0, "{} on {chip} changes nothing", case.name),
                    Err(why) => {
                        assert!(why.contains("vertex work is NGG") || why.contains("no source states the version of SDMA"), "{} on {chip}: {why}", case.name)
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_unique_and_words_of_a_command_line() {
        let names: BTreeSet<&str> = all().chain([FRAME]).map(|case| case.name).collect();
        assert_eq!(names.len(), all().count() + 1);
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    }
}
