//! Settings of the model.

/// What the caller knows and the stream does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The application asked for relaxed rasterization order (VK_AMD_rasterization_order), so ordered draws may run out of order.
    pub relaxed_order: bool,
    /// All memory that the stream uses is mapped: reading outside of it is an error.
    pub closed_memory: bool,
    /// Dwords that the model executes in one run before it gives up, over all queues. What buffers hold counts each time that they run.
    pub max_dwords: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { relaxed_order: false, closed_memory: false, max_dwords: 1 << 30 }
    }
}
