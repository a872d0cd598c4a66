//! The rules: what hangs, corrupts, is rejected or wastes time, as a table.
//!
//! A rule is one entry of `RULES`: code, severity, chips, explanation, source and a function that judges. Rules on draws see the state of the draw and
//! nothing else, so they judge the streams of any driver. One file or folder per family; `level`, `packets` and `unjudged` are shared.
//!
//! ```
//! let rule = pm4::cp::rules::find("pops-11").unwrap();
//! assert_eq!(rule.severity, pm4::cp::Severity::Error);
//! assert!(rule.title.contains("drain"));
//! ```

mod enc;
mod ib;
mod mem;
mod perf;
mod pops;
mod reg;
mod run;
mod sta;
mod syn;
mod unjudged;

use crate::chip::{Chip, Erratum};
use crate::cp::state::finding::{Finding, Note, Severity};
use crate::cp::state::place::{Origin, Place, QueueId};
use crate::cp::state::registers::RegisterFile;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::packet::Queue;
use crate::regs::{RegRef, Space};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A rule: of the crate, or of a caller, who gives it to [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
///
/// For an example see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
#[derive(Debug, Clone)]
pub struct Rule {
    /// Stable code, `POPS-11`: 1 to 16 letters, digits and hyphens.
    pub code: &'static str,
    /// How bad it is. A judge may give a single finding another severity. An error about a packet that may not run (COND_EXEC or a predicate decides by a value
    /// that the model does not know) is a warning, unless the rule is about the words of the packet alone (ENC, and [`words_alone`](Self::words_alone)).
    pub severity: Severity,
    /// Where it applies.
    pub scope: ChipScope,
    /// What is wrong, in a line.
    pub title: &'static str,
    /// What the hardware does, why, and what to do about it.
    pub explanation: &'static str,
    /// The source of the claim.
    pub source: &'static str,
    /// How it is judged.
    pub judge: Judge,
    /// Off by default. [`CommandProcessor::set_rule_level`](crate::cp::CommandProcessor::set_rule_level) turns it on.
    pub off_by_default: bool,
    /// Reported once per run and queue for each packet name (for rules on register writes: for each register), with a count ([`Finding::count`]). Rules on
    /// draws and dispatches are always reported so: once for each cause.
    pub report_once: bool,
    /// It holds for the command buffers of user-mode drivers: it is not checked on packets in a ring.
    pub not_in_rings: bool,
    /// It judges the words of a packet alone, or no packet, and not what the packet does or what came before: an error remains one where the packet may not
    /// run. Draws and dispatches are an exception: conditions guard work that would be wrong.
    pub words_alone: bool,
    /// What a draw or dispatch must launch to do the harm. The rule reports nothing where it is known to launch none of it.
    pub needs: Needs,
}

/// What a draw or dispatch must launch for the harm that a rule is about.
///
/// ```
/// use pm4::cp::rules::{Needs, find};
/// // Without a compute unit no wave can start; a dispatch of no workgroups starts none.
/// assert_eq!(find("STA-46").unwrap().needs, Needs::Work);
/// // An empty index buffer hangs GFX10.1, whatever the draw does with it.
/// assert_eq!(find("STA-03").unwrap().needs, Needs::Nothing);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// The packet does the harm, or the source says no more.
    #[default]
    Nothing,
    /// Waves or primitives: a draw of 0 vertices, indices or instances has none, and a dispatch of 0 workgroups neither.
    Work,
    /// Pixels: a draw that discards all primitives before rasterization (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) has none either.
    Pixels,
}

impl Rule {
    /// A rule that is on by default: code, severity, chips, what is wrong in a line, what the hardware does and what to do about it, source, and judge.
    pub const fn new(
        code: &'static str,
        severity: Severity,
        scope: ChipScope,
        title: &'static str,
        explanation: &'static str,
        source: &'static str,
        judge: Judge,
    ) -> Self {
        Self {
            code,
            severity,
            scope,
            title,
            explanation,
            source,
            judge,
            off_by_default: false,
            report_once: false,
            not_in_rings: false,
            words_alone: false,
            needs: Needs::Nothing,
        }
    }

