//! State of barriers in addition to their plan: memory, and the numbers counted there.

/// Memory that barriers use on some chips.
///
/// For an example see [`Plan::write`](crate::draw::sync::Plan::write).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SyncMemory {
    /// Address of a dword (a multiple of 4) into which barriers write the number of each fence: GFX9 to GFX10.3 wait there for colour and depth caches, and
    /// compute queues of all generations for what events write ([`Access::QueryWrite`](crate::draw::sync::Access::QueryWrite)). It must be the command buffer's
    /// own. The first use in a command buffer sets it to 0. Uses in a range that may be skipped (COND_EXEC) also do, until there is a use outside of one.
    pub fence: Option<u64>,
    /// Address of memory (a multiple of 8) that GFX9 writes before each release on the graphics queue: 16 bytes per render backend, at most 256 bytes. There, a
    /// fence, a timestamp or a barrier that releases is refused without it ([`SyncError::NoMemory`](crate::draw::sync::SyncError::NoMemory)). Other generations do not use it.
    pub zpass: Option<u64>,
}

/// How barriers become packets in one command buffer: their memory, the number of the last fence, and whether numbers started from 0.
///
/// For an example see [`Plan::write`](crate::draw::sync::Plan::write).
#[derive(Debug, Clone, Default)]
pub struct SyncState {
    memory: SyncMemory,
    /// Number of the last fence; 0 before the first.
    counted: u32,
    /// The fence memory that the command buffer has set to 0, even if packets were skipped.
    cleared: Option<u64>,
}

impl SyncState {
    /// Creates the state at the start of a command buffer.
    pub fn new(memory: SyncMemory) -> Self {
        Self { memory, counted: 0, cleared: None }
    }

    pub(crate) fn memory(&self) -> SyncMemory {
        self.memory
    }

    pub(crate) fn set_memory(&mut self, memory: SyncMemory) {
        self.memory = memory;
    }

    /// Number of the last fence; 0 before the first.
    pub(crate) fn counted(&self) -> u32 {
        self.counted
    }

    pub(crate) fn set_counted(&mut self, number: u32) {
        self.counted = number;
    }

    /// Returns whether the command buffer has set this fence memory to 0.
    pub(crate) fn has_cleared(&self, fence: u64) -> bool {
        self.cleared == Some(fence)
    }

    pub(crate) fn set_cleared(&mut self, fence: Option<u64>) {
        self.cleared = fence;
    }
}
