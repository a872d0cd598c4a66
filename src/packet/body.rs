//! Typed packet bodies: structs over the words of a stream.
//!
//! One struct for each distinct layout; the modules `gfx9` to `gfx12` name them plainly for one generation. A word of several fields is a
//! [`Word`] that converts to and from its bit-field struct; reserved bits survive both ways. The description files decide which packets have a struct
//! (`typed = true`).
//!
//! ```
//! use pm4::packet::body::DrawIndexAuto;
//! use pm4::packet::{Body, Opcode};
//! let draw = DrawIndexAuto { index_count: 3, draw_initiator: 2 };
//! assert_eq!(DrawIndexAuto::OPCODE, Opcode::DRAW_INDEX_AUTO);
//! assert_eq!(draw.index_count, 3);
//! ```

use super::format::Scope;
use super::opcode::Opcode;
pub use super::tables::bodies::*;
use core::fmt;
use core::marker::PhantomData;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The fixed words of a packet, without the header.
pub trait Body: FromBytes + IntoBytes + Immutable + KnownLayout + Copy {
    /// Name of the packet.
    const NAME: &'static str;
    /// Opcode of the packet.
    const OPCODE: Opcode;
    /// Engines and generations with this layout.
    const SCOPE: Scope;
    /// Whether words follow (the values of SET_* packets).
    const OPEN: bool;
}

/// A dword with named bits; `T` is the bit-field struct.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Word<T> {
    raw: u32,
    kind: PhantomData<T>,
}

impl<T: From<u32>> Word<T> {
    /// The dword as its bit-field struct.
    #[must_use]
    pub fn get(self) -> T {
        T::from(self.raw)
    }
}

impl<T> Word<T> {
    /// A word from its bits.
    #[must_use]
    pub const fn from_raw(raw: u32) -> Self {
        Self { raw, kind: PhantomData }
    }

    /// The bits.
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.raw
    }
}

impl<T: Into<u32>> From<T> for Word<T> {
    fn from(bits: T) -> Self {
        Self::from_raw(bits.into())
    }
}

// By hand, because T need not have these.
impl<T> Clone for Word<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Word<T> {}
impl<T> PartialEq for Word<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<T> Eq for Word<T> {}
impl<T> Default for Word<T> {
    fn default() -> Self {
        Self::from_raw(0)
    }
}
impl<T> fmt::Debug for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.raw)
    }
}

/// The head of a body as `T`, and what follows. None if the body is too short, or too long for a body without a tail.
pub(super) fn split<T: Body>(body: &[u32]) -> Option<(&T, &[u32])> {
    let (head, rest) = T::ref_from_prefix(body.as_bytes()).ok()?;
    let rest = <[u32]>::ref_from_bytes(rest).ok()?;
    (T::OPEN || rest.is_empty()).then_some((head, rest))
}

/// The words of a body.
pub(super) fn words<T: Body>(body: &T) -> &[u32] {
    <[u32]>::ref_from_bytes(body.as_bytes()).unwrap_or_default()
}
