//! Running a part of what is submitted.

use crate::cp::state::place::{Place, QueueId};

/// Where [`run_until`](crate::cp::CommandProcessor::run_until) stops.
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
    /// When [`Summary::packets`](crate::cp::Summary::packets) has reached this number. It counts over all queues from the time the model was made, and not from
    /// the start of this call. If it is already reached, the run stops after one step.
    Packets(u64),
    /// After the draw or dispatch with this [index](crate::cp::DrawView::index), which counts over all queues from 0.
    AfterWork(u64),
    /// Before the packet at a place.
    BeforePacket(Place),
    /// After the packet that writes this register (byte address), in any queue and by any kind of packet.
    AfterRegisterWrite(u32),
    /// After the packet at which a finding is reported. Findings that are reported once per run wait for its end.
    AfterFinding,
}

/// A run that has stopped before the end. Run on with any of the run functions.
///
/// For an example see [`Stop`](crate::cp::Stop).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// The queue whose turn it is.
    pub queue: QueueId,
    /// Its next packet; None where it has none left.
    pub next: Option<Place>,
}

/// Whose turn it is: kept while a run is stopped, so that it continues as if it had not been.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cp) struct Turn {
    /// Which queue, by its place in the list.
    pub queue: usize,
    /// Packets that are left of the turn.
    pub left: usize,
    /// Some queue has gone on since all had a turn.
    pub went: bool,
    /// Some queue is not at its end.
    pub open: bool,
    pub begun: bool,
}
