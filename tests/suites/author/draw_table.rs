//! The register changes caused by each part of a description: tables in `golden/draw/`.
//!
//! A table begins with a draw and the reasons for its fields: `samples.txt` contains all of them, the others only differences from it. Each unindented line is
//! a change of the description, followed by the register fields whose values change, or the error of chips that refuse the change. Six columns mark the chips:
//! vega10, navi10, navi21, navi31, gfx1150, gfx1201. If you change how a draw resolves, rewrite the tables (`PM4_WRITE_GOLDEN=1 cargo test --test author
//! draw_table`) and check what has changed against its source.

use crate::chip_table::{Registers, assert_table, differences, name, refused};
use pm4::chip::Chip;
use pm4::draw::*;
use pm4::packet::Reader;
use pm4::regs;
use std::collections::BTreeSet;
use std::fmt::Debug;
use strum::IntoEnumIterator;

const SOURCE: &str = "tests/suites/author/draw_table.rs";

/// The table whose header contains all fields of the draw and their reasons. Other headers contain only differences from it.
const WHOLE: &str = "samples";

/// A draw, and changes of its description.
struct Section {
    /// The name of its file.
    title: &'static str,
    base: DrawDesc,
    changes: Vec<(String, DrawDesc)>,
}

impl Section {
    fn new(title: &'static str, base: &DrawDesc) -> Self {
        Self { title, base: base.clone(), changes: Vec::new() }
    }

    fn add(&mut self, what: impl Into<String>, change: impl FnOnce(&mut DrawDesc)) {
        change(self.copy(what.into()));
    }

    /// Adds a copy of the draw, to be changed.
    fn copy(&mut self, what: String) -> &mut DrawDesc {
        self.changes.push((what, self.base.clone()));
        &mut self.changes.last_mut().expect("it was put there").1
    }

    /// Adds the same change with several values.
    fn all<T: Debug + Copy>(&mut self, what: &str, values: impl IntoIterator<Item = T>, change: impl Fn(&mut DrawDesc, T)) {
        for value in values {
            self.add(format!("{what} = {value:?}"), |desc| change(desc, value));
        }
    }
}

/// Adds a change of a field: `change!(section, state.occlusion = Occlusion::Precise)`; `of` states where the path begins.
macro_rules! change {
    ($section:ident, $($field:ident).+ = $value:expr) => {
        $section.add(concat!(stringify!($($field).+), " = ", stringify!($value)), |desc| desc.$($field).+ = $value)
    };
    ($section:ident, of $of:ident, $($field:ident).+ = $value:expr) => {
        $section.add(concat!(stringify!($of), ".", stringify!($($field).+), " = ", stringify!($value)), |desc| $of(desc).$($field).+ = $value)
    };
}

// Short names for parts of a description.

fn pixel_shader(desc: &mut DrawDesc) -> &mut PixelShader {
    desc.pipeline.shader.get_or_insert_default()
}

fn pixel_program(desc: &mut DrawDesc) -> &mut Program {
    &mut pixel_shader(desc).program
}

fn vertex_program(desc: &mut DrawDesc) -> &mut Program {
    &mut desc.pipeline.vertex.program
}

fn tessellation(desc: &mut DrawDesc) -> &mut Tessellation {
    desc.pipeline.tessellation.get_or_insert_default()
}

fn hull_program(desc: &mut DrawDesc) -> &mut Program {
    &mut tessellation(desc).program
}

fn geometry(desc: &mut DrawDesc) -> &mut GeometryStage {
    desc.pipeline.geometry.get_or_insert_default()
}

fn mesh(desc: &mut DrawDesc) -> &mut MeshStage {
    desc.pipeline.mesh.get_or_insert_default()
}

fn raster(desc: &mut DrawDesc) -> &mut Raster {
    &mut desc.pipeline.raster
}

fn depth_test(desc: &mut DrawDesc) -> &mut DepthTest {
    &mut desc.pipeline.depth_test
}

fn front_stencil(desc: &mut DrawDesc) -> &mut StencilFace {
    &mut desc.pipeline.depth_test.stencil.get_or_insert_default().0
}

fn back_stencil(desc: &mut DrawDesc) -> &mut StencilFace {
    &mut desc.pipeline.depth_test.stencil.get_or_insert_default().1
}

fn color0(desc: &mut DrawDesc) -> &mut TargetImage {
    &mut desc.targets.color[0]
}

fn blend0(desc: &mut DrawDesc) -> &mut Blend {
    desc.pipeline.blends[0].blend.get_or_insert(Blend::SOURCE_OVER)
}

fn depth_target(desc: &mut DrawDesc) -> &mut DepthTarget {
    desc.targets.depth.get_or_insert(DepthTarget::new(DepthFormat::D32s8, 1))
}

fn htile(desc: &mut DrawDesc) -> &mut Htile {
    depth_target(desc).htile.get_or_insert(Htile { address: 0x60_0000, ..Htile::default() })
}

/// Compression of a target, which must not be linear.
const DCC_BLOCKS: [(&str, Option<DccBlocks>); 6] = [
    ("bytes256", Some(DccBlocks::BYTES_256)),
    ("bytes128", Some(DccBlocks::BYTES_128)),
    ("bytes64", Some(DccBlocks::BYTES_64)),
    ("bytes64-and-128", Some(DccBlocks::BYTES_64_AND_128)),
    ("bytes256-and-128", Some(DccBlocks::BYTES_256_AND_128)),
    ("of the chip", None),
];

fn compression(desc: &mut DrawDesc) -> &mut ColorCompression {
    color0(desc).surface.swizzle = 27;
    color0(desc).compression.get_or_insert_default()
}

fn samples(desc: &mut DrawDesc, samples: u32) {
    desc.pipeline.samples = samples;
    depth_target(desc).samples = samples;
}

fn surface(address: u64) -> Surface {
    Surface { address, stencil_address: address + 0x10_0000, ..Surface::default() }
}

fn program(address: u64) -> Program {
    Program { address: Some(address), ..Program::default() }
}

/// Returns triangles with a pixel shader, two colour targets of which the first blends, depth and stencil.
fn triangles() -> DrawDesc {
    let blended = TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() };
    DrawDesc {
        pipeline: PipelineDesc {
            shader: Some(PixelShader { program: program(0x10_0000), ..PixelShader::default() }),
            vertex: VertexStage { program: program(0x20_0000), ..VertexStage::default() },
            depth_test: DepthTest { test: true, write: true, compare: Compare::LessOrEqual, ..DepthTest::default() },
            ..PipelineDesc::default()
        },
        targets: TargetsDesc {
            depth: Some(DepthTarget { surface: surface(0x300_0000), ..DepthTarget::new(DepthFormat::D32s8, 1) }),
            extent: (640, 480),
            ..TargetsDesc::default()
        },
        ..DrawDesc::default()
    }
    .with_colors([
        (TargetImage { surface: surface(0x100_0000), ..TargetImage::default() }, blended),
        (TargetImage { format: ColorFormat::Rgba16f, surface: surface(0x200_0000), ..TargetImage::default() }, TargetBlend::default()),
    ])
}

fn programs_of(section: &mut Section, of: &str, program: fn(&mut DrawDesc) -> &mut Program) {
    section.add(format!("{of}: scratch memory at a high address"), |desc| {
        program(desc).scratch_bytes = 1024;
        desc.pipeline.scratch = Some(ScratchRing { address: 0x1234_5678_0000, waves: 64 });
    });
    section.all(&format!("{of}.wave"), [WaveSize::W32], |desc, wave| program(desc).wave = wave);
    section.all(&format!("{of}.vgprs"), [1, 5, 8, 9, 16, 17, 128, 256, 257], |desc, vgprs| program(desc).vgprs = vgprs);
    section.all(&format!("{of}.wave, vgprs"), [(WaveSize::W32, 17), (WaveSize::W32, 256)], |desc, (wave, vgprs)| {
        (program(desc).wave, program(desc).vgprs) = (wave, vgprs);
    });
    section.all(&format!("{of}.prefetch_bytes"), [1, 128, 129, 8064, 8065, 32640, u32::MAX], |desc, bytes| program(desc).prefetch_bytes = bytes);
    section.all(&format!("{of}.shared_vgprs"), [8, 120, 4, 128], |desc, vgprs| program(desc).shared_vgprs = vgprs);
    section.all(&format!("{of}.sgprs"), [16, 102, 103, 106, 107], |desc, sgprs| program(desc).sgprs = sgprs);
    section.all(&format!("{of}.reserved_sgprs"), [0, 7], |desc, sgprs| program(desc).reserved_sgprs = sgprs);
    section.all(&format!("{of}.lds_bytes"), [1, 128, 129, 4096, 0x1_0000, 0x1_0001], |desc, bytes| program(desc).lds_bytes = bytes);
    section.all(&format!("{of}.scratch_bytes"), [256, 1025], |desc, bytes| {
        desc.pipeline.scratch = Some(ScratchRing { address: 0x70_0000, waves: 64 });
        program(desc).scratch_bytes = bytes;
    });
    section.all(&format!("{of}.address"), [Some(0x1234_5678_9A00), None, Some(0x80)], |desc, address| program(desc).address = address);
    section.all(&format!("{of}.address_pair"), [Some(0x1122_3344_5566)], |desc, pair| program(desc).address_pair = pair);
    section.all(&format!("{of}.float_mode"), [0x3F], |desc, mode| program(desc).float_mode = FloatMode(mode));
    section.all(&format!("{of}.ieee"), [true], |desc, on| program(desc).ieee = on);
    section.all(&format!("{of}.dx10_clamp"), [false], |desc, on| program(desc).dx10_clamp = on);
    section.all(&format!("{of}.fp16_overflow"), [true], |desc, on| program(desc).fp16_overflow = on);
    section.all(&format!("{of}.memory_ordered"), [false, true], |desc, ordered| program(desc).memory_ordered = Some(ordered));
    section.all(&format!("{of}.wave_limit"), [1, 16, 17, 1008, 1009, 1023, 1024], |desc, waves| program(desc).wave_limit = Some(waves));
    section.all(&format!("{of}.cu_mask"), [1, 0x10, 0x202, 0xFF_FF0F, 0x1_0000], |desc, mask| program(desc).cu_mask = Some(mask));
    section.all(&format!("{of}.user_data: words"), [1, 16, 31, 32, 33], |desc, words| program(desc).user_data = (0..words).map(UserData::Word).collect());
    use UserData::{BaseVertex, DrawIndex, FirstInstance, GroupsX, GroupsY, GroupsZ, Keep, RingEntry, ViewIndex};
    let values: [&[UserData]; 7] = [
        &[Keep, BaseVertex, FirstInstance, DrawIndex],
        &[ViewIndex],
        &[RingEntry],
        &[GroupsX],
        &[Keep, GroupsX, GroupsY, GroupsZ],
        &[GroupsX, GroupsZ, GroupsY],
        &[BaseVertex, BaseVertex],
    ];
    section.all(&format!("{of}.user_data"), values, |desc, data| program(desc).user_data = data.to_vec());
}

