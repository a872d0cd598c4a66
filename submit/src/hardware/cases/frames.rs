//! Draws with an ordered section, and a frame.

use super::programs::{access, end, wait_for_loads};
use super::streams::recorded;
use crate::hardware::case::part::{CALLED, CODE, IN, OUT};
use crate::hardware::case::{Case, Machine, Refusal, Work};
use crate::submission::Queue::Graphics;
use pm4::chip::Gfx;
use pm4::descriptors::BufferDesc;
use pm4::draw::sync::{Access, Barrier, Fence, FenceData, Order, Wait};
use pm4::draw::{
    DispatchDesc, DrawCall, DrawDesc, DynamicState, ExpertOptions, Grid, Instances, Interlock, PipelineDesc, PixelInput, PixelInputs, PixelShader, Program,
    Recorder, SgprItem, TargetsDesc, UserData, VertexPath, VertexStage, Vertices, VgprItem,
};
use pm4::isa::pops::{self, EntryRegisters, Layers, Outstanding, ProgramEnd, SectionAccess, WaitForm};
use pm4::isa::{CodeItem, Export, ExportTarget, Instruction, Op, ParseError, ShaderCode, WaveSize, parse};

pub const DRAWS: &[Case] = &[Case {
    name: "ordered-section",
    about: "instances add to the same pixels in an ordered section; no addition is lost",
    queue: Graphics,
    make: ordered_section,
}];

pub const FRAME: Case =
    Case { name: "frame", about: "a frame without its draws: preambles, waits, a dispatch, barriers, copies, a call, a fence", queue: Graphics, make: frame };

/// Pixels of the target, in one row: the position of a pixel is its index.
const PIXELS: u32 = 64;

/// Instances; each covers all pixels.
const INSTANCES: u32 = 32;

/// Offset of the pixel shader, after the vertex shader.
const PIXEL_CODE: u64 = CODE + 0x1000;

/// The VGPR of the counters, after all VGPRs that are initialized for a wave.
const COUNTER: u8 = 8;

/// v8 = v8 + 1, which the crate's assembler does not support (LLVM 19.1.7: v_add_u32_e32 on GFX9, v_add_nc_u32_e32 from GFX10 on).
fn increment(gfx: Gfx) -> Result<Instruction, ParseError> {
    parse(gfx, if gfx.major() == 9 { ".long 0x68101081" } else { ".long 0x4a101081" })
}

fn encode(gfx: Gfx, instructions: impl IntoIterator<Item = Instruction>) -> Result<Vec<u32>, Refusal> {
    Ok(ShaderCode::new(gfx, instructions.into_iter().map(CodeItem::from).collect()).encode()?)
}

/// Returns the user data of a program: a descriptor.
fn descriptor(machine: &Machine<'_>, part: u64, stride: u32, elements: u32) -> Result<Vec<UserData>, Refusal> {
    Ok(BufferDesc::structured(machine.at(part), stride, elements).words(machine.gpu.chip)?.map(UserData::Word).to_vec())
}

/// A triangle that covers the whole target, by vertex index.
const POSITIONS: [[f32; 4]; 3] = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];

fn ordered_draw(machine: &Machine<'_>) -> Result<DrawDesc, Refusal> {
    let program = |at, user_data| Program { address: Some(machine.at(at)), user_data, vgprs: 16, sgprs: 48, wave: WaveSize::W64, ..Program::default() };
    let vertex = VertexStage { program: program(CODE, descriptor(machine, IN, 16, 3)?), path: Some(VertexPath::Legacy), ..VertexStage::default() };
    let inputs = PixelInputs { loads: PixelInput::PosFixed.into(), ..PixelInputs::default() };
    let shader = PixelShader { program: program(PIXEL_CODE, descriptor(machine, OUT, 4, PIXELS)?), inputs, writes_memory: true, ..PixelShader::default() };
    let pipeline = PipelineDesc {
        vertex,
        shader: Some(shader),
        interlock: Interlock::PixelOrdered,
        blends: Vec::new(),
        expert: ExpertOptions { intrawave_collision: true, ..ExpertOptions::default() },
        ..PipelineDesc::default()
    };
    let targets = TargetsDesc { extent: (PIXELS, 1), ..TargetsDesc::default() };
    Ok(DrawDesc { pipeline, targets, state: DynamicState::default(), ..DrawDesc::default() })
}

/// Returns a program that loads the position of its vertex and exports it.
fn vertex_program(machine: &Machine<'_>, desc: &DrawDesc) -> Result<Vec<u32>, Refusal> {
    let gfx = machine.gpu.chip.gfx();
    let wave = desc.vertex_wave(machine.gpu.chip)?;
    let number = wave.vgprs.place(VgprItem::VertexId).ok_or("no VGPR holds the vertex index")? as u8;
    let export = Export { target: ExportTarget::Pos(0), sources: [4, 5, 6, 7].map(Some), valid_mask: false, ..Export::nothing(gfx) };
    encode(gfx, [access(gfx, Op::BufferLoadDwordx4, 4, number, 0, Default::default()), wait_for_loads(gfx), Instruction::Exp(export), end()])
}

