//! Settings of the model.

use crate::gpu::FirmwareVersions;

/// What the caller knows and the stream does not say: the settings of a model, as [`options`](crate::cp::CommandProcessor::options) and the views of rules show
/// them. Each field is set by the method of [`CommandProcessor`](crate::cp::CommandProcessor) with its name, `firmware` and `board` among them.
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
    /// The application asked for relaxed rasterization order (VK_AMD_rasterization_order), so ordered draws may run out of
    /// order. Default: false.
    pub relaxed_order: bool,
    /// All memory that the streams use is mapped. Reading, writing, executing or waiting on other memory is then an error (MEM-03, SYN-18). If false (the
    /// default), reads, calls and waits give a finding of severity info, waits on what packets have written there a warning, and writes give none.
    pub closed_memory: bool,
    /// The rings are those of user queues, which programs write themselves: rules on command buffers of drivers are checked in them too. Default: false, rings
    /// are a kernel's.
    pub user_queues: bool,
    /// The streams are parts of longer ones. What ran before them is not known, so registers and memory are unknown at the start; nor is what follows them, so
    /// nothing is said about their end. Default: false.
    pub partial: bool,
    /// Dwords that the model executes in one run before it gives up, over all queues. What buffers hold counts each time that they run.
    /// Default: 2^30.
    pub max_dwords: u64,
    /// How deep calls may be nested; None for what the hardware has: one level on the graphics queue and the constant engine, none on compute queues.
    /// The command buffers that a ring starts are not calls.
    pub max_depth: Option<u32>,
    /// Bytes of the host's memory that the model may use to keep what packets write; each 256 bytes of GPU memory take about 850. Above this, contents are
    /// unknown (RUN-02). Default: 2^28.
    pub max_memory: u64,
    /// The most findings that are reported. RUN-03 reports that there are more; those are only counted. Default: 2^20.
    pub max_findings: u64,
    /// Versions of the firmware, where the caller knows them.
    pub firmware: FirmwareVersions,
    /// Which parts of the chip are enabled, where the caller knows it.
    pub board: BoardFacts,
}

/// The parts of a chip that a board has. Rules that depend on one only warn, or assume the most, where it is not known.
///
/// For an example see [`ModelOptions`](crate::cp::ModelOptions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoardFacts {
    /// Shader engines.
    pub shader_engines: Option<u32>,
    /// Compute units of the smallest shader array, 1 to 32; another number counts as the nearest of these.
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
