//! The first dword of a packet.

use crate::packet::wire::opcode::Opcode;
use core::fmt;

/// The bank of shader registers or the pipe that a packet addresses (bit 1 of a type 3 header).
///
/// Read by SET_SH_REG*, LOAD_SH_REG*, SET_BASE, dispatch and mesh packets (PAL gfx9_plus_merged_f32_pfp_pm4_packets.h).
///
/// ```
/// use pm4::packet::{Header, Opcode, ShaderType};
/// // SET_SH_REG of one register of compute.
/// let header = Header::type3(Opcode::SET_SH_REG, 2).with_shader_type(ShaderType::Compute);
/// assert_eq!(header.0, 0xC001_7602);
/// assert_eq!(Header(0xC001_7600).shader_type(), ShaderType::Graphics);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShaderType {
    /// The graphics pipe.
    Graphics,
    /// The compute pipe of the graphics queue.
    Compute,
}

/// A packet header. Every 32-bit value is valid; an accessor is meaningful only for the packet type that it names.
///
/// | bits | type 3 field |
/// |---|---|
/// | 31:30 | type |
/// | 29:16 | count: body dwords - 1 |
/// | 15:8 | opcode |
/// | 7:3 | reserved, zero |
/// | 2 | reset_filter_cam (GFX10 and later, PFP and ME only) |
/// | 1 | shader_type |
/// | 0 | predicate |
///
/// ```
/// use pm4::packet::{Header, Opcode};
/// let header = Header::type3(Opcode::SET_CONTEXT_REG, 2);
/// assert_eq!(header.0, 0xC001_6900);
/// assert_eq!((header.opcode(), header.body_dwords()), (Opcode::SET_CONTEXT_REG, 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Header(pub u32);

const PREDICATE: u32 = 1;
const SHADER_TYPE: u32 = 1 << 1;
const RESET_FILTER_CAM: u32 = 1 << 2;

impl Header {
    /// The NOP that consists of its header only (count 0x3FFF), the padding word of real drivers (PAL gfx9CmdUtil.cpp BuildNop).
    pub const NOP1: Self = Self(0xFFFF_1000);
    /// The one-dword filler, packet type 2: legal on graphics rings, deprecated on compute (Linux amdgpu nvd.h).
    pub const FILLER: Self = Self(0x8000_0000);
    /// The longest body that the count field expresses for every opcode; NOP reads 0x3FFF as "no body".
    pub const MAX_BODY: usize = 0x3FFF;

    /// Returns a type 3 header for a body of `body_dwords`. Without a body the count is 0x3FFF, which only NOP may have.
    /// For a body longer than [`MAX_BODY`](Self::MAX_BODY) the count is the largest possible; the [`Writer`](crate::packet::Writer) refuses such packets.
    #[must_use]
    pub const fn type3(opcode: Opcode, body_dwords: usize) -> Self {
        let count = if body_dwords == 0 {
            0x3FFF
        } else if body_dwords > Self::MAX_BODY {
            Self::MAX_BODY as u32 - 1
        } else {
            body_dwords as u32 - 1
        };
        Self(3 << 30 | count << 16 | (opcode.0 as u32) << 8)
    }

    /// Returns the header with the predicate bit: the packet is skipped when the predicate of SET_PREDICATION fails.
    #[must_use]
    pub const fn with_predicate(self, on: bool) -> Self {
        self.with(PREDICATE, on)
    }

    /// Returns the header with another shader type.
    #[must_use]
    pub const fn with_shader_type(self, to: ShaderType) -> Self {
        self.with(SHADER_TYPE, matches!(to, ShaderType::Compute))
    }

    /// Returns the header with reset_filter_cam. Not on GFX9; hangs a compute engine (PAL gfx9CmdUtil.cpp).
    #[must_use]
    pub const fn with_reset_filter_cam(self, on: bool) -> Self {
        self.with(RESET_FILTER_CAM, on)
    }

    const fn with(self, bit: u32, on: bool) -> Self {
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }

    /// Returns the packet type. 0: register writes of old GPUs, 1: unused, 2: one-dword filler, 3: everything else.
    #[must_use]
    pub const fn packet_type(self) -> u8 {
        (self.0 >> 30) as u8
    }

    /// Returns the opcode of a type 3 packet.
    #[must_use]
    pub const fn opcode(self) -> Opcode {
        Opcode((self.0 >> 8) as u8)
    }

    /// Returns the raw count field, bits 29:16.
    #[must_use]
    pub const fn count(self) -> u16 {
        (self.0 >> 16 & 0x3FFF) as u16
    }

    /// Returns whether the packet is skipped when the predicate fails.
    #[must_use]
    pub const fn is_predicated(self) -> bool {
        self.0 & PREDICATE != 0
    }

    /// Returns the shader type of a type 3 packet.
    #[must_use]
    pub const fn shader_type(self) -> ShaderType {
        if self.0 & SHADER_TYPE != 0 { ShaderType::Compute } else { ShaderType::Graphics }
    }

    /// Returns whether the register filter of the command processor is bypassed.
    #[must_use]
    pub const fn resets_filter_cam(self) -> bool {
        self.0 & RESET_FILTER_CAM != 0
    }

    /// Returns bits 7:3 of a type 3 header, which must be zero.
    #[must_use]
    pub const fn reserved(self) -> u32 {
        self.0 >> 3 & 0x1F
    }

    /// Returns the number of dwords after the header: none for types 1 and 2 and for NOP with count 0x3FFF, else count + 1.
    #[must_use]
    pub const fn body_dwords(self) -> usize {
        match self.packet_type() {
            1 | 2 => 0,
            3 if self.count() == 0x3FFF && self.opcode().0 == Opcode::NOP.0 => 0,
            _ => self.count() as usize + 1,
        }
    }

    /// Returns the number of dwords of the whole packet, including the header.
    #[must_use]
    pub const fn dwords(self) -> usize {
        1 + self.body_dwords()
    }

    /// Returns the first register of a type 0 packet, as dword address.
    #[must_use]
    pub const fn type0_base(self) -> u32 {
        self.0 & 0xFFFF
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Header({:#010x})", self.0)
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}
