//! Draws of which a little changes from one to the next: what they cost is compared with a driver's.
#![allow(dead_code)] // each program uses its part

use pm4::chip::Chip;
use pm4::draw::*;

/// What changes before each draw, and the draw.
pub struct Case {
    /// The name of the case.
    pub name: &'static str,
    /// What changes, in words.
    pub changes: &'static str,
    change: Change,
}

/// What a case does at each draw.
#[derive(Clone, Copy)]
struct Change {
    pipeline: bool,
    viewport: bool,
    scissor: bool,
    blend_constants: bool,
    stencil_reference: bool,
    push_constants: bool,
    vertex_buffer: bool,
    indexed: bool,
    instances: bool,
}

const NOTHING: Change = Change {
    pipeline: false,
    viewport: false,
    scissor: false,
    blend_constants: false,
    stencil_reference: false,
    push_constants: false,
    vertex_buffer: false,
    indexed: false,
    instances: false,
};

/// One rgba8 target and one D32 target of 512 by 512 pixels, one sample.
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

/// A pipeline with one interpolated parameter.
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

/// Another pixel shader, which discards; blending, culling and no depth writes.
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

/// All cases, under the names that they have for the driver.
pub static CASES: [Case; 11] = [
    Case { name: "draw", changes: "nothing", change: NOTHING },
    Case { name: "draw_indexed", changes: "nothing; an indexed draw", change: Change { indexed: true, ..NOTHING } },
    Case { name: "push_constants", changes: "4 of 16 dwords of user data", change: Change { push_constants: true, ..NOTHING } },
    Case { name: "viewport", changes: "width of the one viewport", change: Change { viewport: true, ..NOTHING } },
    Case { name: "scissor", changes: "width of the one scissor", change: Change { scissor: true, ..NOTHING } },
    Case { name: "blend_constants", changes: "one of four; nothing blends", change: Change { blend_constants: true, ..NOTHING } },
    Case { name: "stencil_ref", changes: "the reference; there is no stencil test", change: Change { stencil_reference: true, ..NOTHING } },
    Case {
        name: "vertex_buffer",
        changes: "offset of the one vertex buffer: a descriptor in upload memory, its address in a user SGPR",
        change: Change { vertex_buffer: true, ..NOTHING },
    },
    Case { name: "pipeline_switch", changes: "pixel shader, blending, culling, depth writes", change: Change { pipeline: true, ..NOTHING } },
    Case { name: "pipeline+viewport+push", changes: "all three", change: Change { pipeline: true, viewport: true, push_constants: true, ..NOTHING } },
    Case { name: "instances", changes: "1 or 2 instances", change: Change { instances: true, ..NOTHING } },
];

/// The objects of a case, for a chip.
pub struct Objects {
    chip: Chip,
    change: Change,
    pipelines: [Pipeline; 2],
    targets: Targets,
}

impl Case {
    /// Makes the objects.
    ///
    /// # Errors
    /// What the chip cannot serve.
    pub fn objects(&self, chip: Chip) -> Result<Objects, DrawError> {
        let pipelines = [Pipeline::new(chip, plain())?, Pipeline::new(chip, other())?];
        Ok(Objects { chip, change: self.change, pipelines, targets: Targets::new(chip, targets())? })
    }
}

/// Upload memory of 64 KiB, in dwords, and where the hardware sees it.
const UPLOAD: usize = 16 << 10;
const UPLOAD_ADDRESS: u32 = 0x50_0000;

/// Instances of draws.
const ONCE: Instances = Instances { first: 0, count: 1 };

