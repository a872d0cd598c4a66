//! Addresses of typed registers.

/// The address of a register on one generation.
///
/// ```
/// use pm4::{chip::Gfx, regs::{Register, RegisterPlace}};
/// # #[cfg(feature = "gfx11")] {
/// use pm4::regs::gfx11::CbBlendControl;
/// // One for each of eight colour targets.
/// let place: RegisterPlace = CbBlendControl::place(Gfx::Gfx11).unwrap();
/// assert_eq!((place.addr, place.count, place.element(7), place.element(8)), (0x28780, 8, Some(0x2879C), None));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterPlace {
    /// Byte address of element 0.
    pub addr: u32,
    /// Number of elements.
    pub count: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// For each element, its position among the addresses of all typed registers of the generation.
    pub(super) slots: &'static [u16],
}

impl RegisterPlace {
    /// Returns the slot of an element; None beyond the last element.
    #[inline]
    pub(crate) fn slot(self, index: u32) -> Option<usize> {
        self.slots.get(index as usize).map(|slot| usize::from(*slot))
    }

    /// Returns the slot of element 0.
    #[inline]
    pub(crate) const fn first_slot(self) -> usize {
        self.slots[0] as usize
    }

    /// Returns the byte address of an element; None beyond the last element.
    pub fn element(self, index: u32) -> Option<u32> {
        (index < self.count).then(|| self.addr + index * self.stride)
    }
}

/// Name and addresses of a typed register: an entry of the table that build.rs generates.
#[derive(Clone, Copy)]
pub(super) struct RegisterEntry {
    pub(super) name: &'static str,
    pub(super) places: [Option<RegisterPlace>; 6],
}
