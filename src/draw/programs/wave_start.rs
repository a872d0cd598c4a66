//! Contents of a wave's registers at its start.
//!
//! Sources: AMD ISA manuals, chapters on wave state; Mesa 25.0.7 RADV and ACO; register descriptions of the kernel for which bit loads what.

use crate::chip::{Chip, Gfx};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::front;
use crate::draw::desc::topology::InputPrimitive;
use crate::draw::desc::{DispatchDesc, DrawDesc, DrawError, PixelInput, PixelLoads, Program, Stage, Tessellation, UserData, VertexPath};
use alloc::vec::Vec;
use strum::{Display, IntoStaticStr};

/// The contents of an SGPR.
///
/// For an example see [`WaveStart`](crate::draw::WaveStart).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SgprItem {
    /// User data, one SGPR per entry of [`Program::user_data`](crate::draw::Program::user_data) that draw calls do not write.
    UserData,
    /// Vertex work: the first vertex, or the offset added to the indices.
    BaseVertex,
    /// Vertex work: the first instance.
    FirstInstance,
    /// Vertex work: the number of the draw in its call.
    DrawIndex,
    /// Mesh shaders: workgroups of the call in x, y and z.
    Groups,
    /// Mesh shaders that follow task shaders: the position of their work in the ring.
    RingEntry,
    /// Programs before rasterization: the number of the view.
    ViewIndex,
    /// Pixel: bc_optimize in bit 31, primitive mask in 30:16, LDS offset of the parameters in 15:0; goes to M0 for interpolation.
    PrimitiveMask,
    /// Pixel: wave id in 9:0 and the wave's index.
    WaveCount,
    /// Pixel, GFX9 to GFX10.3: COLLISION_WAVEID, for which an ordered section waits.
    CollisionWaveId,
    /// Pixel, GFX9 to GFX10.3: the quads that start a new layer within the wave.
    IntrawaveCollision,
    /// Pixel, GFX10.3 and later: provoking vertex, 2 bits per primitive.
    ProvokingVertex,
    /// Hardware VS: the counts of streamout, the position at which this wave writes, and the offset of each written buffer.
    Streamout,
    /// Byte offset of the wave's scratch memory (up to GFX10.3).
    ScratchOffset,
    /// Merged stages and NGG: the two SGPRs of [`Program::address_pair`](crate::draw::Program::address_pair).
    AddressPair,
    /// Geometry shaders and NGG: vertices and primitives of the subgroup.
    SubgroupInfo,
    /// Merged stages and NGG: threads of this wave in both halves, its number in the subgroup.
    MergedWaveInfo,
    /// Tessellation: offset of the patches in off-chip memory.
    TessellationOffset,
    /// Tessellation: offset of the patches' factors.
    FactorOffset,
    /// Tessellation, GFX11 and later: number of the wave in its workgroup.
    WaveIdInGroup,
    /// NGG, GFX11 and later: offset in the attribute ring.
    AttributeOffset,
    /// Merged stages and NGG: loaded, but without a use.
    Unused,
    /// Compute: workgroup id, x.
    WorkgroupIdX,
    /// Compute: workgroup id, y.
    WorkgroupIdY,
    /// Compute: workgroup id, z.
    WorkgroupIdZ,
    /// Compute: number of waves, and this wave's position in the workgroup.
    WorkgroupInfo,
}