    /// Makes the rule off by default: its level turns it on.
    #[must_use]
    pub const fn off_by_default(mut self) -> Self {
        self.off_by_default = true;
        self
    }

    /// Not checked on packets in a ring.
    #[must_use]
    pub const fn not_in_rings(mut self) -> Self {
        self.not_in_rings = true;
        self
    }

    /// Says that the rule judges the words of packets alone.
    #[must_use]
    pub const fn words_alone(mut self) -> Self {
        self.words_alone = true;
        self
    }

    /// Reports nothing about draws and dispatches that are known to launch nothing.
    #[must_use]
    pub const fn on_work(mut self) -> Self {
        self.needs = Needs::Work;
        self
    }

    /// Reports nothing about draws that are known to have no pixels.
    #[must_use]
    pub const fn on_pixels(mut self) -> Self {
        self.needs = Needs::Pixels;
        self
    }

    /// Makes the rule report once per run for each packet name or register, with a count.
    #[must_use]
    pub const fn report_once(mut self) -> Self {
        self.report_once = true;
        self
    }

    /// Whether it is about the words of packets, whether they run or not.
    pub(in crate::cp) fn is_about_words(&self) -> bool {
        self.code.starts_with("ENC-")
    }

    /// Whether the model can ask it.
    pub(in crate::cp) fn check(&self) -> Result<(), RuleError> {
        let code = self.code;
        let well_formed = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if code.is_empty() || code.len() > crate::cp::judge::levels::CODE_LETTERS || !well_formed {
            return Err(RuleError::BadCode { code });
        }
        let watched = match self.judge {
            Judge::Model => return Err(RuleError::NoJudge { code }),
            Judge::Write { watch: WatchedWrites::Addresses(addrs), .. } | Judge::Packet { watch: WatchedPackets::Registers(addrs, _), .. } => addrs,
            Judge::Draw(_) | Judge::Dispatch(_) | Judge::Write { .. } | Judge::Packet { .. } => &[],
        };
        match watched.iter().find(|addr| Space::of(**addr).is_none() || *addr % 4 != 0) {
            Some(addr) => Err(RuleError::BadAddress { code, addr: *addr }),
            None => Ok(()),
        }
    }
}

/// Why a rule was not added.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Another rule has the code.
    #[error("a rule with the code {code} exists already: give this one another code")]
    CodeTaken {
        /// The code.
        code: &'static str,
    },
    /// The code is not well formed.
    #[error("{code:?} is not a code of a rule: a code has 1 to 16 letters, digits and hyphens")]
    BadCode {
        /// The code.
        code: &'static str,
    },
    /// The rule has [`Judge::Model`], which only rules of this crate can have.
    #[error("rule {code} has Judge::Model, which only rules of the crate can have: give it a judge of draws, dispatches, packets or register writes")]
    NoJudge {
        /// The code.
        code: &'static str,
    },
    /// The rule watches an address at which no register can be.
    #[error("rule {code} watches {addr:#x}: byte addresses of registers are multiples of 4 in one of the register spaces (regs::Space)")]
    BadAddress {
        /// The code.
        code: &'static str,
        /// The address.
        addr: u32,
    },
}

/// The chips that a rule is for.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChipScope {
    /// Every chip.
    All,
    /// A set of generations: bit 0 is GFX9, bit 1 GFX10.1, bit 2 GFX10.3, bit 3 GFX11, bit 4 GFX11.5, bit 5 GFX12.
    Generations(u8),
    /// The chips that an erratum hits.
    Erratum(Erratum),
}

