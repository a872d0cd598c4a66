//! Mistakes that no stream can show: they have codes so that a search finds them.

use crate::cp::state::finding::Severity;

/// A known mistake that cannot be seen in a command stream.
///
/// ```
/// for known in pm4::cp::rules::not_judged() {
///     println!("{}: {} ({})", known.code, known.title, known.reason);
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NotJudged {
    /// The code, stable like that of a rule.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The mistake, in one line.
    pub title: &'static str,
    /// Why it cannot be judged, and what checks it instead.
    pub reason: &'static str,
    /// The source of the claim.
    pub source: &'static str,
}

/// Returns the mistakes that cannot be judged from a stream.
pub fn not_judged() -> &'static [NotJudged] {
    &[NotJudged {
        code: "ENC-13",
        severity: Severity::Error,
        title: "NOP with count 0x3FFF read as a packet of 0x4001 dwords",
        reason: "A mistake in decoders, not in streams: the word 0xffff1000 is a NOP without a body, and a decoder that uses its count as a length loses its \
                 place. The reader of this crate is tested for it, on captures and generated streams.",
        source: "Linux 6.12; PAL gfx9CmdUtil.cpp BuildNop",
    }]
}
