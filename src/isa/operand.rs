//! Scalar operands: registers, inline constants, special sources; their codes by generation.

use crate::chip::Gfx;
use core::fmt;

/// A scalar register that an instruction can write. For operands of two or more registers, the first register.
///
/// ```
/// use pm4::{chip::Gfx, isa::{self, Reg}};
/// # #[cfg(feature = "gfx10")] {
/// let test = isa::parse(Gfx::Gfx10, "s_bitcmp1_b32 s1, 31")?;
/// println!("{test:?}");
/// assert_ne!(Reg::Sgpr(1), Reg::Null);
/// # }
/// # Ok::<(), isa::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reg {
    /// s0 to s101 on GFX9, s0 to s105 from GFX10 on.
    Sgpr(u8),
    /// GFX9: low half of the scratch base.
    FlatScratchLo,
    /// GFX9: high half of the scratch base.
    FlatScratchHi,
    /// GFX9: low half of the XNACK mask.
    XnackMaskLo,
    /// GFX9: high half of the XNACK mask.
    XnackMaskHi,
    /// Low half of the vector condition code.
    VccLo,
    /// High half of the vector condition code.
    VccHi,
    /// ttmp0 to ttmp15: registers of the trap handler.
    Ttmp(u8),
    /// Multi-purpose register.
    M0,
    /// Reads as 0 and discards writes (from GFX10 on).
    Null,
    /// Lanes 0 to 31.
    ExecLo,
    /// Lanes 32 to 63.
    ExecHi,
}

impl Reg {
    /// Returns the register's code in instructions; None if the generation lacks the register.
    pub fn code(self, gfx: Gfx) -> Option<u8> {
        let major = gfx.major();
        let sgprs = if major == 9 { 102 } else { 106 };
        match self {
            Self::Sgpr(n) => (n < sgprs).then_some(n),
            Self::FlatScratchLo => (major == 9).then_some(102),
            Self::FlatScratchHi => (major == 9).then_some(103),
            Self::XnackMaskLo => (major == 9).then_some(104),
            Self::XnackMaskHi => (major == 9).then_some(105),
            Self::VccLo => Some(106),
            Self::VccHi => Some(107),
            Self::Ttmp(n) => (n < 16).then(|| 108 + n),
            Self::M0 => Some(if major >= 11 { 125 } else { 124 }),
            Self::Null => match major {
                9 => None,
                10 => Some(125),
                _ => Some(124),
            },
            Self::ExecLo => Some(126),
            Self::ExecHi => Some(127),
        }
    }

    /// Returns the register with this code.
    pub fn from_code(gfx: Gfx, code: u8) -> Option<Self> {
        let found = match code {
            102 if gfx.major() == 9 => Self::FlatScratchLo,
            103 if gfx.major() == 9 => Self::FlatScratchHi,
            104 if gfx.major() == 9 => Self::XnackMaskLo,
            105 if gfx.major() == 9 => Self::XnackMaskHi,
            0..=105 => Self::Sgpr(code),
            106 => Self::VccLo,
            107 => Self::VccHi,
            108..=123 => Self::Ttmp(code - 108),
            124 if gfx.major() >= 11 => Self::Null,
            125 if gfx.major() >= 11 => Self::M0,
            124 => Self::M0,
            125 => Self::Null,
            126 => Self::ExecLo,
            127 => Self::ExecHi,
            _ => return None,
        };
        (found.code(gfx) == Some(code)).then_some(found)
    }

    /// Returns the name of a group of `count` registers.
    pub(super) fn group(self, count: u8) -> RegText {
        RegText(self, count)
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.group(1).fmt(f)
    }
}

/// A register or group with its name in assembly.
pub(super) struct RegText(Reg, u8);

impl fmt::Display for RegText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.1.saturating_sub(1);
        match (self.0, last) {
            (Reg::Sgpr(n), 0) => write!(f, "s{n}"),
            (Reg::Sgpr(n), _) => write!(f, "s[{n}:{}]", u32::from(n) + u32::from(last)),
            (Reg::Ttmp(n), 0) => write!(f, "ttmp{n}"),
            (Reg::Ttmp(n), _) => write!(f, "ttmp[{n}:{}]", u32::from(n) + u32::from(last)),
            (Reg::VccLo, 1) => f.write_str("vcc"),
            (Reg::ExecLo, 1) => f.write_str("exec"),
            (Reg::FlatScratchLo, 1) => f.write_str("flat_scratch"),
            (Reg::XnackMaskLo, 1) => f.write_str("xnack_mask"),
            (Reg::FlatScratchLo, _) => f.write_str("flat_scratch_lo"),
            (Reg::FlatScratchHi, _) => f.write_str("flat_scratch_hi"),
            (Reg::XnackMaskLo, _) => f.write_str("xnack_mask_lo"),
            (Reg::XnackMaskHi, _) => f.write_str("xnack_mask_hi"),
            (Reg::VccLo, _) => f.write_str("vcc_lo"),
            (Reg::VccHi, _) => f.write_str("vcc_hi"),
            (Reg::M0, _) => f.write_str("m0"),
            (Reg::Null, _) => f.write_str("null"),
            (Reg::ExecLo, _) => f.write_str("exec_lo"),
            (Reg::ExecHi, _) => f.write_str("exec_hi"),
        }
    }
}

