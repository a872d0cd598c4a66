//! Draws of which a little changes from one to the next: what they cost is compared with a driver's.
#![allow(dead_code)] // each program uses its part

use pm4::chip::Chip;
use pm4::draw::*;

/// States that take turns from draw to draw, and the call of each draw.
pub struct Case {
    /// The name of the case.
    pub name: &'static str,
    /// What changes, in words.
    pub changes: &'static str,
    states: fn() -> [DrawDesc; 2],
    call: fn(usize) -> DrawCall,
}

/// One rgba8 target and one D32 target of 512 by 512 pixels, one sample, 16 dwords of push constants and the address of a vertex buffer's descriptor in SGPRs.
fn plain() -> DrawDesc {
    let program = |address, user_data| Program { address: Some(address), vgprs: 16, sgprs: 32, user_data, ..Program::default() };
    let inputs = PixelInputs { interpolants: vec![Interpolant::parameter(0)], loads: PixelInput::PerspCenter.into(), ..PixelInputs::default() };
    let surface = |address| Surface { address, ..Surface::default() };
    DrawDesc {
        shader: Some(PixelShader { program: program(0x10_0000, vec![]), inputs, ..PixelShader::default() }),
        vertex: VertexStage { program: program(0x20_0000, (0..17).map(UserData::Word).collect()), parameters: 1, ..VertexStage::default() },
        color: vec![ColorTarget { surface: surface(0x1_0000_0000), ..ColorTarget::default() }],
        depth: Some(DepthTarget { surface: surface(0x2_0000_0000), ..DepthTarget::new(DepthFormat::D32, 1) }),
        depth_test: DepthTest { test: true, write: true, ..DepthTest::default() },
        extent: (512, 512),
        viewports: vec![Viewport::covering((512, 512))],
        scissors: vec![Rect { x: 0, y: 0, width: 512, height: 512 }],
        ..DrawDesc::default()
    }
}

/// The plain state and another one.
fn beside(change: impl FnOnce(&mut DrawDesc)) -> [DrawDesc; 2] {
    let mut other = plain();
    change(&mut other);
    [plain(), other]
}

fn viewport(desc: &mut DrawDesc) {
    desc.viewports = vec![Viewport { width: 511.0, ..Viewport::covering((512, 512)) }];
}

fn push_constants(desc: &mut DrawDesc) {
    for word in desc.vertex.program.user_data.iter_mut().skip(5).take(4) {
        *word = UserData::Word(0x100);
    }
}

/// Another pixel shader, which discards; blending, culling and no depth writes.
fn pipeline(desc: &mut DrawDesc) {
    if let Some(shader) = &mut desc.shader {
        shader.can_discard = true;
        shader.program = Program { address: Some(0x30_0000), vgprs: 40, ..shader.program.clone() };
    }
    desc.color.iter_mut().for_each(|target| target.blend = Some(Blend::SOURCE_OVER));
    desc.raster.cull = Cull::Back;
    desc.depth_test.write = false;
}

fn auto(_: usize) -> DrawCall {
    DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() }
}

fn indexed(_: usize) -> DrawCall {
    let buffer = IndexBuffer { addr: 0x40_0000, size: 300, format: IndexFormat::U16 };
    DrawCall::Indexed { buffer, indices: Indices { first: 0, count: 3, base_vertex: 0 }, instances: Instances::default() }
}

fn instanced(at: usize) -> DrawCall {
    DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances { first: 0, count: 1 + at as u32 % 2 } }
}

const fn case(name: &'static str, changes: &'static str, states: fn() -> [DrawDesc; 2]) -> Case {
    Case { name, changes, states, call: auto }
}

/// All cases, under the names that they have for the driver.
pub static CASES: [Case; 11] = [
    case("draw", "nothing", || beside(|_| ())),
    Case { call: indexed, ..case("draw_indexed", "nothing; an indexed draw", || beside(|_| ())) },
    case("push_constants", "4 of 16 dwords of user data", || beside(push_constants)),
    case("viewport", "width of the one viewport", || beside(viewport)),
    case("scissor", "width of the one scissor", || beside(|d| d.scissors = vec![Rect { x: 0, y: 0, width: 500, height: 512 }])),
    case("blend_constants", "one of four; nothing blends", || beside(|d| d.blend_constants[1] = 0.5)),
    // A description without stencil test has no reference.
    case("stencil_ref", "the reference; there is no stencil test", || beside(|_| ())),
    case("vertex_buffer", "address of the descriptor of the one vertex buffer", || beside(|d| d.vertex.program.user_data[0] = UserData::Word(0x200))),
    case("pipeline_switch", "pixel shader, blending, culling, depth writes", || beside(pipeline)),
    case("pipeline+viewport+push", "all three", || {
        beside(|d| {
            pipeline(d);
            viewport(d);
            push_constants(d);
        })
    }),
    Case { call: instanced, ..case("instances", "1 or 2 instances", || beside(|_| ())) },
];

/// A case resolved for a chip.
pub struct Resolutions {
    states: [Resolved; 2],
    calls: [DrawCall; 2],
}

impl Case {
    /// Resolves the states.
    ///
    /// # Errors
    /// What the chip cannot serve.
    pub fn resolve(&self, chip: Chip) -> Result<Resolutions, DrawError> {
        let [first, other] = (self.states)();
        let resolved = first.resolve(chip)?;
        // Where nothing changes, the state is the same object.
        let other = if first == other { resolved.clone() } else { other.resolve(chip)? };
        Ok(Resolutions { states: [resolved, other], calls: [(self.call)(0), (self.call)(1)] })
    }
}

impl Resolutions {
    /// Records so many draws.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn record<B: pm4::packet::Buffer>(&self, recorder: &mut Recorder<B>, draws: usize) -> Result<(), RecordError> {
        (0..draws).try_for_each(|at| recorder.draw_call(&self.states[at % 2], &self.calls[at % 2]))
    }

    /// The images of the two states.
    pub fn images(&self) -> [&Image; 2] {
        [&self.states[0].image, &self.states[1].image]
    }

    /// Dwords that so many draws take, behind the preamble.
    ///
    /// # Errors
    /// What cannot be recorded.
    pub fn dwords(&self, chip: Chip, draws: usize) -> Result<usize, RecordError> {
        let mut recorder = Recorder::new(chip);
        recorder.begin()?;
        self.record(&mut recorder, draws)?;
        Ok(recorder.words().len())
    }

    /// Dwords a draw: what twice as many draws take more.
    ///
    /// # Errors
    /// What cannot be recorded.
    pub fn dwords_per_draw(&self, chip: Chip, draws: usize) -> Result<f64, RecordError> {
        let (once, twice) = (self.dwords(chip, draws)?, self.dwords(chip, 2 * draws)?);
        Ok((twice - once) as f64 / draws.max(1) as f64)
    }
}