fn pixel_stage(base: &DrawDesc) -> Section {
    let mut s = Section::new("pixel_shader", base);
    change!(s, pipeline.shader = None);
    change!(s, of pixel_shader, writes_memory = true);
    change!(s, of pixel_shader, early_fragment_tests = true);
    change!(s, of pixel_shader, post_depth_coverage = true);
    change!(s, of pixel_shader, can_discard = true);
    change!(s, of pixel_shader, writes_depth = true);
    change!(s, of pixel_shader, writes_stencil = true);
    change!(s, of pixel_shader, writes_sample_mask = true);
    change!(s, of pixel_shader, reads_sample_mask = true);
    change!(s, of pixel_shader, reads_depth_target = true);
    change!(s, of pixel_shader, sample_shading = true);
    change!(s, of pixel_shader, reads_inner_coverage = true);
    s.add("inner coverage, conservative", |desc| {
        pixel_shader(desc).reads_inner_coverage = true;
        raster(desc).conservative = ConservativeRaster::Overestimate;
    });
    for layout in DepthLayout::iter() {
        s.add(format!("writes_depth, depth_layout = {layout}"), |desc| (pixel_shader(desc).writes_depth, pixel_shader(desc).depth_layout) = (true, layout));
    }
    for (depth, stencil, mask) in [(true, true, false), (true, false, true), (false, true, true), (true, true, true)] {
        s.add(format!("writes_depth, writes_stencil, writes_sample_mask = {depth}, {stencil}, {mask}"), |desc| {
            let shader = pixel_shader(desc);
            (shader.writes_depth, shader.writes_stencil, shader.writes_sample_mask) = (depth, stencil, mask);
        });
    }
    s.add("writes_memory, early_fragment_tests", |desc| (pixel_shader(desc).writes_memory, pixel_shader(desc).early_fragment_tests) = (true, true));
    s.add("reads_depth_target, early_fragment_tests", |desc| (pixel_shader(desc).reads_depth_target, pixel_shader(desc).early_fragment_tests) = (true, true));
    for input in PixelInput::iter() {
        s.add(format!("inputs.loads = {input}"), |desc| pixel_shader(desc).inputs.loads = input.into());
    }
    s.all("inputs.loads (bits)", [0, 0xFFFF], |desc, bits| pixel_shader(desc).inputs.loads = PixelLoads::from_bits(bits));
    s.add("inputs.room = all", |desc| pixel_shader(desc).inputs.room = Some(PixelLoads::from_bits(0xFFFF)));
    change!(s, of pixel_shader, inputs.wave_count = true);
    change!(s, of pixel_shader, inputs.provoking_vertex = true);
    use InterpolantSource::{Ones, OnesZero, Parameter, Zeros, ZerosOne};
    for source in [Parameter(0), Parameter(31), Parameter(32), Zeros, ZerosOne, OnesZero, Ones] {
        s.add(format!("inputs.interpolants = {source:?} of 32 parameters"), |desc| {
            desc.pipeline.vertex.parameters = 32;
            pixel_shader(desc).inputs.interpolants = vec![Interpolant { source, ..Interpolant::parameter(0) }];
        });
    }
    let one = Interpolant::parameter(0);
    let kinds = [
        Interpolant { flat: true, ..one },
        Interpolant { half: true, ..one },
        Interpolant { point_coordinate: true, ..one },
        Interpolant { flat: true, half: true, ..one },
    ];
    for interpolant in kinds {
        s.add(format!("inputs.interpolants = {interpolant:?}"), |desc| {
            desc.pipeline.vertex.parameters = 1;
            pixel_shader(desc).inputs.interpolants = vec![interpolant];
        });
    }
    s.all("interpolants", [1usize, 20, 21, 32, 33], |desc, count| {
        desc.pipeline.vertex.parameters = 32;
        pixel_shader(desc).inputs.interpolants = (0..count).map(|at| Interpolant::parameter(at as u8 & 31)).collect();
    });
    for export in ExportFormat::iter() {
        s.add(format!("exports: {export} to both targets, nothing else"), |desc| pixel_shader(desc).exports = Some(PixelExports::colors(&[export; 2])));
        s.add(format!("writes_depth, exports: {export} of depth"), |desc| {
            let exports = PixelExports { depth: export, ..PixelExports::colors(&[ExportFormat::Fp16; 2]) };
            (pixel_shader(desc).writes_depth, pixel_shader(desc).exports) = (true, Some(exports));
        });
    }
    s.all("cu_mask on boards, CUs per array", [(1, 3), (3, 5), (0xFFFF, 10), (0x0F0F, 12)], |desc, (mask, cus_per_array)| {
        desc.pipeline.board = Some(Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array });
        pixel_program(desc).cu_mask = Some(mask);
    });
    programs_of(&mut s, "pixel program", pixel_program);
    s
}

fn vertex_stage(base: &DrawDesc) -> Section {
    let mut s = Section::new("vertex_work", base);
    s.all("pipeline.vertex.path", [VertexPath::Legacy, VertexPath::Ngg], |desc, path| desc.pipeline.vertex.path = Some(path));
    change!(s, pipeline.vertex.reads_instance_id = true);
    change!(s, pipeline.vertex.exports_primitive_id = true);
    change!(s, pipeline.vertex.culling = true);
    s.all("pipeline.vertex.parameters", [1, 2, 9, 16, 32, 33], |desc, parameters| desc.pipeline.vertex.parameters = parameters);
    change!(s, pipeline.vertex.outputs.point_size = true);
    change!(s, pipeline.vertex.outputs.edge_flag = true);
    change!(s, pipeline.vertex.outputs.layer = true);
    change!(s, pipeline.vertex.outputs.viewport = true);
    change!(s, pipeline.vertex.outputs.shading_rate = true);
    s.all("pipeline.vertex.outputs.clip_distances", [0x01, 0x0F, 0x10, 0x80, 0xFF], |desc, bits| desc.pipeline.vertex.outputs.clip_distances = bits);
    s.all("pipeline.vertex.outputs.cull_distances", [0x01, 0x0F, 0x10, 0xFF], |desc, bits| desc.pipeline.vertex.outputs.cull_distances = bits);
    s.all("pipeline.vertex.subgroup", [(1, 1), (24, 24), (29, 16), (128, 128), (251, 100), (256, 128), (256, 256)], |desc, (vertices, primitives)| {
        desc.pipeline.vertex.subgroup = Subgroup { vertices, primitives };
    });
    s.all("board", [(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 2, 4), (2, 2, 5), (4, 2, 10)], |desc, (shader_engines, arrays_per_engine, cus_per_array)| {
        desc.pipeline.board = Some(Board { shader_engines, arrays_per_engine, cus_per_array });
    });
    s.all("board, culling, 16 parameters", [5, 6, 12], |desc, cus_per_array| {
        desc.pipeline.board = Some(Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array });
        (desc.pipeline.vertex.culling, desc.pipeline.vertex.parameters) = (true, 16);
    });
    programs_of(&mut s, "vertex program", vertex_program);
    s
}

