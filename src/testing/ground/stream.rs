//! A stream with all that a verdict about it needs.

use crate::chip::Chip;
use crate::cp::rules::RuleLevel;
use crate::cp::{BoardFacts, CommandProcessor, Finding, FirmwareVersions, Observer, QueueId};
use crate::packet::Queue;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Memory besides the stream, with its contents before the stream runs.
///
/// For an example see [`TestStream`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryBlock {
    /// Address of the first byte.
    pub addr: u64,
    /// Its dwords.
    pub words: Vec<u32>,
}

/// What a caller of the model states and no stream says.
///
/// For an example see [`TestStream`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stated {
    /// Versions of the firmware.
    pub firmware: FirmwareVersions,
    /// The parts that the board has.
    pub board: BoardFacts,
    /// Nothing but the buffers and [`TestStream::memory`] is mapped ([`CommandProcessor::closed_memory`]).
    pub closed_memory: bool,
    /// What is submitted is a ring ([`CommandProcessor::submit_ring`]).
    pub ring: bool,
    /// It is submitted to a queue of SDMA, whose packets are those of [`queues`](crate::queues), whatever [`TestStream::queue`] says.
    pub sdma: bool,
    /// It is submitted to a queue of AQL.
    pub aql: bool,
    /// It is submitted to the ring of MES.
    pub mes: bool,
    /// The most dwords that are executed ([`CommandProcessor::max_dwords`]).
    pub max_dwords: Option<u64>,
    /// The most memory that is kept ([`CommandProcessor::max_memory`]).
    pub max_memory: Option<u64>,
    /// The most findings ([`CommandProcessor::max_findings`]).
    pub max_findings: Option<u64>,
}

/// A stream for a chip and a queue, with all that a verdict about it needs: the memory that it uses, and what is stated of firmware and board.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Chip, packet::Queue, testing::TestStream};
/// // EVENT_WRITE of a timestamp event.
/// let stream = TestStream::new(Chip::Navi31, Queue::Graphics, vec![0xC000_4600, 20 | 5 << 8]);
/// assert!(stream.codes().contains("SYN-01"));
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestStream {
    /// The chip.
    pub chip: Chip,
    /// The queue that runs the words.
    pub queue: Queue,
    /// The words, which lie at [`ADDRESS`](Self::ADDRESS).
    pub words: Vec<u32>,
    /// What a compute queue runs concurrently, at [`BESIDE`](Self::BESIDE); usually nothing.
    pub beside: Vec<u32>,
    /// Memory that is mapped.
    pub memory: Vec<MemoryBlock>,
    /// What is stated of firmware, board and limits.
    pub stated: Stated,
    /// Rules that are off by default, and on here.
    pub enabled: Vec<&'static str>,
    /// Rules that are off here: they report the same mistake as the rule of the case.
    pub allowed: Vec<&'static str>,
}

impl TestStream {
    /// Where the words lie.
    pub const ADDRESS: u64 = 0x10_0000;
    /// Address of the words of the concurrent queue.
    pub const BESIDE: u64 = 0x20_0000;

    /// Creates a stream that needs nothing but its words.
    pub fn new(chip: Chip, queue: Queue, words: Vec<u32>) -> Self {
        Self { chip, queue, words, beside: Vec::new(), memory: Vec::new(), stated: Stated::default(), enabled: Vec::new(), allowed: Vec::new() }
    }

    /// Returns a model that is ready to run it: [`CommandProcessor::run`] executes and judges.
    pub fn model(&self) -> CommandProcessor<'_> {
        let mut cp = CommandProcessor::new(self.chip);
        let stated = &self.stated;
        cp.firmware(stated.firmware).board(stated.board).closed_memory(stated.closed_memory);
        if let Some(findings) = stated.max_findings {
            cp.max_findings(findings);
        }
        if let Some(dwords) = stated.max_dwords {
            cp.max_dwords(dwords);
        }
        if let Some(bytes) = stated.max_memory {
            cp.max_memory(bytes);
        }
        for code in &self.enabled {
            cp.set_rule_level(code, RuleLevel::Warn);
        }
        for code in &self.allowed {
            cp.set_rule_level(code, RuleLevel::Allow);
        }
        for block in &self.memory {
            cp.map("memory", block.addr, &block.words);
        }
        let queue = match self.queue {
            _ if stated.sdma => QueueId::SDMA,
            _ if stated.aql => QueueId::AQL,
            _ if stated.mes => QueueId::MES,
            Queue::Graphics => QueueId::GRAPHICS,
            Queue::Compute => QueueId::COMPUTE,
            Queue::Constant => QueueId::CONSTANT,
        };
        if stated.ring {
            cp.submit_ring(queue, "stream", Some(Self::ADDRESS), &self.words);
        } else {
            cp.submit_to(queue, "stream", Some(Self::ADDRESS), &self.words);
        }
        if !self.beside.is_empty() {
            cp.submit_to(QueueId::COMPUTE, "beside", Some(Self::BESIDE), &self.beside);
        }
        cp
    }

    /// What the rules find, of every severity.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Found(Vec::new());
        self.model().run(&mut found);
        found.0
    }

    /// Returns the codes of what the rules find.
    pub fn codes(&self) -> BTreeSet<&'static str> {
        self.findings().iter().map(|finding| finding.code).collect()
    }
}

/// Keeps findings.
struct Found(Vec<Finding>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}
