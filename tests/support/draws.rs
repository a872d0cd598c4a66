//! Random draw descriptions, most of them valid, and ways to shrink them.

use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// A chip and a draw that it supports.
#[derive(Debug, Clone)]
pub struct Case {
    pub chip: Chip,
    pub desc: DrawDesc,
}

impl Case {
    pub fn resolve(&self) -> Resolved {
        self.desc.resolve(self.chip).unwrap_or_else(|e| panic!("{} refuses {:?}: {e}", self.chip, self.desc))
    }
}

/// Any description; half of them break some rule.
#[derive(Debug, Clone)]
pub struct AnyDraw {
    pub chip: Chip,
    pub desc: DrawDesc,
}

pub fn pick<T: Copy>(g: &mut Gen, of: &[T]) -> T {
    *g.choose(of).expect("a list to choose from")
}

pub fn any<T: IntoEnumIterator + Copy>(g: &mut Gen) -> T {
    let all: Vec<T> = T::iter().collect();
    pick(g, &all)
}

fn one_in(g: &mut Gen, n: u32) -> bool {
    u32::arbitrary(g) % n == 0
}

/// Returns rings for any chip, for a board with 4 shader engines.
pub fn queue_memory() -> QueueMemory {
    let attributes = Some(AttributeRing { address: 0x40_0000, bytes: 0x10_0000 });
    let tessellation = Some(TessellationRings { address: 0x800_0000, factor_dwords: 12288, buffers: 256, shader_engines: 4 });
    QueueMemory { attributes, geometry: Some(GeometryRings::at(0x100_0000, 4)), tessellation, geometry_shader_ring: Some(0x10_0000), ..QueueMemory::default() }
}

fn tessellation(g: &mut Gen, chip: Chip) -> Tessellation {
    let mut tessellation = Tessellation {
        program: Program { lds_bytes: pick(g, &[0, 0, 16, 4096]), ..program(g, chip, 32) },
        reads_instance_id: bool::arbitrary(g),
        input_points: 1 + u32::arbitrary(g) % 32,
        output_points: 1 + u32::arbitrary(g) % 32,
        lds_bytes_per_point: u32::arbitrary(g) % 256,
        lds_bytes_per_patch: u32::arbitrary(g) % 1024,
        offchip_bytes_per_patch: u32::arbitrary(g) % 8192,
        domain: any(g),
        spacing: any(g),
        winding: any(g),
        point_mode: one_in(g, 6),
        lower_left_origin: bool::arbitrary(g),
        reads_patch_id: one_in(g, 3),
        evaluation_reads_patch_id: one_in(g, 3),
    };
    values_of_draws(g, &mut tessellation.program.user_data);
    tessellation
}

fn geometry(g: &mut Gen, chip: Chip) -> GeometryStage {
    GeometryStage {
        output: any(g),
        max_vertices: pick(g, &[1, 3, 4, 6, 30, 64, 100, 256]),
        invocations: pick(g, &[1, 1, 1, 2, 4, 32]),
        reads_invocation_id: bool::arbitrary(g),
        reads_primitive_id: bool::arbitrary(g),
        input_dwords: 1 + u32::arbitrary(g) % 40,
        vertex_dwords: [4 + u32::arbitrary(g) % 8, pick(g, &[0, 0, 2]), 0, pick(g, &[0, 0, 1])],
        copy_program: Program { lds_bytes: 0, ..program(g, chip, 32) },
    }
}

fn mesh(g: &mut Gen) -> MeshStage {
    MeshStage {
        workgroup: pick(g, &[[32, 1, 1], [128, 1, 1], [8, 8, 4], [1, 1, 1], [1, 64, 1]]),
        output: any(g),
        max_vertices: 1 + u32::arbitrary(g) % 256,
        max_primitives: 1 + u32::arbitrary(g) % 256,
        primitive_payload: bool::arbitrary(g),
        scratch_ring: bool::arbitrary(g),
    }
}

