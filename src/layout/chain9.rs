//! Tiled surfaces of GFX9: the levels of a slice are one picture with a common pitch, the largest level first, each beside or below another.

use crate::layout::SwizzleMode;
use crate::layout::blocks;
use crate::layout::config::AddressConfig;
use crate::layout::plane::{Chain, MAX_LEVELS, Mip, Plane};
use crate::layout::shape::{Dim, Shape, align_size};

/// In which direction the levels beside level 0 extend the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Major {
    X,
    Y,
    Z,
}

/// Units of 256 bytes at which a level of a tail starts, for a block of 1 MiB; smaller blocks start later in the list.
const TAIL_OFFSETS: [u32; 16] = [2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0];

pub(in crate::layout) fn plane(config: &AddressConfig, shape: &Shape, mode: SwizzleMode, number: u32) -> Plane {
    let (e, s) = (shape.element(), shape.fragments);
    let thick = shape.thick(config, number);
    let bytes = blocks::block_bytes(config, number);
    let block = blocks::block(config, number, thick, e, s);
    let [bw, bh, bd] = block;
    let levels = shape.levels.min(MAX_LEVELS as u32);
    let volume = shape.dim == Dim::Three;
    let tail = blocks::tail(config, bytes, thick, block);
    // Displays read rows of 32 elements at least.
    let unit = if shape.flags.display && shape.levels == 1 && s == 0 { bw.max(5) } else { bw };
    let (pitch, height, depth) = (align_size(shape.width, unit), align_size(shape.height, bh), align_size(shape.slices, bd));
    let in_tail = |size: [u32; 3]| size[0] <= 1 << tail[0] && size[1] <= 1 << tail[1] && (!thick || size[2] <= 1 << tail[2]);

    // Sizes of levels, and the first of the tail. Blocks of 256 bytes have no tail.
    let mut mips = [Mip::default(); MAX_LEVELS];
    let mut first_tail = shape.levels;
    let mut offset = 0u64;
    let mut size = [shape.width, shape.height, if volume { shape.slices } else { 1 }];
    let micro = if thick {
        blocks::thick_micro(e)
    } else {
        let [w, h] = blocks::thin_micro(e);
        [w, h, 0]
    };
    for level in 0..levels {
        if shape.levels > 1 {
            if first_tail == shape.levels && bytes > 8 && in_tail(size) {
                first_tail = level;
                size = [1 << tail[0], 1 << tail[1], if thick { 1 << tail[2] } else { size[2] }];
            } else if first_tail == shape.levels {
                size = [align_size(size[0], bw), align_size(size[1], bh), if volume { align_size(size[2], bd) } else { size[2] }];
            }
        } else {
            size = [pitch, height, if volume { depth } else { 1 }];
        }
        let [w, h, d] = size;
        let tail_offset = if level >= first_tail { 256 * TAIL_OFFSETS[((level - first_tail + 20).saturating_sub(bytes) as usize).min(15)] } else { 0 };
        mips[level as usize] = Mip { offset, tail_offset, pitch: w, height: h, depth: d, ..Mip::default() };
        offset += (u64::from(w) * u64::from(h) * u64::from(d)) << (e + s);
        let half = |value: u32, least: u32| (value / 2).max(1 << least);
        size = if level >= first_tail {
            [half(w, micro[0]), half(h, micro[1]), half(d, micro[2])]
        } else {
            [half(w, 0), half(h, 0), if volume { half(d, 0) } else { d }]
        };
    }

    // The picture, in blocks.
    let [mut x, mut y, mut z] = [pitch >> bw, height >> bh, depth >> bd];
    let major = match thick {
        false if x < y => Major::Y,
        false => Major::X,
        true if x < y && y >= z => Major::Y,
        true if x >= y && x >= z => Major::X,
        true => Major::Z,
    };
    let chain_in_tail = first_tail == 0;
    let (mut chain_pitch, mut chain_height) = (pitch, height);
    if chain_in_tail {
        (chain_pitch, chain_height) = (1 << bw, 1 << bh);
    } else if shape.levels > 1 {
        let end = first_tail.min(shape.levels - 1);
        let grow = |blocks: u32| match blocks.div_ceil(2) {
            1 if end > 2 => 2,
            more => more,
        };
        match major {
            Major::Y => chain_pitch += grow(x) << bw,
            Major::X | Major::Z => chain_height += grow(y) << bh,
        }
    }
    let (pitch_blocks, slice_blocks) = (u64::from(chain_pitch >> bw), u64::from(chain_pitch >> bw) * u64::from(chain_height >> bh));
    let mut start = [0u32; 3];
    for level in 0..levels.min(first_tail + 1) {
        if level > 0 {
            let along_second = level == 1 || level == 3;
            match (major, along_second) {
                (Major::Y, true) | (Major::X, false) => start[0] += x,
                (Major::Y, false) | (Major::X | Major::Z, true) => start[1] += y,
                (Major::Z, false) => start[2] += z,
            }
            (x, y, z) = (x.div_ceil(2), y.div_ceil(2), z.div_ceil(2));
        }
        mips[level as usize].start = start;
    }
    for level in 0..levels {
        let mip = &mut mips[level as usize];
        if level > first_tail {
            mip.start = start;
        }
        let [x, y, z] = mip.start.map(u64::from);
        // With one level the address library leaves it 0, which it is.
        mip.macro_offset = (z * slice_blocks + y * pitch_blocks + x) << bytes;
    }

    let in_chain = chain_in_tail && shape.levels > 1;
    let slice_size = (u64::from(chain_pitch) * u64::from(chain_height)) << (e + s);
    let height_grows = shape.levels > 1 && (major != Major::Y || chain_in_tail);
    Plane {
        mode,
        element_bytes: shape.bytes,
        block: block.map(|log2| 1 << log2),
        pitch: if in_chain { 1 << tail[0] } else { pitch },
        height: if in_chain { 1 << tail[1] } else { height },
        slices: depth,
        slice_size,
        size: slice_size * u64::from(depth),
        align: alignment(config, shape, number, bytes),
        first_tail,
        chain_in_tail,
        chain: Some(Chain { pitch: chain_pitch, height: chain_height, epitch: if height_grows { chain_height } else { chain_pitch } - 1 }),
        levels: shape.levels,
        mips,
    }
}

/// Blocks of modes without XOR need no more than 256 bytes, but the pipes of metadata do.
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
