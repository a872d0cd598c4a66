//! The building blocks of packet structs: the traits that they implement, named values, words with named bits.

use crate::packet::wire::event::Event;
use crate::packet::wire::header::ShaderType;
use crate::packet::wire::scope::Scope;
use core::fmt;
use core::marker::PhantomData;

/// A number with names from the enum `K`; [`values`](crate::packet::values) lists them. Every number is accepted, so values that the tables lack can still be
/// written where the hardware is known to accept them.
///
/// ```
/// use pm4::packet::values::ReleaseMemDataSel;
/// assert_eq!(ReleaseMemDataSel::SEND_64_BIT_DATA.get(), 2);
/// ```
#[derive(PartialEq, Eq)]
pub struct Value<K> {
    pub(in crate::packet) number: u32,
    pub(in crate::packet) kind: PhantomData<K>,
}

impl<K> Value<K> {
    /// Creates the value with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self { number, kind: PhantomData }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.number
    }
}

// Implemented by hand, because K implements none of these traits.
impl<K> Clone for Value<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Value<K> {}
impl<K> Default for Value<K> {
    fn default() -> Self {
        Self::new(0)
    }
}
impl<K> fmt::Debug for Value<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.number)
    }
}

/// Defines a field with the layout of a register, as a word with named bits.
macro_rules! layout {
    ($doc:literal, [$($see:tt)*] $name:ident, { $($text:literal [$($seen:tt)*] $get:ident $with:ident $lo:literal $width:literal $kind:ident $($ty:ty)?;)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Default)]
        $($see)* struct $name {
            word: u32,
            /// Whether a value did not fit its bits; writing the packet then fails.
            too_wide: bool,
        }

        impl $name {
            /// Creates a word with all bits 0.
            #[must_use]
            #[inline]
            pub const fn new() -> Self {
                Self { word: 0, too_wide: false }
            }

            /// Returns the word.
            #[must_use]
            #[allow(dead_code)] // not called for every layout
            pub const fn word(self) -> u32 {
                self.word
            }

            /// Returns whether all values fit their bits.
            #[allow(dead_code)] // asked of one layout
            pub(in crate::packet) const fn fits(self) -> bool {
                !self.too_wide
            }

            #[allow(dead_code)] // generations differ in which packets have the type
            pub(in crate::packet) const fn parts(self) -> u64 {
                self.word as u64 | (self.too_wide as u64) << 32
            }

            const fn with(self, lo: u32, width: u32, value: u32) -> Self {
                let mask = u32::MAX >> (32 - width);
                Self { word: self.word & !(mask << lo) | (value & mask) << lo, too_wide: self.too_wide || value & !mask != 0 }
            }

            $(layout!(@member $text [$($seen)*] $get $with $lo $width $kind $($ty)?);)*
        }

        impl From<u32> for $name {
            #[inline]
            fn from(word: u32) -> Self {
                Self { word, too_wide: false }
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(layout: $name) -> Self {
                layout.word
            }
        }

        impl core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}({:#x})", stringify!($name), self.word)
            }
        }
    };
    (@member $text:literal [$($seen:tt)*] $get:ident $with:ident $lo:literal $width:literal flag) => {
        #[doc = $text]
        #[inline]
        #[must_use]
        $($seen)* const fn $get(self) -> bool {
            self.word >> $lo & 1 == 1
        }
        #[doc = $text]
        #[inline]
        #[must_use]
        $($seen)* const fn $with(self, on: bool) -> Self {
            self.with($lo, 1, on as u32)
        }
    };
    (@member $text:literal [$($seen:tt)*] $get:ident $with:ident $lo:literal $width:literal number) => {
        #[doc = $text]
        #[inline]
        #[must_use]
        $($seen)* const fn $get(self) -> u32 {
            self.word >> $lo & (u32::MAX >> (32 - $width))
        }
        #[doc = $text]
        ///
        /// Writing the packet fails if the number does not fit.
        #[inline]
        #[must_use]
        $($seen)* const fn $with(self, number: u32) -> Self {
            self.with($lo, $width, number)
        }
    };
    (@member $text:literal [$($seen:tt)*] $get:ident $with:ident $lo:literal $width:literal value $ty:ty) => {
        #[doc = $text]
        #[inline]
        #[must_use]
        $($seen)* const fn $get(self) -> $ty {
            <$ty>::new(self.word >> $lo & (u32::MAX >> (32 - $width)))
        }
        #[doc = $text]
        ///
        /// Writing the packet fails if the number does not fit.
        #[inline]
        #[must_use]
        $($seen)* const fn $with(self, value: $ty) -> Self {
            self.with($lo, $width, value.get())
        }
    };
}
pub(in crate::packet) use layout;