impl Objects {
    /// What stands before the first draw.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn begin<B: pm4::packet::Buffer>(&self, recorder: &mut Recorder<B>) -> Result<(), RecordError> {
        recorder.begin()?;
        recorder.bind_targets(&self.targets)?;
        recorder.bind_pipeline(&self.pipelines[0])?;
        recorder.set_viewports(&[Viewport::covering((512, 512))])?;
        recorder.set_scissors(&[Rect { x: 0, y: 0, width: 512, height: 512 }])?;
        recorder.set_user_data(Stage::Vertex, DESCRIPTOR, &[UPLOAD_ADDRESS])?;
        recorder.set_user_data(Stage::Vertex, PUSH_CONSTANTS, &core::array::from_fn::<u32, 16, _>(|at| at as u32))
    }

    /// Records so many draws. Draws of one state stand in their places whether other things change or not: nothing here is known when it is compiled.
    ///
    /// # Errors
    /// When the buffer is full.
    pub fn record<B: pm4::packet::Buffer>(&self, recorder: &mut Recorder<B>, upload: &mut [u32], draws: usize) -> Result<(), RecordError> {
        let change = core::hint::black_box(self.change);
        let vertices = Vertices { first: 0, count: 3 };
        let buffer = IndexBuffer { addr: 0x40_0000, size: 300, format: IndexFormat::U16 };
        let indices = Indices { first: 0, count: 3, base_vertex: 0 };
        for at in 0..draws {
            let odd = at % 2;
            if change.pipeline {
                recorder.bind_pipeline(&self.pipelines[odd])?;
            }
            if change.viewport {
                recorder.set_viewports(&[Viewport { width: 512.0 - odd as f32, ..Viewport::covering((512, 512)) }])?;
            }
            if change.scissor {
                recorder.set_scissors(&[Rect { x: 0, y: 0, width: 512 - odd as u32, height: 512 }])?;
            }
            if change.blend_constants {
                recorder.set_blend_constants([0.0, odd as f32, 0.0, 0.0])?;
            }
            if change.stencil_reference {
                let values = StencilValues { reference: odd as u8, ..StencilValues::default() };
                recorder.set_stencil(Some((values, values)));
            }
            if change.push_constants {
                recorder.set_user_data(Stage::Vertex, PUSH_CONSTANTS + 4, &[at as u32; 4])?;
            }
            if change.vertex_buffer {
                let place = 4 * at % UPLOAD;
                if let Some(words) = upload.get_mut(place..place + 4) {
                    words.copy_from_slice(&[0x60_0000 + 12 * odd as u32, 12 << 16, 100, 0x2_4FAC]);
                }
                recorder.set_user_data(Stage::Vertex, DESCRIPTOR, &[UPLOAD_ADDRESS + 4 * place as u32])?;
            }
            let instances = if change.instances { Instances { first: 0, count: 1 + odd as u32 } } else { ONCE };
            if change.indexed {
                recorder.draw_indexed_instances(buffer, indices, instances)?;
            } else {
                recorder.draw_instances(vertices, instances)?;
            }
        }
        Ok(())
    }

    /// Upload memory.
    pub fn upload() -> Vec<u32> {
        vec![0; UPLOAD]
    }

    /// The last of so many draws, described at once.
    pub fn last(&self, draws: usize, state: &DynamicState) -> DrawDesc {
        let pipeline = &self.pipelines[if self.change.pipeline { (draws + 1) % 2 } else { 0 }];
        DrawDesc::of(pipeline.desc(), self.targets.desc(), state)
    }

    /// Dwords that so many draws take, the preamble among them.
    ///
    /// # Errors
    /// What cannot be recorded.
    pub fn dwords(&self, draws: usize) -> Result<usize, RecordError> {
        let mut recorder = Recorder::new(self.chip);
        self.begin(&mut recorder)?;
        self.record(&mut recorder, &mut Self::upload(), draws)?;
        Ok(recorder.words().len())
    }

    /// Dwords per draw: what twice as many draws take more.
    ///
    /// # Errors
    /// What cannot be recorded.
    pub fn dwords_per_draw(&self, draws: usize) -> Result<f64, RecordError> {
        let (once, twice) = (self.dwords(draws)?, self.dwords(2 * draws)?);
        Ok((twice - once) as f64 / draws.max(1) as f64)
    }
}
