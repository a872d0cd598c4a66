//! A log by its lines.

use super::faults::{Fault, Faults, RefusedPacket};
use super::hangs::{Device, Hang, Left, MOST_PENDING, Pending};
use super::lines::{FAULT, MOST_GPUS, OF_FAULT, OF_HANG, Reset, STATUS, boot, device, hub, process, refused, reset, timeout};
use super::stamp::{Clock, Stamp};
use crate::input::ground::text::{after, cut, hex, hex32};
use crate::input::ground::{HangFacts, Input, InputPlace};
use crate::packet::Queue;
use crate::plurals::counted;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

/// A log by its lines.
#[derive(Default)]
pub(in crate::input::forms) struct Log {
    /// The version that runs.
    kernel: Option<String>,
    devices: BTreeMap<String, Device>,
    hangs: Vec<Hang>,
    /// Hangs that are not kept.
    more: usize,
    /// The order of the hang to report: the last one that did not recover. Of those in one reset it is the first, or the last one with a page fault.
    chosen: Option<usize>,
    /// The order of the last hang that did not recover.
    last: Option<usize>,
    /// Lines so far.
    lines: usize,
    /// Faults of boots before.
    left: Vec<Left>,
    /// Those that are not kept.
    more_faults: usize,
    /// Refused packets of boots before, the first ones.
    left_refused: Vec<(RefusedPacket, &'static str)>,
    /// Those that are not kept.
    more_refused: usize,
    /// The last time since boot, and the last boot that a record of JSON names.
    since_boot: Option<i64>,
    boot_id: Option<String>,
    /// The time of the line, or of the last one that has a time.
    now: Option<Stamp>,
    /// The kernel has left out lines before this one.
    has_more: bool,
    /// The GPUs that lines name.
    names: BTreeSet<String>,
}

/// When what no hang follows was.
pub(super) const BEFORE_BOOT: &str = " before the next boot";

pub(super) const BEFORE_START: &str = " before its driver started again";

/// Hangs that are kept; of more of them the last one and the one to report as well.
pub(super) const MOST_HANGS: usize = 32;

impl Log {
    pub fn line(&mut self, text: &str, number: usize) {
        self.lines += 1;
        let device = device(text);
        if !device.is_empty() && self.names.len() < MOST_GPUS && !self.names.contains(device) {
            self.names.insert(device.to_string());
        }
        if let Some(kernel) = boot(text) {
            self.boot(kernel);
        } else if text.contains("initializing kernel modesetting (") {
            // The driver of a GPU starts, for the first time since the boot or once more.
            if let Some(before) = (!device.is_empty()).then(|| self.devices.remove(device)).flatten() {
                self.leave(before, BEFORE_START);
                self.device(device).started = true;
            }
        } else if let Some(at) = text.find(FAULT) {
            self.fault(device, &text[..at], &text[at..], number);
        } else if let Some((ring, recovered)) = timeout(text) {
            self.hang(device, ring, recovered, number);
        } else if let Some((said, rules)) = refused(text) {
            let refused = RefusedPacket { order: self.lines, line: number, device: device.to_string(), kernel: self.kernel.clone(), said, rules };
            self.device(device).faults.refuse(refused);
        } else {
            if text.contains(" callbacks suppressed") && text.contains("gmc_v") {
                // It names no GPU, and is before the next line of that kind.
                self.has_more = true;
                self.devices.values_mut().filter(|device| device.faults.count > 0).for_each(|device| device.faults.has_more = true);
            }
            self.reset(device, text);
            self.more_about(device, text, number);
        }
    }

