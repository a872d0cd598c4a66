//! Draw calls: direct, indexed, indirect, multi-draws, and draws with the count in memory.

use crate::chip::Chip;
use crate::draw::desc::address::is_address;
use crate::plurals::counted;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Instances of a direct draw.
///
/// For an example see [`DrawCall`](crate::draw::DrawCall).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instances {
    /// The first instance. A value other than 0 needs [`UserData::FirstInstance`](crate::draw::UserData::FirstInstance).
    pub first: u32,
    /// Number of instances, at least 1.
    pub count: u32,
}

impl Default for Instances {
    fn default() -> Self {
        Self { first: 0, count: 1 }
    }
}

/// Vertices of a draw without index buffer.
///
/// For an example see [`CallError`](crate::draw::CallError).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Vertices {
    /// The first vertex. A value other than 0 needs [`UserData::BaseVertex`](crate::draw::UserData::BaseVertex).
    pub first: u32,
    /// Number of vertices.
    pub count: u32,
}

/// Indices of an indexed draw.
///
/// For an example see [`DrawCall`](crate::draw::DrawCall).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Indices {
    /// The first index, as a position in the buffer.
    pub first: u32,
    /// Number of indices.
    pub count: u32,
    /// Offset added to each index. A value other than 0 needs [`UserData::BaseVertex`](crate::draw::UserData::BaseVertex).
    pub base_vertex: i32,
}

/// Width of an index. The values are those of VGT_INDEX_TYPE.
///
/// For an example see [`DrawCall`](crate::draw::DrawCall).
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
    /// Returns the bytes of an index.
    #[inline]
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
}

/// Indices in memory.
///
/// For an example see [`DrawCall`](crate::draw::DrawCall).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexBuffer {
    /// Address of the first index: a multiple of the width of an index, and of 2 for indirect draws.
    pub address: u64,
    /// Number of indices in the buffer; later indices read as 0.
    pub indices: u32,
    /// Width of an index.
    pub format: IndexFormat,
}

impl IndexBuffer {
    /// Checks that hardware accepts the address, which must be a multiple of at least `least`.
    #[inline]
    pub(crate) fn check(&self, least: u64) -> Result<(), CallError> {
        let align = self.format.bytes().max(least);
        address("the index buffer", self.address, align)?;
        match self.address.checked_add(u64::from(self.indices) * self.format.bytes()) {
            Some(_) => Ok(()),
            None => Err(CallError::Address { what: "the index buffer", addr: self.address, align }),
        }
    }
}

/// Draws whose arguments are in memory: 4 dwords each (vertices, instances, first vertex, first instance), 5 with indices (indices, instances, first index,
/// base vertex, first instance), or 3 for mesh shaders (workgroups in x, y and z).
///
/// For an example see [`Recorder::task_groups_indirect`](crate::draw::Recorder::task_groups_indirect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndirectDraws {
    /// Address of the arguments of the first draw: nonzero, 48 bits, a multiple of 4.
    pub arguments: u64,
    /// Bytes from the arguments of one draw to those of the next: a multiple of 4 that is at least the size of the arguments. May be 0 if
    /// [`draws`](Self::draws) is 1 or 0.
    pub stride: u32,
    /// Number of draws; if the count is in memory, the largest number.
    pub draws: u32,
    /// Address of the count, if the count is in memory: nonzero, 48 bits, a multiple of 4.
    pub count: Option<u64>,
}

impl IndirectDraws {
    /// Checks that hardware accepts the addresses and that arguments of `least` bytes fit into the stride.
    pub(crate) fn check(&self, least: u32) -> Result<(), CallError> {
        address("the arguments", self.arguments, 4)?;
        self.count.map_or(Ok(()), |count| address("the count", count, 4))?;
        let fits = self.draws <= 1 && self.stride == 0 || self.stride >= least;
        if !self.stride.is_multiple_of(4) || !fits { Err(CallError::Stride { stride: self.stride, least }) } else { Ok(()) }
    }
}

