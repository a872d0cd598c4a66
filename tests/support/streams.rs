//! Packets for short streams, and the model's verdicts about them.
//!
//! A packet is the struct of its generation, written by the crate's writer: `[one(&gfx11::NumInstances { .. }), draw()].concat()`. Frequent packets have short
//! forms. A packet that the writer refuses because it is wrong on purpose, or that has no struct, is given as words: [`raw_packet`].

#![allow(dead_code)] // each test binary uses its part

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer, RollSource, Severity};
use pm4::packet::gfx11::{
    AcquireMem, CondExec, CopyData, DispatchDirect, DmaData, DrawIndex2, DrawIndexAuto, IndirectBuffer, IndirectBufferCompute, LoadContextRegIndex, PfpSyncMe,
    ReleaseMem, SetContextReg, SetContextRegPairsPacked, SetShReg, SetShRegIndex, SetUconfigReg, SetUconfigRegIndex, WaitRegMem, WriteData,
};
use pm4::packet::layouts::{DispatchInitiator, DrawInitiator};
use pm4::packet::values::{
    AcquireMemPwsStageSel, CopyDataSrcSel, DmaDataDstSel, DmaDataSrcSel, Function, MemSpace, PwsEna, ReleaseMemDataSel, ReleaseMemEventIndex,
    SetShRegIndexIndex, SetUconfigRegIndexIndex, StrmoutBufferUpdateSourceSelect, StrmoutBufferUpdateUpdateMemory, WriteDataDstSel,
};
use pm4::packet::{Emit, Event, Header, Opcode, PacketFields, Queue, Scope, ShaderType, Stream, WriteError, WriterOptions};
use strum::IntoEnumIterator;

pub const V: Chip = Chip::Vega10;
pub const N10: Chip = Chip::Navi10;
pub const N21: Chip = Chip::Navi21;
pub const N31: Chip = Chip::Navi31;
pub const STRIX: Chip = Chip::Gfx1150;
pub const N48: Chip = Chip::Gfx1201;

/// An unmapped address of more than 32 bits.
pub const ADDR: u64 = 0x80_0000_1000;
/// The initiator of every dispatch.
pub const COMPUTE: DispatchInitiator = DispatchInitiator::new().with_compute_shader_en(true);

/// Returns the words of one packet, for the generation and the queue of its struct; if it is for several, for GFX11 and for the graphics queue.
pub fn one(packet: &impl Emit) -> Vec<u32> {
    let (gfx, queue) = home(packet);
    written(gfx, queue, |stream| stream.emit(packet))
}

/// Returns the words that a writer makes of packets of a generation. Partial register groups are allowed: streams from elsewhere contain them.
pub fn written(gfx: Gfx, queue: Queue, packets: impl FnOnce(&mut Stream) -> Result<(), WriteError>) -> Vec<u32> {
    let mut stream = Stream::growable(gfx, queue);
    stream.set_options(WriterOptions { whole_groups: false, ..WriterOptions::default() });
    packets(&mut stream).unwrap_or_else(|error| panic!("{error}"));
    stream.into_buffer()
}

/// Returns the generation and queue of a packet.
fn home<P: Emit>(_: &P) -> (Gfx, Queue) {
    let gfxs = || std::iter::once(Gfx::Gfx11).chain(Gfx::iter());
    let queues = [Queue::Graphics, Queue::Compute, Queue::Constant];
    let mut all = queues.into_iter().flat_map(|queue| gfxs().map(move |gfx| (gfx, queue)));
    all.find(|&(gfx, queue)| P::Fields::SCOPE.intersects(Scope::queue(gfx, queue))).expect("a queue of a generation that is compiled in")
}

/// Returns the packets with the predicate bit set in the first header: a false predicate skips that packet.
pub fn predicated(packets: Vec<u32>) -> Vec<u32> {
    with_header(packets, |header| header.with_predicate(true))
}

/// Returns the packets with another header of the first packet.
pub fn with_header(mut packets: Vec<u32>, header: impl FnOnce(Header) -> Header) -> Vec<u32> {
    packets[0] = header(Header(packets[0])).0;
    packets
}

