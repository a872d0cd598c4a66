//! Requests of kernels to MES.

use super::builder::{BuildError, Builder};
use super::format::QueueFamily;
use super::version::Version;
use alloc::vec::Vec;

/// Memory that MES writes when it has completed a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct MesFence {
    /// Its address.
    pub addr: u64,
    /// The 64-bit value to write.
    pub value: u64,
}

/// The engine of a queue that MES schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum MesQueueType {
    /// Graphics.
    Graphics = 0,
    /// Compute.
    #[default]
    Compute = 1,
    /// SDMA.
    Sdma = 2,
    /// The scheduler's own.
    Scheduler = 3,
}

/// A queue to add to MES.
///
/// ```
/// use pm4::queues::{MesAddQueue, MesFence, MesWriter, QueueFamily, QueueReader, Version};
/// let version = Version::new(QueueFamily::Mes, "12").expect("a version");
/// let mut writer = MesWriter::new(version);
/// let queue = MesAddQueue { doorbell: 0x1000, mqd: 0x7000, process_context: 0x8000, gang_context: 0x9000, ..MesAddQueue::default() };
/// writer.add_queue(&queue, MesFence { addr: 0x1_0000, value: 1 })?.query_status(MesFence { addr: 0x1_0008, value: 7 })?;
/// let names: Vec<_> = QueueReader::new(version, writer.words()).flatten().map(|frame| frame.name()).collect();
/// assert_eq!((names, writer.words().len()), (vec!["ADD_QUEUE", "QUERY_SCHEDULER_STATUS"], 128));
/// # Ok::<(), pm4::queues::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MesAddQueue {
    /// PASID of the process.
    pub process: u32,
    /// Root of the process's page table.
    pub page_table: u64,
    /// Address of MES's context of the process.
    pub process_context: u64,
    /// Address of MES's context of the gang, the queues that run together.
    pub gang_context: u64,
    /// Time slice of a process in units of 100 ns (kernels: 100000).
    pub process_quantum: u64,
    /// Time slice of a gang in units of 100 ns (kernels: 10000).
    pub gang_quantum: u64,
    /// Priority of the gang within its process, 0 to 4.
    pub gang_priority: u32,
    /// The doorbell that identifies the queue.
    pub doorbell: u32,
    /// Address of the queue's memory queue descriptor.
    pub mqd: u64,
    /// Address of the queue's write pointer.
    pub wptr: u64,
    /// The engine that runs the queue.
    pub queue_type: MesQueueType,
    /// Whether the packets of the queue are AQL.
    pub aql: bool,
    /// Whether the queue belongs to a KFD process.
    pub kfd: bool,
    /// Whether it is a kernel queue, which MES maps but does not schedule.
    pub legacy: bool,
}

/// A queue to remove from MES.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MesRemoveQueue {
    /// The doorbell that identifies the queue.
    pub doorbell: u32,
    /// Address of MES's context of the gang.
    pub gang_context: u64,
    /// Whether the queue was reset, so that MES drops it without a preemption.
    pub after_reset: bool,
}

/// A writer of MES frames, each with the fence that reports its completion. Create other frames with a [`Builder`] and add them with [`frame`](Self::frame).
///
/// For an example see [`MesAddQueue`].
#[derive(Debug, Clone)]
pub struct MesWriter {
    version: Version,
    words: Vec<u32>,
}

impl MesWriter {
    /// Creates a writer without frames.
    ///
    /// # Panics
    /// If the version is of another family.
    pub fn new(version: Version) -> Self {
        assert!(version.family() == QueueFamily::Mes, "{version} is not a version of MES");
        Self { version, words: Vec::new() }
    }

    /// Returns the words written.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the words written.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }

    /// Adds a frame with its fence.
    ///
    /// # Errors
    /// If the frame is of another version, or its fields contradict each other.
    pub fn frame(&mut self, frame: Builder, done: MesFence) -> Result<&mut Self, BuildError> {
        let frame = frame.set("api_status.api_completion_fence_addr", done.addr)?.set("api_status.api_completion_fence_value", done.value)?;
        self.words.extend(frame.build()?);
        Ok(self)
    }

    fn new_frame(&self, name: &str) -> Result<Builder, BuildError> {
        Builder::new(self.version, name)
    }

    /// Adds a queue to the scheduler.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn add_queue(&mut self, queue: &MesAddQueue, done: MesFence) -> Result<&mut Self, BuildError> {
        let fields = [
            ("process_id", queue.process.into()),
            ("page_table_base_addr", queue.page_table),
            ("process_quantum", queue.process_quantum),
            ("process_context_addr", queue.process_context),
            ("gang_quantum", queue.gang_quantum),
            ("gang_context_addr", queue.gang_context),
            ("inprocess_gang_priority", queue.gang_priority.into()),
            ("doorbell_offset", queue.doorbell.into()),
            ("mqd_addr", queue.mqd),
            ("wptr_addr", queue.wptr),
            ("queue_type", queue.queue_type as u64),
            ("is_aql_queue", queue.aql.into()),
            ("is_kfd_process", queue.kfd.into()),
            ("map_legacy_kq", queue.legacy.into()),
        ];
        let frame = fields.into_iter().try_fold(self.new_frame("ADD_QUEUE")?, |frame, (name, value)| frame.set(name, value))?;
        self.frame(frame, done)
    }

    /// Removes a queue from the scheduler.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn remove_queue(&mut self, queue: MesRemoveQueue, done: MesFence) -> Result<&mut Self, BuildError> {
        let frame = self.new_frame("REMOVE_QUEUE")?.set("doorbell_offset", queue.doorbell.into())?.set("gang_context_addr", queue.gang_context)?;
        self.frame(frame.set("remove_queue_after_reset", queue.after_reset.into())?, done)
    }

    /// Suspends a gang, or all gangs with None. The scheduler then writes `suspended`.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn suspend(&mut self, gang_context: Option<u64>, suspended: MesFence, done: MesFence) -> Result<&mut Self, BuildError> {
        let frame = self.new_frame("SUSPEND")?.set("suspend_all_gangs", gang_context.is_none().into())?;
        let frame = frame.set("gang_context_addr", gang_context.unwrap_or(0))?.set("suspend_fence_addr", suspended.addr)?;
        self.frame(frame.set("suspend_fence_value", suspended.value)?, done)
    }

    /// Resumes a gang, or all gangs with None.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn resume(&mut self, gang_context: Option<u64>, done: MesFence) -> Result<&mut Self, BuildError> {
        let frame = self.new_frame("RESUME")?.set("resume_all_gangs", gang_context.is_none().into())?;
        self.frame(frame.set("gang_context_addr", gang_context.unwrap_or(0))?, done)
    }

    /// Resets a single queue.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn reset_queue(&mut self, doorbell: u32, gang_context: u64, done: MesFence) -> Result<&mut Self, BuildError> {
        let frame = self.new_frame("RESET")?.set("reset_queue_only", 1)?.set("gang_context_addr", gang_context)?;
        self.frame(frame.set("doorbell_offset", doorbell.into())?, done)
    }

    /// Requests an answer: kernels put this frame after each request, with the fence of the ring.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn query_status(&mut self, done: MesFence) -> Result<&mut Self, BuildError> {
        self.frame(self.new_frame("QUERY_SCHEDULER_STATUS")?, done)
    }
}
