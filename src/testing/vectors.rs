//! Packets and registers as words with their fields.

use crate::chip::Gfx;
use crate::packet::{Form, Format, Header, Queue, Scope, ShaderType, formats};
use crate::regs;
use crate::testing::ground::pen::{body_dwords, is_there, store};
use alloc::vec;
use alloc::vec::Vec;
use strum::IntoEnumIterator;

/// Bits of a dword and their value.
///
/// For an example see [`PacketVector`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldVector {
    /// AMD's name.
    pub name: &'static str,
    /// The dword of the packet, 0 for the header; 0 for registers.
    pub dword: usize,
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
    /// The bits, shifted down.
    pub value: u32,
}

/// A packet as words, with the fields that a decoder finds in them. The values are patterns; for values that an engine accepts, see
/// [`rule_cases`](crate::testing::rule_cases).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Gfx, packet::{Queue, Reader}, testing};
/// let vectors = testing::packet_vectors(Gfx::Gfx11, Queue::Graphics);
/// let set_base = vectors.iter().find(|vector| vector.name == "SET_BASE").unwrap();
/// let packet = Reader::new(&set_base.words).next().unwrap().unwrap();
/// assert_eq!(packet.opcode().unwrap().name(Gfx::Gfx11), Some("SET_BASE"));
/// let index = set_base.fields.iter().find(|field| field.name == "base_index").unwrap();
/// assert_eq!((index.dword, index.lo, index.hi), (1, 0, 3));
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketVector {
    /// The generation.
    pub gfx: Gfx,
    /// The queue that reads it.
    pub queue: Queue,
    /// The packet.
    pub name: &'static str,
    /// Its words, header first.
    pub words: Vec<u32>,
    /// Its fields; for a repeated group, those of the first repetition.
    pub fields: Vec<FieldVector>,
}

/// A register as a word and its fields.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Gfx, testing};
/// let vectors = testing::register_vectors(Gfx::Gfx11);
/// let control = vectors.iter().find(|vector| vector.name == "DB_SHADER_CONTROL").unwrap();
/// let order = control.fields.iter().find(|field| field.name == "Z_ORDER").unwrap();
/// assert_eq!((control.addr, order.value), (0x2880C, control.word >> 4 & 3));
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterVector {
    /// The generation.
    pub gfx: Gfx,
    /// The register; for an array, the first element.
    pub name: &'static str,
    /// Its byte address.
    pub addr: u32,
    /// Whether the crate has a struct for it.
    pub typed: bool,
    /// The word.
    pub word: u32,
    /// The fields in it.
    pub fields: Vec<FieldVector>,
}

/// Returns bits that differ between positions.
fn pattern(seed: u32, turn: u32) -> u32 {
    let mixed = (seed ^ turn.wrapping_mul(0x85EB_CA6B)).wrapping_mul(0x9E37_79B1);
    mixed ^ mixed >> 15
}

/// Returns two packets with different values for each layout and size on a queue of a generation.
pub fn packet_vectors(gfx: Gfx, queue: Queue) -> Vec<PacketVector> {
    let view = Scope::queue(gfx, queue);
    let mut all = Vec::new();
    for format in formats().iter().filter(|format| format.scope.intersects(view)) {
        for form in format.forms.iter().filter(|form| !form.internal && form.scope.intersects(view)) {
            let smallest = body_dwords(form, gfx);
            let sizes: Vec<usize> = match form.repeat {
                Some(group) => vec![smallest + usize::from(group.len)],
                None => form.sizes.iter().filter(|size| size.gfx & gfx.bit() != 0).map(|size| usize::from(size.dwords) - 1).collect(),
            };
            for (size, turn) in sizes.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
                all.extend(packet_vector(gfx, queue, format, form, size, turn));
            }
        }
    }
    all
}

fn packet_vector(gfx: Gfx, queue: Queue, format: &'static Format, form: &'static Form, size: usize, turn: u32) -> Option<PacketVector> {
    let opcode = format.opcode(gfx).filter(|_| size > 0)?;
    let view = Scope::queue(gfx, queue).and(form.scope);
    let mut body = vec![0; size];
    let mut done = vec![false; form.fields.len()];
    // Fields on which others depend come first, then those that exist with these values.
    for _ in 0..3 {
        for (place, field) in form.fields.iter().enumerate() {
            if !done[place] && is_there(field, view, &body) {
                done[place] = true;
                let named: Vec<u32> = field.values.map_or(Vec::new(), |names| {
                    names.values.iter().filter(|value| value.scope.intersects(field.scope.and(view))).map(|value| value.value).collect()
                });
                let bits = pattern(place as u32 + 1, turn);
                let value = named.get(bits as usize % named.len().max(1)).copied().unwrap_or(bits);
                store(field, &mut body, u64::from(value));
            }
        }
    }
    let there = form.fields.iter().filter(|field| is_there(field, view, &body));
    let fields = there.map(|field| FieldVector {
        name: field.name,
        dword: usize::from(field.dword),
        lo: field.lo,
        hi: field.hi,
        value: body[usize::from(field.dword) - 1] >> field.lo & (u32::MAX >> (31 - (field.hi - field.lo))),
    });
    let fields = fields.collect();
    let header = Header::type3(opcode, body.len());
    let header = if format.shader_type && turn == 1 { header.with_shader_type(ShaderType::Compute) } else { header };
    Some(PacketVector { gfx, queue, name: format.name, words: [&[header.0], &body[..]].concat(), fields })
}

/// Returns two different words for each register of a generation.
pub fn register_vectors(gfx: Gfx) -> Vec<RegisterVector> {
    let words = regs::registers(gfx).flat_map(|info| [0, 1].map(|turn| (info, pattern(info.addr, turn) & info.known_bits())));
    let vectors = words.map(|(info, word)| RegisterVector {
        gfx,
        name: info.name,
        addr: info.addr,
        typed: info.typed,
        word,
        fields: info.fields.iter().map(|field| FieldVector { name: field.name, dword: 0, lo: field.lo, hi: field.hi, value: field.get(word) }).collect(),
    });
    vectors.collect()
}

/// Returns the enabled generations, with their queues.
pub fn queues() -> impl Iterator<Item = (Gfx, Queue)> {
    let all = Gfx::iter().flat_map(|gfx| [Queue::Graphics, Queue::Compute, Queue::Constant].map(|queue| (gfx, queue)));
    all.filter(|(gfx, queue)| *queue != Queue::Constant || gfx.has_constant_engine())
}
