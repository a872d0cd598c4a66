//! The tables that build.rs generates from `regdb/isa/`: instructions and wave registers.

use crate::chip::Gfx;
use crate::regs::BitField;
use strum::{EnumIter, IntoStaticStr};

/// The encoding format of an instruction.
///
/// ```
/// use pm4::isa::{Encoding, Op, Operand};
/// assert_eq!((Op::SAddI32.format(), Op::SLoadDwordx4.format()), (Encoding::Sop2, Encoding::Smem));
/// // Shifts of 64 bits: source 1, the count, is one register.
/// assert!(Op::SLshlB64.is_wide(Operand::Dst) && Op::SLshlB64.is_wide(Operand::Src0) && !Op::SLshlB64.is_wide(Operand::Src1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two scalar sources, one destination.
    Sop2,
    /// One scalar source, one destination.
    Sop1,
    /// Two scalar sources, compared into SCC.
    Sopc,
    /// One register and 16 bits.
    Sopk,
    /// 16 bits: control flow, waits, messages.
    Sopp,
    /// Scalar memory.
    Smem,
    /// Vector memory through a buffer descriptor.
    Mubuf,
    /// One vector source, one destination.
    Vop1,
    /// Two vector sources, one destination.
    Vop2,
    /// Up to three vector sources, one destination.
    Vop3,
    /// Vector memory through an image descriptor.
    Mimg,
}

/// An operand of an instruction, as the tables name it.
///
/// For an example see [`Encoding`](crate::isa::Encoding).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The destination.
    Dst = 0,
    /// The first source.
    Src0 = 1,
    /// The second source.
    Src1 = 2,
    /// The immediate.
    Imm = 3,
    /// The third source.
    Src2 = 4,
}

pub(super) struct OpInfo {
    pub op: Op,
    pub name: &'static str,
    pub format: Encoding,
    codes: [i16; 6],
    wide: u8,
    lacks: u8,
    pub data: u8,
    pub store: bool,
    pub atomic: bool,
    names: &'static [(u8, &'static str)],
}

impl OpInfo {
    /// Returns whether an operand is two registers wide.
    pub fn wide(&self, operand: Operand) -> bool {
        self.wide >> operand as u8 & 1 == 1
    }

    /// Returns whether this instruction lacks an operand that its format has.
    pub fn lacks(&self, operand: Operand) -> bool {
        self.lacks >> operand as u8 & 1 == 1
    }
}

macro_rules! ops {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// An instruction by name. Its number depends on the generation: [`Op::code`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, IntoStaticStr)]
        pub enum Op { $($(#[$meta])* $name,)* }
    };
}

impl Op {
    pub(super) fn info(self) -> &'static OpInfo {
        &OPS[self as usize]
    }

    /// Returns the instruction's format.
    pub fn format(self) -> Encoding {
        self.info().format
    }

    /// Returns the instruction's number on a generation; None if the generation lacks the instruction.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::isa::Op;
    /// assert_eq!(Op::SNandB32.code(Gfx::Gfx9), Some(22));
    /// assert_eq!(Op::SWaitEvent.code(Gfx::Gfx9), None);
    /// ```
    pub fn code(self, gfx: Gfx) -> Option<u16> {
        u16::try_from(self.info().codes[gfx.index()]).ok()
    }

    /// Returns the instruction's name on the generation; GFX11 and GFX12 renamed some instructions.
    pub fn name(self, gfx: Gfx) -> &'static str {
        let info = self.info();
        info.names.iter().find(|(set, _)| set & gfx.bit() != 0).map_or(info.name, |(_, name)| name)
    }

    /// Returns the instruction with this name on a generation; older names are accepted too.
    pub fn from_name(gfx: Gfx, name: &str) -> Option<Self> {
        OPS.iter().find(|info| (info.name == name || info.op.name(gfx) == name) && info.op.code(gfx).is_some()).map(|info| info.op)
    }

    /// Returns whether any generation has an instruction with this name.
    pub(super) fn is_name(name: &str) -> bool {
        OPS.iter().any(|info| info.name == name || info.names.iter().any(|(_, n)| *n == name))
    }

    /// Returns the instruction with a number.
    pub(super) fn from_code(gfx: Gfx, format: Encoding, code: u32) -> Option<Self> {
        OPS.iter().find(|info| info.format == format && i64::from(info.codes[gfx.index()]) == i64::from(code)).map(|info| info.op)
    }

    /// Returns whether an operand is two registers wide.
    pub fn is_wide(self, operand: Operand) -> bool {
        self.info().wide(operand)
    }

    /// Returns the number of dwords that a memory instruction transfers per lane.
    pub(crate) fn data(self) -> u8 {
        self.info().data
    }

    /// Returns whether a memory instruction stores to memory.
    pub fn is_store(self) -> bool {
        self.info().store
    }

    /// Returns whether a memory instruction is atomic.
    pub fn is_atomic(self) -> bool {
        self.info().atomic
    }
}

