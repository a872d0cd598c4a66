//! Control dwords of vector instructions: sub-dword addressing (SDWA) and data from other lanes (DPP).
//!
//! A control dword follows a VOP1, VOP2 or VOPC instruction whose source 0 is [`Sdwa::SOURCE`], [`Dpp::SOURCE`] or [`Dpp8::SOURCE`]. Layouts: Lottes, Advanced
//! Shader Programming on GCN (2017), slides SDWA opcode modifier and DPP details; AMD ISA manuals of Vega, RDNA1 and RDNA3; LLVM VOPInstructions.td.

use crate::chip::Gfx;
use crate::isa::EncodeError;
use crate::regs::BitField;

/// The part of a register that an operand uses.
///
/// For an example see [`Sdwa`](crate::isa::Sdwa).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SdwaSelect {
    /// A byte, 0 to 3.
    Byte(u8),
    /// A 16-bit half, 0 or 1.
    Word(u8),
    /// The whole register.
    #[default]
    Dword,
}

impl SdwaSelect {
    fn code(self) -> Option<u32> {
        match self {
            Self::Byte(n) => (n < 4).then_some(n.into()),
            Self::Word(n) => (n < 2).then_some(4 + u32::from(n)),
            Self::Dword => Some(6),
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        match code {
            0..=3 => Some(Self::Byte(code as u8)),
            4 | 5 => Some(Self::Word(code as u8 - 4)),
            6 => Some(Self::Dword),
            _ => None,
        }
    }
}

/// What happens to the bits of the destination that are not selected.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Sdwa, SdwaResult, SdwaSelect, SdwaUnused};
/// // Writes byte 1 of the destination, and keeps the others: dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE
/// let result = SdwaResult::Vector { select: SdwaSelect::Byte(1), unused: SdwaUnused::Preserve, clamp: false, multiplier: 0 };
/// let word = Sdwa { register: 1, result, ..Sdwa::default() }.encode(Gfx::Gfx9)?;
/// assert_eq!(word >> 8 & 0x1F, 1 | 2 << 3);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SdwaUnused {
    /// They become zero.
    #[default]
    Pad,
    /// They become copies of the result's sign.
    SignExtend,
    /// They keep their value.
    Preserve,
}

/// A source of an SDWA instruction.
///
/// For an example see [`Sdwa`](crate::isa::Sdwa).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SdwaSource {
    /// The part that is read.
    pub select: SdwaSelect,
    /// Sign-extends integers.
    pub sign_extend: bool,
    /// Negates floats.
    pub negate: bool,
    /// Takes the absolute value of floats, before negation.
    pub absolute: bool,
    /// Whether the source is an SGPR instead of a VGPR.
    pub scalar: bool,
}

/// The destination of the result.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Sdwa, SdwaResult};
/// // A comparison whose mask goes to s[10:11], and one whose mask goes to VCC.
/// let scalar = Sdwa { result: SdwaResult::Compare(Some(10)), ..Sdwa::default() };
/// let vcc = Sdwa { result: SdwaResult::Compare(None), ..Sdwa::default() };
/// assert_eq!(scalar.encode(Gfx::Gfx9)? >> 8 & 0xFF, 1 << 7 | 10);
/// assert_eq!(vcc.encode(Gfx::Gfx9)? >> 8 & 0xFF, 0);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SdwaResult {
    /// VOP1 and VOP2: a part of the VGPR.
    Vector {
        /// The part that is written.
        select: SdwaSelect,
        /// What happens to the rest.
        unused: SdwaUnused,
        /// Whether the result is clamped: floats to 0.0 to 1.0, integers to their range instead of overflowing.
        clamp: bool,
        /// Output multiplier, 0 to 3: 1, 2, 4, 1/2.
        multiplier: u8,
    },
    /// VOPC: a comparison mask, into VCC (None) or the SGPRs starting at this number.
    Compare(Option<u8>),
}

/// The control dword of SDWA (GFX9 to GFX10.3; removed in GFX11).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Sdwa, SdwaSource, SdwaSelect};
/// // v_add_u32 v1, sext(v1), v2 src0_sel:BYTE_1 src1_sel:WORD_0
/// let source0 = SdwaSource { select: SdwaSelect::Byte(1), sign_extend: true, ..SdwaSource::default() };
/// let source1 = SdwaSource { select: SdwaSelect::Word(0), ..SdwaSource::default() };
/// let word = Sdwa { register: 1, source0, source1, ..Sdwa::default() };
/// assert_eq!(word.encode(Gfx::Gfx9), Ok(0x0409_0601));
/// assert!(word.encode(Gfx::Gfx11).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sdwa {
    /// The register of source 0: 0 to 255, SGPRs up to 127.
    pub register: u8,
    /// The destination of the result.
    pub result: SdwaResult,
    /// How source 0 is read.
    pub source0: SdwaSource,
    /// How source 1 is read.
    pub source1: SdwaSource,
}

