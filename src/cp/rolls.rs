//! Context rolls: which of the eight register contexts are in use.

/// Contexts of the graphics pipe (Linux 6.12 amdgpu max_hw_contexts; CP_MAX_CONTEXT is 7).
pub(super) const CONTEXTS: u32 = 8;

/// What made the pipe take a new context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr)]
pub enum RollSource {
    /// A SET_CONTEXT_REG packet of any form.
    #[strum(to_string = "register write")]
    Write,
    /// CONTEXT_REG_RMW.
    #[strum(to_string = "read-modify-write")]
    Modify,
    /// LOAD_CONTEXT_REG of any form.
    #[strum(to_string = "load from memory")]
    Load,
    /// CLEAR_STATE.
    #[strum(to_string = "CLEAR_STATE")]
    ClearState,
    /// ACQUIRE_MEM without pixel wait sync.
    #[strum(to_string = "ACQUIRE_MEM")]
    Acquire,
}

/// The context that a draw runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roll {
    /// What took the context; None where the draw goes on with that of the draw before.
    pub source: Option<RollSource>,
    /// Context registers written since the draw before with another value than they had.
    pub changed: u32,
    /// Context register writes since the draw before that left the value as it was.
    pub redundant: u32,
    /// Contexts in use after the roll, an estimate: draws count as finished only where the stream waits for them.
    pub live: u32,
    /// All contexts were in use: the front end waits for the oldest draw.
    pub stalls: bool,
}

/// Counts context rolls: the first context write after a draw used the current context takes a new one. A write of the value that is already there rolls
/// too (Mesa 25.0.7 ac_gather_context_rolls.c).
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Contexts {
    pub count: u64,
    pub stalls: u64,
    used: bool,
    pub now: Roll,
}

impl Contexts {
    /// A draw uses the current context.
    pub fn draw(&mut self) {
        self.used = true;
        self.now = Roll { live: self.now.live.max(1), ..Roll::default() };
    }

    /// A packet writes the context.
    #[inline]
    pub fn write(&mut self, source: RollSource) {
        if self.used {
            self.roll(source);
        }
    }

    #[cold]
    fn roll(&mut self, source: RollSource) {
        self.used = false;
        self.count += 1;
        self.now.source = Some(source);
        self.now.stalls = self.now.live >= CONTEXTS;
        self.stalls += u64::from(self.now.stalls);
        self.now.live = (self.now.live + 1).min(CONTEXTS);
    }

    /// Register writes and what they changed.
    #[inline]
    pub fn count(&mut self, writes: u32, changed: u32) {
        self.now.redundant += writes - changed;
        self.now.changed += changed;
    }

    /// The stream waits until its draws are done: only the current context stays in use.
    pub fn idle(&mut self) {
        self.now.live = u32::from(self.used || self.now.live > 0);
    }
}
