//! Sequences of draws with few changes between them, to compare their cost with that of a driver.
#![allow(dead_code)] // each program uses its part

use pm4::chip::Chip;
use pm4::draw::*;

/// A kind of change before each draw, and the draw.
pub struct Case {
    /// The name of the case.
    pub name: &'static str,
    /// The change, in words.
    pub changes: &'static str,
    change: Change,
}

/// The change of a case before each draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Indexed,
    PushConstants,
    Viewport,
    Scissor,
    BlendConstants,
    StencilReference,
    VertexBuffer,
    Pipeline,
    PipelineViewportPush,
    Instances,
}

impl Change {
    /// Returns whether every other draw uses another pipeline.
    fn switches(self) -> bool {
        matches!(self, Self::Pipeline | Self::PipelineViewportPush)
    }
}

/// Returns one rgba8 target and one D32 target of 512 by 512 pixels, with one sample.
fn targets() -> TargetsDesc {
    let surface = |address| Surface { address, ..Surface::default() };
    TargetsDesc {
        color: vec![TargetImage { surface: surface(0x1_0000_0000), ..TargetImage::default() }],
        depth: Some(DepthTarget { surface: surface(0x2_0000_0000), ..DepthTarget::new(DepthFormat::D32, 1) }),
        extent: (512, 512),
        rate_image: None,
    }
}

/// The user SGPRs of the vertex program: the address of a vertex buffer's descriptor, then 16 dwords of push constants.
const DESCRIPTOR: u32 = 0;
const PUSH_CONSTANTS: u32 = 1;

/// Returns a pipeline with one interpolated parameter.
fn plain() -> PipelineDesc {
    let program = |address, user_data| Program { address: Some(address), vgprs: 16, sgprs: 32, user_data, ..Program::default() };
    let inputs = PixelInputs { interpolants: vec![Interpolant::parameter(0)], loads: PixelInput::PerspCenter.into(), ..PixelInputs::default() };
    PipelineDesc {
        shader: Some(PixelShader { program: program(0x10_0000, vec![]), inputs, ..PixelShader::default() }),
        vertex: VertexStage { program: program(0x20_0000, vec![UserData::Keep; 17]), parameters: 1, ..VertexStage::default() },
        depth_test: DepthTest { test: true, write: true, ..DepthTest::default() },
        ..PipelineDesc::default()
    }
}

/// Returns a pipeline with a pixel shader that discards, blending, culling, and no depth writes.
fn other() -> PipelineDesc {
    let mut desc = plain();
    if let Some(shader) = &mut desc.shader {
        shader.can_discard = true;
        shader.program = Program { address: Some(0x30_0000), vgprs: 40, ..shader.program.clone() };
    }
    desc.blends.iter_mut().for_each(|target| target.blend = Some(Blend::SOURCE_OVER));
    desc.raster.cull = Cull::Back;
    desc.depth_test.write = false;
    desc
}

/// All cases, under the names that the driver's measurements use.
pub static CASES: [Case; 11] = [
    Case { name: "draw", changes: "nothing", change: Change::Nothing },
    Case { name: "draw_indexed", changes: "nothing; an indexed draw", change: Change::Indexed },
    Case { name: "push_constants", changes: "4 of 16 dwords of user data", change: Change::PushConstants },
    Case { name: "viewport", changes: "width of the one viewport", change: Change::Viewport },
    Case { name: "scissor", changes: "width of the one scissor", change: Change::Scissor },
    Case { name: "blend_constants", changes: "one of four; nothing blends", change: Change::BlendConstants },
    Case { name: "stencil_ref", changes: "the reference; there is no stencil test", change: Change::StencilReference },
    Case {
        name: "vertex_buffer",
        changes: "offset of the one vertex buffer: a descriptor in upload memory, its address in a user SGPR",
        change: Change::VertexBuffer,
    },
    Case { name: "pipeline_switch", changes: "pixel shader, blending, culling, depth writes", change: Change::Pipeline },
    Case { name: "pipeline+viewport+push", changes: "all three", change: Change::PipelineViewportPush },
    Case { name: "instances", changes: "1 or 2 instances", change: Change::Instances },
];

/// The objects of a case for a chip.
pub struct Objects {
    chip: Chip,
    change: Change,
    pipelines: [Pipeline; 2],
    targets: Targets,
}

impl Case {
    /// Creates the objects.
    ///
    /// # Errors
    /// Returns an error if the chip does not support something.
    pub fn objects(&self, chip: Chip) -> Result<Objects, DrawError> {
        let pipelines = [Pipeline::new(chip, plain())?, Pipeline::new(chip, other())?];
        Ok(Objects { chip, change: self.change, pipelines, targets: Targets::new(chip, targets())? })
    }
}

/// The upload memory of 64 KiB in dwords, and its GPU address.
const UPLOAD: usize = 16 << 10;
const UPLOAD_ADDRESS: u32 = 0x50_0000;

/// The instances of each draw.
const ONCE: Instances = Instances { first: 0, count: 1 };

/// Everything that stays the same in all draws of a case.
struct Fixed {
    vertices: Vertices,
    buffer: IndexBuffer,
    indices: Indices,
    viewport: Viewport,
    scissor: Rect,
}

impl Default for Fixed {
    fn default() -> Self {
        Self {
            vertices: Vertices { first: 0, count: 3 },
            buffer: IndexBuffer { address: 0x40_0000, indices: 300, format: IndexFormat::U16 },
            indices: Indices { first: 0, count: 3, base_vertex: 0 },
            viewport: Viewport::covering((512, 512)),
            scissor: Rect { x: 0, y: 0, width: 512, height: 512 },
        }
    }
}