/// Returns the same draw with stages other than vertex shaders, usually in a valid combination.
fn with_stages(g: &mut Gen, chip: Chip, mut desc: DrawDesc) -> DrawDesc {
    let ngg = match desc.pipeline.vertex.path {
        None => chip.gfx() > Gfx::Gfx9,
        Some(path) => path == VertexPath::Ngg,
    };
    let mesh = (ngg && chip.gfx() >= Gfx::Gfx103 && one_in(g, 8)).then(|| mesh(g));
    let tessellation = (mesh.is_none() && one_in(g, 4)).then(|| tessellation(g, chip));
    let geometry = (mesh.is_none() && one_in(g, 4)).then(|| geometry(g, chip));
    let (tessellates, shader, meshes) = (tessellation.is_some(), geometry.is_some(), mesh.is_some());
    (desc.pipeline.tessellation, desc.pipeline.geometry, desc.pipeline.mesh) = (tessellation, geometry, mesh);
    if one_in(g, 40) {
        return desc;
    }
    match desc.pipeline.topology {
        _ if tessellates => desc.pipeline.topology = Topology::PatchList,
        Topology::PatchList => desc.pipeline.topology = Topology::TriangleList,
        Topology::RectList if shader => desc.pipeline.topology = Topology::TriangleStrip,
        _ => {}
    }
    let vertex = &mut desc.pipeline.vertex;
    let can = !meshes && (chip.gfx() >= Gfx::Gfx11 || vertex.path == Some(VertexPath::Legacy) || chip.gfx() == Gfx::Gfx9);
    vertex.streamout = (can && one_in(g, 6)).then(|| streamout(g, shader));
    if tessellates || meshes {
        vertex.reads_instance_id = false;
    }
    if shader || meshes {
        (vertex.exports_primitive_id, vertex.culling) = (false, false);
        vertex.program.lds_bytes %= 2048;
    }
    if shader && !ngg {
        (vertex.program.wave, vertex.program.shared_vgprs) = (WaveSize::W64, 0);
    }
    let of_draws = [UserData::BaseVertex, UserData::FirstInstance, UserData::DrawIndex];
    let unwanted = |data: &UserData| of_draws.contains(data) && (tessellates || meshes && *data != UserData::DrawIndex);
    vertex.program.user_data.iter_mut().filter(|data| unwanted(data)).for_each(|data| *data = UserData::Keep);
    if let (true, true, Some(three)) = (meshes, bool::arbitrary(g), vertex.program.user_data.get_mut(..3)) {
        three.copy_from_slice(&[UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ]);
    }
    desc
}

/// Returns a program that a stage of the chip can run, with at most `user_sgprs` user SGPRs.
pub fn program(g: &mut Gen, chip: Chip, user_sgprs: u32) -> Program {
    let later = chip.gfx() >= Gfx::Gfx10;
    let wave = if later && bool::arbitrary(g) { WaveSize::W32 } else { WaveSize::W64 };
    Program {
        address: bool::arbitrary(g).then(|| address(g)),
        wave,
        vgprs: 1 + u32::arbitrary(g) % 256,
        shared_vgprs: if later && wave == WaveSize::W64 { u32::arbitrary(g) % 16 * 8 } else { 0 },
        sgprs: u32::arbitrary(g) % 103,
        reserved_sgprs: pick(g, &[2, 4, 6]),
        lds_bytes: if bool::arbitrary(g) { 0 } else { u32::arbitrary(g) % 65537 },
        scratch_bytes: if bool::arbitrary(g) { 0 } else { u32::arbitrary(g) % 100_000 },
        prefetch_bytes: if chip.gfx().major() >= 11 && bool::arbitrary(g) { u32::arbitrary(g) % 40_000 } else { 0 },
        address_pair: bool::arbitrary(g).then(|| u64::arbitrary(g)),
        user_data: (0..u32::arbitrary(g) % (user_sgprs + 1)).map(|_| Option::arbitrary(g).map_or(UserData::Keep, UserData::Word)).collect(),
        float_mode: FloatMode(u8::arbitrary(g)),
        ieee: bool::arbitrary(g),
        dx10_clamp: bool::arbitrary(g),
        fp16_overflow: bool::arbitrary(g),
        memory_ordered: Option::arbitrary(g),
        forward_progress: false,
        wave_limit: bool::arbitrary(g).then(|| 1 + u32::arbitrary(g) % if chip.gfx() == Gfx::Gfx12 { 1023 } else { 1008 }),
        cu_mask: bool::arbitrary(g).then(|| u32::arbitrary(g) | 1),
    }
}

/// Reserves some user SGPRs of a vertex program for values of draw calls.
pub fn values_of_draws(g: &mut Gen, user_data: &mut [UserData]) {
    for item in [UserData::BaseVertex, UserData::FirstInstance, UserData::DrawIndex, UserData::ViewIndex] {
        let at = usize::arbitrary(g) % (2 * user_data.len().max(1));
        user_data.get_mut(at).into_iter().for_each(|data| *data = item);
    }
}

pub fn scratch(g: &mut Gen) -> Option<ScratchRing> {
    Some(ScratchRing { address: address(g), waves: 1 + u32::arbitrary(g) % 4095 })
}

pub fn board(g: &mut Gen) -> Option<Board> {
    bool::arbitrary(g).then(|| Board { shader_engines: pick(g, &[1, 2, 4, 6]), arrays_per_engine: pick(g, &[1, 2]), cus_per_array: 1 + u32::arbitrary(g) % 16 })
}

