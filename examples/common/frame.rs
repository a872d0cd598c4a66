//! A frame on any chip, as a small renderer records it: pipelines and targets that are created once, passes of several kinds, a secondary command buffer,
//! barriers between them, and a fence at the end. `frame` prints it; a test runs it.

use pm4::chip::Chip;
use pm4::draw::sync::{Access, AccessSet, Barrier, Fence, FenceData, Interrupt, Plan, SyncMemory, Wait};
use pm4::draw::*;

/// Memory of the frame. It has no contents; the addresses only have to be aligned and distinct.
pub mod memory {
    pub const SEMAPHORE: u64 = 0x0010_0000;
    pub const SYNC: u64 = 0x0010_1000;
    pub const ZPASS: u64 = 0x0010_2000;
    pub const FENCE: u64 = 0x0010_3000;
    pub const SPARE_INDEX: u64 = 0x0010_4000;
    pub const ARGUMENTS: u64 = 0x0011_0000;
    pub const COUNT: u64 = 0x0011_F000;
    pub const INDICES: u64 = 0x0012_0000;
    pub const CODE: u64 = 0x0020_0000;
    pub const SHADOW: u64 = 0x0100_0000;
    pub const DEPTH: u64 = 0x0200_0000;
    pub const COLOR: u64 = 0x0300_0000;
    pub const FINAL: u64 = 0x0400_0000;
    pub const ATTRIBUTES: u64 = 0x0500_0000;
    pub const GEOMETRY: u64 = 0x0600_0000;
    pub const INTERFACE: u64 = 0x0700_0000;
    pub const TESSELLATION: u64 = 0x0800_0000;
}

/// Returns the memory contents before the frame that the command processor reads: name, address, words. Arguments of indirect draws are as culling would leave
/// them: one triangle each, and one draw in total.
fn contents() -> Vec<(&'static str, u64, Vec<u32>)> {
    let draw = |words: [u32; 5], at: usize, all: &mut Vec<u32>| all[at..at + 5].copy_from_slice(&words);
    let mut arguments = vec![0; 0x7000 / 4];
    (0..1000).for_each(|n| draw([3, 1, 0, 0, 0], 5 * n, &mut arguments));
    draw([3, 1, 0, 0, 0], 0x5014 / 4, &mut arguments);
    draw([3, 1, 0, 0, 0], 0x6000 / 4, &mut arguments);
    vec![
        ("semaphore", memory::SEMAPHORE, vec![1; 4]),
        ("sync", memory::SYNC, vec![0; 64]),
        ("zpass", memory::ZPASS, vec![0; 64]),
        ("fence", memory::FENCE, vec![0; 4]),
        ("spare index", memory::SPARE_INDEX, vec![0; 4]),
        ("arguments", memory::ARGUMENTS, arguments),
        ("count", memory::COUNT, vec![1; 4]),
        ("indices", memory::INDICES, vec![0; 3000 / 2]),
    ]
}

/// A part of the frame: its start in the stream, and the reason for its packets.
pub struct Part {
    pub name: &'static str,
    pub dword: usize,
    pub plan: Option<Plan>,
}

/// The frame: its stream, the secondary command buffer that it calls, and its parts.
pub struct Frame {
    pub words: Vec<u32>,
    pub interface: Vec<u32>,
    pub parts: Vec<Part>,
}

