//! One draw as built by `draw`: its options, the description made from them, and its command buffers.

use crate::common::arguments;
use clap::{ArgAction, Args};
use pm4::chip::Chip;
use pm4::draw::sync::SyncMemory;
use pm4::draw::{
    AttributeRing, Blend, Board, ClipPlanes, ColorCompression, ColorFormat, Dcc, DccBlocks, DepthClear, DepthFormat, DepthTarget, DispatchDesc, Drain,
    DrawCall, DrawDesc, Fmask, GangMemory, GeometryRings, GeometryStage, HiSurface, Htile, IndirectDraws, Interlock, MeshStage, PipelineDesc, PixelShader,
    Program, QueueMemory, Raster, RasterizationOrder, RateCombiner, RateImage, Reasons, RecordError, Recorder, RegisterImage, Resolved, ResolvedDispatch,
    ShadingRate, Streamout, StreamoutBegin, StreamoutBuffer, Surface, TargetBlend, TargetImage, TargetPass, TargetsDesc, TaskGroups, TaskGroupsIndirect,
    TaskRings, Tessellation, TessellationRings, Topology, UserData, VertexPath, VertexStage, WaveSize,
};
use pm4::packet::{Queue, Writer};

/// Options that describe the draw.
#[derive(Args)]
pub struct OneDraw {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    pub chip: Chip,
    /// Coverage samples: 1, 2, 4 or 8; up to GFX10.3 also 16, with `--color none` and a depth target with fewer samples (d32:8). A target without a count has
    /// as many samples as the coverage
    #[arg(long, default_value_t = 1)]
    pub samples: u32,
    /// Fragment shader interlock: none, pixel-ordered, pixel-unordered, sample-ordered, sample-unordered
    #[arg(long, value_parser = arguments::named::<Interlock>, default_value = "pixel-ordered")]
    pub interlock: Interlock,
    /// Formats of the colour targets, separated by commas, or none
    #[arg(long, value_parser = colors, default_value = "rgba8", value_name = "FORMAT[,FORMAT…]|none")]
    pub color: Colors,
    /// Depth target: none, d16, d24, d32, s8, d24s8 or d32s8 (24 bits up to GFX11.5), and its sample count if it differs from the coverage samples
    #[arg(long, value_parser = depth, default_value = "none", value_name = "none|FORMAT[:SAMPLES]")]
    pub depth: Depth,
    /// Whether the shader writes memory [default: true with an interlock, else false]
    #[arg(long, action = ArgAction::Set, value_name = "BOOL")]
    pub writes_memory: Option<bool>,
    /// The shader requests early fragment tests
    #[arg(long)]
    pub early_tests: bool,
    /// The shader may discard
    #[arg(long)]
    pub discard: bool,
    /// The shader writes depth
    #[arg(long)]
    pub frag_depth: bool,
    /// The shader writes the sample mask
    #[arg(long)]
    pub sample_mask_out: bool,
    /// All colour targets blend, source over target
    #[arg(long)]
    pub blend: bool,
    /// Primitives may be rasterized out of order (VK_AMD_rasterization_order)
    #[arg(long)]
    pub relaxed_order: bool,
    /// Shading rate: 1x1, 1x2, 2x1 or 2x2
    #[arg(long, value_parser = arguments::named::<ShadingRate>, default_value = "1x1")]
    pub vrs: ShadingRate,
    /// Drain of POPS (POPS_DRAIN_PS_ON_OVERLAP, GFX9 to GFX10.3): auto, on or off
    #[arg(long, value_parser = drain, default_value = "auto")]
    pub drain: Drain,
    /// Stages before rasterization, with example programs: vs, tess, gs, tess+gs, mesh or task+mesh, which has a second command buffer for a compute queue
    #[arg(long, value_parser = stages, default_value = "vs", value_name = "vs|tess|gs|tess+gs|mesh|task+mesh")]
    pub stages: Stages,
    /// Run vertex work on the legacy pipe, without NGG (GFX9 to GFX10.3; GFX9 has no NGG); geometry shaders then have a copy program
    #[arg(long)]
    pub legacy_geometry: bool,
    /// The last program before rasterization streams out to one buffer with this stride in bytes
    #[arg(long, value_name = "BYTES")]
    pub streamout: Option<u32>,
    /// Read the arguments of the draws, and their number, from memory
    #[arg(long, conflicts_with = "pass")]
    pub indirect: bool,
    /// Colour targets have delta colour compression (GFX9 to GFX11.5); no effect without a colour target
    #[arg(long)]
    pub dcc: bool,
    /// Colour targets have CMASK (clear metadata) and, with several samples, FMASK (sample compression metadata) (GFX9 to GFX10.3); no effect without a colour
    /// target
    #[arg(long)]
    pub cmask: bool,
    /// The depth target has HTILE (GFX9 to GFX11.5) and is written compressed; no effect without a depth target
    #[arg(long)]
    pub htile: bool,
    /// The depth target has a HiZ surface (GFX12); no effect without a depth target
    #[arg(long)]
    pub hiz: bool,
    /// Use the shading rates of the targets: an image (GFX11 and later), or HTILE on GFX10.3 (add --htile)
    #[arg(long)]
    pub rate_image: bool,
    /// Number of user clip planes
    #[arg(long, default_value_t = 0, value_name = "0 to 6", value_parser = clap::value_parser!(u8).range(0..=6))]
    pub clip_planes: u8,
    /// A pass over targets instead of a draw: eliminate-fast-clear, fmask-decompress, dcc-decompress, resolve, depth-decompress or depth-clear
    #[arg(long, value_parser = arguments::named::<TargetPass>)]
    pub pass: Option<TargetPass>,
}

