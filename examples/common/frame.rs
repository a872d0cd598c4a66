//! One frame on any chip: passes of several kinds, the barriers between them, and a fence at the end. `frame` prints it, a test runs it.

use pm4::chip::Chip;
use pm4::draw::sync::{Access, AccessSet, Barrier, Fence, FenceData, Interrupt, Plan, SyncMemory, Wait};
use pm4::draw::*;

/// Memory of the frame. Nothing lies there: it only has to be aligned, and apart.
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
}

/// What lies there before the frame runs, as far as the command processor reads it: name, address, words. Arguments of indirect draws are what culling would
/// have left: one triangle each, and one draw in all.
pub fn contents() -> Vec<(&'static str, u64, Vec<u32>)> {
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

/// A part of the frame: where it begins in the stream, and why its packets stand there.
pub struct Part {
    pub name: &'static str,
    pub dword: usize,
    pub plan: Option<Plan>,
}

/// The frame: its stream and its parts.
pub struct Frame {
    pub words: Vec<u32>,
    pub parts: Vec<Part>,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Builder {
    chip: Chip,
    recorder: Recorder<Vec<u32>>,
    parts: Vec<Part>,
}

fn program(number: u64) -> Program {
    Program { address: Some(memory::CODE + number * 0x1000), ..Program::default() }
}

fn surface(address: u64) -> Surface {
    Surface { address, ..Surface::default() }
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

    fn draw(&mut self, desc: &DrawDesc, call: &DrawCall) -> Result<()> {
        Ok(self.recorder.draw_call(&desc.resolve(self.chip)?, call)?)
    }
}

/// User SGPR 0 points to descriptors; the next three change from draw to draw.
fn vertex(number: u64) -> VertexStage {
    let user_data = vec![UserData::Word(0), UserData::BaseVertex, UserData::FirstInstance, UserData::DrawIndex];
    VertexStage { program: Program { user_data, ..program(number) }, ..VertexStage::default() }
}

/// Depth alone, from the light: no pixel shader.
fn shadow() -> DrawDesc {
    let depth = Some(DepthTarget { surface: surface(memory::SHADOW), ..DepthTarget::new(DepthFormat::D32, 1) });
    DrawDesc { shader: None, color: Vec::new(), depth, extent: (2048, 2048), vertex: vertex(1), ..DrawDesc::default() }
}

/// Opaque things in 4 samples.
fn opaque() -> DrawDesc {
    let depth = Some(DepthTarget { surface: surface(memory::DEPTH), ..DepthTarget::new(DepthFormat::D32, 4) });
    let color = vec![ColorTarget { surface: surface(memory::COLOR), ..ColorTarget::default() }];
    let shader = Some(PixelShader { program: program(3), ..PixelShader::default() });
    DrawDesc { samples: 4, color, depth, shader, extent: (1920, 1080), vertex: vertex(2), ..DrawDesc::default() }
}

/// Transparent things, kept per pixel in memory by an ordered section; no target is written.
fn ordered() -> DrawDesc {
    let shader = PixelShader { program: program(5), writes_memory: true, early_fragment_tests: true, ..PixelShader::default() };
    let depth_test = DepthTest { write: false, ..opaque().depth_test };
    DrawDesc { shader: Some(shader), interlock: Interlock::SampleOrdered, color: Vec::new(), depth_test, vertex: vertex(4), ..opaque() }
}

/// All of it onto one image, with blending.
fn composed() -> DrawDesc {
    let color = vec![ColorTarget { surface: surface(memory::FINAL), blend: Some(Blend::SOURCE_OVER), ..ColorTarget::default() }];
    let shader = Some(PixelShader { program: program(7), ..PixelShader::default() });
    DrawDesc { color, shader, topology: Topology::RectList, extent: (1920, 1080), vertex: vertex(6), ..DrawDesc::default() }
}

/// Builds the frame.
///
/// # Errors
/// When the chip cannot serve a part of it.
pub fn frame(chip: Chip) -> Result<Frame> {
    let mut b = Builder { chip, recorder: Recorder::new(chip), parts: Vec::new() };
    b.recorder.set_sync_memory(SyncMemory { fence: Some(memory::SYNC), zpass: Some(memory::ZPASS) });
    b.recorder.set_spare_index(memory::SPARE_INDEX);
    b.begin("preamble");
    let attributes = Some(AttributeRing { address: memory::ATTRIBUTES, bytes: 0x10_0000 });
    b.recorder.begin_with(&QueueMemory { attributes, geometry: Some(GeometryRings::at(memory::GEOMETRY, 4)), ..QueueMemory::default() })?;
    b.recorder.begin_compute()?;

    b.begin("wait for the image to draw to");
    b.recorder.wait(&Wait::equal(memory::SEMAPHORE, 1))?;

    b.begin("culling");
    let culling = DispatchDesc { program: program(0), grid: Grid::Groups([16, 1, 1]), ..DispatchDesc::default() };
    b.recorder.dispatch(&culling.resolve(chip)?)?;
    let culled = Access::IndirectRead | Access::IndexRead | Access::VertexRead | Access::ConstantRead;
    b.barrier("culling, then indirect draws", Access::ComputeWrite, culled)?;

    let instances = Instances { first: 0, count: 3 };
    let indices = IndexBuffer { addr: memory::INDICES, size: 3000, format: IndexFormat::U16 };
    b.begin("shadow pass");
    let lists = [(0, 300, 0), (300, 600, 100), (900, 30, 0)].map(|(first, count, base_vertex)| Indices { first, count, base_vertex }).to_vec();
    b.draw(&shadow(), &DrawCall::MultiIndexed { buffer: indices, draws: lists, instances })?;
    b.barrier("shadow map, then shading", Access::DepthWrite, Access::PixelRead | Access::DepthRead | Access::DepthWrite)?;

    b.begin("opaque pass");
    let draws = IndirectDraws { arguments: memory::ARGUMENTS, stride: 20, draws: 1000, count: Some(memory::COUNT) };
    b.draw(&opaque(), &DrawCall::MultiIndexedIndirect { buffer: indices, draws })?;
    b.draw(&opaque(), &DrawCall::Auto { vertices: Vertices { first: 6, count: 36 }, instances: Instances { first: 2, count: 5 } })?;
    b.draw(&opaque(), &DrawCall::Indexed { buffer: indices, indices: Indices { first: 6, count: 60, base_vertex: -3 }, instances })?;
    b.barrier("opaque, then ordered", Access::DepthWrite, Access::DepthRead | Access::PixelRead | Access::PixelWrite)?;

    b.begin("ordered pass (POPS)");
    b.draw(&ordered(), &DrawCall::IndexedIndirect { buffer: indices, arguments: memory::ARGUMENTS + 0x5014 })?;
    b.draw(&ordered(), &DrawCall::Indirect { arguments: memory::ARGUMENTS + 0x6000 })?;
    b.barrier("both, then composition", Access::ColorWrite | Access::DepthWrite | Access::PixelWrite, Access::PixelRead | Access::ConstantRead)?;

    b.begin("composition");
    b.draw(&composed(), &DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() })?;

    b.begin("fence");
    let from = Access::ColorWrite | Access::PixelWrite;
    let fence = Fence { from, host: true, interrupt: Interrupt::AfterWrite, ..Fence::new(memory::FENCE, FenceData::Quad(1)) };
    let plan = b.recorder.fence(&fence)?;
    b.parts.last_mut().ok_or("no part")?.plan = Some(plan);
    let Builder { recorder, parts, .. } = b;
    Ok(Frame { words: recorder.finish()?, parts })
}
