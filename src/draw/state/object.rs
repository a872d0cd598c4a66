//! Common parts of objects that are resolved once and bound many times.

use crate::chip::Chip;
use crate::gpu::{Board, Gpu};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Numbers objects.
static OBJECTS: AtomicUsize = AtomicUsize::new(1);

pub(crate) fn number() -> usize {
    OBJECTS.fetch_add(1, Ordering::Relaxed)
}

macro_rules! object {
    ($(#[$doc:meta])* $name:ident, $desc:ty, $resolved:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(pub(crate) alloc::sync::Arc<$crate::draw::state::object::Object<$desc, $resolved>>);

        impl $name {
            /// Returns the description of the object.
            pub fn desc(&self) -> &$desc {
                &self.0.desc
            }

            /// Returns the chip of the object.
            pub fn chip(&self) -> $crate::chip::Chip {
                self.0.chip
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.number == other.0.number || self.0.key() == other.0.key()
            }
        }

        impl Eq for $name {}

        impl core::hash::Hash for $name {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.0.key().hash(state);
            }
        }
    };
}

pub(crate) use object;

/// An object: its description, and data derived only from it. Fields read when binding come first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Object<D, R> {
    /// Unique and nonzero.
    pub number: usize,
    pub chip: Chip,
    /// Chip and board ([`Gpu::key`]).
    pub machine: u32,
    pub board: Option<Board>,
    /// Whether these are targets that the caller of a secondary command buffer has written.
    pub inherited: bool,
    pub desc: D,
    pub resolved: R,
}

impl<D, R> Object<D, R> {
    /// Creates an object for a board, if it depends on a board and the board is known.
    pub fn new(chip: Chip, board: Option<Board>, desc: D, resolved: R) -> Self {
        Self { chip, machine: Gpu::key(chip, board), board, number: number(), desc, inherited: false, resolved }
    }

    /// Returns the key, which is equal for equal objects.
    pub fn key(&self) -> (u32, bool, &D) {
        (self.machine, self.inherited, &self.desc)
    }
}