impl Default for Sdwa {
    fn default() -> Self {
        let result = SdwaResult::Vector { select: SdwaSelect::Dword, unused: SdwaUnused::Pad, clamp: false, multiplier: 0 };
        Self { register: 0, result, source0: SdwaSource::default(), source1: SdwaSource::default() }
    }
}

const fn field(lo: u8, width: u8) -> BitField {
    BitField::new("", lo, width)
}

const REGISTER: BitField = field(0, 8);
const RESULT_SELECT: BitField = field(8, 3);
const RESULT_UNUSED: BitField = field(11, 2);
const CLAMP: BitField = field(13, 1);
const MULTIPLIER: BitField = field(14, 2);
const MASK_REGISTER: BitField = field(8, 7);
const MASK_IN_SGPRS: BitField = field(15, 1);

/// Returns the encoded fields of a source: source 0 starts at bit 16, source 1 at bit 24.
fn encode_source(source: SdwaSource, lo: u8, gfx: Gfx) -> Result<u32, EncodeError> {
    let select = source.select.code().ok_or(EncodeError::Flag { flag: "this part of a source", gfx })?;
    let flags = [source.sign_extend, source.negate, source.absolute, false, source.scalar];
    let bits = flags.iter().enumerate().fold(select, |bits, (n, set)| bits | u32::from(*set) << (3 + n));
    Ok(bits << lo)
}

fn decode_source(word: u32, lo: u8) -> Option<SdwaSource> {
    let bits = word >> lo & 0xFF;
    let has = |n: u32| bits >> n & 1 == 1;
    (!has(6)).then_some(())?;
    Some(SdwaSource { select: SdwaSelect::from_code(bits & 7)?, sign_extend: has(3), negate: has(4), absolute: has(5), scalar: has(7) })
}

impl Sdwa {
    /// The code of source 0 that announces this control dword.
    pub const SOURCE: u16 = 249;

    /// Returns whether a generation has this form.
    pub const fn exists(gfx: Gfx) -> bool {
        gfx.major() <= 10
    }

    /// Returns the encoded control dword.
    ///
    /// # Errors
    /// On generations without SDWA, and for parts of a register that do not exist.
    pub fn encode(self, gfx: Gfx) -> Result<u32, EncodeError> {
        if !Self::exists(gfx) {
            return Err(EncodeError::Flag { flag: "sdwa", gfx });
        }
        let word = REGISTER.put(0, self.register.into()) | encode_source(self.source0, 16, gfx)? | encode_source(self.source1, 24, gfx)?;
        Ok(match self.result {
            SdwaResult::Vector { select, unused, clamp, multiplier } => {
                let select = select.code().ok_or(EncodeError::Flag { flag: "this part of a destination", gfx })?;
                if multiplier > 3 {
                    return Err(EncodeError::OutOfRange { what: "the output multiplier", value: multiplier.into(), least: 0, limit: 3 });
                }
                let word = RESULT_UNUSED.put(RESULT_SELECT.put(word, select), unused as u32);
                MULTIPLIER.put(CLAMP.put(word, clamp.into()), multiplier.into())
            }
            SdwaResult::Compare(None) => word,
            SdwaResult::Compare(Some(sgpr)) if sgpr < 128 => MASK_IN_SGPRS.put(MASK_REGISTER.put(word, sgpr.into()), 1),
            SdwaResult::Compare(Some(sgpr)) => {
                return Err(EncodeError::OutOfRange { what: "the register of a comparison", value: sgpr.into(), least: 0, limit: 127 });
            }
        })
    }

    /// Decodes a control dword; `compare` is true for VOPC. None for reserved values and on generations without SDWA.
    pub fn decode(gfx: Gfx, word: u32, compare: bool) -> Option<Self> {
        let result = if compare {
            SdwaResult::Compare((MASK_IN_SGPRS.get(word) == 1).then(|| MASK_REGISTER.get(word) as u8))
        } else {
            let unused = *[SdwaUnused::Pad, SdwaUnused::SignExtend, SdwaUnused::Preserve].get(RESULT_UNUSED.get(word) as usize)?;
            let select = SdwaSelect::from_code(RESULT_SELECT.get(word))?;
            SdwaResult::Vector { select, unused, clamp: CLAMP.get(word) == 1, multiplier: MULTIPLIER.get(word) as u8 }
        };
        let found = Self { register: REGISTER.get(word) as u8, result, source0: decode_source(word, 16)?, source1: decode_source(word, 24)? };
        (found.encode(gfx) == Ok(word)).then_some(found)
    }
}

