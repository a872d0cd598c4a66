//! The command processor: memory, queues, and running them.

use crate::chip::Chip;
use crate::cp::execute::engine::{Engine, Gang};
use crate::cp::judge::repeats::Repeats;
use crate::cp::judge::tables::Tables;
use crate::cp::rule::entry::{Rule, RuleError};
use crate::cp::rule::level::RuleLevel;
use crate::cp::rules;
use crate::cp::schedule::ahead::Lookahead;
use crate::cp::schedule::turns;
use crate::cp::state::constant_engine::ConstantEngine;
use crate::cp::state::feed::Feed;
use crate::cp::state::fence::Fence;
use crate::cp::state::memory::{Memory, Words, canonical};
use crate::cp::state::memory_pages::PAGE_BYTES;
use crate::cp::state::options::{BoardFacts, ModelOptions};
use crate::cp::state::pause::{Pause, Stop, Turn};
use crate::cp::state::place::{BufferId, BufferInfo, QueueId};
use crate::cp::state::queue::{Frame, QueueState};
use crate::cp::state::registers::RegisterFile;
use crate::cp::state::source::MemorySource;
use crate::cp::state::summary::Summary;
use crate::cp::view::interest::Interest;
use crate::cp::view::observer::Observer;
use crate::gpu::{Board, FirmwareVersions, Gpu};
use crate::packet::{Header, Opcode, Queue};
use crate::queues::Target;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A model of the command processor of one chip.
///
/// It executes what is submitted to its queues: register writes go to the register file of the queue, calls and chains are followed through mapped memory, and
/// every draw and dispatch is delivered to an [`Observer`] with its register state. It never panics and always terminates.
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
#[derive(Debug, Clone)]
pub struct CommandProcessor<'a> {
    chip: Chip,
    options: ModelOptions,
    tables: Arc<Tables>,
    /// Whether rule levels have changed since the tables were made.
    stale: bool,
    memory: Memory<'a>,
    buffers: Vec<BufferInfo<'a>>,
    /// The number of the first of these buffers; earlier ones were dropped.
    first_buffer: BufferId,
    queues: Vec<QueueState<'a>>,
    summary: Summary,
    skipped: Box<[u64; 256]>,
    repeats: Repeats,
    fences: BTreeMap<u64, Fence>,
    gang: Gang,
    constant: ConstantEngine,
    /// Streams that are fed in pieces: the rest of the last packet and its position.
    feeds: Vec<Feed>,
    /// Buffers that have not begun to run and of which all words are executed.
    executed: BTreeSet<BufferId>,
    /// The queue whose turn it is, while a run is stopped.
    turn: Turn,
    lookahead: Lookahead,
}

const fn id(queue: Queue) -> QueueId {
    match queue {
        Queue::Graphics => QueueId::GRAPHICS,
        Queue::Compute => QueueId::COMPUTE,
        Queue::Constant => QueueId::CONSTANT,
    }
}

impl<'a> CommandProcessor<'a> {
    /// Creates a command processor after reset: nothing mapped, nothing written.
    pub fn new(chip: Chip) -> Self {
        Self {
            chip,
            options: ModelOptions::default(),
            tables: Tables::shared(chip),
            stale: false,
            memory: Memory::new(pages(&ModelOptions::default())),
            buffers: Vec::new(),
            first_buffer: BufferId(0),
            queues: [Queue::Graphics, Queue::Compute].map(|queue| QueueState::new(chip, id(queue), queue)).into(),
            summary: Summary::default(),
            skipped: Box::new([0; 256]),
            repeats: Repeats::default(),
            fences: BTreeMap::new(),
            gang: Gang::default(),
            constant: ConstantEngine::default(),
            feeds: Vec::new(),
            executed: BTreeSet::new(),
            turn: Turn::default(),
            lookahead: Lookahead::default(),
        }
    }

    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the settings. Each setting has a method that sets it.
    pub fn options(&self) -> &ModelOptions {
        &self.options
    }

    /// Sets whether the application declared relaxed rasterization order, which silences POPS-17. Default: false.
    pub fn relaxed_order(&mut self, yes: bool) -> &mut Self {
        self.options.relaxed_order = yes;
        self.judge_all();
        self
    }

    /// Sets whether all memory that the streams use is mapped. If true, reading, writing, executing or waiting on other memory is an error (MEM-03, SYN-18). If
    /// false (the default), reads, calls and waits give a finding of severity info, waits on memory that packets have written give a warning, and writes give
    /// no finding.
    pub fn closed_memory(&mut self, yes: bool) -> &mut Self {
        self.options.closed_memory = yes;
        self
    }

