//! Who is told what the model does.

use super::finding::Finding;
use super::place::{Place, QueueId};
use super::view::DrawView;
use crate::packet::{Packet, Queue};

/// Receives what happens, in the order of execution. Every method does nothing unless it is written anew.
pub trait Observer {
    /// A draw packet, with the register state before it. Draws of the mesh pipeline count as draws.
    fn draw(&mut self, view: &DrawView<'_>) {
        let _ = view;
    }

    /// A dispatch packet, with the register state before it.
    fn dispatch(&mut self, view: &DrawView<'_>) {
        let _ = view;
    }

    /// Something worth saying. Findings about a packet come after the packet. Findings on draws, remarks, and rules that are told once come at the end of the
    /// run, or when very many are held back: once for each cause, with how often it came.
    fn finding(&mut self, finding: &Finding) {
        let _ = finding;
    }

    /// It is a queue's turn: the packets that follow are its own, until the next call.
    fn turn(&mut self, queue: QueueId) {
        let _ = queue;
    }

    /// Any packet, before it is executed.
    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        let _ = (queue, place, packet);
    }
}

/// Watches nothing.
impl Observer for () {}

/// Both are told, the first one first.
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

    fn turn(&mut self, queue: QueueId) {
        self.0.turn(queue);
        self.1.turn(queue);
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        self.0.packet(queue, place, packet);
        self.1.packet(queue, place, packet);
    }
}

/// Whoever holds it is told.
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

    fn turn(&mut self, queue: QueueId) {
        (**self).turn(queue);
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        (**self).packet(queue, place, packet);
    }
}
