//! RUN: limits of the model itself.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::state::finding::Severity;

pub(in crate::cp::rules) static RULES: &[Rule] = &[LIMIT, MEMORY_LIMIT, FINDING_LIMIT];

pub(crate) const LIMIT: Rule = Rule::new(
    "RUN-01",
    Severity::Error,
    ChipScope::All,
    "the model stopped before the end of the stream",
    "The model executes a limited number of dwords per run (max_dwords, default 2^30), so that it ends on every input. Packets after the limit were not \
     checked, so this is an error. Real streams stay far below the default. If yours is larger, raise the limit.",
    "limit of this model",
    Judge::Model,
)
.words_alone();

pub(crate) const MEMORY_LIMIT: Rule = Rule::new(
    "RUN-02",
    Severity::Info,
    ChipScope::All,
    "the stream writes more memory than the model keeps",
    "The model keeps what packets write, so that later waits, loads and arguments see it, up to a limit that the caller sets. Beyond the limit, contents are \
                  unknown, and rules that need them are silent.",
    "limit of this model",
    Judge::Model,
);

pub(crate) const FINDING_LIMIT: Rule = Rule::new(
    "RUN-03",
    Severity::Info,
    ChipScope::All,
    "more findings than the limit",
    "Findings are reported up to a limit that the caller sets, so that a damaged stream does not hide its first mistake. The rest is counted in the summary.",
    "limit of this model",
    Judge::Model,
);
