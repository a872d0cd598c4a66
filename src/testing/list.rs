//! All cases.

use crate::testing::cases::rows;
use crate::testing::ground::case::RuleCase;

/// Returns the cases of every rule, on every generation that it speaks of and that is compiled in: a hit and a miss that differ in one fact. A rule that is for
/// some chips of a generation, as those about errata, has a case on each of them. [`without_case`](crate::testing::without_case) lists what has none.
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
