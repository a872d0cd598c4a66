//! What single lines of the log say.

use crate::chip::Chip;
use crate::input::ground::chips;
use crate::input::ground::text::{after, cut, first, hex32, is_digit};
use alloc::format;
use alloc::string::{String, ToString};

pub(super) const FAULT: &str = "page fault (src_id:";

pub(super) const TIMEOUT: &str = " timeout, ";

pub(super) const STATUS: [&str; 2] = ["_L2_PROTECTION_FAULT_STATUS:", "_L2_PROTECTION_FAULT_STATUS_LO32:"];

/// The reset of a whole GPU (amdgpu_device_gpu_recover).
pub(super) const RESET_BEGINS: &str = "GPU reset begin";

/// The end of `Dumping IP State`.
pub(super) const DUMPED: &str = "Dumping IP State Completed";

/// What the kernel says of packets that engines refuse (Linux gfx_v9_0.c to gfx_v12_0.c, bad_op_irq, priv_reg_irq and priv_inst_irq), and the rules about them.
pub(super) const REFUSED: [(&str, &str); 3] = [
    ("Illegal opcode in command stream", "rule ENC-02"),
    ("Illegal register access in command stream", "rules REG-01 and REG-03"),
    ("Illegal instruction in command stream", "the rule is not certain, most likely ENC-02"),
];

/// What a line says of a GPU.
pub(super) struct Gpu {
    pub device: String,
    pub chip: Option<Chip>,
    pub family: Option<&'static str>,
}

/// Lines about GPUs that are kept, and GPUs that count by themselves.
pub(super) const MOST_GPUS: usize = 256;

/// The device that a line is about, `0000:0d:00.0`; empty where it states none.
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

/// `ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3`, or `…, but soft recovered`: the ring, and whether it recovered.
pub(super) fn timeout(text: &str) -> Option<(&str, bool)> {
    let (before, rest) = text.split_once(TIMEOUT)?;
    let recovered = rest.starts_with("but soft recovered");
    let ring = before.rsplit_once("ring ").map(|(_, ring)| ring).filter(|ring| !ring.is_empty() && !ring.contains(' '))?;
    (recovered || rest.starts_with("signaled seq")).then_some((ring, recovered))
}

/// What is before the process of a hang. Other programs do not write it.
pub(super) const OF_HANG: [&str; 2] = ["rocess information: process ", " Process "];

/// What is before the process of a page fault.
pub(super) const OF_FAULT: [&str; 4] = [OF_HANG[0], "for process ", "in process ", OF_HANG[1]];

/// `process vkcube pid 12 thread vkcube:cs0 pid 13` in a line.
pub(super) fn process(text: &str, keys: &[&str]) -> Option<String> {
    let rest = keys.iter().find_map(|key| after(text, key))?.trim_start();
    let pid = |at: usize, key: &str| Some(cut(&rest[at + key.len()..], is_digit)).filter(|pid| !pid.is_empty());
    // A job that no process has is of pid 0, without a name.
    if rest.starts_with("pid ") && pid(0, "pid ").is_some() {
        return None;
    }
    let (name, pid) = rest.rmatch_indices(" pid ").find_map(|(at, key)| Some((&rest[..at], pid(at, key)?)))?;
    Some(format!("process {name} pid {pid}"))
}

/// What a line says of a device: its chip, `initializing kernel modesetting (NAVI21 0x1002:0x73BF …`, or the generation by the driver of its graphics core.
pub(super) fn machine(text: &str) -> Option<Gpu> {
    if let Some((name, ids)) = after(text, "initializing kernel modesetting (").and_then(|rest| rest.split_once(" 0x1002:")) {
        let chip = chips::of_asic(name, first(ids).strip_prefix("0x").and_then(hex32).unwrap_or(0));
        return Some(Gpu { device: device(text).to_string(), chip, family: None });
    }
    let block = after(text, "detected ip block number ").or_else(|| after(text, "add ip block number "))?;
    // `6 <gfx_v11_0_0> (gfx_v11_0)`, of older kernels `6 <gfx_v11_0>`.
    let (_, name) = block.rsplit_once('(').or_else(|| block.rsplit_once('<'))?;
    let family = chips::family_of_block(name.trim_end_matches([')', '>']))?;
    Some(Gpu { device: device(text).to_string(), chip: None, family: Some(family) })
}

