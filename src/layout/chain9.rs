//! Tiled surfaces of GFX9: the levels of a slice form one picture with a common pitch, the largest level first, each to the right of or below another.

use crate::layout::blocks;
use crate::layout::config::AddressConfig;
use crate::layout::plane::{Chain, Mip, Mips, Outline};
use crate::layout::shape::{Dim, Shape, align_size};

/// The direction in which the smaller levels extend the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Major {
    X,
    Y,
    Z,
}

/// Units of 256 bytes at which a level of a tail starts, for a block of 1 MiB; smaller blocks start later in the list.
const TAIL_OFFSETS: [u32; 16] = [2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0];

/// The picture of a surface in a mode. Sizes are logarithms of elements.
struct Picture {
    bytes: u32,
    block: [u32; 3],
    tail: [u32; 3],
    micro: [u32; 3],
    thick: bool,
    volume: bool,
    /// Level 0, padded.
    size: [u32; 3],
    first_tail: u32,
    major: Major,
    /// All levels together.
    chain: [u32; 2],
}

impl Picture {
    fn of(config: &AddressConfig, shape: &Shape, number: u32) -> Self {
        let e = shape.element();
        let thick = shape.thick(config, number);
        let bytes = blocks::block_bytes(config, number);
        let block = blocks::block(config, number, thick, e, shape.fragments);
        let [bw, bh, bd] = block;
        // Displays read rows of at least 32 elements.
        let unit = if shape.flags.display && shape.levels == 1 && shape.fragments == 0 { bw.max(5) } else { bw };
        let size = [align_size(shape.width, unit), align_size(shape.height, bh), align_size(shape.slices, bd)];
        let micro = if thick {
            blocks::thick_micro(e)
        } else {
            let [w, h] = blocks::thin_micro(e);
            [w, h, 0]
        };
        let volume = shape.dim == Dim::Three;
        let tail = blocks::tail(config, bytes, thick, block);
        let mut picture = Self { bytes, block, tail, micro, thick, volume, size, first_tail: shape.levels, major: Major::X, chain: [size[0], size[1]] };
        picture.first_tail = picture.find_tail(shape);
        let [x, y, z] = picture.blocks();
        picture.major = match thick {
            false if x < y => Major::Y,
            false => Major::X,
            true if x < y && y >= z => Major::Y,
            true if x >= y && x >= z => Major::X,
            true => Major::Z,
        };
        if picture.first_tail == 0 {
            picture.chain = [1 << bw, 1 << bh];
        } else if shape.levels > 1 {
            let end = picture.first_tail.min(shape.levels - 1);
            let grow = |blocks: u32| match blocks.div_ceil(2) {
                1 if end > 2 => 2,
                more => more,
            };
            match picture.major {
                Major::Y => picture.chain[0] += grow(x) << bw,
                Major::X | Major::Z => picture.chain[1] += grow(y) << bh,
            }
        }
        picture
    }

    /// Returns the size of level 0 in blocks.
    fn blocks(&self) -> [u32; 3] {
        [self.size[0] >> self.block[0], self.size[1] >> self.block[1], self.size[2] >> self.block[2]]
    }

    fn in_tail(&self, size: [u32; 3]) -> bool {
        self.bytes > 8 && size[0] <= 1 << self.tail[0] && size[1] <= 1 << self.tail[1] && (!self.thick || size[2] <= 1 << self.tail[2])
    }

    /// Returns the padded size of a level outside the tail.
    fn padded(&self, [w, h, d]: [u32; 3]) -> [u32; 3] {
        [align_size(w, self.block[0]), align_size(h, self.block[1]), if self.volume { align_size(d, self.block[2]) } else { d }]
    }

    /// Returns the size of the next level before padding.
    fn half(&self, [w, h, d]: [u32; 3]) -> [u32; 3] {
        [(w / 2).max(1), (h / 2).max(1), if self.volume { (d / 2).max(1) } else { d }]
    }

    fn unpadded(&self, shape: &Shape) -> [u32; 3] {
        [shape.width, shape.height, if self.volume { shape.slices } else { 1 }]
    }

    /// Returns the first level of the tail, or the number of levels if there is no tail.
    fn find_tail(&self, shape: &Shape) -> u32 {
        if shape.levels == 1 {
            return 1;
        }
        let mut size = self.unpadded(shape);
        for level in 0..shape.levels {
            if self.in_tail(size) {
                return level;
            }
            size = self.half(self.padded(size));
        }
        shape.levels
    }
}

