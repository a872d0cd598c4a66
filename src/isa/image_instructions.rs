//! Loads and stores through an image descriptor: texels by their coordinates, converted by the format of the descriptor.
//!
//! Layouts: LLVM MIMGInstructions.td; tested against its assembler's output (`tests/isa/`).

use super::Op;
use super::error::EncodeError;
use super::memory_instructions::{CachePolicy, VgprText, bit, code, group, has, limit};
use super::operand::Reg;
use super::tables::Encoding;
use super::words::Words;
use crate::chip::Gfx;
use core::fmt;

/// The number and meaning of coordinates. GFX9 encodes only one bit: whether the last coordinate is a layer.
///
/// For an example see [`Image`](crate::isa::Image).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// x.
    One,
    /// x and y.
    Two,
    /// x, y and z.
    Three,
    /// x and the layer.
    OneArray,
    /// x, y and the layer.
    TwoArray,
    /// x, y and the sample.
    TwoMsaa,
    /// x, y, the layer and the sample.
    TwoMsaaArray,
}

/// Codes and names (LLVM: SQ_RSRC_IMG_…).
const DIMS: [(ImageDim, u32, &str, u8); 7] = [
    (ImageDim::One, 0, "1D", 1),
    (ImageDim::Two, 1, "2D", 2),
    (ImageDim::Three, 2, "3D", 3),
    (ImageDim::OneArray, 4, "1D_ARRAY", 2),
    (ImageDim::TwoArray, 5, "2D_ARRAY", 3),
    (ImageDim::TwoMsaa, 6, "2D_MSAA", 3),
    (ImageDim::TwoMsaaArray, 7, "2D_MSAA_ARRAY", 4),
];

impl ImageDim {
    fn row(self) -> (u32, &'static str, u8) {
        DIMS.iter().find(|row| row.0 == self).map_or((0, "1D", 1), |row| (row.1, row.2, row.3))
    }

    fn from_code(code: u32) -> Option<Self> {
        DIMS.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("SQ_RSRC_IMG_").unwrap_or(name);
        DIMS.iter().find(|row| row.2 == name).map(|row| row.0)
    }

    /// Returns the number of coordinates, which is the number of address registers.
    pub fn coordinates(self) -> u8 {
        self.row().2
    }

    /// Returns whether the last coordinate, not counting the sample, is a layer.
    pub const fn is_array(self) -> bool {
        matches!(self, Self::OneArray | Self::TwoArray | Self::TwoMsaaArray)
    }

    /// Returns the dimension that instructions of a generation can encode: on GFX9, only whether the last coordinate is a layer.
    #[must_use]
    pub const fn on(self, gfx: Gfx) -> Self {
        match (gfx.major(), self.is_array()) {
            (9, true) => Self::TwoArray,
            (9, false) => Self::Two,
            _ => self,
        }
    }
}

/// A load or store through an image descriptor. The address registers are consecutive.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{CachePolicy, Image, ImageDim, Instruction, Op, Reg};
/// let store = Instruction::Image(Image {
///     op: Op::ImageStore,
///     data: 0,
///     address: 4,
///     resource: Reg::Sgpr(0),
///     channels: 0xF,
///     dim: ImageDim::TwoArray,
///     unnormalized: true,
///     cache: CachePolicy::default(),
/// });
/// assert_eq!(store.text(Gfx::Gfx103).to_string(), "image_store v[0:3], v[4:6], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
/// assert_eq!(store.encode(Gfx::Gfx103)?.as_slice(), [0xF020_1F28, 4]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Image {
    /// The instruction.
    pub op: Op,
    /// First VGPR of the data, one per transferred channel.
    pub data: u8,
    /// First VGPR of the coordinates, integers in texels.
    pub address: u8,
    /// First register of the descriptor, eight registers.
    pub resource: Reg,
    /// Mask of the transferred channels, red in bit 0: 1 to 15.
    pub channels: u8,
    /// Meaning of the coordinates.
    pub dim: ImageDim,
    /// Whether coordinates are in texels; drivers set it in loads and stores. GFX12 has no such bit: it must be false there.
    pub unnormalized: bool,
    /// Cache flags.
    pub cache: CachePolicy,
}

impl Image {
    const fn prefix(gfx: Gfx) -> u32 {
        if gfx.major() == 12 { 0b11_0100 } else { 0b11_1100 }
    }

    pub(super) fn is(gfx: Gfx, word: u32) -> bool {
        word >> 26 == Self::prefix(gfx)
    }

    /// Returns the number of dwords of the instruction.
    pub(super) const fn dwords(gfx: Gfx) -> usize {
        if gfx.major() == 12 { 3 } else { 2 }
    }

    /// Returns the number of address registers in text: on GFX9, whose instructions do not encode their number, only the first (LLVM's disassembler).
    pub(super) fn shown_addresses(&self, gfx: Gfx) -> u8 {
        if gfx.major() == 9 { 1 } else { self.dim.coordinates() }
    }

