//! Rows of the tables of address bits.

/// Patterns of chips with so many pipes and packers (log2; 0 packers on GFX10.1, which does not count them).
pub(in crate::layout) struct Config {
    pub pipes: u8,
    pub packers: u8,
    /// Numbers of patterns, -1 for none: of 64KB_Z_X, 64KB_R_X, Z_X and R_X of larger blocks, and thick 64KB_D_X; for 1 to 16 bytes, for 1 to 8 samples each.
    pub rows: [[i16; 20]; 5],
}
