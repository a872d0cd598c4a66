//! Geometry shaders: their description, and how many primitives and vertices share a workgroup.
//!
//! Rules: Mesa 25.0.7 radv_get_legacy_gs_info, gfx10_get_ngg_info, radv_precompute_registers_hw_gs; captures of four boards agree.

use crate::chip::{Chip, Gfx};
use crate::draw::desc::error::DrawError;
use crate::draw::desc::program::Program;
use crate::draw::desc::topology::{Class, InputPrimitive, Topology};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A geometry shader. The draw's [`VertexStage`](crate::draw::VertexStage) is then the merged program of vertex or evaluation shader and geometry shader, and
/// states the exports of the geometry shader.
///
/// On the legacy pipe ([`VertexPath::Legacy`](crate::draw::VertexPath::Legacy), GFX9 to GFX10.3) the program writes vertices into a ring in memory, and a copy program
/// (`copy_program`) takes them from there to the rasterizer.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, GeometryStage, PipelineDesc};
/// let draw =
///     DrawDesc::from(PipelineDesc { geometry: Some(GeometryStage { max_vertices: 4, ..GeometryStage::default() }), ..PipelineDesc::default() });
/// let resolved = draw.resolve(Chip::Navi31)?;
/// assert_eq!(resolved.image.get(0x28B38), Some(4)); // VGT_GS_MAX_VERT_OUT
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GeometryStage {
    /// Kind of primitives that the shader makes.
    pub output: GeometryOutput,
    /// Maximum number of vertices that an invocation emits: 1 to 256 with NGG, 1 to 1024 without.
    pub max_vertices: u32,
    /// Invocations per primitive: 1 to 127, on GFX12 1 to 63.
    pub invocations: u32,
    /// Whether the shader reads its invocation number.
    pub reads_invocation_id: bool,
    /// Whether the shader reads its primitive index.
    pub reads_primitive_id: bool,
    /// Dwords of a vertex that the vertex or evaluation shader passes on in LDS: at most 8192. One dword more than the outputs need puts vertices into
    /// different banks.
    pub input_dwords: u32,
    /// Dwords of an emitted vertex, for each of the four vertex streams. NGG stores them in LDS, the legacy pipe in the ring, where the sum over all streams
    /// times `max_vertices` is at most 32767.
    pub vertex_dwords: [u32; 4],
    /// The program on the hardware VS that copies vertices from the ring; not used with NGG.
    pub copy_program: Program,
}

impl Default for GeometryStage {
    /// Returns a shader with one invocation that emits three vertices of triangles, with only a position.
    fn default() -> Self {
        Self {
            output: GeometryOutput::Triangles,
            max_vertices: 3,
            invocations: 1,
            reads_invocation_id: false,
            reads_primitive_id: false,
            input_dwords: 5,
            vertex_dwords: [4, 0, 0, 0],
            copy_program: Program::default(),
        }
    }
}

/// Primitives that a geometry or mesh shader makes. A geometry shader makes strips.
///
/// For an example see [`GeometryStage::legacy_group`](crate::draw::GeometryStage::legacy_group).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GeometryOutput {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Triangles.
    #[default]
    Triangles,
}

impl GeometryOutput {
    pub(crate) fn class(self) -> Class {
        match self {
            Self::Points => Class::Points,
            Self::Lines => Class::Lines,
            Self::Triangles => Class::Polygons,
        }
    }
}

/// How primitives share a workgroup of a geometry shader without NGG, in which ES and GS exchange vertices through LDS.
///
/// For an example see [`GeometryStage::legacy_group`](crate::draw::GeometryStage::legacy_group).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LegacyGroup {
    /// Number of vertices after which hardware accepts no further primitive (ES_VERTS_PER_SUBGRP).
    pub vertices: u32,
    /// Number of primitives (GS_PRIMS_PER_SUBGRP).
    pub primitives: u32,
    /// LDS of the group in bytes.
    pub lds_bytes: u32,
}