/// Formats of the colour targets.
#[derive(Clone)]
pub struct Colors(pub Vec<ColorFormat>);

/// Format of the depth target, and its samples if given.
#[derive(Clone, Copy)]
pub struct Depth(pub Option<(DepthFormat, Option<u32>)>);

fn colors(text: &str) -> Result<Colors, String> {
    if text == "none" {
        return Ok(Colors(Vec::new()));
    }
    text.split(',').map(arguments::named::<ColorFormat>).collect::<Result<_, _>>().map(Colors)
}

fn depth(text: &str) -> Result<Depth, String> {
    if text == "none" {
        return Ok(Depth(None));
    }
    let (format, samples) = text.split_once(':').map_or((text, None), |(format, samples)| (format, Some(samples)));
    let samples = samples.map(|s| s.parse().map_err(|_| format!("`{s}` is not a number of samples"))).transpose()?;
    let format = arguments::named(format).map_err(|possible| format!("{possible}, or none"))?;
    Ok(Depth(Some((format, samples))))
}

fn drain(text: &str) -> Result<Drain, String> {
    match text {
        "auto" => Ok(Drain::Auto),
        "on" => Ok(Drain::On),
        "off" => Ok(Drain::Off),
        _ => Err("write auto, on or off".to_owned()),
    }
}

/// Stages before rasterization in addition to a vertex shader.
#[derive(Clone, Copy)]
pub struct Stages {
    tessellation: bool,
    geometry: bool,
    mesh: bool,
    task: bool,
}

fn stages(text: &str) -> Result<Stages, String> {
    let (tessellation, geometry, mesh, task) = match text {
        "vs" => (false, false, false, false),
        "tess" => (true, false, false, false),
        "gs" => (false, true, false, false),
        "tess+gs" => (true, true, false, false),
        "mesh" => (false, false, true, false),
        "task+mesh" => (false, false, true, true),
        _ => return Err("write vs, tess, gs, tess+gs, mesh or task+mesh".to_owned()),
    };
    Ok(Stages { tessellation, geometry, mesh, task })
}

/// Addresses of the programs. There is no code, but a draw without an address would run what the last submission left.
const VERTEX_PROGRAM: u64 = 0x0020_0000;
const PIXEL_PROGRAM: u64 = 0x0020_1000;
const HULL_PROGRAM: u64 = 0x0020_2000;
const COPY_PROGRAM: u64 = 0x0020_3000;
const TASK_PROGRAM: u64 = 0x0020_4000;

