//! The report of a run.

use crate::plurals::counted;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A wave: its packer, its number there from 0, and the 10-bit id that hardware shows.
///
/// For an example see [`WaveObserver`](crate::waves::WaveObserver).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaveName {
    /// The packer.
    pub packer: u8,
    /// Number of waves that the packer launched before this one.
    pub number: u32,
    /// The id.
    pub id: u16,
}

impl fmt::Display for WaveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wave {}.{} (id {})", self.packer, self.number, self.id)
    }
}

/// An instruction of the program.
///
/// For an example see [`Mistake`](crate::waves::Mistake).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionPlace {
    /// Number of the instruction in the program.
    pub instruction: usize,
    /// Offset in bytes from the start of the program.
    pub byte: usize,
    /// Its disassembly.
    pub text: String,
}

impl fmt::Display for InstructionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x} `{}`", self.byte, self.text)
    }
}

/// An access reached memory after an access of a younger wave to the same pixel or sample, and at least one of the two writes.
///
/// For an example see [`WaveFinding`](crate::waves::WaveFinding).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The older wave (or the older quad of one wave), which was late.
    pub older: WaveName,
    /// The younger one, which had already accessed.
    pub younger: WaveName,
    /// The late access.
    pub access: InstructionPlace,
    /// Whether the late access writes.
    pub write: bool,
    /// The pixel, in coordinates of the packer's part of the screen.
    pub pixel: (u32, u32),
    /// The samples of the pixel that both accesses cover.
    pub samples: u8,
    /// The axiom that caused the violation.
    pub axiom: Option<&'static str>,
}

/// A waiting wave and its reason.
///
/// For an example see [`WaveFinding`](crate::waves::WaveFinding).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The wave that waits.
    pub wave: WaveName,
    /// The instruction at which the wave waits; None for a wave that has not been launched.
    pub at: Option<InstructionPlace>,
    /// The wave for which it waits, if any.
    pub on: Option<WaveName>,
    /// Why it waits in vain.
    pub because: String,
}

/// A hang: no wave can make progress.
///
/// For an example see [`WaveFinding`](crate::waves::WaveFinding).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hang {
    /// Waves that will never end.
    pub waves: u64,
    /// Some of these waves, oldest first.
    pub waiting: Vec<Waiting>,
    /// The axiom that caused the hang.
    pub axiom: Option<&'static str>,
}

/// A way in which a wave breaks the rules of the ordered section. (A [`Violation`], by contrast, is a broken order of accesses.)
///
/// ```
/// use pm4::{chip::Gfx, waves::{self, InstructionPlace, Mistake, Mutation, ProtocolError, RunOptions, Section, Setup, WaveFinding}};
/// # #[cfg(feature = "gfx10")] {
/// let setup = Setup::plain(Gfx::Gfx10);
/// let words = Mutation::find("done-twice").unwrap().program(&Section::of(&setup))?;
/// let report = waves::run(&setup, &words, RunOptions::default());
/// let WaveFinding::Protocol(ProtocolError { mistake, at: InstructionPlace { text, .. }, .. }) = &report.findings[0] else { panic!() };
/// assert_eq!((*mistake, text.as_str()), (Mistake::DoneTwice, "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)"));
/// # }
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// Left the section twice.
    DoneTwice,
    /// Left the section while an overlapped wave was still in its section.
    DoneBeforeWait,
    /// Ended without leaving the section. Up to GFX10.3, only waves that have set the packer count; from GFX11 on, all waves count.
    EndWithoutDone,
    /// Polled the exiting wave id without naming one packer.
    PollWithoutPacker,
    /// Left the section with accesses outstanding.
    NotDrained,
    /// Ended without an export with DONE.
    MissingExport,
    /// Polled or waited after it had left the section.
    WaitAfterDone,
    /// Read an SGPR that holds no known argument: the two registers that load the collision word disagree, or neither loads it.
    UnknownArgument,
    /// Ran past the end of the program, or jumped where the model cannot follow.
    LeftProgram,
}

