//! Registers that several parts of the model name.

/// CP_STRMOUT_CNTL, up to GFX10.3: the streamout flush sets bit 0 (captures: RADV waits for it).
pub(in crate::cp) const CP_STRMOUT_CNTL: u32 = 0x300FC;

/// Which part of the chip register writes reach: three broadcast bits.
pub(in crate::cp) const GRBM_GFX_INDEX: u32 = 0x30800;

/// Overwritten by draws without indices.
pub(in crate::cp) const VGT_INDEX_TYPE: u32 = 0x3090C;

/// The program of dispatches: its address, shifted right by 8, and the bits from 40 on.
pub(in crate::cp) const COMPUTE_PGM_LO: u32 = 0xB830;
pub(in crate::cp) const COMPUTE_PGM_HI: u32 = 0xB834;

/// Threads of a group in x, y and z, consecutively.
pub(in crate::cp) const COMPUTE_NUM_THREAD_X: u32 = 0xB81C;

/// Resources of the program of dispatches; the third from GFX10 on.
pub(in crate::cp) const COMPUTE_PGM_RSRC1: u32 = 0xB848;
pub(in crate::cp) const COMPUTE_PGM_RSRC2: u32 = 0xB84C;
pub(in crate::cp) const COMPUTE_PGM_RSRC3: u32 = 0xB8A0;
