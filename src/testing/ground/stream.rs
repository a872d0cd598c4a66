//! Streams with everything that a verdict needs.

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

/// Facts that a caller of the model states and that no stream contains.
///
/// For an example see [`TestStream`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stated {
    /// Versions of the firmware.
    pub firmware: FirmwareVersions,
    /// The board.
    pub board: BoardFacts,
    /// Whether only the buffers and [`TestStream::memory`] are mapped ([`CommandProcessor::closed_memory`]).
    pub closed_memory: bool,
    /// Whether the words are submitted as a ring ([`CommandProcessor::submit_ring`]).
    pub ring: bool,
    /// Whether the words are submitted to an SDMA queue, with packets of [`queues`](crate::queues), regardless of [`TestStream::queue`].
    pub sdma: bool,
    /// Whether the words are submitted to an AQL queue.
    pub aql: bool,
    /// Whether the words are submitted to the ring of MES.
    pub mes: bool,
    /// Maximum number of dwords to execute ([`CommandProcessor::max_dwords`]).
    pub max_dwords: Option<u64>,
    /// Maximum memory to keep ([`CommandProcessor::max_memory`]).
    pub max_memory: Option<u64>,
    /// Maximum number of findings ([`CommandProcessor::max_findings`]).
    pub max_findings: Option<u64>,
}

/// A stream for a chip and a queue, with everything that a verdict needs: its memory, and what is stated about firmware and board.
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
    /// The words, at [`ADDRESS`](Self::ADDRESS).
    pub words: Vec<u32>,
    /// The words of a concurrent compute queue, at [`BESIDE`](Self::BESIDE); usually empty.
    pub beside: Vec<u32>,
    /// Mapped memory.
    pub memory: Vec<MemoryBlock>,
    /// What is stated about firmware, board and limits.
    pub stated: Stated,
    /// Rules that are off by default but on here.
    pub enabled: Vec<&'static str>,
    /// Rules that are off here because they report the same mistake as the rule of the case.
    pub allowed: Vec<&'static str>,
}

impl TestStream {
    /// Address of the words.
    pub const ADDRESS: u64 = 0x10_0000;
    /// Address of the words of the concurrent queue.
    pub const BESIDE: u64 = 0x20_0000;

    /// Creates a stream that needs nothing but its words.
    pub fn new(chip: Chip, queue: Queue, words: Vec<u32>) -> Self {
        Self { chip, queue, words, beside: Vec::new(), memory: Vec::new(), stated: Stated::default(), enabled: Vec::new(), allowed: Vec::new() }
    }

    /// Returns a model that is ready to run the stream: [`CommandProcessor::run`] executes and judges.
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

    /// Returns the findings of all rules and severities.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Found(Vec::new());
        self.model().run(&mut found);
        found.0
    }

    /// Returns the codes of the rules' findings.
    pub fn codes(&self) -> BTreeSet<&'static str> {
        self.findings().iter().map(|finding| finding.code).collect()
    }
}

/// Collects findings.
struct Found(Vec<Finding>);

impl Observer for Found {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}
