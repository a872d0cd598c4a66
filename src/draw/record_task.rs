//! Task shaders with mesh shaders (GFX10.3 and later): a graphics queue and a compute queue that work as one, their rings, and the waits around them.
//!
//! Rules: Mesa 25.0.7 radv_CmdDrawMeshTasksEXT, radv_create_gang_wait_preambles_postambles, radv_queue.c; captures of two cards agree.

use crate::chip::Chip;
use crate::draw::calls::{CallError, DrawSgprs};
use crate::draw::error::DrawError;
use crate::draw::record::{RecordError, Recorder};
use crate::draw::stage::ResolvedDispatch;
use crate::draw::sync::{Fence, FenceData, Wait, WaitCompare, is_address};
use crate::packet::layouts::DrawInitiator;
use crate::packet::values::{WrConfirm, WriteDataDstSel};
use crate::packet::{Buffer, Event, PacketFields, Queue, ShaderType};

/// Rings through which task shaders hand work to mesh shaders: a control buffer, a ring of entries of 16 bytes, a ring of payloads of 16 KiB, one after the
/// other.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::TaskRings;
/// let rings = TaskRings::at(Chip::Navi31, 0x10_0000)?;
/// assert_eq!((rings.entries(), rings.draws(), rings.payloads()), (1024, 0x10_0100, 0x10_4100));
/// assert_eq!(rings.control_words(), [1024, 0, 1024, 0, 1024, 0, 1024, 0x10_0100, 0]);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskRings {
    control: u64,
    entries: u32,
}

/// Bytes of an entry, of a payload, and what all parts are aligned to.
const ENTRY: u64 = 16;
const PAYLOAD: u64 = 16 * 1024;
const ALIGN: u64 = 256;

impl TaskRings {
    /// The rings of a chip with their control buffer at an address.
    ///
    /// # Errors
    /// [`DrawError::OptionAbsent`] before GFX10.3, [`DrawError::Limit`] for an address that is not a multiple of 256 below 2^48, and 0.
    pub fn at(chip: Chip, control: u64) -> Result<Self, DrawError> {
        if chip.gfx().version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a task shader", chip, limit: "GFX10.3 and later have it" });
        }
        if !is_address(control, ALIGN) {
            return Err(DrawError::Limit { what: "the address of the control buffer", value: control, limit: "a multiple of 256 below 2^48, and not 0" });
        }
        // Navi24, Vangogh and Rembrandt have small ones (Mesa 25.0.7).
        let small = ["gfx1033", "gfx1034", "gfx1035"].contains(&chip.info().llvm);
        Ok(Self { control, entries: if small { 256 } else { 1024 } })
    }

    /// Address of the control buffer.
    pub fn control(&self) -> u64 {
        self.control
    }

    /// Entries of both rings, a power of two.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Address of the ring of entries: x, y and z of the mesh grid and a word of which bit 0 says ready. What is ready is 1 on odd passes and 0 on even ones.
    pub fn draws(&self) -> u64 {
        (self.control + 4 * self.control_words().len() as u64).next_multiple_of(ALIGN)
    }

    /// Address of the ring of payloads.
    pub fn payloads(&self) -> u64 {
        (self.draws() + ENTRY * u64::from(self.entries)).next_multiple_of(ALIGN)
    }

    /// Bytes of control buffer and rings together.
    pub fn bytes(&self) -> u64 {
        self.payloads() + PAYLOAD * u64::from(self.entries) - self.control
    }

    /// What the control buffer holds at first: three pointers of 64 bits (write, read, free) that start at the number of entries, so that the first pass is odd,
    /// that number, and the address of the ring of entries.
    pub fn control_words(&self) -> [u32; 9] {
        let draws = self.control.wrapping_add(36).next_multiple_of(ALIGN);
        [self.entries, 0, self.entries, 0, self.entries, 0, self.entries, draws as u32, (draws >> 32) as u32]
    }
}