fn rasterization(base: &DrawDesc) -> Section {
    let mut s = Section::new("rasterization", base);
    for topology in Topology::iter() {
        s.add(format!("topology = {topology}"), |desc| desc.pipeline.topology = topology);
        s.add(format!("topology = {topology}, primitive_restart"), |desc| (desc.pipeline.topology, desc.pipeline.primitive_restart) = (topology, true));
    }
    s.all("cull", [Cull::Front, Cull::Back, Cull::FrontAndBack], |desc, cull| raster(desc).cull = cull);
    change!(s, of raster, front = Winding::Clockwise);
    for polygon in PolygonMode::iter() {
        s.add(format!("polygon = {polygon}"), |desc| raster(desc).polygon = polygon);
        s.add(format!("polygon = {polygon}, binning"), |desc| {
            (raster(desc).polygon, desc.pipeline.binning) = (polygon, Some(Binning { width: 128, height: 128 }));
        });
    }
    change!(s, of raster, depth_clamp = true);
    change!(s, of raster, discard = true);
    change!(s, of raster, depth_bias = Some(DepthBias { constant: 2.0, slope: 1.5, clamp: 0.25 }));
    for format in DepthFormat::iter() {
        s.add(format!("depth bias with {format}"), |desc| {
            raster(desc).depth_bias = Some(DepthBias { constant: 1.0, slope: 0.0, clamp: 0.0 });
            depth_target(desc).format = format;
        });
    }
    s.all("lines, line_width", [4.0, 0.0, -1.0, 8191.0, 8192.0, f32::NAN], |desc, width| {
        (desc.pipeline.topology, raster(desc).line_width) = (Topology::LineList, width);
    });
    for mode in LineMode::iter() {
        s.add(format!("lines, line_mode = {mode}"), |desc| (desc.pipeline.topology, raster(desc).line_mode) = (Topology::LineList, mode));
    }
    s.all("lines, stipple", [(0xAAAA, 1), (1, 256), (1, 257)], |desc, (pattern, factor)| {
        (desc.pipeline.topology, raster(desc).stipple) = (Topology::LineList, Some(LineStipple { pattern, factor }));
    });
    for conservative in [ConservativeRaster::Overestimate, ConservativeRaster::Underestimate] {
        s.add(format!("conservative = {conservative:?}"), |desc| raster(desc).conservative = conservative);
    }
    change!(s, of raster, provoking_vertex_last = true);
    s.add("clip_planes: 0 and 5", |desc| {
        let mut planes = [None; 6];
        (planes[0], planes[5]) = (Some([1.0, 2.0, 3.0, 4.0]), Some([-1.0, 0.5, 0.0, 8.0]));
        raster(desc).clip_planes = Some(ClipPlanes { planes, cull_only: false });
    });
    s.add("clip_planes: 2, cull_only", |desc| {
        let mut planes = [None; 6];
        planes[2] = Some([1.0; 4]);
        raster(desc).clip_planes = Some(ClipPlanes { planes, cull_only: true });
    });
    s.all("binning", [(16, 16), (16, 128), (32, 64), (128, 128), (128, 256), (512, 512), (1024, 512), (64, 8)], |desc, (width, height)| {
        desc.pipeline.binning = Some(Binning { width, height });
    });
    s.add("binning, can_discard", |desc| (desc.pipeline.binning, pixel_shader(desc).can_discard) = (Some(Binning { width: 128, height: 128 }), true));
    change!(s, pipeline.order = RasterizationOrder::Relaxed);
    s.add("order = Relaxed, no blending, no depth", |desc| {
        (desc.pipeline.order, desc.targets.depth) = (RasterizationOrder::Relaxed, None);
        desc.pipeline.blends[0].blend = None;
    });
    s
}

fn sample_counts(base: &DrawDesc) -> Section {
    let mut s = Section::new("samples", base);
    s.all("samples of pipeline and depth", [2, 4, 8, 16, 3], samples);
    change!(s, pipeline.alpha_to_coverage = true);
    change!(s, pipeline.sample_mask = 0);
    own_positions(&mut s);
    s
}

/// Sample positions of the draw's own, from the pipeline and from dynamic state.
fn own_positions(s: &mut Section) {
    let pixels = std::array::from_fn(|pixel| std::array::from_fn(|at| ((at as i8 * 3 + pixel as i8) % 16 - 8, 7 - (at as i8 * 5) % 16)));
    s.add("sample_locations of the pipeline", |desc| desc.pipeline.sample_locations = Some(SampleLocations { pixels }));
    s.add("sample_locations of dynamic state", |desc| desc.state.sample_locations = Some(SampleLocations { pixels: [[(-8, 7); 16]; 4] }));
}

fn binned(desc: &mut DrawDesc) {
    desc.pipeline.binning = Some(Binning { width: 128, height: 128 });
}

/// Everything related to samples.
fn several_samples(s: &mut Section) {
    s.all("samples of depth", [1, 2, 4, 8], |desc, count| depth_target(desc).samples = count);
    change!(s, targets.depth = None);
    s.all("samples of target 0", [1, 2, 4, 8, 16], |desc, count| color0(desc).samples = Some(count));
    s.all("sample_mask", [1, 0xA, 0xFFF0], |desc, mask| desc.pipeline.sample_mask = mask);
    change!(s, of pixel_shader, sample_shading = true);
    s.add("alpha_to_coverage", |desc| desc.pipeline.alpha_to_coverage = true);
    s.add("alpha_to_coverage, alpha_to_one", |desc| (desc.pipeline.alpha_to_coverage, desc.pipeline.alpha_to_one) = (true, true));
    s.add("alpha_to_coverage, writes_stencil", |desc| (desc.pipeline.alpha_to_coverage, pixel_shader(desc).writes_stencil) = (true, true));
    s.add("alpha_to_coverage, target 0 not written", |desc| {
        (desc.pipeline.alpha_to_coverage, desc.pipeline.blends[0].write_mask) = (true, 0);
    });
    for occlusion in Occlusion::iter() {
        s.add(format!("occlusion = {occlusion}"), |desc| desc.state.occlusion = occlusion);
    }
    s.add("binning", binned);
    s.add("rate = R2x2", |desc| desc.pipeline.rate = ShadingRate::R2x2);
    s.add("rate_override = R2x2", |desc| desc.pipeline.rate_override = Some(ShadingRate::R2x2));
    s.add("shading-rate image", |desc| {
        desc.targets.rate_image = Some(RateImage { address: 0x1234_0000, swizzle: 2, extent: (80, 60) });
        desc.pipeline.rate_image_combiner = RateCombiner::Replace;
    });
    s.add("stencil", |desc| front_stencil(desc).pass = StencilAction::Replace);
    s.add("stencil, the same action where depth fails", |desc| {
        (front_stencil(desc).pass, front_stencil(desc).depth_fail) = (StencilAction::Replace, StencilAction::Replace);
    });
    s.add("stencil of back faces", |desc| back_stencil(desc).depth_fail = StencilAction::Invert);
    let mode_of = |mode| move |desc: &mut DrawDesc| (desc.pipeline.topology, raster(desc).line_mode) = (Topology::LineStrip, mode);
    for mode in LineMode::iter() {
        s.add(format!("lines, line_mode = {mode}"), mode_of(mode));
    }
    for conservative in [ConservativeRaster::Overestimate, ConservativeRaster::Underestimate] {
        s.add(format!("conservative = {conservative:?}"), |desc| raster(desc).conservative = conservative);
    }
    s.add("inner coverage, conservative", |desc| {
        pixel_shader(desc).reads_inner_coverage = true;
        raster(desc).conservative = ConservativeRaster::Overestimate;
    });
    for (name, blocks) in DCC_BLOCKS {
        let dcc = Some(Dcc { address: 0x1234_5600_0000, blocks });
        for format in [ColorFormat::R8, ColorFormat::Rg8, ColorFormat::Rgba8] {
            s.add(format!("DCC, {name}, format = {format}"), |desc| (color0(desc).format, compression(desc).dcc) = (format, dcc));
        }
    }
    s.add("CMASK, FMASK, clear words", |desc| {
        *compression(desc) = ColorCompression {
            cmask: Some(0x1234_5600_0000),
            fmask: Some(Fmask { address: 0x2345_6700_0000, swizzle: 24, compressed: true, single_fragments: true }),
            clear_words: Some([0x1122_3344, 0x5566_7788]),
            pipe_aligned: true,
            ..ColorCompression::default()
        };
    });
    change!(s, of htile, compressed = true);
    s.all("HTILE, shader_readable, decompress_planes", [0, 2, 4, 5], |desc, planes| {
        (htile(desc).shader_readable, htile(desc).decompress_planes) = (true, planes);
    });
    s.add("HTILE, iterate_256, compressed", |desc| (htile(desc).iterate_256, htile(desc).compressed) = (true, true));
    s.add("HTILE, iterate_256, depth alone", |desc| (htile(desc).iterate_256, depth_target(desc).format) = (true, DepthFormat::D32));
    own_positions(s);
}

fn four_samples(base: &DrawDesc) -> Section {
    let mut s = Section::new("four_samples", base);
    several_samples(&mut s);
    s
}

fn eight_samples(base: &DrawDesc) -> Section {
    let mut s = Section::new("eight_samples", base);
    several_samples(&mut s);
    s
}

fn ordered_sections(title: &'static str, base: &DrawDesc) -> Section {
    let mut base = base.clone();
    base.pipeline.interlock = Interlock::PixelOrdered;
    let mut s = Section::new(title, &base);
    for interlock in Interlock::iter() {
        s.add(format!("interlock = {interlock}"), |desc| desc.pipeline.interlock = interlock);
    }
    change!(s, targets.depth = None);
    s.all("samples of depth", [1, 2, 4, 8], |desc, count| depth_target(desc).samples = count);
    for drain in [Drain::On, Drain::Off, Drain::ResetDefault] {
        s.add(format!("drain = {drain:?}"), |desc| desc.pipeline.drain = drain);
    }
    change!(s, of pixel_shader, ordered_section_removed = true);
    change!(s, pipeline.shader = None);
    s.add("nothing written", |desc| desc.pipeline.blends.iter_mut().for_each(|blend| blend.write_mask = 0));
    s.add("nothing written, expert.no_null_export", |desc| {
        desc.pipeline.expert.no_null_export = true;
        desc.pipeline.blends.iter_mut().for_each(|blend| blend.write_mask = 0);
    });
    change!(s, pipeline.expert.exec_if_overlapped = true);
    change!(s, pipeline.expert.bin_mapping_pops = true);
    change!(s, pipeline.expert.intrawave_collision = true);
    s.add("binning", binned);
    change!(s, pipeline.order = RasterizationOrder::Relaxed);
    for conservative in [ConservativeRaster::Overestimate, ConservativeRaster::Underestimate] {
        s.add(format!("conservative = {conservative:?}"), |desc| raster(desc).conservative = conservative);
    }
    for rate in ShadingRate::iter() {
        s.add(format!("rate = {rate:?}"), |desc| desc.pipeline.rate = rate);
    }
    s.add("discard, memory, early tests", |desc| {
        let shader = pixel_shader(desc);
        (shader.can_discard, shader.writes_memory, shader.early_fragment_tests) = (true, true, true);
    });
    s
}

