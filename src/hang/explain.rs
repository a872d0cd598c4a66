//! Runs the dumped buffers and reports what can explain the hang.

use super::fault;
use super::locate::{Begun, HangReport};
use super::names::Known;
use super::position::{Confidence, CpEngine, PacketPlace};
use super::stalled_wait::StalledWait;
use super::waits;
use crate::cp::{CommandProcessor, DrawView, Finding, Observer, Place, Severity, Summary};
use crate::input::ring_words::{ADDRESS, PAGE, RunBy};
use crate::input::{InputForm, WrongAddress};
use crate::packet::{Header, Packet, Queue};
use crate::plurals::counted;
use crate::regs;
use crate::report::{Buffers, DrawState, DrawWatch, OutputFormat, ReportOptions, WantedDraw, Written, addresses, paint, run_watched, shown, snippet_of};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Maximum number of findings kept.
const KEPT: usize = 1 << 12;
const SHOWN: usize = 6;
/// Maximum number of addresses kept.
const ADDRESSES: usize = 1 << 16;

/// The packets executed up to and including `last`; all packets, without `last`.
struct UpTo {
    last: Option<Place>,
    /// Whether `last` was executed.
    over: bool,
    met: BTreeSet<Place>,
}

impl UpTo {
    fn new(last: Option<Place>) -> Self {
        Self { last, over: false, met: BTreeSet::new() }
    }

    fn meet(&mut self, place: Place) {
        if !self.over {
            self.met.insert(place);
            self.over = self.last == Some(place);
        }
    }
}

/// Watches a run up to the executing packet, and the findings about it.
struct Watch<'h, 'i> {
    hang: &'h HangReport<'i>,
    draw: DrawWatch,
    /// Up to the packet that was being executed.
    executed: UpTo,
    /// Up to the last packet that can have run, if it is uncertain which one was being executed.
    possible: UpTo,
    /// Up to the packet of PFP, if that of ME is known and PFP is ahead of it.
    ahead: Option<UpTo>,
    known: Vec<Known>,
    findings: Vec<Finding>,
}

impl Observer for Watch<'_, '_> {
    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        self.draw.packet(queue, place, packet);
        let over = self.executed.over;
        self.executed.meet(place);
        self.possible.meet(place);
        if let Some(ahead) = &mut self.ahead {
            ahead.meet(place);
        }
        // Engines that run ahead, and fetchers, read packets after the executing one.
        if self.known.len() < ADDRESSES {
            let name = packet.name(self.hang.gfx).unwrap_or("?");
            let buffer = self.hang.buffer_name(place.buffer);
            let after = if over { ", after the packet that was being executed" } else { "" };
            self.known.extend(
                addresses(packet, self.hang.gfx, queue)
                    .into_iter()
                    .map(|(field, address)| Known { address, what: format!("{field} of {name} ({buffer} dword {}{after})", place.dword) }),
            );
        }
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        self.draw.draw(view);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw.dispatch(view);
    }

    fn finding(&mut self, finding: &Finding) {
        if self.findings.len() < KEPT {
            self.findings.push(finding.clone());
        }
    }
}

/// The relation of a finding to the hang, closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    /// It is about the packet that was being executed.
    Packet,
    /// It is about the packet that PFP was executing, ahead of ME.
    PacketOfPfp,
    /// It is about the latest draw that can be in flight.
    Draw,
    /// It is about a packet or work that ran before.
    Before,
    /// The packet that each engine was executing is unknown.
    Unknown,
    /// It is about packets that PFP has read and ME has not.
    Ahead,
    /// It is about packets that were not reached.
    After,
}

impl Tie {
    fn say(self) -> &'static str {
        match self {
            Self::Packet => "about the packet that was being executed",
            Self::PacketOfPfp => "about the packet that PFP was executing, ahead of ME",
            Self::Draw => "about the latest draw that can be in flight",
            Self::Before => "about packets that ran before",
            Self::Unknown => "about packets of which it is not known whether they ran",
            Self::Ahead => "about packets that PFP has read, ahead of ME",
            Self::After => "about packets that were not reached",
        }
    }
}

