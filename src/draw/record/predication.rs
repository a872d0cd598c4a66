//! Predicates: draws and dispatches that run only if memory holds a condition, as for conditional rendering.
//!
//! Sources: PAL gfx9CmdUtil.cpp BuildSetPredication; Mesa 25.0.7 radv_emit_set_predication_state; captures of four boards.

use crate::draw::desc::CallError;
use crate::draw::desc::address::is_address;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::Buffer;
use crate::packet::structs::SetPredication;
use crate::packet::values::{SetPredicationPredBool, SetPredicationPredOp};

/// The memory that a predicate reads. Counts are those of a query: its two samples, as written by the calls of the query.
///
/// For an example see [`Predicate`](crate::draw::Predicate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PredicateKind {
    /// A 32-bit number. ME firmware before feature version 52 (GFX9) or 32 (GFX10.1, GFX10.3) does not support it (Mesa 25.0.7).
    Bool32,
    /// A 64-bit number.
    Bool64,
    /// Passed samples ([`sample_occlusion`](Recorder::sample_occlusion)): 16 bytes per render backend. The number is the sum of the differences between the two
    /// samples; hardware waits for it.
    Samples,
    /// Primitives of a stream ([`sample_streamout`](Recorder::sample_streamout)): 32 bytes. Work runs if all generated primitives fitted into the buffers.
    StreamoutFits,
}

/// A condition for draws and dispatches.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::sync::{Access, Barrier};
/// use pm4::draw::{DrawDesc, Predicate, PredicateKind, Recorder};
/// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
/// let mut recorder = Recorder::new(Chip::Navi31);
/// recorder.begin()?;
/// recorder.draw(&draw)?;
/// // A compute shader has written the condition.
/// recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::IndirectRead))?;
/// recorder.set_predication(Some(Predicate { kind: PredicateKind::Bool64, address: 0x10_0000, inverted: false }))?;
/// let before = recorder.words().len();
/// recorder.draw(&draw)?;
/// assert_eq!(recorder.words()[before..], [0xC001_2D01, 3, 2]); // DRAW_INDEX_AUTO with the predicate bit, and no state
/// recorder.set_predication(None)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The memory that the predicate reads.
    pub kind: PredicateKind,
    /// Address: nonzero, below 2^40, a multiple of 4 for 32 bits, of 8 for 64 bits, of 16 for counts.
    pub address: u64,
    /// Inverts the condition: work runs if the number is 0, or if primitives did not fit.
    pub inverted: bool,
}

impl Predicate {
    fn packet(self) -> Result<SetPredication, CallError> {
        let (pred_op, align) = match self.kind {
            PredicateKind::Bool32 => (SetPredicationPredOp::VULKAN, 4),
            PredicateKind::Bool64 => (SetPredicationPredOp::DX12, 8),
            PredicateKind::Samples => (SetPredicationPredOp::SET_ZPASS_PREDICATE, 16),
            PredicateKind::StreamoutFits => (SetPredicationPredOp::SET_PRIMCOUNT_PREDICATE, 16),
        };
        if !is_address(self.address, align) {
            return Err(CallError::Address { what: "the predicate", addr: self.address, align });
        }
        let pred_bool = match self.inverted {
            true => SetPredicationPredBool::DRAW_IF_NOT_VISIBLE_OR_OVERFLOW,
            false => SetPredicationPredBool::DRAW_IF_VISIBLE_OR_NO_OVERFLOW,
        };
        Ok(SetPredication { pred_op, pred_bool, start_addr: self.address, ..SetPredication::default() })
    }
}

impl<B: Buffer> Recorder<B> {
    /// Sets the condition of later draws and dispatches; None removes it. Registers are written regardless of the condition, so the recorder still knows their
    /// contents.
    ///
    /// PFP reads memory when it reaches this call: record a barrier to [`Access::IndirectRead`](crate::draw::sync::Access::IndirectRead) between this call and
    /// the work that writes the condition. Compute queues have no predicates.
    ///
    /// # Errors
    /// [`CallError::Address`], [`WriteError`](crate::packet::WriteError) for addresses of more than 40 bits, old firmware, compute queues and full buffers.
    pub fn set_predication(&mut self, predicate: Option<Predicate>) -> Result<(), RecordError> {
        let packet = predicate.map(Predicate::packet).transpose()?;
        self.all_or_nothing(|recorder| {
            recorder.writer.emit(&packet.unwrap_or_default())?;
            Ok(recorder.writer.set_predicated(packet.is_some())?)
        })
    }

    /// Sets whether later draws and dispatches depend on the condition, without changing it: false for work that must run in any case; true in a secondary
    /// command buffer whose caller has set the condition.
    ///
    /// # Errors
    /// [`WriteError::NotAvailable`](crate::packet::WriteError::NotAvailable) for `true` on compute queues.
    pub fn set_predicated(&mut self, on: bool) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.set_predicated(on)?))
    }
}