/// Returns the plane of a surface in a tiled mode, without its levels.
pub(in crate::layout) fn outline(config: &AddressConfig, shape: &Shape, number: u32) -> Outline {
    let picture = Picture::of(config, shape, number);
    let Picture { bytes, block, tail, size: [pitch, height, slices], first_tail, chain: [chain_pitch, chain_height], .. } = picture;
    let chain_in_tail = first_tail == 0;
    let slice_size = (u64::from(chain_pitch) * u64::from(chain_height)) << (shape.element() + shape.fragments);
    let height_grows = shape.levels > 1 && (picture.major != Major::Y || chain_in_tail);
    Outline {
        block: block.map(|log2| 1 << log2),
        pitch: if chain_in_tail { 1 << tail[0] } else { pitch },
        height: if chain_in_tail { 1 << tail[1] } else { height },
        slices,
        slice_size,
        size: slice_size * u64::from(slices),
        align: alignment(config, shape, number, bytes),
        first_tail,
        chain_in_tail,
        chain: Some(Chain { pitch: chain_pitch, height: chain_height, epitch: if height_grows { chain_height } else { chain_pitch } - 1 }),
    }
}

/// Fills in the levels of such a plane.
pub(in crate::layout) fn mips(config: &AddressConfig, shape: &Shape, number: u32, mips: &mut Mips) {
    let picture = Picture::of(config, shape, number);
    let Picture { bytes, block: [bw, bh, _], tail, micro, thick, first_tail, major, .. } = picture;
    let (pitch_blocks, rows) = (u64::from(picture.chain[0] >> bw), u64::from(picture.chain[1] >> bh));
    let [mut x, mut y, mut z] = picture.blocks();
    let mut start = [0u32; 3];
    let mut size = picture.unpadded(shape);
    let mut offset = 0u64;
    for (level, mip) in (0..shape.levels).zip(mips) {
        if level > 0 && level <= first_tail {
            let along_second = level == 1 || level == 3;
            match (major, along_second) {
                (Major::Y, true) | (Major::X, false) => start[0] += x,
                (Major::Y, false) | (Major::X | Major::Z, true) => start[1] += y,
                (Major::Z, false) => start[2] += z,
            }
            (x, y, z) = (x.div_ceil(2), y.div_ceil(2), z.div_ceil(2));
        }
        if shape.levels == 1 {
            size = [picture.size[0], picture.size[1], if picture.volume { picture.size[2] } else { 1 }];
        } else if level == first_tail {
            size = [1 << tail[0], 1 << tail[1], if thick { 1 << tail[2] } else { size[2] }];
        } else if level < first_tail {
            size = picture.padded(size);
        }
        let [w, h, d] = size;
        let tail_offset = if level >= first_tail { 256 * TAIL_OFFSETS[((level - first_tail + 20).saturating_sub(bytes) as usize).min(15)] } else { 0 };
        let [start_x, start_y, start_z] = start.map(u64::from);
        let macro_offset = ((start_z * rows + start_y) * pitch_blocks + start_x) << bytes;
        *mip = Mip { offset, macro_offset, tail_offset, tail: [0; 2], pitch: w, height: h, depth: d };
        offset += (u64::from(w) * u64::from(h) * u64::from(d)) << (shape.element() + shape.fragments);
        size = if level >= first_tail {
            let half = |value: u32, least: u32| (value / 2).max(1 << least);
            [half(w, micro[0]), half(h, micro[1]), half(d, micro[2])]
        } else {
            picture.half(size)
        };
    }
}

/// Returns the alignment. Blocks of modes without XOR need only 256 bytes, but the pipes of metadata need more.
fn alignment(config: &AddressConfig, shape: &Shape, number: u32, bytes: u32) -> u32 {
    let flags = &shape.flags;
    let mut log2 = if number >= 16 { bytes } else { 8 };
    if (flags.color || flags.depth || flags.stencil || flags.fmask) && flags.texture && !flags.unaligned && number > 3 {
        log2 = log2.max(8 + config.all_pipes());
    }
    if flags.sparse {
        log2 = log2.max(16);
    }
    1 << log2
}