/// A hang with the results of the model.
struct Explained<'e> {
    hang: &'e HangReport<'e>,
    state: Option<&'e DrawState>,
    /// Whether that draw is the last one up to the executing packet, not merely the last one of the dump.
    located: bool,
    /// The confidence of the position, if known.
    confidence: Option<Confidence>,
    begun: Begun,
    /// The wait of the packet that was being executed.
    wait: Option<StalledWait>,
    /// Waits and busy parts, in sentences.
    waits: Vec<String>,
    fault: Option<(fault::Access, String, Vec<String>)>,
    /// Addresses that a driver found wrong, up to the packet that was being executed.
    wrong: Vec<&'e WrongAddress>,
    suspects: Vec<(Tie, &'e Finding)>,
    /// Findings about packets that were not reached.
    after: usize,
    /// Whether there are findings about packets that ME has not reached, while the progress of PFP is unknown.
    unsure_of_pfp: bool,
}

/// Executes the streams submitted to `cp`, as [`report::run`](crate::report::run) does, and reports what can explain the hang: the packet that each engine
/// was executing with its confidence, the waits in the registers, the draw in flight with the origin of its state, the addresses near the page fault, and the
/// related findings, most likely first. `observer` receives everything as well.
///
/// # Errors
/// Errors of writing to `out`.
pub fn run(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    hang: &HangReport<'_>,
    observer: &mut dyn Observer,
) -> io::Result<Summary> {
    run_recorded(out, cp, before, options, hang, observer).map(|(summary, _)| summary)
}

/// Like [`run`], and returns the JSON record of the hang (docs/json.md), whatever format is printed: the input of a page
/// (`report::html::RunPage::hang`).
///
/// # Errors
/// Errors of writing to `out`.
pub fn run_recorded(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    hang: &HangReport<'_>,
    observer: &mut dyn Observer,
) -> io::Result<(Summary, String)> {
    let stalled = hang.stalled().and_then(|position| position.candidates.first().copied());
    let last = stalled.and_then(|packet| hang.last_in_buffers(packet));
    let wanted = last.map_or(WantedDraw::Last, WantedDraw::Before);
    let draw = DrawWatch::new(wanted);
    // An uncertain position gives no more information than the fetched dwords.
    let doubtful = hang.stalled().is_some_and(|position| position.confidence == Confidence::Low);
    let limit = if doubtful { hang.last_fetched() } else { last };
    let ahead = hang.ahead().and_then(|position| hang.last_in_buffers(*position.candidates.first()?));
    let mut watch = Watch {
        hang,
        draw,
        executed: UpTo::new(last),
        possible: UpTo::new(limit),
        ahead: ahead.map(|last| UpTo::new(Some(last))),
        known: Vec::new(),
        findings: Vec::new(),
    };
    let mut record = String::new();
    let summary = run_watched(out, cp, before, options, &mut watch, observer, |watch, out, buffers| {
        let state = watch.draw.take_found();
        let explained = explain(watch, state.as_ref(), hang, stalled);
        record = explained.record(buffers).to_string();
        match options.format {
            OutputFormat::Text => explained.text(out, buffers, options.color)?,
            OutputFormat::Json => writeln!(out, "{record}")?,
        }
        match explained.state {
            Some(state) => state.print(out, buffers, options),
            None => Ok(()),
        }
    })?;
    Ok((summary, record))
}