/// Inline floating-point constants by code, from 240 on: name and bits.
const FLOATS: [(&str, u32); 9] = [
    ("0.5", 0x3F00_0000),
    ("-0.5", 0xBF00_0000),
    ("1.0", 0x3F80_0000),
    ("-1.0", 0xBF80_0000),
    ("2.0", 0x4000_0000),
    ("-2.0", 0xC000_0000),
    ("4.0", 0x4080_0000),
    ("-4.0", 0xC080_0000),
    ("0.15915494", 0x3E22_F983),
];

/// The index of 1 / (2 pi) in the list.
const INVERSE_TWO_PI: u8 = 8;

/// Its name in 64-bit operands, with the digits of the wider number (LLVM).
const WIDE_INVERSE_TWO_PI: &str = "0.15915494309189532";
const WIDE_INVERSE_TWO_PI_BITS: u64 = 0x3FC4_5F30_6DC9_C882;

/// Returns whether an assembler, given the choice, writes the number as an inline constant: a small integer, or the bits of a float. In an operand of two
/// registers, the 32 bits are neither a negative number nor a float.
fn has_inline_form(value: u32, count: u8) -> bool {
    match count {
        1 => !matches!(Src::constant(value), Src::Literal(_)) || FLOATS.iter().any(|(_, bits)| *bits == value),
        _ => matches!(Src::wide_constant(value.into()), Some(Src::Int(_))),
    }
}

/// A scalar source.
///
/// For an example see [`Instruction`](crate::isa::Instruction).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Src {
    /// A register.
    Reg(Reg),
    /// An inline constant, -16 to 64.
    Int(i8),
    /// An inline floating-point constant by its code minus 240, 0 to 8.
    Float(u8),
    /// Base of the shared aperture.
    SharedBase,
    /// Limit of the shared aperture.
    SharedLimit,
    /// Base of the private aperture.
    PrivateBase,
    /// Limit of the private aperture.
    PrivateLimit,
    /// The id of the next wave to leave its ordered section, on the packer that the wave polls. Each use reads it again (GFX9 to GFX10.3).
    PopsExitingWaveId,
    /// 1 when VCC is 0 (up to GFX10.3).
    Vccz,
    /// 1 when EXEC is 0 (up to GFX10.3).
    Execz,
    /// The scalar condition code.
    Scc,
    /// A 32-bit constant in the next dword. In text it is a plain number, or `lit(number)` if a plain number would be an inline constant (LLVM pull
    /// requests 162137 and 163376).
    Literal(u32),
}

/// The code of a literal.
const LITERAL: u8 = 255;

impl Src {
    /// Returns the SGPR with this number as a source.
    pub const fn s(number: u8) -> Self {
        Self::Reg(Reg::Sgpr(number))
    }

    /// Returns a constant as a source: inline if possible, else a literal.
    pub const fn constant(value: u32) -> Self {
        let signed = value as i32;
        if signed >= -16 && signed <= 64 { Self::Int(signed as i8) } else { Self::Literal(value) }
    }

