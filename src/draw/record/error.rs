//! Why a call of the recorder is refused.

use crate::chip::{Chip, Gfx};
use crate::descriptors::DescriptorError;
use crate::draw::desc::error::units;
use crate::draw::desc::{Board, CallError, DrawError, Stage};
use crate::draw::sync::SyncError;
use crate::packet::{Queue, StreamError, WriteError};
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;

/// Why a call of the recorder is refused.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, RecordError, Recorder};
/// let draw = DrawDesc::default().resolve(Chip::Navi21)?;
/// assert_eq!(Recorder::new(Chip::Navi21).draw(&draw), Err(RecordError::NotBegun)); // registers have no known values yet
/// let mut other = Recorder::new(Chip::Navi31);
/// other.begin()?;
/// assert_eq!(other.draw(&draw), Err(RecordError::OtherChip { resolved: Chip::Navi21, recorder: Chip::Navi31 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The draw was resolved for another chip.
    #[error("a draw resolved for {resolved} cannot be recorded for {recorder}")]
    OtherChip {
        /// The chip of the draw.
        resolved: Chip,
        /// The chip of the recorder.
        recorder: Chip,
    },
    /// A pipeline, draw or dispatch that was created for another board.
    #[error("made for a board of {}, recorded for one of {}: make both for the same machine", units(of), units(recorder))]
    OtherBoard {
        /// The board of the pipeline, draw or dispatch.
        of: Board,
        /// The board of the recorder.
        recorder: Board,
    },
    /// A writer of another generation than the recorder's chip, or of a queue that the recorder does not support.
    #[error("a recorder for {recorder} writes streams of {} for the graphics or the compute queue, not of {gfx} for the {queue:?} queue", recorder.gfx())]
    OtherStream {
        /// The generation of the writer.
        gfx: Gfx,
        /// The queue of the writer.
        queue: Queue,
        /// The chip of the recorder.
        recorder: Chip,
    },
    /// A draw or dispatch call that the chip cannot run.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A barrier, fence or wait that the chip does not support.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// A combination of pipeline, targets and dynamic state that the chip does not support, a value that no register can hold, or memory or another choice of a
    /// preamble that hardware cannot accept.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// Targets that a caller has written, in a command buffer without a caller.
    #[error("inherited targets need a secondary command buffer: bind targets made with Targets::new, or record with Recorder::secondary")]
    Inherited,
    /// A draw, barrier or fence without the preamble: registers have no known values.
    #[error(
        "a draw, barrier or fence before the preamble: call begin() first, or after_preamble() where another command buffer has it, or record a secondary command buffer"
    )]
    NotBegun,
    /// A dispatch, or on a compute queue a barrier or fence, without the preamble of dispatches.
    #[error(
        "a dispatch, barrier or fence before the preamble of dispatches: call begin_compute() first, or after_preamble() where another command buffer has it"
    )]
    ComputeNotBegun,
    /// A second preamble in a command buffer.
    #[error("{call}() again: a command buffer has one preamble of each kind")]
    Begun {
        /// The call.
        call: &'static str,
    },
    /// A call that carries its whole state while something is bound or set that it would ignore.
    #[error(
        "{call}() has all of its state and would ignore what is bound and set: call {instead}(), or wrap it in apart() where what is bound is for other calls"
    )]
    Mixed {
        /// The call.
        call: &'static str,
        /// The call that uses the bound state.
        instead: &'static str,
    },
    /// A draw, or the preamble of draws, on a compute queue.
    #[error("a compute queue cannot draw: record draws on the graphics queue. The preamble for dispatches is begin_compute()")]
    ComputeQueue,
    /// An occlusion sample on a chip whose preamble could not select the counters: nothing would count.
    #[error(
        "{chip} counts no samples: the number of its render backends is not known, so that the preamble does not choose their counters; make the recorder for a Gpu with its render_backends"
    )]
    NoCounters {
        /// The chip.
        chip: Chip,
    },
    /// A draw that needs a ring which the preamble did not set.
    #[error("{chip} needs the {what} for this draw: pass it to begin_with(), or call begin() if another command buffer sets it")]
    NoRing {
        /// The ring.
        what: &'static str,
        /// The chip.
        chip: Chip,
    },
    /// A draw that relies on the reset value of DB_DFSM_CONTROL ([`Drain::ResetDefault`](crate::draw::Drain::ResetDefault)) after this recorder has written the
    /// register.
    #[error(
        "the draw has Drain::ResetDefault, but this command buffer has written DB_DFSM_CONTROL: use Drain::Auto, On or Off, or record the draw in a secondary command buffer"
    )]
    DrainWritten,
    /// Streamout that cannot begin or end here.
    #[error("streamout: {why}")]
    Streamout {
        /// The problem, and its remedy.
        why: &'static str,
    },
    /// Task work that the chip cannot run.
    #[error("task shaders: {why}")]
    Tasks {
        /// What is wrong.
        why: &'static str,
    },
    /// A draw that is not a pass over targets.
    #[error("draw_pass was called with a draw that is not a pass: set `PipelineDesc::pass`")]
    Pass,
    /// A draw or dispatch without an object that must be bound.
    #[error("no {what} bound: bind one before the draw or dispatch")]
    NotBound {
        /// What is missing.
        what: &'static str,
    },
    /// Memory that an operation cannot use.
    #[error("{what} of {bytes} bytes: {why}")]
    Range {
        /// The memory.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An image that an operation cannot use, or values that the image cannot have.
    #[error("{what}: {why}")]
    Image {
        /// The operation.
        what: &'static str,
        /// The problem, and its remedy.
        why: &'static str,
    },
    /// A descriptor that an operation needs and the chip does not support.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// User SGPRs that the stage does not have.
    #[error("{} of user data from SGPR {first} on: {}", counted(*words, "word"), user_sgprs(*stage, *limit))]
    UserData {
        /// The stage.
        stage: Stage,
        /// The first user SGPR.
        first: u32,
        /// Number of words.
        words: usize,
        /// Number of user SGPRs of the stage. 0 for compute in [`Recorder::set_user_data`](crate::draw::Recorder::set_user_data); for compute, use
        /// [`Recorder::set_compute_data`](crate::draw::Recorder::set_compute_data).
        limit: u32,
    },
    /// A packet that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Returns the number of user SGPRs of a stage, or which function to call instead.
fn user_sgprs(stage: Stage, limit: u32) -> String {
    match limit {
        0 if stage == Stage::Compute => "user data of compute is set with set_compute_data".into(),
        _ => format!("{stage} has {limit} user SGPRs"),
    }
}

impl StreamError for RecordError {
    fn write_error(&self) -> Option<&WriteError> {
        if let Self::Write(error) = self { Some(error) } else { None }
    }
}
