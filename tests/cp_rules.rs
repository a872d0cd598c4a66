//! Every rule: a minimal stream that trips it and nothing else, and the same stream repaired that does not. Mistakes in recorded streams: tests/cp_mutations.rs.
//!
//! The page of all rules, docs/rules.md, is compared with the table here; `PM4_WRITE_RULES=1` writes it anew.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

#[path = "../examples/common/mod.rs"]
mod common;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/pops_cases.rs"]
mod pops_cases;
#[path = "support/rule_cases.rs"]
mod rule_cases;
#[path = "support/streams.rs"]
mod streams;

use mutation::Part;
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{CommandProcessor, Finding};
use pm4::packet::Queue;
use rule_cases::{Case, cases};
use std::collections::BTreeSet;
use std::path::Path;
use streams::{N31, set};

/// Runs the stream of a case, which lies at 0x10_0000.
fn findings(case: &Case, words: &[u32]) -> Vec<Finding> {
    let part = Part { role: "main".into(), queue: case.queue, addr: 0x10_0000, words: words.to_vec() };
    let beside = Part { role: "beside".into(), queue: Queue::Compute, addr: 0x20_0000, words: case.beside.clone() };
    let parts = if case.beside.is_empty() { vec![part] } else { vec![part, beside] };
    mutation::run(case.chip, case.code, case.settings, &parts)
}

fn codes(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn each_rule_trips_on_its_mistake_and_not_on_the_repaired_stream() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (bad, good) = (codes(&findings(&case, &case.bad)), codes(&findings(&case, &case.good)));
        if !bad.contains(case.code) || good.contains(case.code) {
            wrong.push(format!("{} on {}: {bad:?} on the mistake, {good:?} on the repaired stream", case.code, case.chip));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_mistake_trips_no_rule_but_its_own() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (bad, good) = (codes(&findings(&case, &case.bad)), codes(&findings(&case, &case.good)));
        let more: Vec<&str> = bad.difference(&good).copied().filter(|code| *code != case.code && !case.also.contains(code)).collect();
        let unused: Vec<&str> = case.also.iter().copied().filter(|code| !bad.contains(code)).collect();
        if !more.is_empty() || !unused.is_empty() {
            wrong.push(format!("{} on {}: also {more:?}, expected and absent {unused:?}", case.code, case.chip));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.code).collect();
    let bare: Vec<&str> = rules::all().map(|rule| rule.code).filter(|code| !covered.contains(code)).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn codes_are_unique_and_every_rule_says_who_says_so() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        assert!(seen.insert(rule.code), "{} stands twice", rule.code);
        assert!(!rule.source.is_empty() && rule.explanation.len() > 40 && !rule.title.is_empty(), "{}", rule.code);
    }
}

#[test]
fn levels_silence_raise_and_wake_rules() {
    let words = [set(0x2880C, &[1]), set(0x2880C, &[1])].concat();
    let run = |code: &str, level| {
        let mut cp = CommandProcessor::new(N31);
        assert!(cp.level(code, level));
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ())
    };
    assert_eq!(run("PERF-01", RuleLevel::Deny).errors, 1);
    assert_eq!(run("perf-01", RuleLevel::Warn).warnings, 1);
    assert_eq!(run("PERF-01", RuleLevel::Allow).infos, 0);
}

#[test]
fn the_page_of_rules_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let page = common::rules::page();
    if std::env::var_os("PM4_WRITE_RULES").is_some() {
        std::fs::write(&path, &page).expect("docs can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "docs/rules.md is not the table: run PM4_WRITE_RULES=1 cargo test --test cp_rules");
}
