//! Rings that timed out, and what is known of each GPU.

use super::faults::{Fault, Faults, RefusedPacket, job};
use super::stamp::Stamp;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

/// A ring that timed out.
pub(super) struct Hang {
    /// It counts in the order of time. No other hang has it.
    pub order: usize,
    pub line: usize,
    /// Of its GPU; empty where the log does not state it.
    pub device: String,
    /// The version that ran.
    pub kernel: Option<String>,
    pub ring: String,
    pub process: Option<String>,
    /// The kernel killed the waves of the job, and the ring went on.
    pub recovered: bool,
    /// The line of the hang for which the GPU was reset when this ring timed out.
    pub during: Option<usize>,
    /// How the last reset ended that it caused.
    pub reset: Option<&'static str>,
    /// The log has a hang of the GPU before it.
    pub follows: bool,
    /// The driver of the GPU started more than once since the boot.
    pub started: bool,
    /// Page faults after the hang before this one.
    pub faults: Faults,
}

impl Hang {
    /// The page fault that may have caused it, and whether it is of the same process.
    pub fn fault(&self) -> Option<(&Fault, bool)> {
        let first = &self.faults.first;
        let own = first.iter().find(|fault| self.process.is_some() && job(fault.process.as_deref()) == job(self.process.as_deref()));
        own.map(|fault| (fault, true)).or_else(|| first.first().map(|fault| (fault, false)))
    }

    pub fn say(&self, of: &str, has_more_gpus: bool) -> String {
        let recovered = if self.recovered { ", but recovered when the kernel killed its waves" } else { "" };
        let during = self.during.map_or_else(String::new, |line| format!(" during the reset after the hang at line {line}"));
        let process = self.process.as_ref().map_or_else(String::new, |process| format!(" ({process})"));
        let reset = self.reset.map_or_else(String::new, |reset| format!(", then {reset}"));
        let faults = match self.fault() {
            None if self.follows => "no page fault of this GPU in the log since the previous hang".to_string(),
            None if self.started => "no page fault of this GPU in the log since its driver started".to_string(),
            None => "no page fault of this GPU before it in the log of this boot".to_string(),
            Some((fault, is_own)) => {
                let first = if is_own && self.faults.first.len() > 1 { "the first of this process" } else { "the first" };
                let doubt = if is_own { "" } else { ", possibly of another job," };
                let when = if self.follows { "since the previous hang" } else { "before it" };
                match self.faults.count {
                    1 if !self.faults.has_more => format!("a page fault before it{doubt} at {}", fault.say()),
                    _ => format!("{} in the log {when}, {first}{doubt} at {}", self.faults.counted(), fault.say()),
                }
            }
        };
        let refused = |RefusedPacket { line, device, said, rules, .. }: &RefusedPacket| {
            let doubt = if has_more_gpus && (device.is_empty() || *device != self.device) { ", possibly of another GPU," } else { "" };
            format!("; before it, at line {line}, the kernel says{doubt} {said:?} ({rules})")
        };
        let refused: String = self.faults.refused.iter().map(refused).collect();
        let which = if has_more_gpus && self.device.is_empty() {
            "; the log does not say which of its GPUs this is, so resets and page faults may be of another one"
        } else {
            ""
        };
        format!("ring {}{of} timed out{recovered}{during}{process}{reset}; {faults}{refused}{which}", self.ring)
    }
}

/// A hang that has not recovered so far.
pub(super) struct Pending {
    pub order: usize,
    pub line: usize,
    pub ring: String,
    pub at: Option<Stamp>,
}

/// Of a GPU; of more of them the last ones.
pub(super) const MOST_PENDING: usize = 16;

/// What the log says of one GPU since it was started.
#[derive(Default)]
pub(super) struct Device {
    /// The order of the hang that the lines are about.
    pub about: Option<usize>,
    /// The fault that the lines are about.
    pub open: Option<Fault>,
    /// Those after the last hang.
    pub faults: Faults,
    /// The hangs for which the GPU is reset, or will be. No ring has two.
    pub hung: Vec<Pending>,
    /// The GPU of which the reset began: it may be known where that of the hang is not.
    pub resets: Option<String>,
    /// The ring of which the reset began. Older kernels do not say that it succeeded.
    pub resets_ring: Option<String>,
    /// It has hung, or a hang of another GPU, or of one that is not known, has its faults.
    pub hangs: bool,
    /// Its driver started more than once since the boot.
    pub started: bool,
}

impl Device {
    pub fn close(&mut self) {
        if let Some(fault) = self.open.take() {
            self.faults.add(fault);
        }
    }

    pub fn take_faults(&mut self) -> Faults {
        self.close();
        mem::take(&mut self.faults)
    }

    /// The faults that no hang follows, and the first of them.
    pub fn left(&self) -> Option<(&Faults, &Fault)> {
        self.faults.first.first().or(self.open.as_ref()).map(|fault| (&self.faults, fault))
    }

    /// Forgets hangs of which the reset must have ended long ago, though the log does not say how.
    pub fn forget_old(&mut self, now: Option<&Stamp>) {
        let Some(now) = now else { return };
        let is_old = |at: &Stamp| at.clock == now.clock && now.micros - at.micros > Stamp::LONGEST_RESET;
        self.hung.retain(|hung| !hung.at.as_ref().is_some_and(is_old));
        if self.hung.is_empty() {
            (self.resets, self.resets_ring) = (None, None);
        }
    }
}

/// Page faults that no hang follows before the next boot.
pub(super) struct Left {
    pub counted: String,
    pub count: usize,
    pub first: Fault,
    /// The version that ran.
    pub kernel: Option<String>,
    /// What came next.
    pub until: &'static str,
}