/// A draw of as many vertices as streamout has counted: the bytes of a counter minus an offset, divided by the bytes of a vertex.
///
/// For an example see [`Recorder::begin_streamout`](crate::draw::Recorder::begin_streamout).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountedDraw {
    /// Address of the counter: nonzero, 48 bits, a multiple of 4.
    pub counter: u64,
    /// Bytes to subtract from the counter.
    pub offset: u32,
    /// Bytes of a vertex: 1 to 511, because VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE has 9 bits.
    pub stride: u32,
    /// The instances.
    pub instances: Instances,
}

/// A draw call.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawCall, DrawDesc, IndexBuffer, IndexFormat, Indices, Instances, Recorder};
///
/// let state = DrawDesc::default().resolve(Chip::Navi21)?;
/// let buffer = IndexBuffer { address: 0x10_0000, indices: 36, format: IndexFormat::U16 };
/// let indices = Indices { first: 6, count: 30, base_vertex: 0 };
/// let mut recorder = Recorder::new(Chip::Navi21);
/// recorder.begin()?;
/// recorder.draw_call(&state, &DrawCall::Indexed { buffer, indices, instances: Instances::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawCall {
    /// A draw without indices.
    Auto {
        /// The vertices.
        vertices: Vertices,
        /// The instances.
        instances: Instances,
    },
    /// Several such draws.
    MultiAuto {
        /// The vertices of each draw, in order.
        draws: Vec<Vertices>,
        /// The instances of each draw.
        instances: Instances,
    },
    /// An indexed draw.
    Indexed {
        /// The index buffer.
        buffer: IndexBuffer,
        /// The indices that are drawn.
        indices: Indices,
        /// The instances.
        instances: Instances,
    },
    /// Several such draws.
    MultiIndexed {
        /// The index buffer.
        buffer: IndexBuffer,
        /// The indices of each draw, in order.
        draws: Vec<Indices>,
        /// The instances of each draw.
        instances: Instances,
    },
    /// One draw with its arguments in memory, at an address that is a multiple of 4.
    Indirect {
        /// Address of the arguments.
        arguments: u64,
    },
    /// One indexed draw with its arguments in memory, at an address that is a multiple of 4.
    IndexedIndirect {
        /// The index buffer.
        buffer: IndexBuffer,
        /// Address of the arguments.
        arguments: u64,
    },
    /// Draws with their arguments in memory.
    MultiIndirect(IndirectDraws),
    /// Indexed draws with their arguments in memory.
    MultiIndexedIndirect {
        /// The index buffer.
        buffer: IndexBuffer,
        /// The draws.
        draws: IndirectDraws,
    },
    /// A draw of as many vertices as streamout has counted.
    Counted(CountedDraw),
    /// Workgroups of a mesh shader.
    Mesh {
        /// Workgroups in x, y and z.
        groups: [u32; 3],
    },
    /// Mesh shader calls with their workgroups in memory: x, y and z, 12 bytes per call.
    MeshIndirect(IndirectDraws),
    /// The mesh shader workgroups that one task dispatch of the gang's compute queue requests
    /// ([`Recorder::task_groups`](crate::draw::Recorder::task_groups)).
    TaskMesh {
        /// Whether the task shader requests workgroups only in x (GFX11 and later).
        linear: bool,
    },
    /// Another call, repeated for each view of a multiview draw, lowest view first (Mesa 25.0.7 radv_cmd_buffer.c). Programs before rasterization receive the
    /// view number in a user SGPR ([`UserData::ViewIndex`](crate::draw::UserData::ViewIndex)) and export it as the layer
    /// ([`VertexOutputs::layer`](crate::draw::VertexOutputs::layer)). Each view takes one dispatch of task work.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawCall, DrawDesc, Instances, PipelineDesc, Program, Recorder, UserData, VertexOutputs, VertexStage, Vertices};
    /// let program = Program { user_data: vec![UserData::ViewIndex], ..Program::default() };
    /// let outputs = VertexOutputs { layer: true, ..VertexOutputs::default() };
    /// let draw = DrawDesc::from(PipelineDesc { vertex: VertexStage { program, outputs, ..VertexStage::default() }, ..PipelineDesc::default() });
    /// let call = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() };
    /// let mut recorder = Recorder::secondary(Chip::Navi31);
    /// recorder.draw_call(&draw.resolve(Chip::Navi31)?, &DrawCall::Views { views: 0b11, call: call.into() })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Views {
        /// One bit per view; bit 0 is the first view.
        views: u32,
        /// The call for each view.
        call: Box<DrawCall>,
    },
}

