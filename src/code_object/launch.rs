//! A launch of a kernel, for PM4 and AQL.

use super::descriptor::DescriptorDefect;
use super::kernel::Kernel;
use super::processor::Processor;
use crate::chip::{Chip, Gfx};
use crate::draw::{DispatchDesc, Grid, ProgramWords, ScratchRing, UserData, WordsError};
use crate::queues::{KernelDispatch, Target};
use crate::regs;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The inputs of a launch besides the kernel: addresses, and the number of work-items. `Default` is one workgroup of 64 work-items with all addresses 0.
///
/// The same launch makes a PM4 dispatch ([`Kernel::dispatch`]) or an AQL packet ([`Kernel::aql`]).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::chip::Chip;
/// use pm4::code_object::{CodeObject, Launch};
/// let object = CodeObject::parse(file)?;
/// let kernel = object.kernel("transpose").unwrap();
/// let launch = Launch { image: 0x1_0000_0000, kernarg: 0x2_0000_0000, group: [16, 16, 1], grid: [64, 32, 1], ..Launch::default() };
/// let dispatch = kernel.dispatch(Chip::Navi31, &launch)?;
/// assert_eq!((dispatch.program.lds_bytes, dispatch.thread_ids), (1088, 2));
/// let packet = kernel.aql(&launch)?;
/// assert_eq!((packet.group_size, packet.kernel_object), (1088, 0x1_0000_0000 + kernel.descriptor_at));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Address of the image, a multiple of [`CodeObject::image_align`](super::CodeObject::image_align).
    pub image: u64,
    /// Address of the arguments, a multiple of 16.
    pub kernarg: u64,
    /// Work-items per workgroup.
    pub group: [u32; 3],
    /// Work-items in the grid; the last workgroup in each dimension may be partial.
    pub grid: [u32; 3],
    /// LDS in addition to the descriptor's, in bytes: for arguments of kind `dynamic_shared_pointer`.
    pub dynamic_group_bytes: u32,
    /// Scratch memory of a work-item in bytes, if more than the descriptor states. Required for kernels whose stack may grow.
    pub private_bytes: Option<u32>,
    /// PM4: scratch memory, if the kernel uses it. With AQL, the queue provides it.
    pub scratch: Option<ScratchRing>,
    /// PM4: the buffer descriptor of scratch memory, for kernels that read it from SGPRs (GFX9 and GFX10). ROCr keeps it in `amd_queue_t`, as
    /// `scratch_resource_descriptor`.
    pub scratch_descriptor: Option<[u32; 4]>,
    /// PM4: address of a copy of the AQL packet, for kernels that read it (code objects up to V4 read the workgroup size there).
    pub dispatch_packet: Option<u64>,
    /// PM4: address of an `amd_queue_t`, for kernels that read it.
    pub queue: Option<u64>,
    /// PM4: number of the dispatch, for kernels that read it.
    pub dispatch_id: u64,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            image: 0,
            kernarg: 0,
            group: [64, 1, 1],
            grid: [64, 1, 1],
            dynamic_group_bytes: 0,
            private_bytes: None,
            scratch: None,
            scratch_descriptor: None,
            dispatch_packet: None,
            queue: None,
            dispatch_id: 0,
        }
    }
}

/// A kernel cannot be launched.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::chip::ComputeChip;
/// use pm4::code_object::{CodeObject, Launch};
/// let object = CodeObject::parse(file)?;
/// let error = object.kernel("saxpy").unwrap().dispatch(ComputeChip::Gfx942, &Launch::default()).unwrap_err();
/// assert_eq!(error.to_string(), "kernel saxpy: it is compiled for gfx1100, which gfx942 does not run");
/// # }
/// # Ok::<(), pm4::code_object::CodeObjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The chip does not run code for this processor.
    #[error("{of}: it is compiled for {compiled}, which {chip} does not run")]
    OtherChip {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The processor for which it is compiled.
        compiled: Processor,
        /// The chip.
        chip: &'static str,
    },
    /// The crate writes no PM4 for chips without graphics.
    #[error("{of}: {chip} has no graphics, and this crate lacks its registers: dispatch the kernel with AQL (`Kernel::aql`)")]
    NoPm4 {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The chip.
        chip: &'static str,
    },
    /// The descriptor contains a value that it must not.
    #[error("{of}: descriptor: {defect}")]
    Descriptor {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The value.
        defect: DescriptorDefect,
    },
    /// Register words that a dispatch cannot have.
    #[error("{of}: {error}{}", Bits(*.bits))]
    Words {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The highest and lowest bit of the field, if the value of a field is refused.
        bits: Option<(u8, u8)>,
        /// Register, field and value.
        error: WordsError,
    },
    /// The kernel reads an input that the launch does not state.
    #[error("{of} reads {what}: state `Launch::{input}`")]
    Missing {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// What the kernel reads.
        what: &'static str,
        /// The missing input of the launch.
        input: &'static str,
    },
    /// An input exceeds its limit.
    #[error("{of}: {what}: {value:#x}, must be {limit}")]
    Limit {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The input.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The allowed values.
        limit: &'static str,
    },
    /// The metadata lacks something that a description needs.
    #[error("{of}: {what}: {why}")]
    Metadata {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// The key or register.
        what: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An argument is missing or has a different size.
    #[error("{of}: argument {argument}: {why}")]
    Argument {
        /// The kernel, or the stage of a pipeline.
        of: String,
        /// Its number among the arguments that are not hidden, or its kind.
        argument: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A bit range, printed after a message.
struct Bits(Option<(u8, u8)>);

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((hi, lo)) if hi == lo => write!(f, " (bit {lo})"),
            Some((hi, lo)) => write!(f, " (bits {hi}:{lo})"),
            None => Ok(()),
        }
    }
}

