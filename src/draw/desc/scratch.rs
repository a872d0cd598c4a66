//! Scratch memory of a draw or dispatch.

/// The memory from which waves allocate scratch.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, DrawError, Program, ScratchRing};
/// let program = Program { scratch_bytes: 1024, ..Program::default() };
/// let dispatch = DispatchDesc { program, scratch: Some(ScratchRing { address: 0x10_0000, waves: 128 }), ..DispatchDesc::default() };
/// assert!(dispatch.resolve(Chip::Navi31).is_ok());
/// let without = DispatchDesc { scratch: None, ..dispatch };
/// assert!(matches!(without.resolve(Chip::Navi31), Err(DrawError::NoScratch { bytes: 1024 })));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScratchRing {
    /// Address in bytes, 256-byte aligned, below 2^48. GFX11 and later read it from a register; on earlier generations, shaders receive it as user data.
    pub address: u64,
    /// Number of concurrent waves for which there is memory, on GFX11 and later per shader engine: 1 to 4095.
    pub waves: u32,
}
