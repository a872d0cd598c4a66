//! Processor names in code objects. Source: LLVM 22.1.8 AMDGPUUsage, and for GFX11.7 the public table of processors of 2026.

use super::error::CodeObjectError;
use crate::chip::{Chip, ComputeChip};
use crate::queues::Target;
use alloc::vec::Vec;
use core::fmt;

/// The bit layouts of kernel descriptors, as a set.
pub(super) mod layout {
    pub(in super::super) const GFX9: u8 = 1;
    /// gfx90a, gfx942, gfx950: accumulation registers, preloaded arguments.
    pub(in super::super) const GFX90A: u8 = 2;
    pub(in super::super) const GFX10: u8 = 4;
    pub(in super::super) const GFX11: u8 = 8;
    pub(in super::super) const GFX12: u8 = 16;
    /// gfx1250, gfx1251.
    pub(in super::super) const GFX125: u8 = 32;
}
use layout::{GFX9, GFX10, GFX11, GFX12, GFX90A, GFX125};

/// The processor for which a code object is compiled, by LLVM's name; a generic processor stands for several.
///
/// ```
/// use pm4::code_object::Processor;
/// let generic: Processor = "gfx9-4-generic".parse()?;
/// assert_eq!((generic.number(), generic.is_generic()), (0x5F, true));
/// assert!(generic.targets().iter().all(|target| target.chip().is_none()), "MI300 and MI350 draw nothing");
/// # Ok::<(), pm4::code_object::UnknownProcessor>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Processor(&'static Row);

#[derive(Debug, PartialEq, Eq)]
struct Row {
    /// EF_AMDGPU_MACH.
    number: u8,
    name: &'static str,
    layout: u8,
    /// The processors that a generic processor covers.
    covers: &'static [&'static str],
}

/// No processor has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("LLVM has no processor of this name from GFX9 on")]
pub struct UnknownProcessor;

const fn one(number: u8, name: &'static str, layout: u8) -> Row {
    Row { number, name, layout, covers: &[] }
}