/// How primitives share a subgroup of NGG.
///
/// For an example see [`GeometryStage::ngg_group`](crate::draw::GeometryStage::ngg_group).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NggGroup {
    /// Number of input vertices.
    pub vertices: u32,
    /// Number of vertices after which hardware accepts no further primitive.
    pub hardware_vertices: u32,
    /// Number of input primitives, 1 to 256.
    pub primitives: u32,
    /// Invocations per primitive.
    pub invocations: u32,
    /// Number of output vertices, up to 256.
    pub output_vertices: u32,
    /// Maximum number of output primitives per input primitive.
    pub amplification: u32,
    /// Maximum number of vertices that an invocation may emit; None without a geometry shader.
    pub max_emitted: Option<u32>,
    /// Whether each invocation has a separate subgroup.
    pub one_invocation_each: bool,
    /// LDS in bytes, without what the program itself needs.
    pub lds_bytes: u32,
}

/// LDS of a group in dwords.
pub(crate) const LDS_DWORDS: u32 = 8192;
/// LDS that NGG groups leave free for data of the program other than vertices, in dwords (Mesa 25.0.7).
const LDS_RESERVE: u32 = 768;

impl GeometryStage {
    /// Returns how primitives share a workgroup without NGG; None if not even one primitive fits.
    ///
    /// ```
    /// use pm4::draw::{GeometryOutput, GeometryStage, LegacyGroup, Topology};
    /// let shader = GeometryStage { output: GeometryOutput::Triangles, input_dwords: 16, max_vertices: 4, ..GeometryStage::default() };
    /// let group = shader.legacy_group(Topology::TriangleList).unwrap();
    /// assert_eq!(group, LegacyGroup { primitives: 64, vertices: 190, lds_bytes: 4 * 3072 });
    /// ```
    pub fn legacy_group(&self, topology: Topology) -> Option<LegacyGroup> {
        self.legacy(InputPrimitive::of_topology(topology))
    }

    pub(crate) fn legacy(&self, input: InputPrimitive) -> Option<LegacyGroup> {
        let (invocations, fewest) = (self.invocations.max(1), input.fewest().max(1));
        let by_count = if input.adjacency || invocations > 1 { 127 / invocations } else { 255 };
        let most = by_count.min((32 * 1024) / (self.max_vertices.max(1).checked_mul(invocations)?));
        let vertices_of = |primitives: u32| (fewest * primitives).min(255);
        let mut primitives = most.min(64);
        if self.input_dwords.saturating_mul(vertices_of(primitives)) > LDS_DWORDS {
            primitives = (LDS_DWORDS / self.input_dwords.saturating_mul(fewest).max(1)).min(most);
        }
        let vertices = vertices_of(primitives);
        let fits = primitives > 0 && vertices >= input.vertices;
        fits.then(|| LegacyGroup { vertices: vertices - (input.vertices - 1), primitives, lds_bytes: 4 * self.input_dwords.saturating_mul(vertices) })
    }

    /// Returns how primitives of a topology share an NGG subgroup on a chip.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{GeometryStage, NggGroup, Topology, WaveSize};
    /// let shader = GeometryStage { max_vertices: 6, ..GeometryStage::default() };
    /// let group: NggGroup = shader.ngg_group(Chip::Navi31, Topology::TriangleList, WaveSize::W64).unwrap();
    /// assert_eq!((group.vertices, group.primitives, group.output_vertices), (126, 42, 252));
    /// ```
    ///
    /// # Errors
    /// [`DrawError::Stages`] if not even one primitive fits.
    pub fn ngg_group(&self, chip: Chip, topology: Topology, wave: crate::isa::WaveSize) -> Result<NggGroup, DrawError> {
        self.ngg(chip, InputPrimitive::of_topology(topology), wave.lanes(), false)
    }