/// Returns a packet from words: one that the writer refuses because it is wrong on purpose, or one without a struct.
pub fn raw_packet(opcode: Opcode, body: &[u32]) -> Vec<u32> {
    [&[Header::type3(opcode, body.len()).0], body].concat()
}

/// Returns SET_CONTEXT_REG_PAIRS_PACKED from words, with the required header bit.
pub fn raw_packed(words: &[u32]) -> Vec<u32> {
    with_header(raw_packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, words), past_filter)
}

/// Returns EVENT_WRITE with an index that the event does not have, or with an event that the chip does not accept.
pub fn raw_event(event: u32, index: u32) -> Vec<u32> {
    raw_packet(Opcode::EVENT_WRITE, &[event | index << 8])
}

/// Returns a [`release`] with another, wrong first dword.
pub fn raw_release(control: u32) -> Vec<u32> {
    raw_packet(Opcode::RELEASE_MEM, &[control, 1 << 29, 0x1000, 0x80, 1, 0, 0])
}

/// Returns an [`acquire`] with values that the writer refuses, or bits outside all fields.
pub fn raw_acquire(words: [u32; 7]) -> Vec<u32> {
    raw_packet(Opcode::ACQUIRE_MEM, &words)
}

/// Returns a target with CMASK at 0x800100, and an acquire of the 512 bytes from `base` on (in units of 256 bytes) in GL2. GFX10.3.
pub fn ranged_acquire(base: u32) -> Vec<u32> {
    let target = [("CB_COLOR0_INFO", 1 << 13), ("CB_COLOR0_CMASK", 0x8001), ("CB_COLOR0_CMASK_BASE_EXT", 0)];
    let target = target.map(|(register, value)| reg(N21, register, value)).concat();
    [target, raw_acquire([0, 2, 0, base, 0, 10, 2 << 11 | 1 << 14])].concat()
}

/// Returns INDIRECT_BUFFER of size zero.
pub fn empty_ib() -> Vec<u32> {
    raw_packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, 0])
}

/// Returns a header whose packet bypasses the register filter.
pub fn past_filter(header: Header) -> Header {
    header.with_reset_filter_cam(true)
}

/// Returns a plain SET packet of the graphics queue, whether there are registers or not.
pub fn set(addr: u32, values: &[u32]) -> Vec<u32> {
    match addr {
        0x28000.. if addr < 0x30000 => one(&SetContextReg { reg_offset: (addr - 0x28000) / 4, ..Default::default() }.followed_by(values)),
        0x30000.. => one(&SetUconfigReg { reg_offset: (addr - 0x30000) / 4 }.followed_by(values)),
        _ => one(&SetShReg { reg_offset: sh(addr) }.followed_by(values)),
    }
}

/// Returns the dword offset of a register in the SH window.
pub const fn sh(addr: u32) -> u32 {
    (addr - 0xB000) / 4
}

/// Returns the byte address of a chip's register.
pub fn addr(chip: Chip, name: &str) -> u32 {
    pm4::regs::find(chip.gfx(), name).unwrap_or_else(|| panic!("{chip} has no {name}")).addr()
}

/// Returns a write of a chip's register by name.
pub fn reg(chip: Chip, name: &str, value: u32) -> Vec<u32> {
    set(addr(chip, name), &[value])
}

/// Returns SET_CONTEXT_REG_PAIRS_PACKED with an even number of registers: offsets and values.
pub fn packed(registers: &[(u32, u32)]) -> Vec<u32> {
    one(&SetContextRegPairsPacked { reg_writes_count: registers.len() as u32 }.followed_by(&packed_groups(registers)))
}

/// Returns the words after the count in packets of packed pairs: two offsets in a dword, then their values.
pub fn packed_groups(registers: &[(u32, u32)]) -> Vec<u32> {
    registers.chunks_exact(2).flat_map(|pair| [pair[0].0 | pair[1].0 << 16, pair[0].1, pair[1].1]).collect()
}

pub fn draw() -> Vec<u32> {
    one(&DrawIndexAuto { index_count: 3, draw_initiator: DrawInitiator::AUTO_INDEX })
}

