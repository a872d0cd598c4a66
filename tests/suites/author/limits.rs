//! The accepted numbers of descriptions, in `golden/draw/limits.txt`: which are accepted, the messages for the others, and the registers or descriptor words at
//! the ends of each range.
//!
//! After changing a limit, rewrite the table (`PM4_WRITE_GOLDEN=1 cargo test --test author limits`) and check the difference against its source.
use crate::chip_table::{Registers, assert_table, differences};
use crate::golden::{digest, digest_after};
use crate::ranges::{Range, ranges, tried};
use pm4::chip::Chip;
use pm4::descriptors::*;
use pm4::draw::*;
use pm4::packet::Reader;

/// The result of a description.
#[derive(Clone, PartialEq, Eq)]
enum Outcome {
    /// The registers of a draw or dispatch, and waves per SIMD of its vertex work.
    Registers(Registers, Option<u32>),
    Words(Vec<u32>),
    Refused(String),
}

/// A number in a description, and the largest value of its type.
type Number = (u64, Box<dyn Fn(Chip, u64) -> Outcome>);

fn refused(error: impl std::fmt::Display) -> Outcome {
    Outcome::Refused(error.to_string())
}

/// Removes the number itself from a message, where it first occurs.
fn numberless(text: &str, number: u64) -> String {
    let names = |word: &str| {
        let word = word.trim_end_matches([':', ',', ';']);
        let value = word.parse().ok().or_else(|| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(|value| value as f64));
        value.is_some_and(|value: f64| [number as f64, number as f64 / 256.0, -(number as f64) / 256.0].contains(&value))
    };
    let mut left = true;
    let words = text.split(' ').map(|word| {
        if left && names(word) {
            left = false;
            "N"
        } else {
            word
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A description with numbers.
trait Described: Sized + 'static {
    /// Returns one that the chip accepts.
    fn plain(chip: Chip) -> Self;

    /// Returns its result.
    fn outcome(&self, chip: Chip) -> Outcome;

    /// Resolves with reasons as well: their values must fit their fields.
    fn explain(&self, _: Chip) {}
}

fn registers(image: &RegisterImage, waves: Option<u32>) -> Outcome {
    Outcome::Registers(image.registers().map(|register| (register.addr, register.value)).collect(), waves)
}

fn words<const N: usize>(made: Result<[u32; N], DescriptorError>) -> Outcome {
    made.map_or_else(refused, |words| Outcome::Words(words.to_vec()))
}

impl Described for DrawDesc {
    fn plain(_: Chip) -> Self {
        let blend = TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() };
        let image = TargetImage { surface: Surface { address: 0x100_0000, ..Surface::default() }, ..TargetImage::default() };
        Self { targets: TargetsDesc { extent: (640, 480), ..TargetsDesc::default() }, ..Self::default() }.with_colors([(image, blend)])
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        let waves = self.vertex_occupancy(chip).ok().map(|occupancy| occupancy.waves_per_simd);
        self.resolve(chip).map_or_else(refused, |draw| registers(&draw.image, waves))
    }

    fn explain(&self, chip: Chip) {
        let _ = Self::explain(self, chip);
    }
}

impl Described for DispatchDesc {
    fn plain(_: Chip) -> Self {
        Self::default()
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        self.resolve(chip).map_or_else(refused, |dispatch| registers(&dispatch.image, None))
    }

    fn explain(&self, chip: Chip) {
        let _ = Self::explain(self, chip);
    }
}

/// Memory of a queue: the registers that its preamble writes.
impl Described for QueueMemory {
    fn plain(_: Chip) -> Self {
        Self::default()
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        let mut recorder = Recorder::new(chip);
        match recorder.begin_with(self) {
            Ok(()) => {
                let writes = Reader::new(recorder.words()).flatten().flat_map(|packet| packet.writes(chip.gfx()).collect::<Vec<_>>());
                Outcome::Registers(writes.map(|write| (write.addr, write.value)).collect(), None)
            }
            Err(error) => refused(error),
        }
    }
}

impl Described for BufferDesc {
    fn plain(_: Chip) -> Self {
        Self::structured(0x1234_5678_9000, 16, 64)
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        words(self.words(chip))
    }
}

impl Described for ImageDesc {
    fn plain(chip: Chip) -> Self {
        let swizzle = [25, 27, 27, 27, 27, 3][chip.gfx().index()];
        let pitch = (chip.gfx().major() == 9).then_some(256);
        Self { width: 256, height: 256, swizzle, pitch, ..Self::new(0x2345_6789_0000, TexelFormat::R8G8B8A8_UNORM) }
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        words(self.words(chip))
    }
}

impl Described for SamplerDesc {
    fn plain(_: Chip) -> Self {
        Self::default()
    }

    fn outcome(&self, chip: Chip) -> Outcome {
        words(self.words(chip))
    }
}

/// Returns the result of a description with one number changed. One function for all changes of a kind, so that the changes themselves stay small.
fn changed<D: Described>(chip: Chip, number: u64, change: &dyn Fn(&mut D, u64)) -> Outcome {
    let mut desc = D::plain(chip);
    change(&mut desc, number);
    // This doubles the cost, so only for some numbers.
    if number.is_power_of_two() {
        desc.explain(chip);
    }
    desc.outcome(chip)
}

fn number<D: Described>(most: u64, change: impl Fn(&mut D, u64) + 'static) -> Number {
    (most, Box::new(move |chip, number| changed(chip, number, &change)))
}

fn draw(most: u64, change: impl Fn(&mut DrawDesc, u64) + 'static) -> Number {
    number(most, change)
}

fn dispatch(most: u64, change: impl Fn(&mut DispatchDesc, u64) + 'static) -> Number {
    number(most, change)
}

fn queue(most: u64, change: impl Fn(&mut QueueMemory, u64) + 'static) -> Number {
    number(most, change)
}

fn buffer(most: u64, change: impl Fn(&mut BufferDesc, u64) + 'static) -> Number {
    number(most, change)
}

fn image(most: u64, change: impl Fn(&mut ImageDesc, u64) + 'static) -> Number {
    number(most, change)
}

fn sampler(most: u64, change: impl Fn(&mut SamplerDesc, u64) + 'static) -> Number {
    number(most, change)
}

const U8: u64 = u8::MAX as u64;
const U16: u64 = u16::MAX as u64;
const U32: u64 = u32::MAX as u64;
const U64: u64 = u64::MAX;

fn patches(desc: &mut DrawDesc) -> &mut Tessellation {
    desc.pipeline.topology = Topology::PatchList;
    desc.pipeline.tessellation.get_or_insert_default()
}

fn legacy_geometry(desc: &mut DrawDesc) -> &mut GeometryStage {
    desc.pipeline.vertex.path = Some(VertexPath::Legacy);
    desc.pipeline.geometry.get_or_insert_default()
}

fn ngg_geometry(desc: &mut DrawDesc) -> &mut GeometryStage {
    desc.pipeline.vertex.path = Some(VertexPath::Ngg);
    desc.pipeline.geometry.get_or_insert_default()
}

fn mesh(desc: &mut DrawDesc) -> &mut MeshStage {
    desc.pipeline.topology = Topology::PointList;
    desc.pipeline.mesh.get_or_insert_default()
}

fn pixel(desc: &mut DrawDesc) -> &mut PixelShader {
    desc.pipeline.shader.get_or_insert_default()
}

fn depth(desc: &mut DrawDesc) -> &mut DepthTarget {
    desc.targets.depth.get_or_insert(DepthTarget::new(DepthFormat::D32s8, 1))
}

fn htile(desc: &mut DrawDesc) -> &mut Htile {
    depth(desc).htile.get_or_insert_default()
}

fn hiz(desc: &mut DrawDesc) -> &mut HiSurface {
    depth(desc).hiz.get_or_insert(HiSurface { address: 0x40_0000, swizzle: 3, format: false, extent: (64, 64) })
}

fn rates(desc: &mut DrawDesc) -> &mut RateImage {
    desc.targets.rate_image.get_or_insert(RateImage { address: 0x40_0000, swizzle: 0, extent: (64, 64) })
}

fn color(desc: &mut DrawDesc) -> &mut TargetImage {
    &mut desc.targets.color[0]
}

fn compression(desc: &mut DrawDesc) -> &mut ColorCompression {
    color(desc).surface.swizzle = 27;
    color(desc).compression.get_or_insert_default()
}

fn streamout(desc: &mut DrawDesc) -> &mut Streamout {
    desc.pipeline.vertex.streamout.get_or_insert(Streamout { strides: [16, 0, 0, 0], streams: [0b0001, 0, 0, 0], rasterized_stream: 0 })
}

fn board(number: u64) -> Board {
    Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: number as u32 }
}

fn tessellation_rings(memory: &mut QueueMemory) -> &mut TessellationRings {
    memory.tessellation.get_or_insert(TessellationRings { address: 0x100_0000, factor_dwords: 12288, buffers: 256, shader_engines: 4 })
}

fn attributes(memory: &mut QueueMemory) -> &mut AttributeRing {
    memory.attributes.get_or_insert(AttributeRing { address: 0x100_0000, bytes: 0x10_0000 })
}

fn rings(memory: &mut QueueMemory) -> &mut GeometryRings {
    memory.geometry.get_or_insert(GeometryRings::at(0x100_0000, 4))
}

type ProgramOf = fn(&mut DrawDesc) -> &mut Program;

/// Returns programs by the stage that they run on.
fn programs() -> [(&'static str, ProgramOf); 3] {
    [
        ("pixel program", |desc| &mut pixel(desc).program),
        ("vertex program", |desc| &mut desc.pipeline.vertex.program),
        ("hull program", |desc| &mut patches(desc).program),
    ]
}

/// Returns a fraction in units of 1/256.
fn fraction(number: u64) -> f32 {
    number as f32 / 256.0
}

fn numbers() -> Vec<(String, Number)> {
    let mut all: Vec<(String, Number)> = Vec::new();
    for (of, program) in programs() {
        let mut add = |what: &str, number: Number| all.push((format!("{of}: {what}"), number));
        add("address", draw(U64, move |desc, n| program(desc).address = Some(n)));
        add("vgprs", draw(U32, move |desc, n| program(desc).vgprs = n as u32));
        add("vgprs, wave32", draw(U32, move |desc, n| (program(desc).vgprs, program(desc).wave) = (n as u32, WaveSize::W32)));
        add("prefetch_bytes", draw(U32, move |desc, n| program(desc).prefetch_bytes = n as u32));
        add("shared_vgprs", draw(U32, move |desc, n| program(desc).shared_vgprs = n as u32));
        add("sgprs", draw(U32, move |desc, n| program(desc).sgprs = n as u32));
        add("reserved_sgprs", draw(U32, move |desc, n| program(desc).reserved_sgprs = n as u32));
        add("lds_bytes", draw(U32, move |desc, n| program(desc).lds_bytes = n as u32));
        add(
            "scratch_bytes",
            draw(U32, move |desc, n| {
                desc.pipeline.scratch = Some(ScratchRing { address: 0x70_0000, waves: 64 });
                program(desc).scratch_bytes = n as u32;
            }),
        );
        add("user SGPRs", draw(64, move |desc, n| program(desc).user_data = vec![UserData::Keep; n as usize]));
        add("float_mode", draw(U8, move |desc, n| program(desc).float_mode = FloatMode(n as u8)));
        add("wave_limit", draw(U32, move |desc, n| program(desc).wave_limit = Some(n as u32)));
        add("cu_mask", draw(U32, move |desc, n| program(desc).cu_mask = Some(n as u32)));
    }
    let mut add = |what: &str, number: Number| all.push((what.to_owned(), number));
    let scratch = |desc: &mut DrawDesc, address, waves| {
        desc.pipeline.scratch = Some(ScratchRing { address, waves });
        desc.pipeline.vertex.program.scratch_bytes = 1024;
    };
    add("scratch.address", draw(U64, move |desc, n| scratch(desc, n, 64)));
    add("scratch.waves", draw(U32, move |desc, n| scratch(desc, 0x70_0000, n as u32)));
    add("board: CUs per array", draw(U32, |desc, n| desc.pipeline.board = Some(board(n))));
    add("board: CUs per array, culling", draw(U32, |desc, n| (desc.pipeline.board, desc.pipeline.vertex.culling) = (Some(board(n)), true)));
    add("board: shader engines", draw(U32, |desc, n| desc.pipeline.board = Some(Board { shader_engines: n as u32, ..board(10) })));
    add("vertex.parameters", draw(U32, |desc, n| desc.pipeline.vertex.parameters = n as u32));
    add("vertex.outputs.clip_distances", draw(U8, |desc, n| desc.pipeline.vertex.outputs.clip_distances = n as u8));
    add("vertex.outputs.cull_distances", draw(U8, |desc, n| desc.pipeline.vertex.outputs.cull_distances = n as u8));
    add("vertex.subgroup.vertices", draw(U32, |desc, n| desc.pipeline.vertex.subgroup = Subgroup { vertices: n as u32, primitives: 64 }));
    add("vertex.subgroup.primitives", draw(U32, |desc, n| desc.pipeline.vertex.subgroup = Subgroup { vertices: 64, primitives: n as u32 }));
    add("streamout.strides[0]", draw(U32, |desc, n| streamout(desc).strides[0] = n as u32));
    add("streamout.streams[0]", draw(U8, |desc, n| streamout(desc).streams[0] = n as u8));
    add("streamout.rasterized_stream", draw(U8, |desc, n| streamout(desc).rasterized_stream = n as u8));
    add("tessellation.input_points", draw(U32, |desc, n| patches(desc).input_points = n as u32));
    add("tessellation.output_points", draw(U32, |desc, n| patches(desc).output_points = n as u32));
    add("tessellation.lds_bytes_per_point", draw(U32, |desc, n| patches(desc).lds_bytes_per_point = n as u32));
    add("tessellation.lds_bytes_per_patch", draw(U32, |desc, n| patches(desc).lds_bytes_per_patch = n as u32));
    add("tessellation.offchip_bytes_per_patch", draw(U32, |desc, n| patches(desc).offchip_bytes_per_patch = n as u32));
    add(
        "patch_points of dynamic state",
        draw(U32, |desc, n| {
            patches(desc);
            desc.state.patch_points = Some(n as u32);
        }),
    );
    for (path, geometry) in [("legacy", legacy_geometry as fn(&mut DrawDesc) -> &mut GeometryStage), ("NGG", ngg_geometry)] {
        let mut add = |what: &str, number: Number| add(&format!("geometry shader, {path}: {what}"), number);
        add("max_vertices", draw(U32, move |desc, n| geometry(desc).max_vertices = n as u32));
        add("invocations", draw(U32, move |desc, n| geometry(desc).invocations = n as u32));
        add("input_dwords", draw(U32, move |desc, n| geometry(desc).input_dwords = n as u32));
        add("vertex_dwords[0]", draw(U32, move |desc, n| geometry(desc).vertex_dwords[0] = n as u32));
        add("vertex_dwords[3]", draw(U32, move |desc, n| geometry(desc).vertex_dwords[3] = n as u32));
    }
    add("mesh.workgroup[0]", draw(U32, |desc, n| mesh(desc).workgroup = [n as u32, 1, 1]));
    add("mesh.workgroup[2]", draw(U32, |desc, n| mesh(desc).workgroup = [2, 2, n as u32]));
    add("mesh.max_vertices", draw(U32, |desc, n| mesh(desc).max_vertices = n as u32));
    add("mesh.max_primitives", draw(U32, |desc, n| mesh(desc).max_primitives = n as u32));
    add(
        "interpolants of 32 parameters",
        draw(64, |desc, n| {
            desc.pipeline.vertex.parameters = 32;
            pixel(desc).inputs.interpolants = (0..n).map(|at| Interpolant::parameter(at as u8 & 31)).collect();
        }),
    );
    add(
        "the interpolant that is the point coordinate",
        draw(31, |desc, n| {
            desc.pipeline.vertex.parameters = 32;
            pixel(desc).inputs.interpolants = (0..=n).map(|at| Interpolant { point_coordinate: at == n, ..Interpolant::parameter(at as u8) }).collect();
        }),
    );
    add("inputs.loads", draw(U16, |desc, n| pixel(desc).inputs.loads = PixelLoads::from_bits(n as u16)));
    add("samples", draw(U32, |desc, n| desc.pipeline.samples = n as u32));
    add("samples, ordered", draw(U32, |desc, n| (desc.pipeline.samples, desc.pipeline.interlock) = (n as u32, Interlock::SampleOrdered)));
    add("samples of depth", draw(U32, |desc, n| depth(desc).samples = n as u32));
    add("samples of the colour target", draw(U32, |desc, n| color(desc).samples = Some(n as u32)));
    add(
        "colour targets",
        draw(16, |desc, n| {
            let target = desc.targets.color[0];
            desc.targets.color = vec![target; n as usize];
        }),
    );
    add("sample_mask", draw(U16, |desc, n| desc.pipeline.sample_mask = n as u16));
    add("write_mask", draw(U8, |desc, n| desc.pipeline.blends[0].write_mask = n as u8));
    add("logic_op", draw(U8, |desc, n| desc.pipeline.logic_op = Some(LogicOp(n as u8))));
    add("binning.width", draw(U32, |desc, n| desc.pipeline.binning = Some(Binning { width: n as u32, height: 64 })));
    add("binning.height", draw(U32, |desc, n| desc.pipeline.binning = Some(Binning { width: 128, height: n as u32 })));
    add("binning, square", draw(U32, |desc, n| desc.pipeline.binning = Some(Binning { width: n as u32, height: n as u32 })));
    add(
        "line_width in 1/256",
        draw(1 << 24, |desc, n| {
            (desc.pipeline.topology, desc.pipeline.raster.line_width) = (Topology::LineList, fraction(n));
        }),
    );
    add(
        "stipple.factor",
        draw(U32, |desc, n| {
            desc.pipeline.topology = Topology::LineList;
            desc.pipeline.raster.stipple = Some(LineStipple { pattern: 0x5555, factor: n as u32 });
        }),
    );
    add(
        "viewports",
        draw(64, |desc, n| {
            let viewport = Viewport::covering((640, 480));
            desc.state.viewports = vec![viewport; n as usize];
        }),
    );
    add("scissors", draw(64, |desc, n| desc.state.scissors = vec![Rect { x: 1, y: 2, width: 3, height: 4 }; n as usize]));
    add(
        "width of a viewport in 1/256",
        draw(1 << 26, |desc, n| {
            desc.state.viewports = vec![Viewport { width: fraction(n), ..Viewport::covering((640, 480)) }];
        }),
    );
    add(
        "max_depth of a viewport in 1/256",
        draw(1 << 12, |desc, n| {
            desc.state.viewports = vec![Viewport { max_depth: fraction(n), ..Viewport::covering((640, 480)) }];
        }),
    );
    add("width of a scissor", draw(U32, |desc, n| desc.state.scissors = vec![Rect { x: 8, y: 8, width: n as u32, height: 4 }]));
    add("x of a scissor", draw(U32, |desc, n| desc.state.scissors = vec![Rect { x: n as u32, y: 8, width: 16, height: 4 }]));
    add(
        "depth bounds, the lower one in 1/256",
        draw(1 << 12, |desc, n| {
            depth(desc);
            desc.pipeline.depth_test.bounds = Some((fraction(n), 0.5));
        }),
    );
    add("width of the targets", draw(U32, |desc, n| desc.targets.extent.0 = n as u32));
    add("height of the targets", draw(U32, |desc, n| desc.targets.extent.1 = n as u32));
    add("address of the colour target", draw(U64, |desc, n| color(desc).surface.address = n));
    add("pitch of the colour target", draw(U32, |desc, n| color(desc).surface.pitch = Some(n as u32)));
    add("swizzle of the colour target", draw(U8, |desc, n| color(desc).surface.swizzle = n as u8));
    add("level of the colour target, of 15", draw(U32, |desc, n| (color(desc).surface.level, color(desc).surface.last_level) = (n as u32, 14)));
    add("last level of the colour target", draw(U32, |desc, n| color(desc).surface.last_level = n as u32));
    add("address of depth", draw(U64, |desc, n| depth(desc).surface.address = n));
    add("address of stencil", draw(U64, |desc, n| depth(desc).surface.stencil_address = n));
    add("pitch of depth", draw(U32, |desc, n| depth(desc).surface.pitch = Some(n as u32)));
    add("pitch of stencil", draw(U32, |desc, n| depth(desc).surface.stencil_pitch = Some(n as u32)));
    add("swizzle mode of stencil", draw(U8, |desc, n| depth(desc).surface.stencil_swizzle = Some(n as u8)));
    add("swizzle of depth", draw(U8, |desc, n| depth(desc).surface.swizzle = n as u8));
    add("address of HTILE", draw(U64, |desc, n| htile(desc).address = n));
    add("decompress_planes of HTILE", draw(U8, |desc, n| htile(desc).decompress_planes = n as u8));
    add(
        "depth of a clear in 1/256",
        draw(1 << 12, |desc, n| {
            htile(desc);
            depth(desc).clear = Some(DepthClear { depth: fraction(n), stencil: 0 });
        }),
    );
    add("address of HiZ", draw(U64, |desc, n| hiz(desc).address = n));
    add("swizzle of HiZ", draw(U8, |desc, n| hiz(desc).swizzle = n as u8));
    add("width of HiZ", draw(U32, |desc, n| hiz(desc).extent.0 = n as u32));
    add("address of rates", draw(U64, |desc, n| rates(desc).address = n));
    add("swizzle of rates", draw(U8, |desc, n| rates(desc).swizzle = n as u8));
    add("height of rates", draw(U32, |desc, n| rates(desc).extent.1 = n as u32));
    add("address of CMASK", draw(U64, |desc, n| compression(desc).cmask = Some(n)));
    add("address of DCC", draw(U64, |desc, n| compression(desc).dcc = Some(Dcc { address: n, blocks: None })));
    add("instances", draw(U32, |desc, n| desc.instances = n as u32));

    add("dispatch: address", dispatch(U64, |desc, n| desc.program.address = Some(n)));
    add("dispatch: vgprs", dispatch(U32, |desc, n| desc.program.vgprs = n as u32));
    add("dispatch: lds_bytes", dispatch(U32, |desc, n| desc.program.lds_bytes = n as u32));
    add("dispatch: user SGPRs", dispatch(64, |desc, n| desc.program.user_data = vec![UserData::Keep; n as usize]));
    add("dispatch: wave_limit", dispatch(U32, |desc, n| desc.program.wave_limit = Some(n as u32)));
    add("dispatch: group[0]", dispatch(U32, |desc, n| desc.group = [n as u32, 1, 1]));
    add("dispatch: group[1], of 4 in x", dispatch(U32, |desc, n| desc.group = [4, n as u32, 1]));
    add("dispatch: group[2], of 4 in x and y", dispatch(U32, |desc, n| desc.group = [4, 4, n as u32]));
    add("dispatch: base[0], two groups", dispatch(U32, |desc, n| (desc.grid, desc.base) = (Grid::Groups([2, 1, 1]), [n as u32, 0, 0])));
    add("dispatch: base[2], two groups", dispatch(U32, |desc, n| (desc.grid, desc.base) = (Grid::Groups([1, 1, 2]), [0, 0, n as u32])));
    add("dispatch: threads in x", dispatch(U32, |desc, n| desc.grid = Grid::Threads([n as u32, 1, 1])));
    add("dispatch: threads in z", dispatch(U32, |desc, n| desc.grid = Grid::Threads([1, 1, n as u32])));
    add("dispatch: address of the grid", dispatch(U64, |desc, n| desc.grid = Grid::Indirect(n)));
    add("dispatch: thread_ids", dispatch(U32, |desc, n| desc.thread_ids = n as u32));
    add("dispatch: groups_per_cu", dispatch(U32, |desc, n| desc.groups_per_cu = Some(n as u32)));
    add("dispatch: CUs per array", dispatch(U32, |desc, n| desc.board = Some(board(n))));
    add(
        "dispatch: scratch.waves",
        dispatch(U32, |desc, n| {
            (desc.program.scratch_bytes, desc.scratch) = (1024, Some(ScratchRing { address: 0x70_0000, waves: n as u32 }));
        }),
    );
    add(
        "dispatch: scratch_bytes",
        dispatch(U32, |desc, n| {
            (desc.program.scratch_bytes, desc.scratch) = (n as u32, Some(ScratchRing { address: 0x70_0000, waves: 64 }));
        }),
    );

    add("queue: border_colors", queue(U64, |memory, n| memory.border_colors = n));
    add("queue: geometry_shader_ring", queue(U32, |memory, n| memory.geometry_shader_ring = Some(n as u32)));
    add("queue: tessellation.address", queue(U64, |memory, n| tessellation_rings(memory).address = n));
    add("queue: tessellation.factor_dwords", queue(U32, |memory, n| tessellation_rings(memory).factor_dwords = n as u32));
    add("queue: tessellation.buffers", queue(U32, |memory, n| tessellation_rings(memory).buffers = n as u32));
    add("queue: tessellation.shader_engines", queue(U32, |memory, n| tessellation_rings(memory).shader_engines = n as u32));
    add("queue: attributes.address", queue(U64, |memory, n| attributes(memory).address = n));
    add("queue: attributes.bytes", queue(U32, |memory, n| attributes(memory).bytes = n as u32));
    add("queue: geometry.positions.address", queue(U64, |memory, n| rings(memory).positions.address = n));
    add("queue: geometry.positions.bytes", queue(U32, |memory, n| rings(memory).positions.bytes = n as u32));
    add("queue: geometry.primitives.bytes", queue(U32, |memory, n| rings(memory).primitives.bytes = n as u32));

    add("buffer.address", buffer(U64, |desc, n| desc.address = n));
    add("buffer.stride", buffer(U32, |desc, n| desc.stride = n as u32));
    add("buffer.records", buffer(U32, |desc, n| desc.records = n as u32));
    add("buffer.swizzle.element", buffer(U32, |desc, n| desc.swizzle = Some(BufferSwizzle { element: n as u32, index_stride: 16 })));
    add("buffer.swizzle.index_stride", buffer(U32, |desc, n| desc.swizzle = Some(BufferSwizzle { element: 4, index_stride: n as u32 })));
    add("buffer.stride, with thread ids", buffer(U32, |desc, n| (desc.stride, desc.add_thread_id) = (n as u32, true)));
    add("image.address", image(U64, |desc, n| desc.address = n));
    add("image.width", image(U32, |desc, n| (desc.width, desc.pitch) = (n as u32, desc.pitch.map(|_| n as u32))));
    add("image.height", image(U32, |desc, n| desc.height = n as u32));
    add("image.depth", image(U32, |desc, n| (desc.dimension, desc.depth) = (ImageDimension::Three, n as u32)));
    add("image.levels", image(U32, |desc, n| desc.levels = n as u32));
    add(
        "image.levels, a view of blocks",
        image(U32, |desc, n| {
            (desc.format, desc.view_of_blocks, desc.levels) = (TexelFormat::R32G32B32A32_UINT, true, n as u32);
        }),
    );
    add("image.layers", image(U32, |desc, n| desc.layers = n as u32));
    add("image.samples", image(U32, |desc, n| desc.samples = n as u32));
    add("image.swizzle", image(U32, |desc, n| desc.swizzle = n as u32));
    add("image.tile_swizzle", image(U32, |desc, n| desc.tile_swizzle = n as u32));
    add("image.pitch", image(U32, |desc, n| desc.pitch = Some(n as u32)));
    add("image.pitch, linear", image(U32, |desc, n| (desc.pitch, desc.swizzle) = (Some(n as u32), 0)));
    add("image.min_lod in 1/256", image(1 << 13, |desc, n| desc.min_lod = fraction(n)));
    add("image.view_levels.first, one of 9", image(U32, |desc, n| (desc.levels, desc.view_levels) = (9, Some(ViewRange { first: n as u32, count: 1 }))));
    add("image.view_levels.count, of 9", image(U32, |desc, n| (desc.levels, desc.view_levels) = (9, Some(ViewRange { first: 2, count: n as u32 }))));
    add("image.view_layers.count, of 9", image(U32, |desc, n| (desc.layers, desc.view_layers) = (9, Some(ViewRange { first: 2, count: n as u32 }))));
    add("sampler.max_anisotropy", sampler(U32, |desc, n| desc.max_anisotropy = n as u32));
    add("sampler.min_lod in 1/256", sampler(1 << 19, |desc, n| desc.min_lod = fraction(n)));
    add("sampler.max_lod in 1/256", sampler(1 << 19, |desc, n| desc.max_lod = fraction(n)));
    add("sampler.lod_bias in 1/256", sampler(1 << 14, |desc, n| desc.lod_bias = fraction(n)));
    add("sampler.lod_bias below 0 in 1/256", sampler(1 << 14, |desc, n| desc.lod_bias = -fraction(n)));
    all
}

/// Returns the text for an accepted number: accepted.
fn answer(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Refused(text) => text,
        _ => "accepted",
    }
}

/// Returns ranges of numbers with the same answer.
fn ranges_of(outcome: &dyn Fn(u64) -> Outcome, most: u64) -> Vec<Range<Outcome>> {
    let outcome = |number| match outcome(number) {
        Outcome::Refused(text) => Outcome::Refused(numberless(&text, number)),
        taken => taken,
    };
    ranges(tried(most).map(|number| (number, outcome(number))).collect(), outcome, |outcome| answer(outcome).to_owned())
}

/// Returns the differences between an outcome and the previous one.
fn told(chip: Chip, before: &Outcome, outcome: &Outcome) -> String {
    match (before, outcome) {
        (Outcome::Registers(before, waves), Outcome::Registers(after, then)) => {
            let waves = waves.zip(*then).filter(|(waves, then)| waves != then).map(|(waves, then)| format!("waves per SIMD: {waves} -> {then}"));
            differences(chip, before, after).into_iter().chain(waves).collect::<Vec<_>>().join(", ")
        }
        (Outcome::Words(before), Outcome::Words(after)) => {
            let other = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
            other.map(|(nth, (before, after))| format!("dword {nth} {before:#x} -> {after:#x}")).collect::<Vec<_>>().join(", ")
        }
        (_, Outcome::Refused(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Returns a hash of the outcomes between two numbers: all of them if there are few.
fn between(chip: Chip, begin: &Outcome, first: u64, last: u64, outcome: &dyn Fn(Chip, u64) -> Outcome) -> String {
    if last - first < 2 {
        return String::new();
    }
    let all: Vec<u64> =
        if last - first < 35 { (first + 1..last).collect() } else { tried(last).filter(|number| *number > first && *number < last).step_by(4).collect() };
    let made = all.into_iter().map(|number| told(chip, begin, &outcome(chip, number)));
    format!("; between {:04x}", made.fold(digest(""), |all, made| digest_after(all, &made)) & 0xFFFF)
}

#[test]
fn numbers_are_accepted_between_the_recorded_limits() {
    let number = |number: u64| if number < 10_000 { number.to_string() } else { format!("{number:#x}") };
    let lines = |chip: Chip, (most, outcome): &Number| {
        let mut lines = Vec::new();
        let mut ranges = ranges_of(&|number| outcome(chip, number), *most);
        // If numbers must be multiples, the first ones show of what.
        let many = ranges.len().saturating_sub(6);
        ranges.truncate(6);
        for Range { first, last, begin, end } in &ranges {
            let at = if first == last { number(*first) } else { format!("{}..{}", number(*first), number(*last)) };
            lines.push(match begin {
                Outcome::Refused(text) => format!("{at}: {text}"),
                _ => format!("{at}: {}{}", told(chip, begin, end), between(chip, begin, *first, *last, outcome)),
            });
        }
        if many > 0 {
            lines.push(format!("and {many} ranges more"));
        }
        lines
    };
    assert_table("tests/suites/author/limits.rs", "draw/limits", |_| Vec::new(), &numbers(), lines);
}

/// Non-integer numbers: the registers or words for their values, and which are refused.
#[test]
fn fractions_are_accepted_or_refused_as_recorded() {
    type Float = (f32, Box<dyn Fn(Chip, f32) -> Outcome>);
    fn of<D: Described>(from: f32, change: fn(&mut D, f32)) -> Float {
        let outcome = move |chip, value| {
            let mut desc = D::plain(chip);
            change(&mut desc, value);
            desc.outcome(chip)
        };
        (from, Box::new(outcome))
    }
    fn viewport(desc: &mut DrawDesc, change: impl FnOnce(&mut Viewport)) {
        let mut viewport = Viewport::covering((640, 480));
        change(&mut viewport);
        desc.state.viewports = vec![viewport];
    }
    fn bias(desc: &mut DrawDesc, change: impl FnOnce(&mut DepthBias)) {
        let bias = desc.pipeline.raster.depth_bias.get_or_insert(DepthBias { constant: 1.0, slope: 1.0, clamp: 0.0 });
        change(bias);
        depth(desc);
    }
    // With each, the value from which differences are shown.
    let all: Vec<(&str, Float)> = vec![
        ("line_width", of(1.0, |desc: &mut DrawDesc, value| (desc.pipeline.topology, desc.pipeline.raster.line_width) = (Topology::LineList, value))),
        (
            "line_width of dynamic state",
            of(1.0, |desc: &mut DrawDesc, value| (desc.pipeline.topology, desc.state.line_width) = (Topology::LineList, Some(value))),
        ),
        ("depth_bias.constant", of(0.0, |desc: &mut DrawDesc, value| bias(desc, |bias| bias.constant = value))),
        ("depth_bias.slope", of(0.0, |desc: &mut DrawDesc, value| bias(desc, |bias| bias.slope = value))),
        ("depth_bias.clamp", of(0.0, |desc: &mut DrawDesc, value| bias(desc, |bias| bias.clamp = value))),
        ("blend constant 0", of(0.0, |desc: &mut DrawDesc, value| desc.state.blend_constants[0] = value)),
        ("blend constant 3", of(0.0, |desc: &mut DrawDesc, value| desc.state.blend_constants[3] = value)),
        ("viewport.x", of(0.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.x = value))),
        ("viewport.y", of(0.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.y = value))),
        ("viewport.width", of(640.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.width = value))),
        ("viewport.height", of(480.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.height = value))),
        ("viewport.min_depth", of(0.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.min_depth = value))),
        ("viewport.max_depth", of(1.0, |desc: &mut DrawDesc, value| viewport(desc, |viewport| viewport.max_depth = value))),
        (
            "depth bounds, the lower one",
            of(0.0, |desc: &mut DrawDesc, value| {
                depth(desc);
                desc.pipeline.depth_test.bounds = Some((value, 1.0));
            }),
        ),
        (
            "depth bounds of dynamic state, the upper one",
            of(1.0, |desc: &mut DrawDesc, value| {
                depth(desc);
                desc.pipeline.depth_test.bounds = Some((0.0, 1.0));
                desc.state.depth_bounds = Some((0.0, value));
            }),
        ),
        (
            "the depth of a clear",
            of(0.0, |desc: &mut DrawDesc, value| {
                htile(desc);
                depth(desc).clear = Some(DepthClear { depth: value, stencil: 0 });
            }),
        ),
        ("image.min_lod", of(0.0, |desc: &mut ImageDesc, value| desc.min_lod = value)),
        ("sampler.min_lod", of(0.0, |desc: &mut SamplerDesc, value| desc.min_lod = value)),
        ("sampler.max_lod", of(0.0, |desc: &mut SamplerDesc, value| desc.max_lod = value)),
        ("sampler.lod_bias", of(0.0, |desc: &mut SamplerDesc, value| desc.lod_bias = value)),
    ];
    let all: Vec<(String, Float)> = all.into_iter().map(|(name, float)| (name.to_owned(), float)).collect();
    let values =
        [0.0, -0.0, 1.0, -1.0, 0.3, 2.75, 100.5, -100.5, 16000.0, 1.0e9, -1.0e9, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let lines = |chip: Chip, (from, outcome): &Float| {
        let before = outcome(chip, *from);
        values.iter().map(|value| format!("{value:?}: {}", told(chip, &before, &outcome(chip, *value)))).collect()
    };
    assert_table("tests/suites/author/limits.rs", "draw/fractions", |_| Vec::new(), &all, lines);
}
