//! Observing a run.

use super::report::WaveName;

/// Something that a wave did.
///
/// For an example see [`WaveObserver`](crate::waves::WaveObserver).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveEvent {
    /// The wave starts.
    Launch {
        /// Number of quads with coverage.
        quads: u8,
        /// The newest wave that it overlaps.
        newest: Option<u32>,
    },
    /// The wave polls or waits without success, and sleeps.
    Sleep,
    /// The wave runs again.
    Wake,
    /// The wave accesses per-pixel data.
    Access {
        /// Whether it writes.
        write: bool,
    },
    /// The wave leaves the ordered section.
    Done,
    /// The wave ends.
    End,
}

/// An access of a wave has reached memory, at one quad of 2x2 pixels.
///
/// For an example see [`WaveObserver`](crate::waves::WaveObserver).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelAccess {
    /// The wave.
    pub wave: WaveName,
    /// The first pixel of the quad (x, y), in coordinates of the packer's part of the screen.
    pub pixel: (u32, u32),
    /// The samples: 8 bits per pixel, pixels in the order (0, 0), (1, 0), (0, 1), (1, 1). Only samples to which the shader expects exclusive access.
    pub samples: u32,
    /// Whether the access reads.
    pub read: bool,
    /// Whether the access writes.
    pub write: bool,
    /// Whether the order is broken: a younger wave has already accessed some of the samples, and at least one of the two writes.
    pub late: bool,
}

/// An observer of a run, which receives events in order. `()` ignores everything and costs nothing.
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
    /// Receives an event. `time` counts the turns of the scheduler.
    fn event(&mut self, time: u64, wave: WaveName, event: WaveEvent) {
        let _ = (time, wave, event);
    }

    /// Receives an access that has reached memory, once per instruction and quad of pixels.
    fn access(&mut self, time: u64, access: &PixelAccess) {
        let _ = (time, access);
    }
}

impl WaveObserver for () {}