/// The contents of a VGPR.
///
/// For an example see [`DrawDesc::vertex_wave`](crate::draw::DrawDesc::vertex_wave).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VgprItem {
    /// An input of the pixel shader.
    Pixel(PixelInput),
    /// Index of the vertex.
    VertexId,
    /// Index of the instance.
    InstanceId,
    /// Index of the primitive.
    PrimitiveId,
    /// Index of the patch.
    PatchId,
    /// Number of the patch in its workgroup.
    RelativePatchId,
    /// Numbers of the patch in its workgroup and of the control point in its patch.
    RelativeIds,
    /// Number of the vertex in its workgroup.
    RelativeIndex,
    /// Position in the patch, first coordinate.
    PatchU,
    /// Position in the patch, second coordinate.
    PatchV,
    /// A user VGPR (GE_USER_VGPR_EN), else unused.
    UserVgpr,
    /// NGG pass-through: the primitive, packed as it is exported.
    PassthroughPrimitive,
    /// Geometry shaders and NGG: offsets of vertices 0 and 1.
    VertexOffsets01,
    /// Geometry shaders and NGG: offsets of vertices 2 and 3.
    VertexOffsets23,
    /// Geometry shaders and NGG: geometry shader invocation.
    InvocationId,
    /// Geometry shaders and NGG: offsets of vertices 4 and 5.
    VertexOffsets45,
    /// NGG of GFX12: offsets of vertices 0 to 2.
    VertexOffsets012,
    /// NGG of GFX12: offsets of vertices 3 to 5.
    VertexOffsets345,
    /// Thread id in the workgroup, x.
    ThreadIdX,
    /// Thread id in the workgroup, y.
    ThreadIdY,
    /// Thread id in the workgroup, z.
    ThreadIdZ,
    /// All three thread ids, 10 bits each, x lowest (GFX11 and later).
    ThreadIds,
}

/// The registers of one item.
///
/// For an example see [`RegisterMap`](crate::draw::RegisterMap).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlacedItem<T> {
    /// The item.
    pub item: T,
    /// The first register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// False if the item's registers are reserved but not written.
    pub loaded: bool,
    /// False if no second source confirms the position.
    pub verified: bool,
}

/// A map of items to registers.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, PlacedItem, RegisterMap, SgprItem};
/// let sgprs: RegisterMap<SgprItem> = DispatchDesc::default().wave(Chip::Navi31)?.sgprs;
/// for PlacedItem { item, first, count, .. } in sgprs.items() {
///     println!("s{first}, {count} of them: {item}");
/// }
/// assert_eq!(sgprs.place(SgprItem::WorkgroupIdX), Some(0));
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterMap<T> {
    items: Vec<PlacedItem<T>>,
}

/// The contents of the SGPRs.
pub type SgprMap = RegisterMap<SgprItem>;
/// The contents of the VGPRs.
pub type VgprMap = RegisterMap<VgprItem>;

impl<T: Copy + PartialEq> RegisterMap<T> {
    const fn new() -> Self {
        Self { items: Vec::new() }
    }

    fn put(&mut self, item: T, first: u32, count: u32) -> &mut PlacedItem<T> {
        self.items.push(PlacedItem { item, first, count, loaded: true, verified: true });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }

    fn next(&mut self, item: T, count: u32) -> &mut PlacedItem<T> {
        self.put(item, self.len(), count)
    }

    /// Returns all items in the order of their registers.
    pub fn items(&self) -> &[PlacedItem<T>] {
        &self.items
    }

    /// Returns the registers of an item; None if it is not loaded.
    pub fn find(&self, item: T) -> Option<PlacedItem<T>> {
        self.items.iter().find(|placed| placed.item == item && placed.loaded).copied()
    }

    /// Returns the first register of an item.
    pub fn place(&self, item: T) -> Option<u32> {
        self.find(item).map(|placed| placed.first)
    }

    /// Returns the number of registers up to the end of the last item.
    pub fn len(&self) -> u32 {
        self.items.iter().map(|placed| placed.first + placed.count).max().unwrap_or(0)
    }

    /// Returns whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl SgprMap {
    /// User data from a register on; neighbours of one kind are one item.
    fn user_data(&mut self, first: u32, program: &Program) {
        let item = |data: &UserData| match data {
            UserData::Keep | UserData::Word(_) => SgprItem::UserData,
            UserData::BaseVertex => SgprItem::BaseVertex,
            UserData::FirstInstance => SgprItem::FirstInstance,
            UserData::DrawIndex => SgprItem::DrawIndex,
            UserData::GroupsX | UserData::GroupsY | UserData::GroupsZ => SgprItem::Groups,
            UserData::RingEntry => SgprItem::RingEntry,
            UserData::ViewIndex => SgprItem::ViewIndex,
        };
        let mut at = first;
        for run in program.user_data.chunk_by(|a, b| item(a) == item(b)) {
            if let Some(data) = run.first() {
                self.put(item(data), at, run.len() as u32);
                at += run.len() as u32;
            }
        }
    }
}