fn explain<'e>(watch: &'e Watch<'_, '_>, state: Option<&'e DrawState>, hang: &'e HangReport<'e>, stalled: Option<PacketPlace>) -> Explained<'e> {
    let begun = hang.begun();
    let no_job_yet = hang.has_job() && begun == Begun::No { proved: true };
    let state = state.filter(|_| !no_job_yet);
    let wait = stalled.and_then(|packet| StalledWait::of(hang, packet));
    // An uncertain position may be before the packet that was being executed.
    let sure = hang.stalled().filter(|position| position.confidence > Confidence::Low);
    let wrong = hang.wrong_addresses(sure.and_then(|position| position.candidates.first().copied()));
    let stalled = stalled.and_then(|packet| hang.place(packet));
    let pfp = hang.ahead().and_then(|position| hang.place(*position.candidates.first()?));
    let tie = |finding: &Finding| {
        let range = finding.draw.map(|first| first..=finding.last_draw.unwrap_or(first));
        let is_ahead = || watch.ahead.as_ref().is_some_and(|ahead| ahead.met.contains(&finding.place));
        let later = || if is_ahead() { Tie::Ahead } else { Tie::After };
        if Some(finding.place) == stalled {
            Tie::Packet
        } else if pfp.is_some_and(|pfp| pfp == finding.place) {
            Tie::PacketOfPfp
        } else if no_job_yet {
            later()
        } else if watch.executed.last.is_none() {
            Tie::Unknown
        } else if state.is_some_and(|state| range.is_some_and(|range| range.contains(&state.index)) || finding.place == state.place) {
            Tie::Draw
        } else if watch.executed.met.contains(&finding.place) {
            Tie::Before
        } else if watch.possible.met.contains(&finding.place) {
            Tie::Unknown
        } else {
            later()
        }
    };
    let mut suspects: Vec<(Tie, &Finding)> = watch.findings.iter().map(|finding| (tie(finding), finding)).collect();
    let after = suspects.iter().filter(|(tie, _)| *tie == Tie::After).count();
    // An info about the executing packet, especially a wait, may itself be the cause.
    suspects.retain(|(tie, finding)| *tie != Tie::After && (finding.severity > Severity::Info || *tie == Tie::Packet));
    // The executing packet first, then that of PFP; then errors before warnings; within each, the closest first, and the latest of those that ran before.
    let rank = |(tie, finding): &(Tie, &Finding)| {
        let place = (finding.place.buffer, finding.place.dword);
        ((*tie).min(Tie::Draw), core::cmp::Reverse(finding.severity), *tie, core::cmp::Reverse(place))
    };
    suspects.sort_by_key(rank);
    suspects.truncate(SHOWN);
    let fault = hang.facts.fault.as_ref().map(|fault| {
        let near = match fault::of_another_space(hang, fault) {
            Some(why) => vec![why],
            None => {
                // Only the first names of an address are printed.
                let mut known: Vec<Known> = hang.facts.addresses.iter().map(|wrong| fault::of_driver(hang, wrong)).collect();
                known.extend(watch.known.iter().cloned());
                known.extend(state.map(fault::of_state).unwrap_or_default());
                let mut near = fault::near(hang, fault, &known);
                near.extend(fault::descriptors(hang, fault.address, &state.map(user_data).unwrap_or_default()));
                if near.is_empty() {
                    near.push(fault::nothing_near(hang));
                }
                let memory = hang.facts.memory.iter().flat_map(|memory| fault::memory(fault.address & ADDRESS & !(PAGE - 1), memory));
                memory.chain(near).collect()
            }
        };
        (fault::Access::of(hang.gfx, fault), fault::status(hang.gfx, fault), near)
    });
    let (confidence, located) = (hang.stalled().map(|position| position.confidence), watch.executed.last.is_some());
    let pfp_may_be_there = hang.may_be_fetched() && hang.ahead().is_none();
    let unsure_of_pfp = pfp_may_be_there && after > 0 && sure.is_some_and(|position| position.engine == CpEngine::Me);
    Explained { hang, state, located, confidence, begun, wait, waits: waits_of(hang), fault, wrong, suspects, after, unsure_of_pfp }
}

/// Returns the initial values of the first registers of shaders.
fn user_data(state: &DrawState) -> Vec<(String, u32)> {
    let named = |(addr, written): (&u32, &Written)| {
        let name = regs::lookup(state.gfx, *addr)?.to_string();
        name.contains("USER_DATA").then_some((name, written.value))
    };
    state.registers.iter().filter_map(named).collect()
}

/// Returns the state of the engines that run the ring, according to the registers. For a ring that the command processor does not run there is none, and a lost
/// device has all bits set.
fn waits_of(hang: &HangReport<'_>) -> Vec<String> {
    if hang.ring == RunBy::Other || hang.facts.is_blank() {
        return Vec::new();
    }
    let (ring, facts, blocks) = (hang.ring, hang.facts, hang.blocks.as_slice());
    let mut lines: Vec<String> = waits::of(ring, facts, blocks).map(|wait| wait.meaning.to_string()).collect();
    let busy = waits::busy(hang.gfx, facts, blocks);
    if !busy.is_empty() {
        lines.push(format!("busy: {}", busy.join(", ")));
    }
    // Linux 7.1 gc_11_0_0_sh_mask.h: waves run if the launch of shaders is busy. Other parts of the pipe may hold a draw before or after its shaders run.
    if waits::is_for_shaders(ring, facts, blocks) && !busy.is_empty() && waits::is_pipe_busy(&busy) && !busy.contains(&waits::SHADER_LAUNCH) {
        lines.push("no shaders are being launched: the draw or dispatch is in the parts of the pipe that are busy".to_string());
    } else if waits::is_for_shaders(ring, facts, blocks) && !busy.is_empty() && !busy.contains(&waits::SHADER_LAUNCH) {
        lines.push("the engine waits for shaders, but no shader unit is busy: the registers may have been read at different times".to_string());
    }
    lines.extend(waits::errors(ring, facts, blocks));
    lines
}