/// Returns a draw of all indices of a buffer with `max_size` indices.
pub fn indexed(max_size: u32) -> Vec<u32> {
    one(&DrawIndex2 { max_size, index_base: ADDR, index_count: max_size, draw_initiator: DrawInitiator::INDICES })
}

/// Returns VGT_INDEX_TYPE with its index: 16 bits.
pub fn index_type() -> Vec<u32> {
    one(&SetUconfigRegIndex { reg_offset: 0x243, index: SetUconfigRegIndexIndex::INDEX_TYPE }.followed_by(&[0]))
}

/// Returns a dispatch of one workgroup.
pub fn dispatch() -> Vec<u32> {
    one(&DispatchDirect { dim_x: 1, dim_y: 1, dim_z: 1, dispatch_initiator: COMPUTE })
}

/// Returns task shader work with `count` dispatches; each argument has 12 bytes.
pub fn task_work(count: u32) -> Vec<u32> {
    let (data_addr, ring_entry_loc, stride, dispatch_initiator) = (ADDR, 0x240, 12, COMPUTE);
    one(&pm4::packet::gfx103::DispatchTaskmeshIndirectMultiAce { data_addr, ring_entry_loc, count, stride, dispatch_initiator, ..Default::default() })
}

/// Returns a mask of compute units that is ANDed with the kernel's mask.
pub fn compute_units(addr: u32, mask: u32) -> Vec<u32> {
    let packet = SetShRegIndex { reg_offset: sh(addr), index: SetShRegIndexIndex::APPLY_KMD_CU_AND_MASK };
    one(&packet.followed_by(&[mask]).for_shaders(ShaderType::Compute))
}

/// Returns LOAD_CONTEXT_REG_INDEX of one register from [`ADDR`], by its dword offset.
pub fn load_context(offset: u32) -> Vec<u32> {
    one(&LoadContextRegIndex { mem_addr: Some(ADDR), ..Default::default() }.followed_by(&[offset, 1]))
}

/// Stores the filled size of the first streamout buffer, as GFX10.3 does.
pub fn store_filled_size(addr: u64) -> Vec<u32> {
    let (update_memory, source_select) = (StrmoutBufferUpdateUpdateMemory::UPDATE_MEMORY_AT_DST_ADDRESS, StrmoutBufferUpdateSourceSelect::NONE);
    one(&pm4::packet::gfx103::StrmoutBufferUpdate { update_memory, source_select, dst_address: Some(addr), ..Default::default() })
}

/// Returns a draw that takes its count from streamout.
pub fn opaque() -> Vec<u32> {
    one(&DrawIndexAuto { index_count: 0, draw_initiator: DrawInitiator::AUTO_INDEX.with_use_opaque(true) })
}

/// Returns DISPATCH_DIRECT of GFX12 with both 2 x 2 tiles of groups and thread dimensions, which exclude each other.
pub fn tiled_dimensions() -> Vec<u32> {
    with_header(raw_packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 1 | 1 << 18 | 1 << 5]), |header| header.with_shader_type(ShaderType::Compute))
}

/// Returns a [`release`] of a 1 on GFX9, where an event of the depth counters must precede it: 4 dwords, then those of the release.
pub fn release_9(address: u64) -> Vec<u32> {
    let release = pm4::packet::gfx9::ReleaseMem {
        event_type: Event::BOTTOM_OF_PIPE_TS,
        event_index: ReleaseMemEventIndex::END_OF_PIPE,
        data_sel: ReleaseMemDataSel::SEND_32_BIT_LOW,
        address,
        data: Some(1),
        ..Default::default()
    };
    written(V.gfx(), Queue::Graphics, |stream| stream.event_at(Event::ZPASS_DONE, 0x80_0000_2000).and_then(|()| stream.emit(&release)))
}

/// Returns a wait until the stream itself, at 0x10_0000, does not begin with a dword.
pub fn differs(from: u32) -> Vec<u32> {
    one(&WaitRegMem { function: Function::NOT_EQUAL_REFERENCE_VALUE, ..waiting(0x10_0000, from) })
}

/// Returns one workgroup of task shaders.
pub fn task() -> Vec<u32> {
    let (x_dim, y_dim, z_dim, dispatch_initiator, ring_entry_loc) = (1, 1, 1, COMPUTE, 0x240);
    one(&pm4::packet::gfx103::DispatchTaskmeshDirectAce { x_dim, y_dim, z_dim, dispatch_initiator, ring_entry_loc })
}