/// Returns vertex work that the chip supports.
pub fn vertex(g: &mut Gen, chip: Chip) -> VertexStage {
    let gfx = chip.gfx();
    let path = pick(g, &[None, None, Some(VertexPath::Legacy), Some(VertexPath::Ngg)]).filter(|path| match path {
        VertexPath::Legacy => gfx <= Gfx::Gfx103,
        VertexPath::Ngg => gfx >= Gfx::Gfx10,
    });
    let hardware = path.unwrap_or(if gfx == Gfx::Gfx9 { VertexPath::Legacy } else { VertexPath::Ngg }) == VertexPath::Legacy;
    let parameters = u32::arbitrary(g) % 33;
    let mut vertex = VertexStage {
        program: program(g, chip, 32),
        path,
        reads_instance_id: bool::arbitrary(g),
        exports_primitive_id: parameters > 0 && bool::arbitrary(g),
        parameters,
        outputs: VertexOutputs {
            point_size: bool::arbitrary(g),
            edge_flag: bool::arbitrary(g),
            layer: bool::arbitrary(g),
            viewport: bool::arbitrary(g),
            shading_rate: gfx >= Gfx::Gfx103 && bool::arbitrary(g),
            clip_distances: pick(g, &[0, 0, 1, 0x3F, 0xFF]),
            cull_distances: pick(g, &[0, 0, 0, 0xF0]),
        },
        culling: !hardware && bool::arbitrary(g),
        subgroup: Subgroup { vertices: 29 + u32::arbitrary(g) % 228, primitives: 1 + u32::arbitrary(g) % 256 },
        streamout: None,
    };
    values_of_draws(g, &mut vertex.program.user_data);
    if hardware {
        vertex.program.lds_bytes = 0;
    }
    vertex
}

/// Returns streamout for a program of this path; `several` for geometry shaders with several streams.
fn streamout(g: &mut Gen, several: bool) -> Streamout {
    let mut stride = |most: u32| 4 + u32::arbitrary(g) % most * 4;
    match several {
        false => Streamout { strides: [stride(127), 0, stride(127), 0], streams: [0b0101, 0, 0, 0], rasterized_stream: 0 },
        true => Streamout { strides: [stride(127), stride(127), 0, stride(8)], streams: [0b0001, 0b1000, 0, 0b0010], rasterized_stream: 3 },
    }
}

/// Returns inputs that read the exports of a vertex stage.
pub fn inputs(g: &mut Gen, chip: Chip, parameters: u32) -> PixelInputs {
    let interpolants = match parameters {
        0 => vec![],
        n => (0..u32::arbitrary(g) % 33)
            .map(|_| Interpolant { flat: bool::arbitrary(g), half: one_in(g, 4), ..Interpolant::parameter((u32::arbitrary(g) % n) as u8) })
            .collect(),
    };
    PixelInputs {
        interpolants,
        loads: PixelLoads::from_bits(u16::arbitrary(g)),
        room: bool::arbitrary(g).then_some(PixelLoads::from_bits(0xFFFF)),
        wave_count: bool::arbitrary(g),
        provoking_vertex: chip.gfx() >= Gfx::Gfx103 && bool::arbitrary(g),
    }
}

fn shader(g: &mut Gen, chip: Chip, parameters: u32) -> PixelShader {
    PixelShader {
        program: program(g, chip, 32),
        inputs: inputs(g, chip, parameters),
        exports: None,
        writes_memory: bool::arbitrary(g),
        early_fragment_tests: one_in(g, 3),
        post_depth_coverage: chip.gfx() > Gfx::Gfx9 && one_in(g, 5),
        reads_inner_coverage: false,
        can_discard: one_in(g, 3),
        writes_depth: one_in(g, 4),
        depth_layout: any(g),
        writes_stencil: one_in(g, 6),
        writes_sample_mask: one_in(g, 4),
        reads_sample_mask: one_in(g, 6),
        reads_depth_target: false,
        sample_shading: one_in(g, 4),
        ordered_section_removed: one_in(g, 5),
    }
}

fn blend(g: &mut Gen, dual_source: bool) -> Blend {
    if one_in(g, 2) {
        return Blend::SOURCE_OVER;
    }
    let mut half = || (any(g), any(g), any(g));
    let blend = Blend { color: half(), alpha: half() };
    if blend.is_dual_source() && !dual_source { Blend::SOURCE_OVER } else { blend }
}

fn address(g: &mut Gen) -> u64 {
    (u64::arbitrary(g) & 0xffff_ffff_ffff) & !0xff
}

/// Returns the number of swizzle modes of a generation.
fn modes(gfx: Gfx) -> u8 {
    if gfx == Gfx::Gfx12 { 8 } else { 32 }
}