impl Explained<'_> {
    fn text(&self, out: &mut dyn Write, buffers: &Buffers<'_>, color: bool) -> io::Result<()> {
        let hang = self.hang;
        let title = hang.facts.ring.as_deref().map_or_else(|| "hang".to_string(), |ring| format!("hang: ring {}", shown(ring)));
        writeln!(out, "\n{}", paint(color, "1", &title))?;
        for name in ["process", "application", "kernel", "graphics core"] {
            if let Some(value) = hang.input.fact(name) {
                writeln!(out, "  {name}: {}", shown(value))?;
            }
        }
        if let Some((buffer, dword)) = hang.fetched {
            let buffer = &hang.input.buffers[buffer];
            let what = if hang.is_compute() { "consumed" } else { "fetched" };
            let size = buffer.expected_dwords.unwrap_or(buffer.words.len());
            writeln!(out, "  {what}: {} up to dword {dword} of {size} ({})", buffer.name, hang.fetched_by)?;
        }
        for position in &hang.positions {
            let Some(first) = position.candidates.first() else {
                writeln!(out, "  {}: not found; {}", position.engine, position.by)?;
                let names: Vec<&str> = position.headers.iter().filter_map(|header| Header(*header).opcode().name(hang.gfx)).collect();
                if !names.is_empty() {
                    writeln!(out, "      headers in its queue, in the order in which they were read: {}", names.join(", "))?;
                }
                continue;
            };
            writeln!(out, "  {} at {}  ({} confidence, by {})", position.engine, paint(color, "1", &hang.describe(*first)), position.confidence, position.by)?;
            for other in &position.candidates[1..] {
                writeln!(out, "      or {}", hang.describe(*other))?;
            }
            let unlisted = position.fitting.saturating_sub(position.candidates.len());
            if unlisted > 0 && position.headers.len() > 1 {
                writeln!(out, "      or {unlisted} more")?;
            }
        }
        if let Some(packet) = hang.stalled().and_then(|position| position.candidates.first()) {
            snippet_of(out, hang.gfx, hang.queue_of(packet.buffer), &hang.words(*packet), packet.dword as u64, color)?;
        }
        if let Some(wait) = &self.wait {
            wait.lines(hang).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        if let (Begun::No { proved }, Some(start)) = (self.begun, hang.start()) {
            let if_right = if proved { "" } else { "if this position is right, " };
            let no_draw = if hang.has_job() { ", and none of its draws is in flight" } else { "" };
            writeln!(
                out,
                "  {if_right}the job has not begun: its first buffer is started by {}, which the engine has not reached{no_draw}",
                hang.describe(start)
            )?;
        }
        self.waits.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        self.shader_waves().iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        hang.notes.iter().try_for_each(|note| writeln!(out, "  note: {note}"))?;
        if let Some((_, status, near)) = &self.fault
            && let Some(fault) = &hang.facts.fault
        {
            let status = if status.is_empty() { String::new() } else { format!(" ({status})") };
            let hub = fault.hub.as_ref().map_or_else(String::new, |hub| format!("seen by {hub}, "));
            let last = match (last_since_boot(hang), fault.may_be_of_another_job) {
                (true, _) => "; the last one since boot, possibly caused by another job",
                (false, true) => "; possibly caused by another job",
                (false, false) => "",
            };
            writeln!(out, "  page fault: 0x{:012x}, {hub}status 0x{:08x}{status}{last}", fault.address, fault.status)?;
            near.iter().try_for_each(|line| writeln!(out, "      {line}"))?;
        }
        let said = by_address(&self.wrong);
        for (first, places) in said.iter().take(SHOWN) {
            writeln!(out, "  {}", wrong_address(hang, first, *places))?;
        }
        let more = said.iter().skip(SHOWN).map(|(_, places)| places).sum::<usize>();
        if more > 0 {
            writeln!(out, "  and of addresses at {}", counted(more, "more place"))?;
        }
        if let Some(state) = self.state {
            let what = if self.located { "latest draw that can be in flight" } else { "which draw is in flight is not known; last draw of the dump" };
            let doubtful = if self.located && self.confidence == Some(Confidence::Low) { "this depends on a doubtful position; " } else { "" };
            let (index, name, place) = (state.index, state.name, state.place);
            writeln!(out, "  {what}: {index} ({name}) at {}[{}]; {doubtful}its state follows", shown(buffers.name(place.buffer)), place.dword)?;
        }
        match self.suspects.is_empty() {
            // The notes give the reason.
            true if !hang.has_job() || !hang.is_submitted() => {}
            true if self.begun == Begun::No { proved: true } && self.unsure_of_pfp => {
                writeln!(out, "  the findings are about the job, which ME has not begun")?
            }
            true if self.begun == Begun::No { proved: true } => {
                writeln!(out, "  no finding can explain it: the findings are about the job, which has not begun")?
            }
            true if self.located && self.confidence == Some(Confidence::Low) => {
                writeln!(out, "  no finding can explain it: the rules found no error and no warning in the packets that can have run")?;
            }
            true if self.located && self.unsure_of_pfp => {
                writeln!(out, "  the rules found no error and no warning up to the packet that ME was executing")?;
            }
            true if self.located => {
                writeln!(out, "  no finding can explain it: the rules found no error and no warning up to the packet that was being executed")?;
            }
            true => writeln!(out, "  no finding can explain it: the rules found no error and no warning in the dump")?,
            false => {
                let can = if self.suspects.iter().all(|(_, finding)| finding.severity == Severity::Info) { "may" } else { "can" };
                writeln!(out, "  findings that {can} explain it, most likely first:")?;
            }
        }
        for (tie, finding) in &self.suspects {
            writeln!(
                out,
                "    {} {}[{}] ({}): {}",
                paint(color, "1", &finding.severity.to_string()),
                buffers.name(finding.place.buffer),
                finding.place.dword,
                tie.say(),
                finding_line(finding)
            )?;
        }
        let (by, then) = match (self.unsure_of_pfp, self.after) {
            (false, _) => ("no engine had reached", ""),
            (true, 1) => ("ME had not reached", "; PFP may have read it"),
            (true, _) => ("ME had not reached", "; PFP may have read them"),
        };
        match self.after {
            0 => Ok(()),
            1 => writeln!(out, "  1 finding is about a packet that {by}{then}"),
            after => writeln!(out, "  {after} findings are about packets that {by}{then}"),
        }
    }

    /// Returns the positions of shader waves, as sentences.
    fn shader_waves(&self) -> Vec<String> {
        let waves = &self.hang.facts.waves;
        if waves.is_empty() {
            return Vec::new();
        }
        let count = waves.iter().map(|at| at.count).sum::<usize>();
        let mut lines = vec![format!("waves of shaders that were running when umr looked: {count}, at {}:", counted(waves.len(), "place"))];
        lines.extend(waves.iter().take(SHOWN).map(|at| {
            let program = self.state.and_then(|state| fault::program_at(state, at.address));
            let place = program.map_or_else(String::new, |(register, bytes)| {
                format!(", 0x{bytes:x} bytes after the program in {register} of the draw whose state follows (the length of the program is not known)")
            });
            format!("    {} at 0x{:012x}{place}", counted(at.count, "wave"), at.address)
        }));
        lines
    }

    fn record(&self, buffers: &Buffers<'_>) -> Value {
        let hang = self.hang;
        let place = |packet: &PacketPlace| {
            let buffer = hang.input.buffers.get(packet.buffer).map_or("?", |buffer| buffer.name.as_str());
            let mut record = json!({ "buffer": buffer, "dword": packet.dword, "opcode": packet.header.opcode().name(hang.gfx).unwrap_or("?") });
            if let Some(place) = hang.place(*packet) {
                record["file"] = buffers.name(place.buffer).into();
            }
            record
        };
        let engines: Vec<Value> = hang
            .positions
            .iter()
            .map(|position| {
                let headers: Vec<String> = position.headers.iter().map(|header| format!("0x{header:08x}")).collect();
                json!({
                    "engine": position.engine.to_string(), "confidence": position.confidence.to_string(), "by": position.by, "fitting": position.fitting,
                    "candidates": position.candidates.iter().map(place).collect::<Vec<_>>(), "headers": headers,
                })
            })
            .collect();
        let suspects: Vec<Value> = self
            .suspects
            .iter()
            .map(|(tie, finding)| {
                json!({
                    "code": finding.code, "severity": finding.severity.to_string(), "file": buffers.name(finding.place.buffer), "dword": finding.place.dword,
                    "tie": tie.say(), "message": finding.message,
                })
            })
            .collect();
        let mut record = json!({
            "type": "hang", "job": hang.has_job(), "engines": engines, "waits": self.waits, "notes": hang.notes, "suspects": suspects,
            "not_reached": self.after,
        });
        if !self.wrong.is_empty() {
            record["addresses"] = self.wrong.iter().map(|wrong| wrong_record(hang, wrong)).collect();
        }
        if !hang.facts.waves.is_empty() {
            record["shader_waves"] = hang.facts.waves.iter().map(|at| json!({ "address": format!("0x{:012x}", at.address), "waves": at.count })).collect();
        }
        if let Some(ring) = &hang.facts.ring {
            record["ring"] = ring.clone().into();
        }
        if let Some((buffer, dword)) = hang.fetched {
            record["fetched"] = json!({ "buffer": hang.input.buffers[buffer].name, "dword": dword, "by": hang.fetched_by });
        }
        if let Some(state) = self.state {
            record["draw"] = state.index.into();
            record["draw_by"] = if self.located { "position" } else { "last" }.into();
        }
        if let Begun::No { proved } = self.begun {
            record["begun"] = if proved { "no" } else { "perhaps not" }.into();
        }
        if let Some(wait) = &self.wait {
            record["wait"] = wait.record(hang, place);
        }
        if let (Some((access, status, near)), Some(fault)) = (&self.fault, &hang.facts.fault) {
            let (address, word) = (format!("0x{:012x}", fault.address), format!("0x{:08x}", fault.status));
            let mut record_of_fault = json!({ "address": address, "status": word, "meaning": status, "near": near, "last_since_boot": last_since_boot(hang) });
            if let Some(hub) = &fault.hub {
                record_of_fault["hub"] = hub.clone().into();
            }
            if let Some(client) = &access.client {
                record_of_fault["client"] = client.clone().into();
            }
            if let Some(is_write) = access.is_write {
                record_of_fault["access"] = if is_write { "write" } else { "read" }.into();
            }
            record["fault"] = record_of_fault;
        }
        if let (Some(record), Some(fault)) = (record.get_mut("fault"), &hang.facts.fault) {
            record["may_be_of_another_job"] = fault.may_be_of_another_job.into();
        }
        record
    }
}