impl Frame {
    /// Returns the memory contents before the frame: name, address, words.
    pub fn memory(&self) -> Vec<(&'static str, u64, Vec<u32>)> {
        let mut memory = contents();
        memory.push(("interface", memory::INTERFACE, self.interface.clone()));
        memory
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Builder {
    recorder: Recorder<Vec<u32>>,
    parts: Vec<Part>,
}

impl Builder {
    fn begin(&mut self, name: &'static str) {
        let dword = self.recorder.words().len();
        self.parts.push(Part { name, dword, plan: None });
    }

    fn barrier(&mut self, name: &'static str, from: impl Into<AccessSet>, to: impl Into<AccessSet>) -> Result<()> {
        self.begin(name);
        let plan = self.recorder.barrier(&Barrier::new(from, to))?;
        self.parts.last_mut().ok_or("no part")?.plan = Some(plan);
        Ok(())
    }

    /// Begins a pass whose draws cover the whole targets.
    fn pass(&mut self, name: &'static str, targets: &Targets) -> Result<()> {
        self.begin(name);
        Ok(self.recorder.bind_targets(targets)?)
    }
}

fn program(number: u64) -> Program {
    Program { address: Some(memory::CODE + number * 0x1000), ..Program::default() }
}

fn pixel(number: u64) -> PixelShader {
    // SGPR 0 points to descriptors; the next two are constants of the material.
    let inputs = PixelInputs { interpolants: vec![Interpolant::parameter(0)], loads: PixelInput::PerspCenter.into(), ..PixelInputs::default() };
    PixelShader { program: Program { user_data: vec![UserData::Keep; 3], ..program(number) }, inputs, ..PixelShader::default() }
}

fn surface(address: u64) -> Surface {
    Surface { address, ..Surface::default() }
}

/// User SGPR 0 points to descriptors, the next three change with each draw, and four are constants of the drawn object.
fn vertex(number: u64) -> VertexStage {
    let mut user_data = vec![UserData::Keep, UserData::BaseVertex, UserData::FirstInstance, UserData::DrawIndex];
    user_data.extend([UserData::Keep; 4]);
    VertexStage { program: Program { user_data, ..program(number) }, parameters: 1, ..VertexStage::default() }
}

/// The first constant of an object.
const THING: u32 = 4;

/// Returns a depth-only pipeline as seen from the light, without a pixel shader.
fn shadow() -> PipelineDesc {
    let vertex = VertexStage { parameters: 0, ..vertex(1) };
    PipelineDesc { shader: None, vertex, blends: Vec::new(), ..PipelineDesc::default() }
}

/// Returns a pipeline for an opaque material with 4 samples.
fn opaque(material: u64) -> PipelineDesc {
    PipelineDesc { samples: 4, vertex: vertex(2), shader: Some(pixel(8 + material)), ..PipelineDesc::default() }
}

/// Returns a pipeline for the ground: patches of four control points, tessellated near the viewer and clipped where water covers them.
fn ground() -> PipelineDesc {
    let program_of_patches = Program { user_data: vec![UserData::Keep, UserData::BaseVertex], ..program(13) };
    let tessellation = Tessellation {
        program: program_of_patches,
        input_points: 4,
        output_points: 4,
        lds_bytes_per_point: 16,
        offchip_bytes_per_patch: 64,
        domain: PatchDomain::Quads,
        ..Tessellation::default()
    };
    let above_water = ClipPlanes { planes: [Some([0.0, 1.0, 0.0, 0.0]), None, None, None, None, None], cull_only: false };
    let vertex = VertexStage { parameters: 1, program: Program { user_data: vec![UserData::Keep], ..program(14) }, ..VertexStage::default() };
    PipelineDesc {
        samples: 4,
        vertex,
        tessellation: Some(tessellation),
        topology: Topology::PatchList,
        shader: Some(pixel(12)),
        raster: Raster { clip_planes: Some(above_water), ..Raster::default() },
        ..PipelineDesc::default()
    }
}

/// Returns a pipeline for transparent objects, stored per pixel in memory by an ordered section; no target is written.
fn ordered() -> PipelineDesc {
    let shader = PixelShader { writes_memory: true, early_fragment_tests: true, ..pixel(5) };
    let depth_test = DepthTest { write: false, ..DepthTest::default() };
    PipelineDesc {
        shader: Some(shader),
        interlock: Interlock::SampleOrdered,
        samples: 4,
        blends: Vec::new(),
        depth_test,
        vertex: vertex(4),
        ..PipelineDesc::default()
    }
}

/// Returns a pipeline that composes everything onto one image, with blending.
fn composed(number: u64, topology: Topology) -> PipelineDesc {
    let blends = vec![TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() }];
    PipelineDesc { shader: Some(pixel(number)), blends, topology, vertex: vertex(6), ..PipelineDesc::default() }
}

/// Returns targets of the size of the frame.
fn targets(color: Option<u64>, depth: Option<u32>) -> TargetsDesc {
    let image = |address| TargetImage { surface: surface(address), ..TargetImage::default() };
    let depth = depth.map(|samples| DepthTarget { surface: surface(memory::DEPTH), ..DepthTarget::new(DepthFormat::D32, samples) });
    TargetsDesc { color: color.map(image).into_iter().collect(), depth, extent: (1920, 1080), rate_image: None }
}

/// Numbers of opaque materials and objects.
const MATERIALS: u64 = 4;
const THINGS: u32 = 240;

/// Records the interface on top of the frame as a secondary command buffer. It inherits nothing but the preamble.
fn interface(chip: Chip, targets: &Targets) -> Result<Vec<u32>> {
    let panels = Pipeline::new(chip, composed(16, Topology::TriangleStrip))?;
    let mut recorder = Recorder::secondary(chip);
    recorder.bind_targets(targets)?;
    recorder.bind_pipeline(&panels)?;
    for panel in 0..12 {
        recorder.set_scissors(&[Rect { x: 160 * panel, y: 0, width: 150, height: 100 }])?;
        recorder.draw_vertices(Vertices { first: 0, count: 4 })?;
    }
    Ok(recorder.finish()?)
}

/// Builds the frame.
///
/// # Errors
/// Returns an error if the chip does not support a part of the frame.
pub fn frame(chip: Chip) -> Result<Frame> {
    // Done once, when a scene is loaded.
    let shadow = Pipeline::new(chip, shadow())?;
    let materials = (0..MATERIALS).map(|material| Pipeline::new(chip, opaque(material))).collect::<std::result::Result<Vec<_>, _>>()?;
    let ground = Pipeline::new(chip, ground())?;
    let (ordered, composed) = (Pipeline::new(chip, ordered())?, Pipeline::new(chip, composed(7, Topology::RectList))?);
    let map = DepthTarget { surface: surface(memory::SHADOW), ..DepthTarget::new(DepthFormat::D32, 1) };
    let light = Targets::new(chip, TargetsDesc { color: Vec::new(), depth: Some(map), extent: (2048, 2048), rate_image: None })?;
    let scene = Targets::new(chip, targets(Some(memory::COLOR), Some(4)))?;
    let depth_alone = Targets::new(chip, targets(None, Some(4)))?;
    let screen = Targets::new(chip, targets(Some(memory::FINAL), None))?;
    let interface = interface(chip, &screen)?;

    let mut b = Builder { recorder: Recorder::new(chip), parts: Vec::new() };
    b.recorder.set_sync_memory(SyncMemory { fence: Some(memory::SYNC), zpass: Some(memory::ZPASS) });
    b.recorder.set_spare_index(memory::SPARE_INDEX);
    b.begin("preamble");
    let attributes = Some(AttributeRing { address: memory::ATTRIBUTES, bytes: 0x10_0000 });
    let board = Board::recorded(chip).unwrap_or(Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 8 });
    let tessellation = Some(TessellationRings::at(chip, board, memory::TESSELLATION));
    b.recorder.begin_with(&QueueMemory { attributes, geometry: Some(GeometryRings::at(memory::GEOMETRY, 4)), tessellation, ..QueueMemory::default() })?;
    b.recorder.begin_compute()?;
    b.recorder.set_user_data(Stage::Vertex, 0, &[0x10_0000])?;
    b.recorder.set_user_data(Stage::Pixel, 0, &[0x11_0000, 0, 0])?;
    b.recorder.set_user_data(Stage::Vertex, THING, &[0; 4])?;

