//! MEM: addresses.

use super::{Judge, Rule, Scope};
use crate::cp::Severity;

pub(super) static RULES: &[Rule] = &[UNMAPPED];

pub(crate) const UNMAPPED: Rule = Rule {
    code: "MEM-03",
    severity: Severity::Info,
    scope: Scope::All,
    title: "memory is not mapped",
    explanation: "The packet uses memory that nobody has shown to the model. As long as memory may belong to the application this is only a remark: \
                  what lies there is not executed or known. When all memory is said to be mapped (closed memory) it is an error: the GPU would raise \
                  a page fault.",
    source: "Mesa 25.0.7 ac_parse_ib.c print_addr",
    judge: Judge::Model,
};