    /// Sets whether rings belong to user queues, which programs write themselves. Rules on command buffers of drivers then apply to rings too. Default: false,
    /// rings belong to a kernel.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, QueueId}};
    /// # #[cfg(feature = "gfx11")] {
    /// // WRITE_DATA to the register at dword 0x54F, which is a kernel's.
    /// let words = [0xC003_3700, 0, 0x54F, 0, 1];
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit_ring(QueueId::COMPUTE, "ring", None, &words);
    /// assert_eq!(cp.run(&mut ()).errors, 0);
    /// cp.user_queues(true).submit_ring(QueueId::COMPUTE, "ring", None, &words);
    /// assert_eq!(cp.run(&mut ()).errors, 1);
    /// # }
    /// ```
    pub fn user_queues(&mut self, yes: bool) -> &mut Self {
        self.options.user_queues = yes;
        self
    }

    /// Declares that what runs from now on is part of a submission, such as a buffer cut out of its context. Earlier register values and packets are unknown
    /// and cause no findings. What follows is unknown too: a stream that ends too early (STA-17, STA-18, IB-06) gives no finding, and one that ends within a
    /// packet gives a warning (ENC-01). After this call, [`set_register`](Self::set_register) can supply registers that the kernel has dumped.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, rules::RuleLevel}, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// // A draw, and nothing before it: the rings of its geometry were not written (STA-30), unless a buffer before this one has done so.
    /// let draw = [0xC001_2D00, 3, 2];
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.set_rule_level("STA-30", RuleLevel::Deny).then(|| cp.submit(Queue::Graphics, "cut", &draw));
    /// let mut part = cp.clone();
    /// assert_eq!(part.partial().run(&mut ()).errors, 0);
    /// assert_eq!(cp.run(&mut ()).errors, 1);
    /// # }
    /// ```
    pub fn partial(&mut self) -> &mut Self {
        self.options.partial = true;
        self.queues.iter_mut().for_each(QueueState::forget_past);
        self.gang.unsure = true;
        self.constant.lose();
        self
    }

    /// Sets the maximum number of dwords that one [`run`](Self::run) executes; dwords that packets load, copy and fill count too. Default: 2^30.
    pub fn max_dwords(&mut self, dwords: u64) -> &mut Self {
        self.options.max_dwords = dwords;
        self
    }

    /// Sets the maximum nesting depth of calls; deeper calls are IB-02. None (the default) is the hardware's limit: one level on the graphics queue and the
    /// constant engine, no calls on compute queues.
    pub fn max_depth(&mut self, levels: impl Into<Option<u32>>) -> &mut Self {
        self.options.max_depth = levels.into();
        self
    }

    /// Sets how many bytes of host memory the model may use to keep what packets write; each 256 bytes of GPU memory take about 850 bytes. Beyond this limit,
    /// contents are unknown (RUN-02). Default: 2^28.
    pub fn max_memory(&mut self, bytes: u64) -> &mut Self {
        self.options.max_memory = bytes;
        self.memory.room = pages(&self.options);
        self
    }

    /// Sets the maximum number of reported findings. RUN-03 reports that there are more, which are only counted. Default: 2^20.
    pub fn max_findings(&mut self, findings: u64) -> &mut Self {
        self.options.max_findings = findings;
        self
    }

    /// Sets which parts of the chip are enabled, for the rules that depend on it.
    pub fn board(&mut self, board: BoardFacts) -> &mut Self {
        self.options.board = board;
        self.judge_all();
        self
    }

    /// Sets board and firmware to those that a machine states. What the machine does not state is unknown; no recorded board takes its place.
    pub fn gpu(&mut self, gpu: &Gpu) -> &mut Self {
        let of = |count: fn(&Board) -> u32| gpu.board.as_ref().map(count);
        self.options.board = BoardFacts { shader_engines: of(|board| board.shader_engines), cus_per_array: of(|board| board.cus_per_array) };
        self.firmware(gpu.firmware)
    }

    /// Sets the firmware versions, for rules on packets that need newer firmware.
    pub fn firmware(&mut self, firmware: FirmwareVersions) -> &mut Self {
        self.options.firmware = firmware;
        self.judge_all();
        self
    }

    /// Returns the tables for modification; copies them if a snapshot shares them.
    fn tables_mut(&mut self) -> &mut Tables {
        Arc::make_mut(&mut self.tables)
    }

    /// Marks all rules on draws to be judged again at the next draw.
    fn judge_all(&mut self) {
        self.queues.iter_mut().for_each(QueueState::judge_all);
    }