impl Mistake {
    /// Returns the mistake as a sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DoneTwice => "leaves the ordered section twice",
            Self::DoneBeforeWait => "leaves the ordered section while a wave that it overlaps is still in its own",
            Self::EndWithoutDone => "ends without leaving the ordered section",
            Self::PollWithoutPacker => "polls the exiting wave id without a packer",
            Self::NotDrained => "leaves the ordered section with an access outstanding",
            Self::MissingExport => "ends without an export with DONE",
            Self::WaitAfterDone => "waits after it left the ordered section",
            Self::UnknownArgument => "reads an SGPR whose value is not a known argument",
            Self::LeftProgram => "runs past the end of the program, or jumps to where the model cannot follow",
        }
    }
}

/// A mistake of a wave, with the instruction.
///
/// For an example see [`Mistake`](crate::waves::Mistake).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    /// The wave.
    pub wave: WaveName,
    /// The mistake.
    pub mistake: Mistake,
    /// The instruction.
    pub at: InstructionPlace,
}

/// A finding of a run.
///
/// ```
/// use pm4::{chip::Gfx, waves::{self, Mutation, RunOptions, Section, Setup, Waiting, WaveFinding}};
/// # #[cfg(feature = "gfx10")] {
/// let setup = Setup::plain(Gfx::Gfx10);
/// // A program that leaves the section before its accesses are in memory.
/// let words = Mutation::find("done-before-memory").unwrap().program(&Section::of(&setup))?;
/// let report = waves::run(&setup, &words, RunOptions::default());
/// for finding in &report.findings {
///     match finding {
///         WaveFinding::Violation(violation) => println!("{} was late at {}", violation.older, violation.access),
///         WaveFinding::Hang(hang) => {
///             for Waiting { wave, on, .. } in &hang.waiting {
///                 println!("{wave} waits for {on:?}");
///             }
///         }
///         WaveFinding::Protocol(error) => println!("{} {} at {}", error.wave, error.mistake.text(), error.at),
///     }
/// }
/// assert!(!report.is_clean());
/// # }
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaveFinding {
    /// The order of accesses was broken.
    Violation(Violation),
    /// No wave can make progress.
    Hang(Hang),
    /// A wave broke the rules of the ordered section.
    Protocol(ProtocolError),
}

impl fmt::Display for WaveFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violation(v) => {
                let (x, y) = v.pixel;
                let access = if v.write { "writes" } else { "reads" };
                write!(f, "order violation: {} {access} pixel ({x}, {y}) samples {:#04x} after {} at {}", v.older, v.samples, v.younger, v.access)?;
                v.axiom.map_or(Ok(()), |axiom| write!(f, "; {axiom}"))
            }
            Self::Hang(hang) => {
                write!(f, "hang: {} never {}", counted(hang.waves, "wave"), if hang.waves == 1 { "ends" } else { "end" })?;
                for waiting in &hang.waiting {
                    write!(f, "; {}", waiting.wave)?;
                    if let Some(at) = &waiting.at {
                        write!(f, " at {at}")?;
                    }
                    match &waiting.on {
                        Some(on) => write!(f, " waits for {on},")?,
                        // The reason begins with "which".
                        None if waiting.at.is_some() => write!(f, ",")?,
                        None => {}
                    }
                    write!(f, " {}", waiting.because)?;
                }
                hang.axiom.map_or(Ok(()), |axiom| write!(f, "; {axiom}"))
            }
            Self::Protocol(error) => write!(f, "protocol error: {} {} at {}", error.wave, error.mistake.text(), error.at),
        }
    }
}

/// The result of a run.
///
/// ```
/// use pm4::{chip::Gfx, waves::{self, RunOptions, Section, Setup}};
/// let setup = Setup::plain(Gfx::Gfx11);
/// let report = waves::run(&setup, &Section::of(&setup).words()?, RunOptions { waves: 200, ..RunOptions::default() });
/// assert!(report.is_clean());
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Number of waves that ended.
    pub waves: u64,
    /// Number of waves that overlapped older waves.
    pub overlapped: u64,
    /// Number of accesses that reached memory in the wrong order.
    pub violations: u64,
    /// Number of waves that never end.
    pub hung_waves: u64,
    /// Number of broken rules.
    pub protocol_errors: u64,
    /// The first finding of each kind, in the order in which they occurred.
    pub findings: Vec<WaveFinding>,
}

impl Report {
    /// Returns whether nothing went wrong.
    pub fn is_clean(&self) -> bool {
        self.violations == 0 && self.hung_waves == 0 && self.protocol_errors == 0
    }
}