/// A packet with all its fields. Only the structs of [`structs`](crate::packet::structs) implement it.
///
/// For an example, see [`Writer::emit`](crate::packet::Writer::emit).
pub trait PacketFields: Members + Sized {
    // One constant per packet; the others follow from it.
    #[doc(hidden)]
    const LAYOUT: &'static StructLayout;
    /// Size in dwords including the header, without the repeated group if the packet has one.
    const DWORDS: usize = Self::LAYOUT.dwords;
    /// Generations and engines on which the packet has exactly these fields.
    const SCOPE: Scope = Self::LAYOUT.scope;
    #[doc(hidden)]
    fn take(from: &mut Values) -> Self;

    /// Appends what continues after the fields: values, pairs, ranges, data.
    fn followed_by(self, tail: &[u32]) -> WholePacket<'_, Self>
    where
        Self: OpenPacket,
    {
        WholePacket { fields: self, tail, bank: None }
    }

    /// Selects the bank of shader registers or base addresses in the header of SET_BASE, LOAD_SH_REG, SET_SH_REG_OFFSET and others.
    fn for_shaders(self, bank: ShaderType) -> WholePacket<'static, Self> {
        WholePacket { fields: self, tail: &[], bank: Some(bank) }
    }
}

/// A complete packet: its fields, the dwords after them, and its bank of shader registers.
///
/// ```
/// use pm4::{chip::Gfx, packet::{PacketFields, Queue, ShaderType, Stream, WholePacket}};
/// # #[cfg(feature = "gfx11")] {
/// use pm4::packet::gfx11::SetShReg;
/// // Two registers, starting at COMPUTE_USER_DATA_0, with shader type compute in the header.
/// let packet: WholePacket<'_, SetShReg> = SetShReg { reg_offset: 0x240, ..Default::default() }.followed_by(&[7, 8]).for_shaders(ShaderType::Compute);
/// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
/// stream.emit(&packet)?;
/// assert_eq!(stream.words(), [0xC002_7602, 0x240, 7, 8]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WholePacket<'a, T> {
    fields: T,
    tail: &'a [u32],
    bank: Option<ShaderType>,
}

impl<T: PacketFields> WholePacket<'_, T> {
    /// Sets the shader type in the header, which selects the bank of shader registers or base addresses.
    #[must_use]
    pub fn for_shaders(self, bank: ShaderType) -> Self {
        Self { bank: Some(bank), ..self }
    }

    /// Sets the dwords after the fixed fields. Writing the packet fails if it has no such dwords.
    #[must_use]
    pub fn followed_by(self, tail: &[u32]) -> WholePacket<'_, T> {
        WholePacket { fields: self.fields, tail, bank: self.bank }
    }
}

