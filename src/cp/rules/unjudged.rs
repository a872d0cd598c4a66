//! Rules that no stream can break: they have codes so that a search for them finds an answer.

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
    /// Stable code, like that of a rule.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a line.
    pub title: &'static str,
    /// Why it is not judged, and what checks it instead.
    pub reason: &'static str,
    /// The source of the claim.
    pub source: &'static str,
}

/// Returns the rules that are not judged from a stream.
pub fn not_judged() -> &'static [NotJudged] {
    &[NotJudged {
        code: "ENC-13",
        severity: Severity::Error,
        title: "NOP with count 0x3FFF read as a packet of 0x4001 dwords",
        reason: "A mistake of decoders, not of streams: the word 0xffff1000 is a NOP without a body, and a decoder that uses its count as a length loses its place. The \
                 reader of this crate is tested for it, on the captures and on streams of its own.",
        source: "Linux 6.12; PAL gfx9CmdUtil.cpp BuildNop",
    }]
}
