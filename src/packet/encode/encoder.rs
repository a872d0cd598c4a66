//! Encodes packet structs into words, and checks each field against its place.

use crate::chip::Gfx;
use crate::packet::formats::effect_row::Work;
use crate::packet::formats::field::{Field, bits};
use crate::packet::formats::format::{Form, Format};
use crate::packet::rules::write_error::{FieldCondition, WriteError};
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::tables::generated::{self, MAX_FIXED};
use crate::packet::typed::packet_fields::{PacketFields, Slot, Values};
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::scope::Scope;

/// Returns the layout of a struct.
pub(in crate::packet) fn format_of<T: PacketFields>() -> (&'static Format, &'static Form) {
    let format = &generated::FORMATS[T::LAYOUT.format];
    (format, &format.forms[T::LAYOUT.form])
}

/// Encodes fields into words, each checked against its place.
pub(in crate::packet) fn encode<T: PacketFields>(packet: &T, gfx: Gfx, queue: Queue) -> Result<(Opcode, Words), WriteError> {
    let mut values = Values::nothing();
    packet.put(&mut values);
    encode_values::<T>(&values, gfx, queue)
}

/// Encodes values that have already been taken from the fields.
pub(in crate::packet) fn encode_values<T: PacketFields>(values: &Values, gfx: Gfx, queue: Queue) -> Result<(Opcode, Words), WriteError> {
    let (format, form) = format_of::<T>();
    let view = T::SCOPE.and(Scope::queue(gfx, queue)).and(form.scope);
    let opcode = format.opcode(gfx).unwrap_or(format.opcodes[0].1);
    if view == Scope::NONE {
        let exists = format.opcode(gfx).is_some_and(|opcode| opcode.available(gfx, queue));
        return Err(if exists { WriteError::OtherStruct { packet: opcode, queue, gfx } } else { WriteError::NotAvailable { packet: opcode, queue, gfx } });
    }
    let mut encoder = Encoder { name: format.name, form, view, first: first(form, view, gfx), words: Words { words: [0; MAX_FIXED], len: T::DWORDS - 1 } };
    // Conditions depend on unconditional fields, which therefore go first.
    for conditional in [false, true] {
        for (slot, value) in T::LAYOUT.slots.iter().zip(values.all()) {
            encoder.slot(slot, value, conditional)?;
        }
    }
    Ok((opcode, encoder.words))
}

/// Returns the header that a packet needs: dispatches are compute work on every queue, and some packets must bypass the register filter.
pub(in crate::packet) fn header(opcode: Opcode, body: usize, format: &Format, gfx: Gfx, queue: Queue) -> Header {
    let compute = format.shader_type && (queue == Queue::Compute || opcode.work_on(gfx, queue) == Some(Work::Dispatch));
    let header = Header::type3(opcode, body);
    let header = if compute { header.with_shader_type(ShaderType::Compute) } else { header };
    // PAL gfx9CmdUtil.cpp BuildDispatchMeshIndirectMulti, BuildDispatchTaskMeshGfx, BuildSetRegPairsHeader, FillPackedRegPairsHeaderAndCount.
    let mesh = matches!(opcode, Opcode::DISPATCH_MESH_INDIRECT_MULTI | Opcode::DISPATCH_TASKMESH_GFX);
    let filtered = mesh || opcode.effect_kinds(gfx).intersects(EffectKinds::SETS_A_LIST);
    header.with_reset_filter_cam(filtered && queue == Queue::Graphics && gfx.major() >= 10)
}

/// The fixed words of a packet, without the header.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct Words {
    words: [u32; MAX_FIXED],
    len: usize,
}

