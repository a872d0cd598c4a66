//! Task shaders with mesh shaders (GFX10.3 and later): a graphics queue and a compute queue that work as one, their rings, and the waits around them.
//!
//! Rules: Mesa 25.0.7 radv_CmdDrawMeshTasksEXT, radv_create_gang_wait_preambles_postambles, radv_queue.c; captures of two boards agree.

use crate::chip::{Chip, Erratum};
use crate::draw::check::DrawSgprs;
use crate::draw::decide::ResolvedDispatch;
use crate::draw::desc::address::is_address;
use crate::draw::desc::{CallError, IndirectDraws, TaskGroups, TaskGroupsIndirect, TaskRings};
use crate::draw::errata::{Situation, acts};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Fence, FenceData, Plan, Wait, WaitCompare, write_words};
use crate::packet::layouts::{DispatchInitiator, DrawInitiator};
use crate::packet::{Buffer, Event, PacketFields, Queue, ShaderType, WriteError, Writer};

/// COMPUTE_USER_DATA_0, and the window of SH registers (bytes).
const COMPUTE_USER_DATA: u32 = 0xB900;
const SH_START: u32 = 0xB000;
/// Number of user SGPRs of compute.
const USER_SGPRS: u32 = 16;

/// Returns the byte address of a user SGPR's register.
fn register(sgpr: u32) -> u32 {
    COMPUTE_USER_DATA + 4 * sgpr
}

fn location(sgpr: u32) -> u32 {
    (register(sgpr) - SH_START) / 4
}

/// User SGPRs that task work fills: ring entry, workgroups and number of the dispatch.
#[derive(Clone, Copy)]
struct TaskSgprs {
    ring_entry: u32,
    xyz: Option<u32>,
    draw_index: Option<u32>,
}

impl TaskSgprs {
    fn all(self) -> impl Iterator<Item = u32> {
        let groups = self.xyz.into_iter().flat_map(|first| (0..3).map(move |n| first.saturating_add(n)));
        groups.chain(self.draw_index).chain([self.ring_entry])
    }

    fn check(self, chip: Chip) -> Result<(), RecordError> {
        if chip.gfx().version() < (10, 3) {
            return Err(RecordError::Tasks { why: "GFX10.3 and later have task shaders" });
        }
        if self.all().any(|sgpr| sgpr >= USER_SGPRS) {
            return Err(RecordError::Tasks { why: "compute has 16 user SGPRs, for the ring entry, the workgroups and the number of the dispatch too" });
        }
        let shared = self.all().enumerate().any(|(at, sgpr)| self.all().skip(at + 1).any(|other| other == sgpr));
        match shared {
            true => Err(RecordError::Tasks { why: "two of ring entry, workgroups and number of the dispatch share a user SGPR" }),
            false => Ok(()),
        }
    }
}

/// The graphics queue and the compute queue of a task shader are submitted together (a *gang*). They wait for each other in this memory: two dwords, both
/// initially 0.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{GangMemory, Recorder};
/// use pm4::packet::{Opcode, Queue, Reader, Writer};
/// let (chip, memory) = (Chip::Navi31, GangMemory { address: 0x10_0000 });
/// let mut waits = [0, 0];
/// for (queue, waits) in [Queue::Graphics, Queue::Compute].into_iter().zip(&mut waits) {
///     let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
///     if queue == Queue::Graphics { recorder.begin()? } else { recorder.begin_compute()? }
///     recorder.begin_gang(memory)?;
///     // … task work on the compute queue, the draws that take it on the graphics queue …
///     recorder.end_gang(memory)?;
///     *waits = Reader::new(recorder.words()).flatten().filter(|packet| packet.opcode() == Some(Opcode::WAIT_REG_MEM)).count();
/// }
/// assert_eq!(waits, [1, 1]); // the graphics queue waits at the end, the compute queue at the beginning
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GangMemory {
    /// Address: nonzero, 48 bits, a multiple of 8.
    pub address: u64,
}

