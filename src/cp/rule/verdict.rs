//! Results of judges.

use crate::cp::state::finding::{Note, Severity};
use crate::cp::state::place::{Origin, Place};
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::regs::RegRef;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The result of a judge: the parts of a [`Finding`](crate::cp::Finding) that the rule itself does not contain.
///
/// For an example see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    pub(super) severity: Option<Severity>,
    pub(super) register: Option<String>,
    pub(super) field: Option<&'static str>,
    pub(super) message: Cow<'static, str>,
    pub(super) notes: Vec<Note>,
    pub(super) help: Option<Cow<'static, str>>,
}

impl Verdict {
    /// Creates a verdict with a message: what is wrong, and how the hardware reacts.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// States that the finding is about this field of a register, and adds a note with the packet that wrote it.
    #[must_use]
    pub fn at(mut self, state: &FieldState) -> Self {
        self.register = Some(state.register.to_string());
        self.field = Some(state.field.name);
        self.because(state)
    }

    /// States that the finding is about this register.
    #[must_use]
    pub fn register(mut self, name: impl Into<String>) -> Self {
        self.register = Some(name.into());
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
        self.register = Some(register.to_string());
        match view.value(register.addr()) {
            Some(word) => self.history(register, None, word, view.origin(register.addr())),
            None => self,
        }
    }

    fn history(mut self, register: RegRef, field: Option<&'static str>, word: u32, origin: Option<Origin>) -> Self {
        let (name, addr) = (register.name(), register.addr());
        let text = match origin {
            Some(_) => format!("{name} (0x{addr:05x}) was last written with 0x{word:08x}"),
            None => format!("{name} (0x{addr:05x}) holds 0x{word:08x} from CLEAR_STATE"),
        };
        self.notes.push(Note { register: Some(register.to_string()), field, ..Note::new(text, origin.map(|o| o.place)) });
        self
    }

    /// Adds a note: a further fact, and the packet that it is about.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>, place: Option<Place>) -> Self {
        self.notes.push(Note::new(text.into(), place));
        self
    }

    /// Sets the help: how to fix the mistake.
    #[must_use]
    pub fn help(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Sets the help: write the register with `value` in this field. `why` is appended to the text as it is, and begins with its own space or comma.
    #[must_use]
    pub fn help_set(self, state: &FieldState, value: u32, why: &str) -> Self {
        let (name, addr, field) = (state.register.name(), state.register.addr(), state.field.name);
        self.help(format!("write 0x{:08x} to {name} (0x{addr:05x}), that is {field} = {value}{why}", state.with(value)))
    }

    /// Returns the register that it is about.
    pub(in crate::cp) fn about(&self) -> Option<&str> {
        self.register.as_deref()
    }

    /// Returns the packets that its notes are about.
    pub(in crate::cp) fn places(&self) -> impl Iterator<Item = Option<Place>> + '_ {
        self.notes.iter().map(|note| note.place)
    }

    /// Sets a severity other than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}
