//! Settings of the model.

use crate::gpu::FirmwareVersions;

/// The settings of a model: what the caller knows and the stream does not say. [`options`](crate::cp::CommandProcessor::options) and the views of rules return
/// them. The method of [`CommandProcessor`](crate::cp::CommandProcessor) with the name of a field sets it.
///
/// ```
/// use pm4::{chip::Chip, cp::{BoardFacts, CommandProcessor, FirmwareVersions}};
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.board(BoardFacts { shader_engines: Some(6), cus_per_array: Some(8) });
/// cp.firmware(FirmwareVersions { mec: Some(2150), ..FirmwareVersions::default() });
/// cp.max_findings(1000);
/// assert_eq!(cp.options().board.shader_engines, Some(6));
/// assert_eq!(cp.options().max_findings, 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelOptions {
    /// Whether the application requested relaxed rasterization order (VK_AMD_rasterization_order), so that ordered draws may run out of order. Default: false.
    pub relaxed_order: bool,
    /// Whether all memory that the streams use is mapped. If true, reading, writing, executing or waiting on other memory is an error (MEM-03, SYN-18). If
    /// false (the default), reads, calls and waits give a finding of severity info, waits on memory that packets have written give a warning, and writes give
    /// no finding.
    pub closed_memory: bool,
    /// Whether rings belong to user queues, which programs write themselves. Rules on command buffers of drivers then apply to rings too. Default: false, rings
    /// belong to a kernel.
    pub user_queues: bool,
    /// Whether the streams are parts of longer ones. What precedes them is unknown, so registers and memory are unknown at the start. What follows them is
    /// unknown too, so no finding concerns their end. Default: false.
    pub partial: bool,
    /// Maximum number of dwords that the model executes in one run, over all queues. A buffer counts each time it runs. Default: 2^30.
    pub max_dwords: u64,
    /// Maximum nesting depth of calls. None is the hardware's limit: one level on the graphics queue and the constant engine, no calls on compute queues. The
    /// command buffers that a ring starts are not calls.
    pub max_depth: Option<u32>,
    /// Bytes of host memory that the model may use to keep what packets write; each 256 bytes of GPU memory take about 850 bytes. Beyond this limit, contents
    /// are unknown (RUN-02). Default: 2^28.
    pub max_memory: u64,
    /// Maximum number of reported findings. RUN-03 reports that there are more, which are only counted. Default: 2^20.
    pub max_findings: u64,
    /// Firmware versions that the caller knows.
    pub firmware: FirmwareVersions,
    /// The enabled parts of the chip, as far as the caller knows them.
    pub board: BoardFacts,
}

/// The parts of a chip that a board has. If a number is unknown, rules that depend on it only warn, or assume the maximum.
///
/// For an example see [`ModelOptions`](crate::cp::ModelOptions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoardFacts {
    /// Number of shader engines.
    pub shader_engines: Option<u32>,
    /// Compute units of the smallest shader array, 1 to 32; other numbers are clamped to this range.
    pub cus_per_array: Option<u32>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            relaxed_order: false,
            closed_memory: false,
            user_queues: false,
            partial: false,
            max_dwords: 1 << 30,
            max_depth: None,
            max_memory: 1 << 28,
            max_findings: 1 << 20,
            firmware: FirmwareVersions::default(),
            board: BoardFacts::default(),
        }
    }
}