fn surface(g: &mut Gen, gfx: Gfx) -> Surface {
    let (first, last_level) = (u32::arbitrary(g) % 2048, u32::arbitrary(g) % 15);
    Surface {
        address: address(g),
        stencil_address: address(g),
        pitch: (gfx == Gfx::Gfx9 && one_in(g, 3)).then(|| 1 + u32::arbitrary(g) % 65536),
        stencil_pitch: (gfx == Gfx::Gfx9 && one_in(g, 3)).then(|| 1 + u32::arbitrary(g) % 65536),
        swizzle: u8::arbitrary(g) % modes(gfx),
        stencil_swizzle: one_in(g, 3).then(|| u8::arbitrary(g) % modes(gfx)),
        layers: (first, first + u32::arbitrary(g) % (2048 - first)),
        level: u32::arbitrary(g) % (last_level + 1),
        last_level,
    }
}

fn target(g: &mut Gen, gfx: Gfx, alone: bool, samples: u32) -> (TargetImage, TargetBlend) {
    let format: ColorFormat = if one_in(g, 2) { ColorFormat::Rgba8 } else { any(g) };
    let format = if format.is_for_targets(gfx) { format } else { ColorFormat::Rgba8 };
    let fewer: Vec<u32> = [1, 2, 4, 8].into_iter().filter(|n| *n <= samples).collect();
    let own = (samples > 8 || one_in(g, 5)).then(|| pick(g, &fewer));
    let several = own.unwrap_or(samples) > 1;
    (
        TargetImage {
            format,
            samples: own,
            surface: Surface { swizzle: 1 + u8::arbitrary(g) % (modes(gfx) - 1), ..surface(g, gfx) },
            compression: one_in(g, 4).then(|| if gfx < Gfx::Gfx12 { compression(g, gfx, several) } else { blocks_alone(g) }),
        },
        TargetBlend {
            blend: (!format.is_integer() && one_in(g, 3)).then(|| blend(g, alone)),
            write_mask: if one_in(g, 3) { u8::arbitrary(g) & 0xf } else { 0xf },
        },
    )
}

/// Returns metadata of a target with one sample or several.
fn compression(g: &mut Gen, gfx: Gfx, several: bool) -> ColorCompression {
    let old = gfx <= Gfx::Gfx103;
    let of_all = [None, Some(DccBlocks::BYTES_64), Some(DccBlocks::BYTES_256)];
    let later = [Some(DccBlocks::BYTES_128), if gfx >= Gfx::Gfx103 { Some(DccBlocks::BYTES_64_AND_128) } else { None }];
    let blocks = if gfx == Gfx::Gfx9 { pick(g, &of_all) } else { pick(g, &[&of_all[..], &later].concat()) };
    let cmask = (old && bool::arbitrary(g)).then(|| address(g));
    let fmask = Fmask {
        address: address(g),
        swizzle: [24, 24, 24, 25, 20][usize::from(u8::arbitrary(g) % 5)],
        compressed: bool::arbitrary(g),
        single_fragments: bool::arbitrary(g),
    };
    ColorCompression {
        dcc: bool::arbitrary(g).then(|| Dcc { address: address(g), blocks }),
        cmask,
        fmask: (several && cmask.is_some() && bool::arbitrary(g)).then_some(fmask),
        clear_words: (old && bool::arbitrary(g)).then(|| [u32::arbitrary(g), u32::arbitrary(g)]),
        pipe_aligned: bool::arbitrary(g),
        rb_aligned: gfx == Gfx::Gfx9 && bool::arbitrary(g),
    }
}

/// Returns the compression of GFX12 targets.
fn blocks_alone(g: &mut Gen) -> ColorCompression {
    let of_size = |largest| Some(DccBlocks { largest, ..DccBlocks::BYTES_256 });
    let sizes = [None, of_size(CompressedBlock::B64), of_size(CompressedBlock::B128), of_size(CompressedBlock::B256)];
    ColorCompression { dcc: Some(Dcc { address: 0, blocks: pick(g, &sizes) }), ..ColorCompression::default() }
}

/// Returns a depth target with HTILE, or with surfaces of GFX12.
fn depth_target(g: &mut Gen, gfx: Gfx, samples: u32) -> DepthTarget {
    let formats: Vec<DepthFormat> = DepthFormat::iter().filter(|format| gfx < Gfx::Gfx12 || !matches!(format, DepthFormat::D24 | DepthFormat::D24s8)).collect();
    let target = DepthTarget { surface: surface(g, gfx), ..DepthTarget::new(pick(g, &formats), samples) };
    let stencil = target.format.has_stencil();
    if gfx == Gfx::Gfx12 {
        let mut surface = || {
            one_in(g, 3).then(|| HiSurface { address: address(g), swizzle: u8::arbitrary(g) % 8, format: false, extent: (1 + u32::arbitrary(g) % 8192, 64) })
        };
        return DepthTarget { hiz: surface(), his: surface().filter(|_| stencil), ..target };
    }
    let htile = Htile {
        address: address(g),
        pipe_aligned: bool::arbitrary(g),
        rb_aligned: gfx == Gfx::Gfx9 && bool::arbitrary(g),
        stencil: bool::arbitrary(g),
        compressed: bool::arbitrary(g),
        shader_readable: bool::arbitrary(g),
        decompress_planes: u8::arbitrary(g) % 16,
        iterate_256: gfx > Gfx::Gfx9 && bool::arbitrary(g),
        rates: gfx == Gfx::Gfx103 && one_in(g, 3),
    };
    let clear = one_in(g, 2).then(|| DepthClear { depth: pick(g, &[0.0, 1.0, 0.5]), stencil: u8::arbitrary(g) });
    DepthTarget { htile: bool::arbitrary(g).then_some(htile), clear, ..target }
}

