//! Facts about incidents: fields, not sentences.

use crate::chip::Chip;
use crate::input::Process;
use alloc::string::String;
use alloc::vec::Vec;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum IncidentKind {
    /// A ring timed out.
    RingTimeout,
    /// A firmware did not answer, and no ring had timed out.
    FirmwareTimeout,
    /// A queue did not stop.
    QueueTimeout,
    /// Page faults.
    PageFault,
    /// Packets that engines refused.
    RefusedPacket,
    /// A reset whose cause is not in the input.
    Reset,
    /// An error of the driver or the runtime.
    DriverError,
}

/// A page fault of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentFault {
    /// The line.
    pub line: usize,
    /// The address; None where the input lacks it.
    pub address: Option<u64>,
    /// The hub.
    pub hub: Option<String>,
    /// The die.
    pub die: Option<String>,
    /// The address space.
    pub vmid: Option<u32>,
    /// The process address space.
    pub pasid: Option<u32>,
    /// The name of the client that the input states.
    pub client: Option<String>,
    /// The number of the client that the input states.
    pub client_id: Option<u32>,
    /// The block that sent the interrupt, which need not be the client: `0x1b (UTCL2)`; `10`.
    pub interrupt_client: Option<String>,
    /// The status register.
    pub status: Option<u32>,
    /// Whether the status register has the fields of GFX9 to GFX12.0.
    pub decoded: bool,
    /// Whether the status register is that of a multimedia hub; None if its name does not say.
    pub multimedia: Option<bool>,
    /// Whether it was a write.
    pub write: Option<bool>,
    /// PERMISSION_FAULTS.
    pub permission: Option<u32>,
    /// WALKER_ERROR.
    pub walker: Option<u32>,
    /// MAPPING_ERROR.
    pub mapping: Option<u32>,
    /// The process.
    pub process: Option<Process>,
    /// Whether the VMID of the status differs from that of the fault.
    pub status_is_of_another_fault: bool,
}

/// A step of a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryStep {
    /// The line.
    pub line: usize,
    /// `soft_recovery`, `ring_reset`, `queue_reset` or `gpu_reset`.
    pub what: &'static str,
    /// The ring of a ring reset.
    pub ring: Option<String>,
    /// `MODE1` and the like.
    pub method: Option<&'static str>,
    /// `job` and the like.
    pub source: Option<&'static str>,
    /// `succeeded`, `failed`, `disabled`, `skipped` or `unknown`.
    pub result: &'static str,
    /// The number of the reset.
    pub count: Option<u64>,
    /// Whether the log says that video memory was lost.
    pub vram_lost: bool,
}

/// An incident: one thing that went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Incident {
    /// The kind of incident.
    pub kind: IncidentKind,
    /// The input, by the order in which they were given.
    pub file: usize,
    /// The line of the message that gave the kind.
    pub line: usize,
    /// Its time stamp.
    pub time: Option<String>,
    /// The GPU.
    pub gpu: Option<String>,
    /// The ring.
    pub ring: Option<String>,
    /// The engine.
    pub engine: Option<&'static str>,
    /// The process.
    pub process: Option<Process>,
    /// The generation, 6 to 12.
    pub generation: Option<u8>,
    /// The chip.
    pub chip: Option<Chip>,
    /// The sentence of a driver error.
    pub message: Option<String>,
    /// Page faults, those without an address as well.
    pub faults: Vec<IncidentFault>,
    /// Refused packets: line and what.
    pub refused: Vec<(usize, &'static str)>,
    /// Firmware that did not answer: line, who, and what it was asked.
    pub firmware: Vec<(usize, &'static str, Option<String>)>,
    /// Recovery, in order.
    pub recovery: Vec<RecoveryStep>,
    /// What the log says of blocks that did not suspend or resume, and of the hardware.
    pub blocks: Vec<String>,
    /// The incident of which this one is an effect.
    pub follows: Option<usize>,
}

/// Returns the engine of a ring.
pub(super) fn engine(ring: &str) -> Option<&'static str> {
    const ENGINES: [(&str, &str); 16] = [
        ("gfx", "gfx"),
        ("comp", "compute"),
        ("sdma", "sdma"),
        // The queue for page tables of an SDMA engine.
        ("page", "sdma"),
        ("vcn", "vcn"),
        ("vce", "vce"),
        ("uvd", "uvd"),
        ("jpeg", "jpeg"),
        ("kiq", "kiq"),
        ("mes_kiq", "kiq"),
        ("mes", "mes"),
        ("hws", "hws"),
        ("kfd", "kfd"),
        ("smu", "smu"),
        ("rlc", "rlc"),
        ("vpe", "vpe"),
    ];
    ENGINES.iter().find(|(start, _)| ring.starts_with(start)).map(|(_, engine)| *engine)
}
