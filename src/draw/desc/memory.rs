//! Memory of a queue: rings through which stages and queues pass their work.

use crate::chip::Chip;
use crate::draw::desc::error::DrawError;
use crate::draw::sync::is_address;

/// Rings through which task shaders pass work to mesh shaders: a control buffer, a ring of entries of 16 bytes, a ring of payloads of 16 KiB, one after the
/// other.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::TaskRings;
/// let rings = TaskRings::at(Chip::Navi31, 0x10_0000)?;
/// assert_eq!((rings.entries(), rings.entries_address(), rings.payloads_address()), (1024, 0x10_0100, 0x10_4100));
/// assert_eq!(rings.control_words(), [1024, 0, 1024, 0, 1024, 0, 1024, 0x10_0100, 0]);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskRings {
    control: u64,
    entries: u32,
}

impl TaskRings {
    /// The rings of a chip with their control buffer at an address.
    ///
    /// # Errors
    /// [`DrawError::OptionAbsent`] before GFX10.3, [`DrawError::Limit`] for 0, for an address that is not a multiple of 256 below 2^48 (its canonical form with
    /// the upper bits set is accepted as well), and for one from which the rings would cross 2^47 or 2^48.
    pub fn at(chip: Chip, control: u64) -> Result<Self, DrawError> {
        if chip.gfx().version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a task shader", chip, limit: "GFX10.3 and later have it" });
        }
        let refuse = |limit| Err(DrawError::Limit { what: "the address of the control buffer", value: control, limit });
        if !is_address(control, ALIGN) {
            return refuse("a multiple of 256 below 2^48, and not 0");
        }
        // Navi24, Vangogh and Rembrandt have small ones (Mesa 25.0.7).
        let small = ["gfx1033", "gfx1034", "gfx1035"].contains(&chip.info().llvm);
        let rings = Self { control, entries: if small { 256 } else { 1024 } };
        // The last byte, too, has the upper bits of the first.
        match control.checked_add(BEFORE_PAYLOADS_AT_MOST + PAYLOAD * u64::from(rings.entries)) {
            Some(end) if is_address(end, 1) && end >> 47 == control >> 47 => Ok(rings),
            _ => refuse("an address after which the rings fit below 2^48"),
        }
    }

    /// Address of the control buffer.
    pub fn control_address(&self) -> u64 {
        self.control
    }

    /// Entries of both rings, a power of two.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Address of the ring of entries: x, y and z of the mesh grid and a word of which bit 0 says ready. What is ready is 1 on odd passes and 0 on even ones.
    pub fn entries_address(&self) -> u64 {
        (self.control + 4 * self.control_words().len() as u64).next_multiple_of(ALIGN)
    }

    /// Address of the ring of payloads.
    pub fn payloads_address(&self) -> u64 {
        (self.entries_address() + ENTRY * u64::from(self.entries)).next_multiple_of(ALIGN)
    }

    /// Bytes of control buffer and rings together.
    pub fn memory_bytes(&self) -> u64 {
        self.payloads_address() + PAYLOAD * u64::from(self.entries) - self.control
    }

    /// What the control buffer holds at first: three pointers of 64 bits (write, read, free) that start at the number of entries, so that the first pass is odd,
    /// that number, and the address of the ring of entries.
    pub fn control_words(&self) -> [u32; 9] {
        let draws = self.control.wrapping_add(36).next_multiple_of(ALIGN);
        [self.entries, 0, self.entries, 0, self.entries, 0, self.entries, draws as u32, (draws >> 32) as u32]
    }
}

/// Bytes of an entry, of a payload, and what all parts are aligned to.
const ENTRY: u64 = 16;
const PAYLOAD: u64 = 16 * 1024;
const ALIGN: u64 = 256;

/// Bytes of control buffer and ring of entries, at most.
const BEFORE_PAYLOADS_AT_MOST: u64 = ALIGN + 1024 * ENTRY;
