//! Observers, which receive what the model does.

use crate::cp::state::finding::Finding;
use crate::cp::state::memory::MemoryWrite;
use crate::cp::state::place::{Place, QueueId};
use crate::cp::view::draw_view::DrawView;
use crate::cp::view::interest::{EventSeen, Interest, InterruptSent, MemoryRead, RegisterChange};
use crate::cp::view::model_access::ModelAccess;
use crate::packet::{Packet, Queue};

/// An observer of a model. It receives events in the order of execution. Every method has a default that does nothing.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, DrawView, Observer}, packet::Queue};
/// /// Counts draws, and remembers where the last one is.
/// #[derive(Default)]
/// struct Draws(u32, Option<u32>);
/// impl Observer for Draws {
///     fn draw(&mut self, view: &DrawView<'_>) {
///         self.0 += 1;
///         self.1 = Some(view.place().dword);
///     }
/// }
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "two draws", &[0xC001_2D00, 3, 2, 0xC001_2D00, 6, 2]);
/// let mut draws = Draws::default();
/// cp.run(&mut draws);
/// assert_eq!((draws.0, draws.1), (2, Some(3)));
/// ```
pub trait Observer {
    /// Receives a draw packet with the register state before it. Draws of the mesh pipeline count as draws.
    fn draw(&mut self, view: &DrawView<'_>) {
        let _ = view;
    }

    /// Receives a dispatch packet with the register state before it.
    fn dispatch(&mut self, view: &DrawView<'_>) {
        let _ = view;
    }

    /// Receives a finding. A finding about a packet is delivered right after the packet. Repeated findings are collected and delivered at the end of the run
    /// (earlier if more than 4096 are collected), one per cause, with [`Finding::count`]. This applies to findings on draws and dispatches, findings of
    /// severity info, and findings of rules with [`Rule::report_once`](crate::cp::rule::entry::Rule::report_once()).
    fn finding(&mut self, finding: &Finding) {
        let _ = finding;
    }

    /// Receives the queue that runs from now on: the packets up to the next call belong to this queue.
    fn queue_changed(&mut self, queue: QueueId) {
        let _ = queue;
    }

    /// Receives any packet before it is executed.
    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        let _ = (queue, place, packet);
    }

    /// Returns what this observer wants to receive in addition to draws, dispatches, packets and findings. Default: [`Interest::NONE`]. The model asks once per
    /// run.
    fn interest(&self) -> Interest {
        Interest::NONE
    }

    /// Receives a packet that a predicate has dropped, so that it has no effect. Requested with [`Interest::DROPPED`].
    fn dropped(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        let _ = (queue, place, packet);
    }

    /// Receives a register write by any kind of packet, after the packet. Requested with [`Interest::REGISTERS`].
    fn register_written(&mut self, change: &RegisterChange) {
        let _ = change;
    }

    /// Receives a memory read before it happens. A wait that reads repeatedly is reported once. Requested with [`Interest::MEMORY`].
    fn memory_read(&mut self, read: &MemoryRead) {
        let _ = read;
    }

    /// Receives a written dword of memory, after the packet, or for a fence when it reaches the end of the pipe in the model. Requested with
    /// [`Interest::MEMORY`].
    fn memory_written(&mut self, write: &MemoryWrite) {
        let _ = write;
    }

    /// Receives an event that a packet sends. Requested with [`Interest::EVENTS`].
    fn event(&mut self, event: &EventSeen) {
        let _ = event;
    }

    /// Receives the completion of what a packet requested at the end of the pipe, when its writes are in memory. Requested with [`Interest::EVENTS`].
    fn end_of_pipe(&mut self, event: &EventSeen) {
        let _ = event;
    }

    /// Receives an interrupt of a RELEASE_MEM, which is sent when its write is in memory. Requested with [`Interest::EVENTS`].
    fn interrupt(&mut self, interrupt: &InterruptSent) {
        let _ = interrupt;
    }

    /// Lets the observer act between two packets, after everything else is reported: it may write memory or stop the run. Requested with [`Interest::ACT`].
    fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
        let _ = access;
    }
}

/// Ignores everything.
impl Observer for () {}

/// Both observers receive everything, the first one first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0.draw(view);
        self.1.draw(view);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.0.dispatch(view);
        self.1.dispatch(view);
    }

    fn finding(&mut self, finding: &Finding) {
        self.0.finding(finding);
        self.1.finding(finding);
    }

    fn queue_changed(&mut self, queue: QueueId) {
        self.0.queue_changed(queue);
        self.1.queue_changed(queue);
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        self.0.packet(queue, place, packet);
        self.1.packet(queue, place, packet);
    }

    fn interest(&self) -> Interest {
        self.0.interest().or(self.1.interest())
    }

    fn dropped(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        self.0.dropped(queue, place, packet);
        self.1.dropped(queue, place, packet);
    }

    fn register_written(&mut self, change: &RegisterChange) {
        self.0.register_written(change);
        self.1.register_written(change);
    }

    fn memory_read(&mut self, read: &MemoryRead) {
        self.0.memory_read(read);
        self.1.memory_read(read);
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        self.0.memory_written(write);
        self.1.memory_written(write);
    }

    fn event(&mut self, event: &EventSeen) {
        self.0.event(event);
        self.1.event(event);
    }

    fn end_of_pipe(&mut self, event: &EventSeen) {
        self.0.end_of_pipe(event);
        self.1.end_of_pipe(event);
    }

    fn interrupt(&mut self, interrupt: &InterruptSent) {
        self.0.interrupt(interrupt);
        self.1.interrupt(interrupt);
    }

    fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
        self.0.act(access);
        self.1.act(access);
    }
}

/// The borrowed observer receives everything.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn draw(&mut self, view: &DrawView<'_>) {
        (**self).draw(view);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        (**self).dispatch(view);
    }

    fn finding(&mut self, finding: &Finding) {
        (**self).finding(finding);
    }

    fn queue_changed(&mut self, queue: QueueId) {
        (**self).queue_changed(queue);
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        (**self).packet(queue, place, packet);
    }

    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn dropped(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        (**self).dropped(queue, place, packet);
    }

    fn register_written(&mut self, change: &RegisterChange) {
        (**self).register_written(change);
    }

    fn memory_read(&mut self, read: &MemoryRead) {
        (**self).memory_read(read);
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        (**self).memory_written(write);
    }

    fn event(&mut self, event: &EventSeen) {
        (**self).event(event);
    }

    fn end_of_pipe(&mut self, event: &EventSeen) {
        (**self).end_of_pipe(event);
    }

    fn interrupt(&mut self, interrupt: &InterruptSent) {
        (**self).interrupt(interrupt);
    }

    fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
        (**self).act(access);
    }
}
