//! All cases.

use crate::testing::cases::rows;
use crate::testing::ground::case::RuleCase;

/// Returns the cases of every rule on every enabled generation to which it applies: a hit and a miss that differ in one fact. A rule for some chips of a
/// generation, such as a rule about an erratum, has a case on each of these chips. [`without_case`](crate::testing::without_case) lists rules and generations
/// without a case.
///
/// ```
/// for case in pm4::testing::rule_cases().filter(|case| case.rule == "ENC-03") {
///     println!("{}: {}", case.hit.chip, case.fact);
///     assert_eq!(case.hit.codes(), ["ENC-03"].into());
///     assert!(case.miss.codes().is_empty());
/// }
/// ```
pub fn rule_cases() -> impl Iterator<Item = RuleCase> {
    rows().flat_map(|row| row.cases())
}