impl ChipScope {
    /// GFX9 to GFX10.3.
    pub const UP_TO_GFX103: Self = Self::Generations(0b00_0111);
    /// GFX10.3 only.
    pub const GFX103: Self = Self::Generations(0b00_0100);
    /// GFX11, GFX11.5 and GFX12.
    pub const FROM_GFX11: Self = Self::Generations(0b11_1000);

    /// GFX9 only.
    pub const GFX9: Self = Self::Generations(0b00_0001);
    /// GFX10.1 only.
    pub const GFX10: Self = Self::Generations(0b00_0010);
    /// GFX10.1 and GFX10.3.
    pub const GFX10_AND_103: Self = Self::Generations(0b00_0110);
    /// From GFX10.1 on.
    pub const FROM_GFX10: Self = Self::Generations(0b11_1110);
    /// GFX9 to GFX11.5.
    pub const UP_TO_GFX115: Self = Self::Generations(0b01_1111);
    /// GFX11 and GFX11.5.
    pub const GFX11_AND_115: Self = Self::Generations(0b01_1000);
    /// GFX12 only.
    pub const GFX12: Self = Self::Generations(0b10_0000);

    /// The scope in words.
    pub fn describe(self) -> String {
        const NAMES: [&str; 6] = ["gfx9", "gfx10", "gfx103", "gfx11", "gfx115", "gfx12"];
        match self {
            Self::All => "all".into(),
            Self::Generations(set) => {
                let names: Vec<&str> = NAMES.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, name)| *name).collect();
                names.join(", ")
            }
            Self::Erratum(erratum) => {
                let names: Vec<&str> = erratum.chips().map(|chip| chip.info().name).collect();
                format!("{} (erratum {erratum})", names.join(", "))
            }
        }
    }

    /// Whether it contains the chip.
    pub fn contains(self, chip: Chip) -> bool {
        match self {
            Self::All => true,
            Self::Generations(set) => set & chip.gfx().bit() != 0,
            Self::Erratum(erratum) => chip.has(erratum),
        }
    }
}

