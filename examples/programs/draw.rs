//! States a draw, resolves it for a chip, records the command buffer, and runs that buffer through the command-processor model.

use crate::common;
use crate::common::arguments::{self, Color, Format};
use crate::common::output::{Output, Paging};
use clap::{ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::draw::{
    self, AttributeRing, Blend, Board, ColorCompression, ColorFormat, ColorTarget, Dcc, DccBlocks, DepthClear, DepthFormat, DepthTarget, Drain, DrawDesc,
    GeometryRings, GeometryStage, Htile, Interlock, MeshStage, PixelShader, Program, QueueMemory, RasterizationOrder, Recorder, ShadingRate, Streamout,
    StreamoutBegin, StreamoutBuffer, Surface, TargetPass, Tessellation, TessellationRings, Topology, VertexPath, VertexStage,
};
use pm4::packet::{Queue, Reader};
use pm4::regs;
use pm4::report::{self, PacketJson, PacketText, ReportOptions};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Build the command buffer of one draw, run it through the command-processor model, print both.
///
/// Exit status: 0 fine, 1 the model reports an error, 2 bad arguments or a draw that the chip cannot serve.
#[derive(Parser)]
#[command(name = "draw")]
struct Arguments {
    /// Chip: navi31, vega10, strix-halo, gfx1100, …
    #[arg(long, value_parser = arguments::chip, default_value = "navi31")]
    chip: Chip,
    /// Coverage samples: 1, 2, 4 or 8
    #[arg(long, default_value_t = 1)]
    samples: u32,
    /// Fragment shader interlock: none, pixel-ordered, pixel-unordered, sample-ordered, sample-unordered
    #[arg(long, value_parser = arguments::named::<Interlock>, default_value = "pixel-ordered")]
    interlock: Interlock,
    /// Formats of the colour targets, with commas between, or none
    #[arg(long, value_parser = colors, default_value = "rgba8", value_name = "FORMAT[,FORMAT…]|none")]
    color: Colors,
    /// Depth target: none, d16, d32 or d32s8, and its samples if they are not the coverage samples
    #[arg(long, value_parser = depth, default_value = "none", value_name = "none|FORMAT[:SAMPLES]")]
    depth: Depth,
    /// The shader writes memory; without this option it does when interlocked
    #[arg(long, action = ArgAction::Set, value_name = "BOOL")]
    writes_memory: Option<bool>,
    /// The shader asks for early fragment tests
    #[arg(long)]
    early_tests: bool,
    /// The shader may discard
    #[arg(long)]
    discard: bool,
    /// The shader writes depth
    #[arg(long)]
    frag_depth: bool,
    /// The shader writes the sample mask
    #[arg(long)]
    sample_mask_out: bool,
    /// All colour targets blend, source over target
    #[arg(long)]
    blend: bool,
    /// Primitives may be rasterized out of order (VK_AMD_rasterization_order)
    #[arg(long)]
    relaxed_order: bool,
    /// Shading rate: 1x1, 1x2, 2x1 or 2x2
    #[arg(long, value_parser = arguments::named::<ShadingRate>, default_value = "1x1")]
    vrs: ShadingRate,
    /// POPS_DRAIN_PS_ON_OVERLAP: auto, on or off
    #[arg(long, value_parser = drain, default_value = "auto")]
    drain: Drain,
    /// Stages before rasterization, with example programs: vs, tess, gs, tess+gs or mesh
    #[arg(long, value_parser = stages, default_value = "vs", value_name = "vs|tess|gs|tess+gs|mesh")]
    stages: Stages,
    /// Vertex work without NGG: on the hardware VS, geometry shaders with a copy program (GFX9, which has nothing else, to GFX10.3)
    #[arg(long)]
    legacy_geometry: bool,
    /// The last program before rasterization streams out: this many bytes per vertex, to one buffer
    #[arg(long, value_name = "BYTES")]
    streamout: Option<u32>,
    /// Colour targets have delta colour compression (GFX9 to GFX11.5)
    #[arg(long)]
    dcc: bool,
    /// The depth target has HTILE (GFX9 to GFX11.5), and is written compressed
    #[arg(long)]
    htile: bool,
    /// A pass over targets in place of a draw: eliminate-fast-clear, fmask-decompress, dcc-decompress, resolve, depth-decompress or depth-clear
    #[arg(long, value_parser = arguments::named::<TargetPass>)]
    pass: Option<TargetPass>,
    /// Write the command buffer to this file as well
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Tell why each field has its value
    #[arg(long)]
    explain: bool,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Clone)]
struct Colors(Vec<ColorFormat>);

#[derive(Clone, Copy)]
struct Depth(Option<(DepthFormat, Option<u32>)>);

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
    Ok(Depth(Some((arguments::named(format)?, samples))))
}

fn drain(text: &str) -> Result<Drain, String> {
    match text {
        "auto" => Ok(Drain::Auto),
        "on" => Ok(Drain::On),
        "off" => Ok(Drain::Off),
        _ => Err("write auto, on or off".to_owned()),
    }
}

