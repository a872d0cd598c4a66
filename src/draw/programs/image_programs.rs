//! Compute programs for copies, clears, resolves and mip levels of images. Their words are generated here for each generation.
//!
//! A program takes everything from its 16 user SGPRs, so that it needs no other memory than its code: descriptors, and two coordinates per register. A
//! workgroup has 8 x 8 threads with one texel each; the grid counts threads, so no thread is outside the image. All scalar work is before the first access to
//! memory, and no register is written again while an access may read it: the hazards of the generations (Mesa 25.0.7 aco_insert_NOPs.cpp) then do not occur.

use crate::chip::{Chip, Gfx};
use crate::isa::{CachePolicy, CodeItem, EncodeError, Image, ImageDim, Instruction, Mubuf, Op, Reg, ShaderCode, Src, VectorAlu, VectorSrc, Waitcnt};
use alloc::vec::Vec;

/// The coordinates of an image: x and y; with a layer; with z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Coordinates {
    Plane,
    Array,
    Volume,
}

/// What a program does. `channels` are those of the view: 1, 2 or 4; `bytes` those of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ImageProgram {
    /// Stores four words as the channels of each texel.
    Fill {
        to: Coordinates,
    },
    FromBuffer {
        bytes: u32,
        to: Coordinates,
    },
    ToBuffer {
        bytes: u32,
        from: Coordinates,
    },
    Copy {
        channels: u32,
        from: Coordinates,
        to: Coordinates,
    },
    /// The average of samples, as floats.
    Average {
        samples: u32,
        from: Coordinates,
        to: Coordinates,
    },
    /// Sample 0.
    FirstSample {
        channels: u32,
        from: Coordinates,
        to: Coordinates,
    },
    /// The average of 2 x 2 texels, as floats.
    Halve {
        of: Coordinates,
    },
}

const ALL: [Coordinates; 3] = [Coordinates::Plane, Coordinates::Array, Coordinates::Volume];
/// Images of several samples have no volumes.
const FLAT: [Coordinates; 2] = [Coordinates::Plane, Coordinates::Array];

fn list() -> Vec<ImageProgram> {
    let mut list = Vec::new();
    for to in ALL {
        list.push(ImageProgram::Fill { to });
        list.extend([1, 2, 4, 8, 16].map(|bytes| ImageProgram::FromBuffer { bytes, to }));
        list.extend([1, 2, 4, 8, 16].map(|bytes| ImageProgram::ToBuffer { bytes, from: to }));
        for from in ALL {
            list.extend([1, 2, 4].map(|channels| ImageProgram::Copy { channels, from, to }));
        }
    }
    for (from, to) in FLAT.into_iter().flat_map(|from| FLAT.map(|to| (from, to))) {
        list.extend([2, 4, 8].map(|samples| ImageProgram::Average { samples, from, to }));
        list.extend([1, 2, 4].map(|channels| ImageProgram::FirstSample { channels, from, to }));
    }
    list.extend(FLAT.map(|of| ImageProgram::Halve { of }));
    list
}

/// Registers that the programs use.
pub(crate) const VGPRS: u32 = 48;
pub(crate) const SGPRS: u32 = 48;

/// Dwords that programs are aligned to: 256 bytes.
const ALIGN: usize = 64;

/// The programs that image operations dispatch, for a chip and an address. [`words`](Self::words) must be at this address, in memory from which shaders can
/// fetch, before the first of these operations runs. They are the same for all images and all recorders.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::ImagePrograms;
/// use pm4::isa::disassemble;
/// let programs = ImagePrograms::new(Chip::Navi31, 0x1_0000)?;
/// assert!(programs.words().len() * 4 < 64 << 10);
/// println!("{}", disassemble(Chip::Navi31.gfx(), &programs.words()[..64])); // a clear of a plane
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImagePrograms {
    chip: Chip,
    address: u64,
    words: Vec<u32>,
    /// Where each program starts, in dwords.
    places: Vec<(ImageProgram, usize)>,
}

impl ImagePrograms {
    /// Creates the programs of a chip, for memory at an address: nonzero, below 2^48, a multiple of 256.
    ///
    /// # Errors
    /// None on a generation of this crate; encoding is checked nevertheless. The image operations refuse an address that a program cannot have.
    pub fn new(chip: Chip, address: u64) -> Result<Self, EncodeError> {
        let gfx = chip.gfx();
        let (mut words, mut places) = (Vec::new(), Vec::new());
        // What is fetched ahead of the end is no instruction that runs.
        let filler = if gfx.major() == 9 { Op::SNop } else { Op::SCodeEnd };
        let filler = Instruction::plain(filler).encode(gfx)?.first().copied().unwrap_or(0);
        for program in list() {
            places.push((program, words.len()));
            words.extend(encode(gfx, program)?);
            words.resize(words.len().next_multiple_of(ALIGN), filler);
        }
        words.resize(words.len() + ALIGN, filler);
        Ok(Self { chip, address, words, places })
    }

