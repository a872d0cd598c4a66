//! Results of judges.

use crate::cp::state::finding::{Note, Severity};
use crate::cp::state::place::{Origin, Place};
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::regs::RegRef;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The result of a judge: the parts of a [`Finding`](crate::cp::Finding) that the rule itself does not contain. Registers, notes and the help become text when
/// the finding is reported, because most verdicts repeat one before.
///
/// For an example see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    pub(super) severity: Option<Severity>,
    pub(super) register: Option<Subject>,
    pub(super) field: Option<&'static str>,
    pub(super) message: Cow<'static, str>,
    pub(super) notes: Vec<Remark>,
    pub(super) help: Option<Help>,
}

/// The register that a verdict is about.
#[derive(Debug, Clone)]
pub(in crate::cp) enum Subject {
    Register(RegRef),
    Name(String),
}

impl Subject {
    pub fn into_name(self) -> String {
        match self {
            Self::Register(register) => register.to_string(),
            Self::Name(name) => name,
        }
    }
}

/// A note of a verdict.
#[derive(Debug, Clone)]
pub(super) enum Remark {
    /// Which packet wrote a register, and what.
    History {
        register: RegRef,
        field: Option<&'static str>,
        word: u32,
        origin: Option<Origin>,
    },
    Note(Note),
}

impl Remark {
    fn place(&self) -> Option<Place> {
        match self {
            Self::History { origin, .. } => origin.map(|origin| origin.place),
            Self::Note(note) => note.place,
        }
    }

    pub fn into_note(self) -> Note {
        let place = self.place();
        match self {
            Self::Note(note) => note,
            Self::History { register, field, word, origin } => {
                let (name, addr) = (register.to_string(), register.addr());
                let text = match origin {
                    Some(_) => format!("{name} (0x{addr:05x}) was last written with 0x{word:08x}"),
                    None => format!("{name} (0x{addr:05x}) holds 0x{word:08x} from CLEAR_STATE"),
                };
                Note { register: Some(name), field, ..Note::new(text, place) }
            }
        }
    }
}

/// The help of a verdict.
#[derive(Debug, Clone)]
pub(super) enum Help {
    Text(Cow<'static, str>),
    /// Write the register with a value in a field, and why.
    Set(FieldState, u32, String),
}

impl Help {
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text.into_owned(),
            Self::Set(state, value, why) => {
                let (name, addr, field) = (state.register.name(), state.register.addr(), state.field.name);
                format!("write 0x{:08x} to {name} (0x{addr:05x}), that is {field} = {value}{why}", state.with(value))
            }
        }
    }
}

impl Verdict {
    /// Creates a verdict with a message: what is wrong, and how the hardware reacts.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// States that the finding is about this field of a register, and adds a note with the packet that wrote it.
    #[must_use]
    pub fn at(mut self, state: &FieldState) -> Self {
        self.register = Some(Subject::Register(state.register));
        self.field = Some(state.field.name);
        self.because(state)
    }

    /// States that the finding is about this register.
    #[must_use]
    pub fn register(mut self, name: impl Into<String>) -> Self {
        self.register = Some(Subject::Name(name.into()));
        self
    }

    /// States that the finding is about this field of the packet itself.
    #[must_use]
    pub fn field(mut self, name: &'static str) -> Self {
        self.field = Some(name);
        self
    }

    /// Adds a note about another relevant field, with the packet that wrote its register.
    #[must_use]
    pub fn because(self, state: &FieldState) -> Self {
        self.history(state.register, Some(state.field.name), state.word, state.origin)
    }

    /// States that the finding is about the register `name`, and adds a note with the packet that wrote it. Has no effect if the generation has no such
    /// register.
    #[must_use]
    pub fn register_of(mut self, view: &DrawView<'_>, name: &str) -> Self {
        let Some(register) = view.register(name) else { return self };
        self.register = Some(Subject::Register(register));
        match view.value(register.addr()) {
            Some(word) => self.history(register, None, word, view.origin(register.addr())),
            None => self,
        }
    }

    fn history(mut self, register: RegRef, field: Option<&'static str>, word: u32, origin: Option<Origin>) -> Self {
        self.notes.push(Remark::History { register, field, word, origin });
        self
    }

    /// Adds a note: a further fact, and the packet that it is about.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>, place: Option<Place>) -> Self {
        self.notes.push(Remark::Note(Note::new(text.into(), place)));
        self
    }

    /// Sets the help: how to fix the mistake.
    #[must_use]
    pub fn help(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(Help::Text(text.into()));
        self
    }

    /// Sets the help: write the register with `value` in this field. `why` is appended to the text as it is, and begins with its own space or comma.
    #[must_use]
    pub fn help_set(mut self, state: &FieldState, value: u32, why: &str) -> Self {
        self.help = Some(Help::Set(*state, value, why.into()));
        self
    }

    /// Returns the register that it is about.
    pub(in crate::cp) fn about(&self) -> Option<&Subject> {
        self.register.as_ref()
    }

    /// Returns the packets that its notes are about.
    pub(in crate::cp) fn places(&self) -> impl Iterator<Item = Option<Place>> + '_ {
        self.notes.iter().map(Remark::place)
    }

    /// Sets a severity other than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}