/// Stages before rasterization beside a vertex shader.
#[derive(Clone, Copy)]
struct Stages {
    tessellation: bool,
    geometry: bool,
    mesh: bool,
}

fn stages(text: &str) -> Result<Stages, String> {
    let (tessellation, geometry, mesh) = match text {
        "vs" => (false, false, false),
        "tess" => (true, false, false),
        "gs" => (false, true, false),
        "tess+gs" => (true, true, false),
        "mesh" => (false, false, true),
        "task+mesh" => return Err("a task shader runs on a queue of its own, and this program records one; write mesh".to_owned()),
        _ => return Err("write vs, tess, gs, tess+gs or mesh".to_owned()),
    };
    Ok(Stages { tessellation, geometry, mesh })
}

/// Where the programs lie: no code is there, but a draw without an address would run what the last submission left.
const VERTEX_PROGRAM: u64 = 0x0020_0000;
const PIXEL_PROGRAM: u64 = 0x0020_1000;
const HULL_PROGRAM: u64 = 0x0020_2000;
const COPY_PROGRAM: u64 = 0x0020_3000;

/// Where metadata of targets lies.
const METADATA: u64 = 0x1000_0000;
const HTILE: u64 = 0x0F00_0000;

/// What streamout counts in, and how much it may write.
const STREAMOUT_STATE: u64 = 0x0030_0000;
const STREAMOUT_COUNTER: u64 = 0x0030_0100;
const STREAMED_BYTES: u32 = 0x1_0000;

/// A board for chips of which no board is known.
const BOARD: Board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 8 };

/// Rings that the stages go through.
fn memory(chip: Chip, description: &DrawDesc) -> QueueMemory {
    let board = Board::recorded(chip).unwrap_or(BOARD);
    let attributes = Some(AttributeRing { address: 0x0100_0000, bytes: 0x0010_0000 });
    QueueMemory {
        attributes,
        geometry: Some(GeometryRings::at(0x0200_0000, board.shader_engines)),
        tessellation: description.tessellation.is_some().then(|| TessellationRings::at(chip, board, 0x0800_0000)),
        geometry_shader_ring: description.geometry.as_ref().map(|shader| shader.ring_bytes(board.shader_engines)),
        ..QueueMemory::default()
    }
}

fn program(address: u64) -> Program {
    Program { address: Some(address), ..Program::default() }
}

impl Arguments {
    /// The colour targets; those of a resolve have as many samples as are asked for, and one.
    fn colors(&self) -> Vec<ColorTarget> {
        let resolves = self.pass == Some(TargetPass::Resolve);
        let target = |(at, format): (usize, &ColorFormat)| {
            let dcc = Dcc { address: METADATA + 0x10_0000 * at as u64, blocks: DccBlocks::Bytes64 };
            ColorTarget {
                format: *format,
                blend: self.blend.then_some(Blend::SOURCE_OVER),
                write_mask: if resolves && at > 0 { 0 } else { 0xF },
                samples: resolves.then_some(if at == 0 { self.samples } else { 1 }),
                // Swizzle mode 27 compresses on all generations that have it.
                surface: Surface { swizzle: if self.dcc { 27 } else { 0 }, ..Surface::default() },
                compression: self.dcc.then_some(ColorCompression { dcc: Some(dcc), pipe_aligned: true, ..ColorCompression::default() }),
            }
        };
        self.color.0.iter().enumerate().map(target).collect()
    }

    fn description(&self) -> DrawDesc {
        DrawDesc {
            vertex: VertexStage {
                program: program(VERTEX_PROGRAM),
                path: self.legacy_geometry.then_some(VertexPath::Hardware),
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
            color: self.colors(),
            depth: self.depth.0.map(|(format, samples)| {
                let htile = self.htile.then_some(Htile { address: HTILE, pipe_aligned: true, compressed: true, ..Htile::default() });
                let clear = (self.pass == Some(TargetPass::DepthClear)).then(DepthClear::default);
                DepthTarget { htile, clear, ..DepthTarget::new(format, samples.unwrap_or(self.samples)) }
            }),
            order: if self.relaxed_order { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict },
            rate: self.vrs,
            drain: self.drain,
            ..DrawDesc::default()
        }
    }
}

/// The program.
pub const PROGRAM: common::Program = common::Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} --chip vega10 --samples 8 --interlock sample-ordered --explain", "why each field has its value"),
        ("{} --chip navi31 --out draw.bin", "the command buffer"),
        ("{} --chip navi21 --interlock none --stages tess+gs --legacy-geometry", "other stages"),
    ],
};