fn shading_rates(base: &DrawDesc) -> Section {
    let mut s = Section::new("shading_rates", base);
    let image = RateImage { address: 0x1234_5678_0000, swizzle: 2, extent: (80, 60) };
    for rate in ShadingRate::iter() {
        s.add(format!("rate = {rate:?}"), |desc| desc.pipeline.rate = rate);
        s.add(format!("rate of dynamic state = {rate:?}"), |desc| desc.state.rate = Some(rate));
        s.add(format!("rate_override = {rate:?}"), |desc| desc.pipeline.rate_override = Some(rate));
    }
    for combiner in RateCombiner::iter() {
        s.add(format!("rate = R2x2, rate_combiner = {combiner:?}"), |desc| (desc.pipeline.rate, desc.pipeline.rate_combiner) = (ShadingRate::R2x2, combiner));
        s.add(format!("outputs.shading_rate, rate_combiner = {combiner:?}"), |desc| {
            (desc.pipeline.vertex.outputs.shading_rate, desc.pipeline.rate_combiner) = (true, combiner);
        });
        s.add(format!("shading-rate image, rate_image_combiner = {combiner:?}"), |desc| {
            (desc.targets.rate_image, desc.pipeline.rate_image_combiner) = (Some(image), combiner);
        });
    }
    s.add("rate = R2x2, writes_depth", |desc| (desc.pipeline.rate, pixel_shader(desc).writes_depth) = (ShadingRate::R2x2, true));
    s.add("rate = R2x2, writes_stencil", |desc| (desc.pipeline.rate, pixel_shader(desc).writes_stencil) = (ShadingRate::R2x2, true));
    s.add("rate = R2x2, writes_sample_mask", |desc| (desc.pipeline.rate, pixel_shader(desc).writes_sample_mask) = (ShadingRate::R2x2, true));
    s.add("rate = R2x2, sample_shading", |desc| (desc.pipeline.rate, pixel_shader(desc).sample_shading) = (ShadingRate::R2x2, true));
    s.add("rate = R2x2, post_depth_coverage", |desc| (desc.pipeline.rate, pixel_shader(desc).post_depth_coverage) = (ShadingRate::R2x2, true));
    for extent in [(0, 60), (2049, 60), (80, 8193)] {
        s.add(format!("shading-rate image of {extent:?}"), |desc| desc.targets.rate_image = Some(RateImage { extent, ..image }));
    }
    s.add("shading-rate image of swizzle mode 8", |desc| desc.targets.rate_image = Some(RateImage { swizzle: 8, ..image }));
    s
}

fn depth_and_stencil(base: &DrawDesc) -> Section {
    let mut s = Section::new("depth_and_stencil", base);
    change!(s, of depth_test, test = false);
    change!(s, of depth_test, write = false);
    for compare in Compare::iter() {
        s.add(format!("compare = {compare}"), |desc| depth_test(desc).compare = compare);
        s.add(format!("front stencil: compare = {compare}"), |desc| front_stencil(desc).compare = compare);
        s.add(format!("back stencil: compare = {compare}"), |desc| back_stencil(desc).compare = compare);
    }
    change!(s, of depth_test, bounds = Some((0.25, 0.75)));
    for action in StencilAction::iter() {
        s.add(format!("front stencil: fail = {action}"), |desc| front_stencil(desc).fail = action);
        s.add(format!("front stencil: pass = {action}"), |desc| front_stencil(desc).pass = action);
        s.add(format!("front stencil: depth_fail = {action}"), |desc| front_stencil(desc).depth_fail = action);
        s.add(format!("back stencil: fail = {action}"), |desc| back_stencil(desc).fail = action);
        s.add(format!("back stencil: pass = {action}"), |desc| back_stencil(desc).pass = action);
        s.add(format!("back stencil: depth_fail = {action}"), |desc| back_stencil(desc).depth_fail = action);
    }
    s.add("stencil: references and masks", |desc| {
        let face = |n| StencilFace { reference: n, read_mask: n + 1, write_mask: n + 2, ..StencilFace::default() };
        depth_test(desc).stencil = Some((face(0x10), face(0x20)));
    });
    s.add("stencil without a stencil of the target", |desc| {
        front_stencil(desc).pass = StencilAction::Replace;
        depth_target(desc).format = DepthFormat::D32;
    });
    s
}

fn blending(base: &DrawDesc) -> Section {
    let mut s = Section::new("blending", base);
    for factor in BlendFactor::iter() {
        s.add(format!("color: source factor {factor}"), |desc| blend0(desc).color.0 = factor);
        s.add(format!("color: target factor {factor}"), |desc| blend0(desc).color.2 = factor);
        s.add(format!("alpha: source factor {factor}"), |desc| blend0(desc).alpha.0 = factor);
        s.add(format!("alpha: target factor {factor}"), |desc| blend0(desc).alpha.2 = factor);
    }
    for function in BlendFunction::iter() {
        s.add(format!("color: function {function}"), |desc| blend0(desc).color.1 = function);
        s.add(format!("alpha: function {function}"), |desc| blend0(desc).alpha.1 = function);
    }
    s.add("dual-source blending, one target", |desc| {
        desc.targets.color.truncate(1);
        desc.pipeline.blends.truncate(1);
        blend0(desc).color.2 = BlendFactor::Src1Color;
    });
    s.all("write_mask of target 0", [0, 1, 7, 8, 0x1F], |desc, mask| desc.pipeline.blends[0].write_mask = mask);
    s.all("logic_op", [0, 3, 6, 0xC, 0xF], |desc, op| desc.pipeline.logic_op = Some(LogicOp(op)));
    s
}

fn passes(base: &DrawDesc) -> Section {
    let mut s = Section::new("passes", base);
    for pass in TargetPass::iter() {
        s.add(format!("pass = {pass}"), |desc| {
            (desc.pipeline.pass, desc.pipeline.topology) = (Some(pass), Topology::RectList);
            let fmask = Fmask { address: 0x51_0000, swizzle: 24, compressed: true, single_fragments: true };
            let dcc = Dcc { address: 0x50_0000, blocks: Some(DccBlocks::BYTES_64) };
            let metadata = ColorCompression { dcc: Some(dcc), cmask: Some(0x52_0000), fmask: Some(fmask), ..ColorCompression::default() };
            let color = TargetImage { samples: None, surface: surface(0x100_0000), ..TargetImage::default() };
            if pass.is_color_pass() {
                desc.targets.depth = None;
                desc.targets.color = vec![TargetImage { compression: Some(metadata), ..color }];
                desc.pipeline.blends = vec![TargetBlend::default()];
                desc.pipeline.samples = if pass == TargetPass::FmaskDecompress { 4 } else { 1 };
                if pass != TargetPass::FmaskDecompress {
                    compression(desc).fmask = None;
                }
                if pass == TargetPass::Resolve {
                    desc.targets.color = vec![TargetImage { samples: Some(4), ..color }, TargetImage { samples: Some(1), ..color }];
                    desc.pipeline.blends.push(TargetBlend { blend: None, write_mask: 0 });
                }
            } else {
                (desc.targets.color, desc.pipeline.blends) = (Vec::new(), Vec::new());
                htile(desc).compressed = true;
                depth_target(desc).clear = Some(DepthClear { depth: 0.5, stencil: 3 });
            }
        });
    }
    s
}

fn formats(base: &DrawDesc) -> Section {
    let mut s = Section::new("formats", base);
    for format in ColorFormat::iter() {
        s.add(format!("format of target 0 = {format}, blended"), |desc| color0(desc).format = format);
        s.add(format!("format of target 0 = {format}, not blended"), |desc| (color0(desc).format, desc.pipeline.blends[0].blend) = (format, None));
    }
    s
}

