//! Every rule reports its mistake in a recorded submission, and reports nothing without the mistake.
//!
//! The submissions are those of tests/captures, whole: preambles, called buffers, postambles. Generations and packets without a capture (GFX11.5, GFX12, and
//! packets of compute queues of other generations) use a stream recorded by this crate.
use crate::mutation;
use crate::mutations;
use mutation::{Base, Settings};
use pm4::chip::Chip;
use pm4::cp::{Finding, Severity, rules};
use std::collections::{BTreeMap, BTreeSet};

/// The number of findings of each code; findings that are reported once count each occurrence.
fn counts(findings: &[Finding]) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.code).or_default() += finding.count;
    }
    counts
}

#[test]
fn each_rule_trips_on_a_recorded_submission_with_the_mistake_in_it() {
    let mut wrong = Vec::new();
    for mutation in mutations::mutations() {
        let chip = mutation.base.chip();
        let run = |parts: &[mutation::Part]| counts(&mutation::run(chip, mutation.code, mutation.settings, parts));
        let (before, after) = (run(&mutation.base.parts()), run(&mutation.base.mutated(&mutation.edit)));
        let (before, after) = (before.get(mutation.code).copied().unwrap_or(0), after.get(mutation.code).copied().unwrap_or(0));
        if after <= before {
            wrong.push(format!("{} on {:?}: {before} before, {after} after {:?}", mutation.code, mutation.base, mutation.edit));
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

/// Writes of shaders are reported only by an observer; the submissions are for graphics queues of other chips, and no capture has packets of SDMA, AQL or MES.
const WITHOUT: [&str; 25] = [
    "MES-01", "MES-02", "AQL-01", "AQL-02", "AQL-03", "AQL-04", "AQL-05", "AQL-06", "AQL-07", "AQL-08", "AQL-09", "AQL-10", "AQL-11", "AQL-12", "SYN-33",
    "STA-65", "SDMA-01", "SDMA-02", "SDMA-03", "SDMA-04", "SDMA-05", "SDMA-06", "SDMA-07", "SDMA-08", "SDMA-09",
];

#[test]
fn every_rule_has_a_mutation() {
    let covered: BTreeSet<&str> = mutations::mutations().iter().map(|mutation| mutation.code).collect();
    let bare: Vec<&str> = rules::all().map(|rule| rule.code).filter(|code| !covered.contains(code)).collect();
    assert_eq!(BTreeSet::from_iter(bare), BTreeSet::from(WITHOUT));
}

#[test]
fn mutations_use_a_stream_of_this_crate_only_where_no_capture_exists() {
    let own: Vec<_> = mutations::mutations().into_iter().filter(|mutation| matches!(mutation.base, Base::Own(_))).collect();
    let captured = [Chip::Vega10, Chip::Navi10, Chip::Navi21, Chip::Navi31];
    for mutation in own {
        assert!(!captured.contains(&mutation.base.chip()), "{}: {} has captures", mutation.code, mutation.base.chip());
    }
}

#[test]
fn the_submissions_themselves_trip_no_rule_as_an_error() {
    let bases: BTreeSet<String> = mutations::mutations().iter().map(|mutation| format!("{:?}", mutation.base)).collect();
    let mut seen = BTreeSet::new();
    for mutation in mutations::mutations() {
        if !seen.insert(format!("{:?}", mutation.base)) {
            continue;
        }
        let errors: Vec<_> = mutation::run(mutation.base.chip(), "", Settings::default(), &mutation.base.parts())
            .into_iter()
            .filter(|f| f.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{:?}: {errors:#?}", mutation.base);
    }
    assert_eq!(seen, bases);
}
