//! The truth kit (`pm4::testing`): each case is what it claims, on every generation, and random streams are as valid or as broken as intended.

use crate::support::property;
use pm4::chip::{Chip, Gfx};
use pm4::cp::rules;
use pm4::packet::{FieldValue, Reader};
use pm4::queues::{QueueFamily, QueueReader, Target};
use pm4::testing::{self, BrokenStream, RuleCase, TestStream, ValidStream};
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoEnumIterator;

#[test]
fn a_hit_gives_its_code_alone_and_a_miss_nothing() {
    let mut wrong = Vec::new();
    for case in testing::rule_cases() {
        let (hit, miss) = (case.hit.codes(), case.miss.codes());
        if hit != BTreeSet::from([case.rule]) || !miss.is_empty() {
            wrong.push(format!("{} on {} ({}): {hit:?}, and without it {miss:?}", case.rule, case.hit.chip, case.fact));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each chip that an erratum names, or a list of chips: a fact about one chip of a generation need not hold for another.
#[test]
fn a_rule_for_some_chips_has_a_case_on_each_of_them() {
    let mut cases: BTreeMap<&str, BTreeSet<Chip>> = BTreeMap::new();
    for case in testing::rule_cases() {
        cases.entry(case.rule).or_default().insert(case.hit.chip);
    }
    for rule in rules::all() {
        let Some(has) = cases.get(rule.code) else { continue };
        for gfx in has.iter().map(|chip| chip.gfx()).collect::<BTreeSet<_>>() {
            let of = |chip: &Chip| chip.gfx() == gfx;
            let named: BTreeSet<Chip> = Chip::iter().filter(|chip| of(chip) && rule.scope.contains(*chip)).collect();
            let wanted = if named.len() == Chip::iter().filter(of).count() { 1 } else { named.len() };
            let found = has.iter().filter(|chip| of(chip));
            assert!(found.clone().all(|chip| named.contains(chip)) && found.count() == wanted, "{} on {gfx}: {has:?} of {named:?}", rule.code);
        }
    }
}

#[test]
fn a_case_that_turns_a_rule_off_says_why() {
    let mut off = BTreeSet::new();
    for case in testing::rule_cases() {
        assert_eq!(case.hit.allowed, case.miss.allowed);
        assert_eq!(case.hit.allowed.is_empty(), case.allowed_because.is_none(), "{}", case.rule);
        if let [code] = case.hit.allowed[..] {
            // Without it, both rules report the hit, and nothing else does.
            let all = TestStream { allowed: Vec::new(), ..case.hit.clone() };
            assert_eq!(all.codes(), BTreeSet::from([case.rule, code]), "{} on {}", case.rule, case.hit.chip);
            off.insert(case.rule);
        }
    }
    assert!(off.len() <= 10, "{off:?}");
}

/// The generations that a rule names.
fn generations(rule: &rules::Rule) -> BTreeSet<Gfx> {
    Chip::iter().filter(|chip| rule.scope.contains(*chip)).map(Chip::gfx).collect()
}

#[test]
fn each_rule_has_a_case_on_each_generation_or_a_reason() {
    let mut cases: BTreeMap<&str, BTreeSet<Gfx>> = BTreeMap::new();
    for case in testing::rule_cases() {
        cases.entry(case.rule).or_default().insert(case.hit.chip.gfx());
    }
    for rule in rules::all() {
        let has = cases.remove(rule.code).unwrap_or_default();
        let reasons = testing::without_case().iter().filter(|without| without.rule == rule.code);
        let without: BTreeSet<Gfx> =
            reasons.flat_map(|without| Gfx::iter().filter(|gfx| Chip::iter().any(|chip| chip.gfx() == *gfx && without.scope.contains(chip)))).collect();
        assert!(has.is_disjoint(&without), "{}", rule.code);
        assert_eq!(&has | &without, generations(rule), "{}", rule.code);
    }
    assert!(cases.is_empty(), "{cases:?}");
}

/// The packets of a stream; words outside all packets are separate.
fn packets(words: &[u32]) -> Vec<Vec<u32>> {
    let (mut all, mut at) = (Vec::new(), 0);
    for packet in Reader::new(words) {
        let dwords = packet.map_or(words.len() - at, |packet| 1 + packet.body.len());
        let end = (at + dwords).min(words.len());
        all.push(words[at..end].to_vec());
        at = end;
    }
    all.push(words[at..].to_vec());
    all.retain(|packet| !packet.is_empty());
    all
}

/// The packets of a stream of SDMA, AQL or MES.
fn copies(chip: Chip, words: &[u32], family: QueueFamily) -> Vec<Vec<u32>> {
    let version = Target::from(chip).version(family).expect("all chips of the kit have one");
    QueueReader::new(version, words).map(|packet| packet.expect("a packet").words.to_vec()).collect()
}

/// Packets in which the two streams differ, between the common packets at their start and end.
fn apart(case: &RuleCase) -> usize {
    let packets = |stream: &TestStream| match stream.stated {
        testing::Stated { sdma: true, .. } => copies(stream.chip, &stream.words, QueueFamily::Sdma),
        testing::Stated { aql: true, .. } => copies(stream.chip, &stream.words, QueueFamily::Aql),
        testing::Stated { mes: true, .. } => copies(stream.chip, &stream.words, QueueFamily::Mes),
        _ => packets(&stream.words),
    };
    let (hit, miss) = (packets(&case.hit), packets(&case.miss));
    let same = |pairs: &mut dyn Iterator<Item = (&Vec<u32>, &Vec<u32>)>| pairs.take_while(|(one, other)| one == other).count();
    let first = same(&mut hit.iter().zip(&miss));
    let last = same(&mut hit[first..].iter().rev().zip(miss[first..].iter().rev()));
    (hit.len() - first - last).max(miss.len() - first - last)
}

/// Each case states the fact if the words are the same. Otherwise the words differ in one place: most in one packet, some in the few packets of one
/// setting.
#[test]
fn a_hit_and_its_miss_differ_in_one_fact() {
    let mut more = BTreeMap::new();
    for case in testing::rule_cases() {
        let (hit, miss) = (&case.hit, &case.miss);
        let stated = |stream: &TestStream| TestStream { words: Vec::new(), ..stream.clone() };
        match stated(hit) == stated(miss) {
            false => assert_eq!(hit.words, miss.words, "{}: {}", case.rule, case.fact),
            true if apart(&case) > 1 => {
                more.insert(case.rule, apart(&case));
            }
            true => assert_eq!(apart(&case), 1, "{} on {}: {}", case.rule, case.hit.chip, case.fact),
        }
    }
    assert!(more.len() <= 4 && more.values().all(|packets| *packets <= 3), "{more:?}");
}

#[test]
fn nothing_is_found_in_valid_streams() {
    property("valid streams", 600, (|valid| valid.stream().findings().is_empty()) as fn(ValidStream) -> bool);
}

#[test]
fn one_rule_reports_a_broken_stream() {
    property("broken streams", 1200, (|broken| broken.stream().codes() == BTreeSet::from([broken.rule()])) as fn(BrokenStream) -> bool);
}

/// How much of the packets of user mode and of the typed registers the generators cover: `cargo run --features testing --example vectors --
/// coverage`.
#[test]
fn random_streams_reach_packets_and_registers() {
    for reached in testing::coverage(40, 60) {
        println!("{reached}, without {:?}", reached.missed);
        assert!(reached.packets * 10 >= reached.all_packets * 9, "{reached}: without {:?}", reached.missed);
        assert!(reached.registers * 10 >= reached.all_registers * 9, "{reached}");
    }
}

/// The words of packets, as read by this crate.
#[test]
fn packets_have_the_fields_that_their_vectors_say() {
    for (gfx, queue) in testing::queues() {
        let vectors = testing::packet_vectors(gfx, queue);
        assert!(vectors.len() > 20);
        for vector in vectors {
            let packet = Reader::new(&vector.words).next().expect("a packet").expect("that is whole");
            // Addresses keep their place; a vector contains the bits.
            let bits = |field: &FieldValue| field.value >> if field.field.in_place { field.field.lo } else { 0 };
            let read: BTreeMap<(&str, usize), u64> = packet.fields(gfx, queue).map(|field| ((field.name, field.dword), bits(&field))).collect();
            for field in &vector.fields {
                let value = read.get(&(field.name, field.dword)).copied();
                assert_eq!(value, Some(field.value.into()), "{} of {gfx} on {queue:?}: {field:?}, and read are {read:?}", vector.name);
            }
        }
    }
}
