//! Random streams that no rule reports, and streams with one mistake.

use crate::chip::{Chip, Gfx};
use crate::cp::FirmwareVersions;
use crate::packet::{Header, Queue, ShaderType};
use crate::testing::cases::rows;
use crate::testing::ground::case::{Row, RuleCase};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::{MemoryBlock, Stated, TestStream};
use crate::testing::random::{CODE, CODE_DWORDS, LOADS, REGION, below, packets_of, register, registers_of, step};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// A random stream that is valid by construction: no rule that is on by default reports any finding in it.
///
/// It consists of a preamble and a number of steps, each valid after the preamble regardless of the others; shrinking removes steps. A stream either works
/// (draws, dispatches, and packets of every kind that user mode may send) or sets registers, every typed one. Memory that it reads is mapped.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Chip, packet::Queue, testing::ValidStream};
/// let mut g = quickcheck::Gen::from_size_and_seed(20, 1);
/// let valid = ValidStream::random(&mut g, Chip::Navi31, Queue::Graphics);
/// assert!(valid.stream().findings().is_empty());
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidStream {
    chip: Chip,
    queue: Queue,
    preamble: Vec<u32>,
    steps: Vec<Vec<u32>>,
    beside: Vec<u32>,
    /// The number of steps with memory.
    regions: usize,
}

impl ValidStream {
    /// Returns a random stream for a chip and a queue, with at most as many steps as the size of the generator. Only GFX9 and GFX10 have a constant engine
    /// queue.
    pub fn random(g: &mut Gen, chip: Chip, queue: Queue) -> Self {
        let pen = Pen::new(chip, queue);
        let mut stream = Self { chip, queue, preamble: Vec::new(), steps: Vec::new(), beside: Vec::new(), regions: 0 };
        let steps = 1 + below(g, g.size() as u32);
        if queue != Queue::Constant && bool::arbitrary(g) {
            let registers: Vec<_> = registers_of(pen).collect();
            for _ in 0..steps {
                let chosen = g.choose(&registers).copied();
                stream.steps.extend(chosen.map(|info| register(g, pen, info)));
            }
            return stream;
        }
        stream.preamble = preamble(pen);
        let packets: Vec<_> = packets_of(pen).collect();
        for number in 0..steps {
            let chosen = g.choose(&packets).copied();
            // Separate memory per step, so that no step reads what another writes.
            let pen = Pen { data: DATA + REGION * u64::from(number), ..pen };
            stream.steps.extend(chosen.and_then(|(format, form)| step(g, pen, format, form)));
        }
        stream.regions = steps as usize;
        if queue == Queue::Graphics && has_tasks(pen) && below(g, 4) == 0 {
            stream.mesh_work(pen, 1 + below(g, 3) as usize);
        }
        if queue == Queue::Compute && below(g, 2) == 0 {
            // A chain, as the last packet.
            stream.steps.push(pen.raw("INDIRECT_BUFFER", &[CODE as u32, (CODE >> 32) as u32, 1 << 20 | 1 << 23 | 8]));
        }
        stream
    }

    /// Adds mesh work and its task work on the compute queue, as one step because their numbers must agree.
    fn mesh_work(&mut self, pen: Pen, count: usize) {
        let compute = pen.on(Queue::Compute);
        let init = |pen: Pen| pen.raw("DISPATCH_TASK_STATE_INIT", &[DATA as u32, (DATA >> 32) as u32]);
        let mut task = compute.raw("DISPATCH_TASKMESH_DIRECT_ACE", &[1, 1, 1, 1, 0x240]);
        task[0] = Header(task[0]).with_shader_type(ShaderType::Compute).0;
        let mesh = pen.raw("DISPATCH_TASKMESH_GFX", &[0x8D << 16 | 0x8C, 0, 2]);
        self.preamble.extend([init(pen), mesh.repeat(count)].concat());
        self.beside = [init(compute), compute.program(), task.repeat(count)].concat();
    }

    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Returns the stream, with the memory that it uses.
    pub fn stream(&self) -> TestStream {
        let new = Some(99_999);
        let firmware = FirmwareVersions { pfp: new, me: new, mec: new, me_feature: new };
        TestStream {
            beside: self.beside.clone(),
            memory: vec![
                MemoryBlock { addr: DATA, words: vec![0; (REGION / 4) as usize * (self.regions + 16)] },
                MemoryBlock { addr: CODE, words: vec![Header::NOP1.0; CODE_DWORDS] },
            ],
            stated: Stated { firmware, ..Stated::default() },
            ..TestStream::new(self.chip, self.queue, [&self.preamble[..], &self.steps.concat()].concat())
        }
    }
}

