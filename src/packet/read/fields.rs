//! The named fields of a packet.

use crate::chip::Gfx;
use crate::packet::formats::field::{Field, bits, holds};
use crate::packet::formats::format::{FirmwareNeed, Form, Format, SplitValue, split};
use crate::packet::read::packet::Packet;
use crate::packet::tables::lookup::layout_for;
use crate::packet::wire::opcode::{Engine, Queue};
use crate::packet::wire::scope::Scope;

/// A field of a packet with its value.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Fields, FieldValue, Queue, Reader}};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC000_4600, 0x410]; // EVENT_WRITE
/// let packet = Reader::new(&stream).flatten().next().unwrap();
/// let mut fields: Fields<'_> = packet.fields(Gfx::Gfx11, Queue::Graphics);
/// let event: FieldValue = fields.next().unwrap();
/// assert_eq!((event.name, event.dword, event.value), ("event_type", 1, 0x10));
/// assert_eq!(event.symbol(), Some("PS_PARTIAL_FLUSH"));
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FieldValue {
    /// The description of the field.
    pub field: &'static Field,
    /// Its name.
    pub name: &'static str,
    /// Dword of the packet with the value; 0 is the header. In a repeated group, the number continues from one repetition to the next.
    pub dword: usize,
    /// Which repetition of the group, for fields of a repeated group.
    pub group: Option<usize>,
    /// The value; addresses keep their position ([`Field::in_place`]).
    pub value: u64,
    view: Scope,
}

impl FieldValue {
    /// Returns the byte address of the register that the value names, if the field names a register.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Reader}};
    /// let stream = [0xC002_5100, 0x203, 0xF, 1]; // CONTEXT_REG_RMW
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let named: Vec<_> = packet.fields(Gfx::Gfx11, Queue::Graphics).filter_map(|f| f.register()).collect();
    /// assert_eq!(named, [0x2880C]);
    /// # }
    /// ```
    #[must_use]
    pub fn register(&self) -> Option<u32> {
        /// Absolute addresses have 18 bits; on GFX12 some fields hold 38, of which no register uses more.
        const DWORDS: u64 = 1 << 18;
        let register = self.field.register.filter(|register| !(register.or_none && self.value == 0))?;
        Some(register.start + 4 * u32::try_from(self.value).ok().filter(|_| self.value < DWORDS)?)
    }

    /// Returns the name of the value if it has one.
    #[must_use]
    pub fn symbol(&self) -> Option<&'static str> {
        self.field.values?.name_of(self.field.scope.and(self.view), u32::try_from(self.value).ok()?)
    }
}

/// The named fields of a packet, in the order of its dwords; see [`Packet::fields`].
///
/// For an example see [`FieldValue`](crate::packet::FieldValue).
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    body: &'a [u32],
    form: Option<&'static Form>,
    view: Scope,
    /// The engine with priority in `view`: its fields take precedence over those of the queue's other engine.
    first: Scope,
    next: usize,
    group: usize,
}

impl<'a> Fields<'a> {
    pub(in crate::packet) fn new(packet: &Packet<'a>, gfx: Gfx, queue: Queue) -> Self {
        match layout(packet, gfx, queue) {
            Some((_, form, view)) => Self::of(form, view, gfx, packet.body),
            None => Self { body: packet.body, form: None, view: Scope::NONE, first: Scope::NONE, next: 0, group: 0 },
        }
    }

    /// Returns the fields of a body in a layout, as the engines of `view` read it.
    pub(in crate::packet) fn of(form: &'static Form, view: Scope, gfx: Gfx, body: &'a [u32]) -> Self {
        let known = view.and(form.scope);
        let first = [Engine::Pfp, Engine::Me, Engine::Mec, Engine::Ce].map(|engine| known.and(Scope::one(gfx, engine)));
        let first = first.into_iter().find(|engine| *engine != Scope::NONE).unwrap_or(view);
        Self { body, form: Some(form), view, first, next: 0, group: 0 }
    }