    b.begin("wait for the image to draw to");
    b.recorder.wait(&Wait::equal(memory::SEMAPHORE, 1))?;

    b.begin("culling");
    let culling = DispatchDesc { program: program(0), grid: Grid::Groups([16, 1, 1]), ..DispatchDesc::default() };
    b.recorder.dispatch(&culling.resolve(chip)?)?;
    let culled = Access::IndirectRead | Access::IndexRead | Access::VertexRead | Access::ConstantRead;
    b.barrier("culling, then indirect draws", Access::ComputeWrite, culled)?;

    let instances = Instances { first: 0, count: 3 };
    let buffer = IndexBuffer { address: memory::INDICES, indices: 3000, format: IndexFormat::U16 };
    b.pass("shadow pass", &light)?;
    b.recorder.bind_pipeline(&shadow)?;
    let lists = [(0, 300, 0), (300, 600, 100), (900, 30, 0)].map(|(first, count, base_vertex)| Indices { first, count, base_vertex }).to_vec();
    b.recorder.draw_bound(&DrawCall::MultiIndexed { buffer, draws: lists, instances })?;
    b.barrier("shadow map, then shading", Access::DepthWrite, Access::PixelRead | Access::DepthRead | Access::DepthWrite)?;

    b.pass("opaque pass", &scene)?;
    b.recorder.bind_pipeline(&materials[0])?;
    let draws = IndirectDraws { arguments: memory::ARGUMENTS, stride: 20, draws: 1000, count: Some(memory::COUNT) };
    b.recorder.draw_bound(&DrawCall::MultiIndexedIndirect { buffer, draws })?;
    for thing in 0..THINGS {
        // Sorted by material: most draws change only the constants of the object.
        let material = u64::from(thing) * MATERIALS / u64::from(THINGS);
        b.recorder.bind_pipeline(&materials[material as usize])?;
        b.recorder.set_user_data(Stage::Pixel, 1, &[material as u32, 0x40 * material as u32])?;
        b.recorder.set_user_data(Stage::Vertex, THING, &[thing, 0x3F80_0000, 0, 2 * thing])?;
        let indices = Indices { first: 6 * (thing % 100), count: 60, base_vertex: 3 * (thing % 7) as i32 };
        b.recorder.draw_indices(buffer, indices)?;
    }
    b.recorder.draw_bound(&DrawCall::Auto { vertices: Vertices { first: 6, count: 36 }, instances: Instances { first: 2, count: 5 } })?;