    /// A time since boot that goes back to the start is that of the next boot. Other programs have times of their own: Xorg writes `[    12.345] (II) …`.
    pub(super) fn time_of_record(&mut self, text: &str, time: Option<Stamp>) {
        let Some(time) = time else { return };
        if time.clock == Clock::Boot && ["amdgpu", "[drm", "Linux version "].iter().any(|key| text.contains(key)) && !text.contains("] (") {
            if self.since_boot.is_some_and(|before| time.micros < Stamp::START && time.micros - before < -Stamp::NEAR) {
                self.boot(None);
            }
            self.since_boot = Some(time.micros);
        }
        self.now = Some(time);
    }

    pub(super) fn boot_of_record(&mut self, boot: Option<&str>) {
        let Some(boot) = boot.filter(|boot| !boot.is_empty()) else { return };
        if self.boot_id.as_deref().is_some_and(|before| before != boot) {
            self.boot(None);
        }
        self.boot_id = Some(boot.to_string());
    }

    /// What the log says, with the lines.
    pub fn says(&self) -> Vec<(InputPlace, String)> {
        let now = self.devices.values().filter_map(Device::left).map(|(faults, fault)| (faults.counted(), fault, ""));
        let before = self.left.iter().map(|left| (left.counted.clone(), &left.first, left.until));
        let mut left: Vec<(String, &Fault, &str)> = before.chain(now).collect();
        left.sort_by_key(|(_, fault, _)| fault.order);
        let now = self.devices.values().flat_map(|device| &device.faults.refused).map(|refused| (refused, ""));
        let mut refused: Vec<(&RefusedPacket, &str)> = self.left_refused.iter().map(|(refused, until)| (refused, *until)).chain(now).collect();
        refused.sort_by_key(|(refused, _)| refused.order);
        let of_hangs = self.hangs.iter().map(|hang| &hang.device);
        let of_faults = left.iter().map(|(_, fault, _)| &fault.device);
        let devices: BTreeSet<&String> = of_hangs.chain(of_faults).chain(refused.iter().map(|(refused, _)| &refused.device)).collect();
        let is_one = devices.iter().filter(|device| !device.is_empty()).count() < 2;
        let of = |device: &str| if is_one || device.is_empty() { String::new() } else { format!(" of {device}") };
        let this = |device: &str| if is_one || device.is_empty() { "" } else { " of this GPU" };
        let mut said = Vec::new();
        for (at, hang) in self.hangs.iter().enumerate() {
            if at == MOST_HANGS && self.more > 0 {
                said.push((InputPlace::Whole, format!("not listed: {} after the first {MOST_HANGS}", counted(self.more, "hang"))));
            }
            said.push((InputPlace::Line(hang.line), hang.say(&of(&hang.device), self.names.len() > 1)));
        }
        for (what, fault, until) in left {
            let first = if what.starts_with("1 ") { "" } else { ", the first" };
            let (of, this) = (of(&fault.device), this(&fault.device));
            said.push((InputPlace::Line(fault.line), format!("{what}{of} that no hang{this} in the log follows{until}{first}: {}", fault.say_what())));
        }
        for (RefusedPacket { line, device, said: words, rules, .. }, until) in refused {
            let (of, this) = (of(device), this(device));
            said.push((InputPlace::Line(*line), format!("the kernel says{of} {words:?} ({rules}); no hang{this} in the log follows{until}")));
        }
        for (count, what) in [(self.more_faults, "page fault"), (self.more_refused, "refused packet")] {
            said.extend((count > 0).then(|| (InputPlace::Whole, format!("not listed: {} before other starts", counted(count, what)))));
        }
        // An input keeps so many remarks and no more: those about all of it are first.
        said.sort_by_key(|(place, _)| !matches!(place, InputPlace::Whole));
        said
    }

    /// Nothing that was before a boot has to do with what is after it.
    fn boot(&mut self, kernel: Option<&str>) {
        for device in mem::take(&mut self.devices).into_values() {
            self.leave(device, BEFORE_BOOT);
        }
        self.kernel = kernel.map(String::from);
        self.since_boot = None;
    }