    fn registers(&self, gfx: Gfx) -> [(&'static str, u8, u8); 2] {
        let data = self.channels.count_ones().max(1) as u8;
        [("the first register of data", self.data, data), ("the first register of an address", self.address, self.shown_addresses(gfx))]
    }

    pub(super) fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        let op = code(self.op, gfx, Encoding::Mimg)?;
        self.cache.check(gfx, 3, true)?;
        let resource = group(self.resource, gfx, 8)?;
        limit("a mask of channels", self.channels.into(), 1..=15)?;
        for (what, first, count) in self.registers(gfx) {
            limit(what, first.into(), 0..=256 - i64::from(count))?;
        }
        if self.dim.on(gfx) != self.dim {
            return Err(EncodeError::Flag { flag: "this dimension in an instruction", gfx });
        }
        let CachePolicy { glc, dlc, slc, scope, hint } = self.cache;
        let (dim, channels, unnormalized) = (self.dim.row().0, u32::from(self.channels), self.unnormalized);
        let head = Self::prefix(gfx) << 26;
        let tail = u32::from(self.address) | u32::from(self.data) << 8 | resource >> 2 << 16;
        let old = head | channels << 8 | bit(unnormalized, 12) | bit(glc, 13) | op << 18 | bit(slc, 25);
        Ok(match gfx.major() {
            9 => Words::two(old | bit(self.dim.is_array(), 14), tail),
            10 => Words::two(old | dim << 3 | bit(dlc, 7), tail),
            11 => Words::two(head | dim << 2 | bit(unnormalized, 7) | channels << 8 | bit(slc, 12) | bit(dlc, 13) | bit(glc, 14) | op << 18, tail),
            _ if unnormalized => return Err(EncodeError::Flag { flag: "unorm", gfx }),
            _ => {
                let data = u32::from(self.data) | resource << 9 | u32::from(scope) << 18 | u32::from(hint) << 20;
                let count = u32::from(self.dim.coordinates());
                let addresses = (0..count).fold(0, |word, n| word | (u32::from(self.address) + n) << (8 * n));
                Words::three(head | dim | op << 14 | channels << 22, data, addresses)
            }
        })
    }

    pub(super) fn decode(gfx: Gfx, words: [u32; 3]) -> Option<Self> {
        let [head, tail, third] = words;
        let of = |bits: u32| Op::from_code(gfx, Encoding::Mimg, bits);
        let resource = |number: u32| Reg::from_code(gfx, u8::try_from(number).ok()?);
        let old = |op, dim, unnormalized, channels, cache| {
            Some(Self { op, data: (tail >> 8) as u8, address: tail as u8, resource: resource((tail >> 16 & 0x1F) * 4)?, channels, dim, unnormalized, cache })
        };
        let channels = (head >> 8 & 0xF) as u8;
        match gfx.major() {
            9 => {
                let dim = if has(head, 14) { ImageDim::TwoArray } else { ImageDim::Two };
                old(of(head >> 18 & 0x7F)?, dim, has(head, 12), channels, CachePolicy { glc: has(head, 13), slc: has(head, 25), ..CachePolicy::default() })
            }
            10 => {
                let cache = CachePolicy { glc: has(head, 13), dlc: has(head, 7), slc: has(head, 25), ..CachePolicy::default() };
                old(of(head >> 18 & 0x7F)?, ImageDim::from_code(head >> 3 & 7)?, has(head, 12), channels, cache)
            }
            11 => {
                let cache = CachePolicy { glc: has(head, 14), dlc: has(head, 13), slc: has(head, 12), ..CachePolicy::default() };
                old(of(head >> 18 & 0xFF)?, ImageDim::from_code(head >> 2 & 7)?, has(head, 7), channels, cache)
            }
            _ => Some(Self {
                op: of(head >> 14 & 0xFF)?,
                data: tail as u8,
                address: third as u8,
                resource: resource(tail >> 9 & 0x1FF)?,
                channels: (head >> 22 & 0xF) as u8,
                dim: ImageDim::from_code(head & 7)?,
                unnormalized: false,
                cache: CachePolicy { scope: (tail >> 18 & 3) as u8, hint: (tail >> 20 & 7) as u8, ..CachePolicy::default() },
            }),
        }
    }

    pub(super) fn write(&self, gfx: Gfx, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, ", self.op.name(gfx), VgprText(self.data, self.channels.count_ones() as u8))?;
        let count = self.shown_addresses(gfx);
        if gfx.major() >= 12 && count > 1 {
            f.write_str("[")?;
            for n in 0..count {
                write!(f, "{}v{}", if n == 0 { "" } else { ", " }, u16::from(self.address) + u16::from(n))?;
            }
            f.write_str("]")?;
        } else {
            write!(f, "{}", VgprText(self.address, count))?;
        }
        write!(f, ", {} dmask:{:#x}", self.resource.group(8), self.channels)?;
        if gfx.major() > 9 {
            write!(f, " dim:SQ_RSRC_IMG_{}", self.dim.row().1)?;
        }
        f.write_str(if self.unnormalized { " unorm" } else { "" })?;
        write!(f, "{}", self.cache.text(self.op))?;
        f.write_str(if gfx.major() == 9 && self.dim.is_array() { " da" } else { "" })
    }
}