    /// Returns the bits of a dword (0 is the header) that belong to fields; None if it has fields, but none with a meaning in this packet.
    pub(in crate::packet) fn covered(&self, form: &Form, dword: usize) -> Option<u32> {
        let row = match form.repeat {
            Some(r) if dword >= usize::from(r.from) => usize::from(r.from) + (dword - usize::from(r.from)) % usize::from(r.len).max(1),
            _ => dword,
        };
        let here = || form.fields.iter().filter(|f| usize::from(f.dword) == row && f.scope.intersects(self.view));
        let mask = here().filter(|f| self.visible(form, f)).fold(0, |mask, f| mask | bits(u32::MAX, 0, f.hi - f.lo) << f.lo);
        (mask != 0 || here().next().is_none()).then_some(mask)
    }

    fn visible(&self, form: &Form, field: &Field) -> bool {
        if !holds(field.when, self.body) || !field.scope.intersects(self.view) {
            return false;
        }
        // Two engines may read the same bits in two ways. On one queue, the engine that parses the packet first is right; a packet that the queue does not
        // support is shown as read by the first engine that supports it.
        field.scope.intersects(self.first)
            || !form.fields.iter().any(|other| {
                let overlap = other.dword == field.dword && other.lo <= field.hi && field.lo <= other.hi;
                overlap && other.scope.intersects(self.first) && holds(other.when, self.body)
            })
    }
}

impl Iterator for Fields<'_> {
    type Item = FieldValue;

    fn next(&mut self) -> Option<FieldValue> {
        let form = self.form?;
        loop {
            let Some(field) = form.fields.get(self.next) else {
                // The repeated group is last; starts it again.
                let repeat = form.repeat?;
                self.next = form.fields.iter().position(|f| f.dword >= repeat.from)?;
                self.group += 1;
                continue;
            };
            self.next += 1;
            let repeat = form.repeat.filter(|r| field.dword >= r.from);
            let dword = usize::from(field.dword) + repeat.map_or(0, |r| self.group * usize::from(r.len));
            let Some(&word) = dword.checked_sub(1).and_then(|at| self.body.get(at)) else {
                if repeat.is_some() || self.group > 0 {
                    return None;
                }
                continue;
            };
            if self.visible(form, field) {
                let value = u64::from(field.get(word));
                return Some(FieldValue { field, name: field.name, dword, group: repeat.map(|_| self.group), value, view: self.view });
            }
        }
    }
}

/// An address that a packet holds, or the offset of one.
///
/// For an example see [`Packet::addresses`](crate::packet::Packet::addresses).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressValue {
    /// Name of the address.
    pub name: &'static str,
    /// The field of its lower half.
    pub field: &'static str,
    /// Dword of the packet with that field; 0 is the header.
    pub dword: usize,
    /// The address, including low bits that must be zero, but without bits of other fields.
    pub value: u64,
    /// Required alignment in bytes.
    pub align: u64,
    /// Recommended alignment in bytes.
    pub preferred_align: u64,
    /// Number of bits of the largest address.
    pub bits: u8,
}

impl AddressValue {
    /// Returns whether the address is canonical: all bits above the largest are 0, or all are copies of bit 47.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.bits >= 64 || self.value >> self.bits == 0 || self.bits == 48 && self.value >> 47 == 0x1_FFFF
    }
}

/// A value that two fields of a packet hold together.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "report"), allow(dead_code))] // reports print the halves
pub(crate) struct DecodedSplitValue {
    pub whole: &'static SplitValue,
    /// The field of the lower half, and that of the upper one; the latter is missing for an offset.
    pub lo: &'static Field,
    pub hi: Option<&'static Field>,
    /// Which repetition of the group, for halves in a repeated group.
    pub group: Option<usize>,
    /// Dword of the packet where the lower half is; 0 is the header.
    pub dword: usize,
    /// Both together; an address has its low bits as they are, but for those of another field.
    pub value: u64,
}

