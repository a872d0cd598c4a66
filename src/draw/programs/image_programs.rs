//! Compute programs for copies, clears, resolves and mip levels of images. Their words are generated here for each generation.
//!
//! A program takes everything from its 16 user SGPRs, so that it needs no other memory than its code: descriptors, and two coordinates per register. Only a
//! blit needs more, and reads a table. A
//! workgroup has 8 x 8 threads with one texel each; the grid counts threads, so no thread is outside the image. All scalar work is before the first access to
//! memory, and no register is written again while an access may read it: the hazards of the generations (Mesa 25.0.7 aco_insert_NOPs.cpp) then do not occur.

use crate::chip::{Chip, Gfx};
use crate::isa::{CachePolicy, CodeItem, EncodeError, Image, ImageDim, Instruction, Mubuf, Op, Reg, ShaderCode, Smem, Src, VectorAlu, VectorSrc, Waitcnt};
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
    /// Texels of other places, computed for each one: the nearest, or a mean of the nearest two in each direction, as floats.
    Blit {
        linear: bool,
        from: Coordinates,
        to: Coordinates,
    },
    /// Some bits of each dword of a buffer become others: metadata of one aspect of two.
    Mask,
    /// Sums of differences of pairs of counts.
    Counts,
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
    // Volumes are scaled along z as well, arrays are not.
    let volumes = [(Coordinates::Volume, Coordinates::Volume)];
    for (from, to) in FLAT.into_iter().flat_map(|from| FLAT.map(|to| (from, to))).chain(volumes) {
        list.extend([false, true].map(|linear| ImageProgram::Blit { linear, from, to }));
    }
    list.extend([ImageProgram::Mask, ImageProgram::Counts]);
    list
}

/// Dwords of a row of [`ImageProgram::Mask`], as a power of two.
pub(crate) const MASK_ROW_LOG2: u32 = 10;

/// What a blit reads from memory, with the dword of each part: the descriptors of both images, and numbers for each axis.
pub(crate) mod blit_table {
    pub const DWORDS: usize = 32;
    pub const SOURCE: usize = 0;
    pub const TARGET: usize = 8;
    /// Texels of the source for each one of the target, and the source's place of the target's first edge: floats.
    pub const SCALES: usize = 16;
    pub const OFFSETS: usize = 19;
    /// The last texel of the source's level.
    pub const LAST: usize = 22;
    /// The first texel of the target.
    pub const FIRST: usize = 25;
    /// The first layer of the source.
    pub const LAYER: usize = 28;
}

/// Registers that the programs use.
pub(crate) const VGPRS: u32 = 64;
pub(crate) const SGPRS: u32 = 64;

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
        ImageProgram::Blit { linear, from, to } => code.blit(linear, from, to),
        ImageProgram::Mask => {
            // The buffer in user SGPRs 0 to 3, bits that stay in 4, others in 5.
            code.vector3(Op::VLshlAddU32, 2, [VectorSrc::Vgpr(1), VectorSrc::constant(MASK_ROW_LOG2), VectorSrc::Vgpr(0)]);
            code.vector2(Op::VLshlrevB32, 2, VectorSrc::constant(2), 2);
            code.buffer(4, false);
            code.wait();
            code.vector2(Op::VAndB32, 8, VectorSrc::s(4), 8);
            code.vector2(Op::VOrB32, 8, VectorSrc::s(5), 8);
            code.buffer(4, true);
        }
        ImageProgram::Counts => code.counts(),
    }
    code.items.push(Instruction::plain(Op::SEndpgm).into());
    ShaderCode::new(gfx, code.items).encode()
}

