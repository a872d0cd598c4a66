//! The level of a rule: whether its findings are reported, and how.

/// The level of a rule.
///
/// For an example see [`CommandProcessor::set_rule_level`](crate::cp::CommandProcessor::set_rule_level).
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum RuleLevel {
    /// Reports nothing.
    Allow,
    /// Reports every finding as a warning, those of severity info and error too.
    Warn,
    /// Reports every finding as an error.
    Deny,
}
