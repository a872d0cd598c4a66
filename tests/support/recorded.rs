//! Recorded streams, and an observer that compares the state at each draw with the resolved one.

use pm4::chip::{Chip, Erratum};
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, RollSource};
use pm4::draw::*;
use pm4::packet::Queue;
use pm4::regs;

/// The address of the called buffer.
pub const CALLED: u64 = 0x80_0010_0000;

pub const INDEX_BUFFER: IndexBuffer = IndexBuffer { address: 0x12_0000, indices: 0x800, format: IndexFormat::U32 };

/// Returns registers that packets of a caller change: one of each window, one of a group, one that an erratum watches.
pub fn foreign(chip: Chip, which: u32) -> Option<(u32, Vec<u32>)> {
    let find = |name| regs::find(chip.gfx(), name).map(|found| found.addr());
    Some(match which {
        0 => (find("DB_SHADER_CONTROL")?, vec![0]),
        1 => (find("PA_SC_VPORT_SCISSOR_0_TL")?, vec![0, 0x10_0010]),
        2 => (find("SPI_SHADER_USER_DATA_PS_0")?, vec![1, 2, 3]),
        3 => (find("VGT_PRIMITIVE_TYPE")?, vec![1]),
        _ => (find("CB_TARGET_MASK")?, vec![0]),
    })
}

/// A stream, the register image of each draw, and the draws that follow only calls after which the recorder still knows all registers.
pub struct Recorded {
    pub words: Vec<u32>,
    /// Chunks of the stream after the first, with their addresses.
    pub more: Vec<(u64, Vec<u32>)>,
    pub called: Vec<u32>,
    pub images: Vec<RegisterImage>,
    /// Registers written by the calls: SGPRs of draws, instances, index type.
    pub calls: Vec<Vec<(u32, u32)>>,
    pub plain: Vec<bool>,
}

/// Returns whether the erratum instance_packing applies: primitives with adjacency while statistics are counted.
pub fn packing_must_stop(chip: Chip, state: &DrawDesc, statistics: bool) -> bool {
    use Topology::*;
    let neighbours = [LineListAdjacency, LineStripAdjacency, TriangleListAdjacency, TriangleStripAdjacency];
    chip.has(Erratum::InstancePacking) && statistics && neighbours.contains(&state.pipeline.topology)
}

/// Compares the state at each draw with the resolved one, and collects findings.
pub struct Watch<'r> {
    pub recorded: &'r Recorded,
    pub chip: Chip,
    pub draws: usize,
    pub wrong: Vec<String>,
    pub findings: Vec<&'static str>,
}

impl Observer for Watch<'_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        let (at, roll) = (self.draws, view.roll());
        self.draws += 1;
        let Some(image) = self.recorded.images.get(at) else { return self.wrong.push("more draws than were recorded".to_string()) };
        let of_call = self.recorded.calls.get(at).into_iter().flatten().copied();
        for (addr, value) in image.registers().map(|r| (r.addr, r.value)).chain(of_call).filter(|(addr, value)| view.value(*addr) != Some(*value)) {
            let name = regs::lookup(view.gfx(), addr).map(|found| found.to_string());
            self.wrong.push(format!("draw {at}: {name:?} is {:x?}, not {value:#x}", view.value(addr)));
        }
        // Vega10 and Raven: viewport scissors lost by a roll are written again with the same values.
        let lost = self.chip.has(Erratum::ViewportScissor) && view.redundant_context().all(|addr| (0x2_8250..0x2_82D0).contains(&addr));
        if at > 0 && self.recorded.plain[at] && roll.source == Some(RollSource::Write) && roll.changed == 0 && !lost {
            self.wrong.push(format!("draw {at} rolls the context, and no context register changes"));
        }
    }

    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.code);
    }
}

pub fn watch(chip: Chip, recorded: &Recorded) -> Watch<'_> {
    let mut watch = Watch { recorded, chip, draws: 0, wrong: Vec::new(), findings: Vec::new() };
    let mut cp = CommandProcessor::new(chip);
    cp.relaxed_order(true).map("called", CALLED, &recorded.called);
    for (addr, words) in &recorded.more {
        cp.map("chunk", *addr, words);
    }
    cp.submit(Queue::Graphics, "stream", &recorded.words);
    let summary = cp.run(&mut watch);
    if watch.draws != recorded.images.len() || summary.draws != watch.draws as u64 {
        watch.wrong.push(format!("{} draws of {}", watch.draws, recorded.images.len()));
    }
    watch
}
