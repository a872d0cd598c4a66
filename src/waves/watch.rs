//! Following a run.

use super::report::WaveName;

/// Something that a wave did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEvent {
    /// It starts: how many quads it has, and the newest wave that it overlaps.
    Launch {
        /// Quads with coverage.
        quads: u8,
        /// The newest overlapped wave.
        newest: Option<u32>,
    },
    /// It polls or waits in vain and sleeps.
    Sleep,
    /// It runs again.
    Wake,
    /// It accesses per-pixel data.
    Access {
        /// Whether it writes.
        write: bool,
    },
    /// It leaves the ordered section.
    Done,
    /// It ends.
    End,
}

/// Told what happens, in order. `()` watches nothing and costs nothing.
pub trait Watch {
    /// `time` counts the turns of the scheduler.
    fn event(&mut self, time: u64, wave: WaveName, event: WatchEvent) {
        let _ = (time, wave, event);
    }
}

impl Watch for () {}