/// The lane from which each lane reads.
///
/// For an example see [`Dpp`](crate::isa::Dpp).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DppLanes {
    /// Any permutation within each group of four lanes: the lane that lanes 0 to 3 read.
    QuadPerm([u8; 4]),
    /// Rows of 16: reads from the lane this many positions higher, 1 to 15.
    RowShl(u8),
    /// Rows of 16: reads from the lane this many positions lower, 1 to 15.
    RowShr(u8),
    /// Rows of 16: rotated right, 1 to 15.
    RowRor(u8),
    /// The whole wave: reads from the next lane (GFX9).
    WaveShl,
    /// The whole wave, rotated left by one (GFX9).
    WaveRol,
    /// The whole wave: reads from the previous lane (GFX9).
    WaveShr,
    /// The whole wave, rotated right by one (GFX9).
    WaveRor,
    /// Rows of 16 reversed.
    RowMirror,
    /// Half rows of 8 reversed.
    RowHalfMirror,
    /// Broadcasts lane 15 of each row to the next row (GFX9).
    RowBroadcast15,
    /// Broadcasts lane 31 to the rows after it (GFX9).
    RowBroadcast31,
    /// Broadcasts one lane of each row, 0 to 15, to the whole row (from GFX10 on).
    RowShare(u8),
    /// Rows of 16: reads from the lane whose number has these bits flipped, 0 to 15 (from GFX10 on).
    RowXmask(u8),
}

impl DppLanes {
    /// Returns whether a generation has this form.
    pub const fn exists(self, gfx: Gfx) -> bool {
        match self {
            Self::WaveShl | Self::WaveRol | Self::WaveShr | Self::WaveRor | Self::RowBroadcast15 | Self::RowBroadcast31 => gfx.major() == 9,
            Self::RowShare(_) | Self::RowXmask(_) => gfx.major() >= 10,
            _ => true,
        }
    }

    fn code(self) -> Option<u32> {
        let row = |base: u32, n: u8| (1..16).contains(&n).then_some(base + u32::from(n));
        let any = |base: u32, n: u8| (n < 16).then_some(base + u32::from(n));
        match self {
            Self::QuadPerm(lanes) => lanes.iter().enumerate().try_fold(0, |code, (n, lane)| (*lane < 4).then_some(code | u32::from(*lane) << (2 * n))),
            Self::RowShl(n) => row(0x100, n),
            Self::RowShr(n) => row(0x110, n),
            Self::RowRor(n) => row(0x120, n),
            Self::WaveShl => Some(0x130),
            Self::WaveRol => Some(0x134),
            Self::WaveShr => Some(0x138),
            Self::WaveRor => Some(0x13C),
            Self::RowMirror => Some(0x140),
            Self::RowHalfMirror => Some(0x141),
            Self::RowBroadcast15 => Some(0x142),
            Self::RowBroadcast31 => Some(0x143),
            Self::RowShare(n) => any(0x150, n),
            Self::RowXmask(n) => any(0x160, n),
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        let low = (code & 0xF) as u8;
        let found = match code {
            0..=0xFF => Self::QuadPerm([0, 2, 4, 6].map(|shift| (code >> shift & 3) as u8)),
            0x101..=0x10F => Self::RowShl(low),
            0x111..=0x11F => Self::RowShr(low),
            0x121..=0x12F => Self::RowRor(low),
            0x130 => Self::WaveShl,
            0x134 => Self::WaveRol,
            0x138 => Self::WaveShr,
            0x13C => Self::WaveRor,
            0x140 => Self::RowMirror,
            0x141 => Self::RowHalfMirror,
            0x142 => Self::RowBroadcast15,
            0x143 => Self::RowBroadcast31,
            0x150..=0x15F => Self::RowShare(low),
            0x160..=0x16F => Self::RowXmask(low),
            _ => return None,
        };
        Some(found)
    }
}

/// The control dword of DPP: source 0 is read from another lane.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Dpp, DppLanes};
/// // one step of a wave minimum: v_min_u32 v2, v2, v2 row_bcast:15 row_mask:0xa
/// let step = Dpp { register: 2, row_mask: 0xA, ..Dpp::new(DppLanes::RowBroadcast15) };
/// assert_eq!(step.encode(Gfx::Gfx9), Ok(0xAF01_4202));
/// assert!(step.encode(Gfx::Gfx10).is_err()); // broadcasts between rows are gone
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dpp {
    /// VGPR of source 0.
    pub register: u8,
    /// Which lane is read.
    pub lanes: DppLanes,
    /// Whether lanes that EXEC disables can be read (from GFX10 on).
    pub fetch_inactive: bool,
    /// Whether reads from nonexistent lanes return 0; otherwise such a lane is not written.
    pub bound_control: bool,
    /// Modifiers of source 0: negated, absolute.
    pub modifiers0: (bool, bool),
    /// Modifiers of source 1: negated, absolute.
    pub modifiers1: (bool, bool),
    /// Mask of the banks of 4 lanes to write in each row: 4 bits, bit 0 for the first bank.
    pub bank_mask: u8,
    /// Mask of the rows of 16 lanes to write: 4 bits, bit 0 for the first row.
    pub row_mask: u8,
}

impl Dpp {
    /// The code of source 0 that announces this control dword.
    pub const SOURCE: u16 = 250;