impl Objects {
    /// Records everything before the first draw.
    ///
    /// # Errors
    /// Returns an error if the buffer is full.
    pub fn begin<B: pm4::packet::Buffer>(&self, recorder: &mut Recorder<B>) -> Result<(), RecordError> {
        recorder.begin()?;
        recorder.bind_targets(&self.targets)?;
        recorder.bind_pipeline(&self.pipelines[0])?;
        recorder.set_viewports(&[Viewport::covering((512, 512))])?;
        recorder.set_scissors(&[Rect { x: 0, y: 0, width: 512, height: 512 }])?;
        recorder.set_user_data(Stage::Vertex, DESCRIPTOR, &[UPLOAD_ADDRESS])?;
        recorder.set_user_data(Stage::Vertex, PUSH_CONSTANTS, &core::array::from_fn::<u32, 16, _>(|at| at as u32))
    }

    /// Records `draws` draws. Each case is a separate loop that makes the change and draws, like the loop with which the driver was measured. Constant numbers
    /// come from memory, so that the compiler cannot know their values.
    ///
    /// # Errors
    /// Returns an error if the buffer is full.
    pub fn record<B: pm4::packet::Buffer>(&self, recorder: &mut Recorder<B>, upload: &mut [u32], draws: usize) -> Result<(), RecordError> {
        let fixed = core::hint::black_box(Fixed::default());
        let Fixed { vertices, buffer, indices, viewport, scissor } = fixed;
        match self.change {
            Change::Nothing => (0..draws).try_for_each(|_| recorder.draw_instances(vertices, ONCE)),
            Change::Indexed => (0..draws).try_for_each(|_| recorder.draw_indexed_instances(buffer, indices, ONCE)),
            Change::PushConstants => (0..draws).try_for_each(|at| {
                recorder.set_user_data(Stage::Vertex, PUSH_CONSTANTS + 4, &[at as u32; 4])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::Viewport => (0..draws).try_for_each(|at| {
                recorder.set_viewports(&[Viewport { width: viewport.width - (at % 2) as f32, ..viewport }])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::Scissor => (0..draws).try_for_each(|at| {
                recorder.set_scissors(&[Rect { width: scissor.width - at as u32 % 2, ..scissor }])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::BlendConstants => (0..draws).try_for_each(|at| {
                recorder.set_blend_constants([0.0, (at % 2) as f32, 0.0, 0.0])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::StencilReference => (0..draws).try_for_each(|at| {
                let values = StencilValues { reference: at as u8 % 2, ..StencilValues::default() };
                recorder.set_stencil(Some((values, values)));
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::VertexBuffer => (0..draws).try_for_each(|at| {
                let place = 4 * at % UPLOAD;
                if let Some([base, stride, records, format]) = upload.get_mut(place..place + 4) {
                    (*base, *stride, *records, *format) = (0x60_0000 + 12 * (at as u32 % 2), 12 << 16, 100, 0x2_4FAC);
                }
                recorder.set_user_data(Stage::Vertex, DESCRIPTOR, &[UPLOAD_ADDRESS + 4 * place as u32])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::Pipeline => (0..draws).try_for_each(|at| {
                recorder.bind_pipeline(&self.pipelines[at % 2])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::PipelineViewportPush => (0..draws).try_for_each(|at| {
                recorder.bind_pipeline(&self.pipelines[at % 2])?;
                recorder.set_viewports(&[Viewport { width: viewport.width - (at % 2) as f32, ..viewport }])?;
                recorder.set_user_data(Stage::Vertex, PUSH_CONSTANTS + 4, &[at as u32; 4])?;
                recorder.draw_instances(vertices, ONCE)
            }),
            Change::Instances => (0..draws).try_for_each(|at| recorder.draw_instances(vertices, Instances { first: 0, count: 1 + at as u32 % 2 })),
        }
    }

    /// Returns the upload memory.
    pub fn upload() -> Vec<u32> {
        vec![0; UPLOAD]
    }

    /// Returns a complete description of the last of `draws` draws.
    pub fn last(&self, draws: usize, state: &DynamicState) -> DrawDesc {
        let pipeline = &self.pipelines[if self.change.switches() { (draws + 1) % 2 } else { 0 }];
        DrawDesc { pipeline: pipeline.desc().clone(), targets: self.targets.desc().clone(), state: state.clone(), ..DrawDesc::default() }
    }

    /// Returns the number of dwords of `draws` draws, including the preamble.
    ///
    /// # Errors
    /// Returns an error if something cannot be recorded.
    pub fn dwords(&self, draws: usize) -> Result<usize, RecordError> {
        let mut recorder = Recorder::new(self.chip);
        self.begin(&mut recorder)?;
        self.record(&mut recorder, &mut Self::upload(), draws)?;
        Ok(recorder.words().len())
    }

    /// Returns the number of dwords per draw: the difference between twice as many draws and as many.
    ///
    /// # Errors
    /// Returns an error if something cannot be recorded.
    pub fn dwords_per_draw(&self, draws: usize) -> Result<f64, RecordError> {
        let (once, twice) = (self.dwords(draws)?, self.dwords(2 * draws)?);
        Ok((twice - once) as f64 / draws.max(1) as f64)
    }
}