/// Returns an error for register words, with the bit range of the field.
pub(super) fn words_error(of: String, error: WordsError, gfx: Gfx) -> LaunchError {
    let mask = match &error {
        WordsError::Field { field: "reserved", value, .. } => Some(*value),
        WordsError::Field { register, field, .. } => regs::find(gfx, register).and_then(|found| Some(found.info().field(field)?.mask())),
        _ => None,
    };
    let bits = mask.filter(|mask| *mask != 0).map(|mask| (31 - mask.leading_zeros() as u8, mask.trailing_zeros() as u8));
    LaunchError::Words { of, bits, error }
}

/// Returns the chip on which to dispatch code for a processor with PM4.
pub(super) fn chip_of(target: Target, compiled: Processor, of: impl Fn() -> String) -> Result<Chip, LaunchError> {
    let llvm = match target {
        Target::Chip(chip) => chip.info().llvm,
        Target::Compute(chip) => chip.info().name,
    };
    match target {
        _ if !compiled.runs_on(target) => Err(LaunchError::OtherChip { of: of(), compiled, chip: llvm }),
        Target::Compute(_) => Err(LaunchError::NoPm4 { of: of(), chip: llvm }),
        Target::Chip(chip) => Ok(chip),
    }
}

impl Kernel<'_> {
    pub(super) fn called(&self) -> String {
        format!("kernel {}", self.name)
    }

    fn missing(&self, what: &'static str, input: &'static str) -> LaunchError {
        LaunchError::Missing { of: self.called(), what, input }
    }

    fn limit(&self, what: &'static str, value: u64, limit: &'static str) -> LaunchError {
        LaunchError::Limit { of: self.called(), what, value, limit }
    }

    /// Returns the scratch memory of a work-item in bytes.
    fn private_bytes(&self, launch: &Launch) -> Result<u32, LaunchError> {
        let least = self.descriptor.private_bytes;
        match launch.private_bytes {
            None if self.descriptor.has_dynamic_stack() => Err(self.missing("a stack that grows", "private_bytes")),
            None => Ok(least),
            Some(bytes) if bytes < least => Err(self.limit("scratch of a work-item", bytes.into(), "at least what the descriptor states")),
            Some(bytes) => Ok(bytes),
        }
    }

    /// Returns the LDS of a workgroup in bytes.
    fn group_bytes(&self, launch: &Launch) -> Result<u32, LaunchError> {
        let all = u64::from(self.descriptor.group_bytes) + u64::from(launch.dynamic_group_bytes);
        u32::try_from(all).map_err(|_| self.limit("LDS of a workgroup", all, "less than 2^32"))
    }

    /// Checks the requirements of both PM4 and AQL.
    fn check(&self, launch: &Launch) -> Result<(), LaunchError> {
        let threads = launch.group.iter().fold(1u64, |all, size| all.saturating_mul((*size).into()));
        if threads == 0 || threads > self.max_group {
            return Err(self.limit("work-items of a workgroup", threads, "1 to the kernel's largest workgroup (.max_flat_workgroup_size)"));
        }
        if let Some(required) = self.required_group.filter(|required| *required != launch.group) {
            let other = (0..3).find(|at| required[*at] != launch.group[*at]).unwrap_or(0);
            return Err(self.limit("work-items of a workgroup in a direction", launch.group[other].into(), "what the kernel requires (.reqd_workgroup_size)"));
        }
        if launch.grid.contains(&0) {
            return Err(self.limit("work-items of the grid in a direction", 0, "at least 1"));
        }
        for (what, value, align) in [("address of the image", launch.image, 256), ("address of the arguments", launch.kernarg, 16)] {
            if value % align != 0 || value >> 48 != 0 {
                return Err(self.limit(what, value, if align == 16 { "a multiple of 16 below 2^48" } else { "a multiple of 256 below 2^48" }));
            }
        }
        Ok(())
    }

    /// Returns the AQL packet that starts the kernel. The packet processor reads the descriptor itself, so defects of the descriptor are not refused here.
    ///
    /// For an example, see [`Launch`].
    ///
    /// # Errors
    /// Returns an error if the kernel does not allow the launch, or a value does not fit the packet.
    pub fn aql(&self, launch: &Launch) -> Result<KernelDispatch, LaunchError> {
        self.check(launch)?;
        let mut group = [0; 3];
        for (short, size) in group.iter_mut().zip(launch.group) {
            *short = u16::try_from(size).map_err(|_| self.limit("work-items of a workgroup in a direction", size.into(), "less than 2^16"))?;
        }
        let dimensions = (1..3).rev().find(|at| launch.group[*at] > 1 || launch.grid[*at] > 1).map_or(1, |at| at as u8 + 1);
        Ok(KernelDispatch {
            dimensions,
            group,
            grid: launch.grid,
            private_size: self.private_bytes(launch)?,
            group_size: self.group_bytes(launch)?,
            kernel_object: launch.image.wrapping_add(self.descriptor_at),
            kernarg: launch.kernarg,
            ..KernelDispatch::default()
        })
    }

    /// Returns the PM4 dispatch, with the registers that the packet processor derives from an AQL packet and the descriptor. User SGPRs hold the values that
    /// the launch states.
    ///
    /// For an example, see [`Launch`].
    ///
    /// # Errors
    /// Returns an error if the chip cannot run the code, the kernel does not allow the launch, the launch lacks an input that the kernel reads, or a register
    /// field, named in the error, has a value that a dispatch cannot have.
    pub fn dispatch(&self, target: impl Into<Target>, launch: &Launch) -> Result<DispatchDesc, LaunchError> {
        let chip = chip_of(target.into(), self.target.processor, || self.called())?;
        self.check(launch)?;
        if let Some(defect) = self.descriptor.defects().next() {
            return Err(LaunchError::Descriptor { of: self.called(), defect });
        }
        let private = u64::from(self.private_bytes(launch)?) * u64::from(self.descriptor.wave().lanes());
        let descriptor = &self.descriptor;
        let words = ProgramWords {
            rsrc1: descriptor.rsrc1,
            rsrc2: descriptor.rsrc2,
            rsrc3: descriptor.rsrc3,
            wave: descriptor.wave(),
            scratch_bytes: u32::try_from(private).map_err(|_| self.limit("scratch of a wave in bytes", private, "less than 2^32"))?,
        };
        let mut desc = DispatchDesc::from_words(&words, chip).map_err(|error| words_error(self.called(), error, chip.gfx()))?;
        let given = self.user_data(launch)?;
        let count = given.len() as u64;
        let places = desc.program.user_data.get_mut(..given.len());
        places.ok_or_else(|| self.limit("user SGPRs that kernel_code_properties name", count, "at most user_sgpr_count"))?.copy_from_slice(&given);
        // The remaining user SGPRs: LLVM requests them on gfx1100 and similar processors, which must initialize 16 SGPRs. Programs do not read them.
        desc.program.user_data[given.len()..].fill(UserData::Word(0));
        desc.program.address = Some(launch.image + self.code_at);
        desc.program.lds_bytes = self.group_bytes(launch)?;
        desc.group = launch.group;
        let partial = (0..3).any(|at| !launch.grid[at].is_multiple_of(launch.group[at]));
        desc.grid = if partial { Grid::Threads(launch.grid) } else { Grid::Groups([0, 1, 2].map(|at| launch.grid[at] / launch.group[at])) };
        desc.scratch = launch.scratch.filter(|_| words.scratch_bytes != 0);
        Ok(desc)
    }

    /// Returns the contents of user SGPRs, in the order of LLVM 22.1.8 AMDGPUUsage, initial kernel execution state.
    fn user_data(&self, launch: &Launch) -> Result<Vec<UserData>, LaunchError> {
        let reads = |name| self.descriptor.field(name) != 0;
        let mut all = Vec::new();
        let mut address = |addr: u64| all.extend([addr as u32, (addr >> 32) as u32]);
        if reads("enable_sgpr_private_segment_buffer") {
            let descriptor = match (launch.scratch_descriptor, reads("enable_private_segment")) {
                (Some(words), _) => words,
                // LLVM also requests it for kernels without scratch memory.
                (None, false) => [0; 4],
                (None, true) => return Err(self.missing("the descriptor of scratch memory", "scratch_descriptor")),
            };
            address(u64::from(descriptor[0]) | u64::from(descriptor[1]) << 32);
            address(u64::from(descriptor[2]) | u64::from(descriptor[3]) << 32);
        }
        if reads("enable_sgpr_dispatch_ptr") {
            address(launch.dispatch_packet.ok_or_else(|| self.missing("its AQL packet", "dispatch_packet"))?);
        }
        if reads("enable_sgpr_queue_ptr") {
            address(launch.queue.ok_or_else(|| self.missing("its queue", "queue"))?);
        }
        if reads("enable_sgpr_kernarg_segment_ptr") {
            address(launch.kernarg);
        }
        if reads("enable_sgpr_dispatch_id") {
            address(launch.dispatch_id);
        }
        if reads("enable_sgpr_flat_scratch_init") {
            // The start of scratch memory; the program adds the offset of its wave.
            address(match launch.scratch {
                Some(ring) => ring.address,
                None if !reads("enable_private_segment") => 0,
                None => return Err(self.missing("scratch memory", "scratch")),
            });
        }
        if reads("enable_sgpr_private_segment_size") {
            all.push(self.private_bytes(launch)?);
        }
        Ok(all.into_iter().map(UserData::Word).collect())
    }
}