fn images(base: &DrawDesc) -> Section {
    let mut s = Section::new("targets", base);
    s.all("color targets", [0usize, 1, 8, 9], |desc, count| {
        desc.targets.color = vec![TargetImage { surface: surface(0x100_0000), ..TargetImage::default() }; count];
        desc.pipeline.blends = vec![TargetBlend::default(); count];
    });
    for format in DepthFormat::iter() {
        s.add(format!("format of depth = {format}"), |desc| depth_target(desc).format = format);
    }
    change!(s, targets.depth = None);
    s.add("no targets", |desc| (desc.targets.depth, desc.targets.color, desc.pipeline.blends) = (None, Vec::new(), Vec::new()));
    s.all("extent", [(1, 1), (16384, 16384), (16385, 1), (0, 1)], |desc, extent| desc.targets.extent = extent);
    let surfaces = [
        Surface { address: 0xFEDC_BA98_7600, ..surface(0x100_0000) },
        Surface { stencil_address: 0xFEDC_BA98_7600, ..surface(0x100_0000) },
        Surface { pitch: Some(1024), ..surface(0x100_0000) },
        Surface { swizzle: 27, ..surface(0x100_0000) },
        Surface { stencil_pitch: Some(512), ..surface(0x100_0000) },
        Surface { stencil_swizzle: Some(5), ..surface(0x100_0000) },
        Surface { layers: (3, 2047), ..surface(0x100_0000) },
        Surface { layers: (3, 2048), ..surface(0x100_0000) },
        Surface { level: 2, last_level: 14, ..surface(0x100_0000) },
        Surface { level: 2, last_level: 15, ..surface(0x100_0000) },
        Surface { address: 0x80, ..surface(0x100_0000) },
    ];
    for other in surfaces {
        s.add(format!("surface of target 0 = {other:?}"), |desc| color0(desc).surface = other);
        s.add(format!("surface of depth = {other:?}"), |desc| depth_target(desc).surface = other);
    }
    for (name, blocks) in DCC_BLOCKS {
        let dcc = Some(Dcc { address: 0x1234_5600_0000, blocks });
        s.add(format!("DCC, {name}"), |desc| compression(desc).dcc = dcc);
        s.add(format!("DCC, {name}, without address"), |desc| compression(desc).dcc = Some(Dcc { address: 0, blocks }));
        s.add(format!("DCC, {name}, format = r8"), |desc| (color0(desc).format, compression(desc).dcc) = (ColorFormat::R8, dcc));
    }
    s.add("DCC, pipe_aligned", |desc| {
        *compression(desc) =
            ColorCompression { dcc: Some(Dcc { address: 0x50_0000, blocks: Some(DccBlocks::BYTES_64) }), pipe_aligned: true, ..ColorCompression::default() };
    });
    s.all("4 samples, swizzle of FMASK", [24, 32], |desc, swizzle| {
        samples(desc, 4);
        compression(desc).fmask = Some(Fmask { address: 0x51_0000, swizzle, compressed: true, single_fragments: false });
    });
    s.all("address of FMASK, of CMASK, of DCC", [0x80, 1 << 48], |desc, address| {
        samples(desc, 4);
        compression(desc).fmask = Some(Fmask { address, swizzle: 24, compressed: true, single_fragments: false });
    });
    s.all("address of CMASK", [0x80, 1 << 48], |desc, address| compression(desc).cmask = Some(address));
    s.all("address of DCC", [0x80, 1 << 48], |desc, address| compression(desc).dcc = Some(Dcc { address, blocks: Some(DccBlocks::BYTES_128) }));
    change!(s, of compression, rb_aligned = true);
    change!(s, of compression, cmask = Some(0x52_0000));
    change!(s, of htile, pipe_aligned = true);
    change!(s, of htile, rb_aligned = true);
    change!(s, of htile, stencil = true);
    change!(s, of htile, compressed = true);
    change!(s, of htile, shader_readable = true);
    change!(s, of htile, iterate_256 = true);
    change!(s, of htile, rates = true);
    change!(s, of htile, address = 0x1234_5600_0000);
    s.all("address of HTILE", [0x80, 1 << 47, 1 << 48], |desc, address| htile(desc).address = address);
    s.add("HTILE, shader_readable, cleared to 0", |desc| {
        htile(desc).shader_readable = true;
        depth_target(desc).clear = Some(DepthClear { depth: 0.0, stencil: 0 });
    });
    change!(s, of depth_target, clear = Some(DepthClear { depth: 1.0, stencil: 0x80 }));
    let surface = HiSurface { address: 0x1234_5600_0000, swizzle: 5, format: true, extent: (64, 8192) };
    s.add("HiZ", |desc| depth_target(desc).hiz = Some(surface));
    s.add("HiS", |desc| depth_target(desc).his = Some(surface));
    s.add("HiZ of 8193 tiles", |desc| depth_target(desc).hiz = Some(HiSurface { extent: (8193, 1), ..surface }));
    s
}

fn dynamic_state(base: &DrawDesc) -> Section {
    let mut s = Section::new("dynamic_state", base);
    let viewports = [
        Viewport { x: 10.0, y: 20.0, width: 100.0, height: 50.0, min_depth: 0.25, max_depth: 0.75 },
        Viewport { x: -10.5, y: 0.25, width: 640.5, height: 480.75, min_depth: 0.0, max_depth: 1.0 },
        Viewport { x: 0.0, y: 480.0, width: 640.0, height: -480.0, min_depth: 1.0, max_depth: 0.0 },
        Viewport { x: 0.0, y: 0.0, width: 16384.0, height: 1.0, min_depth: 0.0, max_depth: 1.0 },
    ];
    for viewport in viewports {
        s.add(format!("viewport = {viewport:?}"), |desc| desc.state.viewports = vec![viewport]);
    }
    s.add("two viewports", |desc| desc.state.viewports = viewports[..2].to_vec());
    s.all("viewports", [16usize, 17], |desc, count| desc.state.viewports = vec![viewports[0]; count]);
    s.add("lines of width 64, viewport", |desc| {
        (desc.pipeline.topology, raster(desc).line_width) = (Topology::LineList, 64.0);
        desc.state.viewports = vec![viewports[0]];
    });
    s.add("points, viewport", |desc| (desc.pipeline.topology, desc.state.viewports) = (Topology::PointList, vec![viewports[0]]));
    s.all("scissor", [(10, 20, 30, 40), (600, 400, 100, 100), (0, 0, 0, 0), (u32::MAX, 1, u32::MAX, 1)], |desc, (x, y, width, height)| {
        desc.state.scissors = vec![Rect { x, y, width, height }];
    });
    change!(s, state.blend_constants = [0.25, 0.5, 0.75, 1.0]);
    s.add("blend_constants, with a factor", |desc| {
        desc.state.blend_constants = [0.25, 0.5, 0.75, 1.0];
        blend0(desc).color.0 = BlendFactor::ConstantColor;
    });
    change!(s, state.line_width = Some(8.0));
    change!(s, state.primitive_restart = Some(true));
    s.add("stencil values of dynamic state", |desc| {
        front_stencil(desc).pass = StencilAction::Replace;
        let face = |n| StencilValues { reference: n, read_mask: n + 1, write_mask: n + 2 };
        desc.state.stencil = Some((face(0x10), face(0x20)));
    });
    s.add("depth bias of dynamic state", |desc| {
        raster(desc).depth_bias = Some(DepthBias { constant: 1.0, slope: 1.0, clamp: 0.0 });
        desc.state.depth_bias = Some(DepthBias { constant: 3.0, slope: 0.5, clamp: 0.25 });
    });
    s.add("depth bounds of dynamic state", |desc| {
        depth_test(desc).bounds = Some((0.0, 1.0));
        desc.state.depth_bounds = Some((0.125, 0.5));
    });
    for (stage, first) in [(Stage::Pixel, 0), (Stage::Vertex, 1), (Stage::Hull, 0)] {
        s.add(format!("user data of {stage} from {first}"), |desc| {
            let free = vec![UserData::Keep, UserData::Word(7), UserData::Keep, UserData::Keep];
            (pixel_program(desc).user_data, vertex_program(desc).user_data) = (free.clone(), free);
            desc.state.set_user_data(stage, first, &[0x11, 0x22, 0x33]);
        });
    }
    s
}

fn tessellated(base: &DrawDesc) -> Section {
    let mut base = base.clone();
    base.pipeline.topology = Topology::PatchList;
    base.pipeline.tessellation = Some(Tessellation { program: program(0x30_0000), ..Tessellation::default() });
    let mut s = Section::new("tessellation", &base);
    s.all("pipeline.vertex.path", [VertexPath::Legacy, VertexPath::Ngg], |desc, path| desc.pipeline.vertex.path = Some(path));
    s.all("input_points", [1, 4, 32, 33], |desc, points| tessellation(desc).input_points = points);
    s.all("output_points", [1, 4, 32, 33], |desc, points| tessellation(desc).output_points = points);
    s.all("patch_points of dynamic state", [1, 16], |desc, points| desc.state.patch_points = Some(points));
    s.add("user data of hull from 0, one word of its own", |desc| {
        tessellation(desc).program.user_data = vec![UserData::Keep, UserData::Word(7), UserData::Keep];
        desc.state.set_user_data(Stage::Hull, 0, &[0x11, 0x22, 0x33]);
    });
    s.all("lds_bytes_per_point", [16, 256, 4096], |desc, bytes| tessellation(desc).lds_bytes_per_point = bytes);
    s.all("lds_bytes_per_patch", [16, 1024, 65536], |desc, bytes| tessellation(desc).lds_bytes_per_patch = bytes);
    s.all("offchip_bytes_per_patch", [16, 2048, 40000], |desc, bytes| tessellation(desc).offchip_bytes_per_patch = bytes);
    for domain in PatchDomain::iter() {
        s.add(format!("domain = {domain}"), |desc| tessellation(desc).domain = domain);
        s.add(format!("domain = {domain}, point_mode"), |desc| (tessellation(desc).domain, tessellation(desc).point_mode) = (domain, true));
        s.add(format!("domain = {domain}, clockwise"), |desc| (tessellation(desc).domain, tessellation(desc).winding) = (domain, Winding::Clockwise));
        s.add(format!("domain = {domain}, lower_left_origin"), |desc| (tessellation(desc).domain, tessellation(desc).lower_left_origin) = (domain, true));
    }
    for spacing in PatchSpacing::iter() {
        s.add(format!("spacing = {spacing}"), |desc| tessellation(desc).spacing = spacing);
    }
    change!(s, of tessellation, reads_instance_id = true);
    change!(s, of tessellation, reads_patch_id = true);
    change!(s, of tessellation, evaluation_reads_patch_id = true);
    change!(s, pipeline.vertex.exports_primitive_id = true);
    change!(s, pipeline.vertex.reads_instance_id = true);
    change!(s, pipeline.vertex.culling = true);
    change!(s, pipeline.topology = Topology::TriangleList);
    change!(s, pipeline.geometry = Some(GeometryStage::default()));
    programs_of(&mut s, "hull program", hull_program);
    s
}

