//! Partial runs of submissions.

use crate::cp::state::place::{Place, QueueId};

/// The point at which [`run_until`](crate::cp::CommandProcessor::run_until) stops.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Pause, Stop}, packet::Queue};
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "main", &[0xC000_1000, 0, 0xC001_6900, 0x203, 0x1_8600, 0xC000_1000, 0]);
/// // Up to the packet that writes DB_SHADER_CONTROL, and with it.
/// let pause: Pause = cp.run_until(Stop::AfterRegisterWrite(0x2880C), &mut ()).expect("it is written");
/// assert_eq!(pause.next.map(|place| place.dword), Some(5));
/// cp.run(&mut ());
/// assert_eq!(cp.summary().packets, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// When [`Summary::packets`](crate::cp::Summary::packets) has reached this number. The number counts over all queues since the model was made, not since
    /// the start of this call. If it is already reached, the run stops after one step.
    Packets(u64),
    /// After the draw or dispatch with this [index](crate::cp::DrawView::index), which counts over all queues from 0.
    AfterWork(u64),
    /// Before the packet at a place.
    BeforePacket(Place),
    /// After the packet that writes this register (byte address), in any queue and by any kind of packet.
    AfterRegisterWrite(u32),
    /// After the packet at which a finding is reported. Findings that are reported once per run are reported at its end.
    AfterFinding,
}

/// A run that has stopped before its end. Any of the run functions continues it.
///
/// For an example see [`Stop`](crate::cp::Stop).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// The queue whose turn it is.
    pub queue: QueueId,
    /// Its next packet; None if no packet is left.
    pub next: Option<Place>,
}

/// The turn of the queues, kept while a run is stopped so that it continues as if uninterrupted.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cp) struct Turn {
    /// The index of the queue in the list.
    pub queue: usize,
    /// Number of packets left in the turn.
    pub left: usize,
    /// Whether some queue has made progress since the round began.
    pub went: bool,
    /// Whether some queue is not at its end.
    pub open: bool,
    pub begun: bool,
}
