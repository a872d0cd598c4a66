//! Executing packets.

use super::draws::{Work, WorkTable};
use super::names::Names;
use super::observer::Observer;
use super::options::Options;
use super::place::Place;
use super::processor::Summary;
use super::queue::QueueState;
use super::rules::{self, Judge, Rule, Scene, Verdict};
use super::view::DrawView;
use super::writes::WriteRules;
use crate::chip::{Chip, Gfx};
use crate::cp::memory::Memory;
use crate::packet::{DecodeError, Opcode, Packet, Queue};
use crate::regs::Space;
use alloc::format;
use alloc::vec::Vec;

/// What the engines know about the chip, made once.
#[derive(Debug)]
pub(super) struct Tables {
    pub names: Names,
    pub work: WorkTable,
    pub writes: WriteRules,
    pub draw_rules: Vec<&'static Rule>,
}

impl Tables {
    pub fn new(chip: Chip) -> Self {
        let draw_rules = rules::all().filter(|rule| rule.scope.contains(chip) && matches!(rule.judge, Judge::Draw(_))).collect();
        Self { names: Names::new(chip.gfx()), work: WorkTable::new(chip.gfx()), writes: WriteRules::new(chip), draw_rules }
    }
}

/// The command processor while it runs: everything but the queue at hand.
pub(super) struct Engine<'e, 'a> {
    pub chip: Chip,
    pub gfx: Gfx,
    pub options: &'e Options,
    pub tables: &'e Tables,
    pub memory: &'e Memory<'a>,
    pub summary: &'e mut Summary,
    /// Dwords executed so far in this run.
    pub dwords: &'e mut u64,
    /// Packets that were not executed, by opcode.
    pub skipped: &'e mut [u64; 256],
    pub observer: &'e mut dyn Observer,
}

