//! The command processor: memory, queues, and running them.

use super::engine::{Engine, Tables};
use super::finding::Severity;
use super::memory::{Memory, canonical};
use super::observer::Observer;
use super::options::Options;
use super::place::{Buffer, BufferId, Place};
use super::queue::{Frame, QueueState};
use super::registers::RegisterFile;
use super::rules::{self, Verdict};
use crate::chip::Chip;
use crate::packet::{Opcode, Queue};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

/// A model of the command processor of one chip.
///
/// It executes what is submitted to its queues: register writes land in the register file of the queue, calls and chains are followed through the memory
/// that was mapped, and every draw and dispatch is delivered to an [`Observer`] with the state it runs with. It never panics and always ends.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::{CommandProcessor, DrawView, Observer};
/// use pm4::packet::Queue;
///
/// struct Print;
/// impl Observer for Print {
///     fn draw(&mut self, view: &DrawView<'_>) {
///         // DB_SHADER_CONTROL, as the draw sees it
///         assert_eq!(view.value(0x2880C), Some(0x18600));
///         assert_eq!(view.origin(0x2880C).unwrap().place.dword, 0);
///     }
/// }
/// # #[cfg(feature = "gfx9")] {
/// //  SET_CONTEXT_REG DB_SHADER_CONTROL; DRAW_INDEX_AUTO of 3 vertices
/// let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Vega10);
/// cp.submit(Queue::Graphics, "main", &stream);
/// let summary = cp.run(&mut Print);
/// assert_eq!((summary.packets, summary.draws), (2, 1));
/// # }
/// ```
#[derive(Debug)]
pub struct CommandProcessor<'a> {
    chip: Chip,
    options: Options,
    tables: Box<Tables>,
    memory: Memory<'a>,
    buffers: Vec<Buffer<'a>>,
    queues: [QueueState<'a>; 2],
    summary: Summary,
    skipped: Box<[u64; 256]>,
}

/// What was counted since the model was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Packets executed or skipped, over all queues.
    pub packets: u64,
    /// Draw packets.
    pub draws: u64,
    /// Dispatch packets.
    pub dispatches: u64,
    /// Context rolls of the graphics queue: first context register writes after a draw.
    pub context_rolls: u64,
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that are remarks.
    pub infos: u64,
}

impl Summary {
    pub(super) fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}

const fn index(queue: Queue) -> usize {
    match queue {
        Queue::Graphics => 0,
        Queue::Compute => 1,
    }
}

impl<'a> CommandProcessor<'a> {
    /// A command processor after reset: nothing mapped, nothing written.
    pub fn new(chip: Chip) -> Self {
        Self {
            chip,
            options: Options::default(),
            tables: Box::new(Tables::new(chip)),
            memory: Memory::default(),
            buffers: Vec::new(),
            queues: [Queue::Graphics, Queue::Compute].map(|queue| QueueState::new(chip.gfx(), queue)),
            summary: Summary::default(),
            skipped: Box::new([0; 256]),
        }
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Its settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the application declared relaxed rasterization order: POPS-17 is silent then. Default: no.
    pub fn relaxed_order(&mut self, yes: bool) -> &mut Self {
        self.options.relaxed_order = yes;
        self
    }

    /// Whether everything that streams use is mapped: other memory is an error then, instead of a remark. Default: no.
    pub fn closed_memory(&mut self, yes: bool) -> &mut Self {
        self.options.closed_memory = yes;
        self
    }

    /// How many dwords one [`run`](Self::run) executes at most. Default: 2^30.
    pub fn max_dwords(&mut self, dwords: u64) -> &mut Self {
        self.options.max_dwords = dwords;
        self
    }

    /// Shows memory to the model: `words` lie at GPU address `addr`, of which the low 48 bits count. Calls and chains find them there.
    pub fn map(&mut self, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
        let id = self.add(Buffer { name, words, addr: Some(canonical(addr)) });
        self.memory.map(addr, words, id);
        id
    }

    /// Queues a buffer. It runs after those that were submitted to the queue before, with the registers they leave.
    pub fn submit(&mut self, queue: Queue, name: &'a str, words: &'a [u32]) -> BufferId {
        let id = self.add(Buffer { name, words, addr: None });
        self.queues[index(queue)].pending.push_back(Frame::new(id, 0, words, None));
        id
    }

    /// Queues a buffer that lies at a GPU address: it is memory as well.
    pub fn submit_at(&mut self, queue: Queue, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
        let id = self.map(name, addr, words);
        self.queues[index(queue)].pending.push_back(Frame::new(id, 0, words, Some(canonical(addr))));
        id
    }

    fn add(&mut self, buffer: Buffer<'a>) -> BufferId {
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(buffer);
        id
    }

    /// A buffer by its number.
    pub fn buffer(&self, id: BufferId) -> Option<&Buffer<'a>> {
        self.buffers.get(id.0 as usize)
    }

    /// All buffers in the order of their numbers.
    pub fn buffers(&self) -> &[Buffer<'a>] {
        &self.buffers
    }

    /// The registers of a queue as they are now.
    pub fn registers(&self, queue: Queue) -> &RegisterFile {
        &self.queues[index(queue)].registers
    }

    /// What was counted so far.
    pub fn summary(&self) -> Summary {
        let context_rolls = self.queues.iter().map(|q| q.rolls.count).sum();
        Summary { context_rolls, ..self.summary }
    }

    /// Opcodes that the model met and does not execute, and how often.
    pub fn not_executed(&self) -> impl Iterator<Item = (Opcode, u64)> + '_ {
        (0u8..).zip(self.skipped.iter()).filter(|(_, count)| **count > 0).map(|(opcode, count)| (Opcode(opcode), *count))
    }

    /// Executes all that is submitted, to the end or to the limit of [`max_dwords`](Self::max_dwords).
    pub fn run(&mut self, observer: &mut dyn Observer) -> Summary {
        let mut dwords = 0;
        let mut engine = Engine {
            chip: self.chip,
            gfx: self.chip.gfx(),
            options: &self.options,
            tables: &self.tables,
            memory: &self.memory,
            summary: &mut self.summary,
            dwords: &mut dwords,
            skipped: &mut self.skipped,
            observer,
        };
        for queue in &mut self.queues {
            while engine.step(queue) {
                if *engine.dwords >= self.options.max_dwords {
                    give_up(&mut engine, queue);
                    break;
                }
            }
        }
        self.summary()
    }
}

/// Reports that the limit was reached and drops what is left of the queue, unless nothing is.
fn give_up<'a>(engine: &mut Engine<'_, 'a>, queue: &mut QueueState<'a>) {
    let Some((buffer, offset)) = queue.next() else { return };
    queue.pending.clear();
    queue.frames.clear();
    let place = Place { buffer, dword: u32::try_from(offset).unwrap_or(u32::MAX) };
    let limit = engine.options.max_dwords;
    let verdict = Verdict::new(format!("{limit} dwords are executed and the queue is not at its end: what follows is not judged"))
        .help("raise the limit, or look for a call that repeats a large buffer many times");
    engine.report(queue.queue, place, None, &rules::LIMIT, verdict);
}