/// Returns the addresses of a packet in a layout: `fixed` is what every packet of the form has, `tail` what follows.
pub(in crate::packet) fn addresses<'a>(
    form: &'static Form,
    view: Scope,
    gfx: Gfx,
    fixed: &'a [u32],
    tail: &'a [u32],
) -> impl Iterator<Item = AddressValue> + 'a {
    split_values(form, view, gfx, fixed, tail).filter_map(|DecodedSplitValue { whole, lo, dword, value, .. }| {
        let limits = whole.address?;
        let align = if limits.align > 0 { u64::from(limits.align) } else { 1 << if lo.in_place { lo.lo } else { 0 } };
        Some(AddressValue {
            name: whole.name,
            field: lo.name,
            dword,
            value,
            align,
            preferred_align: align.max(limits.preferred_align.into()),
            bits: limits.bits,
        })
    })
}

/// Returns the bits below an address that are other fields.
fn flags_below(all: &Fields<'_>, form: &Form, address: &Field) -> u32 {
    let flags = form.fields.iter().filter(|field| field.dword == address.dword && field.hi < address.lo && all.visible(form, field));
    flags.fold(0, |bits, field| bits | u32::MAX >> (31 - field.hi) & u32::MAX << field.lo)
}

/// Returns the values of several fields in a layout.
fn split_values<'a>(form: &'static Form, view: Scope, gfx: Gfx, fixed: &'a [u32], tail: &'a [u32]) -> impl Iterator<Item = DecodedSplitValue> + 'a {
    let all = Fields::of(form, view, gfx, fixed);
    let step = move |dword: u8| form.repeat.filter(|r| dword >= r.from).map(|r| usize::from(r.len).max(1));
    let place = move |dword: u8, group: usize| usize::from(dword) + step(dword).map_or(0, |len| group * len);
    let word = move |dword: usize| {
        let at = dword.checked_sub(1)?;
        fixed.get(at).or_else(|| tail.get(at.checked_sub(fixed.len())?)).copied()
    };
    let groups = move |dword: u8| step(dword).map_or(1, |len| tail.len() / len);
    let body = fixed;
    let split_values = form.split_values.iter().filter(move |w| w.scope.intersects(view) && holds(w.when, body));
    split_values.flat_map(move |whole| {
        let visible = |entries: &'static [u8]| entries.iter().filter_map(|&e| form.fields.get(usize::from(e))).find(|f| all.visible(form, f));
        let (lo, hi) = (visible(whole.lo), visible(whole.hi));
        let there = lo.filter(|_| hi.is_some() || whole.hi.is_empty());
        // Looked for where a bit below an address is set, which is rare.
        let below = |lo: &Field| (0..groups(lo.dword)).any(|group| word(place(lo.dword, group)).is_some_and(|word| word & ((1 << lo.lo) - 1) != 0));
        let flags = there.filter(|lo| lo.in_place && below(lo)).map_or(0, |lo| flags_below(&all, form, lo));
        there.into_iter().flat_map(move |lo| {
            (0..groups(lo.dword)).filter_map(move |group| {
                let dword = place(lo.dword, group);
                let (low, high) = (word(dword)?, hi.map_or(Some(0), |hi| word(place(hi.dword, group)).map(|word| hi.get(word)))?);
                let low = if lo.in_place { low & !flags } else { lo.get(low) };
                let value = u64::from(high) << whole.shift | u64::from(low);
                Some(DecodedSplitValue { whole, lo, hi, group: step(lo.dword).map(|_| group), dword, value })
            })
        })
    })
}

