//! Sizes of metadata from GFX10 to GFX11.5 (Mesa 25.0.7 gfx10addrlib.cpp, gfx11addrlib.cpp: GetMetaBlkSize and its callees).

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::metadata::{Data, MetadataKind, MetadataLayout, MetadataMip};
use crate::layout::plane::MAX_LEVELS;
use crate::layout::shape::{align_size, level_size};

/// Returns the log2 of the bytes of a block of metadata and of the texels that it covers.
pub(in crate::layout) fn block(config: &AddressConfig, kind: MetadataKind, mode: u32, e: u32, s: u32, pipe_aligned: bool) -> (u32, [u32; 2]) {
    // HTILE and CMASK have the same size for all depths and samples.
    let (e, s) = if kind == MetadataKind::Dcc { (e, s) } else { (0, 0) };
    let gfx11 = config.generation == Generation::Gfx11;
    let max_fragments = u32::from(config.max_fragments);
    let (element, covered) = match kind {
        MetadataKind::Dcc => (0i32, 8),
        MetadataKind::Htile => (2, 6 + s + e),
        MetadataKind::Cmask => (-1, 6 + s + e),
    };
    let bytes = block_bytes(config, kind, mode, e, s, pipe_aligned);
    let samples = if kind == MetadataKind::Htile || gfx11 { s } else { s.min(max_fragments) };
    let bits = (bytes + covered) as i32 - (e + samples) as i32 - element;
    let bits = bits.max(0) as u32;
    (bytes, [bits.div_ceil(2), bits / 2])
}

fn block_bytes(config: &AddressConfig, kind: MetadataKind, mode: u32, e: u32, s: u32, pipe_aligned: bool) -> u32 {
    let bytes = blocks::block_bytes(config, mode);
    if !pipe_aligned {
        return bytes.min(12);
    }
    let (pipes, arrays, packers) = (u32::from(config.pipes), config.arrays(), config.has_packers());
    let (gfx11, depth_order) = (config.generation == Generation::Gfx11, mode & 3 == 0);
    if matches!(mode & 3, 1 | 2) {
        return (8 + pipes).max(12).min(bytes);
    }
    let tied = packers && pipes > 1 && pipes == arrays + 1;
    let pipe_bits = pipes + u32::from(tied);
    let rotate = if !packers || pipes <= 1 || pipes < arrays + 1 {
        0
    } else if tied {
        1
    } else {
        pipes - arrays - 1
    };
    let widest = e == 4 && s == 3;
    let mut size = if pipe_bits >= 4 {
        let cache = if kind == MetadataKind::Dcc { 6 } else { 8 };
        let in_micro = if depth_order || gfx11 { s } else { 0 };
        let micro = 8 - e as i32 - in_micro as i32;
        let covered = if kind == MetadataKind::Dcc { micro } else { 6 };
        let effective = config.effective_pipes() as i32;
        let mut overlap = effective - covered.max(micro);
        overlap += i32::from(packers && effective > 1);
        overlap -= i32::from(widest && (!gfx11 || bytes == 16));
        if gfx11 {
            overlap += 16 - bytes as i32;
        }
        overlap = overlap.max(0);
        overlap += i32::from(rotate > 0 && widest && (depth_order || gfx11 || effective > 3));
        (cache + overlap as u32 + pipe_bits).max(8 + pipe_bits)
    } else {
        (8 + pipe_bits).max(12)
    };
    let max_fragments = u32::from(config.max_fragments);
    if config.generation == Generation::Gfx103 && !depth_order && pipe_bits == 6 && s == 3 && max_fragments == 3 {
        size = size.max(15);
    }
    if kind == MetadataKind::Htile {
        size = size.max(11 + pipe_bits);
    }
    let compressed = if gfx11 { s } else { s.min(max_fragments) };
    if mode & 3 == 3 && compressed > 1 && rotate >= 1 {
        size = size.max(8 + pipes + rotate.max(compressed - 1));
    }
    size
}

pub(in crate::layout) fn size(config: &AddressConfig, kind: MetadataKind, mode: u32, data: &Data, pipe_aligned: bool) -> MetadataLayout {
    let (bytes, [bw, bh]) = block(config, kind, mode, data.element, data.fragments, pipe_aligned);
    let mut mips = [MetadataMip::default(); MAX_LEVELS];
    let levels = data.levels.min(MAX_LEVELS as u32);
    let tail = data.first_tail.min(levels);
    let mut slice_size = 0u64;
    if tail < levels {
        mips[tail as usize] = MetadataMip { offset: 0, size: 1 << bytes, start: [0; 2] };
        slice_size = 1 << bytes;
    }
    for level in (0..tail).rev() {
        let blocks = u64::from(align_size(level_size(data.width, level), bw) >> bw) * u64::from(align_size(level_size(data.height, level), bh) >> bh);
        let size = blocks << bytes;
        mips[level as usize] = MetadataMip { offset: slice_size as u32, size: size as u32, start: [0; 2] };
        slice_size += size;
    }
    let align = if kind == MetadataKind::Htile { bytes.max(u32::from(config.pipes) + 11) } else { bytes };
    MetadataLayout {
        kind,
        offset: 0,
        size: slice_size * u64::from(data.slices),
        align: 1 << align,
        slice_size,
        pitch: align_size(data.width, bw),
        height: align_size(data.height, bh),
        block: [1 << bw, 1 << bh],
        levels: (tail + 1).min(levels),
        pipe_aligned,
        rb_aligned: pipe_aligned,
        block_bytes: bytes,
        mode,
        element: data.element,
        fragments: data.fragments,
        slices: data.slices,
        image_levels: data.levels,
        mips,
    }
}