/// Input of [`Writer::emit`](crate::packet::Writer::emit): a packet without a tail, or a [`WholePacket`].
///
/// ```
/// use pm4::{chip::Gfx, packet::{ClosedPacket, Emit, OpenPacket, Queue, Stream, WriteError}};
///
/// /// Writes any packet twice.
/// fn twice(stream: &mut Stream, packet: &impl Emit) -> Result<(), WriteError> {
///     stream.emit(packet)?;
///     stream.emit(packet)
/// }
/// /// A packet that is complete, and one that continues with a number.
/// fn both<A: ClosedPacket, B: OpenPacket>(stream: &mut Stream, complete: A, open: B, number: u32) -> Result<(), WriteError> {
///     twice(stream, &complete)?;
///     twice(stream, &open.followed_by(&[number]))
/// }
/// # #[cfg(feature = "gfx11")] {
/// use pm4::packet::gfx11::{NumInstances, SetContextReg};
/// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
/// both(&mut stream, NumInstances { num_instances: 5 }, SetContextReg { reg_offset: 0x203, ..Default::default() }, 1)?;
/// assert_eq!(stream.words(), [0xC000_2F00, 5, 0xC000_2F00, 5, 0xC001_6900, 0x203, 1, 0xC001_6900, 0x203, 1]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as it is: it is no packet, or one that continues after its fields",
    note = "add the dwords after the fields of a packet: `packet.followed_by(&[…])`, with `PacketFields` in scope"
)]
pub trait Emit {
    #[doc(hidden)]
    type Fields: PacketFields;
    #[doc(hidden)]
    fn parts(&self) -> (&Self::Fields, &[u32], Option<ShaderType>);
}

impl<T: ClosedPacket> Emit for T {
    type Fields = T;
    fn parts(&self) -> (&T, &[u32], Option<ShaderType>) {
        (self, &[], None)
    }
}

impl<T: PacketFields> Emit for WholePacket<'_, T> {
    type Fields = T;
    fn parts(&self) -> (&T, &[u32], Option<ShaderType>) {
        (&self.fields, self.tail, self.bank)
    }
}

/// A packet that is complete with its fields.
///
/// For an example, see [`Emit`](crate::packet::Emit).
pub trait ClosedPacket: PacketFields {}

/// A packet that continues after its fields: values, pairs, ranges, data.
///
/// For an example, see [`Emit`](crate::packet::Emit).
pub trait OpenPacket: PacketFields {}

/// The members of a struct, to be encoded to words.
#[doc(hidden)]
pub trait Members {
    fn put(&self, to: &mut Values);
}

/// The place of a struct in the tables.
#[doc(hidden)]
#[derive(Debug)]
pub struct StructLayout {
    /// Index of the packet in the table of formats.
    pub format: usize,
    /// Index of the form in the format.
    pub form: usize,
    pub dwords: usize,
    pub scope: Scope,
    pub slots: &'static [Slot],
}

/// The table entries of a struct member.
#[doc(hidden)]
#[derive(Debug)]
pub struct Slot {
    pub name: &'static str,
    pub lo: &'static [u8],
    pub hi: &'static [u8],
    /// Number of bits below the upper half.
    pub shift: u8,
    /// Whether the halves form an address.
    pub address: bool,
}

/// The members of a struct while they are encoded or decoded.
#[doc(hidden)]
#[derive(Debug)]
pub struct Values {
    /// The value of each member; 0 for members without one.
    numbers: [u64; MAX_SLOTS],
    /// One bit for each member that has a value.
    given: u64,
    next: usize,
}

/// The most members of a struct; a test checks the tables against it.
const MAX_SLOTS: usize = 40;

macro_rules! member {
    ($put:ident $put_if:ident $take:ident $take_if:ident $ty:ty, $to:expr, $from:expr) => {
        #[inline]
        pub fn $put(&mut self, value: $ty) {
            self.push(Some(u64::from($to(value))));
        }
        #[inline]
        pub fn $put_if(&mut self, value: Option<$ty>) {
            self.push(value.map(|v| u64::from($to(v))));
        }
        #[inline]
        pub fn $take(&mut self) -> $ty {
            $from(self.pop().unwrap_or_default())
        }
        #[inline]
        pub fn $take_if(&mut self) -> Option<$ty> {
            self.pop().map($from)
        }
    };
}

