//! Draw calls: direct, indexed, indirect, several at once, with the count in memory.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::image::Image;
use crate::draw::record::{RecordError, Recorder};
use crate::draw::resolve::Resolved;
use crate::draw::stage::VertexPath;
use crate::draw::sync::{Does, Moment, PACKET_WORKAROUNDS, Pack, Pipeline, Situation, acts, is_address};
use crate::packet::{Buffer, Event, Opcode, Reader};
use crate::regs;
use alloc::vec::Vec;

/// Instances of a direct draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instances {
    /// The first; other than 0 needs [`DrawSgprs::first_instance`].
    pub first: u32,
    /// How many, at least 1.
    pub count: u32,
}

impl Default for Instances {
    fn default() -> Self {
        Self { first: 0, count: 1 }
    }
}

/// Vertices of a draw without index buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Vertices {
    /// The first; other than 0 needs [`DrawSgprs::base_vertex`].
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Indices of an indexed draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Indices {
    /// The first, counted in the buffer.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Added to each index; other than 0 needs [`DrawSgprs::base_vertex`].
    pub base_vertex: i32,
}

/// Width of an index. The numbers are those of VGT_INDEX_TYPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IndexFormat {
    /// 16 bits.
    #[default]
    U16 = 0,
    /// 32 bits.
    U32 = 1,
    /// 8 bits.
    U8 = 2,
}

impl IndexFormat {
    /// Bytes of an index.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
}

/// Indices in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexBuffer {
    /// Where they lie: a multiple of their width, and of 2 for indirect draws.
    pub addr: u64,
    /// How many there are; what lies behind reads as 0.
    pub size: u32,
    /// Their width.
    pub format: IndexFormat,
}

/// Draws whose arguments lie in memory: 4 dwords each (vertices, instances, first vertex, first instance), or 5 with indices (indices, instances, first index,
/// base vertex, first instance).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndirectDraws {
    /// Where: a multiple of 4.
    pub arguments: u64,
    /// Bytes from one draw's arguments to the next's: a multiple of 4.
    pub stride: u32,
    /// Draws, or the most of them when the count lies in memory.
    pub draws: u32,
    /// Where the count lies: a multiple of 4.
    pub count: Option<u64>,
}

/// One call that draws.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawCall, DrawDesc, IndexBuffer, IndexFormat, Indices, Instances, Recorder};
///
/// let state = DrawDesc::default().resolve(Chip::Navi21)?;
/// let buffer = IndexBuffer { addr: 0x10_0000, size: 36, format: IndexFormat::U16 };
/// let indices = Indices { first: 6, count: 30, base_vertex: 0 };
/// let mut recorder = Recorder::new(Chip::Navi21);
/// recorder.begin()?;
/// recorder.draw_call(&state, &DrawCall::Indexed { buffer, indices, instances: Instances::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawCall {
    /// Vertices counted by the front end.
    Auto {
        /// Which.
        vertices: Vertices,
        /// How often.
        instances: Instances,
    },
    /// Several of them.
    MultiAuto {
        /// Which, one after the other.
        draws: Vec<Vertices>,
        /// How often each.
        instances: Instances,
    },
    /// Vertices named by indices.
    Indexed {
        /// Where the indices lie.
        buffer: IndexBuffer,
        /// Which of them.
        indices: Indices,
        /// How often.
        instances: Instances,
    },
    /// Several of them.
    MultiIndexed {
        /// Where the indices lie.
        buffer: IndexBuffer,
        /// Which of them, one after the other.
        draws: Vec<Indices>,
        /// How often each.
        instances: Instances,
    },
    /// One draw with its arguments in memory, at a multiple of 4.
    Indirect {
        /// Where.
        arguments: u64,
    },
    /// One indexed draw with its arguments in memory, at a multiple of 4.
    IndexedIndirect {
        /// Where the indices lie.
        buffer: IndexBuffer,
        /// Where the arguments lie.
        arguments: u64,
    },
    /// Draws with their arguments in memory.
    MultiIndirect(IndirectDraws),
    /// Indexed draws with their arguments in memory.
    MultiIndexedIndirect {
        /// Where the indices lie.
        buffer: IndexBuffer,
        /// The draws.
        draws: IndirectDraws,
    },
}