/// Why a call cannot be recorded, with the input and its limit.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{CallError, Instances, Pipeline, PipelineDesc, RecordError, Recorder, Targets, TargetsDesc, Vertices};
/// let mut recorder = Recorder::new(Chip::Navi31);
/// recorder.begin()?;
/// recorder.bind_pipeline(&Pipeline::new(Chip::Navi31, PipelineDesc::default())?)?;
/// recorder.bind_targets(&Targets::new(Chip::Navi31, TargetsDesc::default())?)?;
/// let none = Instances { first: 0, count: 0 };
/// let error = recorder.draw_instances(Vertices { first: 0, count: 3 }, none).unwrap_err();
/// assert_eq!(error, RecordError::Call(CallError::NoInstances));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A direct draw without instances.
    #[error("the draw has 0 instances, and needs at least 1")]
    NoInstances,
    /// A value for which the shader has no user SGPR.
    #[error("{what} is {value}, but the shader has no user SGPR for it")]
    NoSgpr {
        /// The name of the value.
        what: &'static str,
        /// The value.
        value: i64,
    },
    /// An address that the packet cannot hold.
    #[error("{what}: address {addr:#x} must be a multiple of {align}, not 0, and of 48 bits (canonical form)")]
    Address {
        /// What the address is for.
        what: &'static str,
        /// The address.
        addr: u64,
        /// The required alignment in bytes.
        align: u64,
    },
    /// A stride into which the arguments do not fit.
    #[error("the stride is {}: it must be a multiple of 4, at least {least} (0 is allowed for one draw)", counted(*stride, "byte"))]
    Stride {
        /// The requested value.
        stride: u32,
        /// The smallest stride that holds the arguments.
        least: u32,
    },
    /// Mesh work of task shaders for a program without a user SGPR for the ring entry.
    #[error("mesh work of task shaders needs a user SGPR for the ring entry (UserData::RingEntry), which the program lacks")]
    NoRingEntry,
    /// A vertex size that the register of counted draws cannot hold.
    #[error("a draw counted from streamout: {stride} bytes per vertex is not allowed; allowed are 1 to 511")]
    VertexBytes {
        /// The requested value.
        stride: u32,
    },
    /// A vertex call for a mesh shader, or a workgroup call for vertex work.
    #[error("{}", if *mesh { "the draw runs a mesh shader, which takes workgroups" } else { "the draw runs no mesh shader, and workgroups need one" })]
    Mesh {
        /// Whether the draw runs a mesh shader.
        mesh: bool,
    },
    /// More workgroups than the hardware can draw.
    #[error("{count} workgroups of a mesh shader: {limit}")]
    Groups {
        /// The requested value.
        count: u64,
        /// The limit as text.
        limit: &'static str,
    },
    /// The program has no user SGPRs for its number of workgroups, which GFX10.3 passes in user SGPRs.
    #[error("the program has no user SGPRs for the number of workgroups (UserData::GroupsX), in which GFX10.3 passes {what}")]
    NoGroupSgprs {
        /// The value that is passed there.
        what: &'static str,
    },
    /// An impossible draw call for several views.
    #[error("a call for several views: {why}")]
    Views {
        /// What is wrong.
        why: &'static str,
    },
    /// A draw whose first index is beyond the index buffer, on a chip that hangs if there is nothing to read.
    #[error("the first index is beyond the end of the index buffer, which hangs {chip}: call Recorder::set_spare_index before, or leave the draw out")]
    EmptyIndexBuffer {
        /// The chip.
        chip: Chip,
    },
}