impl<B: Buffer> Recorder<B> {
    /// Sets the address of the rings for this queue. Both queues need it before their first task work; the control buffer must hold
    /// [`control_words`](TaskRings::control_words) by then.
    ///
    /// # Errors
    /// [`RecordError::Tasks`] before GFX10.3; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn set_task_rings(&mut self, rings: &TaskRings) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| {
            let compute = recorder.writer.queue() != Queue::Graphics;
            if compute {
                recorder.writer.event(Event::CS_PARTIAL_FLUSH)?;
            }
            on_gfx!(packet recorder.chip.gfx(), p => {
                Gfx9 | Gfx10 => Err(RecordError::Tasks { why: "GFX10.3 and later have task shaders" }),
                Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
                    let state = p::DispatchTaskStateInit { control_buf_addr: rings.control_address() };
                    match compute {
                        true => recorder.writer.emit(&state.for_shaders(ShaderType::Compute))?,
                        false => recorder.writer.emit(&state)?,
                    }
                    Ok(())
                }
            })
        })
    }

    /// Records workgroups of a task shader on a compute queue: the registers and the packet. On the graphics queue exactly one
    /// [`DrawCall::TaskMesh`](crate::draw::DrawCall::TaskMesh) must consume them, even if there are none.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::ComputeNotBegun`], [`RecordError::Tasks`] for SGPRs that compute does not have;
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn task_groups(&mut self, dispatch: &ResolvedDispatch, tasks: &TaskGroups) -> Result<(), RecordError> {
        let sgprs = TaskSgprs { ring_entry: tasks.ring_entry, xyz: tasks.xyz, draw_index: None };
        self.tasks(dispatch, sgprs, |recorder, initiator| {
            if let Some(first) = tasks.xyz {
                recorder.writer.set_regs(register(first), &tasks.groups)?;
            }
            Ok(write_groups(&mut recorder.writer, tasks.groups, initiator, sgprs)?)
        })
    }

    /// Sets the address of one dword of memory (nonzero, 48 bits, a multiple of 4). Chips that hang if the number of task dispatches in memory is 0 need it:
    /// packets record there whether the dispatches have run. Other chips, and MEC firmware stated as 100 or later
    /// ([`Firmware::mec`](crate::packet::Firmware::mec)), do not need it. The default of [`Firmware`](crate::packet::Firmware) (`u32::MAX`) states nothing: it
    /// needs the memory.
    pub fn set_task_count_memory(&mut self, addr: u64) {
        self.task_count = Some(addr);
    }

    /// Records task dispatches whose workgroups are in memory, on a compute queue. On the graphics queue exactly one
    /// [`DrawCall::TaskMesh`](crate::draw::DrawCall::TaskMesh) must consume them, regardless of their number, even if there are none.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DispatchDesc, IndirectDraws, Program, Recorder, TaskGroupsIndirect, UserData};
    /// use pm4::packet::{Queue, Writer};
    /// let program = Program { user_data: vec![UserData::Keep; 8], ..Program::default() };
    /// let task = DispatchDesc { program, ..DispatchDesc::default() }.resolve(Chip::Navi31)?;
    /// let draws = IndirectDraws { arguments: 0x10_0000, stride: 12, draws: 64, count: Some(0x11_0000) };
    /// let mut compute = Recorder::from_writer(Chip::Navi31, Writer::growable(Chip::Navi31.gfx(), Queue::Compute));
    /// compute.begin_compute()?;
    /// compute.task_groups_indirect(&task, &TaskGroupsIndirect { draws, ring_entry: 7, xyz: Some(4), draw_index: None })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`task_groups`](Self::task_groups); [`CallError`] for addresses and strides; [`RecordError::Tasks`] if the chip hangs from a number of 0 and
    /// [`set_task_count_memory`](Self::set_task_count_memory) has not set the memory.
    pub fn task_groups_indirect(&mut self, dispatch: &ResolvedDispatch, tasks: &TaskGroupsIndirect) -> Result<(), RecordError> {
        let sgprs = TaskSgprs { ring_entry: tasks.ring_entry, xyz: tasks.xyz, draw_index: tasks.draw_index };
        tasks.draws.check(WORKGROUPS_BYTES)?;
        let guard = self.zero_guard(&tasks.draws)?;
        self.tasks(dispatch, sgprs, |recorder, initiator| {
            let (writer, draws) = (&mut recorder.writer, &tasks.draws);
            match guard {
                // Empty work must be consumed too, and no chip hangs from it in this form.
                _ if draws.draws == 0 => write_groups(writer, [0; 3], initiator, sgprs)?,
                None => write_several(writer, draws, initiator, sgprs)?,
                Some((ran_not, count)) => {
                    write_words(writer, ran_not, &[1])?;
                    writer.cond_exec(count, |writer| {
                        write_words(writer, ran_not, &[0])?;
                        write_several(writer, draws, initiator, sgprs)
                    })?;
                    writer.cond_exec(ran_not, |writer| write_groups(writer, [0; 3], initiator, sgprs))?;
                }
            }
            Ok(())
        })
    }

    /// Returns the memory of [`set_task_count_memory`](Self::set_task_count_memory) and of the number, if the chip hangs from a number of 0.
    fn zero_guard(&self, draws: &IndirectDraws) -> Result<Option<(u64, u64)>, RecordError> {
        let situation = Situation { task_count: draws.count.is_some(), mec_firmware: self.writer.options().firmware.mec, ..Situation::default() };
        let Some(count) = draws.count.filter(|_| acts(Erratum::TaskmeshIndirectZero, self.chip, &situation)) else { return Ok(None) };
        let why = "this chip hangs when the number of task dispatches in memory is 0 (MEC firmware before 100): call set_task_count_memory first";
        let addr = self.task_count.ok_or(RecordError::Tasks { why })?;
        match is_address(addr, 4) {
            true => Ok(Some((addr, count))),
            false => Err(CallError::Address { what: "the memory of set_task_count_memory", addr, align: 4 }.into()),
        }
    }

    /// Records task work: the registers of its program, then packets.
    fn tasks(
        &mut self,
        dispatch: &ResolvedDispatch,
        sgprs: TaskSgprs,
        mut packets: impl FnMut(&mut Self, DispatchInitiator) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        self.other_machine(dispatch.chip, dispatch.board)?;
        sgprs.check(self.chip)?;
        self.may_dispatch()?;
        // Workgroups wait for room in the ring, so dispatches must not be preempted.
        let initiator = dispatch.initiator.with_force_start_at_000(false).with_disable_disp_prempt_en(true);
        self.with_registers(&dispatch.image, |recorder, differing| {
            recorder.registers(&dispatch.image, differing)?;
            packets(recorder, initiator)
        })?;
        // The packet fills the ring entry; the packet or the call fills the other SGPRs.
        sgprs.all().for_each(|sgpr| self.held.set(register(sgpr), None));
        Ok(())
    }

    /// Begins the work of a gang: the compute queue waits until the graphics queue has started.
    ///
    /// # Errors
    /// [`CallError::Address`]; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn begin_gang(&mut self, memory: GangMemory) -> Result<(), RecordError> {
        check_gang(memory)?;
        match self.writer.queue() {
            Queue::Graphics => self.write_gang_word(memory.address, 1),
            _ => self.wait_for_word(memory.address),
        }
    }

    /// Ends the work of a gang: the graphics queue waits until the compute queue is done, because the fence of the submission is on the graphics queue.
    ///
    /// # Errors
    /// [`CallError::Address`], those of [`fence`](Self::fence); [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn end_gang(&mut self, memory: GangMemory) -> Result<(), RecordError> {
        check_gang(memory)?;
        match self.writer.queue() {
            Queue::Graphics => self.wait_for_word(memory.address + 4),
            _ => self.write_plan(&Plan::fence(self.chip, self.writer.queue(), &Fence::new(memory.address + 4, FenceData::Dword(1)))?),
        }
    }

    /// Waits until memory is at least 1, then resets it.
    fn wait_for_word(&mut self, addr: u64) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| {
            recorder.wait(&Wait { compare: WaitCompare::GreaterOrEqual, ..Wait::equal(addr, 1) })?;
            recorder.write_gang_word(addr, 0)
        })
    }

    fn write_gang_word(&mut self, addr: u64, value: u32) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(write_words(&mut recorder.writer, addr, &[value])?))
    }

    /// DISPATCH_TASKMESH_GFX: the mesh work of one task dispatch.
    pub(super) fn draw_tasks(&mut self, linear: bool, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        let at = |sgpr: Option<u32>| sgpr.map_or(0, |addr| addr.saturating_sub(SH_START) / 4);
        let (xyz_dim_loc, ring_entry_loc, draw_initiator) = (at(sgprs.groups), at(sgprs.ring_entry), DrawInitiator::AUTO_INDEX);
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

/// DISPATCH_TASKMESH_DIRECT_ACE.
fn write_groups<B: Buffer>(writer: &mut Writer<B>, groups: [u32; 3], dispatch_initiator: DispatchInitiator, sgprs: TaskSgprs) -> Result<(), WriteError> {
    let ([x_dim, y_dim, z_dim], ring_entry_loc) = (groups, location(sgprs.ring_entry));
    on_gfx!(packet writer.gfx(), p => {
        Gfx9 | Gfx10 => Ok(()),
        Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            let packet = p::DispatchTaskmeshDirectAce { x_dim, y_dim, z_dim, dispatch_initiator, ring_entry_loc };
            writer.emit(&packet.for_shaders(ShaderType::Compute))
        }
    })
}