/// Addresses of the metadata of targets.
const METADATA: u64 = 0x1000_0000;
const CMASK: u64 = 0x1800_0000;
const FMASK: u64 = 0x1C00_0000;
const HTILE: u64 = 0x0F00_0000;
const RATES: u64 = 0x0E00_0000;

/// Addresses of the arguments of indirect draws and of their number.
const ARGUMENTS: u64 = 0x0031_0000;
const NUMBER: u64 = 0x0031_1000;

/// Memory for task shaders: the rings, memory in which the queues wait for each other, and a dword that records whether the number of dispatches was 0.
const TASK_RINGS: u64 = 0x0400_0000;
const GANG: GangMemory = GangMemory { address: 0x0032_0000 };
const RAN_NOT: u64 = 0x0032_1000;

/// Memory for the barriers of passes.
const SYNC: SyncMemory = SyncMemory { fence: Some(0x0033_0000), zpass: Some(0x0033_1000) };

/// The counters of streamout, and the limit of its output.
const STREAMOUT_STATE: u64 = 0x0030_0000;
const STREAMOUT_COUNTER: u64 = 0x0030_0100;
const STREAMED_BYTES: u32 = 0x1_0000;

/// A board for chips without a known board.
const BOARD: Board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 8 };

/// Returns the rings that the stages need.
fn memory(chip: Chip, description: &DrawDesc) -> QueueMemory {
    let board = Board::recorded(chip).unwrap_or(BOARD);
    let attributes = Some(AttributeRing { address: 0x0100_0000, bytes: 0x0010_0000 });
    QueueMemory {
        attributes,
        geometry: Some(GeometryRings::at(0x0200_0000, board.shader_engines)),
        tessellation: description.pipeline.tessellation.is_some().then(|| TessellationRings::at(chip, board, 0x0800_0000)),
        geometry_shader_ring: description.pipeline.geometry.as_ref().map(|shader| shader.ring_bytes(board.shader_engines)),
        ..QueueMemory::default()
    }
}

fn program(address: u64) -> Program {
    Program { address: Some(address), ..Program::default() }
}

impl OneDraw {
    /// Returns the colour targets; those of a resolve have the requested number of samples, and one.
    fn colors(&self) -> Vec<(TargetImage, TargetBlend)> {
        let resolves = self.pass == Some(TargetPass::Resolve);
        let several = |at: usize| self.samples > 1 && !(resolves && at > 0);
        let target = |(at, format): (usize, &ColorFormat)| {
            let dcc = Dcc { address: METADATA + 0x10_0000 * at as u64, blocks: Some(DccBlocks::BYTES_64) };
            let fmask = Fmask { address: FMASK + 0x10_0000 * at as u64, swizzle: 24, compressed: true, single_fragments: false };
            (
                TargetImage {
                    format: *format,
                    samples: resolves.then_some(if at == 0 { self.samples } else { 1 }), // Swizzle mode 27 compresses on all generations that have it.
                    surface: Surface { swizzle: if self.dcc || self.cmask { 27 } else { Surface::USUAL }, ..Surface::default() },
                    compression: (self.dcc || self.cmask).then_some(ColorCompression {
                        dcc: self.dcc.then_some(dcc),
                        cmask: self.cmask.then_some(CMASK + 0x10_0000 * at as u64),
                        fmask: (self.cmask && several(at)).then_some(fmask),
                        pipe_aligned: true,
                        ..ColorCompression::default()
                    }),
                },
                TargetBlend { blend: self.blend.then_some(Blend::SOURCE_OVER), write_mask: if resolves && at > 0 { 0 } else { 0xF } },
            )
        };
        self.color.0.iter().enumerate().map(target).collect()
    }