fn with_geometry_shader(title: &'static str, path: VertexPath, base: &DrawDesc) -> Section {
    let mut base = base.clone();
    base.pipeline.geometry = Some(GeometryStage { copy_program: program(0x40_0000), ..GeometryStage::default() });
    base.pipeline.vertex.path = Some(path);
    let mut s = Section::new(title, &base);
    for output in GeometryOutput::iter() {
        s.add(format!("output = {output}"), |desc| geometry(desc).output = output);
    }
    s.all("max_vertices", [1, 4, 64, 128, 129, 256, 257, 512, 513, 1024, 1025], |desc, vertices| geometry(desc).max_vertices = vertices);
    s.all("12 vertices, invocations", [2, 3, 32, 127, 128], |desc, invocations| {
        (geometry(desc).invocations, geometry(desc).max_vertices) = (invocations, 12);
    });
    for topology in Topology::iter() {
        s.add(format!("topology = {topology}"), |desc| desc.pipeline.topology = topology);
    }
    s.all("input_dwords", [1, 4, 16, 32, 128, 1024], |desc, dwords| geometry(desc).input_dwords = dwords);
    s.all("vertex_dwords", [[0; 4], [4, 0, 0, 0], [16, 0, 0, 0], [4, 8, 12, 16], [64; 4], [128, 0, 0, 0]], |desc, dwords| {
        geometry(desc).vertex_dwords = dwords;
    });
    s.all("cu_mask", [1, 0x1_0000, 0xFF_FF0F], |desc, mask| vertex_program(desc).cu_mask = Some(mask));
    s.all("shared_vgprs", [8, 72], |desc, vgprs| vertex_program(desc).shared_vgprs = vgprs);
    s.all("1024 vertices, vertex_dwords", [[31, 0, 0, 0], [16, 16, 0, 0]], |desc, dwords| {
        (geometry(desc).max_vertices, geometry(desc).vertex_dwords) = (1024, dwords);
    });
    s.add("user data of the copy program, too many", |desc| geometry(desc).copy_program.user_data = vec![UserData::Keep; 33]);
    change!(s, of geometry, reads_invocation_id = true);
    change!(s, of geometry, reads_primitive_id = true);
    change!(s, pipeline.vertex.reads_instance_id = true);
    change!(s, pipeline.vertex.exports_primitive_id = true);
    change!(s, of vertex_program, wave = WaveSize::W32);
    change!(s, of vertex_program, lds_bytes = 0x8000);
    change!(s, of vertex_program, vgprs = 100);
    s.add("user data, of the copy program too", |desc| {
        vertex_program(desc).user_data = vec![UserData::BaseVertex, UserData::Word(7)];
        geometry(desc).copy_program.user_data = vec![UserData::Word(8)];
    });
    s.add("the copy program: 40 VGPRs, 60 SGPRs, scratch", |desc| {
        desc.pipeline.scratch = Some(ScratchRing { address: 0x70_0000, waves: 64 });
        let copy = &mut geometry(desc).copy_program;
        (copy.vgprs, copy.sgprs, copy.scratch_bytes) = (40, 60, 1024);
    });
    s.all("streamout, streams", [[0b0001, 0, 0b0100, 0], [0b0011, 0, 0, 0], [0, 0, 0, 0b0001]], |desc, streams| {
        desc.pipeline.vertex.streamout = Some(Streamout { strides: [4, 8, 8, 0], streams, rasterized_stream: 0 });
    });
    s.add("tessellation", |desc| {
        desc.pipeline.topology = Topology::PatchList;
        tessellation(desc).program = program(0x30_0000);
    });
    s
}

fn with_streamout(base: &DrawDesc) -> Section {
    let one = Streamout { strides: [16, 0, 0, 0], streams: [0b0001, 0, 0, 0], rasterized_stream: 0 };
    let mut s = Section::new("streamout", base);
    let all = [
        one,
        Streamout { strides: [4, 8, 12, 512], streams: [0b1111, 0, 0, 0], ..one },
        Streamout { strides: [513, 0, 0, 0], ..one },
        Streamout { streams: [0b0011, 0, 0, 0], ..one },
        Streamout { streams: [0, 0b0001, 0, 0], ..one },
        Streamout { rasterized_stream: 4, ..one },
    ];
    for streamout in all {
        s.add(format!("{streamout:?}"), |desc| desc.pipeline.vertex.streamout = Some(streamout));
    }
    s.add("streamout, discard", |desc| (desc.pipeline.vertex.streamout, raster(desc).discard) = (Some(one), true));
    s.add("streamout, NGG", |desc| (desc.pipeline.vertex.streamout, desc.pipeline.vertex.path) = (Some(one), Some(VertexPath::Ngg)));
    s.all("streamout, topology", [Topology::PointList, Topology::LineStrip, Topology::TriangleStripAdjacency], |desc, topology| {
        (desc.pipeline.vertex.streamout, desc.pipeline.topology) = (Some(one), topology);
    });
    s
}

fn with_mesh_shader(base: &DrawDesc) -> Section {
    let mut base = base.clone();
    base.pipeline.topology = Topology::PointList;
    base.pipeline.mesh = Some(MeshStage::default());
    let mut s = Section::new("mesh_shader", &base);
    s.all("workgroup", [[1, 1, 1], [32, 1, 1], [4, 8, 8], [256, 1, 1], [257, 1, 1], [0, 1, 1]], |desc, size| mesh(desc).workgroup = size);
    for output in GeometryOutput::iter() {
        s.add(format!("output = {output}"), |desc| mesh(desc).output = output);
    }
    change!(s, pipeline.topology = Topology::PatchList);
    change!(s, pipeline.vertex.path = Some(VertexPath::Legacy));
    s.all("max_vertices", [0, 1, 64, 128, 256, 257], |desc, vertices| mesh(desc).max_vertices = vertices);
    s.all("max_primitives", [0, 1, 64, 128, 256, 257], |desc, primitives| mesh(desc).max_primitives = primitives);
    change!(s, of mesh, primitive_payload = true);
    change!(s, of mesh, scratch_ring = true);
    change!(s, pipeline.topology = Topology::TriangleList);
    change!(s, pipeline.vertex.reads_instance_id = true);
    change!(s, pipeline.vertex.outputs.layer = true);
    programs_of(&mut s, "mesh program", vertex_program);
    s
}

fn sections() -> Vec<Section> {
    let base = triangles();
    let mut four = base.clone();
    samples(&mut four, 4);
    let mut eight = base.clone();
    samples(&mut eight, 8);
    let mut all = vec![
        pixel_stage(&base),
        vertex_stage(&base),
        rasterization(&base),
        sample_counts(&base),
        four_samples(&four),
        eight_samples(&eight),
        ordered_sections("ordered_sections", &base),
        ordered_sections("ordered_sections_at_8_samples", &eight),
        shading_rates(&base),
        depth_and_stencil(&base),
        blending(&base),
        passes(&base),
        formats(&base),
        images(&base),
        dynamic_state(&base),
        tessellated(&base),
        with_geometry_shader("geometry_shader", VertexPath::Legacy, &base),
        with_geometry_shader("geometry_shader_ngg", VertexPath::Ngg, &base),
        with_streamout(&base),
        with_mesh_shader(&base),
    ];
    all.retain(|section| !section.changes.is_empty());
    all
}

// Formatting.

fn registers(resolved: &Resolved) -> Registers {
    resolved.image.registers().map(|register| (register.addr, register.value)).collect()
}

/// Returns what draw calls write in addition to their packet.
fn sgprs(chip: Chip, resolved: &Resolved) -> BTreeSet<String> {
    let DrawSgprs { base_vertex, first_instance, draw_index, groups, ring_entry, view_index: [view, other_view] } = resolved.draw_sgprs();
    let all = [
        ("base vertex", base_vertex),
        ("first instance", first_instance),
        ("draw index", draw_index),
        ("groups", groups),
        ("ring entry", ring_entry),
        ("view index", view),
        ("view index", other_view),
    ];
    all.into_iter().filter_map(|(what, addr)| Some(format!("draws write their {what} to {}", name(chip, addr?)))).collect()
}

/// Returns the differences between two draws.
fn changes(chip: Chip, before: &DrawDesc, after: &DrawDesc) -> Vec<String> {
    let Ok(before) = before.resolve(chip) else { return Vec::new() };
    match after.resolve(chip) {
        Ok(after) => {
            let calls = sgprs(chip, &after).difference(&sgprs(chip, &before)).cloned().collect::<Vec<_>>();
            [differences(chip, &registers(&before), &registers(&after)), calls].concat()
        }
        Err(error) => refused(error),
    }
}

/// Returns the reasons for the fields of a draw's registers.
fn reasons(chip: Chip, desc: &DrawDesc) -> Vec<String> {
    match desc.explain(chip) {
        Ok(reasons) => reasons.iter().map(|reason| format!("{}.{} = {:#x}: {}", reason.register, reason.field, reason.value, reason.rule)).collect(),
        Err(error) => refused(error),
    }
}

/// Returns the reasons of a draw that another one does not have.
fn other_reasons(chip: Chip, plain: &DrawDesc, desc: &DrawDesc) -> Vec<String> {
    let known: BTreeSet<String> = reasons(chip, plain).into_iter().collect();
    reasons(chip, desc).into_iter().filter(|reason| !known.contains(reason)).collect()
}

#[test]
fn parts_of_a_description_change_the_expected_registers() {
    let plain = triangles();
    for Section { title, base, changes: all } in sections() {
        let head = |chip| if title == WHOLE { reasons(chip, &base) } else { other_reasons(chip, &plain, &base) };
        assert_table(SOURCE, &format!("draw/{title}"), head, &all, |chip, desc| changes(chip, &base, desc));
    }
}

// The initial state of waves.

fn map<T: Copy + PartialEq + Debug>(program: &str, file: char, map: &RegisterMap<T>) -> Vec<String> {
    let line = |placed: &PlacedItem<T>| {
        let PlacedItem { item, first, count, loaded, verified } = *placed;
        let (room, doubt) = (if loaded { "" } else { ", room alone" }, if verified { "" } else { ", unverified" });
        format!("{program} {file}{first:02} to {file}{:02}: {item:?}{room}{doubt}", first + count - 1)
    };
    map.items().iter().map(line).collect()
}

