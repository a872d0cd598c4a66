//! A draw that uses most features of a description, on every chip.

use pm4::draw::*;

/// Returns a draw with sample interlock at 8x, four blending colour targets, depth and stencil with both tests, depth bias and bounds, two viewports, programs
/// with user data, eight interpolants, and a query.
pub fn full_draw() -> DrawDesc {
    let program = |address| Program { address: Some(address), vgprs: 48, sgprs: 40, user_data: (0..16).map(UserData::Word).collect(), ..Program::default() };
    let surface = |address| Surface { address, stencil_address: address + 0x100_0000, ..Surface::default() };
    let color = |n: u64| {
        (
            TargetImage { surface: surface(0x1_0000_0000 + n * 0x200_0000), ..TargetImage::default() },
            TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() },
        )
    };
    let viewport = |x| Viewport { x, width: 960.0, ..Viewport::covering((1920, 1080)) };
    let interpolants = (0..8).map(Interpolant::parameter).collect();
    let loads = PixelLoads::from(PixelInput::PerspCenter) | PixelInput::PosX | PixelInput::PosY;
    let inputs = PixelInputs { interpolants, loads, ..PixelInputs::default() };
    let outputs = VertexOutputs { viewport: true, ..VertexOutputs::default() };
    DrawDesc {
        pipeline: PipelineDesc {
            shader: Some(PixelShader { program: program(0x10_0000), inputs, writes_memory: true, can_discard: true, ..PixelShader::default() }),
            vertex: VertexStage { program: program(0x20_0000), parameters: 8, outputs, reads_instance_id: true, ..VertexStage::default() },
            interlock: Interlock::SampleOrdered,
            samples: 8,
            raster: Raster { cull: Cull::Back, depth_bias: Some(DepthBias { constant: 1.0, slope: 1.5, clamp: 0.0 }), ..Raster::default() },
            depth_test: DepthTest { bounds: Some((0.0, 1.0)), stencil: Some(Default::default()), ..DepthTest::default() },
            topology: Topology::TriangleStrip,
            primitive_restart: true,
            ..PipelineDesc::default()
        },
        targets: TargetsDesc {
            depth: Some(DepthTarget { surface: surface(0x2_0000_0000), ..DepthTarget::new(DepthFormat::D32s8, 8) }),
            extent: (1920, 1080),
            ..TargetsDesc::default()
        },
        state: DynamicState {
            viewports: vec![viewport(0.0), viewport(960.0)],
            scissors: vec![Rect { x: 0, y: 0, width: 960, height: 1080 }, Rect { x: 960, y: 0, width: 960, height: 1080 }],
            blend_constants: [0.25, 0.5, 0.75, 1.0],
            occlusion: Occlusion::Precise,
            ..DynamicState::default()
        },
        ..DrawDesc::default()
    }
    .with_colors((0..4).map(color))
}
