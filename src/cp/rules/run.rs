//! RUN: limits of the model itself.

use super::{Judge, Rule, Scope};
use crate::cp::Severity;

pub(super) static RULES: &[Rule] = &[LIMIT, MEMORY_LIMIT];

pub(crate) const LIMIT: Rule = Rule {
    code: "RUN-01",
    severity: Severity::Error,
    scope: Scope::All,
    title: "the model stopped before the end of the stream",
    explanation: "The model executes a bounded number of packets, so that it ends on every input. What comes after the limit was not looked at: \
                  nothing can be said about it, which is why this counts as an error. Real streams stay far below the default; raise the limit if \
                  yours is larger.",
    source: "bound of this model",
    judge: Judge::Model,
    quiet: false,
};

pub(crate) const MEMORY_LIMIT: Rule = Rule {
    code: "RUN-02",
    severity: Severity::Info,
    scope: Scope::All,
    title: "the stream writes more memory than the model keeps",
    explanation: "What packets write is kept so that later waits, loads and arguments see it, up to a limit that the caller sets. Beyond it, contents count as \
                  unknown: rules that need them are silent.",
    source: "bound of this model",
    judge: Judge::Model,
    quiet: false,
};