/// The registers of a wave at its start.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, Interlock, PipelineDesc, PixelShader, Program, SgprItem, UserData};
/// let program = Program { user_data: vec![UserData::Keep; 4], ..Program::default() };
/// let shader = Some(PixelShader { program, writes_memory: true, ..PixelShader::default() });
/// let draw = DrawDesc::from(PipelineDesc { shader, interlock: Interlock::PixelOrdered, ..PipelineDesc::default() });
/// // s0 to s3 user data, s4 the primitive mask, and then what the ordered section polls for.
/// assert_eq!(draw.pixel_wave(Chip::Vega10)?.unwrap().sgprs.place(SgprItem::CollisionWaveId), Some(5));
/// assert_eq!(draw.pixel_wave(Chip::Navi31)?.unwrap().sgprs.place(SgprItem::CollisionWaveId), None);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveStart {
    /// Scalar registers.
    pub sgprs: SgprMap,
    /// Vector registers.
    pub vgprs: VgprMap,
    /// GFX12: whether workgroup ids are in trap temporaries instead: x in ttmp9, y and z in the halves of ttmp7 (LLVM AMDGPU usage guide; unverified).
    pub ids_in_ttmp: bool,
}

impl DrawDesc {
    /// Returns the initial registers of a pixel wave; None for a draw without a pixel shader.
    ///
    /// # Errors
    /// The errors of [`resolve`](crate::draw::resolve).
    pub fn pixel_wave(&self, chip: Chip) -> Result<Option<WaveStart>, DrawError> {
        let parts = self.effective();
        let inputs = crate::draw::check::draw_inputs::DrawInputs::check(&parts, chip)?;
        let Some(shader) = inputs.shader() else { return Ok(None) };
        let (loads, version) = (shader.inputs.resolve()?, chip.gfx().version());
        let mut sgprs = SgprMap::new();
        let scratch = shader.program.scratch_bytes != 0;
        sgprs.user_data(0, &shader.program);
        sgprs.next(SgprItem::PrimitiveMask, 1);
        // Order on GFX9 by analogy with the RDNA1 manual: wave count and intrawave word are unverified there.
        let verified = version.0 > 9;
        if shader.inputs.wave_count {
            sgprs.next(SgprItem::WaveCount, 1).verified = verified;
        }
        if inputs.pops && inputs.has_dfsm() {
            sgprs.next(SgprItem::CollisionWaveId, 1);
            if parts.expert.intrawave_collision {
                sgprs.next(SgprItem::IntrawaveCollision, 1).verified = verified;
            }
        }
        if shader.inputs.provoking_vertex {
            sgprs.next(SgprItem::ProvokingVertex, 1);
        }
        if scratch && version < (11, 0) {
            sgprs.next(SgprItem::ScratchOffset, 1);
        }
        let mut vgprs = VgprMap::new();
        for input in PixelInput::all().filter(|input| loads.addr.has(*input)) {
            vgprs.next(VgprItem::Pixel(input), input.vgprs()).loaded = loads.ena.has(input);
        }
        Ok(Some(WaveStart { sgprs, vgprs, ids_in_ttmp: false }))
    }

