//! What lines of a log say, as facts: the events of which incidents are made.

use crate::chip::Chip;
use alloc::string::String;

/// A process, as far as a line names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Process {
    /// Its name.
    pub name: Option<String>,
    /// Its number.
    pub pid: Option<u64>,
    /// The name of the thread.
    pub thread: Option<String>,
    /// The number of the thread.
    pub tid: Option<u64>,
}

/// What a line of a log says, with its place.
///
/// ```
/// use pm4::input::{EventKind, LogEvent, Source};
///
/// let log = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
/// let input = Source::open(log.as_bytes(), None)?.load()?;
/// let event: &LogEvent = &input.events[0];
/// assert_eq!((event.line, event.gpu.as_deref()), (1, Some("0000:03:00.0")));
/// assert!(matches!(&event.kind, EventKind::Timeout { ring, .. } if ring == "gfx_0.0.0"));
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LogEvent {
    /// The line, from 1, where the message begins.
    pub line: usize,
    /// Microseconds of the clock of the line, and which clock that is; lines of one clock have an order.
    pub micros: Option<(u64, i64)>,
    /// The time stamp as it is printed.
    pub time: Option<String>,
    /// The GPU as the line names it.
    pub gpu: Option<String>,
    /// The generation that names of functions and blocks on the line say, 6 to 12.
    pub generation: Option<u8>,
    /// The chip that the line names.
    pub chip: Option<Chip>,
    /// What it says.
    pub kind: EventKind,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// It names a machine and no more.
    Machine,
    /// A boot begins.
    Boot {
        /// The version of the kernel, where the line states it.
        kernel: Option<String>,
    },
    /// A ring timed out.
    Timeout {
        /// The ring; empty where the input begins behind its name.
        ring: String,
        /// The kernel killed the waves of the job, and the ring went on.
        recovered: bool,
    },
    /// The process of the message before.
    Process(Process),
    /// A queue of KFD or of a user did not stop.
    QueueTimeout,
    /// A page fault begins.
    Fault(FaultLine),
    /// A part of the page fault before.
    FaultPart(FaultPart),
    /// A page fault of GFX8 or older, which is not decoded.
    OldFault,
    /// An engine refused a packet: `illegal_opcode`, `illegal_register`, `illegal_instruction` or `bad_address`.
    Refused(&'static str),
    /// A firmware did not answer.
    Firmware {
        /// `MES`, `HWS`, `KIQ` or `SMU`.
        who: &'static str,
        /// What it was asked.
        message: Option<String>,
    },
    /// A step of a recovery.
    Recovery(RecoveryLine),
    /// The driver or the runtime reports an error.
    DriverError(String),
    /// A block did not suspend or resume: the sentence of the log.
    BlockFailed(String),
    /// The hardware reports an error that cannot be corrected: the sentence of the log.
    HardwareError(String),
    /// The kernel wrote a device coredump to this file.
    Dumped(String),
}

impl EventKind {
    /// Returns whether it states something of what went wrong, and not the machine alone.
    pub(crate) fn is_of_an_incident(&self) -> bool {
        !matches!(self, Self::Machine | Self::Boot { .. } | Self::Process(_) | Self::HardwareError(_) | Self::Dumped(_))
    }
}

/// The first line of a page fault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaultLine {
    /// `gfxhub0`, `mmhub`.
    pub hub: Option<String>,
    /// `AID0`, `AID2.XCD0`.
    pub die: Option<String>,
    /// The address space.
    pub vmid: Option<u32>,
    /// The process address space.
    pub pasid: Option<u32>,
    /// The process.
    pub process: Option<Process>,
    /// The address, where the line has it.
    pub address: Option<u64>,
    /// The block that sent the interrupt, where the line has it.
    pub interrupt_client: Option<String>,
}

/// A part of a page fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultPart {
    /// The page.
    Page {
        /// Its address.
        address: u64,
        /// The block that sent the interrupt, which need not be the one that accessed the page: `0x1b (UTCL2)`; `10`.
        interrupt_client: Option<String>,
    },
    /// The die.
    Die(String),
    /// The status register: whether it has the fields of GFX9 to GFX12.0, and its value.
    Status {
        /// It is not VM_CONTEXT1_PROTECTION_FAULT_STATUS.
        decoded: bool,
        /// The value.
        value: u32,
        /// Whether it is the register of a multimedia hub, where its name says so.
        multimedia: Option<bool>,
    },
    /// The client, by name and number.
    Client(Option<String>, Option<u32>),
    /// WALKER_ERROR.
    Walker(u32),
    /// PERMISSION_FAULTS.
    Permission(u32),
    /// MAPPING_ERROR.
    Mapping(u32),
    /// RW: whether it was a write.
    Write(bool),
}

/// A line about a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryLine {
    /// The reset of the GPU begins, by this source.
    Begins(Option<u32>),
    /// By this method.
    Method(&'static str),
    /// The reset of the GPU, the how many-th, ended so.
    Ends {
        /// Its number.
        count: Option<u64>,
        /// `succeeded`, `failed`, `disabled` or `skipped`.
        result: &'static str,
    },
    /// Video memory was lost.
    VramLost,
    /// The reset of a ring begins.
    RingBegins(String),
    /// It ended, and whether it succeeded.
    RingEnds(String, bool),
    /// The reset of a queue, and its result.
    Queue(&'static str),
}