    /// Returns the contents of the memory.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the address of the memory.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the chip of the programs.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the address of a program.
    pub(crate) fn place(&self, program: ImageProgram) -> Option<u64> {
        let place = self.places.iter().find(|(known, _)| *known == program);
        place.map(|(_, dword)| self.address + 4 * *dword as u64)
    }
}

impl Coordinates {
    /// Returns the dimension of instructions, and the coordinates that they have.
    fn dim(self, gfx: Gfx, samples: bool) -> ImageDim {
        let dim = match (self, samples) {
            (Self::Plane, false) => ImageDim::Two,
            (Self::Array, false) => ImageDim::TwoArray,
            (Self::Plane, true) => ImageDim::TwoMsaa,
            (Self::Array, true) => ImageDim::TwoMsaaArray,
            (Self::Volume, _) => ImageDim::Three,
        };
        dim.on(gfx)
    }
}

fn encode(gfx: Gfx, program: ImageProgram) -> Result<Vec<u32>, EncodeError> {
    let mut code = Builder { gfx, items: Vec::new() };
    code.start();
    match program {
        ImageProgram::Fill { to } => {
            code.split(12, 20, 21);
            code.scalar(Op::SAddU32, 22, Src::s(GROUP_Z), Src::s(13));
            code.coordinates(4, [20, 21, 22]);
            (0..4).for_each(|n| code.vector1(8 + n, VectorSrc::s(8 + n)));
            code.image(Op::ImageStore, 8, 4, 0, 0xF, to, false);
        }
        ImageProgram::FromBuffer { bytes, to } => {
            code.beside_buffer(bytes);
            code.buffer(bytes, false);
            code.wait();
            code.image(Op::ImageStore, 8, 4, 4, channels_of(bytes), to, false);
        }
        ImageProgram::ToBuffer { bytes, from } => {
            code.beside_buffer(bytes);
            code.image(Op::ImageLoad, 8, 4, 4, channels_of(bytes), from, false);
            code.wait();
            code.buffer(bytes, true);
        }
        ImageProgram::Copy { channels, from, to } => {
            code.two_images();
            code.image(Op::ImageLoad, 8, 4, SOURCE, mask(channels), from, false);
            code.wait();
            code.image(Op::ImageStore, 8, 12, TARGET, mask(channels), to, false);
        }
        ImageProgram::FirstSample { channels, from, to } => {
            code.two_images();
            code.vector1(sample_register(from), VectorSrc::constant(0));
            code.image(Op::ImageLoad, 8, 4, SOURCE, mask(channels), from, true);
            code.wait();
            code.image(Op::ImageStore, 8, 12, TARGET, mask(channels), to, false);
        }
        ImageProgram::Average { samples, from, to } => {
            code.two_images();
            for sample in 0..samples {
                code.vector1(sample_register(from), VectorSrc::constant(sample));
                code.image(Op::ImageLoad, 16 + 4 * sample as u8, 4, SOURCE, 0xF, from, true);
            }
            code.wait();
            code.average(samples);
            code.image(Op::ImageStore, 8, 12, TARGET, 0xF, to, false);
        }
        ImageProgram::Halve { of } => {
            // The last texel of the larger level.
            code.split(12, 20, 21);
            code.images();
            code.vector1(6, VectorSrc::s(GROUP_Z));
            code.coordinates_of_thread(12);
            for n in 0..4 {
                code.vector3(Op::VLshlAddU32, 4, [VectorSrc::Vgpr(0), VectorSrc::constant(1), VectorSrc::constant(n & 1)]);
                code.vector3(Op::VLshlAddU32, 5, [VectorSrc::Vgpr(1), VectorSrc::constant(1), VectorSrc::constant(n >> 1)]);
                code.vector2(Op::VMinU32, 4, VectorSrc::s(20), 4);
                code.vector2(Op::VMinU32, 5, VectorSrc::s(21), 5);
                code.image(Op::ImageLoad, 16 + 4 * n as u8, 4, SOURCE, 0xF, of, false);
            }
            code.wait();
            code.average(4);
            code.image(Op::ImageStore, 8, 12, TARGET, 0xF, of, false);
        }
    }
    code.items.push(Instruction::plain(Op::SEndpgm).into());
    ShaderCode::new(gfx, code.items).encode()
}

/// Workgroup ids.
const GROUP_X: u8 = 16;
const GROUP_Y: u8 = 17;
const GROUP_Z: u8 = 18;
/// Descriptors of two images, put together.
const SOURCE: u8 = 24;
const TARGET: u8 = 32;

/// The sample is the coordinate after x, y and the layer.
fn sample_register(from: Coordinates) -> u8 {
    if from == Coordinates::Plane { 6 } else { 7 }
}