/// A fact about the GPU of a device, if all GPUs that may be it agree: those of the same device name. If there is none, those without a device name; if the
/// device itself has no name, all.
pub(super) fn of_device<T: Copy + PartialEq>(gpus: &[Gpu], device: &str, what: impl Fn(&Gpu) -> Option<T>) -> Option<T> {
    let own = gpus.iter().any(|gpu| gpu.device == device);
    let may_be = |gpu: &&Gpu| gpu.device == device || !own && (device.is_empty() || gpu.device.is_empty());
    let mut said = gpus.iter().filter(may_be).filter_map(what);
    let one = said.next()?;
    said.all(|other| other == one).then_some(one)
}

/// A line with which a boot begins, `Linux version 6.12.9 (builder@host) …`, and the version of the kernel where it has that. Before it journalctl prints
/// `-- Boot ID --` or `-- Reboot --`.
pub(super) fn boot(text: &str) -> Option<Option<&str>> {
    let version = after(text, "Linux version ").and_then(|rest| rest.split_once(" (")).map(|(version, _)| version);
    let version = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' '));
    let begins = version.is_some() || text.starts_with("-- Boot ") || text.starts_with("-- Reboot --");
    begins.then_some(version)
}

/// What a line says of a reset.
#[derive(Clone, Copy)]
pub(super) enum Reset<'t> {
    /// That of a GPU.
    Begins,
    /// That of a ring.
    RingBegins(&'t str),
    /// That of a ring, or of a GPU.
    Ends { ring: Option<&'t str>, succeeded: bool },
}

/// `GPU reset begin!`, `GPU reset(2) succeeded!`, `GPU reset end with ret = -110`, `Ring gfx_0.0.0 reset failed`, of older kernels `… reset failure`.
pub(super) fn reset(text: &str) -> Option<Reset<'_>> {
    if text.contains(RESET_BEGINS) {
        return Some(Reset::Begins);
    }
    if text.contains("GPU reset end with ret") {
        return Some(Reset::Ends { ring: None, succeeded: false });
    }
    if let Some((ring, _)) = after(text, "Starting ").and_then(|rest| rest.split_once(" ring reset")) {
        return Some(Reset::RingBegins(ring));
    }
    let of_gpu = after(text, "GPU reset(").and_then(|rest| rest.split_once(')')).map(|(_, result)| (None, result));
    let of_ring = || after(text, "Ring ").and_then(|rest| rest.split_once(" reset ")).map(|(ring, result)| (Some(ring), result));
    let (ring, result) = of_gpu.or_else(of_ring)?;
    // The line may be quoted, or a part of JSON.
    match cut(result, |c| c.is_ascii_alphabetic()) {
        "succeeded" => Some(Reset::Ends { ring, succeeded: true }),
        "failed" | "failure" => Some(Reset::Ends { ring, succeeded: false }),
        _ => None,
    }
}

/// What the kernel says of a refused packet, and the rules about it. Programs may print the same words.
pub(super) fn refused(text: &str) -> Option<(&'static str, &'static str)> {
    let said = REFUSED.into_iter().find(|(said, _)| text.contains(said))?;
    (text.contains("amdgpu") || text.contains("[drm")).then_some(said)
}

/// The hub of a page fault, before what is said of it: `[gfxhub0] no-retry`.
pub(super) fn hub(before: &str) -> Option<&str> {
    let (name, _) = before[before.rfind('[')? + 1..].split_once(']')?;
    name.contains("hub").then_some(name)
}
