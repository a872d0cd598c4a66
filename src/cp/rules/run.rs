//! RUN: limits of the model itself.

use super::{Judge, Rule, Scope};
use crate::cp::Severity;

pub(super) static RULES: &[Rule] = &[LIMIT];

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
};