    fn description(&self) -> DrawDesc {
        DrawDesc {
            pipeline: PipelineDesc {
                vertex: VertexStage {
                    program: Program { user_data: self.user_data(), ..program(VERTEX_PROGRAM) },
                    path: self.legacy_geometry.then_some(VertexPath::Legacy),
                    streamout: self.streamout.map(Streamout::to_one_buffer),
                    ..VertexStage::default()
                },
                tessellation: self.stages.tessellation.then(|| Tessellation { program: program(HULL_PROGRAM), ..Tessellation::default() }),
                geometry: self.stages.geometry.then(|| GeometryStage { copy_program: program(COPY_PROGRAM), ..GeometryStage::default() }),
                mesh: self.stages.mesh.then(MeshStage::default),
                topology: match self.pass {
                    Some(_) => Topology::RectList,
                    None if self.stages.tessellation => Topology::PatchList,
                    None => Topology::TriangleList,
                },
                pass: self.pass,
                shader: Some(PixelShader {
                    writes_memory: self.writes_memory.unwrap_or(self.interlock.is_declared()),
                    early_fragment_tests: self.early_tests,
                    can_discard: self.discard,
                    writes_depth: self.frag_depth,
                    writes_sample_mask: self.sample_mask_out,
                    program: program(PIXEL_PROGRAM),
                    ..PixelShader::default()
                }),
                interlock: self.interlock,
                samples: if self.pass == Some(TargetPass::Resolve) { 1 } else { self.samples },
                raster: Raster { clip_planes: (self.clip_planes > 0).then(|| self.planes()), ..Raster::default() },
                rate_image_combiner: if self.rate_image { RateCombiner::Replace } else { RateCombiner::default() },
                order: if self.relaxed_order { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict },
                rate: self.vrs,
                drain: self.drain,
                ..PipelineDesc::default()
            },
            targets: TargetsDesc {
                depth: self.depth.0.map(|(format, samples)| {
                    let htile = Htile { address: HTILE, pipe_aligned: true, compressed: true, rates: self.rates_in_htile(), ..Htile::default() };
                    let clear = (self.pass == Some(TargetPass::DepthClear)).then(DepthClear::default);
                    let hiz = HiSurface { address: HTILE, swizzle: 1, format: false, extent: (32, 16) };
                    DepthTarget {
                        htile: self.htile.then_some(htile),
                        hiz: self.hiz.then_some(hiz),
                        clear,
                        ..DepthTarget::new(format, samples.unwrap_or(self.samples))
                    }
                }), // A texel for 8 by 8 pixels of the 256 by 128 that a description has.
                rate_image: (self.rate_image && !self.rates_in_htile()).then_some(RateImage { address: RATES, swizzle: 0, extent: (32, 16) }),
                ..TargetsDesc::default()
            },
            ..DrawDesc::default()
        }
        .with_colors(self.colors())
    }

    /// Returns whether the rates of targets are in HTILE, as on GFX10.3.
    fn rates_in_htile(&self) -> bool {
        self.rate_image && self.htile && self.chip.gfx().version() == (10, 3)
    }

    /// Returns planes that clip everything to the left of x = 0, 1/8, 2/8 and so on of the way to the right edge.
    fn planes(&self) -> ClipPlanes {
        let plane = |n: u8| (n < self.clip_planes).then(|| [1.0, 0.0, 0.0, 1.0 - f32::from(n) / 4.0]);
        ClipPlanes { planes: [0, 1, 2, 3, 4, 5].map(plane), cull_only: false }
    }

    /// Returns the user SGPRs that draw calls write: mesh shaders read their workgroups and the task shader's ring entry there.
    fn user_data(&self) -> Vec<UserData> {
        let ring_entry = self.stages.task.then_some(UserData::RingEntry);
        let groups = self.stages.mesh.then_some([UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ]);
        groups.into_iter().flatten().chain(ring_entry).collect()
    }

    fn task(&self) -> DispatchDesc {
        let program = Program { wave: WaveSize::W32, user_data: vec![UserData::Keep; 8], ..program(TASK_PROGRAM) };
        DispatchDesc { program, group: [32, 1, 1], workgroup_info: true, ..DispatchDesc::default() }
    }

    /// Returns the draw call, with the requested kind of arguments.
    fn call(&self, resolved: &Resolved) -> DrawCall {
        let draws = |stride| IndirectDraws { arguments: ARGUMENTS, stride, draws: 4, count: Some(NUMBER) };
        match (self.stages.task, self.stages.mesh, self.indirect) {
            (true, ..) => DrawCall::TaskMesh { linear: false },
            (_, true, true) => DrawCall::MeshIndirect(draws(12)),
            (_, false, true) => DrawCall::MultiIndirect(draws(16)),
            _ => DrawCall::from(resolved),
        }
    }

