//! What all objects have in common that are resolved once and bound many times.

use crate::chip::Chip;
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

            /// The chip that it was made for.
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
    /// Targets that the caller of a secondary command buffer has written.
    pub inherited: bool,
    pub desc: D,
    pub resolved: R,
}

impl<D, R> Object<D, R> {
    pub fn new(chip: Chip, desc: D, resolved: R) -> Self {
        Self { chip, number: number(), desc, inherited: false, resolved }
    }

    /// What two objects that are the same have in common.
    pub fn key(&self) -> (Chip, bool, &D) {
        (self.chip, self.inherited, &self.desc)
    }
}