/// Workgroups of task shaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskGroups {
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
    /// The user SGPR that gets the ring entry of the dispatch.
    pub ring_entry: u32,
    /// The first of three user SGPRs that hold the workgroups in x, y and z.
    pub xyz: Option<u32>,
}

/// COMPUTE_USER_DATA_0, and the window of SH registers (bytes).
const COMPUTE_USER_DATA: u32 = 0xB900;
const SH_START: u32 = 0xB000;

impl TaskGroups {
    fn check(&self, dispatch: &ResolvedDispatch) -> Result<(), RecordError> {
        if dispatch.chip.gfx().version() < (10, 3) {
            return Err(RecordError::Tasks { why: "GFX10.3 and later have task shaders" });
        }
        let last = self.xyz.map_or(0, |first| first.saturating_add(2)).max(self.ring_entry);
        if last >= 16 {
            return Err(RecordError::Tasks { why: "compute has 16 user SGPRs, for the ring entry and the workgroups too" });
        }
        if self.xyz.is_some_and(|first| (first..first + 3).contains(&self.ring_entry)) {
            return Err(RecordError::Tasks { why: "the ring entry and the workgroups share a user SGPR" });
        }
        Ok(())
    }
}

/// The memory with which both queues of a gang wait for each other: two dwords, 0 at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GangMemory {
    /// Its address: a multiple of 8.
    pub addr: u64,
}

