//! Decodes words into packet structs.

use crate::chip::Gfx;
use crate::packet::encode::encoder::{encode, first, format_of, visible};
use crate::packet::read::packet::Packet;
#[cfg(feature = "overlay")]
use crate::packet::typed::overlay::Body;
use crate::packet::typed::packet_fields::{PacketFields, Values};
use crate::packet::wire::opcode::Queue;
use crate::packet::wire::scope::Scope;

impl<'a> Packet<'a> {
    /// Decodes the packet into a struct with all its fields. Returns None if it is another packet, if size or queue do not match, or if the words contain more
    /// than the fields can express (reserved bits, fields of the kernel). A returned struct encodes to the same words.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Queue, Reader, gfx11::IndexBase};
    /// let stream = [0xC001_2600, 0x1000, 0x7F];
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let base: IndexBase = packet.decode(Gfx::Gfx11, Queue::Graphics).unwrap();
    /// assert_eq!(base.index_base, 0x7F_0000_1000);
    /// # }
    /// ```
    #[must_use]
    pub fn decode<T: PacketFields>(&self, gfx: Gfx, queue: Queue) -> Option<T> {
        decode(self, gfx, queue)
    }

    /// Returns the body as its typed struct, and the dwords after it (the values of SET_* packets). Returns None if opcode or size do not match.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::packet::{Reader, overlay::gfx11::SetContextReg};
    /// let stream = [0xC001_6900, 0x203, 0x1_8600];
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let (head, values) = packet.body_as::<SetContextReg>().unwrap();
    /// assert_eq!(head.reg_offset.get().reg_offset(), 0x203);
    /// assert_eq!(values, [0x1_8600]);
    /// # }
    /// ```
    #[cfg(feature = "overlay")]
    #[must_use]
    pub fn body_as<T: Body>(&self) -> Option<(T, &'a [u32])> {
        let (body, rest) = T::read(self.body).filter(|_| self.opcode() == Some(T::OPCODE))?;
        (T::OPEN || rest.is_empty()).then_some((body, rest))
    }
}

/// Decodes words into fields. Returns None if it is another packet, has another size, or contains more than the fields can express (for example reserved bits).
fn decode<T: PacketFields>(packet: &Packet<'_>, gfx: Gfx, queue: Queue) -> Option<T> {
    let (format, form) = format_of::<T>();
    let view = T::SCOPE.and(Scope::queue(gfx, queue)).and(form.scope);
    let fixed = packet.body.get(..T::DWORDS - 1)?;
    let whole = form.repeat.is_some() || fixed.len() == packet.body.len();
    if view == Scope::NONE || packet.opcode() != format.opcode(gfx) || !whole || !form.fits(gfx, packet.dwords()) {
        return None;
    }
    let first = first(form, view, gfx);
    let read = |entries: &[u8]| {
        let field = visible(form, entries, view, first, fixed)?;
        usize::from(field.dword).checked_sub(1).and_then(|i| fixed.get(i)).map(|word| u64::from(field.get(*word)))
    };
    let mut values = Values::nothing();
    for slot in T::LAYOUT.slots {
        let (lo, hi) = (read(slot.lo), read(slot.hi));
        let value = match (lo, hi) {
            (None, None) => None,
            (lo, hi) => Some(lo.unwrap_or(0) | hi.unwrap_or(0) << slot.shift),
        };
        values.push(value);
    }
    values.rewind();
    let decoded = T::take(&mut values);
    let (_, words) = encode(&decoded, gfx, queue).ok()?;
    (words.as_slice() == fixed).then_some(decoded)
}
