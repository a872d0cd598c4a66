//! Instructions and wave registers, as in the description files.

use crate::diag::Span;
use crate::gfx::GfxSet;

/// Instructions and wave registers, in file order.
#[derive(Default)]
pub struct Isa {
    pub instructions: Vec<Instruction>,
    pub registers: Vec<WaveRegister>,
}

pub struct Instruction {
    pub name: String,
    pub format: &'static Format,
    /// Opcode by generation.
    pub codes: [Option<u32>; 6],
    /// Bits of [`OPERANDS`]: two registers wide, and absent.
    pub wide: u8,
    pub lacks: u8,
    pub data: u32,
    pub store: bool,
    pub atomic: bool,
    pub names: Vec<(GfxSet, String)>,
    pub span: Span,
}

/// An encoding format: name in the files, and the number of opcode bits on all generations.
pub struct Format {
    pub name: &'static str,
    pub variant: &'static str,
    pub opcode_bits: u32,
}

pub const FORMATS: [Format; 11] = [
    Format { name: "SOP2", variant: "Sop2", opcode_bits: 7 },
    Format { name: "SOP1", variant: "Sop1", opcode_bits: 8 },
    Format { name: "SOPC", variant: "Sopc", opcode_bits: 7 },
    Format { name: "SOPK", variant: "Sopk", opcode_bits: 5 },
    Format { name: "SOPP", variant: "Sopp", opcode_bits: 7 },
    Format { name: "SMEM", variant: "Smem", opcode_bits: 6 },
    Format { name: "MUBUF", variant: "Mubuf", opcode_bits: 7 },
    Format { name: "VOP1", variant: "Vop1", opcode_bits: 8 },
    Format { name: "VOP2", variant: "Vop2", opcode_bits: 6 },
    Format { name: "VOP3", variant: "Vop3", opcode_bits: 10 },
    Format { name: "MIMG", variant: "Mimg", opcode_bits: 7 },
];

pub struct WaveRegister {
    pub name: String,
    pub span: Span,
    pub doc: String,
    /// Index, and number for s_getreg, by generation.
    pub at: [Option<(u32, Option<u32>)>; 6],
    pub assembler: GfxSet,
    /// The name in assembly, if different; empty if assemblers accept only the number.
    pub assembly: Option<String>,
    pub fields: Vec<WaveField>,
}

impl WaveRegister {
    pub fn gfx(&self) -> GfxSet {
        let mut set = GfxSet::NONE;
        for (gfx, place) in self.at.iter().enumerate() {
            if place.is_some() {
                set = set.or(GfxSet::only(gfx));
            }
        }
        set
    }
}

pub struct WaveField {
    pub name: String,
    pub lo: u8,
    pub hi: u8,
    pub gfx: GfxSet,
    pub doc: String,
    pub span: Span,
}