/// How a rule is judged.
///
/// A rule on packets and a rule on register writes; for one on draws see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule):
///
/// ```
/// use pm4::cp::rules::{ChipScope, Judge, PacketView, Rule, RuleError, Verdict, WatchedPackets, WatchedWrites, WriteView};
/// use pm4::cp::{CommandProcessor, Severity};
/// use pm4::packet::Opcode;
///
/// static NO_FULL_WAIT: Rule = Rule::new(
///     "OURS-02",
///     Severity::Warning,
///     ChipScope::All,
///     "PS_PARTIAL_FLUSH",
///     "Our driver waits with fences.",
///     "our driver's conventions",
///     Judge::Packet { watch: WatchedPackets::Opcodes(&[Opcode::EVENT_WRITE]), judge: full_wait },
/// );
///
/// fn full_wait(view: &PacketView<'_>) -> Option<Verdict> {
///     // Bits 5:0 of the first dword after the header are the event: 16 is PS_PARTIAL_FLUSH.
///     (view.bits(0, 0, 5) == 16).then(|| Verdict::new("the packet waits for all pixel shaders").help("use RELEASE_MEM and WAIT_REG_MEM"))
/// }
///
/// static ONLY_ZERO: Rule = Rule::new(
///     "OURS-03",
///     Severity::Error,
///     ChipScope::FROM_GFX10,
///     "DB_SHADER_CONTROL is not 0",
///     "This test must not use it.",
///     "our test",
///     Judge::Write { watch: WatchedWrites::Addresses(&[0x2880C]), judge: not_zero },
/// );
///
/// fn not_zero(view: &WriteView<'_>) -> Option<Verdict> {
///     (view.value() != 0).then(|| Verdict::new(format!("0x{:08x} is written", view.value())).register("DB_SHADER_CONTROL"))
/// }
/// # #[cfg(feature = "gfx11")] {
/// // SET_CONTEXT_REG DB_SHADER_CONTROL = 1; EVENT_WRITE PS_PARTIAL_FLUSH, index 4
/// let stream = [0xC001_6900, 0x203, 1, 0xC000_4600, 0x410];
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
/// cp.add_rule(&NO_FULL_WAIT)?.add_rule(&ONLY_ZERO)?;
/// cp.submit(pm4::packet::Queue::Graphics, "test", &stream);
/// let summary = cp.run(&mut ());
/// assert_eq!((summary.warnings, summary.errors), (1, 1));
/// // A code can be given once.
/// assert_eq!(cp.add_rule(&ONLY_ZERO).err(), Some(RuleError::CodeTaken { code: "OURS-03" }));
/// # }
/// # Ok::<(), RuleError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Judge {
    /// At each draw, from the register state.
    Draw(fn(&DrawView<'_>) -> Option<Verdict>),
    /// At each dispatch, from the register state.
    Dispatch(fn(&DrawView<'_>) -> Option<Verdict>),
    /// At each packet that the rule selects.
    Packet {
        /// The packets on which the judge is called.
        watch: WatchedPackets,
        /// The judge.
        judge: fn(&PacketView<'_>) -> Option<Verdict>,
    },
    /// At each register write that the rule selects.
    Write {
        /// The writes on which the judge is called.
        watch: WatchedWrites,
        /// The judge.
        judge: fn(&WriteView<'_>) -> Option<Verdict>,
    },
    /// By the model itself while it executes: the rule is about packets and buffers.
    Model,
}

/// The register writes on which a rule is checked.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy)]
pub enum WatchedWrites {
    /// Writes to these byte addresses.
    Addresses(&'static [u32]),
    /// Writes to addresses without a register on the generation, or beyond the window of the packet.
    NoRegister,
    /// Writes that set bits without a field.
    UnnamedBits,
    /// Writes that may put a value without a name into a field with an enum.
    UnnamedValues,
}

/// A register write that a rule looks at.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy)]
pub struct WriteView<'v> {
    pub(in crate::cp) chip: Chip,
    pub(in crate::cp) queue: Queue,
    pub(in crate::cp) space: Space,
    pub(in crate::cp) addr: u32,
    pub(in crate::cp) value: u32,
    pub(in crate::cp) outside: bool,
    /// Registers before and after it are written by the same packet, in a row.
    pub(in crate::cp) within: bool,
    /// A packet loads it from memory, as one of a range of several registers.
    pub(in crate::cp) loaded: bool,
    pub(in crate::cp) registers: &'v RegisterFile,
}

impl WriteView<'_> {
    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// The window of the packet.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Byte address of the register.
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// What is written.
    pub fn value(&self) -> u32 {
        self.value
    }

    /// Whether the address is beyond the window of the packet.
    pub fn is_outside_window(&self) -> bool {
        self.outside
    }

    /// Whether the packet writes registers in a row, and this is neither the first nor the last one.
    pub fn is_within_run(&self) -> bool {
        self.within
    }

    /// The registers before the write.
    pub fn registers(&self) -> &RegisterFile {
        self.registers
    }
}

/// What a judge found: the parts of a [`Finding`] that the rule itself does not know.
///
/// For an example see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    severity: Option<Severity>,
    register: Option<String>,
    field: Option<&'static str>,
    message: Cow<'static, str>,
    notes: Vec<Note>,
    help: Option<Cow<'static, str>>,
}

impl Verdict {
    /// A verdict with what is wrong and what the hardware does then.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Says that the finding is about this field of a register, and adds a note with the packet that wrote it.
    #[must_use]
    pub fn at(mut self, state: &FieldState) -> Self {
        self.register = Some(state.register.to_string());
        self.field = Some(state.field.name);
        self.because(state)
    }

    /// Says that the finding is about this register.
    #[must_use]
    pub fn register(mut self, name: impl Into<String>) -> Self {
        self.register = Some(name.into());
        self
    }

    /// Says that the finding is about this field of the packet itself.
    #[must_use]
    pub fn field(mut self, name: &'static str) -> Self {
        self.field = Some(name);
        self
    }

    /// Adds a note about another field that matters, with the packet that wrote its register.
    #[must_use]
    pub fn because(self, state: &FieldState) -> Self {
        self.history(state.register, Some(state.field.name), state.word, state.origin)
    }

    /// Says that the finding is about the register `name`, and adds a note with the packet that wrote it. Without effect where the generation has no such
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

    /// How to repair it.
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

    /// The register that it is about.
    pub(in crate::cp) fn about(&self) -> Option<&str> {
        self.register.as_deref()
    }

    /// The packets that its notes are about.
    pub(in crate::cp) fn places(&self) -> impl Iterator<Item = Option<Place>> + '_ {
        self.notes.iter().map(|note| note.place)
    }

    pub(in crate::cp) fn severity_of(&self, rule: &Rule) -> Severity {
        self.severity.unwrap_or(rule.severity)
    }

    /// The packet may not run: an error is a warning then, unless the rule judges its words alone. A condition may guard work that would be wrong, a draw of
    /// nothing for example; it makes the words of no other packet right.
    pub(in crate::cp) fn if_it_runs(self, rule: &Rule, is_work: bool) -> Self {
        if rule.is_about_words() || rule.words_alone && !is_work || self.severity_of(rule) < Severity::Error {
            return self;
        }
        self.severity(Severity::Warning).note("a condition on a value that the model does not know may skip the packet", None)
    }

    /// Another severity than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}

/// Where a finding is.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Scene {
    pub queue: Queue,
    pub id: QueueId,
    pub place: Place,
    pub packet: Option<&'static str>,
    pub draw: Option<u64>,
}

impl Rule {
    pub(in crate::cp) fn finding(&self, scene: Scene, verdict: Verdict) -> Finding {
        Finding {
            code: self.code,
            severity: verdict.severity_of(self),
            queue: scene.queue,
            queue_id: scene.id,
            place: scene.place,
            packet: scene.packet,
            draw: scene.draw,
            last_draw: scene.draw,
            register: verdict.register,
            field: verdict.field,
            message: verdict.message.into_owned(),
            notes: verdict.notes,
            help: verdict.help.map(Cow::into_owned),
            source: self.source,
            count: 1,
        }
    }
}

/// All families of rules, in the order of their codes.
static FAMILIES: &[&[Rule]] = &[enc::RULES, ib::RULES, mem::RULES, perf::RULES, pops::RULES, reg::RULES, run::RULES, sta::RULES, syn::RULES];

/// All rules in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// The rule with this code, in any case.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.code.eq_ignore_ascii_case(code))
}

pub use crate::cp::rule::packet_view::{PacketView, WatchedPackets};

pub(in crate::cp) use crate::cp::judge::levels::Levels;
pub use crate::cp::judge::levels::RuleLevel;
pub(in crate::cp) use crate::cp::rule::packet_view::{PacketRules, traits};
pub(in crate::cp) use enc::{TRUNCATED, TYPE_0_OR_1, TYPE_2};
pub(in crate::cp) use ib::{BAD_SIZE, BAD_SPAN, CHAIN_NOT_LAST, TOO_DEEP};
pub(in crate::cp) use mem::{INDEX_BOUNDS, UNMAPPED};
pub(in crate::cp) use reg::{MODIFY_UNKNOWN, is_outside};
pub(in crate::cp) use run::{FINDING_LIMIT, LIMIT, MEMORY_LIMIT};
pub(in crate::cp) use sta::{NO_NON_EVENT, OPAQUE_EVENTS, opaque_events};
pub(in crate::cp) use syn::{IDLE_WAIT, NOT_SYNCED, REGISTER_WAIT, UNPAIRED, UNSATISFIED, UNWAITED, ZERO_COUNT, hangs_from_zero};
pub use unjudged::{NotJudged, not_judged};