fn mask(channels: u32) -> u8 {
    (1 << channels) - 1
}

/// Returns the channels of the view through which elements of this size in bytes are copied.
fn channels_of(bytes: u32) -> u8 {
    mask(bytes.div_ceil(4))
}

struct Builder {
    gfx: Gfx,
    items: Vec<CodeItem>,
}

impl Builder {
    fn push(&mut self, instruction: Instruction) {
        self.items.push(instruction.into());
    }

    fn scalar(&mut self, op: Op, dst: u8, a: Src, b: Src) {
        self.push(Instruction::Sop2 { op, dst: Reg::Sgpr(dst), src: [a, b] });
    }

    fn scalar1(&mut self, op: Op, dst: u8, src: Src) {
        self.push(Instruction::Sop1 { op, dst: Some(Reg::Sgpr(dst)), src: Some(src) });
    }

    fn vector1(&mut self, dst: u8, src: VectorSrc) {
        self.push(Instruction::Vector(VectorAlu { op: Op::VMovB32, dst, src: [src, VectorSrc::NONE, VectorSrc::NONE] }));
    }

    fn vector2(&mut self, op: Op, dst: u8, a: VectorSrc, b: u8) {
        self.push(Instruction::Vector(VectorAlu { op, dst, src: [a, VectorSrc::Vgpr(b), VectorSrc::NONE] }));
    }

    fn vector3(&mut self, op: Op, dst: u8, src: [VectorSrc; 3]) {
        self.push(Instruction::Vector(VectorAlu { op, dst, src }));
    }

    /// The two halves of a user SGPR.
    fn split(&mut self, from: u8, low: u8, high: u8) {
        self.scalar(Op::SAndB32, low, Src::s(from), Src::Literal(0xFFFF));
        self.scalar(Op::SLshrB32, high, Src::s(from), Src::Int(16));
    }

    /// Workgroup ids to the same registers on all generations, and the thread's texel from the first one of the grid on to v0 and v1.
    fn start(&mut self) {
        if self.gfx.major() >= 12 {
            self.scalar1(Op::SMovB32, GROUP_X, Src::Reg(Reg::Ttmp(9)));
            self.scalar(Op::SAndB32, GROUP_Y, Src::Reg(Reg::Ttmp(7)), Src::Literal(0xFFFF));
            self.scalar(Op::SLshrB32, GROUP_Z, Src::Reg(Reg::Ttmp(7)), Src::Int(16));
        }
        if self.gfx.major() >= 11 {
            self.vector3(Op::VBfeU32, 1, [VectorSrc::Vgpr(0), VectorSrc::constant(10), VectorSrc::constant(10)]);
            self.vector2(Op::VAndB32, 0, VectorSrc::constant(0x3FF), 0);
        }
        for (register, group) in [(0, GROUP_X), (1, GROUP_Y)] {
            self.vector3(Op::VLshlAddU32, register, [VectorSrc::s(group), VectorSrc::constant(3), VectorSrc::Vgpr(register)]);
        }
    }

    /// The thread's texel in an image whose first one is in these SGPRs; z is there the thread's.
    fn coordinates(&mut self, first: u8, [x, y, z]: [u8; 3]) {
        self.vector2(Op::VAddU32, first, VectorSrc::s(x), 0);
        self.vector2(Op::VAddU32, first + 1, VectorSrc::s(y), 1);
        self.vector1(first + 2, VectorSrc::s(z));
    }

    /// The thread's texel, where the image starts with the grid.
    fn coordinates_of_thread(&mut self, first: u8) {
        self.vector1(first, VectorSrc::Vgpr(0));
        self.vector1(first + 1, VectorSrc::Vgpr(1));
        self.vector1(first + 2, VectorSrc::s(GROUP_Z));
    }

    /// User SGPRs: a buffer in 0 to 3, an image in 4 to 11, bytes of a row and of a slice, x and y, z. v2 is the offset in the buffer, v4 to v6 the texel.
    fn beside_buffer(&mut self, bytes: u32) {
        self.split(14, 20, 21);
        self.scalar(Op::SAddU32, 22, Src::s(GROUP_Z), Src::s(15));
        self.scalar(Op::SMulI32, 23, Src::s(GROUP_Z), Src::s(13));
        self.vector3(Op::VMulLoU32, 2, [VectorSrc::Vgpr(1), VectorSrc::s(12), VectorSrc::NONE]);
        self.vector2(Op::VLshlrevB32, 3, VectorSrc::constant(bytes.trailing_zeros()), 0);
        self.vector3(Op::VAdd3U32, 2, [VectorSrc::Vgpr(2), VectorSrc::Vgpr(3), VectorSrc::s(23)]);
        self.coordinates(4, [20, 21, 22]);
    }

