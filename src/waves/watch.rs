//! Following a run.

use super::report::WaveName;

/// Something that a wave did.
///
/// For an example see [`WaveObserver`](crate::waves::WaveObserver).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveEvent {
    /// It starts: how many quads it has, and the newest wave that it overlaps.
    Launch {
        /// Quads with coverage.
        quads: u8,
        /// The newest overlapped wave.
        newest: Option<u32>,
    },
    /// It polls or waits without success, and sleeps.
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

/// An access of a wave has reached memory, at one quad of 2x2 pixels.
///
/// For an example see [`WaveObserver`](crate::waves::WaveObserver).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelAccess {
    /// The wave.
    pub wave: WaveName,
    /// The first pixel of the quad, x and y, counted in the part of the screen that the packer works on.
    pub pixel: (u32, u32),
    /// The samples: 8 bits per pixel, pixels in the order (0, 0), (1, 0), (0, 1), (1, 1). Only what the shader counts on having for itself.
    pub samples: u32,
    /// It reads.
    pub read: bool,
    /// It writes.
    pub write: bool,
    /// A younger wave had accessed some of the samples before, and one of the two writes: the order is broken.
    pub late: bool,
}

/// An observer of a run: it receives what happens, in order. `()` ignores everything and costs nothing.
///
/// ```
/// use pm4::{chip::Gfx, waves::{self, PixelAccess, RunOptions, Section, Setup, WaveObserver, WaveEvent, WaveName}};
///
/// #[derive(Default)]
/// struct Counts {
///     ends: u64,
///     accesses: u64,
/// }
/// impl WaveObserver for Counts {
///     fn event(&mut self, _time: u64, _wave: WaveName, event: WaveEvent) {
///         self.ends += u64::from(event == WaveEvent::End);
///     }
///     fn access(&mut self, _time: u64, access: &PixelAccess) {
///         assert!(!access.late);
///         self.accesses += 1;
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// let setup = Setup::plain(Gfx::Gfx11);
/// let mut counts = Counts::default();
/// let report = waves::run_observed(&setup, &Section::of(&setup).words()?, RunOptions::default(), &mut counts);
/// assert!(counts.ends == report.waves && counts.accesses > 0);
/// # }
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
pub trait WaveObserver {
    /// `time` counts the turns of the scheduler.
    fn event(&mut self, time: u64, wave: WaveName, event: WaveEvent) {
        let _ = (time, wave, event);
    }

    /// An access has reached memory; of one instruction once for each quad of pixels.
    fn access(&mut self, time: u64, access: &PixelAccess) {
        let _ = (time, access);
    }
}

impl WaveObserver for () {}