/// The source of a call's counts.
#[derive(Clone, Copy)]
pub(crate) enum Source<'c> {
    Vertices(&'c [Vertices], Instances),
    Indices(&'c [Indices], Instances),
    One(u64),
    Several(IndirectDraws),
    Groups([u32; 3]),
    SeveralGroups(IndirectDraws),
    Counted(CountedDraw),
    Tasks { linear: bool },
}

impl DrawCall {
    pub(crate) fn parts(&self) -> (Option<IndexBuffer>, Source<'_>) {
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
            Self::Mesh { groups } => (None, Source::Groups(*groups)),
            Self::MeshIndirect(draws) => (None, Source::SeveralGroups(*draws)),
            Self::Counted(draw) => (None, Source::Counted(*draw)),
            Self::TaskMesh { linear } => (None, Source::Tasks { linear: *linear }),
            Self::Views { call, .. } => call.parts(),
        }
    }

    /// Returns the views of the call, one bit each; None for a call without views.
    pub(crate) fn views(&self) -> Option<u32> {
        match self {
            Self::Views { views, .. } => Some(*views),
            _ => None,
        }
    }

    /// Returns the base vertex and first instance that SGPRs hold after a single direct draw.
    pub(crate) fn base_and_first_instance(&self) -> Option<(u32, u32)> {
        match self {
            Self::Auto { vertices, instances } => Some((vertices.first, instances.first)),
            Self::Indexed { indices, instances, .. } => Some((indices.base_vertex as u32, instances.first)),
            _ => None,
        }
    }
}

#[inline]
pub(crate) fn address(what: &'static str, addr: u64, align: u64) -> Result<(), CallError> {
    if is_address(addr, align) { Ok(()) } else { Err(CallError::Address { what, addr, align }) }
}

/// Workgroups of task shaders.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, Program, Recorder, TaskGroups, UserData};
/// use pm4::packet::{Queue, Reader, Writer};
/// let program = Program { user_data: vec![UserData::Keep; 8], ..Program::default() };
/// let task = DispatchDesc { program, ..DispatchDesc::default() }.resolve(Chip::Navi31)?;
/// let mut compute = Recorder::from_writer(Chip::Navi31, Writer::growable(Chip::Navi31.gfx(), Queue::Compute));
/// compute.begin_compute()?;
/// compute.task_groups(&task, &TaskGroups { groups: [8, 4, 1], ring_entry: 7, xyz: Some(4) })?;
/// let packet = Reader::new(compute.words()).flatten().last().expect("the packet of the dispatch");
/// assert_eq!(packet.name(Chip::Navi31.gfx()), Some("DISPATCH_TASKMESH_DIRECT_ACE"));
/// assert_eq!(packet.body[..3], [8, 4, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskGroups {
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
    /// The user SGPR that receives the ring entry of the dispatch.
    pub ring_entry: u32,
    /// The first of three user SGPRs that hold the workgroups in x, y and z.
    pub xyz: Option<u32>,
}

/// Workgroups of task shaders with the numbers in memory: x, y and z, 12 bytes per dispatch.
///
/// For an example see [`Recorder::task_groups_indirect`](crate::draw::Recorder::task_groups_indirect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskGroupsIndirect {
    /// The address of the numbers and the number of dispatches. One packet starts all dispatches, and one draw consumes their work.
    pub draws: IndirectDraws,
    /// The user SGPR that receives the ring entry of a dispatch.
    pub ring_entry: u32,
    /// The first of three user SGPRs that receive the workgroups in x, y and z.
    pub xyz: Option<u32>,
    /// The user SGPR that receives the number of the dispatch, from 0.
    pub draw_index: Option<u32>,
}