/// Returns COPY_DATA from [`ADDR`] to a register, by its dword address.
pub fn copy_to_register(register: u32) -> Vec<u32> {
    let (src_sel, src_addr) = (CopyDataSrcSel::MEMORY, Some(ADDR));
    one(&CopyData { src_sel, src_addr, dst_reg_offset: Some(register), ..Default::default() })
}

/// Returns what every draw needs.
pub fn state(chip: Chip) -> Vec<u32> {
    let mut words = [reg(chip, "VGT_PRIMITIVE_TYPE", 4), reg(chip, "VGT_SHADER_STAGES_EN", 0x2000), reg(chip, "CB_TARGET_MASK", 0xF)].concat();
    for (name, value) in [("SPI_SHADER_PGM_LO_ES", 0x10), ("SPI_SHADER_PGM_RSRC1_GS", 0), ("SPI_SHADER_PGM_RSRC2_GS", 0)] {
        words.extend(reg(chip, name, value));
    }
    words
}

/// Returns an event of a chip, with its index.
pub fn event(chip: Chip, event: Event) -> Vec<u32> {
    written(chip.gfx(), Queue::Graphics, |stream| stream.event(event))
}

/// Returns an event of a chip that writes memory.
pub fn event_at(chip: Chip, event: Event, addr: u64) -> Vec<u32> {
    written(chip.gfx(), Queue::Graphics, |stream| stream.event_at(event, addr))
}

/// Returns a write of 32 bits at the end of the pipe. GFX10 and later have these words.
pub fn release(addr: u64, value: u32) -> Vec<u32> {
    one(&fence(addr, value))
}

/// Returns the fields of [`release`], to be changed.
pub fn fence(address: u64, value: u32) -> ReleaseMem {
    ReleaseMem { data_sel: ReleaseMemDataSel::SEND_32_BIT_LOW, address, data: Some(value.into()), ..end_of_pipe() }
}

/// Returns an end-of-pipe timestamp event that writes nothing.
pub fn end_of_pipe() -> ReleaseMem {
    ReleaseMem { event_type: Event::BOTTOM_OF_PIPE_TS, event_index: ReleaseMemEventIndex::END_OF_PIPE, ..Default::default() }
}

/// Makes ME wait until memory holds a value.
pub fn wait(addr: u64, value: u32) -> Vec<u32> {
    one(&waiting(addr, value))
}

/// Returns the fields of [`wait`], to be changed.
pub fn waiting(addr: u64, reference: u32) -> WaitRegMem {
    WaitRegMem {
        function: Function::EQUAL_TO_THE_REFERENCE_VALUE,
        mem_space: MemSpace::MEMORY_SPACE,
        mem_poll_addr: Some(addr),
        reference,
        mask: u32::MAX,
        poll_interval: 4,
        ..Default::default()
    }
}

/// Makes ME write dwords to memory.
pub fn write(addr: u64, values: &[u32]) -> Vec<u32> {
    one(&to_memory(addr).followed_by(values))
}

/// Returns the fields of [`write`] without its values, to be changed.
pub fn to_memory(addr: u64) -> WriteData {
    WriteData { dst_sel: WriteDataDstSel::MEMORY, dst_mem_addr: Some(addr), ..Default::default() }
}

/// Returns WRITE_DATA to a register.
pub fn write_register(addr: u32, value: u32) -> Vec<u32> {
    one(&WriteData { dst_sel: WriteDataDstSel::MEM_MAPPED_REGISTER, dst_mmreg_addr: Some(addr / 4), ..Default::default() }.followed_by(&[value]))
}

/// Returns ACQUIRE_MEM of everything, without a cache action.
pub fn acquire() -> Vec<u32> {
    one(&everything())
}

/// Returns the fields of [`acquire`], to be changed.
pub fn everything() -> AcquireMem {
    AcquireMem { coher_size: Some(0xFF_FFFF_FFFF), coher_base: Some(0), poll_interval: Some(10), ..Default::default() }
}