fn wave(program: &str, start: Result<Option<WaveStart>, DrawError>) -> Vec<String> {
    match start {
        Ok(Some(start)) => {
            let ttmp = start.ids_in_ttmp.then(|| format!("{program}: ids of the workgroup in trap temporaries"));
            [map(program, 's', &start.sgprs), map(program, 'v', &start.vgprs), ttmp.into_iter().collect()].concat()
        }
        Ok(None) => Vec::new(),
        Err(error) => refused(error),
    }
}

#[test]
fn waves_start_with_the_expected_registers() {
    let mut all: Vec<(String, DrawDesc)> = Vec::new();
    for section in sections().into_iter().filter(|section| ["tessellation", "geometry_shader", "geometry_shader_ngg", "mesh_shader"].contains(&section.title)) {
        let mut desc = section.base;
        all.push((section.title.to_owned(), desc.clone()));
        vertex_program(&mut desc).scratch_bytes = 256;
        desc.pipeline.scratch = Some(ScratchRing { address: 0x70_0000, waves: 64 });
        vertex_program(&mut desc).user_data = vec![UserData::Word(7), UserData::Keep, UserData::ViewIndex];
        all.push((format!("{}, scratch and user data", section.title), desc));
    }
    let mut section = Section::new("", &triangles());
    section.add("a vertex shader", |_| ());
    section.all("path", [VertexPath::Legacy, VertexPath::Ngg], |desc, path| desc.pipeline.vertex.path = Some(path));
    section.add("a vertex shader that reads instance and primitive", |desc| {
        (desc.pipeline.vertex.reads_instance_id, desc.pipeline.vertex.exports_primitive_id) = (true, true);
    });
    section.add("a vertex shader, culling", |desc| desc.pipeline.vertex.culling = true);
    section.add("scratch", |desc| {
        desc.pipeline.scratch = Some(ScratchRing { address: 0x70_0000, waves: 64 });
        (pixel_program(desc).scratch_bytes, vertex_program(desc).scratch_bytes) = (256, 256);
    });
    section.all("streamout, streams", [[0b0001, 0, 0, 0], [0b1111, 0, 0, 0]], |desc, streams| {
        desc.pipeline.vertex.streamout = Some(Streamout { strides: [4; 4], streams, rasterized_stream: 0 });
    });
    section.add("user data", |desc| {
        let data = vec![UserData::Word(1), UserData::Word(2), UserData::Keep, UserData::BaseVertex, UserData::FirstInstance];
        vertex_program(desc).user_data = data;
        pixel_program(desc).user_data = vec![UserData::Keep; 3];
    });
    section.all("pixel inputs", [0, 1, 0x10, 0x2F7F, 0xFFFF], |desc, bits| pixel_shader(desc).inputs.loads = PixelLoads::from_bits(bits));
    section.add("pixel inputs, room for all", |desc| pixel_shader(desc).inputs.room = Some(PixelLoads::from_bits(0xFFFF)));
    section.add("pixel inputs: wave count", |desc| pixel_shader(desc).inputs.wave_count = true);
    section.add("pixel inputs: provoking vertex", |desc| pixel_shader(desc).inputs.provoking_vertex = true);
    section.add("pixel inputs: 40 bytes of LDS, interpolants", |desc| {
        desc.pipeline.vertex.parameters = 4;
        (pixel_program(desc).lds_bytes, pixel_shader(desc).inputs.interpolants) = (40, vec![Interpolant::parameter(0); 4]);
    });
    section.add("an ordered section", |desc| desc.pipeline.interlock = Interlock::PixelOrdered);
    section.add("an ordered section, intrawave collision", |desc| {
        (desc.pipeline.interlock, desc.pipeline.expert.intrawave_collision) = (Interlock::PixelOrdered, true);
    });
    section.add("tessellation that reads patches", |desc| {
        desc.pipeline.topology = Topology::PatchList;
        let patches = tessellation(desc);
        (patches.reads_instance_id, patches.reads_patch_id, patches.evaluation_reads_patch_id) = (true, true, true);
    });
    for path in [VertexPath::Legacy, VertexPath::Ngg] {
        section.add(format!("geometry shader on {path:?} that reads primitive and invocation, triangles with adjacency"), |desc| {
            (desc.pipeline.topology, desc.pipeline.vertex.path) = (Topology::TriangleListAdjacency, Some(path));
            (geometry(desc).reads_primitive_id, geometry(desc).reads_invocation_id) = (true, true);
            desc.pipeline.vertex.reads_instance_id = true;
        });
        section.add(format!("geometry shader on {path:?} of points"), |desc| {
            (desc.pipeline.topology, desc.pipeline.vertex.path) = (Topology::PointList, Some(path));
            geometry(desc).output = GeometryOutput::Points;
        });
    }
    all.extend(section.changes);
    assert_table(
        SOURCE,
        "draw/wave_start",
        |_| Vec::new(),
        &all,
        |chip, desc| {
            if let Err(error) = desc.resolve(chip) {
                return refused(error);
            }
            [wave("pixel", desc.pixel_wave(chip)), wave("vertex", desc.vertex_wave(chip).map(Some)), wave("hull", desc.hull_wave(chip))].concat()
        },
    );
}

/// All reasons that these descriptions give for the values of a field, regardless of the value.
#[test]
fn fields_have_their_values_for_the_expected_reasons() {
    let descs: Vec<DrawDesc> = sections().into_iter().flat_map(|section| section.changes.into_iter().map(|(_, desc)| desc).chain([section.base])).collect();
    let reasons = |chip: Chip| {
        let mut all = BTreeSet::new();
        for reasons in descs.iter().filter_map(|desc| desc.explain(chip).ok()) {
            all.extend(reasons.iter().map(|reason| format!("{}.{}: {}", name(chip, reason.addr), reason.field, reason.rule)));
        }
        all.into_iter().collect()
    };
    assert_table(SOURCE, "draw/reasons", reasons, &[] as &[(String, ())], |_, ()| Vec::new());
}

// Dispatches.

fn dispatch(chip: Chip, desc: &DispatchDesc) -> Result<(Registers, Vec<String>), DrawError> {
    let ResolvedDispatch { image, grid, initiator, .. } = desc.resolve(chip)?;
    let told = [vec![format!("grid {grid:?}"), format!("initiator {:#x}", u32::from(initiator))], wave("compute", desc.wave(chip).map(Some))].concat();
    Ok((image.registers().map(|register| (register.addr, register.value)).collect(), told))
}

#[test]
fn parts_of_a_dispatch_change_the_expected_registers() {
    let base = DispatchDesc { program: program(0x50_0000), group: [64, 1, 1], grid: Grid::Groups([4, 2, 1]), ..DispatchDesc::default() };
    let mut all: Vec<(String, DispatchDesc)> = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut DispatchDesc)| {
        let mut desc = base.clone();
        change(&mut desc);
        all.push((what, desc));
    };
    for group in [[1, 1, 1], [32, 1, 1], [33, 1, 1], [8, 8, 4], [1024, 1, 1], [1025, 1, 1], [0, 1, 1], [16, 16, 16]] {
        add(format!("group = {group:?}"), &|desc| desc.group = group);
        add(format!("group = {group:?}, wave32"), &|desc| (desc.group, desc.program.wave) = (group, WaveSize::W32));
    }
    for grid in
        [Grid::Groups([0, 1, 1]), Grid::Groups([u32::MAX; 3]), Grid::Threads([100, 1, 1]), Grid::Threads([64, 2, 1]), Grid::Indirect(0x1000), Grid::Indirect(2)]
    {
        add(format!("grid = {grid:?}"), &|desc| desc.grid = grid);
        add(format!("grid = {grid:?}, base = [1, 2, 3]"), &|desc| (desc.grid, desc.base) = (grid, [1, 2, 3]));
    }
    add("threads of three dimensions".into(), &|desc| (desc.group, desc.grid) = ([8, 4, 2], Grid::Threads([9, 8, 7])));
    for ids in [[true, true, true], [false, true, false], [false, false, false]] {
        add(format!("workgroup_ids = {ids:?}"), &|desc| desc.workgroup_ids = ids);
    }
    add("workgroup_info".into(), &|desc| desc.workgroup_info = true);
    for ids in [0, 1, 2, 3, 4] {
        add(format!("thread_ids = {ids}"), &|desc| desc.thread_ids = ids);
    }
    add("cu_mode".into(), &|desc| desc.cu_mode = !desc.cu_mode);
    for groups in [0, 1, 8, 15, 16] {
        add(format!("groups_per_cu = {groups}"), &|desc| desc.groups_per_cu = Some(groups));
    }
    add("scratch".into(), &|desc| (desc.program.scratch_bytes, desc.scratch) = (1024, Some(ScratchRing { address: 0x70_0000, waves: 64 })));
    for cus_per_array in [2, 5, 10] {
        add(format!("board with {cus_per_array} CUs per array"), &|desc| {
            desc.board = Some(Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array });
        });
    }
    for vgprs in [1, 9, 24, 128, 256] {
        add(format!("program.vgprs = {vgprs}"), &|desc| desc.program.vgprs = vgprs);
    }
    for bytes in [1, 512, 513, 0x8000, 0x1_0000] {
        add(format!("program.lds_bytes = {bytes}"), &|desc| desc.program.lds_bytes = bytes);
    }
    for waves in [16, 100, 1008, 1023, 1024] {
        add(format!("program.wave_limit = {waves}"), &|desc| desc.program.wave_limit = Some(waves));
    }
    for mask in [1, 0x55, 0xFFFF] {
        add(format!("program.cu_mask = {mask:#x}"), &|desc| desc.program.cu_mask = Some(mask));
    }
    for bytes in [1, 0x400, 0x8000] {
        add(format!("program.prefetch_bytes = {bytes:#x}"), &|desc| desc.program.prefetch_bytes = bytes);
    }
    add("program.shared_vgprs = 16".into(), &|desc| desc.program.shared_vgprs = 16);
    add("program: user data".into(), &|desc| desc.program.user_data = vec![UserData::Word(1), UserData::Keep, UserData::Word(3)]);
    add("program: 17 user SGPRs".into(), &|desc| desc.program.user_data = vec![UserData::Keep; 17]);
    add("program: modes".into(), &|desc| {
        (desc.program.ieee, desc.program.dx10_clamp, desc.program.fp16_overflow, desc.program.float_mode) = (true, false, true, FloatMode(0x3F));
    });
    for ordered in [false, true] {
        add(format!("program.memory_ordered = {ordered}"), &|desc| desc.program.memory_ordered = Some(ordered));
    }
    let head = |chip| match base.explain(chip) {
        Ok(reasons) => reasons.iter().map(|reason| format!("{}.{} = {:#x}: {}", reason.register, reason.field, reason.value, reason.rule)).collect(),
        Err(error) => refused(error),
    };
    assert_table(SOURCE, "draw/dispatch", head, &all, |chip, desc| match (dispatch(chip, &base), dispatch(chip, desc)) {
        (Ok((before, told)), Ok((after, now))) => {
            let other = now.into_iter().filter(|line| !told.contains(line));
            differences(chip, &before, &after).into_iter().chain(other).collect()
        }
        (_, Err(error)) | (Err(error), _) => refused(error),
    });
}