/// Bytes of the workgroups of a dispatch in memory.
const WORKGROUPS_BYTES: u32 = 12;

/// DISPATCH_TASKMESH_INDIRECT_MULTI_ACE.
fn write_several<B: Buffer>(writer: &mut Writer<B>, draws: &IndirectDraws, dispatch_initiator: DispatchInitiator, sgprs: TaskSgprs) -> Result<(), WriteError> {
    let at = |sgpr: Option<u32>| sgpr.map_or(0, location);
    on_gfx!(packet writer.gfx(), p => {
        Gfx9 | Gfx10 => Ok(()),
        Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            let packet = p::DispatchTaskmeshIndirectMultiAce {
                data_addr: draws.arguments,
                ring_entry_loc: location(sgprs.ring_entry),
                count_indirect_enable: draws.count.is_some(),
                draw_index_enable: sgprs.draw_index.is_some(),
                dispatch_index_loc: at(sgprs.draw_index),
                compute_xyz_dim_enable: sgprs.xyz.is_some(),
                compute_xyz_dim_loc: at(sgprs.xyz),
                count: draws.draws,
                count_addr: draws.count.unwrap_or(0),
                stride: draws.stride,
                dispatch_initiator,
                ..Default::default()
            };
            writer.emit(&packet.for_shaders(ShaderType::Compute))
        }
    })
}

fn check_gang(memory: GangMemory) -> Result<(), RecordError> {
    let what = "the memory of a gang";
    if is_address(memory.address, 8) { Ok(()) } else { Err(CallError::Address { what, addr: memory.address, align: 8 }.into()) }
}
