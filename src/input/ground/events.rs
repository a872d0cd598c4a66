//! Log lines as facts: the events from which incidents are built.

use crate::chip::Chip;
use alloc::string::String;

/// A process, as far as a line identifies it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Process {
    /// Its name.
    pub name: Option<String>,
    /// Its process ID.
    pub pid: Option<u64>,
    /// The name of the thread.
    pub thread: Option<String>,
    /// The thread ID.
    pub tid: Option<u64>,
}

/// The meaning of a log line, with its place.
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
    /// The line on which the message begins, counted from 1.
    pub line: usize,
    /// Time in microseconds, and the number of the clock; times are comparable only within one clock.
    pub micros: Option<(u64, i64)>,
    /// The time stamp as printed.
    pub time: Option<String>,
    /// The GPU as named on the line.
    pub gpu: Option<String>,
    /// The generation number according to function and block names on the line, 6 to 12.
    pub generation: Option<u8>,
    /// The chip named on the line.
    pub chip: Option<Chip>,
    /// The meaning.
    pub kind: EventKind,
}

/// The meaning of a log line.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// It only identifies a machine.
    Machine,
    /// A boot begins.
    Boot {
        /// The kernel version, if stated.
        kernel: Option<String>,
    },
    /// A ring timed out.
    Timeout {
        /// The ring; empty if the input begins after its name.
        ring: String,
        /// The kernel killed the waves of the job, and the ring continued.
        recovered: bool,
    },
    /// The process of the preceding message.
    Process(Process),
    /// A KFD queue or user queue did not stop.
    QueueTimeout,
    /// A page fault begins.
    Fault(FaultLine),
    /// A part of the preceding page fault.
    FaultPart(FaultPart),
    /// A page fault on GFX8 or older, not decoded.
    OldFault,
    /// An engine rejected a packet: `illegal_opcode`, `illegal_register`, `illegal_instruction` or `bad_address`.
    Refused(&'static str),
    /// A firmware did not respond.
    Firmware {
        /// `MES`, `HWS`, `KIQ` or `SMU`.
        who: &'static str,
        /// The request.
        message: Option<String>,
    },
    /// A recovery step.
    Recovery(RecoveryLine),
    /// The driver or the runtime reports an error.
    DriverError(String),
    /// A block did not suspend or resume: the sentence from the log.
    BlockFailed(String),
    /// The hardware reports an uncorrectable error: the sentence from the log.
    HardwareError(String),
    /// The kernel wrote a device coredump to this file.
    Dumped(String),
}

impl EventKind {
    /// Returns whether the line says something about what went wrong, beyond identifying the machine.
    pub(crate) fn is_of_an_incident(&self) -> bool {
        !matches!(self, Self::Machine | Self::Boot { .. } | Self::Process(_) | Self::HardwareError(_) | Self::Dumped(_))
    }
}

/// The first line of a page fault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaultLine {
    /// The hub: `gfxhub0`, `mmhub`.
    pub hub: Option<String>,
    /// The die: `AID0`, `AID2.XCD0`.
    pub die: Option<String>,
    /// The VMID.
    pub vmid: Option<u32>,
    /// The PASID (process address space ID).
    pub pasid: Option<u32>,
    /// The process.
    pub process: Option<Process>,
    /// The address, if on this line.
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
    /// The status register.
    Status {
        /// Whether the register has the fields of VM_L2_PROTECTION_FAULT_STATUS on GFX9 to GFX12.0; false for VM_CONTEXT1_PROTECTION_FAULT_STATUS.
        decoded: bool,
        /// The value.
        value: u32,
        /// Whether the register belongs to a multimedia hub, if its name shows it.
        multimedia: Option<bool>,
    },
    /// The client: name and number.
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
    /// A GPU reset begins, with the number of its source.
    Begins(Option<u32>),
    /// The reset method.
    Method(&'static str),
    /// A GPU reset ended.
    Ends {
        /// The number of the reset.
        count: Option<u64>,
        /// `succeeded`, `failed`, `disabled` or `skipped`.
        result: &'static str,
    },
    /// Video memory was lost.
    VramLost,
    /// The reset of a ring begins.
    RingBegins(String),
    /// A ring reset ended; whether it succeeded.
    RingEnds(String, bool),
    /// A queue reset, with its result.
    Queue(&'static str),
}