    /// Creates a control dword that writes all rows and banks, without modifiers, for VGPR 0.
    pub const fn new(lanes: DppLanes) -> Self {
        let none = (false, false);
        Self { register: 0, lanes, fetch_inactive: false, bound_control: false, modifiers0: none, modifiers1: none, bank_mask: 0xF, row_mask: 0xF }
    }

    /// Returns the encoded control dword.
    ///
    /// # Errors
    /// For anything that the generation lacks, and for lanes and masks out of range.
    pub fn encode(self, gfx: Gfx) -> Result<u32, EncodeError> {
        if !self.lanes.exists(gfx) {
            return Err(EncodeError::Flag { flag: "this pattern of lanes", gfx });
        }
        if self.fetch_inactive && gfx.major() == 9 {
            return Err(EncodeError::Flag { flag: "fi", gfx });
        }
        let lanes = self.lanes.code().ok_or(EncodeError::Flag { flag: "this number of lanes", gfx })?;
        if self.bank_mask > 15 || self.row_mask > 15 {
            return Err(EncodeError::OutOfRange { what: "a mask of banks or rows", value: self.bank_mask.max(self.row_mask).into(), least: 0, limit: 15 });
        }
        let flags = [
            (18, self.fetch_inactive),
            (19, self.bound_control),
            (20, self.modifiers0.0),
            (21, self.modifiers0.1),
            (22, self.modifiers1.0),
            (23, self.modifiers1.1),
        ];
        let flags = flags.iter().fold(0, |word, (at, set)| word | u32::from(*set) << at);
        Ok(u32::from(self.register) | lanes << 8 | flags | u32::from(self.bank_mask) << 24 | u32::from(self.row_mask) << 28)
    }

    /// Decodes a control dword; None for reserved values and for forms that the generation lacks.
    pub fn decode(gfx: Gfx, word: u32) -> Option<Self> {
        let has = |n: u32| word >> n & 1 == 1;
        let found = Self {
            register: word as u8,
            lanes: DppLanes::from_code(word >> 8 & 0x1FF)?,
            fetch_inactive: has(18),
            bound_control: has(19),
            modifiers0: (has(20), has(21)),
            modifiers1: (has(22), has(23)),
            bank_mask: (word >> 24 & 0xF) as u8,
            row_mask: (word >> 28) as u8,
        };
        (found.encode(gfx) == Ok(word)).then_some(found)
    }
}

/// The control dword of DPP8: any selection within each group of eight lanes (from GFX10 on).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::Dpp8;
/// let reversed = Dpp8 { register: 1, lanes: [7, 6, 5, 4, 3, 2, 1, 0] };
/// let word = reversed.encode(Gfx::Gfx10)?;
/// assert_eq!(word, 0x0539_7701);
/// assert_eq!((Dpp8::decode(Gfx::Gfx10, word), Dpp8::decode(Gfx::Gfx9, word)), (Some(reversed), None));
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dpp8 {
    /// VGPR of source 0.
    pub register: u8,
    /// The lanes that lanes 0 to 7 read, each 0 to 7.
    pub lanes: [u8; 8],
}

impl Dpp8 {
    /// The code of source 0 that announces this control dword. The next code also reads lanes that EXEC disables.
    pub const SOURCE: u16 = 233;

    /// Returns the encoded control dword.
    ///
    /// # Errors
    /// On GFX9, and for lanes above 7.
    pub fn encode(self, gfx: Gfx) -> Result<u32, EncodeError> {
        if gfx.major() == 9 {
            return Err(EncodeError::Flag { flag: "dpp8", gfx });
        }
        if let Some(lane) = self.lanes.iter().find(|lane| **lane > 7) {
            return Err(EncodeError::OutOfRange { what: "a lane of dpp8", value: (*lane).into(), least: 0, limit: 7 });
        }
        Ok(self.lanes.iter().enumerate().fold(u32::from(self.register), |word, (n, lane)| word | u32::from(*lane) << (8 + 3 * n)))
    }

    /// Decodes a control dword; None on GFX9.
    pub fn decode(gfx: Gfx, word: u32) -> Option<Self> {
        let lanes = core::array::from_fn(|n| (word >> (8 + 3 * n) & 7) as u8);
        (gfx.major() >= 10).then_some(Self { register: word as u8, lanes })
    }
}