impl<B: Buffer> Recorder<B> {
    /// Tells the queue where the rings lie. Both queues need it before their first task work; the control buffer must hold
    /// [`control_words`](TaskRings::control_words) by then.
    ///
    /// # Errors
    /// [`RecordError::Tasks`] before GFX10.3; when the buffer is full.
    pub fn set_task_rings(&mut self, rings: &TaskRings) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| {
            let compute = recorder.writer.queue() != Queue::Graphics;
            if compute {
                recorder.writer.event(Event::CS_PARTIAL_FLUSH)?;
            }
            on_gfx!(packet recorder.chip.gfx(), p => {
                Gfx9 | Gfx10 => Err(RecordError::Tasks { why: "GFX10.3 and later have task shaders" }),
                Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
                    let state = p::DispatchTaskStateInit { control_buf_addr: rings.control };
                    match compute {
                        true => recorder.writer.emit(&state.for_shaders(ShaderType::Compute))?,
                        false => recorder.writer.emit(&state)?,
                    }
                    Ok(())
                }
            })
        })
    }

    /// Records workgroups of a task shader on a compute queue: its registers, and the packet. On the graphics queue exactly one
    /// [`DrawCall::TaskMesh`](crate::draw::DrawCall::TaskMesh) must take them, also where there are none.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::Tasks`] for SGPRs that compute does not have; when the buffer is full.
    pub fn task_groups(&mut self, dispatch: &ResolvedDispatch, tasks: &TaskGroups) -> Result<(), RecordError> {
        if dispatch.chip != self.chip {
            return Err(RecordError::OtherChip { resolved: dispatch.chip, recorder: self.chip });
        }
        tasks.check(dispatch)?;
        // Workgroups wait for room in the ring, so none may be held back halfway.
        let dispatch_initiator = dispatch.initiator.with_force_start_at_000(false).with_disable_disp_prempt_en(true);
        let sgpr = |n: u32| COMPUTE_USER_DATA + 4 * n;
        let ([x_dim, y_dim, z_dim], ring_entry_loc) = (tasks.groups, (sgpr(tasks.ring_entry) - SH_START) / 4);
        self.with_registers(&dispatch.image, |recorder, differing| {
            recorder.registers(&dispatch.image, differing)?;
            if let Some(first) = tasks.xyz {
                recorder.writer.set_regs(sgpr(first), &tasks.groups)?;
            }
            on_gfx!(packet recorder.chip.gfx(), p => {
                Gfx9 | Gfx10 => Ok::<(), crate::packet::WriteError>(()),
                Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
                    let packet = p::DispatchTaskmeshDirectAce { x_dim, y_dim, z_dim, dispatch_initiator, ring_entry_loc };
                    recorder.writer.emit(&packet.for_shaders(ShaderType::Compute))
                }
            })?;
            Ok(())
        })?;
        // The packet fills the ring entry, and the call the workgroups.
        let written = tasks.xyz.map_or(0..0, |first| first..first + 3).chain([tasks.ring_entry]);
        written.for_each(|n| self.held.set(sgpr(n), None));
        Ok(())
    }

    /// Before the work of a gang: the compute queue waits until the graphics queue has started.
    ///
    /// # Errors
    /// [`CallError::Address`]; when the buffer is full.
    pub fn begin_gang(&mut self, memory: GangMemory) -> Result<(), RecordError> {
        check_gang(memory)?;
        match self.writer.queue() {
            Queue::Graphics => self.write_word(memory.addr, 1),
            _ => self.wait_for_word(memory.addr),
        }
    }

    /// Behind the work of a gang: the graphics queue waits until the compute queue is done, for the fence of the submission is its.
    ///
    /// # Errors
    /// [`CallError::Address`], those of [`fence`](Self::fence); when the buffer is full.
    pub fn end_gang(&mut self, memory: GangMemory) -> Result<(), RecordError> {
        check_gang(memory)?;
        match self.writer.queue() {
            Queue::Graphics => self.wait_for_word(memory.addr + 4),
            _ => self.fence(&Fence::new(memory.addr + 4, FenceData::Word(1))).map(|_| ()),
        }
    }

    /// Waits until memory is 1 or more, and takes that back.
    fn wait_for_word(&mut self, addr: u64) -> Result<(), RecordError> {
        self.wait(&Wait { compare: WaitCompare::GreaterOrEqual, ..Wait::equal(addr, 1) })?;
        self.write_word(addr, 0)
    }

    fn write_word(&mut self, addr: u64, value: u32) -> Result<(), RecordError> {
        let (dst_sel, wr_confirm) = (WriteDataDstSel::MEMORY, WrConfirm::WAIT_FOR_WRITE_CONFIRMATION);
        self.all_or_nothing(|recorder| {
            let writer = &mut recorder.writer;
            on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match writer.queue() {
                Queue::Graphics => writer.emit(&p::WriteData { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(&[value])),
                _ => writer.emit(&p::WriteDataCompute { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(&[value])),
            }})?;
            Ok(())
        })
    }

    /// DISPATCH_TASKMESH_GFX: the mesh work of one task dispatch.
    pub(super) fn put_task_mesh(&mut self, linear: bool, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        let at = |sgpr: Option<u32>| sgpr.map_or(0, |addr| addr.saturating_sub(SH_START) / 4);
        let (xyz_dim_loc, ring_entry_loc, draw_initiator) = (at(sgprs.groups), at(sgprs.ring_entry), DrawInitiator::COUNTED);
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 | Gfx10 => Ok::<(), crate::packet::WriteError>(()),
            Gfx103 => self.writer.emit(&p::DispatchTaskmeshGfx { xyz_dim_loc, ring_entry_loc, draw_initiator, ..Default::default() }),
            Gfx11 | Gfx115 | Gfx12 => {
                let xyz_dim_enable = sgprs.groups.is_some();
                let linear_dispatch_enable = linear;
                let packet = p::DispatchTaskmeshGfx { xyz_dim_loc, ring_entry_loc, draw_initiator, xyz_dim_enable, linear_dispatch_enable, ..Default::default() };
                self.writer.emit(&packet)
            }
        })?;
        Ok(())
    }
}

fn check_gang(memory: GangMemory) -> Result<(), RecordError> {
    let what = "the memory of a gang";
    if is_address(memory.addr, 8) { Ok(()) } else { Err(CallError::Address { what, addr: memory.addr, align: 8 }.into()) }
}