/// Returns a viewport within a few targets' width.
fn viewport(g: &mut Gen) -> Viewport {
    let mut number = |least: f32, most: f32| least + (most - least) * (u16::arbitrary(g) as f32 / 65535.0);
    Viewport {
        x: number(-1000.0, 20000.0),
        y: number(-1000.0, 20000.0),
        width: number(0.0, 16384.0),
        height: number(-16384.0, 16384.0),
        min_depth: number(0.0, 1.0),
        max_depth: number(0.0, 1.0),
    }
}

fn rect(g: &mut Gen) -> Rect {
    let mut number = |most: u32| u32::arbitrary(g) % most;
    Rect { x: number(20000), y: number(20000), width: number(40000), height: number(40000) }
}

fn raster(g: &mut Gen) -> Raster {
    let number = |g: &mut Gen| f32::from(i16::arbitrary(g)) / 16.0;
    Raster {
        cull: any(g),
        front: any(g),
        polygon: if one_in(g, 3) { any(g) } else { PolygonMode::Fill },
        depth_clamp: one_in(g, 4),
        discard: one_in(g, 12),
        depth_bias: one_in(g, 4).then(|| DepthBias { constant: number(g), slope: number(g), clamp: number(g) }),
        line_width: 0.1 + f32::from(u8::arbitrary(g)) * 8.0,
        line_mode: any(g),
        stipple: one_in(g, 4).then(|| LineStipple { pattern: u16::arbitrary(g), factor: 1 + u32::arbitrary(g) % 256 }),
        conservative: if one_in(g, 4) { any(g) } else { ConservativeRaster::Off },
        provoking_vertex_last: bool::arbitrary(g),
        clip_planes: one_in(g, 6)
            .then(|| ClipPlanes { planes: [0; 6].map(|_| bool::arbitrary(g).then(|| [0; 4].map(|_| number(g)))), cull_only: bool::arbitrary(g) }),
    }
}

fn depth_test(g: &mut Gen) -> DepthTest {
    let mut face = || StencilFace {
        fail: any(g),
        pass: any(g),
        depth_fail: any(g),
        compare: any(g),
        reference: u8::arbitrary(g),
        read_mask: u8::arbitrary(g),
        write_mask: u8::arbitrary(g),
    };
    let faces = (face(), face());
    DepthTest {
        test: !one_in(g, 4),
        write: bool::arbitrary(g),
        compare: any(g),
        bounds: one_in(g, 5).then_some((0.25, 0.75)),
        stencil: one_in(g, 3).then_some(faces),
    }
}

fn binning(g: &mut Gen, gfx: Gfx) -> Option<Binning> {
    let sides: &[u32] = if gfx == Gfx::Gfx12 { &[128, 256, 512] } else { &[32, 64, 128, 256, 512] };
    let side = |g: &mut Gen| pick(g, sides);
    one_in(g, 2).then(|| if gfx != Gfx::Gfx12 && one_in(g, 6) { Binning { width: 16, height: 16 } } else { Binning { width: side(g), height: side(g) } })
}

/// Returns a description with random values for every input; most are valid on the chip.
pub fn desc(g: &mut Gen, chip: Chip) -> DrawDesc {
    let desc = with_vertex_shader(g, chip);
    with_stages(g, chip, desc)
}

/// Returns the same without mesh shaders, which need calls of their own.
pub fn desc_of_vertices(g: &mut Gen, chip: Chip) -> DrawDesc {
    loop {
        let desc = desc(g, chip);
        if desc.pipeline.mesh.is_none() {
            return desc;
        }
    }
}