    /// Returns the initial registers of a wave of vertex work; with a geometry shader, those of the merged program.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, GeometryStage, PipelineDesc, Program, SgprItem, UserData, VertexStage, VgprItem};
    /// let program = Program { user_data: vec![UserData::Keep, UserData::BaseVertex], ..Program::default() };
    /// let geometry = GeometryStage { reads_invocation_id: true, ..GeometryStage::default() };
    /// let draw = DrawDesc::from(PipelineDesc {
    ///     vertex: VertexStage { program, ..VertexStage::default() },
    ///     geometry: Some(geometry),
    ///     ..PipelineDesc::default()
    /// });
    /// let wave = draw.vertex_wave(Chip::Navi31)?;
    /// // Eight fixed SGPRs, among them the threads of both halves; then user data.
    /// assert_eq!((wave.sgprs.place(SgprItem::MergedWaveInfo), wave.sgprs.place(SgprItem::BaseVertex)), (Some(3), Some(9)));
    /// // Inputs of the primitive for the geometry half, then those of the vertex for the other.
    /// assert_eq!((wave.vgprs.place(VgprItem::InvocationId), wave.vgprs.place(VgprItem::VertexId)), (Some(3), Some(5)));
    /// # Ok::<(), pm4::draw::DrawError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`resolve`](crate::draw::resolve).
    pub fn vertex_wave(&self, chip: Chip) -> Result<WaveStart, DrawError> {
        let parts = self.effective();
        let inputs = crate::draw::check::draw_inputs::DrawInputs::check(&parts, chip)?;
        Ok(vertex_wave(&parts, inputs.path, chip))
    }

    /// Returns the initial registers of a wave of the merged vertex and control shader; None for a draw that does not tessellate.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, PipelineDesc, Program, SgprItem, Tessellation, Topology, UserData, VgprItem};
    /// let program = Program { user_data: vec![UserData::Keep; 2], ..Program::default() };
    /// let tessellation = Some(Tessellation { program, ..Tessellation::default() });
    /// let draw = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
    /// let wave = draw.hull_wave(Chip::Navi21)?.unwrap();
    /// assert_eq!((wave.sgprs.place(SgprItem::TessellationOffset), wave.sgprs.place(SgprItem::UserData)), (Some(2), Some(8)));
    /// assert_eq!((wave.vgprs.place(VgprItem::PatchId), wave.vgprs.place(VgprItem::VertexId)), (Some(0), Some(2)));
    /// # Ok::<(), pm4::draw::DrawError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`resolve`](crate::draw::resolve).
    pub fn hull_wave(&self, chip: Chip) -> Result<Option<WaveStart>, DrawError> {
        let parts = self.effective();
        crate::draw::check::draw_inputs::DrawInputs::check(&parts, chip)?;
        Ok(parts.tessellation.as_deref().map(|patches| hull_wave(patches, chip)))
    }
}

/// Vertex and control shader, merged. Fixed SGPRs: Mesa 25.0.7 radv_shader_args.c, without a second source.
fn hull_wave(patches: &Tessellation, chip: Chip) -> WaveStart {
    let (gfx, program) = (chip.gfx(), &patches.program);
    let (mut sgprs, mut vgprs) = (SgprMap::new(), VgprMap::new());
    let fifth = if gfx.major() >= 11 { SgprItem::WaveIdInGroup } else { SgprItem::ScratchOffset };
    sgprs.next(SgprItem::AddressPair, 2).verified = false;
    for item in [SgprItem::TessellationOffset, SgprItem::MergedWaveInfo, SgprItem::FactorOffset, fifth] {
        sgprs.next(item, 1).verified = false;
    }
    sgprs.next(SgprItem::Unused, 2).verified = false;
    sgprs.user_data(Stage::Hull.first_user_sgpr(), program);
    row(&mut vgprs, 0, &[VgprItem::PatchId, VgprItem::RelativeIds], 1, false);
    let items = match gfx.major() {
        9 => [VgprItem::VertexId, VgprItem::RelativeIndex, VgprItem::InstanceId, VgprItem::InstanceId],
        12 => [VgprItem::VertexId, VgprItem::InstanceId, VgprItem::InstanceId, VgprItem::InstanceId],
        _ => [VgprItem::VertexId, VgprItem::RelativeIndex, VgprItem::UserVgpr, VgprItem::InstanceId],
    };
    row(&mut vgprs, 2, &items, patches.vertex_components(gfx), false);
    WaveStart { sgprs, vgprs, ids_in_ttmp: false }
}