#[doc(hidden)]
impl Values {
    /// Creates values in which no member has a value.
    #[must_use]
    pub const fn nothing() -> Self {
        Self { numbers: [0; MAX_SLOTS], given: 0, next: 0 }
    }

    #[inline]
    pub(in crate::packet) fn push(&mut self, value: Option<u64>) {
        if let Some(place) = self.numbers.get_mut(self.next) {
            *place = value.unwrap_or(0);
            self.given |= u64::from(value.is_some()) << self.next;
        }
        self.next += 1;
    }

    /// Returns the value of a member.
    #[inline]
    pub(in crate::packet) fn get(&self, member: usize) -> Option<u64> {
        self.numbers.get(member).copied().filter(|_| self.given >> member & 1 == 1)
    }

    /// Returns the values of all members, in order.
    pub(in crate::packet) fn all(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        (0..MAX_SLOTS).map(|member| self.get(member))
    }

    /// Returns the numbers of the first members (0 if a member has none), and a bit for each member that has one.
    #[inline]
    pub(in crate::packet) fn first(&self, members: usize) -> (&[u64], u64) {
        (self.numbers.get(..members).unwrap_or(&self.numbers), self.given)
    }

    /// Makes the next value that of the first member.
    pub(in crate::packet) const fn rewind(&mut self) {
        self.next = 0;
    }

    fn pop(&mut self) -> Option<u64> {
        let value = self.get(self.next);
        self.next += 1;
        value
    }

    member!(flag flag_if take_flag take_flag_if bool, |v| v, |v| v != 0);
    member!(number number_if take_number take_number_if u32, |v| v, |v| v as u32);
    member!(long long_if take_long take_long_if u64, |v| v, |v| v);
    member!(event event_if take_event take_event_if Event, |v: Event| v.0, |v| Event(v as u8));

    #[inline]
    pub fn layout(&mut self, parts: u64) {
        self.push(Some(parts));
    }
    #[inline]
    pub fn layout_if(&mut self, parts: Option<u64>) {
        self.push(parts);
    }
    #[inline]
    pub fn value_if<K>(&mut self, value: Option<Value<K>>) {
        self.push(value.map(|v| v.number.into()));
    }
    #[inline]
    pub fn take_value_if<K>(&mut self) -> Option<Value<K>> {
        self.pop().map(|v| Value::new(v as u32))
    }
}

/// Implements for every struct what derives would, compiled only once.
macro_rules! plain_packet {
    ($name:ident) => {
        impl Clone for $name {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                crate::packet::typed::packet_fields::debug(stringify!($name), Self::LAYOUT.slots, self, f)
            }
        }
        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                crate::packet::typed::packet_fields::same(self, other)
            }
        }
        impl Eq for $name {}
        impl Default for $name {
            /// Returns a packet with all numbers 0 and all optional fields None.
            #[inline]
            fn default() -> Self {
                Self::take(&mut Values::nothing())
            }
        }
    };
}
pub(in crate::packet) use plain_packet;

// Not generic, or it would be compiled once per packet.
pub(in crate::packet) fn debug(name: &str, slots: &[Slot], packet: &dyn Members, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut values = Values::nothing();
    packet.put(&mut values);
    let mut out = f.debug_struct(name);
    for (slot, value) in slots.iter().zip(values.all()) {
        match value {
            Some(value) => out.field(slot.name, &value),
            None => out.field(slot.name, &None::<u64>),
        };
    }
    out.finish()
}

pub(in crate::packet) fn same(a: &dyn Members, b: &dyn Members) -> bool {
    let (mut x, mut y) = (Values::nothing(), Values::nothing());
    a.put(&mut x);
    b.put(&mut y);
    (x.numbers, x.given) == (y.numbers, y.given)
}