fn with_vertex_shader(g: &mut Gen, chip: Chip) -> DrawDesc {
    let gfx = chip.gfx();
    let (old, vrs) = (gfx <= Gfx::Gfx103, gfx >= Gfx::Gfx103);
    let samples = if old && one_in(g, 10) { 16 } else { pick(g, &[1, 2, 4, 8]) };
    let vertex = vertex(g, chip);
    let shader = (!one_in(g, 10)).then(|| shader(g, chip, vertex.parameters));
    let interlock = if shader.is_some() { any(g) } else { Interlock::None };
    let targets = pick(g, &[0, 0, 1, 1, 1, 2, 3, 8]);
    let depth_samples = if old && one_in(g, 3) { pick(g, &[1, 2, 4, 8]) } else { samples.min(8) };
    let views = pick(g, &[0, 0, 0, 1, 2, 16]);
    let mut desc = DrawDesc {
        pipeline: PipelineDesc {
            interlock,
            samples,
            pass: None,
            order: if one_in(g, 5) { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict },
            rate: if vrs && one_in(g, 4) { any(g) } else { ShadingRate::R1x1 },
            rate_combiner: if vrs && one_in(g, 4) { any(g) } else { RateCombiner::Keep },
            rate_image_combiner: if vrs && one_in(g, 4) { any(g) } else { RateCombiner::Keep },
            rate_override: (vrs && one_in(g, 4)).then(|| any(g)), // Not as reset left it: that is for streams without the preamble, which have their own tests.
            drain: if old && one_in(g, 3) { pick(g, &[Drain::On, Drain::Off]) } else { Drain::Auto },
            raster: raster(g),
            binning: binning(g, gfx),
            depth_test: depth_test(g),
            alpha_to_coverage: one_in(g, 6),
            alpha_to_one: one_in(g, 6),
            sample_mask: if one_in(g, 3) { u16::arbitrary(g) } else { 0xffff },
            sample_locations: one_in(g, 5).then(|| sample_locations(g)),
            logic_op: one_in(g, 8).then(|| LogicOp(u8::arbitrary(g) & 0xF)),
            expert: ExpertOptions {
                intrawave_collision: old && interlock.is_declared() && one_in(g, 6),
                no_null_export: one_in(g, 12),
                // The model reports the other two options; `AnyDraw` uses them.
                ..ExpertOptions::default()
            },
            topology: any(g),
            primitive_restart: one_in(g, 3),
            shader,
            vertex,
            tessellation: None,
            geometry: None,
            mesh: None,
            scratch: scratch(g),
            board: board(g),
            ..PipelineDesc::default()
        },
        targets: TargetsDesc {
            depth: one_in(g, 2).then(|| depth_target(g, gfx, depth_samples)),
            rate_image: (gfx >= Gfx::Gfx11 && one_in(g, 6)).then(|| RateImage {
                address: address(g),
                swizzle: [0, 2, 2, 6, 3][usize::from(u8::arbitrary(g) % 5)],
                extent: (1 + u32::arbitrary(g) % 2048, 1),
            }),
            extent: (1 + u32::arbitrary(g) % 16384, 1 + u32::arbitrary(g) % 16384),
            ..TargetsDesc::default()
        },
        state: DynamicState {
            viewports: (0..views).map(|_| viewport(g)).collect(),
            scissors: (0..u32::arbitrary(g) % (views + 1)).map(|_| rect(g)).collect(),
            blend_constants: [0; 4].map(|_| f32::from(u8::arbitrary(g)) / 255.0),
            occlusion: any(g),
            ..DynamicState::default()
        },
        vertices: u32::arbitrary(g),
        instances: 1 + u32::arbitrary(g) % 1000,
    }
    .with_colors((0..targets).map(|_| target(g, chip.gfx(), targets == 1, samples)));
    let may = desc.pipeline.raster.conservative == ConservativeRaster::Overestimate && desc.pipeline.samples <= 4 && !desc.pipeline.interlock.is_declared();
    desc.pipeline.shader.iter_mut().for_each(|shader| shader.reads_inner_coverage = may && bool::arbitrary(g));
    desc
}

/// Returns positions from -8 to 7.
pub fn sample_locations(g: &mut Gen) -> SampleLocations {
    let mut number = || (u8::arbitrary(g) % 16) as i8 - 8;
    SampleLocations { pixels: [[(); 16]; 4].map(|pixel| pixel.map(|()| (number(), number()))) }
}