    /// Adds a rule of your own. It is treated like the crate's rules: its findings are counted and reported with theirs, and
    /// [`set_rule_level`](Self::set_rule_level) applies to it.
    ///
    /// A driver team's rule, "our driver never draws without a depth test", and a stream that breaks it:
    ///
    /// ```
    /// use pm4::cp::rules::{ChipScope, Judge, Rule, Verdict};
    /// use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, Severity};
    ///
    /// static NO_DEPTH_TEST: Rule = Rule::new(
    ///     "OURS-01",
    ///     Severity::Warning,
    ///     ChipScope::All,
    ///     "draw without a depth test",
    ///     "Our driver sorts opaque draws by depth: a draw without the test was recorded by mistake.",
    ///     "our driver's conventions",
    ///     Judge::Draw(no_depth_test),
    /// );
    ///
    /// fn no_depth_test(view: &DrawView<'_>) -> Option<Verdict> {
    ///     let test = view.field("DB_DEPTH_CONTROL", "Z_ENABLE")?;
    ///     (!test.is_set()).then(|| Verdict::new("the depth test is off").at(&test).help_set(&test, 1, ""))
    /// }
    ///
    /// #[derive(Default)]
    /// struct Lines(Vec<String>);
    /// impl Observer for Lines {
    ///     fn finding(&mut self, finding: &Finding) {
    ///         self.0.push(finding.to_string());
    ///     }
    /// }
    /// # #[cfg(feature = "gfx11")] {
    /// // SET_CONTEXT_REG DB_DEPTH_CONTROL = 0; DRAW_INDEX_AUTO of 3 vertices
    /// let stream = [0xC001_6900, 0x200, 0, 0xC001_2D00, 3, 2];
    /// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
    /// cp.add_rule(&NO_DEPTH_TEST)?;
    /// cp.submit(pm4::packet::Queue::Graphics, "frame", &stream);
    /// let mut lines = Lines::default();
    /// cp.run(&mut lines);
    /// assert!(lines.0.iter().any(|line| line == "warning[OURS-01] at buffer 0 dword 3: the depth test is off"), "{:?}", lines.0);
    /// # }
    /// # Ok::<(), pm4::cp::rules::RuleError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RuleError`] if another rule has the code, if the code does not consist of 1 to 16 letters, digits and hyphens, if the rule has no judge, or if it
    /// watches an address at which no register can be.
    pub fn add_rule(&mut self, rule: &'static Rule) -> Result<&mut Self, RuleError> {
        rule.check()?;
        if self.find_rule(rule.code).is_some() {
            return Err(RuleError::CodeTaken { code: rule.code });
        }
        self.tables_mut().added.push(rule);
        self.stale = true;
        Ok(self)
    }