fn has_tasks(pen: Pen) -> bool {
    pen.generation() >= 103
}

/// Returns what the steps of a stream need.
fn preamble(pen: Pen) -> Vec<u32> {
    match pen.queue {
        Queue::Constant => Vec::new(),
        Queue::Compute => pen.program(),
        Queue::Graphics => {
            // From GFX11 on: selects the render backends that count.
            let counted = if pen.generation() < 110 { Vec::new() } else { pen.raw("EVENT_WRITE", &[56 | 1 << 8, 1 << 3, 0]) };
            [pen.raw("CONTEXT_CONTROL", &[LOADS, 1 << 31]), pen.state(), pen.program(), pen.index_type(), counted].concat()
        }
    }
}

impl Arbitrary for ValidStream {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        let chip = chips[below(g, chips.len() as u32) as usize];
        let queue = if bool::arbitrary(g) { Queue::Graphics } else { Queue::Compute };
        Self::random(g, chip, queue)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        Box::new((0..self.steps.len()).map(move |step| {
            let mut less = whole.clone();
            less.steps.remove(step);
            less
        }))
    }
}

/// A random stream that breaks exactly one rule: the hit of a case after packets without effect.
///
/// ```
/// # #[cfg(feature = "gfx10")] {
/// use pm4::{chip::Gfx, testing::BrokenStream};
/// let mut g = quickcheck::Gen::from_size_and_seed(20, 1);
/// let broken = BrokenStream::random(&mut g, "POPS-13", Gfx::Gfx10).unwrap();
/// assert_eq!(broken.stream().codes(), ["POPS-13"].into());
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenStream {
    rule: &'static str,
    padding: Vec<Vec<u32>>,
    hit: TestStream,
}

impl BrokenStream {
    /// Returns a random stream with the mistake of a rule, on a generation. None if the kit has no case.
    pub fn random(g: &mut Gen, rule: &str, gfx: Gfx) -> Option<Self> {
        let cases: Vec<RuleCase> = rows().filter(|row| row.rule == rule).filter_map(|row| row.case_on(gfx)).collect();
        let case = g.choose(&cases)?.clone();
        Some(Self::of(g, &case))
    }

    /// Returns the hit of a case, after random packets without effect.
    pub fn of(g: &mut Gen, case: &RuleCase) -> Self {
        // If a limit counts dwords, or a chain leads back to the first dword, nothing can precede the hit.
        let fixed = case.rule.starts_with("RUN") || case.rule == "IB-02";
        let count = if fixed { 0 } else { below(g, 5) };
        let pen = Pen::new(case.hit.chip, case.hit.queue);
        if case.hit.stated.sdma {
            // Padding that changes no position in a ring.
            return Self { rule: case.rule, padding: vec![vec![0; 8]; count as usize], hit: case.hit.clone() };
        }
        if case.hit.stated.aql {
            // Barriers that wait for nothing.
            let barrier = || [&[0x1503][..], &[0; 15]].concat();
            return Self { rule: case.rule, padding: (0..count).map(|_| barrier()).collect(), hit: case.hit.clone() };
        }
        if case.hit.stated.mes {
            // Status queries without a fence.
            let query = || [&[0x0004_00B1][..], &[0; 63]].concat();
            return Self { rule: case.rule, padding: (0..count).map(|_| query()).collect(), hit: case.hit.clone() };
        }
        let padding = (0..count).map(|_| pen.raw("NOP", &(0..=below(g, 6)).map(|_| u32::arbitrary(g)).collect::<Vec<u32>>())).collect();
        Self { rule: case.rule, padding, hit: case.hit.clone() }
    }

    /// Returns the rule that reports the stream.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns the stream.
    pub fn stream(&self) -> TestStream {
        TestStream { words: [&self.padding.concat()[..], &self.hit.words].concat(), ..self.hit.clone() }
    }
}

impl Arbitrary for BrokenStream {
    fn arbitrary(g: &mut Gen) -> Self {
        let (rows, gfxs): (Vec<&Row>, Vec<Gfx>) = (rows().collect(), Gfx::iter().collect());
        loop {
            let (row, gfx) = (rows[below(g, rows.len() as u32) as usize], gfxs[below(g, gfxs.len() as u32) as usize]);
            if let Some(case) = row.case_on(gfx) {
                return Self::of(g, &case);
            }
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        Box::new((0..self.padding.len()).map(move |packet| {
            let mut less = whole.clone();
            less.padding.remove(packet);
            less
        }))
    }
}
