//! Page faults and refused packets.

use crate::input::ground::PageFault;
use crate::plurals::counted;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A page fault by its lines.
#[derive(Default)]
pub(super) struct Fault {
    pub line: usize,
    /// It counts in the order of time, as lines do unless the newest is first.
    pub order: usize,
    pub device: String,
    pub hub: Option<String>,
    pub vmid: Option<u32>,
    pub process: Option<String>,
    pub address: Option<u64>,
    pub status: u32,
    pub client: Option<String>,
}

impl Fault {
    /// What is said of it and where, as a part of a sentence.
    pub fn say(&self) -> String {
        format!("line {}: {}", self.line, self.say_what())
    }

    pub fn say_what(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.push(self.address.map_or_else(|| "its address is not known".to_string(), |address| format!("address 0x{address:012x}")));
        parts.extend(self.hub.as_ref().map(|hub| format!("seen by {hub}")));
        parts.extend((self.status != 0).then(|| format!("status 0x{:08x}", self.status)));
        parts.extend(self.client.as_ref().map(|client| format!("client {client}")));
        parts.extend(self.vmid.map(|vmid| format!("VMID {vmid}")));
        parts.extend(self.process.clone());
        parts.join(", ")
    }

    /// The fault in a report; None without its address.
    pub fn stated(&self, may_be_of_another_job: bool) -> Option<PageFault> {
        let Self { line, status, .. } = *self;
        Some(PageFault { hub: self.hub.clone(), client: self.client.clone(), address: self.address?, status, line, may_be_of_another_job })
    }
}

/// A packet that an engine refused.
pub(super) struct RefusedPacket {
    pub order: usize,
    pub line: usize,
    /// Empty where the log does not state it.
    pub device: String,
    /// The version that ran.
    pub kernel: Option<String>,
    pub said: &'static str,
    pub rules: &'static str,
}

/// Page faults before a hang, and packets that were refused.
#[derive(Default)]
pub(super) struct Faults {
    /// The first one of each process, in their order.
    pub first: Vec<Fault>,
    pub count: usize,
    /// The kernel has left out lines about more of them.
    pub has_more: bool,
    /// The first one of each kind, in their order.
    pub refused: Vec<RefusedPacket>,
}

impl Faults {
    /// Processes that are kept: the first ones, and the last.
    pub const MOST: usize = 16;

    pub fn add(&mut self, fault: Fault) {
        if self.first.iter().any(|other| job(other.process.as_deref()) == job(fault.process.as_deref())) {
            return;
        }
        self.first.truncate(Self::MOST - 1);
        self.first.push(fault);
    }

    pub fn refuse(&mut self, packet: RefusedPacket) {
        if self.refused.iter().all(|other| other.said != packet.said) {
            self.refused.push(packet);
        }
    }

    /// `3 page faults`, `at least 3 page faults`.
    pub fn counted(&self) -> String {
        format!("{}{}", if self.has_more { "at least " } else { "" }, counted(self.count, "page fault"))
    }
}

/// A process without the name of its thread: `process vkcube pid 12`.
pub(super) fn job(process: Option<&str>) -> Option<&str> {
    process.map(|process| process.split_once(" thread ").map_or(process, |(job, _)| job))
}
