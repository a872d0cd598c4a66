//! What single lines of the log say.

use crate::input::ground::text::{after, cut, first};

pub(super) const FAULT: &str = "page fault (src_id:";

pub(super) const STATUS: [&str; 2] = ["_L2_PROTECTION_FAULT_STATUS:", "_L2_PROTECTION_FAULT_STATUS_LO32:"];

/// The reset of a whole GPU (amdgpu_device_gpu_recover).
pub(super) const RESET_BEGINS: &str = "GPU reset begin";

/// The end of `Dumping IP State`.
pub(super) const DUMPED: &str = "Dumping IP State Completed";

/// GPUs that count by themselves.
pub(super) const MOST_GPUS: usize = 256;

/// Returns the device that a line is about, `0000:0d:00.0`; empty where it states none.
pub(super) fn device(text: &str) -> &str {
    // A domain has four digits or more.
    let is_device = |token: &&str| {
        token.split_once(':').is_some_and(|(domain, rest)| {
            let rest = rest.as_bytes();
            domain.len() >= 4 && domain.chars().all(|c| c.is_ascii_hexdigit()) && rest.len() == 7 && rest[2] == b':' && rest[5] == b'.'
        })
    };
    text.split("amdgpu ").skip(1).map(|rest| first(rest).trim_end_matches(':')).find(is_device).unwrap_or("")
}

/// What a line says of a reset.
#[derive(Clone, Copy)]
pub(super) enum Reset {
    /// That of a GPU.
    Begins,
    /// That of a ring.
    RingBegins,
    /// That of a GPU.
    Ends,
    /// That of a ring.
    RingEnds,
}

/// `GPU reset begin!`, `GPU reset(2) succeeded!`, `GPU reset end with ret = -110`, `Ring gfx_0.0.0 reset failed`, of older kernels `… reset failure`.
pub(super) fn reset(text: &str) -> Option<Reset> {
    if text.contains(RESET_BEGINS) {
        return Some(Reset::Begins);
    }
    if text.contains("GPU reset end with ret") || text.contains("GPU reset succeeded, trying to resume") {
        return Some(Reset::Ends);
    }
    if after(text, "Starting ").is_some_and(|rest| rest.contains(" ring reset")) {
        return Some(Reset::RingBegins);
    }
    let of_gpu = after(text, "GPU reset(").and_then(|rest| rest.split_once(')')).map(|(_, result)| (Reset::Ends, result));
    let of_ring = || after(text, "Ring ").and_then(|rest| rest.split_once(" reset ")).map(|(_, result)| (Reset::RingEnds, result));
    let (ends, result) = of_gpu.or_else(of_ring)?;
    // The line may be quoted, or a part of JSON.
    ["succeeded", "failed", "failure"].contains(&cut(result, |c| c.is_ascii_alphabetic())).then_some(ends)
}