    b.begin("ground, tessellated and clipped at the water");
    b.recorder.bind_pipeline(&ground)?;
    b.recorder.set_user_data(Stage::Hull, 0, &[0x12_0000])?;
    for tile in 0..16 {
        b.recorder.draw_vertices(Vertices { first: 64 * tile, count: 64 })?;
    }
    b.barrier("opaque, then ordered", Access::DepthWrite, Access::DepthRead | Access::PixelRead | Access::PixelWrite)?;

    b.pass("ordered pass (POPS)", &depth_alone)?;
    b.recorder.bind_pipeline(&ordered)?;
    b.recorder.draw_bound(&DrawCall::IndexedIndirect { buffer, arguments: memory::ARGUMENTS + 0x5014 })?;
    b.recorder.draw_bound(&DrawCall::Indirect { arguments: memory::ARGUMENTS + 0x6000 })?;
    b.barrier("both, then composition", Access::ColorWrite | Access::DepthWrite | Access::PixelWrite, Access::PixelRead | Access::ConstantRead)?;

    b.pass("composition", &screen)?;
    b.recorder.bind_pipeline(&composed)?;
    b.recorder.draw_vertices(Vertices { first: 0, count: 3 })?;

    b.begin("interface, a secondary command buffer");
    b.recorder.call(memory::INTERFACE, interface.len() as u32)?;

    b.begin("fence");
    let from = Access::ColorWrite | Access::PixelWrite;
    let fence = Fence { from, host: true, interrupt: Interrupt::AfterWrite, ..Fence::new(memory::FENCE, FenceData::Qword(1)) };
    let plan = b.recorder.fence(&fence)?;
    b.parts.last_mut().ok_or("no part")?.plan = Some(plan);
    let Builder { recorder, parts } = b;
    Ok(Frame { words: recorder.finish()?, interface, parts })
}