/// Returns the description with one part after the other reset to its default, large parts first.
fn shrink(desc: &DrawDesc) -> Vec<DrawDesc> {
    // Shrinking whole command buffers takes a while; PM4_SHRINK=0 shows the first failure unshrunk.
    if std::env::var_os("PM4_SHRINK").is_some_and(|wish| wish == "0") {
        return Vec::new();
    }
    let plain = DrawDesc::default();
    let mut smaller = Vec::new();
    let mut with = |change: &dyn Fn(&mut DrawDesc)| {
        let mut d = desc.clone();
        change(&mut d);
        if d != *desc {
            smaller.push(d);
        }
    };
    with(&|d| d.pipeline.shader = d.pipeline.shader.as_ref().and(plain.pipeline.shader.clone()));
    with(&|d| {
        (d.pipeline.tessellation, d.pipeline.topology) = (None, if d.pipeline.tessellation.is_some() { plain.pipeline.topology } else { d.pipeline.topology })
    });
    with(&|d| (d.pipeline.geometry, d.pipeline.mesh) = (None, None));
    with(&|d| d.pipeline.tessellation = d.pipeline.tessellation.as_ref().map(|_| Tessellation::default()));
    with(&|d| d.pipeline.geometry = d.pipeline.geometry.as_ref().map(|_| GeometryStage::default()));
    with(&|d| d.pipeline.mesh = d.pipeline.mesh.map(|_| MeshStage::default()));
    with(&|d| d.pipeline.vertex = plain.pipeline.vertex.clone());
    // Steps must not form a cycle: no target at all is as small as the default one.
    with(&|d| d.targets.color.truncate(1));
    with(&|d| d.targets.color.truncate(d.targets.color.len().saturating_sub(1).max(1)));
    with(&|d| d.targets.color.iter_mut().for_each(|target| *target = TargetImage { samples: target.samples, ..TargetImage::default() }));
    with(&|d| d.pipeline.blends.truncate(d.targets.color.len()));
    with(&|d| d.targets.depth = None);
    with(&|d| (d.state.viewports, d.state.scissors) = (vec![], vec![]));
    with(&|d| d.pipeline.raster = plain.pipeline.raster);
    with(&|d| d.pipeline.depth_test = plain.pipeline.depth_test);
    with(&|d| d.pipeline.interlock = plain.pipeline.interlock);
    with(&|d| d.pipeline.samples = plain.pipeline.samples);
    with(&|d| d.pipeline.order = plain.pipeline.order);
    with(&|d| d.pipeline.rate = plain.pipeline.rate);
    with(&|d| (d.pipeline.rate_combiner, d.pipeline.rate_override) = (plain.pipeline.rate_combiner, plain.pipeline.rate_override));
    with(&|d| (d.pipeline.rate_image_combiner, d.targets.rate_image) = (plain.pipeline.rate_image_combiner, plain.targets.rate_image));
    with(&|d| d.pipeline.drain = plain.pipeline.drain);
    with(&|d| d.pipeline.binning = plain.pipeline.binning);
    with(&|d| d.targets.extent = plain.targets.extent);
    with(&|d| (d.pipeline.alpha_to_coverage, d.pipeline.alpha_to_one) = (false, false));
    with(&|d| {
        (d.pipeline.sample_mask, d.state.blend_constants, d.pipeline.logic_op) =
            (plain.pipeline.sample_mask, plain.state.blend_constants, plain.pipeline.logic_op)
    });
    with(&|d| d.pipeline.sample_locations = None);
    with(&|d| d.state.occlusion = plain.state.occlusion);
    with(&|d| d.pipeline.expert = plain.pipeline.expert);
    with(&|d| d.pipeline.topology = plain.pipeline.topology);
    with(&|d| d.pipeline.primitive_restart = plain.pipeline.primitive_restart);
    with(&|d| d.pipeline.scratch = plain.pipeline.scratch);
    with(&|d| d.pipeline.board = plain.pipeline.board);
    with(&|d| d.vertices = plain.vertices);
    with(&|d| d.instances = plain.instances);
    // Then the parts of the parts.
    let plain_shader = PixelShader::default();
    for part in 0..5 {
        with(&|d| {
            if let Some(shader) = &mut d.pipeline.shader {
                match part {
                    0 => shader.program = Program::default(),
                    1 => shader.inputs = PixelInputs::default(),
                    2 => *shader = PixelShader { program: shader.program.clone(), inputs: shader.inputs.clone(), ..plain_shader.clone() },
                    3 => (shader.writes_depth, shader.writes_stencil, shader.writes_sample_mask) = (false, false, false),
                    _ => (shader.sample_shading, shader.reads_sample_mask, shader.can_discard) = (false, false, false),
                }
            }
        });
    }
    with(&|d| d.pipeline.vertex.program = Program::default());
    with(&|d| d.pipeline.vertex.outputs = VertexOutputs::default());
    with(&|d| d.pipeline.vertex.streamout = None);
    with(&|d| d.pipeline.vertex.subgroup = Subgroup::default());
    with(&|d| d.targets.color.iter_mut().for_each(|target| (target.surface, target.compression) = (Surface::default(), None)));
    with(&|d| d.pipeline.blends.iter_mut().for_each(|blend| *blend = TargetBlend::default()));
    with(&|d| d.targets.depth.iter_mut().for_each(|depth| *depth = DepthTarget::new(depth.format, depth.samples)));
    with(&|d| d.targets.color.iter_mut().for_each(|target| target.compression = None));
    smaller
}