    pub(crate) fn ngg(&self, chip: Chip, input: InputPrimitive, wave: u32, tessellates: bool) -> Result<NggGroup, DrawError> {
        let (emitted, invocations) = (self.max_vertices.max(1), self.invocations.max(1));
        let all = emitted.saturating_mul(invocations);
        let gfx10 = chip.gfx().major() == 10;
        // Hardware does not support a separate subgroup per invocation there (Mesa 25.0.7 radv_fill_shader_info_ngg: "it might hang"; radeonsi
        // tess_turns_off_ngg).
        let apart_fails = gfx10 && tessellates;
        if all > 256 && apart_fails {
            let why = "NGG with tessellation takes at most 256 vertices from all invocations of a primitive together: VertexPath::Legacy takes more";
            return Err(DrawError::Stages { what: "the vertices of a geometry shader", why });
        }
        let limits = |emitted: u32, primitives: u32| GroupLimits {
            room: LDS_DWORDS - LDS_RESERVE,
            of_vertex: self.input_dwords,
            of_primitive: self.vertex_dwords.iter().fold(1, |sum: u32, dwords| sum.saturating_add(*dwords)).saturating_mul(emitted),
            vertices: 128.min(251 + input.vertices - 1),
            primitives,
            least_vertices: least_vertices(chip.gfx(), input.vertices),
            input,
        };
        let (together, apart) = (limits(all, (256 / all).min(128)), limits(emitted, 1));
        // LLPC (PatchResourceCollect.cpp) asserts at least 3 primitives with tessellation, or a subgroup per invocation, but does not enforce it; Mesa has no
        // such rule.
        let found = match together.fit(Some(wave)) {
            Some(counts) => Some((counts, false)),
            None if apart_fails => None,
            // Also if the vertices of all invocations do not fit into LDS (radeonsi 25.0.7 gfx10_ngg_calculate_subgroup_info).
            None => apart.fit(None).map(|counts| (counts, true)),
        };
        let why = match gfx10 && self.legacy(input).is_some() {
            true => "one primitive does not fit into the LDS of an NGG subgroup: VertexPath::Legacy keeps emitted vertices in memory",
            false => "one primitive does not fit into the LDS of an NGG subgroup",
        };
        let ((vertices, primitives), alone) = found.ok_or(DrawError::Stages { what: "a geometry shader", why })?;
        Ok(NggGroup {
            vertices,
            hardware_vertices: hardware_vertices(chip.gfx(), vertices, input.vertices),
            primitives,
            invocations,
            output_vertices: if alone { emitted } else { primitives * all },
            amplification: emitted,
            max_emitted: Some(emitted),
            one_invocation_each: alone,
            lds_bytes: 4 * if alone { apart } else { together }.dwords(vertices, primitives),
        })
    }

    /// Returns the dwords of a ring item: all vertices of all streams (VGT_GSVS_RING_ITEMSIZE).
    pub(crate) fn ring_dwords(&self) -> u32 {
        self.vertex_dwords.iter().fold(0, |sum: u32, dwords| sum.saturating_add(dwords.saturating_mul(self.max_vertices)))
    }

    /// Returns the size in bytes of the ring that the legacy pipe needs on a board with this number of shader engines (Mesa 25.0.7): room for all waves that
    /// may be in flight.
    ///
    /// ```
    /// use pm4::draw::GeometryStage;
    /// let shader = GeometryStage { max_vertices: 6, ..GeometryStage::default() };
    /// assert_eq!(shader.ring_bytes(4), 0x18_0000);
    /// ```
    pub fn ring_bytes(&self, shader_engines: u32) -> u32 {
        let engines = u64::from(shader_engines.clamp(1, 32));
        let wanted = 32 * engines * 2 * 64 * 4 * u64::from(self.ring_dwords());
        // Below 2^31 for 32 engines.
        let most = (64 * 1024 * 1024 - 64 * 1024) * engines;
        wanted.min(most) as u32
    }

    /// Returns GS_VGPR_COMP_CNT, which is the last input of a primitive that the program reads (Mesa 25.0.7 radv_postprocess_config, ac_nir).
    pub(crate) fn primitive_components(&self, gfx: Gfx, input: InputPrimitive) -> u32 {
        match gfx.major() {
            // Offsets 0 to 2 and the invocation; the index; offsets 3 to 5.
            12 if input.vertices >= 4 => 2,
            12 => u32::from(self.reads_primitive_id),
            _ if self.reads_invocation_id => 3,
            _ if self.reads_primitive_id => 2,
            _ => u32::from(input.vertices >= 3),
        }
    }
}

