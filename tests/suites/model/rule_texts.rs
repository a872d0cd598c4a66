//! The text of each rule's mistake, in full, and which of its words matter: `golden/rules/`.
//!
//! `mistakes.txt` has the findings of the rule on six chips (vega10, navi10, navi21, navi31, gfx1150, gfx1201), on its own chip those of all rules. `words.txt`
//! has, on the chip of the rule, the rules that trip if one word of the mistake is 1 more or less; `chips.txt` the chips on which the rule trips,
//! `settings.txt` the changes by queue, firmware and board. After a change of a rule, rewrite them (`PM4_WRITE_GOLDEN=1 cargo test --test model rule_texts`)
//! and check the difference against the source of the rule.
use crate::chip_table::assert_table;
use crate::cp_rules::findings;
use crate::golden;
use crate::mutation::Settings;
use crate::rule_cases::{self, Case, cases};
use pm4::chip::Chip;
use pm4::cp::{BoardFacts, Finding, FirmwareVersions, Note};
use pm4::packet::Queue;
use std::collections::BTreeSet;
use strum::IntoEnumIterator;

fn line(finding: &Finding) -> String {
    let Finding { code, severity, place, register, field, message, notes, help, count, .. } = finding;
    let at = [Some(format!("dword {}", place.dword)), register.clone(), field.map(str::to_owned)].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
    let note = |note: &Note| format!(" | note{}: {}", note.place.map_or_else(String::new, |place| format!(" at dword {}", place.dword)), note.text);
    let help = help.as_ref().map_or_else(String::new, |help| format!(" | help: {help}"));
    format!("{severity}[{code}]{times} {at}: {message}{}{help}", notes.iter().map(note).collect::<String>())
}

/// Cases by the code of their rule; several cases of one rule get a number.
fn named() -> Vec<(String, Case)> {
    let mut before = std::collections::BTreeMap::<&str, u32>::new();
    let name = |case: Case| {
        let number = before.entry(case.code).or_default();
        *number += 1;
        (format!("{} case {number}, of {}", case.code, case.chip), case)
    };
    cases().into_iter().map(name).collect()
}

/// The mistake of a case on another chip.
fn on(chip: Chip, case: &Case) -> Case {
    let mistake =
        Case { chip, queue: case.queue, bad: case.bad.clone(), beside: case.beside.clone(), ..rule_cases::case(case.code, chip, Vec::new(), Vec::new()) };
    mistake.with(case.settings)
}

#[test]
fn each_mistake_gives_the_recorded_findings() {
    assert_table(
        "tests/suites/model/rule_texts.rs",
        "rules/mistakes",
        |_| Vec::new(),
        &named(),
        |chip, case| {
            let found = findings(&on(chip, case), &case.bad);
            // Other chips have other rules for such a stream: their findings are not checked here.
            let told = found.iter().filter(|finding| chip == case.chip || finding.code == case.code);
            told.map(|finding| line(finding).replace(&chip.gfx().to_string(), "the generation")).collect()
        },
    );
}

#[test]
fn changing_a_word_of_a_mistake_changes_the_recorded_rules() {
    let codes = |case: &Case, words: &[u32]| findings(case, words).iter().map(|finding| finding.code).collect::<BTreeSet<_>>();
    let mut text = String::from("# tests/suites/model/rule_texts.rs explains this file.\n");
    for (name, case) in named() {
        let known = codes(&case, &case.bad);
        text += &format!("{name}: {}\n", known.iter().copied().collect::<Vec<_>>().join(" "));
        for at in 0..case.bad.len() {
            for (sign, step) in [("+", 1u32), ("-", u32::MAX)] {
                let mut words = case.bad.clone();
                words[at] = words[at].wrapping_add(step);
                let now = codes(&case, &words);
                let gone = known.difference(&now).map(|code| format!("-{code}"));
                let new = now.difference(&known).map(|code| format!("+{code}"));
                let changed = gone.chain(new).collect::<Vec<_>>().join(" ");
                if !changed.is_empty() {
                    text += &format!("    dword {at} {sign} 1: {changed}\n");
                }
            }
        }
    }
    golden::assert_golden("rules/words.txt", &text);
}