/// The user SGPRs of the vertex stage that take what differs between draws: byte addresses of SPI_SHADER_USER_DATA registers, 0xB130 for the first of the
/// hardware VS, 0xB230 for the first of NGG. None where the shader has no use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrawSgprs {
    /// First vertex of a draw without indices, else what is added to the indices.
    pub base_vertex: Option<u32>,
    /// First instance.
    pub first_instance: Option<u32>,
    /// Number of the draw in its call.
    pub draw_index: Option<u32>,
}

/// SPI_SHADER_USER_DATA_VS_0 (up to GFX10.3) and _GS_0: user SGPR 0 of vertex work.
const USER_DATA_VS: u32 = 0xB130;
const USER_DATA_GS: u32 = 0xB230;

impl DrawSgprs {
    /// By the number of the user SGPR of the vertex program, counted from 0.
    ///
    /// ```
    /// use pm4::draw::{DrawSgprs, VertexPath};
    /// assert_eq!(DrawSgprs::of(VertexPath::Ngg, Some(1), None, None).base_vertex, Some(0xB234));
    /// ```
    pub fn of(path: VertexPath, base_vertex: Option<u32>, first_instance: Option<u32>, draw_index: Option<u32>) -> Self {
        let first = match path {
            VertexPath::Hardware => USER_DATA_VS,
            VertexPath::Ngg => USER_DATA_GS,
        };
        let addr = |sgpr: Option<u32>| sgpr.map(|n| first.saturating_add(n.saturating_mul(4)));
        Self { base_vertex: addr(base_vertex), first_instance: addr(first_instance), draw_index: addr(draw_index) }
    }
}

/// Why a call cannot be recorded: which input, and the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A direct draw has at least one instance.
    #[error("a draw of 0 instances")]
    NoInstances,
    /// A value for which the shader has no SGPR.
    #[error("{what} is {value}, but the shader has no user SGPR for it")]
    NoSgpr {
        /// Which value.
        what: &'static str,
        /// The value.
        value: i64,
    },
    /// An SGPR that is no user SGPR of a graphics stage.
    #[error("the user SGPR for {what} has the address {addr:#x}; graphics stages have theirs from 0xb000 to 0xb7fc")]
    Sgpr {
        /// For which value.
        what: &'static str,
        /// Its address.
        addr: u32,
    },
    /// An address that the packet cannot hold.
    #[error("{what}: address {addr:#x} must be a multiple of {align} below 2^48, and not 0")]
    Address {
        /// What lies there.
        what: &'static str,
        /// The address.
        addr: u64,
        /// Its alignment.
        align: u64,
    },
    /// A stride into which the arguments do not fit.
    #[error("a stride of {stride} bytes: arguments need a multiple of 4 of at least {least}")]
    Stride {
        /// What was asked for.
        stride: u32,
        /// The least.
        least: u32,
    },
    /// No index to read, on a chip that hangs then.
    #[error("an index buffer without an index at or behind the first hangs {chip}; name a buffer that takes its place, or leave the draw out")]
    EmptyIndexBuffer {
        /// The chip.
        chip: Chip,
    },
}

/// What the calls of a command buffer leave behind.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallState {
    /// Memory of one index, 4-aligned, that takes the place of empty index buffers.
    spare_index: Option<u64>,
    /// VGT_INDEX_TYPE, where it is known: draws without indices overwrite it.
    index_type: Option<u32>,
    /// What the last draw had.
    before: Option<Pipeline>,
    /// Length of the stream after it.
    end: usize,
    statistics: bool,
    tessellated: bool,
}