impl Arbitrary for AnyDraw {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        // Half of the time, a different chip than it is for.
        let chip = pick(g, &chips);
        let other = if one_in(g, 2) { chip } else { pick(g, &chips) };
        let mut draw = Self { chip, desc: desc(g, other) };
        if one_in(g, 8) {
            draw.desc.pipeline.samples = u32::arbitrary(g) % 40;
        }
        if one_in(g, 8) {
            draw.desc.instances = 0;
        }
        draw.desc.pipeline.expert.exec_if_overlapped = one_in(g, 8);
        draw.desc.pipeline.expert.bin_mapping_pops = one_in(g, 8);
        draw
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let chip = self.chip;
        Box::new(shrink(&self.desc).into_iter().map(move |desc| Self { chip, desc }))
    }
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let chips: Vec<Chip> = Chip::all().collect();
        loop {
            let chip = pick(g, &chips);
            let case = Self { chip, desc: desc(g, chip) };
            if case.desc.resolve(case.chip).is_ok() {
                return case;
            }
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let chip = self.chip;
        Box::new(shrink(&self.desc).into_iter().filter(move |d| d.resolve(chip).is_ok()).map(move |desc| Self { chip, desc }))
    }
}

/// Returns whether a register is DB_DFSM_CONTROL, which a draw may leave at its reset value.
fn is_dfsm(chip: Chip, addr: u32) -> bool {
    pm4::regs::find(chip.gfx(), "DB_DFSM_CONTROL").is_some_and(|register| register.addr() == addr)
}

/// Returns whether a register is meaningful only while a target, viewport, program or bias is bound, or a target blends; other registers state whether it is.
pub fn describes_a_bound_thing(chip: Chip, addr: u32) -> bool {
    let Some(register) = pm4::regs::lookup(chip.gfx(), addr) else { return false };
    let name = register.info().name;
    let color = name.starts_with("CB_COLOR0_") && name != "CB_COLOR0_INFO";
    let hierarchy = [
        "DB_HTILE_",
        "DB_DEPTH_CLEAR",
        "DB_STENCIL_CLEAR",
        "PA_SC_HIZ_BASE",
        "PA_SC_HIZ_SIZE",
        "PA_SC_HIS_BASE",
        "PA_SC_HIS_SIZE",
        "PA_SC_VRS_RATE_",
        "PA_SC_VRS_INFO",
        "PA_CL_UCP_",
    ];
    let depth = [
        "DB_DEPTH_VIEW",
        "DB_DEPTH_SIZE",
        "DB_Z_READ",
        "DB_Z_WRITE",
        "DB_STENCIL_READ_B",
        "DB_STENCIL_WRITE_B",
        "DB_DEPTH_BOUNDS",
        "DB_Z_INFO2",
        "DB_STENCIL_INFO2",
        "CB_MRT0_EPITCH",
    ];
    let stages = [
        "VGT_LS_HS_CONFIG",
        "VGT_TF_PARAM",
        "SPI_SHADER_PGM_RSRC1_HS",
        "SPI_SHADER_PGM_RSRC2_HS",
        "SPI_SHADER_PGM_RSRC3_HS",
        "SPI_SHADER_PGM_RSRC4_HS",
        "VGT_GSVS_RING_OFFSET",
        "VGT_GSVS_RING_ITEMSIZE",
        "VGT_GS_VERT_ITEMSIZE",
        "VGT_GS_MAX_VERT_OUT",
        "VGT_GS_MAX_PRIMS_PER_SUBGROUP",
        "SPI_SHADER_GS_MESHLET_DIM",
        "SPI_SHADER_GS_MESHLET_EXP_ALLOC",
        "VGT_STRMOUT_VTX_STRIDE",
    ];
    let others = [
        "SPI_SHADER_PGM_LO_",
        "SPI_SHADER_PGM_HI_",
        "SPI_SHADER_USER_DATA_",
        "SPI_PS_INPUT_CNTL_",
        "PA_SU_POLY_OFFSET",
        "PA_CL_VPORT",
        "PA_SC_VPORT",
        "CB_BLEND_",
    ];
    color || is_dfsm(chip, addr) || depth.iter().chain(&others).chain(&stages).chain(&hierarchy).any(|prefix| name.starts_with(prefix))
}

/// Returns whether a register belongs to one of the two hardware stages for vertex work, except those that select the stage.
pub fn belongs_to_a_path(chip: Chip, addr: u32) -> bool {
    let Some(register) = pm4::regs::lookup(chip.gfx(), addr) else { return false };
    let name = register.info().name;
    let ngg = ["SPI_SHADER_IDX_FORMAT", "VGT_GS_ONCHIP_CNTL", "GE_NGG_SUBGRP_CNTL", "GE_MAX_OUTPUT_PER_SUBGROUP", "VGT_GS_INSTANCE_CNT"];
    let stage = name.starts_with("SPI_SHADER_PGM_RSRC") && (name.ends_with("_VS") || name.ends_with("_GS"));
    stage || ngg.contains(&name) || ["VGT_GS_MODE", "SPI_SHADER_LATE_ALLOC_VS"].contains(&name)
}