/// The limits of an NGG subgroup: LDS in dwords, and counts.
struct GroupLimits {
    room: u32,
    /// LDS of an input vertex.
    of_vertex: u32,
    /// LDS of an input primitive, for the vertices that it emits.
    of_primitive: u32,
    vertices: u32,
    primitives: u32,
    least_vertices: u32,
    input: InputPrimitive,
}

impl GroupLimits {
    /// Returns the LDS of a number of vertices and primitives. Vertices beyond those that the primitives can have do not count: hardware accepts no fewer, but
    /// nothing uses them (Mesa 25.0.7).
    fn dwords(&self, vertices: u32, primitives: u32) -> u32 {
        self.usable(vertices, primitives).saturating_mul(self.of_vertex).saturating_add(primitives.saturating_mul(self.of_primitive))
    }

    fn usable(&self, vertices: u32, primitives: u32) -> u32 {
        vertices.min(primitives.saturating_mul(self.input.vertices))
    }

    /// Returns how many items of a size fit into the remaining LDS.
    fn left(&self, taken: u32, size: u32) -> u32 {
        self.room.saturating_sub(taken).checked_div(size).unwrap_or(u32::MAX)
    }

    /// Limits primitives to what the vertices allow, given that each primitive shares all but one (with adjacency, all but two) of its vertices with the
    /// previous one.
    fn shared(&self, primitives: u32, vertices: u32) -> u32 {
        let reuse = vertices.saturating_sub(self.input.vertices.max(1) / if self.input.adjacency { 2 } else { 1 });
        primitives.min(1 + if self.input.adjacency { reuse / 2 } else { reuse })
    }

    /// Returns the vertices and primitives of a subgroup, rounded up to full waves of `lanes` lanes if they fit; None if not even one primitive fits.
    fn fit(&self, wave: Option<u32>) -> Option<(u32, u32)> {
        let per_primitive = self.input.vertices;
        let mut vertices = self.vertices.min(self.left(0, self.of_vertex));
        let mut primitives = self.primitives.min(self.left(0, self.of_primitive));
        vertices = vertices.min(primitives.saturating_mul(per_primitive));
        primitives = self.shared(primitives, vertices);
        let total = self.dwords(vertices, primitives);
        if total > self.room {
            let scaled = |count: u32| (u64::from(count) * u64::from(self.room) / u64::from(total)) as u32;
            (vertices, primitives) = (scaled(vertices), scaled(primitives));
            vertices = vertices.min(primitives.saturating_mul(per_primitive));
            primitives = self.shared(primitives, vertices);
        }
        if let Some(wave) = wave {
            // Both numbers only grow towards bounds; the number of rounds is limited anyway.
            for _ in 0..16 {
                let before = (vertices, primitives);
                vertices = vertices.next_multiple_of(wave).min(self.vertices).min(self.left(primitives.saturating_mul(self.of_primitive), self.of_vertex));
                vertices = vertices.min(primitives.saturating_mul(per_primitive)).max(self.least_vertices);
                primitives = primitives.next_multiple_of(wave).min(self.primitives);
                let taken = self.usable(vertices, primitives).saturating_mul(self.of_vertex);
                primitives = primitives.min(self.left(taken, self.of_primitive));
                primitives = self.shared(primitives, vertices);
                if before == (vertices, primitives) {
                    break;
                }
            }
        }
        vertices = vertices.max(self.least_vertices);
        (primitives >= 1 && vertices >= per_primitive && self.dwords(vertices, primitives) <= self.room).then_some((vertices, primitives))
    }
}

/// Returns the limit of vertices in the registers of the geometry engine: GFX10.1 checks only after a full primitive, which must still fit (Mesa 25.0.7
/// gfx10_get_ngg_info).
fn hardware_vertices(gfx: Gfx, vertices: u32, per_primitive: u32) -> u32 {
    if gfx.version() == (10, 1) { vertices.saturating_sub(per_primitive - 1) } else { vertices }
}

/// Returns the minimum number of vertices of a subgroup (Mesa 25.0.7): 24 (GFX10.1, as hardware counts them), 29 (GFX10.3), one primitive later.
fn least_vertices(gfx: Gfx, per_primitive: u32) -> u32 {
    match gfx.version() {
        (10, 1) => 23 + per_primitive,
        (10, _) => 29,
        _ => per_primitive,
    }
}
