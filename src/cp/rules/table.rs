//! All rules, sorted by code.

use crate::cp::rule::entry::Rule;
use crate::cp::rules::{aql, enc, ib, mem, mes, perf, pops, reg, run, sdma, sta, syn};

/// All rule families, sorted by code.
static FAMILIES: &[&[Rule]] =
    &[aql::RULES, enc::RULES, ib::RULES, mem::RULES, mes::RULES, perf::RULES, pops::RULES, reg::RULES, run::RULES, sdma::RULES, sta::RULES, syn::RULES];

/// Returns all rules, sorted by code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// Returns the rule with this code, ignoring case.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.code.eq_ignore_ascii_case(code))
}