/// The inputs of an evaluation shader.
const EVALUATION: [VgprItem; 4] = [VgprItem::PatchU, VgprItem::PatchV, VgprItem::RelativePatchId, VgprItem::PatchId];

/// The first VGPR of a vertex's inputs on NGG, after those of the primitive.
const NGG_VERTEX: u32 = 5;
const NGG_VERTEX_GFX12: u32 = 3;

/// VGPR_COMP_CNT says how many of a row of inputs are loaded: all up to the last that is wanted.
fn row(vgprs: &mut VgprMap, first: u32, items: &[VgprItem], last: u32, verified: bool) {
    for (at, item) in items.iter().take(last as usize + 1).enumerate() {
        vgprs.put(*item, first + at as u32, 1).verified = verified;
    }
}

pub(crate) fn vertex_wave(desc: &EffectiveDraw<'_>, path: VertexPath, chip: Chip) -> WaveStart {
    let (gfx, stage) = (chip.gfx(), &desc.vertex);
    let program = &stage.program;
    let (tessellates, geometry) = (desc.tessellation.is_some(), desc.geometry.is_some());
    let input = InputPrimitive::of_draw(desc);
    let vertex = front::vertex_components(desc, path, gfx);
    let primitive = front::primitive_components(desc, input, gfx);
    let (mut sgprs, mut vgprs) = (SgprMap::new(), VgprMap::new());
    match path {
        VertexPath::Legacy if !geometry => {
            sgprs.user_data(0, program);
            if let Some(streamout) = stage.streamout.filter(|streamout| streamout.buffers() != 0) {
                // Their order, and their order relative to the tessellation offset, is unverified.
                sgprs.next(SgprItem::Streamout, 2 + streamout.buffers().count_ones()).verified = false;
            }
            if tessellates {
                sgprs.next(SgprItem::TessellationOffset, 1).verified = false;
            }
            if program.scratch_bytes != 0 {
                sgprs.next(SgprItem::ScratchOffset, 1);
            }
            let items = match gfx.major() {
                _ if tessellates => EVALUATION,
                9 => [VgprItem::VertexId, VgprItem::InstanceId, VgprItem::PrimitiveId, VgprItem::InstanceId],
                _ => [VgprItem::VertexId, VgprItem::UserVgpr, VgprItem::PrimitiveId, VgprItem::InstanceId],
            };
            row(&mut vgprs, 0, &items, vertex, true);
        }
        // A geometry shader without NGG starts as one with NGG does (Mesa 25.0.7 radv_shader_args.c): its inputs are those of the merged stage.
        VertexPath::Legacy | VertexPath::Ngg => {
            // Mesa 25.0.7 radv_shader_args.c; shader-author's names.
            let fifth = if gfx.major() >= 11 { SgprItem::AttributeOffset } else { SgprItem::ScratchOffset };
            sgprs.next(SgprItem::AddressPair, 2);
            for item in [SgprItem::SubgroupInfo, SgprItem::MergedWaveInfo, SgprItem::TessellationOffset, fifth] {
                sgprs.next(item, 1);
            }
            sgprs.next(SgprItem::Unused, 2);
            sgprs.user_data(Stage::Ngg.first_user_sgpr(), program);
            if gfx.major() == 12 {
                // Unverified: Mesa is the only source.
                let items = [VgprItem::VertexOffsets012, VgprItem::PrimitiveId, VgprItem::VertexOffsets345];
                row(&mut vgprs, 0, &items, primitive, false);
                let plain = [VgprItem::VertexId, VgprItem::InstanceId, VgprItem::InstanceId, VgprItem::InstanceId];
                row(&mut vgprs, NGG_VERTEX_GFX12, if tessellates { &EVALUATION } else { &plain }, vertex, false);
            } else {
                let head = if front::passes_through(desc) { VgprItem::PassthroughPrimitive } else { VgprItem::VertexOffsets01 };
                let items = [head, VgprItem::VertexOffsets23, VgprItem::PrimitiveId, VgprItem::InvocationId];
                row(&mut vgprs, 0, &items, primitive, true);
                if geometry && input.vertices > 4 {
                    vgprs.put(VgprItem::VertexOffsets45, 4, 1).verified = false;
                }
                let plain = match gfx.major() {
                    9 => [VgprItem::VertexId, VgprItem::InstanceId, VgprItem::InstanceId, VgprItem::InstanceId],
                    _ => [VgprItem::VertexId, VgprItem::UserVgpr, VgprItem::UserVgpr, VgprItem::InstanceId],
                };
                row(&mut vgprs, NGG_VERTEX, if tessellates { &EVALUATION } else { &plain }, vertex, !tessellates);
            }
        }
    }
    WaveStart { sgprs, vgprs, ids_in_ttmp: false }
}