/// Where a call takes its counts from.
enum Source<'c> {
    Vertices(&'c [Vertices], Instances),
    Indices(&'c [Indices], Instances),
    One(u64),
    Several(IndirectDraws),
}

impl DrawCall {
    fn parts(&self) -> (Option<IndexBuffer>, Source<'_>) {
        use core::slice::from_ref;
        match self {
            Self::Auto { vertices, instances } => (None, Source::Vertices(from_ref(vertices), *instances)),
            Self::MultiAuto { draws, instances } => (None, Source::Vertices(draws, *instances)),
            Self::Indexed { buffer, indices, instances } => (Some(*buffer), Source::Indices(from_ref(indices), *instances)),
            Self::MultiIndexed { buffer, draws, instances } => (Some(*buffer), Source::Indices(draws, *instances)),
            Self::Indirect { arguments } => (None, Source::One(*arguments)),
            Self::IndexedIndirect { buffer, arguments } => (Some(*buffer), Source::One(*arguments)),
            Self::MultiIndirect(draws) => (None, Source::Several(*draws)),
            Self::MultiIndexedIndirect { buffer, draws } => (Some(*buffer), Source::Several(*draws)),
        }
    }

    /// Checks the call against chip and shader.
    ///
    /// # Errors
    /// [`CallError`] names the input and the limit.
    pub fn check(&self, sgprs: &DrawSgprs) -> Result<(), CallError> {
        for (what, addr) in [("the base vertex", sgprs.base_vertex), ("the first instance", sgprs.first_instance), ("the draw index", sgprs.draw_index)] {
            if let Some(addr) = addr.filter(|a| !(SH_START..COMPUTE_START).contains(a) || a % 4 != 0) {
                return Err(CallError::Sgpr { what, addr });
            }
        }
        let (buffer, source) = self.parts();
        if let Some(buffer) = buffer.filter(|b| b.size > 0) {
            // INDEX_BASE, of indirect draws, takes even addresses alone.
            let least = if matches!(source, Source::One(_) | Source::Several(_)) { 2 } else { 1 };
            let align = buffer.format.bytes().max(least);
            address("the index buffer", buffer.addr, align)?;
            if buffer.addr.checked_add(u64::from(buffer.size) * buffer.format.bytes()).is_none() {
                return Err(CallError::Address { what: "the index buffer", addr: buffer.addr, align });
            }
        }
        let without = |sgpr: Option<u32>, what, value: i64| if sgpr.is_none() && value != 0 { Err(CallError::NoSgpr { what, value }) } else { Ok(()) };
        match source {
            Source::Vertices(draws, instances) => {
                direct(instances, sgprs)?;
                draws.iter().try_for_each(|d| without(sgprs.base_vertex, "the first vertex", i64::from(d.first)))
            }
            Source::Indices(draws, instances) => {
                direct(instances, sgprs)?;
                draws.iter().try_for_each(|d| without(sgprs.base_vertex, "the base vertex", i64::from(d.base_vertex)))
            }
            Source::One(arguments) => address("the arguments", arguments, 4),
            Source::Several(draws) => {
                address("the arguments", draws.arguments, 4)?;
                draws.count.map_or(Ok(()), |count| address("the count", count, 4))?;
                let least = if buffer.is_some() { 20 } else { 16 };
                if draws.stride % 4 != 0 || draws.stride < least { Err(CallError::Stride { stride: draws.stride, least }) } else { Ok(()) }
            }
        }
    }
}

fn direct(instances: Instances, sgprs: &DrawSgprs) -> Result<(), CallError> {
    if instances.count == 0 {
        return Err(CallError::NoInstances);
    }
    match sgprs.first_instance {
        None if instances.first != 0 => Err(CallError::NoSgpr { what: "the first instance", value: i64::from(instances.first) }),
        _ => Ok(()),
    }
}

fn address(what: &'static str, addr: u64, align: u64) -> Result<(), CallError> {
    if is_address(addr, align) { Ok(()) } else { Err(CallError::Address { what, addr, align }) }
}

/// The SH window, and where the compute registers begin in it (bytes).
const SH_START: u32 = 0xB000;
const COMPUTE_START: u32 = 0xB800;

/// Where indirect draws find an SGPR: dwords from the start of the SH window, 0 for none.
fn location(sgpr: Option<u32>) -> u32 {
    sgpr.map_or(0, |addr| (addr - SH_START) / 4)
}

/// VGT_DRAW_INITIATOR.SOURCE_SELECT: indices by DMA, or counted.
const INDICES: u32 = 0;
const COUNTED: u32 = 2;
/// VGT_DRAW_INITIATOR.NOT_EOP.
const NOT_EOP: u32 = 1 << 5;
/// VGT_INDEX_TYPE.DISABLE_INSTANCE_PACKING.
const DISABLE_INSTANCE_PACKING: u32 = 1 << 14;

impl<B: Buffer> Recorder<B> {
    /// Memory of one index, 4-aligned, that takes the place of index buffers without indices on chips that hang from them.
    pub fn set_spare_index(&mut self, addr: u64) {
        self.calls.spare_index = Some(addr);
    }

    /// Starts or stops the counting of pipeline statistics.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn count_statistics(&mut self, on: bool) -> Result<(), RecordError> {
        self.writer.event(if on { Event::PIPELINESTAT_START } else { Event::PIPELINESTAT_STOP })?;
        self.calls.statistics = on;
        Ok(())
    }

    /// Writes the state of a draw and a call that uses none of [`DrawSgprs`].
    ///
    /// # Errors
    /// Those of [`draw_call_with`](Self::draw_call_with).
    pub fn draw_call(&mut self, draw: &Resolved, call: &DrawCall) -> Result<(), RecordError> {
        self.draw_call_with(draw, call, &DrawSgprs::default())
    }

    /// Writes the state of a draw and a call; `vertices` and `instances` of the state do not count.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`CallError`] for what the call cannot be, [`WriteError`](crate::packet::WriteError) when the buffer is full.
    pub fn draw_call_with(&mut self, draw: &Resolved, call: &DrawCall, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if draw.chip != self.chip {
            return Err(RecordError::OtherChip { resolved: draw.chip, recorder: self.chip });
        }
        call.check(sgprs)?;
        let (buffer, source) = call.parts();
        let mut situation =
            Situation { before: self.calls.before, now: Pipeline::of(self.chip.gfx(), &draw.image), statistics: self.calls.statistics, ..Situation::default() };
        // Refused draws must not leave half of their state behind.
        let buffer = buffer.map(|b| self.usable(b, &source)).transpose()?;
        self.work_around(Moment::BeforeState, &situation, &draw.image)?;
        self.registers(&draw.image)?;
        situation.rolled = self.rolled();
        self.work_around(Moment::BeforeDraw, &situation, &draw.image)?;
        self.index_type(buffer, &situation)?;
        match source {
            Source::Vertices(draws, instances) => self.draw_vertices(draws, instances, sgprs)?,
            Source::Indices(draws, instances) => {
                if let Some(buffer) = buffer {
                    self.draw_indices(buffer, draws, instances, sgprs)?;
                }
            }
            Source::One(arguments) => self.draw_indirect(buffer, arguments, sgprs)?,
            Source::Several(draws) => self.draw_indirect_several(buffer, draws, sgprs)?,
        }
        self.work_around(Moment::AfterDraw, &situation, &draw.image)?;
        self.calls.before = Some(Pipeline { restart: situation.now.restart.or(situation.before.and_then(|b| b.restart)), ..situation.now });
        self.calls.tessellated |= situation.now.tessellates;
        self.calls.end = self.writer.len();
        Ok(())
    }

    /// Writes what workarounds want at the end of a command buffer.
    pub(super) fn end_of_buffer(&mut self) -> Result<(), RecordError> {
        let situation = Situation { tessellated: self.calls.tessellated, ..Situation::default() };
        self.work_around(Moment::End, &situation, &Image::default())
    }

    fn work_around(&mut self, moment: Moment, situation: &Situation, image: &Image) -> Result<(), RecordError> {
        let chip = self.chip;
        for workaround in PACKET_WORKAROUNDS.iter().filter(|w| w.moment == moment && w.hits(chip, situation)) {
            match workaround.does {
                Does::Events(events) => events.iter().try_for_each(|&event| self.writer.event(event))?,
                Does::Scissors => self.scissors(image)?,
                Does::BottomOfPipe => self.bottom_of_pipe()?,
                Does::Nothing => {}
            }
        }
        Ok(())
    }

    fn scissors(&mut self, image: &Image) -> Result<(), RecordError> {
        let gfx = self.chip.gfx();
        let is_scissor = |addr| regs::lookup(gfx, addr).is_some_and(|r| r.info().name.starts_with("PA_SC_VPORT_SCISSOR_"));
        let scissors = image.registers().iter().filter(|r| (VIEWPORT_SCISSORS).contains(&r.addr) && is_scissor(r.addr));
        self.writer.break_run();
        for register in scissors {
            self.writer.set_reg(register.addr, register.value)?;
        }
        Ok(())
    }

    fn bottom_of_pipe(&mut self) -> Result<(), RecordError> {
        let event = u32::from(Event::BOTTOM_OF_PIPE_TS.0);
        Pack::new("RELEASE_MEM", self.chip.gfx(), self.writer.queue()).set("event_type", event).named("event_index", "end_of_pipe").write(&mut self.writer)
    }

    /// Whether a context register was written since the last draw, by whomever.
    fn rolled(&self) -> bool {
        let since = self.writer.words().get(self.calls.end..).unwrap_or_default();
        Reader::new(since).flatten().any(|packet| packet.opcode().is_some_and(|opcode| ROLLS.contains(&opcode)))
    }

    /// The buffer, or what takes its place where a chip hangs from one without indices.
    fn usable(&self, buffer: IndexBuffer, source: &Source<'_>) -> Result<IndexBuffer, RecordError> {
        let no_indices = match source {
            Source::Indices(draws, _) => draws.iter().any(|d| d.first >= buffer.size),
            _ => buffer.size == 0,
        };
        if !acts(Erratum::ZeroIndexBuffer, self.chip, &Situation { no_indices, ..Situation::default() }) {
            return Ok(buffer);
        }
        match self.calls.spare_index {
            Some(_) => Ok(buffer),
            None => Err(CallError::EmptyIndexBuffer { chip: self.chip }.into()),
        }
    }

    /// Address and size of what lies in the buffer from an index on; the spare index on chips that hang from nothing.
    fn indices_from(&self, buffer: IndexBuffer, first: u32) -> (u64, u32) {
        let left = buffer.size.saturating_sub(first);
        match self.calls.spare_index {
            Some(spare) if left == 0 && self.chip.has(Erratum::ZeroIndexBuffer) => (spare, 1),
            _ if buffer.size == 0 => (0, 0),
            _ => (buffer.addr + u64::from(first.min(buffer.size)) * buffer.format.bytes(), left),
        }
    }

    /// VGT_INDEX_TYPE before an indexed draw, unless it is known to hold; draws without indices leave it unknown.
    fn index_type(&mut self, buffer: Option<IndexBuffer>, situation: &Situation) -> Result<(), RecordError> {
        let packing = if acts(Erratum::InstancePacking, self.chip, situation) { DISABLE_INSTANCE_PACKING } else { 0 };
        let wanted = buffer.map_or(0, |b| b.format as u32) | packing;
        if (buffer.is_some() || packing != 0) && self.calls.index_type != Some(wanted) {
            self.writer.index_type(wanted)?;
        }
        self.calls.index_type = buffer.map(|_| wanted);
        Ok(())
    }

    /// What is the same for all direct draws of a call.
    fn instances(&mut self, instances: Instances, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if let Some(sgpr) = sgprs.first_instance {
            self.writer.set_reg(sgpr, instances.first)?;
        }
        Ok(self.writer.num_instances(instances.count)?)
    }

    /// What differs from draw to draw, where it changes.
    fn per_draw(&mut self, index: usize, base: u32, last: &mut Option<u32>, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if let Some(sgpr) = sgprs.base_vertex.filter(|_| *last != Some(base)) {
            self.writer.set_reg(sgpr, base)?;
            *last = Some(base);
        }
        if let Some(sgpr) = sgprs.draw_index {
            self.writer.set_reg(sgpr, index as u32)?;
        }
        Ok(())
    }

    fn draw_vertices(&mut self, draws: &[Vertices], instances: Instances, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        self.instances(instances, sgprs)?;
        let mut base = None;
        for (index, draw) in draws.iter().enumerate() {
            self.per_draw(index, draw.first, &mut base, sgprs)?;
            self.writer.draw_index_auto(draw.count, COUNTED)?;
        }
        Ok(())
    }

    fn draw_indices(&mut self, buffer: IndexBuffer, draws: &[Indices], instances: Instances, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        self.instances(instances, sgprs)?;
        let together = may_run_together(self.chip.gfx(), draws, sgprs);
        let last = draws.iter().rposition(|d| d.count > 0);
        let mut base = None;
        for (index, draw) in draws.iter().enumerate().filter(|(_, d)| !together || d.count > 0) {
            self.per_draw(index, draw.base_vertex as u32, &mut base, sgprs)?;
            let (addr, size) = self.indices_from(buffer, draw.first);
            let more = if together && Some(index) != last { NOT_EOP } else { 0 };
            self.writer.draw_index_2(size, addr, draw.count, INDICES | more)?;
        }
        Ok(())
    }

    /// SET_BASE, from where indirect draws count: 8-aligned, the rest is the offset.
    fn arguments(&mut self, arguments: u64) -> Result<u32, RecordError> {
        let packet = Pack::new("SET_BASE", self.chip.gfx(), self.writer.queue()).named("base_index", "patch_table_base");
        packet.address("address_lo", "address_hi", arguments & !7).write(&mut self.writer)?;
        Ok((arguments & 7) as u32)
    }

    fn bind_indices(&mut self, buffer: IndexBuffer) -> Result<(), RecordError> {
        let (addr, size) = self.indices_from(buffer, 0);
        self.writer.index_base(addr)?;
        Ok(self.writer.index_buffer_size(size)?)
    }

    fn draw_indirect(&mut self, buffer: Option<IndexBuffer>, arguments: u64, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(arguments)?;
        let (name, base, initiator) = match buffer {
            Some(_) => ("DRAW_INDEX_INDIRECT", "base_vtx_loc", INDICES),
            None => ("DRAW_INDIRECT", "start_vtx_loc", COUNTED),
        };
        Pack::new(name, self.chip.gfx(), self.writer.queue())
            .predicate(self.writer.predication())
            .set("data_offset", offset)
            .set(base, location(sgprs.base_vertex))
            .set("start_inst_loc", location(sgprs.first_instance))
            .set("draw_initiator", initiator)
            .write(&mut self.writer)
    }

    fn draw_indirect_several(&mut self, buffer: Option<IndexBuffer>, draws: IndirectDraws, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if draws.draws == 0 {
            return Ok(());
        }
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(draws.arguments)?;
        let (name, base, initiator) = match buffer {
            Some(_) => ("DRAW_INDEX_INDIRECT_MULTI", "base_vtx_loc", INDICES),
            None => ("DRAW_INDIRECT_MULTI", "start_vtx_loc", COUNTED),
        };
        let packet = Pack::new(name, self.chip.gfx(), self.writer.queue())
            .predicate(self.writer.predication())
            .set("data_offset", offset)
            .set(base, location(sgprs.base_vertex))
            .set("start_inst_loc", location(sgprs.first_instance))
            .set("draw_index_loc", location(sgprs.draw_index))
            .set("draw_index_enable", u32::from(sgprs.draw_index.is_some()))
            .set("count_indirect_enable", u32::from(draws.count.is_some()))
            .set("count", draws.draws)
            .set("stride", draws.stride)
            .set("draw_initiator", initiator);
        let packet = match draws.count {
            Some(count) => packet.address("count_addr_lo", "count_addr_hi", count),
            None => packet,
        };
        packet.write(&mut self.writer)
    }
}