impl Words {
    pub fn as_slice(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

/// Returns PFP if it supports the packet (it parses packets first), or else all engines of the view. Where engines differ in fields, PFP's apply.
pub(super) fn first(form: &Form, view: Scope, gfx: Gfx) -> Scope {
    let pfp = view.and(Scope::one(gfx, Engine::Pfp)).and(form.scope);
    if pfp == Scope::NONE { view } else { pfp }
}

struct Encoder {
    name: &'static str,
    form: &'static Form,
    view: Scope,
    first: Scope,
    words: Words,
}

impl Encoder {
    fn slot(&mut self, slot: &Slot, value: Option<u64>, conditional: bool) -> Result<(), WriteError> {
        let depends = |entries: &[u8]| entries.iter().any(|&i| !self.form.fields[usize::from(i)].when.is_empty());
        if (depends(slot.lo) || depends(slot.hi)) != conditional {
            return Ok(());
        }
        let (packet, field, lo, hi) = (self.name, slot.name, self.visible(slot.lo), self.visible(slot.hi));
        let Some(value) = value else {
            // Omitted numbers and flags are 0; addresses and data are required. A field that may share its bits with others may be missing.
            let missed = lo.or(hi).filter(|f| !slot.hi.is_empty() && !self.shared(f, slot));
            return missed.map_or(Ok(()), |missed| Err(WriteError::FieldMissing { packet, field, condition: self.condition(missed, true) }));
        };
        if slot.hi.is_empty() {
            let Some(lo) = lo else { return self.no_place(slot, value) };
            return self.field(lo, field, value);
        }
        // Canonical addresses repeat bit 47; dropping the copies that a narrower field cannot hold loses nothing.
        let (lower, upper) = (value & ((1 << slot.shift) - 1), value >> slot.shift);
        let sign_extended = slot.address && value >> 47 == 0x1_FFFF;
        match hi {
            Some(hi) if sign_extended => self.field(hi, field, upper & u64::from(u32::MAX >> (31 - (hi.hi - hi.lo))))?,
            Some(hi) => self.field(hi, field, upper).map_err(|e| of_whole(e, value, slot.shift))?,
            None if upper != 0 => return self.no_place(slot, value),
            None => {}
        }
        match lo {
            Some(lo) => self.field(lo, field, lower).map_err(|e| of_whole(e, value, slot.shift)),
            None if lower != 0 => self.no_place(slot, value),
            None => Ok(()),
        }
    }

    fn no_place(&self, slot: &Slot, _value: u64) -> Result<(), WriteError> {
        let condition = slot
            .lo
            .iter()
            .chain(slot.hi)
            .filter_map(|&i| self.form.fields.get(usize::from(i)))
            .filter(|f| f.scope.intersects(self.view))
            .find_map(|f| self.condition(f, false));
        Err(WriteError::FieldUnused { packet: self.name, field: slot.name, condition })
    }

    /// Returns the condition of a field if its result is `holds`.
    fn condition(&self, field: &Field, holds: bool) -> Option<FieldCondition> {
        let condition = field.when.iter().find(|c| c.holds(self.words.as_slice()) == holds)?;
        let at = |f: &&Field| (f.dword, f.lo, f.hi) == (condition.dword, condition.lo, condition.hi);
        let other = self.form.fields.iter().find(at)?;
        let found = usize::from(condition.dword).checked_sub(1).and_then(|i| self.words.as_slice().get(i)).copied().unwrap_or(0);
        let found = bits(found, condition.lo, condition.hi);
        Some(FieldCondition { field: other.name, values: condition.values, not: condition.not, found, names: other.values, view: self.view })
    }

    /// Returns whether the field of another member shares bits with this one and its condition holds too.
    fn shared(&self, field: &Field, slot: &Slot) -> bool {
        self.form.fields.iter().enumerate().any(|(i, other)| {
            let own = slot.lo.iter().chain(slot.hi).any(|&e| usize::from(e) == i);
            !own && other.dword == field.dword && other.lo <= field.hi && field.lo <= other.hi && self.holds(other)
        })
    }

    fn holds(&self, field: &Field) -> bool {
        field.scope.intersects(self.view) && field.when.iter().all(|c| c.holds(self.words.as_slice()))
    }

    fn visible(&self, entries: &[u8]) -> Option<&'static Field> {
        visible(self.form, entries, self.view, self.first, self.words.as_slice())
    }

    fn field(&mut self, field: &'static Field, name: &'static str, value: u64) -> Result<(), WriteError> {
        let packet = self.name;
        let width = u32::from(field.hi - field.lo) + 1;
        let raw = if field.in_place {
            let align = 1u64 << field.lo;
            if !value.is_multiple_of(align) {
                return Err(WriteError::FieldMisaligned { packet, field: name, addr: value, align });
            }
            value >> field.lo
        } else {
            value
        };
        let max = u64::from(u32::MAX >> (32 - width));
        if raw > max {
            return Err(WriteError::FieldTooLarge { packet, field: name, value, max });
        }
        let bits = (raw as u32) << field.lo;
        let Some(word) = usize::from(field.dword).checked_sub(1).and_then(|i| self.words.words[..self.words.len].get_mut(i)) else { return Ok(()) };
        let mask = (max as u32) << field.lo;
        if *word & mask != 0 && *word & mask != bits {
            return Err(WriteError::FieldConflict { packet, field: name });
        }
        *word |= bits;
        Ok(())
    }
}

/// Converts an error of one half to an error of the 64-bit value that the caller passed.
fn of_whole(error: WriteError, whole: u64, shift: u8) -> WriteError {
    match error {
        WriteError::FieldMisaligned { packet, field, align, .. } => WriteError::FieldMisaligned { packet, field, addr: whole, align },
        // Only the upper half can be narrow.
        WriteError::FieldTooLarge { packet, field, max, .. } => {
            WriteError::FieldTooLarge { packet, field, value: whole, max: max << shift | ((1 << shift) - 1) }
        }
        other => other,
    }
}

/// Returns the entry that applies to this packet.
pub(super) fn visible(form: &'static Form, entries: &[u8], view: Scope, first: Scope, body: &[u32]) -> Option<&'static Field> {
    let holds = |field: &&Field, scope: Scope| field.scope.intersects(scope) && field.when.iter().all(|c| c.holds(body));
    let fields = || entries.iter().filter_map(|&i| form.fields.get(usize::from(i)));
    fields().find(|f| holds(f, first)).or_else(|| fields().find(|f| holds(f, view)))
}