/// Workgroup ids.
const GROUP_X: u8 = 16;
const GROUP_Y: u8 = 17;
const GROUP_Z: u8 = 18;
/// What a blit reads from memory.
const TABLE: u8 = 24;
/// Bytes from a count of one render backend to that of the next.
const PART_BYTES: i8 = 16;
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

    /// The texel of the source that an axis needs, in two registers from `first` on where both neighbours count, with the part
    /// of the second one in `part`. `thread` is the thread's texel of the target.
    fn blit_axis(&mut self, axis: u8, thread: VectorSrc, linear: bool, first: u8, part: u8) {
        let (scale, offset, last) = (TABLE + blit_table::SCALES as u8 + axis, TABLE + blit_table::OFFSETS as u8 + axis, TABLE + blit_table::LAST as u8 + axis);
        let at = first + 1;
        self.push(Instruction::Vector(VectorAlu { op: Op::VCvtF32U32, dst: at, src: [thread, VectorSrc::NONE, VectorSrc::NONE] }));
        self.vector2(Op::VAddF32, at, VectorSrc::constant(0.5f32.to_bits()), at);
        self.vector2(Op::VMulF32, at, VectorSrc::s(scale), at);
        self.vector2(Op::VAddF32, at, VectorSrc::s(offset), at);
        if linear {
            self.vector2(Op::VAddF32, at, VectorSrc::constant((-0.5f32).to_bits()), at);
        }
        self.push(Instruction::Vector(VectorAlu { op: Op::VFloorF32, dst: first, src: [VectorSrc::Vgpr(at), VectorSrc::NONE, VectorSrc::NONE] }));
        if linear {
            self.vector2(Op::VSubF32, part, VectorSrc::Vgpr(at), first);
        }
        self.push(Instruction::Vector(VectorAlu { op: Op::VCvtI32F32, dst: first, src: [VectorSrc::Vgpr(first), VectorSrc::NONE, VectorSrc::NONE] }));
        if linear {
            self.vector2(Op::VAddU32, at, VectorSrc::constant(1), first);
        }
        for register in first..=first + u8::from(linear) {
            self.vector2(Op::VMaxI32, register, VectorSrc::constant(0), register);
            self.vector2(Op::VMinI32, register, VectorSrc::s(last), register);
        }
    }

    /// User SGPRs 0 and 1 are the address of the table. Texels of the source are in v4 to v6, that of the target in v12 to v14; v20 and the registers after it
    /// hold the neighbours of each axis, v26 to v28 the parts of the second ones, v32 and those after it four channels of each of up to eight texels.
    fn blit(&mut self, linear: bool, from: Coordinates, to: Coordinates) {
        for part in (0..blit_table::DWORDS as u8).step_by(8) {
            let (data, base) = (Reg::Sgpr(TABLE + part), Reg::Sgpr(0));
            let load = Smem { op: Op::SLoadDwordx8, data, base, offset: 4 * i32::from(part), index: None, cache: CachePolicy::default() };
            self.push(Instruction::Smem(load));
        }
        self.wait_scalar();
        let volume = from == Coordinates::Volume;
        self.scalar(Op::SAddU32, 22, Src::s(GROUP_Z), Src::s(TABLE + blit_table::LAYER as u8));
        self.scalar(Op::SAddU32, 19, Src::s(GROUP_Z), Src::s(TABLE + blit_table::FIRST as u8 + 2));
        self.vector2(Op::VAddU32, 12, VectorSrc::s(TABLE + blit_table::FIRST as u8), 0);
        self.vector2(Op::VAddU32, 13, VectorSrc::s(TABLE + blit_table::FIRST as u8 + 1), 1);
        self.vector1(14, VectorSrc::s(19));
        let axes: u8 = if volume { 3 } else { 2 };
        let threads = [VectorSrc::Vgpr(0), VectorSrc::Vgpr(1), VectorSrc::s(GROUP_Z)];
        for (axis, thread) in (0..axes).zip(threads) {
            self.blit_axis(axis, thread, linear, 20 + 2 * axis, 26 + axis);
        }
        if !volume {
            self.vector1(6, VectorSrc::s(22));
        }
        let texels: u8 = if linear { 1 << axes } else { 1 };
        for texel in 0..texels {
            (0..axes).for_each(|axis| self.vector1(4 + axis, VectorSrc::Vgpr(20 + 2 * axis + (texel >> axis & 1))));
            self.image(Op::ImageLoad, 32 + 4 * texel, 4, TABLE + blit_table::SOURCE as u8, 0xF, from, false);
        }
        self.wait();
        if linear {
            for axis in 0..axes {
                // Of texels that differ in this axis alone the first one gets the mean.
                for texel in (0..texels).filter(|texel| texel & ((2 << axis) - 1) == 0) {
                    for channel in 0..4 {
                        let (one, other) = (32 + 4 * texel + channel, 32 + 4 * (texel + (1 << axis)) + channel);
                        self.vector2(Op::VSubF32, other, VectorSrc::Vgpr(other), one);
                        self.vector2(Op::VMulF32, other, VectorSrc::Vgpr(26 + axis), other);
                        self.vector2(Op::VAddF32, one, VectorSrc::Vgpr(other), one);
                    }
                }
            }
        }
        self.image(Op::ImageStore, 32, 12, TABLE + blit_table::TARGET as u8, 0xF, to, false);
    }

    /// The results' buffer in user SGPRs 0 to 3, the first query's address in 4 and 5, bytes between queries in 6 and from a count to its second sample in 7, parts
    /// in 8, bits that stand for the flag in 9, counts of a query in 10. A workgroup has one count: that of x and y. s[24:25] and s[26:27] are the addresses of both
    /// samples, s[32:33] the sum, s34 the parts that are left.
    fn counts(&mut self) {
        let (group_x, group_y) = (Src::s(GROUP_X), Src::s(GROUP_Y));
        self.scalar(Op::SMulI32, 20, group_x, Src::s(6));
        self.scalar(Op::SLshlB32, 21, group_y, Src::Int(3));
        self.scalar(Op::SAddU32, 20, Src::s(20), Src::s(21));
        self.add_wide(24, 4, Src::s(20));
        self.add_wide(26, 24, Src::s(7));
        self.scalar1(Op::SMovB64, 32, Src::Int(0));
        self.scalar1(Op::SMovB32, 34, Src::s(8));
        let again = self.items.len();
        for (data, base) in [(36, 24), (38, 26)] {
            let (data, base) = (Reg::Sgpr(data), Reg::Sgpr(base));
            self.push(Instruction::Smem(Smem { op: Op::SLoadDwordx2, data, base, offset: 0, index: None, cache: CachePolicy::default() }));
        }
        self.wait_scalar();
        self.scalar(Op::SAndB32, 40, Src::s(37), Src::s(39));
        self.scalar(Op::SOrB32, 40, Src::s(40), Src::s(9));
        self.push(Instruction::Sopc { op: Op::SBitcmp1B32, src: [Src::s(40), Src::Int(31)] });
        let skip = self.items.len();
        self.push(Instruction::plain(Op::SCbranchScc0));
        self.scalar(Op::SSubU32, 38, Src::s(38), Src::s(36));
        self.scalar(Op::SSubbU32, 39, Src::s(39), Src::s(37));
        self.scalar(Op::SAddU32, 32, Src::s(32), Src::s(38));
        self.scalar(Op::SAddcU32, 33, Src::s(33), Src::s(39));
        self.target(skip, self.items.len());
        self.add_wide(24, 24, Src::Int(PART_BYTES));
        self.add_wide(26, 26, Src::Int(PART_BYTES));
        self.scalar(Op::SSubU32, 34, Src::s(34), Src::Int(1));
        self.push(Instruction::Sopc { op: Op::SCmpLgU32, src: [Src::s(34), Src::Int(0)] });
        let back = self.items.len();
        self.push(Instruction::plain(Op::SCbranchScc1));
        self.target(back, again);
        self.scalar(Op::SMulI32, 20, group_x, Src::s(10));
        self.scalar(Op::SAddU32, 20, Src::s(20), group_y);
        self.scalar(Op::SLshlB32, 20, Src::s(20), Src::Int(3));
        self.vector1(2, VectorSrc::s(20));
        self.vector1(8, VectorSrc::s(32));
        self.vector1(9, VectorSrc::s(33));
        self.buffer(8, true);
    }

    /// A sum of 64 bits in two registers.
    fn add_wide(&mut self, to: u8, from: u8, value: Src) {
        self.scalar(Op::SAddU32, to, Src::s(from), value);
        self.scalar(Op::SAddcU32, to + 1, Src::s(from + 1), Src::Int(0));
    }

    fn target(&mut self, branch: usize, to: usize) {
        if let Some(item) = self.items.get_mut(branch) {
            item.target = Some(to);
        }
    }

    /// Waits for all scalar loads.
    fn wait_scalar(&mut self) {
        let wait = Waitcnt { vm: None, exp: None, lgkm: Some(0) };
        self.push(match self.gfx.major() {
            12.. => Instruction::plain(Op::SWaitKmcnt),
            _ => Instruction::Sopp { op: Op::SWaitcnt, imm: wait.imm(self.gfx) },
        });
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