/// Packets that write context registers.
const ROLLS: [Opcode; 9] = [
    Opcode::SET_CONTEXT_REG,
    Opcode::SET_CONTEXT_REG_INDEX,
    Opcode::SET_CONTEXT_REG_PAIRS,
    Opcode::SET_CONTEXT_REG_PAIRS_PACKED,
    Opcode::CONTEXT_REG_RMW,
    Opcode::LOAD_CONTEXT_REG,
    Opcode::LOAD_CONTEXT_REG_INDEX,
    Opcode::CLEAR_STATE,
    Opcode::ACQUIRE_MEM,
];

/// PA_SC_VPORT_SCISSOR_0_TL to _15_BR on the chips that lose them.
const VIEWPORT_SCISSORS: core::ops::Range<u32> = 0x2_8250..0x2_82D0;

/// Whether indexed draws differ in nothing but their indices, so that NOT_EOP may join them; GFX9 and GFX12 cannot (Mesa 25.0.7).
fn may_run_together(gfx: Gfx, draws: &[Indices], sgprs: &DrawSgprs) -> bool {
    let same = draws.windows(2).all(|pair| matches!(pair, [a, b] if a.base_vertex == b.base_vertex));
    draws.len() > 1 && same && sgprs.draw_index.is_none() && matches!(gfx.major(), 10 | 11)
}

impl From<&Resolved> for DrawCall {
    /// The draw that the description counts.
    fn from(draw: &Resolved) -> Self {
        Self::Auto { vertices: Vertices { first: 0, count: draw.vertices }, instances: Instances { first: 0, count: draw.instances } }
    }
}
