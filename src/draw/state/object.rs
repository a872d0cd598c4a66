//! What all objects have in common that are resolved once and bound many times.

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
            /// What it was made from.
            pub fn desc(&self) -> &$desc {
                &self.0.desc
            }

            /// Returns the chip that it was made for.
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

/// An object: its description, and what follows from it alone. What binding reads comes first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Object<D, R> {
    /// Unique, and not 0.
    pub number: usize,
    pub chip: Chip,
    /// Chip and board ([`Gpu::key`]).
    pub machine: u32,
    pub board: Option<Board>,
    /// Targets that the caller of a secondary command buffer has written.
    pub inherited: bool,
    pub desc: D,
    pub resolved: R,
}

impl<D, R> Object<D, R> {
    /// Creates an object for a board, where it depends on one and that is known.
    pub fn new(chip: Chip, board: Option<Board>, desc: D, resolved: R) -> Self {
        Self { chip, machine: Gpu::key(chip, board), board, number: number(), desc, inherited: false, resolved }
    }

    /// What two objects that are the same have in common.
    pub fn key(&self) -> (u32, bool, &D) {
        (self.machine, self.inherited, &self.desc)
    }
}