/// Returns a wait for a pixel release (PWS) at a stage.
pub fn pixel_wait(stage: AcquireMemPwsStageSel) -> AcquireMem {
    AcquireMem {
        pws_stage_sel: Some(stage),
        pws_ena: PwsEna::PIXEL_WAIT_SYNC_ENABLE,
        pws_ena2: Some(PwsEna::PIXEL_WAIT_SYNC_ENABLE),
        gcr_size: Some(0xFF_FFFF_FFFF),
        gcr_base: Some(0),
        ..Default::default()
    }
}

/// Returns a memory fill by the DMA engine.
pub fn filling(dst_addr: u64, value: u32, byte_count: u32) -> DmaData {
    DmaData { src_sel: DmaDataSrcSel::DATA, src_addr: value.into(), dst_sel: DmaDataDstSel::DST_ADDR_USING_DAS, dst_addr, byte_count, ..Default::default() }
}

/// Makes PFP wait for ME.
pub fn sync() -> Vec<u32> {
    one(&PfpSyncMe { dummy_data: 0 })
}

/// Returns COND_EXEC: the following dwords run if memory is not 0.
pub fn cond_exec(addr: u64, exec_count: u32) -> Vec<u32> {
    one(&CondExec { addr, exec_count })
}

/// Returns INDIRECT_BUFFER of the graphics queue that returns.
pub fn ib(ib_base: u64, ib_size: u32) -> Vec<u32> {
    one(&IndirectBuffer { ib_base, ib_size, ..Default::default() })
}

/// Returns INDIRECT_BUFFER of the graphics queue that does not return.
pub fn chain(ib_base: u64, ib_size: u32) -> Vec<u32> {
    one(&IndirectBuffer { ib_base, ib_size, chain: true, ..Default::default() })
}

/// Returns INDIRECT_BUFFER of a compute queue that does not return.
pub fn chain_compute(ib_base: u64, ib_size: u32) -> Vec<u32> {
    one(&IndirectBufferCompute { ib_base, ib_size, chain: true, valid: true, ..Default::default() })
}

/// Returns a NOP of one dword.
pub fn nop() -> Vec<u32> {
    vec![Header::NOP1.0]
}

/// Memory of 64 zeros, mapped at 0x1000 by [`with_memory`].
pub const ZEROES: [u32; 64] = [0; 64];

/// Returns a model of a chip with [`ZEROES`] at 0x1000 and no other memory.
pub fn with_memory<'a>(chip: Chip) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true).map("memory", 0x1000, &ZEROES);
    cp
}

/// A draw as seen by the model.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct DrawSeen {
    /// DB_SHADER_CONTROL, if known.
    pub shader_control: Option<u32>,
    pub predicated: bool,
    /// The cause of the context roll before it.
    pub roll: Option<RollSource>,
    /// Context registers written since the previous draw: those whose value changed, and the others.
    pub changed: Vec<u32>,
    pub redundant: Vec<u32>,
}

/// Records what the model reports.
#[derive(Debug, Default)]
pub struct Log {
    pub findings: Vec<Finding>,
    pub draws: Vec<DrawSeen>,
}

impl Log {
    /// Records a run.
    pub fn of(cp: &mut CommandProcessor<'_>) -> Self {
        let mut log = Self::default();
        cp.run(&mut log);
        log
    }

    pub fn codes(&self) -> Vec<&'static str> {
        self.findings.iter().map(|finding| finding.code).collect()
    }

    /// Returns the codes of findings that are errors.
    pub fn errors(&self) -> Vec<&'static str> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
    }

    pub fn shader_controls(&self) -> Vec<Option<u32>> {
        self.draws.iter().map(|draw| draw.shader_control).collect()
    }
}

/// Records only findings.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Returns the findings of a run.
pub fn findings_of(cp: &mut CommandProcessor<'_>) -> Vec<Finding> {
    let mut findings = Findings::default();
    cp.run(&mut findings);
    findings.0
}

impl Observer for Log {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.draws.push(DrawSeen {
            shader_control: view.value(0x2880C),
            predicated: view.is_predicated(),
            roll: view.roll().source,
            changed: view.changed_context().collect(),
            redundant: view.redundant_context().collect(),
        });
    }

    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.clone());
    }
}