    /// Returns the crate's rules, followed by the added ones.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + '_ {
        rules::all().chain(self.tables.added.iter().copied())
    }

    /// Returns a rule by its code, in any case.
    fn find_rule(&self, code: &str) -> Option<&'static Rule> {
        self.rules().find(|rule| rule.code.eq_ignore_ascii_case(code))
    }

    /// Sets whether the findings of a rule are reported, and with which severity. Returns false if no rule has the code.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, rules::RuleLevel}};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// assert!(cp.set_rule_level("PERF-01", RuleLevel::Warn));
    /// assert!(!cp.set_rule_level("PERF-99", RuleLevel::Deny));
    /// # }
    /// ```
    pub fn set_rule_level(&mut self, code: &str, level: RuleLevel) -> bool {
        let Some(rule) = self.find_rule(code) else { return false };
        self.tables_mut().levels.set(rule, level);
        self.stale = true;
        true
    }

    /// Maps `words` into the model's memory at GPU address `addr`, of which the low 48 bits count, rounded down to a multiple of 4. Packets can read and
    /// overwrite this memory; the caller's words do not change.
    ///
    /// If buffers overlap, the buffer with the highest start at or below an address counts; of two with the same start, the newer one.
    pub fn map(&mut self, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
        let id = self.add(BufferInfo { name, words, addr: Some(canonical(addr)) });
        self.memory.map(addr, words, id, false);
        id
    }

    /// Maps memory that packets must not write: a write is an error. For overlapping buffers see [`map`](Self::map).
    pub fn map_read_only(&mut self, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
        let id = self.add(BufferInfo { name, words, addr: Some(canonical(addr)) });
        self.memory.map(addr, words, id, true);
        id
    }

    /// Maps memory whose words the model stores itself. [`BufferInfo::words`] is empty for it; [`memory`](Self::memory) reads it. What packets wrote there
    /// before is gone. For overlapping buffers see [`map`](Self::map).
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map_owned("fence", 0x1000, &[0]);
    /// // WRITE_DATA to memory (5): 7 to 0x1000
    /// let stream = [0xC003_3700, 5 << 8, 0x1000, 0, 7];
    /// cp.submit(Queue::Graphics, "main", &stream);
    /// cp.run(&mut ());
    /// assert_eq!(cp.memory(0x1000), Some(7));
    /// # }
    /// ```
    pub fn map_owned(&mut self, name: &'a str, addr: u64, words: &[u32]) -> BufferId {
        let id = self.add(BufferInfo { name, words: &[], addr: Some(canonical(addr)) });
        self.memory.map_owned(addr, words, id);
        id
    }

    /// Sets a source of memory, which the model asks when packets need memory that is not mapped. For an example see [`MemorySource`].
    pub fn memory_source(&mut self, source: &'a dyn MemorySource) -> &mut Self {
        self.memory.source.set(source);
        self
    }

    /// Returns the buffers that queues have executed from the [source](Self::memory_source), with the numbers that places name. The name of each buffer is its
    /// address.
    pub fn source_buffers(&self) -> impl Iterator<Item = (BufferId, BufferInfo<'_>)> {
        self.memory.source.buffers().map(|(id, buffer)| (id, BufferInfo { name: &buffer.name, words: &buffer.words, addr: Some(buffer.addr) }))
    }

    /// Returns the current dword of memory at an address, if it is known.
    pub fn memory(&self, addr: u64) -> Option<u32> {
        self.memory.known(addr)
    }

    /// Queues a buffer of SDMA packets, which the model executes over the same memory: waits of one queue see the other's writes. `number` is the number of the
    /// SDMA queue, 0 for the first. Nothing runs if no source states the SDMA version of the chip.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// // The graphics queue waits until memory is 7 (WAIT_REG_MEM), which a FENCE of SDMA writes.
    /// let wait = [0xC005_3C00, 0x13, 0x3000, 0, 7, 0xFFFF_FFFF, 4];
    /// let fence = [0x3_0005, 0x3000, 0, 7];
    /// cp.submit(Queue::Graphics, "wait", &wait);
    /// cp.submit_sdma(0, "fence", None, &fence);
    /// let summary = cp.run(&mut ());
    /// assert_eq!((summary.errors, cp.memory(0x3000)), (0, Some(7)));
    /// # }
    /// ```
    pub fn submit_sdma(&mut self, number: u32, name: &'a str, addr: Option<u64>, words: &'a [u32]) -> BufferId {
        self.submit_to(QueueId(QueueId::SDMA.0 + number.min(15)), name, addr, words)
    }

    /// Queues an AQL ring on the AQL queue with this number, 0 for the first: packets of 64 bytes, and the PM4 that they call. Kernels are dispatches, which an
    /// [`Observer`] receives. Signals are memory, which packets (and other queues) decrement and wait for.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, queues::{BarrierPacket, KernelDispatch}};
    /// # #[cfg(feature = "gfx11")] {
    /// let kernel = KernelDispatch { kernel_object: 0x4000, group: [64, 1, 1], grid: [256, 1, 1], completion_signal: 0x1000, ..KernelDispatch::default() };
    /// let (words, wait) = (kernel.words(), BarrierPacket { signals: &[0x1000], ..BarrierPacket::default() }.words().expect("one signal"));
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map_owned("signal", 0x1000, &[1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    /// cp.submit_aql(1, "waits", None, &wait);
    /// cp.submit_aql(0, "signals", None, &words);
    /// let summary = cp.run(&mut ());
    /// assert_eq!((summary.errors, summary.dispatches, cp.memory(0x1008)), (0, 1, Some(0)));
    /// # }
    /// ```
    pub fn submit_aql(&mut self, number: u32, name: &'a str, addr: Option<u64>, words: &'a [u32]) -> BufferId {
        self.submit_to(QueueId(QueueId::AQL.0 + number.min(15)), name, addr, words)
    }

    /// Adds a compute queue and returns its number. Queues of one chip run concurrently.
    pub fn add_compute_queue(&mut self) -> QueueId {
        let id = QueueId(self.queues.iter().filter(|queue| queue.queue != Queue::Constant && queue.is_pm4()).count() as u32);
        self.push_queue(id, Queue::Compute);
        id
    }

    /// Queues a buffer. It runs after the buffers submitted to the queue earlier, with the registers that they leave. [`Queue::Constant`] of a chip without a
    /// constant engine (GFX11 and later) ignores it.
    pub fn submit(&mut self, queue: Queue, name: &'a str, words: &'a [u32]) -> BufferId {
        self.submit_to(id(queue), name, None, words)
    }

    /// Queues a buffer at a GPU address, where it is also mapped. [`Queue::Constant`] of a chip without a constant engine (GFX11 and later) ignores it.
    pub fn submit_at(&mut self, queue: Queue, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
        self.submit_to(id(queue), name, Some(addr), words)
    }

    /// Queues a buffer on any queue, with its GPU address if it has one. A queue that was never made ignores the buffer; so does the constant engine on a chip
    /// without one.
    pub fn submit_to(&mut self, queue: QueueId, name: &'a str, addr: Option<u64>, words: &'a [u32]) -> BufferId {
        self.queue_up(queue, name, addr, words, false)
    }

    /// Queues words of a ring, the level from which command buffers are started: INDIRECT_BUFFER without CHAIN is ordinary there on every queue, and rules that
    /// apply only to the command buffers of user-mode drivers (docs/rules.md says which) are not checked.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, QueueId}};
    /// # #[cfg(feature = "gfx11")] {
    /// // INDIRECT_BUFFER of 8 dwords at 0x1000, VALID (bit 23): how a ring starts a command buffer.
    /// let (ring, buffer) = ([0xC002_3F00, 0x1000, 0, 1 << 23 | 8], [0xFFFF_1000; 8]);
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map("buffer", 0x1000, &buffer);
    /// cp.submit_ring(QueueId::COMPUTE, "ring", None, &ring);
    /// assert_eq!(cp.run(&mut ()).errors, 0);
    /// // A command buffer of a compute queue has no calls.
    /// cp.submit_to(QueueId::COMPUTE, "buffer", None, &ring);
    /// assert_eq!(cp.run(&mut ()).errors, 1);
    /// # }
    /// ```
    pub fn submit_ring(&mut self, queue: QueueId, name: &'a str, addr: Option<u64>, words: &'a [u32]) -> BufferId {
        self.queue_up(queue, name, addr, words, true)
    }

    fn queue_up(&mut self, queue: QueueId, name: &'a str, addr: Option<u64>, words: &'a [u32], ring: bool) -> BufferId {
        let id = match addr {
            Some(addr) => self.map(name, addr, words),
            None => self.add(BufferInfo { name, words, addr: None }),
        };
        // A buffer without words would be skipped again and again.
        if let Some(queue) = self.queue_mut(queue).filter(|_| !words.is_empty()) {
            queue.pending.push_back(Frame { ring, ..Frame::new(id, 0, Words::Borrowed(words), addr.map(canonical)) });
        }
        id
    }

    /// States that the command processor executes all words of a submitted buffer that has not begun to run, because the kernel or a driver has recorded its
    /// size. Words of 0 at its end are then an error (ENC-04). Otherwise they may be unwritten memory, as in a buffer that was dumped whole, and give a
    /// warning. For a stream that is fed in pieces, call this before the first piece.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let dumped = [0xFFFF_1000, 0xFFFF_1000, 0, 0, 0, 0];
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit(Queue::Graphics, "dumped", &dumped);
    /// let summary = cp.run(&mut ());
    /// assert_eq!((summary.warnings, summary.errors), (1, 0));
    /// let executed = cp.submit(Queue::Graphics, "executed", &dumped);
    /// cp.all_executed(executed);
    /// assert_eq!(cp.run(&mut ()).errors, 2);
    /// # }
    /// ```
    pub fn all_executed(&mut self, buffer: BufferId) -> &mut Self {
        if let Some(feed) = self.feeds.iter_mut().find(|feed| feed.stream == buffer) {
            feed.executed = true;
        }
        self.executed.insert(buffer);
        self
    }

    /// States that the values of some dwords of a buffer are unknown because an input lacks them. Packets with such words are not judged, and what they may
    /// touch is unknown. Ranges of one buffer must be given in order.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// let buffer = cp.submit(Queue::Compute, "dumped", &[0xC003_1502, 1, 1, 1, 0]);
    /// cp.partial().unknown_words(buffer, 4..5);
    /// let summary = cp.run(&mut ());
    /// assert_eq!((summary.dispatches, summary.findings()), (1, 0)); // the initiator is not known
    /// # }
    /// ```
    pub fn unknown_words(&mut self, buffer: BufferId, dwords: core::ops::Range<usize>) -> &mut Self {
        if !dwords.is_empty() {
            self.memory.unknown.entry(buffer).or_default().push(dwords);
        }
        self
    }

    /// Begins a stream that is fed in pieces, so that the whole stream need not be in memory. [`feed`](Self::feed) gives a piece, [`finish`](Self::finish)
    /// ends the stream. A queue that was never made ignores the words.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, QueueId}};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// let stream = cp.begin(QueueId::GRAPHICS, "long");
    /// for piece in [&[0xC001_6900, 0x203][..], &[0x1_8600, 0xC001_2D00, 3, 2]] {
    ///     cp.feed(stream, piece, &mut ());
    /// }
    /// assert_eq!(cp.finish(stream, &mut ()).draws, 1);
    /// # }
    /// ```
    pub fn begin(&mut self, queue: QueueId, name: &'a str) -> BufferId {
        let id = self.add(BufferInfo { name, words: &[], addr: None });
        self.feeds.push(Feed { stream: id, queue, left: Vec::new(), before: 0, executed: false });
        id
    }

    /// Gives the next piece of a stream and executes the packets that are now complete. An incomplete packet at the end of the piece waits for the next piece.
    /// A `stream` that is not open is ignored. Returns the summary so far.
    pub fn feed(&mut self, stream: BufferId, words: &[u32], observer: &mut dyn Observer) -> Summary {
        let Some(feed) = self.feeds.iter_mut().find(|feed| feed.stream == stream) else { return self.summary() };
        feed.left.extend_from_slice(words);
        let whole = whole_packets(&feed.left);
        let rest = feed.left.split_off(whole);
        let piece = core::mem::replace(&mut feed.left, rest);
        let (queue, before, executed) = (feed.queue, feed.before, feed.executed);
        feed.before += whole;
        self.piece(queue, stream, before, piece, (true, executed));
        self.execute(observer)
    }

    /// Ends a stream and executes what is left. An incomplete last packet is reported as ENC-01. Returns the summary so far.
    pub fn finish(&mut self, stream: BufferId, observer: &mut dyn Observer) -> Summary {
        if let Some(place) = self.feeds.iter().position(|feed| feed.stream == stream) {
            let feed = self.feeds.remove(place);
            self.piece(feed.queue, stream, feed.before, feed.left, (false, feed.executed));
        }
        self.execute(observer)
    }

    fn piece(&mut self, queue: QueueId, stream: BufferId, before: usize, words: Vec<u32>, (open, executed): (bool, bool)) {
        if let Some(queue) = self.queue_mut(queue) {
            let frame = Frame::new(stream, before, Words::Shared(words.into()), None);
            queue.pending.push_back(Frame { open, executed, ..frame });
        }
    }

    /// Returns a queue by its number; the constant engine is created on first use.
    fn queue_mut(&mut self, id: QueueId) -> Option<&mut QueueState<'a>> {
        if id == QueueId::CONSTANT && self.chip.gfx().has_constant_engine() && !self.queues.iter().any(|queue| queue.id == id) {
            self.push_queue(id, Queue::Constant);
        }
        if let Some(family) = id.family()
            && !self.queues.iter().any(|queue| queue.id == id)
            && let Some(version) = Target::from(self.chip).version(family)
        {
            self.push_queue(id, Queue::Compute);
            if let Some(queue) = self.queues.last_mut() {
                queue.read_as(version);
            }
        }
        self.queues.iter_mut().find(|queue| queue.id == id)
    }

    fn push_queue(&mut self, id: QueueId, queue: Queue) {
        let mut state = QueueState::new(self.chip, id, queue);
        if self.options.partial {
            state.forget_past();
        }
        self.queues.push(state);
    }

    fn add(&mut self, buffer: BufferInfo<'a>) -> BufferId {
        let id = BufferId(self.first_buffer.0 + self.buffers.len() as u32);
        self.buffers.push(buffer);
        id
    }

    /// Returns a buffer by its number; None for one that was [dropped](Self::drop_buffers).
    pub fn buffer(&self, id: BufferId) -> Option<&BufferInfo<'a>> {
        self.buffers.get(id.0.checked_sub(self.first_buffer.0)? as usize)
    }

    /// Returns the buffers in the order of their numbers, without those that were [dropped](Self::drop_buffers).
    pub fn buffers(&self) -> &[BufferInfo<'a>] {
        &self.buffers
    }

    /// Returns the number of the first buffer that was not dropped.
    pub fn first_buffer(&self) -> BufferId {
        self.first_buffer
    }

    /// Drops the names and positions that the model keeps for reports about buffers with numbers below `before`. A model that runs many submissions needs this;
    /// otherwise it keeps some bytes per buffer. Numbers are not reused. Mapped buffers stay mapped, and buffers that have not run to their end still run.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, QueueId}};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// for submission in 0..1000 {
    ///     let stream = cp.begin(QueueId::GRAPHICS, "frame");
    ///     cp.drop_buffers(stream);
    ///     cp.feed(stream, &[0xC001_2D00, 3, 2], &mut ());
    ///     cp.finish(stream, &mut ());
    ///     assert_eq!((stream.0, cp.buffers().len()), (submission, 1));
    /// }
    /// # }
    /// ```
    pub fn drop_buffers(&mut self, before: BufferId) {
        let count = before.0.saturating_sub(self.first_buffer.0).min(self.buffers.len() as u32);
        self.buffers.drain(..count as usize);
        self.first_buffer.0 += count;
        self.executed = self.executed.split_off(&self.first_buffer);
    }

    /// Returns the current registers of the graphics queue or the first compute queue. The constant engine has no registers of its own; for it, the result is
    /// those of the graphics queue.
    pub fn registers(&self, queue: Queue) -> &RegisterFile {
        &self.queues[usize::from(queue == Queue::Compute)].registers
    }

    /// Returns the current registers of any queue; None for a queue that was never made.
    pub fn registers_of(&self, queue: QueueId) -> Option<&RegisterFile> {
        self.queues.iter().find(|state| state.id == queue).map(|state| &state.registers)
    }

    /// Returns the dword of memory that a packet of a queue finds now; None if it is not known, and for a queue that was never made. The result differs from
    /// [`memory`](Self::memory) while a RELEASE_MEM or an event of the queue still writes the dword and nothing has waited for it: the packet may find the
    /// previous value.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, QueueId}, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map_owned("fence", 0x1000, &[0]);
    /// // RELEASE_MEM of BOTTOM_OF_PIPE_TS: 7 to 0x1000. Then a NOP.
    /// let stream = [0xC006_4900, 0x528, 1 << 29, 0x1000, 0, 7, 0, 0, 0xFFFF_1000];
    /// cp.submit(Queue::Graphics, "fence", &stream);
    /// cp.step(&mut ());
    /// assert_eq!(cp.memory(0x1000), Some(0));
    /// assert_eq!(cp.memory_of(QueueId::GRAPHICS, 0x1000), None);
    /// cp.run(&mut ());
    /// assert_eq!(cp.memory_of(QueueId::GRAPHICS, 0x1000), Some(7));
    /// # }
    /// ```
    pub fn memory_of(&self, queue: QueueId, addr: u64) -> Option<u32> {
        self.queues.iter().find(|state| state.id == queue)?.pipe.known(&self.memory, addr)
    }

    /// Returns the counts so far.
    pub fn summary(&self) -> Summary {
        let context_rolls = self.queues.iter().map(|q| q.contexts.count).sum();
        let context_stalls = self.queues.iter().map(|q| q.contexts.stalls).sum();
        Summary { context_rolls, context_stalls, ..self.summary }
    }

    /// Returns the opcodes that the model does not execute, and how often each occurred.
    pub fn not_executed(&self) -> impl Iterator<Item = (Opcode, u64)> + '_ {
        (0..=u8::MAX).zip(self.skipped.iter()).filter(|(_, count)| **count > 0).map(|(opcode, count)| (Opcode(opcode), *count))
    }

    /// Executes everything that is submitted, to the end or to the limit of [`max_dwords`](Self::max_dwords).
    ///
    /// The queues run concurrently, in turns that depend only on the streams. While a queue waits, the others run. If no queue can run, findings say why, and
    /// the waits count as satisfied.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Summary {
        self.execute(observer)
    }

    /// Executes one packet of the queue whose turn it is. Returns None if nothing is left.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Option<Pause> {
        self.run_until(Stop::Packets(self.summary.packets + 1), observer)
    }

    /// Executes what is submitted up to a certain point. Returns None if the run ended before that point. Between two parts of a run, the caller may read all
    /// state, write memory and registers, map buffers and submit more. The parts together have the effect of one run.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::{CommandProcessor, Stop}, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// // SET_CONTEXT_REG DB_SHADER_CONTROL, twice; DRAW_INDEX_AUTO of 3 vertices
    /// let stream = [0xC001_6900, 0x203, 1, 0xC001_6900, 0x203, 2, 0xC001_2D00, 3, 2];
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit(Queue::Graphics, "main", &stream);
    /// let pause = cp.run_until(Stop::AfterRegisterWrite(0x2880C), &mut ()).unwrap();
    /// assert_eq!(pause.next.unwrap().dword, 3);
    /// assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), Some(1));
    /// cp.step(&mut ());
    /// assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), Some(2));
    /// assert_eq!(cp.run(&mut ()).draws, 1);
    /// # }
    /// ```
    pub fn run_until(&mut self, stop: Stop, observer: &mut dyn Observer) -> Option<Pause> {
        self.execute_until(Some(stop), observer).1
    }

    /// Returns a reset command processor with the chip, settings and rules of this one, for the next of many submissions. Rules that found nothing for given
    /// register values are not judged again for them.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit(Queue::Graphics, "a frame", &[0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2]);
    /// cp.run(&mut ());
    /// let next = cp.into_reset();
    /// assert_eq!(next.registers(Queue::Graphics).written(pm4::cp::Bank::Context).count(), 0);
    /// # }
    /// ```
    #[must_use]
    pub fn into_reset<'b>(mut self) -> CommandProcessor<'b> {
        let mut next = CommandProcessor::new(self.chip);
        next.memory.room = pages(&self.options);
        (next.options, next.tables, next.stale) = (self.options, self.tables, self.stale);
        for queue in &mut next.queues {
            if let Some(before) = self.queues.iter_mut().find(|before| before.id == queue.id) {
                queue.take_clean(before);
            }
        }
        next
    }

    /// Returns a snapshot: an independent copy of the whole model. It copies the registers and the memory that packets have written; the words of buffers are
    /// shared.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit(Queue::Graphics, "main", &[0xC001_6900, 0x203, 1]);
    /// cp.run(&mut ());
    /// let before = cp.snapshot();
    /// cp.submit(Queue::Graphics, "more", &[0xC001_6900, 0x203, 2]);
    /// cp.run(&mut ());
    /// assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), Some(2));
    /// cp = before; // back again
    /// assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), Some(1));
    /// # }
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Self {
        self.clone()
    }

    /// Writes dwords of memory on behalf of the CPU or a shader, between runs. Read-only mappings accept them too. Returns false if the model has no room left
    /// ([`max_memory`](Self::max_memory)); what did not fit is unknown.
    pub fn write_memory(&mut self, addr: u64, words: &[u32]) -> bool {
        self.memory.write_for_caller(addr, words)
    }

    /// Unmaps a buffer, together with what packets have written there.
    pub fn unmap(&mut self, buffer: BufferId) {
        self.memory.unmap(buffer);
    }

    /// Declares that a shader, the CPU or another device will write these bytes. A wait on them that nothing in the streams ends then counts as satisfied, and
    /// a finding of severity info names the expected writer.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
    /// # #[cfg(feature = "gfx11")] {
    /// // WAIT_REG_MEM: memory 0x1000 == 1
    /// let stream = [0xC005_3C00, 0x13, 0x1000, 0, 1, 0xFFFF_FFFF, 4];
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map_owned("flag", 0x1000, &[0]);
    /// cp.submit(Queue::Graphics, "main", &stream);
    /// assert_eq!(cp.clone().run(&mut ()).errors, 1);
    /// cp.expect_write(0x1000, 4, "the culling shader");
    /// assert_eq!(cp.run(&mut ()).errors, 0);
    /// # }
    /// ```
    pub fn expect_write(&mut self, addr: u64, bytes: u64, by: &'a str) {
        self.memory.expect(addr, bytes, by);
    }

    /// Sets a register of a queue to the value that the kernel or an earlier submission has left. Returns false if the queue or the register does not exist.
    pub fn set_register(&mut self, queue: QueueId, addr: u32, value: u32) -> bool {
        self.queue_mut(queue).is_some_and(|queue| queue.registers.set_from_outside(addr, value))
    }

    fn execute(&mut self, observer: &mut dyn Observer) -> Summary {
        self.execute_until(None, observer).0
    }

    fn execute_until(&mut self, until: Option<Stop>, observer: &mut dyn Observer) -> (Summary, Option<Pause>) {
        let open: Vec<QueueId> = self.feeds.iter().map(|feed| feed.queue).collect();
        if core::mem::take(&mut self.stale) {
            self.tables = Arc::new(self.tables.with_rules_of_now(self.chip));
            for queue in &mut self.queues {
                queue.judge_all();
                queue.registers.watched().reset();
            }
        }
        self.memory.sort_ranges();
        let (mut dwords, mut stop) = (0, false);
        let interest = observer.interest();
        self.memory.set_logging(interest.has(Interest::MEMORY));
        self.queues.iter_mut().for_each(|queue| queue.registers.set_logging(interest.has(Interest::REGISTERS)));
        let from = self.queues.get(self.turn.queue).and_then(QueueState::place);
        let (packets_before, findings_before) = (self.summary.packets, self.summary.findings());
        self.gang.compute = self.queues.iter().any(|queue| queue.queue == Queue::Compute && queue.is_pm4() && (queue.packets > 0 || queue.next().is_some()));
        let mut engine = Engine {
            chip: self.chip,
            gfx: self.chip.gfx(),
            options: &self.options,
            tables: &self.tables,
            memory: &mut self.memory,
            summary: &mut self.summary,
            dwords: &mut dwords,
            skipped: &mut self.skipped,
            repeats: &mut self.repeats,
            fences: &mut self.fences,
            by_pfp: false,
            atomic: false,
            gang: &mut self.gang,
            executed: &mut self.executed,
            constant: &mut self.constant,
            observer,
            interest,
            stop: &mut stop,
            until,
            packets_before,
            findings_before,
            from,
        };
        if !turns::run(&mut engine, &mut self.queues, &open, &mut self.turn, &mut self.lookahead) {
            let queue = self.queues.get(self.turn.queue);
            let pause = Pause { queue: queue.map_or(QueueId::GRAPHICS, |queue| queue.id), next: queue.and_then(QueueState::place) };
            return (self.summary(), Some(pause));
        }
        for queue in self.queues.iter_mut().filter(|queue| !open.contains(&queue.id)) {
            engine.resolve_doubts(queue);
            engine.report_resolved(queue);
        }
        engine.memory.transfers.clear();
        self.queues.iter_mut().for_each(|queue| queue.has_waited = false);
        if open.is_empty() {
            engine.report_left(&self.queues);
            engine.report_repeats();
        }
        (self.summary(), None)
    }
}

/// Returns the number of memory pages that the limit allows.
fn pages(options: &ModelOptions) -> usize {
    usize::try_from(options.max_memory / PAGE_BYTES as u64).unwrap_or(usize::MAX)
}

/// Returns the number of dwords in complete packets.
fn whole_packets(words: &[u32]) -> usize {
    let mut at = 0;
    while let Some(header) = words.get(at) {
        let next = at + Header(*header).dwords();
        if next > words.len() {
            break;
        }
        at = next;
    }
    at
}
