//! Findings: what the model reports about a stream.

use crate::cp::state::place::{Place, QueueId};
use crate::packet::Queue;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use strum::{Display, EnumString, IntoStaticStr};

/// How severe a finding is. Ordered from the least to the most severe.
///
/// ```
/// use pm4::cp::Severity;
/// assert_eq!(Severity::Error.to_string(), "error");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing breaks.
    Info,
    /// Probably a mistake: it may break something or cost time, or the sources do not say what happens.
    Warning,
    /// The hardware hangs, corrupts or rejects the stream.
    Error,
}

/// One observation about one place of a stream.
///
/// It prints as one line; the feature `report` offers more.
///
/// ```
/// use pm4::cp::{CommandProcessor, Finding, Observer};
///
/// #[derive(Default)]
/// struct Lines(Vec<String>);
/// impl Observer for Lines {
///     fn finding(&mut self, finding: &Finding) {
///         self.0.push(finding.to_string());
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
/// cp.submit(pm4::packet::Queue::Graphics, "cut", &[0xC003_6900, 0x203, 0x1_8600]); // claims 5 dwords
/// let mut lines = Lines::default();
/// cp.run(&mut lines);
/// assert!(lines.0[0].starts_with("error[ENC-01] at buffer 0 dword 0: "), "{}", lines.0[0]);
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable code of the rule, `POPS-11`.
    pub code: &'static str,
    /// The severity; for some rules it depends on the generation.
    pub severity: Severity,
    /// The queue that executed the packet.
    pub queue: Queue,
    /// The number of the queue, which distinguishes several queues of a kind.
    pub queue_id: QueueId,
    /// The packet that the finding is about.
    pub place: Place,
    /// The name of the packet.
    pub packet: Option<&'static str>,
    /// For findings on draws or dispatches: the number of the first one, over all queues, from 0.
    pub draw: Option<u64>,
    /// The last draw that the finding is about.
    pub last_draw: Option<u64>,
    /// The register that the finding is about: its name, or its byte address as `0x…` if the generation has no register there.
    pub register: Option<String>,
    /// The field that the finding is about: of `register` if there is one, else of the packet itself (for example `reset_filter_cam`).
    pub field: Option<&'static str>,
    /// What is wrong, with the values found, and how the hardware reacts.
    pub message: String,
    /// Further places and facts, such as the packet that wrote a relevant register.
    pub notes: Vec<Note>,
    /// How to fix the mistake.
    pub help: Option<String>,
    /// The source of the claim.
    pub source: &'static str,
    /// The number of equal findings collected in this one; usually 1. [`Observer::finding`](crate::cp::Observer::finding) says which findings are collected. A
    /// collected finding is at the first packet that it is about.
    pub count: u64,
}

impl fmt::Display for Finding {
    /// Prints severity, code, place and message in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] at {}: {}", self.severity, self.code, self.place, self.message)
    }
}

/// A note that belongs to a finding: a further fact, often with the packet that it is about.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Finding, Note, Observer}, packet::Queue};
/// /// The notes of all findings.
/// #[derive(Default)]
/// struct Notes(Vec<Note>);
/// impl Observer for Notes {
///     fn finding(&mut self, finding: &Finding) {
///         self.0.extend(finding.notes.iter().cloned());
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// // SET_UCONFIG_REG of GRBM_GFX_INDEX without broadcast, and a draw.
/// let stream = [0xC001_7900, 0x200, 5, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "draw", &stream);
/// let mut notes = Notes::default();
/// cp.run(&mut notes);
/// let written = notes.0.iter().find(|note| note.text == "GRBM_GFX_INDEX was written without broadcast").unwrap();
/// assert_eq!(written.place.map(|place| place.dword), Some(0)); // the packet that wrote it
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// The packet that the note is about.
    pub place: Option<Place>,
    /// The register that this packet wrote, by name.
    pub register: Option<String>,
    /// The field of the register.
    pub field: Option<&'static str>,
}

impl Note {
    pub(in crate::cp) fn new(text: String, place: Option<Place>) -> Self {
        Self { text, place, register: None, field: None }
    }
}