/// Returns a program that adds 1 to the word of its pixel in the ordered section.
fn pixel_program(machine: &Machine<'_>, desc: &DrawDesc) -> Result<Vec<u32>, Refusal> {
    let gfx = machine.gpu.chip.gfx();
    let wave = desc.pixel_wave(machine.gpu.chip)?.ok_or("the draw has a pixel shader")?;
    let place = |item| wave.sgprs.place(item).map(|place| place as u8);
    let collision = place(SgprItem::CollisionWaveId).ok_or("no SGPR holds COLLISION_WAVEID")?;
    let mask = place(SgprItem::IntrawaveCollision).ok_or("no SGPR holds INTRAWAVE_COLLISION")?;
    let pixel = wave.vgprs.place(VgprItem::Pixel(PixelInput::PosFixed)).ok_or("no VGPR has the position")? as u8;
    let cache = |access| pops::cache(gfx, access);
    let body = encode(
        gfx,
        [
            access(gfx, Op::BufferLoadDword, COUNTER, pixel, 0, cache(SectionAccess::FirstLoad)),
            wait_for_loads(gfx),
            increment(gfx)?,
            access(gfx, Op::BufferStoreDword, COUNTER, pixel, 0, cache(SectionAccess::LastStore)),
        ],
    )?;
    let mut words = pops::enter(gfx, &EntryRegisters { collision, scratch: [20, 21, 22], form: WaitForm::Plain })?;
    words.extend(pops::intrawave_loop(gfx, &Layers { mask, wave: WaveSize::W64, scratch: [20, 21, 22], lanes: 24, exec: 26 }, &body)?);
    words.extend(pops::exit(gfx, Outstanding::VECTOR)?);
    words.extend(pops::finish(gfx, ProgramEnd::Plain)?);
    Ok(words)
}

fn ordered_section(machine: &Machine<'_>) -> Result<Work, Refusal> {
    if machine.gpu.chip.gfx().major() >= 11 {
        return Err("from GFX11 on, vertex work is NGG, and no source of this crate describes the fields of the SGPRs that its programs read".into());
    }
    let desc = ordered_draw(machine)?;
    let (vertex, pixel) = (vertex_program(machine, &desc)?, pixel_program(machine, &desc)?);
    let call = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances { first: 0, count: INSTANCES } };
    let work = recorded(machine, Graphics, |recorder| {
        recorder.barrier(&Barrier::new(Access::HostWrite, Access::CodeRead | Access::ConstantRead | Access::VertexRead | Access::PixelRead))?;
        recorder.draw_call(&desc.resolve(machine.gpu)?, &call)?;
        let fence = Fence::new(machine.at(OUT + 0x3000), FenceData::Dword(0xD0_4E));
        recorder.fence(&Fence { from: Access::PixelWrite.into(), host: true, ..fence })?;
        Ok(())
    })?;
    let positions: Vec<u32> = POSITIONS.as_flattened().iter().map(|coordinate| coordinate.to_bits()).collect();
    let work = work.with(CODE, vertex).with(PIXEL_CODE, pixel).with(IN, positions).with(OUT, [0; PIXELS as usize]);
    Ok(work.shaders_write(OUT, &[INSTANCES; PIXELS as usize]))
}

/// Returns the buffer that the frame calls.
fn called(machine: &Machine<'_>) -> Result<Vec<u32>, Refusal> {
    let mut recorder = Recorder::secondary(machine.gpu);
    recorder.update_buffer(machine.at(OUT + 0x200), &[1, 2, 3, 4], Order::default())?;
    Ok(recorder.finish()?)
}

fn frame(machine: &Machine<'_>) -> Result<Work, Refusal> {
    let gfx = machine.gpu.chip.gfx();
    let (code, called) = (encode(gfx, [end()])?, called(machine)?);
    let program = Program { address: Some(machine.at(CODE)), ..Program::default() };
    let dispatch = DispatchDesc { program, grid: Grid::Groups([16, 1, 1]), ..DispatchDesc::default() };
    let work = recorded(machine, Graphics, |recorder| {
        recorder.wait(&Wait::equal(machine.at(IN), 1))?;
        recorder.barrier(&Barrier::new(Access::HostWrite, Access::CodeRead | Access::ConstantRead))?;
        recorder.dispatch(&dispatch.resolve(machine.gpu)?)?;
        recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::IndirectRead | Access::IndexRead | Access::VertexRead | Access::ConstantRead))?;
        recorder.fill_buffer(machine.at(OUT), 0x100, 0xF1F1_F1F1, Order::between(Access::ComputeWrite, Access::CopyRead))?;
        recorder.copy_buffer(machine.at(OUT), machine.at(OUT + 0x100), 0x80, Order::between(Access::CopyWrite, Access::PixelRead))?;
        recorder.barrier(&Barrier::new(Access::DepthWrite, Access::DepthRead | Access::PixelRead | Access::PixelWrite))?;
        recorder.barrier(&Barrier::new(Access::ColorWrite | Access::DepthWrite | Access::PixelWrite, Access::PixelRead | Access::ConstantRead))?;
        recorder.call(machine.at(CALLED), called.len() as u32)?;
        let fence = Fence::new(machine.at(OUT + 0x1000), FenceData::Qword(1));
        recorder.fence(&Fence { from: Access::ColorWrite | Access::PixelWrite, host: true, ..fence })?;
        Ok(())
    })?;
    Ok(work.with(CODE, code).with(CALLED, called).with(IN, [1]))
}