// The start of a stream.

/// Returns the registers that a stream writes, and its other packets.
fn stream(chip: Chip, memory: &QueueMemory) -> Result<(Registers, Vec<String>), RecordError> {
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(memory)?;
    let words = recorder.words().to_vec();
    let (mut registers, mut others) = (Registers::new(), Vec::new());
    for packet in Reader::new(&words).flatten() {
        let mut sets = false;
        for write in packet.writes(chip.gfx()) {
            registers.insert(write.addr, write.value);
            sets = true;
        }
        if !sets {
            let body: Vec<String> = packet.body.iter().map(|word| format!("{word:#x}")).collect();
            others.push(format!("{} {}", packet.name(chip.gfx()).unwrap_or("?"), body.join(" ")));
        }
    }
    Ok((registers, others))
}

#[test]
fn memory_of_a_queue_changes_the_expected_registers() {
    let rings = TessellationRings { address: 0x1234_5678_0000, factor_dwords: 12288, buffers: 256, shader_engines: 4 };
    let positions = GeometryRings::at(0x100_0000, 4);
    let tessellated = |rings| QueueMemory { tessellation: Some(rings), ..QueueMemory::default() };
    let attributes = |address, bytes| QueueMemory { attributes: Some(AttributeRing { address, bytes }), ..QueueMemory::default() };
    let all: Vec<(String, QueueMemory)> = [
        ("border_colors", QueueMemory { border_colors: 0x1234_5678_9A00, ..QueueMemory::default() }),
        ("border_colors, no multiple of 256", QueueMemory { border_colors: 0x80, ..QueueMemory::default() }),
        ("attributes", attributes(0x1234_5678_0000, 0x10_0000)),
        ("attributes, in the upper half of the addresses", attributes(0xFFFF_8000_0001_0000, 0x10_0000)),
        ("attributes, between the halves", attributes(0x0001_0000_0000_0000, 0x10_0000)),
        ("attributes, the most", attributes(0x1_0000, 0x100_0000)),
        ("attributes, too many", attributes(0x1_0000, 0x101_0000)),
        ("attributes, none", attributes(0x1_0000, 0)),
        ("attributes, no multiple of 64 KiB", attributes(0x1000, 0x10_0000)),
        ("geometry", QueueMemory { geometry: Some(positions), ..QueueMemory::default() }),
        ("geometry of 6 engines", QueueMemory { geometry: Some(GeometryRings::at(0x100_0000, 6)), ..QueueMemory::default() }),
        (
            "geometry, positions at an odd address",
            QueueMemory {
                geometry: Some(GeometryRings { positions: GeometryRing { address: 0x1000, ..positions.positions }, ..positions }),
                ..QueueMemory::default()
            },
        ),
        (
            "geometry, too many primitives",
            QueueMemory {
                geometry: Some(GeometryRings { primitives: GeometryRing { bytes: 0x10_0000, ..positions.primitives }, ..positions }),
                ..QueueMemory::default()
            },
        ),
        ("tessellation", tessellated(rings)),
        ("tessellation, 1 buffer", tessellated(TessellationRings { buffers: 1, ..rings })),
        ("tessellation, no buffer", tessellated(TessellationRings { buffers: 0, ..rings })),
        ("tessellation, 513 buffers", tessellated(TessellationRings { buffers: 513, ..rings })),
        ("tessellation, 1025 buffers", tessellated(TessellationRings { buffers: 1025, ..rings })),
        ("tessellation, 65535 dwords of factors, 1 engine", tessellated(TessellationRings { factor_dwords: 0xFFFF, shader_engines: 1, ..rings })),
        ("tessellation, 65535 dwords of factors, 32 engines", tessellated(TessellationRings { factor_dwords: 0xFFFF, shader_engines: 32, ..rings })),
        ("tessellation, 131071 dwords of factors, 32 engines", tessellated(TessellationRings { factor_dwords: 0x1_FFFF, shader_engines: 32, ..rings })),
        ("tessellation, 33 engines", tessellated(TessellationRings { shader_engines: 33, ..rings })),
        ("tessellation, no engine", tessellated(TessellationRings { shader_engines: 0, ..rings })),
        ("tessellation, at an odd address", tessellated(TessellationRings { address: 0x80, ..rings })),
        ("geometry_shader_ring", QueueMemory { geometry_shader_ring: Some(0x10_0000), ..QueueMemory::default() }),
        ("geometry_shader_ring, no multiple of 256", QueueMemory { geometry_shader_ring: Some(0x80), ..QueueMemory::default() }),
    ]
    .map(|(what, memory)| (what.to_owned(), memory))
    .into();
    let head = |chip| match stream(chip, &QueueMemory::default()) {
        Ok((registers, others)) => registers.iter().map(|(addr, value)| format!("{} = {value:#x}", name(chip, *addr))).chain(others).collect(),
        Err(error) => refused(error),
    };
    assert_table(SOURCE, "draw/preamble", head, &all, |chip, memory| match (stream(chip, &QueueMemory::default()), stream(chip, memory)) {
        (Ok((before, packets)), Ok((after, now))) => {
            let other = now.into_iter().filter(|line| !packets.contains(line));
            differences(chip, &before, &after).into_iter().chain(other).collect()
        }
        (_, Err(error)) | (Err(error), _) => refused(error),
    });
}

// Words stated by compilers.

#[test]
fn words_of_programs_say_or_contradict_the_expected_fields() {
    const REGISTERS: [(&str, &str, &str); 4] = [
        ("pixel", "SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS"),
        ("vertex", "SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"),
        ("NGG", "SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"),
        ("compute", "COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2"),
    ];
    let words = ProgramWords { rsrc1: 0, rsrc2: 0, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
    let described = |chip: Chip, stage: &str, words: &ProgramWords| -> String {
        let pixel = PixelWords { input_ena: 2, input_addr: 2, exports: None };
        let told = match stage {
            "pixel" => PixelShader::from_words(words, &pixel, chip).map(|shader| format!("{shader:?}")),
            "vertex" => VertexStage::from_words(words, VertexPath::Legacy, chip).map(|stage| format!("{stage:?}")),
            "NGG" => VertexStage::from_words(words, VertexPath::Ngg, chip).map(|stage| format!("{stage:?}")),
            _ => DispatchDesc::from_words(words, chip).map(|dispatch| format!("{dispatch:?}")),
        };
        told.unwrap_or_else(|error| format!("refused: {error}"))
    };
    // The parts of a text that another one does not contain.
    let parts = |text: &str| text.split([',', '{', '}']).map(|part| part.trim().to_owned()).collect::<BTreeSet<_>>();
    let lines = |chip: Chip, second: bool, high: bool| {
        let mut lines = Vec::new();
        for (stage, rsrc1, rsrc2) in REGISTERS {
            let plain = described(chip, stage, &words);
            let Some(register) = regs::find(chip.gfx(), if second { rsrc2 } else { rsrc1 }) else { continue };
            for field in register.fields() {
                let value = field.bits().put(0, if high { u32::MAX } else { 1 });
                let words = if second { ProgramWords { rsrc2: value, ..words } } else { ProgramWords { rsrc1: value, ..words } };
                let told = described(chip, stage, &words);
                let other: Vec<String> = match told.starts_with("refused") {
                    true => vec![told],
                    false => parts(&told).difference(&parts(&plain)).cloned().collect(),
                };
                lines.push(format!("{}.{} = {:#x}: {}", register.name(), field.name, field.get(value), other.join(", ")));
            }
        }
        lines
    };
    let all = [
        ("RSRC1, fields of 1", (false, false)),
        ("RSRC1, fields full", (false, true)),
        ("RSRC2, fields of 1", (true, false)),
        ("RSRC2, fields full", (true, true)),
    ];
    let all = all.map(|(what, which)| (what.to_owned(), which));
    assert_table(SOURCE, "draw/program_words", |_| Vec::new(), &all, |chip, (second, high)| lines(chip, *second, *high));
}