/// A register of a wave on one generation.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::hwreg::{WaveFieldInfo, WaveRegister, wave_registers};
/// // What a debugger may read of a wave, field by field.
/// for WaveRegister { name, index, fields, .. } in wave_registers(Gfx::Gfx10) {
///     for WaveFieldInfo { name: field, lo, hi, .. } in *fields {
///         println!("{index:#x}: {name}[{hi}:{lo}] {field}");
///     }
/// }
/// let mode = wave_registers(Gfx::Gfx10).iter().find(|register| register.name == "MODE").unwrap();
/// assert_eq!((mode.id, mode.fields[0].name), (Some(1), "FP_ROUND"));
/// ```
#[derive(Debug)]
pub struct WaveRegister {
    /// AMD's name.
    pub name: &'static str,
    /// The index at which a debugger reads the register.
    pub index: u16,
    /// Its number for s_getreg and s_setreg, if it has one.
    pub id: Option<u8>,
    /// Whether instructions of the generation may name the register; assemblers refuse the others.
    pub named: bool,
    /// Its name in assembly; None if assemblers accept only its number.
    pub assembly: Option<&'static str>,
    /// Fields, lowest bit first.
    pub fields: &'static [WaveFieldInfo],
    /// What the register holds; empty if nothing is documented.
    pub doc: &'static str,
}

/// A field of a wave register.
///
/// For an example see [`WaveRegister`](crate::isa::hwreg::WaveRegister).
#[derive(Debug)]
pub struct WaveFieldInfo {
    /// AMD's name.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
    /// What the field means; empty if nothing is documented.
    pub doc: &'static str,
}

/// Defines a wave register as a number with named fields. Every 32-bit value is valid.
macro_rules! wave_register {
    ($doc:literal $name:ident $amd:literal { $($kind:ident $field:ident $get:ident $with:ident $lo:literal $width:literal $text:literal;)* }) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// AMD's name.
            pub const NAME: &'static str = $amd;
            $(
                #[doc = $text]
                pub const $field: crate::regs::BitField = crate::regs::BitField::new(stringify!($field), $lo, $width);
                wave_register!(@$kind $field $get $with $text);
            )*
        }
    };
    (@bit $field:ident $get:ident $with:ident $text:literal) => {
        #[doc = $text]
        #[inline]
        pub const fn $get(self) -> bool {
            Self::$field.get(self.0) != 0
        }
        #[doc = $text]
        #[inline]
        #[must_use]
        pub const fn $with(self, value: bool) -> Self {
            Self(Self::$field.put(self.0, value as u32))
        }
    };
    (@bits $field:ident $get:ident $with:ident $text:literal) => {
        #[doc = $text]
        #[inline]
        pub const fn $get(self) -> u32 {
            Self::$field.get(self.0)
        }
        #[doc = $text]
        #[inline]
        #[must_use]
        pub const fn $with(self, value: u32) -> Self {
            Self(Self::$field.put(self.0, value))
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/isa.rs"));

/// Returns the wave registers of a generation.
pub fn wave_registers(gfx: Gfx) -> &'static [WaveRegister] {
    WAVE_REGISTERS[gfx.index()]
}

impl WaveFieldInfo {
    /// Returns the field's bits.
    pub const fn bits(&self) -> BitField {
        BitField::new(self.name, self.lo, self.hi - self.lo + 1)
    }
}
