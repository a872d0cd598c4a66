//! Waits for counters: the immediate of s_waitcnt.

use crate::chip::Gfx;
use crate::regs::BitField;
use core::fmt;

/// A wait until at most the given number of accesses of each kind is outstanding; None does not wait for that kind.
///
/// A count that the field cannot hold does not wait. The largest counts are 62 for vm, 6 for exp, and for lgkm 14 on GFX9 and 62 from GFX10 on.
///
/// vm counts loads and, on GFX9, stores (from GFX10 on, stores have their own counter, see [`Op::SWaitcntVscnt`](super::Op::SWaitcntVscnt)).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::Waitcnt;
/// let loads = Waitcnt { vm: Some(0), ..Waitcnt::default() };
/// assert_eq!(loads.imm(Gfx::Gfx9), 0x0F70);
/// assert_eq!(loads.imm(Gfx::Gfx11), 0x03F7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Waitcnt {
    /// Vector memory.
    pub vm: Option<u8>,
    /// Exports.
    pub exp: Option<u8>,
    /// LDS, GDS, scalar memory, messages.
    pub lgkm: Option<u8>,
}

/// Parts of the fields, low part first.
struct Layout {
    vm: [BitField; 2],
    exp: BitField,
    lgkm: BitField,
}

const fn bits(lo: u8, width: u8) -> BitField {
    BitField::new("", lo, width)
}

/// A nonexistent part: reads as 0 and stores nothing.
const NO_PART: BitField = bits(31, 1);

const GFX9: Layout = Layout { vm: [bits(0, 4), bits(14, 2)], exp: bits(4, 3), lgkm: bits(8, 4) };
const GFX10: Layout = Layout { vm: [bits(0, 4), bits(14, 2)], exp: bits(4, 3), lgkm: bits(8, 6) };
const GFX11: Layout = Layout { vm: [bits(10, 6), NO_PART], exp: bits(0, 3), lgkm: bits(4, 6) };

impl Layout {
    const fn of(gfx: Gfx) -> Self {
        match gfx.major() {
            9 => GFX9,
            10 => GFX10,
            _ => GFX11,
        }
    }
}

/// Returns the count of a field's value; None for the largest value, which does not wait.
fn counter(value: u32, max: u32) -> Option<u8> {
    (value < max).then_some(value as u8)
}

impl Waitcnt {
    /// Waits for everything.
    pub const ALL: Self = Self { vm: Some(0), exp: Some(0), lgkm: Some(0) };

    /// Returns the encoded immediate. Counts that the field cannot hold do not wait.
    pub fn imm(self, gfx: Gfx) -> u16 {
        let layout = Layout::of(gfx);
        let raw = |count: Option<u8>, max: u32| count.map_or(max, |c| u32::from(c).min(max));
        let low = u32::from(layout.vm[0].width());
        let vm = raw(self.vm, 0x3F);
        let word = layout.vm[0].put(0, vm);
        let word = layout.vm[1].put(word, vm >> low);
        let word = layout.exp.put(word, raw(self.exp, layout.exp.max()));
        layout.lgkm.put(word, raw(self.lgkm, layout.lgkm.max())) as u16
    }

    /// Returns whether the fields hold the counts; the largest value of a field does not wait.
    pub(super) fn fits(self, gfx: Gfx) -> bool {
        let layout = Layout::of(gfx);
        let fits = |count: Option<u8>, max: u32| count.is_none_or(|count| u32::from(count) <= max);
        fits(self.vm, 0x3F) && fits(self.exp, layout.exp.max()) && fits(self.lgkm, layout.lgkm.max())
    }

    /// Decodes an immediate, ignoring bits without a meaning.
    pub fn from_imm(gfx: Gfx, imm: u16) -> Self {
        let layout = Layout::of(gfx);
        let word = u32::from(imm);
        let vm = layout.vm[0].get(word) | layout.vm[1].get(word) << layout.vm[0].width();
        Self { vm: counter(vm, 0x3F), exp: counter(layout.exp.get(word), layout.exp.max()), lgkm: counter(layout.lgkm.get(word), layout.lgkm.max()) }
    }
}

impl fmt::Display for Waitcnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for (name, count) in [("vmcnt", self.vm), ("expcnt", self.exp), ("lgkmcnt", self.lgkm)] {
            if let Some(count) = count {
                write!(f, "{before}{name}({count})")?;
                before = " ";
            }
        }
        Ok(())
    }
}
