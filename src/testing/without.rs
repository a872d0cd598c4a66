//! Rules without a case, and the reasons.

use crate::cp::rules::ChipScope;

/// Generations to which a rule applies but for which the kit has no case.
///
/// For an example see [`without_case`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithoutCase {
    /// The code of the rule.
    pub rule: &'static str,
    /// The generations.
    pub scope: ChipScope,
    /// Why there is no case.
    pub reason: &'static str,
}

/// Returns the rules and generations without a case, each with its reason.
///
/// ```
/// let reason = pm4::testing::without_case().iter().find(|without| without.rule == "SYN-33").unwrap().reason;
/// assert!(reason.contains("observer"));
/// ```
pub fn without_case() -> &'static [WithoutCase] {
    &[
        WithoutCase { rule: "ENC-18", scope: ChipScope::GFX12, reason: "the tables know no packet of GFX12 that needs a version of the firmware" },
        WithoutCase { rule: "STA-14", scope: ChipScope::GFX12, reason: "the register has no KEEP_TOGETHER_ENABLE" },
        WithoutCase {
            rule: "SYN-33",
            scope: ChipScope::All,
            reason: "no stream shows the writes of shaders: the observer of the run reports them in its turn after a draw",
        },
    ]
}