impl<'a> Engine<'_, 'a> {
    /// Executes the next packet of the queue. False when the queue has nothing left.
    pub fn step(&mut self, queue: &mut QueueState<'a>) -> bool {
        let Some(frame) = queue.frames.last_mut() else {
            let Some(next) = queue.pending.pop_front() else { return false };
            queue.frames.push(next);
            return true;
        };
        match frame.reader.next() {
            None => {
                queue.frames.pop();
            }
            Some(Err(damage)) => {
                let place = frame.place(damage.offset);
                *self.dwords += damage.skipped as u64;
                self.truncated(queue, place, &damage);
            }
            Some(Ok(packet)) => {
                let (place, packet) = (frame.place(packet.offset), frame.located(packet));
                self.execute(queue, place, packet);
                *self.dwords += packet.dwords() as u64;
                queue.packets += 1;
                self.summary.packets += 1;
            }
        }
        true
    }

    fn execute(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'a>) {
        self.observer.packet(queue.queue, place, &packet);
        let Some(opcode) = packet.opcode() else { return self.other_type(queue, place, &packet) };
        if let Some(work) = self.tables.work.of(opcode) {
            return self.work(queue, place, packet, work);
        }
        match opcode {
            Opcode::NOP => {}
            Opcode::SET_CONTEXT_REG | Opcode::SET_CONTEXT_REG_INDEX | Opcode::SET_CONTEXT_REG_PAIRS | Opcode::SET_CONTEXT_REG_PAIRS_PACKED => {
                self.set_registers(queue, place, &packet, Space::Context)
            }
            Opcode::SET_SH_REG | Opcode::SET_SH_REG_INDEX | Opcode::SET_SH_REG_PAIRS | Opcode::SET_SH_REG_PAIRS_PACKED | Opcode::SET_SH_REG_PAIRS_PACKED_N => {
                self.set_registers(queue, place, &packet, Space::Sh)
            }
            Opcode::SET_UCONFIG_REG | Opcode::SET_UCONFIG_REG_INDEX | Opcode::SET_UCONFIG_REG_PAIRS => {
                self.set_registers(queue, place, &packet, Space::Uconfig);
            }
            Opcode::SET_CONFIG_REG => self.set_registers(queue, place, &packet, Space::Config),
            Opcode::CONTEXT_REG_RMW => self.modify_register(queue, place, &packet),
            Opcode::LOAD_CONTEXT_REG | Opcode::LOAD_CONTEXT_REG_INDEX => {
                queue.rolls.write();
                self.load_registers(queue, place, &packet, Space::Context);
            }
            Opcode::LOAD_SH_REG | Opcode::LOAD_SH_REG_INDEX => self.load_registers(queue, place, &packet, Space::Sh),
            Opcode::LOAD_UCONFIG_REG | Opcode::LOAD_UCONFIG_REG_INDEX => self.load_registers(queue, place, &packet, Space::Uconfig),
            Opcode::CLEAR_STATE => clear_state(queue, &packet),
            Opcode::ACQUIRE_MEM => self.acquire(queue, &packet),
            Opcode::INDIRECT_BUFFER if packet.body.len() == 3 => self.indirect_buffer(queue, place, &packet),
            Opcode::WRITE_DATA if self.write_data(queue, place, &packet) => {}
            Opcode::COPY_DATA if self.copy_data(queue, place, &packet) => {}
            // State of the queue that no rule asks for yet: the packets are legal and change nothing that is modelled.
            Opcode::CONTEXT_CONTROL
            | Opcode::EVENT_WRITE
            | Opcode::INDEX_TYPE
            | Opcode::INDEX_BASE
            | Opcode::INDEX_BUFFER_SIZE
            | Opcode::NUM_INSTANCES
            | Opcode::SET_BASE => {}
            other => self.skipped[usize::from(other.0)] += 1,
        }
    }

    fn work(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'a>, work: Work) {
        let view = DrawView {
            chip: self.chip,
            queue: queue.queue,
            place,
            packet,
            index: self.summary.draws + self.summary.dispatches,
            draws_before: queue.draws,
            ordinal: queue.packets,
            registers: &queue.registers,
            names: &self.tables.names,
            options: self.options,
        };
        match work {
            Work::Dispatch => {
                self.observer.dispatch(&view);
                self.summary.dispatches += 1;
            }
            Work::Draw => {
                self.observer.draw(&view);
                let scene = Scene { queue: queue.queue, place, packet: Some(view.name()), draw: Some(view.index()) };
                for rule in &self.tables.draw_rules {
                    if let Judge::Draw(judge) = rule.judge
                        && let Some(verdict) = judge(&view)
                    {
                        report(self.summary, self.observer, rule, scene, verdict);
                    }
                }
                self.summary.draws += 1;
                queue.draws += 1;
                queue.rolls.draw();
            }
        }
    }

    /// Reports a finding about a packet.
    pub fn report(&mut self, queue: Queue, place: Place, packet: Option<&'static str>, rule: &Rule, verdict: Verdict) {
        report(self.summary, self.observer, rule, Scene { queue, place, packet, draw: None }, verdict);
    }

    fn truncated(&mut self, queue: &QueueState<'a>, place: Place, damage: &DecodeError) {
        let name = (damage.header.packet_type() == 3).then(|| damage.header.opcode().name(self.gfx)).flatten();
        let verdict = Verdict::new(format!(
            "header {} ({}) claims {} dwords, {} are left: what lies behind the buffer would be taken for the rest of the packet",
            damage.header,
            name.unwrap_or("no known opcode"),
            damage.wanted,
            damage.available
        ))
        .note(format!("{} dwords are skipped here; reading goes on where packets fill the rest of the buffer exactly, if anywhere", damage.skipped), None)
        .help("check the length of the buffer, and the counts of the packets before this one: the stream may have been out of step for a while");
        self.report(queue.queue, place, name, &rules::TRUNCATED, verdict);
    }

    fn other_type(&mut self, queue: &QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let header = packet.header;
        let (rule, verdict) = match header.packet_type() {
            2 if queue.queue == Queue::Graphics => {
                let verdict = Verdict::new("a type 2 filler: legal on the graphics queue, though drivers pad with type 3 NOPs");
                (&rules::TYPE_2, verdict)
            }
            2 => {
                let verdict = Verdict::new("a type 2 filler on a compute queue, where the microcode engine no longer supports it")
                    .severity(super::Severity::Error)
                    .help("pad with header-only NOPs, 0xffff1000");
                (&rules::TYPE_2, verdict)
            }
            kind => {
                let verdict =
                    Verdict::new(format!("{header} is a header of type {kind}, which no engine executes from GFX9 on; {} dwords are skipped", packet.dwords()))
                        .help("the stream is probably out of step: check the counts of the packets before this one");
                (&rules::TYPE_0_OR_1, verdict)
            }
        };
        self.report(queue.queue, place, None, rule, verdict);
    }

    /// ACQUIRE_MEM rolls the context unless it waits for a pixel wait sync (Mesa 25.0.7 ac_gather_context_rolls.c).
    fn acquire(&mut self, queue: &mut QueueState<'a>, packet: &Packet<'_>) {
        let pws = self.gfx.major() >= 11 && packet.field(self.gfx, queue.queue, "pws_ena") == Some(1);
        if queue.queue == Queue::Graphics && !pws {
            queue.rolls.write();
        }
    }
}

pub(super) fn report(summary: &mut Summary, observer: &mut dyn Observer, rule: &Rule, scene: Scene, verdict: Verdict) {
    let finding = rule.finding(scene, verdict);
    summary.count(finding.severity);
    observer.finding(&finding);
}

/// CLEAR_STATE: command 0 clear, 1 push, 2 pop, 3 push and clear (PAL gfx9_plus_merged_f32_pfp_pm4_packets.h). It writes context registers, so it rolls.
fn clear_state(queue: &mut QueueState<'_>, packet: &Packet<'_>) {
    let command = packet.body.first().map_or(0, |word| word & 0xF);
    queue.rolls.write();
    if matches!(command, 1 | 3) {
        queue.registers.push_context();
    }
    match command {
        0 | 3 => queue.registers.clear_context(),
        2 => queue.registers.pop_context(),
        _ => {}
    }
}