/// The chips on which each mistake is one: conditions on errata and versions, and boards with their own memory.
#[test]
fn each_mistake_is_reported_on_the_expected_chips() {
    let mut text = String::from("# tests/suites/model/rule_texts.rs explains this file.\n");
    for (name, case) in named() {
        let told = |chip: Chip| findings(&on(chip, &case), &case.bad).iter().find(|finding| finding.code == case.code).map(|finding| finding.severity);
        let chips: Vec<String> = Chip::iter().filter_map(|chip| Some(format!("{chip} {}", told(chip)?))).collect();
        text += &format!("{name}: {}\n", if chips.len() == Chip::iter().count() { "all chips".into() } else { chips.join(", ") });
    }
    golden::assert_golden("rules/chips.txt", &text);
}

/// The values of a setting at which the answer changes: `(0, error), (52, nothing)`. It tries some values, and then those between two with different answers.
fn steps(tried: &[u32], answer: impl Fn(u32) -> String) -> Vec<(u32, String)> {
    let mut found = vec![(0, answer(0))];
    for pair in tried.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let (before, after) = (answer(low), answer(high));
        while before != after && high - low > 1 {
            let middle = low + (high - low) / 2;
            *(if answer(middle) == before { &mut low } else { &mut high }) = middle;
        }
        if before != after {
            found.push((high, after));
        }
    }
    found
}

/// The effect of the queue, of firmware versions and of facts about the board on a rule's answer: `golden/rules/settings.txt`.
#[test]
fn queues_firmware_and_boards_change_the_expected_rules() {
    let mut text = String::from("# tests/suites/model/rule_texts.rs explains this file.\n");
    for (name, case) in named() {
        for (stream, words) in [("mistake", &case.bad), ("repaired", &case.good)] {
            let finding = |queue: Queue, settings: Settings| {
                let other = Case { queue, ..on(case.chip, &case) }.with(settings);
                findings(&other, words).into_iter().find(|finding| finding.code == case.code)
            };
            let told = |queue, settings| finding(queue, settings).map_or("nothing".into(), |found| format!("{} {}", found.severity, found.message));
            let severity = |settings| finding(case.queue, settings).map_or("nothing".into(), |found| found.severity.to_string());
            let own = told(case.queue, case.settings);
            let mut add = |what: &str, said: String| {
                if said != own {
                    text += &format!("{name}, {stream}, {what}: {said}\n");
                }
            };
            for queue in [Queue::Graphics, Queue::Compute, Queue::Constant] {
                add(&format!("on queue {queue:?}"), told(queue, case.settings));
            }
            add("in a ring", told(case.queue, Settings { ring: true, ..case.settings }));
            add("without settings", told(case.queue, Settings::default()));
            let own = severity(case.settings);
            let mut add_steps = |what: &str, tried: &[u32], with: &dyn Fn(u32) -> Settings| {
                let found = steps(tried, |value| severity(with(value)));
                if found.len() > 1 || found[0].1 != own {
                    let found: Vec<String> = found.iter().map(|(value, said)| format!("from {value} {said}")).collect();
                    text += &format!("{name}, {stream}, {what}: {}\n", found.join(", "));
                }
            };
            type Part<T> = (&'static str, fn(&mut T) -> &mut Option<u32>);
            let versions: [Part<FirmwareVersions>; 4] =
                [("pfp", |all| &mut all.pfp), ("me", |all| &mut all.me), ("mec", |all| &mut all.mec), ("me_feature", |all| &mut all.me_feature)];
            for (what, part) in versions {
                add_steps(&format!("firmware {what}"), &[0, u32::MAX], &|value| {
                    let mut settings = case.settings;
                    *part(&mut settings.firmware) = Some(value);
                    settings
                });
            }
            let facts: [Part<BoardFacts>; 2] = [("shader engines", |all| &mut all.shader_engines), ("CUs per array", |all| &mut all.cus_per_array)];
            for (what, part) in facts {
                add_steps(what, &[0, 1, 2, 3, 4, 64], &|value| {
                    let mut settings = case.settings;
                    *part(&mut settings.board) = Some(value);
                    settings
                });
            }
        }
    }
    golden::assert_golden("rules/settings.txt", &text);
}