    /// Records the task dispatch that a draw consumes.
    fn dispatch(&self, recorder: &mut Recorder<Vec<u32>>, task: &ResolvedDispatch) -> Result<(), RecordError> {
        let (ring_entry, xyz) = (7, Some(4));
        if !self.indirect {
            return recorder.task_groups(task, &TaskGroups { groups: [4, 1, 1], ring_entry, xyz });
        }
        recorder.set_task_count_memory(RAN_NOT);
        let draws = IndirectDraws { arguments: ARGUMENTS, stride: 12, draws: 4, count: Some(NUMBER) };
        recorder.task_groups_indirect(task, &TaskGroupsIndirect { draws, ring_entry, xyz, draw_index: None })
    }

    /// Resolves the draw and records its command buffers.
    ///
    /// # Errors
    /// Returns an error if the chip does not support the draw or it cannot be recorded.
    pub fn build(&self) -> Result<Built, Box<dyn std::error::Error>> {
        let (chip, description) = (self.chip, self.description());
        let resolved = description.resolve(chip)?;
        let mut explained = vec![(description.explain(chip)?, resolved.image.clone())];
        let mut recorder = Recorder::new(chip);
        recorder.set_sync_memory(SYNC);
        recorder.begin_with(&memory(chip, &description))?;
        let call = self.call(&resolved);
        let mut buffers = Vec::new();
        let mut contents = Vec::new();
        if self.indirect {
            contents.extend([("arguments", ARGUMENTS, vec![1; 16]), ("draw count", NUMBER, vec![2, 0])]);
        }
        if self.stages.task {
            let rings = TaskRings::at(chip, TASK_RINGS)?;
            contents.extend([
                ("task rings", TASK_RINGS, rings.control_words().to_vec()),
                ("gang", GANG.address, vec![0; 2]),
                ("task-skip flag", RAN_NOT, vec![0; 2]),
            ]);
            recorder.set_task_rings(&rings)?;
            recorder.begin_gang(GANG)?;
            recorder.draw_call(&resolved, &call)?;
            recorder.end_gang(GANG)?;
            let task = self.task().resolve(chip)?;
            explained.push((self.task().explain(chip)?, task.image.clone()));
            let mut compute = Recorder::from_writer(chip, Writer::growable(chip.gfx(), Queue::Compute));
            compute.begin_compute()?;
            compute.set_task_rings(&rings)?;
            compute.begin_gang(GANG)?;
            self.dispatch(&mut compute, &task)?;
            compute.end_gang(GANG)?;
            buffers.push(CommandBuffer { name: "task", queue: Queue::Compute, words: compute.finish()? });
        } else if description.pipeline.vertex.streamout.is_some() {
            let buffer = StreamoutBuffer { bytes: STREAMED_BYTES, append: None };
            recorder.begin_streamout(&StreamoutBegin { buffers: [Some(buffer), None, None, None], state: Some(STREAMOUT_STATE) })?;
            recorder.draw_call(&resolved, &call)?;
            recorder.end_streamout([Some(STREAMOUT_COUNTER), None, None, None])?;
        } else if description.pipeline.pass.is_some() {
            recorder.draw_pass(&resolved)?;
        } else {
            recorder.draw_call(&resolved, &call)?;
        }
        buffers.insert(0, CommandBuffer { name: "draw", queue: Queue::Graphics, words: recorder.finish()? });
        Ok(Built { explained, buffers, contents })
    }
}

/// A command buffer: its name in records, its queue and its words.
pub struct CommandBuffer {
    pub name: &'static str,
    pub queue: Queue,
    pub words: Vec<u32>,
}

/// The result of building a draw.
pub struct Built {
    /// The reasons for register values, and the values.
    pub explained: Vec<(Reasons, RegisterImage)>,
    /// The command buffer of the draw, and that of the task shader.
    pub buffers: Vec<CommandBuffer>,
    /// Required memory contents: name, address, words.
    pub contents: Vec<(&'static str, u64, Vec<u32>)>,
}
