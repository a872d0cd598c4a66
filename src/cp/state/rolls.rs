//! Context rolls: the use of the eight register contexts.

/// Number of contexts of the graphics pipe (Linux 6.12 amdgpu max_hw_contexts; CP_MAX_CONTEXT is 7).
pub(in crate::cp) const CONTEXTS: u32 = 8;

/// The packet that made the pipe take a new context.
///
/// For an example see [`Statistics`](crate::cp::Statistics).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::EnumCount, strum::EnumIter, strum::IntoStaticStr)]
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

/// The context of a draw.
///
/// For an example see [`DrawView`](crate::cp::DrawView).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roll {
    /// The source of the context roll; None if the draw continues with the context of the previous draw.
    pub source: Option<RollSource>,
    /// Number of context registers written with a different value since the previous draw; [`DrawView::changed_context`](crate::cp::DrawView::changed_context)
    /// lists them.
    pub changed: u32,
    /// Number of context registers written since the previous draw without a change of value;
    /// [`DrawView::redundant_context`](crate::cp::DrawView::redundant_context) lists them.
    pub redundant: u32,
    /// Estimated number of contexts in use after the roll: draws count as finished only if the stream waits for them.
    pub live: u32,
    /// Whether all contexts were in use, so that the front end waits for the oldest draw.
    pub stalls: bool,
}

/// First byte address of the context registers, and how many dwords there are.
const CONTEXT_START: u32 = 0x28000;
const DWORDS: usize = 0x400;

/// A set of context registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::cp) struct ContextSet([u64; DWORDS / 64]);

impl ContextSet {
    #[inline]
    fn insert(&mut self, addr: u32) {
        let index = (addr.wrapping_sub(CONTEXT_START) / 4) as usize;
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the byte addresses, in order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        self.0.into_iter().zip(0..).flat_map(|(mut word, at): (u64, u32)| {
            core::iter::from_fn(move || {
                let lowest = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(CONTEXT_START + 4 * (64 * at + lowest))
            })
        })
    }
}

/// The context registers that were written since the previous draw.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cp) struct ContextWrites {
    /// Written with any value.
    written: ContextSet,
    /// Written with a different value.
    changed: ContextSet,
}

impl ContextWrites {
    pub fn changed(&self) -> ContextSet {
        self.changed
    }

    pub fn redundant(&self) -> ContextSet {
        self.written.without(&self.changed)
    }
}

/// Counts context rolls: the first context write after a draw with the current context takes a new one. A write without a change of value rolls too (Mesa
/// 25.0.7 ac_gather_context_rolls.c).
#[derive(Debug, Default, Clone)]
pub(in crate::cp) struct Contexts {
    pub count: u64,
    pub stalls: u64,
    used: bool,
    pub writes: ContextWrites,
    now: Roll,
}

impl Contexts {
    /// Returns the context of a draw at this point. Counting its registers is the most expensive part; after inlining, the compiler removes it where the counts
    /// are not used.
    #[inline]
    pub fn now(&self) -> Roll {
        Roll { changed: self.writes.changed.count(), redundant: self.writes.redundant().count(), ..self.now }
    }

    /// Records that a draw uses the current context.
    pub fn draw(&mut self) {
        self.used = true;
        self.writes = ContextWrites::default();
        self.now = Roll { live: self.now.live.max(1), ..Roll::default() };
    }

    /// Records that a packet writes the context.
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

    /// Records the write of a context register, with a different or the same value.
    #[inline]
    pub fn record_write(&mut self, addr: u32, changed: bool) {
        self.writes.written.insert(addr);
        if changed {
            self.writes.changed.insert(addr);
        }
    }

    /// Records that the stream waits for its draws: only the current context stays in use.
    pub fn idle(&mut self) {
        self.now.live = u32::from(self.used || self.now.live > 0);
    }
}
