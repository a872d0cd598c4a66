//! Kernel descriptors: 64 bytes that the AQL packet processor reads. Their words have the layout of compute registers.

use super::descriptor_fields::{DescriptorWord, FieldUse, ROWS};
use super::processor::Processor;
use crate::isa::WaveSize;
use core::fmt;

/// A kernel descriptor, the object of a `.kd` symbol. Source: LLVM 22.1.8 AMDGPUUsage, kernel descriptor.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::code_object::CodeObject;
/// let object = CodeObject::parse(file)?;
/// let descriptor = &object.kernel("transpose").unwrap().descriptor;
/// assert_eq!((descriptor.group_bytes, descriptor.wave().lanes()), (1088, 32));
/// // Each field, by LLVM's name.
/// let ids = descriptor.fields().find(|field| field.name == "enable_vgpr_workitem_id").unwrap();
/// assert_eq!((ids.hi, ids.lo, ids.value), (12, 11, 1));
/// assert!(descriptor.defects().next().is_none());
/// # }
/// # Ok::<(), pm4::code_object::CodeObjectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The processor, which determines the meaning of the bits.
    pub processor: Processor,
    /// LDS of a workgroup in bytes, without the amount that the dispatch adds.
    pub group_bytes: u32,
    /// Scratch memory of a work-item in bytes.
    pub private_bytes: u32,
    /// Size of the arguments in bytes; 0 if the compiler does not state it.
    pub kernarg_bytes: u32,
    /// Offset of the code from the descriptor, in bytes.
    pub entry_offset: i64,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3.
    pub rsrc3: u32,
    /// The initial contents of SGPRs, the wave size, the stack.
    pub properties: u16,
    /// Arguments that are preloaded into SGPRs: number and offset, in dwords.
    pub preload: u16,
    /// Reserved bytes, which must be 0, in order: 12 to 15, 24 to 43, 60 to 63.
    pub reserved: [u8; 28],
}

/// A field of a word of a descriptor.
///
/// For an example, see [`KernelDescriptor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelField {
    /// The word.
    pub word: DescriptorWord,
    /// LLVM's name in lower case; `reserved` for bits that belong to no field.
    pub name: &'static str,
    /// The lowest bit.
    pub lo: u8,
    /// The highest bit.
    pub hi: u8,
    /// Who sets it.
    pub of: FieldUse,
    /// The value.
    pub value: u32,
}

impl fmt::Display for KernelField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, name, lo, hi, value, .. } = self;
        match lo == hi {
            true => write!(f, "{word} bit {lo}, {name} = {value:#x}"),
            false => write!(f, "{word} bits {hi}:{lo}, {name} = {value:#x}"),
        }
    }
}

/// A value that a descriptor must not contain.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::code_object::{CodeObject, KernelDescriptor};
/// let object = CodeObject::parse(file)?;
/// let descriptor = object.kernel("saxpy").unwrap().descriptor;
/// let privileged = KernelDescriptor { rsrc1: descriptor.rsrc1 | 1 << 20, ..descriptor };
/// let defect = privileged.defects().next().unwrap();
/// assert_eq!(defect.to_string(), "compute_pgm_rsrc1 bit 20, priv = 0x1: must be 0: the packet processor fills it in");
/// # }
/// # Ok::<(), pm4::code_object::CodeObjectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptorDefect {
    /// A field that must be 0 but is not.
    Field(KernelField),
    /// A byte that must be 0 but is not.
    Byte {
        /// Its offset.
        at: u8,
        /// Its value.
        value: u8,
    },
}

impl fmt::Display for DescriptorDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) if field.of == FieldUse::Processor => write!(f, "{field}: must be 0: the packet processor fills it in"),
            Self::Field(field) => write!(f, "{field}: must be 0: the processor has no such field"),
            Self::Byte { at, value } => write!(f, "byte {at} = {value:#x}: must be 0"),
        }
    }
}

/// Returns the offsets of the reserved bytes.
fn reserved_offsets() -> impl Iterator<Item = u8> {
    (12..16).chain(24..44).chain(60..64)
}

impl KernelDescriptor {
    /// Size of a descriptor in bytes, and the alignment of its address.
    pub const BYTES: usize = 64;