const fn generic(number: u8, name: &'static str, layout: u8, covers: &'static [&'static str]) -> Row {
    Row { number, name, layout, covers }
}

static ROWS: &[Row] = &[
    one(0x2C, "gfx900", GFX9),
    one(0x2D, "gfx902", GFX9),
    one(0x2E, "gfx904", GFX9),
    one(0x2F, "gfx906", GFX9),
    one(0x30, "gfx908", GFX9),
    one(0x31, "gfx909", GFX9),
    one(0x32, "gfx90c", GFX9),
    one(0x33, "gfx1010", GFX10),
    one(0x34, "gfx1011", GFX10),
    one(0x35, "gfx1012", GFX10),
    one(0x36, "gfx1030", GFX10),
    one(0x37, "gfx1031", GFX10),
    one(0x38, "gfx1032", GFX10),
    one(0x39, "gfx1033", GFX10),
    one(0x3D, "gfx1035", GFX10),
    one(0x3E, "gfx1034", GFX10),
    one(0x3F, "gfx90a", GFX90A),
    one(0x41, "gfx1100", GFX11),
    one(0x42, "gfx1013", GFX10),
    one(0x43, "gfx1150", GFX11),
    one(0x44, "gfx1103", GFX11),
    one(0x45, "gfx1036", GFX10),
    one(0x46, "gfx1101", GFX11),
    one(0x47, "gfx1102", GFX11),
    one(0x48, "gfx1200", GFX12),
    one(0x49, "gfx1250", GFX125),
    one(0x4A, "gfx1151", GFX11),
    one(0x4C, "gfx942", GFX90A),
    one(0x4E, "gfx1201", GFX12),
    one(0x4F, "gfx950", GFX90A),
    generic(0x51, "gfx9-generic", GFX9, &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"]),
    generic(0x52, "gfx10-1-generic", GFX10, &["gfx1010", "gfx1011", "gfx1012", "gfx1013"]),
    generic(0x53, "gfx10-3-generic", GFX10, &["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"]),
    generic(0x54, "gfx11-generic", GFX11, &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"]),
    one(0x55, "gfx1152", GFX11),
    one(0x58, "gfx1153", GFX11),
    generic(0x59, "gfx12-generic", GFX12, &["gfx1200", "gfx1201"]),
    one(0x5A, "gfx1251", GFX125),
    one(0x5C, "gfx1172", GFX11),
    one(0x5D, "gfx1170", GFX11),
    one(0x5E, "gfx1171", GFX11),
    generic(0x5F, "gfx9-4-generic", GFX90A, &["gfx942", "gfx950"]),
];

impl Processor {
    /// Returns all known processors, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(Self)
    }

    /// Returns the processor with a number (EF_AMDGPU_MACH in e_flags); None for GFX8 and older, and for processors that LLVM did not have in 2026.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::all().find(|processor| processor.number() == number)
    }

    pub(super) fn of_flags(flags: u32) -> Result<Self, CodeObjectError> {
        let expected = "bits 7:0 are a processor from GFX9 on, as LLVM 22 numbers them";
        Self::of_number(flags as u8).ok_or(CodeObjectError::Kind { field: "e_flags", value: flags.into(), expected })
    }

    /// Returns the number, EF_AMDGPU_MACH in e_flags.
    pub const fn number(self) -> u8 {
        self.0.number
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns whether the processor is generic.
    pub const fn is_generic(self) -> bool {
        !self.0.covers.is_empty()
    }

    pub(super) const fn layout(self) -> u8 {
        self.0.layout
    }

    fn covers(self, llvm: &str) -> bool {
        self.name() == llvm || self.0.covers.contains(&llvm)
    }

    /// Returns whether code for this processor runs on a chip.
    pub fn runs_on(self, target: impl Into<Target>) -> bool {
        match target.into() {
            Target::Chip(chip) => self.covers(chip.info().llvm),
            Target::Compute(chip) => self.covers(chip.info().name),
        }
    }

    /// Returns the chips in this crate that run its code, those with graphics first.
    pub fn targets(self) -> Vec<Target> {
        let all = Chip::all().map(Target::from).chain(ComputeChip::all().map(Target::from));
        all.filter(|target| self.runs_on(*target)).collect()
    }
}

impl core::str::FromStr for Processor {
    type Err = UnknownProcessor;

    fn from_str(name: &str) -> Result<Self, UnknownProcessor> {
        Self::all().find(|processor| processor.name() == name).ok_or(UnknownProcessor)
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A setting of a feature for which code is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetFeature {
    /// The processor lacks the feature.
    Absent,
    /// The code runs whether the feature is on or off.
    Any,
    /// The feature must be off.
    Off,
    /// The feature must be on.
    On,
}

impl TargetFeature {
    const fn of_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Absent,
            1 => Self::Any,
            2 => Self::Off,
            _ => Self::On,
        }
    }
}

/// A processor and the feature settings of the code. Displays as LLVM's target ID.
///
/// ```
/// use pm4::code_object::TargetId;
/// let target = TargetId::of_flags(0x53F, 3).unwrap();
/// assert_eq!((target.to_string(), target.processor.name()), ("gfx90a".to_owned(), "gfx90a"));
/// assert_eq!(TargetId::of_flags(0xE3F, 3).unwrap().to_string(), "gfx90a:sramecc+:xnack-");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetId {
    /// The processor.
    pub processor: Processor,
    /// XNACK: replay of faulted accesses.
    pub xnack: TargetFeature,
    /// SRAM ECC.
    pub sramecc: TargetFeature,
    /// The version of a generic processor, counted from 1; 0 for other processors.
    pub generic_version: u8,
}

impl TargetId {
    /// Reads e_flags and EI_ABIVERSION of an HSA code object: 1 to 4 mean V3 to V6; PAL files are read as 2. V3 has one bit for each of the two features.
    ///
    /// # Errors
    /// Returns an error if the processor is unknown.
    pub fn of_flags(flags: u32, abi: u8) -> Result<Self, CodeObjectError> {
        let processor = Processor::of_flags(flags)?;
        let old = |bit: u32| if flags >> bit & 1 != 0 { TargetFeature::On } else { TargetFeature::Off };
        // EF_AMDGPU_FEATURE_XNACK_V3 0x100, EF_AMDGPU_FEATURE_SRAMECC_V3 0x200 (LLVM ELF.h).
        let (xnack, sramecc) = if abi == 1 { (old(8), old(9)) } else { (TargetFeature::of_bits(flags >> 8), TargetFeature::of_bits(flags >> 10)) };
        Ok(Self { processor, xnack, sramecc, generic_version: if abi >= 4 { (flags >> 24) as u8 } else { 0 } })
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.processor.fmt(f)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                TargetFeature::Off => write!(f, ":{name}-")?,
                TargetFeature::On => write!(f, ":{name}+")?,
                TargetFeature::Absent | TargetFeature::Any => {}
            }
        }
        Ok(())
    }
}
