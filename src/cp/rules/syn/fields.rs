//! Fields of event packets that several rules of the family read.

use crate::cp::rule::packet_view::PacketView;
use crate::packet::{Event, Opcode};

pub(super) const EVENT: &[Opcode] = &[Opcode::EVENT_WRITE];

pub(super) fn event(view: &PacketView<'_>) -> (Event, u32) {
    (Event(view.bits(0, 0, 5) as u8), view.bits(0, 8, 11))
}

pub(super) fn name(view: &PacketView<'_>, event: Event) -> &'static str {
    event.name(view.gfx()).unwrap_or("an unknown event")
}

/// The data_sel value for dwords of GDS.
pub(super) const GDS: u32 = 5;

pub(super) fn is_done(view: &PacketView<'_>, event: Event) -> bool {
    event.is_shader_done(view.gfx())
}

pub(super) const RELEASE: &[Opcode] = &[Opcode::RELEASE_MEM];

pub(super) const ACQUIRE: &[Opcode] = &[Opcode::ACQUIRE_MEM];