fn wrong_record(hang: &HangReport<'_>, wrong: &WrongAddress) -> Value {
    let WrongAddress { buffer, dword, field, address, verdict } = wrong;
    let buffer = hang.input.buffers.get(*buffer).map_or("?", |buffer| buffer.name.as_str());
    json!({ "buffer": buffer, "dword": dword, "field": field, "address": format!("0x{address:012x}"), "verdict": verdict })
}

/// Returns the first place of each address with the same message, and the number of such places, in order.
fn by_address<'e>(wrong: &[&'e WrongAddress]) -> Vec<(&'e WrongAddress, usize)> {
    let mut found: BTreeMap<(u64, &str), usize> = BTreeMap::new();
    let mut said: Vec<(&WrongAddress, usize)> = Vec::new();
    for &one in wrong {
        let at = *found.entry((one.address, &one.verdict)).or_insert(said.len());
        match said.get_mut(at) {
            Some((_, places)) => *places += 1,
            None => said.push((one, 1)),
        }
    }
    said
}

/// Returns a driver's statement about an address as a sentence; the address occurs in `places` places, of which one is given.
fn wrong_address(hang: &HangReport<'_>, wrong: &WrongAddress, places: usize) -> String {
    let WrongAddress { buffer, dword, field, address, verdict } = wrong;
    let buffer = hang.input.buffers.get(*buffer).map_or("?", |buffer| buffer.name.as_str());
    let others = if places > 1 { format!(", and at {}", counted(places - 1, "more place")) } else { String::new() };
    format!("the driver says of 0x{address:012x} ({field} at {buffer} dword {dword}{others}): {verdict}")
}

/// Returns whether the page fault is the last one since boot, perhaps of another job: kernels record it without a time.
fn last_since_boot(hang: &HangReport<'_>) -> bool {
    hang.input.form == InputForm::Devcoredump
}

fn finding_line(finding: &Finding) -> String {
    format!("[{}] {}", finding.code, finding.message)
}