    /// The descriptors of two images: six words of each in user SGPRs 0 to 11, the seventh in halves of user SGPR 15 in steps of 256, the eighth 0.
    fn images(&mut self) {
        for (image, first) in [(SOURCE, 0), (TARGET, 6)] {
            for pair in [0, 2, 4] {
                self.scalar1(Op::SMovB64, image + pair, Src::s(first + pair));
            }
        }
        self.split(15, SOURCE + 6, TARGET + 6);
        for image in [SOURCE, TARGET] {
            self.scalar(Op::SLshlB32, image + 6, Src::s(image + 6), Src::Int(8));
            self.scalar1(Op::SMovB32, image + 7, Src::Int(0));
        }
    }

    /// The same, with x and y of both in user SGPRs 12 and 13, and z in the halves of 14. v4 to v6 are the texel of the source, v12 to v14 that of the target.
    fn two_images(&mut self) {
        self.images();
        self.split(12, 20, 21);
        self.split(14, 22, 42);
        self.split(13, 40, 41);
        self.scalar(Op::SAddU32, 22, Src::s(GROUP_Z), Src::s(22));
        self.scalar(Op::SAddU32, 42, Src::s(GROUP_Z), Src::s(42));
        self.coordinates(4, [20, 21, 22]);
        self.coordinates(12, [40, 41, 42]);
    }

    /// Computes into v8 to v11 the average of `count` groups of four registers from v16 on.
    fn average(&mut self, count: u32) {
        for channel in 0..4 {
            self.vector2(Op::VAddF32, 8 + channel, VectorSrc::Vgpr(16 + channel), 20 + channel);
            for n in 2..count as u8 {
                self.vector2(Op::VAddF32, 8 + channel, VectorSrc::Vgpr(16 + 4 * n + channel), 8 + channel);
            }
            self.vector2(Op::VMulF32, 8 + channel, VectorSrc::constant((1.0 / count as f32).to_bits()), 8 + channel);
        }
    }

    #[allow(clippy::too_many_arguments)] // one for each operand
    fn image(&mut self, op: Op, data: u8, address: u8, resource: u8, channels: u8, of: Coordinates, samples: bool) {
        self.push(Instruction::Image(Image {
            op,
            data,
            address,
            resource: Reg::Sgpr(resource),
            channels,
            dim: of.dim(self.gfx, samples),
            unnormalized: self.gfx.major() < 12,
            cache: CachePolicy::default(),
        }));
    }

    /// v8 and the registers after it from or to the buffer, at the offset in v2.
    fn buffer(&mut self, bytes: u32, store: bool) {
        let op = match (bytes, store) {
            (1, false) => Op::BufferLoadUbyte,
            (2, false) => Op::BufferLoadUshort,
            (4, false) => Op::BufferLoadDword,
            (8, false) => Op::BufferLoadDwordx2,
            (_, false) => Op::BufferLoadDwordx4,
            (1, true) => Op::BufferStoreByte,
            (2, true) => Op::BufferStoreShort,
            (4, true) => Op::BufferStoreDword,
            (8, true) => Op::BufferStoreDwordx2,
            (_, true) => Op::BufferStoreDwordx4,
        };
        self.push(Instruction::Mubuf(Mubuf {
            op,
            data: 8,
            address: 2,
            index_enable: false,
            offset_enable: true,
            resource: Reg::Sgpr(0),
            scalar_offset: if self.gfx.major() >= 12 { Src::Reg(Reg::Null) } else { Src::Int(0) },
            offset: 0,
            cache: CachePolicy::default(),
        }));
    }

    /// Waits for all loads.
    fn wait(&mut self) {
        let wait = Waitcnt { vm: Some(0), exp: None, lgkm: None };
        self.push(match self.gfx.major() {
            12.. => Instruction::plain(Op::SWaitLoadcnt),
            _ => Instruction::Sopp { op: Op::SWaitcnt, imm: wait.imm(self.gfx) },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every program is encoded on every generation, ends with its end, and decodes to known instructions alone.
    #[test]
    fn programs_are_whole_on_every_generation() {
        for chip in Chip::all() {
            let programs = ImagePrograms::new(chip, 0x1_0000).expect("programs");
            for program in list() {
                let words = encode(chip.gfx(), program).expect("a program");
                let code = ShaderCode::decode(chip.gfx(), &words);
                assert!(code.items().iter().all(|item| !matches!(item.instruction, Instruction::Raw(_))), "{chip}: {program:?}");
                assert_eq!(code.items().last().map(|item| item.instruction), Some(Instruction::plain(Op::SEndpgm)));
                let place = programs.place(program).expect("a place");
                assert!(place.is_multiple_of(256) && programs.words()[(place - 0x1_0000) as usize / 4..].starts_with(&words), "{chip}: {program:?}");
            }
        }
    }
}