impl DispatchDesc {
    /// Returns the initial registers of a compute wave.
    ///
    /// # Errors
    /// The errors of [`resolve_dispatch`](crate::draw::resolve_dispatch).
    pub fn wave(&self, chip: Chip) -> Result<WaveStart, DrawError> {
        self.check(chip)?;
        Ok(compute_wave(self, chip))
    }
}

pub(crate) fn compute_wave(desc: &DispatchDesc, chip: Chip) -> WaveStart {
    let gfx = chip.gfx();
    let (mut sgprs, mut vgprs) = (SgprMap::new(), VgprMap::new());
    sgprs.user_data(0, &desc.program);
    let ids = [SgprItem::WorkgroupIdX, SgprItem::WorkgroupIdY, SgprItem::WorkgroupIdZ];
    if gfx.major() < 12 {
        for (item, _) in ids.into_iter().zip(desc.workgroup_ids).filter(|(_, wanted)| *wanted) {
            sgprs.next(item, 1);
        }
    }
    if desc.workgroup_info {
        sgprs.next(SgprItem::WorkgroupInfo, 1).verified = gfx.major() < 12;
    }
    if desc.program.scratch_bytes != 0 && gfx.major() < 11 {
        sgprs.next(SgprItem::ScratchOffset, 1);
    }
    if gfx.major() >= 11 {
        vgprs.next(VgprItem::ThreadIds, 1);
    } else {
        row(&mut vgprs, 0, &[VgprItem::ThreadIdX, VgprItem::ThreadIdY, VgprItem::ThreadIdZ], desc.thread_ids - 1, true);
    }
    WaveStart { sgprs, vgprs, ids_in_ttmp: gfx.major() >= 12 }
}

/// VGPRs that a compute wave starts with.
pub(crate) fn compute_vgprs(desc: &DispatchDesc, gfx: Gfx) -> u32 {
    if gfx.major() >= 11 { 1 } else { desc.thread_ids }
}

/// VGPRs that a wave of vertex work starts with: those of the primitive, which leave room up to a fixed place, then those of the vertex.
pub(crate) fn vertex_vgprs(desc: &EffectiveDraw<'_>, path: VertexPath, gfx: Gfx) -> u32 {
    let first = match (path, gfx.major()) {
        (VertexPath::Legacy, _) if desc.geometry.is_none() => 0,
        (_, 12) => NGG_VERTEX_GFX12,
        _ => NGG_VERTEX,
    };
    first + front::vertex_components(desc, path, gfx) + 1
}

/// Room that a set of pixel inputs takes.
pub(crate) fn pixel_vgprs(addr: PixelLoads) -> u32 {
    PixelInput::all().filter(|input| addr.has(*input)).map(PixelInput::vgprs).sum()
}

/// VGPRs that a wave of the merged program starts with: patch and control point, then the inputs of a vertex.
pub(crate) fn hull_vgprs(stage: &Tessellation, gfx: Gfx) -> u32 {
    2 + stage.vertex_components(gfx) + 1
}