impl<'a> Packet<'a> {
    /// Returns AMD's name of the packet on this generation; packets that share an opcode are distinguished by size.
    #[must_use]
    pub fn name(&self, gfx: Gfx) -> Option<&'static str> {
        match self.header.packet_type() {
            0 => Some("TYPE0"),
            1 => Some("TYPE1"),
            2 => Some("TYPE2_FILLER"),
            _ => match self.format(gfx, Queue::Graphics) {
                Some(format) => Some(format.opcode_name),
                None => self.header.opcode().name(gfx),
            },
        }
    }

    /// Returns the layout of the packet: by opcode and size, as the queue's engines read it; if they do not support the packet, as another engine reads it.
    #[must_use]
    pub fn format(&self, gfx: Gfx, queue: Queue) -> Option<&'static Format> {
        layout(self, gfx, queue).map(|(format, _, _)| format)
    }

    /// Returns the named fields in the order of the dwords. Fields whose condition (`when`) does not hold are left out.
    #[must_use]
    pub fn fields(&self, gfx: Gfx, queue: Queue) -> Fields<'a> {
        Fields::new(self, gfx, queue)
    }

    /// Returns the value of the first field with this name.
    #[must_use]
    pub fn field(&self, gfx: Gfx, queue: Queue, name: &str) -> Option<u64> {
        self.fields(gfx, queue).find(|f| f.name == name).map(|f| f.value)
    }

    /// Returns the addresses in the packet that have a meaning on a queue.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{AddressValue, Queue, Reader}};
    /// let stream = [0xC001_2600, 0x1000, 0x7F]; // INDEX_BASE
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let base: AddressValue = packet.addresses(Gfx::Gfx11, Queue::Graphics).next().unwrap();
    /// assert_eq!((base.name, base.value, base.align), ("index_base", 0x7F_0000_1000, 2));
    /// # }
    /// ```
    pub fn addresses(&self, gfx: Gfx, queue: Queue) -> impl Iterator<Item = AddressValue> + use<'a> {
        let body = self.body;
        layout(self, gfx, queue).into_iter().flat_map(move |(_, form, view)| {
            let (fixed, tail) = split(form, body);
            addresses(form, view, gfx, fixed, tail)
        })
    }
}

impl<'a> Packet<'a> {
    /// Returns the values that two fields hold together and that have a meaning in this packet.
    #[cfg(feature = "report")]
    pub(crate) fn split_values(&self, gfx: Gfx, queue: Queue) -> impl Iterator<Item = DecodedSplitValue> + use<'a> {
        let body = self.body;
        layout(self, gfx, queue).into_iter().filter(|(_, form, _)| !form.split_values.is_empty()).flat_map(move |(_, form, view)| {
            let (fixed, tail) = split(form, body);
            split_values(form, view, gfx, fixed, tail)
        })
    }

    /// Returns the firmware requirements of the packet, considering its fields.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{FirmwareCounter, Queue, Reader}};
    /// let stream = [0xC001_B100, 0x1000, 0]; // EVENT_WRITE_ZPASS
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let need = packet.firmware_needs(Gfx::Gfx11, Queue::Graphics).next().unwrap();
    /// assert_eq!((need.of, need.from), (FirmwareCounter::Pfp, 1458));
    /// # }
    /// ```
    pub fn firmware_needs(&self, gfx: Gfx, queue: Queue) -> impl Iterator<Item = &'static FirmwareNeed> + use<'a> {
        let body = self.body;
        layout(self, gfx, queue).into_iter().flat_map(move |(_, form, view)| form.firmware_needs(view, body))
    }
}

/// Returns the layout of a packet for a queue: the form that fits its size, among those that are in buffers, and the engines that read it. Where the queue's
/// engines do not know the packet, as another engine reads it.
pub(in crate::packet) fn layout(packet: &Packet<'_>, gfx: Gfx, queue: Queue) -> Option<(&'static Format, &'static Form, Scope)> {
    let opcode = packet.opcode()?;
    [Scope::queue(gfx, queue), Scope::gfx(gfx)].into_iter().find_map(|view| {
        let (format, form) = layout_for(opcode, packet.dwords(), gfx, view)?;
        Some((format, form, form.scope.and(view)))
    })
}