fn run(_: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let built = build(&arguments);
    let (resolved, reasons, words) = match built {
        Ok(built) => built,
        Err(error) => return common::fail("draw", error),
    };
    if let Some(path) = &arguments.out
        && let Err(error) = std::fs::write(path, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
    {
        return common::fail("draw", format_args!("{}: {error}", path.display()));
    }
    common::finish("draw", print(&arguments, &resolved, &reasons, &words))
}

fn build(arguments: &Arguments) -> Result<(draw::Resolved, draw::Reasons, Vec<u32>), Box<dyn std::error::Error>> {
    let description = arguments.description();
    let (resolved, reasons) = (description.resolve(arguments.chip)?, description.explain(arguments.chip)?);
    let mut recorder = Recorder::new(arguments.chip);
    recorder.begin_with(&memory(arguments.chip, &description))?;
    if description.vertex.streamout.is_some() {
        let buffer = StreamoutBuffer { bytes: STREAMED_BYTES, append: None };
        recorder.begin_streamout(&StreamoutBegin { buffers: [Some(buffer), None, None, None], state: Some(STREAMOUT_STATE) })?;
        recorder.draw(&resolved)?;
        recorder.end_streamout([Some(STREAMOUT_COUNTER), None, None, None])?;
    } else {
        recorder.draw(&resolved)?;
    }
    Ok((resolved, reasons, recorder.finish()?))
}

/// The name under which the stream appears in records.
const STREAM: &str = "draw";

/// Prints everything; whether the model found an error.
fn print(arguments: &Arguments, resolved: &draw::Resolved, reasons: &draw::Reasons, words: &[u32]) -> io::Result<bool> {
    let output = Output::open(arguments.paging, Color::Auto);
    let colour = output.color();
    let mut out = BufWriter::with_capacity(1 << 16, output);
    let mut text = String::new();
    match arguments.format {
        Format::Json => {
            packet_records(arguments.chip, words, &mut text);
            if arguments.explain {
                explain_records(reasons, &mut text);
            }
        }
        Format::Text => {
            headline(arguments, words, &mut text);
            if arguments.explain {
                explain_text(resolved, reasons, &mut text);
            }
            packet_text(arguments.chip, words, colour, &mut text);
            text.push('\n');
        }
    }
    out.write_all(text.as_bytes())?;
    let mut cp = CommandProcessor::new(arguments.chip);
    cp.relaxed_order(arguments.relaxed_order);
    cp.submit(Queue::Graphics, STREAM, words);
    let summary = report::run(&mut out, &mut cp, &[], ReportOptions { format: arguments.format.into(), color: colour, ..ReportOptions::default() })?;
    out.flush()?;
    Ok(summary.errors > 0)
}

fn packet_records(chip: Chip, words: &[u32], text: &mut String) {
    let records = PacketJson::new(STREAM, chip.gfx(), Queue::Graphics);
    for packet in Reader::new(words).flatten() {
        records.packet(text, &packet);
    }
}

fn packet_text(chip: Chip, words: &[u32], colour: bool, text: &mut String) {
    let mut lines = PacketText::new(chip.gfx(), Queue::Graphics).color(colour);
    for packet in Reader::new(words).flatten() {
        lines.packet(text, &packet);
    }
}

fn explain_records(reasons: &draw::Reasons, text: &mut String) {
    for reason in reasons.iter() {
        let record = serde_json::json!({ "type": "explain", "register": reason.register, "field": reason.field, "value": reason.value, "rule": reason.rule });
        let _ = writeln!(text, "{record}");
    }
}

fn headline(arguments: &Arguments, words: &[u32], text: &mut String) {
    let info = arguments.chip.info();
    let colors: Vec<String> = arguments.color.0.iter().map(ToString::to_string).collect();
    let colors = if colors.is_empty() { "no colour".to_owned() } else { colors.join(" + ") };
    let depth = match arguments.depth.0 {
        None => "no depth".to_owned(),
        Some((format, samples)) => format!("{format} {}x", samples.unwrap_or(arguments.samples)),
    };
    let interlock = if arguments.interlock.is_declared() { format!("{} interlock", arguments.interlock) } else { "no interlock".to_owned() };
    let _ = writeln!(text, "{} ({}, {}): {}x, {interlock}, {colors}, {depth}: {} dwords\n", info.name, info.gfx, info.llvm, arguments.samples, words.len());
}

fn explain_text(resolved: &draw::Resolved, reasons: &draw::Reasons, text: &mut String) {
    let gfx = resolved.chip.gfx();
    let mut addr = 0;
    for reason in reasons.iter() {
        let Some(register) = regs::lookup(gfx, reason.addr) else { continue };
        if reason.addr != addr {
            addr = reason.addr;
            let _ = writeln!(text, "{register} = 0x{:08x}", resolved.image.get(addr).unwrap_or_default());
        }
        let values = register.info().field(reason.field).and_then(|f| f.values);
        let value = values.and_then(|v| v.name_of(reason.value)).map_or_else(|| reason.value.to_string(), str::to_owned);
        let _ = writeln!(text, "    {:<39} {value:<24} {}", reason.field, reason.rule);
    }
    text.push('\n');
}
