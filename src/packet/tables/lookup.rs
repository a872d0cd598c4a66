//! Lookup by opcode and size.

use crate::chip::Gfx;
use crate::packet::formats::format::{Form, Format};
use crate::packet::tables::generated;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::scope::Scope;

/// Returns all packets with a known layout, in alphabetical order.
///
/// ```
/// use pm4::packet::formats;
/// let event_write = formats().iter().find(|f| f.name == "EVENT_WRITE").unwrap();
/// let names: Vec<_> = event_write.forms[0].fields.iter().map(|f| f.name).collect();
/// assert_eq!(names[..2], ["event_type", "event_index"]);
/// ```
#[must_use]
pub fn formats() -> &'static [Format] {
    generated::FORMATS
}

/// Returns the layout of a packet of `dwords` dwords for the engines of `view`.
pub(in crate::packet) fn layout_for(opcode: Opcode, dwords: usize, gfx: Gfx, view: Scope) -> Option<(&'static Format, &'static Form)> {
    forms(opcode, gfx, view).find(|(_, form)| form.fits(gfx, dwords))
}

/// Returns the layouts in which an opcode occurs in buffers, for the engines of `view`.
pub(in crate::packet) fn forms(opcode: Opcode, gfx: Gfx, view: Scope) -> impl Iterator<Item = (&'static Format, &'static Form)> {
    let formats = generated::BY_OPCODE[usize::from(opcode.0)].iter().map(|&i| &generated::FORMATS[usize::from(i)]);
    formats
        .filter(move |f| f.opcode(gfx) == Some(opcode))
        .flat_map(|format| format.forms.iter().map(move |form| (format, form)))
        .filter(move |(_, form)| !form.internal && form.scope.intersects(view))
}

impl Opcode {
    /// Returns whether packets with this opcode may need firmware newer than the first version of a generation.
    pub(crate) fn may_need_firmware(self, gfx: Gfx, queue: Queue) -> bool {
        forms(self, gfx, Scope::queue(gfx, queue)).any(|(_, form)| form.firmware.iter().any(|need| need.scope.intersects(Scope::queue(gfx, queue))))
    }
}
