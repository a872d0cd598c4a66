//! Rows of the tables of address bits.

/// Patterns of chips with the given number of pipes and packers (log2; 0 packers on GFX10.1, which does not count them).
pub(in crate::layout) struct Config {
    pub pipes: u8,
    pub packers: u8,
    /// Indices of patterns, -1 for none: for 64KB_Z_X, 64KB_R_X, Z_X and R_X with larger blocks, and thick 64KB_D_X; each for 1 to 16 bytes, and each of these
    /// for 1 to 8 samples.
    pub rows: [[i16; 20]; 5],
}