    /// Returns a constant for a 64-bit operand, inline if possible. A literal has 32 bits, which the instruction zero-extends or sign-extends. None if neither
    /// form holds the number.
    ///
    /// ```
    /// use pm4::isa::Src;
    /// assert_eq!(Src::wide_constant(-1), Some(Src::Int(-1)));
    /// assert_eq!(Src::wide_constant(0xFFFF_FFFF), Some(Src::Literal(0xFFFF_FFFF)));
    /// assert_eq!(Src::wide_constant(1 << 32), None);
    /// ```
    pub fn wide_constant(value: i64) -> Option<Self> {
        match i8::try_from(value) {
            Ok(inline @ -16..=64) => Some(Self::Int(inline)),
            _ => u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32)).ok().map(Self::Literal),
        }
    }

    /// Returns the source's code; None if the generation lacks the source or the number is out of range.
    pub fn code(self, gfx: Gfx) -> Option<u8> {
        let old = gfx.major() <= 10;
        match self {
            Self::Reg(reg) => reg.code(gfx),
            Self::Int(n @ 0..=64) => Some(128 + n as u8),
            Self::Int(n @ -16..=-1) => Some((192 - i16::from(n)) as u8),
            Self::Int(_) => None,
            Self::Float(n) => (n < 9).then(|| 240 + n),
            Self::SharedBase => Some(235),
            Self::SharedLimit => Some(236),
            Self::PrivateBase => Some(237),
            Self::PrivateLimit => Some(238),
            Self::PopsExitingWaveId => old.then_some(239),
            Self::Vccz => old.then_some(251),
            Self::Execz => old.then_some(252),
            Self::Scc => Some(253),
            Self::Literal(_) => Some(LITERAL),
        }
    }

    /// Returns the source with this code; `literal` is the dword after the instruction.
    pub fn from_code(gfx: Gfx, code: u8, literal: Option<u32>) -> Option<Self> {
        let found = match code {
            0..=127 => Self::Reg(Reg::from_code(gfx, code)?),
            128..=192 => Self::Int((code - 128) as i8),
            193..=208 => Self::Int((192 - i16::from(code)) as i8),
            235 => Self::SharedBase,
            236 => Self::SharedLimit,
            237 => Self::PrivateBase,
            238 => Self::PrivateLimit,
            239 => Self::PopsExitingWaveId,
            240..=248 => Self::Float(code - 240),
            251 => Self::Vccz,
            252 => Self::Execz,
            253 => Self::Scc,
            LITERAL => Self::Literal(literal?),
            _ => return None,
        };
        found.code(gfx).is_some().then_some(found)
    }

    /// Returns the literal, if the source needs one.
    pub(super) fn literal(self) -> Option<u32> {
        if let Self::Literal(value) = self { Some(value) } else { None }
    }

    /// Returns the value of a constant, for 32-bit instructions.
    pub fn value(self) -> Option<u32> {
        match self {
            Self::Int(n) => Some(i32::from(n) as u32),
            Self::Float(n) => FLOATS.get(usize::from(n)).map(|f| f.1),
            Self::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the bits of an inline floating-point constant in a 64-bit operand, as a double (LLVM).
    pub(crate) fn wide_float(self) -> Option<u64> {
        match self {
            Self::Float(INVERSE_TWO_PI) => Some(WIDE_INVERSE_TWO_PI_BITS),
            Self::Float(n) => FLOATS.get(usize::from(n)).map(|(_, bits)| f64::from(f32::from_bits(*bits)).to_bits()),
            _ => None,
        }
    }

    pub(super) fn group(self, count: u8) -> SrcText {
        SrcText(self, count)
    }

    /// Returns the source with a name that is neither a register nor a number, in an operand of `count` registers.
    pub(super) fn from_name(name: &str, count: u8) -> Option<Self> {
        Some(match name {
            "src_shared_base" => Self::SharedBase,
            "src_shared_limit" => Self::SharedLimit,
            "src_private_base" => Self::PrivateBase,
            "src_private_limit" => Self::PrivateLimit,
            "src_pops_exiting_wave_id" => Self::PopsExitingWaveId,
            "src_vccz" => Self::Vccz,
            "src_execz" => Self::Execz,
            "src_scc" => Self::Scc,
            WIDE_INVERSE_TWO_PI => Self::Float(INVERSE_TWO_PI),
            _ => match FLOATS.iter().position(|(text, _)| *text == name)? as u8 {
                // LLVM refuses this form in 64-bit operands, because it has too few digits.
                INVERSE_TWO_PI if count > 1 => return None,
                float => Self::Float(float),
            },
        })
    }
}

impl From<Reg> for Src {
    fn from(reg: Reg) -> Self {
        Self::Reg(reg)
    }
}

impl fmt::Display for Src {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.group(1).fmt(f)
    }
}

/// A source with its name in assembly.
pub(super) struct SrcText(Src, u8);

impl fmt::Display for SrcText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Src::Reg(reg) => reg.group(self.1).fmt(f),
            Src::Int(n) => write!(f, "{n}"),
            Src::Float(INVERSE_TWO_PI) if self.1 > 1 => f.write_str(WIDE_INVERSE_TWO_PI),
            Src::Float(n) => f.write_str(FLOATS.get(usize::from(n)).map_or("?", |t| t.0)),
            Src::SharedBase => f.write_str("src_shared_base"),
            Src::SharedLimit => f.write_str("src_shared_limit"),
            Src::PrivateBase => f.write_str("src_private_base"),
            Src::PrivateLimit => f.write_str("src_private_limit"),
            Src::PopsExitingWaveId => f.write_str("src_pops_exiting_wave_id"),
            Src::Vccz => f.write_str("src_vccz"),
            Src::Execz => f.write_str("src_execz"),
            Src::Scc => f.write_str("src_scc"),
            Src::Literal(value) if has_inline_form(value, self.1) => write!(f, "lit({value:#x})"),
            Src::Literal(value) => write!(f, "{value:#x}"),
        }
    }
}