    /// Keeps what no hang of a GPU follows: the first ones, and the last page fault.
    fn leave(&mut self, mut device: Device, until: &'static str) {
        let faults = device.take_faults();
        let counted = faults.counted();
        let room = MOST_HANGS.saturating_sub(self.left_refused.len());
        self.more_refused += faults.refused.len().saturating_sub(room);
        self.left_refused.extend(faults.refused.into_iter().take(room).map(|refused| (refused, until)));
        let Some(first) = faults.first.into_iter().next() else { return };
        let left = Left { counted, count: faults.count, first, kernel: self.kernel.clone(), until };
        if self.left.len() < MOST_HANGS {
            self.left.push(left);
        } else if let Some(last) = self.left.iter_mut().max_by_key(|left| left.first.order) {
            let is_later = left.first.order > last.first.order;
            self.more_faults += if is_later { mem::replace(last, left).count } else { left.count };
        }
    }

    /// What is known of a GPU. Those after the first many are one.
    fn device(&mut self, device: &str) -> &mut Device {
        let is_kept = self.devices.len() < MOST_GPUS || self.devices.contains_key(device);
        self.devices.entry(if is_kept { device.to_string() } else { String::new() }).or_default()
    }

    fn fault(&mut self, device: &str, before: &str, rest: &str, line: usize) {
        let vmid = after(rest, "vmid:").and_then(|vmid| vmid.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        let hub = hub(before).map(String::from);
        let fault = Fault { line, order: self.lines, device: device.to_string(), hub, vmid, process: process(rest, &OF_FAULT), ..Fault::default() };
        let has_more = mem::take(&mut self.has_more);
        let device = self.device(device);
        device.close();
        device.faults.count += 1;
        device.faults.has_more |= has_more;
        device.open = Some(fault);
        device.about = None;
    }

    /// The page faults and refused packets that a hang of a GPU may have: its own, and those of which the log does not state the GPU; and whether hangs before
    /// may have had others.
    fn faults_before(&mut self, device: &str) -> (Faults, bool) {
        let (mut all, mut follows) = (Faults::default(), false);
        for (_, other) in self.devices.iter_mut().filter(|(name, _)| device.is_empty() || name.is_empty() || *name == device) {
            let faults = other.take_faults();
            follows |= other.hangs;
            other.hangs |= device.is_empty() || faults.count > 0;
            all.count += faults.count;
            all.has_more |= faults.has_more;
            let mut refused: Vec<RefusedPacket> = mem::take(&mut all.refused).into_iter().chain(faults.refused).collect();
            refused.sort_by_key(|refused| refused.order);
            refused.into_iter().for_each(|refused| all.refuse(refused));
            all.first.extend(faults.first);
        }
        all.first.sort_by_key(|fault| fault.order);
        (all, follows)
    }

    fn hang(&mut self, device: &str, ring: &str, recovered: bool, line: usize) {
        let (faults, follows) = self.faults_before(device);
        let (order, at) = (self.lines, self.now.clone());
        let state = self.device(device);
        state.about = Some(order);
        state.hangs = true;
        let started = state.started;
        state.forget_old(at.as_ref());
        // The reset of another ring has ended, if it was one of a ring alone.
        if let Some(other) = state.resets_ring.take_if(|other| !recovered && *other != ring)
            && state.resets.is_none()
        {
            state.hung.retain(|hung| hung.ring != other);
        }
        // A ring that timed out once more did so after a reset of which the log lacks the end.
        let is_again = state.hung.iter().any(|hung| hung.ring == ring);
        let during = state.hung.last().filter(|_| state.resets.is_some() && !recovered && !is_again).map(|hung| hung.line);
        if is_again && state.resets.is_some() {
            (state.hung, state.resets) = (Vec::new(), None);
        }
        state.hung.retain(|hung| hung.ring != ring);
        if !recovered {
            if during.is_none() {
                if state.hung.len() == MOST_PENDING {
                    state.hung.remove(0);
                }
                state.hung.push(Pending { order, line, ring: ring.to_string(), at });
                state.resets = None;
            }
            if during.is_none() || faults.count > 0 {
                self.chosen = Some(order);
            }
            self.last = Some(order);
        }
        if self.hangs.len() > MOST_HANGS {
            let mut rest = self.hangs.split_off(MOST_HANGS);
            let count = rest.len();
            rest.retain(|hang| Some(hang.order) == self.chosen);
            self.more += count - rest.len();
            self.hangs.append(&mut rest);
        }
        let (device, ring, kernel) = (device.to_string(), ring.to_string(), self.kernel.clone());
        self.hangs.push(Hang { order, line, device, kernel, ring, process: None, recovered, during, reset: None, follows, started, faults });
    }

    /// Takes a line about a reset. Older kernels do not state the GPU of a hang, but that of its reset.
    fn reset(&mut self, device: &str, text: &str) {
        let Some(said) = reset(text) else { return };
        let now = self.now.clone();
        let names = [device, ""];
        for name in if device.is_empty() { &names[1..] } else { &names[..] } {
            let Some(state) = self.devices.get_mut(*name) else { continue };
            // A clock may be set while a reset runs.
            if !matches!(said, Reset::Ends { .. }) || state.resets.is_none() && state.resets_ring.is_none() {
                state.forget_old(now.as_ref());
            }
            let (ring, succeeded) = match said {
                Reset::Begins => {
                    state.resets.get_or_insert_with(|| device.to_string());
                    continue;
                }
                Reset::RingBegins(ring) => {
                    state.resets_ring = Some(ring.to_string());
                    continue;
                }
                Reset::Ends { ring, succeeded } => (ring, succeeded),
            };
            state.resets_ring = None;
            let resets = &state.resets;
            state.hung.retain(|hung| {
                let is_of = match ring {
                    Some(ring) => hung.ring == ring,
                    None => resets.as_ref().is_none_or(|of| of == device),
                };
                if let Some(hang) = self.hangs.iter_mut().rfind(|hang| is_of && hang.order == hung.order) {
                    hang.reset = Some(match (ring, succeeded) {
                        (Some(_), true) => "the ring was reset",
                        (Some(_), false) => "the reset of the ring failed",
                        (None, true) => "the GPU was reset",
                        (None, false) => "the reset of the GPU failed",
                    });
                }
                // After a ring the GPU is tried.
                !is_of || ring.is_some() && !succeeded
            });
            if state.hung.is_empty() {
                state.resets = None;
            }
        }
    }

    /// A log may begin behind the first line of a page fault.
    fn cut_fault(&mut self, device: &str, text: &str, line: usize) {
        let says = |key: &str| text.contains(key);
        let is_new = !self.devices.contains_key(device) && self.devices.len() < MOST_GPUS;
        if is_new && text.contains("amdgpu") && (says("in page starting at address ") || STATUS.into_iter().any(says)) {
            let fault = Fault { line, order: self.lines, device: device.to_string(), ..Fault::default() };
            let device = self.device(device);
            device.faults.count += 1;
            device.open = Some(fault);
        }
    }

    /// Takes a line after that of an event of a GPU.
    fn more_about(&mut self, device: &str, text: &str, line: usize) {
        self.cut_fault(device, text, line);
        // Of a hang whose GPU is not known the lines may be of any program.
        let of_hang = process(text, &OF_HANG).filter(|_| !device.is_empty() || text.contains(" thread "));
        let Some(device) = self.devices.get_mut(device) else { return };
        if let Some(order) = device.about
            && let Some(hang) = self.hangs.iter_mut().rfind(|hang| hang.order == order)
            && hang.process.is_none()
        {
            hang.process = of_hang;
        }
        let Some(fault) = &mut device.open else { return };
        if let Some(rest) = after(text, "page starting at address ").or_else(|| after(text, "at page ")) {
            fault.address = fault.address.or_else(|| hex(cut(rest, |c| c.is_ascii_alphanumeric())));
        } else if let Some(rest) = STATUS.iter().find_map(|key| after(text, key)) {
            fault.status = hex32(cut(rest, |c| c.is_ascii_alphanumeric())).unwrap_or(0);
        } else if let Some(rest) = after(text, "Faulty UTCL2 client ID:") {
            fault.client = rest.rsplit_once(" (").map(|(client, _)| client.to_string()).filter(|client| client != "unknown");
        } else if fault.process.is_none() {
            fault.process = process(text, &OF_FAULT);
        }
    }

    /// Lists all hangs, and states one of them. Gives the device that this one is of; empty where it is not known.
    pub(super) fn tell(mut self, input: &mut Input) -> String {
        let said = self.says();
        let say = |input: &mut Input| said.into_iter().for_each(|(place, message)| input.remark(place, message));
        let count = self.hangs.len() + self.more;
        // A ring that recovered is less of a hang.
        let at = self.hangs.iter().position(|hang| Some(hang.order) == self.chosen).or(self.hangs.len().checked_sub(1));
        let Some(hang) = at.map(|at| self.hangs.swap_remove(at)) else {
            say(input);
            return self.tell_fault(input);
        };
        if count > 1 {
            let which = match self.chosen {
                None => ", the last one",
                chosen if chosen == self.last => ", the last one that did not recover",
                Some(_) => "; those after it recovered, or timed out during a reset",
            };
            input.remark(InputPlace::Whole, format!("rings timed out {count} times: the report is about line {}{which}", hang.line));
        }
        say(input);
        let fault = hang.fault();
        let device = if hang.device.is_empty() { fault.filter(|(_, is_own)| *is_own).map(|(fault, _)| &fault.device) } else { Some(&hang.device) };
        let device = device.cloned().unwrap_or_default();
        facts(input, hang.kernel.as_deref(), hang.process.as_deref());
        let ip_type = match crate::input::ground::ring_words::RunBy::of_name(&hang.ring).queue() {
            Some(Queue::Graphics) => Some(0),
            Some(Queue::Compute) => Some(1),
            _ => None,
        };
        let fault = fault.and_then(|(fault, is_own)| fault.stated(!is_own));
        input.hang = Some(HangFacts { ip_type, ring: Some(hang.ring), fault, ..HangFacts::default() });
        device
    }

    /// States the last page fault that is the first of its GPU, where no ring timed out.
    fn tell_fault(self, input: &mut Input) -> String {
        let now = self.devices.values().filter_map(Device::left).map(|(_, fault)| (fault, self.kernel.as_deref()));
        let before = self.left.iter().map(|left| (&left.first, left.kernel.as_deref())).max_by_key(|(fault, _)| fault.order);
        let Some((fault, kernel)) = now.max_by_key(|(fault, _)| fault.order).or(before) else {
            let now = self.devices.into_values().flat_map(|device| device.faults.refused);
            let refused = now.chain(self.left_refused.into_iter().map(|(refused, _)| refused)).max_by_key(|refused| refused.order);
            let kernel = refused.as_ref().map_or(self.kernel.as_deref(), |refused| refused.kernel.as_deref());
            facts(input, kernel, None);
            input.hang = refused.is_some().then(HangFacts::default);
            return refused.map_or_else(String::new, |refused| refused.device);
        };
        facts(input, kernel, fault.process.as_deref());
        input.hang = Some(HangFacts { fault: fault.stated(false), ..HangFacts::default() });
        fault.device.clone()
    }
}

pub(super) fn facts(input: &mut Input, kernel: Option<&str>, process: Option<&str>) {
    input.facts.extend(kernel.map(|kernel| ("kernel", kernel.to_string())));
    input.facts.extend(process.map(|process| ("process", process.strip_prefix("process ").unwrap_or(process).to_string())));
}