    /// Reads a descriptor from its bytes. All byte values are accepted; [`defects`](Self::defects) returns what is wrong.
    pub fn from_bytes(bytes: &[u8; Self::BYTES], processor: Processor) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut reserved = [0; 28];
        for (byte, at) in reserved.iter_mut().zip(reserved_offsets()) {
            *byte = bytes[usize::from(at)];
        }
        Self {
            processor,
            group_bytes: word(0),
            private_bytes: word(4),
            kernarg_bytes: word(8),
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            rsrc3: word(44),
            rsrc1: word(48),
            rsrc2: word(52),
            properties: word(56) as u16,
            preload: (word(56) >> 16) as u16,
            reserved,
        }
    }

    /// Returns the bytes of the descriptor.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let entry = self.entry_offset as u64;
        let words = [
            (0, self.group_bytes),
            (4, self.private_bytes),
            (8, self.kernarg_bytes),
            (16, entry as u32),
            (20, (entry >> 32) as u32),
            (44, self.rsrc3),
            (48, self.rsrc1),
            (52, self.rsrc2),
            (56, u32::from(self.properties) | u32::from(self.preload) << 16),
        ];
        for (at, word) in words {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (byte, at) in self.reserved.iter().zip(reserved_offsets()) {
            bytes[usize::from(at)] = *byte;
        }
        bytes
    }

    fn word(&self, word: DescriptorWord) -> u32 {
        match word {
            DescriptorWord::Rsrc1 => self.rsrc1,
            DescriptorWord::Rsrc2 => self.rsrc2,
            DescriptorWord::Rsrc3 => self.rsrc3,
            DescriptorWord::Properties => self.properties.into(),
            DescriptorWord::Preload => self.preload.into(),
        }
    }

    /// Returns the fields of its words on its processor, then each set bit that belongs to no field as `reserved`.
    pub fn fields(&self) -> impl Iterator<Item = KernelField> {
        let (this, layout) = (*self, self.processor.layout());
        let rows = move |word| ROWS.iter().filter(move |row| row.word == word && row.layouts & layout != 0);
        let named = move |word| {
            rows(word).map(move |row| {
                let value = this.word(word) >> row.lo & (u32::MAX >> (31 - (row.hi - row.lo)));
                KernelField { word, name: row.name, lo: row.lo, hi: row.hi, of: row.of, value }
            })
        };
        let unnamed = move |word| {
            let taken = rows(word).fold(0, |taken, row| taken | (u32::MAX >> (31 - (row.hi - row.lo))) << row.lo);
            let rest = this.word(word) & !taken;
            let reserved = move |bit: u8| KernelField { word, name: "reserved", lo: bit, hi: bit, of: FieldUse::None, value: 1 };
            (0..32u8).filter(move |bit| rest >> bit & 1 != 0).map(reserved)
        };
        DescriptorWord::ALL.into_iter().flat_map(move |word| named(word).chain(unnamed(word)))
    }

    /// Returns the value of a field by LLVM's name; 0 if the processor lacks it.
    pub fn field(&self, name: &str) -> u32 {
        self.fields().find(|field| field.name == name).map_or(0, |field| field.value)
    }

    /// Returns fields and bytes that must be 0 but are not. With AQL, the packet processor decides what happens; [`Kernel::dispatch`](super::Kernel::dispatch)
    /// refuses them.
    pub fn defects(&self) -> impl Iterator<Item = DescriptorDefect> {
        let fields = self.fields().filter(|field| field.value != 0 && field.of != FieldUse::Compiler).map(DescriptorDefect::Field);
        let reserved = self.reserved;
        let bytes = reserved_offsets().zip(reserved).filter(|(_, value)| *value != 0).map(|(at, value)| DescriptorDefect::Byte { at, value });
        fields.chain(bytes)
    }

    /// Returns the wave size.
    pub fn wave(&self) -> WaveSize {
        if self.field("enable_wavefront_size32") != 0 { WaveSize::W32 } else { WaveSize::W64 }
    }

    /// Returns the number of loaded user SGPRs.
    pub fn user_sgprs(&self) -> u32 {
        self.field("user_sgpr_count")
    }

    /// Returns whether the stack may grow while the kernel runs; the dispatch then states its maximum size.
    pub fn has_dynamic_stack(&self) -> bool {
        self.field("uses_dynamic_stack") != 0
    }
}
